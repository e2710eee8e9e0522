//! A lower bound on the cost of every mapping of a problem, found without a search.

use super::amounts::Amounts;
use super::{Evaluator, LayerEnergy};
use crate::hardware::{MAX_LEVELS, Movement};
use crate::mapping::{Allocation, OPERANDS, Relevance, TemporalLoop};
use crate::sorting::sort_few_by_key;
use crate::workload::Dim;

impl Evaluator<'_> {
    /// Accesses and energy that no mapping avoids: those of memories so large that all data stays at the lowest level
    /// once it is there. What the array itself reads and writes depends on the unrolling only.
    ///
    /// A bound under the corrected rules. The tools cut amounts of data and words down to integers, so that moving data in
    /// more parts may seem to pay.
    pub fn lower_bound(&self) -> LayerEnergy {
        let mut least = self.lower_bound_of(0, false);
        for operand in 1..OPERANDS {
            let energy = self.lower_bound_of(operand, false);
            least.words[operand] = energy.words[operand];
            least.elements[operand] = energy.elements[operand];
            least.energy_pj[operand] = energy.energy_pj[operand];
        }
        least.memory_pj = least.energy_pj.iter().flatten().flatten().sum();
        least.total_pj = least.memory_pj + least.fixed.total_pj();
        least
    }

    /// Energy of the array's own reads and writes of each operand, as far as whole words do not make it more, pJ.
    pub fn lower_bound_at_array(&self) -> [f64; OPERANDS] {
        let lowest = |operand: usize| {
            let least = &self.lower_bound_of(operand, true).energy_pj[operand][0];
            Movement::ALL
                .into_iter()
                .filter(|movement| movement.is_low())
                .map(|movement| least[movement as usize])
                .sum()
        };
        [0, 1, 2].map(lowest)
    }

    /// Accesses and energy that no mapping avoids of one operand. With `in_parts` words count in parts at the array, too.
    fn lower_bound_of(&self, operand: usize, in_parts: bool) -> LayerEnergy {
        let problem = self.problem;
        let view = &problem.operands[operand];
        let mut order: Vec<TemporalLoop> = Dim::ALL
            .into_iter()
            .map(|dim| TemporalLoop { dim, size: problem.spatial.temporal_sizes[dim as usize] })
            .filter(|next| next.size > 1)
            .collect();
        // Innermost loops that reuse the data in the array: some rules let it keep these.
        sort_few_by_key(&mut order, |next| view.relevance[next.dim as usize] != Relevance::Irrelevant);
        let all = Allocation { ends: [[order.len() as u8; MAX_LEVELS]; OPERANDS] };
        let amounts = Amounts::new(problem, &order, &all, &self.average);
        let mut energy = LayerEnergy::new(problem, &amounts, &self.average);
        for (level, &memory) in view.memories.iter().enumerate() {
            let memory = &problem.core.memories[memory];
            for movement in Movement::ALL {
                let at = movement as usize;
                if in_parts || level > 0 || !movement.is_low() {
                    // One transfer of all data may round up more than many do, so rounding does not count.
                    let bits = energy.elements[operand][level][at] * amounts.links[operand][level][at].precision as f64;
                    let words = bits / memory.width_bits(view.stored_as, movement) as f64;
                    energy.words[operand][level][at] = words;
                    energy.energy_pj[operand][level][at] = words * memory.word_energy_pj(movement);
                }
            }
        }
        energy
    }
}
