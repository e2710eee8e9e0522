//! What each set of rules, and each switch of the rules, makes of a layer.

use crate::app::widgets::data_table::{table_cells, table_head};
use crate::app::widgets::save::SaveTable;
use crate::app::workers::handle::Workers;
use crate::chart::{Column, Quantity, Table, TableCell};
use crate::explore::LayerRequest;
use crate::question::{Question, Reply, Topic};
use crate::rules::Rules;
use std::collections::BTreeMap;
use std::rc::Rc;
use yew::prelude::*;

/// What a [`RulesTable`] needs.
#[derive(Properties, PartialEq)]
pub struct RulesTableProps {
    /// The layer under the rules in force.
    pub request: LayerRequest,
    /// Asks workers.
    pub workers: Workers,
}

/// Energy and latency, or why there is no mapping.
pub type Cost = Result<(f64, u64), String>;

/// Replies by index of their question.
#[derive(Clone, PartialEq, Default)]
struct Costs(BTreeMap<usize, Cost>);

enum Heard {
    Nothing,
    One(usize, Cost),
}

impl Reducible for Costs {
    type Action = Heard;

    fn reduce(self: Rc<Self>, heard: Heard) -> Rc<Self> {
        let mut next = (*self).clone();
        match heard {
            Heard::Nothing => next.0.clear(),
            Heard::One(index, cost) => {
                next.0.insert(index, cost);
            }
        }
        Rc::new(next)
    }
}

/// One switch of the rules in force, flipped.
struct Flipped {
    name: &'static str,
    title: &'static str,
    /// As it is in force.
    value: bool,
    rules: Rules,
}

/// The rules in force with one switch flipped, for each switch.
fn flipped(rules: Rules) -> Vec<Flipped> {
    let one = |(name, title, value): (&'static str, &'static str, bool)| {
        Some(Flipped { name, title, value, rules: rules.with(name, !value)? })
    };
    rules.switches().into_iter().filter_map(one).collect()
}

/// All rules that are compared: the sets, those with one switch flipped, and last those in force.
fn compared(rules: Rules) -> Vec<Rules> {
    let sets = Rules::SETS.iter().map(|(_, rules)| *rules);
    sets.chain(flipped(rules).into_iter().map(|flipped| flipped.rules)).chain([rules]).collect()
}

/// The comparison. It starts when somebody opens it.
#[component]
pub fn RulesTable(props: &RulesTableProps) -> Html {
    let is_open = use_state_eq(|| false);
    let costs = use_reducer(Costs::default);
    let flipped = flipped(props.request.rules);
    let count = Rules::SETS.len() + flipped.len() + 1;
    {
        let (workers, dispatcher) = (props.workers.clone(), costs.dispatcher());
        use_effect_with((*is_open, props.request.clone()), move |(is_open, request)| {
            dispatcher.dispatch(Heard::Nothing);
            let asked = workers.clone();
            if *is_open {
                let question = |rules| Question::BestCost(Box::new(LayerRequest { rules, ..request.clone() }));
                let on_reply = Callback::from(move |(index, reply): (usize, Reply)| {
                    dispatcher.dispatch(Heard::One(index, cost_of(reply)));
                });
                workers.ask(Topic::Rules, compared(request.rules).into_iter().map(question).collect(), on_reply);
            }
            move || asked.forget(Topic::Rules)
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
    let base = costs.0.get(&(count - 1));
    let changes = |index: usize| match (costs.0.get(&(Rules::SETS.len() + index)), base) {
        (Some(cost), Some(base)) => cost != base,
        _ => false,
    };
    let deciding: Vec<(usize, &Flipped)> = flipped.iter().enumerate().filter(|(index, _)| changes(*index)).collect();
    let sets = Rules::SETS.iter().enumerate().map(|(index, (title, rules))| {
        let in_force = if *rules == props.request.rules { " · in force" } else { "" };
        (index, format!("{title}{in_force}"))
    });
    let switches = deciding.iter().map(|(index, switch)| {
        let turned = if switch.value { "off" } else { "on" };
        (Rules::SETS.len() + index, format!("{}: {turned}", switch.title))
    });
    let row = |(index, title): (usize, String)| {
        std::iter::once(title.into()).chain(cost_cells(costs.0.get(&index), base)).collect()
    };
    let table = Rc::new(Table {
        caption: "Best mapping under each".to_owned(),
        columns: vec![
            Column::words("rules"),
            Column::measured("energy", Quantity::Energy.base()),
            Column::measured("latency", Quantity::Latency.base()),
        ],
        rows: sets.chain(switches).map(row).collect(),
    });
    let set_row = |index: usize| html! { <tr>{ table_cells(&table, index, &|_| None) }</tr> };
    let switch_row = |(row, (_, switch)): (usize, &(usize, &Flipped))| {
        let content = |column: usize| {
            (column == 0).then(|| html! {
                <>
                    { switch.title }<small>{ if switch.value { " (on: as the tool)" } else { " (off: corrected)" } }</small>
                    <p class="hint">{ Rules::meaning(switch.name) }</p>
                </>
            })
        };
        html! { <tr>{ table_cells(&table, Rules::SETS.len() + row, &content) }</tr> }
    };
    let idle: Vec<&str> =
        flipped.iter().enumerate().filter(|(index, _)| !changes(*index)).map(|(_, switch)| switch.title).collect();
    let is_done = costs.0.len() == count;
    html! {
        <section class="card" data-testid="rules-comparison" data-status={if is_done { "done" } else { "running" }}>
            <h2>{ "Under other rules" }</h2>
            <details class="twin" {ontoggle}>
                <summary>{ "what each set of rules and each switch changes for this layer" }</summary>
                if *is_open && !is_done {
                    <p class="hint" role="status">{ format!("{} of {count} searches done", costs.0.len()) }</p>
                }
                <div class="scroll" tabindex="0" role="group" aria-label="Rules">
                    <table class="wrapped">
                        <caption>{ &table.caption }</caption>
                        { table_head(&table) }
                        <tbody>{ for (0..Rules::SETS.len()).map(set_row) }</tbody>
                        <tbody>
                            <tr><th colspan="3" scope="rowgroup" class="group">{ "The rules in force with one switch flipped" }</th></tr>
                            { for deciding.iter().enumerate().map(switch_row) }
                        </tbody>
                    </table>
                    <SaveTable table={Rc::clone(&table)} />
                </div>
                if is_done && !idle.is_empty() {
                    <p class="hint" data-testid="idle-switches">
                        { format!("Of no consequence for this layer: {}.", idle.join("; ")) }
                    </p>
                }
            </details>
        </section>
    }
}

/// What a reply says of the cost.
pub fn cost_of(reply: Reply) -> Cost {
    match reply {
        Reply::BestCost(Ok(cost)) => Ok(cost),
        Reply::BestCost(Err(diagnostics)) | Reply::Rejected(diagnostics) => {
            Err(diagnostics.0.first().map(|first| first.reason.clone()).unwrap_or_default())
        }
        Reply::Failed(text) => Err(text),
        _ => Err("an answer to something else".to_owned()),
    }
}

/// Energy and latency beside those under the rules in force, or why there are none.
pub fn cost_cells(cost: Option<&Cost>, base: Option<&Cost>) -> Vec<TableCell> {
    let base = base.and_then(|base| base.as_ref().ok());
    let cell = |quantity: Quantity, value: f64, base: Option<f64>| {
        let share = match base.map(|base| 100.0 * (value / base - 1.0)) {
            Some(percent) if percent.abs() >= 0.005 => format!(" ({percent:+.2} %)"),
            _ => String::new(),
        };
        TableCell::number(quantity.text(value) + &share, value)
    };
    match cost {
        None => vec!["…".into(), "…".into()],
        Some(Err(reason)) => vec![reason.as_str().into()],
        Some(Ok((energy, latency))) => vec![
            cell(Quantity::Energy, *energy, base.map(|base| base.0)),
            cell(Quantity::Latency, *latency as f64, base.map(|base| base.1 as f64)),
        ],
    }
}
