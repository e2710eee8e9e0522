//! Attention as a cascade of steps: two products of matrices, and between them a softmax in three, two or one pass over the keys.
//!
//! A pass visits all keys of a query, because a later step needs a result of all of them (FuseMax, Section III). In one pass a running
//! maximum, denominator and numerator are corrected whenever a tile of keys raises the maximum; nothing has to be kept of earlier tiles.

use crate::workload::Operation;
use serde::{Deserialize, Serialize};

/// The passes of the softmax over the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Cascade {
    /// Maximum; exponentials and their sum; division.
    ThreePass,
    /// Maxima of tiles, exponentials and their sums; correction and division.
    TwoPass,
    /// All in one pass, corrected from tile to tile, divided at the end.
    OnePass,
}

impl Cascade {
    /// Every variant, by descending number of passes.
    pub const ALL: [Self; 3] = [Self::ThreePass, Self::TwoPass, Self::OnePass];

    /// For people, in words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ThreePass => "three passes",
            Self::TwoPass => "two passes",
            Self::OnePass => "one pass",
        }
    }
}

/// A step that lanes compute, element by element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VectorStep {
    /// Its result, as the papers write it.
    pub name: &'static str,
    /// Number of times that its operations are done.
    pub iterations: u64,
    /// Operations of an iteration, with the number of each.
    pub operations: &'static [(Operation, u64)],
    /// Elements that it reads.
    pub reads: u64,
    /// Elements that it writes.
    pub writes: u64,
}

impl VectorStep {
    /// Whether it is a step of a softmax that is done for every score; else it is done for every query, or for every
    /// element of the result.
    pub fn is_of_scores(&self) -> bool {
        matches!(self.name, "LM" | "SLN" | "SLD" | "G" | "SN" | "SD" | "A")
    }
}

const MAX: &[(Operation, u64)] = &[(Operation::Max, 1)];
pub(super) const ADD: &[(Operation, u64)] = &[(Operation::Add, 1)];
/// A subtraction before an exponential function.
const EXP: &[(Operation, u64)] = &[(Operation::Add, 1), (Operation::Exp, 1)];
pub(super) const MULTIPLY: &[(Operation, u64)] = &[(Operation::Multiply, 1)];
pub(super) const MULTIPLY_ADD: &[(Operation, u64)] = &[(Operation::Multiply, 1), (Operation::Add, 1)];
pub(super) const DIVIDE: &[(Operation, u64)] = &[(Operation::Divide, 1)];

pub(super) const fn step(
    name: &'static str,
    iterations: u64,
    operations: &'static [(Operation, u64)],
    reads: u64,
    writes: u64,
) -> VectorStep {
    VectorStep { name, iterations, operations, reads, writes }
}

impl Cascade {
    /// The steps of lanes for a tile of `rows` queries and `keys` keys, with values of `depth` elements.
    pub fn of_tile(self, rows: u64, keys: u64, depth: u64) -> Vec<VectorStep> {
        let (scores, outputs) = (rows * keys, rows * depth);
        match self {
            // The first pass has to see all keys before anything else is computed: see `of_row`.
            Self::ThreePass => Vec::new(),
            Self::TwoPass => vec![
                step("LM", scores, MAX, scores, rows),
                step("SLN", scores, EXP, scores + rows, scores),
                step("SLD", scores, ADD, scores, rows),
            ],
            Self::OnePass => vec![
                step("LM", scores, MAX, scores, rows),
                step("RM", rows, MAX, 2 * rows, rows),
                step("SLN", scores, EXP, scores + rows, scores),
                step("SLD", scores, ADD, scores, rows),
                step("PRM", rows, EXP, 2 * rows, rows),
                step("RD", rows, MULTIPLY_ADD, 3 * rows, rows),
                step("RNV", outputs, MULTIPLY_ADD, 2 * outputs + rows, outputs),
            ],
        }
    }

    /// The steps of lanes that are done once for `rows` queries, after all `keys` keys in `tiles` tiles.
    pub fn of_row(self, rows: u64, keys: u64, tiles: u64, depth: u64) -> Vec<VectorStep> {
        let (scores, maxima) = (rows * keys, rows * tiles);
        match self {
            Self::ThreePass => vec![
                step("G", scores, MAX, scores, rows),
                step("SN", scores, EXP, scores + rows, scores),
                step("SD", scores, ADD, scores, rows),
                step("A", scores, DIVIDE, scores + rows, scores),
            ],
            Self::TwoPass => vec![
                step("G", maxima, MAX, maxima, rows),
                step("C", maxima, EXP, maxima + rows, maxima),
                step("SD", maxima, MULTIPLY_ADD, 2 * maxima, rows),
                // The division is done once for each tile, so that each score is only multiplied.
                step("C/SD", maxima, DIVIDE, maxima + rows, maxima),
                step("A", scores, MULTIPLY, scores + maxima, scores),
            ],
            Self::OnePass => vec![step("AV", rows * depth, DIVIDE, rows * depth + rows, rows * depth)],
        }
    }
}

/// The running results of one pass for a query (FuseMax, the one-pass cascade).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Running {
    /// RM: the largest score so far.
    pub maximum: f64,
    /// PRM: the factor for the sums before the last tile: `exp(maximum before it - maximum)`.
    pub correction: f64,
    /// RD: the sum of `exp(score - maximum)` so far.
    pub denominator: f64,
}

impl Default for Running {
    fn default() -> Self {
        Self { maximum: f64::NEG_INFINITY, correction: 0.0, denominator: 0.0 }
    }
}

impl Running {
    /// The running results after one more tile of scores, at least one.
    #[must_use]
    pub fn after(self, scores: &[f64]) -> Self {
        let maximum = self.maximum.max(largest(scores));
        let correction = (self.maximum - maximum).exp();
        let added: f64 = scores.iter().map(|score| (score - maximum).exp()).sum();
        Self { maximum, correction, denominator: self.denominator * correction + added }
    }
}

/// Attention of one query over `keys` and `values` (a row each), by a cascade with tiles of `tile` keys. The caller
/// leaves out masked keys. The numbers are rounded as in the cascade, in its order.
///
/// # Panics
///
/// If there are no keys, or fewer values.
pub fn attend(cascade: Cascade, query: &[f64], keys: &[Vec<f64>], values: &[Vec<f64>], tile: usize) -> Vec<f64> {
    assert!(!keys.is_empty() && keys.len() == values.len(), "a value for each key, and at least one");
    let tiles = || keys.chunks(tile).zip(values.chunks(tile));
    let scores_of = |keys: &[Vec<f64>]| -> Vec<f64> { keys.iter().map(|key| dot(query, key)).collect() };
    match cascade {
        Cascade::ThreePass => {
            let scores = scores_of(keys);
            let maximum = largest(&scores);
            let numerators: Vec<f64> = scores.iter().map(|score| (score - maximum).exp()).collect();
            let denominator: f64 = numerators.iter().sum();
            let shares: Vec<f64> = numerators.iter().map(|numerator| numerator / denominator).collect();
            weighted(&shares, values)
        }
        Cascade::TwoPass => {
            let local: Vec<(f64, Vec<f64>)> = tiles()
                .map(|(keys, _)| {
                    let scores = scores_of(keys);
                    let maximum = largest(&scores);
                    (maximum, scores.iter().map(|score| (score - maximum).exp()).collect())
                })
                .collect();
            let maxima: Vec<f64> = local.iter().map(|(maximum, _)| *maximum).collect();
            let maximum = largest(&maxima);
            let corrections: Vec<f64> = maxima.iter().map(|local| (local - maximum).exp()).collect();
            let sums = local.iter().zip(&corrections).map(|((_, numerators), by)| numerators.iter().sum::<f64>() * by);
            let denominator: f64 = sums.sum();
            let of_tile = local.iter().zip(&corrections);
            let shares: Vec<f64> = of_tile
                .flat_map(|((_, numerators), by)| {
                    numerators.iter().map(move |numerator| numerator * (by / denominator))
                })
                .collect();
            weighted(&shares, values)
        }
        Cascade::OnePass => {
            let mut running = Running::default();
            let mut numerator = vec![0.0; values[0].len()];
            for (keys, values) in tiles() {
                let scores = scores_of(keys);
                running = running.after(&scores);
                let local: Vec<f64> = scores.iter().map(|score| (score - running.maximum).exp()).collect();
                let added = weighted(&local, values);
                numerator.iter_mut().zip(added).for_each(|(sum, next)| *sum = *sum * running.correction + next);
            }
            numerator.iter().map(|sum| sum / running.denominator).collect()
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

fn weighted(shares: &[f64], rows: &[Vec<f64>]) -> Vec<f64> {
    (0..rows[0].len()).map(|at| shares.iter().zip(rows).map(|(share, row)| share * row[at]).sum()).collect()
}
