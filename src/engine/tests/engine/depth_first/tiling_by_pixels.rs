//! Under the corrected rules, tiling against an oracle that follows every single column and row through the network.

use super::view_by_elements::seen;
use fusescape_engine::depth_first::{DepthFirstStrategy, FuseDepth, Planner, PointPlan, StoringMode};
use fusescape_engine::hardware::Core;
use fusescape_engine::ids::{TiVec, ti_vec};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Limits, Strategy};
use fusescape_engine::workload::{Dim, LayerId, Network};
use fusescape_spec::{find_preset, hardware_presets};
use std::collections::BTreeSet;

pub const NETWORKS: [(&str, &str); 11] = [
    (
        "padded chain",
        "name: test
layers:
  - { name: in, type: input, K: 2, size: 23 x 17 }
  - { name: a, type: conv, K: 4, kernel: 5 x 3, padding: same }
  - { name: b, type: conv, K: 4, kernel: 3 x 5, padding: same }
  - { name: c, type: conv, K: 2, kernel: 3 x 3, padding: same }",
    ),
    (
        "strides and pooling",
        "name: test
layers:
  - { name: in, type: input, K: 3, size: 30 x 29 }
  - { name: a, type: conv, K: 4, kernel: 7 x 7, stride: 2, padding: 3 }
  - { name: p, type: pooling, kernel: 3 x 3, stride: 2, padding: 1 }
  - { name: b, type: depthwise, kernel: 3 x 3, padding: 1 }",
    ),
    (
        "residual block with a strided shortcut",
        "name: test
layers:
  - { name: in, type: input, K: 4, size: 24 x 20 }
  - { name: first, type: conv, K: 4, kernel: 3 x 3, padding: 1 }
  - { name: a, type: conv, K: 8, kernel: 3 x 3, stride: 2, padding: 1, from: first }
  - { name: b, type: conv, K: 8, kernel: 3 x 3, padding: 1 }
  - { name: short, type: conv, K: 8, kernel: 1 x 1, stride: 2, from: first }
  - { name: sum, type: add, from: [short, b] }
  - { name: c, type: conv, K: 4, kernel: 3 x 3, padding: 1 }",
    ),
    (
        "dilation without padding",
        "name: test
layers:
  - { name: in, type: input, K: 2, size: 26 x 25 }
  - { name: a, type: conv, K: 3, kernel: 3 x 3, dilation: 3 }
  - { name: b, type: conv, K: 3, kernel: 3 x 3, dilation: 2, padding: 2 }",
    ),
    (
        "two branches of different reach",
        "name: test
layers:
  - { name: in, type: input, K: 2, size: 19 x 19 }
  - { name: a, type: conv, K: 4, kernel: 3 x 3, padding: 1 }
  - { name: wide, type: conv, K: 4, kernel: 7 x 7, padding: 3, from: a }
  - { name: narrow, type: conv, K: 4, kernel: 1 x 1, from: a }
  - { name: sum, type: add, from: [wide, narrow] }",
    ),
    (
        "channels joined, and joined again",
        "name: test
layers:
  - { name: in, type: input, K: 4, size: 21 x 18 }
  - { name: a, type: conv, K: 6, kernel: 3 x 3, padding: 1 }
  - { name: ina, type: view, from: [in, a], join: channels }
  - { name: b, type: conv, K: 2, kernel: 5 x 3, padding: same }
  - { name: inab, type: view, from: [ina, b], join: channels }
  - { name: c, type: conv, K: 4, kernel: 3 x 3, stride: 2, padding: 1 }",
    ),
    (
        "parts of channels, some of them read twice",
        "name: test
layers:
  - { name: in, type: input, K: 6, size: 17 x 20 }
  - { name: a, type: conv, K: 8, kernel: 3 x 3, padding: 1 }
  - { name: first, type: view, from: a, channels: 0..4 }
  - { name: second, type: view, from: a, channels: 4..8 }
  - { name: b, type: depthwise, kernel: 3 x 3, padding: 1 }
  - { name: joined, type: view, from: [b, first], join: channels }
  - { name: middle, type: view, from: joined, channels: 2..6 }
  - { name: colours, type: view, from: in, channels: 1..5 }
  - { name: sum, type: add, from: [middle, colours] }
  - { name: c, type: conv, K: 4, kernel: 3 x 3, padding: 1 }",
    ),
    (
        "half the size, and back",
        "name: test
layers:
  - { name: in, type: input, K: 4, size: 24 x 20 }
  - { name: a, type: conv, K: 4, kernel: 3 x 3, padding: 1 }
  - { name: down, type: pooling, kernel: 2 x 2, stride: 2 }
  - { name: b, type: conv, K: 8, kernel: 3 x 3, padding: 1 }
  - { name: up, type: view, scale: 2, from: b }
  - { name: both, type: view, from: [up, a], join: channels }
  - { name: c, type: conv, K: 4, kernel: 3 x 3, padding: 1 }",
    ),
    (
        "blocks of channels, cut down and padded",
        "name: test
layers:
  - { name: in, type: input, K: 3, size: 9 x 8 }
  - { name: a, type: conv, K: 12, kernel: 3 x 3, padding: 1 }
  - { name: up, type: view, blocks: 3 x 2, from: a }
  - { name: inner, type: view, columns: 2..25, rows: 1..15, from: up }
  - { name: wide, type: view, padding: { left: 3, right: 1, top: 0, bottom: 4 }, from: inner }
  - { name: b, type: conv, K: 4, kernel: 3 x 3, from: wide }",
    ),
    (
        "columns and rows joined, and exchanged",
        "name: test
layers:
  - { name: in, type: input, K: 2, size: 16 x 12 }
  - { name: a, type: conv, K: 4, kernel: 3 x 3, padding: 1 }
  - { name: b, type: conv, K: 4, kernel: 1 x 1, from: in }
  - { name: left, type: view, columns: 0..10, from: a }
  - { name: right, type: view, columns: 10..16, from: a }
  - { name: turned, type: view, from: [right, left], join: columns }
  - { name: high, type: view, from: [turned, b], join: rows }
  - { name: c, type: conv, K: 4, kernel: 3 x 3, dilation: 2, padding: 1 }",
    ),
    (
        "parts beside what they are cut from",
        "name: test
layers:
  - { name: in, type: input, K: 2, size: 18 x 14 }
  - { name: a, type: conv, K: 4, kernel: 3 x 3 }
  - { name: inner, type: view, columns: 3..13, rows: 4..9, from: a }
  - { name: top, type: view, columns: 0..10, rows: 0..5, from: a }
  - { name: short, type: conv, K: 4, kernel: 1 x 1, stride: 2, from: top }
  - { name: b, type: conv, K: 4, kernel: 3 x 3, stride: 2, padding: 1, from: inner }
  - { name: sum, type: add, from: [short, b] }",
    ),
];

pub const TILES: [(u64, u64); 6] = [(1, 1), (3, 2), (4, 4), (5, 7), (16, 3), (1000, 1000)];

/// Columns (or rows) of every layer's output that the given ones of the network's output depend on.
fn needed(network: &Network, output: &BTreeSet<u64>, columns: bool) -> TiVec<LayerId, BTreeSet<u64>> {
    let mut needed = ti_vec![BTreeSet::new(); network.len()];
    needed[LayerId::from(network.len() - 1)] = output.clone();
    let seen = seen(network);
    for id in network.ids().rev() {
        // A tile computes rectangles.
        let first_and_last = needed[id].first().copied().zip(needed[id].last().copied());
        for position in first_and_last.map_or(0..0, |(first, last)| first..last + 1) {
            for input in window(network, id, position, columns) {
                for seen in &seen[id] {
                    needed[seen.layer].extend(seen.along(columns)[input as usize]);
                }
            }
        }
    }
    needed
}

/// The existing input columns that one output column reads.
pub fn window(network: &Network, id: LayerId, position: u64, columns: bool) -> Vec<u64> {
    let layer = network.layer(id);
    let shape = &layer.shape;
    let (kernel, stride, dilation, padding, size) = if columns {
        (shape.size(Dim::FX), shape.stride.0, shape.dilation.0, layer.padding.left, layer.input_size.0)
    } else {
        (shape.size(Dim::FY), shape.stride.1, shape.dilation.1, layer.padding.top, layer.input_size.1)
    };
    (0..kernel)
        .filter_map(|tap| (position * stride + tap * dilation).checked_sub(padding))
        .filter(|&input| input < size)
        .collect()
}

fn span(set: &BTreeSet<u64>) -> u64 {
    set.first().zip(set.last()).map_or(0, |(first, last)| last - first + 1)
}

fn plan(network: &Network, tile: (u64, u64), mode: StoringMode) -> PointPlan {
    let core = Core::from_text(find_preset(hardware_presets(), "meta-proto-like-df").unwrap().text).unwrap();
    let mut planner = Planner::new(&core, network, Rules::CORRECTED, Limits::default(), Strategy::default());
    planner.plan(&DepthFirstStrategy { tile, mode, fuse: FuseDepth::Automatic }).unwrap()
}

/// Elements (without channels) that all tiles together compute of each layer.
fn computed(network: &Network, plan: &PointPlan) -> TiVec<LayerId, u64> {
    let mut computed = ti_vec![0; network.len()];
    for tile in &plan.stacks[0].types {
        for layer in &tile.layers {
            computed[layer.layer] += tile.count * layer.computed.0 * layer.computed.1;
        }
    }
    computed
}

fn for_all(check: impl Fn(&str, &Network, (u64, u64))) {
    for (name, text) in NETWORKS {
        let network = Network::from_text(text).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        for tile in TILES {
            check(name, &network, tile);
        }
    }
}

#[test]
fn tiles_cover_the_output_once() {
    for_all(|name, network, tile| {
        for mode in StoringMode::ALL {
            let plan = plan(network, tile, mode);
            let stack = &plan.stacks[0];
            let area: u64 = stack.types.iter().map(|tile| tile.count * tile.size.0 * tile.size.1).sum();
            assert_eq!(area, stack.output_size.0 * stack.output_size.1, "{name} {tile:?} {mode}");
            let mapped: u64 = stack.map.columns.iter().map(|run| run.count).sum::<u64>()
                * stack.map.rows.iter().map(|run| run.count).sum::<u64>();
            assert_eq!(mapped, stack.types.iter().map(|tile| tile.count).sum::<u64>(), "{name} {tile:?} {mode}");
        }
    });
}

#[test]
fn without_caches_a_tile_computes_exactly_what_it_depends_on() {
    for_all(|name, network, tile| {
        let plan = plan(network, tile, StoringMode::FullyRecompute);
        for of_type in &plan.stacks[0].types {
            let (x0, y0) = of_type.first_position;
            let columns = needed(network, &(x0..x0 + of_type.size.0).collect(), true);
            let rows = needed(network, &(y0..y0 + of_type.size.1).collect(), false);
            for layer in &of_type.layers {
                let expected = (span(&columns[layer.layer]), span(&rows[layer.layer]));
                let what = &network.layer(layer.layer).name;
                assert_eq!(layer.computed, expected, "{name} {tile:?} at {x0}, {y0}: {what}");
            }
        }
    });
}

#[test]
fn with_both_caches_every_element_is_computed_once() {
    for_all(|name, network, tile| {
        let cached = computed(network, &plan(network, tile, StoringMode::FullyCached));
        let whole = computed(network, &plan(network, (u64::MAX, u64::MAX), StoringMode::FullyCached));
        assert_eq!(cached, whole, "{name} {tile:?}");
    });
}

#[test]
fn more_caching_never_computes_more() {
    for_all(|name, network, tile| {
        let [none, columns, both] = StoringMode::ALL.map(|mode| computed(network, &plan(network, tile, mode)));
        for id in network.ids() {
            assert!(none[id] >= columns[id] && columns[id] >= both[id], "{name} {tile:?}");
        }
    });
}

#[test]
fn what_a_tile_needs_is_computed_by_it_or_cached() {
    for_all(|name, network, tile| {
        let plan = plan(network, tile, StoringMode::FullyCached);
        for of_type in &plan.stacks[0].types {
            for layer in
                of_type.layers.iter().filter(|layer| !layer.is_input && layer.computed.0 * layer.computed.1 > 0)
            {
                let reads = of_type.reads_of(layer);
                for (producer, read) in network.reads(layer.layer).iter().map(|read| read.layer).zip(reads) {
                    let fresh = of_type.layers.iter().find(|other| other.layer == producer).unwrap().computed;
                    let what = format!("{name} {tile:?}: {}", network.layer(layer.layer).name);
                    assert!(read.needed.0 <= read.cached.0 + fresh.0, "{what}: columns {read:?}");
                    assert!(read.needed.1 <= read.cached.1 + fresh.1, "{what}: rows {read:?}");
                }
            }
        }
    });
}

#[test]
fn padding_is_not_computed_and_operations_are_those_of_the_network() {
    for (name, text) in NETWORKS {
        let network = Network::from_text(text).unwrap();
        let whole = computed(&network, &plan(&network, (u64::MAX, u64::MAX), StoringMode::FullyCached));
        for id in network.computing() {
            let shape = &network.layer(id).shape;
            // A stride may leave the last columns or rows of a map unread; they need not be computed.
            assert!(whole[id] <= shape.size(Dim::OX) * shape.size(Dim::OY), "{name}");
        }
        let last = LayerId::from(network.len() - 1);
        let shape = &network.layer(last).shape;
        assert_eq!(whole[last], shape.size(Dim::OX) * shape.size(Dim::OY), "{name}");
    }
}
