//! Typed indices: a tile is no core and a core no link, though each is a number.
//!
//! A room declares its own with [`declare_ids!`](crate::declare_ids); lists that they number are [`TiVec`]s, which take no other index. An
//! id takes four bytes and is written as its number.

use fixedbitset::FixedBitSet;
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;
pub use typed_index_collections::{TiSlice, TiVec, ti_vec};

/// A set of ids, one bit each, however many there are.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IdBitSet<K> {
    bits: FixedBitSet,
    ids: PhantomData<K>,
}

impl<K: From<usize> + Into<usize>> IdBitSet<K> {
    /// The empty set, for the first so many ids.
    pub fn with_capacity(count: usize) -> Self {
        Self { bits: FixedBitSet::with_capacity(count), ids: PhantomData }
    }

    /// Whether an id is in the set.
    #[inline]
    pub fn contains(&self, id: K) -> bool {
        self.bits.contains(id.into())
    }

    /// Adds an id.
    #[inline]
    pub fn insert(&mut self, id: K) {
        self.bits.insert(id.into());
    }

    /// Adds an id or takes it away.
    #[inline]
    pub fn set(&mut self, id: K, is_in: bool) {
        self.bits.set(id.into(), is_in);
    }

    /// Number of ids in the set.
    pub fn count(&self) -> usize {
        self.bits.count_ones(..)
    }

    /// Whether no id is in the set.
    pub fn is_empty(&self) -> bool {
        self.bits.is_clear()
    }

    /// The ids in the set, lowest first.
    pub fn iter(&self) -> impl Iterator<Item = K> + '_ {
        self.bits.ones().map(K::from)
    }

    /// The ids that are not in another set, lowest first.
    pub fn difference<'s>(&'s self, other: &'s Self) -> impl Iterator<Item = K> + 's {
        self.bits.difference(&other.bits).map(K::from)
    }

    /// Number of ids that are not in another set.
    pub fn difference_count(&self, other: &Self) -> usize {
        self.bits.difference_count(&other.bits)
    }

    /// Whether all ids are in another set, too.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.bits.is_subset(&other.bits)
    }

    /// Adds the ids of another set.
    pub fn union_with(&mut self, other: &Self) {
        self.bits.union_with(&other.bits);
    }

    /// Keeps the ids that are in another set, too.
    pub fn intersect_with(&mut self, other: &Self) {
        self.bits.intersect_with(&other.bits);
    }

    /// Takes the ids of another set away.
    pub fn difference_with(&mut self, other: &Self) {
        self.bits.difference_with(&other.bits);
    }
}

impl<K: Into<usize>> Extend<K> for IdBitSet<K> {
    fn extend<I: IntoIterator<Item = K>>(&mut self, ids: I) {
        self.bits.extend(ids.into_iter().map(K::into));
    }
}

/// A set of ids below 64, as the bits of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IdSet<K> {
    bits: u64,
    ids: PhantomData<K>,
}

impl<K> Default for IdSet<K> {
    fn default() -> Self {
        Self::of(0)
    }
}

impl<K> IdSet<K> {
    /// The set of all ids below 64.
    pub const ALL: Self = Self::of(u64::MAX);

    const fn of(bits: u64) -> Self {
        Self { bits, ids: PhantomData }
    }
}

impl<K: Copy + From<usize> + Into<usize>> IdSet<K> {
    /// Number of ids.
    pub fn len(self) -> usize {
        self.bits.count_ones() as usize
    }

    /// Whether it is empty.
    pub fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// Whether it contains an id.
    pub fn contains(self, id: K) -> bool {
        self.bits >> id.into() & 1 == 1
    }

    /// Whether it is a subset of another set.
    pub fn is_subset(self, other: Self) -> bool {
        self.bits & !other.bits == 0
    }

    /// The union with another set.
    pub fn union(self, other: Self) -> Self {
        Self::of(self.bits | other.bits)
    }

    /// The ids that are in another set, too.
    pub fn intersection(self, other: Self) -> Self {
        Self::of(self.bits & other.bits)
    }

    /// The set with one more id.
    pub fn with(self, id: K) -> Self {
        Self::of(self.bits | 1 << id.into())
    }

    /// The set without an id.
    pub fn without(self, id: K) -> Self {
        Self::of(self.bits & !(1 << id.into()))
    }

    /// All of them, lowest first.
    pub fn iter(self) -> impl Iterator<Item = K> {
        let mut left = self.bits;
        std::iter::from_fn(move || {
            let lowest = (left != 0).then(|| left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(K::from(lowest))
        })
    }
}

impl<K: Copy + From<usize> + Into<usize>> FromIterator<K> for IdSet<K> {
    fn from_iter<I: IntoIterator<Item = K>>(ids: I) -> Self {
        ids.into_iter().fold(Self::default(), Self::with)
    }
}

/// Declares types of ids: `declare_ids! { /// A core of a system. CoreId, ... }`.
#[macro_export]
macro_rules! declare_ids {
    ($($(#[$meta:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$meta])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, ::serde::Serialize, ::serde::Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(u32);

        impl $name {
            /// Its number.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The one after it.
            #[inline]
            pub const fn following(self) -> Self {
                Self(self.0 + 1)
            }

            /// The first `count` ids.
            #[inline]
            pub fn first(count: usize) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
                (0..count).map(|index| Self(index as u32))
            }

            /// Ids from the start to before the end of a range.
            #[inline]
            pub fn within(
                range: ::std::ops::Range<Self>,
            ) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
                (range.start.index()..range.end.index()).map(|index| Self(index as u32))
            }
        }

        impl From<usize> for $name {
            /// Things with ids are counted and refused long before there are 2^32 of them; an index beyond belongs to
            /// none.
            #[inline]
            fn from(index: usize) -> Self {
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }
        }

        impl From<$name> for usize {
            #[inline]
            fn from(id: $name) -> Self {
                id.index()
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(&self.0, f)
            }
        }
    )+};
}
