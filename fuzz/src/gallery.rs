//! Any text as an entry of the gallery or as a lesson: an answer, never a panic; and what is valid opens a state that can be kept.

use super::{check_state, check_wrong};
use fusescape::gallery::{Entry, Lesson};
use fusescape::spec::{gallery_presets, lesson_presets};
use fusescape::state::{Action, State};

/// Panics where that is not so.
pub fn holds(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Entry::from_text(gallery_presets()[0].id, text) {
        Ok(entry) => show_entry(&entry),
        Err(wrong) => check_wrong(text, &wrong),
    }
    match Lesson::from_text(lesson_presets()[0].id, text) {
        Ok(lesson) => show_lesson(&lesson),
        Err(wrong) => check_wrong(text, &wrong),
    }
}

fn show_entry(entry: &Entry) {
    for claim in &entry.claims {
        let published = claim.published.nearest(1.0);
        assert!(!claim.departure(published * 1.001).is_nan(), "{claim:?}");
        assert!(!claim.published_text().is_empty());
        for ours in [published, published * 1.001, 0.0, f64::NAN, f64::INFINITY] {
            assert!(!claim.text_of_ours(ours).is_empty());
            let _ = claim.holds(ours);
        }
    }
    let mut state = State::first();
    state.apply(Action::entry(entry));
    check_state(&state);
}

fn show_lesson(lesson: &Lesson) {
    for step in &lesson.steps {
        assert!(step.answers.len() > 1);
        let values: Vec<f64> = step.numbers.iter().enumerate().map(|(index, _)| 1.5 * index as f64).collect();
        let _ = (step.introduction(None), step.introduction(Some(&values)), step.explanation(&values));
        let _ = (step.right_answer(&values), step.right_answer(&[]), step.told().count());
        let mut state = State::first();
        state.apply(Action::step(step, &State::first()));
        check_state(&state);
    }
}
