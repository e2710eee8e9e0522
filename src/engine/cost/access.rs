//! All memory accesses of a mapped layer, term by term: transfers, instances, words of each.

use super::{Evaluator, LayerCost};
use crate::hardware::{MemoryId, Movement, Operand};
use serde::{Deserialize, Serialize};

/// The accesses of one operand at one memory level by one data movement, over the whole layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Access {
    /// Name of the operand, for a person.
    pub operand: String,
    /// The operand as which memories hold it.
    pub stored_as: Operand,
    /// The memory that is read or written.
    pub memory: MemoryId,
    /// The memory level of the operand, lowest first.
    pub level: usize,
    /// The data movement.
    pub movement: Movement,
    /// Elements of one transfer of one instance; an average under a fractional unrolling.
    pub elements: f64,
    /// Bits per element.
    pub precision_bits: u64,
    /// Number of transfers.
    pub transfers: u64,
    /// Instances of the memory that take part.
    pub instances: f64,
    /// Full-width words of one transfer of one instance, with fractions where the granularity is finer.
    pub words_each: f64,
    /// Full-width words of all transfers of all instances.
    pub words: f64,
    /// Whether a fraction of a word is dropped from their number (`Rules::fractions_of_words_free`).
    pub drops_fraction: bool,
    /// Energy of one word, pJ.
    pub word_pj: f64,
    /// Energy besides that of the words, pJ: precharging of bit lines when an array that computes in memory goes on to
    /// other weights.
    pub precharge_pj: f64,
}

impl Access {
    /// Energy of all words, precharging included, pJ.
    pub fn energy_pj(&self) -> f64 {
        self.words * self.word_pj + self.precharge_pj
    }

    /// Data elements of all transfers of all instances; none where elements have no bits.
    pub fn all_elements(&self) -> f64 {
        if self.precision_bits == 0 { 0.0 } else { self.elements * self.transfers as f64 * self.instances }
    }
}

/// All accesses of a mapped layer: outputs first, then the inputs, the lowest memories first.
pub fn accesses(evaluator: &Evaluator<'_>, cost: &LayerCost) -> Vec<Access> {
    let problem = evaluator.problem;
    let mut all = Vec::new();
    for (operand, view) in problem.each_operand() {
        for (boundary, crossing) in evaluator.average.boundaries[operand].iter().zip(&cost.amounts.crossings[operand]) {
            boundary.for_each_transfer(crossing, |movement, level, transfer| {
                let memory = view.memories[level];
                all.push(Access {
                    operand: problem.operand_name(operand).to_owned(),
                    stored_as: view.stored_as,
                    memory,
                    level,
                    movement,
                    elements: transfer.elements,
                    precision_bits: crossing.precision,
                    transfers: transfer.count,
                    instances: transfer.units,
                    words_each: transfer.words_each,
                    words: transfer.words,
                    drops_fraction: problem.rules.fractions_of_words_free,
                    word_pj: problem.core.memories[memory].word_energy_pj(movement),
                    precharge_pj: transfer.precharge_pj,
                });
            });
        }
    }
    all
}
