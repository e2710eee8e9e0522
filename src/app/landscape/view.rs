//! The view of all points of a sweep.

use super::answer::{Answer, ProgressRow};
use super::design_history::DesignHistoryProps;
use super::heatmaps::Heatmaps;
use super::joint_optimum::{JointOptimumProps, use_rest};
use super::trade_off::TradeOffProps;
use crate::app::platform::lazy_modules::late;
use crate::app::session::handle::Session;
use crate::app::session::state::PageState;
use crate::app::widgets::sweep::opened_neighbours::OpenedNeighboursProps;
use crate::app::workers::results::{PointState, Status, SweepResults};
use crate::depth_first::PointAccount;
use crate::lazy_module;
use std::rc::Rc;
use std::sync::Arc;
use yew::prelude::*;

/// Functions whose code is fetched once the sweep is over.
#[derive(Clone, Copy)]
pub struct SweptCode {
    pub joint_optimum: fn(JointOptimumProps) -> Html,
    pub combination: fn(&SweepResults) -> Html,
    pub comparison: fn(Rc<SweepResults>) -> Html,
    pub trade_off: fn(TradeOffProps) -> Html,
    pub mac_counts: fn(&SweepResults, Option<u64>) -> Html,
    pub impossible: fn(&SweepResults) -> Html,
    pub neighbours: fn(OpenedNeighboursProps) -> Html,
    pub first_minute: fn(Rc<PageState>) -> Html,
    pub design_history: fn(DesignHistoryProps) -> Html,
    pub readout: fn(Rc<PageState>) -> Html,
    pub top_memories: fn(Arc<PointAccount>) -> Html,
    pub tile_sliders: fn(Rc<SweepResults>, u32) -> Html,
}
lazy_module!(SweptCode);

/// The view, as the page shows it.
pub fn view(state: Rc<PageState>, session: &Session) -> Html {
    let least_macs = session.network().map(|network| network.macs());
    let (opened, waits) = (session.opened, session.waits(&state));
    html! { <Landscape {state} {opened} {least_macs} {waits} /> }
}

#[derive(Properties, PartialEq)]
pub struct LandscapeProps {
    pub state: Rc<PageState>,
    /// The opened point.
    pub opened: Option<u32>,
    /// Multiply-accumulates of the network without recomputation.
    pub least_macs: Option<u64>,
    /// Whether an edit is pending.
    pub waits: bool,
}

/// A part of the landscape; where it is a context, nothing else is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LandscapePart {
    /// Heatmaps, with the best point.
    Maps,
    /// The best point compared with the references.
    Comparison,
    /// Energy against latency of all points.
    TradeOff,
}

/// The answer, the heatmaps, and further figures.
#[component]
pub fn Landscape(props: &LandscapeProps) -> Html {
    let part = use_context::<LandscapePart>();
    let results = &expected(&props.state);
    let is_resting = use_rest(&props.state);
    let is_swept = is_resting || results.status == Status::Stopped;
    // Parts that were fetched once stay and follow the next sweep.
    let was_swept = use_mut_ref(|| false);
    *was_swept.borrow_mut() |= is_swept;
    let old = (results.stale || props.waits).then_some("old");
    match part {
        Some(LandscapePart::Comparison) => return html! { <div class={classes!(old)}>{ comparison(results) }</div> },
        Some(LandscapePart::TradeOff) => {
            return html! { <div class={classes!(old)}>{ trade_off(props, results) }</div> };
        }
        Some(LandscapePart::Maps) | None => {}
    }
    html! {
        <>
            <section class="card" aria-label="Landscape">
                if part.is_none() && props.state.chosen.lesson.is_none() {
                    <div class="first-minute-place">
                        if *was_swept.borrow() { { first_minute(props) } }
                    </div>
                }
                <div class={classes!(old)}>
                    <Answer
                        results={Rc::clone(results)}
                        before={props.state.before().cloned()}
                    />
                </div>
                // One element for both, as the first is empty once the second is shown.
                <div class="below-answer">
                    <ProgressRow results={Rc::clone(results)} waits={props.waits} />
                    if part.is_none() {
                        <div class="joint" role="status">
                            if is_resting { { joint_optimum(props) } }
                        </div>
                    }
                </div>
                <div class={classes!(old)}>
                    { impossible(results) }
                    <Heatmaps
                        results={Rc::clone(results)}
                        before={props.state.before().cloned()}
                        metric={props.state.chosen.view.metric}
                        opened={props.opened}
                    />
                </div>
                if part.is_none() && *was_swept.borrow() { { tile_sliders(props, results) } }
                if part.is_none() && props.state.design_history.frames().len() > 1 {
                    { design_history(props) }
                }
            </section>
            // Nothing before the first point, so that the first frame is fast.
            if part.is_none() && results.swept_summaries().next().is_some() {
                <div class={classes!("two", old)}>
                    <div class="column">
                        if *was_swept.borrow() {
                            { top_memories(props, results) }
                            { comparison(results) }
                            { trade_off(props, results) }
                        }
                        if is_swept { { combination(results) } }
                    </div>
                    <div class="column">
                        if *was_swept.borrow() {
                            { neighbours(props) }
                            { mac_counts(results, props.least_macs) }
                        }
                    </div>
                </div>
            }
        </>
    }
}

/// The first steps; their code is fetched after the first sweep, and their space is reserved.
fn first_minute(props: &LandscapeProps) -> Html {
    let state = Rc::clone(&props.state);
    late(move |parts: SweptCode| (parts.first_minute)(Rc::clone(&state)))
}

/// The joint optimum; its code is fetched when the sweep is over.
fn joint_optimum(props: &LandscapeProps) -> Html {
    let state = Rc::clone(&props.state);
    late(move |parts: SweptCode| (parts.joint_optimum)(JointOptimumProps { state: Rc::clone(&state) }))
}

/// The best combination of stacks; its code is fetched when the sweep is over, or stopped.
fn combination(results: &Rc<SweepResults>) -> Html {
    let results = Rc::clone(results);
    late(move |parts: SweptCode| (parts.combination)(&results))
}

/// The comparison of the best point; its code is fetched when the first sweep is over, or stopped.
fn comparison(results: &Rc<SweepResults>) -> Html {
    let results = Rc::clone(results);
    late(move |parts: SweptCode| (parts.comparison)(Rc::clone(&results)))
}

/// The neighbours of the current point; its code is fetched when the first sweep is over, or stopped.
fn neighbours(props: &LandscapeProps) -> Html {
    let part = OpenedNeighboursProps {
        results: Rc::clone(&props.state.results),
        is_current: props.state.is_current(),
        opened: props.opened,
    };
    late(move |parts: SweptCode| (parts.neighbours)(part.clone()))
}

/// The last designs; their code is fetched with the first edit.
fn design_history(props: &LandscapeProps) -> Html {
    let part = DesignHistoryProps {
        design_history: Rc::clone(&props.state.design_history),
        chosen: Rc::clone(&props.state.chosen),
    };
    late(move |parts: SweptCode| (parts.design_history)(part.clone()))
}

/// The top memories of the current point, once its account is known; their code is fetched with that of [`neighbours`].
fn top_memories(props: &LandscapeProps, results: &Rc<SweepResults>) -> Html {
    let account = props.opened.and_then(|point| results.accounts.get(&point)).cloned();
    let Some(account) = account else { return html! {} };
    late(move |parts: SweptCode| (parts.top_memories)(Arc::clone(&account)))
}

/// Sliders over the tile sizes of the current point; their code is fetched with that of [`neighbours`].
fn tile_sliders(props: &LandscapeProps, results: &Rc<SweepResults>) -> Html {
    let Some(point) = props.opened else { return html! {} };
    let results = Rc::clone(results);
    late(move |parts: SweptCode| (parts.tile_sliders)(Rc::clone(&results), point))
}

fn trade_off(props: &LandscapeProps, results: &Rc<SweepResults>) -> Html {
    let part = TradeOffProps { results: Rc::clone(results), opened: props.opened };
    late(move |parts: SweptCode| (parts.trade_off)(part.clone()))
}

/// The reasons for infeasible points, if there are any; the code is fetched with the first.
fn impossible(results: &Rc<SweepResults>) -> Html {
    let is_missing = |state: &PointState| matches!(state, PointState::Infeasible(_) | PointState::Failed(_));
    if !results.points.iter().take(results.swept).any(is_missing) {
        return html! {};
    }
    let results = Rc::clone(results);
    late(move |parts: SweptCode| (parts.impossible)(&results))
}

/// The amount of recomputation; its code is fetched when the first sweep is over, or stopped.
fn mac_counts(results: &Rc<SweepResults>, least: Option<u64>) -> Html {
    let results = Rc::clone(results);
    late(move |parts: SweptCode| (parts.mac_counts)(&results, least))
}

/// The results; before the first of them, the points to come, so that the figures are in their places already.
fn expected(state: &PageState) -> Rc<SweepResults> {
    if !state.results.requests.is_empty() {
        return Rc::clone(&state.results);
    }
    let requests = Rc::new(state.chosen.design.request().unwrap_or_default());
    Rc::new(SweepResults { requests, ..(*state.results).clone() })
}
