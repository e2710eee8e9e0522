//! Operators and the feature maps between them: a directed acyclic graph that cannot be built wrong.

use super::ids::{MapId, NETWORK_INPUT, OperatorId};
use crate::ids::{TiSlice, TiVec, ti_vec};
use std::fmt;

/// All maps and parameters of a network together, in elements: sums of products with batch and iterations stay exact in 64 bits.
const MAX_ELEMENTS: u64 = 1 << 40;

/// Maps that are needed at once when operators run one by one; the exact decision on ISOA is exponential in it.
const MAX_LIVE_MAPS: usize = 20;

/// A feature map of one image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub struct FeatureMap {
    pub channels: u64,
    pub columns: u64,
    pub rows: u64,
}

impl FeatureMap {
    /// Elements; saturates.
    pub fn elements(&self) -> u64 {
        self.channels.saturating_mul(self.columns).saturating_mul(self.rows)
    }
}

/// The operation of an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OperatorKind {
    /// Convolution, with groups or without; several inputs are read as if concatenated.
    Conv,
    /// One kernel per channel.
    Depthwise,
    /// Every output from every input: its kernel is the whole map.
    FullyConnected,
    /// Maximum or average over a window.
    Pooling,
    /// The average of the whole map.
    GlobalPooling,
    /// Channels of several maps one after another.
    Concat,
    /// Elementwise sum.
    Add,
    /// Operators that are merged away (Optimus, Section 3): batch normalisation, scale and activation are computed in
    /// place; flatten, split and reshape are part of storing or loading a map.
    Simple,
}

/// One operator: a window that slides over its inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    /// Unique name, as in the network's document or table.
    pub name: String,
    /// Its operation.
    pub kind: OperatorKind,
    /// The maps that it reads.
    pub inputs: Vec<MapId>,
    /// Columns and rows of the window; for [`OperatorKind::FullyConnected`] and [`OperatorKind::GlobalPooling`] it is
    /// the whole map, and this field has no effect.
    pub kernel: (u64, u64),
    /// Steps of the window: columns, rows.
    pub stride: (u64, u64),
    /// The map that it writes, of one image.
    pub output: FeatureMap,
    /// Weights, in elements.
    pub parameters: u64,
}

/// Why a list of operators is no [`OperatorGraph`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GraphError {
    /// No operator is left after merging.
    Empty,
    /// An operator reads nothing, or a map that is not written before it; a simple operator reads more than one.
    Inputs(String),
    /// A map, kernel or stride has a size of 0.
    Zero(String),
    /// All maps and parameters together exceed 2^40 elements.
    TooLarge,
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "The network computes nothing: add an operator"),
            Self::Inputs(name) => write!(f, "`{name}` has to read maps that are written before it: correct its inputs"),
            Self::Zero(name) => write!(f, "A size of `{name}` is 0: write 1 or more"),
            Self::TooLarge => write!(f, "Maps and parameters exceed 2^40 elements: make the network smaller"),
        }
    }
}

impl std::error::Error for GraphError {}

/// A network of operators in topological order, none of them simple.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorGraph {
    name: String,
    input: FeatureMap,
    operators: TiVec<OperatorId, Operator>,
    /// For every map the operators that read it, lowest first.
    readers: TiVec<MapId, Vec<OperatorId>>,
    is_wide: bool,
}

impl OperatorGraph {
    /// A network of `operators`, the inputs of which index `operators` as given; simple ones are merged away.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    pub fn new(name: String, input: FeatureMap, operators: Vec<Operator>) -> Result<Self, Vec<GraphError>> {
        let mut errors = check(input, &operators);
        if !errors.is_empty() {
            return Err(errors);
        }
        let graph = Self::merge(name, input, operators);
        if graph.is_empty() {
            errors.push(GraphError::Empty);
        }
        if errors.is_empty() { Ok(graph) } else { Err(errors) }
    }

    /// Merges simple operators away: readers of such an operator read its input instead.
    pub(super) fn merge(name: String, input: FeatureMap, operators: Vec<Operator>) -> Self {
        let mut graph = Self { name, input, operators: TiVec::new(), readers: ti_vec![Vec::new()], is_wide: false };
        let mut merged: TiVec<MapId, MapId> = ti_vec![NETWORK_INPUT];
        for mut operator in operators {
            for map in &mut operator.inputs {
                *map = merged[*map];
            }
            if operator.kind == OperatorKind::Simple {
                merged.push(operator.inputs[0]);
                continue;
            }
            if matches!(operator.kind, OperatorKind::FullyConnected | OperatorKind::GlobalPooling) {
                let whole = graph.map(operator.inputs[0]);
                operator.kernel = (whole.columns, whole.rows);
            }
            let mut read = operator.inputs.clone();
            read.sort_unstable();
            read.dedup();
            let id = graph.operators.push_and_get_key(operator);
            for map in read {
                graph.readers[map].push(id);
            }
            graph.readers.push(Vec::new());
            merged.push(id.output());
        }
        graph.is_wide = graph.live_maps() > MAX_LIVE_MAPS;
        graph
    }

    /// Name of the network.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of operators.
    pub fn len(&self) -> usize {
        self.operators.len()
    }

    /// Whether there is no operator; never true of a network that was built.
    pub fn is_empty(&self) -> bool {
        self.operators.is_empty()
    }

    /// All operators in topological order.
    pub fn operators(&self) -> &TiSlice<OperatorId, Operator> {
        &self.operators
    }

    /// The ids of all operators in topological order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = OperatorId> + ExactSizeIterator + Clone + use<> {
        OperatorId::first(self.len())
    }

    /// The size of a map.
    pub fn map(&self, id: MapId) -> FeatureMap {
        id.writer().map_or(self.input, |writer| self.operators[writer].output)
    }

    /// The operators that read a map, lowest first.
    pub fn readers(&self, map: MapId) -> &[OperatorId] {
        &self.readers[map]
    }

    /// The operators that read an operator's output, lowest first.
    pub fn consumers(&self, id: OperatorId) -> &[OperatorId] {
        &self.readers[id.output()]
    }

    /// The operators whose outputs an operator reads, in the order of its inputs.
    pub fn producers(&self, id: OperatorId) -> impl Iterator<Item = OperatorId> + '_ {
        self.operators[id].inputs.iter().filter_map(|map| map.writer())
    }

    /// Whether more than 20 maps are needed at once. Decisions on ISOA are then good, but not proved to be the best, as there are too many.
    pub fn is_wide(&self) -> bool {
        self.is_wide
    }

    /// The most maps with readers left while operators run one by one. No group needs more at once.
    fn live_maps(&self) -> usize {
        let mut ending: TiVec<OperatorId, usize> = ti_vec![0; self.len()];
        for last in self.readers.iter().filter_map(|readers| readers.last()) {
            ending[*last] += 1;
        }
        let (mut live, mut most) = (usize::from(!self.readers[NETWORK_INPUT].is_empty()), 0);
        for (id, ended) in ending.into_iter_enumerated() {
            most = most.max(live);
            live = live + usize::from(!self.consumers(id).is_empty()) - ended;
        }
        most
    }
}

/// Mistakes of operators before they are merged.
fn check(input: FeatureMap, operators: &[Operator]) -> Vec<GraphError> {
    let mut errors = Vec::new();
    let has_zero = |map: FeatureMap| map.channels == 0 || map.columns == 0 || map.rows == 0;
    if has_zero(input) {
        errors.push(GraphError::Zero("network input".into()));
    }
    for (place, operator) in operators.iter().enumerate() {
        let is_ambiguous = operator.kind == OperatorKind::Simple && operator.inputs.len() > 1;
        if operator.inputs.is_empty() || is_ambiguous || operator.inputs.iter().any(|map| map.index() > place) {
            errors.push(GraphError::Inputs(operator.name.clone()));
        }
        let ((kernel_x, kernel_y), (stride_x, stride_y)) = (operator.kernel, operator.stride);
        if has_zero(operator.output) || [kernel_x, kernel_y, stride_x, stride_y].contains(&0) {
            errors.push(GraphError::Zero(operator.name.clone()));
        }
    }
    let sizes = operators.iter().flat_map(|operator| [operator.output.elements(), operator.parameters]);
    if sizes.fold(input.elements(), u64::saturating_add) > MAX_ELEMENTS {
        errors.push(GraphError::TooLarge);
    }
    errors
}
