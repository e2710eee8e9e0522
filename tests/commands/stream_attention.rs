//! The products of Stream's attention example on its TPU-like core, with the costs of the public tool: own runs of
//! Stream 1.13.14 with ZigZag 3.8.5, and of Stream 2.1.1 with ZigZag 3.9.1, for heads of 64 and 32 channels, 64 and 128
//! tokens, widths of 512 and 256.

use crate::command_line::succeeds;
use serde_json::Value;
use std::path::PathBuf;

/// Tokens, channels of the result, channels of the reduction; cycles and energy, pJ, on one of the four cores.
type Product = ([u64; 3], f64, f64);

/// Tokens along the columns of the array, the reduction along its rows.
const TOKENS: [Product; 11] = [
    ([32, 64, 512], 2112.0, 966_172.672),
    ([32, 128, 64], 576.0, 194_933.248),
    ([128, 16, 512], 2176.0, 736_847.872),
    ([32, 64, 128], 576.0, 241_543.168),
    ([32, 32, 512], 1088.0, 429_817.856),
    ([32, 128, 32], 320.0, 83_977.472),
    ([128, 8, 512], 1104.0, 474_960.896),
    ([32, 32, 128], 336.0, 147_405.824),
    ([64, 16, 512], 1088.0, 406_644.736),
    ([32, 64, 256], 1088.0, 483_086.336),
    ([128, 16, 256], 1088.0, 368_423.936),
];
/// Channels of the result in place of tokens, for a core with too few tokens.
const CHANNELS: [Product; 2] = [([16, 64, 512], 1087.0, 296_308.736), ([16, 64, 64], 135.0, 37_038.592)];
/// The later tool: a systolic array, and sums of 32 bit.
const SYSTOLIC: [Product; 5] = [
    ([128, 16, 64], 382.0, 117_531.904),
    ([32, 64, 64], 382.0, 146_197.504),
    ([32, 64, 512], 2174.0, 1_169_580.032),
    ([32, 128, 64], 638.0, 245_785.088),
    ([32, 64, 128], 638.0, 292_395.008),
];

fn file(name: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The core, with `along` along its columns.
fn core(along: &str, is_systolic: bool) -> String {
    let (systolic, sums) = if is_systolic { (", systolic: all", 32) } else { ("", 16) };
    format!(
        "name: TPU-like\narray: {{ dimensions: {{ D1: 32, D2: 32 }}, mac_energy: 0.04 pJ{systolic} }}\ndataflow: tpu\n\
         unroll:\n  pointwise: {{ D1: {along} 32, D2: C 32 }}\nmemories:\n\
         \x20 - {{ name: rf_w, size: 128 B, operands: [W], width: 8 bit, read_energy: 0.095 pJ, write_energy: 0.095 pJ, \
         shared_over: [] }}\n\
         \x20 - {{ name: rf_o, size: {sums} bit, operands: [O], width: {sums} bit, read_energy: 0.021 pJ, write_energy: 0.021 pJ, \
         shared_over: [D2] }}\n\
         \x20 - {{ name: sram, size: 2 MiB, operands: [I, W, O], width: 2048 bit, granularity: 64 bit, read_energy: 416.16 pJ, \
         write_energy: 378.4 pJ, shared_over: all,\n\
         \x20     ports: {{ r_port_1: [I.read_to_low, W.read_to_low, O.read_to_low, O.read_to_high], \
         w_port_1: [I.write_from_high, W.write_from_high, O.write_from_high, O.write_from_low] }} }}\n"
    )
}

fn priced(name: &str, core: &str, products: &[Product], sums: u64, rules: &str) {
    let mut network =
        format!("name: products\nbatch: 1\nprecision: {{ W: 16, I: 16, O_partial: {sums}, O: 16 }}\nlayers:\n");
    for (at, ([tokens, channels, reduction], ..)) in products.iter().enumerate() {
        network += &format!(
            "  - {{ name: in{at}, type: input, K: {reduction}, size: {tokens} x 1 }}\n  \
             - {{ name: product{at}, type: pointwise, from: in{at}, K: {channels} }}\n"
        );
    }
    let core = file(&format!("stream-{name}-core.yaml"), core);
    let network = file(&format!("stream-{name}.yaml"), &network);
    let found = succeeds(&[
        "layer",
        "--hardware",
        &core,
        "--workload",
        &network,
        "--rules",
        rules,
        "--strategy",
        "loma",
        "--lpf-limit",
        "6",
        "--objective",
        "latency",
        "--json",
    ]);
    let found: Value = serde_json::from_str(&found).unwrap();
    let layers = found["layers"].as_array().unwrap();
    assert_eq!(layers.len(), products.len());
    for (layer, (sizes, cycles, energy)) in layers.iter().zip(products) {
        assert_eq!(layer["latency_cycles"].as_f64(), Some(*cycles), "{name}: {sizes:?}");
        let ours = layer["energy_pj"].as_f64().unwrap();
        assert!((ours - energy).abs() <= 1e-9 * energy, "{name}: {sizes:?} takes {ours} pJ, in the tool {energy}");
    }
}

#[test]
fn products_of_streams_attention_cost_what_they_do_in_the_tool() {
    priced("tokens", &core("OX", false), &TOKENS, 16, "zigzag-3.8");
    priced("channels", &core("K", false), &CHANNELS, 16, "zigzag-3.8");
    priced("systolic", &core("OX", true), &SYSTOLIC, 32, "zigzag-3.9");
}

/// The whole example on the four cores: every method answers, and none is faster than DRAM can move inputs, weights and
/// outputs.
#[test]
fn streams_attention_head_runs_on_its_quad_by_every_method() {
    // 128 x 512 inputs, three times 512 x 64 weights and 128 x 64 results of 16 bit, by a port of 64 bit a cycle.
    let bound = (128 * 512 + 3 * 512 * 64 + 128 * 64) * 16 / 64;
    let cores =
        ["cores", "--system", "tpu-quad", "--workload", "attention-head", "--tiles", "rows 32", "--format", "json"];
    let mut found = Vec::new();
    for more in [&[][..], &["--allocation", "genetic"], &["--allocation", "core 0"]] {
        let found_now: Value = serde_json::from_str(&succeeds(&[&cores[..], more].concat())).unwrap();
        found.push(found_now["latency_cycles"].as_f64().unwrap());
    }
    assert!(found.iter().all(|cycles| *cycles > f64::from(bound)), "{found:?}, not below {bound}");
    assert!(found[0] <= found[2], "{found:?}: all on one core is one of what is tried");
}
