//! The generator of memory hierarchies: the hierarchies that it lists and leaves out, and that leaving out never
//! changes the front.

use fusescape_engine::hardware::{Core, Operand};
use fusescape_engine::hierarchy::{
    Exploration, Front, HierarchyCost, HierarchyProblem, HierarchyRequest, HierarchySettings, MemoryHierarchy,
    SearchOutcome, Sought, Widths, unrollings,
};
use fusescape_engine::job::{Job, Progress, Worker};
use fusescape_engine::mapping::LayerOnCore;
use fusescape_engine::pool::Pool;
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Limits, Objective, Strategy, find_best};
use fusescape_spec::{find_preset, hardware_presets, pool_presets, read_hardware, workload_presets};
use fusescape_test_support::sample::{pairs, sample_or_all};
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// Two memories, of which the smaller may stand in every PE.
const POOL: &str = "\
name: tiny
memories:
  - name: rf
    size: 32 B
    replication: [per_pe, shared]
    variants:
      - { width: 16 bit, read_energy: 0.5 pJ, write_energy: 0.6 pJ, area: 10 um2 }
  - name: sram
    size: 1 KiB
    replication: [shared]
    variants:
      - { width: 16 bit, read_energy: 3 pJ, write_energy: 3.5 pJ, area: 100 um2 }
      - { width: 64 bit, read_energy: 5 pJ, write_energy: 5.5 pJ, area: 150 um2 }
";

const ARRAY: &str = "\
name: array
array: { dimensions: { D1: 4, D2: 2 }, mac_energy: 0.2 pJ, pe_area: 5 um2 }
unroll:
  conv: { D1: K, D2: OX }
  depthwise: { D1: G, D2: OX }
memories:
  - { name: lb, size: 64 B, operands: [W], width: 8 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: all }
  - { name: dram, size: 1 GiB, operands: [W, I, O], width: 32 bit, read_energy: 90 pJ, write_energy: 95 pJ, shared_over: all }
";

const NETWORK: &str = "\
name: small
batch: 1
precision: { W: 8, I: 8, O_partial: 16, O: 8 }
layers:
  - { name: image, type: input, K: 3, size: 6 x 6 }
  - { name: a, type: conv, K: 4, kernel: 3 x 3, padding: 1 }
  - { name: b, type: conv, K: 4, kernel: 3 x 3, padding: 1 }
  - { name: c, type: depthwise, kernel: 3 x 3, stride: 2, padding: 1 }
  - { name: d, type: conv, K: 8, kernel: 1 x 1 }
  - { name: e, type: conv, from: a, K: 4, kernel: 3 x 3, padding: 1 }
";

fn request(settings: HierarchySettings) -> HierarchyRequest {
    HierarchyRequest { pool: POOL.into(), hardware: ARRAY.into(), workload: NETWORK.into(), settings }
}

fn study(settings: HierarchySettings) -> HierarchyProblem {
    HierarchyProblem::new(&request(settings)).unwrap_or_else(|wrong| panic!("{wrong}"))
}

fn preset_study(settings: HierarchySettings) -> HierarchyProblem {
    HierarchyProblem::new(&preset_request(settings)).unwrap_or_else(|wrong| panic!("{wrong}"))
}

fn preset_request(settings: HierarchySettings) -> HierarchyRequest {
    let text = |presets, id| find_preset(presets, id).unwrap().text.to_owned();
    HierarchyRequest {
        pool: text(pool_presets(), "zigzag-65nm"),
        hardware: text(hardware_presets(), "zigzag-8x8"),
        workload: text(workload_presets(), "mobilenet-v2-study"),
        settings,
    }
}

/// One layer and few levels, where this suffices for a test.
fn one_layer() -> HierarchySettings {
    HierarchySettings { layers: vec!["b".into()], ..HierarchySettings::default() }
}

#[test]
fn every_combination_is_listed_once() {
    // With one level each operand has one of three elements or none: 4^3 chains. Where two operands have the same
    // element they may share it or not: for one element, 5 ways for three operands and 2 for two, instead of 1. Chains
    // by the number of operands that agree: none of the 3 elements is shared by two: count over all 64 choices.
    let one_level = study(HierarchySettings { max_levels: 1, min_ratio: 1, ..one_layer() });
    let mut by_hand = 0;
    for w in 0..4 {
        for i in 0..4 {
            for o in 0..4 {
                let ways = |element: i32| {
                    let operands = [w, i, o].into_iter().filter(|&choice| choice == element).count();
                    [1, 1, 2, 5][operands]
                };
                by_hand += (1..4).map(ways).product::<usize>();
            }
        }
    }
    assert_eq!(by_hand, 103);
    assert_eq!(one_level.hierarchies.len(), by_hand);
    // Two levels: below the SRAM one of two registers or none, so an operand's chain is one of 2 x 3.
    let two_levels = study(HierarchySettings { max_levels: 2, min_ratio: 1, ..one_layer() });
    let ways = |same: usize| [1, 1, 2, 5][same];
    let mut by_hand = 0;
    for chains in 0..216 {
        let chains = [chains % 6, chains / 6 % 6, chains / 36];
        let srams = ways(chains.iter().filter(|chain| *chain % 2 == 1).count());
        let registers = (1..3).map(|which| ways(chains.iter().filter(|chain| *chain / 2 == which).count()));
        by_hand += srams * registers.product::<usize>();
    }
    assert_eq!(two_levels.hierarchies.len(), by_hand);
    for study in [&one_level, &two_levels] {
        let names: HashSet<String> = study.hierarchies.iter().map(|hierarchy| study.name(hierarchy)).collect();
        assert_eq!(names.len(), study.hierarchies.len(), "no two have one name");
        let again = HierarchyProblem::new(&request(study.settings.clone())).unwrap();
        assert_eq!(again.hierarchies, study.hierarchies, "the order is always the same");
    }
}

#[test]
fn every_way_to_share_is_reachable_and_every_hierarchy_is_a_valid_core() {
    let study = study(HierarchySettings { min_ratio: 1, ..one_layer() });
    let mut sharings: BTreeSet<Vec<String>> = BTreeSet::new();
    for hierarchy in &study.hierarchies {
        let core = study.core_of(hierarchy).unwrap_or_else(|wrong| panic!("{}\n{wrong}", study.name(hierarchy)));
        let srams = core.memories.iter().filter(|memory| memory.name.starts_with("sram"));
        sharings.insert(srams.map(|sram| sram.operands.iter().map(Operand::to_string).collect()).collect());
        for operand in Operand::ALL {
            let levels = core.levels(operand);
            assert!(levels.len() <= 3);
            for pair in levels.windows(2) {
                let (low, high) = (&core.memories[pair[0]], &core.memories[pair[1]]);
                assert!(high.size_bits > low.size_bits && low.shared_over.is_subset(high.shared_over));
            }
        }
        let (spec, wrong) = read_hardware(&study.document(hierarchy)).both();
        assert!(wrong.is_empty(), "{wrong}");
        assert_eq!(Core::new(&spec).unwrap().memories, core.memories, "the document is the core");
    }
    assert_eq!(sharings.len(), 15, "{sharings:?}");
}

#[test]
fn the_area_counts_every_instance_and_stays_within_the_budget() {
    let all = study(HierarchySettings { min_ratio: 1, ..one_layer() });
    for hierarchy in &all.hierarchies {
        let area = all.core_of(hierarchy).unwrap().area();
        assert_eq!(area.unknown, ["dram"]);
        assert!((area.known_um2().unwrap() - hierarchy.area_um2).abs() < 1e-9, "{}", all.name(hierarchy));
    }
    // 8 PEs of 5 um2; one register in each takes 80, one SRAM 100 or, where it feeds two memories at once, 150.
    let area = |name: &str| all.hierarchies.iter().find(|h| all.name(h) == name).map(|h| h.area_um2);
    assert_eq!(area("dram alone"), Some(40.0));
    assert_eq!(area("O: 32 B × 8"), Some(120.0));
    assert_eq!(area("W: 32 B × 8 · I: 32 B"), Some(130.0));
    for budget in [39.0, 40.0, 135.0, 300.0, 555.5] {
        let settings = HierarchySettings { budget_um2: Some(budget), ..all.settings.clone() };
        let expected: Vec<MemoryHierarchy> =
            all.hierarchies.iter().filter(|hierarchy| hierarchy.area_um2 <= budget).cloned().collect();
        match HierarchyProblem::new(&request(settings)) {
            Ok(study) => assert_eq!(study.hierarchies, expected, "{budget}"),
            Err(wrong) => assert!(expected.is_empty() && wrong.to_string().contains("Allow more area"), "{wrong}"),
        }
    }
}

#[test]
fn the_width_fits_what_lies_below() {
    // Four weights of 8 bit at once do not fit in 16 bit; one output of 16 bit does.
    let study = study(HierarchySettings { max_levels: 1, ..one_layer() });
    let widths = |name: &str| study.hierarchies.iter().any(|hierarchy| study.name(hierarchy) == name);
    assert!(widths("W: 1 KiB (64 bit)") && !widths("W: 1 KiB (16 bit)"));
    assert!(widths("I: 1 KiB (16 bit)") && !widths("I: 1 KiB (64 bit)"), "two inputs at once are 16 bit");
    let all =
        HierarchyProblem::new(&request(HierarchySettings { widths: Widths::All, ..study.settings.clone() })).unwrap();
    let names: HashSet<String> = all.hierarchies.iter().map(|hierarchy| all.name(hierarchy)).collect();
    assert!(study.hierarchies.iter().all(|hierarchy| names.contains(&study.name(hierarchy))));
    assert!(names.contains("W: 1 KiB (16 bit)") && names.len() == all.hierarchies.len());
}

/// One PE has one sum at a time.
#[test]
fn a_width_fits_sums_that_are_not_finished() {
    for (sum, fits, does_not) in [(16, 16, 64), (17, 64, 16), (64, 64, 16)] {
        let hardware = ARRAY.replace("{ D1: 4, D2: 2 }", "{ D1: 1, D2: 1 }");
        let workload = NETWORK.replace("O_partial: 16", &format!("O_partial: {sum}"));
        let settings = HierarchySettings { max_levels: 1, ..one_layer() };
        let study = HierarchyProblem::new(&HierarchyRequest { hardware, workload, ..request(settings) }).unwrap();
        let has = |width: u32| {
            let name = format!("O: 1 KiB ({width} bit)");
            study.hierarchies.iter().any(|hierarchy| study.name(hierarchy) == name)
        };
        assert!(has(fits) && !has(does_not), "sums of {sum} bit");
    }
}

#[test]
fn the_narrower_of_two_ports_decides_whether_a_width_fits() {
    let pool = POOL
        .replace("{ width: 16 bit, read_energy: 3 pJ", "{ read_width: 64 bit, write_width: 16 bit, read_energy: 3 pJ");
    let settings = HierarchySettings { max_levels: 1, ..one_layer() };
    let study = HierarchyProblem::new(&HierarchyRequest { pool, ..request(settings) }).unwrap();
    let names: HashSet<String> = study.hierarchies.iter().map(|hierarchy| study.name(hierarchy)).collect();
    // Four weights of 8 bit at once.
    assert!(names.contains("W: 1 KiB (64 bit)") && !names.contains("W: 1 KiB (64/16 bit)"), "{names:?}");
}

#[test]
fn all_memories_are_smaller_than_the_highest() {
    for (size, is_offered) in [("1 KiB", false), ("1032 B", true)] {
        let hardware = ARRAY.replace("size: 1 GiB", &format!("size: {size}"));
        let settings = HierarchySettings { min_ratio: 1, max_levels: 1, ..one_layer() };
        let study = HierarchyProblem::new(&HierarchyRequest { hardware, ..request(settings) }).unwrap();
        let names: Vec<String> = study.hierarchies.iter().map(|hierarchy| study.name(hierarchy)).collect();
        assert_eq!(names.iter().any(|name| name.contains("1 KiB")), is_offered, "{size}: {names:?}");
    }
}

#[test]
fn a_name_says_along_which_array_dimensions_there_are_several() {
    let pool = POOL.replace("[per_pe, shared]", "[per_dimension]");
    let hardware = ARRAY.replace("{ D1: 4, D2: 2 }", "{ D1: 4, D2: 4 }");
    let settings = HierarchySettings { max_levels: 1, ..one_layer() };
    let study = HierarchyProblem::new(&HierarchyRequest { pool, hardware, ..request(settings) }).unwrap();
    let mut along = BTreeSet::new();
    for hierarchy in &study.hierarchies {
        let core = study.core_of(hierarchy).unwrap();
        let registers = core.memories.iter().filter(|memory| memory.name.starts_with("rf"));
        for register in registers {
            let several = core.array.iter_enumerated().filter(|(dim, _)| !register.shared_over.contains(*dim));
            let several: Vec<&str> = several.map(|(_, (name, _))| name.as_str()).collect();
            let name = study.name(hierarchy);
            assert!(name.contains(&format!("32 B × 4 along {}", several.join(", "))), "{name}: {several:?}");
            along.insert(several.join(", "));
        }
    }
    assert_eq!(along, BTreeSet::from(["D1".to_owned(), "D2".to_owned()]));
}

/// The costs of every hierarchy, without a front to compare with.
fn search_all(study: &HierarchyProblem) -> Vec<HierarchyCost> {
    (0..study.hierarchies.len())
        .filter_map(|index| match study.search(index, &Front::default()) {
            SearchOutcome::Found(point) => Some(point),
            SearchOutcome::Pruned => panic!("an empty front beats nothing"),
            SearchOutcome::Infeasible(_) => None,
        })
        .collect()
}

fn front_by_comparing_all(points: &[HierarchyCost]) -> Vec<HierarchyCost> {
    let beats = |a: &HierarchyCost, b: &HierarchyCost| {
        let (a, b) = ((a.energy_pj, a.latency_cycles, a.area_um2), (b.energy_pj, b.latency_cycles, b.area_um2));
        a.0 <= b.0 && a.1 <= b.1 && a.2 <= b.2 && a != b
    };
    points.iter().filter(|point| !points.iter().any(|other| beats(other, point))).copied().collect()
}

/// Runs a study with so many workers that return in reverse order, each with only a part of its task.
fn explore(study: &Arc<HierarchyProblem>, workers: usize) -> Exploration {
    run(study, Exploration::of(study), workers)
}

fn run(study: &Arc<HierarchyProblem>, mut exploration: Exploration, workers: usize) -> Exploration {
    let mut bench = Arc::clone(study);
    loop {
        let mut given: Vec<_> =
            (0..workers).filter_map(|number| exploration.next(Worker { number, of: workers })).collect();
        let Some(last) = given.pop() else { break };
        // One worker is ended before it has begun.
        exploration.put_back(last);
        given.extend(exploration.next(Worker { number: 0, of: workers }));
        for (number, task) in given.into_iter().enumerate().rev() {
            let mut left = number;
            let mut has_time = || {
                left = left.saturating_sub(1);
                left > 0
            };
            let done = Exploration::run(&mut bench, &task, &mut has_time).unwrap();
            exploration.take(task, done);
        }
    }
    let Progress { done, all, .. } = exploration.progress();
    assert_eq!((done, all), (study.hierarchies.len(), study.hierarchies.len()));
    exploration
}

/// Sums need twice the bits of results: with a memory below that completes them, the highest holds data that it cannot
/// hold alone.
#[test]
fn what_the_highest_memory_alone_cannot_hold_may_fit_with_memories_below() {
    let (mut found, mut none) = (0, 0);
    // Weights, inputs and results of layer `b` take 432 B, its sums 144 B more.
    for size in ["431 B", "432 B", "575 B", "576 B"] {
        let hardware = ARRAY.replace("1 GiB", size);
        let settings = HierarchySettings { min_ratio: 1, ..one_layer() };
        let study = HierarchyProblem::new(&HierarchyRequest { hardware, ..request(settings) }).unwrap();
        for (index, hierarchy) in study.hierarchies.iter().enumerate() {
            let core = study.core_of(hierarchy).unwrap();
            let problem = study.layers[0].problem(&core);
            let on_core = LayerOnCore::new(&core, study.settings.rules, &problem);
            let best = find_best(&on_core, &Objective::Energy, &Limits::default(), Strategy::Exact).best;
            let point = match study.search(index, &Front::default()) {
                SearchOutcome::Found(point) => Some(point.energy_pj),
                SearchOutcome::Pruned => panic!("an empty front beats nothing"),
                SearchOutcome::Infeasible(_) => None,
            };
            assert_eq!(point, best.map(|best| best.energy_pj), "{size}: {}", study.name(hierarchy));
            *(if point.is_some() { &mut found } else { &mut none }) += 1;
        }
    }
    assert!(found > 20 && none > 20, "{found} fit, {none} do not");
}

#[test]
fn leaving_hierarchies_out_changes_neither_the_front_nor_the_best() {
    let (mut pruned, mut pruned_for_best) = (0, 0);
    let mut check = |settings: HierarchySettings| {
        let what = format!("{settings:?}");
        let study = Arc::new(study(settings));
        let all = search_all(&study);
        assert!(!all.is_empty(), "{what}");
        let expected = front_by_comparing_all(&all);
        let alone = explore(&study, 1);
        for workers in [1, 3, 8] {
            let exploration = explore(&study, workers);
            assert_eq!((exploration.counts(), exploration.found()), (alone.counts(), alone.found()), "{what}");
            assert_eq!(exploration.front().points(), expected, "{what}, {workers} workers");
            let counts = exploration.counts();
            assert_eq!(counts.searched + counts.pruned + counts.infeasible, study.hierarchies.len());
            assert_eq!(exploration.found().len(), counts.searched);
            let least = all.iter().map(|point| point.score).fold(f64::INFINITY, f64::min);
            assert_eq!(exploration.best().map(|best| best.score), Some(least));
            pruned += counts.pruned;
        }
        // Only the best: the same one with any pruning, and no other.
        let mut seeking = HierarchyProblem::clone(&study);
        seeking.settings.sought = Sought::Best;
        let seeking = Arc::new(seeking);
        let best = explore(&study, 7).best();
        for workers in [1, 3, 8] {
            let exploration = explore(&seeking, workers);
            assert_eq!(exploration.best(), best, "{what}, {workers} workers");
            assert_eq!(exploration.front().points(), best.as_slice(), "{what}");
            let counts = exploration.counts();
            assert_eq!(counts.searched + counts.pruned + counts.infeasible, study.hierarchies.len());
            pruned_for_best += counts.pruned;
        }
        let whole = Exploration::of(&study).of_everything();
        assert_eq!(run(&study, whole, 4).counts().pruned, 0);
    };
    let few = HierarchySettings { max_levels: 1, lpf_limit: 5, ..HierarchySettings::default() };
    let objectives = [Objective::Energy, Objective::Latency, Objective::EnergyDelayProduct];
    let layers = [&["b"][..], &["c"], &["d"], &[]];
    for (rules, (objective, layers)) in pairs(&[Rules::CORRECTED, Rules::DEFINES_2022], &pairs(&objectives, &layers)) {
        let layers = layers.iter().map(ToString::to_string).collect();
        check(HierarchySettings { layers, rules, objective, ..few.clone() });
    }
    check(HierarchySettings { strategy: Strategy::Loma, ..few.clone() });
    check(HierarchySettings { widths: Widths::All, layers: vec!["d".into()], ..few.clone() });
    check(HierarchySettings { max_levels: 2, layers: vec!["d".into()], ..few });
    assert!(pruned > sample_or_all(300, 1000), "only {pruned} were left out");
    assert!(pruned_for_best > pruned, "only {pruned_for_best} were left out for the best");
}

#[test]
fn no_mapping_costs_less_than_the_bound() {
    let (mut shares, mut count) = (0.0, 0.0);
    for rules in [Rules::CORRECTED, Rules::DEFINES_2022] {
        for (widths, objective) in [(Widths::Fitting, Objective::Energy), (Widths::All, Objective::Latency)] {
            let settings = HierarchySettings { max_levels: 1, lpf_limit: 5, ..HierarchySettings::default() };
            let study = study(HierarchySettings { rules, widths, objective, ..settings });
            for point in search_all(&study) {
                let hierarchy = &study.hierarchies[point.hierarchy as usize];
                let bound = study.bound(hierarchy).unwrap();
                let name = study.name(hierarchy);
                assert!(bound.energy_pj <= point.energy_pj, "{name}: {bound:?}, {point:?}");
                assert!(bound.latency_cycles <= point.latency_cycles, "{name}: {bound:?}, {point:?}");
                shares += bound.energy_pj / point.energy_pj;
                count += 1.0;
            }
        }
    }
    assert!(shares / count > 0.5, "the bound is {} of the energy", shares / count);
}

#[test]
fn a_network_is_the_sum_of_its_layers_and_equal_ones_are_searched_once() {
    let whole = study(HierarchySettings { layers: Vec::new(), max_levels: 1, ..one_layer() });
    assert_eq!(whole.layers.len(), 4, "b and e are alike");
    let (energy, latency) = ["a", "b", "c", "d", "e"].iter().fold((0.0, 0), |(energy, latency), layer| {
        let single = study(HierarchySettings { layers: vec![(*layer).into()], max_levels: 1, ..one_layer() });
        match single.search(3, &Front::default()) {
            SearchOutcome::Found(point) => (energy + point.energy_pj, latency + point.latency_cycles),
            other => panic!("{other:?}"),
        }
    });
    let SearchOutcome::Found(point) = whole.search(3, &Front::default()) else { panic!("nothing found") };
    assert!((point.energy_pj / energy - 1.0).abs() < 1e-12 && point.latency_cycles == latency);
    let layers = whole.layer_results(&whole.hierarchies[3]).unwrap();
    let sum: f64 = layers.iter().map(|layer| layer.count as f64 * layer.solution.energy_pj).sum();
    assert!((sum / energy - 1.0).abs() < 1e-12);
}

#[test]
fn what_cannot_serve_the_array_is_infeasible_with_a_reason() {
    // At least 8 outputs of 8 bit do not fit into a register that is too small for them.
    let pool = POOL.replace("size: 32 B", "size: 8 bit");
    let study = Arc::new(HierarchyProblem::new(&HierarchyRequest { pool, ..request(one_layer()) }).unwrap());
    let exploration = explore(&study, 3);
    assert!(exploration.counts().infeasible > 0);
    let reason = exploration.reason().unwrap();
    assert!(reason.starts_with("b: ") && reason.contains("`rf_"), "{reason}");
}

#[test]
fn other_unrollings_keep_the_hierarchies() {
    let study =
        preset_study(HierarchySettings { layers: vec!["L46".into()], max_levels: 1, ..HierarchySettings::default() });
    let unrollings = unrollings(&study);
    let titles: Vec<&str> = unrollings.iter().map(|unrolling| unrolling.title.as_str()).collect();
    assert_eq!(titles, ["OX 8 | OY 8", "OX 8 | K 8", "OX 8 | C 8", "OY 8 | K 8", "OY 8 | C 8", "K 8 | C 8"]);
    let hardware = find_preset(hardware_presets(), "zigzag-8x8").unwrap().text;
    for unrolling in unrollings {
        let [first, second] = unrolling.loops.map(|of| of.dim);
        let text = hardware.replace("{ D1: OX, D2: K }", &format!("{{ D1: {first}, D2: {second} }}"));
        let stated =
            HierarchyProblem::new(&HierarchyRequest { hardware: text, ..preset_request(study.settings.clone()) })
                .unwrap();
        assert_eq!(study.unrolled(&unrolling).layers, stated.layers, "{}", unrolling.title);
    }
}

#[test]
fn the_pool_preset_is_valid_and_says_what_is_estimated() {
    for preset in pool_presets() {
        let pool = Pool::from_text(preset.text).unwrap_or_else(|wrong| panic!("{}:\n{wrong}", preset.id));
        assert_eq!(pool.name, preset.title);
        let sizes: Vec<u64> = pool.memories.iter().map(|memory| memory.size_bits / 8).collect();
        assert_eq!(sizes, [64, 1 << 10, 4 << 10, 16 << 10, 128 << 10, 2 << 20], "ZigZag, Table VI");
        for variant in pool.memories.iter().flat_map(|memory| &memory.variants) {
            assert_eq!(variant.estimated, variant.source.starts_with("estimate: "), "{variant:?}");
            assert!(!variant.source.is_empty());
        }
    }
}

#[test]
fn the_order_of_memories_in_a_pool_says_nothing() {
    let text = find_preset(pool_presets(), "zigzag-65nm").unwrap().text;
    let mut parts = text.split_inclusive("\n  - name: ").collect::<Vec<_>>();
    let (head, last) = (parts.remove(0), parts.pop().unwrap());
    let mut memories: Vec<&str> =
        parts.iter().map(|part| part.trim_end_matches("\n  - name: ")).chain([last.trim_end()]).collect();
    memories.reverse();
    let turned = format!("{head}{}\n", memories.join("\n  - name: "));
    assert_ne!(turned, text);
    assert_eq!(Pool::from_text(&turned).unwrap(), Pool::from_text(text).unwrap());
}

#[test]
fn wrong_pools_are_answered_with_place_reason_and_remedy() {
    let cases = [
        ("size: 32 B", "size: 32", "memories[0].size", "no unit"),
        ("[per_pe, shared]", "[per_pee]", "memories[0].replication", "Did you mean `per_pe`?"),
        ("[per_pe, shared]", "[]", "memories[0].replication", "may exist nowhere"),
        ("[per_pe, shared]", "[shared, shared]", "memories[0].replication", "listed twice"),
        ("area: 10 um2", "area: 10 m2", "memories[0].variants[0].area", "Use um2 or mm2"),
        ("area: 10 um2", "area: 1e300 um2", "memories[0].variants[0].area", "at most 1000000000000 um2"),
        (", area: 10 um2", "", "memories[0].variants[0].area", "`area` is missing"),
        ("area: 10 um2", "area: 10 um2, estimate: sram-65nm", "memories[0].variants[0].read_energy", "`estimate` too"),
        (
            "width: 16 bit, read_energy: 0.5 pJ, write_energy: 0.6 pJ, area: 10 um2",
            "width: 16 bit, estimate: sram-8nm",
            "memories[0].variants[0].estimate",
            "Did you mean `sram-7nm`?",
        ),
        (
            "width: 16 bit, read_energy: 0.5 pJ, write_energy: 0.6 pJ, area: 10 um2",
            "width: 16 bit, estimate: sram-7nm",
            "memories[0].variants[0].estimate",
            "SRAMs are estimated from 64 B to 16 MiB",
        ),
        ("width: 64 bit", "width: 16 bit", "memories[1].variants[1]", "listed twice"),
        ("name: sram", "name: rf", "memories[1].name", "Two memories are called `rf`"),
        ("width: 64 bit, ", "", "memories[1].variants[1].width", "`width` is missing"),
        ("memories:", "memory:", "memory", "Did you mean `memories`?"),
    ];
    for (right, wrong, path, part) in cases {
        let text = POOL.replacen(right, wrong, 1);
        assert_ne!(text, POOL, "{right}");
        let said = Pool::from_text(&text).unwrap_err();
        let hit = said.0.iter().any(|said| said.path == path && said.to_string().contains(part) && said.line.is_some());
        assert!(hit, "`{wrong}`: {path}, {part} is not in\n{said}");
        assert!(said.0.len() <= 2, "`{wrong}`:\n{said}");
    }
    assert!(Pool::from_text("name: x\nmemories: []\n").unwrap_err().to_string().contains("no memories"));
}

/// A name of 97 letters was too long for a hardware document once the operands were appended.
#[test]
fn hierarchies_of_memories_with_the_longest_names_are_documents_too() {
    let pool = |letters: usize| POOL.replacen("name: rf", &format!("name: {}", "x".repeat(letters)), 1);
    let request = |pool: String| HierarchyRequest {
        pool,
        hardware: ARRAY.to_owned(),
        workload: NETWORK.to_owned(),
        settings: HierarchySettings::default(),
    };
    let study = HierarchyProblem::new(&request(pool(90))).unwrap();
    for hierarchy in &study.hierarchies {
        let read = Core::from_text(&study.document(hierarchy)).unwrap();
        assert_eq!(read.memories, study.core_of(hierarchy).unwrap().memories);
    }
    for letters in [91, 97, 101] {
        let said = Pool::from_text(&pool(letters)).unwrap_err();
        assert_eq!(said.0.iter().map(|said| said.path.as_str()).collect::<Vec<_>>(), ["memories[0].name"], "{said}");
    }
}

#[test]
fn everything_wrong_with_a_request_is_said_at_once() {
    let wrong = HierarchyRequest {
        pool: POOL.replace("size: 32 B", "size: 32"),
        hardware: ARRAY.replace("operands: [W, I, O]", "operands: [I, O]"),
        workload: NETWORK.replace("type: depthwise", "type: depthwize"),
        settings: HierarchySettings {
            budget_um2: Some(-1.0),
            max_levels: 9,
            objective: Objective::DramAccesses,
            ..HierarchySettings::default()
        },
    };
    let said = HierarchyProblem::new(&wrong).err().unwrap().to_string();
    for part in [
        "pool.memories[0].size",
        "hardware.memories",
        "workload.layers",
        "settings.budget",
        "settings.max_levels",
        "settings.objective",
    ] {
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
    let layers = HierarchySettings { layers: vec!["aa".into()], ..HierarchySettings::default() };
    assert!(HierarchyProblem::new(&request(layers)).err().unwrap().to_string().contains("settings.layers"));
    let endless =
        HierarchySettings { max_levels: 4, min_ratio: 1, widths: Widths::All, ..HierarchySettings::default() };
    let text = |presets, id| find_preset(presets, id).unwrap().text.to_owned();
    let many = HierarchyRequest {
        pool: text(pool_presets(), "zigzag-65nm"),
        hardware: text(hardware_presets(), "meta-proto-like"),
        workload: NETWORK.into(),
        settings: endless,
    };
    assert!(HierarchyProblem::new(&many).err().unwrap().to_string().contains("more than 2000000 hierarchies"));
}
