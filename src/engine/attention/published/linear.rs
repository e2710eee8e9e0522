//! The linear layers around attention, as the artifact computes them: one after the other, each as fast as DRAM or the array allows.

use super::machine::BYTES;
use super::{AccessTotals, EnergyCause, Machine, Operations, Rules, energy_of};

/// A product of matrices: rows x reduction times reduction x columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinearLayer {
    /// Name in the papers.
    pub name: &'static str,
    /// Tokens of all sequences.
    pub rows: u64,
    /// Channels of an input, over which products are added up.
    pub reduction: u64,
    /// Channels of an output.
    pub columns: u64,
}

/// The six linear layers of an encoder layer: `width` (D) to `heads` x `depth` and back, and through `hidden` (S). No norm, no bias.
pub fn encoder_layers(tokens: u64, width: u64, projected: u64, hidden: u64) -> [LinearLayer; 6] {
    let layer = |name, reduction, columns| LinearLayer { name, rows: tokens, reduction, columns };
    [
        layer("Q", width, projected),
        layer("K", width, projected),
        layer("V", width, projected),
        layer("Z", projected, width),
        layer("FFN1", width, hidden),
        layer("FFN2", hidden, width),
    ]
}

impl LinearLayer {
    /// Multiply-accumulates.
    pub const fn macs(&self) -> u64 {
        self.rows * self.reduction * self.columns
    }

    /// Rows of inputs that stay in the buffer while the weights stream past, where the weights do not fit beside rows
    /// for the array.
    pub fn resident_rows(&self, machine: &Machine) -> Option<u64> {
        let row_bytes = BYTES * self.reduction;
        let resident = (self.columns + machine.side) * row_bytes <= machine.buffer_bytes;
        let most = (machine.buffer_bytes / row_bytes).saturating_sub(machine.side);
        let doubled = |rows: &u64| rows.checked_mul(2).filter(|rows| *rows <= most);
        (!resident).then(|| std::iter::successors(Some(machine.side), doubled).last().unwrap_or(machine.side))
    }

    /// Elements of the weights that are read from DRAM.
    pub fn streamed_weights(&self, machine: &Machine) -> f64 {
        let weights = (self.reduction * self.columns) as f64;
        self.resident_rows(machine).map_or(weights, |rows| weights * (self.rows as f64 / rows as f64))
    }

    /// Bytes read from DRAM plus bytes written to it: both maps once, weights once for each time that they are
    /// streamed.
    pub fn dram_bytes(&self, machine: &Machine) -> f64 {
        let maps = self.rows as f64 * (self.reduction + self.columns) as f64;
        BYTES as f64 * (maps + self.streamed_weights(machine))
    }

    fn cycles(&self, machine: &Machine) -> f64 {
        self.macs() as f64 / machine.pes() as f64
    }

    fn seconds(&self, machine: &Machine) -> f64 {
        machine.dram_seconds(self.dram_bytes(machine)).max(machine.seconds(self.cycles(machine)))
    }
}

/// Costs of all layers together.
#[derive(Debug, Clone, PartialEq)]
pub struct Linear {
    /// Multiply-accumulates.
    pub macs: u64,
    /// Bytes read from DRAM plus bytes written to it.
    pub dram_bytes: f64,
    /// Seconds.
    pub latency_s: f64,
    /// Accesses, in values.
    pub accesses: AccessTotals,
    /// Energy by cause, pJ.
    pub energy: Vec<(EnergyCause, f64)>,
}

impl Linear {
    /// Runs the layers one after the other.
    pub fn of(layers: &[LinearLayer], machine: &Machine, rules: &Rules) -> Self {
        let cycles: f64 = layers.iter().map(|layer| layer.cycles(machine)).sum();
        let dram_bytes = layers.iter().map(|layer| layer.dram_bytes(machine)).sum();
        let filled =
            layers.iter().map(|layer| layer.rows as f64 * layer.reduction as f64 + layer.streamed_weights(machine));
        let outputs: f64 = layers.iter().map(|layer| layer.rows as f64 * layer.columns as f64).sum();
        let macs: u64 = layers.iter().map(LinearLayer::macs).sum();
        let pes = machine.pes() as f64;
        let accesses = AccessTotals {
            // A row of inputs and one of weights in each cycle.
            buffer_reads: 2.0 * cycles * machine.side as f64,
            buffer_writes: filled.sum(),
            registers_2d: (3.0 * cycles - outputs / pes, 3.0 * cycles),
            all_registers: [(3.0 * cycles * pes - outputs, 3.0 * cycles * pes), (0.0, 0.0)],
            ..AccessTotals::default()
        };
        let operations = Operations { macs: macs as f64, ..Operations::default() };
        Self {
            macs,
            dram_bytes,
            latency_s: layers.iter().map(|layer| layer.seconds(machine)).sum(),
            energy: energy_of(machine, rules, dram_bytes, &accesses, &operations),
            accesses,
        }
    }

    /// Energy, pJ.
    pub fn energy_pj(&self) -> f64 {
        self.energy.iter().map(|(_, energy)| energy).sum()
    }
}
