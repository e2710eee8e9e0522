//! Data that moves during one step: its memories, operand, amount and energy.

use crate::cost::Access;
use crate::depth_first::account::{CopyActionAccount, HeldData, LayerTileAccount};
use crate::hardware::{MemoryId, Movement, Operand};

/// A source or a destination of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FlowEnd {
    /// The MAC array, or the lanes of the vector unit.
    Array,
    /// A memory of the core.
    Memory(MemoryId),
}

/// Data of one operand that moves from one place to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OperandFlow {
    /// Where it is read.
    pub from: FlowEnd,
    /// Where it is written.
    pub to: FlowEnd,
    /// The operand as which memories hold it.
    pub stored_as: Operand,
    /// Whether a data copy action moves it, before the layer starts.
    pub is_copy: bool,
    /// Bits, as the higher memory counts them.
    pub bits: f64,
    /// Energy of the accesses at both ends, pJ.
    pub energy_pj: f64,
}

impl LayerTileAccount {
    /// All flows: data copy actions first, then the accesses of the mapped layer. Energies add up to those of the
    /// layer-tile, except for the MACs and the vector unit.
    pub fn flows(&self) -> Vec<OperandFlow> {
        let mut flows = Vec::new();
        for action in &self.copies.actions {
            for hop in &action.hops {
                add(
                    &mut flows,
                    OperandFlow {
                        from: FlowEnd::Memory(hop.read.memory),
                        to: FlowEnd::Memory(hop.write.memory),
                        stored_as: stored_as(action),
                        is_copy: true,
                        bits: action.bits as f64,
                        energy_pj: hop.read.words * hop.read.word_pj + hop.write.words * hop.write.word_pj,
                    },
                );
            }
        }
        if let Some(cost) = &self.cost {
            for access in &cost.accesses {
                add(&mut flows, flow(access, &cost.held));
            }
        }
        flows
    }

    /// Energy of the step, pJ.
    pub fn energy_pj(&self) -> f64 {
        self.copies.energy_pj + self.cost.as_ref().map_or(0.0, |cost| cost.energy.total_pj())
    }

    /// Latency of the step, cycles.
    pub fn latency_cycles(&self) -> u64 {
        let layer = self.cost.as_ref().map_or(0, |cost| cost.latency.total_cycles());
        self.copies.latency_cycles.saturating_add(layer)
    }
}

/// Adds to the flow between the same places, if there is one.
fn add(flows: &mut Vec<OperandFlow>, next: OperandFlow) {
    let key = |flow: &OperandFlow| (flow.from, flow.to, flow.stored_as, flow.is_copy);
    match flows.iter_mut().find(|flow| key(flow) == key(&next)) {
        Some(flow) => {
            flow.bits += next.bits;
            flow.energy_pj += next.energy_pj;
        }
        None => flows.push(next),
    }
}

/// Copies move features: outputs on their way to a cache, inputs otherwise.
fn stored_as(action: &CopyActionAccount) -> Operand {
    use crate::depth_first::CopyKind::{InputFromOutput, ReadHCache, ReadVCache, StackInput, WriteHCache, WriteVCache};
    match action.kind {
        StackInput | InputFromOutput | ReadHCache | ReadVCache => Operand::I,
        WriteHCache | WriteVCache => Operand::O,
    }
}

/// One access is one end of a flow. Its bits count once: where the higher memory is read or written.
fn flow(access: &Access, held: &[HeldData]) -> OperandFlow {
    let at = |level: Option<usize>| {
        let is_it = |held: &&HeldData| held.operand == access.operand && Some(held.level) == level;
        held.iter().find(is_it).map_or(FlowEnd::Array, |held| FlowEnd::Memory(held.memory))
    };
    let (here, below) = (FlowEnd::Memory(access.memory), at(access.level.checked_sub(1)));
    let above = at(access.level.checked_add(1));
    let (from, to, is_higher) = match access.movement {
        Movement::ReadToLow => (here, below, true),
        Movement::WriteFromLow => (below, here, true),
        Movement::ReadToHigh => (here, above, false),
        Movement::WriteFromHigh => (above, here, false),
    };
    let bits = access.all_elements() * access.precision_bits as f64;
    OperandFlow {
        from,
        to,
        stored_as: access.stored_as,
        is_copy: false,
        bits: if is_higher { bits } else { 0.0 },
        energy_pj: access.energy_pj(),
    }
}
