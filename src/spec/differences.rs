//! Differences between two documents, value by value.

use super::tree::{Node, Value, parse};

/// One place where two documents differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The path: `memories.sram_64KB.size`. Members of lists are identified by their names, if they have any, else by
    /// their index.
    pub path: String,
    /// The value in the first document; `None`: nothing.
    pub a: Option<String>,
    /// The value in the second document.
    pub b: Option<String>,
}

/// Fields of prose, which no result depends on.
const PROSE: [&str; 2] = ["about", "source"];

/// All places where two YAML documents differ in content, in the order of the first; comments, layout and prose do not
/// count. A text that cannot be read as far as its end counts as far as it could be read.
pub fn differences(a: &str, b: &str) -> Vec<Difference> {
    let mut found = Vec::new();
    compare("", Some(&parse(a).0), Some(&parse(b).0), &mut found);
    found
}

fn compare(path: &str, a: Option<&Node>, b: Option<&Node>, found: &mut Vec<Difference>) {
    let (left, right) = (a.map(members).unwrap_or_default(), b.map(members).unwrap_or_default());
    // A part that only one of them has is shown as a whole.
    if left.is_empty() || right.is_empty() || is_short(a) && is_short(b) {
        let (a, b) = (a.and_then(text), b.and_then(text));
        if a != b {
            found.push(Difference { path: path.to_owned(), a, b });
        }
        return;
    }
    let new = right.iter().filter(|(name, _)| !left.iter().any(|(other, _)| other == name));
    for (name, _) in left.iter().chain(new) {
        let find = |members: &[(String, &Node)]| members.iter().position(|(other, _)| other == name);
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        let (a, b) = (find(&left).map(|index| left[index].1), find(&right).map(|index| right[index].1));
        compare(&path, a, b, found);
    }
}

/// Fields and members of lists, each with the name that identifies it; none for a single value.
fn members(node: &Node) -> Vec<(String, &Node)> {
    match &node.value {
        Value::Map(entries) => {
            let counts = entries.iter().filter(|(key, _)| !PROSE.contains(&key.text.as_str()));
            counts.map(|(key, node)| (key.text.clone(), node)).collect()
        }
        Value::List(items) => {
            let name = |(index, item): (usize, &Node)| name_of(item).unwrap_or_else(|| (index + 1).to_string());
            items.iter().enumerate().map(|item| (name(item), item.1)).collect()
        }
        _ => Vec::new(),
    }
}

fn name_of(node: &Node) -> Option<String> {
    let Value::Map(entries) = &node.value else { return None };
    entries.iter().find(|(key, _)| key.text == "name").and_then(|(_, name)| text(name))
}

/// Whether it is a list of plain values, which is compared as one value.
fn is_short(node: Option<&Node>) -> bool {
    let is_plain = |item: &Node| matches!(item.value, Value::Scalar(_) | Value::Nothing);
    node.is_none_or(|node| matches!(&node.value, Value::List(items) if items.iter().all(is_plain)))
}

/// The value on one line; `None` for nothing.
fn text(node: &Node) -> Option<String> {
    let join = |parts: Vec<String>| parts.join(", ");
    match &node.value {
        Value::Nothing => None,
        Value::Scalar(text) => Some(text.split_whitespace().collect::<Vec<_>>().join(" ")),
        Value::List(items) => Some(format!("[{}]", join(items.iter().filter_map(text).collect()))),
        Value::Map(entries) => {
            let field = |(key, node): &(super::tree::Key, Node)| Some(format!("{}: {}", key.text, text(node)?));
            Some(format!("{{ {} }}", join(entries.iter().filter_map(field).collect())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(a: &str, b: &str) -> Vec<String> {
        let side = |text: Option<String>| text.unwrap_or_else(|| "nothing".to_owned());
        let line = |Difference { path, a, b }| format!("{path}: {} -> {}", side(a), side(b));
        differences(a, b).into_iter().map(line).collect()
    }

    #[test]
    fn comments_layout_and_order_do_not_count() {
        let a = "name: one # a comment\nabout: this and that\nmemories:\n  - { name: x, size: 1 KiB }\n  - name: y\n    size:   2 KiB\n";
        let b = "memories: [{ size: 2 KiB, name: y }, { name: x, size: 1 KiB }]\nname: one\n";
        assert_eq!(lines(a, b), Vec::<String>::new());
    }

    #[test]
    fn members_of_lists_are_known_by_their_names() {
        let a = "memories:\n  - { name: x, size: 1 KiB, operands: [W, I] }\n  - { name: y, size: 2 KiB }\n";
        let b =
            "memories:\n  - { name: y, size: 4 KiB }\n  - { name: x, size: 1 KiB, operands: [W] }\n  - { name: z }\n";
        assert_eq!(
            lines(a, b),
            [
                "memories.x.operands: [W, I] -> [W]",
                "memories.y.size: 2 KiB -> 4 KiB",
                "memories.z: nothing -> { name: z }"
            ]
        );
    }

    #[test]
    fn a_broken_text_still_says_what_it_can() {
        assert_eq!(lines("a: 1\nb: 2\n", "a: 3\nb: [\n"), ["a: 1 -> 3", "b: 2 -> []"]);
    }
}
