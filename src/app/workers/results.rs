//! What the workers found out so far, as the page shows it.

use crate::app::platform::fetch_failure::FetchFailure;
use crate::depth_first::{DepthFirstStrategy, FuseDepth, PointAccount};
pub use crate::explore::PointState;
use crate::explore::{Combination, PointSummary, Request};
use crate::spec::Diagnostics;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;

/// A person waits so long for the best point, milliseconds; of a sweep that takes longer they see the best so far.
const PATIENCE_MS: f64 = 2000.0;

/// The status of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Status {
    /// Nothing was asked for yet.
    #[default]
    Idle,
    /// Workers work.
    Running,
    /// Every point is known, or known to be impossible.
    Done,
    /// A person stopped it.
    Stopped,
    /// The request makes no sense.
    Rejected,
}

impl Status {
    /// As in the attribute `data-status`.
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

/// The two ways to run a network that everything is compared with, with what the page calls them.
pub const REFERENCES: [(FuseDepth, &str); 2] =
    [(FuseDepth::SingleLayer, "single-layer"), (FuseDepth::LayerByLayer, "layer-by-layer")];

/// The progress of the sweep.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Progress {
    /// Points that are known.
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
    /// What was asked for last.
    pub asked: Rc<Vec<Request>>,
    /// What the points answer: the sweep, and the references.
    pub requests: Rc<Vec<Request>>,
    /// How far the sweep is.
    pub status: Status,
    /// Whether points and strategies are still those of the edit before.
    pub stale: bool,
    /// The progress of the sweep.
    pub progress: Progress,
    /// One strategy a point; the last ones are the references.
    pub strategies: Arc<Vec<DepthFirstStrategy>>,
    /// Number of points that are no references.
    pub swept: usize,
    /// What is known of each point.
    pub points: Vec<PointState>,
    /// The point with the smallest score.
    pub best: Option<u32>,
    /// Each stack with its own strategy.
    pub combination: Option<Combination>,
    /// The Pareto front in energy and latency.
    pub pareto: Vec<u32>,
    /// Whole accounts of some points.
    pub accounts: Accounts,
    /// The account of the best combination.
    pub combined: Option<(Vec<u32>, Arc<PointAccount>)>,
    /// What is wrong with the request.
    pub diagnostics: Diagnostics,
    /// Notes on the request that are no errors.
    pub notes: Rc<Diagnostics>,
    /// What went wrong with workers.
    pub notices: Rc<Vec<String>>,
    /// Files that workers could not have, so that something waits until a person tries again.
    pub fetch_failure: Option<Rc<FetchFailure>>,
    /// Number of workers.
    pub workers: usize,
}

/// Whole accounts by point. They are the same where they are the same in memory: to compare them takes longer than to draw them.
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
    /// What a point costs, where that is known.
    pub fn summary(&self, point: u32) -> Option<&PointSummary> {
        match self.points.get(point as usize)? {
            PointState::Done(summary) => Some(summary),
            _ => None,
        }
    }

    /// How the network is run at a point.
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

    /// Whether it is likely to stay the opened point: a person clicked it, or the best is known, or takes long to find; before,
    /// the best changes all the time.
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

    /// These points under the heading of another edit.
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
