//! Edits of lists: adding, copying and moving entries that may take several lines.

use super::super::tree::{self, Node, Style, Value};
use super::encode::{TextContext, encode};
use super::outline::{Outline, node_mut};
use super::place::{self, ItemEntry};

impl Outline {
    /// Adds an entry, given as YAML on one line, as number `index` of a list or map.
    pub(super) fn insert_entry(
        &self,
        path: &str,
        index: usize,
        yaml: &str,
        change: impl FnOnce(&mut Node) -> Option<()>,
    ) -> Option<Self> {
        let parent = self.node(path)?;
        let change = |root: &mut Node| change(node_mut(root, path)?);
        let entry = |index: usize| place::entry(&self.text, parent, index);
        let is_item = matches!(parent.value, Value::List(_));
        match (parent.style, index.checked_sub(1).and_then(entry), entry(index)) {
            (_, None, None) => {
                let inner = parent.span.start + 1..parent.span.end.checked_sub(1)?;
                let padded = if is_item { yaml.to_owned() } else { format!(" {yaml} ") };
                self.replaced(inner, &padded, change)
            }
            (Style::Flow, _, Some(next)) => self.replaced(next.start()..next.start(), &format!("{yaml}, "), change),
            (Style::Flow, Some(last), None) => self.replaced(last.end()..last.end(), &format!(", {yaml}"), change),
            (Style::Block, previous, next) => {
                let dash = if is_item { "- " } else { "" };
                let column = self.column_of(parent)?;
                let line = format!("{:column$}{dash}{yaml}", "");
                self.insert_lines(previous.zip(Some(())).map(|(entry, ())| entry), next, &line, change)
            }
        }
    }

    /// The column at which the entries of a list or map stand that is written by indentation.
    fn column_of(&self, parent: &Node) -> Option<usize> {
        let entry = |index: usize| place::entry(&self.text, parent, index);
        if let Some(column) = entry(0)?.column() {
            return Some(column);
        }
        // The first field of an item stands behind its dash.
        let start = entry(0)?.start();
        Some(start - place::line_start(&self.text, start))
    }

    /// Adds whole lines between two entries.
    fn insert_lines(
        &self,
        previous: Option<ItemEntry>,
        next: Option<ItemEntry>,
        lines: &str,
        change: impl FnOnce(&mut Node) -> Option<()>,
    ) -> Option<Self> {
        let at = match (previous, next) {
            (Some(previous), _) => place::line_end(&self.text, previous.end()),
            (None, Some(next)) => next.lines(true)?.start,
            (None, None) => return None,
        };
        let newline = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        let lines = lines.replace('\n', newline);
        // The last line of a text may lack its break.
        let is_open = at > 0 && !self.text[..at].ends_with('\n');
        let lines = if is_open { format!("{newline}{lines}") } else { format!("{lines}{newline}") };
        self.replaced(at..at, &lines, change)
    }

    /// Adds a value on one line as item number `index` of a list.
    pub fn insert_value(&self, list: &str, index: usize, text: &str) -> Option<Self> {
        let around = if self.node(list)?.style == Style::Flow { TextContext::Brackets } else { TextContext::Line };
        self.insert_yaml(list, index, &encode(text, around))
    }

    fn insert_yaml(&self, list: &str, index: usize, yaml: &str) -> Option<Self> {
        let (value, wrong) = tree::parse(yaml);
        wrong.is_empty().then_some(())?;
        self.insert_entry(list, index, yaml, |list| match &mut list.value {
            Value::List(items) if index <= items.len() => {
                items.insert(index, value);
                Some(())
            }
            _ => None,
        })
    }

    /// Adds an item with fields, given as YAML, as number `index` of a list, in the style of the items there.
    pub fn insert_fields(&self, list: &str, index: usize, fields: &[(&str, String)]) -> Option<Self> {
        let parent = self.node(list)?;
        let flow = flow_map(fields);
        let model = index.checked_sub(1).or(Some(0)).and_then(|at| place::entry(&self.text, parent, at));
        let has_lines =
            model.is_some_and(|item| item.node.style == Style::Block && !matches!(item.node.value, Value::Nothing));
        if parent.style == Style::Flow || !has_lines {
            return self.insert_yaml(list, index, &flow);
        }
        let column = self.column_of(parent)?;
        let line = |(at, (name, yaml)): (usize, &(&str, String))| {
            let lead = if at == 0 { "- " } else { "  " };
            format!("{:column$}{lead}{name}: {yaml}", "")
        };
        let lines: Vec<String> = fields.iter().enumerate().map(line).collect();
        let (value, _) = tree::parse(&flow);
        let entry = |index: usize| place::entry(&self.text, parent, index);
        self.insert_lines(index.checked_sub(1).and_then(entry), entry(index), &lines.join("\n"), |root| {
            match &mut node_mut(root, list)?.value {
                Value::List(items) if index <= items.len() => items.insert(index, value),
                _ => return None,
            }
            Some(())
        })
    }

    /// Adds a copy of an item behind it.
    pub fn copy(&self, list: &str, index: usize) -> Option<Self> {
        let parent = self.node(list)?;
        let item = place::entry(&self.text, parent, index)?;
        let change = |root: &mut Node| {
            match &mut node_mut(root, list)?.value {
                Value::List(items) => items.insert(index + 1, items.get(index)?.clone()),
                _ => return None,
            }
            Some(())
        };
        if parent.style == Style::Flow {
            let end = item.end();
            return self.replaced(end..end, &format!(", {}", &self.text[item.start()..end]), change);
        }
        let lines = item.lines(false)?;
        let copied = self.text[lines].trim_end_matches(['\n', '\r']).replace("\r\n", "\n");
        self.insert_lines(Some(item), None, &copied, change)
    }

    /// Moves an item of a list, with the comment lines above it, so that it becomes number `to`.
    pub fn shift(&self, list: &str, from: usize, to: usize) -> Option<Self> {
        let parent = self.node(list)?;
        let count = place::len(parent);
        let change = |root: &mut Node| {
            match &mut node_mut(root, list)?.value {
                Value::List(items) if to < items.len() => {
                    let item = items.remove(from);
                    items.insert(to, item);
                }
                _ => return None,
            }
            Some(())
        };
        (from < count && to < count).then_some(())?;
        let entries: Vec<ItemEntry> = (0..count).filter_map(|index| place::entry(&self.text, parent, index)).collect();
        let mut order: Vec<usize> = (0..count).collect();
        let moved = order.remove(from);
        order.insert(to, moved);
        // Everything between the entries stays where it is; only they take each other's places.
        let spans: Vec<std::ops::Range<usize>> = entries
            .iter()
            .map(|entry| match parent.style {
                Style::Flow => Some(entry.start()..entry.end()),
                // The break of the last line may be missing, so it stays.
                Style::Block => entry.lines(true).map(|lines| {
                    lines.start..lines.start + self.text[lines.clone()].trim_end_matches(['\n', '\r']).len()
                }),
            })
            .collect::<Option<_>>()?;
        let mut text = String::with_capacity(self.text.len());
        let mut at = 0;
        for (place, &entry) in spans.iter().zip(&order) {
            text += self.text.get(at..place.start)?;
            text += &self.text[spans[entry].clone()];
            at = place.end;
        }
        text += self.text.get(at..)?;
        self.accepted(text, change)
    }
}

/// `{ name: lb, size: 64 KiB }`.
pub fn flow_map(fields: &[(&str, String)]) -> String {
    let fields: Vec<String> = fields.iter().map(|(name, yaml)| format!("{name}: {yaml}")).collect();
    if fields.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", fields.join(", ")) }
}
