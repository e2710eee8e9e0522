//! Light or dark theme.

use super::theme_choice::ThemeChoice;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use yew::prelude::*;

/// Whether the page is dark, by choice or by the system's setting.
#[hook]
pub fn use_is_dark(theme: ThemeChoice) -> bool {
    let query = use_memo((), |()| {
        web_sys::window().and_then(|window| window.match_media("(prefers-color-scheme: dark)").ok().flatten())
    });
    let system = {
        let query = Rc::clone(&query);
        use_state_eq(move || query.as_ref().as_ref().is_some_and(|query| query.matches()))
    };
    {
        let system = system.clone();
        use_effect_with((), move |()| {
            if let Some(query) = &*query {
                let watched = query.clone();
                let call = Closure::<dyn FnMut()>::new(move || system.set(watched.matches()));
                // The listener lives as long as the page, as does the query.
                let _ = query.add_event_listener_with_callback("change", call.as_ref().unchecked_ref());
                call.forget();
            }
        });
    }
    use_effect_with(theme, |theme| {
        let root = web_sys::window().and_then(|window| window.document()).and_then(|page| page.document_element());
        if let Some(root) = root {
            // Setting an attribute fails only for impossible names.
            let _ = root.set_attribute("data-theme", theme.name());
        }
    });
    match theme {
        ThemeChoice::Auto => *system,
        ThemeChoice::Light => false,
        ThemeChoice::Dark => true,
    }
}
