//! Lists of diagnostics: place, reason, remedy.

use super::form::DocumentForm;
use crate::app::platform::lazy_modules::late;
use crate::lazy_module;
use crate::spec::{Diagnostic, Diagnostics, in_quotes, quoted_parts};
use yew::prelude::*;

/// Functions whose code is fetched with the first diagnostic.
#[derive(Clone, Copy)]
pub struct DiagnosticCode {
    pub list: fn(&DiagnosticListProps) -> Html,
}
lazy_module!(DiagnosticCode);

#[derive(Properties, PartialEq, Clone)]
pub struct DiagnosticListProps {
    pub diagnostics: Diagnostics,
    /// Called with a click on a line number.
    #[prop_or_default]
    pub on_line: Option<Callback<usize>>,
    /// Called with a click on a path.
    #[prop_or_default]
    pub on_path: Option<Callback<String>>,
    /// The document that proposed fixes are applied to; `None` offers no fixes.
    #[prop_or_default]
    pub form: Option<DocumentForm>,
    pub testid: &'static str,
}

/// A list of diagnostics; nothing is drawn for an empty one.
#[component]
pub fn DiagnosticList(props: &DiagnosticListProps) -> Html {
    if props.diagnostics.0.is_empty() {
        return html! {};
    }
    let props = props.clone();
    late(move |parts: DiagnosticCode| (parts.list)(&props))
}

/// A text whose words in backticks are set as code.
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

/// Reasons and remedies as one text.
pub fn sentences(diagnostics: &Diagnostics) -> String {
    diagnostics.0.iter().map(|diagnostic| in_quotes(&diagnostic.sentences())).collect::<Vec<_>>().join(" ")
}

/// The diagnostics whose path begins with `section.`, with that prefix removed.
pub fn section(diagnostics: &Diagnostics, section: &str) -> Diagnostics {
    let inside = |diagnostic: &Diagnostic| {
        let path = diagnostic.path.strip_prefix(section)?;
        let path = path.strip_prefix('.').or(path.is_empty().then_some(path))?;
        Some(Diagnostic { path: path.to_owned(), ..diagnostic.clone() })
    };
    Diagnostics(diagnostics.0.iter().filter_map(inside).collect())
}
