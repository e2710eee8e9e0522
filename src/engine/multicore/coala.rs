//! COALA: list scheduling of tiles and of the transfers that they need (Stream, Section 4 and Fig. 7). Links follow its
//! communication manager (Section 4.1), memories its memory manager (Section 4.2).
//!
//! Of the tiles whose predecessors are placed, the one of the highest priority is next ([`TilePriority`]). It is placed
//! as early as its core, links and memories allow, in these steps: operands that do not fit on the chip clear its
//! memories; every tensor that it reads is brought to its core; its output gets room, for which tensors of low priority
//! are evicted; it is computed; tensors that it was the last to read are removed.
//!
//! The invariant is that nothing that was placed is moved later. Links and memories are step functions of time, and a
//! transfer may use a gap before transfers that were placed earlier. The result is no optimum: each step is greedy.

use super::causes::{Carrier, CoresEnergyCause, TransferReason};
use super::contents::{MemoryContents, TensorCopy};
use super::graph::{Edge, TileGraph};
use super::ids::{NestId, TensorId, TileId};
use super::link_occupancy::{LinkOccupancy, TimeSpan, WindowRequest, merged};
use super::rules::SchedulingRules;
use super::schedule::{
    CoresSchedule, DramStream, MemoryOverflow, Offchip, PlacedTile, StartConstraint, Transfer, TransferWaits,
};
use super::system::System;
use crate::hardware::Operand;
use crate::ids::{TiSlice, TiVec, ti_vec};
use crate::sorting::{sort_by_key, sort_few_by_key};
use crate::system::{CoreId, LinkId, TopMemoryId};
use crate::units::{Bits, BitsPerCycle, Cycles};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// The input of COALA: a tile graph whose tiles are allocated to the cores of a system.
#[derive(Debug, Clone, Copy)]
pub struct SchedulingProblem<'a> {
    /// Tiles, tensors and dependencies.
    pub graph: &'a TileGraph,
    /// Cores, memories and links.
    pub system: &'a System,
    /// The core and the cost of each tile.
    pub placed: &'a TiSlice<TileId, PlacedTile>,
    /// The priority of tiles whose predecessors are placed.
    pub order: TilePriority<'a>,
    /// Operands that are transferred to their cores before any tile is computed.
    pub prefetched: &'a [Operand],
    /// Rules in which the two schedulers of the public tool differ from each other and from the corrected rules.
    pub rules: SchedulingRules,
}

/// The priority by which candidate tiles are placed.
#[derive(Debug, Clone, Copy)]
pub enum TilePriority<'a> {
    /// The lowest rank first.
    Ranks(&'a TiSlice<TileId, usize>),
    /// The tile whose predecessors end earliest first; among equals the lowest number.
    EarliestReady,
}

/// The schedule of all tiles.
///
/// # Errors
/// A memory in which a tensor does not fit, even after all tensors that may leave it are evicted.
pub fn schedule(problem: SchedulingProblem<'_>) -> Result<CoresSchedule, MemoryOverflow> {
    let mut coala = Coala::new(problem);
    coala.prepare()?;
    coala.run()?;
    Ok(coala.finish())
}

/// As [`schedule`], with a log of the tensors that come into memories and leave them ([`CoresSchedule::contents`]).
///
/// # Errors
/// As [`schedule`].
pub fn schedule_with_contents(problem: SchedulingProblem<'_>) -> Result<CoresSchedule, MemoryOverflow> {
    let mut coala = Coala::new(problem);
    coala.contents.log = Some(Vec::new());
    coala.prepare()?;
    coala.run()?;
    Ok(coala.finish())
}

/// Tiles in the order in which the public tool meets them: first along the edges within a layer, between tiles of one
/// core; then along the edges between two layers, pair by pair.
fn by_dependencies(graph: &TileGraph) -> Vec<TileId> {
    let layer = |tile: TileId| graph.tiles[tile].layer;
    let is_between = |edge: &Edge| edge.operand.is_some();
    let pairs: BTreeSet<(NestId, NestId)> =
        graph.edges().filter(is_between).map(|edge| (layer(edge.from), layer(edge.to))).collect();
    // Layers in topological order (Kahn's algorithm), generation by generation: by the longest way from the input.
    // Within a generation they keep the order in which the last layer that they read was met.
    let mut layers: Vec<NestId> = Vec::new();
    let mut rest: BTreeSet<NestId> = graph.tiles.iter().map(|tile| tile.layer).collect();
    let mut generation: Vec<NestId> =
        rest.iter().copied().filter(|of| pairs.iter().all(|(_, reader)| reader != of)).collect();
    while !generation.is_empty() {
        let mut next: Vec<NestId> = Vec::new();
        for &from in &generation {
            rest.remove(&from);
            layers.push(from);
            let readers = pairs.range((from, NestId::default())..).take_while(|pair| pair.0 == from).map(|pair| pair.1);
            let is_ready = |of: &NestId| pairs.iter().all(|pair| pair.1 != *of || !rest.contains(&pair.0));
            next.extend(readers.filter(is_ready));
        }
        generation = next;
    }
    let rank: FxHashMap<NestId, usize> = layers.iter().enumerate().map(|(rank, of)| (*of, rank)).collect();
    let rank = |tile: TileId| rank.get(&layer(tile)).copied().unwrap_or(usize::MAX);
    let mut edges: Vec<Edge> = graph.edges().collect();
    sort_by_key(&mut edges, |edge| match edge.operand {
        None => (0, rank(edge.from), graph.tiles[edge.from].group.index(), edge.from, edge.to),
        Some(_) => (1, rank(edge.from), layer(edge.to).index(), edge.from, edge.to),
    });
    let mut known = FxHashSet::default();
    let ends = edges.iter().flat_map(|edge| [edge.from, edge.to]).chain(graph.tiles.keys());
    ends.filter(|tile| known.insert(*tile)).collect()
}

/// The state of the scheduler: everything that is placed so far.
struct Coala<'a> {
    problem: SchedulingProblem<'a>,
    contents: MemoryContents<'a>,
    links: TiVec<LinkId, LinkOccupancy>,
    /// End of the last tile placed on each core.
    core_free: TiVec<CoreId, Cycles<f64>>,
    /// The first tile that has each tensor, and the operand that the tensor is of that tile.
    origins: TiVec<TensorId, (TileId, Operand)>,
    /// Layers with a tile that has no successors, neither a reader nor a later tile on its core.
    sinks: FxHashSet<NestId>,
    result: CoresSchedule,
}

/// The beginning of a tile or transfer, and the last cause that moved it.
struct Begins {
    by: StartConstraint,
    time: Cycles<f64>,
}

impl Begins {
    /// Moves the beginning to `time`. `by` is the cause if that is another time than before.
    fn note(&mut self, by: StartConstraint, time: Cycles<f64>) {
        if time != self.time {
            *self = Self { by, time };
        }
    }
}

impl<'a> Coala<'a> {
    fn new(problem: SchedulingProblem<'a>) -> Self {
        let graph = problem.graph;
        let mut origins = ti_vec![(TileId::default(), Operand::O); graph.tensors.len()];
        // From the last tile, so that the first one remains.
        for tile in graph.tiles.keys().rev() {
            for operand in Operand::ALL {
                if let Some(tensor) = graph.tensor(tile, operand) {
                    origins[tensor] = (tile, operand);
                }
            }
        }
        let is_last = |tile: &TileId| graph.successors(*tile).len() == 0;
        Self {
            problem,
            contents: MemoryContents::new(graph, problem.system, problem.rules),
            origins,
            sinks: graph.tiles.keys().filter(is_last).map(|tile| graph.tiles[tile].layer).collect(),
            links: problem.system.links.iter().map(|link| LinkOccupancy::new(link.bandwidth)).collect(),
            core_free: ti_vec![Cycles::ZERO; problem.system.cores.len()],
            result: CoresSchedule {
                tiles: ti_vec![None; problem.graph.tiles.len()],
                begins: ti_vec![StartConstraint::default(); problem.graph.tiles.len()],
                ..CoresSchedule::default()
            },
        }
    }

    /// Counts the uses of all tensors, puts constants into DRAM, and places the transfers of prefetched operands.
    fn prepare(&mut self) -> Result<(), MemoryOverflow> {
        let SchedulingProblem { graph, system, placed, .. } = self.problem;
        let dram = system.dram_memory();
        for (tile, facts) in graph.tiles.iter_enumerated() {
            for edge in graph.successors(tile) {
                if let (Some(operand), Some(output)) = (edge.operand, graph.tensor(tile, Operand::O)) {
                    *self.contents.uses_in(output, self.place_of(edge.to, operand)) += 1;
                }
            }
            // Constants, such as weights and inputs of the network, are in DRAM from the beginning.
            for &operand in facts.constants.iter() {
                let Some(tensor) = graph.tensor(tile, operand) else { continue };
                let everywhere = self.problem.rules.counts_uses_everywhere.then_some(graph.tensors[tensor].uses);
                let uses = self.contents.uses_in(tensor, self.place_of(tile, operand));
                *uses = everywhere.unwrap_or(*uses + 1);
                if self.copy(tensor, dram).is_none() {
                    self.store(tensor, dram, TimeSpan { start: Cycles::ZERO, end: Cycles::ZERO });
                }
            }
            if self.problem.rules.holds_unread_inputs && graph.predecessors(tile).len() == 0 {
                for tensor in [Operand::W, Operand::I].into_iter().filter_map(|operand| graph.tensor(tile, operand)) {
                    self.store(tensor, dram, TimeSpan { start: Cycles::ZERO, end: Cycles::ZERO });
                }
            }
        }
        let tiles = match self.problem.prefetched {
            [] => Vec::new(),
            _ if self.problem.rules.prefetches_by_dependencies => by_dependencies(graph),
            _ => graph.tiles.keys().collect(),
        };
        let mut first_of: FxHashMap<NestId, TileId> = FxHashMap::default();
        for tile in &tiles {
            let first = first_of.entry(graph.tiles[*tile].layer).or_insert(*tile);
            *first = (*first).min(*tile);
        }
        for tile in tiles {
            let core = placed[tile].core;
            let prefetched =
                graph.tiles[tile].constants.iter().filter(|operand| self.problem.prefetched.contains(operand));
            let mut tensors: Vec<(TensorId, Operand)> =
                prefetched.filter_map(|&operand| Some((graph.tensor(tile, operand)?, operand))).collect();
            // In the order of the layer's operands, which is that of the tensors of its first tile.
            let first = first_of[&graph.tiles[tile].layer];
            sort_few_by_key(&mut tensors, |of| graph.tensor(first, of.1));
            for (tensor, operand) in tensors {
                // An operand that streams from DRAM has its place there, so this places no transfer for it.
                self.bring(tensor, (self.place_of(tile, operand), core), &[], Cycles::ZERO)?;
            }
        }
        Ok(())
    }

    /// Places all tiles, in the order of their priority among those whose predecessors are placed.
    fn run(&mut self) -> Result<(), MemoryOverflow> {
        let graph = self.problem.graph;
        // A tile becomes a candidate when its last predecessor is placed: then the ends of all of them are known.
        // `waits` counts those that are not placed, `ready` is the latest end so far.
        let mut waits: TiVec<TileId, usize> = graph.tiles.keys().map(|tile| graph.predecessors(tile).len()).collect();
        let mut ready: TiVec<TileId, Cycles<f64>> = ti_vec![Cycles::ZERO; graph.tiles.len()];
        // Times are never negative. The bits of such numbers, read as integers, are in the order of the numbers.
        let order = self.problem.order;
        let entry = |tile: TileId, ready: Cycles<f64>| match order {
            TilePriority::Ranks(ranks) => Reverse((ranks[tile] as u64, tile)),
            TilePriority::EarliestReady => Reverse((ready.0.to_bits(), tile)),
        };
        let first = graph.tiles.keys().filter(|&tile| waits[tile] == 0);
        let mut candidates: BinaryHeap<_> = first.map(|tile| entry(tile, Cycles::ZERO)).collect();
        while let Some(Reverse((_, tile))) = candidates.pop() {
            let end = self.place(tile, ready[tile])?;
            for edge in graph.successors(tile) {
                ready[edge.to] = ready[edge.to].max(end);
                waits[edge.to] -= 1;
                if waits[edge.to] == 0 {
                    candidates.push(entry(edge.to, ready[edge.to]));
                }
            }
        }
        Ok(())
    }

    /// The schedule, once all tiles are placed. It ends with the last tile or transfer.
    fn finish(mut self) -> CoresSchedule {
        self.result.contents = self.contents.log.take().unwrap_or_default();
        self.result.memories = self.contents.occupancy.iter().map(|memory| memory.steps()).collect();
        let ends = self.result.tiles.iter().flatten().map(|span| span.end);
        let transfers = self.result.transfers.iter().map(|transfer| transfer.span.end);
        self.result.latency = ends.chain(transfers).fold(Cycles::ZERO, Cycles::max);
        self.result
    }

    /// Places a tile, with the transfers and evictions that it needs, at `ready` (cycles) or later; returns when it ends.
    fn place(&mut self, tile: TileId, ready: Cycles<f64>) -> Result<Cycles<f64>, MemoryOverflow> {
        let SchedulingProblem { graph, system, placed, .. } = self.problem;
        let PlacedTile { core, cycles, ref too_large, .. } = placed[tile];
        let memory_of = system.memory_of[core];
        // From here on, `time` only moves later: it is the earliest beginning that all steps so far allow.
        let mut time = self.core_free[core].max(ready);
        let mut begin = Begins { by: StartConstraint::Ready, time };
        let needs = self.needs(tile);
        let needed: Vec<TensorId> = needs.iter().map(|need| need.0).collect();
        // An operand that does not fit on the chip leaves no room for other tensors (Stream, Section 4.2): the memory
        // is cleared.
        for &operand in too_large {
            time = self.clear((memory_of[operand as usize], core), &needed, time)?;
        }
        begin.note(StartConstraint::Room, time);
        // Transfers are independent of each other: the tile waits for the last one.
        let mut last = None;
        for &(tensor, memory) in &needs {
            let reader = if memory == system.dram_memory() { system.dram } else { core };
            let there = self.bring(tensor, (memory, reader), &needed, time)?;
            if there > time {
                (time, last) = (there, Some((tensor, memory)));
            }
        }
        begin.note(StartConstraint::Brought, time);
        let is_early = self.problem.rules.streams_too_early;
        if is_early && !too_large.is_empty() {
            (time, _) = self.stream(tile, time);
            begin.note(StartConstraint::Links, time);
        }
        let home = if too_large.contains(&Operand::O) { system.dram_memory() } else { memory_of[Operand::O as usize] };
        let output = graph.tensor(tile, Operand::O);
        if let Some(output) = output {
            let at = if home == system.dram_memory() { system.dram } else { core };
            time = self.make_room(output, (home, at), time, &needed)?;
            begin.note(StartConstraint::Room, time);
        }
        let mut span = TimeSpan { start: time, end: time + cycles };
        // Streams run beside the computation. The tile waits for room on the links, and slows down to their bandwidth.
        if !is_early && !too_large.is_empty() {
            let (start, slower) = self.stream(tile, time);
            span = TimeSpan { start, end: start + cycles * slower };
            begin.note(StartConstraint::Links, start);
        }
        if let Some(output) = output {
            self.store(output, home, span);
        }
        self.core_free[core] = span.end;
        self.result.tiles[tile] = Some(span);
        self.result.begins[tile] = begin.by;
        if let Some((tensor, memory)) = last.filter(|_| begin.by == StartConstraint::Brought) {
            self.result.awaited.push((tile, tensor, memory));
        }
        let streamed = CoresEnergyCause::Moved(Carrier::Memories, TransferReason::Fetch);
        self.result.energy[CoresEnergyCause::OnChip] += placed[tile].onchip_pj;
        self.result.energy[streamed] += placed[tile].offchip_pj;
        // Each tensor stays at least until the tile has read it. If this was its last use, it leaves.
        for (tensor, memory) in needs {
            self.contents.keep_until(tensor, memory, span.end);
            self.use_up(tile, tensor, memory, span.end);
        }
        // A result of the network goes to DRAM at once, as nothing reads it on the chip.
        if let Some(output) = output
            && graph.tiles[tile].is_final
            && self.is_result(tile)
        {
            let dram = system.dram_memory();
            if self.copy(output, dram).is_none() {
                self.transfer((output, home, (dram, system.dram)), &[], TransferReason::Result, span.end)?;
            }
            if home != dram {
                self.remove(output, home, span.end);
            }
        }
        Ok(span.end)
    }

    /// Whether the output of a tile is a result of the network: no tile reads it. By the rule of the tool, whole layers
    /// are results.
    fn is_result(&self, tile: TileId) -> bool {
        let SchedulingProblem { graph, rules, .. } = self.problem;
        if rules.writes_layers_whole {
            self.sinks.contains(&graph.tiles[tile].layer)
        } else {
            graph.successors(tile).all(|edge| edge.operand.is_none())
        }
    }

    /// The tensors that a tile reads, and the memories in which it finds them, the smallest tensor first.
    fn needs(&self, tile: TileId) -> Vec<(TensorId, TopMemoryId)> {
        let SchedulingProblem { graph, placed, rules, .. } = self.problem;
        let too_large = &placed[tile].too_large;
        let constants = graph.tiles[tile].constants.iter().map(|&operand| (graph.tensor(tile, operand), Some(operand)));
        let computed = graph.predecessors(tile).map(|edge| (graph.tensor(edge.from, Operand::O), edge.operand));
        let mut needs: Vec<(TensorId, TopMemoryId)> = constants
            .chain(computed)
            .filter_map(|(tensor, operand)| Some((tensor?, operand?)))
            .filter(|(_, operand)| !(rules.streams_from_nowhere && too_large.contains(operand)))
            .map(|(tensor, operand)| (tensor, self.place_of(tile, operand)))
            .collect();
        needs.sort_by_key(|(tensor, _)| graph.tensors[*tensor].bits);
        needs
    }

    /// The memory in which a tile finds an operand: the core's highest one, or DRAM if the operand does not fit on the
    /// chip.
    fn place_of(&self, tile: TileId, operand: Operand) -> TopMemoryId {
        let SchedulingProblem { system, placed, rules, .. } = self.problem;
        let PlacedTile { core, ref too_large, .. } = placed[tile];
        if !rules.streams_from_nowhere && too_large.contains(&operand) {
            system.dram_memory()
        } else {
            system.memory_of[core][operand as usize]
        }
    }

    /// Transfers a tensor into a memory of a core unless it is there; returns the time from which it can be read,
    /// cycles.
    fn bring(
        &mut self,
        tensor: TensorId,
        (memory, reader): (TopMemoryId, CoreId),
        needed: &[TensorId],
        wanted: Cycles<f64>,
    ) -> Result<Cycles<f64>, MemoryOverflow> {
        if let Some(copy) = self.copy(tensor, memory) {
            return Ok(if self.problem.rules.trusts_presence { Cycles::ZERO } else { copy.available });
        }
        let Some(source) = self.contents.oldest(tensor) else { return Ok(Cycles::ZERO) };
        let reason =
            if source == self.problem.system.dram_memory() { TransferReason::Fetch } else { TransferReason::Exchange };
        self.transfer((tensor, source, (memory, reader)), needed, reason, wanted)
    }

    /// Places a transfer of a tensor from a memory to that of a core; returns its end, cycles. `needed` are tensors
    /// that must not be evicted for it. Its reader does not use it before `wanted`, which counts only for late
    /// transfers.
    ///
    /// It begins as early as the tensor is available, the target has room, and all links of the route have a common
    /// window. The room is taken before the window is known, so that the tensor's place is reserved from the beginning
    /// of the transfer on.
    fn transfer(
        &mut self,
        (tensor, source, (memory, to)): (TensorId, TopMemoryId, (TopMemoryId, CoreId)),
        needed: &[TensorId],
        reason: TransferReason,
        wanted: Cycles<f64>,
    ) -> Result<Cycles<f64>, MemoryOverflow> {
        let system = self.problem.system;
        let bits = self.problem.graph.tensors[tensor].bits;
        let available = self.copy(tensor, source).map_or(Cycles::ZERO, |copy| copy.available);
        let from = system.core_of(source);
        let route = system.route(from, to);
        let length = self.transfer_cycles(bits, route, (source, memory));
        let mut begin = Begins { by: StartConstraint::Ready, time: available };
        let mut waits = TransferWaits { there: available.0, ..TransferWaits::default() };
        let span = if self.problem.rules.late_transfers {
            let free = route.iter().map(|&link| self.links[link].free_from()).fold(available, Cycles::max);
            let ideal = free.max(wanted - length);
            let first = self.contents.occupancy[memory].late_fit(ideal, bits).unwrap_or(wanted);
            begin.note(StartConstraint::Late, first);
            let time = self.make_room(tensor, (memory, to), first, needed)?;
            begin.note(StartConstraint::Room, time);
            self.store(tensor, memory, TimeSpan { start: time, end: time + length });
            let start = route.first().map_or(time, |&link| self.links[link].free_from().max(time));
            waits = TransferWaits { late: Some(first.0), room: time.0, links: start.0, ..waits };
            TimeSpan { start, end: start + length }
        } else {
            let first = self.first_fit(memory, available, bits);
            let time = self.make_room(tensor, (memory, to), first, needed)?;
            begin.note(StartConstraint::Room, time);
            let tensors = [tensor];
            let wanted = |link: LinkId| {
                let needed = system.links[link].bandwidth;
                WindowRequest { tensors: &tensors, time, length, needed }
            };
            let start = self.first_window(route, (time, length), &wanted);
            let span = TimeSpan { start, end: start + length };
            waits = TransferWaits { room: time.0, links: start.0, ..waits };
            self.store(tensor, memory, span);
            span
        };
        begin.note(StartConstraint::Links, span.start);
        let begin = begin.by;
        let (mut link_pj, mut is_read) = (0.0, true);
        let pays_once = !self.problem.rules.charges_each_receiver;
        for (hop, &link) in route.iter().enumerate() {
            let facts = &system.links[link];
            let is_new = self.links[link].carry(tensor, span);
            // Multicast: if the first link already carries this tensor, the memory read was charged to an earlier
            // receiver.
            is_read &= is_new || hop > 0;
            link_pj += match pays_once {
                false => length.0 * facts.pj_per_cycle,
                true if is_new => (bits / facts.bandwidth).0 * facts.pj_per_cycle,
                true => 0.0,
            };
        }
        self.contents.keep_until(tensor, source, span.end);
        let read = &system.memories[self.seen(tensor, (source, from))];
        let write = &system.memories[memory];
        let write_width = if self.problem.rules.late_transfers { read.write_width } else { write.write_width };
        let read_pj = if is_read || !pays_once { read.read_pj * bits.words(read.read_width) as f64 } else { 0.0 };
        let memory_pj = read_pj + write.write_pj * bits.words(write_width) as f64;
        self.result.energy[CoresEnergyCause::Moved(Carrier::Links, reason)] += link_pj;
        self.result.energy[CoresEnergyCause::Moved(Carrier::Memories, reason)] += memory_pj;
        self.result.transfers.push(Transfer {
            tensor,
            source,
            begin,
            waits,
            from,
            to,
            memory,
            span,
            reason,
            link_pj,
            memory_pj,
        });
        // A copy on the chip that nothing will read again leaves once the transfer has ended.
        if source != system.dram_memory() && self.contents.uses_left(tensor, source) == 0 {
            self.remove(tensor, self.seen(tensor, (source, from)), self.leaves(tensor, source, span.end));
        }
        Ok(span.end)
    }

    /// The memory in which the rules take a tensor to be ([`SchedulingRules::takes_inputs_for_outputs`]); under
    /// corrected rules the one where it is.
    fn seen(&self, tensor: TensorId, (memory, core): (TopMemoryId, CoreId)) -> TopMemoryId {
        let SchedulingProblem { system, rules, .. } = self.problem;
        if rules.takes_inputs_for_outputs { system.memory_of[core][self.origins[tensor].1 as usize] } else { memory }
    }

    /// The time from which a tensor can leave a memory, cycles: `time`, when a transfer has read it, or later if tiles
    /// still read it there.
    fn leaves(&self, tensor: TensorId, memory: TopMemoryId, time: Cycles<f64>) -> Cycles<f64> {
        let busy = self.copy(tensor, memory).map_or(time, |copy| copy.busy);
        if self.problem.rules.frees_at_once { time } else { time.max(busy) }
    }

    /// The first time, `time` or later, at which all links of a route have a common window of this length. `wanted` is
    /// the request to each link.
    fn first_window<'t>(
        &self,
        route: &[LinkId],
        (time, length): (Cycles<f64>, Cycles<f64>),
        wanted: &dyn Fn(LinkId) -> WindowRequest<'t>,
    ) -> Cycles<f64> {
        let ever = TimeSpan { start: time, end: Cycles::INFINITY };
        let is_shared = |link: &LinkId| self.links[*link].shared(wanted(*link)).next().is_some();
        if !(self.problem.rules.merges_windows && route.iter().any(is_shared)) {
            // A tensor of no bits needs no window.
            let is_empty = length <= Cycles::ZERO;
            let first = (!is_empty).then(|| self.window_within(ever, route, wanted)).flatten();
            return first.unwrap_or(time);
        }
        // As the tool does: windows of all links, intersected link by link.
        let mut common: Option<Vec<TimeSpan>> = None;
        for (at, &link) in route.iter().enumerate() {
            if !route[..at].contains(&link) {
                let windows: Vec<TimeSpan> = self.links[link].windows(wanted(link), ever).collect();
                common = Some(common.map_or_else(
                    || windows.clone(),
                    |before| merged(&before, &windows).into_iter().filter(|span| span.length() >= length).collect(),
                ));
            }
        }
        common.and_then(|spans| spans.first().map(|span| span.start)).unwrap_or(time)
    }

    /// The first such time within a span: a depth-first search in which the windows of the first link are tried in
    /// their order, and each is the span for the other links. Windows in which a link carries the tensor anyway come
    /// before gaps.
    fn window_within<'t>(
        &self,
        span: TimeSpan,
        route: &[LinkId],
        wanted: &dyn Fn(LinkId) -> WindowRequest<'t>,
    ) -> Option<Cycles<f64>> {
        let Some((&link, rest)) = route.split_first() else { return Some(span.start) };
        let mut windows = self.links[link].windows(wanted(link), span);
        windows.find_map(|window| self.window_within(window, rest, wanted))
    }

    /// The length of a transfer over a route between two memories, cycles: that of the slowest link or memory. The
    /// ports of DRAM are links.
    fn transfer_cycles(
        &self,
        bits: Bits,
        route: &[LinkId],
        (source, target): (TopMemoryId, TopMemoryId),
    ) -> Cycles<f64> {
        let system = self.problem.system;
        let over_link = |&link: &LinkId| (bits / system.links[link].bandwidth).rounded_up();
        let links = route.iter().map(over_link).fold(Cycles::ZERO, Cycles::max);
        let ends = [(source, system.memories[source].read_width), (target, system.memories[target].write_width)];
        let is_counted = |memory: TopMemoryId| !self.problem.rules.ignores_ports && memory != system.dram_memory();
        let counted = ends.into_iter().filter(|(memory, _)| is_counted(*memory));
        counted.map(|(_, width)| Cycles(bits.words(width) as f64)).fold(links, Cycles::max)
    }

    /// The first time from which `bits` fit into a memory for good, or, where that is never, from which evictions may
    /// make room.
    fn first_fit(&self, memory: TopMemoryId, time: Cycles<f64>, bits: Bits) -> Cycles<f64> {
        let fit = self.contents.occupancy[memory].earliest_fit(time, bits);
        if self.problem.rules.makes_room_too_early { fit } else { fit.max(time) }
    }

    /// The first time, `time` or later, from which a tensor fits into a memory of a core. If need be, the least
    /// important tensors are evicted: those with the least product of uses left and bits (Stream, Section 4.2).
    fn make_room(
        &mut self,
        tensor: TensorId,
        (memory, core): (TopMemoryId, CoreId),
        time: Cycles<f64>,
        needed: &[TensorId],
    ) -> Result<Cycles<f64>, MemoryOverflow> {
        let bits = self.problem.graph.tensors[tensor].bits;
        let fit = self.first_fit(self.seen(tensor, (memory, core)), time, bits);
        let excess = self.contents.occupancy[memory].excess_at(fit, bits);
        if excess == Bits(0) {
            return Ok(fit.max(time));
        }
        // Tensors that the tile needs stay, and so do those whose place is reserved for later: their transfer is placed
        // already.
        let may_go = |other: TensorId, copy: &TensorCopy| copy.reserved <= fit && !needed.contains(&other);
        let (leaving, freed) = self.contents.least_important(memory, excess, may_go);
        if freed < excess {
            return Err(MemoryOverflow { memory, tensor });
        }
        let mut latest = fit.max(time);
        for other in leaving {
            latest = latest.max(self.evict(other, (memory, core), time)?);
        }
        Ok(latest)
    }

    /// Evicts a tensor from a memory of a core, and writes it back to DRAM if DRAM has no copy; returns the time from
    /// which its place is free, cycles.
    fn evict(
        &mut self,
        tensor: TensorId,
        (memory, core): (TopMemoryId, CoreId),
        time: Cycles<f64>,
    ) -> Result<Cycles<f64>, MemoryOverflow> {
        let system = self.problem.system;
        let dram = system.dram_memory();
        // Computed before the transfer, which removes the copy if this was its last use.
        let free = self.leaves(tensor, memory, time);
        let end = if self.copy(tensor, dram).is_none() {
            let seen = self.seen(tensor, (memory, core));
            let source = if self.copy(tensor, seen).is_some() { seen } else { memory };
            self.transfer((tensor, source, (dram, system.dram)), &[], TransferReason::Eviction, time)?
        } else {
            time
        };
        if self.problem.rules.frees_at_once {
            self.remove(tensor, memory, time);
            return Ok(end);
        }
        let end = end.max(free);
        self.remove(tensor, memory, end);
        Ok(end)
    }

    /// Evicts all tensors of a memory of a core except those that are `needed`; returns the time from which the last
    /// place is free, cycles.
    fn clear(
        &mut self,
        (memory, core): (TopMemoryId, CoreId),
        needed: &[TensorId],
        time: Cycles<f64>,
    ) -> Result<Cycles<f64>, MemoryOverflow> {
        let mut latest = time;
        for tensor in self.contents.by_arrival(memory) {
            let is_there = |copy: &TensorCopy| copy.reserved <= time && !needed.contains(&tensor);
            if self.copy(tensor, memory).is_some_and(is_there) {
                let from = if self.problem.rules.frees_at_once { latest } else { time };
                latest = latest.max(self.evict(tensor, (memory, core), from)?);
            }
        }
        Ok(latest)
    }

    /// Places the streams of operands that do not fit on the chip on the links to and from DRAM. Returns their
    /// beginning, and the factor by which the tile slows down.
    fn stream(&mut self, tile: TileId, time: Cycles<f64>) -> (Cycles<f64>, f64) {
        let system = self.problem.system;
        let is_early = self.problem.rules.streams_too_early;
        let PlacedTile { core, cycles, offchip: Offchip { to, from }, ref too_large, .. } = self.problem.placed[tile];
        let (outputs, inputs): (Vec<Operand>, Vec<Operand>) = too_large.iter().partition(|of| **of == Operand::O);
        let routes = [(system.route(core, system.dram), to, outputs), (system.route(system.dram, core), from, inputs)];
        // A link on both routes carries the sum of both loads.
        let mut loads: Vec<(LinkId, BitsPerCycle<f64>, Vec<TensorId>)> = Vec::new();
        for (route, load, operands) in routes.iter().filter(|(.., operands)| !is_early || !operands.is_empty()) {
            let shared = operands.iter().filter(|_| self.problem.rules.shares_streams);
            let tensors = shared.filter_map(|&operand| self.problem.graph.tensor(tile, operand));
            for &link in *route {
                match loads.iter_mut().find(|load| load.0 == link) {
                    Some(known) => {
                        known.1 += *load;
                        known.2.extend(tensors.clone());
                    }
                    None => loads.push((link, *load, tensors.clone().collect())),
                }
            }
        }
        let mut slower = 1.0_f64;
        if !is_early {
            // The link with the largest load for its bandwidth slows everything down in proportion.
            slower = loads.iter().map(|(link, load, _)| *load / system.links[*link].bandwidth).fold(1.0, f64::max);
            loads.iter_mut().for_each(|load| load.1 = load.1 / slower);
        }
        let length = cycles * slower;
        let links: Vec<LinkId> = loads.iter().map(|load| load.0).collect();
        let wanted = |link: LinkId| {
            let load = loads.iter().find(|load| load.0 == link);
            let (needed, tensors) = load.map_or((BitsPerCycle::ZERO, &[][..]), |(_, load, tensors)| (*load, tensors));
            WindowRequest { tensors, time, length, needed }
        };
        let start = self.first_window(&links, (time, length), &wanted);
        let span = TimeSpan { start, end: start + length };
        for (link, load, tensors) in loads {
            self.links[link].stream(&tensors, span, if is_early { load.rounded_up() } else { load });
        }
        let waits = TransferWaits { there: time.0, late: None, room: time.0, links: start.0 };
        self.result.streams.push(DramStream { tile, span, waits, slower });
        (start, slower)
    }

    /// Counts one use of a tensor less, and removes copies that have no use left: the one in this memory, or all once
    /// nothing wants the tensor anywhere.
    fn use_up(&mut self, tile: TileId, tensor: TensorId, memory: TopMemoryId, end: Cycles<f64>) {
        let is_used_up = self.contents.use_up(tensor, memory) == 0;
        if self.contents.is_wanted(tensor) {
            // Others still want it. They fetch a constant from DRAM, so the copy here may go; an output may exist only
            // here.
            let SchedulingProblem { graph, system, rules, .. } = self.problem;
            let is_here_in_vain = is_used_up && !rules.counts_uses_everywhere && memory != system.dram_memory();
            if is_here_in_vain && !graph.tensors[tensor].is_output {
                self.remove(tensor, memory, self.leaves(tensor, memory, end));
            }
            return;
        }
        for TensorCopy { memory, busy, .. } in self.contents.copies(tensor).to_vec() {
            let last = if self.problem.graph.tensors[tensor].is_output && !self.problem.rules.late_transfers {
                self.last_use(tile, tensor, memory).unwrap_or(end)
            } else {
                end
            };
            let seen = self.seen(tensor, (memory, self.problem.system.core_of(memory)));
            self.remove(tensor, seen, if self.problem.rules.frees_at_once { last } else { last.max(busy) });
        }
    }

    /// The end of the last tile that reads a tensor in a memory; `None` if none that is placed does. Tiles of all cores
    /// may read DRAM. `reader` is one of the tiles that read the tensor.
    fn last_use(&self, reader: TileId, tensor: TensorId, memory: TopMemoryId) -> Option<Cycles<f64>> {
        let SchedulingProblem { graph, system, placed, rules, .. } = self.problem;
        let made_by = |&tile: &TileId| graph.tensor(tile, Operand::O) == Some(tensor);
        let producer = if rules.frees_at_once {
            // Of tiles that add to the same sums, the tool asks the first.
            self.origins[tensor].0
        } else {
            graph.predecessors(reader).map(|edge| edge.from).find(made_by)?
        };
        let is_near = |core: CoreId| memory == system.dram_memory() || system.memories[memory].cores.contains(&core);
        graph
            .successors(producer)
            .filter(|edge| edge.operand.is_some() && is_near(placed[edge.to].core))
            .filter_map(|edge| Some(self.result.tiles[edge.to]?.end))
            .reduce(Cycles::max)
    }

    fn copy(&self, tensor: TensorId, memory: TopMemoryId) -> Option<&TensorCopy> {
        self.contents.copy(tensor, memory)
    }

    /// Reserves a place for a tensor from the start of a span. The tensor can be read from the end of the span on.
    fn store(&mut self, tensor: TensorId, memory: TopMemoryId, span: TimeSpan) {
        self.contents.store(tensor, memory, span);
    }

    fn remove(&mut self, tensor: TensorId, memory: TopMemoryId, time: Cycles<f64>) {
        self.contents.remove(tensor, memory, time);
    }
}
