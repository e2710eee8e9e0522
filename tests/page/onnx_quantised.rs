//! Quantised ONNX models: each layer has the bits that the file states.

use crate::onnx::{import, layer, says, shape};
use fusescape::import::Severity;
use fusescape::workload::LayerKind;
use fusescape_test_support::onnx::Is::Int;
use fusescape_test_support::onnx::{FLOAT, FLOAT8, FLOAT16, Graph, INT4, INT8, UINT4, UINT8, UINT16};

#[test]
fn weights_in_blocks_have_their_few_bits() {
    let blocks = |graph: Graph, name: &str, bits: i64| {
        let (b, scales, zeros) = (format!("{name}.B"), format!("{name}.scales"), format!("{name}.zeros"));
        graph
            .weights(&b, UINT8, &[96, 2, 32 * bits / 8])
            .weights(&scales, FLOAT16, &[96 * 2])
            .weights(&zeros, UINT8, &[96 * bits / 8 * 2])
            .node(
                "MatMulNBits",
                &["x", &b, &scales, &zeros],
                &[name],
                &[("K", Int(64)), ("N", Int(96)), ("bits", Int(bits)), ("block_size", Int(32))],
            )
    };
    let graph = [2, 4, 8]
        .into_iter()
        .fold(Graph::default().input("x", &[1, 20, 64]), |graph, bits| blocks(graph, &format!("dense{bits}"), bits));
    let graph = graph
        .weights("bnb.B", UINT8, &[64 * 96 / 2])
        .weights("bnb.max", FLOAT, &[96])
        .node("MatMulBnb4", &["x", "bnb.B", "bnb.max"], &["bnb"], &[("K", Int(64)), ("N", Int(96))])
        .weights("fp.B", UINT8, &[64 * 96 / 2 + 384])
        .ints("fp.shape", &[64, 96])
        .node("MatMulFpQ4", &["x", "fp.B", "fp.shape"], &["fp"], &[]);
    let (network, report) = import(&graph);
    for (name, bits) in [("dense2", 2), ("dense4", 4), ("dense8", 8), ("bnb", 4), ("fp", 4)] {
        assert_eq!(shape(&network, name), (LayerKind::Pointwise, [1, 1, 96, 64, 1, 20, 1, 1]), "{name}");
        assert_eq!(layer(&network, name).shape.weight_bits(), 64 * 96 * bits, "{name}");
    }
    assert_eq!(
        report.coverage.unwrap().to_string(),
        "5 of 5 operators that multiply are counted, with 30.72 of 30.72 thousand weights"
    );
    // 192 scales of 16 bit, 192 zero points of 4 bit, beside 64 x 96 weights of 4 bit.
    let share = 100.0 * (192.0 * 16.0 + 192.0 * 4.0) / (64.0 * 96.0 * 4.0);
    let told =
        format!("scales and zero points of its blocks, which have {share:.1} % of the bits of its weights (dense4)");
    assert!(says(&report, Severity::NotCounted, &told), "{told}: {:#?}", report.lines());
}

#[test]
fn a_product_in_blocks_that_does_not_state_its_size_is_not_counted() {
    let without = |attributes: &[(&str, fusescape_test_support::onnx::Is)]| {
        let graph = Graph::default().input("x", &[1, 20, 64]).dense("x", "y", 64, 64).weights("B", UINT8, &[96, 2, 16]);
        import(&graph.weights("scales", FLOAT16, &[192]).node("MatMulNBits", &["y", "B", "scales"], &["z"], attributes))
            .1
    };
    let report = without(&[("N", Int(96))]);
    assert!(says(&report, Severity::NotCounted, "MatMulNBits: it does not state the size of its weights"));
    assert_eq!(report.coverage.unwrap().operators.counted, 1);
    for wrong in [0, -5, i64::MAX] {
        let report = without(&[("N", Int(96)), ("K", Int(64)), ("bits", Int(wrong))]);
        assert_eq!(report.coverage.unwrap().operators.counted, 1);
    }
    assert!(without(&[("N", Int(96)), ("K", Int(64))]).coverage.unwrap().is_whole());
}

/// Quantised and dequantised around each operator, as in the QDQ format of exporters.
#[test]
fn bits_around_operators_are_those_of_their_inputs_weights_and_outputs() {
    let mut graph = Graph::default().input("x", &[1, 8, 12, 12]).weights("s", FLOAT, &[1]);
    for (name, kind) in [("u8", UINT8), ("u16", UINT16), ("u4", UINT4), ("i8", INT8), ("i4", INT4), ("f8", FLOAT8)] {
        graph = graph.weights(name, kind, &[1]).weights(&format!("w.{name}"), kind, &[8, 8, 3, 3]);
    }
    let mut last = "x".to_owned();
    let steps = [("u16", "i8"), ("u16", "i4"), ("u4", "f8"), ("u8", "u4")];
    for (index, (map, weights)) in steps.into_iter().enumerate() {
        let of = |what: &str| format!("{what}{index}");
        let stored = format!("w.{weights}");
        graph = graph
            .node("QuantizeLinear", &[&last, "s", map], &[&of("q")], &[])
            .node("DequantizeLinear", &[&of("q"), "s", map], &[&of("real")], &[])
            .node("DequantizeLinear", &[&stored, "s", weights], &[&of("w")], &[])
            .node("Cast", &[&of("w")], &[&of("w.half")], &[("to", Int(10))])
            .node("Conv", &[&of("real"), &of("w.half")], &[&of("conv")], &[])
            .node("Relu", &[&of("conv")], &[&of("relu")], &[]);
        last = of("relu");
    }
    let (network, report) = import(&graph);
    let bits = |name: &str| {
        let precision = layer(&network, name).shape.precision;
        (precision.i, precision.w, precision.o)
    };
    assert_eq!(bits("conv0"), (16, 8, 16));
    assert_eq!(bits("conv1"), (16, 4, 4));
    assert_eq!(bits("conv2"), (4, 8, 8));
    assert_eq!(bits("conv3"), (8, 4, 8));
    assert_eq!(layer(&network, "x").shape.precision.o, 16);
    assert!(!says(&report, Severity::Assumed, "floating point"), "{:#?}", report.lines());
}

#[test]
fn sums_of_integers_have_32_bits() {
    let graph = Graph::default()
        .input("x", &[1, 30, 16])
        .weights("s", FLOAT, &[1])
        .weights("z", UINT8, &[1])
        .weights("z16", UINT16, &[1])
        .node("DynamicQuantizeLinear", &["x"], &["q", "q.s", "q.z"], &[])
        .weights("w", INT8, &[16, 24])
        .node("MatMulInteger", &["q", "w", "q.z"], &["integer"], &[])
        .weights("w4", INT4, &[24, 8])
        .node("QLinearMatMul", &["integer", "s", "z", "w4", "s", "z", "s", "z16"], &["linear"], &[])
        .weights("w2", INT8, &[8, 40])
        .node("QGemm", &["linear", "s", "z16", "w2", "s", "z", "", "s", "z"], &["gemm"], &[]);
    let (network, _) = import(&graph);
    let bits = |name: &str| {
        let precision = layer(&network, name).shape.precision;
        (precision.i, precision.w, precision.o_partial, precision.o)
    };
    assert_eq!(bits("integer"), (8, 8, 32, 8));
    assert_eq!(bits("linear"), (8, 4, 32, 16));
    assert_eq!(bits("gemm"), (16, 8, 32, 8));
}
