//! The best mapping of every layer on one hierarchy.

use super::bound::Bound;
use super::front::{Front, Point};
use super::generate::Hierarchy;
use super::study::Study;
use crate::hardware::Core;
use crate::mapping::LayerOnCore;
use crate::search::{Outcome, Proof, Solution, find_best};
use crate::units::Cycles;
use serde::{Deserialize, Serialize};

/// The outcome of a hierarchy's search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum SearchOutcome {
    /// Its energy, latency and area: every layer has a mapping.
    Found(Point),
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

impl Study {
    /// Searches hierarchy number `index` layer by layer. It is pruned once `front` dominates the cost of the layers so far plus the lower
    /// bounds of the others.
    pub fn search(&self, index: usize, front: &Front) -> SearchOutcome {
        let Some(hierarchy) = self.hierarchies.get(index) else {
            return SearchOutcome::Infeasible(format!("There is no hierarchy {index}"));
        };
        let prepared = self
            .core_of(hierarchy)
            .map_err(|wrong| wrong.to_string())
            .and_then(|core| self.layer_bounds(&core).map(|bounds| (core, bounds)));
        let (core, mut costs) = match prepared {
            Ok(prepared) => prepared,
            Err(reason) => return SearchOutcome::Infeasible(reason),
        };
        let mut proved = true;
        for layer in 0..self.layers.len() {
            if front.dominates(self.sum(&costs), hierarchy.area_um2) {
                return SearchOutcome::Pruned;
            }
            match self.map_layer(layer, &core) {
                Ok((best, proof)) => {
                    proved &= matches!(proof, Proof::Optimal | Proof::OptimalButForTies);
                    costs[layer] = Bound { energy_pj: best.energy_pj, latency_cycles: best.latency_cycles };
                }
                Err(reason) => return SearchOutcome::Infeasible(reason),
            }
        }
        let Bound { energy_pj, latency_cycles } = self.sum(&costs);
        let score = self.settings.objective.combine(energy_pj, Cycles(latency_cycles as f64), &|| 0.0, &|_| 0.0);
        let area_um2 = hierarchy.area_um2;
        SearchOutcome::Found(Point { hierarchy: index as u32, energy_pj, latency_cycles, area_um2, score, proved })
    }

    /// The best mapping of every different layer on a hierarchy.
    ///
    /// # Errors
    /// Which layer has none, and why.
    pub fn layer_results(&self, hierarchy: &Hierarchy) -> Result<Vec<LayerResult>, String> {
        let core = self.core_of(hierarchy).map_err(|wrong| wrong.to_string())?;
        self.layer_bounds(&core)?;
        (self.layers.iter().enumerate())
            .map(|(index, layer)| {
                let (solution, _) = self.map_layer(index, &core)?;
                Ok(LayerResult { title: layer.title(), count: layer.names.len() as u64, solution })
            })
            .collect()
    }

    fn map_layer(&self, layer: usize, core: &Core) -> Result<(Solution, Proof), String> {
        let layer = &self.layers[layer];
        let problem = layer.problem(core);
        let on_core = LayerOnCore::new(core, self.settings.rules, &problem);
        let outcome = find_best(&on_core, &self.settings.objective, &self.limits(), self.settings.strategy);
        let Outcome { best, proof, .. } = outcome;
        best.map(|best| (best, proof)).ok_or_else(|| format!("{}: no mapping fits the memories", layer.title()))
    }

    fn sum(&self, costs: &[Bound]) -> Bound {
        self.layers.iter().zip(costs).fold(Bound::default(), |sum, (layer, cost)| sum.plus(layer, *cost))
    }
}
