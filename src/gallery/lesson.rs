//! Guided lessons: steps that each show a state, ask a question about it, and compute which answer is right.

use super::claim::{UNITS, Unit};
use super::entry::{Opening, open};
use super::measure::Measure;
use super::parameters::{choose, find};
use crate::spec::{
    AnswerSpec, ClaimSpec, Diagnostics, LessonSpec, NumberSpec, StepSpec, hardware_presets, lesson_presets,
    lesson_steps, merge, read_lesson, workload_presets,
};

/// A guided lesson.
#[derive(Debug, Clone, PartialEq)]
pub struct Lesson {
    /// Name of its file.
    pub id: &'static str,
    /// What it is called.
    pub title: String,
    /// What there is to learn.
    pub about: String,
    /// Its steps.
    pub steps: Vec<Step>,
}

/// A step of a lesson.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// What links call it: the name of the lesson, and a number from 1 on.
    pub id: &'static str,
    /// What it is about.
    pub title: String,
    /// What there is to be seen; `{name}` stands for a number.
    pub text: String,
    /// The state that it begins with, in which the answer can be found.
    pub opens: Opening,
    /// The question.
    pub question: String,
    /// What the answers are judged by.
    pub numbers: Vec<Number>,
    /// The answers.
    pub answers: Vec<Answer>,
    /// Why that is so; `{name}` stands for a number.
    pub explains: String,
}

/// A number that is computed for a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Number {
    /// What texts and conditions call it.
    pub name: String,
    /// Its unit.
    pub unit: Unit,
    /// What computes it.
    pub measure: Measure,
}

/// An answer to a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The answer.
    pub text: String,
    /// It is right if each of these numbers, by its index, lies from the first to below the second limit.
    pub when: Vec<(usize, f64, f64)>,
}

/// All lessons.
///
/// # Errors
/// Everything that is wrong with their documents, with the lesson in front of each path.
pub fn lessons() -> Result<Vec<Lesson>, Diagnostics> {
    let mut all = Vec::new();
    let mut diagnostics = Diagnostics::default();
    for preset in lesson_presets() {
        match Lesson::from_text(preset.id, preset.text) {
            Ok(lesson) => all.push(lesson),
            Err(wrong) => diagnostics.0.extend(wrong.0.into_iter().map(|mut wrong| {
                wrong.path = format!("{}: {}", preset.id, wrong.path);
                wrong
            })),
        }
    }
    diagnostics.or(all)
}

/// The lesson that has the step called `id`, and the index of the step.
pub fn find_step(id: &str) -> Option<(Lesson, usize)> {
    let preset = lesson_presets().iter().find(|preset| id.strip_prefix(preset.id).is_some_and(is_number))?;
    let lesson = Lesson::from_text(preset.id, preset.text).ok()?;
    let index = lesson.steps.iter().position(|step| step.id == id)?;
    Some((lesson, index))
}

/// `-1`
fn is_number(rest: &str) -> bool {
    rest.strip_prefix('-').is_some_and(|number| number.parse::<usize>().is_ok())
}

impl Lesson {
    /// Reads and validates a lesson.
    ///
    /// # Errors
    /// Everything that is wrong with the text, each with its line, path, reason and remedy.
    pub fn from_text(id: &'static str, text: &str) -> Result<Self, Diagnostics> {
        let (spec, mistakes) = read_lesson(text);
        let mut diagnostics = Diagnostics::default();
        let LessonSpec { title, about, steps } = spec;
        let steps = steps.iter().enumerate().filter_map(|(index, step)| read_step(id, index, step, &mut diagnostics));
        let lesson = Self { id, title, about, steps: steps.collect() };
        if lesson.steps.is_empty() && diagnostics.is_empty() {
            diagnostics.add("steps", "There are no steps", "Write at least one");
        }
        match diagnostics.is_empty() {
            true => mistakes.or(lesson),
            false => Err(merge(text, mistakes, diagnostics, &[])),
        }
    }
}

fn read_step(lesson: &str, index: usize, spec: &StepSpec, diagnostics: &mut Diagnostics) -> Option<Step> {
    let path = format!("steps[{index}]");
    let name = format!("{lesson}-{}", index + 1);
    let id = lesson_steps().iter().find(|id| **id == name).copied();
    if id.is_none() {
        diagnostics.add(&path, format!("Links know no step `{name}`"), "List it in `spec/preset.rs`");
    }
    let opens_path = format!("{path}.opens");
    let hardware = find(hardware_presets(), &spec.opens.hardware, &format!("{opens_path}.hardware"), diagnostics);
    let workload = find(workload_presets(), &spec.opens.workload, &format!("{opens_path}.workload"), diagnostics);
    let opens = open(&spec.opens, &opens_path, hardware, workload, diagnostics);
    let place = opens.as_ref().map(|opens| (opens.hardware, opens.workload));
    let mut numbers = Vec::new();
    for (index, number) in spec.numbers.iter().enumerate() {
        let NumberSpec { name, unit, measure, parameters } = number.clone();
        let path = format!("{path}.numbers[{index}]");
        let claim = ClaimSpec { measure, parameters, ..ClaimSpec::default() };
        let (hardware, workload) = place.unzip();
        let measure = Measure::new(&claim, &format!("{path}.measure"), hardware, workload, diagnostics);
        let unit = choose(&unit, &UNITS).map_err(|remedy| {
            diagnostics.add(format!("{path}.unit"), format!("There is no unit `{unit}`"), remedy);
        });
        let (Some(measure), Ok(unit)) = (measure, unit) else { continue };
        if unit.quantity != measure.quantity() {
            let reason = format!("`{}` is not measured in `{}`", number.measure, unit.name);
            diagnostics.add(format!("{path}.unit"), reason, "Use a unit of its kind");
        }
        numbers.push(Number { name, unit, measure });
    }
    let answers: Vec<Answer> = (spec.answers.iter().enumerate())
        .map(|(index, answer)| read_answer(answer, &format!("{path}.answers[{index}]"), &numbers, diagnostics))
        .collect();
    if answers.len() < 2 {
        diagnostics.add(format!("{path}.answers"), "There is nothing to choose from", "Write at least two answers");
    }
    for (field, text) in [("text", &spec.text), ("explains", &spec.explains)] {
        for name in placeholders(text) {
            if numbers.iter().all(|number| number.name != name) {
                let remedy = format!("Add a number called `{name}`");
                diagnostics.add(format!("{path}.{field}"), format!("There is no number `{name}`"), remedy);
            }
        }
    }
    let StepSpec { title, text, question, explains, .. } = spec.clone();
    Some(Step { id: id?, title, text, opens: opens?, question, numbers, answers, explains })
}

fn read_answer(spec: &AnswerSpec, path: &str, numbers: &[Number], diagnostics: &mut Diagnostics) -> Answer {
    let mut when = Vec::new();
    for condition in &spec.when {
        let read = condition.split_once(' ').and_then(|(name, range)| {
            let index = numbers.iter().position(|number| number.name == name)?;
            let (from, to) = range.trim().split_once("..")?;
            let limit = |text: &str, open: f64| if text.is_empty() { Some(open) } else { text.parse().ok() };
            Some((index, limit(from, f64::NEG_INFINITY)?, limit(to, f64::INFINITY)?))
        });
        match read {
            Some(read) => when.push(read),
            None => diagnostics.add(
                format!("{path}.when"),
                format!("`{condition}` is no condition"),
                "Write the name of a number and its limits, for example `gain 8..14`",
            ),
        }
    }
    Answer { text: spec.text.clone(), when }
}

/// What stands in braces.
fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0))
}

impl Step {
    /// The answer that is right by these numbers, which are in the units of the step's.
    pub fn right_answer(&self, values: &[f64]) -> Option<usize> {
        let holds = |&(index, from, to): &(usize, f64, f64)| values.get(index).is_some_and(|v| (from..to).contains(v));
        self.answers.iter().position(|answer| answer.when.iter().all(holds))
    }

    /// What there is to be seen, with the numbers put in; `None` while these are unknown.
    pub fn introduction(&self, values: Option<&[f64]>) -> String {
        self.filled(&self.text, values)
    }

    /// The explanation with the numbers put in.
    pub fn explanation(&self, values: &[f64]) -> String {
        self.filled(&self.explains, Some(values))
    }

    fn filled(&self, text: &str, values: Option<&[f64]>) -> String {
        let value = |index: usize| values.and_then(|values| values.get(index));
        self.numbers.iter().enumerate().fold(text.to_owned(), |text, (index, number)| {
            let shown = value(index).map_or_else(|| "…".to_owned(), |value| number.unit.text(*value));
            text.replace(&format!("{{{}}}", number.name), &shown)
        })
    }

    /// The numbers that the text names.
    pub fn told(&self) -> impl Iterator<Item = &Number> {
        placeholders(&self.text).filter_map(|name| self.numbers.iter().find(|number| number.name == name))
    }
}
