//! A group of operators that run together: its maps and tiles, the buffer that they need, and the traffic between DRAM
//! and chip (Optimus, Section 5).

use super::graph::{FeatureMap, OperatorGraph};
use super::ids::{GroupMap, MapId, OperatorId};
use super::isoa::{IsoaDecision, IsoaPrices, decide};
use super::setting::{Setting, Throughput};
use crate::ids::{TiSlice, TiVec, ti_vec};
use serde::{Deserialize, Serialize};

/// Partial decisions on ISOA that are followed in a network that [is wide](OperatorGraph::is_wide).
const MOST_PARTIALS: usize = 1 << 8;

/// Operators that run together. Their maps are the outputs of all of them, and the maps that they read of others.
#[derive(Debug, Clone)]
pub struct Group<'a> {
    graph: &'a OperatorGraph,
    /// The maps in topological order.
    maps: TiVec<GroupMap, MapId>,
    /// The maps of which each map is computed; empty for maps that come from outside.
    inputs: TiVec<GroupMap, Vec<GroupMap>>,
    /// Whether an operator of the group writes it.
    is_written: TiVec<GroupMap, bool>,
    /// Whether an operator of the group writes it, and it leaves the group: an operator outside reads it, or it is an output of the
    /// network.
    is_output: TiVec<GroupMap, bool>,
}

/// The memory cost of a group, and its loading of parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupCost {
    /// Elements that are read and written, of the whole batch; saturates.
    pub elements: u64,
    /// How the parameters are loaded.
    pub loading: ParameterLoading,
}

/// The number of times that a group's parameters are loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ParameterLoading {
    /// Once, as they stay in the buffer.
    Once,
    /// Once for every tile of every `images` images.
    PerTile {
        /// Tiles from top to bottom: sub-groups, in the paper's terms.
        tiles: u64,
        /// Images of which a tile each is in the buffer.
        images: u64,
        /// Number of times that all parameters are loaded.
        iterations: u64,
    },
}

impl<'a> Group<'a> {
    /// The operators of a graph with these ids, in ascending order, each once.
    pub fn new(graph: &'a OperatorGraph, operators: &[OperatorId]) -> Self {
        let read = operators.iter().flat_map(|&id| &graph.operators()[id].inputs).copied();
        let mut maps: Vec<MapId> = operators.iter().map(|id| id.output()).chain(read).collect();
        maps.sort_unstable();
        maps.dedup();
        let maps: TiVec<GroupMap, MapId> = maps.into();
        let is_member = |id: &OperatorId| operators.binary_search(id).is_ok();
        let is_written: TiVec<GroupMap, bool> =
            maps.iter().map(|map| map.writer().is_some_and(|writer| is_member(&writer))).collect();
        let is_read_elsewhere = |map: MapId| graph.readers(map).is_empty() || !graph.readers(map).iter().all(is_member);
        let is_output =
            maps.iter().zip(&is_written).map(|(&map, &written)| written && is_read_elsewhere(map)).collect();
        let inputs_of = |(&map, &written): (&MapId, &bool)| {
            let writer = map.writer().filter(|_| written);
            let inputs = writer.map_or(&[][..], |writer| &graph.operators()[writer].inputs);
            inputs.iter().filter_map(|input| maps.binary_search(input).ok()).collect()
        };
        let inputs = maps.iter().zip(&is_written).map(inputs_of).collect();
        Self { graph, maps, inputs, is_written, is_output }
    }

    /// The maps in topological order: outputs of the group's operators, and the maps that these read of others.
    pub fn maps(&self) -> &TiSlice<GroupMap, MapId> {
        &self.maps
    }

    /// The maps that come from outside.
    pub fn external_inputs(&self) -> impl Iterator<Item = MapId> + '_ {
        self.maps.iter().zip(&self.is_written).filter(|&(_, &written)| !written).map(|(&map, _)| map)
    }

    /// The maps that go outside.
    pub fn outputs(&self) -> impl Iterator<Item = MapId> + '_ {
        self.maps.iter().zip(&self.is_output).filter(|&(_, &output)| output).map(|(&map, _)| map)
    }

    /// Elements of one image that come from outside and go outside.
    pub fn border(&self) -> u64 {
        self.external_inputs().chain(self.outputs()).map(|map| self.graph.map(map).elements()).sum()
    }

    /// Weights of all operators, in elements.
    pub fn parameters(&self) -> u64 {
        let written = self.maps.iter().zip(&self.is_written).filter(|&(_, &written)| written);
        let writers = written.filter_map(|(map, _)| map.writer());
        writers.map(|writer| self.graph.operators()[writer].parameters).sum()
    }

    /// The most tiles from top to bottom: in each of them every output has at least as many rows as the array computes at once.
    pub fn most_tiles(&self, throughput: Throughput) -> u64 {
        let tiles = |map: MapId| most_tiles_of(self.graph.map(map), throughput);
        self.outputs().map(tiles).max().unwrap_or(1)
    }

    /// Columns and rows of every map that one pixel of every output needs: `t(l-1) = (t(l) - 1) S + K`, the most of all that read it,
    /// and at most the map.
    pub fn pixel(&self) -> TiVec<GroupMap, (u64, u64)> {
        let columns = self.needed(|_| 1, columns);
        columns.into_iter().zip(self.needed(|_| 1, rows)).collect()
    }

    /// Columns and rows of every map that a tile needs where the outputs are cut into `tiles` from top to bottom: line buffers, so
    /// that tiles are as wide as the outputs. Outputs of different heights are cut into equally many.
    pub fn tile(&self, tiles: u64, throughput: Throughput) -> TiVec<GroupMap, (u64, u64)> {
        let least = |map: FeatureMap| map.rows.div_ceil(tiles.max(1)).max(throughput.rows.min(map.rows));
        let columns = self.needed(|map| map.columns, columns);
        columns.into_iter().zip(self.needed(least, rows)).collect()
    }

    /// Extents along one axis, from those of the outputs up to the inputs.
    fn needed(&self, of_output: impl Fn(FeatureMap) -> u64, axis: AxisExtent) -> TiVec<GroupMap, u64> {
        let mut needed: TiVec<GroupMap, u64> = ti_vec![0; self.maps.len()];
        for place in self.maps.keys().rev() {
            let Some(writer) = self.maps[place].writer().filter(|_| self.is_written[place]) else { continue };
            let operator = &self.graph.operators()[writer];
            if self.is_output[place] {
                needed[place] = needed[place].max(of_output(operator.output));
            }
            let (_, stride, kernel) = axis(operator.output, operator.stride, operator.kernel);
            let window = (needed[place].saturating_sub(1)).saturating_mul(stride).saturating_add(kernel);
            for &input in &self.inputs[place] {
                let (extent, ..) = axis(self.graph.map(self.maps[input]), operator.stride, operator.kernel);
                needed[input] = needed[input].max(window.min(extent));
            }
        }
        needed
    }

    /// Which maps are buffered a few channels at a time, so that a tile of one pixel needs the least buffer (Algorithm 2), and among
    /// these the least for `tiles` from top to bottom. Both sums are the price, in elements. In a network that
    /// [is wide](OperatorGraph::is_wide) it is a good decision, perhaps not the best.
    pub fn isoa(&self, tiles: u64, throughput: Throughput) -> IsoaDecision {
        self.decide(&self.pixel(), &self.tile(tiles, throughput), throughput)
    }

    fn decide(
        &self,
        pixel: &TiSlice<GroupMap, (u64, u64)>,
        tile: &TiSlice<GroupMap, (u64, u64)>,
        throughput: Throughput,
    ) -> IsoaDecision {
        let prices = |(place, &map): (GroupMap, &MapId)| {
            let channels = self.graph.map(map).channels;
            let few = throughput.channels.clamp(1, channels);
            // Products cannot overflow: extents are at most the map's, and all maps of a graph have at most 2^40 elements together.
            let (pixel, tile) = (pixel[place].0 * pixel[place].1, tile[place].0 * tile[place].1);
            IsoaPrices { whole: (channels * pixel, channels * tile), in_advance: (few * pixel, few * tile) }
        };
        let prices: TiVec<GroupMap, IsoaPrices> = self.maps.iter_enumerated().map(prices).collect();
        decide(&self.inputs, &prices, if self.graph.is_wide() { MOST_PARTIALS } else { usize::MAX })
    }

    /// A lower bound on the buffer, in elements, for these tiles: the least for each map, for any decisions on the
    /// others.
    fn least_buffer(&self, tile: &TiSlice<GroupMap, (u64, u64)>, throughput: Throughput) -> u64 {
        let few = |(place, &map): (GroupMap, &MapId)| {
            throughput.channels.clamp(1, self.graph.map(map).channels) * tile[place].0 * tile[place].1
        };
        self.maps.iter_enumerated().map(few).sum()
    }

    /// The memory cost of the group under a setting (eq. 3); `None` if not even the smallest tile of one image fits
    /// (eq. 4).
    ///
    /// Eq. 3 counts the maps at the border once, and the parameters once for every tile. The text adds that they are loaded only once
    /// where they fit ([`Residency`](super::Residency)), and the evaluation that images share a loading: a tile each of as many images
    /// as pays lies in the buffer. Rows that neighbouring tiles share are not charged, nor the buffer that streamed parameters pass
    /// through.
    pub fn cost(&self, setting: &Setting) -> Option<GroupCost> {
        let (capacity, throughput) = (setting.capacity(), setting.throughput);
        let pixel = self.pixel();
        let buffer = |tiles| self.decide(&pixel, &self.tile(tiles, throughput), throughput).price.1;
        let most_tiles = self.most_tiles(throughput);
        if self.graph.is_wide() && self.least_buffer(&self.tile(most_tiles, throughput), throughput) > capacity {
            return None;
        }
        let smallest = buffer(most_tiles);
        if smallest > capacity {
            return None;
        }
        let parameters = self.parameters();
        let loading = if setting.is_resident(smallest, parameters) {
            ParameterLoading::Once
        } else {
            stream(setting, (most_tiles, smallest), u64::MAX, buffer).unwrap_or(ParameterLoading::Once)
        };
        let features = self.border().saturating_mul(setting.batch);
        let loaded = parameters.saturating_mul(loading.times());
        Some(GroupCost { elements: features.saturating_add(loaded), loading })
    }
}

impl ParameterLoading {
    /// Number of times that all parameters are loaded.
    pub fn times(&self) -> u64 {
        match *self {
            Self::Once => 1,
            Self::PerTile { iterations, .. } => iterations,
        }
    }
}

/// The most tiles from top to bottom that keep the array busy.
pub(super) fn most_tiles_of(map: FeatureMap, throughput: Throughput) -> u64 {
    map.rows.div_ceil(throughput.rows.clamp(1, map.rows))
}

/// The fewest loadings of the parameters, if they are no more than `at_most`. Fewer tiles need more `buffer`. So do
/// more images at once, and then more tiles are needed. Of equal choices, the one with the fewest passes over the batch
/// is taken, with no more images in each pass than necessary. The `smallest` tiles, of which there are `most_tiles`,
/// fit for one image.
pub(super) fn stream(
    setting: &Setting,
    (most_tiles, smallest): (u64, u64),
    at_most: u64,
    mut buffer: impl FnMut(u64) -> u64,
) -> Option<ParameterLoading> {
    let (capacity, batch) = (setting.capacity(), setting.batch.max(1));
    let (mut best, mut fewest) = (None, at_most.saturating_add(1));
    let mut images = batch;
    loop {
        let passes = batch.div_ceil(images);
        if passes >= fewest {
            return best;
        }
        let room = capacity / images;
        let mut fits = |tiles| if tiles < most_tiles { buffer(tiles) <= room } else { smallest <= room };
        // With more it would be no better.
        let enough = ((fewest - 1) / passes).min(most_tiles);
        if smallest <= room && fits(enough) {
            let tiles = least(enough, fits);
            let iterations = tiles.saturating_mul(passes);
            (best, fewest) = (Some(ParameterLoading::PerTile { tiles, images, iterations }), iterations);
        }
        // The fewest images that take the next number of passes.
        if images == 1 {
            return best;
        }
        images = batch.div_ceil(passes + 1).min(images - 1);
    }
}

/// The least number up to `most` that is good, where all above a good one are, and `most` is.
fn least(most: u64, mut is_good: impl FnMut(u64) -> bool) -> u64 {
    let (mut bad, mut good) = (0, most);
    while good - bad > 1 {
        let middle = bad + (good - bad) / 2;
        if is_good(middle) { good = middle } else { bad = middle }
    }
    good
}

/// Extent, stride and kernel along one axis.
type AxisExtent = fn(FeatureMap, (u64, u64), (u64, u64)) -> (u64, u64, u64);

fn columns(map: FeatureMap, stride: (u64, u64), kernel: (u64, u64)) -> (u64, u64, u64) {
    (map.columns, stride.0, kernel.0)
}

fn rows(map: FeatureMap, stride: (u64, u64), kernel: (u64, u64)) -> (u64, u64, u64) {
    (map.rows, stride.1, kernel.1)
}
