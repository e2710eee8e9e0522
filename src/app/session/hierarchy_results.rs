//! What a study of memory hierarchies found so far, as the page shows it.

use crate::app::workers::results::Status;
use crate::hierarchy::{ExplorationCounts, HierarchyFacts, HierarchyRequest, Point, StudyOutline};
use crate::spec::Diagnostics;
use std::rc::Rc;
use std::sync::Arc;

/// The results of a study so far, as the page shows them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StudyResults {
    /// What it is about.
    pub request: Option<Rc<HierarchyRequest>>,
    /// How far it is.
    pub status: Status,
    /// Which hierarchies there are.
    pub outline: Option<Arc<StudyOutline>>,
    /// How many became what.
    pub counts: ExplorationCounts,
    /// Points to be drawn, with names; those of the front first.
    pub drawn: Vec<(Point, Rc<str>, bool)>,
    /// Number of the best by the objective.
    pub best: Option<u32>,
    /// One reason why something does not fit.
    pub reason: Option<String>,
    /// Why the request makes no sense.
    pub diagnostics: Diagnostics,
    /// Time spent, milliseconds.
    pub elapsed_ms: f64,
    /// The opened hierarchy.
    pub opened: Option<Rc<HierarchyFacts>>,
    /// Hierarchies under other unrollings.
    pub comparison: Option<Rc<Comparison>>,
    /// What a worker could not do.
    pub failure: Option<String>,
}

/// Hierarchies under other unrollings.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Comparison {
    /// Numbers and names of the hierarchies.
    pub hierarchies: Vec<(u32, Rc<str>)>,
    /// For each unrolling the energies in pJ, once they are known.
    pub rows: Vec<Option<Vec<Option<f64>>>>,
}
