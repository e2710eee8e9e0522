//! A network on many cores (Stream), tiles solved on all cores of this machine.

pub use super::cores_report::CoresReport;
use super::words::{Allocation, Tiles};
use super::{NoResult, Watch, unless_stopped, wrong};
use fusescape_engine::multicore::{
    CoreAllocation, CoreId, CoresRequest, CoresStudy, EvaluatedAllocation, Evolution, MOST_CHOICES, NestId,
    StackAllocation, TileCosts, TileCut, TileLadder, TilePoint, TileSearch, TileStage,
};
use fusescape_spec::Diagnostics;
use rayon::prelude::*;
use web_time::Instant;

/// Who decides what the settings of a request leave open.
#[derive(Debug, Clone)]
pub struct CoresOptions {
    /// How large computation tiles are, which comes before the granularity of the settings.
    pub tiles: Tiles,
    /// Which cores compute which layers.
    pub allocation: Allocation,
    /// Whether layers then get other cores, one after the other, as long as that makes the schedule better.
    pub improve: bool,
    /// How evolution goes, where it decides.
    pub evolution: Evolution,
}

impl Default for CoresOptions {
    fn default() -> Self {
        Self { tiles: None, allocation: Allocation::Best, improve: false, evolution: Evolution::PAPER }
    }
}

/// Finds the best schedule of a network on many cores.
///
/// # Errors
/// All that is wrong with documents and options, why nothing can be scheduled, or it was stopped.
// This is the browser's clock in WebAssembly.
#[allow(clippy::disallowed_methods)]
pub fn cores(mut request: CoresRequest, options: &CoresOptions, watch: &dyn Watch) -> Result<CoresReport, NoResult> {
    let started = Instant::now();
    if let Some(tiles) = &options.tiles {
        request.settings.granularity = tiles.clone();
    }
    let search = if options.tiles.is_none() { Some(search_tiles(&request, options, watch)?) } else { None };
    let best = search.as_ref().and_then(TileSearch::best);
    if let Some((cut, _)) = best {
        request = request.in_tiles(cut);
    }
    let study = CoresStudy::new(&request)?;
    let problems = study.problems();
    let count = problems.len();
    watch.begin(count, "tiles");
    let solve = |problem: fusescape_engine::multicore::TileProblem| {
        let solved = watch.goes_on().then(|| study.solve(&problem))?;
        watch.advance(1);
        Some((problem, solved))
    };
    let solved: Option<Vec<_>> = problems.into_par_iter().map(solve).collect();
    let mut costs: TileCosts = solved.ok_or(NoResult::Stopped)?.into_iter().collect();
    watch.end();
    let (evaluated, stacks) = choose(&study, &mut costs, options, watch)?;
    let (evaluated, account) = study.account(&mut costs, &stacks, &evaluated.choice, Some(evaluated.order))?;
    let single = match &search {
        Some(search) => search.best_single().map(|(cut, single)| (cut.clone(), single.clone())),
        None => study.outcome_alone(&mut costs).map(|single| (TileCut::default(), single)),
    };
    let elapsed = started.elapsed();
    Ok(CoresReport { study, search, single, stacks, evaluated, account, problems: count, elapsed })
}

/// Runs the candidates of each stage of the search on all cores of this machine. Cores that a person chose are those of every candidate.
fn search_tiles(request: &CoresRequest, options: &CoresOptions, watch: &dyn Watch) -> Result<TileSearch, NoResult> {
    let mut search = TileSearch::new(TileLadder::of(request)?, request.settings.aim);
    for stage in TileStage::ALL {
        let cuts = search.candidates(stage);
        watch.begin(cuts.len(), "tile sizes");
        let run = |cut: TileCut| {
            let point = watch.goes_on().then(|| match &options.allocation {
                Allocation::ByHand(text) => point_by_hand(request, cut, text),
                Allocation::Best | Allocation::Genetic => TilePoint::of(request, cut),
            });
            watch.advance(1);
            point
        };
        let points: Option<Vec<TilePoint>> = cuts.into_par_iter().map(run).collect();
        watch.end();
        points.ok_or(NoResult::Stopped)?.into_iter().for_each(|point| search.add(point));
    }
    Ok(search)
}

/// A candidate on the cores that a person chose.
fn point_by_hand(request: &CoresRequest, cut: TileCut, text: &str) -> TilePoint {
    let outcome = CoresStudy::new(&request.in_tiles(&cut)).and_then(|study| {
        let mut costs = TileCosts::default();
        let choice = by_hand(&study, text)?;
        let found = study.evaluate(&mut costs, &[], &choice, None)?;
        Ok(study.outcome_of(&mut costs, &found, &[]))
    });
    TilePoint { cut, outcome: outcome.map_err(|reasons| reasons.to_string()) }
}

/// The cores of all layers, and the allocations of the stacks that they come from.
fn choose(
    study: &CoresStudy,
    costs: &mut TileCosts,
    options: &CoresOptions,
    watch: &dyn Watch,
) -> Result<(EvaluatedAllocation, Vec<StackAllocation>), NoResult> {
    let (mut best, stacks) = match &options.allocation {
        Allocation::Best => study.best(costs)?,
        Allocation::Genetic => {
            let front = study.evolve(costs, options.evolution);
            let aim = study.settings.aim;
            let best = front.into_iter().min_by(|a, b| a.score(aim).total_cmp(&b.score(aim)));
            let none =
                || wrong("allocation", "No allocation that evolution tried can be scheduled", "Make tiles smaller");
            (best.ok_or_else(none)?, Vec::new())
        }
        Allocation::ByHand(text) => {
            let choice = by_hand(study, text)?;
            // Only for the order of the tiles.
            let mut goes_on = |done: u64| done < MOST_CHOICES;
            let stacks: Vec<StackAllocation> =
                study.stacks.keys().map(|stack| study.allocate(costs, stack, true, &mut goes_on)).collect();
            (study.evaluate(costs, &stacks, &choice, None)?, stacks)
        }
    };
    if options.improve {
        // Layer by layer, until a whole round finds nothing.
        let mut idle = 0;
        let layers: Vec<NestId> = best.choice.keys().collect();
        for &layer in layers.iter().cycle() {
            unless_stopped(watch, ())?;
            if idle == layers.len() {
                break;
            }
            let next = study.improve(costs, &stacks, &best, layer);
            idle = if next == best { idle + 1 } else { 0 };
            best = next;
        }
    }
    Ok((best, stacks))
}

/// One core for all layers that it runs, or `layer: core, core; layer: core`. Layers of which nothing is said are computed by the first
/// core that runs them.
fn by_hand(study: &CoresStudy, text: &str) -> Result<CoreAllocation, Diagnostics> {
    let (layers, outline) = (study.layer_names(), study.outline());
    let mut choice: CoreAllocation = layers.keys().map(|layer| study.able(layer)[..1].to_vec()).collect();
    let mut wrong = Diagnostics::default();
    let core = |name: &str, wrong: &mut Diagnostics| {
        let found = outline.cores.position(|known| known == name.trim());
        if found.is_none() {
            let names: Vec<&str> = outline.cores.iter().map(String::as_str).collect();
            wrong.add_unknown("allocation", format!("There is no core `{}`", name.trim()), name.trim(), &names);
        }
        found
    };
    if !text.contains(':') {
        if let Some(core) = core(text, &mut wrong) {
            let able = choice.iter_mut_enumerated().filter(|(layer, _)| study.able(*layer).contains(&core));
            able.for_each(|(_, cores)| *cores = vec![core]);
        }
    } else {
        for part in text.split([';', '\n']).map(str::trim).filter(|part| !part.is_empty()) {
            let (layer, cores) = part.rsplit_once(':').unwrap_or((part, ""));
            let cores: Vec<CoreId> = cores.split(',').filter_map(|name| core(name, &mut wrong)).collect();
            match layers.position(|known| known == layer.trim()) {
                Some(layer) => choice[layer] = cores,
                None => {
                    let (layer, names) = (layer.trim(), layers.iter().map(String::as_str).collect::<Vec<_>>());
                    wrong.add_unknown("allocation", format!("The network computes no layer `{layer}`"), layer, &names);
                }
            }
        }
    }
    wrong.or(choice)
}
