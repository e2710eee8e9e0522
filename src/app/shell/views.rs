//! The view of the tab that is open.

use super::parts::Parts;
use crate::app::compare::view::CompareView;
use crate::app::cores::view::CoresView;
use crate::app::fusion::graph::graph_of;
use crate::app::fusion::view::FusionView;
use crate::app::gallery::view::GalleryView;
use crate::app::hierarchy::view::HierarchyView;
use crate::app::landscape::view::{Landscape, Part};
use crate::app::lessons::panel::LessonPanel;
use crate::app::mapping::view::MappingView;
use crate::app::platform::missing::missing;
use crate::app::platform::pieces::Fetched;
use crate::app::schedule::view::ScheduleView;
use crate::app::session::engine::Engine;
use crate::app::session::state::{Event, PageState};
use crate::app::widgets::save::DesignNames;
use crate::app::workers::handle::Conductor;
use crate::state::{Action, Tab};
use crate::workload::Network;
use std::rc::Rc;
use yew::prelude::*;

/// The view of the tab that is open; of the landscape only a part, if one is named.
pub fn view(
    state: &PageState,
    engine: &Engine,
    act: &Callback<Action>,
    part: Option<Part>,
    parts: Fetched<Parts>,
) -> Html {
    if state.chosen.view.tab == Tab::Landscape {
        return html! {
            <Landscape
                state={Rc::new(state.clone())}
                opened={engine.opened}
                least_macs={network(engine).map(|network| network.macs())}
                act={act.clone()}
                waits={engine.waits(state)}
                conductor={(*engine.conductor).clone()}
                on_stop={call(&engine.conductor, Conductor::stop)}
                on_resume={call(&engine.conductor, Conductor::resume)}
                {part}
            />
        };
    }
    match parts {
        Fetched::Here(parts) => (parts.view)(state, engine, act),
        Fetched::Awaited => html! { <p class="loading" role="status">{ "Fetching this view …" }</p> },
        Fetched::Missing(again) => missing("banner", again, Callback::noop()),
    }
}

/// The step of a lesson that is open, above the view.
pub fn lesson(state: &PageState, engine: &Engine, tell: &Callback<Event>, parts: Fetched<Parts>) -> Html {
    // The gallery lists all lessons.
    match (state.chosen.lesson.filter(|_| state.chosen.view.tab != Tab::Gallery), parts) {
        (Some(id), Fetched::Here(parts)) => (parts.lesson)(id, state, engine, tell),
        _ => html! {},
    }
}

/// The same. Only `shell::parts` may name it.
pub fn lesson_panel(id: &'static str, state: &PageState, engine: &Engine, tell: &Callback<Event>) -> Html {
    let (answers, conductor) = (Rc::clone(&state.answers), (*engine.conductor).clone());
    html! { <LessonPanel {id} chosen={Rc::clone(&state.chosen)} {answers} is_set_aside={state.is_set_aside} {conductor} tell={tell.clone()} /> }
}

/// The view of any tab but the landscape's. Only `shell::parts` may name it.
pub fn other_view(state: &PageState, engine: &Engine, act: &Callback<Action>) -> Html {
    let (network, act, opened) = (network(engine), act.clone(), engine.opened);
    let status = engine.status(state);
    let state = Rc::new(state.clone());
    match state.chosen.view.tab {
        Tab::Landscape => html! {},
        Tab::Schedule => html! { <ScheduleView {state} {opened} {status} {act} /> },
        Tab::Mapping => html! {
            <MappingView {state} {network} conductor={(*engine.conductor).clone()} is_valid={engine.is_valid} {act} />
        },
        Tab::Fusion => html! {
            <FusionView {state} graph={network.as_deref().map(|network| Rc::new(graph_of(network)))} conductor={(*engine.conductor).clone()} is_valid={engine.is_valid} {act} />
        },
        Tab::Cores => html! { <CoresView {state} conductor={(*engine.conductor).clone()} {act} /> },
        Tab::Hierarchy => html! {
            <HierarchyView
                {state}
                core={engine.core.as_ref().as_ref().ok().cloned()}
                layers={engine.layers.clone()}
                explorer={(*engine.explorer).clone()}
                {act}
            />
        },
        Tab::Compare => {
            let is_wrong = engine.status(&state) == "rejected";
            html! { <CompareView {state} {opened} {is_wrong} conductor={(*engine.conductor).clone()} {act} /> }
        }
        Tab::Gallery => {
            html! {
                // What papers say is of no design.
                <ContextProvider<DesignNames> context={DesignNames::default()}>
                    <GalleryView
                        chosen={Rc::clone(&state.chosen)}
                        answers={Rc::clone(&state.answers)}
                        conductor={(*engine.conductor).clone()}
                        {act}
                    />
                </ContextProvider<DesignNames>>
            }
        }
    }
}

fn network(engine: &Engine) -> Option<Rc<Network>> {
    engine.network.as_ref().as_ref().ok().cloned()
}

fn call(conductor: &Rc<Conductor>, call: fn(&Conductor)) -> Callback<()> {
    let conductor = Rc::clone(conductor);
    Callback::from(move |()| call(&conductor))
}
