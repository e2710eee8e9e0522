//! Recurrent layers: LSTM, GRU, RNN.
//!
//! The inputs of all steps form one product. The recurrent products are unrolled: each step multiplies the state of the
//! previous step with weights shared by all steps, which are therefore an input of the network that every step reads.
//! Of the sums for all gates, the channels of the first one stand for the new state, as the elementwise operations of
//! gates cost nothing here.

use super::builder::{NetworkBuilder, title, unusual, weight_bits};
use super::convolution::note_fractions;
use super::features::{Features, TensorValue};
use super::layout::{AxisPart, AxisRole, Layout, MapAxes};
use super::model::OnnxNode;
use super::product::{TrainedMatrices, with_weights};
use super::shapes::elements;
use crate::report::Severity;
use fusescape_spec::{LayerSpec, MapAxis, PrecisionSpec, ViewSpec};

/// Limit on the unrolled steps of one direction.
const MAX_STEPS: u64 = 64;
/// Limit on the steps of a model; each takes four layers.
const MAX_ALL_STEPS: u64 = 512;

/// The sizes of a recurrent layer.
struct Recurrence {
    steps: u64,
    /// Sequences per batch.
    sequences: u64,
    inputs: u64,
    hidden: u64,
    gates: u64,
    directions: u64,
    /// Whether the axis of sequences comes before that of steps.
    is_batch_first: bool,
    /// Bits per weight, unless the default.
    bits: Option<u64>,
}

impl Recurrence {
    fn new(builder: &NetworkBuilder, node: &OnnxNode, x: &Features) -> Result<Self, String> {
        let gates = match node.op.as_str() {
            "GRU" => 3,
            "RNN" => 1,
            _ => 4,
        };
        let constant = |index: usize| builder.constant(node, index).ok_or("its weights are computed");
        let shape = |index: usize| match constant(index)?.dims.as_deref() {
            // The quantised form of ONNX Runtime has them transposed.
            Some(&[directions, rows, columns]) if node.op == "DynamicQuantizeLSTM" => Ok([directions, columns, rows]),
            Some(&[directions, rows, columns]) => Ok([directions, rows, columns]),
            _ => Err("the shape of its weights is not known"),
        };
        let ([directions, all_gates, inputs], recurrent) = (shape(1)?, shape(2)?);
        let hidden = all_gates / gates;
        if !(1..=2).contains(&directions) || hidden == 0 || recurrent != [directions, hidden * gates, hidden] {
            return Err("the shapes of its weights do not fit each other".to_owned());
        }
        if elements(&x.dims[..x.dims.len().min(2)]).and_then(|rows| elements(&[rows, all_gates, directions])).is_none()
        {
            return Err("it is too large to count".to_owned());
        }
        let is_batch_first = node.int("layout") == Some(1);
        let (steps, sequences) = match x.dims[..] {
            [first, second, last] if last == inputs => {
                if is_batch_first {
                    (second, first)
                } else {
                    (first, second)
                }
            }
            _ => return Err("its weights do not fit its input".to_owned()),
        };
        let bits = weight_bits(constant(1)?);
        Ok(Self { steps, sequences, inputs, hidden, gates, directions, is_batch_first, bits })
    }

    /// Rows of the product of one step.
    fn rows(&self, batch: u64) -> u64 {
        if batch > 1 { 1 } else { self.sequences }
    }

    /// The role of the axis of sequences.
    fn of_sequences(&self, batch: u64) -> Vec<AxisPart> {
        let role = if batch > 1 { AxisRole::B } else { AxisRole::X };
        if self.sequences > 1 { vec![AxisPart { role, size: self.sequences }] } else { Vec::new() }
    }

    fn precision(&self, bits: Option<u64>) -> PrecisionSpec {
        PrecisionSpec { w: self.bits, i: unusual(bits), ..PrecisionSpec::default() }
    }
}

/// A layer of LSTM, GRU or RNN.
pub fn recurrent(builder: &mut NetworkBuilder, node: &OnnxNode) -> Result<(), String> {
    let x = builder.features(node, 0).cloned().ok_or("its input is not known")?;
    let sizes = Recurrence::new(builder, node, &x)?;
    if builder.batch > 1 && sizes.sequences != builder.batch {
        builder.batch_fits = false;
        return Err(format!("it has {} sequences, other inputs a batch of {}", sizes.sequences, builder.batch));
    }
    note_fractions(builder, node, 1);
    note_fractions(builder, node, 2);
    let x = by_steps(builder, &sizes, &x);
    let steps = sizes.steps.saturating_mul(sizes.directions);
    let unrolls = sizes.steps <= MAX_STEPS && builder.steps + steps <= MAX_ALL_STEPS && builder.batch == 1;
    let severity = if unrolls { Severity::Expressed } else { Severity::Assumed };
    let reason = if unrolls {
        builder.steps += steps;
        "unrolled: each step reads the state of the step before, and weights that are an input all steps share"
            .to_owned()
    } else {
        format!(
            "its steps are rows of one product, as if none waited for another: operations and weights are exact, latency may be too \
             short; up to {MAX_STEPS} steps of a batch of 1 are unrolled"
        )
    };
    builder.note(severity, node, &reason);
    builder.note(Severity::NotCounted, node, "what its gates compute element by element has no cost here");
    let mut all = Vec::new();
    let mut last = Vec::new();
    for direction in 0..sizes.directions {
        let part = |what: &str| OnnxNode {
            name: format!("{}/{}{what}", title(node), if direction == 1 { "backward/" } else { "" }),
            ..node.clone()
        };
        let weights = TrainedMatrices { dims: vec![sizes.inputs, sizes.gates * sizes.hidden], bits: sizes.bits };
        let inputs = with_weights(builder, &part("inputs"), &x, &weights)?;
        let states = if unrolls {
            unrolled(builder, node, &part, &sizes, &inputs, direction)?
        } else {
            vec![in_rows(builder, &part, &sizes, &inputs)?]
        };
        let newest = if direction == 0 { states.last() } else { states.first() };
        last.extend(newest.cloned());
        all.push(joined(builder, &part("states"), states, MapAxis::Columns));
    }
    let states = joined(builder, &named(node, "states"), all, MapAxis::Channels);
    set_outputs(builder, node, &sizes, states, last, unrolls);
    Ok(())
}

/// A node of the same kind with a name of its own.
fn named(node: &OnnxNode, what: &str) -> OnnxNode {
    OnnxNode { name: format!("{}/{what}", title(node)), ..node.clone() }
}

/// Concatenated maps; a single map unchanged.
fn joined(builder: &mut NetworkBuilder, node: &OnnxNode, mut maps: Vec<String>, axis: MapAxis) -> String {
    match maps.len() {
        1 => maps.swap_remove(0),
        _ => builder.arranged(node, maps, ViewSpec::Join(axis)),
    }
}

/// The input with steps before sequences, in a map whose columns are steps, and within each step sequences.
fn by_steps(builder: &mut NetworkBuilder, sizes: &Recurrence, x: &Features) -> Features {
    let batch = builder.batch;
    let (dims, layout) = if sizes.is_batch_first {
        (vec![sizes.steps, sizes.sequences, sizes.inputs], x.layout.transposed(&[1, 0, 2]))
    } else {
        (x.dims.clone(), x.layout.clone())
    };
    let mut wanted = Layout::new(&[(AxisRole::X, sizes.steps), (AxisRole::X, 1), (AxisRole::K, sizes.inputs)]);
    wanted.axes[1] = sizes.of_sequences(batch);
    let moved = x.moved(dims.clone(), Some(layout), batch);
    let (from, layout) = builder.read(&moved, |layout| *layout == wanted, || wanted.clone());
    Features { bits: x.bits, ..Features::direct(from, dims, layout) }
}

/// The recurrent products step by step: the states after each step, in the order of the sequence.
fn unrolled(
    builder: &mut NetworkBuilder,
    node: &OnnxNode,
    part: &impl Fn(&str) -> OnnxNode,
    sizes: &Recurrence,
    inputs: &Features,
    direction: u64,
) -> Result<Vec<String>, String> {
    let (rows, channels) = (sizes.rows(builder.batch), sizes.gates * sizes.hidden);
    let of_inputs = inputs.layers.first().cloned().ok_or("its input is not known")?;
    let matrix = MapAxes { channels, columns: sizes.hidden, rows: 1 };
    let weights = builder.add_weights(title(&part("R")), matrix, sizes.bits);
    let mut state = first_state(builder, node, part, sizes);
    let mut states = vec![String::new(); usize::try_from(sizes.steps).map_err(|_| "it has too many steps")?];
    for step in 0..states.len() {
        let place = if direction == 1 { states.len() - 1 - step } else { step };
        let at = place as u64 * rows;
        let columns = [None, Some((at, at + rows)), None];
        let of_step = match sizes.steps {
            1 => of_inputs.clone(),
            _ => builder.arranged(&part(&format!("input{place}")), vec![of_inputs.clone()], ViewSpec::Part(columns)),
        };
        let product = LayerSpec {
            kind: "matmul".to_owned(),
            from: vec![state, weights.clone()],
            channels: Some(channels),
            precision: sizes.precision(None),
            ..LayerSpec::default()
        };
        let product = builder.add(&part(&format!("step{place}")), product);
        let sum = LayerSpec { kind: "add".to_owned(), from: vec![of_step, product], ..LayerSpec::default() };
        let sum = builder.add(&part(&format!("sum{place}")), sum);
        state = of_first_gate(builder, &part(&format!("state{place}")), sizes, sum);
        states[place].clone_from(&state);
    }
    Ok(states)
}

/// A view of the channels of the first gate.
fn of_first_gate(builder: &mut NetworkBuilder, node: &OnnxNode, sizes: &Recurrence, sum: String) -> String {
    if sizes.gates == 1 {
        return sum;
    }
    builder.arranged(node, vec![sum], ViewSpec::Part([Some((0, sizes.hidden)), None, None]))
}

/// The state before the first step: computed by the model, or an input of the network.
fn first_state(
    builder: &mut NetworkBuilder,
    node: &OnnxNode,
    part: &impl Fn(&str) -> OnnxNode,
    sizes: &Recurrence,
) -> String {
    let map = MapAxes { channels: sizes.hidden, columns: sizes.rows(builder.batch), rows: 1 };
    let given = builder.features(node, 5).cloned().filter(|given| sizes.directions == 1 && given.dims.len() == 3);
    match given {
        Some(given) if given.dims[1..] == [sizes.sequences, sizes.hidden] => {
            let mut wanted = Layout::new(&[(AxisRole::X, 1), (AxisRole::X, 1), (AxisRole::K, sizes.hidden)]);
            wanted.axes[1] = sizes.of_sequences(builder.batch);
            builder.read(&given, |layout| *layout == wanted, || wanted.clone()).0
        }
        _ => builder.input_layer(title(&part("state")), map),
    }
}

/// The recurrent product of all steps at once; returns the layer that holds the states.
fn in_rows(
    builder: &mut NetworkBuilder,
    part: &impl Fn(&str) -> OnnxNode,
    sizes: &Recurrence,
    inputs: &Features,
) -> Result<String, String> {
    let of_inputs = inputs.layers.first().cloned().ok_or("its input is not known")?;
    let before = of_first_gate(builder, &part("before"), sizes, of_inputs.clone());
    let product = LayerSpec {
        kind: "pointwise".to_owned(),
        from: vec![before],
        channels: Some(sizes.gates * sizes.hidden),
        precision: sizes.precision(None),
        ..LayerSpec::default()
    };
    let product = builder.add(&part("steps"), product);
    let sum = LayerSpec { kind: "add".to_owned(), from: vec![of_inputs, product], ..LayerSpec::default() };
    let sum = builder.add(&part("sums"), sum);
    Ok(of_first_gate(builder, &part("state"), sizes, sum))
}

/// Sets the outputs: the states of all steps, and the last one of each direction.
fn set_outputs(
    builder: &mut NetworkBuilder,
    node: &OnnxNode,
    sizes: &Recurrence,
    states: String,
    last: Vec<String>,
    is_unrolled: bool,
) {
    let Recurrence { steps, sequences, hidden, directions, is_batch_first, .. } = *sizes;
    let part = |role: AxisRole, size: u64| if size > 1 { vec![AxisPart { role, size }] } else { Vec::new() };
    let of_sequences = sizes.of_sequences(builder.batch);
    let axes =
        [part(AxisRole::X, steps), part(AxisRole::K, directions), of_sequences.clone(), part(AxisRole::K, hidden)];
    let dims = vec![steps, directions, sequences, hidden];
    let mut all = Features::direct(states, dims, Layout { axes: axes.to_vec(), is_shuffled: false });
    if is_batch_first {
        let dims = vec![sequences, steps, directions, hidden];
        all = all.moved(dims, Some(all.layout.transposed(&[2, 0, 1, 3])), builder.batch);
    }
    builder.set(&node.outputs[0], TensorValue::Features(all));
    if node.outputs.iter().skip(1).all(String::is_empty) {
        return;
    }
    let axes = vec![part(AxisRole::K, directions), of_sequences, part(AxisRole::K, hidden)];
    let (dims, layout) = (vec![directions, sequences, hidden], Layout { axes, is_shuffled: false });
    let mut newest = if is_unrolled {
        let last = joined(builder, &named(node, "last"), last, MapAxis::Channels);
        Features::direct(last, dims, layout)
    } else {
        Features::scattered(last.into(), dims, layout)
    };
    if is_batch_first {
        let dims = vec![sequences, directions, hidden];
        newest = newest.moved(dims, Some(newest.layout.transposed(&[1, 0, 2])), builder.batch);
    }
    for output in node.outputs.iter().skip(1) {
        builder.set(output, TensorValue::Features(newest.clone()));
    }
}
