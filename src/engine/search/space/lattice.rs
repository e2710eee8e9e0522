//! All sets of loop prime factors of a layer, with the price of ending a memory level at each.
//!
//! A set is a number with mixed radix: one digit for each factor, its multiplicity in the set. For nested sets the
//! difference of their numbers is the set of the loops between them, so tables by set serve for segments, too.

use crate::cost::Evaluator;
use crate::hardware::{MAX_LEVELS, MemoryId};
use crate::mapping::temporal::limited_factors;
use crate::mapping::{LayerOnCore, LayerOperand, OPERANDS, Relevance, TemporalLoop, slice_bits};
use crate::workload::LoopSizes;

/// Index of a set of loop factors. The empty set is 0, the full one the last.
pub(super) type FactorSet = u32;

/// Limit on the sets: more blockings take too long to search.
const MAX_NODES: usize = 1 << 20;

/// The sets of loop factors, with tables of sizes and prices.
pub(super) struct Lattice<'a> {
    pub problem: &'a LayerOnCore<'a>,
    /// The different loop factors with their multiplicity.
    pub factors: Vec<(TemporalLoop, u8)>,
    /// Weight of each factor's digit: the distance of two sets that differ by one of it.
    strides: Vec<FactorSet>,
    /// The digits of each set.
    pub counts: Vec<Vec<u8>>,
    /// Number of orders of each set's loops.
    orders: Vec<u64>,
    /// The factors in each set, one bit each.
    kinds: Vec<u32>,
    /// Energy of ending a memory level at a set, pJ: `[operand][level][set]`.
    prices: [[Vec<f64>; MAX_LEVELS]; OPERANDS],
    /// Bits of a memory level that ends at a set, as final outputs and as partial sums.
    bits: [[Vec<[u64; 2]>; MAX_LEVELS]; OPERANDS],
    /// The factors that are irrelevant to each operand, one bit each.
    pub irrelevant: [u32; OPERANDS],
    /// Energy of every mapping, pJ: MACs, and the array's own accesses.
    pub fixed_pj: f64,
}

impl<'a> Lattice<'a> {
    /// Tabulates all sets; `None` where there are too many.
    pub fn new(problem: &'a LayerOnCore<'a>, lpf_limit: usize) -> Option<Self> {
        let order = problem.shape.dim_order;
        let loops = limited_factors(&problem.spatial.temporal_sizes, &order, lpf_limit, false).ok()?;
        let mut factors: Vec<(TemporalLoop, u8)> = Vec::new();
        for &next in &loops {
            match factors.last_mut() {
                Some((last, count)) if *last == next => *count += 1,
                _ => factors.push((next, 1)),
            }
        }
        if factors.len() > u32::BITS as usize {
            return None;
        }
        let mut strides = Vec::new();
        let mut nodes = 1_usize;
        for (_, count) in &factors {
            strides.push(FactorSet::try_from(nodes).ok()?);
            nodes = nodes.checked_mul(usize::from(*count) + 1).filter(|&nodes| nodes <= MAX_NODES)?;
        }
        let irrelevant = LayerOperand::ALL.map(|operand| {
            let relevance = &problem.operands[operand].relevance;
            let is = |next: &TemporalLoop| relevance[next.dim as usize] == Relevance::Irrelevant;
            factors.iter().enumerate().filter(|(_, (next, _))| is(next)).fold(0, |bits, (index, _)| bits | 1 << index)
        });
        let mut lattice = Self {
            problem,
            strides,
            counts: Vec::with_capacity(nodes),
            orders: Vec::with_capacity(nodes),
            kinds: Vec::with_capacity(nodes),
            prices: Default::default(),
            bits: Default::default(),
            irrelevant,
            fixed_pj: 0.0,
            factors,
        };
        lattice.tabulate(nodes);
        Some(lattice)
    }

    /// Fills the tables set by set, in the order of their numbers: the digits in `counts` count up like an odometer.
    fn tabulate(&mut self, nodes: usize) {
        let evaluator = Evaluator::new(self.problem);
        let array = |operand: LayerOperand| evaluator.boundary_pj(operand, 0, &[1; 8]);
        self.fixed_pj = evaluator.fixed_pj() + LayerOperand::ALL.into_iter().map(array).sum::<f64>();
        let mut counts = vec![0; self.factors.len()];
        for _ in 0..nodes {
            let mut sizes: LoopSizes = [1; 8];
            for ((factor, _), count) in self.factors.iter().zip(&counts) {
                sizes[factor.dim as usize] *= factor.size.pow(u32::from(*count));
            }
            for (operand, view) in self.problem.each_operand() {
                for level in 0..view.memories.len() {
                    let is_top = level + 1 == view.memories.len();
                    let price = if is_top { 0.0 } else { evaluator.boundary_pj(operand, level + 1, &sizes) };
                    self.prices[operand][level].push(price);
                    let bits = [false, true].map(|partial| {
                        let partial = operand == LayerOperand::Output && (partial || view.adds_above(level));
                        slice_bits(self.problem, operand, level, &sizes, partial)
                    });
                    self.bits[operand][level].push(bits);
                }
            }
            self.orders.push(orders(&counts));
            self.kinds.push(kinds(&counts));
            self.counts.push(counts.clone());
            for (count, (_, all)) in counts.iter_mut().zip(&self.factors) {
                if *count < *all {
                    *count += 1;
                    break;
                }
                *count = 0;
            }
        }
    }

    fn loops_of(&self, counts: &[u8]) -> Vec<TemporalLoop> {
        let repeat = |((next, _), count): (&(TemporalLoop, u8), &u8)| std::iter::repeat_n(*next, usize::from(*count));
        self.factors.iter().zip(counts).flat_map(repeat).collect()
    }

    /// The set of all factors.
    pub fn full(&self) -> FactorSet {
        (self.counts.len() - 1) as FactorSet
    }

    /// The set with one more of factor number `factor`.
    pub fn with(&self, node: FactorSet, factor: usize) -> Option<FactorSet> {
        let (_, all) = self.factors[factor];
        (self.counts[node as usize][factor] < all).then(|| node + self.strides[factor])
    }

    /// Number of memory levels of an operand.
    pub fn levels(&self, operand: LayerOperand) -> usize {
        self.problem.operands[operand].memories.len()
    }

    /// The memory at an operand's level.
    pub fn memory(&self, operand: LayerOperand, level: usize) -> MemoryId {
        self.problem.operands[operand].memories[level]
    }

    /// Energy of ending a memory level of an operand at a set, pJ.
    pub fn price(&self, operand: LayerOperand, level: usize, node: FactorSet) -> f64 {
        self.prices[operand][level][node as usize]
    }

    /// Bits of a memory level that ends at `node`, with the level below ending at `lower`: partial sums if a loop above
    /// `lower` adds to outputs.
    pub fn bits(&self, operand: LayerOperand, level: usize, lower: FactorSet, node: FactorSet) -> u64 {
        self.bits[operand][level][node as usize][usize::from(self.is_partial(operand, lower))]
    }

    /// Whether outputs are still added to by loops above a set.
    fn is_partial(&self, operand: LayerOperand, node: FactorSet) -> bool {
        operand == LayerOperand::Output && self.irrelevant[0] & self.kinds_between(node, self.full()) != 0
    }

    /// Bits of a memory that the layer may use.
    pub fn capacity(&self, memory: MemoryId) -> u64 {
        self.problem.room_bits(memory)
    }

    /// The factors between two sets, one bit each.
    pub fn kinds_between(&self, lower: FactorSet, upper: FactorSet) -> u32 {
        self.kinds[(upper - lower) as usize]
    }

    /// Whether one set contains another.
    pub fn contains(&self, larger: FactorSet, smaller: FactorSet) -> bool {
        self.counts[larger as usize].iter().zip(&self.counts[smaller as usize]).all(|(large, small)| large >= small)
    }

    /// The loops between two sets, in the order of the factors.
    pub fn loops_between(&self, lower: FactorSet, upper: FactorSet) -> Vec<TemporalLoop> {
        let (lower, upper) = (&self.counts[lower as usize], &self.counts[upper as usize]);
        let counts: Vec<u8> = lower.iter().zip(upper).map(|(low, high)| high - low).collect();
        self.loops_of(&counts)
    }

    /// Number of different orders of the loops between two sets, if the innermost is none of the factors in
    /// `not_first`.
    pub fn orders_between(&self, lower: FactorSet, upper: FactorSet, not_first: u32) -> u64 {
        let between = (upper - lower) as usize;
        let (orders, kinds) = (self.orders[between], self.kinds[between]);
        if kinds & not_first == 0 {
            return orders;
        }
        let counts = &self.counts[between];
        let (mut all, mut first) = (0, 0);
        for (index, &count) in counts.iter().enumerate() {
            all += u128::from(count);
            if not_first >> index & 1 == 0 {
                first += u128::from(count);
            }
        }
        // By symmetry, a factor is innermost in as large a part of all orders as it has of the loops.
        u64::try_from(u128::from(orders) * first / all).unwrap_or(u64::MAX)
    }
}

/// Number of different orders of a multiset: a multinomial coefficient; `u64::MAX` where there are more.
fn orders(counts: &[u8]) -> u64 {
    let (mut placed, mut orders) = (0, 1_u128);
    for &count in counts {
        for taken in 1..=u128::from(count) {
            placed += 1;
            orders = orders.saturating_mul(placed) / taken;
        }
    }
    u64::try_from(orders).unwrap_or(u64::MAX)
}

/// The factors with a digit above 0, one bit each.
fn kinds(counts: &[u8]) -> u32 {
    counts.iter().enumerate().fold(0, |bits, (index, &count)| bits | u32::from(count > 0) << index)
}
