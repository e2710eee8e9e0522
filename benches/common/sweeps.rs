//! Sweeps: all points planned, their problems searched, and the points added up.

use fusescape::command::Unmonitored;
use fusescape::command::depth_first::depth_first;
use fusescape::depth_first::ProblemId;
use fusescape::explore::{CostStore, IncrementalSweep, Request, Settings, Sweep, coarse_to_fine};
use fusescape::search::{Proof, Solution};
use fusescape::spec::{find_preset, hardware_presets, workload_presets};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::time::Instant;

/// A request for two presets.
pub fn request(hardware: &str, workload: &str, settings: Settings) -> Request {
    Request {
        hardware: find_preset(hardware_presets(), hardware).unwrap().text.to_owned(),
        workload: find_preset(workload_presets(), workload).unwrap().text.to_owned(),
        settings,
    }
}

/// The landscape of FSRCNN at full resolution: all tile sizes that are multiples of 10, in three modes; 15,552 points.
pub fn full_resolution() -> Settings {
    let every_ten = |past: u64| (1..=past / 10).map(|step| step * 10).collect::<Vec<_>>();
    Settings { tiles_x: every_ten(960), tiles_y: every_ten(540), ..Settings::default() }
}

/// Plans all points on one thread, searches their problems on all threads, and adds up the points on one, like the
/// command line for a single point. Returns the details.
pub fn run(request: &Request) -> Value {
    let start = Instant::now();
    let sweep = Sweep::new(request).unwrap();
    let plan = sweep.plan();
    let planned = start.elapsed().as_secs_f64();
    let outcomes: Vec<_> = plan.problems.list.raw.par_iter().map(|problem| sweep.search(problem)).collect();
    let solved = start.elapsed().as_secs_f64();
    let solution = |problem: ProblemId| -> Option<&Solution> { outcomes[problem.index()].best.as_ref() };
    let mut assembler = sweep.assembler(&plan);
    let planned_points = plan.points.iter().filter_map(|point| point.as_ref().ok());
    let points = planned_points.filter(|point| assembler.assemble(point, &solution).is_some()).count();
    let total = start.elapsed().as_secs_f64();
    json!({
        "points": points,
        "problems": outcomes.len(),
        "proved": outcomes.iter().filter(|outcome| outcome.proof == Proof::Optimal).count(),
        "looked_at": outcomes.iter().map(|outcome| outcome.orders).sum::<u64>(),
        "plan_ms": planned * 1e3,
        "search_ms": (solved - planned) * 1e3,
        "assemble_ms": (total - solved) * 1e3,
    })
}

/// The command itself, with its report.
pub fn by_command(request: &Request) -> Value {
    let report = depth_first(&Sweep::new(request).unwrap(), &Unmonitored).unwrap();
    json!({ "points": report.strategies.len() })
}

/// A sweep in the way of the page: every point is planned, searched and added up at once, and each thread has points of
/// its own.
pub fn incremental(request: &Request) -> Value {
    let lanes = coarse_to_fine(&request.settings, rayon::current_num_threads());
    let done = lanes.into_par_iter().map(|points| {
        let (mut incremental, mut store) = (IncrementalSweep::new(Sweep::new(request).unwrap()), CostStore::default());
        let found = points.iter().filter(|&&point| incremental.point(&mut store, point as usize, &mut || true).is_ok());
        (found.count(), incremental.effort.searched)
    });
    let (points, searched) = done.reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    json!({ "points": points, "searched": searched })
}
