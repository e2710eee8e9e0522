//! The best block of attention and the parts around it, by trying every one that is not proved to be worse.
//!
//! The space: every tile of tokens of `TokenTile::tried`; queries from DRAM or computed in the block; every number of
//! parts that follow; weights that stay or are loaded for every tile; the schedules of attention with all the queries
//! of a tile. The rest of the layer runs before the block and after it, at its best.

use super::account::{Busy, Moved, fits};
use super::block::{Block, BlockProblem, BlockSchedule, TokenTile, phases};
use super::floor::{Floor, Floors, Meetings};
use super::linear::{Run, best_runs_from};
use super::schedule::{Fusion, KeysHeld, Schedule};
use super::search::{Total, tile_sizes};
use crate::search::Objective;
use crate::ties::{self, Contenders, Figures};
use crate::tolerance::REL_TOLERANCE;

/// The best runs of the parts before a block, with keys and values that are stored and that are computed again; each
/// with queries that come from DRAM and that the block computes. `None` where a part does not fit.
#[derive(Debug, Clone, Default)]
pub struct RunsBefore {
    /// Keys and values are stored.
    pub stored: [Option<Vec<Run>>; 2],
    /// Keys and values are computed again.
    pub recomputed: [Option<Vec<Run>>; 2],
}

impl RunsBefore {
    const fn with_keys(&self, held: KeysHeld) -> &[Option<Vec<Run>>; 2] {
        if held.is_recomputed() { &self.recomputed } else { &self.stored }
    }

    fn of_block(&self, schedule: &BlockSchedule) -> Option<&Vec<Run>> {
        self.with_keys(schedule.attention.held)[usize::from(schedule.has_queries)].as_ref()
    }
}

/// A block that is better than attention and the parts around it one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct BestBlock {
    /// The parts that run before it.
    pub before: Vec<Run>,
    /// Attention with the parts that run together with it.
    pub block: Block,
    /// The parts that run after it.
    pub after: Vec<Run>,
}

/// The best block, and the number of blocks that were priced; `None` where none is better than `apart`, the cost of
/// attention and all parts before and after it one after the other.
pub fn best_block(
    problem: &BlockProblem<'_>,
    objective: &Objective,
    before: &RunsBefore,
    apart: &Total,
) -> (Option<BestBlock>, u64) {
    if !problem.is_joined() {
        return (None, 0);
    }
    let BlockProblem { attention, chain, step, machine, .. } = problem;
    let after = (0..=chain.len()).map(|parts| best_runs_from(parts, chain, step, &attention.bits, machine, objective));
    let after: Vec<Option<Vec<Run>>> = after.collect();
    let mut best = Contenders::default();
    best.offer(apart.figures(objective, machine), (), || None);
    let mut search = Search { problem: *problem, objective, before, after: &after, best, priced: 0 };
    search.all();
    let priced = search.priced;
    let best = search.best.into_best().flatten().map(|(block, schedule)| BestBlock {
        before: before.of_block(&schedule).cloned().unwrap_or_default(),
        block,
        after: after.get(schedule.parts).cloned().flatten().unwrap_or_default(),
    });
    (best, priced)
}

struct Search<'a> {
    problem: BlockProblem<'a>,
    objective: &'a Objective,
    before: &'a RunsBefore,
    after: &'a [Option<Vec<Run>>],
    /// The blocks so far that may be the best; `None` stands for no block.
    best: Contenders<Option<(Block, BlockSchedule)>, ()>,
    priced: u64,
}

/// Costs of the parts in a block, and of all others.
#[derive(Clone, Copy)]
struct Around {
    tiles: u64,
    runs: [Option<RunCost>; 2],
    others: Total,
}

/// Costs of a run of a block alone.
#[derive(Clone, Copy)]
struct RunCost {
    total: Total,
    busy: Busy,
    dram: Moved,
}

impl From<&Run> for RunCost {
    fn from(run: &Run) -> Self {
        Self { total: run.into(), busy: run.busy, dram: run.dram }
    }
}

impl Search<'_> {
    /// Prices blocks by ascending bound, as far as the best so far does not rule them out.
    fn all(&mut self) {
        let BlockProblem { attention, step, machine, .. } = self.problem;
        let floors = Floors::new(attention, machine);
        let [_, of_depth, of_columns] = machine.unrolled;
        let keys = tile_sizes(attention.shape.keys, &[of_columns, of_depth]);
        let (group, all_keys) = (attention.group(), attention.shape.keys);
        let mut open: Vec<(Figures, BlockSchedule, Around)> = Vec::new();
        for tile in TokenTile::tried(step, machine) {
            let around = self.around(&tile);
            for heads in (1..=group).filter(|heads| group.is_multiple_of(*heads) && !around.is_empty()) {
                let first = Schedule { heads, ..whole(&tile, group, all_keys) };
                let meetings = Meetings::of(attention, machine, &first.query_tiles(attention), &first);
                for (fusion, held) in self.kinds() {
                    let own = Schedule { fusion, held, ..first };
                    if !own.is_countable(attention) {
                        continue;
                    }
                    let mut by_stay = [None; 2];
                    for (schedule, around) in &around {
                        let is_alike = schedule.attention.held.is_recomputed() == held.is_recomputed();
                        let schedule = BlockSchedule { attention: own, ..*schedule };
                        let floor = by_stay[usize::from(schedule.weights_before_stay)].get_or_insert_with(|| {
                            floors.with_loads(&own, &meetings, self.problem.weight_loads(&schedule))
                        });
                        let bound = self.bound(floor, &schedule, around);
                        if is_alike && !self.rules_out(&bound) {
                            open.push((bound, schedule, *around));
                        }
                    }
                }
            }
        }
        for (bound, schedule, around) in ties::ranked(open, |(bound, ..)| (*bound, ())) {
            if !self.rules_out(&bound) {
                self.tiles_of_keys(&floors, &schedule, &keys, &around);
            }
        }
    }

    /// Whether no block with such a bound is better than the best so far.
    fn rules_out(&self, bound: &Figures) -> bool {
        self.best.rule_out(|_| *bound)
    }

    /// Kinds of schedules of attention that have blocks.
    fn kinds(&self) -> impl Iterator<Item = (Fusion, KeysHeld)> + use<> {
        let has_source = self.problem.attention.source.is_some();
        let fusions = Fusion::ALL.into_iter().filter(|fusion| !matches!(fusion, Fusion::None | Fusion::KeysStay));
        let stored = self.problem.attention.stored();
        let recomputed = if has_source { &KeysHeld::RECOMPUTED[..] } else { &[] };
        let held = stored.iter().chain(recomputed);
        fusions.flat_map(move |fusion| held.clone().map(move |&held| (fusion, held)))
    }

    /// All combinations of parts around attention in such tiles, with keys and values that are stored and that are
    /// computed again.
    fn around(&self, tile: &TokenTile) -> Vec<(BlockSchedule, Around)> {
        let BlockProblem { attention, step, machine, queries, .. } = self.problem;
        let (tiles, group) = (tile.all(step), attention.group());
        let count = tile.count(step);
        let first = whole(tile, group, attention.shape.keys);
        let mut all = Vec::new();
        for held in [KeysHeld::Streamed, KeysHeld::Recomputed] {
            if held.is_recomputed() && attention.source.is_none() {
                continue;
            }
            for (parts, has_queries) in (0..self.after.len()).flat_map(|parts| [(parts, false), (parts, true)]) {
                if has_queries && queries.is_empty() || !has_queries && parts == 0 {
                    continue;
                }
                let before = &self.before.with_keys(held)[usize::from(has_queries)];
                let (Some(before), Some(behind)) = (before, &self.after[parts]) else { continue };
                let others = Run::total(before).and(Run::total(behind));
                for weights_before_stay in choices(has_queries || held.is_recomputed()) {
                    for &weights_behind_stay in choices(parts > 0) {
                        let schedule = BlockSchedule {
                            tile: *tile,
                            has_queries,
                            parts,
                            weights_before_stay: *weights_before_stay,
                            weights_behind_stay,
                            attention: Schedule { held, ..first },
                        };
                        let ranges = self.problem.ranges(&schedule);
                        let mut needed = [0_u64; 2];
                        let mut runs = [None; 2];
                        for (run, cost) in self.problem.runs(&schedule, &ranges).iter().zip(&mut runs) {
                            if run.run.is_empty() {
                                continue;
                            }
                            let own = run.needed_bits(&attention.bits, machine).unwrap_or([u64::MAX; 2]);
                            needed = std::array::from_fn(|at| needed[at].saturating_add(own[at]));
                            *cost = run.cost(&tiles, &attention.bits, machine).as_ref().map(RunCost::from);
                        }
                        if fits(machine, needed) {
                            all.push((schedule, Around { tiles: count, runs, others }));
                        }
                    }
                }
            }
        }
        all
    }

    /// A lower bound on all blocks with such a floor of attention and such parts.
    fn bound(&self, floor: &Floor, schedule: &BlockSchedule, around: &Around) -> Figures {
        let machine = self.problem.machine;
        let dram = &machine.dram;
        let saved = self.problem.saved(schedule);
        let [queries, parts] = &around.runs;
        let of_attention = floor.phases[0];
        // The data that no longer crosses the border takes at least the DRAM cycles of its reads and writes alone.
        let less = |busy: &Busy, read: u64, written: u64| {
            let cycles = dram.cycles(read, 0) + dram.cycles(0, written);
            Busy { dram: busy.dram.saturating_sub(cycles), ..*busy }
        };
        let stages = [
            queries.map(|run| less(&run.busy, saved.inputs, saved.queries)),
            Some(less(&of_attention, saved.queries, saved.results)),
            parts.map(|run| less(&run.busy, saved.results, 0)),
        ];
        let stages: Vec<Busy> = stages.into_iter().flatten().collect();
        let tiles = around.tiles;
        let cycles = |shares: Vec<std::ops::Range<u64>>| {
            let share = |share: &std::ops::Range<u64>| (share.end - share.start) as f64 / tiles.max(1) as f64;
            let resource = |of: fn(&Busy) -> u64| -> f64 {
                // The share of each stage is rounded, by less than a cycle.
                stages.iter().zip(&shares).map(|(busy, own)| of(busy) as f64 * share(own) - 1.0).sum()
            };
            let all: [fn(&Busy) -> u64; 5] =
                [|busy| busy.array, |busy| busy.lanes, |busy| busy.dram, |busy| busy.activations, |busy| busy.keys];
            all.into_iter().map(resource).fold(0.0, f64::max)
        };
        let [energy, bits] = around.runs.iter().flatten().fold([0.0; 2], |[energy, bits], run| {
            [energy + run.total.energy_pj, bits + (run.dram.read + run.dram.written) as f64]
        });
        let (read, written) = (saved.queries + saved.inputs + saved.results, saved.queries + saved.results);
        let block = Total {
            energy_pj: (floor.energy_pj + energy - dram.energy_pj(read, written)) * (1.0 - REL_TOLERANCE),
            cycles: phases(stages.len() as u64, tiles).into_iter().map(cycles).sum::<f64>() * (1.0 - REL_TOLERANCE),
            dram_bits: floor.dram_bits + bits - (read + written) as f64,
        };
        block.and(around.others).figures(self.objective, machine)
    }

    fn tiles_of_keys(&mut self, floors: &Floors<'_>, schedule: &BlockSchedule, keys: &[u64], around: &Around) {
        let BlockProblem { attention, machine, .. } = self.problem;
        let tiles = schedule.attention.query_tiles(attention);
        let mut open: Vec<(Figures, BlockSchedule)> = Vec::new();
        for &keys in keys {
            let schedule = BlockSchedule { attention: Schedule { keys, ..schedule.attention }, ..*schedule };
            if !self.problem.needed_bits(&schedule).is_some_and(|needed| fits(machine, needed)) {
                continue;
            }
            let meetings = Meetings::of(attention, machine, &tiles, &schedule.attention);
            let floor = floors.with_loads(&schedule.attention, &meetings, self.problem.weight_loads(&schedule));
            let bound = self.bound(&floor, &schedule, around);
            if !self.rules_out(&bound) {
                open.push((bound, schedule));
            }
        }
        for (bound, schedule) in ties::ranked(open, |(bound, _)| (*bound, ())) {
            if self.rules_out(&bound) {
                continue;
            }
            let Some(block) = self.problem.account(&schedule) else { continue };
            self.priced += 1;
            let figures = Total::from(&block).and(around.others).figures(self.objective, machine);
            self.best.offer(figures, (), || Some((block, schedule)));
        }
    }
}

/// Whether weights stay: where there are none, it makes no difference.
const fn choices(has_weights: bool) -> &'static [bool] {
    if has_weights { &[true, false] } else { &[false] }
}

/// The schedule of attention with all heads of a group and all keys in a tile.
const fn whole(tile: &TokenTile, heads: u64, keys: u64) -> Schedule {
    Schedule { fusion: Fusion::QueriesStay, queries: tile.queries, heads, keys, held: KeysHeld::Streamed }
}
