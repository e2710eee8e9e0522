//! Even mappings beside uneven ones, and ZigZag's search strategies beside each other.

use crate::app::widgets::data_table::{table_cells, table_head};
use crate::app::widgets::figure::{Drawn, Figure};
use crate::app::widgets::save::SaveTable;
use crate::app::workers::handle::Workers;
use crate::chart::{Column, Lines, LoopNest, Quantity, Scatter, Table, TableCell, group_thousands, three_digits};
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
    pub workers: Workers,
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
        let (workers, dispatcher) = (props.workers.clone(), findings.dispatcher());
        use_effect_with((*is_open, props.request.clone()), move |(is_open, request)| {
            dispatcher.dispatch(Heard::Nothing);
            let asked = workers.clone();
            if *is_open {
                let question = |strategy| Question::Strategy(Box::new(request.clone()), strategy);
                let on_reply = Callback::from(move |(index, reply): (usize, Reply)| {
                    dispatcher.dispatch(Heard::One(index, Box::new(reply)));
                });
                workers.ask(Topic::Strategies, ZigZagStrategy::ALL.map(question).to_vec(), on_reply);
            }
            move || asked.forget(Topic::Strategies)
        });
    }
    let ontoggle = {
        let is_open = is_open.clone();
        Callback::from(move |event: Event| {
            if let Some(details) = crate::app::widgets::controls::target::<web_sys::Element>(&event) {
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
    let cost = |mapped: Option<&MappedLayer>| {
        let Some(mapped) = mapped else {
            return ["no mapping".into(), TableCell::Nothing, TableCell::Nothing];
        };
        let percent = 100.0 * (mapped.energy_pj() / best.energy_pj() - 1.0);
        let against = if percent.abs() < 0.005 { "as the best".to_owned() } else { format!("{percent:+.2} %") };
        [
            TableCell::of(Quantity::Energy, mapped.energy_pj()),
            TableCell::number(against, percent),
            TableCell::of(Quantity::Latency, mapped.cycles.total as f64),
        ]
    };
    let row = |(index, strategy): (usize, ZigZagStrategy)| {
        let mut row: Vec<TableCell> = vec![strategy.name().into()];
        match known.get(&index) {
            None => row.push("…".into()),
            Some(Err(text)) => row.push(text.as_str().into()),
            Some(Ok(found)) => {
                row.extend(cost(found.best.as_ref()));
                let more = if found.is_complete { "" } else { ", stopped there" };
                let looked_at = group_thousands(found.looked_at) + more;
                row.push(TableCell::number(looked_at, found.looked_at as f64));
                row.push(found.mappings.map_or(TableCell::Nothing, TableCell::count));
            }
        }
        row
    };
    let mut rows: Vec<Vec<TableCell>> = ZigZagStrategy::ALL.into_iter().enumerate().map(row).collect();
    let exhaustive = known.get(&0).and_then(|found| found.as_ref().ok());
    if let Some((space, even)) = exhaustive.and_then(|found| found.space.as_ref()) {
        let mut row: Vec<TableCell> = vec!["best even mapping".into()];
        row.extend(cost(even.as_ref()));
        row.extend([TableCell::count(space.even_blockings), TableCell::Nothing]);
        rows.push(row);
    }
    let table = Rc::new(Table {
        caption: "Least energy that each finds, compared with the best mapping of this view".to_owned(),
        columns: vec![
            Column::words("strategy"),
            Column::measured("energy", Quantity::Energy.base()),
            Column::measured("against the best", "%"),
            Column::measured("latency", Quantity::Latency.base()),
            Column::numbers("blockings looked at"),
            Column::numbers("mappings they stand for"),
        ],
        rows,
    });
    let row = |row: usize| {
        let testid = (row == ZigZagStrategy::ALL.len()).then_some("best-even");
        html! { <tr data-testid={testid}>{ table_cells(&table, row, &|_| None) }</tr> }
    };
    html! {
        <div class="scroll" tabindex="0" role="group" aria-label="Strategies">
            <table>
                <caption>{ &table.caption }</caption>
                { table_head(&table) }
                <tbody>{ for (0..table.rows.len()).map(row) }</tbody>
            </table>
            <SaveTable table={Rc::clone(&table)} />
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
