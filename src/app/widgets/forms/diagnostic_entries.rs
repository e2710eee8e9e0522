//! The entries of a list of diagnostics: place, reason, remedy.

use super::diagnostics::{DiagnosticListProps, prose};
use crate::spec::{Diagnostic, sentence};
use yew::prelude::*;

/// Limit on the entries shown.
const MOST: usize = 30;

/// Draws the list. Only `shell::pieces` may name it.
pub fn entries(props: &DiagnosticListProps) -> Html {
    let all = &props.diagnostics.0;
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
