//! A state as a file that a person can read, keep and edit: YAML that holds its documents as they stand, and its choices by name.
//!
//! What stands in a file is what is in force, as in a link. Fields that are left out are as in a new session. A file is read with all that
//! is wrong at once. [`is_state`](crate::spec::is_state) tells it from documents, so whatever takes files takes it, too.

mod read;
mod write;

use super::Metric;
use crate::multicore::{OrderRule, ScheduleObjective, Scheduler};
use crate::rules::Rules;
use crate::search::Strategy;

/// The version that is written, and the newest that is read.
const VERSION: u64 = 1;
/// A longer file is not looked at, bytes; a state holds at most six documents of a MiB each.
pub const MOST_BYTES: usize = 8 << 20;

const STRATEGIES: [(Strategy, &str); 2] = [(Strategy::Exact, "exact"), (Strategy::Loma, "loma")];

/// The sets of rules, as the command line calls them.
const RULES: [(Rules, &str); 3] =
    [(Rules::CORRECTED, "corrected"), (Rules::DEFINES_2022, "defines-2022"), (Rules::ZIGZAG_3_8, "zigzag-3.8")];

const AIMS: [(ScheduleObjective, &str); 3] = [
    (ScheduleObjective::Latency, "latency"),
    (ScheduleObjective::Energy, "energy"),
    (ScheduleObjective::EnergyDelay, "edp"),
];

const SCHEDULERS: [(Scheduler, &str); 3] = [
    (Scheduler::Corrected, "corrected"),
    (Scheduler::Stream2024, "stream-2024"),
    (Scheduler::Stream2023, "stream-2023"),
];

/// Which tile is next.
const ORDERS: [(Option<OrderRule>, &str); 4] = [
    (None, "best"),
    (Some(OrderRule::Deepest), "deepest"),
    (Some(OrderRule::Slots), "slots"),
    (Some(OrderRule::Earliest), "earliest"),
];

fn metrics() -> Vec<(Metric, &'static str)> {
    let more = [Metric::MemoryAccesses, Metric::WeightedSum];
    Metric::ALL.into_iter().chain(more).map(|metric| (metric, metric.title())).collect()
}
