//! Groups of layers by several methods, each judged by its own model and by the full one.

use super::optimal::{Stack, search};
use super::sweep_report::sentences;
use super::{CommandError, ProgressMonitor, Report};
use fusescape_engine::depth_first::StackEnumeration;
use fusescape_engine::explore::{FusionComparison, FusionResult, Settings, StackAim, StackLimits, StackProblem, Sweep};
use serde::Serialize;
use serde_json::{Error, Value};

/// The results of all methods.
pub struct FusionReport {
    /// Every evaluated stack.
    pub study: StackProblem,
    /// The results.
    pub fusions: FusionComparison,
}

/// Compares the methods on all cores.
///
/// # Errors
/// Reasons why no stacks can be made; or it was stopped.
pub fn fuse(sweep: Sweep, limits: StackLimits, monitor: &dyn ProgressMonitor) -> Result<FusionReport, CommandError> {
    let study = StackProblem::new(sweep, limits)?;
    let search = search(&study, StackAim::Methods, monitor)?;
    let fusions = search.methods().map(|methods| (**methods).clone()).ok_or(CommandError::Stopped)?;
    Ok(FusionReport { study, fusions })
}

impl FusionReport {
    /// The report as JSON.
    ///
    /// # Errors
    /// If a number is not finite.
    pub fn json(&self) -> Result<Value, Error> {
        let Self { study, fusions } = self;
        let chosen = |method: &'static str, result: &FusionResult| {
            let stacks = result.stacks.runs.iter().zip(&result.layers);
            Method::Chosen(ChosenGroups {
                method,
                groups: result
                    .groups
                    .iter()
                    .map(|group| names(fusions, group).into_iter().map(str::to_owned).collect())
                    .collect(),
                optimus_dram_bytes: result.optimus_bytes,
                energy_pj: result.stacks.energy_pj,
                latency_cycles: result.stacks.latency_cycles,
                dram_words: result.stacks.dram_words,
                stacks: stacks.map(|(run, layers)| Stack::new(run, &names(fusions, layers))).collect(),
            })
        };
        let methods = fusions.results.iter().map(|(method, result)| match result {
            Ok(result) => chosen(method.title(), result),
            Err(reasons) => {
                Method::Impossible(ImpossibleMethod { method: method.title(), impossible: sentences(reasons) })
            }
        });
        let found = FusionsFound {
            hardware: &study.sweep().core.name,
            workload: &study.sweep().network.name,
            settings: &study.sweep().settings,
            optimus_buffer_bytes: fusions.buffer_bytes,
            optimus_oracle_bytes: fusions.oracle_bytes,
            proved_among: fusions.listed,
            stacks_considered: fusions.stacks,
            methods: methods.collect(),
        };
        found.json()
    }
}

/// What `fusescape fuse --format json` prints: methods to choose the layers that run together, judged by one model.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct FusionsFound<'a> {
    /// Name of the core, as its document has it.
    hardware: &'a str,
    /// Name of the network, as its document has it.
    workload: &'a str,
    /// What was explored.
    settings: &'a Settings,
    /// Buffer that the model of Optimus sees, bytes.
    optimus_buffer_bytes: u64,
    /// Fewest DRAM accesses of any groups by the model of Optimus, bytes; null where that is unknown.
    optimus_oracle_bytes: Option<u64>,
    /// Stacks that the jointly optimal ones are proved to be the best of: all within the limits; all of at most so many
    /// layers and those that other methods choose; or those alone.
    proved_among: StackEnumeration,
    /// Number of different stacks that were considered.
    stacks_considered: usize,
    /// One entry per method of choosing layers.
    methods: Vec<Method>,
}

impl Report for FusionsFound<'_> {
    const KIND: &'static str = "fuse";
}

/// A method, and what it chooses.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum Method {
    /// A method with what it chooses.
    Chosen(ChosenGroups),
    /// A method that has no result.
    Impossible(ImpossibleMethod),
}

/// A method that has no result.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ImpossibleMethod {
    /// Name of the method.
    method: &'static str,
    /// Why there is no result: reasons, each with a remedy.
    impossible: Vec<String>,
}

/// What a method chooses, priced by the whole model.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ChosenGroups {
    /// Name of the method.
    method: &'static str,
    /// Layers that the method runs together, by name.
    groups: Vec<Vec<String>>,
    /// DRAM accesses by the model of Optimus, bytes; null where its buffer does not hold a group.
    optimus_dram_bytes: Option<u64>,
    /// Energy, pJ.
    energy_pj: f64,
    /// Time of the whole network, cycles.
    latency_cycles: u64,
    /// Accesses to the highest memory, full words.
    dram_words: f64,
    /// Stacks as they run by the whole model, each with its best tile and mode.
    stacks: Vec<Stack>,
}

/// Names of layers.
pub fn names<'a>(fusions: &'a FusionComparison, layers: &[usize]) -> Vec<&'a str> {
    layers.iter().filter_map(|&layer| fusions.names.get(layer).map(String::as_str)).collect()
}
