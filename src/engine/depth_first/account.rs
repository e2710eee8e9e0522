//! The account of one point: every pJ and every cycle by cause, with the decisions behind them.

use super::ids::{NodeId, TileTypeId};
use super::strategy::DepthFirstStrategy;
use crate::cost::{Access, ByCause, EnergySplit, LatencySplit, PortBalance};
use crate::hardware::{MacEnergy, MemoryId, Operand, Power};
use crate::ids::TiVec;
use crate::mapping::TemporalLoop;
use crate::workload::{Dim, LayerShape};
use serde::{Deserialize, Serialize};

/// The account of a point of the design space: its cost, and everything that explains it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PointAccount {
    /// How the network is run.
    pub strategy: DepthFirstStrategy,
    /// Energy of everything, pJ.
    pub energy_pj: f64,
    /// Latency of everything, cycles.
    pub latency_cycles: u64,
    /// Multiply-accumulates, recomputed ones included.
    pub macs: u64,
    /// Multiply-accumulates of the network without recomputation.
    pub network_macs: u64,
    /// Energy of one multiply-accumulate.
    pub mac_energy: MacEnergy,
    /// Number of PEs.
    pub pe_count: u64,
    /// Time, power and leakage; `None` where no clock is stated.
    pub power: Option<Power>,
    /// Energy by cause.
    pub energy: EnergySplit,
    /// Latency by cause.
    pub latency: LatencySplit,
    /// Accesses and energy of each memory, lowest first.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<MemoryAccount>"))]
    pub memories: TiVec<MemoryId, MemoryAccount>,
    /// The stacks in order.
    pub stacks: Vec<StackAccount>,
}

/// Accesses and energy of one memory, all its instances, over the whole network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoryAccount {
    /// Name of the memory in the hardware document.
    pub name: String,
    /// Capacity of one instance.
    pub size_bits: u64,
    /// Number of instances.
    pub instances: u64,
    /// The operands that it may hold.
    pub operands: Vec<Operand>,
    /// Full-width words read and written, all instances.
    pub words: ByCause,
    /// Data elements read and written, all instances (DeFiNES, Fig. 14).
    pub elements: ByCause,
    /// Energy of those accesses, pJ.
    pub energy_pj: ByCause,
}

/// Cost of one stack: all its tiles, by tile type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StackAccount {
    /// Names of its layers, in topological order, without stack inputs.
    pub layers: Vec<String>,
    /// Columns and rows of its last feature map.
    pub output_size: (u64, u64),
    /// Bits of the weights of all its layers.
    pub weight_bits: u64,
    /// Memory that keeps the weights after the first tile; `None` where it has none.
    pub weight_memory: Option<String>,
    /// Number of tiles.
    pub tile_count: u64,
    /// Energy of the stack, pJ.
    pub energy_pj: f64,
    /// Latency of the stack, all tiles, cycles.
    pub latency_cycles: u64,
    /// Tiles that behave identically.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<TileTypeAccount>"))]
    pub tile_types: TiVec<TileTypeId, TileTypeAccount>,
    /// The tile types by their place on the last feature map.
    pub map: TileMap,
}

/// The places of all tile types (DeFiNES, Fig. 6). Runs keep it small for a million tiles.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TileMap {
    /// Runs of equal columns of tiles from left to right.
    pub columns: Vec<TileRun>,
    /// Runs of equal rows of tiles from top to bottom.
    pub rows: Vec<TileRun>,
    /// The tile type for each run of rows and, within it, each run of columns; the first tile of a stack,
    /// at the top left, has a run of its own.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Vec<u32>>"))]
    pub types: Vec<Vec<TileTypeId>>,
}

/// Neighbouring tiles of the same width (or height) and kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TileRun {
    /// First column (or row) of the feature map.
    pub start: u64,
    /// Columns (or rows) of the feature map per tile.
    pub size: u64,
    /// Number of tiles.
    pub count: u64,
}

/// The account of a tile type: tiles that behave identically, computed once (DeFiNES, Section III, step 1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TileTypeAccount {
    /// Columns and rows of the stack's last feature map.
    pub size: (u64, u64),
    /// Number of tiles of this type.
    pub count: u64,
    /// First column and row of the first of them.
    pub first_position: (u64, u64),
    /// Whether weights come from their highest memory (the stack's first tile).
    pub weights_from_top: bool,
    /// Where overlap is cached, by name of the memory.
    pub caches: CacheAccount,
    /// Energy of one tile, pJ.
    pub energy_pj: f64,
    /// Latency of one tile, data copy actions included, cycles.
    pub latency_cycles: u64,
    /// Its nodes: stack inputs, then layers in order of execution.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<LayerTileAccount>"))]
    pub layers: TiVec<NodeId, LayerTileAccount>,
}

/// Memories in which a tile type writes and reads the overlap.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CacheAccount {
    /// Columns for the right neighbour.
    pub h_write: Option<String>,
    /// Columns of the left neighbour.
    pub h_read: Option<String>,
    /// Rows for the lower neighbour.
    pub v_write: Option<String>,
    /// Rows of the upper neighbour.
    pub v_read: Option<String>,
    /// Bits of the columns that the horizontal cache keeps, of all layers; 0 without one.
    pub h_bits: u64,
    /// Bits of the rows that the vertical cache keeps, of all layers, over the whole width of the map; 0 without one.
    pub v_bits: u64,
    /// Why the overlap is not cached in lower memories, one sentence each.
    pub reasons: Vec<String>,
}

/// The account of a layer-tile: one layer in one tile type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LayerTileAccount {
    /// Name of the layer.
    pub layer: String,
    /// Its operation, `None` for a stack input, which is only fetched.
    pub kind: Option<String>,
    /// Columns, rows and channels of the output that this tile computes (or fetches).
    pub output: (u64, u64, u64),
    /// Columns and rows of its window that exist, cached ones included.
    pub window: (u64, u64),
    /// For each map that it reads, straight or through views, the columns, rows and channels that it needs, cached ones
    /// included.
    pub inputs: Vec<(u64, u64, u64)>,
    /// Multiply-accumulates.
    pub macs: u64,
    /// The loop nest of the layer-tile; of a stack input, that of its producer, which is not computed here.
    pub shape: LayerShape,
    /// For each entry of `inputs`, the node of the tile that provides it.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<u32>"))]
    pub inputs_from: Vec<NodeId>,
    /// For each entry of `inputs`, columns taken from the horizontal cache and rows taken from the vertical one.
    pub cached: Vec<(u64, u64)>,
    /// Data sizes of this layer-tile.
    pub bits: DataBits,
    /// Name of the highest memory used by W, I and O; `None` where the layer has no such operand.
    pub top_memory: TopMemory,
    /// Why those memories: one sentence for each operand that did not fit lower.
    pub reasons: Vec<String>,
    /// Copies that must be done before the layer can start.
    pub copies: CopyAccount,
    /// Costs of the mapped layer; `None` for a stack input.
    pub cost: Option<LayerTileCost>,
}

/// Data sizes, bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DataBits {
    /// Weights.
    pub w: u64,
    /// All inputs, cached ones included.
    pub i: u64,
    /// Output.
    pub o: u64,
    /// Of the inputs, columns taken from the horizontal cache.
    pub h_cached: u64,
    /// Of the inputs, rows taken from the vertical cache.
    pub v_cached: u64,
}

/// Highest memory that each operand uses.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TopMemory {
    /// Weights.
    pub w: Option<String>,
    /// Inputs.
    pub i: Option<String>,
    /// Outputs.
    pub o: Option<String>,
}

/// The data copy actions before one layer, which start together (DeFiNES, Section III, step 4).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CopyAccount {
    /// The actions, each with its data and costs.
    pub actions: Vec<CopyActionAccount>,
    /// Energy of all, pJ.
    pub energy_pj: f64,
    /// Cycles until the last is done.
    pub latency_cycles: u64,
    /// The port that is done last; `None` where nothing is copied.
    pub last_port: Option<CopyPort>,
}

/// A memory port and the copies that it serves, one after the other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CopyPort {
    /// Name of the memory.
    pub memory: String,
    /// When the first of them reaches it, cycles.
    pub start: u64,
    /// When the last of them would be done if it had the port to itself.
    pub end: u64,
    /// Cycles of each copy.
    pub uses: Vec<u64>,
}

/// The kind of a data copy action: its data, and the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum CopyKind {
    /// The part of the stack's input that this tile needs anew.
    StackInput,
    /// A layer's input from where its producer put it.
    InputFromOutput,
    /// Columns that the left neighbour cached.
    ReadHCache,
    /// Rows that the upper neighbour cached.
    ReadVCache,
    /// Columns for the right neighbour.
    WriteHCache,
    /// Rows for the lower neighbour.
    WriteVCache,
}

impl CopyKind {
    /// For a person, and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::StackInput => "stack input",
            Self::InputFromOutput => "input from output",
            Self::ReadHCache => "read H cache",
            Self::ReadVCache => "read V cache",
            Self::WriteHCache => "write H cache",
            Self::WriteVCache => "write V cache",
        }
    }
}

/// One data copy action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CopyActionAccount {
    /// Why the data is copied.
    pub kind: CopyKind,
    /// The layer whose data it is.
    pub layer: String,
    /// Bits that are copied.
    pub bits: u64,
    /// Bits per element of it.
    pub element_bits: u64,
    /// Names of the memories passed, source first.
    pub chain: Vec<String>,
    /// The hops, each from one memory of `chain` to the next.
    pub hops: Vec<HopAccount>,
    /// Energy, pJ.
    pub energy_pj: f64,
}

/// One hop of a data copy action: from one memory to the next.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HopAccount {
    /// Cycles: those of the slower side, once the memory that is read has answered.
    pub cycles: u64,
    /// Cycles until the memory that is read has answered, beyond the single cycle of any access.
    pub answer_cycles: u64,
    /// The source: the memory that is read.
    pub read: HopEnd,
    /// The destination: the memory that is written.
    pub write: HopEnd,
}

/// One side of a hop.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HopEnd {
    /// The memory, as an index into the account's.
    pub memory: MemoryId,
    /// Bits that it reads or writes: the copied bits, rounded up to whole bursts.
    pub bits: u64,
    /// Full-width words.
    pub words: f64,
    /// Energy of one word, pJ.
    pub word_pj: f64,
    /// Bits per cycle.
    pub width_bits: u64,
}

/// Energy, latency and accesses of one mapped layer-tile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LayerTileCost {
    /// Energy by cause (no copies).
    pub energy: EnergySplit,
    /// Latency by cause (no copies).
    pub latency: LatencySplit,
    /// The temporal loops, innermost first.
    pub loops: Vec<TemporalLoop>,
    /// The unrolled loops with their average width.
    pub unrolled: Vec<(Dim, f64)>,
    /// Average share of the PEs that work.
    pub spatial_utilization: f64,
    /// Every access of a memory.
    pub accesses: Vec<Access>,
    /// Bits that each memory holds of each operand while the layer-tile runs.
    pub held: Vec<HeldData>,
    /// The port that the array waits for; `None` where it never waits.
    pub slowest_port: Option<PortBalance>,
}

/// Data of an operand in one instance of a memory while a layer-tile runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HeldData {
    /// Name of the operand, for a person.
    pub operand: String,
    /// The operand as which memories hold it.
    pub stored_as: Operand,
    /// The memory level of the operand, lowest first.
    pub level: usize,
    /// The memory at that level.
    pub memory: MemoryId,
    /// Bits; an average under a fractional unrolling.
    pub bits: f64,
}
