//! Shapes of tensors, and folding of the small integer tensors from which models compute shapes.

use super::model::{OnnxNode, types};

/// Limit on the elements of a tensor.
pub const MAX_ELEMENTS: u64 = 1 << 44;
/// Limit on the elements of a folded constant.
const MAX_FOLDED: usize = 4096;

/// A tensor that does not depend on the model's inputs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Constant {
    /// `None` if unknown.
    pub dims: Option<Vec<u64>>,
    /// Element type, as numbered by ONNX; 0 if unknown.
    pub data_type: u64,
    /// Its elements, if they are few integers.
    pub ints: Option<Vec<i64>>,
    /// Its elements, if they are few fractions.
    pub floats: Option<Vec<f32>>,
}

impl Constant {
    /// A one-dimensional tensor of integers.
    pub fn list(ints: Vec<i64>) -> Self {
        Self { dims: Some(vec![ints.len() as u64]), data_type: types::INT64, ints: Some(ints), floats: None }
    }
}

/// Number of elements; `None` if it exceeds [`MAX_ELEMENTS`].
pub fn elements(dims: &[u64]) -> Option<u64> {
    dims.iter().try_fold(1u64, |all, dim| all.checked_mul(*dim)).filter(|all| (1..=MAX_ELEMENTS).contains(all))
}

/// The index of an axis that may be counted from the end.
pub fn axis(axis: i64, rank: usize) -> Option<usize> {
    let rank = rank as i64;
    usize::try_from(if axis < 0 { axis.checked_add(rank)? } else { axis }).ok().filter(|axis| (*axis as i64) < rank)
}

/// `Reshape`: -1 stands for the remaining size, 0 for the size before.
pub fn reshape(dims: &[u64], target: &[i64], zero_is_zero: bool) -> Option<Vec<u64>> {
    let mut shape: Vec<u64> = Vec::with_capacity(target.len());
    let mut open = None;
    for (place, &size) in target.iter().enumerate() {
        shape.push(match size {
            -1 if open.is_none() => {
                open = Some(place);
                1
            }
            0 if !zero_is_zero => *dims.get(place)?,
            size => u64::try_from(size).ok()?,
        });
    }
    let (all, known) = (elements(dims)?, elements(&shape)?);
    if let Some(open) = open {
        shape[open] = all.checked_div(known)?;
    }
    (elements(&shape)? == all).then_some(shape)
}

/// `Transpose`: the order of the axes; reversed if none is stated.
pub fn order(stated: Option<&[i64]>, rank: usize) -> Option<Vec<usize>> {
    let Some(stated) = stated else { return Some((0..rank).rev().collect()) };
    let order: Vec<usize> = stated.iter().map(|&place| axis(place, rank)).collect::<Option<_>>()?;
    let mut sorted = order.clone();
    sorted.sort_unstable();
    (sorted.len() == rank && sorted.iter().enumerate().all(|(place, axis)| place == *axis)).then_some(order)
}

/// `Unsqueeze`: `dims` with axes of size 1 inserted; `axes` count in the new shape.
pub fn unsqueeze(dims: &[u64], axes: &[i64]) -> Option<Vec<u64>> {
    let rank = dims.len() + axes.len();
    let new: Vec<usize> = axes.iter().map(|&place| axis(place, rank)).collect::<Option<_>>()?;
    let mut old = dims.iter().copied();
    (0..rank).map(|place| if new.contains(&place) { Some(1) } else { old.next() }).collect()
}

/// `Squeeze`: these axes, or all of size 1.
pub fn squeeze(dims: &[u64], axes: Option<&[i64]>) -> Option<Vec<u64>> {
    let gone: Vec<usize> = match axes {
        Some(axes) => axes.iter().map(|&place| axis(place, dims.len())).collect::<Option<_>>()?,
        None => (0..dims.len()).filter(|&place| dims[place] == 1).collect(),
    };
    Some(dims.iter().enumerate().filter(|(place, _)| !gone.contains(place)).map(|(_, dim)| *dim).collect())
}

/// `Flatten`: two axes, split before axis `at`.
pub fn flatten(dims: &[u64], at: i64) -> Option<Vec<u64>> {
    let at = if at == dims.len() as i64 { dims.len() } else { axis(at, dims.len())? };
    Some(vec![elements(&dims[..at])?, elements(&dims[at..])?])
}

/// `Slice`: the shape, and the first indices if every step is 1.
pub fn slice(
    dims: &[u64],
    starts: &[i64],
    ends: &[i64],
    axes: Option<&[i64]>,
    steps: Option<&[i64]>,
) -> Option<(Vec<u64>, Option<Vec<u64>>)> {
    let mut firsts = Some(vec![0; dims.len()]);
    let mut dims = dims.to_vec();
    for (index, (&start, &end)) in starts.iter().zip(ends).enumerate() {
        let place = axis(axes.map_or(Some(index as i64), |axes| axes.get(index).copied())?, dims.len())?;
        let step = steps.map_or(Some(1), |steps| steps.get(index).copied())?;
        let (first, last) = range(i64::try_from(dims[place]).ok()?, start, end, step)?;
        dims[place] = (last - first).unsigned_abs().div_ceil(step.unsigned_abs());
        firsts = firsts.filter(|_| step == 1);
        if let Some(known) = firsts.as_mut().and_then(|firsts| firsts.get_mut(place)) {
            *known = first.unsigned_abs();
        }
    }
    Some((dims, firsts))
}

/// First and last (exclusive) index of a slice.
fn range(size: i64, start: i64, end: i64, step: i64) -> Option<(i64, i64)> {
    let from_front = |at: i64| if at < 0 { at.saturating_add(size) } else { at };
    let (first, last) = match step {
        0 => return None,
        1.. => (from_front(start).clamp(0, size), from_front(end).clamp(0, size)),
        _ => (from_front(start).clamp(-1, size - 1), from_front(end).clamp(-1, size - 1)),
    };
    Some(if (last - first).signum() == step.signum() { (first, last) } else { (first, first) })
}

/// The common shape of two shapes, where axes of size 1 are repeated.
pub fn broadcast(a: &[u64], b: &[u64]) -> Option<Vec<u64>> {
    let rank = a.len().max(b.len());
    let at = |dims: &[u64], place: usize| (place + dims.len()).checked_sub(rank).map_or(1, |place| dims[place]);
    (0..rank)
        .map(|place| match (at(a, place), at(b, place)) {
            (one, other) | (other, one) if one == other || other == 1 => Some(one),
            _ => None,
        })
        .collect()
}

/// The result of an operator on constants: its shape, and its elements if these may be shapes.
pub fn fold(node: &OnnxNode, inputs: &[Option<&Constant>]) -> Constant {
    let Some(Some(first)) = inputs.first() else { return Constant::default() };
    let ints = |index: usize| inputs.get(index).copied().flatten().and_then(|constant| constant.ints.as_deref());
    let dims = first.dims.as_deref();
    let moved = |dims: Option<Vec<u64>>| Constant { dims, ..(*first).clone() };
    match node.op.as_str() {
        "Identity" | "Cast" | "CastLike" | "Dropout" | "QuantizeLinear" | "DequantizeLinear" | "Abs" | "Neg"
        | "Sqrt" => {
            let cast = node.int("to").and_then(|to| u64::try_from(to).ok());
            let mut folded = (*first).clone();
            // A cast from an integer of few bits to a float dequantises: keep the stored type, as memory holds that.
            let is_kept = types::bits(first.data_type).is_some() && cast.and_then(types::fraction).is_some();
            folded.data_type = cast.filter(|_| !is_kept).unwrap_or(folded.data_type);
            if let (Some(floats), true) = (&first.floats, cast == Some(types::INT64)) {
                folded.ints = Some(floats.iter().map(|number| *number as i64).collect());
            }
            if node.op == "QuantizeLinear" {
                let stated = node.int("output_dtype").and_then(|kind| u64::try_from(kind).ok()).unwrap_or(2);
                folded.data_type = inputs.get(2).copied().flatten().map_or(stated, |zero| zero.data_type);
            }
            folded
        }
        "Floor" | "Ceil" => (*first).clone(),
        "Shape" => dims.map_or_else(Constant::default, |dims| shape_of(node, dims)),
        "Reshape" => {
            let zero = node.int("allowzero") == Some(1);
            moved(dims.zip(ints(1)).and_then(|(dims, target)| reshape(dims, target, zero)))
        }
        "Transpose" => {
            let turned = || {
                let dims = dims?;
                let order = order(node.ints("perm"), dims.len())?;
                let shape: Vec<u64> = order.iter().map(|&axis| dims[axis]).collect();
                let ints = first.ints.as_deref().and_then(|list| {
                    arranged((list, dims), &shape, |place| {
                        let mut from = vec![0; dims.len()];
                        order.iter().zip(place).for_each(|(&axis, &at)| from[axis] = at);
                        from
                    })
                });
                Some(Constant { dims: Some(shape), ints, floats: None, data_type: first.data_type })
            };
            turned().unwrap_or_default()
        }
        "Unsqueeze" => moved(dims.zip(node.ints("axes").or(ints(1))).and_then(|(dims, axes)| unsqueeze(dims, axes))),
        "Squeeze" => moved(dims.and_then(|dims| squeeze(dims, node.ints("axes").or(ints(1))))),
        "Flatten" => moved(dims.and_then(|dims| flatten(dims, node.int("axis").unwrap_or(1)))),
        "Concat" => concat(node, inputs),
        "Gather" => gather(node, first, inputs.get(1).copied().flatten()),
        "Slice" => {
            let (starts, ends) = (node.ints("starts").or(ints(1)), node.ints("ends").or(ints(2)));
            let sliced = || {
                let (dims, starts, ends, steps) = (dims?, starts?, ends?, ints(4));
                let axes = node.ints("axes").or(ints(3));
                let (shape, _) = slice(dims, starts, ends, axes, steps)?;
                // For each axis the first element, and the step.
                let mut walks: Vec<(i64, i64)> = vec![(0, 1); dims.len()];
                for (index, (&start, &end)) in starts.iter().zip(ends).enumerate() {
                    let place = axis(axes.map_or(Some(index as i64), |axes| axes.get(index).copied())?, dims.len())?;
                    let step = steps.map_or(Some(1), |steps| steps.get(index).copied())?;
                    walks[place] = (range(i64::try_from(dims[place]).ok()?, start, end, step)?.0, step);
                }
                let ints = first.ints.as_deref().and_then(|list| {
                    arranged((list, dims), &shape, |place| {
                        let from = place.iter().zip(&walks).map(|(&at, (first, step))| first + at as i64 * step);
                        from.map(|at| at as u64).collect()
                    })
                });
                Some(Constant { dims: Some(shape), ints, floats: None, data_type: first.data_type })
            };
            sliced().unwrap_or_default()
        }
        "Add" | "Sub" | "Mul" | "Div" | "Equal" | "Greater" | "Less" | "Max" | "Min" | "Mod" | "Pow" | "And" | "Or" => {
            arithmetic(node, first, inputs.get(1).copied().flatten())
        }
        "Where" => {
            let (yes, no) = (inputs.get(1).copied().flatten(), inputs.get(2).copied().flatten());
            let pick = || -> Option<Vec<i64>> {
                let (choice, yes, no) = (first.ints.as_ref()?, yes?.ints.as_ref()?, no?.ints.as_ref()?);
                let length = choice.len().max(yes.len()).max(no.len());
                let at = |list: &[i64], place: usize| list.get(if list.len() == 1 { 0 } else { place }).copied();
                (0..length).map(|place| if at(choice, place)? != 0 { at(yes, place) } else { at(no, place) }).collect()
            };
            pick().map_or_else(Constant::default, Constant::list)
        }
        "ConstantOfShape" => {
            let dims: Option<Vec<u64>> =
                ints(0).and_then(|dims| dims.iter().map(|&dim| u64::try_from(dim).ok()).collect());
            let value = match node.attribute("value") {
                Some(super::model::Attribute::Tensor(tensor)) => {
                    tensor.ints.as_ref().and_then(|ints| ints.first().copied())
                }
                Some(_) => None,
                None => Some(0),
            };
            let count = dims.as_deref().and_then(elements).filter(|count| *count <= MAX_FOLDED as u64);
            let ints = value.zip(count).map(|(value, count)| vec![value; count as usize]);
            Constant { dims, data_type: types::INT64, ints, floats: None }
        }
        "Range" => {
            let list = || {
                let (from, to, step) = (*ints(0)?.first()?, *ints(1)?.first()?, *ints(2)?.first()?);
                let steps = to.checked_sub(from)?.checked_add(step.checked_sub(step.signum())?)?.checked_div(step)?;
                let count = usize::try_from(steps).ok()?;
                (count <= MAX_FOLDED).then(|| (0..count as i64).map(|index| from + index * step).collect())
            };
            list().map_or_else(Constant::default, Constant::list)
        }
        "ReduceProd" => match &first.ints {
            Some(list) => {
                let product = list.iter().fold(1i64, |all, number| all.saturating_mul(*number));
                Constant { dims: Some(Vec::new()), ..Constant::list(vec![product]) }
            }
            None => Constant::default(),
        },
        "Expand" => {
            let target: Option<Vec<u64>> =
                ints(1).and_then(|dims| dims.iter().map(|&dim| u64::try_from(dim).ok()).collect());
            let dims = dims.zip(target).and_then(|(dims, target)| broadcast(dims, &target));
            Constant { dims, ints: None, floats: None, ..(*first).clone() }
        }
        _ => Constant::default(),
    }
}

/// The elements of a small tensor in another arrangement: `from` maps a position of `shape` to one of the tensor.
fn arranged((list, dims): (&[i64], &[u64]), shape: &[u64], from: impl Fn(&[u64]) -> Vec<u64>) -> Option<Vec<i64>> {
    let count = shape.iter().try_fold(1_u64, |all, dim| all.checked_mul(*dim))?;
    if count > MAX_FOLDED as u64 {
        return None;
    }
    let mut place = vec![0_u64; shape.len()];
    let mut elements = Vec::with_capacity(count as usize);
    for _ in 0..count {
        let at =
            from(&place).iter().zip(dims).try_fold(0_u64, |all, (at, dim)| all.checked_mul(*dim)?.checked_add(*at))?;
        elements.push(*list.get(usize::try_from(at).ok()?)?);
        // The next position, the last axis fastest.
        for (at, dim) in place.iter_mut().zip(shape).rev() {
            *at += 1;
            if *at < *dim {
                break;
            }
            *at = 0;
        }
    }
    Some(elements)
}

/// `Shape`: the dimensions as numbers.
pub fn shape_of(node: &OnnxNode, dims: &[u64]) -> Constant {
    let rank = dims.len() as i64;
    let (start, end) = (node.int("start").unwrap_or(0), node.int("end").unwrap_or(rank));
    let (from, to) = range(rank, start, end, 1).unwrap_or((0, rank));
    let dims = dims.get(from as usize..to as usize).unwrap_or_default();
    Constant::list(dims.iter().map(|&dim| dim as i64).collect())
}

fn concat(node: &OnnxNode, inputs: &[Option<&Constant>]) -> Constant {
    let joined = || {
        let lists: Vec<&Constant> = inputs.iter().copied().collect::<Option<_>>()?;
        let mut dims = lists.first()?.dims.clone()?;
        let place = axis(node.int("axis").unwrap_or(0), dims.len())?;
        dims[place] = lists.iter().try_fold(0u64, |all, list| all.checked_add(*list.dims.as_ref()?.get(place)?))?;
        let ints: Option<Vec<&Vec<i64>>> = lists.iter().map(|list| list.ints.as_ref()).collect();
        let ints = ints.map(|ints| ints.into_iter().flatten().copied().collect::<Vec<i64>>());
        let ints = ints.filter(|ints| dims.len() == 1 && ints.len() <= MAX_FOLDED);
        Some(Constant { dims: Some(dims), ints, floats: None, data_type: lists.first()?.data_type })
    };
    joined().unwrap_or_default()
}

fn gather(node: &OnnxNode, data: &Constant, indices: Option<&Constant>) -> Constant {
    let picked = || {
        let (dims, indices) = (data.dims.as_ref()?, indices?);
        let place = axis(node.int("axis").unwrap_or(0), dims.len())?;
        let shape = [&dims[..place], indices.dims.as_deref()?, &dims[place + 1..]].concat();
        let ints = match (&data.ints, &indices.ints) {
            (Some(list), Some(picks)) if dims.len() == 1 => {
                picks.iter().map(|&pick| list.get(axis(pick, list.len())?).copied()).collect()
            }
            _ => None,
        };
        Some(Constant { dims: Some(shape), ints, floats: None, data_type: data.data_type })
    };
    picked().unwrap_or_default()
}

fn arithmetic(node: &OnnxNode, a: &Constant, b: Option<&Constant>) -> Constant {
    let Some(b) = b else { return Constant::default() };
    let dims = a.dims.as_deref().zip(b.dims.as_deref()).and_then(|(a, b)| broadcast(a, b));
    let number = |a: i64, b: i64| match node.op.as_str() {
        "Add" => a.checked_add(b),
        "Sub" => a.checked_sub(b),
        "Mul" => a.checked_mul(b),
        "Div" => a.checked_div(b),
        "Mod" => a.checked_rem(b),
        "Max" => Some(a.max(b)),
        "Min" => Some(a.min(b)),
        "Equal" => Some(i64::from(a == b)),
        "Greater" => Some(i64::from(a > b)),
        "Less" => Some(i64::from(a < b)),
        _ => None,
    };
    let ints = match (&a.ints, &b.ints) {
        (Some(a), Some(b)) if a.len() == b.len() => a.iter().zip(b).map(|(a, b)| number(*a, *b)).collect(),
        (Some(a), Some(b)) if b.len() == 1 => a.iter().map(|a| number(*a, b[0])).collect(),
        (Some(a), Some(b)) if a.len() == 1 => b.iter().map(|b| number(a[0], *b)).collect(),
        _ => None,
    };
    Constant { dims, ints, floats: None, data_type: a.data_type }
}
