//! The totals of a point: the sums of [`super::Assembler`] without an account, as heatmaps show them.

use super::copies::CopyRoutes;
use super::ids::ProblemId;
use super::plan::{LayerTilePlan, PointPlan, TilePlan};
use super::problems::Problems;
use super::solved::{ProblemCost, WATCHED};
use crate::cost::{AccessCause, ByCause, EnergyCause, EnergySplit, LatencyCause, LatencySplit};
use crate::hardware::{Core, MemoryId};
use crate::ids::TiSlice;
use crate::rules::Rules;
use crate::sorting::sort_by;

/// Energy, latency and accesses of a point: the sums of its account.
#[derive(Debug, Clone, PartialEq)]
pub struct PointTotals {
    /// Energy by cause.
    pub energy: EnergySplit,
    /// Latency by cause.
    pub latency: LatencySplit,
    /// Multiply-accumulates, recomputed ones included.
    pub macs: u64,
    /// Full-width words read from and written to each watched memory.
    pub words: [ByCause; WATCHED],
    /// Energy, pJ, and latency, cycles, of each stack.
    pub stacks: Vec<(f64, u64)>,
}

/// The cost of a point as an expression in the costs of its mapping problems: copies, and each problem times its count. It is evaluated
/// again as more of these costs are known.
#[derive(Debug, Clone)]
pub struct CostExpression {
    /// The constant term: data copy actions.
    copies: Sum,
    copied_words: [ByCause; WATCHED],
    /// Each problem with its count.
    problems: Vec<(ProblemId, u64)>,
}

impl CostExpression {
    /// The problems.
    pub fn problems(&self) -> impl Iterator<Item = ProblemId> {
        self.problems.iter().map(|&(problem, _)| problem)
    }

    /// The problems by descending share of the expression's energy and latency, as far as `costs` has them.
    pub fn by_share(&self, costs: &TiSlice<ProblemId, Option<ProblemCost>>) -> Vec<ProblemId> {
        let of = |&(problem, times): &(ProblemId, u64)| {
            let cost = costs.get(problem).and_then(Option::as_ref);
            let amounts = cost.map_or((0.0, 0.0), |cost| (cost.energy.total_pj(), cost.latency.total_cycles() as f64));
            (problem, amounts.0 * times as f64, amounts.1 * times as f64)
        };
        let all: Vec<(ProblemId, f64, f64)> = self.problems.iter().map(of).collect();
        let (energy, latency) = all.iter().fold((1.0, 1.0), |sum, (_, pj, cycles)| (sum.0 + pj, sum.1 + cycles));
        let mut shares: Vec<(ProblemId, f64)> =
            all.iter().map(|(problem, pj, cycles)| (*problem, pj / energy + cycles / latency)).collect();
        // The sort is stable, so that equal shares keep their order.
        sort_by(&mut shares, |(_, a), (_, b)| b.total_cmp(a));
        shares.into_iter().map(|(problem, _)| problem).collect()
    }

    /// The value of the expression; `None` where the cost of a problem is missing. As it adds up in another order, its last digits may
    /// differ from those of [`TotalsAssembler::totals`]. It has no stacks.
    pub fn total(&self, costs: &TiSlice<ProblemId, Option<ProblemCost>>) -> Option<PointTotals> {
        let mut sum = self.copies;
        let mut words = self.copied_words;
        for &(problem, times) in &self.problems {
            let cost = costs.get(problem)?.as_ref()?;
            sum.energy.add(&cost.energy, times as f64);
            sum.latency.add(&cost.latency, times);
            for (words, of_problem) in words.iter_mut().zip(&cost.words) {
                words.add(of_problem, times as f64);
            }
        }
        Some(PointTotals { energy: sum.energy, latency: sum.latency, macs: 0, words, stacks: Vec::new() })
    }
}

/// Assembles the totals of points.
pub struct TotalsAssembler<'a> {
    /// The memories whose words are counted.
    pub watched: [MemoryId; WATCHED],
    problems: &'a Problems,
    routes: CopyRoutes<'a>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    energy: EnergySplit,
    latency: LatencySplit,
    macs: u64,
}

impl<'a> TotalsAssembler<'a> {
    /// Adds up points whose problems are in `problems`.
    pub fn new(core: &'a Core, rules: Rules, problems: &'a Problems, watched: [MemoryId; WATCHED]) -> Self {
        Self { watched, problems, routes: CopyRoutes::new(core, rules) }
    }

    /// What a point costs, to the bit as its whole account has it; `None` where the cost of a problem is missing, or a sum
    /// is too large to count. `costs` holds one entry for each problem.
    pub fn totals(&mut self, plan: &PointPlan, costs: &TiSlice<ProblemId, Option<ProblemCost>>) -> Option<PointTotals> {
        let mut words = [ByCause::default(); WATCHED];
        let mut all = Sum::default();
        let mut stacks = Vec::with_capacity(plan.stacks.len());
        for stack in &plan.stacks {
            let mut sum = Sum::default();
            for tile in &stack.types {
                let of_tile = self.tile(tile, costs, &mut words)?;
                sum.energy.add(&of_tile.energy, tile.count as f64);
                sum.latency.add(&of_tile.latency, tile.count);
                all.macs = of_tile.macs.checked_mul(tile.count).and_then(|macs| macs.checked_add(all.macs))?;
            }
            all.energy.add(&sum.energy, 1.0);
            all.latency.add(&sum.latency, 1);
            stacks.push((sum.energy.total_pj(), sum.latency.total_cycles()));
        }
        // Sums stop at the largest number; one that got there is wrong.
        (all.latency.total_cycles() < u64::MAX).then_some(PointTotals {
            energy: all.energy,
            latency: all.latency,
            macs: all.macs,
            words,
            stacks,
        })
    }

    /// The cost expression of a point.
    pub fn cost_expression(&mut self, plan: &PointPlan) -> CostExpression {
        let layers = plan.stacks.iter().flat_map(|stack| &stack.types).map(|tile| tile.layers.len());
        let mut expression = CostExpression {
            copies: Sum::default(),
            copied_words: [ByCause::default(); WATCHED],
            problems: Vec::with_capacity(layers.sum()),
        };
        for tile in plan.stacks.iter().flat_map(|stack| &stack.types) {
            let mut words = [ByCause::default(); WATCHED];
            for layer in &tile.layers {
                let copies = self.copies(tile, layer, &mut words);
                expression.copies.energy.add(&copies.energy, tile.count as f64);
                expression.copies.latency.add(&copies.latency, tile.count);
                expression.problems.extend(layer.problem.map(|problem| (problem, tile.count)));
            }
            expression.copied_words.iter_mut().zip(words).for_each(|(all, of_tile)| all.add(&of_tile, 1.0));
        }
        expression.problems.sort_unstable();
        expression.problems.dedup_by(|(problem, times), (kept, kept_times)| {
            let is_same = problem == kept;
            *kept_times += if is_same { *times } else { 0 };
            is_same
        });
        expression
    }

    /// What is copied before one layer of one tile; the words are those of all tiles of the type.
    fn copies(&mut self, tile: &TilePlan, layer: &LayerTilePlan, words: &mut [ByCause; WATCHED]) -> Sum {
        let copies = tile.copies_before(layer);
        let copied = self.routes.cost(copies);
        for action in copies {
            for hop in self.routes.hops(action) {
                for (memory, moved) in [(hop.from.0, hop.read_words), (hop.to.0, hop.write_words)] {
                    for (words, watched) in words.iter_mut().zip(self.watched) {
                        if memory == watched {
                            words[AccessCause::Copy] += moved * tile.count as f64;
                        }
                    }
                }
            }
        }
        let mut sum = Sum::default();
        sum.energy[EnergyCause::Access(AccessCause::Copy)] = copied.energy_pj;
        sum.latency[LatencyCause::Copy] = copied.latency.0;
        sum
    }

    fn tile(
        &mut self,
        tile: &TilePlan,
        costs: &TiSlice<ProblemId, Option<ProblemCost>>,
        words: &mut [ByCause; WATCHED],
    ) -> Option<Sum> {
        let times = tile.count as f64;
        let mut sum = Sum::default();
        for layer in &tile.layers {
            let copies = self.copies(tile, layer, words);
            sum.energy.add(&copies.energy, 1.0);
            sum.latency.add(&copies.latency, 1);
            if let Some(problem) = layer.problem {
                let cost = costs.get(problem)?.as_ref()?;
                for (words, of_problem) in words.iter_mut().zip(&cost.words) {
                    words.add(of_problem, times);
                }
                sum.energy.add(&cost.energy, 1.0);
                sum.latency.add(&cost.latency, 1);
                sum.macs += self.problems.list.get(problem)?.shape.macs();
            }
        }
        Some(sum)
    }
}
