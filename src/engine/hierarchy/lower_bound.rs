//! A lower bound on the cost of a hierarchy over all mappings.
//!
//! In most studies the energy is bounded operand by operand (`chains.rs`). Otherwise: if memories were unlimited, every
//! operand's loops could all lie at its lowest memory, and all data would pass each memory above exactly once; no
//! mapping moves less. The data that the array exchanges with the lowest memories is the same in every mapping, so it
//! counts as it is. Above, a transfer counts as the part of a word that it carries, as a real one takes whole words.
//! Latency is at least that of computing, and at least the cycles that the ports of the lowest memories need for the
//! array.

use super::generate::MemoryHierarchy;
use super::study::{DistinctLayer, HierarchyProblem};
use crate::cost::{Evaluator, LayerCost};
use crate::hardware::{Core, MAX_LEVELS, Movement, Operand};
use crate::mapping::{Allocation, LayerOnCore, OPERANDS, TemporalLoop};
use crate::search::explain_infeasible;
use crate::tolerance::REL_TOLERANCE;
use crate::workload::Dim;
use serde::{Deserialize, Serialize};

/// A lower bound on energy and latency over all mappings of all layers.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct HierarchyLowerBound {
    /// Energy, pJ.
    pub energy_pj: f64,
    /// Latency in cycles; of several layers their sum.
    pub latency_cycles: u64,
}

impl HierarchyProblem {
    /// The lower bound of a hierarchy, or why some layer has no mapping on it.
    ///
    /// # Errors
    /// For a person: the layer, the memory, and the size that is missing there.
    pub fn bound(&self, hierarchy: &MemoryHierarchy) -> Result<HierarchyLowerBound, String> {
        Ok(self.sum(&self.layer_bounds(hierarchy)?))
    }

    /// Why some layer has no mapping on a hierarchy, as far as that is seen without a search.
    pub fn shortage(&self, hierarchy: &MemoryHierarchy) -> Option<String> {
        match self.core_of(hierarchy) {
            Ok(core) => self.shortage_on(&core),
            Err(wrong) => Some(wrong.to_string()),
        }
    }

    pub(super) fn shortage_on(&self, core: &Core) -> Option<String> {
        self.layers.iter().find_map(|layer| {
            let problem = layer.problem(core);
            let shortages = explain_infeasible(&LayerOnCore::new(core, self.settings.rules, &problem));
            shortages.first().map(|shortage| format!("{}: {shortage}", layer.title()))
        })
    }

    /// The lower bound of each of the different layers on a hierarchy.
    pub(super) fn layer_bounds(&self, hierarchy: &MemoryHierarchy) -> Result<Vec<HierarchyLowerBound>, String> {
        match self.chain_bounds(hierarchy) {
            Some(bounds) if bounds.iter().all(|bound| bound.energy_pj.is_finite()) => Ok(bounds),
            Some(_) => Err(self.shortage(hierarchy).unwrap_or_else(|| "no mapping fits the memories".to_owned())),
            None => {
                let core = self.core_of(hierarchy).map_err(|wrong| wrong.to_string())?;
                self.shortage_on(&core).map_or_else(|| self.endless_bounds(&core), Err)
            }
        }
    }

    /// The lower bounds on a core as if its memories were unlimited.
    pub(super) fn endless_bounds(&self, core: &Core) -> Result<Vec<HierarchyLowerBound>, String> {
        let mut endless = core.clone();
        endless.memories.iter_mut().for_each(|memory| memory.size_bits = u64::MAX);
        let bounds = self.layers.iter().map(|layer| {
            let problem = layer.problem(core);
            let unbounded = LayerOnCore::new(&endless, self.settings.rules, &problem);
            layer_bound(&unbounded).ok_or_else(|| format!("{}: too large to count", layer.title()))
        });
        bounds.collect()
    }

    pub(super) fn sum(&self, bounds: &[HierarchyLowerBound]) -> HierarchyLowerBound {
        self.layers
            .iter()
            .zip(bounds)
            .fold(HierarchyLowerBound::default(), |sum, (layer, bound)| sum.plus(layer, *bound))
    }
}

impl HierarchyLowerBound {
    /// With all layers that are the same problem as `layer`, each costing `bound`.
    fn plus(self, layer: &DistinctLayer, bound: Self) -> Self {
        let count = layer.names.len() as u64;
        Self {
            energy_pj: self.energy_pj + count as f64 * bound.energy_pj,
            latency_cycles: self.latency_cycles.saturating_add(count.saturating_mul(bound.latency_cycles)),
        }
    }
}

/// The bound of a layer on a core whose memories are unlimited.
fn layer_bound(problem: &LayerOnCore<'_>) -> Option<HierarchyLowerBound> {
    let sizes = problem.spatial.temporal_sizes;
    let order: Vec<TemporalLoop> = Dim::ALL
        .into_iter()
        .map(|dim| TemporalLoop { dim, size: sizes[dim as usize] })
        .filter(|next| next.size > 1)
        .collect();
    let allocation = Allocation { ends: [[order.len() as u8; MAX_LEVELS]; OPERANDS] };
    let cost = Evaluator::new(problem).evaluate(&order, &allocation)?;
    if makes_data_free(problem) {
        let latency_cycles = if problem.rules.loading_reduction_repeats { 0 } else { cost.latency.temporal_cycles };
        return Some(HierarchyLowerBound {
            energy_pj: cost.energy.fixed.total_pj() * (1.0 - REL_TOLERANCE),
            latency_cycles,
        });
    }
    let energy_pj = (cost.energy.fixed.total_pj() + least_memory_pj(problem, &cost)) * (1.0 - REL_TOLERANCE);
    let latency_cycles = cost.latency.temporal_cycles.max(least_port_cycles(problem, &cost));
    Some(HierarchyLowerBound { energy_pj, latency_cycles })
}

/// Whether the rules of a tool let some mapping move less than all data once; then only operations count in the bound.
pub(super) fn makes_data_free(problem: &LayerOnCore<'_>) -> bool {
    let rules = &problem.rules;
    let cuts = rules.truncate_fractional_extents || rules.truncate_fractional_windows || rules.round_fractional_amounts;
    rules.array_keeps_inputs
        || problem.in_memory.is_some()
        || rules.fractions_of_words_free
        || cuts && problem.spatial.is_fractional()
}

fn least_memory_pj(problem: &LayerOnCore<'_>, cost: &LayerCost) -> f64 {
    let mut energy_pj = 0.0;
    for (index, view) in problem.each_operand() {
        for (level, &memory) in view.memories.iter().enumerate() {
            let memory = &problem.core.memories[memory];
            for movement in Movement::ALL {
                let at = movement as usize;
                if level == 0 && movement.is_low() {
                    energy_pj += cost.energy.energy_pj[index][level][at];
                    continue;
                }
                // Under another mapping these may be partial sums.
                let bits = match view.stored_as {
                    Operand::O => view.precision.0.min(view.precision.1),
                    Operand::W | Operand::I => cost.amounts.links[index][level][at].precision,
                };
                let words = cost.energy.elements[index][level][at] * bits as f64
                    / memory.width_bits(view.stored_as, movement) as f64;
                energy_pj += words * memory.word_energy_pj(movement);
            }
        }
    }
    energy_pj
}

/// Cycles in which the busiest port serves the array, without its first transfers.
fn least_port_cycles(problem: &LayerOnCore<'_>, cost: &LayerCost) -> u64 {
    let mut most = 0;
    for (memory, description) in problem.core.memories.iter_enumerated() {
        for port in &description.ports {
            let mut cycles = 0u64;
            for (index, view) in problem.each_operand() {
                if view.memories.first() != Some(&memory) {
                    continue;
                }
                for movement in Movement::ALL.into_iter().filter(|movement| movement.is_low()) {
                    if port.serves.contains(&(view.stored_as, movement)) {
                        let real = cost.latency.real_cycles[index][0][movement as usize];
                        let count = cost.amounts.links[index][0][movement as usize].count;
                        cycles = cycles.saturating_add(real.saturating_mul(count.saturating_sub(1)));
                    }
                }
            }
            most = most.max(cycles);
        }
    }
    most
}
