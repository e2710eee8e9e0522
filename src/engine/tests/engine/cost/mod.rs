//! One mapped layer on one core: traffic, use of memories, and costs.

mod arrays_and_buffers;
mod causes;
mod continued_sums;
mod in_memory;
pub mod layer_by_elements;
mod loop_information;
mod physics;
mod rows_of_products;
mod rules;
mod trace;
mod vector_unit;
