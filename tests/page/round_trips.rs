//! Random documents: reading back a written document gives the same, also after edits by forms.

use fusescape::form::{
    ARRAY_FIELDS, FieldTarget, MEMORY_FIELDS, add_dimension, add_layer, add_memory, add_port, branch, duplicate_memory,
    layer_field_list, merge, remove_dimension, remove_layer, remove_memory, remove_port, serve, set_inputs,
    set_layer_type, set_operand, set_shared_over, split, state_ports,
};
use fusescape::hardware::{Core, Operand};
use fusescape::link::{from_link, to_link};
use fusescape::spec::edit::Outline;
use fusescape::spec::{
    ArraySpec, DensitySpec, Diagnostic, Diagnostics, DoubleBuffering, EstimateSpec, HardwareSpec, InMemorySpec,
    KernelSpec, LayerSpec, MacEnergySpec, MapAxis, MemorySpec, OperationSpec, PaddingSpec, PortSpec, PrecisionSpec,
    UnrollSpec, VectorUnitSpec, ViewSpec, WorkloadSpec, hardware_presets, read_hardware, read_workload,
    workload_presets, write_hardware, write_workload,
};
use fusescape::state::{Action, Half, State};
use fusescape::workload::{LayerKind, Network};
use fusescape_test_support::random::Lcg;
use fusescape_test_support::sample::sample_or_all;
use std::collections::BTreeSet;

/// Texts with a meaning in YAML, or with the appearance of one.
const WORDS: [&str; 24] = [
    "lb",
    "a b",
    "x: y",
    "ü#1",
    "\"q\"",
    "- dash",
    "null",
    "1",
    "[",
    "a,b",
    "#",
    "true",
    "~",
    "'",
    "it's",
    "{}",
    "&a",
    "*a",
    "?",
    "|",
    ">-",
    "a #b",
    "☂\u{feff}☂",
    "no-break\u{a0}space",
];

fn word(random: &mut Lcg) -> String {
    random.of(&WORDS).to_owned()
}

/// Different names.
fn names(random: &mut Lcg, most: u64) -> Vec<String> {
    let mut names: Vec<String> = (0..random.below(most + 1)).map(|_| word(random)).collect();
    names.sort();
    names.dedup();
    names
}

/// Words on one or more lines.
fn prose(random: &mut Lcg) -> String {
    let words: Vec<String> =
        (0..random.below(40)).map(|_| word(random) + random.of(&["", " ", " ", "\n", "  "])).collect();
    words.concat().trim().to_owned()
}

/// A number of any size, at least 1.
fn count(random: &mut Lcg) -> u64 {
    let bound = random.of(&[4, 100, 1 << 13, 1 << 31]);
    1 + random.below(bound) * random.of(&[1, 8, 8192])
}

fn figure(random: &mut Lcg) -> f64 {
    random.of(&[0.0, 0.04, 1e-9, 26.56, 1.0 / 3.0, 123_456_789.125]) * count(random) as f64
}

fn maybe<T>(random: &mut Lcg, value: impl FnOnce(&mut Lcg) -> T) -> Option<T> {
    (random.below(2) > 0).then(|| value(random))
}

fn unrolls(random: &mut Lcg, kinds: &[&str]) -> Vec<(String, Vec<UnrollSpec>)> {
    let mut unrolls = Vec::new();
    for kind in kinds {
        if random.below(2) == 0 {
            continue;
        }
        let mut all = Vec::new();
        for array_dimension in names(random, 3) {
            for _ in 0..=random.below(2) {
                let loop_dimension = random.of(&["K", "OX", "FY", "nonsense", "[", "1"]).to_owned();
                let limit = maybe(random, count);
                all.push(UnrollSpec { array_dimension: array_dimension.clone(), loop_dimension, limit });
            }
        }
        unrolls.push(((*kind).to_owned(), all));
    }
    unrolls
}

fn random_memory(random: &mut Lcg, dimensions: &[(String, u64)]) -> MemorySpec {
    let port = |name: String, random: &mut Lcg| PortSpec {
        name,
        serves: (0..random.below(3))
            .map(|_| random.of(&["I.read_to_low", "O.write_from_low", "x, y"]).to_owned())
            .collect(),
        width_bits: maybe(random, count),
        granularity_bits: maybe(random, count),
    };
    let all = dimensions.iter().map(|(name, _)| name.clone()).collect();
    let (widths, granularities) = ((count(random), count(random)), (count(random), count(random)));
    let is_one = random.below(2) > 0;
    let estimate = maybe(random, |random| EstimateSpec {
        estimator: word(random),
        read_energy: random.below(2) > 0,
        write_energy: random.below(2) > 0,
    });
    let energy = |is_left: bool, random: &mut Lcg| if is_left { 0.0 } else { figure(random) };
    MemorySpec {
        name: word(random),
        size_bits: count(random),
        operands: (0..random.below(4)).map(|_| random.of(&["W", "I", "O", "Q"]).to_owned()).collect(),
        read_width_bits: widths.0,
        write_width_bits: if is_one { widths.0 } else { widths.1 },
        read_granularity_bits: granularities.0,
        write_granularity_bits: if is_one { granularities.0 } else { granularities.1 },
        read_energy_pj: energy(estimate.as_ref().is_some_and(|estimate| estimate.read_energy), random),
        write_energy_pj: energy(estimate.as_ref().is_some_and(|estimate| estimate.write_energy), random),
        area_um2: maybe(random, figure),
        estimate,
        shared_over: if is_one { all } else { names(random, 2) },
        ports: names(random, 3).into_iter().map(|name| port(name, random)).collect(),
        latency_cycles: random.below(3),
        burst_bits: maybe(random, count),
        double_buffered: random
            .of(&[DoubleBuffering::WhereItFits, DoubleBuffering::Always, DoubleBuffering::Never])
            .to_owned(),
        leakage_mw: figure(random),
        source: prose(random),
    }
}

fn random_vector_unit(random: &mut Lcg) -> VectorUnitSpec {
    let lanes = count(random);
    let operation = |name: String, random: &mut Lcg| OperationSpec {
        name,
        energy_pj: maybe(random, figure),
        cycles: maybe(random, count),
    };
    VectorUnitSpec {
        lanes,
        memory: word(random),
        registers: (0..random.below(3)).map(|_| random_memory(random, &[("lanes".to_owned(), lanes)])).collect(),
        operations: names(random, 3).into_iter().map(|name| operation(name, random)).collect(),
        source: prose(random),
    }
}

fn random_in_memory(random: &mut Lcg) -> InMemorySpec {
    InMemorySpec {
        kind: random.of(&["analog", "digital", "neither: of them"]).to_owned(),
        columns: word(random),
        rows: word(random),
        precision: bits(random),
        input_bits: count(random),
        adc_bits: maybe(random, count),
    }
}

fn random_hardware(random: &mut Lcg) -> HardwareSpec {
    let dimensions: Vec<(String, u64)> = names(random, 4).into_iter().map(|name| (name, count(random))).collect();
    let memories = (0..random.below(5)).map(|_| random_memory(random, &dimensions)).collect();
    let vector_unit = maybe(random, random_vector_unit);
    let in_memory = (random.below(4) == 0).then(|| random_in_memory(random));
    // The cost of an operation then follows.
    let states = in_memory.is_none();
    HardwareSpec {
        name: word(random),
        about: prose(random),
        clock_mhz: maybe(random, |random| 0.5 + figure(random)),
        array: ArraySpec {
            systolic: if random.below(3) > 0 {
                Vec::new()
            } else {
                dimensions.iter().map(|(name, _)| name.clone()).take(2).collect()
            },
            dimensions,
            mac_energy_pj: if states { figure(random) } else { 0.0 },
            mac_precision: maybe(random, bits).filter(|_| states),
            mac_energies: if states { mac_energies(random) } else { Vec::new() },
            pe_area_um2: maybe(random, figure).filter(|_| states),
            leakage_mw: figure(random),
            in_memory,
            source: prose(random),
        },
        dataflow: random.of(&["", "eyeriss", "a: b"]).to_owned(),
        unroll: unrolls(random, &["conv", "add", "strange: kind"]),
        memories,
        vector_unit,
    }
}

fn bits(random: &mut Lcg) -> (u64, u64) {
    (1 + random.below(16), 1 + random.below(16))
}

/// Each precision once.
fn mac_energies(random: &mut Lcg) -> Vec<MacEnergySpec> {
    let widths: BTreeSet<(u64, u64)> = (0..random.below(3)).map(|_| bits(random)).collect();
    widths.into_iter().map(|precision| MacEnergySpec { precision, energy_pj: figure(random) }).collect()
}

fn random_precision(random: &mut Lcg) -> PrecisionSpec {
    let mut bits = || maybe(random, |random| 1 + random.below(40));
    PrecisionSpec { w: bits(), i: bits(), o_partial: bits(), o: bits() }
}

fn random_density(random: &mut Lcg) -> DensitySpec {
    let mut share = || maybe(random, |random| (1 + random.below(16)) as f64 / 16.0);
    DensitySpec { w: share(), i: share(), o: share() }
}

fn random_layer(random: &mut Lcg) -> LayerSpec {
    let kind = random.of(&LayerKind::ALL).name();
    let has = |field: &str| fusescape::spec::layer_fields(kind).contains(&field);
    let pair = |random: &mut Lcg| (count(random), count(random));
    let mut layer = LayerSpec { name: word(random), kind: kind.to_owned(), ..LayerSpec::default() };
    layer.channels = maybe(random, count).filter(|_| has("K"));
    layer.size = maybe(random, pair).filter(|_| has("size"));
    layer.groups = maybe(random, count).filter(|_| has("groups"));
    layer.stride = maybe(random, pair).filter(|_| has("stride"));
    layer.dilation = maybe(random, pair).filter(|_| has("dilation"));
    layer.input_counted = maybe(random, pair).filter(|_| has("input_counted"));
    layer.crop = has("crop") && random.below(2) > 0;
    if has("kernel") {
        let (columns, rows) = pair(random);
        layer.kernel = random.of(&[KernelSpec::Global, KernelSpec::Size(columns, rows)]);
    }
    if has("padding") {
        let sides = PaddingSpec::Sides(random.below(3), random.below(3), random.below(3), random.below(3));
        layer.padding = random.of(&[PaddingSpec::None, PaddingSpec::Same, sides, PaddingSpec::Sides(1, 1, 2, 2)]);
    }
    if has("join") {
        let (first, columns) = (count(random), pair(random));
        let ranges = [Some((first, first + 1)), None, Some((0, 1 + first))];
        let [join, part] = [ViewSpec::Join(random.of(&MapAxis::ALL)), ViewSpec::Part(ranges)];
        let [scale, blocks] = [ViewSpec::Scale, ViewSpec::Blocks].map(|shows| shows(columns.0, columns.1));
        layer.shows = random.of(&[None, Some(join), Some(part), Some(scale), Some(blocks)]);
        if layer.shows.is_some() {
            layer.padding = PaddingSpec::None;
        }
    }
    if has("operations") && random.below(2) > 0 {
        let names = random.of(&[&["add"][..], &["max", "exp"], &["divide", "nonsense"]]);
        layer.operations = names.iter().map(|name| ((*name).to_owned(), random.below(3000))).collect();
    }
    if kind != "input" {
        layer.from = names(random, 3);
    }
    if !matches!(kind, "input" | "view") {
        layer.unroll = unrolls(random, &["eyeriss", "1"]);
        layer.loop_order = random.of(&[&[][..], &["FX", "K"], &["D"]]).iter().map(|name| (*name).to_owned()).collect();
    }
    layer.precision = random_precision(random);
    layer.density = random_density(random);
    layer
}

fn random_workload(random: &mut Lcg) -> WorkloadSpec {
    WorkloadSpec {
        name: word(random),
        about: prose(random),
        batch: count(random),
        precision: random_precision(random),
        density: random_density(random),
        layers: (0..random.below(6)).map(|_| random_layer(random)).collect(),
    }
}

/// Errors with their places, unordered: only documents that were read from text have lines.
fn reasons(wrong: Diagnostics) -> Vec<String> {
    // A value stated once for reading and writing has one error.
    let is_said_of_reading = |one: &&Diagnostic| !one.path.contains(".write_");
    let reason = |one: &Diagnostic| format!("{}: {}\n", one.path.replace(".read_", "."), one.reason);
    let mut reasons: Vec<String> = wrong.0.iter().filter(is_said_of_reading).map(reason).collect();
    reasons.sort();
    reasons
}

/// Writing and reading back is the identity, and both build the same, or have errors at the same places.
fn hardware_survives(spec: &HardwareSpec) {
    let text = write_hardware(spec);
    assert_eq!(read_hardware(&text).both(), (spec.clone(), Diagnostics::default()), "{text}");
    assert_eq!(Core::from_text(&text).map_err(reasons), Core::new(spec).map_err(reasons), "{text}");
}

fn workload_survives(spec: &WorkloadSpec) {
    let text = write_workload(spec);
    assert_eq!(read_workload(&text).both(), (spec.clone(), Diagnostics::default()), "{text}");
    let said = |network: Result<Network, Diagnostics>| match network {
        Ok(network) => format!("{network:?}"),
        Err(wrong) => reasons(wrong).concat(),
    };
    assert_eq!(said(Network::from_text(&text)), said(Network::new(spec)), "{text}");
}

/// A link with it opens unchanged.
fn link_survives(half: Half, text: &str) {
    let mut state = State::first();
    state.apply(Action::Write(half, text.to_owned()));
    let back = from_link(&to_link(&state)).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    assert_eq!(back.design.document(half).text, text);
}

#[test]
fn hardware_by_chance_is_read_as_it_was_written() {
    for seed in 0..sample_or_all(80, 400) {
        let spec = random_hardware(&mut Lcg(seed));
        hardware_survives(&spec);
        link_survives(Half::Hardware, &write_hardware(&spec));
    }
}

#[test]
fn networks_by_chance_are_read_as_they_were_written() {
    for seed in 0..400 {
        let spec = random_workload(&mut Lcg(seed));
        workload_survives(&spec);
        link_survives(Half::Workload, &write_workload(&spec));
    }
}

/// Input that a person might type into a field.
const TYPED: [&str; 20] = [
    "",
    "1",
    "12",
    "3 x 3",
    "64 KiB",
    "8 bit",
    "0.5 pJ",
    "4740 um2",
    "same",
    "global",
    "2 cycles",
    "K",
    "FY 5, OY 2",
    "true",
    "lb",
    "a: b",
    "[",
    "#",
    "naïve, a b",
    "- x",
];

/// A random edit by a form; `None` if it cannot be made in place, in which case nothing changes.
fn hardware_edit(random: &mut Lcg, document: &Outline) -> Option<Outline> {
    let index = |random: &mut Lcg, path: &str| random.below(document.len(path).max(1) as u64) as usize;
    let memory = index(random, "memories");
    let (dimension, port) = (index(random, "array.dimensions"), index(random, &format!("memories[{memory}].ports")));
    let (typed, on) = (random.of(&TYPED), random.below(2) > 0);
    let operand = random.of(&Operand::ALL);
    let dimensions = document.keys("array.dimensions");
    let name = dimensions.get(dimension).map_or("D1", String::as_str);
    match random.below(24) {
        0 => add_memory(document, Some(memory)),
        1 => duplicate_memory(document, memory),
        2 if document.len("memories") > 1 => remove_memory(document, memory),
        3 => document.shift("memories", memory, index(random, "memories")),
        4 => add_dimension(document),
        5 if dimensions.len() > 1 => remove_dimension(document, dimension),
        6 => set_operand(document, memory, operand, on),
        7 => set_shared_over(document, memory, name, on),
        8 => state_ports(document, memory),
        9 => add_port(document, memory),
        10 => remove_port(document, memory, port),
        11 => serve(document, memory, &format!("{operand}.read_to_low"), Some(port)),
        12 => split(document, memory, random.of(&["width", "granularity"])),
        13 => merge(document, memory, random.of(&["width", "granularity"])),
        14 => FieldTarget::Dimension(dimension).write(document, typed),
        15 => FieldTarget::Memory(memory).write(document, typed),
        16 => FieldTarget::Port(memory, port).write(document, typed),
        17 => FieldTarget::PortFigure(memory, port, "width").write(document, typed),
        18 => FieldTarget::Unrolled(random.of(&["conv", "add"]), name.to_owned()).write(document, typed),
        19 => FieldTarget::Note(format!("memories[{memory}].size")).write(document, typed),
        20 => {
            let field = random.of(&ARRAY_FIELDS);
            FieldTarget::Value { path: format!("array.{}", field.name), is_optional: field.is_optional }
                .write(document, typed)
        }
        21 => FieldTarget::value(format!("array.dimensions[{dimension}]")).write(document, typed),
        _ => {
            let field = random.of(&MEMORY_FIELDS);
            let path = format!("memories[{memory}].{}", field.name);
            FieldTarget::Value { path, is_optional: field.is_optional }.write(document, typed)
        }
    }
}

fn workload_edit(random: &mut Lcg, document: &Outline) -> Option<Outline> {
    let layer = random.below(document.len("layers").max(1) as u64) as usize;
    let (typed, kind) = (random.of(&TYPED), random.of(&LayerKind::ALL).name());
    let other = document.value(&format!("layers[{}].name", random.below(document.len("layers").max(1) as u64)));
    match random.below(9) {
        0 => add_layer(document, layer, Some(8)),
        1 => remove_layer(document, layer),
        2 => branch(document, layer),
        3 => set_layer_type(document, layer, kind, None),
        4 => set_inputs(document, layer, &[other?]),
        5 => FieldTarget::Layer(layer).write(document, typed),
        6 => FieldTarget::Note(format!("layers[{layer}].K")).write(document, typed),
        7 => FieldTarget::optional(format!("layers[{layer}].precision.{}", random.of(&["W", "I", "O"])))
            .write(document, typed),
        _ => {
            let kind = document.value(&format!("layers[{layer}].type")).unwrap_or_default();
            let fields = layer_field_list(&kind);
            let field = fields[random.below(fields.len() as u64) as usize];
            FieldTarget::Value { path: format!("layers[{layer}].{}", field.name), is_optional: field.is_optional }
                .write(document, typed)
        }
    }
}

/// Random edits by forms, one after another, of every document; `check` sees each.
fn edited(
    texts: impl Iterator<Item = &'static str>,
    edit: fn(&mut Lcg, &Outline) -> Option<Outline>,
    mut check: impl FnMut(&str),
) {
    for (seed, text) in texts.enumerate() {
        let mut random = Lcg(seed as u64);
        let (mut document, mut done) = (Outline::read(text).unwrap(), 0);
        for _ in 0..60 {
            let Some(next) = edit(&mut random, &document) else { continue };
            // A document with errors is dropped soon, as further edits build on it.
            check(next.text());
            done += 1;
            document = next;
        }
        assert!(done > 20, "{done} edits of\n{text}");
        link_survives(random.of(&[Half::Hardware, Half::Workload]), document.text());
    }
}

#[test]
fn hardware_that_was_edited_by_form_is_read_as_it_was_written() {
    let mut valid = 0;
    edited(hardware_presets().iter().map(|preset| preset.text), hardware_edit, |text| {
        let (spec, wrong) = read_hardware(text).both();
        if wrong.is_empty() {
            valid += 1;
            hardware_survives(&spec);
        }
    });
    assert!(valid > 40, "{valid} documents without errors");
}

#[test]
fn networks_that_were_edited_by_form_are_read_as_they_were_written() {
    let mut valid = 0;
    edited(workload_presets().iter().map(|preset| preset.text), workload_edit, |text| {
        let (spec, wrong) = read_workload(text).both();
        if wrong.is_empty() {
            valid += 1;
            workload_survives(&spec);
        }
    });
    assert!(valid > 40, "{valid} documents without errors");
}
