//! Forms: edits of more than one value, and fixes.

use fusescape::depth_first::FuseDepth;
use fusescape::explore::Sweep;
use fusescape::form::{
    FieldTarget, MEMORY_FIELDS, NamedItem, ReadWriteNumber, add_dimension, add_layer, add_memory, add_port,
    array_fields, branch, default_ports, duplicate_memory, layer_graph, layer_inputs, memory_boxes, merge, named_items,
    port_names, read_write_number, remove_dimension, remove_layer, remove_memory, remove_port, rename_dimension,
    rename_layer, repair, serve, set_inputs, set_layer_type, set_operand, set_port_figure, set_shared_over, split,
    stacks, state_ports, unrolled, write_field, write_unrolled,
};
use fusescape::hardware::{Core, Memory, Operand};
use fusescape::rules::Rules;
use fusescape::search::Strategy;
use fusescape::spec::edit::Outline;
use fusescape::spec::{Diagnostics, find_preset, hardware_presets, workload_presets};
use fusescape::state::{
    Action, CoresForm, FuseChoice, Half, HierarchyField, ImportedDocuments, MappingField, Renamed, State,
};
use fusescape::workload::{LayerId, LayerKind, Network};
use fusescape_test_support::sample::each_of;

fn read(text: &str) -> Outline {
    Outline::read(text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"))
}

fn hardware(id: &str) -> Outline {
    read(find_preset(hardware_presets(), id).unwrap().text)
}

fn core(document: &Outline) -> Core {
    Core::from_text(document.text()).unwrap_or_else(|wrong| panic!("{wrong}\n{}", document.text()))
}

fn network(document: &Outline) -> Network {
    Network::from_text(document.text()).unwrap_or_else(|wrong| panic!("{wrong}\n{}", document.text()))
}

/// Exactly the lines of every memory and every layer of every preset.
#[test]
fn lines_of_a_document_are_about_its_memories_and_layers() {
    for preset in hardware_presets().iter().chain(workload_presets()) {
        let lines: Vec<&str> = preset.text.lines().collect();
        let found = named_items(preset.text);
        let names: Vec<String> = match Core::from_text(preset.text) {
            Ok(_) => {
                let boxes = memory_boxes(&read(preset.text));
                boxes.into_iter().map(|one| one.name).collect()
            }
            Err(_) => layer_graph(&read(preset.text)).0.into_iter().map(|layer| layer.name).collect(),
        };
        let mut of_items: Vec<String> = Vec::new();
        for (item, range) in &found {
            let (NamedItem::Memory(name) | NamedItem::Layer(name)) = item;
            assert!(lines[range.start].trim_start().starts_with("- "), "{}: {}", preset.id, lines[range.start]);
            assert!(lines[range.clone()].iter().any(|line| line.contains(name.as_str())), "{}: {name}", preset.id);
            of_items.push(name.clone());
        }
        assert!(found.windows(2).all(|pair| pair[0].1.end <= pair[1].1.start), "{}", preset.id);
        for name in names {
            assert!(of_items.contains(&name), "{}: {name} has no lines, only {of_items:?}", preset.id);
        }
    }
    // Incomplete: no name yet, a name in quotes, a comment in between, braces.
    let text = [
        "memories:",
        "  - name: \"a b\"",
        "    size: 1",
        "",
        "  # next",
        "  - size: 2",
        "  - { name: c, size: 3 }",
        "layers:",
        "- type: conv",
        "  name: d",
    ];
    let expected = [
        (NamedItem::Memory("a b".to_owned()), 1..3),
        (NamedItem::Memory("c".to_owned()), 6..7),
        (NamedItem::Layer("d".to_owned()), 8..10),
    ];
    assert_eq!(named_items(&text.join("\n")), expected);
}

#[test]
fn an_array_dimension_is_renamed_added_and_removed_wherever_it_is_named() {
    for preset in hardware_presets() {
        let document = read(preset.text);
        let before = core(&document);
        let renamed = rename_dimension(&document, 0, "rows of PEs").unwrap();
        let after = core(&renamed);
        assert_eq!(after.array.raw[0].0, "rows of PEs");
        for kind in LayerKind::ALL {
            assert_eq!(after.unroll(kind), before.unroll(kind), "{}", preset.id);
        }
        assert_eq!(after.memories, before.memories);
        assert_eq!(rename_dimension(&renamed, 0, &before.array.raw[0].0).unwrap().text(), preset.text, "{}", preset.id);
        let added = core(&add_dimension(&document).unwrap());
        assert_eq!(added.pe_count(), before.pe_count());
        assert_eq!(added.array.len(), before.array.len() + 1);
        let fewer = remove_dimension(&document, 0).unwrap();
        if before.in_memory.is_some() {
            // Macros without columns are rejected.
            let wrong = Core::from_text(fewer.text()).unwrap_err().to_string();
            assert!(wrong.contains("array.in_memory.columns"), "{wrong}");
            continue;
        }
        let fewer = core(&fewer);
        assert_eq!(fewer.array.raw, before.array.raw[1..], "{}", preset.id);
    }
    // A name that is taken is an error at its place; references are left alone.
    let document = hardware("tpu-like");
    let clash = rename_dimension(&document, 0, "D2").unwrap();
    assert!(Core::from_text(clash.text()).is_err());
    assert_eq!(clash.text().lines().zip(document.text().lines()).filter(|(a, b)| a != b).count(), 1);
}

#[test]
fn what_is_unrolled_is_written_as_one_loop_or_several() {
    let document = hardware("eyeriss-like");
    assert_eq!(unrolled(&document, "conv", "rows").0, "FY 5, OY 2");
    assert_eq!(unrolled(&document, "conv", "planes"), (String::new(), None));
    let one = write_unrolled(&document, "conv", "rows", "K").unwrap();
    assert!(one.text().contains("  conv: { rows: K, columns: OY 13 }\n"), "{}", one.text());
    assert_eq!(write_unrolled(&one, "conv", "rows", "FY 5, OY 2").unwrap().text(), document.text());
    let none = write_unrolled(&one, "conv", "rows", "").unwrap();
    assert!(none.text().contains("  conv: { columns: OY 13 }\n"));
    assert_eq!(
        write_unrolled(&none, "conv", "rows", "FY 5, OY 2").unwrap().text(),
        document.text(),
        "in the order of the array"
    );
    let other = write_unrolled(&document, "matmul", "rows", "C 4").unwrap();
    assert!(
        other.text().contains("  add: { rows: G, columns: OY }\n  matmul: { rows: C 4 }\nmemories"),
        "{}",
        other.text()
    );
    let bare = read("name: x\narray: { dimensions: { D1: 2 }, mac_energy: 1 pJ }\nmemories: []\n");
    let first = write_unrolled(&bare, "conv", "D1", "K").unwrap();
    assert!(first.text().contains("mac_energy: 1 pJ }\nunroll: { conv: { D1: K } }\nmemories"), "{}", first.text());
}

/// The memories of a core without the registers of its vector unit, which come first.
fn own_memories(document: &Outline) -> Vec<Memory> {
    let core = core(document);
    let is_register = |id| core.vector_unit.as_ref().is_some_and(|unit| unit.is_register(id));
    core.memories.iter_enumerated().filter(|(id, _)| !is_register(*id)).map(|(_, memory)| memory.clone()).collect()
}

#[test]
fn memories_are_added_copied_moved_and_removed() {
    for preset in hardware_presets() {
        let document = read(preset.text);
        let count = own_memories(&document).len();
        for index in 0..count - 1 {
            let added = add_memory(&document, Some(index)).unwrap();
            let name = added.value(&format!("memories[{}].name", index + 1)).unwrap();
            assert_eq!(name, "memory");
            if document.value(&format!("memories[{index}].shared_over")).as_deref() == Some("all") {
                assert_eq!(own_memories(&added)[index + 1].size_bits, 64 << 13, "{}", preset.id);
            }
            assert_eq!(remove_memory(&added, index + 1).unwrap().text(), preset.text);
            let copied = duplicate_memory(&document, index).unwrap();
            let memories = own_memories(&copied);
            assert_eq!(memories.len(), count + 1);
            assert_eq!(memories[index].size_bits, memories[index + 1].size_bits);
            assert_ne!(memories[index].name, memories[index + 1].name);
            assert_eq!(remove_memory(&copied, index + 1).unwrap().text(), preset.text);
            let moved = document.shift("memories", index, index + 1).unwrap();
            assert_eq!(moved.shift("memories", index + 1, index).unwrap().text(), preset.text);
        }
    }
    let first = add_memory(&read("name: x\n"), None).unwrap();
    assert_eq!(first.value("memories[0].name").as_deref(), Some("memory"));
}

#[test]
fn widths_are_stated_once_or_for_reading_and_writing() {
    let document = hardware("tpu-like-df");
    assert_eq!(read_write_number(&document, 2, "width"), ReadWriteNumber::Common);
    let apart = split(&document, 2, "width").unwrap();
    assert_eq!(read_write_number(&apart, 2, "width"), ReadWriteNumber::Separate);
    assert_eq!(core(&apart), core(&document));
    assert_eq!(merge(&apart, 2, "width").unwrap().text(), document.text());
    assert_eq!(read_write_number(&document, 0, "granularity"), ReadWriteNumber::Unstated);
}

#[test]
fn a_memory_is_shared_over_single_dimensions() {
    let document = hardware("ascend-like-df");
    let less = set_shared_over(&document, 3, "D2", false).unwrap();
    assert!(less.text().contains("shared_over: [D1, D3, D4]"));
    assert_eq!(set_shared_over(&less, 3, "D2", true).unwrap().text(), document.text());
    let none = set_shared_over(&document, 1, "D2", false).unwrap();
    assert!(none.text().contains("    shared_over: []\n    ports:"), "{}", none.text());
}

#[test]
fn ports_follow_what_a_memory_holds() {
    let document = hardware("tpu-like-df");
    let stated = state_ports(&document, 2).unwrap();
    assert_eq!(core(&stated).memories, core(&document).memories, "the default ports, written out");
    assert_eq!(port_names(&stated, 2), default_ports(&document, 2));
    let more = set_operand(&stated, 2, Operand::W, true).unwrap();
    assert_eq!(core(&more).memories.raw[2].ports.raw[0].serves.len(), 4);
    let fewer = set_operand(&more, 2, Operand::W, false).unwrap();
    assert_eq!(fewer.text(), stated.text());
    // The single port of the DRAM loses the removed services.
    let dram = set_operand(&document, 5, Operand::W, false).unwrap();
    assert!(!dram.text().contains("W.read_to_low"), "{}", dram.text());

    let three = add_port(&stated, 2).unwrap();
    let moved = serve(&three, 2, "I.read_to_low", Some(2)).unwrap();
    let wide = set_port_figure(&moved, 2, 2, "width", "512 bit").unwrap();
    let memory = &core(&wide).memories.raw[2];
    assert_eq!((memory.ports.raw[2].serves.len(), memory.ports.raw[2].width_bits), (1, Some(512)));
    let narrow = set_port_figure(&wide, 2, 2, "width", "").unwrap();
    assert_eq!(core(&narrow).memories.raw[2].ports.raw[2].width_bits, None);
    let two = remove_port(&wide, 2, 2).unwrap();
    assert_eq!(core(&two).memories.raw[2].ports.raw[0].serves.len(), 3, "the first port serves it now: {}", two.text());
    let none = remove_port(&remove_port(&two, 2, 1).unwrap(), 2, 0).unwrap();
    assert_eq!(none.text(), document.text());
}

#[test]
fn fields_that_may_be_left_out_go_when_they_are_emptied() {
    let document = hardware("tpu-like-df");
    let wrong = write_field(&document, "memories[2].granularity", "64 bits of", true).unwrap();
    assert!(Core::from_text(wrong.text()).is_err());
    let gone = write_field(&wrong, "memories[2].granularity", "", true).unwrap();
    assert!(core(&gone).memories.raw[2].read_granularity_bits == 2048);
    assert_eq!(write_field(&gone, "memories[2].granularity", "64 bit", true).unwrap().text(), document.text());
    let empty = write_field(&document, "memories[2].size", "", false).unwrap();
    assert!(empty.text().contains("    size:\n"));
    assert_eq!(write_field(&empty, "memories[2].size", "64 KiB", false).unwrap().text(), document.text());
}

const BRANCHES: &str = "name: n
layers:
  - { name: image, type: input, K: 3, size: 32 x 32 }
  - { name: a, type: conv, K: 8, kernel: 3 x 3, padding: 1 } # the first
  - { name: b, type: conv, K: 8, kernel: 3 x 3, padding: 1 }
  - { name: c, type: conv, K: 8, kernel: 3 x 3, padding: 1 }
  - { name: sum, type: add, from: [a, c] }
  - { name: d, type: pointwise, K: 4 }
";

fn reads(network: &Network) -> Vec<(String, Vec<String>)> {
    let name = |id: LayerId| network.layer(id).name.clone();
    network.ids().map(|id| (name(id), network.inputs(id).into_iter().map(name).collect())).collect()
}

#[test]
fn layers_are_added_and_removed_between_their_neighbours() {
    let document = read(BRANCHES);
    let added = add_layer(&document, 1, Some(8)).unwrap();
    let of = |document: &Outline, layer: &str| {
        reads(&network(document)).into_iter().find(|(name, _)| name == layer).unwrap().1
    };
    assert_eq!(of(&added, "conv1"), ["a"]);
    assert_eq!(of(&added, "b"), ["conv1"]);
    assert_eq!(of(&added, "sum"), ["conv1", "c"]);
    assert_eq!(remove_layer(&added, 2).unwrap().text(), BRANCHES);
    let without = remove_layer(&document, 1).unwrap();
    assert!(Network::from_text(without.text()).is_err_and(|wrong| wrong.0.len() == 1), "sizes differ, links do not");
    assert_eq!(layer_inputs(&without, 1), ["image"]);
    assert_eq!(layer_inputs(&without, 3), ["image", "c"]);
    assert_eq!(of(&remove_layer(&document, 4).unwrap(), "d"), ["a"], "what it read first");
    assert_eq!(of(&remove_layer(&document, 3).unwrap(), "sum"), ["a", "b"]);

    let branched = branch(&document, 2).unwrap();
    assert_eq!(of(&branched, "b_b"), ["a"]);
    assert_eq!(of(&branched, "b_add"), ["b", "b_b"]);
    assert_eq!(of(&branched, "c"), ["b_add"]);
    assert!(branched.text().contains("{ name: b_add, type: add, from: [b, b_b] }"), "{}", branched.text());
    let last = branch(&document, 5).unwrap();
    assert_eq!(of(&last, "d_add"), ["d", "d_b"]);
    for preset in each_of(workload_presets().iter().collect(), 4) {
        let document = read(preset.text);
        for layer in 1..document.len("layers") {
            assert!(
                remove_layer(&add_layer(&document, layer, None).unwrap(), layer + 1).unwrap().text() == preset.text
            );
            network(&branch(&document, layer).unwrap());
        }
    }
}

#[test]
fn a_precision_of_its_own_comes_and_goes() {
    let document = read(BRANCHES);
    let own = write_field(&document, "layers[1].precision.O_partial", "32", true).unwrap();
    assert!(own.text().contains("padding: 1, precision: { O_partial: 32 } } # the first"), "{}", own.text());
    let two = write_field(&own, "layers[1].precision.W", "4", true).unwrap();
    assert!(two.text().contains("precision: { W: 4, O_partial: 32 } }") || two.text().contains("O_partial: 32, W: 4"));
    let one = write_field(&two, "layers[1].precision.O_partial", "", true).unwrap();
    assert_eq!(write_field(&one, "layers[1].precision.W", "", true).unwrap().text(), BRANCHES);
}

#[test]
fn stacks_are_cut_between_layers() {
    let network = Network::from_text(find_preset(workload_presets(), "fsrcnn").unwrap().text).unwrap();
    let core = Core::from_text(find_preset(hardware_presets(), "meta-proto-like-df").unwrap().text).unwrap();
    let cut = |cuts: &str| {
        let names = cuts.split(", ").map(str::to_owned).collect();
        stacks(&network, &core, &FuseDepth::Cuts(names), &Rules::CORRECTED)
    };
    let whole = stacks(&network, &core, &FuseDepth::Automatic, &Rules::CORRECTED);
    assert_eq!(whole.ends, ["upscale"]);
    let two = whole.toggled(&network, "map2");
    assert_eq!(two, "map2");
    assert_eq!(cut(&two).layers.iter().map(Vec::len).collect::<Vec<_>>(), [4, 4]);
    let three = cut(&two).toggled(&network, "extract");
    assert_eq!(three, "extract, map2", "in the order of the network");
    assert_eq!(cut(&three).toggled(&network, "map2"), "extract");
    let none = cut(&two).toggled(&network, "map2");
    assert_eq!(none, "upscale", "a list must not be empty");
    assert_eq!(cut(&none), whole);
    let wrong = cut("nowhere");
    assert!(!wrong.wrong.is_empty());
    assert_eq!(wrong.toggled(&network, "map1"), "map1", "what cannot be meant goes");
}

#[test]
fn stacks_are_cut_after_layers_of_any_name() {
    let text = find_preset(workload_presets(), "fsrcnn").unwrap().text;
    let text = text
        .replace("name: map2,", "name: \"map 2, \\\"the\\\" second\",")
        .replace("name: extract,", "name: Conv_1/a;b,");
    let network = Network::from_text(&text).unwrap();
    let core = Core::from_text(find_preset(hardware_presets(), "meta-proto-like-df").unwrap().text).unwrap();
    let first = stacks(&network, &core, &FuseDepth::Automatic, &Rules::CORRECTED);
    let names = ["map 2, \"the\" second", "Conv_1/a;b"];
    let mut state = State::first();
    state.apply(Action::Import(ImportedDocuments { workload: Some(text), ..ImportedDocuments::default() }));
    state.apply(Action::EndStacksAfter(first.toggled(&network, names[0])));
    let fuse = |state: &State| state.design.schedule.fuse_depth(&mut Diagnostics::default());
    let two = stacks(&network, &core, &fuse(&state), &Rules::CORRECTED);
    assert_eq!(two.ends, [names[0], "upscale"]);
    state.apply(Action::EndStacksAfter(two.toggled(&network, names[1])));
    assert_eq!(fuse(&state), FuseDepth::Cuts(vec![names[1].to_owned(), names[0].to_owned()]));
    let renamed =
        Renamed { text: state.design.workload.text.clone(), old: names[1].to_owned(), new: "a, b".to_owned() };
    state.apply(Action::Rename(Half::Workload, renamed));
    assert_eq!(state.design.schedule.cuts, "\"a, b\", \"map 2, \"\"the\"\" second\"");
}

#[test]
fn what_was_chosen_for_layers_goes_with_the_network() {
    let mut state = State::first();
    state.apply(Action::EndStacksAfter("map2".to_owned()));
    state.apply(Action::Mapping(MappingField::Layer(Some("map2".to_owned()))));
    state.apply(Action::Hierarchy(HierarchyField::Layer(Some("map2".to_owned()))));
    let before = state.clone();
    let chosen =
        |state: &State| (state.design.schedule.fuse, state.mapping.layer.clone(), state.hierarchy.layer.clone());
    // A network with such a layer, and an edit of the text, which may be incomplete.
    state.apply(Action::preset(Half::Workload, "fsrcnn").unwrap());
    assert_eq!(chosen(&state), chosen(&before));
    state.apply(Action::Write(Half::Workload, find_preset(workload_presets(), "resnet18").unwrap().text.to_owned()));
    assert_eq!(chosen(&state), chosen(&before));
    state.apply(Action::preset(Half::Workload, "mobilenet-v1").unwrap());
    assert_eq!(chosen(&state), (FuseChoice::Automatic, None, None));
    assert_eq!(state.design.schedule.cuts, "map2", "to come back to");
    assert!(state.design.request().is_ok_and(|requests| Sweep::new(&requests[0]).is_ok()));

    // The same for swapping two designs, each of which keeps its own cuts.
    let mut state = before.clone();
    state.apply(Action::Pin);
    state.apply(Action::preset(Half::Workload, "mobilenet-v1").unwrap());
    state.apply(Action::Mapping(MappingField::Layer(Some("conv1".to_owned()))));
    state.apply(Action::Swap);
    assert_eq!(chosen(&state), (FuseChoice::ByHand, None, None));
}

#[test]
fn what_is_wrong_with_the_rows_of_a_tile_is_said_in_words() {
    for (rows, reason) in [
        ("", "The rows of a tile are missing"),
        ("  ", "The rows of a tile are missing"),
        ("0", "`0` is not a number of rows"),
        ("-1", "`-1` is not a number of rows"),
        ("two", "`two` is not a number of rows"),
        ("99999999999999999999", "`99999999999999999999` rows are too many"),
    ] {
        let granularity = fusescape::state::TileChoice::Rows;
        let form = CoresForm { granularity, rows: rows.to_owned(), ..CoresForm::default() };
        let wrong = form.request("", "", (Strategy::Exact, 6), Rules::default()).unwrap_err();
        assert_eq!(wrong.to_string(), format!("settings.rows: {reason}. Write a whole number from 1 on."));
    }
}

#[test]
fn a_layer_is_renamed_for_its_readers_too() {
    let document = read(BRANCHES);
    let renamed = rename_layer(&document, 1, "first, of all").unwrap();
    assert_eq!(reads(&network(&renamed)).iter().find(|(name, _)| name == "sum").unwrap().1, ["first, of all", "c"]);
    assert_eq!(rename_layer(&renamed, 1, "a").unwrap().text(), BRANCHES);
    let clash = rename_layer(&document, 1, "b").unwrap();
    assert!(Network::from_text(clash.text()).is_err());
    assert!(clash.text().contains("from: [a, c]"));
}

#[test]
fn another_type_takes_the_fields_that_it_has() {
    let document = read(BRANCHES);
    for kind in LayerKind::ALL
        .into_iter()
        .filter(|kind| !matches!(kind, LayerKind::Input | LayerKind::View) && !kind.reads_two_maps())
    {
        let changed = set_layer_type(&document, 2, kind.name(), Some(8)).unwrap();
        let read_back = Network::from_text(changed.text());
        let wrong: Vec<String> =
            read_back.err().map(|wrong| wrong.0.into_iter().map(|wrong| wrong.path).collect()).unwrap_or_default();
        // Its neighbours may get another size, but it does not.
        assert!(
            !wrong.iter().any(|path| path.starts_with("layers[2]")),
            "{}: {wrong:?}\n{}",
            kind.name(),
            changed.text()
        );
    }
    let pointwise = set_layer_type(&document, 2, "pointwise", None).unwrap();
    assert!(pointwise.text().contains("{ name: b, type: pointwise, K: 8 }"), "{}", pointwise.text());
    let conv = set_layer_type(&document, 5, "conv", None).unwrap();
    assert!(conv.text().contains("{ name: d, type: conv, K: 4, kernel: 3 x 3, padding: same }"), "{}", conv.text());
    let one = set_layer_type(&document, 4, "pooling", None).unwrap();
    assert!(
        one.text().contains("{ name: sum, type: pooling, from: a, kernel: 3 x 3, padding: same }"),
        "{}",
        one.text()
    );
    let two = set_inputs(&one, 4, &["a".into(), "c".into()]).unwrap();
    assert!(two.text().contains("from: [a, c]"));
    let sides = write_field(&document, "layers[1].padding", "{ left: 0, right: 2 }", true).unwrap();
    assert_eq!(sides.value("layers[1].padding").as_deref(), Some("{ left: 0, right: 2 }"));
    assert!(write_field(&sides, "layers[1].padding", "{ left: 0, ri", true).is_some(), "half typed");
}

#[test]
fn a_mistake_with_one_remedy_is_repaired_in_one_step() {
    let tpu = find_preset(hardware_presets(), "tpu-like-df").unwrap().text;
    let fsrcnn = find_preset(workload_presets(), "fsrcnn").unwrap().text;
    let cases = [
        (tpu, "size: 64 KiB", "size: 64 KB", "Use `KiB`"),
        (tpu, "size: 64 KiB", "size: 512 Kb", "Write `64 KiB`"),
        (tpu, "granularity: 64 bit", "granularty: 64 bit", "Did you mean `granularity`?"),
        (tpu, "r_port_1: [O.read_to_low]", "r_port_1: [O.read_to_lo]", "Did you mean `O.read_to_low`?"),
        (tpu, "  depthwise: {", "  depthwize: {", "Did you mean `depthwise`?"),
        (fsrcnn, "type: pointwise", "type: pointwize", "Did you mean `pointwise`?"),
        (
            fsrcnn,
            "K: 12, kernel: 3 x 3, padding: 1 }\n  - { name: expand, type: pointwise",
            "K: 12, kernel: 3 x 3, padding: 1 }\n  - { name: expand, type: pointwise, stride: 2",
            "use `type: conv`",
        ),
        (fsrcnn, "name: map2, type: conv", "name: map2, type: conv, from: map_1", "Did you mean `map1`?"),
    ];
    for (text, right, wrong, remedy) in cases {
        assert!(text.contains(right), "{right}");
        let document = read(&text.replacen(right, wrong, 1));
        let found = Core::from_text(document.text()).err().filter(|_| text == tpu);
        let found = found.or_else(|| Network::from_text(document.text()).err()).unwrap();
        let diagnostic = found.0.iter().find(|one| one.remedy.contains(remedy)).unwrap_or_else(|| panic!("{found}"));
        let repaired = repair(&document, diagnostic).unwrap_or_else(|| panic!("{found}"));
        assert!(repaired.text() == text || wrong.contains("map_1"), "{}", repaired.text());
        assert!(Core::from_text(repaired.text()).is_ok() || Network::from_text(repaired.text()).is_ok());
    }
}

#[test]
fn what_every_field_shows_can_be_written_in_it() {
    for preset in hardware_presets() {
        let document = read(preset.text);
        let mut places = vec![FieldTarget::value("name"), FieldTarget::optional("dataflow")];
        let needed = array_fields(&document).filter(|field| !field.is_optional);
        places.extend(needed.map(|field| FieldTarget::value(format!("array.{}", field.name))));
        let dimensions = document.keys("array.dimensions");
        for (index, name) in dimensions.iter().enumerate() {
            places.push(FieldTarget::Dimension(index));
            places.push(FieldTarget::value(format!("array.dimensions[{index}]")));
            places.extend(LayerKind::ALL[1..].iter().map(|kind| FieldTarget::Unrolled(kind.name(), name.clone())));
        }
        for index in 0..document.len("memories") {
            places.push(FieldTarget::Memory(index));
            let fields = MEMORY_FIELDS.iter().map(|field| format!("memories[{index}].{}", field.name));
            places.extend(fields.map(FieldTarget::optional));
            for port in 0..document.len(&format!("memories[{index}].ports")) {
                places.extend([FieldTarget::Port(index, port), FieldTarget::PortFigure(index, port, "width")]);
            }
        }
        for place in places {
            let shown = place.read(&document);
            assert_eq!(place.write(&document, &shown).unwrap().text(), preset.text, "{}: {place:?}", preset.id);
            let wrong = place.write(&document, "what, is: this").unwrap();
            assert!(place.read(&wrong) == "what, is: this", "{}: {place:?}", preset.id);
            // Besides the line of the field, only lines that refer to it change.
            let before: Vec<&str> = preset.text.lines().collect();
            let changed = wrong.text().lines().filter(|line| !before.contains(line)).count();
            assert!(changed <= 1 || place.is_name(), "{}: {place:?}", preset.id);
        }
    }
}

#[test]
fn the_drawn_hierarchy_stands_in_rows() {
    for preset in hardware_presets() {
        let document = read(preset.text);
        let boxes = memory_boxes(&document);
        let memories = own_memories(&document);
        assert_eq!(boxes.len(), memories.len());
        for (drawn, memory) in boxes.iter().zip(&memories) {
            assert_eq!((drawn.size_bits, drawn.instances), (memory.size_bits, memory.instances), "{}", memory.name);
            for higher in &boxes[drawn.index + 1..] {
                if drawn.operands.iter().any(|operand| higher.operands.contains(operand)) {
                    assert!(higher.row < drawn.row, "{}: {} over {}", preset.id, higher.name, drawn.name);
                }
                let apart =
                    higher.row != drawn.row || higher.columns.0 > drawn.columns.1 || drawn.columns.0 > higher.columns.1;
                assert!(apart, "{}: {} and {}", preset.id, higher.name, drawn.name);
            }
        }
    }
    let broken = read("memories:\n  - { name: a, operands: [Q] }\n  - { size: 8 KB, operands: I }\n  - oops\n");
    assert_eq!(memory_boxes(&broken).len(), 3, "whatever it says");
}

#[test]
fn a_new_name_is_taken_over_by_the_schedule() {
    let mut state = State::first();
    state.apply(Action::EndStacksAfter("map1, map2;map3".into()));
    let document = read(&state.design.workload.text);
    let index = (0..9).find(|index| document.value(&format!("layers[{index}].name")).as_deref() == Some("map2"));
    let Some(index) = index else { panic!("no map2:\n{}", document.text()) };
    let text = rename_layer(&document, index, "middle").unwrap().into_text();
    state.apply(Action::Rename(Half::Workload, Renamed { text, old: "map2".into(), new: "middle".into() }));
    assert_eq!(state.design.schedule.cuts, "map1, middle;map3");
    assert_eq!(state.design.schedule.fuse, FuseChoice::ByHand);
}
