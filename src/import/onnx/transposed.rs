//! Transposed convolutions, with or without the zeros between their inputs.

use super::arrange;
use super::builder::{NetworkBuilder, sides};
use super::convolution::{OutputRows, finish, fit_padding, operands, read_map};
use super::features::{Features, TensorValue};
use super::layout::{AxisRole, Layout, MapAxes};
use super::model::OnnxNode;
use super::shapes::elements;
use super::window::{KernelWindow, pair, positive, window};
use crate::report::Severity;
use fusescape_spec::{KernelSpec, LayerSpec};

/// A transposed convolution with stride s is a convolution with kernels of ceil(k / s) that computes the s x s outputs
/// of each input position as channels (sub-pixel convolution: Shi et al., CVPR 2016).
/// place as channels (sub-pixel convolution: Shi et al., CVPR 2016).
pub fn transposed(builder: &mut NetworkBuilder, node: &OnnxNode, weights: usize) -> Result<(), String> {
    let (x, dims, precision) = operands(builder, node, weights)?;
    let axes = x.dims.len().saturating_sub(2);
    if !(1..=2).contains(&axes) {
        return Err(format!("it is transposed on {axes} spatial dimensions; layers here have columns and rows"));
    }
    if dims.len() != x.dims.len() || dims[0] != x.dims[1] {
        return Err("its weights do not fit its input".to_owned());
    }
    let groups = positive(node.int("group").unwrap_or(1))?;
    let outputs = dims[1].checked_mul(groups).ok_or("it has too many channels")?;
    let (window, _) = window(node, Some(&dims[2..]), &x.dims[2..], [0; 4])?;
    if builder.counts_zeros {
        let layer = LayerSpec { groups: (groups > 1).then_some(groups), precision, ..LayerSpec::default() };
        return zero_filled(builder, node, &x, outputs, window, layer);
    }
    if window.dilation != (1, 1) {
        return Err("it is transposed and dilated, which is counted only with the zeros between its inputs".to_owned());
    }
    let (from, input) = read_map(builder, &x);
    let sizes = output_sizes(node, (input.columns, input.rows), window, axes)?;
    let part = |kernel: u64, stride: u64, input: u64, output: u64| {
        let (taps, places) = (kernel.div_ceil(stride), output.div_ceil(stride).max(1));
        let total = (places + taps).saturating_sub(1 + input).min(2 * (taps - 1));
        (taps, total / 2, total - total / 2)
    };
    let ((width, height), (step_x, step_y)) = (sizes, window.stride);
    let (taps_x, left, right) = part(window.kernel.0, step_x, input.columns, width);
    let (taps_y, top, bottom) = part(window.kernel.1, step_y, input.rows, height);
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
    let reason = "a convolution that computes the outputs between two inputs as channels (sub-pixel convolution): no zeros \
                  between inputs are multiplied";
    builder.note(Severity::Expressed, node, reason);
    let made = |input: u64, before: u64, behind: u64, taps: u64| (input + before + behind + 1).saturating_sub(taps);
    let places = (made(input.columns, left, right, taps_x), made(input.rows, top, bottom, taps_y));
    if steps > 1
        && let &[batch, _, _, _] = &x.dims[..]
        && let Some(shown) = between(builder, node, &name, (batch, outputs), places, (step_x, step_y), (width, height))
    {
        builder.set(&node.outputs[0], TensorValue::Features(shown));
        return Ok(());
    }
    finish(builder, node, name, [x.dims[0], outputs], &OutputRows::of(&x.dims).axes((width, height)), true);
    if steps > 1
        && let Some(TensorValue::Features(features)) =
            node.outputs.first().and_then(|name| builder.value(name)).cloned()
    {
        let moved = Features { is_direct: false, is_linear: false, ..features };
        builder.set(&node.outputs[0], TensorValue::Features(moved));
    }
    Ok(())
}

/// Columns and rows of the output of a transposed convolution.
fn output_sizes(node: &OnnxNode, input: (u64, u64), window: KernelWindow, axes: usize) -> Result<(u64, u64), String> {
    let more = pair(node.ints("output_padding"), 0, axes)?;
    let stated = node.ints("output_shape").map(|shape| pair(Some(shape), 1, axes)).transpose()?;
    let is_same = matches!(node.text("auto_pad"), Some("SAME_UPPER" | "SAME_LOWER"));
    let [left, right, top, bottom] = window.pads;
    let of = |input: u64, kernel: u64, stride: u64, dilation: u64, pads: u64, more: u64, stated: Option<u64>| {
        let span = dilation.saturating_mul(kernel - 1).saturating_add(1);
        let whole = (input - 1).saturating_mul(stride).saturating_add(span).saturating_add(more);
        match stated {
            Some(stated) => stated,
            None if is_same => input.saturating_mul(stride),
            None => whole.saturating_sub(pads),
        }
    };
    let KernelWindow { kernel, stride, dilation, .. } = window;
    let (stated_x, stated_y) = (stated.map(|stated| stated.0), stated.map(|stated| stated.1));
    Ok((
        of(input.0, kernel.0, stride.0, dilation.0, left + right, more.0, stated_x),
        of(input.1, kernel.1, stride.1, dilation.1, top + bottom, more.1, stated_y),
    ))
}

/// A transposed convolution as a convolution over a map with zeros between its elements, which are multiplied like
/// others.
fn zero_filled(
    builder: &mut NetworkBuilder,
    node: &OnnxNode,
    x: &Features,
    outputs: u64,
    window: KernelWindow,
    layer: LayerSpec,
) -> Result<(), String> {
    let axes = x.dims.len() - 2;
    let (from, input) = read_map(builder, x);
    let (width, height) = output_sizes(node, (input.columns, input.rows), window, axes)?;
    let KernelWindow { kernel, stride, dilation, .. } = window;
    let filled = |input: u64, stride: u64| (input - 1).saturating_mul(stride).saturating_add(1);
    let map = MapAxes {
        columns: filled(input.columns, stride.0),
        rows: filled(input.rows, stride.1),
        channels: input.channels,
    };
    // Padding such that each output has its window.
    let around = |output: u64, filled: u64, kernel: u64, dilation: u64| {
        let needed = output.checked_add(dilation.checked_mul(kernel - 1)?)?.checked_sub(filled)?;
        Some((needed / 2, needed - needed / 2))
    };
    let sides_x = around(width, map.columns, kernel.0, dilation.0);
    let sides_y = around(height, map.rows, kernel.1, dilation.1);
    let ((left, right), (top, bottom)) =
        sides_x.zip(sides_y).ok_or("it leaves out more of its outputs than its kernel spans")?;
    let is_image = axes == 2 || (map.rows, height) == (1, 1);
    if elements(&[map.channels, map.columns, map.rows]).is_none() || width == 0 || height == 0 || !is_image {
        return Err("its map with zeros is too large to count".to_owned());
    }
    let from = if map == input { from } else { builder.rearranged(&[from].into(), map) };
    let window = KernelWindow { kernel, stride: (1, 1), dilation, pads: [left, right, top, bottom] };
    let (from, window) = fit_padding(builder, node, from, map, window);
    let layer = LayerSpec {
        kind: "conv".to_owned(),
        from: vec![from],
        channels: Some(outputs),
        kernel: KernelSpec::Size(kernel.0, kernel.1),
        dilation: (dilation != (1, 1)).then_some(dilation),
        padding: sides(window.pads),
        ..layer
    };
    let name = builder.add(node, layer);
    builder.note(Severity::Expressed, node, "a convolution over its input with zeros in between, which are multiplied");
    finish(builder, node, name, [x.dims[0], outputs], &OutputRows::of(&x.dims).axes((width, height)), true);
    Ok(())
}

/// The outputs between two inputs, computed as channels, moved to their positions; the first `size` of them count.
fn between(
    builder: &mut NetworkBuilder,
    node: &OnnxNode,
    layer: &str,
    (batch, outputs): (u64, u64),
    places: (u64, u64),
    steps: (u64, u64),
    size: (u64, u64),
) -> Option<Features> {
    let dims = vec![batch, outputs.checked_mul(steps.0)?.checked_mul(steps.1)?, places.1, places.0];
    let layout =
        Layout::new(&[(AxisRole::B, batch), (AxisRole::K, dims[1]), (AxisRole::Y, places.1), (AxisRole::X, places.0)]);
    let all = arrange::blocks(builder, node, &Features::direct(layer.to_owned(), dims, layout), steps)?;
    let dims = [batch, outputs, size.1, size.0];
    if all.dims == dims {
        return Some(all);
    }
    let is_within = all.dims.iter().zip(dims).all(|(&all, size)| size <= all);
    if is_within { arrange::part(builder, node, &all, &[0; 4], &dims) } else { None }
}
