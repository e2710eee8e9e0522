//! The layer that a person maps, and what they made of its mapping.

use super::State;
use fusescape_engine::explore::{LayerRequest, TemporalMapping};
use fusescape_engine::hardware::Unroll;

/// The state of the *Mapping* view: the layer, its unrolling, and a mapping made by hand.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OwnMapping {
    /// Name of the layer; `None` for the one with the most MACs.
    pub layer: Option<String>,
    /// The unrolling that was taken, and for which layer.
    unroll: Option<(String, Vec<Unroll>)>,
    /// A document of constraints on mappings, as written; empty: none.
    pub constraints: String,
    /// The mapping made by hand, and of what.
    edited: Option<(String, TemporalMapping)>,
}

/// A change of the *Mapping* view.
#[derive(Debug, Clone)]
pub enum MappingChange {
    /// Map another layer.
    Layer(String),
    /// Unroll the layer with this fingerprint so; `None`: as the documents say.
    Unroll(String, Option<Vec<Unroll>>),
    /// Make this the mapping of the layer with this fingerprint.
    Edit(String, TemporalMapping),
    /// Go back to the best mapping.
    Reset,
    /// Write the document of constraints.
    Constrain(String),
}

impl OwnMapping {
    /// The mapping made by hand of the layer with this fingerprint; `None` while the best is as it was found.
    pub fn of(&self, subject: &str) -> Option<&TemporalMapping> {
        self.edited.as_ref().filter(|(of, _)| of == subject).map(|(_, mapping)| mapping)
    }

    /// The unrolling taken for the layer with this fingerprint; `None` for that of the documents.
    pub fn unroll_of(&self, layer: &str) -> Option<&Vec<Unroll>> {
        self.unroll.as_ref().filter(|(of, _)| of == layer).map(|(_, unroll)| unroll)
    }

    /// Takes a change.
    pub fn change(&mut self, change: MappingChange) {
        match change {
            MappingChange::Layer(layer) => self.layer = Some(layer),
            MappingChange::Unroll(layer, unroll) => self.unroll = unroll.map(|unroll| (layer, unroll)),
            MappingChange::Edit(subject, mapping) => self.edited = Some((subject, mapping)),
            MappingChange::Reset => self.edited = None,
            MappingChange::Constrain(text) => self.constraints = text,
        }
    }
}

impl State {
    /// The layer to be mapped, under the objective and the rules of the schedule; `None` while the schedule has errors.
    pub fn layer_request(&self) -> Option<LayerRequest> {
        let requests = self.design.request().ok()?;
        let settings = &requests.first()?.settings;
        Some(LayerRequest {
            hardware: self.design.hardware.text.clone(),
            workload: self.design.workload.text.clone(),
            layer: self.mapping.layer.clone(),
            objective: settings.objective.clone(),
            strategy: settings.strategy,
            lpf_limit: settings.lpf_limit,
            rules: settings.rules,
            unroll: self.unroll().cloned(),
        })
    }

    /// The unrolling taken for the layer at hand; `None` for that of the documents.
    pub fn unroll(&self) -> Option<&Vec<Unroll>> {
        self.mapping.unroll_of(&self.layer_key())
    }

    /// The mapping made by hand of the layer at hand.
    pub fn own_mapping(&self) -> Option<&TemporalMapping> {
        self.mapping.of(&self.mapping_subject())
    }

    /// What makes it another layer or another array.
    pub fn layer_key(&self) -> String {
        format!("{}\n{}\n{:?}", self.design.hardware.text, self.design.workload.text, self.mapping.layer)
    }

    /// What decides about the loops that a mapping has.
    pub fn mapping_subject(&self) -> String {
        let rounds = self.design.schedule.rules.truncate_fractional_extents;
        format!("{}\n{:?}\n{rounds}", self.layer_key(), self.unroll())
    }
}
