//! HW-Flow-Fusion (Valpreda et al., Electronics 2022): which layers of a chain run together on a spatial array, and how.
//!
//! A [`Chain`] is the part of a [`crate::workload::Network`] that the method can schedule. An [`Accelerator`] is its
//! abstract hardware, not a [`crate::hardware::Core`]: the paper's numbers come from closed formulas of a
//! row-stationary array, and ours have to, too, to be compared with them. Tiles are not those of
//! [`depth_first`](crate::depth_first), either: the paper sizes them with their padding, and computes pixels that no
//! layer reads. Sizes are in words of 8 bits, energies in hundredths of a picojoule, so that all sums are exact.
//!
//! - `chain.rs`, `accelerator.rs`: the layers and the hardware
//! - `walk.rs`: which sequences of layers fit, and the cheapest cover of a chain ([`schedule_chain`]; Section 4.4)
//! - `fused.rs`: several fused layers ([`FusedSchedule`]), on a share of the array (`partition.rs`, spatial fusion) or of the register
//!   files (temporal fusion; Section 4.3)
//! - `multi_tiling.rs`: what each layer computes with every tile ([`unique_tiles`]; Section 4.2)
//! - `propagation.rs`: what fused layers keep on the chip ([`FusionBuffers`]; Section 4.1)
//! - `single.rs`: a single layer ([`SingleLayerSchedule`])
//! - `mapping.rs`, `cost.rs`: the row-stationary array; energy, latency, computation to communication
//!   ([`ChainCost::ctc`])
//! - `document.rs`: the chains in a network that a person wrote, and a `Core` in the paper's terms. Which layers the method then fuses
//!   is judged by the whole model, as every method is ([`explore::compare_fusions`](crate::explore::compare_fusions))
//! - `parameters.rs`: choices that the paper does not state ([`Parameters::AS_PUBLISHED`])
//!
//! "Eq.", "Table" and "Section" are the paper's. `tests/reference/hwff.rs` compares with the reference data,
//! `tests/engine/interlayer/multi_tiling.rs` with single pixels.
//!
//! # Example
//!
//! ```
//! use fusescape_engine::interlayer::{Accelerator, Chain, FusionMode, SingleLayerSchedule, Parameters, schedule_chain};
//! use fusescape_engine::workload::Network;
//! use fusescape_spec::{find_preset, workload_presets};
//!
//! let network = Network::from_text(find_preset(workload_presets(), "vgg16-e")?.text)?;
//! let chain = Chain::new(&network)?;
//! let (accelerator, parameters) = (Accelerator::PUBLISHED[0], Parameters::AS_PUBLISHED);
//!
//! // At most three layers run together.
//! let steps = schedule_chain(&chain, FusionMode::Temporal, 3, &accelerator, &parameters).expect("every layer fits");
//! let fused: u64 = steps.iter().map(|step| step.cost().volume.total()).sum();
//! let single = |layer| SingleLayerSchedule::best(layer, &accelerator, &parameters).expect("it fits").cost.volume.total();
//! // Fused layers do not send what lies between them to DRAM and back.
//! assert!(fused < chain.layers().iter().map(single).sum());
//! # Ok::<(), fusescape_spec::Diagnostics>(())
//! ```

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

pub use accelerator::{Accelerator, EnergyCosts, PeArray, RegisterFile};
pub use chain::{Chain, ChainLayer, LayerAxis};
pub use cost::{ArrayTraffic, ChainCost, ChainEnergy, ChainEnergyCause, Volume};
pub use document::{MOST_LAYERS, REGISTER_BYTES, groups_of};
pub use fused::{FusedSchedule, FusionMode, costs_on, fused_tiles};
pub use mapping::{LayerBlock, RowStationary, divisors};
pub use multi_tiling::{EqualTiles, ThreeSizes, closed_form, unique_tiles};
pub use parameters::{EnergyRule, Parameters};
pub use partition::{MOST_PARTS, partitions, sub_arrays};
pub use propagation::{
    BottomTile, FusionBuffers, LayerExtent, TileDirection, bottom_weight_refetches, fused_volume, overhead_factors,
    propagate, reuse_buffer, reuse_factors, reuse_overhead, tile_count,
};
pub use single::{LayerTile, SingleLayerSchedule, TileBuffers, TileMoves};
pub use walk::{ScheduleStep, cheapest_cover, legal_sequences, schedule_chain};
