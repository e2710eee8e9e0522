//! Which layers run together, by several methods, each judged by its own model and by the whole one.

use super::optimal::{run_json, search};
use super::{NoResult, Watch, stamped};
use fusescape_engine::explore::{FusionVerdict, Fusions, StackAim, StackLimits, StackStudy, Sweep};
use serde_json::{Value, json};

/// What each method says.
pub struct FusionReport {
    /// Every stack that was looked at.
    pub study: StackStudy,
    /// The verdicts.
    pub fusions: Fusions,
}

/// Compares the methods on all cores.
///
/// # Errors
/// Why no stacks can be made, or it was stopped.
pub fn fuse(sweep: Sweep, limits: StackLimits, watch: &dyn Watch) -> Result<FusionReport, NoResult> {
    let study = StackStudy::new(sweep, limits)?;
    let search = search(&study, StackAim::Methods, watch)?;
    let fusions = search.methods().map(|methods| (**methods).clone()).ok_or(NoResult::Stopped)?;
    Ok(FusionReport { study, fusions })
}

impl FusionReport {
    /// For a program.
    pub fn json(&self) -> Value {
        let Self { study, fusions } = self;
        let of = |verdict: &FusionVerdict| {
            let stacks = verdict.stacks.runs.iter().zip(&verdict.layers);
            let stacks: Vec<Value> = stacks.map(|(run, layers)| run_json(run, &names(fusions, layers))).collect();
            json!({
                "groups": verdict.groups.iter().map(|group| names(fusions, group)).collect::<Vec<_>>(),
                "optimus_dram_bytes": verdict.optimus_bytes,
                "energy_pj": verdict.stacks.energy_pj,
                "latency_cycles": verdict.stacks.latency_cycles,
                "dram_words": verdict.stacks.dram_words,
                "stacks": stacks,
            })
        };
        let methods: Vec<Value> = fusions
            .verdicts
            .iter()
            .map(|(method, verdict)| {
                let mut value = match verdict {
                    Ok(verdict) => of(verdict),
                    Err(reasons) => {
                        json!({ "impossible": reasons.0.iter().map(ToString::to_string).collect::<Vec<_>>() })
                    }
                };
                value["method"] = method.title().into();
                value
            })
            .collect();
        let found = json!({
            "hardware": study.sweep().core.name,
            "workload": study.sweep().network.name,
            "settings": study.sweep().settings,
            "optimus_buffer_bytes": fusions.buffer_bytes,
            "optimus_oracle_bytes": fusions.oracle_bytes,
            "stacks_considered": fusions.stacks,
            "proved_among": fusions.listed,
            "methods": methods,
        });
        stamped("fuse", found)
    }
}

/// Names of layers.
pub fn names<'a>(fusions: &'a Fusions, layers: &[usize]) -> Vec<&'a str> {
    layers.iter().filter_map(|&layer| fusions.names.get(layer).map(String::as_str)).collect()
}
