//! What a sweep found: the best strategy, the best combination, the trade-off between energy and latency.

use super::request::Settings;
use super::sweep::PointSummary;
use crate::depth_first::{DepthFirstStrategy, FuseDepth};
use crate::search::Objective;
use serde::{Deserialize, Serialize};

/// Each stack with its own strategy (DeFiNES, Section V, case study 2).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Combination {
    /// The fuse depth that all of them share.
    pub fuse: FuseDepth,
    /// Index of the chosen point for each stack.
    pub points: Vec<usize>,
    /// Energy, pJ.
    pub energy_pj: f64,
    /// Latency, cycles.
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
/// Only energy and latency are known stack by stack; an objective that counts accesses is judged by energy.
pub fn best_combination(
    settings: &Settings,
    strategies: &[DepthFirstStrategy],
    points: &[PointSummary],
) -> Option<Combination> {
    let score = |energy_pj: f64, latency_cycles: u64| match settings.objective {
        Objective::Energy | Objective::DramAccesses | Objective::MemoryAccesses(_) => energy_pj,
        _ => settings.objective.combine(energy_pj, latency_cycles as f64, &|| 0.0, &|_| 0.0),
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

/// Indices (into `points`) of those that no other point beats in energy and latency, by ascending energy.
pub fn pareto_front(points: &[PointSummary]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| {
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
