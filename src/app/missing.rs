//! What could not be fetched: a person reads which files, why, and what to do, and has it tried again.
//!
//! `www/main.js` looks for the reasons, as it does where not even the module of the page came.

use js_sys::{Array, Function, Promise};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::Element;
use yew::prelude::*;

/// What is missing, in a sentence, where a part of the page is.
pub const PART: &str = "This part of the page could not be fetched.";

thread_local! {
    static ASK: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Takes the function of `www/main.js` that asks: in an element, what is missing, which files may be to blame.
pub fn install(ask: Function) {
    ASK.set(Some(ask));
}

/// Asks a person whether to try again; before the page where no place is named.
pub async fn ask(place: Option<Element>, title: &str, files: &[String]) -> bool {
    let files: Array = files.iter().map(|file| JsValue::from_str(file)).collect();
    let call = |ask: &Function| ask.call3(&JsValue::NULL, &place.into(), &title.into(), &files).ok();
    let answer =
        ASK.with_borrow(|ask| ask.as_ref().and_then(call)).and_then(|answer| answer.dyn_into::<Promise>().ok());
    match answer {
        Some(answer) => JsFuture::from(answer).await.is_ok_and(|wants| wants.is_truthy()),
        None => false,
    }
}

/// What could not be fetched.
#[derive(Debug, Clone, PartialEq)]
pub struct Lack {
    /// What is missing, in a sentence.
    pub title: &'static str,
    /// Addresses of the files that may be to blame; without any, those that the page fetched late.
    pub files: Vec<String>,
}

/// What a [`Missing`] needs.
#[derive(Properties, PartialEq)]
pub struct MissingProps {
    /// What could not be fetched.
    pub lack: Rc<Lack>,
    /// `toast` stands before the page, and can be closed.
    #[prop_or("banner")]
    pub class: &'static str,
    /// Hears whether to try again.
    pub on_answer: Callback<bool>,
}

/// Says what could not be fetched, and asks whether to try again.
#[component]
pub fn Missing(props: &MissingProps) -> Html {
    let place = use_node_ref();
    let on_answer = props.on_answer.clone();
    use_effect_with((place.clone(), Rc::clone(&props.lack)), move |(place, lack)| {
        let (place, lack) = (place.cast::<Element>(), Rc::clone(lack));
        spawn_local(async move { on_answer.emit(ask(place, lack.title, &lack.files).await) });
    });
    html! { <div ref={place} class={props.class} role="alert" data-testid="not-fetched"></div> }
}

/// Says so of a part of the page.
pub fn missing(class: &'static str, on_answer: Callback<bool>) -> Html {
    html! { <Missing lack={Rc::new(Lack { title: PART, files: Vec::new() })} {class} {on_answer} /> }
}
