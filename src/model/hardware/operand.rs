//! The three operands of a layer.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The operand as which a memory holds data of a layer. Both inputs of an elementwise addition are stored as `I`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Operand {
    /// Weights.
    W,
    /// Input features.
    I,
    /// Output features and partial sums.
    O,
}

impl Operand {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::W, Self::I, Self::O];
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
