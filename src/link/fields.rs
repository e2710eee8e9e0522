//! The fields of links, by number. The meaning of a number and the encoding of its value are part of the format and
//! never change.
//! Fields of forms have the numbers in [`Form::FIELDS`](fusescape_state::Form::FIELDS); all others are in [`number`].

use super::packing::newer;
use fusescape_spec::Diagnostics;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Numbers of the fields outside of forms.
pub(super) mod number {
    pub const HARDWARE: u32 = 0;
    pub const WORKLOAD: u32 = 1;
    /// Written by hand, and not in force.
    pub const OWN_HARDWARE: u32 = 2;
    pub const OWN_WORKLOAD: u32 = 3;
    pub const POOL: u32 = 15;
    /// Bits: the texts that are shown.
    pub const TEXTS: u32 = 27;
    /// The layer to map.
    pub const LAYER: u32 = 28;
    /// Index of the array dimension, loop, largest number of PEs.
    pub const UNROLL: u32 = 29;
    pub const MAPPING: u32 = 30;
    /// A document of constraints on mappings.
    pub const CONSTRAINTS: u32 = 54;
    /// Entry of the gallery, by a hash of its name.
    pub const ENTRY: u32 = 31;
    /// Ends the description of the pinned design and point by the fields before it; the fields after it describe the
    /// current design as differences from the pinned one.
    pub const PIN: u32 = 32;
    /// Step of a lesson, by a hash of its name.
    pub const LESSON: u32 = 33;
    pub const SYSTEM: u32 = 36;
    /// Written by hand, and not in force.
    pub const OWN_SYSTEM: u32 = 37;
    /// A lesson with a student, or one written by hand, with its text.
    pub const EXERCISE: u32 = 52;

    /// The fields with documents.
    pub const DOCUMENTS: [u32; 9] =
        [HARDWARE, WORKLOAD, OWN_HARDWARE, OWN_WORKLOAD, POOL, SYSTEM, OWN_SYSTEM, EXERCISE, CONSTRAINTS];
}

/// A difference of a state from the baseline.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StateField {
    pub number: u32,
    pub bytes: Vec<u8>,
}

impl StateField {
    pub(super) fn new<T: Serialize>(number: u32, value: &T) -> Self {
        Self { number, bytes: bytes(value) }
    }
}

/// The encoding of a value.
pub(super) fn bytes<T: Serialize>(value: &T) -> Vec<u8> {
    // Serializing numbers and texts to memory does not fail.
    postcard::to_stdvec(value).unwrap_or_default()
}

/// Reads a value from the start of the bytes. The checksum is right, so an invalid value is from a newer version.
pub(super) fn take<T: DeserializeOwned>(from: &mut &[u8]) -> Result<T, Diagnostics> {
    let (value, rest) = postcard::take_from_bytes(from).map_err(|_| newer())?;
    *from = rest;
    Ok(value)
}

/// An encoded document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Text {
    /// The text with this hash, one that is kept for ever.
    Frozen([u8; 4]),
    /// A patch of such a text.
    Patched([u8; 4], Patch),
    /// The text itself.
    Plain(String),
}

/// A patch from one text to another, step by step. The fields of all steps are stored field by field, which compresses
/// best.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Patch {
    /// Number of bytes to insert before the copy, in every step.
    pub insertions: Vec<u32>,
    /// Start of the copy, relative to the end of the last copy plus the insertion.
    pub jumps: Vec<i32>,
    /// Number of bytes to copy.
    pub lengths: Vec<u32>,
    /// The inserted bytes of all steps.
    pub inserted: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum TileSizeField {
    /// Numbers separated by single spaces.
    List(Vec<u64>),
    /// Any other text.
    Text(String),
}

/// A point of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Point {
    /// Columns and rows; 0 for the whole map.
    pub tile: (u64, u64),
    pub mode: u8,
    pub fuse: u8,
    /// Layers after which stacks end.
    pub cuts: Vec<String>,
}

/// A mapping made by hand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Mapping {
    /// Loop and size, innermost first.
    pub order: Vec<(u8, u64)>,
    /// By operand, the number of loops up to the end of each level.
    pub ends: [Vec<u32>; 3],
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusescape_state::{AttentionForm, CoresForm, DesignTable, Form, HierarchyForm, Schedule, StudyForm, View};

    fn check<F: Form>(taken: &mut Vec<u32>) {
        let names = F::names();
        assert!(names.iter().enumerate().all(|(index, name)| !names[..index].contains(name)), "{names:?}");
        for field in F::FIELDS {
            assert!(!taken.contains(&field.number), "{} is given twice", field.number);
            taken.push(field.number);
        }
    }

    #[test]
    fn no_number_is_given_twice_and_those_left_out_are_known() {
        let mut taken = number::DOCUMENTS.to_vec();
        taken.extend([number::TEXTS, number::LAYER, number::UNROLL, number::MAPPING]);
        taken.extend([number::ENTRY, number::PIN, number::LESSON]);
        check::<Schedule>(&mut taken);
        check::<HierarchyForm>(&mut taken);
        check::<CoresForm>(&mut taken);
        check::<DesignTable>(&mut taken);
        check::<View>(&mut taken);
        check::<AttentionForm>(&mut taken);
        check::<StudyForm>(&mut taken);
        let highest = taken.iter().copied().max().unwrap_or(0);
        let free: Vec<u32> = (0..highest).filter(|number| !taken.contains(number)).collect();
        assert!(free.is_empty(), "{free:?}");
    }
}
