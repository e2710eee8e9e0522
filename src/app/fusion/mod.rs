//! The view Fusion: which layers run together.

pub mod dataflows;
pub mod findings;
pub mod graph;
pub mod online;
pub mod sequence_facts;
pub mod sequence_resources;
pub mod sequences;
pub mod sweeps;
pub mod times;
pub mod view;
