//! Schemas of options, made of their types: `docs/options.json`.

use super::{AttentionOptions, CoresChoices, HierarchyOptions, LinkOptions, MapOptions, SweepOptions};
use crate::parse::{ELEMENTS, ORDERS, RULES, SEARCHES, STEP_OBJECTIVES, STRATEGIES, UNROLLINGS};
use crate::schema::{one_of, tidy};
use fusescape_engine::depth_first::StoringMode;
use fusescape_engine::multicore::{ScheduleObjective, Scheduler as Rules};
use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// The options of every command, a definition each.
pub fn options() -> Value {
    let mut generator = SchemaSettings::draft2020_12().with_transform(tidy_option).into_generator();
    generator.subschema_for::<SweepOptions>();
    generator.subschema_for::<MapOptions>();
    generator.subschema_for::<HierarchyOptions>();
    generator.subschema_for::<CoresChoices>();
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

/// Types of words that are read: each has a name, what it means, and its schema.
macro_rules! written {
    ($($name:ident: $meaning:literal, $schema:expr;)*) => {$(
        pub(super) struct $name;

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                let mut schema: Schema = $schema;
                schema.insert("description".to_owned(), $meaning.into());
                schema
            }
        }
    )*};
}

written! {
    Mode: "Overlap storing mode (DeFiNES, Section III): recompute all overlap, cache that of columns, or cache all.",
        one_of(&StoringMode::ALL.map(StoringMode::name));
    Search: "How the best mapping is searched: proved, or among orders of loop prime factors (ZigZag's LOMA).",
        one_of(&names(SEARCHES.iter().map(|choice| choice.0)));
    LayerSearch: "How the best mapping of a layer is searched: for any objective, or for the least energy (ZigZag).",
        one_of(&names(STRATEGIES.iter().map(|choice| choice.0)));
    RuleSet: "What is right, or what a published tool does, defects included.",
        one_of(&names(RULES.iter().map(|choice| choice.0)));
    Unrolling: "The unrolling of the documents, or the best of all legal ones.",
        one_of(&names(UNROLLINGS.iter().map(|choice| choice.0)));
    Order: "Which tile is next.",
        one_of(&ORDERS.map(|choice| choice.0));
    Aim: "What a schedule on many cores minimises.",
        one_of(&ScheduleObjective::ALL.map(ScheduleObjective::name));
    Scheduler: "Rules of the scheduler: what is right, or those of the public tool.",
        one_of(&Rules::ALL.map(Rules::name));
    StepObjective: "What a step of a transformer minimises.",
        one_of(&STEP_OBJECTIVES);
    TextOrNumber: "A text, or a number.",
        json_schema!({ "type": ["string", "integer"] });
    TextOrCores: "A text, or the cores of each layer.",
        json_schema!({ "anyOf": [
            { "type": "string" },
            { "type": "object", "additionalProperties": { "type": "array", "items": { "type": "string" } } },
        ] });
    Bits: "Bits of all elements, or of each kind.",
        json_schema!({ "anyOf": [{ "type": "integer" }, {
            "type": "object",
            "properties": Map::from_iter(ELEMENTS.map(|kind| (kind.to_owned(), json!({ "type": "integer" })))),
        }] });
}

fn names(words: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    words.collect()
}
