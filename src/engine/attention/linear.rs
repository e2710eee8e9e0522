//! Products with weights on a core: which of them run together, tile of tokens by tile of tokens, and what that costs.
//!
//! A run of products keeps what lies between them on the chip. For every tile of tokens all weights of the run come from DRAM, or all of them
//! stay on the chip. All runs of a chain and all numbers of tiles are tried.

use super::ElementBits;
use super::account::{Busy, Cause, fits};
use super::machine::Machine;
use super::product::product;
use super::schedule::sizes;
use super::transformer::WeightedProduct;
use crate::search::Objective;
use crate::units::Cycles;
use serde::{Deserialize, Serialize};

/// A run of products and what it costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The products, by name.
    pub products: Vec<String>,
    /// Tokens in a tile.
    pub tile: u64,
    /// Whether the weights stay on the chip.
    pub resident: bool,
    /// Multiply-accumulates.
    pub macs: u64,
    /// Bits to and from DRAM.
    pub dram_bits: u64,
    /// Bits of weights among them.
    pub weight_bits: u64,
    /// What is busy how long.
    pub busy: Busy,
    /// Energy by cause, pJ, in the order of [`Cause::ALL`].
    pub energy: [f64; 5],
}

impl Run {
    /// Energy, pJ.
    pub fn energy_pj(&self) -> f64 {
        self.energy.iter().sum()
    }

    fn score(&self, objective: &Objective, machine: &Machine) -> f64 {
        let words = || self.dram_bits as f64 / machine.dram.read_width as f64;
        objective.combine(self.energy_pj(), Cycles(self.busy.cycles() as f64), &words, &|_| words())
    }
}

/// The best runs of a chain of products for so many tokens; `None` if a product does not fit by itself. Of energy times delay each run is the best by
/// itself, as their product does not add up.
pub fn best_runs(
    chain: &[WeightedProduct],
    tokens: u64,
    bits: &ElementBits,
    machine: &Machine,
    objective: &Objective,
) -> Option<Vec<Run>> {
    // The best runs of the first products of the chain, for every number of them.
    let mut best: Vec<Option<(f64, Vec<Run>)>> = vec![Some((0.0, Vec::new()))];
    for end in 1..=chain.len() {
        let mut least: Option<(f64, Vec<Run>)> = None;
        for start in 0..end {
            let Some((before, runs)) = &best[start] else { continue };
            let Some(run) = best_run(&chain[start..end], tokens, bits, machine, objective) else { continue };
            let score = before + run.score(objective, machine);
            if least.as_ref().is_none_or(|(least, _)| score < *least) {
                least = Some((score, [&runs[..], &[run]].concat()));
            }
        }
        best.push(least);
    }
    best.pop()?.map(|(_, runs)| runs)
}

fn best_run(
    products: &[WeightedProduct],
    tokens: u64,
    bits: &ElementBits,
    machine: &Machine,
    objective: &Objective,
) -> Option<Run> {
    let mut best: Option<(f64, Run)> = None;
    let mut size = tokens;
    while size > 0 {
        let tile = tokens.div_ceil(tokens.div_ceil(size));
        for resident in [true, false] {
            let Some(run) = run(products, tokens, tile, resident, bits, machine) else { continue };
            let score = run.score(objective, machine);
            if best.as_ref().is_none_or(|(least, _)| score < *least) {
                best = Some((score, run));
            }
        }
        size = tile - 1;
    }
    best.map(|(_, run)| run)
}

fn run(
    products: &[WeightedProduct],
    tokens: u64,
    tile: u64,
    resident: bool,
    bits: &ElementBits,
    machine: &Machine,
) -> Option<Run> {
    // What a product computes is read by the next; results of the last leave the chip as the array computes them.
    let last_columns = products.last()?.columns.min(machine.unrolled[2]);
    let computed = products.iter().enumerate().map(|(at, one)| if at + 1 < products.len() { one.columns } else { last_columns });
    let widest = products.iter().zip(computed).map(|(product, columns)| product.reduction + columns).max()?;
    let used = |product: &WeightedProduct, tokens: u64| product.used_weights(tokens).round() as u64 * bits.weights;
    // Streamed weights: what the array takes at once, in use and on its way.
    let at_once = products.iter().map(|product| 2 * product.reduction.min(machine.unrolled[1]) * product.columns.min(machine.unrolled[2]));
    let room = if resident { products.iter().map(|product| product.weights()).sum::<u64>() } else { at_once.max()? };
    if !fits(machine, [tile * widest * bits.activations, room * bits.weights]) {
        return None;
    }
    let passes = |product: &WeightedProduct| -> u64 {
        if resident { return used(product, tokens) }
        sizes(tokens, tile).map(|(count, size)| count * used(product, size)).sum()
    };
    let weight_bits: u64 = products.iter().map(passes).sum();
    let (first, last) = (products.first()?, products.last()?);
    let read = tokens * first.reduction * bits.activations + weight_bits;
    let written = tokens * last.columns * bits.activations;
    let macs: u64 = products.iter().map(|product| product.macs(tokens)).sum();
    let (mut cycles, mut activations, mut weights) = (0, (written, read - weight_bits), (0, weight_bits));
    for one in products {
        for (count, size) in sizes(tokens, tile) {
            // Each of the experts that a token uses takes its share of the tokens.
            let (all, active) = one.experts;
            let rows = (size * active).div_ceil(all);
            let times = count * (size * active).div_ceil(rows);
            let of = product(machine, [rows, one.reduction, one.columns], [bits.activations, bits.weights, bits.sums], false);
            cycles += times * of.cycles;
            activations.0 += times * (of.first_bits + of.sum_read_bits);
            activations.1 += times * of.sum_write_bits;
            weights.0 += times * of.second_bits;
        }
    }
    let (of_activations, of_weights) = match &machine.weights {
        Some(store) => (machine.activations.cycles(activations.0, activations.1), store.cycles(weights.0, weights.1)),
        None => (machine.activations.cycles(activations.0 + weights.0, activations.1 + weights.1), 0),
    };
    let mut energy = [0.0; 5];
    energy[Cause::Dram as usize] = machine.dram.energy_pj(read, written);
    energy[Cause::OnChip as usize] = machine.activations.energy_pj(activations.0, activations.1)
        + machine.weight_store().energy_pj(weights.0, weights.1);
    energy[Cause::Registers as usize] = macs as f64 * machine.register_pj(bits.weights, bits.activations, bits.sums);
    energy[Cause::Macs as usize] = macs as f64 * machine.mac_pj(bits.weights, bits.activations);
    Some(Run {
        products: products.iter().map(|product| product.name.to_owned()).collect(),
        tile,
        resident,
        macs,
        dram_bits: read + written,
        weight_bits,
        busy: Busy {
            array: cycles,
            lanes: 0,
            dram: machine.dram.cycles(read, written),
            activations: of_activations,
            keys: of_weights,
        },
        energy,
    })
}
