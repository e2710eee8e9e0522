//! Files that are made from the program itself and checked in: `make schema` writes them, tests compare them.

use serde_json::Value;
use std::path::Path;

/// Checks that a file has this text; with `FUSESCAPE_WRITE` in the environment, writes it.
pub fn is_generated(path: &Path, text: &str) {
    if std::env::var_os("FUSESCAPE_WRITE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(written == text, "{}: is not what the types of reports say; `make schema` writes it", path.display());
}

/// Longest line of the output.
const WIDTH: usize = 120;

/// The first and the last keys of a schema. All others are between, by name.
const FIRST: [&str; 8] = ["$schema", "title", "description", "$ref", "const", "enum", "type", "properties"];
const LAST: [&str; 4] = ["required", "oneOf", "additionalProperties", "$defs"];

/// A schema as a readable text: its description comes first, and properties are in the order of `required`, which is
/// that of the type.
pub fn laid_out(schema: &Value) -> String {
    let mut out = String::new();
    lay_out(schema, &FIRST, 0, &mut out);
    out + "\n"
}

fn lay_out(value: &Value, first: &[&str], indent: usize, out: &mut String) {
    let line = in_line(value, first);
    if out.len() - out.rfind('\n').map_or(0, |end| end + 1) + line.len() < WIDTH {
        *out += &line;
        return;
    }
    let inner = " ".repeat(indent + 2);
    let outer = " ".repeat(indent);
    match value {
        Value::Object(_) => {
            *out += "{";
            for (place, (name, member, first)) in members(value, first).into_iter().enumerate() {
                *out += &format!("{}\n{inner}\"{name}\": ", if place > 0 { "," } else { "" });
                lay_out(member, &first, indent + 2, out);
            }
            *out += &format!("\n{outer}}}");
        }
        Value::Array(items) => {
            *out += "[";
            for (place, item) in items.iter().enumerate() {
                *out += &format!("{}\n{inner}", if place > 0 { "," } else { "" });
                lay_out(item, &FIRST, indent + 2, out);
            }
            *out += &format!("\n{outer}]");
        }
        _ => *out += &line,
    }
}

fn in_line(value: &Value, first: &[&str]) -> String {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let members = members(value, first).into_iter();
            let members: Vec<String> =
                members.map(|(name, member, first)| format!("\"{name}\": {}", in_line(member, &first))).collect();
            format!("{{ {} }}", members.join(", "))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(|item| in_line(item, &FIRST)).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// Members of an object in order, each with the keys that come first in it.
fn members<'v>(value: &'v Value, first: &[&str]) -> Vec<(&'v str, &'v Value, Vec<&'v str>)> {
    let required = |schema: &'v Value| schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let ways = value["oneOf"].as_array().into_iter().flatten();
    let required: Vec<&str> = required(value).chain(ways.flat_map(required)).collect();
    let place = |name: &str| {
        let place = |names: &[&str]| names.iter().position(|known| *known == name);
        place(first).or_else(|| Some(first.len() + 1 + place(&LAST)?)).unwrap_or(first.len())
    };
    let member = |(name, member): (&'v String, &'v Value)| {
        let first = if name == "properties" { required.clone() } else { FIRST.to_vec() };
        (name.as_str(), member, first)
    };
    let mut members: Vec<_> = value.as_object().into_iter().flatten().map(member).collect();
    members.sort_by_key(|(name, ..)| (place(name), *name));
    members
}
