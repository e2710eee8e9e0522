//! Sliders over the tile sizes of the current point, below the heatmaps.

use crate::app::widgets::sweep::tile_sliders::TileSliders;
use crate::app::workers::results::SweepResults;
use std::rc::Rc;
use yew::prelude::*;

/// Draws the sliders. Only `shell::pieces` may name it.
pub fn tile_sliders(results: Rc<SweepResults>, point: u32) -> Html {
    html! { <TileSliders {results} {point} says_costs=true /> }
}
