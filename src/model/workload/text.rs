//! A network straight from the text that a person wrote.

use super::Network;
use crate::spec::{Consequences, Diagnostics, read_workload};

/// Complaints that follow from the size of some map, in whichever layer.
const SIZES: &[&str] = &["layers[*]", "layers[*].from", "layers[*].kernel", "layers[*].groups", "layers[*].K"];

/// Parts that validation cannot judge while others of the document are unreadable.
const CONSEQUENCES: &Consequences = &[
    ("layers", &["layers", "layers[*].from"]),
    ("layers[*].type", &["layers", "layers[*].from"]),
    ("layers[*].name", &["layers[*].from"]),
    ("layers[*].from", SIZES),
    ("layers[*].K", SIZES),
    ("layers[*].size", SIZES),
    ("layers[*].kernel", SIZES),
    ("layers[*].groups", SIZES),
    ("layers[*].stride", SIZES),
    ("layers[*].dilation", SIZES),
    ("layers[*].padding", SIZES),
    ("layers[*].padding.*", SIZES),
    ("layers[*].crop", SIZES),
    ("precision.*", &["layers[*].precision"]),
    ("layers[*].precision.*", &["layers[=].precision"]),
];

impl Network {
    /// Reads and validates a workload document.
    ///
    /// # Errors
    /// All errors of the text, each with its line, path, reason and remedy.
    pub fn from_text(text: &str) -> Result<Self, Diagnostics> {
        read_workload(text).validated(text, CONSEQUENCES, |spec| Self::new(&spec))
    }
}
