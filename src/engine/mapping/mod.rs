//! Loops in space and time, and their allocation to memory levels (ZigZag, Section III-A).
//!
//! A layer is mapped in three steps. Some loops are unrolled over the PE array ([`SpatialMapping`]; [`unrollings`] enumerates every legal
//! way, joint limits of the lowest memories included). The rest is cut into loop prime factors and ordered in time ([`temporal`]). Every
//! operand's memory levels each take a contiguous part of that order ([`Allocation`]; [`Allocator`] fills them as LOMA does).
//!
//! [`LayerOnCore`] is a [`LayerProblem`] on its core: operands with their memories, and how each loop dimension relates to them
//! ([`Relevance`]). Operands are always three: the output, and two inputs (W and I, or X and Y of an addition), so tables have fixed
//! sizes. Products of matrices (`matmul`) are layers, too: rows of I are the columns of the feature map, and B and G index all three
//! operands. The other matrix may be another layer's output (attention): it is read as weights, out of the highest memory. So are
//! views, which show what earlier layers stored as another map.
//!
//! # Example
//!
//! ```
//! use fusescape_engine::hardware::{Core, Operand};
//! use fusescape_engine::mapping::{LayerOnCore, LayerProblem, allocate, temporal::limited_factors};
//! use fusescape_engine::rules::Rules;
//! use fusescape_engine::workload::{Dim, Network};
//! use fusescape_spec::{find_preset, hardware_presets, workload_presets};
//!
//! let core = Core::from_text(find_preset(hardware_presets(), "meta-proto-like")?.text)?;
//! let network = Network::from_text(find_preset(workload_presets(), "resnet18")?.text)?;
//! let layer = network.computing().map(|id| network.layer(id)).find(|layer| layer.name == "conv1").expect("a layer");
//! let levels = Operand::ALL.map(|operand| core.levels(operand).len());
//! let problem = LayerProblem::new(layer.shape, levels, layer.unroll_on(&core, &Rules::CORRECTED));
//! let on_core = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
//!
//! // The array unrolls 32 of the 64 output channels, so that a loop of 2 is left for time.
//! let left = &on_core.spatial.temporal_sizes;
//! assert_eq!(left[Dim::K as usize], 2);
//! // At most 12 pieces; in this order, every operand's levels take all loops, the lowest level the innermost.
//! let order = limited_factors(left, &problem.shape.dim_order, 12, false).expect("as many as it needs");
//! let allocation = allocate(&on_core, &order).expect("it fits");
//! assert!(allocation.covers(&on_core, order.len()));
//! # Ok::<(), fusescape_spec::Diagnostics>(())
//! ```

mod allocation;
mod capacity;
mod in_memory;
mod operands;
mod spatial;
pub mod spatial_generation;
pub mod temporal;
mod unrolling;

pub(crate) use allocation::operands_in;
pub use allocation::{Allocation, Allocator, allocate, smallest_demand};
pub use capacity::{ample_bits, copies, slice_bits, slice_elements, slice_part};
pub use in_memory::{InMemoryUse, MacroUse};
pub use operands::{LayerOnCore, LayerOperand, LayerProblem, OPERANDS, OperandView, Relevance, WindowCount};
pub use spatial::{SpatialLoop, SpatialMapping};
pub use temporal::TemporalLoop;
pub use unrolling::{Unrolling, UnrollingCoverage, UnrollingOptions, Unrollings, WidthLimit, unrollings};
