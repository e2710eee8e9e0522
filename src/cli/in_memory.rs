//! Text about an array that computes in memory, for reports.

use fusescape_engine::explore::LayerFacts;
use fusescape_engine::hardware::{Core, InMemoryKind, MacroPart};
use std::fmt::Write as _;

/// The lines below the title of a report: parameters and peak performance of the macros; empty if there are none.
pub fn in_memory_line(core: &Core) -> String {
    let Some(array) = &core.in_memory else { return String::new() };
    let (kind, converters) = match array.kind {
        InMemoryKind::Analog { adc_bits } => ("analog", format!(", converters of {adc_bits} bit")),
        InMemoryKind::Digital => ("digital", String::new()),
    };
    let mut text = String::new();
    let _ = writeln!(
        text,
        "computes in memory: {} {kind} macro{} of {} columns x {} rows, weights of {} bit, inputs of {} bit, {} of them a \
         cycle{converters}",
        array.macros,
        if array.macros == 1 { "" } else { "s" },
        array.column_count,
        array.row_count,
        array.weight_bits,
        array.activation_bits,
        array.input_bits
    );
    let _ = writeln!(
        text,
        "estimated after ZigZag 3.8.5 in 28 nm: at most {:.4} TOPS and {:.3} TOPS/W without memories, {:.4} mm2 without cells, \
         a cycle of at least {:.3} ns",
        array.peak_tops(),
        array.peak_tops_per_watt(),
        array.area_um2().total() / 1e6,
        array.period_ns()
    );
    text
}

/// Writes the share of the array that a layer uses.
pub fn write_use(out: &mut String, facts: &LayerFacts) {
    let Some(used) = &facts.in_memory else { return };
    let all: f64 = used.energy_pj.iter().map(|(_, pj)| pj).sum();
    let share = |(name, pj): &(String, f64)| {
        let title = MacroPart::ALL.into_iter().find(|part| part.key() == name).map_or("", MacroPart::title);
        format!("{title} {:.1} %", 100.0 * pj / all)
    };
    let parts: Vec<String> = used.energy_pj.iter().map(share).collect();
    let _ = writeln!(
        out,
        "  in memory: {:.0} activations of a macro, {} cycles each, {:.1} columns and {:.1} rows on average; {}",
        used.activations,
        used.cycles,
        used.columns,
        used.rows,
        parts.join(", ")
    );
}
