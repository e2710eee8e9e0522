//! The landscape of FSRCNN at full resolution, on all cores: as the command line computes it, and as the page does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

mod common;

use common::quickest;
use common::report::{Goal, Report};
use common::sweeps::{by_command, full_resolution, incremental, request};

/// The goal is that of two workers in Chromium.
const FULL_MS: Goal = Goal::AtMost { must: 20_000.0, stretch: 5_000.0 };

fn main() {
    let mut report = Report::new("resolution");
    let request = request("meta-proto-like-df", "fsrcnn", full_resolution());
    let (ms, details) = quickest(|| incremental(&request));
    report.figure("15,552 points, point by point", ms, "ms", FULL_MS, details);
    let (ms, details) = quickest(|| by_command(&request));
    report.figure("15,552 points, as the command line", ms, "ms", FULL_MS, details);
    report.write();
}
