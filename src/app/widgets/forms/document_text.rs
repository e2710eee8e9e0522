//! A document as text. The lines of the memory or layer that is pointed at anywhere are lit; where the caret is, that is pointed at.

use super::controls::{passing, target};
use crate::app::widgets::pointing::highlight::{Subject, point_at, use_highlight};
use crate::form::{NamedItem, named_items};
use crate::piece;
use std::ops::Range;
use std::rc::Rc;
use web_sys::{HtmlElement, HtmlTextAreaElement};
use yew::prelude::*;

/// Whether a person may write documents as text, and open files; a context, without which they may.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TextOffered(pub bool);

/// Whether a person may write documents as text here.
#[hook]
pub fn use_text_offered() -> bool {
    use_context::<TextOffered>().is_none_or(|offered| offered.0)
}

/// The function whose code is fetched with the first text that is shown.
#[derive(Clone, Copy)]
pub struct TextParts {
    /// Draws a text.
    pub document_text: fn(&DocumentTextProps) -> Html,
}
piece!(TextParts);

/// What a [`DocumentText`] needs.
#[derive(Clone, Properties, PartialEq)]
pub struct DocumentTextProps {
    /// What it is, for people who do not see it: `Pool document`.
    pub label: &'static str,
    /// The text.
    pub text: String,
    /// Hears of the text with every keystroke.
    pub oninput: Callback<String>,
    /// Lines that are seen at once.
    pub rows: &'static str,
    /// Identifies the element for tests.
    pub testid: AttrValue,
    /// Where the element is put.
    #[prop_or_default]
    pub area: NodeRef,
}

/// A [`DocumentText`].
pub fn document_text(props: &DocumentTextProps) -> Html {
    html! { <DocumentText ..props.clone() /> }
}

/// The text of a document, which a person may edit.
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
    // Not in the markup, where the page forbids styles.
    use_effect_with((lines, props.area.clone()), |(lines, area)| {
        let Some((area, (first, count))) = area.cast::<HtmlElement>().zip(*lines) else { return };
        for (name, value) in [("--first", first), ("--count", count)] {
            // Lines stay unlit where that fails.
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

/// What the caret stands in.
fn subject_at(area: &HtmlTextAreaElement, items: &[(NamedItem, Range<usize>)]) -> Option<Subject> {
    let caret = area.selection_start().ok()?? as usize;
    // The page counts in units of UTF-16.
    let line = area.value().encode_utf16().take(caret).filter(|unit| *unit == u16::from(b'\n')).count();
    items.iter().find(|(_, lines)| lines.contains(&line)).map(|(item, _)| match item {
        NamedItem::Memory(name) => Subject::memory(name),
        NamedItem::Layer(name) => Subject::layer(name),
    })
}

/// What a [`FoldedText`] needs.
#[derive(Properties, PartialEq)]
pub struct FoldedTextProps {
    /// What the document describes: `pool`.
    pub of: &'static str,
    /// What it is, for people who do not see it: `Pool document`.
    pub label: &'static str,
    /// The text.
    pub text: String,
    /// Whether it is shown.
    pub is_shown: bool,
    /// Hears that it is to be shown, or hidden.
    pub onshow: Callback<bool>,
    /// Hears of the text with every keystroke.
    pub oninput: Callback<String>,
}

/// The text of a document behind a button, where texts are offered.
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
