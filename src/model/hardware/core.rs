//! The validated core.

use super::array::{ArrayDimId, ArrayDims, ArraySizes, Unroll, WideUnroll};
use super::estimate::Estimate;
use super::in_memory::InMemory;
use super::mac::MacEnergy;
use super::memory::{Memory, MemoryId};
use super::operand::Operand;
use super::vector::VectorUnit;
use crate::ids::TiVec;
use crate::sorting::sort_few_by_key;
use crate::workload::LayerKind;

/// One accelerator core: an array of PEs fed by a hierarchy of memories.
#[derive(Debug, Clone, PartialEq)]
pub struct Core {
    /// Name of the core, as its document states it.
    pub name: String,
    /// Family of spatial mappings, which a layer's own unrolling may refer to.
    pub dataflow: String,
    /// Name and size of every array dimension.
    pub array: TiVec<ArrayDimId, (String, u64)>,
    /// Array dimensions along which data moves one PE per cycle.
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
    /// The unit that computes element by element beside the array, if there is one.
    pub vector_unit: Option<VectorUnit>,
    pub(super) levels: [Vec<MemoryId>; 3],
    pub(super) unrolls: Vec<(LayerKind, Vec<Unroll>)>,
    /// Loops that its document unrolls wider than the array, by layer type.
    pub(super) wide_unrolls: Vec<(LayerKind, WideUnroll)>,
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

    /// Capacity of the highest memories on the chip together, bytes: below each operand's own highest memory, each
    /// counted once.
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

    /// The loops that the array unrolls for layers of this kind. Products of matrices, where nothing is stated for
    /// them, are unrolled as pointwise layers, which have the same loops.
    pub fn unroll(&self, kind: LayerKind) -> &[Unroll] {
        let stated = |kind: LayerKind| self.unrolls.iter().find(|(of, _)| *of == kind);
        let found = stated(kind).or_else(|| stated(LayerKind::Pointwise).filter(|_| kind == LayerKind::MatMul));
        found.map_or(&[], |(_, unroll)| unroll)
    }

    /// Whether the array computes in memory, and a layer of this kind runs there.
    pub fn in_memory_for(&self, kind: LayerKind) -> Option<&InMemory> {
        self.in_memory.as_ref().filter(|_| !kind.has_no_weights())
    }

    /// The vector unit, if the core has one and it computes layers of this kind.
    pub fn vector_unit_for(&self, kind: LayerKind) -> Option<&VectorUnit> {
        self.vector_unit.as_ref().filter(|_| kind.is_for_vector_unit())
    }

    /// Number of the memories, the first ones, that are registers of the vector unit.
    pub fn register_count(&self) -> usize {
        self.vector_unit.as_ref().map_or(0, |unit| unit.registers)
    }

    /// The dimensions over which layers of this kind are unrolled: those of the array, or the lanes of the vector unit.
    pub fn array_for(&self, kind: LayerKind) -> &ArraySizes {
        self.vector_unit_for(kind).map_or(&self.array, |unit| &unit.array)
    }

    /// The memories with estimated figures, lowest first.
    pub fn estimates(&self) -> impl Iterator<Item = (&Memory, &Estimate)> {
        self.memories.iter().filter_map(|memory| Some((memory, memory.estimate.as_ref()?)))
    }

    /// Which energies are estimates, in a line for reports; nothing where none is.
    pub fn estimate_note(&self) -> Option<String> {
        let energies = self.estimates().filter(|(_, estimate)| estimate.has_energy());
        let each: Vec<String> =
            energies.map(|(memory, estimate)| format!("{} ({})", memory.name, estimate.estimator)).collect();
        (!each.is_empty()).then(|| format!("Energies of accesses that are estimates: {}", each.join(", ")))
    }
}
