//! Tables of attention schedules.

use fusescape::attention::{ElementBits, Step};
use fusescape::chart::attention_schedules;
use fusescape::explore::{AttentionProblem, AttentionRequest};
use fusescape::search::Objective;
use fusescape::spec::{find_preset, hardware_presets, transformer_presets};
use fusescape_test_support::sample::{pairs, sample_or_all};

#[test]
fn what_is_called_as_good_costs_as_much_as_the_best() {
    let mut recomputed = 0;
    // Keys and values stay on the chip if they fit; if not, they may be recomputed.
    let machines = [("fusemax-like", 256), ("tpu-like-df", 1024)];
    let models = ["llama-3-8b", "bert-base", "gpt2-small"];
    for (model, (hardware, tokens)) in pairs(&models, &machines) {
        let request = AttentionRequest {
            hardware: find_preset(hardware_presets(), hardware).unwrap().text.to_owned(),
            model: find_preset(transformer_presets(), model).unwrap().text.to_owned(),
            step: Step { batch: 1, tokens, cached: 0, sees_itself: true },
            bits: ElementBits::all(16),
            objective: Objective::Energy,
        };
        let layer = AttentionProblem::new(&request).unwrap().layer().unwrap();
        let attention = layer.attention.unwrap();
        let csv = attention_schedules(&attention).to_csv();
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let energy = |row: &csv::StringRecord| row[2].parse::<f64>().unwrap();
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        let best = rows.iter().find(|row| row[1].starts_with("best")).unwrap();
        for row in rows.iter().filter(|row| &row[1] == "as good") {
            assert!((energy(row) / energy(best) - 1.0).abs() < 1e-9, "{model}: {row:?} and {best:?}");
        }
        recomputed += rows.iter().filter(|row| row[0].ends_with("keys recomputed")).count();
    }
    assert!(recomputed >= sample_or_all(1, 2), "some of them may compute keys again: {recomputed}");
}
