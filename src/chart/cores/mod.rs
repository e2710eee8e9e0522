//! Schedules on many cores (Stream).

mod sweep;
mod tile_curve;
mod time;
mod time_window;
mod timeline;

pub use sweep::{CoresSweep, allocations_table};
pub use tile_curve::{TileCurve, tile_sizes_table};
pub use time::{core_time, link_table, memory_table, moved_reasons, system_energy};
pub use time_window::TimeWindow;
pub use timeline::{CoreTimeline, CoresLanes, Hit, HitText};
