//! How DRAM traffic changes with buffer, array, and batch, by Optimus' model.

use crate::app::widgets::figure::{Drawn, Figure};
use crate::app::workers::handle::Workers;
use crate::chart::Curves;
use crate::explore::{FusionStep, Request, Varied};
use crate::question::{Question, Reply, Topic};
use std::rc::Rc;
use yew::prelude::*;

/// What [`FusionSweeps`] need.
#[derive(Properties, PartialEq)]
pub struct FusionSweepsProps {
    /// The design.
    pub request: Request,
    /// Asks workers.
    pub workers: Workers,
}

/// The steps of one request that are known; until the first is, those of the request before.
#[derive(PartialEq)]
struct Steps {
    of: Rc<Request>,
    known: Vec<FusionStep>,
    is_old: bool,
    /// How many are not.
    awaited: usize,
}

enum Heard {
    /// Another request, of so many steps.
    Anew(Rc<Request>, usize),
    /// A reply to a request.
    Reply(Rc<Request>, Reply),
}

impl Reducible for Steps {
    type Action = Heard;

    fn reduce(self: Rc<Self>, heard: Heard) -> Rc<Self> {
        Rc::new(match heard {
            Heard::Anew(of, awaited) => Self { of, known: self.known.clone(), is_old: true, awaited },
            Heard::Reply(of, _) if of != self.of => return self,
            Heard::Reply(of, reply) => {
                let mut known = if self.is_old { Vec::new() } else { self.known.clone() };
                if let Reply::FusionStep(step) = reply {
                    known.push(*step);
                }
                Self { of, known, is_old: false, awaited: self.awaited.saturating_sub(1) }
            }
        })
    }
}

/// A figure for each of what is varied. The work starts when they are first shown.
#[component]
pub fn FusionSweeps(props: &FusionSweepsProps) -> Html {
    let request = props.request.clone();
    let steps = use_reducer_eq(move || Steps { of: Rc::new(request), known: Vec::new(), is_old: false, awaited: 0 });
    {
        let (workers, dispatcher) = (props.workers.clone(), steps.dispatcher());
        use_effect_with(props.request.clone(), move |request| {
            let of = Rc::new(request.clone());
            let question = |varied: Varied, step: i32| Question::FusionStep(Box::new(request.clone()), varied, step);
            let all = Varied::ALL.into_iter().flat_map(|varied| varied.steps().map(move |step| (varied, step)));
            let questions: Vec<Question> = all.map(|(varied, step)| question(varied, step)).collect();
            dispatcher.dispatch(Heard::Anew(Rc::clone(&of), questions.len()));
            let on_reply = Callback::from(move |(_, reply): (usize, Reply)| {
                dispatcher.dispatch(Heard::Reply(Rc::clone(&of), reply));
            });
            workers.ask(Topic::FusionSteps, questions, on_reply);
            move || workers.forget(Topic::FusionSteps)
        });
    }
    let is_running = steps.awaited > 0;
    // What Optimus cannot express has no steps; the table above says why.
    if steps.known.is_empty() && !is_running {
        return html! {};
    }
    let figure = |(varied, testid): (Varied, &'static str)| {
        html! { <Figure title={title(varied)} hint={hint(varied)} chart={Drawn::new(Curves::of_fusion(varied, &steps.known))} {testid} /> }
    };
    let testids = ["fusion-buffer", "fusion-array", "fusion-batch"];
    html! {
        <section
            class="card"
            data-testid="fusion-sweeps"
            data-status={if is_running { "running" } else { "done" }}
            aria-busy={is_running.then_some("true")}
        >
            <h2>{ "What if the accelerator were another?" }</h2>
            <p class="hint">
                { "DRAM traffic by Optimus' model, which counts bytes and knows neither energy nor time, for groups chosen anew at every \
                   point. Nothing goes below the oracle: every weight and the network's input and output once." }
            </p>
            { for Varied::ALL.into_iter().zip(testids).map(figure) }
        </section>
    }
}

fn title(varied: Varied) -> &'static str {
    match varied {
        Varied::Buffer => "Buffer",
        Varied::Array => "PE array",
        Varied::Batch => "Batch",
    }
}

fn hint(varied: Varied) -> &'static str {
    match varied {
        Varied::Buffer => {
            "A larger buffer lets more layers run together, until only the oracle's traffic is left (Optimus, Fig. 16)."
        }
        Varied::Array => {
            "A larger array wants larger tiles to be busy, which leaves less room to fuse (Optimus, Fig. 18)."
        }
        Varied::Batch => "More images share one loading of the weights, as long as there is room (Optimus, Fig. 19).",
    }
}
