//! The best of all placements: it runs, costs no more than the published rule, and never more where memories are larger.
//! `stack_placement.rs` compares it with brute force.

use super::random_stacks::{RandomStack, random_stacks};
use super::replay::run_all;
use fusescape_engine::depth_first::{FuseDepth, StoringMode};
use fusescape_engine::explore::{CostStore, IncrementalSweep, Request, Settings, StackLimits, StackProblem, Sweep};
use fusescape_engine::hardware::Core;
use fusescape_engine::search::{Objective, Weights};
use fusescape_spec::{find_preset, hardware_presets, workload_presets};
use fusescape_test_support::random::{Lcg, oracle_cases};

// Cases take a second, as every placement of every tile may be searched: there are fewer than in other oracles.

fn random_objective(random: &mut Lcg) -> Objective {
    match random.below(5) {
        0 => Objective::Latency,
        1 => Objective::DramAccesses,
        2 => Objective::Weighted(Weights { energy: 1.0, latency: 40.0, dram_accesses: 0.0 }),
        3 => Objective::EnergyDelayProduct,
        _ => Objective::Energy,
    }
}

fn sweep_of(stack: &RandomStack<'_>, core: Core, objective: Objective) -> Sweep {
    let settings = Settings {
        tiles_x: vec![stack.tile.0],
        tiles_y: vec![stack.tile.1],
        modes: vec![stack.tiling.mode],
        fuse: vec![FuseDepth::Cuts(Vec::new())],
        objective,
        ..Settings::default()
    };
    Sweep::of(core, stack.network.clone(), settings).unwrap()
}

/// The value of the objective at the only point of a sweep, if it can be scheduled.
fn score(sweep: &Sweep) -> Option<f64> {
    let mut points = IncrementalSweep::new(sweep.clone());
    points.point(&mut CostStore::default(), 0, &mut || true).ok().map(|point| point.score)
}

#[test]
fn it_runs_and_costs_no_more_than_data_in_the_lowest_memories() {
    let mut left = oracle_cases(80).min(500);
    let mut less = 0;
    random_stacks(46, |random, stack| {
        let sweep = sweep_of(stack, stack.core.clone(), random_objective(random));
        let chosen = sweep.clone().choosing_placement();
        let (by_rule, best) = (score(&sweep), score(&chosen));
        let Some(best) = best else {
            assert_eq!(by_rule, None, "{}", stack.text);
            return false;
        };
        assert!(by_rule.is_none_or(|by_rule| best <= by_rule * (1.0 + 1e-9)), "{best}, {by_rule:?}\n{}", stack.text);
        less += usize::from(by_rule.is_some_and(|by_rule| best < by_rule * (1.0 - 1e-9)));
        run_all(&chosen, |_| true).unwrap_or_else(|wrong| panic!("{wrong}\n{}", stack.text));
        left -= 1;
        left == 0
    });
    assert!(less > 10, "less in {less} cases");
}

/// A memory that is larger at the same energy and width.
#[test]
fn a_larger_memory_never_costs_more() {
    let mut left = oracle_cases(60).min(500);
    let mut less = 0;
    random_stacks(47, |random, stack| {
        let objective = random_objective(random);
        let mut core = stack.core.clone();
        let number = random.below(core.memories.len() as u64 - 1) as usize;
        let memory = &mut core.memories.raw[number];
        memory.size_bits += memory.size_bits / (1 + random.below(4)) + random.below(64);
        let of = |core: &Core| score(&sweep_of(stack, core.clone(), objective.clone()).choosing_placement());
        let Some(before) = of(stack.core) else { return false };
        let after = of(&core).unwrap_or_else(|| panic!("nothing fits\n{}", stack.text));
        let what = || format!("memory {number}, {objective:?}: {before} to {after}\n{}", stack.text);
        assert!(after <= before * (1.0 + 1e-9), "{}", what());
        less += usize::from(after < before * (1.0 - 1e-9));
        left -= 1;
        left == 0
    });
    assert!(less > 5, "less in {less} cases");
}

/// The sizes of ResNet18's low memory at which the published rule costs more with more room (issue 44).
#[test]
fn optimal_stacks_cost_less_the_larger_a_memory_is() {
    let text = |presets, id: &str| find_preset(presets, id).unwrap().text.to_owned();
    let settings = Settings { tiles_x: vec![28, 56], tiles_y: vec![14, 56], ..Settings::default() };
    let optimum = |size: &str, chooses: bool| {
        let hardware =
            text(hardware_presets(), "meta-proto-like-df").replacen("size: 64 KiB", &format!("size: {size}"), 1);
        let request = Request { hardware, workload: text(workload_presets(), "resnet18"), settings: settings.clone() };
        let sweep = Sweep::new(&request).unwrap();
        let sweep = if chooses { sweep.choosing_placement() } else { sweep };
        let mut study = StackProblem::new(sweep, StackLimits::default()).unwrap();
        let mut store = CostStore::default();
        let runs: Vec<_> = (0..study.parts()).flat_map(|part| study.part(&mut store, part)).collect();
        let best = study.combine(&runs).unwrap();
        let account = study.account(&mut store, &best).unwrap();
        assert!((account.energy_pj - best.energy_pj).abs() <= 1e-9 * best.energy_pj);
        best.energy_pj
    };
    let by_rule = ["96 KiB", "128 KiB"].map(|size| optimum(size, false));
    assert!(by_rule[1] > by_rule[0], "{by_rule:?}");
    let chosen = ["96 KiB", "128 KiB"].map(|size| optimum(size, true));
    assert!(chosen[1] <= chosen[0] && chosen[0] < by_rule[0], "{chosen:?} for {by_rule:?}");
}

/// By energy-delay product, no weighted sum finds a better placement.
#[test]
fn no_weighted_sum_has_a_smaller_product() {
    let mut left = oracle_cases(15).min(100);
    random_stacks(48, |_, stack| {
        let of = |objective: Objective| {
            let mut points = IncrementalSweep::new(sweep_of(stack, stack.core.clone(), objective).choosing_placement());
            let point = points.point(&mut CostStore::default(), 0, &mut || true).ok()?;
            Some((point.energy_pj, point.latency_cycles as f64))
        };
        let Some((energy, latency)) = of(Objective::EnergyDelayProduct) else { return false };
        for times in [0.02, 0.2, 0.5, 1.0, 2.0, 5.0, 50.0] {
            let weights = Weights { energy: 1.0, latency: times * energy / latency, dram_accesses: 0.0 };
            let Some((other_energy, other_latency)) = of(Objective::Weighted(weights)) else { continue };
            let least = energy * latency * (1.0 - 1e-9);
            assert!(other_energy * other_latency >= least, "{times}: {other_energy} x {other_latency}\n{}", stack.text);
        }
        left -= 1;
        left == 0
    });
}

/// Modes that cache nothing have no caches to place.
#[test]
fn every_mode_has_a_placement() {
    for mode in StoringMode::ALL {
        let text = |presets, id: &str| find_preset(presets, id).unwrap().text.to_owned();
        let (tiles_x, tiles_y, fuse) = (vec![5], vec![7], vec![FuseDepth::Cuts(Vec::new())]);
        let settings = Settings { tiles_x, tiles_y, modes: vec![mode], fuse, ..Settings::default() };
        let (hardware, workload) =
            (text(hardware_presets(), "meta-proto-like-df"), text(workload_presets(), "three-convs"));
        let sweep = Sweep::new(&Request { hardware, workload, settings }).unwrap().choosing_placement();
        let point = sweep.plan().points.remove(0).unwrap();
        let caches = point.stacks.iter().flat_map(|stack| &stack.types).map(|tile| tile.caches);
        let exchanges = caches.clone().any(|caches| caches.h_write.is_some());
        assert_eq!(exchanges, mode.caches_columns(), "{mode}");
        assert_eq!(caches.clone().any(|caches| caches.v_write.is_some()), mode.caches_rows(), "{mode}");
    }
}

/// By the rule ResNet18 costs more with the larger memory, as inputs that fit push larger outputs to DRAM.
#[test]
fn a_map_that_fits_pushes_no_other_one_to_dram() {
    let text = |presets, id: &str| find_preset(presets, id).unwrap().text.to_owned();
    let meta = text(hardware_presets(), "meta-proto-like-df");
    let energies = [763_184, 881_744].map(|bits| {
        let hardware =
            meta.replacen("name: sram_64KB\n    size: 64 KiB", &format!("name: sram_64KB\n    size: {bits} bit"), 1);
        assert_ne!(hardware, meta);
        let (tiles_x, tiles_y, modes) = (vec![28], vec![14], vec![StoringMode::FullyCached]);
        let settings = Settings { tiles_x, tiles_y, modes, fuse: vec![FuseDepth::Automatic], ..Settings::default() };
        let workload = text(workload_presets(), "resnet18");
        let sweep = Sweep::new(&Request { hardware, workload, settings }).unwrap();
        [score(&sweep).unwrap(), score(&sweep.choosing_placement()).unwrap()]
    });
    let [[rule, best], [larger_rule, larger_best]] = energies;
    assert!(larger_best <= best * (1.0 + 1e-9) && best <= rule, "{energies:?}");
    assert!(larger_rule > rule, "{energies:?}");
}

#[test]
fn points_that_were_planned_before_change_nothing() {
    let text = |presets, id: &str| find_preset(presets, id).unwrap().text.to_owned();
    let (hardware, workload) = (text(hardware_presets(), "tesla-npu-like-df"), text(workload_presets(), "resnet18"));
    let (tiles_x, tiles_y, modes) = (vec![7, 14], vec![14], vec![StoringMode::FullyCached]);
    let settings = Settings { tiles_x, tiles_y, modes, fuse: vec![FuseDepth::Automatic], ..Settings::default() };
    let sweep = Sweep::new(&Request { hardware, workload, settings }).unwrap().choosing_placement();
    let score_after = |before: &[usize], point: usize| {
        let (mut points, mut store) = (IncrementalSweep::new(sweep.clone()), CostStore::default());
        for &point in before {
            points.point(&mut store, point, &mut || true).unwrap();
        }
        points.point(&mut store, point, &mut || true).unwrap().score
    };
    for (first, second) in [(0, 1), (1, 0)] {
        let (alone, after) = (score_after(&[], second), score_after(&[first], second));
        assert!((alone - after).abs() <= 1e-9 * alone, "{alone} alone, {after} after another point");
    }
}
