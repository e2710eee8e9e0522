//! Reasons why a model is not a transformer: each once, with all its places.

use fusescape_spec::Diagnostics;

/// Remedy for a model that is not a transformer.
pub const AS_A_NETWORK: &str =
    "Import it as a network, and see view Landscape or Schedule; or write a transformer document by hand";

/// Reasons, with remedy and places.
#[derive(Debug, Default)]
pub struct Refusals(Vec<(String, &'static str, Vec<String>)>);

impl Refusals {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a reason, or a place of a known one.
    pub fn add(&mut self, place: impl Into<String>, reason: String, remedy: &'static str) {
        let place = place.into();
        match self.0.iter_mut().find(|(known, ..)| *known == reason) {
            Some((_, _, places)) => places.push(place),
            None => self.0.push((reason, remedy, vec![place])),
        }
    }

    /// One diagnostic per reason, at its first place, with the number of others.
    pub fn into_diagnostics(self) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        for (reason, remedy, places) in self.0 {
            let reason = match places.len() {
                0 | 1 => reason,
                2 => format!("{reason}; so does 1 more node"),
                count => format!("{reason}; so do {} more nodes", count - 1),
            };
            diagnostics.add(places.into_iter().next().unwrap_or_default(), reason, remedy);
        }
        diagnostics
    }
}
