//! Results of a sweep: the best strategy, the best combination, the Pareto front of energy and latency.

use super::request::Settings;
use super::sweep::PointSummary;
use crate::depth_first::{DepthFirstStrategy, FuseDepth};
use crate::search::Objective;
use crate::sorting::sort_by;
use crate::units::Cycles;
use serde::{Deserialize, Serialize};

/// Each stack with its own strategy (DeFiNES, Section V, case study 2).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Combination {
    /// The fuse depth that all of them share.
    pub fuse: FuseDepth,
    /// Index of the chosen point for each stack.
    pub points: Vec<usize>,
    /// Energy, pJ.
    pub energy_pj: f64,
    /// Sum of the stacks' latencies, cycles.
    pub latency_cycles: u64,
}

/// The point with the smallest score; among equals the one of least latency, then of least energy.
pub fn best_point(points: &[PointSummary]) -> Option<&PointSummary> {
    points.iter().min_by(|a, b| {
        a.score
            .total_cmp(&b.score)
            .then(a.latency_cycles.cmp(&b.latency_cycles))
            .then(a.energy_pj.total_cmp(&b.energy_pj))
            .then(a.point.cmp(&b.point))
    })
}

/// The best point for each stack on its own, over all points with the same fuse depth; of several fuse depths the best.
///
/// Only energy and latency are known stack by stack; an objective that counts accesses is judged by energy, and the
/// energy-delay product is minimised for each stack, which need not minimise that of the sums.
pub fn best_combination(
    settings: &Settings,
    strategies: &[DepthFirstStrategy],
    points: &[PointSummary],
) -> Option<Combination> {
    let score = |energy_pj: f64, latency_cycles: u64| match settings.objective {
        Objective::Energy | Objective::DramAccesses | Objective::MemoryAccesses(_) => energy_pj,
        _ => settings.objective.combine(energy_pj, Cycles(latency_cycles as f64), &|| 0.0, &|_| 0.0),
    };
    let combine = |fuse: &FuseDepth| {
        let candidates: Vec<&PointSummary> =
            points.iter().filter(|point| strategies.get(point.point).is_some_and(|s| s.fuse == *fuse)).collect();
        let stacks = candidates.first()?.stacks.len();
        let mut combination = Combination { fuse: fuse.clone(), points: Vec::new(), energy_pj: 0.0, latency_cycles: 0 };
        for stack in 0..stacks {
            let of = |point: &PointSummary| point.stacks.get(stack).copied();
            let best = candidates.iter().filter(|point| of(point).is_some()).min_by(|a, b| {
                let scores =
                    [a, b].map(|point| of(point).map(|s| (score(s.energy_pj, s.latency_cycles), s.latency_cycles)));
                scores[0].partial_cmp(&scores[1]).unwrap_or(std::cmp::Ordering::Equal)
            })?;
            let chosen = of(best)?;
            combination.points.push(best.point);
            combination.energy_pj += chosen.energy_pj;
            combination.latency_cycles += chosen.latency_cycles;
        }
        Some(combination)
    };
    let total = |combination: &Combination| score(combination.energy_pj, combination.latency_cycles);
    settings.fuse.iter().filter_map(combine).min_by(|a, b| total(a).total_cmp(&total(b)))
}

/// The Pareto front in energy and latency, as indices into `points`, by ascending energy.
pub fn pareto_front(points: &[PointSummary]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    sort_by(&mut order, |&a, &b| {
        let (a, b) = (&points[a], &points[b]);
        a.energy_pj.total_cmp(&b.energy_pj).then(a.latency_cycles.cmp(&b.latency_cycles))
    });
    let mut least = u64::MAX;
    order.retain(|&index| {
        let better = points[index].latency_cycles < least;
        least = least.min(points[index].latency_cycles);
        better
    });
    order
}

#[cfg(test)]
mod tests {
    use super::{best_combination, best_point, pareto_front};
    use crate::depth_first::{DepthFirstStrategy, FuseDepth, StoringMode};
    use crate::explore::{PointSummary, Settings, StackSummary};

    fn point(point: usize, stacks: &[(f64, u64)]) -> PointSummary {
        let stacks = stacks.iter().map(|&(energy_pj, latency_cycles)| StackSummary { energy_pj, latency_cycles });
        let stacks: Vec<StackSummary> = stacks.collect();
        let energy_pj = stacks.iter().map(|stack| stack.energy_pj).sum();
        let latency_cycles = stacks.iter().map(|stack| stack.latency_cycles).sum();
        PointSummary { point, energy_pj, latency_cycles, macs: 1, dram_words: 1.0, score: energy_pj, stacks }
    }

    fn strategies(fuse: &[FuseDepth]) -> Vec<DepthFirstStrategy> {
        let strategy =
            |fuse: &FuseDepth| DepthFirstStrategy { tile: (1, 1), mode: StoringMode::FullyCached, fuse: fuse.clone() };
        fuse.iter().map(strategy).collect()
    }

    #[test]
    fn equal_scores_are_decided_by_latency() {
        let points = [point(0, &[(5.0, 9)]), point(1, &[(3.0, 7)]), point(2, &[(3.0, 6)])];
        assert_eq!(best_point(&points).map(|best| best.point), Some(2));
        assert_eq!(best_point(&[]), None);
    }

    #[test]
    fn the_front_holds_what_nothing_beats_in_both() {
        let points = [point(0, &[(1.0, 9)]), point(1, &[(2.0, 9)]), point(2, &[(3.0, 4)]), point(3, &[(2.5, 5)])];
        assert_eq!(pareto_front(&points), [0, 3, 2]);
    }

    #[test]
    fn each_stack_takes_its_best_strategy_but_all_share_a_fuse_depth() {
        let (auto, single) = (FuseDepth::Automatic, FuseDepth::SingleLayer);
        let strategies = strategies(&[auto.clone(), auto.clone(), single.clone()]);
        let points = [
            point(0, &[(5.0, 1), (1.0, 1)]),
            point(1, &[(2.0, 1), (9.0, 1)]),
            point(2, &[(1.0, 1), (1.5, 1), (1.0, 1)]),
        ];
        let settings = Settings { fuse: vec![auto.clone(), single], ..Settings::default() };
        let best = best_combination(&settings, &strategies, &points);
        assert_eq!(best.map(|best| (best.fuse, best.points, best.energy_pj)), Some((auto, vec![1, 0], 3.0)));
    }
}
