//! Transformers in ONNX models: the forms written by exporters, and models that are no transformers.

use fusescape::attention::{Step, TransformerWork};
use fusescape::import::{ImportReport, Severity, onnx};
use fusescape::spec::{Diagnostics, TransformerSpec, read_transformer, write_transformer};
use fusescape::transformer::Transformer;
use fusescape::workload::{LayerKind, Network};
use fusescape_test_support::onnx::Is::{Int, Ints, Text};
use fusescape_test_support::onnx::{FLOAT, Graph};
use fusescape_test_support::transformers::{
    Blocks, HEADS, HIDDEN, Hides, LAYERS, PLAIN, SIZE, Style, TOKENS, WIDTH, WORDS, Written, model,
};

fn transformer(graph: &Graph) -> Result<(TransformerSpec, ImportReport), Diagnostics> {
    onnx::import_transformer(&mut graph.model().as_slice(), "my-gpt.onnx", &onnx::Options::default())
}

/// Multiply-accumulates of all products of the network, and of its head.
fn network_macs(graph: &Graph) -> (u64, u64) {
    let (network, _): (Network, _) = crate::onnx::import(graph);
    let layers = network.computing().map(|id| network.layer(id));
    let products = layers.filter(|layer| !matches!(layer.shape.kind, LayerKind::Add | LayerKind::Pooling));
    products.fold((0, 0), |(all, head), layer| {
        let macs = layer.shape.macs();
        (all + macs, head + if layer.name == "head" { macs } else { 0 })
    })
}

/// The tested styles, with a description of each.
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
        assert_eq!(read_transformer(&text).both().0, spec, "the document says the same: {text}");
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
        // It computes the same as the network of the same model, except for the head.
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

/// Reasons why a graph is no transformer, with places.
fn refused(graph: &Graph) -> Vec<(String, String)> {
    let wrong = transformer(graph).expect_err("it is refused");
    assert!(wrong.0.iter().all(|one| !one.remedy.is_empty()));
    wrong.0.into_iter().map(|one| (one.path, one.reason)).collect()
}

/// Graphs that are no transformers, with a place and a reason reported for each.
pub(crate) fn others() -> Vec<(Graph, &'static str, &'static str)> {
    let start = || Graph::default().input("x", &[1, TOKENS, WIDTH]).weights("lowest", FLOAT, &[]);
    let blocks = |style: Style| Blocks { graph: start(), style, block: "one".to_owned() };
    let first = |style: Style| {
        let mut blocks = blocks(style);
        let stream = blocks.block(("x".to_owned(), "x".to_owned()));
        (blocks.graph, stream)
    };
    // A second block, in another style, with its own input.
    let second = |style: Style, graph: Graph, read: &str| {
        let mut blocks = Blocks { graph, style, block: "two".to_owned() };
        blocks.block((read.to_owned(), read.to_owned()));
        blocks.graph
    };
    let turn = [("perm", Ints(&[0, 2, 1]))];
    // Attention of given tensors, and the rest of a block.
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
    // Two parallel parts that are concatenated.
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
    // Attributes of any kind are skipped.
    let graph = model(PLAIN, 1).node("Identity", &["head"], &["last"], &[("note", Text("nothing"))]);
    assert!(transformer(&graph).is_ok());
}
