//! Messages about code or files that could not be fetched: which files, the reason, a remedy, and a button to try
//! again.
//!
//! The element `missing-files` finds out and shows all that (`www/main.js`); it is also used if the module of the page
//! itself could not be fetched. It submits itself to try again, and resets itself to be closed.

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

/// Sets the function of `www/main.js` that shows a missing piece of code in front of the page; the function gets a
/// callback to try again.
pub fn install(ask: Function) {
    ASK.set(Some(ask));
}

/// Shows a missing piece of code in front of the page; `again` is called if a person wants to try again.
pub fn ask(piece: &str, again: Box<dyn FnOnce()>) {
    let again = called_once(again);
    ASK.with_borrow(|ask| ask.as_ref().map(|ask| ask.call2(&JsValue::NULL, &piece.into(), &again).is_ok()));
}

/// A JavaScript function that may be called once. One instance for all, as each instance of `Closure` takes much code.
pub fn called_once(call: Box<dyn FnOnce()>) -> JsValue {
    Closure::once_into_js(call)
}

/// The message for a part of the page.
const PART: &str = "This part of the page could not be fetched.";

/// A message about a fetch failure, with a button to try again. A `toast` is in front of the page, and can be closed.
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
