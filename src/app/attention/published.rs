//! The dataflows of the FuseMax artifact on its own machines, for the same attention.

use super::step::scrolled;
use crate::app::widgets::forms::controls::Checkbox;
use crate::app::workers::ask::use_answers;
use crate::chart::published_dataflows;
use crate::explore::AttentionRequest;
use crate::question::{Channel, ReplayDataflows};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct PublishedCardProps {
    pub request: Rc<AttentionRequest>,
}

/// A table of the dataflows, or the reason why there is none.
#[component]
pub fn PublishedCard(props: &PublishedCardProps) -> Html {
    let as_published = use_state_eq(|| false);
    let question = ReplayDataflows { request: Rc::clone(&props.request), as_published: *as_published };
    let answers = use_answers(Channel::PublishedDataflows, vec![question]);
    let onchange = {
        let as_published = as_published.clone();
        Callback::from(move |on: bool| as_published.set(on))
    };
    html! {
        <section class={classes!("card", answers.are_old().then_some("old"))} data-testid="attention-published"
            data-status={answers.status()}>
            <h2>{ "FLAT and FuseMax, as published" }</h2>
            <p class="hint">
                { "The same heads and tokens on the machines of the FuseMax artifact (MICRO 2024): 256 × 256 PEs and 256 \
                   beside them, 400 GiB/s. From +cascade to +binding each step adds one idea of FuseMax. Masks are not \
                   taken into account; FLAT is in its fastest configuration." }
            </p>
            <Checkbox label="With the defects of the artifact" checked={*as_published} {onchange} testid="attention-defects" />
            if let Some(found) = answers.shown().next() {
                { scrolled(published_dataflows(found)) }
            }
            if let Some(refusal) = answers.refusal() {
                <p class="why">{ refusal.to_string() }</p>
            }
        </section>
    }
}
