//! All mappings of a problem, and the exact search compared with them.

use super::random_problems::{Random, hardware, problem};
use fusescape_engine::cost::{Evaluator, LayerCost};
use fusescape_engine::hardware::{Core, MAX_LEVELS};
use fusescape_engine::mapping::{Allocation, LayerOnCore, LayerProblem, TemporalLoop, temporal};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{
    FrontPart, Limits, Objective, Proof, Solution, Strategy, Weights, find_best, find_front,
};
use fusescape_test_support::sample::all_cases;
use std::collections::BTreeMap;

/// Every way to cut `loops` loops into `levels` levels.
pub fn all_ends(loops: u8, levels: usize) -> Vec<[u8; MAX_LEVELS]> {
    let mut all = vec![[0; MAX_LEVELS]];
    for level in 0..levels {
        all = all
            .into_iter()
            .flat_map(|ends: [u8; MAX_LEVELS]| {
                let start = if level == 0 { 0 } else { ends[level - 1] };
                let range = if level + 1 == levels { loops..=loops } else { start..=loops };
                range.map(move |end| {
                    let mut ends = ends;
                    ends[level] = end;
                    ends
                })
            })
            .collect();
    }
    all
}

pub fn every_order(sorted: &[TemporalLoop]) -> Vec<Vec<TemporalLoop>> {
    if sorted.is_empty() {
        return vec![Vec::new()];
    }
    let mut orders = Vec::new();
    for index in 0..sorted.len() {
        if index > 0 && sorted[index] == sorted[index - 1] {
            continue;
        }
        let mut rest = sorted.to_vec();
        let first = rest.remove(index);
        for mut order in every_order(&rest) {
            order.insert(0, first);
            orders.push(order);
        }
    }
    orders
}

/// The best of all mappings: score, latency, energy.
pub type Best = Option<(f64, u64, f64)>;

/// Every order of the loops, and every placement of the levels of each operand.
type Mappings = (Vec<Vec<TemporalLoop>>, Vec<Vec<[u8; MAX_LEVELS]>>);

/// All mappings; `None` where these are too many.
fn all_mappings(layer: &LayerOnCore<'_>, most: usize) -> Option<Mappings> {
    let factors =
        temporal::limited_factors(&layer.spatial.temporal_sizes, &layer.shape.dim_order, usize::MAX, false).unwrap();
    let orders = every_order(&factors);
    let ends: Vec<_> = layer.operands.iter().map(|view| all_ends(factors.len() as u8, view.memories.len())).collect();
    (orders.len() * ends.iter().map(Vec::len).product::<usize>() <= most).then_some((orders, ends))
}

/// Tries every order with every placement of levels; `None` where that is too much.
pub fn brute_force(layer: &LayerOnCore<'_>, objectives: &[Objective], most: usize) -> Option<Vec<Best>> {
    Some(best_of(layer, objectives, &all_mappings(layer, most)?).0)
}

/// The least energy of each latency, where no mapping that is as fast needs less.
type EnergyByLatency = BTreeMap<u64, f64>;

/// The best by each objective, and the front.
fn best_of(
    layer: &LayerOnCore<'_>,
    objectives: &[Objective],
    (orders, ends): &Mappings,
) -> (Vec<Best>, EnergyByLatency) {
    let evaluator = Evaluator::new(layer);
    let mut best: Vec<Best> = vec![None; objectives.len()];
    let mut front = EnergyByLatency::new();
    for order in orders {
        for o in &ends[0] {
            for first in &ends[1] {
                for second in &ends[2] {
                    let allocation = Allocation { ends: [*o, *first, *second] };
                    if let Some(cost) = evaluator.evaluate(order, &allocation) {
                        for (objective, best) in objectives.iter().zip(&mut best) {
                            improve(best, layer, objective, &cost);
                        }
                        let least = front.entry(cost.latency.total_cycles()).or_insert(f64::INFINITY);
                        *least = least.min(cost.energy_pj());
                    }
                }
            }
        }
    }
    let mut least = f64::INFINITY;
    front.retain(|_, energy| {
        let is_less = *energy < least * (1.0 - 1e-9);
        least = if is_less { *energy } else { least };
        is_less
    });
    (best, front)
}

/// Finds the front, and compares it with that of all mappings.
fn front_equals(layer: &LayerOnCore<'_>, limits: &Limits, expected: &EnergyByLatency, what: &dyn Fn() -> String) {
    let evaluator = Evaluator::new(layer);
    let front = find_front(&evaluator, FrontPart::Whole, limits, &|| true);
    let found: Vec<(u64, f64)> =
        front.mappings.iter().rev().map(|mapping| (mapping.latency_cycles, mapping.energy_pj)).collect();
    let is_it = |((found, pj), (expected, least)): (&(u64, f64), (&u64, &f64))| {
        found == expected && (pj - least).abs() <= 1e-9 * least
    };
    let equal = found.len() == expected.len() && found.iter().zip(expected).all(is_it);
    assert!(equal, "front {found:?} instead of {expected:?}: {}", what());
    assert!(front.mappings.is_empty() || front.proof == Proof::Optimal, "{}", what());
    for mapping in &front.mappings {
        let cost = mapping.cost(layer).unwrap_or_else(|| panic!("no mapping of this problem: {}", what()));
        assert_eq!(mapping.energy_pj.to_bits(), cost.energy_pj().to_bits(), "{}", what());
        assert_eq!(mapping.latency_cycles, cost.latency.total_cycles(), "{}", what());
    }
    // By any weights the least sum of the front is that of a corner of its hull.
    let hull = front.hull();
    for weight in [0.0, 0.01, 1.0, 30.0, 1e4] {
        let sum = |number: &usize| {
            let mapping = &front.mappings[*number];
            mapping.energy_pj + weight * mapping.latency_cycles as f64
        };
        let least = |numbers: &[usize]| numbers.iter().map(sum).fold(f64::INFINITY, f64::min);
        let all: Vec<usize> = (0..front.mappings.len()).collect();
        assert!(front.mappings.is_empty() || least(&hull) <= least(&all) * (1.0 + 1e-9), "{weight}: {}", what());
    }
    // The corners between two slopes are those of the whole hull that are best there; one of least energy comes with
    // them.
    for part in [FrontPart::Around(2.0), FrontPart::Around(30.0), FrontPart::Between(0.377, 3.001)] {
        let found = find_front(&evaluator, part, limits, &|| true);
        let (least, most) = found.slopes;
        let pair = |mapping: &Solution| (mapping.energy_pj, mapping.latency_cycles as f64);
        let corners: Vec<(f64, f64)> = hull.iter().map(|&number| pair(&front.mappings[number])).collect();
        let slope = |pair: &[(f64, f64)]| (pair[1].0 - pair[0].0) / (pair[0].1 - pair[1].1);
        let slopes: Vec<f64> = corners.windows(2).map(slope).collect();
        let is_between = |number: usize| {
            number == 0 || slopes[number - 1] <= most && slopes.get(number).is_none_or(|slope| *slope >= least)
        };
        let expected: Vec<_> = (0..corners.len()).filter(|&number| is_between(number)).map(|at| corners[at]).collect();
        // Of mappings of least energy the fastest is only found if it is best between the slopes.
        let may_be_slower = slopes.first().is_some_and(|slope| *slope < least);
        let is_it = |(mapping, corner): (&Solution, &(f64, f64))| {
            let cycles = mapping.latency_cycles as f64;
            let is_as_fast = cycles == corner.1 || may_be_slower && *corner == corners[0] && cycles > corner.1;
            (mapping.energy_pj - corner.0).abs() <= 1e-9 * corner.0 && is_as_fast
        };
        let equal = found.mappings.len() == expected.len() && found.mappings.iter().zip(&expected).all(is_it);
        assert!(equal, "{part:?}: {:?} instead of {expected:?}: {}", found.mappings, what());
        assert!(found.mappings.is_empty() || found.proof == Proof::Optimal, "{}", what());
    }
}

pub fn improve(best: &mut Best, layer: &LayerOnCore<'_>, objective: &Objective, cost: &LayerCost) {
    let (score, latency, energy) = (objective.score(layer, cost), cost.latency.total_cycles(), cost.energy_pj());
    let better = best.is_none_or(|(least, fastest, cheapest)| {
        let tolerance = 1e-9 * least.abs();
        let accesses = matches!(objective, Objective::DramAccesses | Objective::MemoryAccesses(_));
        let next = match energy - cheapest {
            saved if accesses && saved.abs() > 1e-9 * cheapest => saved < 0.0,
            _ => (latency, energy) < (fastest, cheapest),
        };
        score < least - tolerance || score <= least + tolerance && next
    });
    if better {
        *best = Some((best.map_or(score, |(least, ..)| least.min(score)), latency, energy));
    }
}

pub fn objectives() -> Vec<Objective> {
    vec![
        Objective::Energy,
        Objective::Latency,
        Objective::EnergyDelayProduct,
        Objective::DramAccesses,
        Objective::MemoryAccesses("m0".to_owned()),
        Objective::Weighted(Weights { energy: 1.0, latency: 20.0, dram_accesses: 3.0 }),
    ]
}

/// Compares with all mappings of random problems that have at most `most` of them: a sample of so many problems.
pub fn equals_brute_force(rules: Rules, problems: usize, most: usize, seed: u64) {
    equals_brute_force_on(|_, _| {}, rules, problems, most, seed);
}

/// The exact search against brute force, on cores and problems modified by `change`.
pub fn equals_brute_force_on(
    change: fn(&mut Core, &mut LayerProblem),
    rules: Rules,
    problems: usize,
    most: usize,
    seed: u64,
) {
    let objectives = objectives();
    let mut random = Random(seed);
    let (mut number, mut compared, mut infeasible) = (0, 0, 0);
    while number < problems {
        let text = hardware(&mut random);
        let Ok(mut core) = Core::from_text(&text) else { continue };
        let mut problem = problem(&mut random, &core);
        change(&mut core, &mut problem);
        let layer = LayerOnCore::new(&core, rules, &problem);
        let Some(mappings) = all_mappings(&layer, most) else { continue };
        number += 1;
        // A sample contains the problem that once failed.
        if !all_cases() && number % 5 != 478 % 5 {
            continue;
        }
        let (best, front) = best_of(&layer, &objectives, &mappings);
        compared += 1;
        infeasible += usize::from(best[0].is_none());
        // With the tighter bounds of larger problems, too.
        let usual = Limits { lpf_limit: usize::MAX, ..Limits::default() };
        let both = [usual, Limits { estimate_after: 0, relax_after: 0, ..usual }];
        for limits in both {
            front_equals(&layer, &limits, &front, &|| format!("problem {number}\n{problem:?}\n{text}"));
        }
        for (objective, best) in objectives.iter().zip(best) {
            let what = || format!("problem {number}, {objective:?}\n{problem:?}\n{text}");
            for limits in both {
                let outcome = find_best(&layer, objective, &limits, Strategy::Exact);
                let Some((score, latency, energy)) = best else {
                    assert!(outcome.best.is_none(), "a mapping where there is none: {}", what());
                    continue;
                };
                let found = outcome.best.unwrap_or_else(|| panic!("no mapping found: {}", what()));
                let cost = found.cost(&layer).unwrap_or_else(|| panic!("no mapping of this problem: {}", what()));
                assert_eq!(outcome.proof, Proof::Optimal, "{}", what());
                assert_eq!(found.energy_pj.to_bits(), cost.energy_pj().to_bits(), "{}", what());
                assert_eq!(found.latency_cycles, cost.latency.total_cycles(), "{}", what());
                let ours = objective.score(&layer, &cost);
                assert!((ours - score).abs() <= 1e-9 * score.abs(), "score {ours} instead of {score}: {}", what());
                assert_eq!(found.latency_cycles, latency, "latency among equals: {}", what());
                if !matches!(objective, Objective::EnergyDelayProduct | Objective::Weighted(_)) {
                    let close = (found.energy_pj - energy).abs() <= 1e-9 * energy;
                    assert!(close, "energy {} instead of {energy}: {}", found.energy_pj, what());
                }
            }
        }
    }
    assert!(infeasible * 2 < compared, "{infeasible} of {compared} do not fit: too many to say much");
}
