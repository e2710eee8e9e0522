//! What made a number: its formula, the same with the values put in, and the part of a paper that it follows.
//!
//! An [`Explained`] is a number with the formulas that give it, as a tree: terms are numbers in turn, and those that have a [`Subject`]
//! are explained once somebody asks, so that a point with thousands of tile types costs nothing. It is made of what the page has: a
//! [`PointAccount`](crate::depth_first::PointAccount) or a [`MappedLayer`](crate::explore::MappedLayer), which hold every access, hop and
//! slowest port. No text of a formula is written by hand: a [`Formula`] is evaluated and printed from its terms, and
//! `tests/page/explain.rs` unfolds everything under all rules and compares it with what is shown.

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
pub use numbers::{Amount, Counted, LayerTileIndex, PointNumber, Scope};
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
