//! The rooms of the page: imports only point down, and a view knows no other view (ARCHITECTURE.md).

use std::fs;
use std::path::{Path, PathBuf};

/// From the lowest room up; those of one row do not know each other.
const ROOMS: [&[&str]; 8] = [
    &["platform"],
    &["workers"],
    &["widgets"],
    &["studies"],
    &["session"],
    &["design"],
    &["landscape", "schedule", "mapping", "fusion", "cores", "hierarchy", "compare", "gallery", "lessons"],
    &["shell"],
];

fn level(room: &str) -> usize {
    ROOMS.iter().position(|row| row.contains(&room)).unwrap_or_else(|| panic!("`{room}` has no place among the rooms"))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// The rooms that a text names as `crate::app::room` or `crate::app::{room, other}`.
fn named(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let uses = code.flat_map(|line| line.split("crate::app::").skip(1));
    uses.flat_map(|rest| match rest.strip_prefix('{') {
        Some(list) => list.split('}').next().unwrap_or_default().split(',').map(str::trim).collect::<Vec<_>>(),
        None => vec![rest],
    })
    .filter_map(|path| path.split(|c| !is_word(c)).next().filter(|room| !room.is_empty()))
    .collect()
}

#[test]
fn imports_point_down_and_no_view_knows_another() {
    let app = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/app");
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for entry in fs::read_dir(&app).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        let room = entry.file_name().unwrap().to_str().unwrap().to_owned();
        for file in files(&entry) {
            for other in named(&fs::read_to_string(&file).unwrap()) {
                seen += 1;
                let is_down = level(other) < level(&room);
                if other != room && !is_down {
                    wrong.push(format!("{} names {other}", file.display()));
                }
            }
        }
    }
    assert!(seen > 200, "only {seen} imports were seen");
    assert_eq!(wrong, Vec::<String>::new());
}
