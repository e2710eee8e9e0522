//! The best mapping of a layer.

mod brute_force;
mod constrained_search;
mod constraint_documents;
mod energy_bound;
mod even_mappings;
mod exact_search;
mod iterative_search;
mod mapping_space;
pub mod random_problems;
mod too_small;
mod unrolling;
