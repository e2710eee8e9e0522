//! Any text as a receipt: an answer, never a panic. A valid receipt is written and read back unchanged, and no step is
//! graded with more than its marks.

use fusescape::lesson::{Grader, LessonSource, Receipt};
use std::cell::RefCell;

thread_local! {
    // Keeps the numbers of all variants.
    static GRADER: RefCell<Grader> = RefCell::default();
}

/// A lesson with a step of every kind, on a network that is computed quickly.
pub fn lesson() -> LessonSource {
    let text = include_str!("../../presets/lesson/your-own.yaml");
    LessonSource::Text(text.replace("workload: fsrcnn", "workload: three-convs"))
}

/// Panics unless that holds.
pub fn holds(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Receipt::from_json(text) {
        Ok(receipt) => {
            assert_eq!(Receipt::from_json(&receipt.to_json()).as_ref(), Ok(&receipt));
            let graded = GRADER.with_borrow_mut(|grader| grader.grade(&lesson(), &receipt));
            for step in graded.expect("whatever is answered, the lesson is right").steps {
                assert!((0.0..=step.of).contains(&step.marks), "{step:?}");
            }
        }
        Err(wrong) => assert!(wrong.0.iter().all(|one| !one.reason.is_empty() && !one.remedy.is_empty()), "{wrong}"),
    }
}
