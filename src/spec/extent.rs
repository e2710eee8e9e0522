//! Where in a text a value ends. The parser says where it begins; its ends reach into blanks, commas and comments.

use std::ops::Range;

/// From the parser's counts of characters to bytes.
pub(super) struct ByteOffsets {
    before: usize,
    /// Where each character begins; empty where every character is one byte.
    starts: Vec<usize>,
    length: usize,
}

impl ByteOffsets {
    /// Of `text` without its first `before` bytes.
    pub(super) fn of(text: &str, before: usize) -> Self {
        let starts = if text.is_ascii() {
            Vec::new()
        } else {
            text[before..].char_indices().map(|(at, _)| before + at).collect()
        };
        Self { before, starts, length: text.len() }
    }

    /// The byte at which a character begins.
    pub(super) fn at(&self, character: usize) -> usize {
        if self.starts.is_empty() {
            (self.before + character).min(self.length)
        } else {
            self.starts.get(character).copied().unwrap_or(self.length)
        }
    }
}

/// End of a scalar that the parser puts at `span`.
pub(super) fn end_of_scalar(text: &str, span: Range<usize>) -> usize {
    let Some(written) = text.get(span.clone()) else { return span.start };
    let length = match written.chars().next() {
        Some('"') => end_of_quotes(written, '"'),
        Some('\'') => end_of_quotes(written, '\''),
        _ => None,
    };
    span.start + length.unwrap_or(written.trim_end().len())
}

/// Length of a text in quotes, which it begins with.
fn end_of_quotes(written: &str, quote: char) -> Option<usize> {
    let mut rest = written.char_indices().skip(1).peekable();
    while let Some((at, c)) = rest.next() {
        if c == '\\' && quote == '"' {
            rest.next();
        } else if c == quote {
            // Two single quotes stand for one.
            if quote == '\'' && rest.next_if(|(_, next)| *next == quote).is_some() {
                continue;
            }
            return Some(at + 1);
        }
    }
    None
}

/// End of a list or map between brackets: behind the first closing bracket after `at`, where its last entry ends.
pub(super) fn end_of_flow(text: &str, mut at: usize) -> usize {
    while let Some(c) = text[at..].chars().next() {
        at += match c {
            ']' | '}' => return at + 1,
            '#' => text[at..].find('\n').unwrap_or(text.len() - at),
            c => c.len_utf8(),
        };
    }
    at
}

/// Number of bytes up to the end of the line, without its break.
pub(super) fn rest_of_line(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    rest[..rest.find('\n').unwrap_or(rest.len())].trim_end_matches('\r')
}
