//! Layers as loops, for tests and benches.

use fusescape_engine::hardware::Operand;
use fusescape_engine::multicore::{AccessFunction, AxisExpression, LoopNest, NestId};
use fusescape_engine::workload::Dim;

/// A convolution of a map of `channels`, `rows`, `columns` with zeros around it; `source` is the layer that computes
/// the map.
pub fn convolution(
    source: Option<NestId>,
    (channels, rows, columns): (u64, u64, u64),
    out: u64,
    groups: u64,
    (stride, (kernel, dilation)): (u64, (u64, u64)),
) -> LoopNest {
    let padding = (dilation * (kernel - 1) / 2) as i64;
    let (k, c) = (out / groups, channels / groups);
    let (oy, ox) = ((rows - 1) / stride + 1, (columns - 1) / stride + 1);
    let mut sizes = [1; 8];
    for (dim, size) in
        [(Dim::G, groups), (Dim::K, k), (Dim::C, c), (Dim::OY, oy), (Dim::OX, ox), (Dim::FY, kernel), (Dim::FX, kernel)]
    {
        sizes[dim as usize] = size;
    }
    let window = |out: Dim, tap: Dim, size: u64| AxisExpression {
        terms: vec![(out, stride), (tap, dilation)],
        offset: -padding,
        size,
    };
    let channel = |inner: Dim, count: u64| AxisExpression {
        terms: vec![(Dim::G, count), (inner, 1)],
        offset: 0,
        size: groups * count,
    };
    LoopNest {
        name: "conv".to_owned(),
        sizes,
        output: AccessFunction {
            operand: Operand::O,
            input: None,
            source: None,
            axes: vec![
                AxisExpression::of(Dim::B, 1),
                channel(Dim::K, k),
                AxisExpression::of(Dim::OY, oy),
                AxisExpression::of(Dim::OX, ox),
            ],
            bits: 8,
        },
        inputs: vec![
            AccessFunction {
                operand: Operand::I,
                input: None,
                source,
                axes: vec![
                    AxisExpression::of(Dim::B, 1),
                    channel(Dim::C, c),
                    window(Dim::OY, Dim::FY, rows),
                    window(Dim::OX, Dim::FX, columns),
                ],
                bits: 8,
            },
            AccessFunction {
                operand: Operand::W,
                input: None,
                source: None,
                axes: [(Dim::G, groups), (Dim::K, k), (Dim::C, c), (Dim::FY, kernel), (Dim::FX, kernel)]
                    .map(|(dim, size)| AxisExpression::of(dim, size))
                    .into(),
                bits: 8,
            },
        ],
        partial_bits: 16,
    }
}

/// The sum of the outputs of two layers.
pub fn addition(sources: [NestId; 2], (channels, rows, columns): (u64, u64, u64)) -> LoopNest {
    let mut sizes = [1; 8];
    (sizes[Dim::K as usize], sizes[Dim::OY as usize], sizes[Dim::OX as usize]) = (channels, rows, columns);
    let access = |operand: Operand, source: Option<NestId>| AccessFunction {
        operand,
        input: None,
        source,
        axes: vec![
            AxisExpression::of(Dim::B, 1),
            AxisExpression { terms: vec![(Dim::G, channels), (Dim::K, 1)], offset: 0, size: channels },
            AxisExpression::of(Dim::OY, rows),
            AxisExpression::of(Dim::OX, columns),
        ],
        bits: 8,
    };
    LoopNest {
        name: "add".to_owned(),
        sizes,
        output: access(Operand::O, None),
        inputs: vec![access(Operand::W, Some(sources[0])), access(Operand::I, Some(sources[1]))],
        partial_bits: 16,
    }
}
