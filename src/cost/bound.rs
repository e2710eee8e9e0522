//! A lower bound on latency that depends only on which loops lie below each boundary, not on their order.

use super::waiting::LoadingParts;
use super::{Evaluator, index};
use crate::hardware::{MemoryId, Movement, Operand};
use crate::workload::LoopSizes;

/// Collects boundaries in any order; what is not placed yet counts nothing.
///
/// Every link has its whole period to work in, as if all were double-buffered: a port then stalls at least for what its links
/// need beyond their periods, and for what all of them need beyond the computation (cf. [`super::Latency`]).
#[derive(Clone)]
pub struct LatencyBound<'a> {
    evaluator: &'a Evaluator<'a>,
    temporal_cycles: u64,
    /// First port of each memory in `ports`.
    first_port: Vec<usize>,
    ports: Vec<PortLoad>,
    loading: [LoadingParts; 2],
    offloading: f64,
}

/// What the links of a port need beyond the first time.
#[derive(Debug, Clone, Copy, Default)]
struct PortLoad {
    beyond_periods: u64,
    busy: u64,
}

/// What one placed boundary adds to the bound.
#[derive(Debug, Clone, Copy)]
pub struct BoundaryLoad {
    operand: usize,
    level: usize,
    /// By movement.
    links: [Option<(MemoryId, usize, PortLoad)>; 4],
    /// Cycles of one crossing down, and up.
    down: u64,
    up: u64,
}

impl BoundaryLoad {
    /// More than any.
    pub const NONE: Self = Self { operand: 0, level: 0, links: [None; 4], down: u64::MAX, up: u64::MAX };

    /// Of two loads of one boundary the least of everything.
    pub fn least(self, other: Self) -> Self {
        let ((Self { down: u64::MAX, .. }, loads) | (loads, Self { down: u64::MAX, .. })) = (self, other) else {
            let mut least = self;
            for (link, other) in least.links.iter_mut().zip(other.links) {
                *link = link.zip(other).map(|((memory, port, a), (.., b))| {
                    let beyond_periods = a.beyond_periods.min(b.beyond_periods);
                    (memory, port, PortLoad { beyond_periods, busy: a.busy.min(b.busy) })
                });
            }
            return Self { down: self.down.min(other.down), up: self.up.min(other.up), ..least };
        };
        loads
    }
}

impl<'a> LatencyBound<'a> {
    /// With nothing placed but the links between the PE array and the lowest memories.
    pub fn new(evaluator: &'a Evaluator<'a>) -> Self {
        let problem = evaluator.problem;
        let mut ports = 0;
        let first_port = problem.core.memories.iter().map(|memory| {
            ports += memory.ports.len();
            ports - memory.ports.len()
        });
        let mut bound = Self {
            evaluator,
            temporal_cycles: problem.spatial.temporal_sizes.iter().product(),
            first_port: first_port.collect(),
            ports: Vec::new(),
            loading: Default::default(),
            offloading: 0.0,
        };
        bound.ports = vec![PortLoad::default(); ports];
        for operand in (0..problem.operands.len()).filter(|&operand| !evaluator.array_keeps(operand)) {
            let array = bound.load(operand, 0, &[1; 8], 1);
            bound.place(&array);
        }
        bound
    }

    /// What the boundary below memory `level` adds if the temporal loops below it multiply to `sizes`, and the outermost of
    /// them that are irrelevant to the operand at least to `irrelevant`.
    pub fn load(&self, operand: usize, level: usize, sizes: &LoopSizes, irrelevant: u64) -> BoundaryLoad {
        let problem = self.evaluator.problem;
        let view = &problem.operands[operand];
        let period: u64 = sizes.iter().product();
        let (down, up, partial) = self.evaluator.counts(operand, level, sizes);
        let cycles = self.evaluator.crossing_cycles(operand, level, sizes, partial);
        let waits = irrelevant > 1 && self.is_single(operand, level, sizes, partial);
        let window = if waits { period / irrelevant } else { period };
        let mut load = BoundaryLoad { operand, level, links: [None; 4], down: 0, up: 0 };
        for movement in Movement::ALL {
            let Some(at) = (if movement.is_low() { Some(level) } else { level.checked_sub(1) }) else { continue };
            let goes_down = matches!(movement, Movement::ReadToLow | Movement::WriteFromHigh);
            let count = if goes_down { down } else { up };
            let real = cycles[index(movement)];
            if count == 0 {
                continue;
            }
            let both = if goes_down { &mut load.down } else { &mut load.up };
            *both = real.max(*both);
            let memory = view.memories[at];
            if let Some(port) = problem.core.memories[memory].port(view.stored_as, movement) {
                let again = count - 1;
                let port_load = PortLoad { beyond_periods: real.saturating_sub(window) * again, busy: real * again };
                load.links[index(movement)] = Some((memory, port, port_load));
            }
        }
        load
    }

    /// Whether the memory below the boundary is too small for its next data beside the present, when loops that are irrelevant
    /// to the operand are its outermost: nothing then replaces the data part by part.
    fn is_single(&self, operand: usize, level: usize, sizes: &LoopSizes, partial: bool) -> bool {
        let problem = self.evaluator.problem;
        let Some(below) = level.checked_sub(1) else { return false };
        let size_bits = problem.core.memories[problem.operands[operand].memories[below]].size_bits;
        let crossing = self.evaluator.crossing(operand, level, sizes, partial);
        (crossing.elements * crossing.precision as f64).floor() > 0.5 * size_bits as f64
    }

    /// Counts a boundary.
    pub fn place(&mut self, load: &BoundaryLoad) {
        self.change(load, u64::wrapping_add, 1.0);
    }

    /// Counts a boundary no longer.
    pub fn remove(&mut self, load: &BoundaryLoad) {
        self.change(load, u64::wrapping_sub, -1.0);
    }

    fn change(&mut self, load: &BoundaryLoad, change: fn(u64, u64) -> u64, sign: f64) {
        for (memory, port, link) in load.links.iter().flatten() {
            let port = &mut self.ports[self.first_port[*memory] + port];
            port.beyond_periods = change(port.beyond_periods, link.beyond_periods);
            port.busy = change(port.busy, link.busy);
        }
        let problem = self.evaluator.problem;
        let rules = &problem.rules;
        let Some(low) = load.level.checked_sub(1).filter(|_| !rules.loading_overlaps_computation) else { return };
        if problem.operands[load.operand].stored_as != Operand::O {
            self.loading[load.operand - 1].add(problem, load.operand, low, sign * load.down as f64);
            return;
        }
        let is_top = load.level + 1 == problem.operands[0].memories.len();
        if !rules.latency_without_offloading && (is_top || !rules.offloading_pays_top_link_only) {
            self.offloading += sign * load.up as f64;
        }
    }

    /// No mapping with these boundaries is faster, cycles.
    pub fn cycles(&self) -> u64 {
        let stall = |port: &PortLoad| port.beyond_periods.max(port.busy.saturating_sub(self.temporal_cycles));
        let stall = self.ports.iter().map(stall).max().unwrap_or(0);
        let waiting = LoadingParts::together(&self.loading) + self.offloading;
        self.temporal_cycles + stall + waiting as u64
    }
}
