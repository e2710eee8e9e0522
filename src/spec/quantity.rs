//! Quantities with units, as people write them.

use super::decimal::parse_decimal;
use super::diagnostic::Fix;
use super::reader::{ValueError, count};

/// Units of a number of bits, each with its number of bits. A KiB has 1024 bytes.
const BITS: [(&str, u64); 6] =
    [("bit", 1), ("bits", 1), ("B", 8), ("KiB", 8 << 10), ("MiB", 8 << 20), ("GiB", 8 << 30)];
/// Units of energy, each in pJ.
const ENERGIES: [(&str, f64); 3] = [("pJ", 1.0), ("fJ", 1e-3), ("nJ", 1e3)];
/// Units of area, each in um2.
const AREAS: [(&str, f64); 2] = [("um2", 1.0), ("mm2", 1e6)];
/// Units of power, each in mW.
const POWERS: [(&str, f64); 4] = [("mW", 1.0), ("uW", 1e-3), ("nW", 1e-6), ("W", 1e3)];
/// Units of frequency, each in MHz.
const FREQUENCIES: [(&str, f64); 3] = [("MHz", 1.0), ("GHz", 1e3), ("kHz", 1e-3)];
/// Said of a number of bits that is too large; `Core` and the other documents hold to it.
const MOST_BITS: &str = "Write at most 131072 GiB (2^50 bit)";
/// Above this, not every whole number has its own `f64`.
const MAX_EXACT: f64 = (1u64 << 53) as f64;

/// A positive number of bits: `8 bit`, `1 B`, `32 KiB`, `0.5 MiB`.
pub(super) fn bits(text: &str) -> Result<u64, ValueError> {
    let example = "Write for example `64 bit`, `8 B` or `32 KiB` (1 KiB = 1024 B)";
    let (number, unit) = split(text, example)?;
    let Some((_, factor)) = BITS.into_iter().find(|(name, _)| *name == unit) else {
        return Err(match unit.to_ascii_lowercase().as_str() {
            "kb" | "kbit" | "kibit" if unit != "KB" => of_bits(text, number, unit, "kilobits", "KiB", 1 << 10),
            "mb" | "mbit" | "mibit" if unit != "MB" => of_bits(text, number, unit, "megabits", "MiB", 1 << 20),
            "gb" | "gbit" | "gibit" if unit != "GB" => of_bits(text, number, unit, "gigabits", "GiB", 1 << 30),
            "k" | "kb" | "kib" => wrong_unit(unit, "`KiB` (1024 B)").fixed_by(with_unit(text, number, "KiB")),
            "m" | "mb" | "mib" => wrong_unit(unit, "`MiB` (1024 KiB)").fixed_by(with_unit(text, number, "MiB")),
            "g" | "gb" | "gib" => wrong_unit(unit, "`GiB` (1024 MiB)").fixed_by(with_unit(text, number, "GiB")),
            "b" | "byte" | "bytes" => wrong_unit(unit, "`bit` or, for bytes, `B`"),
            _ => wrong_unit(unit, "bit, B, KiB, MiB or GiB"),
        });
    };
    let bits = match number.parse::<u64>() {
        Ok(number) => number.checked_mul(factor),
        Err(_) => {
            let bits = decimal(number, example, MOST_BITS)? * factor as f64;
            if bits <= MAX_EXACT && bits.fract() != 0.0 {
                return Err(ValueError::new(format!("`{text}` is not a whole number of bits"), example));
            }
            (bits <= MAX_EXACT).then_some(bits as u64)
        }
    };
    match bits {
        None => Err(ValueError::new(format!("`{text}` is too large to be counted"), MOST_BITS)),
        Some(0) => Err(ValueError::new(format!("`{text}` is nothing"), example)),
        Some(bits) => Ok(bits),
    }
}

/// An energy in pJ: `0.04 pJ`, `12 fJ`.
pub(super) fn energy_pj(text: &str) -> Result<f64, ValueError> {
    let example = "Write for example `26.56 pJ`";
    let (number, unit) = split(text, example)?;
    match ENERGIES.into_iter().find(|(name, _)| *name == unit) {
        Some((_, factor)) => Ok(decimal(number, example, "Write at most 10000000000 pJ (10 mJ)")? * factor),
        None => Err(wrong_unit(unit, "pJ, fJ or nJ")),
    }
}

/// An area in um2: `4740.06 um2`, `0.5 mm2`.
pub(super) fn area_um2(text: &str) -> Result<f64, ValueError> {
    let example = "Write for example `4740 um2` or `0.5 mm2`";
    let (number, unit) = split(text, example)?;
    let unit = unit.replace(['µ', 'μ'], "u").replace('²', "2");
    match AREAS.into_iter().find(|(name, _)| *name == unit) {
        Some((_, factor)) => Ok(decimal(number, example, "Write at most 1000000 mm2")? * factor),
        None => Err(wrong_unit(&unit, "um2 or mm2 (1 mm2 = 1000000 um2)")),
    }
}

/// A power in mW: `1.2 mW`, `80 uW`.
pub(super) fn power_mw(text: &str) -> Result<f64, ValueError> {
    let example = "Write for example `1.2 mW` or `80 uW`";
    let (number, unit) = split(text, example)?;
    let unit = unit.replace(['µ', 'μ'], "u");
    match POWERS.into_iter().find(|(name, _)| *name == unit) {
        Some((_, factor)) => Ok(decimal(number, example, "Write at most 1000000000 mW (1 MW)")? * factor),
        None => Err(wrong_unit(&unit, "mW, uW, nW or W")),
    }
}

/// A clock frequency in MHz, which is not 0: `200 MHz`, `1.4 GHz`.
pub(super) fn frequency_mhz(text: &str) -> Result<f64, ValueError> {
    let example = "Write for example `200 MHz` or `1.4 GHz`";
    let (number, unit) = split(text, example)?;
    match FREQUENCIES.into_iter().find(|(name, _)| *name == unit) {
        Some((_, factor)) => match decimal(number, example, "Write at most 1000000 MHz (1 THz)")? * factor {
            mhz if mhz > 0.0 => Ok(mhz),
            _ => Err(ValueError::new(format!("`{text}` is no clock that runs"), example)),
        },
        None => Err(wrong_unit(unit, "MHz, GHz or kHz")),
    }
}

/// A number of clock cycles: `1 cycle`, `10 cycles`.
pub(super) fn cycles(text: &str) -> Result<u64, ValueError> {
    let example = "Write for example `1 cycle` or `10 cycles`";
    let (number, unit) = split(text, example)?;
    if !matches!(unit, "cycle" | "cycles") {
        return Err(wrong_unit(unit, "cycle or cycles"));
    }
    count(number).map_err(|wrong| wrong.with_remedy(example))
}

/// A size in bits as documents state it, in the largest unit that leaves a whole number.
pub fn write_size(bits: u64) -> String {
    let units = [("GiB", 8u64 << 30), ("MiB", 8 << 20), ("KiB", 8 << 10)];
    if let Some((unit, factor)) = units.into_iter().find(|(_, factor)| bits > 0 && bits.is_multiple_of(*factor)) {
        return format!("{} {unit}", bits / factor);
    }
    if bits > 0 && bits < 8 << 10 && bits.is_multiple_of(8) { format!("{} B", bits / 8) } else { format!("{bits} bit") }
}

/// `1 cycle`, `2 cycles`.
pub(super) fn write_cycles(cycles: u64) -> String {
    format!("{cycles} cycle{}", if cycles == 1 { "" } else { "s" })
}

/// `1.2 mW`.
pub(super) fn write_power(mw: f64) -> String {
    format!("{mw} mW")
}

/// `200 MHz`.
pub(super) fn write_frequency(mhz: f64) -> String {
    format!("{mhz} MHz")
}

/// `4740.06 um2`.
pub(super) fn write_area(um2: f64) -> String {
    format!("{um2} um2")
}

/// Number and unit; the e of an exponent belongs to the number.
fn split<'t>(text: &'t str, example: &str) -> Result<(&'t str, &'t str), ValueError> {
    let text = text.trim();
    let exponent = |at: usize| {
        text[at..].starts_with(['e', 'E'])
            && text[at + 1..].trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_digit())
    };
    let start = text.char_indices().find(|&(at, c)| is_of_a_unit(c) && !exponent(at)).map_or(text.len(), |(at, _)| at);
    let (number, unit) = (text[..start].trim_end(), text[start..].trim_end());
    match (number, unit) {
        // With any unit.
        _ if parse_decimal(number).is_some_and(|number| number < 0.0) => {
            let remedy = example.replace("Write for example", "It must be positive: write for example");
            Err(ValueError::new(format!("`{number}` is negative"), remedy))
        }
        ("", _) => Err(ValueError::new(format!("`{text}` does not start with a number"), example)),
        (_, "") => Err(ValueError::new(format!("`{text}` has no unit"), example)),
        _ => Ok((number, unit)),
    }
}

/// Letters, and all other characters that are no part of a number.
fn is_of_a_unit(c: char) -> bool {
    c.is_ascii_alphabetic() || !(c.is_ascii() || c.is_whitespace())
}

fn decimal(number: &str, example: &str, most: &str) -> Result<f64, ValueError> {
    match parse_decimal(number) {
        Some(value) if value.is_finite() && value >= 0.0 => Ok(value),
        Some(_) => Err(ValueError::new(format!("`{number}` is too large"), most)),
        None => Err(ValueError::new(format!("`{number}` is not a number"), example)),
    }
}

fn with_unit(text: &str, number: &str, unit: &str) -> Fix {
    Fix::Replace { word: text.trim().to_owned(), meant: format!("{number} {unit}") }
}

/// A small b stands for bits, so that `64 Kb` are 8 KiB; but `kb`, all small, may as well be bytes written in haste.
fn of_bits(text: &str, number: &str, unit: &str, name: &str, bytes: &str, factor: u64) -> ValueError {
    let bits = number.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    let meant = bits.filter(|bits| *bits > 0).map(write_size);
    let shown = meant.clone().unwrap_or_else(|| "bit".to_owned());
    let reason = format!("`{unit}` are {name}, which are no unit here");
    let wrong = ValueError::new(reason, format!("Write `{shown}`, or `{number} {bytes}` if bytes were meant"));
    match meant.filter(|_| unit.starts_with(|c: char| c.is_uppercase()) || unit.ends_with("bit")) {
        Some(meant) => wrong.fixed_by(Fix::Replace { word: text.trim().to_owned(), meant }),
        None => wrong,
    }
}

fn wrong_unit(unit: &str, right: &str) -> ValueError {
    ValueError::new(format!("There is no unit `{unit}` here"), format!("Use {right}"))
}

/// The measure of a text with a number. Base units are those of the names in result files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitFamily {
    /// No unit: a count, or a factor.
    Number,
    /// Amount of data in bits; documents may write bytes: `KiB`.
    Bits,
    /// pJ.
    Energy,
    /// um2.
    Area,
    /// mW.
    Power,
    /// MHz.
    Frequency,
    /// Clock cycles.
    Cycles,
    /// s.
    Time,
}

/// Units of all measures. Documents of hardware take fewer of them; bounds on results need larger ones.
const MEASURES: [(UnitFamily, &[(&str, f64)]); 7] = [
    (UnitFamily::Bits, &[("bit", 1.0), ("B", 8.0), ("KiB", 8192.0), ("MiB", 8_388_608.0), ("GiB", 8_589_934_592.0)]),
    (UnitFamily::Energy, &[("pJ", 1.0), ("fJ", 1e-3), ("nJ", 1e3), ("uJ", 1e6), ("mJ", 1e9), ("J", 1e12)]),
    (UnitFamily::Area, &[("um2", 1.0), ("mm2", 1e6)]),
    (UnitFamily::Power, &[("mW", 1.0), ("uW", 1e-3), ("nW", 1e-6), ("W", 1e3)]),
    (UnitFamily::Frequency, &[("MHz", 1.0), ("GHz", 1e3), ("kHz", 1e-3)]),
    (UnitFamily::Cycles, &[("cycles", 1.0), ("cycle", 1.0)]),
    (UnitFamily::Time, &[("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)]),
];

impl UnitFamily {
    /// Its base unit; empty for numbers.
    pub fn unit(self) -> &'static str {
        let units = MEASURES.iter().find(|(measure, _)| *measure == self).map(|(_, units)| *units);
        units.and_then(|units| units.first()).map_or("", |(unit, _)| unit)
    }

    /// All its units, base unit first.
    pub fn units(self) -> impl Iterator<Item = &'static str> {
        let units = MEASURES.iter().filter(move |(measure, _)| *measure == self).flat_map(|(_, units)| units.iter());
        units.map(|(unit, _)| *unit)
    }

    /// A value in the base unit as documents state it; sizes in whole bits, and in the largest unit that leaves a whole number.
    pub fn write(self, value: f64) -> String {
        match self {
            Self::Number => format!("{value}"),
            Self::Bits => write_size(value.round() as u64),
            Self::Cycles => write_cycles(value.round() as u64),
            _ => format!("{value} {}", self.unit()),
        }
    }

    /// A value as [`Self::write`] states it, but in bits where `alike` is stated in bits: people count sizes in bytes, and widths in bits.
    pub fn write_like(self, value: f64, alike: &str) -> String {
        match self {
            Self::Bits if is_in_bits(alike) => format!("{} bit", value.round() as u64),
            _ => self.write(value),
        }
    }
}

/// Whether a text states an amount of data in bits.
pub fn is_in_bits(text: &str) -> bool {
    text.trim_end().ends_with("bit")
}

/// The measure and the value of a text, in the base unit; `None` where it is no number, or has another unit.
pub fn measure(text: &str) -> Option<(UnitFamily, f64)> {
    let text = text.trim();
    let number = |text: &str| parse_decimal(text.trim()).filter(|value| value.is_finite());
    if let Some(value) = number(text) {
        return Some((UnitFamily::Number, value));
    }
    let (number_text, unit) = split(text, "").ok()?;
    let unit = unit.replace(['µ', 'μ'], "u").replace('²', "2");
    let of = |(measure, units): &(UnitFamily, &[(&str, f64)])| {
        let (_, factor) = units.iter().find(|(name, _)| *name == unit)?;
        Some((*measure, number(number_text)? * factor))
    };
    MEASURES.iter().find_map(of)
}
