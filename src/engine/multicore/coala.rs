//! COALA: tiles and transfers are placed one after the other, each as early as cores, links and memories allow (Stream, Section 4.1).

use super::contents::{Contents, Copy};
use super::graph::TileGraph;
use super::ids::{CoreId, LinkId, TensorId, TileId, TopMemoryId};
use super::rules::SchedulingRules;
use super::schedule::{Begin, Overfull, Placed, Reason, Schedule, Stream, Transfer};
use super::system::System;
use super::traffic::{Span, Traffic, Wanted};
use crate::hardware::Operand;
use crate::ids::{TiSlice, TiVec, ti_vec};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What is to be scheduled.
#[derive(Debug, Clone, Copy)]
pub struct Job<'a> {
    /// The tiles.
    pub graph: &'a TileGraph,
    /// The cores and what lies between them.
    pub system: &'a System,
    /// Where each tile is computed, and what that costs.
    pub placed: &'a TiSlice<TileId, Placed>,
    /// Which of the tiles is next of those that wait for nothing any more.
    pub order: Order<'a>,
    /// Operands that are brought to their cores before anything else.
    pub prefetched: &'a [Operand],
    /// Where the public schedulers differ.
    pub rules: SchedulingRules,
}

/// Which tile is next.
#[derive(Debug, Clone, Copy)]
pub enum Order<'a> {
    /// The one with the lowest of these ranks.
    Ranks(&'a TiSlice<TileId, usize>),
    /// The one that could start first; of several that of the first layer.
    EarliestReady,
}

/// Schedules all tiles.
///
/// # Errors
/// A tensor that does not fit although everything else may leave.
pub fn schedule(job: Job<'_>) -> Result<Schedule, Overfull> {
    let mut coala = Coala::new(job);
    coala.prepare()?;
    coala.run()?;
    Ok(coala.finish())
}

/// The same, with what comes into memories and leaves them.
///
/// # Errors
/// As [`schedule`].
pub fn schedule_with_contents(job: Job<'_>) -> Result<Schedule, Overfull> {
    let mut coala = Coala::new(job);
    coala.contents.log = Some(Vec::new());
    coala.prepare()?;
    coala.run()?;
    Ok(coala.finish())
}

struct Coala<'a> {
    job: Job<'a>,
    contents: Contents<'a>,
    traffic: TiVec<LinkId, Traffic>,
    core_free: TiVec<CoreId, f64>,
    result: Schedule,
}

/// What moved a beginning last.
struct Begins {
    by: Begin,
    time: f64,
}

impl Begins {
    /// Notes that something begins at a time because of `by`, if that is another time than before.
    fn note(&mut self, by: Begin, time: f64) {
        if time != self.time {
            *self = Self { by, time };
        }
    }
}

impl<'a> Coala<'a> {
    fn new(job: Job<'a>) -> Self {
        Self {
            job,
            contents: Contents::new(job.graph, job.system),
            traffic: job.system.links.iter().map(|link| Traffic::new(link.bandwidth)).collect(),
            core_free: ti_vec![0.0; job.system.cores.len()],
            result: Schedule {
                tiles: ti_vec![None; job.graph.tiles.len()],
                begins: ti_vec![Begin::default(); job.graph.tiles.len()],
                ..Schedule::default()
            },
        }
    }

    fn prepare(&mut self) -> Result<(), Overfull> {
        let Job { graph, system, placed, .. } = self.job;
        let dram = system.dram_memory();
        for (tile, facts) in graph.tiles.iter_enumerated() {
            for edge in graph.successors(tile) {
                if let (Some(operand), Some(output)) = (edge.operand, graph.tensor(tile, Operand::O)) {
                    *self.contents.uses_in(output, self.place_of(edge.to, operand)) += 1;
                }
            }
            for &operand in facts.constants.iter() {
                let Some(tensor) = graph.tensor(tile, operand) else { continue };
                let everywhere = self.job.rules.counts_uses_everywhere.then_some(graph.tensors[tensor].uses);
                let uses = self.contents.uses_in(tensor, self.place_of(tile, operand));
                *uses = everywhere.unwrap_or(*uses + 1);
                if self.copy(tensor, dram).is_none() {
                    self.store(tensor, dram, Span { start: 0.0, end: 0.0 });
                }
            }
        }
        for (tile, facts) in graph.tiles.iter_enumerated() {
            for &operand in facts.constants.iter() {
                if self.job.prefetched.contains(&operand)
                    && let Some(tensor) = graph.tensor(tile, operand)
                {
                    self.bring(tensor, system.memory_of[placed[tile].core][operand as usize], &[], 0.0)?;
                }
            }
        }
        Ok(())
    }

    fn run(&mut self) -> Result<(), Overfull> {
        let graph = self.job.graph;
        let mut waits: TiVec<TileId, usize> = graph.tiles.keys().map(|tile| graph.predecessors(tile).len()).collect();
        let mut ready: TiVec<TileId, f64> = ti_vec![0.0; graph.tiles.len()];
        // Times are never negative, so that their bits have their order.
        let order = self.job.order;
        let entry = |tile: TileId, ready: f64| match order {
            Order::Ranks(ranks) => Reverse((ranks[tile] as u64, tile)),
            Order::EarliestReady => Reverse((ready.to_bits(), tile)),
        };
        let first = graph.tiles.keys().filter(|&tile| waits[tile] == 0);
        let mut candidates: BinaryHeap<_> = first.map(|tile| entry(tile, 0.0)).collect();
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

    fn finish(mut self) -> Schedule {
        self.result.contents = self.contents.log.take().unwrap_or_default();
        self.result.memories = self.contents.occupancy.iter().map(|memory| memory.steps()).collect();
        let ends = self.result.tiles.iter().flatten().map(|span| span.end);
        let transfers = self.result.transfers.iter().map(|transfer| transfer.span.end);
        self.result.latency_cycles = ends.chain(transfers).fold(0.0, f64::max);
        self.result
    }

    /// Computes a tile that may start at a time; says when it ends.
    fn place(&mut self, tile: TileId, ready: f64) -> Result<f64, Overfull> {
        let Job { graph, system, placed, .. } = self.job;
        let Placed { core, cycles, ref too_large, .. } = placed[tile];
        let memory_of = system.memory_of[core];
        let mut time = self.core_free[core].max(ready);
        let mut begin = Begins { by: Begin::Ready, time };
        let needs = self.needs(tile);
        let needed: Vec<TensorId> = needs.iter().map(|need| need.0).collect();
        for &operand in too_large {
            time = self.clear(memory_of[operand as usize], &needed, time)?;
        }
        begin.note(Begin::Room, time);
        let mut last = None;
        for &(tensor, memory) in &needs {
            let there = self.bring(tensor, memory, &needed, time)?;
            if there > time {
                (time, last) = (there, Some((tensor, memory)));
            }
        }
        begin.note(Begin::Brought, time);
        let is_early = self.job.rules.streams_too_early;
        if is_early && !too_large.is_empty() {
            (time, _) = self.stream(tile, time);
            begin.note(Begin::Links, time);
        }
        let home = if too_large.contains(&Operand::O) { system.dram_memory() } else { memory_of[Operand::O as usize] };
        let output = graph.tensor(tile, Operand::O);
        if let Some(output) = output {
            time = self.make_room(output, home, time, &needed)?;
            begin.note(Begin::Room, time);
        }
        let mut span = Span { start: time, end: time + cycles };
        if !is_early && !too_large.is_empty() {
            let (start, slower) = self.stream(tile, time);
            span = Span { start, end: start + cycles * slower };
            begin.note(Begin::Links, start);
        }
        if let Some(output) = output {
            self.store(output, home, span);
        }
        self.core_free[core] = span.end;
        self.result.tiles[tile] = Some(span);
        self.result.begins[tile] = begin.by;
        if let Some((tensor, memory)) = last.filter(|_| begin.by == Begin::Brought) {
            self.result.awaited.push((tile, tensor, memory));
        }
        self.result.energy.onchip_pj += placed[tile].onchip_pj;
        self.result.energy.memory_pj[Reason::Fetch as usize] += placed[tile].offchip_pj;
        for (tensor, memory) in needs {
            self.contents.keep_until(tensor, memory, span.end);
            self.use_up(tile, tensor, memory, span.end);
        }
        if let Some(output) = output
            && graph.tiles[tile].is_final
            && graph.successors(tile).all(|edge| edge.operand.is_none())
        {
            let dram = system.dram_memory();
            if self.copy(output, dram).is_none() {
                self.transfer((output, home, dram), &[], Reason::Result, span.end)?;
                self.remove(output, home, span.end);
            }
        }
        Ok(span.end)
    }

    /// The tensors that a tile reads, and where: the smallest first.
    fn needs(&self, tile: TileId) -> Vec<(TensorId, TopMemoryId)> {
        let Job { graph, placed, rules, .. } = self.job;
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

    /// The memory in which a tile finds an operand.
    fn place_of(&self, tile: TileId, operand: Operand) -> TopMemoryId {
        let Job { system, placed, rules, .. } = self.job;
        let Placed { core, ref too_large, .. } = placed[tile];
        if !rules.streams_from_nowhere && too_large.contains(&operand) {
            system.dram_memory()
        } else {
            system.memory_of[core][operand as usize]
        }
    }

    /// Brings a tensor into a memory; says when it is there.
    fn bring(
        &mut self,
        tensor: TensorId,
        memory: TopMemoryId,
        needed: &[TensorId],
        wanted: f64,
    ) -> Result<f64, Overfull> {
        if let Some(copy) = self.copy(tensor, memory) {
            return Ok(if self.job.rules.trusts_presence { 0.0 } else { copy.available });
        }
        let Some(source) = self.contents.oldest(tensor) else { return Ok(0.0) };
        let reason = if source == self.job.system.dram_memory() { Reason::Fetch } else { Reason::Exchange };
        self.transfer((tensor, source, memory), needed, reason, wanted)
    }

    /// Moves a tensor from a memory to another, where it is not `wanted` before a time; says when it is there.
    fn transfer(
        &mut self,
        (tensor, source, memory): (TensorId, TopMemoryId, TopMemoryId),
        needed: &[TensorId],
        reason: Reason,
        wanted: f64,
    ) -> Result<f64, Overfull> {
        let system = self.job.system;
        let bits = self.job.graph.tensors[tensor].bits;
        let available = self.copy(tensor, source).map_or(0.0, |copy| copy.available);
        let (from, to) = (system.core_of(source), system.core_of(memory));
        let route = system.route(from, to);
        let cycles = |bandwidth: f64| (bits as f64 / bandwidth).ceil();
        let length = route.iter().map(|&link| cycles(system.links[link].bandwidth)).fold(0.0, f64::max);
        let mut begin = Begins { by: Begin::Ready, time: available };
        let span = if self.job.rules.late_transfers {
            let free = route.iter().map(|&link| self.traffic[link].free_from()).fold(available, f64::max);
            let ideal = free.max(wanted - length);
            let first = self.contents.occupancy[memory].late_fit(ideal, bits).unwrap_or(wanted);
            begin.note(Begin::Late, first);
            let time = self.make_room(tensor, memory, first, needed)?;
            begin.note(Begin::Room, time);
            self.store(tensor, memory, Span { start: time, end: time + length });
            let start = route.first().map_or(time, |&link| self.traffic[link].free_from().max(time));
            Span { start, end: start + length }
        } else {
            let first = self.contents.occupancy[memory].earliest_fit(available, bits);
            let time = self.make_room(tensor, memory, first, needed)?;
            begin.note(Begin::Room, time);
            let wanted = Wanted { tensor: Some(tensor), time, length };
            let start = self.first_window(route, wanted, &|link| system.links[link].bandwidth);
            let span = Span { start, end: start + length };
            self.store(tensor, memory, span);
            span
        };
        begin.note(Begin::Links, span.start);
        let begin = begin.by;
        let mut link_pj = 0.0;
        for &link in route {
            let facts = &system.links[link];
            let is_new = self.traffic[link].carry(tensor, span);
            link_pj += match self.job.rules.charges_cycles {
                true => length * facts.pj_per_cycle,
                false if is_new => bits as f64 / facts.bandwidth * facts.pj_per_cycle,
                false => 0.0,
            };
        }
        let (read, write) = (&system.memories[source], &system.memories[memory]);
        let write_bits = if self.job.rules.late_transfers { read.write_bits } else { write.write_bits };
        let memory_pj =
            read.read_pj * bits.div_ceil(read.read_bits) as f64 + write.write_pj * bits.div_ceil(write_bits) as f64;
        self.result.energy.link_pj[reason as usize] += link_pj;
        self.result.energy.memory_pj[reason as usize] += memory_pj;
        self.result.transfers.push(Transfer {
            tensor,
            source,
            begin,
            from,
            to,
            memory,
            span,
            reason,
            link_pj,
            memory_pj,
        });
        if source != system.dram_memory() && self.contents.uses_left(tensor, source) == 0 {
            self.remove(tensor, source, self.leaves(tensor, source, span.end));
        }
        Ok(span.end)
    }

    /// When a tensor can leave a memory from which it is read until a time.
    fn leaves(&self, tensor: TensorId, memory: TopMemoryId, time: f64) -> f64 {
        let busy = self.copy(tensor, memory).map_or(time, |copy| copy.busy);
        if self.job.rules.frees_at_once { time } else { time.max(busy) }
    }

    /// When all links of a route are free for what is wanted, of each as many bits a cycle as `needed` says.
    fn first_window(&self, route: &[LinkId], wanted: Wanted, needed: &dyn Fn(LinkId) -> f64) -> f64 {
        // What has no bits needs no window.
        if wanted.length <= 0.0 {
            return wanted.time;
        }
        let ever = Span { start: wanted.time, end: f64::INFINITY };
        self.window_within(ever, route, wanted, needed).unwrap_or(wanted.time)
    }

    /// The same within a span: the first window of the first link that the others leave open.
    fn window_within(
        &self,
        span: Span,
        route: &[LinkId],
        wanted: Wanted,
        needed: &dyn Fn(LinkId) -> f64,
    ) -> Option<f64> {
        let Some((&link, rest)) = route.split_first() else { return Some(span.start) };
        let mut windows = self.traffic[link].windows(wanted, span, needed(link));
        windows.find_map(|window| self.window_within(window, rest, wanted, needed))
    }

    /// Finds a time from which a tensor fits into a memory, evicting what is least important if it has to.
    fn make_room(
        &mut self,
        tensor: TensorId,
        memory: TopMemoryId,
        time: f64,
        needed: &[TensorId],
    ) -> Result<f64, Overfull> {
        let bits = self.job.graph.tensors[tensor].bits;
        let fit = self.contents.occupancy[memory].earliest_fit(time, bits);
        let excess = self.contents.occupancy[memory].excess_at(fit, bits);
        if excess == 0 {
            return Ok(fit);
        }
        let may_go = |other: TensorId, copy: &Copy| copy.reserved <= fit && !needed.contains(&other);
        let (leaving, freed) = self.contents.least_important(memory, excess, may_go);
        if freed < excess {
            return Err(Overfull { memory, tensor });
        }
        let mut latest = fit.max(time);
        for other in leaving {
            latest = latest.max(self.evict(other, memory, time)?);
        }
        Ok(latest)
    }

    /// Removes a tensor from a memory; what is nowhere else goes to DRAM. Says when that is done.
    fn evict(&mut self, tensor: TensorId, memory: TopMemoryId, time: f64) -> Result<f64, Overfull> {
        let dram = self.job.system.dram_memory();
        // When it is read no more; its way to DRAM may be the last that it is needed for.
        let free = self.leaves(tensor, memory, time);
        let end = if self.copy(tensor, dram).is_none() {
            self.transfer((tensor, memory, dram), &[], Reason::Eviction, time)?
        } else {
            time
        };
        if self.job.rules.frees_at_once {
            self.remove(tensor, memory, time);
            return Ok(end);
        }
        let end = end.max(free);
        self.remove(tensor, memory, end);
        Ok(end)
    }

    /// Empties a memory but for what is needed; says when that is done.
    fn clear(&mut self, memory: TopMemoryId, needed: &[TensorId], time: f64) -> Result<f64, Overfull> {
        let mut latest = time;
        for tensor in self.contents.by_arrival(memory) {
            let is_there = |copy: &Copy| copy.reserved <= time && !needed.contains(&tensor);
            if self.copy(tensor, memory).is_some_and(is_there) {
                latest = latest.max(self.evict(tensor, memory, time)?);
            }
        }
        Ok(latest)
    }

    /// Finds time on the links to DRAM for what does not fit on the chip: when that begins, and by which factor the tile becomes slower.
    fn stream(&mut self, tile: TileId, time: f64) -> (f64, f64) {
        let system = self.job.system;
        let is_early = self.job.rules.streams_too_early;
        let Placed { core, cycles, offchip_bits: (to, from), .. } = self.job.placed[tile];
        let routes = [(system.route(core, system.dram), to), (system.route(system.dram, core), from)];
        let mut loads: Vec<(LinkId, f64)> = Vec::new();
        for (link, bits) in routes.iter().flat_map(|(route, bits)| route.iter().map(move |&link| (link, *bits))) {
            match loads.iter_mut().find(|load| load.0 == link && !is_early) {
                Some(load) => load.1 += bits,
                None => loads.push((link, bits)),
            }
        }
        let mut slower = 1.0_f64;
        if !is_early {
            slower = loads.iter().map(|(link, bits)| bits / system.links[*link].bandwidth).fold(1.0, f64::max);
            loads.iter_mut().for_each(|load| load.1 /= slower);
        }
        let length = cycles * slower;
        let links: Vec<LinkId> = loads.iter().map(|load| load.0).collect();
        let most = |link: LinkId| loads.iter().filter(|load| load.0 == link).map(|load| load.1).fold(0.0, f64::max);
        let start = self.first_window(&links, Wanted { tensor: None, time, length }, &most);
        let span = Span { start, end: start + length };
        for (link, bits) in loads {
            self.traffic[link].load(span, if is_early { bits.ceil() } else { bits });
        }
        self.result.streams.push(Stream { tile, span, slower });
        (start, slower)
    }

    /// Notes that a tile has read a tensor; what nobody will read any more is removed.
    fn use_up(&mut self, tile: TileId, tensor: TensorId, memory: TopMemoryId, end: f64) {
        let is_used_up = self.contents.use_up(tensor, memory) == 0;
        if self.contents.is_wanted(tensor) {
            // Others take a constant out of DRAM.
            let Job { graph, system, rules, .. } = self.job;
            let is_here_in_vain = is_used_up && !rules.counts_uses_everywhere && memory != system.dram_memory();
            if is_here_in_vain && !graph.tensors[tensor].is_output {
                self.remove(tensor, memory, self.leaves(tensor, memory, end));
            }
            return;
        }
        for Copy { memory, busy, .. } in self.contents.copies(tensor).to_vec() {
            let last = if self.job.graph.tensors[tensor].is_output && !self.job.rules.late_transfers {
                self.last_use(tile, tensor, memory).unwrap_or(end)
            } else {
                end
            };
            self.remove(tensor, memory, if self.job.rules.frees_at_once { last } else { last.max(busy) });
        }
    }

    /// When the last of those tiles ends that read a tensor out of a memory; out of DRAM anybody may have. `reader` is one that read it.
    fn last_use(&self, reader: TileId, tensor: TensorId, memory: TopMemoryId) -> Option<f64> {
        let Job { graph, system, placed, .. } = self.job;
        let producer = graph
            .predecessors(reader)
            .map(|edge| edge.from)
            .find(|&tile| graph.tensor(tile, Operand::O) == Some(tensor))?;
        let is_near = |core: CoreId| memory == system.dram_memory() || system.memories[memory].cores.contains(&core);
        graph
            .successors(producer)
            .filter(|edge| edge.operand.is_some() && is_near(placed[edge.to].core))
            .filter_map(|edge| Some(self.result.tiles[edge.to]?.end))
            .reduce(f64::max)
    }

    fn copy(&self, tensor: TensorId, memory: TopMemoryId) -> Option<&Copy> {
        self.contents.copy(tensor, memory)
    }

    /// Takes a place for a tensor, which it fills until the end of a span.
    fn store(&mut self, tensor: TensorId, memory: TopMemoryId, span: Span) {
        self.contents.store(tensor, memory, span);
    }

    fn remove(&mut self, tensor: TensorId, memory: TopMemoryId, time: f64) {
        self.contents.remove(tensor, memory, time);
    }
}
