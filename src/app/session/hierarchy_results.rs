//! The results of a study of memory hierarchies so far, as the page shows them.

use crate::app::workers::results::Status;
use crate::hierarchy::{ExplorationCounts, HierarchyCost, HierarchyFacts, HierarchyOverview, HierarchyRequest};
use crate::spec::Diagnostics;
use std::rc::Rc;
use std::sync::Arc;

/// The results of a study so far, as the page shows them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HierarchyResults {
    pub request: Option<Rc<HierarchyRequest>>,
    pub status: Status,
    /// The hierarchies of the study.
    pub overview: Option<Arc<HierarchyOverview>>,
    /// Number of hierarchies by outcome.
    pub counts: ExplorationCounts,
    /// Points to draw, with names, and whether each is on the front; those of the front first.
    pub drawn: Vec<(HierarchyCost, Rc<str>, bool)>,
    /// Index of the best by the objective.
    pub best: Option<u32>,
    /// One of the reasons why hierarchies are infeasible.
    pub reason: Option<String>,
    /// Errors of the request.
    pub diagnostics: Diagnostics,
    /// Time spent, milliseconds.
    pub elapsed_ms: f64,
    pub opened: Option<Rc<HierarchyFacts>>,
    pub comparison: Option<Rc<UnrollingComparison>>,
    /// The error of a worker.
    pub failure: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct UnrollingComparison {
    /// Indices and names.
    pub hierarchies: Vec<(u32, Rc<str>)>,
    /// For each unrolling the energies in pJ, once they are known.
    pub rows: Vec<Option<Vec<Option<f64>>>>,
}
