//! A sweep of depth-first schedules on all cores, in one of two ways that find the same.
//!
//! Each core has points of its own, which it plans, searches and adds up one by one. Of a single point the cores share the mapping
//! problems.

pub use super::sweep_report::{Findings, Row, SweepReport, sentences};
use super::{NoResult, Watch, unless_stopped};
use fusescape_engine::depth_first::{NotPlanned, ProblemId};
use fusescape_engine::explore::{
    CostStore, Request, Settings, SharedCosts, SolvedAlone, Survey, Sweep, coarse_to_fine, too_large_to_count,
};
use fusescape_engine::ids::TiVec;
use fusescape_engine::mapping::LayerProblem;
use fusescape_engine::search::Outcome;
use fusescape_engine::workload::Network;
use fusescape_spec::Diagnostics;
use fusescape_state::suggested_tiles;
use rayon::prelude::*;
use std::collections::HashSet;
use std::sync::Arc;

/// A sweep of two documents; with a few tile sizes up to the network's map where the settings name none.
///
/// # Errors
/// All that is wrong with them.
pub fn sweep(hardware: String, workload: String, mut settings: Settings) -> Result<Sweep, Diagnostics> {
    if settings.tiles_x.is_empty() && settings.tiles_y.is_empty() {
        // What is wrong with the network the sweep says.
        let tiles = Network::from_text(&workload).map_or_else(|_| (vec![1], vec![1]), |known| suggested_tiles(&known));
        (settings.tiles_x, settings.tiles_y) = tiles;
    }
    Sweep::new(&Request { hardware, workload, settings })
}

/// What every point of a sweep costs. Points that cannot be scheduled say why.
///
/// # Errors
/// It was stopped.
pub fn depth_first(sweep: &Sweep, watch: &dyn Watch) -> Result<SweepReport, NoResult> {
    let points = sweep.settings.strategies().len();
    let findings = if points > 1 { by_points(sweep, points, watch) } else { by_problems(sweep, watch)? };
    unless_stopped(watch, ())?;
    Ok(SweepReport::new(sweep.clone(), findings))
}

/// Each core plans, searches and adds up points of its own, and knows what the problems cost that others searched. Where it is stopped,
/// points are missing.
fn by_points(sweep: &Sweep, points: usize, watch: &dyn Watch) -> Findings {
    watch.begin(points, "points");
    let costs: Arc<SharedCosts> = Arc::default();
    let lanes: Vec<(Vec<Row>, Vec<LayerProblem>)> = coarse_to_fine(&sweep.settings, rayon::current_num_threads())
        .into_par_iter()
        .map(|lane| {
            let (mut survey, mut store) = (Survey::new(sweep.clone()), CostStore::sharing(Arc::clone(&costs)));
            let mut rows = Vec::new();
            for point in lane.into_iter().map(|point| point as usize) {
                let totals = survey.totals(&mut store, point, &mut || watch.goes_on());
                rows.push(match totals {
                    Ok(totals) => {
                        let summary = survey.summarize(point, &totals);
                        Row::Done { summary, energy: totals.energy, latency: totals.latency }
                    }
                    Err(NotPlanned::Impossible(reasons)) => Row::Failed { point, reasons },
                    Err(NotPlanned::Later) => break,
                });
                watch.advance(1);
            }
            (rows, survey.into_problems())
        })
        .collect();
    watch.end();
    // Neighbouring tile widths have some problems in common.
    let problems = lanes.iter().flat_map(|(_, problems)| problems).collect::<HashSet<_>>().len();
    let mut rows: Vec<Row> = lanes.into_iter().flat_map(|(rows, _)| rows).collect();
    rows.sort_unstable_by_key(Row::point);
    Findings { rows, problems, account: None }
}

/// The point is planned, then its problems searched on all cores.
fn by_problems(sweep: &Sweep, watch: &dyn Watch) -> Result<Findings, NoResult> {
    let plan = sweep.plan();
    watch.begin(plan.problems.list.len(), "mapping problems");
    let problems: Vec<ProblemId> = plan.problems.list.keys().collect();
    let known = SolvedAlone::default();
    let outcomes: Option<Vec<Outcome>> = problems
        .into_par_iter()
        .map(|problem| {
            let outcome = watch.goes_on().then(|| sweep.solve(&plan, problem, &known));
            watch.advance(1);
            outcome
        })
        .collect();
    let outcomes: TiVec<ProblemId, Outcome> = outcomes.ok_or(NoResult::Stopped)?.into();
    watch.end();
    let mut assembler = sweep.assembler(&plan);
    let mut account_of = |point: usize| {
        let planned = plan.points[point].as_ref().map_err(Clone::clone)?;
        assembler.assemble(planned, &|problem| outcomes[problem].best.as_ref()).ok_or_else(|| {
            let unsolved = plan.problems_of(point).into_iter().find(|&problem| outcomes[problem].best.is_none());
            let why = |problem: ProblemId| sweep.explain(&plan.problems.list[problem], &outcomes[problem]);
            unsolved.map_or_else(too_large_to_count, why)
        })
    };
    let mut single = None;
    let row = |point: usize| match account_of(point) {
        Ok(account) => {
            let summary = sweep.summarize(point, &account);
            let (energy, latency) = (account.energy, account.latency);
            single = Some(account);
            Row::Done { summary, energy, latency }
        }
        Err(reasons) => Row::Failed { point, reasons },
    };
    let rows: Vec<Row> = (0..plan.points.len()).map(row).collect();
    Ok(Findings { account: single.filter(|_| rows.len() == 1), rows, problems: plan.problems.list.len() })
}
