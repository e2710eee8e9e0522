//! What a sweep found, and its JSON.

use super::estimates::estimates_json;
use super::stamped;
use fusescape_engine::cost::{EnergySplit, LatencySplit};
use fusescape_engine::depth_first::{DepthFirstStrategy, PointAccount};
use fusescape_engine::explore::{Combination, PointSummary, Sweep, best_combination, best_point, pareto_front};
use fusescape_engine::hardware::Power;
use fusescape_spec::Diagnostics;
use serde_json::{Value, json};

/// One point of the sweep.
pub enum Row {
    /// It was scheduled.
    Done {
        /// Its sums.
        summary: PointSummary,
        /// Energy by cause, pJ.
        energy: EnergySplit,
        /// Latency by cause, cycles.
        latency: LatencySplit,
    },
    /// It cannot be.
    Failed {
        /// Its index.
        point: usize,
        /// Why.
        reasons: Diagnostics,
    },
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
pub struct SweepReport {
    /// What was asked.
    pub sweep: Sweep,
    /// A strategy a point.
    pub strategies: Vec<DepthFirstStrategy>,
    /// What was found.
    pub findings: Findings,
    /// The point with the best score, if any can be scheduled.
    pub best: Option<usize>,
    /// Points that no other beats in both energy and latency.
    pub pareto: Vec<usize>,
    /// Each stack at its own best point.
    pub combination: Option<Combination>,
}

impl SweepReport {
    /// Finds the best among the findings.
    pub fn new(sweep: Sweep, findings: Findings) -> Self {
        let strategies = sweep.settings.strategies();
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
            combination: best_combination(&sweep.settings, &strategies, &done),
            sweep,
            strategies,
            findings,
        }
    }

    /// Time and power of a point.
    pub fn power(&self, summary: &PointSummary) -> Option<Power> {
        self.sweep.core.power(summary.energy_pj, summary.latency_cycles as f64, self.sweep.network.macs())
    }

    /// One point as JSON.
    pub fn row(&self, row: &Row) -> Value {
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
    ///
    /// # Errors
    /// A number that JSON has no word for.
    pub fn json(&self) -> Result<Value, serde_json::Error> {
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
            let names: Vec<&str> = account.memories.iter().map(|memory| memory.name.as_str()).collect();
            name_memories(&mut value["account"], &names);
        }
        Ok(stamped("depth-first", value))
    }
}

/// A program reads names of memories; the page looks up numbers.
fn name_memories(value: &mut Value, names: &[&str]) {
    match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                let name = value.as_u64().and_then(|number| names.get(number as usize));
                match name.filter(|_| field == "memory") {
                    Some(name) => *value = json!(name),
                    None => name_memories(value, names),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| name_memories(item, names)),
        _ => {}
    }
}

/// One sentence or two a reason.
pub fn sentences(reasons: &Diagnostics) -> Vec<String> {
    reasons.0.iter().map(ToString::to_string).collect()
}
