//! The neighbours of the current point.

use crate::app::widgets::sweep::opened_neighbours::{OpenedNeighbours, OpenedNeighboursProps};
use yew::prelude::*;

/// A card with the neighbours of a point. Only `shell::pieces` may name it.
pub fn neighbours(props: OpenedNeighboursProps) -> Html {
    html! { <OpenedNeighbours ..props /> }
}
