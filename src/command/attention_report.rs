//! A transformer on a core as JSON for a program.

use super::Report;
use super::attention::{AttentionReport, DivisionReport, PublishedReport};
use fusescape_engine::attention::published::{Array, Dataflow, Replay};
use fusescape_engine::attention::{
    self as engine, Cause, Compulsory, Cores, ElementBits, Fusion, KeyStore, Schedule, Split, SplitCost, Step,
    StepCost, Tensor,
};
use fusescape_engine::transformer::Transformer;
use fusescape_spec::Diagnostics;
use serde::Serialize;
use serde_json::{Error, Value};
use std::collections::BTreeMap;

impl AttentionReport {
    /// The report as JSON.
    ///
    /// # Errors
    /// If a number is not finite.
    pub fn json(&self) -> Result<Value, Error> {
        let Self { request, study, layer, generation } = self;
        let attention = layer.attention.as_ref();
        let all = attention.map_or(&[][..], |attention| &attention.found.best_of);
        let kind = |(fusion, best): &(Fusion, Option<engine::Account>)| Kind {
            fusion: fusion.name(),
            best: best.as_ref().map(Attention::from),
        };
        let recomputed = attention.and_then(|attention| attention.found.recomputed.as_ref());
        let in_store = |(store, cost): &(KeyStore, Option<StepCost>)| CostWithKeysIn {
            keys_in: *store,
            all_layers: cost.as_ref().map(Cost::from),
        };
        let found = StepFound {
            hardware: &study.machine.name,
            model: &study.model,
            step: request.step,
            bits: request.bits,
            schedules: all.iter().map(kind).collect(),
            recomputed: recomputed.map(Attention::from),
            best: attention.map(|attention| attention.best.schedule.fusion.name()),
            best_recomputes: attention.is_some_and(|attention| attention.best.schedule.held.is_recomputed()),
            as_good: attention.iter().flat_map(|one| &one.tied).map(|fusion| fusion.name()).collect(),
            priced: attention.map_or(0, |attention| attention.found.priced),
            before: layer.before.iter().map(Run::from).collect(),
            blocks_priced: layer.blocks_priced,
            block: layer.block.as_ref().map(Block::from),
            keys_in: layer.keys_in.0,
            keys_on_chip_bits: layer.keys_in.1,
            all_layers_with_keys_in: layer.stores.iter().map(in_store).collect(),
            after: layer.after.iter().map(Run::from).collect(),
            not_counted: layer.uncounted.iter().map(|(name, count)| (field(name), *count)).collect(),
            all_layers: Cost::from(&layer.cost()),
            compulsory_bytes_of_a_layer: study.compulsory(layer),
            generation: generation.as_ref().map(|generation| Generation {
                batch: generation.sequences.batch,
                prompt: generation.sequences.prompt,
                chunk: generation.sequences.chunk,
                prefill: Cost::from(&generation.prefill),
                tokens: generation.tokens.iter().map(Token::from).collect(),
                weight_bytes: generation.weight_bytes,
                cache_bytes: generation.cache_bytes,
                cache_on_chip: generation.cache_on_chip,
                chip_bytes: generation.chip_bytes,
                dram_bytes: study.machine.dram.size_bits as f64 / 8.0,
                peak_macs_per_cycle: generation.peak_macs,
                dram_bytes_per_cycle: generation.dram_bytes_per_cycle,
            }),
        };
        found.json()
    }
}

impl DivisionReport {
    /// The report as JSON.
    ///
    /// # Errors
    /// If a number is not finite.
    pub fn json(&self) -> Result<Value, Error> {
        let refused = |(split, why): &(Split, Diagnostics)| Refused { split: *split, why: why.to_string() };
        let found = DividedFound {
            hardware: &self.core,
            model: &self.model,
            step: self.request.step,
            bits: self.request.bits,
            cores: self.cores,
            one_core: Divided::from(&self.one),
            divided: self.costs.iter().map(Divided::from).collect(),
            not_divided: self.refused.iter().map(refused).collect(),
        };
        found.json()
    }
}

impl PublishedReport {
    /// The report as JSON.
    ///
    /// # Errors
    /// If a number is not finite.
    pub fn json(&self) -> Result<Value, Error> {
        PublishedFound { published: self.replays.iter().map(Published::from).collect() }.json()
    }
}

/// One step of a transformer on a core.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct StepFound<'a> {
    /// Name of the core.
    hardware: &'a str,
    /// The transformer.
    model: &'a Transformer,
    /// What is computed.
    step: Step,
    /// Bits of elements.
    bits: ElementBits,
    /// Attention of one layer: the best schedule of every kind with keys and values in DRAM; none where the model has no attention.
    schedules: Vec<Kind>,
    /// The best schedule of all kinds that compute keys and values again; null where none fits, or there are no inputs to compute them of.
    recomputed: Option<Attention>,
    /// The kind of the best schedule of attention by itself; null: the model has no attention. Where `block` is not null, that is run.
    best: Option<&'static str>,
    /// Whether the best computes keys and values again; then it is `recomputed`, and the best together with what comes before it.
    best_recomputes: bool,
    /// The other kinds whose best schedules score the same.
    as_good: Vec<&'static str>,
    /// Schedules that were priced; the others of the kinds and tiles that are tried are proved not to be better.
    priced: u64,
    /// Parts before attention, of one layer; all parts where there is no attention.
    before: Vec<Run>,
    /// Blocks of attention with parts around it that were priced; the others that are tried are proved not to be better.
    blocks_priced: u64,
    /// Attention in a block with parts around it, of one layer, in the place of all of them; null: that is no better.
    block: Option<Block>,
    /// Where keys and values are: in DRAM; on the chip, those of one layer; on the chip, the cache of all layers.
    keys_in: KeyStore,
    /// Bits that they take there.
    keys_on_chip_bits: u64,
    /// What all layers cost with keys and values in each place that they may have; null: they, or a part, do not fit.
    all_layers_with_keys_in: Vec<CostWithKeysIn>,
    /// Parts after attention, or after its block, of one layer.
    after: Vec<Run>,
    /// Operations of one layer that are not counted, as the core has no vector unit, by what needs them; empty where it has one.
    not_counted: BTreeMap<String, u64>,
    /// Sums over all layers of the step.
    all_layers: Cost,
    /// Bytes that one layer moves at least.
    compulsory_bytes_of_a_layer: Compulsory,
    /// Generation; null without `--generate`.
    generation: Option<Generation>,
}

impl Report for StepFound<'_> {
    const KIND: &'static str = "attention";
}

/// One step of a transformer, divided among several cores.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct DividedFound<'a> {
    /// Name of the core.
    hardware: &'a str,
    /// The transformer.
    model: &'a Transformer,
    /// What is computed.
    step: Step,
    /// Bits of elements.
    bits: ElementBits,
    /// The cores, all equal.
    cores: Cores,
    /// The step on one of the cores.
    one_core: Divided,
    /// The step on all cores, divided in every way, the best first.
    divided: Vec<Divided>,
    /// What cannot be divided so.
    not_divided: Vec<Refused>,
}

impl Report for DividedFound<'_> {
    const KIND: &'static str = "attention";
}

/// The dataflows of the FuseMax artifact.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct PublishedFound {
    /// The dataflows of the FuseMax artifact on its machines.
    published: Vec<Published>,
}

impl Report for PublishedFound {
    const KIND: &'static str = "attention";
}

/// A kind of schedule of attention.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Kind {
    /// The kind of schedule.
    fusion: &'static str,
    /// The best schedule of the kind; null where none fits.
    best: Option<Attention>,
}

/// A schedule of attention, and what it costs: one layer.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Attention {
    /// Tiles, fusion and what stays on chip.
    schedule: Schedule,
    /// Energy of one layer's attention, pJ.
    energy_pj: f64,
    /// Energy by cause, pJ.
    energy_pj_by_cause: Energy,
    /// Whole cycles of the accelerator's clock.
    latency_cycles: u64,
    /// What takes longest.
    bound_by: &'static str,
    /// Bits read from DRAM plus bits written to it, all tensors.
    dram_bits: u64,
    /// Bits to and from DRAM by tensor.
    #[cfg_attr(feature = "schema", schemars(schema_with = "fields::tensors"))]
    dram: BTreeMap<String, Moved>,
    /// Bits needed on the chip: for queries, scores and results, with inputs; for keys and values, with the weights that compute them.
    on_chip_bits: [u64; 2],
    /// Multiply-accumulates that are computed, those of keys and values that are computed again included.
    macs: u64,
    /// Multiply-accumulates of keys and values that are computed again.
    weight_macs: u64,
}

impl From<&engine::Account> for Attention {
    fn from(account: &engine::Account) -> Self {
        let moved = |tensor: Tensor| {
            let moved = account.dram[tensor as usize];
            (field(tensor.name()), Moved { read_bits: moved.read, written_bits: moved.written })
        };
        Self {
            schedule: account.schedule,
            energy_pj: account.energy_pj(),
            energy_pj_by_cause: Energy::from(&account.energy),
            latency_cycles: account.latency_cycles(),
            bound_by: account.bound_by(),
            dram_bits: account.dram_bits(),
            dram: Tensor::ALL.map(moved).into(),
            on_chip_bits: account.needed_bits,
            macs: account.macs,
            weight_macs: account.weight_macs,
        }
    }
}

/// Bits of a tensor.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Moved {
    /// Bits read from DRAM.
    read_bits: u64,
    /// Bits written to DRAM.
    written_bits: u64,
}

/// Energy by cause, pJ.
#[derive(Serialize)]
struct Energy(BTreeMap<String, f64>);

impl From<&[f64; Cause::ALL.len()]> for Energy {
    fn from(energy: &[f64; Cause::ALL.len()]) -> Self {
        Self(Cause::ALL.map(|cause| (field(cause.name()), energy[cause as usize])).into())
    }
}

/// A name as a field: `on_chip_memories`.
fn field(name: &str) -> String {
    name.to_lowercase().replace([' ', '-'], "_")
}

/// Parts of a layer that run together, tile of tokens by tile of tokens.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Run {
    /// Parts that run together: products with weights, and what lanes compute between them.
    parts: Vec<String>,
    /// Number of tokens that one tile covers.
    tile_tokens: u64,
    /// Whether all weights stay on the chip; else they come for every tile.
    weights_stay: bool,
    /// Whether the states of a sequence stay on the chip; else they come and go with every tile; null: there are none.
    states_stay: Option<bool>,
    /// Energy, pJ.
    energy_pj: f64,
    /// Energy by cause, pJ.
    energy_pj_by_cause: Energy,
    /// Whole cycles of the accelerator's clock.
    latency_cycles: u64,
    /// What takes longest.
    bound_by: &'static str,
    /// Bits read from DRAM plus bits written to it, all tensors.
    dram_bits: u64,
    /// Bits of weights among those read from DRAM.
    weight_bits: u64,
    /// Multiply-accumulates.
    macs: u64,
}

impl From<&engine::Run> for Run {
    fn from(run: &engine::Run) -> Self {
        Self {
            parts: run.parts.clone(),
            tile_tokens: run.tile,
            weights_stay: run.resident,
            states_stay: run.states_stay,
            energy_pj: run.energy_pj(),
            energy_pj_by_cause: Energy::from(&run.energy),
            latency_cycles: run.busy.cycles(),
            bound_by: run.busy.bound_by(),
            dram_bits: run.dram_bits(),
            weight_bits: run.weight_bits,
            macs: run.macs,
        }
    }
}

/// Attention of one layer in a block with parts around it, tile of tokens by tile of tokens: what lies between stays on the chip.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Block {
    /// Parts that compute the queries of a tile; empty: queries come from DRAM.
    queries: Vec<String>,
    /// Parts that follow attention in it; empty: its results go to DRAM.
    parts: Vec<String>,
    /// Number of tokens that one tile covers.
    tile_tokens: u64,
    /// Tiles of tokens.
    tiles: u64,
    /// Whether weights that compute queries, keys and values in it stay on the chip; else they come for every tile.
    weights_before_stay: bool,
    /// Whether the weights of the parts that follow stay on the chip; else they come for every tile.
    weights_stay: bool,
    /// The schedule of attention; its queries are those of a sequence in a tile.
    schedule: Schedule,
    /// Energy, pJ.
    energy_pj: f64,
    /// Energy by cause, pJ.
    energy_pj_by_cause: Energy,
    /// Whole cycles of the accelerator's clock.
    latency_cycles: u64,
    /// What takes longest.
    bound_by: &'static str,
    /// Bits read from DRAM plus bits written to it, all tensors.
    dram_bits: u64,
    /// Bits of weights among those read from DRAM.
    weight_bits: u64,
    /// Bits needed on the chip: of queries, scores, results and rows of tokens, and of keys, values and weights.
    on_chip_bits: [u64; 2],
    /// Multiply-accumulates.
    macs: u64,
}

impl From<&engine::Block> for Block {
    fn from(block: &engine::Block) -> Self {
        let parts = |run: &Option<engine::Run>| run.as_ref().map_or_else(Vec::new, |run| run.parts.clone());
        Self {
            queries: parts(&block.queries),
            parts: parts(&block.parts),
            tile_tokens: block.tile,
            tiles: block.tiles,
            weights_before_stay: block.weights_before_stay,
            weights_stay: block.parts.as_ref().is_some_and(|run| run.resident),
            schedule: block.attention.schedule,
            energy_pj: block.energy_pj(),
            energy_pj_by_cause: Energy::from(&block.energy),
            latency_cycles: block.latency_cycles(),
            bound_by: block.bound_by(),
            dram_bits: block.dram_bits(),
            weight_bits: block.weight_bits(),
            on_chip_bits: block.needed_bits,
            macs: block.macs(),
        }
    }
}

/// What a step costs, of all layers and sequences.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Cost {
    /// Energy, pJ.
    energy_pj: f64,
    /// Energy by cause, pJ.
    energy_pj_by_cause: Energy,
    /// Whole cycles of the accelerator's clock.
    latency_cycles: u64,
    /// Bits read from DRAM plus bits written to it, all tensors.
    dram_bits: u64,
    /// Bits of weights among those read from DRAM.
    weight_bits: u64,
    /// Multiply-accumulates.
    macs: u64,
}

impl From<&StepCost> for Cost {
    fn from(cost: &StepCost) -> Self {
        Self {
            energy_pj: cost.energy_pj(),
            energy_pj_by_cause: Energy::from(&cost.energy),
            latency_cycles: cost.latency_cycles,
            dram_bits: cost.dram_bits,
            weight_bits: cost.weight_bits,
            macs: cost.macs,
        }
    }
}

/// What all layers cost with keys and values in one place.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct CostWithKeysIn {
    /// The place of keys and values: DRAM, layer (on the chip, those of one layer) or cache (on the chip, those of all layers).
    keys_in: KeyStore,
    /// The step, all layers.
    all_layers: Option<Cost>,
}

/// A prompt is read, then tokens follow one after the other, each with a longer cache.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Generation {
    /// Sequences at a time.
    batch: u64,
    /// Tokens of the prompt of each sequence.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    prompt: u64,
    /// Tokens of the prompt that are read at a time; null: all.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    chunk: Option<u64>,
    /// Reading the prompt.
    prefill: Cost,
    /// The first, the middle and the last token.
    tokens: Vec<Token>,
    /// Weights of all layers, bytes.
    weight_bytes: f64,
    /// The cache of all layers at the end, bytes.
    cache_bytes: f64,
    /// Whether it is on the chip from the first token to the last; else it is in DRAM.
    cache_on_chip: bool,
    /// The memory of keys and values on the chip, bytes.
    chip_bytes: f64,
    /// Bytes read from DRAM and written to it.
    dram_bytes: f64,
    /// Multiply-accumulates of the full array in a cycle.
    peak_macs_per_cycle: u64,
    /// What DRAM gives in a cycle, bytes.
    dram_bytes_per_cycle: f64,
}

/// A token that is generated.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Token {
    /// Tokens in the cache.
    cached: u64,
    /// What the token costs, of all sequences.
    cost: Cost,
}

impl From<&(u64, StepCost)> for Token {
    fn from((cached, cost): &(u64, StepCost)) -> Self {
        Self { cached: *cached, cost: Cost::from(cost) }
    }
}

/// What a step of all layers costs, divided among cores.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Divided {
    /// The number of parts of each dimension: `sequences`, `heads`, `queries`, `keys` and `layers`.
    split: Split,
    /// Energy, links included, pJ.
    energy_pj: f64,
    /// Energy by cause, pJ.
    energy_pj_by_cause: Energy,
    /// Energy of the transfers between cores, pJ.
    link_energy_pj: f64,
    /// Latency of a step by itself, cycles.
    latency_cycles: u64,
    /// Time between the ends of two steps where each group of layers works on its own, cycles.
    interval_cycles: u64,
    /// Part of the latency in which cores send and add up, cycles.
    link_cycles: u64,
    /// Bits that cores send each other.
    link_bits: u64,
    /// Bits read from DRAM plus bits written to it, all tensors.
    dram_bits: u64,
    /// Multiply-accumulates.
    macs: u64,
    /// Bytes of keys and values of all layers that belong to a core: the largest part.
    cache_bytes_of_a_core: f64,
    /// The place of keys and values: DRAM, layer (on the chip, those of one layer) or cache (on the chip, those of all layers).
    keys_in: KeyStore,
}

impl From<&SplitCost> for Divided {
    fn from(cost: &SplitCost) -> Self {
        Self {
            split: cost.split,
            energy_pj: cost.energy_pj(),
            energy_pj_by_cause: Energy::from(&cost.energy),
            link_energy_pj: cost.link_pj,
            latency_cycles: cost.latency_cycles,
            interval_cycles: cost.interval_cycles,
            link_cycles: cost.link_cycles,
            link_bits: cost.link_bits,
            dram_bits: cost.dram_bits,
            macs: cost.macs,
            cache_bytes_of_a_core: cost.cache_bytes,
            keys_in: cost.keys_in,
        }
    }
}

/// A way to divide a step that cannot be.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Refused {
    /// Into how many parts each dimension would be divided.
    split: Split,
    /// The reason.
    why: String,
}

/// A dataflow of the FuseMax artifact: attention of one layer, on its own machine.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Published {
    /// Name in the artifact.
    dataflow: &'static str,
    /// Time of the whole attention of one layer, s.
    latency_s: f64,
    /// Energy, pJ.
    energy_pj: f64,
    /// Bytes read from DRAM plus bytes written to it: both maps once, weights once for each time that they are
    /// streamed.
    dram_bytes: f64,
    /// The same by tensor, as the papers write it.
    dram_bytes_by_tensor: BTreeMap<&'static str, f64>,
    /// Cycles of every step, as the papers write its result.
    cycles: BTreeMap<&'static str, f64>,
    /// Share of the time in which the 2D array is busy.
    utilisation_2d: f64,
    /// Share of the time in which the 1D array is busy.
    utilisation_1d: f64,
    /// Groups of queries that stay in the buffer, and how often keys pass; rows at a time and how often for FLAT; null where queries are
    /// not tiled.
    tiles: Option<(u64, u64)>,
    /// Share of what FLAT wants to keep in the buffer that has no room.
    spilled: f64,
}

impl From<&(Dataflow, Replay)> for Published {
    fn from((dataflow, replay): &(Dataflow, Replay)) -> Self {
        Self {
            dataflow: dataflow.name(),
            latency_s: replay.latency_s,
            energy_pj: replay.energy_pj(),
            dram_bytes: replay.dram_bytes(),
            dram_bytes_by_tensor: replay.dram.iter().copied().collect(),
            cycles: replay.steps.iter().map(|step| (step.name, step.cycles)).collect(),
            utilisation_2d: replay.utilisation(Array::TwoD),
            utilisation_1d: replay.utilisation(Array::OneD),
            tiles: replay.tiles,
            spilled: replay.spilled,
        }
    }
}

#[cfg(feature = "schema")]
mod fields {
    use super::{Cause, Energy, Moved, Tensor, field};
    use fusescape_engine::schema::{described, object};
    use schemars::{JsonSchema, Schema, SchemaGenerator};
    use std::borrow::Cow;

    impl JsonSchema for Energy {
        fn schema_name() -> Cow<'static, str> {
            "Energy".into()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let meaning = |cause: Cause| format!("Energy of {}, pJ.", cause.name());
            let mut schema =
                object(Cause::ALL.map(|cause| (field(cause.name()), described::<f64>(generator, meaning(cause)))));
            schema.insert("description".to_owned(), "Energy by cause, pJ.".into());
            schema
        }
    }

    pub fn tensors(generator: &mut SchemaGenerator) -> Schema {
        let meaning = |tensor: Tensor| format!("Bits of {}.", tensor.name());
        object(Tensor::ALL.map(|tensor| (field(tensor.name()), described::<Moved>(generator, meaning(tensor)))))
    }
}
