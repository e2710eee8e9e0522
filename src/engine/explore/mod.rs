//! Studies of a design: sweeps of depth-first schedules, optimal stacks, single layers, methods of fusion.
//!
//! # Sweeps
//!
//! A sweep goes from points to unique mapping problems to solutions to results. Two ways lead there. [`Sweep::plan`] finds out which
//! different problems a whole sweep contains; each is solved once, in any order and by any worker, and a point can be assembled as soon
//! as its problems are solved. An [`IncrementalSweep`] plans, solves and adds up one point at a time, and remembers
//! what points share: so the page draws a picture of the landscape that refines, from coarse to fine ([`coarse_to_fine`]).
//! Both give the same bits (`tests/engine/explore/incremental_sweep.rs`). A [`CostStore`] keeps costs of problems by
//! content, so that an edit of one memory solves only those problems again that may use it. A [`SweepJob`] hands the
//! points of a sweep to workers, a [`PointSearch`] the problems of one point. By the energy-delay product a point chooses
//! the mappings of its problems together, by one slope for all (`common_slope.rs`). [`best_strategy`], [`best_combination`]
//! and [`pareto_front`] say what a sweep found.
//!
//! # Which layers run together
//!
//! [`StackProblem`] knows every stack that some choice of cuts makes ([`StackGraph`](crate::depth_first::StackGraph));
//! where these are too many, the short ones and those that other methods choose (`fusion_choices.rs`). A stack costs
//! the same whatever stands around it, so each is optimised by itself, in parts that workers take in any order: every
//! tile and mode is planned without a search, and adds up lower bounds of its mapping problems (`lower_bound.rs`); they
//! are searched by ascending bound, until the bound of the next exceeds the best cost. `combine` finds the best path
//! through the graph by dynamic programming; for the energy-delay product it keeps all Pareto-optimal paths.
//!
//! [`compare_fusions`] compares methods on these runs: DeFiNES' rules, HW-Flow-Fusion's sequences, Optimus' groups, the optimum; each by
//! Optimus' bytes, too. [`fusion_step`] is one point of Optimus' sweeps of buffer, array and batch, [`OnlineProblem`]
//! its on-line variant for a design, [`PaperProblem`] the search of the paper's networks, and [`dataflow_request`]
//! rewrites a hardware document for another array and dataflow. [`find_sequences`] answers questions about
//! HW-Flow-Fusion's sequences: which there are and what they cost (`sequences.rs`), the resources that they need
//! (`sequence_requirements.rs`), and what more or less hardware changes (`resources.rs`).
//!
//! # Very many designs
//!
//! [`study`] evaluates designs that vary along axes, by one document.
//!
//! # One layer
//!
//! [`DesignLayer`] is one whole layer for a person: its best mapping, or one made by hand (a [`TemporalMapping`],
//! changed by [`MappingEdit`]s), as a [`MappedLayer`]: cost, the balance of every port, and the loop-information table.
//! [`user_mappings`] prices a mapping document, [`mapping_document`] makes one; [`user_constraints`] reads which
//! mappings a search may take.
//!
//! # Example
//!
//! ```
//! use fusescape_engine::depth_first::StoringMode;
//! use fusescape_engine::explore::{Request, Settings, Sweep, best_strategy, pareto_front, solve_all};
//! use fusescape_spec::{find_preset, hardware_presets, workload_presets};
//!
//! let sweep = Sweep::new(&Request {
//!     hardware: find_preset(hardware_presets(), "meta-proto-like-df")?.text.to_owned(),
//!     workload: find_preset(workload_presets(), "fsrcnn")?.text.to_owned(),
//!     settings: Settings { tiles_x: vec![4, 60], tiles_y: vec![72], ..Settings::default() },
//! })?;
//! let plan = sweep.plan();
//! let solutions = solve_all(&sweep, &plan, |_| {});
//! let mut assembler = sweep.assembler(&plan);
//! let mut points = Vec::new();
//! for (index, point) in plan.points.iter().enumerate() {
//!     let point = point.as_ref().map_err(Clone::clone)?;
//!     if let Some(account) = assembler.assemble(point, &|problem| solutions[problem].as_ref()) {
//!         points.push(sweep.summarize(index, &account));
//!     }
//! }
//! // Two widths in three modes. The best caches all overlap.
//! assert_eq!(points.len(), 6);
//! let best = best_strategy(&sweep.settings, &plan.strategies, &points).expect("a point");
//! assert_eq!((plan.strategies[best.point].tile, plan.strategies[best.point].mode), ((4, 72), StoringMode::FullyCached));
//! assert!(pareto_front(&points).contains(&best.point));
//! # Ok::<(), fusescape_spec::Diagnostics>(())
//! ```

mod attention;
mod best;
mod common_slope;
mod cost_store;
mod dataflows;
mod fusion_choices;
mod fusion_sweep;
mod fusions;
mod group_traffic;
mod incremental_sweep;
mod layer;
mod lower_bound;
mod neighbours;
mod online;
mod order;
mod point_search;
mod prices;
mod request;
mod resources;
mod search_times;
mod sequence_requirements;
mod sequences;
mod sizes;
mod stack_search;
mod stacks;
mod strategies;
pub mod study;
mod sweep;
mod sweep_job;
mod sweep_plan;
mod user_constraints;
mod user_mappings;

pub use attention::{
    AttentionAnswer, AttentionProblem, AttentionRequest, AttentionTiles, AttentionTrace, PublishedDataflow,
    TracedSchedule,
};
pub use best::{Combination, best_combination, best_strategy, pareto_front};
pub use cost_store::{CostStore, SearchEffort, SharedCosts};
pub use dataflows::{ARRAY_SIZES, ArrayDataflow, dataflow_request};
pub use fusion_choices::FusionMethod;
pub use fusion_sweep::{FusionStep, Grouping, SweptParameter, fusion_step};
pub use fusions::{FusionComparison, FusionResult, compare_fusions};
pub use group_traffic::{GroupTraffic, MapTraffic, TrafficUnits};
pub use incremental_sweep::IncrementalSweep;
pub use layer::{
    DesignLayer, LatencyParts, LayerFacts, LayerRequest, MappedLayer, MappingEdit, TemporalMapping, UnrollingChoice,
    UnrollingChoices,
};
pub use neighbours::{
    BestCut, CutChange, Direction, FuseKind, MOST_CUTS, Neighbour, account_of_strategy, best_cut, neighbours,
};
pub use online::{ExactDecision, GroupingTraffic, ONLINE_STEPS, OnlineDecision, OnlineProblem, online_buffer};
pub use order::{coarse_to_fine, coarsest_step};
pub use point_search::{PointSearch, SolvedProblem, SolvedProblems};
pub use request::{Request, Settings};
pub use resources::{Resource, ResourceStep, StepRun};
pub use search_times::{GroupSearch, PUBLISHED_TIMES, PaperProblem, PublishedTimes};
pub use sequence_requirements::{
    LayerRequirement, MOST_PARTITIONS, PartitionCost, ResourceRequirement, ReuseBuffers, SequencePartitions,
    SequenceRequirements, Storage,
};
pub use sequences::{
    ChainFacts, FusedRun, LayersCost, NetworkChains, PARAMETERS as SEQUENCE_PARAMETERS, Sequence, SequenceCosts,
    SequenceFinding, SequenceQuestion, Sharing, chosen_sequences, find_sequences,
};
pub use sizes::{MOST_SIZES, parse_sizes};
pub use stack_search::{StackAim, StackBench, StackDone, StackOutcome, StackSearch, StackTask};
pub use stacks::{OptimalStacks, StackLimits, StackProblem, StackRun, StrategyEffort};
pub use strategies::{MOST_STRATEGY_LPFS, StrategyFindings, ZigZagStrategy};
pub use sweep::{
    PointSummary, SolvedAlone, StackSummary, Sweep, SweepPlan, explain_outcome, solve_all, too_large_to_count,
};
pub use sweep_job::{EvaluatedPoints, PointState, ReportedPoints, SweepBench, SweepDone, SweepJob, SweepTask};
pub use user_constraints::{
    ConstrainedOptimum, ConstraintSet, Keep, LayerConstraints, UnrollConstraint, user_constraints,
};
pub use user_mappings::{mapping_document, user_mappings};
