//! Keys of the page, which work outside of text fields. Those without Ctrl can be switched off, for people who control
//! their computer by voice.

use super::address::listen;
use super::dialogs::OpenDialog;
use crate::app::platform::storage;
use crate::app::session::state::Event;
use crate::state::{Action, Tab, VIEWS, ViewField};
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, EventTarget, HtmlElement, KeyboardEvent};
use yew::prelude::*;

#[derive(Debug, Clone, Copy)]
pub enum KeyCommand {
    /// Takes back the last edit, or redoes it.
    Undo,
    /// Redoes the edit that was undone last.
    Redo,
    /// Shows a view.
    Tab(Tab),
    /// Pins the design to compare with.
    Pin,
    /// Opens a dialog.
    Dialog(OpenDialog),
    /// Moves the focus to an element: the first of these selectors, separated by bars, that has a match.
    Focus(&'static str),
}

/// A key and its command.
#[derive(Debug, Clone, Copy)]
pub struct Shortcut {
    /// The value of the event; capital letters stand for Ctrl.
    key: &'static str,
    /// In the help dialog.
    pub printed: &'static str,
    /// Description; for a view, first its title.
    pub does: (Option<&'static str>, &'static str),
    command: KeyCommand,
}

/// All keys, those of the views first.
pub fn shortcuts() -> impl Iterator<Item = Shortcut> {
    const DIGITS: &str = "123456789";
    let views = VIEWS.iter().enumerate().filter_map(|(index, view)| {
        let key = DIGITS.get(index..=index)?;
        Some(Shortcut { key, printed: key, does: (Some(view.title), view.shows), command: KeyCommand::Tab(view.tab) })
    });
    let other = |&(key, printed, does, command): &(_, _, _, _)| Shortcut { key, printed, does: (None, does), command };
    views.chain(SHORTCUTS.iter().map(other))
}

/// All keys except those of the views: value of the event, name, description, command.
const SHORTCUTS: &[(&str, &str, &str, KeyCommand)] = &[
    ("h", "H", "to the hardware", KeyCommand::Focus("[data-testid=hardware-preset]")),
    ("n", "N", "to the network", KeyCommand::Focus("[data-testid=workload-preset]")),
    ("t", "T", "to the schedule: tile sizes, modes, stacks", KeyCommand::Focus("[data-testid=tiles-x]")),
    ("g", "G", "to the graph of layers", KeyCommand::Focus("#design .graph [tabindex='0']")),
    ("r", "R", "to the results: the first heatmap, or the view", KeyCommand::Focus(".answers .heatmap|.answers")),
    ("p", "P", "pin the design, to compare with", KeyCommand::Pin),
    ("f", "F", "open and save files", KeyCommand::Dialog(OpenDialog::Files)),
    ("s", "S", "share: the link", KeyCommand::Dialog(OpenDialog::Share)),
    ("e", "E", "embed in another page", KeyCommand::Dialog(OpenDialog::Embed)),
    ("d", "D", "present: the results alone, in large letters", KeyCommand::Dialog(OpenDialog::Present)),
    ("?", "?", "this sheet", KeyCommand::Dialog(OpenDialog::Help)),
    ("Z", "Ctrl Z", "undo", KeyCommand::Undo),
    ("Y", "Ctrl Shift Z", "redo", KeyCommand::Redo),
];

/// Whether keys without Ctrl are on.
pub type SingleKeys = Rc<Cell<bool>>;

/// Listens for keys. `is_under_way`: whether the last edit was a keystroke, or a step of a drag
/// (`History::is_under_way`).
#[hook]
pub fn use_shortcuts(tell: &Callback<Event>, on_dialog: &Callback<OpenDialog>, is_under_way: bool) -> SingleKeys {
    let single_keys = use_memo((), |()| Cell::new(storage::single_keys()));
    // The field in which the browser undoes letter by letter: the one of the last input. After Enter, or after the page
    // has changed its text, the browser would restore outdated letters.
    let typing = use_mut_ref(|| None::<EventTarget>);
    let over = Rc::clone(&typing);
    use_effect_with(is_under_way, move |is_under_way| {
        if !is_under_way {
            *over.borrow_mut() = None;
        }
    });
    let (tell, on_dialog, are_on) = (tell.clone(), on_dialog.clone(), Rc::clone(&single_keys));
    use_effect_with((), move |()| {
        let typed = Rc::clone(&typing);
        listen("input", move |event: InputEvent| *typed.borrow_mut() = event.target());
        listen("keydown", move |event: KeyboardEvent| {
            if event.key() == "Enter" {
                *typing.borrow_mut() = None;
            }
            let is_typing = typing.borrow().is_some() && *typing.borrow() == event.target();
            let Some(command) = meant(&event, are_on.get(), is_typing) else { return };
            event.prevent_default();
            match command {
                KeyCommand::Undo => tell.emit(Event::Undo),
                KeyCommand::Redo => tell.emit(Event::Redo),
                KeyCommand::Tab(tab) => tell.emit(Event::Act(Action::Look(ViewField::Tab(tab)))),
                KeyCommand::Pin => tell.emit(Event::Act(Action::Pin)),
                KeyCommand::Dialog(shown) => on_dialog.emit(shown),
                KeyCommand::Focus(selectors) => focus(selectors),
            }
        });
    });
    single_keys
}

fn meant(event: &KeyboardEvent, single_keys: bool, is_typing: bool) -> Option<KeyCommand> {
    let is_command = (event.ctrl_key() || event.meta_key()) && !event.alt_key();
    let typed = event.key();
    let key = match typed.as_str() {
        "z" | "Z" if is_command && event.shift_key() => "Y",
        "z" | "Z" if is_command => "Z",
        "y" | "Y" if is_command => "Y",
        _ if is_command || event.alt_key() || !single_keys => return None,
        // A list jumps to the entry that begins with a letter.
        _ if is_in("select", event) => return None,
        key => key,
    };
    let is_letter = is_in("input[type=text]", event) && (is_typing || !is_command);
    // In a text the browser undoes letter by letter; a dialog covers the parts that would change.
    if is_letter || is_in("textarea, [contenteditable], dialog", event) {
        return None;
    }
    let key = if is_command { key.to_owned() } else { key.to_ascii_lowercase() };
    shortcuts().find(|shortcut| shortcut.key == key).map(|shortcut| shortcut.command)
}

fn is_in(selector: &str, event: &KeyboardEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    target.and_then(|target| target.closest(selector).ok().flatten()).is_some()
}

fn focus(selectors: &str) {
    let page = web_sys::window().and_then(|window| window.document());
    let find = |selector| page.as_ref().and_then(|page| page.query_selector(selector).ok().flatten());
    let element = selectors.split('|').find_map(find);
    if let Some(element) = element {
        element.scroll_into_view();
        // A group of an SVG can be focused like any element; an element that cannot have the focus is left alone.
        let _ = element.unchecked_into::<HtmlElement>().focus();
    }
}
