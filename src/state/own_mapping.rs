//! The layer to map, and a mapping made by hand.

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
        /// The chosen unrolling, with the fingerprint of its layer; `None` for that of the documents.
        unroll(chosen Unroll): Option<(String, Vec<Unroll>)> = None;
        /// A document of constraints on mappings, as written; may be empty.
        constraints(typed Constraints): String = String::new();
        /// The mapping made by hand, with the fingerprint of its layer; `None` for the best.
        edited(chosen Edited): Option<(String, TemporalMapping)> = None;
    }
}

impl OwnMapping {
    /// The mapping made by hand for the layer with this fingerprint; `None` for the best.
    pub fn of(&self, subject: &str) -> Option<&TemporalMapping> {
        self.edited.as_ref().filter(|(of, _)| of == subject).map(|(_, mapping)| mapping)
    }

    /// The unrolling chosen for the layer with this fingerprint; `None` for that of the documents.
    pub fn unroll_of(&self, layer: &str) -> Option<&Vec<Unroll>> {
        self.unroll.as_ref().filter(|(of, _)| of == layer).map(|(_, unroll)| unroll)
    }
}

impl State {
    /// The layer to map, under the objective and the rules of the schedule; `None` while the schedule has errors.
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

    /// The unrolling chosen for the current layer; `None` for that of the documents.
    pub fn unroll(&self) -> Option<&Vec<Unroll>> {
        self.mapping.unroll_of(&self.layer_key())
    }

    /// The mapping made by hand for the current layer.
    pub fn own_mapping(&self) -> Option<&TemporalMapping> {
        self.mapping.of(&self.mapping_subject())
    }

    /// Fingerprint of the layer and the array.
    pub fn layer_key(&self) -> String {
        format!("{}\n{}\n{:?}", self.design.hardware.text, self.design.workload.text, self.mapping.layer)
    }

    /// Fingerprint of everything that determines the loops of a mapping.
    pub fn mapping_subject(&self) -> String {
        let rounds = self.design.schedule.rules.truncate_fractional_extents;
        format!("{}\n{:?}\n{rounds}", self.layer_key(), self.unroll())
    }
}
