//! Transformers in ONNX models: the forms in which programs export them, and what cannot be one.

use fusescape::attention::{Step, Transformer};
use fusescape::import::{Report, Severity, onnx};
use fusescape::spec::{Diagnostics, TransformerSpec, read_transformer, write_transformer};
use fusescape::workload::{LayerKind, Network};
use fusescape_test_support::onnx::Is::{Int, Ints, Text};
use fusescape_test_support::onnx::{BOOL, FLOAT, Graph};

const BATCH: i64 = 1;
const TOKENS: i64 = 24;
const WIDTH: i64 = 48;
const HEADS: i64 = 6;
const SIZE: i64 = 8;
const HIDDEN: i64 = 80;
const LAYERS: i64 = 3;
const WORDS: i64 = 100;

/// How queries find out what they do not see.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Hides {
    /// They see all.
    Nothing,
    /// A constant that is added to scores.
    Added(Option<i64>),
    /// A constant truth value for each pair.
    Chosen,
    /// Half of a matrix that the graph makes.
    Trilu,
    /// Positions that the graph compares.
    Compared(Option<i64>),
    /// Some tokens, which an input names.
    Padding,
}

/// How attention is written.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Written {
    /// As products, one by one.
    Apart,
    /// As an operator that reads queries, keys and values.
    Operator(&'static str),
    /// As an operator with its own weights.
    WithWeights,
}

/// How a program writes a transformer, and what it is.
#[derive(Debug, Clone, Copy)]
struct Style {
    key_heads: i64,
    /// Queries, keys and values out of one product.
    is_joined: bool,
    written: Written,
    hides: Hides,
    past: i64,
    is_rotary: bool,
    norm: &'static str,
    is_norm_apart: bool,
    is_post: bool,
    /// Norms that hold the sum before them.
    skips: bool,
    is_parallel: bool,
    is_gated: bool,
    activation: &'static str,
    is_gemm: bool,
    /// Norms of queries and keys.
    has_head_norms: bool,
    /// Norms of what is added to the stream.
    has_last_norms: bool,
}

const PLAIN: Style = Style {
    key_heads: HEADS,
    is_joined: false,
    written: Written::Apart,
    hides: Hides::Nothing,
    past: 0,
    is_rotary: false,
    norm: "layer",
    is_norm_apart: false,
    is_post: false,
    skips: false,
    is_parallel: false,
    is_gated: false,
    activation: "Gelu",
    is_gemm: false,
    has_head_norms: false,
    has_last_norms: false,
};

/// A graph with names of its own for each block.
struct Blocks {
    graph: Graph,
    style: Style,
    block: String,
}

impl Blocks {
    fn name(&self, name: &str) -> String {
        format!("{}/{name}", self.block)
    }

    fn node(
        &mut self,
        op: &str,
        inputs: &[&str],
        output: &str,
        attributes: &[(&str, fusescape_test_support::onnx::Is)],
    ) -> String {
        let output = self.name(output);
        self.graph = std::mem::take(&mut self.graph).node(op, inputs, &[&output], attributes);
        output
    }

    fn weights(&mut self, name: &str, dims: &[i64]) -> String {
        let name = self.name(name);
        self.graph = std::mem::take(&mut self.graph).weights(&name, FLOAT, dims);
        name
    }

    fn ints(&mut self, name: &str, list: &[i64]) -> String {
        let name = self.name(name);
        self.graph = std::mem::take(&mut self.graph).ints(&name, list);
        name
    }

    /// Tokens times weights, with a bias.
    fn dense(&mut self, from: &str, name: &str, c: i64, k: i64) -> String {
        let bias = self.weights(&format!("{name}.bias"), &[k]);
        if self.style.is_gemm {
            let weights = self.weights(&format!("{name}.weight"), &[k, c]);
            let (flat, full) =
                (self.ints(&format!("{name}.flat"), &[-1, c]), self.ints(&format!("{name}.full"), &[BATCH, -1, k]));
            let rows = self.node("Reshape", &[from, &flat], &format!("{name}.rows"), &[]);
            let product =
                self.node("Gemm", &[&rows, &weights, &bias], &format!("{name}.product"), &[("transB", Int(1))]);
            return self.node("Reshape", &[&product, &full], name, &[]);
        }
        let weights = self.weights(&format!("{name}.weight"), &[c, k]);
        let product = self.node("MatMul", &[from, &weights], &format!("{name}.product"), &[]);
        self.node("Add", &[&bias, &product], name, &[])
    }

    fn norm(&mut self, from: &str, name: &str) -> String {
        let gain = self.weights(&format!("{name}.gain"), &[WIDTH]);
        let is_layer = self.style.norm == "layer";
        if !self.style.is_norm_apart {
            let op = if is_layer { "LayerNormalization" } else { "SimplifiedLayerNormalization" };
            return self.node(op, &[from, &gain], name, &[]);
        }
        let (two, small) = (self.weights(&format!("{name}.two"), &[]), self.weights(&format!("{name}.small"), &[]));
        let last = [("axes", Ints(&[-1]))];
        let centred = if is_layer {
            let mean = self.node("ReduceMean", &[from], &format!("{name}.mean"), &last);
            self.node("Sub", &[from, &mean], &format!("{name}.centred"), &[])
        } else {
            from.to_owned()
        };
        let square = self.node("Pow", &[&centred, &two], &format!("{name}.square"), &[]);
        let mean = self.node("ReduceMean", &[&square], &format!("{name}.variance"), &last);
        let mean = self.node("Add", &[&mean, &small], &format!("{name}.more"), &[]);
        let root = self.node("Sqrt", &[&mean], &format!("{name}.root"), &[]);
        let normal = self.node("Div", &[&centred, &root], &format!("{name}.normal"), &[]);
        self.node("Mul", &[&normal, &gain], name, &[])
    }

    /// Heads of queries, keys or values.
    fn heads(&mut self, from: &str, name: &str, heads: i64) -> String {
        let shape = self.ints(&format!("{name}.shape"), &[BATCH, -1, heads, SIZE]);
        let split = self.node("Reshape", &[from, &shape], &format!("{name}.split"), &[]);
        self.node("Transpose", &[&split], &format!("{name}.turned"), &[("perm", Ints(&[0, 2, 1, 3]))])
    }

    fn head_norm(&mut self, from: &str, name: &str) -> String {
        if !self.style.has_head_norms {
            return from.to_owned();
        }
        let gain = self.weights(&format!("{name}.gain"), &[SIZE]);
        self.node("SimplifiedLayerNormalization", &[from, &gain], &format!("{name}.normal"), &[])
    }

    /// Channels that are rotated by cosines and sines, as PyTorch's `rotate_half` does.
    fn rotated(&mut self, from: &str, name: &str) -> String {
        if !self.style.is_rotary {
            return from.to_owned();
        }
        let split = [self.name(&format!("{name}.low")), self.name(&format!("{name}.high"))];
        let half = self.ints(&format!("{name}.half"), &[SIZE / 2, SIZE / 2]);
        let outputs = [split[0].as_str(), split[1].as_str()];
        self.graph = std::mem::take(&mut self.graph).node("Split", &[from, &half], &outputs, &[("axis", Int(3))]);
        let minus = self.node("Neg", &[&split[1]], &format!("{name}.minus"), &[]);
        let turned = self.node("Concat", &[&minus, &split[0]], &format!("{name}.halves"), &[("axis", Int(3))]);
        let own = self.node("Mul", &[from, "cosines"], &format!("{name}.own"), &[]);
        let other = self.node("Mul", &[&turned, "sines"], &format!("{name}.other"), &[]);
        self.node("Add", &[&own, &other], &format!("{name}.rotated"), &[])
    }

    /// Keys or values behind those of earlier calls, once for each head of queries.
    fn seen(&mut self, from: &str, name: &str) -> String {
        let Style { key_heads, past, .. } = self.style;
        let all = if past > 0 {
            let cache = self.name(&format!("{name}.past"));
            self.graph = std::mem::take(&mut self.graph).input(&cache, &[BATCH, key_heads, past, SIZE]);
            self.node("Concat", &[&cache, from], &format!("{name}.all"), &[("axis", Int(2))])
        } else {
            from.to_owned()
        };
        if key_heads == HEADS {
            return all;
        }
        let axis = self.ints(&format!("{name}.axis"), &[2]);
        let many = self.ints(&format!("{name}.many"), &[BATCH, key_heads, HEADS / key_heads, past + TOKENS, SIZE]);
        let together = self.ints(&format!("{name}.together"), &[BATCH, HEADS, past + TOKENS, SIZE]);
        let alone = self.node("Unsqueeze", &[&all, &axis], &format!("{name}.alone"), &[]);
        let repeated = self.node("Expand", &[&alone, &many], &format!("{name}.repeated"), &[]);
        self.node("Reshape", &[&repeated, &together], &format!("{name}.heads"), &[])
    }

    /// Scores without those that queries do not see.
    fn masked(&mut self, scores: &str) -> String {
        match self.style.hides {
            Hides::Nothing => scores.to_owned(),
            Hides::Chosen => self.node("Where", &["visible", scores, "lowest"], "masked", &[]),
            Hides::Compared(_) => self.node("Where", &["seen", scores, "lowest"], "masked", &[]),
            Hides::Added(_) | Hides::Trilu | Hides::Padding => self.node("Add", &[scores, "hidden"], "masked", &[]),
        }
    }

    fn attention(&mut self, x: &str) -> String {
        let Style { key_heads, is_joined, written, hides, past, is_rotary, .. } = self.style;
        let of_keys = key_heads * SIZE;
        if written == Written::WithWeights {
            let (weights, bias) =
                (self.weights("qkv.weight", &[WIDTH, 3 * WIDTH]), self.weights("qkv.bias", &[3 * WIDTH]));
            let causal = i64::from(hides != Hides::Nothing);
            let context = self.node(
                "Attention",
                &[x, &weights, &bias],
                "context",
                &[("num_heads", Int(HEADS)), ("unidirectional", Int(causal))],
            );
            return self.dense(&context, "output", WIDTH, WIDTH);
        }
        let [q, k, v] = if is_joined {
            let all = self.dense(x, "qkv", WIDTH, WIDTH + 2 * of_keys);
            let sizes = self.ints("qkv.sizes", &[WIDTH, of_keys, of_keys]);
            let outputs = ["q", "k", "v"].map(|name| self.name(name));
            let names = [outputs[0].as_str(), outputs[1].as_str(), outputs[2].as_str()];
            self.graph = std::mem::take(&mut self.graph).node("Split", &[&all, &sizes], &names, &[("axis", Int(-1))]);
            outputs
        } else {
            [self.dense(x, "q", WIDTH, WIDTH), self.dense(x, "k", WIDTH, of_keys), self.dense(x, "v", WIDTH, of_keys)]
        };
        if let Written::Operator(op) = written {
            let causal = hides != Hides::Nothing;
            let mut caches = Vec::new();
            for name in ["k.past", "v.past"].map(|name| self.name(name)) {
                if past > 0 {
                    self.graph = std::mem::take(&mut self.graph).input(&name, &[BATCH, key_heads, past, SIZE]);
                }
                caches.push(if past > 0 { name } else { String::new() });
            }
            let heads = match op {
                "Attention" => vec![
                    ("q_num_heads", Int(HEADS)),
                    ("kv_num_heads", Int(key_heads)),
                    ("is_causal", Int(i64::from(causal))),
                ],
                "GroupQueryAttention" => vec![
                    ("num_heads", Int(HEADS)),
                    ("kv_num_heads", Int(key_heads)),
                    ("do_rotary", Int(i64::from(is_rotary))),
                ],
                _ => vec![("num_heads", Int(HEADS)), ("unidirectional", Int(i64::from(causal)))],
            };
            let read = match op {
                "Attention" => [&q[..], &k, &v, "", &caches[0], &caches[1]].to_vec(),
                "GroupQueryAttention" => [&q[..], &k, &v, &caches[0], &caches[1]].to_vec(),
                _ => [&q[..], &k, &v].to_vec(),
            };
            let context = self.node(op, &read, "context", &heads);
            return self.dense(&context, "output", WIDTH, WIDTH);
        }
        let (q, k, v) = (self.heads(&q, "q", HEADS), self.heads(&k, "k", key_heads), self.heads(&v, "v", key_heads));
        let (q, k) = (self.head_norm(&q, "q"), self.head_norm(&k, "k"));
        let (q, k) = (self.rotated(&q, "q"), self.rotated(&k, "k"));
        let (k, v) = (self.seen(&k, "k"), self.seen(&v, "v"));
        let columns = self.node("Transpose", &[&k], "columns", &[("perm", Ints(&[0, 1, 3, 2]))]);
        let root = self.weights("scale", &[]);
        let scores = self.node("MatMul", &[&q, &columns], "scores", &[]);
        let scores = self.node("Div", &[&scores, &root], "scaled", &[]);
        let scores = self.masked(&scores);
        let shares = self.node("Softmax", &[&scores], "shares", &[("axis", Int(-1))]);
        let context = self.node("MatMul", &[&shares, &v], "context", &[]);
        let rows = self.node("Transpose", &[&context], "context.turned", &[("perm", Ints(&[0, 2, 1, 3]))]);
        let shape = self.ints("context.shape", &[BATCH, -1, WIDTH]);
        let tokens = self.node("Reshape", &[&rows, &shape], "context.tokens", &[]);
        self.dense(&tokens, "output", WIDTH, WIDTH)
    }

    fn activated(&mut self, x: &str) -> String {
        match self.style.activation {
            "none" => x.to_owned(),
            "erf" => {
                let [root, one, half] = ["gelu.root", "gelu.one", "gelu.half"].map(|name| self.weights(name, &[]));
                let inner = self.node("Div", &[x, &root], "gelu.inner", &[]);
                let erf = self.node("Erf", &[&inner], "gelu.erf", &[]);
                let more = self.node("Add", &[&erf, &one], "gelu.more", &[]);
                let all = self.node("Mul", &[x, &more], "gelu.all", &[]);
                self.node("Mul", &[&all, &half], "gelu", &[])
            }
            "tanh" => {
                let [three, factor, root, one, half] =
                    ["gelu.three", "gelu.factor", "gelu.root", "gelu.one", "gelu.half"]
                        .map(|name| self.weights(name, &[]));
                let cube = self.node("Pow", &[x, &three], "gelu.cube", &[]);
                let scaled = self.node("Mul", &[&cube, &factor], "gelu.scaled", &[]);
                let sum = self.node("Add", &[x, &scaled], "gelu.sum", &[]);
                let inner = self.node("Mul", &[&sum, &root], "gelu.inner", &[]);
                let tanh = self.node("Tanh", &[&inner], "gelu.tanh", &[]);
                let more = self.node("Add", &[&tanh, &one], "gelu.more", &[]);
                let own = self.node("Mul", &[x, &half], "gelu.own", &[]);
                self.node("Mul", &[&own, &more], "gelu", &[])
            }
            "silu" => {
                let share = self.node("Sigmoid", &[x], "silu.share", &[]);
                self.node("Mul", &[x, &share], "silu", &[])
            }
            "quick" => {
                let factor = self.weights("gelu.factor", &[]);
                let inner = self.node("Mul", &[x, &factor], "gelu.inner", &[]);
                let share = self.node("Sigmoid", &[&inner], "gelu.share", &[]);
                self.node("Mul", &[x, &share], "gelu", &[])
            }
            op => self.node(op, &[x], "activated", &[]),
        }
    }

    fn feed_forward(&mut self, x: &str) -> String {
        let hidden = if self.style.is_gated {
            let gate = self.dense(x, "gate", WIDTH, HIDDEN);
            let gate = self.activated(&gate);
            let up = self.dense(x, "up", WIDTH, HIDDEN);
            self.node("Mul", &[&gate, &up], "gated", &[])
        } else {
            let up = self.dense(x, "up", WIDTH, HIDDEN);
            self.activated(&up)
        };
        self.dense(&hidden, "down", HIDDEN, WIDTH)
    }

    /// The sum of two tensors, and its norm.
    fn added(&mut self, stream: &str, branch: &str, name: &str) -> (String, String) {
        let last = self.style.has_last_norms.then(|| self.norm(branch, &format!("{name}.last")));
        let branch = last.as_deref().unwrap_or(branch);
        if self.style.skips {
            let gain = self.weights(&format!("{name}.gain"), &[WIDTH]);
            let op =
                if self.style.norm == "layer" { "SkipLayerNormalization" } else { "SkipSimplifiedLayerNormalization" };
            let (normal, sum) = (self.name(&format!("{name}.normal")), self.name(name));
            self.graph =
                std::mem::take(&mut self.graph).node(op, &[stream, branch, &gain], &[&normal, "", "", &sum], &[]);
            return (sum, normal);
        }
        let sum = self.node("Add", &[stream, branch], name, &[]);
        let normal = self.norm(&sum, &format!("{name}.normal"));
        (sum, normal)
    }

    /// A block; what it reads and what it makes are the stream, and its norm.
    fn block(&mut self, (stream, normal): (String, String)) -> (String, String) {
        let Style { is_post, is_parallel, .. } = self.style;
        let read = if is_post { &stream } else { &normal }.clone();
        let attended = self.attention(&read);
        if is_parallel {
            let made = self.feed_forward(&read);
            let both = self.node("Add", &[&attended, &made], "both", &[]);
            return self.added(&stream, &both, "sum");
        }
        let (sum, own) = self.added(&stream, &attended, "middle");
        let (stream, read) = if is_post { (own.clone(), own) } else { (sum, own) };
        let made = self.feed_forward(&read);
        let (sum, own) = self.added(&stream, &made, "sum");
        if is_post { (own.clone(), own) } else { (sum, own) }
    }
}

/// Bytes of a mask: one where a token sees another, lowest values elsewhere.
fn triangle(side: i64, window: Option<i64>, size: usize) -> Vec<u8> {
    let sees = |row: i64, column: i64| column <= row && window.is_none_or(|window| row - column < window);
    let places = (0..side).flat_map(|row| (0..side).map(move |column| (row, column)));
    places.flat_map(|(row, column)| vec![if sees(row, column) { 1 } else { 0 }; size]).collect()
}

/// A model: words, blocks, and a head over all words.
fn model(style: Style, layers: i64) -> Graph {
    let mut graph = Graph::default()
        .input("words", &[BATCH, TOKENS])
        .weights("table", FLOAT, &[WORDS, WIDTH])
        .weights("places", FLOAT, &[TOKENS, WIDTH])
        .weights("cosines", FLOAT, &[TOKENS, SIZE])
        .weights("sines", FLOAT, &[TOKENS, SIZE])
        .weights("lowest", FLOAT, &[])
        .node("Gather", &["table", "words"], &["looked.up"], &[])
        .node("Add", &["looked.up", "places"], &["x"], &[]);
    graph = match style.hides {
        Hides::Nothing => graph,
        Hides::Added(window) => graph.raw("hidden", FLOAT, &[1, 1, TOKENS, TOKENS], &triangle(TOKENS, window, 4)),
        // A buffer for longer sequences, of which a part is taken.
        Hides::Chosen => graph
            .raw("buffer", BOOL, &[1, 1, 2 * TOKENS, 2 * TOKENS], &triangle(2 * TOKENS, None, 1))
            .ints("zeros", &[0, 0])
            .ints("ends", &[TOKENS, TOKENS])
            .ints("axes", &[2, 3])
            .node("Slice", &["buffer", "zeros", "ends", "axes"], &["visible"], &[]),
        Hides::Trilu => graph
            .ints("square", &[TOKENS, TOKENS])
            .node("Expand", &["lowest", "square"], &["full"], &[])
            .node("Trilu", &["full"], &["hidden"], &[("upper", Int(1))]),
        Hides::Compared(window) => {
            let graph = graph
                .ints("positions", &(0..TOKENS).collect::<Vec<_>>())
                .ints("column", &[TOKENS, 1])
                .node("Reshape", &["positions", "column"], &["own"], &[])
                .node("LessOrEqual", &["positions", "own"], &["earlier"], &[]);
            match window {
                None => graph.node("Identity", &["earlier"], &["seen"], &[]),
                Some(window) => graph
                    .ints("window", &[window])
                    .node("Sub", &["own", "window"], &["first"], &[])
                    .node("Greater", &["positions", "first"], &["near"], &[])
                    .node("And", &["earlier", "near"], &["seen"], &[]),
            }
        }
        Hides::Padding => graph
            .input("padding", &[BATCH, TOKENS])
            .ints("one.two", &[1, 2])
            .node("Unsqueeze", &["padding", "one.two"], &["padding.all"], &[])
            .node("Mul", &["padding.all", "lowest"], &["hidden"], &[]),
    };
    let mut blocks = Blocks { graph, style, block: "first".to_owned() };
    let normal = blocks.norm("x", "norm");
    let mut stream = if style.is_post { (normal.clone(), normal) } else { ("x".to_owned(), normal) };
    for layer in 0..layers {
        blocks.block = format!("block.{layer}");
        stream = blocks.block(stream);
    }
    blocks.graph.dense(&stream.1, "head", WIDTH, WORDS)
}

/// A model as GPT-2 is, small.
pub(crate) fn gpt() -> Graph {
    model(Style { hides: Hides::Trilu, is_joined: true, ..PLAIN }, LAYERS)
}

fn transformer(graph: &Graph) -> Result<(TransformerSpec, Report), Diagnostics> {
    onnx::import_transformer(&mut graph.model().as_slice(), "my-gpt.onnx", &onnx::Options::default())
}

/// Multiply-accumulates of all products of the network, and of the head of it.
fn network_macs(graph: &Graph) -> (u64, u64) {
    let (network, _): (Network, _) = crate::onnx::import(graph);
    let layers = network.computing().map(|id| network.layer(id));
    let products = layers.filter(|layer| !matches!(layer.shape.kind, LayerKind::Add | LayerKind::Pooling));
    products.fold((0, 0), |(all, head), layer| {
        let macs = layer.shape.macs();
        (all + macs, head + if layer.name == "head" { macs } else { 0 })
    })
}

/// The styles that are tried, with what each of them is.
fn styles() -> Vec<(Style, &'static str)> {
    use Hides::{Added, Chosen, Compared, Nothing, Padding, Trilu};
    use Written::{Apart, Operator, WithWeights};
    let gpt = Style { hides: Trilu, is_joined: true, ..PLAIN };
    let bert = Style { hides: Padding, is_post: true, activation: "erf", ..PLAIN };
    let llama = Style {
        key_heads: 2,
        is_rotary: true,
        norm: "rms",
        is_norm_apart: true,
        is_gated: true,
        activation: "silu",
        hides: Compared(None),
        ..PLAIN
    };
    vec![
        (PLAIN, "gelu"),
        (gpt, "gelu"),
        (Style { hides: Added(None), activation: "tanh", is_norm_apart: true, ..gpt }, "gelu"),
        (Style { hides: Chosen, is_gemm: true, activation: "erf", ..gpt }, "gelu"),
        (Style { hides: Added(Some(5)), activation: "Relu", ..gpt }, "relu"),
        (Style { skips: true, activation: "FastGelu", ..gpt }, "gelu"),
        (Style { is_parallel: true, activation: "none", ..gpt }, "none"),
        (Style { past: 40, hides: Nothing, ..gpt }, "gelu"),
        (Style { written: WithWeights, skips: true, ..gpt }, "gelu"),
        (Style { written: Operator("MultiHeadAttention"), ..gpt }, "gelu"),
        (bert, "gelu"),
        (Style { skips: true, is_joined: true, ..bert }, "gelu"),
        (Style { written: WithWeights, hides: Nothing, ..bert }, "gelu"),
        (Style { is_norm_apart: true, activation: "quick", ..bert }, "gelu"),
        (llama, "silu"),
        (Style { has_head_norms: true, has_last_norms: true, ..llama }, "silu"),
        (Style { hides: Compared(Some(7)), activation: "Swish", is_norm_apart: false, ..llama }, "silu"),
        (Style { key_heads: 1, past: 16, hides: Nothing, ..llama }, "silu"),
        (
            Style { written: Operator("GroupQueryAttention"), past: 9, skips: true, is_norm_apart: false, ..llama },
            "silu",
        ),
        (Style { written: Operator("Attention"), is_rotary: false, past: 9, ..llama }, "silu"),
        (Style { written: Apart, key_heads: 3, is_gated: true, activation: "Gelu", is_joined: true, ..llama }, "gelu"),
    ]
}

#[test]
fn every_form_of_a_transformer_is_the_document_of_its_sizes() {
    for (style, activation) in styles() {
        let graph = model(style, LAYERS);
        let (spec, report) = transformer(&graph).unwrap_or_else(|wrong| panic!("{style:?}: {wrong}"));
        let text = write_transformer(&spec);
        assert_eq!(read_transformer(&text).0, spec, "the document says the same: {text}");
        let window = match style.hides {
            Hides::Added(window) | Hides::Compared(window) => window,
            _ => None,
        };
        let is_causal = style.past > 0 || !matches!(style.hides, Hides::Nothing | Hides::Padding);
        let expected = TransformerSpec {
            name: "my-gpt".to_owned(),
            about: spec.about.clone(),
            layers: LAYERS as u64,
            width: WIDTH as u64,
            heads: HEADS as u64,
            key_heads: style.key_heads as u64,
            head_size: SIZE as u64,
            hidden: HIDDEN as u64,
            gated: style.is_gated,
            experts: 1,
            active: 1,
            decoder: is_causal,
            window: window.map(|window| window as u64),
            norm: style.norm.to_owned(),
            post_norm: style.is_post,
            activation: activation.to_owned(),
            rotary: style.is_rotary,
            ..TransformerSpec::default()
        };
        assert_eq!(spec, expected, "{style:?}");
        // It computes what the network of the same model does, but for the head.
        let model = Transformer::from_text(&text).unwrap();
        let (tokens, past) = (TOKENS as u64, style.past as u64);
        let step = Step { batch: 1, tokens, cached: past, sees_itself: true };
        let scores = 2 * (HEADS * SIZE) as u64 * tokens * (tokens + past);
        let own = model.layers * (model.weighted_macs(&step) + scores);
        let (all, head) = network_macs(&graph);
        assert_eq!((own, head), (all - head, (TOKENS * WIDTH * WORDS) as u64), "{style:?}");
        let told = format!("take {own} MACs, as many as in the network of the same model, which has {head} more");
        assert!(report.result.contains(&told), "{style:?}: {}", report.result);
        let says = |severity, what: &str| crate::onnx::says(&report, severity, what);
        assert!(
            says(Severity::NotCounted, "behind the blocks, 48 x 100 weights for 24 rows: 115200 MACs"),
            "{style:?}"
        );
        assert!(says(Severity::NotCounted, "embedding: a table of 100 x 48"), "{style:?}");
        let is_told = says(Severity::Expressed, "attention and the feed-forward part read the same tokens");
        assert_eq!(is_told, style.is_parallel, "{style:?}");
        let is_told = says(Severity::NotCounted, "norms of queries and keys are left out");
        assert_eq!(is_told, style.has_head_norms, "{style:?}");
        let is_told = says(
            Severity::NotCounted,
            "norms behind attention and the feed-forward part, before the sums, are left out",
        );
        assert_eq!(is_told, style.has_last_norms, "{style:?}");
    }
}

#[test]
fn a_vision_transformer_begins_with_patches() {
    let graph = Graph::default()
        .input("image", &[1, 3, 32, 32])
        .conv("image", "patches", [WIDTH, 3, 8, 8], &[("strides", Ints(&[8, 8]))])
        .ints("rows", &[1, WIDTH, 16])
        .node("Reshape", &["patches", "rows"], &["columns"], &[])
        .node("Transpose", &["columns"], &["tokens"], &[("perm", Ints(&[0, 2, 1]))])
        .weights("class", FLOAT, &[1, 1, WIDTH])
        .node("Concat", &["class", "tokens"], &["all"], &[("axis", Int(1))])
        .weights("places", FLOAT, &[1, 17, WIDTH])
        .node("Add", &["all", "places"], &["x"], &[]);
    let mut blocks = Blocks { graph, style: PLAIN, block: "first".to_owned() };
    let normal = blocks.norm("x", "norm");
    let mut stream = ("x".to_owned(), normal);
    for layer in 0..2 {
        blocks.block = format!("block.{layer}");
        stream = blocks.block(stream);
    }
    let (spec, report) = transformer(&blocks.graph).unwrap();
    assert_eq!((spec.layers, spec.heads, spec.decoder, spec.post_norm), (2, 6, false, false));
    assert!(report.result.contains("17 new tokens of 1 sequence"), "{}", report.result);
    assert!(crate::onnx::says(
        &report,
        Severity::NotCounted,
        "before the blocks, 192 x 48 weights for 16 rows: 147456 MACs"
    ));
}

#[test]
fn open_sizes_are_those_that_a_person_states() {
    let open = |sizes: &[(&str, u64)]| {
        let graph = Graph::default().input("words", &[-1, -2]).weights("table", FLOAT, &[WORDS, WIDTH]).node(
            "Gather",
            &["table", "words"],
            &["x"],
            &[],
        );
        let mut blocks = Blocks { graph, style: Style { hides: Hides::Nothing, ..PLAIN }, block: "block".to_owned() };
        let normal = blocks.norm("x", "norm");
        blocks.block(("x".to_owned(), normal));
        let sizes = sizes.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect();
        let options = onnx::Options { sizes, ..onnx::Options::default() };
        onnx::import_transformer(&mut blocks.graph.model().as_slice(), "open.onnx", &options)
    };
    let (spec, report) = open(&[("open2", 100)]).unwrap();
    assert!(report.result.contains("100 new tokens of 1 sequence"), "{}", report.result);
    assert!(crate::onnx::says(&report, Severity::Assumed, "the file leaves `open1` open; taken as 1"));
    assert_eq!(open(&[]).unwrap().0, spec, "sizes of a transformer do not depend on the number of tokens");
    let wrong = open(&[("sequence", 3)]).unwrap_err();
    assert!(wrong.to_string().contains("no open dimension `sequence`"), "{wrong}");
}

/// Why a graph is no transformer, with its places.
fn refused(graph: &Graph) -> Vec<(String, String)> {
    let wrong = transformer(graph).expect_err("it is refused");
    assert!(wrong.0.iter().all(|one| !one.remedy.is_empty()));
    wrong.0.into_iter().map(|one| (one.path, one.reason)).collect()
}

/// Graphs that are no transformers, with a place and a reason that are told of each.
pub(crate) fn others() -> Vec<(Graph, &'static str, &'static str)> {
    let start = || Graph::default().input("x", &[1, TOKENS, WIDTH]).weights("lowest", FLOAT, &[]);
    let blocks = |style: Style| Blocks { graph: start(), style, block: "one".to_owned() };
    let first = |style: Style| {
        let mut blocks = blocks(style);
        let stream = blocks.block(("x".to_owned(), "x".to_owned()));
        (blocks.graph, stream)
    };
    // A second block, of another style, that reads something.
    let second = |style: Style, graph: Graph, read: &str| {
        let mut blocks = Blocks { graph, style, block: "two".to_owned() };
        blocks.block((read.to_owned(), read.to_owned()));
        blocks.graph
    };
    let turn = [("perm", Ints(&[0, 2, 1]))];
    // Attention of tensors, and what follows.
    let of = |read: [&str; 3], columns: [i64; 3], graph: Graph| {
        let mut blocks = Blocks { graph, style: PLAIN, block: "one".to_owned() };
        let [q, k, v] = [0, 1, 2].map(|part| {
            let channels = if read[part] == "twice" { 2 * WIDTH } else { WIDTH };
            blocks.dense(read[part], ["q", "k", "v"][part], channels, columns[part])
        });
        let context = blocks.node("MultiHeadAttention", &[&q, &k, &v], "context", &[("num_heads", Int(HEADS))]);
        let output = blocks.dense(&context, "output", columns[2], WIDTH);
        let sum = blocks.node("Add", &["x", &output], "sum", &[]);
        let made = blocks.feed_forward(&sum);
        blocks.node("Add", &[&sum, &made], "end", &[]);
        blocks.graph
    };
    let mut all = vec![
        (start().dense("x", "only", WIDTH, WIDTH), "", "There is no attention in it"),
        (first(Style { activation: "Elu", ..PLAIN }).0, "one/down.product", "The activation, `Elu`, is none"),
        (first(Style { activation: "Sigmoid", ..PLAIN }).0, "one/down.product", "The activation, `Sigmoid`"),
        (first(Style { activation: "Tanh", ..PLAIN }).0, "one/down.product", "The activation, `Tanh`"),
        (
            of(["x", "other", "other"], [WIDTH; 3], start().input("other", &[1, TOKENS, WIDTH])),
            "one/context",
            "Keys and values come out of other tokens than queries",
        ),
        (
            of(["x"; 3], [WIDTH, WIDTH, 2 * WIDTH], start()),
            "one/context",
            "Values have 16 elements, queries and keys 8",
        ),
    ];
    let scores = start().dense("x", "q", WIDTH, SIZE).dense("x", "k", WIDTH, SIZE).dense("x", "v", WIDTH, SIZE);
    let scores = scores.node("Transpose", &["k"], &["kt"], &turn).node("MatMul", &["q", "kt"], &["scores"], &[]);
    all.push((scores.node("MatMul", &["scores", "v"], &["linear"], &[]), "linear", "No softmax stands between"));
    let (graph, (sum, _)) = first(PLAIN);
    let gram =
        graph.clone().node("Transpose", &[&sum], &["turned"], &turn).node("MatMul", &[&sum, "turned"], &["gram"], &[]);
    all.push((gram, "gram", "It multiplies two computed matrices, and is no part of attention"));
    all.push((
        second(Style { key_heads: 2, activation: "Relu", ..PLAIN }, graph.clone(), &sum),
        "two/context",
        "A block is not like the first one: key_heads 2, not 6; feed_forward.activation relu, not gelu",
    ));
    all.push((
        second(PLAIN, graph.clone(), "x"),
        "two/context",
        "Attention reads something else than what the block before it computes",
    ));
    all.push((
        second(PLAIN, graph.dense(&sum, "adapter", WIDTH, WIDTH), "adapter"),
        "two/context",
        "Queries, keys or values come out of several products in a row",
    ));
    // Keys and values of another sequence.
    let encoded = start().input("other", &[1, TOKENS, WIDTH]).dense("other", "before", WIDTH, WIDTH);
    let encoded = encoded.node("Softmax", &["before"], &["encoded"], &[]);
    all.push((
        of(["x", "encoded", "encoded"], [WIDTH; 3], encoded),
        "one/context",
        "Keys and values come out of other tokens than queries",
    ));
    let twice = start().node("Concat", &["x", "x"], &["twice"], &[("axis", Int(2))]);
    all.push((
        of(["twice"; 3], [WIDTH; 3], twice),
        "one/context",
        "It reads 96 channels of a token, and its results have 48",
    ));
    let part = start().ints("zero", &[0]).ints("end", &[TOKENS / 2]).ints("axis", &[1]);
    let part = part.dense("x", "made", WIDTH, WIDTH).node("Slice", &["made", "zero", "end", "axis"], &["part"], &[]);
    all.push((
        of(["made", "part", "part"], [WIDTH; 3], part),
        "one/context",
        "Queries and keys are of unlike numbers of tokens",
    ));
    let mut alone = blocks(PLAIN);
    let attended = alone.attention("x");
    all.push((alone.graph.clone(), "one/output.product", "No residual sum adds the results of attention"));
    alone.node("Add", &["x", &attended], "sum", &[]);
    all.push((alone.graph, "one/context", "No feed-forward part of two products with weights follows attention"));
    let mut looped = blocks(PLAIN);
    looped.attention("x");
    let looped = looped.graph.node("Transpose", &["x"], &["turned"], &turn);
    all.push((
        looped.node("MatMul", &["one/context.tokens", "turned"], &["again"], &[]),
        "one/context",
        "2 products read the results of attention",
    ));
    let mut crossed = blocks(Style { written: Written::Operator("MultiHeadAttention"), ..PLAIN });
    let [q, k, v] = ["q", "k", "v"].map(|name| crossed.dense("x", name, WIDTH, WIDTH));
    crossed.node("MultiHeadAttention", &[&q, &k, &v], "context", &[("num_heads", Int(HEADS))]);
    let crossed = crossed.graph.node("Transpose", &["x"], &["turned"], &turn);
    all.push((
        crossed.node("MatMul", &["one/context", "turned"], &["again"], &[]),
        "again",
        "It reads the results of attention, and is no product of these alone",
    ));
    // Norms in two places, and of two kinds.
    let mut both = blocks(PLAIN);
    let normal = both.norm("x", "before");
    let attended = both.attention(&normal);
    let sum = both.node("Add", &["x", &attended], "sum", &[]);
    let passing = both.norm(&sum, "behind");
    let made = both.feed_forward(&passing);
    both.node("Add", &[&passing, &made], "end", &[]);
    all.push((both.graph, "one/context", "It has norms both before products and on the way of the residual stream"));
    let mut unlike = blocks(Style { norm: "rms", ..PLAIN });
    let normal = unlike.norm("x", "before");
    unlike.style.norm = "layer";
    unlike.block(("x".to_owned(), normal));
    all.push((unlike.graph, "one/context", "It has norms of two kinds"));
    // Two parts side by side that are joined.
    let mut joined = blocks(PLAIN);
    let attended = joined.attention("x");
    let sum = joined.node("Add", &["x", &attended], "sum", &[]);
    let (up, other) = (joined.dense(&sum, "up", WIDTH, HIDDEN), joined.dense(&sum, "other", WIDTH, HIDDEN));
    let hidden = joined.node("Concat", &[&up, &other], "hidden", &[("axis", Int(2))]);
    let made = joined.dense(&hidden, "down", 2 * HIDDEN, WIDTH);
    joined.node("Add", &[&sum, &made], "end", &[]);
    all.push((
        joined.graph,
        "one/down.product",
        "It reads 160 channels that 2 products with weights make, of 80, 80 channels",
    ));
    all
}

#[test]
fn what_is_no_transformer_is_refused_with_its_place() {
    for (graph, place, reason) in others() {
        let told = refused(&graph);
        assert!(told.iter().any(|(path, why)| path == place && why.contains(reason)), "{place}: {reason}: {told:?}");
    }
}

#[test]
fn a_reason_that_all_blocks_have_is_told_once() {
    let told = refused(&model(Style { activation: "Mish", ..PLAIN }, LAYERS));
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].1.ends_with("so do 2 more nodes"), "{told:?}");
}

#[test]
fn an_operator_of_a_stated_text_is_no_mask() {
    // Attributes of any kind are passed over.
    let graph = model(PLAIN, 1).node("Identity", &["head"], &["last"], &[("note", Text("nothing"))]);
    assert!(transformer(&graph).is_ok());
}
