//! Mapped layers, and their JSON.

use super::estimates::estimates_json;
use super::in_memory::in_memory_json;
use super::layer::{LayerOptions, Studied};
use super::stamped;
use super::words::STRATEGIES;
use fusescape_engine::cost::{EnergyCause, LatencyCause};
use fusescape_engine::explore::{LayerFacts, MappedLayer};
use fusescape_engine::hardware::{Core, Power};
use fusescape_engine::search::space::{IterativeOutcome, MappingSpace, SpaceRefusal};
use fusescape_engine::search::{Outcome, Solution, UnrolledOutcome};
use fusescape_engine::workload::Network;
use fusescape_spec::{Diagnostic, Diagnostics};
use serde_json::{Value, json};

/// Layers of a network on a core.
pub struct LayersReport {
    /// The core.
    pub core: Core,
    /// The network as the core computes it.
    pub network: Network,
    /// How they were mapped.
    pub options: LayerOptions,
    /// The layers.
    pub layers: Studied,
}

impl LayersReport {
    /// What is good to know beside the numbers.
    pub fn notes(&self) -> Vec<Diagnostic> {
        let Self { core, network, .. } = self;
        network.notes(&core.name, [core])
    }

    /// For a program.
    ///
    /// # Errors
    /// A number that JSON has no word for.
    pub fn json(&self) -> Result<Value, serde_json::Error> {
        let Self { core, network, options, layers } = self;
        let strategy = STRATEGIES.iter().find(|(_, strategy)| *strategy == options.strategy).map(|(name, _)| *name);
        let value = json!({
            "hardware": core.name,
            "estimates": estimates_json(core),
            "in_memory": in_memory_json(core),
            "workload": network.name,
            "objective": options.objective,
            "strategy": strategy,
            "min_utilization": options.min_utilization,
            "rules": options.rules,
            "layers": layers.iter().map(|(_, result)| layer_json(core, result)).collect::<Result<Vec<Value>, _>>()?,
        });
        Ok(stamped("layer", value))
    }
}

/// One layer, mapped or not.
pub struct LayerResult {
    /// What the layer is.
    pub facts: LayerFacts,
    /// Its mapping, or why there is none.
    pub mapped: Result<MappedLayer, Diagnostics>,
    /// What the temporal search did.
    pub searched: Searched,
    /// What the search for the unrolling did, if there was one.
    pub unrollings: Option<UnrolledOutcome>,
    /// What the constraints cost, if there are any.
    pub constrained: Option<ConstraintCost>,
    /// How long both took.
    pub seconds: f64,
}

impl LayerResult {
    /// Time and power of the mapped layer by itself.
    pub fn power(&self, core: &Core) -> Option<Power> {
        let mapped = self.mapped.as_ref().ok()?;
        core.power(mapped.energy_pj(), mapped.cycles.total as f64, self.facts.shape.macs())
    }
}

/// What constraints cost: the score of the best mapping without them, and how much more the best with them has, as a share. `None` where
/// there is none.
#[derive(Debug, Clone, Copy)]
pub struct ConstraintCost {
    /// In the unit of the objective.
    pub free_score: Option<f64>,
    /// As a share of that.
    pub more: Option<f64>,
}

/// The outcome of a temporal search.
pub enum Searched {
    /// It went through orders.
    Orders(Outcome),
    /// It went through blockings.
    Space(MappingSpace),
    /// It went level by level.
    Iterative(IterativeOutcome),
    /// It cannot.
    Refused(SpaceRefusal),
    /// There was none: the mapping is made by hand.
    ByHand,
}

impl Searched {
    /// The mapping it found.
    pub fn best(&self) -> Option<&Solution> {
        match self {
            Self::Orders(outcome) => outcome.best.as_ref(),
            Self::Space(space) => space.best.as_ref(),
            Self::Iterative(outcome) => outcome.best.as_ref(),
            Self::Refused(_) | Self::ByHand => None,
        }
    }
}

fn layer_json(core: &Core, result: &LayerResult) -> Result<Value, serde_json::Error> {
    let mut value = serde_json::to_value(&result.facts)?;
    value["macs"] = json!(result.facts.shape.macs());
    value["search"] = json!({
        "seconds": result.seconds,
        "orders": match &result.searched {
            Searched::Orders(outcome) => json!({
                "tried": outcome.orders,
                "feasible": outcome.feasible,
                "proof": outcome.proof,
                "stopped": outcome.stopped,
            }),
            _ => Value::Null,
        },
        "space": match &result.searched {
            Searched::Space(space) => serde_json::to_value(space)?,
            _ => Value::Null,
        },
        "iterative": match &result.searched {
            Searched::Iterative(outcome) => serde_json::to_value(outcome)?,
            _ => Value::Null,
        },
        "constraints": result.constrained.map(|cost| json!({ "free_score": cost.free_score, "more": cost.more })),
        "unrollings": result.unrollings.as_ref().map(|unrollings| json!({
            "legal": unrollings.unrollings,
            "searched": unrollings.searched,
            "feasible": unrollings.feasible,
            "cannot_be_better": unrollings.skipped,
            "proof": unrollings.proof,
        })),
    });
    match &result.mapped {
        Ok(mapped) => {
            value["energy_pj"] = json!(mapped.energy_pj());
            value["latency_cycles"] = json!(mapped.cycles.total);
            value["power"] = json!(result.power(core));
            value["mapped"] = mapped_json(mapped)?;
        }
        Err(reasons) => {
            value["impossible"] = json!(reasons.0.iter().map(ToString::to_string).collect::<Vec<String>>());
        }
    }
    Ok(value)
}

/// A mapped layer for a program: energy beside that of its accesses, and cycles, as fields by cause.
fn mapped_json(mapped: &MappedLayer) -> Result<Value, serde_json::Error> {
    let mut value = serde_json::to_value(mapped)?;
    if let Some(fields) = value.as_object_mut() {
        fields.remove("energy");
        for cause in EnergyCause::without_access() {
            fields.insert(format!("{}_pj", cause.key()), json!(mapped.energy[cause]));
        }
        let by_cause = mapped.cycles.by_cause;
        let causes = LatencyCause::of_layer().map(|cause| (cause.key().to_owned(), json!(by_cause[cause])));
        let all = [("ideal", json!(by_cause.ideal_cycles)), ("total", json!(mapped.cycles.total))];
        let all = all.map(|(name, cycles)| (name.to_owned(), cycles));
        fields.insert("cycles".to_owned(), causes.chain(all).collect());
    }
    Ok(value)
}
