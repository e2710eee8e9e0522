//! What the browser keeps for the next visit, where it keeps anything at all.

use web_sys::Storage;

const DRAFT: &str = "fusescape.draft";

fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok()?
}

/// The draft of the last visit.
pub fn draft() -> Option<String> {
    storage()?.get_item(DRAFT).ok()?
}

/// Keeps a draft; where there is no room the last one goes.
pub fn keep_draft(draft: &str) {
    if let Some(storage) = storage()
        && storage.set_item(DRAFT, draft).is_err()
    {
        let _ = storage.remove_item(DRAFT);
    }
}
