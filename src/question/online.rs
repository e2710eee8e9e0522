//! Questions about Optimus' decisions while the buffer changes, and about the time of searches for groups.

use super::{Clock, Query, QueryEngine, Reply};
use fusescape_engine::explore::{
    ExactDecision, GroupSearch, OnlineDecision, OnlineProblem, PaperProblem, Request, Sweep,
};
use fusescape_engine::fusion::PaperNetwork;
use fusescape_spec::Diagnostics;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::rc::Rc;

pub(super) type DesignKey = Rc<Request>;
pub(super) type AskedDesign = OnlineProblem;
pub(super) type Papers = HashMap<PaperNetwork, PaperProblem>;

impl QueryEngine {
    fn online(&mut self, request: DesignKey) -> Result<&OnlineProblem, Diagnostics> {
        self.online.of(request, |request| OnlineProblem::new(&Sweep::new(request)?)).map(|study| &*study)
    }
}

/// A result, and its computing time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Timed<T> {
    /// The result.
    pub found: T,
    /// Milliseconds, if there is a clock.
    pub ms: Option<f64>,
}

/// Which groups of layers are decided on line for a size of the buffer (Optimus, Section 6)?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecideOnline {
    /// The design.
    pub request: Rc<Request>,
    /// Steps of the buffer size from the design.
    pub step: i32,
}

impl Query for DecideOnline {
    type Reply = Timed<Rc<OnlineDecision>>;

    fn answer(self, engine: &mut QueryEngine) -> Reply<Self::Reply> {
        let stopwatch = engine.clock;
        let study = engine.online(self.request)?;
        let Timed { found, ms } = timed(stopwatch, || study.decide(self.step));
        Ok(Timed { found: Rc::new(study.with_traffic(found)), ms })
    }
}

/// Which groups are decided on line for a size of the buffer, and which are optimal?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecideOnlineAndSearch {
    /// The design.
    pub request: Rc<Request>,
    /// Steps of the buffer size from the design.
    pub step: i32,
}

impl Query for DecideOnlineAndSearch {
    type Reply = (OnlineDecision, ExactDecision);

    fn answer(self, engine: &mut QueryEngine) -> Reply<Self::Reply> {
        let study = engine.online(self.request)?;
        Ok((study.with_traffic(study.decide(self.step)), study.exact(self.step)))
    }
}

/// How long does a search for the groups of a network of the paper take (Optimus, Table 5)?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimeSearch {
    pub network: PaperNetwork,
    pub search: GroupSearch,
    /// Index of the run, as every search is run several times.
    pub run: u32,
}

/// The result of a search for groups in a network of a paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchFindings {
    /// Number of groups; 0 if an operator does not fit.
    pub groups: u32,
    /// Their DRAM traffic, bytes.
    pub bytes: u64,
    /// Lower bound on the DRAM traffic of any scheme, bytes, if the groups are not proved optimal.
    pub bound_bytes: Option<u64>,
}

impl Query for TimeSearch {
    type Reply = Timed<SearchFindings>;

    fn answer(self, engine: &mut QueryEngine) -> Reply<Self::Reply> {
        let study = engine.papers.entry(self.network).or_insert_with(|| PaperProblem::new(self.network));
        let Timed { found: (scheme, bound), ms } = timed(engine.clock, || study.search(self.search));
        let (groups, cost) = scheme.map_or((0, 0), |scheme| (scheme.groups.len() as u32, scheme.cost));
        let bound_bytes = bound.map(|bound| study.bytes(bound));
        Ok(Timed { found: SearchFindings { groups, bytes: study.bytes(cost), bound_bytes }, ms })
    }
}

/// The result of a function, and its time in milliseconds.
pub(super) fn timed<T>(clock: Option<Clock>, act: impl FnOnce() -> T) -> Timed<T> {
    let begun = clock.map(|now| now());
    let found = act();
    Timed { found, ms: clock.zip(begun).map(|(now, begun)| now() - begun) }
}
