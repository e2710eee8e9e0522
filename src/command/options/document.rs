//! `docs/options.json`: the schemas of all options, made of their types.

use super::{AttentionOptions, CoresOptions, HierarchyOptions, LayerOptions, LinkOptions, SweepOptions};
use crate::schema::tidy;
use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use serde_json::{Map, Value, json};

/// The options of every command: one definition per command.
pub fn options() -> Value {
    let mut generator = SchemaSettings::draft2020_12().with_transform(tidy_option).into_generator();
    generator.subschema_for::<SweepOptions>();
    generator.subschema_for::<LayerOptions>();
    generator.subschema_for::<HierarchyOptions>();
    generator.subschema_for::<CoresOptions>();
    generator.subschema_for::<AttentionOptions>();
    generator.subschema_for::<LinkOptions>();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Options of commands, as Python and JavaScript give them",
        "$defs": generator.take_definitions(true),
    })
}

/// Names of options are those of Python and JavaScript; a default is said where it is a word or a number.
fn tidy_option(schema: &mut Schema) {
    if let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        fields.values_mut().filter_map(Value::as_object_mut).for_each(say_default);
    }
    transform_subschemas(&mut tidy_option, schema);
    tidy(schema);
}

fn say_default(field: &mut Map<String, Value>) {
    let Some(Value::String(text)) = field.get("description") else { return };
    let mut text = without_dashes(text);
    match field.get("default") {
        Some(Value::String(word)) => text += &format!(" [default: {word}]"),
        Some(Value::Bool(true)) => text += " [default: true]",
        Some(Value::Number(number)) => text += &format!(" [default: {number}]"),
        _ => {}
    }
    field.insert("description".to_owned(), text.into());
    // What may be left out need not be null.
    if let Some(Value::Array(types)) = field.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = &types[..] {
            let only = only.clone();
            field.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(ways)) = field.get_mut("anyOf") {
        ways.retain(|way| way["type"] != "null");
    }
}

/// `--lpf-limit 3`, as the command line has it, is `lpf_limit: 3` elsewhere.
fn without_dashes(text: &str) -> String {
    let mut parts = text.split("`--");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (option, after) = part.split_once('`').unwrap_or((part, ""));
        plain += &format!("`{}`{after}", option.replace('-', "_").replacen(' ', ": ", 1));
    }
    plain
}
