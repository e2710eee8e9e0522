//! The ports of a memory, and the assignment of movements to them.

use crate::app::widgets::forms::controls::{ChoiceOption, Picker};
use crate::app::widgets::forms::form::{CellField, DocumentForm};
use crate::app::widgets::forms::form_field::WrongHere;
use crate::form::{
    FieldTarget, PortRow, add_port, default_ports, port_names, remove_port, serve, services, state_ports,
};
use crate::hardware::Operand;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct PortTableProps {
    pub form: DocumentForm,
    /// Index of the memory.
    pub memory: usize,
    /// Operands that it holds.
    pub operands: Vec<Operand>,
}

/// The ports of a memory: one row each, and a choice of the port for each movement.
#[component]
pub fn PortTable(props: &PortTableProps) -> Html {
    let PortTableProps { form, memory, operands } = props;
    let memory = *memory;
    let stated = port_names(&form.document, memory);
    let wrong = form.wrong_at(&format!("memories[{memory}].ports"));
    let is_default = stated.is_empty();
    let rows = if is_default { default_ports(&form.document, memory) } else { stated };
    let summary = match rows.len() {
        _ if is_default => "Ports: one to read, one to write".to_owned(),
        1 => "Ports: 1, for everything".to_owned(),
        count => format!("Ports: {count}"),
    };
    html! {
        <details class="twin ports" open={!wrong.is_empty()} data-testid="ports">
            <summary>{ summary }</summary>
            <p class="hint">{ "Data movements that share a port are served one after the other." }</p>
            if is_default {
                <button
                    type="button"
                    class="small"
                    onclick={form.click(move |document| state_ports(document, memory))}
                    data-testid="ports-state"
                >
                    { "Change the ports" }
                </button>
            } else {
                <div class="ports-list">
                    { for rows.iter().enumerate().map(|(port, row)| port_row(form, memory, port, row)) }
                </div>
                <button
                    type="button"
                    class="small"
                    onclick={form.click(move |document| add_port(document, memory))}
                    data-testid="port-add"
                >
                    { "Add a port" }
                </button>
                <div class="serves">
                    { for operands.iter().flat_map(|operand| services(*operand)).map(|service| {
                        serving(form, memory, &rows, service)
                    }) }
                </div>
            }
            <WrongHere form={form.clone()} {wrong} />
        </details>
    }
}

fn port_row(form: &DocumentForm, memory: usize, port: usize, row: &PortRow) -> Html {
    let figure = |name: &'static str, label: &str, example: &'static str| {
        html! {
            <CellField
                form={form.clone()}
                place={FieldTarget::PortFigure(memory, port, name)}
                label={format!("{label} of {}", row.name)}
                hint={format!("{label} of this port, where it is not that of the memory")}
                {example}
                testid={format!("port-{port}-{name}")}
            />
        }
    };
    html! {
        <div class="port" key={port}>
            <CellField
                form={form.clone()}
                place={FieldTarget::Port(memory, port)}
                label={format!("Name of port {}", port + 1)}
                testid={format!("port-{port}-name")}
            />
            { figure("width", "Width", "width") }
            { figure("granularity", "Granularity", "granularity") }
            <button
                type="button"
                class="small"
                aria-label={format!("Remove port {}", row.name)}
                title="Remove this port; the first of the others serves what it served"
                onclick={form.click(move |document| remove_port(document, memory, port))}
                data-testid={format!("port-{port}-remove")}
            >
                { "×" }
            </button>
        </div>
    }
}

fn serving(form: &DocumentForm, memory: usize, rows: &[PortRow], service: String) -> Html {
    let current = rows.iter().position(|row| row.serves.contains(&service));
    let onchange = {
        let (form, service) = (form.clone(), service.clone());
        Callback::from(move |port: String| form.take(serve(&form.document, memory, &service, port.parse().ok())))
    };
    let choice = |(port, row): (usize, &PortRow)| ChoiceOption::new(port.to_string(), row.name.clone());
    let choices: Vec<ChoiceOption> =
        std::iter::once(ChoiceOption::new("", "no port")).chain(rows.iter().enumerate().map(choice)).collect();
    let value = current.map(|port| port.to_string()).unwrap_or_default();
    let (operand, movement) = service.split_once('.').unwrap_or_default();
    html! {
        <label class={classes!("serve", current.is_none().then_some("unserved"))} key={service.clone()}>
            <span><b class={operand.to_owned()}>{ operand.to_owned() }</b>{ movement.replace('_', " ") }</span>
            <Picker {choices} {value} {onchange} invalid={current.is_none()} testid={format!("serves-{service}")} />
        </label>
    }
}
