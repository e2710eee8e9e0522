//! Figures of mapping spaces: ZigZag's strategies, even and uneven mappings (ZigZag, case study 1).

use super::layer::design_layer;
use super::opening::Opening;
use fusescape_engine::search::space::{MappingSpace, Pruning, SpaceOptions, SpaceSearch, explore_space};
use fusescape_engine::search::{Constraints, Evenness, Limits, Objective, Proof, Strategy, find_best_under};
use std::collections::HashMap;
use std::rc::Rc;

/// A figure of mapping spaces (ZigZag, case study 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpaceFigure {
    /// Ratio of the uneven blockings to the even ones, averaged.
    UnevenPerEven,
    /// Ratio of the largest to the smallest energy, averaged.
    EnergySpread,
    /// Ratio of the largest to the smallest latency of a sample, averaged.
    LatencySpread,
    /// Number of mappings of the exhaustive search, summed.
    Mappings,
    /// Number of mappings of the heuristic search, summed.
    HeuristicMappings,
    /// Ratio of the heuristic's mappings to those of the exhaustive search.
    HeuristicShare,
    /// Number of partial mappings of the iterative search, summed.
    IterativePartial,
    /// Number of orders that the iterative search evaluates for its last blocking, summed.
    IterativeFinal,
    /// Smallest energy, ratio of the heuristic to the exhaustive search, averaged.
    HeuristicOverExhaustive,
    /// Smallest energy, ratio of the iterative to the exhaustive search, averaged.
    IterativeOverExhaustive,
}

impl SpaceFigure {
    /// Whether it is a number of mappings.
    pub(super) fn is_count(self) -> bool {
        matches!(self, Self::Mappings | Self::HeuristicMappings | Self::IterativePartial | Self::IterativeFinal)
    }
}

/// Number of mappings of either kind that are evaluated with their latency.
const SAMPLES: usize = 600;

/// The layers of a mapping space.
#[derive(Debug, Clone, PartialEq)]
pub struct MappingSpaceSetup {
    /// Names of the layers; empty for the layer of the entry.
    pub layers: Vec<String>,
    /// Smallest utilization of a shared memory, unless it holds everything: ZigZag's default is 0.7.
    pub min_utilization: f64,
}

/// Cached mapping spaces, by their inputs.
#[derive(Default)]
pub struct MappingSpaces {
    known: HashMap<String, Rc<MappingSpace>>,
}

impl MappingSpaces {
    /// A figure over the layers.
    pub fn figure(&mut self, opens: &Opening, figure: SpaceFigure, of: &MappingSpaceSetup) -> Result<f64, String> {
        let layers = layers_of(opens, &of.layers);
        if matches!(figure, SpaceFigure::HeuristicShare | SpaceFigure::HeuristicMappings) {
            let mut mappings = |pruning| -> Result<f64, String> {
                layers.iter().map(|layer| Ok(self.space(opens, layer, of, pruning)?.mappings as f64)).sum()
            };
            let heuristic = mappings(Pruning::Heuristic)?;
            let is_share = figure == SpaceFigure::HeuristicShare;
            return Ok(if is_share { heuristic / mappings(Pruning::None)? } else { heuristic });
        }
        let each: Vec<f64> = layers
            .iter()
            .map(|layer| self.of_layer(opens, figure, layer, of).map_err(|wrong| format!("{layer}: {wrong}")))
            .collect::<Result<_, _>>()?;
        let sum: f64 = each.iter().sum();
        Ok(if figure.is_count() { sum } else { sum / each.len() as f64 })
    }

    fn of_layer(
        &mut self,
        opens: &Opening,
        figure: SpaceFigure,
        layer: &str,
        of: &MappingSpaceSetup,
    ) -> Result<f64, String> {
        let all = self.space(opens, layer, of, Pruning::None)?;
        let least = least(&all)?;
        Ok(match figure {
            SpaceFigure::UnevenPerEven => (all.blockings - all.even_blockings) as f64 / all.even_blockings as f64,
            SpaceFigure::EnergySpread => all.most_energy_pj / least,
            SpaceFigure::LatencySpread => {
                let cycles = || all.points.iter().map(|point| point.latency_cycles as f64);
                cycles().fold(0.0, f64::max) / cycles().fold(f64::INFINITY, f64::min)
            }
            SpaceFigure::Mappings => all.mappings as f64,
            SpaceFigure::HeuristicShare | SpaceFigure::HeuristicMappings | SpaceFigure::HeuristicOverExhaustive => {
                self::least(&*self.space(opens, layer, of, Pruning::Heuristic)?)? / least
            }
            SpaceFigure::IterativePartial | SpaceFigure::IterativeFinal | SpaceFigure::IterativeOverExhaustive => {
                let design_layer = design_layer(opens, Some(layer.to_owned()))?;
                let problem = design_layer.on_core();
                let search = SpaceSearch::new(&problem, options(opens, of, Pruning::None));
                let found = search.map_err(|refusal| refusal.to_string())?.iterative();
                match figure {
                    SpaceFigure::IterativePartial => found.partial as f64,
                    SpaceFigure::IterativeFinal => found.evaluated as f64,
                    _ => found.best.ok_or("The iterative search finds no mapping")?.energy_pj / least,
                }
            }
        })
    }

    fn space(
        &mut self,
        opens: &Opening,
        layer: &str,
        of: &MappingSpaceSetup,
        pruning: Pruning,
    ) -> Result<Rc<MappingSpace>, String> {
        let options = options(opens, of, pruning);
        let (hardware, workload) = (opens.hardware.key(), opens.workload.key());
        let name = format!("{hardware} {workload} {layer} {:?} {options:?}", opens.settings.rules);
        if let Some(known) = self.known.get(&name) {
            return Ok(Rc::clone(known));
        }
        let design_layer = design_layer(opens, Some(layer.to_owned()))?;
        let problem = design_layer.on_core();
        let search = SpaceSearch::new(&problem, options).map_err(|refusal| refusal.to_string())?;
        let space = explore_space(&search, |_, _| true);
        Ok(Rc::clone(self.known.entry(name).or_insert(Rc::new(space))))
    }
}

fn options(opens: &Opening, of: &MappingSpaceSetup, pruning: Pruning) -> SpaceOptions {
    SpaceOptions {
        pruning,
        lpf_limit: opens.settings.lpf_limit,
        min_shared_utilization: of.min_utilization,
        samples: SAMPLES,
        ..SpaceOptions::default()
    }
}

fn layers_of<'l>(opens: &'l Opening, layers: &'l [String]) -> &'l [String] {
    match (layers, &opens.layer) {
        ([], Some(layer)) => std::slice::from_ref(layer),
        (layers, _) => layers,
    }
}

/// Energy, ratio of the best even mapping to the best, both proved, averaged over layers; over that of the entry where
/// none is named.
pub fn even_over_uneven(opens: &Opening, layers: &[String], evenness: Evenness) -> Result<f64, String> {
    let layers = layers_of(opens, layers);
    let of_layer = |layer: &String| {
        let design_layer = design_layer(opens, Some(layer.clone()))?;
        let problem = design_layer.on_core();
        let least = |even: Option<Evenness>| {
            let constraints = Constraints { even, ..Constraints::default() };
            let (objective, limits) = (Objective::Energy, Limits::default());
            let found = find_best_under(&constraints, &problem, &objective, &limits, Strategy::Exact, &|| true)
                .map_err(|wrong| wrong.to_string())?;
            let is_proved = matches!(found.proof, Proof::Optimal | Proof::OptimalButForTies);
            let best = found.best.filter(|_| is_proved);
            best.map(|best| best.energy_pj).ok_or_else(|| format!("{layer}: No mapping is proved to be the best"))
        };
        Ok::<f64, String>(least(Some(evenness))? / least(None)?)
    };
    let ratios: Vec<f64> = layers.iter().map(of_layer).collect::<Result<_, _>>()?;
    Ok(ratios.iter().sum::<f64>() / ratios.len() as f64)
}

fn least(space: &MappingSpace) -> Result<f64, String> {
    space.best.as_ref().map(|best| best.energy_pj).ok_or_else(|| "There is no mapping".to_owned())
}
