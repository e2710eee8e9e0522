//! The layer that a person maps, and what they made of its mapping.

use super::State;
use super::fields::fields;
use fusescape_engine::explore::{LayerRequest, TemporalMapping};
use fusescape_engine::hardware::Unroll;

fields! {
    /// The state of the *Mapping* view: the layer, its unrolling, and a mapping made by hand.
    #[derive(Debug, Clone, PartialEq, Eq, Default)]
    OwnMapping set by MappingField {
        /// Name of the layer; `None` for the one with the most MACs.
        layer(chosen Layer): Option<String> = None;
        /// The unrolling that was taken, and for the layer with which fingerprint; `None`: as the documents say.
        unroll(chosen Unroll): Option<(String, Vec<Unroll>)> = None;
        /// A document of constraints on mappings, as written; empty: none.
        constraints(typed Constraints): String = String::new();
        /// The mapping made by hand, and of the layer with which fingerprint; `None`: the best.
        edited(chosen Edited): Option<(String, TemporalMapping)> = None;
    }
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
