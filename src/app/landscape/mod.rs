//! The view Landscape: every tile size and storing mode at a glance.

pub mod answer;
pub mod heatmaps;
pub mod joint_optimum;
pub mod view;
