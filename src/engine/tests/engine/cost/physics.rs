//! Clock, leakage, bursts, latency and buffers of memories, densities. The oracles by elements check their effect on
//! every access.

use fusescape_engine::cost::{EnergyCause, Evaluator, LatencyCause};
use fusescape_engine::depth_first::PointAccount;
use fusescape_engine::explore::{DesignLayer, LayerRequest, Request, Settings, Sweep};
use fusescape_engine::hardware::Core;
use fusescape_engine::mapping::{Allocation, LayerOnCore, LayerOperand, LayerProblem, TemporalLoop};
use fusescape_engine::rules::Rules;
use fusescape_engine::search::{Objective, Strategy};
use fusescape_engine::workload::{Dim, Network};

/// A core with a text in place of `CORE`, and a memory with one in place of `SRAM`.
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
    crate::explore::accounts(&sweep, &sweep.plan())
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
        // 2 mW of the array, 3 mW of a memory, eight times 0.5 mW: 9 mW for cycles of 10 ns.
        assert!((power.leakage_pj_per_cycle - 90.0).abs() < 1e-9, "{power:?}");
        assert!((power.total_pj - timed.energy_pj - 90.0 * timed.latency_cycles as f64).abs() < 1e-6 * power.total_pj);
        assert!((power.seconds - timed.latency_cycles as f64 * 1e-8).abs() < 1e-12);
    }
}

#[test]
fn bursts_and_latency_never_make_anything_cheaper_or_faster() {
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
}

/// Requests are made ahead: during the latency of the DRAM for weights, its port takes the request for inputs.
#[test]
fn a_memory_answers_two_inputs_at_once_however_they_share_its_port() {
    let loading = |cycles: u64, ports: &str| {
        let hardware = format!(
            "name: two\narray: {{ dimensions: {{ P: 4 }}, mac_energy: 1 pJ }}\nunroll: {{ conv: {{ P: K }} }}\nmemories:\n  \
             - {{ name: glb, size: 16 KiB, operands: [W, I, O], width: 64 bit, read_energy: 5 pJ, write_energy: 5 pJ, \
             shared_over: all }}\n  \
             - {{ name: dram, latency: {cycles} cycles, size: 1 GiB, operands: [W, I, O], width: 64 bit, read_energy: 400 pJ, \
             write_energy: 400 pJ, shared_over: all{ports} }}\n"
        );
        let workload = "name: n\nlayers:\n  - { name: image, type: input, K: 8, size: 10 x 10 }\n  \
             - { name: c, type: conv, K: 16, kernel: 3 x 3 }\n";
        let request = LayerRequest {
            hardware,
            workload: workload.to_owned(),
            layer: None,
            objective: Objective::Latency,
            strategy: Strategy::Exact,
            lpf_limit: 6,
            rules: Rules::CORRECTED,
            unroll: None,
        };
        DesignLayer::new(&request).unwrap().best().unwrap().cycles.by_cause[LatencyCause::Loading]
    };
    let two_ports = ", ports: { w: [W.read_to_low], io: [I.read_to_low, O.read_to_low, O.write_from_low] }";
    for ports in ["", two_ports] {
        let at_once = loading(1, ports);
        for cycles in [2, 101, 1001] {
            assert_eq!(loading(cycles, ports), at_once + cycles - 1, "{cycles} cycles, {ports}");
        }
    }
}

/// A weight that 8 columns need stays until the last of them: a memory with room for two loads the next one meanwhile;
/// without double buffering there is a single cycle for it, where it needs two.
#[test]
fn a_memory_that_never_holds_data_twice_stalls_the_array() {
    let stall = |fields: &str| {
        let core = Core::from_text(&format!(
            "name: one\narray: {{ dimensions: {{ D1: 1 }}, mac_energy: 1 pJ }}\nmemories:\n  \
             - {{ name: w, size: 2 B, operands: [W], width: 8 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: all{fields} }}\n  \
             - {{ name: dram, size: 1 MiB, operands: [W, I, O], read_width: 4 bit, write_width: 64 bit, \
             read_energy: 1 pJ, write_energy: 1 pJ, shared_over: all, \
             ports: {{ w: [W.read_to_low], io: [I.read_to_low, O.read_to_low, O.write_from_low] }} }}\n"
        ));
        let core = core.unwrap_or_else(|wrong| panic!("{wrong}"));
        let network = Network::from_text(
            "name: one\nprecision: { W: 8, I: 4, O: 4, O_partial: 4 }\nlayers:\n  - { name: in, type: input, K: 1, size: 8 x 1 }\n  \
             - { name: a, type: pointwise, K: 4 }\n",
        );
        let shape = network.unwrap().layer(1.into()).shape;
        let problem = LayerProblem::new(shape, [2, 1, 1], Vec::new());
        let layer = LayerOnCore::new(&core, Rules::CORRECTED, &problem);
        let order = [TemporalLoop { dim: Dim::OX, size: 8 }, TemporalLoop { dim: Dim::K, size: 4 }];
        let mut allocation = Allocation::default();
        allocation.ends[LayerOperand::First][..2].copy_from_slice(&[1, 2]);
        allocation.ends[LayerOperand::Second][0] = 2;
        allocation.ends[LayerOperand::Output][0] = 2;
        let ports = Evaluator::new(&layer).evaluate(&order, &allocation).unwrap().latency.ports;
        ports.iter().find(|port| core.memories[port.memory].name == "dram" && port.port.index() == 0).unwrap().cycles
    };
    // Three further times after the first: 2 cycles of 8, or of 1.
    assert_eq!(stall(""), 3 * (2 - 8));
    assert_eq!(stall(", double_buffered: never"), 3);
}

/// Where shares of bits are whole, a sparse network costs the same as one of fewer bits with cheaper
/// multiply-accumulates.
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
    // The precision by which the energy of an operation is found is that in which the array computes.
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
    // The document with the remedy is valid.
    assert!(unclocked.0[0].remedy.contains("clock: 200 MHz"), "{unclocked}");
    Core::from_text(&hardware("clock: 200 MHz\n", ", leakage: 3 mW")).unwrap();
    for density in ["0", "1.2", "-1", "half"] {
        let wrong = Network::from_text(&network(&format!("density: {{ W: {density}, O: {density} }}\n"))).unwrap_err();
        assert_eq!(wrong.0.len(), 2, "{wrong}");
    }
}
