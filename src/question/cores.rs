//! Questions about a network on many cores.

use super::{Query, QueryEngine, Reply};
use fusescape_engine::job::RemoteJob;
use fusescape_engine::multicore::{
    CoreAllocation, CoreId, CoresEvaluation, CoresProblem, CoresRequest, CoresSearch, Evolution, SingleCore,
    StackAllocations, TileCosts, TileSearch, TileSolution,
};
use fusescape_engine::ties;
use fusescape_spec::Diagnostics;
use serde::{Deserialize, Serialize};
use std::rc::Rc;
use std::sync::Arc;

impl QueryEngine {
    /// A study with the cost of its tiles; `known` are costs of problems that the page knows already.
    fn cores(
        &mut self,
        request: Rc<CoresRequest>,
        known: &[TileSolution],
    ) -> Result<(&CoresProblem, &mut TileCosts), Diagnostics> {
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
    pub costs: Arc<Vec<TileSolution>>,
}

impl Query for RunAlone {
    /// `None` if no core runs all layers.
    type Reply = Option<SingleCore>;

    fn answer(self, engine: &mut QueryEngine) -> Reply<Self::Reply> {
        let (study, costs) = engine.cores(self.request, &self.costs)?;
        Ok(study.outcome_alone(costs))
    }
}

/// What does an allocation of layers to cores cost?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluateCores {
    /// Network, system, and granularity.
    pub request: Rc<CoresRequest>,
    /// Allocations of the stacks, which decide the order of the tiles, and their inputs.
    pub stack_allocations: StackAllocations,
    pub choice: CoreAllocation,
}

impl Query for EvaluateCores {
    /// The evaluation, or the reason why it cannot be scheduled.
    type Reply = Result<CoresEvaluation, Diagnostics>;

    fn answer(self, engine: &mut QueryEngine) -> Reply<Self::Reply> {
        let StackAllocations { costs, stacks } = &self.stack_allocations;
        let (study, costs) = engine.cores(self.request, costs)?;
        Ok(study.account_of_best(costs, stacks, &[self.choice]).map(CoresEvaluation::from))
    }
}

/// What are energy and latency of a network on many cores?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CoresSummary {
    /// Network, system, and granularity.
    pub request: Rc<CoresRequest>,
    /// The method that chooses its cores.
    pub method: CoresMethod,
}

/// The method by which cores are allocated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CoresMethod {
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
        costs: Arc<Vec<TileSolution>>,
        /// Parameters of the search.
        evolution: Evolution,
    },
}

impl Query for CoresSummary {
    /// Energy in pJ and latency in cycles.
    type Reply = (f64, f64);

    fn answer(self, engine: &mut QueryEngine) -> Reply<Self::Reply> {
        let objective = self.request.settings.objective;
        let found = match self.method {
            CoresMethod::BestTiles { by_hand } => {
                let search = TileSearch::of(&self.request)?;
                let request = search.best().map(|(cut, _)| Rc::new(self.request.in_tiles(cut)));
                let (request, method) = (request.unwrap_or(self.request), CoresMethod::Best { by_hand });
                return Self { request, method }.answer(engine);
            }
            CoresMethod::Best { by_hand } => {
                let (study, costs) = engine.cores(self.request, &[])?;
                let (best, stacks) = study.best(costs)?;
                match study.with(&best.choice, &by_hand) {
                    Some(choice) => study.evaluate(costs, &stacks, &choice, None)?,
                    None => best,
                }
            }
            CoresMethod::Evolution { costs: known, evolution } => {
                let (study, costs) = engine.cores(self.request, &known)?;
                let front = study.evolve(costs, evolution);
                let best = ties::best(front, |found| (found.figures(objective), ()));
                best.ok_or_else(Diagnostics::default)?
            }
        };
        Ok((found.energy_pj, found.latency_cycles))
    }
}
