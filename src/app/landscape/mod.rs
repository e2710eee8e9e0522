//! The view Landscape: all tile sizes and storing modes.

pub mod answer;
pub mod combination;
pub mod comparison;
pub mod design_history;
pub mod first_minute;
pub mod heatmaps;
pub mod impossible;
pub mod joint_optimum;
pub mod mac_counts;
pub mod neighbours;
pub mod readout;
pub mod tile_sliders;
pub mod top_memories;
pub mod trade_off;
pub mod view;

pub use view::view;
