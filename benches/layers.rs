//! The best mapping of one layer by energy: every different problem of five networks on ten accelerators.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

mod common;

use common::layers::{Searched, machines, search_all, summary, times};
use common::report::{Goal, Report};
use common::sweeps::{request, run};
use common::{on_threads, quantile, quickest};
use fusescape::depth_first::FuseDepth;
use fusescape::explore::Settings;
use fusescape::search::{Objective, Proof, Strategy};
use serde_json::{Value, json};

/// Energies closer than this, relative to either, are equal.
const EQUAL: f64 = 1e-9;

fn main() {
    let mut report = Report::new("layers");
    let machines = machines();
    let exact = search_all(&machines, 1, (&Objective::Energy, Strategy::Exact));
    let ms = times(&exact);
    for (share, goal) in [
        (0.5, Goal::AtMost { must: 0.1, stretch: 0.02 }),
        (0.99, Goal::AtMost { must: 3.0, stretch: 0.5 }),
        (1.0, Goal::at_most(20.0)),
    ] {
        let what = format!("one layer problem, {} % take less", share * 100.0);
        report.figure(&what, quantile(&ms, share), "ms", goal, Value::Null);
    }
    let proved = exact.iter().filter(|searched| searched.outcome.proof == Proof::Optimal).count();
    let share = 100.0 * proved as f64 / exact.len() as f64;
    report.figure("proved optimal, the fastest of the cheapest", share, "%", Goal::AtLeast(100.0), summary(&exact, 10));
    compare(&mut report, &exact, &search_all(&machines, 1, (&Objective::Energy, Strategy::Loma)));

    let settings = Settings { fuse: vec![FuseDepth::LayerByLayer], ..Settings::default() };
    let asked = request("meta-proto-like-df", "resnet18", settings);
    let (ms, details) = on_threads(Some(1), || quickest(|| run(&asked)));
    let goal = Goal::AtMost { must: 60.0, stretch: 10.0 };
    report.figure("ResNet18 layer by layer on meta-proto-like-df, one thread", ms, "ms", goal, details);
    report.write();
}

/// The same problems by LOMA, with limit 6.
fn compare(report: &mut Report, exact: &[Searched<'_>], loma: &[Searched<'_>]) {
    let pairs = exact.iter().zip(loma).filter_map(|(exact, loma)| {
        let gain = loma.outcome.best.as_ref()?.energy_pj / exact.outcome.best.as_ref()?.energy_pj - 1.0;
        Some((100.0 * gain, exact))
    });
    let pairs: Vec<_> = pairs.collect();
    let above = pairs.iter().filter(|(gain, _)| *gain < -100.0 * EQUAL).count();
    let gains: Vec<f64> = pairs.iter().map(|(gain, _)| *gain).collect();
    let most = pairs
        .iter()
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(gain, searched)| format!("{}: {}: {gain:.1} %", searched.machine.name, searched.posed.layer));
    report.figure(
        "problems in which LOMA of limit 6 takes less energy",
        above as f64,
        "",
        Goal::at_most(0.0),
        Value::Null,
    );
    let details = json!({
        "compared": pairs.len(),
        "only_exact_finds_one": exact.iter().filter(|searched| searched.outcome.best.is_some()).count() - pairs.len(),
        "largest_percent": quantile(&gains, 1.0),
        "largest": most,
        "loma_median_ms": quantile(&times(loma), 0.5),
        "loma_worst_ms": quantile(&times(loma), 1.0),
    });
    report.figure(
        "energy that LOMA of limit 6 takes above the least, median",
        quantile(&gains, 0.5),
        "%",
        Goal::None,
        details,
    );
}
