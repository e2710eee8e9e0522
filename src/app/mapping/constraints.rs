//! The document of constraints on mappings, which restricts the search.

use crate::app::widgets::forms::diagnostics::DiagnosticList;
use crate::app::widgets::forms::document_text::{DocumentText, use_text_offered};
use crate::app::widgets::words::term::termed;
use crate::explore::{Keep, LayerFacts, TemporalMapping};
use crate::question::{ConstrainedOutcome, Refusal};
use crate::spec::{ConstraintsSpec, EvenSpec, LayerConstraintsSpec, write_constraints};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ConstraintsProps {
    /// Empty for no constraints.
    pub text: String,
    pub facts: Rc<LayerFacts>,
    /// The mapping that is shown.
    pub mapping: TemporalMapping,
    /// The mappings that the document allows, once known.
    pub allowed: Option<Result<ConstrainedOutcome, Refusal>>,
    pub oninput: Callback<String>,
}

/// The document, templates for it, and its errors. The effect of the document is shown by the view.
#[component]
pub fn Constraints(props: &ConstraintsProps) -> Html {
    let is_offered = use_text_offered();
    let is_empty = props.text.trim().is_empty();
    if is_empty && !is_offered {
        return html! {};
    }
    let oninput = &props.oninput;
    let outcome = match &props.allowed {
        _ if is_empty => html! {},
        None => html! { <p class="hint" role="status">{ "Working it out …" }</p> },
        Some(Err(refusal)) => wrong(refusal.clone().into_diagnostics()),
        Some(Ok(Err(diagnostics))) => wrong(diagnostics.clone()),
        Some(Ok(Ok(None))) => html! { <p class="hint">{ "The document says nothing of this layer." }</p> },
        Some(Ok(Ok(Some(_)))) => html! {},
    };
    let status = if is_empty || props.allowed.is_some() { "done" } else { "running" };
    html! {
        <section class="card" aria-labelledby="constraints-title" data-testid="constraints" data-status={status}>
            <h2 id="constraints-title">{ "Constraints" }</h2>
            <p class="hint">
                { "A document says which mappings a search may take: what the array unrolls, the order of loops, what \
                   memories hold, whether operands end together in a memory that they share. " }
                <code>{ "fusescape layer --constraints FILE" }</code>{ " takes the same document." }
            </p>
            if is_empty {
                <p class="hint">
                    { termed("In an [even mapping|even] all operands of a memory end there at the same loop. ") }
                    <code>{ "even: stationary" }</code>
                    { " is ZigZag's meaning of it: a memory may still hold one of them through the loops right outside, as \
                       far as these only keep it in place." }
                </p>
                <div class="row start">
                    { for Keep::ALL.map(|keep| beginning(props, keep)) }
                    <button type="button" onclick={oninput.reform(|_: MouseEvent| even_mappings())}
                        data-testid="even-only">
                        { "only even mappings" }
                    </button>
                </div>
            } else if is_offered {
                <DocumentText label="Constraint document" text={props.text.clone()} oninput={oninput.clone()}
                    rows="10" testid="constraints-text" />
                <button type="button" onclick={oninput.reform(|_: MouseEvent| String::new())} data-testid="unconstrain">
                    { "search without constraints" }
                </button>
            }
            { outcome }
        </section>
    }
}

fn wrong(diagnostics: crate::spec::Diagnostics) -> Html {
    html! { <DiagnosticList {diagnostics} testid="constraint-errors" /> }
}

/// A document that asks for even mappings of all layers.
fn even_mappings() -> String {
    let every = LayerConstraintsSpec { even: Some(EvenSpec::Stationary), ..LayerConstraintsSpec::default() };
    let name = "Even mappings".to_owned();
    write_constraints(&ConstraintsSpec { name, layers: vec![every], ..ConstraintsSpec::default() })
}

/// A button that writes a first document, from the mapping that is shown.
fn beginning(props: &ConstraintsProps, keep: Keep) -> Html {
    let (label, testid) = match keep {
        Keep::Unrolling => ("keep this unrolling", "keep-unrolling"),
        Keep::Order => ("keep this order of loops", "keep-order"),
        Keep::Levels => ("keep what memories hold", "keep-levels"),
    };
    let (facts, mapping) = (Rc::clone(&props.facts), props.mapping.clone());
    let onclick = props.oninput.reform(move |_: MouseEvent| write_constraints(&keep.of(&facts, &mapping)));
    html! { <button type="button" {onclick} data-testid={testid}>{ label }</button> }
}
