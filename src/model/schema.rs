//! Schemas of types without fields for them: numbers by the members of a list, rules by name.

use crate::hardware::MemoryId;
use crate::rules::Rules;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// An object with these fields, all of them: the name and the schema of each.
pub fn object(fields: impl IntoIterator<Item = (String, Schema)>) -> Schema {
    let fields: Vec<(String, Schema)> = fields.into_iter().collect();
    let names: Vec<String> = fields.iter().map(|(name, _)| name.clone()).collect();
    let fields: BTreeMap<String, Schema> = fields.into_iter().collect();
    json_schema!({ "type": "object", "properties": fields, "required": names })
}

/// The schema of `T`, with its meaning here.
pub fn described<T: JsonSchema>(generator: &mut SchemaGenerator, meaning: impl Into<String>) -> Schema {
    let mut schema = generator.subschema_for::<T>();
    schema.insert("description".to_owned(), meaning.into().into());
    schema
}

impl JsonSchema for MemoryId {
    fn schema_name() -> Cow<'static, str> {
        "MemoryId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A memory of the core, by its place among them, the lowest first.",
            "type": "integer",
            "minimum": 0,
        })
    }
}

impl JsonSchema for Rules {
    fn schema_name() -> Cow<'static, str> {
        "Rules".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Rules of the model by name: true where the model does as a published tool does, false where it does what is \
                            right. src/model/rules.rs lists them.",
            "type": "object",
            "propertyNames": { "pattern": "^[a-z][a-z0-9_]*$" },
            "additionalProperties": { "type": "boolean" },
        })
    }
}
