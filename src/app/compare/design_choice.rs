//! The choice of accelerators, or networks, for the table of designs.

use crate::app::widgets::forms::controls::{ChoiceOption, Picker};
use crate::app::widgets::page::figure_context::use_act;
use crate::state::{Action, Half, State, TableDocument};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct DesignChoiceProps {
    pub chosen: Rc<State>,
    /// The kind of documents: accelerators or networks.
    pub half: Half,
}

/// The chosen documents, each with a button that removes it, and a list to add others.
#[component]
pub fn DesignChoice(props: &DesignChoiceProps) -> Html {
    let act = use_act();
    let half = props.half;
    let (title, add) = match half {
        Half::Hardware => ("Hardware", "Add hardware …"),
        Half::Workload => ("Networks", "Add a network …"),
    };
    let documents = props.chosen.table_documents(half);
    let others = props.chosen.table_offers(half).into_iter().filter(|offer| !documents.contains(offer));
    let choices: Vec<ChoiceOption> = std::iter::once(ChoiceOption::new("", add))
        .chain(others.map(|offer| ChoiceOption::new(offer.id, offer.name)))
        .collect();
    let onchange = act.reform(move |id: String| Action::InTable(half, id, true));
    let may_go = documents.len() > 1;
    let chip = |document: &TableDocument| {
        let (id, name) = (document.id.clone(), document.name.clone());
        let onclick = act.reform(move |_: MouseEvent| Action::InTable(half, id.clone(), false));
        html! {
            <li key={document.id.clone()}>
                <button
                    type="button"
                    class="chip"
                    aria-label={format!("{name}: leave it out")}
                    disabled={!may_go}
                    {onclick}
                >
                    { &name }
                    if may_go { <span aria-hidden="true">{ " ×" }</span> }
                </button>
            </li>
        }
    };
    let label = format!("{title} of the table");
    html! {
        <div class="design-choice" role="group" aria-label={label} data-testid={format!("table-{}", half.name())}>
            <b>{ title }</b>
            <ul class="chips">{ for documents.iter().map(chip) }</ul>
            <Picker label={add} {choices} value="" {onchange} testid={format!("table-add-{}", half.name())} />
        </div>
    }
}
