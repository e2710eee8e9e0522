//! Width of texts, without asking a browser.
//!
//! Figures are laid out before anything is drawn, also where there is no font at all. The widths are those of DejaVu
//! Sans, the widest of the usual system fonts: text that fits by this measure fits everywhere.

/// Advance widths of the characters from space to tilde, hundredths of the font size.
const REGULAR: [u8; 95] = [
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84,
    84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63, 61, 73, 68, 99, 69,
    61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52, 39, 63,
    59, 82, 59, 59, 52, 64, 34, 64, 84,
];

/// Advance widths of the bold characters from space to tilde, hundredths of the font size.
const BOLD: [u8; 95] = [
    35, 46, 52, 84, 70, 100, 87, 31, 46, 46, 52, 84, 38, 42, 38, 37, 70, 70, 70, 70, 70, 70, 70, 70, 70, 70, 40, 40,
    84, 84, 84, 58, 100, 77, 76, 73, 83, 68, 68, 82, 84, 37, 37, 77, 64, 100, 84, 85, 73, 85, 77, 72, 68, 81, 77, 110,
    77, 72, 73, 46, 37, 46, 84, 50, 50, 67, 72, 59, 72, 68, 44, 72, 71, 34, 34, 67, 34, 104, 71, 69, 72, 72, 49, 60,
    48, 71, 65, 92, 65, 65, 58, 71, 37, 71, 84,
];

/// Width of `text` in CSS pixels, rounded up.
pub fn text_width(text: &str, size: f64, bold: bool) -> i32 {
    let widths = if bold { &BOLD } else { &REGULAR };
    let hundredths: f64 = text
        .chars()
        .map(|c| match c {
            '·' => 38.0,
            'µ' => 70.0,
            // Any other character is at most about as wide as a capital; ideographs fill the square.
            _ if !c.is_ascii() => 100.0,
            _ => (c as usize).checked_sub(32).and_then(|i| widths.get(i)).map_or(0.0, |w| f64::from(*w)),
        })
        .sum();
    (hundredths * size / 100.0).ceil() as i32
}

/// `text`, or as much of it as fits into `room` pixels, with an ellipsis.
pub fn shorten(text: &str, room: i32, size: f64, bold: bool) -> String {
    if text_width(text, size, bold) <= room {
        return text.to_owned();
    }
    let mut kept: String = text.to_owned();
    while kept.pop().is_some() {
        let candidate = format!("{}…", kept.trim_end());
        if text_width(&candidate, size, bold) <= room {
            return candidate;
        }
    }
    String::new()
}

/// `text` on at most `most` lines; the rest is cut off.
pub fn wrap_to(most: usize, text: &str, room: i32, size: f64, bold: bool) -> Vec<String> {
    let mut lines = wrap(text, room, size, bold);
    if lines.len() > most && most > 0 {
        let rest = lines.split_off(most - 1).join(" ");
        lines.push(shorten(&rest, room, size, bold));
    }
    lines
}

/// `text` on as many lines as needed, none wider than `room` pixels, except for a single wider word.
pub fn wrap(text: &str, room: i32, size: f64, bold: bool) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if text_width(&format!("{line} {word}"), size, bold) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrapped_text_fits_and_is_complete() {
        let text = "energy-delay product by system and tile, kJ·cycles";
        assert_eq!(wrap(text, 1000, 13.0, true), [text]);
        for room in [100, 200, 300] {
            let lines = wrap(text, room, 13.0, true);
            assert!(lines.iter().all(|line| text_width(line, 13.0, true) <= room || !line.contains(' ')), "{lines:?}");
            assert_eq!(lines.join(" "), text);
        }
    }

    #[test]
    fn a_shortened_text_fits() {
        assert_eq!(shorten("fully-cached", 200, 12.0, false), "fully-cached");
        let short = shorten("H-cached, V-recompute", 80, 12.0, false);
        assert!(short.ends_with('…') && text_width(&short, 12.0, false) <= 80, "{short}");
        assert_eq!(shorten("anything", 3, 12.0, false), "");
    }
}
