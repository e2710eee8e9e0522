//! The best mapping of all, proved: every order of loop prime factors with every placement of memory levels.
//!
//! LOMA enumerates orders and allocates each greedily. But the data that crosses the boundary between two levels of an
//! operand ([`Boundary`](crate::cost::Boundary)) depends only on which loop factors lie below it, not on their order.
//! So a mapping is a chain of growing sets ([`space`], [`factors`]). Real layers have 50 to 9,000 sets where they have
//! 10^3 to 10^12 orders. The least energy, or number of accesses, is a shortest path through the sets:
//!
//! - [`cheapest`]: A* over placements of boundaries. No loop lies just above a boundary of an operand to which it is
//!   irrelevant: merging stationary loops would hand it down, and the result is another chain. Where operands compete
//!   for a memory, the estimate charges a multiplier for every bit of it.
//! - [`ties`], [`orders`]: the fastest of all chains of equal price. A lower bound on latency that depends on the sets
//!   alone ([`LatencyLowerBound`](crate::cost::LatencyLowerBound)) prunes the chains; of each only the few orders that
//!   latency can tell apart are evaluated.
//! - [`branch`]: objectives in which latency counts, and large ties, by a best-first search over partial chains. A
//!   chain's bound on latency is a vector of loads, one for each port and cause of waiting. Dominance: of two chains to
//!   the same state, the one that is no faster in any load is deferred. It is taken up again only if no order reaches
//!   the bound of the other. By latency, a search that ends early is followed by one that leaves prices out.
//! - [`relaxation`]: if that does not end soon, better bounds on latency and price together, by Lagrangian relaxation.
//!   The search then starts again from the best mapping known, and now and then follows the best partial chain to its
//!   end.
//! - [`incumbents`]: what such a search keeps, the best mapping or the front of energy and latency, and which bounds
//!   that beats.
//! - [`to_go`]: what the boundaries that are left may add to a partial chain.
//! - [`climb`]: steps from a legal mapping to better ones, where a search under constraints ends before it reaches good
//!   mappings.
//! - [`legality`]: the questions that all of these ask [`Constraints`](super::Constraints).
//!
//! [`Outcome::proof`](super::Outcome::proof) states the proof. A search that is stopped returns its best mapping so far
//! and the gap. `tests/engine/search/exact_search.rs` compares with brute force, `tests/reference/exact.rs` with LOMA.

mod branch;
mod cheapest;
mod climb;
pub mod factors;
mod incumbents;
pub mod legality;
mod orders;
mod relaxation;
mod space;
mod ties;
mod to_go;

use legality::{Legality, NoConstraints};

use super::shortage::explain_infeasible;
use super::{Limits, Objective, Outcome, Proof, StopReason, loma};
use crate::cost::Evaluator;
use crate::hardware::{MemoryId, Movement, Operand};
use crate::mapping::{
    Allocation, LayerOnCore, LayerOperand, Relevance, TemporalLoop, copies, slice_bits, slice_elements, temporal,
};
use crate::sorting::sort_few_by_key;
use crate::tolerance::{ACCESS_TOLERANCE, PRICE_TOLERANCE};
use crate::workload::gcd;
use branch::BranchOutcome;
use cheapest::Cheapest;
use incumbents::Wanted;
use relaxation::{Functional, Relaxation};
use space::{BoundarySpace, Price};

/// Limit on the sets of factors. Each boundary has a table with one entry for each set that its operand sees.
pub const MOST_SETS: u32 = 1 << 19;

/// Limit on the chains and orders that are evaluated where not all cheapest chains are known: enough for a good mapping
/// to start from.
const MOST_CHAINS: u64 = 200;

/// Finds the best mapping by `objective`, and among equals the fastest: of all mappings, or of the legal ones.
pub(super) fn find_best<L: Legality>(
    evaluator: &Evaluator<'_>,
    objective: &Objective,
    limits: &Limits,
    has_time: &dyn Fn() -> bool,
    legal: Option<&L>,
) -> Outcome {
    find_best_within(evaluator, objective, limits, has_time, legal, (f64::INFINITY, Effort::Whole))
}

/// As [`find_best`], as far as `effort` says. It may end with no mapping once it is proved that all mappings need more
/// energy than `at_most`, and with any one that all take as many cycles; other objectives do not use this limit.
pub(super) fn find_best_within<L: Legality>(
    evaluator: &Evaluator<'_>,
    objective: &Objective,
    limits: &Limits,
    has_time: &dyn Fn() -> bool,
    legal: Option<&L>,
    (at_most, effort): (f64, Effort),
) -> Outcome {
    let problem = evaluator.problem();
    let counts = match objective {
        Objective::Energy => true,
        Objective::Latency => effort != Effort::Whole,
        _ => false,
    };
    let at_most = if counts { at_most } else { f64::INFINITY };
    ExactSearch { problem, evaluator, limits, has_time, legal, at_most, effort }.best(objective)
}

/// The range of slopes whose corners of the front are sought, beside a mapping of least energy; `None` for the whole
/// front.
type SlopesBeside<'s> = &'s dyn Fn(&super::Solution) -> Option<(f64, f64)>;

/// A part of the front of energy and latency, by ascending energy, the range of slopes that it covers, and the effort
/// and the proof as [`find_best`] has them.
pub(super) fn find_front(
    evaluator: &Evaluator<'_>,
    slopes: SlopesBeside<'_>,
    limits: &Limits,
    has_time: &dyn Fn() -> bool,
) -> (Vec<super::Solution>, (f64, f64), Outcome) {
    let (problem, legal) = (evaluator.problem(), None::<&NoConstraints>);
    let search =
        ExactSearch { problem, evaluator, limits, has_time, legal, at_most: f64::INFINITY, effort: Effort::Whole };
    let mut outcome = Outcome { proof: Proof::Optimal, ..Outcome::NOTHING };
    let loops = search.loops(&mut outcome);
    let (front, slopes) = search.front(&loops, slopes, &mut outcome).unwrap_or_default();
    if outcome.proof != Proof::Optimal && !has_time() {
        outcome.stopped = StopReason::OutOfTime;
    }
    if problem.rules.loading_reduction_repeats {
        // As above: the bounds on latency prove nothing.
        outcome.proof = Proof::None;
    }
    (front, slopes, outcome)
}

/// Whether some mapping fits: quick sufficient and necessary tests first, then a search for any chain. Also `true` if
/// the search reaches its limit and leaves the question open.
pub(super) fn has_mapping(problem: &LayerOnCore<'_>, limits: &Limits) -> bool {
    if !problem.rules.memory_reserved_for_averages && outermost_loops_fit(problem) {
        return true;
    }
    let legal = None::<&NoConstraints>;
    let evaluator = &Evaluator::new(problem);
    let search = ExactSearch {
        problem,
        evaluator,
        limits,
        has_time: &|| true,
        legal,
        at_most: f64::INFINITY,
        effort: Effort::Whole,
    };
    let loops = search.loops(&mut Outcome::NOTHING.clone());
    if !problem.rules.mappings_fit_unchecked {
        if search.simplest_fits(&loops) {
            return true;
        }
        if !explain_infeasible(problem).is_empty() {
            return false;
        }
    }
    search.has_chain(&loops) != Some(false)
}

/// Whether a legal mapping exists; `None` where the limits leave the question open.
pub(super) fn has_legal_mapping<L: Legality>(problem: &LayerOnCore<'_>, limits: &Limits, legal: &L) -> Option<bool> {
    let (evaluator, has_time) = (&Evaluator::new(problem), &|| true);
    let search = ExactSearch {
        problem,
        evaluator,
        limits,
        has_time,
        legal: Some(legal),
        at_most: f64::INFINITY,
        effort: Effort::Whole,
    };
    let mut outcome = Outcome { proof: Proof::Optimal, ..Outcome::NOTHING };
    let loops = search.loops(&mut outcome);
    // Orders of merged loops are only a part of all orders: if one fits, the answer is yes, but if none fits, it stays
    // open.
    search.has_chain(&loops).filter(|found| *found || outcome.proof == Proof::Optimal)
}

/// Whether the mapping with all loops at the highest levels fits, as most do. A sufficient test: outputs count with the
/// larger of their two precisions.
fn outermost_loops_fit(problem: &LayerOnCore<'_>) -> bool {
    problem.core.memories.keys().all(|memory| {
        let bits = problem.each_operand().filter_map(|(operand, view)| {
            let level = view.memories.iter().position(|&id| id == memory)?;
            let is_top = level + 1 == view.memories.len();
            let sizes = if is_top { &problem.spatial.temporal_sizes } else { &[1; 8] };
            let copies = copies(problem, operand, level, slice_elements(problem, operand, level, sizes));
            let bits = [true, false].map(|partial| copies * slice_bits(problem, operand, level, sizes, partial));
            bits.into_iter().max()
        });
        bits.sum::<u64>() <= problem.room_bits(memory)
    })
}

/// Limits of a search: the number of steps, and whether there is time for another one.
type SearchLimits<'a> = (u64, &'a dyn Fn() -> bool);

struct ExactSearch<'a, L> {
    problem: &'a LayerOnCore<'a>,
    evaluator: &'a Evaluator<'a>,
    limits: &'a Limits,
    has_time: &'a dyn Fn() -> bool,
    legal: Option<&'a L>,
    /// Mappings whose score is not below this do not count.
    at_most: f64,
    effort: Effort,
}

/// How much a search is to find out, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// A mapping of the best score, as far as that does not take long.
    Short,
    /// A mapping of the best score, whatever equal ones there are.
    Score,
    /// The best mapping, and among equals the fastest.
    Whole,
}

impl<L: Legality> ExactSearch<'_, L> {
    fn is_short(&self) -> bool {
        self.effort == Effort::Short
    }

    /// The best mapping by `objective`, and among equals the fastest.
    fn best(&self, objective: &Objective) -> Outcome {
        let mut outcome = Outcome { proof: Proof::Optimal, ..Outcome::NOTHING };
        let loops = self.loops(&mut outcome);
        let energy = |_: LayerOperand, _: usize, _: f64, pj: f64| pj;
        let fixed_pj = self.evaluator.fixed_pj();
        let dram = self.problem.core.top(Operand::O);
        match objective {
            Objective::Energy => self.cheapest(&loops, objective, &energy, (fixed_pj, PRICE_TOLERANCE), &mut outcome),
            Objective::DramAccesses => self.fewest_accesses(&loops, objective, Some(dram), &mut outcome),
            Objective::MemoryAccesses(name) => {
                let memory = self.problem.core.memories.position(|memory| memory.name == *name);
                self.fewest_accesses(&loops, objective, memory, &mut outcome);
            }
            Objective::Weighted(weights) => {
                let price = |operand, level, words, pj| {
                    let is_dram = self.is_at(operand, level, dram);
                    weights.energy * pj + if is_dram { weights.dram_accesses * words } else { 0.0 }
                };
                if weights.latency == 0.0 {
                    self.cheapest(
                        &loops,
                        objective,
                        &price,
                        (weights.energy * fixed_pj, PRICE_TOLERANCE),
                        &mut outcome,
                    );
                } else {
                    self.branch(&loops, objective, &price, weights.energy * fixed_pj, &mut outcome);
                }
            }
            Objective::Latency | Objective::EnergyDelayProduct => {
                self.branch(&loops, objective, &energy, fixed_pj, &mut outcome);
            }
        }
        if !objective.never_falls() {
            // Bounds of energy, words and cycles bound no score that falls where these grow.
            outcome.proof = Proof::None;
        }
        if outcome.proof != Proof::Optimal && !(self.has_time)() {
            outcome.stopped = StopReason::OutOfTime;
        }
        if self.problem.rules.loading_reduction_repeats {
            // ZigZag 3.8 subtracts some cycles of loading more than once. Latency may then fall below every sum of loads,
            // so the bounds on latency prove nothing.
            outcome.proof = match (objective, outcome.proof) {
                (Objective::Latency | Objective::EnergyDelayProduct | Objective::Weighted(_), _) => Proof::None,
                (_, Proof::Optimal) => Proof::OptimalButForTies,
                (_, proof) => proof,
            };
        }
        outcome
    }

    /// The loop prime factors; where there are too many sets of them, some are merged and nothing is proved.
    fn loops(&self, outcome: &mut Outcome) -> Vec<TemporalLoop> {
        if let Some(legal) = self.legal {
            let (loops, is_merged) = legal.loops();
            if is_merged {
                outcome.proof = Proof::None;
            }
            return loops.to_vec();
        }
        let sizes = &self.problem.spatial.temporal_sizes;
        let factors = |limit: usize| {
            temporal::limited_factors(sizes, &self.problem.shape.dim_order, limit, false).unwrap_or_default()
        };
        let mut loops = factors(usize::MAX);
        while factors::Factors::new(self.problem, &loops, MOST_SETS).is_none() && loops.len() > 1 {
            outcome.proof = Proof::None;
            loops = factors(loops.len() - 1);
        }
        loops
    }

    /// Whether one of the two mappings that need the least room fits. A memory holds least when all loops are above it.
    /// The exception is outputs: final ones have fewer bits than partial sums, so it may help to put all loops that add
    /// to them below.
    fn simplest_fits(&self, loops: &[TemporalLoop]) -> bool {
        let operands = &self.problem.operands;
        let adds = |next: &TemporalLoop| {
            let mut outputs = operands.iter().filter(|view| view.stored_as == Operand::O);
            outputs.all(|view| view.relevance[next.dim as usize] == Relevance::Irrelevant)
        };
        let mut loops = loops.to_vec();
        sort_few_by_key(&mut loops, |next| !adds(next));
        let adding = loops.iter().filter(|next| adds(next)).count();
        [0, adding].into_iter().any(|below| {
            let mut allocation = Allocation::default();
            for (operand, view) in self.problem.each_operand() {
                let top = view.memories.len() - 1;
                if view.stored_as == Operand::O {
                    allocation.ends[operand][..top].fill(below as u8);
                }
                allocation.ends[operand][top] = loops.len() as u8;
            }
            self.evaluator.moves(&loops, &allocation).is_some()
        })
    }

    fn space<'s>(&'s self, loops: &[TemporalLoop], price: Price<'s>) -> Option<BoundarySpace<'s, L>> {
        BoundarySpace::new(self.evaluator, self.problem, loops, (MOST_SETS, self.legal), price)
    }

    /// Whether there is any chain of sets; `None` if none was found within the limits.
    fn has_chain(&self, loops: &[TemporalLoop]) -> Option<bool> {
        // At price 0 all estimates are equal and progress alone orders the open states: A* becomes a depth-first
        // search.
        let Some(space) = self.space(loops, &|_, _, _, _| 0.0) else { return Some(false) };
        match cheapest::any(&space, (self.limits.max_states, self.has_time), 1.0, None) {
            None => Some(false),
            Some(found) => (space.tracks_all && !found.goals().is_empty()).then_some(true),
        }
    }

    /// A cheap mapping where the search cannot go through all chains. It runs again with ever coarser ties: the more
    /// prices count as equal, the more often progress decides which state comes next, and the sooner a chain is
    /// complete. In the end all prices are 0.
    fn by_any_chain(&self, loops: &[TemporalLoop], price: Price<'_>) -> Option<super::Solution> {
        let limits = (self.limits.max_states, self.has_time);
        let space = self.space(loops, price)?;
        let estimate = Relaxation::by_price(&space);
        let priced = [0.02, 0.2, 1.0, 10.0, 100.0, 1000.0].into_iter().find_map(|tie| {
            let mut found = cheapest::any(&space, limits, tie, estimate.as_ref())?;
            ties::fastest(&space, &mut found, (MOST_CHAINS, self.has_time)).0
        });
        priced.or_else(|| {
            let space = self.space(loops, &|_, _, _, _| 0.0)?;
            let mut found = cheapest::any(&space, limits, 1.0, None)?;
            ties::fastest(&space, &mut found, (MOST_CHAINS, self.has_time)).0
        })
    }

    /// A good mapping where no chain of least price was found: the better of LOMA's and one of nearly the least price.
    fn by_other_ways(
        &self,
        loops: &[TemporalLoop],
        objective: &Objective,
        price: Price<'_>,
    ) -> Option<super::Solution> {
        let found = [self.by_any_chain(loops, price), self.by_loma(objective)];
        let priced = found.into_iter().flatten().filter_map(|solution| {
            let cost = solution.cost_by(self.evaluator)?;
            Some((objective.figures_of(self.problem, &cost), solution))
        });
        crate::ties::best(priced, |(figures, _)| (*figures, ())).map(|(_, solution)| solution)
    }

    fn by_loma(&self, objective: &Objective) -> Option<super::Solution> {
        loma::find_best(self.problem, objective, &Limits::default(), self.has_time, self.legal).best
    }

    fn is_at(&self, operand: LayerOperand, level: usize, memory: MemoryId) -> bool {
        self.problem.operands[operand].memories[level] == memory
    }

    /// The chains of least price, or the first of them. Where a search with simple estimates does not end soon,
    /// operands compete for memories all along the chain, and an estimate along whole chains is worth its time.
    fn cheapest_chains(
        &self,
        space: &BoundarySpace<'_, L>,
        (tie, at_most): (f64, f64),
        first_only: bool,
        outcome: &mut Outcome,
    ) -> Option<Cheapest> {
        let Limits { max_states, estimate_after, .. } = *self.limits;
        let search = |most: u64, estimate: Option<&Functional>| {
            cheapest::search(space, (most, self.has_time), (tie, at_most), estimate, first_only)
        };
        let few = search(max_states.min(estimate_after), None)?;
        outcome.orders += few.expanded;
        if few.price.is_finite() || self.is_short() || max_states <= estimate_after || !(self.has_time)() {
            return Some(few);
        }
        let estimate = Relaxation::by_price(space);
        let found = search(max_states, estimate.as_ref())?;
        outcome.orders += found.expanded;
        Some(found)
    }

    /// The least sum of prices, and among equals the fastest mapping. `constant` is the part of the score that no
    /// choice changes.
    ///
    /// A* finds the chains of least price, and [`ties`] goes through them for the fastest. If that does not settle the
    /// tie within its limits, [`branch`] does, with the mapping found so far as its incumbent.
    fn cheapest(
        &self,
        loops: &[TemporalLoop],
        objective: &Objective,
        price: Price<'_>,
        (constant, tie): (f64, f64),
        outcome: &mut Outcome,
    ) {
        let Some(mut space) = self.space(loops, price) else { return };
        if !space.tracks_all {
            outcome.proof = Proof::None;
        }
        let at_most = self.at_most - constant - space.constant;
        let Some(mut cheapest) = self.cheapest_chains(&space, (tie, at_most), false, outcome) else { return };
        let takes_all = cheapest.is_complete && self.effort == Effort::Whole;
        let most = if takes_all { self.limits.max_states } else { MOST_CHAINS };
        let (mut best, mut settled) = ties::fastest(&space, &mut cheapest, (most, self.has_time));
        settled &= cheapest.is_complete;
        let leaves_ties = self.effort == Effort::Score && best.is_some();
        if !settled && !self.is_short() && !leaves_ties && cheapest.price.is_finite() {
            // Too many chains are equal to list them all. The best-first search prunes partial chains that cannot be
            // faster.
            space.constant += constant;
            let known = best.map(|best| (best, cheapest.price + space.constant)).into_iter().collect();
            let effort = (self.limits.max_ties, self.has_time);
            let found = branch::search(&space, Wanted::Best(objective), known, false, effort);
            space.constant -= constant;
            outcome.orders += found.expanded;
            settled = found.unexplored == f64::INFINITY;
            best = found.incumbents.best().map(|best| best.solution.clone());
        }
        // A search that stopped before its first mapping falls back on other ways.
        if self.is_short() && best.is_none() {
            outcome.proof = Proof::None;
            return;
        }
        outcome.best = best.or_else(|| self.by_other_ways(loops, objective, price));
        if !cheapest.price.is_finite() {
            let climb = |from| {
                climb::climb(self.evaluator, objective, self.legal, from, (self.limits.max_states, self.has_time))
            };
            outcome.best = outcome.best.take().and_then(climb);
        }
        if outcome.proof == Proof::Optimal && !settled {
            let Some(cost) = outcome.best.as_ref().and_then(|best| best.cost(self.problem)) else {
                outcome.proof = Proof::None;
                return;
            };
            let score = objective.score(self.problem, &cost);
            let gap = (score - (cheapest.bound + space.constant + constant)) / score;
            outcome.proof = if gap > PRICE_TOLERANCE { Proof::Gap(gap) } else { Proof::OptimalButForTies };
        }
    }

    /// The fewest words at a memory, and among equals the least energy: one sum of prices in which energy has a tiny
    /// weight. The first search finds the least energy, which sets the scale of that weight.
    fn fewest_accesses(
        &self,
        loops: &[TemporalLoop],
        objective: &Objective,
        memory: Option<MemoryId>,
        outcome: &mut Outcome,
    ) {
        let energy = |_: LayerOperand, _: usize, _: f64, pj: f64| pj;
        self.cheapest(loops, &Objective::Energy, &energy, (self.evaluator.fixed_pj(), PRICE_TOLERANCE), outcome);
        let Some(least_energy) = outcome.best.as_ref().map(|best| best.energy_pj) else { return };
        let Some(memory) = memory else { return };
        let description = &self.problem.core.memories[memory];
        let granules = description.operands.iter().flat_map(|&operand| {
            [Movement::ReadToLow, Movement::WriteFromLow].map(|movement| {
                let (width_bits, granularity_bits) = description.width_and_granularity_bits(operand, movement);
                gcd(width_bits, granularity_bits) as f64 / width_bits as f64
            })
        });
        // Words are multiples of a granule. Up to 64 times the least energy weighs no more than the smallest of them.
        let per_pj = granules.fold(1.0, f64::min) / (64.0 * least_energy);
        let price =
            |operand, level, words, pj| (if self.is_at(operand, level, memory) { words } else { 0.0 }) + per_pj * pj;
        self.cheapest(loops, objective, &price, (0.0, ACCESS_TOLERANCE), outcome);
    }

    /// Some mapping of least price, the fastest of a few; a legal one of higher price where the search ends before.
    fn any_mapping(
        &self,
        space: &BoundarySpace<'_, L>,
        loops: &[TemporalLoop],
        objective: &Objective,
        outcome: &mut Outcome,
    ) -> Option<super::Solution> {
        let limits = (self.limits.max_states, self.has_time);
        let mut cheapest = self.cheapest_chains(space, (PRICE_TOLERANCE, f64::INFINITY), true, outcome)?;
        if let Some(best) = ties::fastest(space, &mut cheapest, (MOST_CHAINS, self.has_time)).0 {
            return Some(best);
        }
        if self.is_short() {
            outcome.proof = Proof::None;
            return None;
        }
        let energy = |_: LayerOperand, _: usize, _: f64, pj: f64| pj;
        let Some(found) = self.by_other_ways(loops, objective, &energy) else {
            outcome.proof = Proof::None;
            return None;
        };
        climb::climb(self.evaluator, objective, self.legal, found, limits)
    }

    /// The best by an objective in which latency counts. A mapping of least price is the first incumbent; a short
    /// search with simple bounds settles most problems, and a longer one with the relaxation's bounds follows where it
    /// does not.
    fn branch(
        &self,
        loops: &[TemporalLoop],
        objective: &Objective,
        price: Price<'_>,
        constant: f64,
        outcome: &mut Outcome,
    ) {
        let Some(mut space) = self.space(loops, price) else { return };
        space.constant += constant;
        let proof = if space.tracks_all { outcome.proof } else { Proof::None };
        let Some(known) = self.any_mapping(&space, loops, objective, outcome) else { return };
        outcome.proof = proof;
        // Fractions of cycles are not told apart by bounds.
        let is_whole = !self.problem.rules.loading_overlaps_computation;
        let at_any_price = self.effort != Effort::Whole && is_whole && *objective == Objective::Latency;
        let sought = if at_any_price { Wanted::Fastest(self.at_most) } else { Wanted::Best(objective) };
        let mut found = self.branches(&space, sought, known, outcome);
        // Where nothing is proved, or the rules of a tool take mappings that do not fit, LOMA's may be better.
        if (found.unexplored < f64::INFINITY && !self.is_short() || self.problem.rules.mappings_fit_unchecked)
            && let Some(by_loma) = self.by_loma(objective)
            && let Some(cost) = by_loma.cost_by(self.evaluator)
        {
            found.incumbents.offer(sought.price(self.problem, &cost), &cost, || by_loma);
        }
        let Some(best) = found.incumbents.best() else { return };
        let score = found.incumbents.score_of(best);
        if outcome.proof == Proof::Optimal && (found.unexplored < f64::INFINITY || at_any_price) {
            // What is not below the limit was not looked for.
            let least = if at_any_price { found.unexplored.min(self.at_most) } else { found.unexplored };
            outcome.proof = match least < score {
                true => Proof::Gap((score - least) / score),
                false => Proof::OptimalButForTies,
            };
        }
        outcome.best = Some(best.solution.clone());
    }

    /// A short search with simple bounds, which settles most problems, and a longer one with the relaxation's bounds
    /// where it does not.
    fn branches<'o>(
        &self,
        space: &BoundarySpace<'_, L>,
        sought: Wanted<'o>,
        known: super::Solution,
        outcome: &mut Outcome,
    ) -> BranchOutcome<'o> {
        let Limits { max_branches, relax_after, .. } = *self.limits;
        let cost = known.cost_by(self.evaluator);
        let known = cost.map(|cost| (known, sought.price(self.problem, &cost))).into_iter().collect();
        let few = max_branches.min(relax_after);
        let max_branches = if self.is_short() { few } else { max_branches };
        let mut found = branch::search(space, sought, known, false, (few, self.has_time));
        outcome.orders += found.expanded;
        if found.unexplored < f64::INFINITY && few < max_branches {
            // Here better bounds are worth their time.
            let (bound, known) = (found.unexplored, found.incumbents.into_known());
            found = branch::search(space, sought, known, true, (max_branches, self.has_time));
            // Both searches prove a lower bound on all that they leave open, so the higher one holds.
            found.unexplored = found.unexplored.max(bound);
            outcome.orders += found.expanded;
            // Fractions of cycles are not told apart by bounds.
            let is_whole = !self.problem.rules.loading_overlaps_computation;
            let least = found.incumbents.best().map(|best| found.incumbents.score_of(best));
            let is_open = least.is_some_and(|least| found.unexplored < least);
            if is_open && is_whole && matches!(sought, Wanted::Best(Objective::Latency)) {
                return self.fastest(space, found, outcome);
            }
        }
        found
    }

    /// The least latency at any price, where the search for the cheapest of the fastest mappings ended early with what
    /// it `found`. That one keeps a partial chain for every price that is worth its cycles, and for equal cycles, too;
    /// without prices most of these dominate each other. What this proves leaves the tie open.
    fn fastest<'o>(
        &self,
        space: &BoundarySpace<'_, L>,
        found: BranchOutcome<'o>,
        outcome: &mut Outcome,
    ) -> BranchOutcome<'o> {
        let (bound, known) = (found.unexplored, found.incumbents.into_known());
        let mut fastest = branch::search(
            space,
            Wanted::Fastest(f64::INFINITY),
            known,
            true,
            (self.limits.max_branches, self.has_time),
        );
        outcome.orders += fastest.expanded;
        // At best all that is left open ties.
        let least = fastest.incumbents.best().map_or(f64::INFINITY, |best| fastest.incumbents.score_of(best));
        fastest.unexplored = fastest.unexplored.max(bound).min(least);
        fastest
    }

    /// A part of the front of energy and latency, and the range of slopes that it covers; `None` where nothing fits.
    fn front(
        &self,
        loops: &[TemporalLoop],
        slopes: SlopesBeside<'_>,
        outcome: &mut Outcome,
    ) -> Option<(Vec<super::Solution>, (f64, f64))> {
        let energy = |_: LayerOperand, _: usize, _: f64, pj: f64| pj;
        let mut space = self.space(loops, &energy)?;
        space.constant += self.evaluator.fixed_pj();
        if !space.tracks_all {
            outcome.proof = Proof::None;
        }
        let proof = outcome.proof;
        let known = self.any_mapping(&space, loops, &Objective::Energy, outcome)?;
        outcome.proof = proof;
        let slopes = slopes(&known);
        let sought = slopes.map_or(Wanted::Front, |(least, most)| Wanted::Corners(least, most));
        let found = self.branches(&space, sought, known, outcome);
        if found.unexplored < f64::INFINITY {
            outcome.proof = Proof::None;
        }
        Some((found.incumbents.into_front(), slopes.unwrap_or((0.0, f64::INFINITY))))
    }
}
