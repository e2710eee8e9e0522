//! The best mapping of one layer that constraints allow, by one worker.

use super::{LayerConstraints, UnrollConstraint};
use crate::explore::{DesignLayer, LayerFacts, MappedLayer};
use crate::hardware::Unroll;
use crate::mapping::{LayerOnCore, UnrollingOptions};
use crate::search::{Limits, Outcome, Proof, UnrolledLayer, UnrolledOutcome, UnrolledSearch, find_best_under};
use crate::spec::Diagnostics;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// The best mapping under constraints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConstrainedOptimum {
    /// Facts of the layer with this unrolling.
    pub facts: Rc<LayerFacts>,
    /// The unrolling.
    pub unroll: Vec<Unroll>,
    /// The mapping with its cost.
    pub mapped: Rc<MappedLayer>,
    /// The proof that no better mapping is allowed, or the gap.
    pub proof: Proof,
}

impl DesignLayer {
    /// The best mapping that the constraints allow; where they leave the unrolling open, the best unrolling, too.
    ///
    /// # Errors
    /// The constraints that together exclude every mapping, or the memories that are too small for any.
    pub fn search_under(mut self, constraints: &LayerConstraints) -> Result<ConstrainedOptimum, Diagnostics> {
        let limits = self.limits();
        let mut proof_of_unrolling = None;
        match &constraints.unroll {
            UnrollConstraint::Free => {}
            UnrollConstraint::Stated(unroll) => self.problem.unroll.clone_from(unroll),
            UnrollConstraint::Limited(wanted) => {
                let found = self.search_unrollings_under(constraints, wanted, &limits);
                let Some(best) = &found.best else {
                    return Err(constraints.explain_unrollings(&self, &found, &limits));
                };
                self.problem.unroll.clone_from(&best.unroll);
                proof_of_unrolling = Some(found.proof);
            }
        }
        let (objective, strategy) = (&self.objective, self.strategy);
        let outcome = find_best_under(&constraints.temporal, &self.on_core(), objective, &limits, strategy, &|| true);
        let best = outcome.as_ref().ok().filter(|outcome| outcome.best.is_some());
        let Some(best) = best else { return Err(constraints.explain(&self, &outcome, (&limits, strategy))) };
        let (mapped, proof) = (self.mapped(best)?, proof_of_unrolling.unwrap_or(best.proof));
        Ok(ConstrainedOptimum {
            facts: Rc::new(self.facts()),
            mapped: Rc::new(mapped),
            proof,
            unroll: self.problem.unroll,
        })
    }

    fn search_unrollings_under(
        &self,
        constraints: &LayerConstraints,
        wanted: &UnrollingOptions,
        limits: &Limits,
    ) -> UnrolledOutcome {
        let (shape, levels) = (self.problem.shape, self.problem.levels);
        let layer = UnrolledLayer { core: &self.core, rules: self.rules, shape, levels };
        let most_loops = wanted.hints.iter().map(|(_, loops)| loops.len()).max().unwrap_or(0);
        let options =
            UnrollingOptions { loops_per_dimension: wanted.loops_per_dimension.max(most_loops), ..wanted.clone() };
        let (objective, strategy) = (self.objective.clone(), self.strategy);
        let find = |problem: &LayerOnCore<'_>| {
            find_best_under(&constraints.temporal, problem, &objective, limits, strategy, &|| true)
                .unwrap_or(Outcome { proof: Proof::Optimal, ..Outcome::NOTHING })
        };
        let mut search = UnrolledSearch::new(layer, &options, objective.clone(), *limits, strategy);
        let mut next = 0;
        while next < search.end() {
            if let Some(outcome) = search.solve_by(next, find) {
                search.offer(next, &outcome);
            }
            next += 1;
        }
        search.outcome()
    }
}
