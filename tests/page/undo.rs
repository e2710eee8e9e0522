//! Undo and redo: every edit can be undone, the view is kept, and memory is limited.

use fusescape::form::FieldTarget;
use fusescape::gallery::find_entry;
use fusescape::lesson::find_step;
use fusescape::state::{Action, Half, HierarchyField, History, MappingField, ScheduleField, State, Tab, ViewField};

/// A page without a browser.
#[derive(Default)]
struct Page {
    state: State,
    history: History,
    now_ms: f64,
}

impl Page {
    fn first() -> Self {
        Self { state: State::first(), ..Self::default() }
    }

    fn act(&mut self, action: Action) {
        let kind = action.kind();
        let before = self.state.clone();
        self.state.apply(action);
        self.history.note(&before, &self.state, kind, self.now_ms);
    }

    fn undo(&mut self) -> bool {
        let back = self.history.undo(&self.state);
        back.map(|state| self.state = state).is_some()
    }

    fn open_step(&mut self, id: &str) {
        let open = find_step(id).unwrap();
        let opens = open.open_step().unwrap().opens;
        self.act(Action::step(open, opens, &self.state));
    }

    fn redo(&mut self) -> bool {
        let forth = self.history.redo(&self.state);
        forth.map(|state| self.state = state).is_some()
    }
}

#[test]
fn a_drag_is_one_edit_however_long_it_rests() {
    let mut page = Page::first();
    let before = page.state.clone();
    let place = || FieldTarget::value("memories[0].size");
    let drag = |number: u32, text: &str| Action::Drag(Half::Hardware, place(), number, format!("name: {text}"));
    for (step, now_ms) in [0.0, 300.0, 60_000.0, 3_600_000.0].into_iter().enumerate() {
        page.now_ms = now_ms;
        page.act(drag(1, &step.to_string()));
    }
    let dragged = page.state.clone();
    assert_eq!(page.history.edits(), 1);
    // The next drag of the same field is another edit, even if it follows at once.
    page.act(drag(2, "again"));
    assert_eq!(page.history.edits(), 2);
    assert!(page.undo());
    assert_eq!(page.state.design, dragged.design);
    assert!(page.undo());
    assert_eq!(page.state.design, before.design);
    assert!(!page.undo() && page.redo());
    assert_eq!(page.state.design, dragged.design);
}

#[test]
fn what_the_next_step_of_a_lesson_replaces_is_one_undo_away() {
    let mut page = Page::first();
    assert!(!page.state.is_edited());
    page.open_step("why-fuse-1");
    assert!(!page.state.is_edited());
    // A change of the view is no edit.
    page.act(Action::Look(ViewField::Tab(Tab::Mapping)));
    page.act(Action::Mapping(MappingField::Layer(Some("map2".to_owned()))));
    assert!(!page.state.is_edited());
    page.act(Action::Fill(Half::Hardware, FieldTarget::value("name"), "name: mine".to_owned()));
    assert!(page.state.is_edited());
    let mine = page.state.clone();
    page.open_step("why-fuse-2");
    assert!(!page.state.is_edited() && page.state.design.hardware.text != mine.design.hardware.text);
    assert!(page.undo());
    assert_eq!(page.state.design, mine.design);
    assert_eq!(page.state.lesson.as_deref(), find_step("why-fuse-1").as_ref());
    for edit in [
        Action::Schedule(ScheduleField::TilesX("4".to_owned())),
        Action::Hierarchy(HierarchyField::Budget("1".to_owned())),
    ] {
        page.open_step("why-fuse-4");
        page.act(edit);
        assert!(page.state.is_edited());
    }
    page.act(Action::entry(&find_entry("defines-fig-9").unwrap()));
    assert!(!page.state.is_edited());
}

#[test]
fn twenty_edits_are_taken_back_and_made_again() {
    let mut page = Page::first();
    let mut states = vec![page.state.clone()];
    for number in 0..20_u32 {
        page.act(match number % 4 {
            0 => Action::preset(Half::Hardware, if number % 8 == 0 { "tpu-like" } else { "eyeriss-like" }).unwrap(),
            1 => Action::Write(Half::Workload, format!("name: draft {number}")),
            2 => Action::Schedule(ScheduleField::LpfLimit(7 + number as usize % 3)),
            _ => Action::entry(&find_entry(if number % 8 == 3 { "defines-fig-9" } else { "zigzag-fig-6" }).unwrap()),
        });
        page.now_ms += 100.0;
        states.push(page.state.clone());
    }
    for state in states.iter().rev().skip(1) {
        assert!(page.undo());
        assert_eq!(page.state, *state);
    }
    assert!(!page.undo() && !page.history.can_undo());
    for state in states.iter().skip(1) {
        assert!(page.redo());
        assert_eq!(page.state, *state);
    }
    assert!(!page.redo() && !page.history.can_redo());
}

#[test]
fn keystrokes_in_one_field_are_one_edit_until_a_pause() {
    let mut page = Page::first();
    let first = page.state.clone();
    for (text, pause_ms) in [("4", 300.0), ("4 6", 300.0), ("4 60", 2000.0), ("4 60 2", 300.0), ("4 60 24", 0.0)] {
        page.act(Action::Schedule(ScheduleField::TilesX(text.to_owned())));
        page.now_ms += pause_ms;
    }
    // Another field, at once.
    page.act(Action::Schedule(ScheduleField::TilesY("9".to_owned())));
    page.undo();
    assert_eq!(
        (page.state.design.schedule.tiles_x.as_str(), &page.state.design.schedule.tiles_y),
        ("4 60 24", &first.design.schedule.tiles_y)
    );
    page.undo();
    assert_eq!(page.state.design.schedule.tiles_x, "4 60");
    page.undo();
    assert_eq!(page.state, first);
    // After an undo, typing is an edit of its own.
    page.redo();
    page.act(Action::Schedule(ScheduleField::TilesX("4 60 1".to_owned())));
    page.undo();
    assert_eq!(page.state.design.schedule.tiles_x, "4 60");
}

#[test]
fn a_keystroke_that_changes_nothing_begins_no_edit() {
    let mut page = Page::first();
    page.act(Action::preset(Half::Hardware, "tpu-like").unwrap());
    let picked = page.state.clone();
    for text in [picked.design.schedule.tiles_y.clone(), "8".to_owned()] {
        page.act(Action::Schedule(ScheduleField::TilesY(text)));
    }
    page.undo();
    assert_eq!(page.state, picked);
}

#[test]
fn keystrokes_in_two_fields_of_one_document_are_two_edits() {
    let mut page = Page::first();
    let first = page.state.clone();
    let place = |name: &str| FieldTarget::Value { path: format!("memories[2].{name}"), is_optional: false };
    let texts =
        [("size", "name: a 1"), ("size", "name: a 12"), ("width", "name: a 12 b 3"), ("width", "name: a 12 b 34")];
    for (name, text) in texts {
        page.act(Action::Fill(Half::Hardware, place(name), text.to_owned()));
        page.now_ms += 100.0;
    }
    // The comment beside a value is a field of its own.
    page.act(Action::Fill(
        Half::Hardware,
        FieldTarget::Note("memories[2].width".to_owned()),
        "name: a 12 b 34 # c".to_owned(),
    ));
    for text in [texts[3].1, texts[1].1] {
        page.undo();
        assert_eq!(page.state.design.hardware.text, text);
    }
    page.undo();
    assert_eq!(page.state, first);
}

#[test]
fn a_way_of_looking_stays_unless_the_edit_changed_it() {
    let mut page = Page::first();
    page.act(Action::preset(Half::Hardware, "tpu-like").unwrap());
    page.act(Action::Look(ViewField::Tab(Tab::Mapping)));
    page.undo();
    assert_eq!((page.state.design.hardware.preset, page.state.view.tab), (Some("meta-proto-like-df"), Tab::Mapping));
    page.act(Action::entry(&find_entry("defines-fig-9").unwrap()));
    assert_eq!(page.state.view.tab, Tab::Schedule);
    page.undo();
    assert_eq!(page.state.view.tab, Tab::Mapping);
    page.redo();
    assert_eq!((page.state.view.tab, page.state.entry), (Tab::Schedule, Some("defines-fig-9")));
}

#[test]
fn a_history_is_bounded() {
    let mut page = Page::first();
    let large = "x".repeat(1 << 20);
    for number in 0..40 {
        page.act(Action::Write(Half::Hardware, format!("{number} {large}")));
        page.now_ms += 2000.0;
    }
    let steps = std::iter::from_fn(|| page.undo().then_some(())).count();
    assert!((1..=16).contains(&steps), "{steps} steps of 1 MiB");

    let mut page = Page::first();
    for number in 0..500 {
        page.act(Action::Schedule(ScheduleField::Cuts(number.to_string())));
        page.now_ms += 2000.0;
    }
    assert_eq!(std::iter::from_fn(|| page.undo().then_some(())).count(), 200);
}
