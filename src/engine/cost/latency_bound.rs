//! A lower bound on latency that depends only on which loops lie below each boundary, not on their order.

use super::amounts::leading_reuse;
use super::waiting::{LoadingPart, loading_part};
use super::{Evaluator, LayerCost, LayerEnergy, index};
use crate::hardware::{MAX_LEVELS, MemoryId, Movement, Operand, PortId};
use crate::mapping::{LayerOperand, OPERANDS, Relevance, TemporalLoop, copies, slice_bits, slice_elements};
use crate::workload::{Dim, LoopSizes};

/// A lower bound on latency: sums of loads over the placed boundaries; a boundary that is not placed adds nothing.
///
/// Every link has its whole period to work in, as if all were double-buffered: a port then stalls at least for what its links
/// need beyond their periods, and for what all of them need beyond the computation (cf. [`super::Latency`]). With the cycles
/// of waiting, all these are sums over boundaries, the *loads*: two for each port that something uses, and five of waiting.
pub struct LatencyLowerBound<'a> {
    evaluator: &'a Evaluator<'a>,
    temporal_cycles: u64,
    /// Number of loads that are stalls; those of waiting follow.
    stalls: usize,
    /// Which loads each boundary adds to, by operand and level.
    added_to: [[AddedTo; MAX_LEVELS]; OPERANDS],
}

/// The indices of the loads that a boundary adds to. By movement, the load of its port for cycles beyond the periods;
/// the next index is that of all cycles of the port. And two sets of loads of waiting, one bit each: for the port, and
/// for the memory's answer.
#[derive(Debug, Clone, Copy, Default)]
struct AddedTo {
    ports: [Option<usize>; MOVEMENTS],
    waiting: [u8; 2],
}

const MOVEMENTS: usize = 4;

/// Cycles of a [`BoundaryLoad`].
const CYCLES: usize = 2 * MOVEMENTS + 2;

/// Both inputs are loaded one after the other, in the better order. In either order the longer of two sums counts,
/// which makes four loads. The fifth is the part common to both inputs, which no order avoids.
const WAITING: usize = 5;

/// Loads of waiting that are below the cycles of waiting in either order: the first input's, the second's, and the
/// common one.
const IN_EITHER_ORDER: [usize; 3] = [1, 3, 4];

/// The loads that one placed boundary adds to the bound, cycles.
#[derive(Debug, Clone, Copy)]
pub struct BoundaryLoad {
    operand: LayerOperand,
    level: usize,
    /// By movement, cycles beyond the periods; by movement, all cycles; then the cycles for which computation waits for
    /// the first inputs or the last outputs: until they have arrived once the memory has answered, and until it has.
    cycles: [f64; CYCLES],
}

/// The amounts that each cycle of a [`BoundaryLoad`] adds to a weighed sum of all loads.
pub type Coefficients = [f64; CYCLES];

impl BoundaryLoad {
    /// The neutral element of [`BoundaryLoad::least`]: above every load.
    pub const INFINITE: Self = Self { operand: LayerOperand::Output, level: 0, cycles: [f64::INFINITY; CYCLES] };

    /// The neutral element of [`BoundaryLoad::most`]: below every load.
    pub const ZERO: Self = Self { operand: LayerOperand::Output, level: 0, cycles: [0.0; CYCLES] };

    /// The componentwise minimum of two loads of one boundary.
    pub fn least(self, other: Self) -> Self {
        self.join(other, f64::min)
    }

    /// The componentwise maximum of two loads of one boundary.
    pub fn most(self, other: Self) -> Self {
        self.join(other, f64::max)
    }

    /// A sum of its cycles, each times one of [`LatencyLowerBound::coefficients`].
    pub fn weighed(&self, coefficients: &Coefficients) -> f64 {
        self.cycles.iter().zip(coefficients).map(|(cycles, coefficient)| cycles * coefficient).sum()
    }

    fn join(self, other: Self, join: fn(f64, f64) -> f64) -> Self {
        Self {
            operand: self.operand.max(other.operand),
            level: self.level.max(other.level),
            cycles: std::array::from_fn(|at| join(self.cycles[at], other.cycles[at])),
        }
    }
}

impl<'a> LatencyLowerBound<'a> {
    /// The bound for all mappings of the evaluator's problem.
    pub fn new(evaluator: &'a Evaluator<'a>) -> Self {
        let problem = evaluator.problem;
        let mut bound =
            Self { evaluator, temporal_cycles: problem.temporal_cycles(), stalls: 0, added_to: Default::default() };
        // The index of the loads of each port of each memory.
        let mut ports: Vec<((MemoryId, PortId), usize)> = Vec::new();
        for (operand, view) in problem.each_operand() {
            for level in 0..view.memories.len() {
                let below = level.checked_sub(1);
                for movement in Movement::ALL {
                    let Some(at) = (if movement.is_low() { Some(level) } else { below }) else { continue };
                    let memory = view.memories[at];
                    let Some(port) = problem.core.memories[memory].port(view.stored_as, movement) else { continue };
                    let known = ports.iter().find(|(known, _)| *known == (memory, port)).map(|&(_, load)| load);
                    let load = known.unwrap_or_else(|| {
                        ports.push(((memory, port), bound.stalls));
                        bound.stalls += 2;
                        bound.stalls - 2
                    });
                    bound.added_to[operand][level].ports[index(movement)] = Some(load);
                }
                bound.added_to[operand][level].waiting = waiting(evaluator, operand, level);
            }
        }
        bound
    }

    /// The loads with nothing placed but the links between the PE array and the lowest memories, cycles.
    pub fn start(&self) -> Vec<f64> {
        let mut loads = vec![0.0; self.stalls + WAITING];
        // The cycles of a port count as far as they exceed the computation.
        for all in loads[..self.stalls].iter_mut().skip(1).step_by(2) {
            *all = -(self.temporal_cycles as f64);
        }
        for operand in LayerOperand::ALL.into_iter().filter(|&operand| !self.evaluator.array_keeps(operand)) {
            self.place(&mut loads, &self.load(operand, 0, &[1; 8], 1));
        }
        loads
    }

    /// The load of the boundary below memory `level` if the temporal loops below it multiply to `sizes`, and the
    /// outermost of them that are irrelevant to the operand at least to `irrelevant`.
    pub fn load(&self, operand: LayerOperand, level: usize, sizes: &LoopSizes, irrelevant: u64) -> BoundaryLoad {
        let period = sizes.iter().product::<u64>() * self.evaluator.problem.iteration_cycles;
        let (down, up, partial) = self.evaluator.latency_counts(operand, level, sizes);
        let real = self.evaluator.crossing_cycles(operand, level, sizes, partial);
        let waits = irrelevant > 1 && self.is_single(operand, level, sizes);
        let window = if waits { period / irrelevant } else { period };
        let mut cycles = BoundaryLoad::ZERO.cycles;
        let mut longest: u64 = 0;
        for movement in Movement::ALL {
            let at = index(movement);
            let goes_down = matches!(movement, Movement::ReadToLow | Movement::WriteFromHigh);
            if let Some(again) = if goes_down { down } else { up }.checked_sub(1) {
                cycles[at] = (real[at].saturating_sub(window) * again) as f64;
                cycles[MOVEMENTS + at] = (real[at] * again) as f64;
                // Inputs are waited for on their way down, outputs on their way up.
                if goes_down == (operand != LayerOperand::Output) {
                    longest = longest.max(real[at]);
                }
            }
        }
        cycles[2 * MOVEMENTS] = longest as f64;
        if longest > 0 {
            // Down from the memory above the boundary, up from the one below.
            let source = if operand == LayerOperand::Output { level.checked_sub(1) } else { Some(level) };
            let memories = &self.evaluator.problem.operands[operand].memories;
            let answer = source.map_or(0, |level| self.evaluator.problem.answer_cycles(memories[level]));
            cycles[2 * MOVEMENTS + 1] = answer as f64;
        }
        BoundaryLoad { operand, level, cycles }
    }

    /// The loads of a mapping, of which `order` is the loops and `cost` the cost.
    pub fn loads_of(&self, order: &[TemporalLoop], cost: &LayerCost) -> Vec<f64> {
        let problem = self.evaluator.problem;
        let mut loads = self.start();
        for (operand, view) in problem.each_operand() {
            for level in usize::from(!self.evaluator.array_keeps(operand))..view.memories.len() {
                let start = cost.merged.range(operand, level).start;
                let below = if level == 0 { leading_reuse(order, view) } else { &order[..start] };
                let mut sizes: LoopSizes = [1; 8];
                below.iter().for_each(|next| sizes[next.dim as usize] *= next.size);
                let irrelevant = cost.amounts.top_irrelevant[operand][level];
                self.place(&mut loads, &self.load(operand, level, &sizes, irrelevant));
            }
        }
        loads
    }

    /// Whether the memory below the boundary is too small for its next data beside the present, when loops that are irrelevant
    /// to the operand are its outermost: nothing then replaces the data part by part.
    pub fn is_single(&self, operand: LayerOperand, level: usize, sizes: &LoopSizes) -> bool {
        let problem = self.evaluator.problem;
        let Some(below) = level.checked_sub(1) else { return false };
        let view = &problem.operands[operand];
        let memory = view.memories[below];
        if problem.never_double_buffers(memory) {
            return true;
        }
        let is_double = copies(problem, operand, below, slice_elements(problem, operand, below, sizes)) > 1;
        if is_double && !problem.rules.forced_double_buffers_granted_as_others {
            return false;
        }
        let (.., partial) = self.evaluator.counts(operand, level, sizes);
        let held_bits = if problem.rules.memory_reserved_for_averages {
            let crossing = self.evaluator.crossing(operand, level, sizes, partial);
            (crossing.elements * crossing.precision as f64).floor()
        } else {
            // The lowest memory of outputs holds partial sums for all loops that add, whatever leaves it.
            let adds = |dim: Dim| view.relevance[dim as usize] == Relevance::Irrelevant;
            let added_to = || {
                Dim::ALL.into_iter().any(|dim| adds(dim) && problem.spatial.temporal_sizes[dim as usize] > 1)
                    || view.adds_above(below)
            };
            let partial = operand == LayerOperand::Output && (partial || below == 0 && added_to());
            slice_bits(problem, operand, below, sizes, partial) as f64
        };
        held_bits > 0.5 * problem.room_bits(memory) as f64
    }

    /// Adds a boundary to `loads`.
    pub fn place(&self, loads: &mut [f64], load: &BoundaryLoad) {
        let added_to = &self.added_to[load.operand][load.level];
        for (movement, port) in added_to.ports.iter().enumerate() {
            if let &Some(port) = port {
                loads[port] += load.cycles[movement];
                loads[port + 1] += load.cycles[MOVEMENTS + movement];
            }
        }
        for (added, cycles) in added_to.waiting.iter().zip(&load.cycles[2 * MOVEMENTS..]) {
            for (at, waiting) in loads[self.stalls..].iter_mut().enumerate() {
                if added >> at & 1 == 1 {
                    *waiting += cycles;
                }
            }
        }
    }

    /// The lower bound on the latency of every mapping with at least these loads, cycles.
    pub fn cycles(&self, loads: &[f64]) -> u64 {
        let (stalls, waiting) = loads.split_at(self.stalls);
        let stall = stalls.iter().fold(0.0, |most: f64, &stall| most.max(stall));
        let waiting = waiting[0].max(waiting[1]).min(waiting[2].max(waiting[3]));
        self.base_cycles() + (stall + waiting) as u64
    }

    /// A lower bound on the latency of every mapping, found without a search: the array's stalls, or the cycles in
    /// which a port of the highest memories moves all data once. `least` is a lower bound on the elements that move.
    ///
    /// What computation waits for passes a port before it begins or after it ends, and the rest in the stalls or while
    /// it runs. So data for which computation waits in either order of the inputs take their cycles one after the
    /// other.
    pub fn least_cycles(&self, least: &LayerEnergy) -> u64 {
        let problem = self.evaluator.problem;
        let mut moved = vec![[0.0; IN_EITHER_ORDER.len()]; self.stalls];
        for (operand, view) in problem.each_operand() {
            let top = view.memories.len() - 1;
            let movement = if view.stored_as == Operand::O { Movement::WriteFromLow } else { Movement::ReadToLow };
            let added_to = &self.added_to[operand][top];
            let Some(port) = added_to.ports[index(movement)].filter(|_| top > 0) else { continue };
            let (partial, last) = view.precision;
            let bits = least.elements[operand][top][index(movement)] * partial.min(last) as f64;
            let memory = &problem.core.memories[view.memories[top]];
            let width_bits = memory.width_bits(view.stored_as, movement) * memory.instances;
            for (moved, waiting) in moved[port].iter_mut().zip(IN_EITHER_ORDER) {
                if added_to.waiting[0] >> waiting & 1 == 1 {
                    *moved += bits / width_bits as f64;
                }
            }
        }
        let longest = moved.into_iter().flatten().fold(0.0, f64::max);
        self.cycles(&self.start()).max(longest as u64)
    }

    /// Cycles that come before all loads: those in which the PEs are busy, and the drain of a systolic array.
    pub fn base_cycles(&self) -> u64 {
        let problem = self.evaluator.problem;
        let drain = if problem.rules.latency_without_offloading { 0 } else { problem.drain_cycles };
        self.temporal_cycles + drain
    }

    /// The loads whose weighed sum no latency undercuts: the stalls, if their weights add up to 1 at most, and loads of waiting, if
    /// theirs add up to 1.
    pub fn weighable(&self) -> (std::ops::Range<usize>, [usize; 3]) {
        (0..self.stalls, IN_EITHER_ORDER.map(|waiting| self.stalls + waiting))
    }

    /// The amounts that a boundary's cycles add to the sum of all loads, each times its weight.
    pub fn coefficients(&self, operand: LayerOperand, level: usize, weights: &[f64]) -> Coefficients {
        let added_to = &self.added_to[operand][level];
        let mut coefficients = Coefficients::default();
        for (movement, port) in added_to.ports.iter().enumerate() {
            if let &Some(port) = port {
                coefficients[movement] = weights[port];
                coefficients[MOVEMENTS + movement] = weights[port + 1];
            }
        }
        for (added, coefficient) in added_to.waiting.iter().zip(&mut coefficients[2 * MOVEMENTS..]) {
            let waiting = weights[self.stalls..].iter().enumerate();
            *coefficient = waiting.filter(|(at, _)| added >> at & 1 == 1).map(|(_, weight)| weight).sum();
        }
        coefficients
    }

    /// Whether a mapping with this bound may have that latency. Where ZigZag's reduction makes waiting negative, nothing is proved.
    pub fn allows(&self, bound_cycles: u64, latency_cycles: u64) -> bool {
        latency_cycles >= bound_cycles || self.evaluator.problem.rules.loading_reduction_repeats
    }

    /// The stalls that may become the longest, one bit each, if `loads` grow by `least` to `most`; the last bit stands
    /// for no stall at all.
    pub fn may_be_longest(&self, least: &[f64], most: &[f64]) -> u128 {
        let longest = least[..self.stalls].iter().fold(0.0, |longest: f64, &stall| longest.max(stall));
        let stalls = most[..self.stalls].iter().enumerate().filter(|(_, most)| **most >= longest);
        let none = u128::from(longest <= 0.0) << (u128::BITS - 1);
        stalls.fold(none, |bits, (at, _)| bits | 1 << at.min(u128::BITS as usize - 2))
    }

    /// Whether `a` dominates `b`: its bound is no higher for any loads that are added to both. `longest` is the set of
    /// stalls of `a` that may become the longest.
    pub fn is_never_slower(&self, a: &[f64], longest: u128, b: &[f64]) -> bool {
        let (stalls, waiting) = (self.stalls, self.stalls..self.stalls + 4);
        let may_be = |at: usize| longest >> at.min(u128::BITS as usize - 2) & 1 == 1;
        let difference = |(a, b): (&f64, &f64)| a - b;
        let later = a[waiting.clone()].iter().zip(&b[waiting]).map(difference).fold(f64::NEG_INFINITY, f64::max);
        let none = if longest >> (u128::BITS - 1) == 1 { 0.0 } else { f64::NEG_INFINITY };
        let of_stalls = a[..stalls].iter().zip(&b[..stalls]).map(difference).enumerate();
        later + of_stalls.filter(|&(at, _)| may_be(at)).fold(none, |most, (_, difference)| most.max(difference)) <= 0.0
    }
}

/// Loads of waiting that a boundary adds to, one bit each: for the port, and for the memory's answer, for which the
/// other input does not wait.
fn waiting(evaluator: &Evaluator<'_>, operand: LayerOperand, level: usize) -> [u8; 2] {
    let problem = evaluator.problem;
    let (rules, view) = (&problem.rules, &problem.operands[operand]);
    let Some(low) = level.checked_sub(1).filter(|_| !rules.loading_overlaps_computation) else { return [0; 2] };
    if view.stored_as == Operand::O {
        let is_top = level + 1 == view.memories.len();
        let counts = !rules.latency_without_offloading && (is_top || !rules.offloading_pays_top_link_only);
        return [if counts { 0b1_1111 } else { 0 }; 2];
    }
    // First input first: its shared part, then the longer of its own and all of the second; and the other way round.
    let (shared, own) = if operand == LayerOperand::First { (0b1_0111, 0b0_0110) } else { (0b1_1101, 0b0_1001) };
    match loading_part(problem, operand, low) {
        None => [0; 2],
        Some(LoadingPart::Shared) => [shared, own],
        Some(LoadingPart::Own) => [own; 2],
    }
}
