//! Time, power and efficiency, which follow from energy and cycles where the clock is stated.

use super::core::Core;
use serde::{Deserialize, Serialize};

/// Time, energy and power of some work on a core whose clock is stated.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Power {
    /// The clock, MHz.
    pub clock_mhz: f64,
    /// Energy that leaks in a cycle, pJ.
    pub leakage_pj_per_cycle: f64,
    /// Duration of the work, s.
    pub seconds: f64,
    /// Energy that leaks during that time, pJ.
    pub leakage_pj: f64,
    /// Energy of the work and of leakage, pJ.
    pub total_pj: f64,
    /// Mean power, W.
    pub watts: f64,
    /// Operations per second, in 10^12: a multiply-accumulate is two.
    pub tops: f64,
    /// Operations per joule, in 10^12.
    pub tops_per_watt: f64,
}

impl Power {
    /// For work of `energy_pj` and so many cycles, with this leakage in each; `None` where it takes no time.
    pub fn new((clock_mhz, leakage_pj_per_cycle): (f64, f64), energy_pj: f64, cycles: f64, macs: u64) -> Option<Self> {
        let seconds = cycles / (1e6 * clock_mhz);
        let leakage_pj = leakage_pj_per_cycle * cycles;
        let total_pj = energy_pj + leakage_pj;
        let operations = 2.0 * macs as f64;
        (seconds > 0.0).then(|| Self {
            clock_mhz,
            leakage_pj_per_cycle,
            seconds,
            leakage_pj,
            total_pj,
            watts: 1e-12 * total_pj / seconds,
            tops: 1e-12 * operations / seconds,
            // Operations per picojoule are 10^12 operations per joule.
            tops_per_watt: if total_pj > 0.0 { operations / total_pj } else { 0.0 },
        })
    }
}

impl Core {
    /// Time, energy and power of work of `energy_pj` and so many cycles on this core; `None` where the clock is not
    /// stated.
    pub fn power(&self, energy_pj: f64, cycles: f64, macs: u64) -> Option<Power> {
        Power::new((self.clock_mhz?, self.leakage_pj_per_cycle()), energy_pj, cycles, macs)
    }
}

#[cfg(test)]
mod tests {
    use super::Power;

    #[test]
    fn figures_are_those_of_a_calculation_by_hand() {
        // 2,000 cycles at 200 MHz are 10 us; 3 mW leak 15 pJ a cycle, 30 nJ; with 70 nJ that is 0.1 uJ, 10 mW.
        let power = Power::new((200.0, 15.0), 70_000.0, 2_000.0, 50_000).expect("some time");
        let close = |value: f64, expected: f64| assert!((value - expected).abs() <= 1e-12 * expected, "{value}");
        close(power.seconds, 1e-5);
        close(power.leakage_pj, 30_000.0);
        close(power.total_pj, 100_000.0);
        close(power.watts, 0.01);
        // 100,000 operations in 10 us and 0.1 uJ.
        close(power.tops, 0.01);
        close(power.tops_per_watt, 1.0);
        assert_eq!(Power::new((200.0, 15.0), 1.0, 0.0, 1), None);
    }
}
