//! The subject of a part of a figure, so that all parts of one subject can be highlighted at once.

use super::cause::BarCause;
use fusescape_engine::hardware::Operand;
use fusescape_engine::workload::Dim;

/// A subject of highlighting; the fields that are `None` are left open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Subject {
    pub layer: Option<String>,
    pub memory: Option<String>,
    pub operand: Option<Operand>,
    /// Of energy, latency or accesses.
    pub cause: Option<BarCause>,
    pub dim: Option<Dim>,
    /// Index of a point of the sweep.
    pub point: Option<u32>,
    /// Index of a tile type of the current stack.
    pub tile_type: Option<usize>,
}

impl Subject {
    pub fn layer(name: impl Into<String>) -> Self {
        Self { layer: Some(name.into()), ..Self::default() }
    }

    pub fn memory(name: impl Into<String>) -> Self {
        Self { memory: Some(name.into()), ..Self::default() }
    }

    pub fn point(point: u32) -> Self {
        Self { point: Some(point), ..Self::default() }
    }

    /// By index in the current stack.
    pub fn tile_type(index: usize) -> Self {
        Self { tile_type: Some(index), ..Self::default() }
    }

    /// Whether both are about the same: they agree in some field, and differ in none.
    pub fn is_about(&self, other: &Self) -> bool {
        fn agree<T: PartialEq>(one: &Option<T>, other: &Option<T>) -> Option<bool> {
            Some(one.as_ref()? == other.as_ref()?)
        }
        let all = [
            agree(&self.layer, &other.layer),
            agree(&self.memory, &other.memory),
            agree(&self.operand, &other.operand),
            agree(&self.cause, &other.cause),
            agree(&self.dim, &other.dim),
            agree(&self.point, &other.point),
            agree(&self.tile_type, &other.tile_type),
        ];
        all.contains(&Some(true)) && !all.contains(&Some(false))
    }

    /// `W in sram_64KB, loop K`.
    pub fn text(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.layer.as_ref().map(|layer| format!("layer {layer}")));
        parts.extend(self.operand.map(|operand| operand.to_string()));
        parts.extend(self.memory.as_ref().map(|memory| format!("memory {memory}")));
        parts.extend(self.cause.map(|cause| cause.name().to_owned()));
        parts.extend(self.dim.map(|dim| format!("loop {dim}")));
        parts.extend(self.tile_type.map(|index| format!("tile type {}", index + 1)));
        parts.join(", ")
    }
}

/// A part of a figure and its subject, CSS pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// Upper left corner.
    pub at: (i32, i32),
    /// Width and height.
    pub size: (i32, i32),
    pub subject: Subject,
}

impl Region {
    /// Whether a point lies in it.
    pub fn holds(&self, x: f64, y: f64) -> bool {
        let within = |at: f64, from: i32, length: i32| at >= f64::from(from) && at < f64::from(from + length);
        within(x, self.at.0, self.size.0) && within(y, self.at.1, self.size.1)
    }
}
