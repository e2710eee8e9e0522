//! Writes transformers as ONNX models, in the forms of exporters.

use crate::onnx::Is::{Int, Ints};
use crate::onnx::{BOOL, FLOAT, Graph};

pub const BATCH: i64 = 1;
pub const TOKENS: i64 = 24;
pub const WIDTH: i64 = 48;
pub const HEADS: i64 = 6;
pub const SIZE: i64 = 8;
pub const HIDDEN: i64 = 80;
pub const LAYERS: i64 = 3;
pub const WORDS: i64 = 100;

/// The form of the attention mask.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Hides {
    /// No mask.
    Nothing,
    /// A constant that is added to scores.
    Added(Option<i64>),
    /// A constant boolean for each pair.
    Chosen,
    /// Half of a matrix made by the graph.
    Trilu,
    /// Positions compared by the graph.
    Compared(Option<i64>),
    /// Some tokens, given by an input.
    Padding,
}

/// The form of attention.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Written {
    /// Single products.
    Apart,
    /// An operator with queries, keys and values as inputs.
    Operator(&'static str),
    /// As an operator with its own weights.
    WithWeights,
}

/// The form and the properties of a transformer.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    pub key_heads: i64,
    /// One product for queries, keys and values.
    pub is_joined: bool,
    pub written: Written,
    pub hides: Hides,
    pub past: i64,
    pub is_rotary: bool,
    pub norm: &'static str,
    pub is_norm_apart: bool,
    pub is_post: bool,
    /// Norms that include the residual sum before them.
    pub skips: bool,
    pub is_parallel: bool,
    pub is_gated: bool,
    pub activation: &'static str,
    pub is_gemm: bool,
    /// Norms of queries and keys.
    pub has_head_norms: bool,
    /// Norms at the end of branches.
    pub has_last_norms: bool,
}

pub const PLAIN: Style = Style {
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

/// A graph with unique names for each block.
pub struct Blocks {
    pub graph: Graph,
    pub style: Style,
    pub block: String,
}

impl Blocks {
    pub fn name(&self, name: &str) -> String {
        format!("{}/{name}", self.block)
    }

    pub fn node(&mut self, op: &str, inputs: &[&str], output: &str, attributes: &[(&str, crate::onnx::Is)]) -> String {
        let output = self.name(output);
        self.graph = std::mem::take(&mut self.graph).node(op, inputs, &[&output], attributes);
        output
    }

    pub fn weights(&mut self, name: &str, dims: &[i64]) -> String {
        let name = self.name(name);
        self.graph = std::mem::take(&mut self.graph).weights(&name, FLOAT, dims);
        name
    }

    pub fn ints(&mut self, name: &str, list: &[i64]) -> String {
        let name = self.name(name);
        self.graph = std::mem::take(&mut self.graph).ints(&name, list);
        name
    }

    /// Tokens times weights, with a bias.
    pub fn dense(&mut self, from: &str, name: &str, c: i64, k: i64) -> String {
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

    pub fn norm(&mut self, from: &str, name: &str) -> String {
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
    pub fn heads(&mut self, from: &str, name: &str, heads: i64) -> String {
        let shape = self.ints(&format!("{name}.shape"), &[BATCH, -1, heads, SIZE]);
        let split = self.node("Reshape", &[from, &shape], &format!("{name}.split"), &[]);
        self.node("Transpose", &[&split], &format!("{name}.turned"), &[("perm", Ints(&[0, 2, 1, 3]))])
    }

    pub fn head_norm(&mut self, from: &str, name: &str) -> String {
        if !self.style.has_head_norms {
            return from.to_owned();
        }
        let gain = self.weights(&format!("{name}.gain"), &[SIZE]);
        self.node("SimplifiedLayerNormalization", &[from, &gain], &format!("{name}.normal"), &[])
    }

    /// Channels with rotary embeddings, as in PyTorch's `rotate_half`.
    pub fn rotated(&mut self, from: &str, name: &str) -> String {
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

    /// Keys or values appended to those of earlier calls, repeated for each head of queries.
    pub fn seen(&mut self, from: &str, name: &str) -> String {
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

    /// Scores with the mask applied.
    pub fn masked(&mut self, scores: &str) -> String {
        match self.style.hides {
            Hides::Nothing => scores.to_owned(),
            Hides::Chosen => self.node("Where", &["visible", scores, "lowest"], "masked", &[]),
            Hides::Compared(_) => self.node("Where", &["seen", scores, "lowest"], "masked", &[]),
            Hides::Added(_) | Hides::Trilu | Hides::Padding => self.node("Add", &[scores, "hidden"], "masked", &[]),
        }
    }

    pub fn attention(&mut self, x: &str) -> String {
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

    pub fn activated(&mut self, x: &str) -> String {
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

    pub fn feed_forward(&mut self, x: &str) -> String {
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
    pub fn added(&mut self, stream: &str, branch: &str, name: &str) -> (String, String) {
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

    /// A block; its input and its output are the stream, and its norm.
    pub fn block(&mut self, (stream, normal): (String, String)) -> (String, String) {
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

/// Bytes of a mask: one for visible tokens, the lowest value elsewhere.
pub fn triangle(side: i64, window: Option<i64>, size: usize) -> Vec<u8> {
    let sees = |row: i64, column: i64| column <= row && window.is_none_or(|window| row - column < window);
    let places = (0..side).flat_map(|row| (0..side).map(move |column| (row, column)));
    places.flat_map(|(row, column)| vec![if sees(row, column) { 1 } else { 0 }; size]).collect()
}

/// A model: embedding, blocks, and a head over the vocabulary.
pub fn model(style: Style, layers: i64) -> Graph {
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

/// A small model like GPT-2.
pub fn gpt() -> Graph {
    model(Style { hides: Hides::Trilu, is_joined: true, ..PLAIN }, LAYERS)
}
