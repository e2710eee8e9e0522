//! Questions about a network on many cores.

use super::{Answer, Answerer, Ask, Refusal};
use fusescape_engine::multicore::{
    CoreAllocation, CoreId, CoresOutline, CoresRequest, CoresStudy, EvaluatedAllocation, Evolution, NestId, SingleCore,
    Solved, StackAllocation, StackId, SystemAccount, TileCosts, TileCut, TileLadder, TilePoint, TileSearch,
};
use fusescape_spec::Diagnostics;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

pub(super) type Key = Rc<CoresRequest>;

/// A study, with what its tiles cost as far as that is known.
pub struct CoresWork {
    study: CoresStudy,
    costs: TileCosts,
}

impl Answerer {
    /// `known` is what the problems of the request cost, as far as the page knows.
    fn cores(&mut self, request: Key, known: &[Solved]) -> Result<&mut CoresWork, Diagnostics> {
        let work = self.cores.of(request, |request| {
            CoresStudy::new(request).map(|study| CoresWork { study, costs: TileCosts::default() })
        })?;
        if work.costs.len() < known.len() {
            work.costs.extend(work.study.problems().into_iter().zip(known.iter().cloned()));
        }
        Ok(work)
    }
}

/// What may the tiles of a network be cut from?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutlineTiles {
    /// Network and system; the tiles that it states do not count.
    pub request: Rc<CoresRequest>,
}

impl Ask for OutlineTiles {
    type Reply = TileLadder;

    fn answer(self, _: &mut Answerer) -> Answer<TileLadder> {
        Ok(TileLadder::of(&self.request)?)
    }
}

/// What does a network cost in tiles of one size, with its best allocation and on its best core alone?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunTiles {
    /// Network and system; the tiles that it states do not count.
    pub request: Rc<CoresRequest>,
    /// The size of tiles.
    pub cut: TileCut,
}

impl Ask for RunTiles {
    type Reply = TilePoint;

    fn answer(self, _: &mut Answerer) -> Answer<TilePoint> {
        Ok(TilePoint::of(&self.request, self.cut))
    }
}

/// What does a network cost on its best core alone, in the tiles that are stated?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunAlone {
    /// Network, system, and how layers are cut.
    pub request: Rc<CoresRequest>,
    /// What all tiles cost.
    pub costs: Rc<Vec<Solved>>,
}

impl Ask for RunAlone {
    /// `None` where no core runs all layers.
    type Reply = Option<SingleCore>;

    fn answer(self, answerer: &mut Answerer) -> Answer<Self::Reply> {
        let CoresWork { study, costs } = answerer.cores(self.request, &self.costs)?;
        Ok(study.outcome_alone(costs))
    }
}

/// What is to be known about a network on many cores before anything is solved?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutlineCores {
    /// Network, system, and how layers are cut.
    pub request: Rc<CoresRequest>,
}

impl Ask for OutlineCores {
    type Reply = Rc<CoresOutline>;

    fn answer(self, answerer: &mut Answerer) -> Answer<Self::Reply> {
        Ok(Rc::new(answerer.cores(self.request, &[])?.study.outline()))
    }
}

/// What do some of the different tiles cost on each core?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SolveTiles {
    /// Network, system, and how layers are cut.
    pub request: Rc<CoresRequest>,
    /// Number of the first problem.
    pub first: u32,
    /// Number after the last one.
    pub end: u32,
}

/// The costs of tiles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SolvedTiles {
    /// Number of the first problem.
    pub first: u32,
    /// What each costs, from the first on.
    pub costs: Vec<Solved>,
}

impl Ask for SolveTiles {
    type Reply = SolvedTiles;

    fn answer(self, answerer: &mut Answerer) -> Answer<SolvedTiles> {
        let study = &answerer.cores(self.request, &[])?.study;
        let problems = study.problems();
        let range = (self.first as usize).min(problems.len())..(self.end as usize).min(problems.len());
        Ok(SolvedTiles {
            first: self.first,
            costs: problems[range].iter().map(|problem| study.solve(problem)).collect(),
        })
    }
}

/// Which cores compute a stack best?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AllocateStack {
    /// Network, system, and how layers are cut.
    pub request: Rc<CoresRequest>,
    /// What all tiles cost.
    pub costs: Rc<Vec<Solved>>,
    /// The stack.
    pub stack: StackId,
    /// Whether several cores may share a tile.
    pub shares: bool,
    /// Limit on the states of the search.
    pub choices: u64,
}

impl Ask for AllocateStack {
    type Reply = StackAllocation;

    fn answer(self, answerer: &mut Answerer) -> Answer<StackAllocation> {
        let CoresWork { study, costs } = answerer.cores(self.request, &self.costs)?;
        if study.stacks.get(self.stack).is_none() {
            return Err(Refusal::no_such("stack", self.stack.index(), study.stacks.len()));
        }
        Ok(study.allocate(costs, self.stack, self.shares, &mut |done| done < self.choices))
    }
}

/// What does an allocation of layers to cores cost?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluateCores {
    /// Network, system, and how layers are cut.
    pub request: Rc<CoresRequest>,
    /// What all tiles cost.
    pub costs: Rc<Vec<Solved>>,
    /// The allocations of the stacks.
    pub stacks: Rc<Vec<StackAllocation>>,
    /// The choice; `None`: that of the allocations.
    pub choice: Option<CoreAllocation>,
}

/// A choice of cores with all about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CoresEvaluation {
    /// The allocation with its cost.
    pub evaluated: EvaluatedAllocation,
    /// Who computes what when.
    pub account: Rc<SystemAccount>,
}

impl Ask for EvaluateCores {
    /// The choice, or why it cannot be scheduled.
    type Reply = Result<CoresEvaluation, Diagnostics>;

    fn answer(self, answerer: &mut Answerer) -> Answer<Self::Reply> {
        let CoresWork { study, costs } = answerer.cores(self.request, &self.costs)?;
        let candidates = self.choice.map_or_else(|| study.candidates(costs, &self.stacks), |choice| vec![choice]);
        let best = study.account_of_best(costs, &self.stacks, &candidates);
        Ok(best.map(|(evaluated, account)| CoresEvaluation { evaluated, account: Rc::new(account) }))
    }
}

/// Are other cores better for a layer?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImproveLayer {
    /// Network, system, and how layers are cut.
    pub request: Rc<CoresRequest>,
    /// What all tiles cost.
    pub costs: Rc<Vec<Solved>>,
    /// The allocations of the stacks.
    pub stacks: Rc<Vec<StackAllocation>>,
    /// The choice to improve.
    pub from: EvaluatedAllocation,
    /// The layer.
    pub layer: NestId,
}

impl Ask for ImproveLayer {
    /// The better choice, or the same.
    type Reply = EvaluatedAllocation;

    fn answer(self, answerer: &mut Answerer) -> Answer<EvaluatedAllocation> {
        let CoresWork { study, costs } = answerer.cores(self.request, &self.costs)?;
        Ok(study.improve(costs, &self.stacks, &self.from, self.layer))
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
        costs: Rc<Vec<Solved>>,
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
                let search = TileSearch::run(&self.request)?;
                let request = search.best().map(|(cut, _)| Rc::new(self.request.in_tiles(cut)));
                let (request, way) = (request.unwrap_or(self.request), SummaryWay::Best { by_hand });
                return Self { request, way }.answer(answerer);
            }
            SummaryWay::Best { by_hand } => {
                let CoresWork { study, costs } = answerer.cores(self.request, &[])?;
                let (best, stacks) = study.best(costs)?;
                match study.with(&best.choice, &by_hand) {
                    Some(choice) => study.evaluate(costs, &stacks, &choice, None)?,
                    None => best,
                }
            }
            SummaryWay::Evolution { costs: known, evolution } => {
                let CoresWork { study, costs } = answerer.cores(self.request, &known)?;
                let front = study.evolve(costs, evolution);
                let best = front.into_iter().min_by(|a, b| a.score(aim).total_cmp(&b.score(aim)));
                best.ok_or_else(Diagnostics::default)?
            }
        };
        Ok((found.energy_pj, found.latency_cycles))
    }
}
