//! The design of a step with other values of some of its fields: what a task lets one change, and what a curve goes along.

use crate::gallery::{ONE_STACK, Opening, open_with_documents};
use crate::spec::{Diagnostics, FieldSpec, OpensSpec};

/// A field, and the values that it may have.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Which: `hardware.sram_64KB.size`, `point`, `cut.conv1`.
    pub field: String,
    /// For a person.
    pub name: String,
    /// As documents write them.
    pub values: Vec<String>,
}

/// What a step opens, and the documents that it names.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Opener {
    pub spec: OpensSpec,
    pub documents: Vec<(String, String)>,
    pub path: String,
}

/// Names of fields that are no field of a document.
const OTHERS: [&str; 8] = ["hardware", "workload", "point", "layer", "tiles_x", "tiles_y", "strategy", "rules"];

impl Opener {
    /// What the step opens.
    pub fn open(&self, diagnostics: &mut Diagnostics) -> Option<Opening> {
        open_with_documents(&self.spec, &self.documents, &self.path, diagnostics)
    }

    /// The same with these values of some fields.
    ///
    /// # Errors
    /// All that makes no sense.
    pub fn open_with(&self, fields: &[Field], values: &[u32]) -> Result<Opening, Diagnostics> {
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

impl Field {
    /// Reads a field; `path` is where it is written.
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

/// Writes the value of a field as if the document said so.
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
                    // Cuts by hand: none of them still is one stack.
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
