//! One product of matrices on the array, from the memories on the chip and back: cycles, and how much is read and written.

use super::machine::Machine;

/// Bits of an element of the first factor, of the second, and of the result.
pub type FactorBits = [u64; 3];

/// What a product of `rows` x `depth` and `depth` x `columns` costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Product {
    /// Cycles of the array.
    pub cycles: u64,
    /// Bits of the first factor that are read.
    pub first_bits: u64,
    /// Bits of the second factor that are read.
    pub second_bits: u64,
    /// Bits of sums that are read to go on with.
    pub sum_read_bits: u64,
    /// Bits of sums and results that are written.
    pub sum_write_bits: u64,
}

/// The cheapest of the three loop orders: results, the second factor (weights) or the first (inputs) stay in the array while the innermost
/// loop runs. `adds`: the results are added to what is there.
pub fn product(machine: &Machine, [rows, depth, columns]: [u64; 3], bits: FactorBits, adds: bool) -> Product {
    let [of_rows, of_depth, of_columns] = machine.unrolled;
    let steps = [rows.div_ceil(of_rows), depth.div_ceil(of_depth), columns.div_ceil(of_columns)];
    let [first, second, result] = [rows * depth * bits[0], depth * columns * bits[1], rows * columns * bits[2]];
    let cycles = steps[0] * steps[1] * steps[2];
    let order = |first_again: u64, second_again: u64, writes: u64| Product {
        cycles,
        first_bits: first * first_again,
        second_bits: second * second_again,
        sum_read_bits: result * (writes - u64::from(!adds)),
        sum_write_bits: result * writes,
    };
    let output_stationary = order(steps[2], steps[0], 1);
    let weight_stationary = order(steps[2], 1, steps[1]);
    let input_stationary = order(1, steps[0], steps[1]);
    let energy = |of: &Product| {
        let activations = machine.activations.energy_pj(of.first_bits + of.sum_read_bits, of.sum_write_bits);
        activations + machine.weight_store().energy_pj(of.second_bits, 0)
    };
    let all = [output_stationary, weight_stationary, input_stationary];
    all.into_iter().min_by(|one, other| energy(one).total_cmp(&energy(other))).unwrap_or_default()
}
