//! A lower bound on the cost of every mapping of a problem, found without a search.
//!
//! - `lower_bound/nesting.rs`: what crosses boundaries more than once, as all operands share one order of loops

mod nesting;

use super::amounts::{Amounts, Link};
use super::{Evaluator, LayerEnergy};
use crate::hardware::{MAX_LEVELS, Movement};
use crate::mapping::{Allocation, LayerOperand, OPERANDS, Relevance, TemporalLoop};
use crate::sorting::sort_few_by_key;
use crate::workload::Dim;
use nesting::{Nesting, Room};

impl Evaluator<'_> {
    /// Energy that no mapping avoids, pJ: [`Self::unavoidable`], and more for what crosses boundaries more than once
    /// because memories are too small. Words and elements are those of [`Self::unavoidable`], each a lower bound.
    /// Energies are one only together: a mapping that needs more for one operand may need less for another.
    ///
    /// A bound under the corrected rules, as [`Self::unavoidable`].
    pub fn lower_bound(&self) -> LayerEnergy {
        let mut least = self.unavoidable();
        Nesting::new(self, &least).add_to(&mut least);
        least
    }

    /// Accesses and energy that no mapping avoids: those of memories so large that all data stays at the lowest level
    /// once it is there. What the array itself reads and writes depends on the unrolling only.
    ///
    /// A bound under the corrected rules. The tools cut amounts of data and words down to integers, so that moving data in
    /// more parts may seem to pay.
    pub fn unavoidable(&self) -> LayerEnergy {
        self.accesses_once(true)
    }

    /// As [`Self::unavoidable`], whatever room operands leave each other: the accesses below the highest memory of an
    /// operand are also a bound where another operand has fewer levels.
    pub fn unavoidable_in_any_room(&self) -> LayerEnergy {
        self.accesses_once(false)
    }

    fn accesses_once(&self, has_limited_room: bool) -> LayerEnergy {
        let (amounts, mut least) = self.all_data_once(LayerOperand::First);
        for operand in LayerOperand::ALL {
            if operand == LayerOperand::Second && self.problem.array_keeps(operand) {
                let (amounts, energy) = self.all_data_once(operand);
                least.words[operand] = energy.words[operand];
                least.elements[operand] = energy.elements[operand];
                least.energy_pj[operand] = energy.energy_pj[operand];
                self.leave_out_rounding(operand, (false, has_limited_room), &amounts, &mut least);
                continue;
            }
            self.leave_out_rounding(operand, (false, has_limited_room), &amounts, &mut least);
        }
        least.add_up();
        least
    }

    /// Energy of the array's own reads and writes of each operand, as far as whole words do not make it more, pJ.
    pub fn lower_bound_at_array(&self) -> [f64; OPERANDS] {
        LayerOperand::ALL.map(|operand| {
            let (amounts, mut least) = self.all_data_once(operand);
            self.leave_out_rounding(operand, (true, true), &amounts, &mut least);
            let least = &least.energy_pj[operand][0];
            Movement::ALL
                .into_iter()
                .filter(|movement| movement.is_low())
                .map(|movement| least[movement as usize])
                .sum()
        })
    }

    /// Accesses and energy with all loops at the lowest level. The innermost ones reuse the data of `operand`, as the
    /// array may keep that.
    fn all_data_once(&self, operand: LayerOperand) -> (Amounts, LayerEnergy) {
        let problem = self.problem;
        let view = &problem.operands[operand];
        let mut order: Vec<TemporalLoop> = Dim::ALL
            .into_iter()
            .map(|dim| TemporalLoop { dim, size: problem.spatial.temporal_sizes[dim as usize] })
            .filter(|next| next.size > 1)
            .collect();
        sort_few_by_key(&mut order, |next| view.relevance[next.dim as usize] != Relevance::Irrelevant);
        let all = Allocation { ends: [[order.len() as u8; MAX_LEVELS]; OPERANDS] };
        let amounts = Amounts::new(problem, &order, &all, &self.average);
        let energy = LayerEnergy::new(problem, &amounts, &self.average);
        (amounts, energy)
    }

    /// Counts the words of an operand as in many small transfers, and with `at_array` those of the array, too: one
    /// transfer of all data may round up more than many do.
    fn leave_out_rounding(
        &self,
        operand: LayerOperand,
        (at_array, has_limited_room): (bool, bool),
        amounts: &Amounts,
        energy: &mut LayerEnergy,
    ) {
        let problem = self.problem;
        let view = &problem.operands[operand];
        for (level, &memory) in view.memories.iter().enumerate() {
            let memory = &problem.core.memories[memory];
            for movement in Movement::ALL {
                let at = movement as usize;
                let Link { elements, precision, .. } = amounts.links[operand][level][at];
                let is_at_array = level == 0 && movement.is_low();
                if elements == 0.0 || precision == 0 || is_at_array && !at_array {
                    continue;
                }
                let bits = energy.elements[operand][level][at] * precision as f64;
                let words = if is_at_array {
                    bits / memory.width_bits(view.stored_as, movement) as f64
                } else {
                    let link = (operand, level, movement);
                    bits * self.least_words_per_bit(link, has_limited_room, elements, precision)
                };
                energy.words[operand][level][at] = words;
                energy.energy_pj[operand][level][at] = words * memory.word_energy_pj(movement);
            }
        }
    }

    /// The least words for each bit that a movement between two memories takes: a transfer moves no more than all data,
    /// and no more than the lower memory has room for.
    fn least_words_per_bit(
        &self,
        (operand, level, movement): (LayerOperand, usize, Movement),
        has_limited_room: bool,
        all_elements: f64,
        precision: u64,
    ) -> f64 {
        let problem = self.problem;
        let view = &problem.operands[operand];
        let above = if movement.is_low() { level } else { level + 1 };
        let boundary = &self.average.boundaries[operand][above];
        let boost = if movement.is_low() { boundary.boost() } else { 1.0 };
        let most = match has_limited_room {
            true => all_elements.min(Room::new(problem, operand, above).most_elements() * boost),
            false => all_elements,
        };
        let width_bits = problem.core.memories[view.memories[level]].width_bits(view.stored_as, movement);
        boundary.least_words_per_bit(movement, most * precision as f64, width_bits)
    }
}

impl LayerEnergy {
    /// Sets the sums to those of the tables.
    fn add_up(&mut self) {
        self.memory_pj = self.energy_pj.iter().flatten().flatten().sum();
        self.total_pj = self.memory_pj + self.fixed.total_pj();
    }
}
