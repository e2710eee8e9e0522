//! Questions about memory hierarchies that are generated.

use super::{Answer, Answerer, Ask, Refusal};
use fusescape_engine::hierarchy::{
    self, Bound, Front, HierarchyFacts, HierarchyRequest, SearchOutcome, StudyOutline, unrollings,
};
use fusescape_spec::Diagnostics;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

pub(super) type Key = Rc<HierarchyRequest>;
pub(super) type Study = hierarchy::Study;

impl Answerer {
    fn hierarchies(&mut self, request: Key) -> Result<&Study, Diagnostics> {
        self.hierarchies.of(request, |request| Study::new(request)).map(|study| &*study)
    }
}

/// Which hierarchies are there?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutlineHierarchies {
    /// Pool, array, network and limits.
    pub request: Rc<HierarchyRequest>,
}

impl Ask for OutlineHierarchies {
    type Reply = Rc<StudyOutline>;

    fn answer(self, answerer: &mut Answerer) -> Answer<Self::Reply> {
        Ok(Rc::new(answerer.hierarchies(self.request)?.outline()))
    }
}

/// What are the lower bounds of some hierarchies?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BoundHierarchies {
    /// Pool, array, network and limits.
    pub request: Rc<HierarchyRequest>,
    /// Number of the first.
    pub first: u32,
    /// Number after the last.
    pub end: u32,
}

/// Lower bounds of hierarchies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HierarchyBounds {
    /// Number of the first.
    pub first: u32,
    /// What each costs at least, from the first on, or why it does not fit.
    pub bounds: Vec<Result<Bound, String>>,
}

impl Ask for BoundHierarchies {
    type Reply = HierarchyBounds;

    fn answer(self, answerer: &mut Answerer) -> Answer<HierarchyBounds> {
        let study = answerer.hierarchies(self.request)?;
        let numbers = (self.first..self.end).filter_map(|number| study.hierarchies.get(number as usize));
        Ok(HierarchyBounds { first: self.first, bounds: numbers.map(|hierarchy| study.bound(hierarchy)).collect() })
    }
}

/// What do some hierarchies cost, unless the front dominates their bounds?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchHierarchies {
    /// Pool, array, network and limits.
    pub request: Rc<HierarchyRequest>,
    /// Their numbers.
    pub numbers: Vec<u32>,
    /// The best so far.
    pub front: Front,
}

/// The outcome of a hierarchy's search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HierarchyOutcome {
    /// What became of it.
    pub verdict: SearchOutcome,
    /// Its name, if it was found.
    pub name: String,
}

impl Ask for SearchHierarchies {
    type Reply = Vec<HierarchyOutcome>;

    /// One after the other, each compared with all before.
    fn answer(self, answerer: &mut Answerer) -> Answer<Self::Reply> {
        let study = answerer.hierarchies(self.request)?;
        let mut front = self.front;
        let search = |&number: &u32| {
            let verdict = study.search(number as usize, &front);
            let mut name = String::new();
            if let SearchOutcome::Found(point) = verdict {
                front.add(point);
                name =
                    study.hierarchies.get(number as usize).map(|hierarchy| study.name(hierarchy)).unwrap_or_default();
            }
            HierarchyOutcome { verdict, name }
        };
        Ok(self.numbers.iter().map(search).collect())
    }
}

/// What is one hierarchy in depth?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpenHierarchy {
    /// Pool, array, network and limits.
    pub request: Rc<HierarchyRequest>,
    /// Its number.
    pub number: u32,
}

impl Ask for OpenHierarchy {
    type Reply = Rc<HierarchyFacts>;

    fn answer(self, answerer: &mut Answerer) -> Answer<Self::Reply> {
        let study = answerer.hierarchies(self.request)?;
        let facts = study.facts(self.number).map(Rc::new);
        facts.ok_or_else(|| Refusal::no_such("hierarchy", self.number as usize, study.hierarchies.len()))
    }
}

/// What do some hierarchies cost under another unrolling of the array?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnrollHierarchies {
    /// Pool, array, network and limits.
    pub request: Rc<HierarchyRequest>,
    /// Number of the unrolling.
    pub unrolling: u32,
    /// Numbers of the hierarchies.
    pub hierarchies: Vec<u32>,
}

/// The energy of hierarchies under an unrolling.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnrolledEnergies {
    /// Number of the unrolling.
    pub unrolling: u32,
    /// Energy of each hierarchy in pJ, if it has a mapping.
    pub energies_pj: Vec<Option<f64>>,
}

impl Ask for UnrollHierarchies {
    type Reply = UnrolledEnergies;

    fn answer(self, answerer: &mut Answerer) -> Answer<UnrolledEnergies> {
        let study = answerer.hierarchies(self.request)?;
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
