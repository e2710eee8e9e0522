//! The results of a study: number of designs, scatter of two dimensions, heatmap of the best over two axes, parallel
//! coordinates of all; one selection of designs for all of them.

use super::designs::{DesignsCard, OpenedCard};
use super::run::StudyRun;
use crate::app::session::state::PageState;
use crate::app::widgets::figures::data_table::DataTable;
use crate::app::widgets::figures::download::save_text;
use crate::app::widgets::figures::figure::{Canvas, Drawn, Figure, Spot};
use crate::app::widgets::figures::save::{FileContent, Save, WIDTH};
use crate::app::widgets::forms::controls::{ChoiceOption, Select, TextField};
use crate::app::widgets::pointing::pointers::{capture, is_drag, spot};
use crate::chart::{
    Brush, HeatmapAxes, StudyTable, design_lines, design_scatter, group_thousands, heatmap, heatmap_selection,
};
use crate::explore::study::DesignStatus;

use crate::state::file_name;
use std::cell::RefCell;
use std::rc::Rc;
use web_sys::Element;
use yew::prelude::*;

/// Limit on the axes of the parallel coordinates, for lack of room.
const MOST_LINES: usize = 9;

#[derive(Properties, PartialEq)]
pub struct ResultsCardProps {
    pub run: StudyRun,
    /// Changes with the results of the run.
    pub version: u64,
    pub state: Rc<PageState>,
}

/// The designs in all figures.
#[derive(Clone)]
pub struct ShownDesigns {
    pub table: Rc<RefCell<StudyTable>>,
    /// Changes with the table.
    pub version: u64,
    pub brush: Brush,
    /// Index of the opened row.
    pub opened: Option<usize>,
}

impl PartialEq for ShownDesigns {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.table, &other.table)
            && (self.version, &self.brush, self.opened) == (other.version, &other.brush, other.opened)
    }
}

#[component]
pub fn ResultsCard(props: &ResultsCardProps) -> Html {
    let brush = use_state_eq(Brush::default);
    let opened = use_state_eq(|| None::<usize>);
    let table = props.run.table();
    // Another study has other dimensions.
    {
        let (brush, opened) = (brush.setter(), opened.setter());
        use_effect_with(props.run.clone(), move |_| {
            brush.set(Brush::default());
            opened.set(None);
        });
    }
    let shown =
        ShownDesigns { table: Rc::clone(&table), version: props.version, brush: (*brush).clone(), opened: *opened };
    let select = {
        let brush = brush.setter();
        Callback::from(move |next: Brush| brush.set(next))
    };
    let open = {
        let opened = opened.setter();
        Callback::from(move |row: Option<usize>| opened.set(row))
    };
    let is_empty = table.borrow().found().next().is_none();
    html! {
        <>
            <section class="card" data-testid="study-results" data-status={props.run.status_name()}>
                <h2>
                    { props.run.study().spec.name.clone() }
                    <span class="actions">
                        <button type="button" class="link" onclick={save(&props.run)} data-testid="study-csv">
                            { "save all designs as CSV" }
                        </button>
                    </span>
                </h2>
                { counts(&table.borrow(), among(&props.run)) }
                if !is_empty {
                    <SelectionRow shown={shown.clone()} select={select.clone()} />
                }
            </section>
            if !is_empty {
                <div class="two">
                    <ScatterCard shown={shown.clone()} select={select.clone()} open={open.clone()} />
                    if props.run.study().axes.iter().filter(|axis| axis.values.len() > 1).count() >= 2 {
                        <HeatmapCard shown={shown.clone()} select={select.clone()} />
                    }
                </div>
                <ParallelCard shown={shown.clone()} {select} />
                if let Some(row) = *opened {
                    <OpenedCard {row} shown={shown.clone()} state={Rc::clone(&props.state)} />
                }
                <DesignsCard {shown} {open} />
            }
        </>
    }
}

fn save(run: &StudyRun) -> Callback<MouseEvent> {
    let run = run.clone();
    Callback::from(move |_| {
        save_text(&file_name(&[run.study().spec.name.clone(), String::new()], "designs", "csv"), "text/csv", &run.csv())
    })
}

/// A remark on the designs that the best is among, if these are not all of the study.
fn among(run: &StudyRun) -> &'static str {
    let (known, all) = run.progress();
    match run.is_done() {
        Some(false) => " so far",
        None if known < all => " of these",
        None | Some(true) => "",
    }
}

/// Number of designs by outcome, and the best by each objective.
fn counts(table: &StudyTable, among: &str) -> Html {
    let best = |(dimension, is_gain): (usize, bool)| {
        let values = table.found().map(|row| (row, table.value(dimension, row))).filter(|(_, value)| value.is_finite());
        let least = values.min_by(|a, b| if is_gain { b.1.total_cmp(&a.1) } else { a.1.total_cmp(&b.1) })?;
        let shown = table.dimension(dimension)?;
        let word = if is_gain { "most" } else { "least" };
        Some(html! {
            <div class="kpi"><b>{ shown.text(least.1) }</b><span>{ format!("{word} {}{among}", shown.name) }</span></div>
        })
    };
    let others = table.statuses().into_iter().filter(|(status, ..)| *status != DesignStatus::Found).map(
        |(status, count, why)| {
            let said = match status {
                DesignStatus::Outside => "break a constraint",
                DesignStatus::Beaten => "are beaten by their lower bounds",
                DesignStatus::Impossible => "cannot be scheduled",
                DesignStatus::Wrong => "make no sense together",
                DesignStatus::Found => "",
            };
            let why = why.map(|why| format!(" For example: {why}")).unwrap_or_default();
            html! { <p class="hint">{ format!("{} {said}.{why}", group_thousands(count as u64)) }</p> }
        },
    );
    html! {
        <>
            <div class="answer hierarchies" data-testid="study-best">
                <div class="kpi">
                    <b>{ group_thousands(table.front().len() as u64) }</b><span>{ format!("on the front{among}") }</span>
                </div>
                { for table.objectives().into_iter().filter_map(best) }
                <div class="kpi"><b>{ group_thousands(table.found().count() as u64) }</b><span>{ "designs with numbers" }</span></div>
            </div>
            { for others }
        </>
    }
}

#[derive(Properties, PartialEq)]
struct BrushProps {
    shown: ShownDesigns,
    select: Callback<Brush>,
}

/// The selection, and fields that extend it.
#[component]
fn SelectionRow(props: &BrushProps) -> Html {
    let table = props.shown.table.borrow();
    let dimension = use_state_eq(|| 0_usize);
    let (low, high) = (use_state_eq(String::new), use_state_eq(String::new));
    let chips = props.shown.brush.ranges().filter_map(|(index, (low, high))| {
        let name = table.dimension(index)?;
        let text = if low == high { name.text(low) } else { format!("{} to {}", name.text(low), name.text(high)) };
        let remove = {
            let brush = props.shown.brush.without(index);
            props.select.reform(move |_: MouseEvent| brush.clone())
        };
        Some(html! {
            <button type="button" class="chip" onclick={remove} title="Select without this">{ format!("{}: {text} ×", name.name) }</button>
        })
    });
    let choices = table
        .dimensions()
        .enumerate()
        .map(|(index, shown)| ChoiceOption::new(index.to_string(), shown.name.clone()))
        .collect::<Vec<_>>();
    let pick = {
        let dimension = dimension.setter();
        Callback::from(move |value: String| dimension.set(value.parse().unwrap_or(0)))
    };
    let set = |field: &UseStateHandle<String>| {
        let field = field.setter();
        Callback::from(move |text: String| field.set(text))
    };
    let read = |text: &str, open: f64| if text.trim().is_empty() { Some(open) } else { table.read(*dimension, text) };
    let range = read(&low, f64::NEG_INFINITY)
        .zip(read(&high, f64::INFINITY))
        .filter(|_| !(low.trim().is_empty() && high.trim().is_empty()));
    let limit = {
        let next = range.map(|range| props.shown.brush.with(*dimension, range));
        let select = props.select.clone();
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            if let Some(next) = next.clone() {
                select.emit(next);
            }
        })
    };
    let selected = table.found().filter(|&row| props.shown.brush.holds(&table, row)).count() as u64;
    let is_wrong = |text: &str| !text.trim().is_empty() && table.read(*dimension, text).is_none();
    html! {
        <details class="selection" data-testid="study-selection" open={!props.shown.brush.is_empty()}>
            <summary>{ format!("{} designs selected", group_thousands(selected)) }</summary>
            <p class="hint">
                { "Drag over the scatter, or along an axis of the lines, or click a cell of the heatmap: what is selected in \
                   one figure is selected in all." }
            </p>
            <div class="row">{ for chips }</div>
            <form class="row" onsubmit={limit}>
                <Select label="Only where" {choices} value={dimension.to_string()} onchange={pick} testid="study-limit" />
                <TextField label="from" value={(*low).clone()} oninput={set(&low)} invalid={is_wrong(&low)}
                    placeholder="16 KiB" testid="study-from" />
                <TextField label="to" value={(*high).clone()} oninput={set(&high)} invalid={is_wrong(&high)}
                    placeholder="1 MiB" testid="study-to" />
                <button type="submit" disabled={range.is_none()} data-testid="study-select">{ "Select" }</button>
            </form>
        </details>
    }
}

#[derive(Properties, PartialEq)]
struct ScatterProps {
    shown: ShownDesigns,
    select: Callback<Brush>,
    open: Callback<Option<usize>>,
}

/// Scatter of two dimensions.
#[component]
fn ScatterCard(props: &ScatterProps) -> Html {
    let table = props.shown.table.borrow();
    let first = table.objectives();
    let at = |place: usize| first.get(place).or(first.first()).map_or(0, |(dimension, _)| *dimension);
    let chosen = use_state_eq(|| None::<(usize, usize)>);
    let (x, y) = chosen.unwrap_or((at(1), at(0)));
    let Some(chart) = design_scatter(&table, (x, y), &props.shown.brush, props.shown.opened) else { return html! {} };
    let choices: Vec<ChoiceOption> = table
        .dimensions()
        .enumerate()
        .map(|(index, shown)| ChoiceOption::new(index.to_string(), shown.name.clone()))
        .collect();
    let pick = |of: fn((usize, usize), usize) -> (usize, usize)| {
        let chosen = chosen.setter();
        Callback::from(move |value: String| chosen.set(value.parse().ok().map(|index| of((x, y), index))))
    };
    let on_drag = {
        let (chart, brush, select) = (chart.clone(), props.shown.brush.clone(), props.select.clone());
        Callback::from(move |(from, to): (Spot, Spot)| {
            let (a, b) = (chart.values_at(from.x, from.y, from.width), chart.values_at(to.x, to.y, to.width));
            select.emit(brush.with(x, (a.0, b.0)).with(y, (a.1, b.1)));
        })
    };
    let on_click = {
        let (chart, open) = (chart.clone(), props.open.clone());
        Callback::from(move |spot: Spot| open.emit(chart.row_at(spot.x, spot.y, spot.width)))
    };
    html! {
        <section class="card">
            <h2>{ "Designs" }</h2>
            <p class="hint">{ "Click a design to see it. Drag to select some." }</p>
            <div class="row">
                <Select label="Up" choices={choices.clone()} value={y.to_string()} onchange={pick(|(x, _), y| (x, y))} testid="study-y" />
                <Select label="Along" {choices} value={x.to_string()} onchange={pick(|(_, y), x| (x, y))} testid="study-x" />
            </div>
            <BrushFigure chart={Drawn::new(chart)} {on_drag} {on_click} is_upright={false} testid="study-scatter" />
        </section>
    }
}

/// Parallel coordinates of all dimensions.
#[component]
fn ParallelCard(props: &BrushProps) -> Html {
    let table = props.shown.table.borrow();
    let dimensions: Vec<usize> = (0..table.dimensions().count()).take(MOST_LINES).collect();
    let chart = design_lines(&table, &dimensions, &props.shown.brush, props.shown.opened);
    let left_out = table.dimensions().count() - dimensions.len();
    let on_drag = {
        let (chart, brush, select) = (chart.clone(), props.shown.brush.clone(), props.select.clone());
        Callback::from(move |(from, to): (Spot, Spot)| {
            let start = chart.value_at(from.x, from.y, from.width);
            let range =
                start.and_then(|(dimension, a)| Some((dimension, (a, chart.value_of(dimension, to.y, to.width)?))));
            if let Some((dimension, range)) = range {
                select.emit(brush.with(dimension, range));
            }
        })
    };
    let on_click = {
        let (chart, brush, select) = (chart.clone(), props.shown.brush.clone(), props.select.clone());
        Callback::from(move |spot: Spot| {
            if let Some((dimension, _)) = chart.value_at(spot.x, spot.y, spot.width) {
                select.emit(brush.without(dimension));
            }
        })
    };
    let drawn = chart.lines.len();
    let some = (drawn < chart.designs).then(|| {
        format!(
            " {} of {} are drawn, all of the front among them.",
            group_thousands(drawn as u64),
            group_thousands(chart.designs as u64)
        )
    });
    let rest = (left_out > 0).then(|| format!(" {left_out} more numbers stand in the table."));
    html! {
        <section class="card">
            <h2>{ "All numbers of each design" }</h2>
            <p class="hint">
                { "A line is a design. Drag along an axis to select a range of it; click the axis to let it go." }
                { some.unwrap_or_default() }{ rest.unwrap_or_default() }
            </p>
            <BrushFigure chart={Drawn::new(chart)} {on_drag} {on_click} is_upright={true} testid="study-lines" />
        </section>
    }
}

/// Indices of the horizontal and the vertical axis among those that vary, and the quantity to show.
type Chosen = (usize, usize, Option<usize>);

/// Heatmap of the best over two axes.
#[component]
fn HeatmapCard(props: &BrushProps) -> Html {
    let table = props.shown.table.borrow();
    let axes: Vec<(usize, String)> = table
        .study
        .axes
        .iter()
        .enumerate()
        .filter(|(_, axis)| axis.values.len() > 1)
        .filter_map(|(index, _)| Some((index, table.dimension(table.of_axis(index)?)?.name.clone())))
        .collect();
    let quantities = table.quantities();
    let first = table.objectives().first().copied().or(quantities.first().copied());
    let chosen = use_state_eq(|| (1_usize, 0_usize, None::<usize>));
    let axis = |place: usize| axes.get(place).or(axes.last()).map_or(0, |(index, _)| *index);
    let shown = chosen.2.and_then(|shown| quantities.iter().copied().find(|(index, _)| *index == shown)).or(first);
    let Some((value, is_gain)) = shown else { return html! {} };
    let of = HeatmapAxes { x: axis(chosen.0), y: axis(chosen.1), shown: value, is_gain };
    let Some(chart) = heatmap(&table, of, &props.shown.brush) else { return html! {} };
    let pick = |set: fn(Chosen, usize) -> Chosen| {
        let (now, chosen) = (*chosen, chosen.setter());
        Callback::from(move |value: String| {
            if let Ok(value) = value.parse() {
                chosen.set(set(now, value));
            }
        })
    };
    let places: Vec<ChoiceOption> =
        axes.iter().enumerate().map(|(place, (_, name))| ChoiceOption::new(place.to_string(), name.clone())).collect();
    let values = quantities
        .iter()
        .filter_map(|(index, _)| Some(ChoiceOption::new(index.to_string(), table.dimension(*index)?.name.clone())));
    let on_click = {
        let (chart, brush, select, table) =
            (chart.clone(), props.shown.brush.clone(), props.select.clone(), Rc::clone(&props.shown.table));
        Callback::from(move |spot: Spot| {
            if let Some(cell) = chart.cell_at(spot.x, spot.y, spot.width) {
                select.emit(heatmap_selection(&table.borrow(), of, cell, &brush));
            }
        })
    };
    let best = if is_gain { "most" } else { "least" };
    let place = |place: usize| place.min(axes.len().saturating_sub(1)).to_string();
    html! {
        <section class="card">
            <h2>{ "Two axes" }</h2>
            <p class="hint">
                { format!("Each cell has the {best} over all other axes, of the designs that are selected. Click one to \
                           select it.") }
            </p>
            <div class="row">
                <Select label="Show" choices={values.collect::<Vec<_>>()} value={value.to_string()}
                    onchange={pick(|(x, y, _), shown| (x, y, Some(shown)))} testid="study-heat" />
                <Select label="Up" choices={places.clone()} value={place(chosen.1)}
                    onchange={pick(|(x, _, shown), y| (x, y, shown))} testid="study-heat-y" />
                <Select label="Along" choices={places} value={place(chosen.0)}
                    onchange={pick(|(_, y, shown), x| (x, y, shown))} testid="study-heat-x" />
            </div>
            <Figure title="" chart={Drawn::new(chart)} testid="study-heatmap" {on_click} />
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct BrushFigureProps {
    chart: Drawn,
    /// Called at the end of a drag, with both ends.
    on_drag: Callback<(Spot, Spot)>,
    on_click: Callback<Spot>,
    /// Whether only the vertical extent of a drag counts.
    is_upright: bool,
    testid: &'static str,
}

/// A figure with selection by drags.
#[component]
fn BrushFigure(props: &BrushFigureProps) -> Html {
    let place = use_node_ref();
    let drag = use_state_eq(|| None::<(Spot, Spot)>);
    let at = {
        let place = place.clone();
        move |event: &PointerEvent| {
            let width = place.cast::<Element>().map_or(0, |element| element.client_width().max(0) as u32);
            spot(&place, event).map(|(x, y)| Spot { x, y, width })
        }
    };
    let onpointerdown = {
        let (at, drag, place) = (at.clone(), drag.setter(), place.clone());
        Callback::from(move |event: PointerEvent| {
            if event.button() == 0 {
                capture(&place, event.pointer_id());
                drag.set(at(&event).map(|spot| (spot, spot)));
            }
        })
    };
    let onpointermove = {
        let (at, drag) = (at.clone(), drag.clone());
        Callback::from(move |event: PointerEvent| {
            if let (Some((from, _)), Some(to)) = (*drag, at(&event)) {
                drag.set(Some((from, to)));
            }
        })
    };
    let onpointerup = {
        let (drag, on_drag, on_click) = (drag.clone(), props.on_drag.clone(), props.on_click.clone());
        Callback::from(move |event: PointerEvent| {
            if let (Some((from, _)), Some(to)) = (*drag, at(&event)) {
                if is_drag((from.x, from.y), (to.x, to.y)) {
                    on_drag.emit((from, to));
                } else {
                    on_click.emit(to);
                }
            }
            drag.set(None);
        })
    };
    let onpointercancel = {
        let drag = drag.setter();
        Callback::from(move |_: PointerEvent| drag.set(None))
    };
    let marked = drag.filter(|(from, to)| is_drag((from.x, from.y), (to.x, to.y))).map(|(from, to)| {
        let (left, wide) =
            if props.is_upright { (from.x - 9.0, 18.0) } else { (from.x.min(to.x), (to.x - from.x).abs()) };
        let (top, high) = (from.y.min(to.y), (to.y - from.y).abs());
        html! {
            <svg class="brush" aria-hidden="true">
                <rect x={left.to_string()} y={top.to_string()} width={wide.to_string()} height={high.to_string()} />
            </svg>
        }
    });
    html! {
        <figure data-testid={props.testid}>
            <div class="brushed" ref={place} {onpointerdown} {onpointermove} {onpointerup} {onpointercancel}>
                <Canvas chart={props.chart.clone()} />
                { for marked }
            </div>
            <Save what={FileContent::Figure(props.chart.clone(), WIDTH)} />
            <DataTable table={Rc::new(props.chart.chart().table())} />
        </figure>
    }
}
