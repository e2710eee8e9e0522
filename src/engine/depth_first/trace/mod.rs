//! The steps of a stack: tile by tile and layer by layer, the pixels of every map that are computed, kept or computed
//! again, the data that moves between memories, and their contents.
//!
//! Columns and rows are independent of each other, so [`StackTrace`] has one entry per column and per row of tiles
//! instead of one per tile: a map of 960 x 540 pixels in tiles of 4 x 4 has 32,400 tiles, but 240 columns and 135 rows.
//! A step, one layer in one tile, is computed on demand: its pixels by column and row ([`StackTrace::window`]), its
//! costs by the tile's type ([`StackAccount::step`]). The steps of a stack add up to its account
//! (`tests/engine/depth_first/trace.rs`).

mod contents;
mod flows;
mod window;

pub use contents::{Contents, ContentsPart};
pub use flows::{FlowEnd, OperandFlow};
pub use window::{MapWindow, Rect};

use super::account::{LayerTileAccount, StackAccount, TileMap, TileRun, TileTypeAccount};
use super::axis::{StripPlaces, TileAxis};
use super::ids::{NodeId, ReadId, TileTypeId};
use super::stack::{Stack, cut};
use super::strategy::{DepthFirstStrategy, FuseDepth};
use crate::hardware::Core;
use crate::ids::TiVec;
use crate::rules::Rules;
use crate::spec::Diagnostics;
use crate::workload::Network;
use serde::{Deserialize, Serialize};

/// Limit on columns and rows of tiles, times the nodes and reads of their stack: some 40 MB.
const MOST_PLACES: usize = 1 << 20;

/// From the first column (or row) to before the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TraceSpan {
    /// The first column (or row) that belongs to it.
    pub first: u64,
    /// The first column (or row) behind it.
    pub end: u64,
}

impl TraceSpan {
    /// Number of columns (or rows).
    pub fn length(self) -> u64 {
        self.end.saturating_sub(self.first)
    }
}

/// Where the tiles of a stack lie on all of its maps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackTrace {
    /// The output maps of the stack's inputs, then those of its layers.
    pub maps: TiVec<NodeId, TraceMap>,
    /// Columns of tiles from left to right.
    pub columns: Vec<StripTrace>,
    /// Rows of tiles from top to bottom.
    pub rows: Vec<StripTrace>,
    /// The reads between nodes, in the order of the strips' reads.
    pub reads: TiVec<ReadId, TraceRead>,
}

/// The output map of a layer, or of a stack input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceMap {
    /// Name of the layer.
    pub layer: String,
    /// Width, pixels.
    pub columns: u64,
    /// Height, pixels.
    pub rows: u64,
    /// Whether it is an input of the stack, which is only fetched.
    pub is_input: bool,
}

/// A read of the stack: which layer reads which map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceRead {
    /// The layer that reads.
    pub reader: NodeId,
    /// The node whose output it reads.
    pub producer: NodeId,
}

/// One column (or row) of tiles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StripTrace {
    /// Where it lies on the last map.
    pub output: TraceSpan,
    /// By node, the part of its map that is computed (or fetched).
    pub computed: TiVec<NodeId, TraceSpan>,
    /// By node, the columns up to which earlier strips have computed its map.
    pub before: TiVec<NodeId, u64>,
    /// By read, the part of the producer's map that is read.
    pub read: TiVec<ReadId, TraceSpan>,
    /// By read, the number of these that an earlier strip left in a cache.
    pub cached: TiVec<ReadId, u64>,
}

/// One layer in one tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TraceStep {
    /// The tile: row by row from the top, in a row from the left.
    pub tile: u64,
    /// The layer, or an input of the stack.
    pub node: NodeId,
}

impl StackTrace {
    /// The trace of stack number `stack` of a point.
    ///
    /// # Errors
    /// Cuts that are impossible, a stack that does not exist, or more places than a page can hold.
    pub fn new(
        core: &Core,
        network: &Network,
        rules: &Rules,
        strategy: &DepthFirstStrategy,
        stack: usize,
    ) -> Result<Self, Diagnostics> {
        let stacks = cut(network, core, &strategy.fuse, rules)?;
        let stack = stacks.get(stack).ok_or_else(no_such_stack)?;
        let tile = if strategy.fuse == FuseDepth::LayerByLayer { (u64::MAX, u64::MAX) } else { strategy.tile };
        check_size(network, stack, tile)?;
        let borders = !rules.tiles_without_borders;
        let strips = |axis: TileAxis, tile: u64, caches: bool| {
            strips(axis.places(network, stack, tile, caches, borders), stack.output(), caches)
        };
        let reads = stack
            .layer_nodes()
            .flat_map(|reader| stack.producers[reader].iter().map(move |&producer| TraceRead { reader, producer }));
        let map = |node: NodeId| {
            let layer = network.layer(stack.nodes[node]);
            let [columns, rows] = [TileAxis::Columns, TileAxis::Rows].map(|axis| axis.map_size(network, stack, node));
            TraceMap { layer: layer.name.clone(), columns, rows, is_input: stack.is_input(node) }
        };
        Ok(Self {
            maps: stack.nodes.keys().map(map).collect(),
            columns: strips(TileAxis::Columns, tile.0, strategy.mode.caches_columns()),
            rows: strips(TileAxis::Rows, tile.1, strategy.mode.caches_rows()),
            reads: reads.collect(),
        })
    }

    /// Number of tiles.
    pub fn tile_count(&self) -> u64 {
        self.columns.len() as u64 * self.rows.len() as u64
    }

    /// The column and the row of a tile.
    pub fn strips_of(&self, tile: u64) -> Option<(&StripTrace, &StripTrace)> {
        let columns = self.columns.len().max(1) as u64;
        let at = |strips: &'_ [StripTrace], index: u64| usize::try_from(index).ok().filter(|&at| at < strips.len());
        let (column, row) = (at(&self.columns, tile % columns)?, at(&self.rows, tile / columns)?);
        Some((self.columns.get(column)?, self.rows.get(row)?))
    }

    /// The tile that lies on a pixel of the last map; the nearest one beyond its borders.
    pub fn tile_over(&self, column: u64, row: u64) -> u64 {
        let at = |strips: &[StripTrace], place: u64| {
            strips.partition_point(|strip| strip.output.first <= place).saturating_sub(1) as u64
        };
        at(&self.rows, row) * self.columns.len() as u64 + at(&self.columns, column)
    }

    /// The step after one: the next layer, or the first of the next tile; `None` after the last.
    pub fn after(&self, step: TraceStep) -> Option<TraceStep> {
        let node = step.node.following();
        if node.index() < self.maps.len() {
            return Some(TraceStep { node, ..step });
        }
        (step.tile + 1 < self.tile_count()).then(|| TraceStep { tile: step.tile + 1, node: NodeId::default() })
    }

    /// The step before one; `None` before the first.
    pub fn before(&self, step: TraceStep) -> Option<TraceStep> {
        match step.node.index().checked_sub(1) {
            Some(node) => Some(TraceStep { node: NodeId::from(node), ..step }),
            None => Some(TraceStep { tile: step.tile.checked_sub(1)?, node: self.maps.last_key()? }),
        }
    }
}

impl StackAccount {
    /// The type of the tile of a step, and the account of its layer there.
    pub fn step(&self, trace: &StackTrace, step: TraceStep) -> Option<(TileTypeId, &LayerTileAccount)> {
        let (tile_type, account) = self.tile(trace, step.tile)?;
        Some((tile_type, account.layers.get(step.node)?))
    }

    /// The type of a tile.
    pub fn tile(&self, trace: &StackTrace, tile: u64) -> Option<(TileTypeId, &TileTypeAccount)> {
        let (column, row) = trace.strips_of(tile)?;
        let tile_type = self.map.type_over(column.output.first, row.output.first)?;
        Some((tile_type, self.tile_types.get(tile_type)?))
    }
}

impl TileMap {
    /// The type of the tile that lies on a pixel.
    pub fn type_over(&self, column: u64, row: u64) -> Option<TileTypeId> {
        let at = |runs: &[TileRun], place: u64| runs.partition_point(|run| run.start <= place).checked_sub(1);
        self.types.get(at(&self.rows, row)?)?.get(at(&self.columns, column)?).copied()
    }
}

/// Strips, each with the columns up to which earlier strips have computed every map.
fn strips(places: Vec<StripPlaces>, output: NodeId, caches: bool) -> Vec<StripTrace> {
    let span = |(first, end): (u64, u64)| TraceSpan { first, end };
    let mut before: TiVec<NodeId, u64> = TiVec::new();
    let strip = |places: StripPlaces| {
        before.resize(places.computed.len(), 0);
        let strip = StripTrace {
            output: places.computed.get(output).copied().map(span).unwrap_or_default(),
            computed: places.computed.iter().copied().map(span).collect(),
            before: before.clone(),
            read: places.reads.iter().map(|read| span(read.needed)).collect(),
            cached: places.reads.iter().map(|read| if caches { read.cached } else { 0 }).collect(),
        };
        for (before, computed) in before.iter_mut().zip(&places.computed) {
            if computed.0 < computed.1 {
                *before = computed.1.max(*before);
            }
        }
        strip
    };
    places.into_iter().map(strip).collect()
}

fn check_size(network: &Network, stack: &Stack, tile: (u64, u64)) -> Result<(), Diagnostics> {
    let strips = |axis: TileAxis, tile: u64| axis.map_size(network, stack, stack.output()).div_ceil(tile.max(1));
    let strips = strips(TileAxis::Columns, tile.0).saturating_add(strips(TileAxis::Rows, tile.1));
    let places = (stack.nodes.len() + stack.read_count()) as u64;
    let mut diagnostics = Diagnostics::default();
    if strips.saturating_mul(places) > MOST_PLACES as u64 {
        diagnostics.add(
            "settings",
            format!("{strips} columns and rows of tiles, each with {places} places on maps, are too many to follow"),
            "Choose larger tiles, or cut the network into more stacks",
        );
    }
    diagnostics.or(())
}

fn no_such_stack() -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    diagnostics.add("", "The point has no such stack", "Open another stack");
    diagnostics
}
