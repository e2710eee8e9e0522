//! The best combination of stacks, each with a strategy of its own.

use crate::app::widgets::figures::data_table::plain_table;
use crate::app::widgets::words::term::termed;
use crate::app::workers::results::SweepResults;
use crate::chart::{Column, Quantity, Table, TableCell, strategy_title};
use crate::search::Objective;
use yew::prelude::*;

/// A card: each stack with its own strategy (DeFiNES, case study 2). Only `shell::pieces` may name it.
pub fn combination(results: &SweepResults) -> Html {
    let (Some(combination), Some(best)) = (&results.combination, results.best.and_then(|best| results.summary(best)))
    else {
        return html! {};
    };
    if combination.points.len() < 2 {
        return html! {
            <section class="card" data-testid="combination">
                <h2><span>{ termed("Best combination of [stacks|stack]") }</span></h2>
                <p class="hint">
                    { "The whole network is one stack, so there is nothing to combine. \
                       There are more stacks where the weights do not fit on the chip together, \
                       or with a fuse depth by hand. Fusion finds the best stacks." }
                </p>
            </section>
        };
    }
    let row = |(stack, &point): (usize, &usize)| {
        let strategy = results.strategy(point as u32).map(strategy_title).unwrap_or_default();
        let cost = results.summary(point as u32).and_then(|summary| summary.stacks.get(stack));
        let of =
            |quantity, value: Option<f64>| value.map_or(TableCell::Nothing, |value| TableCell::of(quantity, value));
        vec![
            format!("stack {}", stack + 1).into(),
            strategy.into(),
            of(Quantity::Energy, cost.map(|cost| cost.energy_pj)),
            of(Quantity::Latency, cost.map(|cost| cost.latency_cycles as f64)),
        ]
    };
    let all = |strategy: &str, energy_pj: f64, latency_cycles: u64| {
        let costs = [(Quantity::Energy, energy_pj), (Quantity::Latency, latency_cycles as f64)];
        let costs = costs.map(|(quantity, value)| TableCell::of(quantity, value));
        ["all".into(), strategy.into()].into_iter().chain(costs).collect::<Vec<_>>()
    };
    let mut rows = vec![
        all("best combination", combination.energy_pj, combination.latency_cycles),
        all("best single strategy", best.energy_pj, best.latency_cycles),
    ];
    rows.extend(combination.points.iter().enumerate().map(row));
    let table = Table {
        caption: format!(
            "Each stack with its own strategy ({:.1} % of the energy and {:.1} % of the latency of the best single \
             strategy)",
            100.0 * combination.energy_pj / best.energy_pj,
            100.0 * combination.latency_cycles as f64 / best.latency_cycles as f64,
        ),
        columns: vec![
            Column::words("stack"),
            Column::words("strategy"),
            Column::measured("energy", Quantity::Energy.base()),
            Column::measured("latency", Quantity::Latency.base()),
        ],
        rows,
    };
    let is_by_product =
        results.requests.first().is_some_and(|request| request.settings.objective == Objective::EnergyDelayProduct);
    html! {
        <section class="card" data-testid="combination">
            <h2><span>{ termed("Best combination of [stacks|stack]") }</span></h2>
            <div class="scroll low" tabindex="0" role="group" aria-label="Best combination of stacks">
                { plain_table(table) }
            </div>
            <p class="hint">
                { "These are the stacks of the fuse depth at hand. Fusion finds the best of all." }
                if is_by_product {
                    { " The energy-delay product chooses the mappings of all stacks together, so that they may differ \
                       from the stacks as at their own points." }
                }
            </p>
        </section>
    }
}
