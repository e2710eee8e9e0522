//! Questions about one layer on one core.

use super::{Query, QueryEngine, Reply};
use fusescape_engine::cost::MappingError;
use fusescape_engine::explore::{
    ConstrainedOptimum, DesignLayer, LayerFacts, LayerRequest, MappedLayer, StrategyFindings, TemporalMapping,
    UnrollingChoices, ZigZagStrategy, user_constraints,
};
use fusescape_engine::search::Proof;
use fusescape_engine::workload::Network;
use fusescape_spec::Diagnostics;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

pub(super) type LayerRequestKey = Rc<LayerRequest>;
pub(super) type AskedLayer = DesignLayer;

impl QueryEngine {
    pub(super) fn layer(&mut self, request: LayerRequestKey) -> Result<&DesignLayer, Diagnostics> {
        self.layer.of(request, |request| DesignLayer::new(request)).map(|design_layer| &*design_layer)
    }
}

/// Which mapping of a layer is the best?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FindBestMapping {
    /// The layer, its core, and how to search.
    pub request: Rc<LayerRequest>,
}

/// The facts of a layer, and its best mapping.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BestMapping {
    /// Properties common to all mappings.
    pub facts: Rc<LayerFacts>,
    /// The best mapping and its proof, or the reason why there is none.
    pub best: Result<(Rc<MappedLayer>, Proof), Diagnostics>,
}

impl Query for FindBestMapping {
    type Reply = BestMapping;

    fn answer(self, engine: &mut QueryEngine) -> Reply<BestMapping> {
        let design_layer = engine.layer(self.request)?;
        let outcome = design_layer.search();
        let best = design_layer.mapped(&outcome).map(|best| (Rc::new(best), outcome.proof));
        Ok(BestMapping { facts: Rc::new(design_layer.facts()), best })
    }
}

/// What does a mapping made by hand cost?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluateMapping {
    pub request: Rc<LayerRequest>,
    pub mapping: TemporalMapping,
}

impl Query for EvaluateMapping {
    /// Its cost, or all its errors.
    type Reply = Result<Rc<MappedLayer>, Vec<MappingError>>;

    fn answer(self, engine: &mut QueryEngine) -> Reply<Self::Reply> {
        Ok(engine.layer(self.request)?.cost(&self.mapping).map(Rc::new))
    }
}

/// The mapping of a layer that a document of constraints allows.
pub type ConstrainedOutcome = Result<Option<ConstrainedOptimum>, Diagnostics>;

/// What is the best mapping of a layer under a document of constraints?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FindAllowedMapping {
    /// The layer, its core, and how to search.
    pub request: Rc<LayerRequest>,
    /// Text of the document.
    pub constraints: String,
}

impl Query for FindAllowedMapping {
    /// The mapping, or `None` if the document does not constrain the layer; else the errors of the document, or its
    /// parts that exclude every mapping.
    type Reply = ConstrainedOutcome;

    fn answer(self, engine: &mut QueryEngine) -> Reply<Self::Reply> {
        let request = Rc::clone(&self.request);
        let design_layer = engine.layer(self.request)?;
        let network = Network::from_text(&request.workload)?.on(&design_layer.core);
        Ok(user_constraints(&self.constraints, &design_layer.core, &network).and_then(|document| {
            document.of(design_layer).map(|constraints| design_layer.clone().search_under(&constraints)).transpose()
        }))
    }
}

/// What does the best mapping of a layer cost?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FindBestCost {
    /// The layer, its core, and how to search.
    pub request: Rc<LayerRequest>,
}

/// The cost of the best mapping.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FoundCost {
    /// Energy, pJ.
    pub energy_pj: f64,
    pub latency_cycles: u64,
}

impl Query for FindBestCost {
    type Reply = FoundCost;

    fn answer(self, engine: &mut QueryEngine) -> Reply<FoundCost> {
        let best = engine.layer(self.request)?.best()?;
        Ok(FoundCost { energy_pj: best.energy_pj(), latency_cycles: best.cycles.total })
    }
}

/// In which ways can the array be unrolled for a layer?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FindUnrollings {
    pub request: Rc<LayerRequest>,
    /// Limit on the unrollings; the most promising come first.
    pub most: usize,
}

impl Query for FindUnrollings {
    type Reply = UnrollingChoices;

    fn answer(self, engine: &mut QueryEngine) -> Reply<UnrollingChoices> {
        Ok(engine.layer(self.request)?.unrollings(self.most))
    }
}

/// What does one of ZigZag's search strategies find for a layer?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchByStrategy {
    pub request: Rc<LayerRequest>,
    pub strategy: ZigZagStrategy,
}

impl Query for SearchByStrategy {
    /// The findings, or the reason why the strategy cannot be used here.
    type Reply = Result<StrategyFindings, String>;

    fn answer(self, engine: &mut QueryEngine) -> Reply<Self::Reply> {
        Ok(engine.layer(self.request)?.strategy(self.strategy).map_err(|refusal| refusal.to_string()))
    }
}
