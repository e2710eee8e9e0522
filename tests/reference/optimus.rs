//! Optimus: networks, costs of groups, and schemes, as an independent reading of the paper has them.

use crate::Report;
use crate::common::{integer, reference, text};
use fusescape_engine::fusion::{FeatureMap, Operator, OperatorGraph, OperatorKind, PaperNetwork};
use serde_json::Value;

/// Our networks against theirs, operator by operator.
pub fn networks() -> Report {
    let mut report = Report::new();
    for theirs in reference("optimus/networks.json")["nets"].as_array().unwrap() {
        let name = text(&theirs["name"]);
        // Variants without their last layers, or with operators merged that the paper may have merged, exist there only.
        let Some(ours) = PaperNetwork::ALL.into_iter().find(|network| network.name() == name) else { continue };
        report.cases += 1;
        let (ours, theirs) = (ours.graph(), graph(theirs));
        report.same(&ours.len(), &theirs.len(), || format!("{name}: operators"));
        for (id, (ours, theirs)) in ours.operators().iter().zip(theirs.operators()).enumerate() {
            let ours = Operator { name: theirs.name.clone(), ..ours.clone() };
            report.same(&ours, theirs, || format!("{name}: operator {id}"));
        }
    }
    report
}

/// A network, or a case that holds one.
pub fn graph(case: &Value) -> OperatorGraph {
    let map = |channels: &Value, columns: &Value, rows: &Value| FeatureMap {
        channels: integer(channels),
        columns: integer(columns),
        rows: integer(rows),
    };
    let input = &case["input"];
    let operator = |operator: &Value| Operator {
        name: text(&operator["name"]),
        kind: match text(&operator["kind"]).as_str() {
            "conv" => OperatorKind::Conv,
            "dwconv" => OperatorKind::Depthwise,
            "fc" => OperatorKind::FullyConnected,
            "pool" => OperatorKind::Pooling,
            "gpool" => OperatorKind::GlobalPooling,
            "concat" => OperatorKind::Concat,
            "add" => OperatorKind::Add,
            other => panic!("unknown operator {other}"),
        },
        inputs: operator["preds"].as_array().unwrap().iter().map(|id| (id.as_i64().unwrap() + 1) as usize).collect(),
        kernel: (integer(&operator["k"]), integer(&operator["k"])),
        stride: (integer(&operator["s"]), integer(&operator["s"])),
        output: map(&operator["cout"], &operator["ow"], &operator["oh"]),
        parameters: integer(&operator["params"]),
    };
    let operators = case["ops"].as_array().unwrap().iter().map(operator).collect();
    OperatorGraph::new(String::new(), map(&input[0], &input[2], &input[1]), operators)
        .unwrap_or_else(|wrong| panic!("{wrong:?}"))
}
