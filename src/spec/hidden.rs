//! Invisible characters that move a terminal's cursor, or reverse the direction of the text beside them.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character is a control character (C0, DEL, C1), a mark of direction, or a separator of lines or paragraphs.
pub fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\0'..='\x1f'
            | '\x7f'..='\u{9f}'
            | '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
    )
}

/// The text on one line, with such characters written out as JSON and YAML do: `\u001b`.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.contains(is_hidden) { Cow::Owned(written_out(text, is_hidden)) } else { Cow::Borrowed(text) }
}

/// The text with such characters written out, except its line breaks and tabs.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    // Ends of lines by RFC 4180 are ends of lines, too; a single CR would write over its line.
    let is_harmless = |line: &str| !line.strip_suffix('\r').unwrap_or(line).contains(is_hidden_in_lines);
    if text.split('\n').all(is_harmless) {
        return Cow::Borrowed(text);
    }
    let line = |line: &str| match line.strip_suffix('\r') {
        Some(line) => written_out(line, is_hidden_in_lines) + "\r",
        None => written_out(line, is_hidden_in_lines),
    };
    Cow::Owned(text.split('\n').map(line).collect::<Vec<_>>().join("\n"))
}

/// Whether a text of several lines must not have the character.
pub fn is_hidden_in_lines(c: char) -> bool {
    is_hidden(c) && !matches!(c, '\n' | '\t')
}

fn written_out(text: &str, is_meant: fn(char) -> bool) -> String {
    text.chars().fold(String::new(), |mut out, c| {
        if is_meant(c) {
            // Writing into a text does not fail.
            let _ = write!(out, "\\u{:04x}", c as u32);
        } else {
            out.push(c);
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hidden_is_left_and_the_rest_is() {
        for (text, one_line, lines) in [
            ("", "", ""),
            ("Größe é 網路 👩‍💻", "Größe é 網路 👩‍💻", "Größe é 網路 👩‍💻"),
            ("\u{1b}[2J\u{7}", "\\u001b[2J\\u0007", "\\u001b[2J\\u0007"),
            ("a\tb\nc", "a\\u0009b\\u000ac", "a\tb\nc"),
            ("a\r\nb\rc", "a\\u000d\\u000ab\\u000dc", "a\r\nb\\u000dc"),
            (
                "\u{9b}\u{7f}\u{202e}x\u{2069}\u{200f}",
                "\\u009b\\u007f\\u202ex\\u2069\\u200f",
                "\\u009b\\u007f\\u202ex\\u2069\\u200f",
            ),
            ("\u{2028}\u{61c}", "\\u2028\\u061c", "\\u2028\\u061c"),
        ] {
            assert_eq!(visible(text), one_line);
            assert_eq!(visible_lines(text), lines);
        }
        for c in (0..=0x10_ffff).filter_map(char::from_u32) {
            assert!(!c.is_control() || is_hidden(c), "{c:?}");
        }
    }
}
