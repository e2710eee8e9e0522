//! The iterations of the loops of a mapped layer: all steps of any depth together have the traffic of the layer, and
//! every memory holds the data that the iterations of a step use.

use super::layer_by_elements::{MappedLayer, random_layer, random_mapping};
use crate::search::random_problems::Random;
use fusescape_engine::cost::{Evaluator, IndexAxis, LoopTrace};
use fusescape_engine::depth_first::TileTypeId;
use fusescape_engine::explore::{CostStore, DesignLayer, IncrementalSweep, LayerRequest, Request, Settings, Sweep};
use fusescape_engine::hardware::Movement;
use fusescape_engine::mapping::LayerOnCore;
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Objective, Strategy};
use fusescape_engine::workload::Dim;
use fusescape_spec::{find_preset, hardware_presets, workload_presets};
use fusescape_test_support::random::oracle_cases;
use std::ops::Range;

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * expected.abs().max(1.0)
}

/// Sums of the traffic of all steps, by operand and level: crossings down and up.
fn all_crossings(trace: &LoopTrace, depth: usize) -> Vec<Vec<(u64, u64)>> {
    let mut sums: Vec<Vec<(u64, u64)>> = trace.operands.iter().map(|of| vec![(0, 0); of.levels.len()]).collect();
    for step in 0..trace.steps(depth) {
        for (operand, levels) in sums.iter_mut().enumerate() {
            for (level, sum) in levels.iter_mut().enumerate() {
                let (down, up) = trace.crossings(operand, level, depth, step);
                *sum = (sum.0 + down, sum.1 + up);
            }
        }
    }
    sums
}

/// Random layers on random cores with random mappings, those of the oracle of `layer_by_elements`.
fn each_case(seed: u64, count: u64, mut check: impl FnMut(&mut Random, &MappedLayer<'_>, &LoopTrace, &str)) {
    let mut random = Random(seed);
    let mut left = count;
    while left > 0 {
        let Some((text, core, mut problem)) = random_layer(&mut random) else { continue };
        problem.adds = left.is_multiple_of(4);
        let layer = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
        let evaluator = Evaluator::new(&layer);
        let (order, allocation) = random_mapping(&mut random, &layer);
        let Some(cost) = evaluator.evaluate(&order, &allocation) else { continue };
        left -= 1;
        let trace = LoopTrace::new(&evaluator, &order, &cost);
        let mapped = MappedLayer { core: &core, problem: &problem, order: &order, allocation: &allocation };
        check(&mut random, &mapped, &trace, &format!("{order:?} {allocation:?}\n{problem:?}\n{text}"));
    }
}

/// The traffic of the steps of every depth together is that of running the layer element by element.
#[test]
fn steps_add_up_to_what_running_the_layer_moves() {
    let (mut below, mut above, mut added) = (0, 0, 0);
    each_case(7, oracle_cases(300), |_, mapped, trace, what| {
        let run = mapped.run();
        for depth in 0..=trace.order.len() {
            let sums = all_crossings(trace, depth);
            for moved in &run.moved {
                let goes_down = matches!(moved.movement, Movement::ReadToLow | Movement::WriteFromHigh);
                let boundary = if moved.movement.is_low() { moved.level } else { moved.level + 1 };
                let (down, up) = sums[moved.operand as usize][boundary];
                assert_eq!(if goes_down { down } else { up }, moved.transfers, "{moved:?} at depth {depth}: {what}");
                added += usize::from(goes_down && up > 0);
            }
            let pj: f64 = (0..trace.steps(depth)).map(|step| trace.access_pj(depth, step)).sum();
            assert!(close(pj, run.moved.iter().map(|moved| moved.pj).sum()), "{pj} pJ at depth {depth}: {what}");
            let compute_pj = trace.steps(depth) as f64 * trace.step_compute_pj(depth);
            assert!(close(compute_pj, mapped.compute_pj()), "{compute_pj} pJ at depth {depth}: {what}");
            assert_eq!(trace.steps(depth) * trace.cycles(depth), run.cycles, "{what}");
            for level in trace.operands.iter().flat_map(|of| &of.levels) {
                (below, above) = (below + usize::from(level.loops < depth), above + usize::from(level.loops > depth));
            }
        }
        for moved in run.moved.iter().filter(|moved| moved.movement.is_low()) {
            let below = &trace.operands[moved.operand as usize].levels[moved.level].below;
            let way = if moved.movement == Movement::ReadToLow { below.down } else { below.up };
            let elements = way.elements * moved.transfers as f64;
            // Elements of 0 bits do not count.
            assert!(close(elements, moved.elements), "{elements} elements, {moved:?}: {what}");
        }
    });
    assert!(below > 1000 && above > 1000 && added > 100, "{below}, {above}, {added}");
}

/// The indices of a dimension in an iteration of the temporal loops, unrolled loops innermost.
fn indices_of(trace: &LoopTrace, dim: Dim, iteration: &[u64]) -> Range<u64> {
    let mut place = 0;
    for (next, index) in trace.order.iter().zip(iteration).rev().filter(|(next, _)| next.dim == dim) {
        place = place * next.size + index;
    }
    let (unrolled, size) = (trace.unrolled[dim as usize], trace.sizes[dim as usize]);
    (place * unrolled).min(size)..((place + 1) * unrolled).min(size)
}

/// Least and greatest position along an axis in some iterations.
fn touched(trace: &LoopTrace, axis: IndexAxis, iterations: &[Vec<u64>]) -> Range<u64> {
    let mut all: Option<Range<u64>> = None;
    for iteration in iterations {
        let range = match axis {
            IndexAxis::Loop(dim) => indices_of(trace, dim, iteration),
            IndexAxis::Window { outputs: (outputs, stride), kernel: (kernel, dilation) } => {
                let (outputs, kernel) = (indices_of(trace, outputs, iteration), indices_of(trace, kernel, iteration));
                let places = outputs.flat_map(|at| kernel.clone().map(move |tap| at * stride + tap * dilation));
                let places: Vec<u64> = places.collect();
                places.iter().min().copied().unwrap_or(0)..places.iter().max().map_or(0, |last| last + 1)
            }
        };
        all = Some(all.map_or(range.clone(), |all| all.start.min(range.start)..all.end.max(range.end)));
    }
    all.unwrap_or_default()
}

/// Runs all iterations one by one: a memory holds the data that is used from it until other data replaces it, and each
/// crossing replaces it.
#[test]
fn memories_hold_what_iterations_use_and_change_with_every_crossing() {
    let (mut changes, mut stays) = (0, 0);
    each_case(11, oracle_cases(120), |random, _, trace, what| {
        let steps = trace.steps(0);
        if steps > 3000 {
            return;
        }
        let iterations: Vec<Vec<u64>> = (0..steps).map(|step| trace.indices(0, step)).collect();
        let depth = random.below(trace.order.len() as u64 + 1) as usize;
        let each = trace.cycles(depth) / trace.iteration_cycles;
        for (operand, of) in trace.operands.iter().enumerate() {
            let all: Vec<_> = of.axes.iter().map(|axis| touched(trace, *axis, &iterations)).collect();
            assert_eq!(trace.whole(operand).ranges, all, "{}: {what}", of.name);
            for (level, at) in of.levels.iter().enumerate() {
                let stay: u64 = trace.order[..at.loops].iter().map(|next| next.size).product();
                let during = |first: u64, count: u64| {
                    let iterations = &iterations[first as usize..(first + count) as usize];
                    of.axes.iter().map(|axis| touched(trace, *axis, iterations)).collect::<Vec<_>>()
                };
                for step in 0..trace.steps(depth) {
                    let (first, last) = (step * each, (step + 1) * each - 1);
                    let found = trace.block(operand, level, depth, step).ranges;
                    assert_eq!(
                        found,
                        during(last / stay * stay, stay),
                        "{} in {}, step {step}: {what}",
                        of.name,
                        at.name
                    );
                    let passed = trace.passed(operand, level, depth, step).ranges;
                    let begin = first / stay * stay;
                    assert_eq!(passed, during(begin, (last / stay + 1) * stay - begin), "step {step}: {what}");
                }
                let Some(above) = of.levels.get(level + 1) else { continue };
                let slides = of.axes.iter().any(|axis| matches!(axis, IndexAxis::Window { .. }));
                for step in 1..steps {
                    let is_new = trace.block(operand, level, 0, step) != trace.block(operand, level, 0, step - 1);
                    let crosses = step.is_multiple_of(stay);
                    let (down, up) = trace.crossings(operand, level + 1, 0, step);
                    let (_, went) = trace.crossings(operand, level + 1, 0, step - 1);
                    assert!(above.below.down.count == 0 || down == 0 || crosses, "step {step}: {what}");
                    assert!(up == 0 || (step + 1).is_multiple_of(stay), "step {step}: {what}");
                    assert!(crosses || !is_new, "{} in {}, step {step}: {what}", of.name, at.name);
                    // A window may slide to a position where it was with another tap of the kernel.
                    assert!(is_new || !crosses || slides, "{} in {}, step {step}: {what}", of.name, at.name);
                    assert!(crosses || (down, went) == (0, 0), "step {step}: {what}");
                    (changes, stays) = (changes + usize::from(is_new), stays + usize::from(!is_new));
                }
            }
        }
    });
    assert!(changes > 1000 && stays > 1000, "{changes}, {stays}");
}

fn preset(of: &'static [fusescape_spec::Preset], name: &str) -> String {
    find_preset(of, name).unwrap().text.to_owned()
}

/// Best mappings of real layers, also by the tools' rules: the cost of one crossing times the number of crossings is
/// the account.
#[test]
fn crossings_add_up_to_the_accesses_of_real_layers() {
    let cases = [
        ("meta-proto-like", "resnet18", Rules::CORRECTED),
        ("tpu-like", "mobilenet-v1", Rules::CORRECTED),
        ("edge-tpu-like", "fsrcnn", Rules::DEFINES_2022),
        ("zigzag-dimc", "resnet18", Rules::CORRECTED),
    ];
    for (core, network, rules) in cases {
        let (hardware, workload) = (preset(hardware_presets(), core), preset(workload_presets(), network));
        let request = LayerRequest {
            hardware,
            workload,
            layer: None,
            objective: Objective::Energy,
            strategy: Strategy::Loma,
            lpf_limit: 6,
            rules,
            unroll: None,
        };
        let design_layer = DesignLayer::new(&request).unwrap();
        let best = design_layer.best().unwrap();
        let trace = design_layer.loop_trace(&best.mapping).unwrap();
        let mut pj = 0.0;
        for (operand, of) in trace.operands.iter().enumerate() {
            for (level, at) in of.levels.iter().enumerate() {
                let depth = at.below.loops;
                let sums = all_crossings(&trace, depth)[operand][level];
                let both =
                    [(sums.0, at.below.down, Movement::ReadToLow), (sums.1, at.below.up, Movement::WriteFromLow)];
                for (count, way, movement) in both {
                    let is_it = |access: &&fusescape_engine::cost::Access| {
                        access.operand == of.name && (access.level, access.movement) == (level, movement)
                    };
                    let access = best.accesses.iter().find(is_it);
                    assert_eq!(count, access.map_or(0, |access| access.transfers), "{core}, {network}, {}", of.name);
                    let elements = access.map_or(0.0, |access| access.all_elements());
                    assert!(close(way.elements * count as f64, elements), "{core}, {network}, {}", of.name);
                    pj += way.pj * count as f64;
                }
            }
        }
        let fixed = trace.compute_pj * trace.steps(0) as f64;
        assert!(close(pj + fixed, best.energy_pj()), "{core}, {network}: {pj} + {fixed} is not {}", best.energy_pj());
    }
}

/// The loops of every layer in every type of tile are those of the account, and have its costs.
#[test]
fn layers_of_tiles_turn_as_the_account_says() {
    let request = Request {
        hardware: preset(hardware_presets(), "meta-proto-like-df"),
        workload: preset(workload_presets(), "fsrcnn"),
        settings: Settings { tiles_x: vec![60], tiles_y: vec![72], lpf_limit: 4, ..Settings::default() },
    };
    let sweep = Sweep::new(&request).unwrap();
    let (mut incremental, mut store) = (IncrementalSweep::new(sweep.clone()), CostStore::default());
    let strategy = incremental.strategies()[0].clone();
    let account = incremental.account(&mut store, 0).unwrap();
    for (stack, of) in account.stacks.iter().enumerate() {
        for (tile_type, tile) in of.tile_types.iter_enumerated() {
            for (node, layer) in tile.layers.iter_enumerated() {
                let trace = sweep.loop_trace(&strategy, (stack, tile_type, node)).unwrap();
                let (Some(trace), Some(cost)) = (&trace, &layer.cost) else {
                    assert_eq!((trace.is_some(), layer.cost.is_some()), (false, false), "{}", layer.layer);
                    continue;
                };
                assert_eq!(trace.order, cost.loops, "{}", layer.layer);
                let pj: f64 = trace
                    .operands
                    .iter()
                    .flat_map(|of| of.levels.iter().map(|at| at.below))
                    .map(|at| at.down.pj * at.down.count as f64 + at.up.pj * at.up.count as f64)
                    .sum();
                let pj = pj + trace.compute_pj * trace.steps(0) as f64;
                assert!(close(pj, cost.energy.total_pj()), "{}: {pj} is not {}", layer.layer, cost.energy.total_pj());
            }
        }
        assert!(
            sweep.loop_trace(&strategy, (stack, TileTypeId::from(of.tile_types.len()), Default::default())).is_err()
        );
    }
    assert!(sweep.loop_trace(&strategy, (account.stacks.len(), TileTypeId::from(0), Default::default())).is_err());
}
