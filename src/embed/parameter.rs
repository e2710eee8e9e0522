//! Single numbers of the design that can be changed in an embedded view: `controls=hardware.sram_64KB.size:4..256KiB`.

use fusescape_form::{FieldTarget, is_range};
use fusescape_spec::edit::Outline;
use fusescape_spec::{Diagnostics, closest};

/// Fields of a memory that can be a parameter, by their names in documents.
const FIELDS: [&str; 4] = ["size", "width", "read_energy", "write_energy"];
/// Limit on the part of an address that a message repeats, characters.
const MOST: usize = 60;

/// A number of a memory, and its range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Name of the memory.
    pub memory: String,
    /// One of `size`, `width`, `read_energy`, `write_energy`.
    pub field: &'static str,
    /// The smallest value, as in documents: `4 KiB`.
    pub from: String,
    /// The largest value.
    pub to: String,
}

impl Parameter {
    /// Whether a word of `controls` has the form of a parameter.
    pub fn is_meant(word: &str) -> bool {
        word.contains(['.', ':'])
    }

    /// Parses `hardware.MEMORY.FIELD:FROM..TO`; errors are added to `wrong`.
    pub fn read(word: &str, wrong: &mut Diagnostics) -> Option<Self> {
        let shown: String = word.chars().take(MOST).collect();
        let mut refuse = |reason: String, remedy: String| {
            wrong.add("controls", reason, remedy);
            None
        };
        let example = || "Write it like `hardware.sram.size:4..256KiB`".to_owned();
        let Some((path, range)) = word.split_once(':') else {
            return refuse(format!("`{shown}` does not say in which range it can be changed"), example());
        };
        let Some((memory, field)) = path.strip_prefix("hardware.").and_then(|path| path.rsplit_once('.')) else {
            return refuse(format!("`{shown}` names no figure of a memory"), example());
        };
        let Some(field) = FIELDS.into_iter().find(|known| *known == field) else {
            let field: String = field.chars().take(MOST).collect();
            let remedy = closest(&field, FIELDS).map_or_else(
                || format!("Use one of {}", FIELDS.join(", ")),
                |meant| format!("Did you mean `{meant}`?"),
            );
            return refuse(format!("A memory has no figure `{field}` that can be a parameter"), remedy);
        };
        match range_of(range) {
            Some((from, to)) => Some(Self { memory: memory.to_owned(), field, from, to }),
            None => {
                let reason = format!("`{shown}` has no range from a smaller to a larger figure");
                refuse(
                    reason,
                    "Write both with a unit, or one unit for both: `4..256KiB`, `16..512bit`, `1..30pJ`".into(),
                )
            }
        }
    }

    /// Its text in addresses.
    pub fn word(&self) -> String {
        let range = [&self.from, &self.to].map(|end| end.replace(' ', "")).join("..");
        format!("hardware.{}.{}:{range}", self.memory, self.field)
    }

    /// Its place in a hardware document.
    ///
    /// # Errors
    /// If there is no memory with this name.
    pub fn target(&self, document: &Outline) -> Result<FieldTarget, Diagnostics> {
        let name = |index: usize| document.value(&format!("memories[{index}].name")).unwrap_or_default();
        let names: Vec<String> = (0..document.len("memories")).map(name).collect();
        let found = names.iter().position(|name| *name == self.memory);
        let path = |index: usize| FieldTarget::value(format!("memories[{index}].{}", self.field));
        found.map(path).ok_or_else(|| {
            let mut wrong = Diagnostics::default();
            let memory: String = self.memory.chars().take(MOST).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            wrong.add_unknown("controls", format!("The hardware has no memory `{memory}`"), &memory, &names);
            wrong
        })
    }
}

/// The ends of `4..256KiB`, `4KiB..1MiB`, as in documents.
fn range_of(text: &str) -> Option<(String, String)> {
    let (from, to) = text.split_once("..")?;
    let split = |end: &str| {
        let digits = end.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(end.len());
        (end[..digits].to_owned(), end[digits..].trim().to_owned())
    };
    let ((low, own), (high, unit)) = (split(from), split(to));
    let own = if own.is_empty() { &unit } else { &own };
    let (from, to) = (format!("{low} {own}"), format!("{high} {unit}"));
    is_range(&from, &to).then_some((from, to))
}
