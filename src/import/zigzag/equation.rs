//! Equations of layers: what the loops index.

use crate::spec::reader::{LocatedNode, Reader, ValueError};

/// The indices of each operand.
#[allow(missing_docs)]
pub struct Equation {
    pub output: Vec<String>,
    pub weights: Vec<String>,
    pub input: Vec<String>,
    /// Whether the inputs are added up instead of multiplied.
    pub adds: bool,
}

impl Equation {
    /// Reads `O[b][k]+=W[k][c]*I[b][c]`.
    pub fn new(text: &str) -> Result<Self, ValueError> {
        let wrong = || {
            ValueError::new(
                "This is no equation of an output O and two inputs W and I",
                "Write for example `O[b][k][oy][ox]+=W[k][c][fy][fx]*I[b][c][iy][ix]`",
            )
        };
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let (output, inputs) = text.split_once('=').ok_or_else(wrong)?;
        let adds = !inputs.contains('*');
        let parts: Vec<&str> = inputs.split(['*', '+']).collect();
        let term = |of: &str| -> Option<Vec<String>> {
            let indices = of.split_once('[')?.1.strip_suffix(']')?;
            Some(indices.split("][").map(|index| index.to_lowercase()).collect())
        };
        let named = |name: char| parts.iter().find(|part| part.starts_with(name)).and_then(|part| term(part));
        let output = output.trim_end_matches('+');
        match (term(output), named('W'), named('I')) {
            (Some(indices), Some(weights), Some(input)) if parts.len() == 2 && output.starts_with('O') => {
                Ok(Self { output: indices, weights, input, adds })
            }
            _ => Err(wrong()),
        }
    }
}

/// `ix = stride * ox + dilation * fx`.
#[allow(missing_docs)]
pub struct Relation {
    pub input: String,
    pub output: String,
    pub stride: u64,
    pub dilation: u64,
}

/// Reads a relation.
pub fn relation(text: &str) -> Result<Relation, ValueError> {
    let wrong = || ValueError::new(format!("`{text}` is no relation of loops"), "Write for example `ix=2*ox+1*fx`");
    let bare: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let (input, rest) = bare.split_once('=').ok_or_else(wrong)?;
    let (output, kernel) = rest.split_once('+').ok_or_else(wrong)?;
    let term = |term: &str| match term.split_once('*') {
        Some((factor, dim)) => {
            let factor = factor.parse().ok().filter(|factor| (1..=1 << 10).contains(factor))?;
            Some((factor, dim.to_lowercase()))
        }
        None => Some((1, term.to_lowercase())),
    };
    let ((stride, output), (dilation, _)) = term(output).zip(term(kernel)).ok_or_else(wrong)?;
    Ok(Relation { input: input.to_lowercase(), output, stride, dilation })
}

/// A loop of the file: its name there, under ours, and its size.
pub type Assigned = (String, &'static str, u64);

/// The loops under our names: those of convolutions are the same, others are told by what they index.
pub fn assign(
    equation: &Equation,
    loops: &[(String, u64)],
    operator: &str,
    place: &LocatedNode,
    reader: &mut Reader,
) -> Option<Vec<Assigned>> {
    const NAMES: [&str; 8] = ["B", "G", "K", "C", "OY", "OX", "FY", "FX"];
    let has_map = equation.output.iter().any(|index| index == "ox" || index == "oy");
    let mut assigned = Vec::new();
    for (name, size) in loops {
        let index = name.to_lowercase();
        let inside = |indices: &[String]| indices.contains(&index);
        let same_name = NAMES.into_iter().find(|known| *known == name.to_uppercase());
        let ours = if has_map && same_name.is_some() && operator != "Gemm" {
            same_name
        } else {
            match (inside(&equation.output), inside(&equation.weights), inside(&equation.input)) {
                (true, true, true) if index == "b" => Some("B"),
                (true, true, true) => Some("G"),
                (true, true, false) => Some("K"),
                (false, true, true) => Some("C"),
                (true, false, true) if index == "b" && has_map => Some("B"),
                (true, false, true) if index == "oy" => Some("OY"),
                (true, false, true) => Some("OX"),
                // A loop of size 1 may be left out of the equation.
                (false, false, false) if *size == 1 => continue,
                _ => None,
            }
        };
        let Some(ours) = ours else {
            let reason = format!("The loop {name} does not index the operands as a layer's loop does");
            place
                .reject(reader, ValueError::new(reason, "Use B, G, K, C, OY, OX, FY and FX, or a product of matrices"));
            return None;
        };
        assigned.push((name.clone(), ours, *size));
    }
    Some(assigned)
}
