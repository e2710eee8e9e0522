//! Designs of a study.

use super::online::{Timed, timed};
use super::{Query, QueryEngine, Reply};
use fusescape_engine::explore::study::{DesignSampler, ParetoFront, StudyRequest};
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

impl Query for TimeDesigns {
    /// The number of designs.
    type Reply = Timed<u32>;

    fn answer(self, engine: &mut QueryEngine) -> Reply<Timed<u32>> {
        let clock = engine.clock;
        let evaluator =
            engine.designs.of_after(self.request, |request, before| DesignSampler::open(request, before))?;
        let front = ParetoFront::default();
        Ok(timed(clock, || {
            self.designs.iter().for_each(|&design| drop(evaluator.evaluate(design, &front)));
            self.designs.len() as u32
        }))
    }
}
