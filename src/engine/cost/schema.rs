//! Schemas of splits by cause, which are written with a field for each cause.

use super::causes::{
    AccessCause, ByCause, EnergyCause, EnergySplit, LatencyCause, LatencySplit, energy_field, latency_field,
};
use fusescape_model::schema::{described, object};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use std::borrow::Cow;

impl JsonSchema for EnergySplit {
    fn schema_name() -> Cow<'static, str> {
        "EnergySplit".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let meaning = |cause: EnergyCause| format!("Energy of {}, pJ.", cause.plural());
        let fields = EnergyCause::ALL.map(|cause| (energy_field(cause), described::<f64>(generator, meaning(cause))));
        with_meaning(object(fields), "Energy by cause, pJ.")
    }
}

impl JsonSchema for ByCause {
    fn schema_name() -> Cow<'static, str> {
        "ByCause".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let meaning = |cause: AccessCause| format!("Of {}.", cause.plural());
        let fields =
            AccessCause::ALL.map(|cause| (cause.key().to_owned(), described::<f64>(generator, meaning(cause))));
        with_meaning(object(fields), "One quantity at one memory by cause: words, elements, or energy in pJ.")
    }
}

impl JsonSchema for LatencySplit {
    fn schema_name() -> Cow<'static, str> {
        "LatencySplit".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let meaning = |cause: LatencyCause| format!("Cycles of {}.", cause.plural());
        let causes = LatencyCause::ALL.map(|cause| (latency_field(cause), described::<u64>(generator, meaning(cause))));
        let ideal = "Of the computing cycles, those that all PEs together would need; not part of the sum.";
        let mut ideal = described::<f64>(generator, ideal);
        ideal.insert("minimum".to_owned(), 0.into());
        let ideal = ("ideal_cycles".to_owned(), ideal);
        with_meaning(object(causes.into_iter().chain([ideal])), "Latency by cause, cycles.")
    }
}

fn with_meaning(mut schema: Schema, meaning: &str) -> Schema {
    schema.insert("description".to_owned(), meaning.into());
    schema
}
