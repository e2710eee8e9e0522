//! Printing a sweep: for a person, a program, or a spreadsheet.

use super::estimates::{estimate_line, estimates_json};
use super::{Failure, json_text};
use fusescape::chart::{Column, Table, TableCell, power_text};
use fusescape::cost::{AccessCause, EnergyCause, EnergySplit, LatencyCause, LatencySplit};
use fusescape::depth_first::{DepthFirstStrategy, PointAccount};
use fusescape::explore::{Combination, PointSummary, Sweep, best_combination, best_point, pareto_front};
use fusescape::hardware::Power;
use fusescape::spec::Diagnostics;
use serde_json::{Value, json};

/// Adds a line to a text; writing to a `String` cannot fail.
macro_rules! outln {
    ($out:ident, $($text:tt)*) => {{
        $out.push_str(&format!($($text)*));
        $out.push('\n');
    }};
}

/// One point of the sweep.
pub enum Row {
    /// It was scheduled.
    Done { summary: PointSummary, energy: EnergySplit, latency: LatencySplit },
    /// It cannot be.
    Failed { point: usize, reasons: Diagnostics },
}

impl Row {
    /// Index of the point.
    pub fn point(&self) -> usize {
        match self {
            Self::Done { summary, .. } => summary.point,
            Self::Failed { point, .. } => *point,
        }
    }
}

/// The findings of a sweep.
pub struct Findings {
    /// All points in order.
    pub rows: Vec<Row>,
    /// Number of different mapping problems.
    pub problems: usize,
    /// The whole account of the point, if there is only one.
    pub account: Option<PointAccount>,
}

/// A finished sweep.
pub struct Report<'a> {
    sweep: &'a Sweep,
    strategies: &'a [DepthFirstStrategy],
    findings: Findings,
    best: Option<usize>,
    pareto: Vec<usize>,
    combination: Option<Combination>,
}

impl<'a> Report<'a> {
    pub fn new(sweep: &'a Sweep, strategies: &'a [DepthFirstStrategy], findings: Findings) -> Self {
        let done: Vec<PointSummary> = findings
            .rows
            .iter()
            .filter_map(|row| match row {
                Row::Done { summary, .. } => Some(summary.clone()),
                Row::Failed { .. } => None,
            })
            .collect();
        Self {
            best: best_point(&done).map(|best| best.point),
            pareto: pareto_front(&done).into_iter().map(|index| done[index].point).collect(),
            combination: best_combination(&sweep.settings, strategies, &done),
            sweep,
            strategies,
            findings,
        }
    }

    /// An error where not a single point could be scheduled.
    pub fn failure_if_empty(&self) -> Result<(), Failure> {
        match self.best {
            Some(_) => Ok(()),
            None => Err("No point of the sweep can be scheduled; the reasons are above.".into()),
        }
    }

    /// For a person.
    pub fn table(&self) -> String {
        let mut out = String::new();
        outln!(out, "{} on {}\n{}", self.sweep.network.name, self.sweep.core.name, estimate_line(&self.sweep.core));
        outln!(
            out,
            "{:<22} {:>12} {:>12} {:>17} {:>10} {:>14}  stacks",
            "mode",
            "tile",
            "energy [mJ]",
            "latency [Mcycles]",
            "MAC [G]",
            "DRAM [Mword]"
        );
        for row in &self.findings.rows {
            match row {
                Row::Done { summary, .. } => self.write_row(&mut out, summary),
                Row::Failed { point, reasons } => {
                    let (tile, mode) = self.tile_and_mode(*point);
                    outln!(out, "{mode:<22} {tile:>12}  impossible: {}", sentences(reasons).join(" "));
                }
            }
        }
        if let Some(account) = &self.findings.account {
            write_account(&mut out, account);
        } else if self.best.is_some() {
            outln!(out, "\n* best, + no other point is better in both energy and latency");
            let best = self.findings.rows.iter().find_map(|row| match row {
                Row::Done { summary, .. } if self.best == Some(summary.point) => self.power(summary),
                _ => None,
            });
            if let Some(power) = best {
                outln!(out, "The best point. {}", power_text(&power));
            }
            self.write_combination(&mut out);
        }
        out
    }

    fn write_row(&self, out: &mut String, summary: &PointSummary) {
        let (tile, mode) = self.tile_and_mode(summary.point);
        let mark = match () {
            () if self.best == Some(summary.point) => "*",
            () if self.pareto.contains(&summary.point) => "+",
            () => "",
        };
        outln!(
            out,
            "{mode:<22} {tile:>12} {:>12.4} {:>17.4} {:>10.3} {:>14.4}  {:<6} {mark}",
            summary.energy_pj / 1e9,
            summary.latency_cycles as f64 / 1e6,
            summary.macs as f64 / 1e9,
            summary.dram_words / 1e6,
            summary.stacks.len(),
        );
    }

    fn write_combination(&self, out: &mut String) {
        let Some(combination) = self.combination.as_ref().filter(|combination| combination.points.len() > 1) else {
            return;
        };
        outln!(
            out,
            "\nEach stack at its best: {:.4} mJ, {:.4} Mcycles",
            combination.energy_pj / 1e9,
            combination.latency_cycles as f64 / 1e6
        );
        for (stack, &point) in combination.points.iter().enumerate() {
            let (tile, mode) = self.tile_and_mode(point);
            outln!(out, "  stack {}: {mode}, {tile}", stack + 1);
        }
    }

    fn power(&self, summary: &PointSummary) -> Option<Power> {
        self.sweep.core.power(summary.energy_pj, summary.latency_cycles as f64, self.sweep.network.macs())
    }

    fn tile_and_mode(&self, point: usize) -> (String, &'static str) {
        let strategy = &self.strategies[point];
        let size = |size: u64| if size == u64::MAX { "all".to_owned() } else { size.to_string() };
        (format!("{} x {}", size(strategy.tile.0), size(strategy.tile.1)), strategy.mode.title())
    }

    fn row(&self, row: &Row) -> Value {
        let point = row.point();
        let strategy = &self.strategies[point];
        let size = |size: u64| (size != u64::MAX).then_some(size);
        let mut value = json!({
            "mode": strategy.mode.name(),
            "tile_x_columns": size(strategy.tile.0),
            "tile_y_rows": size(strategy.tile.1),
            "stacks": strategy.fuse.to_string(),
        });
        let fields = match row {
            Row::Failed { reasons, .. } => json!({ "impossible": sentences(reasons) }),
            Row::Done { summary, energy, latency } => json!({
                "energy_pj": summary.energy_pj,
                "latency_cycles": summary.latency_cycles,
                "macs": summary.macs,
                "dram_words": summary.dram_words,
                "score": summary.score,
                "is_best": self.best == Some(point),
                "is_pareto_optimal": self.pareto.contains(&point),
                "power": self.power(summary),
                "energy": energy,
                "latency": latency,
            }),
        };
        if let (Some(value), Value::Object(fields)) = (value.as_object_mut(), fields) {
            value.extend(fields);
        }
        value
    }

    /// For a program.
    pub fn json(&self) -> Result<String, Failure> {
        let mut value = json!({
            "hardware": self.sweep.core.name,
            "estimates": estimates_json(&self.sweep.core),
            "workload": self.sweep.network.name,
            "settings": self.sweep.settings,
            "mapping_problems": self.findings.problems,
            "points": self.findings.rows.iter().map(|row| self.row(row)).collect::<Vec<_>>(),
            "best_combination": self.combination,
        });
        if let Some(account) = &self.findings.account {
            value["account"] = serde_json::to_value(account)?;
        }
        json_text("depth-first", value)
    }

    /// For a spreadsheet: a row a point.
    pub fn csv(&self) -> String {
        let row = |row: &Row| {
            let value = self.row(row);
            let cell = |field: &&str| match &value[*field] {
                Value::Null => TableCell::Nothing,
                Value::String(text) => text.as_str().into(),
                Value::Array(reasons) => reasons.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ").into(),
                number => TableCell::full(number),
            };
            COLUMNS.iter().map(cell).collect()
        };
        let columns = COLUMNS.map(Column::words).into();
        Table { caption: String::new(), columns, rows: self.findings.rows.iter().map(row).collect() }.to_csv()
    }
}

/// The fields of a point that a spreadsheet gets.
const COLUMNS: [&str; 10] = [
    "mode",
    "tile_x_columns",
    "tile_y_rows",
    "energy_pj",
    "latency_cycles",
    "macs",
    "dram_words",
    "score",
    "stacks",
    "impossible",
];

/// One sentence or two a reason.
fn sentences(reasons: &Diagnostics) -> Vec<String> {
    reasons.0.iter().map(ToString::to_string).collect()
}

fn write_account(out: &mut String, account: &PointAccount) {
    if let Some(power) = &account.power {
        outln!(out, "\n{}", power_text(power));
    }
    outln!(out, "\nenergy [mJ]");
    for cause in EnergyCause::seen_in([account.energy]) {
        outln!(out, "  {:<12} {:>12.4}", cause.title(), account.energy[cause] / 1e9);
    }
    outln!(out, "latency [Mcycles]");
    for cause in LatencyCause::ALL {
        let title = if cause == LatencyCause::Copy { cause.title() } else { cause.plural() };
        outln!(out, "  {title:<12} {:>12.4}", account.latency[cause] as f64 / 1e6);
    }
    let causes = AccessCause::ALL.map(|cause| format!("{:>14}", cause.title()));
    outln!(out, "{:<24} {}   [M words]", "memory", causes.join(" "));
    for memory in &account.memories {
        let words = memory.words.values().map(|words| format!("{:>14.4}", words / 1e6));
        outln!(out, "  {:<22} {}", memory.name, words.join(" "));
    }
    for (index, stack) in account.stacks.iter().enumerate() {
        let (x, y) = stack.output_size;
        outln!(
            out,
            "stack {}: {} layers to {}, map {x} x {y}, {} tiles of {} types, weights in {}",
            index + 1,
            stack.layers.len(),
            stack.layers.last().map_or("", String::as_str),
            stack.tile_count,
            stack.tile_types.len(),
            stack.weight_memory.as_deref().unwrap_or("none"),
        );
    }
}
