//! A builder of networks: windows, and one operator per line.

use super::graph::{FeatureMap, Operator, OperatorGraph, OperatorKind};
use super::ids::{MapId, OperatorId};
use crate::ids::TiVec;

/// Kernel, stride and padding, equal along both axes.
#[derive(Clone, Copy)]
pub(super) struct SquareWindow {
    kernel: u64,
    stride: u64,
    padding: u64,
    /// Whether a window that reaches beyond the border counts, as Caffe has it for pooling.
    beyond_border: bool,
}

impl SquareWindow {
    /// As many outputs as inputs, for odd kernels.
    pub const fn same(kernel: u64) -> Self {
        Self { kernel, stride: 1, padding: kernel / 2, beyond_border: false }
    }

    /// Without padding.
    pub const fn valid(kernel: u64) -> Self {
        Self { padding: 0, ..Self::same(kernel) }
    }

    /// Windows of Caffe's pooling: without padding, but also windows that reach beyond the border.
    pub const fn pool(kernel: u64) -> Self {
        Self { padding: 0, beyond_border: true, ..Self::same(kernel) }
    }

    pub const fn stride(self, stride: u64) -> Self {
        Self { stride, ..self }
    }

    pub fn outputs(self, inputs: u64) -> u64 {
        let steps = inputs + 2 * self.padding - self.kernel;
        1 + if self.beyond_border { steps.div_ceil(self.stride) } else { steps / self.stride }
    }
}

/// A network as it grows; every method adds one operator and returns the map that it writes.
pub(super) struct GraphBuilder {
    name: &'static str,
    input: FeatureMap,
    operators: TiVec<OperatorId, Operator>,
}

impl GraphBuilder {
    pub fn new(name: &'static str, size: u64) -> Self {
        Self { name, input: FeatureMap { channels: 3, columns: size, rows: size }, operators: TiVec::new() }
    }

    pub fn finish(self) -> OperatorGraph {
        OperatorGraph::merge(self.name.into(), self.input, self.operators.into())
    }

    pub fn map(&self, id: MapId) -> FeatureMap {
        id.writer().map_or(self.input, |writer| self.operators[writer].output)
    }

    pub fn add(
        &mut self,
        name: &str,
        kind: OperatorKind,
        inputs: &[MapId],
        window: SquareWindow,
        channels: u64,
    ) -> MapId {
        let map = self.map(inputs[0]);
        let id = self.operators.push_and_get_key(Operator {
            name: name.into(),
            kind,
            inputs: inputs.to_vec(),
            kernel: (window.kernel, window.kernel),
            stride: (window.stride, window.stride),
            output: FeatureMap { channels, columns: window.outputs(map.columns), rows: window.outputs(map.rows) },
            parameters: 0,
        });
        id.output()
    }

    pub fn with_parameters(&mut self, id: MapId, parameters: u64) -> MapId {
        if let Some(writer) = id.writer() {
            self.operators[writer].parameters = parameters;
        }
        id
    }

    pub fn grouped_conv(
        &mut self,
        name: &str,
        input: MapId,
        channels: u64,
        window: SquareWindow,
        groups: u64,
    ) -> MapId {
        let id = self.add(name, OperatorKind::Conv, &[input], window, channels);
        self.with_parameters(id, window.kernel.pow(2) * (self.map(input).channels / groups) * channels)
    }

    pub fn conv(&mut self, name: &str, input: MapId, channels: u64, window: SquareWindow) -> MapId {
        self.grouped_conv(name, input, channels, window, 1)
    }

    pub fn depthwise(&mut self, name: &str, input: MapId, window: SquareWindow) -> MapId {
        let channels = self.map(input).channels;
        let id = self.add(name, OperatorKind::Depthwise, &[input], window, channels);
        self.with_parameters(id, window.kernel.pow(2) * channels)
    }

    pub fn pool(&mut self, name: &str, input: MapId, window: SquareWindow) -> MapId {
        self.add(name, OperatorKind::Pooling, &[input], window, self.map(input).channels)
    }

    pub fn average(&mut self, input: MapId) -> MapId {
        let map = self.map(input);
        self.add("avgpool", OperatorKind::GlobalPooling, &[input], SquareWindow::valid(map.rows), map.channels)
    }

    pub fn fully_connected(&mut self, name: &str, input: MapId, channels: u64) -> MapId {
        let map = self.map(input);
        let id = self.add(name, OperatorKind::FullyConnected, &[input], SquareWindow::valid(map.rows), channels);
        self.with_parameters(id, map.elements() * channels)
    }

    pub fn concat(&mut self, name: &str, inputs: &[MapId]) -> MapId {
        let channels = inputs.iter().map(|&input| self.map(input).channels).sum();
        self.add(name, OperatorKind::Concat, inputs, SquareWindow::same(1), channels)
    }

    pub fn sum(&mut self, name: &str, inputs: [MapId; 2]) -> MapId {
        self.add(name, OperatorKind::Add, &inputs, SquareWindow::same(1), self.map(inputs[0]).channels)
    }
}
