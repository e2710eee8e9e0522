//! The form of a study on many cores: the tiles of layers, and the rules of the scheduler.

use crate::app::widgets::forms::controls::{Checkbox, ChoiceOption, Select, TextField, passing};
use crate::app::widgets::forms::diagnostics::DiagnosticList;
use crate::app::widgets::page::figure_context::use_act;
use crate::multicore::{OrderRule, ScheduleObjective, Scheduler};
use crate::spec::Diagnostics;
use crate::state::{Action, CoresField, CoresForm, StackChoice, TileChoice};
use yew::prelude::*;

const OBJECTIVES: [(ScheduleObjective, &str); 3] = [
    (ScheduleObjective::Latency, "latency"),
    (ScheduleObjective::Energy, "energy"),
    (ScheduleObjective::EnergyDelay, "energy-delay product"),
];

const SCHEDULERS: [(Scheduler, &str); 3] = [
    (Scheduler::Corrected, "corrected"),
    (Scheduler::Stream2024, "Stream, Dec 2024: transfers early"),
    (Scheduler::Stream2023, "Stream, June 2023: transfers late"),
];

const ORDERS: [(Option<OrderRule>, &str); 4] = [
    (None, "whichever is best"),
    (Some(OrderRule::Deepest), "of the deepest layer"),
    (Some(OrderRule::Slots), "as the allocation has it"),
    (Some(OrderRule::Earliest), "that could start first"),
];

#[derive(Properties, PartialEq)]
pub struct CoresFormProps {
    pub form: CoresForm,
    /// Its errors.
    pub wrong: Diagnostics,
}

/// A choice out of named values.
fn select<T: Copy + PartialEq + 'static>(
    label: &'static str,
    all: &'static [(T, &'static str)],
    current: T,
    on: Callback<T>,
    testid: &'static str,
) -> Html {
    let choices: Vec<ChoiceOption> =
        all.iter().enumerate().map(|(index, (_, title))| ChoiceOption::new(index.to_string(), *title)).collect();
    let value = all.iter().position(|(value, _)| *value == current).unwrap_or(0).to_string();
    let onchange = passing(&on, move |index: String| Some(all.get(index.parse::<usize>().ok()?)?.0));
    html! { <Select {label} {choices} {value} {onchange} {testid} /> }
}

#[component]
pub fn CoresFormCard(props: &CoresFormProps) -> Html {
    let act = use_act();
    let form = &props.form;
    let change = act.reform(Action::Cores);
    let invalid = |what: &str| props.wrong.0.iter().any(|wrong| wrong.path.ends_with(what));
    html! {
        <>
            <div class="form">
                <div>
                    { select("Tiles", &TileChoice::ALL, form.granularity, change.reform(CoresField::Granularity), "core-tiles") }
                    if form.granularity == TileChoice::Rows {
                        <TextField label="Rows of a tile" value={form.rows.clone()} oninput={change.reform(CoresField::Rows)}
                            testid="core-rows" invalid={invalid("rows")} />
                    }
                    { select("Layer stacks", &StackChoice::ALL, form.stacks, change.reform(CoresField::Stacks), "core-stacks") }
                </div>
                <div>
                    { select("Minimise", &OBJECTIVES, form.objective, change.reform(CoresField::Objective), "core-aim") }
                    { select("Scheduler", &SCHEDULERS, form.scheduler, change.reform(CoresField::Scheduler), "core-scheduler") }
                    { select("Next tile", &ORDERS, form.order, change.reform(CoresField::Order), "core-order") }
                </div>
            </div>
            <div class="form wide">
                if form.granularity == TileChoice::ByHand {
                    <TextField label="Pieces of loops" value={form.tiles.clone()} oninput={change.reform(CoresField::Tiles)}
                        placeholder="OY 14, OX 2; conv1: OY 28" testid="core-tiles-text" invalid={invalid("tiles")} />
                }
                if form.stacks == StackChoice::ByHand {
                    <TextField label="Stacks end after" value={form.ends.clone()} oninput={change.reform(CoresField::Ends)}
                        placeholder="names of layers" testid="core-ends" invalid={invalid("stacks")} />
                }
            </div>
            <Checkbox
                label="Bring all weights to their cores before anything else"
                checked={form.prefetches}
                onchange={change.reform(CoresField::Prefetches)}
                testid="core-prefetch"
            />
            <DiagnosticList diagnostics={props.wrong.clone()} testid="cores-errors" />
        </>
    }
}
