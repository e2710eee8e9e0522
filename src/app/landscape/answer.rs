//! The answer on one row, and the progress of the sweep.

use crate::app::widgets::page::figure_context::use_act;
use crate::app::widgets::words::explain::{ExplainableNumber, Number, number_of};
use crate::app::widgets::words::term::Term;
use crate::app::workers::handle::{Workers, use_workers};
use crate::app::workers::results::{Status, SweepResults};
use crate::chart::{
    Quantity, compared_with, group_thousands, more_or_less, seconds_text, strategy_title, three_digits, tile_text,
    time_text,
};
use crate::depth_first::{DepthFirstStrategy, FuseDepth};
use crate::explain::{Amount, Counted, Explained, How, NumberUnit, PointNumber, Scope};
use crate::explore::PointSummary;
use crate::search::Objective;
use crate::state::Action;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct AnswerProps {
    pub results: Rc<SweepResults>,
    /// The results before the last edit, for comparison.
    pub before: Option<Rc<SweepResults>>,
}

/// The best point, and its gain over the references.
#[component]
pub fn Answer(props: &AnswerProps) -> Html {
    let act = use_act();
    let results = &*props.results;
    let best = results.best.and_then(|point| Some((results.strategy(point)?, results.summary(point)?)));
    let nothing_fits = results.status == Status::Done && best.is_none();
    if nothing_fits {
        return html! {
            <div class="answer" data-testid="answer">
                <div class="kpi"><b>{ "No point fits" }</b><span>{ "the reasons are below" }</span></div>
            </div>
        };
    }
    let waits = html! {
        <>
            // As long as the text that follows, so that nothing below moves.
            <div class="kpi"><b>{ "…" }</b><span>{ "best point · …× less than layer-by-layer" }</span></div>
            <div class="kpi"><b>{ "…" }</b><span>{ "what it costs · …× less than layer-by-layer · MAC use …" }</span></div>
            <div class="kpi"><b>{ "…" }</b><span>{ "its tile, and how overlap is stored" }</span></div>
        </>
    };
    html! {
        <div class="answer best" data-testid="answer">
            { best.map_or(waits, |(strategy, best)| kpis(props, &act, strategy, best)) }
            { effort(results) }
        </div>
    }
}

fn kpis(props: &AnswerProps, act: &Callback<Action>, strategy: &DepthFirstStrategy, best: &PointSummary) -> Html {
    let results = &*props.results;
    let layer_by_layer = results.reference(&FuseDepth::LayerByLayer).and_then(|point| results.summary(point));
    let gain = |quantity: Quantity, value: fn(&PointSummary) -> f64| {
        let of =
            |name: &'static str, point: &PointSummary| Explained::given(name, value(point), NumberUnit::Of(quantity));
        layer_by_layer.map(|reference| {
            let terms = vec![of("layer-by-layer", reference), of("here", best)];
            Explained::computed("gain", NumberUnit::Of(Quantity::Factor), How::Quotient, terms).noted(LAYER_BY_LAYER)
        })
    };
    let energy: fn(&PointSummary) -> f64 = |point| point.energy_pj;
    let latency: fn(&PointSummary) -> f64 = |point| point.latency_cycles as f64;
    let objective = results.requests.first().map(|request| &request.settings.objective);
    let fewest;
    let what = match objective {
        None | Some(Objective::Energy) => "best energy",
        Some(Objective::Latency) => "best latency",
        Some(Objective::EnergyDelayProduct) => "best energy-delay product",
        Some(Objective::DramAccesses) => "fewest DRAM accesses",
        Some(Objective::MemoryAccesses(memory)) => {
            fewest = format!("fewest accesses of {memory}");
            &fewest
        }
        Some(Objective::Weighted(_)) => "best weighted sum",
    };
    let quantity = objective.map_or(Quantity::Energy, Quantity::of_objective);
    let (value, best_gain) = (quantity.text(best.score), gain(quantity, |point| point.score));
    let (beside, beside_value, beside_what): (_, fn(&PointSummary) -> f64, _) = match objective {
        Some(Objective::Latency) => (Quantity::Energy, energy, "energy there"),
        _ => (Quantity::Latency, latency, "latency there"),
    };
    let beside_gain = gain(beside, beside_value);
    let beside = beside.text(beside_value(best));
    let account = results.accounts.get(&(best.point as u32));
    let busy = account.map_or("…".to_owned(), |known| {
        let percent = 100.0 * known.latency.utilization();
        if percent < 1.0 { "below 1 %".to_owned() } else { format!("{percent:.0} %") }
    });
    let time = account.and_then(|account| account.power.as_ref());
    let time = time.map_or_else(String::new, |power| format!(" · {}", time_text(power)));
    let busy = html! { <>{ time }{ " · " }<Term of="MAC use" text="MAC use" />{ " " }{ number_of(account, PointNumber::MacUse, busy) }</> };
    let at = |amount: Amount| PointNumber::Of(Scope::Point, amount);
    let dram = account.and_then(|account| account.memories.last_key()).unwrap_or_default();
    let amount = match objective {
        None | Some(Objective::Energy) => Some(at(Amount::Energy)),
        Some(Objective::Latency) => Some(at(Amount::Cycles)),
        Some(Objective::EnergyDelayProduct) => Some(PointNumber::EnergyDelay),
        Some(Objective::DramAccesses) => Some(at(Amount::At(Counted::Words, dram, None))),
        Some(Objective::MemoryAccesses(name)) => {
            let index = account.and_then(|account| account.memories.position(|memory| memory.name == *name));
            index.map(|index| at(Amount::At(Counted::Words, index, None)))
        }
        Some(Objective::Weighted(_)) => None,
    };
    let beside_amount = match objective {
        Some(Objective::Latency) => Some(at(Amount::Energy)),
        _ => Some(at(Amount::Cycles)),
    };
    let before = props.before.as_deref().filter(|before| is_comparable(before, results));
    let before = before.and_then(|before| before.summary(before.best?));
    let shown = |text: String, number: Option<PointNumber>| match number {
        Some(number) => number_of(account, number, text),
        None => html! { { text } },
    };
    let open = {
        let strategy = strategy.clone();
        act.reform(move |_: MouseEvent| Action::OpenPoint(strategy.clone()))
    };
    html! {
        <>
            <div class="kpi" data-testid="kpi-best">
                <b>{ shown(value, amount) }</b><span>{ what }{ gain_text(best_gain) }</span>
                { change_text(before, |point| point.score, best) }
            </div>
            <div class="kpi">
                <b>{ shown(beside, beside_amount) }</b>
                <span>{ beside_what }{ gain_text(beside_gain) }{ busy }</span>
                { change_text(before, beside_value, best) }
            </div>
            <div class="kpi" data-testid="kpi-tile">
                <b>{ tile_text(strategy) }</b>
                <span>
                    { place_text(strategy) }{ " · " }
                    <button type="button" class="link" onclick={open} data-testid="open-best">{ "why" }</button>
                </span>
            </div>
        </>
    }
}

const LAYER_BY_LAYER: &str =
    "Layer-by-layer runs the same network on the same hardware one layer after the other, features as low as they fit.";

/// A gain as text: `11.2× less`, `32 % less`, `4 % more`.
fn less_or_more(gain: f64) -> String {
    match gain {
        2.0.. => format!("{}× less", three_digits(gain)),
        0.5.. => more_or_less(gain, 1.0),
        _ => format!("{}× more", three_digits(1.0 / gain)),
    }
}

/// ` · 11.2× less than layer-by-layer`
fn gain_text(explained: Option<Explained>) -> Html {
    let Some(explained) = explained else { return html! {} };
    let gain = explained.value;
    let number = |text: String| html! { <Number asked={ExplainableNumber::Made(Rc::new(explained.clone()))} {text} /> };
    match gain {
        gain if (gain >= 1.005 || gain < 0.995 && gain > 0.0) && gain.is_finite() => html! {
            <>
                { " · " }
                <em class={(gain < 1.0).then_some("worse")}>{ number(less_or_more(gain)) }</em>
                { " than layer-by-layer" }
            </>
        },
        gain if gain.is_finite() => html! { { " · equal to layer-by-layer" } },
        _ => html! {},
    }
}

/// Whether both sweeps have the same objective.
fn is_comparable(before: &SweepResults, now: &SweepResults) -> bool {
    let objective = |results: &SweepResults| results.requests.first().map(|request| request.settings.objective.clone());
    objective(before) == objective(now)
}

/// `6 % more than before`; empty without a change.
fn change_text(before: Option<&PointSummary>, value: fn(&PointSummary) -> f64, best: &PointSummary) -> Html {
    let Some((before, now)) = before.map(value).zip(Some(value(best))).filter(|(before, now)| before != now) else {
        return html! {};
    };
    let look = if now > before { "worse" } else { "better" };
    html! {
        <small class={classes!("change", look)} data-testid="change">
            { compared_with("before", before, now) }
        </small>
    }
}

fn place_text(strategy: &DepthFirstStrategy) -> String {
    match &strategy.fuse {
        FuseDepth::Automatic | FuseDepth::Cuts(_) => format!("tile, {}", strategy.mode.title()),
        FuseDepth::LayerByLayer => strategy_title(strategy),
        FuseDepth::SingleLayer => format!("tile, single-layer, {}", strategy.mode.title()),
    }
}

fn effort(results: &SweepResults) -> Html {
    let progress = &results.progress;
    let count = |number: usize| group_thousands(number as u64);
    // The number of mappings is not printed: it depends on how workers share the points.
    let points = count(progress.points);
    html! {
        <div class="kpi" data-testid="kpi-effort">
            <b>{ seconds_text(progress.elapsed_ms) }</b>
            <span>{ if progress.points == 1 { "for 1 point".to_owned() } else { format!("for {points} points") } }</span>
        </div>
    }
}

#[derive(Properties, PartialEq)]
pub struct ProgressRowProps {
    pub results: Rc<SweepResults>,
    /// Whether an edit is pending.
    pub waits: bool,
}

/// The progress of the sweep; buttons Stop and Continue.
#[component]
pub fn ProgressRow(props: &ProgressRowProps) -> Html {
    let workers = use_workers();
    let call = |call: fn(&Workers)| {
        let workers = workers.clone();
        Callback::from(move |_: MouseEvent| call(&workers))
    };
    let results = &*props.results;
    let progress = &results.progress;
    let count = |number: usize| group_thousands(number as u64);
    let done = format!("{} of {} points", count(progress.points_done), count(progress.points));
    let (text, right, button) = match results.status {
        _ if props.waits => ("waiting for the edit to end".to_owned(), String::new(), None),
        Status::Running => (done, seconds_text(progress.elapsed_ms), Some(true)),
        Status::Stopped => (format!("stopped at {done}"), String::new(), Some(false)),
        _ => (String::new(), String::new(), None),
    };
    if text.is_empty() {
        return html! { <div class="progress" data-testid="progress"></div> };
    }
    let (value, max) = (progress.points_done, progress.points.max(1));
    html! {
        <div class="progress" data-testid="progress">
            <span>{ text }</span>
            <progress value={value.to_string()} max={max.to_string()} aria-label="Share of the points that is known" />
            <span class="left">{ right }</span>
            if button == Some(true) {
                <button type="button" onclick={call(Workers::stop)} data-testid="stop">{ "Stop" }</button>
            }
            if button == Some(false) {
                <button type="button" onclick={call(Workers::resume)} data-testid="continue">{ "Continue" }</button>
            }
        </div>
    }
}
