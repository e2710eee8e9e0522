//! Edits of documents in their text: parts that were not edited stay the same to the byte.

use fusescape_spec::edit::Outline;
use fusescape_spec::{hardware_presets, workload_presets};
use fusescape_test_support::random::Lcg;
use fusescape_test_support::sample::each_of;

/// Paths of all single values, entries of maps counted.
fn scalars(outline: &Outline, path: &str, all: &mut Vec<String>) {
    match (outline.len(path), outline.value(path)) {
        (0, Some(_)) => all.push(path.to_owned()),
        (count, _) => (0..count).for_each(|index| scalars(outline, &format!("{path}[{index}]"), all)),
    }
}

fn read(text: &str) -> Outline {
    Outline::read(text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"))
}

/// The lines of one text that are not those of the other, as `-old` and `+new`; equal lines in between count as equal only
/// at the beginning and the end.
fn difference(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.split('\n').collect(), after.split('\n').collect());
    let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - start;
    let end = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let lines = |sign: char, lines: &[&str]| lines.iter().map(|line| format!("{sign}{line}\n")).collect::<String>();
    lines('-', &old[start..old.len() - end]) + &lines('+', &new[start..new.len() - end])
}

fn presets() -> impl Iterator<Item = (&'static str, &'static str)> {
    hardware_presets().iter().chain(workload_presets()).map(|preset| (preset.id, preset.text))
}

/// In flow style on few lines, in quotes, with comments in the way.
const STRANGE: [&str; 5] = [
    "{ \"name\": \"a\", 'list': [{n: 1, m: 2,},\n  {n: 3} # three\n ], empty: , last: [ x , 'it''s' , \"a\\\"b\" ] }\n",
    "name:   é   # naïve\nabout: >-\n  one\n\n  two\n\nlist: # first\n  # above a\n  - name: a # n\n    size: \"x\" # \
     q\n    none:\n    bare: # c\n    long: one\n      two\n  # above b\n\n  -   name: b\n      ops:\n      - I\
     \n      - O # last\n      map: {k: v, w: }",
    "list:\n- a\n# between\n- b: 1\n  c: 2\n-\n  d: 3\n- # so\n  e: 4\ntext: |\n  one\n  two\n\n# end\n",
    "a:\r\n  - b: 1 # x\r\n    c: [1, 2]\r\n  - b: 2\r\nd: e\r\n",
    "\u{feff}name: x # y\nmore: ['a', \"b\"]\n",
];

fn texts() -> impl Iterator<Item = (&'static str, &'static str)> {
    presets().chain(STRANGE.map(|text| ("strange", text)))
}

#[test]
fn a_value_is_written_in_place() {
    let presets = each_of(presets().collect(), 3).into_iter();
    for (id, text) in presets.chain(STRANGE.map(|text| ("strange", text))) {
        let outline = read(text);
        let mut paths = Vec::new();
        scalars(&outline, "", &mut paths);
        assert!(paths.len() > 2, "{id}");
        for path in paths {
            let values: &[&str] =
                if id == "strange" { &["64 KiB", "", "a, b: #c", "- x", "\"", "it's"] } else { &["64 KiB", ""] };
            for &value in values {
                // An item of a list cannot be left out by writing nothing.
                let changed = outline.write(&path, value);
                if value.is_empty() && changed.is_none() {
                    assert!(path.ends_with(']'), "{id}: {path}");
                    continue;
                }
                let changed = changed.unwrap_or_else(|| panic!("{id}: `{value}` at {path}\n{text}"));
                assert_eq!(changed.value(&path).unwrap_or_default(), value, "{id}: {path}\n{}", changed.text());
                // A folded text of one line has its mark in the line before.
                let is_one_line = outline.value(&path).is_some_and(|old| {
                    text.contains(&old) && (old.is_empty() || !text.contains(&format!(">-\n  {old}")))
                });
                let difference = difference(text, changed.text());
                let lines = difference.lines().count();
                assert!(!is_one_line || lines <= 2 || id == "strange", "{id}: {path}\n{difference}");
                // And back: the text is the same, except for values that YAML writes in several ways.
                let old = outline.value(&path).unwrap();
                let back = changed.write(&path, &old).unwrap_or_else(|| panic!("{path}: `{old}`\n{}", changed.text()));
                assert_eq!(back.value(&path), outline.value(&path));
                if id != "strange" && is_one_line && outline.value(&path).unwrap() != "" {
                    assert_eq!(back.text(), text, "{id}: {path}");
                }
            }
        }
    }
}

#[test]
fn comments_beside_a_value_stay_and_can_be_written() {
    let outline = read(STRANGE[1]);
    assert_eq!(outline.note("name"), Some("naïve"));
    assert_eq!(outline.note("list"), Some("first"));
    assert_eq!(outline.note("list[0].name"), Some("n"));
    assert_eq!(outline.note("list[0].none"), Some(""));
    assert_eq!(outline.note("list[0].bare"), Some("c"));
    assert_eq!(outline.note("list[1].map[0]"), None, "more follows on the line");
    let changed = outline.write("list[0].bare", "64 bit").unwrap();
    assert_eq!(difference(STRANGE[1], changed.text()), "-    bare: # c\n+    bare: 64 bit # c\n");
    for (id, text) in texts() {
        let outline = read(text);
        let mut paths = Vec::new();
        scalars(&outline, "", &mut paths);
        let mut notes = 0;
        for path in paths {
            let Some(old) = outline.note(&path) else { continue };
            let Some(changed) = outline.annotate(&path, " from Fig. 3 # (a)\nof it ") else { continue };
            notes += 1;
            assert_eq!(changed.note(&path), Some("from Fig. 3 # (a) of it"), "{id}: {path}\n{}", changed.text());
            assert!(difference(text, changed.text()).lines().count() <= 2, "{id}: {path}");
            let back = changed.annotate(&path, old).unwrap();
            let is_usual = id != "strange" && !old.is_empty();
            assert!(!is_usual || back.text() == text, "{id}: {path}");
        }
        assert!(notes > 0 || text == STRANGE[0], "{id}");
    }
}

#[test]
fn fields_are_added_at_their_usual_place_and_removed() {
    let text = "name: x\nmemories: # lowest first\n  # about a\n  - name: a # lowest\n    size: 8 B\n    source: me\
        \n  - { name: b, size: 8 B }\n";
    let outline = read(text);
    let added = outline.write("memories[0].granularity", "8 bit").unwrap();
    assert_eq!(difference(text, added.text()), "+    granularity: 8 bit\n");
    assert!(added.text().contains("size: 8 B\n    granularity"), "{}", added.text());
    assert_eq!(added.remove("memories[0].granularity").unwrap().text(), text);
    let added = outline.write("memories[1].area", "5 um2").unwrap();
    assert!(added.text().contains("- { name: b, size: 8 B, area: 5 um2 }\n"), "{}", added.text());
    assert_eq!(added.remove("memories[1].area").unwrap().text(), text);
    let without = outline.remove("memories[0].name").unwrap();
    assert!(without.text().contains("  # about a\n  - size: 8 B\n"), "{}", without.text());
    let nested = outline.put("memories[0].ports", "{ p: [I.read_to_low] }").unwrap();
    assert!(nested.text().contains("    ports: { p: [I.read_to_low] }\n    source: me\n"), "{}", nested.text());
    assert_eq!(
        read("name: x\narray:\n").write("array.mac_energy", "1 pJ").unwrap().text(),
        "name: x\narray: { mac_energy: 1 pJ }\n"
    );
}

#[test]
fn items_are_copied_moved_and_removed_with_their_comments() {
    let text = "memories: # lowest first\n  - name: a # low\n    size: 8 B\n  # about b\n  # and more\n  - name: b\n\
        \n  - name: c\n    ports:\n      p: [x]\nend: 1";
    let outline = read(text);
    let moved = outline.shift("memories", 1, 2).unwrap();
    assert_eq!(
        moved.text(),
        "memories: # lowest first\n  - name: a # low\n    size: 8 B\n  - name: c\n    ports:\n      p: [x]\n\n  # \
         about b\n  # and more\n  - name: b\nend: 1"
    );
    assert_eq!(moved.shift("memories", 2, 1).unwrap().text(), text);
    let copied = outline.copy("memories", 1).unwrap();
    assert_eq!(difference(text, copied.text()), "+  - name: b\n");
    assert_eq!(copied.remove("memories[2]").unwrap().text(), text);
    let without = outline.remove("memories[1]").unwrap();
    assert_eq!(difference(text, without.text()), "-  # about b\n-  # and more\n-  - name: b\n");
    let added = outline.insert_fields("memories", 3, &[("name", "d".into()), ("size", "8 B".into())]).unwrap();
    assert_eq!(difference(text, added.text()), "+  - name: d\n+    size: 8 B\n");
    let added = outline.insert_fields("memories", 0, &[("name", "d".into())]).unwrap();
    assert!(added.text().starts_with("memories: # lowest first\n  - name: d\n  - name: a"), "{}", added.text());
    let flow = read("layers: [{ name: a }, { name: b }] # two\n");
    assert_eq!(flow.shift("layers", 0, 1).unwrap().text(), "layers: [{ name: b }, { name: a }] # two\n");
    assert_eq!(flow.copy("layers", 0).unwrap().remove("layers[0]").unwrap().text(), flow.text());
    let none = flow.remove("layers[0]").unwrap().remove("layers[0]").unwrap();
    assert_eq!(none.text(), "layers: [] # two\n");
    assert_eq!(
        none.insert_fields("layers", 0, &[("name", "x".into())]).unwrap().text(),
        "layers: [{ name: x }] # two\n"
    );
}

/// After any sequence of edits the text can be read, and the rest of it is the same.
#[test]
fn edits_in_any_order_keep_the_rest() {
    for (seed, (id, text)) in texts().enumerate() {
        let mut random = Lcg(seed as u64);
        let mut outline = read(text);
        let mut done = 0;
        for _ in 0..60 {
            let mut paths = Vec::new();
            scalars(&outline, "", &mut paths);
            let path = paths[random.below(paths.len() as u64) as usize].clone();
            let (list, index) = path.rsplit_once('[').unwrap();
            let index: usize = index.trim_end_matches(']').parse().unwrap();
            let next = match random.below(7) {
                0 => outline.write(&path, random.of(&["1", "x y", "[", "a: b", "#", "'"])),
                1 if outline.len(list) > 1 => outline.remove(&path),
                2 => outline.copy(list, index),
                3 => outline.shift(list, index, random.below(outline.len(list) as u64) as usize),
                4 => outline.annotate(&path, random.of(&["", "so", "# : ["])),
                5 => outline.rename(&path, random.of(&["k1", "a b", "{"])),
                _ => outline.insert_value(list, index, random.of(&["new", "1, 2", "]"])),
            };
            if let Some(next) = next {
                assert_eq!(read(next.text()), next);
                done += 1;
                outline = next;
            }
        }
        assert!(done > 10, "{id}: {done}");
    }
}
