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
    /// A study with the cost of its tiles; `known` are costs of problems that the page knows already.
    fn cores(
        &mut self,
        request: Rc<CoresRequest>,
        known: &[Solved],
    ) -> Result<(&CoresStudy, &mut TileCosts), Diagnostics> {
        let bench = self.cores.of_after(request, |request, before| CoresSearch::open(request, before))?;
        Ok(bench.costs(known))
    }
}

/// What does a network cost on its best core alone, in the stated tiles?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunAlone {
    /// Network, system, and granularity.
    pub request: Rc<CoresRequest>,
    /// The costs of all tiles.
    pub costs: Arc<Vec<Solved>>,
}

impl Ask for RunAlone {
    /// `None` if no core runs all layers.
    type Reply = Option<SingleCore>;

    fn answer(self, answerer: &mut Answerer) -> Answer<Self::Reply> {
        let (study, costs) = answerer.cores(self.request, &self.costs)?;
        Ok(study.outcome_alone(costs))
    }
}

/// What does an allocation of layers to cores cost?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluateCores {
    /// Network, system, and granularity.
    pub request: Rc<CoresRequest>,
    /// Allocations of the stacks, which decide the order of the tiles, and their inputs.
    pub basis: CoresBasis,
    pub choice: CoreAllocation,
}

impl Ask for EvaluateCores {
    /// The evaluation, or the reason why it cannot be scheduled.
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
    /// Network, system, and granularity.
    pub request: Rc<CoresRequest>,
    /// The method that chooses its cores.
    pub way: SummaryWay,
}

/// The method by which cores are allocated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum SummaryWay {
    /// The whole search: the best allocation found, with fixed cores for the named layers.
    Best {
        /// Names of layers, and numbers of cores.
        by_hand: Vec<(String, Vec<CoreId>)>,
    },
    /// The whole search, with the best tiles found instead of the stated ones.
    BestTiles {
        /// Names of layers, and numbers of cores.
        by_hand: Vec<(String, Vec<CoreId>)>,
    },
    /// By evolution (Stream, Section 6).
    Evolution {
        /// The costs of all tiles.
        costs: Arc<Vec<Solved>>,
        /// Parameters of the search.
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
