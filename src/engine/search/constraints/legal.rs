//! Constraints as questions about sets of loops, and about paths through them, which the exact search asks
//! ([`Legality`]).
//!
//! A stated order is a demand on places: the loop that is added to a set of `n` loops takes place `n`. So it is decided
//! once for every set whether some order as stated leads through it. A demand on a level looks at the products of loops
//! below the level and within it, which two sets tell, too: those at its lower and upper boundary. All tables are by
//! set, of which there are at most [`MOST_SETS`].

use super::even::{Evenness, SharedMemory, shared_memories};
use super::levels::{Demands, LoopsAround, can_divide, is_held};
use super::pieces::{self, Position, UnmatchedLoop};
use super::stated::{Constraints, LevelDemand};
use crate::mapping::{Allocation, LayerOnCore, LayerOperand, OPERANDS, TemporalLoop};
use crate::search::exact::MOST_SETS;
use crate::search::exact::factors::{Factor, Factors};
use crate::search::exact::legality::{Legality, PlacedBoundaries};
use crate::workload::Dim;
use rustc_hash::FxHashSet;

/// The legal mappings of a problem.
pub struct Legal<'a> {
    problem: &'a LayerOnCore<'a>,
    constraints: &'a Constraints,
    loops: Vec<TemporalLoop>,
    is_merged: bool,
    factors: Factors,
    /// The demand on each place of an order; empty where every order is legal.
    positions: Vec<Position>,
    /// Whether each set lies on an order as stated; empty where every order is legal.
    open: Vec<bool>,
    /// By operand and memory level.
    demands: [Vec<Demands>; OPERANDS],
    /// The memories that are to end evenly; empty where they need not.
    shared: Vec<SharedMemory>,
    /// The memory level above each operand's first boundary.
    first_level: [usize; OPERANDS],
    /// Whether the demands on the levels of one operand exclude each other, for any order of loops and any sizes of
    /// memories.
    pub is_impossible: bool,
}

impl<'a> Legal<'a> {
    /// Prepares the tables. Loop prime factors are merged until there are few enough sets.
    ///
    /// # Errors
    /// A stated loop that the layer does not have.
    pub fn new(problem: &'a LayerOnCore<'a>, constraints: &'a Constraints) -> Result<Self, UnmatchedLoop> {
        let mut loops = pieces::loops(problem, constraints, usize::MAX)?;
        pieces::positions(constraints, &loops)?;
        let all = loops.len();
        let factors = loop {
            match Factors::new(problem, &loops, MOST_SETS) {
                Some(factors) => break factors,
                None if loops.len() > 1 => loops = pieces::loops(problem, constraints, loops.len() - 1)?,
                None => break Factors::new(problem, &[], 1).unwrap_or_default(),
            }
        };
        let mut demands =
            LayerOperand::ALL.map(|operand| vec![Demands::default(); problem.operands[operand].memories.len()]);
        for constraint in constraints.levels.iter().filter(|constraint| is_held(problem, constraint.operand)) {
            if let Some(level) = demands[constraint.operand].get_mut(constraint.level) {
                level.add(&constraint.demand);
            }
        }
        let mut legal = Self {
            problem,
            constraints,
            is_merged: loops.len() < all,
            positions: pieces::positions(constraints, &loops)?,
            loops,
            factors,
            open: Vec::new(),
            demands,
            shared: constraints.even.map(|_| shared_memories(problem)).unwrap_or_default(),
            first_level: LayerOperand::ALL.map(|operand| usize::from(!problem.array_keeps(operand))),
            is_impossible: false,
        };
        if legal.positions.iter().all(|position| *position == Position::Free) {
            legal.positions.clear();
        } else {
            legal.find_open();
        }
        legal.is_impossible = legal.demands.iter().any(|levels| {
            let is_divided = |dim: Dim| can_divide(levels, dim, problem.spatial.temporal_sizes[dim as usize]);
            !levels.iter().all(Demands::is_empty) && !Dim::ALL.into_iter().all(is_divided)
        });
        Ok(legal)
    }

    /// Finds the sets that lie on some order as stated: those that are reached from the empty set, and from which the
    /// set of all loops is reached. Adding a loop makes the number of a set larger, so one pass upwards and one
    /// downwards over the numbers suffice.
    fn find_open(&mut self) {
        let sets = self.factors.sets as usize;
        let place: Vec<usize> = (0..self.factors.sets).map(|set| self.count(set)).collect();
        let (mut reached, mut open) = (vec![false; sets], vec![false; sets]);
        reached[0] = true;
        open[sets - 1] = true;
        let step = |set: usize, factor: usize| {
            let factor = &self.factors.list[factor];
            let may_lie = factor.count_in(set as u32) < factor.count && self.positions[place[set]].admits(factor.each);
            may_lie.then_some(set + factor.stride as usize)
        };
        for set in (0..sets).filter(|set| place[*set] < self.positions.len()) {
            if reached[set] {
                (0..self.factors.list.len())
                    .filter_map(|factor| step(set, factor))
                    .for_each(|next| reached[next] = true);
            }
        }
        for set in (0..sets - 1).rev() {
            open[set] = (0..self.factors.list.len()).filter_map(|factor| step(set, factor)).any(|next| open[next]);
        }
        self.open = reached.iter().zip(&open).map(|(reached, open)| *reached && *open).collect();
    }

    /// Number of loops in a set.
    fn count(&self, set: u32) -> usize {
        self.factors.list.iter().map(|factor| factor.count_in(set) as usize).sum()
    }

    fn is_open(&self, set: u32) -> bool {
        self.open.get(set as usize).is_none_or(|open| *open)
    }

    /// Whether the order as it is stated lets a loop lie just above those of `set`.
    fn may_stand(&self, factor: &Factor, set: u32) -> bool {
        let Some(position) = self.positions.get(self.count(set)) else { return true };
        position.admits(factor.each) && self.is_open(set + factor.stride)
    }

    /// Whether all shared memories may still end evenly if a loop is added: operands whose boundary above a memory
    /// belongs further down are kept stationary by it.
    fn stays_even(&self, at: PlacedBoundaries, factor: &Factor) -> bool {
        let has_ended = |&(operand, level): &(LayerOperand, usize)| {
            usize::from(at.placed[operand]) + self.first_level[operand] > level + 1
        };
        let is_strict = self.constraints.even == Some(Evenness::Strict);
        self.shared.iter().all(|memory| {
            let mut open = memory.sharers.iter().filter(|sharer| !has_ended(sharer));
            !memory.bounds.iter().any(has_ended) || open.all(|(operand, _)| !is_strict && factor.seen[*operand] == 0)
        })
    }

    /// Number of boundaries of an operand; none if it takes no room.
    fn boundaries(&self, operand: LayerOperand) -> usize {
        if is_held(self.problem, operand) { self.demands[operand].len() - self.first_level[operand] } else { 0 }
    }

    /// The demands on the level that an operand is filling, if there are any, and whether that is its highest. Loops
    /// for which the array keeps the operand count as held by the lowest level.
    fn filled(&self, at: PlacedBoundaries, operand: LayerOperand) -> Option<(&Demands, bool)> {
        let placed = usize::from(at.placed[operand]);
        let level = (placed + self.first_level[operand]).saturating_sub(1);
        let demands = self.demands[operand].get(level).filter(|demands| !demands.is_empty())?;
        Some((demands, level + 1 == self.demands[operand].len()))
    }

    /// Whether the highest level of an operand may hold all loops that are not in `set`.
    fn top_is_met(&self, operand: LayerOperand, set: u32) -> bool {
        let total = &self.problem.spatial.temporal_sizes;
        let below = &self.factors.sizes(set);
        self.demands[operand].last().is_none_or(|top| top.are_met(LoopsAround { below, within: total, total }))
    }

    /// Extends `order`, a path from set `from` to `set`, to the set `to`; `false` if there is no legal way.
    ///
    /// A depth-first search. Invariant: no set in `dead` leads to `to`. Whether it does depends on the set alone, not
    /// on the path to it, so every set is tried once.
    fn search_path(
        &self,
        (at, from, to): (PlacedBoundaries, u32, u32),
        begins: &dyn Fn(usize) -> bool,
        set: u32,
        (order, dead): (&mut Vec<usize>, &mut FxHashSet<u32>),
    ) -> bool {
        if set == to {
            return true;
        }
        if dead.contains(&set) {
            return false;
        }
        for (number, factor) in self.factors.list.iter().enumerate() {
            let is_left = factor.count_in(set) < factor.count_in(to);
            if is_left && (set != from || begins(number)) && self.may_add(at, set, number) {
                order.push(number);
                if self.search_path((at, from, to), begins, set + factor.stride, (order, dead)) {
                    return true;
                }
                order.pop();
            }
        }
        dead.insert(set);
        false
    }
}

impl Legality for Legal<'_> {
    fn loops(&self) -> (&[TemporalLoop], bool) {
        (&self.loops, self.is_merged)
    }

    fn limited_loops(&self, limit: usize) -> Vec<TemporalLoop> {
        pieces::loops(self.problem, self.constraints, limit).unwrap_or_default()
    }

    fn allows(&self, order: &[TemporalLoop], allocation: &Allocation) -> bool {
        self.constraints.allow(self.problem, order, allocation)
    }

    fn tells_inputs_apart(&self) -> bool {
        !self.constraints.levels.is_empty()
    }

    fn may_add(&self, at: PlacedBoundaries, set: u32, factor: usize) -> bool {
        let factor = &self.factors.list[factor];
        let next = set + factor.stride;
        if !self.may_stand(factor, set) || !self.stays_even(at, factor) {
            return false;
        }
        // The loop joins the level that each operand is filling.
        LayerOperand::ALL.into_iter().all(|operand| {
            self.filled(at, operand).is_none_or(|(demands, is_top)| {
                let (below, within) = (&self.factors.sizes(at.since[operand]), &self.factors.sizes(next));
                let total = &self.problem.spatial.temporal_sizes;
                demands.may_follow(factor.each.dim, LoopsAround { below, within, total }, is_top)
            })
        })
    }

    fn place(&self, at: PlacedBoundaries, set: u32, operand: LayerOperand) -> Option<PlacedBoundaries> {
        let total = &self.problem.spatial.temporal_sizes;
        // A boundary ends the level below it, which must have met its demands; one above the array ends none.
        let ends_level = usize::from(at.placed[operand]) + self.first_level[operand] > 0;
        if let Some((demands, _)) = self.filled(at, operand).filter(|_| ends_level) {
            let (below, within) = (&self.factors.sizes(at.since[operand]), &self.factors.sizes(set));
            if !demands.are_met(LoopsAround { below, within, total }) {
                return None;
            }
        }
        let mut next = at;
        next.placed[operand] += 1;
        // After the last boundary, the highest level holds all the rest.
        let placed = usize::from(next.placed[operand]);
        if placed == self.boundaries(operand) && !self.top_is_met(operand, set) {
            return None;
        }
        // The lowest level begins at no loop, even if the array keeps something below it.
        let level = (placed + self.first_level[operand]).checked_sub(1).filter(|level| *level > 0);
        let looks = level.and_then(|level| self.demands[operand].get(level)).is_some_and(Demands::look_at_level);
        next.since[operand] = if looks { set } else { 0 };
        Some(next)
    }

    fn path(&self, at: PlacedBoundaries, from: u32, to: u32, begins: &dyn Fn(usize) -> bool) -> Option<Vec<usize>> {
        let mut order = Vec::new();
        self.search_path((at, from, to), begins, from, (&mut order, &mut FxHashSet::default())).then_some(order)
    }

    fn most_cycles(&self, operand: LayerOperand, index: usize) -> Option<Vec<u64>> {
        let level = (index + self.first_level[operand]).checked_sub(1);
        let demands = level.and_then(|level| self.demands[operand].get(level));
        let is_last = index + 1 == self.boundaries(operand);
        let of_level = self
            .constraints
            .levels
            .iter()
            .any(|constraint| constraint.operand == operand && !matches!(constraint.demand, LevelDemand::Order(_)));
        if self.positions.is_empty() && !of_level {
            return None;
        }
        let total = &self.problem.spatial.temporal_sizes;
        let mut most = vec![0; self.factors.seen_sets[operand] as usize];
        // Many sets look the same to the operand. The largest product of those that are legal gives the fewest
        // crossings.
        for set in (0..self.factors.sets).filter(|set| self.is_open(*set)) {
            let within = self.factors.sizes(set);
            // The lowest level begins at no loop. For others the set below is not known yet, so only demands on the
            // product of all levels up to this one are tested.
            let is_met = demands.is_none_or(|demands| match level {
                Some(0) => demands.are_met(LoopsAround { below: &[1; 8], within: &within, total }),
                _ => demands.are_met_within(&within, total),
            });
            if is_met && (!is_last || self.top_is_met(operand, set)) {
                let seen: u32 =
                    self.factors.list.iter().map(|factor| factor.count_in(set) * factor.seen[operand]).sum();
                let most = &mut most[seen as usize];
                *most = within.iter().product::<u64>().max(*most);
            }
        }
        Some(most)
    }
}
