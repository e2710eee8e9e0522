//! The energy-delay product of many mapping problems together: the least product of their summed energies and latencies.
//!
//! The best mapping of each problem alone does not minimise the product of the sums. A product of positive numbers is
//! quasi-concave, so over all sums it is least at a corner of their convex hull. Such a corner is least by some weights
//! of energy and latency, and so is the part of each problem in it: all problems take corners of their own hulls
//! ([`MappingFront::hull`](crate::search::MappingFront::hull)), with one slope for all. So do all stacks of a network,
//! each with its strategies (`stacks.rs`).
//!
//! The corners of a problem are known for a range of slopes. The common one of the least product is its energy by its
//! latency. So it lies between the square of the least energy by any product and any product by the square of the least
//! latency ([`slopes_of_less`]); where a problem's range does not cover that, more of its corners are searched.

use crate::depth_first::{CostExpression, ProblemCost, ProblemId};
use crate::pareto::{corners_between, slope_between};
use crate::search::{Outcome, Solution};
use crate::sorting::sort_by;
use crate::ties::{self, is_clearly_less};
use rustc_hash::FxHashMap;

/// Energy, pJ, and latency, cycles.
pub(super) type EnergyLatency = (f64, f64);

/// Every slope.
pub(super) const ALL_SLOPES: (f64, f64) = (0.0, f64::INFINITY);

/// The corners of a problem's hull by ascending energy, for some slopes; of any other objective the best mapping alone.
#[derive(Debug, Clone)]
pub(super) struct Corners<T> {
    pub all: Vec<T>,
    /// The least and the greatest slope, pJ for a cycle, that they are known for.
    pub slopes: (f64, f64),
}

impl<T> Corners<T> {
    /// The only one, whatever the slope.
    pub fn one(only: T) -> Self {
        Self { all: vec![only], slopes: ALL_SLOPES }
    }

    /// Something of each corner that has it.
    pub fn map<U>(&self, of: impl FnMut(&T) -> Option<U>) -> Corners<U> {
        Corners { all: self.all.iter().filter_map(of).collect(), slopes: self.slopes }
    }

    /// This range of slopes together with what is known.
    pub fn slopes_with(&self, (least, most): (f64, f64)) -> (f64, f64) {
        (self.slopes.0.min(least), self.slopes.1.max(most))
    }

    /// Whether no corner for a slope of this range is missing.
    pub fn cover(&self, (least, most): (f64, f64)) -> bool {
        self.slopes.0 <= least && most <= self.slopes.1
    }
}

impl Corners<Outcome> {
    /// The mappings of all outcomes.
    pub fn mappings(&self) -> Corners<Solution> {
        self.map(|outcome| outcome.best.clone())
    }
}

/// The range of slopes of all sums whose product is no greater than `product`, if no sum is less than `least` in energy
/// or in latency.
pub(super) fn slopes_of_less(product: f64, (energy, latency): EnergyLatency) -> (f64, f64) {
    (energy * energy / product, product / (latency * latency).max(1.0))
}

/// The corners of a problem's hull by ascending energy, and how often the problem occurs.
pub(super) struct Hull {
    pub times: f64,
    pub corners: Vec<EnergyLatency>,
}

/// A step of a problem from a corner of its hull to the next slower one.
struct Step {
    /// What it saves, pJ for a cycle.
    slope: f64,
    /// The number of the hull, and that of the corner.
    hull: usize,
    to: usize,
    saved_pj: f64,
    cycles: f64,
}

/// The sum of one corner of each hull.
///
/// All begin at their fastest corner. A step to the next one saves energy for some cycles; steps are made by descending
/// saving for a cycle, which is the order of slopes, so the corners of the hull of all sums are passed one by one.
pub(super) struct SumOfHulls {
    fastest: Vec<usize>,
    sum: EnergyLatency,
    steps: Vec<Step>,
}

/// A corner of the hull of all sums.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SumCorner {
    pub at: EnergyLatency,
    /// The range of slopes for which it is least.
    slopes: (f64, f64),
    /// Number of steps from the fastest sum to it.
    steps: usize,
}

impl SumOfHulls {
    /// The sums of these hulls, each with the number of its times and its corners by ascending energy; `constant` belongs
    /// to every sum.
    pub fn new<C: IntoIterator<Item = EnergyLatency>>(
        constant: EnergyLatency,
        hulls: impl IntoIterator<Item = (f64, C)>,
    ) -> Self {
        let mut sums = Self { fastest: Vec::new(), sum: constant, steps: Vec::new() };
        for (hull, (times, corners)) in hulls.into_iter().enumerate() {
            let (mut fastest, mut last) = (0, None);
            for (number, (pj, cycles)) in corners.into_iter().enumerate() {
                if let Some((slower_pj, slower_cycles)) = last {
                    let (saved_pj, cycles): (f64, f64) = (pj - slower_pj, slower_cycles - cycles);
                    let (slope, to) = (saved_pj / cycles, number - 1);
                    sums.steps.push(Step { slope, hull, to, saved_pj: times * saved_pj, cycles: times * cycles });
                }
                (fastest, last) = (number, Some((pj, cycles)));
            }
            let (pj, cycles) = last.unwrap_or_default();
            sums.sum = (sums.sum.0 + times * pj, sums.sum.1 + times * cycles);
            sums.fastest.push(fastest);
        }
        sort_by(&mut sums.steps, |a, b| b.slope.total_cmp(&a.slope));
        sums
    }

    /// The corners of the hull of all sums, the fastest first.
    pub fn corners(&self) -> impl Iterator<Item = SumCorner> {
        let slope = |number: usize| self.steps.get(number).map_or(0.0, |step| step.slope);
        let first = SumCorner { at: self.sum, slopes: (slope(0), f64::INFINITY), steps: 0 };
        let mut at = self.sum;
        let further = self.steps.iter().zip(1..).filter_map(move |(step, steps)| {
            at = (at.0 - step.saved_pj, at.1 + step.cycles);
            // Steps of one slope are one side of the hull.
            let next = slope(steps);
            (next < step.slope).then_some(SumCorner { at, slopes: (next, step.slope), steps })
        });
        std::iter::once(first).chain(further)
    }

    /// Whether for every slope of a range a corner of `hull` has a sum of energy and weighted latency that is less than all
    /// of these by more than rounding.
    pub fn are_beaten_by(&self, hull: &[EnergyLatency], (low, high): (f64, f64)) -> bool {
        self.corners().all(|SumCorner { at, slopes, .. }| {
            let (low, high) = (slopes.0.max(low), slopes.1.min(high));
            low > high || is_beaten_by(hull, at, (low, high))
        })
    }

    /// The number of the corner of each hull that a sum has.
    pub fn choice(mut self, corner: &SumCorner) -> Vec<usize> {
        for step in self.steps.iter().take(corner.steps) {
            self.fastest[step.hull] = step.to;
        }
        self.fastest
    }
}

/// The numbers of the corners that make the product of the summed energies and latencies least, one for each hull; of
/// equal products the fastest. `constant` belongs to every sum.
pub(super) fn choose(constant: EnergyLatency, hulls: &[Hull]) -> Vec<usize> {
    let sums = SumOfHulls::new(constant, hulls.iter().map(|hull| (hull.times, hull.corners.iter().copied())));
    let product = |corner: &SumCorner| corner.at.0 * corner.at.1;
    let least = sums.corners().reduce(
        |least, corner| {
            if is_clearly_less(product(&corner), product(&least)) { corner } else { least }
        },
    );
    least.map_or_else(Vec::new, |corner| sums.choice(&corner))
}

/// The items that are corners of the lower convex hull of all for some slope of a range, by ascending energy. Of items of
/// equal latency the best stands for all, by energy and then by its place.
pub(super) fn corners_of<T: Copy, P: Ord>(
    mut items: Vec<T>,
    slopes: (f64, f64),
    at: impl Fn(&T) -> EnergyLatency,
    place: impl Fn(&T) -> P,
) -> Vec<T> {
    sort_by(&mut items, |a, b| at(a).1.total_cmp(&at(b).1));
    let mut front: Vec<T> = Vec::new();
    for same_time in items.chunk_by(|a, b| at(a).1 == at(b).1) {
        let Some(best) = ties::best(same_time, |item| ([at(item).0], place(item))) else { continue };
        if front.last().is_none_or(|faster| is_clearly_less(at(best).0, at(faster).0)) {
            front.push(*best);
        }
    }
    front.reverse();
    let corners = corners_between(front.len(), slopes, |number| at(&front[number]));
    corners.into_iter().map(|number| front[number]).collect()
}

/// Whether for every slope of a range a corner of a hull has a sum of energy and weighted latency that is less than that
/// of `least` by more than rounding. Corners are by ascending energy.
///
/// The least sum of the corners is a concave function of the slope, that of `least` a straight line. So it is enough to
/// look at both ends and where two corners have equal sums.
pub(super) fn is_beaten_by(hull: &[EnergyLatency], least: EnergyLatency, (low, high): (f64, f64)) -> bool {
    let sum = |(pj, cycles): EnergyLatency, slope: f64| pj + slope * cycles;
    let between = hull.windows(2).map(|pair| slope_between(pair[0], pair[1]));
    let mut slopes = [low, high].into_iter().chain(between.filter(|slope| low < *slope && *slope < high));
    slopes.all(|slope| hull.iter().any(|corner| is_clearly_less(sum(*corner, slope), sum(least, slope))))
}

/// A corner of a hull, and a slope for which it is least.
pub(super) struct SlopeCorner<T> {
    pub at: EnergyLatency,
    pub slope: f64,
    pub of: T,
}

/// The corners of the hull of all energies and latencies for a range of slopes. `solve` finds what is least for a slope,
/// `None` where there is nothing.
///
/// Corners between two others lie above the straight lines through these that belong to their slopes. `is_hopeless`
/// judges where these lines meet, for the slopes in between: no corner there has a lower sum for any of them, nor a lower
/// product. It also gets the corners that are known.
///
/// # Errors
/// Those of `solve`.
pub(super) fn corners_by_slope<T, E>(
    (low, high): (f64, f64),
    mut solve: impl FnMut(f64) -> Result<Option<(EnergyLatency, T)>, E>,
    is_hopeless: impl Fn(&[SlopeCorner<T>], EnergyLatency, (f64, f64)) -> bool,
) -> Result<Vec<SlopeCorner<T>>, E> {
    let mut corners = Vec::new();
    for slope in [low, high] {
        let Some((at, of)) = solve(slope)? else { return Ok(Vec::new()) };
        corners.push(SlopeCorner { at, slope, of });
    }
    let mut open = vec![(0, 1)];
    while let Some((low, high)) = open.pop() {
        let ends = [&corners[low], &corners[high]].map(|corner| (corner.at, corner.slope));
        let [((low_pj, low_cycles), low_slope), ((high_pj, high_cycles), high_slope)] = ends;
        // Corners of one energy or latency leave nothing between them.
        if high_cycles >= low_cycles || high_pj <= low_pj || high_slope <= low_slope {
            continue;
        }
        let [low_sum, high_sum] = [low_pj + low_slope * low_cycles, high_pj + high_slope * high_cycles];
        let cycles = (high_sum - low_sum) / (high_slope - low_slope);
        let meeting = (low_sum - low_slope * cycles, cycles);
        let slope = (high_pj - low_pj) / (low_cycles - high_cycles);
        if is_hopeless(&corners, meeting, (low_slope, high_slope)) || !(low_slope < slope && slope < high_slope) {
            continue;
        }
        let Some((at, of)) = solve(slope)? else { continue };
        if is_clearly_less(at.0 + slope * at.1, low_pj + slope * low_cycles) {
            corners.push(SlopeCorner { at, slope, of });
            open.extend([(low, corners.len() - 1), (corners.len() - 1, high)]);
        }
    }
    Ok(corners)
}

/// The corners of the problems of a point, of which more can be searched.
pub(super) trait KnownCorners {
    /// Those of a problem; `None` where no mapping is known.
    fn corners(&self, problem: ProblemId) -> Option<&Corners<ProblemCost>>;

    /// Searches those for a range of slopes.
    fn widen(&mut self, problem: ProblemId, slopes: (f64, f64));
}

/// The number of the corner that each problem of a point takes, so that the energy-delay product of the point is least.
/// Problems without a mapping have none.
pub(super) fn choose_for(expression: &CostExpression, known: &mut impl KnownCorners) -> FxHashMap<ProblemId, usize> {
    let add =
        |sum: EnergyLatency, times: f64, (pj, cycles): EnergyLatency| (sum.0 + times * pj, sum.1 + times * cycles);
    loop {
        let (mut problems, mut hulls) = (Vec::new(), Vec::new());
        let mut least = expression.constant();
        for &(problem, times) in expression.terms() {
            if let Some(corners) = known.corners(problem)
                && let Some(cheapest) = corners.all.first()
            {
                least = add(least, times as f64, cheapest.without_stalls().energy_and_latency());
                let corners = corners.all.iter().map(ProblemCost::energy_and_latency).collect();
                problems.push(problem);
                hulls.push(Hull { times: times as f64, corners });
            }
        }
        let chosen = choose(expression.constant(), &hulls);
        let of_choice = hulls.iter().zip(&chosen).map(|(hull, &at)| (hull.times, hull.corners[at]));
        let (energy, latency) = of_choice.fold(expression.constant(), |sum, (times, corner)| add(sum, times, corner));
        if energy * latency <= 0.0 {
            return problems.into_iter().zip(chosen).collect();
        }
        let slopes = slopes_of_less(energy * latency, least);
        let is_unknown = |problem: &&ProblemId| known.corners(**problem).is_some_and(|corners| !corners.cover(slopes));
        let unknown: Vec<ProblemId> = problems.iter().filter(is_unknown).copied().collect();
        if unknown.is_empty() {
            return problems.into_iter().zip(chosen).collect();
        }
        // With more corners the product is no greater, and its range of slopes no wider: once is enough.
        unknown.into_iter().for_each(|problem| known.widen(problem, slopes));
    }
}

#[cfg(test)]
mod tests {
    use super::{Hull, choose};
    use crate::pareto::lower_hull;

    #[test]
    fn no_other_choice_of_points_has_a_smaller_product() {
        let mut state = 7_u64;
        let mut below = |end: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % end
        };
        let mut others = 0;
        for _ in 0..500 {
            // Fronts: energy grows, latency falls, in steps of any size.
            let fronts: Vec<(f64, Vec<(f64, f64)>)> = (0..1 + below(4))
                .map(|_| {
                    let (mut pj, mut cycles) = (1 + below(50), 200 + below(50));
                    let points = (0..1 + below(5)).map(|_| {
                        (pj, cycles) = (pj + 1 + below(40), cycles - 1 - below(40));
                        (pj as f64, cycles as f64)
                    });
                    let points = points.collect();
                    (1.0 + below(3) as f64, points)
                })
                .collect();
            let constant = (below(100) as f64, below(100) as f64);
            let hulls: Vec<Hull> = fronts
                .iter()
                .map(|(times, points)| {
                    let corners = lower_hull(points.len(), |number| points[number]);
                    Hull { times: *times, corners: corners.into_iter().map(|number| points[number]).collect() }
                })
                .collect();
            let mut all = vec![constant];
            for (times, points) in &fronts {
                let with = |(pj, cycles): (f64, f64)| {
                    points.iter().map(move |point| (pj + times * point.0, cycles + times * point.1))
                };
                all = all.into_iter().flat_map(with).collect();
            }
            let least = all.iter().map(|(pj, cycles)| pj * cycles).fold(f64::INFINITY, f64::min);
            let of_choice = |choice: &[usize]| {
                let add = |sum: (f64, f64), (hull, &at): (&Hull, &usize)| {
                    (sum.0 + hull.times * hull.corners[at].0, sum.1 + hull.times * hull.corners[at].1)
                };
                let (pj, cycles) = hulls.iter().zip(choice).fold(constant, add);
                pj * cycles
            };
            assert_eq!(of_choice(&choose(constant, &hulls)), least);
            // What is best for each problem alone is often not best for all.
            let alone: Vec<usize> =
                hulls.iter().flat_map(|hull| choose((0.0, 0.0), std::slice::from_ref(hull))).collect();
            others += usize::from(of_choice(&alone) > least);
        }
        assert!(others > 50, "{others} differ");
    }
}
