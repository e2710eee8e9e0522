//! Evictions in small cases by hand: cores beside each other, each with one memory, and one port to DRAM.

use fusescape_engine::hardware::Operand;
use fusescape_engine::ids::{TiVec, ti_vec};
use fusescape_engine::multicore::{
    CoreId, CoreLink, CoreTopMemory, Edge, GroupId, LinkId, NestId, PlacedTile, SchedulingProblem, SchedulingRules,
    System, TensorId, Tile, TileGraph, TileId, TileNumber, TilePriority, TileTensor, TopMemoryId, Transfer,
    TransferReason, schedule,
};
use fusescape_engine::units::{Bits, BitsPerCycle, Cycles};

/// Cores with memories of so many bits; each link carries one bit per cycle.
fn system(capacities: &[u64]) -> System {
    let count = capacities.len();
    let memory = |(core, capacity): (usize, u64)| CoreTopMemory {
        name: format!("memory {core}"),
        capacity: Bits(capacity),
        read_width: Bits(1),
        write_width: Bits(1),
        read_pj: 1.0,
        write_pj: 1.0,
        cores: vec![CoreId::from(core)],
    };
    let all = capacities.iter().copied().chain([1 << 30]).enumerate();
    let mut links: TiVec<LinkId, CoreLink> = TiVec::new();
    let mut routes: TiVec<CoreId, TiVec<CoreId, Vec<LinkId>>> = ti_vec![ti_vec![Vec::new(); count + 1]; count + 1];
    for from in CoreId::first(count + 1) {
        for to in CoreId::first(count + 1).filter(|to| *to != from) {
            let (name, bandwidth) = (format!("{from} to {to}"), BitsPerCycle(1.0));
            routes[from][to].push(links.push_and_get_key(CoreLink { name, bandwidth, pj_per_cycle: 1.0 }));
        }
    }
    System {
        cores: (0..=count).map(|core| format!("core {core}")).collect(),
        memory_of: TopMemoryId::first(count + 1).map(|memory| [memory; 3]).collect(),
        memories: all.map(memory).collect(),
        links,
        routes,
        dram: CoreId::from(count),
    }
}

/// Tiles by core and bits of their output, one after the other, each of ten cycles; `edges` say which tile reads the output of which.
fn evicted(system: &System, tiles: &[(usize, u64)], edges: &[(usize, usize)]) -> Vec<TensorId> {
    let tile = |number: usize| Tile {
        layer: NestId::from(number),
        number: TileNumber::default(),
        group: GroupId::default(),
        tensors: [None, None, Some(TensorId::from(number))],
        constants: [].into(),
        is_final: true,
    };
    let uses = |number: usize| edges.iter().filter(|edge| edge.0 == number).count() as u64;
    let tensor =
        |(number, of): (usize, &(usize, u64))| TileTensor { bits: Bits(of.1), uses: uses(number), is_output: true };
    let edge = |&(from, to): &(usize, usize)| Edge {
        from: TileId::from(from),
        to: TileId::from(to),
        operand: Some(Operand::I),
    };
    let graph = TileGraph::new(
        (0..tiles.len()).map(tile).collect(),
        tiles.iter().enumerate().map(tensor).collect(),
        edges.iter().map(edge).collect(),
    );
    let placed = tiles.iter().map(|&(core, _)| PlacedTile {
        core: CoreId::from(core),
        cycles: Cycles(10.0),
        ..PlacedTile::default()
    });
    let placed: TiVec<TileId, PlacedTile> = placed.collect();
    let rank: TiVec<TileId, usize> = (0..tiles.len()).collect();
    let found = schedule(SchedulingProblem {
        graph: &graph,
        system,
        placed: &placed,
        order: TilePriority::Ranks(&rank),
        prefetched: &[],
        rules: SchedulingRules::CORRECTED,
    })
    .unwrap();
    let is_eviction = |transfer: &&Transfer| transfer.reason == TransferReason::Eviction;
    found.transfers.iter().filter(is_eviction).map(|transfer| transfer.tensor).collect()
}

/// Outputs of the first core wait for a tile of the second one, which reads them all. The last of them needs room.
#[test]
fn no_more_is_evicted_than_the_room_that_is_missing() {
    let system = system(&[100, 1000]);
    for (first, second, third, expected) in [
        (40, 40, 20, &[][..]),
        // Of two equal ones the first that came is evicted, whose room is exactly the missing one, or more.
        (40, 40, 60, &[0]),
        (40, 40, 59, &[0]),
        (40, 40, 61, &[0, 1]),
        // The one of fewer bits is evicted first, which may not be enough.
        (60, 20, 40, &[1]),
        (60, 20, 41, &[1, 0]),
    ] {
        let tiles = [(0, first), (0, second), (0, third), (1, 1)];
        let expected: Vec<TensorId> = expected.iter().map(|&tensor| TensorId::from(tensor as usize)).collect();
        let found = evicted(&system, &tiles, &[(0, 3), (1, 3), (2, 3)]);
        assert_eq!(found, expected, "{third} bits beside {first} and {second} of 100");
    }
}

/// The criterion is the number of future reads of a tensor, in this memory or others, times its bits.
#[test]
fn what_is_read_more_often_stays() {
    let system = system(&[100, 1000]);
    let evicted_of = |first: u64, second: u64, edges: &[(usize, usize)]| {
        // Three tiles on the second core, three on the first.
        let readers = [(1, 1), (1, 1), (1, 1), (0, 1), (0, 1), (0, 1)];
        evicted(&system, &[&[(0, first), (0, second), (0, 60)], &readers[..]].concat(), edges)
    };
    let (first, second) = ([TensorId::from(0)], [TensorId::from(1)]);
    assert_eq!(evicted_of(30, 40, &[(0, 3), (1, 4), (2, 5)]), first);
    assert_eq!(evicted_of(30, 40, &[(0, 3), (0, 4), (1, 4), (2, 5)]), second);
    assert_eq!(evicted_of(30, 65, &[(0, 3), (0, 4), (1, 4), (2, 5)]), [first, second].concat(), "as 30 are not enough");
    assert_eq!(evicted_of(20, 30, &[(0, 6), (1, 8), (2, 5)]), first);
    assert_eq!(evicted_of(20, 30, &[(0, 6), (0, 7), (1, 8), (2, 5)]), second);
}
