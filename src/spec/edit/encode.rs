//! Texts as values of YAML.

use super::super::quotes::quoted;

/// The context of a value in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextContext {
    /// On a line of its own.
    Line,
    /// Between brackets, where commas and brackets mean something.
    Brackets,
}

/// `text` as a single value: plain where that is safe, else in quotes; nothing where it is empty.
pub(super) fn encode(text: &str, around: TextContext) -> String {
    if text.is_empty() || is_plain(text, around) { text.to_owned() } else { quoted(text) }
}

/// `text` as a single value of a list or map on one line.
pub fn between_brackets(text: &str) -> String {
    if text.is_empty() { "\"\"".to_owned() } else { encode(text, TextContext::Brackets) }
}

fn is_plain(text: &str, around: TextContext) -> bool {
    let special = |c: char| c.is_control() || matches!(c, '\u{85}' | '\u{feff}' | '\u{2028}' | '\u{2029}');
    let first_is_safe = !text.starts_with(|c: char| " -?:,[]{}#&*!|>'\"%@`=~".contains(c)) || is_number(text);
    first_is_safe
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.chars().any(special)
        && !matches!(text, "null" | "Null" | "NULL" | "..." | "<<")
        && (around == TextContext::Line || !text.contains([',', '[', ']', '{', '}', ':']))
}

fn is_number(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '.'))
}

/// A note as it fits on one line.
pub fn in_one_line(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() || c == '\u{feff}' { ' ' } else { c }).collect();
    text.trim().to_owned()
}
