//! What everything on a page is given by context.

use crate::app::session::state::Event;
use crate::app::widgets::page::figure_context::FigureContext;
use crate::app::workers::handle::Workers;
use crate::state::Action;
use yew::prelude::*;

/// Properties of [`Given`]. A component that takes one of them is drawn again when it changes.
#[derive(Properties, PartialEq)]
pub struct GivenProps {
    /// The workers, which stay the same as long as the page.
    pub workers: Workers,
    /// Hears of what a person changes; it stays the same as long as the page.
    pub act: Callback<Action>,
    /// Hears of everything that happens; it stays the same as long as the page.
    pub tell: Callback<Event>,
    /// The look of the page and the names of the design.
    pub figure_context: FigureContext,
    /// What is shown.
    pub children: Html,
}

/// Gives these to all that it shows.
#[component]
pub fn Given(props: &GivenProps) -> Html {
    html! {
        <ContextProvider<Workers> context={props.workers.clone()}>
        <ContextProvider<Callback<Action>> context={props.act.clone()}>
        <ContextProvider<Callback<Event>> context={props.tell.clone()}>
        <ContextProvider<FigureContext> context={props.figure_context.clone()}>
            { props.children.clone() }
        </ContextProvider<FigureContext>>
        </ContextProvider<Callback<Event>>>
        </ContextProvider<Callback<Action>>>
        </ContextProvider<Workers>>
    }
}
