//! Convolutions, transposed ones and pooling.

use super::arrange;
use super::builder::{Builder, sides, unusual, weight_bits};
use super::features::{Features, Value};
use super::layout::{Layout, Map, Role};
use super::model::{Node, types};
use crate::import::report::Severity;
use crate::spec::{KernelSpec, LayerSpec, PaddingSpec, PrecisionSpec};

/// Largest kernel, stride, dilation or padding that is believed.
const MAX_WINDOW: i64 = 1 << 20;

/// A window along columns (first) and rows.
#[derive(Debug, Clone, Copy)]
struct Window {
    kernel: (u64, u64),
    stride: (u64, u64),
    dilation: (u64, u64),
    /// Left, right, top, bottom.
    pads: [u64; 4],
}

/// `x`: the tensor that is convolved; channels and the kernel follow from `weights`, the index of the input that holds them.
pub fn convolution(builder: &mut Builder, node: &Node, weights: usize) -> Result<(), String> {
    let x = builder.features(node, 0).cloned().ok_or("its input is not known")?;
    let constant =
        builder.constant(node, weights).ok_or("its weights are computed, which no layer here can express")?;
    let dims = constant.dims.clone().ok_or("the shape of its weights is not known")?;
    let precision = PrecisionSpec { w: weight_bits(constant), i: unusual(x.bits), ..PrecisionSpec::default() };
    note_fractions(builder, node, weights);
    let axes = spatial_axes(&x.dims)?;
    if dims.len() != x.dims.len() {
        return Err(format!("its weights have {} dimensions, its input {}", dims.len(), x.dims.len()));
    }
    let groups = positive(node.int("group").unwrap_or(1))?;
    let (outputs, per_group) = (dims[0], dims[1]);
    let channels = x.dims[1];
    if per_group.checked_mul(groups) != Some(channels) || !outputs.is_multiple_of(groups) {
        return Err(format!("its weights are made for {per_group} x {groups} channels, its input has {channels}"));
    }
    let (x, extra) = unpadded(x);
    let (window, same) = window(node, Some(&dims[2..]), &x.dims[2..], extra)?;
    let depthwise = groups == channels && outputs == channels && groups > 1;
    let (from, input) = read_map(builder, &x, &axes);
    let (from, window) = fit_padding(builder, node, from, input, window);
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
    finish(builder, node, name, outputs, size, &x.dims, true);
    Ok(())
}

/// Maximum or average over a window, or over the whole map.
pub fn pooling(builder: &mut Builder, node: &Node, is_global: bool) -> Result<(), String> {
    let x = builder.features(node, 0).cloned().ok_or("its input is not known")?;
    let axes = spatial_axes(&x.dims)?;
    let channels = x.dims[1];
    let (x, extra) = unpadded(x);
    let (from, input) = read_map(builder, &x, &axes);
    let precision = PrecisionSpec { i: unusual(x.bits), ..PrecisionSpec::default() };
    let mut layer =
        LayerSpec { kind: "pooling".to_owned(), kernel: KernelSpec::Global, precision, ..LayerSpec::default() };
    let mut size = (1, 1);
    let mut from = from;
    if !is_global {
        let kernel: Vec<u64> = node
            .ints("kernel_shape")
            .ok_or("it does not state its kernel")?
            .iter()
            .map(|&size| positive(size))
            .collect::<Result<_, _>>()?;
        let (window, same) = window(node, Some(&kernel), &x.dims[2..], extra)?;
        let (source, mut window) = fit_padding(builder, node, from, input, window);
        from = source;
        let rounds_up = node.int("ceil_mode") == Some(1);
        size = output_size(input, window, same, rounds_up)?;
        if rounds_up {
            stretch(&mut window, input, size);
        }
        layer.kernel = KernelSpec::Size(window.kernel.0, window.kernel.1);
        layer.stride = (window.stride != (1, 1)).then_some(window.stride);
        layer.dilation = (window.dilation != (1, 1)).then_some(window.dilation);
        layer.padding = if same { PaddingSpec::Same } else { sides(window.pads) };
    }
    let name = builder.add(node, LayerSpec { from: vec![from], ..layer });
    finish(builder, node, name, channels, size, &x.dims, false);
    Ok(())
}

/// A transposed convolution with stride s is a convolution with kernels of ceil(k / s) that computes the s x s outputs of each input
/// place as channels (sub-pixel convolution: Shi et al., CVPR 2016).
pub fn transposed(builder: &mut Builder, node: &Node, weights: usize) -> Result<(), String> {
    let x = builder.features(node, 0).cloned().ok_or("its input is not known")?;
    let constant =
        builder.constant(node, weights).ok_or("its weights are computed, which no layer here can express")?;
    let dims = constant.dims.clone().ok_or("the shape of its weights is not known")?;
    let precision = PrecisionSpec { w: weight_bits(constant), i: unusual(x.bits), ..PrecisionSpec::default() };
    note_fractions(builder, node, weights);
    let axes = spatial_axes(&x.dims)?;
    if dims.len() != x.dims.len() || dims[0] != x.dims[1] {
        return Err("its weights do not fit its input".to_owned());
    }
    let groups = positive(node.int("group").unwrap_or(1))?;
    let outputs = dims[1].checked_mul(groups).ok_or("it has too many channels")?;
    let (window, _) = window(node, Some(&dims[2..]), &x.dims[2..], [0; 4])?;
    if window.dilation != (1, 1) {
        return Err("it is transposed and dilated, which no layer here can express".to_owned());
    }
    let (from, input) = read_map(builder, &x, &axes);
    let more = pair(node.ints("output_padding"), 0, axes.len())?;
    let stated = node.ints("output_shape").map(|shape| pair(Some(shape), 1, axes.len())).transpose()?;
    let mut parts = [(0, 0, 0, 0, 0); 2];
    for (axis, part) in parts.iter_mut().enumerate() {
        let of = |pair: (u64, u64)| if axis == 0 { pair.0 } else { pair.1 };
        let (kernel, stride, input) = (of(window.kernel), of(window.stride), of((input.columns, input.rows)));
        let pads = (window.pads[2 * axis], window.pads[2 * axis + 1]);
        let whole = (input - 1).saturating_mul(stride).saturating_add(kernel).saturating_add(of(more));
        let automatic = matches!(node.text("auto_pad"), Some("SAME_UPPER" | "SAME_LOWER"));
        let output = match stated {
            Some(stated) => of(stated),
            None if automatic => input.saturating_mul(stride),
            None => whole.saturating_sub(pads.0 + pads.1),
        };
        let (taps, places) = (kernel.div_ceil(stride), output.div_ceil(stride).max(1));
        let total = (places + taps).saturating_sub(1 + input).min(2 * (taps - 1));
        *part = (output, taps, total / 2, total - total / 2, stride);
    }
    let [(width, taps_x, left, right, step_x), (height, taps_y, top, bottom, step_y)] = parts;
    let steps = step_x.saturating_mul(step_y);
    if (taps_x * step_x, taps_y * step_y) != window.kernel {
        let reason =
            "its kernel is no multiple of its stride: counted as a convolution whose kernels are filled up with zeros";
        builder.note(Severity::Assumed, node, reason);
    }
    let layer = LayerSpec {
        kind: "conv".to_owned(),
        from: vec![from],
        channels: Some(outputs.checked_mul(steps).ok_or("it has too many channels")?),
        kernel: KernelSpec::Size(taps_x, taps_y),
        groups: (groups > 1).then_some(groups),
        padding: sides([left, right, top, bottom]),
        precision,
        ..LayerSpec::default()
    };
    let name = builder.add(node, layer);
    let reason = "a convolution that computes the outputs between two inputs as channels (sub-pixel convolution)";
    builder.note(Severity::Expressed, node, reason);
    let made = |input: u64, before: u64, behind: u64, taps: u64| (input + before + behind + 1).saturating_sub(taps);
    let places = (made(input.columns, left, right, taps_x), made(input.rows, top, bottom, taps_y));
    if steps > 1
        && let &[batch, _, _, _] = &x.dims[..]
        && let Some(shown) = between(builder, node, &name, (batch, outputs), places, (step_x, step_y), (width, height))
    {
        builder.set(&node.outputs[0], Value::Features(shown));
        return Ok(());
    }
    finish(builder, node, name, outputs, (width, height), &x.dims, true);
    if steps > 1
        && let Some(Value::Features(features)) = node.outputs.first().and_then(|name| builder.value(name)).cloned()
    {
        let moved = Features { is_direct: false, is_linear: false, ..features };
        builder.set(&node.outputs[0], Value::Features(moved));
    }
    Ok(())
}

/// The outputs between two inputs, which a layer made as channels, in their places, of which the first `size` count.
fn between(
    builder: &mut Builder,
    node: &Node,
    layer: &str,
    (batch, outputs): (u64, u64),
    places: (u64, u64),
    steps: (u64, u64),
    size: (u64, u64),
) -> Option<Features> {
    let dims = vec![batch, outputs.checked_mul(steps.0)?.checked_mul(steps.1)?, places.1, places.0];
    let layout = Layout::new(&[(Role::B, batch), (Role::K, dims[1]), (Role::Y, places.1), (Role::X, places.0)]);
    let all = arrange::blocks(builder, node, &Features::direct(layer.to_owned(), dims, layout), steps)?;
    let dims = [batch, outputs, size.1, size.0];
    if all.dims == dims {
        return Some(all);
    }
    let is_within = all.dims.iter().zip(dims).all(|(&all, size)| size <= all);
    if is_within { arrange::part(builder, node, &all, &[0; 4], &dims) } else { None }
}

/// Zeros around a map, kept until somebody reads it who can have them as padding.
pub fn pad(builder: &mut Builder, node: &Node) -> Result<(), String> {
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
        builder.set(&node.outputs[0], Value::Features(x));
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
    builder.set(&node.outputs[0], Value::Features(padded));
    Ok(())
}

/// The axes that are columns and rows, which come last: `[rows, columns]`, or `[columns]`.
fn spatial_axes(dims: &[u64]) -> Result<Vec<usize>, String> {
    match dims.len() {
        3 => Ok(vec![2]),
        4 => Ok(vec![2, 3]),
        rank => Err(format!("it works on {} spatial dimensions; layers here have columns and rows", rank.max(2) - 2)),
    }
}

/// The tensor without zeros that can become padding, and these.
fn unpadded(x: Features) -> (Features, [u64; 4]) {
    match x.unpadded {
        Some((inner, sides)) => (*inner, sides),
        None => (x, [0; 4]),
    }
}

/// The layer to read a map from whose axes are batch, channels, rows and columns.
fn read_map(builder: &mut Builder, x: &Features, axes: &[usize]) -> (String, Map) {
    let rank = x.dims.len();
    let fits = |layout: &Layout| {
        let rows = if axes.len() == 2 { layout.holds(2, &[Role::Y]) } else { layout.map().rows == 1 };
        layout.holds(0, &[Role::B]) && layout.holds(1, &[Role::K]) && rows && layout.holds(rank - 1, &[Role::X])
    };
    let roles: &[Role] =
        if axes.len() == 2 { &[Role::B, Role::K, Role::Y, Role::X] } else { &[Role::B, Role::K, Role::X] };
    let usual = Layout::new(&roles.iter().copied().zip(x.dims.iter().copied()).collect::<Vec<_>>());
    let (layer, layout) = builder.read(x, fits, || usual);
    (layer, layout.map())
}

/// Zeros that no window of a layer may be made of are stored with the map instead.
fn fit_padding(builder: &mut Builder, node: &Node, from: String, input: Map, window: Window) -> (String, Window) {
    let span = |kernel: u64, dilation: u64| dilation.saturating_mul(kernel - 1);
    let most = (span(window.kernel.0, window.dilation.0), span(window.kernel.1, window.dilation.1));
    let [left, right, top, bottom] = window.pads;
    if left.max(right) <= most.0 && top.max(bottom) <= most.1 {
        return (from, window);
    }
    let dims = vec![1, input.channels, input.rows + top + bottom, input.columns + left + right];
    let layout = Layout::new(&[(Role::B, 1), (Role::K, dims[1]), (Role::Y, dims[2]), (Role::X, dims[3])]);
    let padded = Features::scattered([from].into(), dims, layout);
    builder.note(Severity::Expressed, node, "more zeros than its kernel spans are stored with its input");
    let (from, _) = builder.read(&padded, |_| true, Layout::default);
    (from, Window { pads: [0; 4], ..window })
}

/// The window that a node states, and whether the padding follows from the size.
fn window(node: &Node, kernel: Option<&[u64]>, input: &[u64], extra: [u64; 4]) -> Result<(Window, bool), String> {
    let axes = input.len();
    let kernel = kernel.filter(|kernel| kernel.len() == axes).ok_or("its kernel does not fit its input")?;
    let kernel = (kernel[axes - 1], if axes == 2 { kernel[0] } else { 1 });
    if kernel.0.max(kernel.1) > MAX_WINDOW as u64 || kernel.0.min(kernel.1) == 0 {
        return Err("its kernel has no sensible size".to_owned());
    }
    let (stride, dilation) = (pair(node.ints("strides"), 1, axes)?, pair(node.ints("dilations"), 1, axes)?);
    if stride.0.min(stride.1).min(dilation.0).min(dilation.1) == 0 {
        return Err("its stride or dilation is 0".to_owned());
    }
    let pads = node.ints("pads").unwrap_or(&[]);
    if pads.iter().any(|pad| !(0..=MAX_WINDOW).contains(pad)) {
        return Err("it has negative or huge padding".to_owned());
    }
    let pad = |index: usize| pads.get(index).map_or(0, |pad| *pad as u64);
    let stated = if axes == 2 { [pad(1), pad(3), pad(0), pad(2)] } else { [pad(0), pad(1), 0, 0] };
    let mut window = Window { kernel, stride, dilation, pads: [0; 4] };
    let mut same = false;
    match node.text("auto_pad") {
        Some("SAME_UPPER") if extra == [0; 4] => same = true,
        Some(auto_pad @ ("SAME_UPPER" | "SAME_LOWER")) => {
            // Zeros that are stored before count as part of the input.
            let of = |size: u64, kernel: u64, stride: u64, dilation: u64| {
                let span = dilation.saturating_mul(kernel - 1).saturating_add(1);
                let total =
                    ((size.div_ceil(stride) - 1).saturating_mul(stride).saturating_add(span)).saturating_sub(size);
                let (less, more) = (total / 2, total - total / 2);
                if auto_pad == "SAME_UPPER" { [less, more] } else { [more, less] }
            };
            let (columns, rows) = (input[axes - 1], if axes == 2 { input[0] } else { 1 });
            let [left, right] = of(columns + extra[0] + extra[1], kernel.0, stride.0, dilation.0);
            let [top, bottom] = of(rows + extra[2] + extra[3], kernel.1, stride.1, dilation.1);
            window.pads = [left, right, top, bottom];
        }
        Some("VALID") => {}
        _ => window.pads = stated,
    }
    for (pad, extra) in window.pads.iter_mut().zip(extra) {
        *pad += extra;
    }
    Ok((window, same))
}

/// Columns and rows that a window makes of a map.
fn output_size(input: Map, window: Window, same: bool, rounds_up: bool) -> Result<(u64, u64), String> {
    let of = |size: u64, kernel: u64, stride: u64, dilation: u64, pads: u64| {
        if same {
            return Some(size.div_ceil(stride));
        }
        let span = dilation.checked_mul(kernel - 1)?.checked_add(1)?;
        let steps = size.checked_add(pads)?.checked_sub(span)?;
        let count = if rounds_up { steps.div_ceil(stride) } else { steps / stride };
        // The last window has to begin inside the map or its left padding.
        Some(count + 1)
    };
    let Window { kernel, stride, dilation, pads: [left, right, top, bottom] } = window;
    let mut size = of(input.columns, kernel.0, stride.0, dilation.0, left + right)
        .zip(of(input.rows, kernel.1, stride.1, dilation.1, top + bottom))
        .ok_or("its kernel is larger than its input")?;
    if rounds_up {
        let inside = |count: u64, stride: u64, size: u64, pad: u64| {
            if (count - 1).saturating_mul(stride) >= size + pad { count - 1 } else { count }
        };
        size = (inside(size.0, stride.0, input.columns, left), inside(size.1, stride.1, input.rows, top));
    }
    Ok(size)
}

/// Pads right and bottom so far that the windows which rounding up adds fit.
fn stretch(window: &mut Window, input: Map, output: (u64, u64)) {
    let [left, right, top, bottom] = &mut window.pads;
    for (before, after, size, count, kernel, stride, dilation) in [
        (*left, right, input.columns, output.0, window.kernel.0, window.stride.0, window.dilation.0),
        (*top, bottom, input.rows, output.1, window.kernel.1, window.stride.1, window.dilation.1),
    ] {
        *after = ((count - 1) * stride + dilation * (kernel - 1) + 1).saturating_sub(size + before);
    }
}

/// One number for each spatial axis: columns (which come last) and rows.
fn pair(stated: Option<&[i64]>, usual: u64, axes: usize) -> Result<(u64, u64), String> {
    let Some(stated) = stated.filter(|stated| !stated.is_empty()) else { return Ok((usual, usual)) };
    let number = |number: i64| {
        if (0..=MAX_WINDOW).contains(&number) {
            Ok(number as u64)
        } else {
            Err(format!("it states a size of {number}"))
        }
    };
    match (stated, axes) {
        (&[columns], 1) => Ok((number(columns)?, usual)),
        (&[rows, columns], 2) => Ok((number(columns)?, number(rows)?)),
        // `output_shape` may state batch and channels, too.
        (&[.., rows, columns], 2) => Ok((number(columns)?, number(rows)?)),
        _ => Err("its window does not fit its input".to_owned()),
    }
}

fn positive(number: i64) -> Result<u64, String> {
    u64::try_from(number).ok().filter(|number| *number > 0).ok_or_else(|| format!("it states a size of {number}"))
}

/// The output of a layer whose axes are batch, channels, rows and columns.
fn finish(
    builder: &mut Builder,
    node: &Node,
    name: String,
    channels: u64,
    size: (u64, u64),
    input: &[u64],
    is_linear: bool,
) {
    let mut axes = vec![(Role::B, input[0]), (Role::K, channels)];
    if input.len() == 4 {
        axes.push((Role::Y, size.1));
    }
    axes.push((Role::X, size.0));
    let dims = axes.iter().map(|(_, size)| *size).collect();
    let features = Features { is_linear, ..Features::direct(name, dims, Layout::new(&axes)) };
    builder.set(&node.outputs[0], Value::Features(features));
}

/// Weights that are fractions are counted as the document's usual weights.
pub fn note_fractions(builder: &mut Builder, node: &Node, weights: usize) {
    let kind = builder.constant(node, weights).and_then(|constant| types::fraction(constant.data_type));
    if let Some(kind) = kind {
        let reason = format!("the file has {kind}; counted with 8 bit, as the document's `precision` says");
        builder.report.note(Severity::Assumed, "weights", &reason, "");
    }
}
