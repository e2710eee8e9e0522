//! Choices among a few: what links and files call each.

use super::cores_form::{StackChoice, TileChoice};
use super::schedule::{FuseChoice, ObjectiveChoice};
use super::view::Metric;
use super::views::{Tab, VIEWS};
use crate::depth_first::StoringMode;
use crate::multicore::{Aim, OrderRule, Scheduler};
use crate::rules::Rules;
use crate::search::Strategy;
use crate::workload::Dim;

/// A choice among a few.
pub trait Choice: Sized + PartialEq + 'static {
    /// All of them, with what files call them, in the order in which a person is told of them.
    fn names() -> Vec<(Self, &'static str)>;

    /// By what links call it. A number never changes what it means, and none is given twice.
    fn number(&self) -> u8;

    /// What has this number in links; `None` for one of a newer version.
    fn numbered(number: u8) -> Option<Self> {
        Self::names().into_iter().map(|(choice, _)| choice).find(|choice| choice.number() == number)
    }
}

/// A member of a form that is a [`Choice`] of any type.
pub trait AnyChoice {
    /// By what links call it.
    fn number(&self) -> u8;

    /// Takes what has this number in links; whether there is any.
    fn take_numbered(&mut self, number: u8) -> bool;

    /// What files call it.
    fn name(&self) -> &'static str;

    /// What files call all of them.
    fn all_names(&self) -> Vec<&'static str>;

    /// Takes the one at this place of all.
    fn take(&mut self, index: usize);
}

impl<T: Choice> AnyChoice for T {
    fn number(&self) -> u8 {
        Choice::number(self)
    }

    fn take_numbered(&mut self, number: u8) -> bool {
        let choice = Self::numbered(number);
        let is_known = choice.is_some();
        choice.into_iter().for_each(|choice| *self = choice);
        is_known
    }

    fn name(&self) -> &'static str {
        Self::names().iter().find(|(choice, _)| choice == self).map_or("", |(_, name)| name)
    }

    fn all_names(&self) -> Vec<&'static str> {
        Self::names().into_iter().map(|(_, name)| name).collect()
    }

    fn take(&mut self, index: usize) {
        Self::names().into_iter().nth(index).into_iter().for_each(|(choice, _)| *self = choice);
    }
}

impl Choice for FuseChoice {
    fn names() -> Vec<(Self, &'static str)> {
        Self::ALL.into()
    }

    fn number(&self) -> u8 {
        match self {
            Self::Automatic => 0,
            Self::SingleLayer => 1,
            Self::LayerByLayer => 2,
            Self::ByHand => 3,
        }
    }
}

impl Choice for ObjectiveChoice {
    fn names() -> Vec<(Self, &'static str)> {
        Self::ALL.into()
    }

    fn number(&self) -> u8 {
        match self {
            Self::Energy => 0,
            Self::Latency => 1,
            Self::EnergyDelayProduct => 2,
            Self::DramAccesses => 3,
            Self::MemoryAccesses => 4,
            Self::Weighted => 5,
        }
    }
}

impl Choice for StoringMode {
    fn names() -> Vec<(Self, &'static str)> {
        Self::ALL.map(|mode| (mode, mode.name())).into()
    }

    /// A power of two, as several can be chosen.
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
        // A test holds that every tab is in the list.
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

impl Choice for TileChoice {
    fn names() -> Vec<(Self, &'static str)> {
        Self::ALL.into()
    }

    fn number(&self) -> u8 {
        match self {
            Self::Rows => 0,
            Self::LayerByLayer => 1,
            Self::ByHand => 2,
        }
    }
}

impl Choice for StackChoice {
    fn names() -> Vec<(Self, &'static str)> {
        Self::ALL.into()
    }

    fn number(&self) -> u8 {
        match self {
            Self::Automatic => 0,
            Self::One => 1,
            Self::EachLayer => 2,
            Self::ByHand => 3,
        }
    }
}

impl Choice for Aim {
    fn names() -> Vec<(Self, &'static str)> {
        Self::ALL.map(|aim| (aim, aim.name())).into()
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

/// Which tile is next; `None`: whichever rule makes the best schedule.
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

/// A set of rules as a whole, with its number in links and its name in files and on the command line.
pub struct RuleSet {
    /// By what links call it.
    pub number: u8,
    /// What files call it.
    pub name: &'static str,
    /// The rules.
    pub rules: Rules,
}

/// The sets that have a name. Rules that are no set are kept as the nearest one and the switches that are otherwise.
pub const RULE_SETS: [RuleSet; 3] = [
    RuleSet { number: 0, name: "corrected", rules: Rules::CORRECTED },
    RuleSet { number: 1, name: "defines-2022", rules: Rules::DEFINES_2022 },
    RuleSet { number: 2, name: "zigzag-3.8", rules: Rules::ZIGZAG_3_8 },
];

impl RuleSet {
    /// The set from which the fewest switches differ, and the names of those.
    pub fn nearest(rules: &Rules) -> (&'static Self, Vec<&'static str>) {
        let others = |set: &Self| -> Vec<&'static str> {
            let pairs = rules.switches().into_iter().zip(set.rules.switches());
            pairs.filter(|(mine, its)| mine.2 != its.2).map(|(mine, _)| mine.0).collect()
        };
        let mut nearest = (&RULE_SETS[0], others(&RULE_SETS[0]));
        for set in &RULE_SETS[1..] {
            let others = others(set);
            if others.len() < nearest.1.len() {
                nearest = (set, others);
            }
        }
        nearest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Debug;

    fn check<T: Choice + Debug>() {
        let all = T::names();
        for (index, (choice, name)) in all.iter().enumerate() {
            assert_eq!(T::numbered(choice.number()).as_ref(), Some(choice));
            assert!(!name.is_empty() && choice.number() != u8::MAX, "{choice:?}");
            assert!(all[..index].iter().all(|(other, name_of)| other.number() != choice.number() && name_of != name));
        }
        assert!(T::numbered(u8::MAX).is_none());
    }

    #[test]
    fn every_choice_has_a_number_and_a_name_of_its_own() {
        check::<FuseChoice>();
        check::<ObjectiveChoice>();
        check::<Strategy>();
        check::<Tab>();
        check::<Metric>();
        check::<TileChoice>();
        check::<StackChoice>();
        check::<Aim>();
        check::<Scheduler>();
        check::<Option<OrderRule>>();
        check::<StoringMode>();
        check::<Dim>();
        assert!(StoringMode::ALL.iter().all(|mode| Choice::number(mode).is_power_of_two()));
        assert!(Rules::SETS.iter().all(|(_, rules)| RULE_SETS.iter().any(|set| set.rules == *rules)));
    }
}
