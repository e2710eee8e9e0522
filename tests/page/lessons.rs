//! Guided lessons: every question has one right answer, which follows from numbers that are computed.

use fusescape::depth_first::FuseDepth;
use fusescape::gallery::{Lesson, Measure, RunStrategy, Shown, Workbench, find_step, lessons};
use fusescape::spec::{lesson_presets, lesson_steps};

#[test]
fn every_question_has_one_right_answer() {
    let mut workbench = Workbench::default();
    let mut wrong = Vec::new();
    for step in lessons().unwrap_or_else(|wrong| panic!("{wrong}")).iter().flat_map(|lesson| &lesson.steps) {
        let numbers = step.numbers.iter().map(|number| workbench.number(step, number));
        let values: Vec<f64> = numbers.collect::<Result<_, _>>().unwrap_or_else(|wrong| panic!("{}: {wrong}", step.id));
        println!("{}: {}\n    {}", step.id, step.introduction(Some(&values)), step.explanation(&values));
        assert!(!step.introduction(None).contains(['{', '}']) && !step.explanation(&values).contains(['{', '}']));
        let holds = |answer: usize| {
            let all = &step.answers[answer].when;
            all.iter().all(|&(index, from, to)| (from..to).contains(&values[index]))
        };
        let right: Vec<usize> = (0..step.answers.len()).filter(|&answer| holds(answer)).collect();
        if right.len() != 1 || step.right_answer(&values) != Some(right[0]) {
            wrong.push(format!("{}: {right:?} of {:?} by {values:?}", step.id, step.answers));
        }
        // Close to a limit a small change of the engine would turn the answer over.
        for &(index, from, to) in right.iter().flat_map(|&answer| &step.answers[answer].when) {
            let value = values[index];
            let is_count = step.numbers[index].unit.name.is_empty();
            if !is_count && (value < from * 1.02 || value > to / 1.02) {
                wrong.push(format!("{}: {value} is close to a limit of {from}..{to}", step.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Nobody has to remember or to look elsewhere: the numbers that decide are those of the point that is open; in the landscape those of
/// its points, of the best, and of layer-by-layer, with which the headline compares; and those that the text tells.
#[test]
fn every_question_is_about_what_is_on_the_screen() {
    let mut wrong = Vec::new();
    for step in lessons().unwrap().iter().flat_map(|lesson| &lesson.steps) {
        let opens = &step.opens;
        let is_swept =
            |tile: (u64, u64)| opens.settings.tiles_x.contains(&tile.0) && opens.settings.tiles_y.contains(&tile.1);
        let is_shown = |way: RunStrategy| match (opens.shows, &opens.point, way) {
            (Shown::Landscape, _, RunStrategy::Best(None) | RunStrategy::LayerByLayer) => true,
            (Shown::Landscape, _, RunStrategy::Tile(tile, mode)) => {
                is_swept(tile) && opens.settings.modes.contains(&mode)
            }
            (Shown::Schedule, None, way) => way == RunStrategy::Best(None),
            (Shown::Schedule, Some(point), RunStrategy::Tile(tile, mode)) => {
                point.fuse == FuseDepth::Automatic && (point.tile, point.mode) == (tile, mode)
            }
            (Shown::Schedule, Some(point), RunStrategy::SingleLayer) => point.fuse == FuseDepth::SingleLayer,
            (Shown::Schedule, Some(point), RunStrategy::LayerByLayer) => point.fuse == FuseDepth::LayerByLayer,
            _ => false,
        };
        let told: Vec<RunStrategy> = step.told().flat_map(|number| ways(&number.measure)).collect();
        for &(index, ..) in step.answers.iter().flat_map(|answer| &answer.when) {
            let number = &step.numbers[index];
            let other_place = match &number.measure {
                Measure::Gain { hardware, workloads, .. } => {
                    *hardware != [(opens.hardware, opens.hardware)] || *workloads != [opens.workload]
                }
                _ => false,
            };
            let hidden = ways(&number.measure).into_iter().find(|way| !is_shown(*way) && !told.contains(way));
            if other_place || hidden.is_some() {
                wrong.push(format!("{}: `{}` needs {hidden:?}, which is not shown", step.id, number.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn ways(measure: &Measure) -> Vec<RunStrategy> {
    match measure {
        Measure::Run(_, way) | Measure::MemoryShare(_, way) => vec![*way],
        Measure::RunRatio(_, from, to) | Measure::Gain { from, to, .. } => vec![*from, *to],
        other => panic!("{other:?} is in no lesson yet"),
    }
}

#[test]
fn lessons_are_listed_as_they_are_written() {
    let lessons = lessons().unwrap();
    let titles: Vec<&str> = lesson_presets().iter().map(|preset| preset.title).collect();
    assert_eq!(lessons.iter().map(|lesson| lesson.title.as_str()).collect::<Vec<_>>(), titles);
    let steps: Vec<&str> = lessons.iter().flat_map(|lesson| lesson.steps.iter().map(|step| step.id)).collect();
    assert_eq!(steps, lesson_steps());
    for id in lesson_steps() {
        let (lesson, index) = find_step(id).unwrap();
        assert_eq!(lesson.steps[index].id, *id);
    }
    assert!(find_step("why-fuse-99").is_none() && find_step("").is_none() && find_step("-1").is_none());
}

#[test]
fn everything_that_is_wrong_with_a_lesson_is_said_at_once() {
    let text = "
title: Wrong in many ways
about: nothing
steps:
  - title: one
    text: words
    opens: { view: landscpe, hardware: tpu-like, workload: fsrcnn }
    question: why?
    numbers:
      - { name: gain, unit: mJ, measure: { gain: { from: best, to: best } } }
      - { name: energy, unit: furlong, measure: { energy: { of: best } } }
    answers:
      - { text: yes, when: [gain 1] }
    explains: It is {gian}.
";
    let said = Lesson::from_text("why-fuse", text).unwrap_err().to_string();
    for expected in [
        "Did you mean `landscape`?",
        "`gain` is not measured in `mJ`",
        "There is no unit `furlong`",
        "`gain 1` is no condition",
        "There is nothing to choose from",
        "There is no number `gian`",
    ] {
        assert!(said.contains(expected), "{expected}\n\n{said}");
    }
}
