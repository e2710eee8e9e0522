//! Attention on a 2D array with a 1D array beside it, as the FuseMax artifact (MICRO 2024) computes it: unfused, FLAT, and the three steps
//! from FLAT to FuseMax.
//!
//! The artifact counts loop nests in closed form. So does this module, by its own [`Rules`], or with its defects
//! corrected.
//!
//! - `rules.rs`: the switches; `machine.rs`: the machines, with their energies; `nest.rs`: accesses of a loop nest
//! - `unfused.rs`, `flat.rs`, `fusemax.rs`: the dataflows; `softmax.rs`: the softmax of the first two
//! - `flat_buffer.rs`: the tensors that FLAT keeps in the buffer; `flat_search.rs`: the best of its configurations
//! - `linear.rs`: the layers around attention; `area.rs`: the sweep over arrays
//!
//! `tests/reference/attention.rs` compares with every published number.

mod area;
mod flat;
mod flat_buffer;
mod flat_search;
mod fusemax;
mod linear;
mod machine;
mod nest;
mod rules;
mod softmax;
mod unfused;

pub use area::{ArrayArea, SizedMachine, sized_for};
pub use flat::{Flat, Granularity, Stationarity};
pub use flat_search::best_flat;
pub use linear::{Linear, LinearLayer, encoder_layers};
pub use machine::{Energies, Machine};
pub use rules::Rules;
pub use unfused::COMPULSORY;

use super::Shape;
use crate::spec::Diagnostics;
use machine::{ADD, DIVIDE, EXPONENTIAL, MAC, MAX};
use nest::Accesses;

/// A dataflow of the artifact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Dataflow {
    /// Query times key, softmax and the product with the values, one after the other through DRAM. The number is k of
    /// NOTES 6: the bytes that cross the border of DRAM for each element of a query, key, value or output in one of the
    /// two products; [`COMPULSORY`] where each crosses once.
    Unfused(u64),
    /// FLAT (ASPLOS 2023): the scores of some rows stay on the chip; three passes over them.
    Flat(Flat),
    /// The one-pass cascade on FLAT's machine.
    Cascade,
    /// The same on FuseMax's machine, whose 2D array computes maxima and exponential functions, too.
    Architecture,
    /// The same with tiles interleaved, so that no array waits for the other: FuseMax.
    Binding,
}

impl Dataflow {
    /// Name in the artifact.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Unfused(_) => "unfused",
            Self::Flat(_) => "FLAT",
            Self::Cascade => "+cascade",
            Self::Architecture => "+architecture",
            Self::Binding => "+binding",
        }
    }

    /// The machine that the artifact runs it on.
    pub const fn cloud(&self) -> Machine {
        match self {
            Self::Unfused(_) | Self::Flat(_) | Self::Cascade => Machine::FLAT_CLOUD,
            Self::Architecture | Self::Binding => Machine::FUSEMAX_CLOUD,
        }
    }
}

/// One of the two arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Array {
    /// R x R PEs.
    TwoD,
    /// R PEs.
    OneD,
}

/// A step of a cascade on an array.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepCycles {
    /// Its result, as the papers write it.
    pub name: &'static str,
    /// The array that computes it.
    pub array: Array,
    /// Cycles, for the whole layer.
    pub cycles: f64,
    /// The share of the array that works.
    pub used: f64,
}

/// Causes of energy in the tables of the artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnergyCause {
    /// Accesses of off-chip memory.
    Dram,
    /// The on-chip buffer.
    Buffer,
    /// Registers of the 2D array.
    Registers2d,
    /// Registers of the 1D array, and of the file between both arrays.
    Registers1d,
    /// Multiply-accumulates.
    Mac,
    /// Additions and subtractions.
    Add,
    /// Maxima.
    Max,
    /// Exponential functions in units of their own.
    Exponential,
    /// Divisions.
    Divide,
}

/// Accesses, in values; those of registers are of one PE.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AccessTotals {
    /// Values that leave the on-chip buffer.
    pub buffer_reads: f64,
    /// Values that enter the on-chip buffer.
    pub buffer_writes: f64,
    /// Reads and writes of the registers of one PE of the 2D array.
    pub registers_2d: (f64, f64),
    /// Reads and writes of the registers of one PE of the 1D array.
    pub registers_1d: (f64, f64),
    /// Reads and writes of the register file at the edge of the 2D array: of all of it.
    pub edge: (f64, f64),
    /// Reads and writes of the registers of all PEs that work: of the 2D array, and of the 1D array.
    pub all_registers: [(f64, f64); 2],
}

impl AccessTotals {
    fn add(&mut self, array: Array, accesses: &Accesses) {
        let registers = match array {
            Array::TwoD => &mut self.registers_2d,
            Array::OneD => &mut self.registers_1d,
        };
        registers.0 += accesses.register_reads as f64;
        registers.1 += accesses.register_writes as f64;
        let all = &mut self.all_registers[array as usize];
        all.0 += accesses.register_reads as f64 * accesses.pes as f64;
        all.1 += accesses.register_writes as f64 * accesses.pes as f64;
        for moved in &accesses.transfers {
            self.buffer_reads += moved.buffer_reads as f64;
            self.buffer_writes += moved.buffer_writes as f64;
            self.edge.0 += moved.edge_reads as f64;
            self.edge.1 += moved.edge_writes as f64;
        }
    }
}

/// Numbers of operations of each kind that take energy.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Operations {
    macs: f64,
    adds: f64,
    maxima: f64,
    exponentials: f64,
    divisions: f64,
}

/// Costs of a dataflow: one attention layer, all heads and sequences.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    /// P1 and P2: the groups of R queries that stay in the buffer while all keys stream past, and the number of passes
    /// over the keys. `None` if queries are not tiled.
    pub tiles: Option<(u64, u64)>,
    /// The share of the data that FLAT keeps in the buffer that has no room there.
    pub spilled: f64,
    /// The steps of the cascade, in order, each with its cycles.
    pub steps: Vec<StepCycles>,
    /// Bytes to and from DRAM, by tensor.
    pub dram: Vec<(&'static str, f64)>,
    /// Seconds.
    pub latency_s: f64,
    /// Accesses as the artifact counts them.
    pub accesses: AccessTotals,
    /// Energy by cause, pJ.
    pub energy: Vec<(EnergyCause, f64)>,
    clock_hz: f64,
}

impl Replay {
    /// Sum over the tensors.
    pub fn dram_bytes(&self) -> f64 {
        self.dram.iter().map(|(_, bytes)| bytes).sum()
    }

    /// Energy, pJ.
    pub fn energy_pj(&self) -> f64 {
        self.energy.iter().map(|(_, energy)| energy).sum()
    }

    /// The share of the time in which a step uses its array, times the share of the array.
    pub fn active(&self, step: &StepCycles) -> f64 {
        step.cycles * step.used / (self.latency_s * self.clock_hz)
    }

    /// The share of an array's time that is used.
    pub fn utilisation(&self, array: Array) -> f64 {
        self.steps.iter().filter(|step| step.array == array).map(|step| self.active(step)).sum()
    }
}

/// Runs attention by one of the artifact's dataflows.
///
/// # Errors
///
/// Sizes that [`Shape::check`] refuses, heads that share keys, queries or keys that do not fill whole rows of the
/// array, or a buffer that is too small for one group of queries.
pub fn replay(dataflow: &Dataflow, shape: &Shape, machine: &Machine, rules: &Rules) -> Result<Replay, Diagnostics> {
    check(shape, machine)?;
    match dataflow {
        Dataflow::Unfused(bytes) => Ok(unfused::replay(*bytes, shape, machine, rules)),
        Dataflow::Flat(flat) => flat.replay(shape, machine, rules),
        Dataflow::Cascade | Dataflow::Architecture | Dataflow::Binding => {
            fusemax::replay(dataflow, shape, machine, rules)
        }
    }
}

/// The artifact's formulas hold where arrays are full.
fn check(shape: &Shape, machine: &Machine) -> Result<(), Diagnostics> {
    shape.check()?;
    let mut diagnostics = Diagnostics::default();
    for (name, size) in [("queries", shape.queries), ("keys", shape.keys)] {
        if !size.is_multiple_of(machine.side) {
            let reason = format!("{size} {name} do not fill whole rows of an array of {0} x {0}", machine.side);
            let remedy = format!("Write a multiple of {}; the published formulas hold for these alone", machine.side);
            diagnostics.add(name, reason, remedy);
        }
    }
    if shape.key_heads != shape.heads {
        let reason = "The published systems know no heads that share keys";
        diagnostics.add("key_heads", reason, format!("Write {}", shape.heads));
    }
    if shape.value_depth != shape.depth {
        let reason = "The published systems have values as deep as keys";
        diagnostics.add("value_depth", reason, format!("Write {}", shape.depth));
    }
    diagnostics.or(())
}

/// Energy by cause.
fn energy_of(
    machine: &Machine,
    rules: &Rules,
    dram_bytes: f64,
    accesses: &AccessTotals,
    operations: &Operations,
) -> Vec<(EnergyCause, f64)> {
    let [counted_2d, counted_1d] =
        if rules.registers_of_one_pe { [accesses.registers_2d, accesses.registers_1d] } else { accesses.all_registers };
    let registers = |(reads, writes): (f64, f64), (read, write): (f64, f64)| reads * read + writes * write;
    let of_2d = registers(counted_2d, machine.energies.registers_2d);
    let of_1d = registers(counted_1d, machine.energies.registers_1d);
    let of_edge = registers(accesses.edge, machine.energies.registers_1d);
    vec![
        (EnergyCause::Dram, machine.dram_energy(dram_bytes)),
        (EnergyCause::Buffer, machine.buffer_energy(accesses.buffer_reads, accesses.buffer_writes)),
        (EnergyCause::Registers2d, of_2d),
        (EnergyCause::Registers1d, of_1d + of_edge),
        (EnergyCause::Mac, operations.macs * MAC),
        (EnergyCause::Add, operations.adds * ADD),
        (EnergyCause::Max, operations.maxima * MAX),
        (EnergyCause::Exponential, operations.exponentials * EXPONENTIAL),
        (EnergyCause::Divide, operations.divisions * DIVIDE),
    ]
}
