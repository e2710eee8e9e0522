//! Prices of placements: what the objective makes of their energy, latency and accesses.

use super::copies::CopyAction;
use super::problems::{Feasibility, NotPlanned, ProblemKey, Problems};
use crate::mapping::LayerProblem;
use crate::ties::Figures;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::ops::{Add, Mul};

/// A sum of figures in the order in which they decide: the score, then what decides among equal ones.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Price(pub Figures);

impl Price {
    /// More than everything.
    pub const INFINITE: Self = Self([f64::INFINITY; 3]);
}

impl Add for Price {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|figure| self.0[figure] + other.0[figure]))
    }
}

impl Mul<u64> for Price {
    type Output = Self;

    fn mul(self, times: u64) -> Self {
        Self(self.0.map(|figure| figure * times as f64))
    }
}

impl Eq for Price {}

impl PartialOrd for Price {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Price {
    fn cmp(&self, other: &Self) -> Ordering {
        let pairs = self.0.iter().zip(&other.0);
        pairs.map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }
}

/// Finds the prices among which a placement is chosen.
pub trait Prices {
    /// A lower bound on the price of a problem, found without a search.
    fn at_least(&mut self, problem: &LayerProblem) -> Price;

    /// The price of the mapping that a problem gets; `None` where nothing fits.
    ///
    /// # Errors
    /// If there is no time to find out.
    fn of(&mut self, problem: &LayerProblem) -> Result<Option<Price>, NotPlanned>;

    /// Whether a problem has a mapping.
    fn fits(&mut self, problem: &LayerProblem) -> bool;

    /// Whether a problem, which was found to have a mapping, can be listed.
    fn check(&mut self, problem: &LayerProblem) -> Feasibility;

    /// The price of copies that start together.
    fn of_copies(&mut self, copies: &[CopyAction]) -> Price;

    /// The price of copies that take no time, as others run meanwhile.
    fn of_hidden_copies(&mut self, copies: &[CopyAction]) -> Price;
}

/// Prices that are known, each found once.
#[derive(Debug, Default)]
pub(super) struct KnownPrices {
    least: FxHashMap<ProblemKey, Price>,
    searched: FxHashMap<ProblemKey, Option<Price>>,
    fits: FxHashMap<ProblemKey, bool>,
}

impl KnownPrices {
    /// Number of prices.
    pub fn len(&self) -> usize {
        self.least.len() + self.searched.len()
    }

    /// A lower bound on the price of a problem, also beside other data.
    pub fn at_least(&mut self, problems: &Problems, key: ProblemKey, prices: &mut dyn Prices) -> Price {
        let alone = ProblemKey { reserved: None, ..key };
        *self.least.entry(alone).or_insert_with(|| prices.at_least(&problems.problem(&alone)))
    }

    /// Whether a problem has a mapping.
    pub fn fits(&mut self, problems: &Problems, key: ProblemKey, prices: &mut dyn Prices) -> bool {
        *self.fits.entry(key).or_insert_with(|| prices.fits(&problems.problem(&key)))
    }

    /// The price of a problem; `None` where nothing fits.
    ///
    /// # Errors
    /// If there is no time to find out.
    pub fn of(
        &mut self,
        problems: &Problems,
        key: ProblemKey,
        prices: &mut dyn Prices,
    ) -> Result<Option<Price>, NotPlanned> {
        if let Some(&known) = self.searched.get(&key) {
            return Ok(known);
        }
        let found = prices.of(&problems.problem(&key))?;
        self.searched.insert(key, found);
        if let (None, Some(price)) = (key.reserved, found) {
            // Beside other data nothing costs less.
            self.least.insert(key, price);
        }
        Ok(found)
    }
}
