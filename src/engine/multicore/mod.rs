//! Stream: computation tiles of a network on many cores, with what travels between them.
//!
//! # From documents to a schedule
//!
//! `document.rs` validates a [`CoreSystem`]: cores as hardware documents whose highest memory stands for the memory off the chip; links,
//! buses, meshes, ports. `network.rs` makes a [`LoopNest`] of every layer, also through views. [`CoresStudy`] (`study/`) is a network on
//! a system:
//!
//! 1. `granularity.rs` cuts layers into tiles and groups them into stacks (Stream, Sections 3.3 and 5.1).
//! 2. [`CoresStudy::problems`] lists every different tile on every different core. `costs.rs` solves each once, by the search for the
//!    fastest mapping, with DRAM on top of what does not fit.
//! 3. [`CoresStudy::allocate`] gives a stack's layers to cores (`study/allocation.rs`). `steady_state.rs` finds the iteration that a
//!    stack repeats (Section 5.2), `waco.rs` proves which cores compute it best (Section 5.4), `genetic.rs` is the search to compare
//!    with. Where each layer has one core, a balanced choice is a candidate, too.
//! 4. [`CoresStudy::judge`] schedules a choice of cores in the order of tiles that suits it best (`study/order.rs`, `study/verdict.rs`).
//!    [`CoresStudy::improve`] tries other cores for one layer, judged with transfers and memories.
//!
//! What comes of it is a [`SystemAccount`] (`account.rs`). WACO is a search of our own instead of a constraint solver: with one bound on
//! the length of an iteration and one on the windows of the cores, it needs some thousand choices.
//!
//! # Tiles and schedules
//!
//! A [`LoopNest`] says which elements of each tensor an iteration of a layer touches (`nest.rs`). A [`Split`] cuts its loops into a
//! [`Grid`] of tiles (`tiling.rs`), and `build.rs` makes tiles, tensors and edges of it: a [`TileGraph`]. As tiles are a grid, an axis
//! alone says which of its pieces overlap what another tile reads (`dependencies.rs`; `tests/engine/multicore.rs` compares with every pair
//! of boxes). A graph of a million tiles has nine million edges, so that an edge takes eight bytes at each end (`graph.rs`).
//!
//! [`schedule()`] is COALA (`coala.rs`; Section 4). It takes tile by tile, and places transfers on links (`traffic.rs`) and tensors in
//! memories: `contents.rs` knows what is where and how much it matters, ranked only when somebody has to leave; `occupancy.rs` how full
//! memories are, in blocks, as nearly every change is one to all that comes later; `steps.rs` what links carry. Both are searched from
//! their end, where nearly everything happens.
//!
//! [`SchedulingRules`] are those of the public tool in June 2023 and December 2024, which `tests/reference/stream.rs` replays to the
//! cycle, and what is right, of which `tests/engine/multicore.rs` holds that nothing is used twice or read before it is there.
//!
//! # Example
//!
//! ```
//! use fusescape_engine::multicore::{CoresRequest, CoresSettings, CoresStudy, Granularity, TileCosts};
//! use fusescape_spec::{find_preset, hardware_presets, system_presets};
//!
//! let study = CoresStudy::new(&CoresRequest {
//!     hardware: find_preset(hardware_presets(), "tpu-like")?.text.to_owned(),
//!     workload: "
//! name: small
//! layers:
//!   - { name: image, type: input, K: 32, size: 32 x 32 }
//!   - { name: first, type: conv, K: 32, kernel: 3 x 3, padding: 1 }
//!   - { name: second, type: conv, K: 32, kernel: 3 x 3, padding: 1 }
//! ".to_owned(),
//!     system: find_preset(system_presets(), "quad-beside")?.text.to_owned(),
//!     settings: CoresSettings { granularity: Granularity::Rows(4), ..CoresSettings::default() },
//! })?;
//!
//! // Which cores compute which layers, how fast that is, and the whole schedule.
//! let mut costs = TileCosts::default();
//! let (judged, stacks) = study.best(&mut costs)?;
//! let (_, account) = study.account(&mut costs, &stacks, &judged.choice, Some(judged.order))?;
//! assert!(stacks.iter().all(|stack| stack.found.is_proved()));
//! assert_eq!(account.latency_cycles, judged.latency_cycles);
//! assert!(account.tiles.iter().all(|tile| tile.end <= account.latency_cycles));
//! # Ok::<(), fusescape_spec::Diagnostics>(())
//! ```

mod account;
mod build;
mod coala;
mod contents;
mod costs;
mod dependencies;
mod document;
mod genetic;
mod granularity;
mod graph;
mod id_set;
mod ids;
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
mod tiling;
mod traffic;
mod waco;

pub use account::{
    CoreTime, Gap, HeldTensors, LinkTime, MemoryAccess, MemoryUse, SystemAccount, TileBill, TileRun, TransferCost,
    TransferRun,
};
pub use build::{TiledLayer, TiledNetwork, count_edges, tile_graph};
pub use coala::{Job, Order, schedule, schedule_with_contents};
pub use contents::Change;
pub use costs::{NoMapping, Solved, TileCost, TileCosts, TileProblem};
pub use document::{ComputeCore, CoreSystem};
pub use genetic::{Evolution, Genes, Objectives, evolve};
pub use graph::{Edge, Tensor, Tile, TileGraph};
pub use ids::{
    CoreId, CostId, GroupId, IterationTile, LinkId, NestId, SlotId, StackId, TensorId, TileId, TileNumber, TopMemoryId,
    TransferId,
};
pub use nest::{Access, Axis, LoopNest, Part};
pub use network::NetworkNests;
pub use request::{Aim, CoresRequest, CoresSettings, Granularity, OrderRule, Scheduler, StackRule};
pub use rules::{SchedulingRules, TilingRules};
pub use schedule::{Begin, Overfull, Placed, Reason, Schedule, Stream, SystemEnergy, Transfer};
pub use steady_state::{SteadyState, steady_state};
pub use study::{CoreChoice, CoresOutline, CoresStudy, Judged, MOST_CHOICES, StackAllocation};
pub use system::{Link, System, TopMemory};
pub use tiling::{Grid, Split};
pub use traffic::Span;
pub use waco::{Allocation, Found, Instance, Place, allocate, evaluate};
