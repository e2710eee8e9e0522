//! Costs of a macro: area, the path that determines the clock, and the energy of an activation.

use super::adders::{active_adders, adders};
use super::circuit;
use super::{InMemory, InMemoryKind};
use enum_map::{Enum, EnumMap, enum_len};
use serde::{Deserialize, Serialize};

/// A part of a macro, beside its cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Enum, Serialize, Deserialize)]
pub enum MacroPart {
    /// Converters of inputs.
    Dac,
    /// Converters of sums.
    Adc,
    /// Multipliers, at each bit of each weight.
    Multipliers,
    /// Adding up on bit lines.
    BitLines,
    /// A tree of adders for each column.
    AdderTrees,
    /// Adders of the bits of weights (analog), or of input bits that enter together (digital), by their place.
    PlaceAdders,
    /// Adders of the cycles of an input.
    Accumulators,
}

impl MacroPart {
    /// All of them, from the inputs on. The compiler holds that none is missing.
    pub const ALL: [Self; enum_len::<Self>()] = [
        Self::Dac,
        Self::Adc,
        Self::Multipliers,
        Self::BitLines,
        Self::AdderTrees,
        Self::PlaceAdders,
        Self::Accumulators,
    ];

    /// Name of the field in files, before its unit.
    pub fn key(self) -> &'static str {
        match self {
            Self::Dac => "dacs",
            Self::Adc => "adcs",
            Self::Multipliers => "multipliers",
            Self::BitLines => "bit_lines",
            Self::AdderTrees => "adder_trees",
            Self::PlaceAdders => "place_adders",
            Self::Accumulators => "accumulators",
        }
    }

    /// For a person.
    pub fn title(self) -> &'static str {
        match self {
            Self::Dac => "DACs",
            Self::Adc => "ADCs",
            Self::Multipliers => "multipliers",
            Self::BitLines => "bit lines",
            Self::AdderTrees => "adder trees",
            Self::PlaceAdders => "adders of places",
            Self::Accumulators => "accumulators",
        }
    }
}

/// A quantity by part.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ByPart(EnumMap<MacroPart, f64>);

impl ByPart {
    /// The table of `value` for each part.
    pub fn from_fn(value: impl FnMut(MacroPart) -> f64) -> Self {
        Self(EnumMap::from_fn(value))
    }

    /// The sum over all parts.
    pub fn total(&self) -> f64 {
        self.0.values().sum()
    }

    /// Every part times a factor.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self::from_fn(|part| self[part] * factor)
    }

    /// The sum of both tables, part by part.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self::from_fn(|part| self[part] + other[part])
    }
}

impl std::ops::Index<MacroPart> for ByPart {
    type Output = f64;

    fn index(&self, part: MacroPart) -> &f64 {
        &self.0[part]
    }
}

/// The parts of a macro that work in a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MacroActivation {
    /// Columns whose sums are wanted: an average.
    pub columns: f64,
    /// Rows that inputs come down: an average.
    pub rows: f64,
    /// Rows that a column adds up.
    pub added_rows: u64,
}

impl InMemory {
    /// Bits of a sum of all rows, before the bits of an input are added up.
    fn depth(&self) -> u32 {
        self.row_count.ilog2()
    }

    /// The number of summands of different places (bits of weights, or of inputs) in each column, and their bits.
    fn places(&self) -> (u64, u64) {
        match self.kind {
            InMemoryKind::Analog { adc_bits } => (self.weight_bits, adc_bits),
            InMemoryKind::Digital => (self.input_bits, self.weight_bits + u64::from(self.depth())),
        }
    }

    /// Full adders that add them up in each column.
    fn place_adders(&self) -> f64 {
        let (count, bits) = self.places();
        if count == 1 {
            return 0.0;
        }
        bits as f64 * (count - 1) as f64 + count as f64 * (f64::from(count.ilog2()) - 0.5)
    }

    /// Bits of an accumulator; none where all bits of an input enter at once.
    fn accumulator_bits(&self) -> u64 {
        let sum = match self.kind {
            InMemoryKind::Analog { adc_bits } => adc_bits,
            InMemoryKind::Digital => u64::from(self.depth()),
        };
        if self.cycles() == 1 { 0 } else { self.activation_bits + sum + self.weight_bits }
    }

    /// Area of all macros without their cells, um2.
    pub fn area_um2(&self) -> ByPart {
        let columns = self.column_count as f64;
        let one = ByPart::from_fn(|part| match (part, self.kind) {
            (MacroPart::Adc, InMemoryKind::Analog { adc_bits }) => {
                circuit::adc_um2(adc_bits) * self.weight_bits as f64 * columns
            }
            (MacroPart::Multipliers, _) => circuit::multiplier_um2() * self.multipliers() * self.row_count as f64,
            (MacroPart::AdderTrees, InMemoryKind::Digital) => {
                let tree = adders(self.weight_bits, self.depth()) as f64;
                circuit::adder_um2() * tree * self.input_bits as f64 * columns
            }
            (MacroPart::PlaceAdders, _) => circuit::adder_um2() * self.place_adders() * columns,
            (MacroPart::Accumulators, _) => {
                (circuit::adder_um2() + circuit::register_um2()) * self.accumulator_bits() as f64 * columns
            }
            (MacroPart::Dac | MacroPart::Adc | MacroPart::BitLines | MacroPart::AdderTrees, _) => 0.0,
        });
        one.times(self.macros as f64)
    }

    /// Multipliers of a row.
    fn multipliers(&self) -> f64 {
        let inputs = match self.kind {
            InMemoryKind::Analog { .. } => 1,
            InMemoryKind::Digital => self.input_bits,
        };
        (inputs * self.weight_bits * self.column_count) as f64
    }

    /// Delays along the longest path from an input to an accumulator, ns.
    pub fn delay_ns(&self) -> ByPart {
        let (places, bits) = self.places();
        ByPart::from_fn(|part| match (part, self.kind) {
            (MacroPart::Adc, InMemoryKind::Analog { adc_bits }) => circuit::adc_ns(adc_bits, self.row_count),
            (MacroPart::Multipliers, _) => circuit::multiplier_ns(),
            (MacroPart::AdderTrees, InMemoryKind::Digital) if self.row_count > 1 => ripple_ns(self.depth(), bits - 1),
            (MacroPart::PlaceAdders, _) if places > 1 => ripple_ns(places.ilog2(), places),
            (MacroPart::Accumulators, _) if self.cycles() > 1 => {
                let entering = if places > 1 { bits + places } else { bits };
                ripple_ns(1, self.accumulator_bits() - entering)
            }
            _ => 0.0,
        })
    }

    /// The shortest period of a clock, ns.
    pub fn period_ns(&self) -> f64 {
        self.delay_ns().total()
    }

    /// Energy of one cycle of a macro, pJ.
    pub fn cycle_pj(&self, activation: &MacroActivation) -> ByPart {
        let MacroActivation { columns, rows, added_rows } = *activation;
        let all_rows = self.row_count as f64;
        let bits = self.weight_bits as f64;
        ByPart::from_fn(|part| match (part, self.kind) {
            (MacroPart::Dac, InMemoryKind::Analog { .. }) => circuit::dac_pj(self.input_bits) * rows,
            (MacroPart::Adc, InMemoryKind::Analog { adc_bits }) => circuit::adc_pj(adc_bits) * bits * columns,
            (MacroPart::BitLines, InMemoryKind::Analog { .. }) => circuit::bit_line_pj() * bits * columns * all_rows,
            // An input reaches all columns; those of a digital macro all switch.
            (MacroPart::Multipliers, InMemoryKind::Analog { .. }) => {
                circuit::multiplier_pj() * self.multipliers() * rows
            }
            (MacroPart::Multipliers, InMemoryKind::Digital) => circuit::multiplier_pj() * self.multipliers() * all_rows,
            (MacroPart::AdderTrees, InMemoryKind::Digital) => {
                let tree = active_adders(self.weight_bits, self.depth(), added_rows.min(self.row_count));
                tree.pj() * self.input_bits as f64 * columns
            }
            (MacroPart::PlaceAdders, _) => circuit::adder_pj() * self.place_adders() * columns,
            (MacroPart::Accumulators, _) => {
                (circuit::adder_pj() + circuit::register_pj()) * self.accumulator_bits() as f64 * columns
            }
            (MacroPart::Dac | MacroPart::Adc | MacroPart::BitLines | MacroPart::AdderTrees, _) => 0.0,
        })
    }

    /// Energy of one cycle of all macros, pJ, when all rows and columns are in use.
    pub fn peak_cycle_pj(&self) -> ByPart {
        let all = MacroActivation {
            columns: self.column_count as f64,
            rows: self.row_count as f64,
            added_rows: self.row_count,
        };
        self.cycle_pj(&all).times(self.macros as f64)
    }

    /// Energy of precharging local bit lines when a weight of a group replaces another, pJ; 0 where a group has one
    /// weight.
    pub fn precharge_pj(&self) -> f64 {
        let depth = self.group_depth as f64;
        if self.group_depth > 1 { circuit::precharge_pj(depth) * self.weight_bits as f64 } else { 0.0 }
    }
}

/// Delay of `depth` ripple-carry adders one after the other, the last of which carries over so many bits.
fn ripple_ns(depth: u32, bits: u64) -> f64 {
    let sums = f64::from(depth) - 1.0;
    sums * circuit::sum_ns() + circuit::carry_out_ns() + (bits as f64 - 1.0) * circuit::carry_ns()
}
