//! What links are made of: numbered fields. What a number means and how its value is written is part of the format and never changes.
//!
//! Members of forms have the numbers that [`Form::FIELDS`](fusescape_state::Form::FIELDS) gives them; everything else has one of
//! [`number`].

use super::packing::newer;
use fusescape_spec::Diagnostics;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Numbers of the fields that are no member of a form.
pub(super) mod number {
    pub const HARDWARE: u32 = 0;
    pub const WORKLOAD: u32 = 1;
    /// Written by hand, and not in force.
    pub const OWN_HARDWARE: u32 = 2;
    pub const OWN_WORKLOAD: u32 = 3;
    pub const POOL: u32 = 15;
    /// Bits: which texts are shown.
    pub const TEXTS: u32 = 27;
    /// The layer that is mapped.
    pub const LAYER: u32 = 28;
    /// Index of the array dimension, loop, most PEs.
    pub const UNROLL: u32 = 29;
    pub const MAPPING: u32 = 30;
    /// A document of constraints on mappings.
    pub const CONSTRAINTS: u32 = 54;
    /// Entry of the gallery, by name.
    pub const ENTRY: u32 = 31;
    /// The design and the point that the fields before it describe are put aside; those after it describe the design at hand, by what
    /// differs from that.
    pub const PIN: u32 = 32;
    /// Step of a lesson, by name.
    pub const LESSON: u32 = 33;
    pub const SYSTEM: u32 = 36;
    /// Written by hand, and not in force.
    pub const OWN_SYSTEM: u32 = 37;
    /// A lesson of a student, or one of their own, with its text.
    pub const EXERCISE: u32 = 52;

    /// Those that hold documents.
    pub const DOCUMENTS: [u32; 9] =
        [HARDWARE, WORKLOAD, OWN_HARDWARE, OWN_WORKLOAD, POOL, SYSTEM, OWN_SYSTEM, EXERCISE, CONSTRAINTS];
}

/// One thing in which a state differs from the baseline.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Field {
    pub number: u32,
    /// Its value.
    pub bytes: Vec<u8>,
}

impl Field {
    pub(super) fn new<T: Serialize>(number: u32, value: &T) -> Self {
        Self { number, bytes: bytes(value) }
    }
}

/// Bytes of a value.
pub(super) fn bytes<T: Serialize>(value: &T) -> Vec<u8> {
    // Writing numbers and texts into memory does not fail.
    postcard::to_stdvec(value).unwrap_or_default()
}

/// Takes a value out of the bytes that begin with it. The checksum holds, so whoever wrote what is none knew a format that we do not.
pub(super) fn take<T: DeserializeOwned>(from: &mut &[u8]) -> Result<T, Diagnostics> {
    let (value, rest) = postcard::take_from_bytes(from).map_err(|_| newer())?;
    *from = rest;
    Ok(value)
}

/// A document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Text {
    /// One that is kept for ever, by its hash.
    Frozen([u8; 4]),
    /// One that is made of such a one.
    Patched([u8; 4], Patch),
    /// As it stands.
    Plain(String),
}

/// A patch that makes one text of another, step by step. Equal parts of all steps stand together, which compresses best.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Patch {
    /// Bytes to be inserted first, in every step.
    pub insertions: Vec<u32>,
    /// How far the copy starts behind where the last one and the insertion would have led.
    pub jumps: Vec<i32>,
    /// Bytes to be copied.
    pub lengths: Vec<u32>,
    /// All that is inserted.
    pub inserted: Vec<u8>,
}

/// Sizes of tiles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Sizes {
    /// Numbers with single spaces between them.
    List(Vec<u64>),
    /// As it stands.
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
    /// By operand, after how many loops each of its levels ends.
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
