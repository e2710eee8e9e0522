//! Which entry of the gallery is shown.

use crate::gallery::find_entry;
use crate::state::{Action, Tab, ViewField};
use yew::prelude::*;

/// Which published figure or table is shown. Only `shell::parts` may name it.
pub fn origin(id: &'static str, act: Callback<Action>) -> Html {
    html! { <Origin {id} {act} /> }
}

#[derive(Properties, PartialEq)]
struct OriginProps {
    /// Entry of the gallery.
    id: &'static str,
    act: Callback<Action>,
}

/// Which published figure or table is shown, as long as nothing of it is changed.
#[component]
fn Origin(props: &OriginProps) -> Html {
    let entry = use_memo(props.id, |id| find_entry(id));
    let Ok(entry) = &*entry else { return html! {} };
    let onclick = props.act.reform(|_: MouseEvent| Action::Look(ViewField::Tab(Tab::Gallery)));
    html! {
        <p class="origin" data-testid="origin">
            <b>{ format!("{}, {}", entry.paper, entry.place) }</b>
            { format!(": {}. ", entry.title) }
            <button type="button" class="link" {onclick}>{ "What the paper says" }</button>
        </p>
    }
}
