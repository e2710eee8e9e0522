//! The layer that a person maps, and what they did to its mapping, step by step.

use super::State;
use crate::explore::{LayerRequest, TemporalMapping};
use crate::hardware::Unroll;

/// What the *Mapping* view is about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OwnMapping {
    /// Name of the layer; `None` for the one with the most MACs.
    pub layer: Option<String>,
    /// The unrolling that was taken, and for which layer.
    unroll: Option<(String, Vec<Unroll>)>,
    /// The mapping after each edit, of the design with this fingerprint.
    steps: Vec<TemporalMapping>,
    /// Number of edits in force; those beyond it were undone.
    done: usize,
    /// What `steps` belong to.
    subject: String,
}

/// What a person can do.
#[derive(Debug, Clone)]
pub enum MappingChange {
    /// Map another layer.
    Layer(String),
    /// Unroll the layer with this fingerprint so; `None`: as the documents say.
    Unroll(String, Option<Vec<Unroll>>),
    /// Make this the mapping of the layer with this fingerprint.
    Edit(String, TemporalMapping),
    /// Take the last edit back.
    Undo,
    /// Do what was undone once more.
    Redo,
    /// Go back to the best mapping.
    Reset,
}

impl OwnMapping {
    /// The mapping made by hand of the layer with this fingerprint; `None` while the best is as it was found.
    pub fn of(&self, subject: &str) -> Option<&TemporalMapping> {
        let last = self.done.checked_sub(1)?;
        self.steps.get(last).filter(|_| self.subject == subject)
    }

    /// The unrolling taken for the layer with this fingerprint; `None` for that of the documents.
    pub fn unroll_of(&self, layer: &str) -> Option<Vec<Unroll>> {
        self.unroll.as_ref().filter(|(of, _)| of == layer).map(|(_, unroll)| unroll.clone())
    }

    /// Whether an edit can be done once more.
    pub fn can_redo(&self, subject: &str) -> bool {
        self.done < self.steps.len() && self.subject == subject
    }

    pub(super) fn change(&mut self, change: MappingChange) {
        match change {
            MappingChange::Layer(layer) => self.layer = Some(layer),
            MappingChange::Unroll(layer, unroll) => self.unroll = unroll.map(|unroll| (layer, unroll)),
            MappingChange::Edit(subject, mapping) => {
                if self.subject != subject {
                    (self.subject, self.done) = (subject, 0);
                }
                self.steps.truncate(self.done);
                self.steps.push(mapping);
                self.done += 1;
            }
            MappingChange::Undo => self.done = self.done.saturating_sub(1),
            MappingChange::Redo => self.done = (self.done + 1).min(self.steps.len()),
            MappingChange::Reset => self.done = 0,
        }
    }
}

impl State {
    /// The layer to be mapped, under the objective and the rules of the schedule; `None` while the schedule has errors.
    pub fn layer_request(&self) -> Option<LayerRequest> {
        let requests = self.design.request().ok()?;
        let first = requests.first()?;
        let request = LayerRequest {
            hardware: first.hardware.clone(),
            workload: first.workload.clone(),
            layer: self.mapping.layer.clone(),
            objective: first.settings.objective.clone(),
            strategy: first.settings.strategy,
            lpf_limit: first.settings.lpf_limit,
            rules: first.settings.rules,
            unroll: None,
        };
        let unroll = self.mapping.unroll_of(&layer_key(&request));
        Some(LayerRequest { unroll, ..request })
    }

    /// What a mapping made by hand belongs to; `None` while the schedule has errors.
    pub fn mapping_subject(&self) -> Option<String> {
        self.layer_request().as_ref().map(subject)
    }
}

/// What makes it another layer or another array.
pub fn layer_key(request: &LayerRequest) -> String {
    format!("{}\n{}\n{:?}", request.hardware, request.workload, request.layer)
}

/// What decides about the loops that a mapping has.
pub fn subject(request: &LayerRequest) -> String {
    let rounds = request.rules.truncate_fractional_extents;
    format!("{}\n{:?}\n{rounds}", layer_key(request), request.unroll)
}
