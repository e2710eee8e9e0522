//! Under constraints the exact search finds the same as trying every legal mapping.

use super::brute_force::{Best, all_ends, every_order, improve};
use super::random_problems::{Random, hardware, problem};
use fusescape_engine::cost::Evaluator;
use fusescape_engine::hardware::Core;
use fusescape_engine::mapping::temporal::prime_factors;
use fusescape_engine::mapping::{Allocation, LayerOnCore, LayerOperand, TemporalLoop, temporal};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{
    Constraints, Evenness, LevelConstraint, LevelDemand, Limits, LoopAmount, LoopPattern, Objective, Outcome,
    PatternSize, Proof, Strategy, conflict, find_best, find_best_under,
};
use fusescape_engine::workload::Dim;
use std::collections::BTreeSet;

const OBJECTIVES: [Objective; 3] = [Objective::Energy, Objective::Latency, Objective::EnergyDelayProduct];

/// Stated loops as they are, and the prime factors of all else.
fn pieces(layer: &LayerOnCore<'_>, constraints: &Constraints) -> Option<Vec<TemporalLoop>> {
    let mut rest = layer.spatial.temporal_sizes;
    let mut pieces = Vec::new();
    for LoopPattern { dim, size } in constraints.innermost.iter().chain(&constraints.outermost) {
        if let PatternSize::Exactly(size) = *size {
            let rest = &mut rest[*dim as usize];
            if !rest.is_multiple_of(size) {
                return None;
            }
            *rest /= size;
            pieces.push(TemporalLoop { dim: *dim, size });
        }
    }
    for dim in Dim::ALL {
        pieces.extend(prime_factors(rest[dim as usize]).into_iter().map(|size| TemporalLoop { dim, size }));
    }
    pieces.sort();
    Some(pieces)
}

/// Checks the innermost patterns from the inside, and the outermost ones from the outside.
fn is_ordered(order: &[TemporalLoop], constraints: &Constraints) -> bool {
    let all = |dim: Dim| {
        let stated = constraints.innermost.iter().chain(&constraints.outermost);
        let elsewhere = stated.filter(|pattern| pattern.dim == dim && pattern.size != PatternSize::All).count();
        order.iter().filter(|next| next.dim == dim).count() as isize - elsewhere as isize
    };
    let follow = |patterns: &mut dyn Iterator<Item = &LoopPattern>, loops: &mut dyn Iterator<Item = &TemporalLoop>| {
        for pattern in patterns {
            let count = if pattern.size == PatternSize::All { all(pattern.dim) } else { 1 };
            for _ in 0..count {
                let fits = |next: &TemporalLoop| {
                    next.dim == pattern.dim
                        && match pattern.size {
                            PatternSize::Exactly(size) => next.size == size,
                            _ => true,
                        }
                };
                if !loops.next().is_some_and(fits) {
                    return false;
                }
            }
        }
        true
    };
    let stated = constraints.innermost.iter().chain(&constraints.outermost);
    let dims: BTreeSet<Dim> = stated.map(|pattern| pattern.dim).collect();
    // Otherwise a loop would be counted from both ends.
    dims.into_iter().all(|dim| all(dim) >= 0)
        && follow(&mut constraints.innermost.iter(), &mut order.iter())
        && follow(&mut constraints.outermost.iter().rev(), &mut order.iter().rev())
}

/// Checks the loops of every level once more.
fn is_held(
    layer: &LayerOnCore<'_>,
    order: &[TemporalLoop],
    allocation: &Allocation,
    levels: &[LevelConstraint],
) -> bool {
    let merged = allocation.merge_stationary(layer, order);
    levels.iter().all(|LevelConstraint { operand, level, demand }| {
        if layer.operands[*operand].precision == (0, 0) {
            return true;
        }
        let of_level: Vec<usize> =
            (0..order.len()).filter(|place| merged.range(*operand, *level).contains(place)).collect();
        let above: Vec<usize> = (0..order.len())
            .filter(|place| {
                (*level + 1..layer.operands[*operand].memories.len())
                    .any(|level| merged.range(*operand, level).contains(place))
            })
            .collect();
        let product = |dim: Dim, places: &mut dyn Iterator<Item = usize>| -> u64 {
            places.filter(|place| order[*place].dim == dim).map(|place| order[place].size).product()
        };
        let amount = |dim: Dim, amount: LoopAmount, product: u64| match amount {
            LoopAmount::Exactly(size) => product == size,
            LoopAmount::AtMost(size) => product <= size,
            LoopAmount::AtLeast(size) => product >= size,
            LoopAmount::All => above.iter().all(|place| order[*place].dim != dim),
        };
        match demand {
            LevelDemand::Holds(dim, wanted) => amount(*dim, *wanted, product(*dim, &mut of_level.iter().copied())),
            LevelDemand::Within(dim, wanted) => {
                amount(*dim, *wanted, product(*dim, &mut (0..order.len()).filter(|place| !above.contains(place))))
            }
            LevelDemand::Order(dims) => (0..dims.len()).all(|outer| {
                (0..outer).all(|inner| {
                    let places = |dim: Dim| of_level.iter().copied().filter(move |place| order[*place].dim == dim);
                    places(dims[inner]).all(|inside| places(dims[outer]).all(|outside| inside < outside))
                })
            }),
        }
    })
}

/// The best of all legal mappings.
fn brute_force(layer: &LayerOnCore<'_>, constraints: &Constraints, most: usize) -> Option<Vec<Best>> {
    let none = vec![None; OBJECTIVES.len()];
    let Some(pieces) = pieces(layer, constraints) else { return Some(none) };
    let orders = every_order(&pieces);
    let ends: Vec<_> = layer.operands.iter().map(|view| all_ends(pieces.len() as u8, view.memories.len())).collect();
    if orders.len() * ends.iter().map(Vec::len).product::<usize>() > most {
        return None;
    }
    let evaluator = Evaluator::new(layer);
    // Whole mappings are judged against all even ones in `even_mappings.rs`.
    let even = Constraints { even: constraints.even, ..Constraints::default() };
    let mut best = none;
    for order in orders.iter().filter(|order| is_ordered(order, constraints)) {
        for o in &ends[0] {
            for first in &ends[1] {
                for second in &ends[2] {
                    let allocation = Allocation { ends: [*o, *first, *second] };
                    let is_legal = is_held(layer, order, &allocation, &constraints.levels)
                        && even.allow(layer, order, &allocation);
                    assert_eq!(
                        is_legal && is_ordered(order, constraints),
                        constraints.allow(layer, order, &allocation)
                    );
                    if is_legal && let Some(cost) = evaluator.evaluate(order, &allocation) {
                        for (objective, best) in OBJECTIVES.iter().zip(&mut best) {
                            improve(best, layer, objective, &cost);
                        }
                    }
                }
            }
        }
    }
    Some(best)
}

fn any_pattern(random: &mut Random, left: &mut Vec<TemporalLoop>) -> Option<LoopPattern> {
    if left.is_empty() {
        return None;
    }
    let next = left.remove(random.below(left.len() as u64) as usize);
    let twin = left.iter().position(|other| other.dim == next.dim);
    let size = match (random.below(4), twin) {
        (0, Some(twin)) => PatternSize::Exactly(next.size * left.remove(twin).size),
        (0 | 1, _) => PatternSize::Exactly(next.size),
        (2, _) => PatternSize::Any,
        _ => {
            left.retain(|other| other.dim != next.dim);
            PatternSize::All
        }
    };
    Some(LoopPattern { dim: next.dim, size })
}

fn any_level(random: &mut Random, layer: &LayerOnCore<'_>, loops: &[TemporalLoop]) -> LevelConstraint {
    let operand = random.pick(&LayerOperand::ALL);
    let level = random.below(layer.operands[operand].memories.len() as u64) as usize;
    let dim = if loops.is_empty() { Dim::K } else { random.pick(loops).dim };
    let size = random.pick(&[1, 2, 2, 3, 4, 6]);
    let amount = random.pick(&[
        LoopAmount::Exactly(size),
        LoopAmount::AtMost(size),
        LoopAmount::AtMost(size),
        LoopAmount::AtLeast(size),
        LoopAmount::All,
    ]);
    let mut dims: Vec<Dim> = Vec::new();
    for _ in 0..if loops.is_empty() { 0 } else { 3 } {
        let next = random.pick(loops);
        if !dims.contains(&next.dim) {
            dims.push(next.dim);
        }
    }
    let demand = match random.below(5) {
        0 | 1 => LevelDemand::Holds(dim, amount),
        2 => LevelDemand::Within(dim, amount),
        _ => LevelDemand::Order(dims),
    };
    LevelConstraint { operand, level, demand }
}

fn any_constraints(random: &mut Random, layer: &LayerOnCore<'_>) -> Constraints {
    let loops =
        temporal::limited_factors(&layer.spatial.temporal_sizes, &layer.shape.dim_order, usize::MAX, false).unwrap();
    let mut left = loops.clone();
    let (inner, outer, levels) = (random.below(3), random.below(3), random.below(4));
    let constraints = Constraints {
        innermost: (0..inner).filter_map(|_| any_pattern(random, &mut left)).collect(),
        outermost: (0..outer).filter_map(|_| any_pattern(random, &mut left)).collect(),
        levels: (0..levels).map(|_| any_level(random, layer, &loops)).collect(),
        even: random.pick(&[None, None, Some(Evenness::Stationary), Some(Evenness::Strict)]),
    };
    match random.below(3) {
        0 => Constraints { levels: Vec::new(), ..constraints },
        1 => Constraints { levels: constraints.levels, ..Constraints::default() },
        _ => constraints,
    }
}

fn equals_brute_force(rules: Rules, problems: usize, most: usize, seed: u64) {
    let mut random = Random(seed);
    let (mut compared, mut feasible, mut dearer) = (0, 0, 0);
    while compared < problems {
        let text = hardware(&mut random);
        let Ok(core) = Core::from_text(&text) else { continue };
        let problem = problem(&mut random, &core);
        let layer = LayerOnCore::new(&core, rules, &problem);
        let constraints = any_constraints(&mut random, &layer);
        if constraints.is_empty()
            || find_best(&layer, &Objective::Energy, &Limits::default(), Strategy::Exact).best.is_none()
        {
            continue;
        }
        let Some(best) = brute_force(&layer, &constraints, most) else { continue };
        compared += 1;
        feasible += usize::from(best[0].is_some());
        for (objective, best) in OBJECTIVES.iter().zip(best) {
            let what = || format!("problem {compared}, {objective:?}\n{constraints:?}\n{problem:?}\n{text}");
            for relax_after in [Limits::default().relax_after, 0] {
                let limits = Limits { lpf_limit: usize::MAX, relax_after, ..Limits::default() };
                let under = |strategy| find_best_under(&constraints, &layer, objective, &limits, strategy, &|| true);
                let Some((score, latency, _)) = best else {
                    let outcome = under(Strategy::Exact);
                    assert!(outcome.is_err() || outcome.unwrap().best.is_none(), "none is legal: {}", what());
                    let excluded = conflict(&constraints, &layer, &limits).unwrap_or_else(|| panic!("{}", what()));
                    assert!(excluded.order || excluded.even || !excluded.levels.is_empty(), "{}", what());
                    continue;
                };
                // However early the search has to stop, it never claims that constraints exclude all mappings.
                for max_states in [1, 10, 100] {
                    let few = Limits { max_states, ..limits };
                    assert_eq!(conflict(&constraints, &layer, &few), None, "{}", what());
                    let stopped = find_best_under(&constraints, &layer, objective, &few, Strategy::Exact, &|| true);
                    match stopped.unwrap() {
                        Outcome { best: Some(best), .. } => {
                            assert!(constraints.allow(&layer, &best.order, &best.allocation), "not legal: {}", what());
                        }
                        nothing => assert_eq!(nothing.proof, Proof::None, "{}", what()),
                    }
                }
                let outcome = under(Strategy::Exact).unwrap_or_else(|wrong| panic!("{wrong}: {}", what()));
                let mapping = outcome.best.unwrap_or_else(|| panic!("no mapping found: {}", what()));
                assert_eq!(outcome.proof, Proof::Optimal, "{}", what());
                let cost = mapping.cost(&layer).unwrap_or_else(|| panic!("no mapping: {}", what()));
                assert!(constraints.allow(&layer, &mapping.order, &mapping.allocation), "not legal: {}", what());
                let ours = objective.score(&layer, &cost);
                assert!((ours - score).abs() <= 1e-9 * score.abs(), "score {ours} instead of {score}: {}", what());
                assert_eq!(mapping.latency_cycles, latency, "latency among equals: {}", what());
                let free =
                    find_best(&layer, objective, &limits, Strategy::Exact).best.and_then(|best| best.cost(&layer));
                dearer += usize::from(objective.score(&layer, &free.unwrap()) < ours * (1.0 - 1e-9));
                if let Some(by_loma) = under(Strategy::Loma).unwrap().best {
                    assert!(constraints.allow(&layer, &by_loma.order, &by_loma.allocation), "LOMA: {}", what());
                    let by_loma = objective.score(&layer, &by_loma.cost(&layer).unwrap());
                    assert!(by_loma >= ours * (1.0 - 1e-9), "LOMA is better, {by_loma} < {ours}: {}", what());
                }
            }
        }
    }
    println!("{compared} problems, {feasible} feasible, {dearer} results cost more than without constraints");
    assert!(2 * feasible > compared && dearer > compared / 4, "{feasible} of {compared} feasible, {dearer} cost more");
}

#[test]
fn the_best_legal_mapping_is_what_brute_force_finds() {
    equals_brute_force(Rules::CORRECTED, 300, 8_000, 19);
}

#[test]
fn the_best_legal_mapping_is_what_brute_force_finds_under_the_rules_of_defines() {
    equals_brute_force(Rules::DEFINES_2022, 100, 4_000, 8);
}

#[test]
fn the_best_legal_mapping_is_what_brute_force_finds_where_the_array_keeps_its_inputs() {
    let rules = Rules { array_keeps_inputs: true, ..Rules::CORRECTED };
    equals_brute_force(rules, 100, 4_000, 38);
}

/// Where each memory holds all its operands, LOMA's allocation is the best of every order, with free order or not.
#[test]
fn equals_loma_over_all_legal_orders_where_its_allocation_is_the_best() {
    let mut random = Random(12);
    let mut compared = 0;
    while compared < 100 {
        let text = hardware(&mut random);
        let Ok(mut core) = Core::from_text(&text) else { continue };
        for memory in &mut core.memories {
            memory.size_bits = memory.size_bits.max(1 << 20);
        }
        let problem = problem(&mut random, &core);
        let layer = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
        let constraints = Constraints { levels: Vec::new(), ..any_constraints(&mut random, &layer) };
        let limits = Limits { lpf_limit: usize::MAX, ..Limits::default() };
        let [exact, loma] = [Strategy::Exact, Strategy::Loma].map(|strategy| {
            find_best_under(&constraints, &layer, &Objective::Energy, &limits, strategy, &|| true).unwrap().best
        });
        let (Some(loma), Some(exact)) = (loma, exact) else { continue };
        compared += usize::from(!constraints.is_empty());
        let close = (loma.energy_pj - exact.energy_pj).abs() <= 1e-9 * exact.energy_pj;
        assert!(close, "{} pJ instead of {}\n{constraints:?}\n{problem:?}\n{text}", exact.energy_pj, loma.energy_pj);
    }
}
