//! Random networks that are one stack, on random cores whose memories are about as large as the tiles need.

use super::placement_by_elements::{Tiling, random_amount};
use crate::search::random_problems::random_timing;
use fusescape_engine::depth_first::StoringMode;
use fusescape_engine::hardware::Core;
use fusescape_engine::search::Limits;
use fusescape_engine::workload::{Dim, LayerId, Network};
use fusescape_test_support::random::Lcg;
use std::collections::BTreeSet;
use std::fmt::Write;

pub const LIMITS: Limits = Limits {
    lpf_limit: 5,
    max_orders: u64::MAX,
    max_states: 200_000,
    estimate_after: 5_000,
    max_ties: 20_000,
    max_branches: 30_000,
    relax_after: 1000,
};
const MOST_TILES: usize = 40;

/// A random network, which is one stack, on a random core.
pub struct RandomStack<'a> {
    pub core: &'a Core,
    pub network: &'a Network,
    pub tiling: &'a Tiling<'a>,
    pub tile: (u64, u64),
    /// All of it.
    pub text: &'a str,
}

/// Random stacks until one of them is enough.
pub fn random_stacks(seed: u64, mut is_enough: impl FnMut(&mut Lcg, &RandomStack<'_>) -> bool) {
    let mut random = Lcg(seed);
    loop {
        let (network, network_text) = random_network(&mut random);
        let last = &network.layer(LayerId::from(network.len() - 1)).shape;
        let tile = (1 + random.below(last.size(Dim::OX) + 1), 1 + random.below(last.size(Dim::OY) + 1));
        let mode = random.of(&StoringMode::ALL);
        let tiling = Tiling::new(&network, tile, mode);
        if tiling.columns.len() * tiling.rows.len() > MOST_TILES {
            continue;
        }
        let core_text = random_core(&mut random, &tiling);
        let core = Core::from_text(&core_text).unwrap_or_else(|wrong| panic!("{wrong}\n{core_text}"));
        let text = format!("{tile:?}, {mode}\n{network_text}\n{core_text}");
        let stack = RandomStack { core: &core, network: &network, tiling: &tiling, tile, text: &text };
        if is_enough(&mut random, &stack) {
            return;
        }
    }
}

/// A view of layer `from`, or of that and of `other`, of a random kind; most do not fit.
fn random_view(random: &mut Lcg, from: u64, other: u64) -> String {
    let pair = format!("from: [l{from}, l{other}], join");
    let [first, size] = [random.below(4), 2 + random.below(9)];
    let range = format!("{first}..{}", first + size);
    let shows = match random.below(9) {
        0..3 => format!("{pair}: channels"),
        3 => format!("{pair}: {}", random.of(&["columns", "rows"])),
        4 => format!("from: l{from}, channels: {}", random.of(&["0..2", "2..4", "2..6", "0..4"])),
        5 => format!("from: l{from}, {}: {range}", random.of(&["columns", "rows"])),
        6 => format!("from: l{from}, scale: {}", random.of(&["2", "1 x 2", "3 x 1"])),
        7 => format!("from: l{from}, blocks: {}", random.of(&["2 x 1", "1 x 2"])),
        _ => format!("from: l{from}, padding: {}", random.of(&["1", "{ left: 2, top: 0, right: 1, bottom: 3 }"])),
    };
    format!("type: view, {shows}")
}

/// Two to six layers, one after the other or in branches, some after views, in one stack. Channels are even.
pub fn random_network(random: &mut Lcg) -> (Network, String) {
    loop {
        let bits = random.of(&[4, 8, 16]);
        let mut text = format!(
            "name: random
batch: {}
precision: {{ W: {}, I: {bits}, O_partial: {}, O: {bits} }}
layers:
  - {{ name: l0, type: input, K: {}, size: {} x {} }}
",
            random.of(&[1, 1, 2]),
            random.of(&[4, 8]),
            random.of(&[16, 32]),
            random.of(&[2, 4]),
            6 + random.below(8),
            5 + random.below(7),
        );
        let views = random.below(3);
        let count = 2 + views + random.below(3);
        // One network of three has layers that only lanes compute.
        let on_lanes = if random.below(3) == 0 { 4 } else { 0 };
        for number in 1..=count {
            let before = number - 1;
            let from = if random.below(3) == 0 { random.below(number) } else { before };
            let other = random.below(number);
            let channels = random.of(&[2, 4, 6]);
            let window = format!(
                "kernel: {} x {}, stride: {}, padding: {}, dilation: {}",
                random.of(&[1, 2, 3, 3, 5]),
                random.of(&[1, 2, 3, 3, 5]),
                random.of(&[1, 1, 2]),
                random.of(&["none", "same", "1"]),
                random.of(&[1, 1, 1, 2]),
            );
            let operations = format!("operations: {{ exp: {}, add: {} }}", random.below(3), 1 + random.below(2));
            let of_lanes = match random.below(4) {
                0 => format!("type: reduction, groups: 2, from: l{from}"),
                1 => format!("type: elementwise, {operations}, from: l{from}"),
                _ => format!("type: pairwise, {operations}, from: [l{other}, l{before}]"),
            };
            let layer = match random.below(6 + 2 * views + on_lanes) {
                6.. if random.below(2 * views + on_lanes) < on_lanes => of_lanes,
                6.. if number < count => random_view(random, from, other),
                0 => format!("type: add, from: [l{before}, l{other}]"),
                1 => format!("type: depthwise, {window}, from: l{from}"),
                2 => format!("type: pooling, {window}, from: l{from}"),
                3 => format!("type: pointwise, K: {channels}, from: l{from}"),
                _ => format!("type: conv, K: {channels}, {window}, from: l{from}"),
            };
            writeln!(text, "  - {{ name: l{number}, {layer} }}").unwrap();
        }
        let Ok(network) = Network::from_text(&text) else { continue };
        let last = LayerId::from(network.len() - 1);
        let is_view = |id: LayerId| network.layer(id).view.is_some();
        let is_read = |id: LayerId| id == last || is_view(id) || !network.readers(id).is_empty();
        // No layer but the last is an output, and a sum has two different maps.
        let is_sum_of_two = |id: LayerId| network.inputs(id).into_iter().collect::<BTreeSet<_>>().len() > 1;
        let is_add = |id: &LayerId| network.layer(*id).shape.kind.reads_two_maps();
        let is_even = |id: LayerId| {
            let shape = &network.layer(id).shape;
            shape.input_channels().is_multiple_of(2) && shape.output_channels().is_multiple_of(2)
        };
        let is_one_stack = network.ids().all(is_read) && network.needed_whole().next().is_none();
        let is_even = network.computing().all(is_even);
        if is_one_stack && is_even && network.ids().filter(is_add).all(is_sum_of_two) {
            return (network, text);
        }
    }
}

fn random_memory(random: &mut Lcg, name: &str, size: u64, operands: &str, shared_over: &str) -> String {
    let width = 8 << random.below(4);
    let granularity = random.of(&[width, 8]);
    let (read, write) = (1 + random.below(20), 1 + random.below(20));
    let mut text = format!(
        "  - {{ name: {name}, size: {size} bit, operands: [{operands}], width: {width} bit, \
         granularity: {granularity} bit, read_energy: {read} pJ, write_energy: {write} pJ, shared_over: {shared_over}"
    );
    if random.below(3) == 0 && name != "dram" {
        let served = operands.split(", ").flat_map(|operand| {
            let movements: &[&str] = match operand {
                "O" => &["read_to_low", "write_from_low", "read_to_high", "write_from_high"],
                _ => &["read_to_low", "write_from_high"],
            };
            movements.iter().map(move |movement| format!("{operand}.{movement}"))
        });
        write!(text, ", ports: {{ rw: [{}] }}", served.collect::<Vec<_>>().join(", ")).unwrap();
    }
    for field in random_timing(&mut |most| random.below(most), width) {
        write!(text, ", {field}").unwrap();
    }
    text + " }\n"
}

/// Two or three levels of memories above registers, or without registers, shared by operands or not. Sizes are the
/// needs of some tile, or a little less, so that all decisions are close.
pub fn random_core(random: &mut Lcg, tiling: &Tiling<'_>) -> String {
    let (low, high) = (random_amount(random, tiling, 0), random_amount(random, tiling, tiling.weight_bits()));
    let mut text = "name: random
array: { dimensions: { D1: 2, D2: 2 }, mac_energy: 1 pJ }
unroll:
  conv: { D1: K, D2: C }
  pointwise: { D1: K, D2: C }
  depthwise: { D1: G }
  pooling: { D1: G }
  add: { D2: G }
memories:
"
    .to_owned();
    let registers = random.of(&[64, tiling.weight_bits().div_ceil(4), tiling.weight_bits()]).max(8);
    if random.below(3) > 0 {
        let shared_over = random.of(&["[]", "[D1]", "[D2]"]);
        text += &random_memory(random, "w_reg", registers, "W", shared_over);
    }
    if random.below(3) > 0 {
        let shared_over = random.of(&["[]", "[D2]"]);
        let size = random.of(&[32, 64, 128]);
        text += &random_memory(random, "o_reg", size, "O", shared_over);
    }
    match random.below(4) {
        0 => {
            text += &random_memory(random, "low_i", low, "I", "all");
            text += &random_memory(random, "low_o", low, "O", "all");
        }
        1 => {}
        _ => text += &random_memory(random, "low", low, "I, O", "all"),
    }
    let high = high.max(low);
    if random.below(4) == 0 {
        let weights = random.of(&[tiling.weight_bits(), 256]).max(8);
        text += &random_memory(random, "high_w", weights, "W", "all");
        text += &random_memory(random, "high_io", high, "I, O", "all");
    } else {
        text += &random_memory(random, "high", high, "W, I, O", "all");
    }
    text += &random_memory(random, "dram", 1 << 33, "W, I, O", "all");
    let network = tiling.network;
    let needs_lanes = network.computing().any(|id| network.layer(id).shape.kind.needs_vector_unit());
    if !needs_lanes && random.below(4) > 0 {
        return text;
    }
    let feeds = |name: &&str| text.contains(&format!("name: {name},"));
    let feeding: Vec<&str> = ["low", "high", "high_io", "dram"].into_iter().filter(feeds).collect();
    let feeding = random.of(&feeding[..feeding.len().min(2)]);
    let size = random.of(&[64, 128, 256]);
    let operands = random.of(&["O", "I, O", "O, I"]);
    let registers = random_memory(random, "v_reg", size, operands, "[]");
    let mut cost = || format!("{{ energy: {} pJ, cycles: {} }}", 1 + random.below(9), 1 + random.below(3));
    let operations = format!("{{ add: {}, exp: {} }}", cost(), cost());
    let lanes = 1 + random.below(2);
    text + &format!(
        "vector_unit:\n  lanes: {lanes}\n  memory: {feeding}\n  operations: {operations}\n  registers:\n  {registers}"
    )
}
