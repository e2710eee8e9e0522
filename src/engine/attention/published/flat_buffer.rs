//! The tensors that FLAT keeps in the buffer, and their room.

use super::machine::BYTES;
use super::{Flat, Machine, Shape};

impl Flat {
    /// Bytes that this configuration needs in the buffer: the scores of its rows once, of every other tensor its tile twice (double
    /// buffering); a tensor off the chip needs the tile of the array.
    pub fn needed_bytes(&self, shape: &Shape, machine: &Machine) -> u64 {
        let rows = self.rows(shape);
        let scores = if self.scores { BYTES * shape.keys * rows } else { 0 };
        let tensors = [(self.q, rows), (self.k, shape.keys), (self.v, shape.keys), (self.av, rows)];
        let tiles = tensors.map(|(on_chip, length)| {
            let length = if on_chip { length } else { machine.side };
            2 * BYTES * length * shape.depth
        });
        scores + tiles.iter().sum::<u64>()
    }

    /// The share of these bytes that has no room in the buffer and goes to DRAM.
    pub fn spilled(&self, shape: &Shape, machine: &Machine) -> f64 {
        1.0 - (machine.buffer_bytes as f64 / self.needed_bytes(shape, machine) as f64).min(1.0)
    }

    /// The share of one row of scores that has no room beside the tensors on the chip, while the softmax reads scores
    /// off the chip.
    pub(super) fn row_spilled(&self, shape: &Shape, machine: &Machine) -> f64 {
        let rows = self.rows(shape);
        let tensors = [(self.q, rows), (self.k, shape.keys), (self.v, shape.keys), (self.av, rows)];
        let taken: u64 =
            tensors.iter().filter(|(on_chip, _)| *on_chip).map(|(_, length)| BYTES * length * shape.depth).sum();
        let free = machine.buffer_bytes.saturating_sub(taken);
        1.0 - (free as f64 / (BYTES * shape.keys) as f64).min(1.0)
    }
}
