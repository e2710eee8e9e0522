//! The best unrolling together with the best temporal mapping (ZigZag, Sections IV and V).
//!
//! Every legal unrolling has a lower bound that takes microseconds to compute ([`Evaluator::unavoidable`]): data that
//! no mapping can avoid to move. Unrollings are searched in the order of their bounds. Once the next bound is higher
//! than the best score, no further unrolling can win, as bounds ascend. Before an unrolling is searched, a sharper
//! bound ([`Evaluator::lower_bound`]) shows of most that they cannot win either.

use super::{Limits, Objective, Outcome, Proof, Solution, Strategy, find_best};
use crate::cost::{Evaluator, LatencyLowerBound, LayerEnergy};
use crate::hardware::{Core, Unroll};
use crate::job::{Job, Progress, Worker};
use crate::mapping::{LayerOnCore, LayerProblem, Relevance, UnrollingOptions, Unrollings, unrollings};
use crate::rules::Rules;
use crate::sorting::sort_by;
use crate::spec::Diagnostics;
use crate::ties::Contenders;
use crate::units::Cycles;
use crate::workload::{Dim, LayerShape};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// A layer on a core whose unrolling is open.
#[derive(Debug, Clone, Copy)]
pub struct UnrolledLayer<'a> {
    /// The core, whose own unrolling is not used.
    pub core: &'a Core,
    /// Rules of the model.
    pub rules: Rules,
    /// The loop nest.
    pub shape: LayerShape,
    /// The number of memory levels, counted from the lowest, that each operand may use: W, I, O.
    pub levels: [usize; 3],
}

impl<'a> UnrolledLayer<'a> {
    /// The mapping problem with this unrolling.
    pub fn with(&self, unroll: &[Unroll]) -> LayerOnCore<'a> {
        let problem = LayerProblem::new(self.shape, self.levels, unroll.to_vec());
        LayerOnCore::new(self.core, self.rules, &problem)
    }
}

/// An unrolling with its best temporal mapping.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnrolledSolution {
    /// The unrolling.
    pub unroll: Vec<Unroll>,
    /// The mapping.
    pub solution: Solution,
    /// Its score by the objective of the search.
    pub score: f64,
}

/// The outcome of a search over spatial and temporal mappings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnrolledOutcome {
    /// The best; `None` where nothing fits.
    pub best: Option<UnrolledSolution>,
    /// Number of legal unrollings that differ for the cost model.
    pub unrollings: usize,
    /// Number of unrollings whose temporal mapping was searched.
    pub searched: usize,
    /// Number of those with a mapping that fits.
    pub feasible: usize,
    /// Number of unrollings left out because their lower bound is no better than the best mapping.
    pub skipped: usize,
    /// The proof that none of all unrollings and mappings is better, or the gap.
    pub proof: Proof,
}

/// A joint search of spatial and temporal mappings, as a [`Job`] whose tasks are unrollings, or one by one
/// ([`Self::solve`], [`Self::offer`]).
///
/// Once all candidates before [`Self::end`] are solved, the best does not depend on which worker solved which
/// candidate, nor on the order: ties go to the candidate with the lower number. A job begins candidates in batches, and
/// the next batch only once the last one is solved, so that the same candidates are searched however many workers there
/// are.
pub struct UnrolledSearch<'a> {
    layer: UnrolledLayer<'a>,
    objective: Objective,
    limits: Limits,
    strategy: Strategy,
    /// Unrollings with their lower bounds, which ascend.
    candidates: Vec<(f64, Vec<Unroll>)>,
    /// Whether a job did not begin a candidate, as its sharper bounds prove that it cannot be the best.
    ruled_out: Vec<bool>,
    /// The mappings so far that may be the best, with the numbers of their candidates.
    contenders: Contenders<UnrolledSolution, usize>,
    /// Result of each candidate that was searched.
    solved: Vec<Option<SolvedUnrolling>>,
    batch: Batch,
}

/// Candidates that a job begins before it looks at the bounds again: first so many, as nothing rules any of them out.
const FIRST_BATCH: usize = 8;
/// Each batch has twice as many candidates as the one before, but no more than this: enough for all workers.
const LAST_BATCH: usize = 64;

/// Candidates that a job has begun.
struct Batch {
    /// Number of candidates in the next batch.
    size: usize,
    /// The first candidate after the batch.
    end: usize,
    /// Candidates that are left, the next one last.
    left: Vec<usize>,
    /// Number of candidates that workers have.
    out: usize,
}

impl Default for Batch {
    fn default() -> Self {
        Self { size: FIRST_BATCH, end: 0, left: Vec::new(), out: 0 }
    }
}

/// The result of the search of one unrolling.
#[derive(Clone, Copy)]
struct SolvedUnrolling {
    /// The score of its best mapping.
    score: Option<f64>,
    proof: Proof,
}

impl<'a> UnrolledSearch<'a> {
    /// Prepares the candidates; the options limit their number.
    pub fn new(
        layer: UnrolledLayer<'a>,
        options: &UnrollingOptions,
        objective: Objective,
        limits: Limits,
        strategy: Strategy,
    ) -> Self {
        let Unrollings { list, .. } = unrollings(layer.core, &layer.rules, &layer.shape, layer.levels, options);
        let mut candidates: Vec<(f64, Vec<Unroll>)> = list
            .into_iter()
            .map(|unrolling| {
                let problem = layer.with(&unrolling.unroll);
                let (least, steps) = (Evaluator::new(&problem).unavoidable(), problem.temporal_cycles());
                (LowerBound::new(&problem, &objective, &least, steps).score, unrolling.unroll)
            })
            .collect();
        // Stable: of equal bounds the fewest temporal steps come first, then the order of enumeration.
        sort_by(&mut candidates, |a, b| a.0.total_cmp(&b.0));
        let (solved, ruled_out) = (vec![None; candidates.len()], vec![false; candidates.len()]);
        let (contenders, batch) = (Contenders::default(), Batch::default());
        Self { layer, objective, limits, strategy, candidates, ruled_out, contenders, solved, batch }
    }

    /// Leaves out unrollings that differ from one before only in names: of loops that all operands treat alike, and of
    /// columns and rows where the layer is symmetric. For searches of all mappings, to which names make no difference.
    pub fn without_alike(mut self) -> Self {
        let mut known = FxHashSet::default();
        let layer = self.layer;
        self.candidates.retain(|(_, unroll)| {
            let problem = layer.with(unroll);
            UnrollingClass::new(&problem).is_none_or(|class| known.insert(class))
        });
        self.solved.truncate(self.candidates.len());
        self.ruled_out.truncate(self.candidates.len());
        self
    }

    /// Number of unrollings.
    pub fn unrollings(&self) -> usize {
        self.candidates.len()
    }

    /// Lower bound and loops of unrolling number `index`, the lowest bound first.
    pub fn candidate(&self, index: usize) -> Option<(f64, &[Unroll])> {
        self.candidates.get(index).map(|(bound, unroll)| (*bound, unroll.as_slice()))
    }

    /// Number of candidates that may be better than the best mapping so far: the first ones, as bounds ascend. It never
    /// grows.
    pub fn end(&self) -> usize {
        // Candidates that may be as good as the best count, too, so that ties do not depend on the order of results.
        self.candidates.partition_point(|(bound, _)| self.contenders.may_tie(*bound))
    }

    /// Begins the next batch: the next candidates that their sharper bounds do not rule out.
    fn begin_batch(&mut self) {
        let end = self.end();
        while self.batch.left.len() < self.batch.size && self.batch.end < end {
            let number = self.batch.end;
            self.batch.end += 1;
            self.ruled_out[number] = self.is_ruled_out(&self.candidates[number].1);
            if !self.ruled_out[number] {
                self.batch.left.push(number);
            }
        }
        self.batch.left.reverse();
        self.batch.size = (2 * self.batch.size).min(LAST_BATCH);
    }

    /// Whether sharper bounds prove that no mapping with this unrolling is better than the best so far.
    fn is_ruled_out(&self, unroll: &[Unroll]) -> bool {
        if self.contenders.is_empty() {
            return false;
        }
        let problem = self.layer.with(unroll);
        let evaluator = Evaluator::new(&problem);
        let energy = evaluator.lower_bound();
        let is_beaten = |cycles: u64| {
            let least = LowerBound::new(&problem, &self.objective, &energy, cycles);
            self.contenders.rule_out(|_| self.objective.figures(least.score, least.energy_pj, least.cycles as f64))
        };
        // Mostly the steps are enough. Elements are bounded under the corrected rules only.
        is_beaten(problem.temporal_cycles())
            || problem.rules == Rules::CORRECTED && is_beaten(LatencyLowerBound::new(&evaluator).least_cycles(&energy))
    }

    /// Searches one unrolling; `None` where there is no such one.
    pub fn solve(&self, index: usize) -> Option<Outcome> {
        self.solve_by(index, |problem| find_best(problem, &self.objective, &self.limits, self.strategy))
    }

    /// As [`Self::solve`], but by another search, such as one under constraints.
    pub fn solve_by(&self, index: usize, search: impl FnOnce(&LayerOnCore<'_>) -> Outcome) -> Option<Outcome> {
        let (_, unroll) = self.candidates.get(index)?;
        Some(search(&self.layer.with(unroll)))
    }

    /// Takes the result of unrolling number `index`.
    pub fn offer(&mut self, index: usize, outcome: &Outcome) {
        let Some((_, unroll)) = self.candidates.get(index) else { return };
        let problem = self.layer.with(unroll);
        let scored = outcome.best.as_ref().and_then(|solution| {
            let cost = solution.cost(&problem)?;
            Some((self.objective.score(&problem, &cost), solution))
        });
        self.solved[index] = Some(SolvedUnrolling { score: scored.map(|(score, _)| score), proof: outcome.proof });
        let Some((score, solution)) = scored else { return };
        let figures = self.objective.figures(score, solution.energy_pj, solution.latency_cycles as f64);
        self.contenders.offer(figures, index, || {
            let (unroll, solution) = (unroll.clone(), solution.clone());
            UnrolledSolution { unroll, solution, score }
        });
    }

    /// The outcome so far. It is final once all candidates before [`Self::end`] are solved.
    pub fn outcome(&self) -> UnrolledOutcome {
        UnrolledOutcome {
            best: self.contenders.best().cloned(),
            unrollings: self.unrollings(),
            searched: self.solved.iter().flatten().count(),
            feasible: self.solved.iter().flatten().filter(|solved| solved.score.is_some()).count(),
            skipped: {
                let end = self.end();
                let of = self.solved.iter().zip(&self.ruled_out).enumerate();
                of.filter(|(index, (solved, ruled_out))| solved.is_none() && (*index >= end || **ruled_out)).count()
            },
            proof: self.proof(),
        }
    }

    /// The weakest proof of all candidates that count. A candidate that is not solved leaves its bound open, one that
    /// was solved with a gap the lower end of that gap.
    fn proof(&self) -> Proof {
        let Some(best) = self.contenders.best() else { return Proof::None };
        // `least` is a lower bound on the scores of all mappings.
        let (mut least, mut ties) = (best.score, false);
        for (index, solved) in self.solved.iter().enumerate().take(self.end()) {
            least = match solved {
                None if self.ruled_out[index] => least,
                None => least.min(self.candidates[index].0),
                Some(SolvedUnrolling { proof: Proof::None, .. }) => return Proof::None,
                Some(SolvedUnrolling { score: Some(score), proof: Proof::Gap(gap) }) => least.min(score * (1.0 - gap)),
                Some(_) => least,
            };
            ties |= solved.is_some_and(|solved| solved.proof == Proof::OptimalButForTies);
        }
        match () {
            () if least < best.score => Proof::Gap((best.score - least) / best.score.abs()),
            () if ties => Proof::OptimalButForTies,
            () => Proof::Optimal,
        }
    }
}

/// The mapping problem of an unrolling.
#[derive(Debug, Clone)]
pub struct UnrollingTask {
    /// Index of the unrolling.
    number: usize,
    unroll: Vec<Unroll>,
}

/// The layer, and the search of its mapping problems.
pub type UnrollingBench<'a> = (UnrolledLayer<'a>, &'a (dyn Fn(&LayerOnCore<'_>) -> Outcome + Sync));

impl<'a> Job for UnrolledSearch<'a> {
    type Bench = UnrollingBench<'a>;
    type Task = UnrollingTask;
    type Done = Outcome;

    fn run(
        (layer, search): &mut UnrollingBench<'a>,
        task: &UnrollingTask,
        _: &mut dyn FnMut() -> bool,
    ) -> Result<Outcome, Diagnostics> {
        Ok(search(&layer.with(&task.unroll)))
    }

    fn next(&mut self, _: Worker) -> Option<UnrollingTask> {
        if self.batch.left.is_empty() && self.batch.out == 0 {
            self.begin_batch();
        }
        let number = self.batch.left.pop()?;
        self.batch.out += 1;
        Some(UnrollingTask { number, unroll: self.candidates[number].1.clone() })
    }

    fn take(&mut self, task: UnrollingTask, outcome: Outcome) {
        self.batch.out -= 1;
        self.offer(task.number, &outcome);
    }

    fn put_back(&mut self, task: UnrollingTask) {
        self.batch.out -= 1;
        self.batch.left.push(task.number);
    }

    fn progress(&self) -> Progress {
        let ruled_out = self.ruled_out.iter().filter(|ruled_out| **ruled_out).count();
        let done = self.solved.iter().flatten().count() + ruled_out;
        Progress { done, all: self.end().max(done), unit: "unrollings", are_alike: false }
    }
}

/// Lower bounds on the figures of every mapping with one unrolling, found without a search.
struct LowerBound {
    score: f64,
    energy_pj: f64,
    cycles: u64,
}

impl LowerBound {
    /// The bounds that follow from one on accesses and one on cycles.
    fn new(problem: &LayerOnCore<'_>, objective: &Objective, least: &LayerEnergy, cycles: u64) -> Self {
        // ZigZag's reduction of loading may make it negative, and latency less than the steps.
        let cycles = if problem.rules.loading_reduction_repeats { 0 } else { cycles };
        let mut least = least.clone();
        // Under the rules of the tools, truncated amounts may move less than all data once: only the operations are
        // sure.
        if problem.rules != Rules::CORRECTED {
            least.words = Default::default();
            least.total_pj = least.fixed.total_pj();
        }
        let score = match objective.never_falls() {
            true => objective.score_of(problem, &least, Cycles(cycles as f64)),
            false => f64::NEG_INFINITY,
        };
        Self { score, energy_pj: least.total_pj, cycles }
    }
}

/// All that distinguishes an unrolling for mappings that may order loops in any way. Two unrollings of one layer are of
/// one class if they differ only in names of loops:
///
/// - Loops that are relevant alone, or irrelevant, to the same operands. Data, crossings and reuse follow from their
///   products. As widths divide the loops, the loops left for time are those of the layer without the unrolled ones,
///   and their prime factors together follow from the products, too.
/// - Columns and rows, if sizes, kernels, strides, dilations and borders are equal.
#[derive(PartialEq, Eq, Hash, PartialOrd, Ord)]
struct UnrollingClass {
    /// Per operand and level, the product of unrolled loops of each kind below it.
    widths: Vec<[u64; 8]>,
    drain_cycles: u64,
}

impl UnrollingClass {
    /// `None` where a width does not divide its loop, so that parts of it differ in size, or where the array computes
    /// in memory, whose dimensions have different roles.
    fn new(problem: &LayerOnCore<'_>) -> Option<Self> {
        let (shape, spatial) = (&problem.shape, &problem.spatial);
        let divides = spatial.loops.iter().all(|unrolled| unrolled.average == unrolled.peak as f64);
        if !divides || problem.in_memory.is_some() || problem.rules != Rules::CORRECTED {
            return None;
        }
        let relations = |dim: Dim| [0, 1, 2].map(|operand: usize| problem.operands[operand].relevance[dim as usize]);
        let is_window = |dim: Dim| {
            relations(dim).iter().any(|relevance| matches!(relevance, Relevance::PartialX | Relevance::PartialY))
        };
        // The first loop to which all operands relate in the same way stands for all of them.
        let kind = |dim: Dim| {
            let alike = |other: &Dim| *other == dim || !is_window(dim) && relations(*other) == relations(dim);
            Dim::ALL.into_iter().find(alike).unwrap_or(dim)
        };
        let size = |dim: Dim| shape.size(dim);
        let is_symmetric = (size(Dim::OX), size(Dim::FX)) == (size(Dim::OY), size(Dim::FY))
            && shape.stride.0 == shape.stride.1
            && shape.dilation.0 == shape.dilation.1
            && shape.input_limit.0 == shape.input_limit.1
            && shape.untouched.0 == shape.untouched.1;
        let exchanged = |dim: Dim| match dim {
            Dim::OX => Dim::OY,
            Dim::OY => Dim::OX,
            Dim::FX => Dim::FY,
            Dim::FY => Dim::FX,
            other => other,
        };
        let class = |name: &dyn Fn(Dim) -> Dim| {
            let below = problem.operands.iter().flat_map(|view| &view.unrolled);
            let widths = below.map(|loops| {
                let mut widths = [1; 8];
                for &(dim, _, peak) in loops {
                    widths[kind(name(dim)) as usize] *= peak;
                }
                widths
            });
            Self { widths: widths.collect(), drain_cycles: problem.drain_cycles }
        };
        let as_named = class(&|dim| dim);
        Some(if is_symmetric { as_named.min(class(&exchanged)) } else { as_named })
    }
}
