//! The architecture generator (ZigZag, Section V): all valid memory hierarchies from a pool, and the best of them.
//!
//! A [`HierarchyProblem`] validates a pool of memories, a hardware document (of which it takes the PE array, its
//! unrolling and the highest memory), a network and settings, and lists every valid [`MemoryHierarchy`] with its area
//! before anything is solved; `generate.rs` states the rules. Then, in tasks that any worker may do in any order:
//!
//! - [`HierarchyProblem::bound`] gives a lower bound on the cost of a hierarchy: the cost of each operand alone on its
//!   memories.
//! - [`HierarchyProblem::search`] finds its cost, layer by layer, and prunes it as soon as a point of the front
//!   dominates it.
//!
//! An [`Exploration`] is the [`Job`](crate::job::Job) of both: the most promising first, with the running Pareto
//! [`Front`] of energy, latency and area. Where only the best is [`Sought`], it keeps that alone. Pruning changes
//! neither (`tests/engine/hierarchy/hierarchies.rs`).
//!
//! - `request.rs`, `study.rs`: the request, validated; `widths.rs`: word widths that fit; `name.rs`: names
//! - `lower_bound.rs`, `chains.rs`: lower bounds, for one hierarchy and for the few chains of memories that all share
//! - `search.rs`: the cost of a hierarchy; `exploration.rs`, `front.rs`: the job and its results; `report.rs`: reports
//! - `unrolling.rs`: other unrollings of the array (ZigZag, Fig. 20)
//!
//! # Example
//!
//! ```
//! use fusescape_engine::hierarchy::{Exploration, HierarchyProblem, HierarchyRequest, HierarchySettings};
//! use fusescape_engine::job::finish;
//! use fusescape_spec::{find_preset, hardware_presets, pool_presets, workload_presets};
//! use std::sync::Arc;
//!
//! let problem = HierarchyProblem::new(&HierarchyRequest {
//!     pool: find_preset(pool_presets(), "zigzag-65nm")?.text.to_owned(),
//!     hardware: find_preset(hardware_presets(), "zigzag-8x8")?.text.to_owned(),
//!     workload: find_preset(workload_presets(), "mobilenet-v2-study")?.text.to_owned(),
//!     settings: HierarchySettings { layers: vec!["L46".to_owned()], max_levels: 1, ..HierarchySettings::default() },
//! })?;
//!
//! let mut exploration = Exploration::of(&problem);
//! finish(&mut exploration, &mut Arc::new(problem))?;
//! // Of all hierarchies few had to be searched.
//! assert!(exploration.counts().pruned > exploration.counts().searched);
//! assert!(!exploration.front().points().is_empty());
//! # Ok::<(), fusescape_spec::Diagnostics>(())
//! ```

mod chains;
mod exploration;
mod front;
mod generate;
mod lower_bound;
mod name;
mod report;
mod request;
mod search;
mod study;
mod unrolling;
mod widths;

pub use exploration::{Exploration, ExplorationCounts, HierarchyDone, HierarchyTask};
pub use front::{Front, HierarchyCost};
pub use generate::{Element, HierarchyMemory, MemoryHierarchy};
pub use lower_bound::HierarchyLowerBound;
pub use report::{HierarchyFacts, HierarchyOverview};
pub use request::{HierarchyRequest, HierarchySettings, Sought, Widths};
pub use search::{LayerResult, SearchOutcome};
pub use study::{DistinctLayer, HierarchyProblem};
pub use unrolling::{HierarchyUnrolling, unrollings};

pub use crate::hardware::{Figures, SRAM_65NM, estimate, residuals};
