//! Where a lesson comes from, and which step of it is open.

use super::document::{Lesson, Step, StepKind};
use super::draw::{Draw, seed};
use fusescape_gallery::Opening;
use fusescape_spec::{Diagnostics, lesson_presets};
use serde::{Deserialize, Serialize};

/// Where a lesson comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LessonSource {
    /// One that comes with the program, by its name.
    Preset(String),
    /// Any other: its text.
    Own(String),
}

impl Default for LessonSource {
    fn default() -> Self {
        Self::Own(String::new())
    }
}

impl LessonSource {
    /// The text; nothing where no lesson has the name.
    pub fn text(&self) -> &str {
        match self {
            Self::Preset(name) => {
                lesson_presets().iter().find(|preset| preset.id == name).map_or("", |preset| preset.text)
            }
            Self::Own(text) => text,
        }
    }

    /// The lesson as this student gets it.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn lesson(&self, student: &str) -> Result<Lesson, Diagnostics> {
        Lesson::from_text(self.text(), Draw::Student(student))
    }

    /// What tells it from other lessons: a name, or a number that its text decides about.
    pub fn key(&self) -> String {
        match self {
            Self::Preset(name) => name.clone(),
            Self::Own(text) => format!("{:016x}", seed(&[text])),
        }
    }
}

/// The step of a lesson that is open.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OpenLesson {
    /// The lesson.
    pub source: LessonSource,
    /// Who answers; it decides about the values of parameters.
    pub student: String,
    /// Index of the step.
    pub step: u32,
    /// What is chosen for each field of a task, by the index of the value.
    pub values: Vec<u32>,
}

impl OpenLesson {
    /// The lesson as the student gets it.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn lesson(&self) -> Result<Lesson, Diagnostics> {
        self.source.lesson(&self.student)
    }

    /// The step; nothing where the lesson has errors or fewer steps.
    pub fn open_step(&self) -> Option<Step> {
        let mut lesson = self.lesson().ok()?;
        let index = self.step as usize;
        (index < lesson.steps.len()).then(|| lesson.steps.swap_remove(index))
    }

    /// What is open once its values are chosen; nothing where that makes no sense.
    pub fn opens(&self) -> Option<Opening> {
        let step = self.open_step()?;
        let is_task = !self.values.is_empty() && matches!(step.kind, StepKind::Task(_));
        if is_task { step.opens_with(&self.values).ok() } else { Some(step.opens) }
    }

    /// What its answers are kept under: lesson, student and step.
    pub fn key(&self) -> (String, String, u32) {
        (self.source.key(), self.student.trim().to_owned(), self.step)
    }

    /// The name that links have for a step of a preset that is opened without a student.
    pub fn name(&self) -> Option<String> {
        match &self.source {
            LessonSource::Preset(lesson) if self.student.is_empty() && self.values.is_empty() => {
                Some(step_name(lesson, self.step))
            }
            _ => None,
        }
    }
}

/// What links call a step of a preset: the name of the lesson, and a number from 1 on.
pub fn step_name(lesson: &str, step: u32) -> String {
    format!("{lesson}-{}", step.saturating_add(1))
}

/// The step of a preset that links call so.
pub fn find_step(name: &str) -> Option<OpenLesson> {
    let (lesson, number) = name.rsplit_once('-')?;
    let step = number.parse::<u32>().ok()?.checked_sub(1)?;
    let preset = lesson_presets().iter().find(|preset| preset.id == lesson)?;
    Some(OpenLesson { source: LessonSource::Preset(preset.id.to_owned()), step, ..OpenLesson::default() })
}
