//! Schemas of reports, made of their types: `docs/schema/`.

use super::cores_report::CoresFound;
use super::fuse::FusionsFound;
use super::hierarchy::HierarchiesFound;
use super::layer_report::LayersFound;
use super::optimal::OptimumFound;
use super::report::{Report, Stamped, schema_name};
use super::sweep_report::SweepFound;
use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema, json_schema};
use serde_json::Value;

/// The schema of every kind of report, by its kind.
pub fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        of::<CoresFound<'_>>(),
        of::<SweepFound<'_>>(),
        of::<FusionsFound<'_>>(),
        of::<HierarchiesFound>(),
        of::<LayersFound<'_>>(),
        of::<OptimumFound<'_>>(),
    ]
}

fn of<R: Report + JsonSchema>() -> (&'static str, Schema) {
    let settings = SchemaSettings::draft2020_12().for_serialize().with_transform(tidy);
    let mut schema = settings.into_generator().into_root_schema_for::<Stamped<'_, R>>();
    schema.insert("title".to_owned(), schema_name::<R>().into());
    (R::KIND, schema)
}

/// One of these texts.
pub(crate) fn one_of(names: &[&str]) -> Schema {
    json_schema!({ "enum": names })
}

/// JSON knows no widths of numbers; objects have the fields that they list; a description is a paragraph without links.
fn tidy(schema: &mut Schema) {
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

/// A doc comment's text whose links are what they show.
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
