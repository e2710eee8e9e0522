//! Picks presets. Their texts are part of this piece.

use crate::state::{Action, Half};

/// Picks the preset called `id`, or the document written by hand if there is none.
pub fn pick(half: Half, id: &str) -> Action {
    Action::preset(half, id).unwrap_or(Action::PickOwn(half))
}
