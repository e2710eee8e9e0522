//! The row-stationary mapping of a tile (Table 2): the loops that are unrolled over the array, and those interleaved in
//! a PE.

use super::accelerator::{PeArray, RegisterFile};
use super::chain::ChainLayer;
use serde::{Deserialize, Serialize};

/// How a tile is spread over the array and through the register files.
///
/// This is not [`crate::mapping::SpatialMapping`], whose unrollings are loop factors of a [`crate::hardware::Core`]: a row-stationary
/// PE computes a whole row of a convolution by itself, and output rows share input rows along diagonals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowStationary {
    /// PEs for the columns of a kernel (Pkx): all of them.
    pub kernel_columns: u64,
    /// Output rows (Poy) of a PE set.
    pub output_rows: u64,
    /// Input maps (Pif), over columns of PE sets.
    pub input_maps: u64,
    /// Output maps (Pof), over rows of PE sets; with pooling over all PE sets.
    pub output_maps: u64,
    /// Input maps that a PE interleaves.
    pub interleaved_inputs: u64,
    /// Output maps that a PE interleaves.
    pub interleaved_outputs: u64,
}

/// A block of a layer: rows of output over its whole width, and maps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerBlock {
    /// Output rows.
    pub rows: u64,
    /// Input maps (1 for pooling).
    pub input_maps: u64,
    /// Output maps computed at once.
    pub output_maps: u64,
}

impl RowStationary {
    /// The mapping of a block of `layer` (all sizes at least 1); `None` if it does not fit on the array or into the register files.
    ///
    /// Unrollings are the largest exact divisors (any other rounding misses entries of Table 7). Of the interleavings that
    /// fit, the one with the fewest accesses to the buffer is taken, of equals the one of most input maps.
    pub fn new(layer: &ChainLayer, block: LayerBlock, array: PeArray, registers: RegisterFile) -> Option<Self> {
        let kernel_columns = layer.x.kernel;
        // Table 2 asks for the columns, the text of Section 4.3.1 for the rows.
        if array.columns < kernel_columns || array.rows < kernel_columns {
            return None;
        }
        let output_rows = largest_divisor(block.rows, array.rows);
        let (sets_across, sets_down) = (array.columns / kernel_columns, array.rows / output_rows);
        let (input_maps, output_maps) = if layer.is_pooling {
            (1, largest_divisor(block.output_maps, sets_across * sets_down))
        } else {
            (largest_divisor(block.input_maps, sets_across), largest_divisor(block.output_maps, sets_down))
        };
        let inputs_held = registers.inputs / kernel_columns;
        let outputs_held = registers.sums.min(block.output_maps.div_ceil(output_maps));
        let most =
            if layer.is_pooling { inputs_held.min(1) } else { inputs_held.min(block.input_maps.div_ceil(input_maps)) };
        (1..=most)
            .filter_map(|interleaved_inputs| {
                let weights_held = registers.weights / (kernel_columns * interleaved_inputs);
                let interleaved_outputs = if layer.is_pooling { outputs_held } else { outputs_held.min(weights_held) };
                (interleaved_outputs > 0).then_some(Self {
                    kernel_columns,
                    output_rows,
                    input_maps,
                    output_maps,
                    interleaved_inputs,
                    interleaved_outputs,
                })
            })
            .rev()
            .min_by_key(|mapping| mapping.accesses(layer, block))
    }

    /// Number of times that the inputs of a block are read from the buffer: once for all output maps that the array
    /// computes at a time.
    pub fn input_passes(&self, layer: &ChainLayer, output_maps: u64) -> u64 {
        if layer.is_pooling { 1 } else { output_maps.div_ceil(self.output_maps * self.interleaved_outputs) }
    }

    /// Number of times that partial sums are written to the buffer: once for all input maps that the array accumulates
    /// at a time.
    pub fn sum_passes(&self, input_maps: u64) -> u64 {
        input_maps.div_ceil(self.input_maps * self.interleaved_inputs)
    }

    /// Rows of input that the array reads for `rows` of output, those that rows of PE sets share once each.
    pub fn input_rows(&self, layer: &ChainLayer, rows: u64) -> u64 {
        (rows / self.output_rows) * layer.y.window(self.output_rows)
    }

    /// Cycles for a block `columns` wide: a PE does one multiply-accumulate of a row of the kernel a cycle.
    pub fn cycles(&self, layer: &ChainLayer, block: LayerBlock, columns: u64) -> u64 {
        block.rows.div_ceil(self.output_rows) * self.channel_steps(block) * layer.y.kernel * columns
    }

    /// Steps that the maps of a block take on the array.
    pub fn channel_steps(&self, block: LayerBlock) -> u64 {
        block.input_maps.div_ceil(self.input_maps) * block.output_maps.div_ceil(self.output_maps)
    }

    /// Accesses to the buffer by which interleavings are compared.
    fn accesses(&self, layer: &ChainLayer, block: LayerBlock) -> u64 {
        let inputs = self.input_rows(layer, block.rows)
            * layer.x.input
            * block.input_maps
            * block.output_maps.div_ceil(self.output_maps * self.interleaved_outputs);
        let sums = block.rows * layer.x.output * block.output_maps * (2 * self.sum_passes(block.input_maps) - 1);
        inputs + sums
    }
}

/// The largest divisor of `n` (at least 1) that is at most `limit`; 1 if `limit` is 0.
fn largest_divisor(n: u64, limit: u64) -> u64 {
    (1..=limit.min(n)).rev().find(|&divisor| n.is_multiple_of(divisor)).unwrap_or(1)
}

/// All divisors of `n`, ascending.
pub fn divisors(n: u64) -> Vec<u64> {
    let small: Vec<u64> = (1..=n.isqrt()).filter(|&divisor| n.is_multiple_of(divisor)).collect();
    let large = small.iter().rev().map(|divisor| n / divisor).filter(|&divisor| divisor != n / divisor);
    small.iter().copied().chain(large).collect()
}
