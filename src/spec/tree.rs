//! YAML text to a tree whose every node knows its place.
//!
//! Built from the events of `saphyr-parser`. The loader of `saphyr` would not do: it recurses as deep as the text
//! nests, copies the target of each alias, and silently keeps only the last of two equal keys.

use super::Diagnostics;
use super::diagnostic::Diagnostic;
use super::extent::{ByteOffsets, end_of_flow, end_of_scalar};
use super::hidden::is_hidden_in_lines;
use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use std::ops::Range;

/// Longest document that is read, bytes.
pub const MAX_BYTES: usize = 1 << 20;
/// Deepest nesting; the documents here need 5.
const MAX_DEPTH: usize = 24;
/// Most values in one document.
const MAX_NODES: usize = 200_000;

/// One value of a document.
#[derive(Debug, Clone)]
pub struct Node {
    /// Line on which it starts, counted from 1.
    pub line: usize,
    /// Bytes of the text from its first to its last character, brackets and quotes included; of a text in several
    /// indented lines (`>-`) without the line before.
    pub span: Range<usize>,
    pub style: Style,
    /// The name of its tag: `Memory` of `!Memory`; in other programs it is the type of a mapping.
    pub tag: Option<Box<str>>,
    pub value: Value,
}

/// The style of a value in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// In one piece, or between brackets.
    Flow,
    /// By indentation.
    Block,
}

#[derive(Debug, Clone)]
pub enum Value {
    /// Nothing was written, or `null`.
    Nothing,
    /// The text of a scalar of any form.
    Scalar(String),
    List(Vec<Node>),
    /// Fields in the order written, equal names included.
    Map(Vec<(Key, Node)>),
}

/// The name of a field.
#[derive(Debug, Clone)]
pub struct Key {
    pub line: usize,
    pub span: Range<usize>,
    pub text: String,
}

impl Node {
    fn nothing() -> Self {
        Self { line: 1, span: 0..0, style: Style::Flow, tag: None, value: Value::Nothing }
    }

    /// The kind of this value, for a person.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Nothing => "nothing",
            Value::Scalar(_) => "a single value",
            Value::List(_) => "a list",
            Value::Map(_) => "fields with names",
        }
    }

    /// Puts `_` for every invisible character of its texts and names; calls `tell` with their lines.
    pub fn clean(&mut self, tell: &mut dyn FnMut(usize)) {
        match &mut self.value {
            Value::Nothing => {}
            Value::Scalar(text) => clean(text, self.line, tell),
            Value::List(items) => items.iter_mut().for_each(|item| item.clean(tell)),
            Value::Map(entries) => entries.iter_mut().for_each(|(key, node)| {
                clean(&mut key.text, key.line, tell);
                node.clean(tell);
            }),
        }
    }

    /// Changes every text of the document that is no name of a field, with the line on which it stands.
    pub fn for_each_text(&mut self, change: &mut dyn FnMut(&mut String, usize)) {
        match &mut self.value {
            Value::Nothing => {}
            Value::Scalar(text) => change(text, self.line),
            Value::List(items) => items.iter_mut().for_each(|item| item.for_each_text(change)),
            Value::Map(entries) => entries.iter_mut().for_each(|(_, node)| node.for_each_text(change)),
        }
    }

    /// The line of the value at `path` (`memories[2].size`), or of the nearest thing around it that exists; and whether
    /// it exists itself.
    pub fn find(&self, path: &str) -> (usize, bool) {
        let (mut node, mut line, mut rest) = (self, self.line, path);
        loop {
            rest = rest.trim_start_matches('.');
            if rest.is_empty() {
                return (line, true);
            }
            let next = match (&node.value, first_index(rest)) {
                (Value::List(items), Some((index, rest))) => items.get(index).map(|item| (item, item.line, rest)),
                (Value::Map(entries), Some((index, rest))) => {
                    entries.get(index).map(|(key, value)| (value, key.line, rest))
                }
                // A name may have dots of its own.
                (Value::Map(entries), None) => (entries.iter())
                    .filter_map(|(key, value)| {
                        let rest = rest.strip_prefix(key.text.as_str())?;
                        (rest.is_empty() || rest.starts_with(['.', '['])).then_some((value, key.line, rest))
                    })
                    .min_by_key(|(_, _, rest)| rest.len()),
                _ => None,
            };
            match next {
                Some(next) => (node, line, rest) = next,
                None => return (line, false),
            }
        }
    }
}

fn clean(text: &mut String, line: usize, tell: &mut dyn FnMut(usize)) {
    if text.contains(is_hidden_in_lines) {
        *text = text.replace(is_hidden_in_lines, "_");
        tell(line);
    }
}

/// The line of the value at `path` in a text, or of the nearest thing around it that exists.
pub fn line_of(text: &str, path: &str) -> Option<usize> {
    (!path.is_empty()).then(|| parse(text).0.find(path).0)
}

/// One step of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathStep<'p> {
    Field(&'p str),
    Item(usize),
}

/// The index with which a path begins, and the rest of the path.
fn first_index(path: &str) -> Option<(usize, &str)> {
    let (index, rest) = path.strip_prefix('[')?.split_once(']')?;
    Some((index.parse().ok()?, rest))
}

pub fn steps(path: &str) -> impl Iterator<Item = PathStep<'_>> {
    path.split(['.', '[']).filter(|part| !part.is_empty()).map(|part| match part.strip_suffix(']').map(str::parse) {
        Some(Ok(index)) => PathStep::Item(index),
        _ => PathStep::Field(part),
    })
}

/// A list or mapping whose end has not come yet.
struct OpenCollection {
    line: usize,
    span: Range<usize>,
    style: Style,
    tag: Option<Box<str>>,
    value: Value,
    key: Option<Key>,
}

/// Reads as much of `text` as possible; a diagnostic gives the reason if that is not all of it.
pub fn parse(text: &str) -> (Node, Diagnostics) {
    parse_up_to(text, MAX_BYTES)
}

/// Parses a text of at most `most` bytes.
pub fn parse_up_to(text: &str, most: usize) -> (Node, Diagnostics) {
    let mut diagnostics = Diagnostics::default();
    if text.len() > most {
        let reason = format!("The text has {} bytes, more than {most}", text.len());
        stop(&mut diagnostics, 1, reason, "Split the design, or leave out what is not needed");
        return (Node::nothing(), diagnostics);
    }
    let bare = text.trim_start_matches('\u{feff}');
    let mut parser = Parser::new_from_str(bare);
    let bytes = ByteOffsets::of(text, text.len() - bare.len());
    let last_line = count_lines(bare);
    let mut builder = TreeBuilder { text, bytes, last_line, open: Vec::new(), root: None, nodes: 0 };
    while let Some(event) = parser.next_event() {
        match event {
            Ok((event, span)) => {
                if let Err((reason, remedy)) = builder.take(event, span) {
                    stop(&mut diagnostics, builder.line(span), reason, remedy);
                    break;
                }
            }
            Err(error) => {
                let line = error.marker().line().min(builder.last_line);
                // The parser looks some characters ahead, and may meet its own limit before we meet ours.
                let (reason, remedy) = match error.info() {
                    "recursion limit exceeded" => too_deep(),
                    // An alias of nothing, such as a text that begins with a `*`.
                    info if info.ends_with("found unknown anchor") => aliased(),
                    info => (
                        format!("The text is not YAML: {info}"),
                        "Look for brackets, quotes and indentation that do not match, here or in the lines before",
                    ),
                };
                stop(&mut diagnostics, line, reason, remedy);
                break;
            }
        }
    }
    if let Some(at) = bare.find('\0').filter(|_| diagnostics.is_empty()) {
        // To the parser the text ends there.
        let line = bare[..at].split('\n').count();
        stop(&mut diagnostics, line, "Here stands a character that ends a text (U+0000)".into(), "Remove it");
    }
    (builder.finish(), diagnostics)
}

fn stop(diagnostics: &mut Diagnostics, line: usize, reason: String, remedy: &str) {
    diagnostics.0.push(Diagnostic::new(String::new(), Some(line), reason, remedy.into(), None));
}

/// As YAML counts them, and browsers: `\r` alone ends a line, too.
fn count_lines(text: &str) -> usize {
    let bytes = text.as_bytes();
    let ends = |at: &usize| bytes[*at] == b'\n' || bytes[*at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    1 + (0..bytes.len()).filter(ends).count()
}

fn too_deep() -> (String, &'static str) {
    (format!("This is nested deeper than {MAX_DEPTH} levels"), "Remove brackets or indentation")
}

fn aliased() -> (String, &'static str) {
    ("Aliases (`*name`) are not read".into(), "Write out what it stands for; a leading `*` needs quotes")
}

struct TreeBuilder<'t> {
    text: &'t str,
    bytes: ByteOffsets,
    last_line: usize,
    open: Vec<OpenCollection>,
    root: Option<Node>,
    nodes: usize,
}

impl TreeBuilder<'_> {
    /// At the end of a text without a line break the parser is a line ahead.
    fn line(&self, span: Span) -> usize {
        span.start.line().min(self.last_line)
    }

    /// Takes one event, or returns the reason why reading has to stop.
    fn take(&mut self, event: Event, span: Span) -> Result<(), (String, &'static str)> {
        match event {
            Event::DocumentStart(_) if self.root.is_some() => {
                return Err(("A second document starts here".into(), "Keep one document in a text"));
            }
            Event::Alias(_) => return Err(aliased()),
            Event::SequenceStart(..) => self.start(span, None, Value::List(Vec::new()))?,
            Event::MappingStart(_, tag) => {
                let tag = tag.map(|tag| tag.suffix.as_str().into());
                self.start(span, tag, Value::Map(Vec::new()))?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            Event::Scalar(text, style, ..) => {
                let plain = style == ScalarStyle::Plain;
                let nothing = plain && matches!(&*text, "" | "~" | "null" | "Null" | "NULL");
                let start = self.bytes.at(span.start.index());
                // Where nothing is written the parser invents a `~`, sometimes with the place of the next event.
                let is_written = !nothing || (!span.is_empty() && self.text[start..].starts_with(&*text));
                let end =
                    if is_written { end_of_scalar(self.text, start..self.bytes.at(span.end.index())) } else { start };
                let value = if nothing { Value::Nothing } else { Value::Scalar(text.into_owned()) };
                let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
                let style = if is_block { Style::Block } else { Style::Flow };
                self.add(Node { line: self.line(span), span: start..end, style, tag: None, value });
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd => {}
        }
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err((format!("There are more than {MAX_NODES} values"), "Leave out what is not needed"));
        }
        Ok(())
    }

    fn start(&mut self, span: Span, tag: Option<Box<str>>, value: Value) -> Result<(), (String, &'static str)> {
        if self.open.len() == MAX_DEPTH {
            return Err(too_deep());
        }
        // Only a bracket has a length.
        let style = if span.is_empty() { Style::Block } else { Style::Flow };
        let start = self.bytes.at(span.start.index());
        let bracket = if style == Style::Flow { 1 } else { 0 };
        self.open.push(OpenCollection {
            line: self.line(span),
            span: start..start + bracket,
            style,
            tag,
            value,
            key: None,
        });
        Ok(())
    }

    fn end(&mut self) {
        let Some(OpenCollection { line, mut span, style, tag, value, .. }) = self.open.pop() else { return };
        let edges = match &value {
            Value::List(items) => items.first().map(|item| item.span.start).zip(items.last().map(|item| item.span.end)),
            Value::Map(entries) => entries
                .first()
                .map(|(key, _)| key.span.start)
                .zip(entries.last().map(|(key, node)| node.span.end.max(key.span.end))),
            _ => None,
        };
        if let Some((first, last)) = edges {
            if style == Style::Block {
                span.start = first;
            }
            span.end = last;
        }
        if style == Style::Flow {
            span.end = end_of_flow(self.text, span.end);
        }
        self.add(Node { line, span, style, tag, value });
    }

    fn add(&mut self, node: Node) {
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(OpenCollection { value: Value::List(items), .. }) => items.push(node),
            Some(OpenCollection { value: Value::Map(entries), key, .. }) => match key.take() {
                Some(key) => entries.push((key, node)),
                // Lists and mappings may be names in YAML; here they are none, and will not be recognised.
                None => {
                    let text = match node.value {
                        Value::Scalar(text) => text,
                        _ => format!("({})", node.kind()),
                    };
                    *key = Some(Key { line: node.line, span: node.span, text });
                }
            },
            Some(_) => {}
        }
    }

    /// The tree, with open parts closed where the text broke off.
    fn finish(mut self) -> Node {
        while !self.open.is_empty() {
            self.end();
        }
        self.root.unwrap_or(Node::nothing())
    }
}
