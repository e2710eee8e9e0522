//! Tile graphs: parts of the loops, tensors, and edges.

use crate::Report;
use fusescape_engine::hardware::Operand;
use fusescape_engine::ids::TiVec;
use fusescape_engine::multicore::{
    AccessFunction, AxisExpression, CutLayer, Edge, LoopCuts, LoopNest, NestId, TileGraph, TileId, TilingRules,
    tile_graph,
};
use fusescape_engine::workload::Dim;
use fusescape_test_support::stream::{Case, case, integers, list};
use fusescape_test_support::{integer, reference, reference_text, stream_cases, text, texts};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Networks whose layers are in the file itself.
pub fn graphs() -> Report {
    let mut report = Report::new();
    for directory in ["coala", "waco_e2e", "validation"] {
        for name in stream_cases(directory) {
            let written = reference_text(&format!("stream/{directory}/{name}.json"));
            if written.contains("\"graph_cts_in_order\"") {
                continue;
            }
            let file: Value = serde_json::from_str(&written).unwrap();
            check(&mut report, &name, &file);
        }
    }
    report
}

fn check(report: &mut Report, name: &str, file: &Value) {
    report.cases += 1;
    let result = &file["result"];
    let Case { graph: theirs, .. } = case(file);
    let (ids, layers): (Vec<usize>, Vec<CutLayer>) = layers(file, true).into_iter().unzip();
    let layers = TiVec::from(layers);
    let ours = tile_graph(&layers, TilingRules::STREAM);
    report.same(&ours.graph.tiles.len(), &theirs.tiles.len(), || format!("{name}: tiles"));
    for (tile, ct) in ours.graph.tiles.keys().zip(list(&result["cts"])) {
        let what = || format!("{name}: tile {}.{}", ct["layer"], ct["sub"]);
        // Products of matrices and elementwise layers have other names for their loops.
        let nest = &layers[ours.graph.tiles[tile].layer].nest;
        let has_kernel = ct["loop_ranges"].get("FX").is_some();
        let op = if has_kernel {
            "Conv"
        } else if nest.size(Dim::C) > 1 {
            "Gemm"
        } else {
            "Add"
        };
        for (dim, range) in ct["loop_ranges"].as_object().unwrap() {
            // In the tool poolings have as many input channels as outputs, which has no effect.
            let is_pooling = has_kernel && !nest.inputs[0].is_relevant(Dim::C);
            if let Some(dim) = loop_of(op, dim).filter(|dim| !is_pooling || *dim != Dim::C) {
                let part = &ours.part(tile)[dim as usize];
                report.same(&vec![part.start as usize, part.end as usize], &integers(range), what);
            }
        }
        let (mine, other) = (&ours.graph.tiles[tile], &theirs.tiles[tile]);
        let facts = (other.layer.index(), other.number, other.group);
        report.same(&(ids[mine.layer.index()], mine.number, mine.group), &facts, what);
        report.same(&mine.is_final, &other.is_final, what);
        let constants = |of: &[Operand]| of.iter().map(|operand| *operand as usize).collect::<BTreeSet<_>>();
        report.same(&constants(&mine.constants), &constants(&other.constants), what);
        for operand in Operand::ALL {
            let bits = |of: &TileGraph| of.tensor(tile, operand).map(|tensor| of.tensors[tensor].bits);
            report.same(&bits(&ours.graph), &bits(&theirs), || format!("{}, {operand:?}", what()));
            // The tiles that share a tensor, and the number of its uses.
            let first = |of: &TileGraph| {
                let tensor = of.tensor(tile, operand)?;
                of.tiles.keys().find(|&other| of.tensor(other, operand) == Some(tensor))
            };
            if mine.constants.contains(&operand) {
                report.same(&first(&ours.graph), &first(&theirs), || format!("{}, first {operand:?}", what()));
                let uses = |of: &TileGraph| of.tensor(tile, operand).map(|tensor| of.tensors[tensor].uses);
                report.same(&uses(&ours.graph), &uses(&theirs), || format!("{}, uses of {operand:?}", what()));
            }
        }
    }
    // Across a flattening the tool compares element by element, and takes an incomplete tensor for the output.
    let is_flattened = |edge: &Edge| {
        let nest = |tile: TileId| &layers[ours.graph.tiles[tile].layer].nest;
        edge.operand.is_some() && nest(edge.from).size(Dim::FX) > 1 && nest(edge.to).inputs[1].axes.len() == 2
    };
    let place = |tile: TileId| (theirs.tiles[tile].layer.index() as u64, theirs.tiles[tile].number.index() as u64);
    let tile_of: HashMap<(u64, u64), TileId> = theirs.tiles.keys().map(|tile| (place(tile), tile)).collect();
    let bits: HashMap<(TileId, TileId), u64> = list(&result["edges"])
        .map(|edge| {
            let tile = |at: usize| tile_of[&(integer(&edge[at]), integer(&edge[at + 1]))];
            ((tile(0), tile(2)), integer(&edge[5]))
        })
        .collect();
    let edges = |of: &TileGraph, bits: &dyn Fn(Edge) -> u64| {
        let facts = of.edges().map(|edge| {
            let bits = if is_flattened(&edge) { 0 } else { bits(edge) };
            ((edge.from, edge.to), (edge.operand.map(|operand| operand as usize), bits))
        });
        facts.collect::<BTreeMap<_, _>>()
    };
    let (ours, theirs) =
        (edges(&ours.graph, &|edge| ours.graph.bits(edge).0), edges(&theirs, &|edge| bits[&(edge.from, edge.to)]));
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

/// The layers of a case with their cuts, by the tool's rules for fields that a mapping does not state. Free choices of
/// the tool are taken from its result, or not cut.
pub fn layers(file: &Value, with_choices: bool) -> Vec<(usize, CutLayer)> {
    let input = &file["input"];
    let stacks = input["layer_stacks"].as_array().map_or(Vec::new(), |stacks| stacks.iter().map(integers).collect());
    let is_fused = text(&input["mode"]) == "fused";
    let used = |layer: usize| {
        let cores = list(&file["result"]["cts"]).filter(|ct| integer(&ct["layer"]) as usize == layer);
        let used = cores.map(|ct| integer(&ct["core"])).collect::<BTreeSet<_>>().len() as u64;
        with_choices.then_some(used)
    };
    let (described, rows) = if let Some(layers) = input.get("layers") {
        (own_layers(input, layers), input.get("mapping").or_else(|| input.get("mapping_data")).unwrap().clone())
    } else {
        let examples = reference("stream/example_inputs.json");
        let name = text(&input["workload"]);
        let name = name.rsplit('/').next().unwrap().trim_end_matches(".onnx");
        (example_layers(&examples["workloads"][name]), examples["mapping"].clone())
    };
    cut(described, &rows, &stacks, is_fused, &used)
}

/// A layer with its kind in mappings; `None` for one that only shows the map of another.
type Described = Option<(String, LoopNest)>;

pub fn cut(
    described: Vec<Described>,
    rows: &Value,
    stacks: &[Vec<usize>],
    is_fused: bool,
    used: &dyn Fn(usize) -> Option<u64>,
) -> Vec<(usize, CutLayer)> {
    let rows: Vec<&Value> = list(rows).collect();
    let cut = |(index, layer): (usize, Described)| {
        let (op, nest) = layer?;
        let named = |wanted: &str| rows.iter().copied().find(|row| text(&row["name"]) == wanted);
        let row = named(&nest.name).or_else(|| named(&op)).or_else(|| named("default")).unwrap();
        let entries = |key: &str| -> Vec<(Dim, String)> {
            let entries = row.get(key).map_or(Vec::new(), texts);
            let pair = |entry: &String| {
                let (dim, factor) = entry.split_once(',').unwrap();
                Some((loop_of(&op, dim.trim())?, factor.trim().to_owned()))
            };
            entries.iter().filter_map(pair).collect()
        };
        let count = |dim: Dim, factor: &str| match factor {
            "all" => nest.size(dim),
            factor => factor.parse::<u64>().unwrap().min(nest.size(dim)),
        };
        let is_alone = !is_fused || !stacks.iter().any(|stack| stack.len() > 1 && stack.contains(&index));
        let mut in_time: Vec<(Dim, u64)> =
            entries("intra_core_tiling").iter().map(|(dim, factor)| (*dim, count(*dim, factor))).collect();
        if is_alone {
            in_time.clear();
        } else if in_time.is_empty() {
            in_time = vec![(Dim::OY, nest.size(Dim::OY))];
        }
        let is_chosen = |(_, factor): &(Dim, String)| factor != "*" || used(index).is_some();
        let over_cores = entries("inter_core_tiling")
            .into_iter()
            .filter(is_chosen)
            .map(|(dim, factor)| (dim, if factor == "*" { used(index).unwrap() } else { count(dim, &factor) }));
        let cores = list(&row["core_allocation"]).count();
        let split = LoopCuts { in_time, over_cores: over_cores.collect() };
        Some((index, CutLayer { nest, split, cores }))
    };
    let mut layers: Vec<(usize, CutLayer)> = described.into_iter().enumerate().filter_map(cut).collect();
    let ids: Vec<usize> = layers.iter().map(|(id, _)| *id).collect();
    for source in
        layers.iter_mut().flat_map(|(_, layer)| &mut layer.nest.inputs).filter_map(|input| input.source.as_mut())
    {
        *source = NestId::from(ids.iter().position(|id| *id == source.index()).unwrap());
    }
    layers
}

fn own_layers(input: &Value, layers: &Value) -> Vec<Described> {
    let shapes: Vec<Vec<usize>> = list(layers).map(|layer| integers(&layer["out_shape"])).collect();
    let names: Vec<String> = list(layers).map(|layer| text(&layer["name"])).collect();
    let of_layer = |(index, layer): (usize, &Value)| {
        let op = text(&layer["op"]);
        let sources: Vec<Option<usize>> = texts(&layer["inputs"])
            .iter()
            .map(|name| names.iter().position(|other| format!("{other}_out") == *name))
            .collect();
        let read = sources[0].map_or_else(|| integers(&input["input_shape"]), |source| shapes[source].clone());
        let number = |key: &str, default: u64| layer.get(key).map_or(default, integer);
        let kernel = number("k", 1);
        let window = Window {
            kernel,
            stride: number("stride", 1),
            padding: number("pad", kernel / 2) as i64,
            groups: number("group", 1),
        };
        let nest = match op.as_str() {
            "Conv" => conv(&window, &names[index], sources[0], &read, &shapes[index]),
            "MaxPool" | "AveragePool" => pool(&window, &names[index], sources[0], &read, &shapes[index]),
            "Add" | "Mul" | "Relu" => elementwise(&names[index], &sources, &shapes[index]),
            other => panic!("{other} is not known"),
        };
        Some((op, nest))
    };
    list(layers).enumerate().map(of_layer).collect()
}

pub fn example_layers(layers: &Value) -> Vec<Described> {
    let layers: Vec<&Value> = list(layers).collect();
    // Layers that only show another layer's output are read through.
    let through =
        |id: usize| if text(&layers[id]["op"]) == "Flatten" { integers(&layers[id]["producers"])[0] } else { id };
    let of_layer = |layer: &&Value| {
        let (op, name) = (text(&layer["op"]), text(&layer["name"]));
        let sources: Vec<Option<usize>> =
            integers(&layer["producers"]).into_iter().map(|id| Some(through(id))).collect();
        let source = sources.first().copied().flatten();
        let (read, made) = (integers(&layer["in_shape"]), integers(&layer["out_shape"]));
        let attribute =
            |key: &str, default: u64| layer["attributes"].get(key).map_or(default, |list| integer(&list[0]));
        let kernel = attribute("kernel_shape", *read.last().unwrap() as u64);
        let groups = layer["attributes"].get("group").map_or(1, integer);
        let window = Window { kernel, stride: attribute("strides", 1), padding: attribute("pads", 0) as i64, groups };
        let nest = match op.as_str() {
            "Conv" => conv(&window, &name, source, &read, &made),
            "MaxPool" | "GlobalAveragePool" => pool(&window, &name, source, &read, &made),
            "Add" | "Relu" => elementwise(&name, &sources, &made),
            "Gemm" => gemm(&name, source, &read, &made),
            "Flatten" => return None,
            other => panic!("{other} is not known"),
        };
        Some((op, nest))
    };
    layers.iter().map(of_layer).collect()
}

/// The window of a convolution or pooling over its input.
struct Window {
    kernel: u64,
    stride: u64,
    padding: i64,
    groups: u64,
}

fn axis(terms: &[(Dim, u64)], offset: i64, size: u64) -> AxisExpression {
    AxisExpression { terms: terms.to_vec(), offset, size }
}

fn conv(window: &Window, name: &str, source: Option<usize>, read: &[usize], made: &[usize]) -> LoopNest {
    let Window { kernel, stride, padding: pad, groups } = *window;
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
    let output = AccessFunction {
        operand: Operand::O,
        input: None,
        source: None,
        axes: vec![
            AxisExpression::of(Dim::B, batch),
            axis(&[(Dim::G, k), (Dim::K, 1)], 0, out),
            AxisExpression::of(Dim::OY, rows),
            AxisExpression::of(Dim::OX, columns),
        ],
        bits: 8,
    };
    let features = AccessFunction {
        operand: Operand::I,
        input: None,
        source: source.map(NestId::from),
        axes: vec![
            AxisExpression::of(Dim::B, batch),
            axis(&[(Dim::G, c), (Dim::C, 1)], 0, channels),
            axis(&[(Dim::OY, stride), (Dim::FY, 1)], -pad, height),
            axis(&[(Dim::OX, stride), (Dim::FX, 1)], -pad, width),
        ],
        bits: 8,
    };
    let weights = AccessFunction {
        operand: Operand::W,
        input: None,
        source: None,
        axes: [(Dim::G, groups), (Dim::K, k), (Dim::C, c), (Dim::FY, kernel), (Dim::FX, kernel)]
            .map(|(dim, size)| AxisExpression::of(dim, size))
            .into(),
        bits: 8,
    };
    LoopNest { name: name.to_owned(), sizes, output, inputs: vec![features, weights], partial_bits: 16 }
}

/// Depthwise: the tool counts channels as output channels, of which the input has as many.
fn pool(window: &Window, name: &str, source: Option<usize>, read: &[usize], made: &[usize]) -> LoopNest {
    let mut nest = conv(&Window { groups: 1, ..*window }, name, source, read, made);
    nest.sizes[Dim::C as usize] = 1;
    nest.inputs[0].axes[1] = AxisExpression::of(Dim::K, made[1] as u64);
    nest.inputs[1] = AccessFunction {
        operand: Operand::W,
        input: None,
        source: None,
        axes: nest.inputs[1].axes[3..].to_vec(),
        bits: 0,
    };
    nest
}

/// One feature map or two; the tool gives layers with one map a scalar in addition.
fn elementwise(name: &str, sources: &[Option<usize>], made: &[usize]) -> LoopNest {
    let loops = [Dim::B, Dim::K, Dim::OY, Dim::OX];
    let mut sizes = [1; 8];
    loops.iter().zip(made).for_each(|(dim, size)| sizes[*dim as usize] = *size as u64);
    let access = |operand: Operand, source: Option<usize>| AccessFunction {
        operand,
        input: None,
        source: source.map(NestId::from),
        axes: loops.iter().zip(made).map(|(dim, size)| AxisExpression::of(*dim, *size as u64)).collect(),
        bits: 8,
    };
    let inputs = match sources {
        [one] => {
            vec![
                access(Operand::I, *one),
                AccessFunction { operand: Operand::W, input: None, source: None, axes: Vec::new(), bits: 8 },
            ]
        }
        more => vec![access(Operand::W, more[0]), access(Operand::I, more[1])],
    };
    LoopNest { name: name.to_owned(), sizes, output: access(Operand::O, None), inputs, partial_bits: 16 }
}

/// Vectors by a matrix. The inputs are channels of a map of one pixel.
fn gemm(name: &str, source: Option<usize>, read: &[usize], made: &[usize]) -> LoopNest {
    let (c, k) = (*read.last().unwrap() as u64, *made.last().unwrap() as u64);
    let mut sizes = [1; 8];
    (sizes[Dim::C as usize], sizes[Dim::K as usize]) = (c, k);
    let pixel = |dim: Dim, size: u64| {
        vec![
            AxisExpression::of(Dim::B, 1),
            AxisExpression::of(dim, size),
            AxisExpression::of(Dim::OY, 1),
            AxisExpression::of(Dim::OX, 1),
        ]
    };
    let weights = vec![AxisExpression::of(Dim::C, c), AxisExpression::of(Dim::K, k)];
    LoopNest {
        name: name.to_owned(),
        sizes,
        output: AccessFunction { operand: Operand::O, input: None, source: None, axes: pixel(Dim::K, k), bits: 8 },
        inputs: vec![
            AccessFunction {
                operand: Operand::I,
                input: None,
                source: source.map(NestId::from),
                axes: pixel(Dim::C, c),
                bits: 8,
            },
            AccessFunction { operand: Operand::W, input: None, source: None, axes: weights, bits: 8 },
        ],
        partial_bits: 16,
    }
}
