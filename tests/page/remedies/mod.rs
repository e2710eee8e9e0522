//! Every remedy for a document, a file of another program, settings, or an option is followed: the refused input is
//! valid then. No remedy in the sources is left out.

mod accelforge;
mod allocation;
mod attention;
mod embed;
mod gallery;
mod hardware;
mod imports;
mod lesson;
mod literals;
mod mapping;
mod onnx;
mod options;
mod pool;
mod questions;
mod settings;
mod shards;
mod stacks;
mod stream;
mod study;
mod system;
mod timeloop;
mod transformer;
mod workload;

use fusescape::command::layer::{LayerSearchOptions, map_layers};
use fusescape::command::parse::LayerStrategy;
use fusescape::command::{CommandError, Unmonitored};
use fusescape::explore::study::{DesignSpace, StudyRequest};
use fusescape::form::repair;
use fusescape::hardware::Core;
use fusescape::lesson::{Draw, Lesson};
use fusescape::pool::Pool;
use fusescape::search::Strategy;
use fusescape::spec::edit::Outline;
use fusescape::spec::{Diagnostic, Diagnostics, find_preset, hardware_presets, system_presets, workload_presets};
use fusescape::system::CoreSystem;
use fusescape::transformer::Transformer;
use fusescape::workload::Network;
use rayon::prelude::*;
use std::path::Path;
use std::sync::LazyLock;

/// A part of a valid document, its invalid replacement, a part of the remedy, and the replacement after following it.
type Case = (&'static str, &'static str, &'static str, &'static str);

/// Reads a document.
type Read = fn(&str) -> Result<(), Diagnostics>;

/// An invalid document, a part of the remedy, and the document after following it.
type Grown = (Read, String, &'static str, String);

/// Documents of one kind, and the sources with their errors.
struct Room {
    /// Files, and folders of files.
    sources: &'static [&'static str],
    /// Sentences in these that are not remedies, or that no text can cause.
    no_remedies: &'static [&'static str],
    /// Valid documents, and their possible errors.
    tables: &'static [(Read, &'static str, &'static [Case])],
    /// Documents that are too long to be written out.
    grown: fn() -> Vec<Grown>,
}

const ROOMS: [&Room; 21] = [
    &hardware::ROOM,
    &workload::ROOM,
    &system::ROOM,
    &pool::ROOM,
    &transformer::ROOM,
    &mapping::ROOM,
    &lesson::ROOM,
    &study::ROOM,
    &imports::ROOM,
    &stream::ROOM,
    &timeloop::ROOM,
    &accelforge::ROOM,
    &onnx::ROOM,
    &gallery::ROOM,
    &settings::ROOM,
    &stacks::ROOM,
    &allocation::ROOM,
    &attention::ROOM,
    &shards::ROOM,
    &questions::ROOM,
    &embed::ROOM,
];

fn hardware(text: &str) -> Result<(), Diagnostics> {
    Core::from_text(text).map(drop)
}

fn network(text: &str) -> Result<(), Diagnostics> {
    Network::from_text(text).map(drop)
}

fn pool(text: &str) -> Result<(), Diagnostics> {
    Pool::from_text(text).map(drop)
}

fn transformer(text: &str) -> Result<(), Diagnostics> {
    Transformer::from_text(text).map(drop)
}

fn lesson(text: &str) -> Result<(), Diagnostics> {
    Lesson::from_text(text, Draw::Student("")).map(drop)
}

fn study(text: &str) -> Result<(), Diagnostics> {
    let known = |presets, names: &[&str]| -> Vec<(String, String)> {
        let text = |name: &str| find_preset(presets, name).unwrap().text.to_owned();
        names.iter().map(|name| ((*name).to_owned(), text(name))).collect()
    };
    let mut hardware = known(hardware_presets(), &["meta-proto-like-df", "tpu-like-df", "tpu-like"]);
    hardware.push(("broken.yaml".to_owned(), "name: Broken".to_owned()));
    let networks = known(workload_presets(), &["three-convs"]);
    let systems = known(system_presets(), &["quad-beside", "stream-2ws"]);
    DesignSpace::new(StudyRequest { text: text.to_owned(), hardware, networks, systems }).map(drop)
}

fn preset(id: &str) -> &'static str {
    find_preset(hardware_presets(), id).unwrap().text
}

fn system(text: &str) -> Result<(), Diagnostics> {
    CoreSystem::from_text(text, preset("tpu-like")).map(drop)
}

/// Hardware beside a system whose core it is.
fn beside(text: &str) -> Result<(), Diagnostics> {
    let system =
        "{ name: One, cores: [{ name: core }], offchip: { width: 64 bit, read_energy: 1 pJ, write_energy: 1 pJ } }";
    CoreSystem::from_text(system, text).map(drop)
}

/// Maps layers of a network; an error unless all have a mapping.
fn map(hardware: &str, workload: &str, options: &LayerSearchOptions) -> Result<(), Diagnostics> {
    let found = match map_layers(hardware.to_owned(), workload.to_owned(), options, &Unmonitored) {
        Ok(found) => found,
        Err(CommandError::Wrong(wrong)) => return Err(wrong),
        Err(CommandError::Stopped) => panic!("nobody stops it"),
    };
    let wrong = found.layers.into_iter().filter_map(|(_, result)| result.mapped.err());
    Diagnostics(wrong.flat_map(|wrong| wrong.0).collect()).or(())
}

fn alexnet() -> &'static str {
    find_preset(workload_presets(), "alexnet-eyeriss").unwrap().text
}

fn mapping(text: &str) -> Result<(), Diagnostics> {
    map(
        preset("eyeriss-like"),
        alexnet(),
        &LayerSearchOptions { mapping: Some(text.to_owned()), ..LayerSearchOptions::default() },
    )
}

fn narrow_mapping(text: &str) -> Result<(), Diagnostics> {
    const CORE: &str = "\
name: Narrow
array: { dimensions: { D1: 4 }, mac_energy: 1 pJ }
unroll: { conv: { D1: K } }
memories:
  - { name: reg, size: 16 B, operands: [O], width: 16 bit, read_energy: 1 pJ, write_energy: 1 pJ, shared_over: [] }
  - { name: lb, size: 60 B, operands: [W, I, O], width: 64 bit, read_energy: 8 pJ, write_energy: 8 pJ, shared_over: all }
  - { name: dram, size: 1 GiB, operands: [W, I, O], width: 64 bit, read_energy: 700 pJ, write_energy: 750 pJ, shared_over: all }
";
    const NETWORK: &str = "\
name: One layer
layers:
  - { name: image, type: input, K: 8, size: 8 x 8 }
  - { name: a, type: conv, K: 16, kernel: 3 x 3, padding: 1 }
";
    map(CORE, NETWORK, &LayerSearchOptions { mapping: Some(text.to_owned()), ..LayerSearchOptions::default() })
}

fn constraints(text: &str) -> Result<(), Diagnostics> {
    let (layers, constraints) = (vec!["conv3".to_owned()], Some(text.to_owned()));
    map(preset("eyeriss-like"), alexnet(), &LayerSearchOptions { layers, constraints, ..LayerSearchOptions::default() })
}

/// Constraints on a convolution with three levels of memory. The first line may select LOMA.
fn deep_constraints(text: &str) -> Result<(), Diagnostics> {
    const CORE: &str = "\
name: Three
array: { dimensions: { P: 4 }, mac_energy: 1 pJ }
unroll: { conv: { P: K } }
memories:
  - { name: reg, size: 64 B, operands: [W, I, O], width: 8 bit, read_energy: 0.1 pJ, write_energy: 0.1 pJ, shared_over: [] }
  - { name: glb, size: 16 KiB, operands: [W, I, O], width: 64 bit, read_energy: 5 pJ, write_energy: 5 pJ, shared_over: all }
  - { name: dram, size: 1 GiB, operands: [W, I, O], width: 64 bit, read_energy: 400 pJ, write_energy: 400 pJ, shared_over: all }
";
    const NETWORK: &str = "\
name: One layer
precision: { W: 8, I: 8, O_partial: 16, O: 8 }
layers:
  - { name: image, type: input, K: 8, size: 10 x 10 }
  - { name: c, type: conv, K: 16, kernel: 3 x 3 }
";
    let strategy = LayerStrategy::Any(if text.starts_with("# loma") { Strategy::Loma } else { Strategy::Exact });
    let constraints = Some(text.to_owned());
    map(CORE, NETWORK, &LayerSearchOptions { strategy, constraints, ..LayerSearchOptions::default() })
}

/// An invalid document, and its expected error.
struct Told {
    read: Read,
    wrong: String,
    /// A part of the remedy.
    remedy: &'static str,
    /// The document after following the remedy.
    followed: String,
    said: Diagnostics,
}

/// The cases of all rooms as documents, read once for all tests.
static TOLD: LazyLock<Vec<Told>> = LazyLock::new(|| {
    let documents: Vec<Grown> = ROOMS.into_iter().flat_map(documents).collect();
    let told = |(read, wrong, remedy, followed): Grown| {
        let said = read(&wrong).err().unwrap_or_default();
        Told { read, wrong, remedy, followed, said }
    };
    documents.into_par_iter().map(told).collect()
});

/// The cases of a room as documents.
fn documents(room: &Room) -> Vec<Grown> {
    let mut all = (room.grown)();
    for &(read, base, cases) in room.tables {
        assert_eq!(read(base), Ok(()));
        all.extend(cases.iter().map(|&(right, wrong, remedy, followed)| {
            assert_eq!(base.matches(right).count(), 1, "`{right}` stands in the document once");
            (read, base.replace(right, wrong), remedy, base.replace(right, followed))
        }));
    }
    all
}

#[test]
fn a_document_is_right_once_its_remedy_is_followed() {
    let faults = TOLD.par_iter().flat_map_iter(|Told { read, wrong, remedy, followed, said }| {
        let is_said = said.0.iter().any(|one| one.remedy.contains(remedy));
        let unsaid = (!is_said).then(|| format!("`{remedy}` is not said of\n{wrong:.2000}\nbut {said}"));
        let left = read(followed).err().map(|left| format!("`{remedy}` does not mend\n{wrong:.2000}\nas {left}"));
        unsaid.into_iter().chain(left)
    });
    let faults: Vec<String> = faults.collect();
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

/// A fix that a diagnostic proposes removes the diagnostic.
#[test]
fn an_edit_that_is_proposed_cures_what_it_is_proposed_for() {
    let cured = TOLD.par_iter().map(|Told { read, wrong, said, .. }| {
        let Ok(outline) = Outline::read(wrong) else { return 0 };
        let mut edits = 0;
        for one in said.0.iter().filter(|one| one.fix.is_some()) {
            let Some(mended) = repair(&outline, one) else { continue };
            let left = read(mended.text()).err().unwrap_or_default();
            let is_cured = !left.0.iter().any(|other| (&other.path, &other.reason) == (&one.path, &one.reason));
            assert!(is_cured, "{one} is not cured in\n{}", mended.text());
            edits += 1;
        }
        edits
    });
    let edits: usize = cured.sum();
    assert!(edits > 30, "only {edits} edits are proposed");
}

#[test]
fn no_remedy_in_the_sources_is_left_out() {
    let said: Vec<&Diagnostic> = TOLD.iter().flat_map(|told| &told.said.0).collect();
    let (mut missing, mut sentences) = (Vec::new(), 0);
    for room in ROOMS {
        for source in room.sources {
            for sentence in literals::sentences(&Path::new(env!("CARGO_MANIFEST_DIR")).join(source)) {
                let is_said = |one: &&Diagnostic| {
                    [&one.reason, &one.remedy].iter().any(|text| literals::is_written_as(text, &sentence))
                };
                sentences += 1;
                if !room.no_remedies.contains(&sentence.as_str()) && !said.iter().any(is_said) {
                    missing.push(format!("{source}: {sentence}"));
                }
            }
        }
    }
    assert!(sentences > 400, "only {sentences} sentences were read");
    assert!(missing.is_empty(), "no case gets told:\n{}", missing.join("\n"));
}
