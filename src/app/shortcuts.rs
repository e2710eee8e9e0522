//! Keys that work wherever nobody types: Ctrl+Z, Ctrl+Shift+Z, Ctrl+Y.

use super::address::listen;
use super::state::Event;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};
use yew::prelude::*;

/// Listens for undo and redo.
#[hook]
pub fn use_shortcuts(tell: &Callback<Event>) {
    let tell = tell.clone();
    use_effect_with((), move |()| {
        listen("keydown", move |event: KeyboardEvent| {
            let is_command = (event.ctrl_key() || event.meta_key()) && !event.alt_key();
            let wanted = match event.key().as_str() {
                "z" | "Z" if event.shift_key() => Event::Redo,
                "z" | "Z" => Event::Undo,
                "y" | "Y" => Event::Redo,
                _ => return,
            };
            // In a field the browser undoes letter by letter; a dialog is in front of what would change.
            if is_command && !is_in("input[type=text], textarea, [contenteditable], dialog", &event) {
                event.prevent_default();
                tell.emit(wanted);
            }
        });
    });
}

fn is_in(selector: &str, event: &KeyboardEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    target.and_then(|target| target.closest(selector).ok().flatten()).is_some()
}
