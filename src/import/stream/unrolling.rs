//! Unrollings of arrays for cores of Stream that state none.

use crate::report::{ImportReport, Severity};
use crate::zigzag::{MappingEntry, apply_to_hardware};
use fusescape_spec::{HardwareSpec, UnrollSpec};

/// Unrolls the loops that suit the registers of a core.
///
/// Stream searches an unrolling for each layer; a document has one for each type. A dimension of the array that shares
/// the lowest memory of outputs adds partial sums along it, so it unrolls C. One that shares only that of weights
/// unrolls OX, others K, each loop once.
pub fn unroll_like_registers(spec: &mut HardwareSpec, report: &mut ImportReport) {
    if !spec.unroll.is_empty() || spec.array.dimensions.is_empty() {
        return;
    }
    let is_shared = |operand: &str, dimension: &String| {
        let lowest = spec.memories.iter().find(|memory| memory.operands.iter().any(|held| held == operand));
        lowest.is_none_or(|memory| memory.shared_over.contains(dimension))
    };
    let mut free = ["K", "C", "OX", "OY", "FX", "FY"].to_vec();
    let mut loops = Vec::new();
    let mut said = Vec::new();
    for (dimension, size) in &spec.array.dimensions {
        let wanted: &[&str] = match (is_shared("W", dimension), is_shared("O", dimension)) {
            // A window, as in cores for pooling.
            (true, true) if *size == 3 => &["FX", "FY", "K", "C", "OX"],
            (true, true) => &["K", "C", "OX", "OY"],
            (false, true) => &["C", "FX", "FY", "K"],
            (true, false) if is_shared("I", dimension) => &["K", "OX", "OY"],
            (true, false) => &["OX", "OY", "K"],
            (false, false) => &["K", "OX", "OY", "C"],
        };
        let Some(chosen) = wanted.iter().find(|name| free.contains(name)) else { continue };
        free.retain(|name| name != chosen);
        said.push(format!("{dimension} {chosen}"));
        loops.push(UnrollSpec {
            array_dimension: dimension.clone(),
            loop_dimension: (*chosen).to_owned(),
            limit: Some(*size),
        });
    }
    let reason = format!(
        "the tool searches an unrolling for each layer; taken is what the lowest memories are shared for: {}. \
         Correct it in the document, or search by `layer --unroll search`",
        said.join(", ")
    );
    report.note(Severity::Assumed, "unroll", &reason, "");
    apply_to_hardware(spec, &[MappingEntry { name: "default".to_owned(), loops, order: Vec::new() }]);
}

/// Makes pooling, sums and depthwise layers unroll their channels, which are groups here and K in files of Stream.
pub fn unroll_channels(spec: &mut HardwareSpec, report: &mut ImportReport) {
    let mut is_changed = false;
    for (kind, loops) in &mut spec.unroll {
        if !matches!(kind.as_str(), "depthwise" | "pooling" | "add") {
            continue;
        }
        let stands_alone = |name: &str| matches!(name, "C") || kind == "add" && matches!(name, "FX" | "FY");
        loops.retain(|unrolled| !stands_alone(&unrolled.loop_dimension));
        let has_groups = loops.iter().any(|unrolled| unrolled.loop_dimension == "G");
        for unrolled in loops.iter_mut().filter(|unrolled| !has_groups && unrolled.loop_dimension == "K") {
            "G".clone_into(&mut unrolled.loop_dimension);
            is_changed = true;
        }
    }
    spec.unroll.retain(|(_, loops)| !loops.is_empty());
    if is_changed {
        let reason =
            "channels of poolings, sums and depthwise layers are groups here, so they unroll G where Stream has K";
        report.note(Severity::Expressed, "unroll", reason, "");
    }
}
