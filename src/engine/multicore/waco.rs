//! WACO: the allocation of the tiles of a steady state to cores and slots (Stream, Section 5.4, equations 1 to 12;
//! Section 5.3 for tiles that cores share).
//!
//! Tiles are computed in slots, one slot after the other. A slot takes as long as its slowest tile, and a core computes
//! at most one tile in it; several cores may share a tile. Iterations overlap: the next one begins as soon as every
//! core is free for it. `T` is the length of an iteration. The window of a core lasts from its first to its last slot
//! in use, and `w` is the longest window of all cores. A core is idle for `T` less its window, so `N` iterations take
//! `N T - (N - 1) min idle = T + (N - 1) w` cycles (equation 12). This is minimised.
//!
//! Stream hands the equations to a solver. This is a branch and bound of its own, slot by slot and depth first, the
//! child of the least bound first. A state is pruned in three ways:
//!
//! - by a lower bound on `T`, the longest chain of the tiles that are left, and one on `w`, the work that is left,
//!   spread evenly over the windows of the cores that can do it
//! - by dominance, if another state with the same tiles done is no worse in time, windows, and capacity left for
//!   weights
//! - by symmetry: of equal cores in equal states, the first ones are taken
//!
//! The number of states is exponential in the tiles of an iteration. A search that is stopped returns its best
//! allocation, and the least bound of all that it left open.

use super::ids::{IterationTile, SlotId, WeightGroup};
use crate::ids::{IdSet, TiSlice, TiVec, ti_vec};
use crate::pareto;
use crate::system::CoreId;
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
    /// Cycles, by tile, core, and number of cores that share the tile less 1; `None` where the core cannot compute the
    /// tile.
    pub cycles: TiVec<IterationTile, TiVec<CoreId, Vec<Option<f64>>>>,
    /// Dependencies: pairs of tiles, the first in an earlier slot than the second.
    pub order: Vec<(IterationTile, IterationTile)>,
    /// Groups of tiles with the same weights: each group is computed by one set of cores.
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
pub struct TileAllocation {
    /// The slot and the cores of each tile.
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
    pub best: Option<TileAllocation>,
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

/// Finds the allocation of least latency. `goes_on` is called from time to time with the number of states so far; where
/// it returns `false`, the search ends with the best allocation so far and a valid lower bound.
///
/// With more than `MOST` tiles, cores or groups there is no search: nothing is found, and nothing proved.
pub fn allocate(instance: &AllocationProblem, goes_on: &mut dyn FnMut(u64) -> bool) -> AllocationOutcome {
    if instance.cycles.len() > MOST || instance.cores > MOST || instance.groups.len() > MOST {
        return AllocationOutcome::default();
    }
    let mut search = AllocationSearch::new(instance);
    let root = search.root();
    let bound = search.bound(&root);
    let bound = if bound.is_finite() { search.descend(&root, goes_on) } else { f64::INFINITY };
    let bound = search.best.as_ref().map_or(bound, |best| bound.min(best.cycles));
    AllocationOutcome { best: search.best, bound, nodes: search.nodes }
}

/// The latency of an allocation: of one iteration, of its longest window, of all iterations. `None` if it breaks a
/// constraint: at most one tile for each core and slot (equation 1), dependencies (4), capacity for weights (5), the
/// same cores for all tiles of a group.
pub fn evaluate(instance: &AllocationProblem, tiles: &TiSlice<IterationTile, TilePlacement>) -> Option<TileAllocation> {
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
    Some(TileAllocation {
        tiles: tiles.to_vec(),
        iteration_cycles,
        window_cycles,
        cycles: iteration_cycles + (instance.iterations.saturating_sub(1)) as f64 * window_cycles,
    })
}

/// The state of a core after some slots.
#[derive(Debug, Clone, Copy, PartialEq)]
struct CoreState {
    /// Cycles since its first slot began; negative if it was never used. If it works again, its window covers all of
    /// them.
    since: f64,
    /// Bits of weights for which it has room.
    free: u64,
    /// Groups that it has begun and that have tiles left.
    groups: IdSet<WeightGroup>,
}

impl CoreState {
    fn is_unused(&self) -> bool {
        self.since < 0.0
    }
}

/// A node of the search tree: an allocation of some tiles to the first slots.
#[derive(Debug, Clone)]
struct PartialAllocation {
    /// Tiles that have a slot.
    done: IdSet<IterationTile>,
    /// Length of all slots so far.
    cycles: f64,
    /// Longest window so far.
    window: f64,
    cores: TiVec<CoreId, CoreState>,
    /// Cores of each group that has begun and is not done; else empty.
    group_cores: TiVec<WeightGroup, IdSet<CoreId>>,
    /// Tiles with their slots and cores.
    chosen: Vec<(IterationTile, SlotId, IdSet<CoreId>)>,
    /// The slot that comes next.
    next_slot: SlotId,
}

/// Key of dominance: the tiles that are done, and the groups that each core has begun, cores in canonical order. Only
/// between states of the same key is there dominance, as the same tiles may follow them on the same cores.
type DominanceKey = (IdSet<IterationTile>, Vec<IdSet<WeightGroup>>);

/// The costs by which a state dominates another of the same key: cycles, window, and for each core, in canonical order, cycles since its
/// first slot and capacity left, bits.
#[derive(Debug, Clone)]
struct DominanceEntry {
    cycles: f64,
    window: f64,
    cores: Vec<(f64, u64)>,
}

struct AllocationSearch<'a> {
    instance: &'a AllocationProblem,
    /// Predecessors of each tile.
    before: TiVec<IterationTile, IdSet<IterationTile>>,
    group_of: TiVec<IterationTile, Option<WeightGroup>>,
    group_tiles: TiVec<WeightGroup, IdSet<IterationTile>>,
    /// For each core its kind: the first core that is equal to it, in capacity and in the cycles of every tile.
    kinds: TiVec<CoreId, CoreId>,
    /// Cycles of the longest chain of dependencies that begins with each tile, every tile at its fastest.
    tails: TiVec<IterationTile, f64>,
    /// Sets of cores, with the work of each tile that no other core can do: its least cycles times the cores that share
    /// it, else 0.
    pools: Vec<(IdSet<CoreId>, TiVec<IterationTile, f64>)>,
    /// Undominated states that were visited.
    seen: FxHashMap<DominanceKey, Vec<DominanceEntry>>,
    /// Number of entries in `seen`.
    remembered: usize,
    best: Option<TileAllocation>,
    nodes: u64,
    is_stopped: bool,
}

/// Limit on the states that are kept for dominance. Beyond it less is pruned, and the result is the same.
const MOST_REMEMBERED: usize = 2_000_000;
/// Number of states between two calls of `goes_on`.
const ASK: u64 = 256;

impl<'a> AllocationSearch<'a> {
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
        // Tiles need not be numbered in topological order, so chains grow by at least one tile in each round (Bellman
        // and Ford). None has more tiles than there are rounds.
        for _ in 0..tiles {
            for tile in IterationTile::first(tiles) {
                let after = instance.order.iter().filter(|pair| pair.0 == tile).map(|pair| tails[pair.1]);
                tails[tile] = least(tile) + after.fold(0.0, f64::max);
            }
        }
        // One pool for every set of cores that some tile is limited to, and one for all cores that can compute
        // anything.
        let mut sets: Vec<IdSet<CoreId>> = IterationTile::first(tiles).map(able).collect();
        sets.push(sets.iter().fold(IdSet::default(), |all, set| all.union(*set)));
        sets.sort_unstable();
        sets.dedup();
        let pools = sets.into_iter().map(|set| {
            let of = |tile: IterationTile| if able(tile).is_subset(set) { work(tile) } else { 0.0 };
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

    /// The state before the first slot.
    fn root(&self) -> PartialAllocation {
        let core =
            |core: CoreId| CoreState { since: -1.0, free: self.instance.capacity[core], groups: IdSet::default() };
        PartialAllocation {
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

    /// Latency of all iterations: equation 12 in terms of windows.
    fn total(&self, cycles: f64, window: f64) -> f64 {
        cycles + self.instance.iterations.saturating_sub(1) as f64 * window
    }

    /// A lower bound on the latency of every completion of a state, cycles.
    ///
    /// Both parts of [`Self::total`] are bounded: the tiles of a chain of dependencies need different slots, and the
    /// work of a pool needs the windows of its cores.
    fn bound(&self, state: &PartialAllocation) -> f64 {
        let left = |tile: IterationTile| !state.done.contains(tile);
        let chain = self.tiles().filter(|&tile| left(tile)).map(|tile| self.tails[tile]).fold(0.0, f64::max);
        let mut window = state.window;
        for (set, work) in &self.pools {
            // A core that works again has a window of all cycles since its first slot, and of its further work. The
            // longest window is least if the work of the pool fills these up to one level, like water.
            let work: f64 = self.tiles().filter(|&tile| left(tile)).map(|tile| work[tile]).sum();
            let begun = |core: CoreId| state.cores[core].since.max(0.0);
            let mut starts: Vec<f64> = set.iter().map(begun).collect();
            starts.sort_by(f64::total_cmp);
            window = window.max(level(&starts, work));
        }
        self.total(state.cycles + chain, window)
    }

    /// Searches the subtree of a state, and returns a lower bound on the latency of all its completions that are better
    /// than `best`, cycles. If nothing was stopped, it is no lower than the latency of the best allocation.
    fn descend(&mut self, state: &PartialAllocation, goes_on: &mut dyn FnMut(u64) -> bool) -> f64 {
        if state.done.len() == self.instance.cycles.len() {
            let cycles = self.total(state.cycles, state.window);
            if self.best.as_ref().is_none_or(|best| cycles < best.cycles) {
                let mut tiles = ti_vec![(SlotId::default(), Vec::new()); self.instance.cycles.len()];
                for &(tile, slot, cores) in &state.chosen {
                    tiles[tile] = (slot, cores.iter().collect());
                }
                self.best =
                    Some(TileAllocation { tiles, iteration_cycles: state.cycles, window_cycles: state.window, cycles });
            }
            return cycles;
        }
        let mut next: Vec<(f64, PartialAllocation)> = Vec::new();
        self.slots(state, IterationTile::default(), 0.0, &mut Vec::new(), &mut next);
        next.sort_by(|a, b| a.0.total_cmp(&b.0));
        // `least` is the least bound of all children: of those that are pruned or stopped their own, else that of their
        // subtree.
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
                // The dominating state was visited before, and its bound is accounted for there.
                continue;
            }
            least = least.min(self.descend(&state, goes_on));
        }
        least
    }

    /// Collects the states after every slot that consists of the tiles in `slot` and further ones, with numbers from
    /// `first` on.
    ///
    /// Tiles of a slot come in the order of their numbers, so that each set of tiles is formed once. `cycles` is the
    /// longest time of a tile in `slot`.
    fn slots(
        &self,
        state: &PartialAllocation,
        first: IterationTile,
        cycles: f64,
        slot: &mut Vec<(IterationTile, IdSet<CoreId>)>,
        found: &mut Vec<(f64, PartialAllocation)>,
    ) {
        if !slot.is_empty() {
            let after = self.after(state, cycles, slot);
            let bound = self.bound(&after);
            // Only this state is pruned. A slot with more tiles is no shorter, but it may shorten the rest, so its
            // bound may be lower.
            if bound.is_finite() && self.best.as_ref().is_none_or(|best| bound < best.cycles) {
                found.push((bound, after));
            }
        }
        let taken = slot.iter().fold(IdSet::default(), |all: IdSet<CoreId>, (_, cores)| all.union(*cores));
        for tile in IterationTile::within(first..self.instance.cycles.next_key()) {
            let is_ready = !state.done.contains(tile) && self.before[tile].is_subset(state.done);
            // All tiles of a group have the same cores, so that no two of them fit into one slot.
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

    /// The different sets of cores that can compute a tile, with the time that the slowest of them takes. Cores in
    /// `taken` already compute another tile of the slot.
    fn ways(&self, state: &PartialAllocation, tile: IterationTile, taken: IdSet<CoreId>) -> Vec<(IdSet<CoreId>, f64)> {
        let fixed = self.group_of[tile].map_or(IdSet::default(), |group| state.group_cores[group]);
        let weight = self.instance.weights[tile];
        let mut ways = Vec::new();
        for shared in 1..=self.instance.cores {
            let part = weight.div_ceil(shared as u64);
            let cycles = |core: CoreId| self.instance.cycles[tile][core].get(shared - 1).copied().flatten();
            let is_able =
                |core: CoreId| !taken.contains(core) && state.cores[core].free >= part && cycles(core).is_some();
            // A group that has begun keeps its cores, where its weights are.
            if !fixed.is_empty() {
                if fixed.len() == shared && fixed.iter().all(is_able) {
                    let longest = fixed.iter().filter_map(cycles).fold(0.0, f64::max);
                    ways.push((fixed, longest));
                }
                continue;
            }
            // Cores of a kind in the same state are interchangeable: only their number counts, so the first ones are
            // taken.
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
    fn after(
        &self,
        state: &PartialAllocation,
        cycles: f64,
        slot: &[(IterationTile, IdSet<CoreId>)],
    ) -> PartialAllocation {
        let mut next = state.clone();
        next.cycles += cycles;
        next.next_slot = state.next_slot.following();
        let taken = slot.iter().fold(IdSet::default(), |all: IdSet<CoreId>, (_, cores)| all.union(*cores));
        for (core, facts) in next.cores.iter_mut_enumerated() {
            // A core that works extends its window to the end of this slot. For one that is idle, time only counts
            // since its first slot: if it works again, its window will have lasted all the while.
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
        // Groups that are done decide nothing any more; without them more states have the same key of dominance.
        for (group, tiles) in self.group_tiles.iter_enumerated() {
            if tiles.is_subset(next.done) {
                next.group_cores[group] = IdSet::default();
                next.cores.iter_mut().for_each(|core| core.groups = core.groups.without(group));
            }
        }
        let left: u64 = self
            .tiles()
            .filter(|&tile| !next.done.contains(tile))
            .map(|tile| self.instance.weights[tile])
            .fold(0, u64::saturating_add);
        // Room beyond all weights that are left makes no difference, so it must not prevent dominance.
        next.cores.iter_mut().for_each(|core| core.free = core.free.min(left));
        next
    }

    /// Whether a state that was visited dominates this one. If none does, this one is kept, in place of those that it
    /// dominates.
    ///
    /// Whatever follows the state can follow the other one, too, on cores in the same canonical order: they have done
    /// the same tiles, begun the same groups, and have no less room. It adds the same cycles to both, so that time and
    /// windows stay in order.
    fn is_dominated(&mut self, state: &PartialAllocation) -> bool {
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
        let before = known.len();
        if !pareto::admits(known, &new, beats) {
            return true;
        }
        self.remembered -= before - known.len();
        if self.remembered < MOST_REMEMBERED {
            known.push(new);
            self.remembered += 1;
        }
        false
    }
}

/// The level to which `room` more fills bins that are filled to `starts`, in ascending order: the least maximum after
/// the work is divided among the cores. 0 without work, infinite without bins.
///
/// The `count + 1` lowest bins take all of the work if the level that this makes does not reach the next bin.
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

/// Visits every set that adds `count` cores to `chosen` and takes the first ones of each kind, as cores of a kind are
/// interchangeable.
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
