//! Set expressions of AccelForge over the tensors of one Einsum, such as `~MainMemory | weight`.

/// A set of operands: one bit each for W, I and O, W the lowest.
pub type OperandSet = u8;

/// W, I and O.
pub const ALL: OperandSet = 0b111;
/// Limit on the nesting of parentheses and complements.
const MAX_DEPTH: usize = 32;

/// The value of a set expression. A conditional `A if condition else B` counts as A. `name` resolves names other than
/// the built-in ones; unknown names are tensors of other Einsums. `None` if it is not a set expression.
pub fn value(text: &str, name: &dyn Fn(&str) -> Option<OperandSet>) -> Option<OperandSet> {
    let text = text.split_once(" if ").map_or(text, |(then, _)| then);
    let mut parser = SetParser { rest: text.trim_start(), name };
    let value = parser.union(0)?;
    parser.rest.is_empty().then_some(value)
}

struct SetParser<'a> {
    rest: &'a str,
    name: &'a dyn Fn(&str) -> Option<OperandSet>,
}

impl SetParser<'_> {
    fn takes(&mut self, operator: char) -> bool {
        let Some(rest) = self.rest.strip_prefix(operator) else { return false };
        self.rest = rest.trim_start();
        true
    }

    fn union(&mut self, depth: usize) -> Option<OperandSet> {
        let mut set = self.intersection(depth)?;
        while self.takes('|') {
            set |= self.intersection(depth)?;
        }
        Some(set)
    }

    fn intersection(&mut self, depth: usize) -> Option<OperandSet> {
        let mut set = self.difference(depth)?;
        while self.takes('&') {
            set &= self.difference(depth)?;
        }
        Some(set)
    }

    fn difference(&mut self, depth: usize) -> Option<OperandSet> {
        let mut set = self.atom(depth)?;
        while self.takes('-') {
            set &= !self.atom(depth)?;
        }
        Some(set)
    }

    fn atom(&mut self, depth: usize) -> Option<OperandSet> {
        if depth > MAX_DEPTH {
            return None;
        }
        if self.takes('~') {
            return self.atom(depth + 1).map(|set| !set & ALL);
        }
        if self.takes('(') {
            let set = self.union(depth + 1)?;
            return self.takes(')').then_some(set);
        }
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        // Older versions write these sets as function calls.
        self.rest = rest.strip_prefix("()").unwrap_or(rest).trim_start();
        let name = name.strip_suffix(".tensors").unwrap_or(name);
        Some(match name {
            "" => return None,
            "All" | "Tensors" => ALL,
            "Inputs" => 0b011,
            "Outputs" => 0b100,
            // A layer on its own keeps nothing for other layers.
            "Nothing" | "Intermediates" | "Shared" | "Persistent" => 0,
            name => (self.name)(name).unwrap_or(match name {
                "weight" => 0b001,
                "input" => 0b010,
                "output" => 0b100,
                _ => 0,
            }),
        })
    }
}
