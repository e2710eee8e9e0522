//! Even and uneven mappings, and ZigZag's search strategies, side by side.

use crate::app::widgets::figures::data_table::{table_cells, table_head};
use crate::app::widgets::figures::figure::{Drawn, Figure};
use crate::app::widgets::figures::save::{FileContent, Save};
use crate::app::widgets::forms::controls::use_disclosure;
use crate::app::workers::ask::use_answers;
use crate::chart::{Column, Lines, LoopNests, Quantity, Scatter, Table, TableCell, group_thousands, three_digits};
use crate::explore::{LayerFacts, LayerRequest, MOST_STRATEGY_LPFS, MappedLayer, StrategyFindings, ZigZagStrategy};
use crate::question::{Channel, Reply, SearchByStrategy};
use std::collections::BTreeMap;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct StrategiesProps {
    pub request: Rc<LayerRequest>,
    pub facts: Rc<LayerFacts>,
    /// Its best mapping by the search in force.
    pub best: Rc<MappedLayer>,
}

/// Findings by index of the strategy; the text is the reason why there are none.
type Searches = BTreeMap<usize, Result<StrategyFindings, String>>;

fn search_of(answer: &Reply<Result<StrategyFindings, String>>) -> Result<StrategyFindings, String> {
    answer.clone().map_err(|refusal| refusal.reason().to_owned())?
}

/// The comparison. It runs while it is open.
#[component]
pub fn Strategies(props: &StrategiesProps) -> Html {
    let (is_open, ontoggle) = use_disclosure();
    let question = |strategy| SearchByStrategy { request: Rc::clone(&props.request), strategy };
    let questions = if is_open { ZigZagStrategy::ALL.map(question).to_vec() } else { Vec::new() };
    let answers = use_answers(Channel::Strategies, questions);
    let known: Searches =
        (0..answers.all()).filter_map(|index| Some((index, search_of(answers.get(index)?)))).collect();
    let known = &known;
    let is_done = known.len() == ZigZagStrategy::ALL.len();
    html! {
        <section class="card" data-testid="strategies" data-status={if is_done { "done" } else { "running" }}>
            <h2>{ "Even against uneven, and ways to search" }</h2>
            <details class="twin" {ontoggle}>
                <summary>{ "the mapping space, the best even mapping, ZigZag's strategies" }</summary>
                if is_open {
                    if !is_done {
                        <p class="hint" role="status">
                            { format!("{} of {} searches done", known.len(), ZigZagStrategy::ALL.len()) }
                        </p>
                    }
                    <p class="hint">
                        { format!(
                            "These searches merge the loop factors of a layer until at most {} are left, \
                             and so may miss the best mapping of this view.",
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
                            hint="Each line is one mapping: the energy of its accesses if so many loops are in place \
                                  and all others are left to the highest memory."
                            chart={Drawn::new(trajectories(known))}
                            testid="trajectories"
                        />
                    }
                }
            </details>
        </section>
    }
}

fn table(known: &BTreeMap<usize, Result<StrategyFindings, String>>, best: &MappedLayer) -> Html {
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
            <Save what={FileContent::Table(Rc::clone(&table))} />
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
                    <Figure title="Best even mapping" chart={Drawn::new(LoopNests::new(facts, even))} testid="nest-even" />
                    <Figure title="Best uneven mapping" chart={Drawn::new(LoopNests::new(facts, best))} testid="nest-uneven" />
                </div>
            }
        </>
    }
}

fn trajectories(known: &BTreeMap<usize, Result<StrategyFindings, String>>) -> Lines {
    let found = |index: usize| known.get(&index).and_then(|found| found.as_ref().ok());
    let others = found(0).and_then(|found| found.space.as_ref()).into_iter().flat_map(|(space, _)| &space.trajectories);
    let named = ZigZagStrategy::ALL
        .iter()
        .enumerate()
        .filter_map(|(index, strategy)| Some((Some(strategy.name()), found(index)?.trajectory.as_ref()?)));
    Lines::trajectories(&others.map(|of| (None, of)).chain(named).collect::<Vec<_>>())
}
