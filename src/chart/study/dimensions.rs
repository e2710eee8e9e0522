//! The dimensions of a study: values of its axes, then its quantities.

use super::dimension::Dimension;
use crate as chart;
use fusescape_engine::explore::study::{DesignQuantity, DesignSpace, StudyAxis};
use fusescape_spec::{self, AxisValue, UnitFamily};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DimensionSource {
    /// Index of an axis of the study, and of one of its paths.
    Axis(usize, usize),
    /// Index of a quantity of the study.
    Quantity(usize),
}

/// A dimension, its source, and the factor from its values to the base units of figures.
pub struct StudyDimension {
    pub shown: Dimension,
    pub source: DimensionSource,
    pub factor: f64,
    /// For an axis, the value at each of its places.
    pub values: Vec<f64>,
}

/// All dimensions of a study.
pub fn dimensions(study: &DesignSpace) -> Vec<StudyDimension> {
    let paths = |(index, axis): (usize, &StudyAxis)| -> Vec<StudyDimension> {
        (0..axis.names.len()).map(|path| of_axis(index, axis, path)).collect()
    };
    let axes = study.axes.iter().enumerate().flat_map(paths);
    let of_quantity = |(index, quantity): (usize, &DesignQuantity)| {
        let (shown, factor) = measured(quantity.measure(), *quantity);
        let name = quantity.name().replace('_', " ");
        let words = Vec::new();
        StudyDimension {
            shown: Dimension { name, quantity: shown, words },
            source: DimensionSource::Quantity(index),
            factor,
            values: Vec::new(),
        }
    };
    axes.chain(study.quantities.iter().enumerate().map(of_quantity)).collect()
}

fn of_axis(index: usize, axis: &StudyAxis, path: usize) -> StudyDimension {
    let name = short(&axis.names[path]).to_owned();
    let source = DimensionSource::Axis(index, path);
    match axis.measured(path) {
        Some((measure, values)) => {
            let (quantity, factor) =
                if is_in_bits(axis, path, &values) { (chart::Quantity::Bits, 1.0) } else { of_measure(measure) };
            let values = values.into_iter().map(|value| value * factor).collect();
            StudyDimension { shown: Dimension { name, quantity, words: Vec::new() }, source, factor, values }
        }
        None => {
            let words: Vec<String> = axis.values.iter().map(|value| value[path].text().to_owned()).collect();
            let values = (0..words.len()).map(|at| at as f64).collect();
            StudyDimension {
                shown: Dimension { name, quantity: chart::Quantity::Ratio, words },
                source,
                factor: 1.0,
                values,
            }
        }
    }
}

/// Larger numbers of bits are shown in bytes.
const MOST_BITS: f64 = 1e6;

/// Whether the study states all values of a path in bits, as for widths.
fn is_in_bits(axis: &StudyAxis, path: usize, values: &[f64]) -> bool {
    let is_stated =
        |value: &Vec<AxisValue>| value.get(path).is_some_and(|value| fusescape_spec::is_in_bits(value.text()));
    axis.values.iter().all(is_stated) && values.iter().all(|bits| *bits < MOST_BITS)
}

/// A path without its usual prefix: `lb.size` of `hardware.memories.lb.size`.
fn short(path: &str) -> &str {
    let documents = ["hardware.", "network.", "system."];
    let path = documents.into_iter().find_map(|document| path.strip_prefix(document)).unwrap_or(path);
    path.strip_prefix("memories.").unwrap_or(path)
}

fn of_measure(measure: UnitFamily) -> (chart::Quantity, f64) {
    match measure {
        UnitFamily::Bits => (chart::Quantity::Bytes, 0.125),
        UnitFamily::Energy => (chart::Quantity::Energy, 1.0),
        UnitFamily::Area => (chart::Quantity::Area, 1.0),
        UnitFamily::Power => (chart::Quantity::Power, 1e3),
        UnitFamily::Cycles => (chart::Quantity::Latency, 1.0),
        UnitFamily::Time => (chart::Quantity::Time, 1e9),
        // Figures have no quantity for MHz: the number stays as it is.
        UnitFamily::Number | UnitFamily::Frequency => (chart::Quantity::Ratio, 1.0),
    }
}

fn measured(measure: UnitFamily, quantity: DesignQuantity) -> (chart::Quantity, f64) {
    match quantity {
        DesignQuantity::EnergyDelayProduct => (chart::Quantity::EnergyDelay, 1.0),
        DesignQuantity::Macs => (chart::Quantity::Macs, 1.0),
        DesignQuantity::DramWords => (chart::Quantity::DramAccesses, 1.0),
        _ => of_measure(measure),
    }
}
