//! The design of a step with other values of some fields: for tasks and curves.

use fusescape_gallery::{DocumentChoice, ONE_STACK, Opening, open_with_documents, place_of};
use fusescape_spec::edit::Outline;
use fusescape_spec::{Diagnostics, FieldSpec, OpensSpec};

/// A field of the design, with its possible values.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonField {
    /// Name of the field: `hardware.sram_64KB.size`, `point`, `cut.conv1`.
    pub field: String,
    /// Title of the field.
    pub name: String,
    /// As in documents.
    pub values: Vec<String>,
}

/// The state of a step, and the documents that it names.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Opener {
    pub spec: OpensSpec,
    pub documents: Vec<(String, String)>,
    pub path: String,
}

/// Names of fields that are not in a document.
const OTHERS: [&str; 8] = ["hardware", "workload", "point", "layer", "tiles_x", "tiles_y", "strategy", "rules"];

impl Opener {
    /// The state of the step as written.
    pub fn open(&self, diagnostics: &mut Diagnostics) -> Option<Opening> {
        open_with_documents(&self.spec, &self.documents, &self.path, diagnostics)
    }

    /// The index of the value of a field in the step as written; the first if it is not among the values.
    pub fn place_of_value(&self, field: &LessonField, opens: &Opening) -> u32 {
        let squeezed = |text: &str| text.split_whitespace().collect::<String>();
        let written = self.written(&field.field, opens).map(|text| squeezed(&text));
        let place = field.values.iter().position(|value| Some(squeezed(value)) == written);
        place.unwrap_or_default() as u32
    }

    /// The value of a field in the step as written.
    fn written(&self, field: &str, opens: &Opening) -> Option<String> {
        let listed = |list: &[(String, String)], name: &str| {
            list.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone())
        };
        let of_document = |document: &DocumentChoice, field: &str| {
            let outline = Outline::read(document.text()).ok()?;
            outline.value(&place_of(&outline, field))
        };
        let spec = &self.spec;
        match field {
            "hardware" => Some(spec.hardware.clone()),
            "workload" => Some(spec.workload.clone()),
            "point" => spec.point.clone(),
            "layer" => spec.layer.clone(),
            "strategy" => spec.strategy.clone(),
            "tiles_x" => Some(spec.tiles_x.join(",")),
            "tiles_y" => Some(spec.tiles_y.join(",")),
            "rules" => spec.rules.first().cloned(),
            _ => match field.split_once('.')? {
                ("cut", layer) if spec.cuts.iter().any(|cut| cut == layer) => Some("cut".to_owned()),
                ("cut", _) => Some("fused".to_owned()),
                ("cores", name) => listed(&spec.cores, name),
                ("hardware", field) => of_document(&opens.hardware, field),
                (_, field) => of_document(&opens.workload, field),
            },
        }
    }

    /// The errors of each value of some fields, whose paths are `places`.
    pub fn wrong_values(&self, fields: &[LessonField], places: &[String], diagnostics: &mut Diagnostics) {
        let mut as_written = Diagnostics::default();
        self.open(&mut as_written);
        for (field, place) in fields.iter().zip(places) {
            for (index, value) in field.values.iter().enumerate() {
                let mut wrong = Diagnostics::default();
                let mut spec = self.spec.clone();
                set(&mut spec, &field.field, value);
                open_with_documents(&spec, &self.documents, &self.path, &mut wrong);
                wrong.0.retain(|wrong| !as_written.0.contains(wrong));
                let path = format!("{place}.values[{index}]");
                wrong.0.into_iter().for_each(|wrong| diagnostics.add(&path, wrong.reason, wrong.remedy));
            }
        }
    }

    /// The state with these values of some fields.
    ///
    /// # Errors
    /// All errors of these values.
    pub fn open_with(&self, fields: &[LessonField], values: &[u32]) -> Result<Opening, Diagnostics> {
        let mut spec = self.spec.clone();
        let mut diagnostics = Diagnostics::default();
        for (index, field) in fields.iter().enumerate() {
            let value = values.get(index).and_then(|value| field.values.get(*value as usize));
            match value {
                Some(value) => set(&mut spec, &field.field, value),
                None => diagnostics.add(&field.field, "This value is not on the list", "Choose one of the list"),
            }
        }
        if !diagnostics.is_empty() {
            return Err(diagnostics);
        }
        let opening = open_with_documents(&spec, &self.documents, &self.path, &mut diagnostics);
        match (opening, diagnostics.is_empty()) {
            (Some(opening), true) => Ok(opening),
            _ => Err(diagnostics),
        }
    }
}

impl LessonField {
    /// Reads a field; `path` is its place in the document.
    pub(super) fn read(spec: &FieldSpec, path: &str, diagnostics: &mut Diagnostics) -> Self {
        let FieldSpec { field, name, values } = spec.clone();
        let is_known = OTHERS.contains(&field.as_str())
            || ["hardware.", "workload.", "cores.", "cut."].iter().any(|start| field.starts_with(start));
        if !is_known && !field.is_empty() {
            let remedy = format!(
                "Write `hardware.` or `workload.` and a field of that document, `cores.` and one of its fields, \
                 `cut.` and a layer, or one of {}",
                OTHERS.join(", ")
            );
            diagnostics.add(format!("{path}.field"), format!("`{field}` is no field of a design"), remedy);
        }
        if field.starts_with("cut.") && !values.iter().all(|value| matches!(value.as_str(), "cut" | "fused")) {
            diagnostics.add(format!("{path}.values"), "Layers are cut or fused", "Write `[fused, cut]`");
        }
        if values.len() < 2 {
            diagnostics.add(format!("{path}.values"), "There is nothing to choose from", "List at least two values");
        }
        let name = if name.is_empty() { field.clone() } else { name };
        Self { field, name, values }
    }
}

/// Sets the value of a field, as if it were written in the document.
fn set(spec: &mut OpensSpec, field: &str, value: &str) {
    let one = || vec![value.to_owned()];
    match field {
        "hardware" => value.clone_into(&mut spec.hardware),
        "workload" => value.clone_into(&mut spec.workload),
        "point" => spec.point = Some(value.to_owned()),
        "layer" => spec.layer = Some(value.to_owned()),
        "strategy" => spec.strategy = Some(value.to_owned()),
        "tiles_x" => spec.tiles_x = one(),
        "tiles_y" => spec.tiles_y = one(),
        "rules" => spec.rules = one(),
        _ => {
            if let Some(layer) = field.strip_prefix("cut.") {
                if spec.cuts.is_empty() {
                    // Cuts by hand: without any of them there is still one stack.
                    spec.cuts.push(ONE_STACK.to_owned());
                }
                spec.cuts.retain(|other| other != layer);
                if value == "cut" {
                    spec.cuts.push(layer.to_owned());
                }
                return;
            }
            let (list, name) = match field.strip_prefix("cores.") {
                Some(name) => (&mut spec.cores, name),
                None => (&mut spec.set, field),
            };
            list.retain(|(other, _)| other != name);
            list.push((name.to_owned(), value.to_owned()));
        }
    }
}
