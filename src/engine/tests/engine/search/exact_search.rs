//! The exact search finds the same as trying all mappings, and its proofs claim no more than is true.

use fusescape_engine::cost::{Evaluator, LayerCost};
use fusescape_engine::explore::{Request, Settings, Sweep};
use fusescape_engine::hardware::{Core, DoubleBuffering, MAX_LEVELS, MemoryId, Operand, Unroll};
use fusescape_engine::mapping::{Allocation, LayerOnCore, LayerProblem, TemporalLoop, temporal};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{
    FrontPart, Limits, Objective, Outcome, Proof, Solution, StopReason, Strategy, Weights, find_best, find_best_while,
    find_front, has_mapping,
};
use fusescape_engine::units::Cycles;
use fusescape_engine::workload::{Dim, LayerKind, LayerShape, Network, Operation, Operations, Precision};
use fusescape_spec::{find_preset, hardware_presets, workload_presets};
use fusescape_test_support::random::oracle_cases;
use fusescape_test_support::sample::{all_cases, each_of};
use std::cell::Cell;
use std::collections::BTreeMap;

/// Numbers that look random and are the same everywhere (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % end
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// A core of up to four memories below DRAM, shared by any operands, with any ports; one in four has a vector unit,
/// with one or two registers and any operations, which one of the memories feeds.
pub fn hardware(random: &mut Random) -> String {
    let mut text = format!(
        "name: random\narray: {{ dimensions: {{ D1: {}, D2: {} }}, mac_energy: 1 pJ }}\nmemories:\n",
        1 + random.below(4),
        1 + random.below(3)
    );
    for number in 0..1 + random.below(4) {
        let operands = random.pick(&["[W]", "[I]", "[O]", "[W, I]", "[I, O]", "[O, W]", "[W, I, O]", "[O, I, W]"]);
        text += &memory(random, &format!("m{number}"), operands);
    }
    text += &memory(random, "dram", "[W, I, O]");
    if random.below(4) > 0 {
        return text;
    }
    let feeds = |id: &MemoryId| {
        let core = Core::from_text(&text).ok();
        core.is_some_and(|core| {
            let memory = &core.memories[*id];
            memory.instances == 1 && [Operand::I, Operand::O].iter().all(|operand| memory.operands.contains(operand))
        })
    };
    let count = text.matches("- name:").count();
    let feeding: Vec<MemoryId> = (0..count).map(MemoryId::from).filter(feeds).collect();
    let Some(feeding) = feeding.get(random.below(feeding.len().max(1) as u64) as usize) else { return text };
    let name = if feeding.index() + 1 == count { "dram".to_owned() } else { format!("m{feeding}") };
    let mut costs = || format!("{{ energy: {} pJ, cycles: {} }}", 1 + random.below(9), 1 + random.below(4));
    let operations: Vec<String> =
        Operation::ALL.iter().map(|operation| format!("{}: {}", operation.name(), costs())).collect();
    let lanes = 1 + random.below(6);
    text += &format!(
        "vector_unit:\n  lanes: {lanes}\n  memory: {name}\n  operations: {{ {} }}\n  registers:\n",
        operations.join(", ")
    );
    for (name, operands) in
        [("v0", random.pick(&["[O]", "[I, O]", "[O, I]"])), ("v1", random.pick(&["", "[I]", "[O, I]"]))]
    {
        if !operands.is_empty() {
            let register = memory(random, name, operands);
            let shared_over = if name == "v0" { "[]" } else { random.pick(&["[]", "[lanes]"]) };
            for line in register.lines() {
                let stated = line.trim_start().starts_with("shared_over");
                let line = if stated { format!("    shared_over: {shared_over}") } else { line.to_owned() };
                text += &format!("  {line}\n");
            }
        }
    }
    text
}

fn memory(random: &mut Random, name: &str, operands: &str) -> String {
    let dram = name == "dram";
    let width = 8 << random.below(4);
    let granularity = if random.below(2) == 0 { width } else { 8 };
    let size = if dram { 4096 } else { 2_u64 << random.below(9) };
    let shared_over = if dram { "all" } else { random.pick(&["all", "all", "[]", "[D1]", "[D2]"]) };
    let energy = if dram { 50 } else { 1 + random.below(12) };
    let mut text = format!(
        "  - name: {name}\n    size: {size} B\n    operands: {operands}\n    width: {width} bit\n    granularity: {granularity} bit\n    \
         read_energy: {energy} pJ\n    write_energy: {} pJ\n    shared_over: {shared_over}\n",
        energy + random.below(3)
    );
    if random.below(3) == 0 {
        let served = operands.trim_matches(['[', ']']).split(", ").flat_map(|operand| {
            let movements: &[&str] = match (operand, dram) {
                ("O", false) => &["read_to_low", "write_from_low", "read_to_high", "write_from_high"],
                ("O", true) => &["read_to_low", "write_from_low"],
                (_, false) => &["read_to_low", "write_from_high"],
                (_, true) => &["read_to_low"],
            };
            movements.iter().map(move |movement| format!("{operand}.{movement}"))
        });
        text += &format!("    ports: {{ rw: [{}] }}\n", served.collect::<Vec<_>>().join(", "));
    }
    text + &random_timing(&mut |most| random.below(most), width)
        .iter()
        .map(|field| format!("    {field}\n"))
        .collect::<String>()
}

/// Optional fields of a memory: bursts, a latency, no room for the next data beside the present.
pub fn random_timing(below: &mut dyn FnMut(u64) -> u64, width: u64) -> Vec<String> {
    let mut fields = Vec::new();
    if below(5) == 0 {
        fields.push(format!("burst: {} bit", width + 8 * below(2 * width / 8)));
    }
    if below(5) == 0 {
        fields.push(format!("latency: {} cycles", 1 + below(9)));
    }
    if below(5) == 0 {
        fields.push("double_buffered: never".to_owned());
    }
    fields
}

pub fn problem(random: &mut Random, core: &Core) -> LayerProblem {
    use Dim::{B, C, FX, FY, G, K, OX, OY};
    let on_lanes = core.vector_unit.as_ref();
    let kind = match on_lanes {
        Some(_) => random.pick(&[
            LayerKind::Reduction,
            LayerKind::Elementwise,
            LayerKind::Pairwise,
            LayerKind::Pooling,
            LayerKind::Add,
        ]),
        None => random.pick(&[
            LayerKind::Conv,
            LayerKind::Conv,
            LayerKind::Conv,
            LayerKind::Pointwise,
            LayerKind::Depthwise,
            LayerKind::Pooling,
            LayerKind::FullyConnected,
            LayerKind::MatMul,
            LayerKind::Add,
        ]),
    };
    let dims: &[Dim] = match kind {
        LayerKind::Conv => &[B, K, C, OY, OX, FY, FX],
        LayerKind::Pointwise => &[B, K, C, OY, OX],
        LayerKind::Depthwise | LayerKind::Pooling => &[B, G, OY, OX, FY, FX],
        LayerKind::FullyConnected => &[B, K, C],
        LayerKind::MatMul => &[B, G, K, C, OX],
        LayerKind::Reduction => &[B, G, C, OY, OX],
        LayerKind::Pairwise => &[B, G, K, OY, OX],
        _ => &[B, G, OY, OX],
    };
    let mut sizes = [1; 8];
    for _ in 0..2 + random.below(5) {
        sizes[random.pick(dims) as usize] *= random.pick(&[2, 2, 2, 3, 5]);
    }
    let is_elementwise = kind == LayerKind::Add || kind.needs_vector_unit();
    let stride = if is_elementwise { (1, 1) } else { (1 + random.below(2), 1 + random.below(2)) };
    let span = |outputs: Dim, kernel: Dim, stride: u64| (sizes[outputs as usize] - 1) * stride + sizes[kernel as usize];
    let cut = random.below(2);
    let input_limit = ((span(OX, FX, stride.0) - cut).max(1), (span(OY, FY, stride.1) - cut).max(1));
    let o = random.pick(&[4, 8]);
    let precision = Precision {
        w: if kind == LayerKind::Pooling || kind.needs_vector_unit() { 0 } else { random.pick(&[4, 8]) },
        i: random.pick(&[4, 8]),
        o_partial: o * (1 + random.below(2)),
        o,
    };
    let unroll = core
        .array
        .keys()
        .filter_map(|array_dim| {
            let limit = core.array[array_dim].1;
            (random.below(4) > 0).then(|| Unroll { array_dim, dim: random.pick(dims), limit })
        })
        .collect();
    let operations = match on_lanes {
        Some(_) => random_operations(random),
        None => Operations::default(),
    };
    let dim_order = Dim::ALL;
    let shape = LayerShape {
        kind,
        dim_order,
        sizes,
        stride,
        dilation: (1, 1),
        input_limit,
        untouched: (0, 0),
        precision,
        sparsity: None,
        operations,
    };
    let levels = fusescape_engine::hardware::Operand::ALL.map(|operand| core.levels(operand).len());
    LayerProblem::new(shape, levels, on_lanes.map_or(unroll, |unit| unit.unroll(&shape)))
}

/// Some operations, as a document states them.
fn random_operations(random: &mut Random) -> Operations {
    let counts: Vec<String> =
        Operation::ALL.iter().map(|operation| format!("{}: {}", operation.name(), random.below(3))).collect();
    let text = format!(
        "name: one\nlayers:\n  - {{ name: in, type: input, K: 1, size: 1 x 1 }}\n  \
         - {{ name: a, type: pooling, kernel: 1 x 1, operations: {{ {} }} }}",
        counts.join(", ")
    );
    Network::from_text(&text).unwrap().layer(1.into()).shape.operations
}

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
fn brute_force(layer: &LayerOnCore<'_>, objectives: &[Objective], most: usize) -> Option<Vec<Best>> {
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
    // The corners between two slopes are those of the whole hull that are best there; one of least energy comes with them.
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

fn objectives() -> Vec<Objective> {
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
fn equals_brute_force(rules: Rules, problems: usize, most: usize, seed: u64) {
    equals_brute_force_on(|_, _| {}, rules, problems, most, seed);
}

/// The exact search against brute force, on cores and problems modified by `change`.
fn equals_brute_force_on(
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

/// The problem with columns and rows exchanged.
fn exchanged(problem: &LayerProblem) -> LayerProblem {
    let other = |dim: Dim| match dim {
        Dim::OX => Dim::OY,
        Dim::OY => Dim::OX,
        Dim::FX => Dim::FY,
        Dim::FY => Dim::FX,
        other => other,
    };
    let turned = |(columns, rows): (u64, u64)| (rows, columns);
    let mut exchanged = problem.clone();
    for dim in Dim::ALL {
        exchanged.shape.sizes[dim as usize] = problem.shape.size(other(dim));
    }
    let shape = &mut exchanged.shape;
    (shape.stride, shape.dilation) = (turned(shape.stride), turned(shape.dilation));
    shape.input_limit = turned(shape.input_limit);
    shape.untouched = (shape.untouched.1, shape.untouched.0);
    for unroll in &mut exchanged.unroll {
        unroll.dim = other(unroll.dim);
    }
    exchanged
}

#[test]
fn columns_and_rows_may_change_places() {
    let mut random = Random(43);
    let objectives = objectives();
    let mut compared = 0;
    while compared < 200 {
        let text = hardware(&mut random);
        let Ok(core) = Core::from_text(&text) else { continue };
        let problem = problem(&mut random, &core);
        // A unit that computes without an array unrolls one of the two by itself.
        if core.vector_unit.is_some() {
            continue;
        }
        let problems = [problem.clone(), exchanged(&problem)];
        let layers = problems.each_ref().map(|problem| LayerOnCore::new(&core, Rules::CORRECTED, problem));
        for objective in &objectives {
            let found = layers.each_ref().map(|layer| {
                let limits = Limits { lpf_limit: 5, max_orders: 2000, ..Limits::default() };
                [Strategy::Exact, Strategy::Loma].map(|strategy| {
                    let best = find_best(layer, objective, &limits, strategy).best?;
                    Some((objective.score(layer, &best.cost(layer)?), best.latency_cycles))
                })
            });
            let what = || format!("{objective:?}: {found:?}\n{problem:?}\n{text}");
            for (one, other) in found[0].iter().zip(&found[1]) {
                assert_eq!(one.is_some(), other.is_some(), "{}", what());
                let Some(((score, latency), (other_score, other_latency))) = one.zip(*other) else { continue };
                assert!((score - other_score).abs() <= 1e-9 * score.abs(), "{}", what());
                assert_eq!(latency, other_latency, "{}", what());
                compared += 1;
            }
        }
    }
}

#[test]
fn objectives_weigh_and_add_what_they_name() {
    let score = |objective: Objective| {
        objective.combine(5.0, Cycles(7.0), &|| 11.0, &|name| if name == "sram" { 13.0 } else { 17.0 })
    };
    assert_eq!(score(Objective::Energy), 5.0);
    assert_eq!(score(Objective::Latency), 7.0);
    assert_eq!(score(Objective::EnergyDelayProduct), 5.0 * 7.0);
    assert_eq!(score(Objective::DramAccesses), 11.0);
    assert_eq!(score(Objective::MemoryAccesses("sram".to_owned())), 13.0);
    let weights = Weights { energy: 2.0, latency: 3.0, dram_accesses: 0.5 };
    assert_eq!(score(Objective::Weighted(weights)), 2.0 * 5.0 + 3.0 * 7.0 + 0.5 * 11.0);
}

/// The search keeps the room of six shared memories in mind. With more it proves nothing, and still gives a mapping.
#[test]
fn of_many_shared_memories_nothing_false_is_proved() {
    let mut random = Random(7);
    let (mut fits, mut unproved) = (0, 0);
    for _ in 0..oracle_cases(15) {
        let mut text = "name: deep\narray: { dimensions: { D1: 1 }, mac_energy: 1 pJ }\nmemories:\n".to_owned();
        let mut size = 3;
        for number in 0..7 {
            size += random.below(3);
            let energy = 1 + random.below(9);
            text += &format!(
                "  - {{ name: m{number}, size: {size} B, operands: [W, I, O], width: 8 bit, read_energy: {energy} pJ, \
                 write_energy: {energy} pJ, shared_over: all }}\n"
            );
        }
        text += "  - { name: dram, size: 4096 B, operands: [W, I, O], width: 8 bit, read_energy: 50 pJ, write_energy: 50 pJ, \
                 shared_over: all }\n";
        let core = Core::from_text(&text).unwrap();
        let mut sizes = [1; 8];
        for dim in [random.pick(&[Dim::K, Dim::OX]), random.pick(&[Dim::C, Dim::OX])] {
            sizes[dim as usize] *= random.pick(&[2, 3, 5]);
        }
        let shape = LayerShape {
            kind: LayerKind::Conv,
            dim_order: Dim::ALL,
            sizes,
            stride: (1, 1),
            dilation: (1, 1),
            input_limit: (sizes[Dim::OX as usize], 1),
            untouched: (0, 0),
            precision: Precision { w: 8, i: 8, o_partial: 8 * (1 + random.below(2)), o: 8 },
            sparsity: None,
            operations: Operations::default(),
        };
        let levels = Operand::ALL.map(|operand| core.levels(operand).len());
        let problem = LayerProblem::new(shape, levels, std::iter::empty().collect());
        let layer = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
        let objectives = [Objective::Energy, Objective::Latency, Objective::EnergyDelayProduct];
        let best = brute_force(&layer, &objectives, 1 << 22).unwrap();
        for (objective, best) in objectives.iter().zip(best) {
            let outcome = find_best(&layer, objective, &Limits::default(), Strategy::Exact);
            let what = || format!("{objective:?}, {best:?}, {outcome:?}\n{problem:?}\n{text}");
            assert!(has_mapping(&layer, &Limits::default(), Strategy::Exact) || best.is_none(), "{}", what());
            unproved += usize::from(outcome.proof == Proof::None);
            fits += usize::from(outcome.best.is_some());
            if outcome.proof == Proof::Optimal {
                let ours = outcome.best.as_ref().map(|found| objective.score(&layer, &found.cost(&layer).unwrap()));
                let close = |(ours, (least, ..)): (f64, (f64, u64, f64))| (ours - least).abs() <= 1e-9 * least;
                assert!(ours.is_some() == best.is_some() && ours.zip(best).is_none_or(close), "{}", what());
            }
        }
    }
    assert!(fits > 0 && unproved > 0, "{fits} fit, {unproved} are unproved");
}

/// Operands may have to stay below some memory, where all of their data has to fit.
#[test]
fn a_mapping_fits_where_brute_force_finds_one() {
    let mut random = Random(19);
    let (mut some, mut none) = (0, 0);
    while some + none < 500 {
        let text = hardware(&mut random);
        let Ok(mut core) = Core::from_text(&text) else { continue };
        if random.below(2) == 0 {
            double_buffers(&mut core);
        }
        let mut problem = problem(&mut random, &core);
        if core.vector_unit.is_none() {
            problem.levels = problem.levels.map(|levels| levels - random.below(levels as u64) as usize);
        }
        problem.adds = (some + none) % 4 == 0;
        let layer = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
        let Some(best) = brute_force(&layer, &[Objective::Energy], 200) else { continue };
        let fits = best[0].is_some();
        let limits = Limits { lpf_limit: usize::MAX, ..Limits::default() };
        assert_eq!(has_mapping(&layer, &limits, Strategy::Exact), fits, "{problem:?}\n{text}");
        *(if fits { &mut some } else { &mut none }) += 1;
    }
    assert!(some > 50 && none > 50, "{some} fit, {none} do not");
}

#[test]
fn orders_are_counted_before_loma_tries_one() {
    let mut random = Random(23);
    let (most, mut refused) = (24, 0);
    for _ in 0..20 {
        let Ok(core) = Core::from_text(&hardware(&mut random)) else { continue };
        let problem = problem(&mut random, &core);
        let layer = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
        let of = |lpf_limit, max_orders| {
            let limits = Limits { lpf_limit, max_orders, ..Limits::default() };
            find_best(&layer, &Objective::Energy, &limits, Strategy::Loma)
        };
        let (all, few) = (of(usize::MAX, u64::MAX), of(usize::MAX, most));
        assert_eq!(all.stopped, StopReason::Exhausted);
        if all.orders <= most {
            assert_eq!(few, all);
            continue;
        }
        // Every dimension keeps a loop; where these have too many orders, no limit suffices.
        if of(1, u64::MAX).orders > most {
            continue;
        }
        refused += 1;
        let StopReason::TooManyOrders { orders, lpf_limit } = few.stopped else { panic!("{few:?}") };
        assert_eq!((few.best, few.orders, orders), (None, 0, all.orders));
        // The proposed limit is the largest that suffices.
        let [proposed, larger] = [lpf_limit, lpf_limit + 1].map(|lpf_limit| of(lpf_limit, most));
        assert!(proposed.orders <= most && proposed.stopped == StopReason::Exhausted, "{proposed:?}");
        assert!(matches!(larger.stopped, StopReason::TooManyOrders { .. }), "{larger:?}");
    }
    assert!(refused > 0);
}

/// Stopped at any time, a search returns a mapping and a bound on how much better another may be.
#[test]
fn a_search_out_of_time_says_how_far_it_got() {
    let mut random = Random(5);
    let (mut stopped, mut gaps) = (0, 0);
    for _ in 0..300 {
        let text = hardware(&mut random);
        let Ok(core) = Core::from_text(&text) else { continue };
        let problem = problem(&mut random, &core);
        let layer = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
        let limits = Limits::default();
        for objective in [Objective::Energy, Objective::Latency, Objective::EnergyDelayProduct] {
            let best = find_best(&layer, &objective, &limits, Strategy::Exact);
            let score = |outcome: &Outcome| {
                let cost = outcome.best.as_ref().and_then(|best| best.cost(&layer));
                cost.map(|cost| objective.score(&layer, &cost))
            };
            for steps in [0_u32, 1, 2, 5, 20, 100] {
                let left = Cell::new(steps);
                let has_time = || left.replace(left.get().saturating_sub(1)) > 0;
                let early = find_best_while(&layer, &objective, &limits, Strategy::Exact, &has_time);
                let what = || format!("{steps} steps, {objective:?}, {:?}\n{problem:?}\n{text}", early.proof);
                let (Some(least), Some(found)) = (score(&best), score(&early)) else {
                    assert!(early.best.is_none() || best.best.is_some(), "{}", what());
                    continue;
                };
                let share = (found - least) / found;
                match early.proof {
                    Proof::Optimal | Proof::OptimalButForTies => assert!(share <= 1e-9, "{share}: {}", what()),
                    Proof::Gap(gap) => assert!((-1e-9..=gap + 1e-9).contains(&share), "{share}: {}", what()),
                    Proof::None => {}
                }
                stopped += usize::from(early.stopped == StopReason::OutOfTime);
                gaps += usize::from(matches!(early.proof, Proof::Gap(_)));
            }
        }
    }
    assert!(stopped > 1000 && gaps > 500, "{stopped} searches were stopped, {gaps} stated a gap: too few to say much");
}

#[test]
fn equals_brute_force_under_corrected_rules() {
    equals_brute_force(Rules::CORRECTED, 2000, 4000, 1);
}

#[test]
fn equals_brute_force_where_outputs_are_added_to_sums() {
    let adds = |_: &mut Core, problem: &mut LayerProblem| problem.adds = true;
    equals_brute_force_on(adds, Rules::CORRECTED, 1000, 4000, 8);
    let doubled = |core: &mut Core, problem: &mut LayerProblem| {
        double_buffers(core);
        problem.adds = true;
    };
    equals_brute_force_on(doubled, Rules::CORRECTED, 500, 4000, 9);
}

/// Where only DRAM is counted, most mappings are equally good: whole levels may contain only reuse.
fn dram_only(core: &mut Core, _: &mut LayerProblem) {
    for memory in &mut core.memories {
        if memory.name != "dram" {
            (memory.read_energy_pj, memory.write_energy_pj) = (0.0, 0.0);
        }
    }
}

/// Some memories are double-buffered by design, and some never, by their sizes.
pub fn double_buffers(core: &mut Core) {
    for memory in core.memories.iter_mut().filter(|memory| memory.name != "dram") {
        memory.double_buffered = match memory.size_bits.trailing_zeros() % 3 {
            0 => DoubleBuffering::WhereItFits,
            1 => DoubleBuffering::Never,
            _ => DoubleBuffering::Always,
        };
    }
}

/// A part is held twice, and all of an operand once: a larger set of loops may take less room.
#[test]
fn equals_brute_force_where_memories_are_double_buffered_by_design() {
    equals_brute_force_on(|core, _| double_buffers(core), Rules::CORRECTED, 2000, 4000, 6);
    equals_brute_force_on(|core, _| double_buffers(core), Rules::DEFINES_2022, 500, 4000, 7);
}

#[test]
fn equals_brute_force_where_only_dram_is_counted() {
    equals_brute_force_on(dram_only, Rules::CORRECTED, 1000, 4000, 3);
}

/// Energy decides only between mappings with equally many words, whatever others save: whether all transfers are one
/// word, or every bit a small part of one.
#[test]
fn no_energy_outweighs_the_smallest_part_of_a_word() {
    let mut random = Random(6);
    let mut compared = 0;
    let objectives = [Objective::MemoryAccesses("m0".to_owned())];
    while compared < oracle_cases(400) {
        let text = hardware(&mut random);
        let Ok(mut core) = Core::from_text(&text) else { continue };
        let granularity = random.pick(&[1, 1 << 20]);
        for memory in &mut core.memories {
            if memory.name == "m0" {
                (memory.read_width_bits, memory.write_width_bits) = (1 << 20, 1 << 20);
                (memory.read_granularity_bits, memory.write_granularity_bits) = (granularity, granularity);
            } else {
                memory.read_energy_pj *= 1e5;
                memory.write_energy_pj *= 1e5;
            }
        }
        let problem = problem(&mut random, &core);
        let layer = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
        let Some(best) = brute_force(&layer, &objectives, 4000) else { continue };
        let Some((fewest, ..)) = best[0] else { continue };
        compared += 1;
        let limits = Limits { lpf_limit: usize::MAX, ..Limits::default() };
        let found = find_best(&layer, &objectives[0], &limits, Strategy::Exact).best.unwrap();
        let words = objectives[0].score(&layer, &found.cost(&layer).unwrap());
        let what = || format!("{granularity} bit\n{problem:?}\n{text}");
        assert!((words - fewest).abs() <= 1e-9 * fewest, "{words} words instead of {fewest}, {}", what());
    }
}

#[test]
fn equals_brute_force_under_the_rules_of_defines() {
    equals_brute_force(Rules::DEFINES_2022, 500, 4000, 4);
    equals_brute_force_on(dram_only, Rules::DEFINES_2022, 500, 4000, 5);
}

/// Among them one in which too many mappings have equally few accesses to list them (problem 478).
#[test]
fn equals_brute_force_where_there_are_many_mappings() {
    equals_brute_force(Rules::CORRECTED, 500, 150_000, 77);
}

/// LOMA fills memories from the lowest up. Where each holds all its operands, or there is none to fill, that is the
/// best allocation of every order.
#[test]
fn equals_loma_over_all_orders_where_its_allocation_is_the_best() {
    let mut random = Random(11);
    let mut compared = 0;
    while compared < 400 {
        let text = hardware(&mut random);
        let Ok(core) = Core::from_text(&text) else { continue };
        let problem = problem(&mut random, &core);
        let mut core = core;
        for memory in &mut core.memories {
            memory.size_bits = memory.size_bits.max(1 << 20);
        }
        let layer = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
        let limits = Limits { lpf_limit: usize::MAX, ..Limits::default() };
        let orders = find_best(&layer, &Objective::Energy, &limits, Strategy::Loma);
        let exact = find_best(&layer, &Objective::Energy, &limits, Strategy::Exact);
        let (Some(loma), Some(exact)) = (orders.best, exact.best) else { continue };
        compared += 1;
        let close = (loma.energy_pj - exact.energy_pj).abs() <= 1e-9 * exact.energy_pj;
        assert!(close, "{} pJ instead of {}\n{problem:?}\n{text}", exact.energy_pj, loma.energy_pj);
        assert!(exact.latency_cycles <= loma.latency_cycles, "{problem:?}\n{text}");
    }
}

/// A problem of a network, by the layers' sizes, the levels and the unrolling on a preset.
fn posed(
    (kind, sizes, stride, input_limit): (LayerKind, [u64; 8], u64, u64),
    levels: [usize; 3],
    unroll: &[(Dim, u64)],
) -> LayerProblem {
    let shape = LayerShape {
        kind,
        sizes,
        dim_order: Dim::ALL,
        stride: (stride, stride),
        dilation: (1, 1),
        input_limit: (input_limit, input_limit),
        untouched: (0, 0),
        precision: Precision { w: 8, i: 8, o_partial: 16, o: 8 },
        sparsity: None,
        operations: Operations::default(),
    };
    let unroll = unroll.iter().enumerate();
    let unroll = unroll.map(|(array_dim, &(dim, limit))| Unroll { array_dim: array_dim.into(), dim, limit });
    LayerProblem::new(shape, levels, unroll.collect())
}

fn best_on(preset: &str, problem: &LayerProblem, objective: &Objective) -> Solution {
    let core = Core::from_text(find_preset(hardware_presets(), preset).unwrap().text).unwrap();
    let layer = LayerOnCore::new(&core, Rules::CORRECTED, problem);
    find_best(&layer, objective, &Limits::default(), Strategy::Exact).best.unwrap()
}

/// A chain dominates another one only if no longer run of irrelevant loops shortens the window of a memory. Without
/// that, 1.5 % are missed here. The least was also found by a search that left runs to complete chains.
#[test]
fn runs_of_irrelevant_loops_are_part_of_dominance() {
    let shape = (LayerKind::Conv, [1, 1, 64, 3, 40, 40, 7, 7], 2, 82);
    let problem = posed(shape, [4, 2, 2], &[(Dim::K, 32), (Dim::OX, 8), (Dim::OY, 4)]);
    let best = best_on("tesla-npu-like-df", &problem, &Objective::EnergyDelayProduct);
    assert_eq!((best.latency_cycles, best.energy_pj.round() as u64), (14859, 1_612_043));
}

/// Of two stalls one can be left out of dominance only if the most that may still come does not make it the longest.
/// With the least in its place the search ends at 49,397 cycles.
#[test]
fn what_may_still_come_decides_which_stalls_count() {
    let shape = (LayerKind::Pointwise, [1, 1, 256, 64, 56, 8, 1, 1], 1, u64::MAX);
    let problem = posed(shape, [2, 2, 3], &[(Dim::C, 12), (Dim::OY, 14)]);
    assert_eq!(best_on("eyeriss-like", &problem, &Objective::Latency).latency_cycles, 49_392);
}

/// Searches by different objectives reach their answers on different ways, in real problems, too.
#[test]
fn no_answer_of_an_objective_is_beaten_by_that_of_another() {
    let weighted = Objective::Weighted(Weights { energy: 1.0, latency: 100.0, dram_accesses: 0.0 });
    let objectives = [Objective::Energy, Objective::Latency, Objective::EnergyDelayProduct, weighted];
    let mut compared = 0;
    for (hardware, workload) in [("tpu-like-df", "resnet18"), ("tesla-npu-like-df", "resnet50")] {
        let text = |presets, id: &str| find_preset(presets, id).unwrap().text.to_owned();
        let request = Request {
            hardware: text(hardware_presets(), hardware),
            workload: text(workload_presets(), workload),
            settings: Settings::default(),
        };
        let sweep = Sweep::new(&request).unwrap();
        for problem in each_of(sweep.plan().problems.list.raw, 40) {
            let layer = LayerOnCore::new(&sweep.core, Rules::CORRECTED, &problem);
            let find = |objective| find_best(&layer, objective, &Limits::default(), Strategy::Exact);
            let costs: Vec<LayerCost> =
                objectives.iter().filter_map(|objective| find(objective).best?.cost(&layer)).collect();
            for (own, objective) in costs.iter().zip(&objectives) {
                let [own, least] = [
                    objective.score(&layer, own),
                    costs.iter().map(|cost| objective.score(&layer, cost)).fold(f64::INFINITY, f64::min),
                ];
                assert!(own <= least * (1.0 + 1e-9), "{hardware}, {objective:?}: {own} for {least}\n{problem:?}");
                compared += 1;
            }
        }
    }
    assert!(compared > 400, "{compared} answers are too few to say much");
}
