//! The cards of the design: hardware, network, schedule.

use super::document_editor::{DocumentCard, DocumentModel};
use super::schedule_card::ScheduleCard;
use crate::app::session::handle::Session;
use crate::app::session::state::PageState;
use crate::app::widgets::forms::diagnostics::section;
use crate::embed::Control;
use crate::spec::Diagnostics;
use crate::state::{Design, Half};
use std::rc::Rc;
use yew::prelude::*;

/// One of the cards.
pub fn card(control: Control, state: &PageState, session: &Session) -> Html {
    let found = |name: &str| section(&state.results.diagnostics, name);
    let own = |errors: Option<&Diagnostics>, name: &str| errors.cloned().unwrap_or_else(|| found(name));
    let Session { core, network, .. } = session;
    match control {
        Control::Hardware => html! {
            <DocumentCard
                half={Half::Hardware}
                title="Hardware"
                document={state.chosen.design.hardware.clone()}
                shows_text={state.chosen.view.hardware_text}
                diagnostics={own(core.as_ref().as_ref().err(), "hardware")}
                model={DocumentModel::Hardware(core.as_ref().as_ref().ok().cloned())}
            />
        },
        Control::Network => html! {
            <DocumentCard
                half={Half::Workload}
                title="Network"
                document={state.chosen.design.workload.clone()}
                shows_text={state.chosen.view.workload_text}
                diagnostics={own(network.as_ref().as_ref().err(), "workload")}
                model={DocumentModel::Network(network.as_ref().as_ref().ok().cloned(), Rc::clone(&session.stacks))}
            />
        },
        Control::Schedule => html! {
            <ScheduleCard
                schedule={state.chosen.design.schedule.clone()}
                memories={memories(session)}
                grid={state.chosen.design.grid()}
                is_figure_12={is_figure_12(&state.chosen.design)}
                diagnostics={settings_errors(state)}
                notes={Rc::clone(&state.results.notes)}
            />
        },
        Control::Text => html! {},
    }
}

/// Names of the memories, the highest first.
fn memories(session: &Session) -> Vec<String> {
    match &*session.core {
        Ok(core) => core.memories.iter().rev().map(|memory| memory.name.clone()).collect(),
        Err(_) => Vec::new(),
    }
}

fn settings_errors(state: &PageState) -> Diagnostics {
    match state.chosen.design.request() {
        Ok(_) => section(&state.results.diagnostics, "settings"),
        Err(wrong) => section(&wrong, "settings"),
    }
}

fn is_figure_12(design: &Design) -> bool {
    let figure = Design::figure_12();
    design.hardware.preset == figure.hardware.preset
        && design.workload.preset == figure.workload.preset
        && design.schedule == figure.schedule
}
