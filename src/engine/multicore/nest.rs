//! Layers as loop nests with affine access functions: which elements of each tensor an iteration touches.

use super::ids::NestId;
use crate::hardware::Operand;
use crate::workload::{Dim, LayerId};
use std::ops::Range;

/// Part of a layer's loops, by [`Dim`]; where a layer has no such loop, `0..1`.
pub type LoopRanges = [Range<u64>; 8];

/// The loop nest of a layer.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopNest {
    /// Name of the layer.
    pub name: String,
    /// Size of each loop, by [`Dim`].
    pub sizes: [u64; 8],
    /// Access to the output. Loops that do not index it are reductions.
    pub output: AccessFunction,
    /// Accesses to the inputs, in the order in which tiles fetch them.
    pub inputs: Vec<AccessFunction>,
    /// Bits of a partial sum.
    pub partial_bits: u64,
}

/// The affine access function of an operand: how loops index its tensor.
#[derive(Debug, Clone, PartialEq)]
pub struct AccessFunction {
    /// W, I or O.
    pub operand: Operand,
    /// The layer that computes the tensor; `None` if none does.
    pub source: Option<NestId>,
    /// The input of the network that it reads, with the coordinates of that input, so that other layers may read the
    /// same elements; `None` if it reads none in this way.
    pub input: Option<LayerId>,
    /// Index expressions of its axes. Axes of a source's output and of its readers correspond, in the same order.
    pub axes: Vec<AxisExpression>,
    /// Bits of an element.
    pub bits: u64,
}

/// Affine index expression of an axis: `offset + sum of stride * loop`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AxisExpression {
    /// Loops with their strides, the largest stride first.
    pub terms: Vec<(Dim, u64)>,
    /// Index of the first iteration: negative in padding.
    pub offset: i64,
    /// Size of the axis, elements, without padding.
    pub size: u64,
}

impl AxisExpression {
    /// An axis along which one loop moves step by step.
    pub fn of(dim: Dim, size: u64) -> Self {
        Self { terms: vec![(dim, 1)], offset: 0, size }
    }

    /// From the first to behind the last element that part of the loops touches; it may leave some out in between.
    pub fn span(&self, part: &LoopRanges) -> Range<i64> {
        let reach = |at: fn(&Range<u64>) -> u64| -> i64 {
            self.terms.iter().map(|(dim, stride)| (stride * at(&part[*dim as usize])) as i64).sum()
        };
        self.offset + reach(|range| range.start)..self.offset + reach(|range| range.end - 1) + 1
    }

    /// A span without padding.
    pub fn existing(&self, span: &Range<i64>) -> Range<i64> {
        let end = span.end.clamp(0, self.size as i64);
        span.start.clamp(0, end)..end
    }
}

impl AccessFunction {
    /// The span of part of the loops along each axis.
    pub fn spans(&self, part: &LoopRanges) -> Vec<Range<i64>> {
        self.axes.iter().map(|axis| axis.span(part)).collect()
    }

    /// Whether a loop indexes the tensor.
    pub fn is_relevant(&self, dim: Dim) -> bool {
        self.axes.iter().any(|axis| axis.terms.iter().any(|(other, _)| *other == dim))
    }
}

impl LoopNest {
    /// Ranges of all loops from 0 to their sizes.
    pub fn whole(&self) -> LoopRanges {
        self.sizes.map(|size| 0..size)
    }

    /// Number of iterations of a loop.
    pub fn size(&self, dim: Dim) -> u64 {
        self.sizes[dim as usize]
    }

    /// Reduction loops: those that do not index the output. Tiles with the last pieces of all of them complete outputs.
    pub fn reducing(&self) -> Vec<Dim> {
        Dim::ALL.into_iter().filter(|&dim| !self.output.is_relevant(dim)).collect()
    }

    /// Iterations of part of the loops: multiply-accumulates.
    pub fn macs(&self, part: &LoopRanges) -> u64 {
        part.iter().map(|range| range.end - range.start).product()
    }
}
