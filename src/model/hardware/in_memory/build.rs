//! From a document to an [`InMemory`], collecting everything that is wrong with it.

use super::super::array::ArrayDimId;
use super::super::memory::Memory;
use super::super::operand::Operand;
use super::{InMemory, InMemoryKind};
use crate::spec::{ArraySpec, Diagnostics, InMemorySpec};

/// Limit on the bits of an operand.
const MAX_BITS: u64 = 64;
/// Limit on the bits of a converter.
const MAX_ADC_BITS: u64 = 24;
/// Limit on the rows or columns of a macro.
const MAX_SIDE: u64 = 1 << 20;
const PATH: &str = "array.in_memory";

impl InMemory {
    /// Validates it. `weights` is the lowest memory of weights, by its path: the cells.
    pub(in crate::hardware) fn new(
        array: &ArraySpec,
        weights: Option<(String, &Memory)>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Self> {
        let spec = array.in_memory.as_ref()?;
        let before = diagnostics.0.len();
        let kind = check_kind(spec, diagnostics);
        let [columns, rows] = [("columns", &spec.columns), ("rows", &spec.rows)]
            .map(|(side, name)| check_side(array, side, name, diagnostics));
        if columns.is_some() && columns == rows {
            let reason = format!("Rows and columns are both along `{}`", spec.rows);
            diagnostics.add(format!("{PATH}.rows"), reason, "Name another dimension of the array");
        }
        check_bits(spec, diagnostics);
        let size = |side: Option<usize>| side.and_then(|at| array.dimensions.get(at)).map_or(1, |(_, size)| *size);
        let (column_count, row_count) = (size(columns), size(rows));
        if spec.kind == "digital" && !row_count.is_power_of_two() {
            let reason = format!("The trees of adders of a digital macro have {row_count} inputs, no power of 2");
            let remedy =
                format!("Give `{}` a power of 2, for example {}", spec.rows, row_count.max(1).next_power_of_two());
            diagnostics.add(format!("array.dimensions.{}", spec.rows), reason, remedy);
        }
        let group_depth = check_cells(spec, weights, diagnostics);
        // Missing fields were reported when the document was read.
        let is_missing = spec.input_bits == 0 || spec.precision.0 == 0 || spec.precision.1 == 0;
        if diagnostics.0.len() > before || is_missing {
            return None;
        }
        let all: u64 = array.dimensions.iter().map(|(_, size)| *size).fold(1, u64::saturating_mul);
        Some(Self {
            kind: kind?,
            columns: ArrayDimId::from(columns?),
            rows: ArrayDimId::from(rows?),
            column_count,
            row_count,
            macros: (all / (column_count * row_count).max(1)).max(1),
            weight_bits: spec.precision.0,
            activation_bits: spec.precision.1,
            input_bits: spec.input_bits,
            group_depth: group_depth?,
        })
    }
}

fn check_kind(spec: &InMemorySpec, diagnostics: &mut Diagnostics) -> Option<InMemoryKind> {
    let path = format!("{PATH}.adc_resolution");
    match (spec.kind.as_str(), spec.adc_bits) {
        ("analog", Some(adc_bits @ 1..=MAX_ADC_BITS)) => return Some(InMemoryKind::Analog { adc_bits }),
        ("analog", Some(bits)) => {
            diagnostics.add(path, format!("No converter has {bits} bit"), format!("Write 1 bit to {MAX_ADC_BITS} bit"));
        }
        ("analog", None) => diagnostics.add(
            path,
            "An analog macro reads its bit lines by converters, and nothing says of how many bits",
            "State it, for example `adc_resolution: 8 bit`",
        ),
        ("digital", None) => return Some(InMemoryKind::Digital),
        ("digital", Some(_)) => {
            diagnostics.add(path, "A digital macro has no converters", "Leave it out, or write `type: analog`");
        }
        // Already reported as missing.
        ("", _) => {}
        (kind, _) => {
            let reason = format!("There is no type `{kind}` of computing in memory");
            diagnostics.add_unknown(format!("{PATH}.type"), reason, kind, &["analog", "digital"]);
        }
    }
    None
}

/// The place of a dimension of the array.
fn check_side(array: &ArraySpec, side: &str, name: &str, diagnostics: &mut Diagnostics) -> Option<usize> {
    let path = format!("{PATH}.{side}");
    let found = array.dimensions.iter().position(|(known, _)| known == name);
    match found.and_then(|at| array.dimensions.get(at)) {
        None if name.is_empty() => {}
        None => {
            let names: Vec<&str> = array.dimensions.iter().map(|(name, _)| name.as_str()).collect();
            diagnostics.add_unknown(path, format!("The array has no dimension `{name}`"), name, &names);
        }
        Some((_, size)) if *size > MAX_SIDE => {
            diagnostics.add(path, format!("No macro has {size} {side}"), format!("Write at most {MAX_SIDE}"));
        }
        Some(_) => {}
    }
    found
}

fn check_bits(spec: &InMemorySpec, diagnostics: &mut Diagnostics) {
    let (w, i) = spec.precision;
    let is_width = |bits: u64| bits.is_power_of_two() && bits <= MAX_BITS;
    if (w, i) != (0, 0) && !(is_width(w) && is_width(i)) {
        let reason =
            format!("Macros of {w} x {i} bits of W x I are not modelled: their bits are added up pair by pair");
        diagnostics.add(format!("{PATH}.precision"), reason, format!("Write powers of 2 up to {MAX_BITS}, as `8 x 8`"));
    }
    let path = format!("{PATH}.input_bits");
    if spec.input_bits != 0 && !is_width(spec.input_bits) {
        let reason = format!("{} bits of an input do not enter in one cycle of any macro", spec.input_bits);
        diagnostics.add(path, reason, "Write a power of 2, for example `1 bit`");
    } else if i > 0 && spec.input_bits > i {
        let reason = format!("{} bits of an input enter in one cycle, but it has {i}", spec.input_bits);
        diagnostics.add(path, reason, format!("Write at most {i} bit"));
    }
}

/// The number of weights in a group of cells.
fn check_cells(spec: &InMemorySpec, weights: Option<(String, &Memory)>, diagnostics: &mut Diagnostics) -> Option<u64> {
    let (path, cells) = weights?;
    let name = &cells.name;
    if cells.operands != [Operand::W] {
        let reason =
            format!("`{name}` is the lowest memory of W, so that it is the cells, but it holds something else, too");
        diagnostics.add(format!("{path}.operands"), reason, "Put a memory below it, which holds `[W]` only");
    }
    if !cells.shared_over.is_empty() {
        let reason = format!("`{name}` is the cells of the macros, which every row and column has of its own");
        diagnostics.add(format!("{path}.shared_over"), reason, "Write `shared_over: []`");
    }
    let bits = spec.precision.0.max(1);
    if cells.size_bits == 0 || !cells.size_bits.is_multiple_of(bits) {
        let reason =
            format!("`{name}` has cells for {} bit, which are not whole weights of {bits} bit", cells.size_bits);
        diagnostics.add(format!("{path}.size"), reason, format!("Write a multiple of {bits} bit"));
    }
    Some(cells.size_bits / bits)
}
