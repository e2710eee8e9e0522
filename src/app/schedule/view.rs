//! The view of one point in depth: energy and latency by cause, with explanations.

use super::stack_panel::{StackPanel, stack_switch};
use super::trace_panel::TracePanel;
use crate::app::session::handle::Session;
use crate::app::session::state::PageState;
use crate::app::widgets::figures::figure::{CellExplanations, Drawn, Figure};
use crate::app::widgets::forms::diagnostics::prose;
use crate::app::widgets::page::figure_context::use_act;
use crate::app::widgets::sweep::opened_neighbours::OpenedNeighbours;
use crate::app::widgets::sweep::tile_sliders::TileSliders;
use crate::app::widgets::words::explain::{ExplainableNumber, number_of};
use crate::app::workers::results::{PointState, SweepResults};
use crate::chart::{
    AxisScale, Breakdown, CountedAccesses as Shown, MemoryAccesses, Quantity, Roofline, power_text, strategy_title,
    three_digits, tile_text,
};
use crate::cost::{AccessCause, EnergyCause};
use crate::depth_first::{DepthFirstStrategy, FuseDepth, PointAccount};
use crate::explain::{Amount, Counted, PointNumber, Scope};
use crate::explore::Request;
use crate::hardware::{Core, MemoryId};
use crate::spec::{Diagnostics, sentence};
use crate::state::{Action, ViewField};
use std::rc::Rc;
use std::sync::Arc;
use yew::prelude::*;

/// The view, as the page shows it.
pub fn view(state: Rc<PageState>, session: &Session) -> Html {
    let (opened, status) = (session.opened, session.status(&state));
    html! { <ScheduleView {state} {opened} {status} /> }
}

#[derive(Properties)]
pub struct ScheduleViewProps {
    pub state: Rc<PageState>,
    /// The opened point; `None` while nothing is known.
    pub opened: Option<u32>,
    /// Status of the sweep, see [`crate::app::session::handle::Session::status`].
    pub status: &'static str,
}

impl PartialEq for ScheduleViewProps {
    fn eq(&self, other: &Self) -> bool {
        let is_same = |props: &Self| (props.opened, props.status);
        is_same(self) == is_same(other) && self.state == other.state
    }
}

/// The opened point. The results of one point stay until all of the next are known, so that the layout does not jump.
#[component]
pub fn ScheduleView(props: &ScheduleViewProps) -> Html {
    let act = use_act();
    let kept = use_mut_ref(|| None::<(u32, Rc<PageState>)>);
    let is_running = props.status == "running";
    let next = props.opened.filter(|&point| is_settled(&props.state, is_running, point));
    match next {
        Some(point) => *kept.borrow_mut() = Some((point, Rc::clone(&props.state))),
        None if props.opened.is_none() && !is_running => *kept.borrow_mut() = None,
        None => {}
    }
    let is_busy = next.is_none() && props.status != "rejected" && (is_running || props.opened.is_some());
    let (point, body) = match &*kept.borrow() {
        Some((point, state)) => {
            // While a slider is dragged it follows the pointer, even if the figures still show the previous point.
            let (results, dragged) = (Rc::clone(&props.state.results), props.opened.unwrap_or(*point));
            let sliders = html! { <TileSliders {results} point={dragged} /> };
            (Some(point.to_string()), point_view(*point, state, &act, sliders))
        }
        None => {
            let text = match is_busy {
                true => "Working it out …",
                false => "No point is known yet. The best one appears here, or the one you click in the landscape.",
            };
            (None, html! { <section class="card"><p class="hint">{ text }</p></section> })
        }
    };
    let is_old = is_busy && point.is_some();
    html! {
        <div
            class={is_old.then_some("old")}
            aria-busy={is_busy.then_some("true")}
            data-testid="schedule-view"
            data-point={point}
        >
            { body }
        </div>
    }
}

/// Whether everything about a point is known, or will not be known.
fn is_settled(state: &PageState, is_running: bool, point: u32) -> bool {
    let results = &*state.results;
    if is_running && !(state.is_answered() && results.is_chosen(point, state.chosen.view.point.as_ref())) {
        return false;
    }
    match results.points.get(point as usize) {
        Some(PointState::Done(_)) => results.accounts.contains_key(&point),
        Some(PointState::Infeasible(_) | PointState::Failed(_)) => true,
        _ => !is_running,
    }
}

fn point_view(point: u32, state: &Rc<PageState>, act: &Callback<Action>, sliders: Html) -> Html {
    let results = &*state.results;
    let Some(strategy) = results.strategy(point) else { return html! {} };
    let body = match (results.points.get(point as usize), results.accounts.get(&point)) {
        (_, Some(account)) => {
            let (account, state) = (Arc::clone(account), Rc::clone(state));
            html! { <Account {point} {account} {state} /> }
        }
        (Some(PointState::Infeasible(reasons)), _) => why_not(reasons),
        (Some(PointState::Failed(reason)), _) => html! {
            <section class="card"><h2>{ "Workers failed on this point" }</h2><p>{ reason.to_string() }</p></section>
        },
        _ => html! { <section class="card"><p class="hint">{ "Not computed yet." }</p></section> },
    };
    html! {
        <>
            { heading(results, strategy, point, results.best == Some(point), act, sliders) }
            { body }
        </>
    }
}

fn heading(
    results: &SweepResults,
    strategy: &DepthFirstStrategy,
    point: u32,
    is_best: bool,
    act: &Callback<Action>,
    sliders: Html,
) -> Html {
    let summary = results.summary(point);
    let account = results.accounts.get(&point);
    let number = |amount: Amount, text: String| number_of(account, PointNumber::Of(Scope::Point, amount), text);
    let dram = account.and_then(|account| account.memories.last_key()).unwrap_or_default();
    let open = |index: Option<u32>, title: &'static str, testid: &'static str| {
        let strategy = index.filter(|&index| index != point).and_then(|index| results.strategy(index)).cloned();
        strategy.map(|strategy| {
            let onclick = act.reform(move |_: MouseEvent| Action::OpenPoint(strategy.clone()));
            html! { <button type="button" {onclick} data-testid={testid}>{ title }</button> }
        })
    };
    html! {
        <section class="card opened">
            <div class="answer">
                <div class="kpi" data-testid="opened-tile">
                    <b>{ tile_text(strategy) }</b>
                    <span>
                        { match strategy.fuse {
                            FuseDepth::LayerByLayer => "layer-by-layer".to_owned(),
                            _ => format!("{} · fuse depth {}", strategy.mode.title(), fuse_title(&strategy.fuse)),
                        } }
                        if is_best { { " · " }<em>{ "best of the sweep" }</em> }
                    </span>
                </div>
                if let Some(summary) = summary {
                    <div class="kpi" data-testid="opened-energy" data-energy-pj={summary.energy_pj.to_string()}>
                        <b>{ number(Amount::Energy, Quantity::Energy.text(summary.energy_pj)) }</b><span>{ "energy" }</span>
                    </div>
                    <div class="kpi" data-testid="opened-latency" data-latency-cycles={summary.latency_cycles.to_string()}>
                        <b>{ number(Amount::Cycles, Quantity::Latency.text(summary.latency_cycles as f64)) }</b>
                        <span>
                            { "latency · MAC use " }
                            { account.map(|known| {
                                let used = 100.0 * known.latency.utilization();
                                number_of(account, PointNumber::MacUse, format!("{} %", three_digits(used)))
                            }) }
                        </span>
                    </div>
                    <div class="kpi">
                        <b>{ number(Amount::Macs, Quantity::Macs.text(summary.macs as f64)) }</b>
                        <span>
                            { number(
                                Amount::At(Counted::Words, dram, None),
                                Quantity::DramAccesses.text(summary.dram_words)
                            ) }
                            { " of DRAM" }
                        </span>
                    </div>
                }
            </div>
            if let Some(power) = account.and_then(|account| account.power.as_ref()) {
                <p class="facts" data-testid="opened-power">{ power_text(power) }</p>
            }
            <div class="row">
                { open(results.best, "Best of the sweep", "open-best") }
                { open(results.reference(&FuseDepth::SingleLayer), "Single-layer", "open-single-layer") }
                { open(results.reference(&FuseDepth::LayerByLayer), "Layer-by-layer", "open-layer-by-layer") }
            </div>
            { sliders }
        </section>
    }
}

/// The reasons why a point cannot be scheduled.
fn why_not(reasons: &Diagnostics) -> Html {
    html! {
        <section class="card" data-testid="why-not">
            <h2>{ "Why this does not fit" }</h2>
            { for reasons.0.iter().map(|reason| html! {
                <div class="why">
                    if !reason.path.is_empty() { <b>{ &reason.path }{ ": " }</b> }
                    { prose(&sentence(&reason.reason)) }{ " " }<span class="remedy">{ prose(&sentence(&reason.remedy)) }</span>
                </div>
            }) }
        </section>
    }
}

#[derive(Properties)]
struct AccountProps {
    point: u32,
    account: Arc<PointAccount>,
    state: Rc<PageState>,
}

impl PartialEq for AccountProps {
    fn eq(&self, other: &Self) -> bool {
        // Comparing accounts takes longer than drawing them.
        self.point == other.point && Arc::ptr_eq(&self.account, &other.account) && self.state == other.state
    }
}

#[component]
fn Account(props: &AccountProps) -> Html {
    let act = use_act();
    let account = &*props.account;
    let view = &props.state.chosen.view;
    let last_stack = account.stacks.len().saturating_sub(1);
    let stack_index = view.stack.min(last_stack);
    let label = strategy_title(&account.strategy);
    let bars = [(label, account)];
    let asked =
        |amount: Amount| ExplainableNumber::Point(Arc::clone(&props.account), PointNumber::Of(Scope::Point, amount));
    let cells = |amounts: Vec<Amount>| {
        let row = amounts.into_iter().map(|amount| Some(asked(amount)));
        Some(Rc::new(vec![std::iter::once(None).chain(row).collect()]))
    };
    let energy = EnergyCause::seen_in([account.energy]).into_iter().map(Amount::EnergyOf).chain([Amount::Energy]);
    let latency = Amount::latency_parts().chain([Amount::Cycles]);
    let (energy, latency) = (cells(energy.collect()), cells(latency.collect()));
    let request = use_memo(Rc::clone(&props.state.chosen), |chosen| {
        chosen.design.request().ok().and_then(|requests| requests.into_iter().next()).map(Rc::new)
    });
    let on_rest = use_memo(act.clone(), |act| act.reform(|step| Action::Look(ViewField::Step(Some(step)))));
    let tile_type = account
        .stacks
        .get(stack_index)
        .and_then(|stack| view.tile_type.filter(|&index| index < stack.tile_types.len()));
    html! {
        <>
            <TracePanel
                account={Arc::clone(&props.account)}
                stack={stack_index}
                {tile_type}
                step={view.step}
                on_rest={(*on_rest).clone()}
                request={(*request).clone()}
            >
                { stack_switch(account, stack_index, &act) }
            </TracePanel>
            <div class="two">
                <section class="card">
                    <h2>{ "Energy and latency by cause" }</h2>
                    <Figure title="" chart={Drawn::new(Breakdown::energy(&bars))} numbers={energy} testid="energy-by-cause" />
                    <Figure title="" chart={Drawn::new(Breakdown::latency(&bars))} numbers={latency} testid="latency-by-cause" />
                    <Figure title="" chart={Drawn::new(Breakdown::energy_by_memory(account))} testid="energy-by-memory" />
                </section>
                <AccessCard account={Arc::clone(&props.account)} />
            </div>
            <OpenedNeighbours
                results={Rc::clone(&props.state.results)}
                is_current={props.state.is_current()}
                opened={Some(props.point)}
            />
            { request.as_ref().as_ref().and_then(|request| roofline(&props.state.results, request, props.point)) }
            <StackPanel
                account={Arc::clone(&props.account)}
                index={stack_index}
                {tile_type}
            />
        </>
    }
}

/// This point and the references below the roof of the accelerator.
fn roofline(results: &SweepResults, request: &Request, point: u32) -> Option<Html> {
    let core = Core::from_text(&request.hardware).ok()?;
    let references = [
        (results.reference(&FuseDepth::SingleLayer), "single-layer"),
        (results.reference(&FuseDepth::LayerByLayer), "layer-by-layer"),
    ];
    let named = references.into_iter().filter_map(|(index, name)| Some((name.to_owned(), index?)));
    let shown = named.filter(|(_, index)| *index != point).chain([("this point".to_owned(), point)]);
    let points: Vec<_> = shown.filter_map(|(name, index)| Some((name, results.summary(index)?))).collect();
    let chart = Roofline::of_points(&core, &points)?;
    Some(html! {
        <section class="card" data-testid="roofline-card">
            <Figure
                title="Below the roof"
                hint="The less a schedule moves to and from DRAM, the further right it stands; from the ridge on only the array limits it. \
                      Multiply-accumulates that are computed again count, too."
                chart={Drawn::new(chart)}
                testid="roofline"
            />
        </section>
    })
}

#[derive(Properties, PartialEq)]
struct AccessCardProps {
    account: Arc<PointAccount>,
}

/// Accesses of each memory by cause (DeFiNES, Fig. 14).
#[component]
fn AccessCard(props: &AccessCardProps) -> Html {
    let counted = use_state_eq(|| Shown::Elements);
    let button = |choice: Shown, title: &'static str| {
        let (pressed, counted) = ((*counted == choice).to_string(), counted.clone());
        let onclick = Callback::from(move |_: MouseEvent| counted.set(choice));
        html! { <button type="button" aria-pressed={pressed} {onclick}>{ title }</button> }
    };
    html! {
        <section class="card">
            <h2>{ "Accesses of each memory" }</h2>
            <div class="segments" role="group" aria-label="What is counted">
                { button(Shown::Elements, "data elements") }
                { button(Shown::Words, "full words") }
            </div>
            <Figure
                title=""
                chart={Drawn::new(MemoryAccesses::from_account(&props.account, *counted, AxisScale::Log))}
                numbers={access_numbers(&props.account, *counted)}
                testid="accesses"
            />
        </section>
    }
}

/// Explanations of the table of accesses, whose first row is the highest memory.
fn access_numbers(account: &Arc<PointAccount>, shown: Shown) -> CellExplanations {
    let counted = if shown == Shown::Words { Counted::Words } else { Counted::Elements };
    let causes = AccessCause::ALL.map(Some).into_iter().chain([None]);
    let row = |memory: MemoryId| {
        let amounts = causes.clone().map(|cause| PointNumber::Of(Scope::Point, Amount::At(counted, memory, cause)));
        let cells = amounts.map(|number| Some(ExplainableNumber::Point(Arc::clone(account), number)));
        std::iter::once(None).chain(cells).collect()
    };
    Some(Rc::new(account.memories.keys().rev().map(row).collect()))
}

/// `automatic`.
fn fuse_title(fuse: &FuseDepth) -> String {
    match fuse {
        FuseDepth::Automatic => "automatic".to_owned(),
        other => other.to_string(),
    }
}
