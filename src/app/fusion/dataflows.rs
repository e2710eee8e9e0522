//! The methods under other dataflows and array sizes, computed on request.

use super::numbers::{array_energy_numbers, array_latency_numbers, method_rows};
use crate::app::widgets::figures::data_table::explained_table;
use crate::app::widgets::figures::figure::{CellExplanations, Drawn, Figure};
use crate::app::widgets::forms::controls::{ChoiceOption, Select};
use crate::app::workers::stacks::{StackQuestion, StackStudyState, use_study};
use crate::chart::{FusionsOnArray, dataflow_energy, dataflow_latency, dataflow_table};
use crate::explore::{
    ARRAY_SIZES, ArrayDataflow, FusionComparison, FusionMethod, Request, StackLimits, dataflow_request,
};
use crate::question::{Channel, Refusal};
use std::rc::Rc;
use std::sync::Arc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct FusionDataflowsProps {
    pub request: Rc<Request>,
    pub limits: StackLimits,
}

/// Progress of the studies of one design on all arrays, one after another.
#[derive(Clone, PartialEq)]
struct ArrayStudies {
    of: StackQuestion,
    is_on: bool,
    /// Index in [`arrays`] of the one in progress.
    at: usize,
    found: Rc<Vec<FusionsOnArray>>,
    /// The arrays that could not be studied, with reasons.
    wrong: Rc<Vec<String>>,
}

enum ArrayStudyAction {
    /// Another design.
    Design(StackQuestion),
    /// Starts or stops the work.
    Switch(bool),
    /// The result of the methods on the array of this index, or the reason why there is none.
    Studied(StackQuestion, usize, Result<FusionsOnArray, String>),
}

/// The dataflows and array sizes, the design's number of PEs first.
fn arrays() -> impl Iterator<Item = (ArrayDataflow, i32)> {
    ARRAY_SIZES.into_iter().flat_map(|doublings| ArrayDataflow::ALL.map(|dataflow| (dataflow, doublings)))
}

impl ArrayStudies {
    fn of(of: StackQuestion) -> Self {
        Self { of, is_on: false, at: 0, found: Rc::default(), wrong: Rc::default() }
    }
}

impl Reducible for ArrayStudies {
    type Action = ArrayStudyAction;

    fn reduce(self: Rc<Self>, change: ArrayStudyAction) -> Rc<Self> {
        let mut next = (*self).clone();
        match change {
            ArrayStudyAction::Design(of) if of != next.of => next = Self::of(of),
            ArrayStudyAction::Switch(is_on) => next.is_on = is_on,
            ArrayStudyAction::Studied(of, at, studied) if at == next.at && of == next.of => {
                next.at += 1;
                match studied {
                    Ok(found) => Rc::make_mut(&mut next.found).push(found),
                    Err(why) => Rc::make_mut(&mut next.wrong).push(why),
                }
            }
            ArrayStudyAction::Design(_) | ArrayStudyAction::Studied(..) => {}
        }
        Rc::new(next)
    }
}

/// The question about an array, with its rows and columns; or the reason why the design has no such array.
type AskedOfArray = Result<(StackQuestion, (u64, u64)), Refusal>;

/// A button that starts and stops the work, and the results so far.
#[component]
pub fn FusionDataflows(props: &FusionDataflowsProps) -> Html {
    let design = (Rc::clone(&props.request), props.limits);
    let studies = {
        let design = design.clone();
        use_reducer_eq(move || ArrayStudies::of(design))
    };
    let method = use_state_eq(|| FusionMethod::Optimus);
    {
        let dispatcher = studies.dispatcher();
        use_effect_with(design, move |design| dispatcher.dispatch(ArrayStudyAction::Design(design.clone())));
    }
    let asked = use_memo(
        (studies.is_on, studies.at, studies.of.clone()),
        |(is_on, at, (request, limits))| -> Option<AskedOfArray> {
            let (dataflow, doublings) = arrays().nth(*at).filter(|_| *is_on)?;
            let array = dataflow_request(request, dataflow, doublings);
            Some(array.map(|(request, sides)| ((Rc::new(request), *limits), sides)).map_err(Refusal::from))
        },
    );
    let question = (*asked).as_ref().and_then(|asked| Some(asked.as_ref().ok()?.0.clone()));
    let study = use_study(Channel::Dataflows, question);
    {
        let studied = (*asked).as_ref().and_then(|asked| studied(asked, &study, studies.at));
        let dispatcher = studies.dispatcher();
        use_effect_with((studies.of.clone(), studies.at, studied), move |(of, at, studied)| {
            if let Some(studied) = studied {
                dispatcher.dispatch(ArrayStudyAction::Studied(of.clone(), *at, studied.clone()));
            }
        });
    }
    let all = arrays().count();
    let status = match () {
        () if studies.at >= all => "done",
        () if studies.is_on => "running",
        () => "stopped",
    };
    html! {
        <section class="card" data-testid="fusion-dataflows" data-status={status} aria-busy={(status == "running").then_some("true")}>
            <h2>{ "What if the array worked otherwise?" }</h2>
            <p class="hint">
                { "The same memories with arrays of a quarter, the same, and four times the PEs, \
                   each unrolled in four ways. Every method chooses its groups anew, and the whole cost model judges \
                   them (Optimus, Section 7.6, Table 3, Figs. 17 and 18). Registers that PEs share are shared by those \
                   that use the same data." }
            </p>
            { controls(&studies, status, all, &studies.dispatcher()) }
            if !studies.found.is_empty() {
                { findings(&studies, *method, &method.setter()) }
            }
            if !studies.wrong.is_empty() {
                <ul class="banner" role="status">{ for studies.wrong.iter().map(|why| html! { <li>{ why.clone() }</li> }) }</ul>
            }
        </section>
    }
}

/// The result for the array of this index, once it is known.
fn studied(asked: &AskedOfArray, study: &StackStudyState, at: usize) -> Option<Result<FusionsOnArray, String>> {
    let dataflow = arrays().nth(at)?.0.title();
    if let Some(refusal) = asked.as_ref().err().or(study.refusal.as_ref()) {
        return Some(Err(format!("{dataflow}: {refusal}")));
    }
    let (_, (rows, columns)) = asked.as_ref().ok()?;
    let fusions = study.fusions.clone().filter(|_| study.status == "done")?;
    Some(Ok(FusionsOnArray { dataflow, array: format!("{rows} × {columns}"), fusions }))
}

fn controls(studies: &ArrayStudies, status: &str, all: usize, dispatcher: &UseReducerDispatcher<ArrayStudies>) -> Html {
    let switch = |is_on: bool| {
        let dispatcher = dispatcher.clone();
        Callback::from(move |_: MouseEvent| dispatcher.dispatch(ArrayStudyAction::Switch(is_on)))
    };
    let title = if studies.at == 0 { "Work it out" } else { "Go on" };
    match status {
        "done" => html! {},
        "running" => html! {
            <div class="row" role="status">
                <button type="button" class="small" onclick={switch(false)} data-testid="dataflows-stop">{ "Stop" }</button>
                <progress max={all.to_string()} value={studies.at.to_string()} aria-label="Arrays done"></progress>
                <small>{ format!("{} of {all} arrays", studies.at) }</small>
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

/// Explanations of the table of all arrays, whose first two columns name them.
fn array_numbers(arrays: &[FusionsOnArray]) -> CellExplanations {
    let rows = arrays.iter().flat_map(|array| method_rows(&array.fusions));
    Some(Rc::new(rows.map(|row| [None, None].into_iter().chain(row).collect()).collect()))
}

fn findings(studies: &ArrayStudies, method: FusionMethod, chosen: &UseStateSetter<FusionMethod>) -> Html {
    let onchange = {
        let chosen = chosen.clone();
        Callback::from(move |title: String| {
            FusionMethod::ALL
                .into_iter()
                .filter(|method| method.title() == title)
                .for_each(|method| chosen.set(method));
        })
    };
    let choices: Vec<ChoiceOption> =
        FusionMethod::ALL.iter().map(|method| ChoiceOption::new(method.title(), method.title())).collect();
    let all: Vec<Arc<FusionComparison>> = studies.found.iter().map(|array| Arc::clone(&array.fusions)).collect();
    let energy = Drawn::new(dataflow_energy(&studies.found, method));
    let latency = Drawn::new(dataflow_latency(&studies.found, method));
    html! {
        <>
            <Select label="Method" {choices} value={method.title()} {onchange} testid="dataflows-method" />
            <Figure title="" chart={energy} numbers={array_energy_numbers(&all, method)} testid="dataflows-energy" />
            <Figure title="" chart={latency} numbers={array_latency_numbers(&all, method)} testid="dataflows-latency" />
            <details class="twin">
                <summary>{ "all methods" }</summary>
                <div class="scroll" tabindex="0" role="group" aria-label="Methods by dataflow and array" data-testid="dataflows-table">
                    { explained_table(Rc::new(dataflow_table(&studies.found)), &array_numbers(&studies.found)) }
                </div>
            </details>
        </>
    }
}
