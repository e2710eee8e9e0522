//! The table twin of a figure.

use serde_json::Value;

/// What a figure shows, in rows and columns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// What it is about.
    pub caption: String,
    /// Headers, with units.
    pub columns: Vec<Column>,
    /// One string a column.
    pub rows: Vec<Vec<String>>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its header: `energy, mJ`.
    pub title: String,
    /// Whether it holds numbers, to be aligned at the right.
    pub numeric: bool,
}

impl Column {
    /// A column of words.
    pub fn words(title: impl Into<String>) -> Self {
        Self { title: title.into(), numeric: false }
    }

    /// A column of numbers.
    pub fn numbers(title: impl Into<String>) -> Self {
        Self { title: title.into(), numeric: true }
    }
}

impl Table {
    /// The table as comma-separated values (RFC 4180), header first.
    pub fn to_csv(&self) -> String {
        let header: Vec<String> = self.columns.iter().map(|column| column.title.clone()).collect();
        let mut text = String::new();
        for row in std::iter::once(&header).chain(&self.rows) {
            let fields: Vec<String> = row.iter().map(|field| csv_field(field)).collect();
            text.push_str(&fields.join(","));
            text.push_str("\r\n");
        }
        text
    }

    /// The table as Markdown (GitHub's dialect), without its caption.
    pub fn to_markdown(&self) -> String {
        let mut text = String::new();
        let mut add = |fields: &mut dyn Iterator<Item = String>| {
            fields.for_each(|field| text.extend(["| ", &field, " "]));
            text.push_str("|\n");
        };
        add(&mut self.columns.iter().map(|column| markdown(&column.title)));
        add(&mut self.columns.iter().map(|column| if column.numeric { "---:" } else { "---" }.to_owned()));
        self.rows.iter().for_each(|row| add(&mut row.iter().map(|field| markdown(field))));
        text
    }

    /// The table as a list of objects, one a row, by the titles of the columns. Numbers are numbers where they are written as such.
    pub fn to_json(&self) -> String {
        let value = |column: &Column, text: &str| match text.parse::<f64>() {
            Ok(number) if column.numeric && number.is_finite() => Value::from(number),
            _ => Value::from(text),
        };
        let row = |row: &Vec<String>| {
            self.columns.iter().zip(row).map(|(column, text)| (column.title.clone(), value(column, text))).collect()
        };
        Value::Array(self.rows.iter().map(|line| Value::Object(row(line))).collect()).to_string()
    }
}

fn csv_field(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

/// A text in which nothing is a sign of Markdown.
pub fn markdown(text: &str) -> String {
    let mut out = String::new();
    let mut before = ' ';
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '~' => out.extend(['\\', c]),
            // Within a word it is none.
            '_' if !before.is_alphanumeric() => out.push_str("\\_"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
        before = c;
    }
    out
}
