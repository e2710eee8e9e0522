//! Attention together with the parts that follow it: the output projection, the residual sum, the feed-forward part, or some of them.
//!
//! For every tile of tokens attention goes over all heads, whose results stay on the chip; then the parts follow for these tokens. A tile
//! is a part of the queries of a sequence, or some whole sequences. The results never cross the border of the chip. While the parts work
//! on a tile, attention works on the next: both have their room, and what they need of array, lanes and memories adds up. The attention
//! of the first tile and the parts of the last have nothing beside them.
//!
//! Where keys and values stay, those of a head stay while it is at work, if a tile holds all queries of its sequences; else those of all
//! heads stay. Keys and values that are computed again, keys that stay while queries pass, and unfused scores have no block.

use super::account::{Account, Busy, Cause, Moved, account, fits};
use super::floor::{Floor, Floors, Meetings};
use super::linear::{Held, Part, Run, TiledRun, best_runs_from};
use super::machine::Machine;
use super::problem::Problem;
use super::schedule::{Fusion, KeysHeld, Schedule, sizes};
use super::search::{Rank, Total, tile_sizes};
use super::transformer::Step;
use crate::search::Objective;
use serde::{Deserialize, Serialize};

/// By so much, relatively, bounds that are added up in another order than blocks are less.
const HAIR: f64 = 1e-9;

/// Attention and the parts that run together with it, tile of tokens by tile of tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// Attention, as it costs by itself; its results go to DRAM there.
    pub attention: Account,
    /// The parts, as they cost by themselves; they read these results there.
    pub run: Run,
    /// Tokens in a tile.
    pub tile: u64,
    /// How many tiles there are.
    pub tiles: u64,
    /// The attention of the first tile, all that works side by side, and the parts of the last tile, one after the other.
    pub phases: [Busy; 3],
    /// Bits from DRAM and to it.
    pub dram: Moved,
    /// Energy by cause, pJ, in the order of [`Cause::ALL`].
    pub energy: [f64; 5],
    /// Bits needed on the chip: of queries, scores, results and rows of tokens, and of keys, values and weights.
    pub needed_bits: [u64; 2],
}

impl Block {
    /// Energy, pJ.
    pub fn energy_pj(&self) -> f64 {
        self.energy.iter().sum()
    }

    /// Latency, cycles.
    pub fn latency_cycles(&self) -> u64 {
        self.phases.iter().map(Busy::cycles).sum()
    }

    /// Bits to and from DRAM.
    pub const fn dram_bits(&self) -> u64 {
        self.dram.read + self.dram.written
    }

    /// Multiply-accumulates.
    pub const fn macs(&self) -> u64 {
        self.attention.macs + self.run.macs
    }

    /// What takes longest in the longest phase.
    pub fn bound_by(&self) -> &'static str {
        self.phases.iter().max_by_key(|phase| phase.cycles()).map_or("", Busy::bound_by)
    }
}

/// A tile of tokens: queries of so many sequences, so many of each; more than one sequence only with all their queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenTile {
    /// Sequences.
    pub sequences: u64,
    /// Queries of each.
    pub queries: u64,
}

impl TokenTile {
    /// Tokens in it.
    pub const fn tokens(&self) -> u64 {
        self.sequences * self.queries
    }

    /// The tiles of all tokens of a step, so many of which size.
    pub fn all(&self, step: &Step) -> Vec<(u64, u64)> {
        if self.queries < step.tokens {
            return sizes(step.tokens, self.queries).map(|(count, size)| (count * step.batch, size)).collect();
        }
        sizes(step.batch, self.sequences).map(|(count, size)| (count, size * step.tokens)).collect()
    }

    /// Those that are tried: the sizes that attention has along queries, and every number of tiles of whole sequences.
    fn tried(step: &Step, machine: &Machine) -> Vec<Self> {
        let parts = tile_sizes(step.tokens, &[machine.unrolled[0]]).into_iter().filter(|&size| size < step.tokens);
        let mut tiles: Vec<Self> = parts.map(|queries| Self { sequences: 1, queries }).collect();
        let mut most = step.batch;
        while most > 0 {
            let sequences = step.batch.div_ceil(step.batch.div_ceil(most));
            tiles.push(Self { sequences, queries: step.tokens });
            most = sequences - 1;
        }
        tiles
    }
}

/// Attention and what follows it, whose blocks are looked for.
#[derive(Clone, Copy)]
pub struct BlockProblem<'a> {
    /// Attention.
    pub attention: &'a Problem,
    /// What follows it.
    pub chain: &'a [Part],
    /// The step.
    pub step: &'a Step,
    /// The core.
    pub machine: &'a Machine,
}

/// A block, but for the tiles of keys.
#[derive(Debug, Clone, Copy)]
pub struct BlockSchedule {
    /// Tokens in a tile.
    pub tile: TokenTile,
    /// How many of the parts run together with attention.
    pub parts: usize,
    /// Whether the weights of these stay on the chip.
    pub weights_stay: bool,
    /// Attention: its queries are those of the tile.
    pub attention: Schedule,
}

impl BlockProblem<'_> {
    fn run<'b>(&'b self, schedule: &BlockSchedule, run: &'b std::ops::Range<usize>) -> TiledRun<'b> {
        let held = Held { weights: schedule.weights_stay, states: true };
        TiledRun { chain: self.chain, run, step: self.step, tile: schedule.tile.tokens(), held }
    }

    /// Whether what follows attention reads just its results.
    pub fn is_joined(&self) -> bool {
        let [reads, passes] = self.chain.first().map_or([0; 2], |first| [first.reads(), first.passes()]);
        let shape = &self.attention.shape;
        reads == shape.heads * shape.value_depth && passes == 0 && shape.queries == self.step.tokens
    }

    /// Bits of the results of attention, which the parts read.
    fn result_bits(&self) -> u64 {
        self.attention.shape.output_elements() * self.attention.bits.activations
    }

    /// Bits that a block needs on the chip.
    fn needed_bits(&self, schedule: &BlockSchedule) -> Option<[u64; 2]> {
        let (tile, bits, shape) = (&schedule.tile, &self.attention.bits, &self.attention.shape);
        let [rows, weights] = self.run(schedule, &(0..schedule.parts)).needed_bits(bits, self.machine)?;
        let [own, keys] = schedule.attention.needed_bits(self.attention);
        let results = tile.tokens() * shape.heads * shape.value_depth * bits.activations;
        let all_stay = schedule.attention.held == KeysHeld::Resident && tile.queries < self.step.tokens;
        let keys = if all_stay { keys.checked_mul(shape.key_heads)? } else { keys };
        Some([own + results + rows, keys.checked_add(weights)?])
    }

    /// What a block costs; `None` if it has no room, or attention with such a schedule, or with these parts, no block.
    pub fn account(&self, schedule: &BlockSchedule) -> Option<Block> {
        let is_of_block = matches!(schedule.attention.fusion, Fusion::Rows(_) | Fusion::QueriesStay)
            && !schedule.attention.held.is_recomputed()
            && schedule.attention.queries == schedule.tile.queries;
        if !is_of_block || !self.is_joined() {
            return None;
        }
        let needed_bits = self.needed_bits(schedule).filter(|needed| fits(self.machine, *needed))?;
        let attention = account(self.attention, self.machine, &schedule.attention)?;
        let tiles = schedule.tile.all(self.step);
        let run = self.run(schedule, &(0..schedule.parts)).cost(&tiles, &self.attention.bits, self.machine)?;
        Some(self.sum(
            attention,
            run,
            (schedule.tile.tokens(), tiles.iter().map(|(count, _)| count).sum()),
            needed_bits,
        ))
    }

    fn sum(&self, attention: Account, run: Run, (tile, tiles): (u64, u64), needed_bits: [u64; 2]) -> Block {
        let results = self.result_bits();
        let dram = &self.machine.dram;
        let moved = attention.dram.iter().fold(Moved::default(), |all, next| all.and(*next));
        let of_attention = Moved { read: moved.read, written: moved.written - results };
        let of_run = Moved { read: run.dram.read - results, written: run.dram.written };
        let busy = |busy: &Busy, moved: Moved| Busy { dram: dram.cycles(moved.read, moved.written), ..*busy };
        let [first, then] = [busy(&attention.phases[0], of_attention), busy(&run.busy, of_run)];
        // Of equal tiles each takes its part.
        let [filling, draining] = [first, then].map(|all| all.map(|cycles| cycles.div_ceil(tiles.max(1))));
        let beside = first.less(&filling).and(&then.less(&draining));
        let mut energy: [f64; 5] = std::array::from_fn(|at| attention.energy[at] + run.energy[at]);
        energy[Cause::Dram as usize] =
            dram.energy_pj(of_attention.read, of_attention.written) + dram.energy_pj(of_run.read, of_run.written);
        Block {
            attention,
            run,
            tile,
            tiles,
            phases: [filling, beside, draining],
            dram: of_attention.and(of_run),
            energy,
            needed_bits,
        }
    }
}

impl From<&Block> for Total {
    fn from(block: &Block) -> Self {
        Self {
            energy_pj: block.energy_pj(),
            cycles: block.latency_cycles() as f64,
            dram_bits: block.dram_bits() as f64,
        }
    }
}

/// A block that is better than attention and what follows it one after the other, and the runs of the parts behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct BestBlock {
    /// The block.
    pub block: Block,
    /// What it leaves to run after it.
    pub after: Vec<Run>,
}

/// The best block; `None` where none is better than `apart`, which is what attention, all before and all behind it cost one after the
/// other. `before` is what comes before attention where that computes no keys again.
pub fn best_block(
    problem: &BlockProblem<'_>,
    objective: &Objective,
    before: &Total,
    apart: &Total,
) -> Option<BestBlock> {
    if !problem.is_joined() {
        return None;
    }
    let least = apart.rank(objective, problem.machine);
    let mut search = Search { problem: *problem, objective, before: *before, least, best: None };
    let after: Vec<Option<Vec<Run>>> = (0..=problem.chain.len())
        .map(|parts| {
            let BlockProblem { attention, chain, step, machine } = problem;
            best_runs_from(parts, chain, step, &attention.bits, machine, objective)
        })
        .collect();
    search.all(&after);
    search
        .best
        .map(|(block, parts)| BestBlock { block, after: after.into_iter().nth(parts).flatten().unwrap_or_default() })
}

struct Search<'a> {
    problem: BlockProblem<'a>,
    objective: &'a Objective,
    before: Total,
    least: Rank,
    best: Option<(Block, usize)>,
}

/// What the parts of a block cost, and what all others do.
#[derive(Clone, Copy)]
struct Beside {
    tiles: u64,
    run: Total,
    busy: Busy,
    others: Total,
}

impl Search<'_> {
    /// Blocks by ascending bound, until no other can be better.
    fn all(&mut self, after: &[Option<Vec<Run>>]) {
        let BlockProblem { attention, step, machine, .. } = self.problem;
        let floors = Floors::new(attention, machine);
        let [_, of_depth, of_columns] = machine.unrolled;
        let keys = tile_sizes(attention.shape.keys, &[of_columns, of_depth]);
        let (group, all_keys) = (attention.group(), attention.shape.keys);
        let mut open: Vec<(Rank, BlockSchedule, Beside)> = Vec::new();
        for tile in TokenTile::tried(step, machine) {
            let tiles = tile.all(step);
            let mut runs: Vec<(BlockSchedule, Beside)> = Vec::new();
            for (parts, rest) in after.iter().enumerate().skip(1) {
                let Some(rest) = rest else { continue };
                for weights_stay in [true, false] {
                    let schedule =
                        BlockSchedule { tile, parts, weights_stay, attention: whole(&tile, group, all_keys) };
                    let run = 0..parts;
                    let tiled = self.problem.run(&schedule, &run);
                    let has_room =
                        tiled.needed_bits(&attention.bits, machine).is_some_and(|needed| fits(machine, needed));
                    let Some(run) = tiled.cost(&tiles, &attention.bits, machine).filter(|_| has_room) else { continue };
                    let others = self.before.and(Run::total(rest));
                    let count = tiles.iter().map(|(count, _)| count).sum();
                    runs.push((schedule, Beside { tiles: count, run: (&run).into(), busy: run.busy, others }));
                }
            }
            for heads in (1..=group).filter(|heads| group.is_multiple_of(*heads) && !runs.is_empty()) {
                let first = Schedule { heads, ..whole(&tile, group, all_keys) };
                let meetings = Meetings::of(attention, machine, &first.query_tiles(attention), &first);
                for fusion in
                    Fusion::ALL.into_iter().filter(|fusion| !matches!(fusion, Fusion::None | Fusion::KeysStay))
                {
                    for held in KeysHeld::STORED {
                        let own = Schedule { fusion, held, ..first };
                        let floor = floors.of(&own, &meetings);
                        for (schedule, beside) in &runs {
                            let schedule = BlockSchedule { attention: own, ..*schedule };
                            let bound = self.bound(&floor, beside);
                            if bound < self.least {
                                open.push((bound, schedule, *beside));
                            }
                        }
                    }
                }
            }
        }
        open.sort_by_key(|(bound, ..)| *bound);
        for (bound, schedule, beside) in open {
            if bound >= self.least {
                return;
            }
            self.tiles_of_keys(&floors, &schedule, &keys, &beside);
        }
    }

    /// No block with such a floor of attention and such parts is better.
    fn bound(&self, floor: &Floor, open: &Beside) -> Rank {
        let machine = self.problem.machine;
        let results = self.problem.result_bits();
        let dram = &machine.dram;
        let saved = dram.energy_pj(0, results) + dram.energy_pj(results, 0);
        let of_attention = &floor.phases[0];
        let first = Busy { dram: of_attention.dram.saturating_sub(dram.cycles(0, results)), ..*of_attention };
        let then = Busy { dram: open.busy.dram.saturating_sub(dram.cycles(results, 0)), ..open.busy };
        // Each part is rounded up, by less than a cycle.
        let share = 1.0 / open.tiles.max(1) as f64;
        let alone = (first.cycles() + then.cycles()) as f64 * share;
        let beside = first.and(&then).cycles() as f64 * (1.0 - share) - 2.0;
        let block = Total {
            energy_pj: (floor.energy_pj + open.run.energy_pj - saved) * (1.0 - HAIR),
            cycles: (alone + beside.max(0.0)) * (1.0 - HAIR),
            dram_bits: floor.dram_bits + open.run.dram_bits - 2.0 * results as f64,
        };
        block.and(open.others).rank(self.objective, machine)
    }

    fn tiles_of_keys(&mut self, floors: &Floors<'_>, schedule: &BlockSchedule, keys: &[u64], beside: &Beside) {
        let BlockProblem { attention, machine, .. } = self.problem;
        let tiles = schedule.attention.query_tiles(attention);
        let mut open: Vec<(Rank, BlockSchedule)> = Vec::new();
        for &keys in keys {
            let schedule = BlockSchedule { attention: Schedule { keys, ..schedule.attention }, ..*schedule };
            if !self.problem.needed_bits(&schedule).is_some_and(|needed| fits(machine, needed)) {
                continue;
            }
            let meetings = Meetings::of(attention, machine, &tiles, &schedule.attention);
            let bound = self.bound(&floors.of(&schedule.attention, &meetings), beside);
            if bound < self.least {
                open.push((bound, schedule));
            }
        }
        open.sort_by_key(|(bound, _)| *bound);
        for (bound, schedule) in open {
            if bound >= self.least {
                return;
            }
            let Some(block) = self.problem.account(&schedule) else { continue };
            let rank = Total::from(&block).and(beside.others).rank(self.objective, machine);
            if rank < self.least {
                self.least = rank;
                self.best = Some((block, schedule.parts));
            }
        }
    }
}

/// The schedule of attention with all heads of a group and all keys in a tile.
const fn whole(tile: &TokenTile, heads: u64, keys: u64) -> Schedule {
    Schedule { fusion: Fusion::QueriesStay, queries: tile.queries, heads, keys, held: KeysHeld::Streamed }
}
