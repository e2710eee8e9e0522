//! Windows over frames, rows and columns (Conv3d, pooling of volumes).
//!
//! Layers have two axes along which windows slide. Columns stay one of them. The part of the input in a window of
//! frames and rows becomes rows of a view, one window after another, so that the layer's window has the height of one
//! such part and steps by it: operations, weights and outputs are exact; inputs shared by neighbouring windows are
//! counted along columns only.

use super::builder::NetworkBuilder;
use super::convolution::{OutputRows, PlacedWindow, read_map};
use super::features::Features;
use super::layout::{AxisRole, Layout};
use super::model::OnnxNode;
use super::shapes::elements;
use super::window::{self, KernelWindow, MAX_WINDOW};
use crate::report::Severity;
use fusescape_engine::workload::MAX_EXTENT;

/// One axis of a window.
#[derive(Debug, Clone, Copy)]
struct WindowAxis {
    kernel: u64,
    stride: u64,
    outputs: u64,
    pads: [u64; 2],
}

impl WindowAxis {
    /// Whether outputs are inputs one to one.
    fn is_plain(self) -> bool {
        (self.kernel, self.stride, self.pads) == (1, 1, [0, 0])
    }
}

/// The window of a node on a map with frames.
pub fn placed(
    builder: &mut NetworkBuilder,
    node: &OnnxNode,
    x: &Features,
    kernel: &[u64],
    rounds_up: bool,
) -> Result<PlacedWindow, String> {
    let (&[batch, channels, frames, rows, columns], &[of_frames, of_rows, of_columns]) = (&x.dims[..], kernel) else {
        return Err("its kernel does not fit its input".to_owned());
    };
    let sizes = [(frames, of_frames), (rows, of_rows), (columns, of_columns)];
    let [z, y, _] = axes(node, sizes, rounds_up)?;
    // The same as for columns alone.
    let line = along_columns(node);
    if frames == 1 && z.is_plain() {
        // A single frame is an image.
        let dims = [batch, channels, rows, columns];
        let image = x.moved(dims.to_vec(), x.layout.reshaped(&dims), builder.batch);
        let (window, same) = window::window(&without_frames(node), Some(&kernel[1..]), &dims[2..], [0; 4])?;
        let (from, input) = read_map(builder, &image);
        return Ok(PlacedWindow { from, input, window, same, rows: OutputRows::Frames(1, y.outputs) });
    }
    let (window, same) = window::window(&line, Some(&kernel[2..]), &[columns], [0; 4])?;
    let taps = z.kernel.checked_mul(y.kernel).filter(|taps| *taps <= MAX_WINDOW.unsigned_abs());
    let taps = taps.ok_or("its kernel has no sensible size")?;
    let windows = z.outputs.checked_mul(y.outputs).and_then(|outputs| outputs.checked_mul(taps));
    let all = windows.filter(|rows| *rows <= MAX_EXTENT).ok_or("its windows are too many to count")?;
    let dims = vec![batch, channels, all, columns];
    elements(&dims).ok_or("its windows are too many to count")?;
    let (from, input) = if z.is_plain() && y.is_plain() {
        read_map(builder, &x.moved(dims.clone(), x.layout.reshaped(&dims), builder.batch))
    } else {
        builder.note(
            Severity::Expressed,
            node,
            "its windows over frames and rows stand one behind the other in a view: operations, weights and outputs are exact; \
             that windows share inputs is counted along columns only",
        );
        let layout =
            Layout::new(&[(AxisRole::B, batch), (AxisRole::K, channels), (AxisRole::Y, all), (AxisRole::X, columns)]);
        (builder.rearranged(&x.layers, layout.map()), layout.map())
    };
    let window = KernelWindow { kernel: (window.kernel.0, taps), stride: (window.stride.0, taps), ..window };
    Ok(PlacedWindow { from, input, window, same, rows: OutputRows::Frames(z.outputs, y.outputs) })
}

/// A node whose window has only the numbers selected by `keep` from each list.
fn with_part(node: &OnnxNode, keep: impl Fn(&[i64]) -> Vec<i64>) -> OnnxNode {
    use super::model::Attribute;
    let part = |(name, attribute): &(String, Attribute)| {
        let kept = match attribute {
            Attribute::Ints(list) => Attribute::Ints(keep(list)),
            other => other.clone(),
        };
        (name.clone(), kept)
    };
    OnnxNode { attributes: node.attributes.iter().map(part).collect(), ..node.clone() }
}

/// The window along columns: the last of three numbers, the third and the last of six.
fn along_columns(node: &OnnxNode) -> OnnxNode {
    with_part(node, |list| list.chunks(3).filter_map(|part| part.get(2).copied()).collect())
}

/// The window along rows and columns.
fn without_frames(node: &OnnxNode) -> OnnxNode {
    with_part(node, |list| list.chunks(3).flat_map(|part| part.iter().skip(1).copied()).collect())
}

/// The window along frames, rows and columns.
fn axes(node: &OnnxNode, sizes: [(u64, u64); 3], rounds_up: bool) -> Result<[WindowAxis; 3], String> {
    let list = |name: &str, count: usize, usual: i64| match node.ints(name).unwrap_or(&[]) {
        [] => Ok(vec![usual; count]),
        list if list.len() == count && list.iter().all(|number| (0..=MAX_WINDOW).contains(number)) => Ok(list.to_vec()),
        _ => Err("its window does not fit its input"),
    };
    let (strides, dilations, pads) = (list("strides", 3, 1)?, list("dilations", 3, 1)?, list("pads", 6, 0)?);
    let is_same = matches!(node.text("auto_pad"), Some("SAME_UPPER" | "SAME_LOWER"));
    let is_valid = node.text("auto_pad") == Some("VALID");
    let mut axes = [WindowAxis { kernel: 1, stride: 1, outputs: 1, pads: [0, 0] }; 3];
    for (axis, (place, (size, kernel))) in axes.iter_mut().zip(sizes.into_iter().enumerate()) {
        let (stride, dilation) = (strides[place].unsigned_abs(), dilations[place].unsigned_abs());
        if stride == 0 || dilation == 0 || kernel == 0 || kernel > MAX_WINDOW.unsigned_abs() {
            return Err("its kernel, stride or dilation has no sensible size".to_owned());
        }
        let pads = [pads[place], pads[place + 3]].map(|pad| if is_valid { 0 } else { pad.unsigned_abs() });
        let outputs = if is_same {
            size.div_ceil(stride)
        } else {
            let span = dilation * (kernel - 1) + 1;
            let steps = (size + pads[0] + pads[1]).checked_sub(span).ok_or("its kernel is larger than its input")?;
            match steps.div_ceil(stride) {
                // The last window must begin inside the map or its leading padding.
                up if rounds_up && up * stride < size + pads[0] => up + 1,
                _ => steps / stride + 1,
            }
        };
        *axis = WindowAxis { kernel, stride, outputs, pads };
    }
    Ok(axes)
}
