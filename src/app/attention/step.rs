//! One step: the saving by fusion, the best schedule of every kind, the parts of the step, and tiles of queries and
//! keys.

use crate::app::widgets::figures::data_table::plain_table;
use crate::app::widgets::figures::figure::{Drawn, Figure, Spot};
use crate::app::widgets::forms::controls::{ChoiceOption, Select};
use crate::app::widgets::page::figure_context::use_act;
use crate::app::workers::ask::use_answers;
use crate::attention::{AttentionPart, Fusion, KeyStore, LayerSchedule};
use crate::chart::{
    Quantity, Table, attention_energy, attention_notes, attention_schedules, attention_tiles, attention_traffic,
    block_note, block_title, group_thousands, more_or_less, step_parts,
};
use crate::explore::{AttentionAnswer, AttentionRequest, AttentionTiles};
use crate::question::{Channel, TileAttention};
use crate::state::{Action, AttentionForm};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct StepProps {
    pub answer: Rc<AttentionAnswer>,
    /// Whether it answers an earlier question.
    pub is_old: bool,
}

/// The cost of one step.
#[component]
pub fn Step(props: &StepProps) -> Html {
    let answer = &*props.answer;
    let layer = &answer.layer;
    let cost = layer.cost();
    let time = answer.clock_mhz.map(|mhz| Quantity::Time.text(1e3 * cost.latency_cycles as f64 / mhz));
    let latency = Quantity::Latency.text(cost.latency_cycles as f64);
    html! {
        <div class={classes!(props.is_old.then_some("old"))} data-testid="attention-step">
            <div class="answer hierarchies">
                <div class="kpi"><b>{ Quantity::Energy.text(cost.energy_pj()) }</b><span>{ "energy of the step" }</span></div>
                <div class="kpi">
                    <b>{ time.clone().unwrap_or_else(|| latency.clone()) }</b>
                    <span>{ if time.is_some() { latency } else { "latency of the step".to_owned() } }</span>
                </div>
                <div class="kpi">
                    <b>{ Quantity::Bytes.text(cost.dram_bits as f64 / 8.0) }</b>
                    <span>{ "to and from DRAM" }</span>
                </div>
                if let Some((name, told)) = best(layer) {
                    <div class="kpi wide" data-testid="attention-best"><b class="name">{ name }</b><span>{ told }</span></div>
                }
            </div>
            if let Some(block) = &layer.block {
                <p class="why" data-testid="attention-block">{ block_note(block, layer.layers) }</p>
            }
            if let Some(attention) = &layer.attention {
                { fusion_saves(attention, layer.block.is_some()) }
            }
            <h3 class="apart">{ format!("The whole step: {} layers", layer.layers) }</h3>
            <div class="parts">{ scrolled(step_parts(layer)) }</div>
            <p class="hint">
                { format!(
                    "At least {} have to move: weights, input and output of every layer, and {}, each once. {}",
                    Quantity::Bytes.text(answer.compulsory.total() * layer.layers as f64),
                    if layer.attention.is_some() { "the cache" } else { "the states" },
                    attention_notes(layer).join(" "),
                ) }
            </p>
        </div>
    }
}

/// The best schedule of a layer, and in which respect it is the best: the block around attention, or attention alone.
fn best(layer: &LayerSchedule) -> Option<(String, String)> {
    let attention = layer.attention.as_ref()?;
    Some(match &layer.block {
        Some(block) => (block_title(block), "best schedule of a layer".to_owned()),
        None => (attention.best.schedule.fusion.name().to_owned(), verdict(attention)),
    })
}

/// A comparison of the best schedules of every kind.
fn fusion_saves(attention: &AttentionPart, has_block: bool) -> Html {
    let hint = match has_block {
        true => "Energy of attention by itself, without the block, in one layer, each kind in its best tiles.",
        false => "Energy of attention in one layer, each kind in its best tiles.",
    };
    html! {
        <>
            <h3 class="apart">{ "What fusion saves" }</h3>
            <p class="why" data-testid="attention-why">{ why(attention) }</p>
            <p class="hint">{ hint }</p>
            <Figure
                title=""
                chart={Drawn::new(attention_energy(attention))}
                testid="attention-energy"
            />
            { scrolled(attention_schedules(attention)) }
            <details>
                <summary>{ "What crosses the border of the chip" }</summary>
                { scrolled(attention_traffic(attention)) }
            </details>
        </>
    }
}

/// A table that scrolls on its own if it is too wide.
pub fn scrolled(table: Table) -> Html {
    let label = table.caption.clone();
    html! { <div class="scroll" tabindex="0" role="group" aria-label={label}>{ plain_table(table) }</div> }
}

/// Whether other schedules are as good as the best.
fn verdict(attention: &AttentionPart) -> String {
    match attention.tied.len() {
        0 => "best schedule of attention".to_owned(),
        1 => format!("best schedule of attention; as good: {}", attention.tied[0].name()),
        count => format!("one of {} schedules of attention that are as good", count + 1),
    }
}

/// The reason why the best is the best, in one sentence.
fn why(AttentionPart { found, best, .. }: &AttentionPart) -> String {
    let Some(unfused) = found.unfused() else {
        return "Unfused attention does not fit: one row of scores has no room on the chip.".to_owned();
    };
    if best.schedule.held.is_recomputed() {
        return format!(
            "Attention computes keys and values by itself, of the inputs of the layer, and reads none from DRAM. It moves {} \
             to and from DRAM, weights and inputs included; unfused it moves {}.",
            Quantity::Bytes.text(best.dram_bits() as f64 / 8.0),
            Quantity::Bytes.text(unfused.dram_bits() as f64 / 8.0),
        );
    }
    if best.schedule.fusion == Fusion::None {
        return "Fusing attention by itself does not pay here: no fused schedule takes less.".to_owned();
    }
    let scores = unfused.dram[crate::attention::Tensor::Scores as usize];
    let energy = more_or_less(unfused.energy_pj(), best.energy_pj());
    format!(
        "Unfused, {} of scores go to DRAM and come back, twice; fused, none do. Attention by itself then takes {energy} energy, and \
         moves {} to and from DRAM instead of {}. What takes longest: {}.",
        Quantity::Bytes.text((scores.written / 2) as f64 / 8.0),
        Quantity::Bytes.text(best.dram_bits() as f64 / 8.0),
        Quantity::Bytes.text(unfused.dram_bits() as f64 / 8.0),
        match best.bound_by() {
            "array" => "the array".to_owned(),
            "lanes" => "the lanes, which compute the softmax".to_owned(),
            other => other.to_owned(),
        },
    )
}

#[derive(Properties, PartialEq)]
pub struct TilesCardProps {
    pub request: Rc<AttentionRequest>,
    /// The kind of the best schedule.
    pub best: Fusion,
    /// Where keys and values are held.
    pub keys_in: KeyStore,
    pub form: AttentionForm,
}

/// Costs over tiles of queries and tiles of keys, for the selected kind of schedule or the best one that fuses.
#[component]
pub fn TilesCard(props: &TilesCardProps) -> Html {
    let act = use_act();
    let best = if props.best == Fusion::None { Fusion::QueriesStay } else { props.best };
    let fusion = props.form.kind().unwrap_or(best);
    let question = TileAttention { request: Rc::clone(&props.request), fusion, keys_in: props.keys_in };
    let answers = use_answers(Channel::AttentionTiles, vec![question]);
    let quantity = Quantity::of_objective(&props.request.objective);
    let Some(tiles) = answers.shown().next() else { return html! {} };
    let title = "Tiles of queries and of keys";
    let chart = attention_tiles(tiles, quantity, props.form.tile());
    // A click opens the pair in the motion card above.
    let on_click = {
        let (chart, act, of) = (chart.clone(), act.clone(), tiles.clone());
        Callback::from(move |at: Spot| {
            let Some((column, row)) = chart.cell_at(at.x, at.y, at.width) else { return };
            if chart.cells.get(row * chart.columns.len() + column).copied().flatten().flatten().is_some() {
                let kind = AttentionForm::word_of(of.fusion).to_owned();
                let tile = format!("{} {}", of.queries[row], of.keys[column]);
                act.emit(Action::FollowAttention { kind, tile });
            }
        })
    };
    let on_pair = {
        let (act, kind) = (act.clone(), AttentionForm::word_of(tiles.fusion).to_owned());
        Callback::from(move |tile| {
            act.emit(Action::FollowAttention { kind: kind.clone(), tile });
        })
    };
    let shown = props.form.tile().map(|(queries, keys)| format!("{queries} {keys}")).unwrap_or_default();
    html! {
        <section class={classes!("card", answers.are_old().then_some("old"))} data-testid="attention-tiles-card"
            data-status={answers.status()}>
            <h2>{ title }</h2>
            <p class="hint">
                { format!(
                    "{} of attention by itself, in one layer, {}. Where there is no number, the tiles do not fit on the chip. Larger \
                     tiles of queries read keys and values less often; larger tiles of keys correct the running results less often. The \
                     least is framed. A click, or the list below, shows a pair in motion, above.",
                    quantity.title(),
                    tiles.fusion.name(),
                ) }
            </p>
            <Figure title="" chart={Drawn::new(chart)} {on_click} testid="attention-tiles" />
            <div class="row">
                <Select label="Tiles in motion" choices={pairs(tiles, quantity)} value={shown} onchange={on_pair} testid="attention-pair" />
            </div>
        </section>
    }
}

/// The pairs of tiles that fit, as a list for use without a pointer.
fn pairs(tiles: &AttentionTiles, quantity: Quantity) -> Vec<ChoiceOption> {
    let all = tiles.queries.iter().flat_map(|queries| tiles.keys.iter().map(move |keys| (queries, keys)));
    let fitting = all.zip(&tiles.scores).filter_map(|((queries, keys), score)| {
        let score = quantity.text((*score)?);
        let title = format!("{} queries, {} keys: {score}", group_thousands(*queries), group_thousands(*keys));
        Some(ChoiceOption::new(format!("{queries} {keys}"), title))
    });
    std::iter::once(ChoiceOption::new("", "its best")).chain(fitting).collect()
}
