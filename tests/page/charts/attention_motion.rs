//! Attention in motion: steps of every kind of schedule as a figure.

use super::check_layout;
use fusescape::attention::{ElementBits, Fusion, Step};
use fusescape::chart::{AttentionStep, Chart, Theme};
use fusescape::explore::{AttentionRequest, AttentionStudy, FollowedSchedule};
use fusescape::search::Objective;
use fusescape::spec::{find_preset, hardware_presets, transformer_presets};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The kinds of schedules of a step, each in some small tiles and in its best.
fn followed(hardware: &str, model: &str, step: Step) -> Vec<AttentionStep> {
    let text = |presets, id| find_preset(presets, id).unwrap().text.to_owned();
    let request = AttentionRequest {
        hardware: text(hardware_presets(), hardware),
        model: text(transformer_presets(), model),
        step,
        bits: ElementBits::all(8),
        objective: Objective::Energy,
    };
    let study = AttentionStudy::new(&request).unwrap();
    let found = study.layer().unwrap().attention.unwrap().found;
    let best = found.best_of.iter().filter_map(|(_, best)| *best).chain(found.recomputed);
    let exactly = best.map(|best| FollowedSchedule::Exactly(best.schedule));
    let tiled = Fusion::ALL.map(|fusion| FollowedSchedule::BestWith(fusion, 24, 40));
    let motions = exactly.chain(tiled).map(|schedule| Rc::new(study.motion(&schedule).unwrap()));
    motions.map(|of| AttentionStep { of, number: 0 }).collect()
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

/// Steps that do other work than the one before.
fn steps(chart: &AttentionStep) -> Vec<AttentionStep> {
    let work = |number: u64| chart.of.motion.work(number).map(std::ptr::from_ref);
    let changes = (0..chart.of.motion.steps()).filter(|&number| number == 0 || work(number) != work(number - 1));
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
    let (queries, keys) = (chart.of.motion.problem.shape.queries, chart.of.motion.problem.shape.keys);
    let (mut seen_queries, mut seen_keys) = (BTreeSet::new(), BTreeSet::new());
    for width in [358, 1020] {
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
