//! What crosses boundaries more than once in every mapping, as the boundaries of all operands lie in one order of
//! loops.
//!
//! The loops below a boundary are the innermost ones of that order, so of two boundaries one has all loops of the other
//! below it, too. But loops that reuse the data of one operand change that of another, which takes room. Where a PE has
//! room for one weight and one output, for example, no loop lies below the weight's boundary, or none below the
//! output's: in every step either weights cross, or partial sums.
//!
//! The proof, for all boundaries at once: every mapping puts them in an order, from the innermost outwards (at the same
//! place any one first, of an operand the lower one). Then
//!
//! - The memory below each later boundary has room for the loops below a boundary, as data never shrinks with more
//!   loops. So at most so much of the loops that reuse its data lie below: the largest divisors of their sizes that
//!   have room ([`Room::least_times`]). The data crosses all of these loops divided by those below times as often as
//!   once.
//! - Windows that overlap share inputs, as far as they lie below together. They must have room in the own memory, too
//!   ([`window_factor`]). Both factors multiply, as they are about different loops.
//! - Outputs that cross more than once are partial sums, for which the memory above needs room. The first ones are not
//!   read back.
//!
//! All of this follows from which boundaries come later, so each order of boundaries has a least price. The bound is
//! the least of all orders, by a shortest path over the number of boundaries that each operand has placed. What one
//! memory holds besides the operand counts with the least that it takes in any mapping.

use super::super::{Evaluator, LayerEnergy};
use crate::hardware::Movement;
use crate::mapping::{LayerOnCore, LayerOperand, OPERANDS, OperandView, Relevance, slice_bits, smallest_demand};
use crate::sorting::sort_by;
use crate::workload::{Dim, LoopSizes};
use std::cell::OnceCell;

/// The number of boundaries of each operand that come first in an order.
type Placed = [usize; OPERANDS];

/// The boundaries of a problem that lie above any loops, with the rooms below them.
pub struct Nesting {
    boundaries: [Vec<NestedBoundary>; OPERANDS],
}

/// A boundary of an operand, and its bounds on data that crosses boundaries below it.
struct NestedBoundary {
    /// Memory level above it.
    level: usize,
    /// Energy of moving all data once, pJ: at the memory above, and at the one below.
    once_pj: [f64; 2],
    /// The same as partial sums: up, and down.
    partial_pj: [[f64; 2]; 2],
    /// Whether the memory above has room for partial sums.
    holds_partial: bool,
    /// How often outputs come down before they first go up: once, where they are added to sums at the highest level. A
    /// price leaves that out, as it is the same for all mappings.
    first_down: u64,
    /// How many times more data crosses it because of windows.
    own_windows: f64,
    /// How often the data of each other operand crosses boundaries that come before this one.
    times: [u64; OPERANDS],
    /// How many times more data crosses each boundary of other operands because of windows, if it comes before this
    /// one.
    windows: [Vec<f64>; OPERANDS],
}

/// A bound on what crosses one boundary, relative to all data once: by loops that reuse it, and by windows.
#[derive(Clone, Copy)]
struct Repeated {
    times: u64,
    windows: f64,
}

impl Repeated {
    const ONCE: Self = Self { times: 1, windows: 1.0 };
}

/// The last step of the cheapest order to some boundaries.
#[derive(Clone, Copy)]
struct Step {
    /// The price of all steps so far, pJ.
    pj: f64,
    operand: LayerOperand,
    repeated: Repeated,
}

impl Nesting {
    /// `least` is [`Evaluator::unavoidable`].
    pub fn new(evaluator: &Evaluator<'_>, least: &LayerEnergy) -> Self {
        let problem = evaluator.problem;
        let rooms = LayerOperand::ALL.map(|operand| {
            let first = usize::from(!problem.array_keeps(operand));
            let levels = first..problem.operands[operand].memories.len();
            levels.map(|level| Room::new(problem, operand, level)).collect::<Vec<_>>()
        });
        let mut boundaries = LayerOperand::ALL.map(|operand| {
            let of = |room: &Room<'_>| NestedBoundary::new(evaluator, room, &rooms, least);
            rooms[operand].iter().map(of).collect::<Vec<_>>()
        });
        // What comes before a boundary comes before the higher ones of its operand.
        for boundaries in &mut boundaries {
            for index in (1..boundaries.len()).rev() {
                let (lower, higher) = boundaries.split_at_mut(index);
                lower[index - 1].join(&higher[0]);
            }
        }
        Self { boundaries }
    }

    /// Adds what crosses more than once in the cheapest order of boundaries.
    pub fn add_to(&self, least: &mut LayerEnergy) {
        if self.boundaries.iter().flatten().all(|boundary| !boundary.repeats_any()) {
            return;
        }
        let counts = [0, 1, 2].map(|operand| self.boundaries[operand].len());
        let at = |[o, first, second]: Placed| (o * (counts[1] + 1) + first) * (counts[2] + 1) + second;
        let unknown = Step { pj: f64::INFINITY, operand: LayerOperand::Output, repeated: Repeated::ONCE };
        let mut steps = vec![unknown; at(counts) + 1];
        steps[0].pj = 0.0;
        let orders = (0..=counts[0])
            .flat_map(|o| (0..=counts[1]).flat_map(move |first| (0..=counts[2]).map(move |second| [o, first, second])));
        for placed in orders {
            let so_far = steps[at(placed)].pj;
            for operand in LayerOperand::ALL {
                let Some(boundary) = self.boundaries[operand].get(placed[operand]) else { continue };
                let repeated = self.repeated(operand, placed);
                let pj = so_far + boundary.pj(operand, repeated);
                let next = &mut steps[at(after(placed, operand))];
                if pj < next.pj {
                    *next = Step { pj, operand, repeated };
                }
            }
        }
        if !steps[at(counts)].pj.is_finite() {
            // No mapping fits.
            return;
        }
        let mut placed = counts;
        while placed != [0; OPERANDS] {
            let Step { operand, repeated, .. } = steps[at(placed)];
            placed[operand] -= 1;
            self.boundaries[operand][placed[operand]].set_energy(operand, repeated, least);
        }
        least.add_up();
    }

    /// What crosses the next boundary of an operand, if it comes before all others that are not placed.
    fn repeated(&self, operand: LayerOperand, placed: Placed) -> Repeated {
        let index = placed[operand];
        let own = &self.boundaries[operand][index];
        let mut repeated = Repeated { times: 1, windows: own.own_windows };
        for other in LayerOperand::ALL.into_iter().filter(|&other| other != operand) {
            if let Some(later) = self.boundaries[other].get(placed[other]) {
                repeated.times = repeated.times.max(later.times[operand]);
                repeated.windows = repeated.windows.max(later.windows[operand][index]);
            }
        }
        repeated
    }
}

fn after(mut placed: Placed, operand: LayerOperand) -> Placed {
    placed[operand] += 1;
    placed
}

impl NestedBoundary {
    fn new(evaluator: &Evaluator<'_>, room: &Room<'_>, rooms: &[Vec<Room<'_>>; OPERANDS], least: &LayerEnergy) -> Self {
        let &Room { problem, operand, above, .. } = room;
        let view = &problem.operands[operand];
        let once_pj = ends(above, |level, end| least.energy_pj[operand][level][once(operand)[end] as usize]);
        let partial_pj = [UP, DOWN].map(|movements| {
            ends(above, |level, end| {
                if operand != LayerOperand::Output || view.precision.0 == 0 {
                    return 0.0;
                }
                let elements = least.elements[operand][level][UP[end] as usize];
                let bits = elements * view.precision.0 as f64;
                let movement = movements[end];
                let words = bits
                    * evaluator.least_words_per_bit((operand, level, movement), true, f64::INFINITY, view.precision.0);
                let pj = words * problem.core.memories[view.memories[level]].word_energy_pj(movement);
                // Partial sums have no fewer bits than final outputs.
                if movements == UP { pj.max(once_pj[end]) } else { pj }
            })
        });
        let windows = |below: &Room<'_>| window_factor(evaluator, below, room);
        Self {
            level: above,
            once_pj,
            partial_pj,
            holds_partial: room.is_below_partial_sums(),
            first_down: u64::from(view.adds_to_sums),
            own_windows: windows(room),
            times: LayerOperand::ALL.map(|other| if other == operand { 1 } else { room.least_times(other) }),
            windows: LayerOperand::ALL.map(|other| {
                let below: &[Room<'_>] = if other == operand { &[] } else { &rooms[other] };
                below.iter().map(windows).collect()
            }),
        }
    }

    fn repeats_any(&self) -> bool {
        let windows = self.windows.iter().flatten().copied().fold(self.own_windows, f64::max);
        windows > 1.0 || self.times.iter().any(|&times| times > 1)
    }

    /// Takes over the bounds of a boundary that comes later.
    fn join(&mut self, later: &Self) {
        for (times, later) in self.times.iter_mut().zip(later.times) {
            *times = later.max(*times);
        }
        for (windows, later) in self.windows.iter_mut().flatten().zip(later.windows.iter().flatten()) {
            *windows = later.max(*windows);
        }
    }

    /// The price of what crosses, pJ.
    fn pj(&self, operand: LayerOperand, Repeated { times, windows }: Repeated) -> f64 {
        let sum = |pj: &[f64; 2]| pj.iter().sum::<f64>();
        if operand == LayerOperand::Output && times > 1 {
            if !self.holds_partial {
                return f64::INFINITY;
            }
            let [up, down] = &self.partial_pj;
            sum(up) * times as f64 + sum(down) * (times - 1) as f64
        } else {
            sum(&self.once_pj) * times as f64 * windows
        }
    }

    fn set_energy(&self, operand: LayerOperand, Repeated { times, windows }: Repeated, least: &mut LayerEnergy) {
        let mut set = |movements: [Movement; 2], pj: &[f64; 2], factor: f64| {
            ends(self.level, |level, end| {
                least.energy_pj[operand][level][movements[end] as usize] = pj[end] * factor;
                0.0
            });
        };
        if operand != LayerOperand::Output {
            set(DOWN, &self.once_pj, times as f64 * windows);
        } else if times > 1 {
            let [up, down] = &self.partial_pj;
            set(UP, up, times as f64);
            set(DOWN, down, (times - 1 + self.first_down) as f64);
        }
    }
}

/// Movements across a boundary, at the memory above and at the one below.
const DOWN: [Movement; 2] = [Movement::ReadToLow, Movement::WriteFromHigh];
const UP: [Movement; 2] = [Movement::WriteFromLow, Movement::ReadToHigh];

/// The movements by which all data of an operand crosses once.
fn once(operand: LayerOperand) -> [Movement; 2] {
    if operand == LayerOperand::Output { UP } else { DOWN }
}

/// A value for each end of the boundary below memory level `above`, which has none below if the array is there.
fn ends(above: usize, mut of: impl FnMut(usize, usize) -> f64) -> [f64; 2] {
    [of(above, 0), above.checked_sub(1).map_or(0.0, |below| of(below, 1))]
}

/// The memory below a boundary, or the array that keeps an operand while only loops run that reuse it.
pub(super) struct Room<'a> {
    problem: &'a LayerOnCore<'a>,
    operand: LayerOperand,
    /// Memory level above the boundary.
    above: usize,
    /// Bits that the operand may take, besides the least of the others.
    bits: u64,
    /// The ways to divide the loops of its windows, once they are needed.
    divided: OnceCell<[Vec<DividedWindow>; 2]>,
}

/// A way to divide the loops of the windows along one axis: by which factor more data crosses, and the part of the loops
/// that lies below.
type DividedWindow = (f64, LoopSizes);

impl<'a> Room<'a> {
    pub(super) fn new(problem: &'a LayerOnCore<'a>, operand: LayerOperand, above: usize) -> Self {
        let bits = above.checked_sub(1).map_or(0, |level| room_bits(problem, operand, level));
        Self { problem, operand, above, bits, divided: OnceCell::new() }
    }

    /// Whether the memory above the boundary has room for the operand as partial sums: for all of it at its highest
    /// level.
    fn is_below_partial_sums(&self) -> bool {
        let Self { problem, operand, above, .. } = *self;
        let is_top = above + 1 == self.view().memories.len();
        let sizes = if is_top { &problem.spatial.temporal_sizes } else { &[1; 8] };
        slice_bits(problem, operand, above, sizes, true) <= room_bits(problem, operand, above)
    }

    /// The most elements that it holds.
    pub(super) fn most_elements(&self) -> f64 {
        let (partial, last) = self.view().precision;
        match partial.min(last) {
            0 => f64::INFINITY,
            _ if self.above == 0 => f64::INFINITY,
            least => (self.bits / least).max(1) as f64,
        }
    }

    fn view(&self) -> &'a OperandView {
        &self.problem.operands[self.operand]
    }

    /// Whether there is room for the data of loops that multiply to `sizes`. More loops never need less room.
    fn holds(&self, sizes: &LoopSizes) -> bool {
        let view = self.view();
        if view.precision == (0, 0) {
            return true;
        }
        let Some(level) = self.above.checked_sub(1) else {
            return Dim::ALL.into_iter().all(|dim| sizes[dim as usize] == 1 || is_irrelevant(view, dim));
        };
        // Outputs are added to in their lowest memory, and below unrolled loops that add. Elsewhere they may be final.
        let bits = |partial: bool| slice_bits(self.problem, self.operand, level, sizes, partial);
        let is_partial = level == 0 && reuse(self.problem, view) > 1 || view.adds_above(level);
        let least = if is_partial { bits(true) } else { bits(true).min(bits(false)) };
        least <= self.bits
    }

    /// How often the data of another operand crosses every boundary whose loops have room here: all loops that reuse
    /// it, divided by the most of them that have room.
    fn least_times(&self, operand: LayerOperand) -> u64 {
        let view = &self.problem.operands[operand];
        let all = &self.problem.spatial.temporal_sizes;
        if view.precision == (0, 0) || self.view().precision == (0, 0) {
            return 1;
        }
        // Loops that reuse the data of both operands have room in any number.
        let mut dims = [Dim::B; 8];
        let (mut count, mut sizes) = (0, [1; 8]);
        for dim in Dim::ALL {
            if all[dim as usize] > 1 && is_irrelevant(view, dim) && !is_irrelevant(self.view(), dim) {
                dims[count] = dim;
                count += 1;
                sizes[dim as usize] = all[dim as usize];
            }
        }
        if self.holds(&sizes) {
            return 1;
        }
        let dims = &dims[..count];
        let (mut best, mut sizes) = (1, [1; 8]);
        self.most_reuse(dims, &mut sizes, 1, &mut best);
        dims.iter().map(|&dim| all[dim as usize]).product::<u64>() / best
    }

    /// Raises `best` to the largest product of loops over `dims` that have room, each a divisor of its whole loop,
    /// beside `sizes`, which multiply to `product`.
    fn most_reuse(&self, dims: &[Dim], sizes: &mut LoopSizes, product: u64, best: &mut u64) {
        let Some((&dim, rest)) = dims.split_first() else {
            *best = product.max(*best);
            return;
        };
        let all = &self.problem.spatial.temporal_sizes;
        let most: u64 = rest.iter().map(|&dim| all[dim as usize]).product();
        for size in divisors(all[dim as usize]).into_iter().rev() {
            if product * size * most <= *best {
                break;
            }
            sizes[dim as usize] = size;
            if self.holds(sizes) {
                self.most_reuse(rest, sizes, product * size, best);
            }
        }
        sizes[dim as usize] = 1;
    }
}

/// Bits of a memory that an operand may take, besides the least of the others.
fn room_bits(problem: &LayerOnCore<'_>, operand: LayerOperand, level: usize) -> u64 {
    let memory = problem.operands[operand].memories[level];
    let others = problem.each_operand().filter(|(other, _)| *other != operand).filter_map(|(other, view)| {
        let level = view.memories.iter().position(|&id| id == memory)?;
        Some(smallest_demand(problem, other, level))
    });
    problem.room_bits(memory).saturating_sub(others.sum())
}

/// The loops of all windows of an operand, whole.
fn whole_windows(problem: &LayerOnCore<'_>, view: &OperandView) -> LoopSizes {
    let mut whole: LoopSizes = [1; 8];
    for dim in view.windows.iter().flat_map(|&(_, outputs, kernel)| [outputs, kernel]) {
        whole[dim as usize] = problem.spatial.temporal_sizes[dim as usize];
    }
    whole
}

/// For each axis, all ways to divide the loops of the windows along it, those first by which the least data crosses the
/// boundary above `own`.
fn divided_windows(evaluator: &Evaluator<'_>, own: &Room<'_>) -> [Vec<DividedWindow>; 2] {
    let (view, all) = (own.view(), &own.problem.spatial.temporal_sizes);
    let whole = whole_windows(own.problem, view);
    [0, 1].map(|window| {
        let Some(&(_, outputs, kernel)) = view.windows.get(window) else { return vec![(1.0, [1; 8])] };
        let data = |sizes: &LoopSizes| evaluator.elements_of_part(own.operand, own.above, window + 1, sizes);
        let once = data(&whole);
        let of_windows = divisors(all[kernel as usize]);
        let mut ways = Vec::new();
        for part in divisors(all[outputs as usize]) {
            for &of_window in &of_windows {
                let mut sizes = [1; 8];
                (sizes[outputs as usize], sizes[kernel as usize]) = (part, of_window);
                let crossings = all[outputs as usize] / part * (all[kernel as usize] / of_window);
                ways.push((data(&sizes) * crossings as f64 / once, sizes));
            }
        }
        sort_by(&mut ways, |a, b| a.0.total_cmp(&b.0));
        ways
    })
}

/// How many times more data crosses the boundary above `own` than if all windows that overlap lay below it, at least:
/// where the loops below have room there and in `other`.
fn window_factor(evaluator: &Evaluator<'_>, own: &Room<'_>, other: &Room<'_>) -> f64 {
    let (problem, view) = (own.problem, own.view());
    if view.precision == (0, 0) {
        return 1.0;
    }
    let holds = |sizes: &LoopSizes| own.holds(sizes) && other.holds(sizes);
    if holds(&whole_windows(problem, view)) {
        return 1.0;
    }
    let [columns, rows] = own.divided.get_or_init(|| divided_windows(evaluator, own));
    let mut least = f64::INFINITY;
    for (by_columns, columns) in columns {
        for (by_rows, rows) in rows {
            let factor = by_columns * by_rows;
            if factor >= least {
                break;
            }
            let sizes = std::array::from_fn(|dim| columns[dim] * rows[dim]);
            if holds(&sizes) {
                least = factor;
            }
        }
    }
    // Where not even one window has room, nothing is proved here.
    if least.is_finite() { least.max(1.0) } else { 1.0 }
}

/// Product of all loops that reuse an operand's data.
fn reuse(problem: &LayerOnCore<'_>, view: &OperandView) -> u64 {
    let reusing = Dim::ALL.into_iter().filter(|&dim| is_irrelevant(view, dim));
    reusing.map(|dim| problem.spatial.temporal_sizes[dim as usize]).product()
}

fn is_irrelevant(view: &OperandView, dim: Dim) -> bool {
    view.relevance[dim as usize] == Relevance::Irrelevant
}

/// All divisors, ascending.
fn divisors(number: u64) -> Vec<u64> {
    let low = (1..).take_while(|low| low * low <= number).filter(|low| number.is_multiple_of(*low));
    let mut all: Vec<u64> = low.collect();
    let high: Vec<u64> = all.iter().rev().map(|low| number / low).filter(|high| high * high > number).collect();
    all.extend(high);
    all
}
