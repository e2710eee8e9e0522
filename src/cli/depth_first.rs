//! `fusescape depth-first`: a sweep on all cores, in one of two ways that find the same.
//!
//! Each core has points of its own, which it plans, searches and adds up one by one. Of a single point the cores share the mapping
//! problems.

use super::arguments::{DepthFirst, Format, Stacks, StrategyOptions, SweepOptions};
use super::documents::load;
use super::report::{Findings, Report, Row};
use super::{Failure, optimal, print};
use fusescape::depth_first::{FuseDepth, ProblemId, StoringMode};
use fusescape::explore::{
    CostStore, Request, Settings, StackLimits, Survey, Sweep, coarse_to_fine, too_large_to_count,
};
use fusescape::ids::TiVec;
use fusescape::mapping::LayerProblem;
use fusescape::search::Outcome;
use fusescape::spec::{Diagnostics, hardware_presets, workload_presets};
use fusescape::state::suggested_tiles;
use fusescape::workload::Network;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use std::collections::HashSet;

/// Runs the sweep and prints it.
pub fn run(DepthFirst { sweep: options, stacks }: &DepthFirst) -> Result<(), Failure> {
    let limits = options.tried.limits();
    let fuse = match stacks {
        Stacks::Optimal => {
            return optimal::run(validated(options, FuseDepth::Automatic)?, limits, options.tried.format);
        }
        Stacks::By(_) if limits != StackLimits::default() => {
            return Err("--most-layers and --most-tiles limit a search: add --stacks optimal.".into());
        }
        Stacks::By(fuse) => fuse.clone(),
    };
    let sweep = validated(options, fuse)?;
    let strategies = sweep.settings.strategies();
    let findings = if strategies.len() > 1 { by_points(&sweep, strategies.len()) } else { by_problems(&sweep) };
    let report = Report::new(&sweep, &strategies, findings);
    print(&match options.tried.format {
        Format::Table => report.table(),
        Format::Json => report.json()?,
        Format::Csv => report.csv(),
    })?;
    report.failure_if_empty()
}

/// A sweep of what the options name; notes on it go to standard error.
pub fn validated(options: &SweepOptions, fuse: FuseDepth) -> Result<Sweep, Failure> {
    let sweep = match (load(&options.hardware, hardware_presets()), load(&options.workload, workload_presets())) {
        (Ok(hardware), Ok(workload)) => sweep(hardware, workload, &options.tried, fuse)?,
        (Err(hardware), Err(workload)) => return Err(format!("{hardware}\n{workload}").into()),
        (Err(failure), _) | (_, Err(failure)) => return Err(failure),
    };
    for note in &sweep.notes().0 {
        super::tell(&format!("note: {note}"));
    }
    Ok(sweep)
}

/// A sweep of two documents.
///
/// # Errors
/// All that is wrong with them.
pub fn sweep(
    hardware: String,
    workload: String,
    tried: &StrategyOptions,
    fuse: FuseDepth,
) -> Result<Sweep, Diagnostics> {
    // What is wrong with the network the sweep says.
    let tiles = Network::from_text(&workload).map_or_else(|_| (vec![1], vec![1]), |known| suggested_tiles(&known));
    Sweep::new(&Request { hardware, workload, settings: settings(tried, fuse, tiles) })
}

/// The settings that the options ask for, with `suggested` tile sizes where they name none.
fn settings(options: &StrategyOptions, fuse: FuseDepth, suggested: (Vec<u64>, Vec<u64>)) -> Settings {
    let (tiles_x, tiles_y) = match (&options.tile, &options.grid) {
        (Some((x, y)), _) => (vec![*x], vec![*y]),
        (None, Some(grid)) => (grid.x.clone(), grid.y.clone()),
        (None, None) => suggested,
    };
    Settings {
        tiles_x,
        tiles_y,
        modes: if options.mode.is_empty() { StoringMode::ALL.to_vec() } else { options.mode.clone() },
        fuse: vec![fuse],
        objective: options.objective.clone(),
        strategy: options.strategy.strategy(),
        lpf_limit: options.lpf_limit,
        rules: options.rules.rules(),
    }
}

/// Each core plans, searches and adds up points of its own.
fn by_points(sweep: &Sweep, points: usize) -> Findings {
    let bar = progress(points, "points");
    let lanes: Vec<(Vec<Row>, Vec<LayerProblem>)> = coarse_to_fine(&sweep.settings, rayon::current_num_threads())
        .into_par_iter()
        .map(|lane| {
            let (mut survey, mut store) = (Survey::new(sweep.clone()), CostStore::default());
            let row = |point: u32| {
                let point = point as usize;
                let totals = survey.totals(&mut store, point, &mut || true);
                bar.inc(1);
                match totals {
                    Ok(totals) => {
                        let summary = survey.summarize(point, &totals);
                        Row::Done { summary, energy: totals.energy, latency: totals.latency }
                    }
                    Err(why) => Row::Failed { point, reasons: why.reasons() },
                }
            };
            let rows = lane.into_iter().map(row).collect();
            (rows, survey.into_problems())
        })
        .collect();
    bar.finish_and_clear();
    // Neighbouring tile widths have some problems in common.
    let problems = lanes.iter().flat_map(|(_, problems)| problems).collect::<HashSet<_>>().len();
    let mut rows: Vec<Row> = lanes.into_iter().flat_map(|(rows, _)| rows).collect();
    rows.sort_unstable_by_key(Row::point);
    Findings { rows, problems, account: None }
}

/// The point is planned, then its problems searched on all cores.
fn by_problems(sweep: &Sweep) -> Findings {
    let plan = sweep.plan();
    let bar = progress(plan.problems.list.len(), "mapping problems");
    let problems: Vec<ProblemId> = plan.problems.list.keys().collect();
    let outcomes: Vec<Outcome> = problems
        .into_par_iter()
        .map(|problem| {
            let outcome = sweep.solve(&plan, problem);
            bar.inc(1);
            outcome
        })
        .collect();
    let outcomes: TiVec<ProblemId, Outcome> = outcomes.into();
    bar.finish_and_clear();
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
    Findings { account: single.filter(|_| rows.len() == 1), rows, problems: plan.problems.list.len() }
}

/// A progress bar, where there is a terminal.
fn progress(count: usize, what: &str) -> ProgressBar {
    let bar = ProgressBar::new(count as u64);
    if let Ok(style) = ProgressStyle::with_template(&format!("{{bar:40}} {{pos}} of {{len}} {what}, {{eta}} left")) {
        bar.set_style(style);
    }
    bar
}
