//! The results of a sweep, and their JSON.

use super::Report;
use super::estimates::EstimatedMemory;
use fusescape_engine::cost::{EnergySplit, LatencySplit};
use fusescape_engine::depth_first::{DepthFirstStrategy, PointAccount};
use fusescape_engine::explore::{
    Combination, PointSummary, Settings, Sweep, best_combination, best_strategy, pareto_front,
};
#[cfg(feature = "schema")]
use fusescape_engine::hardware::MemoryId;
use fusescape_engine::hardware::Power;
use fusescape_spec::Diagnostics;
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::{Error, Value};

/// The result of one point of the sweep.
pub enum SweepRow {
    /// It was scheduled.
    Done {
        /// Its totals.
        summary: PointSummary,
        /// Energy by cause, pJ.
        energy: EnergySplit,
        /// Latency by cause, cycles.
        latency: LatencySplit,
    },
    Failed {
        /// Index of the point.
        point: usize,
        reasons: Diagnostics,
    },
}

impl SweepRow {
    /// Index of the point.
    pub fn point(&self) -> usize {
        match self {
            Self::Done { summary, .. } => summary.point,
            Self::Failed { point, .. } => *point,
        }
    }
}

/// The results of a sweep.
pub struct SweepFindings {
    /// In the order of the points.
    pub rows: Vec<SweepRow>,
    /// Number of different mapping problems.
    pub problems: usize,
    /// The account of the point, if there is only one.
    pub account: Option<PointAccount>,
    /// The account of the best combination, where its figures are not the sums of stacks as at their points.
    pub combined: Option<PointAccount>,
}

/// A finished sweep.
pub struct SweepReport {
    /// The validated request.
    pub sweep: Sweep,
    /// One strategy per point.
    pub strategies: Vec<DepthFirstStrategy>,
    pub findings: SweepFindings,
    /// The point with the best score, if any is feasible.
    pub best: Option<usize>,
    /// Points that no other dominates in energy and latency.
    pub pareto: Vec<usize>,
    /// Each stack at its own best point.
    pub combination: Option<Combination>,
}

impl SweepReport {
    /// Finds the best among the results.
    pub fn new(sweep: Sweep, findings: SweepFindings) -> Self {
        let strategies = sweep.settings.strategies();
        let done: Vec<PointSummary> = findings
            .rows
            .iter()
            .filter_map(|row| match row {
                SweepRow::Done { summary, .. } => Some(summary.clone()),
                SweepRow::Failed { .. } => None,
            })
            .collect();
        Self {
            best: best_strategy(&sweep.settings, &strategies, &done).map(|best| best.point),
            pareto: pareto_front(&done).into_iter().map(|index| done[index].point).collect(),
            combination: best_combination(&sweep.settings, &strategies, &done).map(|best| match &findings.combined {
                Some(account) => best.with_account(account),
                None => best,
            }),
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
    ///
    /// # Errors
    /// If a number is not finite.
    pub fn row(&self, row: &SweepRow) -> Result<Value, Error> {
        serde_json::to_value(self.point(row))
    }

    fn point(&self, row: &SweepRow) -> PointFound {
        let point = row.point();
        let strategy = &self.strategies[point];
        let size = |size: u64| (size != u64::MAX).then_some(size);
        let run = PointRun {
            mode: strategy.mode.name(),
            tile_x_columns: size(strategy.tile.0),
            tile_y_rows: size(strategy.tile.1),
            stacks: strategy.fuse.to_string(),
        };
        match row {
            SweepRow::Failed { reasons, .. } => {
                PointFound::Impossible(ImpossiblePoint { run, impossible: sentences(reasons) })
            }
            SweepRow::Done { summary, energy, latency } => PointFound::Scheduled(ScheduledPoint {
                run,
                energy_pj: summary.energy_pj,
                latency_cycles: summary.latency_cycles,
                macs: summary.macs,
                dram_words: summary.dram_words,
                score: summary.score,
                is_best: self.best == Some(point),
                is_pareto_optimal: self.pareto.contains(&point),
                energy: *energy,
                latency: *latency,
                power: self.power(summary),
            }),
        }
    }

    /// The report as JSON.
    ///
    /// # Errors
    /// If a number is not finite.
    pub fn json(&self) -> Result<Value, Error> {
        let found = SweepFound {
            hardware: &self.sweep.core.name,
            estimates: EstimatedMemory::of(&self.sweep.core),
            workload: &self.sweep.network.name,
            settings: &self.sweep.settings,
            mapping_problems: self.findings.problems,
            points: self.findings.rows.iter().map(|row| self.point(row)).collect(),
            best_combination: self.combination.as_ref(),
            account: self.findings.account.as_ref().map(NamedMemories),
        };
        found.json()
    }
}

/// What `fusescape depth-first --format json` prints: depth-first schedules (DeFiNES) of a network on a core. Units
/// stand in the names of fields: pj picojoules, cycles clock cycles, bits, words full words of a memory.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct SweepFound<'a> {
    /// Name of the core, as its document has it.
    hardware: &'a str,
    /// Memories with figures that an estimator stands for, the lowest first; all other figures are stated in the
    /// document.
    estimates: Vec<EstimatedMemory>,
    /// Name of the network, as its document has it.
    workload: &'a str,
    /// What was explored.
    settings: &'a Settings,
    /// Number of different mapping problems.
    mapping_problems: usize,
    /// All points: every mode with every tile size.
    points: Vec<PointFound>,
    /// Each stack at its best point; null where there is nothing to combine.
    best_combination: Option<&'a Combination>,
    /// The account of the point, if there is only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "NamedMemories<'_>"))]
    account: Option<NamedMemories<'a>>,
}

impl Report for SweepFound<'_> {
    const KIND: &'static str = "depth-first";
}

/// A point of a sweep.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum PointFound {
    /// A schedule.
    Scheduled(ScheduledPoint),
    /// A schedule that cannot be.
    Impossible(ImpossiblePoint),
}

/// A schedule that cannot be.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ImpossiblePoint {
    #[serde(flatten)]
    run: PointRun,
    /// Why there is no result: reasons, each with a remedy.
    impossible: Vec<String>,
}

/// How a network is run.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct PointRun {
    /// Overlap storing mode: `fully-recompute`, `h-cached-v-recompute` or `fully-cached`.
    #[cfg_attr(feature = "schema", schemars(schema_with = "super::optimal::mode_names"))]
    mode: &'static str,
    /// Width of a tile of the last feature map, columns; null: the whole map.
    tile_x_columns: Option<u64>,
    /// Height of a tile of the last feature map, rows; null: the whole map.
    tile_y_rows: Option<u64>,
    /// Who chose the stacks, or the layers after which one ends, as --stacks takes them.
    stacks: String,
}

/// A schedule, and what it costs.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ScheduledPoint {
    #[serde(flatten)]
    run: PointRun,
    /// Energy, pJ.
    energy_pj: f64,
    /// Time of all stacks, one after the other, cycles.
    latency_cycles: u64,
    /// MAC operations, those of recomputed data included.
    macs: u64,
    /// Accesses to the highest memory, full words.
    dram_words: f64,
    /// What is minimised, in the units of the objective.
    score: f64,
    /// Whether no point has a lower score.
    is_best: bool,
    /// Whether no other point is better in both energy and latency.
    is_pareto_optimal: bool,
    /// Energy by cause, pJ.
    energy: EnergySplit,
    /// Latency by cause, cycles.
    latency: LatencySplit,
    /// Time, power and leakage; null where no clock is stated.
    power: Option<Power>,
}

/// An account with the names of memories, which a program reads; the page looks up their numbers.
struct NamedMemories<'a>(&'a PointAccount);

impl Serialize for NamedMemories<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut account = serde_json::to_value(self.0).map_err(S::Error::custom)?;
        let names: Vec<&str> = self.0.memories.iter().map(|memory| memory.name.as_str()).collect();
        name_memories(&mut account, &names);
        account.serialize(serializer)
    }
}

fn name_memories(value: &mut Value, names: &[&str]) {
    match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                let name = value.as_u64().and_then(|number| names.get(number as usize));
                match name.filter(|_| field == "memory") {
                    Some(name) => *value = (*name).into(),
                    None => name_memories(value, names),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| name_memories(item, names)),
        _ => {}
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for NamedMemories<'_> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "NamedMemories".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let account = generator.subschema_for::<PointAccount>();
        let name = schemars::json_schema!({ "description": "A memory, by its name.", "type": "string" });
        let memory = <MemoryId as schemars::JsonSchema>::schema_name().into_owned();
        generator.definitions_mut().insert(memory, name.into());
        account
    }
}

/// One or two sentences per reason.
pub fn sentences(reasons: &Diagnostics) -> Vec<String> {
    reasons.0.iter().map(ToString::to_string).collect()
}
