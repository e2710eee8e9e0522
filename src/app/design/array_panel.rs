//! The PE array and its unrolling, as fields.

use crate::app::widgets::forms::form::{CellField, DocumentForm};
use crate::app::widgets::forms::form_field::{Chip, FormField, WrongHere, listed_field};
use crate::form::{
    FieldTarget, VECTOR_UNIT_FIELDS, add_dimension, add_vector_unit, array_fields, is_systolic, remove_dimension,
    set_systolic,
};
use crate::workload::LayerKind;
use yew::prelude::*;

const VECTOR_UNIT: &str = "vector_unit";

/// Document paths shown by the panel.
pub const ARRAY_PATHS: [&str; 6] = ["name", "clock", "array", "unroll", "dataflow", "vector_unit"];

#[derive(Clone, Properties, PartialEq)]
pub struct ArrayPanelProps {
    pub form: DocumentForm,
}

/// The fields of the PE array. Only `shell::pieces` may name it.
pub fn array_panel(props: ArrayPanelProps) -> Html {
    html! { <ArrayPanel ..props /> }
}

/// The PE array as fields.
#[component]
fn ArrayPanel(props: &ArrayPanelProps) -> Html {
    let form = &props.form;
    let dimensions = form.document.keys("array.dimensions");
    let fields = || array_fields(&form.document);
    let shown: Vec<&str> = fields().map(|field| field.name).chain(["systolic"]).collect();
    let rest = form.wrong_besides("array", &shown);
    html! {
        <div class="panel" role="group" aria-label="PE array" data-testid="array-panel">
            <div class="fields">
                <FormField
                    form={form.clone()}
                    place={FieldTarget::value("name")}
                    label="Name"
                    hint="What the accelerator is called."
                    testid="hardware-name"
                />
                <FormField
                    form={form.clone()}
                    place={FieldTarget::optional("dataflow")}
                    label="Dataflow"
                    hint="A name that a layer's own unrolling may refer to."
                    example="none"
                    testid="dataflow"
                />
                <FormField
                    form={form.clone()}
                    place={FieldTarget::optional("clock")}
                    label="Clock"
                    hint="Clock frequency, in MHz, GHz or kHz: it gives seconds, power and TOPS/W, and leakage its energy."
                    example="not stated"
                    testid="clock"
                />
                { for fields().map(|field| listed_field(form, "array", field)) }
                { systolic(form, &dimensions) }
            </div>
            <div class="scroll unrolling">
                <table>
                    <caption>
                        { "Array dimensions, their numbers of PEs, and the loop that each layer type unrolls over them: " }
                        <code>{ "K" }</code>{ ", at most 16 of it: " }<code>{ "K 16" }</code>
                        { ", or several: " }<code>{ "FY 5, OY 2" }</code>
                    </caption>
                    <thead>
                        <tr>
                            <th scope="row">{ "name" }</th>
                            { for (0..dimensions.len()).map(|index| dimension_name(form, index)) }
                        </tr>
                        <tr>
                            <th scope="row">{ "PEs" }</th>
                            { for dimensions.iter().enumerate().map(|(index, name)| dimension_size(form, index, name)) }
                        </tr>
                    </thead>
                    <tbody>
                        { for unrolled_kinds().map(|kind| unrolled_row(form, kind, &dimensions)) }
                    </tbody>
                    <tfoot>
                        <tr>
                            <th scope="row"><span class="sr-only">{ "remove" }</span></th>
                            { for dimensions.iter().enumerate().map(|(index, name)| {
                                remove_cell(form, index, name, dimensions.len())
                            }) }
                        </tr>
                    </tfoot>
                </table>
            </div>
            <div class="row">
                <button type="button" class="small" onclick={form.click(add_dimension)} data-testid="dimension-add">
                    { "Add an array dimension" }
                </button>
                if !form.document.has(VECTOR_UNIT) {
                    <button
                        type="button"
                        class="small"
                        title="Lanes beside the array that compute softmax, normalisation, activations, additions and pooling"
                        onclick={form.click(add_vector_unit)}
                        data-testid="vector-unit-add"
                    >
                        { "Add a vector unit" }
                    </button>
                }
            </div>
            <WrongHere form={form.clone()} wrong={[rest, form.wrong_at("unroll")].concat()} />
            if form.document.has(VECTOR_UNIT) { { vector_unit(form) } }
        </div>
    }
}

/// The fields of the vector unit.
fn vector_unit(form: &DocumentForm) -> Html {
    let shown = VECTOR_UNIT_FIELDS.map(|field| field.name);
    html! {
        <div role="group" aria-label="Vector unit" data-testid="vector-unit-fields">
            <h4>{ "Vector unit" }</h4>
            <div class="fields">
                { for VECTOR_UNIT_FIELDS.iter().map(|field| listed_field(form, VECTOR_UNIT, field)) }
            </div>
            <p class="hint">{ "Its registers, and what its operations cost, are edited as text." }</p>
            <button
                type="button"
                class="small"
                onclick={form.click(|document| document.remove(VECTOR_UNIT))}
                data-testid="vector-unit-remove"
            >
                { "Remove the vector unit" }
            </button>
            <WrongHere form={form.clone()} wrong={form.wrong_besides(VECTOR_UNIT, &shown)} />
        </div>
    }
}

/// Which array dimensions are systolic.
fn systolic(form: &DocumentForm, dimensions: &[String]) -> Html {
    let chip = |dimension: &String| {
        let is_on = is_systolic(&form.document, dimension);
        let testid = format!("systolic-{dimension}");
        let title = format!("Data moves one PE a cycle along {dimension}");
        let label = dimension.clone();
        let dimension = dimension.clone();
        let onclick = form.click(move |document| set_systolic(document, &dimension, !is_on));
        html! { <Chip {label} {title} {is_on} {onclick} {testid} /> }
    };
    html! {
        <div class="cell">
            <span class="name" title="Array dimensions along which data moves one PE a cycle; along the others it is broadcast.">
                { "Systolic" }
            </span>
            <span class="chips" role="group" aria-label="Systolic array dimensions">{ for dimensions.iter().map(chip) }</span>
            <WrongHere form={form.clone()} wrong={form.wrong_at("array.systolic")} />
        </div>
    }
}

/// Layer types that can be unrolled over the array: those with multiply-accumulates.
fn unrolled_kinds() -> impl Iterator<Item = LayerKind> {
    let on_array = |kind: &LayerKind| !matches!(kind, LayerKind::Input | LayerKind::View) && !kind.needs_vector_unit();
    LayerKind::ALL.into_iter().filter(on_array)
}

fn dimension_name(form: &DocumentForm, index: usize) -> Html {
    html! {
        <td key={index}>
            <CellField
                form={form.clone()}
                place={FieldTarget::Dimension(index)}
                label={format!("Name of array dimension {}", index + 1)}
                testid={format!("dimension-{index}-name")}
            />
        </td>
    }
}

fn dimension_size(form: &DocumentForm, index: usize, name: &str) -> Html {
    html! {
        <td key={index}>
            <CellField
                form={form.clone()}
                place={FieldTarget::value(format!("array.dimensions[{index}]"))}
                label={format!("PEs along {name}")}
                hint="How many PEs lie along this dimension"
                testid={format!("dimension-{index}-size")}
            />
        </td>
    }
}

fn unrolled_row(form: &DocumentForm, kind: LayerKind, dimensions: &[String]) -> Html {
    let cell = |(index, name): (usize, &String)| {
        html! {
            <td key={index}>
                <CellField
                    form={form.clone()}
                    place={FieldTarget::Unrolled(kind.name(), name.clone())}
                    label={format!("Loop of {} unrolled over {name}", kind.name())}
                    example="–"
                    testid={format!("unroll-{}-{index}", kind.name())}
                />
            </td>
        }
    };
    html! {
        <tr key={kind.name()}>
            <th scope="row">{ kind.name() }</th>
            { for dimensions.iter().enumerate().map(cell) }
        </tr>
    }
}

fn remove_cell(form: &DocumentForm, index: usize, name: &str, count: usize) -> Html {
    html! {
        <td key={index}>
            <button
                type="button"
                class="small"
                title={format!("Remove the array dimension {name}")}
                aria-label={format!("Remove the array dimension {name}")}
                disabled={count <= 1}
                onclick={form.click(move |document| remove_dimension(document, index))}
                data-testid={format!("dimension-{index}-remove")}
            >
                { "×" }
            </button>
        </td>
    }
}
