//! The view of one point in depth: where every pJ and every cycle goes, and why.

use super::answer::tile_text;
use super::diagnostics::{prose, sentence};
use super::explain::{Asked, number_of};
use super::figure::{Drawn, Figure, Numbers, Spot};
use super::layer_tables::{CopyTable, LayerTileTable};
use super::results::{PointState, Results};
use super::state::PageState;
use crate::chart::{
    Accesses, AxisScale, Breakdown, Counted as Shown, DataSizes, LevelMatrix, Quantity, TileTypeMap, TypeLevels,
    group_thousands, size_text, strategy_title, three_digits,
};
use crate::depth_first::{DepthFirstStrategy, FuseDepth, PointAccount, StackAccount, TileTypeAccount};
use crate::explain::{Amount, Cause, Counted, Data, Place, PointNumber, Time};
use crate::hardware::Operand;
use crate::spec::Diagnostics;
use crate::state::{Action, ViewChange};
use std::rc::Rc;
use yew::prelude::*;

/// What a [`ScheduleView`] needs.
#[derive(Properties, PartialEq)]
pub struct ScheduleViewProps {
    /// Everything.
    pub state: Rc<PageState>,
    /// The opened point; `None` while nothing is known.
    pub opened: Option<u32>,
    /// How far the sweep is, as [`super::engine::Engine::status`] says.
    pub status: &'static str,
    /// Hears of every change.
    pub act: Callback<Action>,
}

/// The opened point. What is known of one stays until all is known of the next, so that nothing jumps.
#[component]
pub fn ScheduleView(props: &ScheduleViewProps) -> Html {
    let kept = use_mut_ref(|| None::<(u32, Rc<PageState>)>);
    let is_running = props.status == "running";
    let next = props.opened.filter(|&point| is_settled(&props.state, is_running, point));
    match next {
        Some(point) => *kept.borrow_mut() = Some((point, Rc::clone(&props.state))),
        None if props.opened.is_none() && !is_running => *kept.borrow_mut() = None,
        None => {}
    }
    let is_busy = next.is_none() && props.status != "rejected" && (is_running || props.opened.is_some());
    let (point, body) = match &*kept.borrow() {
        Some((point, state)) => (Some(point.to_string()), point_view(*point, state, &props.act)),
        None => {
            let text = match is_busy {
                true => "Working it out …",
                false => "No point is known yet. The best one appears here, or the one you click in the landscape.",
            };
            (None, html! { <section class="card"><p class="hint">{ text }</p></section> })
        }
    };
    let is_old = is_busy && point.is_some();
    html! {
        <div
            class={is_old.then_some("old")}
            aria-busy={is_busy.then_some("true")}
            data-testid="schedule-view"
            data-point={point}
        >
            { body }
        </div>
    }
}

/// Whether all that can be known of a point is.
fn is_settled(state: &PageState, is_running: bool, point: u32) -> bool {
    let results = &*state.results;
    if is_running && !(state.is_answered() && results.is_chosen(point, state.chosen.view.point.as_ref())) {
        return false;
    }
    match results.points.get(point as usize) {
        Some(PointState::Done(_)) => results.accounts.contains_key(&point),
        Some(PointState::Infeasible(_) | PointState::Failed(_)) => true,
        _ => !is_running,
    }
}

fn point_view(point: u32, state: &Rc<PageState>, act: &Callback<Action>) -> Html {
    let results = &*state.results;
    let Some(strategy) = results.strategy(point) else { return html! {} };
    let body = match (results.points.get(point as usize), results.accounts.get(&point)) {
        (_, Some(account)) => {
            html! { <Account account={Rc::clone(account)} state={Rc::clone(state)} act={act.clone()} /> }
        }
        (Some(PointState::Infeasible(reasons)), _) => why_not(reasons),
        (Some(PointState::Failed(reason)), _) => html! {
            <section class="card"><h2>{ "Workers failed on this point" }</h2><p>{ reason.to_string() }</p></section>
        },
        _ => html! { <section class="card"><p class="hint">{ "Not computed yet." }</p></section> },
    };
    html! {
        <>
            { heading(results, strategy, point, results.best == Some(point), act) }
            { body }
        </>
    }
}

fn heading(
    results: &Results,
    strategy: &DepthFirstStrategy,
    point: u32,
    is_best: bool,
    act: &Callback<Action>,
) -> Html {
    let summary = results.summary(point);
    let account = results.accounts.get(&point);
    let number = |amount: Amount, text: String| number_of(account, PointNumber::Of(Place::Point, amount), text);
    let dram = account.map_or(0, |account| account.memories.len().saturating_sub(1));
    let open = |index: Option<u32>, title: &'static str, testid: &'static str| {
        let strategy = index.filter(|&index| index != point).and_then(|index| results.strategy(index)).cloned();
        strategy.map(|strategy| {
            let onclick = act.reform(move |_: MouseEvent| Action::Look(ViewChange::Open(strategy.clone())));
            html! { <button type="button" {onclick} data-testid={testid}>{ title }</button> }
        })
    };
    html! {
        <section class="card opened">
            <div class="answer">
                <div class="kpi" data-testid="opened-tile">
                    <b>{ tile_text(strategy) }</b>
                    <span>
                        { match strategy.fuse {
                            FuseDepth::LayerByLayer => "layer-by-layer".to_owned(),
                            _ => format!("{} · fuse depth {}", strategy.mode.title(), fuse_title(&strategy.fuse)),
                        } }
                        if is_best { { " · " }<em>{ "best of the sweep" }</em> }
                    </span>
                </div>
                if let Some(summary) = summary {
                    <div class="kpi" data-testid="opened-energy" data-energy-pj={summary.energy_pj.to_string()}>
                        <b>{ number(Amount::Energy, Quantity::Energy.text(summary.energy_pj)) }</b><span>{ "energy" }</span>
                    </div>
                    <div class="kpi" data-testid="opened-latency" data-latency-cycles={summary.latency_cycles.to_string()}>
                        <b>{ number(Amount::Cycles, Quantity::Latency.text(summary.latency_cycles as f64)) }</b>
                        <span>
                            { "latency · MAC use " }
                            { account.map(|known| {
                                let used = known.latency.ideal_cycles as f64 / known.latency_cycles.max(1) as f64;
                                number_of(account, PointNumber::MacUse, format!("{} %", three_digits(100.0 * used)))
                            }) }
                        </span>
                    </div>
                    <div class="kpi">
                        <b>{ number(Amount::Macs, Quantity::Macs.text(summary.macs as f64)) }</b>
                        <span>
                            { number(
                                Amount::At(Counted::Words, dram, None),
                                Quantity::DramAccesses.text(summary.dram_words)
                            ) }
                            { " of DRAM" }
                        </span>
                    </div>
                }
            </div>
            <div class="row">
                { open(results.best, "Best of the sweep", "open-best") }
                { open(results.reference(&FuseDepth::SingleLayer), "Single-layer", "open-single-layer") }
                { open(results.reference(&FuseDepth::LayerByLayer), "Layer-by-layer", "open-layer-by-layer") }
            </div>
        </section>
    }
}

/// Why a point cannot be scheduled.
fn why_not(reasons: &Diagnostics) -> Html {
    html! {
        <section class="card" data-testid="why-not">
            <h2>{ "Why this does not fit" }</h2>
            { for reasons.0.iter().map(|reason| html! {
                <div class="why">
                    if !reason.path.is_empty() { <b>{ &reason.path }{ ": " }</b> }
                    { prose(&sentence(&reason.reason)) }{ " " }<span class="remedy">{ prose(&sentence(&reason.remedy)) }</span>
                </div>
            }) }
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct AccountProps {
    account: Rc<PointAccount>,
    state: Rc<PageState>,
    act: Callback<Action>,
}

#[component]
fn Account(props: &AccountProps) -> Html {
    let account = &*props.account;
    let view = &props.state.chosen.view;
    let last_stack = account.stacks.len().saturating_sub(1);
    let stack_index = view.stack.min(last_stack);
    let label = strategy_title(&account.strategy);
    let bars = [(label, account)];
    let asked = |amount: Amount| Asked::Point(Rc::clone(&props.account), PointNumber::Of(Place::Point, amount));
    let cells = |amounts: Vec<Option<Amount>>| {
        let row = amounts.into_iter().map(|amount| amount.map(asked));
        Some(Rc::new(vec![std::iter::once(None).chain(row).collect()]))
    };
    let energy = [Cause::Activation, Cause::Weight, Cause::Copy, Cause::Mac].map(|cause| Some(Amount::EnergyOf(cause)));
    let waits = [Time::Stall, Time::Loading, Time::Offloading, Time::Copy].map(|time| Some(Amount::CyclesOf(time)));
    let busy = [Time::Ideal, Time::Idle].map(|time| Some(Amount::CyclesOf(time)));
    let latency = busy.into_iter().chain(waits);
    let energy = cells(energy.into_iter().chain([Some(Amount::Energy)]).collect());
    let latency = cells(latency.chain([Some(Amount::Cycles)]).collect());
    html! {
        <>
            <div class="two">
                <section class="card">
                    <h2>{ "Energy and latency by cause" }</h2>
                    <Figure title="" chart={Drawn::new(Breakdown::energy(&bars))} numbers={energy} testid="energy-by-cause" />
                    <Figure title="" chart={Drawn::new(Breakdown::latency(&bars))} numbers={latency} testid="latency-by-cause" />
                </section>
                <AccessCard account={Rc::clone(&props.account)} />
            </div>
            if let Some(stack) = account.stacks.get(stack_index) {
                <StackPanel
                    account={Rc::clone(&props.account)}
                    index={stack_index}
                    tile_type={view.tile_type.filter(|&index| index < stack.tile_types.len())}
                    act={props.act.clone()}
                />
            }
        </>
    }
}

#[derive(Properties, PartialEq)]
struct AccessCardProps {
    account: Rc<PointAccount>,
}

/// Accesses of each memory by cause (DeFiNES, Fig. 14).
#[component]
fn AccessCard(props: &AccessCardProps) -> Html {
    let counted = use_state_eq(|| Shown::Elements);
    let button = |choice: Shown, title: &'static str| {
        let (pressed, counted) = ((*counted == choice).to_string(), counted.clone());
        let onclick = Callback::from(move |_: MouseEvent| counted.set(choice));
        html! { <button type="button" aria-pressed={pressed} {onclick}>{ title }</button> }
    };
    html! {
        <section class="card">
            <h2>{ "Accesses of each memory" }</h2>
            <div class="segments" role="group" aria-label="What is counted">
                { button(Shown::Elements, "data elements") }
                { button(Shown::Words, "full words") }
            </div>
            <Figure
                title=""
                chart={Drawn::new(Accesses::from_account(&props.account, *counted, AxisScale::Log))}
                numbers={access_numbers(&props.account, *counted)}
                testid="accesses"
            />
        </section>
    }
}

/// What explains the cells of the table of accesses, whose first row is the highest memory.
fn access_numbers(account: &Rc<PointAccount>, shown: Shown) -> Numbers {
    let counted = if shown == Shown::Words { Counted::Words } else { Counted::Elements };
    let causes = [Cause::Activation, Cause::Weight, Cause::Copy].map(Some).into_iter().chain([None]);
    let row = |memory: usize| {
        let amounts = causes.clone().map(|cause| PointNumber::Of(Place::Point, Amount::At(counted, memory, cause)));
        let cells = amounts.map(|number| Some(Asked::Point(Rc::clone(account), number)));
        std::iter::once(None).chain(cells).collect()
    };
    Some(Rc::new((0..account.memories.len()).rev().map(row).collect()))
}

/// What explains the cells of the table of activations.
fn size_numbers(account: &Rc<PointAccount>, stack: usize, tile: usize, tile_type: &TileTypeAccount) -> Numbers {
    let asked = |place, data| Some(Asked::Point(Rc::clone(account), PointNumber::Size(place, data)));
    let layers = tile_type.layers.iter().enumerate().filter(|(_, layer)| layer.kind.is_some());
    let row = |(layer, _)| {
        let of = |operand| asked([stack, tile, layer], Data::Operand(operand));
        vec![None, of(Operand::I), None, of(Operand::O), None]
    };
    Some(Rc::new(layers.map(row).collect()))
}

#[derive(Properties, PartialEq)]
struct StackPanelProps {
    account: Rc<PointAccount>,
    index: usize,
    tile_type: Option<usize>,
    act: Callback<Action>,
}

/// One stack: its tiles, and one tile type in depth.
#[component]
fn StackPanel(props: &StackPanelProps) -> Html {
    let account = &*props.account;
    let Some(stack) = account.stacks.get(props.index) else { return html! {} };
    let chosen = props.tile_type.unwrap_or_else(|| most_frequent(stack));
    let Some(tile_type) = stack.tile_types.get(chosen) else { return html! {} };
    let map = TileTypeMap { selected: Some(chosen), ..TileTypeMap::from_account(stack) };
    let on_click = {
        let (map, act) = (map.clone(), props.act.clone());
        Callback::from(move |spot: Spot| {
            if let Some(index) = map.type_at(spot.x, spot.y, spot.width) {
                act.emit(Action::Look(ViewChange::TileType(index)));
            }
        })
    };
    html! {
        <>
            <section class="card">
                <h2>{ stack_title(account, props.index) }</h2>
                { stack_switch(account, props.index, &props.act) }
                <p class="facts" data-testid="stack-facts">{ stack_facts(&props.account, props.index, stack) }</p>
                <Figure
                    title="Tile types"
                    hint="Tiles of one colour behave identically and are computed once. Click one to look into it."
                    chart={Drawn::new(map)}
                    testid="tile-types"
                    {on_click}
                />
            </section>
            <section class="card">
                <h2>{ "Where the data of every layer-tile lies" }</h2>
                <Figure
                    title=""
                    chart={Drawn::new(levels(account, stack))}
                    testid="top-memories"
                />
            </section>
            <section class="card">
                <h2>
                    { match stack.tile_types.len() {
                        1 if stack.tile_count == 1 => "The only tile".to_owned(),
                        1 => "The only tile type".to_owned(),
                        count => format!("Tile type {} of {count}", chosen + 1),
                    } }
                    { type_switch(stack, chosen, &props.act) }
                </h2>
                <p class="facts">{ type_facts(&props.account, (props.index, chosen), tile_type) }</p>
                <Figure
                    title="Activations against capacities"
                    chart={Drawn::new(DataSizes::from_account(chosen, tile_type, &account.memories))}
                    numbers={size_numbers(&props.account, props.index, chosen, tile_type)}
                    testid="data-sizes"
                />
                { reasons(tile_type) }
                <h3>{ "Layer-tiles" }</h3>
                <LayerTileTable account={Rc::clone(&props.account)} stack={props.index} tile={chosen} />
                <h3>{ "Data copy actions" }</h3>
                <CopyTable account={Rc::clone(&props.account)} stack={props.index} tile={chosen} />
            </section>
        </>
    }
}

/// The tile type that most tiles are of.
fn most_frequent(stack: &StackAccount) -> usize {
    let counts = stack.tile_types.iter().map(|tile_type| tile_type.count).enumerate();
    counts.max_by_key(|&(index, count)| (count, std::cmp::Reverse(index))).map_or(0, |(index, _)| index)
}

fn stack_title(account: &PointAccount, index: usize) -> String {
    match account.stacks.len() {
        1 => "One stack".to_owned(),
        count => format!("Stack {} of {count}", index + 1),
    }
}

fn stack_switch(account: &PointAccount, current: usize, act: &Callback<Action>) -> Html {
    if account.stacks.len() < 2 {
        return html! {};
    }
    let button = |(index, stack): (usize, &StackAccount)| {
        html! {
            <button
                type="button"
                aria-pressed={(index == current).to_string()}
                onclick={act.reform(move |_: MouseEvent| Action::Look(ViewChange::Stack(index)))}
                title={stack.layers.join(", ")}
                data-testid={format!("stack-{}", index + 1)}
            >
                { index + 1 }<small>{ Quantity::Energy.text(stack.energy_pj) }</small>
            </button>
        }
    };
    html! {
        <div class="segments" role="group" aria-label="Which stack">{ for account.stacks.iter().enumerate().map(button) }</div>
    }
}

fn stack_facts(account: &Rc<PointAccount>, index: usize, stack: &StackAccount) -> Html {
    let number = |number: PointNumber, text: String| number_of(Some(account), number, text);
    let of = |amount: Amount| PointNumber::Of(Place::Stack(index), amount);
    let weights = match (&stack.weight_memory, stack.weight_bits) {
        (_, 0) => "no weights".to_owned(),
        (Some(memory), bits) => format!("{} of weights, kept in {memory} after the first tile", size_text(bits)),
        (None, bits) => format!("{} of weights", size_text(bits)),
    };
    let tiles = if stack.tile_count == 1 { "tile" } else { "tiles" };
    let types = match stack.tile_types.len() {
        1 if stack.tile_count == 1 => String::new(),
        1 => " of one type".to_owned(),
        count => format!(" of {count} types"),
    };
    let share = 100.0 * stack.energy_pj / account.energy_pj.max(f64::MIN_POSITIVE);
    let (columns, rows) = stack.output_size;
    html! {
        <>
            { format!("{} · last map {columns} × {rows} · ", stack.layers.join(" → ")) }
            { number(PointNumber::Tiles(index), group_thousands(stack.tile_count)) }
            { format!(" {tiles}{types} · {weights} · ") }
            { number(of(Amount::Energy), Quantity::Energy.text(stack.energy_pj)) }
            { format!(" ({share:.0} % of all), ") }
            { number(of(Amount::Cycles), Quantity::Latency.text(stack.latency_cycles as f64)) }
        </>
    }
}

fn type_switch(stack: &StackAccount, current: usize, act: &Callback<Action>) -> Html {
    if stack.tile_types.len() < 2 {
        return html! {};
    }
    let step = |to: Option<usize>, text: &'static str, label: &'static str, testid: &'static str| {
        let index = to.unwrap_or(current);
        html! {
            <button
                type="button"
                class="small"
                disabled={to.is_none()}
                onclick={act.reform(move |_: MouseEvent| Action::Look(ViewChange::TileType(index)))}
                aria-label={label}
                data-testid={testid}
            >
                { text }
            </button>
        }
    };
    let next = Some(current + 1).filter(|&next| next < stack.tile_types.len());
    html! {
        <span class="stepper">
            { step(current.checked_sub(1), "‹", "Tile type before", "tile-type-before") }
            { step(next, "›", "Next tile type", "tile-type-next") }
        </span>
    }
}

fn type_facts(account: &Rc<PointAccount>, (stack, tile): (usize, usize), tile_type: &TileTypeAccount) -> Html {
    let number = |number: PointNumber, text: String| number_of(Some(account), number, text);
    let of = |amount: Amount| PointNumber::Of(Place::Tile(stack, tile), amount);
    let (x, y) = tile_type.size;
    let tiles = if tile_type.count == 1 { "tile" } else { "tiles" };
    let share = 100.0 * tile_type.energy_pj * tile_type.count as f64 / account.energy_pj.max(f64::MIN_POSITIVE);
    let weights = if tile_type.weights_from_top { ", weights come from their highest memory" } else { "" };
    let caches: Vec<String> = [
        (&tile_type.caches.h_read, "columns of the left neighbour from"),
        (&tile_type.caches.h_write, "columns for the right neighbour to"),
        (&tile_type.caches.v_read, "rows of the upper neighbour from"),
        (&tile_type.caches.v_write, "rows for the lower neighbour to"),
    ]
    .into_iter()
    .filter_map(|(memory, what)| Some(format!("{what} {}", memory.as_ref()?)))
    .collect();
    let caches = if caches.is_empty() { String::new() } else { format!(" · caches {}", caches.join(", ")) };
    let (from_x, from_y) = tile_type.first_position;
    html! {
        <>
            { format!("{x} × {y}, ") }
            { number(PointNumber::TilesOf(stack, tile), group_thousands(tile_type.count)) }
            { format!(" {tiles} from ({from_x}, {from_y}) on{weights} · ") }
            { number(of(Amount::Energy), Quantity::Energy.text(tile_type.energy_pj)) }
            { " and " }
            { number(of(Amount::Cycles), Quantity::Latency.text(tile_type.latency_cycles as f64)) }
            { format!(" a tile ({share:.0} % of all energy){caches}") }
        </>
    }
}

/// Top memories, with tile types that agree in all of them in one block.
fn levels(account: &PointAccount, stack: &StackAccount) -> LevelMatrix {
    let mut matrix = LevelMatrix::from_account(stack, &account.memories);
    let mut groups: Vec<(TypeLevels, Vec<usize>)> = Vec::new();
    for (index, levels) in matrix.types.drain(..).enumerate() {
        match groups.iter_mut().find(|(group, _)| group.layers == levels.layers) {
            Some((_, members)) => members.push(index),
            None => groups.push((levels, vec![index])),
        }
    }
    let title = |members: &[usize]| {
        let names: Vec<String> = members.iter().map(|index| (index + 1).to_string()).collect();
        let tiles: u64 = members.iter().filter_map(|&index| stack.tile_types.get(index)).map(|t| t.count).sum();
        format!("types {}: {} tiles", names.join(", "), group_thousands(tiles))
    };
    matrix.types = groups
        .into_iter()
        .map(|(levels, members)| match members.len() {
            1 => levels,
            _ => TypeLevels { title: title(&members), ..levels },
        })
        .collect();
    matrix
}

/// Why data is not lower, with layers of which the same is true in one line.
fn reasons(tile_type: &TileTypeAccount) -> Html {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for layer in &tile_type.layers {
        for reason in &layer.reasons {
            match groups.iter_mut().find(|(other, _)| other == reason) {
                Some((_, layers)) => layers.push(&layer.layer),
                None => groups.push((reason, vec![&layer.layer])),
            }
        }
    }
    html! {
        <div class="reasons" data-testid="reasons">
            { for tile_type.caches.reasons.iter().map(|reason| html! { <div class="why"><b>{ "Cached data: " }</b>{ sentence(reason) }</div> }) }
            { for groups.into_iter().map(|(reason, layers)| html! {
                <div class="why"><b>{ layers.join(", ") }{ ": " }</b>{ sentence(reason) }</div>
            }) }
        </div>
    }
}

/// For a person: `automatic`.
fn fuse_title(fuse: &FuseDepth) -> String {
    match fuse {
        FuseDepth::Automatic => "automatic".to_owned(),
        other => other.to_string(),
    }
}
