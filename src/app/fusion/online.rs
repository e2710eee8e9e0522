//! Optimus' on-line variant: groups are chosen anew while a person drags the size of the buffer.

use crate::app::platform::timer::now_ms;
use crate::app::widgets::figures::figure::{Drawn, Figure, made};
use crate::app::widgets::forms::controls::{passing, target};
use crate::app::widgets::words::explain::{ExplainableNumber, Number};
use crate::app::workers::ask::use_answers;
use crate::chart::{Curves, GroupStrips, Quantity, above_best, three_digits};
use crate::explain::{explain_decision, explain_online};
use crate::explore::{ExactDecision, GroupingTraffic, ONLINE_STEPS, OnlineDecision, Request, online_buffer};
use crate::question::{Channel, DecideOnline, DecideOnlineAndSearch, Refusal, Timed};
use std::rc::Rc;
use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct FusionOnlineProps {
    pub request: Rc<Request>,
}

/// The most recent decision.
#[derive(Clone)]
struct LastDecision {
    question: DecideOnline,
    decision: Rc<OnlineDecision>,
    /// Time of the worker for the decision, if it has a clock.
    ms: Option<f64>,
    /// Time from the question to the answer, ms.
    way_ms: f64,
}

/// The state of [`use_decision`].
struct Deciding {
    /// `None` if Optimus cannot express the design.
    last: Option<LastDecision>,
    /// The error of a worker; it is asked again once the slider is moved.
    failure: Option<String>,
}

/// Decides at a step of the buffer. One question at a time: if every move replaced the worker, its table would never be
/// complete.
#[hook]
fn use_decision(request: &Rc<Request>, step: i32) -> Deciding {
    let newest = DecideOnline { request: Rc::clone(request), step };
    let asked = use_state_eq(|| newest.clone());
    // An open question about another design is dropped.
    let is_of_another = asked.request != *request;
    let question = if is_of_another { newest.clone() } else { (*asked).clone() };
    let since = use_mut_ref(now_ms);
    {
        let since = Rc::clone(&since);
        use_effect_with(question.clone(), move |_| *since.borrow_mut() = now_ms());
    }
    let answers = use_answers(Channel::Online, vec![question.clone()]);
    {
        let asked = asked.setter();
        let may_ask = answers.is_complete() || is_of_another;
        use_effect_with((newest, may_ask), move |(newest, may_ask)| {
            if *may_ask {
                asked.set(newest.clone());
            }
        });
    }
    let last = use_mut_ref(|| None::<LastDecision>);
    match answers.get(0) {
        Some(Ok(Timed { found, ms })) if last.borrow().as_ref().is_none_or(|last| last.question != question) => {
            let (decision, way_ms) = (Rc::clone(found), now_ms() - *since.borrow());
            *last.borrow_mut() = Some(LastDecision { question, decision, ms: *ms, way_ms });
        }
        // No other step of this design would be decided either.
        Some(Err(Refusal::Rejected(_))) => *last.borrow_mut() = None,
        Some(Ok(_) | Err(Refusal::Failed(_))) | None => {}
    }
    let last = last.borrow().clone();
    Deciding { last, failure: answers.failure().map(str::to_owned) }
}

/// A slider for the buffer, the decision for that size, and the whole sweep. Each worker builds the look-up table once.
#[component]
pub fn FusionOnline(props: &FusionOnlineProps) -> Html {
    let step = use_state_eq(|| 0);
    let Deciding { last, failure } = use_decision(&props.request, *step);
    let question = |step| DecideOnlineAndSearch { request: Rc::clone(&props.request), step };
    let sweep = use_answers(Channel::OnlineSteps, ONLINE_STEPS.map(question).collect());
    let Some(LastDecision { question, decision, ms, way_ms }) = last else {
        // Optimus cannot express the design, so there will be no decision; the table of methods gives the reason.
        return failure.or_else(|| sweep.failure().map(str::to_owned)).map_or_else(Html::default, |failure| {
            html! { <p class="banner" role="alert">{ failure }</p> }
        });
    };
    let is_old = question.request != props.request;
    let steps: Vec<(OnlineDecision, ExactDecision)> = sweep.shown().cloned().collect();
    // A step of the sweep of the same design as the decision.
    let at_step =
        |step: i32| steps.iter().find(|(online, _)| online.step == step).filter(|_| is_old == sweep.are_old());
    let exact = at_step(decision.step).map(|(_, exact)| exact);
    let own = at_step(0).map(|(online, _)| online);
    let failure = failure.or_else(|| sweep.failure().map(str::to_owned));
    let is_running = !sweep.is_complete();
    let status = match &failure {
        Some(_) => "rejected",
        None if is_running || is_old || decision.step != *step => "running",
        None => "done",
    };
    let moved = {
        let step = step.setter();
        Callback::from(move |moved: i32| step.set(moved))
    };
    html! {
        <section
            class={classes!("card", is_old.then_some("old"))}
            data-testid="fusion-online"
            data-status={status}
            data-step={decision.step.to_string()}
            aria-busy={is_running.then_some("true")}
        >
            <h2>{ "When the buffer changes while the network runs" }</h2>
            <p class="hint">
                { "Others may take part of the buffer at any time. Optimus' on-line variant decides anew at once which \
                   layers run together: it leaves out groups that seldom pay, and those that its look-up table says \
                   are too large (Optimus, Section 6). Drag the buffer." }
            </p>
            { slider(*step, decision.design_bytes, &moved) }
            if let Some(failure) = &failure {
                <p class="banner" role="alert">{ failure.clone() }</p>
            }
            { answer(&decision, ms, way_ms, exact, own) }
            if let Some(strips) = strips(&decision, exact, own) {
                <Figure
                    title="Which layers run together"
                    hint="A block is a group, with its number of layers."
                    chart={Drawn::new(strips)}
                    testid="online-groups"
                />
            }
            <Figure
                title="Every size of the buffer"
                hint="What is decided on line costs little more than the best groups, which take longer to find."
                chart={Drawn::new(Curves::of_online(&steps, *step))}
                numbers={made(explain_online(&steps))}
                testid="online-sweep"
            />
        </section>
    }
}

fn slider(step: i32, own_bytes: u64, moved: &Callback<i32>) -> Html {
    let oninput = passing(moved, |event: InputEvent| target::<HtmlInputElement>(&event)?.value().parse().ok());
    let text = Quantity::Bytes.text(online_buffer(own_bytes, step) as f64);
    html! {
        <div class="row buffer">
            <label for="online-buffer">{ "Buffer" }</label>
            <input
                type="range"
                id="online-buffer"
                data-testid="online-buffer"
                min={ONLINE_STEPS.start().to_string()}
                max={ONLINE_STEPS.end().to_string()}
                step="1"
                value={step.to_string()}
                aria-valuetext={text.clone()}
                {oninput}
            />
            <output for="online-buffer">{ text }</output>
            <button type="button" class="small" disabled={step == 0} onclick={moved.reform(|_: MouseEvent| 0)}>
                { "this design’s" }
            </button>
        </div>
    }
}

/// The decision, its quality and the time that it took.
fn answer(
    decision: &OnlineDecision,
    ms: Option<f64>,
    way: f64,
    exact: Option<&ExactDecision>,
    own: Option<&OnlineDecision>,
) -> Html {
    let kpi = |big: Html, small: String| html! { <div class="kpi"><b>{ big }</b><span>{ small }</span></div> };
    let plain = |big: String| html! { { big } };
    let Some(found) = &decision.found else {
        return html! {
            <p class="banner" role="status">{ "The smallest tile of some layer does not fit into this buffer. \
                                               Drag it to the right." }</p>
        };
    };
    let against = exact.map(|exact| {
        let over = exact.found.as_ref().map(|best| match 100.0 * (found.bytes / best.bytes - 1.0) {
            loss @ ..0.05 if loss > -0.05 => "as little as by exact search".to_owned(),
            // The search of a wide network is not exact, so a decision may be better.
            loss @ ..0.0 => format!("{} % less than by the best cuts of two orders", three_digits(-loss)),
            loss => format!("{loss:.1} % more than by exact search"),
        });
        let oracle = format!("{}× the oracle", three_digits(found.bytes / exact.oracle_bytes.max(1.0)));
        let gap = exact
            .bound_bytes
            .zip(exact.found.as_ref())
            .map(|(bound, best)| format!("too wide to be exact, which is {}", above_best(best.bytes, bound)));
        [over, Some(oracle), gap].into_iter().flatten().collect::<Vec<_>>().join("; ")
    });
    let others = own.and_then(|own| own.found.as_ref()).map(|own| {
        let others = found.changed_from(own).iter().filter(|&&is_other| is_other).count();
        match others {
            0 => "the same as with this design's own buffer".to_owned(),
            _ => format!("{others} differ from those of this design's own buffer"),
        }
    });
    let count = found.groups.len();
    let asked = explain_decision(decision).map(|made| ExplainableNumber::Made(Rc::new(made)));
    let bytes = html! { <Number {asked} text={Quantity::Bytes.text(found.bytes)} /> };
    html! {
        <div class="answer" data-testid="online-answer">
            { kpi(
                html! { <>{ bytes }{ " an image" }</> },
                format!("to and from DRAM: {}", against.unwrap_or_else(|| "…".to_owned())),
            ) }
            { kpi(
                plain(if count == 1 { "1 group".to_owned() } else { format!("{count} groups") }),
                format!("{}; at most {} layers each", others.unwrap_or_else(|| "…".to_owned()), decision.largest_group),
            ) }
            { kpi(
                plain(ms.map_or_else(String::new, |ms| format!("{} ms", time_text(ms)))),
                format!("to decide; {} ms from the slider to the answer", time_text(way)),
            ) }
        </div>
    }
}

/// The clock of a browser has a resolution of 0.1 ms at best.
fn time_text(ms: f64) -> String {
    if ms < 0.1 {
        "below 0.1".to_owned()
    } else if ms < 10.0 {
        format!("{ms:.1}")
    } else {
        format!("{ms:.0}")
    }
}

fn strips(
    decision: &OnlineDecision,
    exact: Option<&ExactDecision>,
    own: Option<&OnlineDecision>,
) -> Option<GroupStrips> {
    let buffer = |bytes: u64| Quantity::Bytes.text(bytes as f64);
    let here = buffer(decision.buffer_bytes);
    let own = own
        .and_then(|own| Some((format!("on line, {} of this design", buffer(own.buffer_bytes)), own.found.as_ref()?)));
    let online = decision.found.as_ref().map(|found| (format!("on line, {here} at the slider"), found));
    let exact = exact.and_then(|exact| Some((format!("exact search, {here}"), exact.found.as_ref()?)));
    let note = |found: &GroupingTraffic| {
        let count = found.groups.len();
        let groups = if count == 1 { "1 group".to_owned() } else { format!("{count} groups") };
        format!("{groups}, {}", Quantity::Bytes.text(found.bytes))
    };
    let choices: Vec<(String, String, &GroupingTraffic)> =
        [own, online, exact].into_iter().flatten().map(|(title, found)| (title, note(found), found)).collect();
    (!choices.is_empty()).then(|| GroupStrips::new(&decision.layers, choices))
}
