//! The view of one layer's mapping: its loop nest, the effect of every loop, energy and latency by cause, and a mapping
//! made by hand beside the best.

use super::constraints::Constraints;
use super::loop_editor::{LoopEditor, operand_badge};
use super::loop_trace::LoopTraceCard;
use super::rules_table::RulesTable;
use super::strategies::Strategies;
use super::unrolling_table::{UnrollingTable, unrolled_text};
use crate::app::session::handle::Session;
use crate::app::session::state::PageState;
use crate::app::widgets::figures::data_table::explained_table;
use crate::app::widgets::figures::figure::{CellExplanations, Drawn, Figure};
use crate::app::widgets::forms::controls::{ChoiceOption, Select};
use crate::app::widgets::forms::diagnostics::{DiagnosticList, prose};
use crate::app::widgets::page::figure_context::use_act;
use crate::app::widgets::words::explain::{ExplainableNumber, Number};
use crate::app::widgets::words::term::termed;
use crate::app::workers::answers::Answers;
use crate::app::workers::ask::use_answers;
use crate::chart::{
    Breakdown, Lines, LoopNests, OPERAND_ORDER, Quantity, group_thousands, information_table, memories_of, port_table,
    three_digits,
};
use crate::cost::{EnergyCause, LatencyCause, LatencySplit, MappingError};
use crate::explain::{LayerNumber, LevelFigure};
use crate::explore::{LayerFacts, LayerRequest, MappedLayer, TemporalMapping};
use crate::question::{BestMapping, Channel, EvaluateMapping, FindAllowedMapping, FindBestMapping, Refusal, Reply};
use crate::search::{Proof, Strategy};
use crate::state::{Action, MappingField};
use crate::workload::Network;
use std::rc::Rc;
use yew::prelude::*;

/// The view, as the page shows it.
pub fn view(state: Rc<PageState>, session: &Session) -> Html {
    html! { <MappingView {state} network={session.network()} is_valid={session.is_valid} /> }
}

#[derive(Properties)]
pub struct MappingViewProps {
    pub state: Rc<PageState>,
    /// The network, if its document is valid.
    pub network: Option<Rc<Network>>,
    /// Whether both documents are valid.
    pub is_valid: bool,
}

impl PartialEq for MappingViewProps {
    fn eq(&self, other: &Self) -> bool {
        let same_network = match (&self.network, &other.network) {
            (Some(mine), Some(its)) => Rc::ptr_eq(mine, its),
            (mine, its) => mine.is_none() && its.is_none(),
        };
        same_network && self.is_valid == other.is_valid && self.state == other.state
    }
}

/// The evaluation of a mapping made by hand.
type EvaluatedMapping = Result<Rc<MappedLayer>, Vec<MappingError>>;

#[component]
pub fn MappingView(props: &MappingViewProps) -> Html {
    let act = use_act();
    let request = use_memo((props.state.chosen.layer_request(), props.is_valid), |(request, is_valid)| {
        request.clone().filter(|_| *is_valid).map(Rc::new)
    });
    let request = (*request).clone();
    let subject = props.state.chosen.mapping_subject();
    let asked = request.clone().map(|request| FindBestMapping { request });
    let answers = use_answers(Channel::BestMapping, asked.into_iter().collect());
    let last = use_last(&answers);
    let constraints = props.state.chosen.mapping.constraints.clone();
    let asked = request.clone().filter(|_| !constraints.trim().is_empty());
    let asked = asked.map(|request| FindAllowedMapping { request, constraints: constraints.clone() });
    let is_constrained = asked.is_some();
    let permits = use_answers(Channel::AllowedMapping, asked.into_iter().collect());
    // While a document is evaluated, the result of the previous one stays.
    let allowed = permits.shown().next().filter(|_| is_constrained).and_then(|allowed| allowed.clone().ok()).flatten();
    // A link can contain any mapping.
    let facts = last.as_ref().and_then(|(_, answer)| Some(Rc::clone(&answer.as_ref().ok()?.facts)));
    let facts = allowed.as_ref().map(|allowed| Rc::clone(&allowed.facts)).or(facts);
    let own = props.state.chosen.own_mapping().cloned();
    let own = own.filter(|own| facts.as_ref().is_none_or(|facts| own.suits(facts)));
    // It is not evaluated before the best is known: one that does not match the layer has no meaning.
    let judges = request.clone().zip(own.clone()).filter(|_| answers.is_complete() && permits.is_complete());
    let judges = judges.map(|(request, own)| match &allowed {
        Some(allowed) => (Rc::new(LayerRequest { unroll: Some(allowed.unroll.clone()), ..(*request).clone() }), own),
        None => (request, own),
    });
    let judges = judges.map(|(request, mapping)| EvaluateMapping { request, mapping });
    let judgements = use_answers(Channel::OwnMapping, judges.into_iter().collect());

    let change = act.reform(Action::Mapping);
    let failure = judgements.refusal().or(last.as_ref().and_then(|(_, answer)| answer.as_ref().err()));
    // The numbers belong to an earlier edit until the last one is evaluated.
    let own_waits = failure.is_none() && own.is_some() && judgements.reply(0).is_none();
    let waits = request.is_some() && (!answers.is_complete() || !permits.is_complete() || own_waits);
    let picker = picker(props, facts.as_deref(), &change);
    let body = match (&last, failure) {
        (_, Some(Refusal::Failed(text))) => html! {
            <section class="card"><p>{ format!("Two workers failed on this layer, the second with: {text}") }</p></section>
        },
        (Some((asked, Ok(BestMapping { facts, best: Ok((best, proof)) }))), _) => {
            let best_of_all = best;
            let (facts, best, proof) = match &allowed {
                Some(allowed) => (&allowed.facts, &allowed.mapped, &allowed.proof),
                None => (facts, best, proof),
            };
            // Until the cost of an edit is known, the previous numbers stay.
            let judged: Option<&EvaluatedMapping> = judgements.shown().next().filter(|_| own.is_some());
            let shown = judged.and_then(|own| own.as_ref().ok()).unwrap_or(best);
            let flaws = judged.and_then(|own| own.as_ref().err());
            let mapping = own.clone().unwrap_or_else(|| best.mapping.clone());
            let on_edit = {
                let subject = subject.clone();
                change.reform(move |next: TemporalMapping| MappingField::Edited(Some((subject.clone(), next))))
            };
            let strategy = asked.strategy;
            let source = match judged.map(|own| own.is_ok()) {
                _ if own_waits => MappingSource::Awaited,
                Some(true) => MappingSource::Hand,
                Some(false) => MappingSource::Invalid,
                None => MappingSource::Search(*proof, strategy),
            };
            let constraint = match permits.get(0) {
                _ if !is_constrained => ConstraintCheck::None,
                Some(Err(_) | Ok(Err(_))) => ConstraintCheck::Unmet,
                _ if allowed.is_some() => ConstraintCheck::Met,
                _ => ConstraintCheck::None,
            };
            let nest = match flaws {
                Some(flaws) => LoopNests::invalid(facts, best, &mapping, flaws),
                None => LoopNests::new(facts, shown),
            };
            html! {
                <>
                    { heading(facts, shown, best_of_all, (source, constraint)) }
                    <section class="card">
                        <Figure
                            title="Loop nest"
                            hint="Innermost loops at the bottom. Each column is one operand; \
                                  its colours say in which memory its data lies while the loops run."
                            chart={Drawn::new(nest)}
                            testid="loop-nest"
                        />
                    </section>
                    <Constraints
                        text={constraints}
                        facts={Rc::clone(facts)}
                        mapping={mapping.clone()}
                        allowed={permits.get(0).cloned()}
                        oninput={change.reform(MappingField::Constraints)}
                    />
                    <LoopTraceCard
                        request={Rc::clone(asked)}
                        layer={facts.layer.clone()}
                        mapped={Rc::clone(shown)}
                    />
                    <section class="card" aria-labelledby="edit-title">
                        <h2 id="edit-title">{ "Change it by hand" }</h2>
                        { for flaws.map(|flaws| flaw_list(flaws)) }
                        <LoopEditor
                            facts={Rc::clone(facts)}
                            {mapping}
                            is_own={own.is_some()}
                            {on_edit}
                            on_reset={change.reform(|()| MappingField::Edited(None))}
                        />
                    </section>
                    { figures(facts, shown) }
                    { information(facts, shown) }
                    <Strategies
                        request={Rc::clone(asked)}
                        facts={Rc::clone(facts)}
                        best={Rc::clone(best)}
                    />
                    <UnrollingTable
                        request={Rc::clone(asked)}
                        on_take={{
                            let layer = props.state.chosen.layer_key();
                            let of_layer = move |unroll| (layer.clone(), unroll);
                            change.reform(move |unroll: Option<_>| MappingField::Unroll(unroll.map(&of_layer)))
                        }}
                    />
                    <RulesTable request={Rc::clone(asked)} />
                </>
            }
        }
        (Some((_, Ok(BestMapping { best: Err(diagnostics), .. }) | Err(Refusal::Rejected(diagnostics)))), _) => html! {
            <section class="card" data-testid="no-mapping">
                <h2>{ "No mapping fits" }</h2>
                <DiagnosticList diagnostics={diagnostics.clone()} testid="mapping-errors" />
            </section>
        },
        _ => html! { <section class="card"><p class="hint">{ "Working it out …" }</p></section> },
    };
    let status = if waits { "running" } else { "done" };
    html! {
        <div data-testid="mapping-view" data-status={status} class={waits.then_some("old")}>
            { picker }
            { body }
        </div>
    }
}

/// The last answer about a layer, with its question: the current one, or the previous one while it is unknown.
type Last = Option<(Rc<LayerRequest>, Reply<BestMapping>)>;

#[hook]
fn use_last(answers: &Answers<FindBestMapping, BestMapping>) -> Last {
    let last = use_mut_ref(|| None);
    if let (Some(question), Some(answer)) = (answers.questions().first(), answers.get(0)) {
        *last.borrow_mut() = Some((Rc::clone(&question.request), answer.clone()));
    }
    let last = last.borrow();
    last.clone()
}

fn picker(props: &MappingViewProps, facts: Option<&LayerFacts>, change: &Callback<MappingField>) -> Html {
    let Some(network) = &props.network else { return html! {} };
    let choices: Vec<ChoiceOption> = network
        .computing()
        .map(|id| {
            let layer = network.layer(id);
            let macs = Quantity::Macs.text(layer.shape.macs() as f64);
            ChoiceOption::new(layer.name.clone(), format!("{} · {} · {macs}", layer.name, layer.shape.kind.name()))
        })
        .collect();
    let value = props.state.chosen.mapping.layer.clone().or_else(|| facts.map(|facts| facts.layer.clone()));
    html! {
        <section class="card layer-picker">
            <Select
                label="Layer"
                {choices}
                value={value.unwrap_or_default()}
                onchange={change.reform(|layer| MappingField::Layer(Some(layer)))}
                testid="mapping-layer"
            />
            if let Some(facts) = facts {
                <p class="facts">{ unrolling_text(facts) }</p>
            }
        </section>
    }
}

/// `256 K · 48 C · … ; unrolled FY 5 and OY 2 over rows 12`.
fn unrolling_text(facts: &LayerFacts) -> String {
    let sizes: Vec<String> = crate::workload::Dim::ALL
        .into_iter()
        .filter(|&dim| facts.shape.size(dim) > 1)
        .map(|dim| format!("{dim} {}", facts.shape.size(dim)))
        .collect();
    let unrolled = unrolled_text(&facts.unrolled);
    format!("{}; unrolled {unrolled}", sizes.join(" · "))
}

/// The source of the mapping that is shown.
#[derive(Clone, Copy, PartialEq)]
enum MappingSource {
    Hand,
    /// Made by hand, but the numbers are those of the previous mapping.
    Awaited,
    /// Made by hand, but not valid: the numbers are those of the best.
    Invalid,
    Search(Proof, Strategy),
}

/// The effect of constraints on the mapping that is shown.
#[derive(Clone, Copy, PartialEq)]
enum ConstraintCheck {
    /// There are none on this layer.
    None,
    /// The search obeyed them.
    Met,
    /// No mapping satisfies them, or the document has errors: the search ignored them.
    Unmet,
}

fn heading(
    facts: &Rc<LayerFacts>,
    shown: &Rc<MappedLayer>,
    best: &MappedLayer,
    (source, constraint): (MappingSource, ConstraintCheck),
) -> Html {
    let is_constrained = constraint == ConstraintCheck::Met;
    let is_compared = is_constrained || source == MappingSource::Hand;
    let against = |value: f64, best: f64| {
        let percent = 100.0 * (value / best - 1.0);
        let text = match percent {
            p if p.abs() < 0.005 => "as the best".to_owned(),
            p if p > 0.0 => format!("{} % above the best", three_digits(p)),
            p => format!("{} % below the best", three_digits(-p)),
        };
        html! { <em class={(percent > 0.005).then_some("worse")}>{ text }</em> }
    };
    let number = |number: LayerNumber, text: String| {
        html! { <Number asked={ExplainableNumber::Layer(Rc::clone(facts), Rc::clone(shown), number)} {text} /> }
    };
    let percent = |share: f64| format!("{} %", three_digits(100.0 * share));
    let cycles = shown.cycles;
    let (space, time) = (shown.spatial_utilization(), shown.temporal_utilization());
    html! {
        <section class="card">
            <div class="answer">
                <div class="kpi" data-testid="mapping-energy" data-energy-pj={shown.energy_pj().to_string()}>
                    <b>{ number(LayerNumber::Energy, Quantity::Energy.text(shown.energy_pj())) }</b>
                    <span>{ "energy " }if is_compared { { against(shown.energy_pj(), best.energy_pj()) } }</span>
                </div>
                <div class="kpi" data-testid="mapping-latency" data-latency-cycles={cycles.total.to_string()}>
                    <b>{ number(LayerNumber::Cycles, Quantity::Latency.text(cycles.total as f64)) }</b>
                    <span>{ "latency " }if is_compared { { against(cycles.total as f64, best.cycles.total as f64) } }</span>
                </div>
                <div class="kpi" data-testid="mapping-utilization">
                    <b>{ number(LayerNumber::Use, percent(space * time)) }</b>
                    <span>
                        { termed("of the [PEs at work|MAC use]: ") }{ number(LayerNumber::SpaceUse, percent(space)) }{ " in space × " }
                        { number(LayerNumber::TimeUse, percent(time)) }{ " in time" }
                    </span>
                </div>
                <div class="kpi">
                    <b>{ number(LayerNumber::Macs, Quantity::Macs.text(shown.information.macs as f64)) }</b>
                    <span>
                        { format!(
                            "on {} of {} PEs in ",
                            three_digits(shown.information.active_pes),
                            group_thousands(facts.pe_count)
                        ) }
                        { number(LayerNumber::Temporal, group_thousands(cycles.computing())) }{ termed(" cycles without [waiting|stall]") }
                    </span>
                </div>
            </div>
            <p class="hint" data-testid="mapping-source">
                { match source {
                    MappingSource::Hand if is_constrained => html! { "A mapping of your own, which the constraints do not bind." },
                    MappingSource::Hand => html! { "A mapping of your own." },
                    MappingSource::Awaited => html! { "A mapping of your own, whose cost is being worked out. \
                                                The numbers are those of the one before." },
                    MappingSource::Invalid => html! { "Your mapping is not valid, so it has no cost. \
                                                These numbers are those of the best." },
                    MappingSource::Search(proof, strategy) => html! {
                        <>
                            { match constraint {
                                ConstraintCheck::Met => termed("The best [mapping|temporal mapping] under your [constraints|constraint]. "),
                                ConstraintCheck::Unmet => html! {
                                    "Your constraints have mistakes or exclude every mapping, so this is the best mapping without them. "
                                },
                                ConstraintCheck::None => termed("The best [mapping|temporal mapping] that the search finds. "),
                            } }
                            { proof_note(proof, strategy, is_constrained) }
                        </>
                    },
                } }
            </p>
        </section>
    }
}

/// A remark on whether there may be a better mapping.
fn proof_note(proof: Proof, strategy: Strategy, is_constrained: bool) -> Html {
    let (word, reason) = match (proof, strategy) {
        (Proof::Optimal | Proof::OptimalButForTies, _) if is_constrained => {
            ("Proved optimal", "no mapping that they allow scores less.".to_owned())
        }
        (Proof::Optimal, _) => {
            ("Proved optimal", "no order of the loops and no placement of memory levels scores less.".to_owned())
        }
        (Proof::OptimalButForTies, _) => (
            "Proved optimal",
            "no mapping scores less; among those that score the same, one may be faster, or need less energy."
                .to_owned(),
        ),
        (Proof::Gap(gap), _) => (
            "Nearly optimal",
            format!("a better one, if there is any, scores at most {} % less.", three_digits(100.0 * gap)),
        ),
        (Proof::None, Strategy::Loma) => {
            ("Not proved", "LOMA looks at a part of all mappings; the exact search proves its answer.".to_owned())
        }
        (Proof::None, Strategy::Exact) => {
            ("Not proved", "the bounds of the search do not hold here, so there may be a better one.".to_owned())
        }
    };
    let is_proved = matches!(proof, Proof::Optimal | Proof::OptimalButForTies);
    html! {
        <span data-testid="mapping-proof">
            <b class={if is_proved { "proof proved" } else { "proof" }}>{ word }</b>{ ": " }{ reason }
        </span>
    }
}

fn flaw_list(flaws: &[MappingError]) -> Html {
    html! {
        <div role="status" data-testid="mapping-flaws">
            <p class="hint">{ "This mapping is not valid. The loop nest shows it; all other figures show the best one meanwhile." }</p>
            <ul class="diagnostics">{ for flaws.iter().map(|flaw| html! { <li>{ prose(&flaw.to_string()) }</li> }) }</ul>
        </div>
    }
}

fn figures(facts: &Rc<LayerFacts>, shown: &Rc<MappedLayer>) -> Html {
    let stalls = Breakdown::port_stalls(facts, &shown.ports);
    let cycles = shown.cycles;
    html! {
        <>
            <section class="card">
                <Figure
                    title="What every loop does for the accesses"
                    hint="From left to right one loop more lies below. A loop that does not index the operand lets its \
                          data be used again, and the line falls. A ring marks where a memory level \
                          ends: its height is the number of accesses of the memory above."
                    chart={Drawn::new(Lines::effect(facts, shown))}
                    testid="loop-effect"
                />
            </section>
            <div class="two">
                <section class="card">
                    <Figure
                        title="Energy per memory and operand"
                        chart={Drawn::new(Breakdown::memory_energy(facts, shown))}
                        numbers={memory_numbers(facts, shown)}
                        testid="memory-energy"
                    />
                </section>
                <section class="card" data-testid="port-stalls-card">
                    if stalls.bars.is_empty() {
                        <h3>{ "Waiting per port" }</h3>
                        <p class="hint">{ "No port makes the array wait." }</p>
                    } else {
                        <Figure
                            title="Waiting per port"
                            hint={waiting_hint(&cycles.by_cause)}
                            chart={Drawn::new(stalls)}
                            testid="port-stalls"
                        />
                    }
                    <details class="twin">
                        <summary>{ "every link of every port" }</summary>
                        <div class="scroll low" tabindex="0" role="group" aria-label="Links">
                            { explained_table(Rc::new(port_table(&shown.ports)), &port_numbers(facts, shown)) }
                        </div>
                    </details>
                </section>
            </div>
        </>
    }
}

/// Stall cycles of the array by cause: its ports, and others.
fn waiting_hint(latency: &LatencySplit) -> String {
    let beside = LatencyCause::waiting().filter(|cause| *cause != LatencyCause::Stall).map(|cause| {
        let title = if cause == LatencyCause::Offloading { "draining" } else { cause.title() };
        format!("{} of {title}", group_thousands(latency[cause]))
    });
    let waiting = group_thousands(latency[LatencyCause::Stall]);
    let beside = beside.collect::<Vec<_>>().join(" and ");
    format!("The slowest port decides: {waiting} cycles of waiting, beside {beside}.")
}

/// Explanations of the table of energies: memories with the highest first, then the MACs.
fn memory_numbers(facts: &Rc<LayerFacts>, shown: &Rc<MappedLayer>) -> CellExplanations {
    let asked = |number| Some(ExplainableNumber::Layer(Rc::clone(facts), Rc::clone(shown), number));
    let cell = |name: &String, operand: usize| {
        let level = facts.operands[operand].1.iter().position(|memory| memory == name)?;
        asked(LayerNumber::MemoryEnergy(operand, level))
    };
    let memories = memories_of(facts);
    let row = |name| std::iter::once(None).chain(OPERAND_ORDER.map(|operand| cell(name, operand))).collect();
    let other = |(index, cause)| {
        let blanks = std::iter::repeat_n(None, 1 + OPERAND_ORDER.len() + index);
        blanks.chain([asked(LayerNumber::EnergyOf(cause))]).collect()
    };
    let others = EnergyCause::seen_without_access(shown.energy).enumerate().map(other);
    Some(Rc::new(memories.iter().rev().map(row).chain(others).collect()))
}

/// Explanations of the total of every port, below its links in the table.
fn port_numbers(facts: &Rc<LayerFacts>, shown: &Rc<MappedLayer>) -> CellExplanations {
    let mut rows = Vec::new();
    for (index, port) in shown.ports.iter().enumerate() {
        rows.extend(port.links.iter().map(|_| Vec::new()));
        let asked = ExplainableNumber::Layer(Rc::clone(facts), Rc::clone(shown), LayerNumber::Port(index));
        rows.push([None, None, None, None, None, None, Some(asked)].into());
    }
    Some(Rc::new(rows))
}

/// Explanations of the table of loop information; its first two rows list loops.
fn level_numbers(facts: &Rc<LayerFacts>, shown: &Rc<MappedLayer>, operand: usize) -> CellExplanations {
    let levels = shown.information.operands[operand].levels.len();
    let row = |figure: &LevelFigure| {
        let cell = |level| {
            ExplainableNumber::Layer(Rc::clone(facts), Rc::clone(shown), LayerNumber::Level(operand, level, *figure))
        };
        std::iter::once(None).chain((0..levels).map(|level| Some(cell(level)))).collect()
    };
    Some(Rc::new([Vec::new(), Vec::new()].into_iter().chain(LevelFigure::ROWS.iter().map(row)).collect()))
}

fn information(facts: &Rc<LayerFacts>, shown: &Rc<MappedLayer>) -> Html {
    html! {
        <section class="card" data-testid="loop-information">
            <h2>{ "Loop information" }</h2>
            { for OPERAND_ORDER.map(|operand| html! {
                <details class="twin" open={operand == 0}>
                    <summary>{ operand_badge(facts, operand) }{ "at every level" }</summary>
                    <div class="scroll levels" tabindex="0" role="group" aria-label={facts.operands[operand].0.clone()}>
                        { explained_table(
                            Rc::new(information_table(facts, shown, operand)),
                            &level_numbers(facts, shown, operand),
                        ) }
                    </div>
                </details>
            }) }
        </section>
    }
}
