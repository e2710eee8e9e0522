//! The plan of a point: its stacks, tile types, placements and copies, in numbers.

use super::account::TileMap;
use super::axis::{StripRun, Strips};
use super::copies::CopyAction;
use super::ids::{NodeId, ProblemId, StripId, TileTypeId};
use super::placement::{CacheDecision, SkippedMemory};
use super::stack::Stack;
use super::strategy::DepthFirstStrategy;
use crate::hardware::{Core, MemoryId, Operand};
use crate::ids::TiVec;
use crate::workload::LayerId;
use std::ops::Range;
use std::sync::Arc;

/// The plan of a point, ready to be solved and assembled.
#[derive(Debug, Clone)]
pub struct PointPlan {
    /// How the network is run.
    pub strategy: DepthFirstStrategy,
    /// The stacks in order.
    pub stacks: Vec<StackPlan>,
}

/// The plan of one stack: its tile types, with the plan of each.
#[derive(Debug, Clone)]
pub struct StackPlan {
    /// Its layers.
    pub stack: Arc<Stack>,
    /// Columns and rows of its last feature map.
    pub output_size: (u64, u64),
    /// Bits of the weights of all its layers.
    pub weight_bits: u64,
    /// Memory of the weights after the first tile; `None` where it has none.
    pub weight_memory: Option<MemoryId>,
    /// Bits that one instance of each memory of weights, lowest first, would have to hold of them.
    pub(super) kept_bits: Vec<u64>,
    /// Decisions on caches before neighbours are considered.
    pub decisions: Vec<TileDecision>,
    /// Tiles that behave identically, in the order of their first tile.
    pub types: TiVec<TileTypeId, TilePlan>,
    /// Where the tiles of each type lie.
    pub map: TileMap,
    pub(super) columns: Arc<Strips>,
    pub(super) rows: Arc<Strips>,
}

/// The decisions that determine the memories in which a tile type exchanges overlap.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CacheDecisions<'a> {
    /// On columns for the right neighbour.
    pub h_write: Option<&'a TileDecision>,
    /// On columns of the left neighbour.
    pub h_read: Option<&'a TileDecision>,
    /// On rows, of all tiles.
    pub v: Option<&'a TileDecision>,
}

impl StackPlan {
    /// The decisions on where the first tile of a type exchanges overlap: for columns that of the one of two neighbours
    /// that needs the higher memory, for rows that of the tile that needs the highest.
    pub(super) fn cache_decisions(&self, tile: &TilePlan, core: &Core) -> CacheDecisions<'_> {
        let at = |slots: &[StripRun], start: u64| slots.iter().find(|slot| slot.start == start).copied();
        let slots = (at(&self.columns.slots, tile.first_position.0), at(&self.rows.slots, tile.first_position.1));
        let (Some(column), Some(row)) = slots else { return CacheDecisions::default() };
        let of = |strip: StripId| {
            let is_it = |decided: &&TileDecision| (decided.column, decided.row) == (strip, row.strip);
            self.decisions.iter().find(is_it)
        };
        let level = |memory: Option<MemoryId>| memory.and_then(|memory| core.level_of(Operand::O, memory));
        let between = |neighbour: Option<StripId>, memory: Option<MemoryId>| {
            let pair = [of(column.strip), of(neighbour?)];
            // Under some rules the memory is not the higher one of both.
            pair.into_iter().flatten().find(|decided| decided.caches.h_memory == memory)
        };
        CacheDecisions {
            h_write: between(column.next, tile.caches.h_write),
            h_read: between(column.previous, tile.caches.h_read),
            v: self.decisions.iter().max_by_key(|decided| level(decided.caches.v_memory)),
        }
    }

    /// Columns and rows of each node's output in the tile of a decision, if overlap were cached in both directions.
    pub fn assumed_sizes(&self, decision: &TileDecision) -> TiVec<NodeId, (u64, u64)> {
        let x = &self.columns.different[decision.column].assumed;
        let y = &self.rows.different[decision.row].assumed;
        x.nodes.iter().zip(&y.nodes).map(|(x, y)| (x.computed, y.computed)).collect()
    }
}

/// The decision on caches for tiles of one column and row of strips.
#[derive(Debug, Clone, Copy)]
pub struct TileDecision {
    /// Columns and rows.
    pub size: (u64, u64),
    /// Whether the tile is in the first column of tiles, and in the first row.
    pub first: (bool, bool),
    /// Where the overlap with neighbouring tiles is cached.
    pub caches: CacheDecision,
    /// Its strip among those of columns.
    pub(super) column: StripId,
    /// Its strip among those of rows.
    pub(super) row: StripId,
}

/// The plan of a tile type.
#[derive(Debug, Clone)]
pub struct TilePlan {
    /// Columns and rows of the stack's output.
    pub size: (u64, u64),
    /// Number of tiles of this type.
    pub count: u64,
    /// First column and row of the first of them.
    pub first_position: (u64, u64),
    /// Whether weights come from their highest memory.
    pub weights_from_top: bool,
    /// Where overlap is written and read.
    pub caches: Caches,
    /// Its nodes in order: stack inputs, then layers.
    pub layers: TiVec<NodeId, LayerTilePlan>,
    /// The reads of all nodes, in order.
    pub reads: Vec<ReadPlan>,
    /// The copies of all of them, in order.
    pub copies: Vec<CopyAction>,
}

impl TilePlan {
    /// Copies before a layer of this tile starts.
    pub fn copies_before(&self, layer: &LayerTilePlan) -> &[CopyAction] {
        self.copies.get(layer.copies.clone()).unwrap_or_default()
    }

    /// The parts that a layer of this tile reads of each of its producers.
    pub fn reads_of(&self, layer: &LayerTilePlan) -> &[ReadPlan] {
        self.reads.get(layer.reads.clone()).unwrap_or_default()
    }
}

/// The part of one producer that a layer-tile reads, straight or through views.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadPlan {
    /// Channels of the producer.
    pub channels: u64,
    /// Columns and rows of the producer's map, cached ones included.
    pub needed: (u64, u64),
    /// Columns of these that come from the horizontal cache, rows from the vertical one.
    pub cached: (u64, u64),
}

/// Memories in which a tile writes and reads the overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Caches {
    /// Columns for the right neighbour.
    pub h_write: Option<MemoryId>,
    /// Columns of the left neighbour.
    pub h_read: Option<MemoryId>,
    /// Rows for the lower neighbour.
    pub v_write: Option<MemoryId>,
    /// Rows of the upper neighbour.
    pub v_read: Option<MemoryId>,
}

impl LayerTilePlan {
    /// Where its output is kept, or where a stack input was fetched to.
    pub(super) fn map_memory(&self) -> Option<MemoryId> {
        self.top[Operand::O as usize]
    }
}

/// The plan of a layer-tile, or of a stack input in a tile type.
#[derive(Debug, Clone)]
pub struct LayerTilePlan {
    /// The layer; for a stack input the one whose output it is.
    pub layer: LayerId,
    /// Whether it is a stack input, which is only fetched.
    pub is_input: bool,
    /// Columns and rows of the output that are computed (or fetched).
    pub computed: (u64, u64),
    /// Channels of the output, all groups: K times G.
    pub channels: u64,
    /// Columns and rows of its input window that exist, cached ones included.
    pub needed: (u64, u64),
    /// Its reads, as a range of [`TilePlan::reads`].
    pub reads: Range<usize>,
    /// Columns and rows of the output that are written to the caches.
    pub written: (u64, u64),
    /// Bits of all inputs and of the output.
    pub bits: (u64, u64),
    /// Highest memory used by W, I and O.
    pub top: [Option<MemoryId>; 3],
    /// Memories that were too small for inputs or outputs.
    pub passed: Vec<SkippedMemory>,
    /// Levels for I and O beyond those chosen, as no mapping fitted otherwise.
    pub extra_levels: (usize, usize),
    /// Whether W is fetched again by every tile, as no mapping fits where it would be kept.
    pub weights_fetched_again: bool,
    /// Whether fewer PEs are used than asked for, as the lowest memories cannot serve more at once.
    pub narrowed: bool,
    /// Copies before the layer starts, as a range of [`TilePlan::copies`].
    pub copies: Range<usize>,
    /// The mapping problem; `None` for a stack input.
    pub problem: Option<ProblemId>,
}
