//! Very many designs of a study: any two of their numbers, all of them side by side, the best over two axes.
//!
//! - `table.rs`: all numbers of many designs, column by column, and the front; `dimensions.rs`: which numbers there are
//! - `brush.rs`: what is selected of them; `figures.rs`: figures of the selected among the others
//! - `dimension.rs`: an axis of such figures; `design_scatter.rs`, `parallel.rs`: the figures

mod brush;
mod design_scatter;
mod dimension;
mod dimensions;
mod figures;
mod parallel;
mod table;

pub use brush::Brush;
pub use design_scatter::{DesignMark, DesignScatter};
pub use dimension::Dimension;
pub use figures::{HeatmapAxes, design_lines, design_scatter, designs_listed, heatmap, heatmap_selection};
pub use parallel::{DesignLine, Parallel};
pub use table::StudyTable;
