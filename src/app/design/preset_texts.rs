//! Picks presets. Their texts are fetched with this.

use crate::state::{Action, Half};

/// Takes the preset called `id`, or the document written by hand where there is none.
pub fn pick(half: Half, id: &str) -> Action {
    Action::preset(half, id).unwrap_or(Action::PickOwn(half))
}
