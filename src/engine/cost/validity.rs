//! Validation of mappings made by hand: all errors at once, or the cost.

use super::{Amounts, Evaluator, LayerCost};
use crate::hardware::MAX_LEVELS;
use crate::mapping::{Allocation, OPERANDS, TemporalLoop};
use crate::workload::Dim;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a mapping is not valid for a layer on a core.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum MappingError {
    /// The temporal loops of a dimension do not multiply to its temporal size.
    Size {
        /// The dimension.
        dim: Dim,
        /// Product of its loops; `None` where it is beyond all bounds.
        found: Option<u64>,
        /// Size of the dimension divided by its unrolling.
        wanted: u64,
    },
    /// An operand's levels end outside the loops, or before the level below.
    Boundary {
        /// Name of the operand, for a person.
        operand: String,
        /// The level, counted from the lowest.
        level: usize,
        /// Number of loops up to and with this level.
        found: usize,
        /// The least it can be.
        least: usize,
        /// The most it can be.
        most: usize,
    },
    /// The data of some operands does not fit in a memory together.
    Overflow {
        /// The operands that meet there, each with the bits that one instance has to hold.
        operands: Vec<(String, f64)>,
        /// Name of the memory.
        memory: String,
        /// Bits that one instance has.
        available_bits: u64,
    },
}

impl fmt::Display for MappingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size { dim, found: Some(found), wanted } => {
                write!(f, "The loops of {dim} multiply to {found}, but the layer has {wanted} of it in time")
            }
            Self::Size { dim, found: None, wanted } => {
                write!(
                    f,
                    "The loops of {dim} multiply to more than can be counted; the layer has {wanted} of it in time"
                )
            }
            Self::Boundary { operand, level, found, least, most } if least == most => {
                write!(f, "Level {} of {operand} must end after all {most} loops, not after {found}", level + 1)
            }
            Self::Boundary { operand, level, found, least, most } => {
                write!(f, "Level {} of {operand} ends after {found} loops; possible is {least} to {most}", level + 1)
            }
            Self::Overflow { operands, memory, available_bits } => {
                let parts: Vec<String> =
                    operands.iter().map(|(operand, bits)| format!("{operand} {}", bytes(*bits))).collect();
                let names: Vec<&str> = operands.iter().map(|(operand, _)| operand.as_str()).collect();
                let needed: f64 = operands.iter().map(|(_, bits)| bits).sum();
                write!(
                    f,
                    "`{memory}` has {}, but {} would need {}",
                    bytes(*available_bits as f64),
                    names.join(" and "),
                    bytes(needed)
                )?;
                if parts.len() > 1 { write!(f, ": {}", parts.join(", ")) } else { Ok(()) }
            }
        }
    }
}

/// Bits as bytes, KiB or MiB, for a person.
fn bytes(bits: f64) -> String {
    let bytes = bits / 8.0;
    match bytes {
        b if b < 1024.0 => format!("{} B", (b * 10.0).round() / 10.0),
        b if b < 1024.0 * 1024.0 => format!("{:.1} KiB", b / 1024.0),
        b => format!("{:.2} MiB", b / 1024.0 / 1024.0),
    }
}

impl Evaluator<'_> {
    /// The cost of a mapping, or everything that is wrong with it.
    ///
    /// `order` is innermost first; `ends` states the number of loops after which each memory level (lowest first) of
    /// each operand (output first) ends.
    ///
    /// # Errors
    /// Loops that are not those of the layer, boundaries in the wrong order, and every memory that overflows.
    pub fn validate(
        &self,
        order: &[TemporalLoop],
        ends: &[Vec<usize>; OPERANDS],
    ) -> Result<LayerCost, Vec<MappingError>> {
        let mut flaws = self.wrong_sizes(order);
        let allocation = self.allocation(order.len(), ends, &mut flaws);
        // Amounts mean nothing before loops and boundaries are right.
        let Some(allocation) = allocation.filter(|_| flaws.is_empty()) else { return Err(flaws) };
        let merged = allocation.merge_stationary(self.problem, order);
        let amounts = Amounts::new(self.problem, order, &merged, &self.average);
        let overflows = self.overflows(&amounts);
        if overflows.is_empty() { self.evaluate(order, &allocation).ok_or(overflows) } else { Err(overflows) }
    }

    fn wrong_sizes(&self, order: &[TemporalLoop]) -> Vec<MappingError> {
        let wrong = |dim: Dim| {
            let mut sizes = order.iter().filter(|next| next.dim == dim).map(|next| next.size);
            let found = sizes.try_fold(1, u64::checked_mul);
            let wanted = self.problem.spatial.temporal_sizes[dim as usize];
            (found != Some(wanted)).then_some(MappingError::Size { dim, found, wanted })
        };
        Dim::ALL.into_iter().filter_map(wrong).collect()
    }

    fn allocation(
        &self,
        loops: usize,
        ends: &[Vec<usize>; OPERANDS],
        flaws: &mut Vec<MappingError>,
    ) -> Option<Allocation> {
        let mut allocation = Allocation { ends: [[0; MAX_LEVELS]; OPERANDS] };
        let mut complete = true;
        for (number, view) in self.problem.each_operand() {
            let mut least = 0;
            for level in 0..view.memories.len() {
                let is_top = level + 1 == view.memories.len();
                // A level without an end is one that ends at once.
                let found = ends[number].get(level).copied().unwrap_or(0);
                let lowest = if is_top { loops } else { least };
                if found < lowest || found > loops {
                    let operand = self.problem.operand_name(number).to_owned();
                    flaws.push(MappingError::Boundary { operand, level, found, least: lowest, most: loops });
                }
                least = least.max(found.min(loops));
                match u8::try_from(found) {
                    Ok(end) => allocation.ends[number][level] = end,
                    Err(_) => complete = false,
                }
            }
        }
        complete.then_some(allocation)
    }

    /// Every memory that is too small, with its operands.
    fn overflows(&self, amounts: &Amounts) -> Vec<MappingError> {
        let mut flaws = Vec::new();
        if self.problem.rules.mappings_fit_unchecked {
            return flaws;
        }
        for (memory, description) in self.problem.core.memories.iter_enumerated() {
            let mut lowest = false;
            let mut operands = Vec::new();
            for (number, view) in self.problem.each_operand() {
                if let Some(level) = view.memories.iter().position(|&id| id == memory) {
                    lowest |= level == 0;
                    operands.push((self.problem.operand_name(number).to_owned(), amounts.bits_reserved(number, level)));
                }
            }
            let available_bits = self.problem.room_bits(memory);
            let capacity = available_bits as f64;
            let may_overflow = lowest && self.problem.rules.lowest_memory_may_overflow;
            let total: f64 = operands.iter().map(|(_, bits)| bits).sum();
            if operands.iter().any(|(_, bits)| *bits > capacity) || total > capacity && !may_overflow {
                let memory = description.name.clone();
                flaws.push(MappingError::Overflow { operands, memory, available_bits });
            }
        }
        flaws
    }
}
