//! Lists of names as people write them: separated by commas or blanks; a name that contains these is in double quotes.

use std::ops::Range;

/// The names of a list, and where each stands with its quotes. A quote in quotes is written twice; one that is never closed holds
/// the rest.
///
/// ```
/// # use fusescape_spec::names_in;
/// let names: Vec<String> = names_in(r#"map2, "conv 1/a,b" expand"#).into_iter().map(|(name, _)| name).collect();
/// assert_eq!(names, ["map2", "conv 1/a,b", "expand"]);
/// ```
pub fn names_in(text: &str) -> Vec<(String, Range<usize>)> {
    let mut names = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(|c| !is_between(c)).map(|skipped| at + skipped) {
        let (name, length) = match text[start..].strip_prefix('"') {
            Some(rest) => quoted(rest),
            None => {
                let word = text[start..].split(is_between).next().unwrap_or_default();
                (word.to_owned(), word.len())
            }
        };
        at = start + length;
        names.push((name, start..at));
    }
    names
}

/// The name that ends at the next single quote, and its bytes with both quotes.
fn quoted(rest: &str) -> (String, usize) {
    let mut name = String::new();
    let mut letters = rest.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' if letters.next_if(|(_, next)| *next == '"').is_none() => return (name, at + 2),
            _ => name.push(letter),
        }
    }
    (name, rest.len() + 1)
}

/// A name as written in such a list.
pub fn listed_name(name: &str) -> String {
    if name.is_empty() || name.starts_with('"') || name.contains(is_between) {
        return format!("\"{}\"", name.replace('"', "\"\""));
    }
    name.to_owned()
}

/// A list of names.
pub fn listed_names<T: AsRef<str>>(names: &[T]) -> String {
    names.iter().map(|name| listed_name(name.as_ref())).collect::<Vec<_>>().join(", ")
}

fn is_between(c: char) -> bool {
    c == ',' || c == ';' || c.is_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        names_in(text).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn names_are_read() {
        for (text, expected) in [
            ("", &[][..]),
            (" ,; \n", &[]),
            ("a", &["a"]),
            ("a,b c;d\te", &["a", "b", "c", "d", "e"]),
            ("\"a b\"c \"d", &["a b", "c", "d"]),
            ("\"\"\"\" \"\" x\"y", &["\"", "", "x\"y"]),
            ("ü→ \"Ä, ö\"", &["ü→", "Ä, ö"]),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn whatever_is_listed_is_read_again() {
        for names in [&["a", "conv 1", "x,y", "\"", "a\"b", "\"a\" b", "", "ü ö"][..], &["\"\"", " "]] {
            let text = listed_names(names);
            assert_eq!(read(&text), names, "{text}");
        }
    }
}
