//! The view of the open tab.

use super::code::ShellCode;
use crate::app::landscape;
use crate::app::lessons::panel::LessonPanel;
use crate::app::platform::lazy_modules::Load;
use crate::app::platform::missing::missing;
use crate::app::session::handle::Session;
use crate::app::session::state::PageState;
use crate::state::{Tab, ViewSubject};
use std::rc::Rc;
use yew::prelude::*;

/// The view of the tab that is open.
pub fn view(state: &PageState, session: &Session, parts: Load<ShellCode>) -> Html {
    match (state.chosen.view.tab, parts) {
        (Tab::Landscape, _) => landscape::view(Rc::new(state.clone()), session),
        (_, Load::Ready(parts)) => (parts.view)(state, session),
        (_, Load::Pending) => html! { <p class="loading" role="status">{ "Fetching this view …" }</p> },
        (_, Load::Failed(again)) => missing("banner", again, Callback::noop()),
    }
}

/// The open step of a lesson, above the view.
pub fn lesson(state: &PageState, parts: Load<ShellCode>) -> Html {
    let is_shown = state.chosen.lesson.is_some() && state.chosen.view.tab.subject() != ViewSubject::Publications;
    match parts {
        Load::Ready(parts) if is_shown => (parts.lesson)(state),
        _ => html! {},
    }
}

/// A step of a lesson. Only `shell::pieces` may name it.
pub fn lesson_panel(state: &PageState) -> Html {
    let Some(open) = state.chosen.lesson.as_deref().cloned() else { return html! {} };
    let (answers, chosen) = (Rc::clone(&state.answers), Rc::clone(&state.chosen));
    html! { <LessonPanel {open} {chosen} {answers} is_set_aside={state.is_set_aside} /> }
}

macro_rules! any_view {
    ($($tab:ident $name:ident $code:literal $subject:ident $shows:literal $embedded:expr;)*) => {
        /// The view of any tab. Only `shell::pieces` may name it.
        pub fn any_view(state: &PageState, session: &Session) -> Html {
            let state = Rc::new(state.clone());
            match state.chosen.view.tab {
                $(Tab::$tab => crate::app::$name::view(state, session),)*
            }
        }
    };
}
crate::state::views!(any_view);
