//! Two designs on many cores, each with its own system and choices: the pinned one, and the current one.

use crate::app::widgets::figures::data_table::plain_table;
use crate::app::widgets::words::term::termed;
use crate::app::workers::wanted::use_summaries;
use crate::chart::allocations_table;
use crate::multicore::CoresRequest;
use crate::question::{Channel, CoresMethod, CoresSummary, Refusal};
use crate::spec::{Diagnostics, system_presets};
use crate::state::{CoresForm, Design, State, read_allocation};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct CompareCoresProps {
    /// The current and the pinned design.
    pub chosen: Rc<State>,
}

/// The question about one side, with the choice of its tiles and cores.
type ComparedSide = Result<(CoresRequest, CoresMethod), Diagnostics>;

fn side(design: &Design, cores: &CoresForm) -> ComparedSide {
    let (schedule, [hardware, workload]) = (&design.schedule, [&design.hardware.text, &design.workload.text]);
    let request = cores.request(hardware, workload, (schedule.strategy, schedule.lpf_limit), schedule.rules);
    let by_hand = read_allocation(&cores.allocation);
    let method =
        if cores.searches_tiles() { CoresMethod::BestTiles { by_hand } } else { CoresMethod::Best { by_hand } };
    request.map(|request| (request, method))
}

fn system_name(form: &CoresForm) -> &'static str {
    let preset = form.preset.as_ref().and_then(|id| system_presets().iter().find(|preset| preset.id == id));
    preset.map_or("a system of one’s own", |preset| preset.title)
}

/// Latency, energy and their product for both sides, on request.
#[component]
pub fn CompareCores(props: &CompareCoresProps) -> Html {
    let chosen = &props.chosen;
    let (pinned_design, pinned_cores) =
        chosen.pinned.as_ref().map_or((&chosen.design, &chosen.cores), |pinned| (&pinned.design, &pinned.cores));
    let sides = [side(pinned_design, pinned_cores), side(&chosen.design, &chosen.cores)];
    let questions = use_memo(sides.clone(), |sides| {
        let question = |(request, method): &(CoresRequest, CoresMethod)| CoresSummary {
            request: Rc::new(request.clone()),
            method: method.clone(),
        };
        sides.iter().flatten().map(question).collect::<Vec<_>>()
    });
    let (summaries, start, stop) = use_summaries(Channel::CoresSweep, questions.to_vec());
    let status = summaries.status();
    let mut answers = (0..sides.len()).map(|index| summaries.get(index));
    let known: Vec<_> = sides.iter().map(|side| side.as_ref().ok().and_then(|_| answers.next()?)).collect();
    let names =
        [("A", pinned_cores), ("B", &chosen.cores)].map(|(side, form)| format!("{side}: {}", system_name(form)));
    let rows: Vec<_> = names
        .iter()
        .zip(&known)
        .map(|(name, answer)| (name.as_str(), answer.and_then(|answer| answer.as_ref().ok().copied())))
        .collect();
    let refusal = |index: usize| known[index].and_then(|answer| answer.as_ref().err());
    let wrong = names.iter().enumerate().filter_map(|(index, name)| {
        let wrong = match (&sides[index], refusal(index)) {
            (Err(wrong), _) | (_, Some(Refusal::Rejected(wrong))) => wrong,
            _ => return None,
        };
        let first = wrong.0.first()?;
        Some(format!("{name}: {}. {}.", first.reason, first.remedy))
    });
    let failures = names.iter().enumerate().filter_map(|(index, name)| match refusal(index) {
        Some(Refusal::Failed(failure)) => Some(format!("{name}: {failure}")),
        _ => None,
    });
    html! {
        <section class="card" data-testid="compare-cores" data-status={status}>
            <h2>{ "On many cores" }</h2>
            <p class="hint">
                { termed(
                    "Both on the systems and with the choices that they have in the view Cores, each with the cores \
                     chosen by hand or else its best [allocation|core allocation], without other cores for single layers.",
                ) }
            </p>
            <div class="row start">
                <button type="button" onclick={start} disabled={matches!(status, "running" | "done")} data-testid="compare-cores-start">
                    { "Work them out" }
                </button>
                if status == "running" {
                    <button type="button" onclick={stop} data-testid="compare-cores-stop">{ "Stop" }</button>
                    <span class="hint" role="status">{ "working …" }</span>
                }
            </div>
            if known.iter().any(Option::is_some) {
                <div class="scroll wide-table" tabindex="0" role="group" aria-label="What A and B cost on many cores">
                    { plain_table(allocations_table("On many cores", "design", &rows)) }
                </div>
            }
            { for wrong.map(|text| html! { <p class="hint" role="note">{ text }</p> }) }
            { for failures.map(|text| html! { <p class="banner" role="alert">{ text }</p> }) }
        </section>
    }
}
