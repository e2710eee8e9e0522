//! A workload: Einsums with the tensors that they access, in the short or the long notation.

use super::expression::{self, Names};
use crate::places::{Entries, find, short, text};
use crate::report::{ImportReport, Severity};
use fusescape_spec::reader::{LocatedNode, Reader, ValueError};

/// Limit on the Einsums of a workload.
const MAX_EINSUMS: usize = 1024;
/// Limit on the tensors of an Einsum, the ranks of a tensor and the terms of an index.
const MAX_ITEMS: usize = 32;
/// Remedy with an example of an Einsum.
const EXAMPLE: &str = "Write for example `C[m, n] = A[m, k] * B[k, n]`, with sums such as `P: 2*p + r` as indices";

/// Einsums in the order of their computation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Workload {
    /// In the order of the file.
    pub einsums: Vec<Einsum>,
}

/// A computation of one tensor from others.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Einsum {
    pub name: String,
    pub inputs: Vec<TensorAccess>,
    pub output: TensorAccess,
    /// Rank variables with their sizes.
    pub variables: Vec<(String, u64)>,
    /// Bits of values as stated by the workload: set expressions with numbers.
    pub bits: Vec<(String, u64)>,
    /// Meaning of `input`, `weight` and `output`, if stated.
    pub renames: Vec<(String, String)>,
    /// Whether it only copies its input.
    pub is_copy: bool,
    /// Whether it adds its inputs instead of multiplying them.
    pub adds: bool,
    /// Place in the file.
    pub path: String,
    /// Line where it begins.
    pub line: usize,
}

impl Einsum {
    /// The size of a rank variable.
    pub fn size(&self, variable: &str) -> u64 {
        self.variables.iter().find(|(known, _)| known == variable).map_or(1, |(_, size)| *size)
    }
}

/// The access of an Einsum to a tensor.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TensorAccess {
    /// Name of the tensor.
    pub tensor: String,
    /// Its ranks, each with the sum of terms that indexes it.
    pub ranks: Vec<(String, Vec<RankTerm>)>,
    /// Bits of a value, if stated.
    pub bits: Option<u64>,
}

impl TensorAccess {
    /// Whether a variable indexes it.
    pub fn has(&self, variable: &str) -> bool {
        self.ranks.iter().any(|(_, terms)| terms.iter().any(|term| term.variable == variable))
    }

    /// Indices of more than a single variable.
    pub fn windows(&self) -> impl Iterator<Item = &(String, Vec<RankTerm>)> {
        self.ranks.iter().filter(|(_, terms)| terms.len() > 1 || terms.iter().any(|term| term.coefficient > 1))
    }
}

/// A rank variable with its coefficient.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RankTerm {
    pub variable: String,
    /// The coefficient, at least 1.
    pub coefficient: u64,
}

/// Sizes stated by a workload or an Einsum: of ranks, and bounds of rank variables.
#[derive(Debug, Clone, Default)]
struct RankSizes {
    ranks: Vec<(String, u64)>,
    variables: Vec<(String, u64)>,
}

/// Reads a workload; `None` if it has no Einsums.
pub fn read(place: &LocatedNode, names: &Names, reader: &mut Reader, report: &mut ImportReport) -> Option<Workload> {
    let fields = place.entries(reader);
    let Some(list) = find(&fields, "einsums").filter(|place| !place.is_empty()) else {
        place.reject(reader, ValueError::new("The workload has no `einsums`", EXAMPLE));
        return None;
    };
    let sizes = read_sizes(&fields, names, reader);
    let bits = read_bits(&fields, names, reader);
    note_instances(&fields, "", reader, report);
    let mut einsums = Vec::new();
    for place in list.list(reader, MAX_EINSUMS) {
        let Some(mut einsum) = read_einsum(&place, names, reader, report) else { continue };
        let own = if place.is_map() { read_sizes(&place.entries(reader), names, reader) } else { RankSizes::default() };
        set_variables(&mut einsum, &[&own, &sizes], &place, reader);
        einsum.bits.clone_from(&bits);
        einsums.push(einsum);
    }
    Some(Workload { einsums })
}

fn read_sizes(fields: &Entries, names: &Names, reader: &mut Reader) -> RankSizes {
    let mut sizes = RankSizes::default();
    if let Some(place) = find(fields, "rank_sizes").filter(|place| !place.is_empty()) {
        for (name, place) in place.entries(reader) {
            sizes.ranks.extend(expression::whole(&place, names, reader).map(|size| (name.to_owned(), size)));
        }
    }
    for name in ["iteration_space_shape", "shape"] {
        let Some(place) = find(fields, name).filter(|place| !place.is_empty()) else { continue };
        let bounds: Vec<LocatedNode> = if place.is_map() {
            place.entries(reader).into_iter().map(|(_, place)| place).collect()
        } else {
            place.list(reader, MAX_ITEMS)
        };
        for place in bounds {
            let bound = place.value(reader, "the bounds of a rank variable", |text| {
                let wrong = || {
                    ValueError::new(
                        format!("`{}` are no bounds from 0 on", short(text)),
                        "Write for example `0 <= m < 128`",
                    )
                };
                bound(text, names).ok_or_else(wrong)
            });
            sizes.variables.extend(bound);
        }
    }
    sizes
}

/// The variable and its size in `0 <= m < 128`.
fn bound(text: &str, names: &Names) -> Option<(String, u64)> {
    let number = |text: &str| {
        expression::value(text, &|name| names.iter().find(|(known, _)| known == name).map(|(_, value)| *value))
    };
    let (first, rest) = text.split_once("<=").filter(|(first, _)| !first.contains('<'))?;
    let (variable, last) = rest.split_once('<')?;
    let (last, beyond) = last.strip_prefix('=').map_or((last, 0.0), |last| (last, 1.0));
    let size = number(last)? + beyond;
    let is_size = number(first)? == 0.0 && size.fract() == 0.0 && (1.0..=(1_u64 << 50) as f64).contains(&size);
    (is_size && is_name(variable.trim())).then(|| (variable.trim().to_owned(), size as u64))
}

/// Bits of values: set expressions of tensors, with whole numbers.
fn read_bits(fields: &Entries, names: &Names, reader: &mut Reader) -> Vec<(String, u64)> {
    let Some(place) = find(fields, "bits_per_value").filter(|place| !place.is_empty()) else { return Vec::new() };
    let entries = place.entries(reader);
    let bits =
        entries.iter().filter_map(|(name, place)| Some(((*name).to_owned(), expression::whole(place, names, reader)?)));
    bits.collect()
}

fn note_instances(fields: &Entries, name: &str, reader: &mut Reader, report: &mut ImportReport) {
    let stated = find(fields, "n_instances").filter(|place| !place.is_empty()).and_then(|place| place.text(reader));
    if let Some(count) = stated.filter(|count| count != "1") {
        let reason = format!("there are {count} of it, of which one is counted: multiply energy and latency");
        report.note(Severity::NotCounted, "n_instances", &reason, name);
    }
}

fn read_einsum(place: &LocatedNode, names: &Names, reader: &mut Reader, report: &mut ImportReport) -> Option<Einsum> {
    if place.is_scalar() {
        return read_text(place, reader);
    }
    let fields = place.entries(reader);
    let (mut einsum, mut accesses) = match find(&fields, "einsum") {
        Some(place) => {
            let einsum = read_text(place, reader)?;
            let mut accesses = einsum.inputs.clone();
            accesses.push(einsum.output.clone());
            (einsum, accesses)
        }
        None => (Einsum { name: text(&fields, "name", reader)?, ..Einsum::default() }, Vec::new()),
    };
    (einsum.path, einsum.line) = (place.path().to_owned(), place.line());
    let before = reader.count();
    let is_short = !accesses.is_empty();
    let mut outputs: Vec<TensorAccess> = Vec::new();
    for place in find(&fields, "tensor_accesses").map(|place| place.list(reader, MAX_ITEMS)).unwrap_or_default() {
        let fields = place.entries(reader);
        let tensor = text(&fields, "name", reader).unwrap_or_default();
        let stated = find(&fields, "bits_per_value").filter(|place| !place.is_empty());
        let bits = stated.and_then(|place| expression::whole(place, names, reader));
        if is_short {
            accesses.iter_mut().filter(|access| access.tensor == tensor).for_each(|access| access.bits = bits);
            continue;
        }
        let ranks = find(&fields, "projection").map(|place| read_projection(place, reader)).unwrap_or_default();
        let access = TensorAccess { tensor, ranks, bits };
        let is_output = find(&fields, "output").and_then(|place| place.text(reader));
        let is_output = is_output.is_some_and(|text| text.eq_ignore_ascii_case("true"));
        if is_output { outputs.push(access) } else { accesses.push(access) }
    }
    if is_short {
        outputs.extend(accesses.pop());
    }
    if reader.count() > before {
        return None;
    }
    let is_one = outputs.len() == 1 && !accesses.is_empty();
    let Some(output) = outputs.pop().filter(|_| is_one) else {
        let reason = format!("`{}` does not read tensors and write one", einsum.name);
        place.reject(reader, ValueError::new(reason, "State `output: True` for the one tensor that it writes"));
        return None;
    };
    (einsum.inputs, einsum.output) = (accesses, output);
    let is_copy = find(&fields, "is_copy_operation").and_then(|place| place.text(reader));
    einsum.is_copy = is_copy.is_some_and(|text| text.eq_ignore_ascii_case("true"));
    einsum.renames = read_renames(&fields, reader);
    note_instances(&fields, &einsum.name, reader, report);
    Some(einsum)
}

/// `{ weight: K }`, or a list of `{ name: weight, source: K }`.
fn read_renames(fields: &Entries, reader: &mut Reader) -> Vec<(String, String)> {
    let Some(place) = find(fields, "renames").filter(|place| !place.is_empty()) else { return Vec::new() };
    if place.is_map() {
        let entries = place.entries(reader);
        return entries.iter().filter_map(|(name, place)| Some(((*name).to_owned(), place.text(reader)?))).collect();
    }
    let mut renames = Vec::new();
    for place in place.list(reader, MAX_ITEMS) {
        let fields = place.entries(reader);
        renames.extend(text(&fields, "name", reader).zip(find(&fields, "source").and_then(|place| place.text(reader))));
    }
    renames
}

/// A list of variables, or ranks with their indices.
fn read_projection(place: &LocatedNode, reader: &mut Reader) -> Vec<(String, Vec<RankTerm>)> {
    let index = |place: &LocatedNode, reader: &mut Reader| {
        place.value(reader, "an index", |text| {
            terms(text).ok_or_else(|| ValueError::new(format!("`{}` is no index", short(text)), EXAMPLE))
        })
    };
    if place.is_map() {
        let entries = place.entries(reader);
        return entries.iter().filter_map(|(rank, place)| Some(((*rank).to_owned(), index(place, reader)?))).collect();
    }
    let implied = |terms: Vec<RankTerm>| Some((terms.first()?.variable.to_uppercase(), terms));
    place.list(reader, MAX_ITEMS).iter().filter_map(|place| index(place, reader).and_then(implied)).collect()
}

/// Reads `C[m, n] = A[m, k] * B[k, n]`.
fn read_text(place: &LocatedNode, reader: &mut Reader) -> Option<Einsum> {
    let (path, line) = (place.path().to_owned(), place.line());
    place.value(reader, "an Einsum", |text| {
        let wrong = || ValueError::new(format!("`{}` is no Einsum", short(text)), EXAMPLE);
        let bare: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let (output, inputs) = bare.split_once('=').ok_or_else(wrong)?;
        let (output, "") = access(output).ok_or_else(wrong)? else { return Err(wrong()) };
        let (mut all, mut rest, mut adds) = (Vec::new(), inputs, false);
        loop {
            let (input, after) = access(rest).filter(|_| all.len() < MAX_ITEMS).ok_or_else(wrong)?;
            all.push(input);
            match after.split_at_checked(1) {
                Some(("*", after)) => rest = after,
                Some(("+", after)) => (rest, adds) = (after, true),
                None => break,
                Some(_) => return Err(wrong()),
            }
        }
        Ok(Einsum { name: output.tensor.clone(), inputs: all, output, adds, path, line, ..Einsum::default() })
    })
}

/// An access at the start of a text, and the rest of the text.
fn access(text: &str) -> Option<(TensorAccess, &str)> {
    let (tensor, rest) = text.split_once('[')?;
    let (indices, rest) = rest.split_once(']')?;
    let rank = |index: &str| {
        let (rank, index) = index.split_once(':').map_or((None, index), |(rank, index)| (Some(rank.to_owned()), index));
        let terms = terms(index)?;
        Some((rank.or_else(|| Some(terms.first()?.variable.to_uppercase()))?, terms))
    };
    let ranks = indices.split(',').take(MAX_ITEMS + 1).map(rank).collect::<Option<Vec<_>>>()?;
    let is_access = is_name(tensor) && ranks.len() <= MAX_ITEMS;
    is_access.then(|| (TensorAccess { tensor: tensor.to_owned(), ranks, bits: None }, rest))
}

/// The terms of `2*p + r`.
fn terms(text: &str) -> Option<Vec<RankTerm>> {
    let term = |text: &str| {
        let (mut coefficient, mut variable) = (1_u64, None);
        for factor in text.split('*').map(str::trim) {
            match factor.parse::<u64>() {
                Ok(number) if number > 0 => {
                    coefficient = coefficient.checked_mul(number).filter(|all| *all <= 1 << 20)?
                }
                _ if is_name(factor) && variable.is_none() => variable = Some(factor.to_owned()),
                _ => return None,
            }
        }
        Some(RankTerm { variable: variable?, coefficient })
    };
    text.split('+').map(term).collect()
}

fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.starts_with(|c: char| c.is_alphabetic() || c == '_') && text.chars().all(is_part) && text.len() <= 100
}

/// Sets the size of each rank variable: that of the ranks that it alone indexes, limited by its own bounds.
fn set_variables(einsum: &mut Einsum, sizes: &[&RankSizes], place: &LocatedNode, reader: &mut Reader) {
    let mut variables: Vec<(String, u64)> = Vec::new();
    let accesses = || einsum.inputs.iter().chain([&einsum.output]);
    for term in accesses().flat_map(|access| &access.ranks).flat_map(|(_, terms)| terms) {
        let name = &term.variable;
        if variables.iter().any(|(known, _)| known == name) {
            continue;
        }
        let ranks = accesses().flat_map(|access| &access.ranks);
        let alone =
            ranks.filter(|(_, terms)| matches!(&terms[..], [one] if one.variable == *name && one.coefficient == 1));
        let of = |all: &[(String, u64)], name: &str| {
            all.iter().rev().find(|(known, _)| known == name).map(|(_, size)| *size)
        };
        let stated = |rank: &str| sizes.iter().find_map(|sizes| of(&sizes.ranks, rank));
        let bound = sizes.iter().find_map(|sizes| of(&sizes.variables, name));
        let size = alone.filter_map(|(rank, _)| stated(rank)).chain(bound).chain(stated(&name.to_uppercase())).min();
        if size.is_none() {
            let reason = format!("Nothing says how large `{name}` is in `{}`", einsum.name);
            let remedy =
                format!("Write `0 <= {name} < 16` under `iteration_space_shape`, or its rank under `rank_sizes`");
            place.reject(reader, ValueError::new(reason, remedy));
        }
        variables.push((name.clone(), size.unwrap_or(1)));
    }
    einsum.variables = variables;
}
