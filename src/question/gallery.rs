//! Questions about numbers of papers, and of lessons.

use super::{Answer, Answerer, Ask, Refusal};
use crate::gallery::{Finding, find_entry, find_step};
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
        let claim = claim.ok_or_else(|| Refusal::Failed("The entry makes no such claim".to_owned()))?;
        answerer.gallery.find(&entry, claim).map_err(Refusal::Failed)
    }
}

/// What are the numbers of a step of a lesson?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LessonNumbers {
    /// Name of the step.
    pub step: String,
}

impl Ask for LessonNumbers {
    /// In the units of the step.
    type Reply = Vec<f64>;

    fn answer(self, answerer: &mut Answerer) -> Answer<Vec<f64>> {
        let none = || Refusal::Failed(format!("No lesson has a step `{}`", self.step));
        let (lesson, index) = find_step(&self.step).ok_or_else(none)?;
        let step = &lesson.steps[index];
        let numbers = step.numbers.iter().map(|number| answerer.gallery.number(step, number));
        numbers.collect::<Result<_, _>>().map_err(Refusal::Failed)
    }
}
