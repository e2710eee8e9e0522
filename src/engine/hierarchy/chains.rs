//! Lower bounds from the few chains of memories of which the many hierarchies consist.
//!
//! In a hierarchy operands compete for memories and have one order of loops; alone on the same memories, an operand
//! needs no more energy. So the sum over operands, each solved once per chain by the exact search, bounds the energy of
//! a hierarchy; pairs of operands give a higher bound. Its latency is bounded by the needs of the ports of the lowest
//! memories, of which there are as few.

use super::generate::{HierarchyMemory, MemoryHierarchy};
use super::lower_bound::{HierarchyLowerBound, makes_data_free};
use super::study::HierarchyProblem;
use crate::hardware::{Core, Operand};
use crate::mapping::LayerOnCore;
use crate::search::{Limits, Objective, Proof, Strategy, find_best};
use crate::tolerance::REL_TOLERANCE;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Known results by chain of memories: one number for each different layer.
type ByMemories<T> = Arc<Mutex<FxHashMap<Box<[HierarchyMemory]>, Arc<[T]>>>>;

/// Known bounds of parts of hierarchies; clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Chains {
    /// The least energy with the memories of one or two operands alone, pJ; infinite where they are too small. The
    /// entry without any memory is not finite if the study cannot be bounded in this way.
    energies: ByMemories<f64>,
    /// The least latency with the lowest memories of all operands, cycles.
    latencies: ByMemories<u64>,
}

impl HierarchyProblem {
    /// Lower bounds of each different layer, infinite where a chain is too small for it. `None` under rules that no
    /// exact search can prove optimal, or that let data be free, and where the highest memory alone holds no layer:
    /// lower memories, in which sums are completed, may then make it fit.
    pub(super) fn chain_bounds(&self, hierarchy: &MemoryHierarchy) -> Option<Vec<HierarchyLowerBound>> {
        let none = self.chain_energies(&[]);
        if none.iter().any(|energy| !energy.is_finite()) {
            return None;
        }
        let latencies = self.lowest_latencies(&hierarchy.memories);
        let start = none.iter().zip(&*latencies);
        let mut bounds: Vec<HierarchyLowerBound> =
            start.map(|(&energy_pj, &latency_cycles)| HierarchyLowerBound { energy_pj, latency_cycles }).collect();
        for operand in Operand::ALL {
            let with = self.chain_energies(&only(1 << operand as u8, &hierarchy.memories));
            bounds.iter_mut().zip(&*with).zip(&*none).for_each(|((bound, with), none)| bound.energy_pj += with - none);
        }
        bounds.iter_mut().for_each(|bound| bound.energy_pj *= 1.0 - REL_TOLERANCE);
        Some(bounds)
    }

    /// Raises lower bounds by pairs of operands: no hierarchy needs less for two operands than their optimum, and the
    /// three pairs together count every operand twice.
    pub(super) fn raise_by_pairs(&self, hierarchy: &MemoryHierarchy, bounds: &mut [HierarchyLowerBound]) {
        let none = self.chain_energies(&[]);
        if none.iter().any(|energy| !energy.is_finite()) {
            return;
        }
        let needed = |operands: u8| self.chain_energies(&only(operands, &hierarchy.memories));
        let (singles, pairs) = ([1, 2, 4].map(needed), [6, 5, 3].map(needed));
        for (layer, bound) in bounds.iter_mut().enumerate() {
            let more = |energies: &Arc<[f64]>| energies[layer] - none[layer];
            let (one, two) = (singles.each_ref().map(more), pairs.each_ref().map(more));
            let split = (0..3).map(|operand| one[operand] + two[operand]).fold(two.iter().sum::<f64>() / 2.0, f64::max);
            bound.energy_pj = bound.energy_pj.max((none[layer] + split) * (1.0 - REL_TOLERANCE));
        }
    }

    /// The least energy of each different layer if there are no memories but these and the highest, pJ; not a number where that is unknown.
    fn chain_energies(&self, chain: &[HierarchyMemory]) -> Arc<[f64]> {
        let nothing = || self.layers.iter().map(|_| f64::NAN).collect();
        known(&self.chains.energies, chain, || {
            self.core_with(chain).map_or_else(nothing, |core| {
                let problems = self.layers.iter().map(|layer| layer.problem(&core));
                problems.map(|problem| least_energy(&LayerOnCore::new(&core, self.settings.rules, &problem))).collect()
            })
        })
    }

    /// The least latency of each different layer on hierarchies with these memories, which depends on the lowest ones alone, cycles.
    fn lowest_latencies(&self, memories: &[HierarchyMemory]) -> Arc<[u64]> {
        let lowest = |&(index, memory): &(usize, &HierarchyMemory)| {
            let below = memories[..index].iter().fold(0, |all, other| all | other.operands);
            memory.operands & !below != 0
        };
        let lowest: Vec<_> = memories.iter().enumerate().filter(lowest).map(|(_, memory)| *memory).collect();
        let nothing = || self.layers.iter().map(|_| 0).collect();
        known(&self.chains.latencies, &lowest, || {
            let bounds = self.core_with(&lowest).and_then(|core| self.endless_bounds(&core).ok());
            bounds.map_or_else(nothing, |bounds| bounds.iter().map(|bound| bound.latency_cycles).collect())
        })
    }

    fn core_with(&self, memories: &[HierarchyMemory]) -> Option<Core> {
        self.core_of(&MemoryHierarchy { memories: memories.to_vec(), area_um2: 0.0 }).ok()
    }
}

/// The memories of some operands, one bit each, as if they held nothing else.
fn only(operands: u8, memories: &[HierarchyMemory]) -> Vec<HierarchyMemory> {
    let own = memories.iter().map(|memory| HierarchyMemory { operands: memory.operands & operands, ..*memory });
    own.filter(|memory| memory.operands != 0).collect()
}

/// The known result for some memories, or a new one. Two threads may compute the same one at once.
fn known<T>(all: &ByMemories<T>, memories: &[HierarchyMemory], find: impl FnOnce() -> Arc<[T]>) -> Arc<[T]> {
    let lock = || all.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = lock().get(memories) {
        return Arc::clone(known);
    }
    let found = find();
    lock().insert(memories.into(), Arc::clone(&found));
    found
}

/// A lower bound on the energy of a problem, pJ: its optimum, where the search gets there. Infinite where it has no mapping.
fn least_energy(problem: &LayerOnCore<'_>) -> f64 {
    if makes_data_free(problem) || problem.forces_double_buffers {
        return f64::NAN;
    }
    let outcome = find_best(problem, &Objective::Energy, &Limits::default(), Strategy::Exact);
    match (outcome.best, outcome.proof) {
        (Some(best), Proof::Optimal | Proof::OptimalButForTies) => best.energy_pj,
        (Some(best), Proof::Gap(gap)) => best.energy_pj * (1.0 - gap),
        (_, Proof::None) => f64::NAN,
        (None, _) => f64::INFINITY,
    }
}
