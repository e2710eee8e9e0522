//! What every layer-tile of a tile type is, costs and waits for, as tables.

use super::explain::number_of;
use super::hardware_card::{badge, size_text};
use super::save::SaveTable;
use crate::chart::{Quantity, group_thousands, three_digits};
use crate::depth_first::{CopyActionAccount, LayerTileAccount, PointAccount, TopMemory};
use crate::explain::{Amount, Axis, LayerPlace, Place, PointNumber, Time};
use crate::hardware::Operand;
use crate::mapping::TemporalLoop;
use std::rc::Rc;
use yew::prelude::*;

/// What the tables need.
#[derive(Properties)]
pub struct TileTypeProps {
    /// The point.
    pub account: Rc<PointAccount>,
    /// Index of the stack.
    pub stack: usize,
    /// Index of the tile type.
    pub tile: usize,
}

impl PartialEq for TileTypeProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.account, &other.account) && (self.stack, self.tile) == (other.stack, other.tile)
    }
}

impl TileTypeProps {
    /// The layers of the tile, with the places by which their numbers are explained.
    fn layers(&self) -> Vec<(LayerPlace, &LayerTileAccount)> {
        let tile_type = self.account.stacks.get(self.stack).and_then(|stack| stack.tile_types.get(self.tile));
        let layers = tile_type.map_or(&[][..], |tile_type| &tile_type.layers).iter().enumerate();
        layers.map(|(index, layer)| ([self.stack, self.tile, index], layer)).collect()
    }
}

/// The layers of one tile.
#[component]
pub fn LayerTileTable(props: &TileTypeProps) -> Html {
    html! {
        <div class="scroll" tabindex="0" role="group" aria-label="Layer-tiles">
            <table data-testid="layer-tiles">
                <caption>{ "Sizes are those of one tile; costs leave out data copies." }</caption>
                <thead>
                    <tr>
                        <th scope="col">{ "layer" }</th>
                        <th scope="col">{ "type" }</th>
                        <th scope="col" class="number">{ "computes" }</th>
                        <th scope="col" class="number">{ "needs" }</th>
                        <th scope="col">{ "top memory" }</th>
                        <th scope="col" class="number">{ "energy" }</th>
                        <th scope="col" class="number">{ "cycles" }</th>
                        <th scope="col" class="number">{ "of these waiting" }</th>
                        <th scope="col" class="number">{ "PEs used" }</th>
                        <th scope="col">{ "loops, innermost first" }</th>
                    </tr>
                </thead>
                <tbody>
                    { for props.layers().into_iter().map(|(place, layer)| layer_row(&props.account, place, layer)) }
                </tbody>
            </table>
            <SaveTable />
        </div>
    }
}

fn layer_row(account: &Rc<PointAccount>, place: LayerPlace, layer: &LayerTileAccount) -> Html {
    let number = |number: PointNumber, text: String| number_of(Some(account), number, text);
    let of = |amount: Amount| PointNumber::Of(Place::Layer(place), amount);
    let needs = |&(x, y, channels): &(u64, u64, u64)| {
        html! {
            <>
                { number(PointNumber::Needed(place, Axis::Columns), x.to_string()) }{ " × " }
                { number(PointNumber::Needed(place, Axis::Rows), y.to_string()) }{ format!(" × {channels}") }
            </>
        }
    };
    let needs = layer.inputs.iter().map(needs).enumerate();
    let needs = needs.map(|(index, one)| html! { <>{ if index > 0 { " + " } else { "" } }{ one }</> });
    let (columns, rows, channels) = layer.output;
    let cost = layer.cost.as_ref();
    let energy = cost.map(|cost| {
        let split = &cost.energy;
        let energy = split.activation_pj + split.weight_pj + split.copy_pj + split.mac_pj;
        number(of(Amount::MappedEnergy), Quantity::Energy.text(energy))
    });
    let cycles = cost.map(|cost| {
        let split = &cost.latency;
        let waiting = split.stall_cycles + split.loading_cycles + split.offloading_cycles;
        (split.temporal_cycles + waiting + split.copy_cycles, waiting)
    });
    let used = cost.map(|cost| format!("{} %", three_digits(100.0 * cost.spatial_utilization)));
    html! {
        <tr>
            <th scope="row">{ &layer.layer }</th>
            <td>{ layer.kind.as_deref().unwrap_or("stack input") }</td>
            <td class="number">
                { number(PointNumber::Computed(place, Axis::Columns), columns.to_string()) }{ " × " }
                { number(PointNumber::Computed(place, Axis::Rows), rows.to_string()) }{ format!(" × {channels}") }
            </td>
            <td class="number">{ for needs }</td>
            <td class="tops">{ top_memories(&layer.top_memory) }</td>
            <td class="number">{ energy }</td>
            <td class="number">
                { cycles.map(|(all, _)| number(of(Amount::MappedCycles), group_thousands(all))) }
            </td>
            <td class="number">
                { cycles.map(|(_, waiting)| number(of(Amount::Waiting), group_thousands(waiting))) }
            </td>
            <td class="number">{ used.map(|used| number(PointNumber::PesUsed(place), used)) }</td>
            <td class="loops">{ cost.map(|cost| loops_text(&cost.loops)) }</td>
        </tr>
    }
}

/// `FX 3 · OX 4`
fn loops_text(loops: &[TemporalLoop]) -> String {
    let loops: Vec<String> = loops.iter().map(|next| format!("{} {}", next.dim, next.size)).collect();
    loops.join(" · ")
}

fn top_memories(top: &TopMemory) -> Html {
    let one = |(operand, memory): (Operand, &Option<String>)| {
        let memory = memory.as_ref()?;
        Some(html! { <span>{ badge(operand) }{ memory }</span> })
    };
    [(Operand::W, &top.w), (Operand::I, &top.i), (Operand::O, &top.o)].into_iter().filter_map(one).collect()
}

/// The data copy actions of one tile.
#[component]
pub fn CopyTable(props: &TileTypeProps) -> Html {
    let layers = props.layers();
    if layers.iter().all(|(_, layer)| layer.copies.actions.is_empty()) {
        return html! { <p class="hint">{ "None: all data is already where it is needed." }</p> };
    }
    html! {
        <div class="scroll" tabindex="0" role="group" aria-label="Data copy actions">
            <table data-testid="copies">
                <caption>{ "All actions before one layer start together; the layer waits for the last." }</caption>
                <thead>
                    <tr>
                        <th scope="col">{ "before" }</th>
                        <th scope="col">{ "action" }</th>
                        <th scope="col">{ "data of" }</th>
                        <th scope="col" class="number">{ "size" }</th>
                        <th scope="col">{ "way" }</th>
                        <th scope="col" class="number">{ "cycles of each hop" }</th>
                        <th scope="col" class="number">{ "energy" }</th>
                        <th scope="col" class="number">{ "layer waits" }</th>
                    </tr>
                </thead>
                <tbody>
                    { for layers.into_iter().flat_map(|(place, layer)| copy_rows(&props.account, place, layer)) }
                </tbody>
            </table>
            <SaveTable />
        </div>
    }
}

fn copy_rows(account: &Rc<PointAccount>, place: LayerPlace, layer: &LayerTileAccount) -> Vec<Html> {
    let number = |number: PointNumber, text: String| number_of(Some(account), number, text);
    let wait = PointNumber::Of(Place::Layer(place), Amount::CyclesOf(Time::Copy));
    let actions = &layer.copies.actions;
    let rows = actions.len().to_string();
    let row = |(index, action): (usize, &CopyActionAccount)| {
        let hops: Vec<String> = action.hops.iter().map(|hop| group_thousands(hop.cycles)).collect();
        html! {
            <tr>
                if index == 0 {
                    <th scope="rowgroup" rowspan={rows.clone()}>{ &layer.layer }</th>
                }
                <td>{ action.kind.name() }</td>
                <td>{ &action.layer }</td>
                <td class="number">{ size_text(action.bits) }</td>
                <td class="way">{ action.chain.join(" → ") }</td>
                <td class="number">{ number(PointNumber::CopyCycles(place, index), hops.join(" + ")) }</td>
                <td class="number">
                    { number(PointNumber::CopyEnergy(place, index), Quantity::Energy.text(action.energy_pj)) }
                </td>
                if index == 0 {
                    <td class="number" rowspan={rows.clone()}>
                        { number(wait, format!("{} cycles", group_thousands(layer.copies.latency_cycles))) }
                    </td>
                }
            </tr>
        }
    };
    actions.iter().enumerate().map(row).collect()
}
