//! HW-Flow-Fusion (Valpreda et al., Electronics 2022): which layers of a chain run together on a spatial array, and how.
//!
//! A [`Chain`] is what the method can schedule of a [`crate::workload::Network`]; an [`Accelerator`] is its abstract hardware, not a
//! [`crate::hardware::Core`]: the paper's numbers come from closed formulas of a row-stationary array, and to be compared with
//! them so do ours. [`LayerSchedule`] is a layer by itself; [`FusedSchedule`] several that are fused, and
//! [`schedule_chain`] chooses which. Of fused layers [`FusionBuffers`] are what has to fit on the chip, and
//! [`unique_tiles`] what each computes with every tile. Sizes are in words of 8 bits, energies in
//! hundredths of a picojoule, so that all sums are exact. What the paper does not say is in [`Parameters`].
//!
//! "Eq.", "Table" and "Section" are the paper's.

mod accelerator;
mod chain;
mod cost;
mod document;
mod fused;
mod mapping;
mod multi_tiling;
mod parameters;
mod partition;
mod propagation;
mod single;
mod walk;

pub use accelerator::{Accelerator, Array, EnergyCosts, RegisterFile};
pub use chain::{Axis, Chain, ChainLayer};
pub use cost::{ArrayTraffic, Cost, Energy, Volume};
pub use document::{MOST_LAYERS, REGISTER_BYTES, groups_of};
pub use fused::{FusedSchedule, FusionMode, costs_on, fused_tiles};
pub use mapping::{Block, RowStationary, divisors};
pub use multi_tiling::{Run, ThreeSizes, TileSet, closed_form, multi_tiled_macs, tile_sets, unique_tiles};
pub use parameters::{EnergyRule, Parameters};
pub use partition::{MOST_PARTS, partitions, sub_arrays};
pub use propagation::{
    BottomTile, Direction, FusionBuffers, LayerExtent, bottom_weight_refetches, fused_volume, propagate, reuse_buffer,
    reuse_overhead, tile_count,
};
pub use single::{LayerSchedule, LayerTile, TileBuffers, TileMoves};
pub use walk::{Step, cheapest_cover, legal_sequences, schedule_chain};
