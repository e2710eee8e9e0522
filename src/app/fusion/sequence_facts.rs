//! One sequence in depth: the data that it keeps on the chip, and how its layers share the array.

use super::findings::use_findings;
use super::numbers::listed_numbers;
use crate::app::widgets::figures::data_table::plain_table;
use crate::app::widgets::figures::figure::{Drawn, Figure, Spot, made};
use crate::app::widgets::forms::controls::{ChoiceOption, Select};
use crate::chart::{
    partition_scatter, pruning, reuse_bars, sequence_label, sequence_shares, storage_bars, traffic_bars,
};
use crate::explain::{explain_reuse, explain_storage, explain_traffic, listed_partitions};
use crate::explore::{
    MOST_PARTITIONS, NetworkChains, Request, Sequence, SequenceFinding, SequencePartitions, SequenceQuestion,
    SequenceRequirements,
};
use crate::interlayer::{FusionMode, MOST_LAYERS};
use crate::question::Channel;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct SequenceFactsProps {
    pub request: Rc<Request>,
    /// All chains.
    pub chains: Rc<NetworkChains>,
    pub sequence: Sequence,
    /// Called with another sequence.
    pub pick: Callback<Sequence>,
}

/// The chosen sequence.
#[component]
pub fn SequenceFacts(props: &SequenceFactsProps) -> Html {
    let (chains, sequence) = (&props.chains, props.sequence);
    let questions = vec![
        SequenceQuestion::Costs(sequence),
        SequenceQuestion::Needs(sequence),
        SequenceQuestion::Partitions(sequence),
    ];
    let findings = use_findings(Channel::SequenceFacts, &props.request, questions);
    let side = use_state_eq(|| 8_u64);
    let is_running = findings.status() == "running";
    let shown: Vec<&SequenceFinding> = findings.shown().collect();
    let details = match shown.as_slice() {
        [SequenceFinding::Costs(costs), SequenceFinding::Needs(needs), SequenceFinding::Partitions(partitions)] => {
            let fits = FusionMode::ALL.iter().any(|mode| costs.in_mode(*mode).is_some());
            html! {
                <>
                if !fits {
                    <p class="hint" data-testid="sequence-misfit">{ "These layers do not fit on the chip together." }</p>
                }
                { storage(needs, chains, &props.pick) }
                { reuse(needs, *side, side.setter()) }
                <h3>{ "Who has what of the hardware" }</h3>
                <div class="scroll" tabindex="0" role="group" aria-label="Shares of the hardware" data-testid="sequence-shares">
                    { plain_table(sequence_shares(chains, costs)) }
                </div>
                { partition(chains, partitions.as_ref()) }
                </>
            }
        }
        _ => html! {},
    };
    html! {
        <section
            class="card"
            data-testid="sequence-facts"
            data-status={findings.status()}
            aria-busy={is_running.then_some("true")}
        >
            <h2>{ format!("One sequence: {}", sequence_label(chains, sequence)) }</h2>
            { choices(chains, sequence, &props.pick) }
            { findings.progress() }
            <div class={is_running.then_some("old")}>{ details }</div>
        </section>
    }
}

/// Choices of the first and the last layer of the sequence.
fn choices(chains: &NetworkChains, at_hand: Sequence, pick: &Callback<Sequence>) -> Html {
    let Some(chain) = chains.chains.get(at_hand.chain as usize) else { return html! {} };
    let numbered = |places: std::ops::Range<usize>| -> Vec<ChoiceOption> {
        let name = |place: usize| chain.layers.get(place).cloned().unwrap_or_default();
        places.map(|place| ChoiceOption::new(place.to_string(), name(place))).collect()
    };
    let (first, end, count) = (at_hand.first as usize, at_hand.end as usize, chain.layers.len());
    let number = |value: &str| value.parse::<u32>().ok();
    let of_chain =
        pick.reform(move |value: String| number(&value).map_or(at_hand, |chain| Sequence { chain, first: 0, end: 2 }));
    let from = pick.reform(move |value: String| {
        let length = end - first;
        number(&value).map_or(at_hand, |first| Sequence {
            first,
            end: (first + length as u32).min(count as u32),
            ..at_hand
        })
    });
    let to =
        pick.reform(move |value: String| number(&value).map_or(at_hand, |last| Sequence { end: last + 1, ..at_hand }));
    let fusable = chains.chains.iter().enumerate().filter(|(_, chain)| chain.layers.len() > 1);
    let chain_choices: Vec<ChoiceOption> = fusable
        .map(|(index, chain)| {
            let ends = [chain.layers.first(), chain.layers.last()].map(|name| name.cloned().unwrap_or_default());
            ChoiceOption::new(index.to_string(), format!("{} – {}", ends[0], ends[1]))
        })
        .collect();
    html! {
        <div class="fields">
            if chain_choices.len() > 1 {
                <Select
                    label="Chain"
                    choices={chain_choices}
                    value={at_hand.chain.to_string()}
                    onchange={of_chain}
                    testid="sequence-chain"
                />
            }
            <Select
                label="From"
                choices={numbered(0..count - 1)}
                value={first.to_string()}
                onchange={from}
                testid="sequence-from"
            />
            <Select
                label="To"
                choices={numbered(first + 1..count.min(first + MOST_LAYERS))}
                value={(end - 1).to_string()}
                onchange={to}
                testid="sequence-to"
            />
        </div>
    }
}

fn storage(needs: &SequenceRequirements, chains: &NetworkChains, pick: &Callback<Sequence>) -> Html {
    let bars = storage_bars(needs, chains.accelerator.buffer);
    let on_click = {
        let (bars, at_hand, pick) = (bars.clone(), needs.sequence, pick.clone());
        Callback::from(move |spot: Spot| {
            // A single layer is not a sequence.
            if let Some(layers @ 1..) = bars.group_at(spot.x, spot.y, spot.width) {
                pick.emit(Sequence { end: at_hand.first + layers as u32 + 1, ..at_hand });
            }
        })
    };
    html! {
        <>
        <Figure
            title="Storage, as more layers are fused"
            hint="The least that has to be on the chip: the input tiles, weights and reuse buffers of all layers for a \
                  tile of one pixel of the last, with all its maps (Fig. 12, Section 5.1). \
                  Bold is the sequence at hand; click a bar to fuse so many. A longer tile, or fewer maps at a time, \
                  changes what fits."
            chart={Drawn::new(bars)}
            numbers={made(explain_storage(needs))}
            testid="sequence-storage"
            {on_click}
        />
        <Figure
            title=""
            chart={Drawn::new(traffic_bars(needs))}
            numbers={made(explain_traffic(needs))}
            testid="sequence-traffic"
        />
        </>
    }
}

fn reuse(needs: &SequenceRequirements, side: u64, set: UseStateSetter<u64>) -> Html {
    let sides = needs.by_count.get(1).map(|need| need.reuse.iter().map(|reuse| reuse.side).collect::<Vec<_>>());
    let sides = sides.unwrap_or_default();
    let side = sides.iter().copied().rfind(|known| *known <= side).unwrap_or(1);
    let choices: Vec<ChoiceOption> =
        sides.iter().map(|side| ChoiceOption::new(side.to_string(), format!("{side} × {side}"))).collect();
    let onchange = Callback::from(move |value: String| {
        if let Ok(side) = value.parse() {
            set.set(side);
        }
    });
    html! {
        <Figure
            title="Reuse buffers against Alwani et al."
            hint="What waits on the chip until the next row of tiles of the last layer, so that nothing is computed \
                  twice. Alwani et al. keep what the very next tile reads in buffers, too, where here it stays in the \
                  tile's own (Fig. 13)."
            chart={Drawn::new(reuse_bars(needs, side))}
            numbers={made(explain_reuse(needs, side))}
            testid="sequence-reuse"
        >
            <div class="fields">
                <Select label="Tile" {choices} value={side.to_string()} {onchange} testid="reuse-tile" />
            </div>
        </Figure>
    }
}

fn partition(chains: &Rc<NetworkChains>, partitions: Option<&SequencePartitions>) -> Html {
    let Some(partitions) = partitions else {
        return html! {
            <p class="hint" data-testid="sequence-pruning">
                { "There is no partition of the array: spatial fusion takes at most 4 layers, each on a part no narrower than its kernel." }
            </p>
        };
    };
    let [considered, wide_enough, placed] = pruning(partitions);
    let rest = if partitions.costs.len() == MOST_PARTITIONS { "; the best of them are shown" } else { "" };
    let tile = &partitions.tile;
    html! {
        <>
        <p class="hint" data-testid="sequence-pruning">
            { format!(
                "Of {considered} ways to give every layer a part whose sides divide the array's, \
                 {wide_enough} have room for the kernels and {placed} lie side by side (where there are many, \
                 only those in which no part can grow). {} have a mapping{rest}.",
                partitions.costs.len()
            ) }
        </p>
        <Figure
            title="Partitions of the array"
            hint={format!(
                "Every partition for tiles of {} × {} pixels and {} maps of the last layer; \
                 spatial fusion takes the one of the fewest cycles, which stands out (Table 6).",
                tile.columns, tile.rows, tile.output_maps
            )}
            chart={Drawn::new(partition_scatter(partitions))}
            numbers={listed_numbers(listed_partitions(chains, partitions))}
            testid="sequence-partitions"
        />
        </>
    }
}
