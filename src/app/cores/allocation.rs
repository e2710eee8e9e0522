//! The allocation of layers to cores: a table in which a person moves layers to other cores.

use crate::multicore::{CoreAllocation, CoreId, CoresOverview, NestId};
use std::sync::Arc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct CoresAllocationProps {
    /// Layers, cores, and the cores that can compute each layer.
    pub overview: Arc<CoresOverview>,
    /// The cores of each layer.
    pub choice: CoreAllocation,
    /// Whether the choice was made by hand.
    pub is_by_hand: bool,
    /// Called with another choice; `None` goes back to that of the search.
    pub on_choice: Callback<Option<CoreAllocation>>,
}

/// One row per layer, one column per core.
#[component]
pub fn CoresAllocation(props: &CoresAllocationProps) -> Html {
    let CoresAllocationProps { overview, choice, is_by_hand, on_choice } = props;
    let row = |(layer, name): (NestId, &String)| {
        let cell = |core: CoreId| {
            let is_on = choice.get(layer).is_some_and(|cores| cores.contains(&core));
            let is_able = overview.able.get(layer).is_some_and(|able| able.contains(&core));
            let onchange = {
                let (on_choice, choice, most) = (on_choice.clone(), choice.clone(), overview.most_shared[layer]);
                Callback::from(move |_: Event| {
                    let mut next = choice.clone();
                    next[layer] = toggled(&choice[layer], core, most);
                    on_choice.emit(Some(next));
                })
            };
            let label = format!("{name} on {}", overview.cores[core]);
            html! {
                <td>
                    <input type="checkbox" checked={is_on} aria-label={label} disabled={!is_able} {onchange}
                        data-testid={format!("place-{layer}-{core}")} />
                </td>
            }
        };
        html! { <tr><th scope="row">{ name }</th>{ for overview.cores.keys().map(cell) }</tr> }
    };
    let back = on_choice.reform(|_: MouseEvent| None);
    html! {
        <section class="card" data-testid="cores-allocation">
            <h2>{ "Which core computes which layer" }</h2>
            <p class="hint">
                { "A layer on several cores is cut along its output channels (or groups), a part for each. \
                   Tick a core to add it, untick it to take it away; the schedule is made anew at once." }
            </p>
            <div class="scroll tall" tabindex="0" role="group" aria-label="Layers and cores">
                <table class="places">
                    <thead>
                        <tr>
                                <th scope="col">{ "layer" }</th>
                                { for overview.cores.iter().map(|core| html! { <th scope="col">{ core }</th> }) }
                            </tr>
                    </thead>
                    <tbody>{ for overview.layers.iter_enumerated().map(row) }</tbody>
                </table>
            </div>
            if *is_by_hand {
                <div class="row start">
                    <button type="button" onclick={back} data-testid="cores-found">{ "Back to what the search found" }</button>
                </div>
            }
        </section>
    }
}

/// The cores of a layer after a click on `core`. A layer keeps at least one core; if it has `most` cores already, the
/// new one replaces the first.
fn toggled(cores: &[CoreId], core: CoreId, most: usize) -> Vec<CoreId> {
    let mut next: Vec<CoreId> = cores.iter().copied().filter(|&other| other != core).collect();
    if next.len() == cores.len() {
        if next.len() >= most && !next.is_empty() {
            next.remove(0);
        }
        next.push(core);
    } else if next.is_empty() {
        next.push(core);
    }
    next.sort_unstable();
    next
}
