//! The fastest order of loops for given boundaries.
//!
//! Boundaries fix which loops lie between them, and with that energy. Latency also depends on the loops just below a
//! boundary: whether the outermost loops of a memory level are relevant or irrelevant to its operand decides how long
//! the level may take to be refilled (ZigZag, Figs. 9 and 10).
//!
//! Orders are built from the outermost loop inwards. In each level only the *run* counts: its outermost loops as far as
//! they have the same relevance. Once the runs of all operands have ended, one order of the rest of the segment stands
//! for all of them. Likely fast orders come first, and usually the first one reaches the chain's bound; in the worst
//! case all orders that latency can tell apart are visited.

use super::factors::Factors;
use super::legality::{Legality, PlacedBoundaries};
use super::space::{BoundarySpace, PlacedBoundary};
use crate::cost::LatencyLowerBound;
use crate::hardware::MAX_LEVELS;
use crate::mapping::{Allocation, LayerOnCore, LayerOperand, OPERANDS, Relevance, TemporalLoop};
use crate::sorting::sort_few_by_key;
use rustc_hash::FxHashSet;

/// A chain of boundaries, cut into segments of loops between two different sets. The loops of a segment may take any
/// order.
pub struct BoundaryChain<'a, L> {
    problem: &'a LayerOnCore<'a>,
    factors: &'a Factors,
    legal: Option<&'a L>,
    /// From the innermost. The last one reaches up to the set of all loops.
    segments: Vec<Segment>,
    /// Operands (one bit each) with a boundary below all loops.
    innermost: u8,
    /// Boundaries from the innermost, each with the number of segments below.
    placed: Vec<(PlacedBoundary, usize)>,
    /// The same for every order, as levels end between segments.
    allocation: Allocation,
}

/// The loops between two neighbouring sets of a chain.
struct Segment {
    /// Different loops, each with its multiplicity.
    loops: Vec<(TemporalLoop, usize)>,
    /// Operands (one bit each) with a boundary at the outer end.
    ends: u8,
    /// The set below.
    below: u32,
    /// The boundaries placed at that set and below, for constraints.
    opened: PlacedBoundaries,
}

/// The run of the level that each operand is filling: `Some(None)` before its first loop, `Some(Some(relevance))` while
/// all of its loops have this relevance, `None` once it has ended. Highest levels have none, as nothing refills them.
type Runs = [Option<Option<Relevance>>; OPERANDS];

impl<'a, L: Legality> BoundaryChain<'a, L> {
    /// `placed` from the innermost.
    pub fn new(space: &'a BoundarySpace<'_, L>, placed: &[PlacedBoundary]) -> Self {
        let (problem, factors, legal) = (space.problem, &space.factors, space.legal);
        let mut chain = Self {
            problem,
            factors,
            legal,
            segments: Vec::new(),
            innermost: 0,
            placed: Vec::new(),
            allocation: Allocation::default(),
        };
        let (mut below, mut loops, mut opened) = (0, 0, PlacedBoundaries::default());
        let everything = factors.sets - 1;
        // The set of all loops ends the last segment, without a boundary.
        let ends = placed.iter().map(|placed| (placed.set, Some(placed))).chain([(everything, None)]);
        for (set, placed) in ends {
            if set != below {
                let mut segment = Segment { loops: Vec::new(), ends: 0, below, opened };
                for next in factors.between(below, set) {
                    loops += 1;
                    match segment.loops.last_mut() {
                        Some((same, count)) if *same == next => *count += 1,
                        _ => segment.loops.push((next, 1)),
                    }
                }
                chain.segments.push(segment);
                below = set;
            }
            if let Some(placed) = placed {
                if let Some(below) = placed.level.checked_sub(1) {
                    chain.allocation.ends[placed.operand][below] = loops;
                }
                if let Some(legal) = legal {
                    opened = legal.place(opened, set, placed.operand).unwrap_or(opened);
                }
                chain.placed.push((*placed, chain.segments.len()));
                let ends = chain.segments.last_mut().map_or(&mut chain.innermost, |segment| &mut segment.ends);
                *ends |= 1 << placed.operand as u8;
            }
        }
        for (operand, view) in problem.each_operand() {
            // An operand of no bits has placed nothing: its highest level takes all.
            let top = view.memories.len() - 1;
            debug_assert!(top < MAX_LEVELS);
            chain.allocation.ends[operand][top] = loops;
        }
        chain
    }

    /// A lower bound on the latency of every order, cycles. `loads` are those of all boundaries without regard to
    /// irrelevant loops.
    ///
    /// A memory without room for a second buffer can be refilled only in the last turn of the irrelevant loops on top
    /// of it. Those that lie there in every order shorten the window, and make the bound higher.
    pub fn latency_bound(&self, factors: &Factors, bound: &LatencyLowerBound<'_>, loads: &[f64]) -> u64 {
        if self.outermost_irrelevant().all(|(_, irrelevant)| irrelevant == 1) {
            return bound.cycles(loads);
        }
        let mut loads = bound.start();
        for (PlacedBoundary { operand, level, set }, irrelevant) in self.outermost_irrelevant() {
            bound.place(&mut loads, &bound.load(operand, level, &factors.sizes(set), irrelevant));
        }
        bound.cycles(&loads)
    }

    /// Every boundary with the product of the irrelevant loops that lie outermost below it in every order: those of the
    /// segments below it, as long as all loops of a segment are irrelevant to its operand and the operand's own level
    /// goes on.
    fn outermost_irrelevant(&self) -> impl Iterator<Item = (PlacedBoundary, u64)> + '_ {
        self.placed.iter().map(|&(placed, segments)| {
            let view = &self.problem.operands[placed.operand];
            let irrelevant =
                |(next, _): &(TemporalLoop, usize)| view.relevance[next.dim as usize] == Relevance::Irrelevant;
            let below = |(other, _): &&(PlacedBoundary, usize)| {
                other.operand == placed.operand && other.level + 1 == placed.level && other.level > 0
            };
            let start = self.placed.iter().find(below).map_or(0, |&(_, segments)| segments);
            let all_irrelevant =
                self.segments[start..segments].iter().rev().take_while(|segment| segment.loops.iter().all(irrelevant));
            let loops = all_irrelevant.flat_map(|segment| &segment.loops);
            (placed, loops.map(|(next, count)| next.size.pow(*count as u32)).product())
        })
    }

    /// Calls `visit(order, allocation)` for orders that differ in latency, likely fast ones first, until it returns `false`.
    /// Returns whether it went through all of them.
    pub fn for_each_order(&self, mut visit: impl FnMut(&[TemporalLoop], &Allocation) -> bool) -> bool {
        let mut seen = FxHashSet::default();
        let mut first: Option<Vec<TemporalLoop>> = None;
        let mut visit = |order: &[TemporalLoop], allocation: &Allocation| {
            // Mostly the first order is as fast as any can be. Only from the second one on orders are compared.
            let Some(first) = &first else {
                first = Some(order.to_vec());
                return visit(order, allocation);
            };
            if seen.is_empty() {
                seen.insert(self.what_latency_sees(first));
            }
            !seen.insert(self.what_latency_sees(order)) || visit(order, allocation)
        };
        let mut outermost_first = Vec::new();
        let last = self.segments.len();
        if last == 0 {
            return visit(&[], &self.allocation);
        }
        let mut left: Vec<Vec<(TemporalLoop, usize)>> =
            self.segments.iter().map(|segment| segment.loops.clone()).collect();
        self.descend(last - 1, [None; OPERANDS], None, &mut left, &mut outermost_first, &mut visit)
    }

    /// A key of an order: all that latency depends on beside the sets. These are the ends of levels once stationary
    /// loops are handed down, the relevance and the product of the run of each level, and the innermost loops for which
    /// the array keeps an operand.
    fn what_latency_sees(&self, order: &[TemporalLoop]) -> Vec<u64> {
        let merged = self.allocation.merge_stationary(self.problem, order);
        let mut seen = Vec::with_capacity(4 * OPERANDS);
        for (operand, view) in self.problem.each_operand() {
            let relevance = |next: &TemporalLoop| view.relevance[next.dim as usize];
            if self.problem.rules.array_keeps_inputs || self.problem.in_memory.is_some() {
                let kept = order.iter().take_while(|next| relevance(next) == Relevance::Irrelevant);
                seen.push(kept.map(|next| next.size).product());
            }
            for level in 0..view.memories.len() {
                let range = merged.range(operand, level);
                let outermost = order[range.clone()].last().map(relevance);
                let run = order[range.clone()].iter().rev().take_while(|next| Some(relevance(next)) == outermost);
                let product: u64 = run.map(|next| next.size).product();
                let is_relevant = u64::from(outermost == Some(Relevance::Relevant));
                let is_whole = !matches!(outermost, Some(Relevance::PartialX | Relevance::PartialY));
                seen.extend([range.end as u64, if is_whole { 2 * product + is_relevant } else { 0 }]);
            }
        }
        seen
    }

    /// Fills segment `at` from its outer end inwards, then those below, and visits every order that is complete.
    /// Returns `false` once `visit` does.
    ///
    /// Invariant: `order` holds the loops placed so far, outermost first, `left` the loops of each segment that are not
    /// placed yet, and `runs` follows from `order`. `previous` is the loop that was added last to this segment, with
    /// the runs before it.
    fn descend(
        &self,
        at: usize,
        mut runs: Runs,
        previous: Option<(Runs, usize)>,
        left: &mut [Vec<(TemporalLoop, usize)>],
        order: &mut Vec<TemporalLoop>,
        visit: &mut dyn FnMut(&[TemporalLoop], &Allocation) -> bool,
    ) -> bool {
        let number = |loops: &[(TemporalLoop, usize)]| loops.iter().map(|(_, count)| count).sum::<usize>();
        let unfilled = number(&left[at]);
        if unfilled == number(&self.segments[at].loops) {
            // At the segment's outer end, the levels below the boundaries there begin a new run.
            for (operand, run) in LayerOperand::ALL.into_iter().zip(&mut runs) {
                if self.segments[at].ends >> operand as u8 & 1 == 1 {
                    *run = Some(None);
                }
            }
        }
        if unfilled == 0 {
            return match at.checked_sub(1) {
                Some(below) => self.descend(below, runs, None, left, order, visit),
                None => {
                    order.reverse();
                    let go_on = visit(order, &self.allocation);
                    order.reverse();
                    go_on
                }
            };
        }
        // The innermost loop of the segment must not be irrelevant to an operand with a boundary just below: it would
        // be handed down, which makes another chain.
        let below = at.checked_sub(1).map_or(self.innermost, |below| self.segments[below].ends);
        if runs.iter().all(Option::is_none) {
            // Latency does not depend on the order of the rest: one order stands for all, with an innermost loop that
            // stays.
            let start = order.len();
            if !self.add_rest(at, &left[at], below, order) {
                order.truncate(start);
                return true;
            }
            let rest = std::mem::take(&mut left[at]);
            let go_on = self.descend(at, runs, None, left, order, visit);
            left[at] = rest;
            order.truncate(start);
            return go_on;
        }
        for choice in self.choices(&runs, &left[at]) {
            let (next, count) = left[at][choice];
            if count == 0 {
                continue;
            }
            let longer = self.lengthen(runs, next);
            // Two neighbours that leave the same runs in either order may change places. Of the two orders only the one
            // in which their numbers ascend inwards is visited.
            let is_twin = previous.is_some_and(|(before, earlier)| {
                let alike = longer == runs && self.lengthen(before, next) == runs;
                let stays = |choice: usize| self.stays_above(&left[at][choice].0, below);
                alike
                    && choice < earlier
                    && stays(choice) == stays(earlier)
                    && self.may_change_places(at, &left[at], choice, earlier)
            });
            let handed_down = unfilled == 1 && !self.stays_above(&next, below);
            if is_twin || handed_down || !self.leads_on(at, &left[at], choice, below) {
                continue;
            }
            left[at][choice].1 -= 1;
            order.push(next);
            let go_on = self.descend(at, longer, Some((runs, choice)), left, order, visit);
            order.pop();
            left[at][choice].1 += 1;
            if !go_on {
                return false;
            }
        }
        true
    }

    /// Adds the loops that are left of a segment in some legal order, outermost first, in which the innermost loop is
    /// not handed down; `false` where there is none.
    fn add_rest(&self, at: usize, left: &[(TemporalLoop, usize)], below: u8, order: &mut Vec<TemporalLoop>) -> bool {
        if let Some(legal) = self.legal {
            let Segment { below: from, opened, .. } = self.segments[at];
            let begins = |factor: usize| self.factors.list[factor].stays_above(below);
            let Some(path) = legal.path(opened, from, self.set_with(at, left), &begins) else { return false };
            order.extend(path.iter().rev().map(|&factor| self.factors.list[factor].each));
            return true;
        }
        // Any order will do, once a loop that stays above the boundaries below is swapped to the innermost place.
        let stays = |&(next, count): &(TemporalLoop, usize)| count > 0 && self.stays_above(&next, below);
        let Some(innermost) = left.iter().find(|next| stays(next)).map(|&(next, _)| next) else { return false };
        let start = order.len();
        for &(next, count) in left {
            order.extend(std::iter::repeat_n(next, count));
        }
        if let Some(inner) = order[start..].iter().position(|next| *next == innermost) {
            let end = order.len() - 1;
            order.swap(start + inner, end);
        }
        true
    }

    /// The set below the loops placed so far in a segment: the set below the segment, and the loops that are left of
    /// it.
    fn set_with(&self, at: usize, left: &[(TemporalLoop, usize)]) -> u32 {
        let added = left.iter().filter_map(|(next, count)| Some(self.number_of(*next)?.1 * *count as u32));
        self.segments[at].below + added.sum::<u32>()
    }

    /// Number of a loop among the factors, and its stride.
    fn number_of(&self, next: TemporalLoop) -> Option<(usize, u32)> {
        let number = self.factors.list.iter().position(|factor| factor.each == next)?;
        Some((number, self.factors.list[number].stride))
    }

    /// Whether a loop may legally be the outermost one of those left of a segment, with the others below in some order.
    fn leads_on(&self, at: usize, left: &[(TemporalLoop, usize)], choice: usize, below: u8) -> bool {
        let Some(legal) = self.legal else { return true };
        let Some((number, stride)) = self.number_of(left[choice].0) else { return false };
        let (Segment { below: from, opened, .. }, inner) = (&self.segments[at], self.set_with(at, left) - stride);
        let begins = |factor: usize| self.factors.list[factor].stays_above(below);
        legal.may_add(*opened, inner, number) && legal.path(*opened, *from, inner, &begins).is_some()
    }

    /// Whether the outermost loop of those left of a segment, the choice, may legally change places with the one just above it.
    fn may_change_places(&self, at: usize, left: &[(TemporalLoop, usize)], choice: usize, outer: usize) -> bool {
        let Some(legal) = self.legal else { return true };
        let numbers = (self.number_of(left[choice].0), self.number_of(left[outer].0));
        let (Some((choice, stride)), Some((outer, outer_stride))) = numbers else { return false };
        let (inner, opened) = (self.set_with(at, left) - stride, self.segments[at].opened);
        legal.may_add(opened, inner, outer) && legal.may_add(opened, inner + outer_stride, choice)
    }

    /// The runs once `next` is added below: a run goes on as long as loops have its relevance. Partially relevant loops
    /// end it.
    fn lengthen(&self, runs: Runs, next: TemporalLoop) -> Runs {
        LayerOperand::ALL.map(|operand| {
            let relevance = self.problem.operands[operand].relevance[next.dim as usize];
            match runs[operand] {
                Some(None) if relevance == Relevance::Relevant || relevance == Relevance::Irrelevant => {
                    Some(Some(relevance))
                }
                Some(Some(so_far)) if so_far == relevance => runs[operand],
                _ => None,
            }
        })
    }

    /// As [`Factor::stays_above`](super::factors::Factor::stays_above), for a loop.
    fn stays_above(&self, next: &TemporalLoop, boundaries: u8) -> bool {
        self.problem.each_operand().all(|(operand, view)| {
            boundaries >> operand as u8 & 1 == 0 || view.relevance[next.dim as usize] != Relevance::Irrelevant
        })
    }

    /// The loops left of a segment in the order in which they are tried. Loops that are irrelevant to operands whose
    /// run goes on come last: on top of a memory without a double buffer they shorten the window in which it is
    /// refilled.
    fn choices(&self, runs: &Runs, left: &[(TemporalLoop, usize)]) -> Vec<usize> {
        let irrelevant = |(next, _): &(TemporalLoop, usize)| {
            let looked_at = runs.iter().zip(&self.problem.operands).filter(|(run, _)| run.is_some());
            looked_at.filter(|(_, view)| view.relevance[next.dim as usize] == Relevance::Irrelevant).count()
        };
        let mut choices: Vec<usize> = (0..left.len()).collect();
        sort_few_by_key(&mut choices, |&choice| irrelevant(&left[choice]));
        choices
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub mod tests {
    use super::super::legality::NoConstraints;
    use super::super::space::PartialMapping;
    use super::*;
    use crate::cost::Evaluator;
    use crate::hardware::Core;
    use crate::mapping::{LayerProblem, temporal};
    use crate::rules::Rules;
    use crate::workload::{Dim, LayerKind, LayerShape, LoopSizes, Precision};

    pub const HARDWARE: &str = "
name: small
array: { dimensions: { D1: 2 }, mac_energy: 1 pJ }
memories:
  - { name: weights, size: 8 B, operands: [W], width: 8 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: [] }
  - { name: sums, size: 8 B, operands: [O], width: 16 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: [] }
  - { name: features, size: 64 B, operands: [I, O], width: 8 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: all }
  - { name: dram, size: 1 KiB, operands: [W, I, O], width: 8 bit, read_energy: 9 pJ, write_energy: 9 pJ, shared_over: all }
";

    /// Calls `visit` with the boundaries of every complete chain that follows a state.
    pub fn for_each_chain<L: Legality>(
        space: &BoundarySpace<'_, L>,
        state: &PartialMapping,
        placed: &mut Vec<PlacedBoundary>,
        visit: &mut impl FnMut(&[PlacedBoundary]),
    ) {
        if space.is_complete(state) {
            return visit(placed);
        }
        for operand in LayerOperand::ALL {
            if let Some((next, _)) = space.place(state, operand) {
                placed.push(space.last_placed(&next, operand));
                for_each_chain(space, &next, placed, visit);
                placed.pop();
            }
        }
        for next in (0..space.factors.list.len()).filter_map(|factor| space.add(state, factor)) {
            for_each_chain(space, &next, placed, visit);
        }
    }

    /// A convolution of these sizes on [`HARDWARE`], with K unrolled or nothing.
    pub fn small_problem(sizes: LoopSizes, unroll: bool) -> LayerProblem {
        let unroll = unroll.then_some(crate::hardware::Unroll {
            array_dim: crate::hardware::ArrayDimId::default(),
            dim: Dim::K,
            limit: 2,
        });
        let shape = LayerShape {
            kind: LayerKind::Conv,
            dim_order: Dim::ALL,
            sizes,
            stride: (1, 1),
            dilation: (1, 1),
            input_limit: (u64::MAX, u64::MAX),
            untouched: (0, 0),
            precision: Precision { w: 8, i: 8, o_partial: 16, o: 8 },
            sparsity: None,
            operations: Default::default(),
        };
        LayerProblem::new(shape, [2, 2, 3], unroll.into_iter().collect())
    }

    /// Otherwise the bound on latency would hold for other boundaries than those of the mapping. All loops of the first
    /// problem add to outputs, so its only boundary of outputs that is not handed down is the one above all loops.
    #[test]
    fn boundaries_lie_where_their_chain_has_them_and_no_order_is_faster_than_its_bound() {
        let core = Core::from_text(HARDWARE).unwrap();
        for (sizes, unroll) in
            [([1, 1, 1, 6, 1, 1, 1, 3], false), ([1, 1, 4, 2, 1, 3, 1, 1], false), ([1, 1, 4, 2, 1, 2, 1, 3], true)]
        {
            let problem = small_problem(sizes, unroll);
            let layer = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
            let evaluator = Evaluator::new(&layer);
            let temporal_sizes = &layer.spatial.temporal_sizes;
            let loops = temporal::limited_factors(temporal_sizes, &Dim::ALL, usize::MAX, false).unwrap();
            let space =
                BoundarySpace::new(&evaluator, &layer, &loops, (1 << 10, None::<&NoConstraints>), &|_, _, _, _| 0.0)
                    .unwrap();
            let bound = LatencyLowerBound::new(&evaluator);
            let (mut orders, mut chains) = (0, 0);
            for_each_chain(&space, &space.start().unwrap(), &mut Vec::new(), &mut |placed| {
                let chain = BoundaryChain::new(&space, placed);
                let mut loads = bound.start();
                for &PlacedBoundary { operand, level, set } in placed {
                    bound.place(&mut loads, &bound.load(operand, level, &space.factors.sizes(set), 1));
                }
                let least_cycles = chain.latency_bound(&space.factors, &bound, &loads);
                let before = orders;
                chain.for_each_order(|order, allocation| {
                    orders += 1;
                    assert_eq!(allocation.merge_stationary(&layer, order), *allocation, "{sizes:?}, {order:?}");
                    if let Some(moves) = evaluator.moves(order, allocation) {
                        let cycles = evaluator.latency_cycles(order, &moves);
                        assert!(
                            cycles >= least_cycles,
                            "{sizes:?}, {order:?}, {allocation:?}: {cycles} < {least_cycles}"
                        );
                    }
                    true
                });
                assert!(orders > before, "{sizes:?}: a chain without an order: {placed:?}");
                chains += 1;
            });
            assert!(chains > 10, "{sizes:?}: only {chains} chains");
        }
    }
}
