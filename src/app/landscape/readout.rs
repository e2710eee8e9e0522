//! The best point on a line that stays visible while the design below or beside it is edited.

use crate::app::session::state::PageState;
use crate::chart::{Quantity, compared_with, strategy_title};
use std::rc::Rc;
use yew::prelude::*;

/// Draws the line. Only `shell::pieces` may name it.
pub fn readout(state: Rc<PageState>) -> Html {
    let results = &state.results;
    let Some((best, strategy)) =
        results.best.and_then(|point| Some((results.summary(point)?, results.strategy(point)?)))
    else {
        return html! {};
    };
    let objective = results.requests.first().map(|request| &request.settings.objective);
    let quantity = objective.map_or(Quantity::Energy, Quantity::of_objective);
    let before = state.before().and_then(|before| before.summary(before.best?)).map(|before| before.score);
    let change = match before {
        _ if !state.is_answered() => html! { <small>{ "of the state before, until this one is known" }</small> },
        Some(before) if before != best.score => {
            let look = if best.score > before { "worse" } else { "better" };
            html! { <small class={classes!("change", look)}>{ compared_with("before", before, best.score) }</small> }
        }
        _ => html! {},
    };
    html! {
        <div class={classes!("readout", (!state.is_answered()).then_some("old"))} role="status" data-testid="readout">
            <b>{ quantity.text(best.score) }</b>
            <span>{ strategy_title(strategy) }</span>
            { change }
        </div>
    }
}
