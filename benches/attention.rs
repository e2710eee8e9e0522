//! Attention: whole models on FuseMax's accelerator, and the rows of the FuseMax artifact.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

#[path = "common/attention.rs"]
mod attention;
mod common;

use attention::{ROWS_GOAL, STEPS, replayed, scheduled};
use common::report::{Goal, Report};
use common::{on_threads, quickest};
use serde_json::json;

fn main() {
    let mut report = Report::new("attention");
    for case in &STEPS {
        let (ms, priced) = on_threads(Some(1), || quickest(|| scheduled(case)));
        report.figure(case.0, ms / 1e3, "s", Goal::at_most(case.3), json!({ "schedules_priced": priced }));
    }
    let (ms, rows) = on_threads(Some(1), || quickest(replayed));
    report.figure(
        "attention of the FuseMax artifact",
        ms / 1e3,
        "s",
        Goal::at_most(ROWS_GOAL),
        json!({ "rows": rows }),
    );
    report.write();
}
