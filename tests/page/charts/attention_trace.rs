//! The trace of attention: steps of every kind of schedule as a figure.

use super::{check_layout, texts};
use fusescape::attention::{ElementBits, Fusion, Step};
use fusescape::chart::{AttentionStep, Chart, Theme};
use fusescape::explore::{AttentionProblem, AttentionRequest, TracedSchedule};
use fusescape::search::Objective;
use fusescape::spec::{find_preset, hardware_presets, transformer_presets};
use fusescape_test_support::sample::sample_or_all;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The kinds of schedules of a step, each with some small tiles and with its best; then the best block, if there is
/// one.
fn followed(hardware: &str, model: &str, step: Step) -> Vec<AttentionStep> {
    let text = |presets, id| find_preset(presets, id).unwrap().text.to_owned();
    let request = AttentionRequest {
        hardware: text(hardware_presets(), hardware),
        model: text(transformer_presets(), model),
        step,
        bits: ElementBits::all(8),
        objective: Objective::Energy,
    };
    let study = AttentionProblem::new(&request).unwrap();
    let layer = study.layer().unwrap();
    let (found, keys_in) = (layer.attention.unwrap().found, layer.keys_in.0);
    let block = layer.block.map(|block| TracedSchedule::Block(block.schedule()));
    let best = found.best_of.iter().filter_map(|(_, best)| *best).chain(found.recomputed);
    let exactly = best.map(|best| TracedSchedule::Exactly(best.schedule));
    let tiled = Fusion::ALL.map(|fusion| TracedSchedule::BestWith(fusion, 24, 40));
    let traces = exactly.chain(tiled).chain(block).map(|schedule| Rc::new(study.trace(&schedule, keys_in).unwrap()));
    traces.map(|of| AttentionStep { of, number: 0 }).collect()
}

fn designs() -> Vec<AttentionStep> {
    [
        ("fusemax-like", "gpt2-small", Step::prefill(1, 200)),
        ("fusemax-like", "llama-3-8b", Step { cached: 100, ..Step::prefill(2, 60) }),
        ("fusemax-like", "bert-base", Step::prefill(3, 130)),
        ("tpu-like-df", "mistral-7b", Step::decode(1, 300)),
    ]
    .into_iter()
    .flat_map(|(hardware, model, step)| followed(hardware, model, step))
    .collect()
}

#[test]
fn a_block_is_followed_from_its_queries_to_what_follows_attention() {
    let blocks: Vec<AttentionStep> = designs().into_iter().filter(|chart| chart.of.steps.block.is_some()).collect();
    let mut stages = BTreeSet::new();
    for chart in &blocks {
        let steps = &chart.of.steps;
        let block = steps.block.as_ref().unwrap();
        let at = |number| AttentionStep { number, ..chart.clone() };
        if block.queries.is_some() {
            assert!(at(0).title().contains("queries of "), "{}", at(0).title());
            assert!(at(0).story().contains("queries stay on the chip"), "{}", at(0).story());
            stages.insert("queries");
        }
        if block.parts.is_some() {
            let last = at(steps.count() - 1);
            assert!(last.title().contains("what follows attention"), "{}", last.title());
            assert!(last.story().contains("have not left the chip"), "{}", last.story());
            stages.insert("behind");
        }
        // If queries and results stay on the chip, no step moves them to or from DRAM.
        let csv = chart.sums().to_csv();
        assert_eq!(csv.contains("queries,"), block.queries.is_none(), "{csv}");
    }
    assert_eq!(stages.len(), 2, "{} blocks", blocks.len());
}

/// Steps whose work differs from that of the step before.
fn steps(chart: &AttentionStep) -> Vec<AttentionStep> {
    let work = |number: u64| chart.of.steps.work(number).map(std::ptr::from_ref);
    let changes = (0..chart.of.steps.count()).filter(|&number| number == 0 || work(number) != work(number - 1));
    changes.take(24).map(|number| AttentionStep { number, ..chart.clone() }).collect()
}

#[test]
fn every_step_fits_its_figure_and_tells_what_happens() {
    for chart in designs().iter().flat_map(steps) {
        for width in [240, 358, 560, 760, 1020] {
            let sketch = chart.sketch(width, &Theme::DARK);
            assert_eq!((sketch.width, sketch.height), (width, chart.height_for(width)));
            check_layout(&chart.title(), &sketch);
            assert!(sketch.shapes.len() < 4000, "{} shapes", sketch.shapes.len());
            let cut = texts(&sketch).into_iter().find(|(text, _)| width >= 340 && text.ends_with('…'));
            assert!(cut.is_none(), "{}, {width} pixels: {cut:?}", chart.title());
        }
        for table in [chart.table(), chart.sums()] {
            assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{}", table.caption);
        }
        assert!(chart.story().ends_with('.'), "{}", chart.story());
        assert!(chart.describe().contains(&chart.title()));
    }
}

#[test]
fn a_place_on_the_scores_is_a_query_and_a_key() {
    let chart = designs().remove(0);
    let (queries, keys) = (chart.of.steps.problem.shape.queries, chart.of.steps.problem.shape.keys);
    let (mut seen_queries, mut seen_keys) = (BTreeSet::new(), BTreeSet::new());
    for width in sample_or_all(&[358][..], &[358, 1020]).iter().copied() {
        for (x, y) in (0..width).flat_map(|x| (0..chart.height_for(width)).step_by(3).map(move |y| (x, y))) {
            if let Some((query, key)) = chart.hit(f64::from(x), f64::from(y), width) {
                assert!(query < queries && key < keys);
                seen_queries.insert(query);
                seen_keys.insert(key);
            }
        }
    }
    assert!(seen_queries.contains(&(queries - 1)) || seen_queries.len() as u64 > queries / 2);
    assert_eq!(seen_keys.len() as u64, keys, "every key can be pointed at");
}
