//! Opening and saving: the whole state as YAML, a report of one design as Markdown.

use super::share::page_address;
use crate::app::design::import::ImportButton;
use crate::app::session::state::PageState;
use crate::app::widgets::figures::download::save_text;
use crate::app::widgets::page::figure_context::{DesignNames, use_figure_context};
use crate::app::widgets::words::dialog::Dialog;
use crate::app::workers::handle::use_workers;
use crate::app::workers::results::Status;
use crate::depth_first::FuseDepth;
use crate::report::{DesignFindings, report};
use crate::state::State;
use std::rc::Rc;
use web_sys::File;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct FilesProps {
    pub state: Rc<PageState>,
    /// The opened point.
    pub opened: Option<u32>,
    /// Called with the files to open.
    pub start: Callback<Vec<File>>,
    pub on_close: Callback<()>,
}

#[component]
pub fn Files(props: &FilesProps) -> Html {
    let names = use_figure_context().names;
    let PageState { results, chosen, .. } = &*props.state;
    let missing = props
        .opened
        .filter(|point| !results.stale && results.summary(*point).is_some() && !results.accounts.contains_key(point));
    let workers = use_workers();
    use_effect_with((missing, results.generation), move |(missing, _)| {
        if let Some(point) = missing {
            workers.open(*point);
        }
    });
    let start = {
        let (start, on_close) = (props.start.clone(), props.on_close.clone());
        Callback::from(move |files: Vec<File>| {
            if !files.is_empty() {
                start.emit(files);
                on_close.emit(());
            }
        })
    };
    let on_state = {
        let (chosen, names) = (Rc::clone(chosen), names.clone());
        Callback::from(move |_: MouseEvent| save_state(&chosen, &names))
    };
    let on_report = {
        let (state, opened, names) = (Rc::clone(&props.state), props.opened, names.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(text) = written(&state, opened) {
                save_text(&names.file("report", "md"), "text/markdown", &text);
            }
        })
    };
    let is_known =
        results.status == Status::Done && missing.is_none() && props.state.is_current() && props.opened.is_some();
    html! {
        <Dialog title="Files" on_close={props.on_close.clone()} testid="files-dialog">
            <h3>{ "Open" }</h3>
            <p class="hint">
                { "A design saved here, hardware or a network as YAML, an ONNX model, ZigZag’s files. \
                   Or drop them anywhere on the page. They are read here and sent nowhere." }
            </p>
            <div class="row"><ImportButton {start} name="page" label="Open files …" class="" /></div>
            <h3>{ "Save" }</h3>
            <dl class="choices">
                <dt><button type="button" onclick={on_state} data-testid="save-state">{ "Design as YAML" }</button></dt>
                <dd>{ "Hardware, network and all choices in one file, to keep, to edit, and to open again." }</dd>
                <dt>
                    <button type="button" onclick={on_report} disabled={!is_known} data-testid="save-report">
                        { "Report as Markdown" }
                    </button>
                </dt>
                <dd>
                    { if is_known {
                        "What the opened point costs and why, with tables, the rules, the link, and the commands that compute it again."
                    } else {
                        "Ready when the sweep is done."
                    } }
                </dd>
            </dl>
            <p class="hint">{ "Every figure is saved as SVG or PNG below it, every table as CSV or JSON." }</p>
        </Dialog>
    }
}

/// Downloads a state.
pub fn save_state(state: &State, names: &DesignNames) {
    save_text(&names.file("", "yaml"), "application/yaml", &state.to_yaml());
}

/// The report of a point, once its account is known.
fn written(state: &PageState, opened: Option<u32>) -> Option<String> {
    let results = &state.results;
    let point = opened?;
    let reference = |fuse: &FuseDepth| results.summary(results.reference(fuse)?);
    let found = DesignFindings {
        account: results.accounts.get(&point)?,
        summary: results.summary(point)?,
        is_best: results.best == Some(point),
        points: (results.swept, results.swept_summaries().count()),
        references: [reference(&FuseDepth::SingleLayer), reference(&FuseDepth::LayerByLayer)],
        notes: &results.notes,
    };
    Some(report(&state.chosen, &found, &page_address("index.html")))
}
