//! The glossary of the page: the entry of one term, and the list of all.

use super::dialog::Dialog;
use crate::app::widgets::forms::controls::target;
use crate::app::widgets::forms::diagnostics::prose;
use crate::glossary::{Term, drawing, find, terms};
use web_sys::{Element, HtmlInputElement};
use yew::prelude::*;

/// The entry of a term beside an element. Only `shell::pieces` may name it.
pub fn entry(of: &'static str, beside: Option<Element>, on_close: Callback<()>) -> Html {
    html! { <Entry {of} {beside} {on_close} /> }
}

#[derive(Properties, PartialEq)]
struct EntryProps {
    of: &'static str,
    beside: Option<Element>,
    on_close: Callback<()>,
}

/// The entry of a term, with links to related terms.
#[component]
fn Entry(props: &EntryProps) -> Html {
    let of = use_state_eq(|| AttrValue::from(props.of));
    let Some(term) = find(&of) else { return html! {} };
    let beside = terms().into_iter().filter(|other| other.group == term.group && other.name != term.name);
    let other = |other: Term| {
        let (of, name) = (of.setter(), AttrValue::from(other.name));
        let onclick = Callback::from(move |_: MouseEvent| of.set(name.clone()));
        html! { <li><button type="button" class="link" {onclick}>{ other.name }</button></li> }
    };
    html! {
        <Dialog title={capital(term.name)} beside={props.beside.clone()} on_close={props.on_close.clone()} testid="term-entry">
            { explained(&term) }
            <h3>{ term.group }</h3>
            <ul class="terms">{ for beside.map(other) }</ul>
        </Dialog>
    }
}

/// Drawing, meaning and source of a term.
fn explained(term: &Term) -> Html {
    html! {
        <div class="meaning">
            { drawing(term.name).map(drawn) }
            <p>{ prose(term.meaning) }</p>
            if !term.source.is_empty() { <p class="source">{ &term.source }</p> }
        </div>
    }
}

/// All terms, filtered by the text typed.
#[component]
pub fn Glossary() -> Html {
    let wanted = use_state_eq(String::new);
    let oninput = {
        let wanted = wanted.setter();
        Callback::from(move |event: InputEvent| {
            if let Some(field) = target::<HtmlInputElement>(&event) {
                wanted.set(field.value().to_lowercase());
            }
        })
    };
    let all = terms();
    let is_wanted = |term: &&Term| {
        wanted.is_empty()
            || term.name.to_lowercase().contains(&*wanted)
            || term.meaning.to_lowercase().contains(&*wanted)
    };
    let found: Vec<&Term> = all.iter().filter(is_wanted).collect();
    let group = |group: &[&Term]| {
        html! {
            <>
                <h3>{ group.first().map_or("", |term| term.group) }</h3>
                <dl>
                    { for group.iter().map(|term| html! { <><dt>{ term.name }</dt><dd>{ explained(term) }</dd></> }) }
                </dl>
            </>
        }
    };
    html! {
        <section class="glossary" aria-labelledby="glossary-title" data-testid="glossary">
            <h3 id="glossary-title">{ "Terms" }</h3>
            <label class="field"><span>{ "Find" }</span><input type="text" {oninput} autocomplete="off" data-testid="find-term" /></label>
            if found.is_empty() { <p class="hint">{ "No term holds that." }</p> }
            { for found.chunk_by(|a, b| a.group == b.group).map(group) }
        </section>
    }
}

fn drawn(marks: &str) -> Html {
    let drawing = format!(r#"<svg class="drawing" viewBox="0 0 160 64" aria-hidden="true">{marks}</svg>"#);
    Html::from_html_unchecked(drawing.into())
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
