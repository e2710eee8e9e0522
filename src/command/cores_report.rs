//! The best schedule on many cores, and its JSON.

use super::Report;
use fusescape_engine::hardware::Power;
use fusescape_engine::multicore::{
    CoreId, CoreTime, CoreTimeCause, CoresAccount, CoresPart, CoresProblem, EvaluatedAllocation, NestId,
    ScheduleObjective, SingleCore, StackAllocation, TilePoint, TileSearch, TileSizeCandidate,
};
use fusescape_spec::Diagnostic;
use serde::Serialize;
use serde_json::{Error, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The best schedule of a network on many cores, with the effort that it took.
pub struct CoresReport {
    /// The validated request.
    pub study: Arc<CoresProblem>,
    /// The search for the tile size; `None` if the size is stated.
    pub search: Option<TileSearch>,
    /// The best core that runs all layers alone, with its tile size.
    pub single: Option<(TileSizeCandidate, SingleCore)>,
    /// Results of the search for each stack's cores; empty with evolution or a choice by hand.
    pub stacks: Vec<StackAllocation>,
    /// The chosen allocation, evaluated.
    pub evaluated: EvaluatedAllocation,
    /// Its schedule.
    pub account: CoresAccount,
    /// Number of different tiles that were solved.
    pub problems: usize,
    /// Total time.
    pub elapsed: Duration,
}

impl CoresReport {
    /// Remarks on the numbers.
    pub fn notes(&self) -> Vec<Diagnostic> {
        let Self { study, .. } = self;
        study.network.notes(&study.system.name, study.system.cores.iter().map(|core| &core.core))
    }

    /// Time and power of the whole network.
    pub fn power(&self) -> Option<Power> {
        let Self { study, evaluated, account, .. } = self;
        study.system.power(evaluated.energy_pj, account.latency_cycles, study.network.macs())
    }

    /// The report as JSON.
    ///
    /// # Errors
    /// If a number is not finite.
    pub fn json(&self) -> Result<Value, Error> {
        let Self { study, search, single, stacks, evaluated, account, problems, elapsed } = self;
        let layer_name = |layer: NestId| account.layers[layer].clone();
        let names = |cores: &[CoreId]| cores.iter().map(|&core| account.cores[core].name.clone()).collect();
        let layer =
            |(layer, cores): (NestId, &Vec<CoreId>)| LayerOnCores { name: layer_name(layer), cores: names(cores) };
        let stack = |stack: &StackAllocation| AllocatedStack {
            layers: stack.layers.iter().map(|&layer| layer_name(layer)).collect(),
            tiles_of_an_iteration: stack.tiles,
            iterations: stack.iterations,
            cycles: stack.found.best.as_ref().map(|best| best.cycles),
            bound_cycles: stack.found.bound,
            proved: stack.found.is_proved(),
        };
        let tile_size = || study.settings.granularity.text();
        let single = single.as_ref().map(|(cut, single)| CoreAlone {
            core: single.name.clone(),
            tile_size: search.as_ref().map_or_else(tile_size, |_| cut.text()),
            latency_cycles: single.latency_cycles,
            energy_pj: single.energy_pj,
            speed_up: single.latency_cycles / account.latency_cycles,
        });
        let found = CoresFound {
            network: &study.network.name,
            system: &study.system.name,
            latency_cycles: account.latency_cycles,
            energy_pj: evaluated.energy_pj,
            energy_by_part: CoresPart::ALL.map(|part| (energy_field(part), account.energy.of(part))).into(),
            power: self.power(),
            edp_pj_cycles: evaluated.score(ScheduleObjective::EnergyDelay),
            peak_on_chip_bits: account.peak_bits(),
            mac_use: study.mac_use(account.latency_cycles),
            tile_size: tile_size(),
            tile_sizes: search.as_ref().map(|search| search.points().map(TileSize::new).collect()),
            single_core: single,
            tiles: account.tiles.len(),
            tiles_solved: *problems,
            transfers: account.transfers.len(),
            layers: evaluated.choice.iter_enumerated().map(layer).collect(),
            stacks: stacks.iter().map(stack).collect(),
            cores: account.cores.iter().map(BusyCore::new).collect(),
            links: account
                .links
                .iter()
                .map(|link| BusyLink { name: link.name.clone(), busy_cycles: link.busy })
                .collect(),
            seconds: elapsed.as_secs_f64(),
        };
        found.json()
    }
}

/// What `fusescape cores --format json` prints: a network on many cores (Stream).
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct CoresFound<'a> {
    /// Name of the network, as its document has it.
    network: &'a str,
    /// Name of the system, as its document has it.
    system: &'a str,
    /// Makespan of the schedule, cycles.
    latency_cycles: f64,
    /// Energy, pJ.
    energy_pj: f64,
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schemars(schema_with = "fields::energy"))]
    energy_by_part: BTreeMap<String, f64>,
    /// Time, power and leakage; null where no clock is stated.
    power: Option<Power>,
    /// Product of energy and latency, pJ x cycles.
    edp_pj_cycles: f64,
    /// Most that lies in memories of the chip at any time, bits.
    peak_on_chip_bits: u64,
    /// Share of the multiply-accumulates possible on all arrays within the latency that the network needs.
    mac_use: f64,
    /// Size of the tiles, as `--tiles` takes it.
    tile_size: String,
    /// All tile sizes that were run to find the best; null where the size was stated.
    tile_sizes: Option<Vec<TileSize>>,
    /// The best core that computes all layers alone: in the best tile size that was run, or in the stated one; null where no core runs all
    /// layers.
    single_core: Option<CoreAlone>,
    /// Number of computation tiles.
    tiles: usize,
    /// Number of different tiles, each solved on every core that runs it.
    tiles_solved: usize,
    /// Number of transfers between cores, and to and from DRAM.
    transfers: usize,
    /// Where each layer is computed, in the order of the network.
    layers: Vec<LayerOnCores>,
    /// Layer stacks: the layers of each run fused, tile by tile.
    stacks: Vec<AllocatedStack>,
    /// The time of each core by cause.
    cores: Vec<BusyCore>,
    /// Links between cores, and to DRAM.
    links: Vec<BusyLink>,
    /// How long the search took, s.
    seconds: f64,
}

impl Report for CoresFound<'_> {
    const KIND: &'static str = "cores";
}

/// A tile size that was run.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct TileSize {
    /// Size of the tiles, as `--tiles` takes it.
    tile_size: String,
    /// Latency of its best schedule found, cycles; null where it has none.
    latency_cycles: Option<f64>,
    /// Energy of that schedule, pJ; null where it has none.
    energy_pj: Option<f64>,
    /// Number of its computation tiles; null where it has no schedule.
    tiles: Option<usize>,
    /// Why it has no schedule; null where it has one.
    why_none: Option<String>,
}

impl TileSize {
    fn new(point: &TilePoint) -> Self {
        let outcome = point.outcome.as_ref();
        Self {
            tile_size: point.cut.text(),
            latency_cycles: outcome.ok().map(|outcome| outcome.latency_cycles),
            energy_pj: outcome.ok().map(|outcome| outcome.energy_pj),
            tiles: outcome.ok().map(|outcome| outcome.tiles),
            why_none: outcome.err().cloned(),
        }
    }
}

/// A core that computes all layers alone.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct CoreAlone {
    /// As in the system's document.
    core: String,
    /// Size of its tiles, as `--tiles` takes it.
    tile_size: String,
    /// Time of the whole network on this core, cycles.
    latency_cycles: f64,
    /// Its energy, pJ.
    energy_pj: f64,
    /// Its latency divided by that of the schedule.
    speed_up: f64,
}

/// A layer, and who computes it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct LayerOnCores {
    /// As in the network's document.
    name: String,
    /// Cores that compute it, by name.
    cores: Vec<String>,
}

/// A layer stack, and what the search for its cores found.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct AllocatedStack {
    /// Layers of the stack, by name.
    layers: Vec<String>,
    /// Tiles of one iteration.
    tiles_of_an_iteration: usize,
    /// Number of iterations.
    iterations: usize,
    /// Latency of the best allocation if nothing had to travel, cycles; null where there is none.
    cycles: Option<f64>,
    /// Proved lower bound on that latency, cycles.
    bound_cycles: f64,
    /// Whether the allocation is proved the fastest if nothing had to travel.
    proved: bool,
}

/// A core, and its cycles by cause.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct BusyCore {
    /// As in the system's document.
    name: String,
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schemars(schema_with = "fields::cycles"))]
    cycles: BTreeMap<String, f64>,
}

impl BusyCore {
    fn new(core: &CoreTime) -> Self {
        let cycles = CoreTimeCause::ALL.map(|cause| (cycles_field(cause), core.cycles[cause]));
        Self { name: core.name.clone(), cycles: cycles.into() }
    }
}

/// Use of a link between cores, or to the memory off the chip.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct BusyLink {
    /// As in the system's document.
    name: String,
    /// How long it carries something, cycles.
    busy_cycles: f64,
}

fn energy_field(part: CoresPart) -> String {
    format!("energy_{}_pj", part.key())
}

fn cycles_field(cause: CoreTimeCause) -> String {
    format!("{}_cycles", cause.key())
}

#[cfg(feature = "schema")]
mod fields {
    use super::{CoreTimeCause, CoresPart, cycles_field, energy_field};
    use fusescape_engine::schema::{described, object};
    use schemars::{Schema, SchemaGenerator};

    pub fn energy(generator: &mut SchemaGenerator) -> Schema {
        let meaning = |part: CoresPart| format!("Energy of {}, pJ.", part.title());
        object(CoresPart::ALL.map(|part| (energy_field(part), described::<f64>(generator, meaning(part)))))
    }

    pub fn cycles(generator: &mut SchemaGenerator) -> Schema {
        let meaning = |cause: CoreTimeCause| format!("Time of {}, cycles.", cause.key());
        object(CoreTimeCause::ALL.map(|cause| (cycles_field(cause), described::<f64>(generator, meaning(cause)))))
    }
}
