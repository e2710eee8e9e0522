//! Documents of systems: presets, and what is wrong with others.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use fusescape::multicore::{CoreSystem, SchedulingRules};
use fusescape::spec::{find_preset, hardware_presets, system_presets};
use fusescape::workload::LayerKind;

/// Beside each of the accelerators that have a memory off the chip.
#[test]
fn every_preset_is_valid_beside_every_accelerator() {
    for hardware in hardware_presets().iter().filter(|hardware| hardware.id != "zigzag-8x8") {
        for preset in system_presets() {
            let what = format!("{} beside {}", preset.id, hardware.id);
            let system = CoreSystem::from_text(preset.text, hardware.text);
            let system = system.unwrap_or_else(|wrong| panic!("{what}: {wrong}"));
            assert_eq!(system.name, preset.title, "{what}");
            assert!(system.cores.iter().any(|core| core.runs(LayerKind::Conv)), "{what}");
        }
    }
}

/// Table 3: every mix of one to eight cores has as much of everything.
#[test]
fn the_systems_of_table_3_have_the_same_memories_and_arrays() {
    let table: Vec<_> = system_presets().iter().filter(|preset| preset.id.starts_with("stream-")).collect();
    assert_eq!(table.len(), 2 + 3 + 5 + 9);
    for preset in table {
        let system = CoreSystem::from_text(preset.text, "").unwrap_or_else(|wrong| panic!("{}: {wrong}", preset.id));
        let seen = system.system(SchedulingRules::CORRECTED);
        let on_chip = seen.memories.iter().enumerate().filter(|(index, _)| *index != seen.dram_memory());
        let bits: u64 = on_chip.map(|(_, memory)| memory.capacity_bits).sum();
        assert_eq!(bits, 4 << 23, "{}: 4 MiB", preset.id);
        // A row of the kernel's nine taps does not fit into a power of two.
        let share = |name: &str, pes: u64| if name.starts_with("WS") { pes * 8 / 9 } else { pes };
        let pes: u64 = system.cores.iter().map(|core| share(&core.name, core.core.pe_count())).sum();
        assert_eq!(pes, 1 << 12, "{}: PEs", preset.id);
    }
}

#[test]
fn a_core_may_be_what_an_earlier_one_is() {
    let text = find_preset(system_presets(), "simba-quad").unwrap().text;
    let system = CoreSystem::from_text(text, "").unwrap();
    assert!(system.cores.iter().all(|core| core.kind == 0 && core.core == system.cores[0].core));
    // A mistake in what several cores are is said once, where it stands.
    let wrong = CoreSystem::from_text(&text.replace("size: 32 KiB", "size: 0 B"), "").unwrap_err();
    assert!(wrong.0.iter().all(|one| one.path.starts_with("cores[0].hardware")), "{wrong}");
    let unknown = text.replace("{ name: chiplet 1, hardware: chiplet 0 }", "{ name: chiplet 1, hardware: chiplet 2 }");
    let wrong = CoreSystem::from_text(&unknown, "").unwrap_err();
    assert_eq!(wrong.0.iter().map(|one| one.path.as_str()).collect::<Vec<_>>(), ["cores[1].hardware"], "{wrong}");
}
