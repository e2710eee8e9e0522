//! The change of Optimus' groups with the accelerator.

use super::{Query, QueryEngine, Reply};
use fusescape_engine::explore::{FusionStep, Request, StackLimits, StackSearch, Sweep, SweptParameter, fusion_step};
use fusescape_engine::job::RemoteJob;
use fusescape_spec::Diagnostics;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

impl QueryEngine {
    /// The sweep of a design, from the cache of its stacks' study.
    pub(super) fn sweep(&mut self, request: Rc<Request>) -> Result<&Sweep, Diagnostics> {
        let key = Rc::new((request, StackLimits::default()));
        let bench = self.stacks.of_after(key, |request, before| StackSearch::open(request, before))?;
        Ok(bench.study.sweep())
    }
}

/// What is the DRAM traffic of groups on a larger or smaller accelerator?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepFusions {
    /// The design.
    pub request: Rc<Request>,
    /// The parameter that grows or shrinks.
    pub varied: SweptParameter,
    /// Number of doublings from the design.
    pub step: i32,
}

impl Query for StepFusions {
    type Reply = FusionStep;

    fn answer(self, engine: &mut QueryEngine) -> Reply<FusionStep> {
        Ok(fusion_step(engine.sweep(self.request)?, self.varied, self.step)?)
    }
}
