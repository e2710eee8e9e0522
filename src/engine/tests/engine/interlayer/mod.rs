//! HW-Flow-Fusion: sequences of layers.

mod multi_tiling;
mod packings;
mod sequences;
