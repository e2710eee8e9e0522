//! A whole model on a core: one layer is scheduled, the others are equal. Generation, with a cache.

use super::account::{Account, Tensor};
use super::block::{Block, BlockProblem};
use super::block_search::{BestBlock, RunsBefore, best_block};
use super::key_store::{KeyStore, does_not_fit};
use super::linear::{Part, Run, best_runs};
use super::machine::Machine;
use super::schedule::Fusion;
use super::search::{Found, Total, search};
use super::transformer::{Step, TransformerWork};
use super::{ElementBits, Problem};
use crate::search::Objective;
use crate::spec::Diagnostics;
use crate::ties;
use crate::transformer::Transformer;
use serde::{Deserialize, Serialize};

/// The scheduled attention of a layer in one step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttentionPart {
    /// The attention to be computed.
    pub problem: Problem,
    /// The best schedule of every kind.
    pub found: Found,
    /// The best of these, together with the parts before it: attention may compute keys and values itself.
    pub best: Account,
    /// The other kinds of schedules whose best is equally good.
    pub tied: Vec<Fusion>,
}

/// The schedule of a layer of a model in one step: the parts before attention, attention, the parts after it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayerSchedule {
    /// The norm, queries, keys and values, computed from one reading of the input, and their rotary embedding; a whole
    /// state-space block.
    pub before: Vec<Run>,
    /// Attention alone; `None`: a state-space block has none.
    pub attention: Option<AttentionPart>,
    /// Attention with parts around it, in place of all of them; `None`: that is no better, or there is no such block.
    pub block: Option<Block>,
    /// Number of blocks that were priced; all others are proved to be no better.
    pub blocks_priced: u64,
    /// The place of keys and values, and the bits that they take on the chip.
    pub keys_in: (KeyStore, u64),
    /// Costs of all layers with keys and values in each of the possible places; `None` where they, or a part, do not
    /// fit.
    pub stores: Vec<(KeyStore, Option<StepCost>)>,
    /// The output projection, the feed-forward part, and the norm and sums between, without those in the block.
    pub after: Vec<Run>,
    /// Steps that are not counted, as there are no lanes, each with its operations; empty where there are lanes.
    pub uncounted: Vec<(String, u64)>,
    /// Number of equal layers.
    pub layers: u64,
}

/// Costs of one step of a whole transformer.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct StepCost {
    /// Cycles, of all layers.
    pub latency_cycles: u64,
    /// Energy, pJ, in the order of [`super::Cause::ALL`].
    pub energy: [f64; 5],
    /// Bits read from DRAM plus bits written to it, all layers.
    pub dram_bits: u64,
    /// Bits of weights among those read from DRAM.
    pub weight_bits: u64,
    /// Multiply-accumulates.
    pub macs: u64,
}

impl StepCost {
    /// The costs of both, one after the other.
    fn and(self, next: Self) -> Self {
        Self {
            latency_cycles: self.latency_cycles + next.latency_cycles,
            energy: std::array::from_fn(|at| self.energy[at] + next.energy[at]),
            dram_bits: self.dram_bits + next.dram_bits,
            weight_bits: self.weight_bits + next.weight_bits,
            macs: self.macs + next.macs,
        }
    }

    /// Energy, pJ.
    pub fn energy_pj(&self) -> f64 {
        self.energy.iter().sum()
    }
}

/// The parts that are counted: without lanes, those of lanes are not.
fn counted(chain: &[Part], machine: &Machine) -> Vec<Part> {
    let has_place = |part: &&Part| machine.lanes.is_some() || !matches!(part, Part::Lanes(_));
    chain.iter().filter(has_place).copied().collect()
}

/// A chain that computes keys and values, and moves them to their place.
fn stored_in(store: KeyStore, model: &Transformer, bits: ElementBits, chain: Vec<Part>) -> Vec<Part> {
    match store {
        // With the same precision as all results, they are written with these.
        KeyStore::Dram if bits.keys == bits.activations || !model.has_own_keys() => chain,
        KeyStore::Dram => model.keeping_keys(chain, false, true),
        KeyStore::Layer => model.keeping_keys(chain, true, model.causal),
        KeyStore::Cache => model.keeping_keys(chain, true, false),
    }
}

impl From<&StepCost> for Total {
    fn from(cost: &StepCost) -> Self {
        let (cycles, dram_bits) = (cost.latency_cycles as f64, cost.dram_bits as f64);
        Self { energy_pj: cost.energy_pj(), cycles, dram_bits }
    }
}

impl From<&LayerSchedule> for Total {
    fn from(layer: &LayerSchedule) -> Self {
        Self::from(&layer.cost())
    }
}

impl From<&Run> for StepCost {
    fn from(run: &Run) -> Self {
        Self {
            latency_cycles: run.busy.cycles(),
            energy: run.energy,
            dram_bits: run.dram_bits(),
            weight_bits: run.weight_bits,
            macs: run.macs,
        }
    }
}

/// Schedules one layer of a transformer: the parts before attention, attention and the parts after it one after the
/// other, or attention in a block with some parts around it, if that is better; with keys and values in DRAM or on the
/// chip, whichever is best.
///
/// # Errors
///
/// Those of [`Transformer::check`] and [`Problem::check`], or a part that does not fit on the chip however small its
/// tiles.
pub fn schedule_layer(
    model: &Transformer,
    step: &Step,
    bits: ElementBits,
    machine: &Machine,
    objective: &Objective,
) -> Result<LayerSchedule, Diagnostics> {
    let stores: Vec<KeyStore> = KeyStore::of(model, step).collect();
    LayerProblem { model, step, bits, machine, objective }.schedule(&stores, 0)
}

/// One layer of a model in one step, to be scheduled on a core.
#[derive(Clone, Copy)]
pub(super) struct LayerProblem<'a> {
    pub model: &'a Transformer,
    pub step: &'a Step,
    pub bits: ElementBits,
    pub machine: &'a Machine,
    pub objective: &'a Objective,
}

impl LayerProblem<'_> {
    fn check(&self) -> Result<(), Diagnostics> {
        self.model.check()?;
        self.model.check_step(self.step)
    }

    /// The best runs of a chain; `None`: it does not fit.
    fn runs(&self, chain: &[Part], step: &Step) -> Option<Vec<Run>> {
        best_runs(&counted(chain, self.machine), step, &self.bits, self.machine, self.objective)
    }

    /// The best runs of the parts before attention that computes no keys or values again, and of the parts after it.
    ///
    /// # Errors
    ///
    /// Those of [`Transformer::check`], or a part that does not fit on the chip.
    pub fn runs_beside(&self, store: KeyStore) -> Result<[Vec<Run>; 2], Diagnostics> {
        self.check()?;
        let Self { model, step, bits, .. } = *self;
        let runs =
            |chain: &[Part], step: &Step| self.runs(chain, step).ok_or_else(|| does_not_fit("A part beside attention"));
        let [before, after] = model.parts();
        let mut before = runs(&stored_in(store, model, bits, before), step)?;
        if let Some((product, problem)) = model.keys_of_latents().zip(model.attention(step, bits)) {
            before.extend(runs(&[Part::Product(product)], &Step { tokens: problem.shape.keys, ..*step })?);
        }
        Ok([before, runs(&after, step)?])
    }

    /// The best schedule with keys and values in one of these places, where a cache has at most so many tokens of each
    /// sequence.
    ///
    /// # Errors
    ///
    /// As [`schedule_layer`].
    pub fn schedule(&self, stores: &[KeyStore], most_tokens: u64) -> Result<LayerSchedule, Diagnostics> {
        self.check()?;
        let mut tried = Vec::new();
        let figures = |total: Total| total.figures(self.objective, self.machine);
        let best = KeyStore::best(stores.iter().copied(), figures, |store| {
            let layer = self.schedule_in(store, most_tokens);
            tried.push((store, layer.as_ref().ok().map(LayerSchedule::cost)));
            layer
        })?;
        Ok(LayerSchedule { stores: tried, ..best })
    }

    /// The best schedule with keys and values in this place.
    fn schedule_in(&self, store: KeyStore, most_tokens: u64) -> Result<LayerSchedule, Diagnostics> {
        let room = store.room(self.model, self.step, self.bits, most_tokens);
        let left = room.and_then(|room| Some((room, self.machine.with_less_room(room)?)));
        let (room, machine) = left.ok_or_else(|| does_not_fit("What is kept of keys and values"))?;
        LayerProblem { machine: &machine, ..*self }.schedule_beside((store, room))
    }

    /// The best schedule with keys and values in this place, on the core without the bits that these take.
    fn schedule_beside(&self, keys_in: (KeyStore, u64)) -> Result<LayerSchedule, Diagnostics> {
        let Self { model, step, bits, machine, objective } = *self;
        let store = keys_in.0;
        let problem = model.attention(step, bits).map(|problem| store.attention(&problem));
        if let Some(problem) = &problem {
            problem.check()?;
        } else if machine.lanes.is_none() {
            let mut diagnostics = Diagnostics::default();
            let reason =
                "The convolution and the scan of a state-space block take a vector unit, and the core has none";
            diagnostics.add("hardware.vector_unit", reason, "Take hardware with a vector unit, such as `fusemax-like`");
            return Err(diagnostics);
        }
        let [before, after] = self.runs_beside(store)?;
        let mut layer = LayerSchedule {
            before,
            attention: None,
            block: None,
            blocks_priced: 0,
            keys_in,
            stores: Vec::new(),
            after,
            uncounted: Vec::new(),
            layers: model.layers,
        };
        let Some(problem) = problem else { return Ok(layer) };
        let found = search(&problem, machine, objective);
        let stored = found.best(objective, machine).copied();
        let before = RunsBefore::of(self, store, &layer.before);
        let [recomputed, _] = &before.recomputed;
        // Keys and values that attention computes need not be computed before it.
        let kinds = [stored.map(|stored| (stored, &layer.before)), found.recomputed.zip(recomputed.as_ref())];
        let figures = |(best, before): &(Account, &Vec<Run>)| {
            (Run::total(before).and(best.into()).figures(objective, machine), ())
        };
        let best = ties::best(kinds.into_iter().flatten(), figures);
        let (best, apart) = best.ok_or_else(|| does_not_fit("Attention"))?;
        let total = Run::total(apart).and((&best).into()).and(Run::total(&layer.after));
        let [queries, chain] = parts_around(model, machine);
        let blocks = BlockProblem { queries: &queries, attention: &problem, chain: &chain, step, machine };
        let (block, priced) = best_block(&blocks, objective, &before, &total);
        (layer.before, layer.block, layer.after) = match block {
            Some(BestBlock { before, block, after }) => (before, Some(block), after),
            None => (apart.clone(), None, layer.after),
        };
        layer.blocks_priced = priced;
        if machine.lanes.is_none() {
            layer.uncounted = uncounted(model, step, layer.block.as_ref(), &best);
        }
        let tied =
            if best.schedule.held.is_recomputed() { Vec::new() } else { found.as_good_as(&best, objective, machine) };
        layer.attention = Some(AttentionPart { problem, found, best, tied });
        Ok(layer)
    }
}

impl RunsBefore {
    /// The runs before a block of a layer; those in `stored` are before attention that computes no keys or values
    /// again.
    fn of(layer: &LayerProblem, store: KeyStore, stored: &[Run]) -> Self {
        let model = layer.model;
        let runs = |chain: &[Part]| layer.runs(chain, layer.step);
        let keys = model.parts_of_keys().and_then(|parts| runs(&stored_in(store, model, layer.bits, parts)));
        let stored = [Some(stored.to_vec()), keys];
        // A decoder caches its keys and values, so that they are always computed before attention.
        let queries = model.parts_of_queries().filter(|_| !model.causal);
        let recomputed = queries.map(|queries| [runs(&queries), Some(Vec::new())]);
        Self { recomputed: recomputed.unwrap_or_else(|| stored.clone()), stored }
    }
}

/// The parts of a layer around attention that a machine computes and a block may contain: those that compute queries
/// alone, and those after attention.
pub fn parts_around(model: &Transformer, machine: &Machine) -> [Vec<Part>; 2] {
    let [_, after] = model.parts();
    [model.parts_of_queries().unwrap_or_default(), after].map(|chain| counted(&chain, machine))
}

/// Operations of lanes in a layer, by their step; `best` is its attention where there is no block.
fn uncounted(model: &Transformer, step: &Step, block: Option<&Block>, best: &Account) -> Vec<(String, u64)> {
    let attention = block.map_or(best, |block| &block.attention);
    let is_recomputed = attention.schedule.held.is_recomputed();
    let [all, after] = model.parts();
    let [queries, keys] = [model.parts_of_queries(), model.parts_of_keys()].map(Option::unwrap_or_default);
    let before = match (block.is_some_and(|block| block.queries.is_some()), is_recomputed) {
        (false, false) => all,
        (false, true) => model.parts_before_recomputing(),
        (true, true) if !model.causal => queries,
        (true, _) => [keys, queries].concat(),
    };
    let tokens = step.batch * step.tokens;
    let within = if attention.schedule.held.is_recomputed() { "softmax, what makes keys" } else { "softmax" };
    let mut all = vec![(within.to_owned(), attention.operations.iter().sum())];
    for part in [before, after].concat() {
        let Part::Lanes(step) = part else { continue };
        match all.iter_mut().find(|(name, _)| name == step.name()) {
            Some((_, count)) => *count += step.operations(tokens),
            None => all.push((step.name().to_owned(), step.operations(tokens))),
        }
    }
    all
}

impl LayerSchedule {
    /// The parts of a layer, one after the other, with their costs.
    pub fn pieces(&self) -> impl Iterator<Item = StepCost> + '_ {
        let of_attention = |AttentionPart { best, .. }: &AttentionPart| StepCost {
            latency_cycles: best.latency_cycles(),
            energy: best.energy,
            dram_bits: best.dram_bits(),
            weight_bits: best.dram[Tensor::Weights as usize].read,
            macs: best.macs,
        };
        let of_block = |block: &Block| StepCost {
            latency_cycles: block.latency_cycles(),
            energy: block.energy,
            dram_bits: block.dram_bits(),
            weight_bits: block.weight_bits(),
            macs: block.macs(),
        };
        let block = self.block.as_ref().map(of_block);
        let middle = block.or_else(|| self.attention.as_ref().map(of_attention));
        self.before.iter().map(StepCost::from).chain(middle).chain(self.after.iter().map(StepCost::from))
    }

    /// Cost of one layer times the number of layers.
    pub fn cost(&self) -> StepCost {
        let cost = self.pieces().fold(StepCost::default(), StepCost::and);
        StepCost {
            latency_cycles: cost.latency_cycles * self.layers,
            energy: cost.energy.map(|energy| energy * self.layers as f64),
            dram_bits: cost.dram_bits * self.layers,
            weight_bits: cost.weight_bits * self.layers,
            macs: cost.macs * self.layers,
        }
    }
}

/// Limit on the chunks in which a prompt is read.
pub const MOST_CHUNKS: u64 = 256;

/// The sequences to be generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sequences {
    /// Sequences at a time.
    pub batch: u64,
    /// Tokens of the prompt of each.
    pub prompt: u64,
    /// Tokens of the prompt that are read at a time; `None` for all.
    pub chunk: Option<u64>,
    /// Tokens that are generated after the prompt.
    pub generated: u64,
}

impl Sequences {
    /// The number of chunks of the prompt, and the tokens of each but the last.
    ///
    /// # Errors
    /// A chunk of no tokens, or more than [`MOST_CHUNKS`] chunks.
    pub fn chunks(&self) -> Result<(u64, u64), Diagnostics> {
        let chunk = self.chunk.unwrap_or(self.prompt);
        match self.prompt.checked_next_multiple_of(chunk).map(|end| end / chunk) {
            Some(chunks) if chunks <= MOST_CHUNKS => Ok((chunks, chunk)),
            _ => {
                let mut diagnostics = Diagnostics::default();
                let reason = format!("A prompt of {} tokens in chunks of {chunk}", self.prompt);
                diagnostics.add("chunk", reason, format!("Write at least {}", self.prompt.div_ceil(MOST_CHUNKS)));
                Err(diagnostics)
            }
        }
    }
}

/// Generation: a prompt is read, whole or chunk by chunk, then tokens follow one after the other, each with a longer
/// cache.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// The generated sequences.
    pub sequences: Sequences,
    /// Reading the prompt, all chunks; it ends with the first generated token.
    pub prefill: StepCost,
    /// The first, the middle and the last of the generated tokens: number of cached tokens, and costs.
    pub tokens: Vec<(u64, StepCost)>,
    /// Bytes of weights of all layers.
    pub weight_bytes: f64,
    /// Bytes of the cache of all layers at the end.
    pub cache_bytes: f64,
    /// Whether the cache is on the chip, from the first token to the last; else it is in DRAM.
    pub cache_on_chip: bool,
    /// Number of layers, each with its part of the cache.
    pub layers: u64,
    /// Bytes of the memory of keys and values on the chip.
    pub chip_bytes: f64,
    /// Multiply-accumulates of the full array in a cycle.
    pub peak_macs: u64,
    /// Bandwidth of DRAM, bytes per cycle.
    pub dram_bytes_per_cycle: f64,
}

/// Prices generation.
///
/// # Errors
///
/// As [`schedule_layer`] and [`Sequences::chunks`].
pub fn generate(
    model: &Transformer,
    sequences: &Sequences,
    bits: ElementBits,
    machine: &Machine,
    objective: &Objective,
) -> Result<Generation, Diagnostics> {
    let Sequences { batch, prompt, generated, .. } = *sequences;
    let (chunks, chunk) = sequences.chunks()?;
    let last = prompt + generated.max(1) - 1;
    let mut middle = vec![prompt, prompt.midpoint(last), last];
    middle.dedup();
    // Caches are in DRAM, or on the chip from the first token to the last, whichever is better for the typical token.
    let of = |cache_on_chip: bool| -> Result<(StepCost, Vec<(u64, StepCost)>), Diagnostics> {
        let cost = |step: &Step| {
            let stores = KeyStore::of(model, step).filter(|store| (*store == KeyStore::Cache) == cache_on_chip);
            let stores: Vec<KeyStore> = stores.collect();
            let problem = LayerProblem { model, step, bits, machine, objective };
            Ok(problem.schedule(&stores, last + 1)?.cost())
        };
        let chunks = (0..chunks).map(|at| {
            let cached = at * chunk;
            cost(&Step { cached, ..Step::prefill(batch, chunk.min(prompt - cached)) })
        });
        let chunks: Vec<StepCost> = chunks.collect::<Result<_, Diagnostics>>()?;
        let tokens = middle.iter().map(|&cached| Ok((cached, cost(&Step::decode(batch, cached))?)));
        Ok((chunks.into_iter().fold(StepCost::default(), StepCost::and), tokens.collect::<Result<_, Diagnostics>>()?))
    };
    let has_cache = KeyStore::of(model, &Step::decode(batch, prompt)).any(|store| store == KeyStore::Cache);
    let on_chip = if has_cache { of(true).ok() } else { None };
    let typical = |tokens: &[(u64, StepCost)]| {
        let cost = tokens.get(tokens.len() / 2).map(|(_, cost)| Total::from(cost));
        cost.unwrap_or_default().figures(objective, machine)
    };
    let (cache_on_chip, (prefill, tokens)) = match (of(false), on_chip) {
        (Ok(in_dram), on_chip) => {
            let kinds = [(false, in_dram)].into_iter().chain(on_chip.map(|on_chip| (true, on_chip)));
            ties::best(kinds, |(_, (_, tokens))| (typical(tokens), ())).unwrap_or_default()
        }
        (Err(_), Some(on_chip)) => (true, on_chip),
        (Err(refused), None) => return Err(refused),
    };
    Ok(Generation {
        sequences: *sequences,
        prefill,
        tokens,
        cache_on_chip,
        weight_bytes: (model.layers * model.weights() * bits.weights) as f64 / 8.0,
        cache_bytes: model.cache_bytes(batch, last + 1, bits),
        layers: model.layers,
        chip_bytes: machine.weight_store().size_bits as f64 / 8.0,
        peak_macs: machine.pes,
        dram_bytes_per_cycle: machine.dram.read_width as f64 / 8.0,
    })
}

impl Generation {
    /// Costs of the middle token: the mean, where the costs of steps grow linearly with the cache.
    pub fn typical(&self) -> Option<&StepCost> {
        self.tokens.get(self.tokens.len() / 2).map(|(_, cost)| cost)
    }
}
