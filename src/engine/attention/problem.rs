//! The attention to be computed: its shape, with or without a causal mask, and its precisions.

use super::Shape;
use super::schedule::KeysHeld;
use super::token::{TokenStep, TokenWork};
use crate::spec::Diagnostics;
use crate::transformer::Norm;
use serde::{Deserialize, Serialize};

/// Limit on the multiply-accumulates: bits and cycles stay whole numbers of 64 bits.
const MOST_MACS: u64 = 1 << 54;
/// Limit on the bits of an element.
const MOST_BITS: u64 = 64;

/// Bits of one element, by the data that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ElementBits {
    /// Bits of queries, and of other maps.
    pub activations: u64,
    /// Bits of keys and values.
    pub keys: u64,
    /// Bits of scores, and of all sums.
    pub sums: u64,
    /// Bits of weights of linear layers.
    pub weights: u64,
}

impl ElementBits {
    /// All of the same width.
    pub const fn all(bits: u64) -> Self {
        Self { activations: bits, keys: bits, sums: bits, weights: bits }
    }
}

/// Inputs of a layer out of which keys and values are computed, so that a schedule may compute them again instead of storing them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Source {
    /// Channels of an input.
    pub channels: u64,
    /// Normalisation of the inputs.
    pub norm: Norm,
    /// Whether keys are rotated by their position.
    pub rotary: bool,
}

impl Source {
    /// The steps of lanes for every input, and for every key of so many elements where keys are computed, too.
    pub fn steps(&self, depth: u64, has_keys: bool) -> impl Iterator<Item = TokenStep> {
        let step = |work, channels| TokenStep { work, channels, is_kept: false };
        let norm = (self.norm != Norm::None).then(|| step(TokenWork::Norm(self.norm), self.channels));
        let rotary = TokenWork::Rotary { before: 0, behind: 0 };
        norm.into_iter().chain((self.rotary && has_keys).then(|| step(rotary, depth)))
    }
}

/// Attention to be scheduled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Problem {
    /// Sizes of the tensors: batch, heads, queries, keys, channels.
    pub shape: Shape,
    /// Whether a query sees only the keys up to its own; the last query sees all keys.
    pub causal: bool,
    /// Number of keys that a query sees under a causal mask, the last ones up to its own: a sliding window; `None`: all
    /// up to its own.
    pub window: Option<u64>,
    /// Bits of its elements.
    pub bits: ElementBits,
    /// The inputs out of which keys and values may be computed again; `None`: they are stored.
    pub source: Option<Source>,
    /// Whether all keys and values, of all heads and sequences, are on the chip before attention begins, in room of their own; else they
    /// are in DRAM.
    pub keys_on_chip: bool,
}

impl Problem {
    /// Checks that it can be computed.
    ///
    /// # Errors
    ///
    /// No channels of a source, sizes that [`Shape::check`] refuses or that are too large, more queries than keys under
    /// a causal mask, a window without such a mask or too small for the keys, bits of 0 or more than 64.
    pub fn check(&self) -> Result<(), Diagnostics> {
        self.shape.check()?;
        let mut diagnostics = Diagnostics::default();
        if self.shape.macs() > MOST_MACS {
            diagnostics.add(
                "queries",
                "There are more than 2^54 multiply-accumulates",
                "Take fewer or shorter sequences, or fewer or smaller heads",
            );
        }
        if self.causal && self.shape.queries > self.shape.keys {
            let reason = format!("{} queries see only {} keys", self.shape.queries, self.shape.keys);
            diagnostics.add("keys", reason, "Write at least as many keys as queries, or take the causal mask off");
        }
        if let Some(window) = self.window {
            if !self.causal {
                let reason = "Only a causal mask has a window, and there is none";
                diagnostics.add("window", reason, "Take the window off, or set the mask");
            } else if self.shape.keys >= window.saturating_add(self.shape.queries) {
                let reason = format!("Of {} keys the first are seen by no query", self.shape.keys);
                let wider = format!("a window of at least {}", self.shape.keys - self.shape.queries + 1);
                diagnostics.add(
                    "keys",
                    reason,
                    match window.saturating_add(self.shape.queries) - 1 {
                        most if most >= self.shape.queries => format!("Write at most {most}, or {wider}"),
                        _ => format!("Take {wider}"),
                    },
                );
            }
        }
        if self.source.is_some_and(|source| source.channels == 0) {
            diagnostics.add("source.channels", "The size is 0", "Write at least 1");
        }
        let ElementBits { activations, keys, sums, weights } = self.bits;
        for (name, bits) in [("activations", activations), ("keys", keys), ("sums", sums), ("weights", weights)] {
            if bits == 0 || bits > MOST_BITS {
                let reason = format!("No element has {bits} bits");
                diagnostics.add(format!("bits.{name}"), reason, format!("Write 1 to {MOST_BITS}"));
            }
        }
        diagnostics.or(())
    }

    /// The ways to hold stored keys and values while tiles of queries change.
    pub const fn stored(&self) -> &'static [KeysHeld] {
        if self.keys_on_chip { &[KeysHeld::Kept] } else { &KeysHeld::STORED }
    }

    /// Query heads that share a head of keys.
    pub const fn group(&self) -> u64 {
        self.shape.heads / self.shape.key_heads
    }

    /// Number of times that the same work is done: heads of keys, of all sequences.
    pub const fn repeats(&self) -> u64 {
        self.shape.batch * self.shape.key_heads
    }

    /// Keys that the queries up to `end` of a sequence see.
    pub const fn keys_until(&self, end: u64) -> u64 {
        if self.causal { self.shape.keys - self.shape.queries + end } else { self.shape.keys }
    }

    /// The first key that a query of a sequence sees.
    pub const fn first_key(&self, query: u64) -> u64 {
        match self.window {
            Some(window) => self.keys_until(query + 1).saturating_sub(window),
            None => 0,
        }
    }

    /// Keys that so many neighbouring queries see, at most.
    pub fn most_keys(&self, queries: u64) -> u64 {
        let seen = |window: u64| window.saturating_add(queries - 1).min(self.shape.keys);
        self.window.map_or(self.shape.keys, seen)
    }

    /// Number of scores without those that a causal mask and a window exclude.
    pub fn unmasked_scores(&self) -> u64 {
        let Shape { batch, heads, queries, keys, .. } = self.shape;
        let triangle = |side: u64| side * side.saturating_sub(1) / 2;
        let masked = if self.causal { triangle(queries) } else { 0 };
        // The last query does not see the first keys; the one before it sees one more of them, and so on.
        let outside = self.window.map_or(0, |window| triangle(keys.saturating_sub(window) + 1));
        batch * heads * (queries * keys - masked - outside)
    }

    /// Bits that cross the border of the chip at least: queries, keys and values in, results out, each once; without
    /// keys and values that are on the chip.
    pub const fn compulsory_bits(&self) -> u64 {
        let activations = self.shape.query_elements() + self.shape.output_elements();
        let keys = if self.keys_on_chip { 0 } else { self.shape.key_elements() + self.shape.value_elements() };
        activations * self.bits.activations + keys * self.bits.keys
    }
}
