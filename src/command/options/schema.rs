//! Schemas of words and lists that options are written as.

use crate::parse::{ELEMENTS, ORDERS, RULES, SEARCHES, STEP_OBJECTIVES, STRATEGIES, UNROLLINGS};
use crate::schema::one_of;
use fusescape_engine::depth_first::StoringMode;
use fusescape_engine::multicore::{ScheduleObjective as Objectives, Scheduler as Rules};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, json};
use std::borrow::Cow;

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
    ScheduleObjective: "What a schedule on many cores minimises.",
        one_of(&Objectives::ALL.map(Objectives::name));
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
