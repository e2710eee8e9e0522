//! The rooms of the page: imports only point down, and a view knows no other view (ARCHITECTURE.md).

use fusescape::state::VIEWS;
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use std::fs;
use std::path::{Path, PathBuf};

/// From the lowest room up; rooms in one row do not know each other.
fn rooms() -> [Vec<&'static str>; 7] {
    let views = VIEWS.iter().map(|view| view.name).collect();
    [vec!["platform"], vec!["workers"], vec!["widgets"], vec!["session"], vec!["design"], views, vec!["shell"]]
}

fn level(room: &str) -> usize {
    rooms()
        .iter()
        .position(|row| row.contains(&room))
        .unwrap_or_else(|| panic!("`{room}` has no place among the rooms"))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// The paths that a text names behind a prefix: `crate::app::room::file`, `crate::app::{room, other}`.
fn named<'t>(text: &'t str, prefix: &str) -> Vec<&'t str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let uses = code.flat_map(|line| line.split(prefix).skip(1));
    uses.flat_map(|rest| match rest.strip_prefix('{') {
        Some(list) => list.split('}').next().unwrap_or_default().split(',').map(str::trim).collect::<Vec<_>>(),
        None => vec![rest],
    })
    .filter_map(|path| path.split(|c| !is_word(c) && c != ':').next().filter(|path| !path.is_empty()))
    .collect()
}

#[test]
fn imports_point_down_and_no_view_knows_another() {
    let app = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/app");
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for entry in fs::read_dir(&app).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        let room = entry.file_name().unwrap().to_str().unwrap().to_owned();
        for file in files(&entry) {
            for path in named(&fs::read_to_string(&file).unwrap(), "crate::app::") {
                seen += 1;
                let other = path.split("::").next().unwrap();
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

/// Files that import each other in a cycle must be read as one, so there may only be few of them.
#[test]
fn no_circle_of_imports_has_more_than_three_files() {
    let app = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/app");
    let mut imports = 0;
    for room in rooms().concat() {
        let folder = app.join(room);
        let name = |path: &PathBuf| path.strip_prefix(&folder).unwrap().with_extension("").to_str().unwrap().to_owned();
        let texts: Vec<(String, String)> = files(&folder)
            .iter()
            .map(|path| (name(path), fs::read_to_string(path).unwrap()))
            .filter(|(name, _)| !name.ends_with("mod"))
            .collect();
        let mut graph: DiGraphMap<&str, ()> = DiGraphMap::new();
        for (name, text) in &texts {
            let beside = name.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}::"));
            let paths = named(text, "super::").into_iter().map(|path| format!("{beside}{path}"));
            let own = named(text, &format!("crate::app::{room}::")).into_iter().map(str::to_owned);
            for path in paths.chain(own).map(|path| path.replace("::", "/") + "/") {
                let other = texts.iter().find(|(other, _)| other != name && path.starts_with(&format!("{other}/")));
                if let Some((other, _)) = other {
                    graph.add_edge(name, other, ());
                    imports += 1;
                }
            }
        }
        let circle = tarjan_scc(&graph).into_iter().max_by_key(Vec::len).unwrap_or_default();
        assert!(circle.len() <= 3, "{room}: {circle:?}");
    }
    assert!(imports > 100, "only {imports} imports were seen");
}
