//! Messages from the page around an embedded view: the first line is the query of its address, each other line a
//! message. An answer, never a panic; states shown can be kept, and nothing breaks out of the HTML snippet.

use super::check_rejected;
use fusescape::embed::{EmbedOptions, Reaction, answer, changed, ready, resize_script, snippet, state_of};
use fusescape::link::{from_link, to_link};
use fusescape::state::State;
use serde_json::Value;

/// More messages would find nothing else.
const MESSAGES: usize = 4;

/// Panics unless that holds.
pub fn holds(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (query, messages) = text.split_once('\n').unwrap_or((text, ""));
    let options = options(query);
    let mut state = State::first();
    let _ = (ready(&state, options.view), changed(&state, options.view, Value::Null));
    for message in messages.lines().take(MESSAGES) {
        match answer(message, &state) {
            Reaction::Ignore => {}
            Reaction::Tell(id) => check_id(&id),
            Reaction::Refuse(refusal) => check_refusal(&refusal),
            Reaction::Show(next, view, id) => {
                check_id(&id);
                let link = to_link(&next);
                let linked = from_link(&link).expect("a link of a state opens");
                assert_eq!(linked.design.hardware.text, next.design.hardware.text);
                assert_eq!(linked.design.workload.text, next.design.workload.text);
                assert_eq!(to_link(&linked), link);
                let told = state_of(&next, view.unwrap_or_default(), Value::Null, &id);
                assert_eq!(told["link"], link.as_str());
                state = *next;
            }
        }
    }
}

fn options(query: &str) -> EmbedOptions {
    let (options, wrong) = EmbedOptions::from_query(query);
    if !wrong.is_empty() {
        check_rejected(&wrong, &[""]);
        // Parts of an address times words of a list.
        assert!(wrong.0.len() <= 16 * 16);
    }
    let (back, wrong) = EmbedOptions::from_query(&options.query());
    assert!(back == options && wrong.is_empty(), "{options:?}");
    // The query stands for any possible address of the page.
    let html = snippet(query, &options, "1AwDZHA", 640);
    assert_eq!(html.matches('"').count(), 14, "{html}");
    assert_eq!(resize_script(query).matches('<').count(), 2);
    options
}

fn check_id(id: &Value) {
    assert!(id.is_null() || id.is_number() || id.as_str().is_some_and(|id| id.chars().count() <= 64), "{id}");
}

/// A refusal has an id, and from 1 to 100 errors of limited length.
fn check_refusal(refusal: &Value) {
    check_id(&refusal["id"]);
    assert_eq!(refusal["type"], "error");
    let errors = refusal["errors"].as_array().expect("a list of errors");
    assert!((1..=100).contains(&errors.len()));
    for error in errors {
        assert!(error["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{error}");
        assert!(error["remedy"].as_str().is_some_and(|remedy| !remedy.is_empty()), "{error}");
        assert!(error["place"].is_string(), "{error}");
        assert!(error.to_string().len() <= 32 << 10, "{error}");
    }
}
