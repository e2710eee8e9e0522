//! How long groups take to find in this very browser, beside what the paper says.

use crate::app::widgets::data_table::plain_table;
use crate::app::workers::handle::Workers;
use crate::chart::{SearchTime, search_time_table};
use crate::explore::{GroupSearch, PUBLISHED_TIMES};
use crate::question::{Question, Reply, Topic};
use std::rc::Rc;
use yew::prelude::*;

/// Every search is run so often; the median counts.
const RUNS: usize = 7;

/// What [`FusionTimes`] need.
#[derive(Properties, PartialEq)]
pub struct FusionTimesProps {
    /// Asks workers.
    pub workers: Workers,
}

/// What was measured so far, run by run.
#[derive(Clone, PartialEq)]
struct Known {
    is_on: bool,
    runs: usize,
    times: Rc<Vec<SearchTime>>,
}

enum Heard {
    Switch(bool),
    Reply(Reply),
}

impl Known {
    fn start() -> Self {
        let searches = |published| {
            GroupSearch::ALL.map(|search| SearchTime {
                published,
                search,
                ms: Vec::new(),
                found: None,
                bound_bytes: None,
            })
        };
        Self { is_on: false, runs: 0, times: Rc::new(PUBLISHED_TIMES.into_iter().flat_map(searches).collect()) }
    }

    /// The search that is run next.
    fn at(&self) -> usize {
        self.runs / RUNS
    }
}

impl Reducible for Known {
    type Action = Heard;

    fn reduce(self: Rc<Self>, heard: Heard) -> Rc<Self> {
        let mut next = (*self).clone();
        match heard {
            Heard::Switch(is_on) => next.is_on = is_on,
            Heard::Reply(reply) => {
                let at = next.at();
                if let (Reply::SearchTime(found, ms), Some(time)) = (reply, Rc::make_mut(&mut next.times).get_mut(at)) {
                    time.ms.extend(ms);
                    (time.found, time.bound_bytes) = (Some((found.groups, found.bytes)), found.bound_bytes);
                }
                next.runs += 1;
            }
        }
        Rc::new(next)
    }
}

/// A button that starts the measurement, and Table 5. Searches run one after the other, so that none disturbs another.
#[component]
pub fn FusionTimes(props: &FusionTimesProps) -> Html {
    let known = use_reducer_eq(Known::start);
    {
        let (workers, dispatcher, times) = (props.workers.clone(), known.dispatcher(), Rc::clone(&known.times));
        let at = known.at();
        use_effect_with((known.is_on, known.runs), move |(is_on, _)| {
            let asked = workers.clone();
            if let (true, Some(next)) = (*is_on, times.get(at)) {
                let on_reply =
                    Callback::from(move |(_, reply): (usize, Reply)| dispatcher.dispatch(Heard::Reply(reply)));
                let question = Question::SearchTime(next.published.network, next.search);
                workers.ask(Topic::SearchTimes, vec![question], on_reply);
            }
            move || asked.forget(Topic::SearchTimes)
        });
    }
    let all = known.times.len();
    let status = match () {
        () if known.at() >= all => "done",
        () if known.is_on => "running",
        () => "stopped",
    };
    let switch = {
        let (dispatcher, is_on) = (known.dispatcher(), known.is_on);
        Callback::from(move |_: MouseEvent| dispatcher.dispatch(Heard::Switch(!is_on)))
    };
    let title = match (status, known.runs) {
        ("running", _) => "Stop",
        (_, 0) => "Measure here",
        _ => "Go on",
    };
    html! {
        <section class="card" data-testid="fusion-times" data-status={status} aria-busy={(status == "running").then_some("true")}>
            <h2>{ "How long it takes to find groups" }</h2>
            <p class="hint">
                { "The paper’s networks in its setting (128 KB, batch 4), searched in a worker of this page; of " }{ RUNS }
                { " runs the median. The published times are of an Intel Core i7-6700 (Optimus, Table 5), whose Algorithm 1 does not find \
                   the best groups of networks that branch." }
            </p>
            if status != "done" {
                <div class="row" role="status">
                    <button type="button" class="small" onclick={switch} data-testid="times-start">{ title }</button>
                    if status == "running" {
                        <progress max={all.to_string()} value={known.at().to_string()} aria-label="Searches done"></progress>
                    }
                </div>
            }
            if known.runs > 0 {
                <div class="scroll" tabindex="0" role="group" aria-label="Times of searches">
                    { plain_table(search_time_table(&known.times)) }
                </div>
            }
        </section>
    }
}
