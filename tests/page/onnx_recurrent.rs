//! Recurrent layers in ONNX models: all their operations and weights, step by step.

use crate::onnx::{import, import_with, layer, reads, says, shape};
use fusescape::import::Severity;
use fusescape::workload::{LayerKind, Network};
use fusescape_test_support::onnx::Is::{Int, Text};
use fusescape_test_support::onnx::{FLOAT, Graph, INT8};

#[derive(Debug, Clone, Copy)]
struct Cell {
    op: &'static str,
    gates: i64,
    directions: i64,
    steps: i64,
    sequences: i64,
    inputs: i64,
    hidden: i64,
    kind: i64,
    batch_first: i64,
}

const CELL: Cell = Cell {
    op: "LSTM",
    gates: 4,
    directions: 1,
    steps: 12,
    sequences: 1,
    inputs: 20,
    hidden: 24,
    kind: FLOAT,
    batch_first: 0,
};

impl Cell {
    /// The layer, followed by a product of its states as in classifiers.
    fn graph(self) -> Graph {
        let Self { op, gates, directions, steps, sequences, inputs, hidden, kind, batch_first } = self;
        let (shape, order) =
            if batch_first == 1 { ([sequences, steps], [0, 1, 2, 3]) } else { ([steps, sequences], [0, 2, 1, 3]) };
        let direction = if directions == 2 { "bidirectional" } else { "forward" };
        Graph::default()
            .input("x", &[shape[0], shape[1], inputs])
            .weights("W", kind, &[directions, gates * hidden, inputs])
            .weights("R", kind, &[directions, gates * hidden, hidden])
            .weights("B", FLOAT, &[directions, 2 * gates * hidden])
            .node(
                op,
                &["x", "W", "R", "B"],
                &["y", "last", "cell"],
                &[("hidden_size", Int(hidden)), ("direction", Text(direction)), ("layout", Int(batch_first))],
            )
            .node("Transpose", &["y"], &["turned"], &[("perm", fusescape_test_support::onnx::Is::Ints(&order))])
            .ints("rows", &[shape[0], shape[1], directions * hidden])
            .node("Reshape", &["turned", "rows"], &["states"], &[])
            .dense("states", "out", directions * hidden, 5)
    }

    fn products(self) -> u64 {
        (self.directions * self.steps * self.sequences * self.gates * self.hidden * (self.inputs + self.hidden)) as u64
    }

    fn weights(self) -> u64 {
        (self.directions * self.gates * self.hidden * (self.inputs + self.hidden)) as u64
    }
}

/// Operations of products other than the last one.
fn products(network: &Network) -> u64 {
    let layers = network.ids().map(|id| network.layer(id)).filter(|layer| layer.name != "out");
    layers
        .filter(|layer| !matches!(layer.shape.kind, LayerKind::Add | LayerKind::Input | LayerKind::View))
        .map(|layer| layer.shape.macs())
        .sum()
}

/// Bits of weights in layers, or in inputs of the network.
fn weight_bits(network: &Network) -> u64 {
    let bits = network.ids().map(|id| network.layer(id)).filter(|layer| layer.name != "out").map(|layer| {
        match layer.shape.kind {
            LayerKind::Pointwise | LayerKind::FullyConnected => layer.shape.weight_bits(),
            LayerKind::Input if layer.name.ends_with("/R") => layer.shape.output_bits(),
            _ => 0,
        }
    });
    bits.sum()
}

#[test]
fn all_operations_and_weights_of_recurrent_layers_are_counted() {
    let cells = [
        CELL,
        Cell { op: "GRU", gates: 3, ..CELL },
        Cell { op: "RNN", gates: 1, ..CELL },
        Cell { directions: 2, ..CELL },
        Cell { directions: 2, op: "GRU", gates: 3, steps: 1, ..CELL },
        Cell { sequences: 3, ..CELL },
        Cell { sequences: 3, batch_first: 1, directions: 2, ..CELL },
        Cell { batch_first: 1, kind: INT8, ..CELL },
        Cell { steps: 64, ..CELL },
        Cell { steps: 3000, directions: 2, ..CELL },
        Cell { steps: 300, sequences: 4, op: "GRU", gates: 3, ..CELL },
    ];
    for cell in cells {
        let (network, report) = import(&cell.graph());
        assert_eq!(products(&network), cell.products(), "{cell:?}");
        assert_eq!(weight_bits(&network), cell.weights() * 8, "{cell:?}");
        let coverage = report.coverage.unwrap();
        assert!(coverage.is_whole(), "{coverage} {cell:?}");
        assert_eq!(coverage.weights.counted, cell.weights() + (cell.directions * cell.hidden * 5) as u64, "{cell:?}");
        let out = shape(&network, "out").1;
        assert_eq!(
            out[0] * out[2] * out[3] * out[4] * out[5],
            (cell.steps * cell.sequences * cell.directions * cell.hidden * 5) as u64
        );
        let unrolls = cell.steps <= 64 && cell.sequences == 1;
        assert_eq!(
            says(&report, Severity::Expressed, "unrolled: each step reads"),
            unrolls,
            "{cell:?}: {:#?}",
            report.lines()
        );
        assert_eq!(says(&report, Severity::Assumed, "its steps are rows of one product"), !unrolls, "{cell:?}");
    }
}

#[test]
fn each_step_waits_for_the_one_before() {
    let (network, _) = import(&CELL.graph());
    assert_eq!(shape(&network, "y/inputs"), (LayerKind::Pointwise, [1, 1, 96, 20, 1, 12, 1, 1]));
    assert_eq!(shape(&network, "y/step5"), (LayerKind::MatMul, [1, 1, 96, 24, 1, 1, 1, 1]));
    assert_eq!(reads(&network, "y/step5"), ["y/R", "y/sum4"]);
    assert_eq!(reads(&network, "y/sum5"), ["y/inputs", "y/step5"]);
    assert_eq!(reads(&network, "y/step0"), ["y/R", "y/state"]);
    assert_eq!(layer(&network, "y/R").shape.output_bits(), 96 * 24 * 8);
    let (both, _) = import(&Cell { directions: 2, ..CELL }.graph());
    assert_eq!(reads(&both, "y/backward/step5"), ["y/backward/R", "y/backward/sum6"]);
    assert_eq!(reads(&both, "y/backward/step11"), ["y/backward/R", "y/backward/state"]);
}

/// The remedy of the note about long sequences: fewer steps.
#[test]
fn a_sequence_of_fewer_steps_is_unrolled() {
    for (steps, unrolls) in [(65, false), (64, true)] {
        let (_, report) = import(&Cell { steps, ..CELL }.graph());
        assert_eq!(says(&report, Severity::Expressed, "unrolled"), unrolls, "{steps}");
    }
}

#[test]
fn recurrent_layers_whose_weights_do_not_fit_are_refused() {
    for (w, r) in
        [([1, 96, 21], [1, 96, 24]), ([1, 96, 20], [1, 90, 24]), ([3, 96, 20], [3, 96, 24]), ([1, 2, 20], [1, 2, 0])]
    {
        let graph = Graph::default()
            .input("x", &[12, 1, 20])
            .dense("x", "z", 20, 20)
            .weights("W", FLOAT, &w)
            .weights("R", FLOAT, &r)
            .node("LSTM", &["x", "W", "R"], &["y"], &[]);
        let (_, report) = import_with(&graph, &[]);
        assert!(says(&report, Severity::NotCounted, "LSTM: "), "{w:?} {r:?}: {:#?}", report.lines());
        assert_eq!(report.coverage.unwrap().operators.counted, 1);
    }
}
