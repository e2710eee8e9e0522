//! The step on several cores: the ways to divide it, and their gain.

use super::step::scrolled;
use crate::app::widgets::forms::controls::TextField;
use crate::app::widgets::forms::diagnostics::DiagnosticList;
use crate::app::widgets::page::figure_context::use_act;
use crate::app::widgets::words::term::termed;
use crate::app::workers::ask::use_answers;
use crate::attention::{Split, SplitCost};
use crate::chart::{DIVIDED_NOTE, divided_sentences, divided_steps};
use crate::explore::AttentionRequest;
use crate::question::{Channel, DivideStep, Refusal};
use crate::state::{Action, AttentionField, AttentionForm};
use crate::ties;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct CoresCardProps {
    pub request: Rc<AttentionRequest>,
    /// Whether the model has states instead of keys and values.
    pub has_states: bool,
    pub form: AttentionForm,
}

/// All ways to divide the step among the cores, the best first, and the ways that are impossible.
#[component]
pub fn CoresCard(props: &CoresCardProps) -> Html {
    let act = &use_act();
    let CoresCardProps { request, has_states, form } = props;
    let cores = form.cores();
    let splits: Vec<Split> = match &cores {
        Ok(cores) if cores.count > 1 => std::iter::once(Split::ONE).chain(Split::all(cores.count)).collect(),
        _ => Vec::new(),
    };
    let question = |split: &Split| {
        let cores = *cores.as_ref().ok()?;
        Some(DivideStep { request: Rc::clone(request), cores, split: *split })
    };
    let answers = use_answers(Channel::DividedSteps, splits.iter().filter_map(question).collect());
    let one = answers.reply(0).map(|(cost, _)| *cost);
    let divided = (1..answers.all()).filter_map(|index| answers.reply(index).copied());
    let figures =
        |cost: &SplitCost, score| request.objective.figures(score, cost.energy_pj(), cost.latency_cycles as f64);
    let divided = ties::ranked(divided, |(cost, score)| (figures(cost, *score), ()));
    let divided: Vec<SplitCost> = divided.into_iter().map(|(cost, _)| cost).collect();
    let refused: Vec<(String, String)> = (splits.iter().enumerate().skip(1))
        .filter_map(|(index, split)| match answers.get(index)? {
            Err(Refusal::Rejected(wrong)) => {
                let reasons: Vec<&str> = wrong.0.iter().map(|wrong| wrong.reason.as_str()).collect();
                Some((split.text(), reasons.join("; ")))
            }
            Err(other) => Some((split.text(), other.reason().to_owned())),
            Ok(_) => None,
        })
        .collect();
    let change = act.reform(Action::Attention);
    let wrong = cores.as_ref().err().cloned().unwrap_or_default();
    let field = |label: &'static str, name: &'static str, value: &str, make: fn(String) -> AttentionField, testid| {
        let invalid = wrong.0.iter().any(|wrong| wrong.path == name);
        html! { <TextField {label} value={value.to_owned()} oninput={change.reform(make)} {testid} {invalid} /> }
    };
    let count = field("Cores", "cores", &form.cores, AttentionField::Cores, "attention-cores-count");
    let make = AttentionField::LinkWidth;
    let width = field("Bits a core sends a cycle", "link_width", &form.link_width, make, "attention-link-width");
    let make = AttentionField::LinkEnergy;
    let energy = field("Energy of a sent bit, pJ", "link_energy", &form.link_energy, make, "attention-link-energy");
    // An impossible division is an answer, too.
    let status = match (wrong.is_empty(), answers.is_complete()) {
        (false, _) => "rejected",
        (true, true) => "done",
        (true, false) => "running",
    };
    html! {
        <section class="card" data-testid="attention-cores" data-status={status}
            aria-busy={(!answers.is_complete()).then_some("true")}>
            <h2>{ "On several cores" }</h2>
            <p class="hint">
                { termed(
                    "The same accelerator several times, on one DRAM. Cores may divide heads, [queries|query], [keys|key], sequences \
                     or layers: what they divide they need not all read, but what they add up they have to send each other.",
                ) }
            </p>
            <div class="form">
                <div>{ count }</div>
                <div>{ width }</div>
                <div>{ energy }</div>
            </div>
            <DiagnosticList diagnostics={wrong.clone()} testid="attention-cores-diagnostics" />
            if !answers.is_complete() {
                <p class="hint" role="status">{ format!("Dividing the step: {} of {} ways …", answers.done(), answers.all()) }</p>
            }
            if let Some(one) = one {
                if answers.is_complete() {
                    <p data-testid="attention-cores-best">{ divided_sentences(&one, &divided) }</p>
                }
                { scrolled(divided_steps(&one, &divided, *has_states)) }
                <p class="hint">{ DIVIDED_NOTE }</p>
            }
            if !refused.is_empty() {
                <details>
                    <summary>{ format!("{} ways that there are not here", refused.len()) }</summary>
                    <ul>{ for refused.iter().map(|(split, why)| html! { <li>{ format!("{split}: {why}") }</li> }) }</ul>
                </details>
            }
        </section>
    }
}
