//! Stream: computation tiles of a network on many cores, with what travels between them.
//!
//! - [`TileGraph`]: tiles, tensors, and who waits for whom
//! - [`System`]: cores, their highest memories, and links
//! - `schedule`: COALA

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

pub use account::{CoreTime, LinkTime, MemoryUse, SystemAccount, TileRun, TransferRun};
pub use build::{TiledLayer, TiledNetwork, count_edges, tile_graph};
pub use coala::{Job, Order, schedule};
pub use costs::{NoMapping, Solved, TileCost, TileCosts, TileProblem};
pub use document::{ComputeCore, CoreSystem};
pub use genetic::{Evolution, Genes, Objectives, evolve};
pub use graph::{Edge, Tensor, Tile, TileGraph};
pub use ids::{
    CoreId, GroupId, IterationTile, LinkId, NestId, SlotId, StackId, TensorId, TileId, TileNumber, TopMemoryId,
    TransferId,
};
pub use nest::{Access, Axis, LoopNest, Part};
pub use network::NetworkNests;
pub use request::{Aim, CoresRequest, CoresSettings, Granularity, OrderRule, Scheduler, StackRule};
pub use rules::{SchedulingRules, TilingRules};
pub use schedule::{Overfull, Placed, Reason, Schedule, Stream, SystemEnergy, Transfer};
pub use steady_state::{SteadyState, steady_state};
pub use study::{CoreChoice, CoresOutline, CoresStudy, Judged, MOST_CHOICES, StackAllocation};
pub use system::{Link, System, TopMemory};
pub use tiling::{Grid, Split};
pub use traffic::Span;
pub use waco::{Allocation, Found, Instance, Place, allocate, evaluate};
