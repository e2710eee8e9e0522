//! What links are made of. The order of variants and of their fields is part of the format: new ones come at the end, none ever goes.

use serde::{Deserialize, Serialize};

/// One thing in which a state differs from the baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Field {
    Hardware(Text),
    Workload(Text),
    /// Written by hand, and not in force.
    OwnHardware(Text),
    OwnWorkload(Text),
    TilesX(Sizes),
    TilesY(Sizes),
    /// One bit for each mode.
    Modes(u8),
    Fuse(u8),
    Cuts(String),
    Objective(u8),
    Memory(String),
    Weights([String; 3]),
    Strategy(u8),
    LpfLimit(u32),
    /// A set, and by name the switches that are otherwise.
    Rules(u8, Vec<[u8; 2]>),
    Pool(Text),
    HierarchyLayer(String),
    Budget(String),
    MaxLevels(u32),
    MinRatio(u64),
    AllWidths(bool),
    HierarchyObjective(u8),
    Tab(u8),
    Metric(u8),
    Point(Point),
    Stack(u32),
    TileType(u32),
    /// Bits: which texts are shown.
    Texts(u8),
    Layer(String),
    /// Index of the array dimension, loop, most PEs.
    Unroll(Vec<(u32, u8, u64)>),
    Mapping(Mapping),
    /// Entry of the gallery, by name.
    Entry([u8; 4]),
    /// The design and the point that the fields before it describe are put aside; those after it describe the design at hand, by
    /// what differs from that.
    Pin,
    /// Step of a lesson, by name.
    Lesson([u8; 4]),
    MostLayers(String),
    MostTiles(String),
    System(Text),
    /// Written by hand, and not in force.
    OwnSystem(Text),
    CoreTiles(u8),
    Rows(String),
    TilesByHand(String),
    CoreStacks(u8),
    StackEnds(String),
    CoreAim(u8),
    Scheduler(u8),
    Prefetches(bool),
    Allocation(String),
    ShowsSystem(bool),
    CoreOrder(u8),
}

impl Field {
    /// Whether it holds a document.
    pub(super) fn is_document(&self) -> bool {
        matches!(
            self,
            Self::Hardware(_)
                | Self::Workload(_)
                | Self::OwnHardware(_)
                | Self::OwnWorkload(_)
                | Self::Pool(_)
                | Self::System(_)
                | Self::OwnSystem(_)
        )
    }
}

/// A document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Text {
    /// One that is kept for ever, by its hash.
    Frozen([u8; 4]),
    /// One that is made of such a one.
    Patched([u8; 4], Patch),
    /// As it stands.
    Plain(String),
}

/// A patch that makes one text of another, step by step. Equal parts of all steps stand together, which compresses best.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Patch {
    /// Bytes to be inserted first, in every step.
    pub insertions: Vec<u32>,
    /// How far the copy starts behind where the last one and the insertion would have led.
    pub jumps: Vec<i32>,
    /// Bytes to be copied.
    pub lengths: Vec<u32>,
    /// All that is inserted.
    pub inserted: Vec<u8>,
}

/// Sizes of tiles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Sizes {
    /// Numbers with single spaces between them.
    List(Vec<u64>),
    /// As it stands.
    Text(String),
}

/// A point of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Point {
    /// Columns and rows; 0 for the whole map.
    pub tile: (u64, u64),
    pub mode: u8,
    pub fuse: u8,
    /// Layers after which stacks end.
    pub cuts: Vec<String>,
}

/// A mapping made by hand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Mapping {
    /// Loop and size, innermost first.
    pub order: Vec<(u8, u64)>,
    /// By operand, after how many loops each of its levels ends.
    pub ends: [Vec<u32>; 3],
}
