//! All valid hierarchies from a pool (ZigZag, Section V-B).
//!
//! Every pool memory exists in several replications: an *element*. A hierarchy gives each element to no operand, to
//! some operands together (a shared memory) or to several of them apart (up to three memories alike). It is valid if for
//! every operand
//!
//! 1. each memory is at least [`min_ratio`](super::HierarchySettings::min_ratio) times, and more than once, as large as the
//!    one below, instance by instance,
//! 2. each is shared over at least the array dimensions over which the one below is shared,
//! 3. there are at most [`max_levels`](super::HierarchySettings::max_levels), and all are smaller than the highest memory,
//!
//! and all instances of everything fit into the area. An operand may have no memory of its own at all. Memories are
//! chosen in one order, each set of them once, so that no two hierarchies are alike.

use super::request::{HierarchySettings, Widths};
use super::widths::{BandwidthDemand, choose_variants};
use crate::hardware::{ArrayDimId, ArrayDims, Core, Operand};
use crate::pool::{Pool, Replication};
use crate::sorting::sort_by_key;

/// Limit on the hierarchies of a study.
pub(super) const MOST_HIERARCHIES: usize = 2_000_000;

/// Limit on the combinations that are tried, of which most may exceed the area.
const MOST_TRIED: usize = 10 * MOST_HIERARCHIES;

/// A pool memory in one replication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Element {
    /// Index of the pool memory.
    pub memory: usize,
    /// Capacity of one instance, bits.
    pub size_bits: u64,
    /// Array dimensions over which one instance is shared; those of size 1 always are.
    pub shared_over: ArrayDims,
    /// Number of instances.
    pub instances: u64,
}

/// A memory of a hierarchy: all instances of an element that hold the same operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HierarchyMemory {
    /// Index of the element.
    pub element: u16,
    /// The operands it holds, one bit each, by [`Operand`].
    pub operands: u8,
    /// Index of the word width among the pool memory's variants.
    pub variant: u8,
}

impl HierarchyMemory {
    /// Whether it holds `operand`.
    pub fn holds(self, operand: Operand) -> bool {
        self.operands >> operand as u8 & 1 == 1
    }
}

/// One hierarchy: its memories below the highest, smallest first.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryHierarchy {
    /// The memories that were chosen from the pool.
    pub memories: Vec<HierarchyMemory>,
    /// Area of all instances of them, of the PEs and of the highest memory, as far as it is stated, um2.
    pub area_um2: f64,
}

/// All ways to give an element to operands: disjoint sets of them, one bit per operand.
const SHARINGS: [&[u8]; 15] = [
    &[],
    &[0b001],
    &[0b010],
    &[0b100],
    &[0b011],
    &[0b101],
    &[0b110],
    &[0b111],
    &[0b001, 0b010],
    &[0b001, 0b100],
    &[0b010, 0b100],
    &[0b001, 0b110],
    &[0b010, 0b101],
    &[0b100, 0b011],
    &[0b001, 0b010, 0b100],
];

/// Every pool memory in every replication, smallest first, of equals the one with the most instances.
pub(super) fn elements(pool: &Pool, core: &Core) -> Vec<Element> {
    let all: ArrayDims = core.array.keys().collect();
    let ones: ArrayDims = core.array.keys().filter(|&dim| core.array[dim].1 == 1).collect();
    let highest_bits = core.memories[core.top(Operand::O)].size_bits;
    let mut elements: Vec<Element> = Vec::new();
    for (memory, description) in pool.memories.iter().enumerate().filter(|(_, m)| m.size_bits < highest_bits) {
        for replication in &description.replication {
            let sets: Vec<ArrayDims> = match replication {
                Replication::PerPe => vec![ones],
                Replication::PerDimension => core.array.keys().map(|dim| all.without(dim).union(ones)).collect(),
                Replication::Shared => vec![all],
            };
            for shared_over in sets {
                let size_bits = description.size_bits;
                let apart = |dim: &ArrayDimId| !shared_over.contains(*dim);
                let instances = core.array.keys().filter(apart).map(|dim| core.array[dim].1).product();
                let element = Element { memory, size_bits, shared_over, instances };
                if !elements.contains(&element) {
                    elements.push(element);
                }
            }
        }
    }
    sort_by_key(&mut elements, |element| (element.size_bits, std::cmp::Reverse(element.instances)));
    elements
}

/// Why there is no list of hierarchies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooMany;

/// All valid hierarchies, in the order in which their elements are chosen: first without any.
pub(super) fn generate(
    pool: &Pool,
    elements: &[Element],
    settings: &HierarchySettings,
    demand: &BandwidthDemand,
    other_area_um2: f64,
) -> Result<Vec<MemoryHierarchy>, TooMany> {
    let mut generator = Generator {
        pool,
        elements,
        settings,
        demand,
        budget_um2: settings.budget_um2.unwrap_or(f64::INFINITY),
        other_area_um2,
        chosen: Vec::new(),
        tried: 0,
        found: Vec::new(),
    };
    let chains = [OperandChain::default(); 3];
    generator.descend(0, chains, other_area_um2)?;
    Ok(generator.found)
}

/// The last memory that was added to an operand's chain.
#[derive(Clone, Copy, Default)]
struct OperandChain {
    levels: usize,
    size_bits: u64,
    shared_over: ArrayDims,
}

struct Generator<'a> {
    pool: &'a Pool,
    elements: &'a [Element],
    settings: &'a HierarchySettings,
    demand: &'a BandwidthDemand,
    budget_um2: f64,
    other_area_um2: f64,
    chosen: Vec<HierarchyMemory>,
    tried: usize,
    found: Vec<MemoryHierarchy>,
}

impl Generator<'_> {
    /// Decides about element number `index` and all after it; `least_um2` is the least area of those chosen before.
    fn descend(&mut self, index: usize, chains: [OperandChain; 3], least_um2: f64) -> Result<(), TooMany> {
        if least_um2 > self.budget_um2 {
            return Ok(());
        }
        // Elements are sorted by size, so that memories are only ever added above those of a chain.
        let Some(element) = self.elements.get(index) else { return self.take() };
        for sharing in SHARINGS {
            let mut longer = chains;
            let taken = sharing.iter().fold(0, |all, set| all | set);
            let fits = (0..3).filter(|operand| taken >> operand & 1 == 1).all(|operand| {
                let chain = &mut longer[operand];
                let fits = self.may_follow(element, chain);
                *chain = OperandChain {
                    levels: chain.levels + 1,
                    size_bits: element.size_bits,
                    shared_over: element.shared_over,
                };
                fits
            });
            if !fits {
                continue;
            }
            let before = self.chosen.len();
            let place = |&operands: &u8| HierarchyMemory { element: index as u16, operands, variant: 0 };
            self.chosen.extend(sharing.iter().map(place));
            // The smallest word width counts, so that the bound on the area holds for all of them.
            let least = sharing.len() as f64 * self.least_area_um2(element);
            self.descend(index + 1, longer, least_um2 + least)?;
            self.chosen.truncate(before);
        }
        Ok(())
    }

    fn may_follow(&self, element: &Element, chain: &OperandChain) -> bool {
        let grows = element.size_bits > chain.size_bits
            && element.size_bits >= chain.size_bits.saturating_mul(self.settings.min_ratio);
        chain.levels < self.settings.max_levels && grows && chain.shared_over.is_subset(element.shared_over)
    }

    fn least_area_um2(&self, element: &Element) -> f64 {
        let variants = &self.pool.memories[element.memory].variants;
        let least = variants.iter().map(|variant| variant.figures.area_um2).fold(f64::INFINITY, f64::min);
        least * element.instances as f64
    }

    /// Number of combinations of word widths in which the chosen memories are tried.
    fn assignments(&self) -> usize {
        match self.settings.widths {
            Widths::Fitting => 1,
            Widths::All => self.chosen.iter().fold(1, |all: usize, placed| {
                let memory = self.elements[placed.element as usize].memory;
                all.saturating_mul(self.pool.memories[memory].variants.len())
            }),
        }
    }

    /// Adds the chosen memories as hierarchies, in all word widths that are tried.
    fn take(&mut self) -> Result<(), TooMany> {
        let area = |placed: &HierarchyMemory| {
            let element = self.elements[placed.element as usize];
            let variant = &self.pool.memories[element.memory].variants[placed.variant as usize];
            variant.figures.area_um2 * element.instances as f64
        };
        self.tried = self.tried.saturating_add(self.assignments());
        if self.tried > MOST_TRIED {
            return Err(TooMany);
        }
        for memories in choose_variants(self.settings.widths, self.pool, self.elements, &self.chosen, self.demand) {
            let area_um2 = self.other_area_um2 + memories.iter().map(area).sum::<f64>();
            if area_um2 <= self.budget_um2 {
                self.found.push(MemoryHierarchy { memories, area_um2 });
            }
        }
        if self.found.len() > MOST_HIERARCHIES { Err(TooMany) } else { Ok(()) }
    }
}
