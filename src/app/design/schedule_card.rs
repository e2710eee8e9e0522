//! The schedule: the swept points, the objective, the rules.

use crate::app::platform::lazy_modules::late;
use crate::app::widgets::forms::controls::{Checkbox, ChoiceOption, Select, TextField, passing};
use crate::app::widgets::forms::diagnostics::{DiagnosticList, sentences};
use crate::app::widgets::page::figure_context::use_act;
use crate::app::widgets::words::term::termed;
use crate::depth_first::StoringMode;
use crate::lazy_module;
use crate::rules::Rules;
use crate::search::Strategy;
use crate::spec::Diagnostics;
use crate::state::{Action, FuseChoice, GridChoice, LPF_LIMITS, ObjectiveChoice, Schedule, ScheduleField};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ScheduleCardProps {
    pub schedule: Schedule,
    /// Memories that can be chosen as the fuse memory or in an objective.
    pub memories: Vec<String>,
    /// The choice that its grid of tile sizes matches.
    pub grid: GridChoice,
    /// Whether this is the sweep of DeFiNES, Fig. 12.
    pub is_figure_12: bool,
    pub diagnostics: Diagnostics,
    /// Remarks that are not errors.
    pub notes: Rc<Diagnostics>,
}

/// The schedule's form.
#[component]
pub fn ScheduleCard(props: &ScheduleCardProps) -> Html {
    let act = &use_act();
    let schedule = &props.schedule;
    let wrong = |path: &str| props.diagnostics.0.iter().any(|diagnostic| diagnostic.path.starts_with(path));
    let mode = |mode: StoringMode| {
        html! {
            <Checkbox
                label={mode.title()}
                checked={schedule.modes.contains(&mode)}
                onchange={act.reform(move |on| Action::Mode(mode, on))}
                testid={format!("mode-{}", mode.name())}
            />
        }
    };
    html! {
        <section class="card" aria-labelledby="schedule-title" data-testid="schedule-card">
            <h2 id="schedule-title">{ "Schedule" }</h2>
            { select_of(("Tile sizes", "tile-grid"), &GridChoice::ALL, props.grid, act.reform(Action::TakeGrid)) }
            <TextField
                label="Tile widths X"
                value={schedule.tiles_x.clone()}
                oninput={act.reform(|text| Action::Schedule(ScheduleField::TilesX(text)))}
                testid="tiles-x"
                invalid={wrong("tiles_x")}
            />
            <TextField
                label="Tile heights Y"
                value={schedule.tiles_y.clone()}
                oninput={act.reform(|text| Action::Schedule(ScheduleField::TilesY(text)))}
                testid="tiles-y"
                invalid={wrong("tiles_y")}
            />
            if !props.notes.is_empty() {
                <p class="facts" role="status" data-testid="schedule-notes">{ sentences(&props.notes) }</p>
            }
            <fieldset>
                <legend>{ termed("[Overlap of tiles|overlap storing mode]") }</legend>
                { for StoringMode::ALL.into_iter().map(mode) }
            </fieldset>
            { fuse_fields(schedule, act, wrong("fuse")) }
            { objective_fields(schedule, &props.memories, act, wrong("objective")) }
            { search_fields(schedule, act) }
            { rules_fields(schedule, act) }
            <DiagnosticList diagnostics={props.diagnostics.clone()} testid="schedule-errors" />
            <button
                type="button"
                class="wide"
                onclick={act.reform(|_: MouseEvent| Action::ReproduceFigure12)}
                disabled={props.is_figure_12}
                title="FSRCNN on the Meta-prototype-like DF accelerator, with the rules of the public DeFiNES tool"
                data-testid="figure-12"
            >
                { if props.is_figure_12 { "This is Fig. 12 of DeFiNES" } else { "Reproduce Fig. 12 of DeFiNES" } }
            </button>
        </section>
    }
}

/// A select over an enumeration, whose values are their titles.
fn select_of<T: Copy + PartialEq + 'static>(
    (label, testid): (&'static str, &'static str),
    all: &'static [(T, &'static str)],
    current: T,
    on: Callback<T>,
) -> Html {
    let title = all.iter().find(|(value, _)| *value == current).map_or("", |(_, title)| title);
    let choices: Vec<ChoiceOption> = all.iter().map(|(_, title)| ChoiceOption::new(*title, *title)).collect();
    let onchange = passing(&on, |text: String| all.iter().find(|(_, title)| *title == text).map(|(value, _)| *value));
    html! { <Select {label} {choices} value={title} {onchange} {testid} /> }
}

fn fuse_fields(schedule: &Schedule, act: &Callback<Action>, invalid: bool) -> Html {
    let on = act.reform(|fuse| Action::Schedule(ScheduleField::Fuse(fuse)));
    html! {
        <>
            { select_of(("Fuse depth", "fuse"), &FuseChoice::ALL, schedule.fuse, on) }
            if schedule.fuse == FuseChoice::ByHand {
                <TextField
                    label="Stacks end after"
                    value={schedule.cuts.clone()}
                    oninput={act.reform(|text| Action::Schedule(ScheduleField::Cuts(text)))}
                    placeholder="map2, expand"
                    testid="cuts"
                    {invalid}
                />
            }
        </>
    }
}

fn objective_fields(schedule: &Schedule, memories: &[String], act: &Callback<Action>, invalid: bool) -> Html {
    let on = {
        let memories = memories.to_vec();
        let known = memories.contains(&schedule.memory);
        let act = act.clone();
        Callback::from(move |objective| {
            // The list shows a first memory as chosen, so that is the one to take.
            if let (ObjectiveChoice::MemoryAccesses, false, Some(first)) = (objective, known, memories.first()) {
                act.emit(Action::Schedule(ScheduleField::Memory(first.clone())));
            }
            act.emit(Action::Schedule(ScheduleField::Objective(objective)));
        })
    };
    let weight = |(index, label): (usize, &'static str)| {
        html! {
            <TextField
                {label}
                value={schedule.weights[index].clone()}
                oninput={act.reform(move |text| Action::Weight(index, text))}
                testid={["weight-energy", "weight-latency", "weight-dram"][index]}
                {invalid}
            />
        }
    };
    let choices: Vec<ChoiceOption> =
        memories.iter().map(|name| ChoiceOption::new(name.clone(), name.clone())).collect();
    html! {
        <>
            { select_of(("Minimise", "objective"), &ObjectiveChoice::ALL, schedule.objective, on) }
            if schedule.objective == ObjectiveChoice::MemoryAccesses {
                <Select
                    label="Memory"
                    {choices}
                    value={schedule.memory.clone()}
                    onchange={act.reform(|name| Action::Schedule(ScheduleField::Memory(name)))}
                    testid="objective-memory"
                />
            }
            if schedule.objective == ObjectiveChoice::Weighted {
                { for ["per pJ", "per cycle", "per DRAM word"].into_iter().enumerate().map(weight) }
            }
        </>
    }
}

/// Names of the strategies.
const STRATEGIES: [(Strategy, &str); 2] =
    [(Strategy::Exact, "exact, proved optimal"), (Strategy::Loma, "LOMA, loop orders")];

fn search_fields(schedule: &Schedule, act: &Callback<Action>) -> Html {
    let on_strategy = act.reform(|strategy| Action::Schedule(ScheduleField::Strategy(strategy)));
    let choices: Vec<ChoiceOption> =
        LPF_LIMITS.map(|limit| ChoiceOption::new(limit.to_string(), orders_text(limit))).collect();
    let onchange =
        passing(act, |text: String| text.parse().ok().map(|limit| Action::Schedule(ScheduleField::LpfLimit(limit))));
    html! {
        <>
            { select_of(("Search", "strategy"), &STRATEGIES, schedule.strategy, on_strategy) }
            if schedule.strategy == Strategy::Loma {
                <Select
                    label="LPF limit"
                    {choices}
                    value={schedule.lpf_limit.to_string()}
                    {onchange}
                    testid="lpf-limit"
                />
            }
        </>
    }
}

/// Number of loop orders that a limit allows: `6 (up to 720 orders)`.
fn orders_text(limit: usize) -> String {
    let orders: u64 = (1..=limit as u64).product();
    format!("{limit} · up to {} orders", crate::chart::group_thousands(orders))
}

/// Name of a combination of rules that is not one of [`Rules::SETS`].
const MIXED: &str = "my own mixture";

fn rules_fields(schedule: &Schedule, act: &Callback<Action>) -> Html {
    let value = schedule.rules.set_name().unwrap_or(MIXED);
    let names = Rules::SETS.map(|(name, _)| name).into_iter().chain((value == MIXED).then_some(MIXED));
    let onchange = passing(act, |text: String| {
        let (_, rules) = Rules::SETS.into_iter().find(|(name, _)| *name == text)?;
        Some(Action::Schedule(ScheduleField::Rules(rules)))
    });
    let choices: Vec<ChoiceOption> = names.map(|name| ChoiceOption::new(name, name)).collect();
    html! {
        <>
            <Select label="Rules" {choices} {value} {onchange} testid="rules" />
            <RuleSwitches rules={schedule.rules} />
        </>
    }
}

/// Functions whose code is fetched when the switches of the rules are first unfolded.
#[derive(Clone, Copy)]
pub struct RuleCode {
    pub rule_switches: fn(Rules, &Callback<Action>) -> Html,
}
lazy_module!(RuleCode);

#[derive(Properties, PartialEq)]
struct RuleSwitchesProps {
    rules: Rules,
}

/// The switches of the rules, folded at first.
#[component]
fn RuleSwitches(props: &RuleSwitchesProps) -> Html {
    let act = use_act();
    let is_needed = use_state_eq(|| false);
    let ontoggle = {
        let is_needed = is_needed.clone();
        Callback::from(move |_: Event| is_needed.set(true))
    };
    let (rules, act) = (props.rules, act.clone());
    html! {
        <details class="twin rules" {ontoggle}>
            <summary>{ "what the rules switch" }</summary>
            if *is_needed { { late(move |parts: RuleCode| (parts.rule_switches)(rules, &act)) } }
        </details>
    }
}
