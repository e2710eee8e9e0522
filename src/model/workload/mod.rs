//! The validated network: layers in a directed acyclic graph. A [`Network`] cannot be built wrong.

mod build;
mod layer;
mod left_out;
mod network;
mod operation;
mod sizing;
mod text;
mod view;

pub use layer::{
    Dim, LayerKind, LayerShape, LoopSizes, Padding, Precision, Sparsity, gcd, overcounted_extent, unique_extent,
};
pub use network::{Layer, LayerId, Network};
pub use operation::{Operation, Operations};
pub use sizing::MAX_EXTENT;
pub use view::{AxisView, Read, View};
