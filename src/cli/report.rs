//! Printing a sweep: for a person, a program, or a spreadsheet.

use super::Failure;
use super::plain::{in_unit, unit_of, with_unit};
use fusescape_chart::{Column, Quantity, Table, TableCell, Unit, power_text};
use fusescape_command::depth_first::{SweepReport, SweepRow, sentences};
use fusescape_command::estimate_line;
use fusescape_engine::cost::{AccessCause, EnergyCause, LatencyCause};
use fusescape_engine::depth_first::PointAccount;
use fusescape_engine::explore::{Combination, OptimalStacks, PointSummary};
use serde_json::Value;

/// Adds a line to a text; writing to a `String` cannot fail.
macro_rules! outln {
    ($out:ident, $($text:tt)*) => {{
        $out.push_str(&format!($($text)*));
        $out.push('\n');
    }};
}

/// What the optimal stacks cost, if they were searched, beside a sweep with those of DeFiNES' rule.
pub fn beside_optimal(report: &SweepReport, optimal: Option<&OptimalStacks>) -> String {
    let Some(optimal) = optimal else {
        return "\nThe stacks are those of DeFiNES' rule (auto). For the best cut: --stacks optimal\n".to_owned();
    };
    let same = |combination: &Combination| {
        optimal.latency_cycles == combination.latency_cycles
            && (optimal.energy_pj - combination.energy_pj).abs() <= 1e-9 * optimal.energy_pj
    };
    if report.combination.as_ref().is_some_and(same) {
        return "\nThe stacks are those of DeFiNES' rule (auto); no other cut costs less with these tiles and modes.\n"
            .to_owned();
    }
    format!(
        "\nThe stacks are those of DeFiNES' rule (auto). With these tiles and modes the best cut costs {} and {}: \
         --stacks optimal\n",
        with_unit(Quantity::Energy, optimal.energy_pj),
        with_unit(Quantity::Latency, optimal.latency_cycles as f64)
    )
}

/// A finished sweep that is printed.
pub struct PrintedSweep<'a>(pub &'a SweepReport);

impl PrintedSweep<'_> {
    /// An error if no point could be scheduled.
    pub fn failure_if_empty(&self) -> Result<(), Failure> {
        match self.0.best {
            Some(_) => Ok(()),
            None => Err("No point of the sweep can be scheduled; each says why.".into()),
        }
    }

    /// For a person.
    pub fn table(&self) -> String {
        let mut out = String::new();
        outln!(
            out,
            "{} on {}\n{}",
            self.0.sweep.network.name,
            self.0.sweep.core.name,
            estimate_line(&self.0.sweep.core)
        );
        let units = self.units();
        let [energy, latency, macs, words] = units.map(|unit| unit.name);
        outln!(
            out,
            "{:<22} {:>12} {:>12} {:>17} {:>12} {:>18}  stacks",
            "mode",
            "tile",
            format!("energy [{energy}]"),
            format!("latency [{latency}]"),
            format!("MAC [{macs}]"),
            format!("DRAM [{words}]")
        );
        for row in &self.0.findings.rows {
            match row {
                SweepRow::Done { summary, .. } => self.write_row(&mut out, summary, units),
                SweepRow::Failed { point, reasons } => {
                    let (tile, mode) = self.tile_and_mode(*point);
                    outln!(out, "{mode:<22} {tile:>12}  impossible: {}", sentences(reasons).join(" "));
                }
            }
        }
        if let Some(account) = &self.0.findings.account {
            write_account(&mut out, account);
        } else if self.0.best.is_some() {
            outln!(out, "\n* best, + no other point is better in both energy and latency");
            let best = self.0.findings.rows.iter().find_map(|row| match row {
                SweepRow::Done { summary, .. } if self.0.best == Some(summary.point) => self.0.power(summary),
                _ => None,
            });
            if let Some(power) = best {
                outln!(out, "The best point. {}", power_text(&power));
            }
            self.write_combination(&mut out);
        }
        out
    }

    /// Units of energy, latency, MACs and accesses of DRAM.
    fn units(&self) -> [Unit; 4] {
        let points = || {
            self.0.findings.rows.iter().filter_map(|row| match row {
                SweepRow::Done { summary, .. } => Some(summary),
                SweepRow::Failed { .. } => None,
            })
        };
        [
            unit_of(Quantity::Energy, points().map(|point| point.energy_pj)),
            unit_of(Quantity::Latency, points().map(|point| point.latency_cycles as f64)),
            unit_of(Quantity::Macs, points().map(|point| point.macs as f64)),
            unit_of(Quantity::DramAccesses, points().map(|point| point.dram_words)),
        ]
    }

    fn write_row(&self, out: &mut String, summary: &PointSummary, [energy, latency, macs, words]: [Unit; 4]) {
        let (tile, mode) = self.tile_and_mode(summary.point);
        let mark = match () {
            () if self.0.best == Some(summary.point) => "*",
            () if self.0.pareto.contains(&summary.point) => "+",
            () => "",
        };
        outln!(
            out,
            "{mode:<22} {tile:>12} {:>12} {:>17} {:>12} {:>18}  {:<6} {mark}",
            in_unit(energy, summary.energy_pj),
            in_unit(latency, summary.latency_cycles as f64),
            in_unit(macs, summary.macs as f64),
            in_unit(words, summary.dram_words),
            summary.stacks.len(),
        );
    }

    fn write_combination(&self, out: &mut String) {
        let Some(combination) = self.0.combination.as_ref().filter(|combination| combination.points.len() > 1) else {
            return;
        };
        outln!(
            out,
            "\nEach stack at its best: {}, {}",
            with_unit(Quantity::Energy, combination.energy_pj),
            with_unit(Quantity::Latency, combination.latency_cycles as f64)
        );
        for (stack, &point) in combination.points.iter().enumerate() {
            let (tile, mode) = self.tile_and_mode(point);
            outln!(out, "  stack {}: {mode}, {tile}", stack + 1);
        }
    }

    fn tile_and_mode(&self, point: usize) -> (String, &'static str) {
        let strategy = &self.0.strategies[point];
        let size = |size: u64| if size == u64::MAX { "all".to_owned() } else { size.to_string() };
        (format!("{} x {}", size(strategy.tile.0), size(strategy.tile.1)), strategy.mode.title())
    }

    /// For a spreadsheet: one row per point.
    ///
    /// # Errors
    /// If a number is not finite.
    pub fn csv(&self) -> Result<String, serde_json::Error> {
        let row = |row: &SweepRow| {
            let value = self.0.row(row)?;
            let cell = |field: &&str| match &value[*field] {
                Value::Null => TableCell::Nothing,
                Value::String(text) => text.as_str().into(),
                Value::Array(reasons) => reasons.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ").into(),
                number => TableCell::full(number),
            };
            Ok(COLUMNS.iter().map(cell).collect())
        };
        let rows = self.0.findings.rows.iter().map(row).collect::<Result<_, _>>()?;
        Ok(Table { caption: String::new(), columns: COLUMNS.map(Column::words).into(), rows }.to_csv())
    }
}

/// The fields of a point for a spreadsheet.
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

fn write_account(out: &mut String, account: &PointAccount) {
    if let Some(power) = &account.power {
        outln!(out, "\n{}", power_text(power));
    }
    let energy = unit_of(Quantity::Energy, [account.energy_pj]);
    outln!(out, "\nenergy [{}]", energy.name);
    for cause in EnergyCause::seen_in([account.energy]) {
        outln!(out, "  {:<12} {:>12}", cause.title(), in_unit(energy, account.energy[cause]));
    }
    let latency = unit_of(Quantity::Latency, [account.latency_cycles as f64]);
    outln!(out, "latency [{}]", latency.name);
    for cause in LatencyCause::ALL {
        let title = if cause == LatencyCause::Copy { cause.title() } else { cause.plural() };
        outln!(out, "  {title:<12} {:>12}", in_unit(latency, account.latency[cause] as f64));
    }
    let causes = AccessCause::ALL.map(|cause| format!("{:>14}", cause.title()));
    outln!(out, "{:<24} {}   [accesses]", "memory", causes.join(" "));
    for memory in &account.memories {
        let words = memory.words.values().map(|words| format!("{:>14}", Quantity::Accesses.compact(words)));
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
