//! One memory of the hardware, as fields.

use super::port_table::PortTable;
use crate::app::widgets::forms::form::DocumentForm;
use crate::app::widgets::forms::form_field::{Chip, FormField, WrongHere, listed_field};
use crate::chart::group_thousands;
use crate::form::{
    Field, FieldTarget, MEMORY_FIELDS, MemoryBox, ReadWriteNumber, add_memory, duplicate_memory, estimated_figure,
    is_shared_over, merge, read_write_number, remove_memory, set_operand, set_shared_over, split,
};
use crate::hardware::Operand;
use crate::spec::edit::Outline;
use yew::prelude::*;

#[derive(Clone, Properties, PartialEq)]
pub struct MemoryPanelProps {
    pub form: DocumentForm,
    pub memory: MemoryBox,
    /// Whether it is the highest memory.
    pub is_highest: bool,
    /// Called with the memory to show after an edit, if any.
    pub on_select: Callback<Option<usize>>,
}

/// The fields of a memory. Only `shell::pieces` may name it.
pub fn memory_panel(props: MemoryPanelProps) -> Html {
    let key = props.memory.index;
    html! { <MemoryPanel {key} ..props /> }
}

/// One memory, as fields.
#[component]
fn MemoryPanel(props: &MemoryPanelProps) -> Html {
    let MemoryPanelProps { form, memory, .. } = props;
    let index = memory.index;
    let path = format!("memories[{index}]");
    let field = |name: &str| {
        let field = MEMORY_FIELDS.iter().find(|field| field.name == name)?;
        Some(match estimated_figure(&form.document, index, name) {
            Some(figure) => estimated_field(form, &path, field, figure),
            None => listed_field(form, &path, field),
        })
    };
    // Errors of fields that this panel does not show.
    let rest = form.wrong_besides(&path, &SHOWN);
    html! {
        <div class="panel" role="group" aria-label={format!("Memory {}", memory.name)} data-testid="memory-panel">
            <WrongHere form={form.clone()} wrong={rest} />
            <div class="fields">
                <FormField
                    form={form.clone()}
                    place={FieldTarget::Memory(index)}
                    label="Name"
                    hint="What the memory is called; no two have the same name."
                    testid="memory-name"
                />
                { operands(form, index) }
                { field("size") }
                { field("area") }
                { width(form, index, props.is_highest) }
                { granularity(form, index) }
                { field("read_energy") }
                { field("write_energy") }
                { field("estimate") }
                { replication(form, memory) }
                { field("latency") }
                { field("burst") }
                { field("double_buffered") }
                { field("leakage") }
                { field("source") }
            </div>
            <PortTable form={form.clone()} memory={index} operands={memory.operands.clone()} />
            { buttons(props) }
        </div>
    }
}

/// The fields of a memory that this panel shows.
const SHOWN: [&str; 20] = [
    "name",
    "operands",
    "size",
    "area",
    "width",
    "read_width",
    "write_width",
    "granularity",
    "read_granularity",
    "write_granularity",
    "read_energy",
    "write_energy",
    "estimate",
    "shared_over",
    "latency",
    "burst",
    "double_buffered",
    "leakage",
    "ports",
    "source",
];

/// A number that may be left out; `figure` is the estimate used then.
fn estimated_field(form: &DocumentForm, path: &str, field: &Field, figure: String) -> Html {
    let path = format!("{path}.{}", field.name);
    let is_stated = form.document.has(&path);
    html! {
        <FormField
            key={field.name}
            form={form.clone()}
            place={FieldTarget::optional(path)}
            label={if is_stated { field.label.to_owned() } else { format!("{} (estimate)", field.label) }}
            hint={field.hint}
            example={figure}
            testid={field.name}
        />
    }
}

fn operands(form: &DocumentForm, index: usize) -> Html {
    let path = format!("memories[{index}].operands");
    let held = form.document.names(&path);
    let chip = |operand: Operand| {
        let letter = operand.to_string();
        let is_on = held.contains(&letter);
        html! {
            <Chip
                label={letter.clone()}
                title={format!("Holds {}", name_of(operand))}
                {is_on}
                onclick={form.click(move |document| set_operand(document, index, operand, !is_on))}
                look={["W", "I", "O"][operand as usize]}
                testid={format!("holds-{letter}")}
            />
        }
    };
    html! {
        <div class="cell">
            <span class="name" title="What it holds: loops of these operands are allocated to it.">{ "Holds" }</span>
            <span class="chips" role="group" aria-label="Operands held">{ for Operand::ALL.into_iter().map(chip) }</span>
            <WrongHere form={form.clone()} wrong={form.wrong_at(&path)} />
        </div>
    }
}

fn name_of(operand: Operand) -> &'static str {
    match operand {
        Operand::W => "weights",
        Operand::I => "input features",
        Operand::O => "output features and partial sums",
    }
}

fn width(form: &DocumentForm, index: usize, is_highest: bool) -> Html {
    let label = if is_highest { "Bits per cycle" } else { "Word" };
    let hint = "Bits that a port moves in one cycle: a full word, which the energies are for.";
    both_fields(form, index, ("width", label, hint, "64 bit"), false)
}

fn granularity(form: &DocumentForm, index: usize) -> Html {
    let hint = "Smallest part of a word that can be moved, and paid for, on its own.";
    both_fields(form, index, ("granularity", "Granularity", hint, "a whole word"), true)
}

/// One number for reading and writing, or one for each, and a switch between the two.
fn both_fields(
    form: &DocumentForm,
    index: usize,
    (name, label, hint, example): (&'static str, &'static str, &'static str, &'static str),
    is_optional: bool,
) -> Html {
    let field = |name: String, label: String| {
        let path = format!("memories[{index}].{name}");
        html! {
            <FormField
                key={name.clone()}
                form={form.clone()}
                place={FieldTarget::Value { path, is_optional }}
                {label}
                {hint}
                {example}
                testid={name.clone()}
            />
        }
    };
    let stated = read_write_number(&form.document, index, name);
    let switch = |title: &'static str, edit: fn(&Outline, usize, &str) -> Option<Outline>| {
        html! {
            <button
                type="button"
                class="link switch"
                onclick={form.click(move |document| edit(document, index, name))}
                data-testid={format!("{name}-switch")}
            >
                { title }
            </button>
        }
    };
    match stated {
        ReadWriteNumber::Separate => html! {
            <>
                { field(format!("read_{name}"), format!("{label}, read")) }
                { field(format!("write_{name}"), format!("{label}, written")) }
                { switch("one for reading and writing", merge) }
            </>
        },
        ReadWriteNumber::Common | ReadWriteNumber::Unstated => html! {
            <div class="stack-cell">
                { field(name.to_owned(), label.to_owned()) }
                if stated == ReadWriteNumber::Common { { switch("read ≠ write", split) } }
            </div>
        },
    }
}

fn replication(form: &DocumentForm, memory: &MemoryBox) -> Html {
    let index = memory.index;
    let path = format!("memories[{index}].shared_over");
    let dimensions = form.document.keys("array.dimensions");
    let chip = |dimension: String| {
        let is_on = is_shared_over(&form.document, index, &dimension);
        let testid = format!("shared-{dimension}");
        let title = format!("One instance is shared over {dimension}");
        let label = dimension.clone();
        let onclick = form.click(move |document| set_shared_over(document, index, &dimension, !is_on));
        html! { <Chip {label} {title} {is_on} {onclick} {testid} /> }
    };
    let instances = match memory.instances {
        1 => "1 instance".to_owned(),
        many => format!("{} instances", group_thousands(many)),
    };
    html! {
        <div class="cell">
            <span class="name" title="Array dimensions over which one instance is shared; \
                                      along the others there are many.">
                { "Shared over" }
            </span>
            <span class="chips" role="group" aria-label="Array dimensions that share an instance">
                { for dimensions.into_iter().map(chip) }
                <small data-testid="instances">{ instances }</small>
            </span>
            <WrongHere form={form.clone()} wrong={form.wrong_at(&path)} />
        </div>
    }
}

fn buttons(props: &MemoryPanelProps) -> Html {
    let form = &props.form;
    let index = props.memory.index;
    let count = form.document.len("memories");
    let button = |title: &'static str,
                  hint: &'static str,
                  testid: &'static str,
                  is_possible: bool,
                  next: Option<usize>,
                  edit: fn(&Outline, usize) -> Option<Outline>| {
        let (click, on_select) = (form.click(move |document| edit(document, index)), props.on_select.clone());
        let onclick = Callback::from(move |event: MouseEvent| {
            on_select.emit(next);
            click.emit(event);
        });
        html! {
            <button type="button" class="small" title={hint} {onclick} disabled={!is_possible} data-testid={testid}>
                { title }
            </button>
        }
    };
    html! {
        <div class="row tools">
            { button("↑ up", "One place higher, farther from the PEs", "memory-up", index + 1 < count, Some(index + 1), |document, index| {
                document.shift("memories", index, index + 1)
            }) }
            { button("↓ down", "One place lower, closer to the PEs", "memory-down", index > 0, Some(index.saturating_sub(1)),
                |document, index| document.shift("memories", index, index.checked_sub(1)?)) }
            { button("Duplicate", "A copy of it above it", "memory-duplicate", true, Some(index + 1), duplicate_memory) }
            { button("Add above", "A new memory above it", "memory-add", true, Some(index + 1), |document, index| {
                add_memory(document, Some(index))
            }) }
            { button("Remove", "Remove this memory", "memory-remove", count > 1, None, remove_memory) }
        </div>
    }
}
