//! The best mapping of single layers.

use super::layer_constraints::constrained;
pub use super::layer_report::{ConstraintCost, LayerOutcome, LayersReport, Searched};
use super::layer_searches::search_each;
use super::names::unknown;
use super::parse::LayerStrategy;
use super::run::run;
use super::{CommandError, ProgressMonitor, unless_stopped};
use fusescape_engine::cost::Evaluator;
use fusescape_engine::explore::{DesignLayer, LayerRequest, MappedLayer, user_constraints, user_mappings};
use fusescape_engine::hardware::Core;
use fusescape_engine::mapping::{LayerOnCore, UnrollingOptions};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::space::{Pruning, SpaceOptions, SpaceSearch, SpaceWalk};
use fusescape_engine::search::{
    FrontPart, Limits, Objective, Outcome, Strategy, UnrolledLayer, UnrolledOutcome, UnrolledSearch, find_best_while,
    find_front,
};
use fusescape_engine::workload::{Dim, Network};
use fusescape_spec::Diagnostics;
use web_time::{Duration, Instant};

/// With a time limit, the limit on states: some gigabytes.
const MOST_NODES: u64 = 10_000_000;

/// The layers to map, and the search.
#[derive(Debug, Clone)]
pub struct LayerSearchOptions {
    /// Names of layers; empty for all.
    pub layers: Vec<String>,
    /// A mapping document to evaluate, instead of a search.
    pub mapping: Option<String>,
    /// A document of constraints on the mappings of the search.
    pub constraints: Option<String>,
    /// How to search.
    pub strategy: LayerStrategy,
    /// Whether the best unrolling is searched, too, instead of that of the documents.
    pub searches_unrollings: bool,
    /// For searched unrollings: the loops that a dimension of the array may unroll, by its name.
    pub hints: Vec<(String, Vec<Dim>)>,
    /// For searched unrollings: limit on the different loops on one dimension.
    pub loops_per_dimension: usize,
    /// Limit on the loop prime factors, for strategies with such a limit; `None` for 6, or 8 among blockings.
    pub lpf_limit: Option<usize>,
    /// Time limit for the proof of each layer's best mapping; `None` for a limit on partial mappings.
    pub time: Option<Duration>,
    /// Among blockings: smallest utilization of a shared memory, 0 to 1.
    pub min_utilization: f64,
    pub objective: Objective,
    /// Whether the front of energy and latency is searched, too.
    pub front: bool,
    pub rules: Rules,
}

impl Default for LayerSearchOptions {
    fn default() -> Self {
        Self {
            layers: Vec::new(),
            mapping: None,
            constraints: None,
            strategy: LayerStrategy::Any(Strategy::Exact),
            searches_unrollings: false,
            hints: Vec::new(),
            loops_per_dimension: 3,
            lpf_limit: None,
            time: None,
            min_utilization: 0.0,
            objective: Objective::Energy,
            front: false,
            rules: Rules::CORRECTED,
        }
    }
}

/// Maps layers of a network on a core, or evaluates given mappings.
///
/// # Errors
/// All errors of documents and options; or it was stopped. A layer that cannot be mapped is no error: its result has
/// the reason.
pub fn map_layers(
    hardware: String,
    workload: String,
    options: &LayerSearchOptions,
    monitor: &dyn ProgressMonitor,
) -> Result<LayersReport, CommandError> {
    let mut request = LayerRequest {
        hardware,
        workload,
        layer: None,
        objective: options.objective.clone(),
        strategy: match options.strategy {
            LayerStrategy::Any(strategy) => strategy,
            _ => Strategy::default(),
        },
        lpf_limit: lpf_limit(options),
        rules: options.rules,
        unroll: None,
    };
    // Reports errors of both documents before any layer is searched.
    let first = DesignLayer::new(&request)?;
    check(options, &first.core)?;
    let network = Network::from_text(&request.workload)?.on(&first.core);
    let layers = match &options.mapping {
        Some(text) => by_hand(text, options, &first.core, &network, &request)?,
        None => searched(options, &first, &network, &mut request, monitor)?,
    };
    Ok(LayersReport { core: first.core, network, options: options.clone(), layers })
}

/// A layer on its core, and what came out.
pub type LayerOutcomes = Vec<(DesignLayer, LayerOutcome)>;

/// Evaluates the mappings of a document: for the requested layers, or for all that it maps.
fn by_hand(
    text: &str,
    options: &LayerSearchOptions,
    core: &Core,
    network: &Network,
    request: &LayerRequest,
) -> Result<LayerOutcomes, CommandError> {
    let mut mapped = user_mappings(text, core, network, request)?;
    let known: Vec<String> = mapped.iter().map(|(design_layer, _)| design_layer.layer.clone()).collect();
    let mut wrong = Diagnostics::default();
    for name in options.layers.iter().filter(|name| !known.contains(name)) {
        let names: Vec<&str> = known.iter().map(String::as_str).collect();
        wrong.add_unknown("layer", format!("The mapping has no layer `{name}`"), name, &names);
    }
    wrong.or(())?;
    mapped.retain(|(design_layer, _)| options.layers.is_empty() || options.layers.contains(&design_layer.layer));
    let result = |(design_layer, mapped): (DesignLayer, MappedLayer)| {
        let facts = design_layer.facts();
        let result = LayerOutcome {
            facts,
            mapped: Ok(mapped),
            searched: Searched::ByHand,
            front: None,
            unrollings: None,
            constrained: None,
            seconds: 0.0,
        };
        (design_layer, result)
    };
    Ok(mapped.into_iter().map(result).collect())
}

/// Searches the requested layers, or all, on all cores.
fn searched(
    options: &LayerSearchOptions,
    first: &DesignLayer,
    network: &Network,
    request: &mut LayerRequest,
    monitor: &dyn ProgressMonitor,
) -> Result<LayerOutcomes, CommandError> {
    let names = if options.layers.is_empty() {
        network.computing().map(|id| network.layer(id).name.clone()).collect()
    } else {
        options.layers.clone()
    };
    let constraints = match &options.constraints {
        Some(text) => Some(user_constraints(text, &first.core, network)?),
        None => None,
    };
    let mut layers = Vec::new();
    let mut wrong = Diagnostics::default();
    for name in names {
        request.layer = Some(name);
        match DesignLayer::of(first.core.clone(), network, request) {
            Ok(design_layer) => layers.push(design_layer),
            Err(unknown) => wrong.0.extend(unknown.0),
        }
    }
    wrong.or(())?;
    let search = |mut design_layer: DesignLayer, monitor: &dyn ProgressMonitor| {
        let result = match constraints.as_ref().and_then(|constraints| constraints.of(&design_layer)) {
            Some(constraints) => constrained(&mut design_layer, options, &constraints, monitor),
            None => map(&mut design_layer, options, monitor),
        };
        unless_stopped(monitor, (design_layer, result))
    };
    search_each(&layers, &search, monitor)
}

/// Rejects options that exclude each other.
fn check(options: &LayerSearchOptions, core: &Core) -> Result<(), CommandError> {
    let names: Vec<&str> = core.array.iter().map(|(name, _)| name.as_str()).collect();
    let mut wrong = Diagnostics::default();
    for (name, _) in options.hints.iter().filter(|(name, _)| !names.contains(&name.as_str())) {
        let remedy = unknown(name, &names);
        wrong.add("hint", format!("The array has no dimension `{name}`"), format!("Here {remedy}"));
    }
    if options.front && options.strategy != LayerStrategy::Any(Strategy::Exact) {
        wrong.add("front", "Fronts are searched exactly only", "Leave it out, or use the strategy `exact`");
    }
    if options.front && options.constraints.is_some() {
        wrong.add(
            "front",
            "A front is that of all mappings, not of those that a document allows",
            "Leave one of both out",
        );
    }
    if !matches!(options.strategy, LayerStrategy::Any(_)) {
        if options.constraints.is_some() {
            wrong.add("constraints", "This strategy takes none", "Leave them out, or use the strategy `exact`");
        }
        if options.time.is_some() {
            wrong.add("seconds", "This strategy ends by itself", "Leave it out, or use the strategy `exact`");
        }
        if options.objective != Objective::Energy {
            wrong.add("objective", "This strategy minimises energy", "Leave it out, or use the strategy `exact`");
        }
        if options.searches_unrollings {
            let remedy = "Leave it out, or use the strategy `exact`";
            wrong.add("unroll", "With this strategy unrollings are not searched", remedy);
        }
    }
    wrong.or(()).map_err(Into::into)
}

pub(super) fn limits(options: &LayerSearchOptions) -> Limits {
    Limits { lpf_limit: lpf_limit(options), ..Limits::default() }
}

/// Whether unrollings of a layer are searched: those over lanes of a vector unit always need the fewest steps.
pub(super) fn searches_unrollings(design_layer: &DesignLayer, options: &LayerSearchOptions) -> bool {
    options.searches_unrollings && design_layer.core.vector_unit_for(design_layer.problem.shape.kind).is_none()
}

fn lpf_limit(options: &LayerSearchOptions) -> usize {
    options.lpf_limit.unwrap_or(if matches!(options.strategy, LayerStrategy::Any(_)) { 6 } else { 8 })
}

// This is the browser's clock in WebAssembly.
#[allow(clippy::disallowed_methods)]
pub(super) fn map(
    design_layer: &mut DesignLayer,
    options: &LayerSearchOptions,
    monitor: &dyn ProgressMonitor,
) -> LayerOutcome {
    let start = Instant::now();
    let (mut unrollings, mut front) = (None, None);
    let limits = limits(options);
    let searched = match options.strategy {
        LayerStrategy::Any(strategy) => {
            if searches_unrollings(design_layer, options) {
                let wanted = unrolling_options(design_layer, options, UnrollingOptions::default());
                let go_on = || monitor.goes_on();
                let find =
                    |problem: &LayerOnCore<'_>| find_best_while(problem, &options.objective, &limits, strategy, &go_on);
                // LOMA limits the loops of each dimension, to which their names make a difference.
                let are_alike = strategy == Strategy::Exact;
                unrollings = Some(search_unrolling(design_layer, options, (&wanted, are_alike), monitor, &find));
            }
            let problem = design_layer.on_core();
            front = options.front.then(|| {
                in_time(options, &limits, monitor, |limits, has_time| {
                    find_front(&Evaluator::new(&problem), FrontPart::Whole, limits, has_time)
                })
            });
            Searched::Orders(in_time(options, &limits, monitor, |limits, has_time| {
                find_best_while(&problem, &options.objective, limits, strategy, has_time)
            }))
        }
        LayerStrategy::Space(pruning) => search_space(design_layer, options, pruning, monitor),
        LayerStrategy::Iterative => {
            space_search(design_layer, options, Pruning::None, |search| Searched::Iterative(search.iterative()))
        }
    };
    let mapped = match &searched {
        Searched::Orders(outcome) => design_layer.mapped(outcome),
        Searched::Refused(refusal) => design_layer
            .mapped_or(None, || (refusal.to_string(), "Set a smaller LPF limit, or search exactly".to_owned())),
        other => design_layer.mapped_or(other.best(), || {
            (
                "No blocking of at most that many loop factors fits".to_owned(),
                "Set another LPF limit, or search exactly".to_owned(),
            )
        }),
    };
    let seconds = start.elapsed().as_secs_f64();
    LayerOutcome { facts: design_layer.facts(), mapped, searched, front, unrollings, constrained: None, seconds }
}

/// Searches until a limit is reached: the time limit if there is one.
#[allow(clippy::disallowed_methods)]
pub(super) fn in_time<T>(
    options: &LayerSearchOptions,
    limits: &Limits,
    monitor: &dyn ProgressMonitor,
    search: impl FnOnce(&Limits, &dyn Fn() -> bool) -> T,
) -> T {
    let Some(time) = options.time else { return search(limits, &|| monitor.goes_on()) };
    let start = Instant::now();
    let limits = Limits { max_states: MOST_NODES, max_ties: MOST_NODES, max_branches: MOST_NODES, ..*limits };
    search(&limits, &|| start.elapsed() < time && monitor.goes_on())
}

fn space_search(
    design_layer: &DesignLayer,
    options: &LayerSearchOptions,
    pruning: Pruning,
    search: impl FnOnce(&SpaceSearch<'_>) -> Searched,
) -> Searched {
    let wanted = SpaceOptions {
        pruning,
        lpf_limit: lpf_limit(options),
        min_shared_utilization: options.min_utilization,
        ..SpaceOptions::default()
    };
    let problem = design_layer.on_core();
    SpaceSearch::new(&problem, wanted).map_or_else(Searched::Refused, |found| search(&found))
}

/// Walks through all parts of the mapping space on all cores. Where it is stopped, the result covers the beginning only.
fn search_space(
    design_layer: &DesignLayer,
    options: &LayerSearchOptions,
    pruning: Pruning,
    monitor: &dyn ProgressMonitor,
) -> Searched {
    space_search(design_layer, options, pruning, |search| {
        let mut walk = SpaceWalk::new(search);
        let goes_on = || monitor.goes_on();
        let ended = run(&mut walk, || (search, &goes_on), &OfLayer { monitor, layer: &design_layer.layer });
        Searched::Space(search.space(walk.merged(), ended.is_ok()))
    })
}

/// Tells which layer the work is about.
struct OfLayer<'w> {
    monitor: &'w dyn ProgressMonitor,
    layer: &'w str,
}

impl ProgressMonitor for OfLayer<'_> {
    fn begin(&self, count: usize, what: &str) {
        self.monitor.begin(count, &format!("{what} of {}", self.layer));
    }

    fn advance(&self, parts: usize) {
        self.monitor.advance(parts);
    }

    fn recount(&self, count: usize) {
        self.monitor.recount(count);
    }

    fn end(&self) {
        self.monitor.end();
    }

    fn goes_on(&self) -> bool {
        self.monitor.goes_on()
    }
}

/// The requested unrollings, with `wanted` as their kind.
pub(super) fn unrolling_options(
    design_layer: &DesignLayer,
    options: &LayerSearchOptions,
    wanted: UnrollingOptions,
) -> UnrollingOptions {
    let hint = |(name, loops): &(String, Vec<Dim>)| {
        Some((design_layer.core.array.position(|(known, _)| known == name)?, loops.clone()))
    };
    let mut hints = wanted.hints.clone();
    hints.extend(options.hints.iter().filter_map(hint));
    let loops_per_dimension =
        options.loops_per_dimension.max(wanted.hints.iter().map(|(_, loops)| loops.len()).max().unwrap_or(0));
    UnrollingOptions { hints, loops_per_dimension, ..wanted }
}

/// Sets the best unrolling of the layer, with mappings found by `find`: of the wanted ones, or of one of each kind if those that differ
/// only in names of loops are alike for `find`.
pub(super) fn search_unrolling(
    design_layer: &mut DesignLayer,
    options: &LayerSearchOptions,
    (wanted, are_alike): (&UnrollingOptions, bool),
    monitor: &dyn ProgressMonitor,
    find: &(dyn Fn(&LayerOnCore<'_>) -> Outcome + Sync),
) -> UnrolledOutcome {
    let layer = UnrolledLayer {
        core: &design_layer.core,
        rules: options.rules,
        shape: design_layer.problem.shape,
        levels: design_layer.problem.levels,
    };
    let mut search =
        UnrolledSearch::new(layer, wanted, options.objective.clone(), Limits::default(), Strategy::default());
    if are_alike {
        search = search.without_alike();
    }
    // Where it is stopped, so is the command.
    let _ = run(&mut search, || (layer, find), &OfLayer { monitor, layer: &design_layer.layer });
    let outcome = search.outcome();
    drop(search);
    if let Some(best) = &outcome.best {
        design_layer.problem.unroll.clone_from(&best.unroll);
    }
    outcome
}
