//! The steps of lanes for every token of a layer beside attention: norms, rotary embeddings, activations with their
//! gates, residual sums, convolutions and scans of state-space blocks.
//!
//! The operations are those that the importer of ONNX takes for the same operators. Gains, biases and tables of sines
//! have no cost.

use super::ElementBits;
use super::cascade::{ADD, DIVIDE, MULTIPLY, MULTIPLY_ADD, VectorStep, step};
use crate::transformer::{Activation, Norm};
use crate::workload::Operation;
use serde::{Deserialize, Serialize};

/// `ln(1 + exp(x))`; a logarithm is counted as an exponential function.
const SOFTPLUS: &[(Operation, u64)] = &[(Operation::Add, 1), (Operation::Exp, 2)];
/// `exp(dt A) h + (dt x) B`, of one state.
const UPDATE: &[(Operation, u64)] = &[(Operation::Multiply, 3), (Operation::Add, 1), (Operation::Exp, 1)];

const fn operations_of(activation: Activation) -> &'static [(Operation, u64)] {
    match activation {
        Activation::None => &[],
        Activation::Gelu => {
            &[(Operation::Add, 1), (Operation::Multiply, 2), (Operation::Divide, 1), (Operation::Exp, 1)]
        }
        Activation::Silu => {
            &[(Operation::Add, 1), (Operation::Multiply, 1), (Operation::Divide, 1), (Operation::Exp, 1)]
        }
        Activation::Relu => &[(Operation::Max, 1)],
    }
}

/// The map that a residual sum adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Added {
    /// The input of the layer, which is in DRAM.
    Input,
    /// The result that an earlier part of the chain keeps: [`TokenStep::is_kept`].
    Kept,
}

/// The operation on a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TokenWork {
    /// A normalisation.
    Norm(Norm),
    /// A rotary embedding of channels in the middle of a row; those before and behind are unchanged.
    Rotary {
        /// Unchanged channels before them.
        before: u64,
        /// Unchanged channels behind them.
        behind: u64,
    },
    /// An activation; gated, it is multiplied by as many more channels.
    Activation(Activation, bool),
    /// A sum of two maps.
    Residual(Added),
    /// Convolution of every channel alone over so many tokens, the token itself included, and SiLU of the result;
    /// channels behind are unchanged.
    Convolution {
        /// Tokens that the window covers.
        kernel: u64,
        /// Unchanged channels behind them.
        behind: u64,
    },
    /// On rows of `dt`, `B`, `C`, `x` and `z`: so many states of every channel are updated and read, token after token,
    /// and the output is gated by `z` (Gu and Dao, 2023, Algorithm 2).
    Scan {
        /// States of a channel.
        states: u64,
    },
}

/// The step of lanes for every token. It is computed in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TokenStep {
    /// The operation.
    pub work: TokenWork,
    /// Channels of a token that it computes.
    pub channels: u64,
    /// Whether a later [`Added::Kept`] reads the result once more.
    pub is_kept: bool,
}

impl TokenStep {
    /// For people, in words.
    pub const fn name(&self) -> &'static str {
        match self.work {
            TokenWork::Norm(_) => "norm",
            TokenWork::Rotary { .. } => "rotary embedding",
            TokenWork::Activation(_, false) => "activation",
            TokenWork::Activation(Activation::None, true) => "gate",
            TokenWork::Activation(_, true) => "activation and gate",
            TokenWork::Residual(_) => "residual sum",
            TokenWork::Convolution { .. } => "convolution",
            TokenWork::Scan { .. } => "selective scan",
        }
    }

    /// Channels of a token that it reads of the part before it, without those that it leaves unchanged.
    pub const fn reads(&self) -> u64 {
        match self.work {
            TokenWork::Activation(_, true) => 2 * self.channels,
            TokenWork::Scan { states } => 3 * self.channels + 2 * states,
            _ => self.channels,
        }
    }

    /// Channels of a token that it leaves unchanged.
    pub const fn passes(&self) -> u64 {
        match self.work {
            TokenWork::Rotary { before, behind } => before + behind,
            TokenWork::Convolution { behind, .. } => behind,
            _ => 0,
        }
    }

    /// Those of the unchanged channels at the end of a row.
    pub const fn tail(&self) -> u64 {
        match self.work {
            TokenWork::Rotary { behind, .. } | TokenWork::Convolution { behind, .. } => behind,
            _ => 0,
        }
    }

    /// Weights that it uses.
    pub const fn weights(&self) -> u64 {
        match self.work {
            TokenWork::Convolution { kernel, .. } => self.channels * kernel,
            TokenWork::Scan { states } => self.channels * states,
            _ => 0,
        }
    }

    /// Bits that it keeps of all earlier tokens of a sequence.
    pub const fn state_bits(&self, bits: &ElementBits) -> u64 {
        match self.work {
            TokenWork::Convolution { kernel, .. } => self.channels * kernel.saturating_sub(1) * bits.activations,
            TokenWork::Scan { states } => self.channels * states * bits.sums,
            _ => 0,
        }
    }

    /// Bits of states that it reads and that it writes on the chip for a token: an update and a read of them; the
    /// inputs of a convolution are counted in its steps.
    pub const fn state_accesses(&self, bits: &ElementBits) -> (u64, u64) {
        match self.work {
            TokenWork::Scan { states } => (2 * self.channels * states * bits.sums, self.channels * states * bits.sums),
            _ => (0, 0),
        }
    }

    /// Whether a token has to wait for the one before it.
    pub const fn is_recurrent(&self) -> bool {
        matches!(self.work, TokenWork::Scan { .. })
    }

    /// Channels of a token that it reads from elsewhere.
    pub const fn joins(&self) -> u64 {
        match self.work {
            TokenWork::Residual(_) => self.channels,
            _ => 0,
        }
    }

    /// The steps of lanes for so many tokens; their reads and writes are without states and weights.
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
                let activated = step("activated", all, operations_of(activation), all, all);
                let gated = step("gated", all, MULTIPLY, 2 * all, all);
                let both = [(activation != Activation::None).then_some(activated), is_gated.then_some(gated)];
                both.into_iter().flatten().collect()
            }
            TokenWork::Residual(_) => vec![step("sum", all, ADD, 2 * all, all)],
            TokenWork::Convolution { kernel, .. } => vec![
                step("convolved", kernel * all, MULTIPLY_ADD, kernel * all, all),
                step("activated", all, operations_of(Activation::Silu), all, all),
            ],
            TokenWork::Scan { states } => {
                let (each, of_token) = (states * all, states * tokens);
                vec![
                    step("dt", all, SOFTPLUS, all, all),
                    step("dt x", all, MULTIPLY, 2 * all, all),
                    // h = exp(dt A) h + (dt x) B
                    step("h", each, UPDATE, 2 * all + of_token, 0),
                    // y = C h + D x
                    step("C h", each, MULTIPLY_ADD, of_token, all),
                    step("y", all, MULTIPLY_ADD, 2 * all, all),
                    step("silu z", all, operations_of(Activation::Silu), all, all),
                    step("gated", all, MULTIPLY, 2 * all, all),
                ]
            }
        }
    }

    /// Operations of so many tokens.
    pub fn operations(&self, tokens: u64) -> u64 {
        let of_step = |step: &VectorStep| step.iterations * step.operations.iter().map(|(_, count)| count).sum::<u64>();
        self.steps(tokens).iter().map(of_step).sum()
    }
}
