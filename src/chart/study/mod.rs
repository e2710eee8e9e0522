//! Figures of the designs of a study: scatter of two dimensions, parallel coordinates of all, heatmap of the best over
//! two axes.
//!
//! - `table.rs`: all dimensions of the designs, column by column, and the front; `dimensions.rs`: the dimensions of a
//!   study
//! - `brush.rs`: a selection of designs; `figures.rs`: builds the figures
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
