//! Where the page's module is cut: what is behind the tables of functions that rooms fetch when they are first needed.
//!
//! `tools/build-page` cuts the module in pieces at the functions marked `wasm_split`. What only such a function reaches is in a file of
//! its own, which its first call fetches; so nothing else may name what they return.

use super::embed::Embed;
use super::parts::Parts;
use super::{dialogs, origin, views};
use crate::app::platform::pieces::{self, keep};
use crate::app::{design, landscape, widgets};
use wasm_split_helpers::{SplitLoaderError, wasm_split};

/// What is fetched as one.
#[derive(Clone, Copy)]
struct Others {
    shell: Parts,
    landscape: landscape::Parts,
    design: design::Parts,
    widgets: widgets::Parts,
}

#[wasm_split(others, fallible)]
fn others() -> Result<Others, SplitLoaderError> {
    Ok(Others {
        shell: Parts {
            view: views::other_view,
            dialog: dialogs::dialog,
            lesson: views::lesson_panel,
            origin: origin::origin,
            embed: crate::app::render::<Embed>,
        },
        landscape: landscape::Parts { joint: landscape::joint::joint },
        design: design::Parts {
            array_panel: design::array_panel::array_panel,
            memory_panel: design::memory_panel::memory_panel,
            layer_panel: design::layer_panel::layer_panel,
            import: design::import::import,
            import_report: design::import::report,
        },
        widgets: widgets::Parts { explanation: widgets::explain::explanation, save: widgets::save::write },
    })
}

/// Lets every room have its functions, once they are needed.
pub fn install() {
    pieces::install(|| Box::pin(async { others().await.map(keep_all).is_ok() }));
}

fn keep_all(fetched: Others) {
    keep(fetched.shell);
    keep(fetched.landscape);
    keep(fetched.design);
    keep(fetched.widgets);
}
