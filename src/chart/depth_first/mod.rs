//! Depth-first schedules (DeFiNES): the points of a sweep, the account of one, the traces of its stacks.

mod accesses;
mod account;
mod comparison;
mod data_sizes;
mod designs;
mod landscape;
mod layer_tables;
mod level_matrix;
mod macs;
mod tile_map;
mod trace;

pub use accesses::{AccessRow, MemoryAccesses};
pub use account::{CountedAccesses, strategy_title, tile_text};
pub use comparison::{comparisons, whole_costs};
pub use data_sizes::{Capacity, DataSizes, LayerData};
pub use designs::{ComparedDesign, designs_matrix, designs_table};
pub use landscape::{Landscape, PlottedPoint};
pub use layer_tables::{copy_table, layer_tile_table, top_memories};
pub use level_matrix::{LevelCell, LevelMatrix, MatrixLevel, TypeLevels};
pub use macs::MacCounts;
pub use tile_map::{TileTypeEntry, TileTypeMap};
pub use trace::{StackHit, StackStep, TracedStack, memory_trace_table};
