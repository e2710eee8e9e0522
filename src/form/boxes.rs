//! The memory hierarchy as boxes in rows, as far as a document describes one.

use super::is_shared_over;
use fusescape_engine::hardware::Operand;
use fusescape_spec::edit::Outline;
use fusescape_spec::read_hardware;

/// A memory in the drawing of the hierarchy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryBox {
    /// Index in the document.
    pub index: usize,
    pub name: String,
    /// Capacity of one instance, bits; 0 if it is not stated.
    pub size_bits: u64,
    /// Operands that it holds.
    pub operands: Vec<Operand>,
    /// Number of instances.
    pub instances: u64,
    /// Its row, 0 for the highest.
    pub row: usize,
    /// First and last of the columns W, I and O that it fills.
    pub columns: (usize, usize),
    is_shared_over_all: bool,
}

const ACTIVATIONS: (usize, usize) = (Operand::I as usize, Operand::O as usize);

/// All memories of a document, in its order: each below everything above it that holds one of its operands.
pub fn memory_boxes(document: &Outline) -> Vec<MemoryBox> {
    let (spec, _) = read_hardware(document.text()).both();
    let dimensions = &spec.array.dimensions;
    let mut boxes: Vec<MemoryBox> = (0..document.len("memories"))
        .map(|index| {
            let path = format!("memories[{index}]");
            let names = document.names(&format!("{path}.operands"));
            let operands = || Operand::ALL.into_iter().filter(|operand| names.contains(&operand.to_string()));
            let apart = || dimensions.iter().filter(|(name, _)| !is_shared_over(document, index, name));
            MemoryBox {
                index,
                name: document.value(&format!("{path}.name")).unwrap_or_default(),
                size_bits: spec.memories.get(index).map_or(0, |memory| memory.size_bits),
                instances: apart().fold(1, |all: u64, (_, size)| all.saturating_mul(*size)),
                row: 0,
                columns: (
                    operands().map(|operand| operand as usize).min().unwrap_or(0),
                    operands().map(|operand| operand as usize).max().unwrap_or(2),
                ),
                operands: operands().collect(),
                is_shared_over_all: apart().next().is_none(),
            }
        })
        .collect();
    set_rows(&mut boxes);
    widen(&mut boxes);
    boxes
}

fn set_rows(boxes: &mut [MemoryBox]) {
    let mut next = [0usize; 3];
    for memory in boxes.iter_mut().rev() {
        let (first, last) = memory.columns;
        memory.row = next[first..=last].iter().copied().max().unwrap_or(0);
        next[first..=last].fill(memory.row + 1);
    }
    // Registers stand together above the array.
    let lowest = next.iter().copied().max().unwrap_or(0).saturating_sub(1);
    let overlap = |a: (usize, usize), b: (usize, usize)| a.0 <= b.1 && b.0 <= a.1;
    for index in 0..boxes.len() {
        let memory = &boxes[index];
        let is_lowest_of = |operand: &Operand| !boxes[..index].iter().any(|other| other.operands.contains(operand));
        let is_free = boxes
            .iter()
            .all(|other| other.index == index || other.row <= memory.row || !overlap(memory.columns, other.columns));
        if memory.operands.iter().all(is_lowest_of) && is_free && !memory.is_shared_over_all {
            boxes[index].row = lowest;
        }
    }
}

/// A memory of I or O is widened to the other's column if that is free.
fn widen(boxes: &mut [MemoryBox]) {
    for index in 0..boxes.len() {
        let row = boxes[index].row;
        let is_alone = boxes
            .iter()
            .filter(|other| other.index != index && other.row == row)
            .all(|other| other.columns.1 < ACTIVATIONS.0);
        if boxes[index].columns.0 >= ACTIVATIONS.0 && is_alone {
            boxes[index].columns = ACTIVATIONS;
        }
    }
}
