//! Stream: computation tiles of a network on many cores, and the transfers between them.
//!
//! # From documents to a schedule
//!
//! A [`CoreSystem`](crate::system::CoreSystem) has cores, whose highest memory stands for the memory off the chip, links, buses, meshes
//! and ports. `network.rs` makes a [`LoopNest`] of every layer, also through views. [`CoresProblem`] (`study/`) is a
//! network on a system:
//!
//! 1. `granularity.rs` cuts layers into tiles and groups them into stacks (Stream, Sections 3.3 and 5.1).
//! 2. [`CoresProblem::problems`] lists every different tile on every different core. `costs.rs` solves each once, by
//!    the search for the best mapping, and adds DRAM accesses for operands that do not fit.
//! 3. [`CoresProblem::allocate`] allocates a stack's layers to cores (`study/allocation.rs`). `steady_state.rs` finds
//!    the iteration that a stack repeats (Section 5.2), `waco.rs` its optimal allocation, proved (Section 5.4),
//!    `genetic.rs` is the search to compare with. Where each layer has one core, a balanced allocation is a candidate,
//!    too.
//! 4. [`CoresProblem::evaluate`] schedules an allocation in the order of tiles that suits it best (`study/order.rs`,
//!    `study/evaluation.rs`). [`CoresProblem::improve`] is a step of a local search: it evaluates other cores for one
//!    layer, transfers and memories included.
//!
//! [`TileSearch`] (`study/tile_search.rs`) does all that for one tile size after the other, and finds the best of them.
//!
//! The result is a [`CoresAccount`] (`account.rs`). WACO is a branch-and-bound search of our own instead of a
//! constraint solver: with one lower bound on the length of an iteration and one on the windows of the cores, it needs
//! some thousand states.
//!
//! # Tiles and schedules
//!
//! A [`LoopNest`] has an affine access function for each tensor (`nest.rs`). A [`LoopCuts`] cuts its loops into a
//! [`TileGrid`] of tiles (`tiling.rs`), and `build.rs` makes tiles, tensors and edges of it: a [`TileGraph`]. As tiles
//! are a grid, each axis by itself tells which of its pieces overlap the elements that another tile reads
//! (`dependencies.rs`; `tests/engine/multicore/schedules.rs` compares with every pair of boxes). A graph of a million
//! tiles has nine million edges, so that an edge takes eight bytes at each end (`graph.rs`).
//!
//! [`schedule()`] is COALA (`coala.rs`; Section 4). It takes tile by tile, and places transfers on links (`link_occupancy.rs`) and tensors
//! in memories: `contents.rs` holds the copies of tensors with their importance, ranked only when one has to leave; `occupancy.rs` the
//! usage of memories over time, in blocks, as nearly every change is one to all that comes later; `steps.rs` the usage of links. Both are
//! searched from their end, where nearly everything happens.
//!
//! [`SchedulingRules`] are those of the public tool in June 2023 and December 2024, or the corrected ones.
//! `tests/reference/stream.rs` replays the tool to the cycle, that of 2024 in random cases, too.
//! `tests/engine/multicore/schedules.rs` checks that under the corrected rules no resource is used twice, and no tensor
//! is read before it has arrived.
//!
//! # Example
//!
//! ```
//! use fusescape_engine::multicore::{CoresProblem, CoresRequest, CoresSettings, TileCosts, TileGranularity};
//! use fusescape_spec::{find_preset, hardware_presets, system_presets};
//!
//! let problem = CoresProblem::new(&CoresRequest {
//!     hardware: find_preset(hardware_presets(), "tpu-like")?.text.to_owned(),
//!     workload: "
//! name: small
//! layers:
//!   - { name: image, type: input, K: 32, size: 32 x 32 }
//!   - { name: first, type: conv, K: 32, kernel: 3 x 3, padding: 1 }
//!   - { name: second, type: conv, K: 32, kernel: 3 x 3, padding: 1 }
//! ".to_owned(),
//!     system: find_preset(system_presets(), "quad-beside")?.text.to_owned(),
//!     settings: CoresSettings { granularity: TileGranularity::Rows(4), ..CoresSettings::default() },
//! })?;
//!
//! // Which cores compute which layers, how fast that is, and the whole schedule.
//! let mut costs = TileCosts::default();
//! let (best, stacks) = problem.best(&mut costs)?;
//! let (_, account) = problem.account(&mut costs, &stacks, &best.choice, Some(best.order))?;
//! assert!(stacks.iter().all(|stack| stack.found.is_proved()));
//! assert_eq!(account.latency_cycles, best.latency_cycles);
//! assert!(account.tiles.iter().all(|tile| tile.end <= account.latency_cycles));
//! # Ok::<(), fusescape_spec::Diagnostics>(())
//! ```

mod account;
mod build;
mod causes;
mod coala;
mod contents;
mod costs;
mod dependencies;
mod genetic;
mod granularity;
mod graph;
mod ids;
mod link_occupancy;
mod nest;
mod network;
mod occupancy;
mod request;
mod rules;
mod schedule;
mod steady_state;
mod steps;
mod study;
mod system;
mod tile_size;
mod tiling;
mod waco;

pub use crate::system::{CoreId, CoreLink, CoreTopMemory, LinkId, TopMemoryId};
pub use account::{
    ComputedTile, CoreTime, CoresAccount, Gap, HeldChange, HeldTensors, LinkTime, MemoryAccess, MemoryUsage,
    TileAccount, TransferCost, TransferRun,
};
pub use build::{CutLayer, TiledNetwork, count_edges, tile_graph};
pub use causes::{Carrier, CoreTimeCause, CoresEnergy, CoresEnergyCause, CoresPart, TransferReason};
pub use coala::{SchedulingProblem, TilePriority, schedule, schedule_with_contents};
pub use contents::ContentsChange;
pub use costs::{NoMapping, TileCost, TileCosts, TileProblem, TileSolution, tile_shape};
pub use genetic::{Evolution, Genes, Objectives, evolve};
pub use graph::{Edge, Tile, TileGraph, TileTensor};
pub use ids::{CostId, GroupId, IterationTile, NestId, SlotId, StackId, TensorId, TileId, TileNumber, TransferId};
pub use link_occupancy::TimeSpan;
pub use nest::{AccessFunction, AxisExpression, LoopNest, LoopRanges};
pub use network::NetworkNests;
pub use request::{CoresRequest, CoresSettings, OrderRule, ScheduleObjective, Scheduler, StackRule, TileGranularity};
pub use rules::{SchedulingRules, TilingRules};
pub use schedule::{
    CoresSchedule, DramStream, MemoryOverflow, Offchip, PlacedTile, StartConstraint, Transfer, TransferWaits,
};
pub use steady_state::{SteadyState, steady_state};
pub use study::{
    CoreAllocation, CoresBench, CoresDone, CoresEvaluation, CoresImprovement, CoresOverview, CoresProblem, CoresSearch,
    CoresStage, CoresTask, EvaluatedAllocation, ImprovementStep, MOST_CHOICES, SingleCore, StackAllocation,
    StackAllocations, TileBench, TileDone, TileOutcome, TilePoint, TileSearch, TileSizeCandidate, TileSizeRange,
    TileTask,
};
pub use system::System;
pub use tile_size::TileSize;
pub use tiling::{LoopCuts, TileGrid};
pub use waco::{AllocationOutcome, AllocationProblem, TileAllocation, TilePlacement, allocate, evaluate};
