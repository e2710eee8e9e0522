//! Reports for programs: JSON, laid out as `docs/schema/` says, which is made of their types (`schema.rs`).

use fusescape_spec::Diagnostics;
use serde::Serialize;
use serde_json::{Error, Value};

/// What a command found, for a program. Doc comments of its fields are their descriptions in `docs/schema/KIND-1.json`.
pub trait Report: Serialize {
    /// Its kind, after which its schema is named.
    const KIND: &'static str;

    /// As JSON whose fields are sorted by name. It states what it was made by.
    ///
    /// # Errors
    /// A number that JSON has no word for.
    fn json(&self) -> Result<Value, Error> {
        serde_json::to_value(Stamped { schema: schema_name::<Self>(), made_by: MadeBy::THIS, found: self })
    }
}

/// What was written as JSON, or why it cannot be.
///
/// # Errors
/// A number that JSON has no word for.
pub fn written(found: Result<Value, Error>) -> Result<Value, Diagnostics> {
    found.map_err(|why| {
        let mut wrong = Diagnostics::default();
        wrong.add("", format!("The result cannot be written as JSON: {why}"), "Use smaller figures");
        wrong
    })
}

/// Of all schemas. It grows when a field goes or means something else; new fields leave it.
const VERSION: u32 = 1;

/// What the schema of a report is called.
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
    /// The program.
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
