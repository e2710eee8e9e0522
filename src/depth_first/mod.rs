//! DeFiNES: depth-first scheduling (HPCA 2023).

mod account;
mod assemble;
mod axis;
mod copies;
mod layer_tile;
mod placement;
mod plan;
mod stack;
mod strategy;

pub use account::*;
pub use assemble::Assembler;
pub use copies::{CopyAction, Hop, latency_cycles};
pub use placement::CacheDecision;
pub use plan::{Caches, LayerTilePlan, Planner, PointPlan, Problems, StackPlan, TileDecision, TilePlan};
pub use stack::{Stack, cut};
pub use strategy::{DepthFirstStrategy, FuseDepth, StoringMode};
