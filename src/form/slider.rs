//! Values of sliders: a number with its unit, on a scale of round numbers.

use fusescape_spec::parse_decimal;

/// A scale of values, ascending, and the position of a number on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueScale {
    /// As in documents.
    pub steps: Vec<String>,
    /// Index of the current number.
    pub at: usize,
}

/// Units of sizes in bytes, each with its number of bytes.
const BYTES: [(&str, f64); 4] = [("B", 1.0), ("KiB", 1024.0), ("MiB", 1_048_576.0), ("GiB", 1_073_741_824.0)];
/// Doublings of the scale of sizes: up to 64 GiB.
const BYTE_DOUBLINGS: i32 = 36;
/// Doublings of the scale of widths: up to 16 384 bit.
const BIT_DOUBLINGS: i32 = 14;
/// Units of energy.
const ENERGIES: [&str; 3] = ["pJ", "fJ", "nJ"];
/// Steps per decade of the scale of energies.
const DECADE: [f64; 10] = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0];
/// Decades of the scale of energies, as powers of ten.
const DECADES: std::ops::RangeInclusive<i32> = -3..=5;

/// The scale of a number: `64 KiB` in half doublings of bytes, `64 bit` in those of bits, `26.56 pJ` in round numbers.
/// `None` if it is not a positive number with such a unit.
/// is no positive figure in such a unit.
pub fn value_scale(text: &str) -> Option<ValueScale> {
    let (number, unit) = text.trim().split_once(' ')?;
    let number: f64 = parse_decimal(number).filter(|number| number.is_finite() && *number > 0.0)?;
    let unit = unit.trim();
    let ascending: Vec<(f64, String)> = match BYTES.iter().find(|(name, _)| *name == unit) {
        Some((_, factor)) => return Some(with(halves(BYTE_DOUBLINGS).map(bytes), number * factor, text)),
        None if unit == "bit" => halves(BIT_DOUBLINGS).map(|bits| (bits, format!("{bits} bit"))).collect(),
        None => {
            let unit = ENERGIES.iter().find(|name| **name == unit)?;
            let decade = |power: i32| DECADE.map(|step| step * 10f64.powi(power));
            DECADES.flat_map(decade).map(|value| (value, format!("{} {unit}", short(value)))).collect()
        }
    };
    Some(with(ascending.into_iter(), number, text))
}

/// The scale of a number between two others with its kind of unit, both included. The number itself is on the scale if
/// it lies between them; else its position is the nearer end. `None` if one of the three is no such number, or `from`
/// is not below `to`.
pub fn value_scale_within(text: &str, from: &str, to: &str) -> Option<ValueScale> {
    let [value, low, high] = [magnitude(text)?, magnitude(from)?, magnitude(to)?];
    let is_same = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
    if [low.0, high.0] != [value.0; 2] || low.1 >= high.1 || is_same(low.1, high.1) {
        return None;
    }
    let inner = value_scale(text)?.steps.into_iter().filter(|step| {
        let inside = |(_, size): (FigureUnit, f64)| {
            low.1 < size && size < high.1 && !is_same(size, low.1) && !is_same(size, high.1)
        };
        magnitude(step).is_some_and(inside)
    });
    let steps: Vec<String> =
        std::iter::once(from.to_owned()).chain(inner).chain(std::iter::once(to.to_owned())).collect();
    let reached = |step: &String| magnitude(step).is_some_and(|(_, size)| size <= value.1 || is_same(size, value.1));
    let at = steps.iter().filter(|step| reached(step)).count().saturating_sub(1);
    Some(ValueScale { steps, at })
}

/// The kind of unit of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FigureUnit {
    Bytes,
    Bits,
    Energy,
}

/// A positive number of bytes, bits or picojoules.
fn magnitude(text: &str) -> Option<(FigureUnit, f64)> {
    let (number, unit) = text.trim().split_once(' ')?;
    let number = parse_decimal(number).filter(|number| number.is_finite() && *number > 0.0)?;
    let of = |unit: FigureUnit| move |factor: f64| (unit, number * factor);
    let bytes = BYTES.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor);
    let energy = ENERGIES.iter().position(|name| *name == unit).map(|index| [1.0, 1e-3, 1e3][index]);
    bytes
        .map(of(FigureUnit::Bytes))
        .or(energy.map(of(FigureUnit::Energy)))
        .or((unit == "bit").then_some((FigureUnit::Bits, number)))
}

/// Whether two numbers have the same kind of unit, and the first is smaller.
pub fn is_range(from: &str, to: &str) -> bool {
    matches!((magnitude(from), magnitude(to)), (Some(from), Some(to)) if from.0 == to.0 && from.1 < to.1)
}

/// Integers at every doubling and half-way between two: 1, 2, 3, 4, 6, 8, 12.
fn halves(doublings: i32) -> impl Iterator<Item = f64> {
    (0..=doublings)
        .flat_map(|power| [2f64.powi(power), 3.0 * 2f64.powi(power - 1)])
        .filter(|value| value.fract() == 0.0)
}

fn bytes(bytes: f64) -> (f64, String) {
    let unit = BYTES.iter().rev().find(|(_, factor)| bytes >= *factor).unwrap_or(&BYTES[0]);
    (bytes, format!("{} {}", bytes / unit.1, unit.0))
}

/// Without the rounding errors of powers of ten.
fn short(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// The scale with the number itself included, as written.
fn with(ascending: impl Iterator<Item = (f64, String)>, value: f64, text: &str) -> ValueScale {
    let is_same = |step: f64| (step / value - 1.0).abs() < 1e-9;
    let (below, above): (Vec<_>, Vec<_>) =
        ascending.filter(|(step, _)| !is_same(*step)).partition(|(step, _)| *step < value);
    let at = below.len();
    let own = std::iter::once(text.trim().to_owned());
    let steps = below.into_iter().map(|(_, text)| text).chain(own).chain(above.into_iter().map(|(_, text)| text));
    ValueScale { steps: steps.collect(), at }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(text: &str) -> Option<[String; 3]> {
        let ValueScale { steps, at } = value_scale(text)?;
        Some([steps[at - 1].clone(), steps[at].clone(), steps[at + 1].clone()])
    }

    #[test]
    fn figures_stand_between_rounder_ones_of_their_unit() {
        for (text, neighbours) in [
            ("64 KiB", ["48 KiB", "64 KiB", "96 KiB"]),
            ("1 MiB", ["768 KiB", "1 MiB", "1.5 MiB"]),
            ("100 KiB", ["96 KiB", "100 KiB", "128 KiB"]),
            ("64 bit", ["48 bit", "64 bit", "96 bit"]),
            ("26.56 pJ", ["25 pJ", "26.56 pJ", "30 pJ"]),
            ("0.04 pJ", ["0.03 pJ", "0.04 pJ", "0.05 pJ"]),
            ("2 nJ", ["1.5 nJ", "2 nJ", "2.5 nJ"]),
        ] {
            assert_eq!(around(text).unwrap(), neighbours, "{text}");
        }
    }

    #[test]
    fn every_step_of_a_ladder_has_the_same_ladder() {
        for text in ["64 KiB", "1 B", "64 bit", "26.56 pJ", "3 fJ"] {
            let whole = value_scale(text).unwrap();
            for (index, step) in whole.steps.iter().enumerate().filter(|(index, _)| *index != whole.at) {
                let there = value_scale(step).unwrap_or_else(|| panic!("{step} has none"));
                assert_eq!(there.steps[there.at], *step);
                assert!(there.at.abs_diff(index) <= 1, "{step} of {text}");
            }
        }
    }

    #[test]
    fn what_is_no_figure_cannot_be_dragged() {
        for text in ["", "64", "0 KiB", "-1 pJ", "inf pJ", "64 KB", "any", "8 x 8", "where it comes from", "1e999 bit"]
        {
            assert_eq!(value_scale(text), None, "{text}");
        }
    }

    #[test]
    fn a_ladder_between_two_figures_has_them_for_ends() {
        let within = |text: &str, from: &str, to: &str| value_scale_within(text, from, to);
        let ValueScale { steps, at } = within("64 KiB", "4 KiB", "0.25 MiB").unwrap();
        let middle = [
            "6 KiB", "8 KiB", "12 KiB", "16 KiB", "24 KiB", "32 KiB", "48 KiB", "64 KiB", "96 KiB", "128 KiB",
            "192 KiB",
        ];
        assert_eq!(steps, [&["4 KiB"][..], &middle, &["0.25 MiB"]].concat());
        assert_eq!(steps[at], "64 KiB");
        // A number outside is at the nearer end; one between two steps is a step.
        assert_eq!(within("1 KiB", "4 KiB", "8 KiB").map(|scale| scale.at), Some(0));
        assert_eq!(within("1 MiB", "4 KiB", "8 KiB").map(|scale| scale.at), Some(2));
        assert_eq!(within("5 KiB", "4 KiB", "8 KiB").unwrap().steps, ["4 KiB", "5 KiB", "6 KiB", "8 KiB"]);
        assert_eq!(within("30 pJ", "0.02 nJ", "40 pJ").unwrap().steps, ["0.02 nJ", "25 pJ", "30 pJ", "40 pJ"]);
        for (text, from, to) in [
            ("64 KiB", "4 bit", "8 KiB"),
            ("64 KiB", "8 KiB", "4 KiB"),
            ("64", "1 B", "2 B"),
            ("1 B", "1 B", "1 B"),
            ("1 B", "-1 B", "2 B"),
        ] {
            assert_eq!(within(text, from, to), None, "{text} {from} {to}");
        }
    }
}
