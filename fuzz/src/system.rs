//! Any text as a system of cores: an answer, never a panic. On a valid system a small network is cut, mapped and
//! scheduled.

use super::{HARDWARE, WORKLOAD, check_rejected, check_wrong};
use fusescape::multicore::{
    CoresProblem, CoresRequest, CoresSettings, OrderRule, Scheduler, SchedulingRules, StackRule, System, TileCosts,
    TileGranularity,
};
use fusescape::spec::read_system;
use fusescape::system::CoreSystem;
use fusescape::units::{Bits, BitsPerCycle};

/// Panics unless that holds.
pub fn holds(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match CoreSystem::from_text(text, HARDWARE) {
        Ok(system) => {
            assert!(read_system(text).both().1.is_empty());
            for rules in [SchedulingRules::CORRECTED, SchedulingRules::STREAM_2024, SchedulingRules::STREAM_2023] {
                check_wiring(&system, rules);
            }
            run(text);
        }
        Err(wrong) => check_wrong(text, &wrong),
    }
}

/// Indices used by a scheduler are in range, and its divisors are not zero.
fn check_wiring(system: &CoreSystem, rules: SchedulingRules) {
    let wired = System::new(system, rules);
    assert_eq!((wired.cores.len(), usize::from(wired.dram)), (system.cores.len() + 1, system.cores.len()));
    assert!(wired.memory_of.iter().flatten().all(|&memory| usize::from(memory) < wired.memories.len()));
    for memory in &wired.memories {
        assert!(memory.capacity > Bits(0) && memory.read_width > Bits(0) && memory.write_width > Bits(0), "{memory:?}");
        assert!(memory.read_pj.is_finite() && memory.write_pj.is_finite(), "{memory:?}");
    }
    assert!(wired.links.iter().all(|link| link.bandwidth >= BitsPerCycle(1.0) && link.pj_per_cycle.is_finite()));
    let links = wired.routes.iter().flatten().flatten();
    assert!(links.into_iter().all(|&link| usize::from(link) < wired.links.len()));
}

/// Schedules a network on the system, each layer on the first core that can run it.
fn run(text: &str) {
    let settings = CoresSettings {
        granularity: if text.len().is_multiple_of(2) {
            TileGranularity::LayerByLayer
        } else {
            TileGranularity::Rows(4)
        },
        stacks: if text.len().is_multiple_of(5) { StackRule::One } else { StackRule::Automatic },
        scheduler: Scheduler::ALL[text.len() % 3],
        lpf_limit: 2,
        ..CoresSettings::default()
    };
    let (hardware, workload) = (HARDWARE.to_owned(), WORKLOAD.to_owned());
    let study = match CoresProblem::new(&CoresRequest { hardware, workload, system: text.to_owned(), settings }) {
        Ok(study) => study,
        Err(wrong) => return check_rejected(&wrong, &["system", "settings"]),
    };
    let overview = study.overview();
    assert!(overview.tiles > 0 && overview.problems > 0);
    let choice = overview.able.iter().map(|able| able.iter().copied().take(1).collect()).collect();
    match study.account(&mut TileCosts::default(), &[], &choice, Some(OrderRule::Deepest)) {
        Ok((judged, _)) => {
            assert!(judged.energy_pj.is_finite() && judged.latency_cycles.is_finite(), "{judged:?}");
            assert!(judged.latency_cycles > 0.0 && judged.energy_pj >= 0.0, "{judged:?}");
        }
        Err(wrong) => check_rejected(&wrong, &["allocation", "settings"]),
    }
}
