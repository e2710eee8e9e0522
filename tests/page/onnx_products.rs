//! Matrix products in ONNX models, for any operator and order of axes.

use crate::onnx::{import, layer, says, shape};
use fusescape::hardware::Operand;
use fusescape::import::Severity;
use fusescape::workload::LayerKind;
use fusescape_test_support::onnx::Is::{Int, Text};
use fusescape_test_support::onnx::{FLOAT, Graph};
use std::collections::BTreeMap;

#[test]
fn matrices_of_two_axes_are_multiplied_in_chains() {
    // Scores of all rows with all rows, and the weighted sum: no axis is a batch.
    let graph = Graph::default()
        .input("x", &[40, 24])
        .dense("x", "a", 24, 16)
        .dense("x", "b", 24, 16)
        .node("Transpose", &["b"], &["b.turned"], &[])
        .node("MatMul", &["a", "b.turned"], &["scores"], &[])
        .node("MatMul", &["scores", "x"], &["mixed"], &[])
        .dense("mixed", "out", 24, 8);
    let (network, report) = import(&graph);
    for (name, expected) in [
        ("a", (LayerKind::Pointwise, [1, 1, 16, 24, 1, 40, 1, 1])),
        ("scores", (LayerKind::MatMul, [1, 1, 40, 16, 1, 40, 1, 1])),
        ("mixed", (LayerKind::MatMul, [1, 1, 24, 40, 1, 40, 1, 1])),
        ("out", (LayerKind::Pointwise, [1, 1, 8, 24, 1, 40, 1, 1])),
    ] {
        assert_eq!(shape(&network, name), expected, "{name}");
    }
    assert!(report.coverage.unwrap().is_whole(), "{:#?}", report.lines());
    // Rows of a classifier stay images.
    let (network, _) =
        import(&Graph::default().input("x", &[4, 784]).dense("x", "a", 784, 512).dense("a", "b", 512, 10));
    assert_eq!(shape(&network, "b"), (LayerKind::FullyConnected, [4, 1, 10, 512, 1, 1, 1, 1]));
}

/// Operations of a product: all indices.
fn operations(equation: &str, sizes: &BTreeMap<char, i64>) -> u64 {
    let letters: std::collections::BTreeSet<char> = equation.chars().filter(|c| c.is_alphabetic()).collect();
    letters.iter().map(|letter| sizes[letter] as u64).product()
}

#[test]
fn einsum_is_the_product_of_its_equation() {
    let sizes = BTreeMap::from([('b', 1), ('h', 3), ('i', 10), ('j', 14), ('d', 8), ('k', 6), ('n', 5), ('g', 2)]);
    let shape_of = |indices: &str| indices.chars().map(|index| sizes[&index]).collect::<Vec<i64>>();
    for (equation, is_trained, second) in [
        // Scores and values of attention, in several orders.
        ("bhid,bhjd->bhij", false, 3 * 14 * 8),
        ("bihd,bjhd->bhij", false, 3 * 14 * 8),
        ("bhij,bhjd->bihd", false, 3 * 14 * 8),
        ("bhgid,bhjd->bhgij", false, 3 * 14 * 8),
        ("bid,bjd->bij", false, 14 * 8),
        ("bid,bjd", false, 14 * 8),
        // Trained: projections, merged heads, one matrix per head.
        ("bid,dk->bik", true, 8 * 6),
        ("bid,dhk->bhik", true, 8 * 3 * 6),
        ("bihd,hdk->bik", true, 3 * 8 * 6),
        ("bhid,hdk->bhik", true, 3 * 8 * 6),
        ("dk,bid->bik", true, 8 * 6),
        ("b i d, k d -> b k i", true, 8 * 6),
        ("bnid,nkd->bink", true, 5 * 6 * 8),
    ] {
        let plain: String = equation.chars().filter(|c| !c.is_whitespace()).collect();
        let (inputs, output) = plain.split_once("->").unwrap_or((&plain, "bij"));
        let (a, b) = inputs.split_once(',').unwrap();
        let mut graph = Graph::default().input("x", &[1, 4, 4]).dense("x", "unused", 4, 4);
        for (name, indices) in [("a", a), ("b", b)] {
            let is_weight = is_trained && !indices.contains('b');
            graph = if is_weight {
                graph.weights(name, FLOAT, &shape_of(indices))
            } else {
                let raw = format!("{name}.raw");
                let last = *shape_of(indices).last().unwrap();
                graph.input(&raw, &shape_of(indices)).dense(&raw, name, last, last)
            };
        }
        let last = shape_of(output);
        let graph = graph.node("Einsum", &["a", "b"], &["y"], &[("equation", Text(equation))]).dense(
            "y",
            "out",
            *last.last().unwrap(),
            9,
        );
        let (network, report) = import(&graph);
        let y = &layer(&network, "y").shape;
        assert_eq!(y.macs(), operations(&plain, &sizes), "{equation}");
        assert_eq!(y.elements(Operand::W), second, "{equation}");
        assert_eq!(layer(&network, "out").shape.macs(), 9 * last.iter().product::<i64>() as u64, "{equation}");
        assert!(report.coverage.unwrap().is_whole(), "{equation}: {:#?}", report.lines());
    }
    let graph = Graph::default().input("x", &[1, 3, 10, 8]).dense("x", "a", 8, 8).dense("x", "b", 8, 8).node(
        "Einsum",
        &["a", "b"],
        &["y"],
        &[("equation", Text("...id,...jd->...ij"))],
    );
    assert_eq!(shape(&import(&graph).0, "y"), (LayerKind::MatMul, [1, 3, 10, 8, 1, 10, 1, 1]));
}

#[test]
fn einsum_that_is_no_product_of_matrices_is_refused_with_its_reason() {
    for (equation, reason) in [
        ("bij,bij->bij", "it multiplies element by element"),
        ("bii,bij->bij", "with an index twice: a diagonal"),
        ("bij,bjk->bk", "it sums over an index of one tensor alone; sum before the product"),
        ("bij,bkj->bikz", "its output has an index that none of its inputs has"),
        ("bi,bj->bij", "its equation has bi, which does not fit its tensor"),
        ("b1j,bkj->b1k", "which does not fit its tensor"),
        ("bij->bij", "its equation has one operand"),
        (".....bij,bij->b", "which does not fit its tensor"),
    ] {
        let graph = Graph::default().input("x", &[1, 8, 8]).dense("x", "a", 8, 8).dense("x", "b", 8, 8).node(
            "Einsum",
            &["a", "b"],
            &["y"],
            &[("equation", Text(equation))],
        );
        let (_, report) = import(&graph);
        assert!(says(&report, Severity::NotCounted, reason), "{equation}: {:#?}", report.lines());
        assert_eq!(report.coverage.unwrap().operators.counted, 2, "{equation}");
    }
    // The remedy: first the sum.
    let graph = Graph::default()
        .input("x", &[1, 8, 8])
        .dense("x", "a", 8, 8)
        .dense("x", "b", 8, 8)
        .node(
            "ReduceSum",
            &["a"],
            &["sum"],
            &[("axes", fusescape_test_support::onnx::Is::Ints(&[1])), ("keepdims", Int(0))],
        )
        .node("Einsum", &["sum", "b"], &["y"], &[("equation", Text("bj,bjk->bk"))]);
    assert_eq!(layer(&import(&graph).0, "y").shape.macs(), 64);
}

#[test]
fn several_trained_matrices_are_groups() {
    let graph = Graph::default().input("x", &[1, 5, 10, 8]).dense("x", "a", 8, 8).weights("w", FLOAT, &[5, 8, 6]).node(
        "MatMul",
        &["a", "w"],
        &["y"],
        &[],
    );
    let (network, report) = import(&graph);
    assert_eq!(shape(&network, "y"), (LayerKind::MatMul, [1, 5, 6, 8, 1, 10, 1, 1]));
    assert_eq!(layer(&network, "y").shape.elements(Operand::W), 5 * 8 * 6);
    assert!(report.coverage.unwrap().is_whole());
    // All of them for the same rows.
    let graph = Graph::default()
        .input("x", &[10, 8])
        .node("Relu", &["x"], &["a"], &[])
        .weights("w", FLOAT, &[5, 8, 6])
        .node("MatMul", &["a", "w"], &["y"], &[])
        .dense("y", "out", 6, 3);
    let (network, _) = import(&graph);
    assert_eq!(layer(&network, "y").shape.macs(), 5 * 10 * 8 * 6);
    assert_eq!(layer(&network, "out").shape.macs(), 5 * 10 * 6 * 3);
}
