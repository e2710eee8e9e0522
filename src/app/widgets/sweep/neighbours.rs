//! The neighbours of a point: the change towards each, as a sentence and a small bar.

use crate::app::widgets::figures::figure::{Drawn, Figure};
use crate::chart::{BarCause, ChangeBar, Quantity, more_or_less};
use crate::cost::EnergyCause;
use crate::depth_first::{DepthFirstStrategy, PointChange};
use crate::explain::change_sentence;
use crate::spec::sentence;
use std::rc::Rc;
use yew::prelude::*;

/// Changes below this share of the energy are rounding errors.
const REL_TOLERANCE: f64 = 1e-12;

/// A neighbour of a point, and the comparison with it.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedNeighbour {
    /// The direction of the step.
    pub title: String,
    /// `None` until it is known.
    pub strategy: Option<DepthFirstStrategy>,
    pub outcome: NeighbourOutcome,
    /// A further remark, in one sentence.
    pub note: Option<String>,
}

/// The comparison with a neighbour.
#[derive(Debug, Clone, PartialEq)]
pub enum NeighbourOutcome {
    /// Not computed yet.
    Awaited,
    /// The change towards it.
    Known(Rc<PointChange>),
    /// It cannot be scheduled; holds the reason.
    Impossible(String),
}

#[derive(Properties, PartialEq)]
pub struct NeighboursProps {
    pub all: Rc<Vec<ComparedNeighbour>>,
    /// Whether further neighbours, or others, are still to come.
    #[prop_or_default]
    pub is_awaited: bool,
    /// Called with the neighbour to open; without it the neighbours cannot be opened.
    #[prop_or_default]
    pub on_open: Option<Callback<DepthFirstStrategy>>,
    /// Whether a neighbour can be opened.
    #[prop_or_default]
    pub can_open: Option<Callback<DepthFirstStrategy, bool>>,
}

/// A card with the neighbours, in the order of their directions.
#[component]
pub fn Neighbours(props: &NeighboursProps) -> Html {
    let is_busy = props.is_awaited || props.all.is_empty();
    html! {
        <section
            class={classes!("card", props.is_awaited.then_some("awaited"))}
            data-testid="neighbours"
            aria-busy={is_busy.then_some("true")}
        >
            <h2>{ "Why this and not that" }</h2>
            if props.all.is_empty() {
                <p class="hint">{ "What changes towards the neighbours comes when all points are known." }</p>
            } else {
                <p class="hint">
                    { "What changes towards the next tile sizes, the other storing modes and fuse depths, one cut more and one fewer. \
                       Right of the line: what costs more energy than here, up to twice as much; left of it: what costs less." }
                </p>
                { legend(&props.all) }
                <ul class="neighbours">{ for props.all.iter().map(|one| row(props, one)) }</ul>
            }
        </section>
    }
}

/// Legend of the causes that have bars.
fn legend(all: &[ComparedNeighbour]) -> Html {
    let splits = all.iter().filter_map(|one| match &one.outcome {
        NeighbourOutcome::Known(change) => Some([change.energy.from, change.energy.to]),
        _ => None,
    });
    let causes = EnergyCause::seen_in(splits.flatten());
    html! {
        <p class="causes" aria-hidden="true">
            { for causes.into_iter().map(|cause| html! { <span><i class={format!("is-{}", cause.key())}></i>{ cause.title() }</span> }) }
        </p>
    }
}

fn row(props: &NeighboursProps, one: &ComparedNeighbour) -> Html {
    let title = &one.title;
    let can_open =
        |strategy: &&DepthFirstStrategy| props.can_open.as_ref().is_some_and(|can| can.emit((*strategy).clone()));
    let heading = match (one.strategy.as_ref().filter(can_open), &props.on_open) {
        (Some(strategy), Some(on_open)) => {
            let strategy = strategy.clone();
            let onclick = on_open.reform(move |_: MouseEvent| strategy.clone());
            html! { <button type="button" class="link" {onclick}>{ title }</button> }
        }
        _ => html! { <b>{ title }</b> },
    };
    let body = match &one.outcome {
        NeighbourOutcome::Awaited => html! { <p class="hint">{ "…" }</p> },
        NeighbourOutcome::Impossible(reason) => {
            html! { <p class="hint">{ "Cannot be scheduled. " }{ sentence(reason) }</p> }
        }
        NeighbourOutcome::Known(change) => known(change),
    };
    let note = one.note.as_ref().map(|note| html! { <p class="hint">{ note }</p> });
    html! { <li><div class="towards">{ heading }{ totals(&one.outcome) }</div>{ body }{ note }</li> }
}

/// `4 % more energy, 2 % less latency`
fn totals(outcome: &NeighbourOutcome) -> Html {
    let NeighbourOutcome::Known(change) = outcome else { return html! {} };
    let (from, to) = (change.energy.from.total_pj(), change.energy.to.total_pj());
    let cycles = (change.latency.from.total_cycles() as f64, change.latency.to.total_cycles() as f64);
    let look = |from: f64, to: f64| if to > from * 1.0005 { Some("worse") } else { None };
    html! {
        <span>
            <em class={look(from, to)}>{ format!("{} energy", more_or_less(from, to)) }</em>
            { format!(", {} latency", more_or_less(cycles.0, cycles.1)) }
        </span>
    }
}

fn known(change: &PointChange) -> Html {
    let whole = change.energy.from.total_pj();
    // Two sums of the same terms may differ in their last digits, which is no change.
    let growths = change.energy_growth().map(|(cause, growth)| {
        let is_rounding = growth.abs() <= REL_TOLERANCE * whole;
        (BarCause::Energy(cause), if is_rounding { 0.0 } else { growth })
    });
    let bar = ChangeBar { quantity: Quantity::Energy, growths: growths.collect(), whole };
    html! { <><Figure title="" chart={Drawn::new(bar)} testid="neighbour-change" /><p>{ change_sentence(change) }</p></> }
}
