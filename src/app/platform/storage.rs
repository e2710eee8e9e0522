//! Storage of the browser for the next visit, if the browser offers any.

use web_sys::Storage;

const DRAFT: &str = "fusescape.draft";
const LATE: &str = "fusescape.late";
/// Set while keys without Ctrl are off.
const NO_SINGLE_KEYS: &str = "fusescape.no-single-keys";

fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok()?
}

/// Storage that lasts as long as the tab.
fn session() -> Option<Storage> {
    web_sys::window()?.session_storage().ok()?
}

/// Stores the draft of a page that is being left, with the name of its history entry.
pub fn keep_late(entry: &str, draft: &str) {
    forget_late();
    if let Some(session) = session() {
        // If there is no room, the history entry holds nearly the same.
        let _ = session.set_item(LATE, &format!("{entry} {draft}"));
    }
}

/// Deletes that draft, as the history entry is about to be written.
pub fn forget_late() {
    if let Some(session) = session() {
        let _ = session.remove_item(LATE);
    }
}

/// Whether this tab left a draft that [`take_late`] gives.
pub fn is_late() -> bool {
    let late = || session()?.get_item(LATE).ok()?;
    late().is_some_and(|late| !late.ends_with(' '))
}

/// The draft of the page that this tab left last, with the name of its history entry; deletes it.
pub fn take_late() -> Option<(String, String)> {
    let late = session()?.get_item(LATE).ok()??;
    forget_late();
    let (entry, draft) = late.split_once(' ')?;
    Some((entry.to_owned(), draft.to_owned()))
}

/// The draft of the last visit.
pub fn draft() -> Option<String> {
    storage()?.get_item(DRAFT).ok()?
}

/// Stores a draft; false if there is no room, in which case the last one stays.
pub fn keep_draft(draft: &str) -> bool {
    storage().is_none_or(|storage| storage.set_item(DRAFT, draft).is_ok())
}

/// Whether keys without Ctrl are on.
pub fn single_keys() -> bool {
    let kept = || storage()?.get_item(NO_SINGLE_KEYS).ok()?;
    kept().is_none()
}

/// Stores that for the next visit, if the browser stores anything.
pub fn keep_single_keys(are_on: bool) {
    if let Some(storage) = storage() {
        let _ = if are_on { storage.remove_item(NO_SINGLE_KEYS) } else { storage.set_item(NO_SINGLE_KEYS, "1") };
    }
}

/// The key for the answers of a student to a lesson.
fn answers_of(lesson: &str, student: &str) -> String {
    format!("fusescape.answers.{lesson}.{student}")
}

/// The stored answers of a student to a lesson.
pub fn answers(lesson: &str, student: &str) -> Option<String> {
    storage()?.get_item(&answers_of(lesson, student)).ok()?
}

/// Stores them if there is room; they are never deleted.
pub fn keep_answers(lesson: &str, student: &str, answers: Option<&str>) {
    if let Some(storage) = storage() {
        let name = answers_of(lesson, student);
        let _ = match answers {
            Some(answers) => storage.set_item(&name, answers),
            None => storage.remove_item(&name),
        };
    }
}
