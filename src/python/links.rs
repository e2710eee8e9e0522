//! Links to the page.

use crate::errors::error;
use fusescape_link::{from_link, to_link};
use fusescape_state::{Action, Half, State};
use pyo3::prelude::*;

/// A link to a page at `site` that opens with these documents.
#[pyfunction]
pub fn share_link(hardware: String, network: String, site: &str) -> String {
    let mut state = State::first();
    for (half, text) in [(Half::Hardware, hardware), (Half::Workload, network)] {
        state.apply(match half.presets().iter().find(|preset| preset.text == text) {
            Some(preset) => Action::PickPreset(half, preset),
            None => Action::Take(half, text),
        });
    }
    format!("{site}#{}", to_link(&state))
}

/// The hardware and the network of a link.
#[pyfunction]
pub fn linked(link: &str) -> PyResult<(String, String)> {
    let state = from_link(link).map_err(|wrong| error(&wrong))?;
    let [hardware, network] = [Half::Hardware, Half::Workload].map(|half| state.design.document(half).text.clone());
    Ok((hardware, network))
}
