//! What is numbered in a system of cores.

use crate::declare_ids;

declare_ids! {
    /// A core of a system. DRAM counts as one that does not compute.
    CoreId,
    /// A memory of a system: the highest of a core for some operands, maybe shared by cores, or DRAM. Not to be mixed up with
    /// [`MemoryId`](crate::hardware::MemoryId), a memory of one core.
    TopMemoryId,
    /// A link of a system.
    LinkId,
}
