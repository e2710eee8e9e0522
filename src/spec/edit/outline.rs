//! A text with the place of every value, and edits of single values.

use super::super::Diagnostics;
use super::super::extent::rest_of_line;
use super::super::hardware::field_order as hardware_fields;
use super::super::tree::{self, Key, Node, PathStep, Style, Value, steps};
use super::super::workload::field_order as workload_fields;
use super::encode::{TextContext, encode, in_one_line};
use super::place::{self, ItemEntry, entry, find, index_of};

/// A text that is YAML, with the place of every value.
///
/// Paths are those of diagnostics (`memories[2].size`); where names are free to choose, entries are counted
/// (`array.dimensions[0]`).
#[derive(Debug, Clone)]
pub struct Outline {
    pub(super) text: String,
    pub(super) root: Node,
}

/// The place to which a path in any notation leads: indices of entries, and names of parts that do not exist.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PathKey(Vec<Result<usize, String>>);

impl PathKey {
    /// Whether this is `other`, or something in it.
    pub fn is_inside(&self, other: &Self) -> bool {
        self.0.starts_with(&other.0)
    }
}

impl PartialEq for Outline {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Outline {
    /// Finds every value of a text.
    ///
    /// # Errors
    /// Why the text is not YAML, or not YAML that can be read.
    pub fn read(text: &str) -> Result<Self, Diagnostics> {
        let (root, diagnostics) = tree::parse(text);
        diagnostics.or(Self { text: text.to_owned(), root })
    }

    /// The document as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text, at the end of some edits.
    pub fn into_text(self) -> String {
        self.text
    }

    pub(super) fn find(&self, path: &str) -> Option<ItemEntry<'_>> {
        find(&self.text, &self.root, path)
    }

    pub(super) fn node(&self, path: &str) -> Option<&Node> {
        if path.is_empty() { Some(&self.root) } else { self.find(path).map(|entry| entry.node) }
    }

    /// Whether there is something at `path`, if only a name.
    pub fn has(&self, path: &str) -> bool {
        self.node(path).is_some()
    }

    /// Whether the value at `path` has entries with names.
    pub fn is_map(&self, path: &str) -> bool {
        self.node(path).is_some_and(|node| matches!(node.value, Value::Map(_)))
    }

    /// Number of entries of a list or map.
    pub fn len(&self, path: &str) -> usize {
        self.node(path).map_or(0, place::len)
    }

    /// Whether there is no entry at `path`.
    pub fn is_empty(&self, path: &str) -> bool {
        self.len(path) == 0
    }

    /// Names of the entries of a map.
    pub fn keys(&self, path: &str) -> Vec<String> {
        match self.node(path).map(|node| &node.value) {
            Some(Value::Map(entries)) => entries.iter().map(|(key, _)| key.text.clone()).collect(),
            _ => Vec::new(),
        }
    }

    /// A single value, the single values of a list with commas, or fields between brackets as they were written; `None`
    /// where there is nothing of the kind.
    pub fn value(&self, path: &str) -> Option<String> {
        match &self.node(path)?.value {
            Value::Nothing => Some(String::new()),
            Value::Scalar(text) => Some(text.trim().to_owned()),
            Value::List(_) => Some(self.names(path).join(", ")),
            Value::Map(_) => {
                let entry = self.find(path)?;
                let written = self.text.get(entry.node.span.clone())?;
                (entry.node.style == Style::Flow && !written.contains('\n')).then(|| written.to_owned())
            }
        }
    }

    /// The values of a list, or the single value in place of a list.
    pub fn names(&self, path: &str) -> Vec<String> {
        let scalar = |node: &Node| match &node.value {
            Value::Scalar(text) => Some(text.trim().to_owned()),
            _ => None,
        };
        match self.node(path) {
            Some(Node { value: Value::List(items), .. }) => items.iter().filter_map(scalar).collect(),
            Some(node) => scalar(node).into_iter().collect(),
            None => Vec::new(),
        }
    }

    /// The comment beside a value: empty where there is none, `None` where there can be none.
    pub fn note(&self, path: &str) -> Option<&str> {
        let entry = self.find(path)?;
        place::comment(&self.text, entry.note_place())
    }

    /// The place to which a path leads.
    pub fn key(&self, path: &str) -> PathKey {
        let mut node = Some(&self.root);
        let mut places = Vec::new();
        for step in steps(path) {
            let index = node.and_then(|node| index_of(node, step));
            node = node.zip(index).and_then(|(node, index)| entry(&self.text, node, index)).map(|entry| entry.node);
            places.push(match (index, step) {
                (Some(index), _) => Ok(index),
                (None, PathStep::Field(name)) => Err(name.to_owned()),
                (None, PathStep::Item(index)) => Err(index.to_string()),
            });
        }
        PathKey(places)
    }

    /// The outline of the text with `range` replaced; `None` unless the content of the new text is this one's after
    /// `change`.
    pub(super) fn replaced(
        &self,
        range: std::ops::Range<usize>,
        with: &str,
        change: impl FnOnce(&mut Node) -> Option<()>,
    ) -> Option<Self> {
        let mut text = String::with_capacity(self.text.len() + with.len());
        text += self.text.get(..range.start)?;
        text += with;
        text += self.text.get(range.end..)?;
        self.accepted(text, change)
    }

    /// The outline of `text`, if its content is this one's after `change`.
    pub(super) fn accepted(&self, text: String, change: impl FnOnce(&mut Node) -> Option<()>) -> Option<Self> {
        let next = Self::read(&text).ok()?;
        let mut expected = self.root.clone();
        change(&mut expected)?;
        says_the_same(&next.root, &expected).then_some(next)
    }

    /// Writes a single value. A field that is not there yet is added at its usual place.
    pub fn write(&self, path: &str, text: &str) -> Option<Self> {
        let (parent, _) = split(path)?;
        let is_between_brackets = match self.find(path) {
            Some(entry) => entry.parent.style == Style::Flow,
            None => self.node(parent).is_none_or(|parent| parent.style == Style::Flow),
        };
        let around = if is_between_brackets { TextContext::Brackets } else { TextContext::Line };
        self.put(path, &encode(text, around))
    }

    /// Writes a value given as YAML on one line: `[I, O]`. A field that is not there yet is added at its usual place.
    pub fn put(&self, path: &str, yaml: &str) -> Option<Self> {
        let (value, wrong) = tree::parse(yaml);
        wrong.is_empty().then_some(())?;
        let Some(entry) = self.find(path) else {
            let (parent, name) = split(path)?;
            if !self.has(parent) && !name.is_empty() {
                return self.put(parent, &format!("{{ {}: {yaml} }}", encode(name, TextContext::Brackets)));
            }
            return self.add(parent, name, yaml);
        };
        if entry.key.is_none() && yaml.is_empty() {
            // An item without a value is no item.
            return None;
        }
        let mut span = entry.value_span();
        let is_beside_name = span.start == entry.value_start() && entry.key.is_some();
        let mut written = if is_beside_name && !yaml.is_empty() { format!(" {yaml}") } else { yaml.to_owned() };
        if is_beside_name && entry.node.style == Style::Block {
            // The comment beside the name stays.
            let rest = rest_of_line(&self.text, span.start);
            if let Some(comment) = rest.trim_start().strip_prefix('#') {
                written += &format!(" #{comment}");
            }
        }
        if yaml.is_empty() && self.text[..span.start].ends_with(' ') && entry.key.is_some() {
            span.start = entry.value_start();
        }
        self.replaced(span, &written, |root| {
            *node_mut(root, path)? = value;
            Some(())
        })
    }

    /// Adds a field, whose value is YAML on one line, to the map at `parent_path`: at its usual place, or the last.
    pub fn add(&self, parent_path: &str, name: &str, yaml: &str) -> Option<Self> {
        self.add_in_order(parent_path, name, yaml, self.field_order(parent_path))
    }

    /// Adds a field to a mapping, at its place among the fields of `order`.
    pub fn add_in_order(&self, parent_path: &str, name: &str, yaml: &str, order: &[&str]) -> Option<Self> {
        let (value, wrong) = tree::parse(yaml);
        wrong.is_empty().then_some(())?;
        let field = format!("{}: {yaml}", encode(name, TextContext::Brackets));
        let parent = self.node(parent_path)?;
        let Value::Map(entries) = &parent.value else {
            // A name without fields so far: `array:`.
            let is_nothing = matches!(parent.value, Value::Nothing) && !parent_path.is_empty();
            return is_nothing.then(|| self.put(parent_path, &format!("{{ {field} }}")))?;
        };
        let rank = |name: &str| order.iter().position(|known| *known == name);
        let before = |(key, _): &(Key, Node)| match (rank(&key.text), rank(name)) {
            (Some(other), Some(own)) => other < own,
            // Free names come in the order in which they are added.
            (_, None) => true,
            (None, Some(_)) => false,
        };
        // A field that stands behind the dash of an item stays the first.
        let is_behind_dash = entry(&self.text, parent, 0).is_some_and(|first| first.column().is_none());
        let first = usize::from(is_behind_dash && parent.style == Style::Block);
        let at = entries.iter().rposition(before).map_or(first, |last| last + 1);
        let key = Key { line: 0, span: 0..0, text: name.to_owned() };
        self.insert_entry(parent_path, at, &field, |parent| match &mut parent.value {
            Value::Map(entries) => {
                entries.insert(at, (key, value));
                Some(())
            }
            _ => None,
        })
    }

    fn field_order(&self, path: &str) -> &'static [&'static str] {
        let hardware = hardware_fields(path);
        if hardware.is_empty() || (path.is_empty() && self.has("layers")) { workload_fields(path) } else { hardware }
    }

    /// Removes a field or an item.
    pub fn remove(&self, path: &str) -> Option<Self> {
        let entry = self.find(path)?;
        let (parent_path, _) = split(path)?;
        let index = entry.index;
        let change = |root: &mut Node| {
            match &mut node_mut(root, parent_path)?.value {
                Value::List(items) => drop(items.remove(index)),
                Value::Map(entries) => drop(entries.remove(index)),
                _ => return None,
            }
            Some(())
        };
        if place::len(entry.parent) == 1 {
            let empty = if entry.key.is_some() { "{}" } else { "[]" };
            if parent_path.is_empty() {
                return None;
            }
            return self.put(parent_path, empty);
        }
        let span = match entry.parent.style {
            Style::Flow => self.flow_span(&entry)?,
            Style::Block => match entry.lines(entry.key.is_none()) {
                Some(lines) => lines,
                // The first field of an item stands behind its dash; the next one takes its place.
                None if index == 0 => entry.start()..place::entry(&self.text, entry.parent, 1)?.start(),
                None => return None,
            },
        };
        self.replaced(span, "", change)
    }

    /// An entry between brackets with the comma that goes with it.
    fn flow_span(&self, entry: &ItemEntry) -> Option<std::ops::Range<usize>> {
        let neighbour = |index: usize| place::entry(&self.text, entry.parent, index);
        match (neighbour(entry.index + 1), entry.index.checked_sub(1).and_then(neighbour)) {
            (Some(next), _) => Some(entry.start()..next.start()),
            (None, Some(previous)) => Some(previous.end()..entry.end()),
            (None, None) => None,
        }
    }

    /// Gives an entry of a map another name.
    pub fn rename(&self, path: &str, name: &str) -> Option<Self> {
        let entry = self.find(path)?;
        let (parent_path, _) = split(path)?;
        let index = entry.index;
        self.replaced(entry.key?.span.clone(), &encode(name, TextContext::Brackets), |root| {
            match &mut node_mut(root, parent_path)?.value {
                Value::Map(entries) => name.clone_into(&mut entries.get_mut(index)?.0.text),
                _ => return None,
            }
            Some(())
        })
    }

    /// Writes the comment beside a value; none where it is empty.
    pub fn annotate(&self, path: &str, note: &str) -> Option<Self> {
        let entry = self.find(path)?;
        let at = entry.note_place();
        place::comment(&self.text, at)?;
        let rest = rest_of_line(&self.text, at);
        let start = rest.find('#').unwrap_or(rest.len());
        let start = at + rest[..start].trim_end().len();
        let note = in_one_line(note);
        let comment = if note.is_empty() { String::new() } else { format!(" # {note}") };
        self.replaced(start..at + rest.len(), &comment, |_| Some(()))
    }
}

/// A path without its last step, and that step.
pub(super) fn split(path: &str) -> Option<(&str, &str)> {
    if let Some(list) = path.strip_suffix(']') {
        return list.rsplit_once('[');
    }
    match path.rsplit_once('.') {
        Some(parts) => Some(parts),
        None => (!path.is_empty()).then_some(("", path)),
    }
}

/// The node that `path` names, to be changed.
pub(super) fn node_mut<'n>(root: &'n mut Node, path: &str) -> Option<&'n mut Node> {
    let mut node = root;
    for step in steps(path) {
        let index = index_of(node, step)?;
        node = match &mut node.value {
            Value::List(items) => items.get_mut(index)?,
            Value::Map(entries) => &mut entries.get_mut(index)?.1,
            _ => return None,
        };
    }
    Some(node)
}

/// Whether two documents say the same, wherever it stands.
fn says_the_same(a: &Node, b: &Node) -> bool {
    match (&a.value, &b.value) {
        (Value::Nothing, Value::Nothing) => true,
        (Value::Scalar(a), Value::Scalar(b)) => a == b,
        (Value::List(a), Value::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| says_the_same(a, b)),
        (Value::Map(a), Value::Map(b)) => {
            let same = |((a, x), (b, y)): (&(Key, Node), &(Key, Node))| a.text == b.text && says_the_same(x, y);
            a.len() == b.len() && a.iter().zip(b).all(same)
        }
        _ => false,
    }
}
