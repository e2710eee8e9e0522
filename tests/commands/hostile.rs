//! Hostile names, files and numbers: none of them does harm, and every refusal has a reason.

use fusescape_engine::explore::TemporalMapping;
use fusescape_engine::hardware::Core;
use fusescape_engine::pool::Pool;
use fusescape_engine::system::CoreSystem;
use fusescape_engine::workload::Network;
use fusescape_import::{self as import, Imported};
use fusescape_link::{from_link, to_draft, to_link};
use fusescape_spec::{
    Diagnostics, Preset, find_preset, hardware_presets, is_hidden, is_hidden_in_lines, pool_presets, system_presets,
    workload_presets,
};
use fusescape_state::{Action, MappingField, State};
use fusescape_test_support::onnx::Graph;
use std::path::PathBuf;
use std::process::Output;

fn fusescape(arguments: &[&str]) -> Output {
    crate::program().args(arguments).output().unwrap()
}

/// Standard output and error as text, without characters that move the cursor or reverse a line.
fn printed(arguments: &[&str]) -> (String, String) {
    let output = fusescape(arguments);
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    for text in [&out, &err] {
        assert!(!text.replace("\r\n", "\n").contains(is_hidden_in_lines), "{arguments:?} print {text:?}");
    }
    (out, err)
}

/// A folder of its own for each test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn file(folder: &std::path::Path, name: &str, content: &[u8]) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

fn text(presets: &'static [Preset], id: &str) -> String {
    find_preset(presets, id).unwrap().text.to_owned()
}

/// The text with one part replaced, which must exist.
fn with(text: &str, part: &str, other: &str) -> String {
    assert!(text.contains(part), "{part} is not in {text}");
    text.replacen(part, other, 1)
}

const FORMULAS: [&str; 5] = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(1,2)", "\"=1,\"\"\""];

#[test]
fn no_file_for_a_spreadsheet_holds_a_formula() {
    let folder = folder("hostile-csv");
    let name = |index: usize| format!("'{}'", FORMULAS[index].replace('\'', "''"));
    let chain = format!(
        "name: {}\nlayers:\n  - {{ name: in, type: input, K: 3, size: 64 x 64 }}\n  - {{ name: {}, type: conv, K: 8, \
         kernel: 3 x 3 }}\n  - {{ name: {}, type: conv, K: 8, kernel: 3 x 3 }}\n  - {{ name: {}, type: conv, K: 8, \
         kernel: 3 x 3 }}\n  - {{ name: {}, type: conv, K: 8, kernel: 3 x 3 }}\n",
        name(0),
        name(0),
        name(1),
        name(2),
        name(4),
    );
    let network = file(&folder, "net.yaml", chain.as_bytes());
    let core = text(hardware_presets(), "meta-proto-like-df");
    let small = with(&with(&core, "- name: dram", "- name: '=dram'"), "size: 10000000000 bit", "size: 9 KiB");
    let [core, small] =
        [("core.yaml", &core), ("small.yaml", &small)].map(|(name, text)| file(&folder, name, text.as_bytes()));
    let pool =
        text(pool_presets(), "zigzag-65nm").replace("name: sram_", "name: =sram_").replace("name: rf_", "name: -rf_");
    let pool = file(&folder, "pool.yaml", pool.as_bytes());
    let below = text(hardware_presets(), "zigzag-8x8").replace("name: sram_2MiB", "name: =sram_2MiB");
    let below = file(&folder, "below.yaml", below.as_bytes());
    let system = text(system_presets(), "quad-beside").replace("core 0", "=core 0").replace("core 1", "-core 1");
    let system = file(&folder, "system.yaml", system.as_bytes());
    let sweep = ["--workload", &network, "--strategy", "loma", "--lpf-limit", "4", "--format", "csv"];
    for (command, is_named) in [
        (vec!["depth-first", "--hardware", &core, "--tile", "8x8", "--stacks", "+1+1"], true),
        (vec!["depth-first", "--hardware", &core, "--grid", "8,16x8", "--mode", "fully-cached"], false),
        (vec!["depth-first", "--hardware", &small, "--tile", "8x8"], false),
        (vec!["depth-first", "--hardware", &core, "--stacks", "optimal", "--tile", "8x8"], true),
        (vec!["fuse", "--hardware", &core, "--tile", "8x8"], false),
        (vec!["fuse", "--hardware", &core, "--sequences"], true),
        (vec!["hierarchy", "--pool", &pool, "--hardware", &below, "--max-levels", "1"], true),
        (vec!["cores", "--system", &system, "--hardware", &core, "--tiles", "8"], true),
    ] {
        let (out, err) = printed(&[&command[..], &sweep].concat());
        assert!(fusescape_test_support::csv::parse(&out).len() > 1, "{command:?}: {err}");
        fusescape_test_support::csv::is_harmless(&out);
        assert_eq!(out.contains("\"'"), is_named, "{command:?}: {out}");
    }
}

/// All invisible characters.
fn hidden() -> Vec<char> {
    (0..=0x2fff).filter_map(char::from_u32).filter(|c| is_hidden(*c)).collect()
}

#[test]
fn all_that_moves_a_cursor_or_turns_a_line_around_counts_as_hidden() {
    let listed = "\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}";
    let control = (0..=0x10_ffff).filter_map(char::from_u32).filter(|c| c.is_control());
    let mut expected: Vec<char> = control.chain(listed.chars()).collect();
    expected.sort_unstable();
    assert_eq!(hidden(), expected);
}

#[test]
fn no_document_names_anything_by_characters_that_nobody_sees() {
    type Read = fn(&str) -> Option<Diagnostics>;
    let hardware = text(hardware_presets(), "tpu-like");
    let network = text(workload_presets(), "fsrcnn");
    let pool = text(pool_presets(), "zigzag-65nm");
    let system = text(system_presets(), "quad-beside");
    let core: Read = |text| Core::from_text(text).err();
    let layers: Read = |text| Network::from_text(text).err();
    let memories: Read = |text| Pool::from_text(text).err();
    let cores: Read =
        |text| CoreSystem::from_text(text, find_preset(hardware_presets(), "tpu-like").unwrap().text).err();
    for c in hidden() {
        let evil = format!("\"a\\u{:04x}b\"", c as u32);
        for (read, document) in [
            (core, with(&hardware, "name: TPU-like", &format!("name: {evil}"))),
            (core, with(&hardware, "name: rf_128B", &format!("name: {evil}"))),
            (core, hardware.replace("D1", &evil)),
            (core, with(&hardware, "r_port_1", &evil)),
            (core, with(&hardware, "dataflow: tpu", &format!("dataflow: {evil}"))),
            (core, with(&hardware, "  mac_energy: 0.04 pJ", &format!("  mac_energy: 0.04 pJ\n  {evil}: 1"))),
            (layers, with(&network, "name: FSRCNN", &format!("name: {evil}"))),
            (layers, with(&network, "name: extract", &format!("name: {evil}"))),
            (layers, with(&network, "type: conv", &format!("type: {evil}"))),
            (memories, with(&pool, "name: rf_64B", &format!("name: {evil}"))),
            (cores, with(&system, "{ name: core 0 }", &format!("{{ name: {evil} }}"))),
        ] {
            let wrong = read(&document).unwrap_or_else(|| panic!("{c:?} is taken:\n{document}"));
            let wrong = wrong.to_string();
            let expected = format!("has a character that nobody sees (U+{:04X}). Write it anew", c as u32);
            assert!(wrong.contains(&expected) && wrong.starts_with("line "), "{wrong}");
            assert!(!wrong.contains(|c| c != '\n' && is_hidden(c)), "{wrong:?}");
        }
        // Texts that are read by lines may have several.
        let about = format!("about: {evil}\n{}", with(&network, "about:", "  more:"));
        assert!(matches!(c, '\n' | '\t') || Network::from_text(&about).is_err());
    }
}

fn imported(name: &str, content: &[u8]) -> Imported {
    let file = import::File { name: name.to_owned(), source: Box::new(content) };
    import::import(vec![file], &Default::default()).unwrap_or_else(|wrong| panic!("{wrong}"))
}

const ZIGZAG: &str = r#"
- id: 0
  name: EVIL
  operator_type: Conv
  equation: O[b][k][oy][ox]+=W[k][c][fy][fx]*I[b][c][iy][ix]
  dimension_relations: [ix=1*ox+1*fx, iy=1*oy+1*fy]
  loop_dims: [B, K, C, OY, OX, FY, FX]
  loop_sizes: [1, 8, 3, 8, 8, 3, 3]
  operand_precision: { W: 8, I: 8, O: 16, O_final: 8 }
  operand_source: { I: 0, W: 0 }
"#;

#[test]
fn names_in_imported_files_are_cleaned_and_that_is_reported() {
    for c in hidden().into_iter().filter(|c| !matches!(c, '\n' | '\t')) {
        let graph = Graph::default().input("x", &[1, 3, 8, 8]).conv("x", &format!("a{c}b"), [4, 3, 1, 1], &[]).node(
            &format!("Op{c}"),
            &[&format!("a{c}b")],
            &["z"],
            &[],
        );
        let evil = format!("\"a\\u{:04x}b\"", c as u32);
        for imported in [
            imported(&format!("net{c}.onnx"), &graph.model()),
            imported(&format!("net{c}.yaml"), ZIGZAG.replace("EVIL", &evil).as_bytes()),
        ] {
            let document = imported.workload.unwrap();
            Network::from_text(&document).unwrap_or_else(|wrong| panic!("{wrong}"));
            let report = imported.reports[0].lines().join("\n");
            assert!(!format!("{document}{report}").contains(|c| c != '\n' && is_hidden(c)), "{document}\n{report}");
            assert!(report.contains("has characters that nobody sees; each is `_` now"), "{report}");
        }
    }
    let long = imported(&format!("{}.yaml", "n".repeat(200)), ZIGZAG.as_bytes());
    Network::from_text(&long.workload.unwrap()).unwrap_or_else(|wrong| panic!("{wrong}"));
}

#[test]
fn names_in_states_and_links_are_cleaned() {
    let mut state = State::first();
    for c in hidden().into_iter().filter(|c| !matches!(c, '\n' | '\t')) {
        state.design.schedule.cuts = format!("a{c}b");
        state.design.schedule.memory = format!("{c}m");
        state.cores.allocation = format!("a{c}: core 0");
        for opened in [from_link(&to_link(&state)).unwrap(), State::from_yaml(&state.to_yaml()).unwrap()] {
            let schedule = &opened.design.schedule;
            let names = [&*schedule.cuts, &*schedule.memory, &*opened.cores.allocation];
            assert_eq!(names, ["ab", "m", "a: core 0"], "{c:?}");
        }
    }
}

#[test]
fn a_mapping_made_by_hand_stays_with_its_layer_when_the_name_is_cleaned() {
    let mut state = State::first();
    state.apply(Action::Mapping(MappingField::Layer(Some("ocnv\0".to_owned()))));
    let own = TemporalMapping { order: Vec::new(), ends: [vec![0, 2], vec![1], vec![]] };
    state.apply(Action::Mapping(MappingField::Unroll(Some((state.layer_key(), Vec::new())))));
    state.apply(Action::Mapping(MappingField::Edited(Some((state.mapping_subject(), own.clone())))));
    let opened = from_link(&to_draft(&state)).unwrap();
    assert_eq!((opened.mapping.layer.as_deref(), opened.own_mapping()), (Some("ocnv"), Some(&own)));
    assert_eq!(opened.unroll(), state.unroll());
    assert_eq!(from_link(&to_draft(&opened)), Ok(opened));
}

#[test]
fn nothing_that_is_printed_moves_the_cursor() {
    let folder = folder("hostile-print");
    let evil: String = hidden().into_iter().filter(|c| !matches!(c, '\0' | '\r' | '\n')).collect();
    let hardware = text(hardware_presets(), "tpu-like");
    let own = file(&folder, &format!("{evil}.yaml"), with(&hardware, "TPU-like", &format!("\"{evil}\"")).as_bytes());
    let field = file(&folder, "field.yaml", format!("{hardware}\n\"{evil}\": 1\n").as_bytes());
    let broken = file(&folder, "broken.yaml", format!("name: [{evil}").as_bytes());
    let comment = file(&folder, "comment.yaml", format!("# \u{202e}\u{9b}\n{hardware}").as_bytes());
    let state = file(
        &folder,
        "state.yaml",
        format!("fusescape: 1\nhardware: |\n  name: a\u{1b}[31m\u{202e}b\nview: {{ tab: \"{}\" }}\n", "\\e").as_bytes(),
    );
    let opened = file(&folder, "open.yaml", b"fusescape: 1\nhardware: |\n  name: a\x1b[31mb\n");
    let graph = Graph::default().input("x", &[1, 3, 8, 8]).node(&evil[..9], &["x"], &[&evil], &[]);
    let model = file(&folder, "model.onnx", &graph.model());
    let missing = folder.join(format!("none{evil}.yaml"));
    for arguments in [
        vec!["validate", &own],
        vec!["validate", &field, &broken, &state, &model],
        vec!["validate", missing.to_str().unwrap()],
        vec!["import", &own],
        vec!["import", &comment],
        vec!["import", &model],
        vec!["link", "open", &state],
        vec!["link", "open", &opened],
        vec!["link", "open", &evil],
        vec!["report", "--hardware", &own, "--workload", "fsrcnn"],
        vec!["depth-first", "--hardware", &own, "--workload", &evil],
        vec!["depth-first", "--hardware", "tpu-like", "--workload", "fsrcnn", "--stacks", &evil],
        vec!["layer", "--hardware", "tpu-like", "--workload", "fsrcnn", "--layer", &evil],
        vec!["presets", &evil],
        vec!["gallery", &evil],
        vec!["serve", "--directory", &evil],
        vec![&evil],
        vec!["layer", "--hardware", &evil, &evil],
    ] {
        let (out, err) = printed(&arguments);
        assert!(!out.is_empty() || !err.is_empty(), "{arguments:?}");
    }
    let (out, _) = printed(&["link", "open", &opened]);
    assert!(out.contains("hardware: a\\u001b[31mb (by hand"), "{out}");
}

#[test]
fn what_is_refused_says_why_and_what_to_do() {
    let folder = folder("hostile-messages");
    let file = |name: &str, content: &[u8]| file(&folder, name, content);
    let hardware = text(hardware_presets(), "tpu-like");
    let network = text(workload_presets(), "fsrcnn");
    let pool = text(pool_presets(), "zigzag-65nm");
    let system = text(system_presets(), "quad-beside");
    let documents = [
        (
            &hardware,
            "size: 128 B",
            "size: 140737488355329 B",
            &["memories[0].size: ", "too large to be counted. Write at most 131072 GiB (2^50 bit)"][..],
        ),
        (&hardware, "size: 128 B", "size: 1e30 GiB", &["memories[0].size: `1e30 GiB` is too large", "131072 GiB"]),
        (&hardware, "size: 128 B", "size: 0.3 bit", &["memories[0].size: `0.3 bit` is not a whole number of bits"]),
        (&hardware, "width: 8 bit", "width: 9999999 GiB", &["memories[0].width: ", "131072 GiB"]),
        (
            &hardware,
            "read_energy: 0.095 pJ",
            "read_energy: 1e308 pJ",
            &["memories[0].read_energy: This is too large to be counted. Write at most 10000000000 pJ (10 mJ)"],
        ),
        (
            &hardware,
            "write_energy: 0.095 pJ",
            "write_energy: 1e400 nJ",
            &["memories[0].write_energy: `1e400` is too large. Write at most 10000000000 pJ"],
        ),
        (&hardware, "mac_energy: 0.04 pJ", "mac_energy: 10000001 nJ", &["array.mac_energy: This is too large"]),
        (
            &hardware,
            "mac_energy: 0.04 pJ",
            "mac_energy: 1 pJ\n  pe_area: 1e200 mm2",
            &["array.pe_area: This is too large", "1000000000000 um2"],
        ),
        (
            &pool,
            "read_energy: 0.88 pJ",
            "read_energy: 1e308 pJ",
            &["memories[0].variants[0].read_energy: This is too large", "10 mJ"],
        ),
        (&pool, "area: 4740.06 um2", "area: 1e300 um2", &["variants[0].area: This is too large"]),
        (&pool, "size: 64 B", "size: 200000 GiB", &["memories[0].size: ", "131072 GiB"]),
        (&system, "energy: 8 pJ", "energy: 1e308 pJ", &[".energy: This is too large", "10 mJ"]),
        (&system, "width: 128 bit", "width: 200000 GiB", &[".width: ", "131072 GiB"]),
        (
            &network,
            "size: 960 x 540",
            "size: 1099511627776 x 540",
            &["layers[0].size: ", "too large: 1099511627776 x 540. Write at most 16777216"],
        ),
        (
            &network,
            "size: 960 x 540",
            "size: 99999999999999999999999 x 540",
            &["layers[0].size: `99999999999999999999999` is too large"],
        ),
        (&network, "K: 56", "K: 1099511627776", &["1099511627776 channels. Write 1 to 16777216"]),
        (
            &network,
            "batch: 1\n",
            "batch: 1099511627776\n",
            &["batch: A batch of 1099511627776 is too large. Write 1 to 16777216"],
        ),
        (&network, "name: FSRCNN\n", "name: FSRCNN\0\n", &["line 1: ", "U+0000"]),
    ];
    for (index, (document, part, other, expected)) in documents.into_iter().enumerate() {
        // In a comment it would have no effect.
        let (comments, fields) =
            document.split_at(document.find(if part.starts_with("K:") { "layers:" } else { "name:" }).unwrap());
        let document = file(&format!("{index}.yaml"), format!("{comments}{}", with(fields, part, other)).as_bytes());
        let (_, err) = printed(&["validate", &document]);
        assert!(err.contains(": line ") && expected.iter().all(|part| err.contains(part)), "{expected:?} in\n{err}");
    }
    let latin = file("latin.yaml", b"name: Gr\xf6\xdfe\nlayers: []\n");
    let late = file("late.yaml", &[&b"name: x\n#"[..], &[b' '; 9000], b"\xff\n"].concat());
    let wide: Vec<u8> = "\u{feff}name: x\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let wide = file("wide.yaml", &wide);
    let long = file("long.yaml", &vec![b' '; (1 << 20) + 1]);
    let here = folder.to_str().unwrap();
    for (path, expected) in [
        (&*latin, "is not written in UTF-8: byte 9 is no part of it. If it is a text, save it as UTF-8"),
        (&late, "is not written in UTF-8: byte 9010 is no part of it"),
        (&wide, "is not written in UTF-8, but begins as UTF-16 does"),
        (here, "This is a folder. Name a file in it."),
        (&long, "1048577 bytes, more than"),
    ] {
        for command in [
            &["validate", path][..],
            &["import", path],
            &["link", "open", path],
            &["depth-first", "--hardware", path, "--workload", "fsrcnn"],
            &["layer", "--hardware", "tpu-like", "--workload", path],
            &["hierarchy", "--pool", path, "--workload", "fsrcnn"],
            &["cores", "--system", path, "--workload", "fsrcnn"],
            &["report", path],
            &["export-zigzag", "--hardware", "tpu-like", "--workload", path, "--out", here],
        ] {
            let (_, err) = printed(command);
            // A state may be longer than a document.
            let may_be_long = path == long && matches!(command[0], "link" | "report");
            assert!(err.contains(expected) || may_be_long, "{command:?}: {err}");
        }
    }
}

#[test]
fn a_state_is_told_by_its_first_field_whatever_yaml_lets_stand_before_it() {
    let folder = folder("hostile-state");
    for (index, text) in [
        "---\nfusescape: 1\n",
        "%YAML 1.2\n---\n# a state\nfusescape: 1\n",
        "\u{feff}--- # a state\nfusescape : 1\n",
        "{\"fusescape\": 1}",
        "{ fusescape: 1 }",
        "'fusescape': 1\n",
    ]
    .into_iter()
    .enumerate()
    {
        let path = file(&folder, &format!("{index}.yaml"), text.as_bytes());
        let (out, err) = printed(&["link", "open", &path]);
        assert!(out.starts_with("hardware: "), "{text}: {err}");
        assert!(printed(&["import", &path]).1.contains("opened as it is"), "{text}");
    }
    let path = file(&folder, "other.yaml", b"name: x\nfusescape: 1\n");
    let (_, err) = printed(&["link", "open", &path]);
    assert!(
        err.contains("neither a link of Fusescape nor a saved state, whose first field is `fusescape: 1`"),
        "{err}"
    );
}

#[test]
fn models_without_anything_to_count_and_with_huge_dimensions_say_so() {
    let said = |graph: Graph| {
        let model = graph.model();
        let file = import::File { name: "m.onnx".to_owned(), source: Box::new(&model[..]) };
        import::import(vec![file], &Default::default()).unwrap_err().to_string()
    };
    let huge = 1 << 40;
    for (graph, expected) in [
        (Graph::default(), "Nothing in `m.onnx` can be counted: its graph has no nodes. Import a model"),
        (
            Graph::default().input("x", &[1, 3, 8, 8]).node("Relu", &["x"], &["y"], &[]),
            "can be counted: its only node is no layer that computes. Import",
        ),
        (
            Graph::default().input("x", &[1, 3, 8, 8]).node("Relu", &["x"], &["y"], &[]).node(
                "Relu",
                &["y"],
                &["z"],
                &[],
            ),
            "can be counted: none of its 2 nodes is a layer that computes. Import",
        ),
        (
            Graph::default().input("x", &[1, 3, huge, 8]).conv("x", "y", [4, 3, 1, 1], &[]),
            "input: a dimension of 1099511627776 is too large; the most are 16777216 (x)",
        ),
        (
            Graph::default().input("x", &[1, 1 << 20, 1 << 20, 1 << 20]).conv("x", "y", [4, 3, 1, 1], &[]),
            "a tensor of 1 x 1048576 x 1048576 x 1048576 has no elements, or more than 2^44",
        ),
    ] {
        let wrong = said(graph);
        assert!(wrong.contains(expected), "{wrong}");
    }
}
