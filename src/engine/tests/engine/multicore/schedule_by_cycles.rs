//! Many cores: schedules of random networks on random systems, run again cycle by cycle from their tiles and transfers
//! alone. Nothing is used twice in a cycle, no data is read where it is not held, and nothing waits without a reason.
//!
//! All times are whole numbers here: tiles that stream are slowed down to twice or one and a half times an even number of cycles.

use super::schedules::{earliest, random_network, random_placement, random_system, ranks};
use fusescape_engine::hardware::Operand;
use fusescape_engine::ids::{TiVec, ti_vec};
use fusescape_engine::multicore::{
    CoresSchedule, LinkId, Offchip, PlacedTile, SchedulingProblem, StartConstraint, TensorId, TileId, TilePriority,
    TilingRules, TimeSpan, TopMemoryId, Transfer, TransferReason, schedule, schedule_with_contents, tile_graph,
};
use fusescape_engine::units::{BitsPerCycle, Cycles};
use fusescape_test_support::random::{Lcg, oracle_cases};
use std::collections::BTreeMap;
use std::ops::Range;

/// The range of cycles in which a tensor has room in a memory.
type Stays = BTreeMap<(TensorId, TopMemoryId), Vec<Range<u64>>>;

fn cycle(time: Cycles<f64>) -> u64 {
    assert_eq!(time.0.fract(), 0.0);
    time.0 as u64
}

fn cycles(span: TimeSpan) -> Range<u64> {
    cycle(span.start)..cycle(span.end)
}

/// Calls `check` with schedules of random networks.
fn for_all(seed: u64, sample: u64, streams: bool, mut check: impl FnMut(&str, &SchedulingProblem<'_>, &CoresSchedule)) {
    let mut random = Lcg(seed);
    let mut left = oracle_cases(sample);
    let mut case = 0;
    while left > 0 {
        case += 1;
        let layers = random_network(&mut random);
        let network = tile_graph(&layers, TilingRules::CORRECTED);
        let system = random_system(&mut random);
        let mut placed = random_placement(&mut random, &network, &system);
        for tile in &mut placed {
            if !tile.too_large.is_empty() {
                tile.cycles = Cycles(2.0 * (1 + random.below(100)) as f64);
                let (to, from) = random.of(&[(0, 8), (8, 0), (8, 8), (4, 12), (16, 16), (0, 24), (24, 0), (0, 0)]);
                tile.offchip = Offchip { to: BitsPerCycle(to.into()), from: BitsPerCycle(from.into()) };
                if !streams {
                    *tile = PlacedTile { core: tile.core, cycles: tile.cycles, ..PlacedTile::default() };
                }
            }
        }
        let rank = ranks(&network);
        let order = [TilePriority::Ranks(&rank), TilePriority::EarliestReady][random.below(2) as usize];
        let prefetched: &[Operand] = if random.below(2) == 0 { &[] } else { &[Operand::W] };
        let problem = SchedulingProblem { order, prefetched, ..earliest(&network, &system, &placed) };
        let Ok(found) = schedule_with_contents(problem) else { continue };
        left -= 1;
        check(&format!("case {case}"), &problem, &found);
        let without = CoresSchedule { contents: Vec::new(), ..found };
        assert_eq!(schedule(problem).unwrap(), without, "case {case}: asking for contents changes nothing");
    }
}

/// The memory in which a tile finds an operand, or puts its output.
fn home(problem: &SchedulingProblem<'_>, tile: TileId, operand: Operand) -> TopMemoryId {
    let PlacedTile { core, ref too_large, .. } = problem.placed[tile];
    let is_far = too_large.contains(&operand);
    if is_far { problem.system.dram_memory() } else { problem.system.memory_of[core][operand as usize] }
}

/// The tensors that a tile reads, with their memories.
fn reads(problem: &SchedulingProblem<'_>, tile: TileId) -> Vec<(TensorId, TopMemoryId)> {
    let graph = problem.graph;
    let constants = graph.tiles[tile].constants.iter().map(|&operand| (graph.tensor(tile, operand).unwrap(), operand));
    let computed =
        graph.predecessors(tile).filter_map(|edge| Some((graph.tensor(edge.from, Operand::O).unwrap(), edge.operand?)));
    constants.chain(computed).map(|(tensor, operand)| (tensor, home(problem, tile, operand))).collect()
}

/// The times of tensors in memories, by the changes that the schedule states.
fn stays(found: &CoresSchedule) -> Stays {
    let mut stays = Stays::new();
    for change in &found.contents {
        let of_tensor = stays.entry((change.tensor, change.memory)).or_default();
        let time = cycle(change.time);
        match change.comes {
            true => of_tensor.push(time..u64::MAX),
            false => of_tensor.last_mut().unwrap().end = time,
        }
    }
    stays
}

#[test]
fn whatever_is_read_or_written_has_its_place_there_in_every_cycle() {
    let (mut tiles, mut evicted) = (0, 0);
    for_all(101, 300, true, |case, problem, found| {
        let SchedulingProblem { graph, system, .. } = *problem;
        let stays = stays(found);
        let lies = |what: &dyn Fn() -> String, tensor: TensorId, memory: TopMemoryId, span: Range<u64>| {
            let places = stays.get(&(tensor, memory)).cloned().unwrap_or_default();
            let is_there = places.iter().any(|stay| stay.start <= span.start && span.end <= stay.end);
            assert!(is_there, "{case}: {tensor} is in memory {memory} during {places:?} only: {}", what());
        };
        for (tile, span) in found.tiles.iter_enumerated() {
            let span = cycles(span.unwrap());
            let what = || format!("tile {tile} in {span:?}");
            for (tensor, memory) in reads(problem, tile) {
                lies(&what, tensor, memory, span.clone());
            }
            if let Some(output) = graph.tensor(tile, Operand::O) {
                lies(&what, output, home(problem, tile, Operand::O), span.clone());
            }
            tiles += 1;
        }
        for transfer in &found.transfers {
            let what = || format!("{transfer:?}");
            lies(&what, transfer.tensor, transfer.source, cycles(transfer.span));
            lies(&what, transfer.tensor, transfer.memory, cycles(transfer.span));
            evicted += usize::from(transfer.reason == TransferReason::Eviction);
        }
        // Every cycle of every memory.
        let end = cycle(found.latency) + 2;
        for (memory, description) in system.memories.iter_enumerated() {
            let mut used = vec![0; end as usize];
            for ((tensor, _), stays) in stays.iter().filter(|((_, of), _)| *of == memory) {
                for at in stays.iter().flat_map(|stay| stay.start..stay.end.min(end)) {
                    used[at as usize] += graph.tensors[*tensor].bits.0;
                }
            }
            assert!(used.iter().all(|&bits| bits <= description.capacity.0), "{case}: memory {memory} overflows");
            let steps = &found.memories[memory];
            let stated = |at: usize| steps.iter().rfind(|step| step.0 <= at as i64).map_or(0, |step| step.1);
            for (at, &used) in used.iter().enumerate() {
                assert_eq!(stated(at), used, "{case}: bits in memory {memory} in cycle {at}");
            }
        }
    });
    assert!(tiles > 500 && evicted > 30, "{tiles} tiles, {evicted} evictions");
}

/// The transfer that carries a tensor in a cycle, by its first cycle, so that simultaneous receivers share it.
type Carried = TiVec<LinkId, BTreeMap<u64, (TensorId, u64)>>;

#[test]
fn links_carry_no_more_than_they_can_in_every_cycle() {
    let mut shared = 0;
    for_all(103, 60, true, |case, problem, found| {
        let SchedulingProblem { system, placed, .. } = *problem;
        let mut whole: Carried = ti_vec![BTreeMap::new(); system.links.len()];
        let mut part: TiVec<LinkId, BTreeMap<u64, f64>> = ti_vec![BTreeMap::new(); system.links.len()];
        for transfer in &found.transfers {
            let span = cycles(transfer.span);
            for &link in system.route(transfer.from, transfer.to) {
                for at in span.clone() {
                    let before = whole[link].insert(at, (transfer.tensor, span.start));
                    let is_same = before.is_none_or(|before| before == (transfer.tensor, span.start));
                    assert!(is_same, "{case}: link {link} carries {before:?} in cycle {at} besides {transfer:?}");
                    shared += usize::from(before.is_some());
                }
            }
        }
        for stream in &found.streams {
            let PlacedTile { core, offchip: Offchip { to, from }, cycles: needed, .. } = placed[stream.tile];
            assert_eq!(stream.span, found.tiles[stream.tile].unwrap(), "{case}");
            assert_eq!(stream.span.length(), needed * stream.slower, "{case}");
            for (route, bits) in [(system.route(core, system.dram), to), (system.route(system.dram, core), from)] {
                for (&link, at) in route.iter().flat_map(|link| cycles(stream.span).map(move |at| (link, at))) {
                    *part[link].entry(at).or_default() += bits.0 / stream.slower;
                }
            }
        }
        for (link, description) in system.links.iter_enumerated() {
            for (at, &bits) in &part[link] {
                assert!(bits <= description.bandwidth.0, "{case}: link {link} streams {bits} bits in cycle {at}");
                let is_free = bits == 0.0 || !whole[link].contains_key(at);
                assert!(is_free, "{case}: link {link} streams in cycle {at} besides a transfer");
            }
        }
    });
    assert!(shared > 100, "only {shared} cycles are shared");
}

/// Transfers in the order in which they were placed: each begins in the first cycle from which on all its links are
/// free long enough, unless a link carries the same data for another core later on.
#[test]
fn transfers_begin_as_soon_as_their_tensor_and_all_links_are_there() {
    let (mut first, mut waiting, mut joined, mut narrow) = (0, 0, 0, 0);
    for_all(107, 60, false, |case, problem, found| {
        let SchedulingProblem { graph, system, .. } = *problem;
        let mut busy: Carried = ti_vec![BTreeMap::new(); system.links.len()];
        for (number, transfer) in found.transfers.iter().enumerate() {
            let Transfer { tensor, source, memory, from, to, span, waits, .. } = *transfer;
            let what = || format!("{case}: {transfer:?}");
            let there = available(problem, found, tensor, source, &found.transfers[..number]);
            assert_eq!(waits.there, there as f64, "{}", what());
            assert!(
                waits.there <= waits.room && waits.room <= waits.links && waits.links == span.start.0,
                "{}",
                what()
            );
            let route = system.route(from, to);
            // Each link, and each memory at the ends, transfers its bits in whole cycles, and the slowest determines
            // the duration.
            let of_link = |link: &LinkId| {
                let bandwidth = system.links[*link].bandwidth.0 as u64;
                (0..graph.tensors[tensor].bits.0).step_by(bandwidth as usize).count() as u64
            };
            let of_port = |memory: TopMemoryId, width: u64| {
                let has_port = memory != system.dram_memory();
                if has_port { (0..graph.tensors[tensor].bits.0).step_by(width as usize).count() as u64 } else { 0 }
            };
            let reads = of_port(source, system.memories[source].read_width.0);
            let writes = of_port(memory, system.memories[memory].write_width.0);
            let of_links = route.iter().map(of_link).max().unwrap_or(0);
            let length = of_links.max(reads).max(writes);
            narrow += usize::from(length > of_links);
            assert_eq!(cycle(span.length()), length, "{}", what());
            let room = cycle(Cycles(waits.room));
            let is_carried_later =
                |link: &LinkId| busy[*link].values().any(|&(other, start)| other == tensor && start >= room);
            let is_free =
                |start: u64| route.iter().all(|&link| (start..start + length).all(|at| !busy[link].contains_key(&at)));
            let start = cycle(span.start);
            if route.iter().any(is_carried_later) {
                joined += 1;
            } else {
                let expected = (room..).find(|&start| is_free(start)).unwrap();
                assert_eq!(start, expected, "{}", what());
                first += 1;
                waiting += usize::from(start > room);
            }
            for &link in route {
                busy[link].extend((start..start + length).map(|at| (at, (tensor, start))));
            }
        }
    });
    assert!(first > 300 && waiting > 100 && joined > 10, "{first}, {waiting} wait, {joined} may be shared");
    assert!(narrow > 30, "memories decide about {narrow}");
}

/// The times at which a tensor can be read in a memory: from its computation there or from one of some transfers on;
/// constants are in DRAM.
fn available(
    problem: &SchedulingProblem<'_>,
    found: &CoresSchedule,
    tensor: TensorId,
    memory: TopMemoryId,
    transfers: &[Transfer],
) -> u64 {
    let graph = problem.graph;
    let brought = transfers.iter().rev().find(|transfer| (transfer.tensor, transfer.memory) == (tensor, memory));
    if let Some(transfer) = brought {
        return cycle(transfer.span.end);
    }
    let makes =
        |tile: &TileId| graph.tensor(*tile, Operand::O) == Some(tensor) && home(problem, *tile, Operand::O) == memory;
    found.tiles.keys().filter(makes).map(|tile| cycle(found.tiles[tile].unwrap().end)).max().unwrap_or(0)
}

/// Tiles that wait for neither room nor links begin at the end of the last of their predecessors.
#[test]
fn tiles_begin_with_the_last_of_what_they_wait_for() {
    let (mut ready, mut brought) = (0, 0);
    for_all(109, 60, true, |case, problem, found| {
        let SchedulingProblem { graph, placed, .. } = *problem;
        let end = |tile: TileId| cycle(found.tiles[tile].unwrap().end);
        for (tile, span) in found.tiles.iter_enumerated() {
            let what = || format!("{case}: tile {tile} in {span:?}, {:?}", found.begins[tile]);
            let start = cycle(span.unwrap().start);
            let is_before = |other: &TileId| {
                placed[*other].core == placed[tile].core && *other != tile && {
                    let other = found.tiles[*other].unwrap().start;
                    cycle(other) < start
                }
            };
            let of_core = placed.keys().filter(is_before).map(end);
            let after = of_core.chain(graph.predecessors(tile).map(|edge| end(edge.from))).max().unwrap_or(0);
            assert!(start >= after, "{}", what());
            match found.begins[tile] {
                StartConstraint::Ready => {
                    assert_eq!(start, after, "{}", what());
                    ready += 1;
                }
                StartConstraint::Brought => {
                    let awaited = found.awaited.iter().find(|awaited| awaited.0 == tile);
                    let &(_, tensor, memory) = awaited.unwrap_or_else(|| panic!("{}", what()));
                    let ends = found.transfers.iter().filter(|one| (one.tensor, one.memory) == (tensor, memory));
                    assert!(ends.map(|one| cycle(one.span.end)).any(|end| end == start), "{}", what());
                    assert!(reads(problem, tile).contains(&(tensor, memory)), "{}", what());
                    brought += 1;
                }
                StartConstraint::Room | StartConstraint::Links | StartConstraint::Late => {}
            }
        }
    });
    assert!(ready > 200 && brought > 100, "{ready} are ready, {brought} wait for data");
}

/// Every result is in DRAM at the end, computed there or by one transfer, after the last tile that adds to it.
#[test]
fn results_go_to_dram_once() {
    let mut results = 0;
    for_all(113, 60, true, |case, problem, found| {
        let SchedulingProblem { graph, system, .. } = *problem;
        let dram = system.dram_memory();
        for tile in found.tiles.keys() {
            let is_read = graph.successors(tile).any(|edge| edge.operand.is_some());
            if is_read || !graph.tiles[tile].is_final || home(problem, tile, Operand::O) == dram {
                continue;
            }
            let output = graph.tensor(tile, Operand::O).unwrap();
            let written = |one: &&Transfer| (one.tensor, one.memory) == (output, dram);
            let ends: Vec<u64> = found.transfers.iter().filter(written).map(|one| cycle(one.span.start)).collect();
            assert_eq!(ends.len(), 1, "{case}: the output of tile {tile} is written {ends:?}");
            assert!(ends[0] >= cycle(found.tiles[tile].unwrap().end), "{case}: tile {tile}");
            results += 1;
        }
    });
    assert!(results > 100, "{results} results");
}

/// Constants leave a memory after their last reader there, as they can be fetched again, and results once they are
/// written to DRAM. Data with later readers elsewhere leaves at some time after its last use.
#[test]
fn nothing_stays_longer_than_it_is_needed() {
    let (mut constants, mut computed, mut results) = (0, 0, 0);
    for_all(127, 60, true, |case, problem, found| {
        let SchedulingProblem { graph, system, .. } = *problem;
        let dram = system.dram_memory();
        let end = |tile: TileId| cycle(found.tiles[tile].unwrap().end);
        // All uses of a tensor in a memory, with their ends.
        let mut touched: BTreeMap<TensorId, Vec<(TopMemoryId, u64)>> = BTreeMap::new();
        let mut touch = |tensor: TensorId, memory: TopMemoryId, end: u64| {
            touched.entry(tensor).or_default().push((memory, end));
        };
        for tile in found.tiles.keys() {
            reads(problem, tile).into_iter().for_each(|(tensor, memory)| touch(tensor, memory, end(tile)));
            let output = graph.tensor(tile, Operand::O);
            output.into_iter().for_each(|output| touch(output, home(problem, tile, Operand::O), end(tile)));
        }
        for transfer in &found.transfers {
            [transfer.source, transfer.memory].into_iter().for_each(|memory| {
                touch(transfer.tensor, memory, cycle(transfer.span.end));
            });
        }
        for ((tensor, memory), stays) in stays(found).into_iter().filter(|((_, memory), _)| *memory != dram) {
            let (left, touched) = (stays.last().unwrap().end, &touched[&tensor]);
            let here = touched.iter().filter(|touch| touch.0 == memory).map(|touch| touch.1).max().unwrap();
            let is_read = found.tiles.keys().any(|tile| reads(problem, tile).iter().any(|read| read.0 == tensor));
            match (graph.tensors[tensor].is_output, is_read) {
                (false, _) => assert_eq!(left, here, "{case}: constant {tensor} in memory {memory}"),
                (true, false) => assert_eq!(left, here, "{case}: result {tensor} in memory {memory}"),
                (true, true) => assert!(here <= left && left < u64::MAX, "{case}: {tensor} in memory {memory}: {left}"),
            }
            constants += usize::from(!graph.tensors[tensor].is_output);
            computed += usize::from(is_read && graph.tensors[tensor].is_output);
            results += usize::from(!is_read);
        }
    });
    assert!(constants > 300 && computed > 300 && results > 100, "{constants}, {computed}, {results}");
}
