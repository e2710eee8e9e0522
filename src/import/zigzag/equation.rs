//! Equations of layers: the loops that index each operand.

use fusescape_spec::reader::{LocatedNode, Reader, ValueError};

/// The indices of each operand.
pub struct Equation {
    pub output: Vec<String>,
    pub weights: Vec<String>,
    pub input: Vec<String>,
    /// The file's names of output, weights and input.
    pub names: [String; 3],
    /// Whether the inputs are added instead of multiplied.
    pub adds: bool,
}

impl Equation {
    /// Reads `O[b][k]+=W[k][c]*I[b][c]`, or a product with other names of operands, where W or the second one is the
    /// weights.
    pub fn new(text: &str) -> Result<Self, ValueError> {
        let wrong = || {
            ValueError::new(
                "This is no equation of an output and two inputs",
                "Write for example `O[b][k][oy][ox]+=W[k][c][fy][fx]*I[b][c][iy][ix]`; split a product of more",
            )
        };
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let (output, inputs) = text.split_once('=').ok_or_else(wrong)?;
        let adds = !inputs.contains('*');
        let parts: Vec<&str> = inputs.split(['*', '+']).collect();
        let [first, second] = parts[..] else { return Err(wrong()) };
        let (first, second) = (operand(first).ok_or_else(wrong)?, operand(second).ok_or_else(wrong)?);
        let output = operand(output.trim_end_matches('+')).ok_or_else(wrong)?;
        let is_weights = |name: &str| name == "I2" || name.starts_with('W');
        let is_input = |name: &str| name != "I2" && name.starts_with('I');
        let first_is_weights =
            is_weights(&first.0) && !is_weights(&second.0) || is_input(&second.0) && !is_input(&first.0);
        let (weights, input) = if first_is_weights { (first, second) } else { (second, first) };
        let names = [output.0, weights.0, input.0];
        Ok(Self { output: output.1, weights: weights.1, input: input.1, names, adds })
    }
}

/// Name and indices of `W[k][c]`.
fn operand(text: &str) -> Option<(String, Vec<String>)> {
    let (name, indices) = text.split_once('[')?;
    let is_word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_');
    let indices: Vec<String> = indices.strip_suffix(']')?.split("][").map(str::to_lowercase).collect();
    (is_word(name) && indices.iter().all(|index| is_word(index))).then(|| (name.to_owned(), indices))
}

/// `ix = stride * ox + dilation * fx`.
#[derive(Debug)]
pub struct Relation {
    pub input: String,
    pub output: String,
    pub kernel: String,
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
    let ((stride, output), (dilation, kernel)) = term(output).zip(term(kernel)).ok_or_else(wrong)?;
    Ok(Relation { input: input.to_lowercase(), output, kernel, stride, dilation })
}

/// Renames loops of windows to our names: the last index of the input that is a window is the column, the one before
/// the row. Also renames them in the relations.
pub fn name_windows(
    equation: &Equation,
    relations: &mut [Relation],
    place: &LocatedNode,
    reader: &mut Reader,
) -> Vec<(String, &'static str)> {
    let is_ours = |relation: &Relation| matches!(relation.output.as_str(), "ox" | "oy");
    if relations.iter().any(is_ours) {
        return Vec::new();
    }
    let at = |relation: &Relation| equation.input.iter().position(|index| *index == relation.input);
    relations.sort_by_key(at);
    let count = relations.len();
    if count > 2 {
        let wrong = ValueError::new(
            format!("A window of {count} loops has no layer here"),
            "Take windows over two of them, and count the others as input channels",
        );
        place.reject(reader, wrong);
    }
    let mut named = Vec::new();
    for (relation, (output, kernel, known)) in relations.iter_mut().rev().zip([("OX", "FX", "ox"), ("OY", "FY", "oy")])
    {
        if !equation.output.contains(&relation.output) && equation.output.contains(&relation.kernel) {
            std::mem::swap(&mut relation.output, &mut relation.kernel);
            std::mem::swap(&mut relation.stride, &mut relation.dilation);
        }
        named.push((std::mem::replace(&mut relation.output, known.to_owned()), output));
        named.push((relation.kernel.clone(), kernel));
    }
    named
}

/// Remedy for loops that cannot be identified.
const REMEDY: &str =
    "Use B, G, K, C, OY, OX, FY and FX, or a product of matrices, whose loops each index two operands or all";

/// A loop of the file: its name there, our name, and its size.
pub type Assigned = (String, &'static str, u64);

/// The loops with our names: those of convolutions are the same, others are identified by the operands that they index.
pub fn assign(
    equation: &Equation,
    loops: &[(String, u64)],
    operator: &str,
    windows: &[(String, &'static str)],
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
        let of_window = windows.iter().find(|(known, _)| *known == index).map(|(_, ours)| *ours);
        let ours = if of_window.is_some() {
            of_window
        } else if has_map && same_name.is_some() && operator != "Gemm" {
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
                // A loop of size 1 may be missing in the equation.
                (false, false, false) if *size == 1 => continue,
                _ => None,
            }
        };
        let Some(ours) = ours else {
            let reason = format!("The loop {name} does not index the operands as a layer's loop does");
            place.reject(reader, ValueError::new(reason, REMEDY));
            return None;
        };
        assigned.push((name.clone(), ours, *size));
    }
    Some(assigned)
}
