//! The numbers by which links call things. A number never changes what it means, and none is given twice.

use super::frozen::fnv_1a;
use crate::depth_first::StoringMode;
use crate::multicore::{OrderRule, ScheduleObjective, Scheduler};
use crate::rules::Rules;
use crate::search::Strategy;
use crate::state::{FuseChoice, Metric, ObjectiveChoice, StackChoice, Tab, TileChoice};
use crate::workload::Dim;

/// Numbers and what they stand for.
pub(super) type Codes<T> = &'static [(u8, T)];

pub(super) const TABS: Codes<Tab> = &Tab::CODES;

pub(super) const METRICS: Codes<Metric> = &[
    (0, Metric::Energy),
    (1, Metric::Latency),
    (2, Metric::EnergyDelay),
    (3, Metric::DramAccesses),
    (4, Metric::Macs),
    (5, Metric::MemoryAccesses),
    (6, Metric::WeightedSum),
];

/// Powers of two, as several can be chosen.
pub(super) const MODES: Codes<StoringMode> =
    &[(1, StoringMode::FullyRecompute), (2, StoringMode::HCachedVRecompute), (4, StoringMode::FullyCached)];

pub(super) const FUSE: Codes<FuseChoice> =
    &[(0, FuseChoice::Automatic), (1, FuseChoice::SingleLayer), (2, FuseChoice::LayerByLayer), (3, FuseChoice::ByHand)];

pub(super) const OBJECTIVES: Codes<ObjectiveChoice> = &[
    (0, ObjectiveChoice::Energy),
    (1, ObjectiveChoice::Latency),
    (2, ObjectiveChoice::EnergyDelayProduct),
    (3, ObjectiveChoice::DramAccesses),
    (4, ObjectiveChoice::MemoryAccesses),
    (5, ObjectiveChoice::Weighted),
];

pub(super) const STRATEGIES: Codes<Strategy> = &[(0, Strategy::Loma), (1, Strategy::Exact)];

pub(super) const RULES: Codes<Rules> = &[(0, Rules::CORRECTED), (1, Rules::DEFINES_2022), (2, Rules::ZIGZAG_3_8)];

pub(super) const DIMS: Codes<Dim> =
    &[(0, Dim::B), (1, Dim::G), (2, Dim::K), (3, Dim::C), (4, Dim::OY), (5, Dim::OX), (6, Dim::FY), (7, Dim::FX)];

pub(super) const TILES: Codes<TileChoice> =
    &[(0, TileChoice::Rows), (1, TileChoice::LayerByLayer), (2, TileChoice::ByHand)];

pub(super) const STACKS: Codes<StackChoice> =
    &[(0, StackChoice::Automatic), (1, StackChoice::One), (2, StackChoice::EachLayer), (3, StackChoice::ByHand)];

pub(super) const AIMS: Codes<ScheduleObjective> =
    &[(0, ScheduleObjective::Latency), (1, ScheduleObjective::Energy), (2, ScheduleObjective::EnergyDelay)];

pub(super) const SCHEDULERS: Codes<Scheduler> =
    &[(0, Scheduler::Corrected), (1, Scheduler::Stream2024), (2, Scheduler::Stream2023)];

pub(super) const ORDERS: Codes<Option<OrderRule>> =
    &[(0, None), (1, Some(OrderRule::Deepest)), (2, Some(OrderRule::Slots)), (3, Some(OrderRule::Earliest))];

/// The number of something.
pub(super) fn code<T: PartialEq>(codes: Codes<T>, value: &T) -> u8 {
    // A test holds that everything has one.
    codes.iter().find(|(_, other)| other == value).map_or(u8::MAX, |(code, _)| *code)
}

/// What has this number.
pub(super) fn meant<T: Clone>(codes: Codes<T>, code: u8) -> Option<T> {
    codes.iter().find(|(other, _)| *other == code).map(|(_, value)| value.clone())
}

/// The name of a switch of the rules, in short.
pub(super) fn short_name(name: &str) -> [u8; 2] {
    let [a, b, c, d] = fnv_1a(name.as_bytes()).to_le_bytes();
    [a ^ c, b ^ d]
}

/// The name of an entry of the gallery or of a step of a lesson, in short.
pub(super) fn entry_name(id: &str) -> [u8; 4] {
    fnv_1a(id.as_bytes()).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{gallery_presets, lesson_steps};

    #[test]
    fn everything_has_a_number() {
        assert!(Tab::ALL.iter().all(|(tab, _)| code(TABS, tab) != u8::MAX));
        let metrics = [Metric::MemoryAccesses, Metric::WeightedSum];
        assert!(Metric::ALL.iter().chain(&metrics).all(|metric| code(METRICS, metric) != u8::MAX));
        assert!(StoringMode::ALL.iter().all(|mode| code(MODES, mode).is_power_of_two()));
        assert!(FuseChoice::ALL.iter().all(|(fuse, _)| code(FUSE, fuse) != u8::MAX));
        assert!(ObjectiveChoice::ALL.iter().all(|(objective, _)| code(OBJECTIVES, objective) != u8::MAX));
        assert!(Rules::SETS.iter().all(|(_, rules)| code(RULES, rules) != u8::MAX));
        assert!(TileChoice::ALL.iter().all(|(tiles, _)| code(TILES, tiles) != u8::MAX));
        assert!(StackChoice::ALL.iter().all(|(stacks, _)| code(STACKS, stacks) != u8::MAX));
        assert!(ScheduleObjective::ALL.iter().all(|aim| code(AIMS, aim) != u8::MAX));
        assert!(Scheduler::ALL.iter().all(|scheduler| code(SCHEDULERS, scheduler) != u8::MAX));
        assert!(OrderRule::ALL.iter().all(|order| code(ORDERS, &Some(*order)) != u8::MAX));
        assert!(Dim::ALL.iter().all(|dim| code(DIMS, dim) != u8::MAX));
    }

    #[test]
    fn no_two_short_names_are_equal() {
        let mut switches: Vec<_> = Rules::CORRECTED.switches().iter().map(|(name, ..)| short_name(name)).collect();
        let mut entries: Vec<_> = gallery_presets().iter().map(|entry| entry_name(entry.id)).collect();
        entries.extend(lesson_steps().iter().map(|id| entry_name(id)));
        let counts = (switches.len(), entries.len());
        switches.sort_unstable();
        switches.dedup();
        entries.sort_unstable();
        entries.dedup();
        assert_eq!((switches.len(), entries.len()), counts);
    }
}
