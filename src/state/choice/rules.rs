//! Named sets of rules of the model.

use fusescape_engine::rules::Rules;

/// A set of rules, with its number in links and its name in files and on the command line.
pub struct RuleSet {
    /// In links.
    pub number: u8,
    /// In files.
    pub name: &'static str,
    pub rules: Rules,
}

/// The named sets. Other rules are stored as the nearest set and the switches that differ.
pub const RULE_SETS: [RuleSet; 4] = [
    RuleSet { number: 0, name: "corrected", rules: Rules::CORRECTED },
    RuleSet { number: 1, name: "defines-2022", rules: Rules::DEFINES_2022 },
    RuleSet { number: 2, name: "zigzag-3.8", rules: Rules::ZIGZAG_3_8 },
    RuleSet { number: 3, name: "zigzag-3.9", rules: Rules::ZIGZAG_3_9 },
];

impl RuleSet {
    /// Name on the page.
    pub fn title(&self) -> &'static str {
        // A test checks that every set has a title.
        self.rules.set_name().unwrap_or_default()
    }

    /// The set from which the fewest switches differ, and the names of these switches.
    pub fn nearest(rules: &Rules) -> (&'static Self, Vec<&'static str>) {
        let others = |set: &Self| -> Vec<&'static str> {
            let pairs = rules.values_by_name().into_iter().zip(set.rules.values_by_name());
            pairs.filter(|(mine, its)| mine.1 != its.1).map(|(mine, _)| mine.0).collect()
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
