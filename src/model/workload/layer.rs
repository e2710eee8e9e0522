//! The loop nest of one layer, or of the part of a layer that one tile computes.

use super::operation::Operations;
use crate::hardware::Operand;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A loop dimension of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Dim {
    /// Batch.
    B,
    /// Group: channels of depthwise, pooling and elementwise layers.
    G,
    /// Output channel.
    K,
    /// Input channel.
    C,
    /// Output row.
    OY,
    /// Output column.
    OX,
    /// Kernel row.
    FY,
    /// Kernel column.
    FX,
}

impl Dim {
    /// All of them, in the order in which the layers of the DeFiNES tool list theirs.
    pub const ALL: [Self; 8] = [Self::B, Self::G, Self::K, Self::C, Self::OY, Self::OX, Self::FY, Self::FX];

    /// The dimension called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dim| dim.name() == name)
    }

    /// As written in documents.
    pub fn name(self) -> &'static str {
        ["B", "G", "K", "C", "OY", "OX", "FY", "FX"][self as usize]
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Size of every loop dimension, indexed by [`Dim`]; 1 where a layer does not have it.
pub type LoopSizes = [u64; 8];

/// Type of a layer: which loops it has, and how its operands are indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum LayerKind {
    /// An input of the network; computes nothing.
    Input,
    /// Maps of earlier layers, read as another map: joined, cut out, scaled, reshaped. Computes nothing. Tiles reach
    /// through it where it says how it arranges them ([`View`](super::View)); else it shows maps that are complete in
    /// the highest memory.
    View,
    /// Convolution, with groups where G > 1.
    Conv,
    /// Convolution with a 1 x 1 kernel that reads its input without a window.
    Pointwise,
    /// One kernel per channel; another layer may compute them (the gates of squeeze and excitation).
    Depthwise,
    /// Maximum or average over a window: like depthwise, with weights of 0 bits.
    Pooling,
    /// Every output from every input.
    FullyConnected,
    /// Product of two matrices, each batch and group with a pair of its own: the rows of I are the feature map, W is the
    /// other one, whether trained or the whole output of another layer.
    MatMul,
    /// Elementwise sum of two feature maps, X and Y.
    Add,
    /// One number of the channels of each group, column by column and row by row: the sum or the maximum of a softmax or of a
    /// normalisation. A vector unit computes it.
    Reduction,
    /// A function of each element of one feature map: an exponential function, an activation. A vector unit computes
    /// it.
    Elementwise,
    /// A function of each element of a map, X, and one of another, Y, of which every channel meets several of X:
    /// normalisation by a sum, an addition or a product. A vector unit computes it.
    Pairwise,
}

impl LayerKind {
    /// Every variant, in the order of declaration.
    pub const ALL: [Self; 12] = [
        Self::Input,
        Self::View,
        Self::Conv,
        Self::Pointwise,
        Self::Depthwise,
        Self::Pooling,
        Self::FullyConnected,
        Self::MatMul,
        Self::Add,
        Self::Reduction,
        Self::Elementwise,
        Self::Pairwise,
    ];

    /// As written in documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::View => "view",
            Self::Conv => "conv",
            Self::Pointwise => "pointwise",
            Self::Depthwise => "depthwise",
            Self::Pooling => "pooling",
            Self::FullyConnected => "fully-connected",
            Self::MatMul => "matmul",
            Self::Add => "add",
            Self::Reduction => "reduction",
            Self::Elementwise => "elementwise",
            Self::Pairwise => "pairwise",
        }
    }

    /// The kind called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// All names, for a person.
    pub fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }

    /// The order in which layers of this kind list their loop dimensions.
    pub fn dim_order(self) -> [Dim; 8] {
        use Dim::{B, C, FX, FY, G, K, OX, OY};
        match self {
            Self::Pooling => [B, G, K, C, OY, OX, FX, FY],
            Self::MatMul => [C, OY, OX, K, B, G, FY, FX],
            _ => Dim::ALL,
        }
    }

    /// Whether every channel is computed separately (loop dimension G instead of K and C).
    pub fn is_channelwise(self) -> bool {
        matches!(self, Self::Depthwise | Self::Pooling | Self::Add | Self::Elementwise)
    }

    /// Whether layers of this kind read two feature maps, X and Y.
    pub fn reads_two_maps(self) -> bool {
        matches!(self, Self::Add | Self::Pairwise)
    }

    /// Whether only a vector unit computes it: it multiplies and accumulates nothing.
    pub fn needs_vector_unit(self) -> bool {
        matches!(self, Self::Reduction | Self::Elementwise | Self::Pairwise)
    }

    /// Whether a vector unit computes it where there is one.
    pub fn is_for_vector_unit(self) -> bool {
        self.needs_vector_unit() || matches!(self, Self::Add | Self::Pooling)
    }

    /// Whether it has no weights, not even of another layer.
    pub fn has_no_weights(self) -> bool {
        self.is_for_vector_unit() || matches!(self, Self::Input | Self::View)
    }
}

/// Zeros around a feature map, in elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Padding {
    pub left: u64,
    pub right: u64,
    pub top: u64,
    pub bottom: u64,
}

/// Bits per element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Precision {
    /// Weights; of a layer that reads two maps the second one, where it has other bits than the first; else 0 for layers that have none.
    pub w: u64,
    /// Inputs.
    pub i: u64,
    /// Partial sums.
    pub o_partial: u64,
    /// Finished outputs.
    pub o: u64,
}

/// An approximation of the savings by zeros (cf. [`Sparsity::new`]): compressed data is smaller, and an operation with
/// a zero takes no energy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sparsity {
    /// Bits of a weight as the array computes with it.
    pub w_bits: u64,
    /// Bits of an input as the array computes with it.
    pub i_bits: u64,
    /// Multiply-accumulates without a zero, of a million.
    pub active_ppm: u32,
}

impl Sparsity {
    /// The precision and the savings for these shares of W, I and O that are not zero. An element then takes as many
    /// bits as its share of all, rounded up, wherever it lies; zeros are spread evenly, and the code that says where
    /// they are is not counted. Partial sums are none; no cycle is saved.
    pub fn new(precision: Precision, [w, i, o]: [f64; 3]) -> (Precision, Option<Self>) {
        let fewer = |bits: u64, share: f64| ((bits as f64 * share).ceil() as u64).max(bits.min(1));
        let stored =
            Precision { w: fewer(precision.w, w), i: fewer(precision.i, i), o: fewer(precision.o, o), ..precision };
        let share = if precision.w == 0 { i } else { w * i };
        let active_ppm = (1e6 * share).round() as u32;
        let sparsity = Self { w_bits: precision.w, i_bits: precision.i, active_ppm };
        (stored, (w < 1.0 || i < 1.0 || o < 1.0).then_some(sparsity))
    }
}

/// The loop nest of one layer or layer-tile: all that mapping and cost need to know of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LayerShape {
    /// Type of the layer.
    pub kind: LayerKind,
    /// Loop sizes.
    pub sizes: LoopSizes,
    /// The dimensions in the order that decides ties when loop prime factors are merged.
    pub dim_order: [Dim; 8],
    /// Steps of the window: columns, rows.
    pub stride: (u64, u64),
    /// Distance of neighbouring kernel elements: columns, rows.
    pub dilation: (u64, u64),
    /// Columns and rows of the input that windows touch: at a padded border, and where windows leave some out, fewer than they span.
    pub input_limit: (u64, u64),
    /// Limits on the columns and rows that the tools count beyond [`Self::input_limit`]: existing ones that no window
    /// touches, or those that a document states as counted (`Rules::untouched_input_counted`).
    pub untouched: (i64, i64),
    /// Bits per element, as memories hold it.
    pub precision: Precision,
    /// Savings by zeros; `None` where none are stated.
    pub sparsity: Option<Sparsity>,
    /// Operations of a vector unit in each iteration of the loops.
    pub operations: Operations,
}

impl LayerShape {
    /// Size of one loop dimension.
    pub fn size(&self, dim: Dim) -> u64 {
        self.sizes[dim as usize]
    }

    /// Iterations of all loops.
    pub fn iterations(&self) -> u64 {
        self.sizes.iter().product()
    }

    /// Multiply-accumulates: the product of all loop sizes, also for pooling and additions; 0 for layers that only a
    /// vector unit computes.
    pub fn macs(&self) -> u64 {
        if self.kind.needs_vector_unit() { 0 } else { self.iterations() }
    }

    /// Channels of the output, all groups: K times G.
    pub fn output_channels(&self) -> u64 {
        self.size(Dim::K) * self.size(Dim::G)
    }

    /// Channels of (each) input; of the first one where the second has fewer.
    pub fn input_channels(&self) -> u64 {
        let of_each_group = if self.kind == LayerKind::Pairwise { Dim::K } else { Dim::C };
        self.size(of_each_group) * self.size(Dim::G)
    }

    /// Channels of the input at a place: 0 or 1.
    pub fn channels_of_input(&self, place: usize) -> u64 {
        match (self.kind, place) {
            (LayerKind::Pairwise, 1) => self.size(Dim::G),
            _ => self.input_channels(),
        }
    }

    /// Different input columns and rows that the window touches, real ones only.
    pub fn input_extent(&self) -> (u64, u64) {
        let extent = |outputs, kernel, stride, dilation, limit: u64| {
            (unique_extent(outputs as f64, kernel as f64, stride, dilation) as u64).min(limit)
        };
        (
            extent(self.size(Dim::OX), self.size(Dim::FX), self.stride.0, self.dilation.0, self.input_limit.0),
            extent(self.size(Dim::OY), self.size(Dim::FY), self.stride.1, self.dilation.1, self.input_limit.1),
        )
    }

    /// Elements of weights, (one) input and output.
    pub fn elements(&self, operand: Operand) -> u64 {
        match operand {
            Operand::W if self.kind.reads_two_maps() => 0,
            Operand::W => {
                let kernels: u64 =
                    [Dim::G, Dim::K, Dim::C, Dim::FY, Dim::FX].iter().map(|&dim| self.size(dim)).product();
                kernels * if self.kind == LayerKind::MatMul { self.size(Dim::B) } else { 1 }
            }
            Operand::I => {
                let (columns, rows) = self.input_extent();
                self.size(Dim::B) * self.input_channels() * columns * rows
            }
            Operand::O => self.size(Dim::B) * self.output_channels() * self.size(Dim::OY) * self.size(Dim::OX),
        }
    }

    /// Bits of the layer's weights, all groups.
    pub fn weight_bits(&self) -> u64 {
        self.elements(Operand::W) * self.precision.w
    }

    /// Bits of the finished output.
    pub fn output_bits(&self) -> u64 {
        self.elements(Operand::O) * self.precision.o
    }

    /// Bits of one input, the first.
    pub fn input_bits(&self) -> u64 {
        self.elements(Operand::I) * self.precision.i
    }

    /// Bits of all maps that it reads: of both, if it adds two.
    pub fn all_input_bits(&self) -> u64 {
        let of_a_channel = self.elements(Operand::I) / self.input_channels().max(1);
        let bits = [self.precision.i, self.second_map_bits()];
        let channels = (0..self.input_count()).map(|place| self.channels_of_input(place));
        channels.zip(bits).map(|(channels, bits)| of_a_channel * channels * bits).sum()
    }

    /// Bits per element of the second of two maps that a layer reads.
    pub fn second_map_bits(&self) -> u64 {
        if self.precision.w > 0 { self.precision.w } else { self.precision.i }
    }

    /// Number of feature maps read: two for an addition.
    pub fn input_count(&self) -> usize {
        match self.kind {
            LayerKind::Input | LayerKind::View => 0,
            kind if kind.reads_two_maps() => 2,
            _ => 1,
        }
    }
}

/// Greatest common divisor.
pub fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Number of different input columns that `outputs` neighbouring windows of `kernel` elements touch.
///
/// Counts distinct indices `stride * o + dilation * f` (DeFiNES tool, layer_node.py:192-198); holes between
/// windows that do not meet are not counted. The arguments may be averages of fractional unrollings.
pub fn unique_extent(outputs: f64, kernel: f64, stride: u64, dilation: u64) -> f64 {
    let g = if stride == 1 || dilation == 1 { 1 } else { gcd(stride, dilation).max(1) };
    let (stride, dilation) = ((stride / g) as f64, (dilation / g) as f64);
    outputs * kernel - (kernel - stride).max(0.0) * (outputs - dilation).max(0.0)
}

/// Number of different columns of an input of `size` that they touch, with `padding` zeros before it.
pub fn touched_extent(size: u64, padding: u64, outputs: u64, kernel: u64, stride: u64, dilation: u64) -> u64 {
    let g = gcd(stride, dilation).max(1);
    let (step, tap) = (stride / g, dilation / g);
    // Distinct indices below `end`: each counts for the last window that reads it. Tap `step` more is a window `tap` earlier.
    let before = |end: u64| -> u64 {
        let of_tap = |at: u64| {
            let windows = outputs.min(end.div_ceil(g).saturating_sub(tap * at).div_ceil(step));
            if at < step { windows } else { windows - windows.min(outputs.saturating_sub(tap)) }
        };
        (0..kernel.min(end.div_ceil(dilation.max(1)))).map(of_tap).sum()
    };
    let all = unique_extent(outputs as f64, kernel as f64, stride, dilation) as u64;
    // Counted from the other end, those behind the input are those before it.
    let spans = (outputs - 1) * stride + (kernel - 1) * dilation + 1;
    let behind = spans.saturating_sub(padding.saturating_add(size));
    all.saturating_sub(before(padding)).saturating_sub(before(behind))
}

/// As [`unique_extent`], but as the public tools count: fewer windows than the dilation share a negative number of
/// columns.
pub fn overcounted_extent(outputs: f64, kernel: f64, stride: u64, dilation: u64) -> f64 {
    let g = gcd(stride, dilation).max(1);
    let (stride, dilation) = ((stride / g) as f64, (dilation / g) as f64);
    outputs * kernel - (kernel - stride).max(0.0) * (outputs - dilation)
}

#[cfg(test)]
mod tests {
    use super::{touched_extent, unique_extent};
    use std::collections::BTreeSet;

    #[test]
    fn distinct_indices_are_counted() {
        for outputs in 1..8_u64 {
            for kernel in 1..5 {
                for stride in 1..5 {
                    for dilation in 1..5 {
                        let touched: BTreeSet<u64> = (0..outputs)
                            .flat_map(|output| (0..kernel).map(move |tap| output * stride + tap * dilation))
                            .collect();
                        let extent = unique_extent(outputs as f64, kernel as f64, stride, dilation);
                        let what = format!("{outputs} outputs, kernel {kernel}, stride {stride}, dilation {dilation}");
                        assert_eq!(extent, touched.len() as f64, "{what}");
                        for (size, padding) in (1..12).flat_map(|size| (0..6).map(move |padding| (size, padding))) {
                            let real = touched.iter().filter(|&&at| (padding..padding + size).contains(&at)).count();
                            let counted = touched_extent(size, padding, outputs, kernel, stride, dilation);
                            assert_eq!(counted, real as u64, "{what}, {size} columns behind {padding} of padding");
                        }
                    }
                }
            }
        }
    }
}
