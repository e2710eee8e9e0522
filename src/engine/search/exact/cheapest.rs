//! The chains of least price, by A* (Hart, Nilsson and Raphael, 1968).
//!
//! Nodes are states ([`PartialMapping`]). An edge adds a loop at no price, or places a boundary at its price. The price
//! still to come is estimated by [`BoundarySpace::least_to_go`], which never exceeds it. Price plus estimate never
//! falls along an edge. So states are expanded in the order of that sum: the first complete chain is a cheapest one,
//! and at any time the sum of the next state is a lower bound on every chain that is not complete yet.
//!
//! All chains of least price are kept as a graph of predecessors, as they differ in latency: [`super::ties`] goes
//! through it. Most problems expand 10 to 500 states.

use super::SearchLimits;
use super::legality::Legality;
use super::relaxation::Functional;
use super::space::{BoundarySpace, PartialMapping, PlacedBoundary};
use crate::mapping::LayerOperand;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A node of the search: a state with the best way to it so far.
struct Reached {
    state: PartialMapping,
    /// Least price of everything placed so far.
    price: f64,
    /// Head of the list of predecessors at that price.
    predecessors: u32,
    /// Whether its successors are reached; reset when a cheaper way to it is found.
    expanded: bool,
    /// Last round of [`Cheapest::last_placed`] that visited it.
    seen: u32,
}

/// A predecessor of a state on a path of least price, in a linked list: its index, and the next entry.
#[derive(Clone, Copy)]
struct Predecessor {
    from: u32,
    next: u32,
}

const NONE: u32 = u32::MAX;

/// An open state: its rounded estimate, its progress (boundaries placed, then its set), and its index. The largest
/// comes up first: the least estimate, and of equal ones the state that is furthest.
type OpenState = (Reverse<u64>, (u32, u32), u32);

/// The working memory of a search, reused by the next one of the thread, as searches are many and small.
#[derive(Default)]
struct Room {
    reached: Vec<Reached>,
    predecessors: Vec<Predecessor>,
    /// Indices into `reached`, by state.
    known: HashTable<u32>,
    open: BinaryHeap<OpenState>,
}

/// Working memory for more states than this is not kept: some 2 MB.
const MOST_KEPT: usize = 1 << 14;

thread_local! {
    static ROOM: Cell<Room> = Cell::default();
}

impl Room {
    /// Empty working memory, with the capacity of the previous search of this thread.
    fn take() -> Self {
        ROOM.take()
    }

    /// Index of a state in `reached`. A new state is added, at an infinite price.
    fn index_of(&mut self, state: &PartialMapping) -> u32 {
        let Self { known, reached, .. } = self;
        let is_it = |&at: &u32| reached[at as usize].state.is(state);
        match known.entry(state.hash(), is_it, |&at| reached[at as usize].state.hash()) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let at = reached.len() as u32;
                new.insert(at);
                let price = f64::INFINITY;
                reached.push(Reached { state: *state, price, predecessors: NONE, expanded: false, seen: 0 });
                at
            }
        }
    }

    /// Leaves the room to the next search of this thread.
    #[inline(never)]
    fn keep(mut self) {
        if self.reached.capacity() <= MOST_KEPT {
            self.reached.clear();
            self.predecessors.clear();
            self.known.clear();
            self.open.clear();
            ROOM.set(self);
        }
    }
}

/// Limit on the states that are expanded for ties: where there are more, [`super::branch`] settles them better.
const MOST_TIES: u64 = 1000;

/// The outcome of the search for the cheapest chains.
pub struct Cheapest {
    /// The price of the cheapest chains, without the constant part; infinite if none was reached.
    pub price: f64,
    /// A lower bound on the price of every chain; equal to `price` if the search completed.
    pub bound: f64,
    /// Whether all chains of least price are known.
    pub is_complete: bool,
    /// Number of states that were expanded.
    pub expanded: u64,
    room: Room,
    /// Complete states of least price.
    goals: Vec<u32>,
    /// Limit on `expanded`, set once the least price is known.
    last: u64,
    /// Number of calls of [`Self::last_placed`].
    round: u32,
}

/// Searches for the first complete chain; `None` if there is none. Where `effort` is spent before, [`Cheapest::goals`]
/// is empty. Of prices that differ by less than a sixteenth of `tie` progress decides, so that its price exceeds the
/// least one by no more than that.
pub fn any<L: Legality>(
    space: &BoundarySpace<'_, L>,
    effort: SearchLimits<'_>,
    tie: f64,
    estimate: Option<&Functional>,
) -> Option<Cheapest> {
    search(space, effort, (tie, f64::INFINITY), estimate, true)
}

/// Searches until all chains of least price are found, or `effort` is spent; `None` if no chain costs `at_most` or
/// less. Once the least price is known, at most [`MOST_TIES`] further states are expanded, or none where the first
/// chain will do.
///
/// `estimate` is a further bound on the price to come.
///
/// Prices closer than `tie`, relative to the whole, are equal: chains that move the same data differ by rounding only.
pub fn search<L: Legality>(
    space: &BoundarySpace<'_, L>,
    (most_states, has_time): SearchLimits<'_>,
    (tie, at_most): (f64, f64),
    estimate: Option<&Functional>,
    first_only: bool,
) -> Option<Cheapest> {
    let start = space.start()?;
    let least_to_go = |state: &PartialMapping| {
        let by_chains = estimate.map_or(0.0, |estimate| estimate.least_to_go(space, state));
        space.least_to_go(state).max(by_chains)
    };
    // Ties are relative to a lower bound on the whole price.
    let scale = least_to_go(&start) + space.constant;
    // Equal prices differ by rounding errors. In sixteenths of a tie they are equal again, and progress decides: the
    // search goes straight for a complete chain instead of broadly through all equal states.
    let rounded = |price: f64| if scale > 0.0 { (price / scale * (16.0 / tie) + 0.5) as u64 } else { 0 };
    let progress = |state: &PartialMapping| (u32::from(state.placed.iter().sum::<u8>()), state.set);
    let mut search = Cheapest {
        price: f64::INFINITY,
        bound: 0.0,
        is_complete: true,
        expanded: 0,
        room: Room::take(),
        goals: Vec::new(),
        last: u64::MAX,
        round: 0,
    };
    let first = search.room.index_of(&start);
    search.room.reached[first as usize].price = 0.0;
    search.room.open.push((Reverse(rounded(least_to_go(&start))), progress(&start), first));
    let tolerance = tie * scale;
    while let Some((Reverse(estimate), _, index)) = search.room.open.pop() {
        let Reached { state, price, expanded, .. } = search.room.reached[index as usize];
        if expanded {
            continue;
        }
        // The least estimate of all open states: none is in a chain of least price, or in one that is cheap enough.
        if estimate > rounded(search.price + tolerance) || price + least_to_go(&state) > at_most + tolerance {
            break;
        }
        if search.expanded >= most_states.min(search.last) || !has_time() {
            // Open states cost no less than the one expanded last, which is the bound so far.
            search.bound = search.bound.min(search.price);
            search.is_complete = false;
            return Some(search);
        }
        search.expanded += 1;
        search.room.reached[index as usize].expanded = true;
        search.bound = price + least_to_go(&state);
        if space.is_complete(&state) {
            if search.goals.is_empty() {
                // The first goal has the least price. From here on the search only collects further ways at that price.
                search.price = price;
                search.last = search.expanded + MOST_TIES;
            }
            search.goals.push(index);
            if first_only {
                break;
            }
            continue;
        }
        // Invariant: the predecessors of a state are the expanded states from which it is reached at its least price,
        // within the tolerance.
        let mut reach = |next: PartialMapping, price: f64| {
            let to_go = least_to_go(&next);
            if price + to_go > search.price + tolerance {
                return;
            }
            let at = search.room.index_of(&next);
            let reached = &mut search.room.reached[at as usize];
            if price > reached.price + tolerance {
                return;
            }
            let better = price < reached.price - tolerance;
            if better {
                // The way known so far is no cheapest one. An older entry in the open list stays behind and is skipped.
                reached.predecessors = NONE;
                reached.expanded = false;
                search.room.open.push((Reverse(rounded(price + to_go)), progress(&next), at));
            }
            reached.price = reached.price.min(price);
            // At an equal price it is one more way to a state that is open or expanded already.
            search.room.predecessors.push(Predecessor { from: index, next: reached.predecessors });
            reached.predecessors = search.room.predecessors.len() as u32 - 1;
        };
        for operand in LayerOperand::ALL {
            if let Some((next, added)) = space.place(&state, operand) {
                reach(next, price + added);
            }
        }
        for factor in 0..space.factors.list.len() {
            if let Some(next) = space.add(&state, factor) {
                reach(next, price);
            }
        }
    }
    search.bound = search.price;
    (!search.goals.is_empty()).then_some(search)
}

impl Drop for Cheapest {
    fn drop(&mut self) {
        std::mem::take(&mut self.room).keep();
    }
}

impl Cheapest {
    /// Indices of the complete states of least price.
    pub fn goals(&self) -> Vec<u32> {
        self.goals.clone()
    }

    /// The boundaries that may have been placed last on the ways of least price to a state, each with the state before
    /// that step.
    ///
    /// Walks back over all edges that add a loop, up to the first edge that places a boundary. Many orders of loops
    /// lead through the same states, so the number of the round marks those that were visited.
    pub fn last_placed<L: Legality>(&mut self, space: &BoundarySpace<'_, L>, index: u32) -> Vec<(PlacedBoundary, u32)> {
        let mut found = Vec::new();
        let mut stack = vec![index];
        self.round += 1;
        while let Some(at) = stack.pop() {
            let state = self.room.reached[at as usize].state;
            let mut entry = self.room.reached[at as usize].predecessors;
            while let Some(&Predecessor { from, next }) = self.room.predecessors.get(entry as usize) {
                entry = next;
                let before = &mut self.room.reached[from as usize];
                if before.seen == self.round {
                    continue;
                }
                before.seen = self.round;
                if before.state.set != state.set {
                    // An edge that adds a loop.
                    stack.push(from);
                } else if let Some(operand) =
                    LayerOperand::ALL.into_iter().find(|&operand| before.state.placed[operand] != state.placed[operand])
                {
                    found.push((space.last_placed(&state, operand), from));
                }
            }
        }
        found
    }

    /// The number of boundaries that each operand has placed in a state.
    pub fn placed(&self, index: u32) -> [u8; 3] {
        self.room.reached[index as usize].state.placed
    }
}
