//! Time, power and efficiency in words.

use super::scale::{Quantity, three_digits};
use fusescape_engine::hardware::Power;

/// `At 200 MHz: 4.21 ms, 12.3 mW, 0.31 TOPS, 1.24 TOPS/W.`, and the leakage.
pub fn power_text(power: &Power) -> String {
    let efficiency = if power.tops > 0.0 {
        format!(", {} TOPS, {} TOPS/W", three_digits(power.tops), three_digits(power.tops_per_watt))
    } else {
        String::new()
    };
    let watts = Quantity::Power.text(1e6 * power.watts);
    let mut text = format!("At {}, {watts}{efficiency}.", time_text(power));
    if power.leakage_pj > 0.0 {
        text += &format!(
            " {} leak meanwhile, beside the energy above: together {}. To minimise both, take the weighted sum of energy (1) and \
             latency ({}).",
            Quantity::Energy.text(power.leakage_pj),
            Quantity::Energy.text(power.total_pj),
            three_digits(power.leakage_pj_per_cycle),
        );
    }
    text
}

/// `200 MHz: 4.21 ms`.
pub fn time_text(power: &Power) -> String {
    let mhz = power.clock_mhz;
    // As written in the document; the clock of an array that computes in memory follows from its delays and has many
    // digits.
    let short = |number: f64| if number.to_string().len() > 8 { three_digits(number) } else { number.to_string() };
    let clock = if mhz >= 1e3 { format!("{} GHz", short(mhz / 1e3)) } else { format!("{} MHz", short(mhz)) };
    format!("{clock}: {}", Quantity::Time.text(1e9 * power.seconds))
}
