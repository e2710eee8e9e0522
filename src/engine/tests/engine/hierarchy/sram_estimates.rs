//! Figures of memories that a document leaves to an estimator.

use fusescape_engine::hardware::{Core, Estimate, Figures, Memory, SRAM_ESTIMATORS, estimate};
use fusescape_engine::pool::Pool;
use fusescape_spec::{Diagnostics, find_preset, hardware_presets, read_hardware, write_hardware};

const STATED: &str = "read_energy: 30 pJ, write_energy: 31 pJ";

/// An accelerator whose `sram` has these figures.
fn document(figures: &str) -> String {
    format!(
        "name: x\narray: {{ dimensions: {{ D1: 4 }}, mac_energy: 1 pJ }}\nmemories:\n  \
         - {{ name: sram, size: 64 KiB, operands: [W, I, O], width: 128 bit, shared_over: all, {figures} }}\n  \
         - {{ name: dram, size: 1 GiB, operands: [W, I, O], width: 64 bit, {STATED}, shared_over: all }}\n"
    )
}

fn sram(figures: &str) -> Memory {
    Core::from_text(&document(figures)).unwrap().memories.raw.swap_remove(0)
}

fn figures(memory: &Memory) -> Figures {
    Figures {
        read_energy_pj: memory.read_energy_pj,
        write_energy_pj: memory.write_energy_pj,
        area_um2: memory.area_um2.unwrap(),
    }
}

fn refused(text: &str) -> Diagnostics {
    Core::from_text(text).unwrap_err()
}

#[test]
fn an_estimate_stands_for_all_figures_that_are_not_stated() {
    let by = estimate("sram-28nm", 64 << 13, 128).unwrap();
    assert_eq!(figures(&sram("estimate: sram-28nm")), by);
    let cases = [
        ("read_energy: 5 pJ", Figures { read_energy_pj: 5.0, ..by }, [false, true, true], "write energy, area"),
        ("write_energy: 6 pJ", Figures { write_energy_pj: 6.0, ..by }, [true, false, true], "read energy, area"),
        ("area: 7 um2", Figures { area_um2: 7.0, ..by }, [true, true, false], "read and write energy"),
        (STATED, Figures { read_energy_pj: 30.0, write_energy_pj: 31.0, ..by }, [false, false, true], "area"),
    ];
    for (stated, expected, [read_energy, write_energy, area], what) in cases {
        let memory = sram(&format!("{stated}, estimate: sram-28nm"));
        assert_eq!(figures(&memory), expected, "{stated}");
        let said = Estimate { estimator: "sram-28nm".into(), read_energy, write_energy, area };
        assert_eq!(memory.estimate, Some(said), "{stated}");
        assert_eq!(memory.estimate.unwrap().what(), what);
    }
}

#[test]
fn what_states_its_energies_is_no_estimate() {
    let memory = sram(STATED);
    assert_eq!((memory.read_energy_pj, memory.write_energy_pj, memory.area_um2), (30.0, 31.0, None));
    for preset in hardware_presets() {
        let core = Core::from_text(preset.text).unwrap();
        assert_eq!((core.estimates().count(), core.estimate_note()), (0, None), "{}", preset.id);
    }
}

#[test]
fn a_pool_and_a_document_have_the_same_figures() {
    for name in SRAM_ESTIMATORS {
        for (size, width) in [("64 B", 8), ("4 KiB", 64), ("1 MiB", 512)] {
            let pool = Pool::from_text(&format!(
                "name: x\nmemories:\n  - {{ name: sram, size: {size}, replication: [shared], \
                 variants: [{{ width: {width} bit, estimate: {name} }}] }}\n"
            ));
            let text = document(&format!("estimate: {name}")).replacen("64 KiB", size, 1).replacen(
                "128 bit",
                &format!("{width} bit"),
                1,
            );
            let memory = Core::from_text(&text).unwrap().memories.raw.swap_remove(0);
            let variant = pool.unwrap().memories.swap_remove(0).variants.swap_remove(0);
            assert_eq!((figures(&memory), variant.estimated), (variant.figures, true), "{name}, {size}, {width} bit");
        }
    }
}

#[test]
fn every_estimator_costs_more_for_a_larger_or_wider_memory_and_less_at_a_smaller_node() {
    let less = |a: Figures, b: Figures| {
        a.read_energy_pj < b.read_energy_pj && a.write_energy_pj < b.write_energy_pj && a.area_um2 < b.area_um2
    };
    for (index, name) in SRAM_ESTIMATORS.into_iter().enumerate() {
        for size in (9..27).map(|power| 1u64 << power) {
            for width in (3..11).map(|power| 1u64 << power) {
                let here = estimate(name, size, width).unwrap();
                assert!(here.read_energy_pj > 0.0 && here.write_energy_pj > 0.0 && here.area_um2 > 0.0);
                assert!(less(here, estimate(name, 2 * size, width).unwrap()), "{name}: {size} bit");
                assert!(less(here, estimate(name, size, 2 * width).unwrap()), "{name}: a word of {width} bit");
                if let Some(larger) = index.checked_sub(1) {
                    assert!(less(here, estimate(SRAM_ESTIMATORS[larger], size, width).unwrap()), "{name}");
                }
            }
        }
    }
}

/// 65 nm was the node of the pools before others were added; published studies were computed with it.
#[test]
fn figures_at_65_nm_are_those_of_the_fit_to_the_bit() {
    let Figures { read_energy_pj, write_energy_pj, area_um2 } = estimate("sram-65nm", 64 << 13, 64).unwrap();
    let expected = [26.156_393_530_260_46_f64, 29.199_529_979_947_766, 138_360.381_644_480_28];
    assert_eq!([read_energy_pj, write_energy_pj, area_um2].map(f64::to_bits), expected.map(f64::to_bits));
}

#[test]
fn everything_wrong_with_estimates_is_said_with_place_reason_and_remedy() {
    let cases = [
        ("estimate: sram-29nm", "There is no estimate `sram-29nm`", "Did you mean `sram-28nm`?"),
        ("estimate: sram-3nm", "There is no estimate `sram-3nm`", "Did you mean `sram-7nm`?"),
        ("estimate: sram28nm", "There is no estimate `sram28nm`", "Did you mean `sram-28nm`?"),
        ("estimate: dram", "There is no estimate `dram`", "Use one of sram-65nm, sram-45nm"),
        (
            "estimate: sram-28nm, area: 1 um2, read_energy: 30 pJ, write_energy: 31 pJ",
            "Nothing of `sram` is left",
            "Take",
        ),
        ("estimate: { node: 28 }", "name", ""),
    ];
    for (wrong, reason, remedy) in cases {
        let said = refused(&document(wrong));
        let [only] = &said.0[..] else { panic!("{wrong}: {said}") };
        assert_eq!((only.path.as_str(), only.line), ("memories[0].estimate", Some(4)), "{wrong}: {said}");
        assert!(only.to_string().contains(reason) && only.to_string().contains(remedy), "{wrong}: {said}");
    }
    let text = document("estimate: sram-28nm").replacen("64 KiB", "1 B", 1).replacen("128 bit", "4096 bit", 1)
        + "vector_unit:\n  lanes: 2\n  memory: sram\n  registers:\n    \
           - { name: r, size: 1 GiB, operands: [I, O], width: 16 bit, estimate: sram-65, shared_over: [] }\n";
    let said = refused(&text);
    let found: Vec<(&str, &str)> = said.0.iter().map(|one| (one.path.as_str(), one.reason.as_str())).collect();
    let register = "vector_unit.registers[0].estimate";
    assert_eq!(
        found,
        [
            ("memories[0].estimate", "`sram` has 1 B, and SRAMs are estimated from 64 B to 16 MiB"),
            ("memories[0].estimate", "`sram` has a word of 4096 bit, and words are estimated up to 2048 bit"),
            (register, "There is no estimate `sram-65`"),
            (register, "`r` has 1 GiB, and SRAMs are estimated from 64 B to 16 MiB"),
        ]
    );
    let without = refused(&document("area: 1 um2"));
    assert_eq!(without.0.len(), 2, "without an estimate both energies are missing: {without}");
}

#[test]
fn what_cannot_be_read_is_not_judged_by_an_estimate_too() {
    for (right, wrong) in [("64 KiB", "64"), ("128 bit", "128"), ("64 KiB", "0 bit"), ("128 bit", "0 bit")] {
        let said = refused(&document("estimate: sram-28nm").replacen(right, wrong, 1));
        assert!(said.0.iter().all(|one| !one.path.ends_with("estimate")), "{wrong}: {said}");
    }
}

#[test]
fn a_register_of_a_vector_unit_may_be_an_estimate() {
    let text = document("estimate: sram-28nm")
        + "vector_unit:\n  lanes: 2\n  memory: sram\n  registers:\n    \
           - { name: r, size: 128 B, operands: [I, O], width: 16 bit, estimate: sram-7nm, shared_over: [] }\n";
    let core = Core::from_text(&text).unwrap();
    assert_eq!(figures(&core.memories.raw[0]), estimate("sram-7nm", 1024, 16).unwrap());
    let note = "Energies of accesses that are estimates: r (sram-7nm), sram (sram-28nm)";
    assert_eq!(core.estimate_note().as_deref(), Some(note));
}

#[test]
fn documents_are_written_with_their_estimates() {
    for stated in
        ["estimate: sram-14nm", "read_energy: 5 pJ, estimate: sram-14nm", "area: 9 um2, estimate: sram-14nm", STATED]
    {
        let text = document(stated);
        let (spec, wrong) = read_hardware(&text).both();
        assert!(wrong.is_empty(), "{wrong}");
        let written = write_hardware(&spec);
        assert_eq!(read_hardware(&written).both().0, spec, "{written}");
        assert_eq!(written.contains("estimate: sram-14nm"), stated.contains("estimate"), "{written}");
        assert_eq!(Core::from_text(&written).unwrap(), Core::from_text(&text).unwrap());
    }
}

/// The memory off the chip is the system's, whatever the core's document states.
#[test]
fn a_core_of_a_system_may_estimate_its_memories() {
    use fusescape_engine::system::CoreSystem;
    let system = "name: s\ncores:\n  - { name: a }\n  - { name: b }\nlinks: [{ bus: [a, b], width: 64 bit, energy: 0 pJ }]\n\
                  offchip: { width: 64 bit, read_energy: 700 pJ, write_energy: 750 pJ }\n";
    let text = document("estimate: sram-28nm").replacen(
        &format!("1 GiB, operands: [W, I, O], width: 64 bit, {STATED}"),
        "1 MiB, operands: [W, I, O], width: 64 bit, area: 1 um2, estimate: sram-28nm",
        1,
    );
    let core = Core::from_text(&text).unwrap();
    assert_eq!(core.estimates().count(), 2);
    let system = CoreSystem::from_text(system, &text).unwrap();
    for core in &system.cores {
        let estimated: Vec<&str> = core.core.estimates().map(|(memory, _)| memory.name.as_str()).collect();
        assert_eq!(estimated, ["sram"]);
        assert_eq!(core.core.memories.raw[1].read_energy_pj, 700.0);
    }
}

#[test]
fn a_generated_hierarchy_is_one_of_numbers_that_say_they_are_estimates() {
    let pool = find_preset(fusescape_spec::pool_presets(), "zigzag-65nm").unwrap();
    let finer = Pool::from_text(&pool.text.replace("sram-65nm", "sram-28nm")).unwrap();
    let estimated = || finer.memories.iter().flat_map(|memory| &memory.variants).filter(|variant| variant.estimated);
    assert!(estimated().count() > 3);
    assert!(estimated().all(|variant| variant.source.contains("fit sram-28nm at")));
}
