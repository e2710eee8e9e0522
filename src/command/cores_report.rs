//! The best schedule on many cores, and its JSON.

use super::stamped;
use fusescape_engine::hardware::Power;
use fusescape_engine::multicore::{
    CoreId, CoreTime, CoreTimeCause, CoresStudy, EvaluatedAllocation, NestId, ScheduleObjective, SingleCore,
    StackAllocation, SystemAccount, SystemPart, TileCut, TilePoint, TileSearch,
};
use fusescape_spec::Diagnostic;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The best schedule of a network on many cores, with the effort that it took.
pub struct CoresReport {
    /// What was asked.
    pub study: Arc<CoresStudy>,
    /// The search for the tile size; `None` where it is stated.
    pub search: Option<TileSearch>,
    /// The best core alone, with its tile size.
    pub single: Option<(TileCut, SingleCore)>,
    /// What the search for each stack's cores found; none where evolution or a person chose.
    pub stacks: Vec<StackAllocation>,
    /// The allocation.
    pub evaluated: EvaluatedAllocation,
    /// The schedule.
    pub account: SystemAccount,
    /// Number of different tiles that were solved.
    pub problems: usize,
    /// How long all took.
    pub elapsed: Duration,
}

impl CoresReport {
    /// What is good to know beside the numbers.
    pub fn notes(&self) -> Vec<Diagnostic> {
        let Self { study, .. } = self;
        study.network.notes(&study.system.name, study.system.cores.iter().map(|core| &core.core))
    }

    /// Time and power of the whole network.
    pub fn power(&self) -> Option<Power> {
        let Self { study, evaluated, account, .. } = self;
        study.system.power(evaluated.energy_pj, account.latency_cycles, study.network.macs())
    }

    /// For a program.
    pub fn json(&self) -> Value {
        let Self { study, search, single, stacks, evaluated, account, problems, elapsed } = self;
        let names =
            |cores: &[CoreId]| -> Vec<&str> { cores.iter().map(|&core| account.cores[core].name.as_str()).collect() };
        let layer =
            |(layer, cores): (NestId, &Vec<CoreId>)| json!({ "name": account.layers[layer], "cores": names(cores) });
        let stack = |stack: &StackAllocation| {
            json!({
                "layers": stack.layers.iter().map(|&layer| &account.layers[layer]).collect::<Vec<_>>(),
                "tiles_of_an_iteration": stack.tiles,
                "iterations": stack.iterations,
                "cycles": stack.found.best.as_ref().map(|best| best.cycles),
                "bound_cycles": stack.found.bound,
                "proved": stack.found.is_proved(),
            })
        };
        let core = |core: &CoreTime| {
            let mut fields = json!({ "name": core.name });
            for cause in CoreTimeCause::ALL {
                fields[format!("{}_cycles", cause.key())] = json!(core.cycles[cause]);
            }
            fields
        };
        let mut report = json!({
            "network": study.network.name,
            "system": study.system.name,
            "latency_cycles": account.latency_cycles,
            "energy_pj": evaluated.energy_pj,
            "power": self.power(),
            "edp_pj_cycles": evaluated.score(ScheduleObjective::EnergyDelay),
            "peak_on_chip_bits": account.peak_bits(),
            "mac_use": study.mac_use(account.latency_cycles),
            "tile_size": study.settings.granularity.text(),
            "tile_sizes": search.as_ref().map(|search| search.points().map(tile_size).collect::<Vec<_>>()),
            "single_core": single.as_ref().map(|(cut, single)| json!({
                "core": single.name,
                "tile_size": search.as_ref().map_or_else(|| study.settings.granularity.text(), |_| cut.text()),
                "latency_cycles": single.latency_cycles,
                "energy_pj": single.energy_pj,
                "speed_up": single.latency_cycles / account.latency_cycles,
            })),
            "tiles": account.tiles.len(),
            "tiles_solved": problems,
            "transfers": account.transfers.len(),
            "layers": evaluated.choice.iter_enumerated().map(layer).collect::<Vec<_>>(),
            "stacks": stacks.iter().map(stack).collect::<Vec<_>>(),
            "cores": account.cores.iter().map(core).collect::<Vec<_>>(),
            "links": account.links.iter().map(|link| json!({ "name": link.name, "busy_cycles": link.busy })).collect::<Vec<_>>(),
            "seconds": elapsed.as_secs_f64(),
        });
        for part in SystemPart::ALL {
            report[format!("energy_{}_pj", part.key())] = json!(account.energy.of(part));
        }
        stamped("cores", report)
    }
}

fn tile_size(point: &TilePoint) -> Value {
    let outcome = point.outcome.as_ref();
    json!({
        "tile_size": point.cut.text(),
        "latency_cycles": outcome.ok().map(|outcome| outcome.latency_cycles),
        "energy_pj": outcome.ok().map(|outcome| outcome.energy_pj),
        "tiles": outcome.ok().map(|outcome| outcome.tiles),
        "why_none": outcome.err(),
    })
}
