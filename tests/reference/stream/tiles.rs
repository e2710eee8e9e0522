//! Tile graphs: parts of the loops, tensors, and edges.

use super::read::{Case, case, cases, integers, list};
use crate::Report;
use crate::common::{integer, reference_text, text, texts};
use fusescape_engine::hardware::Operand;
use fusescape_engine::multicore::{Access, Axis, LoopNest, Split, TiledLayer, TilingRules, tile_graph};
use fusescape_engine::workload::Dim;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Networks whose layers are in the file itself.
pub fn graphs() -> Report {
    let mut report = Report::new();
    for directory in ["coala", "waco_e2e", "validation"] {
        for name in cases(directory) {
            let written = reference_text(&format!("stream/{directory}/{name}.json"));
            if written.contains("\"graph_cts_in_order\"") {
                continue;
            }
            let file: Value = serde_json::from_str(&written).unwrap();
            if file["input"].get("layers").is_some() {
                check(&mut report, &name, &file);
            }
        }
    }
    report
}

fn check(report: &mut Report, name: &str, file: &Value) {
    report.cases += 1;
    let result = &file["result"];
    let Case { graph: theirs, .. } = case(file);
    let layers = layers(file);
    let ours = tile_graph(&layers, TilingRules::STREAM);
    report.same(&ours.graph.tiles.len(), &theirs.tiles.len(), || format!("{name}: tiles"));
    for (tile, ct) in list(&result["cts"]).enumerate().take(ours.graph.tiles.len()) {
        let what = || format!("{name}: tile {}.{}", ct["layer"], ct["sub"]);
        let op = text(&file["input"]["layers"][integer(&ct["layer"]) as usize]["op"]);
        for (dim, range) in ct["loop_ranges"].as_object().unwrap() {
            if let Some(dim) = loop_of(&op, dim) {
                let part = &ours.parts[tile][dim as usize];
                report.same(&vec![part.start as usize, part.end as usize], &integers(range), what);
            }
        }
        let (mine, other) = (&ours.graph.tiles[tile], &theirs.tiles[tile]);
        report.same(&(mine.layer, mine.number, mine.group), &(other.layer, other.number, other.group), what);
        report.same(&mine.is_final, &other.is_final, what);
        let constants = |of: &[Operand]| of.iter().map(|operand| *operand as usize).collect::<BTreeSet<_>>();
        report.same(&constants(&mine.constants), &constants(&other.constants), what);
        for operand in Operand::ALL {
            let bits = |of: &fusescape_engine::multicore::TileGraph| {
                of.tensor(tile, operand).map(|tensor| of.tensors[tensor].bits)
            };
            report.same(&bits(&ours.graph), &bits(&theirs), || format!("{}, {operand:?}", what()));
            // Which tiles share a tensor, and how often it is used.
            let first = |of: &fusescape_engine::multicore::TileGraph| {
                let tensor = of.tensor(tile, operand)?;
                (0..of.tiles.len()).find(|&other| of.tensor(other, operand) == Some(tensor))
            };
            if mine.constants.contains(&operand) {
                report.same(&first(&ours.graph), &first(&theirs), || format!("{}, first {operand:?}", what()));
                let uses = |of: &fusescape_engine::multicore::TileGraph| {
                    of.tensor(tile, operand).map(|tensor| of.tensors[tensor].uses)
                };
                report.same(&uses(&ours.graph), &uses(&theirs), || format!("{}, uses of {operand:?}", what()));
            }
        }
    }
    let edges = |of: &fusescape_engine::multicore::TileGraph| {
        let facts = of
            .edges()
            .iter()
            .map(|edge| ((edge.from, edge.to), (edge.operand.map(|operand| operand as usize), edge.bits)));
        facts.collect::<BTreeMap<_, _>>()
    };
    let (ours, theirs) = (edges(&ours.graph), edges(&theirs));
    report.same(&ours.len(), &theirs.len(), || format!("{name}: edges"));
    for (pair, facts) in &theirs {
        report.same(&ours.get(pair), &Some(facts), || format!("{name}: edge {pair:?}"));
    }
}

/// A loop of the tool by its name; elementwise layers and products of matrices have names of their own.
fn loop_of(op: &str, name: &str) -> Option<Dim> {
    let is_conv = op == "Conv" || op.contains("Pool");
    match (name, is_conv) {
        ("H", false) => Some(Dim::K),
        ("D", false) => Some(Dim::OY),
        ("K", false) => Some(if op == "Gemm" || op == "MatMul" { Dim::K } else { Dim::OX }),
        ("IX" | "IY", _) => None,
        _ => Dim::from_name(name),
    }
}

/// The layers with their cuts, after the tool's rules for what a mapping leaves open.
pub fn layers(file: &Value) -> Vec<TiledLayer> {
    let input = &file["input"];
    let shapes: Vec<Vec<usize>> = list(&input["layers"]).map(|layer| integers(&layer["out_shape"])).collect();
    let names: Vec<String> = list(&input["layers"]).map(|layer| text(&layer["name"])).collect();
    let mode = text(&input["mode"]);
    let stacks: Vec<Vec<usize>> =
        input["layer_stacks"].as_array().map_or(Vec::new(), |stacks| stacks.iter().map(integers).collect());
    let of_layer = |(index, layer): (usize, &Value)| {
        let op = text(&layer["op"]);
        let sources: Vec<Option<usize>> = texts(&layer["inputs"])
            .iter()
            .map(|name| names.iter().position(|other| format!("{other}_out") == *name))
            .collect();
        let read = |source: Option<usize>| {
            source.map_or_else(|| integers(&input["input_shape"]), |source| shapes[source].clone())
        };
        let nest = match op.as_str() {
            "Conv" => conv(layer, &names[index], sources[0], &read(sources[0]), &shapes[index]),
            "Add" => add(&names[index], &sources, &shapes[index]),
            other => panic!("{other} is not known"),
        };
        let rows = input.get("mapping").or_else(|| input.get("mapping_data")).unwrap();
        let rows: Vec<&Value> = list(rows).collect();
        let named = |wanted: &str| rows.iter().copied().find(|row| text(&row["name"]) == wanted);
        let row = named(&names[index]).or_else(|| named(&op)).or_else(|| named("default")).unwrap();
        let cores = list(&row["core_allocation"]).count();
        let entries = |key: &str| -> Vec<(Dim, String)> {
            let entries = row.get(key).map_or(Vec::new(), texts);
            let pair = |entry: &String| {
                let (dim, factor) = entry.split_once(',').unwrap();
                Some((loop_of(&op, dim.trim())?, factor.trim().to_owned()))
            };
            entries.iter().filter_map(pair).collect()
        };
        let count = |nest: &LoopNest, dim: Dim, factor: &str| match factor {
            "all" => nest.size(dim),
            factor => factor.parse::<u64>().unwrap().min(nest.size(dim)),
        };
        let is_alone = mode == "lbl"
            || stacks.iter().any(|stack| *stack == [index])
            || !stacks.is_empty() && !stacks.iter().any(|stack| stack.contains(&index));
        let mut in_time: Vec<(Dim, u64)> =
            entries("intra_core_tiling").iter().map(|(dim, factor)| (*dim, count(&nest, *dim, factor))).collect();
        if is_alone {
            in_time.clear();
        } else if in_time.is_empty() {
            in_time = vec![(Dim::OY, nest.size(Dim::OY))];
        }
        let over = entries("inter_core_tiling");
        // What the tool chose is how many cores it used.
        let used = || {
            let cores = list(&file["result"]["cts"]).filter(|ct| integer(&ct["layer"]) as usize == index);
            cores.map(|ct| integer(&ct["core"])).collect::<BTreeSet<_>>().len() as u64
        };
        let over_cores = over
            .iter()
            .map(|(dim, factor)| (*dim, if factor == "*" { used() } else { count(&nest, *dim, factor) }))
            .collect();
        TiledLayer { nest, split: Split { in_time, over_cores }, cores }
    };
    list(&input["layers"]).enumerate().map(of_layer).collect()
}

fn axis(terms: &[(Dim, u64)], offset: i64, size: u64) -> Axis {
    Axis { terms: terms.to_vec(), offset, size }
}

fn conv(layer: &Value, name: &str, source: Option<usize>, read: &[usize], made: &[usize]) -> LoopNest {
    let number = |key: &str, default: u64| layer.get(key).map_or(default, integer);
    let (kernel, stride, groups) = (number("k", 1), number("stride", 1), number("group", 1));
    let pad = number("pad", kernel / 2) as i64;
    let [batch, channels, height, width] = [0, 1, 2, 3].map(|at| read[at] as u64);
    let [_, out, rows, columns] = [0, 1, 2, 3].map(|at| made[at] as u64);
    let (k, c) = (out / groups, channels / groups);
    let mut sizes = [1; 8];
    for (dim, size) in [
        (Dim::B, batch),
        (Dim::G, groups),
        (Dim::K, k),
        (Dim::C, c),
        (Dim::OY, rows),
        (Dim::OX, columns),
        (Dim::FY, kernel),
        (Dim::FX, kernel),
    ] {
        sizes[dim as usize] = size;
    }
    let output = Access {
        operand: Operand::O,
        source: None,
        axes: vec![
            Axis::of(Dim::B, batch),
            axis(&[(Dim::G, k), (Dim::K, 1)], 0, out),
            Axis::of(Dim::OY, rows),
            Axis::of(Dim::OX, columns),
        ],
        bits: 8,
    };
    let features = Access {
        operand: Operand::I,
        source,
        axes: vec![
            Axis::of(Dim::B, batch),
            axis(&[(Dim::G, c), (Dim::C, 1)], 0, channels),
            axis(&[(Dim::OY, stride), (Dim::FY, 1)], -pad, height),
            axis(&[(Dim::OX, stride), (Dim::FX, 1)], -pad, width),
        ],
        bits: 8,
    };
    let weights = Access {
        operand: Operand::W,
        source: None,
        axes: [(Dim::G, groups), (Dim::K, k), (Dim::C, c), (Dim::FY, kernel), (Dim::FX, kernel)]
            .map(|(dim, size)| Axis::of(dim, size))
            .into(),
        bits: 8,
    };
    LoopNest { name: name.to_owned(), sizes, output, inputs: vec![features, weights], partial_bits: 16 }
}

fn add(name: &str, sources: &[Option<usize>], made: &[usize]) -> LoopNest {
    let loops = [Dim::B, Dim::K, Dim::OY, Dim::OX];
    let mut sizes = [1; 8];
    loops.iter().zip(made).for_each(|(dim, size)| sizes[*dim as usize] = *size as u64);
    let access = |operand: Operand, source: Option<usize>| Access {
        operand,
        source,
        axes: loops.iter().zip(made).map(|(dim, size)| Axis::of(*dim, *size as u64)).collect(),
        bits: 8,
    };
    LoopNest {
        name: name.to_owned(),
        sizes,
        output: access(Operand::O, None),
        inputs: vec![access(Operand::W, sources[0]), access(Operand::I, sources[1])],
        partial_bits: 16,
    }
}
