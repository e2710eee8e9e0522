//! The commands of `fusescape_command` for JavaScript: a question in, its answer out, both JSON.
//!
//! A page sees `fusescape.js`; `worker.js` stands between, and has the engine in a thread of its own. `tools/build-npm` makes a package of
//! them.
//!
//! - `question.rs`: questions as they are written; `answer.rs`: what is answered
//! - `blob.rs`: bytes of files; `progress.rs`: how far a command is

mod answer;
mod blob;
mod progress;
mod question;

use blob::Bytes;
use fusescape_spec::{Diagnostic, Diagnostics};
use js_sys::Function;
use progress::Progress;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

/// Answers a question: `{"found": ...}` or, with all that is wrong, `{"wrong": [...]}`. `tell(done, count, what)` is told how far it is;
/// `read(file, start, end)` gives bytes of its files.
#[wasm_bindgen]
pub fn answer(question: &str, tell: Function, read: Function) -> String {
    let (bytes, progress) = (Bytes { read }, Progress::new(tell));
    let found = question::read(question).and_then(|asked| answer::answer(asked, &bytes, &progress));
    match found {
        Ok(found) => json!({ "found": found }),
        Err(wrong) => json!({ "wrong": all_fields(&wrong) }),
    }
    .to_string()
}

/// Diagnostics as JavaScript has them.
fn all_fields(diagnostics: &Diagnostics) -> Vec<Value> {
    diagnostics.0.iter().map(fields).collect()
}

fn fields(diagnostic: &Diagnostic) -> Value {
    let Diagnostic { path, line, reason, remedy, .. } = diagnostic;
    json!({ "path": path, "line": line, "reason": reason, "remedy": remedy })
}
