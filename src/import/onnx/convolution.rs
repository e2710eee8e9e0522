//! Convolutions and pooling.

use super::builder::{NetworkBuilder, sides, unusual, weight_bits};
use super::features::{Features, TensorValue};
use super::layout::{AxisRole, Layout, MapAxes};
use super::model::{OnnxNode, types};
use super::volume;
use super::window::{KernelWindow, MAX_WINDOW, output_size, positive, stretch, window};
use crate::report::Severity;
use fusescape_spec::{KernelSpec, LayerSpec, PaddingSpec, PrecisionSpec};

/// The tensor that is convolved, the dimensions of the weights, and the precision of both.
pub(super) fn operands(
    builder: &mut NetworkBuilder,
    node: &OnnxNode,
    weights: usize,
) -> Result<(Features, Vec<u64>, PrecisionSpec), String> {
    let x = builder.features(node, 0).cloned().ok_or("its input is not known")?;
    let constant =
        builder.constant(node, weights).ok_or("its weights are computed, which no layer here can express")?;
    let dims = constant.dims.clone().ok_or("the shape of its weights is not known")?;
    let precision = PrecisionSpec { w: weight_bits(constant), i: unusual(x.bits), ..PrecisionSpec::default() };
    note_fractions(builder, node, weights);
    Ok((x, dims, precision))
}

/// A convolution of `x`; channels and kernel are those of input `weights`.
pub fn convolution(builder: &mut NetworkBuilder, node: &OnnxNode, weights: usize) -> Result<(), String> {
    let (x, dims, precision) = operands(builder, node, weights)?;
    if dims.len() != x.dims.len() || x.dims.len() < 3 {
        return Err(format!("its weights have {} dimensions, its input {}", dims.len(), x.dims.len()));
    }
    let groups = positive(node.int("group").unwrap_or(1))?;
    let (outputs, per_group) = (dims[0], dims[1]);
    let (batch, channels) = (x.dims[0], x.dims[1]);
    if per_group.checked_mul(groups) != Some(channels) || !outputs.is_multiple_of(groups) {
        return Err(format!("its weights are made for {per_group} x {groups} channels, its input has {channels}"));
    }
    let depthwise = groups == channels && outputs == channels && groups > 1;
    let PlacedWindow { from, input, window, same, rows } = placed(builder, node, x, &dims[2..], false)?;
    let size = output_size(input, window, same, false)?;
    let (kernel, stride) = (window.kernel, window.stride);
    let layer = LayerSpec {
        kind: if depthwise { "depthwise" } else { "conv" }.to_owned(),
        from: vec![from],
        channels: (!depthwise).then_some(outputs),
        kernel: KernelSpec::Size(kernel.0, kernel.1),
        groups: (!depthwise && groups > 1).then_some(groups),
        stride: (stride != (1, 1)).then_some(stride),
        dilation: (window.dilation != (1, 1)).then_some(window.dilation),
        padding: if same { PaddingSpec::Same } else { sides(window.pads) },
        precision,
        ..LayerSpec::default()
    };
    let name = builder.add(node, layer);
    finish(builder, node, name, [batch, outputs], &rows.axes(size), true);
    Ok(())
}

/// Maximum or average over a window, or over the whole map.
pub fn pooling(builder: &mut NetworkBuilder, node: &OnnxNode, is_global: bool) -> Result<(), String> {
    let x = builder.features(node, 0).cloned().ok_or("its input is not known")?;
    let rank = x.dims.len();
    if !(3..=5).contains(&rank) {
        return Err(format!("it works on {} spatial dimensions, of which there are 1 to 3", rank.max(2) - 2));
    }
    let (batch, channels) = (x.dims[0], x.dims[1]);
    let precision = PrecisionSpec { i: unusual(x.bits), ..PrecisionSpec::default() };
    let layer = LayerSpec { kind: "pooling".to_owned(), kernel: KernelSpec::Global, precision, ..LayerSpec::default() };
    if is_global {
        let (from, _) = read_map(builder, &stored(x));
        let name = builder.add(node, LayerSpec { from: vec![from], ..layer });
        let axes = vec![(AxisRole::X, 1); rank - 2];
        finish(builder, node, name, [batch, channels], &axes, false);
        return Ok(());
    }
    let kernel: Vec<u64> = node
        .ints("kernel_shape")
        .ok_or("it does not state its kernel")?
        .iter()
        .map(|&size| positive(size))
        .collect::<Result<_, _>>()?;
    let rounds_up = node.int("ceil_mode") == Some(1);
    let PlacedWindow { from, input, mut window, same, rows } = placed(builder, node, x, &kernel, rounds_up)?;
    let size = output_size(input, window, same, rounds_up)?;
    if rounds_up {
        stretch(&mut window, input, size);
    }
    let layer = LayerSpec {
        from: vec![from],
        kernel: KernelSpec::Size(window.kernel.0, window.kernel.1),
        stride: (window.stride != (1, 1)).then_some(window.stride),
        dilation: (window.dilation != (1, 1)).then_some(window.dilation),
        padding: if same { PaddingSpec::Same } else { sides(window.pads) },
        ..layer
    };
    let name = builder.add(node, layer);
    finish(builder, node, name, [batch, channels], &rows.axes(size), false);
    Ok(())
}

/// Padding as a node of its own, kept as such until a reader can use it as padding of its own.
pub fn pad(builder: &mut NetworkBuilder, node: &OnnxNode) -> Result<(), String> {
    let x = builder.features(node, 0).cloned().ok_or("its input is not known")?;
    let pads =
        node.ints("pads").map(<[i64]>::to_vec).or_else(|| builder.ints(node, 1)).ok_or("its pads are not known")?;
    let rank = x.dims.len();
    let axes: Vec<usize> = match builder.ints(node, 3) {
        Some(axes) => axes.iter().filter_map(|&axis| super::shapes::axis(axis, rank)).collect(),
        None => (0..rank).collect(),
    };
    if pads.len() != 2 * axes.len() || pads.iter().any(|pad| pad.unsigned_abs() > MAX_WINDOW.unsigned_abs()) {
        return Err("its pads do not fit its input".to_owned());
    }
    if pads.iter().all(|&pad| pad == 0) {
        builder.set(&node.outputs[0], TensorValue::Features(x));
        return Ok(());
    }
    let mut dims = x.dims.clone();
    for (index, &axis) in axes.iter().enumerate() {
        let size = (dims[axis] as i64).saturating_add(pads[index]).saturating_add(pads[index + axes.len()]);
        dims[axis] = u64::try_from(size).ok().filter(|size| *size > 0).ok_or("nothing is left of its input")?;
    }
    let at = |axis: usize, side: usize| {
        axes.iter().position(|&known| known == axis).map_or(0, |index| pads[index + side * axes.len()])
    };
    let of = |axis: Option<usize>| axis.map_or([0, 0], |axis| [at(axis, 0), at(axis, 1)]);
    let (columns, rows) = if rank == 4 { (Some(3), Some(2)) } else { (Some(rank - 1), None) };
    let sides = [of(columns), of(rows)].concat();
    let spatial = pads.iter().filter(|pad| **pad != 0).count() == sides.iter().filter(|side| **side != 0).count();
    let zeros = node.text("mode").is_none_or(|mode| mode == "constant") && sides.iter().all(|side| *side >= 0);
    let mut padded = x.moved(dims, None, builder.batch);
    padded.is_direct = false;
    if (3..=4).contains(&rank) && spatial && zeros {
        padded.unpadded = Some((Box::new(x), [0, 1, 2, 3].map(|side| sides[side].unsigned_abs())));
    }
    builder.note(Severity::Merged, node, "becomes the padding of what reads it, or part of a view");
    builder.set(&node.outputs[0], TensorValue::Features(padded));
    Ok(())
}

/// The tensor without its padding, and the padding.
fn unpadded(x: Features) -> (Features, [u64; 4]) {
    match x.unpadded {
        Some((inner, sides)) => (*inner, sides),
        None => (x, [0; 4]),
    }
}

/// The tensor with its padding stored.
fn stored(x: Features) -> Features {
    Features { unpadded: None, ..x }
}

/// The layer from which to read a map with the axes batch, channels, frames and rows if there are any, and columns.
pub fn read_map(builder: &mut NetworkBuilder, x: &Features) -> (String, MapAxes) {
    let rank = x.dims.len();
    let fits = |layout: &Layout| {
        let rows = if rank == 3 {
            layout.map().rows == 1
        } else {
            (2..rank - 1).all(|axis| layout.holds(axis, &[AxisRole::Y]))
        };
        layout.holds(0, &[AxisRole::B])
            && layout.holds(1, &[AxisRole::K])
            && rows
            && layout.holds(rank - 1, &[AxisRole::X])
    };
    let roles = [AxisRole::B, AxisRole::K]
        .into_iter()
        .chain(std::iter::repeat_n(AxisRole::Y, rank.saturating_sub(3)))
        .chain([AxisRole::X]);
    let usual = Layout::new(&roles.zip(x.dims.iter().copied()).collect::<Vec<_>>());
    let (layer, layout) = builder.read(x, fits, || usual);
    (layer, layout.map())
}

/// A window on a map.
pub struct PlacedWindow {
    /// Name of the layer that holds the map.
    pub from: String,
    pub input: MapAxes,
    pub window: KernelWindow,
    /// Whether the padding follows from the size (`same`).
    pub same: bool,
    /// The axes for rows of the output.
    pub rows: OutputRows,
}

/// The axes for rows of an output.
#[derive(Debug, Clone, Copy)]
pub enum OutputRows {
    /// A single row, without an axis.
    None,
    /// One axis.
    Axis,
    /// Two axes: frames, and rows per frame.
    Frames(u64, u64),
}

impl OutputRows {
    /// For a tensor with columns, or with rows and columns.
    pub fn of(dims: &[u64]) -> Self {
        if dims.len() == 3 { Self::None } else { Self::Axis }
    }

    /// The axes after batch and channels of an output with this number of columns and rows.
    pub fn axes(self, (columns, rows): (u64, u64)) -> Vec<(AxisRole, u64)> {
        match self {
            Self::None => vec![(AxisRole::X, columns)],
            Self::Axis => vec![(AxisRole::Y, rows), (AxisRole::X, columns)],
            Self::Frames(frames, rows) => vec![(AxisRole::Y, frames), (AxisRole::Y, rows), (AxisRole::X, columns)],
        }
    }
}

/// The window of a node on its map; `rounds_up` if the last one may extend beyond the input.
fn placed(
    builder: &mut NetworkBuilder,
    node: &OnnxNode,
    x: Features,
    kernel: &[u64],
    rounds_up: bool,
) -> Result<PlacedWindow, String> {
    if x.dims.len() == 5 {
        return volume::placed(builder, node, &stored(x), kernel, rounds_up);
    }
    if !(3..=4).contains(&x.dims.len()) {
        return Err(format!("it works on {} spatial dimensions, of which there are 1 to 3", x.dims.len().max(2) - 2));
    }
    let (x, extra) = unpadded(x);
    let (window, same) = window(node, Some(kernel), &x.dims[2..], extra)?;
    let (from, input) = read_map(builder, &x);
    let (from, window) = fit_padding(builder, node, from, input, window);
    Ok(PlacedWindow { from, input, window, same, rows: OutputRows::of(&x.dims) })
}

/// Padding that a layer's window cannot express is stored with the map instead.
pub fn fit_padding(
    builder: &mut NetworkBuilder,
    node: &OnnxNode,
    from: String,
    input: MapAxes,
    window: KernelWindow,
) -> (String, KernelWindow) {
    let span = |kernel: u64, dilation: u64| dilation.saturating_mul(kernel - 1);
    let most = (span(window.kernel.0, window.dilation.0), span(window.kernel.1, window.dilation.1));
    let [left, right, top, bottom] = window.pads;
    if left.max(right) <= most.0 && top.max(bottom) <= most.1 {
        return (from, window);
    }
    let dims = vec![1, input.channels, input.rows + top + bottom, input.columns + left + right];
    let layout =
        Layout::new(&[(AxisRole::B, 1), (AxisRole::K, dims[1]), (AxisRole::Y, dims[2]), (AxisRole::X, dims[3])]);
    let padded = Features::scattered([from].into(), dims, layout);
    builder.note(Severity::Expressed, node, "more zeros than its kernel spans are stored with its input");
    let (from, _) = builder.read(&padded, |_| true, Layout::default);
    (from, KernelWindow { pads: [0; 4], ..window })
}

/// Sets the output of a layer with the axes batch, channels and others.
pub fn finish(
    builder: &mut NetworkBuilder,
    node: &OnnxNode,
    name: String,
    [batch, channels]: [u64; 2],
    others: &[(AxisRole, u64)],
    is_linear: bool,
) {
    let axes = [&[(AxisRole::B, batch), (AxisRole::K, channels)], others].concat();
    let dims = axes.iter().map(|(_, size)| *size).collect();
    let features = Features { is_linear, ..Features::direct(name, dims, Layout::new(&axes)) };
    builder.set(&node.outputs[0], TensorValue::Features(features));
}

/// Notes that floating-point weights are counted with the default bits of documents.
pub fn note_fractions(builder: &mut NetworkBuilder, node: &OnnxNode, weights: usize) {
    let kind = builder.constant(node, weights).and_then(|constant| types::fraction(constant.data_type));
    if let Some(kind) = kind {
        let reason = format!("the file has {kind}; counted with 8 bit, as the document's `precision` says");
        builder.report.note(Severity::Assumed, "weights", &reason, "");
    }
}
