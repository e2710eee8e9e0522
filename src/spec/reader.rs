//! Fields and values out of a document, noting everything that is wrong on the way.

use super::diagnostic::{Diagnostic, Diagnostics, Fix, MAX_DIAGNOSTICS, closest, more};
use super::flow::{AxisValue, flow_list_of, flow_map_of};
use super::hidden::{is_hidden, is_hidden_in_lines, visible};
use super::tree::{self, Node, Value};
use crate::sorting::sort_by_key;
use std::collections::HashMap;

/// Limit on the length of a name.
const MAX_NAME: usize = 100;
/// Limit on the names in one list, and on the entries under names that are free to choose.
const MAX_NAMES: usize = 64;

/// Said of a number that no field has room for.
const TOO_LARGE: &str = "is too large";

/// Why a text is not the value it should be.
pub struct ValueError {
    reason: String,
    remedy: String,
    fix: Option<Fix>,
}

impl ValueError {
    /// The reason, and the remedy.
    pub fn new(reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { reason: reason.into(), remedy: remedy.into(), fix: None }
    }

    /// Whether it would be right, were it smaller.
    pub(super) fn is_of_size(&self) -> bool {
        self.reason.ends_with(TOO_LARGE)
    }

    /// With another remedy.
    pub fn with_remedy(self, remedy: &str) -> Self {
        Self { remedy: remedy.into(), ..self }
    }

    /// With the edit that would make it right.
    pub fn fixed_by(self, fix: Fix) -> Self {
        Self { fix: Some(fix), ..self }
    }
}

/// The error of a text with an invisible character; nothing where that is allowed, or there is none.
fn unseen(text: &str, is_refused: fn(char) -> bool) -> Option<ValueError> {
    let hidden = text.chars().find(|c| is_refused(*c))?;
    let reason = format!("`{}` has a character that nobody sees (U+{:04X})", short(text), hidden as u32);
    Some(ValueError::new(reason, "Write it anew, without that character"))
}

/// Collects mistakes while a document is read.
pub struct Reader {
    diagnostics: Diagnostics,
    /// Whether the text could be read to its end; if not, nothing can be called missing.
    complete: bool,
    /// Of fields stated twice the last counts, as other programs have it; which ones these are is kept here.
    repeated: Option<Vec<String>>,
    /// Lines of texts from which invisible characters were taken.
    cleaned: Vec<usize>,
}

impl Reader {
    /// Reads the text as far as it is YAML.
    pub fn open(text: &str) -> (Node, Self) {
        Self::of(tree::parse(text))
    }

    /// Reads a text of at most `most` bytes: one that holds other documents may be longer than they.
    pub fn open_up_to(text: &str, most: usize) -> (Node, Self) {
        Self::of(tree::parse_up_to(text, most))
    }

    fn of((root, diagnostics): (Node, Diagnostics)) -> (Node, Self) {
        let complete = diagnostics.is_empty();
        (root, Self { diagnostics, complete, repeated: None, cleaned: Vec::new() })
    }

    /// Reads a text that another program wrote: the last of several equal fields counts, and invisible characters are
    /// taken out of texts, both without a complaint.
    pub fn open_foreign(text: &str) -> (Node, Self) {
        let (mut root, mut reader) = Self::open(text);
        reader.repeated = Some(Vec::new());
        root.clean(&mut |line| reader.cleaned.push(line));
        (root, reader)
    }

    /// Lines of texts from which invisible characters were taken.
    pub fn cleaned(&self) -> &[usize] {
        &self.cleaned
    }

    /// The paths of fields of which only the last counts.
    pub fn repeated(&self) -> &[String] {
        self.repeated.as_deref().unwrap_or_default()
    }

    /// The mistakes, in the order of the text.
    pub fn finish(mut self) -> Diagnostics {
        sort_by_key(&mut self.diagnostics.0, |diagnostic| diagnostic.line.unwrap_or(usize::MAX));
        self.diagnostics
    }

    /// Number of mistakes so far.
    pub fn count(&self) -> usize {
        self.diagnostics.0.len()
    }

    fn reject(&mut self, path: &str, line: usize, wrong: ValueError) {
        let all = &mut self.diagnostics.0;
        if all.len() > MAX_DIAGNOSTICS || all.iter().any(|other| !path.is_empty() && other.path == path) {
            return;
        }
        if all.len() == MAX_DIAGNOSTICS {
            all.push(more());
            return;
        }
        let ValueError { reason, remedy, fix } = wrong;
        all.push(Diagnostic::new(path.into(), Some(line), reason, remedy, fix));
    }
}

/// A value and where it stands.
pub struct LocatedNode<'t> {
    node: &'t Node,
    path: String,
    line: usize,
}

impl<'t> LocatedNode<'t> {
    /// The whole document.
    pub fn root(node: &'t Node) -> Self {
        Self { node, path: String::new(), line: node.line }
    }

    /// Notes that this value is wrong.
    pub fn reject(&self, reader: &mut Reader, wrong: ValueError) {
        reader.reject(&self.path, self.line, wrong);
    }

    fn expected(&self, reader: &mut Reader, what: &str, remedy: &str) {
        if matches!(self.node.value, Value::Nothing) {
            // Where the text broke off, anything may have been about to follow.
            if reader.complete {
                let reason = if self.path.is_empty() { "The document is empty" } else { "There is no value here" };
                self.reject(reader, ValueError::new(reason, remedy));
            }
            return;
        }
        self.reject(reader, ValueError::new(format!("Here stands {} instead of {what}", self.node.kind()), remedy));
    }

    /// This value, reported under another path: ports are counted in paths, and named in documents.
    pub fn at(mut self, path: String) -> Self {
        self.path = path;
        self
    }

    /// Line on which it starts, counted from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Where it is in the document: `memories[2].size`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether it is a single value.
    pub fn is_scalar(&self) -> bool {
        matches!(self.node.value, Value::Scalar(_))
    }

    /// Whether nothing is in it: an empty list, no fields, no value.
    pub fn is_empty(&self) -> bool {
        match &self.node.value {
            Value::Nothing => true,
            Value::Scalar(text) => text.is_empty(),
            Value::List(items) => items.is_empty(),
            Value::Map(entries) => entries.is_empty(),
        }
    }

    /// The name of the tag of fields with names: `Memory` of `!Memory`.
    pub fn tag(&self) -> Option<&'t str> {
        self.node.tag.as_deref()
    }

    /// Whether it has fields.
    pub fn is_map(&self) -> bool {
        matches!(self.node.value, Value::Map(_))
    }

    /// Whether it is a list.
    pub fn is_list(&self) -> bool {
        matches!(self.node.value, Value::List(_))
    }

    /// Whether it is a list of nothing.
    pub fn is_empty_list(&self) -> bool {
        matches!(&self.node.value, Value::List(items) if items.is_empty())
    }

    /// The value to be written elsewhere: a single one, or a list or fields on one line.
    pub fn written(&self) -> AxisValue {
        written(self.node)
    }

    /// Whether it has a field of this name.
    pub fn has(&self, name: &str) -> bool {
        matches!(&self.node.value, Value::Map(entries) if entries.iter().any(|(key, _)| key.text == name))
    }

    /// The field of this name; `None` where it is left out.
    pub fn find(&self, name: &str) -> Option<LocatedNode<'t>> {
        let Value::Map(entries) = &self.node.value else { return None };
        let (key, node) = entries.iter().find(|(key, _)| key.text == name)?;
        Some(LocatedNode { node, path: join(&self.path, name), line: key.line })
    }

    /// A text; blanks around it do not count.
    pub fn text(&self, reader: &mut Reader) -> Option<String> {
        match &self.node.value {
            Value::Scalar(text) => {
                if let Some(wrong) = unseen(text, is_hidden_in_lines) {
                    self.reject(reader, wrong);
                    return None;
                }
                Some(text.trim().to_owned())
            }
            _ => {
                self.expected(reader, "a text", "Write a text; in quotes if it starts with a special character");
                None
            }
        }
    }

    /// A text with all its blanks and lines.
    pub fn verbatim(&self, reader: &mut Reader) -> Option<String> {
        match &self.node.value {
            Value::Scalar(text) => Some(text.clone()),
            _ => self.text(reader),
        }
    }

    /// A text that something else may refer to.
    pub fn name(&self, reader: &mut Reader) -> Option<String> {
        self.value(reader, "a name", |text| {
            if text.chars().count() > MAX_NAME {
                return Err(ValueError::new(format!("This name is longer than {MAX_NAME} characters"), "Shorten it"));
            }
            unseen(text, is_hidden).map_or_else(|| Ok(text.to_owned()), Err)
        })
    }

    /// A single value that `parse` understands.
    pub fn value<T>(
        &self,
        reader: &mut Reader,
        what: &str,
        parse: impl FnOnce(&str) -> Result<T, ValueError>,
    ) -> Option<T> {
        let Value::Scalar(text) = &self.node.value else {
            self.expected(reader, what, &format!("Write {what}"));
            return None;
        };
        let text = text.trim();
        if text.len() > 4 * MAX_NAME {
            self.reject(reader, ValueError::new("This text is far too long here", format!("Write {what}")));
            return None;
        }
        match unseen(text, is_hidden_in_lines).map_or_else(|| parse(text), Err) {
            Ok(value) => Some(value),
            Err(wrong) => {
                self.reject(reader, wrong);
                None
            }
        }
    }

    /// A whole number.
    pub fn count(&self, reader: &mut Reader) -> Option<u64> {
        self.value(reader, "a whole number", count)
    }

    /// A number of some unit; one function for all of them, as the page's module is the smaller for it.
    #[inline(never)]
    pub fn figure(&self, reader: &mut Reader, what: &str, parse: fn(&str) -> Result<f64, ValueError>) -> Option<f64> {
        self.value(reader, what, parse)
    }

    /// `true` or `false`.
    pub fn flag(&self, reader: &mut Reader) -> Option<bool> {
        self.value(reader, "`true` or `false`", |text| {
            text.parse()
                .map_err(|_| ValueError::new(format!("`{text}` is neither `true` nor `false`"), "Write one of them"))
        })
    }

    /// Complains that there are more than `most` of something.
    fn too_many(&self, reader: &mut Reader, count: usize, most: usize) {
        self.reject(reader, ValueError::new(format!("There are {count} entries, more than {most}"), "Leave some out"));
    }

    /// The items of a list, at most `most`.
    pub fn list(&self, reader: &mut Reader, most: usize) -> Vec<LocatedNode<'t>> {
        let Value::List(items) = &self.node.value else {
            self.expected(reader, "a list", "Write a list: `[a, b]`, or one line with a leading `-` for each item");
            return Vec::new();
        };
        if items.len() > most {
            self.too_many(reader, items.len(), most);
        }
        let place = |(index, node): (usize, &'t Node)| LocatedNode {
            node,
            path: format!("{}[{index}]", self.path),
            line: node.line,
        };
        items.iter().take(most).enumerate().map(place).collect()
    }

    /// Names in a list, or a single one.
    pub fn names(&self, reader: &mut Reader) -> Vec<String> {
        if self.is_scalar() {
            return self.name(reader).into_iter().collect();
        }
        self.list(reader, MAX_NAMES).iter().filter_map(|item| item.name(reader)).collect()
    }

    /// Names and values whose names are free to choose.
    pub fn entries(&self, reader: &mut Reader) -> Vec<(&'t str, LocatedNode<'t>)> {
        let mut entries = self.all_entries(reader);
        if entries.len() > MAX_NAMES {
            self.too_many(reader, entries.len(), MAX_NAMES);
            entries.truncate(MAX_NAMES);
        }
        entries
    }

    fn all_entries(&self, reader: &mut Reader) -> Vec<(&'t str, LocatedNode<'t>)> {
        let Value::Map(entries) = &self.node.value else {
            self.expected(reader, "fields with names", "Write `{ name: value }`, or one line `name: value` for each");
            return Vec::new();
        };
        let mut seen: HashMap<&str, usize> = HashMap::new();
        let mut places = Vec::new();
        for (key, node) in entries {
            let place = LocatedNode { node, path: join(&self.path, &key.text), line: key.line };
            let first = seen.insert(&key.text, key.line);
            if let (Some(_), Some(repeated)) = (first, &mut reader.repeated) {
                repeated.push(place.path.clone());
                places.retain(|(name, _)| *name != key.text);
                places.push((key.text.as_str(), place));
            } else if let Some(first) = first {
                let reason = format!("`{}` is stated twice, first in line {first}", short(&key.text));
                reader.reject(&place.path, key.line, ValueError::new(reason, "Keep one of them"));
            } else if key.text.len() > MAX_NAME {
                place.reject(reader, ValueError::new("This name is too long", "Shorten it"));
            } else if let Some(wrong) = unseen(&key.text, is_hidden) {
                place.reject(reader, wrong);
            } else {
                places.push((key.text.as_str(), place));
            }
        }
        places
    }

    /// Fields out of those that `known` lists; others are complained about.
    pub fn fields(&self, reader: &mut Reader, known: &[&'static str]) -> Fields<'t> {
        let mut fields =
            Fields { path: self.path.clone(), line: self.line, readable: self.is_map(), entries: Vec::new() };
        let mut unknown = Vec::new();
        for (name, place) in self.all_entries(reader) {
            match known.iter().find(|known| **known == name) {
                Some(name) => fields.entries.push((name, place)),
                None => unknown.push((name, place)),
            }
        }
        for (name, place) in unknown {
            // Similar names take time: they are looked for only until the list of mistakes is full.
            if reader.diagnostics.is_full() {
                break;
            }
            let meant = closest(name, known.iter().copied());
            let remedy = meant.map_or_else(
                || format!("Remove it; the fields here are {}", known.join(", ")),
                |meant| format!("Did you mean `{meant}`?"),
            );
            let fix = meant.map_or(Fix::Remove, |meant| Fix::Rename(meant.to_owned()));
            let wrong = ValueError::new(format!("There is no field `{}` here", short(name)), remedy);
            place.reject(reader, wrong.fixed_by(fix));
            // The field that was meant is then not missing, too.
            if let Some(meant) = known.iter().find(|known| Some(**known) == meant)
                && fields.get(meant).is_none()
            {
                fields.entries.push((meant, place));
            }
        }
        fields
    }
}

/// Fields with known names.
pub struct Fields<'t> {
    path: String,
    line: usize,
    readable: bool,
    entries: Vec<(&'static str, LocatedNode<'t>)>,
}

impl<'t> Fields<'t> {
    /// A field that may be left out.
    pub fn get(&self, name: &str) -> Option<&LocatedNode<'t>> {
        self.entries.iter().find(|(known, _)| *known == name).map(|(_, place)| place)
    }

    /// A field that must not be missing.
    pub fn need(&self, reader: &mut Reader, name: &str, example: &str) -> Option<&LocatedNode<'t>> {
        let place = self.get(name);
        if place.is_none() {
            self.missing(reader, name, example);
        }
        place
    }

    /// Notes that a field is missing, with an example of its value.
    pub fn missing(&self, reader: &mut Reader, name: &str, example: &str) {
        if self.readable && reader.complete {
            let wrong =
                ValueError::new(format!("`{name}` is missing"), format!("Write for example `{name}: {example}`"));
            reader.reject(&join(&self.path, name), self.line, wrong);
        }
    }

    /// A text that may be left out.
    pub fn text(&self, reader: &mut Reader, name: &str) -> String {
        self.get(name).and_then(|place| place.text(reader)).unwrap_or_default()
    }

    /// A name that must not be missing.
    pub fn name(&self, reader: &mut Reader, name: &str, example: &str) -> String {
        self.need(reader, name, example).and_then(|place| place.name(reader)).unwrap_or_default()
    }
}

fn written(node: &Node) -> AxisValue {
    match &node.value {
        Value::Nothing => AxisValue::Flow(String::new()),
        Value::Scalar(text) => AxisValue::Single(text.trim().to_owned()),
        Value::List(items) => AxisValue::Flow(flow_list_of(items.iter().map(written))),
        Value::Map(entries) => {
            AxisValue::Flow(flow_map_of(entries.iter().map(|(key, node)| (key.text.as_str(), written(node)))))
        }
    }
}

/// A whole number.
pub fn count(text: &str) -> Result<u64, ValueError> {
    text.parse().map_err(|_| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let reason = if digits { TOO_LARGE } else { "is not a whole number, 0 or more" };
        ValueError::new(format!("`{}` {reason}", short(text)), "Write for example `64`")
    })
}

fn join(path: &str, name: &str) -> String {
    let name = short(name);
    if path.is_empty() { name } else { format!("{path}.{name}") }
}

/// A text that a person wrote, cut to the length of a message.
fn short(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", visible(&text[..end])),
        None => visible(text).into_owned(),
    }
}
