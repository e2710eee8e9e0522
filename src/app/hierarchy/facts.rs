//! One memory hierarchy in depth, and a comparison of some of the best under other unrollings.

use crate::app::design::hardware_card::HardwareDrawing;
use crate::app::session::hierarchies::{Explorer, MOST_COMPARED};
use crate::app::session::hierarchy_results::{HierarchyResults, UnrollingComparison};
use crate::app::widgets::figures::data_table::plain_table;
use crate::app::widgets::figures::figure::{Drawn, Figure};
use crate::app::widgets::page::figure_context::use_act;
use crate::app::widgets::words::explain::{ExplainableNumber, Number};
use crate::chart::{Column, Matrix, Quantity, Table, TableCell};
use crate::explain::{Explained, explain_hierarchy};
use crate::hardware::Core;
use crate::hierarchy::{HierarchyCost, HierarchyFacts, LayerResult};
use crate::state::{Action, Half};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct FactsCardProps {
    pub facts: Rc<HierarchyFacts>,
}

/// One hierarchy: a drawing, its layers, and a button that applies it to the design.
#[component]
pub fn FactsCard(props: &FactsCardProps) -> Html {
    let act = use_act();
    let facts = &*props.facts;
    let core = use_memo(facts.document.clone(), |text| Core::from_text(text).ok().map(Rc::new));
    let use_it = {
        let document = facts.document.clone();
        act.reform(move |_: MouseEvent| Action::Take(Half::Hardware, document.clone()))
    };
    let layers = facts.layers.as_ref().map(|layers| {
        let row = |layer: &LayerResult| {
            vec![
                layer.title.clone().into(),
                TableCell::count(layer.count),
                TableCell::of(Quantity::Energy, layer.solution.energy_pj),
                TableCell::of(Quantity::Latency, layer.solution.latency_cycles as f64),
            ]
        };
        Table {
            caption: "Each layer with its best mapping; layers alike cost the same each".to_owned(),
            columns: vec![
                Column::words("layer"),
                Column::numbers("alike"),
                Column::measured("energy each", Quantity::Energy.base()),
                Column::measured("latency each", Quantity::Latency.base()),
            ],
            rows: layers.iter().map(row).collect(),
        }
    });
    html! {
        <section class="card" data-testid="hierarchy-facts">
            <h2>{ &facts.name }</h2>
            if facts.estimated {
                <p class="hint" data-testid="hierarchy-estimated">
                    { "Some of these memories’ figures are estimates by a fit to published ones; \
                       the document says which." }
                </p>
            }
            <div class="two inner">
                <div>
                    if let Some(core) = &*core {
                        <HardwareDrawing core={Rc::clone(core)} text={facts.document.clone()} />
                    }
                    <button type="button" class="wide" onclick={use_it} data-testid="use-hierarchy">
                        { "Use this hierarchy" }
                    </button>
                    <p class="hint">{ "Puts it into the hardware document, so that every view works with it." }</p>
                </div>
                <div>
                    if let (Some(core), Ok(layers)) = (&*core, &facts.layers) {
                        <p class="facts" data-testid="hierarchy-costs">{ for costs(core, layers) }</p>
                    }
                    <div class="scroll low" tabindex="0" role="group" aria-label="Layers on this hierarchy">
                    { match &layers {
                        Ok(table) => plain_table(table.clone()),
                        Err(reason) => html! { <p class="why">{ reason }</p> },
                    } }
                    </div>
                </div>
            </div>
        </section>
    }
}

/// Energy, latency and area, as numbers that unfold.
fn costs(core: &Core, layers: &[LayerResult]) -> Vec<Html> {
    let one = |explained: Explained| {
        let (text, name) = (explained.value_text(), explained.name.clone());
        html! { <><Number asked={ExplainableNumber::Made(Rc::new(explained))} {text} />{ format!(" {name} ") }</> }
    };
    explain_hierarchy(core, layers).into_iter().map(one).collect()
}

#[derive(Properties, PartialEq)]
pub struct ComparisonCardProps {
    pub results: Rc<HierarchyResults>,
    pub explorer: Explorer,
}

/// Unrollings against hierarchies (ZigZag, Fig. 20).
#[component]
pub fn ComparisonCard(props: &ComparisonCardProps) -> Html {
    let results = &*props.results;
    let Some(overview) = results.overview.as_ref().filter(|overview| !overview.unrollings.is_empty()) else {
        return html! {};
    };
    let compare = {
        let (explorer, results) = (props.explorer.clone(), Rc::clone(&props.results));
        Callback::from(move |_: MouseEvent| explorer.compare(to_compare(&results)))
    };
    html! {
        <section class="card" data-testid="unrollings">
            <h2>{ "Unrolling the array otherwise" }</h2>
            <p class="hint">
                { "Do the best trade-offs stay good when the array unrolls other loops? Where operands share memories, \
                   a mapping can make up for it; where each has its own, it often cannot." }
            </p>
            { match &results.comparison {
                None => html! {
                    <button type="button" onclick={compare} data-testid="compare-unrollings">
                        { "Compare the unrollings" }
                    </button>
                },
                Some(comparison) => matrix(comparison, &overview.unrollings),
            } }
        </section>
    }
}

/// Some of the best trade-offs, evenly chosen by energy.
fn to_compare(results: &HierarchyResults) -> Vec<(u32, Rc<str>)> {
    let front: Vec<&(HierarchyCost, Rc<str>, bool)> = results.drawn.iter().filter(|(.., front)| *front).collect();
    let count = front.len().min(MOST_COMPARED);
    let at = |column: usize| if count > 1 { column * (front.len() - 1) / (count - 1) } else { 0 };
    (0..count)
        .filter_map(|column| front.get(at(column)))
        .map(|(point, name, _)| (point.hierarchy, Rc::clone(name)))
        .collect()
}

fn matrix(comparison: &UnrollingComparison, unrollings: &[String]) -> Html {
    let columns = comparison.hierarchies.len();
    let cells = comparison.rows.iter().flat_map(|row| match row {
        Some(energies) => energies.iter().map(|energy| Some(*energy)).collect::<Vec<_>>(),
        None => vec![None; columns],
    });
    let names = comparison.hierarchies.iter().enumerate();
    let chart = Matrix {
        quantity: Quantity::Energy,
        row_title: "unrolling".to_owned(),
        column_title: "hierarchies by the number in the list".to_owned(),
        rows: unrollings.to_vec(),
        columns: names.map(|(index, (_, name))| ((index + 1).to_string(), name.to_string())).collect(),
        cells: cells.collect(),
        chosen: None,
        marks_best: false,
    };
    html! {
        <>
            <Figure title="" chart={Drawn::new(chart)} testid="unrolling-matrix" />
            <ol class="names">{ for comparison.hierarchies.iter().map(|(_, name)| html! { <li>{ &**name }</li> }) }</ol>
        </>
    }
}
