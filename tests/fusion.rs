//! Which operators run together: what holds of every graph of operators.
#![allow(clippy::unwrap_used, missing_docs)]

use fusescape_engine::fusion::{
    FeatureMap, GraphError, NETWORK_INPUT, Operator, OperatorGraph, OperatorKind, PaperNetwork,
};

fn operator(name: &str, kind: OperatorKind, inputs: &[usize]) -> Operator {
    Operator {
        name: name.into(),
        kind,
        inputs: inputs.to_vec(),
        kernel: (1, 1),
        stride: (1, 1),
        output: FeatureMap { channels: 4, columns: 8, rows: 8 },
        parameters: 0,
    }
}

fn build(operators: Vec<Operator>) -> Result<OperatorGraph, Vec<GraphError>> {
    OperatorGraph::new("test".into(), FeatureMap { channels: 4, columns: 8, rows: 8 }, operators)
}

/// Every network again, with an activation behind every operator.
#[test]
fn simple_operators_are_merged_away() {
    for network in PaperNetwork::ALL {
        let graph = network.graph();
        let mut operators = Vec::new();
        for (id, original) in graph.operators().iter().enumerate() {
            // Operator `id` is now number `2 * id`, and its activation writes map `2 * id + 2`.
            let inputs = original.inputs.iter().map(|&map| 2 * map).collect();
            operators.push(Operator { inputs, ..original.clone() });
            let activation = operator("relu", OperatorKind::Simple, &[2 * id + 1]);
            operators.push(Operator { output: original.output, ..activation });
        }
        let with_activations = OperatorGraph::new(graph.name().into(), graph.map(NETWORK_INPUT), operators);
        assert_eq!(with_activations.as_ref(), Ok(&graph), "{}", graph.name());
    }
}

/// Published numbers of parameters, without biases and normalisation: within 1 % of what the authors state with them.
#[test]
fn networks_have_their_published_parameters() {
    for (network, millions) in [
        (PaperNetwork::AlexNet, 61.0),
        (PaperNetwork::Vgg16, 138.4),
        (PaperNetwork::SqueezeNet1_0, 1.248),
        (PaperNetwork::SqueezeNet1_1, 1.235),
        (PaperNetwork::MobileNetV1, 4.23),
        (PaperNetwork::ResNet18, 11.69),
        (PaperNetwork::ResNet50, 25.56),
        (PaperNetwork::ResNet152, 60.19),
        (PaperNetwork::ResNet1202, 19.4),
    ] {
        let ours: u64 = network.graph().operators().iter().map(|operator| operator.parameters).sum();
        let ratio = ours as f64 / (millions * 1e6);
        assert!((0.99..=1.005).contains(&ratio), "{}: {ours} parameters are {ratio} of the published", network.name());
    }
}

#[test]
fn all_that_is_wrong_with_a_graph_is_said_at_once() {
    let mut flat = operator("flat", OperatorKind::Conv, &[0]);
    flat.output.rows = 0;
    let ahead = operator("ahead", OperatorKind::Add, &[1, 3]);
    let mut vast = operator("vast", OperatorKind::Conv, &[1]);
    vast.parameters = u64::MAX;
    let expected = vec![GraphError::Zero("flat".into()), GraphError::Inputs("ahead".into()), GraphError::TooLarge];
    assert_eq!(build(vec![flat, ahead, vast]), Err(expected));
    assert_eq!(build(vec![operator("relu", OperatorKind::Simple, &[0])]), Err(vec![GraphError::Empty]));
    let mut wide: Vec<Operator> = (0..21).map(|_| operator("branch", OperatorKind::Conv, &[0])).collect();
    wide.push(operator("join", OperatorKind::Concat, &(1..=21).collect::<Vec<_>>()));
    assert_eq!(build(wide), Err(vec![GraphError::TooWide]));
}
