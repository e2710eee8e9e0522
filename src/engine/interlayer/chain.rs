//! Networks as HW-Flow-Fusion sees them: layers in a row, each reading the one before.

use crate::spec::Diagnostics;
use crate::workload::{Dim, Layer, LayerId, LayerKind, Network};

/// One axis of a layer, columns or rows, in the paper's terms (Table 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerAxis {
    /// Columns of the input map (Nix), without padding.
    pub input: u64,
    /// Columns of the output map (Nox).
    pub output: u64,
    /// Columns of the kernel (Nkx).
    pub kernel: u64,
    /// Step of the kernel (Sx).
    pub stride: u64,
    /// Zeros before the first column (Px).
    pub padding: u64,
}

impl LayerAxis {
    /// Columns of input that neighbouring `outputs` (at least 1) read, padding included (eq. 4).
    pub fn window(&self, outputs: u64) -> u64 {
        (outputs - 1) * self.stride + self.kernel
    }

    /// Columns that neighbouring tiles share (eq. 7); none where the stride is as long as the kernel.
    pub fn overlap(&self) -> u64 {
        self.kernel.saturating_sub(self.stride)
    }
}

/// A layer that reads only the one before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainLayer {
    /// Unique name.
    pub name: String,
    /// Whether it takes the maximum or average of each map alone, without weights.
    pub is_pooling: bool,
    /// Maps of the input (Nif).
    pub input_maps: u64,
    /// Maps of the output (Nof).
    pub output_maps: u64,
    /// Columns.
    pub x: LayerAxis,
    /// Rows.
    pub y: LayerAxis,
}

impl ChainLayer {
    fn new(layer: &Layer) -> Self {
        let shape = &layer.shape;
        let axis = |input, output, kernel, stride, padding| LayerAxis {
            input,
            output: shape.size(output),
            kernel: shape.size(kernel),
            stride,
            padding,
        };
        Self {
            name: layer.name.clone(),
            is_pooling: shape.kind == LayerKind::Pooling,
            input_maps: shape.input_channels(),
            output_maps: shape.output_channels(),
            x: axis(layer.input_size.0, Dim::OX, Dim::FX, shape.stride.0, layer.padding.left),
            y: axis(layer.input_size.1, Dim::OY, Dim::FY, shape.stride.1, layer.padding.top),
        }
    }

    /// Words of weights between some of its input and output maps; none for pooling.
    pub fn weights(&self, input_maps: u64, output_maps: u64) -> u64 {
        if self.is_pooling { 0 } else { self.x.kernel * self.y.kernel * input_maps * output_maps }
    }

    /// Words of the whole output map.
    pub fn outputs(&self) -> u64 {
        self.x.output * self.y.output * self.output_maps
    }

    /// Input maps that each output map reads: one for pooling.
    pub fn maps_read(&self) -> u64 {
        if self.is_pooling { 1 } else { self.input_maps }
    }

    /// Operations, as the ratio of computation to communication counts them: eq. 13, where each map of pooling reads one map.
    pub fn operations(&self) -> u64 {
        self.outputs() * self.maps_read() * self.x.kernel * self.y.kernel
    }

    /// Multiply-accumulates (eq. 13); none for pooling.
    pub fn macs(&self) -> u64 {
        if self.is_pooling { 0 } else { self.operations() }
    }
}

/// Convolutions and poolings in a row, top (first) layer first. Sizes are in words of any precision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    layers: Vec<ChainLayer>,
}

impl Chain {
    /// The layers of `network`, if it is a chain.
    ///
    /// # Errors
    /// Every layer that the method cannot schedule: it supports convolutions and poolings of a batch of one, without
    /// groups and dilation, each reading the one before.
    pub fn new(network: &Network) -> Result<Self, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let mut layers: Vec<ChainLayer> = Vec::new();
        let mut previous = None;
        for id in network.computing() {
            let layer = network.layer(id);
            let shape = &layer.shape;
            let mut refuse = |what: &str, remedy: &str| {
                diagnostics.add(
                    "layers",
                    format!("HW-Flow-Fusion schedules chains, and `{}` {what}", layer.name),
                    remedy,
                );
            };
            let is_convolution = matches!(shape.kind, LayerKind::Conv | LayerKind::Pointwise);
            if !is_convolution && shape.kind != LayerKind::Pooling {
                refuse(
                    &format!("is of type {}", shape.kind.name()),
                    "Leave it out: only convolutions and poolings are fused",
                );
            } else if is_convolution && shape.size(Dim::G) > 1 {
                refuse("has groups", "Write it without groups");
            }
            if shape.size(Dim::B) > 1 {
                refuse("has a batch of more than one", "Set `batch: 1`");
            }
            if shape.dilation != (1, 1) {
                refuse("is dilated", "Write it without dilation");
            }
            let inputs = network.inputs(id);
            let follows = match previous {
                Some(previous) => inputs == [previous],
                None => inputs.iter().all(|&input| network.layer(input).shape.kind == LayerKind::Input),
            };
            if !follows {
                refuse("does not read the layer before it, and only that", "Leave out branches and shortcuts");
            }
            previous = Some(id);
            layers.push(ChainLayer::new(layer));
        }
        diagnostics.or(Self { layers })
    }

    /// The maximal chains of a network's layers that the method can schedule, with their layers. The output of a layer
    /// within a chain is read by the next layer alone.
    pub fn parts(network: &Network) -> Vec<(Vec<LayerId>, Self)> {
        let mut parts: Vec<(Vec<LayerId>, Self)> = Vec::new();
        let ends_here: Vec<LayerId> = network.stored().collect();
        for id in network.computing() {
            let layer = network.layer(id);
            let shape = &layer.shape;
            let is_known = match shape.kind {
                LayerKind::Conv | LayerKind::Pointwise => shape.size(Dim::G) == 1,
                kind => kind == LayerKind::Pooling,
            };
            if !is_known || shape.size(Dim::B) > 1 || shape.dilation != (1, 1) {
                continue;
            }
            let follows = |last: LayerId| {
                network.inputs(id) == [last] && network.consumers(last).len() == 1 && !ends_here.contains(&last)
            };
            let reads = |(layers, _): &&mut (Vec<LayerId>, Self)| layers.last().is_some_and(|&last| follows(last));
            match parts.iter_mut().find(reads) {
                Some((layers, chain)) => {
                    layers.push(id);
                    chain.layers.push(ChainLayer::new(layer));
                }
                None => parts.push((vec![id], Self { layers: vec![ChainLayer::new(layer)] })),
            }
        }
        parts
    }

    /// The layers, top first.
    pub fn layers(&self) -> &[ChainLayer] {
        &self.layers
    }

    /// Where the layer called `name` stands.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.layers.iter().position(|layer| layer.name == name)
    }
}
