//! Convolutions and pooling over one and three axes in ONNX models.

use crate::onnx::{import, layer, reads, says, shape};
use fusescape::hardware::Operand;
use fusescape::import::{Severity, onnx};
use fusescape::workload::{LayerKind, Network};
use fusescape_test_support::onnx::Is::{Int, Ints};
use fusescape_test_support::onnx::{FLOAT, Graph};
use fusescape_test_support::random::Lcg;

/// Outputs along one axis, as ONNX defines them.
fn outputs(size: i64, kernel: i64, stride: i64, dilation: i64, pads: i64) -> i64 {
    (size + pads - dilation * (kernel - 1) - 1) / stride + 1
}

#[test]
fn convolutions_of_volumes_have_all_operations_weights_and_outputs() {
    let mut random = Lcg(7);
    for case in 0..60 {
        let mut of = |from: i64, count: u64| from + random.below(count) as i64;
        let size = [of(1, 8), of(6, 8), of(6, 8)];
        let kernel = [of(1, size[0].min(3) as u64), of(1, 3), of(1, 3)];
        let (stride, pads) = ([of(1, 2), of(1, 2), of(1, 2)], [0, 1, 2].map(|axis| of(0, kernel[axis] as u64)));
        let dilation = [0, 1, 2].map(|axis| if kernel[axis] > 1 && size[axis] > 5 { of(1, 2) } else { 1 });
        let groups = [1, 2, 4][case % 3];
        let (inputs, channels) = (4, if groups == 4 { 4 } else { 6 });
        let shape_of =
            [0, 1, 2].map(|axis| outputs(size[axis], kernel[axis], stride[axis], dilation[axis], 2 * pads[axis]));
        let weights = [channels, inputs / groups, kernel[0], kernel[1], kernel[2]];
        let all_pads = [pads, pads].concat();
        let graph = Graph::default()
            .input("x", &[1, inputs, size[0], size[1], size[2]])
            .weights("w", FLOAT, &weights)
            .node(
                "Conv",
                &["x", "w"],
                &["y"],
                &[
                    ("strides", Ints(&stride)),
                    ("dilations", Ints(&dilation)),
                    ("pads", Ints(&all_pads)),
                    ("group", Int(groups)),
                ],
            )
            .node("GlobalAveragePool", &["y"], &["mean"], &[]);
        let (network, report) = import(&graph);
        let y = &layer(&network, "y").shape;
        let what = format!("{size:?} {kernel:?} {stride:?} {dilation:?} {pads:?} in {groups} groups");
        let [count, taps, places] =
            [weights.iter().product(), kernel.iter().product::<i64>(), shape_of.iter().product()];
        let expected =
            [places * channels * inputs / groups * taps, count, places * channels].map(|number| number as u64);
        assert_eq!([y.macs(), y.elements(Operand::W), y.elements(Operand::O)], expected, "{what}");
        assert_eq!(shape(&network, "mean").1[6..], [(shape_of[0] * shape_of[1]) as u64, shape_of[2] as u64], "{what}");
        assert!(report.coverage.unwrap().is_whole(), "{what}");
    }
}

/// The video classifier of the exporters' tests: convolutions, pooling, and a mean over all frames.
fn videos(kernel: &[i64]) -> (Network, fusescape::import::ImportReport) {
    let pads: Vec<i64> = kernel.iter().chain(kernel).map(|size| size / 2).collect();
    let graph = Graph::default()
        .input("x", &[1, 3, 8, 32, 32])
        .weights("a.w", FLOAT, &[[16, 3].as_slice(), kernel].concat())
        .node("Conv", &["x", "a.w"], &["a"], &[("pads", Ints(&pads))])
        .node("Relu", &["a"], &["relu"], &[])
        .node("MaxPool", &["relu"], &["pool"], &[("kernel_shape", Ints(&[2, 2, 2])), ("strides", Ints(&[2, 2, 2]))])
        .weights("b.w", FLOAT, &[32, 16, 1, 1, 1])
        .node("Conv", &["pool", "b.w"], &["b"], &[])
        .node("ReduceMean", &["b"], &["mean"], &[("axes", Ints(&[2, 3, 4])), ("keepdims", Int(0))])
        .dense("mean", "out", 32, 10);
    import(&graph)
}

#[test]
fn frames_are_rows_and_only_windows_over_them_end_tiling() {
    let (network, report) = videos(&[3, 3, 3]);
    assert_eq!(shape(&network, "a"), (LayerKind::Conv, [1, 1, 16, 3, 8 * 32, 32, 9, 3]));
    assert_eq!(shape(&network, "pool"), (LayerKind::Pooling, [1, 16, 1, 1, 4 * 16, 16, 4, 2]));
    assert_eq!(shape(&network, "b"), (LayerKind::Conv, [1, 1, 32, 16, 4 * 16, 16, 1, 1]));
    assert_eq!(shape(&network, "mean"), (LayerKind::Pooling, [1, 32, 1, 1, 1, 1, 64, 16]));
    assert_eq!(shape(&network, "out"), (LayerKind::FullyConnected, [1, 1, 10, 32, 1, 1, 1, 1]));
    assert_eq!(reads(&network, "b"), ["pool"], "a window of one pixel reads the map as it is");
    assert!(says(&report, Severity::Expressed, "that windows share inputs is counted along columns only (a)"));
    let whole: Vec<&str> = network.needed_whole().map(|id| network.layer(id).name.as_str()).collect();
    assert!(whole.contains(&"a") && !whole.contains(&"pool") && !whole.contains(&"b"), "{whole:?}");
    // A kernel along columns alone needs no view.
    let (network, report) = videos(&[1, 1, 3]);
    assert_eq!(reads(&network, "a"), ["x"]);
    assert!(!says(&report, Severity::Expressed, "(a)"));
}

#[test]
fn an_image_as_one_frame_is_an_image() {
    let graph = Graph::default()
        .input("x", &[1, 3, 1, 20, 24])
        .weights("w", FLOAT, &[8, 3, 1, 3, 5])
        .node("Conv", &["x", "w"], &["y"], &[("pads", Ints(&[0, 1, 2, 0, 1, 2])), ("strides", Ints(&[1, 2, 1]))])
        .node("Relu", &["y"], &["z"], &[]);
    let (network, report) = import(&graph);
    assert_eq!(shape(&network, "y"), (LayerKind::Conv, [1, 1, 8, 3, 10, 24, 3, 5]));
    assert!(!says(&report, Severity::Expressed, "Conv"), "{:#?}", report.lines());
}

#[test]
fn convolutions_of_sequences_have_columns_alone() {
    let graph = Graph::default().input("x", &[1, 16, 100]).weights("w", FLOAT, &[32, 16, 5]).node(
        "Conv",
        &["x", "w"],
        &["y"],
        &[("pads", Ints(&[2, 2])), ("strides", Ints(&[2]))],
    );
    let (network, _) = import(&graph);
    assert_eq!(shape(&network, "y"), (LayerKind::Conv, [1, 1, 32, 16, 1, 50, 1, 5]));
}

#[test]
fn windows_of_volumes_that_are_impossible_are_refused() {
    for (kernel, strides) in
        [([9, 3, 3], [1, 1, 1]), ([3, 3, 3], [0, 1, 1]), ([3, 3, 3], [1, 1, -1]), ([1 << 21, 3, 3], [1, 1, 1])]
    {
        let graph = Graph::default().input("x", &[1, 4, 8, 8, 8]).dense("x", "y", 8, 8);
        let attributes = [("kernel_shape", Ints(&kernel)), ("strides", Ints(&strides))];
        let (_, report) = import(&graph.node("MaxPool", &["y"], &["z"], &attributes));
        assert!(says(&report, Severity::NotCounted, "MaxPool: "), "{kernel:?} {strides:?} {:#?}", report.lines());
    }
}

/// Whether zeros between inputs are multiplied is an option; both have the outputs and weights of the operator.
#[test]
fn zeros_between_inputs_of_transposed_convolutions_are_counted_on_demand() {
    let mut random = Lcg(11);
    for _ in 0..40 {
        let mut of = |from: i64, count: u64| from + random.below(count) as i64;
        let (size, kernel, stride) = ([of(3, 6), of(3, 6)], [of(2, 4), of(2, 4)], [of(1, 3), of(1, 3)]);
        let pads = [0, 1].map(|axis| of(0, kernel[axis] as u64));
        let more = [0, 1].map(|axis| of(0, stride[axis] as u64));
        let dilation = if stride == [1, 1] { of(1, 2) } else { 1 };
        let made = [0, 1].map(|axis| {
            (size[axis] - 1) * stride[axis] + dilation * (kernel[axis] - 1) + 1 + more[axis] - 2 * pads[axis]
        });
        if made.iter().any(|made| *made < 1) {
            continue;
        }
        let all_pads = [pads, pads].concat();
        let graph = Graph::default()
            .input("x", &[1, 6, size[0], size[1]])
            .weights("w", FLOAT, &[6, 4, kernel[0], kernel[1]])
            .node(
                "ConvTranspose",
                &["x", "w"],
                &["y"],
                &[
                    ("strides", Ints(&stride)),
                    ("pads", Ints(&all_pads)),
                    ("output_padding", Ints(&more)),
                    ("dilations", Ints(&[dilation, dilation])),
                ],
            )
            .conv("y", "out", [1, 4, 1, 1], &[]);
        let what = format!("{size:?} {kernel:?} {stride:?} {dilation} {pads:?} {more:?}");
        let options = onnx::Options { counts_zeros: true, ..onnx::Options::default() };
        let (spec, report) = onnx::import(&mut graph.model().as_slice(), "up.onnx", &options).unwrap();
        let network = Network::new(&spec).unwrap_or_else(|wrong| panic!("{what}: {wrong}"));
        let [outputs, weights] = [made.iter().product::<i64>(), 6 * 4 * kernel.iter().product::<i64>()];
        let y = &layer(&network, "y").shape;
        let expected = [outputs * weights, weights, outputs * 4].map(|number| number as u64);
        assert_eq!([y.macs(), y.elements(Operand::W), y.elements(Operand::O)], expected, "{what}");
        assert_eq!(layer(&network, "out").shape.macs(), (4 * outputs) as u64, "{what}");
        assert!(says(&report, Severity::Expressed, "with zeros in between, which are multiplied"), "{what}");
        if dilation == 1 {
            let (network, report) = import(&graph);
            assert!(says(&report, Severity::Expressed, "no zeros between inputs are multiplied"), "{what}");
            assert_eq!(layer(&network, "out").shape.macs(), (4 * outputs) as u64, "{what}");
        }
    }
}

#[test]
fn a_dilated_transposed_convolution_is_counted_with_its_zeros() {
    let graph =
        Graph::default().input("x", &[1, 6, 8, 8]).dense("x", "z", 8, 8).weights("w", FLOAT, &[6, 4, 3, 3]).node(
            "ConvTranspose",
            &["z", "w"],
            &["y"],
            &[("strides", Ints(&[2, 2])), ("dilations", Ints(&[2, 2])), ("pads", Ints(&[1, 1, 1, 1]))],
        );
    let (_, report) = import(&graph);
    assert!(says(&report, Severity::NotCounted, "which is counted only with the zeros between its inputs"));
    // The remedy.
    let options = onnx::Options { counts_zeros: true, ..onnx::Options::default() };
    let (spec, report) = onnx::import(&mut graph.model().as_slice(), "up.onnx", &options).unwrap();
    assert!(report.coverage.unwrap().is_whole());
    assert_eq!(layer(&Network::new(&spec).unwrap(), "y").shape.macs(), 17 * 17 * 9 * 24);
}
