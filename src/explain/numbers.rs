//! Which numbers of a point there are, and what they are called.

use super::formula::Unit;
use super::sizes::{Axis, Data};
use crate::chart::Quantity;
use crate::depth_first::PointAccount;
use crate::hardware::MemoryId;
use std::borrow::Cow;

/// A number of a point's account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointNumber {
    /// What is added up over stacks, tiles and layers.
    Of(Place, Amount),
    /// Energy times latency.
    EnergyDelay,
    /// Share of the cycles in which all PEs work.
    MacUse,
    /// Tiles of a stack.
    Tiles(usize),
    /// Tiles of a type of a stack.
    TilesOf(usize, usize),
    /// Columns or rows of a layer-tile's output that are computed.
    Computed(LayerPlace, Axis),
    /// Columns or rows of each of a layer-tile's inputs that it needs.
    Needed(LayerPlace, Axis),
    /// Bits of a layer-tile's data.
    Size(LayerPlace, Data),
    /// Share of the PEs that a layer-tile uses.
    PesUsed(LayerPlace),
    /// What one access of a layer-tile counts.
    Access(LayerPlace, usize, Counted),
    /// Energy of one of a layer-tile's data copy actions.
    CopyEnergy(LayerPlace, usize),
    /// Cycles of one of a layer-tile's data copy actions.
    CopyCycles(LayerPlace, usize),
}

/// A layer-tile: indices of stack, tile type and layer.
pub type LayerPlace = [usize; 3];

/// Where an amount is added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Everything.
    Point,
    /// All tiles of a stack.
    Stack(usize),
    /// One tile of a type.
    Tile(usize, usize),
    /// One layer of one tile.
    Layer(LayerPlace),
}

/// What is added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Energy.
    Energy,
    /// Energy of one cause.
    EnergyOf(Cause),
    /// Energy without data copies.
    MappedEnergy,
    /// Latency.
    Cycles,
    /// Latency of one cause.
    CyclesOf(Time),
    /// Latency without data copies.
    MappedCycles,
    /// Stalls, loading and offloading.
    Waiting,
    /// Multiply-accumulates.
    Macs,
    /// At one memory, of one cause or of all.
    At(Counted, MemoryId, Option<Cause>),
}

/// Why energy is spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Inputs and outputs.
    Activation,
    /// Weights.
    Weight,
    /// Data copy actions.
    Copy,
    /// Multiply-accumulates.
    Mac,
}

/// Why time passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Time {
    /// Computing.
    Temporal,
    /// Waiting for ports.
    Stall,
    /// First inputs.
    Loading,
    /// Last outputs.
    Offloading,
    /// Data copy actions.
    Copy,
    /// Computing, if all PEs worked: not a part of the latency.
    Ideal,
    /// Computing beyond that, as the unrolling leaves PEs idle.
    Idle,
}

/// What is counted of accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Full-width words.
    Words,
    /// Data elements.
    Elements,
    /// Energy.
    Energy,
}

pub(super) const ENERGY_UNIT: Unit = Unit::Of(Quantity::Energy);
pub(super) const CYCLES: Unit = Unit::Of(Quantity::Latency);
pub(super) const ENERGY_CAUSES: [Cause; 4] = [Cause::Activation, Cause::Weight, Cause::Copy, Cause::Mac];
pub(super) const MEMORY_CAUSES: [Cause; 3] = [Cause::Activation, Cause::Weight, Cause::Copy];
pub(super) const WAITS: [Time; 3] = [Time::Stall, Time::Loading, Time::Offloading];

impl Cause {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Activation => "activations",
            Self::Weight => "weights",
            Self::Copy => "data copies",
            Self::Mac => "MACs",
        }
    }
}

impl Time {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Temporal => "computing",
            Self::Stall => "stalls",
            Self::Loading => "loading",
            Self::Offloading => "offloading",
            Self::Copy => "data copies",
            Self::Ideal => "computing with all PEs",
            Self::Idle => "idle PEs",
        }
    }
}

impl Counted {
    pub(super) fn unit(self) -> Unit {
        match self {
            Self::Words => Unit::Of(Quantity::Accesses),
            Self::Elements => Unit::Of(Quantity::Elements),
            Self::Energy => ENERGY_UNIT,
        }
    }
}

impl Amount {
    pub(super) fn unit(self) -> Unit {
        match self {
            Self::Energy | Self::EnergyOf(_) | Self::MappedEnergy => ENERGY_UNIT,
            Self::Cycles | Self::CyclesOf(_) | Self::MappedCycles | Self::Waiting => CYCLES,
            Self::Macs => Unit::Of(Quantity::Macs),
            Self::At(counted, ..) => counted.unit(),
        }
    }

    pub(super) fn name(self, account: &PointAccount) -> Cow<'static, str> {
        match self {
            Self::Energy => "energy".into(),
            Self::EnergyOf(cause) => cause.name().into(),
            Self::MappedEnergy => "energy without data copies".into(),
            Self::Cycles => "latency".into(),
            Self::CyclesOf(time) => time.name().into(),
            Self::MappedCycles => "latency without data copies".into(),
            Self::Waiting => "waiting".into(),
            Self::Macs => "multiply-accumulates".into(),
            Self::At(counted, memory, cause) => {
                let what = match counted {
                    Counted::Words => "words of",
                    Counted::Elements => "elements at",
                    Counted::Energy => "energy of",
                };
                let memory = account.memories.get(memory).map_or("", |memory| memory.name.as_str());
                let cause = cause.map_or_else(String::new, |cause| format!(", {}", cause.name()));
                format!("{what} {memory}{cause}").into()
            }
        }
    }
}
