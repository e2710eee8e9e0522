//! Typed ids of what the planner numbers.

use fusescape_model::declare_ids;

declare_ids! {
    /// A node of a stack: a layer outside whose output is read, or a layer of the stack.
    NodeId,
    /// What one node of a stack reads of one other, straight or through views.
    ReadId,
    /// One of the different strips along an axis.
    StripId,
    /// A strip without what does not happen where there is no cache to write or read: what tiles of it do.
    BehaviourId,
    /// One of the different mapping problems.
    ProblemId,
    /// A kind of tile of a stack: tiles that behave identically.
    TileTypeId,
    /// A stack among all that a planner met.
    KnownStackId,
    /// A shape of layers, whatever their tile.
    ShapeId,
    /// A list of loops that the array unrolls.
    UnrollId,
    /// What other data takes of the memories.
    ReservedId,
    /// What is done of a network before a stack, or after it; 0 is that nothing is.
    StateId,
}
