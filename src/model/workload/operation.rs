//! The operations of a vector unit on one element.

use serde::{Deserialize, Serialize};

/// An operation of a vector unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Operation {
    /// A sum or a difference.
    Add,
    /// The larger of two.
    Max,
    /// A product; with a sum it is one operation, too.
    Multiply,
    /// A quotient, or an inverse square root.
    Divide,
    /// The exponential function.
    Exp,
}

/// Number of operations.
const COUNT: usize = 5;

impl Operation {
    /// Every variant: the order of counts in [`Operations`].
    pub const ALL: [Self; COUNT] = [Self::Add, Self::Max, Self::Multiply, Self::Divide, Self::Exp];

    /// As written in documents.
    pub fn name(self) -> &'static str {
        ["add", "max", "multiply", "divide", "exp"][self as usize]
    }

    /// The operation called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.name() == name)
    }
}

/// Number of each operation in an iteration of a layer's loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Operations([u16; COUNT]);

impl Operations {
    /// A count of one for this operation, of zero for the others.
    pub fn one(operation: Operation) -> Self {
        let mut operations = Self::default();
        operations.set(operation, 1);
        operations
    }

    /// The number of times that an operation is done.
    pub fn count(&self, operation: Operation) -> u64 {
        self.0[operation as usize].into()
    }

    /// States the number of times that an operation is done.
    pub(super) fn set(&mut self, operation: Operation, count: u16) {
        self.0[operation as usize] = count;
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The operations with a number that is not 0.
    pub fn each(&self) -> impl Iterator<Item = (Operation, u64)> + use<> {
        let all = *self;
        Operation::ALL
            .into_iter()
            .map(move |operation| (operation, all.count(operation)))
            .filter(|(_, count)| *count > 0)
    }
}
