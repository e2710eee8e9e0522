//! ZigZag's generator of memory hierarchies.

mod hierarchies;
mod sram_estimates;
