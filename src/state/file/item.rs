//! Values as YAML.

use fusescape_spec::{quoted, scalar};

/// A value of the file.
pub(super) enum Item {
    /// On the line of its field.
    Line(String),
    /// A text of several lines, verbatim.
    Block(String),
    Fields(Vec<(&'static str, Item)>),
}

/// A text on one line.
pub(super) fn words(text: &str) -> Item {
    Item::Line(scalar(text))
}

/// Several texts on one line.
pub(super) fn list(items: Vec<String>) -> Item {
    let items: Vec<String> = items.iter().map(|item| scalar(item)).collect();
    Item::Line(format!("[{}]", items.join(", ")))
}

/// A document: as a block if YAML preserves it, else in quotes.
pub(super) fn text(text: &str) -> Item {
    let is_kept =
        |c: char| c == '\n' || c == '\t' || !(c.is_control() || matches!(c, '\u{feff}' | '\u{2028}' | '\u{2029}'));
    let begins = text.starts_with(|c: char| !c.is_whitespace());
    if begins && text.ends_with('\n') && text.chars().all(is_kept) {
        Item::Block(text.to_owned())
    } else {
        Item::Line(quoted(text))
    }
}

/// Writes fields, one per line.
pub(super) fn write(out: &mut String, depth: usize, fields: &[(&'static str, Item)]) {
    let indent = "  ".repeat(depth);
    for (name, item) in fields {
        out.extend([indent.as_str(), name, ":"]);
        match item {
            Item::Line(value) => out.extend([" ", value, "\n"]),
            Item::Fields(fields) => {
                out.push('\n');
                write(out, depth + 1, fields);
            }
            Item::Block(text) => {
                // All line ends at the end belong to the text.
                out.push_str(if text.ends_with("\n\n") { " |+\n" } else { " |\n" });
                for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
                    if !line.is_empty() {
                        out.extend([indent.as_str(), "  ", line]);
                    }
                    out.push('\n');
                }
            }
        }
    }
}
