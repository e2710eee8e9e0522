//! Results of a sweep: the best strategy, the best combination, the Pareto front of energy and latency.

use super::request::Settings;
use super::sweep::PointSummary;
use crate::depth_first::{DepthFirstStrategy, FuseDepth, PointAccount};
use crate::search::Objective;
use crate::sorting::sort_by;
use crate::ties::{self, Figures, TilePlace};
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
    /// Latency, cycles.
    pub latency_cycles: u64,
}

impl Combination {
    /// This combination with the figures of its account. They differ from the sums of the stacks as at their points
    /// where the energy-delay product is the objective, as that chooses the mappings of all stacks together.
    #[must_use]
    pub fn with_account(self, account: &PointAccount) -> Self {
        let (energy_pj, latency_cycles) = (account.energy.total_pj(), account.latency.total_cycles());
        Self { energy_pj, latency_cycles, ..self }
    }
}

/// The point with the smallest score; among equals the one of the least other quantity, then of the smaller tile
/// ([`ties`]).
pub fn best_strategy<'a>(
    settings: &Settings,
    strategies: &[DepthFirstStrategy],
    points: &'a [PointSummary],
) -> Option<&'a PointSummary> {
    let place = |point: &PointSummary| (strategies.get(point.point).map(TilePlace::of), point.point);
    ties::best(points, |point| (figures(&settings.objective, point), place(point)))
}

/// The figures by which a point is compared with others of a sweep.
fn figures(objective: &Objective, point: &PointSummary) -> Figures {
    objective.figures(point.score, point.energy_pj, point.latency_cycles as f64)
}

/// The best point for each stack on its own, over all points with the same fuse depth; of several fuse depths the best.
///
/// Only energy and latency are known stack by stack, and the figures are their sums; an objective that counts accesses
/// is judged by energy, and the energy-delay product is minimised for each stack, which need not minimise that of the
/// sums.
pub fn best_combination(
    settings: &Settings,
    strategies: &[DepthFirstStrategy],
    points: &[PointSummary],
) -> Option<Combination> {
    let score = |energy_pj: f64, latency_cycles: u64| match settings.objective {
        Objective::Energy | Objective::DramAccesses | Objective::MemoryAccesses(_) => energy_pj,
        _ => settings.objective.combine(energy_pj, Cycles(latency_cycles as f64), &|| 0.0, &|_| 0.0),
    };
    let by = |energy_pj: f64, latency_cycles: u64| -> Figures {
        [score(energy_pj, latency_cycles), latency_cycles as f64, energy_pj]
    };
    let combine = |fuse: &FuseDepth| {
        let candidates: Vec<&PointSummary> =
            points.iter().filter(|point| strategies.get(point.point).is_some_and(|s| s.fuse == *fuse)).collect();
        let stacks = candidates.first()?.stacks.len();
        let mut combination = Combination { fuse: fuse.clone(), points: Vec::new(), energy_pj: 0.0, latency_cycles: 0 };
        for stack in 0..stacks {
            let of = |point: &PointSummary| point.stacks.get(stack).copied();
            let of_stack = candidates.iter().filter_map(|point| Some((point.point, of(point)?)));
            let place = |point: usize| (strategies.get(point).map(TilePlace::of), point);
            let (best, chosen) =
                ties::best(of_stack, |(point, cost)| (by(cost.energy_pj, cost.latency_cycles), place(*point)))?;
            combination.points.push(best);
            combination.energy_pj += chosen.energy_pj;
            combination.latency_cycles += chosen.latency_cycles;
        }
        Some(combination)
    };
    let combinations = settings.fuse.iter().filter_map(combine);
    ties::best(combinations, |combination| (by(combination.energy_pj, combination.latency_cycles), ()))
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
    use super::{best_combination, best_strategy, pareto_front};
    use crate::depth_first::{DepthFirstStrategy, FuseDepth, StoringMode};
    use crate::explore::{PointSummary, Settings, StackSummary};
    use crate::search::Objective;

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
        let best = |points| best_strategy(&Settings::default(), &[], points).map(|best: &PointSummary| best.point);
        assert_eq!((best(&points), best(&[])), (Some(2), None));
    }

    #[test]
    fn scores_that_differ_by_rounding_are_decided_by_the_other_quantity_and_then_by_the_tile() {
        let tiles = [(2, 2), (8, 2), (1, 1), (2, 8), (4, 4)];
        let strategies: Vec<DepthFirstStrategy> =
            tiles.map(|tile| DepthFirstStrategy { tile, ..self::strategies(&[FuseDepth::Automatic]).remove(0) }).into();
        let (less, more) = (2_671_372.607_999_999, 2_671_372.608);
        let mut points =
            [(less, 9857), (more, 9376), (more * 1.1, 1), (less, 9376), (more, 9376)].map(|cost| point(0, &[cost]));
        for (place, point) in points.iter_mut().enumerate() {
            point.point = place;
        }
        let settings = Settings::default();
        for turn in 0..points.len() {
            points.rotate_left(turn);
            let best = best_strategy(&settings, &strategies, &points).map(|best| best.point);
            assert_eq!(best, Some(4), "16 pixels each, of which a square has the shorter sides");
        }
        // Where accesses count, energy is the other quantity.
        let accesses = Settings { objective: Objective::DramAccesses, ..settings };
        let dear = [(5.0, 1), (4.0, 9)].map(|cost| PointSummary { score: 1.0, ..point(0, &[cost]) });
        assert_eq!(best_strategy(&accesses, &[], &dear), Some(&dear[1]));
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
