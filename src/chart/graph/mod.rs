//! Directed graphs.

mod layered;
mod network;

pub use layered::{Layered, Route, Spacing, lay_out};
pub use network::{NETWORK_MARGIN, NetworkDrawing, NetworkLayer, lay_out_network, stack_bands};
