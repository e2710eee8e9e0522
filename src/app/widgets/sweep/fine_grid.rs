//! Parts of grids of many tile sizes.

use super::grid::Grid;
use super::zoom_bar::ZoomBar;
use crate::app::workers::results::SweepResults;
use crate::piece;
use crate::state::Metric;
use std::rc::Rc;
use yew::prelude::*;

/// Number of the best tile sizes listed.
pub const BEST_LISTED: usize = 20;

/// Functions whose code is fetched with the first such grid.
#[derive(Clone, Copy)]
pub struct FineGridParts {
    pub zoom_bar: fn(&ZoomBar) -> Html,
    pub best_table: fn(&Grid, &Rc<SweepResults>, Metric, Option<u32>) -> Html,
}
piece!(FineGridParts);
