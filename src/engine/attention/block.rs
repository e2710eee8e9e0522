//! Attention together with the parts around it: those that compute its queries, and those that follow it (the output
//! projection, the residual sum, the feed-forward part), or some of them.
//!
//! For every tile of tokens the queries of all heads are computed; attention is computed for all heads, whose results
//! stay on the chip; then the parts that follow are computed for these tokens. A tile is a part of the queries of a
//! sequence, or some whole sequences. The data between these stages never crosses the border of the chip. Queries may
//! come from DRAM instead, and results may go there. While the parts that follow work on one tile, attention works on
//! the next, and the queries of the one after that are computed: each stage has room of its own, and the cycles that
//! they need of array, lanes and memories add up. During the first tiles and the last, fewer stages work.
//!
//! Every tile needs all keys and values. So these are in DRAM or on the chip before, or are computed again for every
//! tile. Where they come from DRAM to stay, those of one head stay while it is computed, if a tile holds all queries of
//! its sequences; else those of all heads stay. Where they are computed again, the weights of all heads stay, or those
//! of one head are loaded when it is computed, in every tile; inputs that stay are read by the queries, too. Schedules
//! in which keys stay while queries stream past, and those with unfused scores, have no block.

use super::account::{Account, Busy, Cause, Moved, Tensor, account_of, fits};
use super::linear::{Held, Part, Run, TiledRun};
use super::machine::Machine;
use super::movement::Movement;
use super::problem::Problem;
use super::schedule::{Fusion, KeysHeld, Schedule, sizes};
use super::search::{Total, tile_sizes};
use super::transformer::Step;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Attention and the parts that run together with it, tile of tokens by tile of tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// The run that computes queries, with its costs alone, where it writes them to DRAM. `None`: queries come from
    /// DRAM.
    pub queries: Option<Run>,
    /// Attention with its costs alone in such tiles, where its queries come from DRAM and its results go there.
    pub attention: Account,
    /// The parts that follow, with their costs alone, where they read these results from DRAM. `None`: the results go
    /// to DRAM.
    pub parts: Option<Run>,
    /// Whether the weights that compute queries, keys and values in the block stay on the chip.
    pub weights_before_stay: bool,
    /// Tokens in a tile.
    pub tile: u64,
    /// Number of tiles.
    pub tiles: u64,
    /// Phases one after the other, each with the work of all stages in it: more and more stages have a tile, then
    /// fewer.
    pub phases: Vec<Busy>,
    /// Bits from DRAM and to it.
    pub dram: Moved,
    /// Energy by cause, pJ, in the order of [`Cause::ALL`].
    pub energy: [f64; 5],
    /// Bits needed on the chip: of queries, scores, results and rows of tokens, and of keys, values and weights.
    pub needed_bits: [u64; 2],
}

impl Block {
    /// The parts around attention.
    pub fn runs(&self) -> impl Iterator<Item = &Run> {
        self.queries.iter().chain(&self.parts)
    }

    /// Energy, pJ.
    pub fn energy_pj(&self) -> f64 {
        self.energy.iter().sum()
    }

    /// Sum over the phases, which run one after the other. A phase lasts as long as its busiest part.
    pub fn latency_cycles(&self) -> u64 {
        self.phases.iter().map(Busy::cycles).sum()
    }

    /// Bits read from DRAM plus bits written to it.
    pub const fn dram_bits(&self) -> u64 {
        self.dram.read + self.dram.written
    }

    /// Bits of weights among those read from DRAM.
    pub fn weight_bits(&self) -> u64 {
        let of_keys = self.attention.dram[Tensor::Weights as usize].read;
        of_keys + self.runs().map(|run| run.weight_bits).sum::<u64>()
    }

    /// Multiply-accumulates.
    pub fn macs(&self) -> u64 {
        self.attention.macs + self.runs().map(|run| run.macs).sum::<u64>()
    }

    /// Name of the busiest part in the longest phase.
    pub fn bound_by(&self) -> &'static str {
        self.phases.iter().max_by_key(|phase| phase.cycles()).map_or("", Busy::bound_by)
    }

    /// Its schedule, for which [`BlockProblem::account`] returns this block.
    pub fn schedule(&self) -> BlockSchedule {
        let attention = self.attention.schedule;
        BlockSchedule {
            tile: TokenTile { sequences: self.tile / attention.queries, queries: attention.queries },
            has_queries: self.queries.is_some(),
            parts: self.parts.as_ref().map_or(0, |run| run.parts.len()),
            weights_before_stay: self.weights_before_stay,
            weights_behind_stay: self.parts.as_ref().is_some_and(|run| run.resident),
            attention,
        }
    }

    /// The parts in it, in their order: `queries`, `attention`, `output projection`.
    pub fn names(&self) -> Vec<&str> {
        let before = self.queries.iter().flat_map(|run| &run.parts).map(String::as_str);
        let behind = self.parts.iter().flat_map(|run| &run.parts).map(String::as_str);
        before.chain(["attention"]).chain(behind).collect()
    }
}

/// The size of a tile of tokens; more than one sequence only with all their queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenTile {
    /// Number of sequences; more than one only if the tile has all their queries.
    pub sequences: u64,
    /// Queries of each sequence.
    pub queries: u64,
}

impl TokenTile {
    /// Product of sequences and queries: the rows of the linear layers around attention.
    pub const fn tokens(&self) -> u64 {
        self.sequences * self.queries
    }

    /// The tiles of all tokens of a step: numbers of tiles, with their size in tokens.
    pub fn all(&self, step: &Step) -> Vec<(u64, u64)> {
        if self.queries < step.tokens {
            return sizes(step.tokens, self.queries).map(|(count, size)| (count * step.batch, size)).collect();
        }
        sizes(step.batch, self.sequences).map(|(count, size)| (count, size * step.tokens)).collect()
    }

    /// Number of tiles.
    pub(super) fn count(&self, step: &Step) -> u64 {
        self.all(step).iter().map(|(count, _)| count).sum()
    }

    /// The tiles that are tried: the sizes that attention tries along queries, and every number of tiles of whole
    /// sequences.
    pub(super) fn tried(step: &Step, machine: &Machine) -> Vec<Self> {
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

/// Attention and the parts around it, for which the best block is searched.
#[derive(Clone, Copy)]
pub struct BlockProblem<'a> {
    /// The parts that compute its queries; empty where no parts compute only queries.
    pub queries: &'a [Part],
    /// The attention of all heads, with its sizes and precisions.
    pub attention: &'a Problem,
    /// The parts that follow it.
    pub chain: &'a [Part],
    /// The step whose tokens are divided into tiles.
    pub step: &'a Step,
    /// The core.
    pub machine: &'a Machine,
}

/// How a [`Block`] runs: the tile of tokens, the parts that run with attention, and the weights that stay on the chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockSchedule {
    /// Tokens in a tile.
    pub tile: TokenTile,
    /// Whether queries are computed in the block.
    pub has_queries: bool,
    /// Number of parts that follow attention and run together with it.
    pub parts: usize,
    /// Whether the weights that compute queries, keys and values stay on the chip.
    pub weights_before_stay: bool,
    /// Whether the weights of the parts that follow stay on the chip.
    pub weights_behind_stay: bool,
    /// The schedule of attention; its queries are those of the tile.
    pub attention: Schedule,
}

impl BlockProblem<'_> {
    pub(super) fn runs<'b>(&'b self, schedule: &BlockSchedule, ranges: &'b [Range<usize>; 2]) -> [TiledRun<'b>; 2] {
        let [queries, parts] = ranges;
        let run = |chain, run, weights| {
            let held = Held { weights, states: true };
            TiledRun { chain, run, step: self.step, tile: schedule.tile.tokens(), held }
        };
        [run(self.queries, queries, schedule.weights_before_stay), run(self.chain, parts, schedule.weights_behind_stay)]
    }

    /// The ranges of both chains that are in a block.
    pub(super) const fn ranges(&self, schedule: &BlockSchedule) -> [Range<usize>; 2] {
        [0..if schedule.has_queries { self.queries.len() } else { 0 }, 0..schedule.parts]
    }

    /// Whether the part that follows attention reads its results alone, and attention reads the computed queries alone.
    pub fn is_joined(&self) -> bool {
        let [reads, passes] = self.chain.first().map_or([0; 2], |first| [first.reads(), first.passes()]);
        let shape = &self.attention.shape;
        let queries = self.queries.last().map_or(0, Part::writes);
        let has_all_queries = self.queries.is_empty() || queries == shape.heads * shape.depth;
        has_all_queries && reads == shape.heads * shape.value_depth && passes == 0 && shape.queries == self.step.tokens
    }

    /// Bits that no longer cross the border of the chip in a block: queries (a write and a read), inputs that stay (a
    /// read by the queries) and results (a write and a read).
    pub(super) fn saved(&self, schedule: &BlockSchedule) -> Saved {
        let (shape, bits) = (&self.attention.shape, self.attention.bits.activations);
        let all = |channels: u64| self.step.batch * self.step.tokens * channels * bits;
        let inputs_stay = schedule.has_queries && schedule.attention.held == KeysHeld::InputsStay;
        Saved {
            queries: if schedule.has_queries { all(shape.heads * shape.depth) } else { 0 },
            inputs: all(self.queries.first().filter(|_| inputs_stay).map_or(0, Part::reads)),
            results: if schedule.parts > 0 { all(shape.heads * shape.value_depth) } else { 0 },
        }
    }

    /// Number of loads of the weights that compute keys and values, those of one head of keys each time.
    pub(super) fn weight_loads(&self, schedule: &BlockSchedule) -> u64 {
        let heads = self.attention.shape.key_heads;
        if schedule.weights_before_stay {
            return heads;
        }
        // Where inputs stay, the sequences of a tile are computed one after the other, each with all its heads.
        let whole = schedule.tile.queries == self.step.tokens;
        let turns = if whole && schedule.attention.held == KeysHeld::InputsStay {
            self.step.batch
        } else {
            schedule.tile.count(self.step)
        };
        heads * turns
    }

    /// Bits that a block needs on the chip; `None` if they cannot be counted.
    pub(super) fn needed_bits(&self, schedule: &BlockSchedule) -> Option<[u64; 2]> {
        let BlockSchedule { tile, attention, .. } = schedule;
        let (bits, shape) = (&self.attention.bits, &self.attention.shape);
        let of_heads = |depth: u64| tile.tokens() * shape.heads * depth * bits.activations;
        let [own, keys] = attention.needed_bits(self.attention);
        let keys = match attention.held {
            // All heads are computed in every tile.
            KeysHeld::Resident if tile.queries < self.step.tokens => keys.checked_mul(shape.key_heads)?,
            held if held.is_recomputed() && schedule.weights_before_stay => {
                let channels = self.attention.source.map_or(0, |source| source.channels);
                let weights = channels * shape.pair_depth() * bits.weights;
                keys.checked_add(weights.checked_mul(shape.key_heads - 1)?)?
            }
            _ => keys,
        };
        let mut needed = [own, keys];
        let mut add = |[rows, weights]: [u64; 2]| {
            needed = [needed[0].checked_add(rows)?, needed[1].checked_add(weights)?];
            Some(())
        };
        let ranges = self.ranges(schedule);
        let [queries, parts] = self.runs(schedule, &ranges);
        if schedule.has_queries {
            add(queries.needed_bits(bits, self.machine)?)?;
            // Queries of all heads, including those that attention is computing; those of the next tile, which a
            // product writes column by column.
            let rows = of_heads(shape.depth) - attention.rows() * shape.depth * bits.activations;
            let next = self.queries.last().filter(|last| last.product().is_some());
            add([rows + next.map_or(0, |_| of_heads(shape.depth)), 0])?;
        }
        if schedule.parts > 0 {
            add(parts.needed_bits(bits, self.machine)?)?;
            add([of_heads(shape.value_depth), 0])?;
        }
        Some(needed)
    }

    /// The costs of a block; `None` if it does not fit, or no block has such a schedule of attention or these parts.
    pub fn account(&self, schedule: &BlockSchedule) -> Option<Block> {
        let BlockSchedule { tile, has_queries, parts, attention, .. } = schedule;
        let is_of_block = matches!(attention.fusion, Fusion::Rows(_) | Fusion::QueriesStay)
            && attention.queries == tile.queries
            && (*has_queries || *parts > 0)
            && !(*has_queries && self.queries.is_empty());
        if !is_of_block || !self.is_joined() {
            return None;
        }
        let needed_bits = self.needed_bits(schedule).filter(|needed| fits(self.machine, *needed))?;
        let movement = Movement { problem: self.attention, machine: self.machine, schedule: attention };
        let attention = account_of(&movement, Some(self.weight_loads(schedule)))?;
        let tiles = tile.all(self.step);
        let ranges = self.ranges(schedule);
        let [queries, parts] = self.runs(schedule, &ranges).map(|run| {
            let has_parts = !run.run.is_empty();
            has_parts.then(|| run.cost(&tiles, &self.attention.bits, self.machine))
        });
        let (queries, parts) =
            (queries.map_or(Some(None), |run| run.map(Some))?, parts.map_or(Some(None), |run| run.map(Some))?);
        Some(self.sum(schedule, queries, attention, parts, needed_bits))
    }

    fn sum(
        &self,
        schedule: &BlockSchedule,
        queries: Option<Run>,
        attention: Account,
        parts: Option<Run>,
        needed_bits: [u64; 2],
    ) -> Block {
        let dram = &self.machine.dram;
        let saved = self.saved(schedule);
        let moved = attention.dram.iter().fold(Moved::default(), |all, next| all.and(*next));
        let stages = saved.stages([
            queries.as_ref().map(|run| (run.busy, run.dram)),
            Some((attention.phases[0], moved)),
            parts.as_ref().map(|run| (run.busy, run.dram)),
        ]);
        let busy = stages.iter().map(|(busy, moved)| Busy { dram: dram.cycles(moved.read, moved.written), ..*busy });
        let tiles = schedule.tile.count(self.step);
        let busy: Vec<Busy> = busy.collect();
        let phase = |shares: Vec<Range<u64>>| {
            let each = busy.iter().zip(shares).map(|(all, share)| all.map(|cycles| part(cycles, &share, tiles)));
            each.fold(Busy::default(), |all, next| all.and(&next))
        };
        let mut energy = attention.energy;
        for run in queries.iter().chain(&parts) {
            energy.iter_mut().zip(run.energy).for_each(|(all, more)| *all += more);
        }
        energy[Cause::Dram as usize] = stages.iter().map(|(_, moved)| dram.energy_pj(moved.read, moved.written)).sum();
        Block {
            phases: phases(stages.len() as u64, tiles).into_iter().map(phase).collect(),
            dram: stages.iter().fold(Moved::default(), |all, (_, moved)| all.and(*moved)),
            queries,
            attention,
            parts,
            weights_before_stay: schedule.weights_before_stay,
            tile: schedule.tile.tokens(),
            tiles,
            energy,
            needed_bits,
        }
    }
}

/// Bits that no longer cross the border of the chip.
#[derive(Debug, Clone, Copy)]
pub(super) struct Saved {
    /// Not written after queries are computed, nor read by attention.
    pub(super) queries: u64,
    /// Not read where queries are computed.
    pub(super) inputs: u64,
    /// Not written by attention, nor read by the parts that follow.
    pub(super) results: u64,
}

impl Saved {
    /// Busy times and traffic of queries, attention and the parts that follow, as far as there are any, without data
    /// that no longer crosses the border.
    pub(super) fn stages(&self, stages: [Option<(Busy, Moved)>; 3]) -> Vec<(Busy, Moved)> {
        let less = [
            Moved { read: self.inputs, written: self.queries },
            Moved { read: self.queries, written: self.results },
            Moved { read: self.results, written: 0 },
        ];
        let without = |(stage, less): (Option<(Busy, Moved)>, Moved)| {
            let (busy, moved) = stage?;
            Some((busy, Moved { read: moved.read - less.read, written: moved.written - less.written }))
        };
        stages.into_iter().zip(less).filter_map(without).collect()
    }
}

/// Phases of a pipeline of stages, each of which takes tile after tile, when the stage before it has finished the tile:
/// for every phase, the range of tiles that each stage takes.
pub(super) fn phases(stages: u64, tiles: u64) -> Vec<Vec<Range<u64>>> {
    let mut bounds: Vec<u64> = (0..stages).flat_map(|stage| [stage, stage + tiles]).collect();
    bounds.sort_unstable();
    bounds.dedup();
    let of = |stage: u64, slot: u64| slot.saturating_sub(stage).min(tiles);
    bounds.windows(2).map(|slots| (0..stages).map(|stage| of(stage, slots[0])..of(stage, slots[1])).collect()).collect()
}

/// The cycles of a range of tiles, out of those of `tiles` equal ones.
fn part(cycles: u64, share: &Range<u64>, tiles: u64) -> u64 {
    let until = |tile: u64| (u128::from(cycles) * u128::from(tile)).div_ceil(u128::from(tiles.max(1)));
    u64::try_from(until(share.end) - until(share.start)).unwrap_or(cycles)
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
