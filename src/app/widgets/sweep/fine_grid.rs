//! What only grids of many tile sizes show.

use super::grid::Grid;
use super::zoom_bar::ZoomBar;
use crate::app::workers::results::SweepResults;
use crate::piece;
use crate::state::Metric;
use std::rc::Rc;
use yew::prelude::*;

/// So many of the best tile sizes are listed.
pub const BEST_LISTED: usize = 20;

/// Functions whose code is fetched with the first such grid.
#[derive(Clone, Copy)]
pub struct FineGridParts {
    /// Draws the bar that zooms.
    pub zoom_bar: fn(&ZoomBar) -> Html,
    /// Draws the table of the best, and of the opened one.
    pub best_table: fn(&Grid, &Rc<SweepResults>, Metric, Option<u32>) -> Html,
}
piece!(FineGridParts);
