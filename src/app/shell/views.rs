//! The view of the tab that is open.

use super::parts::Parts;
use crate::app::attention::view::AttentionView;
use crate::app::compare::view::CompareView;
use crate::app::cores::view::CoresView;
use crate::app::fusion::graph::graph_of;
use crate::app::fusion::view::FusionView;
use crate::app::gallery::view::GalleryView;
use crate::app::hierarchy::view::HierarchyView;
use crate::app::landscape::view::{Landscape, Part};
use crate::app::lessons::panel::LessonPanel;
use crate::app::lessons::view::LessonsView;
use crate::app::mapping::view::MappingView;
use crate::app::platform::missing::missing;
use crate::app::platform::pieces::Fetched;
use crate::app::schedule::view::ScheduleView;
use crate::app::session::handle::Session;
use crate::app::session::state::{Event, PageState};
use crate::app::study::view::StudyView;
use crate::app::widgets::page::surroundings::OfNoDesign;
use crate::app::workers::handle::Workers;
use crate::state::{Action, Tab};
use crate::workload::Network;
use std::rc::Rc;
use yew::prelude::*;

/// Where a view tells what happens in it. Both stay the same from one drawing to the next, as views are drawn again where they do not.
#[derive(Clone)]
pub struct Tell {
    /// What a person does.
    pub act: Callback<Action>,
    /// Everything else, too.
    pub event: Callback<Event>,
}

/// The view of the tab that is open; of the landscape only a part, if one is named.
pub fn view(state: &PageState, session: &Session, tell: &Tell, part: Option<Part>, parts: Fetched<Parts>) -> Html {
    if state.chosen.view.tab == Tab::Landscape {
        return html! {
            <Landscape
                state={Rc::new(state.clone())}
                opened={session.opened}
                least_macs={network(session).map(|network| network.macs())}
                act={tell.act.clone()}
                waits={session.waits(state)}
                workers={(*session.workers).clone()}
                on_stop={call(&session.workers, Workers::stop)}
                on_resume={call(&session.workers, Workers::resume)}
                {part}
            />
        };
    }
    match parts {
        Fetched::Here(parts) => (parts.view)(state, session, tell),
        Fetched::Awaited => html! { <p class="loading" role="status">{ "Fetching this view …" }</p> },
        Fetched::Missing(again) => missing("banner", again, Callback::noop()),
    }
}

/// The step of a lesson that is open, above the view.
pub fn lesson(state: &PageState, session: &Session, tell: &Callback<Event>, parts: Fetched<Parts>) -> Html {
    // What these two show is of no step.
    let is_shown = state.chosen.lesson.is_some() && !matches!(state.chosen.view.tab, Tab::Gallery | Tab::Lessons);
    match parts {
        Fetched::Here(parts) if is_shown => (parts.lesson)(state, session, tell),
        _ => html! {},
    }
}

/// A step of a lesson. Only `shell::parts` may name it.
pub fn lesson_panel(state: &PageState, session: &Session, tell: &Callback<Event>) -> Html {
    let Some(open) = state.chosen.lesson.as_deref().cloned() else { return html! {} };
    let (answers, workers) = (Rc::clone(&state.answers), (*session.workers).clone());
    let (chosen, is_set_aside, tell) = (Rc::clone(&state.chosen), state.is_set_aside, tell.clone());
    html! { <LessonPanel {open} {chosen} {answers} {is_set_aside} {workers} {tell} /> }
}

/// The view of any tab but the landscape's. Only `shell::parts` may name it.
pub fn other_view(state: &PageState, session: &Session, Tell { act, event }: &Tell) -> Html {
    let (network, act, opened) = (network(session), act.clone(), session.opened);
    let status = session.status(state);
    let state = Rc::new(state.clone());
    match state.chosen.view.tab {
        Tab::Landscape => html! {},
        Tab::Schedule => {
            html! { <ScheduleView {state} {opened} {status} workers={(*session.workers).clone()} {act} /> }
        }
        Tab::Mapping => html! {
            <MappingView {state} {network} workers={(*session.workers).clone()} is_valid={session.is_valid} {act} />
        },
        Tab::Fusion => html! {
            <FusionView
                {state}
                graph={network.as_deref().map(|network| Rc::new(graph_of(network)))}
                workers={(*session.workers).clone()}
                is_valid={session.is_valid}
                {act}
            />
        },
        Tab::Cores => html! { <CoresView {state} workers={(*session.workers).clone()} {act} /> },
        Tab::Study => html! {
            <StudyView
                {state}
                core={session.core.as_ref().as_ref().ok().cloned()}
                {opened}
                is_swept={status == "done"}
                workers={(*session.workers).clone()}
                {act}
            />
        },
        Tab::Attention => html! { <AttentionView {state} workers={(*session.workers).clone()} {act} /> },
        Tab::Hierarchy => html! {
            <HierarchyView
                {state}
                core={session.core.as_ref().as_ref().ok().cloned()}
                layers={session.layers.clone()}
                explorer={(*session.explorer).clone()}
                {act}
            />
        },
        Tab::Compare => {
            let is_wrong = session.status(&state) == "rejected";
            html! { <CompareView {state} {opened} {is_wrong} workers={(*session.workers).clone()} {act} /> }
        }
        Tab::Gallery => {
            html! {
                <OfNoDesign>
                    <GalleryView workers={(*session.workers).clone()} {act} />
                </OfNoDesign>
            }
        }
        Tab::Lessons => html! {
            <LessonsView
                chosen={Rc::clone(&state.chosen)}
                own={state.own_lesson.clone()}
                answers={Rc::clone(&state.answers)}
                workers={(*session.workers).clone()}
                tell={event.clone()}
            />
        },
    }
}

fn network(session: &Session) -> Option<Rc<Network>> {
    session.network.as_ref().as_ref().ok().cloned()
}

fn call(workers: &Rc<Workers>, call: fn(&Workers)) -> Callback<()> {
    let workers = Rc::clone(workers);
    Callback::from(move |()| call(&workers))
}
