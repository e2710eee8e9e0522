//! The study document: its axes as text and by clicks; start and stop.

use super::opening::{FileOpening, use_opening};
use super::run::StudyRun;
use crate::app::design::import::{carries_files, dropped};
use crate::app::widgets::figures::download::save_text;
use crate::app::widgets::forms::controls::{ChoiceOption, Select};
use crate::app::widgets::forms::diagnostics::{DiagnosticList, prose};
use crate::app::widgets::forms::document_text::DocumentText;
use crate::app::widgets::page::figure_context::use_act;
use crate::app::widgets::words::term::termed;
use crate::app::workers::ask::use_answers;
use crate::app::workers::handle::use_workers;
use crate::app::workers::job::JobRun;
use crate::app::workers::results::Status;
use crate::chart::{group_thousands, seconds_text};
use crate::explore::study::{DesignSampler, DesignSpace};
use crate::form::{Variable, variables, with_axis, with_values};
use crate::question::{Channel, TimeDesigns};
use crate::spec::edit::Outline;
use crate::spec::{Diagnostics, SamplingSpec, read_study};
use crate::state::{Action, StudyField, file_name};
use std::rc::Rc;
use std::sync::Arc;
use web_sys::{DragEvent, File, HtmlInputElement};
use yew::prelude::*;

/// Number of designs that are timed to estimate the time of a study.
const PROBES: u64 = 3;
/// Axes that are not numbers of a document, with initial values.
const OTHERS: [(&str, &[&str]); 4] = [
    ("hardware", &["meta-proto-like-df", "tpu-like-df", "edge-tpu-like-df"]),
    ("network", &["resnet18", "mobilenet-v1", "fsrcnn-defines"]),
    ("schedule.stacks", &["auto", "layer-by-layer", "single-layer"]),
    ("schedule.objective", &["energy", "latency", "edp"]),
];

/// The same for a study of systems of many cores.
const OTHERS_OF_SYSTEMS: [(&str, &[&str]); 4] = [
    ("system", &["stream-2ws", "stream-4ws", "stream-8ws"]),
    ("network", &["resnet18", "mobilenet-v1", "fsrcnn-defines"]),
    ("schedule.stacks", &["automatic", "one", "each-layer"]),
    ("schedule.objective", &["latency", "energy", "edp"]),
];

#[derive(Properties, PartialEq)]
pub struct StudyDocumentCardProps {
    pub text: String,
    /// Whether it is a suggestion of the page.
    pub is_suggested: bool,
    /// The current hardware document.
    pub hardware: String,
    /// The current system of many cores.
    pub system: String,
    /// The study, or the errors of its document.
    pub study: Result<Rc<SameStudy>, Diagnostics>,
    /// The current run.
    pub run: Option<StudyRun>,
    /// Changes with the results of the run.
    pub version: u64,
    /// Whether the run is of this document.
    pub is_of_document: bool,
}

/// A study; equal to others made from the same texts.
pub struct SameStudy(pub Arc<DesignSpace>);

impl PartialEq for SameStudy {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.request == other.0.request
    }
}

/// The axes of the study, and the run.
#[component]
pub fn StudyDocumentCard(props: &StudyDocumentCardProps) -> Html {
    let act = use_act();
    let write = act.reform(|text: String| Action::Study(StudyField::Text(text)));
    let diagnostics = props.study.as_ref().err().cloned().unwrap_or_default();
    let study = props.study.as_ref().ok().map(|study| Arc::clone(&study.0));
    let (opening, open) = use_opening(study);
    let is_over = use_state_eq(|| false);
    let over = |over: bool| {
        let is_over = is_over.setter();
        Callback::from(move |event: DragEvent| {
            if carries_files(&event) {
                event.prevent_default();
                is_over.set(over);
            }
        })
    };
    let ondrop = {
        let (is_over, open) = (is_over.setter(), open.clone());
        Callback::from(move |event: DragEvent| {
            event.prevent_default();
            is_over.set(false);
            open.emit(dropped(&event));
        })
    };
    html! {
        <section class={classes!("card", is_over.then_some("dropping"))} data-testid="study-document"
            ondragover={over(true)} ondragleave={over(false)} {ondrop}>
            <h2>
                { "Study" }
                <span class="actions">
                    if !props.is_suggested {
                        <button type="button" class="link" data-testid="study-suggested"
                            onclick={act.reform(|_: MouseEvent| Action::TakeStudy(String::new()))}>
                            { "suggest one for this design" }
                        </button>
                    }
                    <OpenButton {open} />
                    <button type="button" class="link" onclick={save(&props.text, &props.study)} data-testid="study-save">
                        { "save" }
                    </button>
                </span>
            </h2>
            <p class="hint">
                { termed("A study evaluates every combination of the values of its axes, and shows the [Pareto front]: the designs \
                    that no other one beats. ") }
                { prose("`design` is the accelerator or the network at hand. `fusescape study run` takes the same document, \
                    and all cores.") }
            </p>
            { match opening {
                FileOpening::None => html! {},
                FileOpening::Reading(name) => html! { <p class="hint" role="status">{ format!("Reading {name} …") }</p> },
                FileOpening::Unchecked(name) => html! {
                    <p class="hint" role="status">
                        { format!("{name} has no digests, so that a damaged row would not be noticed.") }
                    </p>
                },
                FileOpening::Failed(wrong) => html! { <DiagnosticList diagnostics={wrong} testid="study-file-errors" /> },
            } }
            <div class="two inner">
                <div>
                    <DocumentText label="Study document" text={props.text.clone()} oninput={write} rows="16" testid="study-text" />
                    <DiagnosticList {diagnostics} testid="study-errors" />
                </div>
                <div>
                    <VarySelect text={props.text.clone()} hardware={props.hardware.clone()} system={props.system.clone()} />
                    if let Ok(study) = &props.study {
                        { axes(&study.0) }
                    }
                    <StudyControls ..props.clone_for_controls() />
                </div>
            </div>
        </section>
    }
}

impl StudyDocumentCardProps {
    fn clone_for_controls(&self) -> StudyControlsProps {
        StudyControlsProps {
            study: self.study.as_ref().ok().cloned(),
            run: self.run.clone(),
            version: self.version,
            is_of_document: self.is_of_document,
        }
    }
}

fn save(text: &str, study: &Result<Rc<SameStudy>, Diagnostics>) -> Callback<MouseEvent> {
    let name = study.as_ref().map_or("study", |study| study.0.spec.name.as_str()).to_owned();
    let text = text.to_owned();
    Callback::from(move |_| save_text(&file_name(&[name.clone(), String::new()], "study", "yaml"), "text/yaml", &text))
}

/// The axes of a study as text.
fn axes(study: &DesignSpace) -> Html {
    let axis = |axis: &crate::explore::study::StudyAxis| {
        let text = |at: usize| {
            axis.values.get(at).map(|value| value.iter().map(|value| value.text()).collect::<Vec<_>>().join(", "))
        };
        let count = axis.values.len();
        let ends = match (text(0), text(count.saturating_sub(1))) {
            (Some(first), Some(last)) if count > 1 => format!("{count} values, {first} to {last}"),
            (first, _) => first.unwrap_or_default(),
        };
        html! { <li><code>{ axis.names.join(", ") }</code>{ format!(": {ends}") }</li> }
    };
    html! {
        <>
        if !study.axes.is_empty() {
            <ul class="axes" aria-label="Axes" data-testid="study-axes">{ for study.axes.iter().map(axis) }</ul>
        }
        if varies_sizes_alone(study) {
            <p class="hint" data-testid="study-energies">
                { "The energy of an access stays as the document states it, whatever the size, but of a memory that states an \
                   estimate. Tie energies to sizes where they should follow." }
            </p>
        }
        </>
    }
}

/// Whether sizes of memories vary, but not their energies.
fn varies_sizes_alone(study: &DesignSpace) -> bool {
    let varies = |ending: &str| {
        let is_of_memory = |name: &String| name.starts_with("hardware.memories") && name.ends_with(ending);
        study.axes.iter().flat_map(|axis| &axis.names).any(is_of_memory)
    };
    varies(".size") && !varies("_energy")
}

#[derive(Properties, PartialEq)]
struct VaryProps {
    text: String,
    hardware: String,
    system: String,
}

/// Adds an axis: any number of the accelerator or of the system, depending on the study, or another choice.
#[component]
fn VarySelect(props: &VaryProps) -> Html {
    let act = use_act();
    let names = |path: &str| props.text.lines().any(|line| line.starts_with(&format!("{path}:")));
    let has_system = *use_memo(props.text.clone(), |text| read_study(text).both().0.has_system());
    // Cores without a description in the system are the accelerator.
    let has_hardware = !has_system || names("hardware");
    let known = use_memo(
        (props.hardware.clone(), props.system.clone(), has_hardware, has_system),
        |(hardware, system, has_hardware, has_system)| {
            let of =
                |part: &str, text: &str| Outline::read(text).map(|text| variables(part, &text)).unwrap_or_default();
            let mut known = if *has_system { of("system", system) } else { Vec::new() };
            known.extend(has_hardware.then(|| of("hardware", hardware)).into_iter().flatten());
            known
        },
    );
    let others = if has_system { OTHERS_OF_SYSTEMS } else { OTHERS };
    let is_varied =
        |path: &str| props.text.contains(&format!("vary: {path},")) || props.text.contains(&format!("vary: {path}\n"));
    let mut choices = vec![ChoiceOption::new("", "add an axis …")];
    let other =
        |(path, _): &(&'static str, &[&str])| ChoiceOption { group: "choices", ..ChoiceOption::new(*path, *path) };
    // A document that is fixed by the study does not vary as a whole.
    let is_free = |(path, _): &&(&'static str, &[&str])| !names(path);
    choices.extend(others.iter().filter(is_free).filter(|(path, _)| !is_varied(path)).map(other));
    let tiles: &[&str] = if has_system { &["schedule.tiles"] } else { &["schedule.columns", "schedule.rows"] };
    choices.extend(
        tiles
            .iter()
            .copied()
            .filter(|path| !is_varied(path))
            .map(|path| ChoiceOption { group: "choices", ..ChoiceOption::new(path, path) }),
    );
    choices.extend(known.iter().filter(|variable| !is_varied(&variable.path)).map(|variable| ChoiceOption {
        group: if variable.path.starts_with("system.") { "system" } else { "accelerator" },
        ..ChoiceOption::new(
            variable.path.clone(),
            format!("{}: {}", variable.path.split_once('.').map_or("", |(_, name)| name), variable.value),
        )
    }));
    let onchange = {
        let (text, known, act) = (props.text.clone(), Rc::clone(&known), act.clone());
        Callback::from(move |path: String| {
            let variable = known.iter().find(|variable| variable.path == path).cloned();
            let next = match (variable, others.iter().find(|(other, _)| *other == path)) {
                (Some(variable), _) => with_axis(&text, &variable),
                (None, Some((path, values))) => with_values(&text, path, values),
                _ => with_axis(&text, &Variable { path, value: "16".to_owned() }),
            };
            if let Some(next) = next {
                act.emit(Action::TakeStudy(next));
            }
        })
    };
    html! { <Select label="Vary" {choices} value="" {onchange} testid="study-vary" /> }
}

#[derive(Properties, PartialEq)]
struct StudyControlsProps {
    study: Option<Rc<SameStudy>>,
    run: Option<StudyRun>,
    version: u64,
    is_of_document: bool,
}

/// Start, stop, number of designs, estimated time, and progress.
#[component]
fn StudyControls(props: &StudyControlsProps) -> Html {
    let workers = use_workers();
    let status = props.run.as_ref().and_then(StudyRun::status);
    let is_running = status == Some(Status::Running);
    let probes: Vec<TimeDesigns> =
        props.study.iter().filter(|_| !props.is_of_document && !is_running).map(|study| probe(&study.0)).collect();
    let probed = use_answers(Channel::DesignTime, probes);
    let start = {
        let (workers, study) = (workers.clone(), props.study.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(study) = &study {
                StudyRun::start(&workers, &study.0);
            }
        })
    };
    let call = |call: fn(&JobRun<DesignSampler>)| {
        let run = props.run.clone();
        Callback::from(move |_: MouseEvent| run.iter().filter_map(StudyRun::job).for_each(call))
    };
    let count = props.study.as_ref().map(|study| {
        let (designs, all) = (study.0.designs(), study.0.combinations());
        let of = match study.0.spec.sampling {
            SamplingSpec::Grid => String::new(),
            _ => format!(" of {} combinations", group_thousands(all)),
        };
        let most = if matches!(study.0.spec.sampling, SamplingSpec::Refine(_)) { "at most " } else { "" };
        let time = probed.reply(0).filter(|_| !probed.are_old()).map(|found| {
            let each = found.ms.unwrap_or(0.0) / f64::from(found.found.max(1));
            let ms = each * designs as f64 / workers.count().max(1) as f64;
            format!(", about {} or less", seconds_text(ms))
        });
        format!("{most}{} designs{of}{}", group_thousands(designs), time.unwrap_or_default())
    });
    html! {
        <>
            <div class="row start">
                <button type="button" class="primary" disabled={props.study.is_none()} onclick={start} data-testid="study-start">
                    { if props.is_of_document { "Run again" } else { "Run the study" } }
                </button>
                if is_running {
                    <button type="button" onclick={call(JobRun::stop)} data-testid="study-stop">{ "Stop" }</button>
                }
                if status == Some(Status::Stopped) && props.is_of_document {
                    <button type="button" onclick={call(JobRun::resume)} data-testid="study-continue">{ "Continue" }</button>
                }
                if let Some(count) = count {
                    <span class="hint" data-testid="study-count">{ count }</span>
                }
            </div>
            { for props.run.iter().map(progress) }
            if props.run.is_some() && !props.is_of_document {
                <p class="hint" data-testid="study-other">{ "The results below belong to another document." }</p>
            }
        </>
    }
}

/// Some designs spread over a study, in the state in which a worker meets them first.
fn probe(study: &DesignSpace) -> TimeDesigns {
    let all = study.designs();
    let mut designs: Vec<u64> = (0..PROBES).map(|at| (all.saturating_sub(1)) / (PROBES - 1) * at).collect();
    designs.dedup();
    TimeDesigns { request: Rc::new(study.request.clone()), designs }
}

fn progress(run: &StudyRun) -> Html {
    let (known, all) = run.progress();
    let is_running = run.status() == Some(Status::Running);
    let elapsed = run.job().map(JobRun::elapsed_ms);
    let rate = elapsed
        .filter(|&ms| ms > 0.0)
        .map(|ms| format!(", {} a second", crate::chart::three_digits(1e3 * known as f64 / ms)));
    let text = match known < all {
        true => format!("{} of {} designs{}", group_thousands(known), group_thousands(all), rate.unwrap_or_default()),
        false => format!("{} designs{}", group_thousands(known), rate.unwrap_or_default()),
    };
    html! {
        <>
            <div class="progress" data-testid="study-progress">
                <span>{ text }</span>
                if is_running {
                    <progress value={known.to_string()} max={all.max(1).to_string()} aria-label="Share of the designs that are known" />
                }
                if let Some(elapsed) = elapsed {
                    <span class="left">{ seconds_text(elapsed) }</span>
                }
            </div>
            if let Some(failure) = run.job().and_then(JobRun::failure) {
                <p class="why">{ failure }</p>
            }
        </>
    }
}

#[derive(Properties, PartialEq)]
struct OpenProps {
    open: Callback<Vec<File>>,
}

/// A button that opens a file of results.
#[component]
fn OpenButton(props: &OpenProps) -> Html {
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
        let (input, open) = (input.clone(), props.open.clone());
        Callback::from(move |_: Event| {
            if let Some(input) = input.cast::<HtmlInputElement>() {
                let files = input.files().and_then(|files| files.get(0));
                open.emit(files.into_iter().collect());
                // Allows the same file to be chosen again.
                input.set_value("");
            }
        })
    };
    html! {
        <>
            <button type="button" class="link" {onclick} data-testid="study-open"
                title="A study document, or results of “fusescape study run”: as Parquet, or as CSV of the study at hand. Files are read \
                       here, and sent nowhere.">
                { "open" }
            </button>
            <input ref={input} type="file" accept=".parquet,.csv,.yaml,.yml,.json" hidden={true} {onchange} data-testid="study-open-file" />
        </>
    }
}
