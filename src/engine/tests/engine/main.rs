//! What the engine promises, a subject a file. One program, as each takes seconds to link.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod arrays_and_buffers;
mod attention;
mod bad_input;
mod case_study_1;
mod causes;
mod constrained_search;
mod constraint_documents;
mod cores;
mod documents;
mod exact_search;
mod fusion;
mod hierarchies;
mod interlayer;
mod layer_by_elements;
mod loop_information;
mod mapping_documents;
mod mapping_space;
mod multi_tiling;
mod multicore;
mod online;
mod optimal_stacks;
mod own_mapping;
mod placement_by_elements;
mod reasons;
mod rules;
mod schedule_by_cycles;
mod sequences;
mod stack_by_elements;
mod stacks;
mod survey;
mod systems;
mod tiling_by_pixels;
mod unrolling;
mod vector_unit;
mod view_by_elements;
