//! The effect of each set of rules, and of each switch of the rules, on a layer.

use crate::app::widgets::figures::data_table::{table_cells, table_head};
use crate::app::widgets::figures::save::{FileContent, Save};
use crate::app::widgets::forms::controls::use_disclosure;
use crate::app::workers::ask::use_answers;
use crate::chart::{Column, Quantity, Table, TableCell};
use crate::explore::LayerRequest;
use crate::question::{Channel, FindBestCost, FoundCost, Reply};
use crate::rules::Rules;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct RulesTableProps {
    /// The layer under the rules in force.
    pub request: Rc<LayerRequest>,
}

/// One switch of the rules in force, flipped.
struct Flipped {
    name: &'static str,
    title: &'static str,
    /// Its value in force.
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

/// All rules to compare: the sets, those with one switch flipped, and last those in force.
fn compared(rules: Rules) -> Vec<Rules> {
    let sets = Rules::SETS.iter().map(|(_, rules)| *rules);
    sets.chain(flipped(rules).into_iter().map(|flipped| flipped.rules)).chain([rules]).collect()
}

/// The comparison. It starts when it is opened.
#[component]
pub fn RulesTable(props: &RulesTableProps) -> Html {
    let (is_open, ontoggle) = use_disclosure();
    let flipped = flipped(props.request.rules);
    let count = Rules::SETS.len() + flipped.len() + 1;
    let question = |rules| FindBestCost { request: Rc::new(LayerRequest { rules, ..(*props.request).clone() }) };
    let questions =
        if is_open { compared(props.request.rules).into_iter().map(question).collect() } else { Vec::new() };
    let costs = use_answers(Channel::Rules, questions);
    let base = costs.get(count - 1);
    let changes = |index: usize| match (costs.get(Rules::SETS.len() + index), base) {
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
        std::iter::once(title.into()).chain(cost_cells(costs.get(index), base)).collect()
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
    let is_done = costs.done() == count;
    html! {
        <section class="card" data-testid="rules-comparison" data-status={if is_done { "done" } else { "running" }}>
            <h2>{ "Under other rules" }</h2>
            <details class="twin" {ontoggle}>
                <summary>{ "what each set of rules and each switch changes for this layer" }</summary>
                if is_open && !is_done {
                    <p class="hint" role="status">{ format!("{} of {count} searches done", costs.done()) }</p>
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
                    <Save what={FileContent::Table(Rc::clone(&table))} />
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

/// Energy and latency, and their change from those under the rules in force; or the reason why there are none.
pub fn cost_cells(cost: Option<&Reply<FoundCost>>, base: Option<&Reply<FoundCost>>) -> Vec<TableCell> {
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
        Some(Err(refusal)) => vec![refusal.reason().into()],
        Some(Ok(cost)) => vec![
            cell(Quantity::Energy, cost.energy_pj, base.map(|base| base.energy_pj)),
            cell(Quantity::Latency, cost.latency_cycles as f64, base.map(|base| base.latency_cycles as f64)),
        ],
    }
}
