//! Tables of the layer-tiles of a tile type: sizes, cost and stalls.

use crate::kit::{Column, Quantity, Table, TableCell, three_digits};
use fusescape_engine::cost::LatencyCause;
use fusescape_engine::depth_first::{CopyActionAccount, LayerTileAccount, TopMemory};
use fusescape_engine::hardware::Operand;

/// The layers of one tile, one row each.
pub fn layer_tile_table(layers: &[LayerTileAccount]) -> Table {
    let row = |layer: &LayerTileAccount| {
        let needs: Vec<String> = layer.inputs.iter().map(|&map| map_text(map)).collect();
        let tops: Vec<String> =
            top_memories(&layer.top_memory).map(|(operand, memory)| format!("{operand} {memory}")).collect();
        let mut row: Vec<TableCell> = vec![
            layer.layer.clone().into(),
            layer.kind.as_deref().unwrap_or("stack input").into(),
            map_text(layer.output).into(),
            needs.join(" + ").into(),
            tops.join(", ").into(),
        ];
        let Some(cost) = &layer.cost else {
            row.extend(std::iter::repeat_n("".into(), 5));
            return row;
        };
        let waiting = cost.latency.of(LatencyCause::waiting());
        let used = 100.0 * cost.spatial_utilization;
        let loops: Vec<String> = cost.loops.iter().map(|next| format!("{} {}", next.dim, next.size)).collect();
        row.extend([
            TableCell::of(Quantity::Energy, cost.energy.total_pj()),
            TableCell::count(cost.latency.total_cycles()),
            TableCell::count(waiting),
            TableCell::number(format!("{} %", three_digits(used)), used),
            loops.join(" · ").into(),
        ]);
        row
    };
    Table {
        caption: "Layer-tiles (sizes are those of one tile, costs leave out data copies)".to_owned(),
        columns: vec![
            Column::words("layer"),
            Column::words("type"),
            Column::numbers("computes"),
            Column::numbers("needs"),
            Column::words("top memory"),
            Column::measured("energy", Quantity::Energy.base()),
            Column::numbers("cycles"),
            Column::measured("of these waiting", Quantity::Latency.base()),
            Column::measured("PEs used", "%"),
            Column::words("loops, innermost first"),
        ],
        rows: layers.iter().map(row).collect(),
    }
}

fn map_text((columns, rows, channels): (u64, u64, u64)) -> String {
    format!("{columns} × {rows} × {channels}")
}

/// The highest memory of each operand that has one.
pub fn top_memories(top: &TopMemory) -> impl Iterator<Item = (Operand, &str)> {
    let all = [(Operand::W, &top.w), (Operand::I, &top.i), (Operand::O, &top.o)];
    all.into_iter().filter_map(|(operand, memory)| Some((operand, memory.as_deref()?)))
}

/// The data copy actions of one tile, one row each; those before the same layer stand together.
pub fn copy_table(layers: &[LayerTileAccount]) -> Table {
    let row = |layer: &LayerTileAccount, action: &CopyActionAccount| {
        let hops: Vec<TableCell> = action.hops.iter().map(|hop| TableCell::count(hop.cycles)).collect();
        let cycles: u64 = action.hops.iter().map(|hop| hop.cycles).sum();
        let hops = hops.iter().map(TableCell::text).collect::<Vec<_>>().join(" + ");
        let waits = layer.copies.latency_cycles;
        vec![
            layer.layer.clone().into(),
            action.kind.name().into(),
            action.layer.clone().into(),
            TableCell::size(action.bits),
            action.chain.join(" → ").into(),
            TableCell::number(hops, cycles as f64),
            TableCell::of(Quantity::Energy, action.energy_pj),
            TableCell::number(
                if waits == 1 { "1 cycle".to_owned() } else { format!("{} cycles", TableCell::count(waits).text()) },
                waits as f64,
            ),
        ]
    };
    Table {
        caption: "Data copy actions (all before one layer start together, the layer waits for the last)".to_owned(),
        columns: vec![
            Column::words("before"),
            Column::words("action"),
            Column::words("data of"),
            Column::measured("size", Quantity::Bytes.base()),
            Column::words("way"),
            Column::numbers("cycles, hop by hop"),
            Column::measured("energy", Quantity::Energy.base()),
            Column::measured("layer waits", Quantity::Latency.base()),
        ],
        rows: layers.iter().flat_map(|layer| layer.copies.actions.iter().map(move |of| row(layer, of))).collect(),
    }
}
