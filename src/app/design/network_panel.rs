//! The fields common to all layers of a network: name, batch, precision.

use crate::app::widgets::forms::form::DocumentForm;
use crate::app::widgets::forms::form_field::{FormField, WrongHere};
use crate::form::{Field, FieldTarget, PRECISION_FIELDS};
use yew::prelude::*;

/// Draws the fields. Only `shell::pieces` may name it.
pub fn network_panel(form: &DocumentForm) -> Html {
    let field = |name: &'static str, label: &'static str, hint: &'static str, is_optional: bool| {
        let place = FieldTarget::Value { path: name.to_owned(), is_optional };
        let (example, testid) = (if is_optional { "1" } else { "" }, format!("network-{name}"));
        html! { <FormField form={form.clone()} {place} {label} {hint} {example} {testid} /> }
    };
    html! {
        <div class="panel" role="group" aria-label="Network" data-testid="network-panel">
            <div class="fields">
                { field("name", "Name", "What the network is called.", false) }
                { field("batch", "Batch", "Images processed at once.", true) }
                { precision(form, "precision") }
            </div>
        </div>
    }
}

/// Bits per element of each operand, for the network or for one layer.
pub fn precision(form: &DocumentForm, path: &str) -> Html {
    let fields: Vec<&str> = PRECISION_FIELDS.iter().map(|field| field.name).collect();
    let field = |field: &Field| {
        html! {
            <FormField
                key={field.name}
                form={form.clone()}
                place={FieldTarget::optional(format!("{path}.{}", field.name))}
                label={field.label}
                hint={field.hint}
                example={if path == "precision" { field.example } else { "all" }}
                testid={format!("precision-{}", field.name)}
            />
        }
    };
    html! {
        <fieldset class="precision">
            <legend title="Bits per element; of a layer, where they differ from those of the network">{ "Precision, bit" }</legend>
            { for PRECISION_FIELDS.iter().map(field) }
            <WrongHere form={form.clone()} wrong={form.wrong_besides(path, &fields)} />
        </fieldset>
    }
}
