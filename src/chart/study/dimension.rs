//! A dimension of designs, shown on an axis: a number, or one of a few words.

use crate::kit::{Axis, AxisScale, Column, Quantity, TableCell};

/// Ratio of values above which the axis is logarithmic.
const WIDE: f64 = 8.0;

/// A property that each design has.
#[derive(Debug, Clone, PartialEq)]
pub struct Dimension {
    /// `lb.size`, `energy`.
    pub name: String,
    pub quantity: Quantity,
    /// Where values are not numbers: value `k` stands for word `k`.
    pub words: Vec<String>,
}

impl Dimension {
    pub fn text(&self, value: f64) -> String {
        match self.words.get(value.max(0.0) as usize) {
            Some(word) => word.clone(),
            None if !value.is_finite() => "–".to_owned(),
            // Sizes and widths are round.
            None if self.is_data() => self.quantity.plain(value),
            None => self.quantity.text(value),
        }
    }

    /// Whether it is an amount of data, which is round at powers of two.
    fn is_data(&self) -> bool {
        matches!(self.quantity, Quantity::Bytes | Quantity::Bits)
    }

    pub fn column(&self) -> Column {
        match self.words.is_empty() {
            true => Column::measured(&self.name, self.quantity.base()),
            false => Column::words(self.name.clone()),
        }
    }

    pub fn cell(&self, value: f64) -> TableCell {
        match self.words.is_empty() && value.is_finite() {
            true => TableCell::of(self.quantity, value),
            false => self.text(value).into(),
        }
    }

    /// Its name with the unit of an axis from `low` to `high`.
    pub(crate) fn title(&self, (low, high): (f64, f64)) -> String {
        let unit = self.quantity.unit_for(low, high).name;
        if unit.is_empty() || !self.words.is_empty() { self.name.clone() } else { format!("{}, {unit}", self.name) }
    }

    /// An axis over some pixels.
    pub(crate) fn axis(&self, (low, high): (f64, f64), pixels: (i32, i32)) -> Axis {
        if !self.words.is_empty() {
            let last = self.words.len() as f64 - 0.5;
            return Axis::new(AxisScale::Linear, (-0.5, last), pixels);
        }
        if low > 0.0 && high > WIDE * low {
            return Axis::new(AxisScale::Log, (low / 1.15, high * 1.15), pixels);
        }
        let margin = if high > low { 0.05 * (high - low) } else { 0.05 * high.abs().max(1.0) };
        let low = if low >= 0.0 { (low - margin).max(0.0) } else { low - margin };
        Axis::new(AxisScale::Linear, (low, high + margin), pixels)
    }

    /// Marks of such an axis with their labels, about `count` of them.
    pub(crate) fn marks(&self, axis: &Axis, (low, high): (f64, f64), count: usize) -> Vec<(f64, String)> {
        if !self.words.is_empty() {
            let step = self.words.len().div_ceil(count.max(1));
            return self.words.iter().enumerate().step_by(step).map(|(at, word)| (at as f64, word.clone())).collect();
        }
        let unit = self.quantity.unit_for(low, high);
        let marks = if self.is_data() { axis.byte_marks(unit.factor, count) } else { axis.marks(count) };
        marks.into_iter().map(|value| (value, unit.tick(value))).collect()
    }
}

/// The smallest and the largest of the finite values.
pub(crate) fn range_of(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let ends = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = values.filter(|value| value.is_finite()).fold(ends, |(low, high), v| (low.min(v), high.max(v)));
    if low <= high { (low, high) } else { (0.0, 1.0) }
}
