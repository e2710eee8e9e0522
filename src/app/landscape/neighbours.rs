//! The neighbours of the current point.

use crate::app::widgets::sweep::opened_neighbours::{NeighboursProps, OpenedNeighbours};
use yew::prelude::*;

/// A card with the neighbours of a point. Only `shell::pieces` may name it.
pub fn neighbours(props: NeighboursProps) -> Html {
    html! { <OpenedNeighbours ..props /> }
}
