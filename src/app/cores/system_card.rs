//! The system of cores as a card of the design: choice, parts, and text.

use crate::app::widgets::forms::controls::{ChoiceOption, Select};
use crate::app::widgets::forms::document_text::FoldedText;
use crate::app::widgets::forms::varying::VaryButton;
use crate::app::widgets::page::figure_context::use_act;
use crate::chart::Quantity;
use crate::form::{Variable, variables};
use crate::sorting::sort_by_key;
use crate::spec::edit::Outline;
use crate::spec::system_presets;
use crate::state::{Action, CoresField, CoresForm};
use crate::system::{ComputeCore, CoreSystem};
use yew::prelude::*;

/// Value of the choice of a system written by hand.
const OWN: &str = "(own)";

/// Whether the accelerator of the hardware document is one of the cores. Also true for a system with errors, which may
/// contain it.
pub fn takes_beside(form: &CoresForm, hardware: &str) -> bool {
    CoreSystem::from_text(form.system(), hardware).map_or(true, |system| system.takes_beside)
}

pub fn system_card(form: &CoresForm, hardware: &str) -> Html {
    html! { <SystemCard form={form.clone()} hardware={hardware.to_owned()} /> }
}

#[derive(Properties, PartialEq)]
struct SystemCardProps {
    form: CoresForm,
    hardware: String,
}

#[component]
fn SystemCard(props: &SystemCardProps) -> Html {
    let act = use_act();
    let form = &props.form;
    let change = act.reform(Action::Cores);
    let mut systems: Vec<ChoiceOption> =
        system_presets().iter().map(|preset| ChoiceOption::new(preset.id, preset.title)).collect();
    if form.preset.is_none() || !form.own.is_empty() {
        systems.push(ChoiceOption::new(OWN, "my own system"));
    }
    let pick = change.reform(|value: String| CoresField::Preset(Some(value).filter(|value| value != OWN)));
    let of = (form.system().to_owned(), props.hardware.clone());
    let system = use_memo(of, |(system, hardware)| CoreSystem::from_text(system, hardware).ok());
    html! {
        <section class="card" data-testid="system-card">
            <h2>{ "System of cores" }</h2>
            <Select label="System" choices={systems} value={form.preset.clone().unwrap_or_else(|| OWN.to_owned())}
                onchange={pick} testid="system-preset" />
            if let Some(system) = &*system {
                <dl class="system-cores">{ for system.cores.iter().map(core) }</dl>
                <p class="hint">
                    if system.takes_beside {
                        { "Cores of which the system says nothing else are the accelerator below." }
                    } else {
                        { "All cores are the system’s own: no accelerator of the design is computed here." }
                    }
                </p>
            }
            <Numbers system={form.system().to_owned()} />
            <FoldedText
                of="system"
                label="System document"
                text={form.system().to_owned()}
                is_shown={form.shows_system}
                onshow={change.reform(CoresField::ShowsSystem)}
                oninput={change.reform(CoresField::Own)}
            />
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct NumbersProps {
    system: String,
}

/// The numbers of a system, each with a button to vary it in a study: links and shared memories first.
#[component]
fn Numbers(props: &NumbersProps) -> Html {
    let numbers = use_memo(props.system.clone(), |text| {
        let document = Outline::read(text).ok();
        let mut numbers = document.map(|document| variables("system", &document)).unwrap_or_default();
        sort_by_key(&mut numbers, |number| number.path.starts_with("system.cores."));
        numbers
    });
    if numbers.is_empty() {
        return html! {};
    }
    let number = |(index, number): (usize, &Variable)| {
        let name = number.path.strip_prefix("system.").unwrap_or(&number.path).to_owned();
        html! {
            <>
                <dt>{ name.clone() }</dt>
                <dd>
                    <span>{ number.value.clone() }</span>
                    <VaryButton variable={number.clone()} label={name} testid={format!("system-number-{index}")} />
                </dd>
            </>
        }
    };
    html! {
        <details class="numbers" data-testid="system-numbers">
            <summary>{ "Numbers" }</summary>
            <dl class="system-numbers">{ for numbers.iter().enumerate().map(number) }</dl>
        </details>
    }
}

/// A core: its array, and the capacity of its memories on the chip.
fn core(core: &ComputeCore) -> Html {
    let sides: Vec<String> = core.core.array.iter().map(|(_, size)| size.to_string()).collect();
    let bytes = Quantity::Bytes.text(core.core.on_chip_bytes() as f64);
    let runs: Vec<&str> = core.runs.iter().map(|kind| kind.name()).collect();
    let only = if runs.is_empty() { String::new() } else { format!("; runs {}", runs.join(", ")) };
    html! { <><dt>{ core.name.clone() }</dt><dd>{ format!("{} PEs, {bytes}{only}", sides.join(" × ")) }</dd></> }
}
