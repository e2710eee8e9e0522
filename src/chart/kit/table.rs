//! Tables: rounded text for the page, full numbers for files.

use super::scale::{Quantity, Unit, group_thousands, size_text};
use fusescape_spec::csv_words;
use std::fmt::Display;

/// A table: the content of a figure in rows and columns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// What it is about; a remark in brackets or behind a semicolon is left out of file names.
    pub caption: String,
    pub columns: Vec<Column>,
    /// One cell per column; if a row ends early, its last cell spans all that are missing.
    pub rows: Vec<Vec<TableCell>>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// `energy`.
    pub title: String,
    /// Whether it holds numbers, to be aligned at the right.
    pub numeric: bool,
    /// The unit of the text, where cells do not name it: `mJ`.
    shown: &'static str,
    /// The unit of the numbers in a file: `pJ`.
    unit: &'static str,
}

impl Column {
    /// With text cells.
    pub fn words(title: impl Into<String>) -> Self {
        Self { title: title.into(), numeric: false, shown: "", unit: "" }
    }

    /// A column of numbers without a unit, or with one in every row ([`TableCell::Label`]).
    pub fn numbers(title: impl Into<String>) -> Self {
        Self { numeric: true, ..Self::words(title) }
    }

    /// A column of numbers whose texts name their units, in `unit` in files.
    pub fn measured(title: impl Into<String>, unit: &'static str) -> Self {
        Self { unit, ..Self::numbers(title) }
    }

    /// A column of numbers that are shown in `shown`, in the base unit of the quantity in files.
    pub fn scaled(title: impl Into<String>, quantity: Quantity, shown: Unit) -> Self {
        Self { shown: shown.name, ..Self::measured(title, quantity.base()) }
    }

    /// A column of numbers that are shown and saved in `unit`.
    pub fn plain(title: impl Into<String>, unit: &'static str) -> Self {
        Self { shown: unit, ..Self::measured(title, unit) }
    }

    /// Heading of the shown table: `energy, mJ`.
    pub fn heading(&self) -> String {
        if self.shown.is_empty() { self.title.clone() } else { format!("{}, {}", self.title, self.shown) }
    }

    /// Heading in files: `energy [pJ]`.
    pub fn name(&self) -> String {
        with_unit(&self.title, self.unit)
    }
}

fn with_unit(title: &str, unit: &str) -> String {
    if unit.is_empty() { title.to_owned() } else { format!("{title} [{unit}]") }
}

/// One cell: text, number, label or nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableCell {
    /// Words; several things are separated by `, `.
    Words(String),
    /// A number: its text for a person, and its full value in the unit of the column, as JSON writes it.
    Number {
        /// `1.81 mJ`
        text: String,
        /// `1813958912.52`
        value: String,
    },
    /// The name of a row, and the unit in which files hold its numbers.
    Label {
        /// `Energy`
        text: String,
        /// `pJ`
        unit: &'static str,
    },
    /// There is no such number.
    Nothing,
}

impl TableCell {
    /// A number shown as `text`; [`Self::Nothing`] if it is not finite.
    pub fn number(text: impl Into<String>, value: f64) -> Self {
        if !value.is_finite() {
            return Self::Nothing;
        }
        // Avoids a negative zero.
        Self::Number { text: text.into(), value: (value + 0.0).to_string() }
    }

    /// A number with its unit, in the base unit in files.
    pub fn of(quantity: Quantity, value: f64) -> Self {
        Self::number(quantity.text(value), value)
    }

    /// A number in the unit of the column.
    pub fn scaled(unit: Unit, value: f64) -> Self {
        Self::number(unit.text(value), value)
    }

    /// A number shown with all digits, as in files, without a unit.
    pub fn full(value: impl Display) -> Self {
        Self::Number { text: value.to_string(), value: value.to_string() }
    }

    pub fn count(count: u64) -> Self {
        Self::Number { text: group_thousands(count), value: count.to_string() }
    }

    /// A size in bits, which files hold in bytes.
    pub fn size(bits: u64) -> Self {
        Self::number(size_text(bits), bits as f64 / 8.0)
    }

    /// The shown text.
    pub fn text(&self) -> &str {
        match self {
            Self::Words(text) | Self::Number { text, .. } | Self::Label { text, .. } => text,
            Self::Nothing => "–",
        }
    }

    /// The text in files.
    fn saved(&self) -> String {
        match self {
            Self::Words(text) => text.clone(),
            Self::Number { value, .. } => value.clone(),
            Self::Label { text, unit } => with_unit(text, unit),
            Self::Nothing => String::new(),
        }
    }
}

impl From<String> for TableCell {
    fn from(text: String) -> Self {
        Self::Words(text)
    }
}

impl From<&str> for TableCell {
    fn from(text: &str) -> Self {
        Self::Words(text.to_owned())
    }
}

impl Table {
    /// The table as comma-separated values (RFC 4180), header first: full numbers, units in the header. All CSV files
    /// are written here. Names come from documents of unknown origin, so text that a spreadsheet would take for a
    /// formula is defused.
    pub fn to_csv(&self) -> String {
        let mut text = String::new();
        let mut add = |fields: &mut dyn Iterator<Item = String>| {
            text.push_str(&fields.collect::<Vec<_>>().join(","));
            text.push_str("\r\n");
        };
        add(&mut self.names().iter().map(|name| csv_words(name)));
        for row in &self.rows {
            let cells = row.iter().map(|cell| match cell {
                TableCell::Number { value, .. } => value.clone(),
                words => csv_words(&words.saved()),
            });
            add(&mut cells.chain(std::iter::repeat(String::new())).take(self.columns.len()));
        }
        text
    }

    /// The table as Markdown (GitHub's dialect), without its caption, as a person reads it.
    pub fn to_markdown(&self) -> String {
        let mut text = String::new();
        let mut add = |fields: &mut dyn Iterator<Item = String>| {
            fields.for_each(|field| text.extend(["| ", &field, " "]));
            text.push_str("|\n");
        };
        add(&mut self.columns.iter().map(|column| markdown(&column.heading())));
        add(&mut self.columns.iter().map(|column| if column.numeric { "---:" } else { "---" }.to_owned()));
        self.rows.iter().for_each(|row| add(&mut row.iter().map(|cell| markdown(cell.text()))));
        text
    }

    /// The table as a list of objects, one per row; keys are named and ordered as in CSV. Missing values are `null`.
    pub fn to_json(&self) -> String {
        let names: Vec<String> = self.names().iter().map(|name| json_string(name)).collect();
        let value = |cell: Option<&TableCell>| match cell {
            Some(TableCell::Number { value, .. }) => value.clone(),
            Some(words) if !words.saved().is_empty() => json_string(&words.saved()),
            _ => "null".to_owned(),
        };
        let row = |row: &Vec<TableCell>| {
            let members = names.iter().enumerate().map(|(index, name)| format!("{name}:{}", value(row.get(index))));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        };
        format!("[{}]", self.rows.iter().map(row).collect::<Vec<_>>().join(",\n"))
    }

    /// Unique names of the columns in files.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for column in &self.columns {
            let name = column.name();
            let next = (2..).map(|number| format!("{name} ({number})"));
            let free = std::iter::once(name.clone()).chain(next).find(|name| !names.contains(name));
            names.extend(free);
        }
        names
    }
}

fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A text with Markdown's special characters escaped.
pub fn markdown(text: &str) -> String {
    let mut out = String::new();
    let mut before = ' ';
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '~' => out.extend(['\\', c]),
            // Within a word it is not special.
            '_' if !before.is_alphanumeric() => out.push_str("\\_"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
        before = c;
    }
    out
}
