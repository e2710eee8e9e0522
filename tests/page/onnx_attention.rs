//! Attention in ONNX models: heads that share keys and values, caches, and operators for the whole attention.

use crate::onnx::{import, layer, reads, says, shape};
use fusescape::hardware::Operand;
use fusescape::import::Severity;
use fusescape::workload::{LayerKind, Network};
use fusescape_test_support::onnx::Graph;
use fusescape_test_support::onnx::Is::{Int, Ints};

const KV_HEADS: i64 = 2;
const GROUP: i64 = 3;
const SIZE: i64 = 16;
const HEADS: i64 = KV_HEADS * GROUP;

/// Heads of keys or values repeated for their group of query heads, as PyTorch's `repeat_kv` does.
fn repeated(graph: Graph, from: &str, to: &str, positions: i64) -> Graph {
    let (alone, many) = (format!("{to}.alone"), format!("{to}.many"));
    graph
        .ints(&format!("{to}.all"), &[1, KV_HEADS, GROUP, positions, SIZE])
        .ints(&format!("{to}.heads"), &[1, HEADS, positions, SIZE])
        .node("Unsqueeze", &[from, "two"], &[&alone], &[])
        .node("Expand", &[&alone, &format!("{to}.all")], &[&many], &[])
        .node("Reshape", &[&many, &format!("{to}.heads")], &[to], &[])
}

/// A block of attention with groups of query heads, and a cache of `past` positions.
fn grouped(tokens: i64, past: i64) -> Graph {
    let width = HEADS * SIZE;
    let mut graph = Graph::default()
        .input("x", &[1, tokens, width])
        .ints("two", &[2])
        .ints("joined", &[1, tokens, width])
        .dense("x", "q", width, width)
        .dense("x", "k", width, KV_HEADS * SIZE)
        .dense("x", "v", width, KV_HEADS * SIZE);
    for (name, heads) in [("q", HEADS), ("k", KV_HEADS), ("v", KV_HEADS)] {
        let (parts, turned, shape) = (format!("{name}.parts"), format!("{name}.turned"), format!("{name}.shape"));
        graph = graph.ints(&shape, &[1, tokens, heads, SIZE]);
        graph = graph.node("Reshape", &[name, &shape], &[&parts], &[]);
        graph = graph.node("Transpose", &[&parts], &[&turned], &[("perm", Ints(&[0, 2, 1, 3]))]);
    }
    for name in ["k", "v"] {
        let (cache, turned, all) = (format!("past.{name}"), format!("{name}.turned"), format!("{name}.all"));
        if past > 0 {
            graph = graph.input(&cache, &[1, KV_HEADS, past, SIZE]);
            graph = graph.node("Concat", &[&cache, &turned], &[&all], &[("axis", Int(2))]);
        } else {
            graph = graph.node("Identity", &[&turned], &[&all], &[]);
        }
        graph = repeated(graph, &all, &format!("{name}.repeated"), past + tokens);
    }
    graph
        .node("Transpose", &["k.repeated"], &["k.columns"], &[("perm", Ints(&[0, 1, 3, 2]))])
        .floats("root", &[4.0])
        .node("Div", &["k.columns", "root"], &["k.scaled"], &[])
        .node("MatMul", &["q.turned", "k.scaled"], &["scores"], &[])
        .node("Softmax", &["scores"], &["shares"], &[("axis", Int(-1))])
        .node("MatMul", &["shares", "v.repeated"], &["context"], &[])
        .node("Transpose", &["context"], &["context.turned"], &[("perm", Ints(&[0, 2, 1, 3]))])
        .node("Reshape", &["context.turned", "joined"], &["context.tokens"], &[])
        .dense("context.tokens", "project", width, width)
}

/// Bytes of all inputs with this prefix.
fn input_bytes(network: &Network, prefix: &str) -> u64 {
    let inputs = network.ids().map(|id| network.layer(id)).filter(|layer| layer.shape.kind == LayerKind::Input);
    inputs.filter(|layer| layer.name.starts_with(prefix)).map(|layer| layer.shape.output_bits() / 8).sum()
}

#[test]
fn keys_and_values_are_read_once_for_all_heads_of_a_group() {
    for (tokens, past) in [(40, 0), (1, 63), (8, 100)] {
        let (network, report) = import(&grouped(tokens, past));
        let positions = past + tokens;
        let [rows, positions, size] = [GROUP * tokens, positions, SIZE].map(|size| size as u64);
        let heads = KV_HEADS as u64;
        let what = format!("{tokens} tokens behind {past}");
        assert_eq!(
            shape(&network, "scores"),
            (LayerKind::MatMul, [1, heads, positions, size, 1, rows, 1, 1]),
            "{what}"
        );
        assert_eq!(
            shape(&network, "context"),
            (LayerKind::MatMul, [1, heads, size, positions, 1, rows, 1, 1]),
            "{what}"
        );
        for name in ["scores", "context"] {
            let shape = &layer(&network, name).shape;
            assert_eq!(shape.macs(), HEADS as u64 * tokens as u64 * positions * size, "{name}: {what}");
            assert_eq!(shape.elements(Operand::W), heads * positions * size, "{name}: {what}");
        }
        let cache = 2 * heads * past as u64 * size;
        assert_eq!(input_bytes(&network, "past."), cache, "{what}");
        assert_eq!(
            says(
                &report,
                Severity::Expressed,
                &format!("2 inputs hold keys and values of earlier calls, {cache} bytes")
            ),
            past > 0,
            "{what}: {:#?}",
            report.lines()
        );
        if past > 0 {
            assert_eq!(reads(&network, "scores"), ["q", "k", "past.k"], "{what}");
        }
        let width = (HEADS * SIZE) as u64;
        let trained = width * (2 * width + 2 * heads * size);
        let coverage = report.coverage.unwrap();
        assert_eq!((coverage.operators.counted, coverage.weights.counted), (6, trained), "{what}");
        assert!(coverage.is_whole());
    }
}

/// Heads, heads of keys, tokens, positions of earlier calls, elements of a head.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    heads: i64,
    shared: i64,
    tokens: i64,
    past: i64,
    size: i64,
}

impl Sizes {
    /// Checks that scores and values of an attention operator have all operations, and that each key and value is read
    /// once.
    fn check(self, graph: &Graph, projections: i64, prefix: &str) {
        let (network, report) = import(graph);
        let Self { heads, shared, tokens, past, size } = self;
        let [group, positions] = [heads / shared, tokens + past];
        let sizes = |k: i64, c: i64| [1, shared, k, c, 1, group * tokens, 1, 1].map(|size| size as u64);
        assert_eq!(shape(&network, "y/scores"), (LayerKind::MatMul, sizes(positions, size)), "{self:?}");
        assert_eq!(shape(&network, "y/context"), (LayerKind::MatMul, sizes(size, positions)), "{self:?}");
        let all = 2 * heads * tokens * positions * size + projections;
        let out = layer(&network, "out").shape.macs();
        assert_eq!(network.macs() - out, all as u64, "{self:?}");
        assert_eq!(out, (heads * size * 7 * tokens) as u64, "{self:?}");
        assert_eq!(input_bytes(&network, prefix), (2 * shared * past * size) as u64, "{self:?}");
        let told = format!("2 inputs hold keys and values of earlier calls, {} bytes", 2 * shared * past * size);
        assert_eq!(says(&report, Severity::Expressed, &told), past > 0, "{self:?} {:#?}", report.lines());
        assert!(report.coverage.unwrap().is_whole(), "{:#?}", report.lines());
        assert!(says(&report, Severity::NotCounted, "its scaling, mask and softmax have no cost here"));
    }
}

fn with_out(graph: Graph, width: i64) -> Graph {
    graph.dense("y", "out", width, 7)
}

#[test]
fn grouped_attention_of_onnx_runtime_reads_its_cache_once() {
    for (heads, shared, tokens, past) in [(8, 2, 1, 63), (8, 8, 16, 0), (6, 1, 5, 20)] {
        let sizes = Sizes { heads, shared, tokens, past, size: 16 };
        let attributes = [("num_heads", Int(heads)), ("kv_num_heads", Int(shared))];
        let input = |graph: Graph, name: &str, width: i64| graph.input(name, &[1, tokens, width]);
        let caches = |graph: Graph| match past {
            0 => graph,
            _ => graph.input("past.k", &[1, shared, past, 16]).input("past.v", &[1, shared, past, 16]),
        };
        let names = if past > 0 { ["past.k", "past.v"] } else { [""; 2] };
        let graph = input(input(input(Graph::default(), "q", heads * 16), "k", shared * 16), "v", shared * 16);
        // Computed, as inputs are not part of a cache.
        let graph = ["q", "k", "v"]
            .into_iter()
            .zip([heads, shared, shared])
            .fold(graph, |graph, (name, heads)| graph.dense(name, &format!("{name}.made"), heads * 16, heads * 16));
        let read = ["q.made", "k.made", "v.made", names[0], names[1]];
        let graph = caches(graph).node("GroupQueryAttention", &read, &["y", "k.all", "v.all"], &attributes);
        let projections = tokens * 256 * (heads * heads + 2 * shared * shared);
        sizes.check(&with_out(graph, heads * 16), projections, "past.");
        // Queries, keys and values in one tensor.
        let width = (heads + 2 * shared) * 16;
        let graph = caches(input(Graph::default(), "x", 40).dense("x", "qkv", 40, width));
        let read = ["qkv", "", "", names[0], names[1]];
        let graph = graph.node("GroupQueryAttention", &read, &["y", "k.all", "v.all"], &attributes);
        sizes.check(&with_out(graph, heads * 16), tokens * 40 * width, "past.");
    }
}

#[test]
fn attention_with_trained_projections_counts_them() {
    let sizes = Sizes { heads: 4, shared: 4, tokens: 12, past: 0, size: 8 };
    let graph = Graph::default().input("x", &[1, 12, 24]).weights("W", fusescape_test_support::onnx::FLOAT, &[24, 96]);
    let attention = graph.node("Attention", &["x", "W"], &["y"], &[("num_heads", Int(4))]);
    sizes.check(&with_out(attention, 32), 12 * 24 * 96, "past");
    let sizes = Sizes { past: 30, ..sizes };
    let graph = Graph::default().input("x", &[1, 12, 24]).weights("W", fusescape_test_support::onnx::INT8, &[24, 96]);
    let graph = graph.input("past", &[2, 1, 4, 30, 8]);
    let read = ["x", "W", "", "", "", "", "", "", "past"];
    let attention = graph.node("QAttention", &read, &["y", "present"], &[("num_heads", Int(4))]);
    sizes.check(&with_out(attention, 32), 12 * 24 * 96, "past");
}

#[test]
fn attention_of_onnx_and_of_several_heads_is_a_chain_of_products() {
    let of = |width: i64| Graph::default().input("x", &[1, 10, 20]).dense("x", "q", 20, width);
    let sizes = Sizes { heads: 6, shared: 6, tokens: 10, past: 0, size: 8 };
    let graph = of(48).dense("x", "k", 20, 48).dense("x", "v", 20, 48);
    let attention = graph.node("MultiHeadAttention", &["q", "k", "v"], &["y"], &[("num_heads", Int(6))]);
    sizes.check(&with_out(attention, 48), 3 * 10 * 20 * 48, "past");
    let sizes = Sizes { shared: 2, past: 22, ..sizes };
    let graph = of(48).dense("x", "k", 20, 16).dense("x", "v", 20, 16);
    let graph = graph.input("past.k", &[1, 2, 22, 8]).input("past.v", &[1, 2, 22, 8]);
    let read = ["q", "k", "v", "", "past.k", "past.v"];
    let heads = [("q_num_heads", Int(6)), ("kv_num_heads", Int(2))];
    let attention = graph.node("Attention", &read, &["y", "k.all", "v.all"], &heads);
    sizes.check(&with_out(attention, 48), 10 * 20 * (48 + 32), "past.");
}

#[test]
fn attention_whose_heads_do_not_fit_is_refused() {
    for (heads, shared) in [(5, 2), (6, 4), (0, 2), (i64::MAX, i64::MAX), (48, 0)] {
        let graph = Graph::default().input("x", &[1, 10, 20]).dense("x", "q", 20, 48).dense("x", "k", 20, 16);
        let attributes = [("num_heads", Int(heads)), ("kv_num_heads", Int(shared))];
        let graph = graph.node("GroupQueryAttention", &["q", "k", "k"], &["y"], &attributes);
        let (_, report) = import(&graph);
        assert!(says(&report, Severity::NotCounted, "GroupQueryAttention: "), "{heads} {shared}");
        assert_eq!(report.coverage.unwrap().operators.counted, 2, "{heads} {shared}");
    }
}
