//! Many cores: properties of every schedule; random networks and systems.

use fusescape_engine::hardware::Operand;
use fusescape_engine::ids::{TiSlice, TiVec, ti_vec};
use fusescape_engine::multicore::{
    Carrier, CoreId, CoreLink, CoreTopMemory, CoresAccount, CoresEnergyCause, CoresSchedule, CutLayer, DramStream,
    Edge, GroupId, LinkId, LoopCuts, NestId, Offchip, PlacedTile, SchedulingProblem, SchedulingRules, System, TensorId,
    Tile, TileGraph, TileId, TileNumber, TilePriority, TileTensor, TiledNetwork, TilingRules, TopMemoryId, Transfer,
    TransferCost, TransferReason, schedule, tile_graph,
};
use fusescape_engine::units::{Bits, BitsPerCycle, Cycles};
use fusescape_engine::workload::Dim;
use fusescape_test_support::nests::{addition, convolution};
use fusescape_test_support::random::{Lcg, oracle_cases};
use std::ops::Range;

/// Tiles run as early as they can, and nothing is prefetched.
pub fn earliest<'a>(
    network: &'a TiledNetwork,
    system: &'a System,
    placed: &'a TiSlice<TileId, PlacedTile>,
) -> SchedulingProblem<'a> {
    let (order, rules) = (TilePriority::EarliestReady, SchedulingRules::CORRECTED);
    SchedulingProblem { graph: &network.graph, system, placed, order, prefetched: &[], rules }
}

pub fn rounds() -> u64 {
    oracle_cases(300)
}

/// Networks of a few layers on up to four cores: the results are complete, in order, and never use anything twice.
#[test]
fn schedules_keep_to_memories_links_cores_and_dependencies() {
    let mut random = Lcg(11);
    let mut scheduled = 0;
    for round in 0..rounds() {
        let layers = random_network(&mut random);
        let network = tile_graph(&layers, TilingRules::CORRECTED);
        let system = random_system(&mut random);
        let placed = random_placement(&mut random, &network, &system);
        let rank = ranks(&network);
        let orders = [TilePriority::Ranks(&rank), TilePriority::EarliestReady];
        let prefetched: &[Operand] = if random.below(2) == 0 { &[] } else { &[Operand::W] };
        let order = orders[random.below(2) as usize];
        let job = SchedulingProblem { order, prefetched, ..earliest(&network, &system, &placed) };
        let Ok(found) = schedule(job) else { continue };
        scheduled += 1;
        check(&job, &found, round);
        assert_eq!(found, schedule(job).unwrap(), "round {round}: the same every time");
    }
    assert!(scheduled > rounds() / 2, "only {scheduled} of {} can be scheduled at all", rounds());
}

/// A link with less bandwidth than the stream of a tile makes the tile take longer; the bits of the stream do not
/// change.
#[test]
fn tiles_that_narrow_links_slow_down_stream_as_much_as_others() {
    let mut random = Lcg(23);
    let mut slowed = 0;
    for round in 0..rounds() {
        let layers = random_network(&mut random);
        let network = tile_graph(&layers, TilingRules::CORRECTED);
        let system = random_system(&mut random);
        let placed = random_placement(&mut random, &network, &system);
        let problem = earliest(&network, &system, &placed);
        let Ok(found) = schedule(problem) else { continue };
        let names = (0..layers.len()).map(|layer| format!("layer {layer}")).collect();
        let account = CoresAccount::new(problem, &found, names, &ti_vec![1.0; placed.len()]);
        for stream in &found.streams {
            let PlacedTile { cycles, offchip: Offchip { to, from }, .. } = placed[stream.tile];
            let expected = [to, from].map(|demand| (demand * cycles).0 as u64).into_iter().sum::<u64>();
            let of_tile = account.transfers.iter().filter(|run| run.tile == stream.tile);
            let streamed = of_tile.filter(|run| matches!(run.cost, TransferCost::Stream(_)));
            assert_eq!(streamed.map(|run| run.bits).sum::<u64>(), expected, "round {round}, tile {}", stream.tile);
            slowed += usize::from(stream.slower > 1.0);
        }
    }
    assert!(slowed > 50, "only {slowed} tiles are slowed down");
}

/// Tiles that wait only for their core, the tiles before them and their streams, placed one by one at the first time at
/// which every link has bandwidth for the whole stream. Times and loads are whole numbers or halves, so that nothing is
/// rounded.
#[test]
fn streams_begin_as_soon_as_all_links_have_room_for_them_and_slow_tiles_down_only_where_links_are_too_narrow() {
    let mut random = Lcg(29);
    let (mut waiting, mut beside, mut slowed) = (0, 0, 0);
    for round in 0..rounds() {
        let nest = convolution(None, (2, 12, 5), 4, 1, (1, (3, 1)));
        let split = LoopCuts { in_time: vec![(Dim::OY, 1 + random.below(6))], over_cores: vec![(Dim::K, 4)] };
        let network = tile_graph(&ti_vec![CutLayer { nest, split, cores: 4 }], TilingRules::CORRECTED);
        let system = system_of_ports(&mut random);
        let place = |_| {
            let halves = [(0, 8), (8, 8), (16, 16), (32, 32), (64, 64), (8, 16), (1, 15), (15, 1), (0, 64), (128, 0)];
            let (to, from) = random.of(&halves.map(|(to, from)| (f64::from(to) / 2.0, f64::from(from) / 2.0)));
            PlacedTile {
                core: CoreId::from(random.below(3) as usize),
                cycles: Cycles(8.0 * (1 + random.below(12)) as f64),
                too_large: Operand::ALL.to_vec(),
                offchip: Offchip { to: BitsPerCycle(to), from: BitsPerCycle(from) },
                ..PlacedTile::default()
            }
        };
        let placed: TiVec<TileId, PlacedTile> = (0..network.graph.tiles.len()).map(place).collect();
        let rank = ranks(&network);
        let found = schedule(SchedulingProblem {
            graph: &network.graph,
            system: &system,
            placed: &placed,
            order: TilePriority::Ranks(&rank),
            prefetched: &[],
            rules: SchedulingRules::CORRECTED,
        })
        .unwrap();
        let mut free: TiVec<CoreId, f64> = ti_vec![0.0; system.cores.len()];
        // Link, first and last time, bits per cycle.
        let mut streams: Vec<(LinkId, Range<f64>, f64)> = Vec::new();
        let mut ends: TiVec<TileId, Option<f64>> = ti_vec![None; placed.len()];
        let is_next = |tile: &TileId, ends: &TiVec<TileId, Option<f64>>| {
            ends[*tile].is_none() && network.graph.predecessors(*tile).all(|edge| ends[edge.from].is_some())
        };
        while let Some(tile) = placed.keys().filter(|tile| is_next(tile, &ends)).min_by_key(|&tile| rank[tile]) {
            let PlacedTile { core, cycles, offchip: Offchip { to, from }, .. } = placed[tile];
            let demand = |link: LinkId| {
                let ways = [(system.route(core, system.dram), to), (system.route(system.dram, core), from)];
                ways.iter().map(|(way, bits)| if way.contains(&link) { bits.0 } else { 0.0 }).sum::<f64>()
            };
            let shortage = system.links.keys().map(|link| demand(link) / system.links[link].bandwidth.0);
            let slower = shortage.fold(1.0, f64::max);
            let length = cycles.0 * slower;
            let has_room = |start: f64| {
                system.links.keys().all(|link| {
                    let meets = |span: &Range<f64>| span.start < start + length && start < span.end;
                    let others = || streams.iter().filter(|other| other.0 == link && meets(&other.1));
                    let used_at =
                        |time: f64| others().filter(|other| other.1.contains(&time)).map(|other| other.2).sum::<f64>();
                    let times = others().map(|other| other.1.start.max(start)).chain([start]);
                    let needed = demand(link) / slower;
                    needed == 0.0
                        || times.into_iter().all(|time| used_at(time) + needed <= system.links[link].bandwidth.0)
                })
            };
            let before = network.graph.predecessors(tile).filter_map(|edge| ends[edge.from]);
            let ready = before.fold(free[core], f64::max);
            let gaps = streams.iter().map(|other| other.1.end).filter(|&end| end > ready);
            let mut starts: Vec<f64> = gaps.chain([ready]).collect();
            starts.sort_by(f64::total_cmp);
            let start = starts.into_iter().find(|&start| has_room(start)).unwrap();
            let span = start..start + length;
            let placed = found.tiles[tile].unwrap();
            assert_eq!(placed.start.0..placed.end.0, span, "round {round}: tile {tile}");
            let stream = found.streams.iter().find(|stream| stream.tile == tile).unwrap();
            assert_eq!((stream.slower, stream.span), (slower, placed), "round {round}: tile {tile}");
            waiting += usize::from(start > ready);
            slowed += usize::from(slower > 1.0);
            beside += usize::from(streams.iter().any(|other| other.1.contains(&start)));
            (free[core], ends[tile]) = (span.end, Some(span.end));
            let loads = system.links.keys().map(|link| (link, span.clone(), demand(link) / slower));
            streams.extend(loads.filter(|load| load.2 > 0.0));
        }
    }
    assert!(waiting.min(beside).min(slowed) > 200, "{waiting} wait, {beside} are not alone, {slowed} are slowed down");
}

/// Three cores, each with links of its own to one port of DRAM or two.
fn system_of_ports(random: &mut Lcg) -> System {
    let dram = CoreId::from(3_usize);
    let memory = |core: CoreId| CoreTopMemory {
        name: format!("memory {core}"),
        capacity: Bits(if core == dram { 1 << 40 } else { 1000 }),
        read_width: Bits(8),
        write_width: Bits(8),
        read_pj: 1.0,
        write_pj: 1.0,
        cores: vec![core],
    };
    let mut links: TiVec<LinkId, CoreLink> = TiVec::new();
    let mut link = |bandwidth: u32| {
        links.push_and_get_key(CoreLink {
            name: String::new(),
            bandwidth: BitsPerCycle(bandwidth.into()),
            pj_per_cycle: 1.0,
        })
    };
    let port = link(16);
    let other = if random.below(2) == 0 { port } else { link(16) };
    let mut routes: TiVec<CoreId, TiVec<CoreId, Vec<LinkId>>> = ti_vec![ti_vec![Vec::new(); 4]; 4];
    for core in CoreId::first(3) {
        routes[core][dram] = vec![link(random.of(&[8, 16, 64])), port];
        routes[dram][core] = vec![other, link(random.of(&[8, 16, 64]))];
    }
    System {
        cores: CoreId::first(4).map(|core| format!("core {core}")).collect(),
        memory_of: TopMemoryId::first(4).map(|memory| [memory; 3]).collect(),
        memories: CoreId::first(4).map(memory).collect(),
        links,
        routes,
        dram,
    }
}

/// Each transfer alone: its bits over every link of its way, unless the link carries them at that time for another core
/// anyway, and at both ends every word that is begun.
#[test]
fn energy_of_links_and_memories_adds_up_hop_by_hop() {
    let mut random = Lcg(31);
    let (mut hops, mut shared, mut unread) = (0, 0, 0);
    for round in 0..rounds() {
        let layers = random_network(&mut random);
        let network = tile_graph(&layers, TilingRules::CORRECTED);
        let mut system = random_system(&mut random);
        for link in &mut system.links {
            link.pj_per_cycle = 0.25 * (1 + random.below(40)) as f64;
        }
        for memory in &mut system.memories {
            (memory.read_pj, memory.write_pj) = ((1 + random.below(9)) as f64, (10 + random.below(90)) as f64);
            memory.read_width = Bits(random.of(&[8, 24, 64, 128]));
            memory.write_width = Bits(random.of(&[8, 24, 64, 128]));
        }
        let placed = random_placement(&mut random, &network, &system);
        let prefetched: &[Operand] = if random.below(2) == 0 { &[] } else { &[Operand::W] };
        let problem = SchedulingProblem { prefetched, ..earliest(&network, &system, &placed) };
        let Ok(found) = schedule(problem) else { continue };
        let mut carried: Vec<(LinkId, TensorId, Cycles<f64>)> = Vec::new();
        let mut expected = [[0.0; 2]; TransferReason::ALL.len()];
        let words = |bits: u64, width: Bits| (0..bits).step_by(width.0 as usize).count() as f64;
        for transfer in &found.transfers {
            let bits = network.graph.tensors[transfer.tensor].bits.0;
            let (mut link_pj, mut reads) = (0.0, 1.0);
            let route = system.route(transfer.from, transfer.to);
            for &link in route {
                let hop = (link, transfer.tensor, transfer.span.start);
                if carried.contains(&hop) {
                    shared += 1;
                    if link == route[0] {
                        // The memory has already been read for another core that receives the same data.
                        reads = 0.0;
                        unread += 1;
                    }
                    continue;
                }
                carried.push(hop);
                let CoreLink { bandwidth, pj_per_cycle, .. } = system.links[link];
                link_pj += pj_per_cycle / bandwidth.0 * bits as f64;
                hops += 1;
            }
            let (source, target) = (&system.memories[transfer.source], &system.memories[transfer.memory]);
            assert!(source.cores.contains(&transfer.from) && target.cores.contains(&transfer.to), "round {round}");
            let read_pj = reads * words(bits, source.read_width) * source.read_pj;
            let memory_pj = read_pj + words(bits, target.write_width) * target.write_pj;
            let of_reason = &mut expected[transfer.reason as usize];
            of_reason[0] += link_pj;
            of_reason[1] += memory_pj;
            assert!(is_close(transfer.link_pj, link_pj), "round {round}: {transfer:?} takes {link_pj} pJ of links");
            assert!(
                is_close(transfer.memory_pj, memory_pj),
                "round {round}: {transfer:?} takes {memory_pj} pJ of memories"
            );
        }
        // Data that does not fit on the chip is fetched by its tile.
        expected[TransferReason::Fetch as usize][1] += placed.iter().map(|tile| tile.offchip_pj).sum::<f64>();
        for reason in TransferReason::ALL {
            for (carrier, expected) in [Carrier::Links, Carrier::Memories].into_iter().zip(expected[reason as usize]) {
                let found = found.energy[CoresEnergyCause::Moved(carrier, reason)];
                assert!(is_close(found, expected), "round {round}: {carrier:?}, {reason:?}: {found} and {expected} pJ");
            }
        }
    }
    assert!(
        hops > 1000 && shared > 30 && unread > 30,
        "{hops} hops, {shared} of them shared; {unread} times nothing is read"
    );
}

fn is_close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * expected.abs()
}

fn check(job: &SchedulingProblem<'_>, found: &CoresSchedule, round: u64) {
    let SchedulingProblem { graph, system, placed, .. } = *job;
    let spans: TiVec<TileId, Range<Cycles<f64>>> = found
        .tiles
        .iter()
        .map(|span| span.unwrap_or_else(|| panic!("round {round}: a tile is missing")))
        .map(|span| span.start..span.end)
        .collect();
    for (memory, steps) in found.memories.iter_enumerated() {
        let capacity = system.memories[memory].capacity.0;
        let peak = steps.iter().map(|step| step.1).max().unwrap();
        assert!(peak <= capacity, "round {round}: {peak} bits in memory {memory} of {capacity}");
    }
    for core in system.cores.keys() {
        let of_core = |tile: &TileId| placed[*tile].core == core;
        are_apart(spans.keys().filter(of_core).map(|tile| spans[tile].clone()), || {
            format!("round {round}: core {core}")
        });
    }
    for link in system.links.keys() {
        let carries = |transfer: &&Transfer| {
            system.route(transfer.from, transfer.to).contains(&link) && transfer.span.end > transfer.span.start
        };
        let mut carried: Vec<(TensorId, Range<Cycles<f64>>)> = found
            .transfers
            .iter()
            .filter(carries)
            .map(|transfer| (transfer.tensor, transfer.span.start..transfer.span.end))
            .collect();
        // Simultaneous receivers of the same data share it.
        carried.sort_by(|a, b| (a.0, a.1.start).partial_cmp(&(b.0, b.1.start)).unwrap());
        carried.dedup_by(|a, b| a.0 == b.0 && a.1.start == b.1.start);
        let streamed = streams_over(job, found, link);
        for time in carried.iter().map(|one| one.1.start).chain(streamed.iter().map(|one| one.0.start)) {
            let whole = carried.iter().filter(|one| one.1.contains(&time)).map(|_| system.links[link].bandwidth.0);
            let part = streamed.iter().filter(|one| one.0.contains(&time)).map(|one| one.1);
            let used: f64 = whole.chain(part).sum();
            let bandwidth = system.links[link].bandwidth.0;
            assert!(used <= bandwidth * (1.0 + 1e-9), "round {round}: link {link} carries {used} of {bandwidth}");
        }
        are_apart(carried.into_iter().map(|one| one.1), || format!("round {round}: link {link}"));
    }
    for edge in graph.edges() {
        assert!(spans[edge.from].end <= spans[edge.to].start, "round {round}: {edge:?} is out of order");
    }
    let home = |tile: TileId, operand: Operand| {
        let is_streamed = placed[tile].too_large.contains(&operand);
        if is_streamed { system.dram_memory() } else { system.memory_of[placed[tile].core][operand as usize] }
    };
    let is_made = |tensor: TensorId, memory: TopMemoryId, time: Cycles<f64>| {
        spans.keys().any(|maker| {
            let is_output = graph.tensor(maker, Operand::O) == Some(tensor);
            is_output && home(maker, Operand::O) == memory && spans[maker].end <= time
        })
    };
    let is_brought = |tensor: TensorId, memory: TopMemoryId, time: Cycles<f64>| {
        let brings =
            |transfer: &Transfer| transfer.tensor == tensor && transfer.memory == memory && transfer.span.end <= time;
        found.transfers.iter().any(brings)
    };
    // Transferred data exists before.
    for transfer in &found.transfers {
        let Transfer { tensor, source, span, .. } = *transfer;
        let is_constant = source == system.dram_memory() && !graph.tensors[tensor].is_output;
        assert!(
            is_constant || is_made(tensor, source, span.start) || is_brought(tensor, source, span.start),
            "round {round}: {transfer:?} begins before the tensor is there"
        );
    }
    // The data that a tile reads is present in time.
    for (tile, span) in spans.iter_enumerated() {
        let constants =
            graph.tiles[tile].constants.iter().map(|&operand| (graph.tensor(tile, operand).unwrap(), operand));
        let computed = graph
            .predecessors(tile)
            .filter_map(|edge| Some((graph.tensor(edge.from, Operand::O).unwrap(), edge.operand?)));
        for (tensor, operand) in constants.chain(computed) {
            let memory = home(tile, operand);
            let is_constant = memory == system.dram_memory() && graph.tiles[tile].constants.contains(&operand);
            assert!(
                is_constant || is_made(tensor, memory, span.start) || is_brought(tensor, memory, span.start),
                "round {round}: tile {tile} reads {tensor} that is not there"
            );
        }
    }
    let ends = spans.iter().map(|span| span.end).chain(found.transfers.iter().map(|transfer| transfer.span.end));
    assert_eq!(found.latency, ends.fold(Cycles::ZERO, Cycles::max));
    let energy = &found.energy;
    assert!(CoresEnergyCause::ALL.iter().all(|&cause| energy[cause] >= 0.0));
    let onchip: f64 = placed.iter().map(|tile| tile.onchip_pj).sum();
    assert!((energy[CoresEnergyCause::OnChip] - onchip).abs() <= 1e-9 * onchip, "round {round}: every tile once");
}

/// The times at which tiles stream over a link, with bits per cycle.
fn streams_over(job: &SchedulingProblem<'_>, found: &CoresSchedule, link: LinkId) -> Vec<(Range<Cycles<f64>>, f64)> {
    let SchedulingProblem { system, placed, .. } = *job;
    let of_stream = |stream: &DramStream| {
        let PlacedTile { core, offchip: Offchip { to, from }, .. } = placed[stream.tile];
        let ways = [(system.route(core, system.dram), to), (system.route(system.dram, core), from)];
        let bits = ways.iter().map(|(way, bits)| if way.contains(&link) { bits.0 } else { 0.0 }).sum::<f64>();
        (stream.span.start..stream.span.end, bits / stream.slower)
    };
    found.streams.iter().map(of_stream).collect()
}

fn are_apart(spans: impl Iterator<Item = Range<Cycles<f64>>>, what: impl Fn() -> String) {
    let mut spans: Vec<Range<Cycles<f64>>> = spans.collect();
    spans.sort_by(|a, b| a.start.0.total_cmp(&b.start.0));
    for pair in spans.windows(2) {
        assert!(pair[0].end <= pair[1].start, "{}: {:?} and {:?}", what(), pair[0], pair[1]);
    }
}

/// Weights fill the memory of a computed tensor until they are evicted, and the memory does not change while it is
/// computed.
#[test]
fn a_tensor_that_fits_only_after_evictions_does_not_travel_before_it_is_there() {
    let tile = |layer: usize, number: usize, weights: Option<usize>, output: usize| Tile {
        layer: NestId::from(layer),
        number: TileNumber::from(number),
        group: GroupId::from(number),
        tensors: [weights.map(TensorId::from), None, Some(TensorId::from(output))],
        constants: weights.iter().map(|_| Operand::W).collect(),
        is_final: true,
    };
    let tiles = vec![tile(0, 0, Some(0), 1), tile(1, 0, Some(2), 3), tile(1, 1, Some(2), 4), tile(2, 0, None, 5)];
    let tensor = |bits: u64, uses: u64| TileTensor { bits: Bits(bits), uses, is_output: uses == 0 };
    let tensors = [(8, 1), (150, 0), (800, 2), (50, 0), (50, 0), (50, 0)].map(|(bits, uses)| tensor(bits, uses));
    let read = Edge { from: TileId::from(0), to: TileId::from(3), operand: Some(Operand::I) };
    let graph = TileGraph::new(tiles.into(), tensors.to_vec().into(), vec![read]);
    let memory = |core: usize, capacity: u64| CoreTopMemory {
        name: format!("memory {core}"),
        capacity: Bits(capacity),
        read_width: Bits(10),
        write_width: Bits(10),
        read_pj: 1.0,
        write_pj: 1.0,
        cores: vec![CoreId::from(core)],
    };
    let link = |name: &str| CoreLink { name: name.to_owned(), bandwidth: BitsPerCycle(10.0), pj_per_cycle: 1.0 };
    let routes = [[None, Some(0), Some(1)], [Some(0), None, Some(1)], [Some(2), Some(2), None]];
    let routes = routes.map(|to| TiVec::from(to.map(|link| link.into_iter().map(LinkId::from).collect()).to_vec()));
    let system = System {
        cores: vec!["first".to_owned(), "second".to_owned(), "dram".to_owned()].into(),
        memory_of: (0..3).map(|core| [TopMemoryId::from(core); 3]).collect(),
        memories: vec![memory(0, 1000), memory(1, 900), memory(2, 1 << 30)].into(),
        links: vec![link("between"), link("to dram"), link("from dram")].into(),
        routes: routes.to_vec().into(),
        dram: CoreId::from(2),
    };
    let on = |core: usize, cycles: f64| PlacedTile {
        core: CoreId::from(core),
        cycles: Cycles(cycles),
        ..PlacedTile::default()
    };
    let placed: TiVec<TileId, PlacedTile> = vec![on(0, 100.0), on(1, 10.0), on(1, 10.0), on(1, 10.0)].into();
    // The other tile that reads the weights is the last, so that they stay.
    let rank: TiVec<TileId, usize> = vec![0, 1, 3, 2].into();
    let begins = |rules: SchedulingRules| {
        let order = TilePriority::Ranks(&rank);
        let job = SchedulingProblem { graph: &graph, system: &system, placed: &placed, order, prefetched: &[], rules };
        let found = schedule(job).unwrap();
        let travels = |transfer: &&Transfer| transfer.tensor == TensorId::from(1);
        let made = found.tiles[TileId::from(0)].unwrap().end;
        (made, found.transfers.iter().find(travels).unwrap().span.start)
    };
    let (made, begin) = begins(SchedulingRules::CORRECTED);
    assert_eq!(begin, made);
    let (made, begin) = begins(SchedulingRules { makes_room_too_early: true, ..SchedulingRules::CORRECTED });
    assert!(begin < made, "the tool's rule lets it travel at {begin:?}, though it is there only at {made:?}");
}

/// Every pair of tiles by itself, element by element along each axis; and every iteration of every layer in exactly one tile.
/// Convolutions one after the other and additions of two before, cut in rows, channels, or not.
pub fn random_network(random: &mut Lcg) -> TiVec<NestId, CutLayer> {
    let mut layers: TiVec<NestId, CutLayer> = TiVec::new();
    let count = 2 + random.below(3) as usize;
    let mut shape = (2 + random.below(3), 6 + random.below(8), 5 + random.below(6));
    for index in 0..count {
        let source = layers.last_key();
        let alike =
            |layer: &CutLayer| layer.nest.output.axes[1..].iter().map(|axis| axis.size).eq([shape.0, shape.1, shape.2]);
        let other = NestId::first(index.saturating_sub(1)).rev().find(|&other| alike(&layers[other]));
        let nest = match (source, other) {
            (Some(source), Some(other)) if random.below(2) == 0 => addition([source, other], shape),
            _ => {
                let groups = if random.below(3) == 0 && shape.0.is_multiple_of(2) { 2 } else { 1 };
                let stride = 1 + random.below(2);
                let taps = [(3, 1), (1, 1), (2, 2), (2, 3)][random.below(4) as usize];
                let nest = convolution(source, shape, groups * (1 + random.below(3)), groups, (stride, taps));
                shape = (nest.size(Dim::K) * groups, nest.size(Dim::OY), nest.size(Dim::OX));
                nest
            }
        };
        let cut = |random: &mut Lcg, dim: Dim| (dim, 1 + random.below(nest.size(dim)));
        let mut in_time = vec![cut(random, Dim::OY)];
        if random.below(3) == 0 {
            in_time.push(cut(random, Dim::OX));
        }
        let over_cores = if random.below(2) == 0 { vec![cut(random, Dim::K), cut(random, Dim::G)] } else { Vec::new() };
        layers.push(CutLayer { nest, split: LoopCuts { in_time, over_cores }, cores: 2 });
    }
    layers
}

/// Cores in a ring, with DRAM at a port that all share, or at one for each direction.
pub fn random_system(random: &mut Lcg) -> System {
    let count = 1 + random.below(4) as usize;
    let capacity = 1500 + random.below(6000);
    let (read_width, write_width) = random.of(&[(64, 32), (64, 32), (8, 32), (64, 8)]);
    let memory = |name: String, capacity_bits: u64, core: CoreId| CoreTopMemory {
        name,
        capacity: Bits(capacity_bits),
        read_width: Bits(read_width),
        write_width: Bits(write_width),
        read_pj: 2.0,
        write_pj: 3.0,
        cores: vec![core],
    };
    let mut memories: TiVec<TopMemoryId, CoreTopMemory> = TiVec::new();
    let mut memory_of: TiVec<CoreId, [TopMemoryId; 3]> = TiVec::new();
    for core in CoreId::first(count) {
        if random.below(2) == 0 {
            let all = memories.push_and_get_key(memory(format!("all {core}"), 2 * capacity, core));
            memory_of.push([all; 3]);
        } else {
            let weights = memories.push_and_get_key(memory(format!("weights {core}"), capacity, core));
            let features = memories.push_and_get_key(memory(format!("features {core}"), capacity, core));
            memory_of.push([weights, features, features]);
        }
    }
    let dram = memory_of.next_key();
    memory_of.push([memories.push_and_get_key(memory("dram".to_owned(), 1 << 40, dram)); 3]);
    let has_two_ports = random.below(2) == 0;
    let mut links: TiVec<LinkId, CoreLink> = (0..2)
        .map(|port| CoreLink { name: format!("port {port}"), bandwidth: BitsPerCycle(16.0), pj_per_cycle: 1.0 })
        .collect();
    let [port, other] = [0, usize::from(has_two_ports)].map(LinkId::from);
    let mut routes: TiVec<CoreId, TiVec<CoreId, Vec<LinkId>>> = ti_vec![ti_vec![Vec::new(); count + 1]; count + 1];
    for core in CoreId::first(count) {
        routes[core][dram] = vec![port];
        routes[dram][core] = vec![other];
    }
    // Each neighbour by a link of its own, others by the links on the way.
    let hop = |core: usize| LinkId::from(core + 2);
    for core in 0..count {
        links.push(CoreLink {
            name: format!("hop {core}"),
            bandwidth: BitsPerCycle(8.0 + 8.0 * (core % 2) as f64),
            pj_per_cycle: 0.5,
        });
    }
    for from in 0..count {
        for steps in 1..count {
            routes[CoreId::from(from)][CoreId::from((from + steps) % count)] =
                (0..steps).map(|step| hop((from + step) % count)).collect();
        }
    }
    let cores = (0..count).map(|core| format!("core {core}")).chain(["dram".to_owned()]).collect();
    System { cores, memory_of, memories, links, routes, dram }
}

pub fn random_placement(random: &mut Lcg, network: &TiledNetwork, system: &System) -> TiVec<TileId, PlacedTile> {
    let cores = system.dram.index() as u64;
    let place = |_| {
        let streams = random.below(8) == 0;
        let too_large = [Operand::W, Operand::I, Operand::O][random.below(3) as usize];
        PlacedTile {
            core: CoreId::from(random.below(cores) as usize),
            cycles: Cycles(1.0 + random.below(200) as f64),
            onchip_pj: 1.0 + random.below(50) as f64,
            offchip_pj: if streams { 7.0 } else { 0.0 },
            too_large: if streams { vec![too_large] } else { Vec::new() },
            // At times, more than the bandwidth of a port.
            offchip: if streams {
                let mut most = |bits| BitsPerCycle(random.below(bits) as f64);
                Offchip { to: most(12), from: most(24) }
            } else {
                Offchip::default()
            },
        }
    };
    (0..network.graph.tiles.len()).map(place).collect()
}

/// The deepest layer first.
pub fn ranks(network: &TiledNetwork) -> TiVec<TileId, usize> {
    let count = network.graph.tiles.len();
    (0..count).map(|tile| count - 1 - tile).collect()
}

/// Files and messages contain the numbers themselves.
#[test]
fn ids_are_written_as_their_numbers() {
    let numbers = [0, 7, 300, 70_000];
    let tiles: Vec<TileId> = numbers.map(TileId::from).to_vec();
    assert_eq!(serde_json::to_string(&tiles).unwrap(), serde_json::to_string(&numbers).unwrap());
    let bytes = postcard::to_stdvec(&tiles).unwrap();
    assert_eq!(bytes, postcard::to_stdvec(&numbers.to_vec()).unwrap());
    assert_eq!(postcard::from_bytes::<TiVec<CoreId, TileId>>(&bytes).unwrap().raw, tiles);
}
