//! Choices of the forms.

use super::Choice;
use fusescape_engine::search::Objective;

/// Which layers share a stack, as chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FuseChoice {
    /// As many as have weights that fit.
    #[default]
    Automatic,
    /// One each.
    SingleLayer,
    /// All, with one tile.
    LayerByLayer,
    /// As listed.
    ByHand,
}

impl FuseChoice {
    /// All of them, with what the page calls them.
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

/// What is minimised, as chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ObjectiveChoice {
    /// Energy.
    #[default]
    Energy,
    /// Latency.
    Latency,
    /// Energy times latency.
    EnergyDelayProduct,
    /// Words of DRAM.
    DramAccesses,
    /// Words of another memory.
    MemoryAccesses,
    /// A sum.
    Weighted,
}

impl ObjectiveChoice {
    /// All of them, with what the page calls them.
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

/// What hierarchies are compared by, as chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HierarchyObjective {
    /// Energy.
    #[default]
    Energy,
    /// Latency.
    Latency,
    /// Energy times latency.
    EnergyDelayProduct,
}

impl HierarchyObjective {
    /// All of them, with what the page calls them.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Energy, "energy"), (Self::Latency, "latency"), (Self::EnergyDelayProduct, "energy-delay product")];

    /// What the search minimises.
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

/// How large tiles are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TileChoice {
    /// The best size that a search finds.
    #[default]
    Best,
    /// Some rows.
    Rows,
    /// Whole layers.
    LayerByLayer,
    /// As written.
    ByHand,
}

impl TileChoice {
    /// All of them, with what the page calls them.
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

/// The questions of the view of fusion, one at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FusionPart {
    /// Which layers each method fuses, and what that costs.
    #[default]
    Methods,
    /// What is decided on line while the buffer changes.
    Buffer,
    /// What other hardware makes of it.
    WhatIf,
    /// Sequences of layers fused on a spatial array (HW-Flow-Fusion).
    Sequences,
    /// How long the searches take.
    Times,
}

impl FusionPart {
    /// All of them, with what the page calls them.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Methods, "Methods"),
        (Self::Buffer, "Buffer at run time"),
        (Self::WhatIf, "Other hardware"),
        (Self::Sequences, "Sequences"),
        (Self::Times, "Search times"),
    ];

    /// As files call it.
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

/// Which layers run fused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StackChoice {
    /// As many as have weights that fit.
    #[default]
    Automatic,
    /// All.
    One,
    /// None.
    EachLayer,
    /// As written.
    ByHand,
}

impl StackChoice {
    /// All of them, with what the page calls them.
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
