//! The softmax of unfused attention and of FLAT, on the 1D array: four passes over the scores (maximum, exponential, sum, division).

use super::nest::{Accesses, Held, Nest, OF_QUERY, Rank, SCORES, Tensor};
use super::{Array, Machine, Operations, Rules, Shape, StepCycles};

/// Accesses of the softmax, its four passes in their order. `on_chip`: scores are in the buffer; else in DRAM.
pub fn passes(shape: &Shape, machine: &Machine, on_chip: bool) -> [Accesses; 4] {
    let nest = Nest {
        dram: vec![(Rank::Batch, shape.batch), (Rank::Head, shape.heads), (Rank::Query, shape.queries)],
        buffer: vec![(Rank::KeyTile, shape.keys / machine.side)],
        spatial: vec![(Rank::Key, machine.side)],
    };
    let scores = |name, held| Tensor { name, ranks: SCORES, held };
    let of_query = |name| Tensor { name, ranks: OF_QUERY, held: Held::Buffer };
    let (come, go) = if on_chip { (Held::Buffer, Held::Buffer) } else { (Held::Both, Held::Dram) };
    [
        nest.accesses(&[scores("QK", come)], of_query("G")),
        nest.accesses(&[scores("QK", Held::Buffer), of_query("G")], scores("SN", Held::Buffer)),
        nest.accesses(&[scores("SN", Held::Passed)], of_query("SD")),
        nest.accesses(&[scores("SN", Held::Buffer), of_query("SD")], scores("A", go)),
    ]
}

/// Cycles of the passes: one for each score, and one more for the subtraction if it takes time.
pub fn steps(shape: &Shape, machine: &Machine, rules: &Rules) -> [StepCycles; 4] {
    let pass = shape.scores() as f64 / machine.side as f64;
    let subtract = if rules.baselines_subtract_in_no_time { 0.0 } else { pass };
    [("G", pass), ("SN", pass + subtract), ("SD", pass), ("A", pass)].map(|(name, cycles)| StepCycles {
        name,
        array: Array::OneD,
        cycles,
        used: 1.0,
    })
}

/// Operations of the products and of the softmax.
pub fn operations(shape: &Shape) -> Operations {
    let scores = shape.scores() as f64;
    Operations {
        macs: shape.macs() as f64,
        adds: 2.0 * scores,
        maxima: scores,
        exponentials: scores,
        divisions: scores,
    }
}
