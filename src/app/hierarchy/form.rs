//! The form of a study of memory hierarchies: parameters, start and stop, progress.

use crate::app::session::hierarchies::Explorer;
use crate::app::session::hierarchy_results::HierarchyResults;
use crate::app::session::state::PageState;
use crate::app::widgets::forms::controls::{Checkbox, ChoiceOption, Select, TextField, passing};
use crate::app::widgets::forms::diagnostics::DiagnosticList;
use crate::app::widgets::forms::document_text::FoldedText;
use crate::app::widgets::page::figure_context::use_act;
use crate::app::widgets::words::term::termed;
use crate::app::workers::results::Status;
use crate::chart::{group_thousands, seconds_text};
use crate::hardware::Core;
use crate::spec::pool_presets;
use crate::state::{Action, AnyChoice, HierarchyField, HierarchyForm, HierarchyObjective};
use std::rc::Rc;
use yew::prelude::*;

/// Value of the choice of all layers, and of a pool written by hand.
const WHOLE: &str = "(whole)";
const OWN: &str = "(own)";

#[derive(Properties, PartialEq)]
pub struct HierarchyFormCardProps {
    pub form: HierarchyForm,
    /// The accelerator, if its document is valid.
    pub core: Option<Rc<Core>>,
    /// Names of the layers with multiply-accumulates, if the network is valid.
    pub layers: Option<Rc<Vec<String>>>,
}

/// Parameters of the generator.
#[component]
pub fn HierarchyFormCard(props: &HierarchyFormCardProps) -> Html {
    let act = use_act();
    let form = &props.form;
    let change = act.reform(Action::Hierarchy);
    let pools = {
        let mut pools: Vec<ChoiceOption> =
            pool_presets().iter().map(|preset| ChoiceOption::new(preset.id, preset.title)).collect();
        if form.pool_preset.is_none() {
            pools.push(ChoiceOption::new(OWN, "my own pool"));
        }
        pools
    };
    let pick_pool =
        passing(&act, |value: String| pool_presets().iter().find(|preset| preset.id == value).map(Action::PickPool));
    let layers: Vec<ChoiceOption> = std::iter::once(ChoiceOption::new(WHOLE, "the whole network"))
        .chain(
            props
                .layers
                .iter()
                .flat_map(|names| names.iter())
                .map(|name| ChoiceOption::new(name.clone(), name.clone())),
        )
        .collect();
    let numbers = |numbers: &[u64], text: fn(u64) -> String| -> Vec<ChoiceOption> {
        numbers.iter().map(|number| ChoiceOption::new(number.to_string(), text(*number))).collect()
    };
    let objectives: Vec<ChoiceOption> = HierarchyObjective::ALL
        .iter()
        .map(|(choice, title)| ChoiceOption::new(choice.number().to_string(), *title))
        .collect();
    let pick_objective = passing(&change, move |value: String| {
        let number = |(choice, _): &(HierarchyObjective, _)| choice.number().to_string() == value;
        HierarchyObjective::ALL.into_iter().find(number).map(|(choice, _)| HierarchyField::Objective(choice))
    });
    let number =
        |make: fn(usize) -> HierarchyField| passing(&change, move |value: String| value.parse().ok().map(make));
    html! {
        <>
            <h2>
                <span>{ termed("All [memory hierarchies|memory hierarchy] from a [pool|memory pool]") }</span>
                <button type="button" class="link" onclick={passing(&act, |_: MouseEvent| Action::case_study_2().ok())}
                    data-testid="case-study-2">
                    { "ZigZag’s case study" }
                </button>
            </h2>
            <p class="hint">{ source_text(props.core.as_deref()) }</p>
            <div class="form">
                <div>
                    <Select label="Pool" choices={pools} value={form.pool_preset.unwrap_or(OWN)} onchange={pick_pool}
                        testid="pool-preset" />
                    <Select
                        label="Map"
                        choices={layers}
                        value={form.layer.clone().unwrap_or_else(|| WHOLE.to_owned())}
                        onchange={change.reform(|value: String| HierarchyField::Layer(Some(value).filter(|v| v != WHOLE)))}
                        testid="hierarchy-layer"
                    />
                    <Select label="Minimise" choices={objectives} value={form.objective.number().to_string()}
                        onchange={pick_objective} testid="hierarchy-objective" />
                </div>
                <div>
                    <TextField
                        label="Area at most, mm²"
                        value={form.budget.clone()}
                        oninput={change.reform(HierarchyField::Budget)}
                        placeholder="no limit"
                        testid="hierarchy-budget"
                    />
                    <Select
                        label="Levels below the highest"
                        choices={numbers(&[0, 1, 2, 3, 4], |levels| format!("up to {levels} of one operand"))}
                        value={form.max_levels.to_string()}
                        onchange={number(HierarchyField::MaxLevels)}
                        testid="hierarchy-levels"
                    />
                    <Select
                        label="Each level larger"
                        choices={numbers(&[1, 2, 4, 8, 16, 64], |ratio| match ratio {
                            1 => "by any size".to_owned(),
                            ratio => format!("at least {ratio} times"),
                        })}
                        value={form.min_ratio.to_string()}
                        onchange={number(|ratio| HierarchyField::MinRatio(ratio as u64))}
                        testid="hierarchy-ratio"
                    />
                </div>
            </div>
            <Checkbox
                label="Try every word width of every memory, not only the fitting one"
                checked={form.all_widths}
                onchange={change.reform(HierarchyField::AllWidths)}
                testid="hierarchy-widths"
            />
            <Checkbox
                label="Only the best, not the trade-offs: decides far more hierarchies in the same time"
                checked={form.only_best}
                onchange={change.reform(HierarchyField::OnlyBest)}
                testid="hierarchy-only-best"
            />
                <FoldedText
                    of="pool"
                    label="Pool document"
                    text={form.pool.clone()}
                    is_shown={form.shows_pool}
                    onshow={change.reform(HierarchyField::ShowsPool)}
                    oninput={change.reform(HierarchyField::Pool)}
                />
        </>
    }
}

/// The parts of the design that the study uses.
fn source_text(core: Option<&Core>) -> String {
    match core {
        Some(core) => {
            let array: Vec<String> = core.array.iter().map(|(_, size)| size.to_string()).collect();
            let highest = &core.memories[core.top(crate::hardware::Operand::O)].name;
            format!(
                "The {} PEs of {} and their unrolling stay, and “{highest}” above all; \
                 what lies between comes from the pool: shared by operands or apart, in every PE, \
                 along one dimension of the array, or once.",
                array.join(" × "),
                core.name
            )
        }
        None => "The hardware document has errors.".to_owned(),
    }
}

#[derive(Properties, PartialEq)]
pub struct ControlsProps {
    pub state: Rc<PageState>,
    /// Whether both documents are valid.
    pub is_valid: bool,
    pub explorer: Explorer,
}

/// Start, stop, and progress.
#[component]
pub fn Controls(props: &ControlsProps) -> Html {
    let (state, results) = (&props.state, &props.state.study);
    let design = &state.chosen.design;
    let request = state.chosen.hierarchy.request(
        &design.hardware.text,
        &design.workload.text,
        (design.schedule.strategy, design.schedule.lpf_limit),
        design.schedule.rules,
    );
    let own_mistakes = request.as_ref().err().cloned().unwrap_or_default();
    let is_other = request.as_ref().ok().is_none_or(|request| results.request.as_deref() != Some(request));
    let start = {
        let (explorer, request) = (props.explorer.clone(), request.ok());
        Callback::from(move |_: MouseEvent| {
            if let Some(request) = request.clone() {
                explorer.start(request);
            }
        })
    };
    let call = |call: fn(&Explorer)| {
        let explorer = props.explorer.clone();
        Callback::from(move |_: MouseEvent| call(&explorer))
    };
    let can_start = props.is_valid && own_mistakes.is_empty();
    let diagnostics = if own_mistakes.is_empty() && !is_other { results.diagnostics.clone() } else { own_mistakes };
    html! {
        <>
            <div class="row start">
                <button type="button" class="primary" disabled={!can_start} onclick={start} data-testid="hierarchy-start">
                    { if results.request.is_some() { "Generate and search again" } else { "Generate and search" } }
                </button>
                if results.status == Status::Running {
                    <button type="button" onclick={call(Explorer::stop)} data-testid="hierarchy-stop">{ "Stop" }</button>
                }
                if results.status == Status::Stopped {
                    <button type="button" onclick={call(Explorer::resume)} data-testid="hierarchy-continue">
                        { "Continue" }
                    </button>
                }
                if is_other && results.request.is_some() {
                    <span class="hint">{ "The results below belong to an earlier choice." }</span>
                }
            </div>
            <DiagnosticList {diagnostics} testid="hierarchy-errors" />
            { progress(results) }
        </>
    }
}

fn progress(results: &HierarchyResults) -> Html {
    let counts = results.counts;
    let number = |count: usize| group_thousands(count as u64);
    let text = match (results.status, &results.overview) {
        (Status::Idle | Status::Rejected, _) => return html! {},
        (_, None) => "generating".to_owned(),
        (_, Some(_)) if counts.bounded < counts.generated => {
            format!("{} of {} hierarchies bounded", number(counts.bounded), number(counts.generated))
        }
        (_, Some(_)) => {
            format!(
                "{} hierarchies: {} searched, {} left out by bounds, {} do not fit",
                number(counts.generated),
                number(counts.searched),
                number(counts.pruned),
                number(counts.infeasible)
            ) + &match counts.unproved {
                0 => String::new(),
                count => format!("; for {} a better mapping may exist", number(count)),
            }
        }
    };
    let done = counts.searched + counts.pruned + counts.infeasible;
    // The bounds take about a tenth of the time.
    let value = (counts.bounded + 9 * done).to_string();
    html! {
        <>
            <div class="progress" data-testid="hierarchy-progress">
                <span>{ text }</span>
                if results.status != Status::Done {
                    <progress {value} max={(10 * counts.generated.max(1)).to_string()}
                        aria-label="Share of the hierarchies that is decided" />
                }
                <span class="left">{ seconds_text(results.elapsed_ms) }</span>
            </div>
            if let Some(failure) = &results.failure {
                <p class="why">{ failure }</p>
            }
        </>
    }
}
