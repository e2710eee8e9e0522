//! Points that cannot be scheduled, with reasons.

use crate::app::widgets::forms::diagnostics::sentences;
use crate::app::workers::results::{PointState, SweepResults};
use crate::chart::strategy_title;
use yew::prelude::*;

/// Lists the reasons, each once, with its points.
///
/// Only `shell::pieces` may name it.
pub fn impossible(results: &SweepResults) -> Html {
    let mut groups: Vec<(String, Vec<u32>)> = Vec::new();
    for point in 0..results.swept as u32 {
        let reason = match results.points.get(point as usize) {
            Some(PointState::Infeasible(reasons)) => sentences(reasons),
            Some(PointState::Failed(reason)) => reason.to_string(),
            _ => continue,
        };
        match groups.iter_mut().find(|(other, _)| *other == reason) {
            Some((_, points)) => points.push(point),
            None => groups.push((reason, vec![point])),
        }
    }
    let missing: usize = groups.iter().map(|(_, points)| points.len()).sum();
    let is_general = groups.len() == 1 && missing == results.swept;
    let line = |(reason, points): &(String, Vec<u32>)| {
        html! { <li>if !is_general { <b>{ names(results, points) }{ ": " }</b> }{ reason }</li> }
    };
    html! {
        <details class="twin impossible" open={is_general} data-testid="impossible">
            <summary>{ format!("{missing} of {} points cannot be scheduled: why", results.swept) }</summary>
            <ul tabindex="0" aria-label="Reasons">{ for groups.iter().take(50).map(line) }</ul>
        </details>
    }
}

/// The first of some points by name, and how many more there are.
fn names(results: &SweepResults, points: &[u32]) -> String {
    const MOST: usize = 3;
    let names: Vec<String> =
        points.iter().take(MOST).filter_map(|&point| results.strategy(point)).map(strategy_title).collect();
    match points.len().saturating_sub(MOST) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}
