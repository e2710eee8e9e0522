//! One mapped layer: its loop nest, its account, its loops, step by step.

mod layer;
mod loop_nest;
mod trace;

pub use layer::{OPERAND_ORDER, information_table, memories_of, port_table, stored_as};
pub use loop_nest::{LoopNests, NestColumn, NestLevel};
pub use trace::{LoopHit, LoopStep};
