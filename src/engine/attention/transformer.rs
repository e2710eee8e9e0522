//! Steps of a transformer: what its layers compute and move at least.

use super::linear::{KeptKeys, Part};
use super::state_space::{state_space_bits, state_space_parts, state_space_products};
use super::token::{Added, TokenStep, TokenWork};
use super::{ElementBits, Problem, Shape, Source};
use crate::spec::Diagnostics;
use crate::transformer::{Activation, Latent, Norm, Transformer};
use serde::{Deserialize, Serialize};

/// Limit on the multiply-accumulates of a step: bits and cycles of all layers stay whole numbers of 64 bits.
const MOST_STEP_MACS: u128 = 1 << 52;

const KEYS_OF_LATENTS: &str = "keys, values of latents";

/// One step: tokens that are computed together in each of several sequences, after others whose keys and values are cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Step {
    /// Sequences.
    pub batch: u64,
    /// New tokens of each.
    pub tokens: u64,
    /// Cached tokens of each.
    pub cached: u64,
    /// Whether the new tokens of a decoder see themselves and each other; AccelForge leaves these scores out where
    /// there is a cache.
    pub sees_itself: bool,
}

/// One product of a layer with weights: rows are tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WeightedProduct {
    /// Its result, in words.
    pub name: &'static str,
    /// Input channels.
    pub reduction: u64,
    /// Output channels.
    pub columns: u64,
    /// The number of its experts, each with weights of its own, and the number that a token uses.
    pub experts: (u64, u64),
    /// Experts that every token uses, in addition to these.
    pub shared: u64,
    /// Whether each expert reads channels of its own; else all read the same.
    pub reads_apart: bool,
    /// Whether each expert computes channels of its own; else their results are added up.
    pub writes_apart: bool,
    /// Channels of a token behind those that it reads, which it leaves unchanged.
    pub passes: u64,
    /// Whether the channels that it reads stay in the row, too, behind those that it computes.
    pub keeps: bool,
}

impl WeightedProduct {
    /// A product whose weights exist once.
    pub const fn new(name: &'static str, reduction: u64, columns: u64) -> Self {
        let (reads_apart, writes_apart) = (false, true);
        Self {
            name,
            reduction,
            columns,
            experts: (1, 1),
            shared: 0,
            reads_apart,
            writes_apart,
            passes: 0,
            keeps: false,
        }
    }

    /// A product where every head has weights of its own.
    const fn of_heads(name: &'static str, heads: u64, reduction: u64, columns: u64, passes: u64) -> Self {
        Self { experts: (heads, heads), reads_apart: true, passes, ..Self::new(name, reduction, columns) }
    }

    /// Number of experts that a token uses.
    const fn active(&self) -> u64 {
        self.experts.1 + self.shared
    }

    /// Weights, of all experts.
    pub const fn weights(&self) -> u64 {
        self.reduction * self.columns * (self.experts.0 + self.shared)
    }

    /// Channels of a token that it reads.
    pub const fn reads(&self) -> u64 {
        self.reduction * if self.reads_apart { self.active() } else { 1 }
    }

    /// Channels of a token that it computes.
    pub const fn writes(&self) -> u64 {
        self.columns * if self.writes_apart { self.active() } else { 1 }
    }

    /// Multiply-accumulates for so many tokens.
    pub const fn macs(&self, tokens: u64) -> u64 {
        tokens * self.reduction * self.columns * self.active()
    }

    /// Weights that so many tokens use, where the experts of each token are random and equally likely: the mean.
    pub fn used_weights(&self, tokens: u64) -> f64 {
        let (all, active) = (self.experts.0 as f64, self.experts.1 as f64);
        let missed = (1.0 - active / all).powf(tokens as f64);
        (self.reduction * self.columns) as f64 * (all * (1.0 - missed) + self.shared as f64)
    }
}

/// Bytes that cross the border of the chip for one layer at least, with all of it fused.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Compulsory {
    /// Weights that are used.
    pub weights: f64,
    /// The layer's input.
    pub input: f64,
    /// The layer's output.
    pub output: f64,
    /// Cached keys and values that are read, or states of earlier tokens.
    pub cache_read: f64,
    /// New keys and values that are written to the cache, or states.
    pub cache_written: f64,
}

impl Compulsory {
    /// Sum of the five parts, bytes.
    pub fn total(&self) -> f64 {
        self.weights + self.input + self.output + self.cache_read + self.cache_written
    }

    /// The same where the cache is on the chip.
    #[must_use]
    pub const fn without_cache(&self) -> Self {
        Self { cache_read: 0.0, cache_written: 0.0, ..*self }
    }
}

/// What a layer of a transformer computes, moves and keeps in a step.
pub trait TransformerWork {
    /// Checks that a step of all layers can be counted in whole numbers.
    ///
    /// # Errors
    ///
    /// There are more than 2^52 multiply-accumulates.
    fn check_step(&self, step: &Step) -> Result<(), Diagnostics>;

    /// The products of a layer with weights before attention and after it.
    fn products(&self) -> [Vec<WeightedProduct>; 2];

    /// The product that computes keys and values of all tokens that a step sees, if there is one.
    fn keys_of_latents(&self) -> Option<WeightedProduct>;

    /// The parts of a layer before attention and after it, for every new token, in their order: products with weights,
    /// and steps of lanes between them. A state-space block has no attention, and all its parts are in the first list.
    fn parts(&self) -> [Vec<Part>; 2];

    /// The parts of a layer before attention that computes keys and values itself, out of its inputs. A decoder has to
    /// cache them, and computes them in these parts, too.
    fn parts_before_recomputing(&self) -> Vec<Part>;

    /// The parts before attention that compute queries alone; `None`: queries are computed by the same product as a
    /// latent, or there are none.
    fn parts_of_queries(&self) -> Option<Vec<Part>>;

    /// The parts before attention that compute keys and values alone; `None`: there are none, or they are computed out
    /// of a latent.
    fn parts_of_keys(&self) -> Option<Vec<Part>>;

    /// Whether it computes keys and values, or latents that are both, of its new tokens alone: not again out of cached
    /// latents in every step.
    fn has_own_keys(&self) -> bool;

    /// The parts of a chain that computes keys and values, which then stay on the chip, go to DRAM, or both.
    fn keeping_keys(&self, chain: Vec<Part>, on_chip: bool, in_dram: bool) -> Vec<Part>;

    /// Attention of a layer in a step, with keys and values in DRAM; `None`: there is none.
    fn attention(&self, step: &Step, bits: ElementBits) -> Option<Problem>;

    /// Keys of a sequence that any new token sees: under a sliding window older ones are not read.
    fn keys_seen(&self, step: &Step) -> u64;

    /// Multiply-accumulates with weights, of one layer.
    fn weighted_macs(&self, step: &Step) -> u64;

    /// Weights of one layer, of all experts.
    fn weights(&self) -> u64;

    /// Lower bounds on the bytes that one layer moves.
    fn compulsory(&self, step: &Step, bits: ElementBits) -> Compulsory;

    /// Channels of a token that are cached in one layer.
    fn cached_channels(&self) -> u64;

    /// Bytes of the cache of all layers, for so many tokens of each of `batch` sequences; under a sliding window at
    /// most those in it. The state of state-space blocks does not grow with the tokens.
    fn cache_bytes(&self, batch: u64, tokens: u64, bits: ElementBits) -> f64;
}

impl TransformerWork for Transformer {
    fn check_step(&self, step: &Step) -> Result<(), Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let tokens = u128::from(step.batch) * u128::from(step.tokens);
        let scores = tokens * u128::from(step.keys()) * u128::from(self.heads) * u128::from(self.layers);
        let depth = self.latent.map_or(self.depth, |latent| self.depth.max(latent.rank) + latent.rotary);
        let keys = u128::from(step.batch) * u128::from(step.keys());
        // Keys and values may be computed out of latents in every step.
        let rows = if self.latent.is_some() { keys.max(tokens) } else { tokens };
        if rows * self.all_weights() + 2 * scores * u128::from(depth) > MOST_STEP_MACS {
            let remedy = "Take fewer sequences, or fewer tokens";
            diagnostics.add("step.tokens", "The step has more than 2^52 multiply-accumulates", remedy);
        }
        diagnostics.or(())
    }

    fn products(&self) -> [Vec<WeightedProduct>; 2] {
        if let Some(block) = self.state_space {
            return [state_space_products(&block, self.width).to_vec(), Vec::new()];
        }
        let once = WeightedProduct::new;
        let Self { width, heads, depth, hidden, experts, shared, .. } = *self;
        let of_expert =
            |name, reduction, columns| WeightedProduct { experts, shared, ..once(name, reduction, columns) };
        let of_keys = self.key_heads * depth;
        let (before, of_values) = match self.latent {
            None => {
                let columns = [("queries", heads * depth), ("keys", of_keys), ("values", of_keys)];
                (columns.map(|(name, columns)| once(name, width, columns)).to_vec(), None)
            }
            Some(Latent { rank, rotary, absorbed }) => {
                let columns = heads * (depth + rotary) + rotary + rank;
                let together = once("queries, latent", width, columns);
                let passes = heads * rotary + rotary + rank;
                let queries = WeightedProduct::of_heads("queries for latents", heads, depth, rank, passes);
                let values = WeightedProduct::of_heads("values of latents", heads, rank, depth, 0);
                let keys = once(KEYS_OF_LATENTS, rank, 2 * heads * depth);
                (vec![together, if absorbed { queries } else { keys }], absorbed.then_some(values))
            }
        };
        let expand = if self.gated { "gate and expansion" } else { "expansion" };
        let contraction = of_expert("contraction", hidden, width);
        let after = [
            of_values,
            Some(once("output projection", heads * depth, width)),
            Some(of_expert(expand, width, hidden * if self.gated { 2 } else { 1 })),
            Some(WeightedProduct { reads_apart: true, writes_apart: false, ..contraction }),
        ];
        [before, after.into_iter().flatten().collect()]
    }

    fn keys_of_latents(&self) -> Option<WeightedProduct> {
        self.products()[0].iter().find(|product| product.name == KEYS_OF_LATENTS).copied()
    }

    fn parts(&self) -> [Vec<Part>; 2] {
        if let Some(block) = self.state_space {
            return [state_space_parts(&block, self.width, self.norm), Vec::new()];
        }
        let lanes = |work, channels, is_kept| Part::Lanes(TokenStep { work, channels, is_kept });
        let [of_tokens, after] = self.products();
        let has_norm = self.norm != Norm::None;
        let norm = |is_kept| has_norm.then(|| lanes(TokenWork::Norm(self.norm), self.width, is_kept));
        let (pre, post) = (has_norm && !self.post_norm, has_norm && self.post_norm);
        let rotate = |before, channels, behind| lanes(TokenWork::Rotary { before, behind }, channels, false);
        let (product, rotary, for_latents) = match self.latent {
            // The three read the same input, so that they are one product with all their columns.
            None => {
                let columns = of_tokens.iter().map(|product| product.columns).sum();
                let [queries, keys] = [self.heads, self.key_heads].map(|heads| heads * self.depth);
                let rotary = self.rotary.then(|| rotate(0, queries + keys, keys));
                (Some(WeightedProduct::new("queries, keys, values", self.width, columns)), rotary, None)
            }
            Some(Latent { rank, rotary, absorbed }) => {
                let rotary = rotate(self.heads * self.depth, (self.heads + 1) * rotary, rank);
                let for_latents = of_tokens.get(1).filter(|_| absorbed).copied();
                (of_tokens.first().copied(), Some(rotary), for_latents)
            }
        };
        let before = [norm(false).filter(|_| pre), product.map(Part::Product), rotary, for_latents.map(Part::Product)];
        let active = self.experts.1 + self.shared;
        let activation = (self.gated || self.activation != Activation::None)
            .then(|| lanes(TokenWork::Activation(self.activation, self.gated), self.hidden * active, false));
        let mut rest = after.into_iter().map(Part::Product);
        let after = [
            self.latent.filter(|latent| latent.absorbed).and_then(|_| rest.next()),
            rest.next(),
            // Before the feed-forward part is the residual sum, whose result the next one adds.
            Some(lanes(TokenWork::Residual(Added::Input), self.width, !post)),
            norm(post),
            rest.next(),
            activation,
            rest.next(),
            Some(lanes(TokenWork::Residual(Added::Kept), self.width, false)),
            norm(false).filter(|_| post),
        ];
        [before.into_iter().flatten().collect(), after.into_iter().flatten().collect()]
    }

    fn parts_before_recomputing(&self) -> Vec<Part> {
        let of_queries = self.parts_of_queries().filter(|_| !self.causal);
        of_queries.unwrap_or_else(|| self.parts().into_iter().next().unwrap_or_default())
    }

    fn parts_of_queries(&self) -> Option<Vec<Part>> {
        let queries = self.heads * self.depth;
        parts_before(self, WeightedProduct::new("queries", self.width, queries), queries)
    }

    fn parts_of_keys(&self) -> Option<Vec<Part>> {
        let keys = self.key_heads * self.depth;
        parts_before(self, WeightedProduct::new("keys, values", self.width, 2 * keys), keys)
    }

    fn has_own_keys(&self) -> bool {
        self.state_space.is_none() && self.keys_of_latents().is_none()
    }

    fn keeping_keys(&self, mut chain: Vec<Part>, on_chip: bool, in_dram: bool) -> Vec<Part> {
        let row = chain.last().map_or(0, |last| last.writes() + last.passes());
        let channels = self.cached_channels();
        chain.push(Part::Keep(KeptKeys { channels, before: row.saturating_sub(channels), on_chip, in_dram }));
        chain
    }

    fn attention(&self, step: &Step, bits: ElementBits) -> Option<Problem> {
        if self.state_space.is_some() {
            return None;
        }
        let own = Shape {
            batch: step.batch,
            heads: self.heads,
            key_heads: self.key_heads,
            depth: self.depth,
            value_depth: self.depth,
            queries: step.tokens,
            keys: self.keys_seen(step),
            values_in_keys: false,
        };
        let shape = match self.latent {
            None => own,
            Some(Latent { rank, rotary, absorbed: true }) => {
                Shape { key_heads: 1, depth: rank + rotary, value_depth: rank, values_in_keys: true, ..own }
            }
            Some(Latent { rotary, .. }) => Shape { key_heads: self.heads, depth: self.depth + rotary, ..own },
        };
        let causal = self.causal && step.keys() > step.cached;
        // Of cached tokens only keys and values exist; out of latents they are computed in any case.
        let has_inputs = self.latent.is_none() && step.cached == 0;
        let norm = if self.post_norm { Norm::None } else { self.norm };
        let source = has_inputs.then_some(Source { channels: self.width, norm, rotary: self.rotary });
        Some(Problem { shape, causal, window: self.window.filter(|_| causal), bits, source, keys_on_chip: false })
    }

    fn keys_seen(&self, step: &Step) -> u64 {
        let own = step.keys() - step.cached;
        let most = |window: u64| window.saturating_add(own.saturating_sub(1));
        self.window.map_or(step.keys(), |window| step.keys().min(most(window)))
    }

    fn weighted_macs(&self, step: &Step) -> u64 {
        let rows = |product: &WeightedProduct| match product.name {
            KEYS_OF_LATENTS => step.batch * self.keys_seen(step),
            _ => step.batch * step.tokens,
        };
        self.products().iter().flatten().map(|product| product.macs(rows(product))).sum()
    }

    fn weights(&self) -> u64 {
        self.products().iter().flatten().map(WeightedProduct::weights).sum::<u64>()
            + self.state_space.map_or(0, |block| block.lane_weights())
    }

    fn compulsory(&self, step: &Step, bits: ElementBits) -> Compulsory {
        let tokens = step.batch * step.tokens;
        let bytes = |elements: f64, bits: u64| elements * bits as f64 / 8.0;
        let of_token = self.cached_channels() as f64;
        let weights: f64 = self.products().iter().flatten().map(|product| product.used_weights(tokens)).sum();
        let state = self.state_space.map(|block| bytes((step.batch * state_space_bits(&block, &bits)) as f64, 1));
        let of_tokens = |tokens: u64| bytes(tokens as f64 * of_token, bits.keys);
        Compulsory {
            weights: bytes(weights + self.state_space.map_or(0, |block| block.lane_weights()) as f64, bits.weights),
            input: bytes((tokens * self.width) as f64, bits.activations),
            output: bytes((tokens * self.width) as f64, bits.activations),
            cache_read: match state {
                Some(state) => {
                    if step.cached > 0 {
                        state
                    } else {
                        0.0
                    }
                }
                None => of_tokens(step.batch * cached_seen(self, step)),
            },
            cache_written: state.unwrap_or_else(|| if self.causal { of_tokens(tokens) } else { 0.0 }),
        }
    }

    fn cached_channels(&self) -> u64 {
        self.latent.map_or(2 * self.key_heads * self.depth, |latent| latent.rank + latent.rotary)
    }

    fn cache_bytes(&self, batch: u64, tokens: u64, bits: ElementBits) -> f64 {
        if let Some(block) = self.state_space {
            return (self.layers * batch) as f64 * state_space_bits(&block, &bits) as f64 / 8.0;
        }
        let tokens = self.window.map_or(tokens, |window| tokens.min(window));
        let elements = (self.layers * self.cached_channels()) as f64 * (batch * tokens) as f64;
        elements * bits.keys as f64 / 8.0
    }
}

/// The same parts before attention with another product, the first columns of which are rotated.
fn parts_before(model: &Transformer, product: WeightedProduct, rotated: u64) -> Option<Vec<Part>> {
    if model.latent.is_some() || model.state_space.is_some() {
        return None;
    }
    let with = |part| match part {
        Part::Product(_) => Part::Product(product),
        Part::Lanes(TokenStep { work: TokenWork::Rotary { .. }, is_kept, .. }) => {
            let work = TokenWork::Rotary { before: 0, behind: product.columns - rotated };
            Part::Lanes(TokenStep { work, channels: rotated, is_kept })
        }
        other => other,
    };
    let [before, _] = model.parts();
    Some(before.into_iter().map(with).collect())
}

/// Cached tokens of a sequence that any new token sees.
fn cached_seen(model: &Transformer, step: &Step) -> u64 {
    model.keys_seen(step).saturating_sub(step.keys() - step.cached)
}

impl Step {
    /// All tokens of new sequences: a prompt, or the input of an encoder.
    pub const fn prefill(batch: u64, tokens: u64) -> Self {
        Self { batch, tokens, cached: 0, sees_itself: true }
    }

    /// The next token of sequences with a cache.
    pub const fn decode(batch: u64, cached: u64) -> Self {
        Self { batch, tokens: 1, cached, sees_itself: true }
    }

    /// Keys that the last of the new tokens sees.
    pub const fn keys(&self) -> u64 {
        if self.sees_itself || self.cached == 0 { self.cached + self.tokens } else { self.cached }
    }
}
