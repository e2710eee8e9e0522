//! How the designs of a study are scheduled: fields as documents have them, and the settings that they mean.

use crate::depth_first::{FuseDepth, StoringMode};
use crate::explore::{Settings, parse_sizes};
use crate::multicore::{CoresSettings, OrderRule, ScheduleObjective, Scheduler, StackRule, TileGranularity};
use crate::rules::Rules;
use crate::search::{Objective, Strategy, lpf_limit_from};
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

/// The searches of mappings, as the command line calls them.
const SEARCHES: [(&str, Strategy); 2] = [("exact", Strategy::Exact), ("loma", Strategy::Loma)];

/// Fields of a schedule on one core, and of one on many.
const ON_ONE: [&str; 8] = ["columns", "rows", "modes", "stacks", "objective", "search", "lpf_limit", "rules"];
const ON_MANY: [&str; 8] = ["tiles", "stacks", "order", "objective", "scheduler", "search", "lpf_limit", "rules"];

/// How a design is scheduled.
#[derive(Debug, Clone, PartialEq)]
pub enum DesignSchedule {
    /// Depth-first on one core (DeFiNES).
    DepthFirst(Settings),
    /// In computation tiles on many cores (Stream).
    OnCores(TiledSchedule),
}

/// How a design is scheduled on many cores.
#[derive(Debug, Clone, PartialEq)]
pub struct TiledSchedule {
    /// Tiles, stacks, objective and rules.
    pub settings: CoresSettings,
    /// Whether a search finds the best tile size, in place of the stated one.
    pub searches_tiles: bool,
}

impl DesignSchedule {
    /// The schedule where nothing is stated. On one core: one whole map at a time, overlap cached, stacks by DeFiNES'
    /// rule, mappings for the least energy. On many: as `fusescape cores` schedules.
    pub(super) fn usual(is_on_cores: bool) -> Self {
        match is_on_cores {
            false => Self::DepthFirst(Settings {
                tiles_x: vec![u64::MAX],
                tiles_y: vec![u64::MAX],
                modes: vec![StoringMode::FullyCached],
                ..Settings::default()
            }),
            true => Self::OnCores(TiledSchedule { settings: CoresSettings::default(), searches_tiles: true }),
        }
    }

    /// Changes one field.
    ///
    /// # Errors
    /// Reason and remedy.
    pub(super) fn set(&mut self, field: &str, value: &AxisValue) -> Result<(), (String, String)> {
        let (what, fields) = match self {
            Self::DepthFirst(_) => ("one core", ON_ONE),
            Self::OnCores(_) => ("many cores", ON_MANY),
        };
        if !fields.contains(&field) {
            return Err((
                format!("A schedule on {what} has no field `{field}`"),
                format!("Write some of {} instead", fields.join(", ")),
            ));
        }
        match self {
            Self::DepthFirst(settings) => set(settings, field, value),
            Self::OnCores(schedule) => schedule.set(field, value),
        }
    }

    /// Whether a design has the best of several schedules.
    pub fn is_chosen(&self) -> bool {
        match self {
            Self::DepthFirst(settings) => settings.strategies().len() > 1,
            Self::OnCores(schedule) => schedule.searches_tiles,
        }
    }
}

impl TiledSchedule {
    fn set(&mut self, field: &str, value: &AxisValue) -> Result<(), (String, String)> {
        let Self { settings, searches_tiles } = self;
        match field {
            "tiles" => {
                *searches_tiles = value.text() == "best";
                if !*searches_tiles {
                    let wrong = |_| (format!("`{}` is no tile size", value.text()), "Write 1 row or more".to_owned());
                    settings.granularity = TileGranularity::from_words(&one(value)?).map_err(wrong)?;
                }
            }
            "stacks" => settings.stacks = StackRule::from_words(&words(value)?.join(", ")),
            "order" => {
                let rules = OrderRule::ALL.map(|rule| (rule.name(), Some(rule)));
                settings.order = one_of(value.text(), &[&[("best", None)], &rules[..]].concat())?;
            }
            "objective" => {
                settings.objective =
                    one_of(value.text(), &ScheduleObjective::ALL.map(|objective| (objective.name(), objective)))?
            }
            "scheduler" => {
                settings.scheduler = one_of(value.text(), &Scheduler::ALL.map(|rules| (rules.name(), rules)))?
            }
            "search" => settings.strategy = one_of(value.text(), &SEARCHES)?,
            "lpf_limit" => settings.lpf_limit = lpf_limit_from(value.text())?,
            "rules" => settings.rules = one_of(value.text(), &RULES)?,
            _ => {}
        }
        Ok(())
    }
}

/// A single value.
fn one(value: &AxisValue) -> Result<String, (String, String)> {
    match value {
        AxisValue::Single(text) => Ok(text.clone()),
        AxisValue::Flow(yaml) => Err((
            format!("`{yaml}` are several tile sizes"),
            "Write one, and vary `schedule.tiles` for others".to_owned(),
        )),
    }
}

/// Changes one field of the settings of a schedule on one core.
fn set(settings: &mut Settings, field: &str, value: &AxisValue) -> Result<(), (String, String)> {
    let words = words(value)?;
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
            settings.strategy = one_of(value.text(), &SEARCHES)?;
        }
        "lpf_limit" => settings.lpf_limit = lpf_limit_from(value.text())?,
        "rules" => settings.rules = one_of(value.text(), &RULES)?,
        _ => {}
    }
    Ok(())
}

/// The values of a list, or the single value in place of a list.
fn words(value: &AxisValue) -> Result<Vec<String>, (String, String)> {
    let yaml = match value {
        AxisValue::Single(text) => return Ok(vec![text.clone()]),
        AxisValue::Flow(yaml) => yaml,
    };
    let list = Outline::read(&format!("it: {yaml}"));
    let words = list.map(|list| Some(list.names("it")).filter(|words| words.len() == list.len("it")));
    let wrong = || (format!("`{yaml}` is no list of single values"), "Write for example `[4, 60]`".to_owned());
    words.ok().flatten().filter(|words| !words.is_empty()).ok_or_else(wrong)
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
