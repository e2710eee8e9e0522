//! Elementwise work in ONNX models, imported as layers of a vector unit.

use crate::onnx::{import, reads, says, shape, transformer};
use fusescape::import::{ImportReport, Severity, onnx};
use fusescape::spec::{read_workload, write_workload};
use fusescape::workload::{Layer, LayerKind, LayerShape, Network, Operation};
use fusescape_test_support::onnx::Is::{Int, Ints};
use fusescape_test_support::onnx::{FLOAT, Graph};

fn with_lanes(graph: &Graph) -> (Network, ImportReport) {
    let options = onnx::Options { has_vector_unit: true, ..onnx::Options::default() };
    let model = graph.model();
    let (spec, report) =
        onnx::import(&mut model.as_slice(), "model.onnx", &options).unwrap_or_else(|wrong| panic!("{wrong}"));
    let text = write_workload(&spec);
    assert_eq!(read_workload(&text).both().0, spec, "the document says the same");
    (Network::from_text(&text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}")), report)
}

/// Number of operations of one kind in all layers of the vector unit.
fn count(network: &Network, operation: Operation) -> u64 {
    let of = |shape: &LayerShape| shape.iterations() * shape.operations.count(operation);
    let shapes = network.computing().map(|id| &network.layer(id).shape);
    shapes.filter(|shape| shape.kind.needs_vector_unit()).map(of).sum()
}

/// Name, type and loops of the layers that compute something.
fn computing(network: &Network) -> Vec<(String, LayerKind, [u64; 8])> {
    let facts = |layer: &Layer| (layer.name.clone(), layer.shape.kind, layer.shape.sizes);
    network.computing().map(|id| facts(network.layer(id))).collect()
}

#[test]
fn attention_normalisation_and_activations_become_layers() {
    let (network, report) = with_lanes(&transformer(40));
    use LayerKind::{Elementwise, Pairwise, Reduction};
    let row = [1, 6, 40, 1, 1, 40, 1, 1];
    for (name, expected) in [
        ("shares_max", (Reduction, [1, 6, 1, 40, 1, 40, 1, 1])),
        ("shares_exp", (Pairwise, row)),
        ("shares_sum", (Reduction, [1, 6, 1, 40, 1, 40, 1, 1])),
        ("shares", (Pairwise, row)),
        ("normal_mean", (Reduction, [1, 1, 1, 96, 1, 40, 1, 1])),
        ("normal_centred", (Pairwise, [1, 1, 96, 1, 1, 40, 1, 1])),
        ("normal_squares", (Reduction, [1, 1, 1, 96, 1, 40, 1, 1])),
        ("normal_root", (Elementwise, [1, 1, 1, 1, 1, 40, 1, 1])),
        ("normal", (Pairwise, [1, 1, 96, 1, 1, 40, 1, 1])),
        ("gelu", (Elementwise, [1, 384, 1, 1, 1, 40, 1, 1])),
    ] {
        assert_eq!(shape(&network, name), expected, "{name}");
    }
    assert_eq!(reads(&network, "context"), ["v", "shares"]);
    assert_eq!(reads(&network, "normal_squares"), ["normal_centred"]);
    let (scores, map, wide) = (6 * 40 * 40, 40 * 96, 40 * 384);
    assert_eq!(count(&network, Operation::Exp), scores + wide);
    assert_eq!(count(&network, Operation::Max), scores);
    // Scaling of scores is part of the product; a normalisation has one root per pixel.
    assert_eq!(count(&network, Operation::Divide), scores + 40 + wide);
    assert_eq!(count(&network, Operation::Multiply), 3 * map + 2 * wide);
    for op in ["Softmax", "LayerNormalization", "Gelu"] {
        assert!(!says(&report, Severity::NotCounted, op), "{op} is listed: {:#?}", report.lines());
    }
    assert_eq!(network.macs(), import(&transformer(40)).0.macs());
}

/// A core without a vector unit computes the other layers as in a network without these.
#[test]
fn without_a_vector_unit_all_else_is_as_if_they_were_not_there() {
    let with = with_lanes(&transformer(40)).0.without_vector_unit();
    let plain = import(&transformer(40)).0;
    assert_eq!(computing(&with), computing(&plain));
    for (name, ..) in computing(&plain) {
        assert_eq!(reads(&with, &name), reads(&plain, &name), "{name}");
    }
    assert_eq!(with.left_out().len(), 10);
}

/// A normalisation by the root mean square, as written by exporters, and a gate.
#[test]
fn a_normalisation_in_parts_is_counted_part_by_part() {
    let graph = Graph::default()
        .input("x", &[1, 24, 64])
        .dense("x", "a", 64, 32)
        .floats("two", &[2.0])
        .node("Pow", &["a", "two"], &["square"], &[])
        .ints("last", &[-1])
        .node("ReduceMean", &["square", "last"], &["mean"], &[])
        .floats("eps", &[1e-5])
        .node("Add", &["mean", "eps"], &["above"], &[])
        .node("Sqrt", &["above"], &["root"], &[])
        .node("Div", &["a", "root"], &["normal"], &[])
        .weights("gamma", FLOAT, &[32])
        .node("Mul", &["normal", "gamma"], &["scaled"], &[])
        .dense("scaled", "up", 32, 48)
        .node("Sigmoid", &["up"], &["gate"], &[])
        .node("Mul", &["up", "gate"], &["silu"], &[])
        .dense("silu", "down", 48, 8);
    let (network, report) = with_lanes(&graph);
    use LayerKind::{Elementwise, Pairwise, Reduction};
    for (name, expected) in [
        ("square", (Elementwise, [1, 32, 1, 1, 1, 24, 1, 1])),
        ("mean", (Reduction, [1, 1, 1, 32, 1, 24, 1, 1])),
        ("above", (Elementwise, [1, 1, 1, 1, 1, 24, 1, 1])),
        ("root", (Elementwise, [1, 1, 1, 1, 1, 24, 1, 1])),
        ("normal", (Pairwise, [1, 1, 32, 1, 1, 24, 1, 1])),
        ("scaled", (Elementwise, [1, 32, 1, 1, 1, 24, 1, 1])),
        ("gate", (Elementwise, [1, 48, 1, 1, 1, 24, 1, 1])),
        ("silu", (Pairwise, [1, 48, 1, 1, 1, 24, 1, 1])),
    ] {
        assert_eq!(shape(&network, name), expected, "{name}");
    }
    assert_eq!(report.of(Severity::NotCounted).count(), 0, "{:#?}", report.lines());
    assert_eq!(network.stored().count(), 0, "everything can be fused");
}

/// A softmax over pixels, or over channels other than the innermost, gets no layers: it is not counted, as before.
#[test]
fn what_does_not_lie_in_channels_is_not_counted() {
    for (axis, turned) in [(2, false), (1, true)] {
        let mut graph = Graph::default().input("x", &[1, 6, 8, 10]).conv("x", "a", [6, 6, 1, 1], &[]);
        let mut name = "a";
        if turned {
            graph = graph.ints("to", &[1, 2, 3, 80]).node("Reshape", &["a", "to"], &["parts"], &[]);
            name = "parts";
        }
        let graph = graph
            .node("Softmax", &[name], &["soft"], &[("axis", Int(axis))])
            .ints("back", &[1, 6, 8, 10])
            .node("Reshape", &["soft", "back"], &["whole"], &[])
            .conv("whole", "b", [4, 6, 3, 3], &[("pads", Ints(&[1, 1, 1, 1]))]);
        let (network, report) = with_lanes(&graph);
        assert!(says(&report, Severity::NotCounted, "Softmax"), "{axis}: {:#?}", report.lines());
        assert_eq!(count(&network, Operation::Exp), 0);
    }
}
