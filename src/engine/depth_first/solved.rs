//! The cost of a solved mapping problem as a point adds it up: found once, added many times.

use super::account::HeldData;
use crate::cost::{
    Access, AccessCause, ByCause, EnergySplit, Evaluator, LatencyCause, LatencyLowerBound, LatencySplit, LayerCost,
    LayerEnergy, PerLink, PortBalance, accesses, slowest_port,
};
use crate::hardware::{MAX_LEVELS, MemoryId, Movement};
use crate::ids::{TiVec, ti_vec};
use crate::mapping::{LayerOnCore, LayerOperand, OperandView, TemporalLoop};
use crate::search::Solution;
use crate::workload::Dim;

/// The whole account of a solved problem.
pub(super) struct SolvedCost {
    pub loops: Vec<TemporalLoop>,
    pub unrolled: Vec<(Dim, f64)>,
    pub spatial_utilization: f64,
    pub energy: EnergySplit,
    pub latency: LatencySplit,
    pub memories: TiVec<MemoryId, MemoryUse>,
    pub accesses: Vec<Access>,
    pub held: Vec<HeldData>,
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

impl SolvedCost {
    pub fn new(evaluator: &Evaluator<'_>, solution: &Solution, cost: &LayerCost) -> Self {
        let layer = evaluator.problem();
        let mut memories = ti_vec![MemoryUse::default(); layer.core.memories.len()];
        for (index, operand) in layer.each_operand() {
            for (level, &memory) in operand.memories.iter().enumerate() {
                let of = |table: &PerLink<f64>| table[index][level].iter().sum::<f64>();
                let cause = AccessCause::of_operand(operand.stored_as);
                let used = &mut memories[memory];
                for (to, table) in [
                    (&mut used.words, &cost.energy.words),
                    (&mut used.elements, &cost.energy.elements),
                    (&mut used.energy_pj, &cost.energy.energy_pj),
                ] {
                    to[cause] += of(table);
                }
            }
        }
        Self {
            loops: solution.order.clone(),
            unrolled: layer.spatial.loops.iter().map(|unrolled| (unrolled.dim, unrolled.average)).collect(),
            spatial_utilization: layer.spatial.loops.iter().map(|unrolled| unrolled.average).product::<f64>()
                / layer.pe_count() as f64,
            energy: cost.energy.split(layer),
            latency: cost.latency.split(),
            memories,
            accesses: accesses(evaluator, cost),
            held: held(layer, cost),
            slowest_port: slowest_port(layer, cost),
        }
    }
}

/// Bits that one instance of each memory holds of each operand, lowest memory first.
fn held(layer: &LayerOnCore<'_>, cost: &LayerCost) -> Vec<HeldData> {
    let of = |(index, operand): (LayerOperand, &OperandView)| {
        let at = |(level, &memory): (usize, &MemoryId)| HeldData {
            operand: layer.operand_name(index).to_owned(),
            stored_as: operand.stored_as,
            level,
            memory,
            bits: cost.amounts.bits_held(index, level),
        };
        operand.memories.iter().enumerate().map(at).collect::<Vec<_>>()
    };
    layer.each_operand().flat_map(of).collect()
}

/// Number of counted memories: DRAM, and the one that an objective names.
pub const COUNTED_MEMORIES: usize = 2;

/// The part of a solved problem's cost that sums of points need: words of counted memories only.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProblemCost {
    pub(super) energy: EnergySplit,
    pub(super) latency: LatencySplit,
    pub(super) words: [ByCause; COUNTED_MEMORIES],
}

impl ProblemCost {
    /// A lower bound on the cost of every mapping of a problem, found without a search. It holds under the corrected
    /// rules only: under those of the tools, amounts may fall as data is moved in more parts.
    pub fn lower_bound(layer: &LayerOnCore<'_>, counted: [MemoryId; COUNTED_MEMORIES]) -> Self {
        let evaluator = Evaluator::new(layer);
        let least = evaluator.lower_bound();
        let mut latency = LatencySplit::default();
        latency[LatencyCause::Computing] = LatencyLowerBound::new(&evaluator).least_cycles(&least);
        Self { energy: least.split(layer), latency, words: words_at(layer, &least, counted) }
    }

    /// This cost without anything but computation in its latency: what all mappings of the problem need at least.
    #[must_use]
    pub fn without_stalls(mut self) -> Self {
        let computing = self.latency[LatencyCause::Computing];
        self.latency = LatencySplit::default();
        self.latency[LatencyCause::Computing] = computing;
        self
    }

    /// Energy, pJ, and latency, cycles.
    pub fn energy_and_latency(&self) -> (f64, f64) {
        (self.energy.total_pj(), self.latency.total_cycles() as f64)
    }

    /// Full-width words at each counted memory.
    pub fn words_at(&self) -> [f64; COUNTED_MEMORIES] {
        self.words.map(|words| words.total())
    }

    /// The cost of a problem with the mapping `solution`; `None` if that does not fit.
    pub fn new(evaluator: &Evaluator<'_>, solution: &Solution, counted: [MemoryId; COUNTED_MEMORIES]) -> Option<Self> {
        let layer = evaluator.problem();
        let moves = evaluator.moves(&solution.order, &solution.allocation)?;
        let energy = evaluator.energy(&moves);
        Some(Self {
            energy: energy.split(layer),
            latency: evaluator.latency(&solution.order, &moves).split(),
            words: words_at(layer, &energy, counted),
        })
    }
}

/// Lower bounds on the cost of a layer for each choice of its highest memories: sums over the operands.
#[derive(Debug, Clone, Copy)]
pub struct BoundsByLevel {
    /// Energy that does not depend on memories, pJ.
    pub fixed_pj: f64,
    /// Cycles of computing.
    pub cycles: u64,
    /// For W, I and O, and each level, the accesses where that level is the highest.
    pub at: [[LeastAccesses; MAX_LEVELS]; 3],
}

/// A lower bound on accesses.
#[derive(Debug, Clone, Copy, Default)]
pub struct LeastAccesses {
    /// Energy, pJ.
    pub energy_pj: f64,
    /// Full-width words at each counted memory.
    pub words: [f64; COUNTED_MEMORIES],
}

impl BoundsByLevel {
    /// Accesses that no mapping avoids, however large its memories. `layer` has all levels.
    pub fn new(layer: &LayerOnCore<'_>, counted: [MemoryId; COUNTED_MEMORIES]) -> Self {
        let evaluator = Evaluator::new(layer);
        let least = evaluator.unavoidable_in_any_room();
        let mut at = [[LeastAccesses::default(); MAX_LEVELS]; 3];
        for (index, operand) in layer.each_operand() {
            let mut sum = LeastAccesses::default();
            for (level, memory) in operand.memories.iter().enumerate() {
                let mut add = |is_low: bool| {
                    for movement in Movement::ALL.into_iter().filter(|movement| movement.is_low() == is_low) {
                        sum.energy_pj += least.energy_pj[index][level][movement as usize];
                        for (words, _) in sum.words.iter_mut().zip(counted).filter(|(_, counted)| counted == memory) {
                            *words += least.words[index][level][movement as usize];
                        }
                    }
                    sum
                };
                // The highest memory exchanges data with the one below it alone.
                at[operand.stored_as as usize][level] = add(true);
                add(false);
            }
        }
        Self { fixed_pj: least.fixed.total_pj(), cycles: LatencyLowerBound::new(&evaluator).base_cycles(), at }
    }

    /// The accesses for these numbers of levels.
    pub fn of(&self, levels: [usize; 3]) -> LeastAccesses {
        let mut sum = LeastAccesses::default();
        for (level, at) in levels.into_iter().zip(&self.at) {
            let LeastAccesses { energy_pj, words } = at[level - 1];
            sum.energy_pj += energy_pj;
            sum.words.iter_mut().zip(words).for_each(|(sum, words)| *sum += words);
        }
        sum
    }
}

fn words_at(
    layer: &LayerOnCore<'_>,
    energy: &LayerEnergy,
    counted: [MemoryId; COUNTED_MEMORIES],
) -> [ByCause; COUNTED_MEMORIES] {
    let mut words = [ByCause::default(); COUNTED_MEMORIES];
    for (index, operand) in layer.each_operand() {
        for (level, memory) in operand.memories.iter().enumerate() {
            for (words, _) in words.iter_mut().zip(counted).filter(|(_, counted)| counted == memory) {
                let moved = energy.words[index][level].iter().sum::<f64>();
                words[AccessCause::of_operand(operand.stored_as)] += moved;
            }
        }
    }
    words
}
