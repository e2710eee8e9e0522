//! Sets of few things, as bits.

use std::hash::Hash;
use std::marker::PhantomData;

/// Some of at most 64 things that ids of one type number.
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

    /// How many there are.
    pub fn len(self) -> usize {
        self.bits.count_ones() as usize
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// Whether one is among them.
    pub fn contains(self, id: Id) -> bool {
        self.bits >> id.into() & 1 == 1
    }

    /// Whether all are in another set, too.
    pub fn is_within(self, other: Self) -> bool {
        self.bits & !other.bits == 0
    }

    /// Those of both sets.
    pub fn union(self, other: Self) -> Self {
        Self::of(self.bits | other.bits)
    }

    /// These and one more.
    pub fn with(self, id: Id) -> Self {
        Self::of(self.bits | 1 << id.into())
    }

    /// These without one.
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
