//! From layers and cuts to tiles, tensors and edges.

use super::dependencies::{Meetings, Producers};
use super::graph::{Edge, Tensor, Tile, TileGraph};
use super::nest::{Access, Axis, LoopNest, Part};
use super::rules::TilingRules;
use super::tiling::{Along, Grid, Position, Split};
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
    let positions: Vec<Vec<Position>> = grids.iter().map(Grid::positions).collect();
    let mut built = TiledNetwork { graph: TileGraph::default(), parts: Vec::new(), first: vec![0], spans: Vec::new() };
    let (mut tiles, mut tensors) = (Vec::new(), Vec::new());
    for (index, (layer, grid)) in layers.iter().zip(&grids).enumerate() {
        built.parts.extend(positions[index].iter().map(|position| grid.part(position)));
        let parts = &built.parts[built.first[index]..];
        let groups = groups(layer, parts);
        let accesses = std::iter::once(&layer.nest.output).chain(&layer.nest.inputs);
        let mut boxes: Vec<Boxes> = accesses.map(|access| Boxes::new(layer, grid, access, rules)).collect();
        let constants = layer.nest.inputs.iter().filter(|input| input.source.is_none());
        let constants: Vec<Operand> = constants.map(|input| input.operand).collect();
        for (number, (position, part)) in positions[index].iter().zip(parts).enumerate() {
            let is_final = layer.nest.is_final(part);
            let mut of = [None; 3];
            for boxes in &mut boxes {
                let is_partial = boxes.is_output() && !is_final;
                let tensor = boxes.tensor(position, is_partial, &mut tensors, &mut built.spans);
                of[boxes.access.operand as usize] = Some(tensor);
            }
            let group = groups[number];
            tiles.push(Tile { layer: index, number, group, tensors: of, constants: constants.clone(), is_final });
        }
        built.first.push(tiles.len());
    }
    let mut edges: Vec<Edge> = Vec::new();
    for (index, layer) in layers.iter().enumerate() {
        let inputs = layer.nest.inputs.iter().filter_map(|input| Some((input, input.source?)));
        let meetings: Vec<(Operand, usize, Meetings)> = inputs
            .map(|(input, source)| {
                let producers = Producers::new(&layers[source].nest, &grids[source]);
                let meetings = Meetings::new(&producers, (&layer.nest, &grids[index]), input, rules);
                (input.operand, built.first[source], meetings)
            })
            .collect();
        let (mut numbers, mut of_tile, mut last_of_group) = (Vec::new(), Vec::new(), Vec::new());
        for (to, position) in (built.first[index]..).zip(&positions[index]) {
            let group = tiles[to].group;
            last_of_group.resize(last_of_group.len().max(group + 1), None);
            let before = last_of_group[group].replace(to);
            of_tile.extend(before.map(|from| Edge { from, to, operand: None, bits: 0 }));
            for (operand, first, meetings) in &meetings {
                meetings.list(position, &mut numbers);
                of_tile.extend(numbers.iter().map(|number| {
                    let from = first + number;
                    let output = tiles[from].tensors[Operand::O as usize];
                    let bits = output.map_or(0, |output: usize| tensors[output].bits);
                    Edge { from, to, operand: Some(*operand), bits }
                }));
            }
            of_tile.sort_by_key(|edge| edge.from);
            for edge in of_tile.drain(..) {
                match edges.last_mut().filter(|last| (last.from, last.to) == (edge.from, to)) {
                    Some(last) if rules.keeps_last_edge => *last = edge,
                    _ => edges.push(edge),
                }
            }
        }
    }
    built.graph = TileGraph::new(tiles, tensors, edges);
    built
}

/// The tensors of an operand of a layer: tiles that touch the same box of elements share one.
struct Boxes<'a> {
    access: &'a Access,
    bits: [u64; 2],
    uses: u64,
    axes: Vec<Spans>,
    /// Tensors by the numbers of their spans.
    known: FxHashMap<u64, usize>,
}

/// What tiles touch along an axis.
struct Spans {
    along: Along,
    /// For each combination of pieces the number of its span; equal spans have equal numbers.
    numbers: Vec<usize>,
    spans: Vec<Range<i64>>,
}

impl<'a> Boxes<'a> {
    fn new(layer: &TiledLayer, grid: &Grid, access: &'a Access, rules: TilingRules) -> Self {
        let is_output = access.operand == Operand::O;
        let with_padding = is_output || rules.fetches_padding;
        let spans_along = |axis: &Axis| {
            let along = Along::new(axis, grid);
            let (mut known, mut spans) = (FxHashMap::default(), Vec::new());
            let number = |position: Position| {
                let span = axis.span(&grid.part(&position));
                let span = if with_padding { span } else { axis.existing(&span) };
                *known.entry((span.start, span.end)).or_insert_with(|| {
                    spans.push(span);
                    spans.len() - 1
                })
            };
            let numbers = along.positions().map(number).collect();
            Spans { along, numbers, spans }
        };
        let irrelevant = layer.split.cuts().filter(|cut| !access.is_relevant(cut.0));
        Self {
            access,
            bits: [access.bits, layer.nest.partial_bits],
            uses: irrelevant.map(|cut| cut.1).product(),
            axes: access.axes.iter().map(spans_along).collect(),
            known: FxHashMap::default(),
        }
    }

    fn is_output(&self) -> bool {
        self.access.operand == Operand::O
    }

    /// The tensor of a tile, which is added where no tile before has the same; `spans` are those of each tensor.
    fn tensor(
        &mut self,
        position: &Position,
        is_partial: bool,
        tensors: &mut Vec<Tensor>,
        spans: &mut Vec<Vec<Range<i64>>>,
    ) -> usize {
        let number = |axis: &Spans| axis.numbers[axis.along.index(position)];
        let key = self.axes.iter().fold(0, |key, axis| key * axis.spans.len() as u64 + number(axis) as u64);
        let (is_output, bits) = (self.is_output(), self.bits[usize::from(is_partial)]);
        *self.known.entry(key).or_insert_with(|| {
            let of_tensor: Vec<Range<i64>> = self.axes.iter().map(|axis| axis.spans[number(axis)].clone()).collect();
            let elements: u64 = of_tensor.iter().map(|span| (span.end - span.start) as u64).product();
            tensors.push(Tensor { bits: elements * bits, uses: self.uses, is_output });
            spans.push(of_tensor);
            tensors.len() - 1
        })
    }
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
