//! The one value that drives the page.

use super::explorer::StudyResults;
use super::results::Results;
use super::theme::ThemeChoice;
use crate::state::{Action, State};
use std::rc::Rc;
use yew::Reducible;

/// Everything the page shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PageState {
    /// What a person chose or wrote.
    pub chosen: State,
    /// What the workers found out about it.
    pub results: Rc<Results>,
    /// What the workers found out about memory hierarchies.
    pub study: Rc<StudyResults>,
    /// Light or dark.
    pub theme: ThemeChoice,
    /// Whether the last edit of the design was a keystroke, after which more may follow.
    pub is_typing: bool,
}

/// Whatever happens to the page.
#[derive(Debug, Clone)]
pub enum Event {
    /// A person changed something.
    Act(Action),
    /// A person chose another look.
    Theme(ThemeChoice),
    /// The workers have found out more.
    Found(Rc<Results>),
    /// The workers have found out more about memory hierarchies.
    Studied(Rc<StudyResults>),
}

impl Reducible for PageState {
    type Action = Event;

    fn reduce(self: Rc<Self>, event: Event) -> Rc<Self> {
        let mut next = (*self).clone();
        match event {
            Event::Act(action) => {
                next.is_typing = action.is_typing().unwrap_or(next.is_typing);
                next.chosen.apply(action);
            }
            Event::Theme(theme) => next.theme = theme,
            Event::Found(results) => next.results = results,
            Event::Studied(study) => next.study = study,
        }
        Rc::new(next)
    }
}

impl PageState {
    /// Whether the workers were asked for the design as it stands.
    pub fn is_current(&self) -> bool {
        self.chosen.design.request().is_ok_and(|requests| *requests == *self.results.asked)
    }
}
