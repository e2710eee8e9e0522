//! Layers under constraints: the best mapping under a document, and the best of all.

use super::ProgressMonitor;
use super::layer::{
    ConstraintCost, LayerOutcome, LayerSearchOptions, Searched, in_time, limits, map, search_unrolling,
    unrolling_options,
};
use super::parse::LayerStrategy;
use fusescape_engine::explore::{DesignLayer, LayerConstraints, UnrollConstraint};
use fusescape_engine::mapping::LayerOnCore;
use fusescape_engine::search::{Outcome, Proof, Solution, Strategy, find_best_under};
use web_time::Instant;

/// The outcome of a layer that certainly has no mapping.
const IMPOSSIBLE: Outcome = Outcome { proof: Proof::Optimal, ..Outcome::NOTHING };

/// Maps a layer with and without constraints.
// This is the browser's clock in WebAssembly.
#[allow(clippy::disallowed_methods)]
pub fn constrained(
    design_layer: &mut DesignLayer,
    options: &LayerSearchOptions,
    constraints: &LayerConstraints,
    monitor: &dyn ProgressMonitor,
) -> LayerOutcome {
    let stated = design_layer.problem.unroll.clone();
    let free = map(design_layer, options, monitor);
    let score = |design_layer: &DesignLayer, best: Option<&Solution>| {
        let problem = design_layer.on_core();
        Some(options.objective.score(&problem, &best?.cost(&problem)?))
    };
    let free_score = score(design_layer, free.searched.best());
    design_layer.problem.unroll = stated;
    let start = Instant::now();
    let strategy = match options.strategy {
        LayerStrategy::Any(strategy) => strategy,
        _ => Strategy::default(),
    };
    let mut result = search(design_layer, options, constraints, strategy, monitor);
    result.seconds = start.elapsed().as_secs_f64();
    let more = score(design_layer, result.searched.best()).zip(free_score).map(|(score, free)| score / free - 1.0);
    result.constrained = Some(ConstraintCost { free_score, more });
    result
}

fn search(
    design_layer: &mut DesignLayer,
    options: &LayerSearchOptions,
    constraints: &LayerConstraints,
    strategy: Strategy,
    monitor: &dyn ProgressMonitor,
) -> LayerOutcome {
    let (limits, temporal) = (limits(options), &constraints.temporal);
    let find = |problem: &LayerOnCore<'_>| {
        find_best_under(temporal, problem, &options.objective, &limits, strategy, &|| monitor.goes_on())
            .unwrap_or(IMPOSSIBLE)
    };
    let is_searched = super::layer::searches_unrollings(design_layer, options);
    let unrollings = match &constraints.unroll {
        UnrollConstraint::Stated(unroll) => {
            design_layer.problem.unroll.clone_from(unroll);
            None
        }
        UnrollConstraint::Free if !is_searched => None,
        UnrollConstraint::Free => Some(unrolling_options(design_layer, options, Default::default())),
        UnrollConstraint::Limited(wanted) => Some(unrolling_options(design_layer, options, wanted.clone())),
    };
    let unrollings = unrollings.map(|wanted| search_unrolling(design_layer, options, (&wanted, false), monitor, &find));
    let (mapped, searched) = match unrollings.as_ref().filter(|found| found.best.is_none()) {
        Some(found) => {
            (Err(constraints.explain_unrollings(design_layer, found, &limits)), Searched::Orders(IMPOSSIBLE))
        }
        None => {
            let outcome = in_time(options, &limits, monitor, |limits, has_time| {
                find_best_under(temporal, &design_layer.on_core(), &options.objective, limits, strategy, has_time)
            });
            let mapped = match &outcome {
                Ok(outcome) if outcome.best.is_some() => design_layer.mapped(outcome),
                _ => Err(constraints.explain(design_layer, &outcome, (&limits, strategy))),
            };
            (mapped, Searched::Orders(outcome.unwrap_or(IMPOSSIBLE)))
        }
    };
    let facts = design_layer.facts();
    LayerOutcome { facts, mapped, searched, front: None, unrollings, constrained: None, seconds: 0.0 }
}
