//! Parts of grids of many tile sizes.

use super::grid::SweepGrid;
use super::zoom_bar::ZoomBar;
use crate::app::workers::results::SweepResults;
use crate::lazy_module;
use crate::state::Metric;
use std::rc::Rc;
use yew::prelude::*;

/// Number of the best tile sizes listed.
pub const BEST_LISTED: usize = 20;

/// Functions whose code is fetched with the first such grid.
#[derive(Clone, Copy)]
pub struct FineGridCode {
    pub zoom_bar: fn(&ZoomBar) -> Html,
    pub best_table: fn(&SweepGrid, &Rc<SweepResults>, Metric, Option<u32>) -> Html,
}
lazy_module!(FineGridCode);
