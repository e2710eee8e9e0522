//! Reading a state: all that is wrong at once, each with its line.

use super::{AIMS, MOST_BYTES, ORDERS, RULES, SCHEDULERS, STRATEGIES, VERSION, metrics};
use crate::depth_first::{DepthFirstStrategy, FuseDepth, StoringMode};
use crate::explore::TemporalMapping;
use crate::hardware::Unroll;
use crate::mapping::TemporalLoop;
use crate::rules::Rules;
use crate::spec::reader::{Fields, LocatedNode, Reader, ValueError};
use crate::spec::{Diagnostics, MARK, Preset, closest, gallery_presets, lesson_steps, pool_presets, system_presets};
use crate::state::{
    CoresForm, Design, Document, FuseChoice, Half, LPF_LIMITS, MappingChange, OBJECTIVES, ObjectiveChoice, Pinned,
    Schedule, StackChoice, State, Tab, TileChoice,
};
use crate::workload::Dim;

/// Limit on the layers or tile sizes of a list.
const MOST_ITEMS: usize = 2000;
/// Longest text that is no document, bytes, as links keep it: cores of all layers of the largest network fit.
const LONGEST_TEXT: usize = 500_000;
/// Longest weight, of which three stand in one field of a link.
const LONGEST_WEIGHT: usize = 1000;
/// More loops than any mapping has, and than links keep.
const MOST_LOOPS: usize = 1000;

const STATE: [&str; 11] = [
    MARK,
    "schedule",
    "hardware",
    "workload",
    "pinned",
    "view",
    "mapping",
    "hierarchies",
    "cores",
    "gallery",
    "lesson",
];
const PINNED: [&str; 5] = ["schedule", "hardware", "workload", "point", "cores"];
const SCHEDULE: [&str; 14] = [
    "tile_widths",
    "tile_heights",
    "modes",
    "stacks",
    "cuts",
    "objective",
    "memory",
    "weights",
    "search",
    "lpf_limit",
    "most_layers",
    "most_tiles",
    "rules",
    "switched",
];
const VIEW: [&str; 6] = ["tab", "metric", "point", "stack", "tile_type", "texts"];
const POINT: [&str; 4] = ["tile", "mode", "stacks", "cuts"];
const ENDS: [&str; 3] = ["ends_of_output", "ends_of_first_input", "ends_of_second_input"];
const MAPPING: [&str; 6] = ["layer", "unroll", "order", ENDS[0], ENDS[1], ENDS[2]];
const HIERARCHIES: [&str; 7] = ["pool", "layer", "area", "max_levels", "min_ratio", "all_widths", "objective"];

const CORES: [&str; 11] = [
    "system",
    "tiles",
    "rows",
    "tiles_by_hand",
    "stacks",
    "stacks_end_after",
    "aim",
    "scheduler",
    "order",
    "weights_first",
    "allocation",
];

impl State {
    /// The state that a file holds.
    ///
    /// # Errors
    /// Everything that is wrong with it. Documents with mistakes are taken as they are.
    pub fn from_yaml(text: &str) -> Result<Self, Diagnostics> {
        let (root, mut own) = Reader::open_up_to(text, MOST_BYTES);
        let reader = &mut own;
        let fields = LocatedNode::root(&root).fields(reader, &STATE);
        if let Some(place) = fields.need(reader, MARK, "1")
            && place.count(reader).is_some_and(|version| version > VERSION)
        {
            place.reject(
                reader,
                ValueError::new(
                    "The file is of a newer version of Fusescape",
                    "Reload the page, or update the program",
                ),
            );
        }
        let mut state = Self::first();
        design(reader, &fields, &mut state.design);
        if let Some(place) = fields.get("pinned") {
            let fields = place.fields(reader, &PINNED);
            let mut pinned = Pinned { design: Design::first(), point: None, cores: CoresForm::default() };
            design(reader, &fields, &mut pinned.design);
            pinned.point = fields.get("point").and_then(|place| point(reader, place));
            if let Some(place) = fields.get("cores") {
                cores(reader, place, &mut pinned.cores);
            }
            state.pinned = Some(Box::new(pinned));
        }
        if let Some(place) = fields.get("view") {
            view(reader, place, &mut state);
        }
        if let Some(place) = fields.get("hierarchies") {
            hierarchies(reader, place, &mut state);
        }
        if let Some(place) = fields.get("cores") {
            cores(reader, place, &mut state.cores);
        }
        // It is of a layer of the documents, which are known by now.
        if let Some(place) = fields.get("mapping") {
            mapping(reader, place, &mut state);
        }
        if let Some(place) = fields.get("gallery") {
            let entries: Vec<(&str, &str)> = gallery_presets().iter().map(|entry| (entry.id, entry.id)).collect();
            state.entry = one_of(reader, place, &entries);
        }
        if let Some(place) = fields.get("lesson") {
            let steps: Vec<(&str, &str)> = lesson_steps().iter().map(|step| (*step, *step)).collect();
            state.lesson = one_of(reader, place, &steps);
        }
        own.finish().or(state.cleaned())
    }
}

fn design(reader: &mut Reader, fields: &Fields, design: &mut Design) {
    for half in [Half::Hardware, Half::Workload] {
        if let Some((text, preset)) = document(reader, fields.get(half.name()), half.presets()) {
            let own = preset.is_none().then(|| text.clone());
            *design.document_mut(half) = Document { text, preset, own };
        }
    }
    if let Some(place) = fields.get("schedule") {
        schedule(reader, place, &mut design.schedule);
    }
}

/// A document: its text, or the name of a preset.
fn document(
    reader: &mut Reader,
    place: Option<&LocatedNode>,
    presets: &'static [Preset],
) -> Option<(String, Option<&'static str>)> {
    let written = place?.verbatim(reader)?;
    let is = |preset: &&Preset| preset.id == written.trim() || preset.text == written;
    Some(match presets.iter().find(is) {
        Some(preset) => (preset.text.to_owned(), Some(preset.id)),
        None => (written, None),
    })
}

fn schedule(reader: &mut Reader, place: &LocatedNode, schedule: &mut Schedule) {
    let fields = &place.fields(reader, &SCHEDULE);
    let Schedule {
        tiles_x,
        tiles_y,
        modes,
        fuse,
        cuts,
        most_layers,
        most_tiles,
        objective,
        memory,
        weights,
        strategy,
        lpf_limit,
        rules,
    } = schedule;
    for (name, text) in [
        ("tile_widths", tiles_x),
        ("tile_heights", tiles_y),
        ("cuts", cuts),
        ("most_layers", most_layers),
        ("most_tiles", most_tiles),
        ("memory", memory),
    ] {
        set(text, fields.get(name).and_then(|place| text_of(reader, place)));
    }
    if let Some(place) = fields.get("modes") {
        let chosen: Vec<StoringMode> = items(reader, place, |reader, item| one_of(reader, item, &mode_names()));
        *modes = StoringMode::ALL.into_iter().filter(|mode| chosen.contains(mode)).collect();
    }
    set(fuse, choice(reader, fields, "stacks", &FuseChoice::ALL));
    set(objective, choice(reader, fields, "objective", &ObjectiveChoice::ALL));
    set(strategy, choice(reader, fields, "search", &STRATEGIES));
    if let Some(place) = fields.get("weights") {
        let written = items(reader, place, |reader, item| text_up_to(reader, item, LONGEST_WEIGHT));
        weights.iter_mut().zip(written).for_each(|(weight, text)| *weight = text);
    }
    if let Some(limit) = count(reader, fields, "lpf_limit") {
        // A larger one would only keep workers busy for hours.
        *lpf_limit = limit.clamp(1, *LPF_LIMITS.end());
    }
    set(rules, choice(reader, fields, "rules", &RULES));
    if let Some(place) = fields.get("switched") {
        for name in items(reader, place, |reader, item| one_of(reader, item, &switch_names())) {
            let value = rules.switches().iter().any(|switch| switch.0 == name && switch.2);
            set(rules, rules.with(name, !value));
        }
    }
}

fn view(reader: &mut Reader, place: &LocatedNode, state: &mut State) {
    let fields = &place.fields(reader, &VIEW);
    let view = &mut state.view;
    set(&mut view.tab, choice(reader, fields, "tab", &Tab::ALL));
    set(&mut view.metric, choice(reader, fields, "metric", &metrics()));
    view.point = fields.get("point").and_then(|place| point(reader, place));
    // People count from 1.
    let mut index = |name: &str| count(reader, fields, name).map(|number| number.saturating_sub(1));
    set(&mut view.stack, index("stack"));
    view.tile_type = index("tile_type");
    if let Some(place) = fields.get("texts") {
        let texts = [(0, "hardware"), (1, "workload"), (2, "pool"), (3, "system")];
        let shown: Vec<u8> = items(reader, place, |reader, item| one_of(reader, item, &texts));
        (view.hardware_text, view.workload_text) = (shown.contains(&0), shown.contains(&1));
        state.hierarchy.shows_pool = shown.contains(&2);
        state.cores.shows_system = shown.contains(&3);
    }
}

fn hierarchies(reader: &mut Reader, place: &LocatedNode, state: &mut State) {
    let fields = &place.fields(reader, &HIERARCHIES);
    let form = &mut state.hierarchy;
    if let Some((text, preset)) = document(reader, fields.get("pool"), pool_presets()) {
        (form.pool, form.pool_preset) = (text, preset);
    }
    form.layer = fields.get("layer").and_then(|place| text_of(reader, place));
    set(&mut form.budget, fields.get("area").and_then(|place| text_of(reader, place)));
    set(&mut form.max_levels, count(reader, fields, "max_levels"));
    set(&mut form.min_ratio, fields.get("min_ratio").and_then(|place| place.count(reader)));
    set(&mut form.all_widths, fields.get("all_widths").and_then(|place| place.flag(reader)));
    let objectives: Vec<(usize, &str)> =
        OBJECTIVES.iter().enumerate().map(|(index, (_, name))| (index, *name)).collect();
    set(&mut form.objective, choice(reader, fields, "objective", &objectives));
}

fn cores(reader: &mut Reader, place: &LocatedNode, form: &mut CoresForm) {
    let fields = &place.fields(reader, &CORES);
    if let Some((text, preset)) = document(reader, fields.get("system"), system_presets()) {
        form.preset = preset.map(str::to_owned);
        if preset.is_none() {
            form.own = text;
        }
    }
    set(&mut form.granularity, choice(reader, fields, "tiles", &TileChoice::ALL));
    set(&mut form.stacks, choice(reader, fields, "stacks", &StackChoice::ALL));
    set(&mut form.aim, choice(reader, fields, "aim", &AIMS));
    set(&mut form.scheduler, choice(reader, fields, "scheduler", &SCHEDULERS));
    set(&mut form.order, choice(reader, fields, "order", &ORDERS));
    set(&mut form.prefetches, fields.get("weights_first").and_then(|place| place.flag(reader)));
    for (name, text) in [
        ("rows", &mut form.rows),
        ("tiles_by_hand", &mut form.tiles),
        ("stacks_end_after", &mut form.ends),
        ("allocation", &mut form.allocation),
    ] {
        set(text, fields.get(name).and_then(|place| text_of(reader, place)));
    }
}

fn mapping(reader: &mut Reader, place: &LocatedNode, state: &mut State) {
    let fields = &place.fields(reader, &MAPPING);
    if let Some(layer) = fields.get("layer").and_then(|place| text_of(reader, place)) {
        state.mapping.change(MappingChange::Layer(layer));
    }
    if let Some(place) = fields.get("unroll") {
        let unroll = items_up_to(reader, place, MOST_LOOPS, |reader, item| {
            item.value(reader, "an array dimension, a loop and a number of PEs, for example `1 K 16`", |text| {
                let words: Vec<&str> = text.split_whitespace().collect();
                let parsed = || match words[..] {
                    [dimension, dim, limit] => Some(Unroll {
                        array_dim: dimension.parse::<u32>().ok()?.checked_sub(1)? as usize,
                        dim: Dim::from_name(dim)?,
                        limit: limit.parse().ok()?,
                    }),
                    _ => None,
                };
                parsed()
                    .ok_or_else(|| ValueError::new(format!("`{text}` is no unrolling"), "Write for example `1 K 16`"))
            })
        });
        state.mapping.change(MappingChange::Unroll(state.layer_key(), Some(unroll)));
    }
    if let Some(place) = fields.get("order") {
        let order = items_up_to(reader, place, MOST_LOOPS, |reader, item| {
            item.value(reader, "a loop and its size, for example `OX 4`", |text| {
                let parsed = || {
                    let (dim, size) = text.split_once(' ')?;
                    Some(TemporalLoop { dim: Dim::from_name(dim)?, size: size.trim().parse().ok()? })
                };
                parsed().ok_or_else(|| ValueError::new(format!("`{text}` is no loop"), "Write for example `OX 4`"))
            })
        });
        let ends = ENDS.map(|name| {
            let place = fields.get(name);
            place
                .map(|place| items_up_to(reader, place, MOST_LOOPS, |reader, item| index(item, reader)))
                .unwrap_or_default()
        });
        state.mapping.change(MappingChange::Edit(state.mapping_subject(), TemporalMapping { order, ends }));
    }
}

fn point(reader: &mut Reader, place: &LocatedNode) -> Option<DepthFirstStrategy> {
    let fields = place.fields(reader, &POINT);
    let tile = fields.need(reader, "tile", "[4, 72]")?;
    let sides = items(reader, tile, |reader, item| {
        item.value(reader, "a number of columns or rows, or `all`", |text| match text {
            "all" => Ok(u64::MAX),
            _ => crate::spec::reader::count(text),
        })
    });
    let mode = fields.need(reader, "mode", "fully-cached").and_then(|place| one_of(reader, place, &mode_names()))?;
    let fuse = match choice(reader, &fields, "stacks", &FuseChoice::ALL).unwrap_or_default() {
        FuseChoice::Automatic => FuseDepth::Automatic,
        FuseChoice::SingleLayer => FuseDepth::SingleLayer,
        FuseChoice::LayerByLayer => FuseDepth::LayerByLayer,
        FuseChoice::ByHand => {
            let cuts = fields.get("cuts").map(|place| items(reader, place, |reader, item| item.verbatim(reader)));
            FuseDepth::Cuts(cuts.unwrap_or_default())
        }
    };
    match sides[..] {
        [width, height] => Some(DepthFirstStrategy { tile: (width, height), mode, fuse }),
        _ => {
            tile.reject(reader, ValueError::new("A tile has a width and a height", "Write for example `[4, 72]`"));
            None
        }
    }
}

/// A text with all its blanks.
fn text_of(reader: &mut Reader, place: &LocatedNode) -> Option<String> {
    text_up_to(reader, place, LONGEST_TEXT)
}

fn text_up_to(reader: &mut Reader, place: &LocatedNode, most: usize) -> Option<String> {
    let text = place.verbatim(reader)?;
    if text.len() > most {
        let reason = format!("This text has {} bytes, more than {most}", text.len());
        place.reject(reader, ValueError::new(reason, "Shorten it"));
        return None;
    }
    Some(text)
}

fn mode_names() -> [(StoringMode, &'static str); 3] {
    StoringMode::ALL.map(|mode| (mode, mode.name()))
}

fn switch_names() -> Vec<(&'static str, &'static str)> {
    Rules::default().switches().iter().map(|(name, ..)| (*name, *name)).collect()
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

fn count(reader: &mut Reader, fields: &Fields, name: &str) -> Option<usize> {
    fields.get(name).and_then(|place| index(place, reader))
}

/// A number of something that is counted; none is larger than links keep, and than the page can count to.
fn index(place: &LocatedNode, reader: &mut Reader) -> Option<usize> {
    place.count(reader).map(|number| number.min(u32::MAX.into()) as usize)
}

fn items<'t, T>(
    reader: &mut Reader,
    place: &LocatedNode<'t>,
    read: impl FnMut(&mut Reader, &LocatedNode<'t>) -> Option<T>,
) -> Vec<T> {
    items_up_to(reader, place, MOST_ITEMS, read)
}

fn items_up_to<'t, T>(
    reader: &mut Reader,
    place: &LocatedNode<'t>,
    most: usize,
    mut read: impl FnMut(&mut Reader, &LocatedNode<'t>) -> Option<T>,
) -> Vec<T> {
    place.list(reader, most).iter().filter_map(|item| read(reader, item)).collect()
}

fn choice<T: Clone>(reader: &mut Reader, fields: &Fields, name: &str, all: &[(T, &'static str)]) -> Option<T> {
    fields.get(name).and_then(|place| one_of(reader, place, all))
}

/// What has this name.
fn one_of<T: Clone>(reader: &mut Reader, place: &LocatedNode, all: &[(T, &'static str)]) -> Option<T> {
    let names: Vec<&str> = all.iter().map(|(_, name)| *name).collect();
    let index = index_of(reader, place, &names)?;
    all.get(index).map(|(value, _)| value.clone())
}

fn index_of(reader: &mut Reader, place: &LocatedNode, names: &[&str]) -> Option<usize> {
    place.value(reader, "a name", |text| {
        names.iter().position(|name| *name == text).ok_or_else(|| {
            let meant = closest(text, names.iter().copied());
            let remedy = meant
                .map_or_else(|| format!("Use one of {}", names.join(", ")), |meant| format!("Did you mean `{meant}`?"));
            ValueError::new(format!("`{text}` is not known here"), remedy)
        })
    })
}
