//! The shape of attention: numbers of queries, keys and heads.

use crate::spec::Diagnostics;
use serde::{Deserialize, Serialize};

/// Limit on the multiply-accumulates: counts stay whole numbers of 64 bits.
const MOST_MACS: u128 = 1 << 59;

/// Attention of one layer: every query of every head meets every key of the head's group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Shape {
    /// B: sequences.
    pub batch: u64,
    /// H: query heads.
    pub heads: u64,
    /// Heads of keys and values; `heads` is a multiple. Each is shared by a group of query heads.
    pub key_heads: u64,
    /// E: elements of a query and of a key.
    pub depth: u64,
    /// F: elements of a value.
    pub value_depth: u64,
    /// P: queries of a head.
    pub queries: u64,
    /// M: keys of a head.
    pub keys: u64,
    /// Whether a value is the first part of its key, so that both are read at once: latents.
    pub values_in_keys: bool,
}

impl Shape {
    /// Self-attention of a layer, each query head with keys of its own.
    pub const fn of_sequence(batch: u64, heads: u64, depth: u64, length: u64) -> Self {
        Self {
            batch,
            heads,
            key_heads: heads,
            depth,
            value_depth: depth,
            queries: length,
            keys: length,
            values_in_keys: false,
        }
    }

    /// Checks that its sizes can be computed with.
    ///
    /// # Errors
    ///
    /// A size is 0, heads do not divide into groups, or its products exceed 2^59.
    pub fn check(&self) -> Result<(), Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let sizes = [
            ("batch", self.batch),
            ("heads", self.heads),
            ("key_heads", self.key_heads),
            ("depth", self.depth),
            ("value_depth", self.value_depth),
            ("queries", self.queries),
            ("keys", self.keys),
        ];
        for (name, size) in sizes {
            if size == 0 {
                diagnostics.add(name, "The size is 0", "Write at least 1");
            }
        }
        if self.key_heads > 0 && !self.heads.is_multiple_of(self.key_heads) {
            let reason = format!("{} query heads do not divide into {} groups", self.heads, self.key_heads);
            diagnostics.add("key_heads", reason, "Write a divisor of the query heads");
        }
        let product = [self.batch, self.heads, self.queries, self.keys, self.depth.max(self.value_depth)];
        let macs = product.iter().try_fold(1_u128, |all, &size| all.checked_mul(u128::from(size)));
        if macs.is_none_or(|macs| macs > MOST_MACS) {
            let reason = "Batch x heads x queries x keys x depth exceed 2^59";
            diagnostics.add("queries", reason, "Take fewer or shorter sequences, or fewer or smaller heads");
        }
        if self.values_in_keys && self.value_depth > self.depth {
            let reason = format!("Values of {} elements are no part of keys of {}", self.value_depth, self.depth);
            diagnostics.add("value_depth", reason, "Write at most `depth`");
        }
        diagnostics.or(())
    }

    /// X: scores, of all heads and sequences.
    pub const fn scores(&self) -> u64 {
        self.batch * self.heads * self.queries * self.keys
    }

    /// Multiply-accumulates of both products.
    pub const fn macs(&self) -> u64 {
        self.scores() * (self.depth + self.value_depth)
    }

    /// Elements of the queries.
    pub const fn query_elements(&self) -> u64 {
        self.batch * self.heads * self.queries * self.depth
    }

    /// Elements of the keys: batch, heads of keys, keys and channels multiplied.
    pub const fn key_elements(&self) -> u64 {
        self.batch * self.key_heads * self.keys * self.depth
    }

    /// Elements of the values; 0 where they are part of the keys.
    pub const fn value_elements(&self) -> u64 {
        if self.values_in_keys {
            return 0;
        }
        self.batch * self.key_heads * self.keys * self.value_depth
    }

    /// Elements of a key and its value together.
    pub const fn pair_depth(&self) -> u64 {
        if self.values_in_keys { self.depth } else { self.depth + self.value_depth }
    }

    /// Elements of the result of attention.
    pub const fn output_elements(&self) -> u64 {
        self.batch * self.heads * self.queries * self.value_depth
    }
}
