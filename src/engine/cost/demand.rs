//! The peak bandwidth that a mapping demands of its highest memory (ZigZag, cost_model.py:1144-1175).

use super::amounts::Amounts;
use super::latency::with_memory_latency;
use super::waiting::waiting_cycles;
use super::{Evaluator, LayerCost, index};
use crate::hardware::{MemoryId, Movement, Operand};
use crate::mapping::{OperandView, TemporalLoop};

/// Bits per cycle between a memory and the level below it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PeakDemand {
    /// To the memory.
    pub to: f64,
    /// From the memory, towards lower levels.
    pub from: f64,
}

impl Evaluator<'_> {
    /// The demand of a mapping that was evaluated as `cost`, whose loops are `order`, on a memory that is the highest of some operands.
    ///
    /// Data that moves repeatedly moves in the last iteration of the loops that reuse it, in whole bits per cycle, as
    /// the tool counts it. Inputs that move once count with the data that moves while the layer computes, unless the
    /// memory holds outputs, too.
    pub fn peak_demand(&self, order: &[TemporalLoop], cost: &LayerCost, memory: MemoryId) -> PeakDemand {
        let problem = self.problem;
        let amounts = &cost.amounts;
        let peak = self.peak.as_ref().map(|peak| Amounts::new(problem, order, &cost.merged, peak));
        let computing = cost.latency.computing_cycles();
        let first = with_memory_latency(problem, &cost.latency.real_cycles);
        let (waiting, _) = waiting_cycles(problem, peak.as_ref().unwrap_or(amounts), &first, computing);
        let level_of = |view: &OperandView| view.memories.iter().position(|&id| id == memory);
        let has_outputs =
            problem.each_operand().any(|(_, view)| view.stored_as == Operand::O && level_of(view).is_some());
        let mut demand = PeakDemand::default();
        for (operand, view) in problem.each_operand() {
            let Some(level) = level_of(view) else { continue };
            for movement in [Movement::ReadToLow, Movement::WriteFromLow] {
                let link = &amounts.links[operand][level][index(movement)];
                if link.count == 0 {
                    continue;
                }
                let side = if movement.is_read() { &mut demand.from } else { &mut demand.to };
                *side += amounts.average_demand((operand, level, movement), 1.0).trunc()
                    * amounts.top_irrelevant[operand][level] as f64;
                if movement.is_read() && !has_outputs {
                    let passed =
                        first[operand][level][index(movement)] as f64 - waiting[operand][level][index(movement)];
                    let width = problem.core.memories[memory].width_bits(view.stored_as, movement) as f64;
                    *side += passed / computing as f64 * width;
                }
            }
        }
        demand
    }
}
