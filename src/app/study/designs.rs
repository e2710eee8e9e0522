//! Designs one by one: a table of the best, and one that was opened.

use super::figures::ShownDesigns;
use crate::app::session::state::PageState;
use crate::app::widgets::figures::data_table::{table_cells, table_head};
use crate::app::widgets::figures::save::{FileContent, Save};
use crate::app::widgets::forms::controls::{ChoiceOption, Select};
use crate::app::widgets::forms::diagnostics::DiagnosticList;
use crate::app::widgets::page::figure_context::use_act;
use crate::chart::{designs_listed, group_thousands};
use crate::explore::study::{DesignSchedule, DesignSpace, PathRoot, TiledSchedule};
use crate::multicore::CoresSettings;

use crate::sorting::sort_by;
use crate::spec::Diagnostics;
use crate::state::{Action, CoresForm, Half, Pinned, Schedule, State, Tab, TileChoice};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use yew::prelude::*;

/// Limit on the rows shown; a file has all.
const ROWS: usize = 100;

#[derive(Properties, PartialEq)]
pub struct DesignsCardProps {
    pub shown: ShownDesigns,
    /// Called with the row to open, `None` to close it.
    pub open: Callback<Option<usize>>,
}

/// The selected designs on the front, or all selected ones, in any order.
#[component]
pub fn DesignsCard(props: &DesignsCardProps) -> Html {
    let table = props.shown.table.borrow();
    let all = use_state_eq(|| false);
    let first = table.objectives().first().map_or(0, |(dimension, _)| *dimension);
    let by = use_state_eq(|| None::<usize>);
    let by_dimension = by.unwrap_or(first);
    let front: BTreeSet<usize> = table.front().into_iter().collect();
    let is_gain = table.quantities().iter().any(|(dimension, gain)| *dimension == by_dimension && *gain);
    let mut rows: Vec<usize> =
        table.found().filter(|row| (*all || front.contains(row)) && props.shown.brush.holds(&table, *row)).collect();
    sort_by(&mut rows, |a, b| {
        let (a_value, b_value) = (table.value(by_dimension, *a), table.value(by_dimension, *b));
        let order = if is_gain { b_value.total_cmp(&a_value) } else { a_value.total_cmp(&b_value) };
        order.then(table.design(*a).cmp(&table.design(*b)))
    });
    let count = rows.len();
    rows.truncate(ROWS);
    let listed = Rc::new(designs_listed(&table, &rows));
    let row = |(at, row): (usize, &usize)| {
        let row = *row;
        let onclick = props.open.reform(move |_: MouseEvent| Some(row));
        let class = (props.shown.opened == Some(row)).then_some("marked");
        let content = |column: usize| {
            let onclick = onclick.clone();
            let text = listed.rows.get(at)?.first()?.text().to_owned();
            (column == 0).then(|| html! { <button type="button" class="link" {onclick} data-testid="study-open-row">{ text }</button> })
        };
        html! { <tr {class}>{ table_cells(&listed, at, &content) }</tr> }
    };
    let choices: Vec<ChoiceOption> = table
        .dimensions()
        .enumerate()
        .map(|(index, shown)| ChoiceOption::new(index.to_string(), shown.name.clone()))
        .collect();
    let pick = {
        let by = by.setter();
        Callback::from(move |value: String| by.set(value.parse().ok()))
    };
    let which = {
        let all = all.setter();
        Callback::from(move |value: String| all.set(value == "all"))
    };
    let title = if *all { "Selected designs" } else { "Designs on the front" };
    let of = if count > ROWS { format!(", the first {ROWS}") } else { String::new() };
    let shown = vec![ChoiceOption::new("front", "the front"), ChoiceOption::new("all", "all that are selected")];
    html! {
        <section class="card" data-testid="study-designs">
            <h2>{ format!("{title}: {}{of}", group_thousands(count as u64)) }</h2>
            <div class="row">
                <Select label="Show" choices={shown} value={if *all { "all" } else { "front" }} onchange={which}
                    testid="study-which" />
                <Select label="In the order of" {choices} value={by_dimension.to_string()} onchange={pick} testid="study-order" />
            </div>
            <div class="scroll tall" tabindex="0" role="group" aria-label={title}>
                <table>
                    { table_head(&listed) }
                    <tbody>{ for rows.iter().enumerate().map(row) }</tbody>
                </table>
                <Save what={FileContent::Table(Rc::clone(&listed))} />
            </div>
        </section>
    }
}

#[derive(Properties, PartialEq)]
pub struct OpenedCardProps {
    /// Index of the row in the results.
    pub row: usize,
    pub shown: ShownDesigns,
    pub state: Rc<PageState>,
}

/// One design: its numbers, and buttons that take it over.
#[component]
pub fn OpenedCard(props: &OpenedCardProps) -> Html {
    let act = use_act();
    let wrong = use_state_eq(Diagnostics::default);
    let table = props.shown.table.borrow();
    let Some(design) = table.design(props.row) else { return html! {} };
    let fact = |(name, text): (String, String)| html! { <><b>{ text }</b>{ format!(" {name} ") }</> };
    let take = |pins: bool| {
        let (state, act, wrong) = (Rc::clone(&props.state.chosen), act.clone(), wrong.setter());
        let study = Arc::clone(&table.study);
        Callback::from(move |_: MouseEvent| match opened_state(&state, &study, design, pins) {
            Ok(next) => act.emit(Action::Open(Box::new(next))),
            Err(why) => wrong.set(why),
        })
    };
    html! {
        <section class="card" data-testid="study-opened">
            <h2>{ format!("Design {design}") }</h2>
            <p class="facts">{ for table.texts(props.row).into_iter().map(fact) }</p>
            <div class="row">
                <button type="button" class="primary" onclick={take(false)} data-testid="study-use">{ "Open this design" }</button>
                <button type="button" onclick={take(true)} data-testid="study-pin">{ "Pin it to compare with the design at hand" }</button>
            </div>
            <p class="hint">
                { "Its documents take the place of those at hand, so that every view works with it, and links share it. \
                   Ctrl Z leads back." }
            </p>
            <DiagnosticList diagnostics={(*wrong).clone()} testid="study-opened-errors" />
        </section>
    }
}

/// The state with a design of a study as the current one, or pinned for comparison.
fn opened_state(state: &State, study: &DesignSpace, design: u64, pins: bool) -> Result<State, Diagnostics> {
    let coordinates = study.sampled(design);
    let mut opened = state.design.clone();
    let halves = [(Half::Hardware, PathRoot::Hardware), (Half::Workload, PathRoot::Network)];
    for (half, part) in halves.into_iter().filter(|(_, part)| study.has(*part)) {
        let text = study.document(part, &coordinates)?;
        if opened.document(half).text != text {
            opened.document_mut(half).write(text);
        }
    }
    let mut next = state.clone();
    (next.entry, next.view.point) = (None, None);
    let is_on_cores = study.has(PathRoot::System);
    let mut cores = state.cores.clone();
    match study.schedule(&coordinates)? {
        DesignSchedule::DepthFirst(settings) => opened.schedule = Schedule::of(&settings),
        DesignSchedule::OnCores(TiledSchedule { settings, searches_tiles }) => {
            let CoresSettings { strategy, lpf_limit, rules, .. } = settings;
            (opened.schedule.strategy, opened.schedule.lpf_limit, opened.schedule.rules) = (strategy, lpf_limit, rules);
            cores = CoresForm::of_text(&study.document(PathRoot::System, &coordinates)?, settings);
            if searches_tiles {
                cores.granularity = TileChoice::Best;
            }
        }
    }
    if pins {
        let cores = Pinned::cores_of(&cores);
        next.pinned = Some(Box::new(Pinned { design: opened, point: None, cores }));
        next.view.tab = Tab::Compare;
    } else {
        (next.design, next.cores) = (opened, cores);
        next.view.tab = if is_on_cores { Tab::Cores } else { Tab::Landscape };
    }
    Ok(next)
}
