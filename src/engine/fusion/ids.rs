//! Ids of the things that are numbered in a network of operators.

use fusescape_model::declare_ids;

declare_ids! {
    /// An operator; the operators whose outputs it reads have lower ids.
    OperatorId,
    /// A feature map: [`NETWORK_INPUT`], or the output of an operator.
    MapId,
    /// A map of a group, by its place among them.
    GroupMap,
    /// An order ideal, by its place in [`super::Ideals`]; the first is the empty set.
    IdealId,
}

/// The map that the network reads.
pub const NETWORK_INPUT: MapId = MapId(0);

impl OperatorId {
    /// The map that it writes.
    #[inline]
    pub const fn output(self) -> MapId {
        MapId(self.0 + 1)
    }
}

impl IdealId {
    /// No operator.
    pub const EMPTY: Self = Self(0);
}

impl MapId {
    /// The operator that writes it; none for inputs of the network.
    #[inline]
    pub fn writer(self) -> Option<OperatorId> {
        self.0.checked_sub(1).map(OperatorId)
    }
}
