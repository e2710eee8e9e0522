//! Questions about one layer on one core.

use super::{Answer, Answerer, Ask};
use fusescape_engine::cost::MappingError;
use fusescape_engine::explore::{
    AllowedMapping, LayerFacts, LayerRequest, LayerStudy, MappedLayer, StrategyFindings, TemporalMapping,
    UnrollingChoices, ZigZagStrategy, own_constraints,
};
use fusescape_engine::search::Proof;
use fusescape_engine::workload::Network;
use fusescape_spec::Diagnostics;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

pub(super) type Key = Rc<LayerRequest>;
pub(super) type Study = LayerStudy;

impl Answerer {
    pub(super) fn layer(&mut self, request: Key) -> Result<&LayerStudy, Diagnostics> {
        self.layer.of(request, |request| LayerStudy::new(request)).map(|study| &*study)
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

impl Ask for FindBestMapping {
    type Reply = BestMapping;

    fn answer(self, answerer: &mut Answerer) -> Answer<BestMapping> {
        let study = answerer.layer(self.request)?;
        let outcome = study.search();
        let best = study.mapped(&outcome).map(|best| (Rc::new(best), outcome.proof));
        Ok(BestMapping { facts: Rc::new(study.facts()), best })
    }
}

/// What does a mapping made by hand cost?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluateMapping {
    pub request: Rc<LayerRequest>,
    pub mapping: TemporalMapping,
}

impl Ask for EvaluateMapping {
    /// Its cost, or all its errors.
    type Reply = Result<Rc<MappedLayer>, Vec<MappingError>>;

    fn answer(self, answerer: &mut Answerer) -> Answer<Self::Reply> {
        Ok(answerer.layer(self.request)?.cost(&self.mapping).map(Rc::new))
    }
}

/// The mapping of a layer that a document of constraints allows.
pub type Allowed = Result<Option<AllowedMapping>, Diagnostics>;

/// What is the best mapping of a layer under a document of constraints?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FindAllowedMapping {
    /// The layer, its core, and how to search.
    pub request: Rc<LayerRequest>,
    /// Text of the document.
    pub constraints: String,
}

impl Ask for FindAllowedMapping {
    /// The mapping, or `None` if the document does not constrain the layer; else the errors of the document, or its
    /// parts that exclude every mapping.
    type Reply = Allowed;

    fn answer(self, answerer: &mut Answerer) -> Answer<Self::Reply> {
        let request = Rc::clone(&self.request);
        let study = answerer.layer(self.request)?;
        let network = Network::from_text(&request.workload)?.on(&study.core);
        Ok(own_constraints(&self.constraints, &study.core, &network).and_then(|document| {
            document.of(study).map(|constraints| study.clone().search_under(&constraints)).transpose()
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
pub struct LayerCost {
    /// Energy, pJ.
    pub energy_pj: f64,
    pub latency_cycles: u64,
}

impl Ask for FindBestCost {
    type Reply = LayerCost;

    fn answer(self, answerer: &mut Answerer) -> Answer<LayerCost> {
        let best = answerer.layer(self.request)?.best()?;
        Ok(LayerCost { energy_pj: best.energy_pj(), latency_cycles: best.cycles.total })
    }
}

/// In which ways can the array be unrolled for a layer?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FindUnrollings {
    pub request: Rc<LayerRequest>,
    /// Limit on the unrollings; the most promising come first.
    pub most: usize,
}

impl Ask for FindUnrollings {
    type Reply = UnrollingChoices;

    fn answer(self, answerer: &mut Answerer) -> Answer<UnrollingChoices> {
        Ok(answerer.layer(self.request)?.unrollings(self.most))
    }
}

/// What does one of ZigZag's search strategies find for a layer?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchByStrategy {
    pub request: Rc<LayerRequest>,
    pub strategy: ZigZagStrategy,
}

impl Ask for SearchByStrategy {
    /// The findings, or the reason why the strategy cannot be used here.
    type Reply = Result<StrategyFindings, String>;

    fn answer(self, answerer: &mut Answerer) -> Answer<Self::Reply> {
        Ok(answerer.layer(self.request)?.strategy(self.strategy).map_err(|refusal| refusal.to_string()))
    }
}
