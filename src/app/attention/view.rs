//! The whole view: the form, one step, generation, the published dataflows.

use super::cores::CoresCard;
use super::form::FormCard;
use super::generation::GenerationCard;
use super::published::PublishedCard;
use super::step::{Step, TilesCard};
use super::trace::TraceCard;
use crate::app::design::import::{ImportButton, carries_files, dropped, import_panel, use_import};
use crate::app::session::handle::Session;
use crate::app::session::state::PageState;
use crate::app::widgets::forms::diagnostics::DiagnosticList;
use crate::app::widgets::forms::document_text::use_text_offered;
use crate::app::widgets::page::figure_context::use_act;
use crate::app::workers::ask::use_answers;
use crate::explore::{AttentionAnswer, AttentionRequest};
use crate::question::{Channel, ScheduleAttention};
use crate::spec::Diagnostics;
use std::rc::Rc;
use yew::prelude::*;

/// The view, as the page shows it.
pub fn view(state: Rc<PageState>, _: &Session) -> Html {
    html! { <AttentionView {state} /> }
}

#[derive(Properties, PartialEq)]
pub struct AttentionViewProps {
    pub state: Rc<PageState>,
}

/// The form and the answers to it.
#[component]
pub fn AttentionView(props: &AttentionViewProps) -> Html {
    let act = use_act();
    let chosen = &props.state.chosen;
    let form = &chosen.attention;
    let objective = chosen.design.schedule.objective_in_force();
    let asked = form.request(chosen.design.hardware.text.clone(), objective);
    let generated = form.generated();
    let chunk = form.chunk();
    let mut wrong = Diagnostics::default();
    let told = [asked.as_ref().err(), generated.as_ref().err(), chunk.as_ref().err()];
    wrong.0.extend(told.into_iter().flatten().flat_map(|wrong| wrong.0.clone()));
    let request: Option<Rc<AttentionRequest>> = asked.ok().map(Rc::new);
    let answers =
        use_answers(Channel::Attention, request.iter().map(|request| ScheduleAttention(Rc::clone(request))).collect());
    if let Some(refusal) = answers.refusal() {
        wrong.0.extend(refusal.clone().into_diagnostics().0);
    }
    let fields = wrong.0.iter().map(|one| one.path.trim_start_matches("step.").to_owned()).collect::<Vec<_>>();
    let status = match (&request, wrong.is_empty()) {
        (Some(_), true) => answers.status(),
        _ => "rejected",
    };
    // While fields are invalid nothing is asked, and the last answer stays.
    let last = use_mut_ref(|| None::<Rc<AttentionAnswer>>);
    if let Some(answer) = answers.shown().next() {
        *last.borrow_mut() = Some(Rc::new(answer.clone()));
    }
    // Files dropped here belong to the view: their report is beside the form.
    let import = use_import(&act, true);
    let is_offered = use_text_offered();
    let ondragover = Callback::from(move |event: DragEvent| {
        if is_offered && carries_files(&event) {
            event.prevent_default();
        }
    });
    let ondrop = {
        let start = import.start.clone();
        Callback::from(move |event: DragEvent| {
            if is_offered && !event.default_prevented() {
                event.prevent_default();
                start.emit(dropped(&event));
            }
        })
    };
    let answer = last.borrow().clone();
    let is_old = answers.are_old() || request.is_none();
    html! {
        <div data-testid="attention-view" data-status={status} {ondragover} {ondrop}>
            <section class="card" aria-label="Transformer">
                <FormCard form={form.clone()} objective={chosen.design.schedule.objective} wrong={fields}>
                    if is_offered {
                        <ImportButton start={import.start.clone()} name="model" label="open a model" />
                    }
                </FormCard>
                { import_panel(&import, "model") }
                <DiagnosticList diagnostics={wrong.clone()} testid="attention-diagnostics" />
                if let Some(answer) = &answer {
                    <Step answer={Rc::clone(answer)} {is_old} />
                } else if status == "running" {
                    <p class="hint awaited">{ "Looking for the best schedule of every kind …" }</p>
                }
            </section>
            if let (Some(request), Some(answer), true) = (&request, &answer, wrong.is_empty()) {
                if let Some(attention) = &answer.layer.attention {
                    <TraceCard
                        request={Rc::clone(request)}
                        answer={Rc::clone(answer)}
                        form={form.clone()}
                    />
                    <TilesCard
                        request={Rc::clone(request)}
                        best={attention.best.schedule.fusion}
                        keys_in={answer.layer.keys_in.0}
                        form={form.clone()}
                    />
                }
                if let (Ok(generated), Ok(chunk), true) = (generated, chunk, answer.model.causal) {
                    <GenerationCard
                        request={Rc::clone(request)}
                        clock_mhz={answer.clock_mhz}
                        dram_bytes={answer.dram_bytes}
                        has_states={answer.model.state_space.is_some()}
                        {generated}
                        {chunk}
                    />
                }
                <CoresCard
                    request={Rc::clone(request)}
                    has_states={answer.model.state_space.is_some()}
                    form={form.clone()}
                />
                if answer.layer.attention.is_some() {
                    <PublishedCard request={Rc::clone(request)} />
                }
            }
        </div>
    }
}
