//! The neighbours of the point at hand.

use crate::app::session::state::PageState;
use crate::app::studies::neighbours::use_neighbours;
use crate::app::widgets::neighbours::Neighbours as NeighbourCard;
use crate::app::workers::handle::Workers;
use crate::depth_first::DepthFirstStrategy;
use crate::state::{Action, ViewChange};
use std::rc::Rc;
use yew::prelude::*;

/// Properties of [`neighbours`].
#[derive(Clone, Properties, PartialEq)]
pub struct NeighboursProps {
    /// Everything.
    pub state: Rc<PageState>,
    /// The point.
    pub opened: Option<u32>,
    /// Asks workers.
    pub workers: Workers,
    /// Called with every change.
    pub act: Callback<Action>,
}

/// A card with the neighbours of a point. Only `shell::pieces` may name it.
pub fn neighbours(props: NeighboursProps) -> Html {
    html! { <OpenedNeighbours ..props /> }
}

#[component]
fn OpenedNeighbours(props: &NeighboursProps) -> Html {
    let all = use_neighbours(&props.workers, &props.state.results, props.state.is_current(), props.opened);
    let on_open = props.act.reform(|strategy: DepthFirstStrategy| Action::Look(ViewChange::Open(strategy)));
    let results = Rc::clone(&props.state.results);
    let can_open = Callback::from(move |strategy: DepthFirstStrategy| results.point_of(&strategy).is_some());
    html! { <NeighbourCard {all} {on_open} {can_open} /> }
}
