//! Choices among a few values, with their names and numbers in links and files.

mod engine;
mod forms;
mod rules;

pub use forms::{FuseChoice, FusionPart, HierarchyObjective, ObjectiveChoice, StackChoice, TileChoice};
pub use rules::{RULE_SETS, RuleSet};

/// A choice among a few values.
pub trait Choice: Sized + PartialEq + 'static {
    /// All values with their names in files, in the order of the page.
    fn names() -> Vec<(Self, &'static str)>;

    /// The number in links. It never changes its meaning, and is never reused.
    fn number(&self) -> u8;

    /// The value with this number in links; `None` for one of a newer version.
    fn numbered(number: u8) -> Option<Self> {
        Self::names().into_iter().map(|(choice, _)| choice).find(|choice| choice.number() == number)
    }
}

/// A field of a form that is a [`Choice`] of any type.
pub trait AnyChoice {
    /// The number in links.
    fn number(&self) -> u8;

    /// Sets the value with this number in links; whether it exists.
    fn take_numbered(&mut self, number: u8) -> bool;

    /// The name in files.
    fn name(&self) -> &'static str;

    /// The names of all values in files.
    fn all_names(&self) -> Vec<&'static str>;

    /// Sets the value at this index of all.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Metric, Tab};
    use fusescape_engine::depth_first::StoringMode;
    use fusescape_engine::multicore::{OrderRule, ScheduleObjective, Scheduler};
    use fusescape_engine::rules::Rules;
    use fusescape_engine::search::Strategy;
    use fusescape_engine::workload::Dim;
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
        check::<HierarchyObjective>();
        check::<Strategy>();
        check::<Tab>();
        check::<Metric>();
        check::<TileChoice>();
        check::<FusionPart>();
        check::<StackChoice>();
        check::<ScheduleObjective>();
        check::<Scheduler>();
        check::<Option<OrderRule>>();
        check::<StoringMode>();
        check::<Dim>();
        assert!(StoringMode::ALL.iter().all(|mode| Choice::number(mode).is_power_of_two()));
        assert!(Rules::SETS.iter().all(|(_, rules)| RULE_SETS.iter().any(|set| set.rules == *rules)));
        assert!(RULE_SETS.iter().all(|set| !set.title().is_empty()));
    }
}
