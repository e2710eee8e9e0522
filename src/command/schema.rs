//! Schemas of reports in `docs/schema/`, made from their types.

pub use super::options::document::options;

use super::attention_report::{DividedFound, PublishedFound, StepFound};
use super::compare::Comparison;
use super::cores_report::CoresFound;
use super::fuse::FusionsFound;
use super::hierarchy::HierarchiesFound;
use super::layer_report::LayersFound;
use super::optimal::OptimumFound;
use super::report::{Report, Stamped, schema_name};
use super::sequences::SequenceTables;
use super::study::StudyFound;
use super::study_front::FrontFound;
use super::sweep_report::SweepFound;
use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema, json_schema};
use serde_json::{Map, Value};

/// The schema of every report, by kind.
pub fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        attention(),
        of::<Comparison<'_>>(),
        of::<CoresFound<'_>>(),
        of::<SweepFound<'_>>(),
        of::<FusionsFound<'_>>(),
        of::<HierarchiesFound>(),
        of::<LayersFound<'_>>(),
        of::<OptimumFound<'_>>(),
        of::<SequenceTables<'_>>(),
        of::<StudyFound<'_>>(),
        of::<FrontFound<'_>>(),
    ]
}

fn of<R: Report + JsonSchema>() -> (&'static str, Schema) {
    let settings = SchemaSettings::draft2020_12().for_serialize().with_transform(tidy);
    let mut schema = settings.into_generator().into_root_schema_for::<Stamped<'_, R>>();
    schema.insert("title".to_owned(), schema_name::<R>().into());
    (R::KIND, schema)
}

/// `fusescape attention` prints one of three reports: their fields are merged, with those of only some of them
/// optional.
fn attention() -> (&'static str, Schema) {
    let (kind, whole) = of::<StepFound<'_>>();
    let reports = [whole.clone(), of::<DividedFound<'_>>().1, of::<PublishedFound>().1];
    let union = |member: &str| -> Map<String, Value> {
        let members = reports.iter().filter_map(|schema| schema.get(member)?.as_object());
        members.flatten().map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    let required: Vec<&Vec<Value>> = reports.iter().filter_map(|schema| schema.get("required")?.as_array()).collect();
    let is_common = |name: &Value| required.iter().all(|names| names.contains(name));
    let common: Vec<Value> =
        required.iter().take(1).flat_map(|names| names.iter().filter(|name| is_common(name)).cloned()).collect();
    let own = |names: &&Vec<Value>| -> Value {
        let own: Vec<&Value> = names.iter().filter(|name| !is_common(name)).collect();
        json_schema!({ "required": own }).into()
    };
    let mut schema = whole;
    schema.insert(
        "description".to_owned(),
        "What `fusescape attention --format json` prints: one step of a transformer on a core, or, with `--cores`, divided among several \
         cores, or, with `--published`, the dataflows of the FuseMax artifact."
            .into(),
    );
    schema.insert("oneOf".to_owned(), required.iter().map(own).collect());
    schema.insert("properties".to_owned(), union("properties").into());
    schema.insert("$defs".to_owned(), union("$defs").into());
    schema.insert("required".to_owned(), common.into());
    (kind, schema)
}

/// The schema of one of these texts.
pub(crate) fn one_of(names: &[&str]) -> Schema {
    json_schema!({ "enum": names })
}

/// Simplifies a schema: no widths of numbers; no fields beside the listed ones; descriptions as a paragraph without
/// links.
pub(crate) fn tidy(schema: &mut Schema) {
    if let Some(format) = schema.remove("format") {
        let is_narrow = format.as_str().is_some_and(|format| format.ends_with("int8") || format.ends_with("int16"));
        if is_narrow {
            schema.remove("maximum");
        }
    }
    schema.remove("default");
    if schema.get("properties").is_some() && schema.get("additionalProperties").is_none() {
        schema.insert("additionalProperties".to_owned(), false.into());
    }
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = without_links(text).split_whitespace().collect::<Vec<_>>().join(" ");
    }
    transform_subschemas(&mut tidy, schema);
}

/// The text of a doc comment, with links replaced by their text.
fn without_links(text: &str) -> String {
    let mut parts = text.split("[`");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (shown, after) = part.split_once("`]").unwrap_or((part, ""));
        let after = after.strip_prefix('(').and_then(|link| Some(link.split_once(')')?.1)).unwrap_or(after);
        plain += &format!(
            "`{}`{after}",
            shown.trim_start_matches("crate::").trim_start_matches("super::").trim_start_matches("Self::")
        );
    }
    plain
}
