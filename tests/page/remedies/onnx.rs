//! ONNX models: refusals, or partial counts, and the effect of following their remedies. A text here names a model
//! written by the tests, followed by sizes behind `@`.

use super::{Grown, Room};
use crate::onnx_transformers::others;
use fusescape::import::{Coverage, File, onnx, transformer_of};
use fusescape::spec::Diagnostics;
use fusescape_test_support::onnx::{FLOAT, Graph, Message};

pub const ROOM: Room = Room {
    sources: &["src/import/onnx", "src/import/coverage.rs"],
    no_remedies: &[
        "Imported from {}.",
        "Imported from {}. Not counted: {}.",
        "The blocks of {}. Embeddings, heads behind the blocks and biases are not counted.",
        // A defect of the importer.
        "A transformer of {} layers would take {own} multiply-accumulates for {} tokens, the network of this model {}",
        "Its attention stands in blocks of a form that is not known here",
        "It multiplies within the blocks, and is no part of them",
        "It adds to the residual stream, and is no part of a block",
    ],
    tables: &[],
    grown,
};

/// A model by its name.
fn model(name: &str) -> Vec<u8> {
    let input = || Graph::default().input("x", &[1, 16, 64]);
    let image = || Graph::default().input("x", &[1, 4, 8, 8]).weights("w", FLOAT, &[4, 4, 1, 1]);
    let convolutions = |count: usize| (0..count).fold(image(), |graph, _| graph.node("Conv", &["x", "w"], &["y"], &[]));
    // A product behind an unknown operator.
    let behind = |stated: &[i64], first: Graph| {
        let first = first.node("Fold", &["a"], &["b"], &[]);
        let first = if stated.is_empty() { first } else { first.shape("b", stated) };
        first.dense("b", "c", 32, 16)
    };
    match name {
        "picture" => b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(),
        "cut" => input().dense("x", "a", 64, 32).model()[..40].to_vec(),
        "whole" => input().dense("x", "a", 64, 32).model(),
        "many layers" => convolutions(5000).model(),
        "a block" => convolutions(1).model(),
        "many nodes" => {
            let graph = (0..1 << 18).fold(Message::default(), |graph, _| graph.message(1, &Message::default()));
            Message::default().message(7, &graph).0
        }
        "nothing that computes" => input().node("Relu", &["x"], &["y"], &[]).model(),
        "open" => Graph::default().input("x", &[-1, 16, 64]).dense("x", "a", 64, 32).model(),
        "unknown operator" => behind(&[], input().dense("x", "a", 64, 32)).model(),
        "simplified" => behind(&[1, 16, 32], input().dense("x", "a", 64, 32)).model(),
        "without the operator" => input().dense("x", "a", 64, 32).dense("a", "c", 32, 16).model(),
        other => {
            let index = other.split_once(' ').and_then(|(_, index)| index.parse::<usize>().ok());
            let index = index.unwrap_or_else(|| panic!("there is no model {other}"));
            others()[index].0.model()
        }
    }
}

/// Imports a model, all of which must be counted.
fn read(text: &str) -> Result<(), Diagnostics> {
    let (name, stated) = text.split_once('@').unwrap_or((text, ""));
    let size = |one: &str| one.split_once('=').map(|(name, size)| (name.to_owned(), size.parse().unwrap()));
    let sizes = stated.split(',').filter_map(size).collect();
    let options = onnx::Options { sizes, ..onnx::Options::default() };
    if name.starts_with("transformer") {
        return onnx::import_transformer(&mut model(name).as_slice(), "model.onnx", &options).map(drop);
    }
    let (_, report) = onnx::import(&mut model(name).as_slice(), "model.onnx", &options)?;
    let mut wrong = Diagnostics::default();
    if !report.coverage.is_some_and(|coverage| coverage.is_whole()) {
        wrong.add("", report.lines().join("; "), Coverage::REMEDY);
    }
    wrong.or(())
}

/// Uses a document in place of a model with open sizes.
fn document(text: &str) -> Result<(), Diagnostics> {
    let (text, sizes) = match text.strip_suffix('@') {
        Some(text) => (text, vec![("sequence".to_owned(), 8)]),
        None => (text, Vec::new()),
    };
    transformer_of(File { name: "my-model.yaml".to_owned(), source: Box::new(text.as_bytes()) }, sizes).map(drop)
}

const CASES: &[(&str, &str, &str)] = &[
    ("picture", "Choose an ONNX file, or export the model as ONNX", "whole"),
    ("cut", "Fetch or export the file again, as ONNX", "whole"),
    ("many layers", "Import a part of it, such as one of the blocks that it repeats", "a block"),
    ("many nodes", "Import a part of it, such as one of the blocks that it repeats", "a block"),
    ("nothing that computes", "Import a model with convolutions or products of matrices", "whole"),
    ("open@Open1=8", "Did you mean `open1`?", "open@open1=8"),
    ("open@rows=8", "It leaves open `open1`", "open@open1=8"),
    ("whole@rows=8", "State no size: the file says all", "whole"),
    ("unknown operator", "onnx-simplifier works shapes out", "simplified"),
    ("unknown operator", "or take what is named below out of it", "without the operator"),
];

fn grown() -> Vec<Grown> {
    let grown = |&(wrong, remedy, followed): &(&str, &'static str, &str)| -> Grown {
        (read, wrong.to_owned(), remedy, followed.to_owned())
    };
    // A model that is no transformer is a network.
    let as_networks = others().into_iter().enumerate().map(|(index, _)| -> Grown {
        (read, format!("transformer {index}"), "mport it as a network", format!("network {index}"))
    });
    let sized: Grown = (document, "layers: 2@".to_owned(), "State no size", "layers: 2".to_owned());
    CASES.iter().map(grown).chain(as_networks).chain([sized]).collect()
}
