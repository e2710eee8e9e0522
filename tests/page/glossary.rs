//! The glossary of the page equals the list of `docs/glossary.md`, and every term on the page has an entry.

use fusescape::glossary::{drawing, drawings, find, terms};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn the_page_has_every_row_of_the_list_and_nothing_else() {
    let list = fs::read_to_string(root().join("docs/glossary.md")).unwrap();
    let is_row = |line: &&str| line.starts_with("| ") && !line.starts_with("| term ");
    let rows: Vec<&str> = list.lines().filter(is_row).collect();
    let all = terms();
    assert!(all.len() > 80, "{} terms", all.len());
    assert_eq!(all.len(), rows.len());
    for (term, row) in all.iter().zip(rows) {
        assert!(row.starts_with(&format!("| {} | {} |", term.name, term.meaning)), "{row}");
        assert!(!term.group.is_empty() && !term.meaning.is_empty(), "{row}");
    }
    let names: BTreeSet<&str> = all.iter().map(|term| term.name).collect();
    assert_eq!(names.len(), all.len(), "a term is there twice");
}

#[test]
fn a_term_is_found_by_its_name_its_short_forms_and_its_symbols() {
    for (word, name) in [
        ("W", "operand"),
        ("I", "operand"),
        ("O", "operand"),
        ("K", "loop dimension"),
        ("C", "loop dimension"),
        ("OX", "loop dimension"),
        ("LPF", "loop prime factor (LPF)"),
        ("EDP", "energy-delay product (EDP)"),
        ("depth-first", "single-layer, layer-by-layer, depth-first"),
        ("stack", "stack"),
        ("steady state", "steady state"),
        ("WACO", "WACO"),
        ("tile size", "tile size"),
        ("MAC use", "MAC use"),
    ] {
        assert_eq!(find(word).map(|term| term.name), Some(name), "{word}");
    }
    assert_eq!(find("no such word"), None);
    assert_eq!(find("tile type").unwrap().source, "DeFiNES, Section III, step 1");
    assert_eq!(find("reuse buffer").unwrap().source, "HW-Flow-Fusion, Section 4.1, eq. 8");
}

#[test]
fn drawings_belong_to_terms_and_stay_on_their_field() {
    let names: BTreeSet<&str> = terms().iter().map(|term| term.name).collect();
    let on = |x: f32, y: f32| (0.0..=160.0).contains(&x) && (0.0..=64.0).contains(&y);
    let mut seen = 0;
    for (name, marks) in drawings() {
        assert!(names.contains(name), "the list has no term `{name}`");
        for mark in marks.lines().filter(|line| !line.is_empty()) {
            let text = |name: &str| between(mark, &format!(" {name}=\""), "\"")[0];
            let number = |name: &str| text(name).parse::<f32>().unwrap();
            let is_on = match mark.split(' ').next().unwrap() {
                "<rect" => {
                    let (x, y) = (number("x"), number("y"));
                    on(x, y) && on(x + number("width"), y + number("height"))
                }
                "<path" => {
                    let points = text("d").split(['M', 'L']).filter_map(|point| point.split_once(' '));
                    points.clone().count() == 5
                        && points.into_iter().all(|(x, y)| on(x.parse().unwrap(), y.parse().unwrap()))
                }
                "<text" => {
                    let (x, y) = (number("x"), number("y"));
                    let half = 2.9 * between(mark, ">", "<")[0].chars().count() as f32;
                    on(x - half, y - 7.4) && on(x + half, y + 0.6)
                }
                _ => false,
            };
            assert!(is_on, "{name}: {mark}");
            seen += 1;
        }
    }
    assert!(seen > 200, "only {seen} marks");
}

/// All texts between two texts.
fn between<'t>(text: &'t str, before: &str, after: &str) -> Vec<&'t str> {
    text.split(before).skip(1).filter_map(|rest| rest.split(after).next()).collect()
}

#[test]
fn every_hint_on_the_page_leads_to_an_entry() {
    let mut seen = 0;
    for file in files(&root().join("src/app")) {
        let text = fs::read_to_string(&file).unwrap();
        let mut words = between(&text, "<Term of=\"", "\"");
        let calls = text.split("termed(").skip(1).filter_map(|rest| rest.trim_start().strip_prefix('"'));
        for termed in calls.filter_map(|rest| rest.split('"').next()) {
            words.extend(between(termed, "[", "]").into_iter().map(|term| term.rsplit('|').next().unwrap_or(term)));
        }
        for word in words {
            let entry = find(word).unwrap_or_else(|| panic!("{}: no entry for `{word}`", file.display()));
            assert!(drawing(entry.name).is_some(), "{}: `{}` has no drawing", file.display(), entry.name);
            seen += 1;
        }
    }
    assert!(seen >= 12, "only {seen} hints");
}
