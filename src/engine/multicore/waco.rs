//! WACO: which cores compute which tiles of a steady state, and in which order (Stream, Section 5.3, equations 1 to 12).
//!
//! Tiles are computed in slots, one slot after the other. A slot takes as long as its slowest tile, and a core computes at most one tile in
//! it; several cores may share a tile. Iterations overlap: the next one begins as soon as every core is free for it. With `T` the length of
//! an iteration and `w` the longest time from the first to the last slot in which some core works, `N` iterations take `N T - (N - 1) min
//! idle = T + (N - 1) w` cycles. This is minimised.
//!
//! A branch-and-bound search, slot by slot and depth first, the child of the least bound first. A state is pruned by a lower bound on `T`
//! (the longest chain of the tiles that are left) and one on `w` (the work that is left, spread evenly over the windows of the cores that
//! can do it). It is pruned, too, if another state with the same tiles dominates it in time, windows, and capacity left for weights. Of
//! equal cores one order is tried.

use super::id_set::IdSet;
use super::ids::{CoreId, IterationTile, SlotId, WeightGroup};
use crate::ids::{TiSlice, TiVec, ti_vec};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Limit on the tiles of an iteration, on cores, and on groups: sets of them are words of 64 bits ([`IdSet`]).
pub const MOST: usize = 64;

/// An allocation problem: the steady state of a stack, and the cores that may compute it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AllocationProblem {
    /// Number of cores.
    pub cores: usize,
    /// Number of iterations.
    pub iterations: u64,
    /// Cycles, by tile, core, and number of cores that share the tile less 1; `None` where the core cannot compute it.
    pub cycles: TiVec<IterationTile, TiVec<CoreId, Vec<Option<f64>>>>,
    /// Dependencies: pairs of tiles, the first in an earlier slot than the second.
    pub order: Vec<(IterationTile, IterationTile)>,
    /// Groups of tiles with the same weights, which the same cores compute.
    pub groups: Vec<Vec<IterationTile>>,
    /// Weights of each tile, bits.
    pub weights: TiVec<IterationTile, u64>,
    /// Capacity of each core for weights, bits.
    pub capacity: TiVec<CoreId, u64>,
}

/// The slot of a tile, and the cores that share it.
pub type TilePlacement = (SlotId, Vec<CoreId>);

/// An allocation of the tiles of an iteration to slots and cores.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Allocation {
    /// Where each tile is computed.
    pub tiles: TiVec<IterationTile, TilePlacement>,
    /// Length of an iteration, cycles.
    pub iteration_cycles: f64,
    /// Longest window of a core, from its first slot to its last, cycles.
    pub window_cycles: f64,
    /// Latency of all iterations, cycles: the objective.
    pub cycles: f64,
}

/// The outcome of a search.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AllocationOutcome {
    /// The best allocation that is known; `None` if there is none, or the search ended before it reached one.
    pub best: Option<Allocation>,
    /// A lower bound on the latency of every allocation, cycles.
    pub bound: f64,
    /// Number of states that were searched.
    pub nodes: u64,
}

impl AllocationOutcome {
    /// Whether the best allocation is proved to be optimal, or that there is none.
    pub fn is_proved(&self) -> bool {
        self.bound >= self.best.as_ref().map_or(f64::INFINITY, |best| best.cycles)
    }
}

/// Finds the allocation of least latency. `goes_on` is asked from time to time with the number of states so far; where it returns `false`,
/// the search ends with the best allocation so far and a valid lower bound.
///
/// More than `MOST` tiles or cores are not searched: nothing is found then, and nothing proved.
pub fn allocate(instance: &AllocationProblem, goes_on: &mut dyn FnMut(u64) -> bool) -> AllocationOutcome {
    if instance.cycles.len() > MOST || instance.cores > MOST || instance.groups.len() > MOST {
        return AllocationOutcome::default();
    }
    let mut search = Search::new(instance);
    let root = search.root();
    let bound = search.bound(&root);
    let bound = if bound.is_finite() { search.descend(&root, goes_on) } else { f64::INFINITY };
    let bound = search.best.as_ref().map_or(bound, |best| bound.min(best.cycles));
    AllocationOutcome { best: search.best, bound, nodes: search.nodes }
}

/// The latency of an allocation: its iteration, its longest window, all iterations. `None` if it breaks a constraint: dependencies, one
/// tile a core and slot, equal cores of a group, capacity.
pub fn evaluate(instance: &AllocationProblem, tiles: &TiSlice<IterationTile, TilePlacement>) -> Option<Allocation> {
    let slots = tiles.iter().map(|tile| tile.0).max()?.index() + 1;
    let mut cycles: TiVec<SlotId, f64> = ti_vec![0.0; slots];
    let mut busy: TiVec<SlotId, TiVec<CoreId, bool>> = ti_vec![ti_vec![false; instance.cores]; slots];
    let mut used: TiVec<CoreId, u64> = ti_vec![0; instance.cores];
    for (tile, (slot, cores)) in tiles.iter_enumerated() {
        for &core in cores {
            cycles[*slot] = cycles[*slot].max((*instance.cycles[tile].get(core)?.get(cores.len() - 1)?)?);
            if std::mem::replace(&mut busy[*slot][core], true) {
                return None;
            }
            used[core] += instance.weights[tile].div_ceil(cores.len() as u64);
        }
    }
    let is_ordered = instance.order.iter().all(|&(first, second)| tiles[first].0 < tiles[second].0);
    let fits = used.iter().zip(&instance.capacity).all(|(used, capacity)| used <= capacity);
    let sorted = |tile: IterationTile| {
        let mut cores = tiles[tile].1.clone();
        cores.sort_unstable();
        cores
    };
    let are_together =
        instance.groups.iter().all(|group| group.windows(2).all(|pair| sorted(pair[0]) == sorted(pair[1])));
    if !(is_ordered && fits && are_together && tiles.iter().all(|tile| !tile.1.is_empty())) {
        return None;
    }
    let window = |core: CoreId| {
        let first = busy.position(|slot| slot[core])?;
        let last = busy.rposition(|slot| slot[core])?;
        Some(cycles[first..=last].iter().sum::<f64>())
    };
    let iteration_cycles: f64 = cycles.iter().sum();
    let window_cycles = CoreId::first(instance.cores).filter_map(window).fold(0.0, f64::max);
    Some(Allocation {
        tiles: tiles.to_vec(),
        iteration_cycles,
        window_cycles,
        cycles: iteration_cycles + (instance.iterations.saturating_sub(1)) as f64 * window_cycles,
    })
}

/// The state of a core after some slots.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Core {
    /// Cycles since its first slot began; negative if it was never used.
    since: f64,
    /// Bits of weights that still fit.
    free: u64,
    /// Groups of which it computes some tiles, while others are left.
    groups: IdSet<WeightGroup>,
}

impl Core {
    fn is_unused(&self) -> bool {
        self.since < 0.0
    }
}

/// A node of the search tree: an allocation of some tiles to the first slots.
#[derive(Debug, Clone)]
struct State {
    done: IdSet<IterationTile>,
    cycles: f64,
    window: f64,
    cores: TiVec<CoreId, Core>,
    /// Cores of each group that has begun.
    group_cores: TiVec<WeightGroup, IdSet<CoreId>>,
    /// Tiles with their slots and cores.
    chosen: Vec<(IterationTile, SlotId, IdSet<CoreId>)>,
    /// The slot that comes next.
    next_slot: SlotId,
}

/// Key of dominance: the tiles that are done, and the groups that each core has begun, cores in canonical order. Only states of the same
/// key may dominate each other.
type Situation = (IdSet<IterationTile>, Vec<IdSet<WeightGroup>>);

/// The costs by which a state dominates another of the same key: cycles, window, and for each core, in canonical order, cycles since its
/// first slot and capacity left, bits.
#[derive(Debug, Clone)]
struct DominanceEntry {
    cycles: f64,
    window: f64,
    cores: Vec<(f64, u64)>,
}

struct Search<'a> {
    instance: &'a AllocationProblem,
    /// Tiles that come before each.
    before: TiVec<IterationTile, IdSet<IterationTile>>,
    group_of: TiVec<IterationTile, Option<WeightGroup>>,
    group_tiles: TiVec<WeightGroup, IdSet<IterationTile>>,
    /// The first core that is equal to each one, in capacity and in the cycles of every tile.
    kinds: TiVec<CoreId, CoreId>,
    /// Cycles of the longest chain of dependencies that begins with each tile, every tile at its fastest.
    tails: TiVec<IterationTile, f64>,
    /// Sets of cores, and for each tile the least cycles times cores that it takes, 0 if a core outside of the set can compute it.
    pools: Vec<(IdSet<CoreId>, TiVec<IterationTile, f64>)>,
    seen: FxHashMap<Situation, Vec<DominanceEntry>>,
    remembered: usize,
    best: Option<Allocation>,
    nodes: u64,
    is_stopped: bool,
}

/// Limit on the states that are kept for dominance. Without an entry less is pruned, and the result is the same.
const MOST_REMEMBERED: usize = 2_000_000;
/// Number of states between two questions whether to go on.
const ASK: u64 = 256;

impl<'a> Search<'a> {
    fn new(instance: &'a AllocationProblem) -> Self {
        let tiles = instance.cycles.len();
        let mut before: TiVec<IterationTile, IdSet<IterationTile>> = ti_vec![IdSet::default(); tiles];
        instance.order.iter().for_each(|&(first, second)| before[second] = before[second].with(first));
        let mut group_of = ti_vec![None; tiles];
        let mut group_tiles: TiVec<WeightGroup, IdSet<IterationTile>> = TiVec::new();
        for group in instance.groups.iter().filter(|group| group.len() > 1) {
            let number = group_tiles.push_and_get_key(group.iter().copied().collect());
            group.iter().for_each(|&tile| group_of[tile] = Some(number));
        }
        let equal = |a: CoreId, b: CoreId| {
            instance.capacity[a] == instance.capacity[b] && instance.cycles.iter().all(|tile| tile[a] == tile[b])
        };
        let first_equal = |core: CoreId| CoreId::first(core.index()).find(|&other| equal(other, core)).unwrap_or(core);
        let kinds = CoreId::first(instance.cores).map(first_equal);
        let ways = |tile: IterationTile| {
            instance.cycles[tile].iter_enumerated().flat_map(|(core, shared)| {
                shared.iter().enumerate().filter_map(move |(more, cycles)| Some((core, more + 1, (*cycles)?)))
            })
        };
        let least = |tile: IterationTile| ways(tile).map(|way| way.2).fold(f64::INFINITY, f64::min);
        let work = |tile: IterationTile| {
            ways(tile).map(|(_, shared, cycles)| shared as f64 * cycles).fold(f64::INFINITY, f64::min)
        };
        let able = |tile: IterationTile| ways(tile).map(|way| way.0).collect::<IdSet<CoreId>>();
        let mut tails: TiVec<IterationTile, f64> = ti_vec![0.0; tiles];
        // Relaxed once a tile, as tiles need not be numbered in topological order: no chain has more of them.
        for _ in 0..tiles {
            for tile in IterationTile::first(tiles) {
                let after = instance.order.iter().filter(|pair| pair.0 == tile).map(|pair| tails[pair.1]);
                tails[tile] = least(tile) + after.fold(0.0, f64::max);
            }
        }
        let mut sets: Vec<IdSet<CoreId>> = IterationTile::first(tiles).map(able).collect();
        sets.push(sets.iter().fold(IdSet::default(), |all, set| all.union(*set)));
        sets.sort_unstable();
        sets.dedup();
        let pools = sets.into_iter().map(|set| {
            let of = |tile: IterationTile| if able(tile).is_within(set) { work(tile) } else { 0.0 };
            (set, IterationTile::first(tiles).map(of).collect())
        });
        Self {
            instance,
            before,
            group_of,
            group_tiles,
            kinds: kinds.collect(),
            tails,
            pools: pools.collect(),
            seen: FxHashMap::default(),
            remembered: 0,
            best: None,
            nodes: 0,
            is_stopped: false,
        }
    }

    fn root(&self) -> State {
        let core = |core: CoreId| Core { since: -1.0, free: self.instance.capacity[core], groups: IdSet::default() };
        State {
            done: IdSet::default(),
            cycles: 0.0,
            window: 0.0,
            cores: self.cores().map(core).collect(),
            group_cores: ti_vec![IdSet::default(); self.group_tiles.len()],
            chosen: Vec::new(),
            next_slot: SlotId::default(),
        }
    }

    fn cores(&self) -> impl Iterator<Item = CoreId> + use<'a> {
        CoreId::first(self.instance.cores)
    }

    fn tiles(&self) -> impl Iterator<Item = IterationTile> + use<'a> {
        IterationTile::first(self.instance.cycles.len())
    }

    fn total(&self, cycles: f64, window: f64) -> f64 {
        cycles + self.instance.iterations.saturating_sub(1) as f64 * window
    }

    /// A lower bound on the latency of every completion of a state, cycles.
    fn bound(&self, state: &State) -> f64 {
        let left = |tile: IterationTile| !state.done.contains(tile);
        let chain = self.tiles().filter(|&tile| left(tile)).map(|tile| self.tails[tile]).fold(0.0, f64::max);
        let mut window = state.window;
        for (set, work) in &self.pools {
            // The work that only these cores can do keeps them in their windows. Spread as evenly as possible, it fills the windows that
            // have begun up to one level.
            let work: f64 = self.tiles().filter(|&tile| left(tile)).map(|tile| work[tile]).sum();
            let begun = |core: CoreId| state.cores[core].since.max(0.0);
            let mut starts: Vec<f64> = set.iter().map(begun).collect();
            starts.sort_by(f64::total_cmp);
            window = window.max(level(&starts, work));
        }
        self.total(state.cycles + chain, window)
    }

    /// Searches the subtree of a state, and returns a lower bound on the latency of all its completions, cycles.
    fn descend(&mut self, state: &State, goes_on: &mut dyn FnMut(u64) -> bool) -> f64 {
        if state.done.len() == self.instance.cycles.len() {
            let cycles = self.total(state.cycles, state.window);
            if self.best.as_ref().is_none_or(|best| cycles < best.cycles) {
                let mut tiles = ti_vec![(SlotId::default(), Vec::new()); self.instance.cycles.len()];
                for &(tile, slot, cores) in &state.chosen {
                    tiles[tile] = (slot, cores.iter().collect());
                }
                self.best =
                    Some(Allocation { tiles, iteration_cycles: state.cycles, window_cycles: state.window, cycles });
            }
            return cycles;
        }
        let mut next: Vec<(f64, State)> = Vec::new();
        self.slots(state, IterationTile::default(), 0.0, &mut Vec::new(), &mut next);
        next.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut least = f64::INFINITY;
        for (bound, state) in next {
            self.nodes += 1;
            if self.nodes.is_multiple_of(ASK) && !goes_on(self.nodes) {
                self.is_stopped = true;
            }
            let is_hopeless = self.best.as_ref().is_some_and(|best| bound >= best.cycles);
            if self.is_stopped || is_hopeless {
                least = least.min(bound);
                continue;
            }
            if self.is_dominated(&state) {
                continue;
            }
            least = least.min(self.descend(&state, goes_on));
        }
        least
    }

    /// Adds all slots that begin with some tiles, all of them with lower numbers than `first`.
    fn slots(
        &self,
        state: &State,
        first: IterationTile,
        cycles: f64,
        slot: &mut Vec<(IterationTile, IdSet<CoreId>)>,
        found: &mut Vec<(f64, State)>,
    ) {
        if !slot.is_empty() {
            let after = self.after(state, cycles, slot);
            let bound = self.bound(&after);
            // More tiles in the slot do not make it shorter, but may make the rest so: nothing follows from this bound for them.
            if bound.is_finite() && self.best.as_ref().is_none_or(|best| bound < best.cycles) {
                found.push((bound, after));
            }
        }
        let taken = slot.iter().fold(IdSet::default(), |all: IdSet<CoreId>, (_, cores)| all.union(*cores));
        for tile in IterationTile::within(first..self.instance.cycles.next_key()) {
            let is_ready = !state.done.contains(tile) && self.before[tile].is_within(state.done);
            // Tiles of a group have the same cores, and so never the same slot.
            let is_apart = |group: WeightGroup| slot.iter().all(|(other, _)| self.group_of[*other] != Some(group));
            if !is_ready || !self.group_of[tile].is_none_or(is_apart) {
                continue;
            }
            for (cores, takes) in self.ways(state, tile, taken) {
                slot.push((tile, cores));
                self.slots(state, tile.following(), cycles.max(takes), slot, found);
                slot.pop();
            }
        }
    }

    /// The different sets of cores that can compute a tile, and how long that takes.
    fn ways(&self, state: &State, tile: IterationTile, taken: IdSet<CoreId>) -> Vec<(IdSet<CoreId>, f64)> {
        let fixed = self.group_of[tile].map_or(IdSet::default(), |group| state.group_cores[group]);
        let weight = self.instance.weights[tile];
        let mut ways = Vec::new();
        for shared in 1..=self.instance.cores {
            let part = weight.div_ceil(shared as u64);
            let cycles = |core: CoreId| self.instance.cycles[tile][core].get(shared - 1).copied().flatten();
            let is_able =
                |core: CoreId| !taken.contains(core) && state.cores[core].free >= part && cycles(core).is_some();
            if !fixed.is_empty() {
                if fixed.len() == shared && fixed.iter().all(is_able) {
                    let longest = fixed.iter().filter_map(cycles).fold(0.0, f64::max);
                    ways.push((fixed, longest));
                }
                continue;
            }
            // Equal cores in equal states are taken in their order.
            let mut kinds: Vec<Vec<CoreId>> = Vec::new();
            for core in self.cores().filter(|&core| is_able(core)) {
                let is_equal =
                    |other: CoreId| self.kinds[other] == self.kinds[core] && state.cores[other] == state.cores[core];
                match kinds.iter_mut().find(|kind| is_equal(kind[0])) {
                    Some(kind) => kind.push(core),
                    None => kinds.push(vec![core]),
                }
            }
            choose(&kinds, shared, IdSet::default(), &mut |cores| {
                ways.push((cores, cores.iter().filter_map(cycles).fold(0.0, f64::max)));
            });
        }
        ways
    }

    /// The state after one more slot.
    fn after(&self, state: &State, cycles: f64, slot: &[(IterationTile, IdSet<CoreId>)]) -> State {
        let mut next = state.clone();
        next.cycles += cycles;
        next.next_slot = state.next_slot.following();
        let taken = slot.iter().fold(IdSet::default(), |all: IdSet<CoreId>, (_, cores)| all.union(*cores));
        for (core, facts) in next.cores.iter_mut_enumerated() {
            if taken.contains(core) {
                facts.since = facts.since.max(0.0) + cycles;
                next.window = next.window.max(facts.since);
            } else if !facts.is_unused() {
                facts.since += cycles;
            }
        }
        for &(tile, cores) in slot {
            next.done = next.done.with(tile);
            next.chosen.push((tile, state.next_slot, cores));
            let part = self.instance.weights[tile].div_ceil(cores.len() as u64);
            let group = self.group_of[tile];
            for core in cores.iter() {
                let facts = &mut next.cores[core];
                facts.free -= part;
                if let Some(group) = group {
                    next.group_cores[group] = next.group_cores[group].with(core);
                    facts.groups = facts.groups.with(group);
                }
            }
        }
        for (group, tiles) in self.group_tiles.iter_enumerated() {
            if tiles.is_within(next.done) {
                next.group_cores[group] = IdSet::default();
                next.cores.iter_mut().for_each(|core| core.groups = core.groups.without(group));
            }
        }
        let left: u64 = self
            .tiles()
            .filter(|&tile| !next.done.contains(tile))
            .map(|tile| self.instance.weights[tile])
            .fold(0, u64::saturating_add);
        // More room than for all that is left makes no difference.
        next.cores.iter_mut().for_each(|core| core.free = core.free.min(left));
        next
    }

    /// Whether a known state dominates this one; if none does, this one is kept.
    fn is_dominated(&mut self, state: &State) -> bool {
        // Cores of a kind are interchangeable: in canonical order, states that only permute them compare equal.
        let mut order: Vec<CoreId> = state.cores.keys().collect();
        let key = |&core: &CoreId| (self.kinds[core], state.cores[core].groups);
        order.sort_by(|a, b| {
            let (one, other) = (&state.cores[*a], &state.cores[*b]);
            key(a).cmp(&key(b)).then(one.since.total_cmp(&other.since)).then(other.free.cmp(&one.free))
        });
        let groups = order.iter().map(|&core| state.cores[core].groups).collect();
        let cores = order.iter().map(|&core| (state.cores[core].since, state.cores[core].free)).collect();
        let new = DominanceEntry { cycles: state.cycles, window: state.window, cores };
        let beats = |a: &DominanceEntry, b: &DominanceEntry| {
            a.cycles <= b.cycles
                && a.window <= b.window
                && a.cores.iter().zip(&b.cores).all(|(a, b)| a.0 <= b.0 && a.1 >= b.1)
        };
        let known = self.seen.entry((state.done, groups)).or_default();
        if known.iter().any(|old| beats(old, &new)) {
            return true;
        }
        let before = known.len();
        known.retain(|old| !beats(&new, old));
        self.remembered -= before - known.len();
        if self.remembered < MOST_REMEMBERED {
            known.push(new);
            self.remembered += 1;
        }
        false
    }
}

/// The level to which `work` fills bins that are filled to `starts` (ascending): the least maximum over cores that have worked so long and
/// share the work.
fn level(starts: &[f64], room: f64) -> f64 {
    if room <= 0.0 {
        return 0.0;
    }
    let mut sum = 0.0;
    for (count, start) in starts.iter().enumerate() {
        sum += start;
        let level = (room + sum) / (count + 1) as f64;
        if starts.get(count + 1).is_none_or(|next| level <= *next) {
            return level;
        }
    }
    f64::INFINITY
}

/// Visits every set of `count` cores that takes the first ones of each kind, as cores of a kind are interchangeable.
fn choose(kinds: &[Vec<CoreId>], count: usize, chosen: IdSet<CoreId>, found: &mut dyn FnMut(IdSet<CoreId>)) {
    if count == 0 {
        return found(chosen);
    }
    let Some((kind, rest)) = kinds.split_first() else { return };
    let mut cores = chosen;
    for taken in 0..=kind.len().min(count) {
        choose(rest, count - taken, cores, found);
        if let Some(core) = kind.get(taken) {
            cores = cores.with(*core);
        }
    }
}
