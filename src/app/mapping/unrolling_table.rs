//! Other ways to unroll a layer over the array, each with its best mapping.

use super::rules_table::cost_cells;
use crate::app::widgets::figures::data_table::{table_cells, table_titles};
use crate::app::widgets::figures::save::{FileContent, Save};
use crate::app::widgets::forms::controls::use_disclosure;
use crate::app::workers::answers::Answers;
use crate::app::workers::ask::use_answers;
use crate::chart::{Column, Quantity, Table, TableCell, three_digits};
use crate::explore::{LayerRequest, UnrollingChoice, UnrollingChoices};
use crate::hardware::Unroll;
use crate::question::{Channel, FindBestCost, FindUnrollings, FoundCost};
use crate::sorting::sort_by;
use crate::workload::Dim;
use std::rc::Rc;
use yew::prelude::*;

/// Limit on the unrollings to search, those with the lowest bounds.
const MOST: usize = 32;

#[derive(Properties, PartialEq)]
pub struct UnrollingTableProps {
    /// The layer with the unrolling in force.
    pub request: Rc<LayerRequest>,
    /// Called with the chosen unrolling; `None` for that of the documents.
    pub on_take: Callback<Option<Vec<Unroll>>>,
}

/// The comparison. It runs while it is open.
#[component]
pub fn UnrollingTable(props: &UnrollingTableProps) -> Html {
    let (is_open, ontoggle) = use_disclosure();
    let neutral = use_memo(props.request.clone(), |request| LayerRequest { unroll: None, ..(**request).clone() });
    let asked = is_open.then(|| FindUnrollings { request: Rc::clone(&neutral), most: MOST });
    let found = use_answers(Channel::LayerUnrollings, asked.into_iter().collect());
    let choices = found.reply(0);
    let question = |choice: &UnrollingChoice| FindBestCost {
        request: Rc::new(LayerRequest { unroll: Some(choice.unroll.clone()), ..(*neutral).clone() }),
    };
    let questions = choices.map(|choices| choices.list.iter().map(question).collect()).unwrap_or_default();
    let costs = use_answers(Channel::UnrollingCosts, questions);
    let searched = choices.map_or(0, |choices| choices.list.len());
    let is_done = choices.is_some() && costs.done() == searched;
    let take = |unroll: Option<Vec<Unroll>>| props.on_take.reform(move |_: MouseEvent| unroll.clone());
    html! {
        <section class="card" data-testid="unrollings" data-status={if is_done { "done" } else { "running" }}>
            <h2>{ "Other unrollings" }</h2>
            if props.request.unroll.is_some() {
                <button type="button" onclick={take(None)} data-testid="unrolling-reset">
                    { "Back to what the documents say" }
                </button>
            }
            <details class="twin" {ontoggle}>
                <summary>{ "the best mapping with each unrolling of the array" }</summary>
                <p class="hint" role="status">
                    { match (choices, found.refusal()) {
                        (_, Some(refusal)) => refusal.reason().to_owned(),
                        (None, _) => "Looking for legal unrollings …".to_owned(),
                        (Some(choices), _) if !is_done => {
                            format!("{} of {searched} unrollings searched; {} are legal", costs.done(), choices.count)
                        }
                        (Some(choices), _) => format!(
                            "The {searched} most promising of {} legal unrollings, by what any mapping must cost at least.",
                            choices.count
                        ),
                    } }
                </p>
                if let Some(choices) = choices {
                    { table(choices, &costs, props, &take) }
                }
            </details>
        </section>
    }
}

/// By ascending cost, then those without a result.
fn table(
    choices: &UnrollingChoices,
    costs: &Answers<FindBestCost, FoundCost>,
    props: &UnrollingTableProps,
    take: &dyn Fn(Option<Vec<Unroll>>) -> Callback<MouseEvent>,
) -> Html {
    let mut order: Vec<usize> = (0..choices.list.len()).collect();
    let energy = |index: &usize| costs.reply(*index).map_or(f64::INFINITY, |cost| cost.energy_pj);
    sort_by(&mut order, |a, b| energy(a).total_cmp(&energy(b)));
    let cells = |index: &usize| {
        let choice = &choices.list[*index];
        let active: f64 = choice.loops.iter().map(|(.., width)| width).product();
        let cells = [unrolled_text(&choice.loops).into(), TableCell::number(three_digits(active), active)];
        cells.into_iter().chain(cost_cells(costs.get(*index), None)).collect()
    };
    let table = Rc::new(Table {
        caption: format!("Best mapping of each unrolling; {} first", Quantity::Energy.name()),
        columns: vec![
            Column::words("unrolled"),
            Column::numbers("PEs at work"),
            Column::measured("energy", Quantity::Energy.base()),
            Column::measured("latency", Quantity::Latency.base()),
        ],
        rows: order.iter().map(cells).collect(),
    });
    let row = |(row, &index): (usize, &usize)| {
        let choice = &choices.list[index];
        let in_force = props.request.unroll.as_ref() == Some(&choice.unroll);
        html! {
            <tr>
                { table_cells(&table, row, &|_| None) }
                <td>
                    <button type="button" class="small" disabled={in_force} onclick={take(Some(choice.unroll.clone()))}>
                        { if in_force { "taken" } else { "take" } }
                    </button>
                </td>
            </tr>
        }
    };
    html! {
        <div class="scroll tall" tabindex="0" role="group" aria-label="Unrollings">
            <table class="wrapped">
                <caption>{ &table.caption }</caption>
                <thead>
                    <tr>{ table_titles(&table) }<th scope="col">{ "use" }</th></tr>
                </thead>
                <tbody>{ for order.iter().enumerate().map(row) }</tbody>
            </table>
            <Save what={FileContent::Table(Rc::clone(&table))} />
        </div>
    }
}

/// `FY 5 × OY 2 over rows (12), OY 13 over columns (14)`.
pub fn unrolled_text(loops: &[(String, u64, Dim, f64)]) -> String {
    let mut dimensions: Vec<(&String, u64, Vec<String>)> = Vec::new();
    for (name, size, dim, width) in loops {
        let text = format!("{dim} {}", if width.fract() == 0.0 { format!("{width:.0}") } else { three_digits(*width) });
        match dimensions.iter_mut().find(|(known, ..)| *known == name) {
            Some((.., loops)) => loops.push(text),
            None => dimensions.push((name, *size, vec![text])),
        }
    }
    let texts: Vec<String> =
        dimensions.iter().map(|(name, size, loops)| format!("{} over {name} ({size})", loops.join(" × "))).collect();
    if texts.is_empty() { "nothing".to_owned() } else { texts.join(", ") }
}
