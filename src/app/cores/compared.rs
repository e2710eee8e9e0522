//! The allocation compared with others: each tile on one core, evolution, whole layers; and the network on other
//! systems.

use super::core_search::EvaluationInputs;
use super::numbers::asked;
use crate::app::widgets::figures::data_table::explained_table;
use crate::app::widgets::figures::figure::{CellExplanations, Drawn, Figure, made};
use crate::app::widgets::forms::controls::segments;
use crate::app::widgets::page::figure_context::use_act;
use crate::app::widgets::words::explain::ExplainableNumber;
use crate::app::workers::wanted::use_summaries;
use crate::chart::{CoresSweep, Quantity, allocations_table};
use crate::explain::{CoresNumber, explain_choice, explain_systems};
use crate::multicore::{CoresEvaluation, CoresRequest, EvaluatedAllocation, Evolution, StackRule, TileGranularity};
use crate::question::{Channel, CoresMethod, CoresSummary, Refusal};
use crate::spec::{Diagnostics, Preset, system_presets};
use crate::state::{Action, CoresField};
use std::rc::Rc;
use std::sync::Arc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct CoresComparedProps {
    pub inputs: EvaluationInputs,
    /// Evaluations of the best allocations with and without shared tiles.
    pub evaluations: Vec<Option<Result<CoresEvaluation, Diagnostics>>>,
    /// The best allocation so far.
    pub best: EvaluatedAllocation,
    /// Evaluation of the choice by hand.
    pub by_hand: Option<EvaluatedAllocation>,
    /// The schedule shown above.
    pub shown: Option<CoresEvaluation>,
}

/// A short reason why there is no schedule.
fn in_short(refusal: &Refusal) -> &'static str {
    let Refusal::Rejected(wrong) = refusal else { return "failed" };
    match wrong.0.first().map(|first| first.path.as_str()) {
        Some("system.cores") => "no core runs some of its layers",
        Some(path) if path.starts_with("allocation") => "no mapping",
        _ => "does not fit",
    }
}

/// Both comparisons.
#[component]
pub fn CoresCompared(props: &CoresComparedProps) -> Html {
    let EvaluationInputs { request, stack_allocations } = &props.inputs;
    let layers = use_memo(Rc::clone(request), |request| {
        let mut layers = (**request).clone();
        layers.settings.granularity = TileGranularity::LayerByLayer;
        layers.settings.stacks = StackRule::EachLayer;
        layers
    });
    let evolution = CoresMethod::Evolution { costs: Arc::clone(&stack_allocations.costs), evolution: Evolution::PAPER };
    let questions = vec![
        CoresSummary { request: Rc::clone(request), method: evolution },
        CoresSummary { request: layers, method: CoresMethod::Best { by_hand: Vec::new() } },
    ];
    let (others, start, stop) = use_summaries(Channel::CoresEvolved, questions);
    let summary = |evaluation: &Option<Result<CoresEvaluation, Diagnostics>>| {
        let evaluated = &evaluation.as_ref()?.as_ref().ok()?.evaluated;
        Some((evaluated.energy_pj, evaluated.latency_cycles))
    };
    let [shared, single] = &props.evaluations[..] else { return html! {} };
    let other = |index: usize| others.get(index).and_then(|answer| answer.as_ref().ok().copied());
    let pair = |evaluated: &EvaluatedAllocation| (evaluated.energy_pj, evaluated.latency_cycles);
    let names = ["evolution, 16 individuals, 16 generations (NSGA-II)", "layer by layer, whole layers as tiles"];
    let refused = names.iter().enumerate().filter_map(|(index, name)| {
        let reason = match others.get(index)?.as_ref().err()?.to_string() {
            none if none.is_empty() => "there is no schedule".to_owned(),
            reason => reason,
        };
        Some(html! { <p class="banner" role="alert">{ format!("{name}: {reason}") }</p> })
    });
    let mut rows = vec![
        ("tiles shared by several cores, steady state proved (WACO)", summary(shared)),
        ("each tile on one core (p = 1): steady state proved, or cores balanced", summary(single)),
        ("the better of both, then better cores for single layers", Some(pair(&props.best))),
        (names[0], other(0)),
        (names[1], other(1)),
    ];
    rows.extend(props.by_hand.as_ref().map(|by_hand| ("chosen by hand", Some(pair(by_hand)))));
    let known = |pair: &EvaluatedAllocation| props.shown.as_ref().filter(|shown| shown.evaluated == *pair);
    let evaluation = |of: &Option<Result<CoresEvaluation, Diagnostics>>| of.as_ref()?.as_ref().ok().cloned();
    let mut accounts = vec![evaluation(shared), evaluation(single), known(&props.best).cloned(), None, None];
    accounts.extend(props.by_hand.as_ref().map(|by_hand| known(by_hand).cloned()));
    let numbers = compared_numbers(&rows, &accounts);
    let status = others.status();
    let done = others.done();
    html! {
        <>
            <section class="card" data-testid="cores-compared" data-status={status}>
                <h2>{ "Beside other allocations" }</h2>
                <div class="scroll" tabindex="0" role="group" aria-label="Allocations">
                    { explained_table(Rc::new(allocations_table("Allocations", "allocation", &rows)), &numbers) }
                </div>
                <div class="row start">
                    <button type="button" onclick={start} disabled={matches!(status, "running" | "done")} data-testid="compare-allocations">
                        { "Work out evolution and layer by layer" }
                    </button>
                    if status == "running" {
                        <button type="button" onclick={stop} data-testid="stop-allocations">{ "Stop" }</button>
                        <span class="hint" role="status">{ format!("{done} of {} done", others.all()) }</span>
                    }
                </div>
                { for refused }
            </section>
            <Systems request={Rc::clone(request)} />
        </>
    }
}

/// A name, with energy and latency if they are known.
type ComparedRow<'a> = (&'a str, Option<(f64, f64)>);

/// Explanations of the table of allocations, for the accounts that are known.
fn compared_numbers(rows: &[ComparedRow<'_>], accounts: &[Option<CoresEvaluation>]) -> CellExplanations {
    let first = rows.first().and_then(|(name, summary)| Some((*name, (*summary)?)));
    let row = |((name, summary), evaluation): (&ComparedRow<'_>, &Option<CoresEvaluation>)| {
        let of = |number: CoresNumber| evaluation.as_ref().and_then(|evaluation| asked(&evaluation.account, number));
        let [latency, energy, product, times] = match summary {
            Some(summary) => explain_choice((name, *summary), first)
                .map(|explained| Some(ExplainableNumber::Made(Rc::new(explained?)))),
            None => [None, None, None, None],
        };
        let (latency, energy) = (of(CoresNumber::Latency).or(latency), of(CoresNumber::Energy).or(energy));
        vec![None, latency, energy, of(CoresNumber::EnergyDelay).or(product), times]
    };
    Some(Rc::new(rows.iter().zip(accounts).map(row).collect()))
}

#[derive(Properties, PartialEq)]
struct SystemsProps {
    request: Rc<CoresRequest>,
}

/// Buttons that open a system preset, with the tiles of the form.
fn open_system(shown: &str, act: &Callback<Action>) -> Html {
    let others = system_presets().iter().filter(|preset| preset.text != shown);
    let button = |preset: &'static Preset| {
        let onclick = act.reform(move |_: MouseEvent| Action::Cores(CoresField::Preset(Some(preset.id.to_owned()))));
        html! {
            <button type="button" class="small" {onclick} data-testid={format!("open-{}", preset.id)}>{ preset.title }</button>
        }
    };
    html! {
        <div class="row start" role="group" aria-label="Open a system">
            <small>{ "Open" }</small>
            { for others.map(button) }
        </div>
    }
}

/// Systems by granularity (Stream, Figs. 14 to 16).
#[component]
fn Systems(props: &SystemsProps) -> Html {
    let act = use_act();
    let request = &props.request;
    let quantity = use_state_eq(|| Quantity::EnergyDelay);
    // The current system first, then the presets that differ from it.
    let systems: Vec<(String, String)> = std::iter::once(("the one above".to_owned(), request.system.clone()))
        .chain(
            system_presets()
                .iter()
                .filter(|preset| preset.text != request.system)
                .map(|preset| (preset.title.to_owned(), preset.text.to_owned())),
        )
        .collect();
    let questions = use_memo((Rc::clone(request), systems.clone()), |(request, systems)| {
        let of = |(_, system): &(String, String)| {
            let request = CoresRequest { system: system.clone(), ..(**request).clone() };
            CoresSweep::TILES.map(|(rows, ..)| {
                let mut request = request.clone();
                (request.settings.granularity, request.settings.stacks) = match rows {
                    Some(rows) => (TileGranularity::Rows(rows), request.settings.stacks.clone()),
                    None => (TileGranularity::LayerByLayer, StackRule::EachLayer),
                };
                CoresSummary { request: Rc::new(request), method: CoresMethod::Best { by_hand: Vec::new() } }
            })
        };
        systems.iter().flat_map(of).collect::<Vec<_>>()
    });
    let (summaries, start, stop) = use_summaries(Channel::CoresSweep, questions.to_vec());
    let (done, all, status) = (summaries.done(), summaries.all(), summaries.status());
    let systems_count = systems.len();
    let sweep = CoresSweep {
        quantity: *quantity,
        systems: systems.into_iter().map(|(name, _)| name).collect(),
        found: (0..all)
            .map(|index| summaries.get(index).map(|answer| answer.as_ref().copied().map_err(in_short)))
            .collect(),
    };
    let show = {
        let quantity = quantity.clone();
        Callback::from(move |wanted: Quantity| quantity.set(wanted))
    };
    html! {
        <section class="card" data-testid="cores-systems" data-status={status}>
            <h2>{ "Other systems and other tiles" }</h2>
            <p class="hint">
                { "The same network on every system that comes along, layer by layer and in tiles of 16, 4 and 1 rows, \
                   each with its best allocation (Stream, Figs. 14 to 16): " }
                { CoresSweep::TILES.len() * systems_count }{ " schedules, mostly of about a second each." }
            </p>
            <div class="row start">
                <button type="button" onclick={start} disabled={status == "running"} data-testid="sweep-systems">
                    { "Work them out" }
                </button>
                if status == "stopped" {
                    <span class="hint" role="status">{ format!("stopped after {done} of {all}") }</span>
                }
                if status == "running" {
                    <button type="button" onclick={stop} data-testid="stop-systems">{ "Stop" }</button>
                    <progress value={done.to_string()} max={all.to_string()} aria-label="Share that is worked out" />
                    <span class="hint" role="status">{ format!("{done} of {all}") }</span>
                }
            </div>
            if let Some(failure) = summaries.failure() {
                <p class="banner" role="alert">{ failure.to_owned() }</p>
            }
            if done > 0 {
                { segments("What is shown", &CoresSweep::QUANTITIES, *quantity, show) }
                <Figure
                    title=""
                    chart={Drawn::new(sweep.bars())}
                    numbers={made(explain_systems(&sweep))}
                    testid="systems-bars"
                />
                { open_system(&request.system, &act) }
            }
        </section>
    }
}
