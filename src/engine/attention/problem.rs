//! What is to be computed: attention of a shape, with or without a causal mask, in these precisions.

use super::Shape;
use crate::spec::Diagnostics;
use serde::{Deserialize, Serialize};

/// More multiply-accumulates than are scheduled: bits and cycles stay whole numbers of 64 bits.
const MOST_MACS: u64 = 1 << 54;
/// More bits than any element has.
const MOST_BITS: u64 = 64;

/// Bits of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ElementBits {
    /// Of queries, and of other maps.
    pub activations: u64,
    /// Of keys and values.
    pub keys: u64,
    /// Of scores, and of all that is added up.
    pub sums: u64,
    /// Of weights.
    pub weights: u64,
}

impl ElementBits {
    /// All of the same width.
    pub const fn all(bits: u64) -> Self {
        Self { activations: bits, keys: bits, sums: bits, weights: bits }
    }
}

/// Attention to be scheduled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Problem {
    /// Its shape.
    pub shape: Shape,
    /// Whether a query sees only the keys up to its own; the last query sees all keys.
    pub causal: bool,
    /// Bits of its elements.
    pub bits: ElementBits,
}

impl Problem {
    /// Says what is wrong with it.
    ///
    /// # Errors
    ///
    /// Sizes that [`Shape::check`] refuses or that are too large, more queries than keys under a causal mask, no or too many bits.
    pub fn check(&self) -> Result<(), Diagnostics> {
        self.shape.check()?;
        let mut diagnostics = Diagnostics::default();
        if self.shape.macs() > MOST_MACS {
            diagnostics.add("queries", "There are more than 2^54 multiply-accumulates", "Take fewer sequences, or shorter ones");
        }
        if self.causal && self.shape.queries > self.shape.keys {
            let reason = format!("{} queries see only {} keys", self.shape.queries, self.shape.keys);
            diagnostics.add("keys", reason, "Write at least as many keys as queries, or take the causal mask off");
        }
        let ElementBits { activations, keys, sums, weights } = self.bits;
        for (name, bits) in [("activations", activations), ("keys", keys), ("sums", sums), ("weights", weights)] {
            if bits == 0 || bits > MOST_BITS {
                diagnostics.add(format!("bits.{name}"), format!("{bits} bits"), format!("Write 1 to {MOST_BITS}"));
            }
        }
        diagnostics.or(())
    }

    /// Query heads that share a head of keys.
    pub const fn group(&self) -> u64 {
        self.shape.heads / self.shape.key_heads
    }

    /// How often the same work is done: heads of keys, of all sequences.
    pub const fn repeats(&self) -> u64 {
        self.shape.batch * self.shape.key_heads
    }

    /// Keys that the queries up to `end` of a sequence see.
    pub const fn keys_until(&self, end: u64) -> u64 {
        if self.causal { self.shape.keys - self.shape.queries + end } else { self.shape.keys }
    }

    /// Scores that count: without those that a causal mask takes away.
    pub const fn unmasked_scores(&self) -> u64 {
        let Shape { batch, heads, queries, keys, .. } = self.shape;
        let masked = if self.causal { queries * (queries - 1) / 2 } else { 0 };
        batch * heads * (queries * keys - masked)
    }

    /// Bits that have to cross the border of the chip at least: queries, keys and values in, results out, each once.
    pub const fn compulsory_bits(&self) -> u64 {
        let activations = self.shape.query_elements() + self.shape.output_elements();
        let keys = self.shape.key_elements() + self.shape.value_elements();
        activations * self.bits.activations + keys * self.bits.keys
    }
}
