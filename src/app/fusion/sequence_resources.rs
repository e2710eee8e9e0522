//! The effect of more or less hardware on sequences: array, buffer and register files.

use super::findings::use_findings;
use super::numbers::listed_numbers;
use crate::app::widgets::figures::figure::{Drawn, Figure};
use crate::app::widgets::forms::controls::{ChoiceOption, Select};
use crate::chart::{SequenceQuantity, resource_curves};
use crate::explain::listed_steps;
use crate::explore::{NetworkChains, Request, Resource, ResourceStep, Sequence, SequenceFinding, SequenceQuestion};
use crate::question::Channel;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct SequenceResourcesProps {
    pub request: Rc<Request>,
    /// All chains.
    pub chains: Rc<NetworkChains>,
    pub sequence: Sequence,
    /// Text of the sequence.
    pub label: String,
}

/// One figure per resource.
#[component]
pub fn SequenceResources(props: &SequenceResourcesProps) -> Html {
    let is_whole = use_state_eq(|| true);
    let of = use_state_eq(|| SequenceQuantity::Latency);
    let sequence = (!*is_whole).then_some(props.sequence);
    let all = Resource::ALL.into_iter().flat_map(|resource| resource.steps().map(move |step| (resource, step)));
    let questions = all.map(|(resource, step)| SequenceQuestion::Resources(sequence, resource, step)).collect();
    let findings = use_findings(Channel::SequenceResources, &props.request, questions);
    let step = |finding: &SequenceFinding| match finding {
        SequenceFinding::Resources(step) => Some((**step).clone()),
        _ => None,
    };
    let steps: Vec<ResourceStep> = findings.shown().filter_map(step).collect();
    let figure = |(resource, testid): (Resource, &'static str)| {
        let (title, hint) = explained(resource);
        let numbers = listed_numbers(listed_steps(&props.chains, resource, *of, &steps));
        html! { <Figure {title} {hint} chart={Drawn::new(resource_curves(resource, *of, &steps))} {numbers} {testid} /> }
    };
    let testids = ["resource-array", "resource-buffer", "resource-registers"];
    let is_running = findings.status() == "running";
    let choose_quantity = {
        let set = of.setter();
        Callback::from(move |title: String| {
            let all = SequenceQuantity::ALL.into_iter();
            all.filter(|of| of.title() == title).for_each(|of| set.set(of));
        })
    };
    let choose_layers = {
        let set = is_whole.setter();
        Callback::from(move |value: String| set.set(value == "all"))
    };
    html! {
        <section
            class="card"
            data-testid="sequence-resources"
            data-status={findings.status()}
            aria-busy={is_running.then_some("true")}
        >
            <h2>{ "Sequences on more or less hardware" }</h2>
            <p class="hint">
                { "Everything is scheduled anew at every point, with at most 4 layers in a sequence, \
                   for the least energy. Energies of an access stay as they are, \
                   which a larger memory would not grant." }
            </p>
            <div class="fields">
                <Select
                    label="Quantity"
                    choices={SequenceQuantity::ALL.map(|of| ChoiceOption::new(of.title(), of.title())).to_vec()}
                    value={of.title()}
                    onchange={choose_quantity}
                    testid="resource-quantity"
                />
                <Select
                    label="Of"
                    choices={vec![ChoiceOption::new("all", "all chains"), ChoiceOption::new("one", props.label.clone())]}
                    value={if *is_whole { "all" } else { "one" }}
                    onchange={choose_layers}
                    testid="resource-layers"
                />
            </div>
            { findings.progress() }
            if !steps.is_empty() {
                <div class={is_running.then_some("old")}>
                    { for Resource::ALL.into_iter().zip(testids).map(figure) }
                </div>
            }
        </section>
    }
}

fn explained(resource: Resource) -> (&'static str, &'static str) {
    match resource {
        Resource::Array => (
            "PE array",
            "Spatial fusion needs PEs: its layers run one after another, each on its part (Figs. 18 and 19).",
        ),
        Resource::Buffer => ("On-chip buffer", "A larger buffer lets more layers run together, in larger tiles."),
        Resource::Registers => {
            ("Register file", "Temporal fusion shares the registers of every PE among its layers (Figs. 16 and 17).")
        }
    }
}
