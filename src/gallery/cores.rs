//! Networks on many cores (Stream, Table 2 and Section 6).

use super::entry::Opening;
use super::parameters::{Parameters, choose};
use crate::multicore::{
    Aim, CoreId, CoresRequest, CoresSettings, CoresStudy, Evolution, Granularity, Judged, MemoryUse, NestId, OrderRule,
    Scheduler, StackAllocation, StackRule, SystemAccount, TileCosts,
};
use crate::spec::{Preset, workload_presets};

/// A figure of a network on many cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoresFigure {
    /// Cycles.
    Latency,
    /// pJ.
    Energy,
    /// Bytes in the memories of the cores at most at once.
    PeakMemory,
    /// Energy-delay product layer by layer, by that of the entry's tiles.
    LayersOverTiles,
    /// Energy-delay product with each tile on one core, by that with tiles that cores share.
    SingleOverShared,
    /// Energy-delay product of what evolution finds, by that with tiles that cores share.
    EvolvedOverShared,
}

/// Of which run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoresOf {
    /// The scheduler; `None`: that of the entry.
    scheduler: Option<Scheduler>,
    /// The network; `None`: that of the entry.
    workload: Option<&'static Preset>,
    /// Which tile is next; `None`: as in the entry.
    order: Option<OrderRule>,
    /// Of which memory, by its name, where it is of one; the highest peak of those of this name.
    memory: Option<String>,
}

/// Individuals and generations of the evolution.
const EVOLUTION: Evolution = Evolution { individuals: 16, generations: 16, seed: Evolution::SEED };

impl CoresOf {
    /// Reads the parameters of a measure.
    pub(super) fn read(of: &mut Parameters<'_>) -> Self {
        let names = Scheduler::ALL.map(|scheduler| (scheduler.name(), scheduler));
        let scheduler = of.optional("scheduler", |word| choose(word, &names));
        let orders = OrderRule::ALL.map(|order| (order.name(), order));
        Self {
            scheduler,
            workload: of.presets("workload", workload_presets(), None).first().copied(),
            order: of.optional("order", |word| choose(word, &orders)),
            memory: of.word("memory"),
        }
    }

    /// The figure, in the base unit of its quantity.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn figure(&self, opens: &Opening, figure: CoresFigure) -> Result<f64, String> {
        let cores = opens.cores.as_ref().ok_or("The entry names no system")?;
        let (system, mut settings) = (cores.system, cores.settings.clone());
        settings.scheduler = self.scheduler.unwrap_or(settings.scheduler);
        settings.order = self.order.or(settings.order);
        let request = CoresRequest {
            hardware: opens.hardware.text.to_owned(),
            workload: self.workload.unwrap_or(opens.workload).text.to_owned(),
            system: system.text.to_owned(),
            settings,
        };
        match figure {
            CoresFigure::Latency | CoresFigure::Energy | CoresFigure::PeakMemory => {
                let study = CoresStudy::new(&request).map_err(|wrong| wrong.to_string())?;
                let mut costs = TileCosts::default();
                let (judged, stacks) = self.judged(&study, &mut costs, &cores.allocation)?;
                let account = study
                    .account(&mut costs, &stacks, &judged.choice, Some(judged.order))
                    .map_err(|wrong| wrong.to_string())?
                    .1;
                Ok(match figure {
                    CoresFigure::Latency => account.latency_cycles,
                    CoresFigure::Energy => account.energy.total_pj(),
                    _ => self.peak_bits(&account) as f64 / 8.0,
                })
            }
            CoresFigure::LayersOverTiles => {
                let settings = CoresSettings {
                    granularity: Granularity::LayerByLayer,
                    stacks: StackRule::EachLayer,
                    ..request.settings.clone()
                };
                let layers = CoresRequest { settings, ..request.clone() };
                Ok(product(&layers, Found::Best)? / product(&request, Found::Best)?)
            }
            CoresFigure::SingleOverShared => Ok(product(&request, Found::Single)? / product(&request, Found::Best)?),
            CoresFigure::EvolvedOverShared => Ok(product(&request, Found::Evolved)? / product(&request, Found::Best)?),
        }
    }

    /// What the entry's allocation comes to, or else the best one.
    fn judged(
        &self,
        study: &CoresStudy,
        costs: &mut TileCosts,
        allocation: &[(String, Vec<CoreId>)],
    ) -> Result<(Judged, Vec<StackAllocation>), String> {
        if allocation.is_empty() {
            return study.best(costs).map_err(|wrong| wrong.to_string());
        }
        let names = study.layer_names();
        let by_hand = |(layer, name): (NestId, &String)| {
            let known = allocation.iter().find(|known| known.0 == *name);
            known.map_or_else(|| study.able(layer)[..1].to_vec(), |known| known.1.clone())
        };
        let choice = names.iter_enumerated().map(by_hand).collect();
        let judged = study.judge(costs, &[], &choice, None).map_err(|wrong| wrong.to_string())?;
        Ok((judged, Vec::new()))
    }

    fn peak_bits(&self, account: &SystemAccount) -> u64 {
        let Some(name) = &self.memory else { return account.peak_bits() };
        let of_name = |memory: &&MemoryUse| memory.name.split(" of ").next() == Some(name);
        account.memories.iter().filter(of_name).map(|memory| memory.peak_bits).max().unwrap_or(0)
    }
}

/// What is looked for.
enum Found {
    /// The best, with tiles that cores share where that is better.
    Best,
    /// The best with each tile on one core.
    Single,
    /// What evolution finds.
    Evolved,
}

/// The least energy-delay product, pJ x cycles.
fn product(request: &CoresRequest, found: Found) -> Result<f64, String> {
    let mut request = request.clone();
    request.settings.aim = Aim::EnergyDelay;
    let study = CoresStudy::new(&request).map_err(|wrong| wrong.to_string())?;
    let mut costs = TileCosts::default();
    let judged = match found {
        Found::Best => study.best(&mut costs).map(|best| best.0).map_err(|wrong| wrong.to_string())?,
        Found::Single => study.best_single(&mut costs).map(|best| best.0).map_err(|wrong| wrong.to_string())?,
        Found::Evolved => study
            .evolve(&mut costs, EVOLUTION)
            .into_iter()
            .min_by(|a, b| a.score(Aim::EnergyDelay).total_cmp(&b.score(Aim::EnergyDelay)))
            .ok_or("No individual has a schedule")?,
    };
    Ok(judged.score(Aim::EnergyDelay))
}
