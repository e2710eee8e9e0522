//! Importing files: the button, the drop on a card, progress, and the report.

use crate::app::platform::fetch_failure::FetchFailure;
use crate::app::platform::lazy_modules::{late, with_lazy_module};
use crate::app::platform::missing::failure_message;
use crate::app::widgets::forms::diagnostics::{DiagnosticList, prose};
use crate::app::workers::pool::OWN_FILES;
use crate::app::workers::spawn::{START_MS, gone, spawn, when_gone};
use crate::import::{Coverage, ImportFinding, ImportReport, Imported, Severity};
use crate::lazy_module;
use crate::lesson::{LessonSource, OpenLesson};
use crate::spec::Diagnostics;
use crate::state::{Action, ImportedDocuments, State};
use crate::worker::{ImportNews, Notice, from_worker};
use gloo_timers::callback::Timeout;
use js_sys::{Array, Object, Reflect};
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{DragEvent, Event, File, FileList, HtmlInputElement, MessageEvent, Worker};
use yew::prelude::*;

/// Imports files, ONNX models as transformers or as networks; the first callback is called with the progress, the
/// second with the result.
pub type ImportFiles = fn(Vec<File>, bool, Callback<Import>, Callback<Action>) -> Option<Importer>;

/// Functions whose code is fetched when files are first imported.
#[derive(Clone, Copy)]
pub struct ImportCode {
    pub import: ImportFiles,
    /// Draws the progress of an import, and its report.
    pub import_report: fn(&ImportHandle, &'static str) -> Html,
}
lazy_module!(ImportCode);

/// The state of an import.
#[derive(Debug, Clone)]
pub enum Import {
    /// Nothing was imported, or the report was closed.
    None,
    /// In progress: names of the files, bytes read, bytes of all.
    Reading(String, f64, f64),
    /// The documents are taken over; with the report.
    Done(Rc<Imported>),
    /// The files have errors.
    Failed(Rc<Diagnostics>),
    /// The worker failed on these files; with the reason.
    Broken(Vec<File>, String),
    /// The worker waits for its code for these files, or cannot get it.
    NotFetched(Vec<File>, FetchFailure),
}

/// A worker that imports; it stops when dropped.
pub struct Importer {
    worker: Worker,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(Event)>,
    _late: Timeout,
    is_over: Rc<Cell<bool>>,
}

impl Drop for Importer {
    fn drop(&mut self) {
        self.is_over.set(true);
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

impl Importer {
    /// Starts with files; `tell` is called with every change.
    fn start(
        files: &[File],
        as_transformer: bool,
        tell: Callback<Result<ImportNews, Notice>>,
    ) -> Result<Self, JsValue> {
        let (failed, late, is_over) = (tell.clone(), tell.clone(), Rc::new(Cell::new(false)));
        let is_ready = Rc::new(Cell::new(false));
        let lock = Rc::new(Cell::new(None::<String>));
        let hears = {
            let (is_ready, is_over, lock) = (Rc::clone(&is_ready), Rc::clone(&is_over), Rc::clone(&lock));
            move |news: Result<ImportNews, Notice>| {
                is_ready.set(true);
                // The worker holds the lock since before its first message.
                if let Some(lock) = lock.take() {
                    let (tell, is_over) = (tell.clone(), Rc::clone(&is_over));
                    let call = move || {
                        if !is_over.get() {
                            tell.emit(Err(gone()));
                        }
                    };
                    when_gone(&lock, Box::new(call));
                }
                tell.emit(news);
            }
        };
        let on_message = Closure::new(move |event: MessageEvent| {
            if let Ok(news) = from_worker::<ImportNews>(event.data()) {
                hears(news);
            }
        });
        let on_error = Closure::new(move |event: Event| {
            event.prevent_default();
            failed.emit(Err(Notice::Missing(OWN_FILES.to_owned())));
        });
        let (worker, name) = spawn(&wasm_bindgen::module(), &on_message, &on_error)?;
        lock.set(Some(name));
        let second = Object::new();
        Reflect::set(&second, &"files".into(), &files.iter().collect::<Array>())?;
        Reflect::set(&second, &"asTransformer".into(), &as_transformer.into())?;
        worker.post_message(&second)?;
        let late = Timeout::new(START_MS, move || {
            if !is_ready.get() {
                late.emit(Err(Notice::Late));
            }
        });
        Ok(Self { worker, _on_message: on_message, _on_error: on_error, _late: late, is_over })
    }
}

/// An import that a component can start and show.
#[derive(Clone)]
pub struct ImportHandle {
    pub state: Import,
    /// Starts with files.
    pub start: Callback<Vec<File>>,
    /// Stops it, or closes the report.
    pub close: Callback<()>,
}

/// Runs one import after another, of ONNX models as transformers or as networks. The resulting documents are taken over
/// in one action.
#[hook]
pub fn use_import(act: &Callback<Action>, as_transformer: bool) -> ImportHandle {
    let state = use_state(|| Import::None);
    let importer = use_mut_ref(|| None::<Importer>);
    let close = {
        let (setter, importer) = (state.setter(), Rc::clone(&importer));
        Callback::from(move |()| {
            importer.replace(None);
            setter.set(Import::None);
        })
    };
    let start = {
        let (setter, act) = (state.setter(), act.clone());
        Callback::from(move |files: Vec<File>| {
            if files.is_empty() {
                return;
            }
            let (setter, importer, act) = (setter.clone(), Rc::clone(&importer), act.clone());
            with_lazy_module(move |parts: ImportCode| {
                let tell = Callback::from(move |import: Import| setter.set(import));
                let started = (parts.import)(files, as_transformer, tell, act);
                drop(importer.replace(started));
            });
        })
    };
    ImportHandle { state: (*state).clone(), start, close }
}

/// Imports files. Only `shell::pieces` may name it.
pub fn import(
    files: Vec<File>,
    as_transformer: bool,
    tell: Callback<Import>,
    act: Callback<Action>,
) -> Option<Importer> {
    let names = files.iter().map(File::name).collect::<Vec<_>>().join(", ");
    let of = files.iter().map(|file| file.size()).sum();
    tell.emit(Import::Reading(names.clone(), 0.0, of));
    let (hears, again) = (tell.clone(), files.clone());
    let started = Importer::start(
        &files,
        as_transformer,
        Callback::from(move |news: Result<ImportNews, Notice>| match news {
            Ok(ImportNews::Progress { done, of }) => hears.emit(Import::Reading(names.clone(), done, of)),
            Ok(ImportNews::Done(Ok(imported))) => hears.emit(take(imported, &act)),
            Ok(ImportNews::Done(Err(diagnostics))) => hears.emit(Import::Failed(Rc::new(diagnostics))),
            Err(Notice::Failed(text)) => hears.emit(Import::Broken(again.clone(), text)),
            Err(Notice::Missing(files)) => hears.emit(not_fetched(&again, NOT_FETCHED, &files)),
            Err(Notice::Late) => hears.emit(not_fetched(&again, LATE, OWN_FILES)),
            Err(Notice::Ready) => hears.emit(Import::Reading(names.clone(), 0.0, of)),
        }),
    );
    if started.is_err() {
        tell.emit(Import::Broken(files, "this browser lets no worker start".to_owned()));
    }
    started.ok()
}

/// Takes over the documents of an import.
fn take(imported: Imported, act: &Callback<Action>) -> Import {
    match imported.state.as_deref().map(State::from_yaml) {
        Some(Err(wrong)) => return Import::Failed(Rc::new(wrong)),
        Some(Ok(state)) => act.emit(Action::Open(Box::new(state))),
        None if imported.lesson.is_some() => {
            let source = LessonSource::Text(imported.lesson.clone().unwrap_or_default());
            act.emit(Action::ReadLesson(Box::new(OpenLesson { source, ..OpenLesson::default() })));
        }
        None => act.emit(Action::Import(ImportedDocuments {
            hardware: imported.hardware.clone(),
            workload: imported.workload.clone(),
            system: imported.system.clone(),
            transformer: imported.transformer.clone(),
            study: imported.study.clone(),
            constraints: imported.constraints.clone(),
            mapping: imported.mapped.clone().map(|of| (of.layer, of.unroll, of.mapping)),
        })),
    }
    Import::Done(Rc::new(imported))
}

/// Message where the code of the import could not be fetched.
const NOT_FETCHED: &str = "What imports files could not be fetched.";
/// Message while the code is missing.
const LATE: &str = "The import waits for its code, and goes on by itself once that is here.";

fn not_fetched(again: &[File], what: &'static str, files: &str) -> Import {
    Import::NotFetched(again.to_vec(), FetchFailure { what, files: files.into(), number: 0 })
}

#[derive(Properties, PartialEq)]
pub struct ImportButtonProps {
    pub start: Callback<Vec<File>>,
    /// The document of the button: `hardware`.
    pub name: &'static str,
    /// Text of the button.
    #[prop_or("import")]
    pub label: &'static str,
    /// CSS class of the button.
    #[prop_or("link")]
    pub class: &'static str,
}

/// A button that opens a file dialog.
#[component]
pub fn ImportButton(props: &ImportButtonProps) -> Html {
    let input = use_node_ref();
    let onclick = {
        let input = input.clone();
        Callback::from(move |_: MouseEvent| {
            if let Some(input) = input.cast::<HtmlInputElement>() {
                input.click();
            }
        })
    };
    let onchange = {
        let (input, start) = (input.clone(), props.start.clone());
        Callback::from(move |_: Event| {
            if let Some(input) = input.cast::<HtmlInputElement>() {
                start.emit(input.files().as_ref().map(listed).unwrap_or_default());
                // Allows the same file to be chosen again.
                input.set_value("");
            }
        })
    };
    html! {
        <>
            <button
                type="button"
                class={props.class}
                {onclick}
                title="ONNX models, hardware, workload, transformer, system, study and lesson documents, ZigZag’s YAML, a system of Stream \
                       with all its cores, Timeloop’s and AccelForge’s YAML, whole designs. Files are read here and sent nowhere."
                data-testid={format!("{}-import", props.name)}
            >
                { props.label }
            </button>
            <input
                ref={input}
                type="file"
                multiple={true}
                accept=".onnx,.yaml,.yml,.json"
                hidden={true}
                {onchange}
                data-testid={format!("{}-import-files", props.name)}
            />
        </>
    }
}

fn listed(files: &FileList) -> Vec<File> {
    (0..files.length()).filter_map(|index| files.get(index)).collect()
}

/// Whether a drag carries files; their names are known only when they are dropped.
pub fn carries_files(event: &DragEvent) -> bool {
    event.data_transfer().is_some_and(|data| data.types().includes(&"Files".into(), 0))
}

/// The files of a drop.
pub fn dropped(event: &DragEvent) -> Vec<File> {
    event.data_transfer().and_then(|data| data.files()).as_ref().map(listed).unwrap_or_default()
}

/// The progress of an import, and its report; `name` is that of the document of the card.
pub fn import_panel(import: &ImportHandle, name: &'static str) -> Html {
    if matches!(import.state, Import::None) {
        return html! {};
    }
    let import = import.clone();
    late(move |parts: ImportCode| (parts.import_report)(&import, name))
}

/// Draws the report of an import, if there is one. Only `shell::pieces` may name it.
pub fn report(import: &ImportHandle, name: &'static str) -> Html {
    let close = import.close.reform(|_: MouseEvent| ());
    let testid = format!("{name}-import-report");
    match &import.state {
        Import::None => html! {},
        Import::Reading(names, done, of) => html! {
            <div class="import" role="status" data-testid={testid}>
                <p>{ format!("Reading {names}, {} …", megabytes(*of)) }</p>
                <progress max={of.to_string()} value={done.to_string()} aria-label="Import" />
                <button type="button" class="link" onclick={close}>{ "cancel" }</button>
            </div>
        },
        Import::Done(imported) => html! {
            <div class="import" role="status" data-testid={testid}>
                { for imported.reports.iter().map(of_file) }
                <button type="button" class="link" onclick={close}>{ "close the report" }</button>
            </div>
        },
        Import::Broken(files, text) => html! {
            <div class="import" role="alert" data-testid={testid}>
                <p><b>{ "Nothing was imported." }</b>{ format!(" The worker that read the files failed: {text}.") }</p>
                <button type="button" class="link" onclick={again(import, files).reform(|_: MouseEvent| ())} data-testid="import-again">
                    { "try again" }
                </button>
                { " " }
                <button type="button" class="link" onclick={close}>{ "close" }</button>
            </div>
        },
        Import::NotFetched(files, failure) => html! {
            <div class="import" data-testid={testid}>
                { failure_message("plain", failure, again(import, files), Callback::noop()) }
                <button type="button" class="link" onclick={close}>{ "cancel" }</button>
            </div>
        },
        Import::Failed(diagnostics) => html! {
            <div class="import" data-testid={testid}>
                <p><b>{ "Nothing was imported." }</b></p>
                <DiagnosticList diagnostics={(**diagnostics).clone()} testid="import-errors" />
                <button type="button" class="link" onclick={close}>{ "close the report" }</button>
            </div>
        },
    }
}

/// Starts again with the same files.
fn again(import: &ImportHandle, files: &[File]) -> Callback<()> {
    let files = files.to_vec();
    import.start.reform(move |()| files.clone())
}

fn megabytes(bytes: f64) -> String {
    if bytes < 1e6 { format!("{:.0} kB", (bytes / 1e3).ceil()) } else { format!("{:.0} MB", bytes / 1e6) }
}

fn of_file(report: &ImportReport) -> Html {
    let group = |severity: Severity| {
        let findings: Vec<&ImportFinding> = report.of(severity).collect();
        let count: u64 = findings.iter().map(|finding| finding.count).sum();
        let list = html! {
            <ul>{ for findings.iter().map(|finding| html! { <li>{ finding_text(finding) }</li> }) }</ul>
        };
        // Findings that need a correction, or that the model leaves out, are never folded.
        match (findings.is_empty(), severity) {
            (true, _) => html! {},
            (_, Severity::Mistake | Severity::NotCounted) => {
                html! { <div class="not-counted"><b>{ severity.title() }</b>{ list }</div> }
            }
            _ => html! { <details><summary>{ format!("{} ({count})", severity.title()) }</summary>{ list }</details> },
        }
    };
    html! {
        <>
            <p><b>{ &report.title }</b>{ format!(": {}", report.result) }</p>
            if let Some(coverage) = &report.coverage {
                if coverage.is_whole() {
                    <p>{ format!("{coverage}.") }</p>
                } else {
                    <p class="incomplete" role="alert"><b>{ format!("Only {coverage}.") }</b>{ format!(" {}.", Coverage::REMEDY) }</p>
                }
            }
            { for Severity::ALL.into_iter().map(group) }
        </>
    }
}

fn finding_text(finding: &ImportFinding) -> Html {
    let count = if finding.count > 1 { format!("{} × ", finding.count) } else { String::new() };
    let more = if finding.count > finding.places.len() as u64 { ", …" } else { "" };
    html! {
        <>
            { count }<b>{ &finding.what }</b>{ prose(&format!(": {}", finding.reason)) }
            if !finding.places.is_empty() {
                <span class="places">{ format!(" {}{more}", finding.places.join(", ")) }</span>
            }
        </>
    }
}
