//! A better mapping near one that is known, where the search under constraints ends before it comes to good ones.
//!
//! A step moves one loop to another place in the order, or the boundaries of some operands by one loop, or both; the best legal step is
//! taken, as long as there is a better one. Nothing is proved.

use super::legality::Legality;
use crate::cost::Evaluator;
use crate::mapping::{Allocation, LayerOperand, TemporalLoop};
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
        for (order, allocation) in steps(&best, problem.operands.each_ref().map(|view| view.memories.len())) {
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

/// Mappings near one, of operands that have so many levels.
fn steps(from: &Solution, levels: [usize; 3]) -> Vec<(Vec<TemporalLoop>, Allocation)> {
    let count = from.order.len();
    let mut orders = vec![from.order.clone()];
    for (at, to) in (0..count).flat_map(|at| (0..count).map(move |to| (at, to))).filter(|(at, to)| at != to) {
        let mut order = from.order.clone();
        let moved = order.remove(at);
        order.insert(to, moved);
        orders.push(order);
    }
    let mut allocations = vec![from.allocation];
    for operand in LayerOperand::ALL {
        // Each operand by itself, and beside any step of the operands before it.
        for before in allocations.clone() {
            for level in 0..levels[operand as usize] - 1 {
                for up in [false, true] {
                    let mut allocation = before;
                    let ends = &mut allocation.ends[operand];
                    let end = if up { ends[level] + 1 } else { ends[level].wrapping_sub(1) };
                    let least = if level == 0 { 0 } else { ends[level - 1] };
                    if (least..=ends[level + 1]).contains(&end) {
                        ends[level] = end;
                        allocations.push(allocation);
                    }
                }
            }
        }
    }
    orders.iter().flat_map(|order| allocations.iter().map(|allocation| (order.clone(), *allocation))).collect()
}
