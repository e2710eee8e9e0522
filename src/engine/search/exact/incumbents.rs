//! The best mappings that a search in which latency counts has found, and the bounds that they beat.
//!
//! A search looks for one mapping by an objective, or for the front of price and latency. Either way a partial chain is
//! known by lower bounds ([`ChainLowerBound`]): on price, on latency, and on sums of latency and weighed price, each of
//! which is a half-plane. Together they leave a convex set of prices and latencies, in which all completions of the
//! chain lie. It is beaten once no point of this set would be kept beside the incumbents.

use crate::cost::LayerCost;
use crate::mapping::LayerOnCore;
use crate::pareto::{self, slope_between};
use crate::search::objective::comparable;
use crate::search::{Objective, Solution};
use crate::ties::Contenders;
use crate::tolerance::{PRICE_TOLERANCE, REL_TOLERANCE};

/// Limit on the weights of price for which a chain has a bound.
pub const MOST_LINES: usize = 4;

/// What a search looks for.
#[derive(Debug, Clone, Copy)]
pub enum Wanted<'o> {
    /// The mapping of least score, and of equal ones that of least latency.
    Best(&'o Objective),
    /// A mapping of least latency, at any price, if that is below so many cycles.
    Fastest(f64),
    /// Every mapping that no other one beats in price and latency.
    Front,
    /// For every worth of a cycle in this range, in price, a mapping of the least sum of price and latency: the corners
    /// of the convex hull of the front between two slopes.
    Corners(f64, f64),
}

impl Wanted<'_> {
    /// The price of a mapping: all of its score but what latency adds.
    pub fn price(&self, problem: &LayerOnCore<'_>, cost: &LayerCost) -> f64 {
        match self {
            Self::Best(objective @ Objective::Weighted(weights)) => {
                objective.score(problem, cost) - weights.latency * cost.latency.total_cycles() as f64
            }
            _ => cost.energy_pj(),
        }
    }
}

/// Lower bounds on all completions of a chain.
#[derive(Debug, Clone, Copy)]
pub struct ChainLowerBound {
    /// On the score; of a front, on the sum of price and latency, each as a share of that of the first incumbent.
    pub score: f64,
    pub price: f64,
    pub latency_cycles: u64,
    /// Weights of price, and for each a bound on latency plus weighed price, cycles. Kept where the score does not hold
    /// all that they say.
    lines: ([(f64, f64); MOST_LINES], usize),
}

impl ChainLowerBound {
    /// The bound of a chain that nothing completes.
    pub const INFINITE: Self =
        Self { score: f64::INFINITY, price: f64::INFINITY, latency_cycles: u64::MAX, lines: NO_LINES };

    /// A lower bound on latency at this price, cycles. It falls as the price grows.
    fn latency_at(&self, price: f64) -> f64 {
        let sums = &self.lines.0[..self.lines.1];
        let lines = sums.iter().map(|(weight, sum)| sum - weight * price);
        lines.fold(self.latency_cycles as f64, f64::max)
    }
}

const NO_LINES: ([(f64, f64); MOST_LINES], usize) = ([(0.0, 0.0); MOST_LINES], 0);

/// A mapping with its price in the objective, and its latency as it is compared.
#[derive(Debug, Clone)]
pub struct Incumbent {
    pub solution: Solution,
    pub price: f64,
    compared: f64,
}

impl Incumbent {
    fn cycles(&self) -> f64 {
        self.solution.latency_cycles as f64
    }

    /// Latency plus weighed price, cycles.
    fn sum(&self, weight: f64) -> f64 {
        weight * self.price + self.cycles()
    }

    /// Price and latency, cycles.
    fn at(&self) -> (f64, f64) {
        (self.price, self.cycles())
    }
}

/// The best mappings so far.
pub struct Incumbents<'o> {
    sought: Wanted<'o>,
    /// Those that may be the best by the objective.
    contenders: Contenders<Incumbent, ()>,
    /// The front so far, by ascending price: each is faster than all before it, and needs more by more than rounding.
    front: Vec<Incumbent>,
    /// Price and latency of the first mapping of a front.
    scale: Option<(f64, f64)>,
    /// Where corners are sought: worths of a cycle, and the least sum of all incumbents for each. They are the ends of
    /// the range and the slopes of the hull in between.
    least_sums: Vec<(f64, f64)>,
}

impl<'o> Incumbents<'o> {
    /// No mapping yet.
    pub fn new(sought: Wanted<'o>) -> Self {
        Self { sought, contenders: Contenders::default(), front: Vec::new(), scale: None, least_sums: Vec::new() }
    }

    /// Whether all prices count as equal.
    pub fn ignores_prices(&self) -> bool {
        matches!(self.sought, Wanted::Fastest(_))
    }

    /// The best mapping by the objective.
    pub fn best(&self) -> Option<&Incumbent> {
        self.contenders.best()
    }

    /// The score of a mapping by the objective; of a front, its price.
    pub fn score_of(&self, incumbent: &Incumbent) -> f64 {
        match self.sought {
            Wanted::Best(objective) => score(objective, incumbent.price, incumbent.solution.latency_cycles),
            Wanted::Fastest(_) => incumbent.cycles(),
            Wanted::Front | Wanted::Corners(..) => incumbent.price,
        }
    }

    /// The front by ascending price; where corners are sought, the cheapest mapping of all, and these.
    pub fn into_front(mut self) -> Vec<Solution> {
        if let Wanted::Corners(least, most) = self.sought {
            let corners = self.corners_between((least, most));
            let cheapest = (corners.first() > Some(&0)).then_some(0);
            self.front = cheapest.into_iter().chain(corners).map(|number| self.front[number].clone()).collect();
        }
        self.front.into_iter().map(|incumbent| incumbent.solution).collect()
    }

    /// The numbers of the corners of the front's hull that have the least sum for some worth of a cycle in a range.
    fn corners_between(&self, worths: (f64, f64)) -> Vec<usize> {
        pareto::corners_between(self.front.len(), worths, |number| self.front[number].at())
    }

    /// All incumbents with their prices: the front by ascending price, or what may be the best, the best first.
    pub fn into_known(self) -> Vec<(Solution, f64)> {
        let contenders = self.contenders.into_ranked();
        contenders.into_iter().chain(self.front).map(|incumbent| (incumbent.solution, incumbent.price)).collect()
    }

    /// The mapping of the least sum of latency and weighed price so far.
    pub fn least_by(&self, weight: f64) -> Option<&Incumbent> {
        match self.sought {
            Wanted::Best(_) | Wanted::Fastest(_) => self.best(),
            Wanted::Front | Wanted::Corners(..) => {
                self.front.iter().min_by(|a, b| a.sum(weight).total_cmp(&b.sum(weight)))
            }
        }
    }

    /// The least sum of latency and weighed price so far; infinite where there is no mapping.
    pub fn least_sum(&self, weight: f64) -> f64 {
        self.least_by(weight).map_or(f64::INFINITY, |incumbent| incumbent.sum(weight))
    }

    /// Weights of price whose sums bound well what would be kept beside the incumbents.
    pub fn price_weights(&self) -> Vec<f64> {
        match self.sought {
            Wanted::Best(Objective::EnergyDelayProduct) => {
                // Near the best mapping the product is nearly linear, with one unit of price worth `cycles / price`
                // cycles. Lines of this weight, of half and twice as much, and of latency alone bound the product.
                let weight = self.best().map_or(1.0, |best| best.cycles() / best.price);
                vec![0.0, 0.5 * weight, weight, 2.0 * weight]
            }
            Wanted::Best(Objective::Weighted(weights)) => vec![1.0 / weights.latency],
            Wanted::Best(_) | Wanted::Fastest(_) => vec![0.0],
            Wanted::Corners(least, most) => vec![1.0 / most, 1.0 / (least * most).sqrt(), 1.0 / least],
            Wanted::Front => {
                // Latency alone, and the slope from the cheapest to the fastest mapping. Further lines in between raise
                // no bound enough to be worth their time.
                let slope = match self.front.as_slice() {
                    [cheapest, .., fastest] => {
                        (cheapest.cycles() - fastest.cycles()) / (fastest.price - cheapest.price)
                    }
                    [only] => only.cycles() / only.price,
                    [] => 1.0,
                };
                vec![0.0, slope]
            }
        }
    }

    /// The bound that follows from a least price, a least latency, and sums of latency and weighed price (weight, sum).
    pub fn bound(&self, price: f64, least_cycles: u64, lines: impl Iterator<Item = (f64, f64)>) -> ChainLowerBound {
        let mut bound = ChainLowerBound { score: 0.0, price, latency_cycles: least_cycles, lines: NO_LINES };
        for (weight, sum) in lines {
            if weight == 0.0 {
                bound.latency_cycles = bound.latency_cycles.max(sum as u64);
            } else {
                bound.lines.0[bound.lines.1] = (weight, sum);
                bound.lines.1 += 1;
            }
        }
        bound.score = match self.sought {
            Wanted::Best(Objective::EnergyDelayProduct) => least_over(&bound, |price, latency| price * latency),
            Wanted::Best(objective) => {
                let score = score(objective, price, bound.latency_cycles);
                bound.lines.0[..bound.lines.1].iter().fold(score, |most, (weight, sum)| most.max(sum / weight))
            }
            Wanted::Fastest(_) => bound.latency_cycles as f64,
            Wanted::Corners(least, most) => {
                least_over(&bound, |price, latency| price + (least * most).sqrt() * latency)
            }
            Wanted::Front => {
                let (of_price, of_latency) = self.scale.unwrap_or((1.0, 1.0));
                least_over(&bound, |price, latency| price / of_price + latency / of_latency)
            }
        };
        bound
    }

    /// Whether no mapping with this bound would be kept.
    pub fn beat(&self, bound: &ChainLowerBound) -> bool {
        match self.sought {
            Wanted::Best(objective) => self.contenders.rule_out(|kept| {
                // A bound that lies below by rounding only is no better. What has the score and the latency of a kept
                // mapping has its energy, too, unless latency alone is the score.
                let energy_pj = if *objective == Objective::Latency { bound.price } else { kept.solution.energy_pj };
                let is_faster = bound.latency_cycles < kept.solution.latency_cycles;
                let latency = if is_faster { comparable(bound.latency_cycles as f64) } else { kept.compared };
                objective.figures(bound.score * (1.0 + PRICE_TOLERANCE), energy_pj * (1.0 + PRICE_TOLERANCE), latency)
            }),
            Wanted::Fastest(most) => {
                bound.latency_cycles as f64 >= self.best().map_or(most, |best| most.min(best.cycles()))
            }
            // The least sum of a chain is concave in the worth of a cycle, as that of the incumbents is, and the latter
            // is straight between its corners. So the chain is nowhere better if it is not better there.
            Wanted::Corners(..) => {
                let is_no_better = |(worth, known): &(f64, f64)| {
                    least_over(bound, |price, latency| price + worth * latency) >= known * (1.0 - REL_TOLERANCE)
                };
                !self.least_sums.is_empty() && self.least_sums.iter().all(is_no_better)
            }
            Wanted::Front => {
                // A mapping is kept if it is faster than all that are cheaper. So between the prices of two neighbours
                // it has to be faster than the cheaper one.
                let dearer = self.front.iter().map(|next| next.price * (1.0 - REL_TOLERANCE)).chain([f64::INFINITY]);
                let cheaper = self.front.iter().map(Incumbent::cycles);
                !dearer.zip([f64::INFINITY].into_iter().chain(cheaper)).any(|(below_price, below_cycles)| {
                    bound.price < below_price && bound.latency_at(below_price).ceil() < below_cycles
                })
            }
        }
    }

    /// Takes a mapping if it may be kept, and returns whether it is. Its score comes from the price, as that of bounds:
    /// where accesses are the objective, it also counts a little energy.
    pub fn offer(&mut self, price: f64, cost: &LayerCost, solution: impl FnOnce() -> Solution) -> bool {
        let latency_cycles = cost.latency.total_cycles();
        match self.sought {
            Wanted::Best(_) | Wanted::Fastest(_) => {
                let objective = if let Wanted::Best(objective) = self.sought { objective } else { &Objective::Latency };
                let compared = comparable(cost.latency.exact_cycles());
                let figures = objective.figures(score(objective, price, latency_cycles), cost.energy_pj(), compared);
                self.contenders.offer(figures, (), || Incumbent { solution: solution(), price, compared })
            }
            Wanted::Front | Wanted::Corners(..) => {
                let is_less = |a: f64, b: f64| a < b * (1.0 - REL_TOLERANCE);
                let is_beaten =
                    |old: &Incumbent| old.solution.latency_cycles <= latency_cycles && !is_less(price, old.price);
                if self.front.iter().any(is_beaten) {
                    return false;
                }
                self.front.retain(|old| old.solution.latency_cycles < latency_cycles || is_less(old.price, price));
                let place = self.front.partition_point(|old| old.price < price);
                let compared = comparable(latency_cycles as f64);
                self.front.insert(place, Incumbent { solution: solution(), price, compared });
                self.scale.get_or_insert((price.max(f64::MIN_POSITIVE), latency_cycles.max(1) as f64));
                if let Wanted::Corners(least, most) = self.sought {
                    let corners = self.corners_between((least, most));
                    let pairs = corners.windows(2);
                    let slopes = pairs.map(|pair| slope_between(self.front[pair[0]].at(), self.front[pair[1]].at()));
                    let sum = |worth: f64| (worth, worth * self.least_sum(1.0 / worth));
                    self.least_sums = [least, most].into_iter().chain(slopes).map(sum).collect();
                }
                true
            }
        }
    }
}

/// The score of a price and a latency. From lower bounds it makes a lower bound, as objectives grow with both.
fn score(objective: &Objective, price: f64, latency_cycles: u64) -> f64 {
    let latency = latency_cycles as f64;
    match objective {
        Objective::Latency => latency,
        Objective::EnergyDelayProduct => price * latency,
        Objective::Weighted(weights) => price + weights.latency * latency,
        Objective::Energy | Objective::DramAccesses | Objective::MemoryAccesses(_) => price,
    }
}

/// The least value of a function of price and latency over all that a bound allows. The function grows with both, and
/// is quasi-concave where both are positive. So it is least in a corner of the convex set: where the least latency for
/// a price, which is piecewise linear, has a kink.
fn least_over(bound: &ChainLowerBound, value: impl Fn(f64, f64) -> f64) -> f64 {
    let (least_price, least_latency) = (bound.price, bound.latency_cycles as f64);
    let sums = &bound.lines.0[..bound.lines.1];
    // From this price on, the lines allow the least latency.
    let of_least_latency = sums.iter().map(|(weight, sum)| (sum - least_latency) / weight).fold(least_price, f64::max);
    // Further kinks lie where two lines cross.
    let corners = sums.iter().enumerate().flat_map(|(at, (weight, sum))| {
        sums[..at].iter().map(move |(other_weight, other_sum)| (sum - other_sum) / (weight - other_weight))
    });
    let corners = corners.filter(|price| (least_price..of_least_latency).contains(price));
    let all = [least_price, of_least_latency].into_iter().chain(corners);
    all.map(|price| value(price, bound.latency_at(price))).fold(f64::INFINITY, f64::min)
}
