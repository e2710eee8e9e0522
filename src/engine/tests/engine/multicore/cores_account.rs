//! The account of a schedule on many cores states, for every transfer, whose data it carries, and which links carried
//! that anyway.

use super::schedules::{earliest, random_network, random_placement, random_system};
use fusescape_engine::hardware::Operand;
use fusescape_engine::ids::{TiVec, ti_vec};
use fusescape_engine::multicore::{
    CoreTimeCause, CoresAccount, CoresSchedule, HeldTensors, SchedulingProblem, TensorId, TileGraph, TileId,
    TilingRules, TopMemoryId, TransferCost, TransferId, TransferRun, schedule, schedule_with_contents, tile_graph,
};
use fusescape_test_support::random::{Lcg, oracle_cases};
use std::collections::BTreeMap;

/// The tile that computes a tensor, or else the first that reads it, with the operand.
fn whose(graph: &TileGraph, tensor: TensorId) -> (TileId, Operand) {
    let having = |operand: Operand| graph.tiles.keys().find(|tile| graph.tensor(*tile, operand) == Some(tensor));
    let [read_as_weights, read_as_inputs, made] = Operand::ALL.map(|operand| Some((having(operand)?, operand)));
    made.unwrap_or_else(|| [read_as_weights, read_as_inputs].into_iter().flatten().min_by_key(|found| found.0).unwrap())
}

#[test]
fn transfers_are_of_the_tile_that_computes_their_tensor_or_of_the_first_that_reads_it() {
    let mut random = Lcg(37);
    let (mut made, mut read_by_several, mut shared) = (0, 0, 0);
    for round in 0..oracle_cases(200) {
        let layers = random_network(&mut random);
        let network = tile_graph(&layers, TilingRules::CORRECTED);
        let graph = &network.graph;
        let system = random_system(&mut random);
        let mut placed = random_placement(&mut random, &network, &system);
        placed.iter_mut().for_each(|tile| tile.too_large.clear());
        let problem = earliest(&network, &system, &placed);
        let Ok(found) = schedule(problem) else { continue };
        let names = (0..layers.len()).map(|layer| format!("layer {layer}")).collect();
        let account = CoresAccount::new(problem, &found, names, &ti_vec![1.0; placed.len()]);
        // The account lists them by their beginning, those of one cycle in the order of their decision.
        let mut transfers: Vec<usize> = (0..found.transfers.len()).collect();
        transfers.sort_by(|a, b| found.transfers[*a].span.start.0.total_cmp(&found.transfers[*b].span.start.0));
        assert_eq!(account.transfers.len(), transfers.len(), "round {round}");
        for (run, number) in account.transfers.iter().zip(transfers) {
            let transfer = &found.transfers[number];
            let (tile, operand) = whose(graph, transfer.tensor);
            let expected = (graph.tiles[tile].layer, operand, tile, graph.tensors[transfer.tensor].bits.0);
            assert_eq!((run.layer, run.operand, run.tile, run.bits), expected, "round {round}: {transfer:?}");
            let is_earlier = |link: &_| {
                found.transfers[..number].iter().any(|other| {
                    (other.tensor, other.span.start) == (transfer.tensor, transfer.span.start)
                        && system.route(other.from, other.to).contains(link)
                })
            };
            let route = system.route(transfer.from, transfer.to);
            let carried: Vec<_> = route.iter().copied().filter(is_earlier).collect();
            let TransferCost::Tensor { shared: ref found, .. } = run.cost else { panic!("{:?}", run.cost) };
            assert_eq!(*found, carried, "round {round}: {transfer:?}");
            shared += carried.len();
            made += usize::from(operand == Operand::O);
            let readers = graph.tiles.keys().filter(|tile| graph.tensor(*tile, operand) == Some(transfer.tensor));
            read_by_several += usize::from(operand != Operand::O && readers.count() > 1);
        }
    }
    assert!(made.min(read_by_several) > 300 && shared > 20, "{made}, {read_by_several}, {shared}");
}

/// Number of copies of each tensor in a memory at a cycle.
fn inside(found: &CoresSchedule, memory: TopMemoryId, cycle: i64) -> BTreeMap<TensorId, i64> {
    let mut inside = BTreeMap::new();
    for change in found.contents.iter().filter(|change| change.memory == memory && change.time.0 as i64 <= cycle) {
        *inside.entry(change.tensor).or_insert(0) += if change.comes { 1 } else { -1 };
    }
    inside
}

/// Checks one account of a schedule: its name, problem, schedule, account, and the bits of its tensors.
type Judge<'a> = dyn FnMut(&str, SchedulingProblem<'_>, &CoresSchedule, &CoresAccount, &[f64]) + 'a;

/// The account of random schedules, with its inputs.
fn each_account(check: &mut Judge<'_>) {
    let mut random = Lcg(41);
    for round in 0..oracle_cases(60) {
        let layers = random_network(&mut random);
        let network = tile_graph(&layers, TilingRules::CORRECTED);
        let system = random_system(&mut random);
        let placed = random_placement(&mut random, &network, &system);
        let problem = earliest(&network, &system, &placed);
        let Ok(found) = schedule_with_contents(problem) else { continue };
        let names = (0..layers.len()).map(|layer| format!("layer {layer}")).collect();
        let computing: Vec<f64> = placed.iter().map(|tile| random.below(2 * tile.cycles.0 as u64) as f64).collect();
        let table: TiVec<TileId, f64> = computing.iter().copied().collect();
        let account = CoresAccount::new(problem, &found, names, &table);
        check(&format!("round {round}"), problem, &found, &account, &computing);
    }
}

#[test]
fn memories_hold_what_came_and_has_not_left() {
    let (mut cycles, mut ties) = (0, 0);
    each_account(&mut |round, problem, found, account, _| {
        let graph = problem.graph;
        let on_chip: Vec<TopMemoryId> =
            problem.system.memories.keys().filter(|memory| *memory != problem.system.dram_memory()).collect();
        let held = |memory: TopMemoryId, cycle: i64| {
            let mut held: BTreeMap<_, (u64, _)> = BTreeMap::new();
            for (tensor, count) in inside(found, memory, cycle) {
                let (tile, operand) = whose(graph, tensor);
                let bits = graph.tensors[tensor].bits.0;
                if count > 0 && bits > 0 {
                    let key = (graph.tiles[tile].layer, operand as usize, bits);
                    held.entry(key).or_insert((0, operand)).0 += count as u64;
                }
            }
            let tensors = held.into_iter();
            tensors
                .map(|((layer, _, bits), (count, operand))| HeldTensors { layer, operand, bits, count })
                .collect::<Vec<_>>()
        };
        let mut changes: Vec<i64> = found.contents.iter().map(|change| change.time.0 as i64).collect();
        changes.sort_unstable();
        changes.dedup();
        let all_at = |cycle: i64| account.memories.iter().map(|memory| memory.used_at(cycle)).sum::<u64>();
        let most = changes.iter().map(|&cycle| all_at(cycle)).max().unwrap_or(0);
        let when = changes.iter().copied().find(|&cycle| all_at(cycle) == most).filter(|_| most > 0).unwrap_or(0);
        assert_eq!(account.peak(), (when, most), "{round}");
        ties += usize::from(changes.iter().filter(|&&cycle| all_at(cycle) == most).count() > 1);
        for (of, &memory) in account.memories.iter().zip(&on_chip) {
            assert_eq!(of.peak_bits, changes.iter().map(|&cycle| of.used_at(cycle)).max().unwrap_or(0), "{round}");
            let first = changes.iter().copied().find(|&cycle| of.used_at(cycle) == of.peak_bits).unwrap_or(0);
            assert_eq!(of.at_peak.as_ref().unwrap(), &held(memory, first), "{round}");
            assert_eq!(of.at_peak_of_all.as_ref().unwrap(), &held(memory, when), "{round}");
            let listed = of.changes.as_ref().unwrap();
            assert!(listed.iter().all(|change| change.bits != 0), "{round}");
            assert!(listed.is_sorted_by_key(|change| change.cycle), "{round}");
            for &cycle in &changes {
                let found = of.held_at(cycle).unwrap();
                assert!(found.is_sorted_by_key(|held| std::cmp::Reverse(held.2)), "{round}");
                let mut bits: BTreeMap<_, u64> = BTreeMap::new();
                for HeldTensors { layer, operand, bits: each, count } in held(memory, cycle) {
                    *bits.entry((layer, operand as usize)).or_insert(0) += each * count;
                }
                let found: BTreeMap<_, u64> =
                    found.into_iter().map(|(layer, operand, bits)| ((layer, operand as usize), bits)).collect();
                assert_eq!(found, bits, "{round}, cycle {cycle}");
                assert_eq!(of.used_at(cycle), bits.values().sum::<u64>(), "{round}, cycle {cycle}");
                cycles += 1;
            }
        }
    });
    assert!(cycles > 3_000 && ties > 0, "{cycles}, {ties}");
}

/// Between two times at which a transfer or tile begins or ends, a core does one thing, and a link is used or not.
#[test]
fn every_moment_of_a_core_has_one_cause_and_links_are_busy_while_something_is_on_them() {
    let (mut idle_at_the_end, mut overlapping, mut stretched) = (0, 0, 0);
    each_account(&mut |round, problem, found, account, computing| {
        let slower: Vec<_> = {
            let streams = found.streams.iter().filter(|stream| stream.slower > 1.0);
            let mut slower: Vec<_> = streams.map(|stream| (stream.tile, stream.slower)).collect();
            slower.sort_by_key(|of| of.0);
            slower
        };
        let ways = found.streams.iter().map(|stream| problem.placed[stream.tile].offchip);
        let moving: usize = ways.map(|way| usize::from(way.to.0 > 0.0) + usize::from(way.from.0 > 0.0)).sum();
        let listed = account.transfers.iter().filter(|run| matches!(run.cost, TransferCost::Stream(_)));
        assert_eq!(listed.count(), moving, "{round}");
        assert_eq!(account.slower, slower, "{round}");
        stretched += slower.len();
        let mut moments: Vec<f64> = account.tiles.iter().flat_map(|run| [run.start, run.end]).collect();
        moments.extend(account.transfers.iter().flat_map(|run| [run.start, run.end]));
        moments.extend([0.0, account.latency_cycles]);
        moments.sort_by(f64::total_cmp);
        moments.dedup();
        let same = |a: f64, b: f64| (a - b).abs() <= 1e-6 * account.latency_cycles;
        for (core, time) in account.cores.iter_enumerated() {
            let tiles = || account.tiles.iter_enumerated().filter(|(_, run)| run.core == core);
            let (mut idle, mut transferring, mut works) = (0.0, 0.0, 0.0);
            for pair in moments.windows(2) {
                let (from, to) = (pair[0], pair[1]);
                let length = to - from;
                let next = tiles().filter(|(_, run)| run.start >= to).min_by(|a, b| a.1.start.total_cmp(&b.1.start));
                let is_ready = |tile: TileId| {
                    let before = problem.graph.predecessors(tile).filter(|edge| edge.operand.is_some());
                    before.map(|edge| account.tiles[edge.from].end).all(|end| end <= from)
                };
                match next {
                    _ if tiles().any(|(_, run)| run.start <= from && to <= run.end) => works += length,
                    Some((tile, _)) if is_ready(tile) => transferring += length,
                    _ => idle += length,
                }
                idle_at_the_end += usize::from(next.is_none() && length > 0.0);
            }
            let used: f64 = tiles().map(|(tile, run)| computing[tile.index()].min(run.end - run.start)).sum();
            assert!(same(time.cycles[CoreTimeCause::Idle], idle), "{round}, {core:?}: {time:?}, {idle}");
            assert!(same(time.cycles[CoreTimeCause::Transferring], transferring), "{round}, {core:?}: {time:?}");
            assert!(same(time.cycles[CoreTimeCause::Computing], used), "{round}, {core:?}: {time:?}");
            assert!(same(time.cycles[CoreTimeCause::Stalling], works - used), "{round}, {core:?}: {time:?}");
            let starts: Vec<f64> = account.gaps(core).iter().map(|gap| gap.start).collect();
            assert!(starts.is_sorted_by(|a, b| a <= b), "{round}");
        }
        for (link, time) in account.links.iter_enumerated() {
            let over_it = || account.transfers.iter().filter(|run| run.links.contains(&link));
            let spans = account.busy_spans(link);
            assert!(spans.iter().all(|span| span.end > span.start), "{round}");
            assert!(spans.windows(2).all(|pair| pair[0].end <= pair[1].start), "{round}");
            let mut busy = 0.0;
            for pair in moments.windows(2) {
                let on_it = over_it().filter(|run| run.start <= pair[0] && pair[1] <= run.end).count();
                overlapping += usize::from(on_it > 1);
                let is_covered = spans.iter().any(|span| span.start.0 <= pair[0] && pair[1] <= span.end.0);
                assert_eq!(is_covered, on_it > 0, "{round}, {link:?}, {pair:?}");
                busy += if on_it > 0 { pair[1] - pair[0] } else { 0.0 };
            }
            assert!(same(time.busy, busy), "{round}, {link:?}: {} and {busy}", time.busy);
        }
    });
    assert!(idle_at_the_end > 50 && overlapping > 50 && stretched > 5, "{idle_at_the_end}, {overlapping}, {stretched}");
}

#[test]
fn a_tile_is_brought_what_it_reads_by_the_last_transfers_before_it_begins() {
    let mut brought = 0;
    each_account(&mut |round, problem, found, account, _| {
        let (graph, system) = (problem.graph, problem.system);
        for (tile, run) in account.tiles.iter_enumerated() {
            let awaited = found.awaited.iter().find(|awaited| awaited.0 == tile).and_then(|&(_, tensor, memory)| {
                let brings = |transfer: &TransferRun| {
                    let is_there = matches!(transfer.cost, TransferCost::Tensor { target, .. } if target == memory);
                    is_there
                        && graph.tensor(transfer.tile, transfer.operand) == Some(tensor)
                        && transfer.end <= run.start
                };
                account.transfers.iter_enumerated().rfind(|(_, transfer)| brings(transfer)).map(|(id, _)| id)
            });
            assert_eq!(account.awaited_by(tile), awaited, "{round}, {tile:?}");
        }
        for (tile, facts) in graph.tiles.iter_enumerated() {
            let of = &problem.placed[tile];
            let constants = facts.constants.iter().map(|&operand| (graph.tensor(tile, operand), operand));
            let computed =
                graph.predecessors(tile).filter_map(|edge| Some((graph.tensor(edge.from, Operand::O), edge.operand?)));
            let mut expected: Vec<TransferId> = Vec::new();
            for (tensor, operand) in constants.chain(computed) {
                let memory = system.memory_of[of.core][operand as usize];
                let brings = |run: &TransferRun| {
                    let is_there = matches!(run.cost, TransferCost::Tensor { target, .. } if target == memory);
                    is_there && graph.tensor(run.tile, run.operand) == tensor && run.end <= account.tiles[tile].start
                };
                if tensor.is_some() && !of.too_large.contains(&operand) {
                    expected
                        .extend(account.transfers.iter_enumerated().rfind(|(_, run)| brings(run)).map(|(id, _)| id));
                }
            }
            let streams = account.transfers.iter_enumerated().filter(|(_, run)| {
                matches!(run.cost, TransferCost::Stream(_)) && run.tile == tile && run.from == system.cores[system.dram]
            });
            expected.extend(streams.map(|(id, _)| id));
            assert_eq!(account.brought_for(tile), expected, "{round}, {tile:?}");
            brought += expected.len();
        }
    });
    assert!(brought > 1_000, "{brought}");
}

/// For any transfers on a link: a cycle is busy if one of them covers it.
#[test]
fn a_link_is_busy_in_the_cycles_that_transfers_cover() {
    let mut some = None;
    each_account(&mut |_, _, _, account, _| some = some.take().or_else(|| account.transfers.first().cloned()));
    let some = some.unwrap();
    let link = some.links[0];
    let mut random = Lcg(43);
    for round in 0..300 {
        let spans: Vec<(u64, u64)> = (0..random.below(9))
            .map(|_| {
                let start = random.below(40);
                (start, start + random.below(15))
            })
            .collect();
        let run = |&(start, end): &(u64, u64)| TransferRun { start: start as f64, end: end as f64, ..some.clone() };
        let account = {
            let mut account = CoresAccount::default();
            account.transfers = spans.iter().map(run).collect();
            account
        };
        let found = account.busy_spans(link);
        assert!(found.iter().all(|span| span.start < span.end), "round {round}: {spans:?}, {found:?}");
        for cycle in 0..60 {
            let covers = |&(start, end): &(u64, u64)| start <= cycle && cycle < end;
            let is_in = found.iter().filter(|span| span.start.0 <= cycle as f64 && (cycle as f64) < span.end.0).count();
            assert_eq!(is_in, usize::from(spans.iter().any(covers)), "round {round}: {spans:?}, {found:?}");
        }
    }
}
