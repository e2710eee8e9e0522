//! Any text as an entry of the gallery or as a lesson: an answer, never a panic. A valid one opens a state that can be
//! kept.

use super::{check_state, check_wrong};
use fusescape::gallery::Entry;
use fusescape::lesson::{Draw, Given, Lesson, LessonSource, OpenLesson, Receipt, marks_of};
use fusescape::spec::gallery_presets;
use fusescape::state::{Action, State};

/// Panics unless that holds.
pub fn holds(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Entry::from_text(gallery_presets()[0].id, text) {
        Ok(entry) => show_entry(&entry),
        Err(wrong) => check_wrong(text, &wrong),
    }
    match Lesson::from_text(text, Draw::Student("ada")) {
        Ok(lesson) => show_lesson(&lesson, text),
        Err(wrong) => check_wrong(text, &wrong),
    }
    if let Ok(receipt) = Receipt::from_json(text) {
        let again = Receipt::from_json(&receipt.to_json()).unwrap();
        assert_eq!(again.answers, receipt.answers);
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

fn show_lesson(lesson: &Lesson, text: &str) {
    for (index, step) in lesson.steps.iter().enumerate() {
        let values: Vec<f64> = step.numbers.iter().enumerate().map(|(index, _)| 1.5 * index as f64).collect();
        let _ = (step.introduction(None), step.introduction(Some(&values)), step.explanation(&values));
        let _ = (step.right_choice(&values), step.right_choice(&[]), step.told().count());
        // An answer of any kind, right or not, gets a share between 0 and 1.
        for given in [
            Given::Choice(0),
            Given::Choice(2),
            Given::Number(f64::NAN),
            Given::Curve(vec![1.0]),
            Given::Values(vec![0, 9]),
        ] {
            let count = step.decided_by(&given).len();
            for numbers in [vec![Some(values.clone()); count], vec![None; count], vec![]] {
                let share = step.judge(&given, &numbers).map_or(0.0, |verdict| verdict.share);
                assert!((0.0..=1.0).contains(&share) && marks_of(step, &[share]) <= step.marks, "{share}");
            }
        }
        let source = LessonSource::Text(text.to_owned());
        let open = OpenLesson { source, student: "ada".to_owned(), step: index as u32, values: Vec::new() };
        let mut state = State::first();
        state.apply(Action::step(open, step.opens.clone(), &State::first()));
        check_state(&state);
    }
}
