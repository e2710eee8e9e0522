//! The quantities of a design.

use crate::cost::{EnergyCause, LatencyCause};
use crate::depth_first::PointTotals;
use crate::hardware::Core;
use crate::multicore::{CoresAccount, CoresPart, CoresProblem, EvaluatedAllocation};
use crate::spec::UnitFamily;
use crate::system::CoreSystem;

/// A number by which designs are compared, such as energy or area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DesignQuantity {
    /// Energy of one inference, pJ, without leakage.
    Energy,
    /// Latency, cycles.
    Latency,
    /// Energy times latency, pJ x cycles.
    EnergyDelayProduct,
    /// Time, s, where the clock is stated.
    Time,
    /// Mean power, mW, with leakage, where the clock is stated.
    Power,
    /// Operations per joule, in 10^12, where the clock is stated: a multiply-accumulate is two.
    Efficiency,
    /// Area, um2, as far as it is stated.
    Area,
    /// Bits of the highest memories on the chip.
    Capacity,
    /// Processing elements.
    Pes,
    /// Multiply-accumulates, recomputed ones included.
    Macs,
    /// Share of the PEs that multiply, on average over the latency.
    Utilization,
    /// Words read from and written to the highest memory.
    DramWords,
    /// Energy of one cause, pJ.
    EnergyOf(EnergyCause),
    /// Latency of one cause, cycles.
    LatencyOf(LatencyCause),
    /// Most bits that are ever in use in the highest memories on the chip of a system, all together.
    PeakBits,
    /// Energy of a part of a system, pJ.
    EnergyOfPart(CoresPart),
}

/// Quantities with their names in documents, those of columns in results, and their measures.
const NAMED: [(DesignQuantity, &str, &str, UnitFamily); 13] = [
    (DesignQuantity::Energy, "energy", "energy_pj", UnitFamily::Energy),
    (DesignQuantity::Latency, "latency", "latency_cycles", UnitFamily::Cycles),
    (DesignQuantity::EnergyDelayProduct, "edp", "edp_pj_cycles", UnitFamily::Number),
    (DesignQuantity::Time, "time", "time_s", UnitFamily::Time),
    (DesignQuantity::Power, "power", "power_mw", UnitFamily::Power),
    (DesignQuantity::Efficiency, "efficiency", "efficiency_tops_per_w", UnitFamily::Number),
    (DesignQuantity::Area, "area", "area_um2", UnitFamily::Area),
    (DesignQuantity::Capacity, "capacity", "capacity_bits", UnitFamily::Bits),
    (DesignQuantity::Pes, "pes", "pes", UnitFamily::Number),
    (DesignQuantity::Macs, "macs", "macs", UnitFamily::Number),
    (DesignQuantity::Utilization, "utilization", "utilization", UnitFamily::Number),
    (DesignQuantity::DramWords, "dram_words", "dram_words", UnitFamily::Number),
    (DesignQuantity::PeakBits, "peak_on_chip", "peak_on_chip_bits", UnitFamily::Bits),
];

impl DesignQuantity {
    /// All quantities.
    pub fn all() -> impl Iterator<Item = Self> {
        let named = NAMED.iter().map(|(quantity, ..)| *quantity);
        let energies = EnergyCause::ALL.into_iter().map(Self::EnergyOf);
        let parts = CoresPart::ALL.into_iter().map(Self::EnergyOfPart);
        named.chain(energies).chain(LatencyCause::ALL.into_iter().map(Self::LatencyOf)).chain(parts)
    }

    /// The quantity that documents call `name`, or result files.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|quantity| quantity.name() == name || quantity.column() == name)
    }

    /// As documents have it: `energy`.
    pub fn name(self) -> String {
        match self {
            Self::EnergyOf(cause) => format!("{}_energy", cause.key()),
            Self::EnergyOfPart(part) => format!("{}_energy", part.key()),
            Self::LatencyOf(cause) => format!("{}_latency", cause.key()),
            _ => self.named().0.to_owned(),
        }
    }

    /// Name of its column in results, with the unit: `energy_pj`.
    pub fn column(self) -> String {
        match self {
            Self::EnergyOf(_) | Self::EnergyOfPart(_) => format!("{}_pj", self.name()),
            Self::LatencyOf(_) => format!("{}_cycles", self.name()),
            _ => self.named().1.to_owned(),
        }
    }

    /// Its measure; values are in the base unit.
    pub fn measure(self) -> UnitFamily {
        match self {
            Self::EnergyOf(_) | Self::EnergyOfPart(_) => UnitFamily::Energy,
            Self::LatencyOf(_) => UnitFamily::Cycles,
            _ => self.named().2,
        }
    }

    fn named(self) -> (&'static str, &'static str, UnitFamily) {
        let found = NAMED.iter().find(|(quantity, ..)| *quantity == self);
        found.map_or(("", "", UnitFamily::Number), |&(_, name, column, measure)| (name, column, measure))
    }

    /// Whether larger is better.
    pub fn is_gain(self) -> bool {
        matches!(self, Self::Efficiency | Self::Utilization)
    }

    /// Its value before anything is scheduled; `None` where it needs a schedule, or is not stated.
    pub(super) fn of_core(self, core: &Core) -> Option<f64> {
        match self {
            Self::Area => core.area().known_um2(),
            Self::Capacity => Some(core.on_chip_bytes() as f64 * 8.0),
            Self::Pes => Some(core.pe_count() as f64),
            _ => None,
        }
    }

    /// Its value of a scheduled network.
    pub(super) fn of_point(self, core: &Core, totals: &PointTotals) -> Option<f64> {
        let (energy_pj, cycles) = (totals.energy.total_pj(), totals.latency.total_cycles() as f64);
        let power = || core.power(energy_pj, cycles, totals.macs);
        match self {
            Self::Energy => Some(energy_pj),
            Self::Latency => Some(cycles),
            Self::EnergyDelayProduct => Some(energy_pj * cycles),
            Self::Time => power().map(|power| power.seconds),
            Self::Power => power().map(|power| power.watts * 1e3),
            Self::Efficiency => power().map(|power| power.tops_per_watt),
            Self::Macs => Some(totals.macs as f64),
            Self::Utilization => {
                Some(totals.macs as f64 / (cycles * core.pe_count() as f64)).filter(|use_| use_.is_finite())
            }
            Self::DramWords => Some(totals.words[0].total()),
            Self::EnergyOf(cause) => Some(totals.energy[cause]),
            Self::LatencyOf(cause) => Some(totals.latency[cause] as f64),
            Self::Area | Self::Capacity | Self::Pes => self.of_core(core),
            Self::PeakBits | Self::EnergyOfPart(_) => None,
        }
    }

    /// Whether designs have it: single cores, or systems of many.
    pub fn is_of(self, is_on_cores: bool) -> bool {
        match self {
            Self::DramWords | Self::EnergyOf(_) | Self::LatencyOf(_) => !is_on_cores,
            Self::PeakBits | Self::EnergyOfPart(_) => is_on_cores,
            _ => true,
        }
    }

    /// Whether it needs the account of a schedule on many cores, besides energy and latency.
    pub(super) fn needs_account(self) -> bool {
        matches!(self, Self::PeakBits | Self::EnergyOfPart(_))
    }

    /// Its value of a system before anything is scheduled; `None` where it needs a schedule, or is not stated.
    pub(super) fn of_system(self, system: &CoreSystem) -> Option<f64> {
        match self {
            Self::Area => system.area_um2(),
            Self::Capacity => Some(system.on_chip_bits() as f64),
            Self::Pes => Some(system.pe_count() as f64),
            _ => None,
        }
    }

    /// Its value of a network that is scheduled on a system, with the account of the schedule where that is known.
    pub(super) fn on_cores(
        self,
        study: &CoresProblem,
        found: &EvaluatedAllocation,
        account: Option<&CoresAccount>,
    ) -> Option<f64> {
        let &EvaluatedAllocation { energy_pj, latency_cycles, .. } = found;
        let power = || study.system.power(energy_pj, latency_cycles, study.network.macs());
        match self {
            Self::Energy => Some(energy_pj),
            Self::Latency => Some(latency_cycles),
            Self::EnergyDelayProduct => Some(energy_pj * latency_cycles),
            Self::Time => power().map(|power| power.seconds),
            Self::Power => power().map(|power| power.watts * 1e3),
            Self::Efficiency => power().map(|power| power.tops_per_watt),
            Self::Macs => Some(study.network.macs() as f64),
            Self::Utilization => Some(study.mac_use(latency_cycles)),
            Self::PeakBits => account.map(|account| account.peak_bits() as f64),
            Self::EnergyOfPart(part) => account.map(|account| account.energy.of(part)),
            Self::Area | Self::Capacity | Self::Pes => self.of_system(&study.system),
            Self::DramWords | Self::EnergyOf(_) | Self::LatencyOf(_) => None,
        }
    }

    /// A lower bound from lower bounds on energy, latency and words; `None` where none follows.
    pub(super) fn bound(self, core: &Core, least: &PointTotals) -> Option<f64> {
        match self {
            Self::Energy | Self::Latency | Self::EnergyDelayProduct | Self::Time | Self::DramWords => {
                self.of_point(core, least)
            }
            _ => self.of_core(core),
        }
    }
}
