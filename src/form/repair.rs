//! The edit proposed by a diagnostic.

use fusescape_spec::edit::Outline;
use fusescape_spec::{Diagnostic, Fix};

/// Text of the button: ``write `64 KiB` ``.
pub fn repair_title(fix: &Fix) -> String {
    match fix {
        Fix::Replace { meant, .. } => format!("write `{meant}`"),
        Fix::Rename(name) => format!("call it `{name}`"),
        Fix::Remove => "remove it".to_owned(),
    }
}

/// The document after the edit that a diagnostic proposes; `None` where it proposes none.
pub fn repair(document: &Outline, diagnostic: &Diagnostic) -> Option<Outline> {
    let path = &diagnostic.path;
    match diagnostic.fix.as_ref()? {
        Fix::Replace { word, meant } => {
            // The services of a port are a list or fields; a diagnostic may be about an item of the list.
            let serves = format!("{path}.serves");
            let place = if document.is_map(path) { &serves } else { path };
            document.replace_name(place, word, meant).filter(|next| next != document)
        }
        Fix::Rename(name) => document.rename(path, name),
        Fix::Remove => document.remove(path),
    }
}
