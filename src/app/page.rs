//! The whole page: cards on the left, the answer on the right.

use super::compare_view::CompareView;
use super::conductor::Conductor;
use super::diagnostics::section;
use super::document_editor::{DocumentCard, Model};
use super::explorer::Explorer;
use super::figure::IsDark;
use super::gallery_view::GalleryView;
use super::header::Header;
use super::hierarchy_view::HierarchyView;
use super::hook;
use super::landscape::Landscape;
use super::mapping_view::MappingView;
use super::schedule_card::ScheduleCard;
use super::schedule_view::ScheduleView;
use super::state::{Event, PageState};
use super::theme::ThemeChoice;
use super::timer::later;
use crate::form::{Stacks, stacks};
use crate::hardware::Core;
use crate::spec::Diagnostics;
use crate::state::{Action, Design, Half, State, Tab, ViewChange};
use crate::workload::Network;
use gloo_timers::callback::Timeout;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use yew::prelude::*;

/// After so long without a keystroke what was typed is taken up, milliseconds.
const PAUSE_MS: u32 = 200;

/// The page.
#[component]
pub fn Page() -> Html {
    let state = use_reducer(|| PageState { chosen: State::first(), ..PageState::default() });
    let tell = {
        let dispatcher = state.dispatcher();
        use_callback((), move |event: Event, ()| dispatcher.dispatch(event))
    };
    let act = use_memo((), |()| tell.reform(Event::Act));
    let act = &*act;
    let conductor = {
        let tell = tell.clone();
        use_memo((), move |()| {
            let conductor = Conductor::new(wasm_bindgen::module(), tell.reform(Event::Found));
            hook::install(&conductor);
            conductor
        })
    };
    let explorer = {
        let (conductor, tell) = (Rc::clone(&conductor), tell.clone());
        use_memo((), move |()| Explorer::new(&conductor, tell.reform(Event::Studied)))
    };
    let core = use_memo(state.chosen.design.hardware.text.clone(), |text| Core::from_text(text).map(Rc::new));
    let network = use_memo(state.chosen.design.workload.text.clone(), |text| Network::from_text(text).map(Rc::new));
    let layers = {
        let network = Rc::clone(&network);
        use_memo(state.chosen.design.workload.text.clone(), move |_| {
            let names = |network: &Network| network.computing().map(|id| network.layer(id).name.clone()).collect();
            network.as_ref().as_ref().ok().map(|network| Rc::new(names(network)))
        })
    };
    let stacks = use_stacks(&state, &core, &network);
    let is_valid = core.is_ok() && network.is_ok();
    let is_dark = use_is_dark(state.theme);
    use_sweep(&state, &conductor, is_valid);
    let opened = use_opened(&state, &conductor);

    let built = use_stages(2);
    let waits = is_valid && !state.is_current();
    let status = match state.chosen.design.request() {
        Ok(_) if is_valid && waits => "running",
        Ok(_) if is_valid => state.results.status.name(),
        _ => "rejected",
    };
    let on_stop = conductor_call(&conductor, Conductor::stop);
    let on_resume = conductor_call(&conductor, Conductor::resume);
    let on_dismiss = conductor_call(&conductor, Conductor::dismiss_notices);
    let is_old = state.chosen.design.request().is_err() || !is_valid;
    let shared = Rc::new((*state).clone());
    html! {
        <ContextProvider<IsDark> context={is_dark}>
            <div class="page" data-testid="root" data-status={status} data-generation={state.results.generation.to_string()}>
                <Header
                    network={network.as_ref().as_ref().ok().map(|network| network.name.clone())}
                    core={core.as_ref().as_ref().ok().map(|core| core.name.clone())}
                    theme={state.theme}
                    on_theme={tell.reform(Event::Theme)}
                />
                <Notices notices={Rc::clone(&state.results.notices)} {on_dismiss} />
                <main>
                    <aside id="design" aria-label="Design">
                        if built > 0 {
                            { cards(&state, &core, &network, &stacks, act) }
                        }
                    </aside>
                    <section class="answers" aria-label="Results">
                        <Tabs tab={state.chosen.view.tab} act={act.clone()} />
                        if is_old {
                            <p class="banner" role="status">
                                { "The design has errors. These are the results of the last one without." }
                            </p>
                        }
                        { match state.chosen.view.tab {
                            _ if built < 2 => html! {},
                            Tab::Landscape => html! {
                                <Landscape
                                    state={shared}
                                    {opened}
                                    least_macs={network.as_ref().as_ref().ok().map(|network| network.macs())}
                                    act={act.clone()}
                                    {waits}
                                    {on_stop}
                                    {on_resume}
                                />
                            },
                            Tab::Schedule => html! { <ScheduleView state={shared} {opened} act={act.clone()} /> },
                            Tab::Mapping => html! {
                                <MappingView
                                    state={shared}
                                    network={network.as_ref().as_ref().ok().cloned()}
                                    conductor={(*conductor).clone()}
                                    {is_valid}
                                    act={act.clone()}
                                />
                            },
                            Tab::Hierarchy => html! {
                                <HierarchyView
                                    state={shared}
                                    core={core.as_ref().as_ref().ok().cloned()}
                                    layers={layers.as_ref().clone()}
                                    explorer={(*explorer).clone()}
                                    act={act.clone()}
                                />
                            },
                            Tab::Compare => html! { <CompareView state={shared} {opened} act={act.clone()} /> },
                            Tab::Gallery => html! { <GalleryView conductor={(*conductor).clone()} act={act.clone()} /> },
                        } }
                    </section>
                </main>
            </div>
        </ContextProvider<IsDark>>
    }
}

/// How the network is cut into stacks; nothing while that cannot be said.
#[hook]
fn use_stacks(state: &UseReducerHandle<PageState>, core: &Read<Core>, network: &Read<Network>) -> Rc<Stacks> {
    let Design { hardware, workload, schedule } = &state.chosen.design;
    let fuse = schedule.fuse_depth(&mut Diagnostics::default());
    let (core, network) = (Rc::clone(core), Rc::clone(network));
    let inputs = (hardware.text.clone(), workload.text.clone(), fuse, schedule.rules);
    use_memo(inputs, move |(_, _, fuse, rules)| match (&*core, &*network) {
        (Ok(core), Ok(network)) => stacks(network, core, fuse, rules),
        _ => Stacks::default(),
    })
}

/// Counts up to `last`, one with every task, so that the page is built in several short ones.
#[hook]
fn use_stages(last: u32) -> u32 {
    let stage = use_state_eq(|| 0);
    let next = stage.clone();
    use_effect_with(*stage, move |&now| {
        if now < last {
            later(0, move || next.set(now + 1));
        }
    });
    *stage
}

type Read<T> = Rc<Result<Rc<T>, Diagnostics>>;

/// The cards of the design.
fn cards(
    state: &PageState,
    core: &Read<Core>,
    network: &Read<Network>,
    stacks: &Rc<Stacks>,
    act: &Callback<Action>,
) -> Html {
    let schedule_errors = state.chosen.design.request().err().unwrap_or_default();
    let found = |name: &str| section(&state.results.diagnostics, name);
    let own = |errors: Option<&Diagnostics>, name: &str| errors.cloned().unwrap_or_else(|| found(name));
    let memories = match &**core {
        Ok(core) => core.memories.iter().rev().map(|memory| memory.name.clone()).collect(),
        Err(_) => Vec::new(),
    };
    let settings_errors =
        if schedule_errors.is_empty() { found("settings") } else { section(&schedule_errors, "settings") };
    html! {
        <>
            <DocumentCard
                half={Half::Hardware}
                title="Hardware"
                document={state.chosen.design.hardware.clone()}
                shows_text={state.chosen.view.hardware_text}
                diagnostics={own(core.as_ref().as_ref().err(), "hardware")}
                model={Model::Hardware(core.as_ref().as_ref().ok().cloned())}
                act={act.clone()}
            />
            <DocumentCard
                half={Half::Workload}
                title="Network"
                document={state.chosen.design.workload.clone()}
                shows_text={state.chosen.view.workload_text}
                diagnostics={own(network.as_ref().as_ref().err(), "workload")}
                model={Model::Network(network.as_ref().as_ref().ok().cloned(), Rc::clone(stacks))}
                act={act.clone()}
            />
            <ScheduleCard
                schedule={state.chosen.design.schedule.clone()}
                {memories}
                grid={state.chosen.design.grid()}
                is_figure_12={is_figure_12(&state.chosen.design)}
                diagnostics={settings_errors}
                notes={Rc::clone(&state.results.notes)}
                act={act.clone()}
            />
        </>
    }
}

fn is_figure_12(design: &Design) -> bool {
    let figure = Design::figure_12();
    design.hardware.preset == figure.hardware.preset
        && design.workload.preset == figure.workload.preset
        && design.schedule == figure.schedule
}

fn conductor_call(conductor: &Rc<Conductor>, call: fn(&Conductor)) -> Callback<()> {
    let conductor = Rc::clone(conductor);
    Callback::from(move |()| call(&conductor))
}

/// Starts a sweep when the design changes and makes sense: at once, but for what is typed, when nobody types any more.
#[hook]
fn use_sweep(state: &UseReducerHandle<PageState>, conductor: &Rc<Conductor>, is_valid: bool) {
    let (design, _) = state.wanted();
    let is_at_hand = std::ptr::eq(design, &state.chosen.design);
    // Workers find out whether the documents of a pinned design are valid.
    let requests = design.request().ok().filter(|_| is_valid || !is_at_hand);
    let conductor = Rc::clone(conductor);
    let pause = if state.is_typing { PAUSE_MS } else { 0 };
    use_effect_with(requests, move |requests| {
        let timeout = requests.clone().map(|requests| Timeout::new(pause, move || conductor.start(requests)));
        move || drop(timeout)
    });
}

/// The opened point: the one that was clicked, else the best. Asks for its account.
#[hook]
fn use_opened(state: &UseReducerHandle<PageState>, conductor: &Rc<Conductor>) -> Option<u32> {
    let results = &state.results;
    let (design, clicked) = state.wanted();
    let opened = results.opened(clicked);
    // Before the end the best point changes all the time.
    let is_looked_at = matches!(state.chosen.view.tab, Tab::Schedule | Tab::Compare)
        || clicked.is_some()
        || !std::ptr::eq(design, &state.chosen.design);
    let missing = opened.filter(|point| {
        is_looked_at && !results.stale && results.summary(*point).is_some() && !results.accounts.contains_key(point)
    });
    let conductor = Rc::clone(conductor);
    use_effect_with((missing, results.generation), move |(missing, _)| {
        if let Some(point) = missing {
            conductor.open(*point);
        }
    });
    opened
}

/// Whether the page is dark: as chosen, or as the system.
#[hook]
fn use_is_dark(theme: ThemeChoice) -> IsDark {
    let query = use_memo((), |()| {
        web_sys::window().and_then(|window| window.match_media("(prefers-color-scheme: dark)").ok().flatten())
    });
    let system = {
        let query = Rc::clone(&query);
        use_state_eq(move || query.as_ref().as_ref().is_some_and(|query| query.matches()))
    };
    {
        let system = system.clone();
        use_effect_with((), move |()| {
            if let Some(query) = &*query {
                let watched = query.clone();
                let call = Closure::<dyn FnMut()>::new(move || system.set(watched.matches()));
                // The page is there as long as the query.
                let _ = query.add_event_listener_with_callback("change", call.as_ref().unchecked_ref());
                call.forget();
            }
        });
    }
    use_effect_with(theme, |theme| {
        let root = web_sys::window().and_then(|window| window.document()).and_then(|page| page.document_element());
        if let Some(root) = root {
            // Setting an attribute fails only for impossible names.
            let _ = root.set_attribute("data-theme", theme.name());
        }
    });
    IsDark(match theme {
        ThemeChoice::Auto => *system,
        ThemeChoice::Light => false,
        ThemeChoice::Dark => true,
    })
}

#[derive(Properties, PartialEq)]
struct TabsProps {
    tab: Tab,
    act: Callback<Action>,
}

#[component]
fn Tabs(props: &TabsProps) -> Html {
    let tab = |(tab, title): (Tab, &'static str)| {
        html! {
            <button
                type="button"
                aria-current={(tab == props.tab).then_some("page")}
                onclick={props.act.reform(move |_: MouseEvent| Action::Look(ViewChange::Tab(tab)))}
                data-testid={format!("tab-{}", title.to_lowercase())}
            >
                { title }
            </button>
        }
    };
    let jump = Callback::from(|_: MouseEvent| {
        let page = web_sys::window().and_then(|window| window.document());
        if let Some(design) = page.and_then(|page| page.get_element_by_id("design")) {
            design.scroll_into_view();
        }
    });
    html! {
        <nav aria-label="Views">
            { for Tab::ALL.into_iter().map(tab) }
            <button type="button" class="jump" onclick={jump}>{ "Design ↓" }</button>
        </nav>
    }
}

#[derive(Properties, PartialEq)]
struct NoticesProps {
    notices: Rc<Vec<String>>,
    on_dismiss: Callback<()>,
}

/// What went wrong with workers, newest last.
#[component]
fn Notices(props: &NoticesProps) -> Html {
    const MOST: usize = 4;
    let notices = &props.notices;
    if notices.is_empty() {
        return html! {};
    }
    let hidden = notices.len().saturating_sub(MOST);
    html! {
        <div class="notices" role="status" data-testid="notices">
            <ul>
                if hidden > 0 { <li>{ format!("{hidden} earlier messages") }</li> }
                { for notices.iter().skip(hidden).map(|notice| html! { <li>{ notice }</li> }) }
            </ul>
            <button type="button" onclick={props.on_dismiss.reform(|_: MouseEvent| ())} data-testid="dismiss">
                { "Dismiss" }
            </button>
        </div>
    }
}
