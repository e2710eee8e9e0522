//! Comma-separated values, parsed as strictly as RFC 4180 defines.

/// Rows of fields, each with whether it is quoted. Every line ends in CRLF, no unquoted field contains a quote, and all
/// rows have the same length.
pub fn parse(text: &str) -> Vec<Vec<(bool, String)>> {
    let mut rest = text;
    let (mut rows, mut row) = (Vec::new(), Vec::new());
    while !rest.is_empty() {
        let (quoted, field, after) = match rest.strip_prefix('"') {
            Some(inside) => {
                let mut end = 0;
                loop {
                    end += inside[end..].find('"').expect("a quote is closed");
                    if !inside[end + 1..].starts_with('"') {
                        break (true, inside[..end].replace("\"\"", "\""), &inside[end + 1..]);
                    }
                    end += 2;
                }
            }
            None => {
                let end = rest.find([',', '\r', '\n', '"']).expect("a line ends");
                (false, rest[..end].to_owned(), &rest[end..])
            }
        };
        row.push((quoted, field));
        rest = match after.strip_prefix(',') {
            Some(more) => more,
            None => {
                rows.push(std::mem::take(&mut row));
                after.strip_prefix("\r\n").unwrap_or_else(|| panic!("a line ends otherwise: {after:.40?}"))
            }
        };
    }
    assert!(row.is_empty() && rows.iter().all(|row| row.len() == rows[0].len()), "rows of unequal length");
    rows
}

/// Checks that a spreadsheet takes no field for a formula; numbers are unquoted.
pub fn is_harmless(text: &str) {
    for (quoted, field) in parse(text).concat() {
        let begins = field.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
        assert!(!begins || !quoted && field.parse::<f64>().is_ok(), "`{field}` is a formula");
    }
}
