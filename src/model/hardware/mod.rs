//! The validated core: PE array, memories, ports. A [`Core`] cannot be built wrong.

mod area;
mod build;
mod estimate;
mod in_memory;
mod mac;
pub use build::{MAX_LEVELS, WideUnroll, movements, unroll_over};
pub use build::{MAX_SIZE, check_shared_dimension};
pub use build::{check_area, check_bits, check_energy};
mod memory;
mod power;
mod sram;
mod text;
mod vector;

pub use crate::spec::DoubleBuffering;
pub use area::Area;
pub use estimate::{Estimate, check_estimate};
pub use in_memory::{Activation, ByPart, InMemory, InMemoryKind, MacroPart};
pub use mac::MacEnergy;
pub use memory::{Memory, Movement, Port, WordParts};
pub use power::Power;
pub use sram::{Figures, MAX_SRAM_WIDTH, SRAM_65NM, SRAM_ESTIMATORS, SRAM_SIZES, estimate, residuals};
pub use vector::{OperationCost, VectorUnit};

use crate::declare_ids;
use crate::ids::{TiSlice, TiVec};
use crate::sorting::sort_few_by_key;
use crate::workload::{Dim, LayerKind};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a memory holds for a layer. Both inputs of an elementwise addition are stored as `I`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Operand {
    /// Weights.
    W,
    /// Input features.
    I,
    /// Output features and partial sums.
    O,
}

impl Operand {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::W, Self::I, Self::O];
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

declare_ids! {
    /// A memory of a core, by its place in [`Core::memories`].
    MemoryId,
    /// A port of a memory, by its place in [`Memory::ports`].
    PortId,
    /// A dimension of the array, by its place in [`Core::array`].
    ArrayDimId,
}

/// Name and size of each dimension of an array, or of the lanes of a vector unit.
pub type ArraySizes = TiSlice<ArrayDimId, (String, u64)>;

/// A set of array dimensions, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct ArrayDims(pub u32);

impl ArrayDims {
    /// Whether a dimension is in the set.
    pub fn contains(self, dim: ArrayDimId) -> bool {
        self.0 >> dim.index() & 1 == 1
    }

    /// Whether all of `other` is in the set.
    pub fn includes(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// One array dimension unrolls one loop dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Unroll {
    /// The array dimension.
    pub array_dim: ArrayDimId,
    /// The loop dimension it unrolls.
    pub dim: Dim,
    /// Limit on the PEs along the dimension that are used.
    pub limit: u64,
}

/// One accelerator core: an array of PEs fed by a hierarchy of memories.
#[derive(Debug, Clone, PartialEq)]
pub struct Core {
    /// Name of the core, as its document states it.
    pub name: String,
    /// Family of spatial mappings, which a layer's own unrolling may refer to.
    pub dataflow: String,
    /// Name and size of every array dimension.
    pub array: TiVec<ArrayDimId, (String, u64)>,
    /// Array dimensions along which data moves one PE a cycle.
    pub systolic: ArrayDims,
    /// Energy of one multiply-accumulate; nothing where the array computes in memory.
    pub mac_energy: MacEnergy,
    /// How the array computes in memory, if it does: energy, area and clock follow.
    pub in_memory: Option<InMemory>,
    /// Area of one PE without its memories, um2; `None` where it is not stated.
    pub pe_area_um2: Option<f64>,
    /// Clock frequency, MHz; `None` where it is not stated, and nothing leaks then. An array that computes in memory estimates its own.
    pub clock_mhz: Option<f64>,
    /// Power that the array leaks, without its memories, mW.
    pub array_leakage_mw: f64,
    /// All memories, lowest first; loops are allocated to them in this order. The registers of the vector unit come before all others,
    /// and are shared over its lanes, or not, instead of over dimensions of the array.
    pub memories: TiVec<MemoryId, Memory>,
    /// What computes element by element beside the array, if anything does.
    pub vector_unit: Option<VectorUnit>,
    levels: [Vec<MemoryId>; 3],
    unrolls: Vec<(LayerKind, Vec<Unroll>)>,
    /// What its document unrolls wider than the array is, by layer type.
    wide_unrolls: Vec<(LayerKind, WideUnroll)>,
}

impl Core {
    /// Number of processing elements.
    pub fn pe_count(&self) -> u64 {
        self.array.iter().map(|(_, size)| size).product()
    }

    /// Power that the array and all memories leak, mW.
    pub fn leakage_mw(&self) -> f64 {
        let memories = self.memories.iter().map(|memory| memory.leakage_mw * memory.instances as f64);
        memories.fold(self.array_leakage_mw, |all, mw| all + mw)
    }

    /// Energy that leaks in one cycle, pJ.
    pub fn leakage_pj_per_cycle(&self) -> f64 {
        // A milliwatt for the microsecond of a cycle at 1 MHz is a nanojoule.
        self.clock_mhz.map_or(0.0, |mhz| 1e3 * self.leakage_mw() / mhz)
    }

    /// What the highest memories on the chip hold together, in bytes: below each operand's own highest memory, each counted once.
    pub fn on_chip_bytes(&self) -> u64 {
        self.on_chip().map(Memory::all_bits).fold(0, u64::saturating_add) / 8
    }

    /// The highest memories on the chip.
    pub fn on_chip(&self) -> impl Iterator<Item = &Memory> {
        let below_top = |operand: Operand| {
            let levels = self.levels(operand);
            levels.len().checked_sub(2).map(|level| levels[level])
        };
        let mut highest: Vec<MemoryId> = Operand::ALL.into_iter().filter_map(below_top).collect();
        sort_few_by_key(&mut highest, |&id| id);
        highest.dedup();
        highest.into_iter().map(|id| &self.memories[id])
    }

    /// The memories that hold `operand`, lowest first; never empty.
    pub fn levels(&self, operand: Operand) -> &[MemoryId] {
        &self.levels[operand as usize]
    }

    /// The memory where an operand starts and ends: its highest.
    pub fn top(&self, operand: Operand) -> MemoryId {
        self.levels(operand)[self.levels(operand).len() - 1]
    }

    /// The level of `operand` that `memory` is, counted from the lowest.
    pub fn level_of(&self, operand: Operand, memory: MemoryId) -> Option<usize> {
        self.levels(operand).iter().position(|&id| id == memory)
    }

    /// Which loops the array unrolls for layers of this kind. Products of matrices, where nothing is stated for them, are unrolled
    /// as pointwise layers, which have the same loops.
    pub fn unroll(&self, kind: LayerKind) -> &[Unroll] {
        let stated = |kind: LayerKind| self.unrolls.iter().find(|(of, _)| *of == kind);
        let found = stated(kind).or_else(|| stated(LayerKind::Pointwise).filter(|_| kind == LayerKind::MatMul));
        found.map_or(&[], |(_, unroll)| unroll)
    }
}
