//! How DRAM traffic changes with buffer, array, and batch, by Optimus' model.

use crate::app::widgets::figures::figure::{Drawn, Figure, made};
use crate::app::workers::ask::use_answers;
use crate::chart::Curves;
use crate::explain::explain_steps;
use crate::explore::{FusionStep, Request, SweptParameter};
use crate::question::{Channel, StepFusions};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct FusionSweepsProps {
    pub request: Rc<Request>,
}

/// One figure per varied parameter. The work starts when they are first shown.
#[component]
pub fn FusionSweeps(props: &FusionSweepsProps) -> Html {
    let all = SweptParameter::ALL.into_iter().flat_map(|varied| varied.steps().map(move |step| (varied, step)));
    let question = |(varied, step)| StepFusions { request: Rc::clone(&props.request), varied, step };
    let answers = use_answers(Channel::FusionSteps, all.map(question).collect());
    let steps: Vec<FusionStep> = answers.shown().cloned().collect();
    let is_running = !answers.is_complete();
    let failure = answers.failure();
    // Optimus cannot express the design, so there are no steps; the table above gives the reason.
    if steps.is_empty() && !is_running && failure.is_none() {
        return html! {};
    }
    let figure = |(varied, testid): (SweptParameter, &'static str)| {
        let chart = Drawn::new(Curves::of_fusion(varied, &steps));
        let numbers = made(explain_steps(varied, &steps));
        html! { <Figure title={title(varied)} hint={hint(varied)} {chart} {numbers} {testid} /> }
    };
    let testids = ["fusion-buffer", "fusion-array", "fusion-batch"];
    html! {
        <section
            class="card"
            data-testid="fusion-sweeps"
            data-status={if is_running { "running" } else { "done" }}
            aria-busy={is_running.then_some("true")}
        >
            <h2>{ "What if the accelerator were another?" }</h2>
            <p class="hint">
                { "DRAM traffic by Optimus' model, which counts bytes and knows neither energy nor time, \
                   for groups chosen anew at every point. Nothing goes below the oracle: \
                   every weight and the network's input and output once." }
            </p>
            if let Some(failure) = failure {
                <p class="banner" role="alert">{ failure.to_owned() }</p>
            }
            { for SweptParameter::ALL.into_iter().zip(testids).map(figure) }
        </section>
    }
}

fn title(varied: SweptParameter) -> &'static str {
    match varied {
        SweptParameter::Buffer => "Buffer",
        SweptParameter::Array => "PE array",
        SweptParameter::Batch => "Batch",
    }
}

fn hint(varied: SweptParameter) -> &'static str {
    match varied {
        SweptParameter::Buffer => {
            "A larger buffer lets more layers run together, until only the oracle's traffic is left (Optimus, Fig. 16)."
        }
        SweptParameter::Array => {
            "A larger array wants larger tiles to be busy, which leaves less room to fuse (Optimus, Fig. 18)."
        }
        SweptParameter::Batch => {
            "More images share one loading of the weights, as long as there is room (Optimus, Fig. 19)."
        }
    }
}
