//! Writing a state.

use super::item::{Item, list, text, words, write};
use super::{VERSION, kinds};
use crate::{AttentionForm, CoresForm, Design, DesignTable, Form, FormField, HierarchyForm, State, StudyForm};
use fusescape_lesson::{LessonSource, OpenLesson};
use fusescape_spec::{MARK, scalar};

/// The first lines of a file.
const HEAD: &str = "\
# A design for Fusescape. The page opens it when it is dropped there, or under “Files”;
# on the command line: `fusescape report FILE`, `fusescape link open FILE`.
";

impl State {
    /// The effective state as a file.
    pub fn to_yaml(&self) -> String {
        let mut fields = vec![(MARK, Item::Line(VERSION.to_string()))];
        fields.extend(design(&self.design));
        if let Some(pinned) = &self.pinned {
            let mut pinned_fields = design(&pinned.design);
            pinned_fields.extend(pinned.point.as_ref().map(|opened| ("point", kinds::point(opened))));
            pinned_fields.push(("cores", Item::Fields(cores(&pinned.cores))));
            fields.push(("pinned", Item::Fields(pinned_fields)));
        }
        fields.push(("view", Item::Fields(self.view_fields())));
        let mapping = self.mapping_fields();
        if !mapping.is_empty() {
            fields.push(("mapping", Item::Fields(mapping)));
        }
        fields.push(("hierarchies", Item::Fields(hierarchies(&self.hierarchy))));
        fields.push(("cores", Item::Fields(cores(&self.cores))));
        if self.attention != AttentionForm::default() {
            fields.push(("attention", Item::Fields(members(&self.attention))));
        }
        if self.study != StudyForm::default() {
            fields.push(("study", Item::Fields(members(&self.study))));
        }
        if self.table != DesignTable::default() {
            fields.push(("table", Item::Fields(members(&self.table))));
        }
        fields.extend(self.entry.map(|entry| ("gallery", Item::Line(scalar(entry)))));
        fields.extend(self.lesson.as_ref().map(|lesson| match lesson.name() {
            Some(name) => ("lesson", Item::Line(scalar(&name))),
            None => ("exercise", Item::Fields(exercise(lesson))),
        }));
        let mut text = HEAD.to_owned();
        write(&mut text, 0, &fields);
        text
    }

    fn view_fields(&self) -> Vec<(&'static str, Item)> {
        let view = &self.view;
        let shown = [
            ("hardware", view.hardware_text),
            ("workload", view.workload_text),
            ("pool", self.hierarchy.shows_pool),
            ("system", self.cores.shows_system),
        ];
        let shown: Vec<String> = shown.iter().filter(|(_, shown)| *shown).map(|(name, _)| (*name).to_owned()).collect();
        let mut fields = members(view);
        if !shown.is_empty() {
            fields.push(("texts", list(shown)));
        }
        fields
    }

    fn mapping_fields(&self) -> Vec<(&'static str, Item)> {
        let mut fields = Vec::new();
        fields.extend(self.mapping.layer.as_ref().map(|layer| ("layer", words(layer))));
        if let Some(unroll) = self.unroll() {
            let one = |one: &fusescape_engine::hardware::Unroll| {
                format!("{} {} {}", one.array_dim.index() + 1, one.dim, one.limit)
            };
            fields.push(("unroll", list(unroll.iter().map(one).collect())));
        }
        if !self.mapping.constraints.is_empty() {
            fields.push(("constraints", text(&self.mapping.constraints)));
        }
        if let Some(own) = self.own_mapping() {
            let order = own.order.iter().map(|next| format!("{} {}", next.dim, next.size)).collect();
            fields.push(("order", list(order)));
            for (name, ends) in
                ["ends_of_output", "ends_of_first_input", "ends_of_second_input"].into_iter().zip(&own.ends)
            {
                fields.push((name, list(ends.iter().map(usize::to_string).collect())));
            }
        }
        fields
    }
}

fn design(design: &Design) -> Vec<(&'static str, Item)> {
    vec![
        ("schedule", Item::Fields(members(&design.schedule))),
        ("hardware", text(&design.hardware.text)),
        ("workload", text(&design.workload.text)),
    ]
}

/// The fields of a form, without empty ones, which are the default.
fn members<F: Form + Default>(form: &F) -> Vec<(&'static str, Item)> {
    let (mut form, mut default) = (form.clone(), F::default());
    let mut items = Vec::new();
    for FormField { names, slot, .. } in F::FIELDS {
        let is_left_out = kinds::is_empty(&slot(&mut form)) && kinds::is_empty(&slot(&mut default));
        if !is_left_out {
            items.extend(kinds::write(names, slot(&mut form)));
        }
    }
    items
}

fn exercise(lesson: &OpenLesson) -> Vec<(&'static str, Item)> {
    let source = match &lesson.source {
        LessonSource::Preset(name) => words(name),
        LessonSource::Text(written) => text(written),
    };
    let mut fields = vec![("lesson", source)];
    if !lesson.student.is_empty() {
        fields.push(("student", words(&lesson.student)));
    }
    fields.push(("step", Item::Line((lesson.step + 1).to_string())));
    if !lesson.values.is_empty() {
        fields.push(("values", list(lesson.values.iter().map(u32::to_string).collect())));
    }
    fields
}

fn hierarchies(form: &HierarchyForm) -> Vec<(&'static str, Item)> {
    let mut fields = vec![("pool", text(&form.pool))];
    fields.extend(members(form));
    fields
}

fn cores(form: &CoresForm) -> Vec<(&'static str, Item)> {
    let mut fields = vec![("system", text(form.system()))];
    fields.extend(members(form));
    fields
}
