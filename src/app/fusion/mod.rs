//! The view Fusion: the groups of layers that run together.
//!
//! - `view`, `graph`, `findings`: methods side by side on the network's graph ([`crate::explore::compare_fusions`])
//! - `sweeps`, `online`, `dataflows`: the effect of another buffer, array, batch or dataflow. Each worker keeps an
//!   [`OnlineProblem`](crate::explore::OnlineProblem), so that a move of the slider is one question, and the next one
//!   is asked when it is answered
//! - `times`: the time to find the groups of the paper's networks, by the clock that only a worker has
//!   ([`crate::question::TimeSearch`])
//! - `numbers`: explanations of the numbers shown
//! - `sequences`, `sequence_facts`, `sequence_resources`: HW-Flow-Fusion in its own terms

pub mod dataflows;
pub mod findings;
pub mod graph;
pub mod numbers;
pub mod online;
pub mod sequence_facts;
pub mod sequence_resources;
pub mod sequences;
pub mod sweeps;
pub mod times;
pub mod view;

pub use view::view;
