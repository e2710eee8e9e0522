//! The account of a schedule: tiles by core, transfers by link, memory usage, and where the time of each core goes.

use super::coala::SchedulingProblem;
use super::graph::Tile;
use super::ids::{CoreId, LinkId, NestId, TensorId, TileId, TileNumber, TopMemoryId, TransferId};
use super::link_occupancy::Span;
use super::schedule::{Offchip, PlacedTile, Schedule, SystemEnergy, TransferReason};
use crate::hardware::Operand;
use crate::ids::{TiSlice, TiVec, ti_vec};
use crate::units::{BitsPerCycle, Cycles};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// A schedule of a network on a system of cores, with everything that explains its cost.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SystemAccount {
    /// Names of the layers.
    pub layers: TiVec<NestId, String>,
    /// The cores that compute, numbered without DRAM.
    pub cores: TiVec<CoreId, CoreTime>,
    /// All links.
    pub links: TiVec<LinkId, LinkTime>,
    /// All memories but DRAM, numbered without it.
    pub memories: TiVec<TopMemoryId, MemoryUse>,
    /// All tiles, by layer and number.
    pub tiles: TiVec<TileId, TileRun>,
    /// For each tile where the tiles that it waits for begin in `waited_for`, and one more at the end.
    waits: Vec<u32>,
    /// Tiles that others wait for.
    waited_for: Vec<TileId>,
    /// All transfers, by start.
    pub transfers: TiVec<TransferId, TransferRun>,
    /// For each tile where the transfers that bring what it reads begin in `brought`, and one more at the end.
    brings: Vec<u32>,
    /// Transfers that bring what tiles read.
    brought: Vec<TransferId>,
    /// Energy by cause.
    pub energy: SystemEnergy,
    /// End of the last tile or transfer, cycles.
    pub latency_cycles: f64,
}

/// A core with its time by cause, cycles. The causes add up to the latency of the schedule.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CoreTime {
    /// Its name.
    pub name: String,
    /// Cycles in which the array computes.
    pub computing: f64,
    /// Cycles in which a tile is on the core, and the array waits for the core's own memories.
    pub stalling: f64,
    /// Cycles in which the next tile's predecessors are done, and it waits for transfers or room in memories.
    pub transferring: f64,
    /// Cycles in which the next tile waits for other tiles, or no tile is left.
    pub idle: f64,
}

/// A communication link.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LinkTime {
    /// Its name.
    pub name: String,
    /// Bandwidth, bits a cycle.
    pub bandwidth: f64,
    /// Cycles in which it carries data.
    pub busy: f64,
}

/// Usage of a memory.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MemoryUse {
    /// Its name, with that of its cores.
    pub name: String,
    /// Capacity, bits.
    pub capacity_bits: u64,
    /// Steps: a cycle, and the bits in use from it on.
    pub usage: Vec<(i64, u64)>,
    /// Most bits that are ever in use.
    pub peak_bits: u64,
}

/// A computed tile.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TileRun {
    /// Its layer.
    pub layer: NestId,
    /// Its place among the tiles of the layer.
    pub number: TileNumber,
    /// Its core.
    pub core: CoreId,
    /// When it begins, cycles.
    pub start: f64,
    /// When it ends, cycles.
    pub end: f64,
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
    /// Name of the core that it comes from.
    pub from: String,
    /// Name of the core that it goes to.
    pub to: String,
    /// Over these links.
    pub links: Vec<LinkId>,
    /// When it begins, cycles.
    pub start: f64,
    /// When it ends, cycles.
    pub end: f64,
    /// Why.
    pub reason: TransferReason,
    /// How much, bits.
    pub bits: u64,
}

/// The payload of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Cargo {
    /// A tensor to a memory.
    Tensor(TensorId, TopMemoryId),
    /// Operands that stream from DRAM while a tile is computed.
    Stream(TileId),
}

impl SystemAccount {
    /// The account of a schedule. `computing` counts, for each tile, the cycles in which the array computes.
    pub fn new(
        problem: SchedulingProblem<'_>,
        schedule: &Schedule,
        layers: TiVec<NestId, String>,
        computing: &TiSlice<TileId, f64>,
    ) -> Self {
        let SchedulingProblem { graph, system, placed, .. } = problem;
        let is_core = |core: &CoreId| *core != system.dram;
        let place = |core: CoreId| CoreId::from(core.index() - usize::from(core > system.dram));
        let mut account = Self {
            layers,
            energy: schedule.energy,
            latency_cycles: schedule.latency.0,
            waits: vec![0],
            ..Self::default()
        };
        for (tile, facts) in graph.tiles.iter_enumerated() {
            let span = schedule.tiles[tile].unwrap_or(Span { start: Cycles::ZERO, end: Cycles::ZERO });
            let (core, &Tile { layer, number, .. }) = (place(placed[tile].core), facts);
            account.tiles.push(TileRun { layer, number, core, start: span.start.0, end: span.end.0 });
            let before = graph.predecessors(tile).filter(|edge| edge.operand.is_some());
            account.waited_for.extend(before.map(|edge| edge.from));
            account.waits.push(account.waited_for.len() as u32);
        }
        let core_time = |core: CoreId| CoreTime { name: system.cores[core].clone(), ..CoreTime::default() };
        account.cores = system.cores.keys().filter(is_core).map(core_time).collect();
        account.share_time(computing);
        account.list_transfers(problem, schedule);
        let memories = system.memories.iter_enumerated().filter(|(memory, _)| *memory != system.dram_memory());
        for (index, memory) in memories {
            let usage = schedule.memories.get(index).cloned().unwrap_or_default();
            let cores: Vec<&str> = memory.cores.iter().map(|&core| system.cores[core].as_str()).collect();
            account.memories.push(MemoryUse {
                name: format!("{} of {}", memory.name, cores.join(", ")),
                capacity_bits: memory.capacity.0,
                peak_bits: usage.iter().map(|step| step.1).max().unwrap_or(0),
                usage,
            });
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

    /// Peak usage of all memories on the chip together, bits.
    pub fn peak_bits(&self) -> u64 {
        let mut steps: Vec<(i64, i64)> = Vec::new();
        for memory in &self.memories {
            let mut before = 0;
            for &(time, bits) in &memory.usage {
                steps.push((time, bits as i64 - before));
                before = bits as i64;
            }
        }
        steps.sort_unstable_by_key(|step| step.0);
        let (mut bits, mut most) = (0, 0);
        for at_once in steps.chunk_by(|a, b| a.0 == b.0) {
            bits += at_once.iter().map(|step| step.1).sum::<i64>();
            most = most.max(bits);
        }
        most as u64
    }

    /// Divides the time of each core among its causes.
    fn share_time(&mut self, computing: &TiSlice<TileId, f64>) {
        let mut by_start: Vec<TileId> = self.tiles.keys().collect();
        by_start.sort_by(|&a, &b| self.tiles[a].start.total_cmp(&self.tiles[b].start));
        let mut free: TiVec<CoreId, f64> = ti_vec![0.0; self.cores.len()];
        for tile in by_start {
            let run = self.tiles[tile];
            let ready = self.waits_for(tile).iter().map(|&before| self.tiles[before].end).fold(0.0, f64::max);
            let (core, free) = (&mut self.cores[run.core], &mut free[run.core]);
            let ready = ready.clamp(*free, run.start.max(*free));
            core.idle += ready - *free;
            core.transferring += run.start.max(*free) - ready;
            let works = computing.get(tile).copied().unwrap_or(0.0).clamp(0.0, run.end - run.start);
            core.computing += works;
            core.stalling += run.end - run.start - works;
            *free = run.end;
        }
        for (core, free) in self.cores.iter_mut().zip(free) {
            core.idle += (self.latency_cycles - free).max(0.0);
        }
    }

    fn list_transfers(&mut self, problem: SchedulingProblem<'_>, schedule: &Schedule) {
        let SchedulingProblem { graph, system, .. } = problem;
        // Who computes each tensor, or else the first that reads it.
        let mut owner: TiVec<TensorId, Option<(TileId, Operand)>> = ti_vec![None; graph.tensors.len()];
        for (tile, facts) in graph.tiles.iter_enumerated() {
            for operand in Operand::ALL {
                let Some(tensor) = facts.tensors[operand as usize] else { continue };
                if operand == Operand::O || !graph.tensors[tensor].is_output && owner[tensor].is_none() {
                    owner[tensor] = Some((tile, operand));
                }
            }
        }
        let mut busy: TiVec<LinkId, Vec<(f64, f64)>> = ti_vec![Vec::new(); system.links.len()];
        let mut listed: TiVec<TransferId, (TransferRun, Option<Cargo>)> = TiVec::new();
        for transfer in &schedule.transfers {
            let Some((tile, operand)) = owner[transfer.tensor] else { continue };
            let links = system.route(transfer.from, transfer.to);
            links.iter().for_each(|&link| busy[link].push((transfer.span.start.0, transfer.span.end.0)));
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
            };
            listed.push((run, Some(Cargo::Tensor(transfer.tensor, transfer.memory))));
        }
        for stream in &schedule.streams {
            let placed = &problem.placed[stream.tile];
            let Offchip { to, from } = placed.offchip;
            let ways = [(system.dram, placed.core, from), (placed.core, system.dram, to)];
            for (from, to, demand) in ways.into_iter().filter(|way| way.2 > BitsPerCycle::ZERO) {
                let links = system.route(from, to);
                links.iter().for_each(|&link| busy[link].push((stream.span.start.0, stream.span.end.0)));
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
                    bits: (demand * stream.span.length()).0 as u64,
                };
                listed.push((run, (from == system.dram).then_some(Cargo::Stream(stream.tile))));
            }
        }
        listed.sort_by(|a, b| a.0.start.total_cmp(&b.0.start));
        self.find_brought(problem, &listed);
        self.transfers = listed.into_iter().map(|(run, _)| run).collect();
        for (link, mut spans) in system.links.iter().zip(busy) {
            spans.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (mut total, mut covered) = (0.0, 0.0_f64);
            for (start, end) in spans {
                total += (end - start.max(covered)).max(0.0);
                covered = covered.max(end);
            }
            self.links.push(LinkTime { name: link.name.clone(), bandwidth: link.bandwidth.0, busy: total });
        }
    }

    /// Finds the transfers that each tile waits for: of each tensor that it reads the last arrival before it begins, and its streams.
    fn find_brought(
        &mut self,
        problem: SchedulingProblem<'_>,
        listed: &TiSlice<TransferId, (TransferRun, Option<Cargo>)>,
    ) {
        let SchedulingProblem { graph, system, placed, .. } = problem;
        let mut arrivals: FxHashMap<Cargo, Vec<TransferId>> = FxHashMap::default();
        for (index, (_, cargo)) in listed.iter_enumerated() {
            if let Some(cargo) = cargo {
                arrivals.entry(*cargo).or_default().push(index);
            }
        }
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
