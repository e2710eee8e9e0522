//! Lessons: every step of every variant can be solved with computed numbers; receipts get the right marks.

use fusescape::depth_first::FuseDepth;
use fusescape::gallery::{ClaimEvaluator, EntryView, Measure, RunStrategy};
use fusescape::lesson::{
    Draw, Given, Grader, Lesson, LessonSource, MOST_VARIANTS, OpenLesson, Receipt, StepKind, Variation, Verdict, check,
    find_step, lessons, mistakes, step_name,
};
use fusescape::spec::lesson_presets;
use fusescape_test_support::sample::sample_or_all;
use rayon::prelude::*;
use std::collections::BTreeMap;

#[test]
fn every_step_of_every_variant_of_every_lesson_has_one_right_answer() {
    let most = sample_or_all(3, MOST_VARIANTS);
    let wrong: Vec<String> = (lesson_presets().par_iter())
        .flat_map(|preset| {
            let checked = check(preset.text, most).unwrap_or_else(|wrong| panic!("{}: {wrong}", preset.id));
            assert_eq!(checked.looked_at, checked.variants.min(most), "{}: all variants are looked at", preset.id);
            let wrong = checked.wrong.into_iter();
            wrong.map(|(drawn, step, why)| format!("{}, step {step}, {drawn}: {why}", preset.id)).collect::<Vec<_>>()
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Close to a limit, a small change of the engine could change the right answer.
#[test]
fn no_answer_of_a_guided_lesson_is_close_to_a_limit() {
    let (mut evaluator, mut wrong) = (ClaimEvaluator::default(), Vec::new());
    for (id, lesson) in guided() {
        for step in &lesson.steps {
            let StepKind::Choice(choices) = &step.kind else { continue };
            let values = step.numbers_of(&mut evaluator, &Variation::AsWritten).unwrap();
            assert!(!step.introduction(None).contains(['{', '}']) && !step.explanation(&values).contains(['{', '}']));
            let right = &choices[step.right_choice(&values).unwrap()];
            for when in &right.when {
                let index = when.number.unwrap();
                let value = values[index];
                let is_count = step.numbers[index].unit.name.is_empty();
                if !is_count && (value < when.least * 1.02 || value > when.most / 1.02) {
                    wrong.push(format!("{id}, {}: {value} is close to a limit", step.title));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The lessons about depth-first scheduling, whose questions are about points.
fn guided() -> Vec<(&'static str, Lesson)> {
    let mut all = lessons().unwrap_or_else(|wrong| panic!("{wrong}"));
    all.truncate(3);
    all
}

/// All numbers that decide an answer are on the screen: those of the opened point; in the landscape those of its
/// points, of the best, and of layer-by-layer, with which the headline compares; and those in the text.
#[test]
fn every_question_is_about_what_is_on_the_screen() {
    let mut wrong = Vec::new();
    for step in guided().iter().flat_map(|(_, lesson)| &lesson.steps) {
        let opens = &step.opens;
        let is_swept =
            |tile: (u64, u64)| opens.settings.tiles_x.contains(&tile.0) && opens.settings.tiles_y.contains(&tile.1);
        let is_shown = |way: RunStrategy| match (opens.shows, &opens.point, way) {
            (EntryView::Landscape, _, RunStrategy::Best(None) | RunStrategy::LayerByLayer) => true,
            (EntryView::Landscape, _, RunStrategy::Tile(tile, mode)) => {
                is_swept(tile) && opens.settings.modes.contains(&mode)
            }
            (EntryView::Schedule, None, way) => way == RunStrategy::Best(None),
            (EntryView::Schedule, Some(point), RunStrategy::Tile(tile, mode)) => {
                point.fuse == FuseDepth::Automatic && (point.tile, point.mode) == (tile, mode)
            }
            (EntryView::Schedule, Some(point), RunStrategy::SingleLayer) => point.fuse == FuseDepth::SingleLayer,
            (EntryView::Schedule, Some(point), RunStrategy::LayerByLayer) => point.fuse == FuseDepth::LayerByLayer,
            _ => false,
        };
        let told: Vec<RunStrategy> = step.told().flat_map(|number| ways(&number.measure)).collect();
        let StepKind::Choice(choices) = &step.kind else { continue };
        for when in choices.iter().flat_map(|choice| &choice.when) {
            let number = &step.numbers[when.number.unwrap()];
            let other_place = match &number.measure {
                Measure::Gain { hardware, workloads, .. } => *hardware != [(None, None)] || *workloads != [None],
                _ => false,
            };
            let hidden = ways(&number.measure).into_iter().find(|way| !is_shown(*way) && !told.contains(way));
            if other_place || hidden.is_some() {
                wrong.push(format!("{}: `{}` needs {hidden:?}, which is not shown", step.title, number.name));
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
    let all = lessons().unwrap();
    let titles: Vec<&str> = lesson_presets().iter().map(|preset| preset.title).collect();
    assert_eq!(all.iter().map(|(_, lesson)| lesson.title.as_str()).collect::<Vec<_>>(), titles);
    assert!(all.len() >= 10);
    for (id, lesson) in &all {
        for index in 0..lesson.steps.len() as u32 {
            let open = find_step(&step_name(id, index)).unwrap();
            assert_eq!(
                (open.step, open.open_step().unwrap().title),
                (index, lesson.steps[index as usize].title.clone())
            );
        }
    }
    assert!(find_step("why-fuse-99").is_none_or(|open| open.open_step().is_none()));
    assert!(find_step("").is_none() && find_step("-1").is_none() && find_step("why-fuse-0").is_none());
}

const EXERCISE: &str = include_str!("../../presets/lesson/your-own.yaml");

/// A receipt of the exercise.
fn receipt(student: &str, answers: &[(u32, Vec<Given>)]) -> Receipt {
    let source = LessonSource::Text(EXERCISE.to_owned());
    let open = OpenLesson { source, student: student.to_owned(), ..OpenLesson::default() };
    let lesson = open.lesson().unwrap();
    let answers: BTreeMap<u32, Vec<Given>> = answers.iter().cloned().collect();
    let written = Receipt::of(&open, &lesson, answers, "1000 of 1000 marks".to_owned()).to_json();
    Receipt::from_json(&written).unwrap()
}

fn marks(student: &str, answers: &[(u32, Vec<Given>)]) -> Vec<f64> {
    let graded = Grader::default().grade(&LessonSource::Text(EXERCISE.to_owned()), &receipt(student, answers)).unwrap();
    assert!(graded.remarks.is_empty(), "{:?}", graded.remarks);
    graded.steps.iter().map(|step| step.marks).collect()
}

#[test]
fn a_receipt_gets_what_its_answers_deserve_whatever_it_says_itself() {
    let lesson = Lesson::from_text(EXERCISE, Draw::Student("ada")).unwrap();
    let mut evaluator = ClaimEvaluator::default();
    let numbers = |step: usize, of: &Variation, evaluator: &mut ClaimEvaluator| {
        lesson.steps[step].numbers_of(evaluator, of).unwrap()
    };
    let written = numbers(0, &Variation::AsWritten, &mut evaluator);
    let right = Given::Choice(lesson.steps[0].right_choice(&written).unwrap() as u32 + 1);
    let wrong = Given::Choice(if right == Given::Choice(1) { 2 } else { 1 });
    let energy = numbers(1, &Variation::AsWritten, &mut evaluator)[0];
    let curve: Vec<f64> = (lesson.steps[2].combinations().collect::<Vec<_>>().into_iter())
        .map(|values| numbers(2, &Variation::Values(values), &mut evaluator)[0])
        .collect();
    // The best design by hand: the least energy among all that meet the goal.
    let designs: Vec<Vec<u32>> = lesson.steps[3].combinations().collect();
    assert_eq!(designs.len(), 16);
    let of =
        |values: &Vec<u32>, evaluator: &mut ClaimEvaluator| numbers(3, &Variation::Values(values.clone()), evaluator);
    let allowed = designs.iter().filter(|design| of(design, &mut evaluator)[1] <= 64.0).cloned().collect::<Vec<_>>();
    let best = allowed
        .iter()
        .min_by(|a, b| of(a, &mut ClaimEvaluator::default())[0].total_cmp(&of(b, &mut ClaimEvaluator::default())[0]));
    let chosen = |values: &[u32]| Given::Values(values.iter().map(|value| value + 1).collect());
    let all = [
        (0, vec![right.clone()]),
        (1, vec![Given::Number(energy * 1.01)]),
        (2, vec![Given::Curve(curve.clone())]),
        (3, vec![chosen(best.unwrap())]),
    ];
    assert_eq!(marks("ada", &all), [1.0, 1.0, 1.0, 2.0]);
    // A second try counts half, a third not at all; half a curve counts half; a missed goal counts nothing.
    let half: Vec<f64> =
        curve.iter().enumerate().map(|(index, height)| if index == 0 { height * 3.0 } else { *height }).collect();
    let others = [
        (0, vec![wrong, right]),
        (1, vec![Given::Number(energy * 1.03)]),
        (2, vec![Given::Curve(half)]),
        (3, vec![Given::Values(vec![4, 2])]),
    ];
    assert_eq!(marks("ada", &others), [0.5, 0.0, 0.8, 0.0]);
    // Answers of another kind, or none.
    assert_eq!(marks("ada", &[(0, vec![Given::Number(1.0)]), (3, vec![Given::Choice(1)])]), [0.0; 4]);
    assert_eq!(marks("ada", &[]), [0.0; 4]);
}

#[test]
fn a_worse_design_gets_the_share_of_the_optimum_that_it_reaches() {
    let lesson = Lesson::from_text(EXERCISE, Draw::Student("ada")).unwrap();
    let (step, mut evaluator) = (&lesson.steps[3], ClaimEvaluator::default());
    let energies: Vec<(Vec<u32>, Vec<f64>)> = (step.combinations())
        .map(|values| (values.clone(), step.numbers_of(&mut evaluator, &Variation::Values(values)).unwrap()))
        .collect();
    let least = energies
        .iter()
        .filter(|(_, numbers)| numbers[1] <= 64.0)
        .map(|(_, numbers)| numbers[0])
        .fold(f64::INFINITY, f64::min);
    for (values, numbers) in &energies {
        let given = Given::Values(values.iter().map(|value| value + 1).collect());
        let share = if numbers[1] > 64.0 {
            0.0
        } else if numbers[0] <= least * 1.01 {
            1.0
        } else {
            least / numbers[0]
        };
        let got = marks("ada", &[(3, vec![given])])[3];
        assert!((got - 2.0 * share).abs() < 1e-12, "{values:?}: {got}, {share}");
    }
}

#[test]
fn receipts_that_are_none_are_refused_with_a_reason() {
    for text in [
        "",
        "{}",
        "[]",
        "{\"fusescape_receipt\": 2, \"lesson\": \"\", \"student\": \"\", \"answers\": {}}",
        "{\"fusescape_receipt\": 1}",
    ] {
        assert!(!Receipt::from_json(text).unwrap_err().0[0].reason.is_empty(), "{text}");
    }
    assert!(Receipt::from_json(&" ".repeat(2 << 20)).unwrap_err().to_string().contains("more than"));
    // For another version of the document, with a step that does not exist, and more answers than tries.
    let mut strange = receipt("ada", &[(0, vec![Given::Choice(1); 5]), (40, vec![Given::Choice(7)])]);
    strange.lesson = "another".to_owned();
    let graded = Grader::default().grade(&LessonSource::Text(EXERCISE.to_owned()), &strange).unwrap();
    assert_eq!(graded.remarks.len(), 3, "{:?}", graded.remarks);
}

#[test]
fn values_differ_from_student_to_student_and_stand_wherever_they_are_named() {
    let of = |student: &str| Lesson::from_text(EXERCISE, Draw::Student(student)).unwrap();
    assert_eq!(of("ada"), of(" ada "));
    let drawn: std::collections::BTreeSet<String> = (0..200).map(|number| of(&number.to_string()).drawn()).collect();
    assert_eq!(drawn.len(), 9);
    for variant in 0..9 {
        let lesson = Lesson::from_text(EXERCISE, Draw::Variant(variant)).unwrap();
        let size = &lesson.parameters[0].values[lesson.parameters[0].drawn];
        assert!(lesson.steps[0].text.contains(size) && !lesson.steps[0].text.contains('$'));
        assert!(lesson.steps[0].opens.hardware.text().contains(&format!("size: {size}")));
    }
}

#[test]
fn everything_that_is_wrong_with_a_lesson_is_said_at_once() {
    let text = "
title: Wrong in many ways
about: nothing
parameters:
  - { name: size, values: [] }
steps:
  - title: one
    text: $sise words
    opens: { view: landscpe, hardware: tpu-like, workload: fsrcnn, set: { hardware.nothing.size: 1 KiB, size: 1 } }
    question: why?
    numbers:
      - { name: gain, unit: mJ, measure: { gain: { from: best, to: best } } }
      - { name: energy, unit: furlong, measure: { energy: { of: best } } }
    answers:
      - { text: yes, when: [gain 1] }
    explains: It is {gian}.
  - title: two
    text: words
    opens: { view: landscape, hardware: tpu-like, workload: fsrcnn }
    question: which?
    task: { fields: [{ field: hardwar.size, values: [1] }], minimise: energie }
    tries: 99
    explains: words
";
    let said = Lesson::from_text(text, Draw::Student("")).unwrap_err().to_string();
    for expected in [
        "Did you mean `landscape`?",
        "`gain` is not measured in `mJ`",
        "There is no unit `furlong`",
        "`gain 1` is no condition",
        "There is nothing to choose from",
        "There is no number `gian`",
        "There is no parameter `sise`",
        "The hardware document has no `nothing.size`",
        "`size` is no field of a document",
        "`hardwar.size` is no field of a design",
        "There is no number `energie`",
        "Nobody tries 99 times",
        "There is no value",
    ] {
        assert!(said.contains(expected), "{expected}\n\n{said}");
    }
}

/// A lesson of one step, with its head.
fn lesson(head: &str, opens: &str, rest: &str) -> String {
    format!(
        "title: One
about: One step.
{head}
steps:
  - title: step
    text: words
    opens: {opens}
    question: which?
    numbers:
      - {{ name: energy, unit: mJ, measure: {{ energy: {{ of: opened }} }} }}
    {rest}
    explains: words
"
    )
}

const ANSWER: &str = "number: { is: energy, tolerance: 2 % }";

fn said(text: &str) -> Vec<String> {
    mistakes(text).0.iter().map(|wrong| format!("{}: {wrong}", wrong.line.unwrap())).collect()
}

/// Changes of a step, and documents in the lesson, are checked with everything else, and errors have lines of the
/// lesson.
#[test]
fn mistakes_in_changed_fields_and_own_documents_have_the_lines_of_the_lesson() {
    let documents = "documents:
  my-chip: |
    name: mine
    array: { dimensions: { D1: 4 }, mac_energy: 1 pJ }
    memories: []
    nonsense: 1";
    let opens = "
      view: schedule
      hardware: meta-proto-like-df
      workload: fsrcnn
      point: 4x72 fully-cached
      layer: convv1
      cuts: [conv9]
      set:
        hardware.sram_64KB.size: some
        workload.conv2.FX: -3";
    let text = lesson(documents, opens, ANSWER);
    let said = said(&text);
    let at = |words: &str, line: &str| {
        let found = said.iter().find(|said| said.contains(words)).unwrap_or_else(|| panic!("{words}\n{said:#?}"));
        let number: usize = found.split(':').next().unwrap().parse().unwrap();
        assert_eq!(text.lines().nth(number - 1).unwrap().trim(), line, "{found}");
    };
    at("nonsense", "nonsense: 1");
    at("steps[0].opens.set.hardware.sram_64KB.size", "hardware.sram_64KB.size: some");
    at("steps[0].opens.set.workload.conv2.FX", "workload.conv2.FX: -3");
    at("computes no layer `convv1`", "layer: convv1");
    at("computes no layer `conv9`", "cuts: [conv9]");
}

#[test]
fn every_value_that_may_be_drawn_or_chosen_is_looked_at_and_each_mistake_is_said_once() {
    let set =
        "{ view: schedule, hardware: meta-proto-like-df, workload: fsrcnn, set: { hardware.sram_64KB.size: $size } }";
    let drawn = "parameters: [{ name: size, values: [16 KiB, 32 KiB, 3 pJ] }, { name: other, values: [1, 2] }]";
    let found = said(&lesson(drawn, set, ANSWER));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].contains("With size 3 pJ, other 2: ") && found[0].starts_with("7: "), "{found:#?}");
    // A student with the first value does not see it.
    assert!(Lesson::from_text(&lesson(drawn, set, ANSWER), Draw::Student("")).is_ok());

    let opens = "{ view: schedule, hardware: meta-proto-like-df, workload: fsrcnn }";
    let task = "task: { fields: [{ field: hardware.sram_64KB.size, values: [16 KiB, huge] }, { field: cut.conv1, \
                values: [cut, fused] }, { field: point, values: [4x72 fully-cached, 4x] }], minimise: energy }";
    let found = said(&lesson("", opens, task));
    let places = ["fields[0].values[1]", "fields[1].values[0]", "fields[2].values[1]"];
    assert_eq!(found.len(), places.len(), "{found:#?}");
    for place in places {
        assert!(found.iter().any(|said| said.contains(place)), "{place}: {found:#?}");
    }
    let curve = "predict: { number: energy, field: hardware.sram.size, values: [1 KiB, 2 KiB], axis: 0..1 }";
    let found = said(&lesson("", opens, curve));
    assert!(found.len() == 2 && found.iter().all(|said| said.contains("has no `sram.size`")), "{found:#?}");
    // The lessons of the program have none.
    for preset in lesson_presets() {
        assert_eq!(mistakes(preset.text).to_string(), "", "{}", preset.id);
    }
}

#[test]
fn memories_and_units_that_there_are_not_are_answered_with_those_that_there_are() {
    let text = lesson("", "{ view: schedule, hardware: meta-proto-like-df, workload: fsrcnn }", ANSWER);
    let text = text.replace(
        "measure: { energy: { of: opened } } }",
        "measure: { energy: { of: opened } } }\n      \
         - { name: share, unit: '%', measure: { memory-share: { of: opened, memory: xyz } } }\n      \
         - { name: other, unit: zzz, measure: { macs: { of: opened } } }",
    );
    let found = said(&text).join("\n");
    assert!(
        found.contains("The accelerator has no memory `xyz`. Use one of ") && found.contains("sram_64KB"),
        "{found}"
    );
    assert!(found.contains("There is no unit `zzz`. Use one of ") && !found.contains("one of ,"), "{found}");
}

/// Hints apply to answers of every kind: for a design they use its own numbers.
#[test]
fn hints_are_said_of_designs_and_curves_too() {
    let text = EXERCISE
        .replace(
            "    marks: 2\n",
            "    marks: 2\n    hints: [{ when: [size 100..], text: That is a large one. }]\n    hint: Try another tile.\n",
        )
        .replace("      tolerance: 25 %\n", "      tolerance: 25 %\n    hint: More room never costs.\n");
    let lesson = Lesson::from_text(&text, Draw::Student("")).unwrap();
    let mut evaluator = ClaimEvaluator::default();
    let mut said = |step: usize, given: Given| {
        let step = &lesson.steps[step];
        let numbers =
            step.decided_by(&given).iter().map(|of| step.numbers_of(&mut evaluator, of).ok()).collect::<Vec<_>>();
        step.judge(&given, &numbers).unwrap()
    };
    assert!(said(2, Given::Curve(vec![0.0; 5])).said.ends_with("too low. More room never costs."));
    assert!(said(3, Given::Values(vec![4, 2])).said.ends_with("That is a large one."));
    let poor = said(3, Given::Values(vec![1, 1]));
    assert!(poor.share < 1.0 && poor.said.ends_with("Try another tile."), "{}", poor.said);
    let all: Vec<Given> =
        lesson.steps[3].combinations().map(|all| Given::Values(all.iter().map(|v| v + 1).collect())).collect();
    let best = all.into_iter().map(|given| said(3, given)).find(Verdict::is_right).unwrap();
    assert!(!best.said.contains("Try another tile."), "{}", best.said);
    // Without an entered number there is nothing to compare with.
    let wrong =
        EXERCISE.replace("    marks: 2\n", "    hints: [{ when: [answer 1..], text: no }, { near: size, text: no }]\n");
    assert_eq!(mistakes(&wrong).0.iter().filter(|wrong| wrong.reason.contains("a number is entered")).count(), 2);
}

/// The choices in the form and the view show the same design from the beginning.
#[test]
fn a_task_begins_with_the_values_of_the_design_that_it_opens() {
    let begin = |opens: &str, fields: &str| {
        let task = format!("task: {{ fields: [{fields}], minimise: energy }}");
        let lesson =
            Lesson::from_text(&lesson("", opens, &task), Draw::Student("")).unwrap_or_else(|wrong| panic!("{wrong}"));
        let step = lesson.steps[0].clone();
        let StepKind::Task(task) = &step.kind else { panic!() };
        assert_eq!(step.opens_with(&task.start).unwrap(), step.opens);
        task.start.clone()
    };
    let size = "{ field: hardware.sram_64KB.size, values: [16 KiB, 32 KiB, 64 KiB, 128KiB] }";
    let point = "{ field: point, values: [1x1 fully-cached, 4x72 fully-cached] }";
    let cut = "{ field: cut.Conv_1, values: [fused, cut] }";
    let opens = |rest: &str| format!("{{ view: schedule, hardware: meta-proto-like-df, workload: fsrcnn{rest} }}");
    let first = Lesson::from_text(&lesson("", &opens(""), ANSWER), Draw::Student("")).unwrap();
    let network = fusescape::workload::Network::from_text(first.steps[0].opens.workload.text()).unwrap();
    let layer = network.computing().next().map(|id| network.layer(id).name.clone()).unwrap();
    let cut = &cut.replace("Conv_1", &layer);
    assert_eq!(begin(&opens(", point: 4x72 fully-cached"), &format!("{size}, {point}")), [2, 1]);
    assert_eq!(begin(&opens(""), &format!("{size}, {point}")), [2, 0]);
    assert_eq!(begin(&opens(", set: { hardware.sram_64KB.size: 128 KiB }"), size), [3]);
    assert_eq!(begin(&opens(", set: { hardware.sram_64KB.size: 8 KiB }"), size), [0]);
    assert_eq!(begin(&opens(&format!(", cuts: [{layer}]")), cut), [1]);
    assert_eq!(begin(&opens(""), cut), [0]);
}

#[test]
fn a_name_in_braces_may_touch_what_follows() {
    let text = EXERCISE.replace(
        "{ name: tile, values: [4x72, 60x18, 16x18] }",
        "{ name: w, values: [4, 60] }\n  - { name: h, values: [72] }",
    );
    let text =
        text.replace("$tile", "${w}x${h}").replace("Draw the energy", "Costs $$1 and ${energy}. Draw the energy");
    let of = Lesson::from_text(&text, Draw::Variant(3)).unwrap();
    assert!(of.steps[0].text.contains("60x72 pixels"), "{}", of.steps[0].text);
    assert!(of.steps[2].text.contains("Costs $1 and ${energy}."), "{}", of.steps[2].text);
}
