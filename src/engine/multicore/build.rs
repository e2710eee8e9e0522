//! From layers and cuts to tiles, tensors and edges.

use super::dependencies::{Producers, overlapping};
use super::graph::{Edge, Tensor, Tile, TileGraph};
use super::nest::{Access, LoopNest, Part};
use super::rules::TilingRules;
use super::tiling::{Grid, Split};
use crate::hardware::Operand;
use crate::workload::Dim;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A layer, how it is cut, and on how many cores it may run.
#[derive(Debug, Clone, PartialEq)]
pub struct TiledLayer {
    /// Its loops.
    pub nest: LoopNest,
    /// How it is cut.
    pub split: Split,
    /// How many cores may compute it.
    pub cores: usize,
}

/// The tiles of a network with the loops that each computes.
#[derive(Debug, Clone, PartialEq)]
pub struct TiledNetwork {
    /// Tiles, tensors, edges.
    pub graph: TileGraph,
    /// Part of its layer's loops that each tile computes.
    pub parts: Vec<Part>,
    /// Number of the first tile of each layer, and one more at the end.
    pub first: Vec<usize>,
    /// Elements of each tensor, axis by axis, from the first to behind the last.
    pub spans: Vec<Vec<Range<i64>>>,
}

/// Cuts a network into tiles.
pub fn tile_graph(layers: &[TiledLayer], rules: TilingRules) -> TiledNetwork {
    let layers: Vec<TiledLayer> = layers.iter().map(|layer| enlarged(layer, rules)).collect();
    let grids: Vec<Grid> = layers.iter().map(|layer| Grid::new(&layer.nest, &layer.split, rules)).collect();
    let mut built = TiledNetwork { graph: TileGraph::default(), parts: Vec::new(), first: vec![0], spans: Vec::new() };
    let (mut tiles, mut tensors, mut edges) = (Vec::new(), Vec::new(), Vec::new());
    for (index, (layer, grid)) in layers.iter().zip(&grids).enumerate() {
        let first = tiles.len();
        let mut known: FxHashMap<(Operand, Vec<Range<i64>>), usize> = FxHashMap::default();
        let mut tensor = |access: &Access, part: &Part, is_output: bool| {
            let spans = spans_of(access, part, is_output || rules.fetches_padding);
            *known.entry((access.operand, spans)).or_insert_with_key(|(_, spans)| {
                let elements: u64 = spans.iter().map(|span| (span.end - span.start) as u64).product();
                let is_complete = !is_output || layer.nest.is_final(part);
                let bits = elements * if is_complete { access.bits } else { layer.nest.partial_bits };
                let irrelevant = layer.split.cuts().filter(|cut| !access.is_relevant(cut.0));
                let uses = irrelevant.map(|cut| cut.1).product();
                tensors.push(Tensor { bits, uses, is_output });
                built.spans.push(spans.clone());
                tensors.len() - 1
            })
        };
        let parts = grid.parts();
        let groups = groups(layer, &parts);
        for (number, part) in parts.iter().enumerate() {
            let mut of = [None; 3];
            of[Operand::O as usize] = Some(tensor(&layer.nest.output, part, true));
            for input in &layer.nest.inputs {
                of[input.operand as usize] = Some(tensor(input, part, false));
            }
            let constants = layer.nest.inputs.iter().filter(|input| input.source.is_none());
            tiles.push(Tile {
                layer: index,
                number,
                group: groups[number],
                tensors: of,
                constants: constants.map(|input| input.operand).collect(),
                is_final: layer.nest.is_final(part),
            });
        }
        let mut last_of_group: FxHashMap<usize, usize> = FxHashMap::default();
        for (number, &group) in groups.iter().enumerate() {
            if let Some(before) = last_of_group.insert(group, first + number) {
                edges.push(Edge { from: before, to: first + number, operand: None, bits: 0 });
            }
        }
        built.parts.extend(parts);
        built.first.push(tiles.len());
    }
    for (index, layer) in layers.iter().enumerate() {
        let mut latest: FxHashMap<(usize, usize), usize> = FxHashMap::default();
        for input in &layer.nest.inputs {
            let Some(source) = input.source else { continue };
            let producers = Producers::new(&layers[source].nest, &grids[source]);
            for to in built.first[index]..built.first[index + 1] {
                for number in overlapping(&producers, &layer.nest, input, &built.parts[to], rules) {
                    let from = built.first[source] + number;
                    let output = tiles[from].tensors[Operand::O as usize];
                    let bits = output.map_or(0, |output: usize| tensors[output].bits);
                    let edge = Edge { from, to, operand: Some(input.operand), bits };
                    if rules.keeps_last_edge
                        && let Some(&known) = latest.get(&(from, to))
                    {
                        edges[known] = edge;
                    } else {
                        latest.insert((from, to), edges.len());
                        edges.push(edge);
                    }
                }
            }
        }
    }
    built.graph = TileGraph::new(tiles, tensors, edges);
    built
}

/// The layer as it is computed: by the tool's rules its loops grow to multiples of the pieces in time.
fn enlarged(layer: &TiledLayer, rules: TilingRules) -> TiledLayer {
    let mut layer = layer.clone();
    if rules.enlarges_layers {
        for &(dim, pieces) in &layer.split.in_time {
            let size = &mut layer.nest.sizes[dim as usize];
            *size = size.next_multiple_of(pieces);
        }
    }
    layer
}

/// From where to where part of the loops goes along each axis, with what is only padding or without.
fn spans_of(access: &Access, part: &Part, with_padding: bool) -> Vec<Range<i64>> {
    let span = |axis: &super::nest::Axis| {
        let span = axis.span(part);
        if with_padding { span } else { axis.existing(&span) }
    };
    access.axes.iter().map(span).collect()
}

/// Which of the layer's cores computes each tile: tiles of the same part of the loops that are cut over cores belong together.
fn groups(layer: &TiledLayer, parts: &[Part]) -> Vec<usize> {
    let has_constant = layer.nest.inputs.iter().any(|input| input.source.is_none());
    if layer.split.over_cores.is_empty() || layer.cores == 1 && !has_constant {
        return vec![0; parts.len()];
    }
    let period = |dim: Dim| {
        let in_time: u64 = layer.split.in_time.iter().filter(|cut| cut.0 == dim).map(|cut| cut.1).product();
        (layer.nest.size(dim) / in_time).max(1)
    };
    let mut known: FxHashMap<Vec<u64>, usize> = FxHashMap::default();
    let group = |part: &Part| {
        let key = layer.split.over_cores.iter().map(|(dim, _)| part[*dim as usize].start % period(*dim)).collect();
        let next = known.len();
        *known.entry(key).or_insert(next)
    };
    parts.iter().map(group).collect()
}
