//! The lines of each memory or layer in a document, found in the text alone, which may be incomplete.

use std::ops::Range;

/// A named item of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamedItem {
    /// A memory of an accelerator.
    Memory(String),
    /// A layer of a network.
    Layer(String),
}

/// Every memory and every layer, with its lines, counted from 0.
pub fn named_items(text: &str) -> Vec<(NamedItem, Range<usize>)> {
    let mut items: Vec<(NamedItem, Range<usize>)> = Vec::new();
    let mut section = "";
    // The indentation of the items of the section, and the beginning of the current item.
    let mut indent = None::<usize>;
    let mut open = None::<(usize, Option<String>)>;
    let close = |open: &mut Option<(usize, Option<String>)>, section: &str, end: usize, items: &mut Vec<_>| {
        let Some((first, Some(name))) = open.take() else { return };
        match section {
            "memories" => items.push((NamedItem::Memory(name), first..end)),
            "layers" => items.push((NamedItem::Layer(name), first..end)),
            _ => {}
        }
    };
    let mut end = 0;
    for (line, content) in text.lines().enumerate() {
        let trimmed = content.trim_start();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let depth = content.len() - trimmed.len();
        let is_item = trimmed.starts_with("- ");
        if depth == 0 && !is_item {
            close(&mut open, section, end, &mut items);
            (section, indent) = (trimmed.split(':').next().unwrap_or(""), None);
        } else if is_item && indent.is_none_or(|indent| depth == indent) {
            close(&mut open, section, end, &mut items);
            indent = Some(depth);
            open = Some((line, name_in(trimmed.trim_start_matches("- "))));
        } else if let (Some((_, name)), Some(indent)) = (&mut open, indent)
            && name.is_none()
            && depth == indent + 2
        {
            *name = name_in(trimmed);
        }
        end = line + 1;
    }
    close(&mut open, section, end, &mut items);
    items
}

/// The value of `name:` at the beginning of a line, or of a mapping in braces.
fn name_in(text: &str) -> Option<String> {
    let text = text.trim_start_matches(['{', ' ']);
    let value = text.strip_prefix("name:")?.trim_start();
    let end = value.find([',', '}', '#']).unwrap_or(value.len());
    let value = value[..end].trim().trim_matches(['"', '\'']);
    (!value.is_empty()).then(|| value.to_owned())
}
