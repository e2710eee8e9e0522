//! Traffic of groups between DRAM and chip by Optimus' model, map by map (Optimus, Section 5.1, eq. 3).

use crate::fusion::{Group, MapId, NETWORK_INPUT, OperatorGraph, OperatorId, ParameterLoading, Scheme, Setting};
use serde::{Deserialize, Serialize};

/// The traffic of one group: the maps at its border for every image, and its parameters as often as they are loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupTraffic {
    /// The maps that come in and go out.
    pub maps: Vec<MapTraffic>,
    /// The layers that have weights, by their index among the computing layers, with their number of elements.
    pub parameters: Vec<(usize, u64)>,
    /// The number of times that these are loaded.
    pub loading: ParameterLoading,
    /// Sum over all images, elements.
    pub elements: u64,
}

/// A map that comes into a group, or goes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapTraffic {
    /// The layer that computes it, by its place among the computing layers; `None` for the network's input.
    pub layer: Option<usize>,
    /// Whether the group reads it.
    pub is_read: bool,
    /// Channels, columns and rows.
    pub sizes: [u64; 3],
}

/// How elements of several groups become bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrafficUnits {
    /// Precision of maps and weights, bits.
    pub element_bits: u64,
    /// Images.
    pub batch: u64,
}

impl TrafficUnits {
    pub(super) fn of(setting: &Setting) -> Self {
        Self { element_bits: setting.bits, batch: setting.batch }
    }
}

impl GroupTraffic {
    /// The traffic of the operators of a graph with these ids, in ascending order; `None` if their smallest tile does
    /// not fit.
    pub(super) fn of(graph: &OperatorGraph, operators: &[OperatorId], setting: &Setting) -> Option<Self> {
        let group = Group::new(graph, operators);
        let cost = group.cost(setting)?;
        let read = group.external_inputs().map(|map| map_traffic(graph, map, true));
        let written = group.outputs().map(|map| map_traffic(graph, map, false));
        Some(Self {
            maps: read.chain(written).collect(),
            parameters: parameters(graph, operators.iter().copied()),
            loading: cost.loading,
            elements: cost.elements,
        })
    }

    /// The traffic of each group of a scheme; empty where there is none.
    pub(super) fn of_scheme(graph: &OperatorGraph, scheme: Option<&Scheme>, setting: &Setting) -> Vec<Self> {
        let groups = scheme.into_iter().flat_map(|scheme| &scheme.groups);
        let traffic = groups.filter_map(|group| {
            let mut group = group.clone();
            group.sort_unstable();
            Self::of(graph, &group, setting)
        });
        traffic.collect()
    }

    /// Every weight and the network's input and outputs once: no groups move less.
    pub(super) fn oracle(graph: &OperatorGraph, elements: u64) -> Self {
        let input = (!graph.readers(NETWORK_INPUT).is_empty()).then(|| map_traffic(graph, NETWORK_INPUT, true));
        let outputs = graph.ids().filter(|&id| graph.consumers(id).is_empty());
        Self {
            maps: input.into_iter().chain(outputs.map(|id| map_traffic(graph, id.output(), false))).collect(),
            parameters: parameters(graph, graph.ids()),
            loading: ParameterLoading::Once,
            elements,
        }
    }
}

fn map_traffic(graph: &OperatorGraph, map: MapId, is_read: bool) -> MapTraffic {
    let of = graph.map(map);
    MapTraffic { layer: map.writer().map(OperatorId::index), is_read, sizes: [of.channels, of.columns, of.rows] }
}

fn parameters(graph: &OperatorGraph, operators: impl Iterator<Item = OperatorId>) -> Vec<(usize, u64)> {
    operators.map(|id| (id.index(), graph.operators()[id].parameters)).filter(|of| of.1 > 0).collect()
}
