//! FuseMax (MICRO 2024): the one-pass cascade, in three steps from FLAT's machine to FuseMax's binding. A group of
//! queries stays in the buffer while all keys and values stream past it; a running maximum, denominator and numerator
//! are kept from tile to tile of keys.

use super::machine::BYTES;
use super::nest::{
    Held, KEYS, Loop, Nest, OF_KEY_TILE, OF_QUERY, OUTPUT, OUTPUT_OF_KEY_TILE, QUERIES, Rank, SCORES, Tensor, VALUES,
};
use super::{AccessTotals, Array, Dataflow, Machine, Operations, Replay, Rules, Shape, StepCycles, energy_of};
use crate::spec::Diagnostics;

/// Cycles of an exponential function, as a sequence of multiply-accumulates.
const EXPONENTIAL_MACS: f64 = 6.0;

pub fn replay(dataflow: &Dataflow, shape: &Shape, machine: &Machine, rules: &Rules) -> Result<Replay, Diagnostics> {
    let on_flat = *dataflow == Dataflow::Cascade;
    let (groups, passes) = tiles(on_flat, shape, machine, rules)?;
    let steps = steps(on_flat, shape, machine);
    let accesses = accesses(on_flat, groups, shape, machine, rules);
    let queries = shape.query_elements() as f64;
    let streamed = passes as f64 * queries;
    let dram = [("Q", queries), ("K", streamed), ("V", streamed), ("AV", queries)];
    let dram = dram.map(|(name, elements)| (name, BYTES as f64 * elements)).to_vec();
    let dram_bytes: f64 = dram.iter().map(|(_, bytes)| bytes).sum();
    let compute = machine.seconds(compute_cycles(dataflow, &steps, machine));
    Ok(Replay {
        tiles: Some((groups, passes)),
        spilled: 0.0,
        latency_s: machine.dram_seconds(dram_bytes).max(compute),
        energy: energy_of(machine, rules, dram_bytes, &accesses, &operations(on_flat, shape, machine, rules)),
        steps,
        dram,
        accesses,
        clock_hz: machine.clock_hz,
    })
}

/// P1 and P2: the largest number of groups of R queries that fits in the buffer beside a tile of keys and values, and
/// the number of passes over the keys that results.
fn tiles(on_flat: bool, shape: &Shape, machine: &Machine, rules: &Rules) -> Result<(u64, u64), Diagnostics> {
    let side = machine.side;
    let of_tile = 2 * side * shape.depth + 2 * side * shape.value_depth;
    let scores = if on_flat { 2 * side } else { 0 };
    // Elements per query: itself, the running maximum, denominator and numerator; on FLAT's machine its scores with a
    // tile of keys, twice.
    let of_query = shape.depth + shape.value_depth + 2 + scores;
    let halved = on_flat && rules.cascade_uses_half_of_the_buffer;
    let buffer = if halved { machine.buffer_bytes / 2 } else { machine.buffer_bytes };
    let most = buffer.saturating_sub(of_tile) / (2 * side * of_query);
    let all = shape.queries / side;
    let Some(groups) = (1..=most.min(all)).rev().find(|groups| all.is_multiple_of(*groups)) else {
        let mut diagnostics = Diagnostics::default();
        let needed = of_tile + 2 * side * of_query;
        let reason = format!("{side} queries and a tile of keys and values need {needed} of {buffer} bytes");
        diagnostics.add("buffer", reason, format!("Give the buffer {needed} bytes"));
        return Err(diagnostics);
    };
    Ok((groups, all / groups))
}

/// Cycles of each step of the cascade (NOTES 3), for the whole layer.
pub(super) fn steps(on_flat: bool, shape: &Shape, machine: &Machine) -> Vec<StepCycles> {
    let side = machine.side as f64;
    let pes = side * side;
    let scores = shape.scores() as f64;
    // Y: one number for each query and tile of keys.
    let of_tile = scores / side;
    let values = shape.value_depth as f64;
    let outputs = shape.output_elements() as f64;
    let two_d = |name, elements: f64, cycles: f64| StepCycles {
        name,
        array: Array::TwoD,
        cycles: elements * cycles / pes,
        used: 1.0,
    };
    let one_d = |name, elements: f64, cycles: f64| StepCycles {
        name,
        array: Array::OneD,
        cycles: elements * cycles / side,
        used: 1.0,
    };
    // An exponential function with the subtraction before it.
    let exponential = if on_flat { 2.0 } else { EXPONENTIAL_MACS + 1.0 };
    let on_scores = if on_flat { &one_d as &dyn Fn(_, _, _) -> _ } else { &two_d };
    vec![
        two_d("QK", scores * shape.depth as f64, 1.0),
        on_scores("LM", scores, 1.0),
        one_d("RM", of_tile, 1.0),
        on_scores("SLN", scores, exponential),
        on_scores("SLD", scores, 1.0),
        two_d("SLNV", scores * values, 1.0),
        one_d("PRM", of_tile, exponential),
        one_d("SPD", of_tile, 1.0),
        one_d("RD", of_tile, 1.0),
        one_d("SPNV", of_tile * values, 1.0),
        one_d("RNV", of_tile * values, 1.0),
        one_d("AV", outputs, 1.0),
    ]
}

/// Cycles with the waiting of the arrays for each other (NOTES 4).
fn compute_cycles(dataflow: &Dataflow, steps: &[StepCycles], machine: &Machine) -> f64 {
    let of = |name: &str| steps.iter().filter(|step| step.name == name).map(|step| step.cycles).sum::<f64>();
    let sum = |array| steps.iter().filter(|step| step.array == array).map(|step| step.cycles).sum::<f64>();
    let exponentials = || (of("SLN") + of("SLD")).max(of("PRM") + of("SPD"));
    let queries_and_keys = of("QK") + of("LM");
    match dataflow {
        Dataflow::Binding => {
            queries_and_keys.max(of("RD") + of("RNV") + of("AV"))
                + of("RM")
                + exponentials()
                + of("SLNV").max(of("SPNV"))
        }
        // Tiles do not interleave: the 2D array stalls until the running maximum is computed.
        Dataflow::Architecture => {
            queries_and_keys.max(of("RD") + of("AV"))
                + machine.side as f64 * of("LM")
                + of("RM")
                + exponentials()
                + of("SLNV").max(of("SPNV") + of("RNV"))
        }
        _ => sum(Array::TwoD).max(sum(Array::OneD)),
    }
}

/// Accesses of the steps (NOTES 8), with `groups` of queries in the buffer.
fn accesses(on_flat: bool, groups: u64, shape: &Shape, machine: &Machine, rules: &Rules) -> AccessTotals {
    let side = machine.side;
    let dram: Vec<Loop> = vec![
        (Rank::Batch, shape.batch),
        (Rank::Head, shape.heads),
        (Rank::Query, shape.queries / side / groups),
        (Rank::KeyTile, shape.keys / side),
    ];
    let nest = |array: Array, inner: Option<Loop>| Nest {
        dram: dram.clone(),
        buffer: [(Rank::Query, groups)].into_iter().chain(inner).collect(),
        spatial: match array {
            Array::TwoD => vec![(Rank::Query, side), (Rank::Key, side)],
            Array::OneD => vec![(Rank::Query, side)],
        },
    };
    let tensor = |name, ranks, held| Tensor { name, ranks, held };
    let of_tile = |name, held| tensor(name, OF_KEY_TILE, held);
    let scores = |name, held| tensor(name, SCORES, held);
    let numerator = |name, held| tensor(name, OUTPUT_OF_KEY_TILE, held);
    // On FLAT's machine the 1D array computes on scores, key by key, which it reads from the buffer.
    let (score_array, key, scores_held) =
        if on_flat { (Array::OneD, Some((Rank::Key, side)), Held::Buffer) } else { (Array::TwoD, None, Held::Passed) };
    let edge = if on_flat { Held::Passed } else { Held::Edge };
    let added = if rules.numerators_add_up_at_the_edge { OUTPUT } else { OUTPUT_OF_KEY_TILE };
    let (depth, value) = ((Rank::Depth, shape.depth), (Rank::Value, shape.value_depth));
    let (passed, buffer) = (Held::Passed, Held::Buffer);

    let mut totals = AccessTotals::default();
    let mut step = |array, inner, inputs: &[Tensor], output| {
        totals.add(array, &nest(array, inner).accesses(inputs, output));
    };
    let q_and_k = [tensor("Q", QUERIES, Held::Both), tensor("K", KEYS, Held::Both)];
    step(Array::TwoD, Some(depth), &q_and_k, scores("QK", scores_held));
    step(score_array, key, &[scores("QK", passed)], of_tile("LM", edge));
    step(score_array, key, &[scores("QK", scores_held), of_tile("RM", edge)], scores("SLN", scores_held));
    step(score_array, key, &[scores("SLN", passed)], of_tile("SLD", edge));
    let numerators = [scores("SLN", scores_held), tensor("V", VALUES, Held::Both)];
    step(Array::TwoD, Some(value), &numerators, tensor("SLNV", added, Held::Edge));
    step(Array::OneD, None, &[of_tile("LM", passed), of_tile("RM", buffer)], of_tile("RM", buffer));
    step(Array::OneD, None, &[of_tile("RM", passed), of_tile("RM", passed)], of_tile("PRM", passed));
    step(Array::OneD, None, &[of_tile("RD", buffer), of_tile("PRM", passed)], of_tile("SPD", passed));
    step(Array::OneD, None, &[of_tile("SLD", passed), of_tile("SPD", passed)], of_tile("RD", buffer));
    step(Array::OneD, Some(value), &[numerator("RNV", buffer), of_tile("PRM", passed)], numerator("SPNV", passed));
    step(Array::OneD, Some(value), &[numerator("SLNV", passed), numerator("SPNV", passed)], numerator("RNV", buffer));
    // The division is done once, after the last tile of keys.
    let last = Nest { dram: dram[..3].to_vec(), ..nest(Array::OneD, Some(value)) };
    let divided = [tensor("RNV", OUTPUT, buffer), tensor("RD", OF_QUERY, buffer)];
    totals.add(Array::OneD, &last.accesses(&divided, tensor("AV", OUTPUT, Held::Dram)));
    if on_flat && rules.edge_of_cascade_is_free {
        totals.edge = (0.0, 0.0);
    }
    totals
}

/// Operations that take energy: an exponential function on FuseMax's machine is six multiply-accumulates.
fn operations(on_flat: bool, shape: &Shape, machine: &Machine, rules: &Rules) -> Operations {
    let scores = shape.scores() as f64;
    let of_tile = scores / machine.side as f64;
    let numerators = of_tile * shape.value_depth as f64;
    let exponentials = scores + of_tile;
    let (macs, units) = if on_flat { (0.0, exponentials) } else { (EXPONENTIAL_MACS * exponentials, 0.0) };
    Operations {
        macs: shape.macs() as f64 + macs + of_tile + numerators,
        adds: 2.0 * scores + 2.0 * of_tile + numerators,
        maxima: scores + of_tile,
        exponentials: if rules.exponentials_of_cascade_are_free { 0.0 } else { units },
        divisions: shape.output_elements() as f64,
    }
}
