//! Numbers in AccelForge's files: plain arithmetic such as `8 * 614e9`, with named values from the file.
//! AccelForge evaluates any expression of Python. All but plain arithmetic is refused, with the remedy to write the
//! number.

use crate::places::short;
use fusescape_spec::reader::{LocatedNode, Reader, ValueError};

/// Limit on the nesting of parentheses and signs.
const MAX_DEPTH: usize = 32;
/// Remedy for any other expression.
const REMEDY: &str = "Write the number it comes to, or plain arithmetic: numbers with + - * / ** and parentheses, \
                      and names under `variables`";

/// Names with their values.
pub type Names = Vec<(String, f64)>;

/// Reads a number or an expression.
pub fn number(place: &LocatedNode, names: &Names, reader: &mut Reader) -> Option<f64> {
    place.value(reader, "a number", |text| {
        value(text, &|name| names.iter().rev().find(|(known, _)| known == name).map(|(_, value)| *value))
            .filter(|number| *number >= 0.0)
            .ok_or_else(|| {
                ValueError::new(format!("`{}` is no number, 0 or more, that can be worked out", short(text)), REMEDY)
            })
    })
}

/// A whole number from 1 to 2^50.
pub fn whole(place: &LocatedNode, names: &Names, reader: &mut Reader) -> Option<u64> {
    let number = number(place, names, reader)?;
    if number.fract() == 0.0 && (1.0..=(1_u64 << 50) as f64).contains(&number) {
        return Some(number as u64);
    }
    place.reject(
        reader,
        ValueError::new(format!("{number} is no whole number from 1 to 2^50"), "Write for example `64`"),
    );
    None
}

/// The value of an expression. A conditional `A if condition else B` counts as A, as tensors that do not exist have no
/// effect here. `name` resolves names. `None` for anything but plain arithmetic, or if the result is not a number.
pub fn value(text: &str, name: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
    let text = text.split_once(" if ").map_or(text, |(then, _)| then);
    let mut parser = Parser { rest: text.trim_start(), name };
    let value = parser.sum(0)?;
    (parser.rest.is_empty() && !value.is_nan()).then_some(value)
}

struct Parser<'a> {
    rest: &'a str,
    name: &'a dyn Fn(&str) -> Option<f64>,
}

impl Parser<'_> {
    /// Skips an operator if it comes next; whether it did.
    fn takes(&mut self, operator: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(operator) else { return false };
        self.rest = rest.trim_start();
        true
    }

    fn sum(&mut self, depth: usize) -> Option<f64> {
        let mut sum = self.product(depth)?;
        loop {
            if self.takes("+") {
                sum += self.product(depth)?;
            } else if self.takes("-") {
                sum -= self.product(depth)?;
            } else {
                return Some(sum);
            }
        }
    }

    fn product(&mut self, depth: usize) -> Option<f64> {
        let mut product = self.power(depth)?;
        loop {
            if self.takes("*") {
                product *= self.power(depth)?;
            } else if self.takes("/") {
                product /= self.power(depth)?;
            } else {
                return Some(product);
            }
        }
    }

    fn power(&mut self, depth: usize) -> Option<f64> {
        if depth > MAX_DEPTH {
            return None;
        }
        if self.takes("-") {
            return self.power(depth + 1).map(|value| -value);
        }
        let base = self.atom(depth)?;
        if self.takes("**") { Some(base.powf(self.power(depth + 1)?)) } else { Some(base) }
    }

    fn atom(&mut self, depth: usize) -> Option<f64> {
        if self.takes("(") {
            let value = self.sum(depth + 1)?;
            return self.takes(")").then_some(value);
        }
        let is_digit = |c: char| c.is_ascii_digit();
        if self.rest.starts_with(|c| is_digit(c) || c == '.') {
            let bytes = self.rest.as_bytes();
            let goes_on = |at: &usize| match bytes[*at] {
                b'0'..=b'9' | b'.' | b'_' | b'e' | b'E' => true,
                b'+' | b'-' => matches!(bytes[at - 1], b'e' | b'E'),
                _ => false,
            };
            let end = (1..bytes.len()).find(|at| !goes_on(at)).unwrap_or(bytes.len());
            let number = self.rest[..end].replace('_', "").parse().ok()?;
            self.rest = self.rest[end..].trim_start();
            return Some(number);
        }
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        match name {
            "inf" | ".inf" => Some(f64::INFINITY),
            "" => None,
            name => (self.name)(name),
        }
    }
}
