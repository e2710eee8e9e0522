//! Studies of systems of cores: each row is the result for the written-out documents on many cores, to the bit,
//! whatever designs share.

use super::designs::{mistakes, run, study};
use fusescape_engine::explore::study::{
    DesignEvaluator, DesignQuantity, DesignRow, DesignSchedule, DesignStatus, ParetoFront, PathRoot,
};
use fusescape_engine::multicore::{CoresPart, CoresProblem, CoresRequest, TileCosts, TileSearch};
use fusescape_spec::edit::Outline;
use fusescape_spec::{find_preset, system_presets};
use std::sync::Arc;

const LINKS: &str = "
name: Links, memories and tiles
hardware: tpu-like
system: quad-beside
network: three-convs
schedule: { tiles: 4, stacks: one, search: loma, lpf_limit: 4 }
axes:
  - { vary: system.links.0.width, values: [32 bit, 256 bit] }
  - { vary: [system.offchip.width, system.offchip.read_energy], values: [[16 bit, 100 pJ], [64 bit, 700 pJ]] }
  - { vary: hardware.memories.sram_2MB.size, values: [8 KiB, 1 MiB] }
  - { vary: schedule.tiles, values: [4, 'rows 8, channels 8', layer-by-layer] }
record: [energy, latency, edp, capacity, pes, macs, utilization, peak_on_chip, links_energy, memories_energy, onchip_energy]
";

const SYSTEMS: &str = "
name: Which cores
system: [stream-2ws, stream-2os]
network: three-convs
schedule: { search: loma, lpf_limit: 4, objective: edp }
axes: [{ vary: schedule.order, values: [best, deepest] }]
record: [energy, latency, area, peak_on_chip]
";

/// A row, computed by the engine directly from documents.
fn priced(
    study: &fusescape_engine::explore::study::DesignSpace,
    row: &DesignRow,
) -> (Vec<Option<f64>>, Option<String>) {
    let hardware = if study.has(PathRoot::Hardware) {
        study.document(PathRoot::Hardware, &row.coordinates).unwrap()
    } else {
        String::new()
    };
    let DesignSchedule::OnCores(schedule) = study.schedule(&row.coordinates).unwrap() else { panic!("many cores") };
    let mut request = CoresRequest {
        hardware,
        workload: study.document(PathRoot::Network, &row.coordinates).unwrap(),
        system: study.document(PathRoot::System, &row.coordinates).unwrap(),
        settings: schedule.settings,
    };
    let mut tiles = None;
    if schedule.searches_tiles {
        let search = TileSearch::of(&request).unwrap();
        request = request.in_tiles(search.best().unwrap().0);
        tiles = Some(request.settings.granularity.text());
    }
    let on_cores = CoresProblem::new(&request).unwrap();
    let mut costs = TileCosts::default();
    let (best, stacks) = on_cores.best(&mut costs).unwrap();
    let (_, account) = on_cores.account(&mut costs, &stacks, &best.choice, Some(best.order)).unwrap();
    assert_eq!((best.energy_pj, best.latency_cycles), (account.energy.total_pj(), account.latency_cycles));
    let cores = &on_cores.system.cores;
    let value = |quantity: &DesignQuantity| match quantity {
        DesignQuantity::Energy => Some(best.energy_pj),
        DesignQuantity::Latency => Some(best.latency_cycles),
        DesignQuantity::EnergyDelayProduct => Some(best.energy_pj * best.latency_cycles),
        // No core here shares a memory.
        DesignQuantity::Capacity => Some(cores.iter().map(|core| core.core.on_chip_bytes() as f64 * 8.0).sum()),
        DesignQuantity::Pes => Some(cores.iter().map(|core| core.core.pe_count() as f64).sum()),
        DesignQuantity::Macs => Some(on_cores.network.macs() as f64),
        DesignQuantity::Utilization => Some(on_cores.mac_use(best.latency_cycles)),
        DesignQuantity::PeakBits => Some(account.peak_bits() as f64),
        DesignQuantity::EnergyOfPart(part) => Some(account.energy.of(*part)),
        // The presets state no such parameters.
        DesignQuantity::Area => None,
        other => panic!("{other:?}"),
    };
    (study.quantities.iter().map(value).collect(), tiles)
}

#[test]
fn a_row_is_the_best_schedule_of_the_written_documents() {
    for text in [LINKS, SYSTEMS] {
        let study = study(text);
        let rows = run(&study);
        assert_eq!(rows.len() as u64, study.designs());
        for row in &rows {
            assert_eq!(row.status, DesignStatus::Found, "{}", row.reason);
            assert_eq!((row.values.clone(), row.tiles.clone()), priced(&study, row));
        }
        // Sharing does not change any design.
        let alone = |row: &DesignRow| {
            DesignEvaluator::new(Arc::clone(&study), Arc::default()).evaluate(row.design, &ParetoFront::default())
        };
        assert_eq!(rows.iter().map(alone).collect::<Vec<_>>(), rows);
        let different = |index: usize| {
            rows.iter().map(|row| row.values[index].unwrap().to_bits()).collect::<std::collections::BTreeSet<_>>()
        };
        assert!(different(0).len() > 3 || text == SYSTEMS, "axes count");
    }
}

#[test]
fn constraints_on_a_system_are_judged_before_it_is_scheduled() {
    let study = study(&format!("{LINKS}constraints: [capacity <= 1 MiB]\n"));
    for row in run(&study) {
        let is_small = row.coordinates[2] == 0;
        assert_eq!(row.status, if is_small { DesignStatus::Found } else { DesignStatus::Outside });
        assert_eq!(row.values[0].is_some(), is_small, "what is outside is not scheduled");
    }
}

/// Shared memories, and the one off the chip, are counted as often as a chip has them.
#[test]
fn area_and_capacity_count_a_shared_memory_once() {
    let preset = system_presets().iter().find(|preset| preset.text.contains("\nshared:"));
    let preset = preset.unwrap();
    let found = fusescape_engine::system::CoreSystem::from_text(preset.text, "").unwrap();
    let each: u64 = found.cores.iter().map(|core| core.core.on_chip_bytes() * 8).sum();
    assert!(found.on_chip_bits() < each, "{}", preset.id);
    assert_eq!(found.area_um2(), None);
}

#[test]
fn what_is_wrong_with_a_system_is_told_at_once() {
    let found = |text: &str| -> Vec<String> { mistakes(text).0.iter().map(ToString::to_string).collect() };
    // Two mistakes in one file, a path that does not exist, a field and a quantity of single cores: each at its place.
    let text = "name: wrong\nsystem: [eyeriss-quad, torn.yaml]\nnetwork: three-convs\nschedule: { columns: 4 }\n\
                axes: [{ vary: system.link.0.width, values: [1 bit] }]\nrecord: [dram_words]\n";
    let mut request = super::designs::request(text);
    let torn = Outline::read(find_preset(system_presets(), "eyeriss-quad").unwrap().text).unwrap();
    let torn = torn.write("links[0].width", "64 pJ").unwrap().write("cores[1].hardware", "eyeris-like").unwrap();
    request.systems.push(("torn.yaml".to_owned(), torn.into_text()));
    let wrong = fusescape_engine::explore::study::DesignSpace::new(request).err().unwrap();
    let places: Vec<(&str, Option<usize>)> = wrong.0.iter().map(|found| (found.path.as_str(), found.line)).collect();
    let expected = ["system[1]", "system[1]", "schedule.columns", "axes[0].vary", "record"];
    for place in expected {
        assert!(places.iter().any(|(path, line)| *path == place && line.is_some()), "{place}: {wrong}");
    }
    assert!(wrong.to_string().contains("Did you mean `eyeriss-like`?"), "{wrong}");
    assert!(wrong.0.iter().all(|found| !found.remedy.is_empty()));
    // A system of cores that it does not describe needs the hardware beside it.
    let text = "name: beside\nsystem: quad-beside\nnetwork: three-convs\naxes: [{ vary: system.links.0.width, values: [8 bit] }]\n";
    assert!(found(text)[0].contains("Write for example `hardware: tpu-like`"), "{:?}", found(text));
    assert!(
        mistakes(&text.replace("quad-beside", "eyeriss-quad\nhardware: [tpu-like, eyeriss-like]")).0[0].path
            == "hardware"
    );
    // Tiles of layers that do not exist.
    let text = "name: tiles\nsystem: eyeriss-quad\nnetwork: three-convs\nschedule: { tiles: 'conv7: K 4' }\n\
                axes: [{ vary: schedule.stacks, values: [one, [conv8]] }]\n";
    let found = mistakes(text);
    assert!(found.0.iter().any(|found| found.path == "schedule.tiles"), "{found}");
    assert!(found.0.iter().any(|found| found.path == "axes[0].values[1]"), "{found}");
}

#[test]
fn every_part_of_a_system_is_a_quantity() {
    for part in CoresPart::ALL {
        let quantity = DesignQuantity::EnergyOfPart(part);
        assert_eq!(DesignQuantity::from_name(&quantity.name()), Some(quantity));
        assert!(quantity.is_of(true) && !quantity.is_of(false));
    }
}
