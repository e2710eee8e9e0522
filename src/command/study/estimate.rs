//! Estimate of a study's time, from measuring some of its designs.

use super::{CommandError, rows};
use crate::{Report, Unmonitored};
use fusescape_engine::explore::study::{DesignSpace, StudyAxis, StudyCosts};
use fusescape_results::columns;
use serde::Serialize;
use serde_json::{Error, Value};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Limit on the measured runs of neighbouring designs, spread over the study, and designs per run for every core.
const RUNS: u64 = 16;
const DESIGNS: u64 = 4;
/// Time after which no further run is measured.
const LONGEST: Duration = Duration::from_secs(1);

/// An estimate of a study's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StudyEstimate {
    /// Number of measured designs.
    pub measured: u64,
    /// Time of all designs at the measured rate; an upper estimate, as later designs share solutions.
    pub all: Duration,
}

/// Measures some designs of a study on all cores.
///
/// # Errors
/// Never, as nothing stops it.
// This is the browser's clock in WebAssembly.
#[allow(clippy::disallowed_methods)]
pub fn estimate(study: &Arc<DesignSpace>) -> Result<StudyEstimate, CommandError> {
    let designs = study.designs();
    let most = DESIGNS * rayon::current_num_threads() as u64;
    // The study is divided into equal parts, with a run in the middle of each: no design is measured twice.
    let parts = RUNS.min(designs.div_ceil(most));
    let begin = |part: u64| (u128::from(designs) * u128::from(part) / u128::from(parts.max(1))) as u64;
    let costs: Arc<StudyCosts> = Arc::default();
    let start = Instant::now();
    let mut measured = 0;
    for part in 0..parts {
        let (from, to) = (begin(part), begin(part + 1));
        let count = most.min(to - from);
        let first = from + (to - from - count) / 2;
        rows(study, (first..first + count).collect(), &costs, &Unmonitored)?;
        measured += count;
        if start.elapsed() > LONGEST {
            break;
        }
    }
    let seconds = start.elapsed().as_secs_f64() * designs as f64 / measured.max(1) as f64;
    let all = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    Ok(StudyEstimate { measured, all })
}

/// A summary of a study as JSON, with its time if that was measured.
///
/// # Errors
/// If a number is not finite.
pub fn study_json(study: &DesignSpace, estimate: Option<StudyEstimate>) -> Result<Value, Error> {
    let axis = |axis: &StudyAxis| VariedPaths {
        vary: axis.names.clone(),
        values: axis.values.iter().map(|value| value.iter().map(|one| one.text().to_owned()).collect()).collect(),
    };
    let found = StudyFound {
        name: &study.spec.name,
        designs: study.designs(),
        combinations: study.combinations(),
        tasks: study.tasks(),
        designs_per_task: study.task_designs(),
        seconds: estimate.map(|estimate| estimate.all.as_secs_f64()),
        designs_measured: estimate.map(|estimate| estimate.measured),
        axes: study.axes.iter().map(axis).collect(),
        columns: columns(study).into_iter().map(|column| column.name).collect(),
        objectives: study.objectives.iter().map(|objective| objective.column()).collect(),
        constraints: &study.spec.constraints,
    };
    found.json()
}

/// What `fusescape study show --json` prints: how many designs a study has, how long they take, and what varies. The
/// study document itself is described in docs/studies.md.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct StudyFound<'a> {
    /// As in its document.
    name: &'a str,
    /// Designs that the study looks at; where it refines a front, at the most.
    designs: u64,
    /// Combinations of values in all.
    combinations: u64,
    /// Number of tasks; null where the study refines a front, as it then depends on what is found.
    tasks: Option<u64>,
    /// Designs of a task, at the most.
    designs_per_task: u64,
    /// What all designs take on this machine at the rate of those that were measured, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(!skip_serializing_if, required))]
    seconds: Option<f64>,
    /// Designs that were measured for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(!skip_serializing_if, required))]
    designs_measured: Option<u64>,
    /// What varies; the last axis varies fastest.
    axes: Vec<VariedPaths>,
    /// Names of the columns of its results.
    columns: Vec<String>,
    /// Columns that the front is about.
    objectives: Vec<String>,
    /// Bounds that designs keep to, as written.
    constraints: &'a [String],
}

impl Report for StudyFound<'_> {
    const KIND: &'static str = "study";
}

/// Paths that move together.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct VariedPaths {
    /// Fields of the documents that vary together, with dots between keys.
    vary: Vec<String>,
    /// The values, each with one for every path, as written.
    values: Vec<Vec<String>>,
}
