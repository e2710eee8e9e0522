//! `fusescape study`: design-space exploration by one document.

use super::arguments::{Format, StudyCommand};
use super::progress::TerminalBar;
use super::{Failure, json_text, print, tell};
use fusescape_chart::seconds_text;
use fusescape_command::files::{read_text, shown};
use fusescape_command::study::{self, StudyFailure};
use fusescape_command::study_front::{StudyFront, UNCHECKED};
use fusescape_engine::explore::study::{DesignSpace, StudyAxis};
use fusescape_results::{CellValue, ColumnKind};
use fusescape_spec::{MAX_BYTES, SamplingSpec};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// Runs a study command.
pub fn run(command: &StudyCommand) -> Result<(), Failure> {
    match command {
        StudyCommand::Show { study, json: true } => {
            let loaded = load_study(study)?;
            let estimate = study::estimate(&loaded).map_err(StudyFailure::from)?;
            print(&json_text(&study::study_json(&loaded, Some(estimate))?)?)
        }
        StudyCommand::Show { study, json: false } => show(study),
        StudyCommand::Run { study, out, shard } => {
            let loaded = load_study(study)?;
            study::check_folder(out)?;
            // A resumed run printed the number of designs when it first started.
            if !study::has_begun(out) {
                tell(&counted(&loaded)?);
            }
            let report = study::run(&loaded, *shard, out, &Arc::default(), &TerminalBar::default())?;
            if report.is_unchecked {
                tell(&format!("note: {UNCHECKED}"));
            }
            let designs: Vec<String> =
                report.designs.iter().map(|(status, count)| format!("{count} {status}")).collect();
            print(&format!("{}: {}; {} mapping problems\n", shown(out), designs.join(", "), report.problems))
        }
        StudyCommand::Front { results, format } => {
            let found = study::front_of_file(results)?;
            for note in found.notes() {
                tell(&format!("note: {note}"));
            }
            print(&match format {
                Format::Table => table(&found)?,
                Format::Json => json_text(&found.json()?)?,
                Format::Csv => found.csv(),
            })
        }
        StudyCommand::Merge { results, out } => {
            let report = study::merge(results, out)?;
            if !report.is_checked {
                tell(&format!("note: {UNCHECKED}"));
            }
            print(&format!("{}: {} designs\n", shown(out), report.designs))
        }
    }
}

fn load_study(path: &Path) -> Result<Arc<DesignSpace>, Failure> {
    let text = read_text(path, MAX_BYTES)?;
    Ok(Arc::new(study::read(text, path.parent().unwrap_or(Path::new("")), &[])?))
}

/// The number of designs, and their estimated time.
fn counted(study: &Arc<DesignSpace>) -> Result<String, Failure> {
    let designs = study.designs();
    let estimate = study::estimate(study).map_err(StudyFailure::from)?;
    let at_most = if matches!(study.spec.sampling, SamplingSpec::Refine(_)) { "at most " } else { "" };
    Ok(format!(
        "{}: {at_most}{designs} designs, about {} on this machine ({} measured)",
        study.spec.name,
        seconds_text(1e3 * estimate.all.as_secs_f64()),
        estimate.measured
    ))
}

fn show(path: &Path) -> Result<(), Failure> {
    let study = load_study(path)?;
    let mut out = format!("{}\n", counted(&study)?);
    let line = |axis: &StudyAxis| {
        let first = axis.values.first().map(|value| value[0].text()).unwrap_or_default();
        let last = axis.values.last().map(|value| value[0].text()).unwrap_or_default();
        format!("  {:>6}  {}: {first} to {last}", axis.values.len(), axis.names.join(" with "))
    };
    writeln!(out, "\nvalues  axis")?;
    for axis in &study.axes {
        writeln!(out, "{}", line(axis))?;
    }
    let columns: Vec<String> = study.quantities.iter().map(|quantity| quantity.column()).collect();
    let objectives: Vec<String> = study.objectives.iter().map(|quantity| quantity.name()).collect();
    writeln!(out, "\nrecorded: {}\nfront in: {}", columns.join(", "), objectives.join(", "))?;
    for constraint in &study.spec.constraints {
        writeln!(out, "only where {constraint}")?;
    }
    if let Some(tasks) = study.tasks() {
        writeln!(out, "{tasks} tasks of at most {} designs", study.task_designs())?;
    }
    print(&out)
}

/// The front for a person: axes and objectives first.
fn table(found: &StudyFront) -> Result<String, std::fmt::Error> {
    let (columns, rows) = found.cells();
    let hidden = ["status", "reason"];
    let shown: Vec<usize> = (0..columns.len()).filter(|&index| !hidden.contains(&&*columns[index].name)).collect();
    let shown: Vec<usize> = shown
        .into_iter()
        .filter(|&index| !columns[index].name.ends_with(']') || columns[index].kind != ColumnKind::Number)
        .collect();
    let text = |cell: &CellValue| match cell {
        CellValue::Count(count) => count.to_string(),
        CellValue::Number(Some(number)) => format!("{number:.6e}").parse::<f64>().unwrap_or(*number).to_string(),
        CellValue::Number(None) | CellValue::Text(None) => String::new(),
        CellValue::Text(Some(text)) => text.clone(),
    };
    let mut lines: Vec<Vec<String>> = vec![shown.iter().map(|&index| columns[index].name.clone()).collect()];
    lines.extend(rows.iter().map(|cells| shown.iter().map(|&index| text(&cells[index])).collect()));
    let width = |at: usize| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..shown.len()).map(width).collect();
    let mut out = String::new();
    let objectives: Vec<String> = found.study.objectives.iter().map(|objective| objective.name()).collect();
    let designs: Vec<String> = found.designs.iter().map(|(status, count)| format!("{count} {status}")).collect();
    writeln!(out, "{}: {}", found.study.spec.name, designs.join(", "))?;
    writeln!(out, "{} on the front in {}\n", found.rows.len(), objectives.join(", "))?;
    for line in &lines {
        let cells: Vec<String> = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        writeln!(out, "{}", cells.join("  ").trim_end())?;
    }
    Ok(out)
}
