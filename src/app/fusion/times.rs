//! The time that this browser takes to find groups, beside the times in the paper.

use crate::app::widgets::figures::data_table::plain_table;
use crate::app::workers::ask::use_answers;
use crate::chart::{SearchTime, search_time_table};
use crate::explore::{GroupSearch, PUBLISHED_TIMES};
use crate::question::{Channel, Reply, SearchFindings, TimeSearch, Timed};
use std::rc::Rc;
use yew::prelude::*;

/// Runs of every search; the median counts.
const RUNS: u32 = 7;

/// The measurements so far.
#[derive(Clone, PartialEq)]
struct Measurements {
    is_on: bool,
    /// Number of finished runs.
    runs: usize,
    times: Rc<Vec<SearchTime>>,
    /// Reasons of failed runs.
    failures: Rc<Vec<String>>,
}

enum MeasurementAction {
    /// Starts or stops the measurement.
    Switch(bool),
    /// The result of a run.
    Over(TimeSearch, Reply<Timed<SearchFindings>>),
}

impl Measurements {
    fn new() -> Self {
        let searches = |published| {
            GroupSearch::ALL.map(|search| SearchTime {
                published,
                search,
                ms: Vec::new(),
                found: None,
                bound_bytes: None,
            })
        };
        let times = Rc::new(PUBLISHED_TIMES.into_iter().flat_map(searches).collect());
        Self { is_on: false, runs: 0, times, failures: Rc::default() }
    }

    /// Index of the search to run next.
    fn at(&self) -> usize {
        self.runs / RUNS as usize
    }

    /// The next run; `None` if there is none or the measurement is stopped.
    fn question(&self) -> Option<TimeSearch> {
        let next = self.times.get(self.at()).filter(|_| self.is_on)?;
        Some(TimeSearch { network: next.published.network, search: next.search, run: self.runs as u32 % RUNS })
    }
}

impl Reducible for Measurements {
    type Action = MeasurementAction;

    fn reduce(self: Rc<Self>, change: MeasurementAction) -> Rc<Self> {
        let mut next = (*self).clone();
        let at = next.at();
        match change {
            MeasurementAction::Switch(is_on) => next.is_on = is_on,
            // The measurement was stopped meanwhile.
            MeasurementAction::Over(run, _) if next.question().as_ref() != Some(&run) => {}
            MeasurementAction::Over(run, answer) => {
                match answer {
                    Ok(Timed { found, ms }) => {
                        if let Some(time) = Rc::make_mut(&mut next.times).get_mut(at) {
                            time.ms.extend(ms);
                            (time.found, time.bound_bytes) = (Some((found.groups, found.bytes)), found.bound_bytes);
                        }
                    }
                    Err(refusal) => {
                        let failure = format!("{}, {}: {refusal}", run.network.name(), run.search.title());
                        Rc::make_mut(&mut next.failures).push(failure);
                    }
                }
                next.runs += 1;
            }
        }
        Rc::new(next)
    }
}

/// A button that starts the measurement, and Table 5. Searches run one after another, so that none disturbs another.
#[component]
pub fn FusionTimes() -> Html {
    let measured = use_reducer_eq(Measurements::new);
    let question = measured.question();
    let answers = use_answers(Channel::SearchTimes, question.iter().cloned().collect());
    {
        let dispatcher = measured.dispatcher();
        use_effect_with(question.zip(answers.get(0).cloned()), move |over| {
            if let Some((run, answer)) = over.clone() {
                dispatcher.dispatch(MeasurementAction::Over(run, answer));
            }
        });
    }
    let all = measured.times.len();
    let status = match () {
        () if measured.at() >= all => "done",
        () if measured.is_on => "running",
        () => "stopped",
    };
    let switch = {
        let (dispatcher, is_on) = (measured.dispatcher(), measured.is_on);
        Callback::from(move |_: MouseEvent| dispatcher.dispatch(MeasurementAction::Switch(!is_on)))
    };
    let title = match (status, measured.runs) {
        ("running", _) => "Stop",
        (_, 0) => "Measure here",
        _ => "Go on",
    };
    html! {
        <section class="card" data-testid="fusion-times" data-status={status} aria-busy={(status == "running").then_some("true")}>
            <h2>{ "How long it takes to find groups" }</h2>
            <p class="hint">
                { "The paper’s networks in its setting (128 KB, batch 4), searched in a worker of this page; \
                   of " }{ RUNS }
                { " runs the median. The published times are of an Intel Core i7-6700 (Optimus, Table 5), \
                   whose Algorithm 1 does not find the best groups of networks that branch." }
            </p>
            if status != "done" {
                <div class="row" role="status">
                    <button type="button" class="small" onclick={switch} data-testid="times-start">{ title }</button>
                    if status == "running" {
                        <progress max={all.to_string()} value={measured.at().to_string()} aria-label="Searches done"></progress>
                    }
                </div>
            }
            if !measured.failures.is_empty() {
                <ul class="banner" role="alert">
                    { for measured.failures.iter().map(|failure| html! { <li>{ failure.clone() }</li> }) }
                </ul>
            }
            if measured.runs > 0 {
                <div class="scroll" tabindex="0" role="group" aria-label="Times of searches">
                    { plain_table(search_time_table(&measured.times)) }
                </div>
            }
        </section>
    }
}
