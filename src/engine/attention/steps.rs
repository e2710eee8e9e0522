//! The steps of a schedule of attention: which tile of queries meets which tile of keys in each step, and the traffic
//! and work of each.
//!
//! Steps are those of one head of keys of one sequence, with all query heads that share it; the others are equal. Where
//! queries stay, or rows of scores, tiles of keys are the inner loop; where keys stay, tiles of queries are. A step has
//! its part of the account of the schedule (`movement.rs`), so that all steps together, times the number of heads and
//! sequences, are the account. The parts of a block before and after attention are steps of a tile of tokens
//! (`block_steps.rs`).

use super::account::{Account, Work, account};
use super::block::Block;
use super::block_steps::Around;
use super::cascade::VectorStep;
use super::machine::Machine;
use super::movement::{Flow, Ledger, Movement, Place};
use super::problem::Problem;
use super::schedule::{Fusion, KeysHeld, QueryTiles, Schedule};
use super::{Busy, Cascade, Tensor};
use crate::spec::Diagnostics;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Limit on the number of steps that are listed.
pub const MOST_STEPS: u64 = 1 << 20;

/// The work of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Stage {
    /// All of a tile of queries and a tile of keys: scores, the softmax in one pass, and values.
    All,
    /// Scores of a tile of queries and a tile of keys.
    Scores,
    /// The softmax of whole rows.
    Softmax,
    /// The probabilities of a tile of queries and a tile of keys times the values.
    Values,
    /// The queries of a tile of tokens, all heads: in a block.
    Queries,
    /// The load of the weights that compute keys and values of one head: in a block where they are loaded for every
    /// tile of tokens.
    Weights,
    /// The parts that follow attention, for a tile of tokens: in a block.
    Behind,
}

impl Stage {
    /// Whether it is a step of attention, of one head; else it belongs to the parts of a block around it.
    pub const fn is_attention(self) -> bool {
        matches!(self, Self::All | Self::Scores | Self::Softmax | Self::Values)
    }
}

/// Tiles of tokens of so many sequences each, through all tiles of queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pass {
    /// Sequences in a tile of tokens; without a block, which has no such tiles, one.
    pub sequences: u64,
    /// Number of times that a layer does it.
    pub times: u64,
}

/// A step and its place in the schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttentionTraceStep {
    /// The work of the step.
    pub stage: Stage,
    /// Index of the pass through the tiles of queries.
    pub pass: usize,
    /// Index of the tile of queries.
    pub tile: usize,
    /// Index of the tile of query heads.
    pub head_tile: u64,
    /// Index of the tile of keys, from the first that the tile of queries meets.
    pub visit: u64,
    /// Tiles of keys that the tile of queries meets.
    pub visits: u64,
    /// Its keys: from the first up to, but without, the second.
    pub keys: (u64, u64),
}

/// A tile of queries of one head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryTile {
    /// Its first query.
    pub query: u64,
    /// Number of queries.
    pub size: u64,
    /// The first key that it meets.
    pub key: u64,
    /// Keys that it meets.
    pub keys: u64,
}

/// The operations of one step of the cascade on the vector unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneStep {
    /// Number of times that its operations are done.
    pub iterations: u64,
    /// Operations, of all kinds.
    pub operations: u64,
    /// Cycles in which the lanes compute it.
    pub cycles: u64,
}

/// Traffic and work of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepWork {
    /// Data that moves, each tensor once between two places.
    pub flows: Vec<Flow>,
    /// Steps of lanes, by their names in the papers.
    pub lanes: Vec<(String, LaneStep)>,
    /// Multiply-accumulates, those of keys and values that are computed again included.
    pub macs: u64,
    /// Multiply-accumulates of keys and values that are computed again.
    pub weight_macs: u64,
    /// Operations of lanes, in the order of [`crate::workload::Operation::ALL`].
    pub operations: [u64; 5],
    /// Cycles in which each part of the core is busy.
    pub busy: Busy,
    /// Energy by cause, pJ, in the order of [`super::Cause::ALL`].
    pub energy: [f64; 5],
    /// Energy of each flow, pJ: of reading it and of writing it.
    pub flow_energy: Vec<f64>,
}

/// Steps that move and compute the same amounts, counted together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AlikeSteps {
    /// Their work.
    pub stage: Stage,
    /// Number of times that a layer does such a step: all heads, sequences and tiles of tokens.
    pub times: u64,
    /// Traffic and work of each of them.
    pub work: StepWork,
}

/// The steps of a schedule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttentionSteps {
    /// The attention that is computed.
    pub problem: Problem,
    /// Costs of attention, all heads and sequences.
    pub account: Account,
    /// The block that contains it, if any; its queries or its results then stay on the chip.
    pub block: Option<Block>,
    /// Passes through the tiles of queries, one after the other.
    pub passes: Vec<Pass>,
    /// Tiles of queries of a head, in their order.
    pub tiles: Vec<QueryTile>,
    /// Loads that happen once, in addition to all steps, for all heads and sequences: weights and inputs that stay.
    pub once: StepWork,
    /// Where keys stay, the range of the tiles of queries that meet each tile of keys.
    meeting: Vec<(usize, usize)>,
    /// The number of the first step of each tile of the outer loop; in the end the number of steps of a pass.
    starts: Vec<u64>,
    /// Runs of steps that are alike: the number of the step after the run, and the index of their work.
    runs: Vec<(u64, u32)>,
    works: Vec<AlikeSteps>,
}

/// The figures that determine the traffic and the work of a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Alike {
    stage: Stage,
    /// Queries of all heads of a tile; around attention, tokens.
    rows: u64,
    /// Keys of the tile.
    tile: u64,
    /// Keys that are loaded, or computed again, where not all are.
    new_keys: u64,
    is_first: bool,
    is_last: bool,
    /// Of a whole row: number of keys, and of tiles of keys.
    row: (u64, u64),
}

/// Lists the steps of a schedule of attention alone.
///
/// # Errors
///
/// It does not fit on the chip, or has more than [`MOST_STEPS`] steps.
pub fn follow(problem: &Problem, machine: &Machine, schedule: &Schedule) -> Result<AttentionSteps, Diagnostics> {
    check_tiles(problem, schedule)?;
    let account = account(problem, machine, schedule).ok_or_else(does_not_fit)?;
    AttentionSteps::new(&Movement { problem, machine, schedule }, account, None)
}

fn refused(reason: String, remedy: &str) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    diagnostics.add("schedule", reason, remedy);
    diagnostics
}

pub(super) fn does_not_fit() -> Diagnostics {
    refused("A schedule with these tiles does not fit on the chip".to_owned(), "Take smaller tiles")
}

fn check_steps(steps: u64) -> Result<(), Diagnostics> {
    if steps <= MOST_STEPS {
        return Ok(());
    }
    let reason =
        format!("With these tiles there are {steps} steps or more, and no more than {MOST_STEPS} are followed");
    Err(refused(reason, "Take larger tiles"))
}

/// Refuses a schedule with so many tiles that listing them takes too long.
pub(super) fn check_tiles(problem: &Problem, schedule: &Schedule) -> Result<(), Diagnostics> {
    let shape = &problem.shape;
    check_steps(shape.queries.div_ceil(schedule.queries.max(1)).max(shape.keys.div_ceil(schedule.keys.max(1))))
}

impl AttentionSteps {
    /// The steps of a schedule whose account is known, in a block or alone.
    pub(super) fn new(
        movement: &Movement<'_>,
        account: Account,
        around: Option<(&Around<'_>, Block)>,
    ) -> Result<Self, Diagnostics> {
        let Movement { problem, schedule, .. } = *movement;
        let mut tiles = Vec::new();
        for QueryTiles { count, size, first, keys } in schedule.query_tiles(problem) {
            for _ in 0..count {
                let query = tiles.last().map_or(0, |tile: &QueryTile| tile.query + tile.size);
                tiles.push(QueryTile { query, size, key: first, keys });
            }
        }
        let (around, block) = around.unzip();
        let mut steps = Self {
            problem: *problem,
            account,
            block,
            passes: around
                .map_or_else(|| vec![Pass { sequences: 1, times: problem.shape.batch }], |around| around.passes()),
            once: StepWork::of(movement, Stays::default(), |book| match around {
                Some(around) => around.once(movement, book),
                None => movement.once(book, movement.weight_loads()),
            }),
            tiles,
            meeting: Vec::new(),
            starts: vec![0],
            runs: Vec::new(),
            works: Vec::new(),
        };
        steps.lay_out();
        check_steps(steps.count())?;
        steps.fill(movement, around);
        Ok(steps)
    }
}

impl AttentionSteps {
    /// The schedule whose steps these are.
    pub const fn schedule(&self) -> &Schedule {
        &self.account.schedule
    }

    /// Number of all steps.
    pub fn count(&self) -> u64 {
        self.of_pass().saturating_mul(self.passes.len() as u64)
    }

    /// Number of steps of a pass.
    fn of_pass(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Stages of a block for a tile of tokens before attention.
    fn before(&self) -> impl Iterator<Item = Stage> {
        let block = self.block.as_ref();
        let queries = block.filter(|block| block.queries.is_some()).map(|_| Stage::Queries);
        let weights = block.filter(|block| block.loads_weights_of_keys()).map(|_| Stage::Weights);
        queries.into_iter().chain(weights)
    }

    /// The stage of a block after attention.
    fn behind(&self) -> Option<Stage> {
        self.block.as_ref()?.parts.as_ref().map(|_| Stage::Behind)
    }

    /// Number of times that a layer does a step: for all heads of keys and all sequences, or for all tiles of tokens of
    /// a pass.
    pub fn times(&self, step: &AttentionTraceStep) -> u64 {
        let Some(Pass { sequences, times }) = self.passes.get(step.pass).copied() else { return 0 };
        let heads = self.problem.shape.key_heads;
        match step.stage {
            Stage::Queries | Stage::Behind => times,
            // Where inputs stay, the sequences of a tile are computed one after the other; else those of one head are.
            Stage::Weights if self.account.schedule.held == KeysHeld::InputsStay => heads * sequences * times,
            Stage::Weights => heads * times,
            Stage::All | Stage::Scores | Stage::Softmax | Stage::Values => heads * sequences * times,
        }
    }

    /// Number of tiles of query heads.
    pub const fn head_tiles(&self) -> u64 {
        self.problem.group() / self.account.schedule.heads
    }

    const fn keys_stay(&self) -> bool {
        matches!(self.account.schedule.fusion, Fusion::KeysStay)
    }

    /// Number of tiles of keys that a tile of queries meets.
    fn visits(&self, tile: &QueryTile) -> u64 {
        let size = self.account.schedule.keys;
        if self.keys_stay() {
            return (tile.key + tile.keys - 1) / size - tile.key / size + 1;
        }
        tile.keys.div_ceil(size)
    }

    /// Numbers the steps of each tile of the outer loop.
    fn lay_out(&mut self) {
        let heads = self.head_tiles();
        let visits = |steps: &Self| -> Vec<u64> { steps.tiles.iter().map(|tile| heads * steps.visits(tile)).collect() };
        let of_each: Vec<u64> = match self.account.schedule.fusion {
            Fusion::QueriesStay => visits(self),
            Fusion::Rows(_) => visits(self).into_iter().map(|visits| 2 * visits + heads).collect(),
            Fusion::None => {
                let visits = visits(self);
                [&visits[..], &vec![heads; visits.len()], &visits].concat()
            }
            Fusion::KeysStay => {
                let size = self.account.schedule.keys;
                let grid = 0..self.problem.shape.keys.div_ceil(size);
                let meets = |at: u64| {
                    let (from, to) = (at * size, (at + 1) * size);
                    let first = self.tiles.partition_point(|tile| tile.key + tile.keys <= from);
                    (first, self.tiles.partition_point(|tile| tile.key < to).max(first))
                };
                self.meeting = grid.map(meets).collect();
                self.meeting.iter().map(|(first, end)| heads * (end - first) as u64).collect()
            }
        };
        let around = (self.before().count() + self.behind().iter().count()) as u64;
        for steps in of_each {
            let before = self.of_pass();
            self.starts.push(before.saturating_add(steps + around));
        }
    }

    fn fill(&mut self, movement: &Movement<'_>, around: Option<&Around<'_>>) {
        let mut known: HashMap<Alike, u32> = HashMap::new();
        for number in 0..self.count() {
            let Some(step) = self.step(number) else { return };
            let alike = self.alike(&step);
            let id = *known.entry(alike).or_insert_with(|| {
                self.works.push(AlikeSteps { stage: step.stage, times: 0, work: alike.work(movement, around) });
                (self.works.len() - 1) as u32
            });
            let times = self.times(&step);
            self.works[id as usize].times += times;
            match self.runs.last_mut() {
                Some((end, last)) if *last == id => *end += 1,
                _ => self.runs.push((number + 1, id)),
            }
        }
    }

    /// A step by its number.
    pub fn step(&self, number: u64) -> Option<AttentionTraceStep> {
        if number >= self.count() {
            return None;
        }
        let (pass, number) = ((number / self.of_pass()) as usize, number % self.of_pass());
        let outer = self.starts.partition_point(|start| *start <= number) - 1;
        let inner = number - self.starts[outer];
        let (size, heads) = (self.account.schedule.keys, self.head_tiles());
        if self.keys_stay() {
            let tile = self.meeting[outer].0 + (inner / heads) as usize;
            let of = self.tiles[tile];
            let from = outer as u64 * size;
            return Some(AttentionTraceStep {
                stage: Stage::All,
                pass,
                tile,
                head_tile: inner % heads,
                visit: outer as u64 - of.key / size,
                visits: self.visits(&of),
                keys: (from.max(of.key), (from + size).min(of.key + of.keys)),
            });
        }
        let tile = outer % self.tiles.len();
        let of = self.tiles[tile];
        let around =
            |stage, key| AttentionTraceStep { stage, pass, tile, head_tile: 0, visit: 0, visits: 1, keys: (key, key) };
        if let Some(stage) = self.before().nth(inner as usize) {
            return Some(around(stage, of.key));
        }
        if let Some(stage) = self.behind().filter(|_| number + 1 == self.starts[outer + 1]) {
            return Some(around(stage, of.key + of.keys));
        }
        let inner = inner - self.before().count() as u64;
        let visits = self.visits(&of);
        let (stage, head_tile, visit) = match self.account.schedule.fusion {
            Fusion::None => match outer / self.tiles.len() {
                0 => (Stage::Scores, inner / visits, inner % visits),
                1 => (Stage::Softmax, inner, 0),
                _ => (Stage::Values, inner / visits, inner % visits),
            },
            Fusion::Rows(_) => {
                let of_head = 2 * visits + 1;
                match (inner / of_head, inner % of_head) {
                    (head, at) if at < visits => (Stage::Scores, head, at),
                    (head, at) if at == visits => (Stage::Softmax, head, 0),
                    (head, at) => (Stage::Values, head, at - visits - 1),
                }
            }
            Fusion::QueriesStay | Fusion::KeysStay => (Stage::All, inner / visits, inner % visits),
        };
        let keys = match stage {
            Stage::Softmax => (of.key, of.key + of.keys),
            _ => (of.key + visit * size, of.key + ((visit + 1) * size).min(of.keys)),
        };
        Some(AttentionTraceStep { stage, pass, tile, head_tile, visit, visits, keys })
    }

    /// The number of the step of a pass in which a tile of queries meets a key, in this stage and for this tile of
    /// heads; for stages of whole rows or around attention, the step of that stage.
    pub fn number_at(&self, pass: usize, tile: usize, key: u64, stage: Stage, head_tile: u64) -> Option<u64> {
        let first = self.passes.get(pass).map(|_| pass as u64 * self.of_pass())?;
        Some(first + self.number_in_pass(tile, key, stage, head_tile)?)
    }

    fn number_in_pass(&self, tile: usize, key: u64, stage: Stage, head_tile: u64) -> Option<u64> {
        let of = self.tiles.get(tile)?;
        let (size, heads) = (self.account.schedule.keys, self.head_tiles());
        let key = key.clamp(of.key, of.key + of.keys - 1);
        let (visit, visits) = ((key - of.key) / size, self.visits(of));
        let start = |outer: usize| self.starts.get(outer).copied();
        if let Some(at) = self.before().position(|other| other == stage) {
            return Some(start(tile)? + at as u64);
        }
        if self.behind() == Some(stage) {
            return Some(start(tile + 1)? - 1);
        }
        let before = self.before().count() as u64;
        match self.account.schedule.fusion {
            Fusion::KeysStay => {
                let outer = (key / size) as usize;
                let first = self.meeting.get(outer)?.0;
                Some(start(outer)? + (tile.checked_sub(first)? as u64) * heads + head_tile)
            }
            Fusion::QueriesStay => Some(start(tile)? + before + head_tile * visits + visit),
            Fusion::Rows(_) => {
                let at = match stage {
                    Stage::Softmax => visits,
                    Stage::Values => visits + 1 + visit,
                    _ => visit,
                };
                Some(start(tile)? + before + head_tile * (2 * visits + 1) + at)
            }
            Fusion::None => match stage {
                Stage::Softmax => Some(start(self.tiles.len() + tile)? + head_tile),
                Stage::Values => Some(start(2 * self.tiles.len() + tile)? + head_tile * visits + visit),
                _ => Some(start(tile)? + head_tile * visits + visit),
            },
        }
    }

    /// Traffic and work of a step.
    pub fn work(&self, number: u64) -> Option<&StepWork> {
        let run = self.runs.partition_point(|(end, _)| *end <= number);
        Some(&self.works.get(self.runs.get(run)?.1 as usize)?.work)
    }

    /// Energy of attention in a layer, or of the block that it is in, pJ.
    pub fn energy_pj(&self) -> f64 {
        self.block.as_ref().map_or_else(|| self.account.energy_pj(), Block::energy_pj)
    }

    /// All steps, grouped by those that are alike.
    pub fn works(&self) -> &[AlikeSteps] {
        &self.works
    }

    /// Bits of a tensor to and from DRAM in a layer: in all steps, and in the loads that happen once.
    pub fn dram_bits(&self, tensor: Tensor) -> u64 {
        let steps = self.works.iter().map(|steps| steps.times * steps.work.dram_bits(tensor));
        steps.sum::<u64>() + self.once.dram_bits(tensor)
    }

    fn alike(&self, step: &AttentionTraceStep) -> Alike {
        let schedule = self.account.schedule;
        let of = self.tiles[step.tile];
        let (from, to) = step.keys;
        let is_first_head = step.head_tile == 0;
        let new_keys = if self.keys_stay() {
            // A tile of keys is loaded as a whole, with the first tile of queries that meets it.
            let at = from / schedule.keys;
            let is_first = self.meeting.get(at as usize).is_some_and(|(first, _)| *first == step.tile);
            let whole = schedule.keys.min(self.problem.shape.keys - at * schedule.keys);
            if is_first && is_first_head { whole } else { 0 }
        } else if schedule.held == KeysHeld::Resident && is_first_head {
            // Keys that an earlier tile of queries has met are on the chip.
            let seen = step.tile.checked_sub(1).map_or(0, |before| self.tiles[before].key + self.tiles[before].keys);
            to.saturating_sub(from.max(seen))
        } else {
            0
        };
        if !step.stage.is_attention() {
            let tokens = of.size * self.passes.get(step.pass).map_or(0, |pass| pass.sequences);
            let row = (0, 0);
            return Alike { stage: step.stage, rows: tokens, tile: 0, new_keys: 0, is_first: true, is_last: true, row };
        }
        let is_row = step.stage == Stage::Softmax;
        Alike {
            stage: step.stage,
            rows: of.size * schedule.heads,
            tile: if is_row { 0 } else { to - from },
            new_keys,
            is_first: step.visit == 0,
            is_last: step.visit + 1 == step.visits,
            row: if is_row { (of.keys, step.visits) } else { (0, step.visits.min(2)) },
        }
    }
}

impl Alike {
    fn work(&self, movement: &Movement<'_>, around: Option<&Around<'_>>) -> StepWork {
        let stays = around.filter(|_| self.stage.is_attention()).map_or_else(Stays::default, |around| around.stays());
        StepWork::of(movement, stays, |book| match (self.stage, around) {
            (Stage::All, _) => self.all(movement, book),
            (Stage::Scores, _) => self.scores(movement, book),
            (Stage::Softmax, _) => self.softmax(movement, book),
            (Stage::Values, _) => self.values(movement, book),
            (Stage::Queries | Stage::Weights | Stage::Behind, around) => {
                around.iter().for_each(|around| around.tell(movement, self.stage, self.rows, book));
            }
        })
    }

    fn all(&self, movement: &Movement<'_>, book: &mut Book) {
        let (shape, rows) = (&movement.problem.shape, self.rows);
        if movement.schedule.fusion == Fusion::KeysStay {
            let running = rows * (shape.value_depth + 2);
            self.come_new(movement, book, movement.pairs());
            movement.load(book, 1, Tensor::Queries, rows * shape.depth);
            movement.load(book, u64::from(!self.is_first), Tensor::Running, running);
            movement.store(book, u64::from(!self.is_last), Tensor::Running, running);
        } else {
            movement.load(book, u64::from(self.is_first), Tensor::Queries, rows * shape.depth);
            self.come(movement, book, movement.pairs());
        }
        movement.query_key(book, 1, rows, self.tile);
        movement.softmax(book, 1, &Cascade::OnePass.of_tile(rows, self.tile, shape.value_depth));
        movement.with_values(book, 1, rows, self.tile, false);
        if self.is_last {
            movement.softmax(book, 1, &Cascade::OnePass.of_row(rows, 0, 0, shape.value_depth));
            movement.store(book, 1, Tensor::Output, rows * shape.value_depth);
        }
    }

    fn scores(&self, movement: &Movement<'_>, book: &mut Book) {
        let (shape, rows) = (&movement.problem.shape, self.rows);
        movement.load(book, u64::from(self.is_first), Tensor::Queries, rows * shape.depth);
        self.come(movement, book, &[Tensor::Keys]);
        movement.query_key(book, 1, rows, self.tile);
        match movement.schedule.fusion {
            Fusion::None => movement.store(book, 1, Tensor::Scores, rows * self.tile),
            fusion => movement.softmax(book, 1, &fusion.cascade().of_tile(rows, self.tile, shape.value_depth)),
        }
    }

    fn softmax(&self, movement: &Movement<'_>, book: &mut Book) {
        let (rows, (keys, visits)) = (self.rows, self.row);
        let is_unfused = movement.schedule.fusion == Fusion::None;
        let through_dram = u64::from(is_unfused);
        let visits = if is_unfused { 1 } else { visits };
        let steps = movement.schedule.fusion.cascade().of_row(rows, keys, visits, movement.problem.shape.value_depth);
        movement.load(book, through_dram, Tensor::Scores, rows * keys);
        movement.softmax(book, 1, &steps);
        movement.store(book, through_dram, Tensor::Scores, rows * keys);
    }

    fn values(&self, movement: &Movement<'_>, book: &mut Book) {
        let (shape, rows) = (&movement.problem.shape, self.rows);
        let is_unfused = movement.schedule.fusion == Fusion::None;
        movement.load(book, u64::from(is_unfused), Tensor::Scores, rows * self.tile);
        // Where values are parts of keys, those of a single tile of keys are still on the chip.
        let are_there = shape.values_in_keys && !is_unfused && self.row.1 == 1;
        let were_loaded = shape.values_in_keys && !is_unfused && movement.schedule.held == KeysHeld::Resident;
        if !are_there && !were_loaded {
            self.come(movement, book, &[Tensor::Values]);
        }
        movement.with_values(book, 1, rows, self.tile, !self.is_first);
        if self.is_last {
            movement.store(book, 1, Tensor::Output, rows * shape.value_depth);
        }
    }

    /// Loads the tile of keys, for a tile of queries.
    fn come(&self, movement: &Movement<'_>, book: &mut Book, tensors: &[Tensor]) {
        match movement.schedule.held {
            KeysHeld::Resident => self.come_new(movement, book, tensors),
            KeysHeld::Kept => {}
            KeysHeld::Streamed => {
                tensors
                    .iter()
                    .for_each(|&tensor| movement.load(book, 1, tensor, self.tile * movement.depth_of(tensor)));
            }
            KeysHeld::Recomputed | KeysHeld::InputsStay => movement.recompute(book, 1, tensors, self.tile),
        }
    }

    /// Loads the keys that stay and are not on the chip yet.
    fn come_new(&self, movement: &Movement<'_>, book: &mut Book, tensors: &[Tensor]) {
        if self.new_keys == 0 || movement.schedule.held == KeysHeld::Kept {
            return;
        }
        if movement.schedule.held.is_recomputed() {
            return movement.recompute(book, 1, tensors, self.new_keys);
        }
        tensors.iter().for_each(|&tensor| movement.load(book, 1, tensor, self.new_keys * movement.depth_of(tensor)));
    }
}

/// Data that stays on the chip in a block, and that attention alone reads from DRAM or writes there.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stays {
    pub(super) queries: bool,
    pub(super) results: bool,
}

impl Stays {
    /// A flow without the part that a block saves: the read of queries is counted in the stage that computes them, the
    /// write of results in the stage that reads them.
    fn left_of(self, flow: Flow) -> Flow {
        match (flow.tensor, flow.from, flow.to) {
            (Tensor::Queries, Place::Dram, _) if self.queries => {
                Flow { from: Place::Activations, read_bits: 0, ..flow }
            }
            (Tensor::Output, _, Place::Dram) if self.results => {
                Flow { to: Place::Activations, written_bits: 0, ..flow }
            }
            _ => flow,
        }
    }
}

/// A ledger that lists the traffic and the work of a step.
#[derive(Default)]
pub(super) struct Book {
    stays: Stays,
    sums: Work,
    flows: Vec<Flow>,
    lanes: Vec<(String, LaneStep)>,
}

impl Ledger for Book {
    fn moved(&mut self, flow: Flow) {
        let flow = self.stays.left_of(flow);
        self.sums.moved(flow);
        if flow.read_bits + flow.written_bits == 0 {
            return;
        }
        let key = |flow: &Flow| (flow.tensor, flow.from, flow.to);
        match self.flows.iter_mut().find(|other| key(other) == key(&flow)) {
            Some(other) => {
                other.read_bits += flow.read_bits;
                other.written_bits += flow.written_bits;
            }
            None => self.flows.push(flow),
        }
    }

    fn multiplied(&mut self, macs: u64, cycles: u64, of_weights: bool) {
        self.sums.multiplied(macs, cycles, of_weights);
    }

    fn lanes(&mut self, times: u64, step: &VectorStep, cycles: u64) {
        self.sums.lanes(times, step, cycles);
        let operations = step.operations.iter().map(|(_, count)| count).sum::<u64>();
        let iterations = times * step.iterations;
        let more = LaneStep { iterations, operations: iterations * operations, cycles: times * cycles };
        match self.lanes.iter_mut().find(|(name, _)| name == step.name) {
            Some((_, all)) => {
                all.iterations += more.iterations;
                all.operations += more.operations;
                all.cycles += more.cycles;
            }
            None => self.lanes.push((step.name.to_owned(), more)),
        }
    }
}

impl StepWork {
    fn of(movement: &Movement<'_>, stays: Stays, tell: impl FnOnce(&mut Book)) -> Self {
        let mut book = Book { stays, ..Book::default() };
        tell(&mut book);
        let Book { sums, flows, lanes, .. } = book;
        let flow_energy = flows.iter().map(|flow| {
            let mut alone = Work::default();
            alone.moved(*flow);
            movement.energy(&alone).iter().sum()
        });
        Self {
            flow_energy: flow_energy.collect(),
            macs: sums.macs,
            weight_macs: sums.weight_macs,
            operations: sums.operations,
            busy: movement.busy(&sums),
            energy: movement.energy(&sums),
            flows,
            lanes,
        }
    }

    /// Energy, pJ.
    pub fn energy_pj(&self) -> f64 {
        self.energy.iter().sum()
    }

    /// Bits of a tensor to and from DRAM.
    pub fn dram_bits(&self, tensor: Tensor) -> u64 {
        let crossing = |flow: &Flow| {
            let read = if flow.from == Place::Dram { flow.read_bits } else { 0 };
            read + if flow.to == Place::Dram { flow.written_bits } else { 0 }
        };
        self.flows.iter().filter(|flow| flow.tensor == tensor).map(crossing).sum()
    }

    /// Operations of lanes, of all kinds.
    pub fn lane_operations(&self) -> u64 {
        self.operations.iter().sum()
    }
}
