//! Windows of convolutions and pooling, as stated by nodes.

use super::layout::MapAxes;
use super::model::OnnxNode;

/// Limit on kernel, stride, dilation and padding.
pub const MAX_WINDOW: i64 = 1 << 20;

/// A window along columns (first) and rows.
#[derive(Debug, Clone, Copy)]
pub struct KernelWindow {
    pub kernel: (u64, u64),
    pub stride: (u64, u64),
    /// Distance between neighbouring elements.
    pub dilation: (u64, u64),
    /// Left, right, top, bottom.
    pub pads: [u64; 4],
}

/// The window of a node, and whether the padding follows from the size.
pub fn window(
    node: &OnnxNode,
    kernel: Option<&[u64]>,
    input: &[u64],
    extra: [u64; 4],
) -> Result<(KernelWindow, bool), String> {
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
    let mut window = KernelWindow { kernel, stride, dilation, pads: [0; 4] };
    let mut same = false;
    match node.text("auto_pad") {
        Some("SAME_UPPER") if extra == [0; 4] => same = true,
        Some(auto_pad @ ("SAME_UPPER" | "SAME_LOWER")) => {
            // Zeros stored before count as part of the input.
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

/// Columns and rows of the output of a window.
pub fn output_size(input: MapAxes, window: KernelWindow, same: bool, rounds_up: bool) -> Result<(u64, u64), String> {
    let of = |size: u64, kernel: u64, stride: u64, dilation: u64, pads: u64| {
        if same {
            return Some(size.div_ceil(stride));
        }
        let span = dilation.checked_mul(kernel - 1)?.checked_add(1)?;
        let steps = size.checked_add(pads)?.checked_sub(span)?;
        let count = if rounds_up { steps.div_ceil(stride) } else { steps / stride };
        // The last window must begin inside the map or its leading padding.
        Some(count + 1)
    };
    let KernelWindow { kernel, stride, dilation, pads: [left, right, top, bottom] } = window;
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

/// Extends the padding at the right and the bottom for the windows added by rounding up.
pub fn stretch(window: &mut KernelWindow, input: MapAxes, output: (u64, u64)) {
    let [left, right, top, bottom] = &mut window.pads;
    for (before, after, size, count, kernel, stride, dilation) in [
        (*left, right, input.columns, output.0, window.kernel.0, window.stride.0, window.dilation.0),
        (*top, bottom, input.rows, output.1, window.kernel.1, window.stride.1, window.dilation.1),
    ] {
        *after = ((count - 1) * stride + dilation * (kernel - 1) + 1).saturating_sub(size + before);
    }
}

/// One number for each spatial axis: columns (last in the list) and rows.
pub fn pair(stated: Option<&[i64]>, usual: u64, axes: usize) -> Result<(u64, u64), String> {
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
        // `output_shape` may include batch and channels.
        (&[.., rows, columns], 2) => Ok((number(columns)?, number(rows)?)),
        _ => Err("its window does not fit its input".to_owned()),
    }
}

pub fn positive(number: i64) -> Result<u64, String> {
    u64::try_from(number).ok().filter(|number| *number > 0).ok_or_else(|| format!("it states a size of {number}"))
}
