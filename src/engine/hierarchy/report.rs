//! Reports of a study and of one hierarchy.

use super::search::LayerResult;
use super::study::HierarchyProblem;
use super::unrolling::unrollings;
use serde::{Deserialize, Serialize};

/// A study as a view needs it: no hierarchy, only their number and area.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HierarchyOverview {
    /// Area of each hierarchy, um2.
    pub areas_um2: Vec<f64>,
    /// Name of the memory above all.
    pub highest: String,
    /// Names of the layers that count.
    pub layers: Vec<String>,
    /// Number of different ones among them.
    pub different: usize,
    /// Ways to unroll that [`HierarchyProblem::unrolled`] can compare, for a person.
    pub unrollings: Vec<String>,
}

/// One hierarchy in depth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HierarchyFacts {
    /// Its index.
    pub hierarchy: u32,
    /// Its memories on one line.
    pub name: String,
    /// It as a hardware document.
    pub document: String,
    /// Whether some figure is estimated by a fit.
    pub estimated: bool,
    /// The best mapping of every different layer, or why there is none.
    pub layers: Result<Vec<LayerResult>, String>,
}

impl HierarchyProblem {
    /// The figures of all hierarchies that a view needs.
    pub fn overview(&self) -> HierarchyOverview {
        HierarchyOverview {
            areas_um2: self.hierarchies.iter().map(|hierarchy| hierarchy.area_um2).collect(),
            highest: self.highest().name.clone(),
            layers: self.layers.iter().flat_map(|layer| layer.names.iter().cloned()).collect(),
            different: self.layers.len(),
            unrollings: unrollings(self).into_iter().map(|unrolling| unrolling.title).collect(),
        }
    }

    /// Everything about hierarchy number `index`; `None` if there is none.
    pub fn facts(&self, index: u32) -> Option<HierarchyFacts> {
        let hierarchy = self.hierarchies.get(index as usize)?;
        Some(HierarchyFacts {
            hierarchy: index,
            name: self.name(hierarchy),
            document: self.document(hierarchy),
            estimated: self.is_estimated(hierarchy),
            layers: self.layer_results(hierarchy),
        })
    }
}
