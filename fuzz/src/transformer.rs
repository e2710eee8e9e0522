//! Any text as a transformer: an answer, never a panic. A valid transformer is written and read back unchanged, and one
//! step of it has a cost or a reason why it has none.

use super::{check_rejected, check_wrong};
use fusescape::attention::{ElementBits, Step};
use fusescape::explore::{AttentionProblem, AttentionRequest};
use fusescape::search::Objective;
use fusescape::spec::{read_transformer, write_transformer};
use fusescape::transformer::Transformer;

/// An accelerator with lanes.
const HARDWARE: &str = include_str!("../../presets/hardware/fusemax-like.yaml");
/// Tokens of a step: few, so that there are few tiles to try.
const TOKENS: u64 = 8;

/// Panics unless that holds.
pub fn holds(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Transformer::from_text(text) {
        Ok(_) => {
            let (model, wrong) = read_transformer(text).both();
            assert!(wrong.is_empty());
            assert_eq!(read_transformer(&write_transformer(&model)).both().0, model);
            step(text);
        }
        Err(wrong) => check_wrong(text, &wrong),
    }
}

fn step(model: &str) {
    let study = AttentionProblem::new(&AttentionRequest {
        hardware: HARDWARE.to_owned(),
        model: model.to_owned(),
        step: Step { batch: 1, tokens: TOKENS, cached: 0, sees_itself: true },
        bits: ElementBits::all(8),
        objective: Objective::Energy,
    });
    match study.and_then(|study| study.layer()) {
        Ok(layer) => assert!(layer.cost().energy_pj().is_finite(), "{}", layer.cost().energy_pj()),
        Err(wrong) => check_rejected(&wrong, &["model", "step", "hardware"]),
    }
}
