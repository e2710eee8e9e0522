//! All dimensions of many designs, column by column.

use super::dimension::Dimension;
use super::dimensions::{DimensionSource, StudyDimension, dimensions};
use fusescape_engine::explore::study::{DesignQuantity, DesignRow, DesignSpace, DesignStatus, ParetoFront};
use fusescape_spec::measure;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The results of a study so far, in the order in which they came.
pub struct StudyTable {
    pub study: Arc<DesignSpace>,
    known: Vec<StudyDimension>,
    designs: Vec<u64>,
    statuses: Vec<DesignStatus>,
    /// One column per dimension; `NaN` where a design has no value.
    columns: Vec<Vec<f64>>,
    front: ParetoFront,
    /// The first reason why a design has no values, by status.
    reasons: BTreeMap<&'static str, String>,
}

impl StudyTable {
    pub fn new(study: Arc<DesignSpace>) -> Self {
        let known = dimensions(&study);
        let columns = vec![Vec::new(); known.len()];
        let (front, reasons) = (ParetoFront::default(), BTreeMap::new());
        Self { study, known, designs: Vec::new(), statuses: Vec::new(), columns, front, reasons }
    }

    pub fn add(&mut self, row: &DesignRow) {
        let place = self.designs.len() as u64;
        self.designs.push(row.design);
        self.statuses.push(row.status);
        for (column, known) in self.columns.iter_mut().zip(&self.known) {
            let value = match known.source {
                DimensionSource::Axis(axis, _) => {
                    row.coordinates.get(axis).and_then(|&at| known.values.get(at as usize)).copied()
                }
                DimensionSource::Quantity(index) => {
                    row.values.get(index).copied().flatten().map(|value| value * known.factor)
                }
            };
            column.push(value.unwrap_or(f64::NAN));
        }
        if let Some(objectives) = self.study.objectives_of(row) {
            self.front.add(place, &objectives);
        }
        if !row.reason.is_empty() {
            self.reasons.entry(row.status.name()).or_insert_with(|| row.reason.clone());
        }
    }

    pub fn len(&self) -> usize {
        self.designs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.designs.is_empty()
    }

    /// In the order of their indices.
    pub fn dimensions(&self) -> impl Iterator<Item = &Dimension> {
        self.known.iter().map(|known| &known.shown)
    }

    pub fn dimension(&self, index: usize) -> Option<&Dimension> {
        self.known.get(index).map(|known| &known.shown)
    }

    /// `NaN` if the design has none.
    pub fn value(&self, dimension: usize, row: usize) -> f64 {
        self.columns.get(dimension).and_then(|column| column.get(row)).copied().unwrap_or(f64::NAN)
    }

    /// Parses a value of a dimension: `64 KiB`, or a word.
    pub fn read(&self, dimension: usize, text: &str) -> Option<f64> {
        let known = self.known.get(dimension)?;
        match known.shown.words.iter().position(|word| word == text.trim()) {
            Some(word) => Some(word as f64),
            None => measure(text).map(|(_, value)| value * known.factor),
        }
    }

    /// The index in the study of the design of a row.
    pub fn design(&self, row: usize) -> Option<u64> {
        self.designs.get(row).copied()
    }

    /// Rows whose design has results and satisfies all constraints.
    pub fn found(&self) -> impl Iterator<Item = usize> {
        self.statuses.iter().enumerate().filter(|(_, status)| **status == DesignStatus::Found).map(|(row, _)| row)
    }

    /// Rows on the front, in their order.
    pub fn front(&self) -> Vec<usize> {
        self.front.rows().map(|row| row as usize).collect()
    }

    /// Number of designs by status, with the first reason.
    pub fn statuses(&self) -> Vec<(DesignStatus, usize, Option<&str>)> {
        let counted = |status: DesignStatus| {
            let count = self.statuses.iter().filter(|other| **other == status).count();
            (status, count, self.reasons.get(status.name()).map(String::as_str))
        };
        DesignStatus::ALL.into_iter().map(counted).filter(|(_, count, _)| *count > 0).collect()
    }

    /// Indices of the dimensions of the objectives, and whether larger is better.
    pub fn objectives(&self) -> Vec<(usize, bool)> {
        let place = |quantity: &DesignQuantity| {
            let index = self.study.quantities.iter().position(|other| other == quantity)?;
            let dimension = self.known.iter().position(|known| known.source == DimensionSource::Quantity(index))?;
            Some((dimension, quantity.is_gain()))
        };
        self.study.objectives.iter().filter_map(place).collect()
    }

    /// Indices of dimensions that are quantities, and whether larger is better.
    pub fn quantities(&self) -> Vec<(usize, bool)> {
        let of = |(dimension, known): (usize, &StudyDimension)| match known.source {
            DimensionSource::Quantity(index) => Some((dimension, self.study.quantities.get(index)?.is_gain())),
            DimensionSource::Axis(..) => None,
        };
        self.known.iter().enumerate().filter_map(of).collect()
    }

    /// The dimension of an axis of the study: that of its first path.
    pub fn of_axis(&self, axis: usize) -> Option<usize> {
        self.known.iter().position(|known| known.source == DimensionSource::Axis(axis, 0))
    }

    /// The value at each place of an axis, in base units of figures.
    pub fn axis_values(&self, axis: usize) -> &[f64] {
        self.of_axis(axis).and_then(|dimension| self.known.get(dimension)).map_or(&[], |known| &known.values)
    }

    /// Names and values of all axes and quantities of a design, as text.
    pub fn texts(&self, row: usize) -> Vec<(String, String)> {
        let text = |(index, known): (usize, &StudyDimension)| {
            (known.shown.name.clone(), known.shown.text(self.value(index, row)))
        };
        self.known.iter().enumerate().map(text).collect()
    }
}
