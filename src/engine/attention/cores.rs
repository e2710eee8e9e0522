//! A transformer on several equal cores with one DRAM: the division of its work, and the costs.
//!
//! A [`Split`] divides sequences, heads, tokens and cached keys among the cores that compute a layer together, and
//! layers among groups of such cores, a pipeline. Each core computes a smaller step of a smaller model, which
//! [`super::schedule_layer`] schedules; the transfers between cores are added:
//!
//! - heads: each core has a part of the heads and of the hidden channels (tensor parallelism). Results of the output
//!   projection and of the feed-forward part are sums over these cores, computed by a ring all-reduce: each part is
//!   added up around the ring, then distributed around it.
//! - keys: each core has a part of the keys and values of every head. Queries are distributed around the ring; for
//!   every query the partial results, their maximum and their denominator go around it and are merged, as tiles of keys
//!   are in the one-pass cascade. Projections and the feed-forward part are divided as for heads. A mask gives cores
//!   unequal work, so that keys are divided only where every query sees every key: without a mask, or for one token
//!   with a cache.
//! - queries: each core has neighbouring tokens; under a causal mask the last core has the most keys, and its latency
//!   is that of the layer. Keys and values of earlier tokens come out of DRAM, as cached ones do. Every core reads all
//!   weights.
//! - sequences: each core has some of them. Every core reads all weights.
//!
//! A cache may be in DRAM, or spread over the memories of the cores, each of which keeps the part that it reads: its
//! layers, sequences and heads, or its part of the keys. Keys are then divided by distributing new keys and values
//! around the ring; where queries are divided, cores read each other's keys and values, so that these are in DRAM.
//!
//! Cores that work at the same time have equal parts of the bits per cycle of DRAM, rounded down. Each core can send
//! and receive `link_bits` per cycle at the same time. The parts of a layer and the transfers between them follow each
//! other.

use super::account::{Account, Cause, Moved, Tensor};
use super::cascade::{ADD, DIVIDE, VectorStep, step as lane_step};
use super::key_store::{KeyStore, does_not_fit};
use super::layer::{LayerProblem, StepCost};
use super::machine::{Machine, Store};
use super::schedule::Fusion;
use super::search::{Total, search};
use super::transformer::{Step, TransformerWork};
use super::{Busy, ElementBits, Problem, Shape};
use crate::hardware::check_energy;
use crate::search::Objective;
use crate::spec::Diagnostics;
use crate::ties::Figures;
use crate::transformer::Transformer;
use crate::workload::Operation;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Limit on the number of cores.
pub const MOST_CORES: u64 = 64;

/// Equal cores.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cores {
    /// Number of cores.
    pub count: u64,
    /// Bits that each core sends, and receives, per cycle.
    pub link_bits: u64,
    /// Energy of sending a bit to another core, pJ.
    pub link_pj: f64,
}

/// The number of parts of each dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Split {
    /// Sequences of the batch.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub sequences: u64,
    /// Heads and hidden channels.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub heads: u64,
    /// New tokens.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub queries: u64,
    /// Keys and values.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub keys: u64,
    /// Layers: groups of cores that compute one after the other.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub layers: u64,
}

impl Split {
    /// All on one core.
    pub const ONE: Self = Self { sequences: 1, heads: 1, queries: 1, keys: 1, layers: 1 };

    /// All divisions among exactly so many cores, in the order in which heads are divided first.
    pub fn all(cores: u64) -> Vec<Self> {
        let parts = |of: u64| (1..=of).rev().filter(move |part| of.is_multiple_of(*part));
        let mut all = Vec::new();
        for heads in parts(cores) {
            for queries in parts(cores / heads) {
                for keys in parts(cores / heads / queries) {
                    for sequences in parts(cores / heads / queries / keys) {
                        let layers = cores / heads / queries / keys / sequences;
                        all.push(Self { sequences, heads, queries, keys, layers });
                    }
                }
            }
        }
        all
    }

    /// Names of the dimensions, with their numbers of parts.
    pub const fn parts(&self) -> [(&'static str, u64); 5] {
        [
            ("heads", self.heads),
            ("queries", self.queries),
            ("keys", self.keys),
            ("sequences", self.sequences),
            ("layers", self.layers),
        ]
    }

    /// Number of cores that compute a layer together.
    pub const fn of_layer(&self) -> u64 {
        self.sequences * self.heads * self.queries * self.keys
    }

    /// Number of cores that have work.
    pub const fn cores(&self) -> u64 {
        self.of_layer() * self.layers
    }

    /// Number of cores that divide the weights of a layer.
    const fn of_weights(&self) -> u64 {
        self.heads * self.keys
    }

    /// For people, in words: `heads 4, layers 2`.
    pub fn text(&self) -> String {
        let divided: Vec<String> = (self.parts().iter())
            .filter(|(_, parts)| *parts > 1)
            .map(|(name, parts)| format!("{name} {parts}"))
            .collect();
        if divided.is_empty() { "one core".to_owned() } else { divided.join(", ") }
    }
}

/// Costs of a step on several cores: all layers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SplitCost {
    /// The division of the work.
    pub split: Split,
    /// Cycles of one step alone.
    pub latency_cycles: u64,
    /// Cycles between the ends of two steps where each group of cores works on a step of its own, with a cache of its
    /// own: all caches are on the chip, if that of one step is and all fit, else in DRAM.
    pub interval_cycles: u64,
    /// Energy of all cores, pJ, in the order of [`Cause::ALL`].
    pub energy: [f64; 5],
    /// Energy of the transfers between cores, pJ.
    pub link_pj: f64,
    /// Bits that cores send each other.
    pub link_bits: u64,
    /// Cycles of the latency in which cores send data and add it up.
    pub link_cycles: u64,
    /// Bits read from DRAM plus bits written to it, all cores.
    pub dram_bits: u64,
    /// Multiply-accumulates.
    pub macs: u64,
    /// Bytes of keys and values, all layers, that belong to a core: the largest part.
    pub cache_bytes: f64,
    /// Where keys and values are: a cache on the chip is spread over the memories of the cores.
    pub keys_in: KeyStore,
}

impl From<&SplitCost> for Total {
    fn from(cost: &SplitCost) -> Self {
        let (cycles, dram_bits) = (cost.latency_cycles as f64, cost.dram_bits as f64);
        Self { energy_pj: cost.energy_pj(), cycles, dram_bits }
    }
}

impl SplitCost {
    /// Energy, pJ.
    pub fn energy_pj(&self) -> f64 {
        self.energy.iter().sum::<f64>() + self.link_pj
    }

    /// The score, in the unit of the objective.
    pub fn score(&self, objective: &Objective, machine: &Machine) -> f64 {
        Total::from(self).score(objective, machine)
    }

    /// The figures by which it is compared with others.
    pub fn figures(&self, objective: &Objective, machine: &Machine) -> Figures {
        Total::from(self).figures(objective, machine)
    }
}

/// Costs of a layer on the cores that compute it together.
#[derive(Debug, Clone, Copy, Default)]
struct LayerCost {
    cycles: u64,
    link_cycles: u64,
    energy: [f64; 5],
    link_bits: u64,
    dram_bits: u64,
    macs: u64,
}

/// The costs of a step of a transformer on several cores, with keys and values in the best place.
///
/// # Errors
///
/// The reason why the model or the step cannot be divided so; the errors of [`super::schedule_layer`].
pub fn split_step(
    model: &Transformer,
    step: &Step,
    bits: ElementBits,
    (machine, cores): (&Machine, &Cores),
    split: &Split,
    objective: &Objective,
) -> Result<SplitCost, Diagnostics> {
    check(model, step, cores, split)?;
    let layer = LayerProblem { model, step, bits, machine, objective };
    let stores = KeyStore::of(model, step).filter(|store| store.is_divided_by(split));
    KeyStore::best(
        stores,
        |total| total.figures(objective, machine),
        |store| Division { layer, cores, split, store, steps: 1 }.cost(),
    )
}

impl KeyStore {
    /// Whether cores that divide a step so can have their keys and values in this place.
    const fn is_divided_by(self, split: &Split) -> bool {
        match self {
            Self::Dram => true,
            // Keys and values that one core computes are read by another one.
            Self::Layer => split.queries == 1 && split.keys == 1,
            Self::Cache => split.queries == 1,
        }
    }
}

fn check(model: &Transformer, step: &Step, cores: &Cores, split: &Split) -> Result<(), Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    if cores.count == 0 || cores.count > MOST_CORES {
        let reason = format!("There are {} cores", cores.count);
        diagnostics.add("cores.count", reason, format!("Write 1 to {MOST_CORES}"));
    }
    if cores.link_bits == 0 || cores.link_bits > 1 << 32 {
        let reason = format!("A core sends {} bits a cycle", cores.link_bits);
        diagnostics.add("cores.link_bits", reason, "Write 1 to 4294967296");
    }
    check_energy("cores.link_pj", cores.link_pj, &mut diagnostics);
    let parts = [split.sequences, split.heads, split.queries, split.keys, split.layers];
    let needed = parts.iter().try_fold(1_u64, |all, &part| all.checked_mul(part));
    if parts.contains(&0) || needed.is_none_or(|needed| needed > cores.count) {
        let reason = format!("This takes other than 1 to {} cores", cores.count);
        diagnostics.add("split", reason, "Divide into as many parts as there are cores, or fewer");
    }
    let mut refuse = |dimension: &str, reason: String, remedy: &str| {
        diagnostics.add(format!("split.{dimension}"), reason, remedy);
    };
    for (dimension, parts, all) in [
        ("sequences", split.sequences, step.batch),
        ("queries", split.queries, step.tokens),
        ("layers", split.layers, model.layers),
    ] {
        if parts > all {
            refuse(dimension, format!("Too few {dimension} for {parts} parts: {all}"), "Take fewer parts");
        }
    }
    if split.of_weights() > 1 {
        if model.state_space.is_some() {
            refuse("heads", "A state-space block has no heads".to_owned(), "Divide sequences or layers");
        } else if !model.heads.is_multiple_of(split.of_weights()) {
            let reason = format!("{} query heads do not divide into {} equal parts", model.heads, split.of_weights());
            refuse("heads", reason, "Divide into a divisor of the heads");
        } else if key_heads(model, split.of_weights()).is_none() {
            let reason =
                format!("{} heads of keys are no equal parts of {} cores", model.key_heads, split.of_weights());
            refuse("heads", reason, "Divide into a divisor or a multiple of the heads of keys");
        }
    }
    if model.state_space.is_some() && split.queries > 1 {
        refuse("queries", "In a state-space block a token follows the one before it".to_owned(), "Divide sequences");
    }
    if split.keys > 1 && model.state_space.is_none() {
        if model.causal && step.tokens > 1 {
            refuse("keys", "Under a causal mask cores would have unequal work".to_owned(), "Divide heads or queries");
        } else if model.keys_seen(step) < split.keys {
            refuse("keys", format!("There are {} keys", model.keys_seen(step)), "Take fewer parts");
        } else if model.latent.is_some() {
            refuse("keys", "Keys come out of latents here".to_owned(), "Divide heads or sequences");
        }
    }
    diagnostics.or(())
}

/// Heads of keys that a core has where query heads are divided into so many parts: its own, or one that it has in
/// common with others.
fn key_heads(model: &Transformer, parts: u64) -> Option<u64> {
    match model.key_heads {
        heads if heads.is_multiple_of(parts) => Some(heads / parts),
        heads if parts.is_multiple_of(heads) => Some(1),
        _ => None,
    }
}

/// A model with its heads and hidden channels divided into so many parts: the largest of these.
fn part_of(model: &Transformer, parts: u64) -> Transformer {
    if parts == 1 {
        return model.clone();
    }
    let key_heads = key_heads(model, parts).unwrap_or(model.key_heads);
    Transformer { heads: model.heads / parts, key_heads, hidden: model.hidden.div_ceil(parts), ..model.clone() }
}

/// Numbers and sizes of so many nearly equal parts; the larger ones first.
fn equal_parts(all: u64, parts: u64) -> impl Iterator<Item = (u64, u64)> {
    let (size, larger) = (all / parts, all % parts);
    [(size + 1, larger), (size, parts - larger)].into_iter().filter(|(size, count)| *size > 0 && *count > 0)
}

/// A step that several cores divide, with keys and values in one of their places.
#[derive(Clone, Copy)]
struct Division<'a> {
    /// The problem on one of the cores, with the whole bandwidth of DRAM.
    layer: LayerProblem<'a>,
    cores: &'a Cores,
    split: &'a Split,
    store: KeyStore,
    /// Steps that are computed at a time, each with a cache of its own.
    steps: u64,
}

impl Division<'_> {
    /// Costs of all layers.
    fn cost(&self) -> Result<SplitCost, Diagnostics> {
        let LayerProblem { model, step, bits, machine, .. } = self.layer;
        let split = self.split;
        let of_layers = model.layers.div_ceil(split.layers);
        let layer = |at_once: u64, steps: u64, store: KeyStore| {
            let machine = &machine.sharing_dram(at_once);
            Division { layer: LayerProblem { machine, ..self.layer }, steps, store, ..*self }.of_layer()
        };
        // A single step is in one group of cores at a time.
        let alone = layer(split.of_layer(), 1, self.store)?;
        // Where the caches of all these steps do not fit, they are in DRAM.
        let together = match split.layers {
            1 => alone,
            steps => {
                layer(split.cores(), steps, self.store).or_else(|_| layer(split.cores(), steps, KeyStore::Dram))?
            }
        };
        let all = |each: u64| each * model.layers;
        let cached = model.cache_bytes(step.batch.div_ceil(split.sequences), step.cached + step.tokens, bits);
        let of_heads = split.heads.min(model.key_heads.max(1)) * split.keys;
        let of_layers_share = of_layers as f64 / model.layers as f64;
        Ok(SplitCost {
            split: *split,
            latency_cycles: all(alone.cycles),
            interval_cycles: of_layers * together.cycles,
            energy: alone.energy.map(|energy| energy * model.layers as f64),
            link_pj: all(alone.link_bits) as f64 * self.cores.link_pj,
            link_bits: all(alone.link_bits),
            link_cycles: all(alone.link_cycles),
            dram_bits: all(alone.dram_bits),
            macs: all(alone.macs),
            cache_bytes: cached * of_layers_share / of_heads as f64,
            keys_in: self.store,
        })
    }

    /// A layer on all cores that compute it together: energies add up, and the slowest core determines the latency.
    fn of_layer(&self) -> Result<LayerCost, Diagnostics> {
        let mut all = LayerCost::default();
        let mut known: HashMap<Step, LayerCost> = HashMap::new();
        for (batch, times) in equal_parts(self.layer.step.batch, self.split.sequences) {
            for step in self.steps(batch) {
                let cost = match known.get(&step) {
                    Some(cost) => *cost,
                    None => *known.entry(step).or_insert(self.group(&step)?),
                };
                if cost.cycles > all.cycles {
                    (all.cycles, all.link_cycles) = (cost.cycles, cost.link_cycles);
                }
                for (all, own) in all.energy.iter_mut().zip(cost.energy) {
                    *all += own * times as f64;
                }
                all.link_bits += cost.link_bits * times;
                all.dram_bits += cost.dram_bits * times;
                all.macs += cost.macs * times;
            }
        }
        Ok(all)
    }

    /// The steps of neighbouring tokens, for so many sequences.
    fn steps(&self, batch: u64) -> Vec<Step> {
        let step = self.layer.step;
        let mut before = 0;
        let mut all = Vec::new();
        for (tokens, count) in equal_parts(step.tokens, self.split.queries) {
            for _ in 0..count {
                let cached = match (self.layer.model.causal, step.sees_itself) {
                    _ if self.split.queries == 1 => step.cached,
                    (_, false) => step.cached,
                    (true, true) => step.cached + before,
                    // All tokens see each other.
                    (false, true) => step.cached + step.tokens - tokens,
                };
                all.push(Step { batch, tokens, cached, ..*step });
                before += tokens;
            }
        }
        all
    }

    /// A step on the cores that divide its heads and keys, all of them together.
    fn group(&self, step: &Step) -> Result<LayerCost, Diagnostics> {
        let parts = self.split.of_weights();
        let part = Transformer { layers: self.caches(), ..part_of(self.layer.model, parts) };
        let mut cost = LayerCost::default();
        if self.split.keys == 1 {
            let stores = [self.store];
            let layer = LayerProblem { model: &part, step, ..self.layer }.schedule(&stores, 0)?;
            layer.pieces().for_each(|piece| cost.add(&piece, parts));
        } else {
            let machine = &self.beside_its_keys(step)?;
            let runs = LayerProblem { model: &part, step, machine, ..self.layer }.runs_beside(self.store)?;
            runs.iter().flatten().for_each(|run| cost.add(&run.into(), parts));
            self.attention_over_keys(step, machine, &mut cost)?;
        }
        // The output projection and the feed-forward part are sums over the cores that divide their weights: two of
        // them, each by a ring all-reduce.
        let sums = Ring {
            cores: parts,
            rows: step.batch * step.tokens * self.layer.model.width,
            row_bits: self.layer.bits.sums,
        };
        for _ in 0..2 {
            self.send(&mut cost, &sums, &|rows| vec![lane_step("sum", rows, ADD, 2 * rows, rows)]);
            self.send(&mut cost, &sums, &|_| Vec::new());
        }
        Ok(cost)
    }

    /// Number of caches of which a core has a part: those of its layers, for all steps that are computed at a time.
    const fn caches(&self) -> u64 {
        self.layer.model.layers.div_ceil(self.split.layers) * self.steps
    }

    /// The core without the room for its part of the keys of a cache and for the new keys and values that it computes.
    fn beside_its_keys(&self, step: &Step) -> Result<Machine, Diagnostics> {
        let Split { heads, keys, .. } = *self.split;
        if self.store == KeyStore::Dram {
            return Ok(self.layer.machine.clone());
        }
        let whole = part_of(self.layer.model, heads);
        let of_token = step.batch * whole.cached_channels() * self.layer.bits.keys;
        let cached = whole.window.map_or(step.keys(), |window| step.keys().min(window));
        let kept = self.caches() * cached.div_ceil(keys);
        let room = of_token.checked_mul(kept + step.tokens);
        room.and_then(|room| self.layer.machine.with_less_room(room)).ok_or_else(|| does_not_fit("Attention"))
    }

    /// Attention where the keys of all heads of a part are divided: queries are distributed, partial results are
    /// merged. Where the cache is on the chip, new keys and values are distributed, too, and each core keeps its own.
    fn attention_over_keys(&self, step: &Step, machine: &Machine, cost: &mut LayerCost) -> Result<(), Diagnostics> {
        let Split { heads, keys, .. } = *self.split;
        let whole = part_of(self.layer.model, heads);
        let Some(problem) = whole.attention(step, self.layer.bits) else { return Ok(()) };
        let shape = problem.shape;
        let rows = shape.batch * shape.heads * shape.queries;
        let queries = Ring { cores: keys, rows: rows * shape.depth, row_bits: self.layer.bits.activations };
        self.send(cost, &queries, &|_| Vec::new());
        let keys_on_chip = self.store == KeyStore::Cache;
        // The new keys of a single head are computed by every core.
        if keys_on_chip && whole.key_heads > 1 {
            let new = step.batch * step.tokens * whole.cached_channels();
            let ring = Ring { cores: keys, rows: new, row_bits: self.layer.bits.keys };
            self.send_between(machine.weight_store(), cost, &ring, &|_| Vec::new());
        }
        let mut slowest = 0;
        for (size, count) in equal_parts(shape.keys, keys) {
            let shape = Shape { keys: size, ..shape };
            let part = Problem { shape, causal: false, window: None, source: None, keys_on_chip, ..problem };
            part.check()?;
            let found = search(&part, machine, self.layer.objective);
            let best = found.best(self.layer.objective, machine).ok_or_else(|| does_not_fit("Attention"))?;
            let partial = Partial::of(best, machine, keys);
            slowest = slowest.max(partial.cycles);
            let Partial { energy, dram_bits, .. } = partial;
            let piece = StepCost { energy, dram_bits, macs: best.macs, ..StepCost::default() };
            cost.add(&piece, count * heads);
        }
        cost.cycles += slowest;
        let value = shape.value_depth;
        let merged = |rows: u64| {
            vec![
                lane_step("RM", rows, &[(Operation::Max, 1)], 2 * rows, rows),
                lane_step("PRM", 2 * rows, &[(Operation::Add, 1), (Operation::Exp, 1)], 3 * rows, 2 * rows),
                lane_step("RD", rows, &[(Operation::Multiply, 2), (Operation::Add, 1)], 4 * rows, rows),
                lane_step("share", 2 * rows, DIVIDE, 3 * rows, 2 * rows),
                lane_step(
                    "AV",
                    rows * value,
                    &[(Operation::Multiply, 2), (Operation::Add, 1)],
                    2 * rows * value + 2 * rows,
                    rows * value,
                ),
            ]
        };
        self.send(cost, &Ring { cores: keys, rows, row_bits: (value + 2) * self.layer.bits.sums }, &merged);
        Ok(())
    }

    /// Rows go around a ring, from memory of activations to memory of activations.
    fn send(&self, cost: &mut LayerCost, ring: &Ring, arrives: &dyn Fn(u64) -> Vec<VectorStep>) {
        self.send_between(&self.layer.machine.activations, cost, ring, arrives);
    }

    /// Rows go around a ring between such memories, with the steps of lanes for each part that arrives.
    fn send_between(&self, store: &Store, cost: &mut LayerCost, ring: &Ring, arrives: &dyn Fn(u64) -> Vec<VectorStep>) {
        let groups = self.split.of_weights() / ring.cores.max(1);
        let (machine, bits) = (self.layer.machine, self.layer.bits.sums);
        let mut moved = Moved { read: ring.sent_bits(), written: ring.sent_bits() };
        let mut cycles = ring.cycles(self.cores.link_bits);
        if let Some(unit) = &machine.lanes {
            for one in arrives(ring.largest_part()) {
                let each: u64 =
                    one.operations.iter().map(|(operation, count)| count * unit.cost(*operation).cycles).sum();
                cycles += ring.turns() * one.iterations.div_ceil(unit.lanes()) * each;
            }
            // In every turn all rows are sent.
            for one in arrives(ring.rows) {
                let of = |&(operation, count): &(Operation, u64)| count as f64 * machine.operation_pj(operation);
                let energy: f64 = one.operations.iter().map(of).sum();
                cost.energy[Cause::Lanes as usize] += energy * (ring.turns() * one.iterations * groups) as f64;
                moved.read += ring.turns() * one.reads * bits;
                moved.written += ring.turns() * one.writes * bits;
            }
        }
        cost.energy[Cause::OnChip as usize] += store.energy_pj(moved.read * groups, moved.written * groups);
        cost.link_bits += ring.sent_bits() * groups;
        cost.cycles += cycles;
        cost.link_cycles += cycles;
    }
}

impl LayerCost {
    /// Adds a piece that so many cores compute at the same time.
    fn add(&mut self, piece: &StepCost, cores: u64) {
        self.cycles += piece.latency_cycles;
        for (all, own) in self.energy.iter_mut().zip(piece.energy) {
            *all += own * cores as f64;
        }
        self.dram_bits += piece.dram_bits * cores;
        self.macs += piece.macs * cores;
    }
}

/// Rows that go around a ring of cores, in as many parts as there are cores: in each turn every core sends one part to
/// the next.
struct Ring {
    cores: u64,
    rows: u64,
    row_bits: u64,
}

impl Ring {
    const fn turns(&self) -> u64 {
        self.cores - 1
    }

    /// Rows of the largest part.
    const fn largest_part(&self) -> u64 {
        self.rows.div_ceil(self.cores)
    }

    /// Bits that all cores send.
    const fn sent_bits(&self) -> u64 {
        self.turns() * self.rows * self.row_bits
    }

    const fn cycles(&self, link_bits: u64) -> u64 {
        self.turns() * (self.largest_part() * self.row_bits).div_ceil(link_bits)
    }
}

/// Attention over a part of the keys: its results go to other cores, and only a part of the merged ones to DRAM.
struct Partial {
    cycles: u64,
    energy: [f64; 5],
    dram_bits: u64,
}

impl Partial {
    fn of(best: &Account, machine: &Machine, cores: u64) -> Self {
        let output = best.dram[Tensor::Output as usize].written;
        let kept = output.div_ceil(cores);
        let dram = |write: u64| machine.dram.energy_pj(0, write);
        let mut energy = best.energy;
        energy[Cause::Dram as usize] -= dram(output) - dram(kept);
        let read_last = match best.schedule.fusion {
            Fusion::None => {
                let moved = |tensor: Tensor| best.dram[tensor as usize].read;
                moved(Tensor::Scores) / 2 + moved(Tensor::Values)
            }
            _ => best.dram.iter().map(|moved| moved.read).sum(),
        };
        let written_last = match best.schedule.fusion {
            Fusion::None => output,
            _ => best.dram.iter().map(|moved| moved.written).sum(),
        };
        let last = if best.schedule.fusion == Fusion::None { 2 } else { 0 };
        let mut phases = best.phases;
        phases[last].dram = machine.dram.cycles(read_last, written_last - output + kept);
        Self { cycles: phases.iter().map(Busy::cycles).sum(), energy, dram_bits: best.dram_bits() - output + kept }
    }
}
