//! Axes: the fields that vary, and their values.

use crate::spec::edit::Outline;
use crate::spec::{AxisSpec, AxisValue, Diagnostics, StudySpec, UnitFamily, ValuesSpec, closest, is_in_bits, measure};

/// Digits of values between the ends of a range, so that steps of 0.1 are written so.
const DIGITS: usize = 12;

/// The document that a path leads into, or the schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PathRoot {
    /// A hardware document.
    Hardware,
    /// A network document.
    Network,
    /// A system of many cores.
    System,
    /// How the network is scheduled.
    Schedule,
}

impl PathRoot {
    /// All parts but the schedule, in the order of a request.
    pub const DOCUMENTS: [Self; 3] = [Self::Hardware, Self::Network, Self::System];

    /// The beginning of its paths.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hardware => "hardware",
            Self::Network => "network",
            Self::System => "system",
            Self::Schedule => "schedule",
        }
    }
}

/// The place that an axis writes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The document.
    pub part: PathRoot,
    /// The path in it; empty for the whole document.
    pub path: String,
}

/// Fields of documents that take their values together, and these values.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyAxis {
    /// Its paths, as the document has them.
    pub names: Vec<String>,
    /// The target of each path.
    pub targets: Vec<Target>,
    /// Its values, each one for every path.
    pub values: Vec<Vec<AxisValue>>,
}

impl StudyAxis {
    /// The axis as it is written, as far as it makes sense; mistakes are noted at `path`.
    pub(super) fn new(spec: &AxisSpec, path: &str, diagnostics: &mut Diagnostics) -> Option<Self> {
        let at =
            |index: usize| if spec.vary.len() > 1 { format!("{path}.vary[{index}]") } else { format!("{path}.vary") };
        let target =
            |(index, name): (usize, &String)| target(name).map_err(|(reason, remedy)| (at(index), reason, remedy));
        let mut targets = Vec::new();
        for target in spec.vary.iter().enumerate().map(target) {
            match target {
                Ok(target) => targets.push(target),
                Err((path, reason, remedy)) => diagnostics.add(path, reason, remedy),
            }
        }
        let values: Vec<Vec<AxisValue>> = match &spec.values {
            ValuesSpec::Listed(values) => values.iter().map(|value| for_all(value, spec.vary.len())).collect(),
            ValuesSpec::Range { from, to, count, is_log } => range(from, to, (*count, *is_log), spec.vary.len())
                .unwrap_or_else(|(reason, remedy)| {
                    diagnostics.add(format!("{path}.from"), reason, remedy);
                    Vec::new()
                }),
        };
        // The reader said where a list has not a value for each path.
        let is_for_all = values.iter().all(|value| value.len() == spec.vary.len());
        let is_whole = targets.len() == spec.vary.len() && !targets.is_empty() && !values.is_empty() && is_for_all;
        is_whole.then(|| Self { names: spec.vary.clone(), targets, values })
    }

    /// The measure of all values of path number `index`, and each value in the base unit; `None` where they are not all
    /// numbers of one measure.
    pub fn measured(&self, index: usize) -> Option<(UnitFamily, Vec<f64>)> {
        let values = self.values.iter().map(|value| measure(value.get(index)?.text()));
        let values: Vec<(UnitFamily, f64)> = values.collect::<Option<_>>()?;
        let (kind, _) = values.first()?;
        let all_alike = values.iter().all(|(other, _)| other == kind);
        all_alike.then(|| (*kind, values.iter().map(|(_, value)| *value).collect()))
    }
}

/// Limit up to which all values of an axis are tried where they are to be written.
const ALL_CHECKED: usize = 200;

impl StudyAxis {
    /// The values that are tried where they are to be written. Of very many numbers of one kind these are the ends and the extremes.
    pub(super) fn checked(&self, path: usize) -> Vec<usize> {
        let count = self.values.len();
        let measured = if count <= ALL_CHECKED { None } else { self.measured(path) };
        let Some((_, values)) = measured else { return (0..count).collect() };
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let is_checked = |&at: &usize| at == 0 || at + 1 == count || values[at] == least || values[at] == most;
        (0..count).filter(is_checked).collect()
    }
}

/// One value for each of so many paths.
fn for_all(value: &[AxisValue], paths: usize) -> Vec<AxisValue> {
    match value {
        [one] => vec![one.clone(); paths],
        each => each.to_vec(),
    }
}

fn target(name: &str) -> Result<Target, (String, String)> {
    let (part, path) = name.split_once('.').unwrap_or((name, ""));
    let parts = [PathRoot::Hardware, PathRoot::Network, PathRoot::System, PathRoot::Schedule];
    let Some(part) = parts.into_iter().find(|known| known.name() == part) else {
        let meant = closest(part, parts.map(PathRoot::name));
        let remedy = meant.map_or_else(
            || "Begin with `hardware`, `network`, `system` or `schedule`, as in `hardware.memories[1].size`".to_owned(),
            |meant| format!("Did you mean `{meant}`?"),
        );
        return Err((format!("`{name}` leads to no document"), remedy));
    };
    if part == PathRoot::Schedule && path.is_empty() {
        let remedy = "Write for example `schedule.columns`";
        return Err(("A schedule is no document".to_owned(), remedy.to_owned()));
    }
    if part == PathRoot::Schedule && !StudySpec::SCHEDULE.contains(&path) {
        let known = StudySpec::SCHEDULE;
        let meant = closest(path, known);
        let all = || format!("Use one of {}", known.join(", "));
        return Err((
            format!("A schedule has no field `{path}`"),
            meant.map_or_else(all, |meant| format!("Did you mean `schedule.{meant}`?")),
        ));
    }
    Ok(Target { part, path: path.to_owned() })
}

/// Values from one to another, for each path.
fn range(
    from: &[String],
    to: &[String],
    (count, is_log): (u64, bool),
    paths: usize,
) -> Result<Vec<Vec<AxisValue>>, (String, String)> {
    let end = |ends: &[String], path: usize| ends.get(path).or(ends.first()).cloned().unwrap_or_default();
    let mut columns = Vec::new();
    for path in 0..paths {
        columns.push(one_range(&end(from, path), &end(to, path), count, is_log)?);
    }
    let rows = (0..count as usize).map(|row| columns.iter().map(|column| column[row].clone()).collect());
    let mut values: Vec<Vec<AxisValue>> = Vec::new();
    for row in rows {
        // Whole numbers may repeat.
        if values.last() != Some(&row) {
            values.push(row);
        }
    }
    Ok(values)
}

fn one_range(from: &str, to: &str, count: u64, is_log: bool) -> Result<Vec<AxisValue>, (String, String)> {
    let read = |text: &str| {
        measure(text)
            .ok_or_else(|| (format!("`{text}` is no number that a range has"), "Write for example `8 KiB`".to_owned()))
    };
    let ((kind, first), (other, last)) = (read(from)?, read(to)?);
    if kind != other {
        let remedy = "Write both in units of one kind, such as `8 KiB` and `2 MiB`";
        return Err((format!("`{from}` and `{to}` do not measure the same"), remedy.to_owned()));
    }
    if is_log && (first <= 0.0 || last <= 0.0) {
        return Err((format!("Ratios from `{from}` to `{to}` make no sense"), "Write two numbers above 0".to_owned()));
    }
    // A range that begins and ends with whole bytes has whole bytes in between; the same goes for bits and numbers.
    let grain = match kind {
        UnitFamily::Bits if [first, last].iter().all(|end| end % 8.0 == 0.0) => 8.0,
        UnitFamily::Bits | UnitFamily::Cycles => 1.0,
        UnitFamily::Number if [first, last].iter().all(|end| end.fract() == 0.0) => 1.0,
        _ => 0.0,
    };
    let value = |index: u64| {
        let share = index as f64 / (count - 1).max(1) as f64;
        let exact = if is_log { first * (last / first).powf(share) } else { first + (last - first) * share };
        if grain > 0.0 { (exact / grain).round() * grain } else { rounded(exact) }
    };
    // A range that begins and ends in bits is in bits in between.
    let unit = if is_in_bits(from) { to } else { from };
    let text = |index: u64| match index {
        0 => from.to_owned(),
        _ if index == count - 1 => to.to_owned(),
        _ => kind.write_like(value(index), unit),
    };
    Ok((0..count).map(|index| AxisValue::Single(text(index))).collect())
}

fn rounded(value: f64) -> f64 {
    format!("{value:.*e}", DIGITS - 1).parse().unwrap_or(value)
}

/// The path as edits take it: an item of a list may be named or counted, as in `memories.sram.size` and `memories.1.size`, as brackets need
/// quotes between braces.
///
/// # Errors
/// Reason and remedy, where nothing can be written there.
pub(super) fn resolve(outline: &Outline, path: &str) -> Result<String, (String, String)> {
    let mut at = String::new();
    let steps: Vec<&str> = path.split('.').collect();
    for (index, step) in steps.iter().enumerate() {
        let dot = if at.is_empty() { "" } else { "." };
        let next = format!("{at}{dot}{step}");
        if outline.has(&next) {
            at = next;
            continue;
        }
        let is_list = !outline.is_map(&at) && outline.len(&at) > 0;
        if let Some(item) = step.parse().ok().filter(|item: &usize| is_list && *item < outline.len(&at)) {
            at = format!("{at}[{item}]");
            continue;
        }
        let named = (0..outline.len(&at))
            .find(|item| !outline.is_map(&at) && outline.value(&format!("{at}[{item}].name")).as_deref() == Some(step));
        if let Some(item) = named {
            at = format!("{at}[{item}]");
            continue;
        }
        // A field that is left out may be written.
        if index + 1 == steps.len() && outline.is_map(&at) && !step.contains('[') {
            return Ok(next);
        }
        return Err(no_such_path(outline, &at, step));
    }
    Ok(at)
}

fn no_such_path(outline: &Outline, at: &str, step: &str) -> (String, String) {
    let list = step.split('[').next().unwrap_or_default();
    let dot = if at.is_empty() { "" } else { "." };
    let items = outline.len(&format!("{at}{dot}{list}"));
    if step.contains('[') && items > 0 {
        return (format!("There is no `{step}`"), format!("Write {list}[0] to {list}[{}]", items - 1));
    }
    let names: Vec<String> = if outline.is_map(at) {
        outline.keys(at)
    } else {
        (0..outline.len(at)).filter_map(|item| outline.value(&format!("{at}[{item}].name"))).collect()
    };
    let is_single = !at.is_empty() && !outline.is_map(at) && outline.len(at) == 0;
    if let Some(text) = outline.value(at).filter(|_| is_single) {
        let reason = format!("There is no `{step}` in `{at}`, which is `{text}`");
        return (reason, "Add this field to the document, or shorten the path".to_owned());
    }
    let within = if at.is_empty() { "the document".to_owned() } else { format!("`{at}`") };
    let remedy = match closest(step, names.iter().map(String::as_str)) {
        Some(meant) => format!("Did you mean `{meant}`?"),
        None if names.is_empty() => "Name a place as diagnostics do: `memories[1].size`".to_owned(),
        None => format!("There are {}", names.join(", ")),
    };
    (format!("There is no `{step}` in {within}"), remedy)
}
