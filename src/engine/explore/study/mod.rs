//! Studies: the outcomes of very many designs that vary along axes.
//!
//! A study document ([`StudySpec`](crate::spec::StudySpec)) names base documents, axes, constraints, quantities and objectives.
//! [`DesignSpace::new`] validates it, with the texts that it names: a [`StudyRequest`] is all that a study depends on,
//! and can be sent to any process. A [`DesignSampler`] cuts it into tasks of some hundred designs. A task depends on
//! the study and on the rows of the tasks before it, so that a study may stop after any task, resume, or run twice, to
//! the same bits.
//!
//! A [`DesignEvaluator`] finds the outcome of a design. It plans and adds up as a sweep does
//! ([`IncrementalSweep`](super::IncrementalSweep)); solutions of mapping problems are shared by content with all other
//! designs ([`StudyCosts`]): all sizes of a memory that are ample for a problem are one, and problems that do not use a
//! memory do not see it change.
//!
//! A design is a single core, or a system of many. A system is scheduled as
//! [`CoresProblem`](crate::multicore::CoresProblem) schedules it, by the allocation that it proves for each stack, in
//! tiles of the stated size or of the best that [`TileSearch`](crate::multicore::TileSearch) finds. So this room stands
//! above the systems of the papers, `multicore` among them: a study compares their results for a design, and they do
//! not depend on it.
//!
//! Constraints on quantities that need no schedule (area, capacity) are judged first. Where a study skips beaten
//! designs, lower bounds of mapping problems are added up without a search, and again after each search; a design ends
//! as soon as a row of the front dominates its bounds. Such a design is dominated itself, so that the front stays the
//! same.
//!
//! - `document.rs`: the validated study; `axis.rs`, `schedule.rs`, `constraint.rs`, `quantity.rs`: its parts
//! - `sampling.rs`: which designs, and in which order: grid, Sobol sequence, refinement around the front
//! - `evaluate.rs`: one design; `on_cores.rs`: one that is a system of cores; `costs.rs`: what designs share; `front.rs`: the Pareto front

mod axis;
mod constraint;
mod costs;
mod document;
mod evaluate;
mod front;
mod on_cores;
mod quantity;
mod sampling;
mod schedule;

pub use axis::{PathRoot, StudyAxis, Target};
pub use constraint::Constraint;
pub use costs::StudyCosts;
pub use document::{DesignSpace, StudyRequest};
pub use evaluate::{DesignEvaluator, DesignRow, DesignStatus};
pub use front::ParetoFront;
pub use quantity::DesignQuantity;
pub use sampling::{DesignBatch, DesignSampler, DesignTask};
pub use schedule::{DesignSchedule, TiledSchedule};
