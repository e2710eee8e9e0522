//! The state that an entry, or a step of a lesson, opens.

use super::choice::{DocumentChoice, choose_document};
use super::parameters::choose;
use super::run_strategy::RunStrategy;
use fusescape_engine::depth_first::{DepthFirstStrategy, FuseDepth, StoringMode};
use fusescape_engine::explore::{Settings, TemporalMapping, parse_sizes};
use fusescape_engine::hardware::Operand;
use fusescape_engine::mapping::TemporalLoop;
use fusescape_engine::multicore::{CoreId, CoresSettings, OrderRule, Scheduler, StackRule, TileGranularity};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::Strategy;
use fusescape_engine::workload::{Dim, Network};
use fusescape_spec::{Diagnostics, OpensSpec, Preset, find_preset, hardware_presets, system_presets, workload_presets};

/// The state that shows an entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Opening {
    /// The view.
    pub shows: EntryView,
    pub hardware: DocumentChoice,
    /// The network.
    pub workload: DocumentChoice,
    /// The sweep, and the search for mappings.
    pub settings: Settings,
    /// Name of the layer to map.
    pub layer: Option<String>,
    /// Its mapping; `None` for the best.
    pub mapping: Option<TemporalMapping>,
    /// The opened point; `None` for the best.
    pub point: Option<DepthFirstStrategy>,
    /// Largest area of generated hierarchies, um2.
    pub budget_um2: Option<f64>,
    pub cores: Option<CoresOpening>,
}

/// A system of cores, and its schedule.
#[derive(Debug, Clone, PartialEq)]
pub struct CoresOpening {
    pub system: &'static Preset,
    /// Granularity and scheduler.
    pub settings: CoresSettings,
    /// Layers with the numbers of their cores; empty for the best.
    pub allocation: Vec<(String, Vec<CoreId>)>,
}

/// The view that shows an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryView {
    /// All points.
    Landscape,
    /// One point.
    Schedule,
    /// Groups of layers that run together.
    Fusion,
    /// One layer.
    Mapping,
    /// Memory hierarchies.
    Hierarchy,
    /// Many cores.
    Cores,
    /// A transformer.
    Attention,
}

/// The word for a single stack, in place of the layers after which stacks end.
pub const ONE_STACK: &str = "one";

/// Limit on LPFs, as in links.
const MOST_LPFS: u64 = 10;

/// The state opened by a step of a lesson, which may contain documents and change single fields; `path` is its place in
/// the document.
pub fn open_with_documents(
    spec: &OpensSpec,
    own: &[(String, String)],
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<Opening> {
    for (field, _) in &spec.set {
        if !field.starts_with("hardware.") && !field.starts_with("workload.") {
            let remedy = "Begin with `hardware.` or `workload.`";
            diagnostics.add(format!("{path}.set.{field}"), format!("`{field}` is no field of a document"), remedy);
        }
    }
    let with = (own, spec.set.as_slice());
    let hardware = choose_document("hardware", &spec.hardware, hardware_presets(), with, path, diagnostics);
    let workload = choose_document("workload", &spec.workload, workload_presets(), with, path, diagnostics);
    if let Some(workload) = &workload {
        check_layers(spec, workload, path, diagnostics);
    }
    open(spec, path, (hardware, workload), diagnostics)
}

/// Checks that the layers named by a step exist.
fn check_layers(spec: &OpensSpec, workload: &DocumentChoice, path: &str, diagnostics: &mut Diagnostics) {
    let cuts = spec.cuts.iter().filter(|word| *word != ONE_STACK);
    let named: Vec<_> =
        cuts.map(|layer| ("cuts", layer)).chain(spec.layer.iter().map(|layer| ("layer", layer))).collect();
    if named.is_empty() {
        return;
    }
    // Errors of the network itself are reported elsewhere.
    let Ok(network) = Network::from_text(workload.text()) else { return };
    let layers: Vec<&str> = network.computing().map(|id| network.layer(id).name.as_str()).collect();
    for (field, layer) in named {
        if !layers.contains(&layer.as_str()) {
            let reason = format!("The network computes no layer `{layer}`");
            diagnostics.add_unknown(format!("{path}.{field}"), reason, layer, &layers);
        }
    }
}

/// The state opened by an entry or a step of a lesson; `path` is its place in the document.
pub(super) fn open(
    spec: &OpensSpec,
    path: &str,
    (hardware, workload): (Option<DocumentChoice>, Option<DocumentChoice>),
    diagnostics: &mut Diagnostics,
) -> Option<Opening> {
    const VIEWS: [(&str, EntryView); 7] = [
        ("landscape", EntryView::Landscape),
        ("schedule", EntryView::Schedule),
        ("fusion", EntryView::Fusion),
        ("mapping", EntryView::Mapping),
        ("hierarchy", EntryView::Hierarchy),
        ("cores", EntryView::Cores),
        ("attention", EntryView::Attention),
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
        fuse: match spec.cuts.as_slice() {
            [] => settings.fuse,
            [word] if word == ONE_STACK => vec![FuseDepth::Cuts(Vec::new())],
            cuts => vec![FuseDepth::Cuts(cuts.iter().filter(|word| *word != ONE_STACK).cloned().collect())],
        },
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

/// The system, and its schedule: `tiles`, `stacks`, `allocation`, `scheduler`, `order`, `weights_first`.
fn read_cores(words: &[(String, String)], note: &mut impl FnMut(&str, &str, String)) -> Option<CoresOpening> {
    const STACKS: [(&str, StackRule); 3] =
        [("automatic", StackRule::Automatic), ("one", StackRule::One), ("each", StackRule::EachLayer)];
    let (mut system, mut settings, mut allocation) = (None, CoresSettings::default(), Vec::new());
    for (name, word) in words {
        let refused = match name.as_str() {
            "system" => find_preset(system_presets(), word)
                .map(|preset| system = Some(preset))
                .map_err(|wrong| wrong.to_string()),
            "tiles" => {
                settings.granularity = read_tiles(word);
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
            _ => {
                Err("Use `system`, `tiles`, `stacks`, `allocation`, `scheduler`, `order` or `weights_first`".to_owned())
            }
        };
        if let Err(remedy) = refused {
            note(&format!("cores.{name}"), word, remedy);
        }
    }
    Some(CoresOpening { system: system?, settings, allocation })
}

/// A number of rows, `layers`, or cuts by hand.
pub(super) fn read_tiles(word: &str) -> TileGranularity {
    match (word, word.parse()) {
        ("layers", _) => TileGranularity::LayerByLayer,
        (_, Ok(rows)) => TileGranularity::Rows(rows),
        _ => TileGranularity::ByHand(word.to_owned()),
    }
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

/// The additional point of a sweep, as a reference.
fn reference(fuse: FuseDepth) -> DepthFirstStrategy {
    DepthFirstStrategy { tile: (u64::MAX, u64::MAX), mode: StoringMode::FullyRecompute, fuse }
}

/// The name of a rule set, then switches with their values.
pub(super) fn read_rules(words: &[String], note: &mut impl FnMut(&str, &str, String)) -> Rules {
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
    /// A strategy with [`RunStrategy::Opened`] replaced by the opened point.
    pub(super) fn resolved(&self, way: RunStrategy) -> RunStrategy {
        match (way, &self.point) {
            (RunStrategy::Opened, None) => RunStrategy::Best(None),
            (RunStrategy::Opened, Some(point)) => match point.fuse {
                FuseDepth::SingleLayer => RunStrategy::SingleLayer,
                FuseDepth::LayerByLayer => RunStrategy::LayerByLayer,
                FuseDepth::Automatic | FuseDepth::Cuts(_) => RunStrategy::Tile(point.tile, point.mode),
            },
            (way, _) => way,
        }
    }

    /// The same state under other rules.
    pub(super) fn under(&self, rules: Rules) -> Self {
        let mut opening = self.clone();
        opening.settings.rules = rules;
        if let Some(cores) = &mut opening.cores {
            cores.settings.rules = rules;
        }
        opening
    }

    /// Index of an operand in a mapping and in tables of mapped layers.
    pub(super) fn index_of(operand: Operand) -> usize {
        match operand {
            Operand::O => 0,
            Operand::W => 1,
            Operand::I => 2,
        }
    }
}
