//! Operators that only rearrange elements: reshape, transpose, concatenate, slice, repeat.

use super::builder::NetworkBuilder;
use super::features::{Features, TensorValue};
use super::layout::{AxisPart, AxisRole, Layout, MapAxes};
use super::model::{OnnxNode, types};
use super::shapes::{self, elements};
use crate::report::Severity;
use fusescape_spec::{MapAxis, ViewSpec};

/// Reshape, Flatten, Squeeze, Unsqueeze: all elements in their order under another shape.
pub fn reshape(builder: &mut NetworkBuilder, node: &OnnxNode) -> Result<(), String> {
    let x = builder.features(node, 0).cloned().ok_or("its input is not known")?;
    let axes = || node.ints("axes").map(<[i64]>::to_vec).or_else(|| builder.ints(node, 1));
    let dims = match node.op.as_str() {
        "Reshape" => {
            let target = node.ints("shape").map(<[i64]>::to_vec).or_else(|| builder.ints(node, 1));
            target.and_then(|target| shapes::reshape(&x.dims, &target, node.int("allowzero") == Some(1)))
        }
        "Flatten" => shapes::flatten(&x.dims, node.int("axis").unwrap_or(1)),
        "Unsqueeze" => axes().and_then(|axes| shapes::unsqueeze(&x.dims, &axes)),
        _ => shapes::squeeze(&x.dims, axes().as_deref()),
    };
    let stated = dims.filter(|dims| elements(dims) == elements(&x.dims));
    let dims = stated.ok_or("the shape that it makes is not known, or does not fit its input")?;
    let layout = x.layout.reshaped(&dims);
    let moved = x.moved(dims, layout, builder.batch);
    builder.set(&node.outputs[0], TensorValue::Features(moved));
    Ok(())
}

/// The axes in another order.
pub fn transpose(builder: &mut NetworkBuilder, node: &OnnxNode) -> Result<(), String> {
    let x = builder.features(node, 0).cloned().ok_or("its input is not known")?;
    let order = shapes::order(node.ints("perm"), x.dims.len()).ok_or("its order of axes does not fit its input")?;
    let dims = order.iter().map(|&axis| x.dims[axis]).collect();
    let moved = x.moved(dims, Some(x.layout.transposed(&order)), builder.batch);
    builder.set(&node.outputs[0], TensorValue::Features(moved));
    Ok(())
}

/// Concatenation; `first` is the index of the first joined input, and every `step`-th one from there is joined.
pub fn concat(builder: &mut NetworkBuilder, node: &OnnxNode, first: usize, step: usize) -> Result<(), String> {
    let mut parts = Vec::new();
    let (mut sum, mut dims, mut constants) = (0u64, None, false);
    let all: Vec<usize> = (first..node.inputs.len()).step_by(step).collect();
    let place =
        |rank: usize| shapes::axis(node.int("axis").unwrap_or(1), rank).ok_or("its axis is none of its inputs'");
    for &index in &all {
        let shape = match (builder.features(node, index), builder.constant(node, index)) {
            (Some(features), _) => features.dims.clone(),
            (_, Some(constant)) => {
                constants = true;
                constant.dims.clone().ok_or("the shape of one of its inputs is not known")?
            }
            _ => return Err("one of its inputs is not known".to_owned()),
        };
        sum = sum.saturating_add(*shape.get(place(shape.len())?).ok_or("its inputs have no dimensions")?);
        parts.extend(builder.features(node, index).cloned());
        dims.get_or_insert(shape);
    }
    let mut dims = dims.ok_or("it joins nothing")?;
    let axis = place(dims.len())?;
    dims[axis] = sum;
    let largest = parts.iter().max_by_key(|part| elements(&part.dims)).ok_or("it joins nothing that is computed")?;
    if let ([only], false) = (&parts[..], constants) {
        let same = only.clone();
        builder.set(&node.outputs[0], TensorValue::Features(same));
        return Ok(());
    }
    let joined = if constants {
        let layout = largest.layout.resized(axis, sum);
        let layers = builder.join(&parts).ok_or(TOO_MANY)?;
        Features { bits: largest.bits, ..Features::scattered(layers, dims, layout) }
    } else {
        joined_along(builder, node, &parts, axis, dims)?
    };
    builder.set(&node.outputs[0], TensorValue::Features(joined));
    Ok(())
}

/// The reason why some tensors are not joined.
const TOO_MANY: &str = "it joins more than any network does";

/// Computed tensors concatenated along an axis; `dims` is the shape of the result.
pub fn joined_along(
    builder: &mut NetworkBuilder,
    node: &OnnxNode,
    parts: &[Features],
    axis: usize,
    dims: Vec<u64>,
) -> Result<Features, String> {
    if let Some(joined) = joined(builder, node, &laid_alike(builder, parts, axis), axis, &dims) {
        return Ok(joined);
    }
    let largest = parts.iter().max_by_key(|part| elements(&part.dims)).ok_or("it joins nothing that is computed")?;
    let layout = largest.layout.resized(axis, dims[axis]);
    let layers = builder.join(parts).ok_or(TOO_MANY)?;
    Ok(Features { bits: largest.bits, ..Features::scattered(layers, dims, layout) })
}

/// Tensors to join, with inputs of the network laid out like the computed ones: a cache of keys like new keys.
fn laid_alike(builder: &NetworkBuilder, parts: &[Features], axis: usize) -> Vec<Features> {
    let computed = parts.iter().find(|part| part.is_direct && !builder.is_of_inputs(part));
    let Some((like, along)) = computed.and_then(|part| Some((part, part.layout.map_axis(axis)?))) else {
        return parts.to_vec();
    };
    let role = match along {
        MapAxis::Channels => AxisRole::K,
        MapAxis::Columns => AxisRole::X,
        MapAxis::Rows => AxisRole::Y,
    };
    let relaid = |part: &Features| {
        let same = |other: usize| other == axis || part.dims.get(other) == like.dims.get(other);
        if !builder.is_of_inputs(part) || part.dims.len() != like.dims.len() || !(0..part.dims.len()).all(same) {
            return part.clone();
        }
        let mut layout = like.layout.clone();
        if let (Some(parts), Some(&size)) = (layout.axes.get_mut(axis), part.dims.get(axis)) {
            *parts = if size == 1 { Vec::new() } else { vec![AxisPart { role, size }] };
        }
        let is_direct = part.is_direct && layout == part.layout;
        Features { layout, is_direct, ..part.clone() }
    };
    parts.iter().map(relaid).collect()
}

/// A concatenation that is read tile by tile, if each tensor is a whole map and the axis is an axis of the map.
fn joined(
    builder: &mut NetworkBuilder,
    node: &OnnxNode,
    parts: &[Features],
    axis: usize,
    dims: &[u64],
) -> Option<Features> {
    let along = parts.iter().map(|part| part.layout.map_axis(axis)).reduce(|a, b| a.filter(|_| a == b))??;
    let first = &parts.first()?.layout;
    let others = |layout: &Layout| {
        let axes = layout.axes.iter().enumerate().filter(|(other, _)| *other != axis);
        axes.map(|(_, parts)| parts.clone()).collect::<Vec<_>>()
    };
    let is_like_first = |part: &Features| others(&part.layout) == others(first);
    let gains = parts.iter().any(|part| part.is_direct && !builder.is_of_inputs(part));
    if !gains || !parts.iter().all(is_like_first) {
        return None;
    }
    // An axis of one element has no recognisable role.
    let layout = first.resized(axis, dims[axis]);
    let mut size = first.map();
    match along {
        MapAxis::Channels => size.channels = dims[axis],
        MapAxis::Columns => size.columns = dims[axis],
        MapAxis::Rows => size.rows = dims[axis],
    }
    if layout.map() != size {
        return None;
    }
    // A tensor that is not in a layer's order is rearranged before it is joined.
    let from = parts.iter().map(|part| builder.read(part, |_| true, Layout::default).0).collect();
    let name = builder.arranged(node, from, ViewSpec::Join(along));
    Some(Features { bits: parts.first()?.bits, ..Features::direct(name, dims.to_vec(), layout) })
}

/// Part of a tensor.
pub fn slice(builder: &mut NetworkBuilder, node: &OnnxNode) -> Result<(), String> {
    let x = builder.features(node, 0).cloned().ok_or("its input is not known")?;
    let list = |name: &str, index: usize| node.ints(name).map(<[i64]>::to_vec).or_else(|| builder.ints(node, index));
    let (starts, ends) = list("starts", 1).zip(list("ends", 2)).ok_or("what it cuts out is not known")?;
    let (axes, steps) = (list("axes", 3), builder.ints(node, 4));
    let (dims, firsts) = shapes::slice(&x.dims, &starts, &ends, axes.as_deref(), steps.as_deref())
        .ok_or("what it cuts out does not fit its input")?;
    match firsts.filter(|_| dims != x.dims).and_then(|firsts| part(builder, node, &x, &firsts, &dims)) {
        Some(part) => builder.set(&node.outputs[0], TensorValue::Features(part)),
        None => cut_out(builder, &node.outputs[0], &x, dims),
    }
    Ok(())
}

/// A slice that is read tile by tile, if the axes that are cut are axes of the map; `firsts` are the first indices.
pub fn part(
    builder: &mut NetworkBuilder,
    node: &OnnxNode,
    x: &Features,
    firsts: &[u64],
    dims: &[u64],
) -> Option<Features> {
    if !x.is_direct || builder.is_of_inputs(x) || elements(dims)? == 0 {
        return None;
    }
    let mut ranges = [None; 3];
    let mut layout = x.layout.clone();
    for (axis, (&first, &size)) in firsts.iter().zip(dims).enumerate() {
        if size != x.dims[axis] {
            ranges[x.layout.map_axis(axis)? as usize] = Some((first, first + size));
            layout = layout.resized(axis, size);
        }
    }
    let name = builder.arranged(node, x.layers.to_vec(), ViewSpec::Part(ranges));
    Some(Features { bits: x.bits, ..Features::direct(name, dims.to_vec(), layout) })
}

/// A tensor cut into several along an axis.
pub fn split(builder: &mut NetworkBuilder, node: &OnnxNode) -> Result<(), String> {
    let x = builder.features(node, 0).cloned().ok_or("its input is not known")?;
    let axis = shapes::axis(node.int("axis").unwrap_or(0), x.dims.len()).ok_or("its axis is none of its input's")?;
    let stated = node.ints("split").map(<[i64]>::to_vec).or_else(|| builder.ints(node, 1));
    let count = node.outputs.len() as u64;
    let whole = x.dims[axis];
    let mut firsts = vec![0; x.dims.len()];
    for (index, output) in node.outputs.iter().enumerate() {
        let even = whole.div_ceil(count);
        let size = match &stated {
            Some(sizes) => sizes.get(index).and_then(|&size| u64::try_from(size).ok()).unwrap_or(0),
            None => even.min(whole.saturating_sub(even.saturating_mul(index as u64))),
        };
        let mut dims = x.dims.clone();
        dims[axis] = size;
        let is_within = size > 0 && firsts[axis] + size <= whole;
        match part(builder, node, &x, &firsts, &dims).filter(|_| is_within && size < whole) {
            Some(part) => builder.set(output, TensorValue::Features(part)),
            None => cut_out(builder, output, &x, dims),
        }
        firsts[axis] = firsts[axis].saturating_add(size);
    }
    Ok(())
}

/// Some entries along an axis; of a constant table (an embedding), an input of the network.
pub fn gather(builder: &mut NetworkBuilder, node: &OnnxNode) -> Result<(), String> {
    let is_packed = node.op == "GatherBlockQuantized";
    let stated = node.int(if is_packed { "gather_axis" } else { "axis" }).unwrap_or(0);
    let place = |rank: usize| shapes::axis(stated, rank).ok_or("its axis is none of its input's");
    let indices = match (builder.features(node, 1), builder.constant(node, 1)) {
        (Some(features), _) => features.dims.clone(),
        (_, Some(constant)) => constant.dims.clone().ok_or("the shape of its indices is not known")?,
        _ => return Err("its indices are not known".to_owned()),
    };
    let shape = |dims: &[u64], axis: usize| [&dims[..axis], &indices[..], &dims[axis + 1..]].concat();
    if let Some(x) = builder.features(node, 0).cloned() {
        let dims = shape(&x.dims, place(x.dims.len())?);
        cut_out(builder, &node.outputs[0], &x, dims);
        return Ok(());
    }
    let constant = builder.constant(node, 0).ok_or("its table is not known")?;
    let mut table = constant.dims.clone().ok_or("its table is not known")?;
    if let (Some(last), true) = (table.last_mut(), is_packed && constant.data_type == types::UINT8) {
        // Several elements in each byte.
        let bits = node.int("bits").filter(|bits| (1..=8).contains(bits)).unwrap_or(4).unsigned_abs();
        *last = last.saturating_mul(8 / bits);
    }
    let dims = shape(&table, place(table.len())?);
    if elements(&dims).is_none() {
        return Err("what it looks up is too large to count".to_owned());
    }
    builder.note(Severity::NotCounted, node, "looks up rows of a table; what it finds is an input of the network");
    builder.add_input(&node.outputs[0].clone(), dims, None);
    Ok(())
}

/// Expand, Tile: along axes of one element as copies in the layout; along others by a view.
pub fn repeat(builder: &mut NetworkBuilder, node: &OnnxNode) -> Result<(), String> {
    let x = builder.features(node, 0).cloned().ok_or("its input is not known")?;
    let by: Option<Vec<u64>> =
        builder.ints(node, 1).and_then(|list| list.iter().map(|&size| u64::try_from(size).ok()).collect());
    let dims = by.and_then(|by| match node.op.as_str() {
        "Expand" => shapes::broadcast(&x.dims, &by),
        _ => x.dims.iter().zip(&by).map(|(size, times)| size.checked_mul(*times)).collect(),
    });
    let repeated = dims.as_ref().and_then(|dims| Some((dims.clone(), x.layout.repeated(&x.dims, dims)?)));
    match repeated {
        Some((dims, layout)) => {
            let repeated = x.moved(dims, Some(layout), builder.batch);
            builder.set(&node.outputs[0], TensorValue::Features(repeated));
            Ok(())
        }
        None => spread(builder, node, dims),
    }
}

/// Elements that are repeated or moved; `dims` is the resulting shape.
pub fn spread(builder: &mut NetworkBuilder, node: &OnnxNode, dims: Option<Vec<u64>>) -> Result<(), String> {
    let x = builder.features(node, 0).cloned().ok_or("its input is not known")?;
    let dims = dims.ok_or("the shape that it makes is not known")?;
    cut_out(builder, &node.outputs[0], &x.spread(), dims);
    Ok(())
}

/// Nearest-neighbour upsampling by whole factors, read tile by tile; `None` if elements are interpolated or left out.
pub fn scaled(builder: &mut NetworkBuilder, node: &OnnxNode, dims: &[u64]) -> Option<Features> {
    let x = builder.features(node, 0).cloned()?;
    let is_nearest = node.text("mode").is_none_or(|mode| mode == "nearest");
    let rounds = node.text("nearest_mode").unwrap_or("round_prefer_floor");
    let ratio = |axis: usize| (dims[axis].is_multiple_of(x.dims[axis])).then(|| dims[axis] / x.dims[axis]);
    let (mut by, mut largest) = ((1, 1), 1);
    for axis in 0..dims.len() {
        let times = ratio(axis)?;
        match x.layout.map_axis(axis).filter(|_| times > 1) {
            Some(MapAxis::Columns) => by.0 = times,
            Some(MapAxis::Rows) => by.1 = times,
            _ if times == 1 => {}
            _ => return None,
        }
        largest = largest.max(times);
    }
    // Whether each position is repeated the same number of times as neighbours, by the operator's coordinate and
    // rounding rules.
    let repeats = match node.text("coordinate_transformation_mode").unwrap_or("half_pixel") {
        _ if node.op == "Upsample" => true,
        "asymmetric" => rounds == "floor" || rounds == "round_prefer_floor" && largest <= 2,
        "half_pixel" | "pytorch_half_pixel" | "half_pixel_symmetric" => rounds.starts_with("round"),
        _ => false,
    };
    if !is_nearest || !repeats || largest == 1 || !x.is_direct || builder.is_of_inputs(&x) {
        return None;
    }
    let (layout, MapAxes { channels, columns, rows }) = (x.layout.fitted(dims), x.layout.map());
    if layout.map() != (MapAxes { channels, columns: columns * by.0, rows: rows * by.1 }) {
        return None;
    }
    let name = builder.arranged(node, x.layers.to_vec(), ViewSpec::Scale(by.0, by.1));
    Some(Features { bits: x.bits, ..Features::direct(name, dims.to_vec(), layout) })
}

/// Channels of each pixel rearranged to a block of `columns` x `rows`, read tile by tile.
pub fn blocks(
    builder: &mut NetworkBuilder,
    node: &OnnxNode,
    x: &Features,
    (columns, rows): (u64, u64),
) -> Option<Features> {
    let &[batch, channels, height, width] = &x.dims[..] else { return None };
    let axes = [1, 2, 3].map(|axis| x.layout.map_axis(axis));
    // A side of one pixel has no role yet.
    let usual =
        Layout::new(&[(AxisRole::B, batch), (AxisRole::K, channels), (AxisRole::Y, height), (AxisRole::X, width)]);
    let is_map = x.layout == usual && axes.iter().all(Option::is_some);
    if !x.is_direct || !is_map || builder.is_of_inputs(x) || !channels.is_multiple_of(columns * rows) {
        return None;
    }
    let dims = vec![batch, channels / (columns * rows), height.checked_mul(rows)?, width.checked_mul(columns)?];
    let layout =
        Layout::new(&[(AxisRole::B, batch), (AxisRole::K, dims[1]), (AxisRole::Y, dims[2]), (AxisRole::X, dims[3])]);
    let name = builder.arranged(node, x.layers.to_vec(), ViewSpec::Blocks(columns, rows));
    Some(Features { bits: x.bits, ..Features::direct(name, dims, layout) })
}

/// Columns and rows of a resized map.
pub fn resized(builder: &NetworkBuilder, node: &OnnxNode) -> Option<Vec<u64>> {
    let x = builder.features(node, 0)?;
    let inputs = node.inputs.len();
    let sizes = builder.ints(node, 3).filter(|_| inputs > 3);
    let scales = [2, 1].into_iter().filter_map(|index| builder.constant(node, index)?.floats.clone());
    let scales = scales.chain(node.floats("scales").map(<[f32]>::to_vec)).find(|scales| scales.len() == x.dims.len());
    match (sizes, scales) {
        (Some(sizes), _) if sizes.len() == x.dims.len() => sizes.iter().map(|&size| u64::try_from(size).ok()).collect(),
        (_, Some(scales)) => Some(
            x.dims.iter().zip(scales).map(|(&dim, scale)| (dim as f64 * f64::from(scale)).floor() as u64).collect(),
        ),
        _ => None,
    }
}

/// Channels to columns and rows or back: by `factor` (larger than 1) columns and rows grow.
pub fn depth_to_space(dims: &[u64], block: u64, grows: bool) -> Option<Vec<u64>> {
    let &[batch, channels, rows, columns] = dims else { return None };
    let area = block.checked_mul(block).filter(|area| *area > 0)?;
    if grows {
        Some(vec![batch, channels / area, rows.checked_mul(block)?, columns.checked_mul(block)?])
    } else {
        Some(vec![batch, channels.checked_mul(area)?, rows / block, columns / block])
    }
}

/// The elements of `x` in another shape, by a view once it is read.
fn cut_out(builder: &mut NetworkBuilder, output: &str, x: &Features, dims: Vec<u64>) {
    if dims == x.dims {
        builder.set(output, TensorValue::Features(x.clone()));
        return;
    }
    let layout = if dims.len() == x.dims.len() { x.layout.fitted(&dims) } else { fewer_axes(x, &dims, builder.batch) };
    let features = Features { bits: x.bits, ..Features::scattered(x.layers.clone(), dims, layout) };
    builder.set(output, TensorValue::Features(features));
}

/// If an axis is removed, the others keep their roles if they can be recognised by their sizes.
fn fewer_axes(x: &Features, dims: &[u64], batch: u64) -> Layout {
    let gone = (0..x.dims.len()).find(|&gone| {
        x.dims.iter().enumerate().filter(|(axis, _)| *axis != gone).map(|(_, dim)| *dim).eq(dims.iter().copied())
    });
    match gone {
        Some(gone) => Layout {
            axes: x
                .layout
                .axes
                .iter()
                .enumerate()
                .filter(|(axis, _)| *axis != gone)
                .map(|(_, parts)| parts.clone())
                .collect(),
            is_shuffled: x.layout.is_shuffled,
        },
        None if dims.len() == 4 => Layout::new(&[
            (AxisRole::B, dims[0]),
            (AxisRole::K, dims[1]),
            (AxisRole::Y, dims[2]),
            (AxisRole::X, dims[3]),
        ]),
        None => Layout::usual(dims, batch),
    }
}
