//! HW-Flow-Fusion: sequences of layers.

mod interlayer;
mod multi_tiling;
mod sequences;
