//! Units as types, where numbers of different units meet: a time is no bandwidth, though each is a number.
//!
//! There is only the arithmetic that makes sense: times add up, bits over bits per cycle are a time, a time times a
//! time is nothing. Accounts have plain numbers again, with the unit in the name.
//!
//! ```
//! use fusescape_model::units::{Bits, BitsPerCycle, Cycles};
//!
//! assert_eq!(Bits(65).cycles_at(BitsPerCycle(64)), Cycles(2));
//! assert_eq!(Bits(96) / BitsPerCycle(64.0), Cycles(1.5));
//! ```
//!
//! ```compile_fail
//! # use fusescape_model::units::{Bits, Cycles};
//! let _ = Cycles(2) + Bits(65);
//! ```

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

/// A time or a span of time, in cycles; where cycles are averages, in fractions of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cycles<N = u64>(pub N);

/// An amount of data, in bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bits<N = u64>(pub N);

/// Bandwidth of a link or a port, in bits per cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BitsPerCycle<N = u64>(pub N);

macro_rules! adds_up {
    ($($name:ident),+) => {$(
        // Each forwarded, so that a comparison is that of the number itself: the derived one goes by way of an
        // `Ordering`.
        impl<N: PartialOrd> PartialOrd for $name<N> {
            #[inline]
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                self.0.partial_cmp(&other.0)
            }

            #[inline]
            fn lt(&self, other: &Self) -> bool {
                self.0 < other.0
            }

            #[inline]
            fn le(&self, other: &Self) -> bool {
                self.0 <= other.0
            }

            #[inline]
            fn gt(&self, other: &Self) -> bool {
                self.0 > other.0
            }

            #[inline]
            fn ge(&self, other: &Self) -> bool {
                self.0 >= other.0
            }
        }

        impl<N: Ord> Ord for $name<N> {
            #[inline]
            fn cmp(&self, other: &Self) -> Ordering {
                self.0.cmp(&other.0)
            }
        }

        impl<N: Add<Output = N>> Add for $name<N> {
            type Output = Self;

            #[inline]
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }

        impl<N: Sub<Output = N>> Sub for $name<N> {
            type Output = Self;

            #[inline]
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }

        impl<N: AddAssign> AddAssign for $name<N> {
            #[inline]
            fn add_assign(&mut self, other: Self) {
                self.0 += other.0;
            }
        }

        impl<N: Sum> Sum for $name<N> {
            fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
                Self(all.map(|one| one.0).sum())
            }
        }

        impl $name<f64> {
            /// None, or the beginning.
            pub const ZERO: Self = Self(0.0);

            /// At least as much, as a whole number.
            #[inline]
            pub fn rounded_up(self) -> Self {
                Self(self.0.ceil())
            }

            /// The larger one.
            #[inline]
            pub const fn max(self, other: Self) -> Self {
                Self(self.0.max(other.0))
            }

            /// The smaller one.
            #[inline]
            pub const fn min(self, other: Self) -> Self {
                Self(self.0.min(other.0))
            }
        }

        /// So many times as much.
        impl Mul<f64> for $name<f64> {
            type Output = Self;

            #[inline]
            fn mul(self, factor: f64) -> Self {
                Self(self.0 * factor)
            }
        }

        /// The quotient of both, a plain number.
        impl Div for $name<f64> {
            type Output = f64;

            #[inline]
            fn div(self, other: Self) -> f64 {
                self.0 / other.0
            }
        }

        impl Div<f64> for $name<f64> {
            type Output = Self;

            #[inline]
            fn div(self, factor: f64) -> Self {
                Self(self.0 / factor)
            }
        }
    )+};
}
adds_up!(Cycles, Bits, BitsPerCycle);

impl Cycles<f64> {
    /// Never.
    pub const INFINITY: Self = Self(f64::INFINITY);
}

impl Bits {
    /// Number of words of a width, the last one maybe in part.
    #[inline]
    pub const fn words(self, width: Self) -> u64 {
        self.0.div_ceil(width.0)
    }

    /// The whole cycles that carrying these takes.
    #[inline]
    pub const fn cycles_at(self, bandwidth: BitsPerCycle) -> Cycles {
        Cycles(self.0.div_ceil(bandwidth.0))
    }
}

/// The time of transferring these bits.
impl Div<BitsPerCycle<f64>> for Bits {
    type Output = Cycles<f64>;

    #[inline]
    fn div(self, bandwidth: BitsPerCycle<f64>) -> Cycles<f64> {
        Cycles(self.0 as f64 / bandwidth.0)
    }
}

/// The bits that are transferred in a time.
impl Mul<Cycles<f64>> for BitsPerCycle<f64> {
    type Output = Bits<f64>;

    #[inline]
    fn mul(self, time: Cycles<f64>) -> Bits<f64> {
        Bits(self.0 * time.0)
    }
}
