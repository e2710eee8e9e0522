//! The cost of a schedule: energy, latency, and the refined ratio of computation to communication (CTC).

use super::accelerator::Accelerator;
use super::parameters::{EnergyRule, Parameters};
use enum_map::{Enum, EnumMap, enum_len};
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// Bytes between DRAM and the on-chip buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Volume {
    /// Inputs read.
    pub inputs: u64,
    /// Weights read.
    pub weights: u64,
    /// Outputs written.
    pub outputs: u64,
}

impl Volume {
    /// All of them (eqs. 3 and 6).
    pub fn total(&self) -> u64 {
        self.inputs + self.weights + self.outputs
    }
}

/// Bytes between the on-chip buffer and the array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ArrayTraffic {
    /// Inputs read.
    pub inputs: u64,
    /// Weights read.
    pub weights: u64,
    /// Partial and final sums written.
    pub sums_written: u64,
    /// Partial sums read back.
    pub sums_read: u64,
}

impl ArrayTraffic {
    /// Sum of the four parts, bytes.
    pub fn total(&self) -> u64 {
        self.inputs + self.weights + self.sums_written + self.sums_read
    }
}

/// A cause of energy of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Enum, Serialize, Deserialize)]
pub enum ChainEnergyCause {
    /// Multiply-accumulates.
    Mac,
    /// The buffer's accesses for the array.
    BufferToArray,
    /// The buffer's side of accesses of the DRAM.
    BufferToDram,
    /// Accesses of the DRAM.
    Dram,
}

impl ChainEnergyCause {
    /// All causes. The compiler holds that none is missing.
    pub const ALL: [Self; enum_len::<Self>()] = [Self::Mac, Self::BufferToArray, Self::BufferToDram, Self::Dram];
}

/// Energy in hundredths of a picojoule, by cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainEnergy(EnumMap<ChainEnergyCause, u128>);

impl ChainEnergy {
    /// The sum over all causes.
    pub fn total(&self) -> u128 {
        ChainEnergyCause::ALL.into_iter().map(|cause| self.0[cause]).sum()
    }

    /// The sum in picojoules.
    pub fn picojoules(&self) -> f64 {
        picojoules(self.total())
    }

    /// Energy of one cause, picojoules.
    pub fn picojoules_of(&self, cause: ChainEnergyCause) -> f64 {
        picojoules(self.0[cause])
    }
}

fn picojoules(hundredths: u128) -> f64 {
    hundredths as f64 / 100.0
}

impl AddAssign for ChainEnergy {
    fn add_assign(&mut self, other: Self) {
        ChainEnergyCause::ALL.into_iter().for_each(|cause| self.0[cause] += other.0[cause]);
    }
}

/// The cost of running some layers once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ChainCost {
    /// Operations, those of pooling included.
    pub operations: u64,
    /// Multiply-accumulates.
    pub macs: u64,
    /// Traffic with the DRAM.
    pub volume: Volume,
    /// Traffic with the array.
    pub array: ArrayTraffic,
    /// Cycles of the array.
    pub compute_cycles: u64,
}

impl ChainCost {
    /// Its energy on `accelerator`.
    pub fn energy(&self, accelerator: &Accelerator, rule: &EnergyRule) -> ChainEnergy {
        let costs = &accelerator.energy;
        let product = |count: u64, cost: u64| u128::from(count) * u128::from(cost);
        let macs = if rule.pooling_computes { self.operations } else { self.macs };
        let access = costs.buffer * rule.accesses_per_move;
        ChainEnergy(EnumMap::from_fn(|cause| match cause {
            ChainEnergyCause::Mac => product(macs, costs.mac),
            ChainEnergyCause::BufferToArray => product(self.array.total(), access),
            ChainEnergyCause::BufferToDram => product(self.volume.total(), access),
            ChainEnergyCause::Dram => product(self.volume.total(), costs.dram) / u128::from(rule.dram_access_bytes),
        }))
    }

    /// DRAM bursts.
    pub fn bursts(&self, parameters: &Parameters) -> u64 {
        self.volume.total().div_ceil(parameters.burst_bytes)
    }

    /// Cycles if nothing overlaps: computation, then a burst a cycle. By this tiles are selected.
    pub fn latency_in_sequence(&self, parameters: &Parameters) -> u64 {
        self.compute_cycles + self.bursts(parameters)
    }

    /// Cycles if computation overlaps with all data that passes the buffer's port, into it and out of it again.
    pub fn latency_overlapped(&self, parameters: &Parameters) -> u64 {
        let port_cycles = 2 * self.bursts(parameters) * parameters.burst_bytes / parameters.buffer_bytes_per_cycle;
        self.compute_cycles.max(port_cycles)
    }

    /// The refined ratio of computation to communication: operations to bytes, each weighted by the effective bandwidth
    /// of a burst.
    ///
    /// Caffeine weights each stream by its own burst length; every printed ratio of a single layer follows from one weight for all.
    pub fn ctc(&self, parameters: &Parameters) -> f64 {
        let weight = parameters.word_bits * parameters.burst_bytes / parameters.operations_per_mac;
        self.operations as f64 / (weight as f64 * self.volume.total() as f64)
    }

    /// The score by which schedules are selected, which is minimised: `latency^2 * energy`, at most `u128::MAX`.
    pub fn score(&self, accelerator: &Accelerator, parameters: &Parameters) -> u128 {
        let latency = u128::from(self.latency_in_sequence(parameters));
        (latency * latency).saturating_mul(self.energy(accelerator, &parameters.selection).total())
    }
}

impl AddAssign for ChainCost {
    fn add_assign(&mut self, other: Self) {
        self.operations += other.operations;
        self.macs += other.macs;
        self.volume.inputs += other.volume.inputs;
        self.volume.weights += other.volume.weights;
        self.volume.outputs += other.volume.outputs;
        self.array.inputs += other.array.inputs;
        self.array.weights += other.array.weights;
        self.array.sums_written += other.array.sums_written;
        self.array.sums_read += other.array.sums_read;
        self.compute_cycles += other.compute_cycles;
    }
}
