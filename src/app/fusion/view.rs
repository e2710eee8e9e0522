//! The layers that run together: by DeFiNES' rule, by Optimus, and jointly optimal with tiles and modes.

use super::dataflows::FusionDataflows;
use super::graph::FusionGraph;
use super::graph::graph_of;
use super::numbers::{dram_numbers, energy_numbers, latency_numbers, method_numbers, number};
use super::online::FusionOnline;
use super::sequences::FusionSequences;
use super::sweeps::FusionSweeps;
use super::times::FusionTimes;
use crate::app::session::handle::Session;
use crate::app::session::state::PageState;
use crate::app::widgets::figures::data_table::explained_table;
use crate::app::widgets::figures::figure::{Drawn, Figure};
use crate::app::widgets::forms::controls::TextField;
use crate::app::widgets::forms::diagnostics::DiagnosticList;
use crate::app::widgets::page::figure_context::use_act;
use crate::app::widgets::words::term::termed;
use crate::app::workers::stacks::{StackStudyState, use_request, use_study};
use crate::chart::{
    FusionMap, NetworkDrawing, Quantity, above_best, fusion_dram, fusion_energy, fusion_latency, fusion_table,
    group_thousands, three_digits,
};
use crate::explain::FusionNumber;
use crate::explore::{FusionComparison, FusionMethod, FusionResult, Request};
use crate::question::{Channel, Refusal};
use crate::spec::{Diagnostics, listed_names};
use crate::state::{Action, FusionPart, Schedule, ScheduleField, ViewField};
use std::rc::Rc;
use std::sync::Arc;
use yew::prelude::*;

/// The view, as the page shows it.
pub fn view(state: Rc<PageState>, session: &Session) -> Html {
    let graph = session.network().map(|network| Rc::new(graph_of(&network)));
    html! { <FusionView {state} {graph} is_valid={session.is_valid} /> }
}

#[derive(Properties, PartialEq)]
pub struct FusionViewProps {
    pub state: Rc<PageState>,
    /// `None` if the network document is invalid.
    pub graph: Option<Rc<NetworkDrawing>>,
    /// Whether both documents are valid.
    pub is_valid: bool,
}

/// All methods side by side. The work starts when the view is opened, after the sweep.
#[component]
pub fn FusionView(props: &FusionViewProps) -> Html {
    let act = use_act();
    let request = use_request(&props.state.chosen.design, props.is_valid);
    let limits = props.state.chosen.design.schedule.stack_limits();
    let asked = request.clone().zip(limits.clone().ok());
    let study = use_study(Channel::Fusion, asked.clone());
    let status = study.status;
    // While the design has errors, the last study and its choices stay.
    let kept = use_mut_ref(|| None);
    if asked.is_some() {
        kept.borrow_mut().clone_from(&asked);
    }
    let studied = kept.borrow().clone().filter(|_| study.fusions.is_some());
    let part = props.state.chosen.view.fusion_part;
    // Sections that were opened once keep running, so that no result is lost.
    let opened = use_mut_ref(Vec::new);
    if !opened.borrow().contains(&part) {
        opened.borrow_mut().push(part);
    }
    let is_opened = |wanted: FusionPart| opened.borrow().contains(&wanted);
    html! {
        <div data-testid="fusion-view" data-status={status} aria-busy={(status == "running").then_some("true")}>
            { parts(part, &act) }
            <div hidden={part != FusionPart::Methods}>
                <section class="card">
                    <h2>{ "Which layers run together?" }</h2>
                    <p class="hint">
                        { termed(
                            "Every method divides the network into [groups|fused operator-group]. Each group is then run as a \
                             depth-first [stack] with the [tile|tile size] and the [mode|overlap storing mode] of the \
                             landscape's grid that suit it best, so that all are judged by the same cost model.",
                        ) }
                    </p>
                    { progress(&study) }
                    if let Some(fusions) = &study.fusions {
                        <div class={(status != "done").then_some("old")}>
                            { headline(fusions, request.as_deref()) }
                            <div class="scroll" tabindex="0" role="group" aria-label="Methods">
                                { explained_table(Rc::new(fusion_table(fusions)), &method_numbers(fusions)) }
                            </div>
                            { notes(fusions) }
                            { choices(fusions, &act) }
                        </div>
                    }
                    { limit_fields(&props.state.chosen.design.schedule, limits.as_ref().err(), &act) }
                    if request.is_none() {
                        <p class="hint" role="status">{ "The design has errors. Mend them in its cards." }</p>
                    }
                </section>
                if let Some(fusions) = study.fusions.as_ref().filter(|_| is_opened(FusionPart::Methods)) {
                    <div class={(status != "done").then_some("old")}>
                        { methods_in_depth(fusions, props.graph.as_ref()) }
                    </div>
                }
            </div>
            if part != FusionPart::Methods && part != FusionPart::Times && studied.is_none() {
                <section class="card">{ progress(&study) }</section>
            }
            if let Some((request, limits)) = studied {
                <div class={asked.is_none().then_some("old")}>
                    if is_opened(FusionPart::Buffer) {
                        <div hidden={part != FusionPart::Buffer}>
                            <FusionOnline request={request.clone()} />
                        </div>
                    }
                    if is_opened(FusionPart::WhatIf) {
                        <div hidden={part != FusionPart::WhatIf}>
                            <FusionSweeps request={request.clone()} />
                            <FusionDataflows request={request.clone()} {limits} />
                        </div>
                    }
                    if is_opened(FusionPart::Sequences) {
                        <div hidden={part != FusionPart::Sequences}>
                            <FusionSequences {request} />
                        </div>
                    }
                </div>
            }
            if is_opened(FusionPart::Times) {
                <div hidden={part != FusionPart::Times}>
                    <FusionTimes />
                </div>
            }
        </div>
    }
}

/// The sections, one of which is open.
fn parts(open: FusionPart, act: &Callback<Action>) -> Html {
    let part = |(part, title): (FusionPart, &'static str)| {
        let onclick = act.reform(move |_: MouseEvent| Action::Look(ViewField::FusionPart(part)));
        html! {
            <button type="button" aria-current={(part == open).then_some("true")} {onclick}
                data-testid={format!("fusion-{}-part", part.name())}>{ title }</button>
        }
    };
    html! { <nav class="parts" aria-label="Questions of fusion">{ for FusionPart::ALL.into_iter().map(part) }</nav> }
}

/// The stacks of each method, on a map and on the graph, and accesses, energy and latency by cause.
fn methods_in_depth(fusions: &Arc<FusionComparison>, graph: Option<&Rc<NetworkDrawing>>) -> Html {
    html! {
        <>
            <section class="card">
                <Figure
                    title="Layers that run as one stack"
                    hint="A block is a stack, with its tile (columns × rows) and how it stores overlap."
                    chart={Drawn::new(FusionMap::new(fusions))}
                    testid="fusion-map"
                />
            </section>
            if let Some(graph) = graph {
                <FusionGraph graph={Rc::clone(graph)} fusions={Arc::clone(fusions)} />
            }
            <section class="card">
                <h2>{ "Where accesses, energy and time go" }</h2>
                <Figure
                    title=""
                    chart={Drawn::new(fusion_dram(fusions))}
                    numbers={dram_numbers(fusions)}
                    testid="fusion-dram"
                />
                <Figure
                    title=""
                    chart={Drawn::new(fusion_energy(fusions))}
                    numbers={energy_numbers(fusions)}
                    testid="fusion-energy"
                />
                <Figure
                    title=""
                    chart={Drawn::new(fusion_latency(fusions))}
                    numbers={latency_numbers(fusions)}
                    testid="fusion-latency"
                />
            </section>
        </>
    }
}

/// Limits of code and control on the stacks of every method.
fn limit_fields(schedule: &Schedule, wrong: Option<&Diagnostics>, act: &Callback<Action>) -> Html {
    let wrong = wrong.cloned().unwrap_or_default();
    let invalid = |what: &str| wrong.0.iter().any(|diagnostic| diagnostic.path.ends_with(what));
    html! {
        <>
            <div class="limits" role="group" aria-label="Limits of a stack">
                <TextField
                    label="Layers of a stack, at most"
                    value={schedule.most_layers.clone()}
                    oninput={act.reform(|text| Action::Schedule(ScheduleField::MostLayers(text)))}
                    placeholder="any number"
                    testid="most-layers"
                    invalid={invalid("layers")}
                />
                <TextField
                    label="Tiles of a stack, at most"
                    value={schedule.most_tiles.clone()}
                    oninput={act.reform(|text| Action::Schedule(ScheduleField::MostTiles(text)))}
                    placeholder="any number"
                    testid="most-tiles"
                    invalid={invalid("tiles")}
                />
            </div>
            <DiagnosticList diagnostics={wrong} testid="limit-errors" />
        </>
    }
}

fn progress(study: &StackStudyState) -> Html {
    let (done, parts) = (study.done, study.parts.unwrap_or(0));
    match (study.status, &study.refusal) {
        (_, Some(Refusal::Rejected(wrong))) => html! {
            <ul class="banner" role="alert" data-testid="fusion-wrong">
                { for wrong.0.iter().map(|diagnostic| html! { <li>{ diagnostic.to_string() }</li> }) }
            </ul>
        },
        (_, Some(Refusal::Failed(failure))) => html! { <p class="banner" role="alert">{ failure.clone() }</p> },
        ("running", _) => html! {
            <p class="hint" role="status">
                { "Working out every stack with every tile and mode … " }
                if parts > 0 {
                    <progress max={parts.to_string()} value={done.to_string()} aria-label="Parts done"></progress>
                    { format!(" {done} of {parts}") }
                }
            </p>
        },
        _ => html! {},
    }
}

fn headline(fusions: &Arc<FusionComparison>, request: Option<&Request>) -> Html {
    let result = |wanted: FusionMethod| {
        let found = fusions.results.iter().find(|(method, _)| *method == wanted);
        found.and_then(|(_, result)| result.as_ref().ok())
    };
    let Some(optimal) = result(FusionMethod::Optimal) else { return html! {} };
    let value = |result: &FusionResult| result.stacks.score;
    let quantity = request.map_or(Quantity::Energy, |request| Quantity::of_objective(&request.settings.objective));
    let against = |method: FusionMethod, name: &str| {
        result(method).map(|other| {
            let factor = value(other) / value(optimal);
            // A method judged by another objective may be better in this number.
            let gain = |factor: f64| number(fusions, FusionNumber::Gain(method), format!("{}×", three_digits(factor)));
            match () {
                () if (factor - 1.0).abs() < 5e-4 => html! { { format!("equal to {name}") } },
                () if factor > 1.0 => html! { <>{ gain(factor) }{ format!(" below {name}") }</> },
                () => html! { <>{ gain(1.0 / factor) }{ format!(" above {name}") }</> },
            }
        })
    };
    let kpi = |big: Html, small: Html| html! { <div class="kpi"><b>{ big }</b><span>{ small }</span></div> };
    let gains = [
        against(FusionMethod::SingleLayer, "single layers"),
        against(FusionMethod::Automatic, "DeFiNES' rule"),
        against(FusionMethod::Optimus, "Optimus"),
    ];
    let others = [gains[0].clone(), gains[2].clone()].into_iter().flatten();
    let others = others.enumerate().map(|(index, gain)| html! { <>{ if index > 0 { " · " } else { "" } }{ gain }</> });
    let others: Html = others.collect();
    let stacks = optimal.layers.len();
    let (cuttings, different) = (ways(fusions.cuttings), group_thousands(fusions.stacks as u64));
    let all = match fusions.listed.scope() {
        None => format!("the best of {cuttings} ways to cut, of {different} different stacks"),
        Some(scope) => format!("the best of {scope}: {different} stacks, {cuttings} ways to cut; others are too many"),
    };
    html! {
        <div class="answer" data-testid="fusion-answer">
            { kpi(
                number(fusions, FusionNumber::Score(FusionMethod::Optimal), quantity.text(value(optimal))),
                html! { { format!("jointly optimal {}", quantity.title().to_lowercase()) } },
            ) }
            { kpi(
                number(
                    fusions,
                    FusionNumber::Stacks(FusionMethod::Optimal),
                    if stacks == 1 { "1 stack".to_owned() } else { format!("{stacks} stacks") },
                ),
                html! { { all } },
            ) }
            { kpi(gains[1].clone().unwrap_or_default(), others) }
        </div>
    }
}

fn ways(count: f64) -> String {
    if count < 1e15 { group_thousands(count as u64) } else { "more than 10¹⁵".to_owned() }
}

/// Descriptions of the methods, reasons why one has no result, and the scope of Optimus' model.
fn notes(fusions: &Arc<FusionComparison>) -> Html {
    let item = |(method, result): &(FusionMethod, Result<FusionResult, Diagnostics>)| {
        let reasons =
            result.as_ref().err().map(|wrong| wrong.0.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
        html! {
            <>
                <dt>{ method.title() }</dt>
                <dd>
                    { method.about() }
                    if let Some(reasons) = reasons {
                        { format!(" Not possible here: {reasons}") }
                    }
                </dd>
            </>
        }
    };
    let oracle = fusions.oracle_bytes.map(|bytes| {
        let least = number(fusions, FusionNumber::Oracle, Quantity::Bytes.text(bytes as f64));
        let why = " by it: every weight and the network's input and output once.";
        html! { <>{ " No groups move less than " }{ least }{ why }</> }
    });
    let exact = fusions.results.iter().find(|(method, _)| *method == FusionMethod::Optimus);
    let exact_bytes = exact.and_then(|(_, result)| result.as_ref().ok()?.optimus_bytes);
    let bound = fusions.bound_bytes.zip(exact_bytes).map(|(bound, bytes)| {
        format!(
            " The network is too wide for an exact search: what stands for it is a good choice of groups, {}.",
            above_best(bytes as f64, bound as f64)
        )
    });
    html! {
        <details class="twin">
            <summary>{ "the methods" }</summary>
            <dl class="methods">{ for fusions.results.iter().map(item) }</dl>
            <p class="hint">
                { "Optimus' model counts bytes between DRAM and one buffer of " }
                { number(fusions, FusionNumber::Buffer, Quantity::Bytes.text(fusions.buffer_bytes as f64)) }
                { ", the highest memories on the chip together." }
                { oracle.unwrap_or_default() }
                { bound.unwrap_or_default() }
                { " A group with several outputs is run as several stacks, as a stack has one output." }
            </p>
        </details>
    }
}

/// Buttons that take a method's stacks over into the schedule.
fn choices(fusions: &FusionComparison, act: &Callback<Action>) -> Html {
    let choice = |(method, result): (FusionMethod, &FusionResult)| {
        let ends = listed_names(&result.stacks.ends);
        let onclick = act.reform(move |_: MouseEvent| Action::EndStacksAfter(ends.clone()));
        html! {
            <button type="button" class="small" {onclick} data-testid={format!("use-{method:?}").to_lowercase()}>
                { method.title() }
            </button>
        }
    };
    let known = fusions.results.iter().filter_map(|(method, result)| Some((*method, result.as_ref().ok()?)));
    html! {
        <div class="row" role="group" aria-label="Cut the network as a method does">
            <small>{ "Cut the network as" }</small>
            { for known.map(choice) }
        </div>
    }
}
