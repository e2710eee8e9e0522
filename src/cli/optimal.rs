//! `fusescape depth-first --stacks optimal`: jointly optimal stacks, tile sizes and modes.

use super::arguments::Format;
use super::plain::{in_unit, unit_of};
use super::progress::TerminalBar;
use super::{Failure, json_text, print};
use fusescape_chart::{Column, Quantity, Table, TableCell, power_text};
use fusescape_command::estimate_line;
use fusescape_command::optimal::{OptimalReport, optimal};
use fusescape_engine::explore::{StackLimits, StackRun, Sweep};
use std::fmt::Write;

/// Finds the optimum on all cores and prints it.
pub fn run(sweep: &Sweep, limits: StackLimits, format: Format) -> Result<(), Failure> {
    let found = optimal(sweep, limits, &TerminalBar::default())?;
    print(&match format {
        Format::Table => table(&found)?,
        Format::Json => json_text(&found.json()?)?,
        Format::Csv => rows(&found).to_csv(),
    })
}

fn table(found: &OptimalReport) -> Result<String, std::fmt::Error> {
    let OptimalReport { sweep, study, optimal, effort, tried } = found;
    let mut out = String::new();
    writeln!(out, "{} on {}\n{}", sweep.network.name, sweep.core.name, estimate_line(&sweep.core))?;
    let energy = unit_of(Quantity::Energy, [optimal.energy_pj]);
    let latency = unit_of(Quantity::Latency, [optimal.latency_cycles as f64]);
    writeln!(
        out,
        "{:>5}  {:<22} {:>12} {:>8} {:>12} {:>17}  layers",
        "stack",
        "mode",
        "tile",
        "tiles",
        format!("energy [{}]", energy.name),
        format!("latency [{}]", latency.name)
    )?;
    for (number, run) in optimal.runs.iter().enumerate() {
        let (x, y) = run.tile;
        writeln!(
            out,
            "{:>5}  {:<22} {:>12} {:>8} {:>12} {:>17}  {}",
            number + 1,
            run.mode.title(),
            format!("{x} x {y}"),
            run.tiles,
            in_unit(energy, run.energy_pj),
            in_unit(latency, run.latency_cycles as f64),
            found.layers(run).join(", "),
        )?;
    }
    writeln!(
        out,
        "\noptimal: {} {}, {} {}; of {} ways to cut {} stacks, each with every tile and mode: \
         of {} strategies bounds rule out {}, {} are planned; {} mapping problems",
        in_unit(energy, optimal.energy_pj),
        energy.name,
        in_unit(latency, optimal.latency_cycles as f64),
        latency.name,
        study.cuttings(),
        study.stacks().len(),
        tried.compared,
        tried.compared - tried.planned,
        tried.planned,
        effort.searched,
    )?;
    writeln!(out, "given: data lies in the lowest memories that hold it (DeFiNES, Section III, step 3)")?;
    if let Some(scope) = study.listed().scope() {
        writeln!(out, "proved to be the best of {scope}; other stacks are too many, and were not looked at")?;
    }
    if let Some(power) = found.power() {
        writeln!(out, "{}", power_text(&power))?;
    }
    writeln!(out, "the same by hand: --stacks {}", optimal.fuse())?;
    Ok(out)
}

/// For a spreadsheet: one row per stack.
fn rows(found: &OptimalReport) -> Table {
    let row = |(number, run): (usize, &StackRun)| {
        let (x, y) = run.tile;
        vec![
            TableCell::full(number + 1),
            found.layers(run).join(", ").into(),
            run.mode.name().into(),
            TableCell::full(x),
            TableCell::full(y),
            TableCell::full(run.tiles),
            TableCell::full(run.energy_pj),
            TableCell::full(run.latency_cycles),
        ]
    };
    let numbers = ["tile_x_columns", "tile_y_rows", "tiles", "energy_pj", "latency_cycles"];
    let first = [Column::numbers("stack"), Column::words("layers"), Column::words("mode")];
    Table {
        caption: String::new(),
        columns: first.into_iter().chain(numbers.map(Column::numbers)).collect(),
        rows: found.optimal.runs.iter().enumerate().map(row).collect(),
    }
}
