//! Texts as spreadsheets take them.

/// Characters with which spreadsheets let formulas begin (OWASP, "CSV Injection"), full-width letters included.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// Words as a field of CSV: in quotes where they need them, and behind a single quote where they would be a formula.
pub fn csv_words(words: &str) -> String {
    let is_formula = words.starts_with(FORMULA);
    if !is_formula && !words.contains([',', '"', '\n', '\r']) {
        return words.to_owned();
    }
    format!("\"{}{}\"", if is_formula { "'" } else { "" }, words.replace('"', "\"\""))
}

/// The words that [`csv_words`] made a cell of, whose quotes are gone.
pub fn words_of_csv(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|words| words.starts_with(FORMULA)).unwrap_or(cell)
}
