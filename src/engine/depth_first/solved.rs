//! What a solved problem adds to a point: found once, added up many times.

use super::account::{ByCause, EnergySplit, LatencySplit};
use crate::cost::{Access, Energy, Evaluator, LayerCost, PerLink, PortBalance, accesses, slowest_port};
use crate::hardware::{MemoryId, Operand};
use crate::mapping::{LayerOnCore, TemporalLoop};
use crate::search::Solution;
use crate::workload::Dim;

/// The whole account of a solved problem.
pub(super) struct SolvedCost {
    pub loops: Vec<TemporalLoop>,
    pub unrolled: Vec<(Dim, f64)>,
    pub spatial_utilization: f64,
    pub energy: EnergySplit,
    pub latency: LatencySplit,
    /// By memory.
    pub memories: Vec<MemoryUse>,
    pub accesses: Vec<Access>,
    pub slowest_port: Option<PortBalance>,
}

/// Words, elements and energy at one memory.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MemoryUse {
    pub words: ByCause,
    pub elements: ByCause,
    pub energy_pj: ByCause,
}

impl MemoryUse {
    pub fn add(&mut self, other: &Self, times: f64) {
        self.words.add(&other.words, times);
        self.elements.add(&other.elements, times);
        self.energy_pj.add(&other.energy_pj, times);
    }
}

impl ByCause {
    /// Adds another, so many times.
    pub fn add(&mut self, other: &Self, times: f64) {
        self.activation += other.activation * times;
        self.weight += other.weight * times;
        self.copy += other.copy * times;
    }
}

impl EnergySplit {
    /// Adds another, so many times.
    pub fn add(&mut self, other: &Self, times: f64) {
        self.activation_pj += other.activation_pj * times;
        self.weight_pj += other.weight_pj * times;
        self.copy_pj += other.copy_pj * times;
        self.mac_pj += other.mac_pj * times;
    }

    /// All causes together, pJ.
    pub fn total_pj(&self) -> f64 {
        self.activation_pj + self.weight_pj + self.copy_pj + self.mac_pj
    }
}

impl LatencySplit {
    /// Adds another, so many times; stops at the largest number.
    pub fn add(&mut self, other: &Self, times: u64) {
        for (to, from) in [
            (&mut self.temporal_cycles, other.temporal_cycles),
            (&mut self.stall_cycles, other.stall_cycles),
            (&mut self.loading_cycles, other.loading_cycles),
            (&mut self.offloading_cycles, other.offloading_cycles),
            (&mut self.copy_cycles, other.copy_cycles),
            (&mut self.ideal_cycles, other.ideal_cycles),
        ] {
            *to = to.saturating_add(from.saturating_mul(times));
        }
    }

    /// All causes together, cycles.
    pub fn total_cycles(&self) -> u64 {
        [self.temporal_cycles, self.stall_cycles, self.loading_cycles, self.offloading_cycles, self.copy_cycles]
            .into_iter()
            .fold(0, u64::saturating_add)
    }
}

impl SolvedCost {
    pub fn new(layer: &LayerOnCore<'_>, solution: &Solution, cost: &LayerCost) -> Self {
        let mut memories = vec![MemoryUse::default(); layer.core.memories.len()];
        for (index, operand) in layer.operands.iter().enumerate() {
            for (level, &memory) in operand.memories.iter().enumerate() {
                let of = |table: &PerLink<f64>| table[index][level].iter().sum::<f64>();
                let is_weight = operand.stored_as == Operand::W;
                let used = &mut memories[memory];
                for (to, table) in [
                    (&mut used.words, &cost.energy.words),
                    (&mut used.elements, &cost.energy.elements),
                    (&mut used.energy_pj, &cost.energy.energy_pj),
                ] {
                    *(if is_weight { &mut to.weight } else { &mut to.activation }) += of(table);
                }
            }
        }
        Self {
            loops: solution.order.clone(),
            unrolled: layer.spatial.loops.iter().map(|unrolled| (unrolled.dim, unrolled.average)).collect(),
            spatial_utilization: layer.spatial.loops.iter().map(|unrolled| unrolled.average).product::<f64>()
                / layer.core.pe_count() as f64,
            energy: energy_split(layer, &cost.energy),
            latency: latency_split(cost),
            memories,
            accesses: accesses(layer, cost),
            slowest_port: slowest_port(layer, cost),
        }
    }
}

fn energy_split(layer: &LayerOnCore<'_>, of: &Energy) -> EnergySplit {
    let mut energy = EnergySplit { mac_pj: of.mac_pj, ..EnergySplit::default() };
    for (index, operand) in layer.operands.iter().enumerate() {
        for level in 0..operand.memories.len() {
            let energy_pj = of.energy_pj[index][level].iter().sum::<f64>();
            *(if operand.stored_as == Operand::W { &mut energy.weight_pj } else { &mut energy.activation_pj }) +=
                energy_pj;
        }
    }
    energy
}

fn latency_split(cost: &LayerCost) -> LatencySplit {
    let latency = &cost.latency;
    let (loading_cycles, offloading_cycles) = latency.whole_waiting_cycles();
    LatencySplit {
        temporal_cycles: latency.temporal_cycles,
        stall_cycles: latency.stall_cycles,
        loading_cycles,
        offloading_cycles,
        copy_cycles: 0,
        ideal_cycles: latency.ideal_cycles,
    }
}

/// At most so many memories are watched: DRAM, and the one that an objective names.
pub const WATCHED: usize = 2;

/// What the sum of a point needs of a solved problem; without the words of memories that nobody asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProblemCost {
    pub(super) energy: EnergySplit,
    pub(super) latency: LatencySplit,
    pub(super) words: [ByCause; WATCHED],
}

impl ProblemCost {
    /// What no mapping of a problem undercuts, found without a search. Under the corrected rules only: by those of the tools numbers may
    /// fall as data is moved in more parts.
    pub fn at_least(layer: &LayerOnCore<'_>, watched: [MemoryId; WATCHED]) -> Self {
        let least = Evaluator::new(layer).unavoidable();
        let steps = layer.spatial.temporal_sizes.iter().product();
        Self {
            energy: energy_split(layer, &least),
            latency: LatencySplit { temporal_cycles: steps, ..LatencySplit::default() },
            words: words_at(layer, &least, watched),
        }
    }

    /// The cost of a problem mapped as `solution` says; `None` if that is no mapping of it.
    pub fn new(layer: &LayerOnCore<'_>, solution: &Solution, watched: [MemoryId; WATCHED]) -> Option<Self> {
        let cost = solution.cost(layer)?;
        Some(Self {
            energy: energy_split(layer, &cost.energy),
            latency: latency_split(&cost),
            words: words_at(layer, &cost.energy, watched),
        })
    }
}

fn words_at(layer: &LayerOnCore<'_>, energy: &Energy, watched: [MemoryId; WATCHED]) -> [ByCause; WATCHED] {
    let mut words = [ByCause::default(); WATCHED];
    for (index, operand) in layer.operands.iter().enumerate() {
        for (level, memory) in operand.memories.iter().enumerate() {
            for (words, _) in words.iter_mut().zip(watched).filter(|(_, watched)| watched == memory) {
                let moved = energy.words[index][level].iter().sum::<f64>();
                *(if operand.stored_as == Operand::W { &mut words.weight } else { &mut words.activation }) += moved;
            }
        }
    }
    words
}
