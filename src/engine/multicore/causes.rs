//! The causes of energy and of time of a schedule on many cores: one list of each, and tables with an entry per cause.
//!
//! As with the causes of a mapped layer (`cost/causes.rs`), every sum, figure, table and explanation iterates over
//! `ALL`, and properties that differ from cause to cause are a `match` without a wildcard.

use enum_map::{Enum, EnumMap, enum_len};
use serde::{Deserialize, Serialize};
use std::ops::{Index, IndexMut};

/// Why a tensor is transferred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Enum, Serialize, Deserialize)]
pub enum TransferReason {
    /// A tile reads it, and it is loaded from DRAM.
    Fetch,
    /// A tile reads it, and another core sends it.
    Exchange,
    /// It is written back, as its place is needed.
    Eviction,
    /// It is an output of the network.
    Result,
}

/// A part of the system that takes energy for transfers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Enum)]
pub enum Carrier {
    /// The links that a transfer occupies.
    Links,
    /// Memories at both ends of transfers.
    Memories,
}

/// A part of a system that takes energy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Enum)]
pub enum CoresPart {
    /// Cores with their memories.
    Cores,
    /// Links and memories that carry data between cores, and to and from DRAM.
    Carrier(Carrier),
}

/// A cause of energy of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Enum)]
pub enum CoresEnergyCause {
    /// Computing, with the memories of the cores.
    OnChip,
    /// A transfer, by reason; at memories, DRAM accesses of operands that do not fit count as fetched.
    Moved(Carrier, TransferReason),
}

/// A cause of time of a core. Causes do not overlap: the sum over all of them is the latency of the schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Enum, Serialize, Deserialize)]
pub enum CoreTimeCause {
    /// The array computes.
    Computing,
    /// A tile is on the core, and the array waits for the core's own memories.
    Stalling,
    /// The next tile's predecessors are done, and it waits for transfers or room in memories.
    Transferring,
    /// The next tile waits for other tiles, or no tile is left.
    Idle,
}

impl TransferReason {
    /// All reasons, by their numbers. The compiler holds that none is missing.
    pub const ALL: [Self; enum_len::<Self>()] = [Self::Fetch, Self::Exchange, Self::Eviction, Self::Result];
}

impl Carrier {
    /// Both. The compiler holds that none is missing.
    pub const ALL: [Self; enum_len::<Self>()] = [Self::Links, Self::Memories];

    /// For a person.
    pub fn title(self) -> &'static str {
        match self {
            Self::Links => "links",
            Self::Memories => "memories of transfers",
        }
    }
}

impl CoresPart {
    /// All parts. The compiler holds that none is missing.
    pub const ALL: [Self; enum_len::<Self>()] =
        [Self::Cores, Self::Carrier(Carrier::Links), Self::Carrier(Carrier::Memories)];

    /// Why it takes energy.
    pub fn causes(self) -> impl Iterator<Item = CoresEnergyCause> + Clone {
        CoresEnergyCause::ALL.into_iter().filter(move |cause| cause.part() == self)
    }

    /// Name of the field in files, before its unit.
    pub fn key(self) -> &'static str {
        match self {
            Self::Cores => "onchip",
            Self::Carrier(Carrier::Links) => "links",
            Self::Carrier(Carrier::Memories) => "memories",
        }
    }

    /// For a person.
    pub fn title(self) -> &'static str {
        match self {
            Self::Cores => "cores",
            Self::Carrier(carrier) => carrier.title(),
        }
    }
}

impl CoresEnergyCause {
    /// All causes. The compiler holds that none is missing.
    pub const ALL: [Self; enum_len::<Self>()] = [
        Self::OnChip,
        Self::Moved(Carrier::Links, TransferReason::Fetch),
        Self::Moved(Carrier::Links, TransferReason::Exchange),
        Self::Moved(Carrier::Links, TransferReason::Eviction),
        Self::Moved(Carrier::Links, TransferReason::Result),
        Self::Moved(Carrier::Memories, TransferReason::Fetch),
        Self::Moved(Carrier::Memories, TransferReason::Exchange),
        Self::Moved(Carrier::Memories, TransferReason::Eviction),
        Self::Moved(Carrier::Memories, TransferReason::Result),
    ];

    /// What takes the energy.
    pub fn part(self) -> CoresPart {
        match self {
            Self::OnChip => CoresPart::Cores,
            Self::Moved(carrier, _) => CoresPart::Carrier(carrier),
        }
    }
}

impl CoreTimeCause {
    /// All causes. The compiler holds that none is missing.
    pub const ALL: [Self; enum_len::<Self>()] = [Self::Computing, Self::Stalling, Self::Transferring, Self::Idle];

    /// Name of the field in files, before its unit.
    pub fn key(self) -> &'static str {
        match self {
            Self::Computing => "computing",
            Self::Stalling => "stalling",
            Self::Transferring => "transferring",
            Self::Idle => "idle",
        }
    }
}

/// Energy of a schedule by cause, pJ.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "Values", into = "Values")]
pub struct CoresEnergy(EnumMap<CoresEnergyCause, f64>);

/// As written: one value per cause, by their numbers, as no text can be the key of a cause of several parts.
type Values = [f64; enum_len::<CoresEnergyCause>()];

impl From<Values> for CoresEnergy {
    fn from(values: Values) -> Self {
        Self(EnumMap::from_array(values))
    }
}

impl From<CoresEnergy> for Values {
    fn from(energy: CoresEnergy) -> Self {
        energy.0.into_array()
    }
}

impl CoresEnergy {
    /// Energy of a part of the system, pJ.
    pub fn of(&self, part: CoresPart) -> f64 {
        part.causes().map(|cause| self[cause]).sum()
    }

    /// The sum over all causes, part by part, pJ.
    pub fn total_pj(&self) -> f64 {
        CoresPart::ALL.into_iter().map(|part| self.of(part)).sum()
    }
}

impl Index<CoresEnergyCause> for CoresEnergy {
    type Output = f64;

    fn index(&self, cause: CoresEnergyCause) -> &f64 {
        &self.0[cause]
    }
}

impl IndexMut<CoresEnergyCause> for CoresEnergy {
    fn index_mut(&mut self, cause: CoresEnergyCause) -> &mut f64 {
        &mut self.0[cause]
    }
}
