//! Memories and their ports.

use super::array::ArrayDims;
use super::estimate::Estimate;
use super::operand::Operand;
use super::sram::Figures;
use crate::declare_ids;
use crate::ids::TiVec;
use crate::rules::Rules;
use crate::spec::DoubleBuffering;
use serde::{Deserialize, Serialize};
use std::fmt;

declare_ids! {
    /// A memory of a core, by its place in [`Core::memories`](super::Core::memories).
    MemoryId,
    /// A port of a memory, by its place in [`Memory::ports`].
    PortId,
}

/// The four data movements at a memory, for each operand it holds (ZigZag, Section IV).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Movement {
    /// Down to the next lower memory or the array.
    ReadToLow,
    /// Up from the next lower memory or the array.
    WriteFromLow,
    /// Up to the next higher memory.
    ReadToHigh,
    /// Down from the next higher memory.
    WriteFromHigh,
}

impl Movement {
    /// All of them; results that list four numbers use this order.
    pub const ALL: [Self; 4] = [Self::ReadToLow, Self::WriteFromLow, Self::ReadToHigh, Self::WriteFromHigh];

    /// Whether the memory is read.
    pub fn is_read(self) -> bool {
        matches!(self, Self::ReadToLow | Self::ReadToHigh)
    }

    /// Whether the other end is the next lower memory or the array.
    pub fn is_low(self) -> bool {
        matches!(self, Self::ReadToLow | Self::WriteFromLow)
    }

    /// The movement at the other end: data that is read here is written there.
    pub fn other_side(self) -> Self {
        match self {
            Self::ReadToLow => Self::WriteFromHigh,
            Self::WriteFromLow => Self::ReadToHigh,
            Self::ReadToHigh => Self::WriteFromLow,
            Self::WriteFromHigh => Self::ReadToLow,
        }
    }

    /// As written in documents: `read_to_low`.
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadToLow => "read_to_low",
            Self::WriteFromLow => "write_from_low",
            Self::ReadToHigh => "read_to_high",
            Self::WriteFromHigh => "write_from_high",
        }
    }
}

impl fmt::Display for Movement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One port: the movements that it serves take turns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Port {
    /// Unique within the memory.
    pub name: String,
    /// Movements it serves.
    pub serves: Vec<(Operand, Movement)>,
    /// Bits that it moves per cycle, where they are not those of the memory's side.
    pub width_bits: Option<u64>,
    /// Smallest part of its width that it can move, where it is not that of the memory's side (at most the width).
    pub granularity_bits: Option<u64>,
}

/// A memory of a core; the figures are those of one instance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Unique name.
    pub name: String,
    /// Capacity.
    pub size_bits: u64,
    /// Operands that it holds, in the order in which loops are allocated.
    pub operands: Vec<Operand>,
    /// Bits of a word read in one cycle, by ports that state no width of their own.
    pub read_width_bits: u64,
    /// Bits of a word written in one cycle, by ports that state no width of their own.
    pub write_width_bits: u64,
    /// Smallest part of a word that can be read.
    pub read_granularity_bits: u64,
    /// Smallest part of a word that can be written.
    pub write_granularity_bits: u64,
    /// Energy of reading a full word.
    pub read_energy_pj: f64,
    /// Energy of writing a full word.
    pub write_energy_pj: f64,
    /// Area of one instance, um2; `None` where it is not stated.
    pub area_um2: Option<f64>,
    /// Which of these figures are estimates, if any is.
    pub estimate: Option<Estimate>,
    /// Array dimensions over which one instance is shared.
    pub shared_over: ArrayDims,
    /// Number of instances.
    pub instances: u64,
    /// Ports; every movement that can happen is served by exactly one.
    pub ports: TiVec<PortId, Port>,
    /// Cycles from a request to its first word (see [`crate::rules::Rules::memory_latency_hidden`]).
    pub latency_cycles: u64,
    /// The least that one transfer reads or writes: a burst of a DRAM, or a row where each transfer opens one. `None`: one access.
    pub burst_bits: Option<u64>,
    /// Whether it holds data twice that is replaced during the layer: one copy in use, one being transferred.
    pub double_buffered: DoubleBuffering,
    /// Power that one instance leaks, mW.
    pub leakage_mw: f64,
}

/// The ports of a memory that states none, and whether they read.
pub(super) const DEFAULT_PORTS: [(&str, bool); 2] = [("r_port_1", true), ("w_port_1", false)];

/// The parts in which the words of a port move.
#[derive(Debug, Clone, Copy)]
pub struct WordParts {
    /// The smallest part, bits.
    pub granularity_bits: f64,
    /// Its share of a word.
    pub granule: f64,
    /// The width of a word that is no multiple of its parts, and yet costs no more than one.
    uneven_width_bits: Option<f64>,
}

impl WordParts {
    /// Full-width words that these bits take: their parts, of a whole word one at most.
    #[inline]
    pub fn words(&self, bits: f64) -> f64 {
        let in_parts = |bits: f64| (bits / self.granularity_bits).ceil() * self.granule;
        self.uneven_width_bits.map_or_else(
            || in_parts(bits),
            |width| {
                let full = (bits / width).floor();
                full + in_parts(bits - full * width).min(1.0)
            },
        )
    }
}

impl Memory {
    /// Capacity of all instances, bits; saturates.
    pub fn all_bits(&self) -> u64 {
        self.size_bits.saturating_mul(self.instances)
    }

    /// Width of the port that serves `movement` of `operand`, bits per cycle.
    pub fn width_bits(&self, operand: Operand, movement: Movement) -> u64 {
        self.width_and_granularity_bits(operand, movement).0
    }

    /// Granularity of the port that serves `movement` of `operand`.
    pub fn granularity_bits(&self, operand: Operand, movement: Movement) -> u64 {
        self.width_and_granularity_bits(operand, movement).1
    }

    /// [`Self::width_bits`] and [`Self::granularity_bits`].
    pub fn width_and_granularity_bits(&self, operand: Operand, movement: Movement) -> (u64, u64) {
        let (width, granularity) = if movement.is_read() {
            (self.read_width_bits, self.read_granularity_bits)
        } else {
            (self.write_width_bits, self.write_granularity_bits)
        };
        let port = self.port(operand, movement).map(|port| &self.ports[port]);
        let width = port.and_then(|port| port.width_bits).unwrap_or(width);
        (width, port.and_then(|port| port.granularity_bits).unwrap_or(granularity).min(width))
    }

    /// Energy of an access on the side of `movement`: of a full word of whichever port is used.
    pub fn word_energy_pj(&self, movement: Movement) -> f64 {
        if movement.is_read() { self.read_energy_pj } else { self.write_energy_pj }
    }

    /// Whether the ports are those of a memory that states none: one for reading and one for writing.
    pub fn has_default_ports(&self) -> bool {
        let is = |(port, (name, reads)): (&Port, &(&str, bool))| {
            port.name == *name && port.serves.iter().all(|(_, movement)| movement.is_read() == *reads)
        };
        self.ports.len() == DEFAULT_PORTS.len() && self.ports.iter().zip(&DEFAULT_PORTS).all(is)
    }

    /// The port that serves `movement` of `operand`.
    pub fn port(&self, operand: Operand, movement: Movement) -> Option<PortId> {
        self.ports.position(|port| port.serves.contains(&(operand, movement)))
    }

    /// Full-width words that moving `bits` of `operand` takes, in parts of a word where the granularity is finer, in whole bursts where
    /// it has such.
    pub fn words(&self, bits: f64, operand: Operand, movement: Movement, rules: &Rules) -> f64 {
        let parts = self.word_parts(operand, movement, rules);
        parts.words(bits).max(self.in_bursts(bits) / self.width_bits(operand, movement) as f64)
    }

    /// The parts in which words move.
    #[inline]
    pub fn word_parts(&self, operand: Operand, movement: Movement, rules: &Rules) -> WordParts {
        let (width_bits, granularity_bits) = self.width_and_granularity_bits(operand, movement);
        let is_uneven = !width_bits.is_multiple_of(granularity_bits) && !rules.granules_beyond_words;
        let (width_bits, granularity_bits) = (width_bits as f64, granularity_bits as f64);
        WordParts {
            granularity_bits,
            granule: granularity_bits / width_bits,
            uneven_width_bits: is_uneven.then_some(width_bits),
        }
    }

    /// Bits that one transfer of `bits` moves: whole bursts.
    #[inline]
    pub fn in_bursts(&self, bits: f64) -> f64 {
        self.burst_bits.map_or(bits, |burst| (bits / burst as f64).ceil() * burst as f64)
    }

    /// Cycles that the port that serves `movement` works for one transfer of `bits`.
    #[inline]
    pub fn transfer_cycles(&self, bits: f64, operand: Operand, movement: Movement) -> u64 {
        (self.in_bursts(bits) / self.width_bits(operand, movement) as f64).ceil() as u64
    }

    /// Cycles between the request of data that a memory above or below waits for and its first word, beyond the one of any access.
    pub fn extra_latency(&self) -> u64 {
        self.latency_cycles.saturating_sub(1)
    }

    /// Gives it the figures that it lacks. What its document states stays.
    pub(super) fn fill(&mut self, estimate: Estimate, figures: Figures) {
        if estimate.read_energy {
            self.read_energy_pj = figures.read_energy_pj;
        }
        if estimate.write_energy {
            self.write_energy_pj = figures.write_energy_pj;
        }
        if estimate.area {
            self.area_um2 = Some(figures.area_um2);
        }
        self.estimate = Some(estimate);
    }
}
