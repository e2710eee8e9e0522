//! Figures of generated memory hierarchies (ZigZag, case studies 2 and 3).

use super::opening::Opening;
use super::parameters::MeasureParameters;
use fusescape_engine::hardware::Operand;
use fusescape_engine::hierarchy::{
    Exploration, Front, HierarchyCost, HierarchyProblem, HierarchyRequest, HierarchySettings, SearchOutcome, Sought,
    unrollings,
};
use fusescape_engine::job::finish;
use fusescape_engine::search::Objective;
use fusescape_spec::pool_presets;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// A figure of generated hierarchies (ZigZag, case studies 2 and 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HierarchyFigure {
    /// Number of valid hierarchies with a mapping.
    Count,
    /// Energy of the layers, each on its best hierarchy.
    FlexibleEnergy,
    /// Energy of all layers on one hierarchy: the best one among those that are best for some layer.
    FixedEnergy,
    /// Ratio of the flexible to the fixed energy.
    FlexibleOverFixed,
    /// Energy of layers on a hierarchy with stated capacities.
    EnergyOn,
    /// Ratio of the largest to the smallest energy over unrollings, on the best hierarchy with all memories shared.
    UnrollingSpreadShared,
    /// Ratio of the largest to the smallest energy over unrollings, on the best hierarchy with no memory shared but the
    /// highest.
    UnrollingSpreadSeparate,
}

/// The layers of a figure, and the capacities of a single hierarchy, if it is about one.
#[derive(Debug, Clone, PartialEq)]
pub struct HierarchiesSetup {
    /// Names of the layers.
    layers: Vec<String>,
    /// For W, I and O the capacities of one instance of each memory below the highest, bits, lowest first (ZigZag,
    /// Table VII).
    sizes: [(Operand, Vec<u64>); 3],
}

impl HierarchiesSetup {
    /// Reads `layers`, and for a single hierarchy `W`, `I` and `O`.
    pub(super) fn read(of: &mut MeasureParameters<'_>, figure: HierarchyFigure) -> Self {
        let layers = of.words("layers");
        let mut sizes = |name: &'static str| {
            let words = if figure == HierarchyFigure::EnergyOn { of.words(name) } else { Vec::new() };
            let size = |word: &String| {
                let size = word.parse().ok();
                if size.is_none() {
                    of.diagnostics.add(of.path_of(name), format!("`{word}` is no capacity"), "Write bits");
                }
                size
            };
            words.iter().filter_map(size).collect()
        };
        Self { layers, sizes: [(Operand::W, sizes("W")), (Operand::I, sizes("I")), (Operand::O, sizes("O"))] }
    }
}

/// Cached studies with the best hierarchy, by their inputs.
#[derive(Default)]
pub struct HierarchyStudies {
    known: HashMap<String, Rc<(Arc<HierarchyProblem>, HierarchyCost)>>,
}

impl HierarchyStudies {
    /// A figure over the layers with these names.
    pub fn figure(&mut self, opens: &Opening, figure: HierarchyFigure, of: &HierarchiesSetup) -> Result<f64, String> {
        let layers = of.layers.as_slice();
        if layers.is_empty() {
            return Err("No layers are named".to_owned());
        }
        match figure {
            HierarchyFigure::Count => {
                let study = HierarchyProblem::new(&request(opens, layers)).map_err(|wrong| wrong.to_string())?;
                Ok(study.hierarchies.iter().filter(|hierarchy| study.shortage(hierarchy).is_none()).count() as f64)
            }
            HierarchyFigure::FlexibleEnergy => self.flexible(opens, layers),
            HierarchyFigure::FixedEnergy => self.fixed(opens, layers),
            HierarchyFigure::FlexibleOverFixed => Ok(self.flexible(opens, layers)? / self.fixed(opens, layers)?),
            HierarchyFigure::EnergyOn => energy_on(opens, of),
            HierarchyFigure::UnrollingSpreadShared => unrolling_spread(opens, layers, true),
            HierarchyFigure::UnrollingSpreadSeparate => unrolling_spread(opens, layers, false),
        }
    }

    fn flexible(&mut self, opens: &Opening, layers: &[String]) -> Result<f64, String> {
        layers.iter().map(|layer| Ok(self.best(opens, layer)?.1.energy_pj)).sum()
    }

    /// All layers on the hierarchy that is best for one of them.
    fn fixed(&mut self, opens: &Opening, layers: &[String]) -> Result<f64, String> {
        let all = HierarchyProblem::new(&request(opens, layers)).map_err(|wrong| wrong.to_string())?;
        let mut least = f64::INFINITY;
        for layer in layers {
            let best = self.best(opens, layer)?;
            let hierarchy = &best.0.hierarchies[best.1.hierarchy as usize];
            if let Ok(results) = all.layer_results(hierarchy) {
                let sum = results.iter().map(|result| result.solution.energy_pj * result.count as f64).sum();
                least = least.min(sum);
            }
        }
        if least.is_finite() { Ok(least) } else { Err("No hierarchy can run all layers".to_owned()) }
    }

    fn best(&mut self, opens: &Opening, layer: &str) -> Result<Rc<(Arc<HierarchyProblem>, HierarchyCost)>, String> {
        let name = format!(
            "{} {} {layer} {:?} {:?}",
            opens.hardware.key(),
            opens.workload.key(),
            opens.settings,
            opens.budget_um2
        );
        if let Some(known) = self.known.get(&name) {
            return Ok(Rc::clone(known));
        }
        let study =
            Arc::new(HierarchyProblem::new(&request(opens, &[layer.to_owned()])).map_err(|wrong| wrong.to_string())?);
        let best = explore(&study).map_err(|why| format!("{layer}: {why}"))?;
        Ok(Rc::clone(self.known.entry(name).or_insert(Rc::new((study, best)))))
    }
}

fn request(opens: &Opening, layers: &[String]) -> HierarchyRequest {
    HierarchyRequest {
        pool: pool_presets().first().map(|pool| pool.text.to_owned()).unwrap_or_default(),
        hardware: opens.hardware.text().to_owned(),
        workload: opens.workload.text().to_owned(),
        settings: HierarchySettings {
            layers: layers.to_vec(),
            budget_um2: opens.budget_um2,
            objective: Objective::Energy,
            sought: Sought::Best,
            strategy: opens.settings.strategy,
            lpf_limit: opens.settings.lpf_limit,
            rules: opens.settings.rules,
            ..HierarchySettings::default()
        },
    }
}

/// The hierarchy of least energy.
fn explore(study: &Arc<HierarchyProblem>) -> Result<HierarchyCost, String> {
    let mut exploration = Exploration::of(study);
    finish(&mut exploration, &mut Arc::clone(study)).map_err(|wrong| wrong.to_string())?;
    exploration.best().ok_or_else(|| "nothing fits".to_owned())
}

/// Smallest energy on a hierarchy with these capacities, over all ways to share memories.
fn energy_on(opens: &Opening, of: &HierarchiesSetup) -> Result<f64, String> {
    let mut study = HierarchyProblem::new(&request(opens, &of.layers)).map_err(|wrong| wrong.to_string())?;
    let elements = study.elements.clone();
    study.hierarchies.retain(|hierarchy| {
        of.sizes.iter().all(|(operand, sizes)| {
            let placed = hierarchy.memories.iter().filter(|placed| placed.holds(*operand));
            placed.map(|placed| elements[placed.element as usize].size_bits).eq(sizes.iter().copied())
        })
    });
    Ok(explore(&Arc::new(study))?.energy_pj)
}

/// Ratio of the largest to the smallest energy over the unrollings that have a mapping, on the hierarchy that is best
/// under the stated one, among those in which all operands share every memory, or only the highest.
fn unrolling_spread(opens: &Opening, layers: &[String], shared: bool) -> Result<f64, String> {
    let mut study = HierarchyProblem::new(&request(opens, layers)).map_err(|wrong| wrong.to_string())?;
    study.hierarchies.retain(|hierarchy| {
        let holders = |placed: &fusescape_engine::hierarchy::HierarchyMemory| {
            Operand::ALL.into_iter().filter(|&of| placed.holds(of)).count()
        };
        let wanted = if shared { Operand::ALL.len() } else { 1 };
        let each = Operand::ALL.into_iter().all(|of| hierarchy.memories.iter().any(|placed| placed.holds(of)));
        each && hierarchy.memories.iter().all(|placed| holders(placed) == wanted)
    });
    let study = Arc::new(study);
    let best = explore(&study)?.hierarchy as usize;
    let energies: Vec<f64> = unrollings(&study)
        .iter()
        .filter_map(|unrolling| match study.unrolled(unrolling).search(best, &Front::default()) {
            SearchOutcome::Found(point) => Some(point.energy_pj),
            SearchOutcome::Pruned | SearchOutcome::Infeasible(_) => None,
        })
        .collect();
    let (most, least) = energies.iter().fold((0.0_f64, f64::INFINITY), |(most, least), &e| (most.max(e), least.min(e)));
    if energies.is_empty() { Err("No unrolling fits".to_owned()) } else { Ok(most / least) }
}
