//! One product of matrices on the array, from the memories on the chip and back: cycles, and bits read and written.

use super::machine::Machine;

/// Bits of an element of the first factor, of the second, and of the result.
pub type FactorBits = [u64; 3];

/// Costs of a product of `rows` x `depth` and `depth` x `columns`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Product {
    /// Cycles of the array.
    pub cycles: u64,
    /// Bits of the first factor that are read.
    pub first_bits: u64,
    /// Bits of the second factor that are read.
    pub second_bits: u64,
    /// Bits of partial sums that are read.
    pub sum_read_bits: u64,
    /// Bits of partial sums and results that are written.
    pub sum_write_bits: u64,
}

/// The three loop orders: results, the second factor (weights) or the first (inputs) stay in the array while the
/// innermost loop runs. For each, the numbers of times that the first factor and the second are read and that results
/// are written.
const fn orders(machine: &Machine, [rows, depth, columns]: [u64; 3]) -> [[u64; 3]; 3] {
    let [of_rows, of_depth, of_columns] = machine.unrolled;
    let steps = [rows.div_ceil(of_rows), depth.div_ceil(of_depth), columns.div_ceil(of_columns)];
    [[steps[2], steps[0], 1], [steps[2], 1, steps[1]], [1, steps[0], steps[1]]]
}

const fn bits_of([rows, depth, columns]: [u64; 3], bits: FactorBits) -> [u64; 3] {
    [rows * depth * bits[0], depth * columns * bits[1], rows * columns * bits[2]]
}

/// The cheapest of the three loop orders (`orders`). `adds`: the results are added to sums that exist.
pub fn product(machine: &Machine, sizes: [u64; 3], bits: FactorBits, adds: bool) -> Product {
    let [of_rows, of_depth, of_columns] = machine.unrolled;
    let [rows, depth, columns] = sizes;
    let cycles = rows.div_ceil(of_rows) * depth.div_ceil(of_depth) * columns.div_ceil(of_columns);
    let [first, second, result] = bits_of(sizes, bits);
    let all = orders(machine, sizes).map(|[first_again, second_again, writes]| Product {
        cycles,
        first_bits: first * first_again,
        second_bits: second * second_again,
        sum_read_bits: result * (writes - u64::from(!adds)),
        sum_write_bits: result * writes,
    });
    let energy = |of: &Product| {
        let activations = machine.activations.energy_pj(of.first_bits + of.sum_read_bits, of.sum_write_bits);
        activations + machine.weight_store().energy_pj(of.second_bits, 0)
    };
    all.into_iter().min_by(|one, other| energy(one).total_cmp(&energy(other))).unwrap_or_default()
}

/// Lower bounds on the energy of a product without that of one read of both factors and one write of the results, pJ:
/// without and with the energy of reading sums.
///
/// Tiles of its second size together take no less than the whole product, one read and write of each included, where
/// sums count if they are read for every tile; likewise for tiles of its third size. For in a tile of `k` an order
/// takes `a + d k` or `a n(k) + b k`, where `a` is the same for all and `n(k)` is `k / c` rounded up. Two tiles in
/// orders of the same kind take no less than all in the cheaper one. Let `k` be in the second kind and `l` in the
/// first. If all in the first kind took more, then `(d - b) k > a n(k)`, so `d - b > a / c`; if all in the second did,
/// then `(d - b) l < a (n(l) - 1)`, so `d - b < a / c`: not both.
pub fn repeated_pj(machine: &Machine, sizes: [u64; 3], bits: FactorBits) -> [f64; 2] {
    let [first, second, result] = bits_of(sizes, bits).map(|bits| bits as f64);
    let (activations, weights) = (&machine.activations, machine.weight_store());
    let mut least = [f64::INFINITY; 2];
    for order in orders(machine, sizes) {
        let [first_again, second_again, sums_again] = order.map(|times| times.saturating_sub(1) as f64);
        let factors = first * first_again * activations.read_pj + second * second_again * weights.read_pj;
        let sums = result * sums_again;
        let written = factors + sums * activations.write_pj;
        least = [least[0].min(written), least[1].min(written + sums * activations.read_pj)];
    }
    least
}
