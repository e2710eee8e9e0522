//! Designs of a study.

use super::{Answer, Answerer, Ask};
use fusescape_engine::explore::study::{DesignRow, Evaluator, ParetoFront, Study, StudyRequest};
use serde::{Deserialize, Serialize};
use std::rc::Rc;
use std::sync::Arc;

pub(super) type Key = Rc<StudyRequest>;
pub(super) type Work = Evaluator<Rc<Study>>;

/// What becomes of some designs of a study?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluateDesigns {
    /// The study, with all that it names.
    pub request: Rc<StudyRequest>,
    /// Numbers of designs.
    pub designs: Vec<u64>,
    /// The front that they have to beat, where the study skips what is beaten.
    pub front: ParetoFront,
}

/// What became of some designs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluatedDesigns {
    /// A row a design, in the order in which they were asked for.
    pub rows: Vec<DesignRow>,
    /// Time that it took, milliseconds; 0 where no clock is at hand.
    pub took_ms: f64,
}

impl Ask for EvaluateDesigns {
    type Reply = EvaluatedDesigns;

    fn answer(self, answerer: &mut Answerer) -> Answer<EvaluatedDesigns> {
        let stopwatch = answerer.stopwatch;
        let evaluator = answerer.designs.of(self.request, |request| {
            Study::new(StudyRequest::clone(request)).map(|study| Evaluator::new(Rc::new(study), Arc::default()))
        })?;
        let mut rows = Vec::with_capacity(self.designs.len());
        let mut evaluate = || rows.extend(self.designs.iter().map(|&design| evaluator.evaluate(design, &self.front)));
        let took_ms = match stopwatch {
            Some(stopwatch) => stopwatch(&mut evaluate),
            None => {
                evaluate();
                0.0
            }
        };
        Ok(EvaluatedDesigns { rows, took_ms })
    }
}
