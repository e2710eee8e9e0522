//! Questions about the change from a point to a neighbour, or to the best point with one cut more or fewer.

use super::{Query, QueryEngine, Reply};
use fusescape_engine::depth_first::{DepthFirstStrategy, PointAccount, PointChange};
use fusescape_engine::explore::{BestCut, CutChange, Neighbour, Request, account_of_strategy, best_cut};
use fusescape_spec::Diagnostics;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

pub(super) type PointKey = (Rc<Request>, DepthFirstStrategy);
pub(super) type AskedPoint = PointAccount;

/// What is the change from a point to a neighbour?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompareNeighbour {
    /// The design.
    pub request: Rc<Request>,
    /// The point.
    pub from: DepthFirstStrategy,
    pub to: Neighbour,
}

/// What is the change from a point to the best with one cut more, or with one fewer?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompareCut {
    /// The design.
    pub request: Rc<Request>,
    /// The point.
    pub from: DepthFirstStrategy,
    /// One more or one fewer.
    pub change: CutChange,
}

impl Query for CompareNeighbour {
    /// Rejected if one of the two cannot be scheduled.
    type Reply = Rc<PointChange>;

    fn answer(self, engine: &mut QueryEngine) -> Reply<Rc<PointChange>> {
        engine.change(self.request, self.from, &self.to.strategy).map_err(Into::into)
    }
}

impl Query for CompareCut {
    /// `None` if there is no such point. Rejected if the point cannot be scheduled, or there are too many.
    type Reply = Option<(BestCut, Rc<PointChange>)>;

    fn answer(self, engine: &mut QueryEngine) -> Reply<Self::Reply> {
        let Some(best) = best_cut(&self.request, &self.from, self.change, &mut engine.costs)? else {
            return Ok(None);
        };
        let change = engine.change(self.request, self.from, &best.neighbour.strategy)?;
        Ok(Some((best, change)))
    }
}

impl QueryEngine {
    fn change(
        &mut self,
        request: Rc<Request>,
        from: DepthFirstStrategy,
        to: &DepthFirstStrategy,
    ) -> Result<Rc<PointChange>, Diagnostics> {
        let Self { neighbours, costs, .. } = self;
        let key = (Rc::clone(&request), from);
        let from = neighbours.of(key, |(request, from)| account_of_strategy(request, from, costs))?;
        Ok(Rc::new(PointChange::between(from, &account_of_strategy(&request, to, costs)?)))
    }
}
