//! Typed indices: a tile is no core and a core no link, though each is a number.
//!
//! A room declares its own with [`ids!`]; lists that they number are [`TiVec`]s, which take no other index. An id takes four bytes and is
//! written as its number.

pub use typed_index_collections::{TiSlice, TiVec, ti_vec};

/// Declares types of ids: `ids! { /// A core of a system. CoreId, ... }`.
macro_rules! ids {
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

            /// Those from the start to before the end of a range.
            #[inline]
            pub fn within(range: ::std::ops::Range<Self>) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
                (range.start.index()..range.end.index()).map(|index| Self(index as u32))
            }
        }

        impl From<usize> for $name {
            /// Whatever has ids is counted and refused long before there are 2^32 of it; one beyond is none that exists.
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
pub(crate) use ids;
