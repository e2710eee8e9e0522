//! Many cores: the exact allocation of tiles to cores and slots of a steady state equals brute force.

use super::schedules::rounds;
use fusescape_engine::ids::{TiSlice, TiVec, ti_vec};
use fusescape_engine::multicore::{
    AllocationProblem, CoreId, IterationTile, SlotId, TilePlacement, allocate, evaluate,
};
use fusescape_test_support::random::Lcg;

/// All allocations of small instances.
#[test]
fn allocations_equal_brute_force() {
    let mut random = Lcg(3);
    for round in 0..rounds() {
        let instance = random_instance(&mut random);
        let found = allocate(&instance, &mut |_| true);
        assert!(found.is_proved(), "round {round}");
        let mut best: Option<f64> = None;
        let mut tiles = ti_vec![(SlotId::default(), Vec::new()); instance.cycles.len()];
        every(&instance, IterationTile::default(), &mut tiles, &mut |tiles| {
            if let Some(one) = evaluate(&instance, tiles) {
                best = Some(best.map_or(one.cycles, |best: f64| best.min(one.cycles)));
            }
        });
        assert_eq!(found.best.as_ref().map(|best| best.cycles), best, "round {round}: {instance:?}");
        if let Some(ours) = &found.best {
            assert_eq!(evaluate(&instance, &ours.tiles).as_ref(), Some(ours), "round {round}");
        }
    }
}

#[test]
fn a_search_that_is_stopped_knows_a_bound() {
    let mut random = Lcg(8);
    let mut stopped = 0;
    for _ in 0..30 {
        let instance = AllocationProblem { iterations: 50, ..larger_instance(&mut random) };
        let whole = allocate(&instance, &mut |_| true);
        let part = allocate(&instance, &mut |_| false);
        let Some(best) = whole.best.map(|best| best.cycles) else { continue };
        assert!(part.bound <= best, "{} > {best}", part.bound);
        assert!(part.best.as_ref().is_none_or(|part| part.cycles >= best));
        stopped += u32::from(part.nodes < whole.nodes);
    }
    assert!(stopped > 0, "some searches take longer than the first question");
}

fn every(
    instance: &AllocationProblem,
    tile: IterationTile,
    tiles: &mut TiVec<IterationTile, TilePlacement>,
    hear: &mut dyn FnMut(&TiSlice<IterationTile, TilePlacement>),
) {
    if tile == tiles.next_key() {
        return hear(tiles);
    }
    for slot in SlotId::first(tiles.len()) {
        for cores in 1..1_u64 << instance.cores {
            tiles[tile] = (slot, CoreId::first(instance.cores).filter(|core| cores >> core.index() & 1 == 1).collect());
            every(instance, tile.following(), tiles, hear);
        }
    }
}

fn random_instance(random: &mut Lcg) -> AllocationProblem {
    let (tiles, cores) = if random.below(3) == 0 { (3, 3) } else { (2 + random.below(3) as usize, 2) };
    instance_of(random, tiles, cores)
}

fn larger_instance(random: &mut Lcg) -> AllocationProblem {
    instance_of(random, 8, 3)
}

fn instance_of(random: &mut Lcg, tiles: usize, cores: usize) -> AllocationProblem {
    let is_alike = random.below(2) == 0;
    let cycles = (0..tiles).map(|_| {
        let of_core = |random: &mut Lcg| {
            let alone = (10 + random.below(90)) as f64;
            let shared = |shared: usize| (shared == 1 || random.below(2) == 0).then(|| (alone / shared as f64).floor());
            (1..=cores).map(shared).collect::<Vec<_>>()
        };
        let first = of_core(random);
        (0..cores).map(|_| if is_alike { first.clone() } else { of_core(random) }).collect()
    });
    let cycles = cycles.collect();
    let pairs = IterationTile::first(tiles)
        .flat_map(|second| IterationTile::first(second.index()).map(move |first| (first, second)));
    let order = pairs.filter(|_| random.below(2) == 0).collect();
    let groups = if random.below(3) == 0 { vec![IterationTile::first(2).collect()] } else { Vec::new() };
    let weights = (0..tiles).map(|_| random.below(60)).collect();
    let capacity = 40 + random.below(100);
    AllocationProblem {
        cores,
        iterations: 1 + random.below(20),
        cycles,
        order,
        groups,
        weights,
        capacity: ti_vec![capacity; cores],
    }
}
