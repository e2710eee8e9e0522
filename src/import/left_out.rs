//! Parts of documents that files of other programs cannot express.

use super::report::{ImportReport, Severity};
use fusescape_engine::hardware::{Core, DoubleBuffering, Memory};

/// Notes the properties of a core that a file of `program` cannot express.
pub fn note_left_out(core: &Core, program: &str, report: &mut ImportReport) {
    let leaks = core.array_leakage_mw > 0.0 || core.memories.iter().any(|memory| memory.leakage_mw > 0.0);
    let mut note = |what: &str, is_stated: bool, place: &str| {
        if is_stated {
            report.note(Severity::NotCounted, what, &format!("{program} files do not say it"), place);
        }
    };
    let estimated = core.in_memory.as_ref().map(|array| 1e3 / array.period_ns());
    note("clock", core.clock_mhz.is_some() && core.clock_mhz != estimated, &core.name);
    note("leakage", leaks, &core.name);
    for memory in &core.memories {
        let Memory { name, burst_bits, double_buffered, .. } = memory;
        note("burst", burst_bits.is_some(), name);
        note("double_buffered: never", *double_buffered == DoubleBuffering::Never, name);
    }
}
