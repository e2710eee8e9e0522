//! How the designs of a study are scheduled: fields as documents have them, and the settings that they mean.

use crate::depth_first::{FuseDepth, StoringMode};
use crate::explore::{Settings, parse_sizes};
use crate::rules::Rules;
use crate::search::{Objective, Strategy};
use crate::spec::edit::Outline;
use crate::spec::{AxisValue, closest, names_in};

/// All of a map: tiles beyond it mean the whole.
const WHOLE: &str = "whole";

/// The sets of rules, as the command line calls them.
const RULES: [(&str, Rules); 4] = [
    ("corrected", Rules::CORRECTED),
    ("defines-2022", Rules::DEFINES_2022),
    ("zigzag-3.8", Rules::ZIGZAG_3_8),
    ("zigzag-3.9", Rules::ZIGZAG_3_9),
];

/// One whole map at a time, overlap cached, stacks by DeFiNES' rule, mappings for the least energy.
pub(super) fn default_settings() -> Settings {
    Settings {
        tiles_x: vec![u64::MAX],
        tiles_y: vec![u64::MAX],
        modes: vec![StoringMode::FullyCached],
        ..Settings::default()
    }
}

/// Changes one field of the settings.
///
/// # Errors
/// Reason and remedy.
pub(super) fn set(settings: &mut Settings, field: &str, value: &AxisValue) -> Result<(), (String, String)> {
    let words = words(value);
    match field {
        "columns" => settings.tiles_x = sizes(&words)?,
        "rows" => settings.tiles_y = sizes(&words)?,
        "modes" => {
            let modes = StoringMode::ALL.map(|mode| (mode.name(), mode));
            settings.modes = words.iter().map(|word| one_of(word, &modes)).collect::<Result<_, _>>()?;
        }
        "stacks" => {
            settings.fuse = vec![match words.as_slice() {
                [word] if word == "auto" => FuseDepth::Automatic,
                [word] if word == "single-layer" => FuseDepth::SingleLayer,
                [word] if word == "layer-by-layer" => FuseDepth::LayerByLayer,
                [word] if matches!(value, AxisValue::Single(_)) => {
                    FuseDepth::Cuts(names_in(word).into_iter().map(|(name, _)| name).collect())
                }
                _ => FuseDepth::Cuts(words),
            }];
        }
        "objective" => {
            let objectives = [
                ("energy", Objective::Energy),
                ("latency", Objective::Latency),
                ("edp", Objective::EnergyDelayProduct),
                ("dram-accesses", Objective::DramAccesses),
            ];
            settings.objective = one_of(value.text(), &objectives)?;
        }
        "search" => {
            settings.strategy = one_of(value.text(), &[("exact", Strategy::Exact), ("loma", Strategy::Loma)])?;
        }
        "lpf_limit" => {
            let wrong = || (format!("`{}` is no LPF limit", value.text()), "Write for example 6".to_owned());
            settings.lpf_limit = value.text().parse().map_err(|_| wrong())?;
        }
        "rules" => settings.rules = one_of(value.text(), &RULES)?,
        _ => {}
    }
    Ok(())
}

/// The single values of a list, or the one that stands in its place.
fn words(value: &AxisValue) -> Vec<String> {
    match value {
        AxisValue::Single(text) => vec![text.clone()],
        AxisValue::Flow(yaml) => Outline::read(&format!("it: {yaml}")).map(|list| list.names("it")).unwrap_or_default(),
    }
}

fn sizes(words: &[String]) -> Result<Vec<u64>, (String, String)> {
    let mut sizes = Vec::new();
    for word in words {
        if word == WHOLE {
            sizes.push(u64::MAX);
            continue;
        }
        let remedy = || format!("Write for example 60, [4, 60], 10..960:10, or `{WHOLE}`");
        sizes.extend(parse_sizes(word).map_err(|wrong| (format!("`{word}` {wrong}"), remedy()))?);
    }
    Ok(sizes)
}

fn one_of<T: Clone>(word: &str, known: &[(&str, T)]) -> Result<T, (String, String)> {
    let found = known.iter().find(|(name, _)| *name == word).map(|(_, value)| value.clone());
    found.ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let meant = closest(word, names.iter().copied());
        let all = || format!("Use one of {}", names.join(", "));
        (format!("`{word}` cannot be used here"), meant.map_or_else(all, |meant| format!("Did you mean `{meant}`?")))
    })
}
