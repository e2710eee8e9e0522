//! HW-Flow-Fusion in its own terms: the sequences of layers that fit on the chip, their costs by themselves and fused,
//! and the choice of the method.

use super::findings::use_findings;
use super::numbers::{asked_of, bar_numbers, sequence_numbers};
use super::sequence_facts::SequenceFacts;
use super::sequence_resources::SequenceResources;
use crate::app::widgets::figures::data_table::{Twin, explained_table};
use crate::app::widgets::figures::figure::{Drawn, Figure, Spot};
use crate::app::widgets::forms::controls::{ChoiceOption, Select};
use crate::app::widgets::words::explain::Number;
use crate::chart::{
    Bars, Quantity, SequenceQuantity, change, sequence_bars, sequence_ctc, sequence_label, sequence_table,
};
use crate::explain::{ExplainedSequences, RunPart, RunPlace, SequenceNumber};
use crate::explore::{
    NetworkChains, Request, Sequence, SequenceCosts, SequenceFinding, SequenceQuestion, Sharing, chosen_sequences,
};
use crate::interlayer::MOST_LAYERS;
use crate::question::Channel;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct FusionSequencesProps {
    pub request: Rc<Request>,
}

/// Results for all sequences of one design.
#[derive(Clone, PartialEq)]
struct Overview {
    request: Rc<Request>,
    chains: Rc<NetworkChains>,
    costs: Rc<Vec<SequenceCosts>>,
}

/// The section of the view. Choices in it change only what is shown, not the design, so they are not part of a link.
#[component]
pub fn FusionSequences(props: &FusionSequencesProps) -> Html {
    let outline = use_findings(Channel::Sequences, &props.request, vec![SequenceQuestion::Chains]);
    let chains = match outline.shown().next() {
        Some(SequenceFinding::Chains(chains)) if outline.are_current() => Some(chains),
        _ => None,
    };
    let legal: Vec<Sequence> = chains.map(|chains| chains.legal.clone()).unwrap_or_default();
    let questions = legal.into_iter().map(SequenceQuestion::Costs).collect();
    let priced = use_findings(Channel::SequenceCosts, &props.request, questions);
    // The previous results stay while others are computed.
    let kept = use_mut_ref(|| None::<Overview>);
    if let Some(chains) = chains.filter(|_| priced.are_current()) {
        let cost = |finding: &SequenceFinding| match finding {
            SequenceFinding::Costs(costs) => Some((**costs).clone()),
            _ => None,
        };
        let costs = priced.shown().filter_map(cost).collect();
        let (request, chains) = (Rc::clone(&props.request), Rc::new(chains.clone()));
        let overview = Overview { request, chains, costs: Rc::new(costs) };
        if kept.borrow().as_ref() != Some(&overview) {
            *kept.borrow_mut() = Some(overview);
        }
    }
    let sharing = use_state_eq(|| Sharing::Temporal);
    let shows_all = use_state_eq(|| false);
    let picked = use_state_eq(|| None::<Vec<String>>);
    let asked = if outline.are_current() { priced } else { outline.clone() };
    let overview = kept.borrow().clone().filter(|_| !outline.are_refused());
    let Some(Overview { request, chains, costs }) = overview else {
        return html! {
            <section class="card" data-testid="sequences" data-status={asked.status()}>
                <h2>{ "Sequences (HW-Flow-Fusion)" }</h2>
                { asked.progress() }
            </section>
        };
    };
    let chosen = chosen_sequences(&chains, &costs, *sharing);
    let explains = Rc::new(ExplainedSequences {
        chains: Rc::clone(&chains),
        costs: Rc::clone(&costs),
        chosen: chosen.clone(),
        listed: Vec::new(),
    });
    let sequence =
        picked.as_ref().and_then(|names| place_of(&chains, names)).or_else(|| chains.most_saving(&costs, &chosen));
    let pick = {
        let (picked, chains) = (picked.setter(), Rc::clone(&chains));
        Callback::from(move |sequence: Sequence| picked.set(Some(chains.names(sequence).to_vec())))
    };
    let is_shown = |costs: &&SequenceCosts| {
        *shows_all || Some(costs.sequence) == sequence || chosen.iter().any(|(other, _)| *other == costs.sequence)
    };
    let shown: Vec<&SequenceCosts> = costs.iter().filter(is_shown).collect();
    let sequences: Vec<Sequence> = shown.iter().map(|costs| costs.sequence).collect();
    let figure = |of: SequenceQuantity| {
        let (title, hint, testid) = explained(of);
        let bars = sequence_bars(&chains, &shown, sequence, of);
        let on_click = picking(&bars, &shown, &pick);
        let numbers = bar_numbers(&explains, &sequences, RunPart::of(of).collect(), RunPart::Total(of));
        html! { <Figure {title} {hint} chart={Drawn::new(bars)} {numbers} {testid} {on_click} /> }
    };
    let ratios = sequence_ctc(&chains, &shown, sequence);
    let pick_by_ratio = picking(&ratios, &shown, &pick);
    let is_running = asked.status() == "running";
    let table = sequence_table(&chains, &costs, &chosen);
    let (cells, table, numbers) = (table.rows.len() * table.columns.len(), Rc::new(table), sequence_numbers(&explains));
    html! {
        <>
        <section
            class={classes!("card", is_running.then_some("old"))}
            data-testid="sequences"
            data-status={asked.status()}
            aria-busy={is_running.then_some("true")}
        >
            <h2>{ "Sequences (HW-Flow-Fusion)" }</h2>
            <p class="hint">{ hardware(&chains) }</p>
            { asked.progress() }
            <div class="fields">
                { choose_sharing(*sharing, sharing.setter()) }
                { choose_shown(*shows_all, shows_all.setter(), costs.len()) }
            </div>
            { headline(&explains) }
            if shown.is_empty() {
                <p class="hint">{ "No two layers that follow each other fit on the chip together." }</p>
            } else {
                { for SequenceQuantity::ALL.map(figure) }
                <Figure
                    title="Computation to communication"
                    hint="Operations to bytes of DRAM, each byte weighted by what a burst of 8 bytes makes of the \
                          bandwidth: operations / (32 × bytes). Pooling counts a comparison as an operation (Table 7)."
                    chart={Drawn::new(ratios)}
                    numbers={bar_numbers(&explains, &sequences, Vec::new(), RunPart::Ctc)}
                    testid="sequence-ctc"
                    on_click={pick_by_ratio}
                />
                <Twin
                    label={format!("all {} sequences that fit, in numbers", costs.len())}
                    {cells}
                    table={Callback::from(move |()| explained_table(Rc::clone(&table), &numbers))}
                />
            }
        </section>
        if let Some(sequence) = sequence {
            <SequenceFacts
                request={Rc::clone(&request)}
                chains={Rc::clone(&chains)}
                {sequence}
                {pick}
            />
            <SequenceResources
                {request}
                chains={Rc::clone(&chains)}
                label={sequence_label(&chains, sequence)}
                {sequence}
            />
        }
        </>
    }
}

/// A click handler for bars whose groups stand for sequences.
fn picking(bars: &Bars, shown: &[&SequenceCosts], pick: &Callback<Sequence>) -> Callback<Spot> {
    let sequences: Vec<Sequence> = shown.iter().map(|costs| costs.sequence).collect();
    let (bars, pick) = (bars.clone(), pick.clone());
    Callback::from(move |spot: Spot| {
        let group = bars.group_at(spot.x, spot.y, spot.width);
        if let Some(sequence) = group.and_then(|group| sequences.get(group)) {
            pick.emit(*sequence);
        }
    })
}

/// The sequence of layers with these names.
fn place_of(chains: &NetworkChains, names: &[String]) -> Option<Sequence> {
    let first = names.first()?;
    chains.chains.iter().enumerate().find_map(|(chain, facts)| {
        let place = facts.layers.iter().position(|name| name == first)?;
        let sequence = Sequence { chain: chain as u32, first: place as u32, end: (place + names.len()) as u32 };
        (chains.names(sequence) == names).then_some(sequence)
    })
}

fn hardware(chains: &NetworkChains) -> String {
    let known = &chains.accelerator;
    let (array, file) = (known.array, known.registers);
    format!(
        "The method walks along convolutions and poolings in a row and fuses as many as fit on the chip, \
         up to {MOST_LAYERS}. It knows a hardware of its own: a row-stationary array of {} × {} PEs, one buffer of {}, \
         and in every PE registers for {} weights, {} inputs and {} sums of 8 bits; energies are those of this design. \
         What temporal fusion chooses is judged by the whole cost model above.",
        array.columns,
        array.rows,
        Quantity::Bytes.text(known.buffer as f64),
        file.weights,
        file.inputs,
        file.sums
    )
}

fn choose_sharing(sharing: Sharing, set: UseStateSetter<Sharing>) -> Html {
    let choices = Sharing::ALL.map(|sharing| ChoiceOption::new(sharing.title(), sharing.title())).to_vec();
    let onchange = Callback::from(move |title: String| {
        Sharing::ALL.into_iter().filter(|sharing| sharing.title() == title).for_each(|sharing| set.set(sharing));
    });
    html! { <Select label="Fusion" {choices} value={sharing.title()} {onchange} testid="sequence-sharing" /> }
}

fn choose_shown(shows_all: bool, set: UseStateSetter<bool>, count: usize) -> Html {
    let choices =
        vec![ChoiceOption::new("chosen", "those chosen"), ChoiceOption::new("all", format!("all {count} that fit"))];
    let onchange = Callback::from(move |value: String| set.set(value == "all"));
    let value = if shows_all { "all" } else { "chosen" };
    html! { <Select label="Show" {choices} {value} {onchange} testid="sequence-shown" /> }
}

/// The fused sequences, and the change that they make to all layers of all chains.
fn headline(explains: &Rc<ExplainedSequences>) -> Html {
    let ExplainedSequences { chains, costs, chosen, .. } = &**explains;
    let number = |number: SequenceNumber, text: String| html! { <Number asked={asked_of(explains, number)} {text} /> };
    let layers: usize = chains.chains.iter().map(|chain| chain.layers.len()).sum();
    let fused: usize = chosen.iter().map(|(sequence, _)| sequence.layers().len()).sum();
    let (apart, together) = (chains.total(costs, &[]), chains.total(costs, chosen));
    let kpi = |of: SequenceQuantity| {
        let (apart, together) = (of.total(apart.as_ref()?), of.total(together.as_ref()?));
        let by = change(Some(apart), Some(together)).unwrap_or_default();
        let name = of.quantity().text(together);
        let title = of.title().to_lowercase().replace("dram", "DRAM");
        let (by, all) =
            (number(SequenceNumber::Change(of), by), SequenceNumber::Of(RunPlace::AllTogether, RunPart::Total(of)));
        Some(html! {
            <div class="kpi"><b>{ by }</b><span>{ format!("{title} of all layers: ") }{ number(all, name) }</span></div>
        })
    };
    let count = if chosen.len() == 1 { "1 sequence".to_owned() } else { format!("{} sequences", chosen.len()) };
    html! {
        <div class="answer" data-testid="sequences-answer">
            <div class="kpi">
                <b>{ count }</b>
                <span>
                    { "fused, " }
                    { number(SequenceNumber::Fused, fused.to_string()) }
                    { format!(" of {layers} layers in chains") }
                </span>
            </div>
            { for SequenceQuantity::ALL.into_iter().filter_map(kpi) }
        </div>
    }
}

/// Title, hint and test id of a figure.
fn explained(of: SequenceQuantity) -> (&'static str, &'static str, &'static str) {
    match of {
        SequenceQuantity::Energy => (
            "Single layers, temporal and spatial fusion",
            "Temporal fusion gives every layer the whole array and a share of each register file, \
             spatial fusion a part of the array and whole register files (Figs. 14 and 15). \
             As published, weights count once even where the last layer holds only some of its maps at a time (eq. \
             6), which favours fusion. Percentages compare with single layers. Click a sequence to look into it below.",
            "sequence-energy",
        ),
        SequenceQuantity::Latency => ("", "", "sequence-latency"),
        SequenceQuantity::Volume => ("", "", "sequence-volume"),
    }
}
