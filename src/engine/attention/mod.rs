//! Attention: unfused, FLAT, FuseMax.

pub mod published;
mod shape;

pub use shape::Shape;
