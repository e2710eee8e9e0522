//! The source of a lesson, and its open step.

use super::document::{Lesson, LessonStep, StepKind};
use super::draw::{Draw, seed};
use fusescape_gallery::Opening;
use fusescape_spec::{Diagnostics, lesson_presets};
use serde::{Deserialize, Serialize};

/// Where a lesson comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LessonSource {
    /// A lesson of the program, by name.
    Preset(String),
    /// The text of any other.
    Text(String),
}

impl Default for LessonSource {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl LessonSource {
    /// The text; empty if there is no lesson with the name.
    pub fn text(&self) -> &str {
        match self {
            Self::Preset(name) => {
                lesson_presets().iter().find(|preset| preset.id == name).map_or("", |preset| preset.text)
            }
            Self::Text(text) => text,
        }
    }

    /// The lesson with the values drawn for this student.
    ///
    /// # Errors
    /// All errors of the lesson.
    pub fn lesson(&self, student: &str) -> Result<Lesson, Diagnostics> {
        Lesson::from_text(self.text(), Draw::Student(student))
    }

    /// An identifier of the lesson: a name, or a hash of its text.
    pub fn key(&self) -> String {
        match self {
            Self::Preset(name) => name.clone(),
            Self::Text(text) => format!("{:016x}", seed(&[text])),
        }
    }
}

/// The step of a lesson that is open.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OpenLesson {
    pub source: LessonSource,
    /// Name of the student; decides the values of parameters.
    pub student: String,
    /// From 0.
    pub step: u32,
    /// The chosen value of each field of a task, by index.
    pub values: Vec<u32>,
}

impl OpenLesson {
    /// The lesson with the values drawn for the student.
    ///
    /// # Errors
    /// All errors of the lesson.
    pub fn lesson(&self) -> Result<Lesson, Diagnostics> {
        self.source.lesson(&self.student)
    }

    /// The step; `None` if the lesson has errors or fewer steps.
    pub fn open_step(&self) -> Option<LessonStep> {
        let mut lesson = self.lesson().ok()?;
        let index = self.step as usize;
        (index < lesson.steps.len()).then(|| lesson.steps.swap_remove(index))
    }

    /// The state with the chosen values; `None` if they are invalid.
    pub fn opens(&self) -> Option<Opening> {
        let step = self.open_step()?;
        let is_task = !self.values.is_empty() && matches!(step.kind, StepKind::Task(_));
        if is_task { step.opens_with(&self.values).ok() } else { Some(step.opens) }
    }

    /// The key of its stored answers: lesson, student and step.
    pub fn key(&self) -> (String, String, u32) {
        (self.source.key(), self.student.trim().to_owned(), self.step)
    }

    /// The name in links of a step of a preset without a student.
    pub fn name(&self) -> Option<String> {
        match &self.source {
            LessonSource::Preset(lesson) if self.student.is_empty() && self.values.is_empty() => {
                Some(step_name(lesson, self.step))
            }
            _ => None,
        }
    }
}

/// The name in links of a step of a preset: the name of the lesson, and a number from 1 on.
pub fn step_name(lesson: &str, step: u32) -> String {
    format!("{lesson}-{}", step.saturating_add(1))
}

/// The step of a preset with this name in links.
pub fn find_step(name: &str) -> Option<OpenLesson> {
    let (lesson, number) = name.rsplit_once('-')?;
    let step = number.parse::<u32>().ok()?.checked_sub(1)?;
    let preset = lesson_presets().iter().find(|preset| preset.id == lesson)?;
    Some(OpenLesson { source: LessonSource::Preset(preset.id.to_owned()), step, ..OpenLesson::default() })
}
