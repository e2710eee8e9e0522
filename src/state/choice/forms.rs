//! Choices of the forms.

use super::Choice;
use fusescape_engine::search::Objective;

/// The rule that divides layers into stacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FuseChoice {
    /// As many layers per stack as have weights that fit.
    #[default]
    Automatic,
    /// One layer per stack.
    SingleLayer,
    /// A single stack, with one tile.
    LayerByLayer,
    /// Stacks as listed.
    ByHand,
}

impl FuseChoice {
    /// With their names on the page.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::Automatic, "automatic"),
        (Self::SingleLayer, "single-layer"),
        (Self::LayerByLayer, "layer-by-layer"),
        (Self::ByHand, "by hand"),
    ];
}

impl Choice for FuseChoice {
    fn names() -> Vec<(Self, &'static str)> {
        Self::ALL.into()
    }

    fn number(&self) -> u8 {
        match self {
            Self::Automatic => 0,
            Self::SingleLayer => 1,
            Self::LayerByLayer => 2,
            Self::ByHand => 3,
        }
    }
}

/// The kind of objective.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ObjectiveChoice {
    #[default]
    Energy,
    Latency,
    /// Energy times latency.
    EnergyDelayProduct,
    /// Words read from and written to DRAM.
    DramAccesses,
    /// Words read from and written to another memory.
    MemoryAccesses,
    /// A weighted sum.
    Weighted,
}

impl ObjectiveChoice {
    /// With their names on the page.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Energy, "energy"),
        (Self::Latency, "latency"),
        (Self::EnergyDelayProduct, "energy-delay product"),
        (Self::DramAccesses, "DRAM accesses"),
        (Self::MemoryAccesses, "accesses of a memory"),
        (Self::Weighted, "a weighted sum"),
    ];
}

impl Choice for ObjectiveChoice {
    fn names() -> Vec<(Self, &'static str)> {
        Self::ALL.into()
    }

    fn number(&self) -> u8 {
        match self {
            Self::Energy => 0,
            Self::Latency => 1,
            Self::EnergyDelayProduct => 2,
            Self::DramAccesses => 3,
            Self::MemoryAccesses => 4,
            Self::Weighted => 5,
        }
    }
}

/// The objective of a study of hierarchies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HierarchyObjective {
    #[default]
    Energy,
    Latency,
    /// Energy times latency.
    EnergyDelayProduct,
}

impl HierarchyObjective {
    /// With their names on the page.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Energy, "energy"), (Self::Latency, "latency"), (Self::EnergyDelayProduct, "energy-delay product")];

    /// As an objective of the engine.
    pub fn objective(self) -> Objective {
        match self {
            Self::Energy => Objective::Energy,
            Self::Latency => Objective::Latency,
            Self::EnergyDelayProduct => Objective::EnergyDelayProduct,
        }
    }
}

impl Choice for HierarchyObjective {
    fn names() -> Vec<(Self, &'static str)> {
        Self::ALL.into()
    }

    fn number(&self) -> u8 {
        match self {
            Self::Energy => 0,
            Self::Latency => 1,
            Self::EnergyDelayProduct => 2,
        }
    }
}

/// The rule for the size of tiles on many cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TileChoice {
    /// The best size found by a search.
    #[default]
    Best,
    /// A number of rows.
    Rows,
    /// Whole layers.
    LayerByLayer,
    /// As written.
    ByHand,
}

impl TileChoice {
    /// With their names on the page.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::Best, "the best size found"),
        (Self::Rows, "rows"),
        (Self::LayerByLayer, "whole layers"),
        (Self::ByHand, "by hand"),
    ];
}

impl Choice for TileChoice {
    fn names() -> Vec<(Self, &'static str)> {
        Self::ALL.into()
    }

    fn number(&self) -> u8 {
        match self {
            Self::Rows => 0,
            Self::LayerByLayer => 1,
            Self::ByHand => 2,
            Self::Best => 3,
        }
    }
}

/// The sections of the view Fusion, one of which is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FusionPart {
    /// The layers fused by each method, and the cost.
    #[default]
    Methods,
    /// On-line decisions while the buffer changes.
    Buffer,
    /// The effect of other hardware.
    WhatIf,
    /// Sequences of layers fused on a spatial array (HW-Flow-Fusion).
    Sequences,
    /// The time of the searches.
    Times,
}

impl FusionPart {
    /// With their names on the page.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Methods, "Methods"),
        (Self::Buffer, "Buffer at run time"),
        (Self::WhatIf, "Other hardware"),
        (Self::Sequences, "Sequences"),
        (Self::Times, "Search times"),
    ];

    /// Name in files.
    pub fn name(self) -> &'static str {
        ["methods", "buffer", "what-if", "sequences", "times"][self as usize]
    }
}

impl Choice for FusionPart {
    fn names() -> Vec<(Self, &'static str)> {
        Self::ALL.map(|(part, _)| (part, part.name())).into()
    }

    fn number(&self) -> u8 {
        match self {
            Self::Methods => 0,
            Self::Buffer => 1,
            Self::WhatIf => 2,
            Self::Sequences => 3,
            Self::Times => 4,
        }
    }
}

/// The rule that divides layers into stacks on many cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StackChoice {
    /// As many layers per stack as have weights that fit.
    #[default]
    Automatic,
    /// A single stack.
    One,
    /// One layer per stack.
    EachLayer,
    /// As written.
    ByHand,
}

impl StackChoice {
    /// With their names on the page.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::Automatic, "as long as weights fit"),
        (Self::One, "all layers"),
        (Self::EachLayer, "each layer by itself"),
        (Self::ByHand, "by hand"),
    ];
}

impl Choice for StackChoice {
    fn names() -> Vec<(Self, &'static str)> {
        Self::ALL.into()
    }

    fn number(&self) -> u8 {
        match self {
            Self::Automatic => 0,
            Self::One => 1,
            Self::EachLayer => 2,
            Self::ByHand => 3,
        }
    }
}
