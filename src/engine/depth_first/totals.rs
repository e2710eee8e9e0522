//! The totals of a point: the sums of [`super::Assembler`] without an account, as heatmaps show them.

use super::account::PointAccount;
use super::copies::{CopyAction, CopyCost, CopyRoutes};
use super::ids::{NodeId, ProblemId};
use super::ledger::{PointLedger, Sum, add_up};
use super::plan::{LayerTilePlan, PointPlan, StackPlan, TilePlan};
use super::problems::Problems;
use super::solved::{COUNTED_MEMORIES, ProblemCost};
use crate::cost::{AccessCause, ByCause, EnergySplit, LatencySplit};
use crate::hardware::{Core, MemoryId};
use crate::ids::TiSlice;
use crate::rules::Rules;
use crate::sorting::{sort_by, sort_by_key};

/// Energy, latency and accesses of a point: the sums of its account.
#[derive(Debug, Clone, PartialEq)]
pub struct PointTotals {
    /// Energy by cause.
    pub energy: EnergySplit,
    /// Latency by cause.
    pub latency: LatencySplit,
    /// Multiply-accumulates, recomputed ones included.
    pub macs: u64,
    /// Full-width words read from and written to each counted memory.
    pub words: [ByCause; COUNTED_MEMORIES],
    /// Energy, pJ, and latency, cycles, of each stack.
    pub stacks: Vec<(f64, u64)>,
}

impl PointAccount {
    /// The sums of the account, with the words of two memories.
    pub fn totals(&self, counted: [MemoryId; COUNTED_MEMORIES]) -> PointTotals {
        PointTotals {
            energy: self.energy,
            latency: self.latency,
            macs: self.macs,
            words: counted.map(|memory| self.memories[memory].words),
            stacks: self.stacks.iter().map(|stack| (stack.energy_pj, stack.latency_cycles)).collect(),
        }
    }
}

/// The cost of a point as an expression in the costs of its mapping problems: copies, and each problem times its count. It is evaluated
/// again as more of these costs are known.
#[derive(Debug, Clone)]
pub struct CostExpression {
    /// The constant term: data copy actions.
    copies: Sum,
    copied_words: [ByCause; COUNTED_MEMORIES],
    /// Each problem with its count.
    problems: Vec<(ProblemId, u64)>,
}

impl CostExpression {
    /// Energy, pJ, and latency, cycles, of the constant term.
    pub fn constant(&self) -> (f64, f64) {
        (self.copies.energy.total_pj(), self.copies.latency.total_cycles() as f64)
    }

    /// Each mapping problem with its count.
    pub fn terms(&self) -> &[(ProblemId, u64)] {
        &self.problems
    }

    /// The mapping problems that occur in the point, each once.
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
    pub counted: [MemoryId; COUNTED_MEMORIES],
    problems: &'a Problems,
    routes: CopyRoutes<'a>,
}

impl<'a> TotalsAssembler<'a> {
    /// Adds up points whose problems are in `problems`.
    pub fn new(core: &'a Core, rules: Rules, problems: &'a Problems, counted: [MemoryId; COUNTED_MEMORIES]) -> Self {
        Self { counted, problems, routes: CopyRoutes::new(core, rules) }
    }

    /// The costs of a point, equal to the bit to those of its whole account; `None` where the cost of a problem is
    /// missing, or a sum is too large to count.
    pub fn totals<'c>(
        &mut self,
        plan: &PointPlan,
        costs: &dyn Fn(ProblemId) -> Option<&'c ProblemCost>,
    ) -> Option<PointTotals> {
        let stacks = Vec::with_capacity(plan.stacks.len());
        let mut totals = TotalsLedger { assembler: self, costs, words: [ByCause::default(); COUNTED_MEMORIES], stacks };
        let Sum { energy, latency, macs } = add_up(plan, &mut totals)?;
        Some(PointTotals { energy, latency, macs, words: totals.words, stacks: totals.stacks })
    }

    /// The cost expression of a point.
    pub fn cost_expression(&mut self, plan: &PointPlan) -> CostExpression {
        let layers = plan.stacks.iter().flat_map(|stack| &stack.types).map(|tile| tile.layers.len());
        let mut expression = CostExpression {
            copies: Sum::default(),
            copied_words: [ByCause::default(); COUNTED_MEMORIES],
            problems: Vec::with_capacity(layers.sum()),
        };
        for tile in plan.stacks.iter().flat_map(|stack| &stack.types) {
            let mut words = [ByCause::default(); COUNTED_MEMORIES];
            for layer in &tile.layers {
                let copies = Sum::of_copies(self.copied(tile.copies_before(layer), tile.count, &mut words));
                expression.copies.energy.add(&copies.energy, tile.count as f64);
                expression.copies.latency.add(&copies.latency, tile.count);
                expression.problems.extend(layer.problem.map(|problem| (problem, tile.count)));
            }
            expression.copied_words.iter_mut().zip(words).for_each(|(all, of_tile)| all.add(&of_tile, 1.0));
        }
        sort_by_key(&mut expression.problems, |(problem, _)| *problem);
        expression.problems.dedup_by(|(problem, times), (kept, kept_times)| {
            let is_same = problem == kept;
            *kept_times += if is_same { *times } else { 0 };
            is_same
        });
        expression
    }

    /// Notes the words of copies before a layer of one tile, of which there are `times`.
    fn copied(&mut self, actions: &[CopyAction], times: u64, words: &mut [ByCause; COUNTED_MEMORIES]) -> CopyCost {
        for action in actions {
            for hop in self.routes.hops(action) {
                for (memory, moved) in [(hop.from.0, hop.read_words), (hop.to.0, hop.write_words)] {
                    for (words, counted) in words.iter_mut().zip(self.counted) {
                        if memory == counted {
                            words[AccessCause::Copy] += moved * times as f64;
                        }
                    }
                }
            }
        }
        self.routes.cost(actions)
    }
}

/// Notes the words at the counted memories, and the sums of stacks.
struct TotalsLedger<'t, 'a, 'c> {
    assembler: &'t mut TotalsAssembler<'a>,
    costs: &'t dyn Fn(ProblemId) -> Option<&'c ProblemCost>,
    words: [ByCause; COUNTED_MEMORIES],
    stacks: Vec<(f64, u64)>,
}

impl PointLedger for TotalsLedger<'_, '_, '_> {
    type Copies = ();
    type Mapped = ();

    fn copied(&mut self, actions: &[CopyAction], times: u64) -> (CopyCost, ()) {
        (self.assembler.copied(actions, times, &mut self.words), ())
    }

    fn mapped(&mut self, problem: ProblemId, times: u64) -> Option<(Sum, ())> {
        let cost = (self.costs)(problem)?;
        for (words, of_problem) in self.words.iter_mut().zip(&cost.words) {
            words.add(of_problem, times as f64);
        }
        let macs = self.assembler.problems.list.get(problem)?.shape.macs();
        Some((Sum { energy: cost.energy, latency: cost.latency, macs }, ()))
    }

    fn layer(&mut self, _: (&StackPlan, &TilePlan), _: (NodeId, &LayerTilePlan), (): (), _: Option<()>) {}

    fn tile(&mut self, _: &StackPlan, _: &TilePlan, _: &Sum) {}

    fn stack(&mut self, _: &StackPlan, sum: &Sum) {
        self.stacks.push((sum.energy.total_pj(), sum.latency.total_cycles()));
    }
}
