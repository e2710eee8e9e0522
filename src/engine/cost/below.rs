//! Movements across a boundary as a function of the set of loops below it; their order does not matter.

use super::amounts::{Units, partial_sums_read_back};
use super::{Boundary, Crossing, Evaluator, index};
use crate::hardware::Operand;
use crate::mapping::{LayerOperand, Relevance};
use crate::workload::{Dim, LoopSizes};

impl<'a> Evaluator<'a> {
    /// One crossing of the boundary below memory `level` of an operand, when the temporal loops below it multiply to `sizes`:
    /// down and up. `partial` says whether outputs are still added to above.
    pub fn crossing(&self, operand: LayerOperand, level: usize, sizes: &LoopSizes, partial: bool) -> Crossing {
        let (partial_bits, final_bits) = self.problem.operands[operand].precision;
        Crossing {
            elements: self.average.elements(self.problem, operand, level, sizes),
            precision: if partial { partial_bits } else { final_bits },
            period: 1,
            down: 1,
            up: 1,
        }
    }

    /// Part number `part` of the elements of [`Self::crossing`] ([`OperandView::part_of`](crate::mapping::OperandView::part_of)).
    pub fn elements_of_part(&self, operand: LayerOperand, level: usize, part: usize, sizes: &LoopSizes) -> f64 {
        self.average.elements_of_part(self.problem, operand, level, (part, sizes))
    }

    /// The elements of [`Self::crossing`] from their three parts.
    pub fn elements_of_parts(&self, parts: [f64; 3]) -> f64 {
        self.average.whole(parts.into_iter().product())
    }

    /// Numbers of times that data crosses the boundary below memory `level` of an operand down and up, when the
    /// temporal loops below it multiply to `sizes`; and whether outputs are still added to above.
    pub fn counts(&self, operand: LayerOperand, level: usize, sizes: &LoopSizes) -> (u64, u64, bool) {
        self.counts_by(&self.average, operand, level, sizes)
    }

    /// As [`Evaluator::counts`], by the peak unrolling, which determines latency.
    pub fn latency_counts(&self, operand: LayerOperand, level: usize, sizes: &LoopSizes) -> (u64, u64, bool) {
        self.counts_by(self.peak.as_ref().unwrap_or(&self.average), operand, level, sizes)
    }

    fn counts_by(&self, units: &Units<'a>, operand: LayerOperand, level: usize, sizes: &LoopSizes) -> (u64, u64, bool) {
        let view = &self.problem.operands[operand];
        let above = |dim: Dim| self.problem.spatial.temporal_sizes[dim as usize] / sizes[dim as usize];
        let count = Dim::ALL.map(above).iter().product();
        if view.stored_as != Operand::O {
            return (count, 0, false);
        }
        let adds = |dim: &Dim| view.relevance[*dim as usize] == Relevance::Irrelevant;
        let passes = Dim::ALL.into_iter().filter(adds).map(above).product();
        let partial = passes > 1 || units.add_above(view, level);
        let first_read_back = self.problem.first_sums_come_down();
        let down = if partial { partial_sums_read_back(count, passes, first_read_back) } else { 0 };
        (down, count, partial)
    }

    /// Whether PEs keep an operand while loops that are irrelevant to it run, so that a set of such loops may lie below the boundary above
    /// the array.
    pub fn array_keeps(&self, operand: LayerOperand) -> bool {
        self.problem.array_keeps(operand)
    }

    /// The boundary below memory `level` of an operand.
    pub fn boundary(&self, operand: LayerOperand, level: usize) -> &Boundary<'a> {
        &self.average.boundaries[operand][level]
    }

    /// Cycles that each movement of one crossing takes; as [`Evaluator::crossing`].
    pub fn crossing_cycles(&self, operand: LayerOperand, level: usize, sizes: &LoopSizes, partial: bool) -> [u64; 4] {
        let peak = self.peak.as_ref().unwrap_or(&self.average);
        let elements = peak.elements(self.problem, operand, level, sizes);
        let crossing = Crossing { elements, ..self.crossing(operand, level, sizes, partial) };
        let mut cycles = [0; 4];
        peak.boundaries[operand][level].for_each_link(&crossing, |movement, level, elements, _| {
            let memory = &self.problem.core.memories[self.problem.operands[operand].memories[level]];
            let bits = elements * crossing.precision as f64;
            cycles[index(movement)] = memory.transfer_cycles(bits, self.problem.operands[operand].stored_as, movement);
        });
        cycles
    }

    /// Energy of everything that crosses the boundary below memory `level` of an operand, pJ, when the temporal loops below it
    /// multiply to `sizes`.
    pub fn boundary_pj(&self, operand: LayerOperand, level: usize, sizes: &LoopSizes) -> f64 {
        let (down, up, partial) = self.counts(operand, level, sizes);
        let crossing = Crossing { down, up, ..self.crossing(operand, level, sizes, partial) };
        self.boundary(operand, level).energy_pj(&crossing)
    }
}
