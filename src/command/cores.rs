//! A network on many cores (Stream), tiles solved on all cores of this machine.

pub use super::cores_report::CoresReport;
use super::parse::{AllocationChoice, Tiles};
use super::run::run;
use super::{CommandError, ProgressMonitor, wrong};
use fusescape_engine::multicore::{
    CoreAllocation, CoreId, CoresBench, CoresImprovement, CoresProblem, CoresRequest, CoresSearch, EvaluatedAllocation,
    Evolution, MOST_CHOICES, StackAllocation, StackAllocations, TileBench, TileCosts, TilePoint, TileSearch,
    TileSizeCandidate, TileSizeRange,
};
use fusescape_engine::ties;
use fusescape_spec::Diagnostics;
use std::sync::Arc;
use web_time::Instant;

/// Choices that the settings of a request leave open.
#[derive(Debug, Clone)]
pub struct CoresSearchOptions {
    /// Size of computation tiles; overrides the granularity of the settings.
    pub tiles: Tiles,
    /// The method that allocates layers to cores.
    pub allocation: AllocationChoice,
    /// Whether a local search over cores of single layers follows, as long as it improves the schedule.
    pub improve: bool,
    /// Parameters of evolution, if it allocates.
    pub evolution: Evolution,
}

impl Default for CoresSearchOptions {
    fn default() -> Self {
        Self { tiles: None, allocation: AllocationChoice::Best, improve: false, evolution: Evolution::PAPER }
    }
}

/// Finds the best schedule of a network on many cores.
///
/// # Errors
/// All errors of documents and options, reasons why nothing can be scheduled; or it was stopped.
// This is the browser's clock in WebAssembly.
#[allow(clippy::disallowed_methods)]
pub fn cores(
    mut request: CoresRequest,
    options: &CoresSearchOptions,
    monitor: &dyn ProgressMonitor,
) -> Result<CoresReport, CommandError> {
    let started = Instant::now();
    if let Some(tiles) = &options.tiles {
        request.settings.granularity = tiles.clone();
    }
    let search = if options.tiles.is_none() { Some(search_tiles(&request, options, monitor)?) } else { None };
    let best = search.as_ref().and_then(TileSearch::best);
    if let Some((cut, _)) = best {
        request = request.in_tiles(cut);
    }
    let study = Arc::new(CoresProblem::new(&request)?);
    let mut found = CoresSearch::new(study.settings.objective);
    if !matches!(options.allocation, AllocationChoice::Best) {
        found = found.for_costs();
    }
    run(&mut found, || CoresBench::new(Arc::clone(&study)), monitor)?;
    let known = found.costs().map(|costs| costs.to_vec()).unwrap_or_default();
    let problems = known.len();
    let mut costs: TileCosts = study.problems().into_iter().zip(known).collect();
    let (evaluated, stacks) = choose(&study, &mut costs, options, &found)?;
    let evaluated = if options.improve { improved(&study, &found, evaluated, &stacks, monitor)? } else { evaluated };
    let (evaluated, account) = study.account(&mut costs, &stacks, &evaluated.choice, Some(evaluated.order))?;
    let single = match &search {
        Some(search) => search.best_single().map(|(cut, single)| (cut.clone(), single.clone())),
        None => study.outcome_alone(&mut costs).map(|single| (TileSizeCandidate::default(), single)),
    };
    let elapsed = started.elapsed();
    Ok(CoresReport { study, search, single, stacks, evaluated, account, problems, elapsed })
}

/// Runs the search for the tile size on all cores of this machine. Cores chosen by hand apply to every candidate.
fn search_tiles(
    request: &CoresRequest,
    options: &CoresSearchOptions,
    monitor: &dyn ProgressMonitor,
) -> Result<TileSearch, CommandError> {
    let mut search = TileSearch::new(request.settings.objective);
    let bench = || {
        let [measured, cut_up] = [request.clone(), request.clone()];
        let by_hand = match &options.allocation {
            AllocationChoice::ByHand(text) => Some(text.clone()),
            AllocationChoice::Best | AllocationChoice::Genetic => None,
        };
        TileBench {
            range: Box::new(move || TileSizeRange::of(&measured)),
            run: Box::new(move |cut| match &by_hand {
                Some(text) => point_by_hand(&cut_up, cut, text),
                None => TilePoint::of(&cut_up, cut),
            }),
        }
    };
    run(&mut search, bench, monitor)?;
    Ok(search)
}

/// A candidate on cores chosen by hand.
fn point_by_hand(request: &CoresRequest, cut: TileSizeCandidate, text: &str) -> TilePoint {
    let outcome = CoresProblem::new(&request.in_tiles(&cut)).and_then(|study| {
        let mut costs = TileCosts::default();
        let choice = by_hand(&study, text)?;
        let found = study.evaluate(&mut costs, &[], &choice, None)?;
        Ok(study.outcome_of(&mut costs, &found, &[]))
    });
    TilePoint { cut, outcome: outcome.map_err(|reasons| reasons.to_string()) }
}

/// The cores of all layers, and the allocations of the stacks that they come from.
fn choose(
    study: &CoresProblem,
    costs: &mut TileCosts,
    options: &CoresSearchOptions,
    found: &CoresSearch,
) -> Result<(EvaluatedAllocation, Vec<StackAllocation>), CommandError> {
    Ok(match &options.allocation {
        AllocationChoice::Best => {
            let Some((shares, best)) = found.best() else {
                return Err(found.why_none().cloned().unwrap_or_default().into());
            };
            let stacks = found.stacks(shares).map(|stacks| stacks.to_vec());
            (best.evaluated.clone(), stacks.unwrap_or_default())
        }
        AllocationChoice::Genetic => {
            let front = study.evolve(costs, options.evolution);
            let objective = study.settings.objective;
            let best = ties::best(front, |found| (found.figures(objective), ()));
            let none =
                || wrong("allocation", "No allocation that evolution tried can be scheduled", "Make tiles smaller");
            (best.ok_or_else(none)?, Vec::new())
        }
        AllocationChoice::ByHand(text) => {
            let choice = by_hand(study, text)?;
            // Only for the order of the tiles.
            let mut goes_on = |done: u64| done < MOST_CHOICES;
            let stacks: Vec<StackAllocation> =
                study.stacks.keys().map(|stack| study.allocate(costs, stack, true, &mut goes_on)).collect();
            (study.evaluate(costs, &stacks, &choice, None)?, stacks)
        }
    })
}

/// The local search over cores of single layers, as long as it improves the schedule.
fn improved(
    study: &Arc<CoresProblem>,
    found: &CoresSearch,
    from: EvaluatedAllocation,
    stacks: &[StackAllocation],
    monitor: &dyn ProgressMonitor,
) -> Result<EvaluatedAllocation, CommandError> {
    let costs = found.costs().map(Arc::clone).unwrap_or_default();
    let mut improvement = CoresImprovement::new(StackAllocations { costs, stacks: Arc::new(stacks.to_vec()) }, from);
    run(&mut improvement, || CoresBench::new(Arc::clone(study)), monitor)?;
    Ok(improvement.best().clone())
}

/// One core for all layers that it can run, or `layer: core, core; layer: core`. Layers that are not named run on the
/// first core that can run them.
fn by_hand(study: &CoresProblem, text: &str) -> Result<CoreAllocation, Diagnostics> {
    let (layers, overview) = (study.layer_names(), study.overview());
    let mut choice: CoreAllocation = layers.keys().map(|layer| study.able(layer)[..1].to_vec()).collect();
    let mut wrong = Diagnostics::default();
    let core = |name: &str, wrong: &mut Diagnostics| {
        let found = overview.cores.position(|known| known == name.trim());
        if found.is_none() {
            let names: Vec<&str> = overview.cores.iter().map(String::as_str).collect();
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
