//! Loops unrolled over the PE array.

use crate::hardware::Unroll;
use crate::rules::Rules;
use crate::workload::{Dim, LayerShape, LoopSizes};
use serde::{Deserialize, Serialize};

/// One loop unrolled over one array dimension.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SpatialLoop {
    /// Index of the array dimension.
    pub array_dim: usize,
    /// The loop.
    pub dim: Dim,
    /// PEs used on average: a fraction where the unrolling does not divide the loop.
    pub average: f64,
    /// PEs used at most: the average rounded up.
    pub peak: u64,
}

/// The unrolled loops of a layer, and what remains to be done in time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpatialMapping {
    /// Unrolled loops wider than 1.
    pub loops: Vec<SpatialLoop>,
    /// Temporal size of every loop dimension.
    pub temporal_sizes: LoopSizes,
}

impl SpatialMapping {
    /// Unrolls what `unroll` asks for, as far as the layer is large enough.
    ///
    /// A loop of size `n` unrolled `u` wide takes `t = ceil(n / u)` steps and uses `n / t` PEs on average
    /// (DeFiNES tool, SpatialMappingConversionStage.py:75-130).
    pub fn new(shape: &LayerShape, unroll: &[Unroll], rules: &Rules) -> Self {
        let mut temporal_sizes = shape.sizes;
        let mut loops = Vec::new();
        for &Unroll { array_dim, dim, limit } in unroll {
            let size = temporal_sizes[dim as usize];
            let steps = size.div_ceil(limit.min(size).max(1));
            let average = size as f64 / steps as f64;
            // The tool computes the number of steps anew from the rounded quotient, which for some sizes (41 over 3)
            // is one more than there are.
            temporal_sizes[dim as usize] =
                if rules.truncate_fractional_extents { (size as f64 / average).ceil() as u64 } else { steps };
            if average > 1.0 {
                loops.push(SpatialLoop { array_dim, dim, average, peak: average.ceil() as u64 });
            }
        }
        Self { loops, temporal_sizes }
    }

    /// Whether some unrolling does not divide its loop.
    pub fn is_fractional(&self) -> bool {
        self.loops.iter().any(|unrolled| unrolled.average != unrolled.peak as f64)
    }
}
