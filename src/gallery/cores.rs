//! Networks on many cores (Stream, Table 2 and Section 6).

use super::opening::{Opening, read_tiles};
use super::parameters::{MeasureParameters, choose};
use fusescape_engine::multicore::{
    CoreId, CoresAccount, CoresProblem, CoresRequest, CoresSettings, EvaluatedAllocation, Evolution, MemoryUsage,
    NestId, OrderRule, ScheduleObjective, Scheduler, StackAllocation, StackId, StackRule, TileCosts, TileGranularity,
};
use fusescape_engine::ties;
use fusescape_spec::{Preset, system_presets, workload_presets};

/// A figure of a network on many cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoresFigure {
    /// Cycles.
    Latency,
    /// Cycles with transfers that take no time.
    IntraCoreLatency,
    /// Iterations of the first stack.
    Iterations,
    /// Iterations of the first stack in the steady state.
    SteadyIterations,
    /// Tiles of one iteration in the steady state.
    SteadyTiles,
    /// pJ.
    Energy,
    /// Largest total usage of the memories of the cores, bytes.
    PeakMemory,
    /// Energy-delay product, ratio of layer by layer to the entry's tiles.
    LayersOverTiles,
    /// Energy-delay product, ratio of each tile on one core to shared tiles.
    SingleOverShared,
    /// Energy-delay product, ratio of the result of evolution to shared tiles.
    EvolvedOverShared,
    /// Energy-delay product, ratio to that on another system.
    OverSystem,
}

/// The run of a figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoresSetup {
    /// `None` for that of the entry.
    scheduler: Option<Scheduler>,
    /// `None` for that of the entry.
    workload: Option<&'static Preset>,
    /// `None` for that of the entry.
    system: Option<&'static Preset>,
    /// The other system of a ratio.
    against: Option<&'static Preset>,
    /// `None` for those of the entry.
    tiles: Option<TileGranularity>,
    /// `None` for that of the entry.
    order: Option<OrderRule>,
    /// Name of a memory, for the peak usage of one; of several with this name, the highest peak.
    memory: Option<String>,
}

impl CoresSetup {
    /// Reads the parameters of a measure.
    pub(super) fn read(of: &mut MeasureParameters<'_>) -> Self {
        let names = Scheduler::ALL.map(|scheduler| (scheduler.name(), scheduler));
        let scheduler = of.optional("scheduler", |word| choose(word, &names));
        let orders = OrderRule::ALL.map(|order| (order.name(), order));
        Self {
            scheduler,
            workload: of.presets("workload", workload_presets(), None).first().copied(),
            system: of.presets("system", system_presets(), None).first().copied(),
            against: of.presets("against", system_presets(), None).first().copied(),
            tiles: of.word("tiles").map(|word| read_tiles(&word)),
            order: of.optional("order", |word| choose(word, &orders)),
            memory: of.word("memory"),
        }
    }

    /// The figure, in the base unit of its quantity.
    ///
    /// # Errors
    /// The reason why there is none.
    pub(super) fn figure(&self, opens: &Opening, figure: CoresFigure) -> Result<f64, String> {
        let cores = opens.cores.as_ref().ok_or("The entry names no system")?;
        let (system, mut settings) = (self.system.unwrap_or(cores.system), cores.settings.clone());
        settings.scheduler = self.scheduler.unwrap_or(settings.scheduler);
        settings.order = self.order.or(settings.order);
        settings.granularity = self.tiles.clone().unwrap_or(settings.granularity);
        let request = CoresRequest {
            hardware: opens.hardware.text().to_owned(),
            workload: self.workload.map_or(opens.workload.text(), |preset| preset.text).to_owned(),
            system: system.text.to_owned(),
            settings,
        };
        match figure {
            CoresFigure::Iterations | CoresFigure::SteadyIterations | CoresFigure::SteadyTiles => {
                let study = CoresProblem::new(&request).map_err(|wrong| wrong.to_string())?;
                let steady = study.steady_state(StackId::default());
                Ok(match figure {
                    CoresFigure::Iterations => steady.all.len(),
                    CoresFigure::SteadyIterations => steady.iterations,
                    _ => steady.tiles.len(),
                } as f64)
            }
            CoresFigure::Latency | CoresFigure::IntraCoreLatency | CoresFigure::Energy | CoresFigure::PeakMemory => {
                let mut study = CoresProblem::new(&request).map_err(|wrong| wrong.to_string())?;
                if figure == CoresFigure::IntraCoreLatency {
                    study = study.with_instant_links();
                }
                let mut costs = TileCosts::default();
                let (evaluated, stacks) = self.evaluated(&study, &mut costs, &cores.allocation)?;
                let account = study
                    .account(&mut costs, &stacks, &evaluated.choice, Some(evaluated.order))
                    .map_err(|wrong| wrong.to_string())?
                    .1;
                Ok(match figure {
                    CoresFigure::Latency | CoresFigure::IntraCoreLatency => account.latency_cycles,
                    CoresFigure::Energy => account.energy.total_pj(),
                    _ => self.peak_bits(&account) as f64 / 8.0,
                })
            }
            CoresFigure::LayersOverTiles => {
                let settings = CoresSettings {
                    granularity: TileGranularity::LayerByLayer,
                    stacks: StackRule::EachLayer,
                    ..request.settings.clone()
                };
                let layers = CoresRequest { settings, ..request.clone() };
                Ok(product(&layers, AllocationMethod::Best)? / product(&request, AllocationMethod::Best)?)
            }
            CoresFigure::SingleOverShared => {
                Ok(product(&request, AllocationMethod::Single)? / product(&request, AllocationMethod::Best)?)
            }
            CoresFigure::OverSystem => {
                let other = self.against.ok_or("There is no system to compare with")?.text.to_owned();
                let other = CoresRequest { system: other, ..request.clone() };
                Ok(product(&request, AllocationMethod::Best)? / product(&other, AllocationMethod::Best)?)
            }
            CoresFigure::EvolvedOverShared => {
                Ok(product(&request, AllocationMethod::Evolved)? / product(&request, AllocationMethod::Best)?)
            }
        }
    }

    /// The cost of the entry's allocation, if stated, or of the best one.
    fn evaluated(
        &self,
        study: &CoresProblem,
        costs: &mut TileCosts,
        allocation: &[(String, Vec<CoreId>)],
    ) -> Result<(EvaluatedAllocation, Vec<StackAllocation>), String> {
        if allocation.is_empty() {
            return study.best(costs).map_err(|wrong| wrong.to_string());
        }
        let names = study.layer_names();
        let by_hand = |(layer, name): (NestId, &String)| {
            let known = allocation.iter().find(|known| known.0 == *name);
            known.map_or_else(|| study.able(layer)[..1].to_vec(), |known| known.1.clone())
        };
        let choice = names.iter_enumerated().map(by_hand).collect();
        let evaluated = study.evaluate(costs, &[], &choice, None).map_err(|wrong| wrong.to_string())?;
        Ok((evaluated, Vec::new()))
    }

    fn peak_bits(&self, account: &CoresAccount) -> u64 {
        let Some(name) = &self.memory else { return account.peak_bits() };
        let of_name = |memory: &&MemoryUsage| memory.name.split(" of ").next() == Some(name);
        account.memories.iter().filter(of_name).map(|memory| memory.peak_bits).max().unwrap_or(0)
    }
}

/// The method that allocates cores.
enum AllocationMethod {
    /// The best, with tiles shared by several cores if that is better.
    Best,
    /// The best with each tile on one core.
    Single,
    /// The genetic search.
    Evolved,
}

/// The smallest energy-delay product, pJ x cycles.
fn product(request: &CoresRequest, method: AllocationMethod) -> Result<f64, String> {
    let mut request = request.clone();
    request.settings.objective = ScheduleObjective::EnergyDelay;
    let study = CoresProblem::new(&request).map_err(|wrong| wrong.to_string())?;
    let mut costs = TileCosts::default();
    let evaluated = match method {
        AllocationMethod::Best => study.best(&mut costs).map(|best| best.0).map_err(|wrong| wrong.to_string())?,
        AllocationMethod::Single => {
            study.best_single(&mut costs).map(|best| best.0).map_err(|wrong| wrong.to_string())?
        }
        AllocationMethod::Evolved => {
            let front = study.evolve(&mut costs, Evolution::PAPER);
            ties::best(front, |found| (found.figures(ScheduleObjective::EnergyDelay), ()))
                .ok_or("No individual has a schedule")?
        }
    };
    Ok(evaluated.score(ScheduleObjective::EnergyDelay))
}
