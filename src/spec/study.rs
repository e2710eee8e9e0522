//! Reading a study document: designs that vary along axes, the quantities that are recorded, and the constraints.

use super::Reading;
use super::flow::AxisValue;
use super::reader::{Fields, LocatedNode, Reader, ValueError, count};
use serde::{Deserialize, Serialize};

/// Limits on axes, and on the values of one axis, counted once for each of its paths.
const MAX_ENTRIES: usize = 64;
const MAX_VALUES: usize = 10_000;
const STUDY: [&str; 13] = [
    "name",
    "about",
    "hardware",
    "system",
    "network",
    "schedule",
    "axes",
    "constraints",
    "record",
    "objectives",
    "sampling",
    "seed",
    "beaten",
];
const SCHEDULE: [&str; 11] =
    ["columns", "rows", "modes", "tiles", "stacks", "order", "objective", "scheduler", "search", "lpf_limit", "rules"];
const AXIS: [&str; 6] = ["vary", "values", "from", "to", "count", "scale"];
const SAMPLING: [&str; 2] = ["sobol", "refine"];

/// A study document.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StudySpec {
    /// Its name, for people.
    pub name: String,
    /// The question that it asks.
    pub about: String,
    /// Hardware: presets or files. Several are an axis.
    pub hardware: Vec<String>,
    /// Systems of many cores: presets or files. Several are an axis; none: each design is one core.
    pub system: Vec<String>,
    /// Networks: presets or files. Several are an axis.
    pub network: Vec<String>,
    /// How each design is scheduled: fields of [`Self::SCHEDULE`] with their values, in the order written.
    pub schedule: Vec<(String, AxisValue)>,
    /// The fields that vary, with their values.
    pub axes: Vec<AxisSpec>,
    /// Bounds that a design has to keep: `area <= 2 mm2`.
    pub constraints: Vec<String>,
    /// Quantities that are recorded.
    pub record: Vec<String>,
    /// Quantities of the front: `energy`, `latency`.
    pub objectives: Vec<String>,
    /// Which designs are looked at.
    pub sampling: SamplingSpec,
    /// Seed of the samples that are drawn.
    pub seed: u64,
    /// Whether designs are left out whose lower bounds the front dominates.
    pub skips_beaten: bool,
}

impl StudySpec {
    /// Fields of the schedule, on one core or on many.
    pub const SCHEDULE: [&'static str; 11] = SCHEDULE;

    /// Whether its designs are systems of many cores.
    pub fn has_system(&self) -> bool {
        !self.system.is_empty() || self.axes.iter().any(|axis| axis.varies("system"))
    }
}

/// Whether a text looks like a study.
pub fn is_study(text: &str) -> bool {
    let has = |field: &str| {
        let begins =
            |line: &str| line.strip_prefix(field).is_some_and(|rest| rest.trim_start_matches('"').starts_with(':'));
        text.lines().any(|line| begins(line.trim_start_matches([' ', '{', '"'])))
    };
    has("axes") && ["hardware", "system", "network"].into_iter().any(has)
}

/// An axis: the fields that vary, and their values.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AxisSpec {
    /// Paths: `hardware.memories[3].size`, a whole document (`hardware`), `schedule.tiles`. Several move together.
    pub vary: Vec<String>,
    /// Values that the paths take, listed or as a range.
    pub values: ValuesSpec,
}

impl AxisSpec {
    /// Whether this path is one of those that it varies.
    pub fn varies(&self, path: &str) -> bool {
        self.vary.iter().any(|varied| varied == path)
    }
}

/// Values of an axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ValuesSpec {
    /// One by one; each has a value for every path, or one for all of them.
    Listed(Vec<Vec<AxisValue>>),
    /// From one to another, both included.
    Range {
        /// The first, for every path or for all of them.
        from: Vec<String>,
        /// The last.
        to: Vec<String>,
        /// Number of values.
        count: u64,
        /// Whether neighbours have the same ratio rather than the same difference.
        is_log: bool,
    },
}

impl Default for ValuesSpec {
    fn default() -> Self {
        Self::Listed(Vec::new())
    }
}

/// Which designs are looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SamplingSpec {
    /// Every combination of values.
    #[default]
    Grid,
    /// So many points of a scrambled Sobol sequence.
    Sobol(u64),
    /// At most so many: a coarse grid, then the neighbours of the Pareto front, finer and finer.
    Refine(u64),
}

/// Reads a study document, as far as it can be read, with all mistakes.
///
/// Parts that could not be read are left out, so the document means something only if nothing is wrong.
/// `DesignSpace::new` of the engine validates the targets of paths and the names of quantities.
pub fn read_study(text: &str) -> Reading<StudySpec> {
    let (root, mut opened) = Reader::open(text);
    let reader = &mut opened;
    let fields = LocatedNode::root(&root).fields(reader, &STUDY);
    let names =
        |reader: &mut Reader, field: &str| fields.get(field).map(|place| place.names(reader)).unwrap_or_default();
    let axes = fields.get("axes").map(|place| place.list(reader, MAX_ENTRIES)).unwrap_or_default();
    let axes: Vec<AxisSpec> = axes.iter().map(|place| read_axis(place, reader)).collect();
    let has = |kind: &str| axes.iter().any(|axis| axis.varies(kind));
    // A system may state its cores itself.
    let has_system = fields.get("system").is_some() || has("system");
    let documents =
        [("hardware", "meta-proto-like-df", !has_system), ("system", "tpu-quad", false), ("network", "resnet18", true)];
    for (kind, example, is_needed) in documents {
        let place = match is_needed {
            _ if has(kind) => None,
            true => fields.need(reader, kind, example),
            false => fields.get(kind),
        };
        if let Some(place) = place.filter(|place| place.is_empty_list()) {
            let remedy = format!("Write for example `{example}`");
            place.reject(reader, ValueError::new("It names no document".to_owned(), remedy));
        }
    }
    let spec = StudySpec {
        name: fields.name(reader, "name", "My study"),
        about: fields.text(reader, "about"),
        hardware: names(reader, "hardware"),
        system: names(reader, "system"),
        network: names(reader, "network"),
        schedule: fields.get("schedule").map(|place| read_schedule(place, reader)).unwrap_or_default(),
        axes,
        constraints: names(reader, "constraints"),
        record: names(reader, "record"),
        objectives: names(reader, "objectives"),
        sampling: fields.get("sampling").and_then(|place| read_sampling(place, reader)).unwrap_or_default(),
        seed: fields.get("seed").and_then(|place| place.count(reader)).unwrap_or(0),
        skips_beaten: fields.get("beaten").and_then(|place| read_beaten(place, reader)).unwrap_or(false),
    };
    Reading::new(spec, opened.finish())
}

fn read_schedule(place: &LocatedNode, reader: &mut Reader) -> Vec<(String, AxisValue)> {
    let fields = place.fields(reader, &SCHEDULE);
    let value = |name: &&str| Some(((*name).to_owned(), fields.get(name)?.written()));
    SCHEDULE.iter().filter_map(value).collect()
}

fn read_axis(place: &LocatedNode, reader: &mut Reader) -> AxisSpec {
    let fields = place.fields(reader, &AXIS);
    let vary = fields.need(reader, "vary", "hardware.memories.0.size").map(|place| place.names(reader));
    let vary = vary.unwrap_or_default();
    let range = ["from", "to", "count", "scale"].into_iter().find(|name| fields.get(name).is_some());
    let values = match (fields.get("values"), range) {
        (Some(place), Some(name)) => {
            let reason = format!("`values` and `{name}` exclude each other");
            place.reject(reader, ValueError::new(reason, "Remove one of them"));
            ValuesSpec::default()
        }
        (Some(place), None) => ValuesSpec::Listed(read_values(place, vary.len(), reader)),
        (None, Some(_)) => read_range(&fields, vary.len(), reader),
        (None, None) => {
            fields.missing(reader, "values", "[8 KiB, 16 KiB, 32 KiB]");
            ValuesSpec::default()
        }
    };
    AxisSpec { vary, values }
}

fn read_values(place: &LocatedNode, paths: usize, reader: &mut Reader) -> Vec<Vec<AxisValue>> {
    let items = place.list(reader, MAX_VALUES / paths.max(1));
    if items.is_empty() && place.is_list() {
        place.reject(reader, ValueError::new("There is no value", "Write at least one"));
    }
    let value = |item: &LocatedNode| {
        // Of several paths a list has a value for each; of one it is the value.
        if paths < 2 || !item.is_list() {
            return vec![item.written()];
        }
        let values: Vec<AxisValue> = item.list(reader, MAX_ENTRIES).iter().map(LocatedNode::written).collect();
        if values.len() != paths {
            item.reject(reader, wrong_count(values.len(), paths));
        }
        values
    };
    items.iter().map(value).collect()
}

fn wrong_count(values: usize, paths: usize) -> ValueError {
    ValueError::new(
        format!("{paths} paths move together, but the number of values here is {values}"),
        format!("Write {paths} values in a list, or a single one for all paths"),
    )
}

fn read_range(fields: &Fields, paths: usize, reader: &mut Reader) -> ValuesSpec {
    let mut end = |name: &str, example: &str| {
        let Some(place) = fields.need(reader, name, example) else { return Vec::new() };
        let ends = place.names(reader);
        if ends.len() > 1 && ends.len() != paths {
            place.reject(reader, wrong_count(ends.len(), paths));
        }
        ends
    };
    let (from, to) = (end("from", "8 KiB"), end("to", "64 KiB"));
    let most = MAX_VALUES / paths.max(1);
    let count = fields.need(reader, "count", "4").and_then(|place| {
        place.value(reader, "a number of values", |text| match count(text)? {
            values if (1..=most as u64).contains(&values) => Ok(values),
            values => Err(ValueError::new(format!("{values} values"), format!("Write 1 to {most}"))),
        })
    });
    let is_log = fields.get("scale").and_then(|place| {
        place.value(reader, "`linear` or `log`", |text| match text {
            "linear" => Ok(false),
            "log" => Ok(true),
            _ => Err(ValueError::new(format!("There is no scale `{text}`"), "Write `linear` or `log`")),
        })
    });
    ValuesSpec::Range { from, to, count: count.unwrap_or(1), is_log: is_log.unwrap_or(false) }
}

fn read_sampling(place: &LocatedNode, reader: &mut Reader) -> Option<SamplingSpec> {
    const REMEDY: &str = "Write `grid`, `{ sobol: 1000 }` or `{ refine: 1000 }`";
    if place.is_scalar() {
        return place.value(reader, "`grid`", |text| match text {
            "grid" => Ok(SamplingSpec::Grid),
            _ => Err(ValueError::new(format!("There is no sampling `{text}`"), REMEDY)),
        });
    }
    let fields = place.fields(reader, &SAMPLING);
    let mut designs = |name: &str| {
        let place = fields.get(name)?;
        place.value(reader, "a number of designs", |text| match count(text)? {
            0 => Err(ValueError::new("No design", "Write 1 or more")),
            designs => Ok(designs),
        })
    };
    match (designs("sobol"), designs("refine")) {
        (Some(designs), None) => Some(SamplingSpec::Sobol(designs)),
        (None, Some(designs)) => Some(SamplingSpec::Refine(designs)),
        (Some(_), Some(_)) => {
            place.reject(reader, ValueError::new("`sobol` and `refine` exclude each other", REMEDY));
            None
        }
        (None, None) => {
            if place.is_map() && place.is_empty() {
                place.reject(reader, ValueError::new("No sampling is chosen", REMEDY));
            }
            None
        }
    }
}

fn read_beaten(place: &LocatedNode, reader: &mut Reader) -> Option<bool> {
    place.value(reader, "`record` or `skip`", |text| match text {
        "record" => Ok(false),
        "skip" => Ok(true),
        _ => Err(ValueError::new(format!("`{text}` is neither `record` nor `skip`"), "Write one of them")),
    })
}
