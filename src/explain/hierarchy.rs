//! The cost of a memory hierarchy: sums over layers and memories.

use super::formula::{Explained, How, NumberUnit};
use fusescape_chart::Quantity;
use fusescape_engine::hardware::Core;
use fusescape_engine::hierarchy::LayerResult;

const SOURCE: &str = "ZigZag, Section V: the architecture generator evaluates each hierarchy with its best mappings";

/// Energy, latency and area of the hierarchy of `core`.
pub fn explain_hierarchy(core: &Core, layers: &[LayerResult]) -> [Explained; 3] {
    let times = |count: u64, name: &'static str, name_each: &'static str, each: f64, unit: NumberUnit, title: &str| {
        let terms =
            vec![Explained::given(name, count as f64, NumberUnit::Count("")), Explained::given(name_each, each, unit)];
        Explained::computed(title.to_owned(), unit, How::Product, terms)
    };
    let of_layers = |name: &'static str, quantity: Quantity, each: fn(&LayerResult) -> f64| {
        let unit = NumberUnit::Of(quantity);
        let term = |layer: &LayerResult| times(layer.count, "layers alike", "each", each(layer), unit, &layer.title);
        Explained::computed(name, unit, How::Sum, layers.iter().map(term).collect()).after(SOURCE)
    };
    let area = NumberUnit::Of(Quantity::Area);
    let memories = core.memories.iter().filter_map(|memory| {
        Some(times(memory.instances, "instances", "area of one", memory.area_um2?, area, &memory.name))
    });
    [
        of_layers("energy", Quantity::Energy, |layer| layer.solution.energy_pj),
        of_layers("latency", Quantity::Latency, |layer| layer.solution.latency_cycles as f64),
        Explained::computed("area of all memories", area, How::Sum, memories.collect())
            .noted("Memories without a stated area, such as DRAM on another chip, are not part of it.")
            .after(SOURCE),
    ]
}
