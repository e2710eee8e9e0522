//! The closeness of the numbers of an entry at a glance: one square per number.

use crate::gallery::{Claim, Fidelity};
use yew::prelude::*;

/// Departures at which a square gets one step taller.
const STEPS: [f64; 4] = [0.01, 0.05, 0.2, 0.5];

/// One square per claim in the order of the paper, coloured by how close our number is known to be; the height stands
/// for the departure.
pub fn closeness(claims: &[Claim]) -> Html {
    let square = |claim: &Claim| {
        let departs = matches!(claim.fidelity, Fidelity::Departs | Fidelity::NotRecomputable);
        let steps = STEPS.iter().filter(|step| departs && claim.deviation.abs() >= **step).count();
        let by = if departs { format!(" by {:+.2} %", 100.0 * claim.deviation) } else { String::new() };
        let title = format!("{}: {}{by}", claim.what, claim.fidelity.name());
        html! { <span class={classes!(class(claim.fidelity), format!("steps-{steps}"))} {title} /> }
    };
    let shown = claims.iter().filter(|claim| !claim.is_variation);
    // The text below says the same.
    html! { <div class="closeness" aria-hidden="true">{ for shown.map(square) }</div> }
}

/// Legend of the squares and the small pictures.
pub fn legend() -> Html {
    let entry = |fidelity: Fidelity| html! { <li><span class={class(fidelity)} />{ fidelity.name() }</li> };
    html! {
        <ul class="closeness-legend" aria-label="What the squares and bars of a card mean">
            { for Fidelity::ALL.map(entry) }
            <li><span class="bar-published" />{ "published" }</li>
            <li><span class="bar-ours" />{ "ours" }</li>
        </ul>
    }
}

fn class(fidelity: Fidelity) -> &'static str {
    ["closeness-equal", "closeness-rounds", "closeness-departs", "closeness-unknown"][fidelity as usize]
}
