//! One stack of the opened point: its tiles, the memories of every layer-tile's data, and one tile type in depth.

use super::layer_tables::{CopyTable, LayerTileTable};
use crate::app::widgets::figures::figure::{CellExplanations, Drawn, Figure, Spot};
use crate::app::widgets::page::figure_context::use_act;
use crate::app::widgets::words::explain::{ExplainableNumber, number_of};
use crate::app::widgets::words::term::termed;
use crate::chart::{DataSizes, LevelMatrix, Quantity, TileTypeMap, TypeLevels, group_thousands, size_text};
use crate::depth_first::{PointAccount, StackAccount, TileTypeAccount, TileTypeId};
use crate::explain::{Amount, Data, PointNumber, Scope};
use crate::hardware::Operand;
use crate::spec::sentence;
use crate::state::{Action, ViewField};
use std::rc::Rc;
use std::sync::Arc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct StackPanelProps {
    /// The point of the stack.
    pub account: Arc<PointAccount>,
    pub index: usize,
    /// The selected tile type; `None` for the most frequent one.
    pub tile_type: Option<usize>,
}

/// One stack: its tiles, and one tile type in depth.
#[component]
pub fn StackPanel(props: &StackPanelProps) -> Html {
    let act = use_act();
    let account = &*props.account;
    let Some(stack) = account.stacks.get(props.index) else { return html! {} };
    let chosen = props.tile_type.unwrap_or_else(|| most_frequent(stack));
    let Some(tile_type) = stack.tile_types.get(TileTypeId::from(chosen)) else { return html! {} };
    let map = TileTypeMap { selected: Some(chosen), ..TileTypeMap::from_account(stack) };
    let on_click = {
        let (map, act) = (map.clone(), act.clone());
        Callback::from(move |spot: Spot| {
            if let Some(index) = map.type_at(spot.x, spot.y, spot.width) {
                act.emit(Action::Look(ViewField::TileType(Some(index))));
            }
        })
    };
    html! {
        <>
            <section class="card">
                <h2>{ stack_title(account, props.index) }</h2>
                <p class="facts" data-testid="stack-facts">{ stack_facts(&props.account, props.index, stack) }</p>
                <Figure
                    title="Tile types"
                    hint="Tiles of one type behave identically and are computed once. Click one to look into it."
                    chart={Drawn::new(map)}
                    testid="tile-types"
                    {on_click}
                />
            </section>
            <section class="card">
                <h2><span>{ termed("Where the data of every [layer-tile] lies: its [top memory|top memory level]") }</span></h2>
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
                    { type_switch(stack, chosen, &act) }
                </h2>
                <p class="facts">{ type_facts(&props.account, (props.index, chosen), tile_type) }</p>
                <Figure
                    title="Activations against capacities"
                    chart={Drawn::new(DataSizes::from_account(chosen, tile_type, &account.memories))}
                    numbers={size_numbers(&props.account, props.index, chosen, tile_type)}
                    testid="data-sizes"
                />
                { reasons(tile_type) }
                <h3>{ termed("[Layer-tiles|layer-tile]") }</h3>
                <LayerTileTable account={Arc::clone(&props.account)} stack={props.index} tile={chosen} />
                <h3>{ termed("[Data copy actions|data copy action]") }</h3>
                <CopyTable account={Arc::clone(&props.account)} stack={props.index} tile={chosen} />
            </section>
        </>
    }
}

/// The tile type with the most tiles.
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

/// One button per stack, if there are several.
pub fn stack_switch(account: &PointAccount, current: usize, act: &Callback<Action>) -> Html {
    if account.stacks.len() < 2 {
        return html! {};
    }
    let button = |(index, stack): (usize, &StackAccount)| {
        html! {
            <button
                type="button"
                aria-pressed={(index == current).to_string()}
                onclick={act.reform(move |_: MouseEvent| Action::Look(ViewField::Stack(index)))}
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

fn stack_facts(account: &Arc<PointAccount>, index: usize, stack: &StackAccount) -> Html {
    let number = |number: PointNumber, text: String| number_of(Some(account), number, text);
    let of = |amount: Amount| PointNumber::Of(Scope::Stack(index), amount);
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
                onclick={act.reform(move |_: MouseEvent| Action::Look(ViewField::TileType(Some(index))))}
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

fn type_facts(account: &Arc<PointAccount>, (stack, tile): (usize, usize), tile_type: &TileTypeAccount) -> Html {
    let number = |number: PointNumber, text: String| number_of(Some(account), number, text);
    let of = |amount: Amount| PointNumber::Of(Scope::Tile(stack, tile), amount);
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

/// Explanations of the table of activations.
fn size_numbers(
    account: &Arc<PointAccount>,
    stack: usize,
    tile: usize,
    tile_type: &TileTypeAccount,
) -> CellExplanations {
    let asked = |place, data| Some(ExplainableNumber::Point(Arc::clone(account), PointNumber::Size(place, data)));
    let layers = tile_type.layers.iter().enumerate().filter(|(_, layer)| layer.kind.is_some());
    let row = |(layer, _)| {
        let of = |operand| asked([stack, tile, layer], Data::Operand(operand));
        vec![None, of(Operand::I), None, of(Operand::O), None]
    };
    Some(Rc::new(layers.map(row).collect()))
}

/// Top memories; tile types with equal ones form one block.
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
        let tiles: u64 =
            members.iter().filter_map(|&index| stack.tile_types.get(TileTypeId::from(index))).map(|t| t.count).sum();
        format!("types {}: {} tiles", names.join(", "), group_thousands(tiles))
    };
    matrix.types = groups
        .into_iter()
        .map(|(levels, members)| match members.len() {
            1 => levels,
            _ => TypeLevels { title: title(&members), members, ..levels },
        })
        .collect();
    matrix
}

/// The reasons why data is not lower; layers with the same reason are on one line.
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
            { for tile_type.caches.reasons.iter().map(|reason| html! {
                <div class="why"><b>{ "Cached data: " }</b>{ sentence(reason) }</div>
            }) }
            { for groups.into_iter().map(|(reason, layers)| html! {
                <div class="why"><b>{ layers.join(", ") }{ ": " }</b>{ sentence(reason) }</div>
            }) }
        </div>
    }
}
