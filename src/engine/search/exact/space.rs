//! The space of all mappings of a problem, as chains of sets.
//!
//! A mapping places every *boundary* (an operand's, between two of its memory levels) at a set of loop factors that lie
//! below it. The boundaries of an operand, and those of all operands together, form one chain of growing sets.
//!
//! The chain is built from the empty set outwards, in steps of two kinds: [`Space::add`] puts one more loop below
//! everything that follows, [`Space::place`] ends a memory level of one operand at the present set. Only the second
//! kind has a price, which depends on the set alone. [`Space::least_to_go`] bounds the price of all steps that follow:
//! the least over supersets, taken from tables by operand, and a Lagrangian bound where operands compete for the
//! capacity of a memory (M. Fisher, 1981).

use super::factors::Factors;
use super::legality::{Legality, Opened};
use crate::cost::{Crossing, Evaluator, partial_sums_read_back};
use crate::hardware::{MAX_LEVELS, Operand};
use crate::mapping::{LayerOnCore, LayerOperand, OPERANDS, Relevance, TemporalLoop, slice_bits, slice_part};
use crate::workload::{Dim, LoopSizes};

/// Limit on tight memories: shared memories for whose capacity operands compete. Further ones are not tracked in
/// [`State::used`]; a mapping that overfills one of them is only refused when it is evaluated.
pub const MOST_TIGHT: usize = 6;

/// The price, in the objective, of accesses at one memory level: from the operand, the level, the words and their
/// energy, pJ. Linear in words and energy.
pub type Price<'p> = &'p dyn Fn(LayerOperand, usize, f64, f64) -> f64;

/// A boundary, for every set as its operand sees it.
struct Boundary {
    entries: Vec<Entry>,
    /// Least price of this boundary and all higher ones of the operand, each placed at the superset that is best for it
    /// alone.
    least: Vec<f64>,
    /// The same for the sum of price and rent, for the bits in tight memories; empty where no memory has a rent.
    least_with_rent: Vec<f64>,
}

/// A boundary at one set.
#[derive(Clone, Copy)]
struct Entry {
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
    rent: f64,
    /// Upper bound on the rounding error that the rent brings into an estimate.
    rounding: f64,
    /// Operands and their levels; their highest levels hold everything and are counted in `size_bits` already.
    members: Vec<(LayerOperand, usize)>,
}

/// The mapping space of a problem.
pub struct Space<'a, L> {
    pub problem: &'a LayerOnCore<'a>,
    /// The constraints, if there are any.
    pub legal: Option<&'a L>,
    pub evaluator: &'a Evaluator<'a>,
    pub factors: Factors,
    pub total_cycles: u64,
    price: Price<'a>,
    /// The part of the price that no choice changes: the array's own accesses.
    pub constant: f64,
    boundaries: [Vec<Boundary>; OPERANDS],
    /// Product of all loops that add to outputs.
    adding: u64,
    tight: Vec<Tight>,
    /// Index into `tight` of the memory of each operand's levels.
    tight_at: [[Option<usize>; MAX_LEVELS]; OPERANDS],
    /// Bits that outputs at their highest level take as partial sums beyond those of final outputs.
    top_partial_bits: u64,
    /// Whether sizes count as the tools count them: outputs with the precision with which they leave the memory.
    as_they_leave: bool,
}

/// A partial mapping: all boundaries below some set are placed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct State {
    /// Number of the set of loops placed so far.
    pub set: u32,
    /// Its number as each operand sees it.
    pub seen: [u32; OPERANDS],
    /// How many of its boundaries each operand has placed.
    pub placed: [u8; OPERANDS],
    /// Sets of earlier boundaries that constraints look at ([`Opened::since`]).
    pub since: [u32; OPERANDS],
    /// Operands (one bit each) that have placed a boundary at this very set. The next loop must be irrelevant to none
    /// of them.
    pub here: u8,
    /// Whether outputs were final at their last boundary: no loop above it adds to them. Decides the bits of the level
    /// that follows.
    pub is_final: bool,
    /// Product of the loops placed so far.
    cycles: u64,
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

impl State {
    /// Whether two states are equal. The fields that are not compared follow from the set.
    pub fn is(&self, other: &Self) -> bool {
        self.packed() == other.packed() && self.since == other.since && self.used == other.used
    }

    /// A hash of the fields that [`Self::is`] compares.
    pub fn hash(&self) -> u64 {
        // Odd numbers without a pattern, so that high and low bits depend on everything.
        const SPREAD: u64 = 0xf135_7aea_2e62_a9c5;
        let since = self.since.iter().fold(0, |hash, &since| hash << 19 ^ u64::from(since));
        let used = self.used.iter().rev().fold(since, |hash, &used| hash.wrapping_mul(SPREAD) ^ used);
        let hash = (self.packed() ^ used.wrapping_mul(SPREAD)).wrapping_mul(SPREAD);
        hash ^ hash >> 32
    }

    /// How far boundaries are placed, for constraints.
    pub fn opened(&self) -> Opened {
        Opened { placed: self.placed, since: self.since }
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

impl Entry {
    /// Larger than any memory, with room for sums of several of these.
    const TOO_LARGE: Self = Self { bits: [u64::MAX / 8; 2], down: 0.0, up_final: 0.0, up_partial: 0.0 };

    fn least_bits(&self) -> f64 {
        self.bits[0].min(self.bits[1]) as f64
    }
}

/// The Pareto front of sizes and prices: a size is left out if a smaller or equal one has no higher price.
///
/// Invariant: sizes ascend and prices descend strictly.
fn cheapest_by_size(prices: &[f64], entries: &[Entry]) -> Vec<(f64, f64)> {
    let mut choices: Vec<(f64, f64)> = Vec::new();
    for (&price, entry) in prices.iter().zip(entries).filter(|(price, _)| price.is_finite()) {
        let bits = entry.least_bits();
        // By the invariant, the last choice that is no larger is the cheapest of those.
        let no_larger = choices.partition_point(|&(size, _)| size <= bits);
        if choices[..no_larger].last().is_some_and(|&(_, least)| least <= price) {
            continue;
        }
        // The new choice replaces the one of the same size, and all larger ones that are no cheaper.
        let first = no_larger - usize::from(choices[..no_larger].last().is_some_and(|&(size, _)| size == bits));
        let no_cheaper = choices[first..].iter().take_while(|&&(_, other)| other >= price).count();
        choices.splice(first..first + no_cheaper, [(bits, price)]);
    }
    choices
}

fn add_to(sums: &mut [f64], others: &[f64]) {
    for (sum, other) in sums.iter_mut().zip(others) {
        *sum += other;
    }
}

impl<'a, L: Legality> Space<'a, L> {
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
    pub fn last_placed(&self, state: &State, operand: LayerOperand) -> PlacedBoundary {
        let index = usize::from(state.placed[operand]).saturating_sub(1);
        PlacedBoundary { operand, level: self.level(operand, index), set: state.set }
    }

    /// Number of boundaries that an operand has to place; 0 for an operand of no bits.
    pub fn boundary_count(&self, operand: LayerOperand) -> usize {
        self.boundaries[operand].len()
    }

    /// The least price of a boundary at a set, and the least bits in the memory below it.
    pub fn least_at(&self, operand: LayerOperand, index: usize, seen: u32, sizes: &LoopSizes) -> (f64, f64) {
        let entry = &self.boundaries[operand][index].entries[seen as usize];
        let times = self.total_cycles / self.with_irrelevant(operand, sizes).iter().product::<u64>();
        (self.least_price(operand, self.level(operand, index), || *sizes, times, entry), entry.least_bits())
    }

    /// Number of tight memories.
    pub fn tight_count(&self) -> usize {
        self.tight.len()
    }

    /// Number of the tight memory below an operand's boundary, if that memory is tight.
    pub fn tight_index(&self, operand: LayerOperand, index: usize) -> Option<usize> {
        let below = self.level(operand, index).checked_sub(1)?;
        self.tight_at[operand][below]
    }

    /// For each tight memory its size, bits, and whether all operands have settled in a state how much they hold there.
    pub fn tight_sizes<'s>(&'s self, state: &'s State) -> impl Iterator<Item = (f64, bool)> + 's {
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
                let all_partial = if operand == LayerOperand::Output {
                    self.bits(LayerOperand::Output, level, everything, true)
                } else {
                    all
                };
                if level == top {
                    let needed = if single { all_partial } else { all };
                    if needed > room_bits {
                        return None;
                    }
                    least += needed;
                }
                most += all_partial.min(room_bits);
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
                self.tight.push(Tight { size_bits, rent: 0.0, rounding: 0.0, members });
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
        let partial = elements * precision.0;
        [partial, if self.is_added_to_at(operand, level) { partial } else { elements * precision.1 }]
    }

    /// Whether a level holds partial sums whatever lies above: outputs are added to in their lowest memory.
    fn is_added_to_at(&self, operand: LayerOperand, level: usize) -> bool {
        operand == LayerOperand::Output && level == 0 && self.adding > 1
    }

    /// Bits in memory `level`, when the temporal loops up to there multiply to `sizes`.
    fn bits(&self, operand: LayerOperand, level: usize, sizes: &LoopSizes, partial: bool) -> u64 {
        if self.as_they_leave {
            let crossing = self.evaluator.crossing(operand, level + 1, sizes, partial);
            (crossing.elements * crossing.precision as f64) as u64
        } else {
            slice_bits(self.problem, operand, level, sizes, partial || self.is_added_to_at(operand, level))
        }
    }

    /// Adds an operand's boundaries without estimates; returns the least price of each at every set.
    fn add_boundaries(&mut self, operand: LayerOperand) -> Vec<Vec<f64>> {
        let mut prices = Vec::new();
        let problem = self.problem;
        let view = &problem.operands[operand];
        if !self.evaluator.array_keeps(operand) {
            let array = self.evaluator.counts(operand, 0, &[1; 8]);
            self.constant += self.price_of(operand, 0, &[1; 8], array);
        }
        if view.precision == (0, 0) {
            // Takes no room and moves nothing, so that its boundaries may lie anywhere.
            return prices;
        }
        if self.level(operand, 0) >= view.memories.len() {
            return prices;
        }
        let seen = self.factors.seen_parts(operand, view);
        // Loops of each part that are above a set.
        let above = seen.map(|part, sizes| {
            let all = seen.parts[part].last().map_or(1, |all| all.iter().product::<u64>());
            all / sizes.iter().product::<u64>()
        });
        // Neighbouring numbers within a run of this length differ by one more of the first factor, so their sizes
        // ascend.
        let innermost = self.factors.list.iter().find(|factor| factor.seen[operand] == 1);
        let run = innermost.map_or(1, |factor| factor.count as usize + 1);
        for level in self.level(operand, 0)..view.memories.len() {
            let size_bits = self.room(operand, level);
            let slices = level
                .checked_sub(1)
                .map(|below| seen.map(|part, sizes| slice_part(problem, operand, below, (part, sizes))));
            let elements = seen.map(|part, sizes| self.evaluator.elements_of_part(operand, level, part, sizes));
            let boundary = self.evaluator.boundary(operand, level);
            let price = |down: bool, precision: u64| {
                boundary.crossing_price(down, precision, |level, words, pj| (self.price)(operand, level, words, pj))
            };
            let down = price(true, view.precision.0);
            let up = [price(false, view.precision.0), price(false, view.precision.1)];
            let mut entries: Vec<Entry> = Vec::with_capacity(seen.of.len());
            let mut least: Vec<f64> = Vec::with_capacity(seen.of.len());
            for set in 0..seen.of.len() {
                if set % run > 0 && least[set - 1] == f64::INFINITY {
                    // The set with one loop less does not fit, so this one does not either.
                    entries.push(Entry::TOO_LARGE);
                    least.push(f64::INFINITY);
                    continue;
                }
                let bits = match &slices {
                    Some(_) if self.as_they_leave => self.both_bits_as_they_leave(operand, level - 1, &seen.sizes(set)),
                    Some(slices) => {
                        let elements = seen.of(slices, set).into_iter().product();
                        self.both_bits(operand, level - 1, elements)
                    }
                    // The array keeps an operand only while irrelevant loops run, so this boundary lies at set 0. The
                    // set's number stands for its bits, as `room` is 0 below the lowest memory.
                    None => [set as u64; 2],
                };
                let mut entry = Entry { bits, down: 0.0, up_final: 0.0, up_partial: 0.0 };
                if bits[0].min(bits[1]) > size_bits {
                    entries.push(entry);
                    least.push(f64::INFINITY);
                    continue;
                }
                if !self.priced_together() {
                    let elements = self.evaluator.elements_of_parts(seen.of(&elements, set));
                    entry.down = down.of(elements);
                    if view.stored_as == Operand::O {
                        [entry.up_partial, entry.up_final] = up.each_ref().map(|up| up.of(elements));
                    }
                }
                // At best, all loops that are irrelevant to the operand lie below: they make it no larger.
                let times = seen.of(&above, set).into_iter().product();
                least.push(self.least_price(operand, level, || seen.sizes(set), times, &entry));
                entries.push(entry);
            }
            prices.push(least);
            self.boundaries[operand].push(Boundary { entries, least: Vec::new(), least_with_rent: Vec::new() });
        }
        prices
    }

    /// Whether the price of several crossings differs from their number times the price of one: the rule rounds the
    /// sum.
    fn priced_together(&self) -> bool {
        let rules = &self.problem.rules;
        rules.fractions_of_words_free || rules.in_memory_precharges_divided_twice && self.problem.in_memory.is_some()
    }

    /// The least price of `times` crossings of an operand's boundary below memory `level`, at a set of these `sizes` as
    /// the operand sees it. Outputs count as final, or as partial sums with as few read back as the rules allow,
    /// whichever costs less.
    fn least_price(
        &self,
        operand: LayerOperand,
        level: usize,
        sizes: impl Fn() -> LoopSizes,
        times: u64,
        entry: &Entry,
    ) -> f64 {
        let (rules, view) = (&self.problem.rules, &self.problem.operands[operand]);
        let (count, first) = (times as f64, rules.first_partial_sum_read_back);
        if view.stored_as != Operand::O {
            return if self.priced_together() {
                self.price_of(operand, level, &sizes(), (times, 0, false))
            } else {
                count * entry.down
            };
        }
        let (partial, last) = if self.priced_together() {
            // Rounding applies to all words together, so the price of one crossing is of no use.
            let back = if first { times } else { 0 };
            let partial = self.price_of(operand, level, &sizes(), (back, times, true));
            (partial, self.price_of(operand, level, &sizes(), (0, times, false)))
        } else {
            (count * (entry.up_partial + if first { entry.down } else { 0.0 }), count * entry.up_final)
        };
        if view.adds_above(level) { partial } else { last.min(partial) }
    }

    /// Tightens least prices by constraints: infinite at a set where the boundary must not lie, and elsewhere with no
    /// more cycles below it than legally may lie there. `None` where a boundary may lie nowhere.
    fn constrain(&self, legal: &L, prices: &mut [Vec<Vec<f64>>; OPERANDS]) -> Option<()> {
        for (operand, prices) in LayerOperand::ALL.into_iter().zip(prices) {
            for (index, prices) in prices.iter_mut().enumerate() {
                let Some(most_cycles) = legal.most_cycles(operand, index) else { continue };
                let entries = &self.boundaries[operand][index].entries;
                self.factors.for_each_seen(operand, |set, sizes| {
                    let (price, cycles) = (&mut prices[set as usize], most_cycles[set as usize]);
                    *price = match cycles {
                        0 => f64::INFINITY,
                        _ if *price == f64::INFINITY => *price,
                        _ => {
                            let (level, times) = (self.level(operand, index), self.total_cycles / cycles);
                            self.least_price(operand, level, || *sizes, times, &entries[set as usize])
                        }
                    };
                });
                if prices.iter().all(|price| *price == f64::INFINITY) {
                    return None;
                }
            }
        }
        Some(())
    }

    /// Tabulates the estimates of the price to come: from the least price of each boundary, and again with a rent for
    /// room in tight memories.
    ///
    /// A bound, because in every completion a boundary lies at some superset of the present set, and the minimum over
    /// all supersets is no higher. Boundaries of one operand are not coupled here: each takes its own best superset.
    fn add_estimates(&mut self, prices: [Vec<Vec<f64>>; OPERANDS]) {
        self.set_rents(&prices);
        let has_rents = self.tight.iter().any(|tight| tight.rent > 0.0);
        for (operand, prices) in LayerOperand::ALL.into_iter().zip(prices) {
            for (index, mut least) in prices.into_iter().enumerate().rev() {
                // Higher boundaries have to be placed, too, at supersets of the same set: add theirs.
                let higher = self.boundaries[operand].get(index + 1);
                let mut with_rent = Vec::new();
                if has_rents {
                    let rent = self.tight_below(operand, index).map_or(0.0, |tight| tight.rent);
                    let entries = &self.boundaries[operand][index].entries;
                    with_rent.extend(least.iter().zip(entries).map(|(price, entry)| price + rent * entry.least_bits()));
                    self.factors.join_supersets(operand, &mut with_rent, f64::min);
                    add_to(&mut with_rent, higher.map_or(&[], |higher| &higher.least_with_rent));
                }
                self.factors.join_supersets(operand, &mut least, f64::min);
                add_to(&mut least, higher.map_or(&[], |higher| &higher.least));
                let boundary = &mut self.boundaries[operand][index];
                (boundary.least, boundary.least_with_rent) = (least, with_rent);
            }
        }
    }

    /// Sets the rents at which the estimate of the whole is highest.
    ///
    /// Operands that compete for a memory cannot all have their cheapest sets there. The Lagrangian bound: a mapping
    /// that fits uses no more bits than the memory has, so its price plus `rent * (bits used - size)` is no higher than
    /// its price. Without the limit on the sum of their bits, operands choose independently, and the least of this sum
    /// is a bound for every rent of 0 or more. Each boundary lies above one memory, so every memory finds its rent by
    /// itself, at the empty set.
    fn set_rents(&mut self, prices: &[Vec<Vec<f64>>; OPERANDS]) {
        for index in 0..self.tight.len() {
            let tight = &self.tight[index];
            let cheapest_bits = |&(operand, level): &(LayerOperand, usize)| {
                let boundary = level + 1 - self.level(operand, 0);
                let entries = &self.boundaries[operand].get(boundary)?.entries;
                let sizes = prices[operand][boundary].iter().zip(entries).map(|(price, entry)| (*price, entry.bits));
                let least = sizes.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1[0].min(a.1[1]).cmp(&b.1[0].min(b.1[1]))));
                least.map(|(_, bits)| bits[0].min(bits[1]))
            };
            if tight.members.iter().filter_map(cheapest_bits).sum::<u64>() <= tight.size_bits {
                // All members have room for their cheapest sets together, so a rent changes nothing.
                continue;
            }
            let choices = |&(operand, level): &(LayerOperand, usize)| {
                let boundary = level + 1 - self.level(operand, 0);
                let entries = &self.boundaries[operand].get(boundary)?.entries;
                Some(cheapest_by_size(&prices[operand][boundary], entries))
            };
            let choices: Vec<Vec<(f64, f64)>> = tight.members.iter().filter_map(choices).collect();
            let estimate = |rent: f64| {
                let least = choices.iter().map(|choices| {
                    choices.iter().map(|(bits, price)| price + rent * bits).fold(f64::INFINITY, f64::min)
                });
                least.sum::<f64>() - rent * tight.size_bits as f64
            };
            // Rents from 2^-20 to 2^20 times the price of the whole per bit of the memory, about two for each doubling.
            let unit = (estimate(0.0) + self.constant) / (tight.size_bits.max(1) as f64);
            let rents = (-20..=20).map(|exponent: i32| {
                if exponent < 0 { unit / (1_u64 << -exponent) as f64 } else { unit * (1_u64 << exponent) as f64 }
            });
            let mut best = (estimate(0.0), 0.0);
            for rent in rents.flat_map(|rent| [rent, 1.4 * rent]) {
                let estimate = estimate(rent);
                if estimate > best.0 {
                    best = (estimate, rent);
                } else if estimate < best.0 - 1e-6 * (best.0.abs() + rent * tight.size_bits as f64) {
                    // The minimum of functions that are linear in the rent is concave: once it falls, it falls for
                    // ever.
                    break;
                }
            }
            let tight = &mut self.tight[index];
            tight.rent = best.1;
            tight.rounding = 1e-12 * (best.0 + best.1 * tight.size_bits as f64);
        }
    }

    /// The tight memory below an operand's boundary.
    fn tight_below(&self, operand: LayerOperand, index: usize) -> Option<&Tight> {
        self.tight_index(operand, index).map(|tight| &self.tight[tight])
    }

    fn price_of(
        &self,
        operand: LayerOperand,
        level: usize,
        sizes: &LoopSizes,
        (down, up, partial): (u64, u64, bool),
    ) -> f64 {
        let crossing = self.evaluator.crossing(operand, level, sizes, partial);
        self.price(operand, level, &Crossing { down, up, ..crossing })
    }

    fn price(&self, operand: LayerOperand, level: usize, crossing: &Crossing) -> f64 {
        let mut sum = 0.0;
        self.evaluator.boundary(operand, level).for_each_access(crossing, |_, level, words, pj| {
            sum += (self.price)(operand, level, words, pj);
        });
        sum
    }

    /// The most bits that an operand may take in the memory below a boundary: its size less the least that other
    /// operands need there.
    fn room(&self, operand: LayerOperand, level: usize) -> u64 {
        let Some(level) = level.checked_sub(1) else { return 0 };
        let size_bits = self.problem.room_bits(self.problem.operands[operand].memories[level]);
        let Some(tight) = self.tight_at[operand][level].map(|index| &self.tight[index]) else { return size_bits };
        let others = tight.members.iter().filter(|(other, _)| *other != operand);
        let least = others.map(|&(other, level)| self.bits(other, level, &[1; 8], false));
        tight.size_bits.saturating_sub(least.sum()).min(size_bits)
    }

    /// The initial state, without any boundary or loop; `None` where nothing fits.
    pub fn start(&self) -> Option<State> {
        let state = State {
            set: 0,
            seen: [0; OPERANDS],
            placed: [0; OPERANDS],
            since: [0; OPERANDS],
            here: 0,
            is_final: self.adding == 1,
            cycles: 1,
            adding: self.adding,
            used: [0; MOST_TIGHT],
        };
        (self.least_to_go(&state) < f64::INFINITY && self.has_room(&state)).then_some(state)
    }

    /// Whether a state is worth keeping: once all boundaries are placed, the loops that remain need a legal order above
    /// them, which no further step can provide.
    fn may_end(&self, state: &State) -> bool {
        let Some(legal) = self.legal else { return true };
        let all_placed = LayerOperand::ALL.into_iter().all(|operand| self.is_placed(state, operand));
        !all_placed || self.has_legal_end(legal, state)
    }

    /// Whether all boundaries are placed; the loops that remain belong to the highest levels. One of them has to lie just above
    /// the last boundaries, if any remain.
    pub fn is_complete(&self, state: &State) -> bool {
        let remain = || self.factors.list.iter().filter(|factor| factor.count_in(state.set) < factor.count);
        LayerOperand::ALL.into_iter().all(|operand| self.is_placed(state, operand))
            && match self.legal {
                None => remain().next().is_none() || remain().any(|factor| factor.stays_above(state.here)),
                Some(legal) => self.has_legal_end(legal, state),
            }
    }

    /// Whether all loops that are not placed yet may lie above the last boundaries, in some order.
    fn has_legal_end(&self, legal: &L, state: &State) -> bool {
        let begins = |factor: usize| self.factors.list[factor].stays_above(state.here);
        legal.path(state.opened(), state.set, self.factors.sets - 1, &begins).is_some()
    }

    fn is_placed(&self, state: &State, operand: LayerOperand) -> bool {
        usize::from(state.placed[operand]) == self.boundaries[operand].len()
    }

    /// A lower bound on the price of the boundaries left to place: the larger of the plain and the Lagrangian one.
    ///
    /// Consistent, as A* needs it. Adding a loop leaves fewer supersets, so that no minimum falls. Placing a boundary
    /// takes its minimum out of the sums, which is no more than its price. Its rent returns as bits in use.
    pub fn least_to_go(&self, state: &State) -> f64 {
        let (mut sum, mut with_rent) = (0.0, 0.0);
        for operand in LayerOperand::ALL {
            if let Some(next) = self.boundaries[operand].get(usize::from(state.placed[operand])) {
                let seen = state.seen[operand] as usize;
                sum += next.least[seen];
                with_rent += next.least_with_rent.get(seen).unwrap_or(&0.0);
            }
        }
        for (tight, used) in self.tight.iter().zip(state.used) {
            // Nothing is refunded for a memory that is settled: nothing more can go into its free bits.
            if !tight.members.iter().all(|&(operand, level)| self.holds_all(state, operand, level)) {
                with_rent -= tight.rent * (tight.size_bits - used) as f64 + tight.rounding;
            }
        }
        sum.max(with_rent)
    }

    /// The state with one more of factor number `number`; `None` where none is left, where a memory would overflow,
    /// where constraints forbid it, or where the loop would be handed down below a boundary placed here: the chain with
    /// that boundary higher up stands for the result.
    pub fn add(&self, state: &State, number: usize) -> Option<State> {
        let factor = &self.factors.list[number];
        if factor.count_in(state.set) == factor.count {
            return None;
        }
        if !factor.stays_above(state.here) {
            return None;
        }
        if self.legal.is_some_and(|legal| !legal.may_add(state.opened(), state.set, number)) {
            return None;
        }
        let mut next = *state;
        for operand in LayerOperand::ALL {
            next.seen[operand] += factor.seen[operand];
        }
        next.set += factor.stride;
        next.here = 0;
        next.cycles *= factor.each.size;
        if factor.seen[0] == 0 {
            next.adding /= factor.each.size;
        }
        self.has_room(&next).then_some(next)
    }

    /// The state with the next boundary of `operand` placed here, and its price; `None` where there is none left, where
    /// it does not fit, where constraints forbid it, or where another order of the same steps stands for it.
    pub fn place(&self, state: &State, operand: LayerOperand) -> Option<(State, f64)> {
        if state.here >> operand as u8 > 1 || self.comes_later(state, operand) {
            // Boundaries at one set are placed in the order of their operands, so that each combination is reached
            // once.
            return None;
        }
        let index = usize::from(state.placed[operand]);
        let entry = self.boundaries[operand].get(index)?.entries[state.seen[operand] as usize];
        let level = self.level(operand, index);
        let below = level.checked_sub(1);
        let view = &self.problem.operands[operand];
        let is_output = view.stored_as == Operand::O;
        let partial_above = is_output && (state.adding > 1 || view.adds_above(level));
        // The level below the boundary holds partial sums if a loop of this level or a higher one adds to them, so the
        // last boundary decides, not this one.
        let partial_below = if self.as_they_leave {
            partial_above
        } else {
            is_output && (!state.is_final || below.is_some_and(|below| view.adds_above(below)))
        };
        let bits = entry.bits[usize::from(!partial_below)];
        if bits > below.map_or(0, |below| self.problem.room_bits(view.memories[below])) {
            return None;
        }
        let mut next = *state;
        next.placed[operand] += 1;
        if let Some(legal) = self.legal {
            next.since = legal.place(state.opened(), state.set, operand)?.since;
        }
        next.here |= 1 << operand as u8;
        if is_output {
            next.is_final = state.adding == 1;
        }
        if let Some(tight) = below.and_then(|below| self.tight_at[operand][below]) {
            next.used[tight] += bits;
        }
        if is_output && self.is_placed(&next, LayerOperand::Output) && partial_above && !self.as_they_leave {
            // This was the last boundary of outputs, and loops above it add to them: the highest memory holds partial
            // sums.
            let top = view.memories.len() - 1;
            if slice_bits(self.problem, LayerOperand::Output, top, &self.problem.spatial.temporal_sizes, true)
                > self.problem.room_bits(view.memories[top])
            {
                return None;
            }
            if let Some(tight) = self.tight_at[0][top] {
                next.used[tight] += self.top_partial_bits;
            }
        }
        if !self.has_room(&next) || !self.may_end(&next) {
            return None;
        }
        for (index, tight) in self.tight.iter().enumerate() {
            // Forget the bits of a memory that nothing can be added to: states that differ only there become equal.
            let complete = |&(operand, level): &(LayerOperand, usize)| self.holds_all(&next, operand, level);
            if tight.members.iter().all(complete) && self.is_placed(&next, LayerOperand::Output) {
                next.used[index] = 0;
            }
        }
        let count = (self.total_cycles / state.cycles) as f64;
        let price = if self.priced_together() {
            let sizes = self.factors.sizes(state.set);
            self.price_of(operand, level, &sizes, self.evaluator.counts(operand, level, &sizes))
        } else if !is_output {
            entry.down * count
        } else if partial_above {
            let first = self.problem.rules.first_partial_sum_read_back;
            let back = partial_sums_read_back(self.total_cycles / state.cycles, state.adding, first);
            entry.up_partial * count + entry.down * back as f64
        } else {
            entry.up_final * count
        };
        Some((next, price))
    }

    /// Symmetry of the two inputs of an addition: exchanging their boundaries number `k` changes no price, so chains in
    /// which the first input's lies no higher than the second's stand for all.
    fn comes_later(&self, state: &State, operand: LayerOperand) -> bool {
        let [_, first, second] = &self.problem.operands;
        let alike = first.stored_as == second.stored_as
            && first.relevance == second.relevance
            && first.precision == second.precision;
        let alike = alike && self.legal.is_none_or(|legal| !legal.tells_inputs_apart());
        alike && operand == LayerOperand::Second && state.placed[2] == state.placed[1]
    }

    /// Whether the contents of a memory level are settled: the boundary above it is placed, or it is a highest level.
    fn holds_all(&self, state: &State, operand: LayerOperand, level: usize) -> bool {
        usize::from(state.placed[operand]) + self.level(operand, 0) > level + 1 || self.is_placed(state, operand)
    }

    /// Whether every tight memory has room for the data that is settled there, and for the least that the other
    /// operands will need: data of the loops below now, as sets only grow.
    fn has_room(&self, state: &State) -> bool {
        self.tight.iter().zip(state.used).all(|(tight, used)| {
            let pending = tight.members.iter().filter(|&&(operand, level)| !self.holds_all(state, operand, level));
            let least = pending.map(|&(operand, level)| {
                let above = level + 1 - self.level(operand, 0);
                let bits = self.boundaries[operand]
                    .get(above)
                    .map_or([0, 0], |boundary| boundary.entries[state.seen[operand] as usize].bits);
                bits[0].min(bits[1])
            });
            used + least.sum::<u64>() <= tight.size_bits
        })
    }
}
