//! Whether a lesson can be solved, whatever values are drawn.

use super::document::{Lesson, Prediction, Step, StepKind, Task};
use super::draw::{Draw, seed};
use super::judge::{Numbers, Variation};
use crate::gallery::Workbench;
use crate::spec::Diagnostics;

/// So many variants are all looked at; of more a sample of as many.
pub const MOST_VARIANTS: u64 = 200;

/// What became of a check.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Checked {
    /// How many variants there are.
    pub variants: u64,
    /// How many were looked at.
    pub looked_at: u64,
    /// What is wrong with some: what was drawn, the step, counted from 1, and why.
    pub wrong: Vec<(String, usize, String)>,
    /// By step the right answers that were found, each once.
    pub right: Vec<Vec<String>>,
}

/// Looks at every variant of a lesson, or at a sample of `most` where there are more.
///
/// # Errors
/// Everything that is wrong with the document, in the first variant that has mistakes.
pub fn check(text: &str, most: u64) -> Result<Checked, Diagnostics> {
    let first = Lesson::from_text(text, Draw::Variant(0))?;
    let variants = first.variants();
    let mut checked = Checked { variants, right: vec![Vec::new(); first.steps.len()], ..Checked::default() };
    let mut workbench = Workbench::default();
    let looked_at = variants.min(most.max(1));
    for number in 0..looked_at {
        // A sample that is the same each time.
        let variant = if looked_at == variants { number } else { seed(&[&number.to_string()]) % variants };
        let lesson = Lesson::from_text(text, Draw::Variant(variant))?;
        checked.looked_at += 1;
        for (index, step) in lesson.steps.iter().enumerate() {
            match right_answer(step, &mut workbench) {
                Ok(right) => {
                    if let Some(known) = checked.right.get_mut(index).filter(|known| !known.contains(&right)) {
                        known.push(right);
                    }
                }
                Err(wrong) => checked.wrong.push((lesson.drawn(), index + 1, wrong)),
            }
        }
    }
    Ok(checked)
}

/// The right answer of a step, for a person.
///
/// # Errors
/// Why there is none, or more than one.
fn right_answer(step: &Step, workbench: &mut Workbench) -> Result<String, String> {
    let written = step.numbers_of(workbench, &Variation::AsWritten)?;
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
        StepKind::Predict(predict) => curve(step, predict, workbench),
        StepKind::Task(task) => task_optimum(step, task, workbench),
    }
}

fn curve(step: &Step, predict: &Prediction, workbench: &mut Workbench) -> Result<String, String> {
    let unit = step.numbers.get(predict.number).map(|number| number.unit).ok_or("there is no such number")?;
    let mut texts = Vec::new();
    for combination in step.combinations() {
        let numbers = step.numbers_of(workbench, &Variation::Values(combination))?;
        let value = numbers.get(predict.number).copied().unwrap_or(f64::NAN);
        let (low, high) = predict.axis;
        if !(low..=high).contains(&value) {
            return Err(format!("{} lies outside of the axis, {low} to {high}", unit.text(value)));
        }
        texts.push(unit.text(value));
    }
    Ok(texts.join(", "))
}

fn task_optimum(step: &Step, task: &Task, workbench: &mut Workbench) -> Result<String, String> {
    let all: Vec<Numbers> = match task.fields.is_empty() {
        true => vec![step.numbers_of(workbench, &Variation::BestMapping).ok()],
        false => {
            step.combinations().map(|values| step.numbers_of(workbench, &Variation::Values(values)).ok()).collect()
        }
    };
    let unit = step.numbers.get(task.minimise).map(|number| number.unit).ok_or("there is no such number")?;
    let optimum = step.optimum(task, &all).ok_or_else(|| format!("none of {} designs meets the goals", all.len()))?;
    Ok(unit.text(optimum))
}
