//! The best mapping of a layer.

mod constrained_search;
mod constraint_documents;
mod energy_bound;
mod even_mappings;
pub mod exact_search;
mod iterative_search;
mod mapping_space;
mod too_small;
mod unrolling;
