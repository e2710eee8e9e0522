//! Terms of the papers: a click, a touch or Enter opens the entry of the glossary.

use crate::app::platform::lazy_modules::late;
use crate::lazy_module;
use web_sys::Element;
use yew::prelude::*;

/// Functions whose code is fetched when a term is first opened.
#[derive(Clone, Copy)]
pub struct GlossaryCode {
    /// Draws the entry of a term beside an element; the callback is called when it is closed.
    pub entry: fn(&'static str, Option<Element>, Callback<()>) -> Html,
}
lazy_module!(GlossaryCode);

#[derive(Properties, PartialEq)]
pub struct TermProps {
    /// The word by which the glossary finds it.
    pub of: &'static str,
    pub text: AttrValue,
}

/// A word with a link to its entry in the glossary.
#[component]
pub fn Term(props: &TermProps) -> Html {
    let is_open = use_state_eq(|| false);
    let button = use_node_ref();
    let onclick = {
        let is_open = is_open.clone();
        Callback::from(move |event: MouseEvent| {
            // Within a label, the click would otherwise go on to the field.
            event.prevent_default();
            is_open.set(true);
        })
    };
    let entry = is_open.then(|| {
        let (of, button, is_open) = (props.of, button.clone(), is_open.clone());
        late(move |parts: GlossaryCode| {
            let is_open = is_open.clone();
            (parts.entry)(of, button.cast::<Element>(), Callback::from(move |()| is_open.set(false)))
        })
    });
    // Kept even while empty, so that the button stays the same element, which the entry is beside.
    let entry = html! { <span class="entry">{ entry }</span> };
    html! {
        <>
            <button ref={button} type="button" class="term" aria-haspopup="dialog" title="What it means" {onclick}>
                { props.text.clone() }
            </button>
            { entry }
        </>
    }
}

/// A text in which `[stacks|stack]` and `[stack]` are links to the glossary.
pub fn termed(text: &'static str) -> Html {
    let part = |(index, part): (usize, &'static str)| match part.split_once(']').filter(|_| index > 0) {
        None => html! { { part } },
        Some((term, rest)) => {
            let (text, of) = term.split_once('|').unwrap_or((term, term));
            html! { <><Term {of} {text} />{ rest }</> }
        }
    };
    text.split('[').enumerate().map(part).collect()
}
