//! A sweep as a job: who gets which points when, and what becomes of those at which workers fail.

use fusescape::explore::{EvaluatedPoints, PointState, PointSummary, SearchEffort, SweepDone, SweepJob, SweepTask};
use fusescape::job::{Job, Worker};
use fusescape::state::Design;
use std::collections::BTreeSet;

/// The initial design of the page, with its references, for some workers.
fn job(workers: usize) -> SweepJob {
    let requests = Design::figure_12().request().unwrap();
    SweepJob::new(requests.iter().map(|request| &request.settings), workers)
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

fn given(task: Option<SweepTask>) -> (SweepTask, Vec<u32>) {
    let Some(task @ SweepTask::Points { .. }) = task else { panic!("no points, but {task:?}") };
    let SweepTask::Points { points, .. } = task.clone() else { unreachable!() };
    (task, points)
}

/// The first points of a task are done.
fn take(job: &mut SweepJob, task: SweepTask, points: &[u32]) {
    let costs = points.iter().map(|&point| Ok(summary(point))).collect();
    let effort = SearchEffort { searched: 1, reused: 0 };
    job.take(task, SweepDone::Points(EvaluatedPoints { costs, effort, ..EvaluatedPoints::default() }));
}

#[test]
fn every_point_is_given_once_whoever_asks_and_however_few_are_done() {
    for workers in [1, 2, 5, 8] {
        let mut job = job(workers);
        let all = job.points.len();
        let (mut seen, mut number) = (BTreeSet::new(), 0);
        while !job.is_done() {
            // Some workers ask more often than others, and none does more than three points per time slice.
            number = (number * 3 + 1) % workers;
            let (task, points) = given(job.next(Worker { number, of: workers }));
            let done = &points[..points.len().min(3)];
            assert!(done.iter().all(|&point| seen.insert(point)), "a point was given twice");
            take(&mut job, task, done);
        }
        assert_eq!((seen.len(), job.next(Worker::ALONE)), (all, None));
        let progress = job.progress();
        assert_eq!((progress.done, progress.all), (108, 108));
    }
}

#[test]
fn references_come_first_and_accounts_before_them() {
    let mut job = job(2);
    let (task, first) = given(job.next(Worker { number: 1, of: 2 }));
    let references = job.points.len() - job.swept;
    assert!(first[..references].iter().all(|&point| point as usize >= job.swept), "{first:?}");
    take(&mut job, task, &first);
    // The account of a point is given out only once its cost is known.
    job.want(0);
    assert_eq!(job.next_wanted(), None);
    job.want(first[0]);
    job.want(first[0]);
    assert_eq!(job.next(Worker::ALONE), Some(SweepTask::Account(first[0])));
    assert_eq!(job.next_wanted(), None);
}

#[test]
fn points_at_which_a_worker_fails_are_tried_again_alone_and_then_left_out() {
    let mut job = job(1);
    let (task, given) = given(job.next(Worker::ALONE));
    assert!(!job.failed(task, "it trapped"));
    for (index, &point) in given.iter().enumerate() {
        let alone = SweepTask::Points { lane: 0, points: vec![point] };
        assert_eq!(job.next(Worker::ALONE), Some(alone.clone()));
        if index == 1 {
            assert!(job.failed(alone, "it trapped again"));
        } else {
            take(&mut job, alone, &[point]);
        }
    }
    let failed = |state: &&PointState| matches!(state, PointState::Failed(why) if **why == *"it trapped again");
    assert_eq!(job.points.iter().filter(failed).count(), 1);
}
