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
use crate::app::session::state::PageState;
use crate::app::study::view::StudyView;
use crate::app::widgets::page::surroundings::OfNoDesign;
use crate::state::Tab;
use crate::workload::Network;
use std::rc::Rc;
use yew::prelude::*;

/// The view of the tab that is open; of the landscape only a part, if one is named.
pub fn view(state: &PageState, session: &Session, part: Option<Part>, parts: Fetched<Parts>) -> Html {
    if state.chosen.view.tab == Tab::Landscape {
        return html! {
            <Landscape
                state={Rc::new(state.clone())}
                opened={session.opened}
                least_macs={network(session).map(|network| network.macs())}
                waits={session.waits(state)}
                {part}
            />
        };
    }
    match parts {
        Fetched::Here(parts) => (parts.view)(state, session),
        Fetched::Awaited => html! { <p class="loading" role="status">{ "Fetching this view …" }</p> },
        Fetched::Missing(again) => missing("banner", again, Callback::noop()),
    }
}

/// The step of a lesson that is open, above the view.
pub fn lesson(state: &PageState, parts: Fetched<Parts>) -> Html {
    // What these two show is of no step.
    let is_shown = state.chosen.lesson.is_some() && !matches!(state.chosen.view.tab, Tab::Gallery | Tab::Lessons);
    match parts {
        Fetched::Here(parts) if is_shown => (parts.lesson)(state),
        _ => html! {},
    }
}

/// A step of a lesson. Only `shell::parts` may name it.
pub fn lesson_panel(state: &PageState) -> Html {
    let Some(open) = state.chosen.lesson.as_deref().cloned() else { return html! {} };
    let (answers, chosen) = (Rc::clone(&state.answers), Rc::clone(&state.chosen));
    html! { <LessonPanel {open} {chosen} {answers} is_set_aside={state.is_set_aside} /> }
}

/// The view of any tab but the landscape's. Only `shell::parts` may name it.
pub fn other_view(state: &PageState, session: &Session) -> Html {
    let (network, opened) = (network(session), session.opened);
    let status = session.status(state);
    let state = Rc::new(state.clone());
    match state.chosen.view.tab {
        Tab::Landscape => html! {},
        Tab::Schedule => {
            html! { <ScheduleView {state} {opened} {status} /> }
        }
        Tab::Mapping => html! {
            <MappingView {state} {network} is_valid={session.is_valid} />
        },
        Tab::Fusion => html! {
            <FusionView
                {state}
                graph={network.as_deref().map(|network| Rc::new(graph_of(network)))}
                is_valid={session.is_valid}
            />
        },
        Tab::Cores => html! { <CoresView {state} /> },
        Tab::Study => html! {
            <StudyView
                {state}
                core={session.core.as_ref().as_ref().ok().cloned()}
                {opened}
                is_swept={status == "done"}
            />
        },
        Tab::Attention => html! { <AttentionView {state} /> },
        Tab::Hierarchy => html! {
            <HierarchyView
                {state}
                core={session.core.as_ref().as_ref().ok().cloned()}
                layers={session.layers.clone()}
                explorer={(*session.explorer).clone()}
            />
        },
        Tab::Compare => {
            let is_wrong = session.status(&state) == "rejected";
            html! { <CompareView {state} {opened} {is_wrong} /> }
        }
        Tab::Gallery => {
            html! {
                <OfNoDesign>
                    <GalleryView />
                </OfNoDesign>
            }
        }
        Tab::Lessons => html! {
            <LessonsView
                chosen={Rc::clone(&state.chosen)}
                own={state.own_lesson.clone()}
                answers={Rc::clone(&state.answers)}
            />
        },
    }
}

fn network(session: &Session) -> Option<Rc<Network>> {
    session.network.as_ref().as_ref().ok().cloned()
}
