//! The boundary between two levels of an operand, and the cost of data that crosses it (ZigZag, Section III; DeFiNES
//! tool, cost_model.py:329-475).
//!
//! Energy is a sum over boundaries, and the data that crosses one depends only on *which* loops lie below it, not on
//! their order. The exact search is based on that.

use crate::hardware::{Memory, Movement, Operand, WordParts};
use crate::mapping::{LayerOnCore, LayerOperand};
use crate::rules::Rules;
use crate::tolerance::{REL_TOLERANCE, snap};

/// The data that one operand moves across a boundary.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Crossing {
    /// Elements of one transfer, for one instance of the lower side.
    pub elements: f64,
    /// Bits per element.
    pub precision: u64,
    /// Cycles of computation between two crossings.
    pub period: u64,
    /// Number of transfers down: inputs, and partial sums to be added to.
    pub down: u64,
    /// Number of transfers up: outputs.
    pub up: u64,
}

impl Crossing {
    /// Nothing crosses.
    pub(super) const NONE: Self = Self { elements: 0.0, precision: 0, period: 0, down: 0, up: 0 };
}

/// The boundary below memory `level` of an operand; the lower side is memory `level - 1` or the PE array.
pub struct Boundary<'a> {
    /// Memory level of the upper side.
    level: usize,
    /// Elements on the upper side for one element on the lower: the number of instances with different data that an upper one serves.
    boost: f64,
    ends: [Option<End<'a>>; 4],
    /// The cost of replacing a weight in an array that computes in memory.
    precharge: Option<Precharge>,
}

/// Precharging of the bit lines of groups of cells, when the array goes on to other weights.
struct Precharge {
    /// Energy in all macros, pJ.
    pj: f64,
    /// Steps of all temporal loops, where the rules divide by the loops that keep a weight once more.
    steps: Option<f64>,
}

impl Precharge {
    fn new(problem: &LayerOnCore<'_>, operand: LayerOperand, level: usize) -> Option<Self> {
        let is_array = level == 0 && problem.operands[operand].stored_as == Operand::W;
        let in_memory = problem.in_memory.as_ref().filter(|array| is_array && array.precharge_pj > 0.0)?;
        let view = &problem.operands[operand];
        let read_bits = problem.core.memories[view.memories[0]].width_bits(Operand::W, Movement::ReadToLow);
        let twice = problem.rules.in_memory_precharges_divided_twice && read_bits >= view.precision.0;
        let steps = problem.spatial.temporal_sizes.iter().product::<u64>() as f64;
        Some(Self { pj: in_memory.precharge_pj * in_memory.weights, steps: twice.then_some(steps) })
    }

    /// Energy of so many crossings, pJ.
    fn of(&self, count: u64) -> f64 {
        let all = self.pj * count as f64;
        self.steps.map_or(all, |steps| all * (count as f64 / steps))
    }
}

/// The transfers at one side of a boundary in one direction.
pub(super) struct SideTransfer {
    /// Elements of one transfer of one instance.
    pub elements: f64,
    /// Number of transfers.
    pub count: u64,
    /// Instances of the memory.
    pub units: f64,
    /// Full-width words of one transfer of one instance.
    pub words_each: f64,
    /// Full-width words of all transfers of all instances.
    pub words: f64,
    /// Energy of these words, pJ.
    pub pj: f64,
    /// Energy besides that of the words, pJ: precharging where an array computes in memory.
    pub precharge_pj: f64,
}

/// One data movement at one side of a boundary.
struct End<'a> {
    memory: &'a Memory,
    movement: Movement,
    parts: WordParts,
    /// Instances of the memory.
    units: f64,
    /// Bits that move at a time: a word, or less where the other side takes or gives less. `None` at the narrower side, which
    /// moves all it has.
    chunk_bits: Option<f64>,
    last_chunk_in_full: bool,
    whole_words: bool,
}

impl<'a> Boundary<'a> {
    /// `unique` and `units` count the instances from each architecture level of the operand up: 0 is the PE array, `m + 1`
    /// memory `m`.
    pub(super) fn new(
        problem: &LayerOnCore<'a>,
        operand: LayerOperand,
        level: usize,
        unique: &[f64],
        units: &[f64],
    ) -> Self {
        let view = &problem.operands[operand];
        let memory = |level: usize| &problem.core.memories[view.memories[level]];
        let fan_out = unique[level] / unique[level + 1];
        let boost = match problem.rules {
            Rules { truncate_bandwidth_ratio: true, .. } => fan_out.trunc(),
            Rules { round_bandwidth_ratio: true, .. } => fan_out.round_ties_even(),
            _ => snap(fan_out),
        };
        let below = level.checked_sub(1).filter(|_| !problem.rules.narrow_side_ignored).map(memory);
        let end = |movement: Movement, level: usize| {
            let memory = memory(level);
            // Data between two memories moves in chunks that are as wide as the narrower side allows.
            let width_bits = memory.width_bits(view.stored_as, movement) as f64;
            let chunk_bits = below.filter(|_| movement.is_low()).map(|below| {
                let chunk_bits = below.width_bits(view.stored_as, movement.other_side()) as f64 * fan_out;
                chunk_bits.min(width_bits)
            });
            End {
                memory,
                movement,
                parts: memory.word_parts(view.stored_as, movement, &problem.rules),
                units: units[level + 1],
                chunk_bits,
                last_chunk_in_full: problem.rules.last_chunk_charged_in_full,
                whole_words: problem.rules.fractions_of_words_free,
            }
        };
        Self {
            level,
            boost,
            precharge: Precharge::new(problem, operand, level),
            ends: Movement::ALL.map(|movement| {
                let level = if movement.is_low() { Some(level) } else { level.checked_sub(1) };
                level.map(|level| end(movement, level))
            }),
        }
    }

    /// Elements on the upper side for one element on the lower.
    pub(super) fn boost(&self) -> f64 {
        self.boost
    }

    /// The price of a crossing down, or up, of elements of `precision` bits. `price` is the price of words at a memory
    /// level, from their number and their energy in pJ; it is linear in both.
    pub fn crossing_price(&self, down: bool, precision: u64, price: impl Fn(usize, f64, f64) -> f64) -> CrossingPrice {
        let movements = if down {
            [Movement::ReadToLow, Movement::WriteFromHigh]
        } else {
            [Movement::WriteFromLow, Movement::ReadToHigh]
        };
        let precharge = self.precharge.as_ref().filter(|_| down);
        CrossingPrice {
            constant: precharge.map_or(0.0, |precharge| price(self.level, 0.0, precharge.of(1))),
            ends: movements.map(|movement| {
                let end = self.ends[movement as usize].as_ref()?;
                let (level, boost) = if movement.is_low() { (self.level, self.boost) } else { (self.level - 1, 1.0) };
                let pj = end.units * end.memory.word_energy_pj(movement);
                Some((boost, price(level, end.units, pj), end.word_count(precision)))
            }),
        }
    }

    fn for_each_end(&self, crossing: &Crossing, mut visit: impl FnMut(&End<'_>, usize, f64, u64)) {
        for end in self.ends.iter().flatten() {
            let goes_down = matches!(end.movement, Movement::ReadToLow | Movement::WriteFromHigh);
            let count = if goes_down { crossing.down } else { crossing.up };
            if count > 0 {
                let (level, elements) = if end.movement.is_low() {
                    (self.level, crossing.elements * self.boost)
                } else {
                    (self.level - 1, crossing.elements)
                };
                visit(end, level, elements, count);
            }
        }
    }

    /// Calls `visit(movement, memory level, elements, count)` for both sides of everything that crosses.
    pub(super) fn for_each_link(&self, crossing: &Crossing, mut visit: impl FnMut(Movement, usize, f64, u64)) {
        self.for_each_end(crossing, |end, level, elements, count| visit(end.movement, level, elements, count));
    }

    /// Calls `visit(movement, memory level, transfer)` for both sides of everything that crosses.
    pub(super) fn for_each_transfer(&self, crossing: &Crossing, mut visit: impl FnMut(Movement, usize, SideTransfer)) {
        self.for_each_end(crossing, |end, level, elements, count| {
            let words_each = end.word_count(crossing.precision).of(elements);
            let words = words_each * count as f64 * end.units;
            let words = if end.whole_words { words.trunc() } else { words };
            let precharge = self.precharge.as_ref().filter(|_| end.movement == Movement::ReadToLow);
            let precharge_pj = precharge.map_or(0.0, |precharge| precharge.of(count));
            let pj = words * end.memory.word_energy_pj(end.movement) + precharge_pj;
            visit(
                end.movement,
                level,
                SideTransfer { elements, count, units: end.units, words_each, words, pj, precharge_pj },
            );
        });
    }

    /// Calls `visit(movement, memory level, words, pJ)`: full-width words of all instances over the whole layer, with
    /// fractions where the granularity is finer, and their energy.
    pub fn for_each_access(&self, crossing: &Crossing, mut visit: impl FnMut(Movement, usize, f64, f64)) {
        self.for_each_transfer(crossing, |movement, level, SideTransfer { words, pj, .. }| {
            visit(movement, level, words, pj)
        });
    }

    /// A lower bound on the full-width words of `movement` for each bit that it moves, where one transfer moves at most
    /// `most_bits` at that end and a word has `width_bits`.
    ///
    /// Any number of bits takes at least its share of a word. What moves at once takes at least one part of a word, and
    /// a transfer at least one burst, so if neither holds more bits than that, the smallest share is that of the most
    /// bits.
    pub(super) fn least_words_per_bit(&self, movement: Movement, most_bits: f64, width_bits: u64) -> f64 {
        let share = 1.0 / width_bits as f64;
        let Some(end) = &self.ends[movement as usize] else { return share };
        let WordParts { granularity_bits, granule, .. } = end.parts;
        let at_once = end.chunk_bits.map_or(most_bits, |chunk_bits| chunk_bits.min(most_bits));
        let in_parts = if at_once <= granularity_bits { granule.min(1.0) / at_once } else { 0.0 };
        let in_bursts = end.memory.burst_bits.map_or(0.0, |bits| {
            let bits = bits as f64;
            if most_bits <= bits { bits * granule / granularity_bits / most_bits } else { 0.0 }
        });
        share.max(in_parts).max(in_bursts)
    }

    /// Energy of everything that crosses, over the whole layer and all instances, pJ.
    pub fn energy_pj(&self, crossing: &Crossing) -> f64 {
        let mut energy = 0.0;
        self.for_each_access(crossing, |_, _, _, pj| energy += pj);
        energy
    }
}

impl End<'_> {
    /// Words that one instance takes for elements of so many bits.
    fn word_count(&self, precision: u64) -> WordCount {
        let mut count = WordCount {
            precision: precision as f64,
            parts: self.parts,
            burst: self.memory.burst_bits.map(|bits| {
                let WordParts { granule, granularity_bits, .. } = self.parts;
                (bits as f64, bits as f64 * granule / granularity_bits)
            }),
            chunk: None,
            last_chunk_in_full: self.last_chunk_in_full,
        };
        count.chunk = self.chunk_bits.filter(|_| precision > 0).map(|chunk_bits| {
            let elements = chunk_bits / count.precision;
            (elements, count.words_for(elements))
        });
        count
    }
}

/// The number of words that elements take at one end, prepared for many numbers of elements.
struct WordCount {
    precision: f64,
    parts: WordParts,
    /// Bits of a burst, and its words.
    burst: Option<(f64, f64)>,
    /// Elements that move at a time, and their words.
    chunk: Option<(f64, f64)>,
    last_chunk_in_full: bool,
}

impl WordCount {
    fn of(&self, elements: f64) -> f64 {
        if elements == 0.0 || self.precision == 0.0 {
            return 0.0;
        }
        let words = self.without_bursts(elements);
        match self.burst {
            // Chunks, too, come in whole bursts: a transfer is one request.
            Some((bits, words_each)) => words.max((elements * self.precision / bits).ceil() * words_each),
            None => words,
        }
    }

    fn without_bursts(&self, elements: f64) -> f64 {
        let Some((chunk, words)) = self.chunk.filter(|(chunk, _)| *chunk < elements) else {
            return self.words_for(elements);
        };
        if self.last_chunk_in_full {
            return words * (elements / chunk).ceil();
        }
        let full = (elements / chunk).floor();
        let rest = elements - full * chunk;
        words * full + if rest > REL_TOLERANCE * chunk { self.words_for(rest) } else { 0.0 }
    }

    /// Words of elements that move at once.
    fn words_for(&self, elements: f64) -> f64 {
        self.parts.words(elements * self.precision)
    }
}

/// The price of one crossing in one direction, prepared for many numbers of elements.
pub struct CrossingPrice {
    /// Elements at each end for one on the lower side, price of a word in all instances.
    ends: [Option<(f64, f64, WordCount)>; 2],
    /// Price of one crossing, however many elements.
    constant: f64,
}

impl CrossingPrice {
    /// The price of one crossing of `elements` elements of the lower side.
    pub fn of(&self, elements: f64) -> f64 {
        let each = self.ends.iter().flatten();
        self.constant + each.map(|(boost, per_word, words)| words.of(elements * boost) * per_word).sum::<f64>()
    }
}
