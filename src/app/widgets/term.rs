//! Terms of the papers with a quiet hint: a click, a touch or Enter opens the entry of the glossary.

use super::controls::target;
use crate::app::platform::pieces::late;
use crate::piece;
use web_sys::Element;
use yew::prelude::*;

/// Functions whose code is fetched when a term is first opened.
#[derive(Clone, Copy)]
pub struct GlossaryParts {
    /// Draws the entry of a term beside an element; the callback hears that it was closed.
    pub entry: fn(&'static str, Option<Element>, Callback<()>) -> Html,
}
piece!(GlossaryParts);

/// Properties of [`Term`].
#[derive(Properties, PartialEq)]
pub struct TermProps {
    /// The word by which the glossary finds it.
    pub of: &'static str,
    /// What stands on the page.
    pub text: AttrValue,
}

/// A word with its entry behind it.
#[component]
pub fn Term(props: &TermProps) -> Html {
    let shown = use_state(|| None::<Option<Element>>);
    let onclick = {
        let shown = shown.setter();
        Callback::from(move |event: MouseEvent| {
            // A term may be the name of a field, which the click would go on to.
            event.prevent_default();
            shown.set(Some(target::<Element>(&event)));
        })
    };
    let on_close = {
        let shown = shown.setter();
        use_callback((), move |(): (), ()| shown.set(None))
    };
    let of = props.of;
    let entry = (*shown)
        .clone()
        .map(|beside| late(move |parts: GlossaryParts| (parts.entry)(of, beside.clone(), on_close.clone())));
    // There even while it is empty, so that the button stays the element that the entry stands beside.
    let entry = html! { <span class="entry">{ entry }</span> };
    html! {
        <>
            <button type="button" class="term" aria-haspopup="dialog" title="What it means" {onclick}>{ props.text.clone() }</button>
            { entry }
        </>
    }
}

/// A text whose terms, written `[stacks|stack]` or `[stack]`, have their entries behind them.
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
