//! Even mappings beside uneven ones, and ZigZag's search strategies beside each other.

use super::conductor::Conductor;
use super::figure::{Drawn, Figure};
use super::save::SaveTable;
use crate::chart::{Lines, LoopNest, Quantity, Scatter, group_thousands, three_digits};
use crate::explore::{LayerFacts, LayerRequest, MOST_STRATEGY_LPFS, MappedLayer, StrategyFindings, ZigZagStrategy};
use crate::question::{Question, Reply, Topic};
use std::collections::BTreeMap;
use std::rc::Rc;
use yew::prelude::*;

/// What [`Strategies`] needs.
#[derive(Properties, PartialEq)]
pub struct StrategiesProps {
    /// The layer.
    pub request: LayerRequest,
    /// What it is.
    pub facts: Rc<LayerFacts>,
    /// Its best mapping by the search in force.
    pub best: Rc<MappedLayer>,
    /// Asks workers.
    pub conductor: Conductor,
}

/// By index of the strategy; the text says why there is nothing.
#[derive(Clone, PartialEq, Default)]
struct Findings(BTreeMap<usize, Result<Rc<StrategyFindings>, String>>);

enum Heard {
    Nothing,
    One(usize, Box<Reply>),
}

impl Reducible for Findings {
    type Action = Heard;

    fn reduce(self: Rc<Self>, heard: Heard) -> Rc<Self> {
        let mut next = (*self).clone();
        match heard {
            Heard::Nothing => next.0.clear(),
            Heard::One(index, reply) => {
                let found = match *reply {
                    Reply::Strategy(found) => found.map(|found| Rc::new(*found)),
                    Reply::Failed(text) => Err(text),
                    _ => Err("the layer cannot be searched".to_owned()),
                };
                next.0.insert(index, found);
            }
        }
        Rc::new(next)
    }
}

/// The comparison. It starts when somebody opens it, and stops when it is closed.
#[component]
pub fn Strategies(props: &StrategiesProps) -> Html {
    let is_open = use_state_eq(|| false);
    let findings = use_reducer(Findings::default);
    {
        let (conductor, dispatcher) = (props.conductor.clone(), findings.dispatcher());
        use_effect_with((*is_open, props.request.clone()), move |(is_open, request)| {
            dispatcher.dispatch(Heard::Nothing);
            let asked = conductor.clone();
            if *is_open {
                let question = |strategy| Question::Strategy(Box::new(request.clone()), strategy);
                let on_reply = Callback::from(move |(index, reply): (usize, Reply)| {
                    dispatcher.dispatch(Heard::One(index, Box::new(reply)));
                });
                conductor.ask(Topic::Strategies, ZigZagStrategy::ALL.map(question).to_vec(), on_reply);
            }
            move || asked.forget(Topic::Strategies)
        });
    }
    let ontoggle = {
        let is_open = is_open.clone();
        Callback::from(move |event: Event| {
            if let Some(details) = super::controls::target::<web_sys::Element>(&event) {
                is_open.set(details.has_attribute("open"));
            }
        })
    };
    let known = &findings.0;
    let is_done = known.len() == ZigZagStrategy::ALL.len();
    html! {
        <section class="card" data-testid="strategies" data-status={if is_done { "done" } else { "running" }}>
            <h2>{ "Even against uneven, and ways to search" }</h2>
            <details class="twin" {ontoggle}>
                <summary>{ "the mapping space, the best even mapping, ZigZag's strategies" }</summary>
                if *is_open {
                    if !is_done {
                        <p class="hint" role="status">
                            { format!("{} of {} searches done", known.len(), ZigZagStrategy::ALL.len()) }
                        </p>
                    }
                    <p class="hint">
                        { format!(
                            "These searches merge the loop factors of a layer until at most {} are left, and so may miss the \
                             best mapping of this view.",
                            props.request.lpf_limit.min(MOST_STRATEGY_LPFS)
                        ) }
                    </p>
                    { table(known, &props.best) }
                    if let Some(Ok(exhaustive)) = known.get(&0) {
                        { space(exhaustive, &props.facts) }
                    }
                    if is_done {
                        <Figure
                            title="How strategies come to their mappings"
                            hint="Each line is one mapping: the energy of its accesses if so many loops are in place and all others are left to the highest memory."
                            chart={Drawn::new(trajectories(known))}
                            testid="trajectories"
                        />
                    }
                }
            </details>
        </section>
    }
}

fn table(known: &BTreeMap<usize, Result<Rc<StrategyFindings>, String>>, best: &MappedLayer) -> Html {
    let cost = |mapped: &MappedLayer| {
        let percent = 100.0 * (mapped.energy_pj() / best.energy_pj() - 1.0);
        let against = if percent.abs() < 0.005 { "as the best".to_owned() } else { format!("{percent:+.2} %") };
        html! {
            <>
                <td class="number">{ Quantity::Energy.text(mapped.energy_pj()) }</td>
                <td class="number">{ against }</td>
                <td class="number">{ Quantity::Latency.text(mapped.cycles.total as f64) }</td>
            </>
        }
    };
    let none = || html! { <td colspan="3">{ "no mapping" }</td> };
    let row = |(index, strategy): (usize, ZigZagStrategy)| {
        let cells = match known.get(&index) {
            None => html! { <td colspan="5">{ "…" }</td> },
            Some(Err(text)) => html! { <td colspan="5">{ text }</td> },
            Some(Ok(found)) => {
                let more = if found.is_complete { "" } else { ", stopped there" };
                html! {
                    <>
                        { found.best.as_ref().map_or_else(none, cost) }
                        <td class="number">{ group_thousands(found.looked_at) }{ more }</td>
                        <td class="number">{ found.mappings.map_or_else(|| "–".to_owned(), group_thousands) }</td>
                    </>
                }
            }
        };
        html! { <tr><th scope="row">{ strategy.name() }</th>{ cells }</tr> }
    };
    let even = known.get(&0).and_then(|found| found.as_ref().ok()).and_then(|found| found.space.as_ref());
    html! {
        <div class="scroll" tabindex="0" role="group" aria-label="Strategies">
            <table>
                <caption>{ "Least energy that each finds, compared with the best mapping of this view" }</caption>
                <thead>
                    <tr>
                        <th scope="col">{ "strategy" }</th>
                        <th scope="col" class="number">{ "energy" }</th>
                        <th scope="col" class="number">{ "against the best" }</th>
                        <th scope="col" class="number">{ "latency" }</th>
                        <th scope="col" class="number">{ "blockings looked at" }</th>
                        <th scope="col" class="number">{ "mappings they stand for" }</th>
                    </tr>
                </thead>
                <tbody>
                    { for ZigZagStrategy::ALL.into_iter().enumerate().map(row) }
                    if let Some((space, even)) = even {
                        <tr data-testid="best-even">
                            <th scope="row">{ "best even mapping" }</th>
                            { even.as_ref().map_or_else(none, cost) }
                            <td class="number">{ group_thousands(space.even_blockings) }</td>
                            <td class="number">{ "–" }</td>
                        </tr>
                    }
                </tbody>
            </table>
            <SaveTable />
        </div>
    }
}

/// The sampled space, and the two best nests side by side.
fn space(exhaustive: &StrategyFindings, facts: &LayerFacts) -> Html {
    let Some((space, even)) = &exhaustive.space else { return html! {} };
    let Some(best) = &exhaustive.best else { return html! {} };
    let spread = space.most_energy_pj / best.energy_pj();
    html! {
        <>
            <Figure
                title="The mapping space"
                hint={format!(
                    "A sample of {} of {} blockings; the worst takes {} times the energy of the best.",
                    group_thousands(space.points.len() as u64),
                    group_thousands(space.blockings),
                    three_digits(spread)
                )}
                chart={Drawn::new(Scatter::mapping_space(&space.points))}
                testid="mapping-space"
            />
            if let Some(even) = even {
                <div class="two">
                    <Figure title="Best even mapping" chart={Drawn::new(LoopNest::new(facts, even))} testid="nest-even" />
                    <Figure title="Best uneven mapping" chart={Drawn::new(LoopNest::new(facts, best))} testid="nest-uneven" />
                </div>
            }
        </>
    }
}

fn trajectories(known: &BTreeMap<usize, Result<Rc<StrategyFindings>, String>>) -> Lines {
    let found = |index: usize| known.get(&index).and_then(|found| found.as_ref().ok());
    let others = found(0).and_then(|found| found.space.as_ref()).into_iter().flat_map(|(space, _)| &space.trajectories);
    let named = ZigZagStrategy::ALL
        .iter()
        .enumerate()
        .filter_map(|(index, strategy)| Some((Some(strategy.name()), found(index)?.trajectory.as_ref()?)));
    Lines::trajectories(&others.map(|of| (None, of)).chain(named).collect::<Vec<_>>())
}
