//! The sentences in the sources.

use std::fs;
use std::path::Path;

/// The string literals of a file, or of all files of a folder, that begin like sentences; without tests at the end of a
/// file.
pub fn sentences(path: &Path) -> Vec<String> {
    if path.is_dir() {
        let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
        return entries.flat_map(|entry| sentences(&entry)).collect();
    }
    if path.extension().is_none_or(|extension| extension != "rs") {
        return Vec::new();
    }
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let mut found = literals(code);
    found.retain(|literal| is_sentence(literal));
    found
}

/// A capital letter that begins a word, and more than one word.
fn is_sentence(literal: &str) -> bool {
    let mut chars = literal.chars();
    let (first, second) = (chars.next(), chars.next());
    let begins = first.is_some_and(char::is_uppercase) && second.is_some_and(|c| c.is_alphabetic());
    literal.contains(' ') && (begins || literal.starts_with("A "))
}

/// All string literals of code, without those in comments.
fn literals(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find(['"', '\'', '/']) {
        let behind = &rest[at + 1..];
        rest = match rest.as_bytes()[at] {
            b'/' if behind.starts_with('/') => behind.split_once('\n').map_or("", |(_, next)| next),
            // A character literal, which may be a quotation mark; else a lifetime.
            b'\'' => ["\"'", "\\\"'", "\\''", "/'"].iter().find_map(|one| behind.strip_prefix(one)).unwrap_or(behind),
            b'"' => {
                let (literal, next) = literal(behind);
                found.push(literal);
                next
            }
            _ => behind,
        };
    }
    found
}

/// A literal up to its closing quotation mark, with escapes resolved, and the rest.
fn literal(text: &str) -> (String, &str) {
    let mut out = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (out, &text[at + 1..]),
            '\\' => match chars.next() {
                Some((_, '\n')) => {
                    let next = &text[chars.offset()..];
                    let skipped = next.len() - next.trim_start().len();
                    chars.by_ref().take(next[..skipped].chars().count()).for_each(drop);
                }
                Some((_, 'n')) => out.push('\n'),
                Some((_, other)) => out.push(other),
                None => {}
            },
            c => out.push(c),
        }
    }
    (out, "")
}

/// Whether a text may be the result of a `format!` with this literal: the parts outside of braces occur in order.
pub fn is_written_as(text: &str, literal: &str) -> bool {
    let open = literal.replace("{{", "\u{1}").replace("}}", "\u{2}");
    let mut rest = text;
    open.split('{').enumerate().all(|(index, part)| {
        let part = if index == 0 { part } else { part.split_once('}').map_or("", |(_, outside)| outside) };
        let part = part.replace('\u{1}', "{").replace('\u{2}', "}");
        match rest.split_once(part.as_str()) {
            Some((_, next)) => {
                rest = next;
                true
            }
            None => false,
        }
    })
}
