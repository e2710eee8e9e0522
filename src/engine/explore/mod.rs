//! A sweep: points -> unique problems -> solutions -> results.
//!
//! Two ways lead there. [`Sweep::plan`] finds out which different mapping problems a whole sweep contains; each is solved once,
//! in any order and by any worker, and a point can be assembled as soon as its problems are solved. A [`Survey`] evaluates any
//! point at once and remembers what points share, so that a picture of the landscape appears and refines.

mod best;
mod bounded;
mod dataflows;
mod fusion_sweep;
mod fusions;
mod layer;
mod online;
mod order;
mod request;
mod resources;
mod search_times;
mod sequence_needs;
mod sequences;
mod sizes;
mod stacks;
mod strategies;
mod survey;
mod sweep;

pub use best::{Combination, best_combination, best_point, pareto_front};
pub use dataflows::{ARRAY_SIZES, Dataflow, dataflow_request};
pub use fusion_sweep::{FusionStep, Grouping, Varied, fusion_step};
pub use fusions::{FusionMethod, FusionVerdict, Fusions, compare_fusions};
pub use layer::{
    Cycles, LayerFacts, LayerRequest, LayerStudy, MappedLayer, MappingEdit, TemporalMapping, UnrollingChoice,
    UnrollingChoices,
};
pub use online::{ExactDecision, Grouped, ONLINE_STEPS, OnlineDecision, OnlineStudy, online_buffer};
pub use order::{coarse_to_fine, coarsest_step};
pub use request::{Request, Settings};
pub use resources::{Resource, ResourceStep};
pub use search_times::{GroupSearch, PUBLISHED_TIMES, PaperStudy, PublishedTimes};
pub use sequence_needs::{MOST_PARTITIONS, Need, PartitionCost, Reuse, SequenceNeeds, SequencePartitions, Storage};
pub use sequences::{
    ChainFacts, Chains, FusedRun, RunCost, Sequence, SequenceCosts, SequenceFinding, SequenceQuestion, Sharing,
    chosen_sequences, find_sequences,
};
pub use sizes::{MOST_SIZES, parse_sizes};
pub use stacks::{OptimalStacks, StackLimits, StackRun, StackStudy};
pub use strategies::{MOST_STRATEGY_LPFS, StrategyFindings, ZigZagStrategy};
pub use survey::{CostStore, Effort, Survey};
pub use sweep::{PointSummary, StackSummary, Sweep, SweepPlan, explain_outcome, solve_all, too_large_to_count};
