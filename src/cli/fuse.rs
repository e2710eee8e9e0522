//! `fusescape fuse`: groups of layers by several methods, each judged by its own model and by the full one.

use super::arguments::{Format, Fuse};
use super::depth_first::validated;
use super::plain::{in_unit, unit_of};
use super::progress::TerminalBar;
use super::{Failure, json_text, print, sequences};
use fusescape_chart::{Column, Quantity, Table, TableCell};
use fusescape_command::estimate_line;
use fusescape_command::fuse::{FusionReport, fuse, names};
use fusescape_engine::depth_first::FuseDepth;
use fusescape_engine::explore::{FusionComparison, FusionMethod, FusionResult};
use std::fmt::Write;

/// Compares the methods and prints their results.
pub fn run(Fuse { sweep: options, sequences }: &Fuse) -> Result<(), Failure> {
    let sweep = validated(options, FuseDepth::Automatic)?;
    if let Some(sharing) = sequences {
        return sequences::run(&sweep, *sharing, options.tried.format);
    }
    let found = fuse(sweep, options.tried.chosen.limits(), &TerminalBar::default())?;
    print(&match options.tried.format {
        Format::Table => table(&found)?,
        Format::Json => json_text(&found.json()?)?,
        Format::Csv => rows(&found.fusions).to_csv(),
    })?;
    let has_answer = found.fusions.results.iter().any(|(_, result)| result.is_ok());
    if has_answer { Ok(()) } else { Err("No method has an answer; each says why.".into()) }
}

fn table(FusionReport { study, fusions }: &FusionReport) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    let core = &study.sweep().core;
    writeln!(out, "{} on {}\n{}", study.sweep().network.name, core.name, estimate_line(core))?;
    let stacks = || fusions.results.iter().filter_map(|(_, result)| result.as_ref().ok()).map(|found| &found.stacks);
    let energy = unit_of(Quantity::Energy, stacks().map(|found| found.energy_pj));
    let latency = unit_of(Quantity::Latency, stacks().map(|found| found.latency_cycles as f64));
    let words = unit_of(Quantity::DramAccesses, stacks().map(|found| found.dram_words));
    writeln!(
        out,
        "{:<22} {:>6} {:>6} {:>12} {:>17} {:>18} {:>18}",
        "method",
        "groups",
        "stacks",
        format!("energy [{}]", energy.name),
        format!("latency [{}]", latency.name),
        format!("DRAM [{}]", words.name),
        "Optimus DRAM [MB]"
    )?;
    for (method, result) in &fusions.results {
        match result {
            Ok(result) => writeln!(
                out,
                "{:<22} {:>6} {:>6} {:>12} {:>17} {:>18} {:>18}",
                method.title(),
                result.groups.len(),
                result.layers.len(),
                in_unit(energy, result.stacks.energy_pj),
                in_unit(latency, result.stacks.latency_cycles as f64),
                in_unit(words, result.stacks.dram_words),
                result.optimus_bytes.map_or_else(|| "-".to_owned(), |bytes| format!("{:.3}", bytes as f64 / 1e6)),
            )?,
            Err(reasons) => {
                let reasons: Vec<String> = reasons.0.iter().map(ToString::to_string).collect();
                writeln!(out, "{:<22} impossible: {}", method.title(), reasons.join(" "))?;
            }
        }
    }
    writeln!(
        out,
        "\nOptimus' model sees one buffer of {:.0} KiB; no groups move less than {} MB by it.",
        fusions.buffer_bytes as f64 / 1024.0,
        fusions.oracle_bytes.map_or_else(|| "?".to_owned(), |bytes| format!("{:.3}", bytes as f64 / 1e6)),
    )?;
    let exact = fusions.results.iter().find(|(method, _)| *method == FusionMethod::Optimus);
    let exact_bytes = exact.and_then(|(_, result)| result.as_ref().ok()?.optimus_bytes);
    if let Some((bound, bytes)) = fusions.bound_bytes.zip(exact_bytes).filter(|(bound, bytes)| bound < bytes) {
        let percent = 100.0 * (1.0 - bound as f64 / bytes as f64);
        let title = FusionMethod::Optimus.title();
        writeln!(
            out,
            "{title} is not proved here, as the network is too wide: other groups may move {percent:.1} % less, at most."
        )?;
    }
    if let Some(scope) = fusions.listed.scope() {
        writeln!(
            out,
            "{} is proved to be the best of {scope}; other stacks are too many, and were not looked at.",
            FusionMethod::Optimal.title()
        )?;
    }
    for (method, result) in &fusions.results {
        let Ok(result) = result else { continue };
        writeln!(out, "\n{}", method.title())?;
        for (run, layers) in result.stacks.runs.iter().zip(&result.layers) {
            let ((x, y), mode) = (run.tile, run.mode.title());
            writeln!(out, "  {x} x {y}, {mode}: {}", names(fusions, layers).join(", "))?;
        }
    }
    Ok(out)
}

/// For a spreadsheet: one row per method.
fn rows(fusions: &FusionComparison) -> Table {
    let numbers = ["groups", "stacks", "energy_pj", "latency_cycles", "dram_words", "optimus_dram_bytes"];
    let columns = [Column::words("method")].into_iter().chain(numbers.map(Column::numbers));
    let rows = fusions.results.iter().map(|(method, result)| {
        let figures = match result {
            Ok(FusionResult { groups, layers, stacks, optimus_bytes, .. }) => vec![
                TableCell::full(groups.len()),
                TableCell::full(layers.len()),
                TableCell::full(stacks.energy_pj),
                TableCell::full(stacks.latency_cycles),
                TableCell::full(stacks.dram_words),
                optimus_bytes.map_or(TableCell::Nothing, TableCell::full),
            ],
            Err(reasons) => {
                let reasons: Vec<String> = reasons.0.iter().map(ToString::to_string).collect();
                let nothing = std::iter::repeat_n(TableCell::Nothing, numbers.len());
                nothing.chain([reasons.join(" ").into()]).collect()
            }
        };
        [method.title().into()].into_iter().chain(figures).collect()
    });
    let rows = rows.collect();
    Table { caption: String::new(), columns: columns.chain([Column::words("impossible")]).collect(), rows }
}
