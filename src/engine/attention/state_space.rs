//! A state-space block: in a layer it replaces attention and the feed-forward part (Gu and Dao, Mamba, 2023, Sections
//! 3.2 to 3.4).
//!
//! Every channel of a token is convolved with those of the tokens before it, and then updates states of its own, by
//! steps that are computed of the token: a recurrence, token after token. A sequence keeps states and the last inputs
//! of the convolution of all earlier tokens, in the same room for any number of tokens.
//!
//! A row of a token in its order: `dt`, `B` and `C` (once they are computed), `x`, and `z`, which gates the output.

use super::ElementBits;
use super::linear::Part;
use super::token::{Added, TokenStep, TokenWork};
use super::transformer::WeightedProduct;
use crate::transformer::{Norm, StateSpace};

/// The products of a block with weights.
pub const fn state_space_products(block: &StateSpace, width: u64) -> [WeightedProduct; 4] {
    let StateSpace { channels, states, rank, .. } = *block;
    let once = WeightedProduct::new;
    [
        once("x, z", width, 2 * channels),
        // `x` is read once more by the scan.
        WeightedProduct { passes: channels, keeps: true, ..once("rank, B, C", channels, rank + 2 * states) },
        WeightedProduct { passes: 2 * states + 2 * channels, ..once("dt", rank, channels) },
        once("output projection", channels, width),
    ]
}

/// The parts of a layer for every token, in their order.
pub fn state_space_parts(block: &StateSpace, width: u64, norm: Norm) -> Vec<Part> {
    let StateSpace { channels, states, kernel, .. } = *block;
    let lanes = |work, channels| Part::Lanes(TokenStep { work, channels, is_kept: false });
    let [input, selection, step, output] = state_space_products(block, width).map(Part::Product);
    let norm = (norm != Norm::None).then(|| lanes(TokenWork::Norm(norm), width));
    let rest = [
        input,
        lanes(TokenWork::Convolution { kernel, behind: channels }, channels),
        selection,
        step,
        lanes(TokenWork::Scan { states }, channels),
        output,
        lanes(TokenWork::Residual(Added::Input), width),
    ];
    norm.into_iter().chain(rest).collect()
}

/// Bits that a sequence keeps of all its earlier tokens: states, which are sums, and the last inputs of the
/// convolution.
pub const fn state_space_bits(block: &StateSpace, bits: &ElementBits) -> u64 {
    block.channels * (block.states * bits.sums + block.kernel.saturating_sub(1) * bits.activations)
}
