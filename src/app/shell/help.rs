//! The help dialog: how to do the main tasks, and all keys.

use super::shortcuts::{SingleKeys, shortcuts};
use crate::app::platform::storage;
use crate::app::widgets::forms::controls::target;
use crate::app::widgets::words::dialog::Dialog;
use crate::app::widgets::words::glossary::Glossary;
use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct HelpProps {
    /// Whether keys without Ctrl are on.
    pub single_keys: SingleKeys,
    pub on_close: Callback<()>,
}

/// Tasks, and how to do them.
const TASKS: &[(&str, &str)] = &[
    (
        "Try a design",
        "Pick hardware and a network on the left. The landscape shows energy and latency for every tile size and \
         storing mode; the best is marked.",
    ),
    (
        "See why",
        "Click a cell: Schedule shows tile types, the memory of every operand and why it lies there, copies, energy and cycles by cause.",
    ),
    (
        "Change it",
        "Click a memory, the array or a layer and edit its numbers; “as text” shows the document itself. \
         Mistakes are told where they are. Ctrl Z takes anything back.",
    ),
    ("Cut stacks", "Click between two layers of the graph, or press C on a layer."),
    ("Compare", "Pin the design under Compare, then edit: every figure shows both, largest effects first."),
    (
        "Map one layer",
        "Mapping proves the best loop order; move loops and memory levels by hand and see what that costs.",
    ),
    (
        "Put cores together",
        "Cores cuts layers into tiles, proves which cores compute them, and shows who computes, sends and waits when. \
         Tick other cores by hand.",
    ),
    ("Check a paper", "Gallery recomputes published figures and tables, and says how far ours departs."),
    ("Bring your own", "Drop an ONNX model, YAML or ZigZag’s files on the page."),
    (
        "Hand it on",
        "Share copies a link that holds everything. Files saves the design as YAML and a report as Markdown. \
         Embed puts one live view into another page. “save” below every figure and table gives SVG and PNG, also for slides, CSV and JSON.",
    ),
    (
        "Present it",
        "On a large screen Present shows the results alone, in large letters; Page down and Page up lead through a lesson, or \
         through the last states of the design. What is printed is the view without its controls.",
    ),
];

/// Parts with keys of their own: part, keys, effect.
const PARTS: &[(&str, &[(&str, &str)])] = &[
    (
        "On a heatmap",
        &[
            ("← ↑ ↓ →", "another tile size"),
            ("Home End", "the narrowest, the widest"),
            ("Enter", "open it: why it costs that"),
            ("+ − 0", "zoom in, out, all"),
        ],
    ),
    (
        "On a layer of the graph",
        &[
            ("← ↑ ↓ →", "another layer"),
            ("Enter", "its fields"),
            ("C", "cut the stack after it, or join"),
            ("+ − 0", "zoom in, out, all"),
        ],
    ),
    (
        "On the timeline of many cores",
        &[
            ("← →", "earlier, later"),
            (", .", "the tile before, after"),
            ("↑ ↓", "a tile on another core"),
            ("Enter", "all that the tile has to do with"),
            ("+ − 0", "zoom in, out, all"),
        ],
    ),
    ("On a loop under “Change it by hand”", &[("↑ ↓", "another loop"), ("Alt ↑ ↓", "move it out, in")]),
    ("Everywhere", &[("Tab", "to the next control"), ("Escape", "close a dialog")]),
];

#[component]
pub fn Help(props: &HelpProps) -> Html {
    let is_on = use_state_eq(|| props.single_keys.get());
    let onchange = {
        let (is_on, single_keys) = (is_on.clone(), props.single_keys.clone());
        Callback::from(move |event: Event| {
            if let Some(field) = target::<HtmlInputElement>(&event) {
                single_keys.set(field.checked());
                storage::keep_single_keys(field.checked());
                is_on.set(field.checked());
            }
        })
    };
    let keys =
        |keys: &str, what: &str| html! { <><dt><kbd>{ keys.to_owned() }</kbd></dt><dd>{ what.to_owned() }</dd></> };
    html! {
        <Dialog title="How this page works" on_close={props.on_close.clone()} testid="help-dialog" is_wide=true>
            <div class="help">
                <section aria-label="What to do">
                    <dl class="tasks">
                        { for TASKS.iter().map(|(what, how)| html! { <><dt>{ *what }</dt><dd>{ *how }</dd></> }) }
                    </dl>
                    <Glossary />
                </section>
                <section aria-labelledby="keys-title">
                    <h3 id="keys-title">{ "Keys" }</h3>
                    <dl class={classes!("keys", (!*is_on).then_some("off"))}>
                        { for shortcuts().map(|shortcut| keys(shortcut.printed, &in_words(shortcut.does))) }
                    </dl>
                    <label class="check">
                        <input type="checkbox" checked={*is_on} {onchange} data-testid="single-keys" />
                        { "Keys without Ctrl are on" }
                    </label>
                    { for PARTS.iter().map(|(part, all)| html! {
                        <>
                            <h3>{ *part }</h3>
                            <dl class="keys">{ for all.iter().map(|(printed, what)| keys(printed, what)) }</dl>
                        </>
                    }) }
                </section>
            </div>
        </Dialog>
    }
}

/// `Schedule: the opened point in depth`
fn in_words((title, does): (Option<&'static str>, &'static str)) -> String {
    title.map_or_else(|| does.to_owned(), |title| format!("{title}: {does}"))
}
