//! Questions about numbers of papers and of lessons.

use super::{Query, QueryEngine, Refusal, Reply};
use fusescape_gallery::{Finding, find_entry};
use fusescape_lesson::{CheckedVariant, OpenLesson, Variation, check_variant, mistakes};
use fusescape_spec::Diagnostics;
use serde::{Deserialize, Serialize};

/// What is our number for a claim of the gallery?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckClaim {
    /// Name of the entry.
    pub entry: String,
    /// Index of the claim.
    pub claim: u32,
}

impl Query for CheckClaim {
    type Reply = Finding;

    fn answer(self, engine: &mut QueryEngine) -> Reply<Finding> {
        let entry = find_entry(&self.entry).map_err(|wrong| Refusal::Failed(wrong.to_string()))?;
        let claim = entry.claims.get(self.claim as usize);
        let claim = claim.ok_or_else(|| Refusal::no_such("claim", self.claim as usize, entry.claims.len()))?;
        engine.gallery.find(&entry, claim).map_err(Refusal::Failed)
    }
}

/// What are the numbers of a step of a lesson, for a design?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LessonNumbers {
    /// The lesson, and the index of its step.
    pub lesson: OpenLesson,
    /// The design.
    pub of: Variation,
}

impl Query for LessonNumbers {
    /// In the units of the step.
    type Reply = Vec<f64>;

    fn answer(self, engine: &mut QueryEngine) -> Reply<Vec<f64>> {
        let lesson = self.lesson.lesson()?;
        let step = lesson.steps.get(self.lesson.step as usize);
        let step = step.ok_or_else(|| Refusal::no_such("step", self.lesson.step as usize, lesson.steps.len()))?;
        step.numbers_of(&mut engine.gallery, &self.of).map_err(Refusal::Failed)
    }
}

/// What are the errors of a lesson, for all drawn values?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FindLessonMistakes {
    pub text: String,
}

impl Query for FindLessonMistakes {
    type Reply = Diagnostics;

    fn answer(self, _: &mut QueryEngine) -> Reply<Diagnostics> {
        Ok(mistakes(&self.text))
    }
}

/// Has every step of a variant of a lesson one right answer?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckVariant {
    /// The document.
    pub text: String,
    /// The number of the variant.
    pub variant: u64,
}

impl Query for CheckVariant {
    type Reply = CheckedVariant;

    fn answer(self, engine: &mut QueryEngine) -> Reply<CheckedVariant> {
        Ok(check_variant(&self.text, self.variant, &mut engine.gallery)?)
    }
}
