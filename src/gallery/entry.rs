//! An entry of the gallery, validated.

use super::measure::{Measure, Quantity};
use super::parameters::{choose, find};
use super::run_strategy::RunStrategy;
use crate::depth_first::{DepthFirstStrategy, FuseDepth, StoringMode};
use crate::explore::{Settings, TemporalMapping, parse_sizes};
use crate::hardware::Operand;
use crate::mapping::TemporalLoop;
use crate::multicore::{CoreId, CoresSettings, Granularity, OrderRule, Scheduler, StackRule};
use crate::rules::Rules;
use crate::search::Strategy;
use crate::spec::{
    ClaimSpec, Diagnostics, GallerySpec, OpensSpec, Preset, find_preset, gallery_presets, hardware_presets, merge,
    read_gallery_entry, system_presets, workload_presets,
};
use crate::workload::Dim;

/// A published figure or table that can be recomputed.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Name of its file.
    pub id: &'static str,
    /// What it shows.
    pub title: String,
    /// Short name of the paper.
    pub paper: String,
    /// Figure, table or section.
    pub place: String,
    /// What there is to learn.
    pub lesson: String,
    /// The state that shows it.
    pub opens: Opening,
    /// What the paper says in numbers.
    pub claims: Vec<Claim>,
}

/// The state that shows an entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Opening {
    /// The view.
    pub shows: Shown,
    /// The hardware.
    pub hardware: &'static Preset,
    /// The network.
    pub workload: &'static Preset,
    /// What is swept, and how mappings are searched.
    pub settings: Settings,
    /// The layer that is mapped.
    pub layer: Option<String>,
    /// Its mapping; `None`: the best.
    pub mapping: Option<TemporalMapping>,
    /// The opened point; `None`: the best.
    pub point: Option<DepthFirstStrategy>,
    /// Largest area of generated hierarchies, um2.
    pub budget_um2: Option<f64>,
    /// The system of cores, and how it is used.
    pub cores: Option<CoresOpening>,
}

/// A system of cores, and how it is used.
#[derive(Debug, Clone, PartialEq)]
pub struct CoresOpening {
    /// The system.
    pub system: &'static Preset,
    /// How layers are cut and scheduled.
    pub settings: CoresSettings,
    /// Layers with the numbers of their cores; none: the best.
    pub allocation: Vec<(String, Vec<CoreId>)>,
}

/// The view that shows an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// All points.
    Landscape,
    /// One point.
    Schedule,
    /// Which layers run together.
    Fusion,
    /// One layer.
    Mapping,
    /// Memory hierarchies.
    Hierarchy,
    /// Many cores.
    Cores,
}

/// One number of a paper.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// What it is.
    pub what: String,
    /// As the paper has it, in `unit`.
    pub published: f64,
    /// Its unit.
    pub unit: Unit,
    /// What computes ours.
    pub measure: Measure,
    /// By how much ours is known to depart, as a share of the published number.
    pub deviation: f64,
    /// How far ours may be from that, as a share of the published number.
    pub tolerance: f64,
    /// Why it departs; empty where it does not.
    pub why: String,
}

/// A unit that papers write.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    /// As written in documents; empty for a plain count.
    pub name: &'static str,
    /// For a person, with the blank before it: ` mJ`.
    pub symbol: &'static str,
    pub(super) quantity: Quantity,
    /// How many base units it is.
    size: f64,
}

const fn unit(name: &'static str, symbol: &'static str, quantity: Quantity, size: f64) -> (&'static str, Unit) {
    (name, Unit { name, symbol, quantity, size })
}

pub(super) const UNITS: [(&str, Unit); 12] = [
    unit("mJ", " mJ", Quantity::Energy, 1e9),
    unit("uJ", " µJ", Quantity::Energy, 1e6),
    unit("Mcycles", " Mcycles", Quantity::Latency, 1e6),
    unit("cycles", " cycles", Quantity::Latency, 1.0),
    unit("MiB", " MiB", Quantity::Data, 1_048_576.0),
    unit("KiB", " KiB", Quantity::Data, 1024.0),
    unit("MB", " MB", Quantity::Data, 1e6),
    unit("x", "×", Quantity::Ratio, 1.0),
    unit("%", " %", Quantity::Ratio, 0.01),
    unit("GMAC", " GMAC", Quantity::Count, 1e9),
    unit("M", " million", Quantity::Count, 1e6),
    unit("", "", Quantity::Count, 1.0),
];

/// Counts of less than this are written out.
const LARGEST_WHOLE: f64 = 1e15;

impl Unit {
    /// A number of base units in this one.
    pub fn of(self, base: f64) -> f64 {
        base / self.size
    }

    /// A number of this unit, for a person: whole counts in full, all else to four digits.
    pub fn text(self, number: f64) -> String {
        let number = match self.quantity {
            _ if !number.is_finite() => "–".to_owned(),
            Quantity::Count | Quantity::Latency if number.fract() == 0.0 && number.abs() < LARGEST_WHOLE => {
                grouped(number)
            }
            _ => four_digits(number),
        };
        number + self.symbol
    }
}

fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits.as_str()), |digits| ("-", digits));
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|group| str::from_utf8(group).ok()).collect();
    format!("{sign}{}", groups.join(","))
}

fn four_digits(number: f64) -> String {
    let before = if number == 0.0 { 1 } else { number.abs().log10().floor() as i32 + 1 };
    with_decimals(number, (4 - before.max(1)).max(0) as usize)
}

fn with_decimals(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

impl Claim {
    /// By how much `ours`, in the claim's unit, departs from the published number, as a share of that.
    pub fn departure(&self, ours: f64) -> f64 {
        if self.published == ours { 0.0 } else { ours / self.published - 1.0 }
    }

    /// `ours`, in the claim's unit, for a person: with as many decimals as it takes to look unlike the published number, where it departs
    /// visibly.
    pub fn text_of_ours(&self, ours: f64) -> String {
        /// What a deviation in per cent shows.
        const VISIBLE: f64 = 5e-5;
        let (text, published) = (self.unit.text(ours), self.unit.text(self.published));
        if text != published || self.departure(ours).abs() < VISIBLE {
            return text;
        }
        let finer = (1..=9).map(|decimals| with_decimals(ours, decimals) + self.unit.symbol);
        let mut finer = finer.filter(|finer| finer.len() > text.len());
        finer.find(|finer| *finer != published).unwrap_or(text)
    }

    /// Whether it departs by no more than it is known to.
    pub fn holds(&self, ours: f64) -> bool {
        const ROUNDING: f64 = 1e-9;
        (self.departure(ours) - self.deviation).abs() <= self.tolerance + ROUNDING
    }
}

/// All entries, in the order of the gallery.
///
/// # Errors
/// Everything that is wrong with their documents, with the entry in front of each path.
pub fn entries() -> Result<Vec<Entry>, Diagnostics> {
    let mut all = Vec::new();
    let mut diagnostics = Diagnostics::default();
    for preset in gallery_presets() {
        match Entry::from_text(preset.id, preset.text) {
            Ok(entry) => all.push(entry),
            Err(wrong) => diagnostics.0.extend(wrong.0.into_iter().map(|mut wrong| {
                wrong.path = format!("{}: {}", preset.id, wrong.path);
                wrong
            })),
        }
    }
    diagnostics.or(all)
}

/// The entry called `id`.
///
/// # Errors
/// There is none; the remedy names the one that was most likely meant.
pub fn find_entry(id: &str) -> Result<Entry, Diagnostics> {
    let preset = find_preset(gallery_presets(), id)?;
    Entry::from_text(preset.id, preset.text)
}

impl Entry {
    /// Reads and validates an entry.
    ///
    /// # Errors
    /// Everything that is wrong with the text, each with its line, path, reason and remedy.
    pub fn from_text(id: &'static str, text: &str) -> Result<Self, Diagnostics> {
        let (spec, mistakes) = read_gallery_entry(text);
        match Self::new(id, spec) {
            Ok(entry) => mistakes.or(entry),
            Err(found) => Err(merge(text, mistakes, found, &[])),
        }
    }

    fn new(id: &'static str, spec: GallerySpec) -> Result<Self, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let hardware = find(hardware_presets(), &spec.opens.hardware, "opens.hardware", &mut diagnostics);
        let workload = find(workload_presets(), &spec.opens.workload, "opens.workload", &mut diagnostics);
        let opens = open(&spec.opens, "opens", hardware, workload, &mut diagnostics);
        if spec.claims.is_empty() {
            diagnostics.add("claims", "There are no claims", "List at least one");
        }
        let claims = (spec.claims.iter().enumerate())
            .filter_map(|(index, claim)| {
                let path = format!("claims[{index}]");
                let measure = Measure::new(claim, &format!("{path}.measure"), hardware, workload, &mut diagnostics);
                read_claim(claim, &path, measure, &mut diagnostics)
            })
            .collect();
        let GallerySpec { title, paper, place, lesson, .. } = spec;
        match opens {
            Some(opens) => diagnostics.or(Self { id, title, paper, place, lesson, opens, claims }),
            None => Err(diagnostics),
        }
    }
}

fn read_claim(spec: &ClaimSpec, path: &str, measure: Option<Measure>, diagnostics: &mut Diagnostics) -> Option<Claim> {
    let measure = measure?;
    let unit = match choose(&spec.unit, &UNITS) {
        Ok(unit) => unit,
        Err(remedy) => {
            diagnostics.add(format!("{path}.unit"), format!("There is no unit `{}`", spec.unit), remedy);
            return None;
        }
    };
    if unit.quantity != measure.quantity() {
        let units = UNITS.iter().filter(|(_, unit)| unit.quantity == measure.quantity());
        let units: Vec<String> = units.map(|(name, _)| format!("`{name}`")).collect();
        let reason = format!("`{}` is not measured in `{}`", spec.measure, unit.name);
        diagnostics.add(format!("{path}.unit"), reason, format!("Use {}", units.join(" or ")));
    }
    if spec.published == 0.0 {
        diagnostics.add(format!("{path}.published"), "Nothing is a share of 0", "Claim another number");
    }
    if spec.deviation != 0.0 && spec.why.is_empty() {
        diagnostics.add(format!("{path}.why"), "Ours departs and nobody says why", "Write one sentence");
    }
    let ClaimSpec { what, published, deviation, tolerance, why, .. } = spec.clone();
    Some(Claim { what, published, unit, measure, deviation, tolerance, why })
}

/// Links keep no larger limit.
const MOST_LPFS: u64 = 10;

/// The state that an entry or a step of a lesson opens; `path` is where that is written.
pub(super) fn open(
    spec: &OpensSpec,
    path: &str,
    hardware: Option<&'static Preset>,
    workload: Option<&'static Preset>,
    diagnostics: &mut Diagnostics,
) -> Option<Opening> {
    const VIEWS: [(&str, Shown); 6] = [
        ("landscape", Shown::Landscape),
        ("schedule", Shown::Schedule),
        ("fusion", Shown::Fusion),
        ("mapping", Shown::Mapping),
        ("hierarchy", Shown::Hierarchy),
        ("cores", Shown::Cores),
    ];
    const STRATEGIES: [(&str, Strategy); 2] = [("exact", Strategy::Exact), ("loma", Strategy::Loma)];
    let opens = path;
    let mut note = |path: &str, word: &str, remedy: String| {
        diagnostics.add(format!("{opens}.{path}"), format!("`{word}` cannot be used here"), remedy);
    };
    let shows = choose(&spec.view, &VIEWS).map_err(|remedy| note("view", &spec.view, remedy));
    let strategy = spec
        .strategy
        .as_deref()
        .map(|name| choose(name, &STRATEGIES).map_err(|remedy| note("strategy", name, remedy)).unwrap_or_default());
    if let Some(limit) = spec.lpf_limit.filter(|limit| !(1..=MOST_LPFS).contains(limit)) {
        note("lpf_limit", &limit.to_string(), format!("Write 1 to {MOST_LPFS}"));
    }
    let rules = read_rules(&spec.rules, &mut note);
    let mut sizes = |name: &str, words: &[String]| {
        let read = |word: &String| parse_sizes(word).map_err(|wrong| note(name, word, wrong)).unwrap_or_default();
        words.iter().flat_map(read).collect::<Vec<_>>()
    };
    let (tiles_x, tiles_y) = (sizes("tiles_x", &spec.tiles_x), sizes("tiles_y", &spec.tiles_y));
    let point = spec.point.as_deref().and_then(|text| match RunStrategy::parse(text) {
        Ok(RunStrategy::Tile(tile, mode)) => Some(DepthFirstStrategy { tile, mode, fuse: FuseDepth::Automatic }),
        Ok(RunStrategy::SingleLayer) => Some(reference(FuseDepth::SingleLayer)),
        Ok(RunStrategy::LayerByLayer) => Some(reference(FuseDepth::LayerByLayer)),
        _ => {
            note("point", text, "Write a tile and a mode, for example `4x72 fully-cached`".to_owned());
            None
        }
    });
    let cores = read_cores(&spec.cores, &mut note);
    let mapping = read_mapping(spec, &mut note);
    let settings = Settings::default();
    let or = |sizes: Vec<u64>, default: Vec<u64>| if sizes.is_empty() { default } else { sizes };
    let settings = Settings {
        tiles_x: or(tiles_x, settings.tiles_x),
        tiles_y: or(tiles_y, settings.tiles_y),
        rules,
        strategy: strategy.unwrap_or(settings.strategy),
        lpf_limit: spec.lpf_limit.map_or(settings.lpf_limit, |limit| limit as usize),
        ..Settings::default()
    };
    let cores = cores.map(|cores| {
        let (strategy, lpf_limit) = (settings.strategy, settings.lpf_limit);
        CoresOpening { settings: CoresSettings { strategy, lpf_limit, rules, ..cores.settings }, ..cores }
    });
    Some(Opening {
        shows: shows.ok()?,
        hardware: hardware?,
        workload: workload?,
        settings,
        layer: spec.layer.clone(),
        mapping,
        point,
        budget_um2: spec.budget_um2,
        cores,
    })
}

/// The system, and how it is used: `rows`, `tiles`, `stacks`, `allocation`, `scheduler`, `order`, `weights_first`.
fn read_cores(words: &[(String, String)], note: &mut impl FnMut(&str, &str, String)) -> Option<CoresOpening> {
    const STACKS: [(&str, StackRule); 3] =
        [("automatic", StackRule::Automatic), ("one", StackRule::One), ("each", StackRule::EachLayer)];
    let (mut system, mut settings, mut allocation) = (None, CoresSettings::default(), Vec::new());
    for (name, word) in words {
        let refused = match name.as_str() {
            "system" => find_preset(system_presets(), word)
                .map(|preset| system = Some(preset))
                .map_err(|wrong| wrong.to_string()),
            "rows" => word
                .parse()
                .map(|rows| settings.granularity = Granularity::Rows(rows))
                .map_err(|_| "Write a number".to_owned()),
            "tiles" => {
                settings.granularity = match word.as_str() {
                    "layers" => Granularity::LayerByLayer,
                    _ => Granularity::ByHand(word.clone()),
                };
                Ok(())
            }
            "stacks" => choose(word, &STACKS).map(|rule| settings.stacks = rule),
            "scheduler" => {
                let names = Scheduler::ALL.map(|scheduler| (scheduler.name(), scheduler));
                choose(word, &names).map(|scheduler| settings.scheduler = scheduler)
            }
            "order" => {
                let names = OrderRule::ALL.map(|order| (order.name(), order));
                choose(word, &names).map(|order| settings.order = Some(order))
            }
            "allocation" => read_allocation(word).map(|read| allocation = read),
            "weights_first" => word
                .parse()
                .map(|first| settings.prefetches_weights = first)
                .map_err(|_| "Write `true` or `false`".to_owned()),
            _ => Err("Use `system`, `rows`, `tiles`, `stacks`, `allocation`, `scheduler`, `order` or `weights_first`"
                .to_owned()),
        };
        if let Err(remedy) = refused {
            note(&format!("cores.{name}"), word, remedy);
        }
    }
    Some(CoresOpening { system: system?, settings, allocation })
}

/// Layers and numbers of cores: `conv1: 0; conv2: 1 2`.
fn read_allocation(text: &str) -> Result<Vec<(String, Vec<CoreId>)>, String> {
    let line = |line: &str| {
        let (layer, cores) = line.rsplit_once(':')?;
        let core = |core: &str| core.parse::<usize>().ok().map(CoreId::from);
        let cores: Option<Vec<CoreId>> = cores.split_whitespace().map(core).collect();
        Some((layer.trim().to_owned(), cores?))
    };
    let lines: Option<Vec<_>> = text.split(';').map(line).collect();
    lines.ok_or_else(|| "Write layers and numbers of their cores, for example `conv1: 0; conv2: 1 2`".to_owned())
}

/// The point that a sweep has besides, to be compared with.
fn reference(fuse: FuseDepth) -> DepthFirstStrategy {
    DepthFirstStrategy { tile: (u64::MAX, u64::MAX), mode: StoringMode::FullyRecompute, fuse }
}

fn read_rules(words: &[String], note: &mut impl FnMut(&str, &str, String)) -> Rules {
    const SETS: [(&str, Rules); 4] = [
        ("corrected", Rules::CORRECTED),
        ("defines-2022", Rules::DEFINES_2022),
        ("zigzag-3.8", Rules::ZIGZAG_3_8),
        ("zigzag-3.9", Rules::ZIGZAG_3_9),
    ];
    let mut rules = Rules::CORRECTED;
    for (index, word) in words.iter().enumerate() {
        let changed = match word.split_once('=') {
            _ if index == 0 => choose(word, &SETS),
            Some((name, value)) => value
                .trim()
                .parse()
                .ok()
                .and_then(|value| rules.with(name.trim(), value))
                .ok_or_else(|| "Write a switch and its value, for example `array_keeps_inputs=false`".to_owned()),
            None => Err("Write a switch and its value, for example `array_keeps_inputs=false`".to_owned()),
        };
        match changed {
            Ok(changed) => rules = changed,
            Err(remedy) => note("rules", word, remedy),
        }
    }
    rules
}

/// Operands in the order of mappings.
const OPERANDS: [(&str, usize); 3] = [("O", 0), ("W", 1), ("I", 2)];

fn read_mapping(spec: &OpensSpec, note: &mut impl FnMut(&str, &str, String)) -> Option<TemporalMapping> {
    if spec.order.is_empty() {
        return None;
    }
    let mut mapping = TemporalMapping::default();
    for text in &spec.order {
        let read = text
            .split_once(' ')
            .and_then(|(dim, size)| Some(TemporalLoop { dim: Dim::from_name(dim)?, size: size.trim().parse().ok()? }));
        match read {
            Some(read) if read.size > 0 => mapping.order.push(read),
            _ => note("order", text, "Write a loop and its size, for example `K 8`".to_owned()),
        }
    }
    for (name, ends) in &spec.ends {
        match choose(name, &OPERANDS) {
            Ok(operand) => {
                for text in ends {
                    match text.parse() {
                        Ok(end) => mapping.ends[operand].push(end),
                        Err(_) => note("ends", text, "Write after how many loops the level ends".to_owned()),
                    }
                }
            }
            Err(remedy) => note("ends", name, remedy),
        }
    }
    Some(mapping)
}

impl Opening {
    /// Index of an operand in a mapping and in tables of mapped layers.
    pub(super) fn index_of(operand: Operand) -> usize {
        match operand {
            Operand::O => 0,
            Operand::W => 1,
            Operand::I => 2,
        }
    }
}
