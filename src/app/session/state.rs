//! The one value that drives the page.

use super::design_history::DesignHistory;
use crate::app::session::hierarchy_results::HierarchyResults;
use crate::app::widgets::page::theme_choice::ThemeChoice;
use crate::app::workers::results::{Status, SweepResults};
use crate::depth_first::{DepthFirstStrategy, PointAccount};
use crate::lesson::{Given, LessonSource};
use crate::state::{Action, ActionKind, Design, History, Pinned, State};
use serde::{Deserialize, Serialize};
use std::rc::Rc;
use std::sync::Arc;

/// The key of answers: lesson, student and step.
pub type AnswerKey = (String, String, u32);

/// All answers, in the order in which their steps were first answered. A person answers tens of steps; a map would add
/// more to the page's module than it saves.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LessonAnswers(Vec<(AnswerKey, StepAnswers)>);

impl LessonAnswers {
    /// The answers to a step, if there are any.
    pub fn get(&self, step: &AnswerKey) -> Option<&StepAnswers> {
        self.place(step).map(|place| &self.0[place].1)
    }

    fn place(&self, step: &AnswerKey) -> Option<usize> {
        self.0.iter().position(|(other, _)| other == step)
    }

    fn answer(&mut self, step: AnswerKey, given: Given) {
        let place = self.place(&step).unwrap_or_else(|| {
            self.0.push((step, StepAnswers::default()));
            self.0.len() - 1
        });
        let answers = &mut self.0[place].1;
        answers.given.push(given);
        answers.marks = None;
    }

    /// Stores the marks of a step; nothing if it has no answers.
    pub fn judge(&mut self, step: &AnswerKey, marks: f64) {
        if let Some(place) = self.place(step) {
            self.0[place].1.marks = Some(marks);
        }
    }

    fn forget(&mut self, step: &AnswerKey) {
        self.0.retain(|(other, _)| other != step);
    }

    /// The answers of a student to a lesson, by step.
    pub fn of(&self, lesson: &str, student: &str) -> Vec<(u32, StepAnswers)> {
        let own = self.0.iter().filter(|((of, by, _), _)| of == lesson && by == student);
        own.map(|((.., step), answers)| (*step, answers.clone())).collect()
    }

    /// Adds stored answers, for steps without any.
    fn recall(&mut self, lesson: &str, student: &str, kept: Vec<(u32, StepAnswers)>) {
        for (step, answers) in kept {
            let key = (lesson.to_owned(), student.to_owned(), step);
            if self.place(&key).is_none() {
                self.0.push((key, answers));
            }
        }
    }
}

/// The answers to a step, in turn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StepAnswers {
    pub given: Vec<Given>,
    /// Marks for the answers, once known.
    pub marks: Option<f64>,
}

/// Everything the page shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PageState {
    /// The user's choices and documents.
    pub chosen: Rc<State>,
    /// Earlier states of `chosen`, for undo and redo.
    pub history: Rc<History>,
    /// Number of navigation steps; a browser's Back undoes one.
    pub steps: u32,
    /// Results of the sweep of `chosen`.
    pub results: Rc<SweepResults>,
    /// Results about memory hierarchies.
    pub study: Rc<HierarchyResults>,
    /// Results of the pinned design, from before it was edited further.
    pub pinned_results: Option<PinnedResults>,
    /// The last designs with their results.
    pub design_history: Rc<DesignHistory>,
    /// A remark about a link.
    pub notice: Option<String>,
    pub theme: ThemeChoice,
    /// The answers to questions of lessons, by step.
    pub answers: Rc<LessonAnswers>,
    /// The own lesson that was open last; it is kept when another one is opened.
    pub own_lesson: Option<Rc<str>>,
    /// Whether the last opened step of a lesson replaced a design that a person had changed.
    pub is_set_aside: bool,
    /// Whether the last edit of the design was a keystroke that continued another one; more may follow.
    pub is_typing: bool,
}

/// Results of the design that is pinned for comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct PinnedResults {
    /// Design and point.
    pub pinned: Pinned,
    /// Its sweep, possibly stopped early.
    pub results: Rc<SweepResults>,
    /// The account of its point; `None` if it cannot be computed, or is unknown as the sweep was stopped.
    pub account: Option<Arc<PointAccount>>,
}

/// An event of the page.
#[derive(Debug, Clone)]
pub enum Event {
    /// A change by a person.
    Act(Action),
    /// Undo of the last edit.
    Undo,
    /// Redo of the edit that was undone last.
    Redo,
    /// A state is opened from a file or from another address.
    Open(OpenedState),
    /// Another theme was chosen.
    Theme(ThemeChoice),
    /// An answer to the question of a step of a lesson.
    Answer(AnswerKey, Given),
    /// Stored answers of a student to a lesson, by step.
    Recall(String, String, Vec<(u32, StepAnswers)>),
    /// The marks for the answers to a step.
    Judged(AnswerKey, f64),
    /// A step is started over.
    Forget(AnswerKey),
    /// A remark about a link, or the end of it.
    Notice(Option<String>),
    /// New results of the sweep.
    Found(Rc<SweepResults>),
    /// New results about memory hierarchies.
    Studied(Rc<HierarchyResults>),
}

/// A state from a file or an address.
#[derive(Debug, Clone)]
pub struct OpenedState {
    pub state: Rc<State>,
    /// Whether it came from the address, which then need not be written.
    pub is_address: bool,
}

#[cfg(target_arch = "wasm32")]
impl yew::Reducible for PageState {
    type Action = Event;

    fn reduce(self: Rc<Self>, event: Event) -> Rc<Self> {
        Rc::new(self.after(event, crate::app::platform::timer::now_ms()))
    }
}

impl PageState {
    /// The state after an event at this time, milliseconds.
    pub fn after(&self, event: Event, now_ms: f64) -> Self {
        let mut next = self.clone();
        match event {
            Event::Act(action) => {
                let (kind, is_step) = (action.kind(), action.is_step());
                if kind != ActionKind::Look {
                    next.is_set_aside = matches!(&action, Action::OpenStep(step) if step.replaces_edits);
                }
                let mut chosen = (*self.chosen).clone();
                chosen.apply(action);
                next.steps += u32::from(is_step && chosen != *self.chosen);
                next.edit(chosen, kind, now_ms);
            }
            Event::Open(OpenedState { state, is_address }) => {
                (next.notice, next.is_set_aside) = (None, false);
                next.steps += u32::from(!is_address);
                next.edit(state.keeping_own(&self.chosen), ActionKind::Edit, now_ms);
            }
            Event::Undo => next.cross(History::undo),
            Event::Redo => next.cross(History::redo),
            Event::Theme(theme) => next.theme = theme,
            Event::Answer(step, given) => Rc::make_mut(&mut next.answers).answer(step, given),
            Event::Recall(lesson, student, kept) => Rc::make_mut(&mut next.answers).recall(&lesson, &student, kept),
            Event::Judged(step, marks) => Rc::make_mut(&mut next.answers).judge(&step, marks),
            Event::Forget(step) => Rc::make_mut(&mut next.answers).forget(&step),
            Event::Notice(notice) => next.notice = notice,
            Event::Found(results) => next.find(results),
            Event::Studied(study) => next.study = study,
        }
        next.keep_pinned_results();
        next
    }

    fn edit(&mut self, chosen: State, kind: ActionKind, now_ms: f64) {
        if let Some(LessonSource::Text(text)) = chosen.lesson.as_ref().map(|lesson| &lesson.source)
            && self.own_lesson.as_deref() != Some(text)
        {
            self.own_lesson = Some(text.as_str().into());
        }
        if kind != ActionKind::Look {
            self.is_typing = Rc::make_mut(&mut self.history).note(&self.chosen, &chosen, kind, now_ms);
        }
        self.chosen = Rc::new(chosen);
    }

    fn cross(&mut self, way: fn(&mut History, &State) -> Option<State>) {
        if let Some(state) = way(Rc::make_mut(&mut self.history), &self.chosen) {
            self.chosen = Rc::new(state);
            (self.is_typing, self.is_set_aside) = (false, false);
        }
    }

    /// Takes new results; a complete sweep becomes a frame of the film.
    fn find(&mut self, results: Rc<SweepResults>) {
        let is_news = !Rc::ptr_eq(&self.results, &results);
        self.results = results;
        if is_news && self.results.status == Status::Done && self.is_answered() && self.results.best.is_some() {
            let edit = self.history.edits();
            Rc::make_mut(&mut self.design_history).settle(&self.chosen, &self.results, edit);
        }
    }

    /// The results before the last edit of the design, for comparison; `None` during a sweep, as its best is not known.
    pub fn before(&self) -> Option<&Rc<SweepResults>> {
        let frame = self.design_history.before(&self.chosen, self.history.edits())?;
        Some(&frame.results).filter(|_| self.is_answered() && self.results.status == Status::Done)
    }

    /// Keeps the results of the pinned design, as soon as all are known.
    fn keep_pinned_results(&mut self) {
        let pinned = self.chosen.pinned.as_deref();
        self.pinned_results.take_if(|kept| Some(&kept.pinned) != pinned);
        if self.pinned_results.as_ref().is_some_and(|kept| kept.results.status != Status::Stopped) {
            return;
        }
        let known = pinned.and_then(|pinned| {
            let results = &self.results;
            let is_its = pinned.design.request().is_ok_and(|requests| requests == *results.asked);
            // Nothing more will be known until a person corrects the design, or continues.
            let is_at_rest = matches!(results.status, Status::Rejected | Status::Stopped);
            if !is_its || (results.stale && (!is_at_rest || self.pinned_results.is_some())) {
                return None;
            }
            // With errors, or after an early stop, the page may still show results of another design.
            let is_other = results.stale || results.status == Status::Rejected;
            let point = results.opened(pinned.point.as_ref()).filter(|_| !is_other);
            let account = point.and_then(|point| results.accounts.get(&point)).cloned();
            let is_all = match results.status {
                Status::Done => account.is_some() || point.is_none(),
                Status::Rejected | Status::Stopped => true,
                _ => false,
            };
            is_all.then(|| PinnedResults { pinned: pinned.clone(), results: Rc::clone(results), account })
        });
        // More may become known later of a sweep that was stopped.
        self.pinned_results = known.or(self.pinned_results.take());
    }

    /// The design for the workers: the current one, or first the pinned one if it has no results.
    pub fn wanted(&self) -> (&Design, Option<&DepthFirstStrategy>) {
        let pinned = self.chosen.pinned.as_deref().filter(|_| self.pinned_results.is_none());
        // A pinned design without valid requests is ignored.
        match pinned.filter(|pinned| pinned.design.request().is_ok()) {
            Some(pinned) => (&pinned.design, pinned.point.as_ref()),
            None => (&self.chosen.design, self.chosen.view.point.as_ref()),
        }
    }

    /// Whether there are results of the current design; if not, all results belong to an earlier one.
    pub fn is_answered(&self) -> bool {
        self.is_current() && !self.results.stale
    }

    /// Whether the workers have been asked about the current design.
    pub fn is_current(&self) -> bool {
        self.chosen.design.request().is_ok_and(|requests| *requests == *self.results.asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::depth_first::{FuseDepth, StoringMode};
    use crate::state::{Half, ScheduleField, Tab, ViewField};

    fn first() -> PageState {
        PageState { chosen: Rc::new(State::first()), ..PageState::default() }
    }

    fn typed(text: &str) -> Event {
        Event::Act(Action::Schedule(ScheduleField::Cuts(text.to_owned())))
    }

    /// Results of the current design, in which no point is known.
    fn results(page: &PageState, status: Status) -> Event {
        let asked = Rc::new(page.chosen.design.request().unwrap());
        Event::Found(Rc::new(SweepResults { asked, status, ..SweepResults::default() }))
    }

    #[test]
    fn keystrokes_in_one_field_that_follow_each_other_are_one_edit() {
        let page = first().after(typed("m"), 0.0).after(typed("ma"), 500.0);
        assert!(page.is_typing);
        let undone = page.after(Event::Undo, 600.0);
        assert_eq!((&*undone.chosen, undone.is_typing), (&State::first(), false));
        assert_eq!(undone.after(Event::Redo, 700.0).chosen, page.chosen);
        let later = page.after(typed("map"), 5000.0);
        assert!(!later.is_typing);
        assert_eq!(later.after(Event::Undo, 5001.0).chosen.design.schedule.cuts, "ma");
    }

    #[test]
    fn a_step_is_what_a_browser_goes_back_from() {
        let look = |tab| Event::Act(Action::Look(ViewField::Tab(tab)));
        let page = first();
        assert_eq!(page.after(typed("m"), 0.0).steps, 0);
        // Opening the current tab is not a navigation step.
        assert_eq!(page.after(look(Tab::Landscape), 0.0).steps, 0);
        assert_eq!(page.after(look(Tab::Fusion), 0.0).steps, 1);
        let (tile, mode, fuse) = ((4, 72), StoringMode::FullyCached, FuseDepth::Automatic);
        let (point, mut steps) = (DepthFirstStrategy { tile, mode, fuse }, Vec::new());
        for action in [Action::OpenPoint(point.clone()), Action::Look(ViewField::Point(Some(point)))] {
            let shown = page.after(Event::Act(action), 0.0);
            steps.push((shown.steps, shown.chosen.view.tab, shown.chosen.view.point.is_some()));
        }
        assert_eq!(steps, [(1, Tab::Schedule, true), (0, Tab::Landscape, true)]);
        let opened = |is_address| Event::Open(OpenedState { state: Rc::new(State::first()), is_address });
        assert_eq!((page.after(opened(false), 0.0).steps, page.after(opened(true), 0.0).steps), (1, 0));
    }

    #[test]
    fn looking_around_takes_nothing_from_what_can_be_undone() {
        let page = first().after(typed("m"), 0.0).after(Event::Act(Action::Look(ViewField::Stack(1))), 10.0);
        let undone = page.after(Event::Undo, 20.0);
        assert_eq!((undone.chosen.design.schedule.cuts.as_str(), undone.chosen.view.stack), ("", 1));
        assert!(!undone.history.can_undo());
    }

    #[test]
    fn a_pinned_design_keeps_its_results_as_soon_as_all_are_known() {
        let page = first();
        let page = page.after(results(&page, Status::Running), 0.0).after(Event::Act(Action::Pin), 0.0);
        assert_eq!(page.pinned_results, None);
        let done = page.after(results(&page, Status::Done), 0.0);
        let kept = done.pinned_results.clone().expect("a sweep that is done says all");
        assert_eq!(Some(&kept.pinned), done.chosen.pinned.as_deref());
        // Whatever is found about the current design, while the same design is pinned.
        let edited = done.after(Event::Act(Action::preset(Half::Workload, "mobilenet-v1").unwrap()), 0.0);
        assert_ne!(edited.chosen.design, done.chosen.design);
        assert_eq!(edited.after(results(&edited, Status::Done), 0.0).pinned_results, Some(kept));
        assert_eq!(edited.after(Event::Act(Action::Unpin), 0.0).pinned_results, None);
    }

    #[test]
    fn a_design_whose_sweep_was_stopped_before_any_point_is_not_waited_for() {
        let page = first();
        let asked = Rc::new(page.chosen.design.request().unwrap());
        let at = |status| {
            // The page still shows the points of another design.
            let shown = SweepResults { best: Some(0), stale: true, ..SweepResults::default() };
            Event::Found(Rc::new(SweepResults { asked: Rc::clone(&asked), status, ..shown }))
        };
        let running = page.after(at(Status::Running), 0.0).after(Event::Act(Action::Pin), 0.0);
        assert_eq!(running.pinned_results, None);
        let stopped = running.after(at(Status::Stopped), 0.0);
        let kept = stopped.pinned_results.as_ref().expect("a stop says that nothing more comes");
        assert_eq!(kept.results.status, Status::Stopped);
        // Once it is continued, everything is known.
        let done = stopped.after(at(Status::Running), 0.0).after(results(&stopped, Status::Done), 0.0);
        assert_eq!(done.pinned_results.unwrap().results.status, Status::Done);
    }

    #[test]
    fn workers_look_at_a_pinned_design_of_which_nothing_is_known_first() {
        let page = first().after(Event::Act(Action::Pin), 0.0);
        let page = page.after(Event::Act(Action::preset(Half::Workload, "mobilenet-v1").unwrap()), 0.0);
        assert_eq!(*page.wanted().0, State::first().design);
        assert!(!page.is_current());
        let asked = Rc::new(page.wanted().0.request().unwrap());
        let found = Rc::new(SweepResults { asked, status: Status::Done, ..SweepResults::default() });
        let page = page.after(Event::Found(found), 0.0);
        assert_eq!(*page.wanted().0, page.chosen.design);
    }
}
