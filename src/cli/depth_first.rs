//! `fusescape depth-first`: a sweep on all cores.

use super::arguments::{DepthFirst, Format};
use super::documents::load;
use super::report::{Report, Row};
use super::{Failure, print};
use fusescape::depth_first::StoringMode;
use fusescape::explore::{Request, Settings, Sweep, SweepPlan, explain_outcome};
use fusescape::search::{Outcome, Solution};
use fusescape::spec::{hardware_presets, workload_presets};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

/// Runs the sweep and prints it.
pub fn run(options: &DepthFirst) -> Result<(), Failure> {
    let request = match (load(&options.hardware, hardware_presets()), load(&options.workload, workload_presets())) {
        (Ok(hardware), Ok(workload)) => Request { hardware, workload, settings: settings(options) },
        (Err(hardware), Err(workload)) => return Err(format!("{hardware}\n{workload}").into()),
        (Err(failure), _) | (_, Err(failure)) => return Err(failure),
    };
    let sweep = Sweep::new(&request)?;
    let plan = sweep.plan();
    for note in &plan.notes.0 {
        eprintln!("note: {note}");
    }
    let outcomes = solve(&sweep, &plan);
    let report = report(&sweep, &plan, &outcomes);
    print(&match options.format {
        Format::Table => report.table(),
        Format::Json => report.json()?,
        Format::Csv => report.csv(),
    })?;
    report.failure_if_empty()
}

fn settings(options: &DepthFirst) -> Settings {
    let all = Settings::default();
    let (tiles_x, tiles_y) = match (&options.tile, &options.grid) {
        (Some((x, y)), _) => (vec![*x], vec![*y]),
        (None, Some(grid)) => (grid.x.clone(), grid.y.clone()),
        (None, None) => (all.tiles_x, all.tiles_y),
    };
    Settings {
        tiles_x,
        tiles_y,
        modes: if options.mode.is_empty() { StoringMode::ALL.to_vec() } else { options.mode.clone() },
        fuse: vec![options.stacks.clone()],
        objective: options.objective.clone(),
        strategy: options.strategy.strategy(),
        lpf_limit: options.lpf_limit,
        rules: options.rules.rules(),
    }
}

/// Solves every problem, with a progress bar where there is a terminal.
fn solve(sweep: &Sweep, plan: &SweepPlan) -> Vec<Outcome> {
    let count = plan.problems.list.len();
    let bar = ProgressBar::new(count as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos} of {len} mapping problems, {eta} left") {
        bar.set_style(style);
    }
    let outcomes = (0..count)
        .into_par_iter()
        .map(|problem| {
            let outcome = sweep.solve(plan, problem);
            bar.inc(1);
            outcome
        })
        .collect();
    bar.finish_and_clear();
    outcomes
}

fn report<'a>(sweep: &'a Sweep, plan: &'a SweepPlan, outcomes: &[Outcome]) -> Report<'a> {
    let solution = |problem: usize| -> Option<&Solution> { outcomes[problem].best.as_ref() };
    let mut assembler = sweep.assembler(plan);
    let rows = (0..plan.points.len())
        .map(|point| {
            let planned = match &plan.points[point] {
                Ok(planned) => planned,
                Err(wrong) => return Row::Failed { point, reasons: wrong.0.iter().map(ToString::to_string).collect() },
            };
            match assembler.assemble(planned, &solution) {
                Some(account) => Row::Done { summary: sweep.summarize(point, &account), account: Box::new(account) },
                None => {
                    let unsolved = plan.problems_of(point).into_iter().filter(|&problem| solution(problem).is_none());
                    let mut reasons: Vec<String> =
                        unsolved.map(|problem| explain_outcome(&outcomes[problem])).collect();
                    reasons.dedup();
                    if reasons.is_empty() {
                        reasons.push("Its latency is too large to count".to_owned());
                    }
                    Row::Failed { point, reasons }
                }
            }
        })
        .collect();
    Report::new(sweep, plan, rows)
}
