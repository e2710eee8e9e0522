//! Optimus' on-line variant: groups are chosen anew while a person drags the size of the buffer.

use crate::app::platform::timer::now_ms;
use crate::app::widgets::controls::{passing, target};
use crate::app::widgets::figure::{Drawn, Figure};
use crate::app::workers::handle::Workers;
use crate::chart::{Curves, GroupStrips, Quantity, above_best, three_digits};
use crate::explore::{ExactDecision, Grouped, ONLINE_STEPS, OnlineDecision, Request, online_buffer};
use crate::question::{Question, Reply, Topic};
use std::rc::Rc;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// What a [`FusionOnline`] needs.
#[derive(Properties, PartialEq)]
pub struct FusionOnlineProps {
    /// The design.
    pub request: Request,
    /// Asks workers.
    pub workers: Workers,
}

/// What is known of one design; until something is, what was known of the design before.
#[derive(Clone, PartialEq)]
struct Known {
    of: Rc<Request>,
    /// Where the slider is.
    step: i32,
    /// The step that a worker is asked for, and since when; the newest is asked for once it has replied.
    asked: Option<(i32, f64)>,
    /// The last decision, how long it took, and how long it was on its way, ms.
    decided: Option<(Rc<OnlineDecision>, Option<f64>, f64)>,
    /// Whether that is of the design before.
    is_old: bool,
    /// Why a worker did not decide; it is asked again once the slider is moved.
    failure: Option<String>,
    /// The sweep, as far as it is known.
    steps: Rc<Vec<(OnlineDecision, ExactDecision)>>,
    /// Whether these are of the design before.
    are_old: bool,
    awaited: usize,
}

enum Heard {
    /// Another design, and how many steps its sweep has.
    Anew(Rc<Request>, usize),
    /// The slider was moved.
    Moved(i32),
    /// A worker was asked, at a time.
    Asked(i32, f64),
    /// A worker replied about a topic and a design, at a time.
    Reply(Topic, Rc<Request>, Box<Reply>, f64),
}

impl Known {
    fn of(request: Rc<Request>) -> Self {
        Self {
            of: request,
            step: 0,
            asked: None,
            decided: None,
            is_old: false,
            failure: None,
            steps: Rc::default(),
            are_old: false,
            awaited: 0,
        }
    }

    /// Whether the slider is where nothing is decided yet, and no worker is at it.
    fn is_due(&self) -> bool {
        let is_decided = self.decided.as_ref().is_some_and(|(decision, ..)| decision.step == self.step && !self.is_old);
        self.asked.is_none() && self.failure.is_none() && !is_decided
    }

    /// A step of the sweep of the design that the decision is of.
    fn at_step(&self, step: i32) -> Option<&(OnlineDecision, ExactDecision)> {
        self.steps.iter().find(|(online, _)| online.step == step).filter(|_| self.is_old == self.are_old)
    }
}

impl Reducible for Known {
    type Action = Heard;

    fn reduce(self: Rc<Self>, heard: Heard) -> Rc<Self> {
        let mut next = (*self).clone();
        match heard {
            Heard::Anew(of, awaited) => {
                let Self { step, decided, steps, .. } = next;
                next = Self { step, decided, is_old: true, steps, are_old: true, awaited, ..Self::of(of) };
            }
            Heard::Moved(step) => (next.step, next.failure) = (step, None),
            Heard::Asked(step, at) => next.asked = Some((step, at)),
            Heard::Reply(_, of, ..) if of != next.of => {}
            Heard::Reply(Topic::Online, _, reply, at) => match *reply {
                Reply::Online(decision, ms) => {
                    let way = next.asked.take().map_or(0.0, |(_, since)| at - since);
                    (next.decided, next.is_old) = (Some((Rc::new(*decision), ms, way)), false);
                }
                Reply::Failed(text) => (next.asked, next.failure) = (None, Some(text)),
                // No other step of this design would be decided, either.
                _ => next.decided = None,
            },
            Heard::Reply(_, _, reply, _) => {
                if std::mem::take(&mut next.are_old) {
                    next.steps = Rc::default();
                }
                if let Reply::OnlineStep(step) = *reply {
                    Rc::make_mut(&mut next.steps).push(*step);
                }
                next.awaited = next.awaited.saturating_sub(1);
            }
        }
        Rc::new(next)
    }
}

/// A slider for the buffer, what is decided there, and the whole sweep. The look-up table is prepared by each worker once.
#[component]
pub fn FusionOnline(props: &FusionOnlineProps) -> Html {
    let request = props.request.clone();
    let known = use_reducer_eq(move || Known::of(Rc::new(request)));
    {
        let (workers, dispatcher) = (props.workers.clone(), known.dispatcher());
        use_effect_with(props.request.clone(), move |request| {
            let of = Rc::new(request.clone());
            let questions: Vec<Question> =
                ONLINE_STEPS.map(|step| Question::OnlineStep(Box::new(request.clone()), step)).collect();
            dispatcher.dispatch(Heard::Anew(Rc::clone(&of), questions.len()));
            workers.ask(Topic::OnlineSteps, questions, hears(Topic::OnlineSteps, &dispatcher, &of));
            move || [Topic::OnlineSteps, Topic::Online].into_iter().for_each(|topic| workers.forget(topic))
        });
    }
    {
        // One question at a time: a worker that is about to prepare its table would never end if every move replaced it.
        let (workers, dispatcher) = (props.workers.clone(), known.dispatcher());
        use_effect_with((Rc::clone(&known.of), known.step, known.is_due()), move |(of, step, is_due)| {
            if *is_due {
                dispatcher.dispatch(Heard::Asked(*step, now_ms()));
                let question = Question::Online(Box::new((**of).clone()), *step);
                workers.ask(Topic::Online, vec![question], hears(Topic::Online, &dispatcher, of));
            }
        });
    }
    let Some((decision, ms, way)) = known.decided.clone() else {
        // What Optimus cannot express is never decided; the table of methods says why.
        return html! {};
    };
    let exact = known.at_step(decision.step).map(|(_, exact)| exact);
    let own = known.at_step(0).map(|(online, _)| online);
    let is_running = known.awaited > 0;
    let status = match &known.failure {
        Some(_) => "rejected",
        None if is_running || known.is_old || decision.step != known.step => "running",
        None => "done",
    };
    let moved = {
        let dispatcher = known.dispatcher();
        Callback::from(move |step: i32| dispatcher.dispatch(Heard::Moved(step)))
    };
    html! {
        <section
            class={classes!("card", known.is_old.then_some("old"))}
            data-testid="fusion-online"
            data-status={status}
            data-step={decision.step.to_string()}
            aria-busy={is_running.then_some("true")}
        >
            <h2>{ "When the buffer changes while the network runs" }</h2>
            <p class="hint">
                { "Others may take part of the buffer at any time. Optimus' on-line variant decides anew at once which layers run together: \
                   it leaves out groups that seldom pay, and those that its look-up table says are too large (Optimus, Section 6). Drag the \
                   buffer." }
            </p>
            { slider(known.step, decision.design_bytes, &moved) }
            if let Some(failure) = &known.failure {
                <p class="banner" role="alert">{ failure.clone() }</p>
            }
            { answer(&decision, ms, way, exact, own) }
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
                chart={Drawn::new(Curves::of_online(&known.steps, known.step))}
                testid="online-sweep"
            />
        </section>
    }
}

/// Hears of replies about a topic and a design.
fn hears(topic: Topic, dispatcher: &UseReducerDispatcher<Known>, of: &Rc<Request>) -> Callback<(usize, Reply)> {
    let (dispatcher, of) = (dispatcher.clone(), Rc::clone(of));
    Callback::from(move |(_, reply): (usize, Reply)| {
        dispatcher.dispatch(Heard::Reply(topic, Rc::clone(&of), Box::new(reply), now_ms()));
    })
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

/// What was decided, and how good and how quick that is.
fn answer(
    decision: &OnlineDecision,
    ms: Option<f64>,
    way: f64,
    exact: Option<&ExactDecision>,
    own: Option<&OnlineDecision>,
) -> Html {
    let kpi = |big: String, small: String| html! { <div class="kpi"><b>{ big }</b><span>{ small }</span></div> };
    let Some(found) = &decision.found else {
        return html! {
            <p class="banner" role="status">{ "The smallest tile of some layer does not fit into this buffer. Drag it to the right." }</p>
        };
    };
    let against = exact.map(|exact| {
        let over = exact.found.as_ref().map(|best| match 100.0 * (found.bytes / best.bytes - 1.0) {
            loss @ ..0.05 if loss > -0.05 => "as little as by exact search".to_owned(),
            // The search of a wide network is not exact.
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
    html! {
        <div class="answer" data-testid="online-answer">
            { kpi(format!("{} an image", Quantity::Bytes.text(found.bytes)), format!("to and from DRAM: {}", against.unwrap_or_else(|| "…".to_owned()))) }
            { kpi(
                if count == 1 { "1 group".to_owned() } else { format!("{count} groups") },
                format!("{}; at most {} layers each", others.unwrap_or_else(|| "…".to_owned()), decision.largest_group),
            ) }
            { kpi(
                ms.map_or_else(String::new, |ms| format!("{} ms", time_text(ms))),
                format!("to decide; {} ms from the slider to the answer", time_text(way)),
            ) }
        </div>
    }
}

/// Browsers tell no less than 0.1 ms.
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
    let note = |found: &Grouped| {
        let count = found.groups.len();
        let groups = if count == 1 { "1 group".to_owned() } else { format!("{count} groups") };
        format!("{groups}, {}", Quantity::Bytes.text(found.bytes))
    };
    let choices: Vec<(String, String, &Grouped)> =
        [own, online, exact].into_iter().flatten().map(|(title, found)| (title, note(found), found)).collect();
    (!choices.is_empty()).then(|| GroupStrips::new(&decision.layers, choices))
}
