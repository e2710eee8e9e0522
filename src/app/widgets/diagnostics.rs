//! What is wrong, as a list: place, reason, remedy.

use super::form::Form;
use crate::spec::{Diagnostic, Diagnostics, in_quotes, quoted_parts, sentence};
use yew::prelude::*;

/// Properties of [`DiagnosticList`].
#[derive(Properties, PartialEq)]
pub struct DiagnosticListProps {
    /// What is wrong.
    pub diagnostics: Diagnostics,
    /// Called with a click on a line number.
    #[prop_or_default]
    pub on_line: Option<Callback<usize>>,
    /// Called with a click on a path.
    #[prop_or_default]
    pub on_path: Option<Callback<String>>,
    /// What can be repaired.
    #[prop_or_default]
    pub form: Option<Form>,
    /// Identifies the list in tests.
    pub testid: &'static str,
}

/// Limit on the entries that are shown.
const MOST: usize = 30;

/// A list of diagnostics; nothing is drawn for an empty one.
#[component]
pub fn DiagnosticList(props: &DiagnosticListProps) -> Html {
    let all = &props.diagnostics.0;
    if all.is_empty() {
        return html! {};
    }
    let entry = |diagnostic: &Diagnostic| {
        let line = diagnostic.line.map(|line| match &props.on_line {
            Some(on_line) => {
                let onclick = on_line.reform(move |_: MouseEvent| line);
                html! { <button type="button" class="link" {onclick}>{ format!("line {line}") }</button> }
            }
            None => html! { <span>{ format!("line {line}") }</span> },
        });
        let path = (!diagnostic.path.is_empty()).then(|| match &props.on_path {
            Some(on_path) => {
                let path = diagnostic.path.clone();
                let onclick = on_path.reform(move |_: MouseEvent| path.clone());
                html! { <button type="button" class="link" {onclick}><code>{ &diagnostic.path }</code></button> }
            }
            None => html! { <code>{ &diagnostic.path }</code> },
        });
        let repair = props.form.as_ref().and_then(|form| form.repair(diagnostic)).map(|(title, onclick)| {
            html! { <button type="button" class="link" {onclick} data-testid="repair">{ prose(&title) }</button> }
        });
        html! {
            <li>
                if line.is_some() || path.is_some() {
                    <div class="place">{ line }{ path }</div>
                }
                <div>{ prose(&sentence(&diagnostic.reason)) }</div>
                <div class="remedy">{ prose(&sentence(&diagnostic.remedy)) }{ " " }{ repair }</div>
            </li>
        }
    };
    html! {
        <div role="alert" tabindex="-1" data-testid={props.testid}>
            <ul class="diagnostics">
                { for all.iter().take(MOST).map(entry) }
                if all.len() > MOST {
                    <li>{ format!("… and {} more", all.len() - MOST) }</li>
                }
            </ul>
        </div>
    }
}

/// A text in which words of documents, which stand in backticks, look like such.
pub fn prose(text: &str) -> Html {
    let part = |(is_quoted, part): (bool, &str)| {
        if is_quoted {
            html! { <code>{ part }</code> }
        } else {
            html! { part }
        }
    };
    quoted_parts(text).into_iter().map(part).collect()
}

/// Reasons and remedies as running text.
pub fn sentences(diagnostics: &Diagnostics) -> String {
    diagnostics.0.iter().map(|diagnostic| in_quotes(&diagnostic.sentences())).collect::<Vec<_>>().join(" ")
}

/// The diagnostics whose path begins with `section` and a dot, without that.
pub fn section(diagnostics: &Diagnostics, section: &str) -> Diagnostics {
    let inside = |diagnostic: &Diagnostic| {
        let path = diagnostic.path.strip_prefix(section)?;
        let path = path.strip_prefix('.').or(path.is_empty().then_some(path))?;
        Some(Diagnostic { path: path.to_owned(), ..diagnostic.clone() })
    };
    Diagnostics(diagnostics.0.iter().filter_map(inside).collect())
}
