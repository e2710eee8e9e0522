//! Documents of systems: presets, and mistakes in others.

use fusescape_engine::multicore::{CoreId, SchedulingRules, System};
use fusescape_engine::system::CoreSystem;
use fusescape_engine::workload::LayerKind;
use fusescape_spec::{find_preset, hardware_presets, read_hardware, read_system, system_presets};

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

/// Table 3: every mix of one to eight cores has the same resources.
#[test]
fn the_systems_of_table_3_have_the_same_memories_and_arrays() {
    // `-half` is a variation that explains a departure of Fig. 14.
    let is_of_table = |id: &str| id.starts_with("stream-") && !id.ends_with("-half");
    let table: Vec<_> = system_presets().iter().filter(|preset| is_of_table(preset.id)).collect();
    assert_eq!(table.len(), 2 + 3 + 5 + 9);
    for preset in table {
        let system = CoreSystem::from_text(preset.text, "").unwrap_or_else(|wrong| panic!("{}: {wrong}", preset.id));
        let seen = System::new(&system, SchedulingRules::CORRECTED);
        let on_chip = seen.memories.iter_enumerated().filter(|(index, _)| *index != seen.dram_memory());
        let bits: u64 = on_chip.map(|(_, memory)| memory.capacity.0).sum();
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
    let first = CoreId::default();
    assert!(system.cores.iter().all(|core| core.kind == first && core.core == system.cores[first].core));
    // A mistake in the document of several cores is reported once, at its place.
    let wrong = CoreSystem::from_text(&text.replace("size: 32 KiB", "size: 0 B"), "").unwrap_err();
    assert!(wrong.0.iter().all(|one| one.path.starts_with("cores[0].hardware")), "{wrong}");
    let unknown = text.replace("{ name: chiplet 1, hardware: chiplet 0 }", "{ name: chiplet 1, hardware: chiplet 2 }");
    let wrong = CoreSystem::from_text(&unknown, "").unwrap_err();
    assert_eq!(wrong.0.iter().map(|one| one.path.as_str()).collect::<Vec<_>>(), ["cores[1].hardware"], "{wrong}");
}

/// A system of 64 cores, each the accelerator beside it, with these links.
fn linked(links: &str) -> String {
    let cores: String = (0..64).map(|core| format!("  - {{ name: c{core} }}\n")).collect();
    format!(
        "name: many\ncores:\n{cores}links:\n{links}\
         offchip: {{ width: 64 bit, read_energy: 700 pJ, write_energy: 750 pJ }}\n"
    )
}

/// Found beside fuzzing: the search for routes visited every link again for every core.
#[test]
fn of_many_links_between_the_same_cores_the_first_is_taken() {
    let hardware = find_preset(hardware_presets(), "tpu-like").unwrap().text;
    let names: Vec<String> = (0..64).map(|core| format!("c{core}")).collect();
    let bus = format!("  - {{ bus: [{}], width: 8 bit, energy: 1 pJ }}\n", names.join(", "));
    let routes = |links: &str| {
        let system = CoreSystem::from_text(&linked(links), hardware).unwrap_or_else(|wrong| panic!("{wrong}"));
        System::new(&system, SchedulingRules::CORRECTED).routes
    };
    assert_eq!(routes(&bus.repeat(256)), routes(&bus));
}

/// Found beside fuzzing: the requests of a MiB of text, and their mistakes, would fill the memory.
#[test]
fn meshes_without_end_are_refused() {
    let hardware = find_preset(hardware_presets(), "tpu-like").unwrap().text;
    let mesh = |one: &str, other: &str| {
        let row = |one, other| format!("[{}]", [one, other].repeat(32).join(", "));
        let rows = vec![format!("{}, {}", row(one, other), row(other, one)); 32];
        format!("  - {{ mesh: [{}], width: 8 bit, energy: 1 pJ }}\n", rows.join(", "))
    };
    let wrong = CoreSystem::from_text(&linked(&mesh("c0", "c1").repeat(9)), hardware).unwrap_err();
    assert_eq!(wrong.0.len(), 1, "{wrong}");
    assert!(wrong.0[0].path == "links[1]" && wrong.0[0].reason.contains("more than 16384"), "{wrong}");
    for (one, other) in [("x", "y"), ("c0", "c0")] {
        let (spec, _) = read_system(&linked(&mesh(one, other).repeat(9))).both();
        let wrong = CoreSystem::new(&spec, read_hardware(hardware).whole().ok().as_ref()).unwrap_err();
        assert!((100..200).contains(&wrong.0.len()), "{}", wrong.0.len());
    }
}

#[test]
fn energies_that_cannot_be_added_up_are_refused() {
    let hardware = find_preset(hardware_presets(), "tpu-like").unwrap().text;
    let text = find_preset(system_presets(), "quad-beside").unwrap().text;
    for (right, wrong, path) in [
        ("energy: 8 pJ", "energy: 1e300 pJ", "links[0].energy"),
        ("read_energy: 700 pJ", "read_energy: 1e300 pJ", "offchip.read_energy"),
    ] {
        assert!(text.contains(right));
        let said = CoreSystem::from_text(&text.replacen(right, wrong, 1), hardware).unwrap_err();
        assert!(said.0.iter().any(|one| one.path == path && one.remedy.contains("at most 10000000000 pJ")), "{said}");
    }
}
