//! The account of a schedule: tiles by core, transfers by link, memory usage, and where the time of each core goes.

use super::causes::{CoreTimeCause, CoresEnergy, TransferReason};
use super::coala::SchedulingProblem;
use super::graph::{Tile, TileGraph};
use super::ids::{CostId, NestId, TensorId, TileId, TileNumber, TransferId};
use super::link_occupancy::TimeSpan;
use super::schedule::{CoresSchedule, Offchip, PlacedTile, StartConstraint, TransferWaits};
use crate::hardware::Operand;
use crate::ids::{TiSlice, TiVec, ti_vec};
use crate::system::{CoreId, CoreLink, CoreTopMemory, LinkId, TopMemoryId};
use crate::units::{BitsPerCycle, Cycles};
use enum_map::EnumMap;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A schedule of a network on a system of cores, with everything that explains its cost.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CoresAccount {
    /// Names of the layers.
    pub layers: TiVec<NestId, String>,
    /// The cores that compute, numbered without DRAM.
    pub cores: TiVec<CoreId, CoreTime>,
    /// Every link of the system, those to DRAM included.
    pub links: TiVec<LinkId, LinkTime>,
    /// All memories but DRAM, numbered without it.
    pub memories: TiVec<TopMemoryId, MemoryUsage>,
    /// Width and energy of one access of each memory, numbered with DRAM, as transfers refer to them.
    pub accesses: TiVec<TopMemoryId, MemoryAccess>,
    /// Whether links take energy for cycles, and again for every receiver of the same tensor, as do memories that are
    /// read (`SchedulingRules::charges_each_receiver`).
    pub charges_each_receiver: bool,
    /// Whether writes count in words of the memory that is read (`SchedulingRules::late_transfers`).
    pub writes_words_read: bool,
    /// Whether transfers take as long as links need, however narrow memories are (`SchedulingRules::ignores_ports`).
    pub ignores_ports: bool,
    /// Whether tiles stream at the rate of their busiest cycles all the time (`SchedulingRules::streams_at_peak`).
    pub streams_at_peak: bool,
    /// The different costs of tiles.
    pub costs: TiVec<CostId, TileAccount>,
    /// Tiles that take longer, as their streams need more than a link carries: by which factor.
    pub slower: Vec<(TileId, f64)>,
    /// All tiles, by layer and number.
    pub tiles: TiVec<TileId, ComputedTile>,
    /// For each tile the place in `waited_for` of the first tile that it waits for; and the end of the list.
    waits: Vec<u32>,
    /// Tiles that others wait for.
    waited_for: Vec<TileId>,
    /// All transfers, by start.
    pub transfers: TiVec<TransferId, TransferRun>,
    /// For each tile the place in `brought` of the first transfer that brings a tensor to it; and the end of the list.
    brings: Vec<u32>,
    /// Transfers that bring the tensors that tiles read.
    brought: Vec<TransferId>,
    /// Tiles that begin as soon as their tensors have arrived, with the transfer that arrives last.
    awaited: Vec<(TileId, TransferId)>,
    /// Transfers whose source has the tensor from an earlier transfer, with that one.
    came: Vec<(TransferId, TransferId)>,
    /// Energy by cause.
    pub energy: CoresEnergy,
    /// End of the last tile or transfer, cycles.
    pub latency_cycles: f64,
    /// Multiply-accumulates of the network.
    pub macs: u64,
    /// Multiply-accumulates that all arrays could do in a cycle.
    pub peak_macs_per_cycle: u64,
}

/// A core with its time by cause, cycles. The causes add up to the latency of the schedule.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CoreTime {
    /// Name of the core in the system's document.
    pub name: String,
    /// Its cycles by cause.
    pub cycles: EnumMap<CoreTimeCause, f64>,
}

/// A communication link.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LinkTime {
    /// Name of the link in the system's document.
    pub name: String,
    /// Bandwidth, bits per cycle.
    pub bandwidth: f64,
    /// Energy of a cycle in which it is used, pJ.
    pub pj_per_cycle: f64,
    /// Cycles in which it carries data.
    pub busy: f64,
}

/// Width and energy of one access of a memory.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MemoryAccess {
    /// Name of the memory, with that of its cores.
    pub memory: String,
    /// Width of an access that reads, bits.
    pub read_bits: u64,
    /// Width of an access that writes, bits.
    pub write_bits: u64,
    /// Energy of an access that reads, pJ.
    pub read_pj: f64,
    /// Energy of an access that writes, pJ.
    pub write_pj: f64,
}

/// The cost of a tile on its core.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct TileAccount {
    /// The layer that the tile is a part of.
    pub layer: NestId,
    /// The core that computes the tile.
    pub core: CoreId,
    /// Time, cycles, if the links to DRAM are wide enough.
    pub cycles: f64,
    /// Cycles of that in which the array works.
    pub computing: f64,
    /// Energy without DRAM, pJ.
    pub onchip_pj: f64,
    /// Energy of DRAM for operands that do not fit on the chip, pJ.
    pub offchip_pj: f64,
}

/// Bits held in a memory over time, and its capacity.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MemoryUsage {
    /// Its name, with that of its cores.
    pub name: String,
    /// Bits that it can hold.
    pub capacity_bits: u64,
    /// Steps: a cycle, and the bits in use from it on.
    pub usage: Vec<(i64, u64)>,
    /// Most bits that are ever in use.
    pub peak_bits: u64,
    /// The tensors of the peak, the first time. `None` where a rule frees places too early
    /// (`SchedulingRules::frees_at_once`), so that tensors do not add up to the bits in use.
    pub at_peak: Option<Vec<HeldTensors>>,
    /// The tensors in it when all memories together hold the most; `None` likewise.
    pub at_peak_of_all: Option<Vec<HeldTensors>>,
    /// Changes of its tensors, by cycle; `None` likewise.
    pub changes: Option<Vec<HeldChange>>,
}

/// A change of the bits that a memory holds of an operand of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldChange {
    /// When the change takes effect.
    pub cycle: i64,
    /// The layer that computes it, or else that reads it.
    pub layer: NestId,
    /// W, I or O of that layer.
    pub operand: Operand,
    /// Bits that are added; negative where they leave.
    pub bits: i64,
}

impl MemoryUsage {
    /// Bits in use at a cycle.
    pub fn used_at(&self, cycle: i64) -> u64 {
        let next = self.usage.partition_point(|step| step.0 <= cycle);
        next.checked_sub(1).and_then(|last| self.usage.get(last)).map_or(0, |step| step.1)
    }

    /// Bits of each operand of each layer at a cycle, the most first; `None` where tensors do not add up to the bits in
    /// use.
    pub fn held_at(&self, cycle: i64) -> Option<Vec<(NestId, Operand, u64)>> {
        let changes = self.changes.as_ref()?;
        let mut held: BTreeMap<(NestId, usize), (Operand, i64)> = BTreeMap::new();
        for change in changes.iter().take_while(|change| change.cycle <= cycle) {
            held.entry((change.layer, change.operand as usize)).or_insert((change.operand, 0)).1 += change.bits;
        }
        let held = held.into_iter().filter(|(_, (_, bits))| *bits > 0);
        let mut held: Vec<(NestId, Operand, u64)> =
            held.map(|((layer, _), (operand, bits))| (layer, operand, bits as u64)).collect();
        held.sort_by_key(|(.., bits)| std::cmp::Reverse(*bits));
        Some(held)
    }
}

/// Tensors of one operand of a layer that have the same size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldTensors {
    /// The layer that computes them, or else that reads them.
    pub layer: NestId,
    /// W, I or O of that layer.
    pub operand: Operand,
    /// Size of one, bits.
    pub bits: u64,
    /// Number of such tensors.
    pub count: u64,
}

/// Core, start and end of one tile.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ComputedTile {
    /// The layer that the tile is a part of.
    pub layer: NestId,
    /// Its place among the tiles of the layer.
    pub number: TileNumber,
    /// The core that computes the tile.
    pub core: CoreId,
    /// When it begins, cycles.
    pub start: f64,
    /// When it ends, cycles.
    pub end: f64,
    /// The reason for the time at which it begins.
    pub begin: StartConstraint,
    /// Number of the tile's account, shared by equal tiles.
    pub cost: CostId,
}

/// Time of a core before one of its tiles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// The tile before which the core may be idle.
    pub tile: TileId,
    /// When the tile before is done; 0 before the first.
    pub free: f64,
    /// When the tiles that it waits for are done, but neither before the core is free nor after it begins.
    pub ready: f64,
    /// When it begins.
    pub start: f64,
}

/// A transfer of a tensor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TransferRun {
    /// The layer that computes it, or else that reads it.
    pub layer: NestId,
    /// Which operand of that layer it is.
    pub operand: Operand,
    /// The first tile that computes or reads it.
    pub tile: TileId,
    /// Name of the core that sends it.
    pub from: String,
    /// Name of the core that it goes to.
    pub to: String,
    /// The links on its way.
    pub links: Vec<LinkId>,
    /// When it begins, cycles.
    pub start: f64,
    /// When it ends, cycles.
    pub end: f64,
    /// Why the tensor is moved.
    pub reason: TransferReason,
    /// Size of the moved data, bits.
    pub bits: u64,
    /// The reason for the time at which it begins.
    pub begin: StartConstraint,
    /// The times before which it cannot begin.
    pub waits: TransferWaits,
    /// Its data and energy.
    pub cost: TransferCost,
}

/// Amounts and energies of a transfer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum TransferCost {
    /// A tensor from one memory to another.
    Tensor {
        /// Where it is read, among [`CoresAccount::accesses`].
        source: TopMemoryId,
        /// Where it is written.
        target: TopMemoryId,
        /// Links that carry it at the same time for another receiver, and take no energy for this one; if the first does, the source has
        /// been read for that one, too.
        shared: Vec<LinkId>,
        /// Energy of the links, pJ.
        link_pj: f64,
        /// Energy of both memories, pJ.
        memory_pj: f64,
    },
    /// Data that a tile streams while it is computed, bits per cycle. Its energy is part of the tile's cost.
    Stream(f64),
}

/// The payload of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Cargo {
    /// A tensor to a memory.
    Tensor(TensorId, TopMemoryId),
    /// Operands that stream from DRAM while a tile is computed.
    Stream(TileId),
}

impl CoresAccount {
    /// The account of a schedule. `computing` counts, for each tile, the cycles in which the array computes.
    pub fn new(
        problem: SchedulingProblem<'_>,
        schedule: &CoresSchedule,
        layers: TiVec<NestId, String>,
        computing: &TiSlice<TileId, f64>,
    ) -> Self {
        let SchedulingProblem { graph, system, placed, .. } = problem;
        let is_core = |core: &CoreId| *core != system.dram;
        let mut account = Self {
            layers,
            energy: schedule.energy,
            latency_cycles: schedule.latency.0,
            macs: 0,
            peak_macs_per_cycle: 0,
            charges_each_receiver: problem.rules.charges_each_receiver,
            writes_words_read: problem.rules.late_transfers,
            ignores_ports: problem.rules.ignores_ports,
            streams_at_peak: problem.rules.streams_at_peak,
            slower: schedule
                .streams
                .iter()
                .map(|stream| (stream.tile, stream.slower))
                .filter(|of| of.1 > 1.0)
                .collect(),
            waits: vec![0],
            ..Self::default()
        };
        let mut known: FxHashMap<(NestId, CoreId, [u64; 4]), CostId> = FxHashMap::default();
        for (tile, facts) in graph.tiles.iter_enumerated() {
            let span = schedule.tiles[tile].unwrap_or(TimeSpan { start: Cycles::ZERO, end: Cycles::ZERO });
            let &Tile { layer, number, .. } = facts;
            let PlacedTile { core, cycles, onchip_pj, offchip_pj, .. } = placed[tile];
            let computing = computing.get(tile).copied().unwrap_or_default();
            let cycles = cycles.0;
            let bill = TileAccount { layer, core, cycles, computing, onchip_pj, offchip_pj };
            let key = (layer, core, [cycles, computing, onchip_pj, offchip_pj].map(f64::to_bits));
            let cost = *known.entry(key).or_insert_with(|| account.costs.push_and_get_key(bill));
            let begin = schedule.begins.get(tile).copied().unwrap_or_default();
            account.tiles.push(ComputedTile { layer, number, core, start: span.start.0, end: span.end.0, begin, cost });
            let before = graph.predecessors(tile).filter(|edge| edge.operand.is_some());
            account.waited_for.extend(before.map(|edge| edge.from));
            account.waits.push(account.waited_for.len() as u32);
        }
        let core_time = |core: CoreId| CoreTime { name: system.cores[core].clone(), ..CoreTime::default() };
        account.cores = system.cores.keys().filter(is_core).map(core_time).collect();
        account.share_time();
        account.list_transfers(problem, schedule);
        account.slower.sort_by_key(|of| of.0);
        let name = |memory: &CoreTopMemory| {
            let cores: Vec<&str> = memory.cores.iter().map(|&core| system.cores[core].as_str()).collect();
            format!("{} of {}", memory.name, cores.join(", "))
        };
        let access = |(id, memory): (TopMemoryId, &CoreTopMemory)| MemoryAccess {
            memory: if id == system.dram_memory() { memory.name.clone() } else { name(memory) },
            read_bits: memory.read_width.0,
            write_bits: memory.write_width.0,
            read_pj: memory.read_pj,
            write_pj: memory.write_pj,
        };
        account.accesses = system.memories.iter_enumerated().map(access).collect();
        let memories = system.memories.iter_enumerated().filter(|(memory, _)| *memory != system.dram_memory());
        for (index, memory) in memories {
            let usage = schedule.memories.get(index).cloned().unwrap_or_default();
            account.memories.push(MemoryUsage {
                name: name(memory),
                capacity_bits: memory.capacity.0,
                peak_bits: usage.iter().map(|step| step.1).max().unwrap_or(0),
                usage,
                at_peak: None,
                at_peak_of_all: None,
                changes: None,
            });
        }
        if !problem.rules.frees_at_once && !schedule.contents.is_empty() {
            account.find_held(problem, schedule);
        }
        account
    }

    /// The tiles that a tile waits for.
    pub fn waits_for(&self, tile: TileId) -> &[TileId] {
        &self.waited_for[self.waits[tile.index()] as usize..self.waits[tile.index() + 1] as usize]
    }

    /// The transfers that a tile waits for; a tensor that is in the memory already needs none.
    pub fn brought_for(&self, tile: TileId) -> &[TransferId] {
        &self.brought[self.brings[tile.index()] as usize..self.brings[tile.index() + 1] as usize]
    }

    /// The transfer that a tile waits for last, if the tile begins as soon as it has arrived.
    pub fn awaited_by(&self, tile: TileId) -> Option<TransferId> {
        let place = self.awaited.binary_search_by_key(&tile, |awaited| awaited.0).ok()?;
        Some(self.awaited[place].1)
    }

    /// The transfer that brought a tensor to the source of a transfer; `None` where a tile computed it there, or DRAM
    /// has it.
    pub fn came_by(&self, transfer: TransferId) -> Option<TransferId> {
        let place = self.came.binary_search_by_key(&transfer, |came| came.0).ok()?;
        Some(self.came[place].1)
    }

    /// The number of cycles in which a tile keeps the array at work.
    pub fn computing(&self, tile: TileId) -> f64 {
        let run = &self.tiles[tile];
        self.costs[run.cost].computing.clamp(0.0, run.end - run.start)
    }

    /// The tiles of a core by start, with the time before each.
    pub fn gaps(&self, core: CoreId) -> Vec<Gap> {
        let tiles = self.tiles.iter_enumerated().filter(|(_, run)| run.core == core);
        let mut by_start: Vec<TileId> = tiles.map(|(tile, _)| tile).collect();
        by_start.sort_by(|&a, &b| self.tiles[a].start.total_cmp(&self.tiles[b].start));
        let mut free = 0.0;
        let gap = |tile: TileId| {
            let run = &self.tiles[tile];
            let ready = self.waits_for(tile).iter().map(|&before| self.tiles[before].end).fold(0.0, f64::max);
            let gap = Gap { tile, free, ready: ready.clamp(free, run.start.max(free)), start: run.start.max(free) };
            free = run.end;
            gap
        };
        by_start.into_iter().map(gap).collect()
    }

    /// The spans in which a link carries data, without overlaps, in order.
    pub fn busy_spans(&self, link: LinkId) -> Vec<TimeSpan> {
        let over_it = self.transfers.iter().filter(|run| run.links.contains(&link));
        disjoint(over_it.map(|run| TimeSpan { start: Cycles(run.start), end: Cycles(run.end) }).collect())
    }

    /// Bits that are in use on the chip at most, in all memories together.
    pub fn peak_bits(&self) -> u64 {
        self.peak().1
    }

    /// The first cycle of the peak, and the bits that are in use on the chip then.
    pub fn peak(&self) -> (i64, u64) {
        let mut steps: Vec<(i64, i64)> = Vec::new();
        for memory in &self.memories {
            let mut before = 0;
            for &(time, bits) in &memory.usage {
                steps.push((time, bits as i64 - before));
                before = bits as i64;
            }
        }
        steps.sort_unstable_by_key(|step| step.0);
        let (mut bits, mut most, mut when) = (0, 0, 0);
        for at_once in steps.chunk_by(|a, b| a.0 == b.0) {
            bits += at_once.iter().map(|step| step.1).sum::<i64>();
            if bits > most {
                (most, when) = (bits, at_once[0].0);
            }
        }
        (when, most as u64)
    }

    /// Divides the time of each core among its causes.
    fn share_time(&mut self) {
        for core in self.cores.keys() {
            let mut time = EnumMap::<CoreTimeCause, f64>::default();
            let mut free = 0.0;
            for Gap { tile, free: before, ready, start } in self.gaps(core) {
                let run = &self.tiles[tile];
                time[CoreTimeCause::Idle] += ready - before;
                time[CoreTimeCause::Transferring] += start - ready;
                let works = self.computing(tile);
                time[CoreTimeCause::Computing] += works;
                time[CoreTimeCause::Stalling] += run.end - run.start - works;
                free = run.end;
            }
            time[CoreTimeCause::Idle] += (self.latency_cycles - free).max(0.0);
            self.cores[core].cycles = time;
        }
    }

    /// Finds the tensors in memories at their peaks.
    fn find_held(&mut self, problem: SchedulingProblem<'_>, schedule: &CoresSchedule) {
        let owner = owners(problem.graph);
        let held = |memory: TopMemoryId, cycle: i64| {
            let mut counts: BTreeMap<(NestId, usize, u64), (Operand, i64)> = BTreeMap::new();
            let here =
                schedule.contents.iter().filter(|change| change.memory == memory && change.time.0 as i64 <= cycle);
            for change in here {
                let Some((tile, operand)) = owner[change.tensor] else { continue };
                let key =
                    (problem.graph.tiles[tile].layer, operand as usize, problem.graph.tensors[change.tensor].bits.0);
                counts.entry(key).or_insert((operand, 0)).1 += if change.comes { 1 } else { -1 };
            }
            let tensors = counts.into_iter().filter(|(_, (_, count))| *count > 0);
            let tensors = tensors.map(|((layer, _, bits), (operand, count))| HeldTensors {
                layer,
                operand,
                bits,
                count: count as u64,
            });
            tensors.filter(|tensors| tensors.bits > 0).collect::<Vec<_>>()
        };
        let (when, _) = self.peak();
        let dram = problem.system.dram_memory();
        let memories = problem.system.memories.keys().filter(|memory| *memory != dram);
        for (of, memory) in self.memories.iter_mut().zip(memories) {
            let first = of.usage.iter().find(|step| step.1 == of.peak_bits).map_or(0, |step| step.0);
            of.at_peak = Some(held(memory, first));
            of.at_peak_of_all = Some(held(memory, when));
            let here = schedule.contents.iter().filter(|change| change.memory == memory);
            let changes = here.filter_map(|change| {
                let (tile, operand) = owner[change.tensor]?;
                let bits = problem.graph.tensors[change.tensor].bits.0 as i64;
                let bits = if change.comes { bits } else { -bits };
                let layer = problem.graph.tiles[tile].layer;
                (bits != 0).then_some(HeldChange { cycle: change.time.0 as i64, layer, operand, bits })
            });
            let mut changes: Vec<HeldChange> = changes.collect();
            changes.sort_by_key(|change| change.cycle);
            of.changes = Some(changes);
        }
    }

    fn list_transfers(&mut self, problem: SchedulingProblem<'_>, schedule: &CoresSchedule) {
        let SchedulingProblem { graph, system, .. } = problem;
        let owner = owners(graph);
        let mut busy: TiVec<LinkId, Vec<TimeSpan>> = ti_vec![Vec::new(); system.links.len()];
        let mut listed: TiVec<TransferId, (TransferRun, Option<Cargo>)> = TiVec::new();
        // A tensor that a link carries from one time on serves all its receivers, as in `Traffic::carry`.
        let mut carried: FxHashSet<(LinkId, TensorId, u64)> = FxHashSet::default();
        for transfer in &schedule.transfers {
            let links = system.route(transfer.from, transfer.to);
            let mut is_carried =
                |link: &LinkId| !carried.insert((*link, transfer.tensor, transfer.span.start.0.to_bits()));
            let shared: Vec<LinkId> = links.iter().copied().filter(|link| is_carried(link)).collect();
            let Some((tile, operand)) = owner[transfer.tensor] else { continue };
            let cost = TransferCost::Tensor {
                source: transfer.source,
                target: transfer.memory,
                shared,
                link_pj: transfer.link_pj,
                memory_pj: transfer.memory_pj,
            };
            links.iter().for_each(|&link| busy[link].push(transfer.span));
            let run = TransferRun {
                layer: graph.tiles[tile].layer,
                operand,
                tile,
                from: system.cores[transfer.from].clone(),
                to: system.cores[transfer.to].clone(),
                links: links.to_vec(),
                start: transfer.span.start.0,
                end: transfer.span.end.0,
                reason: transfer.reason,
                bits: graph.tensors[transfer.tensor].bits.0,
                begin: transfer.begin,
                waits: transfer.waits,
                cost,
            };
            listed.push((run, Some(Cargo::Tensor(transfer.tensor, transfer.memory))));
        }
        for stream in &schedule.streams {
            let placed = &problem.placed[stream.tile];
            let Offchip { to, from } = placed.offchip;
            let ways = [(system.dram, placed.core, from), (placed.core, system.dram, to)];
            for (from, to, demand) in ways.into_iter().filter(|way| way.2 > BitsPerCycle::ZERO) {
                let links = system.route(from, to);
                links.iter().for_each(|&link| busy[link].push(stream.span));
                let run = TransferRun {
                    layer: graph.tiles[stream.tile].layer,
                    operand: placed.too_large.first().copied().unwrap_or(Operand::W),
                    tile: stream.tile,
                    from: system.cores[from].clone(),
                    to: system.cores[to].clone(),
                    links: links.to_vec(),
                    start: stream.span.start.0,
                    end: stream.span.end.0,
                    reason: TransferReason::Fetch,
                    // As much as without other streams in its way, which only make it take longer.
                    bits: (demand * placed.cycles).0 as u64,
                    begin: StartConstraint::Links,
                    waits: stream.waits,
                    cost: TransferCost::Stream(demand.0),
                };
                listed.push((run, (from == system.dram).then_some(Cargo::Stream(stream.tile))));
            }
        }
        listed.sort_by(|a, b| a.0.start.total_cmp(&b.0.start));
        self.find_brought(problem, schedule, &listed);
        self.transfers = listed.into_iter().map(|(run, _)| run).collect();
        for (link, spans) in system.links.iter().zip(busy) {
            let busy = disjoint(spans).iter().fold(0.0, |sum, span| sum + span.length().0);
            let &CoreLink { ref name, bandwidth, pj_per_cycle } = link;
            self.links.push(LinkTime { name: name.clone(), bandwidth: bandwidth.0, pj_per_cycle, busy });
        }
    }

    /// Finds the transfers that each tile waits for: of each tensor that it reads the last arrival before it begins, and its streams.
    fn find_brought(
        &mut self,
        problem: SchedulingProblem<'_>,
        schedule: &CoresSchedule,
        listed: &TiSlice<TransferId, (TransferRun, Option<Cargo>)>,
    ) {
        let SchedulingProblem { graph, system, placed, .. } = problem;
        let mut arrivals: FxHashMap<Cargo, Vec<TransferId>> = FxHashMap::default();
        for (index, (_, cargo)) in listed.iter_enumerated() {
            if let Some(cargo) = cargo {
                arrivals.entry(*cargo).or_default().push(index);
            }
        }
        for (index, (run, cargo)) in listed.iter_enumerated() {
            let (Some(Cargo::Tensor(tensor, _)), TransferCost::Tensor { source, .. }) = (cargo, &run.cost) else {
                continue;
            };
            let arrivals = arrivals.get(&Cargo::Tensor(*tensor, *source));
            let is_it = |arrival: &&TransferId| listed[**arrival].0.end == run.waits.there;
            self.came.extend(arrivals.and_then(|arrivals| Some((index, *arrivals.iter().rfind(is_it)?))));
        }
        for &(tile, tensor, memory) in &schedule.awaited {
            let in_time = |arrival: &&TransferId| listed[**arrival].0.end <= self.tiles[tile].start;
            let arrivals = arrivals.get(&Cargo::Tensor(tensor, memory));
            let last = arrivals.and_then(|arrivals| arrivals.iter().rfind(in_time));
            self.awaited.extend(last.map(|&transfer| (tile, transfer)));
        }
        self.awaited.sort_unstable();
        self.brings.push(0);
        for (tile, facts) in graph.tiles.iter_enumerated() {
            let PlacedTile { core, too_large, .. } = &placed[tile];
            let start = self.tiles[tile].start;
            let constants = facts.constants.iter().map(|&operand| (graph.tensor(tile, operand), operand));
            let computed = graph.predecessors(tile);
            let computed = computed.filter_map(|edge| Some((graph.tensor(edge.from, Operand::O), edge.operand?)));
            for (tensor, operand) in constants.chain(computed) {
                let Some(tensor) = tensor.filter(|_| !too_large.contains(&operand)) else { continue };
                let cargo = Cargo::Tensor(tensor, system.memory_of[*core][operand as usize]);
                let in_time = |arrival: &&TransferId| listed[**arrival].0.end <= start;
                let last = arrivals.get(&cargo).and_then(|arrivals| arrivals.iter().rfind(in_time));
                self.brought.extend(last);
            }
            self.brought.extend(arrivals.get(&Cargo::Stream(tile)).into_iter().flatten());
            self.brings.push(self.brought.len() as u32);
        }
    }
}

/// The tile that computes each tensor, or else the first that reads it.
fn owners(graph: &TileGraph) -> TiVec<TensorId, Option<(TileId, Operand)>> {
    let mut owner: TiVec<TensorId, Option<(TileId, Operand)>> = ti_vec![None; graph.tensors.len()];
    for (tile, facts) in graph.tiles.iter_enumerated() {
        for operand in Operand::ALL {
            let Some(tensor) = facts.tensors[operand as usize] else { continue };
            if operand == Operand::O || !graph.tensors[tensor].is_output && owner[tensor].is_none() {
                owner[tensor] = Some((tile, operand));
            }
        }
    }
    owner
}

/// The union of spans, as spans that do not overlap, in order.
fn disjoint(mut spans: Vec<TimeSpan>) -> Vec<TimeSpan> {
    spans.sort_by(|a, b| a.start.0.total_cmp(&b.start.0));
    let mut covered = Cycles::ZERO;
    let rest = spans.into_iter().filter_map(|span| {
        let start = span.start.max(covered);
        covered = covered.max(span.end);
        (span.end > start).then_some(TimeSpan { start, end: span.end })
    });
    rest.collect()
}
