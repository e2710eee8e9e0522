//! Assembles the account of a point from the solutions of its mapping problems.

use super::account::{
    CacheAccount, CopyAccount, CopyActionAccount, CopyPort, DataBits, HopAccount, HopEnd, LayerTileAccount,
    LayerTileCost, MemoryAccount, PointAccount, StackAccount, TileTypeAccount, TopMemory,
};
use super::copies::{CopyAction, CopyCost, CopyRoutes};
use super::ids::{NodeId, ProblemId, TileTypeId};
use super::ledger::{PointLedger, Sum, add_up};
use super::plan::{LayerTilePlan, PointPlan, ReadPlan, StackPlan, TilePlan};
use super::problems::Problems;
use super::reasons::Reasons;
use super::solved::{MemoryUse, SolvedCost};
use crate::cost::{AccessCause, Evaluator};
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
        let memories = ti_vec![MemoryUse::default(); self.core.memories.len()];
        let (layers, tile_types) = (TiVec::new(), TiVec::new());
        let mut ledger = AccountLedger { assembler: self, solution, memories, layers, tile_types, stacks: Vec::new() };
        let Sum { energy, latency, macs } = add_up(plan, &mut ledger)?;
        let AccountLedger { memories, stacks, .. } = ledger;
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

/// Notes the whole account: what is done of the tile type and of the stack at hand, and the stacks before.
struct AccountLedger<'t, 'a, 's> {
    assembler: &'t mut Assembler<'a>,
    solution: &'t dyn Fn(ProblemId) -> Option<&'s Solution>,
    memories: TiVec<MemoryId, MemoryUse>,
    layers: TiVec<NodeId, LayerTileAccount>,
    tile_types: TiVec<TileTypeId, TileTypeAccount>,
    stacks: Vec<StackAccount>,
}

impl PointLedger for AccountLedger<'_, '_, '_> {
    type Copies = CopyAccount;
    type Mapped = LayerTileCost;

    fn copied(&mut self, actions: &[CopyAction], times: u64) -> (CopyCost, CopyAccount) {
        let Self { assembler, memories, .. } = self;
        let accounts = actions.iter().map(|action| assembler.copy(action, times, memories)).collect();
        let cost = assembler.routes.cost(actions);
        let last_port = assembler.routes.last_port(actions).map(|port| CopyPort {
            memory: assembler.core.memories[port.memory].name.clone(),
            start: port.start.0,
            end: port.end.0,
            uses: port.uses.into_iter().map(|cycles| cycles.0).collect(),
        });
        let CopyCost { energy_pj, latency } = cost;
        (cost, CopyAccount { actions: accounts, energy_pj, latency_cycles: latency.0, last_port })
    }

    fn mapped(&mut self, problem: ProblemId, times: u64) -> Option<(Sum, LayerTileCost)> {
        let macs = self.assembler.problems.list.get(problem)?.shape.macs();
        let solved = self.assembler.solved(problem, self.solution)?;
        for (memory, used) in self.memories.iter_mut().zip(&solved.memories) {
            memory.add(used, times as f64);
        }
        let SolvedCost { energy, latency, .. } = *solved;
        let cost = LayerTileCost {
            energy,
            latency,
            loops: solved.loops.clone(),
            unrolled: solved.unrolled.clone(),
            spatial_utilization: solved.spatial_utilization,
            accesses: solved.accesses.clone(),
            held: solved.held.clone(),
            slowest_port: solved.slowest_port.clone(),
        };
        Some((Sum { energy, latency, macs }, cost))
    }

    fn layer(
        &mut self,
        (stack, tile): (&StackPlan, &TilePlan),
        (node, plan): (NodeId, &LayerTilePlan),
        copies: CopyAccount,
        cost: Option<LayerTileCost>,
    ) {
        let assembler = &*self.assembler;
        let layer = assembler.network.layer(plan.layer);
        let shape = plan.problem.map_or(layer.shape, |problem| assembler.problems.list[problem].shape);
        let of = |operand: Operand| assembler.memory_name(plan.top[operand as usize]);
        let reads = tile.reads_of(plan);
        let cached = |cached: &dyn Fn(&ReadPlan) -> (u64, u64)| -> u64 {
            let pixel_bits = |read: &ReadPlan| layer.shape.precision.i * read.channels * layer.shape.size(Dim::B);
            reads.iter().map(|read| (cached(read), pixel_bits(read))).map(|((x, y), bits)| x * y * bits).sum()
        };
        self.layers.push(LayerTileAccount {
            layer: layer.name.clone(),
            kind: (!plan.is_input).then(|| layer.shape.kind.name().to_owned()),
            output: (plan.computed.0, plan.computed.1, plan.channels),
            window: plan.needed,
            inputs: reads.iter().map(|read| (read.needed.0, read.needed.1, read.channels)).collect(),
            macs: plan.problem.map_or(0, |_| shape.macs()),
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
            reasons: assembler.reasons().of(stack, plan),
            copies,
            cost,
        });
    }

    fn tile(&mut self, stack: &StackPlan, tile: &TilePlan, sum: &Sum) {
        let assembler = &*self.assembler;
        let cache_decisions = stack.cache_decisions(tile, assembler.core);
        let h = cache_decisions.h_write.or(cache_decisions.h_read).filter(|decided| decided.caches.h_memory.is_some());
        let v = cache_decisions.v.filter(|decided| decided.caches.v_memory.is_some());
        self.tile_types.push(TileTypeAccount {
            size: tile.size,
            count: tile.count,
            first_position: tile.first_position,
            weights_from_top: tile.weights_from_top,
            caches: CacheAccount {
                h_write: assembler.memory_name(tile.caches.h_write),
                h_read: assembler.memory_name(tile.caches.h_read),
                v_write: assembler.memory_name(tile.caches.v_write),
                v_read: assembler.memory_name(tile.caches.v_read),
                h_bits: h.map_or(0, |decided| decided.caches.h_cache_bits),
                v_bits: v.map_or(0, |decided| decided.caches.v_cache_bits),
                reasons: assembler.reasons().of_caches(stack, tile),
            },
            energy_pj: sum.energy.total_pj(),
            latency_cycles: sum.latency.total_cycles(),
            layers: std::mem::take(&mut self.layers),
        });
    }

    fn stack(&mut self, stack: &StackPlan, sum: &Sum) {
        let network = self.assembler.network;
        self.stacks.push(StackAccount {
            layers: stack.stack.layers().iter().map(|&id| network.layer(id).name.clone()).collect(),
            output_size: stack.output_size,
            weight_bits: stack.weight_bits,
            weight_memory: self.assembler.memory_name(stack.weight_memory),
            tile_count: stack.types.iter().map(|tile| tile.count).sum(),
            energy_pj: sum.energy.total_pj(),
            latency_cycles: sum.latency.total_cycles(),
            tile_types: std::mem::take(&mut self.tile_types),
            map: stack.map.clone(),
        });
    }
}

/// Bits per element of the data that a copy moves.
fn element_bits(precision: &Precision, action: &CopyAction) -> u64 {
    use super::account::CopyKind::{InputFromOutput, ReadHCache, ReadVCache, StackInput, WriteHCache, WriteVCache};
    match action.kind {
        InputFromOutput | ReadHCache | ReadVCache => precision.i,
        StackInput | WriteHCache | WriteVCache => precision.o,
    }
    .max(1)
}
