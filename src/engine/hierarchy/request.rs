//! Requests of studies of memory hierarchies.

use crate::rules::Rules;
use crate::search::{Objective, Strategy};
use serde::{Deserialize, Serialize};

/// Everything that a study depends on: three documents and the settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HierarchyRequest {
    /// Pool document.
    pub pool: String,
    /// Hardware document: PE array, unrolling and highest memory count; the memories between are replaced.
    pub hardware: String,
    /// Workload document.
    pub workload: String,
    /// The hierarchies of the study, and its objective.
    pub settings: HierarchySettings,
}

/// The hierarchies of a study, and its objective.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HierarchySettings {
    /// Names of the layers that count; none: all of them.
    pub layers: Vec<String>,
    /// Largest area of all that has a stated area, um2; `None` for no limit.
    pub budget_um2: Option<f64>,
    /// Limit on the memories of one operand below the highest.
    pub max_levels: usize,
    /// The least ratio of the capacity of an operand's memory to that of the next lower one, instance by instance.
    pub min_ratio: u64,
    /// Which of a memory's word widths are tried.
    pub widths: Widths,
    /// The objective of each layer's mapping, by which also the best hierarchy is chosen.
    pub objective: Objective,
    /// How each layer's mapping is searched.
    pub strategy: Strategy,
    /// LPF limit of LOMA.
    pub lpf_limit: usize,
    /// Rules of the model.
    pub rules: Rules,
    /// The results that are sought.
    pub sought: Sought,
}

/// The results that a study seeks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Sought {
    /// The Pareto front of energy, latency and area.
    #[default]
    Front,
    /// The best by the objective, of which far more hierarchies are pruned unseen.
    Best,
}

/// Which of a memory's word widths are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Widths {
    /// For each memory the narrowest that delivers in one cycle all that the memory below it takes in one cycle; where
    /// none does, the widest (ZigZag, Section V-B, bandwidth optimisation).
    #[default]
    Fitting,
    /// All of them, each a hierarchy of its own.
    All,
}

impl Default for HierarchySettings {
    /// The ratio of levels is that of the authors' first public tool (ZigZag-Project/zigzag-v1, `mem_ratio`).
    fn default() -> Self {
        Self {
            layers: Vec::new(),
            budget_um2: None,
            max_levels: 2,
            min_ratio: 8,
            widths: Widths::Fitting,
            objective: Objective::Energy,
            strategy: Strategy::default(),
            lpf_limit: 6,
            rules: Rules::CORRECTED,
            sought: Sought::Front,
        }
    }
}
