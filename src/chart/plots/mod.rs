//! One quantity against another: points, lines, a roofline.

mod curves;
mod hierarchies;
mod lines;
mod roofline;
mod scatter;
mod xy;

pub use curves::{Curve, Curves};
pub use hierarchies::{Hierarchies, HierarchyPoint};
pub use lines::{Line, LineLook, Lines};
pub use roofline::{Roofline, RooflinePoint};
pub use scatter::{Scatter, ScatterPoint};

pub(crate) use xy::{Plane, PlotArea, draw_ringed, nearest};
