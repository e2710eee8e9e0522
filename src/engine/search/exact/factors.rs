//! The sets of temporal loops that may lie below a boundary: sub-multisets of the loop prime factors.
//!
//! A set is a number with mixed radix: the digit of a factor says how many of it lie in the set. A subset has no larger
//! digit, so numbers are in topological order, and differences of nested sets are sets, too. The data of one crossing
//! depends only on the factors that the operand *sees*: those that are not irrelevant to it. Sets of these have numbers
//! of the same kind, far fewer, and all tables by operand are indexed by them.

use crate::mapping::{LayerOnCore, LayerOperand, OPERANDS, OperandView, Relevance, TemporalLoop};
use crate::workload::LoopSizes;

/// Equal loop prime factors of one dimension.
#[derive(Debug, Clone)]
pub struct Factor {
    /// The loop, one for each of these factors.
    pub each: TemporalLoop,
    /// Multiplicity of the factor.
    pub count: u32,
    /// Weight of its digit in the number of a set.
    pub stride: u32,
    /// Weight of its digit in the number of the set as each operand sees it; 0 where the factor is irrelevant.
    pub seen: [u32; OPERANDS],
}

impl Factor {
    /// Number of these factors in the set with number `set`.
    pub fn count_in(&self, set: u32) -> u32 {
        set / self.stride % (self.count + 1)
    }

    /// Whether one may lie just above boundaries of these operands (one bit each). A loop that is irrelevant to an
    /// operand would be handed down below its boundary (ZigZag, Section III-B), which makes another chain.
    pub fn stays_above(&self, operands: u8) -> bool {
        self.seen.iter().enumerate().all(|(operand, &seen)| operands >> operand & 1 == 0 || seen > 0)
    }
}

/// All factors of a problem, with the numbers of their sets.
#[derive(Debug, Default)]
pub struct Factors {
    /// Different factors, sorted by dimension and size.
    pub list: Vec<Factor>,
    /// Number of sets. The last one, `sets - 1`, holds all factors.
    pub sets: u32,
    /// Number of different sets as each operand sees them.
    pub seen_sets: [u32; OPERANDS],
}

impl Factors {
    /// `loops` must be sorted. `None` where there are more than `most` sets.
    pub fn new(problem: &LayerOnCore<'_>, loops: &[TemporalLoop], most: u32) -> Option<Self> {
        let mut factors = Self { list: Vec::new(), sets: 1, seen_sets: [1; OPERANDS] };
        for equal in loops.chunk_by(|a, b| a == b) {
            let count = u32::try_from(equal.len()).ok()?;
            let mut seen = [0; OPERANDS];
            for (operand, view) in problem.each_operand() {
                if view.relevance[equal[0].dim as usize] != Relevance::Irrelevant {
                    seen[operand] = factors.seen_sets[operand];
                    factors.seen_sets[operand] *= count + 1;
                }
            }
            factors.list.push(Factor { each: equal[0], count, stride: factors.sets, seen });
            factors.sets = factors.sets.checked_mul(count + 1).filter(|&sets| sets <= most)?;
        }
        Some(factors)
    }

    /// Products of the loops of a set, by dimension.
    pub fn sizes(&self, set: u32) -> LoopSizes {
        let mut sizes = [1; 8];
        for factor in &self.list {
            sizes[factor.each.dim as usize] *= factor.each.size.pow(factor.count_in(set));
        }
        sizes
    }

    /// The loops of `outer` that are not in `inner`, a subset.
    pub fn between(&self, inner: u32, outer: u32) -> impl Iterator<Item = TemporalLoop> + '_ {
        self.list.iter().flat_map(move |factor| {
            let count = factor.count_in(outer) - factor.count_in(inner);
            std::iter::repeat_n(factor.each, count as usize)
        })
    }

    /// Calls `visit(number, sizes)` for every set as `operand` sees it, smaller numbers first. `sizes` are the products
    /// of its loops.
    pub fn for_each_seen(&self, operand: LayerOperand, mut visit: impl FnMut(u32, &LoopSizes)) {
        let relevant: Vec<&Factor> = self.list.iter().filter(|factor| factor.seen[operand] > 0).collect();
        let mut counts = vec![0; relevant.len()];
        let mut sizes = [1; 8];
        for number in 0..self.seen_sets[operand] {
            visit(number, &sizes);
            // Count up like an odometer, the first factor fastest, as its digit weighs 1.
            for (factor, count) in relevant.iter().zip(&mut counts) {
                let size = &mut sizes[factor.each.dim as usize];
                if *count < factor.count {
                    *count += 1;
                    *size *= factor.each.size;
                    break;
                }
                *size /= factor.each.size.pow(*count);
                *count = 0;
            }
        }
    }

    /// Every set as `operand` sees it, by the parts that decide its size.
    ///
    /// Invariant: after each factor, the tables hold all sets of the factors so far. Every further copy of the factor
    /// repeats the last block, as long as the tables were before this factor, with one more of it.
    pub fn seen_parts(&self, operand: LayerOperand, view: &OperandView) -> SeenParts {
        let mut seen =
            SeenParts { parts: [const { Vec::new() }; 3], of: Vec::with_capacity(self.seen_sets[operand] as usize) };
        seen.parts.iter_mut().for_each(|sizes| sizes.push([1; 8]));
        seen.of.push([0; 3]);
        // In the order of the list, the weights of the digits ascend, so that a set's index is its number.
        for factor in self.list.iter().filter(|factor| factor.seen[operand] > 0) {
            let part = view.part_of(factor.each.dim);
            let (sets, stride) = (seen.of.len(), seen.parts[part].len());
            for _ in 0..factor.count {
                for before in seen.of.len() - sets..seen.of.len() {
                    let mut next = seen.of[before];
                    next[part] += stride as u32;
                    seen.of.push(next);
                }
                for before in seen.parts[part].len() - stride..seen.parts[part].len() {
                    let mut next = seen.parts[part][before];
                    next[factor.each.dim as usize] *= factor.each.size;
                    seen.parts[part].push(next);
                }
            }
        }
        seen
    }

    /// Replaces the value of every set by the join of the values of all its supersets, itself included, as `operand`
    /// sees them.
    ///
    /// One digit after the other: once a factor is done, each value is the join over the supersets that differ in the
    /// factors so far. This takes one join for each set and factor, where pairs of sets would take quadratic time (a
    /// zeta transform).
    pub fn join_supersets<T: Copy>(&self, operand: LayerOperand, values: &mut [T], join: impl Fn(T, T) -> T) {
        for factor in self.list.iter().filter(|factor| factor.seen[operand] > 0) {
            let stride = factor.seen[operand] as usize;
            let block = stride * (factor.count as usize + 1);
            for start in (0..values.len()).step_by(block) {
                // From the largest digit down, so that the value one digit up is a suffix join already.
                for index in (start..start + block - stride).rev() {
                    values[index] = join(values[index], values[index + stride]);
                }
            }
        }
    }
}

/// The sets of factors that an operand sees, each split into three sets: the factors that decide each part of the
/// operand's size ([`OperandView::part_of`]). A part has far fewer sets, so sizes and windows are computed once for
/// each of these.
#[derive(Debug)]
pub struct SeenParts {
    /// Products of the loops of each set of one part, by dimension.
    pub parts: [Vec<LoopSizes>; 3],
    /// For every set the index of each of its parts in [`Self::parts`].
    pub of: Vec<[u32; 3]>,
}

impl SeenParts {
    /// `value(part, sizes)` for each set of each part.
    pub fn map<T>(&self, value: impl Fn(usize, &LoopSizes) -> T) -> [Vec<T>; 3] {
        [0, 1, 2].map(|part| self.parts[part].iter().map(|sizes| value(part, sizes)).collect())
    }

    /// The three entries of `values` for the parts of a set. `values` comes from [`Self::map`].
    pub fn of<T: Copy>(&self, values: &[Vec<T>; 3], set: usize) -> [T; 3] {
        let of = self.of[set];
        [0, 1, 2].map(|part| values[part][of[part] as usize])
    }

    /// Products of the loops of a set, by dimension.
    pub fn sizes(&self, set: usize) -> LoopSizes {
        let parts = self.of[set];
        std::array::from_fn(|dim| (0..3).map(|part| self.parts[part][parts[part] as usize][dim]).product())
    }
}
