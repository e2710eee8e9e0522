//! Under the corrected rules, the traffic of a mapped layer and the use of its memories, against an oracle that runs
//! its loops cycle by cycle: at each boundary between two levels of an operand it records the elements below, and when
//! others replace them.
//!
//! Loops are unrolled evenly here, so that every amount is a whole number of elements, and every energy one of
//! granules.

use crate::search::random_problems::{Random, hardware, problem};
use fusescape_engine::cost::Evaluator;
use fusescape_engine::hardware::{ArrayDimId, Core, DoubleBuffering, Memory, MemoryId, Movement, Operand, Unroll};
use fusescape_engine::mapping::{Allocation, LayerOnCore, LayerOperand, LayerProblem, TemporalLoop, temporal};
use fusescape_engine::rules::Rules;
use fusescape_engine::workload::{Dim, LayerKind, LayerShape, Network};
use fusescape_test_support::random::oracle_cases;
use fusescape_test_support::sample::sample_or_all;
use std::collections::{BTreeMap, BTreeSet};

/// A layer, its mapping, and the core on which it runs.
pub struct MappedLayer<'a> {
    pub core: &'a Core,
    pub problem: &'a LayerProblem,
    /// The innermost loop first.
    pub order: &'a [TemporalLoop],
    pub allocation: &'a Allocation,
}

/// The accesses of one data movement of an operand at one memory.
#[derive(Debug, Clone, Copy)]
pub struct Moved {
    pub operand: LayerOperand,
    pub stored_as: Operand,
    pub level: usize,
    pub memory: MemoryId,
    pub movement: Movement,
    pub transfers: u64,
    /// Cycles of computation during which the same elements are below.
    pub period: u64,
    /// Cycles that one transfer takes of its port.
    pub transfer_cycles: u64,
    /// Of all transfers of all instances.
    pub elements: f64,
    pub words: f64,
    pub pj: f64,
}

/// The costs of running a mapped layer.
pub struct Run {
    pub moved: Vec<Moved>,
    /// Bits that one instance of each memory holds.
    pub held: BTreeMap<MemoryId, u64>,
    /// Levels that load the next data while the present is in use.
    pub doubled: BTreeSet<(LayerOperand, usize)>,
    /// Cycles of computation.
    pub cycles: u64,
    /// Cycles in which the array waits for a port, for the first inputs, and for the last outputs to be written.
    pub stall: u64,
    pub loading: u64,
    pub offloading: u64,
}

/// A loop from the view of one operand: unrolled below a memory, or run in time at a memory level.
#[derive(Debug, Clone, Copy)]
struct Loop {
    dim: Dim,
    size: u64,
    /// The amount that one iteration adds to the index of its dimension.
    step: u64,
    /// The memory level of the operand.
    level: usize,
    in_time: bool,
}

/// An axis of an operand: the dimensions that index it, each with the amount that one iteration adds to the position.
type Axis = Vec<(Dim, u64)>;

/// The loops that array dimensions unroll, each in as few even steps as the number of PEs allows; `None` where they are
/// uneven.
pub fn unrolled_evenly(shape: &LayerShape, unroll: &[Unroll]) -> Option<Vec<(ArrayDimId, Dim, u64)>> {
    let mut left = shape.sizes;
    let mut unrolled = Vec::new();
    for &Unroll { array_dim, dim, limit } in unroll {
        let size = left[dim as usize];
        let steps = (1..=size).find(|steps| steps * limit >= size).unwrap();
        if !size.is_multiple_of(steps) {
            return None;
        }
        left[dim as usize] = steps;
        unrolled.push((array_dim, dim, size / steps));
    }
    Some(unrolled)
}

impl MappedLayer<'_> {
    /// The operands of the layer: the output, then both inputs.
    fn operands(&self) -> [(LayerOperand, Operand); 3] {
        let first = if self.problem.shape.kind.reads_two_maps() { Operand::I } else { Operand::W };
        [(LayerOperand::Output, Operand::O), (LayerOperand::First, first), (LayerOperand::Second, Operand::I)]
    }

    /// The memories of operands of the vector unit: its registers, and the memories from the one that feeds them
    /// upwards; for weights, which its layers do not have, the highest alone.
    fn memories(&self, stored_as: Operand) -> Vec<MemoryId> {
        let levels = self.core.levels(stored_as)[..self.problem.levels[stored_as as usize]].to_vec();
        let Some(unit) = self.core.vector_unit_for(self.problem.shape.kind) else { return levels };
        if stored_as == Operand::W {
            return vec![self.core.top(Operand::W)];
        }
        let is_own = |id: &MemoryId| self.core.memories[*id].operands.contains(&stored_as) && self.is_register(*id);
        let feeds = self.core.level_of(stored_as, unit.memory).unwrap();
        let above = feeds..self.problem.levels[stored_as as usize].max(feeds + 1);
        let own = self.core.memories.keys().filter(is_own);
        own.chain(above.map(|level| self.core.levels(stored_as)[level])).collect()
    }

    /// Whether a memory is a register of the vector unit: one that is on the path of no operand of the array.
    fn is_register(&self, memory: MemoryId) -> bool {
        Operand::ALL.iter().all(|&operand| !self.core.levels(operand).contains(&memory))
    }

    /// The array dimensions over which a memory is shared; all lanes share the memory that feeds them.
    fn is_shared_over(&self, memory: MemoryId, array_dim: ArrayDimId) -> bool {
        let is_of_lanes = self.core.vector_unit_for(self.problem.shape.kind).is_some();
        is_of_lanes && !self.is_register(memory) || self.core.memories[memory].shared_over.contains(array_dim)
    }

    /// Cycles of an iteration: more than one on slow lanes.
    pub fn iteration_cycles(&self) -> u64 {
        let operations = self.problem.shape.operations;
        let cycles = self.core.vector_unit_for(self.problem.shape.kind).map(|unit| {
            let each = operations.each().map(|(operation, count)| count * unit.cost(operation).cycles);
            each.sum::<u64>().max(1)
        });
        cycles.unwrap_or(1)
    }

    /// Energy of all iterations, pJ.
    pub fn compute_pj(&self) -> f64 {
        let iterations = self.problem.shape.sizes.iter().product::<u64>() as f64;
        let operations = self.problem.shape.operations;
        let each = self.core.vector_unit_for(self.problem.shape.kind).map(|unit| {
            operations.each().map(|(operation, count)| count as f64 * unit.cost(operation).energy_pj).sum::<f64>()
        });
        iterations * each.unwrap_or(self.core.mac_energy.energy_pj)
    }

    fn axes(&self, (operand, stored_as): (LayerOperand, Operand)) -> Vec<Axis> {
        let shape = &self.problem.shape;
        let alone = |dims: &[Dim]| dims.iter().map(|&dim| vec![(dim, 1)]).collect::<Vec<Axis>>();
        match (stored_as, shape.kind) {
            (Operand::I, LayerKind::Pairwise) if operand == LayerOperand::First => {
                alone(&[Dim::B, Dim::G, Dim::K, Dim::OY, Dim::OX])
            }
            (Operand::W, kind) if kind.needs_vector_unit() => Vec::new(),
            (Operand::O, _) => alone(&[Dim::B, Dim::G, Dim::K, Dim::OY, Dim::OX]),
            (Operand::W, LayerKind::Pooling) => alone(&[Dim::FY, Dim::FX]),
            (Operand::W, LayerKind::MatMul) => alone(&[Dim::B, Dim::G, Dim::K, Dim::C, Dim::FY, Dim::FX]),
            (Operand::W, _) => alone(&[Dim::G, Dim::K, Dim::C, Dim::FY, Dim::FX]),
            (Operand::I, _) => {
                let rows = vec![(Dim::OY, shape.stride.1), (Dim::FY, shape.dilation.1)];
                let columns = vec![(Dim::OX, shape.stride.0), (Dim::FX, shape.dilation.0)];
                [alone(&[Dim::B, Dim::G, Dim::C]), vec![rows, columns]].concat()
            }
        }
    }

    /// The loops of an operand from the innermost to the outermost: for each memory, those unrolled over the dimensions
    /// over which it is shared, then those at its level. Indices count up from the innermost loop of a dimension.
    fn loops(&self, operand: LayerOperand, stored_as: Operand) -> Vec<Loop> {
        let mut unrolled = unrolled_evenly(&self.problem.shape, &self.problem.unroll).unwrap();
        let memories = self.memories(stored_as);
        let mut steps = [1; 8];
        let mut loops = Vec::new();
        let mut add = |dim: Dim, size: u64, level: usize, in_time: bool| {
            loops.push(Loop { dim, size, step: steps[dim as usize], level, in_time });
            steps[dim as usize] *= size;
        };
        let mut start = 0;
        for (level, &memory) in memories.iter().enumerate() {
            unrolled.retain(|&(array_dim, dim, size)| {
                let is_shared = self.is_shared_over(memory, array_dim);
                if is_shared {
                    add(dim, size, level, false);
                }
                !is_shared
            });
            let end = usize::from(self.allocation.ends[operand][level]);
            self.order[start..end].iter().for_each(|next| add(next.dim, next.size, level, true));
            start = end;
        }
        unrolled.iter().for_each(|&(_, dim, size)| add(dim, size, memories.len(), false));
        loops
    }

    /// Number of different elements of an operand that some loops touch; for a window, at most the existing columns and
    /// rows.
    fn elements(&self, operand: (LayerOperand, Operand), loops: &[Loop]) -> u64 {
        let limit = self.problem.shape.input_limit;
        let count = |axis: &Axis| {
            let mut places = BTreeSet::from([0]);
            for (next, of_axis) in loops.iter().flat_map(|next| axis.iter().map(move |term| (next, term))) {
                if next.dim == of_axis.0 {
                    let shifts = (0..next.size).map(|index| index * next.step * of_axis.1);
                    places = shifts.flat_map(|shift| places.iter().map(move |place| place + shift)).collect();
                }
            }
            let most = match axis[..] {
                [(Dim::OX, _), (Dim::FX, _)] => limit.0,
                [(Dim::OY, _), (Dim::FY, _)] => limit.1,
                _ => u64::MAX,
            };
            (places.len() as u64).min(most)
        };
        self.axes(operand).iter().map(count).product()
    }

    /// Runs the layer.
    pub fn run(&self) -> Run {
        let cycles = self.order.iter().map(|next| next.size).product::<u64>() * self.iteration_cycles();
        let (moved, held) = (Vec::new(), BTreeMap::new());
        let mut run = Run { moved, held, doubled: BTreeSet::new(), cycles, stall: 0, loading: 0, offloading: 0 };
        let mut demands: BTreeMap<MemoryId, Vec<Demand>> = BTreeMap::new();
        for (operand, stored_as) in self.operands() {
            let loops = self.loops(operand, stored_as);
            for (level, &memory) in self.memories(stored_as).iter().enumerate() {
                let crossing = self.cross((operand, stored_as), &loops, level);
                self.count(operand, stored_as, level, &loops, &crossing, &mut run.moved);
                let inside: Vec<Loop> = loops.iter().copied().filter(|next| next.level <= level).collect();
                // An output that is still added to is a partial sum, whether it is added up here or further up.
                let bits = self.bits((operand, stored_as), crossing.is_partial);
                let held = self.elements((operand, stored_as), &inside) * bits;
                *run.held.entry(memory).or_default() += held;
                let replaced = held / self.outermost(operand, stored_as, level, Relation::Alone);
                demands.entry(memory).or_default().push(Demand { operand, level, held, bits: replaced });
            }
        }
        run.doubled =
            demands.into_iter().flat_map(|(memory, demands)| doubled(&self.core.memories[memory], demands)).collect();
        run.stall = self.stall(&run);
        run.loading = self.loading(&run);
        let top = self.memories(Operand::O).len() - 1;
        run.offloading = (0..top).flat_map(|low| run.link(self.core, LayerOperand::Output, low, UP)).sum();
        run
    }

    fn bits(&self, (operand, stored_as): (LayerOperand, Operand), is_partial: bool) -> u64 {
        let LayerShape { kind, precision, .. } = &self.problem.shape;
        match stored_as {
            Operand::W => precision.w,
            // The second map may have a precision of its own.
            Operand::I if operand == LayerOperand::Second && kind.reads_two_maps() && precision.w > 0 => precision.w,
            Operand::I => precision.i,
            Operand::O if is_partial => precision.o_partial,
            Operand::O => precision.o,
        }
    }

    /// Runs the loops above the boundary below a memory level. The array keeps no data from cycle to cycle; a memory
    /// keeps the data that is still used, and an output that is finished below goes up, and comes down again when more
    /// is added to it. Sums that lie further up come down the first time, too. Where a window slides, all of it is
    /// loaded again.
    fn cross(&self, (operand, stored_as): (LayerOperand, Operand), loops: &[Loop], level: usize) -> Crossing {
        let axes = self.axes((operand, stored_as));
        let chooses = |next: &Loop| axes.iter().flatten().any(|term| term.0 == next.dim);
        let above: Vec<Loop> = loops.iter().copied().filter(|next| next.in_time && next.level >= level).collect();
        let (mut down, mut up) = (0, 0);
        let mut went_up: BTreeMap<Vec<u64>, u64> = BTreeMap::new();
        let mut below: Option<Vec<u64>> = None;
        let mut indices = vec![0; above.len()];
        loop {
            let wanted: Vec<u64> =
                above.iter().zip(&indices).filter(|(next, _)| chooses(next)).map(|(_, &index)| index).collect();
            if level == 0 || below.as_ref() != Some(&wanted) {
                if let (Operand::O, Some(done)) = (stored_as, below) {
                    up += 1;
                    *went_up.entry(done).or_default() += 1;
                }
                down += u64::from(stored_as != Operand::O || self.problem.adds || went_up.contains_key(&wanted));
                below = Some(wanted);
            }
            // The next iteration, the innermost loop first.
            let Some(turning) = (0..above.len()).find(|&at| indices[at] + 1 < above[at].size) else { break };
            indices[..turning].fill(0);
            indices[turning] += 1;
        }
        if let (Operand::O, Some(done)) = (stored_as, below) {
            up += 1;
            *went_up.entry(done).or_default() += 1;
        }
        let is_summed = |next: &Loop| matches!(next.dim, Dim::C | Dim::FY | Dim::FX) && next.size > 1;
        let is_summed_above = loops.iter().any(|next| !next.in_time && next.level > level && is_summed(next));
        let is_added_to = self.problem.adds || is_summed_above || went_up.values().any(|&times| times > 1);
        let is_partial = stored_as == Operand::O && is_added_to;
        Crossing { down, up, is_partial }
    }

    /// Counts the data that crosses the boundary below a memory level, on both sides.
    fn count(
        &self,
        operand: LayerOperand,
        stored_as: Operand,
        level: usize,
        loops: &[Loop],
        crossing: &Crossing,
        all: &mut Vec<Moved>,
    ) {
        let chosen = |is_in: &dyn Fn(&Loop) -> bool| loops.iter().copied().filter(is_in).collect::<Vec<Loop>>();
        let elements = |is_in: &dyn Fn(&Loop) -> bool| self.elements((operand, stored_as), &chosen(is_in));
        let instances =
            |at: usize| chosen(&|next| !next.in_time && next.level >= at).iter().map(|next| next.size).product::<u64>();
        // For one instance below; multiplied by the number of instances below that have different data in the same
        // cycle.
        let below = elements(&|next| next.level < level);
        let one_below = elements(&|next| !next.in_time && next.level < level);
        let all_below = elements(&|next| !next.in_time && next.level <= level);
        let bits = self.bits((operand, stored_as), crossing.is_partial);
        let memory = |level: usize| self.memories(stored_as)[level];
        // In the first pass over partial sums none come down, but they change equally often.
        let iterations = loops.iter().filter(|next| next.in_time).map(|next| next.size).product::<u64>();
        let period = iterations * self.iteration_cycles() / crossing.changes();
        // A burst transfers more than was requested.
        let bursts = |level: usize, (bits, shares): (u64, u64)| {
            self.core.memories[memory(level)].burst_bits.map_or(0, |burst| bits.div_ceil(burst * shares) * burst)
        };
        let mut add = |level: usize, movement: Movement, shared: (u64, u64), granules: u64, transfers: u64| {
            if transfers == 0 {
                return;
            }
            let description = &self.core.memories[memory(level)];
            let (width, granularity) = port(description, stored_as, movement);
            let times = transfers * instances(level + 1);
            let each = shared.0 as f64 / shared.1 as f64;
            let in_bursts = bursts(level, (shared.0 * bits, shared.1));
            let words = (granules * times) as f64 * (granularity as f64 / width as f64);
            let words = words.max(times as f64 * (in_bursts as f64 / width as f64));
            all.push(Moved {
                operand,
                stored_as,
                level,
                memory: memory(level),
                movement,
                transfers,
                period,
                transfer_cycles: (each * bits as f64 / width as f64).ceil().max(in_bursts as f64 / width as f64).ceil()
                    as u64,
                elements: if bits == 0 { 0.0 } else { each * times as f64 },
                words,
                pj: words * if movement.is_read() { description.read_energy_pj } else { description.write_energy_pj },
            });
        };
        for (transfers, upper, lower) in [
            (crossing.down, Movement::ReadToLow, Movement::WriteFromHigh),
            (crossing.up, Movement::WriteFromLow, Movement::ReadToHigh),
        ] {
            let (width, granularity) = port(&self.core.memories[memory(level)], stored_as, upper);
            // All in units in which the fraction of data shared by instances below is a whole number.
            let moved = below * all_below * bits;
            let chunk = match level.checked_sub(1) {
                Some(low) => {
                    let (narrow, granularity) = port(&self.core.memories[memory(low)], stored_as, lower);
                    add(low, lower, (below, 1), (below * bits).div_ceil(granularity), transfers);
                    (narrow * all_below).min(width * one_below)
                }
                // The array receives the data of a cycle at once.
                None => u64::MAX,
            };
            let (mut left, mut granules) = (moved, 0);
            while left > 0 {
                let now = left.min(chunk);
                granules += now.div_ceil(granularity * one_below);
                left -= now;
            }
            add(level, upper, (below * all_below, one_below), granules, transfers);
        }
    }
}

/// The movements at both sides of a link between a memory and the next higher one.
type LinkEnds = [Movement; 2];
const UP: LinkEnds = [Movement::ReadToHigh, Movement::WriteFromLow];
const DOWN: LinkEnds = [Movement::WriteFromHigh, Movement::ReadToLow];

impl Run {
    /// Cycles of the first transfer between a memory level and the next higher one: the memory that is read answers,
    /// then the slower side counts.
    fn link(&self, core: &Core, operand: LayerOperand, low: usize, [below, above]: LinkEnds) -> [u64; 2] {
        let ends = [(low, below), (low + 1, above)];
        let moved = || {
            let is_end = |moved: &&Moved| moved.operand == operand && ends.contains(&(moved.level, moved.movement));
            self.moved.iter().filter(is_end).filter(|moved| moved.transfer_cycles > 0)
        };
        let answer = moved()
            .filter(|moved| moved.movement.is_read())
            .map(|moved| core.memories[moved.memory].latency_cycles - 1);
        [answer.sum(), moved().map(|moved| moved.transfer_cycles).max().unwrap_or(0)]
    }

    /// Cycles until the lowest memory of an input gives the array its first data.
    fn first_read(&self, core: &Core, operand: LayerOperand) -> u64 {
        let is_first = |moved: &&Moved| {
            (moved.operand, moved.level, moved.movement) == (operand, 0, Movement::ReadToLow)
                && moved.transfer_cycles > 0
        };
        self.moved.iter().find(is_first).map_or(0, |moved| core.memories[moved.memory].latency_cycles - 1)
    }
}

/// The effect of a loop dimension on an operand: it reuses it, it alone selects elements, or it shifts a window.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Relation {
    None,
    Alone,
    Window,
}

/// The bits at a memory level, and the further bits that it needs to load the next data while the present is in use.
struct Demand {
    operand: LayerOperand,
    level: usize,
    held: u64,
    bits: u64,
}

/// Levels for which a memory has the room to hold their data twice, in addition to all other data; the smallest first.
fn doubled(memory: &Memory, mut demands: Vec<Demand>) -> Vec<(LayerOperand, usize)> {
    let mut used: u64 = demands.iter().map(|demand| demand.held).sum();
    let all_fit_twice = 2 * used <= memory.size_bits;
    if memory.double_buffered == DoubleBuffering::Never {
        return Vec::new();
    }
    demands.sort_by_key(|demand| demand.bits);
    demands.retain(|demand| {
        let fits = used + demand.bits <= memory.size_bits;
        used += if fits && !all_fit_twice { demand.bits } else { 0 };
        fits || all_fit_twice
    });
    demands.into_iter().map(|demand| (demand.operand, demand.level)).collect()
}

impl MappedLayer<'_> {
    fn relation(&self, operand: (LayerOperand, Operand), dim: Dim) -> Relation {
        let shape = &self.problem.shape;
        let axes = self.axes(operand);
        let Some(axis) = axes.iter().find(|axis| axis.iter().any(|term| term.0 == dim)) else { return Relation::None };
        let has_no_window = matches!(shape.kind, LayerKind::Pointwise | LayerKind::MatMul | LayerKind::Add)
            || shape.kind.needs_vector_unit();
        let exist = |outputs: Dim| if outputs == Dim::OX { shape.input_limit.0 } else { shape.input_limit.1 };
        let is_pixel = |outputs: Dim, stride: u64, kernel: Dim| {
            shape.size(kernel) * stride == 1 && exist(outputs) >= shape.size(outputs)
        };
        match axis[..] {
            [(outputs, stride), (kernel, _)] if has_no_window || is_pixel(outputs, stride, kernel) => {
                if dim == outputs { Relation::Alone } else { Relation::None }
            }
            [_, _] => Relation::Window,
            _ => Relation::Alone,
        }
    }

    /// Product of the outermost loops of a memory level that have the same effect on its operand. Reusing loops further
    /// in belong to the level below.
    fn outermost(&self, operand: LayerOperand, stored_as: Operand, level: usize, wanted: Relation) -> u64 {
        let relation = |at: usize| self.relation((operand, stored_as), self.order[at].dim);
        let top = self.memories(stored_as).len() - 1;
        let end = |level: usize| {
            let end = usize::from(self.allocation.ends[operand][level]);
            let is_kept = |at: &usize| level < top && relation(*at) == Relation::None;
            end + (end..self.order.len()).take_while(is_kept).count()
        };
        let start = level.checked_sub(1).map_or(0, end);
        let loops = (start..end(level)).rev().take_while(|&at| relation(at) == wanted);
        loops.map(|at| self.order[at].size).product()
    }

    /// Cycles that the array waits for its slowest port. A link may work at any time where the new data has room beside
    /// the data in use, else only in the last pass over the latter; its first transfer is loading. Links of one port
    /// take turns.
    fn stall(&self, run: &Run) -> u64 {
        let mut most = 0;
        for (id, memory) in self.core.memories.iter_enumerated() {
            for port in &memory.ports {
                let served: Vec<(u64, u64, &Moved)> = run
                    .moved
                    .iter()
                    .filter(|moved| moved.memory == id && port.serves.contains(&(moved.stored_as, moved.movement)))
                    .map(|moved| {
                        let period = moved.period;
                        let low = if moved.movement.is_low() { moved.level.checked_sub(1) } else { Some(moved.level) };
                        let allowed = match low {
                            None => period,
                            Some(low) if run.doubled.contains(&(moved.operand, low)) => period,
                            Some(low) => period / self.outermost(moved.operand, moved.stored_as, low, Relation::None),
                        };
                        (period, allowed, moved)
                    })
                    .collect();
                let (mut too_slow, mut within) = (0, 0);
                for &(_, allowed, moved) in &served {
                    for _ in 1..moved.transfers {
                        too_slow += moved.transfer_cycles.saturating_sub(allowed);
                        within += moved.transfer_cycles.min(allowed);
                    }
                }
                let is_open = |cycle: &u64| served.iter().any(|&(period, allowed, _)| cycle % period < allowed);
                let open = (0..run.cycles).filter(is_open).count() as u64;
                let in_turn = if served.len() > 1 { within.saturating_sub(open) } else { 0 };
                most = most.max(too_slow + in_turn);
            }
        }
        most
    }

    /// Cycles until the first inputs have been moved down all levels. Where both inputs use the ports on both sides of
    /// a link, one waits for the other, in the better order.
    fn loading(&self, run: &Run) -> u64 {
        let [_, first, second] = self.operands();
        let parts = [(first, second), (second, first)].map(|((operand, stored_as), (_, other))| {
            let memories = self.memories(stored_as);
            let (mut shared, mut own) = (0, run.first_read(self.core, operand));
            for low in 0..memories.len() - 1 {
                let is_shared = |(level, movement): (usize, Movement)| {
                    let ports = &self.core.memories[memories[level]].ports;
                    let port = ports.iter().find(|port| port.serves.contains(&(stored_as, movement))).unwrap();
                    self.memories(other).contains(&memories[level])
                        && port.serves.iter().any(|served| served.0 == other)
                };
                // During the latency of a memory, its port takes the other input's request.
                let [answer, cycles] = run.link(self.core, operand, low, DOWN);
                own += answer;
                *if is_shared((low, DOWN[0])) && is_shared((low + 1, DOWN[1])) { &mut shared } else { &mut own } +=
                    cycles;
            }
            (shared, own)
        });
        let in_order = |[p, q]: [(u64, u64); 2]| p.0 + p.1.max(q.0 + q.1);
        in_order(parts).min(in_order([parts[1], parts[0]]))
    }
}

/// The data that crosses a boundary: transfers of all data below.
struct Crossing {
    down: u64,
    up: u64,
    is_partial: bool,
}

impl Crossing {
    /// Number of times that the elements below are replaced, the first ones included.
    fn changes(&self) -> u64 {
        self.down.max(self.up)
    }
}

/// Width and granularity of the port that serves a movement, bits.
pub fn port(memory: &Memory, operand: Operand, movement: Movement) -> (u64, u64) {
    let port = memory.ports.iter().find(|port| port.serves.contains(&(operand, movement)));
    let (width, granularity) = match movement {
        Movement::ReadToLow | Movement::ReadToHigh => (memory.read_width_bits, memory.read_granularity_bits),
        Movement::WriteFromLow | Movement::WriteFromHigh => (memory.write_width_bits, memory.write_granularity_bits),
    };
    let width = port.and_then(|port| port.width_bits).unwrap_or(width);
    (width, port.and_then(|port| port.granularity_bits).unwrap_or(granularity).min(width))
}

/// Equal except for the rounding of quotients.
pub fn is_close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-12 * expected.abs()
}

/// A random order of the temporal loops of a problem, and a random allocation of it.
pub fn random_mapping(random: &mut Random, layer: &LayerOnCore<'_>) -> (Vec<TemporalLoop>, Allocation) {
    let sizes = &layer.spatial.temporal_sizes;
    let mut left = temporal::limited_factors(sizes, &layer.shape.dim_order, usize::MAX, false).unwrap();
    let mut order = Vec::new();
    while !left.is_empty() {
        order.push(left.remove(random.below(left.len() as u64) as usize));
    }
    let mut allocation = Allocation::default();
    for (operand, view) in layer.each_operand() {
        let levels = view.memories.len();
        let mut ends: Vec<u8> = (1..levels).map(|_| random.below(order.len() as u64 + 1) as u8).collect();
        ends.sort_unstable();
        ends.push(order.len() as u8);
        allocation.ends[operand][..levels].copy_from_slice(&ends);
    }
    (order, allocation)
}

/// A random layer on a random core, with the document of that; `None` where the two do not fit.
pub fn random_layer(random: &mut Random) -> Option<(String, Core, LayerProblem)> {
    let text = hardware(random);
    let core = Core::from_text(&text).ok()?;
    let mut problem = problem(random, &core);
    if problem.shape.input_extent() == (0, 0) || unrolled_evenly(&problem.shape, &problem.unroll).is_none() {
        return None;
    }
    let kind = problem.shape.kind;
    if matches!(kind, LayerKind::Pointwise | LayerKind::MatMul | LayerKind::Add) || kind.needs_vector_unit() {
        // Only windows have padding.
        problem.shape.input_limit = (u64::MAX, u64::MAX);
    }
    Some((text, core, problem))
}

/// Mappings by what happened: those that fit, that do not, that read partial sums back, in which the array waits, and
/// those on lanes.
type Counts = [usize; 5];

/// Compares random mappings of a layer with what running them moves and holds.
fn compare_mappings(random: &mut Random, text: &str, core: &Core, problem: &LayerProblem, counts: &mut Counts) {
    let [fitting, overflowing, read_back, waits, on_lanes] = counts;
    let layer = LayerOnCore::new(core, Rules::CORRECTED, problem);
    let evaluator = Evaluator::new(&layer);
    for _ in 0..20 {
        let (order, allocation) = random_mapping(random, &layer);
        let what = || format!("{order:?} {allocation:?}\n{problem:?}\n{text}");
        let mapped = MappedLayer { core, problem, order: &order, allocation: &allocation };
        let run = mapped.run();
        let fits = run.held.iter().all(|(&memory, &bits)| bits <= core.memories[memory].size_bits);
        let Some(cost) = evaluator.evaluate(&order, &allocation) else {
            assert!(!fits, "{:?} bits fit: {}", run.held, what());
            *overflowing += 1;
            continue;
        };
        assert!(fits, "{:?} bits do not fit: {}", run.held, what());
        *fitting += 1;
        let latency = &cost.latency;
        let found = [latency.temporal_cycles, latency.stall_cycles].map(|cycles| cycles as f64);
        let found = [found[0], found[1], latency.loading_cycles, latency.offloading_cycles];
        let expected = [run.cycles, run.stall, run.loading, run.offloading].map(|cycles| cycles as f64);
        assert_eq!(found, expected, "cycles of computing, stall, loading, offloading: {}", what());
        *waits += usize::from(run.stall > 0);
        let all =
            layer.each_operand().flat_map(|(operand, view)| (0..view.memories.len()).map(move |at| (operand, at)));
        let doubled: BTreeSet<_> = all.filter(|&(operand, level)| latency.double_buffered[operand][level]).collect();
        assert_eq!(doubled, run.doubled, "levels that hold data twice: {}", what());
        let mut expected = 0.0;
        let mut count = 0;
        for moved in &run.moved {
            let Moved { operand, level, movement, elements, words, pj, .. } = *moved;
            let at = |table: &fusescape_engine::cost::PerLink<f64>| table[operand][level][movement as usize];
            let found = [&cost.energy.elements, &cost.energy.words, &cost.energy.energy_pj].map(at);
            let is_equal = found.iter().zip([elements, words, pj]).all(|(&found, expected)| is_close(found, expected));
            assert!(is_equal, "{moved:?}, but found {found:?}: {}", what());
            expected += pj;
            count += usize::from(words > 0.0);
            *read_back += usize::from(operand == LayerOperand::Output && !movement.is_read() && !movement.is_low());
        }
        let tables = cost.energy.words.iter().flatten().flatten();
        assert_eq!(tables.filter(|words| **words > 0.0).count(), count, "{}", what());
        assert!(is_close(cost.energy.memory_pj, expected), "{expected} pJ: {}", what());
        assert!(is_close(cost.energy_pj(), expected + mapped.compute_pj()), "{}", what());
        *on_lanes += usize::from(core.vector_unit.is_some());
    }
}

/// Random layers on random cores, each with mappings at random.
#[test]
fn mapped_layers_move_and_hold_what_running_them_moves_and_holds() {
    let (mut random, mut counts) = (Random(2024), Counts::default());
    let mut left = oracle_cases(75);
    while left > 0 {
        let Some((text, core, mut problem)) = random_layer(&mut random) else { continue };
        left -= 1;
        compare_mappings(&mut random, &text, &core, &problem, &mut counts);
        problem.adds = true;
        compare_mappings(&mut random, &text, &core, &problem, &mut counts);
    }
    assert!(counts.iter().all(|&count| count > sample_or_all(50, 400)), "{counts:?}");
}

/// Products with their rows in any loop, on arrays that unroll columns and rows of maps.
#[test]
fn rows_of_products_on_both_sides_of_an_array_move_and_hold_what_running_them_moves_and_holds() {
    let (mut random, mut counts) = (Random(2025), Counts::default());
    let mut left = oracle_cases(25);
    while left > 0 {
        let sides = random.pick(&["D1: OX, D2: OY", "D1: OY, D2: OX", "D1: OX, D2: B", "D1: [K 2, OX 2], D2: OY"]);
        let of_kinds = ["conv", "pointwise", "fully-connected"].map(|kind| format!("  {kind}: {{ {sides} }}\n"));
        let text = hardware(&mut random).replace("memories:", &format!("unroll:\n{}memories:", of_kinds.concat()));
        let rows = random.pick(&[4, 6, 8, 12]);
        let (batch, size) = random.pick(&[(1, (rows, 1)), (1, (1, rows)), (rows, (1, 1)), (2, (rows, 1))]);
        let kind = random.pick(&["conv, kernel: 1 x 1", "pointwise", "fully-connected"]);
        let layers = format!(
            "name: product\nbatch: {batch}\nprecision: {{ W: 8, I: 4, O_partial: 16, O: 8 }}\nlayers:\n  \
             - {{ name: in, type: input, K: {}, size: {} x {} }}\n  - {{ name: a, type: {kind}, K: {} }}",
            random.pick(&[2, 3, 4]),
            size.0,
            size.1,
            random.pick(&[2, 3, 4]),
        );
        let (Ok(core), network) = (Core::from_text(&text), Network::from_text(&layers).unwrap()) else { continue };
        let layer = network.layer(1.into());
        let unroll = layer.unroll_on(&core, &Rules::CORRECTED);
        let unrolled = unrolled_evenly(&layer.shape, &unroll).unwrap_or_default();
        let on_two_sides = |dim: Dim| unrolled.iter().filter(|part| part.1 == dim && part.2 > 1).count() > 1;
        if core.vector_unit.is_some() || !Dim::ALL.into_iter().any(on_two_sides) {
            continue;
        }
        left -= 1;
        let problem = LayerProblem::new(layer.shape, Operand::ALL.map(|operand| core.levels(operand).len()), unroll);
        compare_mappings(&mut random, &text, &core, &problem, &mut counts);
    }
    assert!(counts[..4].iter().all(|&count| count > sample_or_all(10, 100)), "{counts:?}");
}
