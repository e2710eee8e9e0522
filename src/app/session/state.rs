//! The one value that drives the page.

use crate::app::platform::timer::now_ms;
use crate::app::studies::hierarchies::StudyResults;
use crate::app::widgets::theme::ThemeChoice;
use crate::app::workers::results::{Status, SweepResults};
use crate::depth_first::{DepthFirstStrategy, PointAccount};
use crate::state::{Action, Design, History, Kind, Pinned, State};
use std::collections::BTreeMap;
use std::rc::Rc;
use yew::Reducible;

/// Everything the page shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PageState {
    /// What a person chose or wrote.
    pub chosen: Rc<State>,
    /// What they chose or wrote before.
    pub history: Rc<History>,
    /// How often they went somewhere else; a browser's Back undoes that.
    pub steps: u32,
    /// What the workers found out about it.
    pub results: Rc<SweepResults>,
    /// What the workers found out about memory hierarchies.
    pub study: Rc<StudyResults>,
    /// Results of the pinned design, from before it was edited further.
    pub pinned_results: Option<PinnedResults>,
    /// What a person should know of a link.
    pub notice: Option<String>,
    /// Light or dark.
    pub theme: ThemeChoice,
    /// The answers that were given to questions of lessons, by step.
    pub answers: Rc<BTreeMap<&'static str, usize>>,
    /// Whether the step of a lesson that was opened last replaced what a person had changed.
    pub is_set_aside: bool,
    /// Whether the last edit of the design was a keystroke that went on with another, after which more may follow.
    pub is_typing: bool,
}

/// Results of the design that is pinned to be compared with.
#[derive(Debug, Clone, PartialEq)]
pub struct PinnedResults {
    /// Design and point.
    pub pinned: Pinned,
    /// Its sweep, perhaps stopped before its end.
    pub results: Rc<SweepResults>,
    /// The whole account of its point; `None` where it cannot be had, or is not known as the sweep was stopped.
    pub account: Option<Rc<PointAccount>>,
}

/// Whatever happens to the page.
#[derive(Debug, Clone)]
pub enum Event {
    /// A person changed something.
    Act(Action),
    /// A person takes the last edit back.
    Undo,
    /// A person makes the edit again that was taken back last.
    Redo,
    /// A person opens a state that a file holds, or one of another address.
    Open(Opened),
    /// A person chose another look.
    Theme(ThemeChoice),
    /// A person answers the question of a step of a lesson.
    Answer(&'static str, usize),
    /// There is something that a person should know of a link, or no longer.
    Notice(Option<String>),
    /// The workers have found out more.
    Found(Rc<SweepResults>),
    /// The workers have found out more about memory hierarchies.
    Studied(Rc<StudyResults>),
}

/// A state from elsewhere.
#[derive(Debug, Clone)]
pub struct Opened {
    /// The state.
    pub state: Rc<State>,
    /// Whether the address already says so.
    pub is_address: bool,
}

impl Reducible for PageState {
    type Action = Event;

    fn reduce(self: Rc<Self>, event: Event) -> Rc<Self> {
        let mut next = (*self).clone();
        match event {
            Event::Act(action) => {
                let (kind, is_step) = (action.kind(), action.is_step());
                if kind != Kind::Look {
                    next.is_set_aside = matches!(&action, Action::OpenStep(step) if step.replaces_edits);
                }
                let mut chosen = (*self.chosen).clone();
                chosen.apply(action);
                next.steps += u32::from(is_step && chosen != *self.chosen);
                next.edit(chosen, kind);
            }
            Event::Open(Opened { state, is_address }) => {
                (next.notice, next.is_set_aside) = (None, false);
                next.steps += u32::from(!is_address);
                next.edit(state.keeping_own(&self.chosen), Kind::Edit);
            }
            Event::Undo => next.cross(History::undo),
            Event::Redo => next.cross(History::redo),
            Event::Theme(theme) => next.theme = theme,
            Event::Answer(step, answer) => {
                Rc::make_mut(&mut next.answers).insert(step, answer);
            }
            Event::Notice(notice) => next.notice = notice,
            Event::Found(results) => next.results = results,
            Event::Studied(study) => next.study = study,
        }
        next.keep_pinned_results();
        Rc::new(next)
    }
}

impl PageState {
    fn edit(&mut self, chosen: State, kind: Kind) {
        if kind != Kind::Look {
            self.is_typing = Rc::make_mut(&mut self.history).note(&self.chosen, &chosen, kind, now_ms());
        }
        self.chosen = Rc::new(chosen);
    }

    fn cross(&mut self, way: fn(&mut History, &State) -> Option<State>) {
        if let Some(state) = way(Rc::make_mut(&mut self.history), &self.chosen) {
            self.chosen = Rc::new(state);
            (self.is_typing, self.is_set_aside) = (false, false);
        }
    }

    /// Keeps what is known of the pinned design, as soon as all of it is.
    fn keep_pinned_results(&mut self) {
        let pinned = self.chosen.pinned.as_deref();
        self.pinned_results.take_if(|kept| Some(&kept.pinned) != pinned);
        if self.pinned_results.as_ref().is_some_and(|kept| kept.results.status != Status::Stopped) {
            return;
        }
        let known = pinned.and_then(|pinned| {
            let results = &self.results;
            let is_its = pinned.design.request().is_ok_and(|requests| requests == *results.asked);
            let is_wrong = results.status == Status::Rejected;
            if !is_its || (results.stale && !is_wrong) {
                return None;
            }
            // What the page still shows beside errors belongs to another design.
            let point = results.opened(pinned.point.as_ref()).filter(|_| !is_wrong);
            let account = point.and_then(|point| results.accounts.get(&point)).cloned();
            let is_all = match results.status {
                Status::Done => account.is_some() || point.is_none(),
                Status::Rejected | Status::Stopped => true,
                _ => false,
            };
            is_all.then(|| PinnedResults { pinned: pinned.clone(), results: Rc::clone(results), account })
        });
        // Of a sweep that was stopped more may be known later.
        self.pinned_results = known.or(self.pinned_results.take());
    }

    /// The design that workers have to look at: the one at hand, or first the pinned one if nothing is known of it.
    pub fn wanted(&self) -> (&Design, Option<&DepthFirstStrategy>) {
        let pinned = self.chosen.pinned.as_deref().filter(|_| self.pinned_results.is_none());
        // What asks for nothing sensible is left alone.
        match pinned.filter(|pinned| pinned.design.request().is_ok()) {
            Some(pinned) => (&pinned.design, pinned.point.as_ref()),
            None => (&self.chosen.design, self.chosen.view.point.as_ref()),
        }
    }

    /// Whether anything is known of the design as it stands; if not, all results are those of one before.
    pub fn is_answered(&self) -> bool {
        self.is_current() && !self.results.stale
    }

    /// Whether the workers were asked for the design as it stands.
    pub fn is_current(&self) -> bool {
        self.chosen.design.request().is_ok_and(|requests| *requests == *self.results.asked)
    }
}
