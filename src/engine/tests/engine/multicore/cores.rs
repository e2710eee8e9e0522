//! A network on many cores, from documents to the best schedule.

use fusescape_engine::hardware::Operand;
use fusescape_engine::multicore::{
    ComputedTile, CoreAllocation, CoreId, CoresAccount, CoresPart, CoresProblem, CoresRequest, CoresSettings,
    Evolution, MemoryAccess, MemoryUsage, NestId, OrderRule, ScheduleObjective, Scheduler, StackAllocation, StackRule,
    System, TileCosts, TileGranularity, TileId,
};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::Strategy;
use fusescape_engine::system::{ComputeCore, CoreSystem};
use fusescape_engine::workload::{Dim, Network};
use fusescape_spec::{Diagnostics, find_preset, hardware_presets, system_presets, workload_presets};
use fusescape_test_support::sample::pairs;
use std::collections::BTreeSet;

const SMALL: &str = "
name: small
batch: 1
precision: { W: 8, I: 8, O_partial: 16, O: 8 }
layers:
  - { name: image, type: input, K: 3, size: 24 x 20 }
  - { name: conv1, type: conv, K: 16, kernel: 3 x 3, padding: 1 }
  - { name: left, type: conv, from: conv1, K: 16, kernel: 3 x 3, stride: 2, padding: 1 }
  - { name: right, type: pooling, from: conv1, kernel: 2 x 2, stride: 2 }
  - { name: both, type: view, from: [left, right], K: 32, size: 12 x 10 }
  - { name: mixed, type: conv, from: both, K: 8, kernel: 3 x 3, padding: 1 }
  - { name: sum, type: add, from: [mixed, mixed] }
  - { name: spread, type: depthwise, from: sum, kernel: 3 x 3, padding: 1 }
  - { name: global, type: pooling, kernel: global }
  - { name: fc, type: fully-connected, K: 10 }
";

/// The network without sums and depthwise convolutions.
fn plain() -> String {
    let is_kept = |line: &&str| !line.contains("name: sum") && !line.contains("name: spread");
    SMALL.lines().filter(is_kept).collect::<Vec<_>>().join("\n")
}

fn preset(presets: &'static [fusescape_spec::Preset], id: &str) -> String {
    find_preset(presets, id).unwrap().text.to_owned()
}

fn request(workload: &str) -> CoresRequest {
    CoresRequest {
        hardware: preset(hardware_presets(), "tpu-like"),
        workload: workload.to_owned(),
        system: preset(system_presets(), "quad-beside"),
        settings: CoresSettings::default(),
    }
}

fn study(request: &CoresRequest) -> CoresProblem {
    CoresProblem::new(request).unwrap_or_else(|wrong| panic!("{wrong}"))
}

fn wrong(request: &CoresRequest) -> Vec<(String, String)> {
    let wrong = CoresProblem::new(request).err().unwrap_or_default();
    wrong.0.into_iter().map(|wrong| (wrong.path, wrong.reason)).collect()
}

fn best(study: &CoresProblem) -> CoresAccount {
    let mut costs = TileCosts::default();
    let (judged, stacks) = study.best(&mut costs).unwrap_or_else(|wrong| panic!("{wrong}"));
    study.account(&mut costs, &stacks, &judged.choice, Some(judged.order)).unwrap().1
}

/// Scores need all keys, and the product with values needs all scores of a row, for all tiles: none begins before the
/// last of them is computed.
#[test]
fn attention_on_many_cores_waits_for_all_keys_and_values() {
    for tiles in ["rows 32", "channels 128", "rows 16, channels 64"] {
        let mut request = request(&preset(workload_presets(), "bert-base-block"));
        request.system = preset(system_presets(), "stream-4ws");
        request.settings.granularity = TileGranularity::from_words(tiles).unwrap();
        let account = best(&study(&request));
        let of = |name: &str| {
            let layer = account.layers.iter_enumerated().find(|(_, own)| *own == name).map(|(id, _)| id);
            account.tiles.iter().filter(move |tile| Some(tile.layer) == layer)
        };
        for (reader, source) in [("scores", "key"), ("context", "value")] {
            let last = of(source).map(|tile| tile.end).fold(0.0, f64::max);
            let first = of(reader).map(|tile| tile.start).fold(f64::INFINITY, f64::min);
            assert!(last > 0.0 && first >= last, "{tiles}: {reader} begins at {first}, {source} ends at {last}");
        }
    }
}

/// Two layers on one core share equal reads of an input, and nothing else: other channels of it count as another input.
#[test]
fn an_input_is_fetched_once_for_layers_that_read_the_same_of_it() {
    let fetched = |layers: &str| -> u64 {
        let head = "name: two\nbatch: 1\nprecision: { W: 8, I: 8, O_partial: 16, O: 8 }\nlayers:\n";
        let study = study(&request(&format!("{head}{layers}")));
        let (_, choice) = study.alone().remove(0);
        let account = study.account(&mut TileCosts::default(), &[], &choice, None).unwrap().1;
        let of_inputs = account.transfers.iter().filter(|transfer| transfer.operand == Operand::I);
        of_inputs.map(|transfer| transfer.bits).sum()
    };
    let input = "  - { name: x, type: input, K: 32, size: 16 x 16 }\n";
    let bits = 32 * 16 * 16 * 8;
    let read_by = |of: &str| format!("  - {{ name: of {of}, type: pointwise, from: {of}, K: 8 }}\n");
    let both = fetched(&format!("{input}{}  - {{ name: b, type: pointwise, from: x, K: 16 }}\n", read_by("x")));
    assert_eq!(both, bits, "all of it, by both");
    let halves = ["0..16", "16..32"].map(|channels| {
        let name = if channels == "0..16" { "low" } else { "high" };
        format!("  - {{ name: {name}, type: view, from: x, channels: {channels} }}\n")
    });
    let apart = fetched(&format!("{input}{}{}{}", halves.concat(), read_by("low"), read_by("high")));
    assert_eq!(apart, bits, "each half once");
}

/// Nothing is used twice, no capacity is exceeded, all data is present before it is read, and all time is accounted
/// for.
fn check(account: &CoresAccount, what: &str) {
    for memory in &account.memories {
        assert!(memory.peak_bits <= memory.capacity_bits, "{what}: {}", memory.name);
        for &(cycle, bits) in &memory.usage {
            assert_eq!(memory.used_at(cycle), bits, "{what}: {}", memory.name);
            let held = memory.held_at(cycle).map(|held| held.iter().map(|(.., bits)| bits).sum::<u64>());
            assert!(
                held.is_none_or(|held| held == bits),
                "{what}: {} holds {held:?} of {bits} at {cycle}",
                memory.name
            );
        }
    }
    let mut by_core = vec![Vec::new(); account.cores.len()];
    for (index, tile) in account.tiles.iter_enumerated() {
        by_core[tile.core.index()].push((tile.start, tile.end));
        for &before in account.waits_for(index) {
            assert!(account.tiles[before].end <= tile.start, "{what}: tile {index} waits for {before}");
        }
    }
    for spans in &mut by_core {
        spans.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert!(spans.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{what}: a core computes two tiles at once");
    }
    for core in &account.cores {
        let all: f64 = core.cycles.values().sum();
        assert!((all - account.latency_cycles).abs() < 1e-6 * account.latency_cycles, "{what}: {core:?}");
        assert!(core.cycles.values().all(|share| *share >= 0.0));
    }
    for link in &account.links {
        assert!(link.busy <= account.latency_cycles + 1e-6, "{what}: {}", link.name);
    }
    assert!(account.energy.total_pj() > 0.0 && account.energy.of(CoresPart::Cores) >= 0.0);
    check_peak(account, what);
    // DRAM is not a core, and has only a name.
    let on_chip = |of: &&MemoryAccess| account.memories.iter().any(|memory| memory.name == of.memory);
    let elsewhere: Vec<_> = account.accesses.iter().filter(|of| !on_chip(of)).collect();
    assert!(elsewhere.len() == 1 && !elsewhere[0].memory.contains(" of "), "{what}: {elsewhere:?}");
    for (transfer, run) in account.transfers.iter_enumerated() {
        let Some(before) = account.came_by(transfer).map(|before| &account.transfers[before]) else { continue };
        assert_eq!((before.end, &before.to), (run.waits.there, &run.from), "{what}: transfer {transfer}");
    }
}

/// The peak of all memories together is the largest sum over memories in the cycles of a change.
fn check_peak(account: &CoresAccount, what: &str) {
    let held = |memory: &MemoryUsage, cycle: i64| {
        let steps = memory.usage.partition_point(|step| step.0 <= cycle);
        steps.checked_sub(1).map_or(0, |last| memory.usage[last].1)
    };
    let changes: BTreeSet<i64> = account.memories.iter().flat_map(|memory| &memory.usage).map(|step| step.0).collect();
    let sums = changes.into_iter().map(|cycle| (cycle, account.memories.iter().map(|of| held(of, cycle)).sum::<u64>()));
    let most = sums.reduce(|most, next| if next.1 > most.1 { next } else { most });
    assert_eq!(Some(account.peak()), most, "{what}");
}

#[test]
fn every_system_runs_a_network_with_branches_views_and_all_kinds_of_layers_or_says_which_it_cannot() {
    let mut refused = Vec::new();
    let sizes = [TileGranularity::Rows(1), TileGranularity::Rows(3), TileGranularity::LayerByLayer];
    for (system, granularity) in pairs(system_presets(), &sizes) {
        let mut request = request(SMALL);
        request.system = system.text.to_owned();
        request.settings.granularity = granularity;
        let what = format!("{} {:?}", system.id, request.settings.granularity);
        let reasons: Vec<String> = wrong(&request).into_iter().map(|(_, reason)| reason).collect();
        if !reasons.is_empty() {
            let says_so = |reason: &String| reason.starts_with("No core can run ");
            assert!(reasons.iter().all(says_so), "{what}: {reasons:?}");
            refused.push(system.id);
            request.workload = plain();
        }
        let study = study(&request);
        let account = best(&study);
        check(&account, &what);
        assert_eq!(account, best(&study), "{what}: the same again");
    }
    refused.dedup();
    // Chips without adders or depthwise convolutions.
    assert_eq!(refused, ["depfin", "jia", "diana"]);
}

#[test]
fn all_work_is_done_once_whatever_the_tiles_and_the_cores() {
    for rows in [1, 2, 5, 7, 100] {
        let mut request = request(SMALL);
        request.settings.granularity = TileGranularity::Rows(rows);
        let study = study(&request);
        let mut costs = TileCosts::default();
        for shared in 1..=4 {
            let cores = |layer: NestId| study.able(layer)[..shared.min(study.most_shared(layer))].to_vec();
            let choice = study.layer_names().keys().map(cores).collect();
            let found = study.account(&mut costs, &[], &choice, None).unwrap_or_else(|wrong| panic!("{wrong}"));
            assert_eq!(study.macs(&choice), study.network.macs(), "{rows} rows on {shared} cores");
            assert_eq!(found.0, study.evaluate(&mut costs, &[], &choice, None).unwrap());
            check(&found.1, "shared");
        }
    }
}

#[test]
fn a_tile_waits_only_for_the_rows_and_channels_that_it_reads_even_through_a_concatenation() {
    let study = study(&request(SMALL));
    let mut costs = TileCosts::default();
    let choice = study.layer_names().iter().map(|_| vec![CoreId::default()]).collect();
    let account = study.account(&mut costs, &[], &choice, None).unwrap().1;
    let layer = |name: &str| account.layers.position(|other| other == name).unwrap();
    let waits = |name: &str, number: usize| {
        let is_it = |tile: &ComputedTile| tile.layer == layer(name) && tile.number.index() == number;
        let tile = account.tiles.position(is_it).unwrap();
        let place = |&before: &TileId| {
            let before = &account.tiles[before];
            (account.layers[before.layer].clone(), before.number.index())
        };
        account.waits_for(tile).iter().map(place).collect::<Vec<_>>()
    };
    let rows = |name: &str, rows: &[usize]| rows.iter().map(|&row| (name.to_owned(), row)).collect::<Vec<_>>();
    // A row of `mixed` reads three rows of each half.
    assert_eq!(waits("mixed", 5), [rows("left", &[4, 5, 6]), rows("right", &[4, 5, 6])].concat());
    assert_eq!(waits("mixed", 0), [rows("left", &[0, 1]), rows("right", &[0, 1])].concat());
    // With stride 2, from the padding on.
    assert_eq!(waits("left", 0), rows("conv1", &[0, 1]));
    assert_eq!(waits("left", 3), rows("conv1", &[5, 6, 7]));
    assert_eq!(waits("right", 3), rows("conv1", &[6, 7]));
    // Both operands are in one tile.
    assert_eq!(waits("sum", 2), rows("mixed", &[2, 2]));
    assert_eq!(waits("global", 0).len(), 10);
}

#[test]
fn better_cores_for_single_layers_never_make_it_worse_by_what_is_minimised() {
    for objective in ScheduleObjective::ALL {
        let mut request = request(SMALL);
        request.settings.objective = objective;
        let study = study(&request);
        let mut costs = TileCosts::default();
        let (mut judged, stacks) = study.best(&mut costs).unwrap();
        for layer in study.layer_names().keys() {
            let better = study.improve(&mut costs, &stacks, &judged, layer);
            assert!(better.score(objective) <= judged.score(objective), "{objective:?}");
            judged = better;
        }
        let found = study.evaluate(&mut costs, &stacks, &judged.choice, Some(judged.order)).unwrap();
        assert_eq!(found, judged, "what an improvement promises is what the choice comes to");
        let evolution = Evolution { individuals: 8, generations: 4, seed: 1 };
        let evolved = study.evolve(&mut costs, evolution);
        assert!(!evolved.is_empty() && evolved == study.evolve(&mut costs, evolution), "evolution is repeatable");
    }
}

#[test]
fn sharing_tiles_never_makes_a_proved_iteration_longer_and_searches_say_what_they_prove() {
    let study = study(&request(&preset(workload_presets(), "fsrcnn")));
    let mut costs = TileCosts::default();
    let mut search = |shares: bool, most: u64| -> Vec<StackAllocation> {
        study.stacks.keys().map(|stack| study.allocate(&mut costs, stack, shares, &mut |done| done < most)).collect()
    };
    for (shared, single) in search(true, u64::MAX).iter().zip(&search(false, u64::MAX)) {
        assert!(shared.found.is_proved() && single.found.is_proved());
        assert!(shared.found.bound <= single.found.bound);
    }
    for stopped in search(true, 1) {
        assert!(stopped.found.best.is_none_or(|best| stopped.found.bound <= best.cycles));
    }
}

#[test]
fn the_schedulers_of_the_public_tool_run_the_same_documents() {
    for scheduler in Scheduler::ALL {
        let mut request = request(SMALL);
        request.settings.scheduler = scheduler;
        let account = best(&study(&request));
        assert_eq!(account.tiles.len(), study(&request).overview().tiles.max(account.tiles.len()), "{scheduler:?}");
        assert!(account.latency_cycles > 0.0);
    }
}

#[test]
fn a_memory_in_parts_costs_a_bit_what_each_part_does() {
    let mut in_parts = 0;
    for hardware in hardware_presets() {
        let mut request = request(SMALL);
        request.hardware = hardware.text.to_owned();
        let Ok(system) = CoreSystem::from_text(&request.system, &request.hardware) else { continue };
        let cores = System::new(&system, Scheduler::Corrected.rules());
        for (id, core) in system.cores.iter_enumerated() {
            for operand in Operand::ALL {
                let part = &core.core.memories[core.top(operand)];
                let all = &cores.memories[cores.memory_of[id][operand as usize]];
                for (all, part) in [
                    (all.read_pj / all.read_width.0 as f64, part.read_energy_pj / part.read_width_bits as f64),
                    (all.write_pj / all.write_width.0 as f64, part.write_energy_pj / part.write_width_bits as f64),
                    (all.capacity.0 as f64, (part.size_bits * part.instances) as f64),
                ] {
                    assert!((all - part).abs() <= 1e-12 * part, "{} {operand}: {all} for {part}", hardware.id);
                }
                in_parts += usize::from(part.instances > 1);
            }
        }
    }
    assert!(in_parts > 0);
}

#[test]
fn the_deepest_tile_that_may_begin_comes_first_where_the_order_says_so() {
    let mut request = request(SMALL);
    request.settings.stacks = StackRule::One;
    let study = study(&request);
    let choice = study.layer_names().iter().map(|_| vec![CoreId::default()]).collect();
    let account = study.account(&mut TileCosts::default(), &[], &choice, Some(OrderRule::Deepest)).unwrap().1;
    let last_of_first = account.tiles.iter().filter(|run| run.layer == NestId::default()).map(|run| run.start);
    let last_of_first = last_of_first.fold(0.0, f64::max);
    // All layers but those that need a whole map begin while the first one is being computed.
    let begun = account.tiles.iter().filter(|run| run.start < last_of_first).map(|run| run.layer);
    let begun: BTreeSet<&str> = begun.map(|layer| account.layers[layer].as_str()).collect();
    assert!(["conv1", "left", "right", "mixed"].iter().all(|layer| begun.contains(layer)), "{begun:?}");
}

/// A new stack begins where the weights of all layers since the last cut would not fit on the chip.
#[test]
fn stacks_grow_as_long_as_their_weights_fit_on_the_chip() {
    let mut lengths = BTreeSet::new();
    let presets = ["resnet18-main-path", "mobilenet-v1", "fsrcnn", "vgg16-e"];
    // The image, which no layer computes either, is no weight.
    let pooled_image = "name: pooled
layers:
  - { name: image, type: input, K: 64, size: 512 x 512 }
  - { name: pool, type: pooling, kernel: 2 x 2, stride: 2 }
  - { name: conv, type: conv, K: 8, kernel: 1 x 1 }
";
    for workload in presets.map(|id| preset(workload_presets(), id)).into_iter().chain([pooled_image.to_owned()]) {
        let study = study(&request(&workload));
        let weights = |core: &ComputeCore| {
            let memory = &core.core.memories[core.top(Operand::W)];
            memory.size_bits * memory.instances
        };
        let capacity: u64 = study.system.cores.iter().map(weights).sum();
        let bits = |layer: NestId| {
            let layer = study.network.layer(study.nests.layers[layer]);
            if layer.shape.kind.has_no_weights() { 0 } else { layer.shape.weight_bits() }
        };
        let mut expected: Vec<Vec<NestId>> = Vec::new();
        for layer in study.layer_names().keys() {
            match expected.last_mut() {
                Some(stack) if stack.iter().chain([&layer]).map(|&of| bits(of)).sum::<u64>() <= capacity => {
                    stack.push(layer)
                }
                _ => expected.push(vec![layer]),
            }
        }
        assert_eq!(study.stacks.raw, expected, "{}", study.network.name);
        lengths.extend(expected.iter().map(Vec::len));
    }
    assert!(lengths.len() > 3, "{lengths:?}");
}

#[test]
fn all_that_is_wrong_with_a_system_is_said_at_once() {
    let mut request = request(SMALL);
    request.system = "
name: wrong
cores:
  - { name: a, hardware: tpu-lik }
  - { name: a, hardware: tpu-like, runs: [convolution] }
  - { name: c, hardware: { name: x, array: { dimensions: { D1: 0 }, mac_energy: 1 pJ }, memories: [] } }
links:
  - { from: a, to: nobody, width: 0 bit, energy: 1 pJ }
  - { bus: [a], width: 8 bit, energy: 1 pJ }
  - { between: [a, a, c], width: 8 bit, energy: 1 pJ }
  - { width: 8 bit, energy: 1 pJ }
offchip: { width: 64 bit, read_energy: 1 pJ, write_energy: 1 pJ, ports: [{ cores: [a], direction: sideways }] }
"
    .to_owned();
    let wrong = wrong(&request);
    let paths: Vec<&str> = wrong.iter().map(|(path, _)| path.as_str()).collect();
    for path in [
        "system.cores[0].hardware",
        "system.cores[1].name",
        "system.cores[1].runs[0]",
        "system.links[0].to",
        "system.links[0].width",
        "system.links[1].bus",
        "system.links[2].between",
        "system.links[3]",
        "system.offchip.ports[0].direction",
    ] {
        assert!(paths.contains(&path), "{path} is not among {wrong:#?}");
    }
    assert!(paths.iter().any(|path| path.starts_with("system.cores[2].hardware.")), "{wrong:#?}");
}

#[test]
fn cores_out_of_reach_and_layers_that_nobody_runs_are_named() {
    let mut apart = request(SMALL);
    apart.system = "
name: apart
cores: [{ name: a, runs: [conv, pooling, add] }, { name: b, runs: [conv] }]
offchip: { width: 64 bit, read_energy: 1 pJ, write_energy: 1 pJ }
"
    .to_owned();
    let reasons: Vec<String> = wrong(&apart).into_iter().map(|(_, reason)| reason).collect();
    assert_eq!(reasons, ["No links lead from `a` to `b`", "No links lead from `b` to `a`"]);
    apart.system = apart.system.replace("offchip:", "links: [{ bus: [a, b], width: 64 bit, energy: 1 pJ }]\noffchip:");
    let reasons: Vec<String> = wrong(&apart).into_iter().map(|(_, reason)| reason).collect();
    assert_eq!(reasons, ["No core can run `spread` (type depthwise)", "No core can run `fc` (type fully-connected)"]);
    // One complaint per type, for any number of layers of it.
    let twice = "  - { name: again, type: depthwise, kernel: 3 x 3, padding: 1 }\n  - { name: global";
    apart.workload = SMALL.replace("  - { name: global", twice);
    let reasons: Vec<String> = wrong(&apart).into_iter().map(|(path, reason)| format!("{path}: {reason}")).collect();
    assert_eq!(
        reasons,
        [
            "system.cores: No core can run `spread` and 1 more (type depthwise)",
            "system.cores: No core can run `fc` (type fully-connected)"
        ]
    );
}

/// Every output of a fully-connected layer waits for its whole input.
#[test]
fn more_dependencies_than_memory_could_hold_are_refused_and_not_listed() {
    let mut request = request(
        "
name: wide
batch: 1
precision: { W: 8, I: 8, O_partial: 16, O: 8 }
layers:
  - { name: image, type: input, K: 1, size: 300 x 300 }
  - { name: conv, type: conv, K: 1, kernel: 1 x 1 }
  - { name: fc, type: fully-connected, K: 200 }
",
    );
    request.settings.stacks = StackRule::One;
    request.settings.granularity = TileGranularity::ByHand("conv: OY 300, OX 300; fc: K 200".to_owned());
    let reason = "Tiles would wait for others 18000000 times, more than 10000000".to_owned();
    assert_eq!(wrong(&request), [("settings.granularity".to_owned(), reason)]);
    request.settings.granularity = TileGranularity::ByHand("conv: OY 300, OX 3; fc: K 200".to_owned());
    assert_eq!(study(&request).overview().tiles, 900 + 200);
    // Few enough as long as no layer is shared: then each of four parts of a tile waits for the four parts of all
    // others.
    request.workload = request.workload.replace("name: conv, type: conv, K: 1", "name: conv, type: conv, K: 256");
    request.workload = request.workload.replace("K: 200", "K: 12800");
    request.settings.granularity = TileGranularity::ByHand("conv: OY 300, OX 300; fc: K 100".to_owned());
    let reason = "Tiles would wait for others, once cores share layers, 144000000 times, more than 50000000".to_owned();
    assert_eq!(wrong(&request), [("settings.granularity".to_owned(), reason)]);
}

#[test]
fn tiles_stacks_and_cores_by_hand_are_checked() {
    let mut by_hand = request(SMALL);
    by_hand.settings.granularity = TileGranularity::ByHand("OY 5, C 2; conv3: K 4; left: XX 3".to_owned());
    by_hand.settings.stacks = StackRule::After(vec!["lefd".to_owned()]);
    let paths: Vec<String> = wrong(&by_hand).into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["settings.stacks", "settings.tiles", "settings.tiles", "settings.tiles"]);
    by_hand.settings.stacks = StackRule::One;
    for (text, reason) in [
        ("  ", "The pieces of loops are missing"),
        ("OY 99999999999999999999", "`99999999999999999999` pieces of OY are too many"),
        ("OY many", "`OY many` is not a loop and a number of pieces"),
    ] {
        by_hand.settings.granularity = TileGranularity::ByHand(text.to_owned());
        assert_eq!(wrong(&by_hand), [("settings.tiles".to_owned(), reason.to_owned())]);
    }
    by_hand.settings.granularity = TileGranularity::ByHand("OY 5; left: OY 2, OX 3; fc: K 7".to_owned());
    let overview = study(&by_hand).overview();
    // The image's 20 rows and 12 x 10 maps in fifths, `left` in six, `fc` in sevenths, one pixel in one.
    assert_eq!(overview.tiles, 5 + 6 + 5 + 5 + 5 + 5 + 1 + 7);

    let study = study(&by_hand);
    let mut choice: CoreAllocation = study.layer_names().iter().map(|_| vec![CoreId::default()]).collect();
    (choice.raw[0], choice.raw[1]) = (Vec::new(), vec![CoreId::from(9)]);
    let wrong: Diagnostics = study.evaluate(&mut TileCosts::default(), &[], &choice, None).unwrap_err();
    let paths: Vec<&str> = wrong.0.iter().map(|wrong| wrong.path.as_str()).collect();
    assert_eq!(paths, ["allocation.conv1", "allocation.left"]);
}

/// A field may contain any text that is pasted into it; a list of mistakes is limited.
#[test]
fn of_very_many_mistakes_in_a_field_the_first_are_said() {
    let mut many = request(SMALL);
    for text in ["XX 1;".repeat(10_000), "XX 1,".repeat(10_000), "nobody: K 2;".repeat(10_000)] {
        many.settings.granularity = TileGranularity::ByHand(text);
        assert!((100..110).contains(&wrong(&many).len()), "{}", wrong(&many).len());
    }
    many.settings.granularity = TileGranularity::LayerByLayer;
    many.settings.stacks = StackRule::After(vec!["nobody".to_owned(); 10_000]);
    assert!((100..110).contains(&wrong(&many).len()), "{}", wrong(&many).len());
    many.settings.stacks = StackRule::One;
    let study = study(&many);
    let choice = study.layer_names().iter().map(|_| vec![CoreId::from(9); 10_000]).collect();
    let wrong = study.evaluate(&mut TileCosts::default(), &[], &choice, None).unwrap_err();
    assert!((100..220).contains(&wrong.0.len()), "{}", wrong.0.len());
}

#[test]
fn a_tile_that_fits_nowhere_says_where() {
    let mut request = request(SMALL);
    request.hardware = request.hardware.replace("size: 2 B", "size: 1 B");
    // There are no more loops than the limit, and the exact search has none: raising it would not help.
    for strategy in [Strategy::Loma, Strategy::Exact] {
        request.settings.strategy = strategy;
        let wrong = study(&request).best(&mut TileCosts::default()).unwrap_err();
        assert!(wrong.0.iter().all(|wrong| !wrong.remedy.is_empty()) && !wrong.is_empty(), "{wrong}");
        assert!(!wrong.to_string().contains("LPF"), "{wrong}");
    }
}

#[test]
fn the_limit_of_the_search_is_blamed_where_it_is_to_blame() {
    let mut request = request(SMALL);
    request.settings.strategy = Strategy::Loma;
    request.settings.lpf_limit = 1;
    for (size, fails, reason, remedy) in [
        ("2 B", true, "loop dimensions in time, more than the LPF limit", "Set the LPF limit to "),
        (
            "1 B",
            false,
            "needs at least 2 B in `rf_1KB`, which has 1 B",
            "Make tiles smaller, the core's memories larger",
        ),
    ] {
        request.hardware = request.hardware.replace("size: 2 B", &format!("size: {size}"));
        request.settings.rules.lpf_limit_below_dimensions_fails = fails;
        let wrong = study(&request).best(&mut TileCosts::default()).unwrap_err();
        for wrong in &wrong.0 {
            assert!(wrong.reason.ends_with(reason), "{wrong}");
            assert!(wrong.remedy.starts_with(remedy), "{wrong}");
        }
        assert!(!wrong.is_empty());
    }
}

#[test]
fn memories_of_any_size_are_counted_without_overflow() {
    let mut request = request(SMALL);
    request.hardware = request
        .hardware
        .replace("size: 128 B", "size: 1125899906842624 bit")
        .replace("D1: 32, D2: 32", "D1: 32768, D2: 32768");
    check(&best(&study(&request)), "huge");
}

/// DIANA's own allocation: the first layer on the digital core, the other convolutions on the analog one (Stream, Section 4.2).
#[test]
fn the_search_does_at_least_as_well_as_the_makers_of_a_chip() {
    let mut request = request(SMALL);
    request.workload = find_preset(workload_presets(), "resnet18-diana").unwrap().text.to_owned();
    request.system = find_preset(system_presets(), "diana").unwrap().text.to_owned();
    request.settings.stacks = StackRule::One;
    request.settings.granularity =
        TileGranularity::ByHand("OY 56; conv1: K 4, OX 8, OY 112; pool1: OX 4, OY 56".to_owned());
    let study = study(&request);
    let mut costs = TileCosts::default();
    let own = [0, 1, 2, 2, 2, 3, 2, 2, 3].map(|core| vec![CoreId::from(core)]).into_iter().collect();
    let own = study.evaluate(&mut costs, &[], &own, None).unwrap();
    let (found, _) = study.best_single(&mut costs).unwrap();
    assert!(found.latency_cycles <= own.latency_cycles, "{} > {}", found.latency_cycles, own.latency_cycles);
}

/// No part of a layer is narrower than the unrolling of the widest array of the cores that run it: groups or output
/// channels, or else columns.
#[test]
fn cores_share_a_layer_as_long_as_their_arrays_stay_filled() {
    let (mut by_channels, mut by_columns, mut alone) = (0, 0, 0);
    for (hardware, system) in [("tpu-like", "quad-beside"), ("meta-proto-like", "quad-beside"), ("tpu-like", "diana")] {
        let hardware = find_preset(hardware_presets(), hardware).unwrap().text;
        let system = find_preset(system_presets(), system).unwrap().text;
        let cores = CoreSystem::from_text(system, hardware).unwrap();
        for (channels, size, cuts) in [
            (128, 64, "OY 2"),
            (96, 13, "OY 4, K 2"),
            (64, 128, "whole"),
            (33, 7, "K 4"),
            (4, 100, "OX 2"),
            (65, 3, "OY 3"),
            (200, 16, "K 3, OX 4"),
        ] {
            let workload = format!(
                "name: shared\nlayers:\n  - {{ name: in, type: input, K: 8, size: {size} x 5 }}\n  \
                 - {{ name: a, type: conv, K: {channels}, kernel: 3 x 3, padding: 1 }}\n  \
                 - {{ name: b, type: conv, K: {channels}, kernel: 1 x 1 }}\n  \
                 - {{ name: c, type: depthwise, kernel: 3 x 3, padding: 1 }}\n"
            );
            let study = CoresProblem::new(&CoresRequest {
                hardware: hardware.to_owned(),
                workload: workload.clone(),
                system: system.to_owned(),
                settings: CoresSettings {
                    granularity: TileGranularity::ByHand(cuts.to_owned()),
                    stacks: StackRule::One,
                    ..CoresSettings::default()
                },
            });
            // Some systems have no core for depthwise layers.
            let Ok(study) = study else { continue };
            let network = Network::from_text(&workload).unwrap();
            for (layer, &id) in study.nests.layers.iter_enumerated() {
                let of = network.layer(id);
                let pieces = |dim: Dim| {
                    let named = cuts.split(", ").filter_map(|cut| cut.strip_prefix(&format!("{dim} ")));
                    named.map(|pieces| pieces.parse::<u64>().unwrap().min(of.shape.size(dim))).product::<u64>()
                };
                let able = study.able(layer);
                let fits = |dim: Dim, shared: u64| {
                    let size = of.shape.size(dim) / pieces(dim);
                    able.iter().all(|&core| {
                        let along = of.unroll_on(&cores.cores[core].core, &Rules::CORRECTED);
                        let width: u64 = along.iter().filter(|part| part.dim == dim).map(|part| part.limit).product();
                        width.min(size) * shared <= size
                    })
                };
                let most = |dim: Dim| (1..=able.len() as u64).rev().find(|&shared| fits(dim, shared)).unwrap_or(1);
                let channels = most(if of.shape.size(Dim::G) > 1 { Dim::G } else { Dim::K });
                let columns = most(Dim::OX);
                let expected = if channels > 1 { channels } else { columns };
                assert_eq!(study.most_shared(layer) as u64, expected, "{}, {cuts}: {}", of.name, cores.name);
                by_channels += usize::from(channels > 1);
                by_columns += usize::from(channels == 1 && columns > 1);
                alone += usize::from(expected == 1);
            }
        }
    }
    assert!(by_channels > 10 && by_columns > 3 && alone > 0, "{by_channels}, {by_columns}, {alone}");
}
