//! A document as text. The lines of the highlighted memory or layer are lit; the item at the caret is highlighted.

use super::controls::{passing, target};
use crate::app::widgets::pointing::highlight::{Subject, point_at, use_highlight};
use crate::form::{NamedItem, named_items};
use crate::lazy_module;
use std::ops::Range;
use std::rc::Rc;
use web_sys::{HtmlElement, HtmlTextAreaElement};
use yew::prelude::*;

/// Context: whether documents may be edited as text and files opened. Without it they may.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TextOffered(pub bool);

/// Whether documents may be edited as text here.
#[hook]
pub fn use_text_offered() -> bool {
    use_context::<TextOffered>().is_none_or(|offered| offered.0)
}

/// Functions whose code is fetched with the first text shown.
#[derive(Clone, Copy)]
pub struct TextCode {
    pub document_text: fn(&DocumentTextProps) -> Html,
}
lazy_module!(TextCode);

#[derive(Clone, Properties, PartialEq)]
pub struct DocumentTextProps {
    /// Accessible name: `Pool document`.
    pub label: &'static str,
    pub text: String,
    pub oninput: Callback<String>,
    /// Number of visible lines.
    pub rows: &'static str,
    pub testid: AttrValue,
    /// Receives the element.
    #[prop_or_default]
    pub area: NodeRef,
}

pub fn document_text(props: &DocumentTextProps) -> Html {
    html! { <DocumentText ..props.clone() /> }
}

/// An editable document.
#[component]
pub fn DocumentText(props: &DocumentTextProps) -> Html {
    let oninput = passing(&props.oninput, |event: InputEvent| Some(target::<HtmlTextAreaElement>(&event)?.value()));
    let items = use_memo(props.text.clone(), |text| named_items(text));
    let highlight = use_highlight();
    let lit = items.iter().find(|(item, _)| match item {
        NamedItem::Memory(name) => highlight.has_memory(name),
        NamedItem::Layer(name) => highlight.has_layer(name),
    });
    let lines = lit.map(|(_, lines)| (lines.start, lines.len()));
    // Set from here, as the content security policy forbids styles in the markup.
    use_effect_with((lines, props.area.clone()), |(lines, area)| {
        let Some((area, (first, count))) = area.cast::<HtmlElement>().zip(*lines) else { return };
        for (name, value) in [("--first", first), ("--count", count)] {
            // If a style cannot be set, the lines stay unlit.
            let _ = area.style().set_property(name, &value.to_string());
        }
    });
    let point = {
        let items = Rc::clone(&items);
        move |area: Option<HtmlTextAreaElement>| point_at(area.and_then(|area| subject_at(&area, &items)))
    };
    let onkeyup = {
        let point = point.clone();
        Callback::from(move |event: KeyboardEvent| point(target(&event)))
    };
    let onclick = Callback::from(move |event: MouseEvent| point(target(&event)));
    html! {
        <textarea
            ref={props.area.clone()}
            class={classes!("document", lit.is_some().then_some("lit"))}
            {onkeyup}
            {onclick}
            onblur={Callback::from(|_: FocusEvent| point_at(None))}
            value={props.text.clone()}
            {oninput}
            rows={props.rows}
            wrap="off"
            aria-label={props.label}
            spellcheck="false"
            autocomplete="off"
            data-testid={props.testid.clone()}
        />
    }
}

/// The item at the caret.
fn subject_at(area: &HtmlTextAreaElement, items: &[(NamedItem, Range<usize>)]) -> Option<Subject> {
    let caret = area.selection_start().ok()?? as usize;
    // The browser counts in UTF-16 code units.
    let line = area.value().encode_utf16().take(caret).filter(|unit| *unit == u16::from(b'\n')).count();
    items.iter().find(|(_, lines)| lines.contains(&line)).map(|(item, _)| match item {
        NamedItem::Memory(name) => Subject::memory(name),
        NamedItem::Layer(name) => Subject::layer(name),
    })
}

#[derive(Properties, PartialEq)]
pub struct FoldedTextProps {
    /// Kind of document: `pool`.
    pub of: &'static str,
    /// Accessible name: `Pool document`.
    pub label: &'static str,
    pub text: String,
    pub is_shown: bool,
    /// Called to show or to hide the text.
    pub onshow: Callback<bool>,
    pub oninput: Callback<String>,
}

/// A document behind a button that unfolds it, where texts are offered.
#[component]
pub fn FoldedText(props: &FoldedTextProps) -> Html {
    let FoldedTextProps { of, label, is_shown, .. } = *props;
    let is_offered = use_text_offered();
    let onclick = props.onshow.reform(move |_: MouseEvent| !is_shown);
    if !is_offered {
        return html! {};
    }
    html! {
        <>
            <button type="button" class="link" {onclick} aria-expanded={is_shown.to_string()} data-testid={format!("{of}-as-text")}>
                { if is_shown { format!("hide the {of}’s text") } else { format!("the {of} as text") } }
            </button>
            if is_shown {
                <DocumentText {label} text={props.text.clone()} oninput={props.oninput.clone()} rows="18"
                    testid={format!("{of}-text")} />
            }
        </>
    }
}
