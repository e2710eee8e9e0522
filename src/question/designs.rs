//! Designs of a study.

use super::online::{Timed, timed};
use super::{Answer, Answerer, Ask};
use fusescape_engine::explore::study::{Course, ParetoFront, StudyRequest};
use fusescape_engine::job::RemoteJob;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// How long do some designs of a study take?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimeDesigns {
    /// The study, with all documents that it names.
    pub request: Rc<StudyRequest>,
    /// Indices of designs.
    pub designs: Vec<u64>,
}

impl Ask for TimeDesigns {
    /// The number of designs.
    type Reply = Timed<u32>;

    fn answer(self, answerer: &mut Answerer) -> Answer<Timed<u32>> {
        let clock = answerer.clock;
        let evaluator = answerer.designs.of_after(self.request, |request, before| Course::open(request, before))?;
        let front = ParetoFront::default();
        Ok(timed(clock, || {
            self.designs.iter().for_each(|&design| drop(evaluator.evaluate(design, &front)));
            self.designs.len() as u32
        }))
    }
}
