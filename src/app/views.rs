//! The view of the tab that is open.

use super::compare_view::CompareView;
use super::conductor::Conductor;
use super::engine::Engine;
use super::gallery_view::GalleryView;
use super::hierarchy_view::HierarchyView;
use super::landscape::{Landscape, Part};
use super::mapping_view::MappingView;
use super::schedule_view::ScheduleView;
use super::state::PageState;
use crate::state::{Action, Tab};
use std::rc::Rc;
use yew::prelude::*;

/// The view; of the landscape only a part, if one is named.
pub fn view(state: &PageState, engine: &Engine, act: &Callback<Action>, part: Option<Part>) -> Html {
    let waits = engine.waits(state);
    let network = engine.network.as_ref().as_ref().ok().cloned();
    let (state, act, opened) = (Rc::new(state.clone()), act.clone(), engine.opened);
    match state.chosen.view.tab {
        Tab::Landscape => html! {
            <Landscape
                {state}
                {opened}
                least_macs={network.map(|network| network.macs())}
                {act}
                {waits}
                on_stop={call(&engine.conductor, Conductor::stop)}
                on_resume={call(&engine.conductor, Conductor::resume)}
                {part}
            />
        },
        Tab::Schedule => html! { <ScheduleView {state} {opened} {act} /> },
        Tab::Mapping => html! {
            <MappingView {state} {network} conductor={(*engine.conductor).clone()} is_valid={engine.is_valid} {act} />
        },
        Tab::Hierarchy => html! {
            <HierarchyView
                {state}
                core={engine.core.as_ref().as_ref().ok().cloned()}
                layers={engine.layers.clone()}
                explorer={(*engine.explorer).clone()}
                {act}
            />
        },
        Tab::Compare => html! { <CompareView {state} {opened} {act} /> },
        Tab::Gallery => html! { <GalleryView conductor={(*engine.conductor).clone()} {act} /> },
    }
}

fn call(conductor: &Rc<Conductor>, call: fn(&Conductor)) -> Callback<()> {
    let conductor = Rc::clone(conductor);
    Callback::from(move |()| call(&conductor))
}
