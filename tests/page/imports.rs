//! Files that are not, or not quite, documents of ours: their errors have places.

use fusescape::import::{File, Severity, import};
use fusescape::spec::{Preset, find_preset, hardware_presets, workload_presets};
use fusescape::state::{Action, ImportedDocuments, State, Tab};

fn file<'b>(name: &str, bytes: &'b [u8]) -> File<'b> {
    File { name: name.to_owned(), source: Box::new(bytes) }
}

fn text(presets: &'static [Preset], id: &str) -> &'static str {
    find_preset(presets, id).unwrap().text
}

#[test]
fn a_document_with_mistakes_is_taken_and_all_of_them_are_told_with_their_place() {
    let hardware = text(hardware_presets(), "tpu-like").replace("mac_energy", "mac_enrgy").replacen(" MiB", " MB", 1);
    let workload = text(workload_presets(), "fsrcnn").replacen("padding: 1", "padding: -1", 1);
    for (document, mistakes, expected) in [
        (&hardware, "taken as it is, with 2 mistakes", &["array.mac_enrgy: ", "There is no unit `MB` here"][..]),
        (&workload, "taken as it is, with 1 mistake", &[".padding: "][..]),
    ] {
        let imported = import(vec![file("mine.yaml", document.as_bytes())], &Default::default()).unwrap();
        assert_eq!(imported.hardware.or(imported.workload).as_ref(), Some(document), "nothing of it is lost");
        let report = &imported.reports[0];
        assert_eq!(report.result, mistakes, "{:#?}", report.lines());
        let told: Vec<String> = report.of(Severity::Mistake).map(ToString::to_string).collect();
        for part in expected {
            assert!(told.iter().any(|one| one.contains(part) && one.contains("(line ")), "{part}: {told:#?}");
        }
    }
    let right =
        import(vec![file("mine.yaml", text(hardware_presets(), "tpu-like").as_bytes())], &Default::default()).unwrap();
    assert_eq!(right.reports[0].result, "taken as it is: 1024 PEs, 4 memories");
}

#[test]
fn a_file_of_another_kind_is_called_what_it_is() {
    for (bytes, kind) in [
        (&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], "a PNG picture"),
        (b"PK\x03\x04\0\0\x08\x08", "a ZIP archive, as PyTorch and Keras write them"),
        (b"\x7fELF\x02\x01\x01\0", "a file of another kind"),
    ] {
        let wrong = import(vec![file("model.onnx", bytes)], &Default::default()).unwrap_err().to_string();
        let expected = format!("`model.onnx` is no ONNX model, but {kind}. Choose an ONNX file");
        assert!(wrong.starts_with(&expected), "{wrong}");
    }
}

const CONSTRAINTS: &str = "\
name: Weights stay
layers:
  - kind: conv
    order: [OX any, rest]
    levels:
      - { memory: sram, operand: [W], holds: [K all] }
";

#[test]
fn a_document_of_constraints_is_known_and_shown_where_mappings_are() {
    let imported = import(vec![file("mine.yaml", CONSTRAINTS.as_bytes())], &Default::default()).unwrap();
    assert_eq!((imported.constraints.as_deref(), &imported.workload), (Some(CONSTRAINTS), &None));
    assert_eq!(imported.reports[0].result, "constraints, 1 entry");
    let mut state = State::first();
    let before = state.design.clone();
    let constraints = imported.constraints;
    state.apply(Action::Import(ImportedDocuments { constraints, ..ImportedDocuments::default() }));
    assert_eq!((&*state.mapping.constraints, state.view.tab), (CONSTRAINTS, Tab::Mapping));
    assert_eq!(state.design, before);
    let wrong = CONSTRAINTS.replace("operand: [W]", "operands: [W]");
    let imported = import(vec![file("mine.yaml", wrong.as_bytes())], &Default::default()).unwrap();
    assert_eq!((&*imported.reports[0].result, imported.constraints), ("taken as it is, with 1 mistake", Some(wrong)));
    let twice = vec![file("a.yaml", CONSTRAINTS.as_bytes()), file("b.yaml", CONSTRAINTS.as_bytes())];
    let told = import(twice, &Default::default()).unwrap_err().to_string();
    assert!(told.contains("More than one of the files is a constraint document"), "{told}");
    // A network also has layers, which may state an unrolling of their own.
    let network = text(workload_presets(), "three-convs").replacen("type: conv,", "type: conv, unroll: { D1: K },", 1);
    let imported = import(vec![file("mine.yaml", network.as_bytes())], &Default::default()).unwrap();
    assert_eq!((imported.workload, imported.constraints), (Some(network), None));
}

#[test]
fn a_document_of_mappings_is_known() {
    let mapping = crate::timeloop_files::BY_HAND;
    let imported = import(vec![file("mine.yaml", mapping.as_bytes())], &Default::default()).unwrap();
    assert_eq!((imported.mapping.as_deref(), imported.workload), (Some(mapping), None));
    assert_eq!(imported.reports[0].result, "a mapping of 1 layer, to be priced by `layer --mapping`");
}
