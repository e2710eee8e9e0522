//! What a part of a figure is about, so that everything that is about the same can be lit at once.

use super::cause::Cause;
use fusescape_engine::hardware::Operand;
use fusescape_engine::workload::Dim;

/// What is pointed at; parts of it may be left open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Subject {
    /// Name of a layer.
    pub layer: Option<String>,
    /// Name of a memory.
    pub memory: Option<String>,
    /// An operand.
    pub operand: Option<Operand>,
    /// A cause of energy, latency or accesses.
    pub cause: Option<Cause>,
    /// A loop dimension.
    pub dim: Option<Dim>,
    /// A point of the sweep.
    pub point: Option<u32>,
    /// Index of a tile type of the stack at hand.
    pub tile_type: Option<usize>,
}

impl Subject {
    /// A layer.
    pub fn layer(name: impl Into<String>) -> Self {
        Self { layer: Some(name.into()), ..Self::default() }
    }

    /// A memory.
    pub fn memory(name: impl Into<String>) -> Self {
        Self { memory: Some(name.into()), ..Self::default() }
    }

    /// A point of the sweep.
    pub fn point(point: u32) -> Self {
        Self { point: Some(point), ..Self::default() }
    }

    /// A tile type of the stack at hand.
    pub fn tile_type(index: usize) -> Self {
        Self { tile_type: Some(index), ..Self::default() }
    }

    /// Whether both are about the same: they agree on something, and contradict each other in nothing.
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

    /// For a person: `W in sram_64KB, loop K`.
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

/// A part of a figure, CSS pixels, and what it is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// Its upper left corner.
    pub at: (i32, i32),
    /// Its width and height.
    pub size: (i32, i32),
    /// What it is about.
    pub subject: Subject,
}

impl Region {
    /// Whether a place lies in it.
    pub fn holds(&self, x: f64, y: f64) -> bool {
        let within = |at: f64, from: i32, length: i32| at >= f64::from(from) && at < f64::from(from + length);
        within(x, self.at.0, self.size.0) && within(y, self.at.1, self.size.1)
    }
}
