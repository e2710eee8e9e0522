//! Objectives: the scores that a search minimises.

use crate::cost::{LayerCost, LayerEnergy, PerLink};
use crate::hardware::{MemoryId, Operand};
use crate::mapping::LayerOnCore;
use crate::ties::Figures;
use crate::units::Cycles;
use serde::{Deserialize, Serialize};

/// The score that a search minimises.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Objective {
    /// Energy, pJ.
    #[default]
    Energy,
    /// Latency, cycles.
    Latency,
    /// Energy times latency, pJ x cycles.
    EnergyDelayProduct,
    /// Words read from and written to the memory where features start and end.
    DramAccesses,
    /// Words read from and written to the named memory.
    MemoryAccesses(String),
    /// A weighted sum.
    Weighted(Weights),
}

/// Weights of a sum of objectives.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Weights {
    /// Per pJ.
    pub energy: f64,
    /// Per cycle.
    pub latency: f64,
    /// Per word read from or written to DRAM.
    pub dram_accesses: f64,
}

impl Objective {
    /// Whether the score is monotonic: it never falls as energy, cycles and words grow.
    pub fn never_falls(&self) -> bool {
        match self {
            Self::Weighted(Weights { energy, latency, dram_accesses }) => {
                [energy, latency, dram_accesses].iter().all(|&&weight| weight >= 0.0)
            }
            _ => true,
        }
    }

    /// The score of a mapping, in the unit of the objective.
    pub fn score(&self, problem: &LayerOnCore<'_>, cost: &LayerCost) -> f64 {
        self.score_of(problem, &cost.energy, Cycles(cost.latency.exact_cycles()))
    }

    /// The figures by which a mapping is compared with others.
    pub(super) fn figures_of(&self, problem: &LayerOnCore<'_>, cost: &LayerCost) -> Figures {
        let latency = comparable(cost.latency.exact_cycles());
        self.figures(self.score(problem, cost), cost.energy_pj(), latency)
    }

    /// The score of these accesses in this time.
    pub(super) fn score_of(&self, problem: &LayerOnCore<'_>, energy: &LayerEnergy, latency: Cycles<f64>) -> f64 {
        let core = problem.core;
        let dram = || words_at(problem, &energy.words, core.top(Operand::O));
        self.combine(energy.total_pj, latency, &dram, &|name| {
            core.memories
                .position(|memory| memory.name == name)
                .map_or(0.0, |memory| words_at(problem, &energy.words, memory))
        })
    }

    /// The score from its parts. `dram` counts words at DRAM, `memory` those at a named memory; only what the objective
    /// needs is asked.
    pub fn combine(
        &self,
        energy_pj: f64,
        latency: Cycles<f64>,
        dram: &dyn Fn() -> f64,
        memory: &dyn Fn(&str) -> f64,
    ) -> f64 {
        match self {
            Self::Energy => energy_pj,
            Self::Latency => latency.0,
            Self::EnergyDelayProduct => energy_pj * latency.0,
            Self::DramAccesses => dram(),
            Self::MemoryAccesses(name) => memory(name),
            Self::Weighted(weights) => {
                weights.energy * energy_pj + weights.latency * latency.0 + weights.dram_accesses * dram()
            }
        }
    }
}

/// Latencies that agree to this part of a cycle are equal; only the rules of ZigZag make any that are not whole.
const FRACTIONS: f64 = 1024.0;

/// Cycles in the unit in which they are compared, rounded.
pub(super) fn comparable(cycles: f64) -> f64 {
    (cycles * FRACTIONS).round()
}

/// Words that all operands read from and write to a memory.
fn words_at(problem: &LayerOnCore<'_>, words: &PerLink<f64>, memory: MemoryId) -> f64 {
    problem
        .operands
        .iter()
        .zip(words)
        .filter_map(|(operand, words)| {
            let level = operand.memories.iter().position(|&id| id == memory)?;
            Some(words[level].iter().sum::<f64>())
        })
        .sum()
}
