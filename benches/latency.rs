//! The best mapping of one layer by every objective: a sample of all mapping problems of landscapes on nine accelerators.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

mod common;

use common::layers::{Machine, landscapes, search_all, summary, times};
use common::quantile;
use common::report::{Goal, Report};
use fusescape::search::{Objective, Proof, Strategy, Weights};
use serde_json::Value;

/// Every so many problems one is searched: some 2,000 of 106,000.
const STEP: usize = 55;

/// Goals of an objective in which latency counts: milliseconds of the median, of 99 % and of all, and the mean.
const GOALS: [f64; 4] = [0.25, 8.0, 50.0, 0.6];

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
    report.write();
}

fn measure(report: &mut Report, machines: &[Machine], title: &str, objective: &Objective) {
    let searched = search_all(machines, STEP, (objective, Strategy::Exact));
    let ms = times(&searched);
    let mean = ms.iter().sum::<f64>() / ms.len() as f64;
    let figures =
        [("median", quantile(&ms, 0.5)), ("99 %", quantile(&ms, 0.99)), ("worst", quantile(&ms, 1.0)), ("mean", mean)];
    for ((share, value), goal) in figures.into_iter().zip(GOALS) {
        report.figure(&format!("one problem by {title}, {share}"), value, "ms", Goal::at_most(goal), Value::Null);
    }
    let proved = |proof: Proof| matches!(proof, Proof::Optimal | Proof::OptimalButForTies);
    let open = searched.iter().filter(|searched| searched.outcome.best.is_some() && !proved(searched.outcome.proof));
    let what = format!("problems by {title} that are not proved, of {}", searched.len());
    report.figure(&what, open.count() as f64, "", Goal::at_most(0.0), summary(&searched, 10));
}
