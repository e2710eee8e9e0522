//! All legal ways to unroll a layer's loops over the PE array (ZigZag, Section IV; its public tool,
//! spatial_mapping_generation.py).
//!
//! An array dimension may unroll several loops, a loop may lie on several dimensions, and a width need not divide its
//! loop. What the lowest memories cannot serve at once is illegal: the operands that meet in a memory have to fit it
//! *together*, and what one cycle reads or writes has to pass its ports.

use super::operands::{Relevance, bits_as_weights, relevance};
use crate::hardware::{ArrayDimId, ArrayDims, Core, Memory, Movement, Operand, PortId, Unroll};
use crate::ids::{TiSlice, TiVec};
use crate::rules::Rules;
use crate::sorting::sort_by_key;
use crate::tolerance::REL_TOLERANCE;
use crate::workload::{Dim, LayerKind, LayerShape, LoopSizes, unique_extent};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Which unrollings are wanted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UnrollingOptions {
    /// Array dimensions that may unroll these loops only. Others may unroll any.
    pub hints: Vec<(ArrayDimId, Vec<Dim>)>,
    /// How wide loops may lie on an array dimension. Others may be as wide as fits.
    pub limits: Vec<(ArrayDimId, Dim, WidthLimit)>,
    /// Limit on the different loops of one array dimension.
    pub loops_per_dimension: usize,
    /// Which of the legal unrollings are kept.
    pub coverage: UnrollingCoverage,
    /// Limit on the unrollings that are kept; those left out are counted.
    pub max_unrollings: usize,
}

/// How wide a loop may lie on an array dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum WidthLimit {
    /// So wide, or as wide as it has iterations left.
    Exactly(u64),
    /// At most so wide, or not there at all.
    AtMost(u64),
}

/// Which of the legal unrollings are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum UnrollingCoverage {
    /// All: an unrolling that leaves PEs idle can save energy, as fewer registers are then filled with copies.
    All,
    /// Unrollings in which no loop can become wider, with the others unchanged.
    Maximal,
}

impl Default for UnrollingOptions {
    fn default() -> Self {
        Self {
            hints: Vec::new(),
            limits: Vec::new(),
            loops_per_dimension: 3,
            coverage: UnrollingCoverage::All,
            max_unrollings: 200_000,
        }
    }
}

/// The legal unrollings of one layer on one core.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Unrollings {
    /// Unrollings that are kept, the fewest temporal steps first.
    pub list: Vec<Unrolling>,
    /// All legal ones, counted by the widths on each array dimension.
    pub legal: u64,
    /// Number of these that are equivalent, for every memory, to one that is kept.
    pub equivalent: u64,
    /// Number of unrollings that were left out because some loop could be wider.
    pub widened: u64,
    /// Number of unrollings that were left out because of the limit.
    pub beyond_limit: u64,
}

/// One way to unroll.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Unrolling {
    /// As a mapping problem takes it.
    pub unroll: Vec<Unroll>,
    /// Steps that remain to be done in time: the product of all temporal loops.
    pub steps: u64,
}

/// All legal unrollings of `shape` on `core` whose operands may use `levels` memory levels each.
///
/// Widths with the same number of steps are the same to the cost model but for the largest part, so each number of
/// steps comes with its narrowest width only. Array dimensions over which the same memories are shared are alike: of
/// unrollings that differ only in how they divide the loops among such dimensions, one is kept.
pub fn unrollings(
    core: &Core,
    rules: &Rules,
    shape: &LayerShape,
    levels: [usize; 3],
    options: &UnrollingOptions,
) -> Unrollings {
    let mut space = UnrollingSpace::new(core, rules, shape, levels, options);
    let start = PartialUnrolling { unroll: Vec::new(), steps: shape.sizes, widths: TiVec::new(), used: TiVec::new() };
    space.visit_dimension(ArrayDimId::default(), start);
    space.finish()
}

struct UnrollingSpace<'a> {
    core: &'a Core,
    options: &'a UnrollingOptions,
    allowed: TiVec<ArrayDimId, Vec<Dim>>,
    /// Array dimensions with the same number here are shared over by the same memories.
    classes: TiVec<ArrayDimId, ArrayDimId>,
    demands: Vec<Demand<'a>>,
    found: Vec<CandidateUnroll>,
    /// Where in `found` the unrolling with these sizes per class lies; only looked up, never iterated.
    by_sizes: HashMap<Vec<u64>, usize>,
    legal: u64,
    widened: u64,
    beyond_limit: u64,
}

struct CandidateUnroll {
    unrolling: Unrolling,
    /// PEs used at most.
    peak: u64,
}

/// Loops chosen for the first array dimensions.
struct PartialUnrolling {
    unroll: Vec<Unroll>,
    steps: LoopSizes,
    /// Per array dimension and loop, the width on average and at most.
    widths: TiVec<ArrayDimId, [(f64, u64); 8]>,
    /// PEs of each array dimension in use.
    used: TiVec<ArrayDimId, u64>,
}

impl PartialUnrolling {
    fn peak(&self) -> u64 {
        self.used.iter().product()
    }
}

impl<'a> UnrollingSpace<'a> {
    fn new(
        core: &'a Core,
        rules: &Rules,
        shape: &'a LayerShape,
        levels: [usize; 3],
        options: &'a UnrollingOptions,
    ) -> Self {
        let allowed = core
            .array
            .keys()
            .map(|array_dim| {
                let hint = options.hints.iter().find(|(hinted, _)| *hinted == array_dim);
                Dim::ALL.into_iter().filter(|dim| hint.is_none_or(|(_, dims)| dims.contains(dim))).collect()
            })
            .collect();
        let shared_by = |array_dim: ArrayDimId| -> Vec<bool> {
            core.memories.iter().map(|memory| memory.shared_over.contains(array_dim)).collect()
        };
        let classes = core
            .array
            .keys()
            .map(|array_dim| {
                ArrayDimId::within(ArrayDimId::default()..array_dim)
                    .find(|&other| shared_by(other) == shared_by(array_dim))
                    .unwrap_or(array_dim)
            })
            .collect();
        Self {
            core,
            options,
            allowed,
            classes,
            demands: demands(core, rules, shape, levels),
            found: Vec::new(),
            by_sizes: HashMap::new(),
            legal: 0,
            widened: 0,
            beyond_limit: 0,
        }
    }

    fn visit_dimension(&mut self, array_dim: ArrayDimId, mut state: PartialUnrolling) -> PartialUnrolling {
        if array_dim == self.core.array.next_key() {
            self.add(&state);
            return state;
        }
        state.widths.push([(1.0, 1); 8]);
        state.used.push(1);
        state = self.visit_loop(array_dim, 0, 0, state);
        state.widths.pop();
        state.used.pop();
        state
    }

    /// Chooses how wide loop number `index` of those allowed lies on `array_dim`, which has `loops` others already.
    fn visit_loop(
        &mut self,
        array_dim: ArrayDimId,
        index: usize,
        loops: usize,
        mut state: PartialUnrolling,
    ) -> PartialUnrolling {
        let Some(&dim) = self.allowed[array_dim].get(index) else {
            return self.visit_dimension(array_dim.following(), state);
        };
        let limit =
            self.options.limits.iter().find(|(on, of, _)| (*on, *of) == (array_dim, dim)).map(|(.., limit)| *limit);
        let exactly = match limit {
            Some(WidthLimit::Exactly(width)) => Some(width.min(state.steps[dim as usize])),
            _ => None,
        };
        if exactly.is_none_or(|width| width < 2) {
            state = self.visit_loop(array_dim, index + 1, loops, state);
        }
        if loops == self.options.loops_per_dimension {
            return state;
        }
        let (size, used) = (state.steps[dim as usize], state.used[array_dim]);
        let room = match limit {
            Some(WidthLimit::AtMost(width)) => width.min(self.core.array[array_dim].1 / used),
            _ => self.core.array[array_dim].1 / used,
        };
        let stated = exactly.filter(|width| (2..=room).contains(width));
        let searched = widths(size, if exactly.is_some() { 0 } else { room });
        for limit in stated.into_iter().chain(searched) {
            let steps = size.div_ceil(limit);
            state.unroll.push(Unroll { array_dim, dim, limit });
            state.steps[dim as usize] = steps;
            state.widths[array_dim][dim as usize] = (size as f64 / steps as f64, limit);
            state.used[array_dim] = used * limit;
            if self.is_served(&state.widths) {
                state = self.visit_loop(array_dim, index + 1, loops + 1, state);
            }
            state.unroll.pop();
        }
        state.steps[dim as usize] = size;
        state.widths[array_dim][dim as usize] = (1.0, 1);
        state.used[array_dim] = used;
        state
    }

    fn is_served(&self, widths: &TiSlice<ArrayDimId, [(f64, u64); 8]>) -> bool {
        self.demands.iter().all(|demand| demand.is_met(widths))
    }

    fn add(&mut self, state: &PartialUnrolling) {
        self.legal += 1;
        if self.options.coverage == UnrollingCoverage::Maximal && self.can_widen(state) {
            self.widened += 1;
            return;
        }
        let mut sizes = vec![1.0; 8 * self.core.array.len()];
        for (array_dim, widths) in state.widths.iter_enumerated() {
            for (dim, (average, _)) in widths.iter().enumerate() {
                sizes[8 * self.classes[array_dim].index() + dim] *= average;
            }
        }
        // Products of the same quotients in another order differ by rounding only.
        let sizes: Vec<u64> = sizes.into_iter().map(|size| (size * f64::from(1 << 20)).round() as u64).collect();
        let found = || CandidateUnroll {
            unrolling: Unrolling { unroll: state.unroll.clone(), steps: state.steps.iter().product() },
            peak: state.peak(),
        };
        match self.by_sizes.get(&sizes) {
            Some(&index) if state.peak() < self.found[index].peak => self.found[index] = found(),
            Some(_) => {}
            None if self.found.len() == self.options.max_unrollings => self.beyond_limit += 1,
            None => {
                self.by_sizes.insert(sizes, self.found.len());
                self.found.push(found());
            }
        }
    }

    /// Whether some loop may take fewer steps than it does, all others staying as wide as they are.
    fn can_widen(&self, state: &PartialUnrolling) -> bool {
        let mut widths = state.widths.clone();
        for array_dim in self.core.array.keys() {
            let loops = state.unroll.iter().filter(|unroll| unroll.array_dim == array_dim).count();
            for &dim in &self.allowed[array_dim] {
                let (average, present) = state.widths[array_dim][dim as usize];
                let steps = state.steps[dim as usize];
                if steps == 1 || present == 1 && loops == self.options.loops_per_dimension {
                    continue;
                }
                let average = average * steps as f64 / (steps - 1) as f64;
                let wider = (average - REL_TOLERANCE).ceil() as u64;
                if wider <= self.core.array[array_dim].1 / (state.used[array_dim] / present) {
                    let before = std::mem::replace(&mut widths[array_dim][dim as usize], (average, wider));
                    if self.is_served(&widths) {
                        return true;
                    }
                    widths[array_dim][dim as usize] = before;
                }
            }
        }
        false
    }

    fn finish(self) -> Unrollings {
        let equivalent = self.legal - self.widened - self.beyond_limit - self.found.len() as u64;
        let mut list: Vec<Unrolling> = self.found.into_iter().map(|found| found.unrolling).collect();
        sort_by_key(&mut list, |unrolling| unrolling.steps);
        Unrollings { list, legal: self.legal, equivalent, widened: self.widened, beyond_limit: self.beyond_limit }
    }
}

/// The narrowest width for each number of steps that a loop of `size` can take, from 2 up to `room` wide.
fn widths(size: u64, room: u64) -> impl Iterator<Item = u64> {
    let widest = room.min(size);
    let mut next = 2;
    std::iter::from_fn(move || {
        if next > widest || size < 2 {
            return None;
        }
        let steps = size.div_ceil(next);
        let width = size.div_ceil(steps);
        // The next number of steps begins where so many steps are one too many.
        next = if steps == 1 { u64::MAX } else { size.div_ceil(steps - 1) };
        Some(width)
    })
}

/// The data that a memory has to hold, or a port has to pass, at once.
struct Demand<'a> {
    shape: &'a LayerShape,
    /// The operands that count together: bits per element, and relation to each loop.
    operands: Vec<(u64, [Relevance; 8])>,
    /// Array dimensions that one instance serves.
    over: ArrayDims,
    available_bits: u64,
}

impl Demand<'_> {
    fn is_met(&self, widths: &TiSlice<ArrayDimId, [(f64, u64); 8]>) -> bool {
        let mut extents = [1; 8];
        for (array_dim, widths) in widths.iter_enumerated() {
            if self.over.contains(array_dim) {
                for (extent, (_, peak)) in extents.iter_mut().zip(widths) {
                    *extent *= peak;
                }
            }
        }
        for (extent, size) in extents.iter_mut().zip(self.shape.sizes) {
            *extent = size.min(*extent);
        }
        let bits = |(precision, relevance): &(u64, [Relevance; 8])| {
            elements(self.shape, relevance, &extents).saturating_mul(*precision)
        };
        self.operands.iter().map(bits).fold(0, u64::saturating_add) <= self.available_bits
    }
}

/// Different elements of an operand that these loop sizes touch.
fn elements(shape: &LayerShape, relevance: &[Relevance; 8], extents: &LoopSizes) -> u64 {
    let at = |dim: Dim| extents[dim as usize];
    let window = |outputs: Dim, kernel: Dim, stride, dilation, limit: u64| {
        (unique_extent(at(outputs) as f64, at(kernel) as f64, stride, dilation) as u64).min(limit)
    };
    let factor = |dim: Dim| match relevance[dim as usize] {
        Relevance::Relevant => at(dim),
        Relevance::PartialX if dim == Dim::OX => {
            window(dim, Dim::FX, shape.stride.0, shape.dilation.0, shape.input_limit.0)
        }
        Relevance::PartialY if dim == Dim::OY => {
            window(dim, Dim::FY, shape.stride.1, shape.dilation.1, shape.input_limit.1)
        }
        _ => 1,
    };
    Dim::ALL.into_iter().map(factor).fold(1, u64::saturating_mul)
}

/// The data that each memory must hold, and that the ports of the lowest must pass in a cycle.
fn demands<'a>(core: &Core, rules: &Rules, shape: &'a LayerShape, levels: [usize; 3]) -> Vec<Demand<'a>> {
    let sums = [Dim::C, Dim::FY, Dim::FX].iter().any(|&dim| shape.size(dim) > 1);
    // An addition has two inputs, and no weights.
    let adds_maps = shape.kind == LayerKind::Add && !rules.additions_read_weight_memories;
    let operands = [
        (Operand::O, if sums { shape.precision.o_partial } else { shape.precision.o }),
        (if adds_maps { Operand::I } else { Operand::W }, bits_as_weights(shape)),
        (Operand::I, shape.precision.i),
    ];
    let entry = |operand: Operand, bits: u64| (bits, Dim::ALL.map(|dim| relevance(shape, operand, dim, rules)));
    let mut demands = Vec::new();
    for (id, memory) in core.memories.iter_enumerated() {
        let level = |operand: Operand| core.level_of(operand, id).filter(|&level| level < levels[operand as usize]);
        let held: Vec<_> = operands.iter().copied().filter(|&(operand, _)| level(operand).is_some()).collect();
        // Finished outputs are the least that a memory must hold, partial sums the most that pass a port.
        let least = |operand: Operand, bits: u64| if operand == Operand::O { shape.precision.o } else { bits };
        let over = memory.shared_over;
        let available_bits = memory.size_bits;
        if rules.lowest_memory_may_overflow {
            demands.extend(held.iter().map(|&(operand, bits)| Demand {
                shape,
                operands: vec![entry(operand, least(operand, bits))],
                over,
                available_bits,
            }));
        } else if !held.is_empty() {
            let operands = held.iter().map(|&(operand, bits)| entry(operand, least(operand, bits))).collect();
            demands.push(Demand { shape, operands, over, available_bits });
        }
        for movement in [Movement::ReadToLow, Movement::WriteFromLow] {
            // Inputs are read, outputs written; a memory between two others is limited by these.
            let passes = |operand: Operand| (operand == Operand::O) == (movement == Movement::WriteFromLow);
            let is_lowest = |&(operand, _): &WithBits| level(operand) == Some(0) && passes(operand);
            let lowest: Vec<WithBits> = held.iter().copied().filter(is_lowest).collect();
            demands.extend(by_port(memory, movement, &lowest).into_iter().map(|served| {
                let available_bits = memory.width_bits(served[0].0, movement);
                let operands = served.into_iter().map(|(operand, bits)| entry(operand, bits)).collect();
                Demand { shape, operands, over, available_bits }
            }));
        }
    }
    demands
}

/// An operand with the bits of its elements.
type WithBits = (Operand, u64);

/// Operands with their bits, grouped by the port that serves `movement` of them.
fn by_port(memory: &Memory, movement: Movement, operands: &[WithBits]) -> Vec<Vec<WithBits>> {
    let mut ports: Vec<(Option<PortId>, Vec<WithBits>)> = Vec::new();
    for &served in operands {
        let port = memory.port(served.0, movement);
        match ports.iter_mut().find(|(other, _)| *other == port) {
            Some((_, operands)) => operands.push(served),
            None => ports.push((port, vec![served])),
        }
    }
    ports.into_iter().map(|(_, operands)| operands).collect()
}
