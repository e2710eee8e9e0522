//! Other ways to unroll a layer over the array, each with its best mapping.

use super::rules_table::{Cost, cost_cells, cost_of};
use crate::app::widgets::data_table::{table_cells, table_titles};
use crate::app::widgets::save::SaveTable;
use crate::app::workers::handle::Workers;
use crate::chart::{Column, Quantity, Table, TableCell, three_digits};
use crate::explore::{LayerRequest, UnrollingChoice, UnrollingChoices};
use crate::hardware::Unroll;
use crate::question::{Question, Reply, Topic};
use crate::sorting::sort_by;
use crate::workload::Dim;
use std::collections::BTreeMap;
use std::rc::Rc;
use yew::prelude::*;

/// So many unrollings are searched, those with the lowest bounds.
const MOST: usize = 32;

/// What an [`UnrollingTable`] needs.
#[derive(Properties, PartialEq)]
pub struct UnrollingTableProps {
    /// The layer with the unrolling in force.
    pub request: LayerRequest,
    /// Asks workers.
    pub workers: Workers,
    /// Hears of the unrolling that is taken; `None` for that of the documents.
    pub on_take: Callback<Option<Vec<Unroll>>>,
}

/// What is known.
#[derive(Clone, PartialEq, Default)]
struct Findings {
    choices: Option<Rc<UnrollingChoices>>,
    /// By index of the choice.
    costs: BTreeMap<usize, Cost>,
    failure: Option<String>,
}

enum Heard {
    Nothing,
    Choices(UnrollingChoices),
    Cost(usize, Cost),
    Failure(String),
}

impl Reducible for Findings {
    type Action = Heard;

    fn reduce(self: Rc<Self>, heard: Heard) -> Rc<Self> {
        let mut next = (*self).clone();
        match heard {
            Heard::Nothing => next = Self::default(),
            Heard::Choices(choices) => next.choices = Some(Rc::new(choices)),
            Heard::Cost(index, cost) => {
                next.costs.insert(index, cost);
            }
            Heard::Failure(text) => next.failure = Some(text),
        }
        Rc::new(next)
    }
}

/// The comparison. It starts when somebody opens it, and stops when it is closed.
#[component]
pub fn UnrollingTable(props: &UnrollingTableProps) -> Html {
    let is_open = use_state_eq(|| false);
    let findings = use_reducer(Findings::default);
    let neutral = LayerRequest { unroll: None, ..props.request.clone() };
    {
        let (workers, dispatcher) = (props.workers.clone(), findings.dispatcher());
        use_effect_with((*is_open, neutral), move |(is_open, request)| {
            dispatcher.dispatch(Heard::Nothing);
            let asked = workers.clone();
            if *is_open {
                let request = request.clone();
                let next = workers.clone();
                let question = Question::Unrollings(Box::new(request.clone()), MOST);
                let on_choices = Callback::from(move |(_, reply): (usize, Reply)| match reply {
                    Reply::Unrollings(choices) => {
                        ask_costs(&next, &request, &choices, &dispatcher);
                        dispatcher.dispatch(Heard::Choices(choices));
                    }
                    other => dispatcher.dispatch(Heard::Failure(cost_of(other).err().unwrap_or_default())),
                });
                workers.ask(Topic::LayerUnrollings, vec![question], on_choices);
            }
            move || asked.forget(Topic::LayerUnrollings)
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
    let choices = findings.choices.as_deref();
    let searched = choices.map_or(0, |choices| choices.list.len());
    let is_done = choices.is_some() && findings.costs.len() == searched;
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
                    { match (choices, &findings.failure) {
                        (_, Some(text)) => text.clone(),
                        (None, _) => "Looking for legal unrollings …".to_owned(),
                        (Some(choices), _) if !is_done => {
                            format!("{} of {searched} unrollings searched; {} are legal", findings.costs.len(), choices.count)
                        }
                        (Some(choices), _) => format!(
                            "The {searched} most promising of {} legal unrollings, by what any mapping must cost at least.",
                            choices.count
                        ),
                    } }
                </p>
                if let Some(choices) = choices {
                    { table(choices, &findings.costs, props, &take) }
                }
            </details>
        </section>
    }
}

fn ask_costs(
    workers: &Workers,
    request: &LayerRequest,
    choices: &UnrollingChoices,
    dispatcher: &UseReducerDispatcher<Findings>,
) {
    let question = |choice: &UnrollingChoice| {
        Question::BestCost(Box::new(LayerRequest { unroll: Some(choice.unroll.clone()), ..request.clone() }))
    };
    let dispatcher = dispatcher.clone();
    let on_reply = Callback::from(move |(index, reply): (usize, Reply)| {
        dispatcher.dispatch(Heard::Cost(index, cost_of(reply)));
    });
    workers.ask(Topic::LayerUnrollings, choices.list.iter().map(question).collect(), on_reply);
}

/// The cheapest first, then those of which nothing is known yet.
fn table(
    choices: &UnrollingChoices,
    costs: &BTreeMap<usize, Cost>,
    props: &UnrollingTableProps,
    take: &dyn Fn(Option<Vec<Unroll>>) -> Callback<MouseEvent>,
) -> Html {
    let mut order: Vec<usize> = (0..choices.list.len()).collect();
    let energy = |index: &usize| match costs.get(index) {
        Some(Ok((energy, _))) => *energy,
        _ => f64::INFINITY,
    };
    sort_by(&mut order, |a, b| energy(a).total_cmp(&energy(b)));
    let cells = |index: &usize| {
        let choice = &choices.list[*index];
        let active: f64 = choice.loops.iter().map(|(.., width)| width).product();
        let cells = [unrolled_text(&choice.loops).into(), TableCell::number(three_digits(active), active)];
        cells.into_iter().chain(cost_cells(costs.get(index), None)).collect()
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
            <SaveTable table={Rc::clone(&table)} />
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
