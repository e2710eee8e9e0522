//! Figures of whole networks: one strategy, or a comparison of several (DeFiNES, case studies and Section VI).

use super::choice::DocumentChoice;
use super::measure::{RunFigure, SweepFigure};
use super::run_strategy::RunStrategy;
use fusescape_engine::cost::{AccessCause, EnergyCause, EnergySplit};
use fusescape_engine::depth_first::{
    DepthFirstStrategy, FuseDepth, MemoryAccount, PointAccount, Skipping, StoringMode,
};
use fusescape_engine::explore::{
    CostStore, IncrementalSweep, PointSummary, Request, Settings, Sweep, best_combination,
};
use fusescape_engine::hardware::{Core, Operand};
use fusescape_engine::ties::{self, TilePlace};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::rc::Rc;

/// DRAM words that differ by a smaller share count as equal: borders of the map cause such differences.
const ALIKE: f64 = 1e-3;

/// Hardware and network.
type DocumentPair<'a> = (&'a DocumentChoice, &'a DocumentChoice);

/// All feasible points of a sweep.
struct SweptLandscape {
    strategies: Vec<DepthFirstStrategy>,
    points: Vec<(PointSummary, EnergySplit)>,
}

/// The cost of a network under one strategy.
#[derive(Debug, Clone, Copy)]
struct StrategyCost {
    energy_pj: f64,
    latency_cycles: u64,
    macs: u64,
    dram_words: f64,
    /// Index of tile and mode, if all stacks have the same.
    strategy: Option<usize>,
}

/// Memories whose energy a search counts as 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IgnoredEnergies {
    None,
    /// All memories except the highest.
    OnChip,
    /// All memories that hold only weights.
    Weights,
}

impl IgnoredEnergies {
    fn of(way: RunStrategy) -> Self {
        match way {
            RunStrategy::LeastDramAccesses | RunStrategy::BestOfLeastDram | RunStrategy::WorstOfLeastDram => {
                Self::OnChip
            }
            RunStrategy::LeastFeatureEnergy => Self::Weights,
            _ => Self::None,
        }
    }

    fn applied_to(self, mut core: Core) -> Core {
        let highest = core.top(Operand::O);
        for (id, memory) in core.memories.iter_mut_enumerated() {
            let is_unseen = match self {
                Self::None => false,
                Self::OnChip => id != highest,
                Self::Weights => memory.operands == [Operand::W],
            };
            if is_unseen {
                (memory.read_energy_pj, memory.write_energy_pj) = (0.0, 0.0);
            }
        }
        core
    }
}

/// Cached sweeps, by their inputs.
#[derive(Default)]
pub struct Landscapes {
    known: HashMap<String, Rc<SweptLandscape>>,
    store: CostStore,
}

impl Landscapes {
    /// A figure of one strategy for the network.
    pub fn run(
        &mut self,
        place: DocumentPair<'_>,
        settings: &Settings,
        figure: RunFigure,
        way: RunStrategy,
    ) -> Result<f64, String> {
        let settings = settings_of(way, settings);
        let landscape = self.landscape(place, &settings, Some(way))?;
        let cost = landscape.cost(way, &settings)?;
        let strategy = || {
            let strategy = cost.strategy.and_then(|point| landscape.strategies.get(point));
            strategy.ok_or_else(|| "Each stack has a tile of its own".to_owned())
        };
        Ok(match figure {
            RunFigure::Energy => cost.energy_pj,
            RunFigure::Latency => cost.latency_cycles as f64,
            RunFigure::Macs => cost.macs as f64,
            RunFigure::DramAccesses => cost.dram_words,
            RunFigure::TileColumns => strategy()?.tile.0 as f64,
            RunFigure::TileRows => strategy()?.tile.1 as f64,
            RunFigure::TilePixels => strategy()?.tile.0 as f64 * strategy()?.tile.1 as f64,
            RunFigure::TileTypes => {
                let account = self.account(place, &settings, &cost, way)?;
                account.stacks.iter().map(|stack| stack.tile_types.len()).sum::<usize>() as f64
            }
        })
    }

    /// Share of a memory in the energy of one strategy.
    pub fn memory_share(
        &mut self,
        place: DocumentPair<'_>,
        settings: &Settings,
        memory: &str,
        way: RunStrategy,
    ) -> Result<f64, String> {
        let (found, energy_pj) = self.memory(place, settings, memory, way)?;
        Ok(found.energy_pj.total() / energy_pj)
    }

    /// Elements read from and written to a memory under one strategy.
    pub fn memory_elements(
        &mut self,
        place: DocumentPair<'_>,
        settings: &Settings,
        memory: &str,
        way: RunStrategy,
    ) -> Result<f64, String> {
        Ok(self.memory(place, settings, memory, way)?.0.elements.total())
    }

    /// The account of a memory, and the total energy, pJ.
    fn memory(
        &mut self,
        place: DocumentPair<'_>,
        settings: &Settings,
        memory: &str,
        way: RunStrategy,
    ) -> Result<(MemoryAccount, f64), String> {
        let settings = settings_of(way, settings);
        let cost = self.landscape(place, &settings, Some(way))?.cost(way, &settings)?;
        let account = self.account(place, &settings, &cost, way)?;
        let found = account.memories.into_iter().find(|other| other.name == memory);
        Ok((found.ok_or_else(|| format!("There is no memory `{memory}`"))?, account.energy_pj))
    }

    fn account(
        &mut self,
        place: DocumentPair<'_>,
        settings: &Settings,
        cost: &StrategyCost,
        way: RunStrategy,
    ) -> Result<PointAccount, String> {
        let point = cost.strategy.ok_or("Each stack has a tile of its own")?;
        let sweep = sweep(place, settings)?.skipping(skipping_of(Some(way)));
        let account = IncrementalSweep::new(sweep).account(&mut self.store, point);
        account.map_err(|wrong| wrong.to_string())
    }

    /// Ratio of the largest to the smallest value over all points.
    pub fn spread(&mut self, place: DocumentPair<'_>, settings: &Settings, figure: SweepFigure) -> Result<f64, String> {
        let landscape = self.landscape(place, settings, None)?;
        let values = landscape.points.iter().map(|(point, _)| match figure {
            SweepFigure::EnergySpread => point.energy_pj,
            SweepFigure::LatencySpread => point.latency_cycles as f64,
        });
        let (most, least) = values.fold((0.0_f64, f64::INFINITY), |(most, least), v| (most.max(v), least.min(v)));
        Ok(most / least)
    }

    /// Energy, ratio of one strategy to another: geometric mean over networks, and the largest over pairs of hardware.
    pub fn gain(
        &mut self,
        (from, to): (RunStrategy, RunStrategy),
        hardware: &[DocumentPair<'_>],
        workloads: &[&DocumentChoice],
        settings: &Settings,
    ) -> Result<f64, String> {
        let mut largest = 0.0_f64;
        for &(from_hardware, to_hardware) in hardware {
            let mut logarithms = 0.0;
            for workload in workloads {
                let mut energy = |hardware, way| self.run((hardware, *workload), settings, RunFigure::Energy, way);
                logarithms += (energy(from_hardware, from)? / energy(to_hardware, to)?).ln();
            }
            largest = largest.max((logarithms / workloads.len() as f64).exp());
        }
        Ok(largest)
    }

    fn landscape(
        &mut self,
        place: DocumentPair<'_>,
        settings: &Settings,
        way: Option<RunStrategy>,
    ) -> Result<Rc<SweptLandscape>, String> {
        let blindness = way.map_or(IgnoredEnergies::None, IgnoredEnergies::of);
        let skipping =
            if way == Some(RunStrategy::SkippingDramOnly) { Skipping::HighestLevel } else { Skipping::AllLevels };
        let name = format!("{}\n{}\n{settings:?} {blindness:?} {skipping:?}", place.0.key(), place.1.key());
        if let Some(known) = self.known.get(&name) {
            return Ok(Rc::clone(known));
        }
        let mut sweep = sweep(place, settings)?;
        sweep = sweep.skipping(skipping);
        if blindness != IgnoredEnergies::None {
            let guide = blindness.applied_to(sweep.core.clone());
            sweep = sweep.guided_by(guide);
        }
        let mut incremental = IncrementalSweep::new(sweep);
        let strategies = incremental.strategies().to_vec();
        let mut points = Vec::new();
        for point in 0..strategies.len() {
            // An infeasible point is no candidate.
            if let Ok(totals) = incremental.totals(&mut self.store, point, &mut || true) {
                points.push((incremental.summarize(point, &totals), totals.energy));
            }
        }
        let landscape = Rc::new(SweptLandscape { strategies, points });
        Ok(Rc::clone(self.known.entry(name).or_insert(landscape)))
    }
}

fn skipping_of(way: Option<RunStrategy>) -> Skipping {
    if way == Some(RunStrategy::SkippingDramOnly) { Skipping::HighestLevel } else { Skipping::AllLevels }
}

fn sweep((hardware, workload): DocumentPair<'_>, settings: &Settings) -> Result<Sweep, String> {
    let request = Request {
        hardware: hardware.text().to_owned(),
        workload: workload.text().to_owned(),
        settings: settings.clone(),
    };
    Sweep::new(&request).map_err(|wrong| wrong.to_string())
}

/// The sweep that contains the strategy as a point.
fn settings_of(way: RunStrategy, settings: &Settings) -> Settings {
    let whole = |fuse| Settings {
        tiles_x: vec![u64::MAX],
        tiles_y: vec![u64::MAX],
        modes: vec![StoringMode::FullyRecompute],
        fuse: vec![fuse],
        ..settings.clone()
    };
    match way {
        RunStrategy::SingleLayer => {
            let mut single = whole(FuseDepth::SingleLayer);
            // With this defect the tool computes most of the network twice, which no published figure shows.
            single.rules.cut_after_first_layer_ignored = false;
            single
        }
        RunStrategy::LayerByLayer => whole(FuseDepth::LayerByLayer),
        RunStrategy::Tile((x, y), mode) => {
            Settings { tiles_x: vec![x], tiles_y: vec![y], modes: vec![mode], ..settings.clone() }
        }
        _ => settings.clone(),
    }
}

impl SweptLandscape {
    fn cost(&self, way: RunStrategy, settings: &Settings) -> Result<StrategyCost, String> {
        let nothing = || format!("No point is {way}, or none can be scheduled");
        if way == RunStrategy::BestCombination {
            let points: Vec<PointSummary> = self.points.iter().map(|(point, _)| point.clone()).collect();
            let best = best_combination(settings, &self.strategies, &points).ok_or_else(nothing)?;
            let (energy_pj, latency_cycles) = (best.energy_pj, best.latency_cycles);
            return Ok(StrategyCost { energy_pj, latency_cycles, macs: 0, dram_words: 0.0, strategy: None });
        }
        let mode = match way {
            RunStrategy::Best(mode) => mode,
            _ => None,
        };
        let strategy = |point: &PointSummary| &self.strategies[point.point];
        let of_mode = self.points.iter().filter(|(point, _)| mode.is_none_or(|mode| strategy(point).mode == mode));
        let fewest = self.points.iter().map(|(point, _)| point.dram_words).fold(f64::INFINITY, f64::min);
        let by_rule = |(a, of_a): &&(PointSummary, EnergySplit), (b, of_b): &&(PointSummary, EnergySplit)| match way {
            RunStrategy::LeastDramAccesses => {
                let key = |point: &PointSummary| {
                    let DepthFirstStrategy { tile: (x, y), mode, .. } = strategy(point);
                    let area = x.saturating_mul(*y);
                    (point.dram_words > fewest * (1.0 + ALIKE), std::cmp::Reverse(area), *mode)
                };
                key(a).cmp(&key(b))
            }
            RunStrategy::BestOfLeastDram | RunStrategy::WorstOfLeastDram => {
                let is_more = |point: &PointSummary| point.dram_words > fewest * (1.0 + ALIKE);
                let by_energy = a.energy_pj.total_cmp(&b.energy_pj);
                let by_energy = if way == RunStrategy::BestOfLeastDram { by_energy } else { by_energy.reverse() };
                is_more(a).cmp(&is_more(b)).then(by_energy)
            }
            RunStrategy::LeastFeatureEnergy => {
                let of = |split: &EnergySplit, cause| split[EnergyCause::Access(cause)];
                let features = |split: &EnergySplit| of(split, AccessCause::Activation) + of(split, AccessCause::Copy);
                features(of_a).total_cmp(&features(of_b))
            }
            _ => Ordering::Equal,
        };
        let least = |score: fn(&PointSummary) -> f64| {
            ties::best(of_mode.clone(), |(point, _)| {
                let figures = [score(point), point.latency_cycles as f64, point.energy_pj];
                (figures, TilePlace::of(strategy(point)))
            })
        };
        let chosen = match way {
            RunStrategy::LeastDramAccesses
            | RunStrategy::BestOfLeastDram
            | RunStrategy::WorstOfLeastDram
            | RunStrategy::LeastFeatureEnergy => of_mode.clone().min_by(by_rule),
            RunStrategy::Fastest => least(|point| point.latency_cycles as f64),
            _ => least(|point| point.energy_pj),
        };
        let (point, _) = chosen.ok_or_else(nothing)?;
        Ok(StrategyCost {
            energy_pj: point.energy_pj,
            latency_cycles: point.latency_cycles,
            macs: point.macs,
            dram_words: point.dram_words,
            strategy: Some(point.point),
        })
    }
}
