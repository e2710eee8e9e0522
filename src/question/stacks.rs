//! Questions about which layers run together, jointly with tiles and modes and by other methods.

use super::{Answer, Answerer, Ask};
use fusescape_engine::explore::{
    CostStore, FusionStep, Fusions, OptimalStacks, Request, StackLimits, StackRun, StackStudy, Sweep, SweptParameter,
    compare_fusions, fusion_step,
};
use fusescape_spec::Diagnostics;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::rc::Rc;

pub(super) type Key = (Rc<Request>, StackLimits);
pub(super) type Study = StackStudy;

impl Answerer {
    pub(super) fn stacks(
        &mut self,
        request: Rc<Request>,
        limits: StackLimits,
    ) -> Result<(&mut StackStudy, &mut CostStore), Diagnostics> {
        let study =
            self.stacks.of((request, limits), |(request, limits)| StackStudy::new(Sweep::new(request)?, *limits))?;
        Ok((study, &mut self.costs))
    }
}

/// In how many parts are the stacks of a network studied?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CountParts {
    /// The design, with the tiles and modes that stacks may have.
    pub request: Rc<Request>,
    /// Which stacks count.
    pub limits: StackLimits,
}

impl Ask for CountParts {
    type Reply = u32;

    fn answer(self, answerer: &mut Answerer) -> Answer<u32> {
        Ok(answerer.stacks(self.request, self.limits)?.0.parts() as u32)
    }
}

/// What are the best strategies of the stacks of some parts?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunStacks {
    /// The design.
    pub request: Rc<Request>,
    /// Which stacks count.
    pub limits: StackLimits,
    /// The parts, counted from 0.
    pub parts: Range<u32>,
}

impl Ask for RunStacks {
    type Reply = Vec<StackRun>;

    fn answer(self, answerer: &mut Answerer) -> Answer<Vec<StackRun>> {
        let (study, costs) = answerer.stacks(self.request, self.limits)?;
        Ok(self.parts.flat_map(|part| study.part(costs, part as usize)).collect())
    }
}

/// Which stacks, tiles and modes are jointly optimal?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CombineStacks {
    /// The design.
    pub request: Rc<Request>,
    /// Which stacks count.
    pub limits: StackLimits,
    /// The best ways to run the stacks of all parts.
    pub runs: Rc<Vec<StackRun>>,
}

impl Ask for CombineStacks {
    type Reply = Rc<OptimalStacks>;

    fn answer(self, answerer: &mut Answerer) -> Answer<Rc<OptimalStacks>> {
        let (study, _) = answerer.stacks(self.request, self.limits)?;
        Ok(Rc::new(study.combine(&self.runs)?))
    }
}

/// What does every method of choosing stacks cost?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompareFusions {
    /// The design.
    pub request: Rc<Request>,
    /// Which stacks count.
    pub limits: StackLimits,
    /// The best ways to run the stacks of all parts.
    pub runs: Rc<Vec<StackRun>>,
}

impl Ask for CompareFusions {
    type Reply = Rc<Fusions>;

    fn answer(self, answerer: &mut Answerer) -> Answer<Rc<Fusions>> {
        let (study, _) = answerer.stacks(self.request, self.limits)?;
        Ok(Rc::new(compare_fusions(study, &self.runs)))
    }
}

/// What do groups move to and from DRAM on a larger or smaller accelerator?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepFusions {
    /// The design.
    pub request: Rc<Request>,
    /// What of it grows or shrinks.
    pub varied: SweptParameter,
    /// So many doublings away from the design.
    pub step: i32,
}

impl Ask for StepFusions {
    type Reply = FusionStep;

    fn answer(self, answerer: &mut Answerer) -> Answer<FusionStep> {
        let (study, _) = answerer.stacks(self.request, StackLimits::default())?;
        Ok(fusion_step(study.sweep(), self.varied, self.step)?)
    }
}
