//! Choices of the engine and of views.

use super::Choice;
use crate::{Metric, Tab, VIEWS};
use fusescape_engine::depth_first::StoringMode;
use fusescape_engine::multicore::{OrderRule, ScheduleObjective, Scheduler};
use fusescape_engine::search::Strategy;
use fusescape_engine::workload::Dim;

impl Choice for StoringMode {
    fn names() -> Vec<(Self, &'static str)> {
        Self::ALL.map(|mode| (mode, mode.name())).into()
    }

    /// A power of two, as several choices can be combined.
    fn number(&self) -> u8 {
        match self {
            Self::FullyRecompute => 1,
            Self::HCachedVRecompute => 2,
            Self::FullyCached => 4,
        }
    }
}

impl Choice for Strategy {
    fn names() -> Vec<(Self, &'static str)> {
        vec![(Self::Exact, "exact"), (Self::Loma, "loma")]
    }

    fn number(&self) -> u8 {
        match self {
            Self::Loma => 0,
            Self::Exact => 1,
        }
    }
}

impl Choice for Tab {
    fn names() -> Vec<(Self, &'static str)> {
        Self::ALL.into()
    }

    fn number(&self) -> u8 {
        // Tabs are made of the list, so each is in it.
        VIEWS.iter().find(|view| view.tab == *self).map_or(u8::MAX, |view| view.code)
    }
}

impl Choice for Metric {
    fn names() -> Vec<(Self, &'static str)> {
        let more = [Self::MemoryAccesses, Self::WeightedSum];
        Self::ALL.into_iter().chain(more).map(|metric| (metric, metric.title())).collect()
    }

    fn number(&self) -> u8 {
        match self {
            Self::Energy => 0,
            Self::Latency => 1,
            Self::EnergyDelay => 2,
            Self::DramAccesses => 3,
            Self::Macs => 4,
            Self::MemoryAccesses => 5,
            Self::WeightedSum => 6,
        }
    }
}

impl Choice for ScheduleObjective {
    fn names() -> Vec<(Self, &'static str)> {
        Self::ALL.map(|objective| (objective, objective.name())).into()
    }

    fn number(&self) -> u8 {
        match self {
            Self::Latency => 0,
            Self::Energy => 1,
            Self::EnergyDelay => 2,
        }
    }
}

impl Choice for Scheduler {
    fn names() -> Vec<(Self, &'static str)> {
        Self::ALL.map(|scheduler| (scheduler, scheduler.name())).into()
    }

    fn number(&self) -> u8 {
        match self {
            Self::Corrected => 0,
            Self::Stream2024 => 1,
            Self::Stream2023 => 2,
        }
    }
}

/// The next tile; `None` for the rule that gives the best schedule.
impl Choice for Option<OrderRule> {
    fn names() -> Vec<(Self, &'static str)> {
        let rules = OrderRule::ALL.map(|rule| (Some(rule), rule.name()));
        std::iter::once((None, "best")).chain(rules).collect()
    }

    fn number(&self) -> u8 {
        match self {
            None => 0,
            Some(OrderRule::Deepest) => 1,
            Some(OrderRule::Slots) => 2,
            Some(OrderRule::Earliest) => 3,
        }
    }
}

impl Choice for Dim {
    fn names() -> Vec<(Self, &'static str)> {
        Self::ALL.map(|dim| (dim, dim.name())).into()
    }

    fn number(&self) -> u8 {
        match self {
            Self::B => 0,
            Self::G => 1,
            Self::K => 2,
            Self::C => 3,
            Self::OY => 4,
            Self::OX => 5,
            Self::FY => 6,
            Self::FX => 7,
        }
    }
}
