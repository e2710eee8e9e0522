//! What made a number: its formula, the same with the values put in, and the part of a paper that it follows.
//!
//! An [`Explained`] names a number and says how to compute it from others, which unfold in turn: those that have a [`Subject`]
//! are explained once somebody asks. Nothing here is typed in: values come from the results that the page shows, and every formula is
//! evaluated (`tests/explain.rs` holds that each gives the number it explains).

mod formula;
mod hierarchy;
mod loops;
mod mapping;
mod numbers;
mod parts;
mod point;
mod sizes;
mod sources;

pub use formula::{Explained, Formula, How, Unit};
pub use hierarchy::explain_hierarchy;
pub use mapping::{LayerNumber, LevelFigure, explain_layer};
pub use numbers::{Amount, Counted, LayerPlace, Place, PointNumber};
pub use point::explain_point;
pub use sizes::{Axis, Data};

/// A number that can be explained further, of the results at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// Of a point's account.
    Point(PointNumber),
    /// Of a mapped layer.
    Layer(LayerNumber),
}
