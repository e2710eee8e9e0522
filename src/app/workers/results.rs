//! The results of a sweep so far, as the page shows them.

use crate::app::platform::fetch_failure::FetchFailure;
use crate::depth_first::{DepthFirstStrategy, FuseDepth, PointAccount};
pub use crate::explore::PointState;
use crate::explore::{Combination, PointSummary, Request};
use crate::spec::Diagnostics;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;

/// Longest wait for the best point, milliseconds; of a sweep that takes longer, the best so far is shown.
const PATIENCE_MS: f64 = 2000.0;

/// The status of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Status {
    /// No request yet.
    #[default]
    Idle,
    /// Workers are busy.
    Running,
    /// Every point is known, or known to be infeasible.
    Done,
    /// A person stopped it.
    Stopped,
    /// The request has errors.
    Rejected,
}

impl Status {
    /// Value of the attribute `data-status`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Running => "running",
            Self::Done => "done",
            Self::Stopped => "stopped",
            Self::Rejected => "rejected",
        }
    }
}

/// The two baselines of every comparison, with their names.
pub const REFERENCES: [(FuseDepth, &str); 2] =
    [(FuseDepth::SingleLayer, "single-layer"), (FuseDepth::LayerByLayer, "layer-by-layer")];

/// Counts and time of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SweepProgress {
    /// Points with a result.
    pub points_done: usize,
    /// All points, without the references.
    pub points: usize,
    /// Mapping problems that were searched for them.
    pub problems_searched: usize,
    /// Time spent, milliseconds.
    pub elapsed_ms: f64,
}

/// The results of a sweep so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SweepResults {
    /// Number of the edit that they answer.
    pub generation: u32,
    /// The last requests.
    pub asked: Rc<Vec<Request>>,
    /// The requests that the points answer: the sweep, and the references.
    pub requests: Rc<Vec<Request>>,
    pub status: Status,
    /// Whether points and strategies still belong to the previous edit.
    pub stale: bool,
    pub progress: SweepProgress,
    /// One strategy per point; the last ones are the references.
    pub strategies: Arc<Vec<DepthFirstStrategy>>,
    /// Number of points without the references.
    pub swept: usize,
    pub points: Vec<PointState>,
    /// Index of the point with the smallest score.
    pub best: Option<u32>,
    /// Each stack with its own strategy.
    pub combination: Option<Combination>,
    /// Indices of the points of the Pareto front in energy and latency.
    pub pareto: Vec<u32>,
    /// Accounts of some points.
    pub accounts: Accounts,
    /// The account of the best combination, with its point of each stack.
    pub combined: Option<(Vec<u32>, Arc<PointAccount>)>,
    /// Errors of the request.
    pub diagnostics: Diagnostics,
    /// Remarks on the request that are not errors.
    pub notes: Rc<Diagnostics>,
    /// Errors of workers.
    pub notices: Rc<Vec<String>>,
    /// Files that workers could not fetch, so that some work waits until a person tries again.
    pub fetch_failure: Option<Rc<FetchFailure>>,
    /// Number of workers.
    pub workers: usize,
}

/// Accounts by point. They are compared by address: comparing their contents takes longer than drawing them.
#[derive(Debug, Clone, Default)]
pub struct Accounts(pub BTreeMap<u32, Arc<PointAccount>>);

impl PartialEq for Accounts {
    fn eq(&self, other: &Self) -> bool {
        let is_same = |(point, account): (&u32, &Arc<PointAccount>)| {
            other.0.get(point).is_some_and(|known| Arc::ptr_eq(account, known))
        };
        self.0.len() == other.0.len() && self.0.iter().all(is_same)
    }
}

impl Deref for Accounts {
    type Target = BTreeMap<u32, Arc<PointAccount>>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl SweepResults {
    /// The cost of a point, if it is known.
    pub fn summary(&self, point: u32) -> Option<&PointSummary> {
        match self.points.get(point as usize)? {
            PointState::Done(summary) => Some(summary),
            _ => None,
        }
    }

    /// The strategy of a point.
    pub fn strategy(&self, point: u32) -> Option<&DepthFirstStrategy> {
        self.strategies.get(point as usize)
    }

    /// The point with this strategy.
    pub fn point_of(&self, strategy: &DepthFirstStrategy) -> Option<u32> {
        self.strategies.iter().position(|other| other == strategy).map(|index| index as u32)
    }

    /// The point that a person opened, else the best.
    pub fn opened(&self, clicked: Option<&DepthFirstStrategy>) -> Option<u32> {
        clicked.and_then(|strategy| self.point_of(strategy)).or(self.best)
    }

    /// Whether it is likely to stay the opened point: a person clicked it, or the best is known or takes long to find;
    /// before, the best changes all the time.
    pub fn is_chosen(&self, point: u32, clicked: Option<&DepthFirstStrategy>) -> bool {
        let is_clicked = clicked.is_some() && self.strategy(point) == clicked;
        is_clicked || self.status != Status::Running || self.progress.elapsed_ms > PATIENCE_MS
    }

    /// The reference with this fuse depth.
    pub fn reference(&self, fuse: &FuseDepth) -> Option<u32> {
        (self.swept..self.strategies.len())
            .find(|&index| self.strategies[index].fuse == *fuse)
            .map(|index| index as u32)
    }

    /// All points of the sweep whose cost is known.
    pub fn swept_summaries(&self) -> impl Iterator<Item = &PointSummary> {
        self.points.iter().take(self.swept).filter_map(|point| match point {
            PointState::Done(summary) => Some(&**summary),
            _ => None,
        })
    }

    /// These points with the status and the messages of another edit.
    pub fn with_heading(self, heading: Self) -> Self {
        Self {
            generation: heading.generation,
            status: heading.status,
            notices: heading.notices,
            fetch_failure: heading.fetch_failure,
            workers: heading.workers,
            asked: heading.asked,
            ..self
        }
    }
}
