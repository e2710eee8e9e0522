//! The best mapping of one layer for latency: a sample of the problems of the bench `layers`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

mod common;

use common::layers::{machines, search_all, summary, times};
use common::quantile;
use common::report::{Goal, Report};
use fusescape::search::{Objective, Proof, Strategy};
use serde_json::{Value, json};

/// Every tenth problem is searched, so that the bench takes about a minute.
const STEP: usize = 10;
const LAYER_MS: Goal = Goal::AtMost { must: 1000.0, stretch: 1000.0 };

fn main() {
    let mut report = Report::new("latency");
    let machines = machines();
    let all: usize = machines.iter().map(|machine| machine.problems.len()).sum();
    for (title, objective) in [("latency", Objective::Latency), ("EDP", Objective::EnergyDelayProduct)] {
        for (strategy_title, strategy) in [("LOMA of limit 6", Strategy::Loma), ("exact, no limit", Strategy::Exact)] {
            let searched = search_all(&machines, STEP, (&objective, strategy));
            let ms = times(&searched);
            let mut details = summary(&searched, 5);
            details["of_problems"] = json!(all);
            details["median_ms"] = json!(quantile(&ms, 0.5));
            let what = format!("{title}, {strategy_title}, the slowest layer");
            report.figure(&what, quantile(&ms, 1.0), "ms", LAYER_MS, details);
            if strategy == Strategy::Exact {
                let stated = searched.iter().filter(|searched| searched.outcome.proof != Proof::None).count();
                let share = 100.0 * stated as f64 / searched.len() as f64;
                let what = format!("{title}, exact: proved or with a stated gap");
                report.figure(&what, share, "%", Goal::AtLeast(100.0), Value::Null);
            }
        }
    }
    report.write();
}
