//! A schedule of attention in motion: which tile of queries meets which tile of keys in which step, and what each step moves and computes.
//!
//! Steps are those of one head of keys of one sequence, with all query heads that share it; the others are the same. Where queries stay, or
//! rows of scores, tiles of keys are the inner loop; where keys stay, tiles of queries are. A step moves what the account of the schedule
//! has of it (`movement.rs`), so that all steps together, as often as there are heads and sequences, are the account.

use super::account::{Account, Work, account};
use super::cascade::VectorStep;
use super::machine::Machine;
use super::movement::{Flow, Ledger, Movement};
use super::problem::Problem;
use super::schedule::{Fusion, KeysHeld, QueryTiles, Schedule};
use super::{Busy, Cascade, Tensor};
use crate::spec::Diagnostics;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// More steps are not followed.
pub const MOST_STEPS: u64 = 1 << 20;

/// What a step computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Stage {
    /// All of a tile of queries and a tile of keys: scores, the softmax in one pass, and values.
    All,
    /// Scores of a tile of queries and a tile of keys.
    Scores,
    /// The softmax of whole rows.
    Softmax,
    /// The weights of a tile of queries and a tile of keys times the values.
    Values,
}

/// A step: where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MotionStep {
    /// What it computes.
    pub stage: Stage,
    /// The tile of queries, from the first on.
    pub tile: usize,
    /// The tile of query heads, from the first on.
    pub head_tile: u64,
    /// The tile of keys, from the first that the tile of queries meets.
    pub visit: u64,
    /// Tiles of keys that the tile of queries meets.
    pub visits: u64,
    /// Its keys: the first, and the first that is not among them.
    pub keys: (u64, u64),
}

/// A tile of queries of one head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryTile {
    /// Its first query.
    pub query: u64,
    /// Queries.
    pub size: u64,
    /// The first key that it meets.
    pub key: u64,
    /// Keys that it meets.
    pub keys: u64,
}

/// A step of lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneStep {
    /// How often its operations are done.
    pub iterations: u64,
    /// Operations, of all kinds.
    pub operations: u64,
    /// Cycles.
    pub cycles: u64,
}

/// What a step moves and computes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepWork {
    /// What moves, each tensor once between two places.
    pub flows: Vec<Flow>,
    /// What lanes do, by the name of the papers.
    pub lanes: Vec<(String, LaneStep)>,
    /// Multiply-accumulates, those of keys and values that are computed again included.
    pub macs: u64,
    /// Those of keys and values that are computed again.
    pub weight_macs: u64,
    /// Operations of lanes, in the order of [`crate::workload::Operation::ALL`].
    pub operations: [u64; 5],
    /// What is busy how long.
    pub busy: Busy,
    /// Energy by cause, pJ, in the order of [`super::Cause::ALL`].
    pub energy: [f64; 5],
    /// Energy of each flow, pJ: of reading it and of writing it.
    pub flow_energy: Vec<f64>,
}

/// A schedule in motion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttentionMotion {
    /// What is computed.
    pub problem: Problem,
    /// What it costs, all heads and sequences.
    pub account: Account,
    /// Tiles of queries of a head, in their order.
    pub tiles: Vec<QueryTile>,
    /// What comes once, besides all steps, for all heads and sequences: weights, and inputs that stay.
    pub once: StepWork,
    /// Where keys stay, the tiles of queries that meet each tile of keys: the first, and the first that does not.
    meeting: Vec<(usize, usize)>,
    /// The number of the first step of each tile that the outer loop takes, and of all steps.
    starts: Vec<u64>,
    /// Steps that are alike, one after the other: the number behind the last, and which of the works.
    runs: Vec<(u64, u32)>,
    works: Vec<StepWork>,
}

/// What decides what a step moves and computes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Alike {
    stage: Stage,
    rows: u64,
    /// Keys of the tile.
    tile: u64,
    /// Keys that come, or are computed again, where not all do.
    new_keys: u64,
    is_first: bool,
    is_last: bool,
    /// Of a whole row: keys, and tiles of keys.
    row: (u64, u64),
}

/// Follows a schedule.
///
/// # Errors
///
/// It does not fit on the chip, or has more than [`MOST_STEPS`] steps.
pub fn follow(problem: &Problem, machine: &Machine, schedule: &Schedule) -> Result<AttentionMotion, Diagnostics> {
    let refused = |reason: String, remedy: &str| {
        let mut diagnostics = Diagnostics::default();
        diagnostics.add("schedule", reason, remedy);
        diagnostics
    };
    let too_many = |steps: u64| {
        let reason =
            format!("With these tiles there are {steps} steps or more, and no more than {MOST_STEPS} are followed");
        refused(reason, "Take larger tiles")
    };
    let shape = &problem.shape;
    let least = shape.queries.div_ceil(schedule.queries.max(1)).max(shape.keys.div_ceil(schedule.keys.max(1)));
    if least > MOST_STEPS {
        return Err(too_many(least));
    }
    let account = account(problem, machine, schedule).ok_or_else(|| {
        refused("A schedule with these tiles does not fit on the chip".to_owned(), "Take smaller tiles")
    })?;
    let movement = Movement { problem, machine, schedule };
    let groups = schedule.query_tiles(problem);
    let mut tiles = Vec::new();
    for QueryTiles { count, size, first, keys } in groups {
        for _ in 0..count {
            let query = tiles.last().map_or(0, |tile: &QueryTile| tile.query + tile.size);
            tiles.push(QueryTile { query, size, key: first, keys });
        }
    }
    let mut motion = AttentionMotion {
        problem: *problem,
        account,
        once: StepWork::of(&movement, |book| movement.once(book, movement.weight_loads())),
        tiles,
        meeting: Vec::new(),
        starts: vec![0],
        runs: Vec::new(),
        works: Vec::new(),
    };
    motion.lay_out();
    if motion.steps() > MOST_STEPS {
        return Err(too_many(motion.steps()));
    }
    motion.fill(&movement);
    Ok(motion)
}

impl AttentionMotion {
    /// The schedule.
    pub const fn schedule(&self) -> &Schedule {
        &self.account.schedule
    }

    /// How many steps there are.
    pub fn steps(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Tiles of query heads.
    pub const fn head_tiles(&self) -> u64 {
        self.problem.group() / self.account.schedule.heads
    }

    const fn keys_stay(&self) -> bool {
        matches!(self.account.schedule.fusion, Fusion::KeysStay)
    }

    /// Tiles of keys that a tile of queries meets.
    fn visits(&self, tile: &QueryTile) -> u64 {
        let size = self.account.schedule.keys;
        if self.keys_stay() {
            return (tile.key + tile.keys - 1) / size - tile.key / size + 1;
        }
        tile.keys.div_ceil(size)
    }

    /// Steps of each tile that the outer loop takes.
    fn lay_out(&mut self) {
        let heads = self.head_tiles();
        let visits =
            |motion: &Self| -> Vec<u64> { motion.tiles.iter().map(|tile| heads * motion.visits(tile)).collect() };
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
        for steps in of_each {
            let before = self.steps();
            self.starts.push(before.saturating_add(steps));
        }
    }

    fn fill(&mut self, movement: &Movement<'_>) {
        let mut known: HashMap<Alike, u32> = HashMap::new();
        for number in 0..self.steps() {
            let Some(step) = self.step(number) else { return };
            let alike = self.alike(&step);
            let id = *known.entry(alike).or_insert_with(|| {
                self.works.push(alike.work(movement));
                (self.works.len() - 1) as u32
            });
            match self.runs.last_mut() {
                Some((end, last)) if *last == id => *end += 1,
                _ => self.runs.push((number + 1, id)),
            }
        }
    }

    /// A step by its number.
    pub fn step(&self, number: u64) -> Option<MotionStep> {
        if number >= self.steps() {
            return None;
        }
        let outer = self.starts.partition_point(|start| *start <= number) - 1;
        let inner = number - self.starts[outer];
        let (size, heads) = (self.account.schedule.keys, self.head_tiles());
        if self.keys_stay() {
            let tile = self.meeting[outer].0 + (inner / heads) as usize;
            let of = self.tiles[tile];
            let from = outer as u64 * size;
            return Some(MotionStep {
                stage: Stage::All,
                tile,
                head_tile: inner % heads,
                visit: outer as u64 - of.key / size,
                visits: self.visits(&of),
                keys: (from.max(of.key), (from + size).min(of.key + of.keys)),
            });
        }
        let tile = outer % self.tiles.len();
        let of = self.tiles[tile];
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
        Some(MotionStep { stage, tile, head_tile, visit, visits, keys })
    }

    /// The number of the step in which a tile of queries meets a key, in this stage and for this tile of heads; of rows whose softmax is
    /// computed, that.
    pub fn number_at(&self, tile: usize, key: u64, stage: Stage, head_tile: u64) -> Option<u64> {
        let of = self.tiles.get(tile)?;
        let (size, heads) = (self.account.schedule.keys, self.head_tiles());
        let key = key.clamp(of.key, of.key + of.keys - 1);
        let (visit, visits) = ((key - of.key) / size, self.visits(of));
        let start = |outer: usize| self.starts.get(outer).copied();
        match self.account.schedule.fusion {
            Fusion::KeysStay => {
                let outer = (key / size) as usize;
                let first = self.meeting.get(outer)?.0;
                Some(start(outer)? + (tile.checked_sub(first)? as u64) * heads + head_tile)
            }
            Fusion::QueriesStay => Some(start(tile)? + head_tile * visits + visit),
            Fusion::Rows(_) => {
                let at = match stage {
                    Stage::Softmax => visits,
                    Stage::Values => visits + 1 + visit,
                    Stage::Scores | Stage::All => visit,
                };
                Some(start(tile)? + head_tile * (2 * visits + 1) + at)
            }
            Fusion::None => match stage {
                Stage::Softmax => Some(start(self.tiles.len() + tile)? + head_tile),
                Stage::Values => Some(start(2 * self.tiles.len() + tile)? + head_tile * visits + visit),
                Stage::Scores | Stage::All => Some(start(tile)? + head_tile * visits + visit),
            },
        }
    }

    /// What a step moves and computes.
    pub fn work(&self, number: u64) -> Option<&StepWork> {
        let run = self.runs.partition_point(|(end, _)| *end <= number);
        self.works.get(self.runs.get(run)?.1 as usize)
    }

    /// Energy of all steps, pJ.
    pub fn energy_pj(&self) -> f64 {
        (self.account.energy_pj() - self.once.energy_pj()) / self.problem.repeats() as f64
    }

    /// Every work that some step does.
    pub fn works(&self) -> &[StepWork] {
        &self.works
    }

    fn alike(&self, step: &MotionStep) -> Alike {
        let schedule = self.account.schedule;
        let of = self.tiles[step.tile];
        let (from, to) = step.keys;
        let is_first_head = step.head_tile == 0;
        let new_keys = if self.keys_stay() {
            // A tile of keys comes whole, with the first tile of queries that meets it.
            let at = from / schedule.keys;
            let is_first = self.meeting.get(at as usize).is_some_and(|(first, _)| *first == step.tile);
            let whole = schedule.keys.min(self.problem.shape.keys - at * schedule.keys);
            if is_first && is_first_head { whole } else { 0 }
        } else if schedule.held == KeysHeld::Resident && is_first_head {
            // What an earlier tile of queries has met is there.
            let seen = step.tile.checked_sub(1).map_or(0, |before| self.tiles[before].key + self.tiles[before].keys);
            to.saturating_sub(from.max(seen))
        } else {
            0
        };
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
    fn work(&self, movement: &Movement<'_>) -> StepWork {
        StepWork::of(movement, |book| match self.stage {
            Stage::All => self.all(movement, book),
            Stage::Scores => self.scores(movement, book),
            Stage::Softmax => self.softmax(movement, book),
            Stage::Values => self.values(movement, book),
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
        // Where values are parts of keys, those of the only tile of keys are still there.
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

    /// The tile of keys, for a tile of queries.
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

    /// Keys that stay and are not there yet.
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

/// Keeps apart what a step moves and computes.
#[derive(Default)]
struct Book {
    sums: Work,
    flows: Vec<Flow>,
    lanes: Vec<(String, LaneStep)>,
}

impl Ledger for Book {
    fn moved(&mut self, flow: Flow) {
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
    fn of(movement: &Movement<'_>, tell: impl FnOnce(&mut Book)) -> Self {
        let mut book = Book::default();
        tell(&mut book);
        let Book { sums, flows, lanes } = book;
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

    /// Operations of lanes, of all kinds.
    pub fn lane_operations(&self) -> u64 {
        self.operations.iter().sum()
    }
}
