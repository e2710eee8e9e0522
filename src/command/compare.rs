//! Several cores and networks, each pair with its best schedule, for a program.

use super::Report;
use fusescape_engine::explore::OptimalStacks;
use fusescape_engine::search::Objective;
use serde::Serialize;

/// What `fusescape compare --format json` prints: several cores and networks, each pair with its best depth-first
/// schedule. Units stand in the names of fields: pj picojoules, cycles clock cycles.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison<'a> {
    /// What is minimised.
    pub objective: &'a Objective,
    /// Every pair, network by network, cores in the order in which they were asked for.
    pub designs: Vec<Design<'a>>,
}

impl Report for Comparison<'_> {
    const KIND: &'static str = "compare";
}

/// A core and a network.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Design<'a> {
    /// A design with its best schedule.
    Scheduled(ScheduledDesign<'a>),
    /// A design that has no schedule.
    Impossible(ImpossibleDesign<'a>),
}

/// A design with its best schedule.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScheduledDesign<'a> {
    /// Preset or file of the core, as asked for.
    hardware: &'a str,
    /// Preset or file of the network, as asked for.
    workload: &'a str,
    /// Energy, pJ.
    energy_pj: f64,
    /// Time of the whole network, cycles.
    latency_cycles: u64,
    /// What is minimised, in the units of the objective.
    score: f64,
    /// Number of stacks.
    stacks: usize,
    /// Stacks, as --stacks takes them.
    cuts: String,
}

/// A design that has no schedule.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImpossibleDesign<'a> {
    /// Preset or file of the core, as asked for.
    hardware: &'a str,
    /// Preset or file of the network, as asked for.
    workload: &'a str,
    /// Why it has no schedule.
    impossible: &'a str,
}

impl<'a> Design<'a> {
    /// A core and a network, as asked for, with the best schedule or why there is none.
    pub fn new((hardware, workload): (&'a str, &'a str), best: &'a Result<OptimalStacks, String>) -> Self {
        match best {
            Ok(best) => Self::Scheduled(ScheduledDesign {
                hardware,
                workload,
                energy_pj: best.energy_pj,
                latency_cycles: best.latency_cycles,
                score: best.score,
                stacks: best.runs.len(),
                cuts: best.fuse().to_string(),
            }),
            Err(why) => Self::Impossible(ImpossibleDesign { hardware, workload, impossible: why }),
        }
    }
}
