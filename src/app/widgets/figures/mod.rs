//! Figures and tables, still or step by step, and their files.

pub mod animation;
pub mod data_table;
pub mod download;
pub mod figure;
pub mod lit_parts;
pub mod loop_trace;
pub mod moving;
pub mod pan_zoom;
pub mod player;
pub mod save;
pub mod save_menu;
