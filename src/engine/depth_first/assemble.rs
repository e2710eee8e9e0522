//! Assembles the account of a point from the solutions of its mapping problems (DeFiNES, Section III, step 6).
//!
//! Layers, tiles and copies follow each other: nothing overlaps, so energies and latencies are plain sums.

use super::account::{
    CacheAccount, CopyAccount, CopyActionAccount, CopyPort, DataBits, HopAccount, HopEnd, LayerTileAccount,
    LayerTileCost, MemoryAccount, PointAccount, StackAccount, TileTypeAccount, TopMemory,
};
use super::copies::{CopyAction, CopyCost, CopyRoutes};
use super::ids::{NodeId, ProblemId};
use super::plan::{LayerTilePlan, PointPlan, ReadPlan, StackPlan, TilePlan};
use super::problems::Problems;
use super::reasons::Reasons;
use super::solved::{MemoryUse, SolvedCost};
use crate::cost::{AccessCause, EnergyCause, EnergySplit, Evaluator, LatencyCause, LatencySplit};
use crate::hardware::{Core, MemoryId, Movement, Operand};
use crate::ids::{TiSlice, TiVec, ti_vec};
use crate::mapping::LayerOnCore;
use crate::rules::Rules;
use crate::search::Solution;
use crate::workload::{Dim, Network, Precision};
use std::collections::HashMap;

/// Assembles accounts of points: the inputs that all points share, and the costs of problems that are known.
pub struct Assembler<'a> {
    core: &'a Core,
    network: &'a Network,
    rules: Rules,
    problems: &'a Problems,
    costs: HashMap<ProblemId, SolvedCost>,
    routes: CopyRoutes<'a>,
}

impl<'a> Assembler<'a> {
    /// An assembler for the points whose problems are in `problems`.
    pub fn new(core: &'a Core, network: &'a Network, rules: Rules, problems: &'a Problems) -> Self {
        Self { core, network, rules, problems, costs: HashMap::new(), routes: CopyRoutes::new(core, rules) }
    }

    /// The whole account of a point; `None` where a solution is missing or does not belong to its problem, or where a
    /// sum is too large to count.
    pub fn assemble<'s>(
        &mut self,
        plan: &PointPlan,
        solution: &dyn Fn(ProblemId) -> Option<&'s Solution>,
    ) -> Option<PointAccount> {
        let mut memories = ti_vec![MemoryUse::default(); self.core.memories.len()];
        let (mut energy, mut latency, mut macs) = (EnergySplit::default(), LatencySplit::default(), 0_u64);
        let mut stacks = Vec::new();
        for stack in &plan.stacks {
            let (mut stack_energy, mut stack_latency) = (EnergySplit::default(), LatencySplit::default());
            let mut tile_types = TiVec::new();
            for tile in &stack.types {
                let mut total = TileTotal::default();
                let layers = tile
                    .layers
                    .iter_enumerated()
                    .map(|(node, layer)| self.layer(stack, tile, (node, layer), solution, &mut memories, &mut total))
                    .collect::<Option<TiVec<_, _>>>()?;
                stack_energy.add(&total.energy, tile.count as f64);
                stack_latency.add(&total.latency, tile.count);
                macs = total.macs.checked_mul(tile.count).and_then(|of_type| of_type.checked_add(macs))?;
                tile_types.push(self.tile_type(stack, tile, &total, layers));
            }
            energy.add(&stack_energy, 1.0);
            latency.add(&stack_latency, 1);
            stacks.push(StackAccount {
                layers: stack.stack.layers().iter().map(|&id| self.network.layer(id).name.clone()).collect(),
                output_size: stack.output_size,
                weight_bits: stack.weight_bits,
                weight_memory: self.memory_name(stack.weight_memory),
                tile_count: stack.types.iter().map(|tile| tile.count).sum(),
                energy_pj: stack_energy.total_pj(),
                latency_cycles: stack_latency.total_cycles(),
                tile_types,
                map: stack.map.clone(),
            });
        }
        // Sums stop at the largest number; one that got there is wrong.
        (latency.total_cycles() < u64::MAX).then_some(())?;
        Some(PointAccount {
            strategy: plan.strategy.clone(),
            energy_pj: energy.total_pj(),
            latency_cycles: latency.total_cycles(),
            macs,
            network_macs: self.network.macs(),
            mac_energy: self.core.mac_energy.clone(),
            pe_count: self.core.pe_count(),
            power: self.core.power(energy.total_pj(), latency.total_cycles() as f64, self.network.macs()),
            energy,
            latency,
            memories: self.memory_accounts(&memories),
            stacks,
        })
    }

    fn memory_name(&self, memory: Option<MemoryId>) -> Option<String> {
        memory.map(|id| self.core.memories[id].name.clone())
    }

    fn memory_accounts(&self, uses: &TiSlice<MemoryId, MemoryUse>) -> TiVec<MemoryId, MemoryAccount> {
        let accounts = self.core.memories.iter().zip(uses);
        accounts
            .map(|(memory, used)| MemoryAccount {
                name: memory.name.clone(),
                size_bits: memory.size_bits,
                instances: memory.instances,
                operands: memory.operands.clone(),
                words: used.words,
                elements: used.elements,
                energy_pj: used.energy_pj,
            })
            .collect()
    }

    fn reasons(&self) -> Reasons<'_> {
        Reasons { core: self.core, rules: &self.rules, network: self.network, problems: self.problems }
    }

    fn tile_type(
        &self,
        stack: &StackPlan,
        tile: &TilePlan,
        total: &TileTotal,
        layers: TiVec<NodeId, LayerTileAccount>,
    ) -> TileTypeAccount {
        let deciders = stack.deciders(tile, self.core);
        let h = deciders.h_write.or(deciders.h_read).filter(|decided| decided.caches.h_memory.is_some());
        let v = deciders.v.filter(|decided| decided.caches.v_memory.is_some());
        TileTypeAccount {
            size: tile.size,
            count: tile.count,
            first_position: tile.first_position,
            weights_from_top: tile.weights_from_top,
            caches: CacheAccount {
                h_write: self.memory_name(tile.caches.h_write),
                h_read: self.memory_name(tile.caches.h_read),
                v_write: self.memory_name(tile.caches.v_write),
                v_read: self.memory_name(tile.caches.v_read),
                h_bits: h.map_or(0, |decided| decided.caches.h_cache_bits),
                v_bits: v.map_or(0, |decided| decided.caches.v_cache_bits),
                reasons: self.reasons().of_caches(stack, tile),
            },
            energy_pj: total.energy.total_pj(),
            latency_cycles: total.latency.total_cycles(),
            layers,
        }
    }

    fn layer<'s>(
        &mut self,
        stack: &StackPlan,
        tile: &TilePlan,
        (node, plan): (NodeId, &LayerTilePlan),
        solution: &dyn Fn(ProblemId) -> Option<&'s Solution>,
        memories: &mut TiSlice<MemoryId, MemoryUse>,
        total: &mut TileTotal,
    ) -> Option<LayerTileAccount> {
        let layer = self.network.layer(plan.layer);
        let times = tile.count;
        let copies = self.copies(tile.copies_before(plan), times, memories);
        total.energy[EnergyCause::Access(AccessCause::Copy)] += copies.energy_pj;
        total.latency[LatencyCause::Copy] += copies.latency_cycles;
        let mut cost = None;
        let (mut macs, mut shape) = (0, layer.shape);
        if let Some(problem) = plan.problem {
            shape = self.problems.list[problem].shape;
            macs = shape.macs();
            let solved = self.solved(problem, solution)?;
            for (memory, used) in memories.iter_mut().zip(&solved.memories) {
                memory.add(used, times as f64);
            }
            total.energy.add(&solved.energy, 1.0);
            total.latency.add(&solved.latency, 1);
            total.macs += macs;
            cost = Some(LayerTileCost {
                energy: solved.energy,
                latency: solved.latency,
                loops: solved.loops.clone(),
                unrolled: solved.unrolled.clone(),
                spatial_utilization: solved.spatial_utilization,
                accesses: solved.accesses.clone(),
                held: solved.held.clone(),
                slowest_port: solved.slowest_port.clone(),
            });
        }
        let reasons = self.reasons().of(stack, plan);
        let of = |operand: Operand| self.memory_name(plan.top[operand as usize]);
        let reads = tile.reads_of(plan);
        let cached = |cached: &dyn Fn(&ReadPlan) -> (u64, u64)| -> u64 {
            let pixel_bits = |read: &ReadPlan| layer.shape.precision.i * read.channels * layer.shape.size(Dim::B);
            reads.iter().map(|read| (cached(read), pixel_bits(read))).map(|((x, y), bits)| x * y * bits).sum()
        };
        Some(LayerTileAccount {
            layer: layer.name.clone(),
            kind: (!plan.is_input).then(|| layer.shape.kind.name().to_owned()),
            output: (plan.computed.0, plan.computed.1, plan.channels),
            window: plan.needed,
            inputs: reads.iter().map(|read| (read.needed.0, read.needed.1, read.channels)).collect(),
            macs,
            shape,
            inputs_from: stack.stack.producers[node].clone(),
            cached: reads.iter().map(|read| read.cached).collect(),
            bits: DataBits {
                w: if plan.is_input { 0 } else { layer.shape.weight_bits() },
                i: plan.bits.0,
                o: plan.bits.1,
                h_cached: cached(&|read| (read.cached.0, read.needed.1)),
                v_cached: cached(&|read| (read.needed.0.saturating_sub(read.cached.0), read.cached.1)),
            },
            top_memory: TopMemory { w: of(Operand::W), i: of(Operand::I), o: of(Operand::O) },
            reasons,
            copies,
            cost,
        })
    }

    fn copies(
        &mut self,
        actions: &[CopyAction],
        times: u64,
        memories: &mut TiSlice<MemoryId, MemoryUse>,
    ) -> CopyAccount {
        let accounts = actions.iter().map(|action| self.copy(action, times, memories)).collect();
        let CopyCost { energy_pj, latency } = self.routes.cost(actions);
        let last_port = self.routes.last_port(actions).map(|port| CopyPort {
            memory: self.core.memories[port.memory].name.clone(),
            start: port.start.0,
            end: port.end.0,
            uses: port.uses.into_iter().map(|cycles| cycles.0).collect(),
        });
        CopyAccount { actions: accounts, energy_pj, latency_cycles: latency.0, last_port }
    }

    fn copy(
        &mut self,
        action: &CopyAction,
        times: u64,
        memories: &mut TiSlice<MemoryId, MemoryUse>,
    ) -> CopyActionAccount {
        let core = self.core;
        let name = |id: MemoryId| core.memories[id].name.clone();
        let layer = self.network.layer(action.layer);
        let element_bits = element_bits(&layer.shape.precision, action);
        let elements = action.bits.0 as f64 / element_bits as f64;
        let mut account = CopyActionAccount {
            kind: action.kind,
            layer: layer.name.clone(),
            bits: action.bits.0,
            element_bits,
            chain: vec![name(action.source.0)],
            hops: Vec::new(),
            energy_pj: self.routes.energy_pj(action),
        };
        for hop in self.routes.hops(action) {
            account.chain.push(name(hop.to.0));
            let end = |(id, operand, movement): (MemoryId, Operand, Movement), words: f64| HopEnd {
                memory: id,
                bits: core.memories[id].in_bursts(action.bits.0 as f64) as u64,
                words,
                word_pj: core.memories[id].word_energy_pj(movement),
                width_bits: core.memories[id].width_bits(operand, movement),
            };
            let (read, write) = (end(hop.from, hop.read_words), end(hop.to, hop.write_words));
            account.hops.push(HopAccount { cycles: hop.cycles.0, answer_cycles: hop.answer.0, read, write });
            for (memory, words, energy_pj) in
                [(hop.from.0, hop.read_words, hop.read_pj), (hop.to.0, hop.write_words, hop.write_pj)]
            {
                let used = &mut memories[memory];
                used.words[AccessCause::Copy] += words * times as f64;
                used.elements[AccessCause::Copy] += elements * times as f64;
                used.energy_pj[AccessCause::Copy] += energy_pj * times as f64;
            }
        }
        account
    }

    fn solved<'s>(
        &mut self,
        problem: ProblemId,
        solution: &dyn Fn(ProblemId) -> Option<&'s Solution>,
    ) -> Option<&SolvedCost> {
        if !self.costs.contains_key(&problem) {
            let layer = LayerOnCore::new(self.core, self.rules, self.problems.list.get(problem)?);
            let solution = solution(problem)?;
            let evaluator = Evaluator::new(&layer);
            let cost = solution.cost_by(&evaluator)?;
            self.costs.insert(problem, SolvedCost::new(&evaluator, solution, &cost));
        }
        self.costs.get(&problem)
    }
}

/// Bits per element of what a copy moves.
fn element_bits(precision: &Precision, action: &CopyAction) -> u64 {
    use super::account::CopyKind::{InputFromOutput, ReadHCache, ReadVCache, StackInput, WriteHCache, WriteVCache};
    match action.kind {
        InputFromOutput | ReadHCache | ReadVCache => precision.i,
        StackInput | WriteHCache | WriteVCache => precision.o,
    }
    .max(1)
}

/// One tile of a type, so far.
#[derive(Default)]
struct TileTotal {
    energy: EnergySplit,
    latency: LatencySplit,
    macs: u64,
}
