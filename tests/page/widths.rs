//! Limit on the width of lines, also where `rustfmt` does not apply: in `html!`, comments and texts.

use std::fs::{read_dir, read_to_string};
use std::path::{Path, PathBuf};

/// Columns; `rustfmt` breaks code at 120.
const WIDTH: usize = 140;

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn no_line_is_wider_than_a_reader_expects() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    ["src", "tests", "benches", "fuzz/src", "fuzz/targets"]
        .iter()
        .for_each(|folder| rust_files(&root.join(folder), &mut files));
    assert!(files.len() > 1000, "{} files", files.len());
    let mut wide = Vec::new();
    for file in files {
        let text = read_to_string(&file).unwrap();
        let lines = text.lines().enumerate().filter(|(_, line)| line.chars().count() > WIDTH);
        wide.extend(lines.map(|(index, _)| format!("{}:{}", file.strip_prefix(root).unwrap().display(), index + 1)));
    }
    assert!(wide.is_empty(), "wider than {WIDTH} columns:\n{}", wide.join("\n"));
}
