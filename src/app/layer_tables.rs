//! What every layer-tile of a tile type is, costs and waits for, as tables.

use super::hardware_card::{badge, size_text};
use super::save::SaveTable;
use crate::chart::{Quantity, group_thousands, three_digits};
use crate::depth_first::{CopyActionAccount, LayerTileAccount, TileTypeAccount, TopMemory};
use crate::hardware::Operand;
use yew::prelude::*;

/// What the tables need.
#[derive(Properties, PartialEq)]
pub struct TileTypeProps {
    /// The tile type.
    pub tile_type: TileTypeAccount,
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
                <tbody>{ for props.tile_type.layers.iter().map(layer_row) }</tbody>
            </table>
            <SaveTable />
        </div>
    }
}

fn layer_row(layer: &LayerTileAccount) -> Html {
    let size = |(x, y, channels): (u64, u64, u64)| format!("{x} × {y} × {channels}");
    let inputs: Vec<String> = layer.inputs.iter().copied().map(size).collect();
    let cost = layer.cost.as_ref();
    let energy = cost.map(|cost| {
        let split = &cost.energy;
        Quantity::Energy.text(split.activation_pj + split.weight_pj + split.copy_pj + split.mac_pj)
    });
    let cycles = cost.map(|cost| {
        let split = &cost.latency;
        let waiting = split.stall_cycles + split.loading_cycles + split.offloading_cycles;
        (split.temporal_cycles + waiting + split.copy_cycles, waiting)
    });
    html! {
        <tr>
            <th scope="row">{ &layer.layer }</th>
            <td>{ layer.kind.as_deref().unwrap_or("stack input") }</td>
            <td class="number">{ size(layer.output) }</td>
            <td class="number">{ inputs.join(" + ") }</td>
            <td class="tops">{ top_memories(&layer.top_memory) }</td>
            <td class="number">{ energy }</td>
            <td class="number">{ cycles.map(|(all, _)| group_thousands(all)) }</td>
            <td class="number">{ cycles.map(|(_, waiting)| group_thousands(waiting)) }</td>
            <td class="number">{ cost.map(|cost| format!("{} %", three_digits(100.0 * cost.spatial_utilization))) }</td>
            <td class="loops">{ cost.map(|cost| cost.loops.join(" · ")) }</td>
        </tr>
    }
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
    let layers = &props.tile_type.layers;
    if layers.iter().all(|layer| layer.copies.actions.is_empty()) {
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
                <tbody>{ for layers.iter().flat_map(copy_rows) }</tbody>
            </table>
            <SaveTable />
        </div>
    }
}

fn copy_rows(layer: &LayerTileAccount) -> Vec<Html> {
    let actions = &layer.copies.actions;
    let rows = actions.len().to_string();
    let row = |(index, action): (usize, &CopyActionAccount)| {
        let hops: Vec<String> = action.hop_cycles.iter().map(|&cycles| group_thousands(cycles)).collect();
        html! {
            <tr>
                if index == 0 {
                    <th scope="rowgroup" rowspan={rows.clone()}>{ &layer.layer }</th>
                }
                <td>{ action.kind.name() }</td>
                <td>{ &action.layer }</td>
                <td class="number">{ size_text(action.bits) }</td>
                <td class="way">{ action.chain.join(" → ") }</td>
                <td class="number">{ hops.join(" + ") }</td>
                <td class="number">{ Quantity::Energy.text(action.energy_pj) }</td>
                if index == 0 {
                    <td class="number" rowspan={rows.clone()}>
                        { format!("{} cycles", group_thousands(layer.copies.latency_cycles)) }
                    </td>
                }
            </tr>
        }
    };
    actions.iter().enumerate().map(row).collect()
}
