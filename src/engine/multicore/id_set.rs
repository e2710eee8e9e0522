//! Sets of ids as bits of a word.

use std::hash::Hash;
use std::marker::PhantomData;

/// A set of ids below 64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IdSet<Id> {
    bits: u64,
    ids: PhantomData<Id>,
}

impl<Id> Default for IdSet<Id> {
    fn default() -> Self {
        Self { bits: 0, ids: PhantomData }
    }
}

impl<Id: Copy + From<usize> + Into<usize>> IdSet<Id> {
    fn of(bits: u64) -> Self {
        Self { bits, ids: PhantomData }
    }

    /// Number of ids.
    pub fn len(self) -> usize {
        self.bits.count_ones() as usize
    }

    /// Whether it is empty.
    pub fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// Whether it contains an id.
    pub fn contains(self, id: Id) -> bool {
        self.bits >> id.into() & 1 == 1
    }

    /// Whether it is a subset of another set.
    pub fn is_within(self, other: Self) -> bool {
        self.bits & !other.bits == 0
    }

    /// The union with another set.
    pub fn union(self, other: Self) -> Self {
        Self::of(self.bits | other.bits)
    }

    /// The set with one more id.
    pub fn with(self, id: Id) -> Self {
        Self::of(self.bits | 1 << id.into())
    }

    /// The set without an id.
    pub fn without(self, id: Id) -> Self {
        Self::of(self.bits & !(1 << id.into()))
    }

    /// All of them, lowest first.
    pub fn iter(self) -> impl Iterator<Item = Id> {
        let mut left = self.bits;
        std::iter::from_fn(move || {
            let lowest = (left != 0).then(|| left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(Id::from(lowest))
        })
    }
}

impl<Id: Copy + From<usize> + Into<usize>> FromIterator<Id> for IdSet<Id> {
    fn from_iter<I: IntoIterator<Item = Id>>(ids: I) -> Self {
        ids.into_iter().fold(Self::default(), Self::with)
    }
}
