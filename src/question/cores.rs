//! Questions about a network on many cores.

use super::{Answer, Answerer, Ask};
use fusescape_engine::job::RemoteJob;
use fusescape_engine::multicore::{
    CoreAllocation, CoreId, CoresBasis, CoresEvaluation, CoresRequest, CoresSearch, CoresStudy, Evolution, SingleCore,
    Solved, TileCosts, TileSearch,
};
use fusescape_spec::Diagnostics;
use serde::{Deserialize, Serialize};
use std::rc::Rc;
use std::sync::Arc;

impl Answerer {
    /// A study, with what its tiles cost; `known` is what the problems of the request cost, as far as the page knows.
    fn cores(
        &mut self,
        request: Rc<CoresRequest>,
        known: &[Solved],
    ) -> Result<(&CoresStudy, &mut TileCosts), Diagnostics> {
        let bench = self.cores.of_after(request, |request, before| CoresSearch::open(request, before))?;
        Ok(bench.costs(known))
    }
}

/// What does a network cost on its best core alone, in the tiles that are stated?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunAlone {
    /// Network, system, and how layers are cut.
    pub request: Rc<CoresRequest>,
    /// What all tiles cost.
    pub costs: Arc<Vec<Solved>>,
}

impl Ask for RunAlone {
    /// `None` where no core runs all layers.
    type Reply = Option<SingleCore>;

    fn answer(self, answerer: &mut Answerer) -> Answer<Self::Reply> {
        let (study, costs) = answerer.cores(self.request, &self.costs)?;
        Ok(study.outcome_alone(costs))
    }
}

/// What does an allocation of layers to cores cost?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluateCores {
    /// Network, system, and how layers are cut.
    pub request: Rc<CoresRequest>,
    /// Allocations of the stacks, for the order of the tiles, and what they are made from.
    pub basis: CoresBasis,
    /// The choice.
    pub choice: CoreAllocation,
}

impl Ask for EvaluateCores {
    /// The choice, or why it cannot be scheduled.
    type Reply = Result<CoresEvaluation, Diagnostics>;

    fn answer(self, answerer: &mut Answerer) -> Answer<Self::Reply> {
        let CoresBasis { costs, stacks } = &self.basis;
        let (study, costs) = answerer.cores(self.request, costs)?;
        Ok(study.account_of_best(costs, stacks, &[self.choice]).map(CoresEvaluation::from))
    }
}

/// What are energy and latency of a network on many cores?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CoresSummary {
    /// Network, system, and how layers are cut.
    pub request: Rc<CoresRequest>,
    /// How its cores are chosen.
    pub way: SummaryWay,
}

/// The method by which cores are allocated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum SummaryWay {
    /// The whole way at once: the best that is found, but for the layers of these names, which are on these cores.
    Best {
        /// Names of layers, and numbers of cores.
        by_hand: Vec<(String, Vec<CoreId>)>,
    },
    /// The same in the best tiles that a search finds, whatever tiles are stated.
    BestTiles {
        /// Names of layers, and numbers of cores.
        by_hand: Vec<(String, Vec<CoreId>)>,
    },
    /// By evolution (Stream, Section 6).
    Evolution {
        /// What all tiles cost.
        costs: Arc<Vec<Solved>>,
        /// Size of the search.
        evolution: Evolution,
    },
}

impl Ask for CoresSummary {
    /// Energy in pJ and latency in cycles.
    type Reply = (f64, f64);

    fn answer(self, answerer: &mut Answerer) -> Answer<Self::Reply> {
        let aim = self.request.settings.aim;
        let found = match self.way {
            SummaryWay::BestTiles { by_hand } => {
                let search = TileSearch::of(&self.request)?;
                let request = search.best().map(|(cut, _)| Rc::new(self.request.in_tiles(cut)));
                let (request, way) = (request.unwrap_or(self.request), SummaryWay::Best { by_hand });
                return Self { request, way }.answer(answerer);
            }
            SummaryWay::Best { by_hand } => {
                let (study, costs) = answerer.cores(self.request, &[])?;
                let (best, stacks) = study.best(costs)?;
                match study.with(&best.choice, &by_hand) {
                    Some(choice) => study.evaluate(costs, &stacks, &choice, None)?,
                    None => best,
                }
            }
            SummaryWay::Evolution { costs: known, evolution } => {
                let (study, costs) = answerer.cores(self.request, &known)?;
                let front = study.evolve(costs, evolution);
                let best = front.into_iter().min_by(|a, b| a.score(aim).total_cmp(&b.score(aim)));
                best.ok_or_else(Diagnostics::default)?
            }
        };
        Ok((found.energy_pj, found.latency_cycles))
    }
}
