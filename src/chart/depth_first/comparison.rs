//! Figures and a table that compare the accounts of two points, of designs A and B.

use crate::bars::{Pair, Paired, change_cell};
use crate::kit::{BarCause, Column, Quantity, Table, TableCell};
use fusescape_engine::cost::EnergyCause;
use fusescape_engine::depth_first::{LayerTileAccount, PointAccount};
use fusescape_spec::sorting::sort_by;

/// Total costs of two points, sorted by how much they differ (as a factor).
pub fn whole_costs(a: &PointAccount, b: &PointAccount) -> Table {
    let dram = |account: &PointAccount| account.memories.last().map_or(0.0, |memory| memory.words.total());
    let delay = |account: &PointAccount| account.energy_pj * account.latency_cycles as f64;
    let sides = |value: &dyn Fn(&PointAccount) -> f64| (value(a), value(b));
    let mut rows = vec![
        (Quantity::Energy, sides(&|account| account.energy_pj)),
        (Quantity::Latency, sides(&|account| account.latency_cycles as f64)),
        (Quantity::EnergyDelay, sides(&delay)),
        (Quantity::DramAccesses, sides(&dram)),
        (Quantity::Macs, sides(&|account| account.macs as f64)),
    ];
    let factor = |(a, b): (f64, f64)| if a > 0.0 && b > 0.0 { (b / a).ln().abs() } else { (b - a).abs() };
    sort_by(&mut rows, |x, y| factor(y.1).total_cmp(&factor(x.1)));
    let row = |(quantity, (a, b)): (Quantity, (f64, f64))| {
        let difference = format!("{}{}", if b < a { "−" } else { "" }, quantity.text((b - a).abs()));
        vec![
            TableCell::Label { text: quantity.title(), unit: quantity.base() },
            TableCell::of(quantity, a),
            TableCell::of(quantity, b),
            TableCell::number(difference, b - a),
            change_cell(Some(a), Some(b)),
        ]
    };
    Table {
        caption: "What A and B cost".to_owned(),
        columns: vec![
            Column::words("quantity"),
            Column::numbers("A, pinned"),
            Column::numbers("B, at hand"),
            Column::numbers("B − A"),
            Column::measured("change", "%"),
        ],
        rows: rows.into_iter().map(row).collect(),
    }
}

/// Energy, cycles and accesses of two points by part, one figure each.
pub fn comparisons(a: &PointAccount, b: &PointAccount) -> Vec<Paired> {
    let figure = |quantity, title: &str, row: &str, parts: &dyn Fn(&PointAccount) -> Vec<(String, f64)>| {
        Paired::new(quantity, title, row, pairs(parts(a), parts(b)))
    };
    let seen = EnergyCause::seen_in([a.energy, b.energy]);
    let accesses_none = |cause: &&EnergyCause| !matches!(cause, EnergyCause::Access(_));
    vec![
        figure(Quantity::Energy, "Energy by memory", "memory", &|account| {
            let memories = account.memories.iter().map(|memory| (memory.name.clone(), memory.energy_pj.total()));
            let others = seen.iter().filter(accesses_none);
            let others = others.map(|&cause| (cause.plural().to_owned(), account.energy[cause]));
            memories.chain(others).collect()
        }),
        figure(Quantity::Energy, "Energy by cause", "cause", &|account| {
            seen.iter().map(|&cause| (BarCause::Energy(cause).name().to_owned(), account.energy[cause])).collect()
        }),
        figure(Quantity::Latency, "Latency by cause", "cause", &|account| {
            BarCause::of_latency(&account.latency).map(|(cause, cycles)| (cause.name().to_owned(), cycles)).collect()
        }),
        figure(Quantity::Accesses, "Accesses by memory, full words", "memory", &|account| {
            account.memories.iter().map(|memory| (memory.name.clone(), memory.words.total())).collect()
        }),
        figure(Quantity::Energy, "Energy by layer, copies included", "layer", &|account| {
            by_layer(account, |layer| {
                layer.copies.energy_pj + layer.cost.as_ref().map_or(0.0, |cost| cost.energy.total_pj())
            })
        }),
        figure(Quantity::Latency, "Latency by layer, copies included", "layer", &|account| {
            by_layer(account, |layer| {
                let computing = layer.cost.as_ref().map_or(0, |cost| cost.latency.total_cycles());
                (layer.copies.latency_cycles + computing) as f64
            })
        }),
    ]
}

/// A number of every layer, summed over all tiles, in the order in which layers first appear.
fn by_layer(account: &PointAccount, value: impl Fn(&LayerTileAccount) -> f64) -> Vec<(String, f64)> {
    let mut parts: Vec<(String, f64)> = Vec::new();
    for tile_type in account.stacks.iter().flat_map(|stack| &stack.tile_types) {
        for layer in &tile_type.layers {
            let value = value(layer) * tile_type.count as f64;
            match parts.iter_mut().find(|(name, _)| *name == layer.layer) {
                Some((_, sum)) => *sum += value,
                None => parts.push((layer.layer.clone(), value)),
            }
        }
    }
    parts
}

/// Joins the values by name.
fn pairs(a: Vec<(String, f64)>, b: Vec<(String, f64)>) -> Vec<Pair> {
    let find = |parts: &[(String, f64)], name: &str| parts.iter().find(|(other, _)| other == name).map(|(_, v)| *v);
    let only_b = b.iter().filter(|(name, _)| find(&a, name).is_none());
    let names = a.iter().chain(only_b).map(|(name, _)| name);
    names.map(|name| Pair { label: name.clone(), a: find(&a, name), b: find(&b, name) }).collect()
}
