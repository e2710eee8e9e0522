//! The exploration of a study: the state of all hierarchies, and the work that is left.

use super::bound::Bound;
use super::front::{Front, Point};
use super::request::HierarchySettings;
use super::search::SearchOutcome;
use crate::search::Objective;
use crate::sorting::sort_by;
use serde::{Deserialize, Serialize};

/// The stage of an exploration: bounds first, then searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Stage {
    /// Lower bounds of all hierarchies are found.
    #[default]
    Bounding,
    /// Hierarchies are searched, the most promising first.
    Searching,
    /// All hierarchies are searched, pruned or infeasible.
    Done,
}

/// Numbers of hierarchies by state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ExplorationCounts {
    /// Hierarchies that were generated.
    pub generated: usize,
    /// Hierarchies with a lower bound, or known to be infeasible.
    pub bounded: usize,
    /// Hierarchies that were searched to the end.
    pub searched: usize,
    /// Of these, how many may have a better mapping, as their search reached a limit or proves nothing.
    pub unproved: usize,
    /// Hierarchies that were pruned, as a point of the front dominates their lower bound.
    pub pruned: usize,
    /// Infeasible hierarchies: some layer has no mapping.
    pub infeasible: usize,
}

/// The exploration of a study. It hands out work in slices, whose results may come back in any order.
#[derive(Debug, Clone, Default)]
pub struct Exploration {
    counts: ExplorationCounts,
    front: Front,
    /// Points of all hierarchies that were searched to the end.
    found: Vec<Point>,
    /// Lower bound of each hierarchy; `None` where nothing fits, or before it is known.
    bounds: Vec<Option<Bound>>,
    areas_um2: Vec<f64>,
    /// First hierarchy whose bound was not handed out yet.
    next_bound: usize,
    /// Earlier ones that came back unbounded.
    returned: Vec<std::ops::Range<usize>>,
    /// Hierarchies to search, the last first.
    queue: Vec<u32>,
    /// One reason why something does not fit.
    reason: Option<String>,
    /// Whether dominated hierarchies are searched, too.
    everything: bool,
}

impl Exploration {
    /// An exploration of hierarchies of these areas, um2, for what the settings seek.
    pub fn new(areas_um2: Vec<f64>, settings: &HierarchySettings) -> Self {
        let generated = areas_um2.len();
        let bounds = vec![None; generated];
        Self {
            counts: ExplorationCounts { generated, ..ExplorationCounts::default() },
            areas_um2,
            bounds,
            front: Front::sought(settings),
            ..Self::default()
        }
    }

    /// An exploration without pruning: it searches every hierarchy, so that every point is known.
    #[must_use]
    pub fn of_everything(self) -> Self {
        Self { everything: true, ..self }
    }

    /// The front by which a search may prune; empty where nothing is pruned.
    pub fn pruning_front(&self) -> Front {
        if self.everything { Front::default() } else { self.front.clone() }
    }

    /// The stage: what is to be handed out next.
    pub fn stage(&self) -> Stage {
        if self.counts.bounded < self.counts.generated {
            Stage::Bounding
        } else if self.counts.searched + self.counts.pruned + self.counts.infeasible < self.counts.generated {
            Stage::Searching
        } else {
            Stage::Done
        }
    }

    /// Up to `count` hierarchies whose bound is to be found; empty when all are handed out.
    pub fn next_to_bound(&mut self, count: usize) -> std::ops::Range<usize> {
        if let Some(range) = self.returned.pop() {
            return range;
        }
        let start = self.next_bound;
        self.next_bound = (start + count).min(self.counts.generated);
        start..self.next_bound
    }

    /// Up to `count` hierarchies to be searched, without those that the front dominates.
    pub fn next_to_search(&mut self, count: usize) -> Vec<u32> {
        let mut slice = Vec::new();
        while slice.len() < count
            && let Some(hierarchy) = self.queue.pop()
        {
            let at = hierarchy as usize;
            match self.bounds[at] {
                Some(bound) if !self.everything && self.front.dominates(bound, self.areas_um2[at]) => {
                    self.counts.pruned += 1
                }
                _ => slice.push(hierarchy),
            }
        }
        slice
    }

    /// Takes a slice back that was handed out to be bounded, without a result: it is handed out again.
    pub fn put_back_bounds(&mut self, range: std::ops::Range<usize>) {
        self.returned.push(range);
    }

    /// Takes a slice back that was handed out to be searched, without a result: it is handed out again.
    pub fn put_back(&mut self, slice: &[u32]) {
        self.queue.extend(slice.iter().rev());
    }

    /// Records lower bounds of hierarchies, or why they are infeasible.
    pub fn record_bounds(&mut self, start: usize, bounds: Vec<Result<Bound, String>>) {
        for (hierarchy, bound) in (start..).zip(bounds) {
            let Some(known) = self.bounds.get_mut(hierarchy) else { continue };
            self.counts.bounded += 1;
            match bound {
                Ok(bound) => *known = Some(bound),
                Err(reason) => {
                    self.counts.infeasible += 1;
                    self.reason.get_or_insert(reason);
                }
            }
        }
        if self.stage() != Stage::Bounding {
            self.fill_queue();
        }
    }

    /// The smallest product of energy and latency comes first, as such a point dominates the most others; where only the best is sought,
    /// the smallest score.
    fn fill_queue(&mut self) {
        let objective = self.front.best_by().unwrap_or(&Objective::EnergyDelayProduct);
        let promise = |hierarchy: u32| self.bounds[hierarchy as usize].map_or(0.0, |bound| bound.score(objective));
        let mut queue: Vec<(f64, u32)> = (0..self.bounds.len() as u32)
            .filter(|&hierarchy| self.bounds[hierarchy as usize].is_some())
            .map(|hierarchy| (promise(hierarchy), hierarchy))
            .collect();
        sort_by(&mut queue, |a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        self.queue = queue.into_iter().map(|(_, hierarchy)| hierarchy).collect();
    }

    /// Records the outcome of a hierarchy's search.
    pub fn record_outcome(&mut self, verdict: SearchOutcome) {
        match verdict {
            SearchOutcome::Found(point) => {
                self.counts.searched += 1;
                self.counts.unproved += usize::from(!point.proved);
                self.front.add(point);
                self.found.push(point);
            }
            SearchOutcome::Pruned => self.counts.pruned += 1,
            SearchOutcome::Infeasible(reason) => {
                self.counts.infeasible += 1;
                self.reason.get_or_insert(reason);
            }
        }
    }

    /// Numbers of hierarchies that are generated, bounded, searched, pruned and infeasible so far.
    pub fn counts(&self) -> ExplorationCounts {
        self.counts
    }

    /// The front so far.
    pub fn front(&self) -> &Front {
        &self.front
    }

    /// Everything that was searched, in the order in which it came.
    pub fn found(&self) -> &[Point] {
        &self.found
    }

    /// The point with the smallest score; of equals the one of least latency, energy, area, number.
    pub fn best(&self) -> Option<Point> {
        self.front.points().iter().copied().min_by(Point::compare)
    }

    /// One reason why something does not fit, if something does not.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }
}
