//! Energy against latency of all points.

use crate::app::widgets::figures::figure::{Drawn, Figure, Spot};
use crate::app::widgets::page::figure_context::use_act;
use crate::app::widgets::pointing::highlight::{Subject, point_at, use_highlight};
use crate::app::widgets::words::term::termed;
use crate::app::workers::results::SweepResults;
use crate::chart::{Scatter, ScatterPoint, group_thousands, strategy_title};
use crate::explore::PointSummary;
use crate::state::Action;
use std::collections::HashSet;
use std::rc::Rc;
use yew::prelude::*;

/// Limit on the marks, which would hide each other.
const MOST_MARKS: usize = 1500;

#[derive(Clone, Properties, PartialEq)]
pub struct TradeOffProps {
    pub results: Rc<SweepResults>,
    /// The opened point.
    pub opened: Option<u32>,
}

/// A card with energy against latency. Only `shell::pieces` may name it.
pub fn trade_off(props: TradeOffProps) -> Html {
    html! { <TradeOff ..props /> }
}

/// Energy against latency of all points.
#[component]
fn TradeOff(props: &TradeOffProps) -> Html {
    let act = use_act();
    let results = &*props.results;
    let lit = use_highlight().point();
    let Some(settings) = results.requests.first().map(|request| &request.settings) else { return html! {} };
    let series: Vec<String> = settings.modes.iter().map(|mode| mode.title().to_owned()).collect();
    let pareto: HashSet<u32> = results.pareto.iter().copied().collect();
    let marked = lit.or(props.opened).or(results.best);
    // Of many points only every n-th is shown, besides the front and the marked one.
    let every = results.swept.div_ceil(MOST_MARKS).max(1) as u32;
    let is_shown = |point: u32| point.is_multiple_of(every) || pareto.contains(&point) || Some(point) == marked;
    let shown: Vec<&PointSummary> =
        results.swept_summaries().filter(|summary| is_shown(summary.point as u32)).collect();
    let known: Vec<u32> = shown.iter().map(|summary| summary.point as u32).collect();
    let points = shown
        .iter()
        .filter_map(|summary| {
            let strategy = results.strategy(summary.point as u32)?;
            Some(ScatterPoint {
                label: strategy_title(strategy),
                series: settings.modes.iter().position(|mode| *mode == strategy.mode).unwrap_or(0),
                energy_pj: summary.energy_pj,
                latency_cycles: summary.latency_cycles as f64,
                pareto: pareto.contains(&(summary.point as u32)),
            })
        })
        .collect();
    let selected = marked.and_then(|marked| known.iter().position(|&point| point == marked));
    let chart = Scatter { series, points, selected };
    let on_hover = {
        let (chart, known) = (chart.clone(), known.clone());
        Callback::from(move |spot: Option<Spot>| {
            let index = spot.and_then(|spot| chart.point_at(spot.x, spot.y, spot.width));
            point_at(index.and_then(|index| known.get(index)).map(|point| Subject::point(*point)));
        })
    };
    let on_click = {
        let (chart, results, act) = (chart.clone(), Rc::clone(&props.results), act.clone());
        Callback::from(move |spot: Spot| {
            let point = chart.point_at(spot.x, spot.y, spot.width).and_then(|index| known.get(index).copied());
            if let Some(strategy) = point.and_then(|point| results.strategy(point)) {
                act.emit(Action::OpenPoint(strategy.clone()));
            }
        })
    };
    html! {
        <section class="card">
            <h2><span>{ termed("Energy against latency: the [Pareto front]") }</span></h2>
            if every > 1 {
                <p class="hint">
                    { format!(
                        "One in {every} of the {} points, and all that no other beats in both.",
                        group_thousands(results.swept as u64)
                    ) }
                </p>
            }
            <Figure title="" chart={Drawn::new(chart)} testid="trade-off" {on_click} {on_hover} />
        </section>
    }
}
