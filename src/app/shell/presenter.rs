//! A presentation: the results alone, in large letters, with keys for the steps of a lesson or the last states of the
//! design.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{Element, HtmlElement, KeyboardEvent};
use yew::prelude::*;

/// The attribute of the root element that switches the style to the presentation.
const ATTRIBUTE: &str = "data-present";
/// Selectors of the current step: in a lesson, else among the last states.
const CURRENT: [&str; 2] = [".lesson-head li > [aria-current]", ".film li > [aria-current]"];

#[derive(Properties, PartialEq)]
pub struct PresenterProps {
    /// Called when it ends.
    pub on_close: Callback<()>,
}

/// The buttons of a presentation; the page is in presentation mode while they are mounted.
#[component]
pub fn Presenter(props: &PresenterProps) -> Html {
    let on_close = props.on_close.clone();
    use_effect_with((), move |()| {
        let root = document().and_then(|document| document.document_element());
        if let Some(root) = &root {
            // Setting an attribute fails only for impossible names.
            let _ = root.set_attribute(ATTRIBUTE, "");
        }
        let hear = Closure::<dyn Fn(KeyboardEvent)>::new(move |event: KeyboardEvent| {
            match event.key().as_str() {
                "PageDown" => go(true),
                "PageUp" => go(false),
                "Escape" => on_close.emit(()),
                _ => return,
            }
            event.prevent_default();
        });
        let window = web_sys::window();
        if let Some(window) = &window {
            let _ = window.add_event_listener_with_callback("keydown", hear.as_ref().unchecked_ref());
        }
        move || {
            if let Some(window) = window {
                let _ = window.remove_event_listener_with_callback("keydown", hear.as_ref().unchecked_ref());
            }
            if let Some(root) = root {
                let _ = root.remove_attribute(ATTRIBUTE);
            }
        }
    });
    let end = props.on_close.reform(|_: MouseEvent| ());
    html! {
        <section class="presenter" aria-label="Presentation" data-testid="presenter">
            <button type="button" title="Back: the step or the state before (Page up)" onclick={|_: MouseEvent| go(false)}
                data-testid="present-back">
                { "Back" }
            </button>
            <button type="button" title="Next: the step or the state after (Page down)" onclick={|_: MouseEvent| go(true)}
                data-testid="present-next">
                { "Next" }
            </button>
            <button type="button" title="End the presentation (Escape)" onclick={end} data-testid="present-end">{ "End" }</button>
        </section>
    }
}

/// Goes to the next or the previous step or state; stays at the ends.
fn go(is_forward: bool) {
    let Some(document) = document() else { return };
    let current = CURRENT.iter().find_map(|selector| document.query_selector(selector).ok().flatten());
    let place = current.and_then(|current| current.parent_element());
    let next = place.and_then(|place| {
        let sibling = if is_forward { place.next_element_sibling() } else { place.previous_element_sibling() };
        sibling?.query_selector("button").ok().flatten()
    });
    if let Some(button) = next.and_then(|next: Element| next.dyn_into::<HtmlElement>().ok()) {
        button.click();
    }
}

fn document() -> Option<web_sys::Document> {
    web_sys::window().and_then(|window| window.document())
}
