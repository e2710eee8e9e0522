//! The entry of the gallery that is shown.

use crate::app::widgets::page::figure_context::use_act;
use crate::gallery::find_entry;
use crate::state::{Action, Tab, ViewField};
use yew::prelude::*;

/// Shows the published figure or table that the state came from. Only `shell::pieces` may name it.
pub fn origin(id: &'static str) -> Html {
    html! { <Origin {id} /> }
}

#[derive(Properties, PartialEq)]
struct OriginProps {
    /// Id of the entry.
    id: &'static str,
}

/// The published figure or table that the state came from, as long as nothing of it is changed.
#[component]
fn Origin(props: &OriginProps) -> Html {
    let act = use_act();
    let entry = use_memo(props.id, |id| find_entry(id));
    let Ok(entry) = &*entry else { return html! {} };
    let onclick = act.reform(|_: MouseEvent| Action::Look(ViewField::Tab(Tab::Gallery)));
    html! {
        <p class="origin" data-testid="origin">
            <b>{ format!("{}, {}", entry.paper, entry.place) }</b>
            { format!(": {}. ", entry.title) }
            <button type="button" class="link" {onclick}>{ "What the paper says" }</button>
        </p>
    }
}
