//! A sweep of depth-first schedules on all cores, in one of two ways with the same result.
//!
//! For several points, each core plans, searches and adds up points of its own. For a single point, the cores share its
//! mapping problems.

use super::run::run;
pub use super::sweep_report::{SweepFindings, SweepReport, SweepRow, sentences};
use super::{CommandError, ProgressMonitor};
use fusescape_engine::depth_first::ProblemId;
use fusescape_engine::explore::{
    Combination, CostStore, IncrementalSweep, PointSearch, PointState, ReportedPoints, Request, Settings, SharedCosts,
    SolvedAlone, Sweep, SweepBench, SweepJob, best_combination, too_large_to_count,
};
use fusescape_engine::search::{Objective, Outcome};
use fusescape_engine::workload::Network;
use fusescape_spec::Diagnostics;
use fusescape_state::suggested_tiles;
use std::sync::Arc;

/// A sweep of two documents; if the settings state no tile sizes, with a few up to the size of the network's map.
///
/// # Errors
/// All errors in them.
pub fn sweep(hardware: String, workload: String, mut settings: Settings) -> Result<Sweep, Diagnostics> {
    if settings.tiles_x.is_empty() && settings.tiles_y.is_empty() {
        // Errors of the network are reported by the sweep.
        let tiles = Network::from_text(&workload).map_or_else(|_| (vec![1], vec![1]), |known| suggested_tiles(&known));
        (settings.tiles_x, settings.tiles_y) = tiles;
    }
    Sweep::new(&Request { hardware, workload, settings })
}

/// The cost of every point of a sweep, or the reasons why it cannot be scheduled.
///
/// # Errors
/// If it was stopped.
pub fn depth_first(sweep: &Sweep, monitor: &dyn ProgressMonitor) -> Result<SweepReport, CommandError> {
    let findings =
        if sweep.settings.strategies().len() > 1 { by_points(sweep, monitor)? } else { by_problems(sweep, monitor)? };
    Ok(SweepReport::new(sweep.clone(), findings))
}

/// Evaluates the points of a sweep, and those of references, on all cores, which tell each other `costs`.
///
/// # Errors
/// It was stopped.
pub fn evaluate(
    sweeps: &[Sweep],
    costs: &Arc<SharedCosts>,
    monitor: &dyn ProgressMonitor,
) -> Result<SweepJob, CommandError> {
    let mut job = SweepJob::new(sweeps.iter().map(|sweep| &sweep.settings), rayon::current_num_threads());
    run(&mut job, || SweepBench::for_report(sweeps.to_vec(), Arc::clone(costs)), monitor)?;
    Ok(job)
}

/// Each core plans, searches and adds up points of its own, and knows what the problems cost that others searched.
fn by_points(sweep: &Sweep, monitor: &dyn ProgressMonitor) -> Result<SweepFindings, CommandError> {
    let costs = Arc::default();
    let job = evaluate(std::slice::from_ref(sweep), &costs, monitor)?;
    // Other objectives add up over stacks.
    let combination = (sweep.settings.objective == Objective::EnergyDelayProduct)
        .then(|| best_combination(&sweep.settings, &job.strategies, &job.summaries()))
        .flatten();
    let account = |combination: Combination| {
        let mut costs = CostStore::sharing(Arc::clone(&costs));
        IncrementalSweep::new(sweep.clone()).combination(&mut costs, &combination.points)
    };
    let combined = combination.map(account).transpose()?;
    let SweepJob { points, reported: ReportedPoints { mut splits, problems }, .. } = job;
    let row = |(point, state): (usize, PointState)| match state {
        PointState::Done(summary) => {
            let (energy, latency) = splits.remove(&(point as u32))?;
            Some(SweepRow::Done { summary: Arc::unwrap_or_clone(summary), energy, latency })
        }
        PointState::Infeasible(reasons) => Some(SweepRow::Failed { point, reasons: Arc::unwrap_or_clone(reasons) }),
        PointState::Waiting | PointState::Failed(_) => None,
    };
    let rows = points.into_iter().enumerate().filter_map(row).collect();
    Ok(SweepFindings { rows, problems: problems.len(), account: None, combined })
}

/// Plans the point, then searches its problems on all cores.
fn by_problems(sweep: &Sweep, monitor: &dyn ProgressMonitor) -> Result<SweepFindings, CommandError> {
    let plan = sweep.plan();
    let known = SolvedAlone::default();
    let mut job = PointSearch::new(&plan);
    run(&mut job, || (sweep, &plan, &known), monitor)?;
    let mut solved = job.into_solved(sweep);
    let mut assembler = sweep.assembler(&plan);
    let mut account_of = |point: usize| {
        let planned = plan.points[point].as_ref().map_err(Clone::clone)?;
        let outcomes = solved.outcomes_of(point);
        assembler.assemble(planned, &|problem| outcomes.get(&problem)?.best.as_ref()).ok_or_else(|| {
            let unsolved =
                outcomes.iter().filter(|(_, outcome)| outcome.best.is_none()).min_by_key(|(problem, _)| **problem);
            let why =
                |(problem, outcome): (&ProblemId, &Outcome)| sweep.explain(&plan.problems.list[*problem], outcome);
            unsolved.map_or_else(too_large_to_count, why)
        })
    };
    let mut single = None;
    let row = |point: usize| match account_of(point) {
        Ok(account) => {
            let summary = sweep.summarize(point, &account);
            let (energy, latency) = (account.energy, account.latency);
            single = Some(account);
            SweepRow::Done { summary, energy, latency }
        }
        Err(reasons) => SweepRow::Failed { point, reasons },
    };
    let rows: Vec<SweepRow> = (0..plan.points.len()).map(row).collect();
    let account = single.filter(|_| rows.len() == 1);
    Ok(SweepFindings { rows, problems: plan.problems.list.len(), account, combined: None })
}
