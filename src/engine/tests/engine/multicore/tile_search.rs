//! The search for the tile size of a network on many cores.

use fusescape_engine::multicore::{
    CoreAllocation, CoresProblem, CoresRequest, CoresSettings, ScheduleObjective, StackId, StackRule, TileCosts,
    TileGranularity, TileOutcome, TilePoint, TileSearch, TileSize, TileSizeCandidate, TileSizeRange,
};
use fusescape_engine::workload::{Dim, Network};
use fusescape_spec::{find_preset, hardware_presets, system_presets};
use fusescape_test_support::sample::each_of;
use std::collections::BTreeSet;

/// Branches, a depthwise layer, and layers of one row at the end.
const NETWORK: &str = "
name: small
batch: 1
precision: { W: 8, I: 8, O_partial: 16, O: 8 }
layers:
  - { name: image, type: input, K: 3, size: 16 x 12 }
  - { name: conv1, type: conv, K: 16, kernel: 3 x 3, padding: 1 }
  - { name: spread, type: depthwise, kernel: 3 x 3, padding: 1 }
  - { name: left, type: conv, K: 16, kernel: 3 x 3, stride: 2, padding: 1 }
  - { name: right, type: conv, from: spread, K: 16, kernel: 1 x 1, stride: 2 }
  - { name: sum, type: add, from: [left, right] }
  - { name: mixed, type: conv, K: 8, kernel: 3 x 3, padding: 1 }
  - { name: fc, type: fully-connected, K: 10 }
";

fn request(system: &str) -> CoresRequest {
    CoresRequest {
        hardware: find_preset(hardware_presets(), "tpu-like").unwrap().text.to_owned(),
        workload: NETWORK.to_owned(),
        system: system.to_owned(),
        settings: CoresSettings { stacks: StackRule::After(vec!["spread".to_owned()]), ..CoresSettings::default() },
    }
}

fn quad() -> CoresRequest {
    request(find_preset(system_presets(), "quad-beside").unwrap().text)
}

fn run(request: &CoresRequest) -> TileSearch {
    TileSearch::of(request).unwrap_or_else(|wrong| panic!("{wrong}"))
}

fn study(request: &CoresRequest, granularity: TileGranularity) -> CoresProblem {
    let mut request = request.clone();
    request.settings.granularity = granularity;
    CoresProblem::new(&request).unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// The pieces of every layer, computed here from the sizes of its loops.
fn in_pieces(study: &CoresProblem, cut: &TileSizeCandidate) -> String {
    let lines = study.nests.nests.iter_enumerated().map(|(layer, nest)| {
        let stack = study.stacks.position(|stack| stack.contains(&layer)).unwrap();
        let size = cut.stacks.iter().find(|of| of.0 == stack).map_or(cut.all, |of| of.1);
        let mut pieces = Vec::new();
        let mut piece = |dim: Dim, size: Option<u64>| {
            let count = size.map_or(1, |size| nest.size(dim).div_ceil(size));
            if count > 1 {
                pieces.push(format!("{dim} {count}"));
            }
        };
        if nest.size(Dim::OY) > 1 {
            piece(Dim::OY, size.rows);
            piece(Dim::OX, size.columns);
        } else {
            piece(Dim::OX, size.rows);
        }
        piece(if nest.size(Dim::G) > 1 { Dim::G } else { Dim::K }, size.channels);
        let pieces = if pieces.is_empty() { "OY 1".to_owned() } else { pieces.join(", ") };
        format!("{}: {pieces}", nest.name)
    });
    lines.collect::<Vec<_>>().join("; ")
}

#[test]
fn every_point_of_the_search_is_what_a_single_run_finds_however_its_tiles_are_written() {
    for objective in ScheduleObjective::ALL {
        let mut request = quad();
        request.settings.objective = objective;
        let search = run(&request);
        assert!(search.points().any(|point| !point.cut.stacks.is_empty()), "stacks have sizes of their own");
        assert!(search.points().any(|point| point.cut.all.columns.is_some()));
        assert!(search.points().any(|point| point.cut.all.channels.is_some()));
        let written = search.points().flat_map(|point| {
            let as_stated = study(&request, point.cut.granularity());
            let pieces = TileGranularity::ByHand(in_pieces(&as_stated, &point.cut));
            [point.cut.granularity(), TileGranularity::ByHand(point.cut.text()), pieces].map(|written| (point, written))
        });
        // Every point is checked in some of the three notations, and each notation is that of a third of the checks.
        for (point, granularity) in each_of(written.collect(), 8) {
            let outcome = point.outcome.as_ref().unwrap();
            let what = format!("{objective:?} {granularity:?}");
            let study = study(&request, granularity);
            let mut costs = TileCosts::default();
            let (best, stacks) = study.best(&mut costs).unwrap();
            assert_eq!(
                (best.energy_pj, best.latency_cycles, stacks.len()),
                (outcome.energy_pj, outcome.latency_cycles, outcome.stacks),
                "{what}"
            );
            let (_, account) = study.account(&mut costs, &stacks, &best.choice, Some(best.order)).unwrap();
            assert_eq!(account.tiles.len(), outcome.tiles, "{what}");
        }
    }
}

#[test]
fn the_best_is_no_worse_than_any_size_that_was_run_nor_than_any_core_alone_on_every_system() {
    for system in each_of(system_presets().to_vec(), 6) {
        let request = request(system.text);
        // Chips that do not run all of these layers.
        let Ok(search) = TileSearch::of(&request) else { continue };
        let objective = search.objective();
        let (cut, best) = search.best().unwrap();
        for point in search.points() {
            let Ok(outcome) = &point.outcome else { continue };
            assert!(best.score(objective) <= outcome.score(objective), "{}: {cut:?}, {:?}", system.id, point.cut);
            let study = study(&request, point.cut.granularity());
            let costs = &mut TileCosts::default();
            // Cores may have too small memories for some layers.
            let alone = study.alone().into_iter().filter_map(|(core, choice)| {
                assert!(choice.iter().all(|cores| cores[..] == [core]), "{}", system.id);
                Some(study.evaluate(costs, &[], &choice, None).ok()?.score(objective))
            });
            let alone = alone.min_by(f64::total_cmp);
            let single = outcome.single.as_ref();
            let said = single.map(|single| {
                objective.score(single.energy_pj, fusescape_engine::units::Cycles(single.latency_cycles))
            });
            assert_eq!(said, alone, "{}: {:?}", system.id, point.cut);
            assert!(alone.is_none_or(|alone| outcome.score(objective) <= alone), "{}: {:?}", system.id, point.cut);
        }
        let single = search.best_single().map(|(_, single)| single.latency_cycles);
        let singles = search.points().filter_map(|point| point.outcome.as_ref().ok()?.single.as_ref());
        assert_eq!(single, singles.map(|single| single.latency_cycles).min_by(f64::total_cmp), "{}", system.id);
    }
}

#[test]
fn the_same_request_is_searched_the_same_way_whatever_tiles_it_states() {
    let mut other = quad();
    other.settings.granularity = TileGranularity::Rows(7);
    let search = run(&quad());
    assert_eq!(search, run(&other));
    // Halves and quarters: the widest map has 16 columns, and no layer more than 16 channels.
    let sizes = |of: fn(&TileSize) -> Option<u64>| -> BTreeSet<u64> {
        search.points().filter_map(|point| of(&point.cut.all)).collect()
    };
    assert_eq!(sizes(|size| size.columns), BTreeSet::from([4, 8]));
    assert_eq!(sizes(|size| size.channels), BTreeSet::from([4, 8]));
}

/// Three stacks of 10 pJ in tiles of 4 rows, each of which has another energy in 8 rows: all eight combinations of gains and losses.
#[test]
fn the_last_stage_joins_all_sizes_that_are_better_by_themselves_and_no_others() {
    let size = |rows: u64| TileSize { rows: Some(rows), ..TileSize::default() };
    let stacks = [2, 0, 1].map(StackId::from);
    for gains in 0..8_usize {
        let range = TileSizeRange { rows: 64, columns: 1, channels: 1, stacks: stacks.to_vec() };
        let is_better = |stack: &StackId| gains >> stack.index() & 1 == 1;
        let energy = |cut: &TileSizeCandidate| match (cut.all.rows, &cut.stacks[..]) {
            (Some(4), []) => 30.0,
            // Nearly as good, and not combined with it.
            (Some(2), []) => 30.5,
            (Some(4), [(stack, own)]) if *own == size(8) => {
                if is_better(stack) {
                    25.0 - stack.index() as f64
                } else {
                    31.0
                }
            }
            // A second size of the same stack without gain.
            (Some(4), [(_, own)]) if *own == size(2) => 30.0,
            (_, [_, _, ..]) => 20.0,
            _ => 40.0,
        };
        let run = |cut: TileSizeCandidate| {
            let energy_pj = energy(&cut);
            let outcome = TileOutcome { energy_pj, latency_cycles: 1.0, tiles: 1, proved: 0, stacks: 3, single: None };
            TilePoint { cut, outcome: Ok(outcome) }
        };
        let search = TileSearch::by(range, ScheduleObjective::Energy, run);
        let mut better: Vec<StackId> = stacks.into_iter().filter(is_better).collect();
        better.sort_unstable();
        let joined = better.into_iter().map(|stack| (stack, size(8))).collect::<Vec<_>>();
        let expected = (joined.len() > 1).then_some(TileSizeCandidate { all: size(4), stacks: joined });
        let of_several = search.points().map(|point| &point.cut).filter(|cut| cut.stacks.len() > 1);
        assert_eq!(of_several.collect::<Vec<_>>(), Vec::from_iter(&expected), "{gains:03b}");
    }
}

#[test]
fn what_cannot_be_cut_has_whole_layers_as_its_only_candidate() {
    let mut request = quad();
    request.settings.stacks = StackRule::EachLayer;
    let search = run(&request);
    assert!(search.points().map(|point| &point.cut).eq([&TileSizeCandidate::default()]));
}

#[test]
fn the_use_of_the_arrays_is_the_work_over_what_they_could_do() {
    let study = study(&quad(), TileGranularity::Rows(4));
    let (best, _) = study.best(&mut TileCosts::default()).unwrap();
    let choice: CoreAllocation = best.choice.clone();
    // Four arrays of 32 x 32.
    let peak: u64 = study.system.cores.iter().map(|core| core.core.pe_count()).sum();
    let expected = study.macs(&choice) as f64 / (best.latency_cycles * peak as f64);
    assert!((study.mac_use(best.latency_cycles) - expected).abs() < 1e-12, "{expected}");
    assert!(expected > 0.0 && expected < 1.0);
}

#[test]
fn sizes_that_make_no_sense_are_refused_with_all_that_is_wrong() {
    let wrong = |text: &str| -> Vec<String> {
        let mut request = quad();
        request.settings.granularity = TileGranularity::ByHand(text.to_owned());
        let wrong = CoresProblem::new(&request).err().unwrap_or_default();
        wrong.0.into_iter().map(|wrong| wrong.reason).collect()
    };
    assert_eq!(wrong("rows 4, columns 6, channels 8; stack 2: rows 2; fc: whole"), Vec::<String>::new());
    assert_eq!(wrong("rows 4, rows 5"), ["`rows 5` cuts rows twice, or into nothing"]);
    assert_eq!(
        wrong("rows 0; stack 3: rows 4; stack 0: rows 4; columns x"),
        [
            "`rows 0` cuts rows twice, or into nothing",
            "The network computes no layer `stack 3`",
            "The network computes no layer `stack 0`",
            "`columns x` is not a loop and a number of pieces",
        ]
    );
    assert_eq!(wrong("rows 99999999999999999999"), ["`99999999999999999999` pieces of rows are too many"]);
    // A map of one row is cut into columns, of as many as rows elsewhere.
    let size = TileSize { rows: Some(4), columns: Some(3), channels: Some(5) };
    let shape = |columns: u64, rows: u64| {
        let text = format!(
            "name: x\nlayers:\n  - {{ name: in, type: input, K: 2, size: {columns} x {rows} }}\n  - {{ name: a, type: pointwise, K: 10 }}\n"
        );
        let network = Network::from_text(&text).unwrap_or_else(|wrong| panic!("{wrong}"));
        network.layer(network.computing().next().unwrap()).shape
    };
    assert_eq!(size.pieces(&shape(16, 8)), [(Dim::OY, 2), (Dim::OX, 6), (Dim::K, 2)]);
    assert_eq!(size.pieces(&shape(16, 2)), [(Dim::OX, 6), (Dim::K, 2)]);
    assert_eq!(size.pieces(&shape(16, 1)), [(Dim::OX, 4), (Dim::K, 2)]);
    // A tile larger than the map is all of it.
    let large = TileSize { rows: Some(u64::MAX), columns: Some(u64::MAX), channels: Some(u64::MAX) };
    let request = quad();
    let whole = study(&request, TileGranularity::LayerByLayer).best(&mut TileCosts::default()).unwrap().0;
    let cut = TileSizeCandidate { all: large, stacks: Vec::new() };
    assert_eq!(study(&request, cut.granularity()).best(&mut TileCosts::default()).unwrap().0, whole);
}
