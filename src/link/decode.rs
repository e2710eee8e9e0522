//! Decoding of fields to a state.

use super::baseline::baseline;
use super::encode::entry_name;
use super::fields::{Mapping, Text, number, take};
use super::frozen::{FrozenKind, fingerprint};
use super::packing::{damaged, newer};
use super::{kinds, patch, wrong};
use fusescape_engine::explore::TemporalMapping;
use fusescape_engine::hardware::Unroll;
use fusescape_engine::mapping::TemporalLoop;
use fusescape_engine::workload::Dim;
use fusescape_lesson::{LessonSource, MOST_BYTES as LONGEST_LESSON, OpenLesson, find_step, step_name};
use fusescape_spec::{Diagnostics, gallery_presets, lesson_presets};
use fusescape_state::{Choice, Document, Form, Pinned, State};

/// Limit on all documents together, bytes: about as much as a file may hold, so that every opened state can be saved. A
/// single document that is too long is kept, too, and reported by its reader.
const MOST_BYTES: usize = 7 << 20;
/// Limit on the length of a field other than a document, bytes.
const LONGEST_FIELD: usize = 1 << 19;
/// Limit on the loops of a mapping.
const MOST_LOOPS: usize = 1000;

/// The state that differs from the baseline by the fields in these bytes.
pub(super) fn state(bytes: &[u8]) -> Result<State, Diagnostics> {
    let mut state = baseline();
    let (mut unroll, mut mapping) = (None, None);
    let mut texts = DocumentReader { left: MOST_BYTES };
    let (mut said, mut rest) = (Vec::new(), bytes);
    while !rest.is_empty() {
        let field = rest.len();
        let from = &mut rest;
        let number = take(from)?;
        // No field of a design occurs twice, and there are at most two designs.
        if said.contains(&number) {
            return Err(damaged());
        }
        said.push(number);
        match number {
            number::HARDWARE => state.design.hardware = texts.document(FrozenKind::Hardware, &take(from)?)?,
            number::WORKLOAD => state.design.workload = texts.document(FrozenKind::Workload, &take(from)?)?,
            number::OWN_HARDWARE => {
                let document = &mut state.design.hardware;
                document.own = texts.aside(FrozenKind::Hardware, &take(from)?, document)?;
            }
            number::OWN_WORKLOAD => {
                let document = &mut state.design.workload;
                document.own = texts.aside(FrozenKind::Workload, &take(from)?, document)?;
            }
            number::POOL => {
                (state.hierarchy.pool, state.hierarchy.pool_preset) = texts.text(FrozenKind::Pool, &take(from)?)?;
            }
            number::TEXTS => {
                let bits: u8 = take(from)?;
                let shown = |bit: u8| bits & (1 << bit) != 0;
                (state.view.hardware_text, state.view.workload_text) = (shown(0), shown(1));
                state.hierarchy.shows_pool = shown(2);
            }
            number::LAYER => state.mapping.layer = Some(take(from)?),
            number::UNROLL => unroll = Some(unrolls(&take::<Vec<_>>(from)?)?),
            number::MAPPING => mapping = Some(own_mapping(&take(from)?)?),
            number::CONSTRAINTS => state.mapping.constraints = texts.plain(take(from)?)?,
            number::PIN => {
                let pinned = state.design.clone();
                state.design.forget_own();
                let (point, cores) = (state.view.point.take(), Pinned::cores_of(&state.cores));
                state.cores.own.clear();
                state.pinned = Some(Box::new(Pinned { design: pinned, point, cores }));
                said = vec![number::PIN];
            }
            number::SYSTEM => {
                let (text, preset) = texts.text(FrozenKind::System, &take(from)?)?;
                state.cores.preset = preset.map(str::to_owned);
                if preset.is_none() {
                    state.cores.own = text;
                }
            }
            number::OWN_SYSTEM => state.cores.own = texts.text(FrozenKind::System, &take(from)?)?.0,
            number::ENTRY => {
                let name: [u8; 4] = take(from)?;
                state.entry = gallery_presets().iter().map(|entry| entry.id).find(|id| entry_name(id) == name);
            }
            number::LESSON => {
                let name: [u8; 4] = take(from)?;
                state.lesson = step_named(name).map(Box::new);
            }
            number::EXERCISE => {
                let lesson: OpenLesson = take(from)?;
                if lesson.source.text().len() > LONGEST_LESSON || lesson.values.len() > MOST_LOOPS {
                    return Err(damaged());
                }
                let is_known = !matches!(&lesson.source, LessonSource::Preset(_) if lesson.source.text().is_empty());
                state.lesson = is_known.then(|| Box::new(lesson));
            }
            _ => {
                let is_known = member(&mut state.design.schedule, number, from)?
                    || member(&mut state.hierarchy, number, from)?
                    || member(&mut state.cores, number, from)?
                    || member(&mut state.table, number, from)?
                    || member(&mut state.attention, number, from)?
                    || member(&mut state.study, number, from)?
                    || member(&mut state.view, number, from)?;
                // The checksum is right, so the link is from a newer version with an additional field.
                is_known.then_some(()).ok_or_else(newer)?;
            }
        }
        if !number::DOCUMENTS.contains(&number) && field - rest.len() > LONGEST_FIELD {
            return Err(damaged());
        }
    }
    // They belong to the layer and the documents, which are complete only now.
    if let Some(unroll) = unroll {
        state.mapping.unroll = Some((state.layer_key(), unroll));
    }
    if let Some(mapping) = mapping {
        state.mapping.edited = Some((state.mapping_subject(), mapping));
    }
    Ok(state)
}

/// Limit on the steps of a lesson.
const MOST_STEPS: u32 = 64;

/// The step of a lesson with this name in links.
fn step_named(name: [u8; 4]) -> Option<OpenLesson> {
    let steps = lesson_presets().iter().flat_map(|preset| (0..MOST_STEPS).map(|step| step_name(preset.id, step)));
    let mut steps = steps.filter(|step| entry_name(step) == name);
    steps.find_map(|step| find_step(&step).filter(|open| open.open_step().is_some()))
}

/// Reads a field of a form; whether it has one with this number.
fn member<F: Form>(form: &mut F, number: u32, from: &mut &[u8]) -> Result<bool, Diagnostics> {
    let Some(field) = F::FIELDS.iter().find(|field| field.number == number) else { return Ok(false) };
    kinds::unpack((field.slot)(form), from)?;
    Ok(true)
}

/// Reads documents, and limits their total size.
struct DocumentReader {
    /// Bytes left for further documents.
    left: usize,
}

impl DocumentReader {
    /// A text, and its preset.
    fn text(&mut self, kind: FrozenKind, written: &Text) -> Result<(String, Option<&'static str>), Diagnostics> {
        let frozen = |name: &[u8; 4]| {
            kind.find(*name).ok_or_else(|| {
                wrong(
                    "The link builds on a document that this version of Fusescape does not have",
                    "Reload this page, or open the link where it was made",
                )
            })
        };
        let text = match written {
            Text::Frozen(name) => return frozen(name).map(|frozen| (frozen.text.to_owned(), frozen.preset)),
            Text::Patched(name, patch) => patch::apply(frozen(name)?.text, patch, self.left),
            Text::Plain(text) => Some(text.clone()).filter(|text| text.len() <= self.left),
        };
        let text = text.ok_or_else(too_large)?;
        self.left -= text.len();
        // A text that equals a preset is that preset, whatever its encoding.
        let preset =
            kind.find(fingerprint(&text)).filter(|frozen| frozen.text == text).and_then(|frozen| frozen.preset);
        Ok((text, preset))
    }

    /// A text of a kind without presets.
    fn plain(&mut self, text: String) -> Result<String, Diagnostics> {
        self.left = self.left.checked_sub(text.len()).ok_or_else(too_large)?;
        Ok(text)
    }

    fn document(&mut self, kind: FrozenKind, written: &Text) -> Result<Document, Diagnostics> {
        let (text, preset) = self.text(kind, written)?;
        let own = preset.is_none().then(|| text.clone());
        Ok(Document { text, preset, own })
    }

    /// A document written by hand that is not in force.
    fn aside(&mut self, kind: FrozenKind, written: &Text, document: &Document) -> Result<Option<String>, Diagnostics> {
        let (text, _) = self.text(kind, written)?;
        Ok(if text == document.text { document.own.clone() } else { Some(text) })
    }
}

fn too_large() -> Diagnostics {
    let reason = format!("The link holds what is no document, or documents of more than {MOST_BYTES} bytes");
    wrong(reason, "Ask for the documents themselves, and enter them as text")
}

fn dim(number: u8) -> Result<Dim, Diagnostics> {
    Dim::numbered(number).ok_or_else(newer)
}

fn unrolls(written: &[(u32, u8, u64)]) -> Result<Vec<Unroll>, Diagnostics> {
    let one = |(array_dim, number, limit): &(u32, u8, u64)| {
        Ok(Unroll { array_dim: (*array_dim as usize).into(), dim: dim(*number)?, limit: *limit })
    };
    written.iter().take(MOST_LOOPS).map(one).collect()
}

fn own_mapping(written: &Mapping) -> Result<TemporalMapping, Diagnostics> {
    let one = |(number, size): &(u8, u64)| Ok(TemporalLoop { dim: dim(*number)?, size: *size });
    let order = written.order.iter().take(MOST_LOOPS).map(one).collect::<Result<_, Diagnostics>>()?;
    let ends = |ends: &Vec<u32>| ends.iter().take(MOST_LOOPS).map(|end| *end as usize).collect();
    Ok(TemporalMapping { order, ends: written.ends.each_ref().map(ends) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::{Patch, StateField};
    use crate::{encode, packing};
    use fusescape_spec::hardware_presets;

    /// The state of a link with these fields; checks that its draft stands for the same state.
    fn opened(fields: &[StateField]) -> State {
        let link = packing::pack(fields);
        let state = crate::from_link(&link).unwrap_or_else(|wrong| panic!("{wrong}"));
        let packed = packing::pack(&encode::fields(&state, true));
        assert_eq!(packing::unpack(&packed).and_then(|bytes| super::state(&bytes)), Ok(state.clone()));
        state
    }

    fn document(text: &Text) -> StateField {
        StateField::new(number::HARDWARE, text)
    }

    fn own(text: &Text) -> StateField {
        StateField::new(number::OWN_HARDWARE, text)
    }

    fn pin() -> StateField {
        StateField { number: number::PIN, bytes: Vec::new() }
    }

    fn reason(fields: &[StateField]) -> String {
        crate::from_link(&packing::pack(fields)).map(|_| String::new()).unwrap_or_else(|wrong| wrong.to_string())
    }

    #[test]
    fn a_preset_is_one_however_it_is_written() {
        let preset = &hardware_presets()[3];
        let plain = || Text::Plain(preset.text.to_owned());
        let state = opened(&[document(&plain())]);
        assert_eq!((state.design.hardware.preset, state.design.hardware.own), (Some(preset.id), None));
        let state = opened(&[document(&plain()), own(&plain())]);
        assert_eq!((state.design.hardware.preset, state.design.hardware.own), (Some(preset.id), None));
        let other = "name: other".to_owned();
        let state = opened(&[document(&plain()), own(&Text::Plain(other.clone()))]);
        assert_eq!((state.design.hardware.preset, state.design.hardware.own), (Some(preset.id), Some(other)));
    }

    #[test]
    fn what_no_link_of_ours_holds_is_refused() {
        // The same field twice in one design, but not in two.
        assert!(reason(&[StateField::new(25, &1u32), StateField::new(25, &1u32)]).contains("damaged"));
        assert!(reason(&[pin(), pin()]).contains("damaged"));
        assert_eq!(
            opened(&[StateField::new(13, &7u32), pin(), StateField::new(13, &8u32)]).design.schedule.lpf_limit,
            8
        );
        // An unknown field, or an unknown choice.
        assert!(reason(&[StateField::new(4000, &0u8)]).contains("newer"));
        assert!(reason(&[StateField::new(22, &200u8)]).contains("newer"));
        // Longer than any field.
        assert!(reason(&[StateField::new(8, &"x".repeat(1 << 20))]).contains("damaged"));
        assert!(reason(&[StateField::new(14, &(0u8, vec![[1u8, 2]; 1000]))]).contains("newer"));
        // Documents that are too large, one or together.
        let hash = fingerprint(hardware_presets()[0].text);
        let long = |bytes: usize| {
            let patch =
                Patch { insertions: vec![1], jumps: vec![0], lengths: vec![bytes as u32 - 1], inserted: vec![b'x'] };
            Text::Patched(hash, Patch { jumps: vec![hardware_presets()[0].text.len() as i32 - 1], ..patch })
        };
        assert_eq!(opened(&[document(&long(MOST_BYTES))]).design.hardware.text, "x".repeat(MOST_BYTES));
        assert!(reason(&[document(&long(MOST_BYTES + 1))]).contains("more than"));
        let half = MOST_BYTES / 2 + 1;
        assert!(reason(&[document(&long(half)), own(&long(half))]).contains("more than"));
    }
}
