//! Typed ids of the things that the planner numbers.

use fusescape_model::declare_ids;

declare_ids! {
    /// A node of a stack: a layer outside whose output is read, or a layer of the stack.
    NodeId,
    /// A read: the part of one node's output that another node of the stack reads, straight or through views.
    ReadId,
    /// One of the different strips along an axis.
    StripId,
    /// The behaviour of tiles in a strip: the strip without exchanges by caches that do not exist.
    BehaviourId,
    /// One of the different mapping problems.
    ProblemId,
    /// A kind of tile of a stack: tiles that behave identically.
    TileTypeId,
    /// A stack among those that a planner has planned.
    KnownStackId,
    /// A shape of layers, for tiles of any size.
    ShapeId,
    /// A list of loops that the array unrolls.
    UnrollId,
    /// Amounts of memory that other data occupies.
    ReservedId,
    /// A state between two stacks: the set of layers that are done. 0 is the empty set.
    StateId,
}
