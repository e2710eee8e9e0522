//! Clock, leakage, bursts, latency and buffers of memories, densities. The oracles by elements hold what they do to every access.

use fusescape_engine::cost::EnergyCause;
use fusescape_engine::depth_first::PointAccount;
use fusescape_engine::explore::{Request, Settings, Sweep, solve_all};
use fusescape_engine::hardware::Core;
use fusescape_engine::workload::Network;

/// A core with something in the place of `CORE`, and a memory with something in that of `SRAM`.
fn hardware(core: &str, sram: &str) -> String {
    "name: some
CORE
array: { dimensions: { D1: 4, D2: 2 }, mac_energy: 2 pJ }
unroll: { conv: { D1: K, D2: C } }
memories:
  - { name: rf, size: 4 B, operands: [W, O], width: 16 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: [] }
  - { name: sram, size: 3 KiB, operands: [W, I, O], width: 64 bit, read_energy: 9 pJ, write_energy: 9 pJ, shared_over: all, SRAM }
  - { name: dram, size: 1 GiB, operands: [W, I, O], width: 32 bit, read_energy: 90 pJ, write_energy: 90 pJ, shared_over: all }
"
    .replace("CORE\n", core)
    .replace(", SRAM", sram)
}

fn network(fields: &str) -> String {
    format!(
        "name: two\n{fields}layers:
  - {{ name: in, type: input, K: 4, size: 12 x 12 }}
  - {{ name: a, type: conv, K: 8, kernel: 3 x 3, padding: 1 }}
  - {{ name: b, type: conv, K: 8, kernel: 3 x 3, padding: 1 }}
"
    )
}

/// Accounts of all tiles, modes and fuse depths.
fn accounts(hardware: &str, workload: &str) -> Vec<PointAccount> {
    let settings = Settings { tiles_x: vec![12, 5, 1], tiles_y: vec![12, 4], ..Settings::default() };
    let request = Request { hardware: hardware.to_owned(), workload: workload.to_owned(), settings };
    let sweep = Sweep::new(&request).unwrap_or_else(|wrong| panic!("{wrong}"));
    let plan = sweep.plan();
    let solutions = solve_all(&sweep, &plan, |_| {});
    let mut assembler = sweep.assembler(&plan);
    let account = |point| assembler.assemble(point, &|problem| solutions[problem].as_ref()).unwrap();
    plan.points.iter().map(|point| point.as_ref().unwrap_or_else(|wrong| panic!("{wrong}"))).map(account).collect()
}

#[test]
fn a_clock_and_leakage_change_no_energy_and_no_cycle_but_say_time_and_power() {
    let plain = accounts(&hardware("", ""), &network(""));
    let leaking =
        hardware("clock: 100 MHz\n", ", leakage: 3 mW").replace("mac_energy: 2 pJ", "mac_energy: 2 pJ, leakage: 2 mW");
    let leaking = leaking.replace("shared_over: [] }", "shared_over: [], leakage: 500 uW }");
    for (plain, timed) in plain.iter().zip(accounts(&leaking, &network(""))) {
        assert_eq!((plain.energy_pj, plain.latency_cycles, plain.power), (timed.energy_pj, timed.latency_cycles, None));
        let power = timed.power.unwrap();
        // 2 mW of the array, 3 mW of a memory, eight times 0.5 mW: 9 mW for 10 ns a cycle.
        assert!((power.leakage_pj_per_cycle - 90.0).abs() < 1e-9, "{power:?}");
        assert!((power.total_pj - timed.energy_pj - 90.0 * timed.latency_cycles as f64).abs() < 1e-6 * power.total_pj);
        assert!((power.seconds - timed.latency_cycles as f64 * 1e-8).abs() < 1e-12);
    }
}

#[test]
fn bursts_latency_and_single_buffers_never_make_anything_cheaper_or_faster() {
    let of = |fields: &str| {
        accounts(
            &hardware("", "").replace("shared_over: all }", &format!("shared_over: all, {fields} }}")),
            &network(""),
        )
    };
    let plain = accounts(&hardware("", ""), &network(""));
    let energy = |points: &[PointAccount]| points.iter().map(|point| point.energy_pj).sum::<f64>();
    let cycles = |points: &[PointAccount]| points.iter().map(|point| point.latency_cycles).sum::<u64>();
    let (burst, slow) = (of("burst: 512 bit"), of("latency: 40 cycles"));
    for (plain, burst) in plain.iter().zip(&burst) {
        assert!(burst.energy_pj >= plain.energy_pj);
    }
    assert!(energy(&burst) > energy(&plain) && cycles(&burst) > cycles(&plain));
    assert!(cycles(&slow) > cycles(&plain));
    let single = accounts(&hardware("", ", double_buffered: never"), &network(""));
    assert_eq!(energy(&single), energy(&plain));
    assert!(cycles(&single) > cycles(&plain));
}

/// Where shares of bits are whole, a sparse network is one of fewer bits, whose multiply-accumulates cost less.
#[test]
fn a_sparse_network_is_one_of_fewer_bits() {
    let hardware = hardware("", "");
    let sparse = accounts(&hardware, &network("density: { W: 0.5, I: 0.25, O: 0.25 }\n"));
    let narrow = accounts(&hardware, &network("precision: { W: 4, I: 2, O_partial: 16, O: 2 }\n"));
    for (sparse, narrow) in sparse.iter().zip(&narrow) {
        assert_eq!(sparse.latency_cycles, narrow.latency_cycles);
        assert_eq!(sparse.memories, narrow.memories);
        assert_eq!(sparse.energy[EnergyCause::Mac], narrow.energy[EnergyCause::Mac] * 0.125);
    }
    let note = Network::from_text(&network("density: { W: 0.3 }\n")).unwrap().density_note().unwrap();
    assert!(note.to_string().contains("approximately"), "{note}");
    assert!(Network::from_text(&network("density: { W: 1 }\n")).unwrap().density_note().is_none());
    // A precision that decides the energy of an operation is the one that the array computes with.
    let lawful = hardware.replace("mac_energy: 2 pJ", "mac_energy: 2 pJ, mac_precision: 8 x 8");
    let of_law = accounts(&lawful, &network("density: { W: 0.5, I: 0.25, O: 0.25 }\n"));
    assert_eq!(of_law[0].energy[EnergyCause::Mac], sparse[0].energy[EnergyCause::Mac]);
}

#[test]
fn what_is_wrong_with_them_is_said_at_once() {
    let wrong = hardware("clock: 0 MHz\n", ", burst: 8 bit, leakage: 3 pJ, double_buffered: sometimes");
    let wrong = Core::from_text(&wrong).unwrap_err();
    let paths: Vec<&str> = wrong.0.iter().map(|one| one.path.as_str()).collect();
    for path in ["clock", "memories[1].burst", "memories[1].leakage", "memories[1].double_buffered"] {
        assert!(paths.contains(&path), "{path} is not in {paths:?}");
    }
    let unclocked = Core::from_text(&hardware("", ", leakage: 3 mW")).unwrap_err();
    assert_eq!(unclocked.0.len(), 1, "{unclocked}");
    // The remedy works.
    assert!(unclocked.0[0].remedy.contains("clock: 200 MHz"), "{unclocked}");
    Core::from_text(&hardware("clock: 200 MHz\n", ", leakage: 3 mW")).unwrap();
    for density in ["0", "1.2", "-1", "half"] {
        let wrong = Network::from_text(&network(&format!("density: {{ W: {density}, O: {density} }}\n"))).unwrap_err();
        assert_eq!(wrong.0.len(), 2, "{wrong}");
    }
}
