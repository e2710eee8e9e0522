//! Edits of lists of names, which may also be a single name.

use super::super::tree::Value;
use super::outline::Outline;

impl Outline {
    /// Puts a name at the end of a list, or takes it out. A single name becomes a list, a missing field is added.
    pub fn set_name(&self, path: &str, name: &str, on: bool) -> Option<Self> {
        let names = self.names(path);
        if names.iter().any(|other| other == name) == on {
            return Some(self.clone());
        }
        let is_list = self.node(path).is_some_and(|node| matches!(node.value, Value::List(_)));
        if on {
            return if is_list {
                self.insert_value(path, self.len(path), name)
            } else {
                let all: Vec<&str> = names.iter().map(String::as_str).chain([name]).collect();
                self.put(path, &flow_list(&all))
            };
        }
        if !is_list {
            return self.put(path, "[]");
        }
        let mut next = self.clone();
        while let Some(index) = next.item_named(path, name) {
            next = next.remove(&format!("{path}[{index}]"))?;
        }
        Some(next)
    }

    /// Writes another name in all places where a list, or a single value in place of a list, has this one.
    pub fn replace_name(&self, path: &str, old: &str, new: &str) -> Option<Self> {
        let mut next = self.clone();
        if next.node(path).is_some_and(|node| matches!(&node.value, Value::Scalar(text) if text.trim() == old)) {
            return next.write(path, new);
        }
        while let Some(index) = next.item_named(path, old) {
            next = next.write(&format!("{path}[{index}]"), new)?;
        }
        Some(next)
    }

    fn item_named(&self, path: &str, name: &str) -> Option<usize> {
        match &self.node(path)?.value {
            Value::List(items) => {
                items.iter().position(|item| matches!(&item.value, Value::Scalar(text) if text.trim() == name))
            }
            _ => None,
        }
    }

    /// A name that no item of a list has as its `name`: `lb`, else `lb2`, `lb3` and so on.
    pub fn free_name(&self, list: &str, wish: &str) -> String {
        let taken: Vec<String> =
            (0..self.len(list)).filter_map(|index| self.value(&format!("{list}[{index}].name"))).collect();
        free_name(&taken, wish)
    }
}

/// A name that is not taken: the wish, else the wish with another number at its end.
pub fn free_name(taken: &[String], wish: &str) -> String {
    if !taken.iter().any(|name| name == wish) {
        return wish.to_owned();
    }
    let stem = wish.trim_end_matches(|c: char| c.is_ascii_digit());
    let names = (2..).map(|number| format!("{stem}{number}"));
    names.into_iter().find(|name| !taken.contains(name)).unwrap_or_else(|| wish.to_owned())
}

/// `[I, O]`.
pub fn flow_list(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| super::encode::between_brackets(name)).collect();
    format!("[{}]", names.join(", "))
}
