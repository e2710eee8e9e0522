//! The joint optimum of stacks, tile sizes and storing modes, on a line below the best point.

use crate::app::platform::timer::later;
use crate::app::session::state::PageState;
use crate::app::widgets::page::figure_context::use_act;
use crate::app::workers::results::Status;
use crate::app::workers::stacks::{use_request, use_study};
use crate::chart::{Quantity, compared_with};
use crate::explore::{FusionComparison, FusionMethod, Request};
use crate::question::{Channel, Refusal};
use crate::spec::listed_names;
use crate::state::{Action, Tab, ViewField};
use std::cell::Cell;
use std::rc::Rc;
use yew::prelude::*;

/// Time without an edit after the sweep before the study starts, milliseconds.
const REST_MS: u32 = 500;
/// Limit on the strategies for which the study starts by itself; with more it waits for a click in the view Fusion.
const MOST_STRATEGIES: usize = 400;

#[derive(Properties, PartialEq)]
pub struct JointOptimumProps {
    pub state: Rc<PageState>,
}

/// Whether the sweep has been complete for [`REST_MS`].
#[hook]
pub fn use_rest(state: &PageState) -> bool {
    let is_done = state.results.status == Status::Done && !state.results.stale && state.is_current();
    let rested = use_state_eq(|| None);
    let generation = state.results.generation;
    let setter = rested.setter();
    use_effect_with((is_done, generation), move |&(is_done, generation)| {
        let is_over = Rc::new(Cell::new(!is_done));
        if is_done {
            let is_over = Rc::clone(&is_over);
            later(REST_MS, move || {
                if !is_over.get() {
                    setter.set(Some(generation));
                }
            });
        }
        move || is_over.set(true)
    });
    is_done && *rested == Some(generation)
}

/// Draws a [`JointOptimum`]. Only `shell::pieces` may name it.
pub fn joint_optimum(props: JointOptimumProps) -> Html {
    html! { <JointOptimum ..props /> }
}

/// A line below the best point: the joint optimum, and its gain.
#[component]
fn JointOptimum(props: &JointOptimumProps) -> Html {
    let act = use_act();
    let design = &props.state.chosen.design;
    let settings = design.request().ok().and_then(|requests| Some(requests.into_iter().next()?.settings));
    let is_small = settings.is_some_and(|settings| settings.strategies().len() <= MOST_STRATEGIES);
    let request = use_request(design, is_small);
    let asked = request.clone().zip(design.schedule.stack_limits().ok());
    let study = use_study(Channel::Fusion, asked);
    let status = study.status;
    let failure = match &study.refusal {
        Some(Refusal::Failed(failure)) => Some(failure.clone()),
        _ => None,
    };
    let look = act.reform(|_: MouseEvent| Action::Look(ViewField::Tab(Tab::Fusion)));
    html! {
        <div data-testid="joint" data-status={status}>
            { match (status, &study.fusions, &request) {
                ("done", Some(fusions), Some(request)) => found(&props.state, fusions, request, &act),
                _ if failure.is_some() => html! { <p class="banner" role="alert">{ failure.clone() }</p> },
                ("running", ..) => html! { { "Choosing stacks, tiles and modes together …" } },
                _ => html! { { "Stacks, tiles and modes can be chosen together, too." } },
            } }
            { " " }
            <button type="button" class="link" onclick={look}>{ "Compare in Fusion" }</button>
        </div>
    }
}

/// The optimum, and its gain over the best point.
fn found(state: &PageState, fusions: &FusionComparison, request: &Request, act: &Callback<Action>) -> Html {
    let optimal = fusions.results.iter().find(|(method, _)| *method == FusionMethod::Optimal);
    let Some((_, Ok(optimal))) = optimal else {
        return html! { { "No choice of stacks, tiles and modes keeps to the limits." } };
    };
    let score = optimal.stacks.score;
    let best = state.results.best.and_then(|best| state.results.summary(best));
    let gain = best.map(|best| best.score / score).filter(|gain| gain.is_finite());
    let gain = match gain {
        Some(gain) if gain >= 1.0005 => format!(", {}", compared_with("the best point", gain, 1.0)),
        Some(gain) if gain >= 0.9995 => ", as the best point".to_owned(),
        // The optimum is worse than the best point only because of limits on layers or tiles.
        Some(gain) => format!(", within its limits {}", compared_with("the best point", gain, 1.0)),
        None => String::new(),
    };
    let stacks = match optimal.layers.len() {
        1 => "one stack".to_owned(),
        stacks => format!("{stacks} stacks, each with its own tile and mode"),
    };
    let ends = listed_names(&optimal.stacks.ends);
    let cut = act.reform(move |_: MouseEvent| Action::EndStacksAfter(ends.clone()));
    html! {
        <>
            { "Jointly optimal: " }
            <b>{ Quantity::of_objective(&request.settings.objective).text(score) }</b>
            { format!("{gain}, in {stacks}. ") }
            if optimal.layers.len() > 1 {
                <button type="button" class="link" onclick={cut} data-testid="cut-jointly">{ "Cut the network so" }</button>
                { " · " }
            }
        </>
    }
}
