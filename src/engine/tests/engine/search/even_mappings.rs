//! Even mappings: the search finds the best of exactly those that share the boundary of each shared memory.

use super::brute_force::{Best, all_ends, every_order, improve};
use super::random_problems::{Random, double_buffers, hardware, problem};
use fusescape_engine::cost::Evaluator;
use fusescape_engine::hardware::{Core, MAX_LEVELS};
use fusescape_engine::mapping::{Allocation, LayerOnCore, LayerOperand, TemporalLoop, temporal};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Constraints, Evenness, Limits, Objective, Proof, Strategy, find_best, find_best_under};
use fusescape_engine::workload::LayerKind;
use fusescape_test_support::sample::all_cases;
use std::collections::BTreeSet;

const OBJECTIVES: [Objective; 3] = [Objective::Energy, Objective::Latency, Objective::EnergyDelayProduct];

fn even(evenness: Evenness) -> Constraints {
    Constraints { even: Some(evenness), ..Constraints::default() }
}

fn is_held(layer: &LayerOnCore<'_>, operand: LayerOperand) -> bool {
    layer.operands[operand].precision != (0, 0)
}

/// The levels that end together: those of a memory that several operands hold below their highest level, and each
/// other one by itself. Highest levels end above all loops.
fn levels_that_end_together(layer: &LayerOnCore<'_>) -> Vec<Vec<(LayerOperand, usize)>> {
    let mut groups = Vec::new();
    for memory in layer.core.memories.keys() {
        let mut group = Vec::new();
        for (operand, view) in layer.each_operand() {
            for (level, id) in view.memories.iter().enumerate().take(view.memories.len() - 1) {
                if *id == memory && is_held(layer, operand) {
                    group.push((operand, level));
                }
            }
        }
        groups.push(group);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// All even mappings of an order, with stationary loops not handed down yet.
fn even_allocations(layer: &LayerOnCore<'_>, loops: u8) -> Vec<Allocation> {
    let mut start = Allocation::default();
    for (operand, view) in layer.each_operand() {
        start.ends[operand][view.memories.len() - 1] = loops;
    }
    let mut all = vec![start];
    for group in levels_that_end_together(layer) {
        let ends = |allocation: &Allocation| {
            let mut with_end = Vec::new();
            for end in 0..=loops {
                let mut next = *allocation;
                group.iter().for_each(|&(operand, level)| next.ends[operand][level] = end);
                with_end.push(next);
            }
            with_end
        };
        all = all.iter().flat_map(ends).collect();
    }
    all.retain(|allocation| allocation.covers(layer, loops.into()));
    all
}

/// What is compared of a mapping: the ends of what takes room, with stationary loops handed down.
fn handed_down(layer: &LayerOnCore<'_>, order: &[TemporalLoop], allocation: &Allocation) -> [[u8; MAX_LEVELS]; 3] {
    let mut ends = allocation.merge_stationary(layer, order).ends;
    for (operand, view) in layer.each_operand() {
        let levels = if is_held(layer, operand) { view.memories.len() } else { 0 };
        ends[operand][levels..].fill(0);
    }
    ends
}

/// The best of all even mappings, by both definitions; `None` where there are too many mappings to try. Of each mapping
/// the constraint is asked whether it is even.
fn brute_force(layer: &LayerOnCore<'_>, most: usize) -> Option<[Vec<Best>; 2]> {
    let sizes = &layer.spatial.temporal_sizes;
    let factors = temporal::limited_factors(sizes, &layer.shape.dim_order, usize::MAX, false).unwrap();
    let loops = factors.len() as u8;
    let orders = every_order(&factors);
    let ends: Vec<_> = layer.operands.iter().map(|view| all_ends(loops, view.memories.len())).collect();
    if orders.len() * ends.iter().map(Vec::len).product::<usize>() > most {
        return None;
    }
    let evaluator = Evaluator::new(layer);
    let shared = levels_that_end_together(layer);
    let mut best = [vec![None; OBJECTIVES.len()], vec![None; OBJECTIVES.len()]];
    let mut consider = |number: usize, order: &[TemporalLoop], allocation: &Allocation| {
        let Some(cost) = evaluator.evaluate(order, allocation) else { return };
        for (objective, best) in OBJECTIVES.iter().zip(&mut best[number]) {
            improve(best, layer, objective, &cost);
        }
    };
    for order in &orders {
        let allocations = even_allocations(layer, loops);
        allocations.iter().for_each(|allocation| consider(0, order, allocation));
        let known: BTreeSet<_> = allocations.iter().map(|even| handed_down(layer, order, even)).collect();
        for o in &ends[0] {
            for first in &ends[1] {
                for second in &ends[2] {
                    let allocation = Allocation { ends: [*o, *first, *second] };
                    let ends = handed_down(layer, order, &allocation);
                    let end = |&(operand, level): &(LayerOperand, usize)| ends[operand][level];
                    let is_strict = shared.iter().all(|group| group.iter().all(|level| end(level) == end(&group[0])));
                    if is_strict {
                        consider(1, order, &allocation);
                    }
                    let says = |evenness| even(evenness).allow(layer, order, &allocation);
                    assert_eq!(says(Evenness::Stationary), known.contains(&ends), "{order:?} {allocation:?}");
                    assert_eq!(says(Evenness::Strict), is_strict, "{order:?} {allocation:?}");
                }
            }
        }
    }
    Some(best)
}

fn equals_brute_force(rules: Rules, problems: usize, most: usize, seed: u64) {
    let mut random = Random(seed);
    let (mut number, mut compared, mut dearer, mut added, mut parted) = (0, 0, [0, 0], 0, 0);
    while number < problems {
        let text = hardware(&mut random);
        let Ok(mut core) = Core::from_text(&text) else { continue };
        if random.below(4) == 0 {
            double_buffers(&mut core);
        }
        let mut problem = problem(&mut random, &core);
        if core.vector_unit.is_none() && random.below(3) == 0 {
            problem.levels = problem.levels.map(|levels| levels - random.below(levels as u64) as usize);
        }
        let layer = LayerOnCore::new(&core, rules, &problem);
        // Every mapping is even where operands share no memory but their highest.
        if !levels_that_end_together(&layer).iter().any(|group| group.len() > 1) {
            continue;
        }
        let free = |objective: &Objective, limits: &Limits| find_best(&layer, objective, limits, Strategy::Exact).best;
        if free(&Objective::Energy, &Limits::default()).is_none() {
            continue;
        }
        number += 1;
        if !all_cases() && !number.is_multiple_of(5) {
            continue;
        }
        let Some(best) = brute_force(&layer, most) else {
            number -= 1;
            continue;
        };
        compared += 1;
        added += usize::from(problem.shape.kind == LayerKind::Add);
        for (reading, (evenness, best)) in [Evenness::Stationary, Evenness::Strict].into_iter().zip(best).enumerate() {
            parted += usize::from(best[0].is_none());
            for (objective, best) in OBJECTIVES.iter().zip(best) {
                let what = || format!("problem {number}, {evenness:?}, {objective:?}\n{problem:?}\n{text}");
                let usual = Limits { lpf_limit: usize::MAX, ..Limits::default() };
                for limits in [usual, Limits { estimate_after: 0, relax_after: 0, ..usual }] {
                    let constraints = even(evenness);
                    let outcome =
                        find_best_under(&constraints, &layer, objective, &limits, Strategy::Exact, &|| true).unwrap();
                    assert_eq!(outcome.proof, Proof::Optimal, "{}", what());
                    let Some((score, latency, _)) = best else {
                        assert!(outcome.best.is_none(), "a mapping where there is none: {}", what());
                        continue;
                    };
                    let found = outcome.best.unwrap_or_else(|| panic!("no mapping found: {}", what()));
                    assert!(constraints.allow(&layer, &found.order, &found.allocation), "not even: {}", what());
                    let ours = objective.score(&layer, &found.cost(&layer).unwrap());
                    assert!((ours - score).abs() <= 1e-9 * score.abs(), "score {ours}, not {score}: {}", what());
                    assert_eq!(found.latency_cycles, latency, "latency among equals: {}", what());
                    let least = objective.score(&layer, &free(objective, &limits).unwrap().cost(&layer).unwrap());
                    assert!(least <= ours * (1.0 + 1e-9), "better than any mapping: {}", what());
                    dearer[reading] += usize::from(least < ours * (1.0 - 1e-9));
                }
            }
        }
    }
    println!(
        "{compared} problems, {added} additions; {parted} without an even mapping; {dearer:?} cost more than free"
    );
    assert!(dearer.iter().all(|&cases| cases > compared / 4) && added > 0, "{dearer:?} of {compared}, {added}");
}

#[test]
fn the_best_even_mapping_is_what_brute_force_finds() {
    equals_brute_force(Rules::CORRECTED, 600, 20_000, 43);
}

#[test]
fn the_best_even_mapping_is_what_brute_force_finds_where_the_array_keeps_its_inputs() {
    let rules = Rules { array_keeps_inputs: true, ..Rules::CORRECTED };
    equals_brute_force(rules, 200, 8_000, 17);
}
