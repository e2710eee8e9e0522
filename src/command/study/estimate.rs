//! How long a study takes, measured on some of its designs.

use super::{NoResult, rows};
use crate::{Unwatched, stamped};
use fusescape_engine::explore::study::{Axis, Study, StudyCosts};
use fusescape_results::columns;
use fusescape_spec::AxisValue;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Runs of neighbours that are measured at the most, all over the study, and the designs of each for every core.
const RUNS: u64 = 16;
const DESIGNS: u64 = 4;
/// No further run is measured once they took so long.
const LONGEST: Duration = Duration::from_secs(1);

/// How long a study takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// Designs that were measured.
    pub measured: u64,
    /// What all designs take at their rate. Solutions that later designs share make it less.
    pub all: Duration,
}

/// Measures some designs of a study on all cores.
///
/// # Errors
/// None now: nobody stops it.
// Commands are never WebAssembly.
#[allow(clippy::disallowed_methods)]
pub fn estimate(study: &Arc<Study>) -> Result<Estimate, NoResult> {
    let designs = study.designs();
    let most = DESIGNS * rayon::current_num_threads() as u64;
    // The study in equal parts, and a run in the middle of each: no design is measured twice.
    let parts = RUNS.min(designs.div_ceil(most));
    let begin = |part: u64| (u128::from(designs) * u128::from(part) / u128::from(parts.max(1))) as u64;
    let costs: Arc<StudyCosts> = Arc::default();
    let start = Instant::now();
    let mut measured = 0;
    for part in 0..parts {
        let (from, to) = (begin(part), begin(part + 1));
        let count = most.min(to - from);
        let first = from + (to - from - count) / 2;
        rows(study, (first..first + count).collect(), &costs, &Unwatched)?;
        measured += count;
        if start.elapsed() > LONGEST {
            break;
        }
    }
    let seconds = start.elapsed().as_secs_f64() * designs as f64 / measured.max(1) as f64;
    let all = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    Ok(Estimate { measured, all })
}

/// What a study is, and how long it takes where that was measured, for a program.
pub fn study_json(study: &Study, estimate: Option<Estimate>) -> Value {
    let axis = |axis: &Axis| {
        let values = axis.values.iter().map(|value| value.iter().map(AxisValue::text).collect::<Vec<_>>());
        json!({ "vary": axis.names, "values": values.collect::<Vec<_>>() })
    };
    let objectives: Vec<String> = study.objectives.iter().map(|objective| objective.column()).collect();
    let mut found = json!({
        "name": study.spec.name,
        "designs": study.designs(),
        "combinations": study.combinations(),
        "tasks": study.tasks(),
        "designs_per_task": study.task_designs(),
        "axes": study.axes.iter().map(axis).collect::<Vec<_>>(),
        "columns": columns(study).into_iter().map(|column| column.name).collect::<Vec<_>>(),
        "objectives": objectives,
        "constraints": study.spec.constraints,
    });
    if let Some(estimate) = estimate {
        found["seconds"] = json!(estimate.all.as_secs_f64());
        found["designs_measured"] = json!(estimate.measured);
    }
    stamped("study", found)
}
