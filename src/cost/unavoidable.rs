//! What every mapping of a problem costs at least, without looking for one.

use super::amounts::Amounts;
use super::{Energy, Evaluator};
use crate::mapping::{Allocation, Relevance, TemporalLoop};
use crate::workload::Dim;

impl Evaluator<'_> {
    /// Accesses and energy that no mapping avoids: those of memories so large that all data stays at the lowest level
    /// once it is there. What the array itself reads and writes depends on the unrolling only.
    ///
    /// A bound wherever data is counted without being cut down to integers, so not under the tools' rules for
    /// unrollings that do not divide their loops.
    pub fn unavoidable(&self) -> Energy {
        let problem = self.problem;
        let loops = |irrelevant_first: usize| {
            let view = &problem.operands[irrelevant_first];
            let mut order: Vec<TemporalLoop> = Dim::ALL
                .into_iter()
                .map(|dim| TemporalLoop { dim, size: problem.spatial.temporal_sizes[dim as usize] })
                .filter(|next| next.size > 1)
                .collect();
            // Innermost loops that reuse what the array has: some rules let it keep that.
            order.sort_by_key(|next| view.relevance[next.dim as usize] != Relevance::Irrelevant);
            order
        };
        let of_operand = |operand: usize| {
            let order = loops(operand);
            let all = Allocation { ends: [[order.len() as u8; crate::hardware::MAX_LEVELS]; 3] };
            let amounts = Amounts::new(problem, &order, &all, &self.average);
            Energy::new(problem, &amounts, &self.average)
        };
        let mut least = of_operand(0);
        for operand in 1..problem.operands.len() {
            let energy = of_operand(operand);
            least.words[operand] = energy.words[operand];
            least.elements[operand] = energy.elements[operand];
            least.energy_pj[operand] = energy.energy_pj[operand];
        }
        least.memory_pj = least.energy_pj.iter().flatten().flatten().sum();
        least.total_pj = least.memory_pj + least.mac_pj;
        least
    }
}
