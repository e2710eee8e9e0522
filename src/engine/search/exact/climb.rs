//! A better mapping near one that is known, where the search under constraints ends before it comes to good ones.
//!
//! A step moves one loop to another place in the order, or the boundaries of some operands by one loop, or both; the best legal step is
//! taken, as long as there is a better one. Nothing is proved.

use super::legality::Legality;
use crate::cost::Evaluator;
use crate::mapping::{Allocation, LayerOperand, OPERANDS, TemporalLoop};
use crate::search::{Candidate, Objective, Solution};

/// The end of the climb from `solution`. `limits` are the mappings that are evaluated, at most, and whether there is time.
pub fn climb<L: Legality>(
    evaluator: &Evaluator<'_>,
    objective: &Objective,
    legal: Option<&L>,
    mut best: Solution,
    (most, has_time): super::SearchLimits<'_>,
) -> Solution {
    let problem = evaluator.problem();
    let Some(cost) = best.cost_by(evaluator) else { return best };
    let mut so_far = Candidate::new(problem, objective, &cost);
    let mut evaluated = 0;
    loop {
        let mut next: Option<(Solution, Candidate)> = None;
        let from = best.clone();
        let allocations = allocations(&from, problem.operands.each_ref().map(|view| view.memories.len()));
        let steps =
            orders(&from).flat_map(|order| allocations.iter().map(move |allocation| (order.clone(), *allocation)));
        for (order, allocation) in steps {
            if evaluated >= most || !has_time() {
                return best;
            }
            if legal.is_some_and(|legal| !legal.allows(&order, &allocation)) {
                continue;
            }
            evaluated += 1;
            let Some(cost) = evaluator.evaluate(&order, &allocation) else { continue };
            let candidate = Candidate::new(problem, objective, &cost);
            if candidate.is_better_than(next.as_ref().map_or(&so_far, |(_, candidate)| candidate)) {
                let (energy_pj, latency_cycles) = (cost.energy_pj(), cost.latency.total_cycles());
                next = Some((Solution { order, allocation, energy_pj, latency_cycles }, candidate));
            }
        }
        let Some(better) = next else { return best };
        (best, so_far) = better;
    }
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

/// The boundaries as they are, and with one of some operands a loop away; operands have so many levels.
fn allocations(from: &Solution, levels: [usize; OPERANDS]) -> Vec<Allocation> {
    let mut allocations = vec![from.allocation];
    for operand in LayerOperand::ALL {
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
