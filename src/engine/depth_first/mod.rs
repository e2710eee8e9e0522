//! DeFiNES: depth-first scheduling (HPCA 2023).

mod account;
mod assemble;
mod axis;
mod copies;
mod every_stack;
mod fast_map;
mod ids;
mod layer_tile;
mod placement;
mod plan;
mod planner;
mod problems;
mod reasons;
mod solved;
mod stack;
mod stack_planner;
mod strategy;
mod totals;

pub use account::*;
pub use assemble::Assembler;
pub use copies::{CopyAction, CopyCost, Hop, Ways};
pub use every_stack::{EveryStack, MOST_STACKED_LAYERS, MOST_STACKS, NotListed, StackArc};
pub use ids::{NodeId, ProblemId, StateId, StripId, TileTypeId};
pub use placement::{CacheDecision, Skipping};
pub use plan::{Caches, LayerTilePlan, PointPlan, StackPlan, TileDecision, TilePlan};
pub use planner::{Planner, PlannerMemory};
pub use problems::{Judge, NotPlanned, Problems, Verdict};
pub use solved::{ProblemCost, WATCHED};
pub use stack::{Stack, cut, cut_with_outputs};
pub use strategy::{DepthFirstStrategy, FuseDepth, StoringMode};
pub use totals::{Bill, PointTotals, Summing};
