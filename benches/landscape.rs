//! The 108 points of FSRCNN (DeFiNES, Fig. 12): planned, searched and added up.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

mod common;

use common::report::{Goal, Report};
use common::sweeps::{incremental, request, run};
use common::{on_threads, quickest};
use fusescape::explore::Settings;
use fusescape::rules::Rules;
use fusescape::search::Strategy;

/// The goals are those of two workers in Chromium.
const POINTS_MS: Goal = Goal::AtMost { must: 300.0, stretch: 50.0 };
const THREADS: [(&str, Option<usize>); 2] = [("one thread", Some(1)), ("all cores", None)];

fn main() {
    let mut report = Report::new("landscape");
    let corrected = Settings::default();
    let published = Settings { rules: Rules::DEFINES_2022, ..Settings::default() };
    let loma = Settings { strategy: Strategy::Loma, ..published.clone() };
    for (title, workload, settings) in [
        ("corrected", "fsrcnn", &corrected),
        ("corrected, the network as published", "fsrcnn-defines", &corrected),
        ("as published", "fsrcnn-defines", &published),
        ("as published, LOMA of limit 6", "fsrcnn-defines", &loma),
    ] {
        for (threads_title, threads) in THREADS {
            let request = request("meta-proto-like-df", workload, settings.clone());
            let (ms, details) = on_threads(threads, || quickest(|| run(&request)));
            report.figure(&format!("108 points, {title}, {threads_title}"), ms, "ms", POINTS_MS, details);
        }
    }
    for (threads_title, threads) in THREADS {
        let request = request("meta-proto-like-df", "fsrcnn", corrected.clone());
        let (ms, details) = on_threads(threads, || quickest(|| incremental(&request)));
        report.figure(&format!("108 points, corrected, point by point, {threads_title}"), ms, "ms", POINTS_MS, details);
    }
    report.write();
}
