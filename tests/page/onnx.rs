//! ONNX models written by the tests, imported: layers, sizes, and remarks on the rest.

use fusescape::import::{ByteSource, ImportReport, Severity, onnx};
use fusescape::spec::{WorkloadSpec, read_workload, write_workload};
use fusescape::workload::{Dim, Layer, LayerKind, Network};
use fusescape_test_support::onnx::Is::{Int, Ints, Text};
use fusescape_test_support::onnx::{FLOAT, Graph, INT4, INT8, Message};
use fusescape_test_support::random::Lcg;
use fusescape_test_support::sample::sample_or_all;

pub(crate) fn import_with(graph: &Graph, sizes: &[(String, u64)]) -> (WorkloadSpec, ImportReport) {
    let model = graph.model();
    let options = onnx::Options { sizes: sizes.to_vec(), ..onnx::Options::default() };
    onnx::import(&mut model.as_slice(), "model.onnx", &options).unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// The network as a user gets it: through its document.
pub(crate) fn import(graph: &Graph) -> (Network, ImportReport) {
    let (spec, report) = import_with(graph, &[]);
    let text = write_workload(&spec);
    assert_eq!(read_workload(&text).both().0, spec, "the document says the same");
    (Network::from_text(&text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}")), report)
}

pub(crate) fn layer<'n>(network: &'n Network, name: &str) -> &'n Layer {
    let names: Vec<&str> = network.ids().map(|id| network.layer(id).name.as_str()).collect();
    let place = names.iter().position(|known| *known == name).unwrap_or_else(|| panic!("no {name} in {names:?}"));
    network.layer(place.into())
}

/// Type, then B G K C OY OX FY FX.
pub(crate) fn shape(network: &Network, name: &str) -> (LayerKind, [u64; 8]) {
    let shape = &layer(network, name).shape;
    (shape.kind, shape.sizes)
}

pub(crate) fn reads(network: &Network, name: &str) -> Vec<String> {
    let id = network.ids().find(|&id| network.layer(id).name == name).unwrap();
    network.sources(id).into_iter().map(|id| network.layer(id).name.clone()).collect()
}

pub(crate) fn says(report: &ImportReport, severity: Severity, part: &str) -> bool {
    report.of(severity).any(|finding| finding.to_string().contains(part))
}

const PADS: (&str, fusescape_test_support::onnx::Is) = ("pads", Ints(&[1, 1, 1, 1]));

/// A stem, a block with a projected shortcut, pooling, a classifier; no intermediate shape is stated.
fn residual() -> Graph {
    Graph::default()
        .input("image", &[-1, 3, 64, 64])
        .conv("image", "stem", [16, 3, 7, 7], &[("strides", Ints(&[2, 2])), ("pads", Ints(&[3, 3, 3, 3]))])
        .weights("scale", FLOAT, &[16])
        .node("BatchNormalization", &["stem", "scale", "scale", "scale", "scale"], &["normal"], &[])
        .node("Relu", &["normal"], &["relu"], &[])
        .node("MaxPool", &["relu"], &["pool"], &[("kernel_shape", Ints(&[3, 3])), ("strides", Ints(&[2, 2])), PADS])
        .conv("pool", "a", [32, 16, 3, 3], &[("strides", Ints(&[2, 2])), PADS])
        .conv("a", "b", [32, 32, 3, 3], &[PADS])
        .conv("pool", "short", [32, 16, 1, 1], &[("strides", Ints(&[2, 2]))])
        .node("Add", &["b", "short"], &["sum"], &[])
        .node("GlobalAveragePool", &["sum"], &["mean"], &[])
        .node("Flatten", &["mean"], &["flat"], &[])
        .weights("fc.weight", FLOAT, &[10, 32])
        .weights("fc.bias", FLOAT, &[10])
        .node("Gemm", &["flat", "fc.weight", "fc.bias"], &["fc"], &[("transB", Int(1))])
        .output("fc", &[-1, 10])
}

#[test]
fn a_residual_network_has_the_layers_and_sizes_of_its_graph() {
    let (network, report) = import(&residual());
    use LayerKind::{Add, Conv, FullyConnected, Pooling};
    for (name, expected) in [
        ("stem", (Conv, [1, 1, 16, 3, 32, 32, 7, 7])),
        ("pool", (Pooling, [1, 16, 1, 1, 16, 16, 3, 3])),
        ("a", (Conv, [1, 1, 32, 16, 8, 8, 3, 3])),
        ("b", (Conv, [1, 1, 32, 32, 8, 8, 3, 3])),
        ("short", (Conv, [1, 1, 32, 16, 8, 8, 1, 1])),
        ("sum", (Add, [1, 32, 1, 1, 8, 8, 1, 1])),
        ("mean", (Pooling, [1, 32, 1, 1, 1, 1, 8, 8])),
        ("fc", (FullyConnected, [1, 1, 10, 32, 1, 1, 1, 1])),
    ] {
        assert_eq!(shape(&network, name), expected, "{name}");
    }
    assert_eq!(network.computing().count(), 8);
    assert_eq!(reads(&network, "sum"), ["b", "short"]);
    assert_eq!(network.stored().count(), 0, "everything can be fused");
    let convolutions = 16 * 3 * 49 * 32 * 32 + 32 * 64 * (16 * 9 + 32 * 9 + 16) + 320;
    assert_eq!(network.macs(), convolutions + 16 * 256 * 9 + 32 * 64 * 2);
    assert!(says(&report, Severity::Merged, "part of the weights before it (normal)"));
    assert!(says(&report, Severity::Merged, "leave the array (relu)"));
    assert!(says(&report, Severity::Assumed, "the file leaves `open1` open; taken as 1"));
    assert!(says(&report, Severity::Assumed, "32 bit floating point; counted with 8 bit"));
    assert_eq!(report.of(Severity::NotCounted).count(), 0, "{:#?}", report.lines());
}

/// As exported by PyTorch: heads by reshape and transpose, shapes computed in the graph.
pub(crate) fn transformer(tokens: i64) -> Graph {
    let mut graph = Graph::default()
        .input("x", &[-1, tokens, 96])
        .dense("x", "q", 96, 96)
        .dense("x", "k", 96, 96)
        .dense("x", "v", 96, 96)
        .node("Shape", &["x"], &["x.shape"], &[])
        .ints("one", &[1])
        .ints("zero", &[0])
        .node("Gather", &["x.shape", "zero"], &["x.batch"], &[("axis", Int(0))])
        .node("Gather", &["x.shape", "one"], &["x.tokens"], &[("axis", Int(0))])
        .ints("heads", &[6])
        .ints("depth", &[16])
        .ints("all", &[-1])
        .node("Concat", &["x.batch", "x.tokens", "heads", "depth"], &["split"], &[("axis", Int(0))])
        .node("Concat", &["x.batch", "x.tokens", "all"], &["joined"], &[("axis", Int(0))]);
    for (name, order) in [("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])] {
        let (parts, turned) = (format!("{name}.parts"), format!("{name}.heads"));
        graph = graph.node("Reshape", &[name, "split"], &[&parts], &[]);
        graph = graph.node("Transpose", &[&parts], &[&turned], &[("perm", Ints(&order))]);
    }
    graph
        .node("MatMul", &["q.heads", "k.heads"], &["scores"], &[])
        .floats("root", &[4.0])
        .node("Div", &["scores", "root"], &["scaled"], &[])
        .node("Softmax", &["scaled"], &["shares"], &[("axis", Int(-1))])
        .node("MatMul", &["shares", "v.heads"], &["context"], &[])
        .node("Transpose", &["context"], &["context.turned"], &[("perm", Ints(&[0, 2, 1, 3]))])
        .node("Reshape", &["context.turned", "joined"], &["context.tokens"], &[])
        .dense("context.tokens", "project", 96, 96)
        .weights("bias", FLOAT, &[96])
        .node("Add", &["project", "bias"], &["project.bias"], &[])
        .node("Add", &["project.bias", "x"], &["add1"], &[])
        .node("LayerNormalization", &["add1", "bias", "bias"], &["normal"], &[])
        .dense("normal", "expand", 96, 384)
        .node("Gelu", &["expand"], &["gelu"], &[])
        .dense("gelu", "shrink", 384, 96)
        .node("Add", &["shrink", "normal"], &["add2"], &[])
        .output("add2", &[-1, tokens, 96])
}

#[test]
fn attention_is_a_chain_of_products_with_heads() {
    let (network, report) = import(&transformer(40));
    use LayerKind::{Add, MatMul, Pointwise};
    for (name, expected) in [
        ("q", (Pointwise, [1, 1, 96, 96, 1, 40, 1, 1])),
        ("scores", (MatMul, [1, 6, 40, 16, 1, 40, 1, 1])),
        ("context", (MatMul, [1, 6, 16, 40, 1, 40, 1, 1])),
        ("project", (Pointwise, [1, 1, 96, 96, 1, 40, 1, 1])),
        ("add1", (Add, [1, 96, 1, 1, 1, 40, 1, 1])),
        ("expand", (Pointwise, [1, 1, 384, 96, 1, 40, 1, 1])),
        ("shrink", (Pointwise, [1, 1, 96, 384, 1, 40, 1, 1])),
    ] {
        assert_eq!(shape(&network, name), expected, "{name}");
    }
    assert_eq!(network.macs(), 40 * (4 * 96 * 96 + 2 * 96 * 384) + 2 * 40 * 40 * 96 + 2 * 40 * 96);
    assert!(network.ids().all(|id| layer(&network, &network.layer(id).name).shape.kind != LayerKind::View));
    assert_eq!(reads(&network, "scores"), ["q", "k"]);
    let stored: Vec<&str> = network.stored().map(|id| network.layer(id).name.as_str()).collect();
    assert_eq!(stored, ["k", "v"], "only second matrices have to be complete");
    for op in ["Softmax", "LayerNormalization", "Gelu"] {
        assert!(says(&report, Severity::NotCounted, op), "{op} is not listed: {:#?}", report.lines());
    }
    assert!(says(&report, Severity::Merged, "part of the weights before it (project.bias"));
}

#[test]
fn open_sizes_are_said_or_stated() {
    let (spec, report) = import_with(&transformer(-7), &[("open7".to_owned(), 50)]);
    let network = Network::new(&spec).unwrap();
    assert_eq!(layer(&network, "q").shape.size(Dim::OX), 50);
    assert!(!says(&report, Severity::Assumed, "open7"));
    let (spec, report) = import_with(&transformer(-7), &[]);
    assert_eq!(layer(&Network::new(&spec).unwrap(), "q").shape.size(Dim::OX), 128);
    assert!(says(&report, Severity::Assumed, "`open7` open; taken as 128"));
}

#[test]
fn operators_that_only_arrange_data_become_views() {
    let graph = Graph::default()
        .input("image", &[1, 8, 16, 16])
        .conv("image", "a", [8, 8, 3, 3], &[PADS])
        .conv("image", "b", [24, 8, 1, 1], &[])
        .node("Concat", &["a", "b"], &["both"], &[("axis", Int(1))])
        .conv("both", "c", [8, 32, 1, 1], &[])
        .floats("scales", &[1.0, 1.0, 2.0, 2.0])
        .node("Resize", &["c", "", "scales"], &["up"], &[("mode", Text("nearest"))])
        .conv("up", "d", [8, 8, 3, 3], &[PADS])
        .ints("halves", &[4, 4])
        .node("Split", &["d", "halves"], &["left", "right"], &[("axis", Int(1))])
        .conv("right", "e", [2, 4, 1, 1], &[])
        .ints("from", &[0])
        .ints("to", &[10])
        .ints("rows", &[2])
        .node("Slice", &["left", "from", "to", "rows"], &["top"], &[])
        .conv("top", "f", [2, 4, 1, 1], &[])
        .node("DepthToSpace", &["c"], &["shuffled"], &[("blocksize", Int(2))])
        .conv("shuffled", "g", [4, 2, 1, 1], &[])
        .node("Transpose", &["d"], &["turned"], &[("perm", Ints(&[0, 1, 3, 2]))])
        .conv("turned", "h", [2, 8, 1, 1], &[])
        .node("Resize", &["e", "", "scales"], &["soft"], &[("mode", Text("linear"))])
        .conv("soft", "i", [2, 2, 1, 1], &[]);
    let (network, report) = import(&graph);
    for (name, from, expected) in [
        ("c", vec!["a", "b"], [1, 1, 8, 32, 16, 16, 1, 1]),
        ("d", vec!["c"], [1, 1, 8, 8, 32, 32, 3, 3]),
        ("e", vec!["d"], [1, 1, 2, 4, 32, 32, 1, 1]),
        ("f", vec!["d"], [1, 1, 2, 4, 10, 32, 1, 1]),
        ("g", vec!["c"], [1, 1, 4, 2, 32, 32, 1, 1]),
        ("h", vec!["d"], [1, 1, 2, 8, 32, 32, 1, 1]),
        ("i", vec!["e"], [1, 1, 2, 2, 64, 64, 1, 1]),
    ] {
        assert_eq!(shape(&network, name), (LayerKind::Conv, expected), "{name}");
        assert_eq!(reads(&network, name), from, "{name}");
    }
    assert!(says(&report, Severity::NotCounted, "Resize: its interpolation"));
    assert!(says(&report, Severity::Expressed, "2 x view: its input is arranged anew"));
    // All views but the transposed map and the interpolated one can be read tile by tile.
    let whole: Vec<&str> = network.needed_whole().map(|id| network.layer(id).name.as_str()).collect();
    assert_eq!(whole, ["d", "e"]);
    let read = |name: &str| {
        let id = network.ids().find(|&id| network.layer(id).name == name).unwrap();
        let of = network.reads(id).iter().map(|read| (network.layer(read.layer).name.clone(), read.channels.clone()));
        of.collect::<Vec<_>>()
    };
    assert_eq!(read("c"), [("a".to_owned(), 0..8), ("b".to_owned(), 0..24)]);
    assert_eq!(read("e"), [("d".to_owned(), 4..8)]);
    assert_eq!(read("f"), [("d".to_owned(), 0..4)]);
    assert_eq!(read("g"), [("c".to_owned(), 0..8)]);
}

#[test]
fn channels_that_are_shuffled_are_not_taken_for_others() {
    let graph = Graph::default()
        .input("image", &[1, 8, 16, 16])
        .conv("image", "a", [8, 8, 3, 3], &[PADS])
        .ints("groups", &[1, 2, 4, 16, 16])
        .node("Reshape", &["a", "groups"], &["grouped"], &[])
        .node("Transpose", &["grouped"], &["turned"], &[("perm", Ints(&[0, 2, 1, 3, 4]))])
        .ints("map", &[1, 8, 16, 16])
        .node("Reshape", &["turned", "map"], &["shuffled"], &[])
        .conv("shuffled", "whole", [4, 8, 1, 1], &[])
        .ints("halves", &[4, 4])
        .node("Split", &["shuffled", "halves"], &["left", "right"], &[("axis", Int(1))])
        .conv("right", "half", [2, 4, 1, 1], &[]);
    let (network, _) = import(&graph);
    let id = |name: &str| network.ids().find(|&id| network.layer(id).name == name).unwrap();
    assert_eq!(network.reads(id("whole"))[0].layer, id("a"), "who reads all channels need not care");
    assert_ne!(network.reads(id("half"))[0].layer, id("a"), "half of them are no range of what `a` computes");
    assert_eq!(network.needed_whole().collect::<Vec<_>>(), [id("a")]);
}

#[test]
fn every_pixel_of_a_transposed_convolution_lies_in_a_block() {
    let graph = Graph::default()
        .input("image", &[1, 8, 10, 12])
        .conv("image", "down", [16, 8, 2, 2], &[("strides", Ints(&[2, 2]))])
        .weights("up.weight", FLOAT, &[16, 8, 2, 2])
        .node("ConvTranspose", &["down", "up.weight"], &["up"], &[("strides", Ints(&[2, 2]))])
        .node("Concat", &["up", "image"], &["both"], &[("axis", Int(1))])
        .conv("both", "last", [1, 16, 3, 3], &[PADS]);
    let (network, _) = import(&graph);
    assert_eq!(shape(&network, "last"), (LayerKind::Conv, [1, 1, 1, 16, 10, 12, 3, 3]));
    assert_eq!(network.needed_whole().count(), 0, "U-Net is one stack");
    let last = network.ids().last().unwrap();
    let of_up = &network.reads(last)[0];
    assert_eq!((of_up.channels.clone(), of_up.depth, of_up.columns.divide), (0..32, 4, 2));
}

#[test]
fn a_transposed_convolution_has_all_its_operations() {
    let graph = Graph::default()
        .input("image", &[1, 8, 10, 12])
        .weights("up.weight", FLOAT, &[8, 4, 4, 4])
        .node("ConvTranspose", &["image", "up.weight"], &["up"], &[("strides", Ints(&[2, 2])), PADS])
        .conv("up", "last", [1, 4, 3, 3], &[PADS]);
    let (network, report) = import(&graph);
    // 8 x 10 x 12 inputs, each times 4 x 4 x 4 weights.
    assert_eq!(layer(&network, "up").shape.macs(), 8 * 120 * 64);
    assert_eq!(layer(&network, "up").shape.weight_bits(), 8 * 64 * 8);
    assert_eq!(shape(&network, "last"), (LayerKind::Conv, [1, 1, 1, 4, 20, 24, 3, 3]));
    assert!(says(&report, Severity::Expressed, "sub-pixel convolution"));
    let odd = Graph::default().input("image", &[1, 8, 10, 12]).weights("up.weight", FLOAT, &[8, 4, 9, 9]).node(
        "ConvTranspose",
        &["image", "up.weight"],
        &["up"],
        &[("strides", Ints(&[4, 4])), ("pads", Ints(&[4, 4, 4, 4])), ("output_padding", Ints(&[3, 3]))],
    );
    let (network, report) = import(&odd);
    assert_eq!(shape(&network, "up"), (LayerKind::Conv, [1, 1, 64, 8, 10, 12, 3, 3]));
    assert!(says(&report, Severity::Assumed, "no multiple of its stride"));
}

/// One axis of a window, as ONNX states it.
#[derive(Debug, Clone, Copy)]
struct WindowAxis {
    size: i64,
    kernel: i64,
    stride: i64,
    dilation: i64,
    /// Of the node itself, unless `auto_pad` determines it.
    pads: [i64; 2],
    /// Of an operator Pad before it.
    zeros: [i64; 2],
}

impl WindowAxis {
    fn random(random: &mut Lcg, is_padded_before: bool) -> Self {
        let mut of = |from: i64, count: u64| from + random.below(count) as i64;
        let (size, kernel, stride, dilation) = (of(7, 8), of(1, 4), of(1, 4), of(1, 2));
        let mut sides = |is_padded: bool| if is_padded { [of(0, 2), of(0, 3)] } else { [0, 0] };
        let (pads, zeros) = (sides(kernel > 2), sides(is_padded_before));
        Self { size, kernel, stride, dilation, pads, zeros }
    }

    fn span(&self) -> i64 {
        self.dilation * (self.kernel - 1) + 1
    }

    /// Padding that the node adds before and after its input. `SAME_` gives one output for every stride that begins in
    /// the input, with the least padding; an odd one is added after (`UPPER`) or before (`LOWER`).
    fn added(&self, auto_pad: &str) -> [i64; 2] {
        let size = self.size + self.zeros[0] + self.zeros[1];
        let outputs = (0..size).step_by(self.stride as usize).count() as i64;
        let fewest = (0..).find(|total| (outputs - 1) * self.stride + self.span() <= size + total).unwrap();
        match auto_pad {
            "SAME_UPPER" => [fewest / 2, fewest - fewest / 2],
            "SAME_LOWER" => [fewest - fewest / 2, fewest / 2],
            "VALID" => [0, 0],
            _ => self.pads,
        }
    }

    /// The elements of the map read by each output. Windows follow each other as long as they fit; with `ceil_mode`
    /// until one reaches the end, unless it begins beyond the input.
    fn read(&self, auto_pad: &str, ceil_mode: bool) -> Vec<Vec<i64>> {
        let [before, behind] = self.added(auto_pad);
        let size = self.size + self.zeros[0] + self.zeros[1];
        let (mut read, mut start) = (Vec::new(), -before);
        loop {
            let reaches_end = start - self.stride + self.span() >= size + behind;
            let is_next = if ceil_mode {
                start == -before || (!reaches_end && start < size)
            } else {
                start + self.span() <= size + behind
            };
            if !is_next {
                return read;
            }
            let taps = (0..self.kernel).map(|tap| start + tap * self.dilation - self.zeros[0]);
            read.push(taps.filter(|at| (0..self.size).contains(at)).collect());
            start += self.stride;
        }
    }
}

#[test]
fn windows_read_what_onnx_says_whatever_their_padding_and_rounding() {
    let mut random = Lcg(17);
    let (mut cases, mut rounded_up, mut lower, mut padded_before) = (0, 0, 0, 0);
    for _ in 0..3000 {
        let auto_pad = random.of(&["NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"]);
        let ceil_mode = random.below(2) == 0;
        let is_padded_before = !ceil_mode && random.below(3) == 0;
        let axes = [0, 1].map(|_| WindowAxis::random(&mut random, is_padded_before));
        let [columns, rows] = axes;
        let expected = axes.map(|axis| axis.read(auto_pad, ceil_mode));
        // Layers have no outputs that see only padding, and no more padding than the extent of their kernel.
        let is_usual = |axis: &WindowAxis| {
            let added = axis.added(auto_pad);
            (0..2).all(|side| added[side] + axis.zeros[side] < axis.span()) && axis.span() <= axis.size
        };
        if expected.iter().flatten().any(Vec::is_empty) || !axes.iter().all(is_usual) {
            continue;
        }
        let (kernel, strides) = ([rows.kernel, columns.kernel], [rows.stride, columns.stride]);
        let dilations = [rows.dilation, columns.dilation];
        let pads = [rows.pads[0], columns.pads[0], rows.pads[1], columns.pads[1]];
        let mut attributes = vec![("strides", Ints(&strides)), ("dilations", Ints(&dilations))];
        attributes.push(if auto_pad == "NOTSET" { ("pads", Ints(&pads)) } else { ("auto_pad", Text(auto_pad)) });
        let mut graph = Graph::default()
            .input("image", &[1, 3, rows.size, columns.size])
            .ints("zeros", &[0, 0, rows.zeros[0], columns.zeros[0], 0, 0, rows.zeros[1], columns.zeros[1]]);
        if is_padded_before {
            graph = graph.node("Pad", &["image", "zeros"], &["map"], &[]);
        }
        let map = if is_padded_before { "map" } else { "image" };
        let graph = if ceil_mode || random.below(2) == 0 {
            attributes.extend([("kernel_shape", Ints(&kernel)), ("ceil_mode", Int(ceil_mode.into()))]);
            graph.node("MaxPool", &[map], &["window"], &attributes)
        } else {
            graph.conv(map, "window", [2, 3, kernel[0], kernel[1]], &attributes)
        };
        let (network, _) = import(&graph);
        let Layer { shape, padding, .. } = layer(&network, "window");
        let found: [Vec<Vec<i64>>; 2] = [
            (shape.size(Dim::OX), shape.size(Dim::FX), shape.stride.0, shape.dilation.0, padding.left, columns.size),
            (shape.size(Dim::OY), shape.size(Dim::FY), shape.stride.1, shape.dilation.1, padding.top, rows.size),
        ]
        .map(|(outputs, kernel, stride, dilation, before, size)| {
            let places = |output: u64| (0..kernel).map(move |tap| output * stride + tap * dilation);
            let inside = |output: u64| places(output).map(|at| at as i64 - before as i64);
            (0..outputs).map(|output| inside(output).filter(|at| (0..size).contains(at)).collect()).collect()
        });
        assert_eq!(found, expected, "{auto_pad}, ceil_mode {ceil_mode}: columns {columns:?}, rows {rows:?}");
        cases += 1;
        rounded_up += usize::from(axes.iter().any(|axis| axis.read(auto_pad, false) != axis.read(auto_pad, ceil_mode)));
        let is_uneven = |axis: &WindowAxis| axis.added("SAME_LOWER") != axis.added("SAME_UPPER");
        lower += usize::from(auto_pad == "SAME_LOWER" && axes.iter().any(is_uneven));
        padded_before += usize::from(auto_pad.starts_with("SAME") && axes.iter().any(|axis| axis.zeros != [0, 0]));
    }
    let kinds = [cases, rounded_up, lower, padded_before];
    assert!(kinds.iter().all(|&count| count > 50), "cases, rounded up, uneven, padded before: {kinds:?}");
}

#[test]
fn squeeze_and_excitation_reads_its_gate_as_weights() {
    let graph = Graph::default()
        .input("image", &[1, 16, 20, 20])
        .conv("image", "dw", [16, 1, 5, 5], &[("group", Int(16)), ("auto_pad", Text("SAME_UPPER"))])
        .node("GlobalAveragePool", &["dw"], &["squeeze"], &[])
        .conv("squeeze", "down", [4, 16, 1, 1], &[])
        .node("Relu", &["down"], &["relu"], &[])
        .conv("relu", "up", [16, 4, 1, 1], &[])
        .node("Sigmoid", &["up"], &["gate"], &[])
        .node("Mul", &["dw", "gate"], &["excited"], &[])
        .node("Sigmoid", &["excited"], &["soft"], &[])
        .node("Mul", &["excited", "soft"], &["swish"], &[])
        .conv("swish", "out", [8, 16, 1, 1], &[]);
    let (network, report) = import(&graph);
    assert_eq!(shape(&network, "dw"), (LayerKind::Depthwise, [1, 16, 1, 1, 20, 20, 5, 5]));
    assert_eq!(shape(&network, "excited"), (LayerKind::Depthwise, [1, 16, 1, 1, 20, 20, 1, 1]));
    assert_eq!(reads(&network, "excited"), ["dw", "up"]);
    assert_eq!(network.stored().map(|id| network.layer(id).name.as_str()).collect::<Vec<_>>(), ["up"]);
    assert_eq!(reads(&network, "out"), ["excited"]);
    assert!(says(&report, Severity::NotCounted, "2 x Sigmoid"));
    assert!(says(&report, Severity::NotCounted, "Mul: combines a map with what element by element became of it"));
}

#[test]
fn quantised_models_are_the_same_networks() {
    let graph = Graph::default()
        .input("image", &[1, 3, 16, 16])
        .weights("s", FLOAT, &[1])
        .weights("z", INT8, &[1])
        .node("QuantizeLinear", &["image", "s", "z"], &["q"], &[])
        .weights("w", INT8, &[8, 3, 3, 3])
        .node("QLinearConv", &["q", "s", "z", "w", "s", "z", "s", "z"], &["conv"], &[PADS])
        .weights("w4", INT4, &[8, 8, 1, 1])
        .node("DequantizeLinear", &["w4", "s"], &["w4.real"], &[])
        .node("DequantizeLinear", &["conv", "s", "z"], &["real"], &[])
        .node("Conv", &["real", "w4.real"], &["conv4"], &[])
        .node("QLinearAdd", &["conv4", "s", "z", "conv", "s", "z", "s", "z"], &["sum"], &[])
        .node("QLinearGlobalAveragePool", &["sum", "s", "z", "s", "z"], &["mean"], &[])
        .ints("flat", &[1, 8])
        .node("Reshape", &["mean", "flat"], &["row"], &[])
        .weights("fc.w", INT8, &[8, 5])
        .node("QLinearMatMul", &["row", "s", "z", "fc.w", "s", "z", "s", "z"], &["fc"], &[])
        .weights("integer.w", INT8, &[5, 6])
        .node("MatMulInteger", &["fc", "integer.w"], &["integer"], &[]);
    let (network, report) = import(&graph);
    let kinds: Vec<LayerKind> = network.computing().map(|id| network.layer(id).shape.kind).collect();
    use LayerKind::{Add, Conv, FullyConnected, Pooling};
    assert_eq!(kinds, [Conv, Conv, Add, Pooling, FullyConnected, FullyConnected]);
    assert_eq!(layer(&network, "conv").shape.precision.w, 8);
    assert_eq!(layer(&network, "conv4").shape.precision.w, 4);
    assert_eq!(report.of(Severity::NotCounted).count(), 0, "{:#?}", report.lines());
}

#[test]
fn what_no_layer_stands_for_is_said() {
    let graph = Graph::default()
        .input("image", &[2, 4, 8, 8])
        .conv("image", "a", [4, 4, 3, 3], &[PADS])
        .node("Whatever", &["a"], &["b"], &[])
        .shape("b", &[2, 4, 4, 4])
        .conv("b", "c", [4, 4, 3, 3], &[PADS])
        .node("Mystery", &["c"], &["d"], &[])
        .conv("d", "e", [4, 4, 3, 3], &[PADS])
        .node("Add", &["a", "a"], &["twice"], &[])
        .weights("cube", FLOAT, &[4, 4, 3, 3, 3])
        .node("Conv", &["a", "cube"], &["f"], &[]);
    let (network, report) = import(&graph);
    assert_eq!(network.computing().count(), 2);
    assert_eq!(shape(&network, "c"), (LayerKind::Conv, [2, 1, 4, 4, 4, 4, 3, 3]));
    for part in [
        "Whatever: there is no such layer; its outputs have the shapes that the file states (b)",
        "Mystery: there is no such layer, and the file does not state what it makes (d)",
        "Conv: its input d is not known (e)",
        "Add: combines a map with what element by element became of it (twice)",
        "Conv: its weights have 5 dimensions, its input 4 (f)",
    ] {
        assert!(says(&report, Severity::NotCounted, part), "{part}: {:#?}", report.lines());
    }
}

#[test]
fn patches_become_tokens_and_padding_goes_into_the_layer() {
    let graph = Graph::default()
        .input("image", &[1, 3, 32, 48])
        .ints("pads", &[0, 0, 1, 0, 0, 0, 0, 1])
        .node("Pad", &["image", "pads"], &["padded"], &[("mode", Text("constant"))])
        .conv("padded", "patch", [24, 3, 3, 3], &[("strides", Ints(&[2, 2])), ("pads", Ints(&[0, 1, 1, 0]))])
        .ints("flat", &[0, 24, -1])
        .node("Reshape", &["patch", "flat"], &["rows"], &[])
        .node("Transpose", &["rows"], &["tokens"], &[("perm", Ints(&[0, 2, 1]))])
        .dense("tokens", "dense", 24, 12)
        .node("ReduceMean", &["dense"], &["mean"], &[("axes", Ints(&[1])), ("keepdims", Int(0))])
        .dense("mean", "head", 12, 5);
    let (network, report) = import(&graph);
    let patch = layer(&network, "patch");
    assert_eq!([patch.padding.left, patch.padding.right, patch.padding.top, patch.padding.bottom], [1, 1, 1, 1]);
    assert_eq!(shape(&network, "dense"), (LayerKind::Pointwise, [1, 1, 12, 24, 16, 24, 1, 1]));
    assert_eq!(shape(&network, "mean"), (LayerKind::Pooling, [1, 12, 1, 1, 1, 1, 16, 24]));
    assert_eq!(shape(&network, "head"), (LayerKind::FullyConnected, [1, 1, 5, 12, 1, 1, 1, 1]));
    assert_eq!(network.stored().count(), 0);
    assert!(says(&report, Severity::Merged, "becomes the padding"));
}

/// A file that counts the bytes read from it, with a simulated gap of gigabytes of weights.
struct Sparse {
    head: Vec<u8>,
    hole: u64,
    tail: Vec<u8>,
    read: u64,
}

impl ByteSource for Sparse {
    fn len(&self) -> u64 {
        self.head.len() as u64 + self.hole + self.tail.len() as u64
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
        let after = self.head.len() as u64 + self.hole;
        let mut count = 0;
        for (index, byte) in buffer.iter_mut().enumerate() {
            let at = offset + index as u64;
            *byte = match self.head.get(at as usize) {
                Some(byte) => *byte,
                None if at < after => 0,
                None => match self.tail.get((at - after) as usize) {
                    Some(byte) => *byte,
                    None => break,
                },
            };
            count += 1;
        }
        self.read += count;
        Ok(count as usize)
    }
}

/// Exporters compute the padding of `Pad` from a list by axis, last axis first: pairs (before, after), reversed, as
/// rows.
#[test]
fn padding_that_a_model_computes_is_known() {
    let graph = Graph::default()
        .input("image", &[1, 3, 32, 48])
        .ints("sides", &[1, 2, 3, 4])
        .ints("none", &[4])
        .ints("pairs", &[-1, 2])
        .ints("minus_one", &[-1])
        .ints("to_first", &[i64::MIN])
        .ints("rows", &[0])
        .ints("list", &[-1])
        .node("ConstantOfShape", &["none"], &["zeros"], &[])
        .node("Concat", &["sides", "zeros"], &["all"], &[("axis", Int(0))])
        .node("Reshape", &["all", "pairs"], &["by_axis"], &[])
        .node("Slice", &["by_axis", "minus_one", "to_first", "rows", "minus_one"], &["reversed"], &[])
        .node("Transpose", &["reversed"], &["turned"], &[("perm", Ints(&[1, 0]))])
        .node("Reshape", &["turned", "list"], &["flat"], &[])
        .node("Cast", &["flat"], &["pads"], &[("to", Int(7))])
        .node("Pad", &["image", "pads"], &["padded"], &[("mode", Text("constant"))])
        .conv("padded", "conv", [8, 3, 5, 7], &[]);
    let (network, _) = import(&graph);
    let padding = layer(&network, "conv").padding;
    assert_eq!([padding.left, padding.right, padding.top, padding.bottom], [1, 2, 3, 4]);
}

#[test]
fn what_multiplies_and_is_not_counted_is_told_with_its_weights() {
    let whole = Graph::default().input("x", &[1, 16, 64]).dense("x", "a", 64, 32).dense("a", "b", 32, 8);
    let (_, report) = import(&whole);
    let coverage = report.coverage.unwrap();
    assert!(coverage.is_whole());
    assert_eq!(coverage.to_string(), "2 of 2 operators that multiply are counted, with 2.30 of 2.30 thousand weights");

    let part = whole
        .weights("W", FLOAT, &[1, 40, 8])
        .weights("R", FLOAT, &[1, 40, 10])
        .node("DeformConv", &["b", "W", "R"], &["c"], &[])
        .dense("c", "d", 10, 100);
    let (_, report) = import(&part);
    let coverage = report.coverage.unwrap();
    assert!(!coverage.is_whole());
    // The outputs of an operator after an unknown one are lost, too.
    assert_eq!(coverage.to_string(), "2 of 4 operators that multiply are counted, with 2.30 of 4.02 thousand weights");
    assert!(report.lines().iter().any(|line| line.starts_with("INCOMPLETE. ")));
}

#[test]
fn sizes_that_the_model_does_not_leave_open_are_refused_with_what_is_meant() {
    let graph = Graph::default().input("x", &[-1, 16, 64]).dense("x", "a", 64, 32);
    let sizes = vec![("Open1".to_owned(), 8), ("rows".to_owned(), 3)];
    let options = onnx::Options { sizes, ..onnx::Options::default() };
    let wrong = onnx::import(&mut graph.model().as_slice(), "model.onnx", &options);
    let told = wrong.unwrap_err().to_string();
    assert!(told.contains("no open dimension `Open1`") && told.contains("Did you mean `open1`?"), "{told}");
    assert!(told.contains("no open dimension `rows`") && told.contains("It leaves open `open1`"), "{told}");
}

#[test]
fn weights_are_not_read() {
    // The raw bytes of a tensor are its last field: message, tensor and graph all get longer by the gap.
    let hole: u64 = 3 << 30;
    let varint = |value: u64| fusescape_test_support::onnx::Message::default().number(1, value as i64).0[1..].to_vec();
    let nested = |field: u8, length: u64| [vec![field << 3 | 2], varint(length)].concat();
    let rest = residual().message.0;
    let tensor_head = [
        fusescape_test_support::onnx::Message::default().number(1, 1 << 30).number(2, FLOAT).text(8, "huge").0,
        nested(9, hole),
    ]
    .concat();
    let tensor = [nested(5, tensor_head.len() as u64 + hole), tensor_head].concat();
    let graph = nested(7, tensor.len() as u64 + hole + rest.len() as u64);
    let mut source = Sparse { head: [graph, tensor].concat(), hole, tail: rest, read: 0 };
    let (spec, _) =
        onnx::import(&mut source, "huge.onnx", &Default::default()).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert_eq!(
        spec,
        WorkloadSpec { name: "huge".to_owned(), about: spec.about.clone(), ..import_with(&residual(), &[]).0 }
    );
    assert!(source.read < 1 << 20, "{} bytes read of {}", source.read, source.len());
}

#[test]
fn broken_files_are_refused_without_a_panic() {
    let model = transformer(12).model();
    let cut = |end: usize| onnx::import(&mut &model[..end], "cut.onnx", &Default::default()).map(|(spec, _)| spec);
    for end in (0..model.len()).step_by(model.len() / sample_or_all(150, model.len())) {
        match cut(end) {
            Err(wrong) => assert!(wrong.to_string().contains("is no complete ONNX model"), "{end} bytes: {wrong}"),
            // Nothing shows that the part after the graph is missing.
            Ok(network) => assert_eq!(Ok(network), cut(model.len()), "{end} bytes"),
        }
    }
    // Bytes changed at random places: the result is always an answer.
    let mut random = Lcg(1);
    for model in [residual().model(), model] {
        // Mostly in the graph, as the weights are not read.
        let small: Vec<u8> = model.clone();
        for _ in 0..sample_or_all(300, 2000) {
            let mut changed = small.clone();
            for _ in 0..1 + random.index(6) {
                let at = random.index(changed.len());
                changed[at] = random.index(256) as u8;
            }
            if let Ok((spec, _)) = onnx::import(&mut changed.as_slice(), "changed.onnx", &Default::default()) {
                let _ = Network::from_text(&write_workload(&spec));
            }
        }
    }
    for nonsense in [&b""[..], b"name: a document", &[0xff; 100], &[0x3a, 0x00]] {
        assert!(onnx::import(&mut &nonsense[..], "nonsense", &Default::default()).is_err());
    }
}

#[test]
fn paths_that_all_layers_share_are_left_out_of_their_names() {
    let graph = Graph::default()
        .input("model/image", &[1, 4, 8, 8])
        .conv("model/image", "/model/net/a/Conv", [4, 4, 1, 1], &[])
        .node("Softmax", &["/model/net/a/Conv"], &["/model/net/a/b/Softmax"], &[])
        .conv("/model/net/a/b/Softmax", "/model/net/b/Conv", [4, 4, 1, 1], &[]);
    let (network, report) = import(&graph);
    let names: Vec<&str> = network.ids().map(|id| network.layer(id).name.as_str()).collect();
    assert_eq!(names, ["model/image", "a/Conv", "b/Conv"]);
    assert!(says(&report, Severity::NotCounted, "(b/Softmax)"));
}

/// Found by fuzzing: the smallest number has no positive counterpart.
#[test]
fn the_smallest_number_is_no_padding() {
    let graph = Graph::default()
        .input("x", &[1, 4, 8, 8])
        .conv("x", "y", [4, 4, 1, 1], &[])
        .ints("pads", &[0, 0, i64::MIN, 0, 0, 0, 0, 0])
        .node("Pad", &["y", "pads"], &["z"], &[]);
    assert!(says(&import(&graph).1, Severity::NotCounted, "Pad: its pads do not fit its input"));
}

#[test]
fn huge_graphs_are_bounded() {
    let mut many = Graph::default().input("x", &[1, 4, 8, 8]).weights("w", FLOAT, &[4, 4, 1, 1]);
    for _ in 0..5000 {
        // All with one name, as only the last output with a name counts.
        many = many.node("Conv", &["x", "w"], &["y"], &[]);
    }
    let wrong = onnx::import(&mut many.model().as_slice(), "many.onnx", &Default::default()).unwrap_err().to_string();
    assert!(wrong.contains("has 5001 layers, more than the 4096 of a document"), "{wrong}");
    let mut joined = Graph::default().input("x", &[1, 4, 8, 8]).weights("w", FLOAT, &[4, 4, 1, 1]);
    let mut last = "x".to_owned();
    for index in 0..2000 {
        let (conv, all) = (format!("conv{index}"), format!("all{index}"));
        joined = joined.node("Conv", &["x", "w"], &[&conv], &[]).node(
            "Concat",
            &[&last, &conv],
            &[&all],
            &[("axis", Int(0))],
        );
        last = all;
    }
    let (_, report) = import_with(&joined, &[]);
    assert!(says(&report, Severity::NotCounted, "it joins more than any network does"));
}

/// Found by trial: two bytes of a file became a hundred of memory, sixteen million times.
#[test]
fn lists_of_a_graph_are_bounded_while_they_are_read() {
    let most = 1 << 17;
    // A field of the graph, its content, and the size of one item in bytes.
    let filled = |field: u64, content: &Message, count: usize| {
        let graph = Message(Message::default().message(field, content).0.repeat(count));
        Message::default().message(7, &graph).0
    };
    let refused = |model: &[u8]| onnx::import(&mut &*model, "many.onnx", &Default::default()).unwrap_err().to_string();
    let at =
        |wrong: &str| -> u64 { wrong.split("(at byte ").nth(1).unwrap().split(')').next().unwrap().parse().unwrap() };
    let empty = Message::default();
    for (field, what) in [(1, "nodes"), (5, "constants"), (11, "inputs"), (12, "outputs"), (13, "shapes in between")] {
        let wrong = refused(&filled(field, &empty, 2 * most));
        let expected = format!("`many.onnx` is too large to be read: there are more than {most} {what}");
        assert!(
            wrong.starts_with(&expected)
                && wrong.ends_with("Import a part of it, such as one of the blocks that it repeats."),
            "{wrong}"
        );
        assert!(at(&wrong) < 2 * most as u64 + 100, "{wrong}");
        let wrong = refused(&filled(field, &empty, most));
        assert!(!wrong.contains("too large to be read"), "{wrong}");
    }
    let wrong = refused(&filled(11, &empty, 5000));
    assert!(wrong.contains("has 5000 inputs, more than the 4096 of a document"), "{wrong}");
    // The content of a node: names of its inputs and outputs, attributes, and their numbers.
    let attribute = Message::default().number(3, 1);
    for (field, content) in [(1, &empty), (2, &empty), (5, &attribute)] {
        let node = Message(Message::default().message(field, content).0.repeat(4_000_000));
        let wrong = refused(&filled(1, &node, 1));
        assert!(wrong.contains("the graph alone takes more than 128 MiB of memory"), "{wrong}");
    }
    // Names of dimensions, and texts that are kept.
    let dims =
        (0..17).fold(Message::default(), |dims, _| dims.message(1, &Message::default().text(2, &"n".repeat(4000))));
    let info = Message::default().message(2, &Message::default().message(1, &Message::default().message(2, &dims)));
    assert!(refused(&filled(13, &info, 3000)).contains("more than 128 MiB of memory"));
}
