//! One mapped layer: its loop nest, its account, its loops as they turn.

mod layer;
mod loop_nest;
mod turns;

pub use layer::{OPERAND_ORDER, information_table, memories_of, port_table, stored_as};
pub use loop_nest::{LoopNests, NestColumn, NestLevel};
pub use turns::{Turns, TurnsHit};
