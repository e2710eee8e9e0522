//! What changes from a point to its neighbours: differences add up, and data that moves says why.

use fusescape_engine::cost::{EnergyCause, LatencyCause};
use fusescape_engine::depth_first::{DepthFirstStrategy, FuseDepth, PointAccount, PointChange, StoringMode};
use fusescape_engine::explore::{CostStore, Direction, Request, Settings, account_of_strategy, neighbours};
use fusescape_engine::search::Strategy;
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

/// Closer than the digits that adding a few numbers of this size loses.
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

                // Cycles are integers: not a single one is lost.
                let cycles: i64 = change.latency_growth().map(|(_, growth)| growth).sum();
                assert_eq!(cycles, there.latency_cycles as i64 - here.latency_cycles as i64, "{what}");
                assert_eq!(change.latency_growth().count(), LatencyCause::ALL.len());
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
        let negated = to.latency_growth().map(|(cause, growth)| (cause, -growth));
        assert!(negated.eq(back.latency_growth()), "{direction:?}");
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

    // In the corner of the grid there are two sizes beside, and from layer-by-layer only single-layer.
    let corner = strategies(&point((1, 540), cached));
    assert_eq!(corner[..2], [auto((4, 540), cached), auto((1, 270), cached)]);
    let layer_by_layer = DepthFirstStrategy { tile: whole, mode: recompute, fuse: FuseDepth::LayerByLayer };
    assert_eq!(strategies(&layer_by_layer), references[..1]);

    // A size that is alone has its half and its double beside it.
    let alone = Settings { tiles_x: vec![4], tiles_y: vec![72], ..Settings::default() };
    let tiles: Vec<(u64, u64)> =
        neighbours(&alone, &point((4, 72), cached)).iter().take(4).map(|neighbour| neighbour.strategy.tile).collect();
    assert_eq!(tiles, [(2, 72), (8, 72), (4, 36), (4, 144)]);
}
