//! Prices of placements: what the objective makes of their energy, latency and accesses.

use super::copies::CopyAction;
use super::problems::{Feasibility, NotPlanned, ProblemKey, Problems};
use crate::hardware::MAX_LEVELS;
use crate::mapping::LayerProblem;
use crate::search::Effort;
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

    /// This price with another score; a figure that is the score itself changes with it.
    fn with_score(self, score: f64) -> Self {
        Self(self.0.map(|figure| if figure == self.0[0] { score } else { figure }))
    }
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

/// Lower bounds on the price of a layer for each choice of its highest memories: sums over the operands.
#[derive(Debug, Clone, Copy, Default)]
pub struct PricesByLevel {
    /// What does not depend on these.
    pub fixed: Price,
    /// For W, I and O, and each level.
    pub at: [[Price; MAX_LEVELS]; 3],
}

impl PricesByLevel {
    /// The bound for these numbers of levels.
    pub fn of(&self, levels: [usize; 3]) -> Price {
        levels.iter().zip(&self.at).fold(self.fixed, |sum, (&level, at)| sum + at[level - 1])
    }
}

/// What a search tells of the best score of a problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KnownScore {
    /// The score; `None` where nothing fits.
    Exactly(Option<f64>),
    /// A lower bound.
    AtLeast(f64),
}

/// Finds the prices among which a placement is chosen.
pub trait Prices {
    /// Lower bounds on the price of a problem, which has all levels, for each choice of these.
    fn by_level(&mut self, problem: &LayerProblem) -> PricesByLevel;

    /// A lower bound on the price of a problem, which takes longer.
    fn at_least(&mut self, problem: &LayerProblem) -> Price;

    /// The best score of a problem, as far as that is not above `most`.
    ///
    /// # Errors
    /// If there is no time to find out.
    fn score_of(&mut self, problem: &LayerProblem, most: f64, effort: Effort) -> Result<KnownScore, NotPlanned>;

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
    /// By problem with all levels.
    by_level: FxHashMap<ProblemKey, PricesByLevel>,
    least: FxHashMap<ProblemKey, Price>,
    searched: FxHashMap<ProblemKey, Price>,
    /// Lower bounds by short searches, and up to where these counted.
    searched_shortly: FxHashMap<ProblemKey, (Price, Price)>,
    fits: FxHashMap<ProblemKey, bool>,
}

impl KnownPrices {
    /// Number of prices.
    pub fn len(&self) -> usize {
        self.by_level.len() + self.least.len() + self.searched.len() + self.searched_shortly.len()
    }

    /// Lower bounds on the price of a problem, which has all levels, for each choice of these.
    pub fn by_level(&mut self, problems: &Problems, key: ProblemKey, prices: &mut dyn Prices) -> PricesByLevel {
        *self.by_level.entry(key).or_insert_with(|| prices.by_level(&problems.problem(&key)))
    }

    /// A lower bound on the price of a problem that has all memories to itself.
    pub fn at_least(&mut self, problems: &Problems, alone: ProblemKey, prices: &mut dyn Prices) -> Price {
        *self.least.entry(alone).or_insert_with(|| prices.at_least(&problems.problem(&alone)))
    }

    /// Whether a problem has a mapping.
    pub fn fits(&mut self, problems: &Problems, key: ProblemKey, prices: &mut dyn Prices) -> bool {
        *self.fits.entry(key).or_insert_with(|| prices.fits(&problems.problem(&key)))
    }

    /// The price of a problem, as far as it is not above `most`, or a lower bound by a short search; infinite where
    /// nothing fits.
    ///
    /// # Errors
    /// If there is no time to find out.
    pub fn of(
        &mut self,
        problems: &Problems,
        key: ProblemKey,
        prices: &mut dyn Prices,
        (most, effort): (Price, Effort),
    ) -> Result<Price, NotPlanned> {
        if let Some(&known) = self.searched.get(&key) {
            return Ok(known);
        }
        if effort == Effort::Short
            && let Some(&(known, known_most)) = self.searched_shortly.get(&key)
            && (known < known_most || most <= known_most)
        {
            return Ok(known);
        }
        Ok(match prices.score_of(&problems.problem(&key), most.0[0], effort)? {
            KnownScore::Exactly(score) => {
                // Which of the mappings of one score is found depends on the limit. So among equals bounds decide.
                let bound = self.at_least(problems, ProblemKey { reserved: None, ..key }, prices);
                let price = score.map_or(Price::INFINITE, |score| bound.with_score(score));
                self.searched.insert(key, price);
                price
            }
            KnownScore::AtLeast(score) => {
                let price = Price([score, 0.0, 0.0]);
                self.searched_shortly.insert(key, (price, most));
                price
            }
        })
    }
}
