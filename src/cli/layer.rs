//! `fusescape layer`: the best mapping of single layers.

use super::arguments::{Layer, Unrolling};
use super::documents::load;
use super::layer_report::{LayerResult, json, table};
use super::{Failure, print};
use fusescape::explore::{LayerRequest, LayerStudy};
use fusescape::mapping::UnrollingOptions;
use fusescape::search::{Limits, UnrolledLayer, UnrolledOutcome, UnrolledSearch, find_best};
use fusescape::spec::{Diagnostics, hardware_presets, workload_presets};
use fusescape::workload::Network;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use std::time::Instant;

/// Unrollings that are searched at once on all cores before the bound is looked at again.
const BATCH: usize = 64;

/// Maps the layers and prints what came out.
pub fn run(options: &Layer) -> Result<(), Failure> {
    let (hardware, workload) =
        match (load(&options.hardware, hardware_presets()), load(&options.workload, workload_presets())) {
            (Ok(hardware), Ok(workload)) => (hardware, workload),
            (Err(hardware), Err(workload)) => return Err(format!("{hardware}\n{workload}").into()),
            (Err(failure), _) | (_, Err(failure)) => return Err(failure),
        };
    let request = |layer: Option<String>| LayerRequest {
        hardware: hardware.clone(),
        workload: workload.clone(),
        layer,
        objective: options.objective.clone(),
        lpf_limit: options.lpf_limit,
        rules: options.rules.rules(),
    };
    // Says what is wrong with both documents before any layer is looked for.
    let first = LayerStudy::new(&request(None))?;
    let network = Network::from_text(&workload)?;
    let names = if options.layer.is_empty() {
        network.computing().map(|id| network.layer(id).name.clone()).collect()
    } else {
        options.layer.clone()
    };
    let mut results = Vec::new();
    let mut wrong = Diagnostics::default();
    for name in names {
        match LayerStudy::new(&request(Some(name))) {
            Ok(study) => results.push(map(study, options)),
            Err(unknown) => wrong.0.extend(unknown.0),
        }
    }
    wrong.or(())?;
    print(&if options.json {
        json(&first.core.name, &network.name, options, &results)?
    } else {
        table(&first.core.name, &network.name, &results)
    })?;
    match results.iter().filter(|result| result.mapped.is_err()).count() {
        0 => Ok(()),
        unmapped => {
            Err(format!("{unmapped} of {} layers cannot be mapped; the reasons are above.", results.len()).into())
        }
    }
}

// The command line is an edge and never WebAssembly.
#[allow(clippy::disallowed_methods)]
fn map(mut study: LayerStudy, options: &Layer) -> LayerResult {
    let start = Instant::now();
    let unrollings = (options.unroll == Unrolling::Search).then(|| search_unrolling(&mut study, options));
    let limits = Limits { lpf_limit: options.lpf_limit, ..Limits::default() };
    let outcome = find_best(&study.on_core(), &options.objective, &limits, options.strategy);
    LayerResult {
        facts: study.facts(),
        mapped: study.mapped(&outcome),
        outcome,
        unrollings,
        seconds: start.elapsed().as_secs_f64(),
    }
}

/// Gives the study the best unrolling.
fn search_unrolling(study: &mut LayerStudy, options: &Layer) -> UnrolledOutcome {
    let layer = UnrolledLayer {
        core: &study.core,
        rules: options.rules.rules(),
        shape: study.problem.shape,
        levels: study.problem.levels,
    };
    let wanted = UnrollingOptions { loops_per_dimension: options.loops_per_dimension, ..UnrollingOptions::default() };
    let limits = Limits { lpf_limit: options.lpf_limit, ..Limits::default() };
    let mut search = UnrolledSearch::new(layer, &wanted, options.objective.clone(), limits, options.strategy);
    let bar = ProgressBar::new(search.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{msg} {bar:40} {pos} of at most {len} unrollings, {eta} left") {
        bar.set_style(style);
    }
    bar.set_message(study.layer.clone());
    let mut next = 0;
    while next < search.end() {
        let batch: Vec<usize> = (next..search.end().min(next + BATCH)).collect();
        next += batch.len();
        let outcomes: Vec<_> = batch.into_par_iter().map(|index| (index, search.solve(index))).collect();
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
