//! The space of all mappings of a problem, as chains of sets.
//!
//! A mapping places every *boundary* (an operand's, between two of its memory levels) at a set of loop factors that lie
//! below it. The boundaries of an operand, and those of all operands together, form one chain of growing sets.
//!
//! The chain is built from the empty set outwards, in steps of two kinds: [`BoundarySpace::add`] puts one more loop
//! below everything that follows, [`BoundarySpace::place`] ends a memory level of one operand at the present set. Only
//! the second kind has a price, which depends on the set alone. [`BoundarySpace::least_to_go`] bounds the price of all
//! steps that follow: the least over supersets, taken from tables by operand, and a Lagrangian bound where operands
//! compete for the capacity of a memory (M. Fisher, 1981).
//!
//! - `space/prices.rs`: boundaries and their prices, by set
//! - `space/estimates.rs`: bounds on the price to come
//! - `space/steps.rs`: steps from state to state

mod estimates;
mod prices;
mod steps;

use super::factors::Factors;
use super::legality::{Legality, PlacedBoundaries};
use crate::cost::{BoundaryLoad, Evaluator, LatencyLowerBound};
use crate::hardware::{MAX_LEVELS, Operand};
use crate::mapping::{
    LayerOnCore, LayerOperand, OPERANDS, Relevance, TemporalLoop, copies, slice_bits, slice_elements,
};
use crate::workload::{Dim, LoopSizes};

/// Limit on tight memories: shared memories for whose capacity operands compete. Further ones are not tracked in
/// [`PartialMapping::used`] ([`BoundarySpace::tracks_all`]); a mapping that overfills one of them is only refused when
/// it is evaluated.
pub const MOST_TIGHT: usize = 6;

/// The price, in the objective, of accesses at one memory level: from the operand, the level, the words and their
/// energy, pJ. Linear in words and energy.
pub type Price<'p> = &'p dyn Fn(LayerOperand, usize, f64, f64) -> f64;

/// A boundary, for every set as its operand sees it.
struct BoundaryEntries {
    entries: Vec<BoundaryAtSet>,
    /// Least price of this boundary and all higher ones of the operand, each placed at the superset that is best for it
    /// alone.
    least: Vec<f64>,
    /// As `least`, for the sum of the price and the multiplier for bits in tight memories; empty where no memory has a
    /// multiplier.
    least_with_penalty: Vec<f64>,
}

/// A boundary at one set.
#[derive(Clone, Copy)]
struct BoundaryAtSet {
    /// Bits in the memory below while outputs are partial sums there, and when they are final.
    bits: [u64; 2],
    /// Price of one crossing: down, up with final outputs, up with partial sums.
    down: f64,
    up_final: f64,
    up_partial: f64,
}

/// A memory for whose capacity several operands compete.
struct Tight {
    size_bits: u64,
    /// Lagrange multiplier of the capacity: the price of a bit in estimates.
    multiplier: f64,
    /// Upper bound on the rounding error that the multiplier brings into an estimate.
    penalty_rounding: f64,
    /// Operands and their levels; their highest levels hold everything and are counted in `size_bits` already.
    members: Vec<(LayerOperand, usize)>,
}

/// The mapping space of a problem.
pub struct BoundarySpace<'a, L> {
    pub problem: &'a LayerOnCore<'a>,
    /// The constraints, if there are any.
    pub legal: Option<&'a L>,
    pub evaluator: &'a Evaluator<'a>,
    pub factors: Factors,
    pub total_cycles: u64,
    price: Price<'a>,
    /// The part of the price that no choice changes: the array's own accesses.
    pub constant: f64,
    boundaries: [Vec<BoundaryEntries>; OPERANDS],
    /// Product of all loops that add to outputs.
    adding: u64,
    tight: Vec<Tight>,
    /// Whether all tight memories are tracked. If not, chains that dominate others may fit nowhere, and nothing is
    /// proved.
    pub tracks_all: bool,
    /// Index into `tight` of the memory of each operand's levels.
    tight_at: [[Option<usize>; MAX_LEVELS]; OPERANDS],
    /// Bits that outputs at their highest level take as partial sums beyond those of final outputs.
    top_partial_bits: u64,
    /// Whether sizes count as the tools count them: outputs with the precision with which they leave the memory.
    as_they_leave: bool,
}

/// A partial mapping: all boundaries below some set are placed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PartialMapping {
    /// Number of the set of loops placed so far.
    pub set: u32,
    /// Its number as each operand sees it.
    pub seen: [u32; OPERANDS],
    /// The number of its boundaries that each operand has placed.
    pub placed: [u8; OPERANDS],
    /// Sets of earlier boundaries that constraints look at ([`PlacedBoundaries::since`]).
    pub since: [u32; OPERANDS],
    /// Operands (one bit each) that have placed a boundary at this very set. The next loop must be irrelevant to none
    /// of them.
    pub here: u8,
    /// Whether outputs were final at their last boundary: no loop above it adds to them. Decides the bits of the level
    /// that follows.
    pub is_final: bool,
    /// Product of the loops placed so far.
    pub cycles: u64,
    /// Product of the loops not yet placed that add to outputs.
    adding: u64,
    /// Bits that placed boundaries take in each tight memory; 0 once nothing more can be placed there.
    pub used: [u64; MOST_TIGHT],
}

/// One placed boundary: its operand, the memory level above it, and the set of loops below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedBoundary {
    pub operand: LayerOperand,
    pub level: usize,
    pub set: u32,
}

impl PartialMapping {
    /// Whether two states are equal. The fields that are not compared follow from the set.
    pub fn is(&self, other: &Self) -> bool {
        self.packed() == other.packed() && self.since == other.since && self.used == other.used
    }

    /// A hash of the fields that [`Self::is`] compares.
    pub fn hash(&self) -> u64 {
        // Odd, and without a pattern, so that high and low bits depend on everything.
        const SPREAD: u64 = 0xf135_7aea_2e62_a9c5;
        let since = self.since.iter().fold(0, |hash, &since| hash << 19 ^ u64::from(since));
        let used = self.used.iter().rev().fold(since, |hash, &used| hash.wrapping_mul(SPREAD) ^ used);
        let hash = (self.packed() ^ used.wrapping_mul(SPREAD)).wrapping_mul(SPREAD);
        hash ^ hash >> 32
    }

    /// The boundaries that are placed, for constraints.
    pub fn opened(&self) -> PlacedBoundaries {
        PlacedBoundaries { placed: self.placed, since: self.since }
    }

    /// All fields that are compared in one word, except for [`Self::used`] and [`Self::since`].
    fn packed(&self) -> u64 {
        let placed = self.placed.iter().fold(0, |packed, &placed| packed << 5 | u64::from(placed));
        u64::from(self.set) << 32 | placed << 8 | u64::from(self.here) << 1 | u64::from(self.is_final)
    }

    /// Whether every completion of `other` is one of this state, too. Both have the same set, and placed the same
    /// boundaries at sets that constraints do not tell apart. Boundaries that were placed here forbid loops, and bits
    /// in use forbid boundaries.
    pub fn leaves_no_less(&self, other: &Self) -> bool {
        self.here & !other.here == 0 && self.used.iter().zip(&other.used).all(|(used, other)| used <= other)
    }
}

impl BoundaryAtSet {
    /// Larger than any memory, but small enough that several of them can be added without overflow.
    const TOO_LARGE: Self = Self { bits: [u64::MAX / 8; 2], down: 0.0, up_final: 0.0, up_partial: 0.0 };

    fn least_bits(&self) -> f64 {
        self.bits[0].min(self.bits[1]) as f64
    }
}

impl<'a, L: Legality> BoundarySpace<'a, L> {
    /// Prepares the tables. `None` where the problem does not fit at all, has more sets than `most_sets`, or has a
    /// boundary that may legally lie nowhere.
    pub fn new(
        evaluator: &'a Evaluator<'a>,
        problem: &'a LayerOnCore<'a>,
        loops: &[TemporalLoop],
        (most_sets, legal): (u32, Option<&'a L>),
        price: Price<'a>,
    ) -> Option<Self> {
        let factors = Factors::new(problem, loops, most_sets)?;
        let adds = |dim: Dim| problem.operands[0].relevance[dim as usize] == Relevance::Irrelevant;
        let everything = problem.spatial.temporal_sizes;
        let mut space = Self {
            problem,
            legal,
            evaluator,
            total_cycles: everything.iter().product(),
            price,
            constant: 0.0,
            boundaries: Default::default(),
            adding: Dim::ALL.into_iter().filter(|&dim| adds(dim)).map(|dim| everything[dim as usize]).product(),
            tight: Vec::new(),
            tracks_all: true,
            tight_at: Default::default(),
            top_partial_bits: 0,
            as_they_leave: problem.rules.memory_reserved_for_averages,
            factors,
        };
        space.find_tight(&everything)?;
        let mut prices = LayerOperand::ALL.map(|operand| space.add_boundaries(operand));
        if let Some(legal) = legal {
            space.constrain(legal, &mut prices)?;
        }
        space.add_estimates(prices);
        Some(space)
    }

    /// The memory level above an operand's boundary number `index`.
    pub fn level(&self, operand: LayerOperand, index: usize) -> usize {
        index + usize::from(!self.evaluator.array_keeps(operand))
    }

    /// The boundary of `operand` that was placed last, for a state that lies at its set.
    pub fn last_placed(&self, state: &PartialMapping, operand: LayerOperand) -> PlacedBoundary {
        let index = usize::from(state.placed[operand]).saturating_sub(1);
        PlacedBoundary { operand, level: self.level(operand, index), set: state.set }
    }

    /// Number of boundaries that an operand has to place; 0 for an operand of no bits.
    pub fn boundary_count(&self, operand: LayerOperand) -> usize {
        self.boundaries[operand].len()
    }

    /// The least bits of a boundary's operand in the memory below, at a set.
    pub fn least_bits(&self, operand: LayerOperand, index: usize, seen: u32) -> f64 {
        self.boundaries[operand][index].entries[seen as usize].least_bits()
    }

    /// Number of tight memories.
    pub fn tight_count(&self) -> usize {
        self.tight.len()
    }

    /// By tight memory, the price of a bit in estimates.
    pub fn tight_multipliers(&self) -> impl Iterator<Item = f64> + '_ {
        self.tight.iter().map(|tight| tight.multiplier)
    }

    /// Number of the tight memory below an operand's boundary, if that memory is tight.
    pub fn tight_index(&self, operand: LayerOperand, index: usize) -> Option<usize> {
        let below = self.level(operand, index).checked_sub(1)?;
        self.tight_at[operand][below]
    }

    /// For each tight memory its size, bits, and whether the data of all operands in it is settled in a state.
    pub fn tight_sizes<'s>(&'s self, state: &'s PartialMapping) -> impl Iterator<Item = (f64, bool)> + 's {
        self.tight.iter().map(|tight| {
            let settled = tight.members.iter().all(|&(operand, level)| self.holds_all(state, operand, level));
            (tight.size_bits as f64, settled)
        })
    }

    /// Whether boundary number `index` of an operand may lie at a set: whether the memory below has room for that
    /// operand.
    pub fn may_hold(&self, operand: LayerOperand, index: usize, seen: u32) -> bool {
        let bits = self.boundaries[operand][index].entries[seen as usize].bits;
        bits[0].min(bits[1]) <= self.room(operand, self.level(operand, index))
    }

    /// `sizes` with all loops that are irrelevant to an operand below, too. They add no data and make crossings rarer,
    /// so this is the best set of those that the operand sees alike.
    pub fn with_irrelevant(&self, operand: LayerOperand, sizes: &LoopSizes) -> LoopSizes {
        let mut all = *sizes;
        for dim in Dim::ALL {
            if self.problem.operands[operand].relevance[dim as usize] == Relevance::Irrelevant {
                all[dim as usize] = self.problem.spatial.temporal_sizes[dim as usize];
            }
        }
        all
    }

    /// The least load of a boundary at all sets that its operand sees alike, of which `sizes` are the products: that of
    /// the one with all irrelevant loops, where crossings are rarest. If nothing below a lowest memory's upper boundary
    /// is relevant, irrelevant loops are its outermost in every order.
    pub fn least_load(
        &self,
        latency: &LatencyLowerBound<'_>,
        operand: LayerOperand,
        index: usize,
        (seen, sizes): (u32, &LoopSizes),
    ) -> BoundaryLoad {
        let (level, all) = (self.level(operand, index), self.with_irrelevant(operand, sizes));
        let irrelevant = if level == 1 && seen == 0 { all.iter().product() } else { 1 };
        latency.load(operand, level, &all, irrelevant)
    }

    /// Finds the memories that operands compete for; `None` where not even the highest levels fit.
    fn find_tight(&mut self, everything: &LoopSizes) -> Option<()> {
        let problem = self.problem;
        let top = problem.operands[0].memories.len() - 1;
        let [partial, last] = [true, false].map(|partial| self.bits(LayerOperand::Output, top, everything, partial));
        self.top_partial_bits = partial - last;
        for memory in problem.core.memories.keys() {
            let room_bits = problem.room_bits(memory);
            let levels = problem.each_operand().filter_map(|(operand, view)| {
                Some((operand, view.memories.iter().position(|&id| id == memory)?, view.memories.len() - 1))
            });
            // `least`: bits of the highest levels, the same in every mapping. `most`: the most bits of all levels here
            // together.
            let (mut least, mut most, mut lowest) = (0, 0, false);
            let mut members = Vec::new();
            for (operand, level, top) in levels {
                let all = self.bits(operand, level, everything, false);
                // Outputs with a single memory are added to in it, so they need the bits of partial sums.
                let single = operand == LayerOperand::Output && top == 0 && self.adding > 1 && !self.as_they_leave;
                let most_bits = self.most_bits(operand, level, operand == LayerOperand::Output);
                if level == top {
                    let needed = if single { self.bits(LayerOperand::Output, level, everything, true) } else { all };
                    if needed > room_bits {
                        return None;
                    }
                    least += needed;
                }
                most += most_bits.min(room_bits);
                lowest |= level == 0;
                members.push((operand, level));
            }
            if members.len() < 2 || most <= room_bits || lowest && problem.rules.lowest_memory_may_overflow {
                continue;
            }
            // Highest levels hold everything in every mapping: the others compete for the rest.
            let size_bits = room_bits.checked_sub(least)?;
            if self.tight.len() < MOST_TIGHT {
                for &(operand, level) in &members {
                    self.tight_at[operand][level] = Some(self.tight.len());
                }
                members.retain(|&(operand, level)| level + 1 < problem.operands[operand].memories.len());
                self.tight.push(Tight { size_bits, multiplier: 0.0, penalty_rounding: 0.0, members });
            } else {
                self.tracks_all = false;
            }
        }
        Some(())
    }

    /// Bits that leave memory `level`, when the temporal loops up to there multiply to `sizes`: as partial sums, and as
    /// final outputs.
    fn both_bits_as_they_leave(&self, operand: LayerOperand, level: usize, sizes: &LoopSizes) -> [u64; 2] {
        let bits = self.bits(operand, level, sizes, false);
        let is_output = self.problem.operands[operand].stored_as == Operand::O;
        [if is_output { self.bits(operand, level, sizes, true) } else { bits }, bits]
    }

    /// Bits of `elements` in memory `level`: as partial sums, and as final outputs.
    fn both_bits(&self, operand: LayerOperand, level: usize, elements: u64) -> [u64; 2] {
        let precision = self.problem.operands[operand].precision;
        let elements = elements * copies(self.problem, operand, level, elements);
        let partial = elements * precision.0;
        [partial, if self.is_added_to_at(operand, level) { partial } else { elements * precision.1 }]
    }

    /// Whether a level holds partial sums for any loops above: outputs are added to in their lowest memory, and
    /// everywhere where they are added to sums.
    fn is_added_to_at(&self, operand: LayerOperand, level: usize) -> bool {
        self.problem.operands[operand].adds_to_sums || operand == LayerOperand::Output && level == 0 && self.adding > 1
    }

    /// Bits in memory `level`, when the temporal loops up to there multiply to `sizes`.
    fn bits(&self, operand: LayerOperand, level: usize, sizes: &LoopSizes, partial: bool) -> u64 {
        let partial = partial || self.problem.operands[operand].adds_to_sums;
        let copies = copies(self.problem, operand, level, slice_elements(self.problem, operand, level, sizes));
        if self.as_they_leave {
            let crossing = self.evaluator.crossing(operand, level + 1, sizes, partial);
            (copies as f64 * crossing.elements * crossing.precision as f64) as u64
        } else {
            copies * slice_bits(self.problem, operand, level, sizes, partial || self.is_added_to_at(operand, level))
        }
    }

    /// The most bits of all sets in memory `level`: a double buffer may take more than the whole operand.
    fn most_bits(&self, operand: LayerOperand, level: usize, partial: bool) -> u64 {
        let whole = self.bits(operand, level, &self.problem.spatial.temporal_sizes, partial);
        let is_double = self.problem.forces_double_buffer(self.problem.operands[operand].memories[level]);
        if is_double { 2 * whole } else { whole }
    }

    /// The least bits in memory `level` of all sets with at least the loops of `seen`: a part held twice may take more
    /// room than the whole, which is held once.
    fn least_bits_from(&self, boundary: &BoundaryEntries, seen: u32) -> u64 {
        let bits = |entry: &BoundaryAtSet| entry.bits[0].min(entry.bits[1]);
        let here = bits(&boundary.entries[seen as usize]);
        boundary.entries.last().map_or(here, |whole| here.min(bits(whole)))
    }

    /// The most bits that an operand may take in the memory below a boundary: its size less the least that other
    /// operands need there.
    fn room(&self, operand: LayerOperand, level: usize) -> u64 {
        let Some(level) = level.checked_sub(1) else { return 0 };
        let size_bits = self.problem.room_bits(self.problem.operands[operand].memories[level]);
        let Some(tight) = self.tight_at[operand][level].map(|index| &self.tight[index]) else { return size_bits };
        let others = tight.members.iter().filter(|(other, _)| *other != operand);
        let least = others.map(|&(other, level)| {
            let everything = &self.problem.spatial.temporal_sizes;
            self.bits(other, level, &[1; 8], false).min(self.bits(other, level, everything, false))
        });
        tight.size_bits.saturating_sub(least.sum()).min(size_bits)
    }
}
