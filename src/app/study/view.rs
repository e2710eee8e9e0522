//! The view of studies: the document, the run, and its results.

use super::document::{SameStudy, StudyDocumentCard};
use super::figures::ResultsCard;
use super::run::{StudyRun, use_run};
use crate::app::session::handle::Session;
use crate::app::session::state::PageState;
use crate::app::widgets::forms::varying::use_varying;
use crate::app::widgets::page::figure_context::use_act;
use crate::app::workers::handle::use_workers;
use crate::explore::study::{DesignSpace, StudyRequest, TiledSchedule};
use crate::form::{AT_HAND, Variable, study_of_system, suggested_study, with_axis};
use crate::hardware::Core;
use crate::spec::edit::Outline;
use crate::spec::{Diagnostics, Preset, read_study, system_presets};
use crate::state::{Action, Design, Document, Half, State};
use crate::system::CoreSystem;
use std::rc::Rc;
use std::sync::Arc;
use yew::prelude::*;

/// A suggested study with at most this many designs is started automatically.
const AT_ONCE: u64 = 64;

/// The view, as the page shows it.
pub fn view(state: Rc<PageState>, session: &Session) -> Html {
    let (opened, is_swept) = (session.opened, session.status(&state) == "done");
    html! { <StudyView {state} core={session.core()} {opened} {is_swept} /> }
}

#[derive(Properties, PartialEq)]
pub struct StudyViewProps {
    pub state: Rc<PageState>,
    /// The core of the design, if it is valid.
    pub core: Option<Rc<Core>>,
    /// The opened point.
    pub opened: Option<u32>,
    /// Whether all points of the design are known.
    pub is_swept: bool,
}

/// The document, the run, and its results.
#[component]
pub fn StudyView(props: &StudyViewProps) -> Html {
    let act = use_act();
    let workers = use_workers();
    let state = &props.state;
    let design = &state.chosen.design;
    let own = &state.chosen.study.text;
    let best = props.opened.filter(|_| props.is_swept).and_then(|point| state.results.strategy(point)).cloned();
    let suggested =
        use_memo((design.clone(), props.core.clone(), best, own.is_empty()), |(design, core, best, is_shown)| {
            let settings = design.request().ok().and_then(|requests| requests.into_iter().next());
            let settings = settings.map(|request| request.settings);
            let hardware = Outline::read(&design.hardware.text).ok()?;
            let names = [Half::Hardware, Half::Workload].map(|half| design.document(half).preset.unwrap_or(AT_HAND));
            is_shown.then(|| suggested_study(names, core.as_deref(), &hardware, settings.as_ref(), best.as_ref()))
        });
    let text = if own.is_empty() { (*suggested).clone().unwrap_or_default() } else { own.clone() };
    let study = {
        let documents = [&design.hardware.text, &design.workload.text, state.chosen.cores.system()].map(str::to_owned);
        use_memo((text.clone(), documents), |(text, documents)| study_of(text, documents).map(Arc::new))
    };
    {
        let (text, act, chosen) = (text.clone(), act.clone(), Rc::clone(&state.chosen));
        use_varying(Callback::from(move |variable: Variable| {
            let is_varied = text.contains(&format!("vary: {},", variable.path));
            // A study of single cores has no system whose numbers could vary.
            let is_of_other = variable.path.starts_with("system.") && !read_study(&text).both().0.has_system();
            let base = if is_of_other { system_at_hand(&chosen) } else { text.clone() };
            if let Some(next) = with_axis(&base, &variable).filter(|_| !is_varied) {
                act.emit(Action::TakeStudy(next));
            }
        }));
    }
    let (run, version) = use_run();
    {
        let is_small = study.as_ref().as_ref().is_ok_and(|study| study.designs() <= AT_ONCE);
        let wanted = study.as_ref().as_ref().ok().filter(|_| is_small && own.is_empty() && props.is_swept).cloned();
        let (workers, run) = (workers.clone(), run.clone());
        use_effect_with(wanted.as_ref().map(|study| study.request.clone()), move |_| {
            let is_other = |study: &Arc<DesignSpace>| run.is_none_or(|run| run.study().request != study.request);
            if let Some(study) = wanted.filter(is_other) {
                StudyRun::start(&workers, &study);
            }
        });
    }
    let is_of_document = match (&run, &*study) {
        (Some(run), Ok(study)) => run.study().request == study.request,
        _ => false,
    };
    let run_status = run.as_ref().map_or("idle", StudyRun::status_name);
    html! {
        <div data-testid="study-view" data-status={run_status}>
            <StudyDocumentCard
                {text}
                is_suggested={own.is_empty()}
                hardware={design.hardware.text.clone()}
                system={state.chosen.cores.system().to_owned()}
                study={(*study).clone().map(|study| Rc::new(SameStudy(study)))}
                run={run.clone()}
                {version}
                {is_of_document}
            />
            if let Some(run) = run {
                <ResultsCard {run} {version} state={Rc::clone(state)} />
            }
        </div>
    }
}

/// A study of the current system, with the schedule of the view of many cores.
fn system_at_hand(state: &State) -> String {
    let (cores, Design { hardware, workload, schedule }) = (&state.cores, &state.design);
    let name_of = |document: &Document| document.preset.unwrap_or(AT_HAND);
    let system = CoreSystem::from_text(cores.system(), &hardware.text).ok();
    let takes_beside = system.as_ref().is_none_or(|system| system.takes_beside);
    let title = system.map_or_else(|| "This system".to_owned(), |system| system.name);
    let search = (schedule.strategy, schedule.lpf_limit);
    let request = cores.request(&hardware.text, &workload.text, search, schedule.rules).ok();
    let tiled =
        request.map(|request| TiledSchedule { settings: request.settings, searches_tiles: cores.searches_tiles() });
    study_of_system(
        (&title, cores.preset.as_deref().unwrap_or(AT_HAND)),
        takes_beside.then(|| name_of(hardware)),
        name_of(workload),
        tiled.as_ref(),
    )
}

/// The study of a document on this page: names are presets, or the documents of the current design.
fn study_of(text: &str, [hardware, network, system]: &[String; 3]) -> Result<DesignSpace, Diagnostics> {
    let [cores, networks, systems] = StudyRequest::names(text);
    let texts = |presets: &[Preset], own: &str, names: Vec<String>| -> Vec<(String, String)> {
        let text = |name: &str| match presets.iter().find(|preset| preset.id == name) {
            Some(preset) => Some(preset.text.to_owned()),
            None => (name == AT_HAND).then(|| own.to_owned()),
        };
        names.into_iter().filter_map(|name| text(&name).map(|text| (name, text))).collect()
    };
    DesignSpace::new(StudyRequest {
        text: text.to_owned(),
        hardware: texts(Half::Hardware.presets(), hardware, cores),
        networks: texts(Half::Workload.presets(), network, networks),
        systems: texts(system_presets(), system, systems),
    })
}
