//! Generation: the prompt, then one token at a time; and the effect of more sequences at a time.

use super::step::scrolled;
use crate::app::widgets::figures::figure::{Drawn, Figure};
use crate::app::workers::ask::use_answers;
use crate::attention::Generation;
use crate::chart::{generation_curves, generation_roofline, generation_room, generation_table};
use crate::explore::AttentionRequest;
use crate::question::{Channel, Generate};
use std::rc::Rc;
use yew::prelude::*;

/// Batches in the figure, besides the one of the form.
const BATCHES: [u64; 7] = [1, 2, 4, 8, 16, 32, 64];

#[derive(Properties, PartialEq)]
pub struct GenerationCardProps {
    /// Its tokens are the prompt.
    pub request: Rc<AttentionRequest>,
    /// `None` if the accelerator states no clock.
    pub clock_mhz: Option<f64>,
    /// Capacity of the DRAM.
    pub dram_bytes: f64,
    /// Tokens that follow the prompt.
    pub generated: u64,
    /// Tokens of the prompt that are read at a time; `None` for all.
    pub chunk: Option<u64>,
    /// Whether the model keeps states instead of a cache that grows.
    pub has_states: bool,
}

/// A table for the batch of the form, and curves over batches.
#[component]
pub fn GenerationCard(props: &GenerationCardProps) -> Html {
    let own = props.request.step.batch;
    let mut batches: Vec<u64> = BATCHES.into_iter().chain([own]).collect();
    batches.sort_unstable();
    batches.dedup();
    let question = |batch: u64| Generate {
        request: Rc::clone(&props.request),
        generated: props.generated,
        chunk: props.chunk,
        batch,
    };
    // The batch of the form is asked first.
    let (first, rest): (Vec<u64>, Vec<u64>) = batches.iter().partition(|batch| **batch == own);
    let questions = first.into_iter().chain(rest).map(question).collect();
    let answers = use_answers(Channel::Generation, questions);
    let mut known: Vec<Generation> = answers.shown().cloned().collect();
    let of_form = known.iter().find(|generation| generation.sequences.batch == own).cloned();
    known.sort_by_key(|generation| generation.sequences.batch);
    let [energy, time] = generation_curves(&known, props.clock_mhz);
    html! {
        <section class={classes!("card", answers.are_old().then_some("old"))} data-testid="attention-generation"
            data-status={answers.status()} aria-busy={(!answers.is_complete()).then_some("true")}>
            <h2>{ if props.has_states { "Generation with states" } else { "Generation with a cache" } }</h2>
            <p class="hint">
                { format!(
                    "The prompt is read once; then every token reads all weights and {} for a few multiply-accumulates. So its time \
                     is a question of bandwidth, until enough sequences share the weights.",
                    if props.has_states {
                        "the states, which are as large after a thousand tokens as after one,"
                    } else {
                        "the whole cache"
                    },
                ) }
            </p>
            if let Some(failure) = answers.failure() {
                <p class="banner" role="alert">{ failure.to_owned() }</p>
            }
            if let Some(refusal) = answers.refusal() {
                <p class="why">{ refusal.to_string() }</p>
            }
            if let Some(generation) = of_form {
                { scrolled(generation_table(&generation, props.clock_mhz)) }
                <p class="hint">{ generation_room(&generation, props.dram_bytes, props.has_states) }</p>
            }
            if known.len() > 1 {
                if let Some(roofline) = generation_roofline(&known) {
                    <Figure
                        title="A token below the roof"
                        chart={Drawn::new(roofline)}
                        testid="generation-roofline"
                        hint={format!(
                            "Every token reads all weights. More sequences at a time share them, so that a byte of DRAM serves more \
                             multiply-accumulates, until the {} outweigh the weights.",
                            if props.has_states { "states" } else { "caches" },
                        )}
                    />
                }
                <div class="two">
                    <Figure title="Energy of a token" chart={Drawn::new(energy)} testid="generation-energy"
                        hint="The token in the middle, with more and more sequences at a time." />
                    <Figure title="Time for a token" chart={Drawn::new(time)} testid="generation-time"
                        hint="The time of a step, divided by the tokens that it makes." />
                </div>
            }
        </section>
    }
}
