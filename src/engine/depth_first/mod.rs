//! DeFiNES: depth-first scheduling of a network on one core (HPCA 2023).
//!
//! A point of the design space is a tile size, an overlap storing mode and a fuse depth ([`DepthFirstStrategy`]; Section II). The six
//! steps of the unified cost model (Section III), file by file:
//!
//! 1. `stack.rs` cuts the network into [`Stack`]s: automatically (as many layers as have weights that fit), by hand,
//!    single-layer, layer-by-layer. A stack ends where a whole map is needed
//!    ([`Network::needed_whole`](crate::workload::Network::needed_whole)); through views that join, cut out, scale or
//!    pad maps a layer reads their producers ([`Network::reads`](crate::workload::Network::reads)).
//! 2. `axis.rs` back-calculates tiles. Columns and rows are independent, so each axis is followed alone: a strip is the
//!    part of every map that one column of tiles needs, computes, caches and writes. There are two ways: by extents and
//!    lags, as the tool does, or by tracking the intervals themselves, with padding and borders.
//!    `tests/engine/depth_first/tiling_by_pixels.rs` checks the latter against single pixels, views included.
//! 3. `placement.rs` chooses the top memory level of each operand of each layer-tile, with the reason why it is not
//!    lower. `residents.rs` tracks the data that is resident in memories at that moment, beside which new data has to
//!    fit. Checks: `tests/engine/depth_first/placement_by_elements.rs` against single elements, `replay.rs` beside it
//!    by running schedules. Instead of the lowest memory, the one that costs least can be chosen: `node_choices.rs`
//!    has the choices of a layer-tile, `tile_placement.rs` finds the best placement of a tile, `stack_placement.rs` that
//!    of the data that all tiles share, by the prices of `price.rs`. `best_placement.rs` beside `replay.rs` has the
//!    checks, `stack_placement/brute_force.rs` an oracle.
//! 4. `copies.rs` plans data copy actions and their port conflicts.
//! 5. `layer_tile.rs` plans one tile type layer by layer: levels, copies, and the mapping problem. `stack_planner.rs`
//!    finds the tile types of a stack, `planner.rs` keeps what points share, `problems.rs` interns the mapping
//!    problems. The result, in `plan.rs`, consists of numbers only, as a sweep makes a million plans.
//! 6. `ledger.rs` walks through a point and adds up solved problems. On the way `assemble.rs` notes the whole
//!    [`PointAccount`], `totals.rs` the sums alone ([`TotalsAssembler`]). Before problems are solved, a
//!    [`CostExpression`] adds up their lower bounds; before a stack is planned, `lower_bound.rs` finds a weaker one
//!    from the sizes of its tiles alone ([`StackLowerBound`]).
//!
//! `trace/` follows a stack tile by tile and layer by layer: the pixels that are new, kept or computed again, the data
//! that moves, and the contents of memories.
//!
//! `reasons.rs` puts into words why data lies where it does, once a person looks at a point. `stack_graph.rs` lists every stack that some
//! choice of cuts makes, or the short ones ([`StackGraph`]: arcs between order ideals of layers), for the search of
//! [`explore::StackProblem`](crate::explore::StackProblem).
//!
//! # Example
//!
//! ```
//! use fusescape_engine::depth_first::{DepthFirstStrategy, FuseDepth, Planner, StoringMode};
//! use fusescape_engine::hardware::Core;
//! use fusescape_engine::rules::Rules;
//! use fusescape_engine::search::{Limits, Strategy};
//! use fusescape_engine::workload::Network;
//! use fusescape_spec::{find_preset, hardware_presets, workload_presets};
//!
//! let core = Core::from_text(find_preset(hardware_presets(), "meta-proto-like-df")?.text)?;
//! let network = Network::from_text(find_preset(workload_presets(), "fsrcnn")?.text)?;
//! let mut planner = Planner::new(&core, &network, Rules::CORRECTED, Limits::default(), Strategy::Exact);
//! let plan = planner.plan(&DepthFirstStrategy {
//!     tile: (60, 72),
//!     mode: StoringMode::FullyCached,
//!     fuse: FuseDepth::Automatic,
//! })?;
//!
//! // The last map has 960 x 540 pixels: 16 x 8 tiles, but few types of them, and few mapping problems.
//! let tiles: u64 = plan.stacks[0].types.iter().map(|tile| tile.count).sum();
//! assert_eq!(tiles, 16 * 8);
//! assert!(plan.stacks[0].types.len() < 20);
//! assert!(planner.memory.problems.list.len() < 150);
//! # Ok::<(), fusescape_spec::Diagnostics>(())
//! ```

mod account;
mod assemble;
mod axis;
mod change;
mod copies;
mod ids;
mod layer_tile;
mod ledger;
mod lower_bound;
mod node_choices;
mod placement;
mod plan;
mod planner;
mod price;
mod problems;
mod reasons;
mod residents;
mod solved;
mod stack;
mod stack_graph;
mod stack_placement;
mod stack_planner;
mod strategy;
mod tile_placement;
mod totals;
mod trace;

pub use account::*;
pub use assemble::Assembler;
pub use change::{DataMove, MemoryChange, PointChange, Sides};
pub use copies::{CopyAction, CopyCost, CopyRoutes, Hop};
pub use ids::{NodeId, ProblemId, ReadId, StateId, StripId, TileTypeId};
pub use lower_bound::StackLowerBound;
pub use placement::{CacheDecision, Skipping};
pub use plan::{Caches, LayerTilePlan, PointPlan, ReadPlan, StackPlan, TileDecision, TilePlan};
pub use planner::{Planner, PlannerMemory};
pub use price::{KnownScore, Price, Prices, PricesByLevel};
pub use problems::{Feasibility, FeasibilityCheck, NotPlanned, Problems};
pub use solved::{BoundsByLevel, COUNTED_MEMORIES, LeastAccesses, ProblemCost};
pub use stack::{Stack, cut, cut_with_outputs};
pub use stack_graph::{EnumerationLimit, StackArc, StackEnumeration, StackGraph};
pub use strategy::{DepthFirstStrategy, FuseDepth, StoringMode};
pub use totals::{CostExpression, PointTotals, TotalsAssembler};
pub use trace::{
    Contents, ContentsPart, FlowEnd, MapWindow, OperandFlow, Rect, StackTrace, StripTrace, TraceMap, TraceRead,
    TraceSpan, TraceStep,
};
