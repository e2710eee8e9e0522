//! Answers kept by the browser, so that a reload loses neither answers nor the number of tries.

use crate::app::platform::storage;
use crate::app::session::state::{Event, LessonAnswers, StepAnswers};
use std::rc::Rc;
use yew::prelude::*;

/// Limit on the steps of a lesson, and on the tries of one step.
const MOST: usize = 64;

/// Restores a student's answers to these lessons from the browser, and stores further ones.
#[hook]
pub fn use_kept_answers(lessons: Vec<String>, student: &str, answers: &Rc<LessonAnswers>, tell: &Callback<Event>) {
    let recalled = use_mut_ref(|| None);
    let tell = tell.clone();
    let of = (lessons, student.trim().to_owned());
    use_effect_with((of, Rc::clone(answers)), move |(of, answers)| {
        let (lessons, student) = of;
        if recalled.borrow().as_ref() != Some(of) {
            *recalled.borrow_mut() = Some(of.clone());
            for lesson in lessons {
                let kept = storage::answers(lesson, student).and_then(|text| read(&text));
                if let Some(kept) = kept {
                    tell.emit(Event::Recall(lesson.clone(), student.clone(), kept));
                }
            }
            return;
        }
        for lesson in lessons {
            let own = answers.of(lesson, student);
            let text = if own.is_empty() { None } else { serde_json::to_string(&own).ok() };
            storage::keep_answers(lesson, student, text.as_deref());
        }
    });
}

/// Parses stored answers; `None` if the text is no list of answers.
fn read(text: &str) -> Option<Vec<(u32, StepAnswers)>> {
    let kept: Vec<(u32, StepAnswers)> = serde_json::from_str(text).ok()?;
    let fits = kept.len() <= MOST && kept.iter().all(|(_, answers)| (1..=MOST).contains(&answers.given.len()));
    fits.then_some(kept)
}
