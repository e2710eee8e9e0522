//! The architecture generator (ZigZag, Section V): all valid memory hierarchies from a pool, and the best of them.
//!
//! A [`Study`] validates three documents: a pool of memories, a hardware document of which it takes the PE array, its
//! unrolling and the highest memory, and a network. It lists every valid [`Hierarchy`] before anything is solved. Then, step by
//! step and in any order, by anyone: [`Study::bound`] what a hierarchy costs at least, and [`Study::search`] it unless
//! what is found already beats that. An [`Exploration`] keeps the account: what is left to do, and the running
//! [`Front`] of energy, latency and area. Leaving a hierarchy out never changes the front.

mod bound;
mod estimate;
mod exploration;
mod front;
mod generate;
mod name;
mod pool;
mod report;
mod request;
mod search;
mod study;
mod unrolling;
mod widths;

pub use bound::Bound;
pub use estimate::{SRAM_65NM, estimate, residuals};
pub use exploration::{Counts, Exploration, Stage};
pub use front::{Front, Point};
pub use generate::{Element, Hierarchy, Placed};
pub use pool::{Figures, Pool, PoolMemory, Replication, Variant};
pub use report::{HierarchyFacts, StudyOutline};
pub use request::{HierarchyRequest, HierarchySettings, Widths};
pub use search::{LayerResult, Verdict};
pub use study::{Study, StudyLayer};
pub use unrolling::{Unrolling, unrollings};
