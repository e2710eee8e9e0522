//! The commands of `fusescape::command` for JavaScript: a question in, its answer out, both JSON.
//!
//! A page sees `fusescape.js`; `worker.js` stands between, and has the engine in a thread of its own. `tools/build-npm` makes a package of
//! them.
//!
//! - `question.rs`: questions as they are written; `answer.rs`: what is answered
//! - `progress.rs`: how far a command is

mod answer;
mod progress;
mod question;

use fusescape::spec::{Diagnostic, Diagnostics};
use js_sys::Function;
use progress::Progress;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

/// Answers a question: `{"found": ...}` or, with all that is wrong, `{"wrong": [...]}`. `tell(done, count, what)` is told how far it is.
#[wasm_bindgen]
pub fn answer(question: &str, tell: Function) -> String {
    let found = question::read(question).and_then(|asked| answer::answer(asked, &Progress::new(tell)));
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
