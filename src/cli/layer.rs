//! `fusescape layer`: the best mapping of single layers.

use super::arguments::{Layer, LayerStrategy, Unrolling};
use super::documents::load;
use super::files::{read_text, shown};
use super::layer_constraints::constrained;
use super::layer_report::{LayerResult, Searched, json, table};
use super::names::unknown;
use super::{Failure, print};
use fusescape::explore::{LayerRequest, LayerStudy, MappedLayer, mapping_document, own_constraints, own_mappings};
use fusescape::hardware::Core;
use fusescape::mapping::{LayerOnCore, UnrollingOptions};
use fusescape::search::space::{Part, Pruning, SpaceOptions, SpaceSearch};
use fusescape::search::{
    Limits, Objective, Outcome, Strategy, UnrolledLayer, UnrolledOutcome, UnrolledSearch, find_best, find_best_while,
};
use fusescape::spec::{Diagnostics, MAX_BYTES, hardware_presets, workload_presets, write_mapping};
use fusescape::workload::{Dim, Network};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use std::path::Path;
use std::time::Instant;

/// Unrollings or parts of the mapping space that are searched at once on all cores.
const BATCH: usize = 64;

/// With a limit of time so many states are looked at, at the most: some gigabytes.
const MOST_NODES: u64 = 10_000_000;

/// Maps the layers and prints what came out.
pub fn run(options: &Layer) -> Result<(), Failure> {
    let (hardware, workload) =
        match (load(&options.hardware, hardware_presets()), load(&options.workload, workload_presets())) {
            (Ok(hardware), Ok(workload)) => (hardware, workload),
            (Err(hardware), Err(workload)) => return Err(format!("{hardware}\n{workload}").into()),
            (Err(failure), _) | (_, Err(failure)) => return Err(failure),
        };
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
        rules: options.rules.rules(),
        unroll: None,
    };
    // Says what is wrong with both documents before any layer is looked for.
    let first = LayerStudy::new(&request)?;
    check(options, &first.core)?;
    let network = Network::from_text(&request.workload)?.on(&first.core);
    for note in network.left_out_note(&first.core.name).into_iter().chain(network.density_note()) {
        super::tell(&format!("note: {note}"));
    }
    let studied = match &options.mapping {
        Some(file) => by_hand(file, options, &first.core, &network, &request)?,
        None => searched(options, &first, &network, &mut request)?,
    };
    if let Some(file) = &options.save_mapping {
        save_mapping(file, &first.core, &network, &studied)?;
    }
    let results: Vec<LayerResult> = studied.into_iter().map(|(_, result)| result).collect();
    print(&if options.json {
        json(&first.core, &network.name, options, &results)?
    } else {
        table(&first.core, &network.name, &results)
    })?;
    unmapped(&results)
}

/// Says which layers have no mapping, and why: in the exit code, and where a person looks who keeps the results in a file.
fn unmapped(results: &[LayerResult]) -> Result<(), Failure> {
    let reason = |result: &LayerResult| {
        let reasons = result.mapped.as_ref().err()?;
        Some(reasons.0.iter().map(|reason| format!("\n{}: {reason}", result.facts.layer)).collect::<String>())
    };
    let reasons: Vec<String> = results.iter().filter_map(reason).collect();
    if reasons.is_empty() {
        return Ok(());
    }
    let text = format!("{} of {} layers cannot be mapped:{}", reasons.len(), results.len(), reasons.concat());
    if reasons.len() < results.len() { Err(super::Incomplete(text).into()) } else { Err(text.into()) }
}

/// A layer on its core, and what came out.
type Studied = Vec<(LayerStudy, LayerResult)>;

/// Prices the mappings of a document: of the layers that are asked for, or of all that it maps.
fn by_hand(
    file: &Path,
    options: &Layer,
    core: &Core,
    network: &Network,
    request: &LayerRequest,
) -> Result<Studied, Failure> {
    let text = read_text(file, MAX_BYTES)?;
    let mut mapped = own_mappings(&text, core, network, request)?;
    let known: Vec<String> = mapped.iter().map(|(study, _)| study.layer.clone()).collect();
    let mut wrong = Diagnostics::default();
    for name in options.layer.iter().filter(|name| !known.contains(name)) {
        let names: Vec<&str> = known.iter().map(String::as_str).collect();
        wrong.add_unknown("layer", format!("The mapping has no layer `{name}`"), name, &names);
    }
    wrong.or(())?;
    mapped.retain(|(study, _)| options.layer.is_empty() || options.layer.contains(&study.layer));
    let result = |(study, mapped): (LayerStudy, MappedLayer)| {
        let facts = study.facts();
        let result = LayerResult {
            facts,
            mapped: Ok(mapped),
            searched: Searched::ByHand,
            unrollings: None,
            constrained: None,
            seconds: 0.0,
        };
        (study, result)
    };
    Ok(mapped.into_iter().map(result).collect())
}

/// Writes the mappings that were found.
fn save_mapping(file: &Path, core: &Core, network: &Network, studied: &Studied) -> Result<(), Failure> {
    let found = studied.iter().filter_map(|(study, result)| Some((study, &result.mapped.as_ref().ok()?.mapping)));
    let document = mapping_document(&format!("{} on {}", network.name, core.name), found);
    std::fs::write(file, write_mapping(&document)).map_err(|error| format!("{}: {error}", shown(file)).into())
}

/// Searches the layers that are asked for, or all.
fn searched(
    options: &Layer,
    first: &LayerStudy,
    network: &Network,
    request: &mut LayerRequest,
) -> Result<Studied, Failure> {
    let names = if options.layer.is_empty() {
        network.computing().map(|id| network.layer(id).name.clone()).collect()
    } else {
        options.layer.clone()
    };
    let constraints = match &options.constraints {
        Some(file) => Some(own_constraints(&read_text(file, MAX_BYTES)?, &first.core, network)?),
        None => None,
    };
    let mut results = Vec::new();
    let mut wrong = Diagnostics::default();
    for name in names {
        request.layer = Some(name);
        match LayerStudy::of(first.core.clone(), network, request) {
            Ok(mut study) => {
                let result = match constraints.as_ref().and_then(|constraints| constraints.of(&study)) {
                    Some(constraints) => constrained(&mut study, options, &constraints),
                    None => map(&mut study, options),
                };
                results.push((study, result));
            }
            Err(unknown) => wrong.0.extend(unknown.0),
        }
    }
    wrong.or(results).map_err(Into::into)
}

/// Refuses what cannot be done together.
fn check(options: &Layer, core: &Core) -> Result<(), Failure> {
    if let Some((name, _)) = options.hint.iter().find(|(name, _)| !core.array.iter().any(|(known, _)| known == name)) {
        let names: Vec<&str> = core.array.iter().map(|(name, _)| name.as_str()).collect();
        return Err(format!("The array has no dimension `{name}`: {}", unknown(name, &names)).into());
    }
    if matches!(options.strategy, LayerStrategy::Any(_)) {
        return Ok(());
    }
    if options.constraints.is_some() {
        return Err("This strategy takes no constraints. Leave out --constraints, or use --strategy exact.".into());
    }
    if options.seconds.is_some() {
        return Err("This strategy ends by itself. Leave out --seconds, or use --strategy exact.".into());
    }
    if options.objective != Objective::Energy {
        return Err("This strategy minimises energy. Leave out --objective, or use --strategy loma.".into());
    }
    if options.unroll == Unrolling::Search {
        return Err("Unrollings are searched with --strategy loma only. Leave out one of the two.".into());
    }
    Ok(())
}

pub(super) fn limits(options: &Layer) -> Limits {
    Limits { lpf_limit: lpf_limit(options), ..Limits::default() }
}

/// Whether unrollings of a layer are searched: those over lanes leave the fewest steps anyway.
pub(super) fn searches_unrollings(study: &LayerStudy, options: &Layer) -> bool {
    options.unroll == Unrolling::Search && study.core.vector_unit_for(study.problem.shape.kind).is_none()
}

fn lpf_limit(options: &Layer) -> usize {
    options.lpf_limit.unwrap_or(if matches!(options.strategy, LayerStrategy::Any(_)) { 6 } else { 8 })
}

// The command line is an edge and never WebAssembly.
#[allow(clippy::disallowed_methods)]
pub(super) fn map(study: &mut LayerStudy, options: &Layer) -> LayerResult {
    let start = Instant::now();
    let mut unrollings = None;
    let limits = limits(options);
    let searched = match options.strategy {
        LayerStrategy::Any(strategy) => {
            if searches_unrollings(study, options) {
                let wanted = unrolling_options(study, options, UnrollingOptions::default());
                let find = |problem: &LayerOnCore<'_>| find_best(problem, &options.objective, &limits, strategy);
                unrollings = Some(search_unrolling(study, options, &wanted, find));
            }
            let problem = study.on_core();
            Searched::Orders(in_time(options, &limits, |limits, has_time| {
                find_best_while(&problem, &options.objective, limits, strategy, has_time)
            }))
        }
        LayerStrategy::Space(pruning) => search_space(study, options, pruning),
        LayerStrategy::Iterative => {
            space_search(study, options, Pruning::None, |search| Searched::Iterative(search.iterative()))
        }
    };
    let mapped = match &searched {
        Searched::Orders(outcome) => study.mapped(outcome),
        Searched::Refused(refusal) => study.mapped_or(None, || refusal.to_string()),
        other => study.mapped_or(other.best(), || "No blocking of at most that many loop factors fits".to_owned()),
    };
    let seconds = start.elapsed().as_secs_f64();
    LayerResult { facts: study.facts(), mapped, searched, unrollings, constrained: None, seconds }
}

/// Searches until the limits are reached or, where a time is given, until that is over.
#[allow(clippy::disallowed_methods)]
pub(super) fn in_time<T>(options: &Layer, limits: &Limits, search: impl FnOnce(&Limits, &dyn Fn() -> bool) -> T) -> T {
    let Some(seconds) = options.seconds else { return search(limits, &|| true) };
    let start = Instant::now();
    let limits = Limits { max_states: MOST_NODES, max_ties: MOST_NODES, max_branches: MOST_NODES, ..*limits };
    search(&limits, &|| start.elapsed() < seconds)
}

fn space_search(
    study: &LayerStudy,
    options: &Layer,
    pruning: Pruning,
    search: impl FnOnce(&SpaceSearch<'_>) -> Searched,
) -> Searched {
    let wanted = SpaceOptions {
        pruning,
        lpf_limit: lpf_limit(options),
        min_shared_utilization: options.min_utilization,
        ..SpaceOptions::default()
    };
    let problem = study.on_core();
    SpaceSearch::new(&problem, wanted).map_or_else(Searched::Refused, |found| search(&found))
}

/// Walks through all parts of the mapping space on all cores.
fn search_space(study: &LayerStudy, options: &Layer, pruning: Pruning) -> Searched {
    space_search(study, options, pruning, |search| {
        let bar = ProgressBar::new(search.parts() as u64);
        if let Ok(style) = ProgressStyle::with_template("{msg} {bar:40} {percent} % of the mapping space, {eta} left") {
            bar.set_style(style);
        }
        bar.set_message(study.layer.clone());
        let mut all = search.start();
        let parts: Vec<usize> = (0..search.parts()).collect();
        // Parts are put together in their order; a few at a time, so that not all have to be kept.
        for batch in parts.chunks(BATCH) {
            let walked: Vec<Part> = batch.par_iter().map(|&part| search.part(part)).collect();
            walked.iter().for_each(|part| all.merge(part));
            bar.inc(batch.len() as u64);
        }
        bar.finish_and_clear();
        Searched::Space(search.space(&all, true))
    })
}

/// The unrollings that are wanted: `wanted`, and what is asked for besides.
pub(super) fn unrolling_options(study: &LayerStudy, options: &Layer, wanted: UnrollingOptions) -> UnrollingOptions {
    let hint = |(name, loops): &(String, Vec<Dim>)| {
        Some((study.core.array.position(|(known, _)| known == name)?, loops.clone()))
    };
    let mut hints = wanted.hints.clone();
    hints.extend(options.hint.iter().filter_map(hint));
    let loops_per_dimension =
        options.loops_per_dimension.max(wanted.hints.iter().map(|(_, loops)| loops.len()).max().unwrap_or(0));
    UnrollingOptions { hints, loops_per_dimension, ..wanted }
}

/// Gives the study the best unrolling, with the mappings that `find` finds.
pub(super) fn search_unrolling(
    study: &mut LayerStudy,
    options: &Layer,
    wanted: &UnrollingOptions,
    find: impl Fn(&LayerOnCore<'_>) -> Outcome + Sync,
) -> UnrolledOutcome {
    let layer = UnrolledLayer {
        core: &study.core,
        rules: options.rules.rules(),
        shape: study.problem.shape,
        levels: study.problem.levels,
    };
    let mut search =
        UnrolledSearch::new(layer, wanted, options.objective.clone(), Limits::default(), Strategy::default());
    let bar = ProgressBar::new(search.unrollings() as u64);
    if let Ok(style) = ProgressStyle::with_template("{msg} {bar:40} {pos} of at most {len} unrollings, {eta} left") {
        bar.set_style(style);
    }
    bar.set_message(study.layer.clone());
    let mut next = 0;
    while next < search.end() {
        let batch: Vec<usize> = (next..search.end().min(next + BATCH)).collect();
        next += batch.len();
        let outcomes: Vec<_> = batch.into_par_iter().map(|index| (index, search.solve_by(index, &find))).collect();
        for (index, outcome) in outcomes {
            if let Some(outcome) = outcome {
                search.offer(index, &outcome);
            }
        }
        bar.set_length(search.end() as u64);
        bar.set_position(next as u64);
    }
    bar.finish_and_clear();
    let outcome = search.outcome();
    drop(search);
    if let Some(best) = &outcome.best {
        study.problem.unroll.clone_from(&best.unroll);
    }
    outcome
}
