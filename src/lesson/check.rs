//! Checks that a lesson can be solved for all drawn values.

use super::document::{Condition, DesignGoal, Lesson, LessonStep, Prediction, StepKind};
use super::draw::{Draw, seed};
use super::judge::{StepNumbers, Variation};
use fusescape_gallery::ClaimEvaluator;
use fusescape_spec::{Diagnostic, Diagnostics, merge};
use serde::{Deserialize, Serialize};

/// Limit on the variants that are all checked; of more, a sample of this size is.
pub const MOST_VARIANTS: u64 = 200;

/// Limit on the values of fields that are checked; a lesson has hundreds.
const MOST_VALUES: usize = 10_000;

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Checked {
    /// Number of variants.
    pub variants: u64,
    /// Number of checked variants.
    pub looked_at: u64,
    /// Errors: drawn values, number of the step (from 1), and reason.
    pub wrong: Vec<(String, usize, String)>,
    /// For each step the different right answers.
    pub right: Vec<Vec<String>>,
}

/// All errors of a lesson for any drawn values: every value of every parameter is checked, and every value of every
/// field of a task or a curve. An error in some variants names the drawn values of the first of them.
pub fn mistakes(text: &str) -> Diagnostics {
    let (first, _) = Lesson::read(text, Draw::Variant(0));
    let most = first.parameters.iter().map(|parameter| parameter.values.len()).max().unwrap_or(1).max(1);
    let mut all: Vec<(Diagnostic, String, usize)> = Vec::new();
    // Most steps are the same in several variants.
    let mut seen: Vec<(LessonStep, Diagnostics)> = Vec::new();
    let mut left = MOST_VALUES;
    for index in 0..most {
        let (lesson, mut wrong) = Lesson::read(text, Draw::Variant(first.variant_with(index)));
        let mut values = Diagnostics::default();
        for step in lesson.steps.iter().filter(|step| !step.fields().is_empty()) {
            if let Some((_, known)) = seen.iter().find(|(other, _)| other == step) {
                values.0.extend(known.0.iter().cloned());
                continue;
            }
            let count = step.fields().iter().map(|field| field.values.len()).sum();
            let Some(rest) = left.checked_sub(count) else { continue };
            left = rest;
            let mut own = Diagnostics::default();
            step.opener.wrong_values(step.fields(), &step.places_of_fields(), &mut own);
            values.0.extend(own.0.iter().cloned());
            seen.push((step.clone(), own));
        }
        wrong.0.extend(merge(text, Diagnostics::default(), values, &[]).0);
        for wrong in wrong.0 {
            match all.iter_mut().find(|(other, ..)| *other == wrong) {
                Some((.., times)) => *times += 1,
                None => all.push((wrong, lesson.drawn(), 1)),
            }
        }
    }
    let said = all.into_iter().map(|(wrong, drawn, times)| {
        let reason = if times == most { wrong.reason } else { format!("With {drawn}: {}", wrong.reason) };
        Diagnostic { reason, ..wrong }
    });
    merge(text, Diagnostics(said.collect()), Diagnostics::default(), &[])
}

/// Checks every variant of a lesson, or a sample of `most` if there are more.
///
/// # Errors
/// All [`mistakes`].
pub fn check(text: &str, most: u64) -> Result<Checked, Diagnostics> {
    mistakes(text).or(())?;
    let first = Lesson::from_text(text, Draw::Variant(0))?;
    let mut checked =
        Checked { variants: first.variants(), right: vec![Vec::new(); first.steps.len()], ..Checked::default() };
    let mut evaluator = ClaimEvaluator::default();
    for variant in variants_to_check(first.variants(), most) {
        let checked_variant = check_variant(text, variant, &mut evaluator)?;
        checked.looked_at += 1;
        for (index, right) in checked_variant.steps.into_iter().enumerate() {
            match right {
                Ok(right) => {
                    if let Some(known) = checked.right.get_mut(index).filter(|known| !known.contains(&right)) {
                        known.push(right);
                    }
                }
                Err(wrong) => checked.wrong.push((checked_variant.drawn.clone(), index + 1, wrong)),
            }
        }
    }
    Ok(checked)
}

/// The numbers of the variants to check: all, or a fixed sample of `most`.
pub fn variants_to_check(variants: u64, most: u64) -> impl Iterator<Item = u64> {
    let looked_at = variants.min(most.max(1));
    let nth = move |number: u64| {
        if looked_at == variants { number } else { seed(&[&number.to_string()]) % variants }
    };
    (0..looked_at).map(nth)
}

/// The result of checking one variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckedVariant {
    /// The drawn values, as text.
    pub drawn: String,
    /// For each step the right answer, or the reason why there is none.
    pub steps: Vec<Result<String, String>>,
}

/// Finds the right answer of every step of one variant.
///
/// # Errors
/// All errors of the document.
pub fn check_variant(text: &str, variant: u64, evaluator: &mut ClaimEvaluator) -> Result<CheckedVariant, Diagnostics> {
    let lesson = Lesson::from_text(text, Draw::Variant(variant))?;
    let steps = lesson.steps.iter().map(|step| right_answer(step, evaluator)).collect();
    Ok(CheckedVariant { drawn: lesson.drawn(), steps })
}

/// The right answer of a step, as text.
///
/// # Errors
/// The reason why there is none, or more than one.
fn right_answer(step: &LessonStep, evaluator: &mut ClaimEvaluator) -> Result<String, String> {
    let written = step.numbers_of(evaluator, &Variation::AsWritten)?;
    match &step.kind {
        StepKind::Choice(choices) => {
            let right: Vec<&str> = (choices.iter())
                .filter(|choice| choice.when.iter().all(|when| when.holds(&written)))
                .map(|choice| choice.text.as_str())
                .collect();
            let numbers =
                || step.numbers.iter().zip(&written).map(|(number, value)| format!("{} {value}", number.name));
            match right.as_slice() {
                [right] => Ok((*right).to_owned()),
                [] => Err(format!("no answer is right by {}", numbers().collect::<Vec<_>>().join(", "))),
                _ => Err(format!("{} answers are right by {}", right.len(), numbers().collect::<Vec<_>>().join(", "))),
            }
        }
        StepKind::Number(asked) => {
            let number = step.numbers.get(asked.number).zip(written.get(asked.number));
            number.map(|(number, value)| number.unit.text(*value)).ok_or_else(|| "there is no such number".to_owned())
        }
        StepKind::Predict(predict) => curve(step, predict, evaluator),
        StepKind::Task(task) => task_optimum(step, task, evaluator),
    }
}

fn curve(step: &LessonStep, predict: &Prediction, evaluator: &mut ClaimEvaluator) -> Result<String, String> {
    let unit = step.numbers.get(predict.number).map(|number| number.unit).ok_or("there is no such number")?;
    let mut texts = Vec::new();
    for combination in step.combinations() {
        let numbers = step.numbers_of(evaluator, &Variation::Values(combination))?;
        let value = numbers.get(predict.number).copied().unwrap_or(f64::NAN);
        let (low, high) = predict.axis;
        if !(low..=high).contains(&value) {
            return Err(format!("{} lies outside of the axis, {low} to {high}", unit.text(value)));
        }
        texts.push(unit.text(value));
    }
    Ok(texts.join(", "))
}

fn task_optimum(step: &LessonStep, task: &DesignGoal, evaluator: &mut ClaimEvaluator) -> Result<String, String> {
    let all: Vec<StepNumbers> = match task.fields.is_empty() {
        true => vec![step.numbers_of(evaluator, &Variation::BestMapping).ok()],
        false => {
            step.combinations().map(|values| step.numbers_of(evaluator, &Variation::Values(values)).ok()).collect()
        }
    };
    let unit = step.numbers.get(task.minimise).map(|number| number.unit).ok_or("there is no such number")?;
    let optimum = step.optimum(task, &all).ok_or_else(|| {
        let meets = |goal: &Condition| all.iter().flatten().filter(|numbers| goal.holds_with_limits(numbers)).count();
        let goals = task.goals.iter().map(|goal| format!("{} in {}", step.conditions_text(goal), meets(goal)));
        let each = goals.collect::<Vec<_>>().join(", ");
        let runs = all.iter().flatten().count();
        format!("none of {} designs meets all goals; {runs} can be run: {each}", all.len())
    })?;
    Ok(unit.text(optimum))
}
