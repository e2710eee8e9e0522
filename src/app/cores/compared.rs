//! The allocation beside others: each tile on one core, evolution, whole layers; and the network on other systems.

use super::study::{Ground, Verdict};
use crate::app::studies::systems::use_summaries;
use crate::app::widgets::controls::segments;
use crate::app::widgets::data_table::plain_table;
use crate::app::widgets::figure::{Drawn, Figure};
use crate::app::workers::handle::Workers;
use crate::chart::{CoresSweep, Quantity, allocations_table};
use crate::multicore::{CoresRequest, Granularity, Judged, StackRule};
use crate::question::{Question, Topic};
use crate::spec::{Diagnostics, system_presets};
use yew::prelude::*;

/// Individuals and generations of the evolution (Stream, Section 6: 16 of each).
const EVOLUTION: (u32, u32) = (16, 16);

/// What [`CoresCompared`] needs.
#[derive(Properties, PartialEq)]
pub struct CoresComparedProps {
    /// What is asked, and what is known of it.
    pub ground: Ground,
    /// What the allocations with shared tiles and without come to.
    pub verdicts: [Option<Result<Verdict, Diagnostics>>; 2],
    /// The best that is known.
    pub best: Judged,
    /// What a choice by hand comes to.
    pub by_hand: Option<Judged>,
    /// Asks workers.
    pub workers: Workers,
}

/// Why there is no schedule, in a few words.
fn in_short(wrong: &Diagnostics) -> &'static str {
    match wrong.0.first().map(|first| first.path.as_str()) {
        Some("system.cores") => "no core runs some of its layers",
        Some(path) if path.starts_with("allocation") => "no mapping",
        _ => "does not fit",
    }
}

/// Both comparisons.
#[component]
pub fn CoresCompared(props: &CoresComparedProps) -> Html {
    let request = &props.ground.request;
    let (others, start, stop) = {
        let ground = props.ground.clone();
        use_summaries(&props.workers, Topic::CoresEvolved, vec![request.clone()], move || {
            let Ground { request, costs, .. } = ground.clone();
            let mut layers = request.clone();
            layers.settings.granularity = Granularity::LayerByLayer;
            layers.settings.stacks = StackRule::EachLayer;
            vec![
                Question::CoresEvolved(Box::new(request), costs.to_vec(), EVOLUTION.0, EVOLUTION.1),
                Question::CoresSummary(Box::new(layers), Vec::new()),
            ]
        })
    };
    let summary = |verdict: &Option<Result<Verdict, Diagnostics>>| {
        let verdict = verdict.as_ref()?.as_ref().ok()?;
        Some((verdict.judged.energy_pj, verdict.judged.latency_cycles))
    };
    let [shared, single] = &props.verdicts;
    let other = |index: usize| others.found.get(index).and_then(|found| found.as_ref()?.as_ref().ok().copied());
    let pair = |judged: &Judged| (judged.energy_pj, judged.latency_cycles);
    let mut rows = vec![
        ("tiles shared by several cores, steady state proved (WACO)", summary(shared)),
        ("each tile on one core (p = 1): steady state proved, or cores balanced", summary(single)),
        ("the better of both, then better cores for single layers", Some(pair(&props.best))),
        ("evolution, 16 individuals, 16 generations (NSGA-II)", other(0)),
        ("layer by layer, whole layers as tiles", other(1)),
    ];
    rows.extend(props.by_hand.as_ref().map(|by_hand| ("chosen by hand", Some(pair(by_hand)))));
    let status = others.status();
    let done = others.found.iter().flatten().count();
    html! {
        <>
            <section class="card" data-testid="cores-compared" data-status={status}>
                <h2>{ "Beside other allocations" }</h2>
                <div class="scroll" tabindex="0" role="group" aria-label="Allocations">
                    { plain_table(allocations_table("Allocations", "allocation", &rows)) }
                </div>
                <div class="row start">
                    <button type="button" onclick={start} disabled={matches!(status, "running" | "done")} data-testid="compare-allocations">
                        { "Work out evolution and layer by layer" }
                    </button>
                    if status == "running" {
                        <button type="button" onclick={stop} data-testid="stop-allocations">{ "Stop" }</button>
                        <span class="hint" role="status">{ format!("{done} of {} done", others.found.len()) }</span>
                    }
                </div>
            </section>
            <Systems request={request.clone()} workers={props.workers.clone()} />
        </>
    }
}

#[derive(Properties, PartialEq)]
struct SystemsProps {
    request: CoresRequest,
    workers: Workers,
}

/// Systems by granularity (Stream, Figs. 14 to 16).
#[component]
fn Systems(props: &SystemsProps) -> Html {
    let request = &props.request;
    let quantity = use_state_eq(|| Quantity::EnergyDelay);
    // The system at hand first, then those that come along and are other ones.
    let systems: Vec<(String, String)> = std::iter::once(("the one above".to_owned(), request.system.clone()))
        .chain(
            system_presets()
                .iter()
                .filter(|preset| preset.text != request.system)
                .map(|preset| (preset.title.to_owned(), preset.text.to_owned())),
        )
        .collect();
    let questions = {
        let (request, systems) = (request.clone(), systems.clone());
        move || {
            let of = |(_, system): &(String, String)| {
                let request = CoresRequest { system: system.clone(), ..request.clone() };
                CoresSweep::TILES.map(|(rows, ..)| {
                    let mut request = request.clone();
                    (request.settings.granularity, request.settings.stacks) = match rows {
                        Some(rows) => (Granularity::Rows(rows), request.settings.stacks.clone()),
                        None => (Granularity::LayerByLayer, StackRule::EachLayer),
                    };
                    Question::CoresSummary(Box::new(request), Vec::new())
                })
            };
            systems.iter().flat_map(of).collect()
        }
    };
    let (findings, start, stop) = use_summaries(&props.workers, Topic::CoresSweep, vec![request.clone()], questions);
    let (found, status) = (&findings.found, findings.status());
    let done = found.iter().flatten().count();
    let systems_count = systems.len();
    let sweep = CoresSweep {
        quantity: *quantity,
        systems: systems.into_iter().map(|(name, _)| name).collect(),
        found: found
            .iter()
            .map(|found| found.as_ref().map(|found| found.as_ref().copied().map_err(in_short)))
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
                { "The same network on every system that comes along, layer by layer and in tiles of 16, 4 and 1 rows, each with its best \
                   allocation (Stream, Figs. 14 to 16): " }{ CoresSweep::TILES.len() * systems_count }{ " schedules, mostly of about a second each." }
            </p>
            <div class="row start">
                <button type="button" onclick={start} disabled={status == "running"} data-testid="sweep-systems">
                    { "Work them out" }
                </button>
                if status == "stopped" {
                    <span class="hint" role="status">{ format!("stopped after {done} of {}", found.len()) }</span>
                }
                if status == "running" {
                    <button type="button" onclick={stop} data-testid="stop-systems">{ "Stop" }</button>
                    <progress value={done.to_string()} max={found.len().to_string()} aria-label="Share that is worked out" />
                    <span class="hint" role="status">{ format!("{done} of {}", found.len()) }</span>
                }
            </div>
            if done > 0 {
                { segments("What is shown", &CoresSweep::QUANTITIES, *quantity, show) }
                <Figure title="" chart={Drawn::new(sweep.bars())} testid="systems-bars" />
            }
        </section>
    }
}
