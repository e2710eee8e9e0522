//! The axes of a tensor as parts of a feature map.
//!
//! A feature map has columns (X), rows (Y) and channels (K), and there is one per image of the batch (B). An axis of a
//! tensor stands for parts of these: `[B][X][K]` are tokens with features; split into the heads of attention and
//! transposed they are `[B][K 12][X 128][K 64]`. As long as an operator can tell the roles of its axes, it reads the
//! map as it is, and nothing is rearranged in memory.

use fusescape_spec::MapAxis;

/// The role of a part of an axis in the feature map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AxisRole {
    /// Image of the batch.
    B,
    /// Channel.
    K,
    /// Row.
    Y,
    /// Column.
    X,
    /// No role: the same elements are repeated along it, such as one head of keys for several heads of queries.
    Copies,
}

/// Part of an axis; never of size 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AxisPart {
    pub role: AxisRole,
    /// Number of elements along it.
    pub size: u64,
}

/// The parts of every axis, the outermost first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    /// By axis.
    pub axes: Vec<Vec<AxisPart>>,
    /// Whether parts of one role are in another order than in the feature map, as after a channel shuffle. A reader of
    /// the whole map can ignore that.
    pub is_shuffled: bool,
}

/// Channels, columns and rows of a feature map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MapAxes {
    pub channels: u64,
    pub columns: u64,
    pub rows: u64,
}

impl Layout {
    /// A layout with one role per axis.
    pub fn new(axes: &[(AxisRole, u64)]) -> Self {
        let axis = |&(role, size): &(AxisRole, u64)| if size == 1 { Vec::new() } else { vec![AxisPart { role, size }] };
        Self { axes: axes.iter().map(axis).collect(), is_shuffled: false }
    }

    /// The most likely layout of a tensor of this shape: channels, rows, columns; with two axes besides the batch,
    /// tokens with features.
    pub fn usual(dims: &[u64], batch: u64) -> Self {
        use AxisRole::{B, K, X, Y};
        let has_batch = dims.len() > 1 && dims[0] == batch;
        let rest = dims.len() - usize::from(has_batch);
        let role = |place: usize| match (rest, place) {
            (1, _) | (2, 1) => K,
            (2, _) => X,
            (_, 0) => K,
            (_, place) if place + 1 == rest => X,
            _ => Y,
        };
        let roles = (0..rest).map(role);
        let roles: Vec<AxisRole> = if has_batch { std::iter::once(B).chain(roles).collect() } else { roles.collect() };
        Self::new(&roles.into_iter().zip(dims.iter().copied()).collect::<Vec<_>>())
    }

    /// Tokens with features: the last axis is channels, all others except the batch are columns.
    pub fn tokens(dims: &[u64], batch: u64) -> Self {
        let mut left = batch;
        let last = dims.len().saturating_sub(1);
        let axis = |(place, &size): (usize, &u64)| {
            let mut axis = Vec::new();
            let mut size = size;
            if place < last && left > 1 && size.is_multiple_of(left) {
                axis.push(AxisPart { role: AxisRole::B, size: left });
                (size, left) = (size / left, 1);
            }
            if size > 1 {
                axis.push(AxisPart { role: if place == last { AxisRole::K } else { AxisRole::X }, size });
            }
            axis
        };
        Self { axes: dims.iter().enumerate().map(axis).collect(), is_shuffled: false }
    }

    /// The feature map.
    pub fn map(&self) -> MapAxes {
        MapAxes { channels: self.size(AxisRole::K), columns: self.size(AxisRole::X), rows: self.size(AxisRole::Y) }
    }

    fn size(&self, role: AxisRole) -> u64 {
        self.axes
            .iter()
            .flatten()
            .filter(|part| part.role == role)
            .fold(1, |all: u64, part| all.saturating_mul(part.size))
    }

    /// The axis of the feature map that an axis of the tensor is, whole and in order; `None` if it is a part of one, or
    /// several.
    pub fn map_axis(&self, axis: usize) -> Option<MapAxis> {
        let all = self.map();
        let is_free = |role: AxisRole| self.axes.iter().flatten().all(|part| part.role != role);
        let (role, size) = match self.axes.get(axis)?.as_slice() {
            [] => ([AxisRole::K, AxisRole::Y, AxisRole::X].into_iter().find(|&role| is_free(role))?, 1),
            [part] => (part.role, part.size),
            _ => return None,
        };
        let (axis, whole) = match role {
            AxisRole::K => (MapAxis::Channels, all.channels),
            AxisRole::X => (MapAxis::Columns, all.columns),
            AxisRole::Y => (MapAxis::Rows, all.rows),
            AxisRole::B | AxisRole::Copies => return None,
        };
        (size == whole && !self.is_shuffled).then_some(axis)
    }

    /// Whether an axis consists of parts with these roles only.
    pub fn holds(&self, axis: usize, roles: &[AxisRole]) -> bool {
        self.axes.get(axis).is_some_and(|parts| parts.iter().all(|part| roles.contains(&part.role)))
    }

    /// Whether some elements are repeated.
    pub fn repeats(&self) -> bool {
        self.axes.iter().flatten().any(|part| part.role == AxisRole::Copies)
    }

    /// This layout under a shape with longer or additional leading axes: elements are repeated along them. `None` if
    /// the shapes do not match.
    pub fn repeated(&self, from: &[u64], dims: &[u64]) -> Option<Self> {
        let new = dims.len().checked_sub(from.len())?;
        let mut axes = Vec::with_capacity(dims.len());
        for (axis, &size) in dims.iter().enumerate() {
            let old = axis.checked_sub(new).and_then(|axis| Some((*from.get(axis)?, self.axes.get(axis)?)));
            axes.push(match old {
                Some((known, parts)) if known == size => parts.clone(),
                Some((1, _)) | None if size == 1 => Vec::new(),
                Some((1, _)) | None => vec![AxisPart { role: AxisRole::Copies, size }],
                Some((known, parts)) if known > 0 && size.is_multiple_of(known) => {
                    let copies = AxisPart { role: AxisRole::Copies, size: size / known };
                    std::iter::once(copies).chain(parts.iter().copied()).collect()
                }
                Some(_) => return None,
            });
        }
        Some(Self { axes, is_shuffled: self.is_shuffled })
    }

    /// A layout in which repeated elements are stored physically.
    pub fn spread(&self) -> Self {
        let free = |role: &AxisRole| self.axes.iter().flatten().all(|part| part.role != *role);
        let axis = |parts: &Vec<AxisPart>| {
            if parts.iter().all(|part| part.role != AxisRole::Copies) {
                return parts.clone();
            }
            let own = parts.iter().map(|part| part.role).find(|role| *role != AxisRole::Copies);
            let role = own.or([AxisRole::K, AxisRole::X, AxisRole::Y].into_iter().find(free)).unwrap_or(AxisRole::K);
            vec![AxisPart { role, size: parts.iter().fold(1, |all: u64, part| all.saturating_mul(part.size)) }]
        };
        Self { axes: self.axes.iter().map(axis).collect(), is_shuffled: self.is_shuffled }
    }

    /// The axes in another order.
    pub fn transposed(&self, order: &[usize]) -> Self {
        let turned = |role: AxisRole| {
            let holds =
                |axis: &usize| self.axes.get(*axis).is_some_and(|parts| parts.iter().any(|part| part.role == role));
            let axes: Vec<usize> = order.iter().copied().filter(holds).collect();
            !axes.is_sorted()
        };
        let is_shuffled =
            self.is_shuffled || [AxisRole::B, AxisRole::K, AxisRole::Y, AxisRole::X].into_iter().any(turned);
        Self { axes: order.iter().map(|&axis| self.axes.get(axis).cloned().unwrap_or_default()).collect(), is_shuffled }
    }

    /// The layout of the same elements in row-major order under another shape; `None` if an axis would be cut inside
    /// one of its parts.
    pub fn reshaped(&self, dims: &[u64]) -> Option<Self> {
        let mut parts = self.axes.iter().flatten().copied();
        let mut front: Option<AxisPart> = parts.next();
        let mut axes = Vec::with_capacity(dims.len());
        for &dim in dims {
            let (mut axis, mut open) = (Vec::new(), dim);
            while open > 1 {
                let part = front?;
                if open.is_multiple_of(part.size) {
                    push(&mut axis, part);
                    open /= part.size;
                    front = parts.next();
                } else if part.size.is_multiple_of(open) {
                    push(&mut axis, AxisPart { size: open, ..part });
                    front = Some(AxisPart { size: part.size / open, ..part });
                    open = 1;
                } else {
                    return None;
                }
            }
            axes.push(axis);
        }
        front.is_none().then_some(Self { axes, is_shuffled: self.is_shuffled })
    }

    /// The roles of these axes for another shape of the same rank.
    pub fn fitted(&self, dims: &[u64]) -> Self {
        dims.iter().enumerate().fold(self.clone(), |layout, (axis, &size)| {
            let now = layout
                .axes
                .get(axis)
                .map_or(1, |parts| parts.iter().fold(1, |all: u64, part| all.saturating_mul(part.size)));
            if now == size { layout } else { layout.resized(axis, size) }
        })
    }

    /// This layout with other channels in the last axis.
    pub fn with_last(&self, channels: u64) -> Self {
        let mut layout = self.clone();
        if let Some(parts) = layout.axes.last_mut() {
            *parts = if channels == 1 { Vec::new() } else { vec![AxisPart { role: AxisRole::K, size: channels }] };
        }
        layout
    }

    /// The roles of these axes for a shape in which one axis has another size, as after concatenation or slicing.
    pub fn resized(&self, axis: usize, size: u64) -> Self {
        let mut layout = self.clone();
        let free = |role: &AxisRole| self.axes.iter().flatten().all(|part| part.role != *role);
        let role = match self.axes.get(axis).map(Vec::as_slice) {
            Some([]) | None => [AxisRole::K, AxisRole::X, AxisRole::Y].into_iter().find(free).unwrap_or(AxisRole::K),
            Some([first, rest @ ..]) if rest.iter().all(|part| part.role == first.role) => first.role,
            Some(parts) if parts.iter().any(|part| part.role == AxisRole::K) => AxisRole::K,
            Some(_) => AxisRole::X,
        };
        if let Some(parts) = layout.axes.get_mut(axis) {
            *parts = if size == 1 { Vec::new() } else { vec![AxisPart { role, size }] };
        }
        layout
    }
}

/// Adds a part to an axis; neighbours of one role are one part.
fn push(axis: &mut Vec<AxisPart>, part: AxisPart) {
    match axis.last_mut() {
        Some(last) if last.role == part.role => last.size = last.size.saturating_mul(part.size),
        _ => axis.push(part),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use AxisRole::{B, K, X, Y};

    #[test]
    fn heads_are_split_off_and_put_back_without_moving_anything() {
        let tokens = Layout::new(&[(B, 1), (X, 128), (K, 768)]);
        let heads = tokens.reshaped(&[1, 128, 12, 64]).map(|layout| layout.transposed(&[0, 2, 1, 3]));
        let heads = heads.unwrap_or_default();
        assert!(heads.holds(1, &[K]) && heads.holds(2, &[X]) && heads.holds(3, &[K]));
        assert_eq!(heads.map(), tokens.map());
        let back = heads.transposed(&[0, 2, 1, 3]).reshaped(&[1, 128, 768]).unwrap_or_default();
        assert_eq!(back.map(), tokens.map());
        assert!(back.holds(2, &[K]));
    }

    #[test]
    fn pixels_become_tokens() {
        let image = Layout::new(&[(B, 1), (K, 768), (Y, 14), (X, 14)]);
        let tokens = image.reshaped(&[1, 768, 196]).map(|layout| layout.transposed(&[0, 2, 1])).unwrap_or_default();
        assert!(tokens.holds(1, &[X, Y]) && tokens.holds(2, &[K]));
        assert_eq!(image.reshaped(&[1, 14, 14, 768]), None, "which cuts the channels into pieces of several columns");
        assert_eq!(image.reshaped(&[1, 100, 14, 14]), None);
    }
}
