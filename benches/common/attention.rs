//! Requests of the bench of attention, natively and in the browser, which has no files: needs nothing but the engine.

use fusescape_engine::attention::published::{COMPULSORY, Dataflow, Machine, Rules, best_flat, replay};
use fusescape_engine::attention::{ElementBits, Shape, Step};
use fusescape_engine::explore::{AttentionProblem, AttentionRequest};
use fusescape_engine::search::Objective;
use fusescape_spec::{find_preset, hardware_presets, transformer_presets};

/// A step of a model on FuseMax's accelerator, 16 bit: its name, the model, the step, and its time limit, s.
pub type Case = (&'static str, &'static str, Step, f64);

/// Whole models: one layer is scheduled, the others are equal.
pub const STEPS: [Case; 3] = [
    ("GPT-3 6.7B block, 8,192 tokens", "gpt3-6.7b", Step::prefill(1, 8192), 5.0),
    ("Llama-3-8B whole, prompt of 2,048", "llama-3-8b", Step::prefill(1, 2048), 10.0),
    ("Llama-3-8B, one token after 2,048", "llama-3-8b", Step::decode(1, 2048), 1.0),
];

/// Time limit for all rows of the artifact's attention, s.
pub const ROWS_GOAL: f64 = 0.1;
/// Models of the FuseMax artifact: heads, and elements of each.
const MODELS: [(u64, u64); 4] = [(12, 64), (16, 64), (8, 64), (16, 128)];
/// Tokens.
const LENGTHS: [u64; 6] = [1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20];

/// Schedules a step; returns the number of evaluated schedules.
pub fn scheduled((_, model, step, _): &Case) -> u64 {
    let text = |presets, id: &str| find_preset(presets, id).unwrap().text.to_owned();
    let request = AttentionRequest {
        hardware: text(hardware_presets(), "fusemax-like"),
        model: text(transformer_presets(), model),
        step: *step,
        bits: ElementBits::all(16),
        objective: Objective::Energy,
    };
    AttentionProblem::new(&request).unwrap().layer().unwrap().attention.map_or(0, |attention| attention.found.priced)
}

/// All rows of attention in the artifact: four models, six lengths, five dataflows, FLAT in its fastest configuration;
/// returns their number.
pub fn replayed() -> usize {
    let shapes =
        MODELS.iter().flat_map(|&(heads, depth)| LENGTHS.map(|length| Shape::of_sequence(64, heads, depth, length)));
    let rules = Rules::FUSEMAX_2024;
    let rows = shapes.flat_map(|shape| {
        let (flat, _) = best_flat(&shape, &Machine::FLAT_CLOUD, &rules).unwrap();
        let dataflows = [
            Dataflow::Unfused(COMPULSORY),
            Dataflow::Flat(flat),
            Dataflow::Cascade,
            Dataflow::Architecture,
            Dataflow::Binding,
        ];
        dataflows.map(|dataflow| replay(&dataflow, &shape, &dataflow.cloud(), &rules).unwrap())
    });
    rows.count()
}
