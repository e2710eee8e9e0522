//! `fusescape depth-first --stacks optimal`: stacks, tile sizes and modes that are jointly optimal.

use super::arguments::Format;
use super::estimates::{estimate_line, estimates_json};
use super::{Failure, json_text, print};
use fusescape::chart::{Column, Table, TableCell, power_text};
use fusescape::explore::{CostStore, OptimalStacks, SearchEffort, StackLimits, StackRun, StackStudy, Sweep};
use fusescape::hardware::Power;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Finds the optimum on all cores and prints it.
pub fn run(sweep: Sweep, limits: StackLimits, format: Format) -> Result<(), Failure> {
    let (study, optimal, effort) = find(&sweep, limits)?;
    let found = OptimalReport { sweep, study, optimal, effort };
    print(&match format {
        Format::Table => found.table()?,
        Format::Json => json_text("optimal", found.json())?,
        Format::Csv => found.rows().to_csv(),
    })
}

/// Finds the optimum on all cores.
///
/// # Errors
/// Why there is none.
pub fn find(sweep: &Sweep, limits: StackLimits) -> Result<(StackStudy, OptimalStacks, SearchEffort), Failure> {
    let study = StackStudy::new(sweep.clone(), limits)?;
    let (runs, effort) = all_parts(&study);
    let optimal = study.combine(&runs)?;
    Ok((study, optimal, effort))
}

/// One stack as it runs, with its layers' names.
pub fn run_json(run: &StackRun, layers: &[&str]) -> Value {
    json!({
        "layers": layers,
        "mode": run.mode.name(),
        "tile_x_columns": run.tile.0,
        "tile_y_rows": run.tile.1,
        "tiles": run.tiles,
        "energy_pj": run.energy_pj,
        "latency_cycles": run.latency_cycles,
        "dram_words": run.dram_words.total(),
        "score": run.score,
    })
}

/// Each core takes the next part that is left; what it found out stays with it.
pub fn all_parts(study: &StackStudy) -> (Vec<StackRun>, SearchEffort) {
    let (next, parts) = (AtomicUsize::new(0), study.parts());
    let found: Vec<(Vec<StackRun>, SearchEffort)> = (0..rayon::current_num_threads())
        .into_par_iter()
        .map(|_| {
            let (mut study, mut store) = (study.anew(), CostStore::default());
            let mut runs = Vec::new();
            loop {
                let part = next.fetch_add(1, Ordering::Relaxed);
                if part >= parts {
                    return (runs, study.effort());
                }
                runs.append(&mut study.part(&mut store, part));
            }
        })
        .collect();
    let mut all = (Vec::new(), SearchEffort::default());
    for (mut runs, effort) in found {
        all.0.append(&mut runs);
        all.1.searched += effort.searched;
        all.1.reused += effort.reused;
    }
    all
}

struct OptimalReport {
    sweep: Sweep,
    study: StackStudy,
    optimal: OptimalStacks,
    effort: SearchEffort,
}

impl OptimalReport {
    fn table(&self) -> Result<String, std::fmt::Error> {
        let Self { sweep, study, optimal, effort } = self;
        let mut out = String::new();
        writeln!(out, "{} on {}\n{}", sweep.network.name, sweep.core.name, estimate_line(&sweep.core))?;
        writeln!(
            out,
            "{:>5}  {:<22} {:>12} {:>8} {:>12} {:>17}  layers",
            "stack", "mode", "tile", "tiles", "energy [mJ]", "latency [Mcycles]"
        )?;
        for (number, run) in optimal.runs.iter().enumerate() {
            let (x, y) = run.tile;
            writeln!(
                out,
                "{:>5}  {:<22} {:>12} {:>8} {:>12.4} {:>17.4}  {}",
                number + 1,
                run.mode.title(),
                format!("{x} x {y}"),
                run.tiles,
                run.energy_pj / 1e9,
                run.latency_cycles as f64 / 1e6,
                self.layers(run).join(", "),
            )?;
        }
        writeln!(
            out,
            "\noptimal: {:.4} mJ, {:.4} Mcycles; of {} ways to cut {} stacks, each with every tile and mode; {} mapping problems",
            optimal.energy_pj / 1e9,
            optimal.latency_cycles as f64 / 1e6,
            study.cuttings(),
            study.stacks().len(),
            effort.searched,
        )?;
        if let Some(scope) = study.listed().scope() {
            writeln!(out, "proved to be the best of {scope}; other stacks are too many, and were not looked at")?;
        }
        if let Some(power) = self.power() {
            writeln!(out, "{}", power_text(&power))?;
        }
        writeln!(out, "the same by hand: --stacks {}", optimal.fuse())?;
        Ok(out)
    }

    fn power(&self) -> Option<Power> {
        let Self { sweep, optimal, .. } = self;
        sweep.core.power(optimal.energy_pj, optimal.latency_cycles as f64, sweep.network.macs())
    }

    fn json(&self) -> Value {
        let Self { sweep, study, optimal, effort } = self;
        let stacks: Vec<Value> = optimal.runs.iter().map(|run| run_json(run, &self.layers(run))).collect();
        json!({
            "hardware": sweep.core.name,
            "estimates": estimates_json(&sweep.core),
            "workload": sweep.network.name,
            "settings": sweep.settings,
            "energy_pj": optimal.energy_pj,
            "latency_cycles": optimal.latency_cycles,
            "score": optimal.score,
            "power": self.power(),
            "cuts": optimal.fuse().to_string(),
            "stacks": stacks,
            "stacks_considered": study.stacks().len(),
            "proved_among": study.listed(),
            "ways_to_cut": study.cuttings().to_string(),
            "mapping_problems_searched": effort.searched,
        })
    }

    /// For a spreadsheet: a row a stack.
    fn rows(&self) -> Table {
        let row = |(number, run): (usize, &StackRun)| {
            let (x, y) = run.tile;
            vec![
                TableCell::full(number + 1),
                self.layers(run).join(", ").into(),
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
            rows: self.optimal.runs.iter().enumerate().map(row).collect(),
        }
    }

    fn layers(&self, run: &StackRun) -> Vec<&str> {
        let stacks = self.study.stacks();
        let layers = stacks.get(run.arc).map(|arc| arc.stack.layers()).unwrap_or_default();
        layers.iter().map(|&layer| self.sweep.network.layer(layer).name.as_str()).collect()
    }
}
