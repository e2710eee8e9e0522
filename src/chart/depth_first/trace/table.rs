//! The numbers of a step as tables: pixels of each map by origin; contents and transfers of each memory.

use super::{Origin, StackStep};
use crate::kit::{Column, Quantity, Table, TableCell};
use fusescape_engine::depth_first::{ContentsPart, FlowEnd};

/// Pixels of every map by origin.
pub(super) fn maps_table(trace: &StackStep) -> Table {
    let pixels = Origin::ALL.map(|origin| Column::plain(origin.title(), "pixels"));
    let named = ["map", "size", "window"].map(Column::words);
    let row = |(node, map): (fusescape_engine::depth_first::NodeId, &fusescape_engine::depth_first::TraceMap)| {
        let window = trace.traced.trace.window(trace.step.tile, node).unwrap_or_default().window;
        let window = format!(
            "{} × {} from {}, {}",
            window.columns.length(),
            window.rows.length(),
            window.columns.first,
            window.rows.first
        );
        let counts = trace.counts(node).map(|(_, pixels)| TableCell::count(pixels));
        let words = [map.layer.clone(), format!("{} × {}", map.columns, map.rows), window].map(TableCell::from);
        words.into_iter().chain(counts).collect()
    };
    Table {
        caption: format!("Pixels of every map ({})", trace.title()),
        columns: named.into_iter().chain(pixels).collect(),
        rows: trace.traced.trace.maps.iter_enumerated().map(row).collect(),
    }
}

/// The contents of each memory, and the transfers between memories.
pub fn memory_trace_table(trace: &StackStep) -> Table {
    let bytes = |title: &str| Column::measured(title, Quantity::Bytes.base());
    let mut columns = vec![Column::words("memory, or from and to"), bytes("capacity")];
    columns.extend(ContentsPart::ALL.map(|part| bytes(part.title())));
    columns.extend([bytes("moved"), Column::measured("energy", Quantity::Energy.base())]);
    let memories = &trace.traced.account.memories;
    let size = |bits: f64| if bits > 0.0 { TableCell::of(Quantity::Bytes, bits / 8.0) } else { TableCell::Nothing };
    let mut rows = Vec::new();
    if let (Some(stack), Some(layer)) = (trace.traced.of(), trace.layer()) {
        let contents = stack.contents(&trace.traced.trace, trace.step, memories);
        for (memory, contents) in memories.iter().zip(&contents).rev() {
            let mut row = vec![memory.name.clone().into(), size(memory.size_bits as f64)];
            row.extend(contents.parts().map(|(_, bits)| size(bits)));
            row.extend([TableCell::Nothing, TableCell::Nothing]);
            rows.push(row);
        }
        let name = |place: FlowEnd| match place {
            FlowEnd::Array => "array",
            FlowEnd::Memory(memory) => memories.get(memory).map_or("", |memory| memory.name.as_str()),
        };
        for flow in layer.flows() {
            let how = if flow.is_copy { ", copied" } else { "" };
            let what = format!("{} from {} to {}{how}", flow.stored_as, name(flow.from), name(flow.to));
            let mut row: Vec<TableCell> = vec![what.into(), TableCell::Nothing];
            row.extend(ContentsPart::ALL.map(|_| TableCell::Nothing));
            row.extend([size(flow.bits), TableCell::of(Quantity::Energy, flow.energy_pj)]);
            rows.push(row);
        }
    }
    Table { caption: format!("Memories ({})", trace.title()), columns, rows }
}
