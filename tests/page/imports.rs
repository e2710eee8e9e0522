//! Files that are no documents of ours, or not quite: what is wrong with them is said, and where.

use fusescape::import::{File, Severity, import};
use fusescape::spec::{Preset, find_preset, hardware_presets, workload_presets};

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
