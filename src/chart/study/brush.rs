//! A selection of designs: ranges of their numbers, all of which a design must satisfy.

use super::table::StudyTable;

/// Ranges by dimension.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Brush(Vec<(usize, (f64, f64))>);

impl Brush {
    /// Sets the range of a dimension.
    #[must_use]
    pub fn with(&self, dimension: usize, (a, b): (f64, f64)) -> Self {
        let mut next = self.without(dimension);
        next.0.push((dimension, (a.min(b), a.max(b))));
        next.0.sort_unstable_by_key(|(dimension, _)| *dimension);
        next
    }

    /// Removes the range of a dimension.
    #[must_use]
    pub fn without(&self, dimension: usize) -> Self {
        Self(self.0.iter().copied().filter(|(other, _)| *other != dimension).collect())
    }

    /// Whether there is no range, so that everything is selected.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// With the index of the dimension.
    pub fn ranges(&self) -> impl Iterator<Item = (usize, (f64, f64))> {
        self.0.iter().copied()
    }

    /// The range of a dimension.
    pub fn range(&self, dimension: usize) -> Option<(f64, f64)> {
        self.0.iter().find(|(other, _)| *other == dimension).map(|(_, range)| *range)
    }

    /// Whether the design of a row is selected.
    pub fn holds(&self, table: &StudyTable, row: usize) -> bool {
        self.0.iter().all(|&(dimension, (low, high))| (low..=high).contains(&table.value(dimension, row)))
    }
}
