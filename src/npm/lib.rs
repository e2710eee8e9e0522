//! The commands of `fusescape_command` for JavaScript: a question as input, its answer as output, both in JSON.
//!
//! A page uses `fusescape.js`, which starts `worker.js` with the engine in a thread of its own. `tools/build-npm` makes
//! a package of them.
//!
//! - `question.rs`: questions as written; `answer.rs`: answers
//! - `blob.rs`: bytes of files; `progress.rs`: progress of a command

mod answer;
mod blob;
mod progress;
mod question;

use blob::Bytes;
use fusescape_spec::{Diagnostic, Diagnostics};
use js_sys::Function;
use progress::JsProgressMonitor;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

/// Answers a question: `{"found": ...}` or, with all errors, `{"wrong": [...]}`. `tell(done, count, what)` is called
/// with the progress; `read(file, start, end)` gives bytes of a file.
#[wasm_bindgen]
pub fn answer(question: &str, tell: Function, read: Function) -> String {
    let (bytes, progress) = (Bytes { read }, JsProgressMonitor::new(tell));
    let found = question::read(question).and_then(|asked| answer::answer(asked, &bytes, &progress));
    match found {
        Ok(found) => json!({ "found": found }),
        Err(wrong) => json!({ "wrong": all_fields(&wrong) }),
    }
    .to_string()
}

/// Diagnostics as JavaScript objects.
fn all_fields(diagnostics: &Diagnostics) -> Vec<Value> {
    diagnostics.0.iter().map(fields).collect()
}

fn fields(diagnostic: &Diagnostic) -> Value {
    let Diagnostic { path, line, reason, remedy, .. } = diagnostic;
    json!({ "path": path, "line": line, "reason": reason, "remedy": remedy })
}
