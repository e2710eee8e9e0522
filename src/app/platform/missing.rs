//! What could not be fetched: a person reads which files, why, and what to do, and has it tried again.
//!
//! The element `missing-files` finds out and says all that (`www/main.js`), as it does where not even the module of the page came. It
//! submits itself to have it tried again, and resets itself to be closed.

use super::fetch_failure::FetchFailure;
use js_sys::Function;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::Closure;
use yew::prelude::*;

thread_local! {
    static ASK: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Takes the function of `www/main.js` that says before the page that a piece of code is missing, and calls what it is given to try again.
pub fn install(ask: Function) {
    ASK.set(Some(ask));
}

/// Says before the page that a piece of code is missing; `again` is called if a person wants it tried again.
pub fn ask(piece: &str, again: Box<dyn FnOnce()>) {
    let again = called_once(again);
    ASK.with_borrow(|ask| ask.as_ref().map(|ask| ask.call2(&JsValue::NULL, &piece.into(), &again).is_ok()));
}

/// A function for the browser, which calls it at most once. One for all, as each kind of it takes much code.
pub fn called_once(call: Box<dyn FnOnce()>) -> JsValue {
    Closure::once_into_js(call)
}

/// A part of the page.
const PART: &str = "This part of the page could not be fetched.";

/// A message about a fetch failure, with a button that tries again. A `toast` stands before the page, and can be closed.
pub fn failure_message(class: &'static str, failure: &FetchFailure, again: Callback<()>, close: Callback<()>) -> Html {
    html! {
        <missing-files
            {class}
            role="alert"
            data-what={failure.what}
            data-files={Rc::clone(&failure.files)}
            data-number={failure.number.to_string()}
            onsubmit={again.reform(|_: SubmitEvent| ())}
            onreset={close.reform(|_: Event| ())}
            data-testid="not-fetched"
        />
    }
}

/// The message for a part of the page whose code could not be fetched.
pub fn missing(class: &'static str, again: Callback<()>, close: Callback<()>) -> Html {
    failure_message(class, &FetchFailure { what: PART, files: "others".into(), number: 0 }, again, close)
}
