//! The methods under other dataflows and array sizes, worked out when a person asks for it.

use crate::app::studies::stacks::{Known as Study, use_study};
use crate::app::widgets::controls::{Choice, Select};
use crate::app::widgets::data_table::plain_table;
use crate::app::widgets::figure::{Drawn, Figure};
use crate::app::workers::handle::Workers;
use crate::chart::{FusionsOnArray, dataflow_energy, dataflow_latency, dataflow_table};
use crate::explore::{ARRAY_SIZES, Dataflow, FusionMethod, Request, StackLimits, dataflow_request};
use crate::question::Topic;
use crate::spec::Diagnostics;
use std::rc::Rc;
use yew::prelude::*;

/// What [`FusionDataflows`] need.
#[derive(Properties, PartialEq)]
pub struct FusionDataflowsProps {
    /// The design.
    pub request: Request,
    /// What its stacks keep to.
    pub limits: StackLimits,
    /// Asks workers.
    pub workers: Workers,
}

/// How far the arrays of one design are studied, one after the other.
#[derive(Clone, PartialEq)]
struct Known {
    of: Rc<(Request, StackLimits)>,
    is_on: bool,
    /// Which of [`arrays`] is worked on.
    at: usize,
    found: Rc<Vec<FusionsOnArray>>,
    /// Which could not be studied, and why.
    wrong: Rc<Vec<String>>,
}

enum Heard {
    /// Another design.
    Anew(Rc<(Request, StackLimits)>),
    /// Go on, or stop.
    Switch(bool),
    /// What is known of a design on the array of this number, or why nothing is.
    Studied(Rc<(Request, StackLimits)>, usize, Result<FusionsOnArray, String>),
}

/// The dataflows, at the design's number of PEs first.
fn arrays() -> impl Iterator<Item = (Dataflow, i32)> {
    ARRAY_SIZES.into_iter().flat_map(|doublings| Dataflow::ALL.map(|dataflow| (dataflow, doublings)))
}

impl Known {
    fn of(of: Rc<(Request, StackLimits)>) -> Self {
        Self { of, is_on: false, at: 0, found: Rc::default(), wrong: Rc::default() }
    }
}

impl Reducible for Known {
    type Action = Heard;

    fn reduce(self: Rc<Self>, heard: Heard) -> Rc<Self> {
        let mut next = (*self).clone();
        match heard {
            Heard::Anew(of) if of != next.of => next = Self::of(of),
            Heard::Switch(is_on) => next.is_on = is_on,
            Heard::Studied(of, at, studied) if at == next.at && of == next.of => {
                next.at += 1;
                match studied {
                    Ok(found) => Rc::make_mut(&mut next.found).push(found),
                    Err(why) => Rc::make_mut(&mut next.wrong).push(why),
                }
            }
            Heard::Anew(_) | Heard::Studied(..) => {}
        }
        Rc::new(next)
    }
}

/// What is asked about an array, and its sides.
type Asked = ((Request, StackLimits), (u64, u64));

/// A button that starts the work, what is known so far, and one that stops it.
#[component]
pub fn FusionDataflows(props: &FusionDataflowsProps) -> Html {
    let design = Rc::new((props.request.clone(), props.limits));
    let known = {
        let design = Rc::clone(&design);
        use_reducer_eq(move || Known::of(design))
    };
    let method = use_state_eq(|| FusionMethod::Optimus);
    {
        let dispatcher = known.dispatcher();
        use_effect_with(design, move |design| dispatcher.dispatch(Heard::Anew(Rc::clone(design))));
    }
    let asked = use_memo(
        (known.is_on, known.at, Rc::clone(&known.of)),
        |(is_on, at, of)| -> Option<Result<Asked, Diagnostics>> {
            let (dataflow, doublings) = arrays().nth(*at).filter(|_| *is_on)?;
            let array = dataflow_request(&of.0, dataflow, doublings);
            Some(array.map(|(request, sides)| ((request, of.1), sides)))
        },
    );
    let question = asked.as_ref().as_ref().and_then(|asked| asked.as_ref().ok());
    let study = use_study(&props.workers, Topic::Dataflows, question.map(|(question, _)| question.clone()));
    {
        let studied = asked.as_ref().as_ref().and_then(|asked| studied(asked, &study, known.at));
        let dispatcher = known.dispatcher();
        use_effect_with((Rc::clone(&known.of), known.at, studied), move |(of, at, studied)| {
            if let Some(studied) = studied {
                dispatcher.dispatch(Heard::Studied(Rc::clone(of), *at, studied.clone()));
            }
        });
    }
    let all = arrays().count();
    let status = match () {
        () if known.at >= all => "done",
        () if known.is_on => "running",
        () => "stopped",
    };
    html! {
        <section class="card" data-testid="fusion-dataflows" data-status={status} aria-busy={(status == "running").then_some("true")}>
            <h2>{ "What if the array worked otherwise?" }</h2>
            <p class="hint">
                { "The same memories with arrays of a quarter, the same, and four times the PEs, each unrolled in four ways. Every method \
                   chooses its groups anew, and the whole cost model judges them (Optimus, Section 7.6, Table 3, Figs. 17 and 18). \
                   Registers that PEs share are shared by those that use the same data." }
            </p>
            { controls(&known, status, all, &known.dispatcher()) }
            if !known.found.is_empty() {
                { findings(&known, *method, &method.setter()) }
            }
            if !known.wrong.is_empty() {
                <ul class="banner" role="status">{ for known.wrong.iter().map(|why| html! { <li>{ why.clone() }</li> }) }</ul>
            }
        </section>
    }
}

/// What came of the array of this number, once that is known.
fn studied(asked: &Result<Asked, Diagnostics>, study: &Study, at: usize) -> Option<Result<FusionsOnArray, String>> {
    let dataflow = arrays().nth(at)?.0.title();
    let refused = |wrong: &Diagnostics| {
        let reasons: Vec<String> = wrong.0.iter().map(ToString::to_string).collect();
        Some(Err(format!("{dataflow}: {}", reasons.join(" "))))
    };
    let (question, (rows, columns)) = match asked {
        Ok(asked) => asked,
        Err(wrong) => return refused(wrong),
    };
    // Else it is still about the array before.
    if !study.is_of(Some(question)) {
        return None;
    }
    match (&study.wrong, &study.failure) {
        (Some(wrong), _) => refused(wrong),
        (_, Some(failure)) => Some(Err(format!("{dataflow}: {failure}"))),
        _ if study.status(Some(question)) == "done" => {
            let fusions = Rc::clone(study.fusions.as_ref()?);
            Some(Ok(FusionsOnArray { dataflow, array: format!("{rows} × {columns}"), fusions }))
        }
        _ => None,
    }
}

fn controls(known: &Known, status: &str, all: usize, dispatcher: &UseReducerDispatcher<Known>) -> Html {
    let switch = |is_on: bool| {
        let dispatcher = dispatcher.clone();
        Callback::from(move |_: MouseEvent| dispatcher.dispatch(Heard::Switch(is_on)))
    };
    let title = if known.at == 0 { "Work it out" } else { "Go on" };
    match status {
        "done" => html! {},
        "running" => html! {
            <div class="row" role="status">
                <button type="button" class="small" onclick={switch(false)} data-testid="dataflows-stop">{ "Stop" }</button>
                <progress max={all.to_string()} value={known.at.to_string()} aria-label="Arrays done"></progress>
                <small>{ format!("{} of {all} arrays", known.at) }</small>
            </div>
        },
        _ => html! {
            <div class="row">
                <button type="button" class="small" onclick={switch(true)} data-testid="dataflows-start">{ title }</button>
                <small>{ format!("{all} arrays, each a study of all stacks, tiles, and modes") }</small>
            </div>
        },
    }
}

fn findings(known: &Known, method: FusionMethod, chosen: &UseStateSetter<FusionMethod>) -> Html {
    let onchange = {
        let chosen = chosen.clone();
        Callback::from(move |title: String| {
            FusionMethod::ALL
                .into_iter()
                .filter(|method| method.title() == title)
                .for_each(|method| chosen.set(method));
        })
    };
    let choices: Vec<Choice> =
        FusionMethod::ALL.iter().map(|method| Choice::new(method.title(), method.title())).collect();
    html! {
        <>
            <Select label="Method" {choices} value={method.title()} {onchange} testid="dataflows-method" />
            <Figure title="" chart={Drawn::new(dataflow_energy(&known.found, method))} testid="dataflows-energy" />
            <Figure title="" chart={Drawn::new(dataflow_latency(&known.found, method))} testid="dataflows-latency" />
            <details class="twin">
                <summary>{ "all methods" }</summary>
                <div class="scroll" tabindex="0" role="group" aria-label="Methods by dataflow and array" data-testid="dataflows-table">
                    { plain_table(dataflow_table(&known.found)) }
                </div>
            </details>
        </>
    }
}
