//! What a tile of queries costs at least, whatever the tiles of keys.
//!
//! Each tensor of a product is read or written once at least, lanes work on every score, and tiles of keys only add to what is rounded up.

use super::Cascade;
use super::machine::Machine;
use super::problem::Problem;
use super::schedule::{Fusion, KeysHeld, Schedule};
use crate::search::Objective;
use crate::units::Cycles;

/// No schedule with these tiles of queries, heads and residence scores less.
pub fn floor(problem: &Problem, machine: &Machine, schedule: &Schedule, objective: &Objective) -> f64 {
    let (shape, bits) = (&problem.shape, &problem.bits);
    let [of_rows, of_depth, of_columns] = machine.unrolled;
    let head_tiles = problem.group() / schedule.heads;
    // Of one head of keys: scores, keys that tiles of queries visit, rows, and cycles of the array.
    let (mut scores, mut visited, mut rows, mut array) = (0, 0, 0, 0);
    for tiles in schedule.query_tiles(problem) {
        let (times, size) = (tiles.count * head_tiles, tiles.size * schedule.heads);
        scores += times * size * tiles.keys;
        visited += times * tiles.keys;
        rows += times * size;
        let of_keys = shape.depth.div_ceil(of_depth) * tiles.keys.div_ceil(of_columns);
        let of_values = shape.value_depth.div_ceil(of_columns) * tiles.keys.div_ceil(of_depth);
        array += times * size.div_ceil(of_rows) * (of_keys + of_values);
    }
    let all = |of_head: u64| (of_head * problem.repeats()) as f64;
    let depths = shape.depth + shape.value_depth;
    let is_streamed = schedule.held == KeysHeld::Streamed && schedule.fusion != Fusion::KeysStay;
    // Unfused, values are read by a phase of their own.
    let pair = if schedule.fusion == Fusion::None { depths } else { shape.pair_depth() };
    let mut keys = if is_streamed { visited } else { shape.keys } * pair * bits.keys;
    let again = Again::of(problem, machine, schedule, visited);
    if again.is_some() {
        keys = 0;
    }
    let again = again.unwrap_or_default();
    let through_dram = if schedule.fusion == Fusion::None { 2 * scores * bits.sums } else { 0 };
    let (queries, outputs) = (rows * shape.depth * bits.activations, rows * shape.value_depth * bits.activations);
    let inputs = again.inputs * bits.activations;
    let dram = (queries + keys + inputs + through_dram, outputs + through_dram);
    let lanes = lanes(machine, schedule.fusion.cascade());
    let (read, written) = (lanes.reads * scores * bits.sums, lanes.writes * scores * bits.sums);
    // Scores are written by one product and read by the other, sums are written.
    let sums = rows * shape.value_depth * bits.sums;
    let activations = (
        queries + scores * bits.sums + outputs + read + through_dram,
        queries + scores * bits.sums + sums + written + through_dram,
    );
    let of_keys = (visited * depths * bits.keys, keys);
    let array = array + again.cycles;
    let weight_macs = all(again.macs);
    let of_weight_mac =
        machine.mac_pj(bits.weights, bits.activations) + machine.register_pj(bits.weights, bits.activations, bits.sums);
    // What comes not for every head of every sequence.
    let besides = (again.once as f64, 0.0);
    let macs = all(scores * depths);
    let of_mac =
        machine.mac_pj(bits.keys, bits.activations) + machine.register_pj(bits.keys, bits.activations, bits.sums);
    let energy =
        |store: &super::Store, (read, written): (u64, u64)| all(read) * store.read_pj + all(written) * store.write_pj;
    let energy = besides.0 * machine.dram.read_pj
        + weight_macs * of_weight_mac
        + energy(&machine.dram, dram)
        + energy(&machine.activations, activations)
        + energy(machine.weight_store(), of_keys)
        + macs * of_mac
        + all(scores) * lanes.energy_pj;
    let cycles = |store: &super::Store, (read, written): (u64, u64)| {
        let (read, written) = (all(read) / store.read_width as f64, all(written) / store.write_width as f64);
        if store.one_port { read + written } else { read.max(written) }
    };
    let latency = all(array)
        .max(all(scores) * lanes.cycles)
        .max(cycles(&machine.dram, dram))
        .max((all(dram.0) + besides.0) / machine.dram.read_width as f64)
        .max(cycles(&machine.activations, activations))
        .max(cycles(machine.weight_store(), of_keys));
    let words = || (all(dram.0) + all(dram.1) + besides.0) / machine.dram.read_width as f64;
    // A hair less, as an account adds up in another order.
    objective.combine(energy, Cycles(latency), &words, &|_| words()) * (1.0 - 1e-9)
}

/// Keys and values that are computed again, of one head of keys at least, and what is loaded for all of them together.
#[derive(Default)]
struct Again {
    inputs: u64,
    macs: u64,
    cycles: u64,
    once: u64,
}

impl Again {
    fn of(problem: &Problem, machine: &Machine, schedule: &Schedule, visited: u64) -> Option<Self> {
        let source = problem.source.filter(|_| schedule.held.is_recomputed())?;
        let (shape, bits) = (&problem.shape, &problem.bits);
        let computed = if schedule.fusion == Fusion::KeysStay { shape.keys } else { visited };
        // Keys and values have a pass each where rows of scores stay.
        let passes = if matches!(schedule.fusion, Fusion::Rows(_)) { 2 } else { 1 };
        let [of_rows, of_depth, of_columns] = machine.unrolled;
        let columns = shape.pair_depth();
        let weights = source.channels * columns * bits.weights * shape.key_heads;
        let inputs_stay = schedule.held == KeysHeld::InputsStay;
        Some(Self {
            inputs: if inputs_stay { 0 } else { passes * computed * source.channels },
            macs: computed * source.channels * columns,
            // Rows of tiles fill the array, at best.
            cycles: computed.div_ceil(of_rows) * source.channels.div_ceil(of_depth) * columns.div_ceil(of_columns),
            once: if inputs_stay {
                shape.batch * (weights + shape.keys * source.channels * bits.activations)
            } else {
                weights
            },
        })
    }
}

/// What lanes do for each score at least.
#[derive(Default)]
struct PerScore {
    reads: u64,
    writes: u64,
    energy_pj: f64,
    cycles: f64,
}

fn lanes(machine: &Machine, cascade: Cascade) -> PerScore {
    let Some(unit) = &machine.lanes else { return PerScore::default() };
    let mut all = PerScore::default();
    // Far more rows than values are deep, and far more keys than there are tiles: what is left is what each score takes.
    let many = 1 << 20;
    let steps = [cascade.of_tile(1, many, 1), cascade.of_row(1, many, 1, 1)].concat();
    for step in steps.iter().filter(|step| step.iterations == many) {
        all.reads += step.reads / many;
        all.writes += step.writes / many;
        for &(operation, count) in step.operations {
            all.energy_pj += count as f64 * machine.operation_pj(operation);
            all.cycles += (count * unit.cost(operation).cycles) as f64 / unit.lanes() as f64;
        }
    }
    all
}
