//! Differences between a point and its neighbours: they add up, and the reason is given for data that moves.

use fusescape_engine::cost::{EnergyCause, LatencyCause};
use fusescape_engine::depth_first::{DepthFirstStrategy, FuseDepth, PointAccount, PointChange, StoringMode};
use fusescape_engine::explore::{
    CostStore, CutChange, Direction, Request, Settings, account_of_strategy, best_cut, neighbours,
};
use fusescape_engine::search::{Objective, Strategy};
use fusescape_spec::{find_preset, hardware_presets, workload_presets};

fn request(hardware: &str, workload: &str) -> Request {
    Request {
        hardware: find_preset(hardware_presets(), hardware).unwrap().text.to_owned(),
        workload: find_preset(workload_presets(), workload).unwrap().text.to_owned(),
        settings: Settings { strategy: Strategy::Loma, lpf_limit: 4, ..Settings::default() },
    }
}

fn point(tile: (u64, u64), mode: StoringMode) -> DepthFirstStrategy {
    DepthFirstStrategy { tile, mode, fuse: FuseDepth::Automatic }
}

/// A point and all of its neighbours that can be scheduled.
fn around(request: &Request, from: &DepthFirstStrategy) -> (PointAccount, Vec<(Direction, PointAccount)>) {
    let mut store = CostStore::default();
    let here = account_of_strategy(request, from, &mut store).unwrap();
    let others = neighbours(&request.settings, from).into_iter().filter_map(|neighbour| {
        let account = account_of_strategy(request, &neighbour.strategy, &mut store).ok()?;
        Some((neighbour.direction, account))
    });
    (here, others.collect())
}

/// Growth of each cause of latency, cycles.
fn latency_growth(change: &PointChange) -> impl Iterator<Item = (LatencyCause, i64)> + '_ {
    let latency = &change.latency;
    LatencyCause::ALL.into_iter().map(|cause| (cause, latency.to[cause] as i64 - latency.from[cause] as i64))
}

/// Closer than the digits that are lost by adding a few numbers of this size.
fn assert_same(what: &str, a: f64, b: f64, size: f64) {
    assert!((a - b).abs() <= 16.0 * f64::EPSILON * size, "{what}: {a} and {b}");
}

#[test]
fn differences_by_cause_and_by_memory_add_up_to_the_difference_of_the_totals() {
    for (hardware, workload) in [("meta-proto-like-df", "fsrcnn"), ("tpu-like-df", "mccnn")] {
        let request = request(hardware, workload);
        for from in [point((4, 72), StoringMode::FullyCached), point((60, 18), StoringMode::FullyRecompute)] {
            let (here, others) = around(&request, &from);
            assert!(others.len() >= 6, "{} neighbours", others.len());
            for (direction, there) in others {
                let what = format!("{hardware}, {workload}, {from:?} towards {direction:?}");
                let change = PointChange::between(&here, &there);
                let size = here.energy_pj.max(there.energy_pj);

                let by_cause: f64 = change.energy_growth().map(|(_, growth)| growth).sum();
                assert_same(&what, by_cause, there.energy_pj - here.energy_pj, size);

                let by_memory: f64 = change.memories.iter().map(|memory| memory.energy_pj.growth()).sum();
                let elsewhere: f64 = EnergyCause::without_access()
                    .map(|cause| change.energy.to[cause] - change.energy.from[cause])
                    .sum();
                assert_same(&what, by_memory + elsewhere, by_cause, size);

                // Cycles are integers: they have to be exact.
                let cycles: i64 = latency_growth(&change).map(|(_, growth)| growth).sum();
                assert_eq!(cycles, there.latency_cycles as i64 - here.latency_cycles as i64, "{what}");
            }
        }
    }
}

#[test]
fn back_from_a_neighbour_is_the_same_change_the_other_way() {
    let request = request("meta-proto-like-df", "fsrcnn");
    let (here, others) = around(&request, &point((4, 72), StoringMode::FullyCached));
    for (direction, there) in others {
        let (to, back) = (PointChange::between(&here, &there), PointChange::between(&there, &here));
        let negated = to.energy_growth().map(|(cause, growth)| (cause, -growth));
        assert!(negated.eq(back.energy_growth()), "{direction:?}");
        let negated = latency_growth(&to).map(|(cause, growth)| (cause, -growth));
        assert!(negated.eq(latency_growth(&back)), "{direction:?}");
        assert_eq!(to.moves.len(), back.moves.len(), "{direction:?}");
        for moved in &to.moves {
            let other = |other: &&fusescape_engine::depth_first::DataMove| {
                (&other.layer, other.operand) == (&moved.layer, moved.operand)
            };
            let other = back.moves.iter().find(other).unwrap();
            assert_eq!((moved.is_up, &moved.memory.from), (!other.is_up, &other.memory.to), "{direction:?}");
        }
    }
}

#[test]
fn data_that_moves_up_says_why_it_no_longer_fits() {
    let request = request("meta-proto-like-df", "fsrcnn");
    let mut moved = 0;
    for tile in [(4, 72), (60, 72), (16, 18)] {
        let (here, others) = around(&request, &point(tile, StoringMode::FullyCached));
        for (direction, there) in others {
            for change in PointChange::between(&here, &there).moves {
                assert_ne!(change.memory.from, change.memory.to);
                let height = |name: &str| here.memories.iter().position(|memory| memory.name == name).unwrap();
                assert_eq!(change.is_up, height(&change.memory.to) > height(&change.memory.from));
                if change.is_up {
                    moved += 1;
                    let why = change
                        .why
                        .unwrap_or_else(|| panic!("{direction:?} of {tile:?} says nothing: {}", change.layer));
                    let is_said = [&change.memory.from, "output of the stack", "W comes from"];
                    let is_said = is_said.iter().any(|name| why.contains(*name));
                    assert!(is_said, "{direction:?}: {why}");
                }
            }
        }
    }
    assert!(moved > 10, "only {moved} moves");
}

#[test]
fn the_neighbours_of_a_point_are_the_next_tile_sizes_the_other_modes_and_the_other_fuse_depths() {
    let settings = Settings::default();
    let strategies = |of: &DepthFirstStrategy| -> Vec<((u64, u64), StoringMode, FuseDepth)> {
        let all = neighbours(&settings, of).into_iter().map(|neighbour| neighbour.strategy);
        all.map(|strategy| (strategy.tile, strategy.mode, strategy.fuse)).collect()
    };
    let whole = (u64::MAX, u64::MAX);
    let (recompute, h_cached, cached) =
        (StoringMode::FullyRecompute, StoringMode::HCachedVRecompute, StoringMode::FullyCached);
    let references = [(whole, recompute, FuseDepth::SingleLayer), (whole, recompute, FuseDepth::LayerByLayer)];
    let auto = |tile, mode| (tile, mode, FuseDepth::Automatic);

    let mut inside = vec![auto((1, 72), cached), auto((16, 72), cached), auto((4, 18), cached), auto((4, 270), cached)];
    inside.extend([auto((4, 72), recompute), auto((4, 72), h_cached)]);
    inside.extend(references.clone());
    assert_eq!(strategies(&point((4, 72), cached)), inside);

    // In the corner of the grid there are two neighbouring sizes, and from layer-by-layer only single-layer.
    let corner = strategies(&point((1, 540), cached));
    assert_eq!(corner[..2], [auto((4, 540), cached), auto((1, 270), cached)]);
    let layer_by_layer = DepthFirstStrategy { tile: whole, mode: recompute, fuse: FuseDepth::LayerByLayer };
    assert_eq!(strategies(&layer_by_layer), references[..1]);

    // A single size has its half and its double as neighbours.
    let alone = Settings { tiles_x: vec![4], tiles_y: vec![72], ..Settings::default() };
    let tiles: Vec<(u64, u64)> =
        neighbours(&alone, &point((4, 72), cached)).iter().take(4).map(|neighbour| neighbour.strategy.tile).collect();
    assert_eq!(tiles, [(2, 72), (8, 72), (4, 36), (4, 144)]);
}

/// The names of the layers of a network that computes them one after the other, without the last.
const INNER: [&str; 7] = ["extract", "shrink", "map1", "map2", "map3", "map4", "expand"];

#[test]
fn the_best_of_one_cut_more_or_fewer_is_that_of_trying_them_all() {
    let mut request = request("meta-proto-like-df", "fsrcnn");
    let mut store = CostStore::default();
    for objective in [Objective::Energy, Objective::Latency] {
        request.settings.objective = objective;
        for cuts in [vec![], vec!["map1"], vec!["shrink", "map2", "expand"], INNER.to_vec()] {
            let named = |cuts: &[&str]| {
                let all = if cuts.is_empty() { &["upscale"] } else { cuts };
                FuseDepth::Cuts(all.iter().map(|&name| name.to_owned()).collect())
            };
            let of =
                |cuts: &[&str]| DepthFirstStrategy { fuse: named(cuts), ..point((60, 72), StoringMode::FullyCached) };
            for change in CutChange::ALL {
                let toggled: Vec<(&str, Vec<&str>)> = INNER
                    .into_iter()
                    .filter(|layer| cuts.contains(layer) == (change == CutChange::Fewer))
                    .map(|layer| {
                        (layer, INNER.into_iter().filter(|&end| cuts.contains(&end) != (end == layer)).collect())
                    })
                    .collect();
                let mut score = |cuts: &[&str]| {
                    let account = account_of_strategy(&request, &of(cuts), &mut store).unwrap();
                    match request.settings.objective {
                        Objective::Energy => account.energy_pj,
                        _ => account.latency_cycles as f64,
                    }
                };
                let all: Vec<(f64, &str, &Vec<&str>)> =
                    toggled.iter().map(|(layer, cuts)| (score(cuts), *layer, cuts)).collect();
                let least = all.iter().min_by(|a, b| a.0.total_cmp(&b.0));
                let best = best_cut(&request, &of(&cuts), change, &mut CostStore::default()).unwrap();
                let Some((best, (_, layer, least_cuts))) = best.as_ref().zip(least) else {
                    assert!(best.is_none() && least.is_none(), "{cuts:?}, {change:?}");
                    continue;
                };
                assert_eq!(best.neighbour.strategy, of(least_cuts), "{cuts:?}, {change:?}");
                let direction = match change {
                    CutChange::More => Direction::Cut((*layer).to_owned()),
                    CutChange::Fewer => Direction::Join((*layer).to_owned()),
                };
                assert_eq!(best.neighbour.direction, direction);
                assert_eq!((best.count, best.impossible), (all.len(), 0));
            }
        }
    }
}

#[test]
fn cuts_through_a_branch_are_counted_and_too_many_are_refused() {
    let request = request("tpu-like-df", "resnet18");
    let from = point((14, 14), StoringMode::FullyCached);
    let best = best_cut(&request, &from, CutChange::More, &mut CostStore::default()).unwrap().unwrap();
    assert!(best.impossible > 0 && best.impossible < best.count, "{best:?}");

    let mut long = request;
    let layers: String =
        (0..300).map(|layer| format!("  - {{ name: l{layer}, type: conv, K: 1, kernel: 1 x 1 }}\n")).collect();
    long.workload = format!("name: long\nlayers:\n  - {{ name: image, type: input, K: 1, size: 4 x 4 }}\n{layers}");
    let from = DepthFirstStrategy { fuse: FuseDepth::Cuts(vec!["l299".into()]), ..from };
    let wrong = best_cut(&long, &from, CutChange::More, &mut CostStore::default()).unwrap_err();
    assert!(wrong.0[0].reason.contains("299") && wrong.0[0].remedy.contains("Fusion"), "{wrong:?}");
    assert!(best_cut(&long, &from, CutChange::Fewer, &mut CostStore::default()).unwrap().is_none());
}
