//! Reading of a state: all errors at once, each with its line.

use super::values::{index, index_of, items, items_up_to, text_of};
use super::{MOST_BYTES, VERSION, kinds};
use crate::{CoresForm, Design, Document, Form, Half, Pinned, State};
use fusescape_engine::explore::TemporalMapping;
use fusescape_engine::hardware::Unroll;
use fusescape_engine::mapping::TemporalLoop;
use fusescape_engine::workload::Dim;
use fusescape_lesson::{LessonSource, OpenLesson, find_step, step_name};
use fusescape_spec::reader::{Fields, LocatedNode, Reader, ValueError};
use fusescape_spec::{Diagnostics, MARK, Preset, gallery_presets, lesson_presets, pool_presets, system_presets};

/// Limit on the loops of a mapping, also in links.
const MOST_LOOPS: usize = 1000;

const STATE: [&str; 15] = [
    MARK,
    "schedule",
    "hardware",
    "workload",
    "pinned",
    "view",
    "mapping",
    "hierarchies",
    "cores",
    "table",
    "attention",
    "study",
    "gallery",
    "lesson",
    "exercise",
];
const EXERCISE: [&str; 4] = ["lesson", "student", "step", "values"];
const PINNED: [&str; 5] = ["schedule", "hardware", "workload", "point", "cores"];
const ENDS: [&str; 3] = ["ends_of_output", "ends_of_first_input", "ends_of_second_input"];
const MAPPING: [&str; 7] = ["layer", "unroll", "constraints", "order", ENDS[0], ENDS[1], ENDS[2]];

impl State {
    /// The state in a file.
    ///
    /// # Errors
    /// All errors. Documents with errors are taken unchanged.
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
            pinned.point = fields.get("point").and_then(|place| kinds::read_point(reader, place));
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
        if let Some(place) = fields.get("attention") {
            members(reader, place, &[], &mut state.attention);
        }
        if let Some(place) = fields.get("study") {
            members(reader, place, &[], &mut state.study);
        }
        if let Some(place) = fields.get("table") {
            members(reader, place, &[], &mut state.table);
        }
        // The mapping belongs to a layer of the documents, which are known by now.
        if let Some(place) = fields.get("mapping") {
            mapping(reader, place, &mut state);
        }
        if let Some(place) = fields.get("gallery") {
            let ids: Vec<&'static str> = gallery_presets().iter().map(|entry| entry.id).collect();
            state.entry = index_of(reader, place, &ids).map(|index| ids[index]);
        }
        if let Some(place) = fields.get("lesson") {
            let names = step_names();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let name = index_of(reader, place, &names).and_then(|index| names.get(index).copied());
            state.lesson = name.and_then(find_step).map(Box::new);
        }
        if let Some(place) = fields.get("exercise") {
            state.lesson = exercise(reader, place).map(Box::new);
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
        members(reader, place, &[], &mut design.schedule);
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

/// Reads the fields of a form, beside other fields.
fn members<'t, F: Form>(
    reader: &mut Reader,
    place: &LocatedNode<'t>,
    others: &[&'static str],
    form: &mut F,
) -> Fields<'t> {
    let names = [others, &F::names()].concat();
    let fields = place.fields(reader, &names);
    for field in F::FIELDS {
        kinds::read(reader, &fields, field.names, (field.slot)(form));
    }
    fields
}

fn view(reader: &mut Reader, place: &LocatedNode, state: &mut State) {
    let fields = members(reader, place, &["texts"], &mut state.view);
    if let Some(place) = fields.get("texts") {
        let texts = ["hardware", "workload", "pool", "system"];
        let shown: Vec<usize> = items(reader, place, |reader, item| index_of(reader, item, &texts));
        (state.view.hardware_text, state.view.workload_text) = (shown.contains(&0), shown.contains(&1));
        (state.hierarchy.shows_pool, state.cores.shows_system) = (shown.contains(&2), shown.contains(&3));
    }
}

fn hierarchies(reader: &mut Reader, place: &LocatedNode, state: &mut State) {
    let form = &mut state.hierarchy;
    let fields = members(reader, place, &["pool"], form);
    if let Some((text, preset)) = document(reader, fields.get("pool"), pool_presets()) {
        (form.pool, form.pool_preset) = (text, preset);
    }
}

fn cores(reader: &mut Reader, place: &LocatedNode, form: &mut CoresForm) {
    // Files from before the search existed only state rows.
    form.granularity = CoresForm::baseline().granularity;
    let fields = members(reader, place, &["system"], form);
    if let Some((text, preset)) = document(reader, fields.get("system"), system_presets()) {
        form.preset = preset.map(str::to_owned);
        if preset.is_none() {
            form.own = text;
        }
    }
}

/// A lesson with a student, or one written by hand.
fn exercise(reader: &mut Reader, place: &LocatedNode) -> Option<OpenLesson> {
    let fields = place.fields(reader, &EXERCISE);
    let lesson = fields.need(reader, "lesson", "why-fuse")?;
    let written = lesson.verbatim(reader)?;
    let source = match lesson_presets().iter().find(|preset| preset.id == written.trim()) {
        Some(preset) => LessonSource::Preset(preset.id.to_owned()),
        None => LessonSource::Text(written),
    };
    let number = |name: &str, reader: &mut Reader| fields.get(name).and_then(|place| place.count(reader));
    let step = number("step", reader).unwrap_or(1).saturating_sub(1).min(u64::from(u32::MAX)) as u32;
    let student = fields.get("student").and_then(|place| text_of(reader, place)).unwrap_or_default();
    let values = match fields.get("values") {
        Some(place) => items_up_to(reader, place, MOST_LOOPS, |reader, item| item.count(reader)),
        None => Vec::new(),
    };
    let values = values.into_iter().map(|value| value.min(u64::from(u32::MAX)) as u32).collect();
    Some(OpenLesson { source, student, step, values })
}

/// Names of the steps of all lessons of the program.
fn step_names() -> Vec<String> {
    let steps = fusescape_lesson::lessons().unwrap_or_default();
    steps.iter().flat_map(|(id, lesson)| (0..lesson.steps.len() as u32).map(|step| step_name(id, step))).collect()
}

fn mapping(reader: &mut Reader, place: &LocatedNode, state: &mut State) {
    let fields = &place.fields(reader, &MAPPING);
    if let Some(layer) = fields.get("layer").and_then(|place| text_of(reader, place)) {
        state.mapping.layer = Some(layer);
    }
    if let Some(place) = fields.get("unroll") {
        let unroll = items_up_to(reader, place, MOST_LOOPS, |reader, item| {
            item.value(reader, "an array dimension, a loop and a number of PEs, for example `1 K 16`", |text| {
                let words: Vec<&str> = text.split_whitespace().collect();
                let parsed = || match words[..] {
                    [dimension, dim, limit] => Some(Unroll {
                        array_dim: dimension
                            .parse::<u32>()
                            .ok()?
                            .checked_sub(1)
                            .map(|index| (index as usize).into())?,
                        dim: Dim::from_name(dim)?,
                        limit: limit.parse().ok()?,
                    }),
                    _ => None,
                };
                parsed()
                    .ok_or_else(|| ValueError::new(format!("`{text}` is no unrolling"), "Write for example `1 K 16`"))
            })
        });
        state.mapping.unroll = Some((state.layer_key(), unroll));
    }
    if let Some(text) = fields.get("constraints").and_then(|place| text_of(reader, place)) {
        state.mapping.constraints = text;
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
        state.mapping.edited = Some((state.mapping_subject(), TemporalMapping { order, ends }));
    }
}
