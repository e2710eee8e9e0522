//! Many cores: the schedule, the transfers, the usage of memories, and the best allocation.

use super::allocation::CoresAllocation;
use super::compared::CoresCompared;
use super::core_search::{EvaluationInputs, LocalSearch, use_cores, use_evaluation, use_local_search};
use super::form::CoresFormCard;
use super::numbers::{energy_numbers, number, time_numbers};
use super::tile_search::{TileSearchState, use_tile_search};
use super::tiles::{ComparedCore, TileSizes, use_single_core};
use super::timeline::CoreTimelineView;
use crate::app::session::handle::Session;
use crate::app::session::state::PageState;
use crate::app::widgets::figures::figure::{Drawn, Figure};
use crate::app::widgets::page::figure_context::use_act;
use crate::app::widgets::words::term::termed;
use crate::app::workers::job::JobRun;
use crate::chart::{Quantity, core_time, group_thousands, system_energy, three_digits};
use crate::explain::CoresNumber;
use crate::job::{Job, Progress};
use crate::multicore::{
    CoreAllocation, CoresEvaluation, CoresOverview, CoresSearch, CoresStage, EvaluatedAllocation, ScheduleObjective,
    StackAllocation,
};
use crate::question::{Refusal, Reply};
use crate::spec::Diagnostics;
use crate::state::{Action, CoresField, read_allocation, write_allocation};
use std::rc::Rc;
use std::sync::Arc;
use yew::prelude::*;

/// Limit on the tiles of a schedule for the local search: with more, trying other cores for one layer would take too
/// long.
const MOST_IMPROVED: usize = 20_000;

/// The view, as the page shows it.
pub fn view(state: Rc<PageState>, _: &Session) -> Html {
    html! { <CoresView {state} /> }
}

#[derive(Properties, PartialEq)]
pub struct CoresViewProps {
    pub state: Rc<PageState>,
}

#[component]
pub fn CoresView(props: &CoresViewProps) -> Html {
    let (chosen, act) = (&props.state.chosen, &use_act());
    let design = &chosen.design;
    let request = chosen.cores.request(
        &design.hardware.text,
        &design.workload.text,
        (design.schedule.strategy, design.schedule.lpf_limit),
        design.schedule.rules,
    );
    let searches = chosen.cores.searches_tiles();
    let searched =
        (*use_memo(request.clone().ok().filter(|_| searches), |request| request.clone().map(Rc::new))).clone();
    let (tiles, stop_tiles) = use_tile_search(searched.clone());
    let stated = request.clone().ok().and_then(|request| match (searches, &tiles.cut) {
        (false, _) => Some(request),
        (true, cut) => cut.as_ref().map(|cut| request.in_tiles(cut)),
    });
    let (run, longer) = use_cores(stated);
    let held = run.as_ref().map(JobRun::job);
    let study = held.as_deref();
    let refusal = run.as_ref().and_then(JobRun::refusal);
    let stage = study.filter(|_| refusal.is_none()).map(CoresSearch::stage);
    let is_done = stage == Some(CoresStage::Done);
    let single = use_single_core(run.as_ref(), tiles.search.as_deref().filter(|_| searches));
    let best = study.filter(|_| is_done).and_then(CoresSearch::best);
    let best = best.map(|(shares, evaluation)| (shares, evaluation.clone()));
    let inputs = best.as_ref().and_then(|(shares, _)| {
        Some(EvaluationInputs {
            request: run.as_ref()?.request(),
            stack_allocations: study?.stack_allocations(*shares)?,
        })
    });
    let improvable = best.as_ref().filter(|(_, evaluation)| evaluation.account.tiles.len() <= MOST_IMPROVED);
    let (improving, switch) =
        use_local_search(inputs.clone().zip(improvable.map(|(_, evaluation)| evaluation.evaluated.clone())));
    let overview = study.and_then(CoresSearch::overview).cloned();
    let by_hand = overview.as_ref().and_then(|overview| written(&chosen.cores.allocation, overview, best.as_ref()));
    // The improved allocation is shown in full once the local search rests.
    let is_better = improving.is_done || !improving.is_on;
    let better = improving.best.clone().filter(|found| {
        is_better && best.as_ref().is_some_and(|(_, evaluation)| evaluation.evaluated.choice != found.choice)
    });
    let wanted = by_hand.clone().or(better.as_ref().map(|better| better.choice.clone()));
    let evaluated = use_evaluation(inputs.clone(), wanted.clone());
    let found = evaluated.as_ref().and_then(|evaluated| evaluated.as_ref().ok()).cloned();
    let evaluated_by_hand = found.as_ref().map(|found| found.evaluated.clone());
    let shown = if wanted.is_some() { found } else { best.as_ref().map(|(_, evaluation)| evaluation.clone()) };
    // The previous schedule stays while another one is computed.
    let kept = use_mut_ref(|| None::<ShownSchedule>);
    let is_current = shown.is_some();
    if let Some((evaluation, overview)) = shown.zip(overview.clone()) {
        let origin = origin(&evaluation, &overview, best.as_ref(), by_hand.is_some());
        *kept.borrow_mut() = Some(ShownSchedule { evaluation, overview, origin });
    }
    let kept = kept.borrow().clone();
    let asked = tiles.refusal.as_ref().filter(|_| searches).or(refusal.as_ref());
    let none = study.and_then(CoresSearch::why_none);
    let wrong = wrong_with(request.as_ref().err(), asked, none, evaluated.as_ref());
    let failure = [refusal.as_ref(), evaluated.as_ref().and_then(|evaluated| evaluated.as_ref().err())]
        .into_iter()
        .find_map(|refusal| match refusal {
            Some(Refusal::Failed(failure)) => Some(failure.as_str()),
            _ => None,
        });
    let status = match () {
        () if !wrong.is_empty() || failure.is_some() => "rejected",
        () if is_current && (!searches || tiles.is_done) => "done",
        () => "running",
    };
    let on_choice = {
        let layers = kept.as_ref().map(|kept| kept.overview.layers.clone()).unwrap_or_default();
        act.reform(move |choice: Option<CoreAllocation>| {
            let choice = choice.unwrap_or_default();
            let lines = layers.iter().map(String::as_str).zip(choice.iter().map(Vec::as_slice));
            Action::Cores(CoresField::Allocation(write_allocation(lines)))
        })
    };
    let objective = run.as_ref().map(|run| run.request().settings.objective).unwrap_or_default();
    let shown_evaluation = kept.as_ref().map(|kept| kept.evaluation.clone());
    let class = (!is_current).then_some("old");
    html! {
        <div data-testid="cores-view" data-status={status} aria-busy={(status == "running").then_some("true")}>
            <section class="card">
                <h2>{ "Which core computes what, and when?" }</h2>
                <p class="hint">
                    { termed(
                        "Layers are cut into [computation tiles|computation tile], tiles are given to [cores|core allocation], \
                         and what they need travels over [links|communication link] and memories as early as these allow \
                         (Stream).",
                    ) }
                </p>
                { progress(failure, study.filter(|_| refusal.is_none()), (searches && stage.is_none()).then_some(&tiles)) }
                if let Some(kept) = &kept {
                    if status == "rejected" {
                        <p class="hint" data-testid="cores-kept">{ "What follows is of the last input without errors." }</p>
                    }
                    <div {class}>{ answer(kept, objective.name(), single.as_ref()) }</div>
                }
                if searches {
                    <TileSizes state={tiles.clone()} on_stop={stop_tiles} />
                }
                <CoresFormCard form={chosen.cores.clone()} {wrong} />
                if let Some(overview) = overview.as_ref().filter(|overview| !overview.takes_beside) {
                    <p class="hint" data-testid="cores-own">
                        { format!("{} has cores of its own: of the design, only the network and how mappings are \
                                   searched count here.", overview.system) }
                    </p>
                }
                if by_hand.is_some() && is_done {
                    <p class="hint">{ "Cores were chosen by hand. What follows is of those that the search found:" }</p>
                }
                { improvement(&improving, best.as_ref().map(|(_, best)| &best.evaluated), objective, overview.as_deref(), switch) }
                { for study.iter().map(|study| proof(study, &longer)) }
                { unmatched(&chosen.cores.allocation, overview.as_deref()) }
            </section>
            if let Some(ShownSchedule { evaluation, overview, .. }) = kept {
                <div {class}>
                    <section class="card">
                        <CoreTimelineView account={Arc::clone(&evaluation.account)} />
                    </section>
                    <section class="card">
                        <h2>{ "Where time and energy go" }</h2>
                        <Figure
                            title=""
                            chart={Drawn::new(core_time(&evaluation.account))}
                            numbers={time_numbers(&evaluation.account)}
                            testid="core-time"
                        />
                        <Figure
                            title=""
                            chart={Drawn::new(system_energy(&evaluation.account))}
                            numbers={energy_numbers(&evaluation.account)}
                            testid="system-energy"
                        />
                    </section>
                    <CoresAllocation {overview} choice={evaluation.evaluated.choice.clone()}
                        is_by_hand={by_hand.is_some()} {on_choice} />
                </div>
            }
            if let Some((inputs, (_, best))) = inputs.zip(best) {
                <CoresCompared
                    {inputs}
                    evaluations={study.iter().flat_map(|study| study.evaluations().clone()).collect::<Vec<_>>()}
                    shown={shown_evaluation}
                    best={improving.best.clone().unwrap_or(best.evaluated)}
                    by_hand={by_hand.and(evaluated_by_hand)}
                />
            }
        </div>
    }
}

#[derive(Clone)]
struct ShownSchedule {
    evaluation: CoresEvaluation,
    overview: Arc<CoresOverview>,
    /// The source of its allocation.
    origin: &'static str,
}

fn origin(
    evaluation: &CoresEvaluation,
    overview: &CoresOverview,
    best: Option<&(bool, CoresEvaluation)>,
    is_by_hand: bool,
) -> &'static str {
    match best {
        _ if is_by_hand => "with cores chosen by hand",
        _ if overview.cores.len() == 1 => "on one core",
        Some((_, best)) if best.evaluated.choice != evaluation.evaluated.choice => {
            "better cores than the steady state alone finds"
        }
        Some((true, _)) => "tiles shared by cores where that is faster",
        _ => "each tile on one core",
    }
}

/// The choice by hand: the allocation that was found, with the cores written for some layers. `None` if these belong to
/// another network.
fn written(text: &str, overview: &CoresOverview, best: Option<&(bool, CoresEvaluation)>) -> Option<CoreAllocation> {
    let mut choice = best?.1.evaluated.choice.clone();
    let mut is_any = false;
    for (layer, cores) in read_allocation(text) {
        if let Some(index) = overview.layers.position(|name| *name == layer) {
            choice[index] = cores;
            is_any = true;
        }
    }
    is_any.then_some(choice)
}

/// A remark on layers with cores by hand that are not in the network.
fn unmatched(text: &str, overview: Option<&CoresOverview>) -> Html {
    let Some(overview) = overview else { return html! {} };
    let lines = read_allocation(text);
    let strange: Vec<&str> = lines
        .iter()
        .map(|line| line.0.as_str())
        .filter(|layer| !overview.layers.iter().any(|name| name == layer))
        .collect();
    let Some(first) = strange.first() else { return html! {} };
    let others = match strange.len() {
        1 => String::new(),
        more => format!(" and of {} more", more - 1),
    };
    html! {
        <p class="hint" data-testid="cores-unmatched">
            { format!("The cores that were chosen by hand for the layer {first}{others} are not used: \
                       this network has no such layer.") }
        </p>
    }
}

/// All errors: of the fields, of the documents, or of their combination.
fn wrong_with(
    fields: Option<&Diagnostics>,
    asked: Option<&Refusal>,
    none: Option<&Diagnostics>,
    evaluated: Option<&Reply<CoresEvaluation>>,
) -> Diagnostics {
    let rejected = |refusal: &Refusal| match refusal {
        Refusal::Rejected(wrong) => Some(wrong.clone()),
        Refusal::Failed(_) => None,
    };
    let asked = || asked.and_then(rejected).or_else(|| none.cloned());
    let by_hand = || evaluated.and_then(|evaluated| rejected(evaluated.as_ref().err()?));
    fields.cloned().or_else(asked).or_else(by_hand).unwrap_or_default()
}

fn progress(failure: Option<&str>, study: Option<&CoresSearch>, tiles: Option<&TileSearchState>) -> Html {
    if let Some(failure) = failure {
        return html! { <p class="banner" role="alert">{ failure.to_owned() }</p> };
    }
    let Progress { done, all, .. } = study.map(CoresSearch::progress).unwrap_or_default();
    let (text, done, all) = match study.map(CoresSearch::stage) {
        None if tiles.is_some_and(|tiles| tiles.refusal.is_none()) => {
            let (done, all) = tiles.map_or((0, 1), |tiles| tiles.progress);
            (format!("{done} of {all} tile sizes run, each with its best allocation"), done, all)
        }
        None | Some(CoresStage::Done) => return html! { <div class="progress" data-testid="cores-progress"></div> },
        Some(CoresStage::Overview) => ("cutting layers into tiles".to_owned(), 0, 1),
        Some(CoresStage::Costs) => (format!("{done} of {all} different tiles mapped on cores"), done, all),
        Some(CoresStage::Stacks) => (format!("{done} of {all} searches for the cores of a stack done"), done, all),
        Some(CoresStage::Evaluation) => ("scheduling".to_owned(), 1, 1),
    };
    html! {
        <div class="progress" data-testid="cores-progress" role="status">
            <span>{ text }</span>
            <progress value={done.to_string()} max={all.max(1).to_string()} aria-label="Share of this step that is done" />
        </div>
    }
}

fn answer(shown: &ShownSchedule, objective: &'static str, single: Option<&ComparedCore>) -> Html {
    let ShownSchedule { evaluation, origin, .. } = shown;
    let EvaluatedAllocation { energy_pj, latency_cycles, .. } = evaluation.evaluated;
    let account = &evaluation.account;
    let kpi = |of: CoresNumber, big: String, small: String| {
        html! { <div class="kpi"><b>{ number(account, of, big) }</b><span>{ small }</span></div> }
    };
    let tiles = format!(
        "{} tiles, {} transfers",
        group_thousands(account.tiles.len() as u64),
        group_thousands(account.transfers.len() as u64)
    );
    let most = account.latency_cycles * account.peak_macs_per_cycle as f64;
    html! {
        <>
        <div class="answer" data-testid="cores-answer" data-aim={objective}>
            { kpi(CoresNumber::Latency, Quantity::Latency.text(latency_cycles), (*origin).to_owned()) }
            { kpi(CoresNumber::Energy, Quantity::Energy.text(energy_pj), tiles) }
            { kpi(
                CoresNumber::MacUse,
                format!("{} %", three_digits(100.0 * account.macs as f64 / most.max(1.0))),
                "MAC use: of what all arrays could multiply in that time".to_owned(),
            ) }
            { kpi(
                CoresNumber::Peak,
                Quantity::Bytes.text(account.peak_bits() as f64 / 8.0),
                "on the chip at most at once".to_owned(),
            ) }
        </div>
        if account.cores.len() > 1 {
            <p class="cores-verdict" data-testid="cores-single">
                { against_one_core((energy_pj, latency_cycles), account.cores.len(), single) }
            </p>
        }
        </>
    }
}

/// A comparison with the best core that computes all layers alone, in one sentence.
fn against_one_core((energy_pj, latency): (f64, f64), cores: usize, single: Option<&ComparedCore>) -> String {
    let Some(ComparedCore { core, tiles }) = single else { return "Comparing with one core alone …".to_owned() };
    let Some(core) = core else {
        return "No core runs all layers alone, so that there is none to compare with.".to_owned();
    };
    let ratio = core.latency_cycles / latency;
    let times = match ratio {
        ratio if ratio > 1.005 => format!("{cores} cores are {} times as fast as {}", three_digits(ratio), core.name),
        ratio if ratio < 0.995 => {
            format!(
                "{cores} cores are slower than {}: they take {} times as long",
                core.name,
                three_digits(1.0 / ratio)
            )
        }
        _ => format!("{cores} cores are no faster than {}", core.name),
    };
    let energy = match energy_pj / core.energy_pj - 1.0 {
        more if more > 0.0005 => format!("{} % more energy", three_digits(100.0 * more)),
        less if less < -0.0005 => format!("{} % less energy", three_digits(-100.0 * less)),
        _ => "the same energy".to_owned(),
    };
    format!(
        "{times} alone {tiles}, and take {energy} ({}, {}).",
        Quantity::Latency.text(core.latency_cycles),
        Quantity::Energy.text(core.energy_pj)
    )
}

/// The progress of the local search.
fn improvement(
    improving: &LocalSearch,
    from: Option<&EvaluatedAllocation>,
    objective: ScheduleObjective,
    overview: Option<&CoresOverview>,
    switch: Callback<bool>,
) -> Html {
    let Some((best, from)) = improving.best.as_ref().zip(from) else { return html! {} };
    let gain = 100.0 * (1.0 - best.score(objective) / from.score(objective));
    let gained =
        if gain < 0.05 { "nothing better yet".to_owned() } else { format!("{} % better so far", three_digits(gain)) };
    let (text, button) = match (improving.is_done, improving.is_on) {
        (true, _) if gain < 0.05 => {
            ("No other cores for any one layer make it better, transfers and memories counted.".to_owned(), None)
        }
        (true, _) => (
            format!(
                "Other cores for single layers, judged with transfers and memories, made it {} % better; \
                 no further one does.",
                three_digits(gain)
            ),
            None,
        ),
        (false, true) => {
            let layers = overview.map(|overview| &overview.layers);
            let name = layers.and_then(|layers| layers.get(improving.layer)).map_or("", String::as_str);
            let (number, all) = (improving.layer.index() + 1, layers.map_or(0, |layers| layers.len()));
            let text = format!(
                "Trying other cores for {name}, layer {number} of {all}: {gained}. \
                 What is found is shown at the end, or when you stop."
            );
            (text, Some((false, "Stop")))
        }
        (false, false) => (format!("Stopped trying other cores: {gained}."), Some((true, "Continue"))),
    };
    html! {
        <>
        <p class="hint row" role="status" data-testid="cores-improving" data-done={improving.is_done.to_string()}>
            <span>{ text }</span>
            if let Some((on, title)) = button {
                <button type="button" class="small" onclick={switch.reform(move |_: MouseEvent| on)}>{ title }</button>
            }
        </p>
        if let Some(failure) = &improving.failure {
            <p class="banner" role="alert">{ failure.clone() }</p>
        }
        </>
    }
}

/// The proof of optimality of the stacks' allocations.
fn proof(study: &CoresSearch, longer: &Callback<()>) -> Html {
    let Some([stacks, single]) = study.stacks(true).zip(study.stacks(false)).map(|(shared, single)| [shared, single])
    else {
        return html! {};
    };
    if stacks.is_empty() {
        return html! {};
    }
    let all = || stacks.iter().chain(single.iter());
    let open = || all().filter(|stack| !stack.found.is_proved() && stack.found.best.is_some());
    let gap = |stack: &StackAllocation| {
        let best = stack.found.best.as_ref()?;
        Some(1.0 - stack.found.bound / best.cycles)
    };
    let widest = open().filter_map(gap).fold(0.0, f64::max);
    let unsearched = stacks.iter().filter(|stack| stack.found.best.is_none()).count();
    let steady = stacks.iter().filter(|stack| stack.layers.len() > 1).max_by_key(|stack| stack.layers.len());
    let about = steady.map(|stack| {
        let which =
            if stacks.len() == 1 { "The stack".to_owned() } else { format!("The longest of {} stacks", stacks.len()) };
        let times = if stack.iterations == 1 { "once".to_owned() } else { format!("{} times", stack.iterations) };
        let (tiles, share) = (stack.tiles, three_digits(100.0 * stack.mac_share));
        let coarsened = match stack.coarsened {
            times if times > 1 && stack.found.best.is_some() => {
                format!(" Its cores are chosen in tiles {times} times as large.")
            }
            _ => String::new(),
        };
        format!(" {which} computes {tiles} tiles {times}, {share} % of its work.{coarsened}")
    });
    let longer_text = match study.times_longer() {
        1 => String::new(),
        times => format!(" Searched {times} times as long."),
    };
    html! {
        <p class="hint row" data-testid="cores-proof" data-proved={(open().count() == 0).to_string()}>
            <span>
                if unsearched > 0 && unsearched == stacks.len() {
                    { "What is repeated has too many tiles to be searched: every layer is on all cores that it may have." }
                } else if unsearched > 0 {
                    { format!("What {unsearched} of {} stacks repeat has too many tiles to be searched: \
                               their layers are on all cores that they may have.", stacks.len()) }
                } else if open().count() == 0 {
                    { "Proved, for these tiles: if nothing had to travel, no other cores and no other order would make what the \
                       stacks repeat any faster. Not proved: that no other tile size, and no other cores once data travels, are better." }
                } else {
                    { format!(
                        "What {} of {} searches found may be up to {} % from the fastest that a stack could repeat.",
                        open().count(),
                        all().count(),
                        three_digits(100.0 * widest)
                    ) }
                }
                { about.unwrap_or_default() }
                { longer_text }
            </span>
            if open().count() > 0 && study.stage() == CoresStage::Done {
                <button type="button" class="small" onclick={longer.reform(|_: MouseEvent| ())} data-testid="cores-longer">
                    { "Search longer" }
                </button>
            }
        </p>
    }
}
