//! Sliders over the tile sizes of a sweep, the change since the drag began, and the points visited before.

use super::grid::{SweepGrid, grids};
use crate::app::widgets::forms::controls::target;
use crate::app::widgets::page::figure_context::use_act;
use crate::app::workers::results::SweepResults;
use crate::chart::{Quantity, compared_with, more_or_less, tile_text};
use crate::depth_first::FuseDepth;
use crate::state::{Action, ViewField};
use std::rc::Rc;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Limit on the visited points kept.
const MOST_KEPT: usize = 6;

#[derive(Properties)]
pub struct TileSlidersProps {
    pub results: Rc<SweepResults>,
    /// The opened point; figures may still show the one before.
    pub point: u32,
    /// Whether the cost of the point is shown, where nothing beside the sliders shows it.
    #[prop_or_default]
    pub says_costs: bool,
}

impl PartialEq for TileSlidersProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.results, &other.results) && (self.point, self.says_costs) == (other.point, other.says_costs)
    }
}

/// Sliders over tile widths and heights; nothing where the sweep has only one of each, or the point has no tile.
#[component]
pub fn TileSliders(props: &TileSlidersProps) -> Html {
    let act = use_act();
    let begun = use_state_eq(|| None::<u32>);
    let kept = use_mut_ref(Vec::<u32>::new);
    let requests = use_mut_ref(|| props.results.requests.clone());
    if *requests.borrow() != props.results.requests {
        // Another sweep numbers its points differently.
        requests.replace(props.results.requests.clone());
        kept.borrow_mut().clear();
        begun.set(None);
    }
    let all = grids(&props.results);
    let is_tiled = props.results.strategy(props.point).is_some_and(|strategy| strategy.fuse != FuseDepth::LayerByLayer);
    let here = all.iter().filter(|_| is_tiled).find_map(|grid| Some((grid, grid.place(props.point)?)));
    let Some((grid, at)) = here.filter(|(grid, _)| grid.size() != (1, 1)) else { return html! {} };
    let open = {
        let (results, act) = (Rc::clone(&props.results), act.clone());
        move |point: u32| {
            if let Some(strategy) = results.strategy(point) {
                act.emit(Action::Look(ViewField::Point(Some(strategy.clone()))));
            }
        }
    };
    let begin = {
        let (begun, kept, point) = (begun.setter(), Rc::clone(&kept), props.point);
        move || {
            begun.set(Some(point));
            keep(&mut kept.borrow_mut(), point);
        }
    };
    let slider = |label: &'static str,
                  testid: &'static str,
                  sizes: &Rc<Vec<u64>>,
                  index: usize,
                  point_at: fn(&SweepGrid, (usize, usize), usize) -> u32| {
        if sizes.len() < 2 {
            return html! {};
        }
        let (grid, open) = (grid.clone(), open.clone());
        let oninput = Callback::from(move |event: InputEvent| {
            let to = target::<HtmlInputElement>(&event).and_then(|slider| slider.value().parse::<usize>().ok());
            to.into_iter().for_each(|to| open(point_at(&grid, at, to)));
        });
        let (begin, focus) = (begin.clone(), begin.clone());
        html! {
            <label>
                <span>{ label }</span>
                <input
                    type="range"
                    min="0"
                    max={(sizes.len() - 1).to_string()}
                    value={index.to_string()}
                    aria-valuetext={sizes.get(index).map(u64::to_string)}
                    {oninput}
                    onpointerdown={Callback::from(move |_: PointerEvent| begin())}
                    onfocus={Callback::from(move |_: FocusEvent| focus())}
                    data-testid={testid}
                />
                <b>{ sizes.get(index) }</b>
            </label>
        }
    };
    let mode = |other: &SweepGrid| {
        let (open, begin, point) = (open.clone(), begin.clone(), other.point(at));
        let onclick = Callback::from(move |_: MouseEvent| {
            begin();
            open(point);
        });
        let pressed = (other.mode == grid.mode).to_string();
        html! { <button type="button" aria-pressed={pressed} {onclick}>{ other.mode.title() }</button> }
    };
    let visited: Vec<u32> = kept.borrow().iter().copied().filter(|&point| point != props.point).collect();
    let frame = |&point: &u32| {
        let (strategy, summary) = (props.results.strategy(point)?, props.results.summary(point)?);
        let (open, begin) = (open.clone(), begin.clone());
        let onclick = Callback::from(move |_: MouseEvent| {
            begin();
            open(point);
        });
        let (columns, rows) = strategy.tile;
        Some(html! {
            <li>
                <button type="button" class="small" {onclick} title={strategy.mode.title()} data-testid="tile-frame">
                    { format!("{columns} × {rows}") }<small>{ Quantity::Energy.text(summary.energy_pj) }</small>
                </button>
            </li>
        })
    };
    html! {
        <div class="tile-sliders" role="group" aria-label="Tile size" data-testid="tile-sliders">
            <div class="sliders">
                { slider("tile width", "tile-width-drag", &grid.widths, at.0, |grid, at, to| grid.point((to, at.1))) }
                { slider("tile height", "tile-height-drag", &grid.heights, at.1, |grid, at, to| grid.point((at.0, to))) }
                if all.len() > 1 {
                    <div class="segments" role="group" aria-label="Overlap storing mode">{ for all.iter().map(mode) }</div>
                }
            </div>
            <p class="facts" role="status" data-testid="tile-change">
                if props.says_costs { { costs(&props.results, props.point) } }
                { change(&props.results, *begun, props.point) }
            </p>
            if !visited.is_empty() {
                <ol class="visited" aria-label="Points that were looked at">{ for visited.iter().filter_map(frame) }</ol>
            }
        </div>
    }
}

/// Moves a point to the end of the list of visited points.
fn keep(kept: &mut Vec<u32>, point: u32) {
    kept.retain(|&other| other != point);
    kept.push(point);
    if kept.len() > MOST_KEPT {
        kept.remove(0);
    }
}

/// `60 × 72: 1.81 mJ, 19.8 Mcycles. `
fn costs(results: &SweepResults, point: u32) -> Option<Html> {
    let (strategy, summary) = (results.strategy(point)?, results.summary(point)?);
    let energy = Quantity::Energy.text(summary.energy_pj);
    let latency = Quantity::Latency.text(summary.latency_cycles as f64);
    Some(html! { <><b>{ tile_text(strategy) }</b>{ format!(": {energy}, {latency}. ") }</> })
}

/// `Energy 6 % more, latency 12 % less than at 60 × 72`.
fn change(results: &SweepResults, begun: Option<u32>, point: u32) -> Option<String> {
    let begun = begun.filter(|&begun| begun != point)?;
    let (before, now) = (results.summary(begun)?, results.summary(point)?);
    let strategy = results.strategy(begun)?;
    let name = format!("at {} × {}, {}", strategy.tile.0, strategy.tile.1, strategy.mode.title());
    let energy = more_or_less(before.energy_pj, now.energy_pj);
    let latency = compared_with(&name, before.latency_cycles as f64, now.latency_cycles as f64);
    Some(format!("Energy {energy}, latency {latency}."))
}
