//! The sweep over sizes of the array: +binding on arrays of R x R with the smallest buffer with which DRAM is not the
//! bottleneck.

use super::fusemax::steps;
use super::{Array, Dataflow, Machine, Replay, Rules, Shape, replay};
use crate::spec::Diagnostics;

/// Area of a multiply-accumulate, 45 nm, um2; an adder is part of it.
const MAC_AREA: f64 = 1545.0;
/// Area of a comparator, um2.
const MAX_AREA: f64 = 49.289_44;
/// Area of a divider, um2.
const DIVIDE_AREA: f64 = 23_740.937_5;

/// A machine whose buffer is as large as its arrays need.
#[derive(Debug, Clone, PartialEq)]
pub struct SizedMachine {
    /// The machine, with the enlarged buffer.
    pub machine: Machine,
    /// Factor by which the buffer was enlarged: a power of two.
    pub multiplier: u64,
    /// Areas of the arrays.
    pub area: ArrayArea,
    /// Replay of +binding on it.
    pub replay: Replay,
}

/// Areas, um2; without that of the buffer, which needs a model of SRAM.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArrayArea {
    /// Entries of the registers of a PE of the 2D array, and of the 1D array.
    pub registers: (u64, u64),
    /// The 2D array with its network.
    pub array_2d: f64,
    /// The 1D array.
    pub array_1d: f64,
}

impl ArrayArea {
    /// Arrays of `side` for queries of `depth` elements.
    pub fn of(side: u64, depth: u64) -> Self {
        let registers = (2 * heads_at_once(side, depth), 8 * heads_at_once(side, depth));
        let size = side as f64;
        let pe_2d = register_file_area(registers.0) + MAX_AREA + MAC_AREA;
        let pe_1d = register_file_area(registers.1) + MAX_AREA + MAC_AREA + DIVIDE_AREA;
        Self { registers, array_2d: size * size * pe_2d + size, array_1d: size * pe_1d }
    }
}

/// The machine of the artifact's sweep for arrays of `side`, other figures as in `like`.
///
/// # Errors
///
/// Shapes that [`replay`] refuses.
pub fn sized_for(side: u64, shape: &Shape, like: &Machine, rules: &Rules) -> Result<SizedMachine, Diagnostics> {
    let groups = (heads_at_once(side, shape.depth) / (shape.queries / side).max(1)).max(1);
    let mut multiplier = 1;
    loop {
        let buffer_bytes = 16 * side * groups * shape.depth * multiplier;
        let machine = Machine { side, buffer_bytes, ..*like };
        let replay = replay(&Dataflow::Binding, shape, &machine, rules)?;
        let of_1d: f64 =
            steps(false, shape, &machine).iter().filter(|step| step.array == Array::OneD).map(|step| step.cycles).sum();
        // With all queries in the buffer, a larger one has no effect.
        let whole = replay.tiles.is_none_or(|(_, passes)| passes == 1);
        if machine.dram_seconds(replay.dram_bytes()) <= machine.seconds(of_1d) || whole {
            return Ok(SizedMachine { machine, multiplier, area: ArrayArea::of(side, shape.depth), replay });
        }
        multiplier *= 2;
    }
}

/// a of NOTES 10.
fn heads_at_once(side: u64, depth: u64) -> u64 {
    2 * (side / depth).max(1)
}

/// um2. Fit for up to 64 entries; each doubling adds one address bit.
fn register_file_area(entries: u64) -> f64 {
    16_791.04 + 2.0 * 5.817_42 * f64::from(entries.next_power_of_two().ilog2())
}
