//! LOMA: every order of the loop prime factors, or every legal one, each allocated greedily (AICAS 2021).
//!
//! The number of orders grows with the factorial of the loops, so the LPF limit merges small factors. Memory levels are
//! filled greedily from the lowest up ([`Allocator`]). Neither step is optimal, so nothing is proved.

use super::exact::legality::Legality;
use super::permutation::{count_orders, next_permutation};
use super::shortage::explain_infeasible;
use super::{Limits, Objective, Outcome, Proof, Solution, StopReason};
use crate::cost::Evaluator;
use crate::mapping::temporal::{TooManyDimensions, limited_factors as limited};
use crate::mapping::{Allocator, LayerOnCore, TemporalLoop};
use crate::ties::Contenders;

pub(super) fn find_best<L: Legality>(
    problem: &LayerOnCore<'_>,
    objective: &Objective,
    limits: &Limits,
    has_time: &dyn Fn() -> bool,
    legal: Option<&L>,
) -> Outcome {
    let mut outcome =
        Outcome { best: None, orders: 0, feasible: 0, proof: Proof::None, stopped: StopReason::Exhausted };
    let factors = |lpf_limit| match legal {
        Some(legal) => Ok(legal.limited_loops(lpf_limit)),
        None => limited_factors(problem, lpf_limit),
    };
    let mut order = match factors(limits.lpf_limit) {
        Ok(order) => order,
        Err(too_many) => {
            outcome.stopped = StopReason::LpfLimitTooLow { needed: too_many.dimensions };
            return outcome;
        }
    };
    let orders = count_orders(&order);
    if orders > limits.max_orders {
        // Propose the largest LPF limit that leaves few enough orders.
        let has_few =
            |lpf_limit: &usize| factors(*lpf_limit).is_ok_and(|factors| count_orders(&factors) <= limits.max_orders);
        let lpf_limit = (1..order.len()).rev().find(has_few).unwrap_or(1);
        outcome.stopped = StopReason::TooManyOrders { orders, lpf_limit };
        return outcome;
    }
    if problem.tool_fails {
        outcome.stopped = StopReason::ToolFailsAtPort;
        return outcome;
    }
    let evaluator = Evaluator::new(problem);
    let mut allocator = Allocator::default();
    // The tool evaluates every order, also those that are beaten.
    let may_fail = problem.rules.loading_overlaps_computation && problem.rules.loading_reduction_longest_first;
    let mut contenders: Contenders<Solution, u64> = Contenders::default();
    // `order` begins sorted and passes through all its permutations.
    loop {
        if !contenders.is_empty() && !has_time() {
            outcome.stopped = StopReason::OutOfTime;
            break;
        }
        outcome.orders += 1;
        let fitting = allocator
            .allocate(problem, &order)
            .filter(|allocation| legal.is_none_or(|legal| legal.allows(&order, allocation)))
            .and_then(|allocation| Some((allocation, evaluator.moves(&order, &allocation)?)));
        outcome.feasible += u64::from(fitting.is_some());
        let fails = |moves| may_fail && evaluator.latency(&order, moves).tool_fails;
        if fitting.as_ref().is_some_and(|(_, moves)| fails(moves)) {
            return Outcome { best: None, stopped: StopReason::ToolFailsAtLoading, ..outcome };
        }
        // If energy alone decides, most orders are beaten by their energy, and their latency need not be computed.
        let may_tie = |energy_pj: f64| *objective != Objective::Energy || contenders.may_tie(energy_pj);
        let contender = fitting.filter(|(_, moves)| may_tie(evaluator.energy_pj(moves)));
        if let Some((allocation, moves)) = contender {
            let cost = evaluator.cost(&order, moves);
            contenders.offer(objective.figures_of(problem, &cost), outcome.orders, || Solution {
                order: order.clone(),
                allocation,
                energy_pj: cost.energy_pj(),
                latency_cycles: cost.latency.total_cycles(),
            });
        }
        if !next_permutation(&mut order) {
            break;
        }
    }
    outcome.best = contenders.into_best();
    outcome
}

/// Number of orders that are tried where none fits, before the search gives up; 8 loops have fewer orders.
const MOST_ORDERS_WITHOUT_FIT: u32 = 50_000;

/// Whether some order fits. Also `true` where the search would not begin, as it then reports the reason itself.
pub(super) fn first_feasible(problem: &LayerOnCore<'_>, limits: &Limits) -> bool {
    let Ok(mut order) = limited_factors(problem, limits.lpf_limit) else { return true };
    if !explain_infeasible(problem).is_empty() {
        return false;
    }
    if count_orders(&order) > limits.max_orders {
        return true;
    }
    let evaluator = Evaluator::new(problem);
    let mut allocator = Allocator::default();
    for _ in 0..MOST_ORDERS_WITHOUT_FIT {
        let allocation = allocator.allocate(problem, &order);
        if allocation.is_some_and(|allocation| evaluator.moves(&order, &allocation).is_some()) {
            return true;
        }
        if !next_permutation(&mut order) {
            break;
        }
    }
    false
}

/// The loops of a problem that are put in order, at most `lpf_limit`, sorted.
fn limited_factors(problem: &LayerOnCore<'_>, lpf_limit: usize) -> Result<Vec<TemporalLoop>, TooManyDimensions> {
    let (sizes, dims) = (&problem.spatial.temporal_sizes, &problem.shape.dim_order);
    limited(sizes, dims, lpf_limit, problem.rules.lpf_limit_below_dimensions_fails)
}
