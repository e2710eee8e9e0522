//! Studies of a design.

mod bad_input;
mod designs;
mod optimal_stacks;
mod survey;
mod system_designs;
