//! Questions about generated memory hierarchies.

use super::{Query, QueryEngine, Refusal, Reply};
use fusescape_engine::hierarchy::{
    Exploration, Front, HierarchyFacts, HierarchyProblem, HierarchyRequest, SearchOutcome, unrollings,
};
use fusescape_engine::job::RemoteJob;
use fusescape_spec::Diagnostics;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

impl QueryEngine {
    fn hierarchies(&mut self, request: Rc<HierarchyRequest>) -> Result<&HierarchyProblem, Diagnostics> {
        self.hierarchies.of_after(request, |request, before| Exploration::open(request, before)).map(|study| &**study)
    }
}

/// What are the details of one hierarchy?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpenHierarchy {
    /// Pool, array, network and limits.
    pub request: Rc<HierarchyRequest>,
    /// Index of the hierarchy.
    pub number: u32,
}

impl Query for OpenHierarchy {
    type Reply = Rc<HierarchyFacts>;

    fn answer(self, engine: &mut QueryEngine) -> Reply<Self::Reply> {
        let study = engine.hierarchies(self.request)?;
        let facts = study.facts(self.number).map(Rc::new);
        facts.ok_or_else(|| Refusal::no_such("hierarchy", self.number as usize, study.hierarchies.len()))
    }
}

/// What do some hierarchies cost under another unrolling of the array?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnrollHierarchies {
    /// Pool, array, network and limits.
    pub request: Rc<HierarchyRequest>,
    /// Index of the unrolling.
    pub unrolling: u32,
    /// Indices of the hierarchies.
    pub hierarchies: Vec<u32>,
}

/// The energy of hierarchies under an unrolling.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnrolledEnergies {
    /// Index of the unrolling.
    pub unrolling: u32,
    /// Energy of each hierarchy in pJ; `None` if it has no mapping.
    pub energies_pj: Vec<Option<f64>>,
}

impl Query for UnrollHierarchies {
    type Reply = UnrolledEnergies;

    fn answer(self, engine: &mut QueryEngine) -> Reply<UnrolledEnergies> {
        let study = engine.hierarchies(self.request)?;
        let (number, all) = (self.unrolling as usize, unrollings(study));
        let Some(unrolling) = all.get(number) else {
            return Err(Refusal::no_such("unrolling", number, all.len()));
        };
        let study = study.unrolled(unrolling);
        let energy = |&hierarchy: &u32| match study.search(hierarchy as usize, &Front::default()) {
            SearchOutcome::Found(point) => Some(point.energy_pj),
            SearchOutcome::Pruned | SearchOutcome::Infeasible(_) => None,
        };
        Ok(UnrolledEnergies { unrolling: self.unrolling, energies_pj: self.hierarchies.iter().map(energy).collect() })
    }
}
