//! `fusescape report`: one design as Markdown.

use super::arguments::StateOptions;
use super::progress::TerminalBar;
use super::state::chosen;
use super::{Failure, print};
use fusescape_command::depth_first::evaluate;
use fusescape_engine::depth_first::FuseDepth;
use fusescape_engine::explore::{PointState, SharedCosts, Sweep, SweepBench, best_strategy};
use fusescape_engine::job::finish;
use fusescape_report::{DesignFindings, report};
use fusescape_spec::Diagnostics;
use std::sync::Arc;

/// Sweeps like the page, and prints the report of the opened point, else of the best.
pub fn run(options: &StateOptions, site: &str) -> Result<(), Failure> {
    let state = chosen(options)?;
    let sweeps: Result<Vec<Sweep>, Diagnostics> = state.design.request()?.iter().map(Sweep::new).collect();
    let sweeps = sweeps?;
    let costs: Arc<SharedCosts> = Arc::default();
    let mut job = evaluate(&sweeps, &costs, &TerminalBar::default())?;
    let possible = job.summaries();
    let settings = sweeps.first().map(|sweep| &sweep.settings);
    let best = settings.and_then(|settings| best_strategy(settings, &job.strategies, &possible)).map(|best| best.point);
    let opened = state.view.point.as_ref().and_then(|point| job.strategies.iter().position(|other| other == point));
    let impossible = job.points.iter().position(|state| matches!(state, PointState::Infeasible(_)));
    let Some(point) = opened.or(best).or(impossible) else { return Err("There is nothing to sweep.".into()) };
    let summary = match &job.points[point] {
        PointState::Done(summary) => Arc::clone(summary),
        PointState::Infeasible(reasons) => return Err(reasons.to_string().into()),
        PointState::Waiting | PointState::Failed(_) => return Err("The point was not evaluated.".into()),
    };
    let number = point as u32;
    job.want(number);
    finish(&mut job, &mut SweepBench::for_report(sweeps.clone(), costs))?;
    let reference = |fuse: &FuseDepth| {
        let index = (job.swept..job.points.len()).find(|&index| job.strategies[index].fuse == *fuse)?;
        match &job.points[index] {
            PointState::Done(summary) => Some(&**summary),
            _ => None,
        }
    };
    let found = DesignFindings {
        account: &job.accounts[&number],
        summary: &summary,
        is_best: best == Some(point),
        points: (job.swept, possible.len()),
        references: [reference(&FuseDepth::SingleLayer), reference(&FuseDepth::LayerByLayer)],
        notes: &sweeps.first().map(Sweep::notes).unwrap_or_default(),
    };
    print(&report(&state, &found, site))
}
