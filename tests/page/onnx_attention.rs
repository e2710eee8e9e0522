//! Attention in ONNX models: heads that share keys and values, caches of these, operators that hold all of it.

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

/// Bytes of all inputs of which the names begin so.
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
