//! A filmstrip of the last designs: a click goes back to one of them.

use crate::app::session::design_history::{DesignHistory, SettledDesign};
use crate::app::widgets::page::figure_context::use_act;
use crate::app::workers::results::SweepResults;
use crate::chart::{Quantity, more_or_less, viridis};
use crate::spec::Difference;
use crate::state::{Action, State, design_differences};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Clone, Properties, PartialEq)]
pub struct DesignHistoryProps {
    pub design_history: Rc<DesignHistory>,
    /// The current state, whose view settings are kept.
    pub chosen: Rc<State>,
}

/// The filmstrip. Only `shell::pieces` may name it.
pub fn design_history(props: DesignHistoryProps) -> Html {
    html! { <Filmstrip ..props /> }
}

/// The last designs, the oldest first: the change, the best point, a small landscape.
#[component]
fn Filmstrip(props: &DesignHistoryProps) -> Html {
    let act = use_act();
    let design_history = &props.design_history;
    let frame = |(index, frame): (usize, &SettledDesign)| {
        let before = index.checked_sub(1).and_then(|index| design_history.frames().get(index));
        let is_current = design_history.current() == Some(index);
        let state = State { view: props.chosen.view.clone(), ..(*frame.state).clone() };
        let onclick = act.reform(move |_: MouseEvent| Action::Open(Box::new(state.clone())));
        let what = before.map_or_else(|| "at first".to_owned(), |before| changed(before, frame));
        html! {
            <li>
                <button type="button" {onclick} aria-current={is_current.then_some("true")} data-testid="film-frame">
                    { thumbnail(&frame.results) }
                    <b>{ score(&frame.results) }</b>
                    <small>{ what }</small>
                    if let Some(change) = before.and_then(|before| change(&before.results, &frame.results)) {
                        <small>{ change }</small>
                    }
                </button>
            </li>
        }
    };
    html! {
        <div class="film" data-testid="film">
            <h3>{ "Last states" }</h3>
            <ol>{ for design_history.frames().iter().enumerate().map(frame) }</ol>
        </div>
    }
}

fn best(results: &SweepResults) -> Option<f64> {
    Some(results.summary(results.best?)?.score)
}

fn score(results: &SweepResults) -> String {
    let objective = results.requests.first().map(|request| &request.settings.objective);
    best(results)
        .map_or_else(String::new, |score| objective.map_or(Quantity::Energy, Quantity::of_objective).text(score))
}

/// `6 % more`, if both have the same objective.
fn change(before: &SweepResults, now: &SweepResults) -> Option<String> {
    let objective = |results: &SweepResults| Some(results.requests.first()?.settings.objective.clone());
    let is_same = objective(before) == objective(now);
    Some(more_or_less(best(before)?, best(now)?)).filter(|_| is_same)
}

/// The change from the design before, in short: `sram_64KB.size 64 KiB → 128 KiB`.
fn changed(before: &SettledDesign, now: &SettledDesign) -> String {
    let found = design_differences(&before.state.design, &now.state.design);
    let Some(first) = found.first() else { return "as before".to_owned() };
    let more = if found.len() > 1 { format!(", and {} more", found.len() - 1) } else { String::new() };
    format!("{}{more}", short(first))
}

fn short(difference: &Difference) -> String {
    let side = |text: &Option<String>| match text.as_deref() {
        None => "nothing".to_owned(),
        Some(text) if text.chars().count() > MOST_LETTERS => "…".to_owned(),
        Some(text) => text.to_owned(),
    };
    let path: Vec<&str> = difference.path.split('.').collect();
    let name = path[path.len().saturating_sub(2)..].join(" ");
    format!("{name}: {} → {}", side(&difference.a), side(&difference.b))
}

/// Longer values are not printed in a change.
const MOST_LETTERS: usize = 18;
/// Limit on the columns and rows of a small landscape.
const MOST_CELLS: usize = 12;

/// The storing mode of the best point as a small landscape; darker is more expensive.
fn thumbnail(results: &SweepResults) -> Html {
    let grids = crate::app::widgets::sweep::grid::grids(results);
    let Some(grid) =
        grids.iter().find(|grid| results.best.and_then(|best| grid.place(best)).is_some()).or(grids.first())
    else {
        return html! {};
    };
    let (columns, rows) = grid.size();
    let (across, down) = (columns.min(MOST_CELLS), rows.min(MOST_CELLS));
    let cell = |(x, y): (usize, usize)| {
        let point = grid.point((x * columns / across, y * rows / down));
        Some((x, y, results.summary(point)?.score))
    };
    let cells: Vec<(usize, usize, f64)> =
        (0..down).flat_map(|y| (0..across).map(move |x| (x, y))).filter_map(cell).collect();
    let least = cells.iter().map(|cell| cell.2).fold(f64::INFINITY, f64::min);
    let most = cells.iter().map(|cell| cell.2).fold(0.0, f64::max);
    let shade = |score: f64| (score / least).ln() / (most / least).ln().max(f64::MIN_POSITIVE);
    let rect = |&(x, y, score): &(usize, usize, f64)| {
        let color = viridis(shade(score));
        let fill = format!("#{:02x}{:02x}{:02x}", color.0, color.1, color.2);
        html! { <rect x={x.to_string()} y={y.to_string()} width="1" height="1" {fill} /> }
    };
    html! {
        <svg class="thumbnail" viewBox={format!("0 0 {across} {down}")} preserveAspectRatio="none" aria-hidden="true">
            { for cells.iter().map(rect) }
        </svg>
    }
}
