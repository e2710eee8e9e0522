//! The bookkeeping of one sweep: what is still to do, and what is known. Knows nothing of workers or of the browser.

use super::results::{PointState, Progress};
use crate::depth_first::{DepthFirstStrategy, PointAccount};
use crate::explore::{PointSummary, Request, SearchEffort, coarse_to_fine};
use crate::spec::Diagnostics;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

/// A job for a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Job {
    /// Evaluate these points, as many as fit into a moment.
    Survey(Vec<u32>),
    /// Give the whole account of this point.
    Detail(u32),
    /// Give the whole account of a combination: one point a stack.
    Combine(Vec<u32>),
}

/// More points than any worker evaluates in a moment.
const SLICE: usize = 512;

/// One sweep on its way.
pub struct SweepWork {
    /// One strategy a point.
    pub strategies: Rc<Vec<DepthFirstStrategy>>,
    /// Notes on the request that are no errors.
    pub notes: Rc<Diagnostics>,
    /// Number of points that are no references.
    pub swept: usize,
    /// What is known of each point.
    pub points: Vec<PointState>,
    /// Whole accounts that were asked for.
    pub accounts: BTreeMap<u32, Rc<PointAccount>>,
    /// The account of the combination that was asked for.
    pub combined: Option<(Vec<u32>, Rc<PointAccount>)>,
    wanted_combination: Option<Vec<u32>>,
    wanted: VecDeque<u32>,
    /// Points that are to be evaluated, by worker.
    lanes: Vec<VecDeque<u32>>,
    /// Points at which a worker failed once; each is tried again alone.
    suspects: BTreeSet<u32>,
    open_points: usize,
    effort: SearchEffort,
}

impl SweepWork {
    /// A sweep, the first of the requests, of which nothing is known; the other requests are references.
    pub fn new(requests: &[Request], workers: usize) -> Self {
        let workers = workers.max(1);
        let mut strategies: Vec<DepthFirstStrategy> = Vec::new();
        let mut swept = 0;
        let mut lanes = vec![VecDeque::new(); workers];
        for (number, request) in requests.iter().enumerate() {
            let first = strategies.len() as u32;
            strategies.append(&mut request.settings.strategies());
            if number == 0 {
                swept = strategies.len();
                lanes = coarse_to_fine(&request.settings, workers);
            } else {
                // The references come first, as everything else is compared with them; to one worker, as they pose mostly the same
                // mapping problems.
                for point in first..strategies.len() as u32 {
                    lanes[workers - 1].push_front(point);
                }
            }
        }
        Self {
            notes: Rc::default(),
            swept,
            points: vec![PointState::Waiting; strategies.len()],
            accounts: BTreeMap::new(),
            combined: None,
            wanted_combination: None,
            wanted: VecDeque::new(),
            lanes,
            suspects: BTreeSet::new(),
            open_points: strategies.len(),
            effort: SearchEffort::default(),
            strategies: Rc::new(strategies),
        }
    }

    /// The next piece of work for worker number `lane`. Details go first, as people wait for these.
    pub fn next_job(&mut self, lane: usize, only_details: bool) -> Option<Job> {
        if let Some(point) = self.wanted.pop_front() {
            return Some(Job::Detail(point));
        }
        if let Some(points) = self.wanted_combination.take() {
            return Some(Job::Combine(points));
        }
        (!only_details).then(|| self.next_points(lane)).flatten().map(Job::Survey)
    }

    /// From the worker's own lane; when that is empty, from the far end of the longest.
    fn next_points(&mut self, lane: usize) -> Option<Vec<u32>> {
        let lane = lane % self.lanes.len();
        if let Some(&first) = self.lanes[lane].front() {
            let own = &mut self.lanes[lane];
            let is_suspect = |point: &u32| self.suspects.contains(point);
            let count = if is_suspect(&first) {
                1
            } else {
                // The other half stays for those who finish early.
                let unsuspected = own.iter().take(SLICE).take_while(|point| !is_suspect(point)).count();
                let references = own.iter().take_while(|&&point| point as usize >= self.swept).count();
                unsuspected.min(references.max(own.len().div_ceil(2)))
            };
            return Some(own.drain(..count).collect());
        }
        let longest = self.lanes.iter_mut().max_by_key(|lane| lane.len()).filter(|lane| !lane.is_empty())?;
        let stolen = longest.split_off(longest.len() - longest.len().div_ceil(2));
        self.lanes[lane] = stolen;
        self.next_points(lane)
    }

    /// Puts a job back that no worker has answered and none is to blame for.
    pub fn put_back(&mut self, lane: usize, job: Job) {
        let lane = lane % self.lanes.len();
        match job {
            Job::Survey(points) => points.into_iter().rev().for_each(|point| self.lanes[lane].push_front(point)),
            Job::Detail(point) => self.wanted.push_front(point),
            Job::Combine(points) => self.wanted_combination = Some(points),
        }
    }

    /// Notes that a worker failed on a job. It is tried once more, point by point; returns whether it is given up.
    pub fn failed(&mut self, lane: usize, job: Job, reason: &str) -> bool {
        let blamed: Vec<u32> = match &job {
            Job::Survey(points) | Job::Combine(points) => points.clone(),
            Job::Detail(point) => vec![*point],
        };
        let again = blamed.iter().filter(|&&point| !self.suspects.insert(point)).count() == blamed.len();
        if !again {
            self.put_back(lane, job);
            return false;
        }
        if let Job::Survey(points) = job {
            points.into_iter().for_each(|point| self.close(point, PointState::Failed(reason.into())));
        }
        true
    }

    /// A worker evaluated the first of the points that it was given; the others are to be done yet.
    pub fn surveyed(
        &mut self,
        lane: usize,
        given: &[u32],
        summaries: Vec<PointSummary>,
        impossible: Vec<(u32, Diagnostics)>,
        effort: SearchEffort,
    ) {
        let done = summaries.len() + impossible.len();
        self.effort.add(effort);
        for summary in summaries {
            self.close(summary.point as u32, PointState::Done(Rc::new(summary)));
        }
        for (point, reasons) in impossible {
            self.close(point, PointState::Infeasible(Rc::new(reasons)));
        }
        self.put_back(lane, Job::Survey(given.get(done..).unwrap_or_default().to_vec()));
    }

    fn close(&mut self, point: u32, state: PointState) {
        if let Some(old) = self.points.get_mut(point as usize).filter(|old| **old == PointState::Waiting) {
            *old = state;
            self.open_points -= 1;
        }
    }

    /// A worker gave the whole account of a point.
    pub fn detailed(&mut self, point: u32, account: PointAccount) {
        self.accounts.insert(point, Rc::new(account));
    }

    /// A worker gave the whole account of a combination.
    pub fn combined(&mut self, points: Vec<u32>, account: PointAccount) {
        self.combined = Some((points, Rc::new(account)));
    }

    /// Asks for the whole account of a combination.
    pub fn want_combination(&mut self, points: Vec<u32>) {
        self.wanted_combination = Some(points);
    }

    /// Asks for the whole account of a point, unless it is known or its cost is not.
    pub fn want(&mut self, point: u32) {
        let is_done = matches!(self.points.get(point as usize), Some(PointState::Done(_)));
        if is_done && !self.accounts.contains_key(&point) && !self.wanted.contains(&point) {
            self.wanted.push_back(point);
        }
    }

    /// All points of the sweep whose cost is known, without the references.
    pub fn summaries(&self) -> Vec<PointSummary> {
        let cost = |point: &PointState| match point {
            PointState::Done(summary) => Some((**summary).clone()),
            _ => None,
        };
        self.points[..self.swept].iter().filter_map(cost).collect()
    }

    /// Whether every point is known, or known to be impossible.
    pub fn is_done(&self) -> bool {
        self.open_points == 0
    }

    /// Whether anything is known.
    pub fn has_news(&self) -> bool {
        self.open_points < self.points.len()
    }

    /// Whether someone waits for the whole account of a point.
    pub fn has_wanted(&self) -> bool {
        !self.wanted.is_empty() || self.wanted_combination.is_some()
    }

    /// How much is done.
    pub fn progress(&self, elapsed_ms: f64) -> Progress {
        let waiting = self.points[..self.swept].iter().filter(|point| **point == PointState::Waiting).count();
        Progress {
            points_done: self.swept - waiting,
            points: self.swept,
            problems_searched: self.effort.searched as usize,
            elapsed_ms,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::state::Design;

    /// The first design of the page, with its references, on some workers.
    fn work(workers: usize) -> SweepWork {
        SweepWork::new(&Design::figure_12().request().unwrap(), workers)
    }

    fn summary(point: u32) -> PointSummary {
        PointSummary {
            point: point as usize,
            energy_pj: 1.0,
            latency_cycles: 1,
            macs: 1,
            dram_words: 1.0,
            score: 1.0,
            stacks: Vec::new(),
        }
    }

    fn surveyed(work: &mut SweepWork, lane: usize, given: &[u32], done: usize) {
        let summaries = given[..done].iter().map(|&point| summary(point)).collect();
        work.surveyed(lane, given, summaries, Vec::new(), SearchEffort { searched: 1, reused: 0 });
    }

    #[test]
    fn every_point_is_given_once_whoever_asks_and_however_few_are_done() {
        for workers in [1, 2, 5, 8] {
            let mut work = work(workers);
            let all = work.points.len();
            let (mut seen, mut lane) = (BTreeSet::new(), 0);
            while !work.is_done() {
                // Some workers ask more often than others, and none does more than three points a moment.
                lane = (lane * 3 + 1) % workers;
                let Some(Job::Survey(given)) = work.next_job(lane, false) else {
                    panic!("nothing to do, but not done")
                };
                let done = given.len().min(3);
                assert!(given[..done].iter().all(|&point| seen.insert(point)), "a point was given twice");
                surveyed(&mut work, lane, &given, done);
            }
            assert_eq!((seen.len(), work.next_job(0, false)), (all, None));
            let progress = work.progress(2.0);
            assert_eq!((progress.points_done, progress.points), (108, 108));
        }
    }

    #[test]
    fn references_come_first_and_details_before_them() {
        let mut work = work(2);
        let Some(Job::Survey(first)) = work.next_job(1, false) else { panic!("no work") };
        let references = work.points.len() - work.swept;
        assert!(first[..references].iter().all(|&point| point as usize >= work.swept), "{first:?}");
        surveyed(&mut work, 1, &first, first.len());
        // The account of a point is given only once its cost is known.
        work.want(0);
        assert_eq!(work.next_job(0, true), None);
        work.want(first[0]);
        work.want(first[0]);
        assert_eq!(work.next_job(0, true), Some(Job::Detail(first[0])));
        assert_eq!(work.next_job(0, true), None);
    }

    #[test]
    fn points_at_which_a_worker_fails_are_tried_again_alone_and_then_left_out() {
        let mut work = work(1);
        let Some(Job::Survey(given)) = work.next_job(0, false) else { panic!("no work") };
        assert!(!work.failed(0, Job::Survey(given.clone()), "it trapped"));
        for (index, &point) in given.iter().enumerate() {
            assert_eq!(work.next_job(0, false), Some(Job::Survey(vec![point])));
            if index == 1 {
                assert!(work.failed(0, Job::Survey(vec![point]), "it trapped again"));
            } else {
                surveyed(&mut work, 0, &[point], 1);
            }
        }
        let failed = |state: &&PointState| matches!(state, PointState::Failed(why) if **why == *"it trapped again");
        assert_eq!(work.points.iter().filter(failed).count(), 1);
    }
}
