//! A sweep: points -> unique problems -> solutions -> results.
//!
//! Planning is cheap and finds out which different mapping problems a whole sweep contains; each is solved once, in any
//! order and by any worker; a point can be assembled as soon as its problems are solved.

mod best;
mod layer;
mod request;
mod sweep;

pub use best::{Combination, best_combination, best_point, pareto_front};
pub use layer::{Cycles, LayerFacts, LayerRequest, LayerStudy, MappedLayer, MappingEdit, TemporalMapping};
pub use request::{Request, Settings};
pub use sweep::{PointSummary, StackSummary, Sweep, SweepPlan, explain_outcome, solve_all};
