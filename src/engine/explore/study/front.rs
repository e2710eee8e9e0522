//! The Pareto front in any number of objectives.

use crate::pareto;
use serde::{Deserialize, Serialize};

/// Rows that no other one dominates: nowhere worse, and better in something. Rows that are equal in everything all stay.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ParetoFront {
    /// Number of the row, and its objectives, of which less is better; in the order of the numbers.
    members: Vec<(u64, Vec<f64>)>,
}

impl ParetoFront {
    /// The rows on the front, in ascending order.
    pub fn rows(&self) -> impl Iterator<Item = u64> {
        self.members.iter().map(|(row, _)| *row)
    }

    /// Number of rows on the front.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Adds a row unless another one dominates it, and drops those that it dominates.
    pub fn add(&mut self, row: u64, objectives: &[f64]) {
        let new = (row, objectives.to_vec());
        if pareto::admits(&mut self.members, &new, |(_, one), (_, other)| dominates(one, other)) {
            let place = self.members.partition_point(|(other, _)| *other < row);
            self.members.insert(place, new);
        }
    }

    /// Whether a row of the front dominates these objectives, and so everything that is nowhere better than they.
    pub fn dominates(&self, objectives: &[f64]) -> bool {
        self.members.iter().any(|(_, member)| dominates(member, objectives))
    }
}

fn dominates(one: &[f64], other: &[f64]) -> bool {
    pareto::dominates(one.iter().zip(other).map(|(one, other)| one.partial_cmp(other)))
}
