//! The best mapping of one layer by every objective, and the front: a sample of all mapping problems of landscapes on nine accelerators.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

mod common;

use common::layers::{Machine, every, landscapes, search_all, summary, times};
use common::report::{Goal, Report};
use common::{quantile, quickest};
use fusescape::cost::Evaluator;
use fusescape::mapping::LayerOnCore;
use fusescape::rules::Rules;
use fusescape::search::{FrontPart, Limits, Objective, Proof, Strategy, Weights, find_front};
use serde_json::Value;

/// Every so many problems one is searched: some 2,000 of 106,000.
const STEP: usize = 55;

/// Goals of an objective in which latency counts: milliseconds of the median, of 99 % and of all, and the mean.
const GOALS: [f64; 4] = [0.25, 8.0, 50.0, 0.6];

/// Those of whole fronts.
const FRONT_GOALS: [f64; 4] = [0.4, 25.0, 200.0, 2.0];

fn main() {
    let mut report = Report::new("latency");
    let machines = landscapes();
    let weighted = Objective::Weighted(Weights { energy: 1.0, latency: 100.0, dram_accesses: 0.0 });
    for (title, objective) in [
        ("energy", Objective::Energy),
        ("latency", Objective::Latency),
        ("EDP", Objective::EnergyDelayProduct),
        ("energy + 100 latency", weighted),
    ] {
        measure(&mut report, &machines, title, &objective);
    }
    fronts(&mut report, &machines);
    report.write();
}

/// The whole front of energy and latency of each problem.
fn fronts(report: &mut Report, machines: &[Machine]) {
    let (mut ms, mut open) = (Vec::new(), 0_u32);
    for (machine, posed) in every(machines, STEP) {
        let layer = LayerOnCore::new(&machine.core, Rules::CORRECTED, &posed.problem);
        let search = || find_front(&Evaluator::new(&layer), FrontPart::Whole, &Limits::default(), &|| true);
        let (time, front) = quickest(search);
        if !front.mappings.is_empty() {
            ms.push(time);
            open += u32::from(front.proof != Proof::Optimal);
        }
    }
    times_beside_goals(report, "the front of one problem", &ms, FRONT_GOALS);
    let what = format!("fronts that are not proved, of {}", ms.len());
    report.figure(&what, f64::from(open), "", Goal::at_most(0.0), Value::Null);
}

/// The median, 99 %, all and the mean of times, beside goals.
fn times_beside_goals(report: &mut Report, title: &str, ms: &[f64], goals: [f64; 4]) {
    let mean = ms.iter().sum::<f64>() / ms.len() as f64;
    let figures =
        [("median", quantile(ms, 0.5)), ("99 %", quantile(ms, 0.99)), ("worst", quantile(ms, 1.0)), ("mean", mean)];
    for ((share, value), goal) in figures.into_iter().zip(goals) {
        report.figure(&format!("{title}, {share}"), value, "ms", Goal::at_most(goal), Value::Null);
    }
}

fn measure(report: &mut Report, machines: &[Machine], title: &str, objective: &Objective) {
    let searched = search_all(machines, STEP, (objective, Strategy::Exact));
    times_beside_goals(report, &format!("one problem by {title}"), &times(&searched), GOALS);
    let proved = |proof: Proof| matches!(proof, Proof::Optimal | Proof::OptimalButForTies);
    let open = searched.iter().filter(|searched| searched.outcome.best.is_some() && !proved(searched.outcome.proof));
    let what = format!("problems by {title} that are not proved, of {}", searched.len());
    report.figure(&what, open.count() as f64, "", Goal::at_most(0.0), summary(&searched, 10));
}
