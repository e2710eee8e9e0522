//! Reading a gallery entry: a published figure or table, the state that shows it, and its claims.

use super::Reading;
use super::reader::{Fields, LocatedNode, Reader, ValueError};

/// Limit on the claims of a figure.
const MAX_CLAIMS: usize = 64;
/// Limit on the variations of a claim, so that a hostile file stays small.
const MAX_VARIATIONS: usize = 8;
/// Limit on the parameters of a measure.
const MAX_LOOPS: usize = 32;
const ENTRY: [&str; 6] = ["title", "paper", "place", "lesson", "opens", "claims"];
const OPENS: [&str; 16] = [
    "view",
    "hardware",
    "workload",
    "rules",
    "strategy",
    "lpf_limit",
    "tiles_x",
    "tiles_y",
    "point",
    "layer",
    "order",
    "ends",
    "budget",
    "cores",
    "cuts",
    "set",
];
const CLAIM: [&str; 10] =
    ["what", "published", "unit", "measure", "rules", "deviation", "tolerance", "why", "missing", "shown_by"];
const VARIATION: [&str; 6] = ["what", "measure", "rules", "deviation", "tolerance", "why"];

/// A gallery entry as written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GallerySpec {
    /// Its subject, in a few words.
    pub title: String,
    /// Short name of the paper.
    pub paper: String,
    /// Figure, table or section of the paper.
    pub place: String,
    /// The lesson of it, in one sentence.
    pub lesson: String,
    /// The state that shows it.
    pub opens: OpensSpec,
    /// The numbers that the paper states.
    pub claims: Vec<ClaimSpec>,
}

/// The state that an entry opens, as written; fields that are left out are as in a new session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OpensSpec {
    /// Name of the view.
    pub view: String,
    /// Preset of the hardware.
    pub hardware: String,
    /// Preset of the network.
    pub workload: String,
    /// Name of the rules, then switches with their values: `cut_after_first_layer_ignored=false`.
    pub rules: Vec<String>,
    /// Name of the search strategy.
    pub strategy: Option<String>,
    /// Limit on the loop prime factors that are ordered.
    pub lpf_limit: Option<u64>,
    /// Tile widths, columns.
    pub tiles_x: Vec<String>,
    /// Tile heights, rows.
    pub tiles_y: Vec<String>,
    /// The opened point: `60x72 fully-recompute`.
    pub point: Option<String>,
    /// Name of the layer to map.
    pub layer: Option<String>,
    /// Temporal loops of a mapping made by hand, innermost first: `K 8`.
    pub order: Vec<String>,
    /// By operand, the number of loops after which each of its memory levels ends.
    pub ends: Vec<(String, Vec<String>)>,
    /// Largest area of generated hierarchies, um2.
    pub budget_um2: Option<f64>,
    /// The schedule on many cores: names and words.
    pub cores: Vec<(String, String)>,
    /// Layers after which stacks end.
    pub cuts: Vec<String>,
    /// Values of single fields of the documents: `hardware.sram_64KB.size`, `32 KiB`.
    pub set: Vec<(String, String)>,
}

/// A claim as written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClaimSpec {
    /// Description of the number.
    pub what: String,
    /// The number in the paper.
    pub published: Printed,
    /// Its unit; nothing for a plain count.
    pub unit: String,
    /// Name of the measure that computes our number.
    pub measure: String,
    /// Parameters of the measure, in the order of the text.
    pub parameters: Vec<(String, Vec<String>)>,
    /// Rules, where they are not those of the entry, as [`OpensSpec::rules`].
    pub rules: Vec<String>,
    /// The known deviation of our number, as a share of the published number.
    pub deviation: f64,
    /// Limit on the distance of our number from that.
    pub tolerance: Tolerance,
    /// Why our number deviates.
    pub why: String,
    /// An input that decides about the number and that the paper does not publish.
    pub missing: String,
    /// The same claim under other rules or assumptions, which show the cause of a deviation.
    pub shown_by: Vec<ClaimSpec>,
}

/// A number as a paper prints it: `3.52`; or a range, `17..18`, or a bound, `..1.2` or `1..`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Printed {
    /// As written.
    pub text: String,
    /// The number, or the lower end of the range.
    pub least: f64,
    /// The number, or the upper end of the range.
    pub most: f64,
    /// Half a unit of the last printed digit.
    pub rounding: f64,
}

impl Printed {
    /// The number; of a range that which is nearest to `number`.
    pub fn nearest(&self, number: f64) -> f64 {
        number.max(self.least).min(self.most)
    }

    /// Whether it is a range or a bound.
    pub fn is_range(&self) -> bool {
        self.least < self.most
    }

    /// Whether it may be `number`, rounded to the printed digits.
    pub fn rounds_from(&self, number: f64) -> bool {
        /// Of binary fractions.
        const EXACT: f64 = 1e-9;
        (number - self.nearest(number)).abs() <= self.rounding * (1.0 + EXACT)
    }
}

/// Limit on the distance of our number from the published one with its known deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tolerance {
    /// As far as rounding to the printed digits makes it.
    Rounding,
    /// A share of the published number.
    Share(f64),
}

impl Default for Tolerance {
    fn default() -> Self {
        Self::Share(0.0)
    }
}

/// Reads a gallery entry, as far as it can be read, with all mistakes.
///
/// `gallery::Entry::from_text` reads and validates in one step.
pub fn read_gallery_entry(text: &str) -> Reading<GallerySpec> {
    let (root, mut reader) = Reader::open(text);
    let fields = LocatedNode::root(&root).fields(&mut reader, &ENTRY);
    let opens = match fields.need(&mut reader, "opens", "{ view: landscape, hardware: tpu-like, workload: fsrcnn }") {
        Some(place) => read_opens(place, &mut reader),
        None => OpensSpec::default(),
    };
    let claims = match fields.need(&mut reader, "claims", "[{ what: least energy, published: 1, ... }]") {
        Some(place) => place.list(&mut reader, MAX_CLAIMS).iter().map(|claim| read_claim(claim, &mut reader)).collect(),
        None => Vec::new(),
    };
    let spec = GallerySpec {
        title: needed_text(&fields, &mut reader, "title", "The landscape of FSRCNN"),
        paper: needed_text(&fields, &mut reader, "paper", "DeFiNES"),
        place: needed_text(&fields, &mut reader, "place", "Fig. 12"),
        lesson: needed_text(&fields, &mut reader, "lesson", "Neither small nor large tiles are best."),
        opens,
        claims,
    };
    Reading::new(spec, reader.finish())
}

pub(super) fn read_opens(place: &LocatedNode, reader: &mut Reader) -> OpensSpec {
    let fields = place.fields(reader, &OPENS);
    let names = |name: &str, reader: &mut Reader| fields.get(name).map(|place| place.names(reader)).unwrap_or_default();
    OpensSpec {
        view: fields.name(reader, "view", "landscape"),
        hardware: fields.name(reader, "hardware", "meta-proto-like-df"),
        workload: fields.name(reader, "workload", "fsrcnn"),
        rules: names("rules", reader),
        strategy: fields.get("strategy").and_then(|place| place.name(reader)),
        lpf_limit: fields.get("lpf_limit").and_then(|place| place.count(reader)),
        tiles_x: names("tiles_x", reader),
        tiles_y: names("tiles_y", reader),
        point: fields.get("point").and_then(|place| place.name(reader)),
        layer: fields.get("layer").and_then(|place| place.name(reader)),
        order: match fields.get("order") {
            Some(place) => place.list(reader, MAX_LOOPS).iter().filter_map(|item| item.name(reader)).collect(),
            None => Vec::new(),
        },
        ends: fields.get("ends").map(|place| read_lists(place, reader)).unwrap_or_default(),
        budget_um2: fields.get("budget").and_then(|place| place.figure(reader, "an area", super::quantity::area_um2)),
        cores: fields.get("cores").map(|place| read_words(place, reader)).unwrap_or_default(),
        cuts: names("cuts", reader),
        set: fields.get("set").map(|place| read_words(place, reader)).unwrap_or_default(),
    }
}

/// Names, each with a text.
fn read_words(place: &LocatedNode, reader: &mut Reader) -> Vec<(String, String)> {
    let entries = place.entries(reader);
    entries.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.text(reader)?))).collect()
}

fn read_claim(place: &LocatedNode, reader: &mut Reader) -> ClaimSpec {
    let fields = place.fields(reader, &CLAIM);
    let (measure, parameters) = match fields.need(reader, "measure", "energy: { of: best }") {
        Some(place) => read_measure(place, reader),
        None => Default::default(),
    };
    let published = fields.need(reader, "published", "1.8");
    let published = published.and_then(|place| place.value(reader, "a number", printed)).unwrap_or_default();
    let unit = fields.get("unit").and_then(|place| place.name(reader)).unwrap_or_default();
    let claim = ClaimSpec { published, unit, measure, parameters, ..ClaimSpec::default() };
    let shown_by = fields.get("shown_by").map(|place| place.list(reader, MAX_VARIATIONS)).unwrap_or_default();
    let variation = |place: &LocatedNode, reader: &mut Reader| {
        let fields = place.fields(reader, &VARIATION);
        let mut variation = claim.clone();
        if let Some(place) = fields.get("measure") {
            (variation.measure, variation.parameters) = read_measure(place, reader);
        }
        read_comparison(variation, &fields, reader)
    };
    let shown_by = shown_by.iter().map(|place| variation(place, reader)).collect();
    let missing = fields.text(reader, "missing");
    read_comparison(ClaimSpec { missing, shown_by, ..claim.clone() }, &fields, reader)
}

/// Fields that a claim and its variations have in common.
fn read_comparison(claim: ClaimSpec, fields: &Fields, reader: &mut Reader) -> ClaimSpec {
    let rules = fields.get("rules").map(|place| place.names(reader)).unwrap_or_default();
    let deviation = fields.get("deviation").and_then(|place| place.value(reader, "a share", share));
    let tolerance = fields.get("tolerance").and_then(|place| place.value(reader, "a share or `rounding`", tolerance));
    ClaimSpec {
        what: needed_text(fields, reader, "what", "least energy"),
        rules,
        deviation: deviation.unwrap_or_default(),
        tolerance: tolerance.unwrap_or_default(),
        why: fields.text(reader, "why"),
        ..claim
    }
}

/// A name alone, or one with parameters: `energy: { of: best }`.
pub(super) fn read_measure(place: &LocatedNode, reader: &mut Reader) -> (String, Vec<(String, Vec<String>)>) {
    if place.is_scalar() {
        return (place.name(reader).unwrap_or_default(), Vec::new());
    }
    let entries = place.entries(reader);
    let [(name, parameters)] = entries.as_slice() else {
        if place.is_map() {
            let remedy = "Write one, with its parameters in braces: `energy: { of: best }`";
            place.reject(reader, ValueError::new("A claim has one measure", remedy));
        }
        return Default::default();
    };
    ((*name).to_owned(), read_lists(parameters, reader))
}

fn read_lists(place: &LocatedNode, reader: &mut Reader) -> Vec<(String, Vec<String>)> {
    place.entries(reader).iter().map(|(name, place)| ((*name).to_owned(), place.names(reader))).collect()
}

pub(super) fn needed_text(fields: &Fields, reader: &mut Reader, name: &str, example: &str) -> String {
    fields.need(reader, name, example).and_then(|place| place.text(reader)).unwrap_or_default()
}

fn printed(text: &str) -> Result<Printed, ValueError> {
    let wrong = || {
        let remedy = "Write for example `1.8`, a range `17..18` or a bound `..1.2`";
        ValueError::new(format!("`{text}` is not a number"), remedy)
    };
    let number = |digits: &str| digits.parse::<f64>().ok().filter(|number| number.is_finite()).ok_or_else(wrong);
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    let least = if from.is_empty() && !to.is_empty() { f64::NEG_INFINITY } else { number(from)? };
    let most = if to.is_empty() { f64::INFINITY } else { number(to)? };
    if least > most {
        return Err(wrong());
    }
    let digits = if to.is_empty() { from } else { to };
    let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    Ok(Printed { text: text.to_owned(), least, most, rounding: 0.5 / 10_f64.powi(decimals as i32) })
}

fn tolerance(text: &str) -> Result<Tolerance, ValueError> {
    if text == "rounding" { Ok(Tolerance::Rounding) } else { share(text).map(Tolerance::Share) }
}

pub(super) fn share(text: &str) -> Result<f64, ValueError> {
    let percent = text.strip_suffix('%').and_then(|percent| percent.trim().parse::<f64>().ok());
    match percent {
        Some(percent) if percent.is_finite() => Ok(percent / 100.0),
        _ => Err(ValueError::new(format!("`{text}` is no share in percent"), "Write for example `0.5 %`")),
    }
}
