//! The view of memory hierarchies: which there are from a pool, what they cost, and the best of them.

use super::answer::seconds_text;
use super::controls::{Checkbox, Choice, Select, TextField, passing, target};
use super::data_table::plain_table;
use super::diagnostics::DiagnosticList;
use super::explorer::{Comparison, Explorer, MOST_COMPARED, StudyResults, StudyStatus};
use super::figure::{Drawn, Figure, Spot};
use super::hardware_card::HardwareDrawing;
use super::save::SaveTable;
use super::state::PageState;
use crate::chart::{Column, Hierarchies, HierarchyPoint, Matrix, Quantity, Table, group_thousands};
use crate::hardware::Core;
use crate::hierarchy::{HierarchyFacts, Point};
use crate::spec::pool_presets;
use crate::state::{Action, FormChange, Half, HierarchyForm, OBJECTIVES};
use std::rc::Rc;
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

/// Value of the choice of all layers, and of a pool of one's own.
const WHOLE: &str = "(whole)";
const OWN: &str = "(own)";

/// What a [`HierarchyView`] needs.
#[derive(Properties, PartialEq)]
pub struct HierarchyViewProps {
    /// Everything.
    pub state: Rc<PageState>,
    /// The core of the design, if it is valid.
    pub core: Option<Rc<Core>>,
    /// Names of the layers of the design that compute, if the network is valid.
    pub layers: Option<Rc<Vec<String>>>,
    /// Drives studies.
    pub explorer: Explorer,
    /// Hears of every change.
    pub act: Callback<Action>,
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
                <FormCard
                    form={state.chosen.hierarchy.clone()}
                    core={props.core.clone()}
                    layers={props.layers.clone()}
                    act={props.act.clone()}
                />
                <Controls state={Rc::clone(state)} is_valid={props.core.is_some() && props.layers.is_some()}
                    explorer={props.explorer.clone()} act={props.act.clone()} />
                <Answer results={Rc::clone(results)} />
            </section>
            if !results.drawn.is_empty() {
                <div class="two">
                    <ScatterCard results={Rc::clone(results)} open={open.clone()} />
                    <FrontCard results={Rc::clone(results)} {open} />
                </div>
            }
            if let Some(facts) = &results.opened {
                <FactsCard facts={Rc::clone(facts)} act={props.act.clone()} />
            }
            if results.status == StudyStatus::Done && results.best.is_some() {
                <ComparisonCard results={Rc::clone(results)} explorer={props.explorer.clone()} />
            }
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct FormCardProps {
    form: HierarchyForm,
    core: Option<Rc<Core>>,
    layers: Option<Rc<Vec<String>>>,
    act: Callback<Action>,
}

/// What is to be generated.
#[component]
fn FormCard(props: &FormCardProps) -> Html {
    let form = &props.form;
    let change = props.act.reform(Action::Hierarchy);
    let pools = {
        let mut pools: Vec<Choice> = pool_presets().iter().map(|preset| Choice::new(preset.id, preset.title)).collect();
        if form.pool_preset.is_none() {
            pools.push(Choice::new(OWN, "my own text"));
        }
        pools
    };
    let pick_pool = passing(&change, |value: String| {
        pool_presets().iter().find(|preset| preset.id == value).map(|preset| FormChange::PoolPreset(preset.id))
    });
    let write =
        passing(&change, |event: InputEvent| Some(FormChange::Pool(target::<HtmlTextAreaElement>(&event)?.value())));
    let show = {
        let shown = !form.shows_pool;
        change.reform(move |_: MouseEvent| FormChange::ShowPool(shown))
    };
    let layers: Vec<Choice> = std::iter::once(Choice::new(WHOLE, "the whole network"))
        .chain(props.layers.iter().flat_map(|names| names.iter()).map(|name| Choice::new(name.clone(), name.clone())))
        .collect();
    let numbers = |numbers: &[u64], text: fn(u64) -> String| -> Vec<Choice> {
        numbers.iter().map(|number| Choice::new(number.to_string(), text(*number))).collect()
    };
    let objectives: Vec<Choice> =
        OBJECTIVES.iter().enumerate().map(|(index, (_, title))| Choice::new(index.to_string(), *title)).collect();
    let number = |make: fn(usize) -> FormChange| passing(&change, move |value: String| value.parse().ok().map(make));
    html! {
        <>
            <h2>
                { "All memory hierarchies from a pool" }
                <button type="button" class="link" onclick={props.act.reform(|_: MouseEvent| Action::CaseStudy2)}
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
                        onchange={change.reform(|value: String| FormChange::Layer(Some(value).filter(|v| v != WHOLE)))}
                        testid="hierarchy-layer"
                    />
                    <Select label="Minimise" choices={objectives} value={form.objective.to_string()}
                        onchange={number(FormChange::Objective)} testid="hierarchy-objective" />
                </div>
                <div>
                    <TextField
                        label="Area at most, mm²"
                        value={form.budget.clone()}
                        oninput={change.reform(FormChange::Budget)}
                        placeholder="no limit"
                        testid="hierarchy-budget"
                    />
                    <Select
                        label="Levels below the highest"
                        choices={numbers(&[0, 1, 2, 3, 4], |levels| format!("up to {levels} of one operand"))}
                        value={form.max_levels.to_string()}
                        onchange={number(FormChange::MaxLevels)}
                        testid="hierarchy-levels"
                    />
                    <Select
                        label="Each level larger"
                        choices={numbers(&[1, 2, 4, 8, 16, 64], |ratio| match ratio {
                            1 => "by any size".to_owned(),
                            ratio => format!("at least {ratio} times"),
                        })}
                        value={form.min_ratio.to_string()}
                        onchange={number(|ratio| FormChange::MinRatio(ratio as u64))}
                        testid="hierarchy-ratio"
                    />
                </div>
            </div>
            <Checkbox
                label="Try every word width of every memory, not only the fitting one"
                checked={form.all_widths}
                onchange={change.reform(FormChange::AllWidths)}
                testid="hierarchy-widths"
            />
            <button type="button" class="link" onclick={show} aria-expanded={form.shows_pool.to_string()}
                data-testid="pool-as-text">
                { if form.shows_pool { "hide the pool’s text" } else { "the pool as text" } }
            </button>
            if form.shows_pool {
                <textarea class="document" value={form.pool.clone()} oninput={write} rows="18" wrap="off"
                    aria-label="Pool document" spellcheck="false" autocomplete="off" data-testid="pool-text" />
            }
        </>
    }
}

/// What the study takes from the design.
fn source_text(core: Option<&Core>) -> String {
    match core {
        Some(core) => {
            let array: Vec<String> = core.array.iter().map(|(_, size)| size.to_string()).collect();
            let highest = &core.memories[core.top(crate::hardware::Operand::O)].name;
            format!(
                "The {} PEs of {} and their unrolling stay, and “{highest}” above all; what lies between comes from the \
                 pool: shared by operands or apart, in every PE, along one dimension of the array, or once.",
                array.join(" × "),
                core.name
            )
        }
        None => "The hardware document has errors.".to_owned(),
    }
}

#[derive(Properties, PartialEq)]
struct ControlsProps {
    state: Rc<PageState>,
    is_valid: bool,
    explorer: Explorer,
    act: Callback<Action>,
}

/// Start, stop, and how far it is.
#[component]
fn Controls(props: &ControlsProps) -> Html {
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
                if results.status == StudyStatus::Running {
                    <button type="button" onclick={call(Explorer::stop)} data-testid="hierarchy-stop">{ "Stop" }</button>
                }
                if results.status == StudyStatus::Stopped {
                    <button type="button" onclick={call(Explorer::resume)} data-testid="hierarchy-continue">
                        { "Continue" }
                    </button>
                }
                if is_other && results.request.is_some() {
                    <span class="hint">{ "The results below belong to an earlier choice." }</span>
                }
            </div>
            <DiagnosticList {diagnostics} testid="hierarchy-errors" />
            <Progress results={Rc::clone(results)} />
        </>
    }
}

#[derive(Properties, PartialEq)]
struct ResultsProps {
    results: Rc<StudyResults>,
}

#[component]
fn Progress(props: &ResultsProps) -> Html {
    let results = &*props.results;
    let counts = results.counts;
    let number = |count: usize| group_thousands(count as u64);
    let text = match (results.status, &results.outline) {
        (StudyStatus::Idle | StudyStatus::Rejected, _) => return html! {},
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
    // Bounds take about a tenth of the time.
    let value = (counts.bounded + 9 * done).to_string();
    html! {
        <>
            <div class="progress" data-testid="hierarchy-progress">
                <span>{ text }</span>
                if results.status != StudyStatus::Done {
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

/// The best by the objective.
#[component]
fn Answer(props: &ResultsProps) -> Html {
    let results = &*props.results;
    let best = results.best.and_then(|best| results.drawn.iter().find(|(point, ..)| point.hierarchy == best));
    let Some((point, name, _)) = best else {
        let nothing = results.status == StudyStatus::Done;
        return html! {
            if nothing {
                <p class="why" data-testid="hierarchy-nothing">
                    { "No hierarchy serves all layers. " }{ results.reason.clone().unwrap_or_default() }
                </p>
            }
        };
    };
    let objective = results.request.as_ref().map(|request| &request.settings.objective);
    let title = OBJECTIVES.iter().find(|(other, _)| Some(other) == objective).map_or("", |(_, title)| *title);
    let so_far = if results.status == StudyStatus::Done { "" } else { " so far" };
    let above = results.outline.as_ref().map_or("", |outline| &outline.highest);
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
    results: Rc<StudyResults>,
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
                { "Each mark is a hierarchy with its best mapping; those with a border are best trade-offs of all three. \
                   Click one to see it." }
            </p>
            <Figure title="" chart={Drawn::new(chart)} testid="hierarchy-scatter" {on_click} />
        </section>
    }
}

fn opened_or_best(results: &StudyResults) -> Option<u32> {
    results.opened.as_ref().map(|facts| facts.hierarchy).or(results.best)
}

/// The best trade-offs, each of which can be opened.
#[component]
fn FrontCard(props: &PickProps) -> Html {
    let results = &*props.results;
    let front: Vec<&(Point, Rc<str>, bool)> = results.drawn.iter().filter(|(.., front)| *front).collect();
    let marked = opened_or_best(results);
    let row = |(point, name, _): &&(Point, Rc<str>, bool)| {
        let hierarchy = point.hierarchy;
        let onclick = props.open.reform(move |_: MouseEvent| hierarchy);
        let class = (marked == Some(hierarchy)).then_some("marked");
        html! {
            <tr {class}>
                <td class="number">{ Quantity::Energy.text(point.energy_pj) }</td>
                <td class="number">{ Quantity::Latency.text(point.latency_cycles as f64) }</td>
                <td class="number">{ Quantity::Area.text(point.area_um2) }</td>
                <th scope="row"><button type="button" class="link" {onclick}>{ &**name }</button></th>
            </tr>
        }
    };
    html! {
        <section class="card" data-testid="hierarchy-front">
            <h2>{ format!("Best trade-offs: {}", front.len()) }</h2>
            <div class="scroll tall" tabindex="0" role="group" aria-label="Best trade-offs">
                <table>
                    <thead>
                        <tr>
                            <th scope="col" class="number">{ "energy" }</th>
                            <th scope="col" class="number">{ "latency" }</th>
                            <th scope="col" class="number">{ "area" }</th>
                            <th scope="col">{ "hierarchy, lowest memory first" }</th>
                        </tr>
                    </thead>
                    <tbody>{ for front.iter().map(row) }</tbody>
                </table>
                <SaveTable />
            </div>
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct FactsCardProps {
    facts: Rc<HierarchyFacts>,
    act: Callback<Action>,
}

/// One hierarchy: drawn, layer by layer, and ready to be used.
#[component]
fn FactsCard(props: &FactsCardProps) -> Html {
    let facts = &*props.facts;
    let core = use_memo(facts.document.clone(), |text| Core::from_text(text).ok().map(Rc::new));
    let use_it = {
        let document = facts.document.clone();
        props.act.reform(move |_: MouseEvent| Action::Take(Half::Hardware, document.clone()))
    };
    let layers = facts.layers.as_ref().map(|layers| {
        let row = |layer: &crate::hierarchy::LayerResult| {
            vec![
                layer.title.clone(),
                layer.count.to_string(),
                Quantity::Energy.text(layer.solution.energy_pj),
                Quantity::Latency.text(layer.solution.latency_cycles as f64),
            ]
        };
        Table {
            caption: "Each layer with its best mapping; layers alike cost the same each".to_owned(),
            columns: vec![
                Column::words("layer"),
                Column::numbers("alike"),
                Column::numbers("energy each"),
                Column::numbers("latency each"),
            ],
            rows: layers.iter().map(row).collect(),
        }
    });
    html! {
        <section class="card" data-testid="hierarchy-facts">
            <h2>{ &facts.name }</h2>
            if facts.estimated {
                <p class="hint" data-testid="hierarchy-estimated">
                    { "Some of these memories’ figures are estimates by a fit to published ones; the document says which." }
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
                <div class="scroll low" tabindex="0" role="group" aria-label="Layers on this hierarchy">
                    { match &layers {
                        Ok(table) => plain_table(table),
                        Err(reason) => html! { <p class="why">{ reason }</p> },
                    } }
                </div>
            </div>
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct ComparisonCardProps {
    results: Rc<StudyResults>,
    explorer: Explorer,
}

/// Unrollings against hierarchies (ZigZag, Fig. 20).
#[component]
fn ComparisonCard(props: &ComparisonCardProps) -> Html {
    let results = &*props.results;
    let Some(outline) = results.outline.as_ref().filter(|outline| !outline.unrollings.is_empty()) else {
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
                { "Do the best trade-offs stay good when the array unrolls other loops? Where operands share memories, a \
                   mapping can make up for it; where each has its own, it often cannot." }
            </p>
            { match &results.comparison {
                None => html! {
                    <button type="button" onclick={compare} data-testid="compare-unrollings">
                        { "Compare the unrollings" }
                    </button>
                },
                Some(comparison) => matrix(comparison, &outline.unrollings),
            } }
        </section>
    }
}

/// Some of the best trade-offs, spread over all of them by energy.
fn to_compare(results: &StudyResults) -> Vec<(u32, Rc<str>)> {
    let front: Vec<&(Point, Rc<str>, bool)> = results.drawn.iter().filter(|(.., front)| *front).collect();
    let count = front.len().min(MOST_COMPARED);
    let at = |column: usize| if count > 1 { column * (front.len() - 1) / (count - 1) } else { 0 };
    (0..count)
        .filter_map(|column| front.get(at(column)))
        .map(|(point, name, _)| (point.hierarchy, Rc::clone(name)))
        .collect()
}

fn matrix(comparison: &Comparison, unrollings: &[String]) -> Html {
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
    };
    html! {
        <>
            <Figure title="" chart={Drawn::new(chart)} testid="unrolling-matrix" />
            <ol class="names">{ for comparison.hierarchies.iter().map(|(_, name)| html! { <li>{ &**name }</li> }) }</ol>
        </>
    }
}
