//! The numbers of a point, and their names.

use super::formula::NumberUnit;
use fusescape_chart::Quantity;
use fusescape_engine::cost::{AccessCause, EnergyCause, LatencyCause};
use fusescape_engine::depth_first::{LayerTileAccount, NodeId, PointAccount, TileTypeAccount, TileTypeId};
use fusescape_engine::hardware::{MemoryId, Operand};
use fusescape_engine::workload::Dim;
use std::borrow::Cow;

/// A number of a point's account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointNumber {
    /// An amount that is summed over stacks, tiles and layers.
    Of(Scope, Amount),
    /// Energy times latency.
    EnergyDelay,
    /// Share of the cycles in which all PEs work.
    MacUse,
    /// Tiles of a stack.
    Tiles(usize),
    /// Tiles of a type of a stack.
    TilesOf(usize, usize),
    /// Columns or rows that are computed of a layer-tile's output.
    Computed(LayerTileIndex, SizeAxis),
    /// Columns or rows that a layer-tile needs of each input.
    Needed(LayerTileIndex, SizeAxis),
    /// Bits of one kind of data of a layer-tile.
    Size(LayerTileIndex, Data),
    /// Share of the PEs that a layer-tile uses.
    PesUsed(LayerTileIndex),
    /// An amount of one access of a layer-tile.
    Access(LayerTileIndex, usize, Counted),
    /// Energy of one of a layer-tile's data copy actions.
    CopyEnergy(LayerTileIndex, usize),
    /// Cycles of one of a layer-tile's data copy actions.
    CopyCycles(LayerTileIndex, usize),
}

/// Index of a layer-tile in an account: stack, tile type of the stack, layer of the tile type.
pub type LayerTileIndex = [usize; 3];

/// The range of a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// All stacks.
    Point,
    /// All tiles of a stack.
    Stack(usize),
    /// One tile of a type.
    Tile(usize, usize),
    /// One layer of one tile.
    Layer(LayerTileIndex),
}

/// An amount that is summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    Energy,
    /// Energy of one cause.
    EnergyOf(EnergyCause),
    /// Energy without data copies.
    MappedEnergy,
    /// Latency.
    Cycles,
    /// Latency of one cause.
    CyclesOf(LatencyCause),
    /// Computing with all PEs busy: not a part of the latency.
    IdealCycles,
    /// Computing beyond that, due to PEs left idle by the unrolling.
    IdleCycles,
    /// Latency without data copies.
    MappedCycles,
    /// Stalls, loading and offloading.
    Waiting,
    /// Multiply-accumulates.
    Macs,
    /// At one memory, for one cause or all.
    At(Counted, MemoryId, Option<AccessCause>),
}

/// An amount of accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Full-width words.
    Words,
    /// Data elements.
    Elements,
    /// pJ.
    Energy,
}

/// Columns or rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizeAxis {
    /// X.
    Columns,
    /// Y.
    Rows,
}

/// Data of a layer-tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Data {
    /// One operand.
    Operand(Operand),
    /// Columns of the inputs that come from the horizontal cache.
    HCached,
    /// Rows of the inputs that come from the vertical cache.
    VCached,
}

impl SizeAxis {
    pub(super) fn of<T>(self, (columns, rows): (T, T)) -> T {
        match self {
            Self::Columns => columns,
            Self::Rows => rows,
        }
    }

    pub(super) fn name(self) -> &'static str {
        self.of(("columns", "rows"))
    }

    pub(super) fn loops(self) -> (Dim, Dim) {
        self.of(((Dim::OX, Dim::FX), (Dim::OY, Dim::FY)))
    }
}

pub(super) const ENERGY_UNIT: NumberUnit = NumberUnit::Of(Quantity::Energy);
pub(super) const CYCLES: NumberUnit = NumberUnit::Of(Quantity::Latency);

impl Counted {
    pub(super) fn unit(self) -> NumberUnit {
        match self {
            Self::Words => NumberUnit::Of(Quantity::Accesses),
            Self::Elements => NumberUnit::Of(Quantity::Elements),
            Self::Energy => ENERGY_UNIT,
        }
    }
}

impl Amount {
    /// The parts of a latency, in the order of figures: all causes, with computing split by idle PEs.
    pub fn latency_parts() -> impl Iterator<Item = Self> {
        LatencyCause::ALL.into_iter().flat_map(|cause| match cause {
            LatencyCause::Computing => vec![Self::IdealCycles, Self::IdleCycles],
            _ => vec![Self::CyclesOf(cause)],
        })
    }

    pub(super) fn unit(self) -> NumberUnit {
        match self {
            Self::Energy | Self::EnergyOf(_) | Self::MappedEnergy => ENERGY_UNIT,
            Self::Cycles | Self::CyclesOf(_) | Self::IdealCycles | Self::IdleCycles => CYCLES,
            Self::MappedCycles | Self::Waiting => CYCLES,
            Self::Macs => NumberUnit::Of(Quantity::Macs),
            Self::At(counted, ..) => counted.unit(),
        }
    }

    pub(super) fn name(self, account: &PointAccount) -> Cow<'static, str> {
        match self {
            Self::Energy => "energy".into(),
            Self::EnergyOf(cause) => cause.plural().into(),
            Self::MappedEnergy => "energy without data copies".into(),
            Self::Cycles => "latency".into(),
            Self::CyclesOf(cause) => cause.plural().into(),
            Self::IdealCycles => "computing with all PEs".into(),
            Self::IdleCycles => "idle PEs".into(),
            Self::MappedCycles => "latency without data copies".into(),
            Self::Waiting => "waiting".into(),
            Self::Macs => "multiply-accumulates".into(),
            Self::At(counted, memory, cause) => {
                let what = match counted {
                    Counted::Words => "words of",
                    Counted::Elements => "elements at",
                    Counted::Energy => "energy of",
                };
                let memory = memory_name(account, memory);
                let cause = cause.map_or_else(String::new, |cause| format!(", {}", cause.plural()));
                format!("{what} {memory}{cause}").into()
            }
        }
    }
}

pub(super) fn memory_name(account: &PointAccount, memory: MemoryId) -> &str {
    account.memories.get(memory).map_or("", |memory| memory.name.as_str())
}

pub(super) fn layer_at(account: &PointAccount, [stack, tile, layer]: LayerTileIndex) -> Option<&LayerTileAccount> {
    tile_at(account, stack, tile)?.layers.get(NodeId::from(layer))
}

pub(super) fn tile_at(account: &PointAccount, stack: usize, tile: usize) -> Option<&TileTypeAccount> {
    account.stacks.get(stack)?.tile_types.get(TileTypeId::from(tile))
}
