//! Data in motion: a scrubber over the steps of a schedule of attention, and the figure of the current step.

use super::step::scrolled;
use super::trace_steps::{at, at_tile, first_step, last, tile_of};
use crate::app::widgets::figures::animation::use_animation;
use crate::app::widgets::figures::data_table::{Twin, plain_table};
use crate::app::widgets::figures::figure::Drawn;
use crate::app::widgets::figures::player::Slider;
use crate::app::widgets::figures::save::{FileContent, Save, WIDTH};
use crate::app::widgets::forms::controls::{ChoiceOption, Select};
use crate::app::widgets::page::figure_context::use_act;
use crate::app::workers::ask::use_answers;
use crate::attention::AttentionPart;
use crate::chart::{Chart, group_thousands};
use crate::explore::{AttentionAnswer, AttentionRequest, AttentionTrace, TracedSchedule};
use crate::question::{Channel, TraceAttention};
use crate::state::{Action, AttentionForm};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct TraceCardProps {
    pub request: Rc<AttentionRequest>,
    pub answer: Rc<AttentionAnswer>,
    pub form: AttentionForm,
}

/// The schedule of attention alone to follow: that of the chosen kind, or the best.
fn followed(form: &AttentionForm, attention: &AttentionPart) -> TracedSchedule {
    let fusion = form.kind().unwrap_or(attention.best.schedule.fusion);
    if let Some((queries, keys)) = form.tile() {
        return TracedSchedule::BestWith(fusion, queries, keys);
    }
    let found = &attention.found;
    let best = match (form.kind(), form.recomputes()) {
        (_, true) => found.recomputed,
        (None, false) => Some(attention.best),
        (Some(kind), false) => found.best_of.iter().find(|(fusion, _)| *fusion == kind).and_then(|(_, best)| *best),
    };
    TracedSchedule::Exactly(best.unwrap_or(attention.best).schedule)
}

/// A choice of the schedule, and its steps.
#[component]
pub fn TraceCard(props: &TraceCardProps) -> Html {
    let act = use_act();
    let layer = &props.answer.layer;
    let Some(attention) = &layer.attention else { return html! {} };
    let mut kinds = match &layer.block {
        Some(_) => vec![
            ChoiceOption::new("", "the best: a block"),
            ChoiceOption::new(AttentionForm::ALONE, "attention by itself, the best"),
        ],
        None => vec![ChoiceOption::new("", "the best")],
    };
    let fitting = attention.found.best_of.iter().filter(|(_, best)| best.is_some());
    kinds.extend(fitting.map(|(fusion, _)| ChoiceOption::new(AttentionForm::word_of(*fusion), fusion.name())));
    if attention.found.recomputed.is_some() {
        kinds.push(ChoiceOption::new(AttentionForm::RECOMPUTED, "keys recomputed"));
    }
    // A link may name a kind that has no schedule here: then the best is followed.
    let is_there = kinds.iter().any(|choice| *choice.value == *props.form.kind);
    let kind = if is_there { props.form.kind.clone() } else { String::new() };
    let tile = props.form.tile();
    let schedule = match &layer.block {
        Some(block) if kind.is_empty() && tile.is_none() => TracedSchedule::Block(block.schedule()),
        _ => followed(&props.form, attention),
    };
    let keys_in = layer.keys_in.0;
    let question = TraceAttention { request: Rc::clone(&props.request), schedule, keys_in };
    let answers = use_answers(Channel::AttentionTrace, vec![question]);
    let of = answers.shown().next().cloned();
    let look = |kind: String| Action::FollowAttention { kind, tile: String::new() };
    let own_tiles = {
        let kind = props.form.kind.clone();
        act.reform(move |_: MouseEvent| look(kind.clone()))
    };
    html! {
        <section class={classes!("card", "motion", answers.are_old().then_some("old"))} data-testid="attention-motion"
            data-status={answers.status()}>
            <h2>{ "Data in motion" }</h2>
            <p class="hint">
                { "The scores of one head, tile by tile: which data stays on the chip, which streams past, and what each step moves. \
                   The other heads and sequences do the same." }
            </p>
            if layer.block.is_some() {
                <p class="hint" data-testid="attention-motion-of">
                    { match schedule {
                        TracedSchedule::Block(_) =>
                            "This is the block that is run: for every tile of tokens, what is computed before attention and behind it is a \
                             step, too, for all heads at once.",
                        _ =>
                            "This is attention by itself. In the best schedule of the layer it runs in a block with what is around it.",
                    } }
                </p>
            }
            <div class="row followed">
                <Select label="Schedule" choices={kinds} value={kind}
                    onchange={act.reform(look)} testid="attention-kind" />
                if let Some((queries, keys)) = tile {
                    <span>
                        { format!("in tiles of {} queries and {} keys ", group_thousands(queries), group_thousands(keys)) }
                        <button type="button" class="link" onclick={own_tiles} data-testid="attention-best-tiles">
                            { "take its best tiles" }
                        </button>
                    </span>
                }
            </div>
            if let Some(refusal) = answers.refusal() {
                <p class="why" data-testid="attention-motion-refused">{ refusal.to_string() }</p>
            } else if let Some(of) = of {
                <Moves {of} />
            } else {
                <p class="hint motion-waits awaited">{ "Following the tiles …" }</p>
            }
        </section>
    }
}

#[derive(Properties)]
struct MovesProps {
    of: Rc<AttentionTrace>,
}

impl PartialEq for MovesProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.of, &other.of)
    }
}

#[component]
fn Moves(props: &MovesProps) -> Html {
    let stage = use_animation(first_step(Rc::clone(&props.of)), (), None);
    let (now, settled) = (stage.player.now(), stage.settled.clone());
    let table = use_callback(settled.clone(), |(), settled| plain_table(settled.table()));
    let slider = |title, last, at, to, testid| Slider { title, last, at, told: now.title(), to, testid };
    let tiles = now.of.steps.tiles.len().saturating_sub(1) as u64;
    let sliders = vec![
        slider("step", last(&now), now.number, at, "attention-motion-steps"),
        slider("tile of queries", tiles, tile_of(&now), at_tile, "attention-motion-tiles"),
    ];
    html! {
        <figure data-testid="attention-motion-figure" data-step={now.number.to_string()}>
            <figcaption class="sr-only">{ "Scores of a head and what moves in one step" }</figcaption>
            { stage.view() }
            { stage.scrubber(sliders, Html::default()) }
            <p class="why told" data-testid="attention-motion-story">{ now.story() }</p>
            <div class="saves"><Save what={FileContent::Figure(Drawn::new(settled.clone()), WIDTH)} /></div>
            <Twin label="what this step moves, as a table" cells={usize::MAX} {table} />
            <details class="twin">
                <summary>{ "all steps together" }</summary>
                { scrolled(settled.sums()) }
            </details>
        </figure>
    }
}
