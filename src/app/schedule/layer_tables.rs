//! Tables of the layer-tiles of a tile type: sizes, cost and stalls.

use crate::app::design::hardware_card::badge;
use crate::app::widgets::figures::data_table::{table_cells, table_head};
use crate::app::widgets::figures::save::{FileContent, Save};
use crate::app::widgets::words::explain::number_of;
use crate::chart::{TableCell, copy_table, layer_tile_table, top_memories};
use crate::cost::LatencyCause;
use crate::depth_first::{LayerTileAccount, PointAccount, TileTypeId};
use crate::explain::{Amount, LayerTileIndex, PointNumber, Scope, SizeAxis};
use crate::hardware::Operand;
use std::rc::Rc;
use std::sync::Arc;
use yew::prelude::*;

#[derive(Properties)]
pub struct TileTypeProps {
    /// The point.
    pub account: Arc<PointAccount>,
    /// Index of the stack.
    pub stack: usize,
    /// Index of the tile type.
    pub tile: usize,
}

impl PartialEq for TileTypeProps {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.account, &other.account) && (self.stack, self.tile) == (other.stack, other.tile)
    }
}

impl TileTypeProps {
    fn layers(&self) -> &[LayerTileAccount] {
        let tile_type =
            self.account.stacks.get(self.stack).and_then(|stack| stack.tile_types.get(TileTypeId::from(self.tile)));
        tile_type.map_or(&[][..], |tile_type| &tile_type.layers.raw)
    }

    /// Index of a layer-tile, for explanations of its numbers.
    fn place(&self, layer: usize) -> LayerTileIndex {
        [self.stack, self.tile, layer]
    }

    fn number(&self, number: PointNumber, text: String) -> Html {
        number_of(Some(&self.account), number, text)
    }
}

/// One row per layer of the tile type.
#[component]
pub fn LayerTileTable(props: &TileTypeProps) -> Html {
    let layers = props.layers();
    let table = Rc::new(layer_tile_table(layers));
    let row = |index: usize| {
        let layer = &layers[index];
        let content =
            |column: usize| layer_cell(props, props.place(index), layer, column, table.rows[index][column].text());
        html! { <tr>{ table_cells(&table, index, &content) }</tr> }
    };
    html! {
        <div class="scroll" tabindex="0" role="group" aria-label="Layer-tiles">
            <table data-testid="layer-tiles">
                <caption>{ &table.caption }</caption>
                { table_head(&table) }
                <tbody>{ for (0..layers.len()).map(row) }</tbody>
            </table>
            <Save what={FileContent::Table(table)} />
        </div>
    }
}

/// A cell with further details.
fn layer_cell(
    props: &TileTypeProps,
    place: LayerTileIndex,
    layer: &LayerTileAccount,
    column: usize,
    text: &str,
) -> Option<Html> {
    let of = |amount: Amount| PointNumber::Of(Scope::Layer(place), amount);
    let map = |(x, y, channels): (u64, u64, u64), number: fn(LayerTileIndex, SizeAxis) -> PointNumber| {
        html! {
            <>
                { props.number(number(place, SizeAxis::Columns), x.to_string()) }{ " × " }
                { props.number(number(place, SizeAxis::Rows), y.to_string()) }{ format!(" × {channels}") }
            </>
        }
    };
    let needs = |(index, &input): (usize, &(u64, u64, u64))| {
        // For a view, the sizes of its input are of interest, not the window.
        let (x, y, channels) = input;
        let is_window = (x, y) == layer.window;
        let text = if is_window {
            map(input, PointNumber::Needed)
        } else {
            html! { format!("{x} × {y} × {channels}") }
        };
        html! { <>{ if index > 0 { " + " } else { "" } }{ text }</> }
    };
    let number = match column {
        2 => return Some(map(layer.output, PointNumber::Computed)),
        3 => return Some(layer.inputs.iter().enumerate().map(needs).collect()),
        4 => {
            let one = |(operand, memory): (Operand, &str)| html! { <span>{ badge(operand) }{ memory }</span> };
            return Some(html! { <div class="tops">{ for top_memories(&layer.top_memory).map(one) }</div> });
        }
        _ if layer.cost.is_none() => return None,
        5 => of(Amount::MappedEnergy),
        6 => of(Amount::MappedCycles),
        7 => of(Amount::Waiting),
        8 => PointNumber::PesUsed(place),
        _ => return None,
    };
    Some(props.number(number, text.to_owned()))
}

/// The data copy actions of one tile.
#[component]
pub fn CopyTable(props: &TileTypeProps) -> Html {
    let table = Rc::new(copy_table(props.layers()));
    if table.rows.is_empty() {
        return html! { <p class="hint">{ "None: all data is already where it is needed." }</p> };
    }
    let mut first = 0;
    let mut rows = Vec::new();
    for (layer, account) in props.layers().iter().enumerate() {
        let count = account.copies.actions.len();
        rows.extend(
            (0..count).map(|action| copy_row(props, props.place(layer), &table.rows[first + action], (action, count))),
        );
        first += count;
    }
    html! {
        <div class="scroll" tabindex="0" role="group" aria-label="Data copy actions">
            <table data-testid="copies">
                <caption>{ &table.caption }</caption>
                { table_head(&table) }
                <tbody>{ rows }</tbody>
            </table>
            <Save what={FileContent::Table(table)} />
        </div>
    }
}

/// One of the actions before a layer; cells common to all of them are printed once.
fn copy_row(props: &TileTypeProps, place: LayerTileIndex, cells: &[TableCell], (index, count): (usize, usize)) -> Html {
    let text = |column: usize| cells[column].text().to_owned();
    let wait = PointNumber::Of(Scope::Layer(place), Amount::CyclesOf(LatencyCause::Copy));
    html! {
        <tr>
            if index == 0 {
                <th scope="rowgroup" rowspan={count.to_string()}>{ text(0) }</th>
            }
            <td>{ text(1) }</td>
            <td>{ text(2) }</td>
            <td class="number">{ text(3) }</td>
            <td>{ text(4) }</td>
            <td class="number">{ props.number(PointNumber::CopyCycles(place, index), text(5)) }</td>
            <td class="number">{ props.number(PointNumber::CopyEnergy(place, index), text(6)) }</td>
            if index == 0 {
                <td class="number" rowspan={count.to_string()}>{ props.number(wait, text(7)) }</td>
            }
        </tr>
    }
}
