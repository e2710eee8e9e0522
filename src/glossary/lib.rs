//! The terms of the papers: the one list of `docs/glossary.md`, parsed here, with a small drawing for some.

mod drawings;

pub use drawings::{drawing, drawings};

/// The list: tables under headings, one row per term.
const LIST: &str = include_str!("../../docs/glossary.md");

/// An entry of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// Heading of its table.
    pub group: &'static str,
    /// As in the list: `loop prime factor (LPF)`.
    pub name: &'static str,
    /// Definition; names of operands and dimensions are in backquotes.
    pub meaning: &'static str,
    /// Place in the papers: `DeFiNES, Section II`; empty if there is none.
    pub source: String,
}

/// In the order of the list.
pub fn terms() -> Vec<Term> {
    let (mut group, mut all) = ("", Vec::new());
    for line in LIST.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            group = heading;
        }
        let cells: Vec<&'static str> = match line.strip_prefix("| ").and_then(|row| row.strip_suffix(" |")) {
            Some(row) => row.split(" | ").map(str::trim).collect(),
            None => continue,
        };
        let (Some(&name), Some(&meaning)) = (cells.first(), cells.get(1)) else { continue };
        // The head of a table.
        if name == "term" {
            continue;
        }
        // A table of the page's own terms has no column of papers.
        let source = if cells.len() > 3 { source(cells.get(2).copied().unwrap_or_default()) } else { String::new() };
        all.push(Term { group, name, meaning, source });
    }
    all
}

/// The term for a word: its name, a part of it between commas, a short form in brackets, or a symbol in its definition.
pub fn find(word: &str) -> Option<Term> {
    let all = terms();
    let by = |is_it: &dyn Fn(&Term) -> bool| all.iter().find(|term| is_it(term)).cloned();
    by(&|term| term.name == word)
        .or_else(|| by(&|term| term.short_forms().any(|form| form == word)))
        .or_else(|| by(&|term| term.meaning.split('`').skip(1).step_by(2).any(|symbol| symbol == word)))
}

impl Term {
    /// Other forms of the name: parts between commas, and texts in brackets.
    pub fn short_forms(&self) -> impl Iterator<Item = &'static str> {
        let (outside, inside) = match self.name.split_once(" (") {
            Some((outside, inside)) => (outside, inside.strip_suffix(')')),
            None => (self.name, None),
        };
        outside.split(", ").chain(inside)
    }
}

/// The papers by their letters in the list.
const PAPERS: [(&str, &str); 5] =
    [("D", "DeFiNES"), ("Z", "ZigZag"), ("S", "Stream"), ("O", "Optimus"), ("H", "HW-Flow-Fusion")];

/// `DeFiNES, Section III, step 1` of `D III, step 1`.
fn source(short: &str) -> String {
    let (letter, rest) = short.split_once(' ').unwrap_or((short, ""));
    let Some((_, paper)) = PAPERS.iter().find(|(other, _)| *other == letter) else { return short.to_owned() };
    let is_section = rest.starts_with(|c: char| c.is_ascii_digit() || matches!(c, 'I' | 'V' | 'X'));
    match (rest, is_section) {
        ("", _) => (*paper).to_owned(),
        (rest, true) => format!("{paper}, Section {rest}"),
        (rest, false) => format!("{paper}, {rest}"),
    }
}
