//! Any text as a pool of memories: an answer, never a panic. From a valid pool hierarchies are generated, evaluated and
//! written.

use super::{HARDWARE, WORKLOAD, check_rejected, check_wrong};
use fusescape::hardware::Core;
use fusescape::hierarchy::{HierarchyProblem, HierarchyRequest, HierarchySettings, Widths};
use fusescape::pool::Pool;
use fusescape::search::Strategy;
use fusescape::spec::read_pool;

/// Number of hierarchies of a list that are evaluated.
const LOOKED_AT: usize = 3;

/// Panics unless that holds.
pub fn holds(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Pool::from_text(text) {
        Ok(pool) => {
            assert!(read_pool(text).both().1.is_empty());
            assert!(pool.memories.is_sorted_by_key(|memory| memory.size_bits));
            for memory in &pool.memories {
                assert!(!memory.replication.is_empty() && !memory.variants.is_empty(), "{memory:?}");
                let figures = memory.variants.iter().map(|variant| variant.figures);
                let mut all = figures.flat_map(|it| [it.read_energy_pj, it.write_energy_pj, it.area_um2]);
                assert!(all.all(|figure| figure.is_finite() && figure >= 0.0), "{memory:?}");
            }
            generate(text);
        }
        Err(wrong) => check_wrong(text, &wrong),
    }
}

/// Generates the hierarchies of an array, and evaluates some of them.
fn generate(text: &str) {
    let settings = HierarchySettings {
        max_levels: 1 + text.len() % 2,
        min_ratio: [1, 8, 64][text.len() % 3],
        widths: if text.len().is_multiple_of(2) { Widths::Fitting } else { Widths::All },
        budget_um2: text.len().is_multiple_of(5).then_some(1e6),
        strategy: Strategy::Loma,
        lpf_limit: 2,
        ..HierarchySettings::default()
    };
    let (hardware, workload) = (HARDWARE.to_owned(), WORKLOAD.to_owned());
    let study = match HierarchyProblem::new(&HierarchyRequest { pool: text.to_owned(), hardware, workload, settings }) {
        Ok(study) => study,
        Err(wrong) => return check_rejected(&wrong, &["settings"]),
    };
    assert!(study.hierarchies.iter().all(|hierarchy| hierarchy.area_um2 >= 0.0));
    let _ = study.overview();
    for hierarchy in study.hierarchies.iter().rev().take(LOOKED_AT) {
        let core = study.core_of(hierarchy).unwrap_or_else(|wrong| panic!("{wrong}"));
        // A generated hierarchy is a valid document.
        let document = study.document(hierarchy);
        let read = Core::from_text(&document).unwrap_or_else(|wrong| panic!("{wrong}\n{document}"));
        assert_eq!(read.memories, core.memories, "{document}");
        if let Ok(bound) = study.bound(hierarchy) {
            assert!(bound.energy_pj.is_finite() && bound.energy_pj >= 0.0, "{bound:?}\n{document}");
        }
    }
    if let Some(facts) = study.hierarchies.len().checked_sub(1).and_then(|last| study.facts(last as u32)) {
        drop(facts);
    }
}
