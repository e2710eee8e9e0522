//! Units and numbers as a person reads them: three significant digits and a prefix.

use fusescape_engine::search::Objective;

/// The quantity that a number measures; the base unit is that of the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// Energy, pJ.
    Energy,
    /// Latency, cycles.
    Latency,
    /// Energy-delay product, pJ·cycles.
    EnergyDelay,
    /// Accesses of DRAM, full-width words.
    DramAccesses,
    /// Accesses of a memory, full-width words.
    Accesses,
    /// Accesses of a memory, data elements.
    Elements,
    /// Multiply-accumulates.
    Macs,
    /// Data, bytes.
    Bytes,
    /// Widths, bits.
    Bits,
    /// Area, µm².
    Area,
    /// Time, ns.
    Time,
    /// Power, µW.
    Power,
    /// A weighted sum of several quantities, which has no unit.
    WeightedSum,
    /// Ratio of a value of one design to that of another.
    Factor,
    /// Ratio of two numbers, without a unit.
    Ratio,
}

/// A unit: `factor` base units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    pub factor: f64,
    /// `mJ`.
    pub name: &'static str,
}

const ENERGY: [Unit; 5] = [unit(1.0, "pJ"), unit(1e3, "nJ"), unit(1e6, "µJ"), unit(1e9, "mJ"), unit(1e12, "J")];
const LATENCY: [Unit; 4] = [unit(1.0, "cycles"), unit(1e3, "kcycles"), unit(1e6, "Mcycles"), unit(1e9, "Gcycles")];
const ENERGY_DELAY: [Unit; 7] = [
    unit(1.0, "pJ·cycles"),
    unit(1e3, "nJ·cycles"),
    unit(1e6, "µJ·cycles"),
    unit(1e9, "mJ·cycles"),
    unit(1e12, "J·cycles"),
    unit(1e15, "kJ·cycles"),
    unit(1e18, "MJ·cycles"),
];
const ACCESSES: [Unit; 4] =
    [unit(1.0, "accesses"), unit(1e3, "k accesses"), unit(1e6, "M accesses"), unit(1e9, "G accesses")];
const ELEMENTS: [Unit; 4] =
    [unit(1.0, "elements"), unit(1e3, "k elements"), unit(1e6, "M elements"), unit(1e9, "G elements")];
const MACS: [Unit; 5] =
    [unit(1.0, "MACs"), unit(1e3, "kMACs"), unit(1e6, "MMACs"), unit(1e9, "GMACs"), unit(1e12, "TMACs")];
const BYTES: [Unit; 5] = [
    unit(1.0, "B"),
    unit(1024.0, "KiB"),
    unit(1_048_576.0, "MiB"),
    unit(1_073_741_824.0, "GiB"),
    unit(1_099_511_627_776.0, "TiB"),
];

/// No larger units, as documents have none.
const BITS: [Unit; 1] = [unit(1.0, "bit")];

const AREA: [Unit; 2] = [unit(1.0, "µm²"), unit(1e6, "mm²")];

const TIME: [Unit; 4] = [unit(1.0, "ns"), unit(1e3, "µs"), unit(1e6, "ms"), unit(1e9, "s")];

const POWER: [Unit; 4] = [unit(1.0, "µW"), unit(1e3, "mW"), unit(1e6, "W"), unit(1e9, "kW")];

const PLAIN: [Unit; 5] = [unit(1.0, ""), unit(1e3, "k"), unit(1e6, "M"), unit(1e9, "G"), unit(1e12, "T")];

const FACTOR: [Unit; 1] = [unit(1.0, "×")];

const fn unit(factor: f64, name: &'static str) -> Unit {
    Unit { factor, name }
}

impl Quantity {
    /// `energy`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Energy => "energy",
            Self::Latency => "latency",
            Self::EnergyDelay => "energy-delay product",
            Self::DramAccesses => "DRAM accesses",
            Self::Accesses => "accesses",
            Self::Elements => "elements accessed",
            Self::Macs => "multiply-accumulates",
            Self::Bytes => "data",
            Self::Bits => "width",
            Self::Area => "area",
            Self::Time => "time",
            Self::Power => "power",
            Self::WeightedSum => "weighted sum",
            Self::Factor => "factor",
            Self::Ratio => "ratio",
        }
    }

    /// The quantity of the value of an objective.
    pub fn of_objective(objective: &Objective) -> Self {
        match objective {
            Objective::Energy => Self::Energy,
            Objective::Latency => Self::Latency,
            Objective::EnergyDelayProduct => Self::EnergyDelay,
            Objective::DramAccesses => Self::DramAccesses,
            Objective::MemoryAccesses(_) => Self::Accesses,
            Objective::Weighted(_) => Self::WeightedSum,
        }
    }

    /// The name with a capital letter.
    pub fn title(self) -> String {
        let mut title = self.name().to_owned();
        if let Some(first) = title.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        title
    }

    fn units(self) -> &'static [Unit] {
        match self {
            Self::Energy => &ENERGY,
            Self::Latency => &LATENCY,
            Self::EnergyDelay => &ENERGY_DELAY,
            Self::DramAccesses | Self::Accesses => &ACCESSES,
            Self::Elements => &ELEMENTS,
            Self::Macs => &MACS,
            Self::Bytes => &BYTES,
            Self::Bits => &BITS,
            Self::Area => &AREA,
            Self::Time => &TIME,
            Self::Power => &POWER,
            Self::WeightedSum | Self::Ratio => &PLAIN,
            Self::Factor => &FACTOR,
        }
    }

    /// The unit in which `value` (in base units) has one to three digits before the point.
    pub fn unit(self, value: f64) -> Unit {
        let units = self.units();
        // A value that would be printed as 1000 gets the next unit; areas change earlier: 0.01 mm², not 10000 µm².
        let share = if self == Self::Area { 0.009_995 } else { 0.9995 };
        let reaches = |unit: &&Unit| value.abs() >= unit.factor * share;
        units.iter().rev().find(reaches).copied().unwrap_or(units[0])
    }

    /// One unit for a figure of values from `low` to `high`: that of their geometric mean.
    pub fn unit_for(self, low: f64, high: f64) -> Unit {
        self.unit(if low > 0.0 { (low * high).sqrt() } else { high })
    }

    /// The value with its unit: `1.81 mJ`.
    pub fn text(self, value: f64) -> String {
        let unit = self.unit(value);
        format!("{} {}", unit.text(value), unit.name).trim_end().to_owned()
    }

    /// A round value with its unit: `64 KiB`.
    pub fn plain(self, value: f64) -> String {
        let unit = self.unit(value);
        format!("{} {}", unit.tick(value), unit.name)
    }

    /// The value with its prefix only, where the unit is named elsewhere: `3.20 M`.
    pub fn compact(self, value: f64) -> String {
        self.with_prefix(value, |unit| unit.text(value))
    }

    /// A mark of an axis with its prefix only: `10 M`.
    pub fn compact_tick(self, value: f64) -> String {
        self.with_prefix(value, |unit| unit.tick(value))
    }

    fn with_prefix(self, value: f64, text: impl Fn(Unit) -> String) -> String {
        let unit = self.unit(value);
        let prefix = unit.name.strip_suffix(self.units()[0].name).unwrap_or(unit.name).trim();
        if prefix.is_empty() { text(unit) } else { format!("{} {prefix}", text(unit)) }
    }

    /// Name of the base unit: `elements`.
    pub fn base(self) -> &'static str {
        self.units()[0].name
    }
}

impl Unit {
    /// The value in this unit, without its name: `1.81`.
    pub fn text(self, value: f64) -> String {
        let whole = self.factor == 1.0 && value.fract() == 0.0 && value.abs() < 1e6;
        if whole { format!("{value:.0}") } else { three_digits(value / self.factor) }
    }

    /// The value in this unit as a mark of an axis: no needless zeros.
    pub fn tick(self, value: f64) -> String {
        let text = self.text(value);
        if text.contains('.') && !text.contains('e') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text
        }
    }
}

/// A number with three significant digits; digits before the point are never dropped below a million.
pub fn three_digits(value: f64) -> String {
    digits(value, 3)
}

/// How far a value may be above the best one, of which only a bound is known.
pub fn above_best(value: f64, bound: f64) -> String {
    let ratio = value / bound.max(1.0);
    if ratio < 2.0 {
        format!("at most {} % above the best", three_digits(100.0 * (ratio - 1.0)))
    } else {
        format!("at most {} times the best", three_digits(ratio))
    }
}

/// A change as text: `4 % more`, `32 % less`, `2.5 times as much`, `as much`.
pub fn more_or_less(before: f64, now: f64) -> String {
    let ratio = now / before;
    match ratio {
        // Smaller differences would be printed as equal numbers.
        _ if !ratio.is_finite() || (ratio - 1.0).abs() < 0.0005 => "as much".to_owned(),
        2.0.. => format!("{} times as much", three_digits(ratio)),
        1.0.. => format!("{} % more", percent(ratio - 1.0)),
        _ => format!("{} % less", percent(1.0 - ratio)),
    }
}

/// A change as text, with the name of the baseline: `4 % more than before`, `2.5 times as much as before`.
pub fn compared_with(name: &str, before: f64, now: f64) -> String {
    let text = more_or_less(before, now);
    let word = if text.ends_with("as much") { "as" } else { "than" };
    format!("{text} {word} {name}")
}

/// A share in per cent, with one digit behind the point below ten.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent < 9.95 { format!("{percent:.1}") } else { format!("{percent:.0}") }
}

/// A number with `significant` significant digits.
pub fn digits(value: f64, significant: i32) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let mut magnitude = value.abs().log10().floor() as i32;
    // 9.996 is printed as 10.0, so it counts as a number of two digits before the point.
    let step = 10f64.powi(magnitude + 1 - significant);
    if (value.abs() / step).round() * step >= 10f64.powi(magnitude + 1) {
        magnitude += 1;
    }
    if !(-5..6).contains(&magnitude) {
        return format!("{value:.*e}", (significant - 1).max(0) as usize);
    }
    let decimals = (significant - 1 - magnitude).max(0) as usize;
    format!("{value:.decimals$}")
}

/// A number of bits: `64 KiB`; exact sizes stay exact.
pub fn size_text(bits: u64) -> String {
    if !bits.is_multiple_of(8) {
        return format!("{bits} bit");
    }
    let bytes = bits / 8;
    let units = [("GiB", 1u64 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    match units.into_iter().find(|(_, size)| bytes >= *size) {
        None => format!("{bytes} B"),
        Some((name, size)) if bytes.is_multiple_of(size) => format!("{} {name}", bytes / size),
        Some((name, size)) => format!("{} {name}", three_digits(bytes as f64 / size as f64)),
    }
}

/// A time in milliseconds as text: `0.84 s`, `2 min 5 s`.
pub fn seconds_text(ms: f64) -> String {
    let seconds = ms / 1000.0;
    match seconds {
        _ if seconds < 0.995 => format!("{seconds:.2} s"),
        _ if seconds < 9.95 => format!("{seconds:.1} s"),
        _ if seconds < 120.0 => format!("{seconds:.0} s"),
        _ if seconds < 7200.0 => format!("{:.0} min {:.0} s", (seconds / 60.0).floor(), seconds % 60.0),
        _ if seconds < 172_800.0 => format!("{:.1} h", seconds / 3600.0),
        _ => format!("{:.1} days", seconds / 86_400.0),
    }
}

/// `1 024`, with a thin space that does not break.
pub fn group_thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push('\u{202f}');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_significant_digits() {
        let cases = [
            (0.0, "0"),
            (1.0, "1.00"),
            (1.814, "1.81"),
            (9.996, "10.0"),
            (47.29, "47.3"),
            (99.96, "100"),
            (1025.9, "1026"),
            (123_456.7, "123457"),
            (0.5, "0.500"),
            (0.012_345, "0.0123"),
            (0.099_96, "0.100"),
            (-2.5, "-2.50"),
            (1.5e9, "1.50e9"),
            (2.5e-7, "2.50e-7"),
            (f64::NAN, "–"),
            (f64::INFINITY, "–"),
        ];
        for (value, text) in cases {
            assert_eq!(three_digits(value), text, "{value}");
        }
    }

    #[test]
    fn values_choose_their_unit() {
        let cases = [
            (Quantity::Energy, 0.25, "0.250 pJ"),
            (Quantity::Energy, 812.4, "812 pJ"),
            (Quantity::Energy, 1_234.0, "1.23 nJ"),
            (Quantity::Energy, 4.2e6, "4.20 µJ"),
            (Quantity::Energy, 1.81e9, "1.81 mJ"),
            (Quantity::Energy, 2.0e12, "2.00 J"),
            (Quantity::Latency, 7.0, "7 cycles"),
            (Quantity::Latency, 999.0, "999 cycles"),
            (Quantity::Latency, 18_500_000.0, "18.5 Mcycles"),
            (Quantity::Latency, 999_999.0, "1.00 Mcycles"),
            (Quantity::Bytes, 512.0, "512 B"),
            (Quantity::Bytes, 65_536.0, "64.0 KiB"),
            (Quantity::Bytes, 1_048_576.0, "1.00 MiB"),
            (Quantity::Macs, 6.5e9, "6.50 GMACs"),
            (Quantity::Elements, 3.2e7, "32.0 M elements"),
            (Quantity::DramAccesses, 0.0, "0 accesses"),
            (Quantity::EnergyDelay, 3.35e16, "33.5 kJ·cycles"),
        ];
        for (quantity, value, text) in cases {
            assert_eq!(quantity.text(value), text);
        }
    }

    #[test]
    fn a_figure_has_one_unit() {
        let cases = [
            (Quantity::Energy, 1.81e9, 47.3e9, "mJ"),
            (Quantity::Latency, 18.5e6, 1_025.9e6, "Mcycles"),
            (Quantity::Energy, 0.9e9, 2e9, "mJ"),
            (Quantity::Energy, 0.0, 2e9, "mJ"),
            (Quantity::Macs, 5.0e9, 900.0e9, "GMACs"),
        ];
        for (quantity, low, high, name) in cases {
            assert_eq!(quantity.unit_for(low, high).name, name, "{quantity:?} {low} {high}");
        }
    }

    #[test]
    fn a_prefix_can_stand_alone() {
        assert_eq!(Quantity::Elements.compact(3.2e6), "3.20 M");
        assert_eq!(Quantity::Macs.compact_tick(1e10), "10 G");
        assert_eq!(Quantity::Elements.compact(12.0), "12");
        assert_eq!(Quantity::Energy.compact(1.81e9), "1.81 mJ");
    }

    #[test]
    fn marks_of_an_axis_have_no_needless_zeros() {
        assert_eq!(unit(1e9, "mJ").tick(5e9), "5");
        assert_eq!(unit(1e9, "mJ").tick(2.5e9), "2.5");
        assert_eq!(unit(1e9, "mJ").tick(100e9), "100");
    }
}
