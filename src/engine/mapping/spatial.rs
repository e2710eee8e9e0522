//! Loops unrolled over the PE array.

use crate::hardware::{ArrayDimId, Unroll};
use crate::rules::Rules;
use crate::workload::{Dim, LayerShape, LoopSizes};
use serde::{Deserialize, Serialize};

/// One loop unrolled over one array dimension.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SpatialLoop {
    /// The array dimension.
    pub array_dim: ArrayDimId,
    /// The loop dimension that is unrolled.
    pub dim: Dim,
    /// PEs used on average: a fraction where the unrolling does not divide the loop.
    pub average: f64,
    /// PEs used at most: the average rounded up.
    pub peak: u64,
}

/// The unrolled loops of a layer, and the sizes that remain in time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpatialMapping {
    /// Unrolled loops wider than 1 (of 1 where the rules depend on it).
    pub loops: Vec<SpatialLoop>,
    /// Temporal size of every loop dimension.
    pub temporal_sizes: LoopSizes,
}

impl SpatialMapping {
    /// Unrolls loops as stated, as far as the layer is large enough.
    ///
    /// A loop of size `n` unrolled `u` wide takes `t = ceil(n / u)` steps and uses `n / t` PEs on average
    /// (DeFiNES tool, SpatialMappingConversionStage.py:75-130). Over several array dimensions each takes its part of what
    /// the others left.
    pub fn new(shape: &LayerShape, unroll: &[Unroll], rules: &Rules) -> Self {
        let mut temporal_sizes = shape.sizes;
        let mut loops = Vec::new();
        for (index, &Unroll { array_dim, dim, limit }) in unroll.iter().enumerate() {
            let size = temporal_sizes[dim as usize];
            let mut steps = size.div_ceil(limit.min(size).max(1));
            let mut average = size as f64 / steps as f64;
            if rules.unroll_rest_on_first_dimension && unroll.iter().filter(|other| other.dim == dim).count() > 1 {
                average = average_of_part(shape.size(dim), unroll, index, &loops);
                steps = (size as f64 / average).ceil() as u64;
            }
            // The tools compute the number of steps anew from the rounded quotient.
            temporal_sizes[dim as usize] =
                if rules.round_fractional_amounts { (size as f64 / average).ceil() as u64 } else { steps };
            let says_nothing = average == 1.0 && !(rules.unrolling_by_one_makes_partial_sums && shape.size(dim) > 1);
            if !says_nothing {
                loops.push(SpatialLoop { array_dim, dim, average, peak: average.ceil() as u64 });
            }
        }
        Self { loops, temporal_sizes }
    }

    /// Counts the steps of loops on several array dimensions as ZigZag does: level by level, rounded up at each (loma/engine.py).
    pub(super) fn count_steps_by_level(&mut self, shape: &LayerShape, unrolled: &[Vec<(Dim, f64, u64)>]) {
        let is_on_several = |dim: Dim| self.loops.iter().filter(|part| part.dim == dim).count() > 1;
        for dim in Dim::ALL.into_iter().filter(|&dim| is_on_several(dim)).collect::<Vec<_>>() {
            let width = |level: &Vec<(Dim, f64, u64)>| -> f64 {
                level.iter().filter(|part| part.0 == dim).map(|part| part.1).product()
            };
            self.temporal_sizes[dim as usize] =
                unrolled.iter().map(width).fold(shape.size(dim), |steps, width| (steps as f64 / width).ceil() as u64);
        }
    }

    /// Whether some unrolling does not divide its loop.
    pub fn is_fractional(&self) -> bool {
        self.loops.iter().any(|unrolled| unrolled.average != unrolled.peak as f64)
    }
}

/// PEs that part number `index` of a loop on several array dimensions uses as ZigZag has it: the first of the largest parts
/// is narrowed until it divides, all others count in full (spatial_mapping_conversion.py:135-190).
fn average_of_part(size: u64, unroll: &[Unroll], index: usize, earlier: &[SpatialLoop]) -> f64 {
    let Unroll { dim, limit, .. } = unroll[index];
    let width = |part: &Unroll| part.limit.min(size).max(1);
    let widest = unroll.iter().filter(|part| part.dim == dim).map(width).max();
    let is_first_widest = unroll.iter().position(|part| part.dim == dim && Some(width(part)) == widest) == Some(index);
    let width = limit.min(size).max(1) as f64;
    if !is_first_widest {
        return width;
    }
    let done: f64 = earlier.iter().filter(|part| part.dim == dim).map(|part| part.average).product();
    let steps = (size as f64 / (width * done)).ceil();
    size as f64 / steps / done
}
