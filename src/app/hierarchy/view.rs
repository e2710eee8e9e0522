//! The view of memory hierarchies: parameters, the best, the front, and one hierarchy in depth.

use super::facts::{ComparisonCard, FactsCard};
use super::form::{Controls, HierarchyFormCard};
use crate::app::session::handle::Session;
use crate::app::session::hierarchies::Explorer;
use crate::app::session::hierarchy_results::HierarchyResults;
use crate::app::session::state::PageState;
use crate::app::widgets::figures::data_table::{table_cells, table_head};
use crate::app::widgets::figures::figure::{Drawn, Figure, Spot};
use crate::app::widgets::figures::save::{FileContent, Save};
use crate::app::widgets::words::term::termed;
use crate::app::workers::results::Status;
use crate::chart::{Column, Hierarchies, HierarchyPoint, Quantity, Table, TableCell};
use crate::hardware::Core;
use crate::hierarchy::{HierarchyCost, Sought};
use crate::state::HierarchyObjective;
use std::rc::Rc;
use yew::prelude::*;

/// The view, as the page shows it.
pub fn view(state: Rc<PageState>, session: &Session) -> Html {
    let (core, layers, explorer) = (session.core(), session.layers.clone(), (*session.explorer).clone());
    html! { <HierarchyView {state} {core} {layers} {explorer} /> }
}

#[derive(Properties, PartialEq)]
pub struct HierarchyViewProps {
    pub state: Rc<PageState>,
    /// The core of the design, if it is valid.
    pub core: Option<Rc<Core>>,
    /// Names of the layers with multiply-accumulates, if the network is valid.
    pub layers: Option<Rc<Vec<String>>>,
    pub explorer: Explorer,
}

/// The form, the answer, the figures, and one hierarchy in depth.
#[component]
pub fn HierarchyView(props: &HierarchyViewProps) -> Html {
    let (state, results) = (&props.state, &props.state.study);
    let open = {
        let explorer = props.explorer.clone();
        Callback::from(move |hierarchy: u32| explorer.open(hierarchy))
    };
    html! {
        <div data-testid="hierarchy-view" data-status={results.status.name()}>
            <section class="card" aria-label="Memory hierarchies">
                <HierarchyFormCard
                    form={state.chosen.hierarchy.clone()}
                    core={props.core.clone()}
                    layers={props.layers.clone()}
                />
                <Controls state={Rc::clone(state)} is_valid={props.core.is_some() && props.layers.is_some()}
                    explorer={props.explorer.clone()} />
                <Answer results={Rc::clone(results)} />
            </section>
            if !results.drawn.is_empty() {
                <div class="two">
                    <ScatterCard results={Rc::clone(results)} open={open.clone()} />
                    <FrontCard results={Rc::clone(results)} {open} />
                </div>
            }
            if let Some(facts) = &results.opened {
                <FactsCard facts={Rc::clone(facts)} />
            }
            if results.status == Status::Done && results.best.is_some() {
                <ComparisonCard results={Rc::clone(results)} explorer={props.explorer.clone()} />
            }
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct HierarchyResultsProps {
    results: Rc<HierarchyResults>,
}

/// The best hierarchy by the objective.
#[component]
fn Answer(props: &HierarchyResultsProps) -> Html {
    let results = &*props.results;
    let best = results.best.and_then(|best| results.drawn.iter().find(|(point, ..)| point.hierarchy == best));
    let Some((point, name, _)) = best else {
        let nothing = results.status == Status::Done;
        return html! {
            if nothing {
                <p class="why" data-testid="hierarchy-nothing">
                    { "No hierarchy serves all layers. " }{ results.reason.clone().unwrap_or_default() }
                </p>
            }
        };
    };
    let objective = results.request.as_ref().map(|request| &request.settings.objective);
    let is_asked = |choice: &HierarchyObjective| Some(&choice.objective()) == objective;
    let title = HierarchyObjective::ALL.iter().find(|(choice, _)| is_asked(choice)).map_or("", |(_, title)| *title);
    let so_far = if results.status == Status::Done { "" } else { " so far" };
    let above = results.overview.as_ref().map_or("", |overview| &overview.highest);
    html! {
        <div class="answer hierarchies" data-testid="hierarchy-best">
            <div class="kpi"><b>{ Quantity::Energy.text(point.energy_pj) }</b><span>{ "energy" }</span></div>
            <div class="kpi">
                <b>{ Quantity::Latency.text(point.latency_cycles as f64) }</b><span>{ "latency" }</span>
            </div>
            <div class="kpi"><b>{ Quantity::Area.text(point.area_um2) }</b><span>{ "area" }</span></div>
            <div class="kpi wide">
                <b class="name">{ &**name }</b><span>{ format!("best {title}{so_far}; {above} lies above all") }</span>
            </div>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct PickProps {
    results: Rc<HierarchyResults>,
    open: Callback<u32>,
}

/// Energy against latency (ZigZag, Fig. 19).
#[component]
fn ScatterCard(props: &PickProps) -> Html {
    let results = &*props.results;
    let points = results.drawn.iter().map(|(point, name, front)| HierarchyPoint {
        name: name.to_string(),
        energy_pj: point.energy_pj,
        latency_cycles: point.latency_cycles,
        area_um2: point.area_um2,
        pareto: *front,
    });
    let selected = opened_or_best(results);
    let selected = results.drawn.iter().position(|(point, ..)| Some(point.hierarchy) == selected);
    let chart = Hierarchies::new(points.collect(), selected);
    let on_click = {
        let (chart, results, open) = (chart.clone(), Rc::clone(&props.results), props.open.clone());
        Callback::from(move |spot: Spot| {
            if let Some((point, ..)) = chart.point_at(spot.x, spot.y, spot.width).and_then(|i| results.drawn.get(i)) {
                open.emit(point.hierarchy);
            }
        })
    };
    html! {
        <section class="card">
            <h2>{ "Energy, latency and area" }</h2>
            <p class="hint">
                { termed(match seeks_best(results) {
                    true => "Each mark is a hierarchy that was searched, with its best [mapping|temporal mapping]. Of all others \
                             [lower bounds|lower bound] prove that they are no better. Click one to see it.",
                    false => "Each mark is a hierarchy with its best [mapping|temporal mapping]; those with a border are \
                              [best trade-offs|Pareto front] of all three. Click one to see it.",
                }) }
            </p>
            <Figure title="" chart={Drawn::new(chart)} testid="hierarchy-scatter" {on_click} />
        </section>
    }
}

fn opened_or_best(results: &HierarchyResults) -> Option<u32> {
    results.opened.as_ref().map(|facts| facts.hierarchy).or(results.best)
}

/// Whether only the best was asked for.
fn seeks_best(results: &HierarchyResults) -> bool {
    results.request.as_ref().is_some_and(|request| request.settings.sought == Sought::Best)
}

/// The best trade-offs, each with a button that opens it.
#[component]
fn FrontCard(props: &PickProps) -> Html {
    let results = &*props.results;
    let front: Vec<&(HierarchyCost, Rc<str>, bool)> = results.drawn.iter().filter(|(.., front)| *front).collect();
    let marked = opened_or_best(results);
    let cells = |(point, name, _): &&(HierarchyCost, Rc<str>, bool)| {
        vec![
            TableCell::of(Quantity::Energy, point.energy_pj),
            TableCell::of(Quantity::Latency, point.latency_cycles as f64),
            TableCell::of(Quantity::Area, point.area_um2),
            (**name).into(),
        ]
    };
    let table = Rc::new(Table {
        caption: "Best trade-offs".to_owned(),
        columns: vec![
            Column::measured("energy", Quantity::Energy.base()),
            Column::measured("latency", Quantity::Latency.base()),
            Column::measured("area", Quantity::Area.base()),
            Column::words("hierarchy, lowest memory first"),
        ],
        rows: front.iter().map(cells).collect(),
    });
    let row = |(row, (point, name, _)): (usize, &&(HierarchyCost, Rc<str>, bool))| {
        let hierarchy = point.hierarchy;
        let onclick = props.open.reform(move |_: MouseEvent| hierarchy);
        let class = (marked == Some(hierarchy)).then_some("marked");
        let content = |column: usize| {
            let onclick = onclick.clone();
            (column == 3).then(|| html! { <button type="button" class="link" {onclick}>{ &**name }</button> })
        };
        html! { <tr {class}>{ table_cells(&table, row, &content) }</tr> }
    };
    html! {
        <section class="card" data-testid="hierarchy-front">
            <h2>
                { match seeks_best(results) {
                    true => "The best hierarchy".to_owned(),
                    false => format!("Best trade-offs: {}", front.len()),
                } }
            </h2>
            <div class="scroll tall" tabindex="0" role="group" aria-label="Best trade-offs">
                <table>
                    { table_head(&table) }
                    <tbody>{ for front.iter().enumerate().map(row) }</tbody>
                </table>
                <Save what={FileContent::Table(Rc::clone(&table))} />
            </div>
        </section>
    }
}
