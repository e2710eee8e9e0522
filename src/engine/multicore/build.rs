//! Builds the tile graph of a network: tiles, tensors and dependencies, from its layers and their cuts.

use super::dependencies::{LayerDependencies, Producers};
use super::graph::{Edge, Tile, TileGraph, TileGraphBuilder, TileTensor};
use super::ids::{GroupId, NestId, TensorId, TileId, TileNumber};
use super::nest::{AccessFunction, AxisExpression, LoopNest, LoopRanges};
use super::rules::TilingRules;
use super::tiling::{AxisPieces, LoopCuts, TileGrid, TilePosition};
use crate::hardware::Operand;
use crate::ids::{TiSlice, TiVec};
use crate::units::Bits;
use crate::workload::{Dim, LayerId};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::Arc;

/// A layer with its cuts, and the number of cores that share it.
#[derive(Debug, Clone, PartialEq)]
pub struct CutLayer {
    /// Its loops.
    pub nest: LoopNest,
    /// How it is cut.
    pub split: LoopCuts,
    /// Number of cores that may compute it.
    pub cores: usize,
}

/// The tile graph of a network, and which tiles belong to which layer.
#[derive(Debug, Clone, PartialEq)]
pub struct TiledNetwork {
    /// Tiles, tensors, edges.
    pub graph: TileGraph,
    /// Ids of the tiles of each layer.
    tiles_of: TiVec<NestId, Range<TileId>>,
    grids: TiVec<NestId, TileGrid>,
}

impl TiledNetwork {
    /// The tiles of a layer, by number.
    pub fn tiles_of(&self, layer: NestId) -> impl DoubleEndedIterator<Item = TileId> + ExactSizeIterator + Clone {
        TileId::within(self.tiles_of[layer].clone())
    }

    /// The tile of a layer with a number.
    pub fn tile(&self, layer: NestId, number: TileNumber) -> TileId {
        numbered(&self.tiles_of[layer], number)
    }

    /// Part of its layer's loops that a tile computes.
    pub fn part(&self, tile: TileId) -> LoopRanges {
        let Tile { layer, number, .. } = self.graph.tiles[tile];
        let grid = &self.grids[layer];
        grid.part(&grid.position(number))
    }
}

/// The tile graph of a network.
pub fn tile_graph(layers: &TiSlice<NestId, CutLayer>, rules: TilingRules) -> TiledNetwork {
    let layers: TiVec<NestId, CutLayer> = layers.iter().map(|layer| enlarged(layer, rules)).collect();
    let grids: TiVec<NestId, TileGrid> =
        layers.iter().map(|layer| TileGrid::new(&layer.nest, &layer.split, rules)).collect();
    let (mut graph, mut tensors, mut tiles_of) = (TileGraphBuilder::default(), Tensors::default(), TiVec::new());
    for ((index, layer), grid) in layers.iter_enumerated().zip(&grids) {
        let first = graph.tiles().next_key();
        let groups = groups(layer, grid);
        let accesses = std::iter::once(&layer.nest.output).chain(&layer.nest.inputs);
        let mut boxes: Vec<TensorBoxes> = accesses.map(|access| TensorBoxes::new(layer, grid, access, rules)).collect();
        let constants = layer.nest.inputs.iter().filter(|input| input.source.is_none());
        let constants: Arc<[Operand]> = constants.map(|input| input.operand).collect();
        let reducing = layer.nest.reducing();
        for number in TileNumber::first(grid.count) {
            let position = grid.position(number);
            let completes = |dim: &Dim| grid.piece(*dim, &position).end == layer.nest.size(*dim);
            let is_final = reducing.iter().all(completes);
            let mut of = [None; 3];
            for boxes in &mut boxes {
                let is_partial = boxes.is_output() && !is_final;
                of[boxes.access.operand as usize] = Some(boxes.tensor(&position, is_partial, &mut tensors));
            }
            let group = groups.get(number).copied().unwrap_or_default();
            graph.push(Tile { layer: index, number, group, tensors: of, constants: constants.clone(), is_final });
        }
        tiles_of.push(first..graph.tiles().next_key());
    }
    for index in layers.keys() {
        let meetings = meetings(&layers, &grids, index, rules);
        let (mut numbers, mut edges, mut last_of_group) = (Vec::new(), Vec::new(), TiVec::new());
        for to in TileId::within(tiles_of[index].clone()) {
            let Tile { number, group, .. } = graph.tiles()[to];
            let position = grids[index].position(number);
            last_of_group.resize(last_of_group.len().max(group.index() + 1), None);
            let before = last_of_group[group].replace(to);
            edges.clear();
            for (operand, source, meetings) in &meetings {
                meetings.list(&position, &mut numbers);
                let from = |number: &TileNumber| numbered(&tiles_of[*source], *number);
                edges.extend(numbers.iter().map(|number| Edge { from: from(number), to, operand: Some(*operand) }));
            }
            edges.extend(before.map(|from| Edge { from, to, operand: None }));
            edges.sort_by_key(|edge| edge.from);
            if rules.keeps_last_edge {
                edges.dedup_by(|later, kept| {
                    let is_same = later.from == kept.from;
                    if is_same {
                        *kept = *later;
                    }
                    is_same
                });
            }
            graph.wait(&edges);
        }
    }
    TiledNetwork { graph: graph.finish(tensors.all), tiles_of, grids }
}

/// Number of edges between tiles of different layers, counted without building the graph, whose size it limits.
pub fn count_edges(layers: &TiSlice<NestId, CutLayer>, rules: TilingRules) -> u64 {
    let layers: TiVec<NestId, CutLayer> = layers.iter().map(|layer| enlarged(layer, rules)).collect();
    let grids: TiVec<NestId, TileGrid> =
        layers.iter().map(|layer| TileGrid::new(&layer.nest, &layer.split, rules)).collect();
    let of_layer = |index: NestId| meetings(&layers, &grids, index, rules).into_iter().map(move |of| (index, of.2));
    let counts = layers.keys().flat_map(of_layer).map(|(index, meetings)| meetings.count(&grids[index]));
    counts.fold(0, u64::saturating_add)
}

/// The tile with a number among those of its layer.
fn numbered(of_layer: &Range<TileId>, number: TileNumber) -> TileId {
    TileId::from(of_layer.start.index() + number.index())
}

/// For each operand of a layer that another layer computes: that layer, and which of its tiles each tile waits for.
fn meetings(
    layers: &TiSlice<NestId, CutLayer>,
    grids: &TiSlice<NestId, TileGrid>,
    index: NestId,
    rules: TilingRules,
) -> Vec<(Operand, NestId, LayerDependencies)> {
    let nest = &layers[index].nest;
    let inputs = nest.inputs.iter().filter_map(|input| Some((input, input.source?)));
    inputs
        .map(|(input, source)| {
            let producers = Producers::new(&layers[source].nest, &grids[source]);
            (input.operand, source, LayerDependencies::new(&producers, (nest, &grids[index]), input, rules))
        })
        .collect()
}

/// The tensors of all layers.
#[derive(Default)]
struct Tensors {
    all: TiVec<TensorId, TileTensor>,
    /// The tensors of the network's inputs.
    of_inputs: FxHashMap<InputBox, TensorId>,
}

/// A box of elements of an input of the network: bits per element, and from where to where along each axis.
type InputBox = (LayerId, u64, Vec<(i64, i64)>);

/// The tensors of an operand of a layer: tiles that touch the same box of elements share one.
struct TensorBoxes<'a> {
    access: &'a AccessFunction,
    /// The input of the network that it is, where layers share it.
    input: Option<LayerId>,
    bits: [u64; 2],
    uses: u64,
    axes: Vec<AxisSpans>,
    /// Tensors by the numbers of their spans.
    known: Vec<Option<TensorId>>,
}

/// The spans that tiles touch along an axis.
struct AxisSpans {
    along: AxisPieces,
    /// For each combination of pieces the number of its span; equal spans have equal numbers.
    numbers: Vec<usize>,
    /// Beginning and end of each span.
    spans: Vec<(i64, i64)>,
}

impl AxisSpans {
    fn elements(&self, number: usize) -> u64 {
        let (start, end) = self.spans[number];
        (end - start) as u64
    }
}

impl<'a> TensorBoxes<'a> {
    fn new(layer: &CutLayer, grid: &TileGrid, access: &'a AccessFunction, rules: TilingRules) -> Self {
        let is_output = access.operand == Operand::O;
        let with_padding = is_output || rules.fetches_padding;
        let spans_along = |axis: &AxisExpression| {
            let along = AxisPieces::new(axis, grid);
            let (mut known, mut spans) = (FxHashMap::default(), Vec::new());
            let number = |position: TilePosition| {
                let span = axis.span(&grid.part(&position));
                let span = if with_padding { span } else { axis.existing(&span) };
                *known.entry((span.start, span.end)).or_insert_with(|| {
                    spans.push((span.start, span.end));
                    spans.len() - 1
                })
            };
            let numbers = along.positions().map(number).collect();
            AxisSpans { along, numbers, spans }
        };
        let irrelevant = layer.split.cuts().filter(|cut| !access.is_relevant(cut.0));
        let axes: Vec<AxisSpans> = access.axes.iter().map(spans_along).collect();
        Self {
            access,
            input: access.input.filter(|_| !rules.fetches_inputs_apart),
            bits: [access.bits, layer.nest.partial_bits],
            uses: irrelevant.map(|cut| cut.1).product(),
            known: vec![None; axes.iter().map(|axis| axis.spans.len()).product()],
            axes,
        }
    }

    fn is_output(&self) -> bool {
        self.access.operand == Operand::O
    }

    /// The tensor of a tile, which is added where no tile before has the same.
    fn tensor(&mut self, position: &TilePosition, is_partial: bool, tensors: &mut Tensors) -> TensorId {
        let number = |axis: &AxisSpans| axis.numbers[axis.along.index(position)];
        let key = self.axes.iter().fold(0, |key, axis| key * axis.spans.len() + number(axis));
        let (is_output, bits) = (self.is_output(), self.bits[usize::from(is_partial)]);
        *self.known[key].get_or_insert_with(|| {
            let elements: u64 = self.axes.iter().map(|axis| axis.elements(number(axis))).product();
            let tensor = TileTensor { bits: Bits(elements * bits), uses: self.uses, is_output };
            let Some(input) = self.input else { return tensors.all.push_and_get_key(tensor) };
            let of_box = (input, bits, self.axes.iter().map(|axis| axis.spans[number(axis)]).collect());
            match tensors.of_inputs.entry(of_box) {
                Entry::Occupied(known) => {
                    tensors.all[*known.get()].uses += tensor.uses;
                    *known.get()
                }
                Entry::Vacant(place) => *place.insert(tensors.all.push_and_get_key(tensor)),
            }
        })
    }
}

/// The layer as it is computed: by the tool's rules its loops grow to multiples of the pieces in time.
fn enlarged(layer: &CutLayer, rules: TilingRules) -> CutLayer {
    let mut layer = layer.clone();
    if rules.enlarges_layers {
        for &(dim, pieces) in &layer.split.in_time {
            let size = &mut layer.nest.sizes[dim as usize];
            *size = size.next_multiple_of(pieces);
        }
    }
    layer
}

/// Which of the layer's cores computes each tile: tiles of the same part of the loops that are cut over cores belong
/// together. Empty where one core computes all.
fn groups(layer: &CutLayer, grid: &TileGrid) -> TiVec<TileNumber, GroupId> {
    let has_constant = layer.nest.inputs.iter().any(|input| input.source.is_none());
    if layer.split.over_cores.is_empty() || layer.cores == 1 && !has_constant {
        return TiVec::new();
    }
    let period = |dim: Dim| {
        let in_time: u64 = layer.split.in_time.iter().filter(|cut| cut.0 == dim).map(|cut| cut.1).product();
        (layer.nest.size(dim) / in_time).max(1)
    };
    let periods: Vec<(Dim, u64)> = layer.split.over_cores.iter().map(|&(dim, _)| (dim, period(dim))).collect();
    let mut known: FxHashMap<Vec<u64>, GroupId> = FxHashMap::default();
    let group = |number: TileNumber| {
        let position = grid.position(number);
        let key = periods.iter().map(|&(dim, period)| grid.piece(dim, &position).start % period).collect();
        let next = GroupId::from(known.len());
        *known.entry(key).or_insert(next)
    };
    TileNumber::first(grid.count).map(group).collect()
}
