//! Texts as single values of YAML: plain, or in quotes.

use std::fmt::Write;

/// A text as a single value, also between brackets: plain if that is unambiguous, else in quotes.
pub fn scalar(text: &str) -> String {
    plain_or_quoted(text, "")
}

/// A text as a single value; plain with these characters, too.
pub(super) fn plain_or_quoted(text: &str, also: &str) -> String {
    if is_plain(text, also) { text.to_owned() } else { quoted(text) }
}

fn is_plain(text: &str, also: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && !text.ends_with(' ')
        && !matches!(text, "null" | "Null" | "NULL")
        && text.chars().all(|c| c.is_ascii_alphanumeric() || " _-+./()%@".contains(c) || also.contains(c))
}

/// A text in double quotes.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if is_special(c) => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Characters that YAML does not take as they are.
pub(super) fn is_special(c: char) -> bool {
    c.is_control() || matches!(c, '\u{feff}' | '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}')
}
