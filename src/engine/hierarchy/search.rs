//! The best mapping of every layer on one hierarchy.

use super::front::{Front, HierarchyCost};
use super::generate::MemoryHierarchy;
use super::lower_bound::HierarchyLowerBound;
use super::request::HierarchySettings;
use super::study::HierarchyProblem;
use crate::hardware::Core;
use crate::mapping::LayerOnCore;
use crate::search::{Outcome, Proof, Solution, find_best_within};
use serde::{Deserialize, Serialize};

/// The outcome of a hierarchy's search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum SearchOutcome {
    /// Its energy, latency and area: every layer has a mapping.
    Found(HierarchyCost),
    /// Pruned: a point of the front dominates a lower bound of its cost.
    Pruned,
    /// Some layer has no mapping; the reason, for a person.
    Infeasible(String),
}

/// The best mapping of one layer on a hierarchy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayerResult {
    /// For a person: `conv1`, or `conv1 and 3 more`, each of which costs the same.
    pub title: String,
    /// Number of equal layers of the network that it stands for.
    pub count: u64,
    /// Its best mapping.
    pub solution: Solution,
}

impl HierarchyProblem {
    /// Searches hierarchy number `index` layer by layer. It is pruned once `front` dominates the cost of the layers so far plus the lower
    /// bounds of the others.
    pub fn search(&self, index: usize, front: &Front) -> SearchOutcome {
        let Some(hierarchy) = self.hierarchies.get(index) else {
            return SearchOutcome::Infeasible(format!("There is no hierarchy {index}"));
        };
        let prepared = self.layer_bounds(hierarchy).and_then(|bounds| {
            let core = self.core_of(hierarchy).map_err(|wrong| wrong.to_string())?;
            self.shortage_on(&core).map_or(Ok((core, bounds)), Err)
        });
        let (core, mut costs) = match prepared {
            Ok(prepared) => prepared,
            Err(reason) => return SearchOutcome::Infeasible(reason),
        };
        if front.dominates(self.sum(&costs), hierarchy.area_um2) {
            return SearchOutcome::Pruned;
        }
        if !front.points().is_empty() {
            self.raise_by_pairs(hierarchy, &mut costs);
        }
        let mut proved = true;
        for layer in 0..self.layers.len() {
            let least = self.sum(&costs);
            if front.dominates(least, hierarchy.area_um2) {
                return SearchOutcome::Pruned;
            }
            let rest_pj = front.most_energy_pj() - least.energy_pj;
            let at_most_pj = costs[layer].energy_pj + rest_pj / self.layers[layer].names.len() as f64;
            match self.map_layer(layer, &core, at_most_pj) {
                Ok((best, proof)) => {
                    proved &= matches!(proof, Proof::Optimal | Proof::OptimalButForTies);
                    costs[layer] =
                        HierarchyLowerBound { energy_pj: best.energy_pj, latency_cycles: best.latency_cycles };
                }
                Err(_) if at_most_pj.is_finite() => return SearchOutcome::Pruned,
                Err(reason) => return SearchOutcome::Infeasible(reason),
            }
        }
        let sum @ HierarchyLowerBound { energy_pj, latency_cycles } = self.sum(&costs);
        let score = sum.score(&self.settings.objective);
        let area_um2 = hierarchy.area_um2;
        SearchOutcome::Found(HierarchyCost {
            hierarchy: index as u32,
            energy_pj,
            latency_cycles,
            area_um2,
            score,
            proved,
        })
    }

    /// The best mapping of every different layer on a hierarchy.
    ///
    /// # Errors
    /// Which layer has none, and why.
    pub fn layer_results(&self, hierarchy: &MemoryHierarchy) -> Result<Vec<LayerResult>, String> {
        let core = self.core_of(hierarchy).map_err(|wrong| wrong.to_string())?;
        self.shortage_on(&core).map_or(Ok(()), Err)?;
        (self.layers.iter().enumerate())
            .map(|(index, layer)| {
                let (solution, _) = self.map_layer(index, &core, f64::INFINITY)?;
                Ok(LayerResult { title: layer.title(), count: layer.names.len() as u64, solution })
            })
            .collect()
    }

    /// The best mapping of a layer that needs no more energy than this.
    fn map_layer(&self, layer: usize, core: &Core, at_most_pj: f64) -> Result<(Solution, Proof), String> {
        let layer = &self.layers[layer];
        let problem = layer.problem(core);
        let on_core = LayerOnCore::new(core, self.settings.rules, &problem);
        let Self { settings: HierarchySettings { objective, strategy, .. }, .. } = self;
        let Outcome { best, proof, stopped, .. } =
            find_best_within(&on_core, objective, &self.limits(), *strategy, at_most_pj);
        best.map(|best| (best, proof)).ok_or_else(|| match stopped.not_begun() {
            Some((reason, remedy)) => format!("{}: {reason}. {remedy}", layer.title()),
            None => format!("{}: no mapping fits the memories", layer.title()),
        })
    }
}
