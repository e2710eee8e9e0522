//! Typed access to JSON values for tests and benches. Separate from files, which a bench in the browser does not have.

use serde_json::Value;

pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

pub fn texts(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(text).collect()
}

pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

pub fn integer(value: &Value) -> u64 {
    number(value) as u64
}
