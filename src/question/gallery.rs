//! Questions about numbers of papers, and of lessons.

use super::{Answer, Answerer, Ask, Refusal};
use crate::gallery::{Finding, find_entry};
use crate::lesson::{OpenLesson, Variation};
use serde::{Deserialize, Serialize};

/// What is our number for a claim of the gallery?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckClaim {
    /// Name of the entry.
    pub entry: String,
    /// Index of the claim.
    pub claim: u32,
}

impl Ask for CheckClaim {
    type Reply = Finding;

    fn answer(self, answerer: &mut Answerer) -> Answer<Finding> {
        let entry = find_entry(&self.entry).map_err(|wrong| Refusal::Failed(wrong.to_string()))?;
        let claim = entry.claims.get(self.claim as usize);
        let claim = claim.ok_or_else(|| Refusal::no_such("claim", self.claim as usize, entry.claims.len()))?;
        answerer.gallery.find(&entry, claim).map_err(Refusal::Failed)
    }
}

/// What are the numbers of a step of a lesson, for a design?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LessonNumbers {
    /// The lesson, and its step.
    pub lesson: OpenLesson,
    /// Which design.
    pub of: Variation,
}

impl Ask for LessonNumbers {
    /// In the units of the step.
    type Reply = Vec<f64>;

    fn answer(self, answerer: &mut Answerer) -> Answer<Vec<f64>> {
        let lesson = self.lesson.lesson()?;
        let step = lesson.steps.get(self.lesson.step as usize);
        let step = step.ok_or_else(|| Refusal::no_such("step", self.lesson.step as usize, lesson.steps.len()))?;
        step.numbers_of(&mut answerer.gallery, &self.of).map_err(Refusal::Failed)
    }
}
