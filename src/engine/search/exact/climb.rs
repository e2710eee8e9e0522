//! A better mapping near a known one, where the search under constraints ends before it reaches good mappings.
//!
//! Steepest descent: a step moves one loop to another place in the order, or one boundary of some operands by one loop,
//! or both. The best legal step is taken as long as it improves the mapping, so the climb ends in a local optimum.
//! Nothing is proved.

use super::legality::Legality;
use crate::cost::Evaluator;
use crate::mapping::{Allocation, LayerOperand, OPERANDS, TemporalLoop};
use crate::search::{Objective, Solution};
use crate::ties::Contenders;

/// The end of the climb from a solution. The limits are the number of mappings that may be evaluated, and whether there
/// is time. Each round evaluates up to `n^2` orders of `n` loops with every combination of moved boundaries.
pub fn climb<L: Legality>(
    evaluator: &Evaluator<'_>,
    objective: &Objective,
    legal: Option<&L>,
    from: Solution,
    (most, has_time): super::SearchLimits<'_>,
) -> Option<Solution> {
    let problem = evaluator.problem();
    let Some(cost) = from.cost_by(evaluator) else { return Some(from) };
    // All mappings that were tried, so that ties are judged against the least of all: a round ends where it began if
    // none of its steps is better.
    let mut tried: Contenders<Solution, u64> = Contenders::default();
    tried.offer(objective.figures_of(problem, &cost), 0, || from);
    let mut evaluated = 0;
    let mut done: Option<Solution> = None;
    while let Some(best) = tried.best().filter(|best| done.as_ref() != Some(best)).cloned() {
        let allocations = allocations(&best, problem.operands.each_ref().map(|view| view.memories.len()));
        let steps =
            orders(&best).flat_map(|order| allocations.iter().map(move |allocation| (order.clone(), *allocation)));
        for (order, allocation) in steps {
            if evaluated >= most || !has_time() {
                break;
            }
            if legal.is_some_and(|legal| !legal.allows(&order, &allocation)) {
                continue;
            }
            evaluated += 1;
            let Some(cost) = evaluator.evaluate(&order, &allocation) else { continue };
            let (energy_pj, latency_cycles) = (cost.energy_pj(), cost.latency.total_cycles());
            tried.offer(objective.figures_of(problem, &cost), evaluated, || Solution {
                order,
                allocation,
                energy_pj,
                latency_cycles,
            });
        }
        done = Some(best);
    }
    tried.into_best()
}

/// The order as it is, and with one loop at another place.
fn orders(from: &Solution) -> impl Iterator<Item = Vec<TemporalLoop>> {
    let count = from.order.len();
    let moves = (0..count).flat_map(move |at| (0..count).map(move |to| (at, to))).filter(|(at, to)| at != to);
    let moved = |(at, to): (usize, usize)| {
        let mut order = from.order.clone();
        let next = order.remove(at);
        order.insert(to, next);
        order
    };
    std::iter::once(from.order.clone()).chain(moves.map(moved))
}

/// The boundaries as they are, and all combinations in which each operand moves at most one boundary by one loop.
/// `levels` counts the memory levels of each operand.
fn allocations(from: &Solution, levels: [usize; OPERANDS]) -> Vec<Allocation> {
    let mut allocations = vec![from.allocation];
    for operand in LayerOperand::ALL {
        // A snapshot: an operand varies the allocations of the operands before it, not its own variations.
        for before in allocations.clone() {
            for level in 0..levels[operand as usize] - 1 {
                let ends = before.ends[operand];
                let least = if level == 0 { 0 } else { ends[level - 1] };
                let moved = [ends[level].checked_sub(1), ends[level].checked_add(1)].into_iter().flatten();
                for end in moved.filter(|end| (least..=ends[level + 1]).contains(end)) {
                    let mut allocation = before;
                    allocation.ends[operand][level] = end;
                    allocations.push(allocation);
                }
            }
        }
    }
    allocations
}
