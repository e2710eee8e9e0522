//! Buttons that add a number of a document to a study. The view of studies takes the request once it is shown.

use crate::app::widgets::page::figure_context::use_act;
use crate::form::Variable;
use crate::state::{Action, Tab, ViewField};
use std::cell::RefCell;
use yew::prelude::*;

thread_local! {
    static ASKED: RefCell<Option<Variable>> = const { RefCell::new(None) };
    /// Set while the view of studies is shown.
    static LISTENER: RefCell<Option<Callback<()>>> = const { RefCell::new(None) };
}

#[derive(Properties, PartialEq)]
pub struct VaryButtonProps {
    pub variable: Variable,
    pub label: AttrValue,
    pub testid: AttrValue,
}

/// A button that lets a study vary a number of a document.
#[component]
pub fn VaryButton(props: &VaryButtonProps) -> Html {
    let (variable, act) = (props.variable.clone(), use_act());
    let onclick = Callback::from(move |_: MouseEvent| {
        ASKED.set(Some(variable.clone()));
        act.emit(Action::Look(ViewField::Tab(Tab::Study)));
        if let Some(listener) = LISTENER.with_borrow(Clone::clone) {
            listener.emit(());
        }
    });
    html! {
        <button type="button" class="link vary" {onclick} title="Vary this in a study"
            aria-label={format!("Vary {} in a study", props.label)} data-testid={format!("{}-vary", props.testid)}>
            { "vary" }
        </button>
    }
}

/// Calls `hear` with every number to vary, also with those requested before the component was shown.
#[hook]
pub fn use_varying(hear: Callback<Variable>) {
    let call = Callback::from(move |()| {
        if let Some(variable) = ASKED.take() {
            hear.emit(variable);
        }
    });
    // Run at every render, as `hear` depends on what is shown.
    use_effect(move || {
        call.emit(());
        LISTENER.set(Some(call));
        || LISTENER.set(None)
    });
}
