//! Encoding of a state as fields: its differences from the baseline.

use super::baseline::baseline;
use super::fields::{Mapping, StateField, Text, number};
use super::frozen::{FrozenKind, fingerprint, fnv_1a};
use super::packing::packed_length;
use super::{kinds, patch};
use fusescape_spec::sorting::sort_by_key;
use fusescape_state::{Choice, CoresForm, Design, Form, FormField, HierarchyForm, State, View};
use std::collections::HashSet;

/// Larger texts are not encoded as patches, bytes.
const LARGE: usize = 1 << 18;
/// Number of the texts with the most common lines that are compared byte by byte.
const MOST_COMPARED: usize = 3;

/// The differences; with or without documents that are not in force.
pub(super) fn fields(state: &State, with_own: bool) -> Vec<StateField> {
    let mut base = baseline();
    let mut fields = Vec::new();
    if let Some(pinned) = &state.pinned {
        design(&pinned.design, &base.design, with_own, &mut fields);
        // Of the view only the point.
        members(&View { point: pinned.point.clone(), ..base.view.clone() }, &base.view, &mut fields);
        cores(&pinned.cores, &base.cores, with_own, &mut fields);
        fields.push(StateField { number: number::PIN, bytes: Vec::new() });
        base.design = pinned.design.clone();
        base.cores = pinned.cores.clone();
    }
    design(&state.design, &base.design, with_own, &mut fields);
    mapping(state, &mut fields);
    hierarchy(&state.hierarchy, &base.hierarchy, &mut fields);
    cores(&state.cores, &base.cores, with_own, &mut fields);
    members(&state.table, &base.table, &mut fields);
    members(&state.attention, &base.attention, &mut fields);
    members(&state.study, &base.study, &mut fields);
    members(&state.view, &base.view, &mut fields);
    let shown = [state.view.hardware_text, state.view.workload_text, state.hierarchy.shows_pool];
    let bits = shown.iter().rev().fold(0, |bits, shown| bits << 1 | u8::from(*shown));
    if bits != 0 {
        fields.push(StateField::new(number::TEXTS, &bits));
    }
    fields.extend(state.entry.map(|id| StateField::new(number::ENTRY, &entry_name(id))));
    fields.extend(state.lesson.as_ref().map(|lesson| match lesson.name() {
        Some(name) => StateField::new(number::LESSON, &entry_name(&name)),
        None => StateField::new(number::EXERCISE, &**lesson),
    }));
    fields
}

fn design(design: &Design, base: &Design, with_own: bool, fields: &mut Vec<StateField>) {
    let documents = [
        (FrozenKind::Hardware, &design.hardware, &base.hardware, number::HARDWARE, number::OWN_HARDWARE),
        (FrozenKind::Workload, &design.workload, &base.workload, number::WORKLOAD, number::OWN_WORKLOAD),
    ];
    for (kind, document, base, number, _) in &documents {
        if document.text != base.text {
            fields.push(StateField::new(*number, &text(*kind, &document.text)));
        }
    }
    for (kind, document, _, _, number) in &documents {
        let own = document.own.as_ref().filter(|own| with_own && **own != document.text);
        fields.extend(own.map(|own| StateField::new(*number, &text(*kind, own))));
    }
    members(&design.schedule, &base.schedule, fields);
}

/// A text as the hash of a known text, else as a patch of one.
fn text(kind: FrozenKind, text: &str) -> Text {
    let name = fingerprint(text);
    if kind.find(name).is_some_and(|frozen| frozen.text == text) {
        return Text::Frozen(name);
    }
    if text.len() > LARGE {
        return Text::Plain(text.to_owned());
    }
    let lines: HashSet<&str> = text.lines().collect();
    let mut known: Vec<(usize, &str)> = kind
        .texts()
        .map(|frozen| (frozen.text.lines().filter(|line| lines.contains(line)).count(), frozen.text))
        .collect();
    sort_by_key(&mut known, |(shared, _)| std::cmp::Reverse(*shared));
    let patched = |base: &str| Text::Patched(fingerprint(base), patch::diff(base, text));
    let patches = known.iter().take(MOST_COMPARED).map(|(_, base)| patched(base));
    patches.min_by_key(packed_length).unwrap_or_else(|| Text::Plain(text.to_owned()))
}

fn mapping(state: &State, fields: &mut Vec<StateField>) {
    fields.extend(state.mapping.layer.as_ref().map(|layer| StateField::new(number::LAYER, layer)));
    if let Some(unroll) = state.unroll() {
        let unroll = unroll.iter().map(|one| (one.array_dim.index() as u32, one.dim.number(), one.limit));
        fields.push(StateField::new(number::UNROLL, &unroll.collect::<Vec<_>>()));
    }
    if !state.mapping.constraints.is_empty() {
        fields.push(StateField::new(number::CONSTRAINTS, &state.mapping.constraints));
    }
    if let Some(own) = state.own_mapping() {
        let order = own.order.iter().map(|next| (next.dim.number(), next.size)).collect();
        let ends = own.ends.clone().map(|ends| ends.into_iter().map(|end| end as u32).collect());
        fields.push(StateField::new(number::MAPPING, &Mapping { order, ends }));
    }
}

fn hierarchy(form: &HierarchyForm, base: &HierarchyForm, fields: &mut Vec<StateField>) {
    if form.pool != base.pool {
        fields.push(StateField::new(number::POOL, &text(FrozenKind::Pool, &form.pool)));
    }
    members(form, base, fields);
}

fn cores(form: &CoresForm, base: &CoresForm, with_own: bool, fields: &mut Vec<StateField>) {
    // A system written by hand is repeated, as the pinned one is independent.
    if form.preset != base.preset || form.preset.is_none() {
        fields.push(StateField::new(number::SYSTEM, &text(FrozenKind::System, form.system())));
    }
    if with_own && form.preset.is_some() && !form.own.is_empty() {
        fields.push(StateField::new(number::OWN_SYSTEM, &text(FrozenKind::System, &form.own)));
    }
    members(form, base, fields);
}

/// The fields in which a form differs from another.
fn members<F: Form>(form: &F, base: &F, fields: &mut Vec<StateField>) {
    let (mut form, mut base) = (form.clone(), base.clone());
    for FormField { number, slot, .. } in F::FIELDS {
        let bytes = kinds::pack(slot(&mut form));
        if bytes != kinds::pack(slot(&mut base)) {
            fields.push(StateField { number: *number, bytes });
        }
    }
}

/// A hash of the name of an entry of the gallery or of a step of a lesson.
pub(super) fn entry_name(id: &str) -> [u8; 4] {
    fnv_1a(id.as_bytes()).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusescape_lesson::{lessons, step_name};
    use fusescape_spec::gallery_presets;

    #[test]
    fn no_two_names_of_entries_are_equal() {
        let mut names: Vec<_> = gallery_presets().iter().map(|entry| entry_name(entry.id)).collect();
        for (id, lesson) in lessons().unwrap() {
            names.extend((0..lesson.steps.len() as u32).map(|step| entry_name(&step_name(id, step))));
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
