//! What lanes compute for every token of a layer beside attention: norms, rotary embeddings, activations with their gates, residual sums.
//!
//! The operations are those that the importer of ONNX makes of the same operators. Gains, biases and tables of sines have no cost.

use super::cascade::{ADD, DIVIDE, MULTIPLY, VectorStep, step};
use crate::workload::Operation;
use serde::{Deserialize, Serialize};

/// How the channels of a token are normalised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Norm {
    /// Not at all.
    None,
    /// By their mean and variance: layer normalisation.
    Layer,
    /// By the root of their mean square.
    RootMeanSquare,
}

impl Norm {
    /// Each, as written in documents.
    pub const NAMES: [(Self, &'static str); 3] =
        [(Self::None, "none"), (Self::Layer, "layer"), (Self::RootMeanSquare, "rms")];
}

/// What is done to every hidden channel of the feed-forward part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Activation {
    /// Nothing.
    None,
    /// `x * sigmoid(1.702 x)`.
    Gelu,
    /// `x * sigmoid(x)`.
    Silu,
    /// `max(x, 0)`.
    Relu,
}

impl Activation {
    /// Each, as written in documents.
    pub const NAMES: [(Self, &'static str); 4] =
        [(Self::None, "none"), (Self::Gelu, "gelu"), (Self::Silu, "silu"), (Self::Relu, "relu")];

    const fn operations(self) -> &'static [(Operation, u64)] {
        match self {
            Self::None => &[],
            Self::Gelu => &[(Operation::Add, 1), (Operation::Multiply, 2), (Operation::Divide, 1), (Operation::Exp, 1)],
            Self::Silu => &[(Operation::Add, 1), (Operation::Multiply, 1), (Operation::Divide, 1), (Operation::Exp, 1)],
            Self::Relu => &[(Operation::Max, 1)],
        }
    }
}

/// What a residual sum adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Added {
    /// The input of the layer, which is in DRAM.
    Input,
    /// What an earlier part of the chain computed and keeps: [`TokenStep::is_kept`].
    Kept,
}

/// What is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TokenWork {
    /// A normalisation.
    Norm(Norm),
    /// A rotary embedding of channels in the middle of a row; those before and behind pass by.
    Rotary {
        /// Channels before them.
        before: u64,
        /// Channels behind them.
        behind: u64,
    },
    /// An activation; gated, it is multiplied by as many more channels.
    Activation(Activation, bool),
    /// A sum of two maps.
    Residual(Added),
}

/// What lanes compute for every token. It is computed in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TokenStep {
    /// What.
    pub work: TokenWork,
    /// Channels of a token that it computes.
    pub channels: u64,
    /// Whether a later [`Added::Kept`] reads the result once more.
    pub is_kept: bool,
}

impl TokenStep {
    /// As a person reads it.
    pub const fn name(&self) -> &'static str {
        match self.work {
            TokenWork::Norm(_) => "norm",
            TokenWork::Rotary { .. } => "rotary embedding",
            TokenWork::Activation(_, false) => "activation",
            TokenWork::Activation(Activation::None, true) => "gate",
            TokenWork::Activation(_, true) => "activation and gate",
            TokenWork::Residual(_) => "residual sum",
        }
    }

    /// Channels of a token that it takes from the part before it, without those that pass by.
    pub const fn reads(&self) -> u64 {
        match self.work {
            TokenWork::Activation(_, true) => 2 * self.channels,
            _ => self.channels,
        }
    }

    /// Channels of a token that it leaves as they are.
    pub const fn passes(&self) -> u64 {
        match self.work {
            TokenWork::Rotary { before, behind } => before + behind,
            _ => 0,
        }
    }

    /// Those of them at the end of a row.
    pub const fn tail(&self) -> u64 {
        match self.work {
            TokenWork::Rotary { behind, .. } => behind,
            _ => 0,
        }
    }

    /// Channels of a token that it takes from elsewhere.
    pub const fn joins(&self) -> u64 {
        match self.work {
            TokenWork::Residual(_) => self.channels,
            _ => 0,
        }
    }

    /// What lanes compute for so many tokens.
    pub fn steps(&self, tokens: u64) -> Vec<VectorStep> {
        const CENTRED: &str = "centred";
        let all = tokens * self.channels;
        let scaled: &[_] = &[(Operation::Multiply, 2)];
        match self.work {
            TokenWork::Norm(norm) => {
                let centre = [step("mean", all, ADD, all, tokens), step(CENTRED, all, ADD, all + tokens, all)];
                let scale = [
                    step("squares", all, MULTIPLY, all, tokens),
                    step("root", tokens, DIVIDE, tokens, tokens),
                    step("scaled", all, scaled, all + tokens, all),
                ];
                match norm {
                    Norm::None => Vec::new(),
                    Norm::Layer => [&centre[..], &scale].concat(),
                    Norm::RootMeanSquare => scale.to_vec(),
                }
            }
            TokenWork::Rotary { .. } => vec![step("rotated", all, scaled, all, all)],
            TokenWork::Activation(activation, is_gated) => {
                let activated = step("activated", all, activation.operations(), all, all);
                let gated = step("gated", all, MULTIPLY, 2 * all, all);
                let both = [(activation != Activation::None).then_some(activated), is_gated.then_some(gated)];
                both.into_iter().flatten().collect()
            }
            TokenWork::Residual(_) => vec![step("sum", all, ADD, 2 * all, all)],
        }
    }

    /// Operations of so many tokens.
    pub fn operations(&self, tokens: u64) -> u64 {
        let of_step = |step: &VectorStep| step.iterations * step.operations.iter().map(|(_, count)| count).sum::<u64>();
        self.steps(tokens).iter().map(of_step).sum()
    }
}
