//! The best of many candidates: one rule for mappings, tiles, stacks, cores, memories and the figures that mark the
//! best.
//!
//! Numbers that differ by rounding are equal ([`REL_TOLERANCE`]), but such an equality is not transitive: with it, the
//! best of three candidates would depend on which two are compared first. So nothing here compares two candidates.
//! Those whose score is within the tolerance of the least score *of all* tie. Of these the ones stay whose second
//! figure is within the tolerance of the least second figure of these, and so on ([`Figures`]). At last a place
//! decides: an exact order that knows no rounding, such as [`TilePlace`]. The order in which candidates arrive never
//! does.
//!
//! [`best`] and [`ranked`] judge a list. [`Contenders`] takes candidates one by one, and keeps those that may still be
//! the best.

use crate::depth_first::{DepthFirstStrategy, StoringMode};
use crate::search::Objective;
use crate::sorting::sort_by;
use crate::tolerance::REL_TOLERANCE;

/// Figures of a candidate, of which less is better, in the order in which they decide.
pub type Figures<const N: usize = 3> = [f64; N];

impl Objective {
    /// The figures by which candidates of this objective are compared: the score, then latency and energy. Where
    /// accesses are the objective, energy comes before latency, as it is closer to what is asked for.
    pub fn figures(&self, score: f64, energy_pj: f64, latency_cycles: f64) -> Figures {
        match self {
            Self::DramAccesses | Self::MemoryAccesses(_) => [score, energy_pj, latency_cycles],
            _ => [score, latency_cycles, energy_pj],
        }
    }
}

/// The largest number that is equal to this one, except for rounding.
fn most_equal(least: f64) -> f64 {
    least + REL_TOLERANCE * least.abs()
}

/// Whether a number is equal to the least of all, except for rounding.
fn ties_with(value: f64, least: f64) -> bool {
    value <= most_equal(least) || value.total_cmp(&least).is_eq()
}

/// Whether a number is less than another one by more than rounding. It does not say which of several is the best, but
/// which can be left out beside another, or whether a step of a local search improves.
pub fn is_clearly_less(value: f64, other: f64) -> bool {
    most_equal(value) < other
}

/// The place of a tile among tiles of equal figures: the smaller tile comes first, then the one whose longer side is
/// shorter, so that columns and rows may change places. Only then an order decides that is fixed, but means nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TilePlace {
    area: u64,
    longer_side: u64,
    mode: StoringMode,
    columns: u64,
}

impl TilePlace {
    /// The place of a tile of so many columns and rows.
    pub fn new((columns, rows): (u64, u64), mode: StoringMode) -> Self {
        Self { area: columns.saturating_mul(rows), longer_side: columns.max(rows), mode, columns }
    }

    /// The place of the tile of a strategy.
    pub fn of(strategy: &DepthFirstStrategy) -> Self {
        Self::new(strategy.tile, strategy.mode)
    }
}

impl<T, P, const N: usize> Contenders<T, P, N> {
    /// Whether every candidate is ruled out whose figures are no less than those that `least` gives beside one that is
    /// kept, and whose place is no earlier.
    pub fn rule_out(&self, least: impl Fn(&T) -> Figures<N>) -> bool {
        self.kept.iter().any(|kept| rules_out((&kept.figures, &()), (&least(&kept.item), &())))
    }
}

/// The best of all candidates; of equal places the first. `None` where there are none.
pub fn best<T, P: Ord, const N: usize>(
    candidates: impl IntoIterator<Item = T>,
    of: impl Fn(&T) -> (Figures<N>, P),
) -> Option<T> {
    let judged = candidates.into_iter().map(|item| (of(&item), item));
    let mut left: Vec<((Figures<N>, P), T)> = judged.collect();
    for number in 0..N {
        let least = left.iter().map(|((figures, _), _)| figures[number]).min_by(f64::total_cmp)?;
        left.retain(|((figures, _), _)| ties_with(figures[number], least));
    }
    left.into_iter().min_by(|((_, one), _), ((_, other), _)| one.cmp(other)).map(|(_, item)| item)
}

/// All candidates, the best first. Ties are groups, each around the least of those that are in no group before; those
/// of equal places keep their order.
pub fn ranked<T, P: Ord, const N: usize>(
    candidates: impl IntoIterator<Item = T>,
    of: impl Fn(&T) -> (Figures<N>, P),
) -> Vec<T> {
    let judged = candidates.into_iter().map(|item| (of(&item), item));
    let mut all: Vec<((Figures<N>, P), T)> = judged.collect();
    rank(&mut all, 0);
    all.into_iter().map(|(_, item)| item).collect()
}

/// Ranks candidates that tie in the figures before this one.
fn rank<T, P: Ord, const N: usize>(mut all: &mut [((Figures<N>, P), T)], number: usize) {
    if number == N {
        sort_by(all, |((_, one), _), ((_, other), _)| one.cmp(other));
        return;
    }
    sort_by(all, |((one, _), _), ((other, _), _)| one[number].total_cmp(&other[number]));
    while let Some(((least, _), _)) = all.first() {
        let least = least[number];
        let (tied, others) =
            all.split_at_mut(all.partition_point(|((figures, _), _)| ties_with(figures[number], least)));
        rank(tied, number + 1);
        all = others;
    }
}

/// Whether the first candidate keeps the second one from being the best of any list that has both: it is nowhere worse
/// up to a figure that is clearly less, or nowhere at all, and its place is no later. So it ties wherever the second
/// does.
pub fn rules_out<P: Ord, const N: usize>((figures, place): (&Figures<N>, &P), of: (&Figures<N>, &P)) -> bool {
    for (figure, other) in figures.iter().zip(of.0) {
        if is_clearly_less(*figure, *other) {
            return true;
        }
        if figure.total_cmp(other).is_gt() {
            return false;
        }
    }
    place <= of.1
}

/// A candidate with its figures and its place.
#[derive(Debug, Clone)]
struct Contender<T, P, const N: usize> {
    figures: Figures<N>,
    place: P,
    item: T,
}

/// Candidates that arrive one by one: those that may be the best of all, whatever still arrives. They are few, as one
/// is dropped once another [rules it out](rules_out).
#[derive(Debug, Clone)]
pub struct Contenders<T, P, const N: usize = 3> {
    kept: Vec<Contender<T, P, N>>,
}

impl<T, P, const N: usize> Default for Contenders<T, P, N> {
    fn default() -> Self {
        Self { kept: Vec::new() }
    }
}

impl<T, P: Ord + Clone, const N: usize> Contenders<T, P, N> {
    /// Whether there is no candidate yet.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Whether a candidate of this score may be the best.
    pub fn may_tie(&self, score: f64) -> bool {
        self.kept.iter().all(|kept| ties_with(score, kept.figures[0]))
    }

    /// Takes a candidate, which is made only if it may be the best, and returns whether it is kept.
    pub fn offer(&mut self, figures: Figures<N>, place: P, item: impl FnOnce() -> T) -> bool {
        if self.kept.iter().any(|kept| rules_out((&kept.figures, &kept.place), (&figures, &place))) {
            return false;
        }
        self.kept.retain(|kept| !rules_out((&figures, &place), (&kept.figures, &kept.place)));
        self.kept.push(Contender { figures, place, item: item() });
        true
    }

    /// The best of all so far.
    pub fn best(&self) -> Option<&T> {
        best(&self.kept, |kept| (kept.figures, kept.place.clone())).map(|kept| &kept.item)
    }

    /// The best of all.
    pub fn into_best(self) -> Option<T> {
        self.into_ranked().into_iter().next()
    }

    /// All that may be the best, first the one that is so far.
    pub fn into_ranked(self) -> Vec<T> {
        let ranked = ranked(self.kept, |kept| (kept.figures, kept.place.clone()));
        ranked.into_iter().map(|kept| kept.item).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Score, latency and energy by so many tenths of the tolerance.
    fn figures(score: i32, latency: i32, energy: i32) -> Figures {
        [score, latency, energy].map(|tenths| 1e6 * (1.0 + f64::from(tenths) * 1e-10))
    }

    /// Scores that differ by rounding and by more, chains of ties, latencies and energies likewise.
    fn candidates() -> Vec<(Figures, usize)> {
        let all = [0, 4, 8, 12, 30].into_iter().flat_map(|score| {
            [900, 0, 7, 13].into_iter().flat_map(move |latency| [25, 0, 6].map(move |energy| (score, latency, energy)))
        });
        all.map(|(score, latency, energy)| figures(score, latency - 40 * score, energy))
            .enumerate()
            .map(|(place, figures)| (figures, place))
            .collect()
    }

    fn shuffled(seed: u64) -> Vec<(Figures, usize)> {
        let mut all = candidates();
        let mut state = seed;
        for end in (1..all.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            all.swap(end, (state >> 33) as usize % (end + 1));
        }
        all
    }

    #[test]
    fn ties_are_judged_against_the_least_of_all() {
        // The second ties with the first, and the third with the second, but not with the first.
        let all = [figures(0, 9, 0), figures(8, 5, 0), figures(16, 0, 0)];
        let chosen = best(all.map(|figures| (figures, ())), |item| *item);
        assert_eq!(chosen, Some((all[0], ())), "latencies tie, energies tie, so the first");
        let slow = [[1e6, 20.0, 0.0], [1e6 * (1.0 + 8e-10), 10.0, 0.0], [1e6 * (1.0 + 16e-10), 5.0, 0.0]];
        assert_eq!(best(slow, |figures| (*figures, ())), Some(slow[1]));
    }

    #[test]
    fn the_order_of_arrival_does_not_matter() {
        let chosen = best(candidates(), |item| *item).expect("candidates");
        let order = ranked(candidates(), |item| *item);
        assert_eq!(order.first(), Some(&chosen));
        for seed in 0..200 {
            assert_eq!(best(shuffled(seed), |item| *item), Some(chosen), "shuffled by {seed}");
            assert_eq!(ranked(shuffled(seed), |item| *item), order, "shuffled by {seed}");
            let mut contenders = Contenders::default();
            for (figures, place) in shuffled(seed) {
                contenders.offer(figures, place, || (figures, place));
            }
            assert_eq!(contenders.into_best(), Some(chosen), "shuffled by {seed}");
        }
    }

    #[test]
    fn columns_and_rows_may_change_places() {
        let place = |tile| TilePlace::new(tile, StoringMode::FullyCached);
        assert!(place((4, 4)) < place((2, 8)) && place((4, 4)) < place((8, 2)));
        assert!(place((3, 4)) < place((4, 4)) && place((4, 3)) < place((4, 4)));
        let key = |tile| {
            let TilePlace { area, longer_side, .. } = place(tile);
            (area, longer_side)
        };
        assert_eq!(key((2, 8)), key((8, 2)));
    }

    #[test]
    fn infinite_scores_and_those_that_are_no_numbers_come_last() {
        for bad in [f64::INFINITY, f64::NAN] {
            let all = [[bad, 0.0, 0.0], [1.0, 9.0, 9.0]];
            assert_eq!(best(all, |figures| (*figures, ())), Some(all[1]));
            assert_eq!(best([all[0]], |figures| (*figures, ())).map(|best| best[1]), Some(0.0));
        }
        assert_eq!(best([0.0; 0], |_| ([0.0], ())), None);
    }
}
