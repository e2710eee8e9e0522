//! Trajectories: the energy of a mapping while its loops are given to memories, from the innermost outwards (ZigZag,
//! Fig. 18).

use super::lattice::{FactorSet, Lattice};
use super::scheme::MappingScheme;
use crate::cost::fixed_energy;
use crate::mapping::{LayerOperand, TemporalLoop};
use serde::{Deserialize, Serialize};

/// One mapping's way to its energy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Trajectory {
    /// Whether the operands share their boundaries.
    pub is_even: bool,
    /// Energy of all memory accesses before any loop is placed, pJ.
    pub start_pj: f64,
    /// Its loops, innermost first.
    pub steps: Vec<TrajectoryStep>,
}

/// A loop that is placed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrajectoryStep {
    /// The loop.
    pub next: TemporalLoop,
    /// Energy of all memory accesses, pJ, if the loops up to this one lie where the mapping has them, and all further
    /// ones at the highest memory.
    pub memory_pj: f64,
}

impl Trajectory {
    pub(super) fn new(lattice: &Lattice<'_>, scheme: &MappingScheme, order: &[TemporalLoop]) -> Self {
        let beside_pj = fixed_energy(lattice.problem).total_pj();
        let memory_pj = |placed: FactorSet| {
            let boundaries = LayerOperand::ALL.into_iter().flat_map(|operand| {
                (0..lattice.levels(operand) - 1).map(move |level| (operand, level, scheme.ends[operand][level]))
            });
            // A boundary that the loops placed so far have not reached lies right above them.
            let price = |(operand, level, end)| {
                let at = if lattice.contains(placed, end) { end } else { placed };
                lattice.price(operand, level, at)
            };
            lattice.fixed_pj - beside_pj + boundaries.map(price).sum::<f64>()
        };
        let mut placed = 0;
        let mut steps = Vec::new();
        for &next in order {
            let factor = lattice.factors.iter().position(|(factor, _)| *factor == next);
            placed = factor.and_then(|factor| lattice.with(placed, factor)).unwrap_or(placed);
            steps.push(TrajectoryStep { next, memory_pj: memory_pj(placed) });
        }
        Self { is_even: scheme.is_even, start_pj: memory_pj(0), steps }
    }
}
