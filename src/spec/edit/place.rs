//! Where in a text the entries of lists and maps begin and end.

use super::super::extent::rest_of_line;
use super::super::tree::{Key, Node, PathStep, Style, Value, steps};
use std::ops::Range;

/// One entry of a list or of a map.
#[derive(Debug, Clone, Copy)]
pub(super) struct ItemEntry<'t> {
    pub text: &'t str,
    pub parent: &'t Node,
    pub index: usize,
    /// Its name, in a map.
    pub key: Option<&'t Key>,
    pub node: &'t Node,
}

/// Number of entries.
pub(super) fn len(node: &Node) -> usize {
    match &node.value {
        Value::List(items) => items.len(),
        Value::Map(entries) => entries.len(),
        _ => 0,
    }
}

/// Entry number `index`.
pub(super) fn entry<'t>(text: &'t str, parent: &'t Node, index: usize) -> Option<ItemEntry<'t>> {
    let (key, node) = match &parent.value {
        Value::List(items) => (None, items.get(index)?),
        Value::Map(entries) => entries.get(index).map(|(key, node)| (Some(key), node))?,
        _ => return None,
    };
    Some(ItemEntry { text, parent, index, key, node })
}

/// Number of the entry that a step of a path names.
pub(super) fn index_of(parent: &Node, step: PathStep) -> Option<usize> {
    match (step, &parent.value) {
        (PathStep::Item(index), _) => (index < len(parent)).then_some(index),
        (PathStep::Field(name), Value::Map(entries)) => entries.iter().position(|(key, _)| key.text == name),
        _ => None,
    }
}

/// The entry that `path` names.
pub(super) fn find<'t>(text: &'t str, root: &'t Node, path: &str) -> Option<ItemEntry<'t>> {
    let mut found: Option<ItemEntry> = None;
    for step in steps(path) {
        let parent = found.map_or(root, |entry| entry.node);
        found = Some(entry(text, parent, index_of(parent, step)?)?);
    }
    found
}

impl<'t> ItemEntry<'t> {
    /// Where its value may begin: behind the colon, or behind the dash.
    pub(super) fn value_start(&self) -> usize {
        let Some(key) = self.key else { return self.node.span.start };
        let rest = &self.text[key.span.end..];
        let blanks = rest.len() - rest.trim_start().len();
        key.span.end + if rest[blanks..].starts_with(':') { blanks + 1 } else { 0 }
    }

    /// Behind its last character.
    pub(super) fn end(&self) -> usize {
        if matches!(self.node.value, Value::Nothing) && self.node.span.is_empty() {
            self.value_start()
        } else {
            self.node.span.end
        }
    }

    /// Its first character, its name included, a dash not.
    pub(super) fn start(&self) -> usize {
        self.key.map_or(self.node.span.start, |key| key.span.start)
    }

    /// The bytes that a new value replaces.
    pub(super) fn value_span(&self) -> Range<usize> {
        let is_block = self.node.style == Style::Block;
        let is_missing = matches!(self.node.value, Value::Nothing) && self.node.span.is_empty();
        if self.key.is_some() && (is_block || is_missing) {
            self.value_start()..self.end().max(self.value_start())
        } else {
            self.node.span.clone()
        }
    }

    /// Where a comment beside it stands: behind its value, or behind its name if the value is on the lines below.
    pub(super) fn note_place(&self) -> usize {
        if self.node.style == Style::Block && !matches!(self.node.value, Value::Scalar(_)) && self.key.is_some() {
            self.value_start()
        } else {
            self.end()
        }
    }

    /// The column of its name or dash, where it is the first of its line.
    pub(super) fn column(&self) -> Option<usize> {
        let start = if self.key.is_some() { self.start() } else { self.dash()? };
        let line = line_start(self.text, start);
        self.text[line..start].bytes().all(|byte| byte == b' ').then_some(start - line)
    }

    /// The dash of an item of a list that is written by indentation.
    fn dash(&self) -> Option<usize> {
        let mut end = self.node.span.start;
        loop {
            let line = line_start(self.text, end);
            let before = self.text[line..end].trim_end();
            if before.ends_with('-') {
                return Some(line + before.len() - 1);
            }
            if !before.trim_start().is_empty() && !before.trim_start().starts_with('#') {
                // `- # comment`, with the content on the next line.
                let bare = before.split_once(" #").map_or("", |(bare, _)| bare.trim_end());
                return bare.ends_with('-').then(|| line + bare.len() - 1);
            }
            end = line.checked_sub(1)?;
        }
    }

    /// The whole lines of an entry that is written by indentation, `with_comments`: those directly above it too.
    pub(super) fn lines(&self, with_comments: bool) -> Option<Range<usize>> {
        let first = if self.key.is_some() { self.start() } else { self.dash()? };
        let mut start = line_start(self.text, first);
        // Something else on its line cannot be moved along.
        self.text[start..first].trim().is_empty().then_some(())?;
        let earlier = match self.index.checked_sub(1) {
            Some(before) => entry(self.text, self.parent, before)?.end(),
            None => 0,
        };
        while with_comments && start > 0 {
            let above = line_start(self.text, start - 1);
            if above < earlier || !self.text[above..start].trim_start().starts_with('#') {
                break;
            }
            start = above;
        }
        Some(start..line_end(self.text, self.end()))
    }
}

/// Where the line of `at` begins.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Behind the line of `at`, its break included.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1)
}

/// The comment behind `at`, without its `#`: empty where there is none; `None` where something else follows.
pub(super) fn comment(text: &str, at: usize) -> Option<&str> {
    let rest = rest_of_line(text, at).trim_start_matches([' ', '\t', ',']);
    if rest.is_empty() { Some("") } else { rest.strip_prefix('#').map(str::trim) }
}
