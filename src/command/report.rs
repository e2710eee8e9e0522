//! Reports in JSON, described by `docs/schema/`, which is made from their types (`schema.rs`).

use fusescape_spec::Diagnostics;
use serde::Serialize;
use serde_json::{Error, Value};

/// The result of a command. Doc comments of its fields are their descriptions in `docs/schema/KIND-1.json`.
pub trait Report: Serialize {
    /// Names its schema.
    const KIND: &'static str;

    /// As JSON with fields sorted by name, including the program and its version.
    ///
    /// # Errors
    /// If a number is not finite.
    fn json(&self) -> Result<Value, Error> {
        serde_json::to_value(Stamped { schema: schema_name::<Self>(), made_by: MadeBy::THIS, found: self })
    }
}

/// The JSON of a result, or the reason why it cannot be written.
///
/// # Errors
/// If a number is not finite.
pub fn written(found: Result<Value, Error>) -> Result<Value, Diagnostics> {
    found.map_err(|why| {
        let mut wrong = Diagnostics::default();
        wrong.add("", format!("The result cannot be written as JSON: {why}"), "Use smaller figures");
        wrong
    })
}

/// Version of all schemas. It grows when a field is removed or changes its meaning, not with new fields.
const VERSION: u32 = 1;

/// Name of the schema of a report.
pub fn schema_name<R: Report + ?Sized>() -> String {
    format!("fusescape/{}/{VERSION}", R::KIND)
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Stamped<'a, R: Report + ?Sized> {
    /// This schema: its kind and version.
    #[cfg_attr(feature = "schema", schemars(extend("const" = schema_name::<R>())))]
    schema: String,
    /// The program that wrote this.
    made_by: MadeBy,
    #[serde(flatten)]
    found: &'a R,
}

/// What wrote a report.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct MadeBy {
    /// `fusescape`.
    #[cfg_attr(feature = "schema", schemars(extend("const" = Self::THIS.program)))]
    program: &'static str,
    /// Version of the program.
    version: &'static str,
    /// Commit that the program was built from; null where it was built outside of git.
    commit: Option<&'static str>,
}

impl MadeBy {
    const THIS: Self =
        Self { program: "fusescape", version: fusescape_version::RELEASE, commit: fusescape_version::COMMIT };
}
