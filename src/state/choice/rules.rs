//! Rules of the model, as a set that has a name.

use fusescape_engine::rules::Rules;

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
pub const RULE_SETS: [RuleSet; 4] = [
    RuleSet { number: 0, name: "corrected", rules: Rules::CORRECTED },
    RuleSet { number: 1, name: "defines-2022", rules: Rules::DEFINES_2022 },
    RuleSet { number: 2, name: "zigzag-3.8", rules: Rules::ZIGZAG_3_8 },
    RuleSet { number: 3, name: "zigzag-3.9", rules: Rules::ZIGZAG_3_9 },
];

impl RuleSet {
    /// What the page calls it.
    pub fn title(&self) -> &'static str {
        // A test holds that every set has a title.
        self.rules.set_name().unwrap_or_default()
    }

    /// The set from which the fewest switches differ, and the names of those.
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
