//! Study documents: a suggestion for a design, and axes added by a click.

use fusescape_engine::depth_first::{DepthFirstStrategy, FuseDepth};
use fusescape_engine::explore::Settings;
use fusescape_engine::explore::study::TiledSchedule;
use fusescape_engine::hardware::Core;
use fusescape_engine::multicore::{CoresSettings, StackRule, TileGranularity};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Objective, Strategy};
use fusescape_spec::edit::{Outline, flow_list, flow_map};
use fusescape_spec::{UnitFamily, measure, scalar};

/// Number of values of an added axis.
const VALUES: u32 = 5;
/// Limit on the items of a list that are searched for numbers.
const MOST_ITEMS: usize = 64;
/// Suggested study: number of varied memories, ratio of their current to their smallest size, and number of sizes.
const MEMORIES: usize = 2;
const SMALLER: f64 = 64.0;
const SIZES: u32 = 7;
/// Names of the rule sets in studies.
const RULES: [(&str, Rules); 3] =
    [("defines-2022", Rules::DEFINES_2022), ("zigzag-3.8", Rules::ZIGZAG_3_8), ("zigzag-3.9", Rules::ZIGZAG_3_9)];

/// Name of the documents of the current design in a study.
pub const AT_HAND: &str = "design";

/// A number of a document that a study may vary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Path in studies: `hardware.memories.lb.size`.
    pub path: String,
    /// As in the document: `64 KiB`.
    pub value: String,
}

/// All numbers of a document, in its order; `part` is the prefix of their paths.
pub fn variables(part: &str, document: &Outline) -> Vec<Variable> {
    let mut found = Vec::new();
    walk(document, "", part, &mut found);
    found
}

/// The number at a path of a document, if there is one.
pub fn variable_at(part: &str, document: &Outline, path: &str) -> Option<Variable> {
    let value = document.value(path).filter(|value| measure(value).is_some())?;
    let mut varied = part.to_owned();
    let mut at = String::new();
    for step in path.split('.') {
        let dot = if at.is_empty() { "" } else { "." };
        let (field, items) = step.split_once('[').map_or((step, None), |(field, items)| (field, Some(items)));
        at.push_str(&format!("{dot}{field}"));
        varied.push_str(&format!(".{field}"));
        for item in items.into_iter().flat_map(|items| items.split('[')) {
            let item = item.strip_suffix(']')?;
            at.push_str(&format!("[{item}]"));
            let name = document.value(&format!("{at}.name")).filter(|name| is_word(name));
            varied.push_str(&format!(".{}", name.as_deref().unwrap_or(item)));
        }
    }
    is_path(&varied).then_some(Variable { path: varied, value })
}

/// Whether a path needs no quotes.
fn is_path(path: &str) -> bool {
    path.split('.').all(is_word)
}

fn walk(document: &Outline, at: &str, path: &str, found: &mut Vec<Variable>) {
    if document.is_map(at) {
        let dot = if at.is_empty() { "" } else { "." };
        for key in document.keys(at) {
            if is_word(&key) {
                walk(document, &format!("{at}{dot}{key}"), &format!("{path}.{key}"), found);
            }
        }
        return;
    }
    match document.value(at) {
        Some(value) if measure(&value).is_some() => found.push(Variable { path: path.to_owned(), value }),
        _ => {
            for item in 0..document.len(at).min(MOST_ITEMS) {
                let place = format!("{at}[{item}]");
                let name = document.value(&format!("{place}.name")).filter(|name| is_word(name));
                let step = name.unwrap_or_else(|| item.to_string());
                walk(document, &place, &format!("{path}.{step}"), found);
            }
        }
    }
}

/// Whether a name needs no quotes in a path.
fn is_word(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter))
}

/// A study with one more axis, around the current value of a variable: sizes and counts from a quarter to four times,
/// all others from half to twice the value. `None` if the text cannot be edited in place.
pub fn with_axis(text: &str, variable: &Variable) -> Option<String> {
    let (kind, value) = measure(&variable.value)?;
    let factor = if matches!(kind, UnitFamily::Bits | UnitFamily::Number) { 4.0 } else { 2.0 };
    let (least, most) = match kind {
        UnitFamily::Number if value.fract() == 0.0 => ((value / factor).ceil().max(1.0), (value * factor).max(2.0)),
        UnitFamily::Bits => ((value / factor).max(1.0), value * factor),
        _ => (value / factor, value * factor),
    };
    let write = |value: f64| kind.write_like(value, &variable.value);
    with_range(text, &variable.path, [write(least), write(most)], (VALUES, least > 0.0))
}

fn with_range(text: &str, path: &str, [from, to]: [String; 2], (count, is_log): (u32, bool)) -> Option<String> {
    let mut fields = vec![("vary", path.to_owned()), ("from", from), ("to", to), ("count", count.to_string())];
    fields.extend(is_log.then(|| ("scale", "log".to_owned())));
    with_fields(text, &fields)
}

/// A study with one more axis of listed values, in YAML.
pub fn with_values(text: &str, path: &str, values: &[&str]) -> Option<String> {
    with_fields(text, &[("vary", path.to_owned()), ("values", format!("[{}]", values.join(", ")))])
}

fn with_fields(text: &str, fields: &[(&str, String)]) -> Option<String> {
    let document = Outline::read(text).ok()?;
    if document.len("axes") > 0 && !document.is_map("axes") {
        return Some(document.insert_fields("axes", document.len("axes"), fields)?.into_text());
    }
    let document = if document.has("axes") { document.remove("axes")? } else { document };
    let text = document.text();
    let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    Some(format!("{text}{newline}axes:\n  - {}\n", flow_map(fields)))
}

/// A study of a design: the smallest sizes of its largest memories, with its best schedule.
pub fn suggested_study(
    names: [&str; 2],
    core: Option<&Core>,
    hardware: &Outline,
    settings: Option<&Settings>,
    best: Option<&DepthFirstStrategy>,
) -> String {
    let title = core.map_or_else(|| "This accelerator".to_owned(), |core| core.name.clone());
    let mut text = format!("name: {}\n", scalar(&format!("{title}: sizes of memories")));
    text.push_str(&format!("hardware: {}\nnetwork: {}\n", names[0], names[1]));
    let schedule = schedule_fields(settings, best);
    if !schedule.is_empty() {
        text.push_str(&format!("schedule: {}\n", flow_map(&schedule)));
    }
    text.push_str("objectives: [energy, latency, capacity]\n");
    let mut memories: Vec<(u64, &str)> =
        core.into_iter().flat_map(Core::on_chip).map(|memory| (memory.size_bits, memory.name.as_str())).collect();
    memories.sort_unstable_by_key(|(size, _)| std::cmp::Reverse(*size));
    let known = variables("hardware", hardware);
    for (size, name) in memories.into_iter().take(MEMORIES) {
        let path = format!("hardware.memories.{name}.size");
        if known.iter().any(|variable| variable.path == path) {
            let size = size as f64;
            // A register has no smaller sizes.
            let ends = if size < 8.0 * SMALLER { [size, size * SMALLER] } else { [size / SMALLER, size] };
            text =
                with_range(&text, &path, ends.map(|size| UnitFamily::Bits.write(size)), (SIZES, true)).unwrap_or(text);
        }
    }
    text
}

/// A study of a system of many cores with its current schedule; nothing varies yet. `hardware` describes the cores that
/// the system does not describe.
pub fn study_of_system(
    system: (&str, &str),
    hardware: Option<&str>,
    network: &str,
    schedule: Option<&TiledSchedule>,
) -> String {
    let (title, name) = system;
    let mut text = format!("name: {}\nsystem: {name}\n", scalar(title));
    if let Some(hardware) = hardware {
        text.push_str(&format!("hardware: {hardware}\n"));
    }
    text.push_str(&format!("network: {network}\n"));
    let schedule = schedule.map(tiled_fields).unwrap_or_default();
    if !schedule.is_empty() {
        text.push_str(&format!("schedule: {}\n", flow_map(&schedule)));
    }
    text.push_str("objectives: [energy, latency, capacity]\n");
    text
}

/// The schedule of a system for a study; default values are left out.
fn tiled_fields(schedule: &TiledSchedule) -> Vec<(&'static str, String)> {
    let TiledSchedule { settings, searches_tiles } = schedule;
    let usual = CoresSettings::default();
    let mut fields = Vec::new();
    if !searches_tiles {
        let tiles = match &settings.granularity {
            TileGranularity::Rows(rows) => rows.to_string(),
            TileGranularity::LayerByLayer => "layer-by-layer".to_owned(),
            TileGranularity::ByHand(text) => scalar(text),
        };
        fields.push(("tiles", tiles));
    }
    match &settings.stacks {
        StackRule::Automatic => {}
        StackRule::One => fields.push(("stacks", "one".to_owned())),
        StackRule::EachLayer => fields.push(("stacks", "each-layer".to_owned())),
        StackRule::After(layers) => {
            let layers: Vec<&str> = layers.iter().map(String::as_str).collect();
            fields.push(("stacks", flow_list(&layers)));
        }
    }
    fields.extend(settings.order.map(|order| ("order", order.name().to_owned())));
    if settings.objective != usual.objective {
        fields.push(("objective", settings.objective.name().to_owned()));
    }
    if settings.scheduler != usual.scheduler {
        fields.push(("scheduler", settings.scheduler.name().to_owned()));
    }
    fields.extend(search_fields((settings.strategy, settings.lpf_limit), settings.rules));
    fields
}

/// Search strategy and rules for a study; default values are left out.
fn search_fields((strategy, lpf_limit): (Strategy, usize), rules: Rules) -> Vec<(&'static str, String)> {
    let mut fields = Vec::new();
    if strategy == Strategy::Loma {
        fields.push(("search", "loma".to_owned()));
        fields.push(("lpf_limit", lpf_limit.to_string()));
    }
    let rules = RULES.iter().find(|(_, known)| *known == rules);
    fields.extend(rules.map(|(name, _)| ("rules", (*name).to_owned())));
    fields
}

/// The schedule of a design for a study: the best point, if it is known.
fn schedule_fields(settings: Option<&Settings>, best: Option<&DepthFirstStrategy>) -> Vec<(&'static str, String)> {
    let mut fields = Vec::new();
    if let Some(best) = best {
        let size = |size: u64| if size == u64::MAX { "whole".to_owned() } else { size.to_string() };
        fields.push(("columns", size(best.tile.0)));
        fields.push(("rows", size(best.tile.1)));
        fields.push(("modes", best.mode.name().to_owned()));
        match &best.fuse {
            FuseDepth::Automatic => {}
            FuseDepth::SingleLayer => fields.push(("stacks", "single-layer".to_owned())),
            FuseDepth::LayerByLayer => fields.push(("stacks", "layer-by-layer".to_owned())),
            FuseDepth::Cuts(layers) => {
                let layers: Vec<&str> = layers.iter().map(String::as_str).collect();
                fields.push(("stacks", flow_list(&layers)));
            }
        }
    }
    let Some(settings) = settings else { return fields };
    let objective = match settings.objective {
        Objective::Latency => Some("latency"),
        Objective::EnergyDelayProduct => Some("edp"),
        Objective::DramAccesses => Some("dram-accesses"),
        _ => None,
    };
    fields.extend(objective.map(|objective| ("objective", objective.to_owned())));
    fields.extend(search_fields((settings.strategy, settings.lpf_limit), settings.rules));
    fields
}
